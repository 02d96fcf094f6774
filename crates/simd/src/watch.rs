//! What memcheck, a tool of valgrind, is told: which memory holds secrets, and what of them is
//! declassified. It then reports every branch and every address that depends on a secret.
//!
//! Elsewhere than under valgrind on x86-64 nothing happens, and [`is_watching`] says so.
//!
//! With `--cfg oaklath_sanitize` and the memory sanitizer, that is told instead, and ends the
//! program at the first such place. It follows AVX-512 too, which valgrind does not know.
//!
//! A comparison of runs with different secrets sees what is declassified, and may change it
//! ([`on_publish`]): where it is the same in all runs, so is everything that may decide a branch or
//! an address.
//!
//! The `unsafe` here is sound: a request is four rotations by 128 bits together and an exchange of
//! a register with itself, which change nothing but under valgrind, where an answer appears in a
//! register that is declared. The words that it reads outlive it. The sanitizer's functions change
//! its own notes on bytes that are there.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "requests are assembly"))]

use std::sync::OnceLock;

/// Whether valgrind runs this program.
#[must_use]
pub fn is_watching() -> bool {
    request(RUNNING_ON_VALGRIND, &[]) != 0
}

/// From here on these bytes are secret.
pub fn mark_secret(bytes: &[u8]) {
    request(MAKE_UNDEFINED, bytes);
}

/// From here on these bytes are public.
pub fn mark_public(bytes: &[u8]) {
    request(MAKE_DEFINED, bytes);
}

/// From here on `hear` is called with all that is declassified, and may change it. The first one
/// stays.
pub fn on_publish(hear: fn(&mut [u8])) {
    let _first = HEAR.get_or_init(|| hear);
}

static HEAR: OnceLock<fn(&mut [u8])> = OnceLock::new();

/// Returns this word as a public one.
#[inline(never)]
pub(crate) fn public(x: u64) -> u64 {
    let mut bytes = x.to_ne_bytes();
    publish(&mut bytes);
    u64::from_ne_bytes(*core::hint::black_box(&bytes))
}

/// These bytes, public. As far as the compiler knows they may be others: what it has read of
/// them before, it reads again.
#[inline(never)]
pub(crate) fn publish(bytes: &mut [u8]) {
    let bytes = core::hint::black_box(bytes);
    mark_public(bytes);
    if let Some(hear) = HEAR.get() {
        hear(bytes);
    }
}

const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Requests to memcheck begin with the letters MC.
const MEMCHECK: u64 = 0x4d43_0000;
const MAKE_UNDEFINED: u64 = MEMCHECK + 1;
const MAKE_DEFINED: u64 = MEMCHECK + 2;

#[cfg(all(target_arch = "x86_64", not(oaklath_sanitize)))]
fn request(code: u64, bytes: &[u8]) -> u64 {
    let at = bytes.as_ptr().expose_provenance() as u64;
    let words = [code, at, bytes.len() as u64, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: see above.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") answer,
            in("rax") words.as_ptr(),
            inout("rdi") 0_u64 => _,
        );
    }
    answer
}

#[cfg(all(target_arch = "x86_64", oaklath_sanitize))]
fn request(code: u64, bytes: &[u8]) -> u64 {
    unsafe extern "C" {
        fn __msan_poison(at: *const u8, len: usize);
        fn __msan_unpoison(at: *const u8, len: usize);
    }
    match code {
        // SAFETY: see above.
        MAKE_UNDEFINED => unsafe { __msan_poison(bytes.as_ptr(), bytes.len()) },
        // SAFETY: see above.
        MAKE_DEFINED => unsafe { __msan_unpoison(bytes.as_ptr(), bytes.len()) },
        _ => {}
    }
    1
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: u64, _: &[u8]) -> u64 {
    0
}
