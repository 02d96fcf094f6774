//! NTRU and SABER: products modulo powers of two, inverses, fields, sorting.

use std::vec;
use std::vec::Vec;

use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::dispatch;

use super::FEW;
use crate::pow2::{
    self, Points, Poly, Products, Room, add_product, evaluate, interpolate_cyclic,
    interpolate_negacyclic, multiply,
};
use crate::sort::fixed_weight;
use crate::{bits, gf2, gf3, trits};

/// Returns a polynomial with any coefficients below index n.
fn poly<const L: usize>(inputs: &mut Inputs, n: usize) -> Poly<L> {
    let mut f = Poly::new([[0; L]; 16]);
    f.as_flattened_mut()[..n].fill_with(|| inputs.bits() as i16);
    f
}

/// Returns the thirteen bits of each coefficient of a product that are correct.
fn right<const L: usize>(f: &Poly<L>) -> [[i16; L]; 16] {
    (**f).map(|chunk| chunk.map(|c| c & 0x1fff))
}

fn cyclic<const L: usize>(inputs: &mut Inputs, n: usize) -> [[i16; L]; 16] {
    let (a, b) = (poly(inputs, n), poly(inputs, n));
    let mut points = [Points::<L>::new([[0; 64]; L]); 2];
    let mut products = Products::<L>::new([[[0; 64]; L]; 2]);
    let (mut room, mut out) = (Room::new([[[0; 32]; L]; 3]), Poly::new([[0; L]; 16]));
    dispatch!(s => {
        evaluate(s, &a, &mut points[0], room.as_flattened_mut());
        evaluate(s, &b, &mut points[1], room.as_flattened_mut());
        multiply(s, &points[0], &points[1], &mut products, &mut room);
        interpolate_cyclic(s, n, &products, &mut out, &mut room);
    });
    right(&out)
}

#[test]
fn products_same_at_every_level() {
    same_at_every_level("pow2 product 509", FEW, |inputs| cyclic::<32>(inputs, 509));
    same_at_every_level("pow2 product 677", FEW, |inputs| cyclic::<44>(inputs, 677));
    same_at_every_level("pow2 product 701", FEW, |inputs| cyclic::<44>(inputs, 701));
    same_at_every_level("pow2 product 821", FEW, |inputs| cyclic::<52>(inputs, 821));
    same_at_every_level("pow2 sum of products 256", FEW, |inputs| {
        let f: [Poly<16>; 6] = core::array::from_fn(|_| poly(inputs, 256));
        let mut points = [Points::<16>::new([[0; 64]; 16]); 6];
        let mut products = Products::<16>::new([[[0; 64]; 16]; 2]);
        let (mut room, mut out) = (Room::new([[[0; 32]; 32]; 3]), Poly::new([[0; 16]; 16]));
        dispatch!(s => {
            for (f, points) in f.iter().zip(&mut points) {
                evaluate(s, f, points, room.as_flattened_mut());
            }
            for j in 0..3 {
                add_product(s, &points[j], &points[3 + j], &mut products, &mut room, j == 0);
            }
            interpolate_negacyclic(s, &mut products, &mut out, &mut room);
        });
        right(&out)
    });
}

fn newton<const L: usize>(inputs: &mut Inputs, bits: u32, n: usize) -> [[i16; L]; 16] {
    let (a, mut v) = (poly(inputs, n), Poly::new([[0; L]; 16]));
    let mut points = [Points::new([[0; 64]; L]); 2];
    let mut products = Products::new([[[0; 64]; L]; 2]);
    let mut room = Room::new([[[0; 32]; L]; 3]);
    dispatch!(s => {
        let memory = (&mut points, &mut products, &mut room);
        pow2::invert::<_, L>(s, bits, n, &a, &mut v, memory);
    });
    right(&v)
}

#[test]
fn inverses_modulo_q_same_at_every_level() {
    same_at_every_level("pow2 invert 509", FEW, |inputs| newton::<32>(inputs, 11, 509));
    same_at_every_level("pow2 invert 677", FEW, |inputs| newton::<44>(inputs, 11, 677));
    same_at_every_level("pow2 invert 701", FEW, |inputs| newton::<44>(inputs, 13, 701));
    same_at_every_level("pow2 invert 821", FEW, |inputs| newton::<52>(inputs, 12, 821));
}

fn modulo_3<const R: usize>(inputs: &mut Inputs, n: usize) -> Vec<i16> {
    let a: Vec<i16> = (0..n).map(|_| inputs.within(-1, 1) as i16).collect();
    let mut inverse = vec![0; n];
    dispatch!(s => gf3::invert::<_, R>(s, &a, &mut inverse));
    inverse
}

fn modulo_2<const W: usize>(inputs: &mut Inputs, n: usize) -> Vec<i16> {
    let (mut a, mut inverse) = (vec![0; 64 * W], vec![0; 64 * W]);
    a[..n].fill_with(|| inputs.bits() as i16);
    dispatch!(s => gf2::invert::<_, W>(s, n, &a, &mut inverse));
    inverse
}

#[test]
fn inverses_of_trits_same_at_every_level() {
    same_at_every_level("divsteps invert 509", FEW, |inputs| modulo_3::<2>(inputs, 509));
    same_at_every_level("divsteps invert 677", FEW, |inputs| modulo_3::<3>(inputs, 677));
    same_at_every_level("divsteps invert 701", FEW, |inputs| modulo_3::<3>(inputs, 701));
    same_at_every_level("divsteps invert 821", FEW, |inputs| modulo_3::<4>(inputs, 821));
}

#[test]
fn inverses_of_bits_same_at_every_level() {
    same_at_every_level("powers invert 509", FEW, |inputs| modulo_2::<8>(inputs, 509));
    same_at_every_level("powers invert 677", FEW, |inputs| modulo_2::<11>(inputs, 677));
    same_at_every_level("powers invert 701", FEW, |inputs| modulo_2::<11>(inputs, 701));
    same_at_every_level("powers invert 821", FEW, |inputs| modulo_2::<13>(inputs, 821));
}

fn packed(inputs: &mut Inputs, width: usize, n: usize) -> (Vec<u8>, Vec<i16>) {
    let values: Vec<i16> = (0..n).map(|_| inputs.bits() as i16).collect();
    let mut bytes = vec![0; (width * n).div_ceil(8)];
    dispatch!(s => bits::pack(s, width, &values, &mut bytes));
    let mut random = vec![0; bytes.len()];
    inputs.fill(&mut random);
    let mut read = vec![0; n];
    dispatch!(s => bits::unpack(s, width, &random, &mut read));
    (bytes, read)
}

#[test]
fn fields_same_at_every_level() {
    same_at_every_level("fields 3", FEW, |inputs| packed(inputs, 3, 256));
    same_at_every_level("fields 4", FEW, |inputs| packed(inputs, 4, 256));
    same_at_every_level("fields 6", FEW, |inputs| packed(inputs, 6, 256));
    same_at_every_level("fields 10", FEW, |inputs| packed(inputs, 10, 256));
    same_at_every_level("fields 11", FEW, |inputs| packed(inputs, 11, 508));
    same_at_every_level("fields 12", FEW, |inputs| packed(inputs, 12, 820));
    same_at_every_level("fields 13", FEW, |inputs| packed(inputs, 13, 700));
    same_at_every_level("trits unpack", FEW, |inputs| {
        let (bytes, mut trits): ([u8; 102], _) = (inputs.bytes(), [0; 508]);
        dispatch!(s => trits::unpack(s, &bytes, &mut trits));
        trits
    });
}

fn sorted(inputs: &mut Inputs, n: usize, weight: usize) -> Vec<i16> {
    let (mut bytes, mut trits) = (vec![0; 30 * n / 8], vec![0; n]);
    inputs.fill(&mut bytes);
    dispatch!(s => fixed_weight(s, &bytes, weight, &mut trits));
    trits
}

#[test]
fn fixed_weights_same_at_every_level() {
    same_at_every_level("fixed_weight 508", FEW, |inputs| sorted(inputs, 508, 254));
    same_at_every_level("fixed_weight 676", FEW, |inputs| sorted(inputs, 676, 254));
    same_at_every_level("fixed_weight 820", FEW, |inputs| sorted(inputs, 820, 510));
}
