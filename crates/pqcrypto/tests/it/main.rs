//! The interface as users of the pqcrypto crates call it.

mod kem;
mod serialization;
mod sign;

use oaklath_pqcrypto::traits::Error;

/// Panics if the result is not a length error with these numbers.
fn assert_length_rejected<T>(result: Result<T, Error>, of: &str, bytes: usize, wanted: usize) {
    let Err(Error::BadLength { name, actual, expected }) = result else { panic!("{of} was read") };
    assert_eq!((name, actual, expected), (of, bytes, wanted));
}
