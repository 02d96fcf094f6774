//! The parameters of NTRU round 3, section 1.3.
use oaklath_poly::trits::packed;

use crate::scheme::KemLengths;

/// The parameters of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NtruParams {
    /// The degree n of x^n - 1, a prime.
    pub(crate) n: usize,
    /// Bits of a coefficient: q is 2 to the power of `log_q`.
    pub(crate) log_q: u32,
    /// How f, g, r and m are drawn, and how m is lifted.
    pub(crate) family: NtruFamily,
}

/// The two families of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NtruFamily {
    /// Hoffstein, Pipher, Silverman: g and m have a fixed weight.
    Hps,
    /// Huelsing, Rijneveld, Schanck, Schwabe: f and g correlate non-negatively with their shifts.
    Hrss,
}

impl NtruParams {
    /// Returns the parameters of degree n.
    pub(crate) const fn of_degree(n: usize) -> Self {
        let (log_q, family) = match n {
            509 | 677 => (11, NtruFamily::Hps),
            821 => (12, NtruFamily::Hps),
            701 => (13, NtruFamily::Hrss),
            _ => panic!("the degree is 509, 677, 701 or 821"),
        };
        Self { n, log_q, family }
    }

    /// Returns the number of nonzero coefficients of a polynomial of fixed weight: q/8 - 2.
    pub(super) const fn weight(&self) -> usize {
        (1 << (self.log_q - 3)) - 2
    }

    /// Returns the number of bytes of n - 1 trits.
    pub(super) const fn trits(&self) -> usize {
        packed(self.n - 1)
    }

    /// Returns the number of bytes of n - 1 coefficients modulo q.
    pub(super) const fn coefficients(&self) -> usize {
        ((self.n - 1) * self.log_q as usize).div_ceil(8)
    }

    /// Returns the number of bytes from which a polynomial of trits is drawn: one for each trit.
    pub(super) const fn uniform(&self) -> usize {
        self.n - 1
    }

    /// Returns the number of bytes for a polynomial of fixed weight: 30 bits for a coefficient.
    const fn fixed(&self) -> usize {
        (30 * (self.n - 1)) >> 3
    }

    /// Returns the number of bytes from which r and m are drawn.
    pub(crate) const fn coins(&self) -> usize {
        match self.family {
            NtruFamily::Hps => self.uniform() + self.fixed(),
            NtruFamily::Hrss => 2 * self.uniform(),
        }
    }

    /// Returns the number of bytes of a seed: f and g take as many as r and m; the rejection key
    /// takes 32.
    pub(crate) const fn seed(&self) -> usize {
        self.coins() + 32
    }

    /// Returns the number of bytes of an encapsulation key, h.
    pub(crate) const fn public_key(&self) -> usize {
        self.coefficients()
    }

    /// Returns the number of bytes of a ciphertext.
    pub(crate) const fn ciphertext(&self) -> usize {
        self.coefficients()
    }

    /// Returns all lengths.
    pub(crate) const fn lengths(&self) -> KemLengths {
        KemLengths {
            seed: self.seed(),
            coins: self.coins(),
            public_key: self.public_key(),
            secret_key: self.secret_key(),
            ciphertext: self.ciphertext(),
        }
    }

    /// Returns the number of bytes of a decapsulation key: f, 1/f modulo 3, 1/h, the rejection key.
    pub(crate) const fn secret_key(&self) -> usize {
        2 * self.trits() + self.coefficients() + 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 1.3: weights, and the numbers of random bytes for keys and ciphertexts.
    #[test]
    fn numbers_of_the_submission() {
        for (n, weight, coins) in [
            (509, 254, 508 + 1905),
            (677, 254, 676 + 2535),
            (821, 510, 820 + 3075),
            (701, 1022, 2 * 700),
        ] {
            let p = NtruParams::of_degree(n);
            assert_eq!((p.weight(), p.coins(), p.seed()), (weight, coins, coins + 32));
            // A byte holds five trits.
            assert_eq!((p.trits(), p.uniform()), ((n - 1).div_ceil(5), n - 1));
        }
    }

    #[test]
    #[should_panic(expected = "the degree is 509, 677, 701 or 821")]
    fn no_other_degree() {
        let _ = NtruParams::of_degree(443);
    }
}
