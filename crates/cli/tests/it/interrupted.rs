//! Slow work: what a terminal shows, and what Ctrl-C leaves behind.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::folder::Folder;

/// The slowest set, which at the slowest level and on one core takes seconds on any machine.
const SET: &str = "SLH-DSA-SHAKE-256s";

fn slow(program: &str, folder: &Folder) -> Command {
    let mut command = Command::new(program);
    command.env("OAKLATH_SIMD", "scalar").env("RAYON_NUM_THREADS", "1").current_dir(&folder.0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts to sign a file, with the output `signature`.
fn sign(folder: &Folder, more: &[&str]) -> Child {
    let mut command = slow(env!("CARGO_BIN_EXE_oaklath"), folder);
    command.args(["sign", "-s", "key", "-m", "public", "-o", "signature"]).args(more);
    command.spawn().unwrap()
}

/// Sends a signal once there are this many files, and returns the exit code.
fn interrupt(signal: &str, mut process: Child, folder: &Folder, files: usize) -> Option<i32> {
    while names(&folder.0).len() < files {
        assert!(process.try_wait().unwrap().is_none(), "it ended too early");
        sleep(Duration::from_millis(1));
    }
    let kill = Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
    assert!(kill.success());
    process.wait().unwrap().code()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn nothing_half_written_stays() {
    let folder = Folder::new("interrupted");
    folder.works(&format!("keygen {SET} -p public -s key"));
    // The signals of Ctrl-C and of a system shutdown.
    for signal in ["-INT", "-TERM"] {
        let code = interrupt(signal, sign(&folder, &[]), &folder, 3);
        assert_eq!((code, &*names(&folder.0).join(" ")), (Some(130), "key public"), "{signal}");
    }

    // The previous contents of a file are kept.
    std::fs::write(folder.0.join("signature"), b"old").unwrap();
    folder.fails("sign -s key -m public -o signature", 1, "cannot write signature: ");
    let code = interrupt("-INT", sign(&folder, &["--force"]), &folder, 4);
    assert_eq!((code, &*names(&folder.0).join(" ")), (Some(130), "key public signature"));
    assert_eq!(folder.read("signature"), b"old");

    let mut keygen = slow(env!("CARGO_BIN_EXE_oaklath"), &folder);
    keygen.args(["keygen", SET, "-p", "public2", "-s", "key2"]);
    let code = interrupt("-INT", keygen.spawn().unwrap(), &folder, 5);
    assert_eq!((code, &*names(&folder.0).join(" ")), (Some(130), "key public signature"));
}

/// Runs in a terminal, which `script` of util-linux provides.
#[test]
fn a_terminal_shows_what_takes_long() {
    let folder = Folder::new("terminal");
    folder.works(&format!("keygen {SET} -p public -s key"));
    let line = format!("{} sign -s key -m public -o signature", env!("CARGO_BIN_EXE_oaklath"));
    let output = slow("script", &folder).args(["-qec", &line, "/dev/null"]).output();
    let Ok(output) = output else {
        println!("`script` is not installed: no terminal was tried");
        return;
    };
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains(&format!("signing with {SET} (")), "{shown}");
    assert!(folder.0.join("signature").exists());

    // Without a terminal nothing is shown.
    let output = sign(&folder, &["--force"]).wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}
