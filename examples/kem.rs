//! Key encapsulation: two parties agree on a secret, and only the ciphertext is sent.
//!
//! ```text
//! cargo run -p examples --bin kem
//! cargo run -p examples --bin kem -- ML-KEM-1024
//! ```

use anyhow::Result;
use oaklath::kem::{self, Ciphertext, DecapsulationKey, EncapsulationKey, MlKem768};

fn main() -> Result<()> {
    let secret = agree()?;
    println!("ML-KEM-768: both sides have {} bytes", secret.len());
    let name = std::env::args().nth(1).unwrap_or_else(|| "ML-KEM-512".to_owned());
    println!("{name}: ciphertext of {} bytes", agree_by_name(&name)?);
    Ok(())
}

/// Uses types: a key of one algorithm cannot be used with a ciphertext of another.
fn agree() -> Result<[u8; 32]> {
    // The receiver publishes its encapsulation key.
    let receiver = DecapsulationKey::<MlKem768>::generate();
    let published = receiver.encapsulation_key().as_bytes().to_vec();

    // The sender parses the key, which checks it, and sends the ciphertext.
    let (ciphertext, sent) = EncapsulationKey::<MlKem768>::from_bytes(&published)?.encapsulate();
    let travels = ciphertext.as_bytes().to_vec();

    let received = receiver.decapsulate(&Ciphertext::from_bytes(&travels)?);
    assert_eq!(sent, received);
    // The secret of a KEM is input to a key derivation, never a key for several purposes.
    Ok(*received.as_bytes())
}

/// Uses names, for programs that choose the algorithm at run time. Returns the ciphertext's length.
fn agree_by_name(name: &str) -> Result<usize> {
    let kem = kem::by_name(name)?;
    let info = kem.info();
    let (mut seed, mut coins) = (vec![0; kem.seed_len()], vec![0; kem.coins_len()]);
    getrandom::fill(&mut seed)?;
    getrandom::fill(&mut coins)?;

    let mut public = vec![0; info.public_key];
    let receiver = kem.generate_from(&seed, &mut public)?;
    let (mut ciphertext, mut sent, mut received) = (vec![0; info.ciphertext], [0; 32], [0; 32]);
    kem.encapsulate_from(&coins, &public, &mut ciphertext, &mut sent)?;
    receiver.decapsulate(&ciphertext, &mut received)?;
    assert_eq!(sent, received);
    Ok(ciphertext.len())
}
