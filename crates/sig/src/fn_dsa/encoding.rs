//! The bytes of keys and signatures (Falcon, section 3.11), and the hash of a message to a point.
use oaklath_hash::lanes::{Lanes4, ROW};
use oaklath_hash::sha3::Shake256;
use oaklath_poly::q12289::{self as ring, BLOCK, Factor, Format, NttPoly, Poly};
use oaklath_simd::{ct, dispatch, scratch, secret};

use super::variant::{FalconVariant, NONCE, SECRET_HASH};
use crate::error::Error;
use crate::message::Formatted;

/// Bytes of the header and the nonce of a signature.
pub(super) const HEAD: usize = 1 + NONCE;
/// Formats of signatures: a header holds log2 n in its lower half and the format in its upper half.
const COMPRESSED: u8 = 0x30;
const CONSTANT_TIME: u8 = 0x50;
/// The format in the header of a private key.
const PRIVATE: u8 = 0x50;
/// The largest absolute value of a coefficient of G.
const LARGEST_G: u16 = 127;

/// Returns the header of a format.
const fn header<const N: usize>(format: u8) -> u8 {
    format | N.ilog2() as u8
}

/// `HashToPoint`: Falcon, Algorithm 3, in variable time, as in the reference of the known answers
/// (`hash_to_point_vartime`). The time depends on how many numbers are rejected, which reveals no
/// more of the message than a hash of it. 0 <= c < q.
pub(super) fn hash_to_point<F: Format>(
    nonce: &[u8; NONCE],
    message: &Formatted<'_>,
    c: &mut [i16],
) {
    let mut stream = absorb_message(nonce, message).finish();
    dispatch!(s => {
        let (mut block, mut n) = ([0; BLOCK], 0);
        while n < c.len() {
            stream.read(&mut block);
            n = ring::reject_block_vartime::<_, F>(s, &block, c, n);
        }
    });
}

/// What is hashed to a point.
fn absorb_message(nonce: &[u8; NONCE], message: &Formatted<'_>) -> Shake256 {
    let mut hash = Shake256::new().chain(nonce);
    message.pieces().for_each(|piece| hash.absorb(piece));
    hash
}

/// The state of [`hash_to_point`] before the last permutation of what it absorbs, with the nonce of
/// a signature. If the signature has none, it is not valid, and its point is not needed.
pub(super) fn padded_state(signature: &[u8], message: &Formatted<'_>) -> [u64; 25] {
    let nonce = signature.get(1..).and_then(|rest| rest.first_chunk());
    absorb_message(nonce.unwrap_or(&[0; NONCE]), message).pad()
}

/// [`hash_to_point`] of at most eight messages side by side.
pub(super) fn hash_to_points<F: Format>(states: &[[u64; 25]], points: &mut [&mut [i16]]) {
    dispatch!(s => {
        let (mut first, mut second) = (Lanes4::new(s), Lanes4::new(s));
        let (low, high) = states.split_at(states.len().min(4));
        low.iter().enumerate().for_each(#[inline(always)] |(i, state)| first.replace(i, state));
        high.iter().enumerate().for_each(#[inline(always)] |(i, state)| second.replace(i, state));
        let (mut rows, mut counts) = ([[[0; ROW]; 4]; 2], [0; 8]);
        let counts = &mut counts[..states.len()];
        while counts.iter().zip(&*points).any(#[inline(always)] |(n, point)| *n < point.len()) {
            first.permute_first(&mut second, states.len());
            first.squeeze(&mut rows[0]);
            second.squeeze(&mut rows[1]);
            let rows = rows.as_flattened().iter();
            for ((point, n), row) in points.iter_mut().zip(&mut *counts).zip(rows) {
                let block = row.first_chunk().expect("a block of each row");
                if *n < point.len() {
                    *n = ring::reject_block_vartime::<_, F>(s, block, point, *n);
                }
            }
        }
    });
}

/// Transforms h, with 0 <= h < q on entry; h is overwritten.
fn transform<const N: usize>(h: &mut Poly<N>, h_hat: &mut NttPoly<N>) {
    dispatch!(s => {
        ring::centre(s, h);
        ring::ntt(s, h, h_hat);
    });
}

/// Writes a public key. 0 <= h < q on entry; h is overwritten.
pub(super) fn encode_public<V: FalconVariant, const N: usize>(h: &mut Poly<N>, pk: &mut [u8]) {
    pk[0] = header::<N>(0);
    if V::TRANSFORMED {
        scratch!(h_hat: NttPoly<N>);
        transform(h, h_hat);
        dispatch!(s => ring::lift(s, h_hat));
        ring::encode_14::<V::Format>(&h_hat[..], &mut pk[1..]);
    } else {
        ring::encode_14::<V::Format>(&h[..], &mut pk[1..]);
    }
}

/// Decodes a public key of the right length: a header without format, and h or its values. Writes
/// h transformed, or returns `None` if the encoding is invalid.
pub(super) fn decode_public<V: FalconVariant, const N: usize>(
    pk: &[u8],
    h_hat: &mut NttPoly<N>,
) -> Option<()> {
    let (first, h_bytes) = pk.split_first()?;
    if *first != header::<N>(0) {
        return None;
    }
    if V::TRANSFORMED {
        return dispatch!(s => ring::decode_14_vartime::<_, V::Format>(s, h_bytes, &mut h_hat[..]));
    }
    scratch!(h: Poly<N>);
    dispatch!(s => ring::decode_14_vartime::<_, V::Format>(s, h_bytes, &mut h[..]))?;
    transform(h, h_hat);
    Some(())
}

/// Writes the encoding of a private key up to F. Out of line, since key generation goes deeper.
#[inline(never)]
pub(super) fn encode_private<V: FalconVariant, const N: usize>(parts: [&[i8]; 3], sk: &mut [u8]) {
    secret!(coefficients: Poly<N>);
    let (first, rest) = sk.split_first_mut().expect("a key begins with a header");
    *first = header::<N>(PRIVATE);
    let (f_bytes, F_bytes) = rest.split_at_mut(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at_mut(f_bytes.len() >> 1);
    for (part, bytes) in parts.into_iter().zip([f_bytes, g_bytes, F_bytes]) {
        coefficients.iter_mut().zip(part).for_each(|(to, from)| *to = i16::from(*from));
        if bytes.len() == N {
            ring::encode_signed::<V::Format, 8>(&coefficients[..], bytes);
        } else if N == 512 {
            ring::encode_signed::<V::Format, 6>(&coefficients[..], bytes);
        } else {
            ring::encode_signed::<V::Format, 5>(&coefficients[..], bytes);
        }
    }
}

/// Decodes f, g and F of a private key of the right length, and computes G = g F / f modulo q.
/// Ignores the bytes after F. Out of line, so that its stack is released before signing.
#[inline(never)]
pub(super) fn decode_private<V: FalconVariant, const N: usize>(
    sk: &[u8],
    secrets: &mut [Poly<N>; 4],
) -> Result<(), Error> {
    if !ct::declassify_bool(read_private::<V, N>(sk, secrets)) {
        return Err(Error::SecretKeyEncoding);
    }
    if complete(secrets) { Ok(()) } else { Err(Error::SecretKeyInconsistent) }
}

/// Computes G = g F / f modulo q. Returns whether f has an inverse and G is short, which is public.
fn complete<const N: usize>([f, g, F, G]: &mut [Poly<N>; 4]) -> bool {
    dispatch!(s => {
        secret!(f_hat: NttPoly<N>, g_hat: NttPoly<N>, F_hat: NttPoly<N>, factor: Factor<N>);
        ring::ntt(s, f, f_hat);
        ring::ntt(s, g, g_hat);
        ring::ntt(s, F, F_hat);
        if ct::declassify_bool(ring::has_zero(s, f_hat)) {
            return false;
        }
        secret!(quotient: NttPoly<N>);
        ring::divide(s, F_hat, f_hat, quotient);
        ring::prepare(s, quotient, factor);
        ring::multiply(s, g_hat, factor, F_hat);
        ring::inverse_ntt(s, F_hat, G);
        ring::centre(s, G);
        let short = G.iter().fold(true, |short, x| short & (x.unsigned_abs() <= LARGEST_G));
        ct::declassify_bool(short)
    })
}

/// Decodes f, g and F; returns whether the encoding is valid.
fn read_private<V: FalconVariant, const N: usize>(
    sk: &[u8],
    [f, g, F, _]: &mut [Poly<N>; 4],
) -> bool {
    let Some((first, rest)) = sk[..sk.len() - V::TAIL].split_first() else {
        return false;
    };
    let (f_bytes, F_bytes) = rest.split_at(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at(f_bytes.len() >> 1);
    let mut good = *first == header::<N>(PRIVATE);
    for (bytes, to) in [(f_bytes, f), (g_bytes, g)] {
        good &= if N == 512 {
            ring::decode_signed::<V::Format, 6>(bytes, &mut to[..])
        } else {
            ring::decode_signed::<V::Format, 5>(bytes, &mut to[..])
        };
    }
    good & ring::decode_signed::<V::Format, 8>(F_bytes, &mut F[..])
}

/// Returns the end of a private key: the hash of the public key, empty for Falcon.
pub(super) fn tail<V: FalconVariant>(sk: &[u8]) -> &[u8] {
    &sk[sk.len() - V::TAIL..]
}

/// Writes the hash of f and g of a private key of the right length.
pub(super) fn hash_secret<V: FalconVariant, const N: usize>(
    sk: &[u8],
    hash: &mut [u8; SECRET_HASH],
) {
    V::hash_secret(&sk[1..sk.len() - N - V::TAIL], hash);
}

/// Writes a compressed signature and returns its length, or `None` if it does not fit.
pub(super) fn encode_signature<V: FalconVariant, const N: usize>(
    nonce: &[u8; NONCE],
    s2: &mut Poly<N>,
    out: &mut [u8],
) -> Option<usize> {
    // A short s2 is published, unless it does not fit: then another one is.
    ct::declassify_all(&mut s2[..]);
    let (head, rest) = out.split_at_mut(HEAD);
    head[0] = header::<N>(COMPRESSED);
    head[1..].copy_from_slice(nonce);
    let len = dispatch!(s => ring::encode_compressed_vartime::<_, V::Format>(s, &s2[..], rest))?;
    if V::PADDED {
        rest[len..].fill(0);
        return Some(out.len());
    }
    Some(HEAD + len)
}

/// Returns the nonce of a signature and writes s2. Returns `None` unless the encoding is the only
/// one of its format: compressed; compressed and padded with zeros to the length `padded`; or 12
/// bits a coefficient. FN-DSA has the second format only.
pub(super) fn decode_signature<'a, V: FalconVariant, const N: usize>(
    signature: &'a [u8],
    padded: usize,
    s2: &mut Poly<N>,
) -> Option<&'a [u8; NONCE]> {
    let (first, rest) = signature.split_first()?;
    let (nonce, s2_bytes) = rest.split_first_chunk()?;
    if *first == header::<N>(COMPRESSED) {
        let s2 = &mut s2[..];
        let len = dispatch!(s => ring::decode_compressed_vartime::<_, V::Format>(s, s2_bytes, s2))?;
        let zeros = &s2_bytes[len..];
        let good = !V::PADDED && zeros.is_empty()
            || signature.len() == padded && zeros.iter().all(|b| *b == 0);
        good.then_some(nonce)
    } else if !V::PADDED && *first == header::<N>(CONSTANT_TIME) && s2_bytes.len() << 3 == 12 * N {
        ring::decode_signed::<V::Format, 12>(s2_bytes, &mut s2[..]).then_some(nonce)
    } else {
        None
    }
}
