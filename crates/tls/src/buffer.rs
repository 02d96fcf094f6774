//! A buffer of bytes between the socket and the program.

use std::ops::Range;

/// Held bytes, followed by spare room. Room that was used before is not zeroed again.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    held: Range<usize>,
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { held: 0..bytes.len(), bytes }
    }
}

impl Buffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(crate) fn held(&mut self) -> &mut [u8] {
        &mut self.bytes[self.held.clone()]
    }

    /// Discards `count` bytes at the beginning.
    pub(crate) fn discard(&mut self, count: usize) {
        self.held.start += count;
    }

    /// Returns at least `count` bytes of room, allocated if necessary.
    pub(crate) fn room(&mut self, count: usize) -> &mut [u8] {
        self.bytes.copy_within(self.held.clone(), 0);
        self.held = 0..self.held.len();
        let end = self.held.end + count;
        if let Some(missing) = end.checked_sub(self.bytes.len()) {
            self.bytes.reserve_exact(missing);
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.held.end..]
    }

    /// Holds the first `count` bytes of the room, which the caller has written.
    pub(crate) fn hold(&mut self, count: usize) {
        self.held.end += count;
    }

    /// Appends a copy of these bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.hold(bytes.len());
    }

    /// Moves as many bytes as fit to the beginning of `to`, and returns how many.
    pub(crate) fn take(&mut self, to: &mut [u8]) -> usize {
        let count = to.len().min(self.held.len());
        to[..count].copy_from_slice(&self.held()[..count]);
        self.discard(count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let mut buffer = Buffer::from(vec![1, 2, 3]);
        let mut taken = [0; 2];
        assert_eq!(buffer.take(&mut taken), 2);
        assert_eq!(taken, [1, 2]);
        buffer.append(&[4, 5]);
        assert_eq!(buffer.held(), [3, 4, 5]);
        buffer.room(2)[..2].copy_from_slice(&[6, 7]);
        buffer.hold(1);
        assert_eq!(buffer.held(), [3, 4, 5, 6]);
        // Room that exists already is returned unchanged.
        assert_eq!(buffer.room(1)[0], 7);
        buffer.discard(3);
        let mut taken = [0; 9];
        assert_eq!(buffer.take(&mut taken), 1);
        assert!(taken[0] == 6 && buffer.is_empty());
    }
}
