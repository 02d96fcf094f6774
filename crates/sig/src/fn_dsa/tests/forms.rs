//! Tests that encodings of public keys and signatures are canonical. For a chosen signature, the
//! public key is computed under which it is valid.
use oaklath_poly::q12289::{self as ring, Factor, Format, FromLow, NttPoly, Poly};

use super::*;
use crate::fn_dsa::encoding::{self, HEAD, hash_to_point};
use crate::fn_dsa::variant::NONCE;
use crate::fn_dsa::verify::FnDsaVerifyingKey;
use crate::scheme::Empty;

/// Computes the public key under which (s1, s2) is a signature of a message: h = (c - s1) / s2.
fn key_for<V: FalconVariant, const N: usize>([s1, s2]: [&Poly<N>; 2], message: &[u8]) -> Vec<u8> {
    let mut c = Poly::new([0; N]);
    hash_to_point::<V::Format>(&[7; NONCE], &formatted(message), &mut c[..]);
    c.iter_mut().zip(s1.iter()).for_each(|(c, x)| *c -= x);
    let mut h = dispatch!(s => quotient(s, &mut c, s2));
    h.iter_mut().for_each(|h| *h = h.rem_euclid(ring::Q));
    let mut pk = std::vec![0; 1 + N * 7 / 4];
    encoding::encode_public::<V, N>(&mut h, &mut pk);
    pk
}

/// Computes a / b.
fn quotient<S: Simd, const N: usize>(s: S, a: &mut Poly<N>, b: &Poly<N>) -> Poly<N> {
    let [mut a_hat, mut b_hat, mut quotient] = [0; 3].map(|x| NttPoly::new([x; N]));
    ring::centre(s, a);
    ring::ntt(s, a, &mut a_hat);
    ring::ntt(s, b, &mut b_hat);
    assert!(!ring::has_zero(s, &b_hat));
    ring::divide(s, &a_hat, &b_hat, &mut quotient);
    // A product with 1, which has the factor 1 / n.
    let (mut factor, mut h) = (Factor::new([0; N]), Poly::new([0; N]));
    ring::prepare(s, &quotient, &mut factor);
    ring::multiply(s, &NttPoly::new([1; N]), &factor, &mut quotient);
    ring::inverse_ntt(s, &quotient, &mut h);
    h
}

/// Encodes s2 as a compressed signature.
fn encoded<V: FalconVariant, const N: usize>(s2: &Poly<N>) -> Vec<u8> {
    let mut signature = std::vec![0; 2000];
    signature[..HEAD].fill(7);
    signature[0] = 0x30 | N.ilog2() as u8;
    let rest = &mut signature[HEAD..];
    let len = dispatch!(s => ring::encode_compressed_vartime::<_, V::Format>(s, &s2[..], rest));
    signature.truncate(HEAD + len.unwrap());
    signature
}

/// Encodes s2 as a padded signature, which ends with zeros.
fn padded<V: FalconVariant, const N: usize>(s2: &Poly<N>) -> Vec<u8> {
    let (mut signature, len) = (encoded::<V, N>(s2), padded_len::<N>());
    assert!(signature.len() < len);
    signature.resize(len, 0);
    signature
}

fn padded_len<const N: usize>() -> usize {
    let info = if N == 512 { FnDsa512::INFO } else { FnDsa1024::INFO };
    info.signature
}

fn verifies<V: FalconVariant, const N: usize>(
    level: Level,
    bound: u32,
    pk: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    level.with(|| {
        let mut key = FnDsaVerifyingKey::<N>::EMPTY;
        key.fill::<V>(pk).unwrap();
        let [mut s2, mut c] = [Poly::new([0; N]); 2];
        let nonce = encoding::decode_signature::<V, N>(signature, padded_len::<N>(), &mut s2);
        nonce.is_some_and(|nonce| {
            hash_to_point::<V::Format>(nonce, &formatted(message), &mut c[..]);
            key.is_short(&s2, &c, (bound, V::LARGEST))
        })
    })
}

/// Returns two short polynomials, the second invertible.
fn short<const N: usize>() -> [Poly<N>; 2] {
    let mut x = 1_u32;
    let mut next = |bound: i16| {
        x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (x >> 17) as i16 % (2 * bound) - bound
    };
    let s1 = Poly::new(core::array::from_fn(|_| next(150)));
    [s1, Poly::new(core::array::from_fn(|_| next(100)))]
}

/// Defines tests that run for every scheme, degree and level.
macro_rules! for_every_set {
    ($($test:ident $text:ident;)*) => { $(
        #[test]
        fn $test() {
            Level::available().for_each($text::<Falcon, 512>);
            Level::available().for_each($text::<Falcon, 1024>);
            Level::available().for_each($text::<FnDsaDraft, 512>);
            Level::available().for_each($text::<FnDsaDraft, 1024>);
        }
    )* };
}
for_every_set! {
    the_bound_is_the_largest_norm bounds;
    signatures_have_one_form forms;
    public_keys_are_canonical canonical;
}

fn bounds<V: FalconVariant, const N: usize>(level: Level) {
    let [s1, s2] = short::<N>();
    let squares = |f: &Poly<N>| f.iter().map(|x| i32::from(*x).pow(2)).sum::<i32>();
    let norm = (squares(&s1) + squares(&s2)) as u32;
    let pk = level.with(|| key_for::<V, N>([&s1, &s2], b"text"));
    let signature = padded::<V, N>(&s2);
    let verifies = |bound, message: &[u8]| verifies::<V, N>(level, bound, &pk, message, &signature);
    assert!(verifies(norm, b"text"), "{level}");
    assert!(!verifies(norm - 1, b"text"), "{level}");
    assert!(!verifies(norm, b"test"), "{level}");
}

fn forms<V: FalconVariant, const N: usize>(level: Level) {
    let [s1, s2] = short::<N>();
    let pk = level.with(|| key_for::<V, N>([&s1, &s2], b"text"));
    let check = |signature: &[u8]| verifies::<V, N>(level, 34_034_726, &pk, b"text", signature);
    let (compressed, padded) = (encoded::<V, N>(&s2), padded::<V, N>(&s2));
    let mut constant_time = compressed[..HEAD].to_vec();
    constant_time.resize(HEAD + N * 3 / 2, 0);
    constant_time[0] += 0x20;
    ring::encode_signed::<V::Format, 12>(&s2[..], &mut constant_time[HEAD..]);
    let all = [&padded, &compressed, &constant_time];
    // FN-DSA has only the padded form.
    let (good, bad) = all.split_at(if V::PADDED { 1 } else { 3 });
    assert!(!bad.iter().any(|signature| check(signature)), "{level}");
    for good in good {
        assert!(check(good), "{level}");
        assert!(!check(&good[..good.len() - 1]), "{level}");
        assert!(!check(&[&good[..], &[0]].concat()), "{level}");
        for header in (0..=255).filter(|header| *header != good[0]) {
            assert!(!check(&[&[header], &good[1..]].concat()), "{level}");
        }
        for at in 1..good.len() {
            let mut wrong = good.to_vec();
            wrong[at] ^= 1 << (at & 7);
            assert!(!check(&wrong), "{level} {at}");
        }
    }
    for len in 0..HEAD + 1 {
        assert!(!check(&compressed[..len]), "{level}");
    }
    // -2048, which the encoding in 12 bits does not allow.
    constant_time[HEAD] = 0x80;
    constant_time[HEAD + 1] &= 15;
    assert!(!check(&constant_time), "{level}");
}

/// Coefficients of s1 beyond 840 are rejected even where the signature is short enough.
#[test]
fn fn_dsa_bounds_each_coefficient() {
    let [mut s1, s2] = short::<512>();
    let largest = FromLow::LARGEST as i16;
    for (level, at) in Level::available().flat_map(|level| [0, 77, 511].map(|at| (level, at))) {
        let before = s1[at];
        for (x, fn_dsa) in
            [(largest, true), (-largest, true), (largest + 1, false), (-largest - 1, false)]
        {
            s1[at] = x;
            let pk = level.with(|| key_for::<FnDsaDraft, 512>([&s1, &s2], b"text"));
            let signature = padded::<FnDsaDraft, 512>(&s2);
            let valid = verifies::<FnDsaDraft, 512>(level, 34_034_726, &pk, b"text", &signature);
            assert_eq!(valid, fn_dsa, "{level} {at} {x}");
            let pk = level.with(|| key_for::<Falcon, 512>([&s1, &s2], b"text"));
            let signature = padded::<Falcon, 512>(&s2);
            assert!(verifies::<Falcon, 512>(level, 34_034_726, &pk, b"text", &signature));
        }
        s1[at] = before;
    }
}

fn canonical<V: FalconVariant, const N: usize>(level: Level) {
    let header = N.ilog2() as u8;
    let mut pk = std::vec![0; 1 + N * 7 / 4];
    let parsed = |pk: &[u8]| {
        let mut key = FnDsaVerifyingKey::<N>::EMPTY;
        level.with(|| key.fill::<V>(pk)).is_some()
    };
    for first in 0..=255 {
        pk[0] = first;
        assert_eq!(parsed(&pk), first == header, "{level}");
    }
    pk[0] = header;
    // The first four coefficients, and the last four.
    for (at, i) in [1, pk.len() - 7].into_iter().flat_map(|at| [0, 1, 2, 3].map(|i| (at, i))) {
        for (x, good) in [(ring::Q - 1, true), (ring::Q, false), (0x3fff, false)] {
            let mut four = [0; 4];
            four[i] = x;
            ring::encode_14::<V::Format>(&four, &mut pk[at..at + 7]);
            assert_eq!(parsed(&pk), good, "{level} {at} {i} {x}");
        }
        pk[at..at + 7].fill(0);
    }
    assert!(parsed(&pk) && !parsed(&pk[..pk.len() - 1]) && !parsed(&[&pk[..], &[0]].concat()));
}
