//! The numbers of NTRU round 3, section 1.3.
use oaklath_poly::trits::packed;

/// The parameters of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The degree of x^n - 1, a prime.
    pub(crate) n: usize,
    /// Bits of a coefficient: q is 2 to this.
    pub(crate) log_q: u32,
    /// How f, g, r and m are drawn, and how m is lifted.
    pub(crate) family: Family,
}

/// The two families of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Hoffstein, Pipher, Silverman: g and m have a fixed weight.
    Hps,
    /// Huelsing, Rijneveld, Schanck, Schwabe: f and g correlate well with their shifts.
    Hrss,
}

impl Params {
    pub(crate) const HPS_2048_509: Self = Self { n: 509, log_q: 11, family: Family::Hps };
    pub(crate) const HPS_2048_677: Self = Self { n: 677, log_q: 11, family: Family::Hps };
    pub(crate) const HPS_4096_821: Self = Self { n: 821, log_q: 12, family: Family::Hps };
    pub(crate) const HRSS_701: Self = Self { n: 701, log_q: 13, family: Family::Hrss };

    /// Coefficients different from 0 of a polynomial of fixed weight: q/8 - 2.
    pub(super) const fn weight(&self) -> usize {
        (1 << (self.log_q - 3)) - 2
    }

    /// Bytes of a polynomial of trits: n - 1 coefficients.
    pub(super) const fn trits(&self) -> usize {
        packed(self.n - 1)
    }

    /// Bytes of a polynomial modulo q: n - 1 coefficients.
    pub(super) const fn coefficients(&self) -> usize {
        ((self.n - 1) * self.log_q as usize).div_ceil(8)
    }

    /// Bytes from which a polynomial of trits is drawn: one for each.
    pub(super) const fn uniform(&self) -> usize {
        self.n - 1
    }

    /// Bytes from which a polynomial of fixed weight is drawn: 30 bits for each.
    const fn fixed(&self) -> usize {
        (30 * (self.n - 1)) >> 3
    }

    /// Bytes from which r and m are drawn.
    pub(crate) const fn coins(&self) -> usize {
        match self.family {
            Family::Hps => self.uniform() + self.fixed(),
            Family::Hrss => 2 * self.uniform(),
        }
    }

    /// Bytes from which a key is drawn: f and g as r and m, and what rejected secrets are made from.
    pub(crate) const fn seed(&self) -> usize {
        self.coins() + 32
    }

    /// Bytes of an encapsulation key: h.
    pub(crate) const fn public_key(&self) -> usize {
        self.coefficients()
    }

    /// Bytes of a ciphertext.
    pub(crate) const fn ciphertext(&self) -> usize {
        self.coefficients()
    }

    /// Bytes of a decapsulation key: f, 1/f modulo 3, 1/h, and what rejected secrets are made from.
    pub(crate) const fn secret_key(&self) -> usize {
        2 * self.trits() + self.coefficients() + 32
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::kem::{
        NTRU_HPS_2048_509, NTRU_HPS_2048_677, NTRU_HPS_4096_821, NTRU_HRSS_701,
    };

    use super::*;

    /// Section 1.3 and the lengths of the submission: keys, ciphertexts, and what is drawn for them.
    #[test]
    fn numbers_and_sizes_of_the_submission() {
        for (p, weight, coins, info) in [
            (Params::HPS_2048_509, 254, 508 + 1905, &NTRU_HPS_2048_509),
            (Params::HPS_2048_677, 254, 676 + 2535, &NTRU_HPS_2048_677),
            (Params::HPS_4096_821, 510, 820 + 3075, &NTRU_HPS_4096_821),
            (Params::HRSS_701, 1022, 2 * 700, &NTRU_HRSS_701),
        ] {
            assert_eq!((p.weight(), p.coins(), p.seed()), (weight, coins, coins + 32));
            let sizes = [p.public_key(), p.secret_key(), p.ciphertext()];
            assert_eq!(sizes, [info.public_key, info.secret_key, info.ciphertext], "{}", info.name);
            // Five trits a byte.
            assert_eq!((p.trits(), p.uniform()), ((p.n - 1).div_ceil(5), p.n - 1));
        }
    }
}
