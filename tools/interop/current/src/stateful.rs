//! Stateful signatures of today, one adapter for each library. Those of liboqs, which its Rust
//! crate leaves out, are compiled here.

use std::{io, mem};

use interop_common::kem::Failure;
use interop_common::stateful::{Implementation, Key};

mod hash_sigs;
mod hbs_lms;
mod lms_signature;
mod purecrypto;
mod xmss;
mod xmss_reference;

/// Returns every implementation of `set`.
#[must_use]
pub fn peers(set: &str) -> Vec<Box<dyn Implementation>> {
    let everybody = [
        purecrypto::implementation(set),
        hbs_lms::implementation(set),
        lms_signature::implementation(set),
        xmss::implementation(set),
        hash_sigs::implementation(set, 1),
        hash_sigs::implementation(set, 4),
        xmss_reference::implementation(set),
    ];
    everybody.into_iter().flatten().collect()
}

/// Runs a call whose threads may use every core, and restores this thread's affinity afterwards.
///
/// # Panics
/// If the system forbids it.
fn on_all_cores<T>(call: impl FnOnce() -> T) -> T {
    use libc::{cpu_set_t, sched_getaffinity, sched_setaffinity};
    const LEN: usize = size_of::<cpu_set_t>();
    let done = |status| assert_eq!(status, 0, "{}", io::Error::last_os_error());
    // SAFETY: a plain bit set, for which every pattern of bits is valid.
    let (mut before, all): (cpu_set_t, cpu_set_t) =
        unsafe { (mem::zeroed(), mem::transmute::<[u8; LEN], cpu_set_t>([0xff; LEN])) };
    // SAFETY: reads and writes the sets, whose size is given.
    unsafe {
        done(sched_getaffinity(0, LEN, &mut before));
        done(sched_setaffinity(0, LEN, &all));
    }
    let result = call();
    // SAFETY: as above.
    done(unsafe { sched_setaffinity(0, LEN, &before) });
    result
}
