//! The command line as text files: command, output, exit code.
//!
//! `TRYCMD=overwrite cargo test -p oaklath-cli --test commands` writes what comes out now.

/// What is printed names the groups of a base provider, so that a build without one prints less.
#[cfg(any(feature = "aws-lc-rs", feature = "ring", feature = "graviola"))]
#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
