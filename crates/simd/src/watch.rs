//! Tells memcheck, a tool of valgrind, which memory holds secrets and what is declassified. It then
//! reports every branch and every address that depends on a secret.
//!
//! Except under valgrind on x86-64, this has no effect, and [`is_watching`] returns false.
//!
//! With `--cfg oaklath_sanitize`, the memory sanitizer is told instead, which ends the program at
//! the first such place. It also follows AVX-512, which valgrind does not support.
//!
//! A proof is watched, too: then the numbers of a kernel are secrets, public ones included.
//!
//! A comparison of runs with different secrets sees what is declassified, and may change it
//! ([`on_publish`]): if it is the same in all runs, so is everything that may decide a branch or an
//! address.
//!
//! The `unsafe` here is sound: a request is four rotations by 128 bits in total and an exchange of
//! a register with itself. These change nothing, except under valgrind, where an answer appears in
//! a register that is declared as output. The words that valgrind reads outlive the request. The
//! sanitizer's functions change only its own records of existing bytes.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "requests are assembly"))]

#[cfg(feature = "watched")]
use std::sync::OnceLock;

/// Reports whether valgrind or the memory sanitizer is watching this program.
#[must_use]
pub fn is_watching() -> bool {
    request(RUNNING_ON_VALGRIND, &[]) != 0
}

/// Marks these bytes as secret.
pub fn mark_secret(bytes: &[u8]) {
    request(MAKE_UNDEFINED, bytes);
}

/// Marks these bytes as public.
pub fn mark_public(bytes: &[u8]) {
    request(MAKE_DEFINED, bytes);
}

/// Returns this byte as a secret one.
#[cfg(oaklath_proof)]
#[inline(never)]
pub(crate) fn secret(byte: u8) -> u8 {
    let bytes = [byte];
    mark_secret(core::hint::black_box(&bytes));
    core::hint::black_box(&bytes)[0]
}

/// Sets the function that is called from now on with all declassified bytes, which it may change.
/// Only the first call has an effect.
#[cfg(feature = "watched")]
pub fn on_publish(hear: fn(&mut [u8])) {
    let _first = HEAR.get_or_init(|| hear);
}

#[cfg(feature = "watched")]
static HEAR: OnceLock<fn(&mut [u8])> = OnceLock::new();

/// Returns this word as a public one.
#[cfg(feature = "watched")]
#[inline(never)]
pub(crate) fn public(x: u64) -> u64 {
    let mut bytes = x.to_ne_bytes();
    publish(&mut bytes);
    u64::from_ne_bytes(*core::hint::black_box(&bytes))
}

/// Marks the bytes as public. As far as the compiler knows, this may change them: it reads again
/// what it has read before.
#[cfg(feature = "watched")]
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
