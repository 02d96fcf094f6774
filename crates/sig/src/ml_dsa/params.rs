//! The parameters of FIPS 204, Table 1.

/// The parameters of one set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MlDsaParams {
    /// Rows of the matrix.
    pub(super) k: usize,
    /// Columns of the matrix.
    pub(super) l: usize,
    /// Largest absolute value of a coefficient of the secrets.
    pub(crate) eta: i32,
    /// Terms of a challenge.
    pub(super) tau: usize,
    /// log2(gamma1) + 1: bits of a coefficient of z. gamma1 is 2^17 or 2^19.
    pub(crate) z_bits: usize,
    /// (q - 1) / (2 gamma2): the number of values of the high bits of a coefficient of w.
    pub(super) m: i32,
    /// Maximum number of ones in the hints of a signature.
    pub(super) omega: usize,
    /// Bytes of c~: lambda / 4.
    pub(super) c_tilde: usize,
    /// Bytes of tr.
    pub(super) tr: usize,
}

/// Bytes of rho, of K, and of the seed that a key is made from.
pub(super) const SEED: usize = 32;
/// Bytes of a polynomial of t1.
pub(super) const T1: usize = 320;
/// Bytes of a polynomial of t0.
pub(super) const T0: usize = 416;

impl MlDsaParams {
    /// Returns the parameters of a matrix of k times l polynomials, given the length of tr and the
    /// lengths of c~ in the three sets.
    pub(super) const fn new(k: usize, l: usize, tr: usize, c_tilde: [usize; 3]) -> Self {
        let (eta, tau, z_bits, m, omega, set) = match (k, l) {
            (4, 4) => (2, 39, 18, 44, 80, 0),
            (6, 5) => (4, 49, 20, 16, 55, 1),
            (8, 7) => (2, 60, 20, 16, 75, 2),
            _ => panic!("the matrices of FIPS 204, table 1"),
        };
        Self { k, l, eta, tau, z_bits, m, omega, c_tilde: c_tilde[set], tr }
    }

    /// Returns beta, the largest absolute value of a coefficient of c s1 or c s2.
    pub(super) const fn beta(&self) -> i32 {
        self.tau as i32 * self.eta
    }

    /// Returns the bound gamma1 - beta: coefficients of z are smaller in absolute value.
    pub(super) const fn z_bound(&self) -> i32 {
        (1 << (self.z_bits - 1)) - self.beta()
    }

    /// Returns the bound gamma2 - beta: coefficients of r0 are smaller in absolute value. gamma2 is
    /// (q - 1) / 32 or (q - 1) / 88.
    pub(super) const fn r0_bound(&self) -> i32 {
        let gamma2 = if self.m == 16 { 261_888 } else { 95_232 };
        gamma2 - self.beta()
    }

    /// Returns the number of bytes of a polynomial of s1 or s2.
    pub(super) const fn eta_bytes(&self) -> usize {
        if self.eta == 2 { 96 } else { 128 }
    }

    /// Returns the number of bytes of a polynomial of z.
    pub(super) const fn z_bytes(&self) -> usize {
        32 * self.z_bits
    }

    /// Returns the number of bytes of a polynomial of w1.
    pub(super) const fn w1_bytes(&self) -> usize {
        if self.m == 16 { 128 } else { 192 }
    }

    /// Reports whether the coefficients of a product with a challenge exceed a byte.
    pub(super) const fn wide_sums(&self) -> bool {
        self.beta() > 127
    }

    /// Returns the number of bytes of the hints in a signature.
    pub(super) const fn hint_bytes(&self) -> usize {
        self.omega + self.k
    }

    /// Returns the number of bytes of a public key.
    pub(crate) const fn public_key(&self) -> usize {
        SEED + T1 * self.k
    }

    /// Returns the offset of t0 in a private key.
    pub(super) const fn t0_offset(&self) -> usize {
        2 * SEED + self.tr + self.eta_bytes() * (self.k + self.l)
    }

    /// Returns the number of bytes of a private key.
    pub(crate) const fn secret_key(&self) -> usize {
        self.t0_offset() + T0 * self.k
    }

    /// Returns the number of bytes of a signature.
    pub(crate) const fn signature(&self) -> usize {
        self.c_tilde + self.z_bytes() * self.l + self.hint_bytes()
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::sig::{DILITHIUM_3, DILITHIUM_5, ML_DSA_44, ML_DSA_65, ML_DSA_87};

    use super::*;

    /// FIPS 204, Tables 1 and 2, and round 3 with its lengths of tr and c~.
    #[test]
    fn numbers_and_sizes_of_the_standard() {
        let (standard, round3) = ((64, [32, 48, 64]), (32, [32; 3]));
        // k, l, gamma1, gamma2, beta, bits of eta, bytes of w1 and of c~
        for (k, l, [gamma1, gamma2, beta], [eta, w1, c_tilde], (tr, c_tildes), info) in [
            (4, 4, [1 << 17, 95_232, 78], [3, 192, 32], standard, &ML_DSA_44),
            (6, 5, [1 << 19, 261_888, 196], [4, 128, 48], standard, &ML_DSA_65),
            (8, 7, [1 << 19, 261_888, 120], [3, 128, 64], standard, &ML_DSA_87),
            (6, 5, [1 << 19, 261_888, 196], [4, 128, 32], round3, &DILITHIUM_3),
            (8, 7, [1 << 19, 261_888, 120], [3, 128, 32], round3, &DILITHIUM_5),
        ] {
            let (p, name) = (MlDsaParams::new(k, l, tr, c_tildes), info.name);
            let bounds = [p.beta(), p.z_bound(), p.r0_bound()];
            assert_eq!(bounds, [beta, gamma1 - beta, gamma2 - beta], "{name}");
            assert_eq!(p.wide_sums(), beta > 127, "{name}");
            assert_eq!([p.eta_bytes(), p.w1_bytes(), p.c_tilde], [32 * eta, w1, c_tilde], "{name}");
            assert_eq!(p.z_bytes(), 32 * (gamma1.ilog2() as usize + 1), "{name}");
            let sizes = [p.public_key(), p.secret_key(), p.signature()];
            assert_eq!(sizes, [info.public_key, info.secret_key, info.signature], "{name}");
        }
    }

    #[test]
    #[should_panic(expected = "the matrices of FIPS 204, table 1")]
    fn no_other_matrix() {
        let _ = MlDsaParams::new(4, 5, 64, [32, 48, 64]);
    }
}
