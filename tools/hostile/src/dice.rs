//! Pseudorandom choices that are the same in each run.

/// `SplitMix64`: a generator for choices, not for keys.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Makes the choices for one case: the `seed` of the run, the `names` of the group and of the
    /// kind, and the number of the case.
    pub(crate) fn new(seed: u64, names: [&str; 2], case: usize) -> Self {
        let mut dice = Self(seed);
        for byte in names.iter().flat_map(|name| name.bytes()) {
            dice.0 = dice.next() ^ u64::from(byte);
        }
        dice.0 = dice.next() ^ case as u64;
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns one of `these`.
    pub(crate) fn one_of<'a, T>(&mut self, these: &'a [T]) -> &'a T {
        &these[self.below(these.len())]
    }

    /// Returns a byte.
    pub(crate) fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    /// Returns a byte that is not zero, to XOR into another.
    pub(crate) fn bits(&mut self) -> u8 {
        1 + self.below(255) as u8
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.byte()).collect()
    }
}
