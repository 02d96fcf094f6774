//! `keygen`, `encap` and `decap` over real files.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("oaklath-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Runs a command line in the folder; `{}` in it is `name`.
    fn run(&self, line: &str, stdin: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oaklath"));
        command.args(line.split(' ')).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        process.stdin.take().unwrap().write_all(stdin).unwrap();
        process.wait_with_output().unwrap()
    }

    /// The same, and it works without a word.
    fn works(&self, line: &str) {
        let output = self.run(line, b"");
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
    }

    /// The same, and it fails with this code and error.
    fn fails(&self, line: &str, code: i32, error: &str) {
        let output = self.run(line, b"");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(&format!("error: {error}")), "{line}: {said}");
        assert_eq!(output.status.code(), Some(code), "{line}");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// The names of all files, in order.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
}

/// Both sides have one secret, for every KEM, and nobody else reads what is secret.
#[test]
fn secrets_agree() {
    for kem in oaklath_kem::all() {
        let (info, folder) = (kem.info(), Folder::new(kem.info().name));
        let name = info.oqs.unwrap_or(info.name);
        folder.works(&format!("keygen {name} --public a.pub --secret a.key"));
        folder.works(&format!("encap {name} -p a.pub -c a.ct -o bob"));
        folder.works(&format!("decap {name} -s a.key -c a.ct -o alice"));
        assert_eq!(folder.names(), ["a.ct", "a.key", "a.pub", "alice", "bob"]);
        assert_eq!(folder.read("alice"), folder.read("bob"));
        let lengths = ["a.pub", "a.key", "a.ct", "bob"].map(|file| folder.read(file).len());
        assert_eq!(
            lengths,
            [info.public_key, info.secret_key, info.ciphertext, info.shared_secret]
        );
        #[cfg(unix)]
        for secret in ["a.key", "alice", "bob"] {
            assert_eq!(mode(&folder.0.join(secret)), 0o600, "{secret}");
        }
    }
}

#[test]
fn standard_streams_and_hexadecimal() {
    let folder = Folder::new("streams");
    let output = folder.run("keygen mlkem768 -p - -s a.key --hex", b"");
    let public = output.stdout;
    assert!(
        public.ends_with(b"\n") && public[..public.len() - 1].iter().all(u8::is_ascii_hexdigit)
    );
    let encap = folder.run("encap mlkem768 -p - -c - -o bob --hex", &public);
    let decap = folder.run("decap mlkem768 -s a.key -c - -o - --hex", &encap.stdout);
    assert_eq!(decap.stdout, folder.read("bob"));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = Folder::new("force");
    fs::write(folder.0.join("a.pub"), "precious").unwrap();
    let keygen = "keygen mlkem512 -p a.pub -s a.key";
    folder.fails(keygen, 1, "cannot write a.pub: ");
    // The key that would have gone with it is not there either.
    assert_eq!(folder.names(), ["a.pub"]);
    assert_eq!(folder.read("a.pub"), b"precious");
    folder.works(&format!("{keygen} --force"));
    let first = (folder.read("a.pub"), folder.read("a.key"));
    folder.works(&format!("{keygen} --force"));
    assert!(first.0 != folder.read("a.pub") && first.1 != folder.read("a.key"));
    assert_eq!(folder.names(), ["a.key", "a.pub"]);
    #[cfg(unix)]
    assert_eq!(mode(&folder.0.join("a.key")), 0o600);

    // What fails with --force leaves the old file.
    fs::write(folder.0.join("ff"), [0xff; 800]).unwrap();
    folder.fails("encap mlkem512 -p ff -c a.key -o bob --force", 1, "ff: encapsulation key");
    assert!(folder.read("a.key").len() > 1000);
    assert_eq!(folder.names(), ["a.key", "a.pub", "ff"]);
}

#[test]
fn files_that_do_not_fit() {
    let folder = Folder::new("fit");
    folder.works("keygen mlkem512 -p a.pub -s a.key");
    folder.works("encap mlkem512 -p a.pub -c a.ct -o bob");
    let len = |name| folder.read(name).len();
    let error = format!("a.pub has {} bytes, expected 1184", len("a.pub"));
    folder.fails("encap mlkem768 -p a.pub -c x -o y", 1, &error);
    let error = format!("a.ct has {} bytes, expected {}", len("a.ct"), len("a.key"));
    folder.fails("decap mlkem512 -s a.ct -c a.ct -o y", 2, "the files to be read must differ");
    fs::copy(folder.0.join("a.ct"), folder.0.join("b.ct")).unwrap();
    folder.fails("decap mlkem512 -s a.ct -c b.ct -o y", 1, &error);
    let mut key = folder.read("a.key");
    key[1000] ^= 1;
    fs::write(folder.0.join("bad.key"), key).unwrap();
    folder.fails("decap mlkem512 -s bad.key -c a.ct -o y", 1, "bad.key: decapsulation key whose");
    assert!(!folder.names().iter().any(|name| name == "x" || name == "y"));
}
