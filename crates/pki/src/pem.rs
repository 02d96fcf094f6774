//! PEM: RFC 7468, parsed as leniently as its section 2 allows.

use std::fmt;

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// The number of characters in a line of base64: RFC 7468, section 2.
const LINE: usize = 64;

/// The maximum length of a label that is read; labels in use have at most 30 characters.
const LONGEST_LABEL: usize = 64;
/// The beginning of a line that begins a block.
pub(crate) const BEGIN: &str = "-----BEGIN ";
/// The maximum number of labels that an error lists.
const NAMED_LABELS: usize = 8;

/// Limits on the PEM that is read.
///
/// ```
/// use oaklath_pki::{PemLimits, decode_pem_within};
///
/// let text = "-----BEGIN X-----\nAQID\n-----END X-----\n".repeat(5000);
/// let limits = PemLimits { blocks: 10_000, ..PemLimits::default() };
/// assert_eq!(decode_pem_within(&text, limits)?.len(), 5000);
/// # Ok::<(), oaklath_pki::PemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PemLimits {
    /// The maximum number of blocks in a text.
    pub blocks: usize,
    /// The maximum length of a text in bytes.
    pub bytes: usize,
}

impl Default for PemLimits {
    /// Returns 4,096 blocks and 16 MiB: several times the root certificates of any system.
    fn default() -> Self {
        Self { blocks: 4096, bytes: 1 << 24 }
    }
}

/// One block `BEGIN` … `END` of a file. Erased when dropped, since it may be a private key.
pub struct PemBlock {
    /// The text after `BEGIN`: at most 64 characters, all printable ASCII.
    pub label: String,
    /// The decoded bytes.
    pub bytes: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for PemBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PemBlock({}, {} bytes)", self.label, self.bytes.len())
    }
}

/// Errors in PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PemError {
    /// There is no line `-----BEGIN …-----`.
    NoBlock,
    /// A label has over 64 characters, or one that is not printable ASCII: RFC 7468, section 3.
    BadLabel,
    /// A block has no `-----END …-----` with its label.
    NoEnd {
        /// The block's label.
        label: String,
    },
    /// The lines of a block are not base64; headers of the old encrypted form are not, either.
    NotBase64 {
        /// The block's label.
        label: String,
    },
    /// There is no block of the requested kind.
    Label {
        /// The requested label.
        expected: &'static str,
        /// The labels in the file, each once, at most eight.
        found: Vec<String>,
    },
    /// The text has more blocks than [`PemLimits::blocks`].
    TooManyBlocks {
        /// The limit.
        most: usize,
    },
    /// The text is longer than [`PemLimits::bytes`].
    TooLong {
        /// The limit.
        most: usize,
    },
}

impl fmt::Display for PemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlock => f.write_str("not PEM: no line `-----BEGIN …-----`"),
            Self::BadLabel => write!(
                f,
                "PEM label that is not printable ASCII of at most {LONGEST_LABEL} characters"
            ),
            Self::NoEnd { label } => write!(f, "PEM block without `-----END {label}-----`"),
            Self::NotBase64 { label } => write!(f, "PEM block {label} that is not base64"),
            Self::Label { expected, found } => {
                write!(f, "PEM without {expected}, found {}", found.join(", "))
            }
            Self::TooManyBlocks { most } => write!(f, "PEM of more than {most} blocks"),
            Self::TooLong { most } => write!(f, "PEM of more than {most} bytes"),
        }
    }
}

impl std::error::Error for PemError {}

/// Returns all blocks of a text, in order, within the default [`PemLimits`]. Text around blocks is
/// explanatory and is skipped.
///
/// ```
/// let blocks = oaklath_pki::decode_pem("-----BEGIN X-----\nAQID\n-----END X-----\n")?;
/// assert_eq!((&*blocks[0].label, blocks[0].bytes.as_slice()), ("X", &[1, 2, 3][..]));
/// # Ok::<(), oaklath_pki::PemError>(())
/// ```
///
/// # Errors
/// If there is no block, or a block has no end, is not base64 or has a label that is not printable;
/// or if the text exceeds the limits.
pub fn decode_pem(text: &str) -> Result<Vec<PemBlock>, PemError> {
    decode_pem_within(text, PemLimits::default())
}

/// Returns all blocks of a text as [`decode_pem`] does, within other limits.
///
/// # Errors
/// Those of [`decode_pem`].
pub fn decode_pem_within(text: &str, limits: PemLimits) -> Result<Vec<PemBlock>, PemError> {
    if text.len() > limits.bytes {
        return Err(PemError::TooLong { most: limits.bytes });
    }
    let mut blocks = Vec::new();
    let mut at = 0;
    // Each line with the offset of its end.
    let mut lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (line, at)
    });
    while let Some((line, start)) = lines.next() {
        let Some(label) = boundary(line, BEGIN) else { continue };
        if blocks.len() == limits.blocks {
            return Err(PemError::TooManyBlocks { most: limits.blocks });
        }
        if label.len() > LONGEST_LABEL || label.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) {
            return Err(PemError::BadLabel);
        }
        let no_end = || PemError::NoEnd { label: label.to_owned() };
        let end = loop {
            let (line, end) = lines.next().ok_or_else(no_end)?;
            match boundary(line, "-----END ") {
                Some(other) if other == label => break end - line.len(),
                Some(_) => return Err(no_end()),
                None => {}
            }
        };
        blocks.push(PemBlock { label: label.to_owned(), bytes: decode(label, &text[start..end])? });
    }
    if blocks.is_empty() { Err(PemError::NoBlock) } else { Ok(blocks) }
}

/// Decodes the lines between two boundaries.
fn decode(label: &str, body: &str) -> Result<Zeroizing<Vec<u8>>, PemError> {
    // Has room for everything, so that no copy of a secret is left by a reallocation.
    let mut digits = Zeroizing::new(String::with_capacity(body.len()));
    digits.extend(body.chars().filter(|c| !c.is_ascii_whitespace()));
    let bytes = Base64::decode_vec(&digits);
    bytes.map(Zeroizing::new).map_err(|_| PemError::NotBase64 { label: label.to_owned() })
}

/// Returns the label of a line that begins or ends a block.
fn boundary<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.trim().strip_prefix(begin)?.strip_suffix("-----")
}

/// Encodes a PEM block.
///
/// ```
/// let text = oaklath_pki::encode_pem("X", &[1, 2, 3]);
/// assert_eq!(*text, "-----BEGIN X-----\nAQID\n-----END X-----\n");
/// ```
#[must_use]
pub fn encode_pem(label: &str, bytes: &[u8]) -> Zeroizing<String> {
    let digits = Zeroizing::new(Base64::encode_string(bytes));
    // Includes the line breaks and the two boundaries.
    let room = digits.len() + digits.len().div_ceil(LINE) + 2 * (label.len() + LINE);
    let mut text = Zeroizing::new(String::with_capacity(room));
    text.extend([BEGIN, label, "-----\n"]);
    let mut rest = &**digits;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        text.extend([line, "\n"]);
        rest = after;
    }
    text.extend(["-----END ", label, "-----\n"]);
    text
}

/// Returns the blocks that are wanted, at least one.
pub(crate) fn find_all(
    text: &str,
    expected: &'static str,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<PemBlock>, PemError> {
    let (wanted, others): (Vec<_>, Vec<_>) =
        decode_pem(text)?.into_iter().partition(|block| is_wanted(&block.label));
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let mut found = Vec::new();
    for PemBlock { label, .. } in others {
        if found.len() < NAMED_LABELS && !found.contains(&label) {
            found.push(label);
        }
    }
    Err(PemError::Label { expected, found })
}

/// Returns the first block that is wanted.
pub(crate) fn find(
    text: &str,
    expected: &'static str,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<PemBlock, PemError> {
    Ok(find_all(text, expected, is_wanted)?.swap_remove(0))
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
    fn labels_that_a_terminal_would_obey_are_rejected() {
        let long = "A".repeat(LONGEST_LABEL + 1);
        for label in ["\u{1b}]0;owned\u{7}", "A\tB", "\u{202e}A", "Ä", &long] {
            let text = encode_pem(label, b"1");
            let error = decode_pem(&text).unwrap_err();
            assert_eq!(error, PemError::BadLabel, "{label:?}");
            assert!(error.to_string().chars().all(|c| (' '..='~').contains(&c)));
        }
        assert!(decode_pem(&encode_pem(&long[1..], b"1")).is_ok());
        // An error does not list all labels.
        let text: String =
            (0..100).map(|i| encode_pem(&format!("A{}", i % 50), b"1").to_string()).collect();
        let PemError::Label { found, .. } = find(&text, "B", |label| label == "B").unwrap_err()
        else {
            panic!()
        };
        assert_eq!(found, ["A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7"]);
    }

    #[test]
    fn limits_hold_and_can_be_raised() {
        let text = encode_pem("A", b"1").repeat(5000);
        let limits = PemLimits::default();
        let error = decode_pem(&text).unwrap_err();
        assert_eq!(error, PemError::TooManyBlocks { most: limits.blocks });
        let raised = PemLimits { blocks: 5000, ..limits };
        assert_eq!(decode_pem_within(&text, raised).unwrap().len(), 5000);
        let bytes = text.len() - 1;
        let error = decode_pem_within(&text, PemLimits { bytes, ..raised }).unwrap_err();
        assert_eq!(error, PemError::TooLong { most: bytes });
        let long = encode_pem("A", &vec![0; limits.bytes]);
        assert_eq!(decode_pem(&long).unwrap_err(), PemError::TooLong { most: limits.bytes });
    }

    /// A block allocates room only for itself: with room for the whole text, this took 15 seconds.
    #[test]
    fn many_blocks_do_not_take_the_square_of_the_time() {
        let text = "-----BEGIN A-----\nAA==\n-----END A-----\n".repeat(200_000);
        let limits = PemLimits { blocks: 200_000, ..PemLimits::default() };
        assert_eq!(decode_pem_within(&text, limits).unwrap().len(), 200_000);
    }

    #[test]
    fn secrets_stay_out_of_debug_output() {
        let block = decode_pem(&encode_pem("A", b"secret")).unwrap().remove(0);
        assert_eq!(format!("{block:?}"), "PemBlock(A, 6 bytes)");
    }
}
