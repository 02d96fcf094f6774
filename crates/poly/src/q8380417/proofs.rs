//! Proofs of what the kernels compute, for every input, against FIPS 204.
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::proof::memory::Id;
use oaklath_prove_engine::{Form, Kernel, Rows, Theorem, prove};
use oaklath_simd::scratch;

use crate::q8380417::ntt::{inverse_ntt, layers_forward, layers_inverse, ntt};
use crate::q8380417::pack::{
    decode_eta, decode_mask, decode_t0, decode_t1, decode_z, encode_eta, encode_t0, encode_t1,
    encode_z,
};
use crate::q8380417::product::{add_product, dot, dot_minus, multiply_ntt, reduce_sum};
use crate::q8380417::round::{add_within, decompose_encode, power2round, subtract_within};
use crate::q8380417::sample::{Entry, finish_nibbles};
use crate::q8380417::small::{Sums, widen};
use crate::q8380417::{NttPoly, Poly, Q};

mod filters;
mod hints;
mod small;
mod standard;

pub use small::SMALL_PRODUCTS;
use standard::{MOST, NO_MODULUS, decompose};

/// The theorems about this ring.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &[
            "q8380417::ntt",
            "q8380417::layers_forward",
            "ntt::twiddles",
            "ntt::zetas",
            "ntt::in_register_forward",
        ],
        results: &[("q8380417::ntt", 42_043_482)],
        claim: "f at each 1753^(2 brv(i) + 1): FIPS 204, Algorithm 41; |f| <= 2^23",
        is_quick: true,
        prove: forward,
    },
    Theorem {
        kernels: &[
            "q8380417::inverse_ntt",
            "q8380417::layers_inverse",
            "q8380417::inverse_last",
            "ntt::in_register_inverse",
        ],
        results: &[("q8380417::inverse_ntt", 6_176_123)],
        claim: "2^32 times the inverse of `ntt`: FIPS 204, Algorithm 42; |f| < q",
        is_quick: true,
        prove: inverse,
    },
    Theorem {
        kernels: &["q8380417::dot"],
        results: &[("q8380417::dot", 5_334_849)],
        claim: "the sum of four, five or seven products a b, over 2^32; 0 <= a < q, |b| < 10 q",
        is_quick: true,
        prove: products,
    },
    Theorem {
        kernels: &["q8380417::dot_minus"],
        results: &[("q8380417::dot_minus", 6_970_051)],
        claim: "the sum of four, five or seven products a b, minus c t, over 2^32; 0 <= a < q, \
                |b| < 10 q, |c| < 10 q, |t| < 10 q",
        is_quick: true,
        prove: products_minus,
    },
    Theorem {
        kernels: &["q8380417::multiply_ntt", "q8380417::add_product"],
        results: &[("q8380417::multiply_ntt", 5_825_410), ("q8380417::add_product", 63_016_646)],
        claim: "a b / 2^32; sum + a b / 2^32; |a| < 10 q, or 0 <= a < q; |b| < 10 q, |sum| < 7 q",
        is_quick: true,
        prove: single_products,
    },
    Theorem {
        kernels: &["q8380417::reduce_sum"],
        results: &[("q8380417::reduce_sum", 4_251_641)],
        claim: "f modulo q; |f| < 8 q",
        is_quick: false,
        prove: reduced_sums,
    },
    Theorem {
        kernels: &["q8380417::decompose_encode"],
        results: &[("q8380417::decompose_encode", 95_232), ("q8380417::decompose_encode", 261_888)],
        claim: "LowBits and w1Encode(HighBits): FIPS 204, Algorithms 36 and 28, of both gamma2; \
                |w| < q",
        is_quick: false,
        prove: decompositions,
    },
    Theorem {
        kernels: &["q8380417::power2round"],
        results: &[],
        claim: "Power2Round: FIPS 204, Algorithm 35, of f + e, encoded; |f| < q, |e| <= 4",
        is_quick: false,
        prove: power_of_two_roundings,
    },
    Theorem {
        kernels: &["q8380417::subtract_within", "q8380417::add_within"],
        results: &[],
        claim: "f -+ sums; true exactly if every one is below the bound, gamma1 - beta or gamma2 - \
                beta of each set; |f| <= 2^19",
        is_quick: false,
        prove: bounds,
    },
    Theorem {
        kernels: &["q8380417::encode_t1", "q8380417::decode_t1"],
        results: &[("q8380417::decode_t1", 8_380_416)],
        claim: "SimpleBitPack in 10 bits, SimpleBitUnpack times 2^13; all bytes",
        is_quick: true,
        prove: codec_of_t1,
    },
    Theorem {
        kernels: &["q8380417::encode_t0", "q8380417::decode_t0"],
        results: &[("q8380417::decode_t0", 4096)],
        claim: "BitPack and BitUnpack of 2^12 - t0 in 13 bits; all bytes",
        is_quick: true,
        prove: codec_of_t0,
    },
    Theorem {
        kernels: &["q8380417::decode_mask", "q8380417::encode_z"],
        results: &[("q8380417::decode_mask", 131_072), ("q8380417::decode_mask", 524_288)],
        claim: "BitUnpack and BitPack of gamma1 - z in 18 and 20 bits; all bytes, |z| < 2^17, \
                |z| < 2^19",
        is_quick: true,
        prove: masks,
    },
    Theorem {
        kernels: &["q8380417::decode_z"],
        results: &[],
        claim: "BitUnpack; true exactly if every |z| is below the bound, gamma1 - beta of each set; \
                all bytes",
        is_quick: false,
        prove: checked_z,
    },
    Theorem {
        kernels: &["q8380417::decode_eta", "q8380417::encode_eta"],
        results: &[],
        claim: "BitUnpack of eta - f, true exactly if every |f| <= eta; all bytes; \
                BitPack of |g| <= 2, |g| <= 4",
        is_quick: true,
        prove: codec_of_eta,
    },
    Theorem {
        kernels: &["q8380417::finish_nibbles"],
        results: &[("q8380417::finish_nibbles", 2), ("q8380417::finish_nibbles", 4)],
        claim: "CoeffFromHalfByte: FIPS 204, Algorithm 15; 0 <= x < 15, 0 <= x < 9",
        is_quick: true,
        prove: nibbles,
    },
    Theorem {
        kernels: &["q8380417::widen"],
        results: &[],
        claim: "the same numbers; all bytes",
        is_quick: true,
        prove: widened,
    },
    Theorem {
        kernels: &["q8380417::use_hint_encode"],
        results: &[],
        claim: "w1Encode(UseHint(h, w)): FIPS 204, Algorithms 40 and 28, of both gamma2; |w| < q, \
                0 <= h <= 1",
        is_quick: false,
        prove: hints::used_hints,
    },
    Theorem {
        kernels: &[
            "q8380417::make_hint",
            "q8380417::each_hints",
            "q8380417::hint_bits",
            "q8380417::append_ones",
        ],
        results: &[],
        claim: "MakeHint: FIPS 204, Algorithm 39, of both gamma2, where r0 and the centred ct0 \
                have a |sum| <= 190462, |sum| <= 523774, and 0 <= w1 < 44, 0 <= w1 < 16; none \
                exactly if some |ct0| >= gamma2; |ct0| <= 8380416, |r0| < 95232, |r0| < 261888; the places of ones in any \
                bits, in order, after any number up to omega, or none if there are fewer",
        is_quick: false,
        prove: hints::new_hints,
    },
    Theorem {
        kernels: &["q8380417::multiply_small", "q8380417::fill_small", "q8380417::index"],
        results: &[],
        claim: "c s: of ML-DSA-65 as two sums, 49 terms, |s| <= 4; of ML-DSA-44 and -87 as one, \
                39 and 60 terms, |s| <= 2; challenges with so many terms and less that have each \
                term at each place once; -s, which plain code computes, is an input of its own; \
                windows of two terms at any places are those of each; s and -s for each value of \
                each coefficient",
        is_quick: true,
        prove: small::small_products,
    },
    Theorem {
        kernels: &["q8380417::reject_block_vartime"],
        results: &[],
        claim: "the fields of 24 bits modulo 2^23 below q, in order, after those of earlier blocks, \
                as many as are missing: FIPS 204, Algorithm 30; all bytes",
        is_quick: true,
        prove: filters::rejections,
    },
    Theorem {
        kernels: &["q8380417::reject_nibbles_vartime"],
        results: &[],
        claim: "the nibbles below 15 and 9, in order, after those of earlier blocks, as many as are \
                missing: FIPS 204, Algorithm 31; all blocks of 136 bytes",
        is_quick: true,
        prove: filters::rejections_of_nibbles,
    },
];

/// Kernels return 2^(32 e) times what their claim says: e of the inverse NTT, and of products.
pub const INVERSE_NTT_POWER: i64 = 1;
/// See above.
pub const PRODUCT_POWER: i64 = -1;

/// gamma1 - beta of ML-DSA-44, -65 and -87, then gamma2 - beta: FIPS 204, table 1. The theorems
/// about checks are proven for these.
pub const BOUNDS: [i32; 6] =
    [(1 << 17) - 78, (1 << 19) - 196, (1 << 19) - 120, 95_232 - 78, 261_888 - 196, 261_888 - 120];

/// Returns the powers of 1753, which has order 512.
fn powers() -> Vec<i64> {
    let mut powers = vec![1];
    (1..512).for_each(|i| powers.push((powers[i - 1] * 1753_i64).rem_euclid(Q.into())));
    powers
}

/// Returns e such that value i is the polynomial at 1753^e (FIPS 204, section 2.5).
fn exponent(i: usize) -> usize {
    2 * usize::from((i as u8).reverse_bits()) + 1
}

/// Returns 2^(32 e) modulo q.
fn scale(e: i64) -> i64 {
    let factor = if e < 0 { (i64::from(Q) + 1) >> 1 } else { 2 };
    (0..32 * e.abs()).fold(1, |x, _| (x * factor).rem_euclid(Q.into()))
}

fn forward(rows: &mut Rows) -> Result<(), String> {
    let powers = powers();
    let check = |k: &Kernel| {
        for i in 0..256 {
            let value = (0..256).map(|j| (j, powers[(exponent(i) * j) & 511]));
            k.is_congruent(k.output(i), &k.linear(value))?;
        }
        k.results_within("q8380417::ntt", 0..256, (-42_043_482, 42_043_482))
    };
    prove!(rows, "ntt", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly, f_hat: NttPoly);
        io.given("|f|", &mut f[..]);
        ntt(s, f, f_hat);
        io.outputs(&f_hat[..]);
    }, |k| check(k); Proof8 Proof32);
    prove!(rows, "layers_forward", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly);
        io.given("|f|", &mut f[..]);
        layers_forward(s, f);
        io.outputs(&f[..]);
    }, |k| check(k); Proof8);
    Ok(())
}

fn inverse(rows: &mut Rows) -> Result<(), String> {
    let powers = powers();
    let check = |k: &Kernel| {
        // 256^-1: FIPS 204, Algorithm 42.
        let scale = (scale(INVERSE_NTT_POWER) * 8_347_681).rem_euclid(Q.into());
        for j in 0..256 {
            let power = |i: usize| powers[((512 - exponent(i)) * j) & 511];
            let inverse = (0..256).map(|i| (i, scale * power(i)));
            k.is_congruent(k.output(j), &k.linear(inverse))?;
        }
        k.results_within("q8380417::inverse_ntt", 0..256, (-6_176_123, 6_176_123))
    };
    prove!(rows, "inverse_ntt", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f_hat: NttPoly, f: Poly);
        io.given("|f|", &mut f_hat[..]);
        inverse_ntt(s, f_hat, f);
        io.outputs(&f[..]);
    }, |k| check(k); Proof8 Proof32);
    prove!(rows, "layers_inverse", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: NttPoly);
        io.given("|f|", &mut f[..]);
        layers_inverse(s, f);
        io.outputs(&f[..]);
    }, |k| check(k); Proof8);
    Ok(())
}

/// Returns the product of two inputs, times 2^(32 e).
fn product(k: &Kernel, a: usize, b: usize) -> Form {
    k.product(&k.linear([(a, scale(PRODUCT_POWER))]), &k.linear([(b, 1)])).expect("degree two")
}

/// Returns the sum of `count` products; the first inputs are `count` polynomials a, then as many b.
fn sum_of_products(k: &Kernel, count: usize, i: usize) -> Form {
    let product = |j: usize| product(k, 256 * j + i, 256 * (count + j) + i);
    (1..count).fold(product(0), |sum, j| k.sum(&sum, &product(j), 1))
}

fn products(rows: &mut Rows) -> Result<(), String> {
    for (n, most) in [(4, 4_844_289), (5, 5_007_809), (7, 5_334_849)] {
        prove!(rows, format!("dot of {n}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(a: [Entry; 7], b: [NttPoly; 7], c: NttPoly);
            let (a, b) = (&mut a[..n], &mut b[..n]);
            a.iter_mut().for_each(|a| io.given("a", &mut a[..256]));
            b.iter_mut().for_each(|b| io.given("|b|", &mut b[..]));
            dot(s, a, b, c);
            io.outputs(&c[..]);
        }, |k| {
            (0..256).try_for_each(|i| k.is_congruent(k.output(i), &sum_of_products(k, n, i)))?;
            k.results_within("q8380417::dot", 0..256, (-most, most))
        }; Proof8 Proof32);
    }
    Ok(())
}

fn products_minus(rows: &mut Rows) -> Result<(), String> {
    for (n, most) in [(4, 6_479_491), (5, 6_643_011), (7, 6_970_051)] {
        prove!(rows, format!("dot_minus of {n}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(a: [Entry; 7], b: [NttPoly; 7], c: NttPoly, t: NttPoly, result: NttPoly);
            let (a, b) = (&mut a[..n], &mut b[..n]);
            a.iter_mut().for_each(|a| io.given("a", &mut a[..256]));
            b.iter_mut().for_each(|b| io.given("|b|", &mut b[..]));
            io.given("|c|", &mut c[..]);
            io.given("|t|", &mut t[..]);
            dot_minus(s, a, b, (c, t), result);
            io.outputs(&result[..]);
        }, |k| {
            let (c, t) = (2 * n * 256, (2 * n + 1) * 256);
            let wanted = |i: usize| {
                k.sum(&sum_of_products(k, n, i), &product(k, c + i, t + i), Q as u64 - 1)
            };
            (0..256).try_for_each(|i| k.is_congruent(k.output(i), &wanted(i)))?;
            k.results_within("q8380417::dot_minus", 0..256, (-most, most))
        }; Proof8 Proof32);
    }
    Ok(())
}

fn single_products(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "multiply_ntt, add_product", modulo Q, limit 1 << 16; |s, io| {
        scratch!(a: NttPoly, b: NttPoly, result: NttPoly, first: [i32; 256], sum: NttPoly);
        io.given("|a|", &mut a[..]);
        io.given("|b|", &mut b[..]);
        io.given("a", first);
        io.given("|sum|", &mut sum[..]);
        multiply_ntt(s, a, b, result);
        io.outputs(&result[..]);
        add_product(s, first, b, sum);
        io.outputs(&sum[..]);
    }, |k| {
        for i in 0..256 {
            k.is_congruent(k.output(i), &product(k, i, 256 + i))?;
            let sum = k.sum(&product(k, 512 + i, 256 + i), &k.linear([(3 * 256 + i, 1)]), 1);
            k.is_congruent(k.output(256 + i), &sum)?;
        }
        k.results_within("q8380417::multiply_ntt", 0..256, (-5_825_410, 5_825_410))?;
        k.results_within("q8380417::add_product", 256..512, (-63_016_646, 63_016_646))
    }; Proof8 Proof32);
    Ok(())
}

fn reduced_sums(rows: &mut Rows) -> Result<(), String> {
    // The limit admits each of the 2^27 numbers.
    prove!(rows, "reduce_sum", modulo Q, limit 1 << 28; |s, io| {
        scratch!(f: NttPoly, g: NttPoly);
        io.given("|f|", &mut f[..]);
        reduce_sum(s, f, g);
        io.outputs(&g[..]);
    }, |k| {
        (0..256).try_for_each(|i| k.is_congruent(k.output(i), &k.linear([(i, 1)])))?;
        k.results_within("q8380417::reduce_sum", 0..256, (-4_251_641, 4_251_641))
    }; Proof8 Proof32);
    Ok(())
}

fn decompositions(rows: &mut Rows) -> Result<(), String> {
    for (m, bits) in [(16, 4), (44, 6)] {
        let gamma2 = MOST.div_euclid(2 * i64::from(m));
        prove!(rows, format!("decompose_encode, m = {m}"), modulo Q, limit 1 << 25; |s, io| {
            scratch!(w: Poly);
            let mut bytes = unwritten(32 * bits);
            io.given("|w|", &mut w[..]);
            decompose_encode(s, m, w, &mut bytes);
            io.outputs(&w[..]);
            io.output_fields(&bytes, bits);
        }, |k| {
            let parts = |x: i64| decompose(x.rem_euclid(Q.into()), m.into());
            k.maps(0, 0..256, |x| parts(x).1)?;
            k.maps(0, 256..512, |x| parts(x).0)?;
            k.results_within("q8380417::decompose_encode", 0..256, (-gamma2, gamma2))
        }; Proof8 Proof32);
    }
    Ok(())
}

/// Returns the high part, and 2^12 minus the low part, as encoded: FIPS 204, Algorithm 35.
fn rounded(x: i64) -> (i64, i64) {
    let t = x.rem_euclid(Q.into());
    let high = (t + 4095) >> 13;
    (high, 4096 - (t - (high << 13)))
}

fn power_of_two_roundings(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "power2round", modulo Q, limit 1 << 25; |s, io| {
        scratch!(f: Poly, e: Poly, t1: [u8; 320], t0: [u8; 416]);
        io.given("|f|", &mut f[..]);
        io.given("|e|", &mut e[..]);
        power2round(s, f, e, t1, t0);
        io.output_fields(t1, 10);
        io.output_fields(t0, 13);
    }, |k| {
        let high = k.are_function(k.outputs(0..256), |x| rounded(x).0)?;
        if high != k.are_function(k.outputs(256..512), |x| rounded(x).1)? {
            return Err("high and low parts come from different sums".into());
        }
        (0..256).try_for_each(|i| k.is_congruent(high[i], &k.linear([(i, 1), (256 + i, 1)])))?;
        k.outputs_within(0..256, (0, 1023))
    }; Proof8 Proof32);
    Ok(())
}

fn bounds(rows: &mut Rows) -> Result<(), String> {
    for (bound, (name, sign)) in
        BOUNDS.into_iter().flat_map(|bound| [("add", 1), ("subtract", -1)].map(|of| (bound, of)))
    {
        prove!(rows, format!("{name}_within {bound}"), modulo NO_MODULUS, limit 1 << 21; |s, io| {
            scratch!(f: Poly, sums: Sums);
            io.given("|f|", &mut f[..]);
            io.inputs(&mut sums[0][..], -128..=127);
            io.inputs(&mut sums[1][..], -128..=127);
            let within = if sign == 1 {
                add_within(s, f, sums, bound)
            } else {
                subtract_within(s, f, sums, bound)
            };
            io.outputs(&f[..]);
            io.result(within.into());
        }, |k| {
            let mut outputs: Vec<Id> = k.outputs(0..256).collect();
            outputs.sort_unstable();
            if k.returns_whether_all(|x| x.abs() < bound.into())? != outputs {
                return Err("decided by other numbers".into());
            }
            for i in 0..256 {
                let sum = [(i, 1), (256 + i, sign), (512 + i, sign)];
                k.is_congruent(k.output(i), &k.linear(sum))?;
            }
            Ok(())
        }; Proof8 Proof32);
    }
    Ok(())
}

fn codec_of_t1(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "decode_t1, encode_t1", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly, t1: Poly, bytes: [u8; 320], again: [u8; 320]);
        io.fields(bytes, 10);
        io.inputs(&mut t1[..], 0..=1023);
        decode_t1(s, bytes, f);
        io.outputs(&f[..]);
        encode_t1(s, t1, again);
        io.output_fields(again, 10);
    }, |k| {
        k.maps(0, 0..256, |x| x << 13)?;
        k.maps(256, 256..512, |x| x)?;
        k.results_within("q8380417::decode_t1", 0..256, (0, 1023 << 13))
    }; Proof8 Proof32);
    Ok(())
}

fn codec_of_t0(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "decode_t0, encode_t0", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly, bytes: [u8; 416], again: [u8; 416]);
        io.fields(bytes, 13);
        decode_t0(s, bytes, f);
        io.outputs(&f[..]);
        encode_t0(s, f, again);
        io.output_fields(again, 13);
    }, |k| {
        k.maps(0, 0..256, |x| 4096 - x)?;
        k.maps(0, 256..512, |x| x)?;
        k.results_within("q8380417::decode_t0", 0..256, (-4095, 4096))
    }; Proof8 Proof32);
    Ok(())
}

fn masks(rows: &mut Rows) -> Result<(), String> {
    for bits in [18, 20] {
        let gamma1 = 1 << (bits - 1);
        let case = format!("decode_mask, encode_z, {bits} bits");
        prove!(rows, case, modulo Q, limit 1 << 21; |s, io| {
            scratch!(f: Poly);
            let (mut bytes, mut again) = (unwritten(32 * bits), unwritten(32 * bits));
            io.fields(&mut bytes, bits);
            decode_mask(s, bits, &bytes, f);
            io.outputs(&f[..]);
            scratch!(z: Poly);
            io.given_within("|z|", &mut z[..], 1 - gamma1..=gamma1 - 1);
            encode_z(s, bits, z, &mut again);
            io.output_fields(&again, bits);
        }, |k| {
            k.maps(0, 0..256, |x| gamma1 - x)?;
            k.maps(256, 256..512, |x| gamma1 - x)?;
            k.results_within("q8380417::decode_mask", 0..256, (1 - gamma1, gamma1))
        }; Proof8 Proof32);
    }
    Ok(())
}

fn checked_z(rows: &mut Rows) -> Result<(), String> {
    for (bits, bound) in [18, 20, 20].into_iter().zip(BOUNDS) {
        let case = format!("decode_z, {bits} bits, bound {bound}");
        prove!(rows, case, modulo Q, limit 1 << 21; |s, io| {
            scratch!(f: Poly);
            let mut bytes = unwritten(32 * bits);
            io.fields(&mut bytes, bits);
            let within = decode_z(s, bits, &bytes, f, bound);
            io.outputs(&f[..]);
            io.result(within.into());
        }, |k| {
            let gamma1 = 1 << (bits - 1);
            if k.returns_whether_all(|x| (gamma1 - x).abs() < bound.into())? != k.inputs() {
                return Err("decided by other numbers".into());
            }
            k.maps(0, 0..256, |x| gamma1 - x)
        }; Proof8 Proof32);
    }
    Ok(())
}

fn codec_of_eta(rows: &mut Rows) -> Result<(), String> {
    for (eta, bits) in [(2, 3), (4, 4)] {
        let case = format!("decode_eta, encode_eta, eta = {eta}");
        prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
            scratch!(f: [i8; 256], g: Poly);
            let (mut bytes, mut again) = (unwritten(32 * bits), unwritten(32 * bits));
            io.fields(&mut bytes, bits);
            let within = decode_eta(s, eta, &bytes, f);
            io.outputs(&f[..]);
            io.result(within.into());
            io.given_within("|g|", &mut g[..], i64::from(-eta)..=i64::from(eta));
            encode_eta(s, eta, g, &mut again);
            io.output_fields(&again, bits);
        }, |k| {
            let eta = i64::from(eta);
            if k.returns_whether_all(|x| x <= 2 * eta)? != k.inputs()[..256] {
                return Err("decided by other numbers".into());
            }
            k.maps(0, 0..256, |x| eta - x)?;
            k.maps(256, 256..512, |x| eta - x)
        }; Proof8 Proof32);
    }
    Ok(())
}

fn nibbles(rows: &mut Rows) -> Result<(), String> {
    for (eta, below) in [(2, 15), (4, 9)] {
        prove!(rows, format!("finish_nibbles, eta = {eta}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(nibbles: Entry<()>, f: Poly);
            io.given_within("x", &mut nibbles[..256], 0..=below - 1);
            finish_nibbles(s, eta, nibbles, f);
            io.outputs(&f[..]);
        }, |k| {
            let eta = i64::from(eta);
            let small = |x: i64| eta - if eta == 2 { x.rem_euclid(5) } else { x };
            k.maps(0, 0..256, small)?;
            k.results_within("q8380417::finish_nibbles", 0..256, (-eta, eta))
        }; Proof8 Proof32);
    }
    Ok(())
}

fn widened(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "widen", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: [i8; 256], wide: Poly);
        io.inputs(f, -128..=127);
        widen(s, f, wide);
        io.outputs(&wide[..]);
    }, |k| {
        k.maps(0, 0..256, |x| x)?;
        k.outputs_within(0..256, (-128, 127))
    }; Proof8 Proof32);
    Ok(())
}
