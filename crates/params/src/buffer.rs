//! Handling of buffers that callers pass: checks of their lengths, and zeroing of outputs after an
//! error.
use core::fmt;

/// A length in bytes that is not the expected one. Displays as `63 bytes, expected 64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The length that the algorithm takes.
    pub expected: usize,
    /// The length that was given.
    pub found: usize,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, expected {}", self.found, self.expected)
    }
}

/// Checks the length of an input.
///
/// # Errors
/// Returns the result of `error` for the lengths, if they differ.
pub fn check_input<E>(
    bytes: &[u8],
    expected: usize,
    error: impl FnOnce(Length) -> E,
) -> Result<(), E> {
    let found = bytes.len();
    if found == expected { Ok(()) } else { Err(error(Length { expected, found })) }
}

/// Checks the length of an output buffer. A wrong one is a mistake of the program.
///
/// # Panics
/// If the length is not the expected one.
#[track_caller]
pub fn check_output(bytes: &[u8], expected: usize, what: &str) {
    let found = bytes.len();
    assert!(found == expected, "{what} of {}", Length { expected, found });
}

/// Fills the outputs with zeros if `result` is an error, so that they are complete or zero.
///
/// # Errors
/// Returns the error of `result`.
pub fn zero_on_error<T, E, const N: usize>(
    result: Result<T, E>,
    outputs: [&mut [u8]; N],
) -> Result<T, E> {
    if result.is_err() {
        outputs.into_iter().for_each(|bytes| bytes.fill(0));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn lengths_say_what_was_expected_and_found() {
        assert_eq!(check_input(&[0; 64], 64, |length| length), Ok(()));
        let length = check_input(&[0; 63], 64, |length| length).unwrap_err();
        assert_eq!((length.expected, length.found), (64, 63));
        assert_eq!(length.to_string(), "63 bytes, expected 64");
    }

    #[test]
    fn outputs_are_complete_or_zero() {
        let (mut a, mut b) = ([1; 3], [2; 2]);
        assert_eq!(zero_on_error(Ok::<_, ()>(7), [&mut a, &mut b]), Ok(7));
        assert_eq!((a, b), ([1; 3], [2; 2]));
        assert_eq!(zero_on_error(Err::<(), _>(7), [&mut a, &mut b]), Err(7));
        assert_eq!((a, b), ([0; 3], [0; 2]));
    }

    #[test]
    #[should_panic(expected = "signature of 3 bytes, expected 4")]
    fn an_output_of_a_wrong_length_is_a_mistake_of_the_program() {
        check_output(&[0; 4], 4, "signature");
        check_output(&[0; 3], 4, "signature");
    }
}
