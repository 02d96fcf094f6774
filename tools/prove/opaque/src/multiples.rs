//! Polynomials in memory that are multiples of those of the standard.
//!
//! Kernels return products over the size of a word, 2^16 or 2^32, and transform back times it. So a
//! polynomial is in memory as r^e times one of the standard, for some e. The transforms are linear,
//! and products bilinear: factors pass through. The powers are those of which the theorems make
//! their forms.
use std::collections::HashMap;

use oaklath_prove_engine::{Term, Terms};

use crate::functions;

/// The polynomials that are multiples: of each coefficient its e and that of the standard.
#[derive(Default)]
pub struct Multiples(HashMap<Term, (i64, Term)>);

impl Multiples {
    /// Returns r^e times a polynomial.
    pub fn times(&mut self, t: &mut Terms, e: i64, f: Vec<Term>) -> Vec<Term> {
        let (before, f) = self.divide(&f);
        let e = e + before;
        if e == 0 {
            return f;
        }
        let mut multiple = |x| {
            let (args, bits) = ([t.constant(e as u64, 64), x], t.bits(x));
            let multiple = t.calls("times a power of the word", &args, (1, bits))[0];
            self.0.insert(multiple, (e, x));
            multiple
        };
        f.into_iter().map(&mut multiple).collect()
    }

    /// Returns e, and the polynomial of the standard. One whose coefficients have different ones is
    /// its own.
    #[must_use]
    pub fn divide(&self, f: &[Term]) -> (i64, Vec<Term>) {
        let plain = |x: &Term| self.0.get(x).copied().unwrap_or((0, *x));
        let (es, plain): (Vec<i64>, Vec<Term>) = f.iter().map(plain).unzip();
        if es.iter().all(|e| *e == es[0]) { (es[0], plain) } else { (0, f.to_vec()) }
    }

    /// Returns e, which they have in common, and the polynomials of the standard.
    ///
    /// # Panics
    /// If they have different ones.
    pub fn divide_all(&self, fs: impl IntoIterator<Item = Vec<Term>>) -> (i64, Vec<Vec<Term>>) {
        let (es, plain): (Vec<i64>, Vec<_>) = fs.into_iter().map(|f| self.divide(&f)).unzip();
        assert!(es.iter().all(|e| *e == es[0]), "multiples of one kind");
        (es[0], plain)
    }

    /// Returns what the kernel `ntt` does: NTT(f).
    pub fn ntt(&mut self, t: &mut Terms, f: &[Term]) -> Vec<Term> {
        let (e, f) = self.divide(f);
        let f_hat = functions::ntt(t, &f);
        self.times(t, e, f_hat)
    }

    /// Returns what the kernel `inverse_ntt` does: r^power times NTT^-1(f).
    pub fn inverse_ntt(&mut self, t: &mut Terms, power: i64, f: &[Term]) -> Vec<Term> {
        let (e, f_hat) = self.divide(f);
        let f = functions::inverse_ntt(t, &f_hat);
        self.times(t, e + power, f)
    }
}
