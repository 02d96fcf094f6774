//! Reproducible inputs: a generator for tests and measurements, not for keys.

use std::sync::LazyLock;

/// `SplitMix64` (Steele, Lea, Flood 2014): good enough to vary inputs, trivially reproducible.
#[derive(Clone, Debug)]
pub struct Inputs(u64);

impl Inputs {
    /// Returns the inputs that belong to `seed`.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    ///
    /// ```
    /// use interop_common::random::Inputs;
    ///
    /// let (mut first, mut second) = (Inputs::from_seed(1), Inputs::from_seed(1));
    /// assert_eq!(first.number(), second.number());
    /// assert_ne!(first.number(), first.number());
    /// ```
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub const fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// Returns the next `N` bytes, eight from each number.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.number().to_le_bytes()[..chunk.len()]);
        }
        bytes
    }
}

/// Fills `out` with as many bytes of randomness as an algorithm takes, from fewer: a fixed string
/// of random bytes plus the given ones, repeated. Costs next to nothing, so that the algorithm is
/// what is timed.
///
/// # Panics
/// If `bytes` is empty, or more than 4096 are asked for.
pub fn stretch(bytes: &[u8], out: &mut [u8]) {
    static FIXED: LazyLock<[u8; 4096]> = LazyLock::new(|| Inputs::from_seed(0x57_7e).bytes());
    let len = out.len();
    out.copy_from_slice(&FIXED[..len]);
    for out in out.chunks_mut(bytes.len()) {
        out.iter_mut().zip(bytes).for_each(|(out, byte)| *out ^= byte);
    }
}
