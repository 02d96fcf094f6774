//! Falcon (NIST round 3, specification 1.2).
#![cfg_attr(not(test), expect(dead_code, reason = "signing and the object layer call it"))]

mod fpr;
mod keygen;
