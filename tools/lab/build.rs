//! Passes the version of the compiler to the program.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let version = version.as_deref().and_then(|text| text.split(" (").next()).unwrap_or("rustc");
    println!("cargo::rustc-env=OAKLATH_COMPILER={}", version.trim());
}
