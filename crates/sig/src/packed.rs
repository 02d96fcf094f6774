//! Private keys that stay as their bytes, for signing in little memory.
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_params::sig::SigInfo;
use zeroize::Zeroizing;

use crate::object::complete;
use crate::{Error, Message, Sign, Signature};

/// The bytes of a private key that was checked, and how they sign.
struct Packed<F> {
    info: &'static SigInfo,
    key: Zeroizing<Vec<u8>>,
    sign: F,
}

/// A checked private key that signs by a function of its bytes.
///
/// # Errors
/// As [`Signature::public_key`].
pub(crate) fn packed<F>(scheme: &dyn Signature, sk: &[u8], sign: F) -> Result<Box<dyn Sign>, Error>
where
    F: Fn(&[u8], &Message<'_>, Option<&[u8]>, &mut [u8]) -> Result<usize, Error>,
    F: Send + Sync + 'static,
{
    let info = scheme.info();
    scheme.public_key(sk, &mut vec![0; info.public_key])?;
    Ok(Box::new(Packed { info, key: Zeroizing::new(sk.to_vec()), sign }))
}

impl<F> Sign for Packed<F>
where
    F: Fn(&[u8], &Message<'_>, Option<&[u8]>, &mut [u8]) -> Result<usize, Error> + Send + Sync,
{
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let out = &mut out[..self.info.signature];
        let result = (self.sign)(&self.key, message, coins, out);
        complete(result, [out])
    }
}

/// Says nothing of the key.
impl<F> fmt::Debug for Packed<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed").field("set", &self.info.name).finish_non_exhaustive()
    }
}
