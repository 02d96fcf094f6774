//! Forces rare cases: a centre that is an integer, trials at every byte of a refill, thresholds
//! that 31 bits do not decide, signatures that are too long.
use oaklath_poly::q12289::{FromHigh, Poly};
use sha2::{Digest, Sha256};

use super::*;
use crate::fn_dsa::encoding::{self, hash_to_point};
use crate::fn_dsa::stream::REFILL;

const SIGMA_MIN: f64 = 1.277_833_696_912_833_7;

/// Draws numbers around many centres, all with one deviation; `put` sets the byte of the stream at
/// which the sampler begins.
fn numbers<S: Simd, A: Sampling<Cell = f64>, B: Source<S>>(
    s: S,
    mut stream: Squeeze<136>,
    pairs: usize,
    put: impl FnOnce(&mut A::Sampler<S, B>),
) -> Vec<f64> {
    use oaklath_simd::Complex;
    let mut sampler = A::Sampler::<S, B>::empty(s);
    sampler.start(&mut stream, SIGMA_MIN);
    put(&mut sampler);
    let inverse_sigmas = InverseSigmas::<f64, 512>::new([0.6; 512]);
    let mut limits = Limits::<512>::new([[0.0; 4]; 512]);
    A::limits(s, &inverse_sigmas[..], SIGMA_MIN, &mut limits[..]);
    let leaves = Leaves { inverse_sigmas: &inverse_sigmas[..], limits: &limits[..] };
    let mut out = Vec::new();
    for i in 0..pairs {
        sampler.step();
        let mu = A::Complex::<S>::new(s, i as f64 * 0.37, i as f64 * -1.62);
        out.extend(sampler.pair(s, mu, &leaves, 0).parts());
    }
    out
}

/// SHA-256 of the numbers that the reference's sampler draws when it begins at each byte of a
/// refill, 100 pairs each.
const FROM_EACH_BYTE: &str = "c15cda8c1160878269a4d4797b25d41ef90a84bc68f38aba707dc8f949fe5a5d";

/// Returns the numbers that both samplers draw when they begin at a given byte.
fn from_byte<S: Simd, B: Source<S>>(s: S, at: usize) -> [Vec<f64>; 2] {
    let stream = || stream("bytes", at);
    [
        numbers::<_, NativeExact, B>(s, stream(), 100, |sampler| sampler.begin_at(at)),
        numbers::<_, Native, B>(s, stream(), 100, |sampler| sampler.restart(0, at)),
    ]
}

#[test]
fn trials_begin_anywhere() {
    for level in Level::available() {
        let mut digest = Sha256::new();
        for at in 0..REFILL {
            let [want, got] = dispatch!(level, s => from_byte::<_, ChaChaSource<_>>(s, at));
            assert!(got == want, "{level} {at}");
            want.iter().for_each(|x| digest.update((*x as i64).to_le_bytes()));
            let [want, got] = dispatch!(level, s => from_byte::<_, ShakeSource>(s, at));
            assert!(got == want, "{level} {at}: of FN-DSA");
        }
        assert_eq!(hex::encode(digest.finalize()), FROM_EACH_BYTE, "{level}");
    }
}

/// Returns the trials of a stream's first refill whose upper 31 bits equal those of a threshold, if
/// every trial takes eleven bytes.
fn ties<S: Simd, B: Source<S>>(s: S, i: usize) -> Vec<usize> {
    let mut source = B::empty(s);
    source.start(&mut stream("tie", i));
    source.ensure(1);
    let top = |n: &usize| u32::from_le_bytes(*source.bytes(0, 11 * n + B::TOP)) >> 1;
    let is_tie = |n: &usize| B::THRESHOLDS[..11].iter().any(|t| (t >> B::BELOW) as u32 == top(n));
    (0..45).filter(is_tie).collect()
}

/// Falcon's streams with such a trial, found by search, and the number of the trial.
const TIES: [(usize, usize); 2] = [(5_560_048, 11), (6_146_250, 5)];
/// FN-DSA's streams with such a trial.
const TIES_OF_FN_DSA: [(usize, usize); 2] = [(1_372_685, 8), (7_428_582, 17)];

fn decided_by_all_bits<S: Simd, B: Source<S>>(s: S, (i, n): (usize, usize)) {
    assert_eq!(ties::<S, B>(s, i), [n]);
    let want = numbers::<_, NativeExact, B>(s, stream("tie", i), 40, |_| ());
    let got = numbers::<_, Native, B>(s, stream("tie", i), 40, |_| ());
    assert!(got == want, "{i}");
}

#[test]
fn ties_are_decided_by_all_bits() {
    for level in Level::available() {
        for tie in TIES {
            dispatch!(level, s => decided_by_all_bits::<_, ChaChaSource<_>>(s, tie));
        }
        for tie in TIES_OF_FN_DSA {
            dispatch!(level, s => decided_by_all_bits::<_, ShakeSource>(s, tie));
        }
    }
}

/// Reports whether coefficient 0 or n / 2 of c f is a multiple of q. Then the first centre, its
/// negated quotient by q, is an integer except for rounding, on which the signature depends.
fn has_integer_centre<const N: usize>(f: &[i32], c: &Poly<N>) -> bool {
    [0, N / 2].into_iter().any(|at| {
        let product = |i: usize| {
            let c = i32::from(c[(at + N - i) % N]);
            f[i] * if i <= at { c } else { -c }
        };
        (0..N).map(product).sum::<i32>() % 12289 == 0
    })
}

/// SHA-256 of three signatures with such a centre, for each degree.
const INTEGER_CENTRES: [&str; 2] = [
    "59d8e5fa1f650cfa8929a355e80a0c07e5de0c139b288a58c0deff3387193668",
    "dba98e26e8345bde0ca0dbd5ea9550fe1c7642e3191c3dbc6fb123003fb9a2d0",
];

fn centres_that_are_integers<const N: usize>(digest: &str) {
    let sk = secret_key::<Falcon, N>(0);
    let mut secrets = [0; 4].map(|x| Poly::<N>::new([x; N]));
    encoding::decode_private::<Falcon, N>(&sk, &mut secrets).unwrap();
    let f: Vec<i32> = secrets[0].iter().map(|x| i32::from(*x)).collect();
    let is_edge = |i: &usize| {
        let mut c = Poly::<N>::new([0; N]);
        let (nonce, message) = (bytes("nonce", *i), bytes::<33>("message", *i));
        hash_to_point::<FromHigh>(&nonce, &formatted(&message), &mut c[..]);
        has_integer_centre(&f, &c)
    };
    let mut digests = Sha256::new();
    for i in (0..).filter(is_edge).take(3) {
        let one = i..i + 1;
        let Some(lowest) = Level::available().next() else { return };
        let want = lowest.with(|| signatures::<Integers, Falcon, N>(&sk, one.clone()));
        for level in Level::available() {
            let got = level.with(|| signatures::<Native, Falcon, N>(&sk, one.clone()));
            assert!(got == want, "{level} {i}");
            let got = level.with(|| signatures::<NativeExact, Falcon, N>(&sk, one.clone()));
            assert!(got == want, "{level} {i}");
            let got = level.with(|| in_little_memory::<Native, Falcon, N>(&sk, one.clone()));
            assert!(got == want, "{level} {i}");
        }
        digests.update(&want[0]);
    }
    assert_eq!(hex::encode(digests.finalize()), digest, "{N}");
}

#[test]
fn centres_may_be_integers() {
    centres_that_are_integers::<512>(INTEGER_CENTRES[0]);
    centres_that_are_integers::<1024>(INTEGER_CENTRES[1]);
}

/// With less memory than most signatures need, signing goes on to one that fits, which verifies.
#[test]
fn signing_goes_on_until_a_signature_fits() {
    let info = Falcon512::INFO;
    let (mut pk, mut sk) = (std::vec![0; info.public_key], std::vec![0; info.secret_key]);
    keypair::<Falcon, 512>(&bytes("key", 0), &mut pk, &mut sk);
    let mut key = std::boxed::Box::new(FnDsaSigningKey::<f64, 512>::empty(0.0));
    key.fill::<Native, Falcon>(&sk).unwrap();
    let mut retried = 0;
    for i in 0..50 {
        let (message, coins) = (bytes::<33>("message", i), coins::<Falcon>(i));
        let sign = |room: usize| {
            let mut out = std::vec![0; room];
            let message = formatted(&message);
            let len = key.sign::<Native, Falcon>(&message, &coins, &mut out);
            let len = len.unwrap();
            out.truncate(len);
            out
        };
        let (first, short) = (sign(690), sign(651));
        assert!(short.len() <= 651);
        retried += usize::from(first != short);
        for signature in [first, short] {
            Falcon512.verify(&pk, &Message::new(&message), &signature).unwrap();
        }
    }
    assert!(retried >= 10, "{retried}");
}
