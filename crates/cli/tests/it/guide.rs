//! The commands of the guide and of docs/cli.md, each page in a folder of its own. The text below a
//! command is its standard output or, if it fails, the output on both streams.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::commands::{blocks, is_like};
use crate::folder::Folder;

/// Defines a test for each page.
macro_rules! pages {
    ($($test:ident $page:literal)*) => {
        $(
            #[test]
            fn $test() {
                run_page($page);
            }
        )*
        const PAGES: &[&str] = &[$($page),*];
    };
}

pages! {
    why "why"
    groups "groups"
    certificates "certificates"
    two_chains "two-chains"
    keys "keys"
    firmware "firmware"
    fleet "fleet"
    tables "tables"
    migrating "migrating"
    debugging "debugging"
}

#[test]
fn page_of_the_program() {
    run_page("../cli");
}

#[test]
fn every_page_is_run_and_listed() {
    let index = read("README");
    let mut pages: Vec<_> = fs::read_dir(guide())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    pages.sort();
    let mut listed: Vec<_> = PAGES.iter().map(|page| format!("{page}.md")).collect();
    assert!(listed.iter().all(|page| index.contains(&format!("]({page})"))));
    listed.sort();
    assert_eq!(pages, listed);
}

fn guide() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

fn read(page: &str) -> String {
    fs::read_to_string(guide().join(page).with_extension("md")).unwrap()
}

fn run_page(page: &str) {
    let folder = Folder::new(&format!("guide-{}", page.trim_start_matches("../")));
    let certs = fs::canonicalize(guide().join("../../certs")).unwrap();
    std::os::unix::fs::symlink(certs, folder.0.join("certs")).unwrap();
    let text = read(page);
    for case in blocks(&text).flat_map(|block| block.split("\n$ ").map(str::to_owned)) {
        let (line, expected) = case.split_once('\n').unwrap_or((&case, ""));
        let line = line.trim_start_matches("$ ");
        let failure = expected.strip_prefix("? ").and_then(|rest| rest.split_once('\n'));
        let (code, expected) =
            failure.map_or((0, expected), |(c, rest)| (c.parse().unwrap(), rest));
        let output = shell(line, &folder.0);
        let mut printed = output.stdout;
        if code != 0 {
            printed.extend(output.stderr);
        }
        let printed = String::from_utf8(printed).unwrap();
        let [a, b] = [expected, &printed].map(|text| text.trim_end().lines().collect::<Vec<_>>());
        assert!(
            is_like(&a, &b) && output.status.code() == Some(code),
            "{page}: {line}\n{}, expected {code}\nprinted:\n{printed}\nexpected:\n{expected}",
            output.status
        );
    }
}

/// Runs a line in the shell, with the program in the path, and with the user's files of the program
/// in the folder.
fn shell(line: &str, folder: &Path) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_oaklath")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path);
    command.env("HOME", folder).env("XDG_STATE_HOME", folder.join(".state"));
    command.output().unwrap()
}
