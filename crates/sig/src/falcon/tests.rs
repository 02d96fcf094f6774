//! Systems of numbers and samplers against each other, and private keys that are none.
mod edges;

use oaklath_hash::sha3::{Shake256, Squeeze};
use oaklath_simd::{Level, Simd, dispatch};
use std::vec::Vec;

use super::exact::Exact;
use super::numbers::{Arithmetic, Integers, Leaves, Native, Numbers, Sampler};
use super::roots::{self, Roots};
use super::sign::{self, Expanded, Invalid};
use super::tree::{Limits, Sigmas};
use super::verify::tests::formatted;
use super::{FALCON_512, FALCON_1024, keypair};
use crate::{Error, Message, Signature};

/// The machine's doubles, and the sampler in the text of the reference.
#[derive(Clone, Copy)]
struct NativeExact;

impl Arithmetic for NativeExact {
    type Cell = f64;
    type Real = f64;
    const ROOTS: &'static Roots<f64> = &roots::DOUBLES;

    fn cell(x: f64) -> f64 {
        x
    }
    fn real(x: f64) -> f64 {
        x
    }
}

impl<S: Simd> Numbers<S> for NativeExact {
    type Lanes = S::F64;
    type Few = S::FewF64;
    type Complex = S::C64;
    type Sampler = Exact<S, Self>;

    fn limits(_: S, _: &[f64], _: f64, _: &mut [[f32; 4]]) {}
}

/// Random bytes that depend on a label.
fn stream(label: &str, i: usize) -> Squeeze<136> {
    Shake256::new().chain(std::format!("{label} {i}").as_bytes()).finish()
}

fn bytes<const LEN: usize>(label: &str, i: usize) -> [u8; LEN] {
    let mut out = [0; LEN];
    stream(label, i).read(&mut out);
    out
}

fn secret_key<const N: usize>(i: usize) -> Vec<u8> {
    let info = if N == 512 { FALCON_512.info } else { FALCON_1024.info };
    let (mut pk, mut sk) = (std::vec![0; info.public_key], std::vec![0; info.secret_key]);
    keypair::<N>(&bytes("key", i), &mut pk, &mut sk);
    sk
}

/// Signatures of messages with a key, by one system of numbers.
fn signatures<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    sk: &[u8],
    messages: core::ops::Range<usize>,
) -> Vec<Vec<u8>> {
    let mut key = std::boxed::Box::new(Expanded::<A::Cell, N>::empty(A::constant(0.0)));
    key.fill::<S, A>(s, sk).unwrap();
    let sign = |i: usize| {
        let message = bytes::<33>("message", i);
        let coins = (&bytes("nonce", i), &bytes("seed", i));
        let mut out = std::vec![0; 1330];
        let len = key.sign::<S, A>(s, &formatted(&message), coins, &mut out);
        out.truncate(len);
        out
    };
    messages.map(sign).collect()
}

/// The same without a tree that is kept.
fn in_little_memory<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    sk: &[u8],
    messages: core::ops::Range<usize>,
) -> Vec<Vec<u8>> {
    let sign = |i: usize| {
        let message = bytes::<33>("message", i);
        let coins = (&bytes("nonce", i), &bytes("seed", i));
        let mut out = std::vec![0; 1330];
        let message = formatted(&message);
        let len = sign::sign_low_memory::<S, A, N>(s, sk, &message, coins, &mut out).unwrap();
        out.truncate(len);
        out
    };
    messages.map(sign).collect()
}

/// Messages of a key.
const A_KEY: usize = 500;

/// All systems and samplers at all levels give the same signatures: of 1000 messages, or as many as
/// `OAKLATH_FALCON_SIGNATURES` says (`cargo xtask falcon`), on all cores.
fn agree<const N: usize>() {
    let count = std::env::var("OAKLATH_FALCON_SIGNATURES").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(1000);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for first in (0..count).step_by(A_KEY).skip(thread).step_by(threads) {
                    agree_on_a_key::<N>(first..count.min(first + A_KEY));
                }
            });
        }
    });
}

fn agree_on_a_key<const N: usize>(range: core::ops::Range<usize>) {
    let scalar = Level::available().next().unwrap();
    let sk = secret_key::<N>(range.start);
    let want = dispatch!(scalar, s => signatures::<_, NativeExact, N>(s, &sk, range.clone()));
    for level in Level::available() {
        let got = dispatch!(level, s => signatures::<_, Native, N>(s, &sk, range.clone()));
        assert!(got == want, "{level} {N} {range:?}");
        let got = dispatch!(level, s => in_little_memory::<_, Native, N>(s, &sk, range.clone()));
        assert!(got == want, "{level} {N} {range:?}: in little memory");
    }
    let got = dispatch!(scalar, s => signatures::<_, Integers, N>(s, &sk, range.clone()));
    assert!(got == want, "emulated {N} {range:?}");
    let few = range.start..range.end.min(range.start + 5);
    let want = &want[..few.len()];
    let got = dispatch!(scalar, s => in_little_memory::<_, Integers, N>(s, &sk, few));
    assert!(got == want, "emulated {N}: in little memory");
}

#[test]
fn every_way_gives_the_same_signatures_of_512() {
    agree::<512>();
}

#[test]
fn every_way_gives_the_same_signatures_of_1024() {
    agree::<1024>();
}

/// Numbers around many centres, among them integers and what is close to them, with the smallest and
/// the largest deviations: many trials, doubts, bytes that several decide, and refills.
#[test]
fn pairs_are_the_exact_sampler() {
    fn draw<S: Simd, A: Numbers<S, Cell = f64>>(s: S, i: usize) -> Vec<f64> {
        use oaklath_simd::Complex;
        let mut sigmas = Sigmas::<f64, 512>::new([0.0; 512]);
        for (i, sigma) in sigmas.iter_mut().enumerate() {
            *sigma = 0.5494 + 0.2331 * i as f64 / 511.0;
        }
        let mut limits = Limits::<512>::new([[0.0; 4]; 512]);
        A::limits(s, &sigmas[..], 1.277_833_696_912_833_7, &mut limits[..]);
        let leaves = Leaves { sigmas: &sigmas[..], limits: &limits[..] };
        let mut sampler = A::Sampler::empty(s, 1.277_833_696_912_833_7);
        sampler.start(&mut stream("pairs", i));
        let mut centres = stream("centres", i);
        let mut out = Vec::new();
        for n in 0..2000 {
            let mut random = [0; 16];
            centres.read(&mut random);
            let (a, b) = random.split_at(8);
            let centre = |bytes: &[u8]| {
                let x = i64::from_le_bytes(bytes.try_into().unwrap());
                match x & 7 {
                    0 => (x >> 50) as f64,
                    1 => (x >> 50) as f64 - 1e-13,
                    2 => (x >> 50) as f64 + 0.5,
                    _ => (x >> 20) as f64 / (1_u64 << 32) as f64,
                }
            };
            sampler.step();
            let mu = A::Complex::new(s, centre(a), centre(b));
            out.extend(sampler.pair(s, mu, &leaves, n % 512).parts());
        }
        out
    }
    for level in Level::available() {
        for i in 0..50 {
            let got = dispatch!(level, s => draw::<_, Native>(s, i));
            let want = dispatch!(level, s => draw::<_, NativeExact>(s, i));
            let differs = got.iter().zip(&want).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{level} {i}");
        }
    }
}

#[test]
fn private_keys_are_checked() {
    let sk = secret_key::<512>(0);
    let parse = |sk: &[u8]| {
        let mut key = std::boxed::Box::new(Expanded::<f64, 512>::empty(0.0));
        dispatch!(s => key.fill::<_, Native>(s, sk))
    };
    assert_eq!(parse(&sk), Ok(()));
    let changed = |at: usize, value: u8| {
        let mut sk = sk.clone();
        sk[at] = value;
        parse(&sk)
    };
    for header in (0..=255).filter(|header| *header != 0x59) {
        assert_eq!(changed(0, header), Err(Invalid::Encoding));
    }
    // -32 of six bits, -128 of eight.
    assert_eq!(changed(1, 0x80 | sk[1] & 3), Err(Invalid::Encoding));
    assert_eq!(changed(385, 0x80 | sk[385] & 3), Err(Invalid::Encoding));
    assert_eq!(changed(769, 0x80), Err(Invalid::Encoding));
    // Another coefficient: G is not short.
    for at in [1, 300, 385, 700, 769, 1280] {
        assert_eq!(changed(at, sk[at] ^ 1), Err(Invalid::Inconsistent), "{at}");
    }
    // f = 0 has no inverse.
    let mut zero = sk.clone();
    zero[1..385].fill(0);
    assert_eq!(parse(&zero), Err(Invalid::Inconsistent));
    // f = 1, g = F = 0 give G = 0, of which f G - g F is 0.
    let mut trivial = std::vec![0; 1281];
    (trivial[0], trivial[1]) = (0x59, 4);
    assert_eq!(parse(&trivial), Err(Invalid::Inconsistent));
    let mut pk = [1; 897];
    let error = FALCON_512.public_key(&trivial, &mut pk);
    assert_eq!((error, pk), (Err(Error::SecretKeyInconsistent), [0; 897]));
}

/// What is not a number, or out of range, is no leaf.
#[test]
fn leaves_are_checked() {
    use super::tree::is_leaf;
    let good = [0.5494, 0.75, 0.7702];
    assert!(good.into_iter().all(|inverse| is_leaf(inverse, 512) && is_leaf(inverse, 1024)));
    // 1 / sigma_min is 0.78257 of 512, 0.77025 of 1024.
    assert!(is_leaf(0.7825, 512) && !is_leaf(0.7826, 512) && !is_leaf(0.7703, 1024));
    let bad = [0.0, 0.4, 0.5, 0.5492, 0.9, 1.0, -0.7, f64::INFINITY, f64::NAN];
    assert!(!bad.into_iter().any(|inverse| is_leaf(inverse, 512) || is_leaf(inverse, 1024)));
}

#[test]
fn nothing_is_signed_without_randomness() {
    let (sk, message, mut out) = (secret_key::<512>(0), Message::new(b"text"), [1; 690]);
    let signer = FALCON_512.prepare_signer(&sk).unwrap();
    for coins in [None, Some(&[1; 87][..]), Some(&[1; 89]), Some(&[])] {
        let found = coins.map_or(0, <[u8]>::len);
        let error = Err(Error::CoinsLength { expected: 88, found });
        out.fill(1);
        assert_eq!(FALCON_512.sign(&sk, &message, coins, &mut out), error);
        assert_eq!(out, [0; 690]);
        assert_eq!(signer.sign(&message, coins, &mut out), error);
    }
    let context = Message::with_context(b"text", b"context");
    assert_eq!(signer.sign(&context, Some(&[1; 88]), &mut out), Err(Error::MessageForm));
}
