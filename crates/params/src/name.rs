//! Comparison, lookup and suggestion of names.
use core::fmt;

/// A row of a table.
pub(crate) trait Row: 'static {
    /// Returns every name of the row, the preferred one first. A name may occur twice.
    fn names(&'static self) -> impl Iterator<Item = &'static str>;

    /// Reports whether the row has this number: a TLS codepoint or a type code. Most have none.
    fn has_number(&'static self, _: u32) -> bool {
        false
    }
}

/// A row whose algorithm is compiled if another crate has a feature.
pub trait Algorithm: fmt::Debug + 'static {
    /// The kind of algorithm in the table, for error messages.
    const KIND: &'static str;

    /// Returns the preferred name.
    fn name(&self) -> &'static str;

    /// Returns the cargo feature that compiles the algorithm.
    fn feature(&self) -> &'static str;
}

/// A name that no compiled algorithm has.
///
/// ```
/// use oaklath_params::{UnknownName, kem};
///
/// let error = |known, suggestion| UnknownName { known, suggestion }.to_string();
/// let needs = "Saber-KEM is not in this build: it needs the feature `saber`";
/// assert_eq!(error(Some(&kem::SABER), None), needs);
/// let close = kem::suggest("ML-KEM-786");
/// assert_eq!(error(None, close), "expected the name of a KEM; is it `ML-KEM-768`?");
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownName<R: Algorithm> {
    /// The row with this name, if there is one; its algorithm is not compiled.
    pub known: Option<&'static R>,
    /// The closest name, if one is close.
    pub suggestion: Option<&'static str>,
}

// A derive would require `R: Copy`.
impl<R: Algorithm> Clone for UnknownName<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Algorithm> Copy for UnknownName<R> {}

impl<R: Algorithm> fmt::Display for UnknownName<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.known {
            let (name, feature) = (row.name(), row.feature());
            return write!(f, "{name} is not in this build: it needs the feature `{feature}`");
        }
        write!(f, "expected the name of a {}", R::KIND)?;
        self.suggestion.map_or(Ok(()), |name| write!(f, "; is it `{name}`?"))
    }
}

impl<R: Algorithm> core::error::Error for UnknownName<R> {}

/// Returns the row that `text` identifies by a name of any vocabulary, or by a number.
pub(crate) fn find<R: Row>(rows: &[&'static R], text: &str) -> Option<&'static R> {
    let number = number(text);
    // Loops here and below, since each adapter over chains of names is compiled for every table.
    for row in rows.iter().copied() {
        if number.is_some_and(|number| row.has_number(number)) {
            return Some(row);
        }
        for name in row.names() {
            if same(name, text) {
                return Some(row);
            }
        }
    }
    None
}

/// Returns the name that is closest to `text`, if they differ in at most a third of its letters.
pub(crate) fn suggest<R: Row>(rows: &[&'static R], text: &str) -> Option<&'static str> {
    suggest_of(rows.iter().copied(), text)
}

/// Does [`suggest`] over several tables.
pub(crate) fn suggest_of<R: Row>(
    rows: impl Iterator<Item = &'static R>,
    text: &str,
) -> Option<&'static str> {
    let mut closest = None;
    for row in rows {
        for name in row.names() {
            if let Some(found) = distance(name, text)
                && 3 * found <= folded(name).count()
                && closest.is_none_or(|(least, _)| found < least)
            {
                closest = Some((found, name));
            }
        }
    }
    closest.map(|(_, name)| name)
}

/// Reports whether two spellings are the same name: ASCII case, `-`, `_` and spaces do not count.
pub(crate) fn same(a: &str, b: &str) -> bool {
    folded(a).eq(folded(b))
}

fn folded(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(|b| !matches!(b, b'-' | b'_' | b' ')).map(|b| b.to_ascii_lowercase())
}

/// Parses a decimal number, or a hexadecimal one after `0x`.
fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // `from_str_radix` would accept a sign.
    let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
    if plain { u32::from_str_radix(digits, radix).ok() } else { None }
}

/// Returns the Levenshtein distance of the folded names, or `None` if `text` has more than 64
/// letters, which no name has.
fn distance(name: &str, text: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    let len = folded(text).count();
    if len > LONGEST {
        return None;
    }
    // row[j] is the distance from the letters of `name` read so far to the first j of `text`.
    let mut row: [usize; LONGEST + 1] = core::array::from_fn(|j| j);
    for (i, a) in folded(name).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in folded(text).enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[len])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Checks that every name of every row finds its row, and that no other row has it.
    #[track_caller]
    pub(crate) fn every_name_finds_its_row<R: Row>(rows: &[&'static R]) {
        for &row in rows {
            for name in row.names() {
                assert!(number(name).is_none() && folded(name).count() > 0, "{name}");
                assert!(find(rows, name).is_some_and(|found| core::ptr::eq(found, row)), "{name}");
                let holders = rows.iter().filter(|r| r.names().any(|n| same(n, name))).count();
                assert_eq!(holders, 1, "{name} is in {holders} rows");
            }
        }
    }

    #[test]
    fn separators_and_case_do_not_count() {
        assert!(same("ML-KEM-768", "ml_kem 768"));
        assert!(!same("ML-KEM-768", "ML-KEM-76"));
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal_without_sign() {
        assert_eq!(number("12093"), Some(12093));
        assert_eq!(number("0x2f3D"), Some(12093));
        for bad in ["", "0x", "+5", "-5", "12a", "0x+5", "4294967296", "1 2"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), Some(3));
        assert_eq!(distance("ML-KEM-768", "mlkem768"), Some(0));
        assert_eq!(distance("abc", ""), Some(3));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("a", core::str::from_utf8(&[b'a'; 65]).unwrap()), None);
    }
}
