//! Compares the arithmetics and the samplers with each other, and tests invalid private keys.
mod edges;
mod forms;
mod levels;

use oaklath_hash::sha3::{Shake256, Squeeze};
use oaklath_simd::{Level, Simd, dispatch};
use std::vec::Vec;

use super::draft::FnDsaDraft;
use super::exact::ExactSampler;
use super::keys::keypair;
use super::leaves::{Leaves, Limits, Sampler};
use super::low_memory;
use super::numbers::{Arithmetic, Integers, Native};
use super::roots::{self, Roots};
use super::sampler::Sampling;
use super::shake::ShakeSource;
use super::sign::FnDsaSigningKey;
use super::stream::Source;
use super::tree::InverseSigmas;
use super::variant::FalconVariant;
use crate::error::Error;
use crate::message::{Formatted, Message};
use crate::registry::Signature;
use crate::round3::falcon::Falcon;
use crate::round3::falcon::chacha::ChaChaSource;
use crate::scheme::SignatureSet;
use crate::sets::{Falcon512, Falcon1024, FnDsa512, FnDsa1024};
use oaklath_params::buffer::Length;

/// The machine's doubles with the sampler written as in the reference.
#[derive(Clone, Copy)]
struct NativeExact;

impl Arithmetic for NativeExact {
    type Cell = f64;
    type Real = f64;
    type Lanes<S: Simd> = S::F64;
    type Few<S: Simd> = S::FewF64;
    type Complex<S: Simd> = S::C64;
    const ROOTS: &'static Roots<f64> = &roots::DOUBLES;

    fn cell(x: f64) -> f64 {
        x
    }
    fn real(x: f64) -> f64 {
        x
    }
}

impl Sampling for NativeExact {
    type Sampler<S: Simd, B: Source<S>> = ExactSampler<S, Self, B>;

    fn limits<S: Simd>(_: S, _: &[f64], _: f64, _: &mut [[f32; 4]]) {}
}

pub(super) fn formatted(message: &[u8]) -> Formatted<'_> {
    Formatted::bare(message)
}

/// Returns a stream of pseudorandom bytes that depends on a label and on `i`.
fn stream(label: &str, i: usize) -> Squeeze<136> {
    Shake256::new().chain(std::format!("{label} {i}").as_bytes()).finish()
}

fn bytes<const LEN: usize>(label: &str, i: usize) -> [u8; LEN] {
    let mut out = [0; LEN];
    stream(label, i).read(&mut out);
    out
}

fn secret_key<V: FalconVariant, const N: usize>(i: usize) -> Vec<u8> {
    let info = if N == 512 { Falcon512::INFO } else { Falcon1024::INFO };
    let (mut pk, mut sk) = (std::vec![0; info.public_key], std::vec![0; info.secret_key + V::TAIL]);
    keypair::<V, N>(&bytes("key", i), &mut pk, &mut sk);
    sk
}

/// Allocates memory for a signature.
fn room<V: FalconVariant, const N: usize>() -> Vec<u8> {
    let info = match (V::PADDED, N) {
        (false, _) => Falcon1024::INFO,
        (true, 512) => FnDsa512::INFO,
        (true, _) => FnDsa1024::INFO,
    };
    std::vec![0; info.signature]
}

/// Returns a nonce and a seed, cut to the number of coins that the scheme takes.
fn coins<V: FalconVariant>(i: usize) -> Vec<u8> {
    let (nonce, seed): ([u8; 40], [u8; 48]) = (bytes("nonce", i), bytes("seed", i));
    [&nonce[..], &seed].concat()[..V::COINS].to_vec()
}

/// Signs messages with a key in one arithmetic.
fn signatures<A: Sampling, V: FalconVariant, const N: usize>(
    sk: &[u8],
    messages: core::ops::Range<usize>,
) -> Vec<Vec<u8>> {
    let mut key = std::boxed::Box::new(FnDsaSigningKey::<A::Cell, N>::empty(A::constant(0.0)));
    key.fill::<A, V>(sk).unwrap();
    let sign = |i: usize| {
        let message = bytes::<33>("message", i);
        let (coins, mut out) = (coins::<V>(i), room::<V, N>());
        let len = key.sign::<A, V>(&formatted(&message), &coins, &mut out).unwrap();
        out.truncate(len);
        out
    };
    messages.map(sign).collect()
}

/// Signs messages without keeping the tree.
fn in_little_memory<A: Sampling, V: FalconVariant, const N: usize>(
    sk: &[u8],
    messages: core::ops::Range<usize>,
) -> Vec<Vec<u8>> {
    let sign = |i: usize| {
        let message = bytes::<33>("message", i);
        let (coins, mut out) = (coins::<V>(i), room::<V, N>());
        let message = formatted(&message);
        let len = low_memory::sign::<A, V, N>(sk, &message, &coins, &mut out).unwrap();
        out.truncate(len);
        out
    };
    messages.map(sign).collect()
}

/// The number of messages that are signed with each key.
const A_KEY: usize = 500;

/// Checks that all arithmetics and samplers make the same signatures at all levels: of 1000
/// messages, or as many as `OAKLATH_FALCON_SIGNATURES` says (`cargo xtask falcon`), on all cores.
fn agree<V: FalconVariant, const N: usize>() {
    let count = std::env::var("OAKLATH_FALCON_SIGNATURES").ok().and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(1000);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for first in (0..count).step_by(A_KEY).skip(thread).step_by(threads) {
                    agree_on_a_key::<V, N>(first..count.min(first + A_KEY));
                }
            });
        }
    });
}

fn agree_on_a_key<V: FalconVariant, const N: usize>(range: core::ops::Range<usize>) {
    let Some(lowest) = Level::available().next() else { return };
    let sk = secret_key::<V, N>(range.start);
    let want = lowest.with(|| signatures::<NativeExact, V, N>(&sk, range.clone()));
    for level in Level::available() {
        let got = level.with(|| signatures::<Native, V, N>(&sk, range.clone()));
        assert!(got == want, "{level} {N} {range:?}");
        let got = level.with(|| in_little_memory::<Native, V, N>(&sk, range.clone()));
        assert!(got == want, "{level} {N} {range:?}: in little memory");
    }
    let got = lowest.with(|| signatures::<Integers, V, N>(&sk, range.clone()));
    assert!(got == want, "emulated {N} {range:?}");
    let few = range.start..range.end.min(range.start + 5);
    let want = &want[..few.len()];
    let got = lowest.with(|| in_little_memory::<Integers, V, N>(&sk, few));
    assert!(got == want, "emulated {N}: in little memory");
}

#[test]
fn every_way_gives_the_same_signatures_of_512() {
    agree::<Falcon, 512>();
}

#[test]
fn every_way_gives_the_same_signatures_of_1024() {
    agree::<Falcon, 1024>();
}

#[test]
fn every_way_gives_the_same_signatures_of_fn_dsa() {
    agree::<FnDsaDraft, 512>();
    agree::<FnDsaDraft, 1024>();
}

/// Draws numbers around many centres, among them integers and values close to them, with the
/// smallest and the largest deviations: this covers many trials, doubtful cases and refills.
#[test]
fn pairs_are_the_exact_sampler() {
    fn draw<S: Simd, A: Sampling<Cell = f64>, B: Source<S>>(s: S, i: usize) -> Vec<f64> {
        use oaklath_simd::Complex;
        let mut inverse_sigmas = InverseSigmas::<f64, 512>::new([0.0; 512]);
        for (i, sigma) in inverse_sigmas.iter_mut().enumerate() {
            *sigma = 0.5494 + 0.2331 * i as f64 / 511.0;
        }
        let mut limits = Limits::<512>::new([[0.0; 4]; 512]);
        A::limits(s, &inverse_sigmas[..], 1.277_833_696_912_833_7, &mut limits[..]);
        let leaves = Leaves { inverse_sigmas: &inverse_sigmas[..], limits: &limits[..] };
        let mut sampler = A::Sampler::<S, B>::empty(s);
        sampler.start(&mut stream("pairs", i), 1.277_833_696_912_833_7);
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
            let mu = A::Complex::<S>::new(s, centre(a), centre(b));
            out.extend(sampler.pair(s, mu, &leaves, n % 512).parts());
        }
        out
    }
    for level in Level::available() {
        for i in 0..50 {
            let [got, want] = dispatch!(level, s => [
                draw::<_, Native, ChaChaSource<_>>(s, i),
                draw::<_, NativeExact, ChaChaSource<_>>(s, i),
            ]);
            let differs = got.iter().zip(&want).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{level} {i}");
            let [got, want] = dispatch!(level, s => [
                draw::<_, Native, ShakeSource>(s, i),
                draw::<_, NativeExact, ShakeSource>(s, i),
            ]);
            let differs = got.iter().zip(&want).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{level} {i}: of FN-DSA");
        }
    }
}

/// Checks that invalid private keys are rejected. `lowest` is the bit and the mask with which the
/// first byte of f or g encodes the least number, which no coefficient may be.
fn keys_are_checked<V: FalconVariant, const N: usize>(scheme: &dyn Signature, lowest: [u8; 2]) {
    let sk = secret_key::<V, N>(0);
    let parse = |sk: &[u8]| {
        let mut key = std::boxed::Box::new(FnDsaSigningKey::<f64, N>::empty(0.0));
        key.fill::<Native, V>(sk)
    };
    assert_eq!(parse(&sk), Ok(()));
    let changed = |at: usize, change: &dyn Fn(u8) -> u8| {
        let mut sk = sk.clone();
        sk[at] = change(sk[at]);
        parse(&sk)
    };
    for header in (0..=255).filter(|header| *header != sk[0]) {
        assert_eq!(changed(0, &|_| header), Err(Error::SecretKeyEncoding));
    }
    let [f, F] = [N * (15 - N.ilog2() as usize) / 8, N];
    let (g_at, F_at, end) = (1 + f, 1 + 2 * f, 1 + 2 * f + F);
    // Fields of 5 or 6 bits, whose least number has one bit set; the fields of F have 8 bits.
    let [bit, mask] = lowest;
    for at in [1, g_at] {
        assert_eq!(changed(at, &|x| x & !mask | bit), Err(Error::SecretKeyEncoding), "{at}");
    }
    assert_eq!(changed(F_at, &|_| 0x80), Err(Error::SecretKeyEncoding));
    // With another coefficient, G is not short.
    for at in [1, 300, g_at, F_at - 9, F_at + 1, end - 1] {
        assert_eq!(changed(at, &|x| x ^ 1), Err(Error::SecretKeyInconsistent), "{at}");
    }
    // f = 0 has no inverse.
    let mut zero = sk.clone();
    zero[1..g_at].fill(0);
    assert_eq!(parse(&zero), Err(Error::SecretKeyInconsistent));
    // f = 1 and g = F = 0 give G = 0, so f G - g F is 0 and not q.
    let mut trivial = std::vec![0; sk.len()];
    trivial[0] = sk[0];
    trivial[1] = if V::PADDED { 1 } else { 1 << (N.ilog2() - 7) };
    assert_eq!(parse(&trivial), Err(Error::SecretKeyInconsistent));
    let mut pk = std::vec![1; scheme.info().public_key];
    let error = scheme.public_key(&trivial, &mut pk);
    assert_eq!(error, Err(Error::SecretKeyInconsistent));
    assert!(pk.iter().all(|x| *x == 0));
    // A hash that is not of the key's public key is noticed when the public key is computed.
    for at in end..sk.len() {
        let mut sk = sk.clone();
        sk[at] ^= 1 << (at & 7);
        assert_eq!(scheme.public_key(&sk, &mut pk), Err(Error::SecretKeyHash), "{at}");
    }
    for len in [0, 1, sk.len() - 1, sk.len() + 1] {
        let sk = std::vec![sk[0]; len];
        let error =
            Error::SecretKeyLength(Length { expected: scheme.info().secret_key, found: len });
        assert_eq!(scheme.public_key(&sk, &mut pk), Err(error));
        assert_eq!(scheme.prepare_signer(&sk).err(), Some(error));
        let mut out = room::<V, N>();
        assert_eq!(
            scheme.sign(&sk, &Message::new(b"text"), Some(&coins::<V>(0)), &mut out),
            Err(error)
        );
    }
}

#[test]
fn private_keys_are_checked() {
    // The lowest value of 6 bits and of 5, packed from the high end and from the low end.
    keys_are_checked::<Falcon, 512>(&Falcon512, [0x80, 0xfc]);
    keys_are_checked::<Falcon, 1024>(&Falcon1024, [0x80, 0xf8]);
    keys_are_checked::<FnDsaDraft, 512>(&FnDsa512, [0x20, 0x3f]);
    keys_are_checked::<FnDsaDraft, 1024>(&FnDsa1024, [0x10, 0x1f]);
}

/// Leaves that are not a number or out of range are rejected.
#[test]
fn leaves_are_checked() {
    let is_leaf = |inverse: f64, n| super::leaves::is_leaf(inverse, n) == 1;
    let good = [0.5494, 0.75, 0.7702];
    assert!(good.into_iter().all(|inverse| is_leaf(inverse, 512) && is_leaf(inverse, 1024)));
    // 1 / sigma_min is 0.78257 for degree 512 and 0.77025 for 1024.
    assert!(is_leaf(0.7825, 512) && !is_leaf(0.7826, 512) && !is_leaf(0.7703, 1024));
    let bad = [0.0, 0.4, 0.5, 0.5492, 0.9, 1.0, -0.7, f64::INFINITY, f64::NAN];
    assert!(!bad.into_iter().any(|inverse| is_leaf(inverse, 512) || is_leaf(inverse, 1024)));
}

fn randomness_is_needed<V: FalconVariant, const N: usize>(scheme: &dyn Signature) {
    let (sk, message) = (secret_key::<V, N>(0), Message::new(b"text"));
    let (signer, mut out) = (scheme.prepare_signer(&sk).unwrap(), room::<V, N>());
    let len = V::COINS;
    for coins in [None, Some(&[1; 89][..len - 1]), Some(&[1; 89][..len + 1]), Some(&[])] {
        let found = coins.map_or(0, <[u8]>::len);
        let error = Err(Error::CoinsLength(Length { expected: len, found }));
        out.fill(1);
        assert_eq!(scheme.sign(&sk, &message, coins, &mut out), error);
        assert!(out[..scheme.info().signature].iter().all(|x| *x == 0));
        assert_eq!(signer.sign(&message, coins, &mut out), error);
    }
    let long = Message::with_context(b"text", &[0; 256]);
    let error = if V::PADDED { Error::ContextLength { found: 256 } } else { Error::MessageForm };
    assert_eq!(signer.sign(&long, Some(&[1; 88][..len]), &mut out), Err(error));
}

#[test]
fn nothing_is_signed_without_randomness() {
    randomness_is_needed::<Falcon, 512>(&Falcon512);
    randomness_is_needed::<Falcon, 1024>(&Falcon1024);
    randomness_is_needed::<FnDsaDraft, 512>(&FnDsa512);
    randomness_is_needed::<FnDsaDraft, 1024>(&FnDsa1024);
}
