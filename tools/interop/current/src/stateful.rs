//! Stateful signatures of today, an adapter a library. liboqs is not among them: its Rust crate
//! builds it without LMS and XMSS.

use interop_common::kem::Failure;
use interop_common::stateful::{Implementation, Key};

mod hbs_lms;
mod lms_signature;
mod purecrypto;
mod xmss;

/// Every implementation of `set`.
#[must_use]
pub fn peers(set: &str) -> Vec<Box<dyn Implementation>> {
    let everybody = [
        purecrypto::implementation(set),
        hbs_lms::implementation(set),
        lms_signature::implementation(set),
        xmss::implementation(set),
    ];
    everybody.into_iter().flatten().collect()
}
