//! Messages that need not be in memory.
use core::fmt;

/// The function that receives the pieces of a message one after the other.
pub type Absorb<'a> = dyn FnMut(&[u8]) + 'a;

/// A message: bytes in memory, or pieces that come from elsewhere, such as a file.
///
/// Signing reads the message once, and so does each verification.
///
/// ```
/// use oaklath_stateful::{Absorb, Message};
///
/// let halves = |absorb: &mut Absorb<'_>| {
///     absorb(b"firmware ");
///     absorb(b"1.0");
/// };
/// let messages = [Message::from(b"firmware 1.0"), Message::in_pieces(&halves)];
/// let key = oaklath_stateful::HssPublicKey::from_bytes(&{
///     let mut bytes = [0; 60];
///     (bytes[3], bytes[7], bytes[11]) = (1, 5, 3);
///     bytes
/// })?;
/// for message in messages {
///     assert!(key.check_message(message, &[0; 2352]).is_err());
/// }
/// # Ok::<(), oaklath_stateful::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Message<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Bytes(&'a [u8]),
    Pieces(&'a dyn Fn(&mut Absorb<'_>)),
}

impl<'a> Message<'a> {
    /// Makes a message from a function that passes on all pieces in order, and the same bytes at
    /// each call. If the bytes differ, a signature does not verify and is not released.
    #[must_use]
    pub fn in_pieces(pieces: &'a dyn Fn(&mut Absorb<'_>)) -> Self {
        Self(Source::Pieces(pieces))
    }

    /// Passes all pieces to `absorb` in order.
    pub fn absorb_by(self, absorb: &mut Absorb<'_>) {
        match self.0 {
            Source::Bytes(bytes) => absorb(bytes),
            Source::Pieces(pieces) => pieces(absorb),
        }
    }
}

impl<'a> From<&'a [u8]> for Message<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self(Source::Bytes(bytes))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Message<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self(Source::Bytes(bytes))
    }
}

impl<'a> From<&'a alloc::vec::Vec<u8>> for Message<'a> {
    fn from(bytes: &'a alloc::vec::Vec<u8>) -> Self {
        Self(Source::Bytes(bytes))
    }
}

/// Does not print the message.
impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").finish_non_exhaustive()
    }
}
