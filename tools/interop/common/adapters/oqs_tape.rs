//! The randomness of liboqs, which lets a program replace its generator: here the bytes come from a
//! tape of the calling thread.
//!
//! # Soundness
//! The generator writes exactly the buffer that it is given, and panics if the tape holds less.

use std::{cell::RefCell, slice, sync::Once};

use oqs_sys::{common::OQS_init, rand::OQS_randombytes_custom_algorithm};

/// Starts the library with the tape as its generator; must precede any other call.
pub(crate) fn install() {
    static INIT: Once = Once::new();
    // SAFETY: once, before any other call of the library; the generator has the required type.
    INIT.call_once(|| unsafe {
        OQS_init();
        OQS_randombytes_custom_algorithm(Some(from_tape));
    });
}

thread_local! {
    /// The bytes that the library's next calls for randomness get, and how many are used up.
    static TAPE: RefCell<(Vec<u8>, usize)> = const { RefCell::new((Vec::new(), 0)) };
}

/// Sets the thread's next randomness to `bytes`.
pub(crate) fn set(bytes: &[u8]) {
    TAPE.with_borrow_mut(|(tape, gone)| {
        tape.clear();
        tape.extend_from_slice(bytes);
        *gone = 0;
    });
}

/// Serves as the generator of liboqs. Aborts (a panic in C) if the tape holds too few bytes.
unsafe extern "C" fn from_tape(out: *mut u8, length: usize) {
    // SAFETY: liboqs passes a buffer of this length.
    let out = unsafe { slice::from_raw_parts_mut(out, length) };
    TAPE.with_borrow_mut(|(tape, gone)| {
        out.copy_from_slice(&tape[*gone..*gone + length]);
        *gone += length;
    });
}
