//! Passwords of databases, and the files that contain them.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::StoreError;

/// The maximum length of a password file in bytes.
const LONGEST: usize = 1 << 16;

/// A password, erased when it is dropped and never printed. The client libraries make copies while
/// they connect, which are not erased.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Returns a password from its text.
    #[must_use]
    pub fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// Reads the first line of a file that only its owner may access (mode 0600), or of a pipe.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the file cannot be read, or others may access it.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let text = read(path.as_ref()).map_err(StoreError::io("read the password"))?;
        Ok(Self(Zeroizing::new(text.lines().next().unwrap_or_default().to_owned())))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Returns the password that a file in libpq's format has for host, port, database and user, if
/// any: that of the first line `host:port:database:user:password` that matches.
#[cfg(feature = "postgres")]
pub(crate) fn in_passfile(
    path: &Path,
    wanted: [String; 4],
) -> Result<Option<Password>, StoreError> {
    let text = read(path).map_err(StoreError::io("read the file of passwords"))?;
    let found = text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let rest = wanted.iter().try_fold(line, |line, field| after(line, field))?;
        let mut password = Zeroizing::new(String::with_capacity(rest.len()));
        let mut letters = rest.chars();
        while let Some(letter) = letters.next() {
            password.push(if letter == '\\' { letters.next().unwrap_or('\\') } else { letter });
        }
        Some(Password(password))
    });
    Ok(found)
}

/// Returns what follows the first field of a line if that field is `*` or `wanted`, in which `:`
/// and `\` are escaped by `\`.
#[cfg(feature = "postgres")]
fn after<'a>(line: &'a str, wanted: &str) -> Option<&'a str> {
    if let Some(rest) = line.strip_prefix("*:") {
        return Some(rest);
    }
    let rest = wanted.chars().try_fold(line, |line, letter| {
        line.strip_prefix('\\').unwrap_or(line).strip_prefix(letter)
    });
    rest?.strip_prefix(':')
}

/// Reads the text of a file that others may not access.
fn read(path: &Path) -> io::Result<Zeroizing<String>> {
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        let metadata = file.metadata()?;
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        if metadata.is_file() && mode & 0o077 != 0 {
            return Err(io::Error::other("others may read it, expected mode 0600 or less"));
        }
    }
    let mut text = Zeroizing::new(String::with_capacity(LONGEST + 1));
    file.take(LONGEST as u64 + 1).read_to_string(&mut text)?;
    match text.len() {
        0..=LONGEST => Ok(text),
        _ => Err(io::Error::other(format!("it has over {LONGEST} bytes"))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// Writes a file of the test's own with this mode, and returns its path.
    fn file(name: &str, text: &str, mode: u32) -> PathBuf {
        let name = format!("oaklath-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_password_is_the_first_line_and_is_not_printed() {
        let path = file("password", "open sesame\nsecond\n", 0o600);
        let password = Password::from_file(&path).unwrap();
        assert_eq!(password.reveal(), "open sesame");
        assert_eq!(format!("{password:?}"), "Password(..)");
        fs::remove_file(&path).unwrap();
        assert!(matches!(Password::from_file(&path), Err(StoreError::Io { .. })));
    }

    #[test]
    fn a_file_that_others_may_read_or_that_is_too_long_has_no_password() {
        let long = file("long", &"x".repeat(LONGEST + 1), 0o600);
        assert!(matches!(Password::from_file(&long), Err(StoreError::Io { .. })));
        fs::remove_file(long).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            let path = file("open", "secret", mode);
            let found = Password::from_file(&path);
            assert!(found.is_err() || cfg!(not(unix)), "mode {mode:o}");
            fs::remove_file(path).unwrap();
        }
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn a_passfile_has_the_password_of_the_first_line_that_matches() {
        let text = "# db.example:5432:keys:signer:comment\n\
                    db.example:5433:keys:signer:port\n\
                    db.example:*:ke\\:ys:sig\\\\ner:escaped\\:\\\\\r\n\
                    db.example:5432:keys:sign:user\n\
                    db.example:5432:keys:signer\n\
                    db.example:5432:keys:signer:right:colon\n\
                    *:*:*:*:any\n";
        let path = file("passfile", text, 0o600);
        let find = |address: &str| {
            let wanted: Vec<_> = address.split(' ').map(str::to_owned).collect();
            in_passfile(&path, wanted.try_into().unwrap()).unwrap().unwrap().reveal().to_owned()
        };
        assert_eq!(find("db.example 5433 keys signer"), "port");
        assert_eq!(find("db.example 1 ke:ys sig\\ner"), "escaped:\\");
        assert_eq!(find("db.example 5432 keys signer"), "right:colon");
        assert_eq!(find("db.example 5432 keys signers"), "any");
        fs::write(&path, "a:1:b:c:d\n").unwrap();
        assert!(in_passfile(&path, ["b"; 4].map(str::to_owned)).unwrap().is_none());
        fs::remove_file(&path).unwrap();
    }
}
