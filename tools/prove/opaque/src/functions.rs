//! The functions of polynomials modulo q that FIPS 203 and FIPS 204 have in common, as opaque
//! functions of terms. Sums modulo q are sums of terms.
use oaklath_prove_engine::{Term, Terms};

/// Returns a function of each pair of coefficients.
///
/// # Panics
/// If the polynomials have different lengths.
pub fn each_pair(t: &mut Terms, name: &'static str, f: &[Term], g: &[Term]) -> Vec<Term> {
    assert_eq!(f.len(), g.len(), "polynomials of one length");
    let bits = t.bits(f[0]);
    f.iter().zip(g).flat_map(|(f, g)| t.calls(name, &[*f, *g], (1, bits))).collect()
}

/// Returns f + g modulo q.
///
/// # Panics
/// If the polynomials have different lengths.
pub fn add(t: &mut Terms, f: &[Term], g: &[Term]) -> Vec<Term> {
    assert_eq!(f.len(), g.len(), "polynomials of one length");
    f.iter().zip(g).map(|(f, g)| t.sum(&[*f, *g])).collect()
}

/// Returns f - g modulo q.
pub fn subtract(t: &mut Terms, f: &[Term], g: &[Term]) -> Vec<Term> {
    each_pair(t, "difference modulo q", f, g)
}

/// Returns NTT(f): FIPS 203, Algorithm 9, and FIPS 204, Algorithm 41.
pub fn ntt(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    let bits = t.bits(f[0]);
    t.calls("NTT", f, (256, bits))
}

/// Returns NTT^-1(f): FIPS 203, Algorithm 10, and FIPS 204, Algorithm 42.
pub fn inverse_ntt(t: &mut Terms, f: &[Term]) -> Vec<Term> {
    let bits = t.bits(f[0]);
    t.calls("NTT^-1", f, (256, bits))
}
