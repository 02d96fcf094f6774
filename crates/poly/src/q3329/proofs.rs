//! Proofs of what the kernels compute, for every input, against FIPS 203.
use core::iter;
use core::ops::Range;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::{Form, Kernel, Rows, Theorem, prove};
use oaklath_simd::{I16s, Simd, dispatch, scratch};

use crate::offset;
use crate::proofs::FilteredBlock;
use crate::q3329::compress::{
    decode_12, decode_12_checked, decompress_message, decompress_u, encode_12,
    encode_12_from_montgomery, encode_u, encode_v,
};
use crate::q3329::ntt::{inverse_ntt, ntt};
use crate::q3329::product::{Factor, dot, dot_encode_12, prepare};
use crate::q3329::sample::{Entry, ROW, cbd_2, cbd_3, reject_block_vartime, reject_bytes_vartime};
use crate::q3329::{NttPoly, Poly, barrett, canonical, multiply_by};

/// q of FIPS 203.
const Q: i64 = 3329;

/// Kernels return 2^(16 e) times what their claim says, or take it: e of the inverse NTT, of sums
/// of products, of noise in Montgomery form, and of what `encode_12_from_montgomery` makes of it.
pub const INVERSE_NTT_POWER: i64 = 1;
/// See above.
pub const DOT_POWER: i64 = -1;
/// See above.
pub const NOISE_POWER: i64 = 1;
/// See above.
pub const ENCODING_POWER: i64 = -1;

/// The theorems about this ring.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["q3329::ntt"],
        results: &[("q3329::ntt", 16118)],
        claim: "f modulo each x^2 - 17^(2 brv(i) + 1): FIPS 203, Algorithm 9; |f| <= 3329",
        is_quick: true,
        prove: forward,
    },
    Theorem {
        kernels: &["q3329::inverse_ntt", "q3329::inverse_last"],
        results: &[("q3329::inverse_ntt", 16864)],
        claim: "2^16 times the inverse of `ntt`: FIPS 203, Algorithm 10; |f| <= 9942",
        is_quick: true,
        prove: inverse,
    },
    Theorem {
        kernels: &["q3329::dot", "q3329::prepare"],
        results: &[("q3329::dot", 9942), ("q3329::prepare", 16560)],
        claim: "the sum of two to four products a b modulo each x^2 - gamma, over 2^16: FIPS 203, \
                Algorithms 11 and 12; 0 <= a <= 4095, |b| <= 16560",
        is_quick: true,
        prove: products,
    },
    Theorem {
        kernels: &["q3329::dot_encode_12"],
        results: &[],
        claim: "ByteEncode_12 of a part of that sum plus e, in whole vectors, and no other bytes; \
                0 <= a <= 4095, |b| <= 16560, |e| <= 16560",
        is_quick: true,
        prove: encoded_products,
    },
    Theorem {
        kernels: &["q3329::barrett", "q3329::canonical", "q3329::multiply_by"],
        results: &[("q3329::barrett", 2160), ("q3329::barrett", 2108)],
        claim: "x modulo q; canonical; 1664 x / 2^16; any x",
        is_quick: true,
        prove: reductions,
    },
    Theorem {
        kernels: &["q3329::encode_u"],
        results: &[],
        claim: "ByteEncode_D(Compress_D(u + e1)), D = 10 and 11; |u| <= 19560, |e1| <= 3",
        is_quick: true,
        prove: encodings_of_u,
    },
    Theorem {
        kernels: &["q3329::encode_v"],
        results: &[],
        claim: "ByteEncode_D(Compress_D(v + e2 + Decompress_1(m))), D = 4 and 5; any v, |e2| <= 3",
        is_quick: true,
        prove: encodings_of_v,
    },
    Theorem {
        kernels: &["q3329::decompress_u"],
        results: &[("q3329::decompress_u", 3327)],
        claim: "Decompress_D(ByteDecode_D), D = 10 and 11; all bytes",
        is_quick: true,
        prove: decompressions_of_u,
    },
    Theorem {
        kernels: &["q3329::decompress_message"],
        results: &[],
        claim: "ByteEncode_1(Compress_1(Decompress_D(ByteDecode_D) - w)), D = 4 and 5; all bytes, \
                |w| <= 19560",
        is_quick: true,
        prove: messages,
    },
    Theorem {
        kernels: &["q3329::encode_12_from_montgomery"],
        results: &[],
        claim: "ByteEncode_12(f / 2^16); any f",
        is_quick: true,
        prove: encodings_from_montgomery,
    },
    Theorem {
        kernels: &["q3329::decode_12", "q3329::encode_12"],
        results: &[("q3329::decode_12", 4095)],
        claim: "ByteDecode_12 without reduction, ByteEncode_12; all bytes",
        is_quick: true,
        prove: twelve_bits,
    },
    Theorem {
        kernels: &["q3329::decode_12_checked"],
        results: &[],
        claim: "true exactly if every field is below q: FIPS 203, 7.2; all bytes",
        is_quick: true,
        prove: checked_decoding,
    },
    Theorem {
        kernels: &["q3329::cbd_2", "q3329::cbd_3"],
        results: &[
            ("q3329::cbd_2", 2),
            ("q3329::cbd_2", 1241),
            ("q3329::cbd_3", 3),
            ("q3329::cbd_3", 2285),
        ],
        claim: "SamplePolyCBD: FIPS 203, Algorithm 8, plain and times 2^16; all bytes",
        is_quick: true,
        prove: samples,
    },
    Theorem {
        kernels: &["q3329::reject_block_vartime"],
        results: &[],
        claim: "the fields of 12 bits below q, in order, after those of earlier blocks, as many as \
                are missing: FIPS 203, Algorithm 7; all bytes",
        is_quick: true,
        prove: rejections,
    },
    Theorem {
        kernels: &["q3329::reject_bytes_vartime"],
        results: &[],
        claim: "the fields of 12 bits below q, in order, up to 256: FIPS 203, Algorithm 7; three \
                bytes after any number of coefficients",
        is_quick: true,
        prove: rejections_of_bytes,
    },
];

/// Returns a power modulo q.
fn power(base: i64, exponent: i64) -> i64 {
    (0..exponent.rem_euclid(Q - 1)).fold(1, |product, _| (product * base).rem_euclid(Q))
}

/// Returns 2^(16 e) modulo q.
fn scale(e: i64) -> i64 {
    power(2, 16 * e)
}

/// Returns a power of gamma = 17^(2 brv(i) + 1): pair i is modulo x^2 - gamma (FIPS 203, 4.3).
/// 17 has order 256.
fn gamma(i: usize, exponent: i64) -> i64 {
    let reversed = i64::from((i as u8).reverse_bits() >> 1);
    power(17, (exponent * (2 * reversed + 1)).rem_euclid(256))
}

/// The first numbers 17^(2 brv(i) + 1) of FIPS 203, Appendix A.
const APPENDIX_A: [i64; 8] = [17, -17, 2761, -2761, 583, -583, 2649, -2649];

fn forward(rows: &mut Rows) -> Result<(), String> {
    if (0..8).any(|i| gamma(i, 1) != APPENDIX_A[i].rem_euclid(Q)) {
        return Err("the roots are not those of FIPS 203, Appendix A".into());
    }
    prove!(rows, "ntt", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly, f_hat: NttPoly);
        io.given("|f|", &mut f[..]);
        ntt(s, f, f_hat);
        io.outputs(&f_hat[..]);
    }, |k| {
        for i in 0..256 {
            // The remainder of f modulo x^2 - gamma.
            let remainder = (0..128).map(|j| (2 * j + (i & 1), gamma(i >> 1, j as i64)));
            k.is_congruent(k.output(i), &k.linear(remainder))?;
        }
        k.results_within("q3329::ntt", 0..256, (-16118, 16118))
    });
    Ok(())
}

/// Returns the coefficient in f of the residue modulo x^2 - gamma of pair i, for that of f at
/// x^(2 m) and x^(2 m + 1). By Lagrange: the sum over i of gamma^k is zero for 0 < |k| < 128, so a
/// coefficient is 1/128 of the sum of all residues times gamma^-m.
fn lagrange(i: usize, m: usize) -> i64 {
    (power(128, -1) * gamma(i, -(m as i64))).rem_euclid(Q)
}

/// Checks that [`lagrange`] is the inverse of what the theorem about `ntt` claims.
fn check_lagrange() -> Result<(), String> {
    let forward: Vec<[i64; 128]> =
        (0..128).map(|m| core::array::from_fn(|i| gamma(i, m))).collect();
    for m in 0..128 {
        let back: [i64; 128] = core::array::from_fn(|i| lagrange(i, m));
        for (j, row) in forward.iter().enumerate() {
            let sum = back.iter().zip(row).fold(0, |sum, (a, b)| sum + a * b);
            if sum.rem_euclid(Q) != i64::from(j == m) {
                return Err(format!("{j}, {m}: not the inverse"));
            }
        }
    }
    Ok(())
}

fn inverse(rows: &mut Rows) -> Result<(), String> {
    check_lagrange()?;
    prove!(rows, "inverse_ntt", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f_hat: NttPoly, f: Poly);
        io.given("|f|", &mut f_hat[..]);
        inverse_ntt(s, f_hat, f);
        io.outputs(&f[..]);
    }, |k| {
        for j in 0..256 {
            let scale = scale(INVERSE_NTT_POWER);
            let inverse = (0..128).map(|i| (2 * i + (j & 1), scale * lagrange(i, j >> 1)));
            k.is_congruent(k.output(j), &k.linear(inverse))?;
        }
        k.results_within("q3329::inverse_ntt", 0..256, (-16864, 16864))
    });
    Ok(())
}

/// Returns the sum of `a_j` `b_j` modulo x^2 - gamma, times 2^(16 e), as a form of the inputs.
fn sum_of_products(k: &Kernel, count: usize, i: usize) -> Form {
    let unit = |n: usize, x: i64| k.linear([(n, x)]);
    let scale = scale(DOT_POWER);
    let (even, mut sum) = (i & !1, k.linear([]));
    for j in 0..count {
        let (a, b) = (256 * j + even, 256 * (count + j) + even);
        let pairs = if i & 1 == 0 {
            [(a, b, 1), (a + 1, b + 1, gamma(i >> 1, 1))]
        } else {
            [(a, b + 1, 1), (a + 1, b, 1)]
        };
        for (a, b, factor) in pairs {
            let product = k.product(&unit(a, scale * factor), &unit(b, 1)).expect("degree two");
            sum = k.sum(&sum, &product, 1);
        }
    }
    sum
}

fn products(rows: &mut Rows) -> Result<(), String> {
    products_of::<2>(rows, 5803)?;
    products_of::<3>(rows, 7872)?;
    products_of::<4>(rows, 9942)
}

fn products_of<const K: usize>(rows: &mut Rows, most: i64) -> Result<(), String> {
    prove!(rows, format!("prepare, dot of {K}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(a: [[i16; 256]; K], b: [NttPoly; K], factors: [Factor; K], result: NttPoly);
        a.iter_mut().for_each(|a| io.given("a", a));
        b.iter_mut().for_each(|b| io.given("|b|", &mut b[..]));
        b.iter().zip(&mut *factors).for_each(|(b, factor)| prepare(s, b, factor));
        dot(s, a.each_ref(), factors, result);
        io.outputs(&result[..]);
        factors.iter().for_each(|factor| io.outputs(factor.as_flattened()));
    }, |k| {
        (0..256).try_for_each(|i| k.is_congruent(k.output(i), &sum_of_products(k, K, i)))?;
        k.results_within("q3329::prepare", 256..(2 * K + 1) * 256, (-16560, 16560))?;
        k.results_within("q3329::dot", 0..256, (-most, most))
    });
    Ok(())
}

fn encoded_products(rows: &mut Rows) -> Result<(), String> {
    encoded_products_of::<2>(rows)?;
    encoded_products_of::<3>(rows)?;
    encoded_products_of::<4>(rows)
}

/// All coefficients, or the first vector, the second one and the rest.
const PARTS: [(&str, PartsOfRow); 2] = [
    ("", |_| iter::once(0..256).collect()),
    (", in parts", |lanes| vec![0..lanes, lanes..2 * lanes, 2 * lanes..256]),
];

type PartsOfRow = fn(usize) -> Vec<Range<usize>>;

/// Encodes each part over `before`, and writes it to `bytes`. Returns what is around each.
#[inline(always)]
fn encoded_parts<S: Simd, const K: usize>(
    s: S,
    (a, b, e): ([&[i16; 256]; K], &[Factor; K], &NttPoly),
    parts: PartsOfRow,
    before: &[u8; 384],
    bytes: &mut [u8; 384],
) -> Vec<[u8; 384]> {
    let mut around = Vec::new();
    for part in parts(S::I16::LANES) {
        let mut encoded = *before;
        let inside = offset::<12>(part.start)..offset::<12>(part.end);
        dot_encode_12(s, a, b, e, part, &mut encoded);
        bytes[inside.clone()].copy_from_slice(&encoded[inside.clone()]);
        encoded[inside.clone()].copy_from_slice(&before[inside]);
        around.push(encoded);
    }
    around
}

fn encoded_products_of<const K: usize>(rows: &mut Rows) -> Result<(), String> {
    for (case, parts) in PARTS {
        prove!(rows, format!("dot_encode_12 of {K}{case}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(a: [[i16; 256]; K], b: [NttPoly; K], e: NttPoly);
            scratch!(factors: [Factor; K], before: [u8; 384], bytes: [u8; 384]);
            a.iter_mut().for_each(|a| io.given("a", a));
            b.iter_mut().for_each(|b| io.given("|b|", &mut b[..]));
            io.given("|e|", &mut e[..]);
            io.fields(before, 12);
            b.iter().zip(&mut *factors).for_each(|(b, factor)| prepare(s, b, factor));
            let row = (a.each_ref(), &*factors, &*e);
            let around = encoded_parts(s, row, parts, before, bytes);
            io.output_fields(bytes, 12);
            around.iter().for_each(|bytes| io.output_fields(bytes, 12));
        }, |k| {
            let sums = k.are_function(k.outputs(0..256), |x| x.rem_euclid(3329))?;
            for (i, sum) in sums.into_iter().enumerate() {
                let products = sum_of_products(k, K, i);
                k.is_congruent(sum, &k.sum(&products, &k.linear([(512 * K + i, 1)]), 1))?;
            }
            let mut around = (256..k.count_outputs()).step_by(256);
            around.try_for_each(|i| k.maps(256 * (2 * K + 1), i..i + 256, |x| x))?;
            k.outputs_within(0..256, (0, 3328))
        });
    }
    Ok(())
}

/// Applies each reduction to one vector, and returns its first lanes.
#[inline(always)]
fn reduced<S: Simd>(s: S, x: &[i16; 32]) -> [i16; 3] {
    scratch!(out: [[i16; 32]; 3]);
    let v = S::I16::load(s, x);
    barrett(s, v).store(&mut out[0]);
    canonical(s, v).store(&mut out[1]);
    multiply_by(s, v, 1664).store(&mut out[2]);
    out.map(|lanes| lanes[0])
}

fn reductions(rows: &mut Rows) -> Result<(), String> {
    for (most, barrett) in [(29500, 2108), (32767, 2160)] {
        prove!(rows, format!("|x| <= {most}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(x: [i16; 32]);
            io.inputs(x, -most - i64::from(most == 32767)..=most);
            io.outputs(&reduced(s, x));
        }, |k| {
            k.is_congruent(k.output(0), &k.linear([(0, 1)]))?;
            k.are_function([k.output(1)], |x| x.rem_euclid(3329))?;
            k.is_congruent(k.output(2), &k.linear([(0, 1664 * scale(-1))]))?;
            k.results_within("q3329::barrett", 0..1, (-barrett, barrett))
        });
    }
    Ok(())
}

/// Returns round(2^d x / q) modulo 2^d (FIPS 203, section 4.2.1).
fn compress(x: i64, d: usize) -> i64 {
    ((x.rem_euclid(3329) << (d + 1)) + 3329).div_euclid(2 * 3329) & ((1 << d) - 1)
}

/// Returns round(q y / 2^d).
fn decompressed(y: i64, d: usize) -> i64 {
    (y * 3329 * 2 + (1 << d)) >> (d + 1)
}

fn encodings_of_u(rows: &mut Rows) -> Result<(), String> {
    encodings_of_u_in::<10>(rows)?;
    encodings_of_u_in::<11>(rows)
}

fn encodings_of_u_in<const D: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("encode_u, D = {D}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(u: Poly, e1: Poly);
        let mut bytes = unwritten(32 * D);
        io.given("|u|", &mut u[..]);
        io.given("|e1|", &mut e1[..]);
        encode_u::<_, D>(s, u, e1, &mut bytes);
        io.output_fields(&bytes, D);
    }, |k| {
        let sums = k.are_function(k.outputs(0..256), |x| compress(x, D))?;
        for (i, sum) in sums.into_iter().enumerate() {
            k.is_congruent(sum, &k.linear([(i, 1), (256 + i, 1)]))?;
        }
        k.outputs_within(0..256, (0, (1 << D) - 1))
    });
    Ok(())
}

fn encodings_of_v(rows: &mut Rows) -> Result<(), String> {
    encodings_of_v_in::<4>(rows)?;
    encodings_of_v_in::<5>(rows)
}

fn encodings_of_v_in<const D: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("encode_v, D = {D}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(v: Poly, e2: Poly, m: [u8; 32]);
        let mut bytes = unwritten(32 * D);
        io.inputs(&mut v[..], -32768..=32767);
        io.given("|e2|", &mut e2[..]);
        io.fields(m, 1);
        encode_v::<_, D>(s, v, e2, m, &mut bytes);
        io.output_fields(&bytes, D);
    }, |k| {
        let sums = k.are_function(k.outputs(0..256), |x| compress(x, D))?;
        for (i, sum) in sums.into_iter().enumerate() {
            k.is_congruent(sum, &k.linear([(i, 1), (256 + i, 1), (512 + i, (3329 + 1) >> 1)]))?;
        }
        k.outputs_within(0..256, (0, (1 << D) - 1))
    });
    Ok(())
}

fn decompressions_of_u(rows: &mut Rows) -> Result<(), String> {
    decompressions_of_u_in::<10>(rows)?;
    decompressions_of_u_in::<11>(rows)
}

fn decompressions_of_u_in<const D: usize>(rows: &mut Rows) -> Result<(), String> {
    let most = decompressed((1 << D) - 1, D);
    prove!(rows, format!("decompress_u, D = {D}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(u: Poly);
        let mut bytes = unwritten(32 * D);
        io.fields(&mut bytes, D);
        decompress_u::<_, D>(s, &bytes, u);
        io.outputs(&u[..]);
    }, |k| {
        k.maps(0, 0..256, |y| decompressed(y, D))?;
        k.results_within("q3329::decompress_u", 0..256, (0, most))
    });
    Ok(())
}

fn messages(rows: &mut Rows) -> Result<(), String> {
    messages_in::<4>(rows)?;
    messages_in::<5>(rows)
}

fn messages_in<const D: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("decompress_message, D = {D}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(w: Poly, m: [u8; 32]);
        let mut bytes = unwritten(32 * D);
        io.fields(&mut bytes, D);
        io.given("|w|", &mut w[..]);
        decompress_message::<_, D>(s, &bytes, w, m);
        io.output_fields(m, 1);
    }, |k| {
        let differences = k.are_function(k.outputs(0..256), |x| compress(x, 1))?;
        for (i, difference) in differences.into_iter().enumerate() {
            let (v, w) = k.arguments_of_difference(difference)?;
            let fields = k.are_function([v], |y| decompressed(y, D))?;
            if (fields[0], w) != (k.input(i), k.input(256 + i)) {
                return Err(format!("bit {i} depends on other inputs"));
            }
        }
        k.outputs_within(0..256, (0, 1))
    });
    Ok(())
}

fn encodings_from_montgomery(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "encode_12_from_montgomery", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: NttPoly, bytes: [u8; 384]);
        io.inputs(&mut f[..], -32768..=32767);
        encode_12_from_montgomery(s, f, bytes);
        io.output_fields(bytes, 12);
    }, |k| {
        let scale = scale(ENCODING_POWER);
        k.maps(0, 0..256, |x| (x * scale).rem_euclid(3329))?;
        k.outputs_within(0..256, (0, 3328))
    });
    Ok(())
}

fn twelve_bits(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "decode_12, encode_12", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: NttPoly, bytes: [u8; 384], again: [u8; 384]);
        io.fields(bytes, 12);
        decode_12(s, bytes, f);
        io.outputs(&f[..]);
        encode_12(s, f, again);
        io.output_fields(again, 12);
    }, |k| {
        k.maps(0, 0..256, |x| x)?;
        k.maps(0, 256..512, |x| x)?;
        k.results_within("q3329::decode_12", 0..256, (0, 4095))
    });
    Ok(())
}

fn checked_decoding(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "decode_12_checked", modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: NttPoly, bytes: [u8; 384]);
        io.fields(bytes, 12);
        let fine = decode_12_checked(s, bytes, f);
        io.outputs(&f[..]);
        io.result(fine.into());
    }, |k| {
        if k.returns_whether_all(|x| x < 3329)? != k.inputs() {
            return Err("decided by other numbers".into());
        }
        k.maps(0, 0..256, |x| x)
    });
    Ok(())
}

/// Returns the number of ones in the low `eta` bits minus that in the bits above.
fn noise(x: i64, eta: u32) -> i64 {
    let low = (1 << eta) - 1;
    i64::from((x & low).count_ones()) - i64::from((x >> eta).count_ones())
}

fn samples(rows: &mut Rows) -> Result<(), String> {
    samples_of(rows, ("q3329::cbd_2", 2), 1241)?;
    samples_of(rows, ("q3329::cbd_3", 3), 2285)
}

fn samples_of(
    rows: &mut Rows,
    (kernel, eta): (&'static str, u32),
    most: i64,
) -> Result<(), String> {
    prove!(rows, format!("cbd_{eta}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly, scaled: Poly);
        let mut bytes = unwritten(64 * eta as usize);
        io.fields(&mut bytes, 2 * eta as usize);
        if eta == 2 {
            cbd_2::<_, false>(s, &bytes, f);
            cbd_2::<_, true>(s, &bytes, scaled);
        } else {
            cbd_3::<_, false>(s, &bytes, f);
            cbd_3::<_, true>(s, &bytes, scaled);
        }
        io.outputs(&f[..]);
        io.outputs(&scaled[..]);
    }, |k| {
        k.maps(0, 0..256, |x| noise(x, eta))?;
        let scale = scale(NOISE_POWER);
        let is_scaled = |x: i64, y: i64| (scale * noise(x, eta) - y).rem_euclid(3329) == 0;
        k.relates(0, 256..512, is_scaled)?;
        k.results_within(kernel, 0..256, (-i64::from(eta), i64::from(eta)))?;
        k.results_within(kernel, 256..512, (-most, most))
    });
    Ok(())
}

fn rejections(rows: &mut Rows) -> Result<(), String> {
    for from in [0, 86, 128] {
        prove!(rows, format!("from coefficient {from}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(entry: Entry);
            let mut row = [0xff; ROW];
            io.fields(&mut row[..168], 12);
            let n = reject_block_vartime(s, &row, entry, from);
            io.outputs(&entry[from..n]);
        }, |k| {
            k.keeps_below(Q)?;
            k.maps(0, 0..112, |x| x)
        });
    }
    // Where the block is the last one: the tape ends where all are kept.
    for from in [172, 200, 250, 255, 256] {
        let case = format!("from coefficient {from}, all below q");
        prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
            scratch!(entry: Entry);
            let mut row = [0xff; ROW];
            io.fields_within(&mut row[..168], 12, 0..=3328);
            let n = reject_block_vartime(s, &row, entry, from);
            io.outputs(&entry[from..n]);
            io.result(n as i64);
        }, |k| {
            if k.results() != [256] {
                return Err(format!("{:?} numbers", k.results()));
            }
            k.maps(0, 0..256 - from, |x| x)
        });
    }
    let block = FilteredBlock { fields: 112, bits: 12, below: 3329, most: 256 };
    rows.try_all("each number of coefficients", &|| {
        block.try_each_number(&|level, bytes, n| {
            let (mut row, mut entry) = ([0xff; ROW], Entry::new([-1; 288]));
            row[..168].copy_from_slice(bytes);
            let end = dispatch!(level, s => reject_block_vartime(s, &row, &mut entry, n));
            entry[..end].iter().map(|x| i32::from(*x)).collect()
        })
    })
}

/// Three bytes are two fields, which plain code compares: each is tried beside others of both
/// outcomes, and each pair of outcomes at each number of coefficients.
fn rejections_of_bytes(rows: &mut Rows) -> Result<(), String> {
    const OTHERS: [u32; 5] = [0, 0x555, 0xaaa, 0xd00, 0xd01];
    rows.try_all("three bytes", &|| {
        let (mut entry, mut tried) = (Entry::new([0; 288]), 0);
        let mut check = |fields: [u32; 2], n: usize| {
            tried += 1;
            entry[n..n + 2].fill(-1);
            let bytes = (fields[0] | fields[1] << 12).to_le_bytes();
            let count = reject_bytes_vartime(&bytes[..3], &mut entry, n);
            let below = fields.into_iter().filter(|x| *x < Q as u32).take(256 - n);
            let mut wanted: Vec<i16> = below.map(|x| x as i16).collect();
            let is_right = count == n + wanted.len();
            wanted.resize(2, -1);
            let is_right = is_right && entry[n..n + 2] == wanted;
            if is_right { Ok(()) } else { Err(format!("{fields:x?} after {n} coefficients")) }
        };
        for (x, other) in (0..4096).flat_map(|x| OTHERS.map(|other| (x, other))) {
            check([x, other], 0)?;
            check([other, x], 0)?;
        }
        for n in 0..=256 {
            for pair in [[0, 0], [0, 0xfff], [0xfff, 0], [0xfff; 2], [0xd00, 0xd01], [0xd01, 0xd00]]
            {
                check(pair, n)?;
            }
        }
        Ok(tried)
    })
}
