//! `oaklath list kems`.

use anyhow::Result;
use oaklath_params::kem;

use crate::list::fields::{Fields, columns, fields};
use crate::list::listing::Listing;

pub(super) fn listing() -> Result<Listing> {
    let rows: Vec<Fields> = kem::ALL
        .iter()
        .map(|kem| {
            fields! {
                kind: "kem", name: kem.name, submission: kem.submission,
                wolfssl: kem.wolfssl, oqs: kem.oqs, oid: kem.oid.as_ref().map(|oid| oid.as_str()),
                level: kem.level, status: kem.status.as_str(),
                public_key: kem.public_key, secret_key: kem.secret_key,
                ciphertext: kem.ciphertext, shared_secret: kem.shared_secret,
                built: oaklath_kem::all().iter().any(|built| built.info() == *kem),
            }
        })
        .collect();
    let sizes = [
        ("name", "name"),
        ("level", "level"),
        ("status", "status"),
        ("public key", "public_key"),
        ("secret key", "secret_key"),
        ("ciphertext", "ciphertext"),
        ("shared secret", "shared_secret"),
        ("built", "built"),
    ];
    let names = [
        ("name", "name"),
        ("submission", "=submission"),
        ("wolfSSL", "=wolfssl"),
        ("OQS", "=oqs"),
        ("OID", "oid"),
    ];
    let tables = vec![columns(&rows, sizes), columns(&rows, names)];
    Listing::new("Key encapsulation mechanisms", tables, &rows)
}
