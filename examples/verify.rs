//! Verification alone, as in an updater: the public key is compiled in, nothing is secret, and no
//! random numbers are needed. It only requires `oaklath` with `default-features = false` and the
//! feature `ml-dsa`, without `std`.
//!
//! ```text
//! cargo run -p examples --bin verify
//! ```

use anyhow::Result;
use oaklath::sig::{EncodedSignature, Error, Message, MlDsa44, SigningKey, VerifyingKey};

/// The context of releases: the only purpose that they are signed for.
const CONTEXT: &[u8] = b"updates of example.org";

/// Checks that a release may be installed. Wrong bytes cause an error, never a panic.
fn check_release(public_key: &[u8], release: &[u8], signature: &[u8]) -> Result<(), Error> {
    let key = VerifyingKey::<MlDsa44>::from_bytes(public_key)?;
    let signature = EncodedSignature::from_bytes(signature)?;
    key.verify_message(&Message::with_context(release, CONTEXT), &signature)
}

fn main() -> Result<()> {
    // This happens elsewhere, where the secret key is.
    let key = SigningKey::<MlDsa44>::generate();
    let public_key = key.verifying_key().as_bytes().to_vec();
    let release = b"release 7";
    let signature = key.sign_message(&Message::with_context(release, CONTEXT))?;
    let mut signature = signature.as_bytes().to_vec();

    check_release(&public_key, release, &signature)?;
    println!("release 7 may be installed");
    let error = check_release(&public_key, b"release 8", &signature).expect_err("another release");
    println!("release 8 may not: {error}");
    signature.pop();
    assert!(check_release(&public_key, release, &signature).is_err(), "a short signature");
    assert!(check_release(&public_key[1..], release, &signature).is_err(), "a short key");
    Ok(())
}
