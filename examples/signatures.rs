//! Signatures with ML-DSA: a key that is expanded once signs and verifies many messages; a context
//! binds a signature to its purpose; SLH-DSA, which is based on hashes alone, is used the same way.
//!
//! ```text
//! cargo run -p examples --bin signatures
//! ```

use anyhow::Result;
use oaklath::sig::{EncodedSignature, Message, MlDsa65, SigningKey, SlhDsaShake128f};

fn main() -> Result<()> {
    let key = SigningKey::<MlDsa65>::generate();
    // The matrix of an expanded key is computed only once, for all messages.
    let (signer, verifier) = (key.expand()?, key.verifying_key().expand());
    let orders = [b"ten pears".as_slice(), b"a dozen eggs", b"no cheese"];
    let mut signatures = Vec::new();
    for order in orders {
        signatures.push(signer.sign_message(&Message::with_context(order, b"shop.example"))?);
    }

    // Signatures are sent as bytes. The expanded key verifies them one after the other.
    let bytes: Vec<_> = signatures.iter().map(|signature| signature.as_bytes().to_vec()).collect();
    let mut received = Vec::new();
    for (order, bytes) in orders.iter().zip(&bytes) {
        let signature = EncodedSignature::<MlDsa65>::from_bytes(bytes)?;
        let message = Message::with_context(order, b"shop.example");
        verifier.verify_message(&message, &signature)?;
        received.push(signature);
    }
    println!("{} orders verify, with {} bytes each", received.len(), bytes[0].len());

    let elsewhere = Message::with_context(orders[0], b"bank.example");
    assert!(verifier.verify_message(&elsewhere, &received[0]).is_err(), "another context");

    let key = SigningKey::<SlhDsaShake128f>::generate();
    let signature = key.sign_message(&Message::new(orders[0]))?;
    key.verifying_key().verify_message(&Message::new(orders[0]), &signature)?;
    println!("SLH-DSA-SHAKE-128f: {} bytes", signature.as_bytes().len());
    Ok(())
}
