//! Known answers of the stateful schemes. Each has a private key in the form of another library, a
//! message, and the digest of its signature.

use anyhow::{Context, Result, bail, ensure};
use oaklath_hash::sha2::sha256;
use oaklath_stateful::{HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey, XmssTrees};
use rayon::prelude::*;

use crate::selftest::row::Row;

/// Checks the built-in answers on all cores, with one row per key.
pub(super) fn rows() -> impl ParallelIterator<Item = Vec<Row>> {
    let lines = include_str!("stateful.txt").par_lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut words = line.split(' ');
        let [name, origin, private, message, digest] =
            [(); 5].map(|()| words.next().unwrap_or_default());
        let source = match origin {
            "botan" => "built in: XMSS reference".to_owned(),
            _ => format!("built in: {origin}"),
        };
        vec![Row::run(&source, name, 1, || {
            let private = base16ct::mixed::decode_vec(private)?;
            let message = base16ct::mixed::decode_vec(message.trim_start_matches('-'))?;
            let signed = match origin {
                "hash-sigs" => sign(HssSigningKey::from_hash_sigs(&private, NODE_BYTES)?, &message),
                "botan" => sign(XmssSigningKey::from_botan(&private, NODE_BYTES)?, &message),
                "liboqs" => sign(
                    XmssSigningKey::from_liboqs(XmssTrees::Multi, &private, NODE_BYTES)?,
                    &message,
                ),
                _ => bail!("an origin that is not known"),
            };
            ensure!(
                base16ct::lower::encode_string(&sha256(&signed?)) == digest,
                "the digest differs"
            );
            Ok(())
        })]
    })
}

/// Signs at the index that the private key has reached, and verifies.
fn sign<K: StatefulKey>((mut key, index): (K, u64), message: &[u8]) -> Result<Vec<u8>> {
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(index), message, &mut signature)?;
    let checked = key.check(message, &signature).context("the signature is rejected")?;
    ensure!(checked.index == index, "index {}, expected {index}", checked.index);
    Ok(signature)
}
