use std::vec::Vec;

use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::dispatch;

use super::{FEW, row, wide};
use crate::q8380417::{
    Challenge, D, Entry, NttPoly, Poly, Q, ROW, Small, Sums, add_product, add_within, decode_eta,
    decode_mask, decode_t0, decode_t1, decode_z, decompose_encode, dot, dot_minus, encode_eta,
    encode_t0, encode_t1, encode_z, fill_small, finish_nibbles, inverse_ntt, make_hint,
    multiply_ntt, multiply_small, ntt, power2round, reduce_sum, reject_block_vartime,
    reject_nibbles_vartime, subtract_within, use_hint_encode, widen,
};

const GAMMA2: i32 = (Q - 1) / 32;

#[test]
fn transforms_same_at_every_level() {
    same_at_every_level("q8380417 ntt", FEW, |inputs| {
        let (f, mut f_hat) = (wide(inputs, -(1 << 23), 1 << 23), NttPoly::new([0; 256]));
        dispatch!(s => ntt(s, &f, &mut f_hat));
        *f_hat
    });
    same_at_every_level("q8380417 inverse_ntt", FEW, |inputs| {
        let (f_hat, mut f) = (wide(inputs, 1 - Q, Q - 1), Poly::new([0; 256]));
        dispatch!(s => inverse_ntt(s, &f_hat, &mut f));
        *f
    });
}

/// Returns a factor within the range of the transform's results.
fn factor(inputs: &mut Inputs) -> NttPoly {
    wide(inputs, 1 - 10 * Q, 10 * Q - 1)
}

fn products<const L: usize>(inputs: &mut Inputs) -> [[i32; 256]; 2] {
    let a: [Entry; L] = core::array::from_fn(|_| {
        let mut entry = Entry::new([0; _]);
        entry[..256].copy_from_slice(&*wide::<()>(inputs, 0, Q - 1));
        entry
    });
    let b: [NttPoly; L] = core::array::from_fn(|_| factor(inputs));
    let (c, t) = (factor(inputs), factor(inputs));
    let mut result = [NttPoly::new([0; 256]); 2];
    dispatch!(s => dot(s, &a, &b, &mut result[0]));
    dispatch!(s => dot_minus(s, &a, &b, (&c, &t), &mut result[1]));
    result.map(|result| *result)
}

#[test]
fn products_same_at_every_level() {
    same_at_every_level("q8380417 dot of 4", FEW, products::<4>);
    same_at_every_level("q8380417 dot of 5", FEW, products::<5>);
    same_at_every_level("q8380417 dot of 7", FEW, products::<7>);
    same_at_every_level("q8380417 multiply_ntt", FEW, |inputs| {
        let (a, b, mut result) = (factor(inputs), factor(inputs), NttPoly::new([0; 256]));
        dispatch!(s => multiply_ntt(s, &a, &b, &mut result));
        *result
    });
    same_at_every_level("q8380417 add_product", FEW, |inputs| {
        let (a, b) = (wide::<()>(inputs, 0, Q - 1), factor(inputs));
        let (mut sum, mut least) = (wide(inputs, -7 * Q, 7 * Q), NttPoly::new([0; 256]));
        dispatch!(s => add_product(s, &*a, &b, &mut sum));
        sum.iter_mut().for_each(|c| *c = (*c).clamp(1 - 8 * Q, 8 * Q - 1));
        dispatch!(s => reduce_sum(s, &sum, &mut least));
        [*sum, *least]
    });
}

#[test]
fn small_products_same_at_every_level() {
    fn challenge(inputs: &mut Inputs, terms: usize) -> Challenge {
        let mut challenge = Challenge::EMPTY;
        for _ in 0..terms {
            let bits = inputs.bits();
            challenge.c[(bits % 256) as usize] = if bits >> 63 == 0 { 1 } else { -1 };
        }
        dispatch!(s => challenge.index(s));
        challenge
    }
    fn small(inputs: &mut Inputs, eta: i32) -> ([i8; 256], Small) {
        let f = wide::<()>(inputs, -eta, eta).map(|c| c as i8);
        let mut small = Small::new([0; 1600]);
        fill_small(&f, &mut small);
        (f, small)
    }
    same_at_every_level("q8380417 multiply_small", FEW, |inputs| {
        let ((f, two), (_, four)) = (small(inputs, 2), small(inputs, 4));
        let [few, some, most] = [39, 49, 60].map(|terms| challenge(inputs, terms));
        let (mut sums, mut w) = ([Sums::new([[0; 256]; 2]); 3], Poly::new([0; 256]));
        dispatch!(s => multiply_small(s, false, &two, &few, &mut sums[0]));
        dispatch!(s => multiply_small(s, true, &four, &some, &mut sums[1]));
        dispatch!(s => multiply_small(s, false, &two, &most, &mut sums[2]));
        dispatch!(s => widen(s, &f, &mut w));
        (sums.map(|sums| *sums), *w)
    });
    same_at_every_level("q8380417 add_within", FEW, |inputs| {
        let (some, (_, four)) = (challenge(inputs, 49), small(inputs, 4));
        let mut sums = Sums::new([[0; 256]; 2]);
        dispatch!(s => multiply_small(s, true, &four, &some, &mut sums));
        // Sometimes all sums are within the bound.
        let range = if inputs.bits().is_multiple_of(2) { GAMMA2 - 200 } else { GAMMA2 };
        let (mut f, mut g) = (wide(inputs, -range, range), wide(inputs, -range, range));
        let plus = dispatch!(s => add_within(s, &mut f, &sums, GAMMA2));
        let minus = dispatch!(s => subtract_within(s, &mut g, &sums, GAMMA2));
        // Rejected sums are unspecified.
        (plus.then_some(*f), minus.then_some(*g))
    });
}

#[test]
fn encodings_same_at_every_level() {
    same_at_every_level("q8380417 t1 and t0", FEW, |inputs| {
        let (t1, t0) = (wide(inputs, 0, 1023), wide(inputs, 1 - (1 << (D - 1)), 1 << (D - 1)));
        let (mut high, mut low) = ([0; 320], [0; 416]);
        dispatch!(s => encode_t1(s, &t1, &mut high));
        dispatch!(s => encode_t0(s, &t0, &mut low));
        let mut f = [Poly::new([0; 256]); 2];
        let bytes: [u8; 416] = inputs.bytes();
        dispatch!(s => decode_t1(s, &bytes[..320], &mut f[0]));
        dispatch!(s => decode_t0(s, &bytes, &mut f[1]));
        (high, low, f.map(|f| *f))
    });
    same_at_every_level("q8380417 eta", FEW, |inputs| {
        let (two, four) = (wide(inputs, -2, 2), wide(inputs, -4, 4));
        let (mut three, mut nibbles) = ([0; 96], [0; 128]);
        dispatch!(s => encode_eta(s, 2, &two, &mut three));
        dispatch!(s => encode_eta(s, 4, &four, &mut nibbles));
        let written = (three, nibbles);
        // In half of the cases, any bytes are decoded.
        if inputs.bits().is_multiple_of(2) {
            (three, nibbles) = (inputs.bytes(), inputs.bytes());
        }
        let mut f = [[0; 256]; 2];
        let good = dispatch!(s => decode_eta(s, 2, &three, &mut f[0]));
        let also = dispatch!(s => decode_eta(s, 4, &nibbles, &mut f[1]));
        (written, f, good, also)
    });
    same_at_every_level("q8380417 z", FEW, |inputs| {
        fn both<const BITS: usize, const BYTES: usize>(
            inputs: &mut Inputs,
        ) -> ([u8; BYTES], [[i32; 256]; 2], bool) {
            let gamma1 = 1 << (BITS - 1);
            let (z, bound) = (wide(inputs, 1 - gamma1, gamma1), gamma1 - 120);
            let (mut bytes, mut f) = ([0; BYTES], [Poly::new([0; 256]); 2]);
            dispatch!(s => encode_z(s, BITS, &z, &mut bytes));
            let within = dispatch!(s => decode_z(s, BITS, &bytes, &mut f[0], bound));
            dispatch!(s => decode_mask(s, BITS, &bytes, &mut f[1]));
            (bytes, f.map(|f| *f), within)
        }
        (both::<18, 576>(inputs), both::<20, 640>(inputs))
    });
}

#[test]
fn rounding_same_at_every_level() {
    same_at_every_level("q8380417 power2round", FEW, |inputs| {
        let (f, e) = (wide(inputs, 1 - Q, Q - 1), wide(inputs, -4, 4));
        let (mut t1, mut t0) = ([0; 320], [0; 416]);
        dispatch!(s => power2round(s, &f, &e, &mut t1, &mut t0));
        (t1, t0)
    });
    fn decomposed<const M: i32, const BYTES: usize>(
        inputs: &mut Inputs,
    ) -> ([i32; 256], [[u8; BYTES]; 2], Option<usize>, [u8; 256]) {
        let w: Poly = wide(inputs, 1 - Q, Q - 1);
        let hint = wide::<()>(inputs, 0, 1).map(|h| h as i8);
        let (mut low, mut high, mut used) = (w, [0; BYTES], [0; BYTES]);
        dispatch!(s => decompose_encode(s, M, &mut low, &mut high));
        dispatch!(s => use_hint_encode(s, M, &w, &hint, &mut used));
        let gamma2 = (Q - 1) / (2 * M);
        let most = if inputs.bits().is_multiple_of(4) { gamma2 } else { gamma2 / 8 };
        let mut ct0: Poly = wide(inputs, -most, most);
        ct0.iter_mut().step_by(3).for_each(|c| *c -= c.signum() * Q);
        let r0 = wide(inputs, 1 - gamma2, gamma2 - 1);
        let mut positions = [0; 256];
        let n = dispatch!(s => make_hint(s, M, &r0, &ct0, &high, &mut positions, 0));
        // Rejected hints are unspecified, and so are positions after the last one.
        positions[n.unwrap_or_default()..].fill(0);
        (*low, [high, used], n, positions)
    }
    same_at_every_level("q8380417 decompose 44", FEW, decomposed::<44, 192>);
    same_at_every_level("q8380417 decompose 16", FEW, decomposed::<16, 128>);
}

#[test]
fn samplers_same_at_every_level() {
    same_at_every_level("q8380417 reject_block", FEW, |inputs| {
        let (row, n) = (row::<ROW>(inputs), (inputs.bits() % 256) as usize);
        let mut entry: Entry = Entry::new([0; 272]);
        let n = dispatch!(s => reject_block_vartime(s, &row, &mut entry, n));
        // What follows the coefficients is unused.
        entry[n..].fill(0);
        (n, *entry)
    });
    fn nibbles<const ETA: i32>(inputs: &mut Inputs) -> (usize, Vec<i32>) {
        let (block, n): ([u8; 136], _) = (inputs.bytes(), (inputs.bits() % 256) as usize);
        let (mut raw, mut f) = (Entry::new([0; 272]), Poly::new([0; 256]));
        let n = dispatch!(s => reject_nibbles_vartime(s, ETA, &block, &mut raw, n));
        raw[n..].fill(0);
        dispatch!(s => finish_nibbles(s, ETA, &raw, &mut f));
        (n, f.to_vec())
    }
    same_at_every_level("q8380417 reject_nibbles 2", FEW, nibbles::<2>);
    same_at_every_level("q8380417 reject_nibbles 4", FEW, nibbles::<4>);
}
