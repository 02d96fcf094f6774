use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::{A64, dispatch};

use super::{FEW, narrow, row};
use crate::q3329::{
    Entry, Factor, NttPoly, Poly, ROW, cbd_2, cbd_3, decode_12, decode_12_checked,
    decompress_message, decompress_u, dot, dot_encode_12, encode_12, encode_12_from_montgomery,
    encode_u, encode_v, inverse_ntt, ntt, prepare, reject_block_vartime,
};

#[test]
fn transforms_same_at_every_level() {
    same_at_every_level("q3329 ntt", FEW, |inputs| {
        let (f, mut f_hat) = (narrow(inputs, -3329, 3329), NttPoly::new([0; 256]));
        dispatch!(s => ntt(s, &f, &mut f_hat));
        *f_hat
    });
    same_at_every_level("q3329 inverse_ntt", FEW, |inputs| {
        let (f_hat, mut f) = (narrow(inputs, -9943, 9943), Poly::new([0; 256]));
        dispatch!(s => inverse_ntt(s, &f_hat, &mut f));
        *f
    });
}

fn factors<const K: usize>(inputs: &mut Inputs) -> ([NttPoly; K], [Factor; K]) {
    let a = core::array::from_fn(|_| narrow(inputs, 0, 4095));
    let mut factors = [A64::new([[0; 256]; 2]); K];
    for factor in &mut factors {
        let b = narrow(inputs, -16560, 16560);
        dispatch!(s => prepare(s, &b, factor));
    }
    (a, factors)
}

fn products<const K: usize>(inputs: &mut Inputs) -> ([i16; 256], [u8; 384]) {
    let (a, b) = factors::<K>(inputs);
    let e = narrow(inputs, -16560, 16560);
    let (mut result, mut bytes) = (NttPoly::new([0; 256]), [0; 384]);
    let a = a.each_ref().map(|a| &**a);
    dispatch!(s => dot(s, a, &b, &mut result));
    dispatch!(s => dot_encode_12(s, a, &b, &e, 0..256, &mut bytes));
    (*result, bytes)
}

#[test]
fn products_same_at_every_level() {
    same_at_every_level("q3329 dot of 2", FEW, products::<2>);
    same_at_every_level("q3329 dot of 3", FEW, products::<3>);
    same_at_every_level("q3329 dot of 4", FEW, products::<4>);
}

#[test]
fn encodings_same_at_every_level() {
    same_at_every_level("q3329 encode_12", FEW, |inputs| {
        let (f, any) = (narrow(inputs, 0, 4095), narrow(inputs, i16::MIN, i16::MAX));
        let mut bytes = [[0; 384]; 2];
        dispatch!(s => encode_12(s, &f, &mut bytes[0]));
        dispatch!(s => encode_12_from_montgomery(s, &any, &mut bytes[1]));
        bytes
    });
    same_at_every_level("q3329 decode_12", FEW, |inputs| {
        let most = if inputs.bits().is_multiple_of(2) { 3328 } else { 4095 };
        let f = narrow(inputs, 0, most);
        let (mut bytes, mut found) = ([0; 384], [NttPoly::new([0; 256]); 2]);
        dispatch!(s => encode_12(s, &f, &mut bytes));
        dispatch!(s => decode_12(s, &bytes, &mut found[0]));
        let is_good = dispatch!(s => decode_12_checked(s, &bytes, &mut found[1]));
        (*found[0], *found[1], is_good)
    });
}

#[test]
fn compression_same_at_every_level() {
    same_at_every_level("q3329 encode_u", FEW, |inputs| {
        let (u, e1) = (narrow(inputs, 3 - i16::MAX, i16::MAX - 3), narrow(inputs, -3, 3));
        let (mut ten, mut eleven) = ([0; 320], [0; 352]);
        dispatch!(s => encode_u::<_, 10>(s, &u, &e1, &mut ten));
        dispatch!(s => encode_u::<_, 11>(s, &u, &e1, &mut eleven));
        (ten, eleven)
    });
    same_at_every_level("q3329 encode_v", FEW, |inputs| {
        let (v, e2) = (narrow(inputs, i16::MIN, i16::MAX), narrow(inputs, -3, 3));
        let (m, mut four, mut five) = (inputs.bytes(), [0; 128], [0; 160]);
        dispatch!(s => encode_v::<_, 4>(s, &v, &e2, &m, &mut four));
        dispatch!(s => encode_v::<_, 5>(s, &v, &e2, &m, &mut five));
        (four, five)
    });
    same_at_every_level("q3329 decompress_u", FEW, |inputs| {
        let bytes: [u8; 352] = inputs.bytes();
        let mut u = [Poly::new([0; 256]); 2];
        dispatch!(s => decompress_u::<_, 10>(s, &bytes[..320], &mut u[0]));
        dispatch!(s => decompress_u::<_, 11>(s, &bytes, &mut u[1]));
        u.map(|u| *u)
    });
    same_at_every_level("q3329 decompress_message", FEW, |inputs| {
        let (bytes, w): ([u8; 160], _) = (inputs.bytes(), narrow(inputs, -19560, 19560));
        let mut m = [[0; 32]; 2];
        dispatch!(s => decompress_message::<_, 4>(s, &bytes[..128], &w, &mut m[0]));
        dispatch!(s => decompress_message::<_, 5>(s, &bytes, &w, &mut m[1]));
        m
    });
}

#[test]
fn samplers_same_at_every_level() {
    same_at_every_level("q3329 reject_block", FEW, |inputs| {
        let (row, n) = (row::<ROW>(inputs), (inputs.bits() % 256) as usize);
        let mut entry = Entry::new([0; 288]);
        let n = dispatch!(s => reject_block_vartime(s, &row, &mut entry, n));
        // What follows the coefficients is unused.
        entry[n..].fill(0);
        (n, *entry)
    });
    same_at_every_level("q3329 cbd", FEW, |inputs| {
        let bytes: [u8; 192] = inputs.bytes();
        let mut f = [Poly::new([0; 256]); 4];
        dispatch!(s => cbd_2::<_, false>(s, &bytes, &mut f[0]));
        dispatch!(s => cbd_2::<_, true>(s, &bytes, &mut f[1]));
        dispatch!(s => cbd_3::<_, false>(s, &bytes, &mut f[2]));
        dispatch!(s => cbd_3::<_, true>(s, &bytes, &mut f[3]));
        f.map(|f| *f)
    });
}
