//! A file that only the owner of a key can read: ML-KEM-768 provides the secret, HKDF-SHA256
//! derives a key, and AES-256-GCM seals the content. The file is ciphertext, content and tag.
//!
//! ```text
//! cargo run -p examples --bin sealed_file
//! ```

use anyhow::{Context, Result, anyhow};
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use oaklath::kem::{Ciphertext, DecapsulationKey, EncapsulationKey, MlKem768, Set, SharedSecret};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("oaklath-sealed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("letter.sealed");

    let owner = DecapsulationKey::<MlKem768>::generate();
    let sealed = seal(owner.encapsulation_key(), b"the door is blue")?;
    std::fs::write(&file, sealed)?;

    let mut sealed = std::fs::read(&file)?;
    println!("{} bytes are sealed as {}", "the door is blue".len(), sealed.len());
    assert_eq!(open(&owner, &sealed)?, b"the door is blue");
    sealed[1100] ^= 1;
    assert!(open(&owner, &sealed).is_err(), "a changed file was opened");
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn seal(to: &EncapsulationKey<MlKem768>, content: &[u8]) -> Result<Vec<u8>> {
    let (ciphertext, secret) = to.encapsulate();
    let key = derive_key(&secret, ciphertext.as_bytes())?;
    let mut sealed = content.to_vec();
    // Each key seals only once, so the nonce may be constant.
    key.seal_in_place_append_tag(Nonce::from(&[0; 3]), Aad::empty(), &mut sealed)
        .map_err(|_| anyhow!("the content is too long"))?;
    Ok([ciphertext.as_bytes(), &sealed].concat())
}

fn open(owner: &DecapsulationKey<MlKem768>, file: &[u8]) -> Result<Vec<u8>> {
    let parts = file.split_at_checked(MlKem768::INFO.ciphertext);
    let (ciphertext, sealed) = parts.context("the file is too short")?;
    let secret = owner.decapsulate(&Ciphertext::from_bytes(ciphertext)?);
    let (key, mut sealed) = (derive_key(&secret, ciphertext)?, sealed.to_vec());
    let opened = key.open_in_place(Nonce::from(&[0; 3]), Aad::empty(), &mut sealed);
    Ok(opened.map_err(|_| anyhow!("the file was changed, or sealed to another key"))?.to_vec())
}

/// Derives a key that is bound to this ciphertext and this purpose.
fn derive_key(secret: &SharedSecret<MlKem768>, ciphertext: &[u8]) -> Result<LessSafeKey> {
    let extracted = Salt::new(HKDF_SHA256, b"example sealed file").extract(secret.as_bytes());
    let info = [ciphertext];
    let output = extracted.expand(&info, &AES_256_GCM).map_err(|_| anyhow!("too long"))?;
    Ok(LessSafeKey::new(UnboundKey::from(output)))
}
