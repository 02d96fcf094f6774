//! Proofs that products are correct modulo 2^13 for every input, in three steps that compose:
//! 1. [`evaluate`] computes in lane l the sum `e(l, 0) a_0 + ... + e(l, 15) a_15` of the 16 chunks.
//! 2. [`multiply`] computes in lane l the product of two polynomials of `L` coefficients, modulo
//!    2^16.
//! 3. Let M(u, v) be the product of chunk u of one factor and chunk v of the other. After steps 1
//!    and 2, lane l holds the sum of all e(l, u) e(l, v) M(u, v). From these, for any M(u, v),
//!    [`interpolate_cyclic`] computes the sum of all x^((u + v) L) M(u, v) modulo x^n - 1, which is
//!    the product of the factors, and [`interpolate_negacyclic`] that sum modulo x^256 + 1.
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use oaklath_prove_engine::proof::memory::Id;
use oaklath_prove_engine::{Form, Kernel, Rows, Theorem, prove};
use oaklath_simd::scratch;

use crate::pow2::newton::{pack, unpack};
use crate::pow2::toom::{
    add_product, evaluate, interpolate_cyclic, interpolate_negacyclic, multiply,
};
use crate::pow2::{Points, PointsRoom, Poly, Products, Room};

/// The theorems about these rings.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["pow2::evaluate"],
        results: &[],
        claim: "the values of 16 chunks at 63 points, chunks of 16, 32, 44, 52; any coefficients",
        is_quick: false,
        prove: evaluations,
    },
    Theorem {
        kernels: &["pow2::multiply"],
        results: &[],
        claim: "63 products of polynomials modulo 2^16, of 32, 44, 52 coefficients; any",
        is_quick: false,
        prove: multiplications,
    },
    Theorem {
        kernels: &["pow2::add_product"],
        results: &[],
        claim: "the outer and the middle products of halves of 16 coefficients, 63 times, or those \
                added, modulo 2^16; any coefficients",
        is_quick: false,
        prove: added_products,
    },
    Theorem {
        kernels: &["pow2::interpolate_cyclic"],
        results: &[],
        claim: "with `evaluate` and `multiply` the product modulo x^n - 1 and 2^13, n = 509, 677, \
                701, 821; any coefficients",
        is_quick: false,
        prove: cyclic,
    },
    Theorem {
        kernels: &["pow2::interpolate_negacyclic"],
        results: &[],
        claim: "with `evaluate` and `add_product` the product modulo x^256 + 1 and 2^13; any \
                coefficients",
        is_quick: false,
        prove: negacyclic,
    },
    Theorem {
        kernels: &["pow2::pack", "pow2::unpack"],
        results: &[],
        claim: "each coefficient modulo 2, packed and unpacked, of chunks of 44; any coefficients",
        is_quick: true,
        prove: parities,
    },
];

/// Returns e(l, u) for lane l and chunk u = 4 i + j: power i of point l / 9 if sum l % 9 of
/// Karatsuba contains part j, else 0.
fn weight(lane: usize, chunk: usize) -> i64 {
    const POINTS: [[i64; 4]; 7] = [
        [1, 0, 0, 0],
        [1; 4],
        [1, -1, 1, -1],
        [1, 2, 4, 8],
        [1, -2, 4, -8],
        [8, 4, 2, 1],
        [0, 0, 0, 1],
    ];
    const SUMS: [usize; 9] =
        [0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b1100, 0b0101, 0b1010, 0b1111];
    let (point, sum) = (lane.div_euclid(9), lane.rem_euclid(9));
    let part = || (SUMS[sum] >> (chunk & 3) & 1) as i64;
    POINTS.get(point).map_or(0, |powers| powers[chunk >> 2] * part())
}

/// The range of any 16-bit number.
const ANY: core::ops::RangeInclusive<i64> = -32768..=32767;

fn evaluations(rows: &mut Rows) -> Result<(), String> {
    evaluations_of::<16>(rows)?;
    evaluations_of::<32>(rows)?;
    evaluations_of::<44>(rows)?;
    evaluations_of::<52>(rows)
}

fn evaluations_of<const L: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("evaluate, chunks of {L}"), modulo 1 << 16, limit 0; |s, io| {
        scratch!(a: Poly<L>, points: Points<L>, room: PointsRoom);
        io.inputs(a.as_flattened_mut(), ANY);
        evaluate(s, a, points, &mut room[..]);
        io.outputs(points.as_flattened());
    }, |k| {
        for i in 0..64 * L {
            let value = k.linear((0..16).map(|u| (L * u + (i >> 6), weight(i & 63, u))));
            k.is_congruent_in(k.output(i), &value, 16)?;
        }
        Ok(())
    });
    Ok(())
}

/// Returns a coefficient of the product of the polynomials in a lane of the inputs at `a` and `b`.
fn coefficient<const L: usize>(k: &Kernel, a: usize, b: usize, row: usize, lane: usize) -> Form {
    let pairs = (0..L).filter(|j| (*j..*j + L).contains(&row)).map(|j| {
        let mut pair = [k.input(a + 64 * j + lane), k.input(b + 64 * (row - j) + lane)];
        pair.sort_unstable();
        (pair, 1)
    });
    Form::new(pairs.collect())
}

fn multiplications(rows: &mut Rows) -> Result<(), String> {
    multiplications_of::<32>(rows)?;
    multiplications_of::<44>(rows)?;
    multiplications_of::<52>(rows)
}

fn multiplications_of<const L: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("multiply, chunks of {L}"), modulo 1 << 16, limit 0; |s, io| {
        scratch!(points: [Points<L>; 2], products: Products<L>, room: Room<L>);
        points.iter_mut().for_each(|points| io.inputs(points.as_flattened_mut(), ANY));
        multiply(s, &points[0], &points[1], products, room);
        io.outputs(products.as_flattened().as_flattened());
    }, |k| {
        for i in 0..128 * L {
            let wanted = coefficient::<L>(k, 0, 64 * L, i >> 6, i & 63);
            k.is_congruent_in(k.output(i), &wanted, 16)?;
        }
        Ok(())
    });
    Ok(())
}

/// Returns coefficient `row` of one of the three products of a level of Karatsuba on chunks of 16:
/// 0 and 1 are the outer products, 2 is the middle one.
fn half_product(k: &Kernel, which: usize, row: usize, lane: usize) -> Form {
    let halves = if which == 2 { 0..2 } else { which..which + 1 };
    let mut sum = Form::default();
    for (x, y) in halves.clone().flat_map(|x| halves.clone().map(move |y| (x, y))) {
        for j in (0..8).filter(|j| (*j..*j + 8).contains(&row)) {
            let (a, b) = (8 * x + j, 8 * y + row - j);
            let pair = [k.input(64 * a + lane), k.input(1024 + 64 * b + lane)];
            sum = k.sum(&sum, &Form::new(vec![(pair, 1)]), 1);
        }
    }
    sum
}

fn added_products(rows: &mut Rows) -> Result<(), String> {
    for first in [true, false] {
        prove!(rows, format!("add_product, first: {first}"), modulo 1 << 16, limit 0; |s, io| {
            scratch!(points: [Points<16>; 2], products: Products<16>, room: Room<32>);
            points.iter_mut().for_each(|points| io.inputs(points.as_flattened_mut(), ANY));
            io.inputs(products.as_flattened_mut().as_flattened_mut(), ANY);
            io.inputs(&mut room.as_flattened_mut().as_flattened_mut()[..1024], ANY);
            add_product(s, &points[0], &points[1], products, room, first);
            io.outputs(products.as_flattened().as_flattened());
            io.outputs(&room.as_flattened().as_flattened()[..1024]);
        }, |k| {
            for i in 0..3072 {
                let product = half_product(k, i >> 10, i >> 6 & 15, i & 63);
                let before = k.linear([(2048 + i, i64::from(!first))]);
                k.is_congruent_in(k.output(i), &k.sum(&product, &before, 1), 16)?;
            }
            Ok(())
        });
    }
    Ok(())
}

/// Returns the unknown for coefficient `row` of M(u, v): an id above those of operations.
fn unknown<const L: usize>(u: usize, v: usize, row: usize) -> Id {
    (1 << 30) + ((16 * u + v) * 2 * L + row) as Id
}

/// Returns all pairs of chunks.
fn chunks() -> impl Iterator<Item = (usize, usize)> {
    (0..256).map(|uv| (uv >> 4, uv & 15))
}

/// Assumes what steps 1 and 2 prove about the products.
fn assume_products<const L: usize>(k: &Kernel) {
    for i in 0..128 * L {
        let (row, lane) = (i >> 6, i & 63);
        let weights = |(u, v)| (unknown::<L>(u, v, row), weight(lane, u) * weight(lane, v));
        let is_zero = row == 2 * L - 1;
        let sum = || k.linear_in(chunks().map(weights));
        k.assume(i, if is_zero { Form::default() } else { sum() });
    }
}

/// Returns the coefficients of products of chunks that add up to coefficient `t` of the product.
fn terms_at<const L: usize>(t: usize) -> Vec<Id> {
    let term = |(u, v): (usize, usize)| {
        let row = t.checked_sub((u + v) * L).filter(|row| *row < 2 * L - 1)?;
        Some(unknown::<L>(u, v, row))
    };
    chunks().filter_map(term).collect()
}

fn cyclic(rows: &mut Rows) -> Result<(), String> {
    cyclic_of::<32>(rows, 509)?;
    cyclic_of::<44>(rows, 677)?;
    cyclic_of::<44>(rows, 701)?;
    cyclic_of::<52>(rows, 821)
}

fn cyclic_of<const L: usize>(rows: &mut Rows, n: usize) -> Result<(), String> {
    prove!(rows, format!("interpolate_cyclic, n = {n}"), modulo 1 << 16, limit 0; |s, io| {
        scratch!(products: Products<L>, room: Room<L>, out: Poly<L>);
        io.inputs(products.as_flattened_mut().as_flattened_mut(), ANY);
        interpolate_cyclic(s, n, products, out, room);
        io.outputs(&out.as_flattened()[..n]);
    }, |k| {
        assume_products::<L>(k);
        for t in 0..n {
            let terms = [t, t + n].map(terms_at::<L>).concat();
            let sum = k.linear_in(terms.into_iter().map(|term| (term, 1)));
            k.is_congruent_in(k.output(t), &sum, 13)?;
        }
        Ok(())
    });
    Ok(())
}

/// Returns the unknown for coefficient `row` of half x of chunk u by half y of v, `xy` = 2 x + y.
fn half_unknown(xy: usize, (u, v): (usize, usize), row: usize) -> Id {
    (1 << 30) + ((16 * u + v) * 64 + 16 * xy + row) as Id
}

fn negacyclic(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "interpolate_negacyclic", modulo 1 << 16, limit 0; |s, io| {
        scratch!(products: Products<16>, room: Room<32>, out: Poly<16>);
        io.inputs(products.as_flattened_mut().as_flattened_mut(), ANY);
        io.inputs(&mut room.as_flattened_mut().as_flattened_mut()[..1024], ANY);
        interpolate_negacyclic(s, products, out, room);
        io.outputs(out.as_flattened());
    }, |k| {
        // The products of halves, outer and middle, as `add_product` computes them.
        for i in 0..3072 {
            let (row, lane) = (i >> 6 & 15, i & 63);
            let parts: &[usize] = [&[0][..], &[3], &[0, 1, 2, 3]][i >> 10];
            let terms = |xy: usize| {
                let weights = |(u, v)| weight(lane, u) * weight(lane, v);
                chunks().map(move |uv| (half_unknown(xy, uv, row), weights(uv)))
            };
            let sum = || k.linear_in(parts.iter().flat_map(|xy| terms(*xy)));
            k.assume(i, if row == 15 { Form::default() } else { sum() });
        }
        for t in 0..256 {
            let mut sum = Vec::new();
            for (u, v) in chunks() {
                for xy in 0..4 {
                    let at = 16 * (u + v) + 8 * ((xy >> 1) + (xy & 1));
                    for (t, sign) in [(t, 1), (t + 256, -1)] {
                        let row = usize::checked_sub(t, at).filter(|row| *row < 15);
                        sum.extend(row.map(|row| (half_unknown(xy, (u, v), row), sign)));
                    }
                }
            }
            k.is_congruent_in(k.output(t), &k.linear_in(sum), 13)?;
        }
        Ok(())
    });
    Ok(())
}

fn parities(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "pack, unpack", modulo 3, limit 1 << 16; |_s, io| {
        scratch!(f: Poly<44>, bits: [i16; 44]);
        io.inputs(f.as_flattened_mut(), ANY);
        pack(f, bits);
        unpack(bits, f);
        io.outputs(f.as_flattened());
    }, |k| k.maps(0, 0..704, |x| x & 1); Proof8);
    Ok(())
}
