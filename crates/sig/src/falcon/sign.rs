//! Signing: Falcon, Algorithms 2 and 10, with private keys from bytes.
use alloc::boxed::Box;

use oaklath_hash::sha3::Squeeze;
use oaklath_poly::q12289::{self as ring, Factor, NttPoly, Poly};
use oaklath_simd::ct::{self, Mask};
use oaklath_simd::{A64, F64s, Plain, Secret, Simd, secret, wipe};

use super::fft::{Parts, Reals, inverse_fft, load, plus, store, times};
use super::numbers::{Leaves, Numbers, Sampler};
use super::scheme::{Randomness, SECRET_HASH, Scheme};
use super::small::{self, Memory};
use super::tree::{self, Basis, Limits, Secrets, Sigmas, Tree};
use super::verify::{COMPRESSED, HEAD, NONCE, hash_to_point, header};
use super::walk;
use crate::message::Formatted;

/// The format of private keys, in their header.
const PRIVATE: u8 = 0x50;
/// The largest coefficient of G.
const LARGEST_G: i16 = 127;

/// Why bytes are not a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invalid {
    /// The header is of another format, or a coefficient is out of range.
    Encoding,
    /// f has no inverse, or G is not short, or f G - g F is not q.
    Inconsistent,
}

/// The largest squared norm of a signature that is given away: the `verification_bound` of today.
const fn signing_bound(n: usize) -> u64 {
    use oaklath_params::sig::{ID_FALCON_512, ID_FALCON_1024};
    let identity = if n == 512 { &ID_FALCON_512 } else { &ID_FALCON_1024 };
    identity.verification_bound.expect("every identity of Falcon has one") as u64
}

/// Whether a key that somebody brings is one, or an attempt gave a short vector, is public.
#[inline(always)]
pub(super) fn is(x: bool) -> bool {
    Mask::from_bit(u64::from(x)).declassify()
}

/// The bytes of a key, without what follows F.
pub(super) fn encode<P: Scheme, const N: usize>(parts: [&[i8]; 3], sk: &mut [u8]) {
    secret!(coefficients: Poly<N>);
    let (first, rest) = sk.split_first_mut().expect("a key begins with a header");
    *first = header::<N>(PRIVATE);
    let (f_bytes, F_bytes) = rest.split_at_mut(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at_mut(f_bytes.len() >> 1);
    for (part, bytes) in parts.into_iter().zip([f_bytes, g_bytes, F_bytes]) {
        coefficients.iter_mut().zip(part).for_each(|(to, from)| *to = i16::from(*from));
        if bytes.len() == N {
            ring::encode_signed::<P::Format, 8>(&coefficients[..], bytes);
        } else if N == 512 {
            ring::encode_signed::<P::Format, 6>(&coefficients[..], bytes);
        } else {
            ring::encode_signed::<P::Format, 5>(&coefficients[..], bytes);
        }
    }
}

/// f, g and F of the bytes of a key of the right length, and G, which is g F / f modulo q. What follows F in
/// the bytes is left alone. Out of line, so that its memory is gone when signing begins.
#[inline(never)]
pub(super) fn decode<S: Simd, P: Scheme, const N: usize>(
    s: S,
    sk: &[u8],
    secrets: &mut [Poly<N>; 4],
) -> Result<(), Invalid> {
    s.vectorize(
        #[inline(always)]
        || {
            if !is(read::<P, N>(sk, secrets)) {
                return Err(Invalid::Encoding);
            }
            let [f, g, F, G] = secrets;
            secret!(f_hat: NttPoly<N>, g_hat: NttPoly<N>, F_hat: NttPoly<N>, factor: Factor<N>);
            ring::ntt(s, f, f_hat);
            ring::ntt(s, g, g_hat);
            ring::ntt(s, F, F_hat);
            if is(ring::has_zero(s, f_hat)) {
                return Err(Invalid::Inconsistent);
            }
            secret!(quotient: NttPoly<N>);
            ring::divide(s, F_hat, f_hat, quotient);
            ring::prepare(s, quotient, factor);
            ring::multiply(s, g_hat, factor, F_hat);
            ring::inverse_ntt(s, F_hat, G);
            ring::centre(s, G);
            let largest = LARGEST_G as u16;
            let short = G.iter().fold(true, |short, x| short & (x.unsigned_abs() <= largest));
            if is(short) { Ok(()) } else { Err(Invalid::Inconsistent) }
        },
    )
}

/// f, g and F; whether the bytes are an encoding.
#[inline(always)]
fn read<P: Scheme, const N: usize>(sk: &[u8], [f, g, F, _]: &mut [Poly<N>; 4]) -> bool {
    let Some((first, rest)) = sk[..sk.len() - P::TAIL].split_first() else {
        return false;
    };
    let (f_bytes, F_bytes) = rest.split_at(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at(f_bytes.len() >> 1);
    let mut good = *first == header::<N>(PRIVATE);
    for (bytes, to) in [(f_bytes, f), (g_bytes, g)] {
        good &= if N == 512 {
            ring::decode_signed::<P::Format, 6>(bytes, &mut to[..])
        } else {
            ring::decode_signed::<P::Format, 5>(bytes, &mut to[..])
        };
    }
    good & ring::decode_signed::<P::Format, 8>(F_bytes, &mut F[..])
}

/// Whether f G - g F = q.
#[inline(always)]
pub(super) fn belong_together<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    [f, g, F, G]: &[Poly<N>; 4],
) -> bool {
    secret!(basis: Basis<A::Cell, N>);
    tree::basis::<S, A, N>(s, &Secrets { f, g, F, G }, basis);
    tree::is_ntru::<S, A, N>(s, basis)
}

/// h = g / f, of the bytes of a key: 0 <= h < q.
#[inline(always)]
pub(super) fn public<S: Simd, const N: usize>(s: S, [f, g, ..]: &[Poly<N>; 4], h: &mut Poly<N>) {
    secret!(f_hat: NttPoly<N>, g_hat: NttPoly<N>);
    ring::ntt(s, f, f_hat);
    ring::ntt(s, g, g_hat);
    secret!(h_hat: NttPoly<N>);
    ring::divide(s, g_hat, f_hat, h_hat);
    ring::divide_by_n(s, h_hat);
    ring::inverse_ntt(s, h_hat, h);
    ring::lift(s, h);
}

/// The hash of f and g of the bytes of a key of the right length.
fn hash_secret<P: Scheme, const N: usize>(sk: &[u8], hash: &mut [u8; SECRET_HASH]) {
    P::hash_secret(&sk[1..sk.len() - N - P::TAIL], hash);
}

/// Memory on the heap that is not cleared before use and is erased at the end of the scope.
macro_rules! secret_on_heap {
    ($($name:ident: $type:ty),* $(,)?) => { $(
        let mut memory = Box::<$type>::new_uninit();
        let mut memory = Secret::new(&mut *memory);
        let $name = &mut *memory;
    )* };
}

/// Nodes of the walk, polynomials of doubles.
type Cells<C, const COUNT: usize, const N: usize> = A64<[[C; N]; COUNT]>;

/// Signs in little memory with the bytes of a key of the right length. Some 26 kilobytes of it are on the
/// heap: the Gram matrix, and of degree 512 what the walk splits off, too.
#[inline(always)]
pub(super) fn sign_low_memory<S: Simd, A: Numbers<S>, P: Scheme, const N: usize>(
    s: S,
    sk: &[u8],
    message: &Formatted<'_>,
    coins: &[u8],
    out: &mut [u8],
) -> Result<usize, Invalid> {
    secret!(secrets: [Poly<N>; 4], t: Cells<A::Cell, 2, N>, hash: [u8; SECRET_HASH]);
    secret_on_heap!(c: Poly<N>, gram: Cells<A::Cell, 3, N>);
    decode::<S, P, N>(s, sk, secrets)?;
    hash_secret::<P, N>(sk, hash);
    let mut randomness = Randomness::empty();
    P::begin(&mut randomness, coins, hash, message);
    if N == 512 {
        secret_on_heap!(work: Cells<A::Cell, 3, N>);
        let memory = Memory { t, gram, work };
        attempts::<S, A, P, N>(s, secrets, memory, &mut randomness, (message, c), out)
    } else {
        secret!(work: Cells<A::Cell, 3, N>);
        let memory = Memory { t, gram, work };
        attempts::<S, A, P, N>(s, secrets, memory, &mut randomness, (message, c), out)
    }
}

/// Attempts until a signature is short in both senses.
#[inline(always)]
fn attempts<S: Simd, A: Numbers<S>, P: Scheme, const N: usize>(
    s: S,
    secrets: &[Poly<N>; 4],
    mut memory: Memory<'_, A::Cell, N>,
    randomness: &mut Randomness,
    (message, c): (&Formatted<'_>, &mut Poly<N>),
    out: &mut [u8],
) -> Result<usize, Invalid> {
    secret!(s2: Poly<N>);
    for number in 0..P::ATTEMPTS {
        P::attempt(randomness, number);
        let Randomness { nonce, stream, .. } = &mut *randomness;
        hash_to_point::<S, P::Format, N>(s, nonce, message, c);
        let short = small::attempt::<S, A, P, N>(s, secrets, &mut memory, stream, c, s2);
        if short.ok_or(Invalid::Inconsistent)?
            && let Some(len) = encode_signature::<S, P, N>(s, nonce, s2, out)
        {
            return Ok(len);
        }
    }
    Err(Invalid::Inconsistent)
}

/// A compressed signature, if it fits. Returns its length.
#[inline(always)]
fn encode_signature<S: Simd, P: Scheme, const N: usize>(
    s: S,
    nonce: &[u8; NONCE],
    s2: &mut Poly<N>,
    out: &mut [u8],
) -> Option<usize> {
    // What is short enough is given away, but if it does not fit: then another is.
    ct::declassify_all(&mut s2[..]);
    let (head, rest) = out.split_at_mut(HEAD);
    head[0] = header::<N>(COMPRESSED);
    head[1..].copy_from_slice(nonce);
    let len = ring::encode_compressed_vartime::<S, P::Format>(s, &s2[..], rest)?;
    if P::PADDED {
        rest[len..].fill(0);
        return Some(out.len());
    }
    Some(HEAD + len)
}

/// An expanded key: four polynomials, a tree, and its leaves.
pub(super) struct Expanded<C: Plain, const N: usize> {
    basis: Basis<C, N>,
    tree: Tree<C, N>,
    sigmas: Sigmas<C, N>,
    limits: Limits<N>,
    /// Of f and g, where signatures take it.
    hash: [u8; SECRET_HASH],
}

impl<C: Plain + Copy, const N: usize> Expanded<C, N> {
    /// Made where it stays, and filled there.
    #[inline(always)]
    pub(super) fn empty(zero: C) -> Self {
        let zeros = Reals::new([zero; N]);
        let limits = Limits::new([[0.0; 4]; N]);
        let hash = [0; SECRET_HASH];
        Self { basis: [zeros; _], tree: [zeros; _], sigmas: zeros, limits, hash }
    }

    /// Of the bytes of a key of the right length.
    #[inline(always)]
    pub(super) fn fill<S: Simd, A: Numbers<S, Cell = C>, P: Scheme>(
        &mut self,
        s: S,
        sk: &[u8],
    ) -> Result<(), Invalid> {
        secret!(secrets: [Poly<N>; 4]);
        decode::<S, P, N>(s, sk, secrets)?;
        hash_secret::<P, N>(sk, &mut self.hash);
        let [f, g, F, G] = &*secrets;
        tree::basis::<S, A, N>(s, &Secrets { f, g, F, G }, &mut self.basis);
        let (tree, sigmas) = (&mut self.tree, &mut self.sigmas);
        let good = tree::is_ntru::<S, A, N>(s, &self.basis)
            && tree::grow::<S, A, N>(s, &self.basis, tree, sigmas);
        if !good {
            return Err(Invalid::Inconsistent);
        }
        A::limits(s, &sigmas[..], tree::sigma_min(N), &mut self.limits[..]);
        Ok(())
    }

    /// Signs with given randomness. Returns the length of the signature, which is as long as `out` or
    /// shorter: attempts go on until one is short in both senses. Half of the memory is on the heap.
    #[inline(always)]
    pub(super) fn sign<S: Simd, A: Numbers<S, Cell = C>, P: Scheme>(
        &self,
        s: S,
        message: &Formatted<'_>,
        coins: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Invalid> {
        secret!(c: Poly<N>, s2: Poly<N>);
        secret_on_heap!(work: [Reals<C, N>; 4]);
        let mut randomness = Randomness::empty();
        P::begin(&mut randomness, coins, &self.hash, message);
        for number in 0..P::ATTEMPTS {
            P::attempt(&mut randomness, number);
            let Randomness { nonce, stream, .. } = &mut randomness;
            hash_to_point::<S, P::Format, N>(s, nonce, message, c);
            if self.attempt::<S, A, P>(s, stream, c, s2, work)
                && let Some(len) = encode_signature::<S, P, N>(s, nonce, s2, out)
            {
                return Ok(len);
            }
        }
        Err(Invalid::Inconsistent)
    }

    /// One attempt, in memory for what the walk splits off. Whether (s1, s2) is short enough.
    #[inline(never)]
    fn attempt<S: Simd, A: Numbers<S, Cell = C>, P: Scheme>(
        &self,
        s: S,
        stream: &mut Squeeze<136>,
        c: &Poly<N>,
        s2: &mut Poly<N>,
        work: &mut [Reals<C, N>; 4],
    ) -> bool {
        s.vectorize(
            #[inline(always)]
            || {
                secret!(t: [Reals<C, N>; 2], z: [Reals<C, N>; 2]);
                let [b00, b01, b10, b11] = &self.basis;
                let [t0, t1] = &mut *t;
                target::<S, A, N>(s, c, [b01, b11], [t0, t1]);
                let leaves = Leaves { sigmas: &self.sigmas[..], limits: &self.limits[..] };
                let mut sampler = A::Sampler::<P::Source<S>>::empty(s, tree::sigma_min(N));
                sampler.start(stream);
                walk::sample::<S, A, _, N>(s, (&self.tree, &leaves), &mut sampler, t, z, work);
                let ([z0, z1], [x, y]) = (&*z, t);
                combine::<S, A, N>(s, [z0, z1], [b00, b10], x);
                combine::<S, A, N>(s, [z0, z1], [b01, b11], y);
                secret!(s1: Poly<N>);
                rounded::<S, A, N>(s, x, s1);
                rounded::<S, A, N>(s, y, s2);
                s1.iter_mut().zip(c.iter()).for_each(|(s1, c)| *s1 = c.wrapping_sub(*s1));
                s2.iter_mut().for_each(|s2| *s2 = s2.wrapping_neg());
                is(are_short::<P, N>(s1, s2))
            },
        )
    }
}

impl<C: Plain, const N: usize> Drop for Expanded<C, N> {
    fn drop(&mut self) {
        wipe(&mut self.basis);
        wipe(&mut self.tree);
        wipe(&mut self.sigmas);
        wipe(&mut self.limits);
        wipe(&mut self.hash);
    }
}

/// 1 / q.
const INV_Q: f64 = 1.0 / 12289.0;

/// (t0, t1) = (c, 0) B^-1 = (c b11, -c b01) / q, of the second column of the basis.
#[inline(always)]
pub(super) fn target<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    c: &Poly<N>,
    [b01, b11]: [&[A::Cell; N]; 2],
    [t0, t1]: [&mut [A::Cell; N]; 2],
) {
    tree::row::<S, A, N>(s, c, false, t0);
    let scale = |x: f64| A::Lanes::splat(s, A::constant(x));
    let (plus, minus) = (scale(INV_Q), scale(-INV_Q));
    let mut j = 0;
    while j < N >> 1 {
        let at = |x: &[A::Cell; N]| -> Parts<A::Lanes> { load(s, x, j) };
        let x = at(t0);
        let (a, b) = (times(x, at(b11)), times(x, at(b01)));
        store((a.0 * plus, a.1 * plus), t0, j);
        store((b.0 * minus, b.1 * minus), t1, j);
        j += A::Lanes::LANES;
    }
}

/// z0 x + z1 y, transformed back.
#[inline(always)]
pub(super) fn combine<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    [z0, z1]: [&[A::Cell; N]; 2],
    [x, y]: [&[A::Cell; N]; 2],
    sum: &mut [A::Cell; N],
) {
    let mut j = 0;
    while j < N >> 1 {
        let at = |x: &[A::Cell; N]| -> Parts<A::Lanes> { load(s, x, j) };
        store(plus(times(at(z0), at(x)), times(at(z1), at(y))), sum, j);
        j += A::Lanes::LANES;
    }
    inverse_fft::<S, A, N>(s, sum);
}

/// The coefficients of an inverse, which is N / 2 times too large, as the nearest integers.
#[inline(always)]
pub(super) fn rounded<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    from: &[A::Cell; N],
    to: &mut Poly<N>,
) {
    let scale = A::Lanes::splat(s, A::constant(const { 2.0 / N as f64 }));
    let mut i = 0;
    while i < N {
        (A::Lanes::load(s, &from[i..]) * scale).round(&mut to[i..]);
        i += A::Lanes::LANES;
    }
}

/// Whether (s1, s2) is short enough to be given away, but for coefficients of s2 that no encoding holds.
#[inline(always)]
pub(super) fn are_short<P: Scheme, const N: usize>(s1: &Poly<N>, s2: &Poly<N>) -> bool {
    let within = s1.iter().fold(true, |within, x| within & (x.unsigned_abs() <= P::LARGEST));
    within & (norm(s1) + norm(s2) <= const { signing_bound(N) })
}

/// The squared norm.
#[inline(always)]
fn norm<const N: usize>(f: &Poly<N>) -> u64 {
    f.iter().fold(0, |norm, x| norm + (i32::from(*x) * i32::from(*x)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::falcon::numbers::{Native, Numbers};
    use crate::falcon::scheme::Round3;
    use crate::falcon::tests::formatted;
    use crate::falcon::{FALCON_512, keypair};
    use crate::{Message, Signature};
    use oaklath_poly::q12289::FromHigh;
    use oaklath_simd::{Level, dispatch};
    use std::vec;

    /// A key expanded for deviations that are a tenth too large draws vectors of which half are too long:
    /// none of those is given away.
    #[test]
    fn signing_goes_on_until_a_signature_is_short() {
        let (mut pk, mut sk) = (vec![0; 897], vec![0; 1281]);
        keypair::<Round3, 512>(&[3; 48], &mut pk, &mut sk);
        for level in Level::available() {
            let mut key = Box::new(Expanded::<f64, 512>::empty(0.0));
            dispatch!(level, s => key.fill::<_, Native, Round3>(s, &sk)).unwrap();
            key.sigmas.iter_mut().for_each(|inverse| *inverse /= 1.1);
            let Expanded { sigmas, limits, .. } = &mut *key;
            let smallest = tree::sigma_min(512);
            dispatch!(level, s => Native::limits(s, &sigmas[..], smallest, &mut limits[..]));
            let mut refused = 0;
            for i in 0..40 {
                let (message, coins) = ([i; 20], [i; Round3::COINS]);
                let (mut c, mut s2) = (Poly::new([0; 512]), Poly::new([0; 512]));
                let mut work = Box::new([Reals::new([0.0; 512]); 4]);
                let mut randomness = Randomness::empty();
                Round3::begin(&mut randomness, &coins, &[0; SECRET_HASH], &formatted(&message));
                let Randomness { nonce, stream, .. } = &mut randomness;
                let first = dispatch!(level, s => {
                    hash_to_point::<_, FromHigh, 512>(s, nonce, &formatted(&message), &mut c);
                    key.attempt::<_, Native, Round3>(s, stream, &c, &mut s2, &mut work)
                });
                refused += usize::from(!first);
                let mut out = [0; 690];
                let len = dispatch!(level, s => key.sign::<_, Native, Round3>(
                    s,
                    &formatted(&message),
                    &coins,
                    &mut out
                ));
                let len = len.unwrap();
                let verified = FALCON_512.verify(&pk, &Message::new(&message), &out[..len]);
                assert_eq!(verified, Ok(()), "{level} {i}");
            }
            assert!((5..=35).contains(&refused), "{level}: {refused}");
        }
    }
}
