//! Inputs that change an honest object instead of being one.

/// The bytes of an input, read from the front. What is missing is 0.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    /// An input from its beginning.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let [first, rest @ ..] = self.0 else { return 0 };
        self.0 = rest;
        *first
    }

    /// One of these, by the next byte.
    pub fn one_of<T: Copy>(&mut self, these: &[T]) -> T {
        these[usize::from(self.byte()) % these.len()]
    }

    /// So many bytes, determined by the next one.
    pub fn seed(&mut self, len: usize) -> Vec<u8> {
        let mut seed = vec![0; len];
        spread(u64::from(self.byte()), &mut seed);
        seed
    }

    /// The same by the next eight bytes: one of many.
    pub fn long_seed(&mut self, len: usize) -> Vec<u8> {
        let from = (0..8).fold(0, |from, _| from << 8 | u64::from(self.byte()));
        let mut seed = vec![0; len];
        spread(from, &mut seed);
        seed
    }

    /// The rest of the input.
    #[must_use]
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// `honest` as the rest of the input wants it: by its first byte changed at places (two bytes
    /// each, and one of what to flip), cut or prolonged to a length, or replaced as a whole.
    #[must_use]
    pub fn changed(mut self, mut honest: Vec<u8>) -> Vec<u8> {
        match self.byte() % 4 {
            0 => {}
            1 => {
                let len = usize::from(self.byte()) << 8 | usize::from(self.byte());
                honest.resize(len, 0);
            }
            2 => {
                let near = honest.len() + usize::from(self.byte() % 5);
                honest.resize(near.saturating_sub(2), 0xff);
            }
            _ => return self.0.to_vec(),
        }
        for edit in self.0.chunks_exact(3) {
            let at = usize::from(edit[0]) << 8 | usize::from(edit[1]);
            let at = at.checked_rem(honest.len()).unwrap_or_default();
            if let Some(byte) = honest.get_mut(at) {
                *byte ^= edit[2];
            }
        }
        honest
    }
}

/// Bytes of all values, determined by a number. Constant seeds would make keys that no generator
/// draws: one of NTRU of nothing but zeros, for instance, which decrypts nothing.
pub(crate) fn spread(from: u64, out: &mut [u8]) {
    // Knuth's linear congruential generator, of which the upper bits are good.
    let mut state = from;
    for byte in out {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
}

/// What scripts end with: nothing is changed, or something in each of the ways there are.
const ENDINGS: [&[u8]; 6] = [
    &[0],
    &[0, 0, 0, 1],
    &[0, 1, 2, 0xff, 3, 0x1f, 0x80],
    &[1, 0, 31, 0, 0, 7],
    &[2, 1],
    &[3, 1, 2, 3, 4, 5, 6, 7, 8],
];

/// A script that begins with these bytes, the first of which is a number. The endings go round.
pub(crate) fn seed(name: String, beginning: &[u8]) -> crate::Seed {
    let turn: usize = beginning.iter().map(|byte| usize::from(*byte)).sum();
    (name, [beginning, ENDINGS[turn % ENDINGS.len()]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(script: &[u8]) -> Vec<u8> {
        Script::new(script).changed(vec![1, 2, 3])
    }

    #[test]
    fn scripts_change_what_they_say() {
        assert_eq!(changed(&[]), [1, 2, 3]);
        assert_eq!(changed(&[0, 0, 1, 0x80, 1, 0]), [1, 0x82, 3]);
        assert_eq!(changed(&[1, 0, 2]), [1, 2]);
        assert!(changed(&[1, 0, 0, 0, 0, 1]).is_empty());
        assert_eq!(changed(&[2, 1]), [1, 2]);
        assert_eq!(changed(&[2, 4]), [1, 2, 3, 0xff, 0xff]);
        assert_eq!(changed(&[3, 9, 8]), [9, 8]);
    }
}
