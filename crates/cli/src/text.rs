//! Small pieces of text.

use std::time::Duration;

/// A number of seconds on the command line, from a millisecond to a minute.
///
/// # Errors
/// If the text is no number, or one outside that.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=60.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected 0.001 to 60".to_owned())
}

/// A number with its thousands set apart: `8,467`.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What a peer said, without anything that a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    let lines = text.replace("\r\n", "\n");
    lines.chars().map(|c| if c.is_control() && c != '\n' { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{printable, thousands};

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(printable("a\r\nb\u{1b}[2Jc\u{9b}1m"), "a\nb?[2Jc?1m");
    }

    #[test]
    fn thousands_are_set_apart() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (8467, "8,467"),
            (123_456, "123,456"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(thousands(n), text);
        }
    }
}
