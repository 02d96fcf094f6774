//! Checks that memory freed by the program holds no key and no shared secret, whatever the form in
//! which it is read or written.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, id};

use oaklath_measure::{CountingAllocator, found_in_freed};
use oaklath_tls::Builder;
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("oaklath-freed-{}", id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        Self(folder)
    }

    /// Returns the arguments of a command line; `@` begins the name of a file in this folder.
    fn args(&self, line: &str) -> Vec<OsString> {
        let file = |name: &str| self.0.join(name).into_os_string();
        let word = |word: &str| word.strip_prefix('@').map_or_else(|| word.into(), file);
        ["oaklath"].into_iter().chain(line.split(' ')).map(word).collect()
    }

    fn run(&self, line: &str) {
        assert_eq!(oaklath_cli::run(self.args(line)), ExitCode::SUCCESS, "{line}");
    }

    /// Checks that the command succeeds and frees none of the secrets.
    fn leaves_nothing(&self, line: &str, secrets: &[Vec<u8>]) {
        let secrets: Vec<&[u8]> = secrets.iter().map(Vec::as_slice).collect();
        let args = self.args(line);
        let (code, found) = found_in_freed(&secrets, || oaklath_cli::run(args));
        assert_eq!(code, ExitCode::SUCCESS, "{line}");
        assert_eq!(found, vec![0; secrets.len()], "{line}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the middle of the first line of a key's file: base64, or hexadecimal digits.
fn pieces(path: &Path) -> Vec<Vec<u8>> {
    // Leaked, since otherwise the next owner of the block would free the key with it.
    let text = fs::read(path).expect("a key").leak();
    let line =
        text.split(|byte| *byte == b'\n').find(|line| !line.starts_with(b"-----")).expect("a line");
    vec![line[line.len() / 2..][..16].to_vec()]
}

#[test]
fn keys_and_shared_secrets() {
    let folder = Folder::new();
    fs::write(folder.0.join("m"), "a message").unwrap();
    for name in ["ML-DSA-44", "Falcon-512", "SLH-DSA-SHA2-128f"] {
        for (form, with) in [("", String::new()), (" --hex", format!(" --hex --algorithm {name}"))]
        {
            folder.run(&format!("keygen {name}{form} -p @pub -s @key --force"));
            let secrets = pieces(&folder.0.join("key"));
            let line = format!("sign{with} -s @key -m @m -o @sig --force");
            folder.leaves_nothing(&line, &secrets);
        }
    }
    folder.run("keygen ML-KEM-768 -p @pub -s @key --hex --force");
    folder.run("encap ML-KEM-768 -p @pub -c @ct -o @shared --hex");
    let secrets = [pieces(&folder.0.join("key")), pieces(&folder.0.join("shared"))].concat();
    folder.leaves_nothing("decap ML-KEM-768 -s @key -c @ct -o @again --hex", &secrets);
    let read = |name| fs::read(folder.0.join(name)).unwrap();
    assert_eq!(read("again"), read("shared"));
}

/// A generator that always gives these bytes.
#[derive(Debug)]
struct Known;

impl SecureRandom for Known {
    fn fill(&self, out: &mut [u8]) -> Result<(), GetRandomFailed> {
        out.iter_mut().zip(1..).for_each(|(byte, i)| *byte = i);
        Ok(())
    }
}

/// Private keys that wait for a connection are erased: those that are taken, and the others with
/// their pool.
#[test]
fn ready_key_shares() {
    let Ok(base) = oaklath_cli::base::choose(None) else { return };
    let base = CryptoProvider { secure_random: &Known, ..(base.provider)() };
    let (provider, pool) = Builder::new(base).groups(["MLKEM768"]).build_pooled(4).unwrap();
    // d and z of two keys; z stays as it is until the key is erased.
    let mut seeds = [0; 128];
    Known.fill(&mut seeds).unwrap();
    let secrets = [&seeds[32..64], &seeds[96..]];
    let ((), found) = found_in_freed(&secrets, || {
        pool.refill().unwrap();
        assert_eq!(pool.ready(), 4);
        drop(provider.kx_groups[0].start().unwrap());
        drop(pool);
    });
    assert_eq!(found, [0, 0]);
}
