//! Signing firmware with LMS. Each signature uses up a one-time key, which is broken if it signs
//! twice: a file counts them, and a second file detects if an old copy of the first is restored.
//!
//! ```text
//! cargo run -p examples --bin firmware
//! ```

use anyhow::Result;
use oaklath::params::stateful::lms;
use oaklath::stateful::{HssLevels, HssPublicKey, HssSigningKey, NODE_BYTES, StatefulKey};
use oaklath::stores::{FileAnchor, FileStore, KeyId, Signer};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("oaklath-firmware-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (state, copy) = (folder.join("firmware.state"), folder.join("copy"));
    // In production the anchor is on another disk, so that it is not restored with the state.
    let anchor = || FileAnchor::new(folder.join("firmware.anchor"));

    // Once: a key of 1,024 signatures, and its state. Keep the bytes of the key secret; a device
    // has the 60 bytes of the public key.
    let levels = HssLevels::new(&[(&lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W4)])?;
    let key = HssSigningKey::generate(&levels, NODE_BYTES)?;
    let (secret, public) = (key.to_bytes(), HssPublicKey::from_bytes(key.public_key())?);
    let id = KeyId::of_key(&key);
    FileStore::at(&state).anchor(anchor()).create(id, 0..key.signatures())?;
    std::fs::copy(&state, &copy)?;

    // For each release: the record of the index is durable before the signature is computed.
    for firmware in [b"firmware 1.0".as_slice(), b"firmware 1.1"] {
        let key = HssSigningKey::from_bytes(&secret, NODE_BYTES)?;
        let store = FileStore::at(&state).anchor(anchor()).open(id)?;
        let mut signer = Signer::new(Box::new(key), Box::new(store))?;
        let signature = signer.sign(firmware)?;
        public.verify(firmware, &signature)?;
        println!("{} bytes, {} signatures left", signature.len(), signer.remaining()?.indices);
    }

    // A restored state would sign with one-time keys that are used up. It is rejected.
    std::fs::copy(&copy, &state)?;
    let error = FileStore::at(&state).anchor(anchor()).open(id).expect_err("an old copy");
    println!("after a restore: {error}");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
