//! Command lines in a folder of their own, and the files that they leave there.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder for one test, removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("oaklath-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Returns a command line in the folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oaklath"));
        command.args(line.split(' ')).current_dir(&self.0);
        command.env("XDG_STATE_HOME", self.0.join("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command line whose standard output nobody reads.
    pub(crate) fn run_unread(&self, line: &str) -> Output {
        let (_, closed) = std::io::pipe().unwrap();
        self.command(line).stdin(Stdio::null()).stdout(closed).output().unwrap()
    }

    /// Runs a command line in the folder.
    pub(crate) fn run(&self, line: &str, stdin: &[u8]) -> Output {
        let mut process = self.command(line).spawn().unwrap();
        process.stdin.take().unwrap().write_all(stdin).unwrap();
        process.wait_with_output().unwrap()
    }

    /// Runs a command line, which must succeed and print nothing.
    pub(crate) fn works(&self, line: &str) {
        let output = self.run(line, b"");
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
    }

    /// Generates a stateful key, which may print only a warning.
    pub(crate) fn makes_key(&self, line: &str) {
        let output = self.run(line, b"");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && output.stdout.is_empty(), "{said}");
        assert!(said.starts_with("warning: ") && said.lines().count() == 1, "{said}");
    }

    /// Runs a command line, which must fail with this code and error.
    pub(crate) fn fails(&self, line: &str, code: i32, error: &str) {
        let output = self.run(line, b"");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(&format!("error: {error}")), "{line}: {said}");
        assert_eq!(output.status.code(), Some(code), "{line}");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the names of all files, in order.
pub(crate) fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the permissions of a file in a folder.
#[cfg(unix)]
pub(crate) fn mode(folder: &Folder, name: &str) -> u32 {
    let path = folder.0.join(name);
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
}
