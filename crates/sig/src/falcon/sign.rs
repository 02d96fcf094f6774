//! Signing: Falcon, Algorithms 2 and 10, with private keys from bytes.
use alloc::boxed::Box;

use oaklath_hash::keccak::SUFFIX_SHAKE;
use oaklath_hash::sha3::Squeeze;
use oaklath_ring::q12289::{self as ring, Factor, NttPoly, Poly};
use oaklath_simd::ct::{self, Mask};
use oaklath_simd::{A64, F64s, Plain, Secret, Simd, secret, wipe};

use super::fft::{Parts, Reals, inverse_fft, load, plus, store, times};
use super::numbers::{Leaves, Numbers, Sampler};
use super::small::{self, Memory};
use super::tree::{self, Basis, Limits, Secrets, Sigmas, Tree};
use super::verify::{COMPRESSED, HEAD, NONCE, hash_to_point, header};
use super::{fft, walk};
use crate::message::Formatted;

/// The format of private keys, in their header.
const PRIVATE: u8 = 0x50;
/// Bytes of the seed of the sampler.
pub(super) const SAMPLER_SEED: usize = 48;
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
pub(super) const fn signing_bound(n: usize) -> u64 {
    use oaklath_params::sig::{ID_FALCON_512, ID_FALCON_1024};
    let identity = if n == 512 { &ID_FALCON_512 } else { &ID_FALCON_1024 };
    identity.verification_bound.expect("every identity of Falcon has one") as u64
}

/// Whether a key that somebody brings is one, or an attempt gave a short vector, is public.
#[inline(always)]
pub(super) fn is(x: bool) -> bool {
    Mask::from_bit(u64::from(x)).declassify()
}

/// The bytes of a key.
pub(super) fn encode<const N: usize>(parts: [&[i8]; 3], sk: &mut [u8]) {
    secret!(coefficients: Poly<N>);
    let (first, rest) = sk.split_first_mut().expect("a key begins with a header");
    *first = header::<N>(PRIVATE);
    let (f_bytes, F_bytes) = rest.split_at_mut(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at_mut(f_bytes.len() >> 1);
    for (part, bytes) in parts.into_iter().zip([f_bytes, g_bytes, F_bytes]) {
        coefficients.iter_mut().zip(part).for_each(|(to, from)| *to = i16::from(*from));
        if bytes.len() == N {
            ring::encode_signed::<8>(&coefficients[..], bytes);
        } else if N == 512 {
            ring::encode_signed::<6>(&coefficients[..], bytes);
        } else {
            ring::encode_signed::<5>(&coefficients[..], bytes);
        }
    }
}

/// f, g and F of the bytes of a key of the right length, and G, which is g F / f modulo q. Out of line, so
/// that its memory is gone when signing begins.
#[inline(never)]
pub(super) fn decode<S: Simd, const N: usize>(
    s: S,
    sk: &[u8],
    secrets: &mut [Poly<N>; 4],
) -> Result<(), Invalid> {
    s.vectorize(
        #[inline(always)]
        || {
            if !is(read(sk, secrets)) {
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
fn read<const N: usize>(sk: &[u8], [f, g, F, _]: &mut [Poly<N>; 4]) -> bool {
    let Some((first, rest)) = sk.split_first() else {
        return false;
    };
    let (f_bytes, F_bytes) = rest.split_at(rest.len() - N);
    let (f_bytes, g_bytes) = f_bytes.split_at(f_bytes.len() >> 1);
    let mut good = *first == header::<N>(PRIVATE);
    for (bytes, to) in [(f_bytes, f), (g_bytes, g)] {
        good &= if N == 512 {
            ring::decode_signed::<6>(bytes, &mut to[..])
        } else {
            ring::decode_signed::<5>(bytes, &mut to[..])
        };
    }
    good & ring::decode_signed::<8>(F_bytes, &mut F[..])
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
pub(super) fn sign_low_memory<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    sk: &[u8],
    message: &Formatted<'_>,
    (nonce, seed): (&[u8; NONCE], &[u8; SAMPLER_SEED]),
    out: &mut [u8],
) -> Result<usize, Invalid> {
    secret!(secrets: [Poly<N>; 4], t: Cells<A::Cell, 2, N>);
    secret_on_heap!(c: Poly<N>, gram: Cells<A::Cell, 3, N>);
    decode(s, sk, secrets)?;
    hash_to_point(s, nonce, message, c);
    let mut stream = Squeeze::empty();
    stream.restart::<SUFFIX_SHAKE>(&[seed]);
    let from = (nonce, &mut stream);
    if N == 512 {
        secret_on_heap!(work: Cells<A::Cell, 3, N>);
        attempts::<S, A, N>(s, secrets, Memory { t, gram, work }, from, c, out)
    } else {
        secret!(work: Cells<A::Cell, 3, N>);
        attempts::<S, A, N>(s, secrets, Memory { t, gram, work }, from, c, out)
    }
}

/// Attempts until a signature is short in both senses.
#[inline(always)]
fn attempts<S: Simd, A: Numbers<S>, const N: usize>(
    s: S,
    secrets: &[Poly<N>; 4],
    mut memory: Memory<'_, A::Cell, N>,
    (nonce, stream): (&[u8; NONCE], &mut Squeeze<136>),
    c: &Poly<N>,
    out: &mut [u8],
) -> Result<usize, Invalid> {
    secret!(s2: Poly<N>);
    loop {
        let short = small::attempt::<S, A, N>(s, secrets, &mut memory, stream, c, s2);
        if short.ok_or(Invalid::Inconsistent)?
            && let Some(len) = encode_signature(s, nonce, s2, out)
        {
            return Ok(len);
        }
    }
}

/// A compressed signature, if it fits. Returns its length.
#[inline(always)]
fn encode_signature<S: Simd, const N: usize>(
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
    Some(HEAD + ring::encode_compressed_vartime(s, &s2[..], rest)?)
}

/// An expanded key: four polynomials, a tree, and its leaves.
pub(super) struct Expanded<C: Plain, const N: usize> {
    basis: Basis<C, N>,
    tree: Tree<C, N>,
    sigmas: Sigmas<C, N>,
    limits: Limits<N>,
}

impl<C: Plain + Copy, const N: usize> Expanded<C, N> {
    /// Made where it stays, and filled there.
    #[inline(always)]
    pub(super) fn empty(zero: C) -> Self {
        let zeros = Reals::new([zero; N]);
        let limits = Limits::new([[0.0; 4]; N]);
        Self { basis: [zeros; _], tree: [zeros; _], sigmas: zeros, limits }
    }

    /// Of the bytes of a key of the right length.
    #[inline(always)]
    pub(super) fn fill<S: Simd, A: Numbers<S, Cell = C>>(
        &mut self,
        s: S,
        sk: &[u8],
    ) -> Result<(), Invalid> {
        secret!(secrets: [Poly<N>; 4]);
        decode(s, sk, secrets)?;
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

    /// Signs with a nonce and a seed. Returns the length of the signature, which is as long as `out` or
    /// shorter: attempts go on until one is short in both senses. Half of the memory is on the heap.
    #[inline(always)]
    pub(super) fn sign<S: Simd, A: Numbers<S, Cell = C>>(
        &self,
        s: S,
        message: &Formatted<'_>,
        (nonce, seed): (&[u8; NONCE], &[u8; SAMPLER_SEED]),
        out: &mut [u8],
    ) -> usize {
        secret!(c: Poly<N>, s2: Poly<N>);
        hash_to_point(s, nonce, message, c);
        let mut stream = Squeeze::empty();
        stream.restart::<SUFFIX_SHAKE>(&[seed]);
        secret_on_heap!(work: [Reals<C, N>; 4]);
        loop {
            if self.attempt::<S, A>(s, &mut stream, c, s2, work)
                && let Some(len) = encode_signature(s, nonce, s2, out)
            {
                return len;
            }
        }
    }

    /// One attempt, in memory for what the walk splits off. Whether (s1, s2) is short enough.
    #[inline(never)]
    fn attempt<S: Simd, A: Numbers<S, Cell = C>>(
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
                self.target::<S, A>(s, c, t);
                let leaves = Leaves { sigmas: &self.sigmas[..], limits: &self.limits[..] };
                let mut sampler = A::Sampler::empty(s, tree::sigma_min(N));
                sampler.start(stream);
                walk::sample::<S, A, N>(s, (&self.tree, &leaves), &mut sampler, t, z, work);
                self.times_basis::<S, A>(s, z, t);
                let [x, y] = t;
                inverse_fft::<S, A, N>(s, x);
                inverse_fft::<S, A, N>(s, y);
                secret!(s1: Poly<N>);
                rounded::<S, A, N>(s, x, s1);
                rounded::<S, A, N>(s, y, s2);
                s1.iter_mut().zip(c.iter()).for_each(|(s1, c)| *s1 = c.wrapping_sub(*s1));
                s2.iter_mut().for_each(|s2| *s2 = s2.wrapping_neg());
                is(norm(s1) + norm(s2) <= const { signing_bound(N) })
            },
        )
    }

    /// (t0, t1) = (c, 0) B^-1 = (c b11, -c b01) / q.
    #[inline(always)]
    fn target<S: Simd, A: Numbers<S, Cell = C>>(
        &self,
        s: S,
        c: &Poly<N>,
        [t0, t1]: &mut [Reals<C, N>; 2],
    ) {
        tree::widen::<S, A, N>(s, c, t0);
        fft::fft::<S, A, N>(s, t0);
        let [_, b01, _, b11] = &self.basis;
        let scale = |x: f64| A::Lanes::splat(s, A::constant(x));
        let (plus, minus) = (scale(INV_Q), scale(-INV_Q));
        let mut j = 0;
        while j < N >> 1 {
            let at = |x: &Reals<C, N>| load::<S, A::Lanes>(s, &x[..], j);
            let x = at(t0);
            let (a, b) = (times(x, at(b11)), times(x, at(b01)));
            store((a.0 * plus, a.1 * plus), &mut t0[..], j);
            store((b.0 * minus, b.1 * minus), &mut t1[..], j);
            j += A::Lanes::LANES;
        }
    }

    /// (z0, z1) B.
    #[inline(always)]
    fn times_basis<S: Simd, A: Numbers<S, Cell = C>>(
        &self,
        s: S,
        [z0, z1]: &[Reals<C, N>; 2],
        [x, y]: &mut [Reals<C, N>; 2],
    ) {
        let [b00, b01, b10, b11] = &self.basis;
        let mut j = 0;
        while j < N >> 1 {
            let at = |x: &Reals<C, N>| -> Parts<A::Lanes> { load(s, &x[..], j) };
            let (a, b) = (at(z0), at(z1));
            store(plus(times(a, at(b00)), times(b, at(b10))), &mut x[..], j);
            store(plus(times(a, at(b01)), times(b, at(b11))), &mut y[..], j);
            j += A::Lanes::LANES;
        }
    }
}

impl<C: Plain, const N: usize> Drop for Expanded<C, N> {
    fn drop(&mut self) {
        wipe(&mut self.basis);
        wipe(&mut self.tree);
        wipe(&mut self.sigmas);
        wipe(&mut self.limits);
    }
}

/// 1 / q.
pub(super) const INV_Q: f64 = 1.0 / 12289.0;

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

/// The squared norm.
#[inline(always)]
pub(super) fn norm<const N: usize>(f: &Poly<N>) -> u64 {
    f.iter().fold(0, |norm, x| norm + (i32::from(*x) * i32::from(*x)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::falcon::numbers::{Native, Numbers};
    use crate::falcon::verify::tests::formatted;
    use crate::falcon::{FALCON_512, keypair};
    use crate::{Message, Signature};
    use oaklath_simd::{Level, dispatch};
    use std::vec;

    /// A key expanded for deviations that are a tenth too large draws vectors of which half are too long:
    /// none of those is given away.
    #[test]
    fn signing_goes_on_until_a_signature_is_short() {
        let (mut pk, mut sk) = (vec![0; 897], vec![0; 1281]);
        keypair::<512>(&[3; 48], &mut pk, &mut sk);
        for level in Level::available() {
            let mut key = Box::new(Expanded::<f64, 512>::empty(0.0));
            dispatch!(level, s => key.fill::<_, Native>(s, &sk)).unwrap();
            key.sigmas.iter_mut().for_each(|inverse| *inverse /= 1.1);
            let Expanded { sigmas, limits, .. } = &mut *key;
            let smallest = tree::sigma_min(512);
            dispatch!(level, s => Native::limits(s, &sigmas[..], smallest, &mut limits[..]));
            let mut refused = 0;
            for i in 0..40 {
                let (message, nonce, seed) = ([i; 20], [i; NONCE], [i; SAMPLER_SEED]);
                let (mut c, mut s2) = (Poly::new([0; 512]), Poly::new([0; 512]));
                let mut work = Box::new([Reals::new([0.0; 512]); 4]);
                let mut stream = Squeeze::empty();
                stream.restart::<SUFFIX_SHAKE>(&[&seed]);
                let first = dispatch!(level, s => {
                    hash_to_point(s, &nonce, &formatted(&message), &mut c);
                    key.attempt::<_, Native>(s, &mut stream, &c, &mut s2, &mut work)
                });
                refused += usize::from(!first);
                let mut out = [0; 690];
                let len = dispatch!(level, s => key.sign::<_, Native>(
                    s,
                    &formatted(&message),
                    (&nonce, &seed),
                    &mut out
                ));
                let verified = FALCON_512.verify(&pk, &Message::new(&message), &out[..len]);
                assert_eq!(verified, Ok(()), "{level} {i}");
            }
            assert!((5..=35).contains(&refused), "{level}: {refused}");
        }
    }
}
