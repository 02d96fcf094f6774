//! The numbers of FIPS 204, Table 1. Dilithium's round 3 has the same ones.
use super::Variant;

/// The parameters of one set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    /// Rows of the matrix.
    k: usize,
    /// Columns.
    l: usize,
    /// Largest coefficient of the secrets.
    pub(super) eta: i32,
    /// Terms of a challenge.
    pub(super) tau: usize,
    /// log2(gamma1) + 1: bits of a coefficient of z. gamma1 is 2^17 or 2^19.
    pub(super) z_bits: usize,
    /// (q - 1) / (2 gamma2): high parts of a coefficient of w.
    pub(super) m: i32,
    /// Most ones in a hint.
    pub(super) omega: usize,
}

/// Bytes of rho, of K, and of the seed that a key is made from.
pub(super) const SEED: usize = 32;
/// Bytes of a polynomial of t1.
pub(super) const T1: usize = 320;
/// Bytes of a polynomial of t0.
pub(super) const T0: usize = 416;

impl Params {
    /// The set of a matrix of k times l polynomials.
    pub(crate) const fn of(k: usize, l: usize) -> Self {
        let (eta, tau, z_bits, m, omega) = match (k, l) {
            (4, 4) => (2, 39, 18, 44, 80),
            (6, 5) => (4, 49, 20, 16, 55),
            (8, 7) => (2, 60, 20, 16, 75),
            _ => panic!("the matrices of FIPS 204, table 1"),
        };
        Self { k, l, eta, tau, z_bits, m, omega }
    }

    /// beta: the largest coefficient of c s1 or c s2.
    pub(super) const fn beta(&self) -> i32 {
        self.tau as i32 * self.eta
    }

    /// Coefficients of z are smaller than this.
    pub(super) const fn z_bound(&self) -> i32 {
        (1 << (self.z_bits - 1)) - self.beta()
    }

    /// Coefficients of r0 are smaller than this.
    #[cfg_attr(
        not(test),
        expect(clippy::integer_division_remainder_used, reason = "of constants, at compile time")
    )]
    pub(super) const fn r0_bound(&self) -> i32 {
        (oaklath_poly::q8380417::Q - 1) / (2 * self.m) - self.beta()
    }

    /// Bytes of a polynomial of s1 or s2.
    pub(super) const fn eta_bytes(&self) -> usize {
        if self.eta == 2 { 96 } else { 128 }
    }

    /// Bytes of a polynomial of z.
    pub(super) const fn z_bytes(&self) -> usize {
        32 * self.z_bits
    }

    /// Bytes of a polynomial of w1.
    pub(super) const fn w1_bytes(&self) -> usize {
        if self.m == 16 { 128 } else { 192 }
    }

    /// Whether sums of products with a challenge exceed a byte.
    pub(super) const fn wide_sums(&self) -> bool {
        self.beta() > 127
    }

    /// Bytes of tr.
    pub(crate) const fn tr(variant: Variant) -> usize {
        match variant {
            Variant::MlDsa => 64,
            Variant::Dilithium | Variant::DilithiumAes => 32,
        }
    }

    /// Bytes of c~: lambda / 4.
    pub(super) const fn c_tilde(&self, variant: Variant) -> usize {
        match (variant, self.k) {
            (Variant::MlDsa, 6) => 48,
            (Variant::MlDsa, 8) => 64,
            _ => 32,
        }
    }

    /// Bytes of the hints in a signature.
    pub(super) const fn hint_bytes(&self) -> usize {
        self.omega + self.k
    }

    /// Bytes of a public key.
    pub(crate) const fn public_key(&self) -> usize {
        SEED + T1 * self.k
    }

    /// Where t0 begins in a private key.
    pub(super) const fn t0_offset(&self, variant: Variant) -> usize {
        2 * SEED + Self::tr(variant) + self.eta_bytes() * (self.k + self.l)
    }

    /// Bytes of a private key.
    pub(crate) const fn secret_key(&self, variant: Variant) -> usize {
        self.t0_offset(variant) + T0 * self.k
    }

    /// Bytes of a signature.
    pub(crate) const fn signature(&self, variant: Variant) -> usize {
        self.c_tilde(variant) + self.z_bytes() * self.l + self.hint_bytes()
    }
}

#[cfg(test)]
mod tests {
    use oaklath_params::sig::{DILITHIUM_3, DILITHIUM_5_AES, ML_DSA_44, ML_DSA_65, ML_DSA_87};

    use super::*;

    /// FIPS 204, Tables 1 and 2, and of Dilithium those of its round 3.
    #[test]
    fn numbers_and_sizes_of_the_standard() {
        // k, l, gamma1, gamma2, beta, bits of eta, bytes of w1 and of c~
        for (k, l, [gamma1, gamma2, beta], [eta, w1, c_tilde], variant, info) in [
            (4, 4, [1 << 17, 95_232, 78], [3, 192, 32], Variant::MlDsa, &ML_DSA_44),
            (6, 5, [1 << 19, 261_888, 196], [4, 128, 48], Variant::MlDsa, &ML_DSA_65),
            (8, 7, [1 << 19, 261_888, 120], [3, 128, 64], Variant::MlDsa, &ML_DSA_87),
            (6, 5, [1 << 19, 261_888, 196], [4, 128, 32], Variant::Dilithium, &DILITHIUM_3),
            (8, 7, [1 << 19, 261_888, 120], [3, 128, 32], Variant::DilithiumAes, &DILITHIUM_5_AES),
        ] {
            let (p, name) = (Params::of(k, l), info.name);
            let bounds = [p.beta(), p.z_bound(), p.r0_bound()];
            assert_eq!(bounds, [beta, gamma1 - beta, gamma2 - beta], "{name}");
            assert_eq!(p.wide_sums(), beta > 127, "{name}");
            let bytes = [p.eta_bytes(), p.w1_bytes(), p.c_tilde(variant)];
            assert_eq!(bytes, [32 * eta, w1, c_tilde], "{name}");
            assert_eq!(p.z_bytes(), 32 * (gamma1.ilog2() as usize + 1), "{name}");
            let sizes = [p.public_key(), p.secret_key(variant), p.signature(variant)];
            assert_eq!(sizes, [info.public_key, info.secret_key, info.signature], "{name}");
        }
    }

    #[test]
    #[should_panic(expected = "the matrices of FIPS 204, table 1")]
    fn no_other_matrix() {
        let _ = Params::of(4, 5);
    }
}
