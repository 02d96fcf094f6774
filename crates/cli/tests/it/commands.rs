//! The command line as text: the files of `commands/` have blocks of command lines, each followed
//! by its output on both streams.
//!
//! `$ oaklath …` is a command line, and `? 2` below it the exit code if that is not 0. In the
//! output `[..]` stands for any part of a line, and a line `...` for any lines.

use std::fs;
use std::io::{Read, pipe};
use std::path::Path;
use std::process::{Command, Stdio};

use oaklath_simd::Level;

/// Defines a test for each file.
macro_rules! commands {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(include_str!(concat!("commands/", stringify!($name), ".console")));
            }
        )*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

commands! {
    cert demo hbs kem list_groups list_kems list_signatures list_stateful peers selftest signatures speed tls_bench
    usage
}

#[test]
fn every_file_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/commands");
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let listed: Vec<_> = NAMES.iter().map(|name| format!("{name}.console")).collect();
    assert_eq!(names, listed);
}

/// Returns the blocks of command lines.
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("```console\n").skip(1).filter_map(|block| block.split("```").next())
}

/// Runs the command lines of a file.
fn check(text: &str) {
    let cases: Vec<_> = blocks(text).flat_map(|block| block.split("$ oaklath").skip(1)).collect();
    assert!(!cases.is_empty());
    for case in cases {
        let (line, rest) = case.split_once('\n').unwrap();
        let code = rest.strip_prefix("? ").map(|rest| rest.split_once('\n').unwrap());
        let (code, expected) = code.map_or((0, rest), |(code, rest)| (code.parse().unwrap(), rest));
        let (found, status) = run(line.split_whitespace());
        let [a, b] = [expected, &found].map(|text| text.trim_end().lines().collect::<Vec<_>>());
        assert!(
            is_like(&a, &b) && status == Some(code),
            "oaklath{line}\nexit code {status:?}, expected {code}\nprinted:\n{found}\nexpected:\n{expected}"
        );
    }
}

/// Returns the output of a command line on both streams, and its exit code.
fn run<'a>(args: impl Iterator<Item = &'a str>) -> (String, Option<i32>) {
    let (mut reader, writer) = pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_oaklath"));
    command.args(args).stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
    // `selftest` checks the best level here; at every level, `cargo xtask ci` runs it.
    command.env("OAKLATH_TEST_LEVEL", Level::get().name());
    let mut process = command.spawn().unwrap();
    // Otherwise this end of the pipe would stay open, and reading would not end.
    drop(command);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    (text, process.wait().unwrap().code())
}

pub(crate) fn is_like(expected: &[&str], found: &[&str]) -> bool {
    match expected {
        [] => found.is_empty(),
        ["...", rest @ ..] => (0..=found.len()).any(|skip| is_like(rest, &found[skip..])),
        [line, rest @ ..] => found
            .split_first()
            .is_some_and(|(first, others)| is_like_line(line, first) && is_like(rest, others)),
    }
}

fn is_like_line(expected: &str, found: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected.trim_end() == found.trim_end(),
        Some((start, rest)) => found.strip_prefix(start).is_some_and(|found| {
            found
                .char_indices()
                .map(|(at, _)| &found[at..])
                .chain([""])
                .any(|end| is_like_line(rest, end))
        }),
    }
}

#[test]
fn what_differs_is_found() {
    let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
    let is_like = |a, b| is_like(&lines(a), &lines(b));
    assert!(is_like("a\n...\nb [..] c[..]\n...", "a\n1\n2\nb 3 c"));
    assert!(is_like("...\nb", "b"));
    for (expected, found) in [
        ("a", "b"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a[..]c", "ab"),
        ("...\nb", "a"),
        ("[..]b", "a"),
    ] {
        assert!(!is_like(expected, found), "{expected:?} {found:?}");
    }
}
