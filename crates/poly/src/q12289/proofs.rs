//! Proofs of what the kernels compute, for every input.
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::proof::memory::Id;
use oaklath_prove_engine::{Kernel, Rows, Theorem, prove};
use oaklath_simd::{dispatch, scratch};

use crate::proofs::FilteredBlock;
use crate::q12289::codec::{
    Format, FromHigh, FromLow, decode_14_vartime, decode_signed, encode_14,
    encode_compressed_vartime, encode_signed,
};
use crate::q12289::ntt::{inverse_ntt, ntt};
use crate::q12289::product::{
    Factor, centre, difference_is_within, difference_norm, divide, divide_by_n, has_zero, lift,
    multiply, prepare, square_norm,
};
use crate::q12289::sample::{BLOCK, reject_block_vartime};
use crate::q12289::{NttPoly, Poly, Q};

/// The theorems about this ring.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["q12289::ntt"],
        results: &[("q12289::ntt", 23823), ("q12289::ntt", 32077)],
        claim: "f at each power of a root of order 2 n, n = 512 and 1024; |f| <= 9560",
        is_quick: false,
        prove: forward,
    },
    Theorem {
        kernels: &["q12289::inverse_ntt"],
        results: &[("q12289::inverse_ntt", 8194)],
        claim: "n times the inverse of `ntt`, n = 512 and 1024; |f| <= 13653",
        is_quick: false,
        prove: inverse,
    },
    Theorem {
        kernels: &["q12289::multiply", "q12289::prepare", "q12289::divide_by_n"],
        results: &[("q12289::multiply", 10411)],
        claim: "a b / n and a / n, n = 512 and 1024; any a and b",
        is_quick: true,
        prove: products,
    },
    Theorem {
        kernels: &["q12289::divide"],
        results: &[("q12289::divide", 6827)],
        claim: "a times y(b), where y b = 1, or 0 if b = 0; any a and b",
        is_quick: false,
        prove: quotients,
    },
    Theorem {
        kernels: &["q12289::lift", "q12289::centre"],
        results: &[],
        claim: "the least and the centred representative; any f",
        is_quick: true,
        prove: representatives,
    },
    Theorem {
        kernels: &["q12289::has_zero"],
        results: &[],
        claim: "true exactly if a value is a multiple of q; any b",
        is_quick: true,
        prove: zeros,
    },
    Theorem {
        kernels: &["q12289::difference_is_within"],
        results: &[],
        claim: "true exactly if no centred c - t is beyond; 0 <= c < q, |t| <= 8705",
        is_quick: true,
        prove: differences,
    },
    Theorem {
        kernels: &["q12289::square_norm", "q12289::difference_norm", "q12289::norm"],
        results: &[],
        claim: "the sum of the squares of f, |f| <= 6144, and of the centred c - t, \
                0 <= c <= 12288, |t| <= 8705, n = 512 and 1024",
        is_quick: true,
        prove: norms,
    },
    Theorem {
        kernels: &["q12289::reject_block_vartime"],
        results: &[],
        claim: "the numbers of 16 bits below 5 q, in order, modulo q, after those of earlier blocks, \
                as many as are missing: Falcon, Algorithm 3, in both orders of bytes; all bytes",
        is_quick: true,
        prove: rejections,
    },
    Theorem {
        kernels: &["q12289::encode_14", "q12289::decode_14_vartime"],
        results: &[],
        claim: "coefficient i is field i of 14 bits, from the first bit on and from the last; \
                all bytes; what is decoded is compared with q by plain code",
        is_quick: true,
        prove: codecs_of_14_bits,
    },
    Theorem {
        kernels: &["q12289::encode_compressed_vartime"],
        results: &[],
        claim: "Compress: Falcon, Algorithm 17, in both orders of bits: each coefficient behind any \
                number of bits that wait for whole bytes; none if one is too large, or if there are \
                too few bytes",
        is_quick: true,
        prove: compressed,
    },
    Theorem {
        kernels: &["q12289::encode_signed", "q12289::decode_signed"],
        results: &[],
        claim: "coefficient i is the signed field i of 5, 6, 8 and 12 bits, from the first bit on \
                and from the last; all that fit, and all bytes; that one field is out of range is \
                found by plain code",
        is_quick: true,
        prove: signed_codecs,
    },
];

/// Returns the powers of 7, which has order 2048.
fn powers() -> Vec<i64> {
    let mut powers = vec![1];
    (1..2048).for_each(|i| powers.push((powers[i - 1] * 7_i64).rem_euclid(12289)));
    powers
}

/// Returns e such that value i of `n` is the polynomial at 7^e, in bit-reversed order.
fn exponent(n: usize, i: usize) -> usize {
    let reversed = (i as u32).reverse_bits() >> (32 - n.ilog2());
    (2 * reversed as usize + 1) << (10 - n.ilog2())
}

fn forward(rows: &mut Rows) -> Result<(), String> {
    forward_of::<512>(rows, 23_823)?;
    forward_of::<1024>(rows, 32_077)
}

fn forward_of<const N: usize>(rows: &mut Rows, most: i64) -> Result<(), String> {
    let powers = powers();
    prove!(rows, format!("ntt, n = {N}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: Poly<N>, f_hat: NttPoly<N>);
        io.given("|f|", &mut f[..]);
        ntt(s, f, f_hat);
        io.outputs(&f_hat[..]);
    }, |k| {
        for i in 0..N {
            let value = (0..N).map(|j| (j, powers[(exponent(N, i) * j) & 2047]));
            k.is_congruent(k.output(i), &k.linear(value))?;
        }
        k.results_within("q12289::ntt", 0..N, (-most, most))
    });
    Ok(())
}

fn inverse(rows: &mut Rows) -> Result<(), String> {
    inverse_of::<512>(rows)?;
    inverse_of::<1024>(rows)
}

fn inverse_of<const N: usize>(rows: &mut Rows) -> Result<(), String> {
    let powers = powers();
    prove!(rows, format!("inverse_ntt, n = {N}"), modulo Q, limit 1 << 16; |s, io| {
        scratch!(f_hat: NttPoly<N>, f: Poly<N>);
        io.given("|f|", &mut f_hat[..]);
        inverse_ntt(s, f_hat, f);
        io.outputs(&f[..]);
    }, |k| {
        for j in 0..N {
            let sum = (0..N).map(|i| (i, powers[((2048 - exponent(N, i)) * j) & 2047]));
            k.is_congruent(k.output(j), &k.linear(sum))?;
        }
        k.results_within("q12289::inverse_ntt", 0..N, (-8194, 8194))
    });
    Ok(())
}

fn products(rows: &mut Rows) -> Result<(), String> {
    products_of::<512>(rows, 10_411)?;
    products_of::<1024>(rows, 10_126)
}

fn products_of<const N: usize>(rows: &mut Rows, most: i64) -> Result<(), String> {
    let case = format!("prepare, multiply, divide_by_n, n = {N}");
    prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
        scratch!(a: NttPoly<N>, b: NttPoly<N>);
        io.inputs(&mut a[..], -32768..=32767);
        io.inputs(&mut b[..], -32768..=32767);
        scratch!(factor: Factor<N>, product: NttPoly<N>);
        prepare(s, b, factor);
        multiply(s, a, factor, product);
        io.outputs(&product[..]);
        divide_by_n(s, b);
        io.outputs(&b[..]);
    }, |k| {
        // 1 / n is -(q - 1) / n.
        let inverse = -(12288 >> N.ilog2());
        for i in 0..N {
            let wanted = k.product(&k.linear([(i, inverse)]), &k.linear([(N + i, 1)]));
            k.is_congruent(k.output(i), &wanted.expect("degree two"))?;
            k.is_congruent(k.output(N + i), &k.linear([(N + i, inverse)]))?;
        }
        k.results_within("q12289::multiply", 0..N, (-most, most))
    });
    Ok(())
}

fn quotients(rows: &mut Rows) -> Result<(), String> {
    // The loop is the same for every length.
    prove!(rows, "divide", modulo Q, limit 1 << 16; |s, io| {
        scratch!(a: NttPoly<64>, b: NttPoly<64>, c: NttPoly<64>);
        io.inputs(&mut a[..], -32768..=32767);
        io.inputs(&mut b[..], -32768..=32767);
        divide(s, a, b, c);
        io.outputs(&c[..]);
    }, |k| {
        for i in 0..64 {
            // The form is a times one nonlinear number, over 2^16, and that number is a function of
            // b: 2^16 / b, or 0.
            let form = k.form(k.output(i));
            let [([of_a, inverse], factor)] = form[..] else { return Err("no product".into()) };
            let is_inverse = |b: i64, y: i64| {
                let wrong = if b.rem_euclid(12289) == 0 { y } else { y * b - 65536 };
                wrong.rem_euclid(12289) == 0
            };
            let of_b = k.functions_have([inverse], is_inverse)?;
            if (of_a, factor, of_b[0]) != (k.input(i), k.power(6145, 16), k.input(64 + i)) {
                return Err(format!("quotient {i} depends on other numbers"));
            }
        }
        k.results_within("q12289::divide", 0..64, (-6827, 6827))
    });
    Ok(())
}

/// The representative nearest to zero.
fn centred(x: i64) -> i64 {
    (x + 6144).rem_euclid(12289) - 6144
}

fn representatives(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "lift, centre", modulo Q, limit 1 << 16; |s, io| {
        scratch!(a: Poly<512>);
        io.inputs(&mut a[..], -32768..=32767);
        let mut b = *a;
        lift(s, a);
        centre(s, &mut b);
        io.outputs(&a[..]);
        io.outputs(&b[..]);
    }, |k| {
        k.maps(0, 0..512, |x| x.rem_euclid(12289))?;
        k.maps(0, 512..1024, centred)?;
        k.outputs_within(0..512, (0, 12288))?;
        k.outputs_within(512..1024, (-6144, 6144))
    });
    Ok(())
}

fn zeros(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "has_zero", modulo Q, limit 1 << 16; |s, io| {
        scratch!(b: NttPoly<512>);
        io.inputs(&mut b[..], -32768..=32767);
        io.result((!has_zero(s, b)).into());
    }, |k| {
        if k.returns_whether_all(|x| x.rem_euclid(12289) != 0)? != k.inputs() {
            return Err("decided by other numbers".into());
        }
        Ok(())
    });
    Ok(())
}

fn differences(rows: &mut Rows) -> Result<(), String> {
    for largest in [2047, 6144] {
        prove!(rows, format!("difference_is_within {largest}"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(c: Poly<512>, t: Poly<512>);
            io.given("c", &mut c[..]);
            io.given("|t|", &mut t[..]);
            io.result(difference_is_within(s, c, t, largest).into());
        }, |k| {
            let roots = k.returns_whether_all(|x| centred(x).abs() <= largest.into())?;
            if roots.len() != 512 {
                return Err(format!("{} differences", roots.len()));
            }
            for (i, root) in roots.into_iter().enumerate() {
                k.is_congruent(root, &k.linear([(i, 1), (512 + i, -1)]))?;
            }
            Ok(())
        });
    }
    Ok(())
}

/// A modulus so large that congruent numbers are equal.
const NO_MODULUS: i64 = (1 << 61) - 1;

fn norms(rows: &mut Rows) -> Result<(), String> {
    norms_of::<512>(rows)?;
    norms_of::<1024>(rows)
}

fn norms_of<const N: usize>(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, format!("square_norm, n = {N}"), modulo NO_MODULUS, limit 1 << 16; |s, io| {
        scratch!(f: Poly<N>);
        io.given("|f|", &mut f[..]);
        io.sum(square_norm(s, f));
    }, |k| {
        let roots = roots_of_squares(k, |x| x * x)?;
        if roots != k.inputs() { Err("the squares of other numbers".into()) } else { Ok(()) }
    });
    prove!(rows, format!("difference_norm, n = {N}"), modulo NO_MODULUS, limit 1 << 16; |s, io| {
        scratch!(c: Poly<N>, t: Poly<N>);
        io.given("c", &mut c[..]);
        io.given("|t|", &mut t[..]);
        io.sum(difference_norm(s, c, t));
    }, |k| {
        let roots = roots_of_squares(k, |x| centred(x) * centred(x))?;
        if roots.len() != N {
            return Err("too few squares".into());
        }
        (0..N).try_for_each(|i| k.is_congruent(roots[i], &k.linear([(i, 1), (N + i, -1)])))
    });
    Ok(())
}

/// Checks that the output is a sum of squares; returns the numbers that are squared, in order.
fn roots_of_squares(k: &Kernel, square: fn(i64) -> i64) -> Result<Vec<Id>, String> {
    let form = k.form(k.output(0));
    let one = |(unknowns, factor): &([Id; 2], u64)| (unknowns[1], *factor) == (Id::MAX, 1);
    if !form.iter().all(one) {
        return Err("more than a sum".into());
    }
    let mut roots = k.are_function(form.iter().map(|(unknowns, _)| unknowns[0]), square)?;
    roots.sort_unstable();
    Ok(roots)
}

fn rejections(rows: &mut Rows) -> Result<(), String> {
    rejections_of::<FromLow>(rows, "from the low byte", |x| x)?;
    rejections_of::<FromHigh>(rows, "from the high byte", u16::swap_bytes)
}

fn rejections_of<F: Format>(
    rows: &mut Rows,
    case: &str,
    number: fn(u16) -> u16,
) -> Result<(), String> {
    let is_kept_or_not = |x: i64, y: i64| match i64::from(number(x as u16)) {
        x @ 0..61445 => y == x.rem_euclid(12289),
        _ => y >= 12289,
    };
    for from in [0, 416] {
        let case = format!("{case}, from coefficient {from}");
        prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
            scratch!(block: [u8; BLOCK], c: [i16; 512]);
            io.fields(block, 16);
            let n = reject_block_vartime::<_, F>(s, block, c, from);
            io.outputs(&c[from..n]);
        }, |k| {
            k.keeps_below(Q.into())?;
            k.relates(0, 0..68, is_kept_or_not)
        });
    }
    // What is kept is copied, from a place that only n decides, of whatever length.
    let block = FilteredBlock { fields: 68, bits: 16, below: Q as usize, most: 512 };
    rows.try_all(&format!("{case}, each number of coefficients"), &|| {
        block.try_each_number(&|level, bytes, n| {
            let (mut block, mut c) = ([0; BLOCK], [-1; 512]);
            for (to, x) in block.as_chunks_mut().0.iter_mut().zip(bytes.as_chunks().0) {
                *to = number(u16::from_le_bytes(*x)).to_le_bytes();
            }
            let end = dispatch!(level, s => reject_block_vartime::<_, F>(s, &block, &mut c, n));
            c[..end].iter().map(|x| i32::from(*x)).collect()
        })
    })
}

/// Turns bytes round, so that what is first is the low bit, or back.
fn from_low_bit(is_high: bool, bytes: &mut [u8]) {
    if is_high {
        bytes.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
    }
}

/// A field whose first bit is its low one, or its high one; again, what it was.
fn field_of(is_high: bool, x: i64, bits: u32) -> i64 {
    if is_high { (x as u64).reverse_bits() as i64 >> (64 - bits) & ((1 << bits) - 1) } else { x }
}

fn codecs_of_14_bits(rows: &mut Rows) -> Result<(), String> {
    codecs_of_14_bits_in::<FromLow>(rows, false)?;
    codecs_of_14_bits_in::<FromHigh>(rows, true)
}

fn codecs_of_14_bits_in<F: Format>(rows: &mut Rows, is_high: bool) -> Result<(), String> {
    let case = format!("decode_14_vartime, encode_14, high bit first: {is_high}");
    prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
        scratch!(f: [i16; 512], bytes: [u8; 896], again: [u8; 896]);
        io.fields(bytes, 14);
        from_low_bit(is_high, bytes);
        let _ = decode_14_vartime::<_, F>(s, bytes, f);
        io.outputs(f);
        encode_14::<F>(f, again);
        from_low_bit(is_high, again);
        io.output_fields(again, 14);
    }, |k| {
        k.maps(0, 0..512, |x| field_of(is_high, x, 14))?;
        k.maps(0, 512..1024, |x| x)
    }; Proof8);
    Ok(())
}

/// `Compress` of one coefficient: the sign, seven bits, the others in unary; the first bit is the
/// lowest. Returns how many bits there are, too.
fn code(is_high: bool, x: i16) -> (u128, usize) {
    let (sign, magnitude) = (u128::from(x < 0), x.unsigned_abs());
    let low = (magnitude & 127) as u8;
    let low = if is_high { low.reverse_bits() >> 1 } else { low };
    let high = usize::from(magnitude >> 7);
    (sign | u128::from(low) << 1 | 1 << (8 + high), 9 + high)
}

/// `Compress` of some coefficients.
fn codes(is_high: bool, f: &[i16]) -> (u128, usize) {
    f.iter().fold((0, 0), |(bits, len), x| {
        let (code, more) = code(is_high, *x);
        (bits | code << len, len + more)
    })
}

/// Bits wait in a word until there are 32. What a coefficient adds depends on nothing but how many
/// wait, since they are only shifted and joined by OR with zeros: so each number of them, of bits
/// of both values, and each coefficient decide.
fn compressed(rows: &mut Rows) -> Result<(), String> {
    rows.try_all("low bit first", &|| codes_behind_all::<FromLow>(false))?;
    rows.try_all("high bit first", &|| codes_behind_all::<FromHigh>(true))
}

/// Returns coefficients whose codes leave that many bits waiting: low bits are `low`.
fn waiting(is_high: bool, count: usize, low: i16) -> Option<Vec<i16>> {
    let coefficient = |i: u32, j: u32| ((i >> (2 * j) & 3) as i16) << 7 | low;
    let mut all = (0..6_u32)
        .flat_map(|n| (0..4_u32.pow(n)).map(move |i| (0..n).map(|j| coefficient(i, j)).collect()));
    all.find(|f: &Vec<i16>| codes(is_high, f).1 & 31 == count)
}

fn codes_behind_all<F: Format>(is_high: bool) -> Result<usize, String> {
    let (mut tried, largest) = (0, F::LARGEST as i16);
    for before in (0..64).filter_map(|n| waiting(is_high, n >> 1, 127 * (n as i16 & 1))) {
        for x in (i16::MIN..=i16::MAX).filter(|x| x.unsigned_abs() <= F::LARGEST + 300) {
            scratch!(bytes: [u8; 32]);
            let mut encode = |len: usize| {
                let f = [&before[..], &[x]].concat();
                dispatch!(s => encode_compressed_vartime::<_, F>(s, &f, &mut bytes[..len]))
            };
            let (bits, len) = codes(is_high, &[&before[..], &[x]].concat());
            let len = len.div_ceil(8);
            let is_encoded = (-largest..=largest).contains(&x);
            let too_short = encode(len - 1);
            let is_right = encode(32) == is_encoded.then_some(len) && too_short.is_none();
            from_low_bit(is_high, bytes);
            if !is_right || is_encoded && bytes[..len] != bits.to_le_bytes()[..len] {
                return Err(format!("{x} after {before:?}"));
            }
            tried += 1;
        }
    }
    if tried == 64 * (2 * usize::from(F::LARGEST) + 601) { Ok(tried) } else { Err("few".into()) }
}

fn signed_codecs(rows: &mut Rows) -> Result<(), String> {
    signed_codec::<FromLow, 5>(rows, false)?;
    signed_codec::<FromLow, 6>(rows, false)?;
    signed_codec::<FromLow, 8>(rows, false)?;
    signed_codec::<FromLow, 12>(rows, false)?;
    signed_codec::<FromHigh, 5>(rows, true)?;
    signed_codec::<FromHigh, 6>(rows, true)?;
    signed_codec::<FromHigh, 8>(rows, true)?;
    signed_codec::<FromHigh, 12>(rows, true)
}

fn signed_codec<F: Format, const BITS: u32>(rows: &mut Rows, is_high: bool) -> Result<(), String> {
    let (half, case) = (1 << (BITS - 1), format!("{BITS} bits, high bit first: {is_high}"));
    prove!(rows, case, modulo Q, limit 1 << 16; |_s, io| {
        scratch!(f: [i16; 512]);
        let mut bytes = unwritten(64 * BITS as usize);
        io.inputs(f, 1 - half..=half - 1);
        encode_signed::<F, BITS>(f, &mut bytes);
        from_low_bit(is_high, &mut bytes);
        io.output_fields(&bytes, BITS as usize);
        io.fields(&mut bytes, BITS as usize);
        from_low_bit(is_high, &mut bytes);
        let _ = decode_signed::<F, BITS>(&bytes, f);
        io.outputs(f);
    }, |k| {
        k.maps(0, 0..512, |x| field_of(is_high, x & (2 * half - 1), BITS))?;
        let signed = |x: i64| (field_of(is_high, x, BITS) + half).rem_euclid(2 * half) - half;
        k.maps(512, 512..1024, signed)
    }; Proof8);
    Ok(())
}
