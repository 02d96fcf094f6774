//! The parameters of FIPS 203, Table 2. Those of Kyber's round 3 are the same.
use crate::scheme::KemLengths;

/// The parameters of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MlKemParams {
    /// Rank of the module.
    pub(crate) k: usize,
    /// Width of the distribution of s, e and y.
    pub(crate) eta1: usize,
    /// Width of the distribution of e1 and e2.
    pub(crate) eta2: usize,
    /// Bits of a coefficient of u in a ciphertext.
    pub(crate) du: usize,
    /// Bits of a coefficient of v in a ciphertext.
    pub(crate) dv: usize,
}

/// Bytes of a polynomial of 12-bit coefficients.
pub(crate) const POLY_12: usize = 384;

/// Bytes of the longest ciphertext.
pub(crate) const MAX_CIPHERTEXT: usize = MlKemParams::of_rank(4).ciphertext();

/// Evaluates an expression in which the rank is a constant.
macro_rules! with_rank {
    ($k:expr, $K:ident => $e:expr) => {
        match $k {
            2 => {
                const $K: usize = 2;
                $e
            }
            3 => {
                const $K: usize = 3;
                $e
            }
            4 => {
                const $K: usize = 4;
                $e
            }
            _ => unreachable!("the rank is 2, 3 or 4"),
        }
    };
}
pub(super) use with_rank;

impl MlKemParams {
    /// Returns the parameters of rank k.
    pub(crate) const fn of_rank(k: usize) -> Self {
        let (eta1, du, dv) = match k {
            2 => (3, 10, 4),
            3 => (2, 10, 4),
            4 => (2, 11, 5),
            _ => panic!("the rank is 2, 3 or 4"),
        };
        Self { k, eta1, eta2: 2, du, dv }
    }

    /// Returns the number of bytes of an encapsulation key.
    pub(crate) const fn public_key(&self) -> usize {
        POLY_12 * self.k + 32
    }

    /// Returns the number of bytes of a decapsulation key: s, the encapsulation key, its hash, z.
    pub(crate) const fn secret_key(&self) -> usize {
        POLY_12 * self.k + self.public_key() + 64
    }

    /// Returns the number of bytes of a ciphertext.
    pub(crate) const fn ciphertext(&self) -> usize {
        32 * (self.du * self.k + self.dv)
    }

    /// Returns all lengths. A seed is d || z; coins are m.
    pub(crate) const fn lengths(&self) -> KemLengths {
        KemLengths {
            seed: 64,
            coins: 32,
            public_key: self.public_key(),
            secret_key: self.secret_key(),
            ciphertext: self.ciphertext(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 203, Table 2.
    #[test]
    fn numbers_of_the_standard() {
        for (k, numbers) in [(2, [3, 2, 10, 4]), (3, [2, 2, 10, 4]), (4, [2, 2, 11, 5])] {
            let p = MlKemParams::of_rank(k);
            assert_eq!([p.eta1, p.eta2, p.du, p.dv], numbers, "k = {k}");
        }
    }

    #[test]
    #[should_panic(expected = "the rank is 2, 3 or 4")]
    fn no_other_rank() {
        let _ = MlKemParams::of_rank(5);
    }
}
