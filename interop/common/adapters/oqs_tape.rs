//! The randomness of liboqs, which lets a program replace its generator: here the bytes come from a
//! tape of the calling thread.
//!
//! # Soundness
//! The generator writes what it is given room for, and no more than the tape holds.

use std::{cell::Cell, slice, sync::Once};

use oqs_sys::{common::OQS_init, rand::OQS_randombytes_custom_algorithm};

/// Starts the library with the tape as its generator; before anything else of it.
pub(crate) fn install() {
    static INIT: Once = Once::new();
    // SAFETY: once, before anything else of the library; the generator has the type asked for.
    INIT.call_once(|| unsafe {
        OQS_init();
        OQS_randombytes_custom_algorithm(Some(from_tape));
    });
}

thread_local! {
    /// The bytes that the library's next calls for randomness get, and how many are gone.
    static TAPE: Cell<([u8; 64], usize)> = const { Cell::new(([0; 64], 64)) };
}

/// Lays out `bytes`, at most 64, as the thread's next randomness.
pub(crate) fn set(bytes: &[u8]) {
    let mut tape = [0; 64];
    let start = tape.len() - bytes.len();
    tape[start..].copy_from_slice(bytes);
    TAPE.set((tape, start));
}

/// The generator given to liboqs. Aborts (a panic in C) if asked for more than the tape holds.
unsafe extern "C" fn from_tape(out: *mut u8, length: usize) {
    let (tape, start) = TAPE.get();
    // SAFETY: liboqs passes a buffer of this length.
    let out = unsafe { slice::from_raw_parts_mut(out, length) };
    out.copy_from_slice(&tape[start..start + length]);
    TAPE.set((tape, start + length));
}
