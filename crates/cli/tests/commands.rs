//! The command line as text files: command, output, exit code.
//!
//! `TRYCMD=overwrite cargo test -p oaklath-cli --test commands` writes what comes out now.

#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
