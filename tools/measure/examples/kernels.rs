//! Kernels for `cargo xtask neon`, which finds them in the assembler of a build: those that are
//! inlined into others are out of line here.

use oaklath_hash::{
    keccak::{permute, permute_lanes},
    sha2::{Block256, Sha256Lanes},
};
use oaklath_poly::{q3329, q8380417};
use oaklath_simd::{Simd, dispatch};

/// Returns the addresses of all kernels at the CPU's level, so that they are compiled.
pub fn all() -> [*const (); 10] {
    dispatch!(s => addresses(s))
}

#[inline(always)]
fn addresses<S: Simd>(_: S) -> [*const (); 10] {
    [
        permute::<S> as *const (),
        permute_lanes::<S, S::Four> as *const (),
        compress_256::<S> as *const (),
        dot_q3329::<S> as *const (),
        reject_q3329::<S> as *const (),
        cbd_q3329::<S> as *const (),
        q8380417::ntt::<S> as *const (),
        q8380417::inverse_ntt::<S> as *const (),
        dot_q8380417::<S> as *const (),
        reject_q8380417::<S> as *const (),
    ]
}

#[inline(never)]
fn compress_256<S: Simd>(s: S, states: &mut [[u32; 8]], blocks: &[Block256]) {
    Sha256Lanes::new(s).compress(states, blocks);
}

#[inline(never)]
fn dot_q3329<S: Simd>(s: S, a: [&[i16; 256]; 3], b: &[q3329::Factor; 3], sum: &mut q3329::NttPoly) {
    q3329::dot(s, a, b, sum);
}

#[inline(never)]
fn reject_q3329<S: Simd>(
    s: S,
    row: &[u8; q3329::ROW],
    entry: &mut q3329::Entry,
    n: usize,
) -> usize {
    q3329::reject_block_vartime(s, row, entry, n)
}

#[inline(never)]
fn cbd_q3329<S: Simd>(s: S, bytes: &[u8; 128], f: &mut q3329::Poly) {
    q3329::cbd_2::<_, false>(s, bytes, f);
}

#[inline(never)]
fn dot_q8380417<S: Simd>(
    s: S,
    a: &[q8380417::Entry; 5],
    b: &[q8380417::NttPoly; 5],
    sum: &mut q8380417::NttPoly,
) {
    q8380417::dot(s, a, b, sum);
}

#[inline(never)]
fn reject_q8380417<S: Simd>(
    s: S,
    row: &[u8; q8380417::ROW],
    entry: &mut q8380417::Entry,
    n: usize,
) -> usize {
    q8380417::reject_block_vartime(s, row, entry, n)
}
