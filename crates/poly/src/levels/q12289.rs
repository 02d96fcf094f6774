use std::vec;
use std::vec::Vec;

use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::dispatch;

use super::{FEW, narrow};
use crate::q12289::{
    BLOCK, Factor, Format, FromHigh, FromLow, NttPoly, Poly, Q, centre, decode_14_vartime,
    decode_compressed_vartime, difference_is_within, difference_norm, divide, divide_by_n,
    encode_14, encode_compressed_vartime, has_zero, inverse_ntt, lift, multiply, ntt, prepare,
    reject_block_vartime, square_norm,
};

fn transforms<const N: usize>(inputs: &mut Inputs) -> [[i16; N]; 2] {
    let (f, g_hat) = (narrow(inputs, -9560, 9560), narrow(inputs, -13653, 13653));
    let (mut f_hat, mut g) = (NttPoly::<N>::new([0; N]), Poly::<N>::new([0; N]));
    dispatch!(s => ntt(s, &f, &mut f_hat));
    dispatch!(s => inverse_ntt(s, &g_hat, &mut g));
    [*f_hat, *g]
}

#[test]
fn transforms_same_at_every_level() {
    same_at_every_level("q12289 ntt 512", FEW, transforms::<512>);
    same_at_every_level("q12289 ntt 1024", FEW, transforms::<1024>);
}

fn any<const N: usize>(inputs: &mut Inputs) -> NttPoly<N> {
    narrow(inputs, i16::MIN, i16::MAX)
}

fn products<const N: usize>(inputs: &mut Inputs) -> ([[i16; N]; 4], bool) {
    let (a, b, mut factor) = (any(inputs), any(inputs), Factor::new([0; N]));
    let (mut product, mut quotient) = (NttPoly::<N>::new([0; N]), NttPoly::<N>::new([0; N]));
    let (mut of_n, dividend) = (any(inputs), any(inputs));
    dispatch!(s => prepare(s, &b, &mut factor));
    dispatch!(s => multiply(s, &a, &factor, &mut product));
    dispatch!(s => divide_by_n(s, &mut of_n));
    dispatch!(s => divide(s, &dividend, &b, &mut quotient));
    let zero = dispatch!(s => has_zero(s, &b));
    ([*factor, *product, *of_n, *quotient], zero)
}

#[test]
fn products_same_at_every_level() {
    same_at_every_level("q12289 products 512", FEW, products::<512>);
    same_at_every_level("q12289 products 1024", FEW, products::<1024>);
}

fn norms<const N: usize>(inputs: &mut Inputs) -> ([[i16; N]; 2], [u64; 2], bool) {
    let (mut lifted, mut centred) = (any::<N>(inputs), narrow(inputs, i16::MIN, i16::MAX));
    dispatch!(s => lift(s, &mut lifted));
    dispatch!(s => centre(s, &mut centred));
    let (c, t) = (narrow(inputs, 0, Q - 1), narrow(inputs, -8705, 8705));
    let distance = dispatch!(s => difference_norm::<_, N>(s, &c, &t));
    // `near` is close to c, so that the difference is sometimes within the bound.
    let mut near = c;
    let shift = narrow::<N, ()>(inputs, -600, 600);
    near.iter_mut().zip(shift.iter()).for_each(|(t, e)| *t = (*t + e).min(8705));
    let largest = (inputs.bits() % 6145) as u16;
    let within = dispatch!(s => difference_is_within::<_, N>(s, &c, &near, largest));
    let norm = dispatch!(s => square_norm::<_, N>(s, &centred));
    ([*lifted, *centred], [distance, norm], within)
}

#[test]
fn norms_same_at_every_level() {
    same_at_every_level("q12289 norms 512", FEW, norms::<512>);
    same_at_every_level("q12289 norms 1024", FEW, norms::<1024>);
}

fn codes<F: Format>(inputs: &mut Inputs) -> (Option<Vec<u8>>, [Option<Vec<i16>>; 2]) {
    let most = Q - i16::from(inputs.bits().is_multiple_of(2));
    let f = narrow::<512, ()>(inputs, 0, most);
    let (mut bytes, mut g) = ([0; 896], [0; 512]);
    encode_14::<F>(&*f, &mut bytes);
    let good = dispatch!(s => decode_14_vartime::<_, F>(s, &bytes, &mut g));
    let fourteen = good.map(|()| g.to_vec());

    // Coefficients as large as those of signatures, and sometimes beyond the largest valid one.
    let bound = if inputs.bits().is_multiple_of(8) { 2100 } else { 400 };
    let f = narrow::<512, ()>(inputs, -bound, bound);
    let mut code = vec![0; 625];
    let len = dispatch!(s => encode_compressed_vartime::<_, F>(s, &*f, &mut code));
    let written = len.map(|len| code[..len].to_vec());
    // The encoding is damaged in half of the cases.
    if inputs.bits().is_multiple_of(2) {
        let at = inputs.bits() as usize % (8 * code.len());
        code[at / 8] ^= 1 << (at % 8);
    }
    let read = dispatch!(s => decode_compressed_vartime::<_, F>(s, &code, &mut g));
    (written, [fourteen, read.map(|_| g.to_vec())])
}

#[test]
fn codes_same_at_every_level() {
    same_at_every_level("q12289 codes from the high bit", FEW, codes::<FromHigh>);
    same_at_every_level("q12289 codes from the low bit", FEW, codes::<FromLow>);
}

fn hashed<F: Format>(inputs: &mut Inputs) -> (usize, Vec<i16>) {
    let (block, n): ([u8; BLOCK], _) = (inputs.bytes(), (inputs.bits() % 512) as usize);
    let mut c = vec![0; 512];
    let n = dispatch!(s => reject_block_vartime::<_, F>(s, &block, &mut c, n));
    c.truncate(n);
    (n, c)
}

#[test]
fn samplers_same_at_every_level() {
    same_at_every_level("q12289 reject_block from the high bit", FEW, hashed::<FromHigh>);
    same_at_every_level("q12289 reject_block from the low bit", FEW, hashed::<FromLow>);
}
