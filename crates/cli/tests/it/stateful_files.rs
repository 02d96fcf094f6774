//! `hbs` and the files around a key: pipes, full disks, owners, moved files.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::process::{Child, Command, Stdio};

use crate::folder::Folder;
use crate::stateful::{SMALL, prints, said, with_key};

/// Starts a program without waiting for it.
fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oaklath"));
    command
        .args(line.split(' '))
        .current_dir(&folder.0)
        .env("XDG_STATE_HOME", folder.0.join("home"));
    command.stdin(Stdio::piped()).spawn().unwrap()
}

fn make_pipe(folder: &Folder, name: &str) {
    let made = Command::new("mkfifo").arg(folder.0.join(name)).status().unwrap();
    assert!(made.success());
}

/// While the writer of a message is slow, others can sign.
#[test]
fn messages_of_pipes_are_read_once_and_before_the_lock() {
    let folder = with_key("hbs-pipes", "");
    make_pipe(&folder, "pipe");
    let mut from_pipe = start(&folder, "hbs sign -s a.key -m pipe -o pipe.sig");
    let mut from_input = start(&folder, "hbs sign -s a.key -o input.sig");
    // Both ends are open when this returns, but nothing is written yet.
    let mut pipe = fs::OpenOptions::new().write(true).open(folder.0.join("pipe")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    folder.works("hbs sign -s a.key -m m -o m.sig --wait 0");
    pipe.write_all(b"a message").unwrap();
    drop(pipe);
    assert!(from_pipe.wait().unwrap().success());
    from_input.stdin.take().unwrap().write_all(b"a message").unwrap();
    assert!(from_input.wait().unwrap().success());
    for (index, name) in ["m", "pipe", "input"].iter().enumerate() {
        let said = format!("LMS: signature {index} verifies\n");
        prints(&folder, &format!("hbs verify -p a.pub -i {name}.sig -m m"), &said);
    }
}

/// The key works without its nodes.
#[test]
fn nodes_that_cannot_be_written_cost_time_only() {
    let folder = with_key("hbs-no-nodes", "");
    fs::remove_file(folder.0.join("a.key.nodes")).unwrap();
    fs::create_dir(folder.0.join("a.key.nodes")).unwrap();
    for line in ["hbs sign -s a.key -m m -o m.sig", "hbs rewrite -s a.key"] {
        let output = folder.run(line, b"");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.starts_with("warning: cannot write a.key.nodes"), "{said}");
    }
    prints(&folder, "hbs verify -p a.pub -i m.sig -m m", "LMS: signature 0 verifies\n");
    // Nobody reads from this pipe.
    make_pipe(&folder, "b.key.nodes");
    let keygen = format!("hbs keygen {SMALL} -p b.pub -s b.key");
    folder.fails(&keygen, 1, "cannot write b.key.nodes: it exists");
    let same = format!("hbs keygen {SMALL} -p c.key.nodes -s c.key");
    folder.fails(&same, 2, "the files of the keys must differ, found `c.key.nodes` twice");
}

/// The second signature would have the file of the first, and waste a one-time key.
#[test]
fn a_message_that_is_named_twice_costs_nothing() {
    let folder = with_key("hbs-same", "");
    let error = "messages must differ, found `./m` twice";
    folder.fails("hbs sign -s a.key m ./m", 2, error);
    let status = said(&folder, "hbs status -s a.key");
    assert!(status.starts_with("32 of 32 signatures are left"), "{status}");
    let error = "./a.key.state: the signature would replace it";
    folder.fails("hbs sign -s a.key -m m -o ./a.key.state --force", 2, error);
}

/// The system lets a process have few files open.
#[test]
fn many_signatures_do_not_need_many_open_files() {
    let folder = Folder::new("hbs-open");
    folder.makes_key("hbs keygen XMSS-SHA2_10_256 -p a.pub -s a.key");
    let names: Vec<_> = (0..60).map(|i| format!("f{i}")).collect();
    names.iter().for_each(|name| fs::write(folder.0.join(name), name).unwrap());
    let program = env!("CARGO_BIN_EXE_oaklath");
    let line = format!("ulimit -n 50; exec {program} hbs sign -s a.key {}", names.join(" "));
    let mut limited = Command::new("sh");
    limited.args(["-c", &line]).current_dir(&folder.0).env("XDG_STATE_HOME", folder.0.join("home"));
    let output = limited.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = "XMSS-SHA2_10_256: signature 59 verifies\n";
    prints(&folder, "hbs verify -p a.pub -i f59.sig -m f59", said);
}

/// Root rewrites a key that belongs to another user.
#[test]
fn a_key_that_is_rewritten_keeps_its_owner() {
    let folder = with_key("hbs-owner", "");
    let own = |name: &str| fs::metadata(folder.0.join(name)).unwrap().uid();
    for name in ["a.key", "a.key.nodes"] {
        if chown(folder.0.join(name), Some(1234), Some(1234)).is_err() {
            return println!("NOT RUN: a file that is another user's: this is not root");
        }
    }
    folder.works("hbs rewrite -s a.key");
    assert_eq!([own("a.key"), own("a.key.nodes")], [1234; 2]);
}

#[test]
fn an_anchor_is_looked_for_where_its_folder_went() {
    let folder = with_key("hbs-home", "");
    fs::rename(folder.0.join("home"), folder.0.join("moved")).unwrap();
    let status = said(&folder, "hbs status -s a.key");
    assert!(status.contains("\nthe anchor is not where it was, and nothing signs"), "{status}");
    assert!(status.contains("\nif it was moved, give `--anchor`, maybe one in "), "{status}");
    let mut moved = Command::new(env!("CARGO_BIN_EXE_oaklath"));
    moved.args(["hbs", "status", "-s", "a.key"]).current_dir(&folder.0);
    let status = moved.env("XDG_STATE_HOME", folder.0.join("moved")).output().unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    let anchor = status.trim_end().rsplit_once("is there: give `--anchor ").unwrap().1;
    let anchor = anchor.trim_end_matches('`');
    assert!(anchor.contains("/moved/oaklath/"), "{status}");
    let sign = folder.run(&format!("hbs sign -s a.key -m m -o m.sig --anchor {anchor}"), b"");
    assert!(sign.status.success(), "{}", String::from_utf8_lossy(&sign.stderr));
    let status = said(&folder, "hbs status -s a.key");
    assert!(
        status.ends_with(&format!("an anchor guards the state against old copies: {anchor}\n"))
    );
}

/// The name is in the state, which may come from another machine.
#[test]
fn the_name_of_an_anchor_commands_no_terminal() {
    let folder = with_key("hbs-terminal", " --anchor a\u{9b}2J");
    for missing in [false, true] {
        for line in ["hbs status -s a.key", "hbs status -s a.key --json"] {
            let status = said(&folder, line);
            assert!(!status.contains(|c: char| c.is_control() && c != '\n'), "{status:?}");
            assert!(status.contains("a?2J") || status.contains("a\\u009b2J"), "{status:?}");
            assert_eq!(status.contains("not where it was"), missing && status.contains('?'));
        }
        let _ = fs::remove_file(folder.0.join("a\u{9b}2J"));
    }
}

/// A state has one signer under any name.
#[test]
fn a_state_that_is_renamed_signs_on() {
    let folder = with_key("hbs-renamed", "");
    fs::rename(folder.0.join("a.key.state"), folder.0.join("b.state")).unwrap();
    folder.works("hbs sign -s a.key -m m -o m.sig --store file:b.state");
    folder.fails("hbs sign -s a.key -m m -o n.sig", 3, "the key has no state");
}

/// A disk of one page, which is unmounted at the end.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Neither a partial state is left, nor are signatures given up for it.
#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_on_a_disk_that_is_full() {
    let folder = with_key("hbs-full", "");
    let disk = SmallDisk(folder.0.join("disk"));
    fs::create_dir(&disk.0).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=4k", "none"]).arg(&disk.0).stderr(Stdio::null());
    if !mount.status().is_ok_and(|mounted| mounted.success()) {
        return println!("NOT RUN: a disk that is full: this is not root");
    }
    let keygen = format!("hbs keygen {SMALL} -p b.pub -s disk/b.key --anchor disk/b.anchor");
    folder.fails(&keygen, 1, "cannot write the state: No space left");
    let keygen = format!("hbs keygen {SMALL} -p b.pub -s b.key --anchor disk/b.anchor");
    folder.fails(&keygen, 1, "cannot write the anchor: No space left");
    folder.fails(
        "hbs reserve -s a.key --count 8 --to file:disk/spare.state",
        1,
        "disk/spare.state",
    );
    let left = fs::read_dir(&disk.0).unwrap().map(|file| file.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| !name.to_str().unwrap().ends_with(".lock")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!["b.pub", "b.key", "b.key.state"].iter().any(|name| folder.0.join(name).exists()));
    let status = said(&folder, "hbs status -s a.key");
    assert!(status.starts_with("32 of 32 signatures are left, the next is 0"), "{status}");
}
