//! Compiles a crate with the recording backend: see `crates/simd/src/proof.rs`.

fn main() {
    println!("cargo::rerun-if-changed=../simd/build.rs");
    println!("cargo::rustc-check-cfg=cfg(oaklath_proof)");
    println!("cargo::rustc-cfg=oaklath_proof");
}
