//! The parameters of SABER round 3, table 8 of the submission: always q = 2^13, p = 2^10, n = 256.
use crate::scheme::KemLengths;

/// The parameters of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SaberParams {
    /// Rank of the module.
    pub(crate) l: usize,
    /// Bits from which a coefficient of a secret is drawn.
    pub(crate) mu: usize,
    /// Bits of a coefficient of `c_m`: the logarithm of T.
    pub(crate) log_t: u32,
}

/// Bytes of a polynomial modulo q.
pub(crate) const POLY_Q: usize = 32 * 13;
/// Bytes of a polynomial modulo p.
pub(crate) const POLY_P: usize = 32 * 10;

impl SaberParams {
    /// Returns the parameters of rank l.
    pub(crate) const fn of_rank(l: usize) -> Self {
        let (mu, log_t) = match l {
            2 => (10, 3),
            3 => (8, 4),
            4 => (6, 6),
            _ => panic!("the rank is 2, 3 or 4"),
        };
        Self { l, mu, log_t }
    }

    /// Returns the number of bytes from which s or s' is drawn.
    pub(super) const fn secrets(&self) -> usize {
        32 * self.mu * self.l
    }

    /// Returns the number of bytes of an encapsulation key: b and the seed of the matrix.
    pub(crate) const fn public_key(&self) -> usize {
        POLY_P * self.l + 32
    }

    /// Returns the number of bytes of a decapsulation key: s, the encapsulation key, its hash, z.
    pub(crate) const fn secret_key(&self) -> usize {
        POLY_Q * self.l + self.public_key() + 64
    }

    /// Returns all lengths. A seed consists of the seeds of A and s, and z.
    pub(crate) const fn lengths(&self) -> KemLengths {
        KemLengths {
            seed: 96,
            coins: 32,
            public_key: self.public_key(),
            secret_key: self.secret_key(),
            ciphertext: self.ciphertext(),
        }
    }

    /// Returns the number of bytes of a ciphertext: b' and `c_m`.
    pub(crate) const fn ciphertext(&self) -> usize {
        POLY_P * self.l + 32 * self.log_t as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 8 of the submission.
    #[test]
    fn numbers_of_the_submission() {
        for (l, numbers) in [(2, (10, 3)), (3, (8, 4)), (4, (6, 6))] {
            let p = SaberParams::of_rank(l);
            assert_eq!((p.mu, p.log_t), numbers, "l = {l}");
            assert_eq!(8 * p.secrets(), 256 * l * p.mu);
        }
    }

    #[test]
    #[should_panic(expected = "the rank is 2, 3 or 4")]
    fn no_other_rank() {
        let _ = SaberParams::of_rank(1);
    }
}
