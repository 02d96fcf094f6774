//! The functions of FIPS 204 that its algorithms are made of, as opaque functions of terms. Strings
//! are terms of 8 bits, polynomials 256 terms of 32, whatever width memory has them in.
use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_opaque::{each_pair, inverse_ntt, ntt, subtract};

/// `f` of each coefficient and a number.
fn each(t: &mut Terms, name: &'static str, x: i32, f: &[Term]) -> Vec<Term> {
    let x = number(t, x);
    f.iter().flat_map(|f| t.calls(name, &[x, *f], (1, 32))).collect()
}

/// `f` of a number and of all the others.
fn all(
    t: &mut Terms,
    name: &'static str,
    x: i32,
    args: &[Term],
    outputs: (usize, u8),
) -> Vec<Term> {
    let x = number(t, x);
    t.calls(name, &[&[x], args].concat(), outputs)
}

fn number(t: &mut Terms, x: i32) -> Term {
    t.constant(x as u64, 32)
}

/// -f modulo q.
pub(crate) fn negate(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    let zeros = vec![number(t, 0); f.len()];
    subtract(t, &zeros, f)
}

/// `MultiplyNTT`: Algorithm 45.
pub(crate) fn multiply_ntt(t: &mut Terms, a: &[Term], b: &[Term]) -> Vec<Term> {
    each_pair(t, "product modulo q", a, b)
}

/// The sum of `MultiplyNTT(a[j], b[j])`: a row of Algorithm 48.
pub(crate) fn sum_of_products(t: &mut Terms, a: &[Vec<Term>], b: &[Vec<Term>]) -> Vec<Term> {
    let products: Vec<_> = a.iter().zip(b).map(|(a, b)| multiply_ntt(t, a, b)).collect();
    (0..256)
        .map(|i| t.sum(&products.iter().map(|product| product[i]).collect::<Vec<_>>()))
        .collect()
}

/// c s: NTT^-1(NTT(c) o NTT(s)).
pub(crate) fn product(t: &mut Terms, c: &[Term], s: &[Term]) -> Vec<Term> {
    let (c_hat, s_hat) = (ntt(t, c), ntt(t, s));
    let product = multiply_ntt(t, &c_hat, &s_hat);
    inverse_ntt(t, &product)
}

/// `CoeffFromHalfByte`: Algorithm 15.
pub(crate) fn coeff_from_half_byte(t: &mut Terms, eta: i32, nibbles: &[Term]) -> Vec<Term> {
    each(t, "CoeffFromHalfByte", eta, nibbles)
}

/// `SampleInBall`: Algorithm 29, from the state that has absorbed its seed.
pub(crate) fn sample_in_ball(t: &mut Terms, tau: usize, state: &[Term]) -> Vec<Term> {
    all(t, "SampleInBall", tau as i32, state, (256, 32))
}

/// `SimpleBitUnpack(bytes, 2^10 - 1)`, times 2^d: Algorithm 18.
pub(crate) fn decode_t1(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    t.calls("SimpleBitUnpack of t1, times 2^d", bytes, (256, 32))
}

/// `SimpleBitPack(t1, 2^10 - 1)` of t1 in `Power2Round(f)`: Algorithms 16 and 35.
pub(crate) fn encode_t1(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    t.calls("SimpleBitPack(t1)", f, (320, 8))
}

/// `BitPack(t0, 2^12 - 1, 2^12)` of t0 in `Power2Round(f)`: Algorithms 17 and 35.
pub(crate) fn encode_t0(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    t.calls("BitPack(t0)", f, (416, 8))
}

/// `BitUnpack(bytes, 2^12 - 1, 2^12)`: Algorithm 19.
pub(crate) fn decode_t0(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    t.calls("BitUnpack(t0)", bytes, (256, 32))
}

/// `BitPack(f, eta, eta)`: Algorithm 17.
pub(crate) fn encode_eta(t: &mut Terms, eta: i32, f: &[Term]) -> Vec<Term> {
    all(t, "BitPack(f, eta, eta)", eta, f, (if eta == 2 { 96 } else { 128 }, 8))
}

/// `BitUnpack(bytes, eta, eta)`: Algorithm 19.
pub(crate) fn decode_eta(t: &mut Terms, eta: i32, bytes: &[Term]) -> Vec<Term> {
    all(t, "BitUnpack(bytes, eta, eta)", eta, bytes, (256, 32))
}

/// `BitPack(z, gamma1 - 1, gamma1)`, gamma1 = 2^(bits - 1): Algorithm 17.
pub(crate) fn encode_z(t: &mut Terms, bits: usize, z: &[Term]) -> Vec<Term> {
    all(t, "BitPack(z, gamma1 - 1, gamma1)", bits as i32, z, (32 * bits, 8))
}

/// `BitUnpack(bytes, gamma1 - 1, gamma1)`: Algorithm 19.
pub(crate) fn decode_z(t: &mut Terms, bytes: &[Term]) -> Vec<Term> {
    // The length says gamma1.
    t.calls("BitUnpack(bytes, gamma1 - 1, gamma1)", bytes, (256, 32))
}

/// `w1Encode(HighBits(w))`: Algorithms 28 and 37. m is (q - 1) / (2 gamma2).
pub(crate) fn encode_high_bits(t: &mut Terms, m: i32, w: &[Term]) -> Vec<Term> {
    all(t, "w1Encode(HighBits)", m, w, (w1_bytes(m), 8))
}

/// The bytes of encoded high bits.
pub(crate) fn w1_bytes(m: i32) -> usize {
    if m == 16 { 128 } else { 192 }
}

/// `LowBits(w)`: Algorithm 38.
pub(crate) fn low_bits(t: &mut Terms, m: i32, w: &[Term]) -> Vec<Term> {
    each(t, "LowBits", m, w)
}

/// `MakeHint(z, r)`: Algorithm 39.
pub(crate) fn make_hint(t: &mut Terms, m: i32, z: &[Term], r: &[Term]) -> Vec<Term> {
    let pairs = each_pair(t, "a pair", z, r);
    each(t, "MakeHint", m, &pairs)
}

/// `w1Encode(UseHint(h, r))`: Algorithms 28 and 40.
pub(crate) fn encode_use_hint(t: &mut Terms, m: i32, h: &[Term], r: &[Term]) -> Vec<Term> {
    all(t, "w1Encode(UseHint)", m, &[h, r].concat(), (w1_bytes(m), 8))
}

/// `HintBitUnpack(bytes)`: Algorithm 21: whether it is not bottom, then k polynomials.
pub(crate) fn hint_bit_unpack(t: &mut Terms, k: usize, bytes: &[Term]) -> Vec<Term> {
    all(t, "HintBitUnpack", k as i32, bytes, (1 + 256 * k, 32))
}

/// The positions of the ones of a polynomial of hints, of which there are `count`.
pub(crate) fn positions(t: &mut Terms, h: &[Term], count: usize) -> Vec<Term> {
    t.calls("positions of ones", h, (count, 8))
}

/// Whether a polynomial of hints has at most `most` ones.
pub(crate) fn has_at_most(t: &mut Terms, most: usize, h: &[Term]) -> Term {
    all(t, "the number of ones is at most", most as i32, h, (1, 8))[0]
}

/// Whether each |f| is below a bound.
pub(crate) fn is_below(t: &mut Terms, bound: i32, f: &[Term]) -> Term {
    all(t, "each coefficient is below", bound, f, (1, 8))[0]
}
