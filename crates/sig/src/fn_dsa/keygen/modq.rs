//! Quotients modulo q = 12289 and x^n + 1: the public key h = g / f.
use alloc::vec;
use alloc::vec::Vec;

use oaklath_simd::ct::Mask;
use oaklath_simd::dispatch;
use zeroize::Zeroizing;

use super::sizes::Q;

/// 11^6 2^16 modulo q: 11 has order q - 1 = 12288, so 11^6 has order 2048.
const ROOT: u32 = 6012;
/// `-1 / q` modulo 2^16.
const NEGATIVE_INVERSE: u32 = 12287;

/// Returns `a b / 2^16` modulo q, for factors below q.
#[inline(always)]
const fn montgomery(a: u32, b: u32) -> u32 {
    let product = a * b;
    let multiple = (product.wrapping_mul(NEGATIVE_INVERSE) & 0xFFFF) * Q;
    let x = (product + multiple) >> 16;
    below(x.wrapping_sub(Q))
}

/// Adds q to a negative number.
#[inline(always)]
const fn below(x: u32) -> u32 {
    x.wrapping_add(Q & ((x as i32 >> 31) as u32))
}

/// 11^(6 rev(i)) 2^16, with 10 bits reversed.
static ROOTS: [u16; 1024] = {
    let mut roots = [0; 1024];
    // 2^16 modulo q.
    let mut power = (1 << 16) - 5 * Q;
    let mut i: usize = 0;
    while i < 1024 {
        roots[((i as u16).reverse_bits() >> 6) as usize] = power as u16;
        power = montgomery(power, ROOT);
        i += 1;
    }
    roots
};

/// Writes g / f, each coefficient in `0..q`. Returns false if f has no inverse, which is public.
pub(super) fn quotient(g: &[i8], f: &[i8], out: &mut [u16]) -> bool {
    let load = |f: &[i8]| -> Zeroizing<Vec<u32>> {
        let mut a: Zeroizing<Vec<u32>> =
            Zeroizing::new(f.iter().map(|x| below(i32::from(*x) as u32)).collect());
        ntt(&mut a);
        a
    };
    let (mut g, f) = (load(g), load(f));
    dispatch!(_s => {
        multiply_by_inverse(&mut g, &f);
        inverse_ntt(&mut g);
    });
    out.iter_mut().zip(g.iter()).for_each(|(out, x)| *out = *x as u16);
    let zeros = f.iter().fold(0, |zeros, x| zeros | x.wrapping_sub(1) >> 31);
    !Mask::from_bit(u64::from(zeros)).declassify()
}

/// Evaluates at the roots of x^n + 1. Out of line.
#[inline(never)]
fn ntt(a: &mut [u32]) {
    dispatch!(_s => {
        let (mut blocks, mut len) = (1, a.len());
        while len > 1 {
            for (i, root) in ROOTS[blocks..2 * blocks].iter().enumerate() {
                let (x, y) = a[i * len..(i + 1) * len].split_at_mut(len >> 1);
                for (x, y) in x.iter_mut().zip(y) {
                    let z = montgomery(*y, u32::from(*root));
                    (*x, *y) = (below((*x + z).wrapping_sub(Q)), below(x.wrapping_sub(z)));
                }
            }
            (blocks, len) = (2 * blocks, len >> 1);
        }
    });
}

#[inline(always)]
fn inverse_ntt(a: &mut [u32]) {
    let (mut blocks, mut len) = (a.len() >> 1, 2);
    while blocks > 0 {
        // The inverse of root i of m is the negative of root m - 1 - i.
        for (i, root) in ROOTS[blocks..2 * blocks].iter().rev().enumerate() {
            let (x, y) = a[i * len..(i + 1) * len].split_at_mut(len >> 1);
            for (x, y) in x.iter_mut().zip(y) {
                let difference = below(y.wrapping_sub(*x));
                *x = below((*x + *y).wrapping_sub(Q));
                *y = montgomery(difference, u32::from(*root));
            }
        }
        (blocks, len) = (blocks >> 1, 2 * len);
    }
    // 2^16 / n.
    let scale = (1 << 16) >> a.len().ilog2();
    a.iter_mut().for_each(|x| *x = montgomery(*x, scale));
}

/// Computes g f^(q-2). The exponent has 14 bits, all ones except the second from the top.
#[inline(always)]
fn multiply_by_inverse(g: &mut [u32], f: &[u32]) {
    const EXPONENT: u32 = Q - 2;
    let mut power = Zeroizing::new(vec![0; f.len()]);
    power.copy_from_slice(f);
    let mut bit = EXPONENT.ilog2();
    // `power` is f^e 2^(-16 (e - 1)), with e the bits of the exponent so far.
    while bit > 0 {
        bit -= 1;
        let multiply = EXPONENT >> bit & 1 == 1;
        for (power, f) in power.iter_mut().zip(f) {
            *power = montgomery(*power, *power);
            if multiply {
                *power = montgomery(*power, *f);
            }
        }
    }
    // The products contribute q - 1 factors of 2^-16, which cancel (Fermat): q - 3 in the power and
    // two below.
    for (g, power) in g.iter_mut().zip(power.iter()) {
        *g = montgomery(montgomery(*g, *power), 1);
    }
}
