//! PEM: RFC 7468, read with the liberties that its section 2 allows.

use std::fmt;

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// Characters in a line of base64: RFC 7468, section 2.
const LINE: usize = 64;

/// One `BEGIN` … `END` of a file. Erased when dropped, since it may be a private key.
pub struct PemBlock {
    /// What stands behind `BEGIN`.
    pub label: String,
    /// The decoded bytes.
    pub bytes: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for PemBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PemBlock({}, {} bytes)", self.label, self.bytes.len())
    }
}

/// What is wrong with a PEM file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PemError {
    /// No line `-----BEGIN …-----`.
    NoBlock,
    /// A block has no `-----END …-----` with its label.
    NoEnd {
        /// The block's label.
        label: String,
    },
    /// What is between the lines is not base64. Headers of the old encrypted form are not, either.
    NotBase64 {
        /// The block's label.
        label: String,
    },
    /// There is no block of the kind that is asked for.
    Label {
        /// The label that is asked for.
        expected: &'static str,
        /// The labels in the file.
        found: Vec<String>,
    },
}

impl fmt::Display for PemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlock => f.write_str("not PEM: no line `-----BEGIN …-----`"),
            Self::NoEnd { label } => write!(f, "PEM block without `-----END {label}-----`"),
            Self::NotBase64 { label } => write!(f, "PEM block {label} that is not base64"),
            Self::Label { expected, found } => {
                write!(f, "PEM without {expected}, found {}", found.join(", "))
            }
        }
    }
}

impl std::error::Error for PemError {}

/// All blocks of a text, in order. Text around blocks is explanatory and passed over.
///
/// ```
/// let blocks = oaklath_pki::decode_pem("-----BEGIN X-----\nAQID\n-----END X-----\n")?;
/// assert_eq!((&*blocks[0].label, blocks[0].bytes.as_slice()), ("X", &[1, 2, 3][..]));
/// # Ok::<(), oaklath_pki::PemError>(())
/// ```
///
/// # Errors
/// If there is no block, or one without end or of something else than base64.
pub fn decode_pem(text: &str) -> Result<Vec<PemBlock>, PemError> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(label) = boundary(line, "-----BEGIN ") else { continue };
        // Room for everything, so that no copy of a secret stays behind.
        let mut digits = Zeroizing::new(String::with_capacity(text.len()));
        loop {
            let line = lines.next().ok_or_else(|| PemError::NoEnd { label: label.to_owned() })?;
            match boundary(line, "-----END ") {
                Some(end) if end == label => break,
                Some(_) => return Err(PemError::NoEnd { label: label.to_owned() }),
                None => digits.extend(line.chars().filter(|c| !c.is_ascii_whitespace())),
            }
        }
        let not_base64 = |_| PemError::NotBase64 { label: label.to_owned() };
        let bytes = Base64::decode_vec(&digits).map_err(not_base64)?;
        blocks.push(PemBlock { label: label.to_owned(), bytes: Zeroizing::new(bytes) });
    }
    if blocks.is_empty() { Err(PemError::NoBlock) } else { Ok(blocks) }
}

/// The label of a line that begins or ends a block.
fn boundary<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.trim().strip_prefix(begin)?.strip_suffix("-----")
}

/// A block.
///
/// ```
/// let text = oaklath_pki::encode_pem("X", &[1, 2, 3]);
/// assert_eq!(*text, "-----BEGIN X-----\nAQID\n-----END X-----\n");
/// ```
#[must_use]
pub fn encode_pem(label: &str, bytes: &[u8]) -> Zeroizing<String> {
    let digits = Zeroizing::new(Base64::encode_string(bytes));
    // A line break for each line, and the two boundaries.
    let room = digits.len() + digits.len().div_ceil(LINE) + 2 * (label.len() + LINE);
    let mut text = Zeroizing::new(String::with_capacity(room));
    text.extend(["-----BEGIN ", label, "-----\n"]);
    let mut rest = &**digits;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        text.extend([line, "\n"]);
        rest = after;
    }
    text.extend(["-----END ", label, "-----\n"]);
    text
}

/// The first block that `is_wanted`.
pub(crate) fn find(
    text: &str,
    expected: &'static str,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<PemBlock, PemError> {
    let mut blocks = decode_pem(text)?;
    match blocks.iter().position(|block| is_wanted(&block.label)) {
        Some(at) => Ok(blocks.swap_remove(at)),
        None => {
            let found = blocks.into_iter().map(|block| block.label).collect();
            Err(PemError::Label { expected, found })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_is_decoded_at_every_length() {
        for len in 0..200 {
            let bytes: Vec<u8> = (0..len).collect();
            let text = encode_pem("SOME THING", &bytes);
            assert!(text.lines().all(|line| line.len() <= LINE));
            for text in [text.to_string(), text.replace('\n', "\r\n"), format!("note\n{}", *text)] {
                let blocks = decode_pem(&text).unwrap();
                assert_eq!(blocks.len(), 1);
                assert_eq!((&*blocks[0].label, &*blocks[0].bytes), ("SOME THING", &bytes));
            }
        }
    }

    #[test]
    fn broken_files_are_refused() {
        let label = || "A".to_owned();
        for (text, error) in [
            ("", PemError::NoBlock),
            ("AQID", PemError::NoBlock),
            ("-----BEGIN A-----\nAQID\n", PemError::NoEnd { label: label() }),
            ("-----BEGIN A-----\nAQID\n-----END B-----", PemError::NoEnd { label: label() }),
            ("-----BEGIN A-----\nAQI\n-----END A-----", PemError::NotBase64 { label: label() }),
            ("-----BEGIN A-----\nDEK: x\n-----END A-----", PemError::NotBase64 { label: label() }),
        ] {
            assert_eq!(decode_pem(text).unwrap_err(), error, "{text:?}");
        }
        let text = [encode_pem("A", b"1"), encode_pem("B", b"2")].map(|text| text.to_string());
        assert_eq!(&*find(&text.concat(), "B", |label| label == "B").unwrap().bytes, b"2");
        let error = find(&text.concat(), "C", |label| label == "C").unwrap_err();
        assert_eq!(error.to_string(), "PEM without C, found A, B");
    }

    #[test]
    fn secrets_stay_out_of_debug_output() {
        let block = decode_pem(&encode_pem("A", b"secret")).unwrap().remove(0);
        assert_eq!(format!("{block:?}"), "PemBlock(A, 6 bytes)");
    }
}
