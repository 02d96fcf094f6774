//! Constants of SHA-256 and SHA-512: FIPS 180-4, sections 4.2 and 5.3.
use oaklath_simd::{array, each};

/// The round constants of SHA-512, of which those of SHA-256 are the first halves: the fractional
/// parts of the cube roots of the first 80 primes (FIPS 180-4, section 4.2.3).
pub(super) static K: [u64; 80] = {
    let (mut k, mut n, mut candidate) = ([0; 80], 0, 2);
    while n < 80 {
        if is_prime(candidate) {
            k[n] = cube_root_fraction(candidate);
            n += 1;
        }
        candidate += 1;
    }
    k
};

const fn is_prime(n: u128) -> bool {
    let mut d = 2;
    while d * d <= n {
        if n.is_multiple_of(d) {
            return false;
        }
        d += 1;
    }
    true
}

/// Returns the first 64 fractional bits of the cube root of `n`, which is below 410.
#[expect(clippy::integer_division_remainder_used, reason = "for constants only")]
const fn cube_root_fraction(n: u128) -> u64 {
    // The root in units of 2^-39, rounded down, bit by bit.
    let (mut root, mut bit) = (0, 1 << 42);
    while bit > 0 {
        let next = root | bit;
        if next * next * next <= n << 117 {
            root = next;
        }
        bit >>= 1;
    }
    // What is missing, below 1, in units of 2^-64: a step of Newton's method is wrong by less than
    // 2^-39 of the former unit.
    let missing = (((n << 117) - root * root * root) << 25) / (3 * root * root);
    ((root << 25) + missing) as u64
}

/// The round constants of SHA-256, four in each row: FIPS 180-4, section 4.2.2.
pub(super) static K256: [[u32; 4]; 16] = {
    let mut k = [[0; 4]; 16];
    each!(i in 0..64 => k[i >> 2][i & 3] = (K[i] >> 32) as u32);
    k
};

/// The initial hash value of SHA-512: FIPS 180-4, section 5.3.5.
pub const IV512: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The initial hash value of SHA-256, the first halves: FIPS 180-4, section 5.3.3.
pub(super) const IV256: [u32; 8] = array!([0; 8]: i => (IV512[i] >> 32) as u32);

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4, sections 4.2.3 and 5.3.3: the first and last constants.
    #[test]
    fn constants_are_those_of_the_standard() {
        let [first, second, .., last] = K;
        assert_eq!((first, second), (0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd));
        assert_eq!((K256[15][3], last), (0xc671_78f2, 0x6c44_198c_4a47_5817));
        assert_eq!((IV256[0], IV256[7]), (0x6a09_e667, 0x5be0_cd19));
    }
}
