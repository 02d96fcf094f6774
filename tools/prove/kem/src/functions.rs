//! The functions of FIPS 203 that its algorithms are made of, as opaque functions of
//! terms. Strings are terms of 8 bits, polynomials 256 terms of 16.
use oaklath_prove_engine::{Term, Terms};

/// `SamplePolyCBD_eta`: Algorithm 8.
pub(crate) fn sample_poly_cbd(t: &mut Terms, eta: usize, bytes: &[Term]) -> Vec<Term> {
    assert_eq!(bytes.len(), 64 * eta, "64 eta bytes");
    let name = ["SamplePolyCBD_2", "SamplePolyCBD_3"][eta - 2];
    t.calls(name, bytes, (256, 16))
}

/// The sum of `MultiplyNTTs(a[j], b[j])`: Algorithm 11; of the coefficients from `start` on.
pub(crate) fn multiply_ntts(
    t: &mut Terms,
    start: usize,
    a: &[Vec<Term>],
    b: &[Vec<Term>],
) -> Vec<Term> {
    let mut sum = Vec::new();
    for i in (0..a[0].len()).step_by(2) {
        // 2: (h[2i], h[2i + 1]) <- BaseCaseMultiply(f[2i], f[2i + 1], g[2i], g[2i + 1], gamma)
        let mut args = vec![t.constant((start + i) as u64, 16)];
        for (f, g) in a.iter().zip(b) {
            args.extend([f[i], f[i + 1], g[i], g[i + 1]]);
        }
        sum.extend(t.calls("sum of BaseCaseMultiply", &args, (2, 16)));
    }
    sum
}

/// `ByteEncode_12`: Algorithm 5, two numbers in three bytes.
pub(crate) fn byte_encode_12(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    f.chunks(2).flat_map(|pair| t.calls("ByteEncode_12", pair, (3, 8))).collect()
}

/// `ByteDecode_12`: Algorithm 6.
pub(crate) fn byte_decode_12(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    t.calls("ByteDecode_12", bytes, (256, 16))
}

/// The modulus check of section 7.2: whether `ByteEncode_12(ByteDecode_12(bytes))` is `bytes`.
pub(crate) fn is_canonical(t: &mut Terms, bytes: &[Term]) -> Term {
    t.calls("all numbers are below q", bytes, (1, 8))[0]
}

/// `ByteEncode_d(Compress_d(f))`: Algorithm 5 and section 4.2.1.
pub(crate) fn byte_encode_compress(t: &mut Terms, d: usize, f: &[Term]) -> Vec<Term> {
    let name = match d {
        1 => "ByteEncode_1(Compress_1)",
        4 => "ByteEncode_4(Compress_4)",
        5 => "ByteEncode_5(Compress_5)",
        10 => "ByteEncode_10(Compress_10)",
        _ => "ByteEncode_11(Compress_11)",
    };
    t.calls(name, f, (32 * d, 8))
}

/// `Decompress_d(ByteDecode_d(bytes))`: Algorithm 6 and section 4.2.1.
pub(crate) fn decompress_byte_decode(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    // The length says d.
    t.calls("Decompress(ByteDecode)", bytes, (256, 16))
}
