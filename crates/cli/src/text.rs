//! Parsing and printing of short texts.

use std::time::Duration;

/// Parses a number of seconds on the command line, from a millisecond to a minute.
///
/// # Errors
/// If the text is not a number within that range.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=60.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected 0.001 to 60".to_owned())
}

/// Replaces control characters in a text, which a terminal would interpret.
pub(crate) fn printable(text: &str) -> String {
    let lines = text.replace("\r\n", "\n");
    lines.chars().map(|c| if c.is_control() && c != '\n' { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(printable("a\r\nb\u{1b}[2Jc\u{9b}1m"), "a\nb?[2Jc?1m");
    }
}
