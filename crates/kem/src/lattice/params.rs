//! The numbers of FIPS 203, Table 2. Kyber's round 3 has the same ones.

/// The parameters of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Params {
    /// Rank of the module.
    pub(crate) k: usize,
    /// Width of the secret's distribution, in key generation and for y.
    pub(crate) eta1: usize,
    /// Width of the errors' distribution in encryption.
    pub(crate) eta2: usize,
    /// Bits of a coefficient of u in a ciphertext.
    pub(crate) du: usize,
    /// Bits of a coefficient of v in a ciphertext.
    pub(crate) dv: usize,
}

/// Bytes of a polynomial of 12-bit coefficients.
pub(crate) const POLY_12: usize = 384;

impl Params {
    /// The row of rank k.
    pub(crate) const fn of_rank(k: usize) -> Self {
        let (eta1, du, dv) = match k {
            2 => (3, 10, 4),
            3 => (2, 10, 4),
            4 => (2, 11, 5),
            _ => panic!("the rank is 2, 3 or 4"),
        };
        Self { k, eta1, eta2: 2, du, dv }
    }

    /// Bytes of an encapsulation key.
    pub(crate) const fn public_key(&self) -> usize {
        POLY_12 * self.k + 32
    }

    /// Bytes of a decapsulation key: s, the encapsulation key, its hash, z.
    pub(crate) const fn secret_key(&self) -> usize {
        POLY_12 * self.k + self.public_key() + 64
    }

    /// Bytes of a ciphertext.
    pub(crate) const fn ciphertext(&self) -> usize {
        32 * (self.du * self.k + self.dv)
    }

    /// Permutations of SHAKE256 that a noise polynomial takes: 64 eta bytes of 136 each.
    pub(super) const fn noise_blocks(&self, eta: usize) -> usize {
        if eta == 3 { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::kem::{KYBER512, KYBER768_90S, ML_KEM_512, ML_KEM_768, ML_KEM_1024};

    use super::*;

    /// FIPS 203, Tables 2 and 3.
    #[test]
    fn numbers_and_sizes_of_the_standard() {
        for (k, numbers, info) in [
            (2, [3, 2, 10, 4], &ML_KEM_512),
            (3, [2, 2, 10, 4], &ML_KEM_768),
            (4, [2, 2, 11, 5], &ML_KEM_1024),
            (2, [3, 2, 10, 4], &KYBER512),
            (3, [2, 2, 10, 4], &KYBER768_90S),
        ] {
            let p = Params::of_rank(k);
            assert_eq!([p.eta1, p.eta2, p.du, p.dv], numbers, "{}", info.name);
            let sizes = [p.public_key(), p.secret_key(), p.ciphertext()];
            assert_eq!(sizes, [info.public_key, info.secret_key, info.ciphertext], "{}", info.name);
            // 64 eta bytes, of which a permutation gives 136.
            assert_eq!(p.noise_blocks(p.eta1), (64 * p.eta1).div_ceil(136));
        }
    }

    #[test]
    #[should_panic(expected = "the rank is 2, 3 or 4")]
    fn no_other_rank() {
        let _ = Params::of_rank(5);
    }
}
