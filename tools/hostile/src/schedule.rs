//! The key schedule and record protection of TLS 1.3 (RFC 8446, sections 5.2, 5.3, 7.1 and 7.3) for
//! the suite `TLS_AES_128_GCM_SHA256`, over the primitives of aws-lc-rs. Records of
//! `TLS_AES_256_GCM_SHA384` can be read: a flipped bit can make a victim choose it.

use aws_lc_rs::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::{digest, hmac};

use crate::wire::{APPLICATION_DATA, MESSAGE_HASH, RECORD_HEADER, message, vec8};

/// A secret of the schedule, as long as the output of SHA-256.
pub(crate) type Secret = [u8; 32];

/// The length in bytes of a secret of the schedule where the hash is SHA-384.
const SHA384: usize = 48;

/// The length in bytes of a tag of AES-GCM.
const TAG: usize = 16;

fn mac(key: &[u8], parts: &[&[u8]]) -> Secret {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let tag = hmac::sign(&key, &parts.concat());
    tag.as_ref().try_into().expect("a tag of HMAC-SHA256")
}

/// Computes HKDF-Expand-Label for at most 32 bytes, which take one step of HKDF-Expand. The length
/// of the secret is that of the suite's hash.
fn expand_label<const N: usize>(secret: &[u8], label: &str, context: &[u8]) -> [u8; N] {
    let len = u16::try_from(N).expect("at most 32 bytes").to_be_bytes();
    let label = vec8(&[b"tls13 ", label.as_bytes()].concat());
    let info = [&len, &*label, &vec8(context), &[1]].concat();
    let algorithm = match secret.len() {
        SHA384 => hmac::HMAC_SHA384,
        _ => hmac::HMAC_SHA256,
    };
    let block = hmac::sign(&hmac::Key::new(algorithm, secret), &info);
    *block.as_ref().first_chunk().expect("at most 32 bytes")
}

fn hash(bytes: &[u8]) -> Secret {
    digest::digest(&digest::SHA256, bytes).as_ref().try_into().expect("a digest of SHA-256")
}

/// The concatenated handshake messages.
#[derive(Clone, Default)]
pub(crate) struct Transcript(Vec<u8>);

impl Transcript {
    pub(crate) fn add(&mut self, message: &[u8]) {
        self.0.extend_from_slice(message);
    }

    /// Replaces the first `ClientHello` with its hash when a `HelloRetryRequest` answers it:
    /// section 4.4.1.
    pub(crate) fn retried(&mut self) {
        self.0 = message(MESSAGE_HASH, &self.hash());
    }

    pub(crate) fn hash(&self) -> Secret {
        hash(&self.0)
    }
}

/// The secrets after the hellos.
pub(crate) struct Schedule {
    pub(crate) client: Secret,
    pub(crate) server: Secret,
    master: Secret,
}

impl Schedule {
    /// Derives the secrets from the shared secret and the transcript up to the `ServerHello`.
    pub(crate) fn new(shared: &[u8], transcript: &Transcript) -> Self {
        let zero = Secret::default();
        let early = mac(&zero, &[&zero]);
        let handshake = mac(&expand_label::<32>(&early, "derived", &hash(&[])), &[shared]);
        let master = mac(&expand_label::<32>(&handshake, "derived", &hash(&[])), &[&zero]);
        let hash = transcript.hash();
        Self {
            client: expand_label(&handshake, "c hs traffic", &hash),
            server: expand_label(&handshake, "s hs traffic", &hash),
            master,
        }
    }

    /// Returns the client's and the server's secret for application data; the transcript ends with
    /// the server's Finished.
    pub(crate) fn application(&self, transcript: &Transcript) -> [Secret; 2] {
        let hash = transcript.hash();
        ["c ap traffic", "s ap traffic"].map(|label| expand_label(&self.master, label, &hash))
    }
}

/// Returns the contents of a Finished: section 4.4.4.
pub(crate) fn verify_data(secret: &Secret, transcript: &Transcript) -> Secret {
    mac(&expand_label::<32>(secret, "finished", &[]), &[&transcript.hash()])
}

/// Returns the content that a `CertificateVerify` signs: section 4.4.3.
pub(crate) fn signed_content(side: &str, transcript: &Transcript) -> Vec<u8> {
    let context = format!("TLS 1.3, {side} CertificateVerify");
    [&[b' '; 64][..], context.as_bytes(), &[0], &transcript.hash()].concat()
}

/// The protection of one direction.
pub(crate) struct Traffic {
    key: LessSafeKey,
    iv: [u8; 12],
    sequence: u64,
}

impl Traffic {
    /// Derives key and IV from a secret of either suite.
    pub(crate) fn new(secret: &[u8]) -> Self {
        let key = match secret.len() {
            SHA384 => UnboundKey::new(&AES_256_GCM, &expand_label::<32>(secret, "key", &[])),
            _ => UnboundKey::new(&AES_128_GCM, &expand_label::<16>(secret, "key", &[])),
        };
        let key = key.expect("a key of the right length");
        Self { key: LessSafeKey::new(key), iv: expand_label(secret, "iv", &[]), sequence: 0 }
    }

    fn nonce(&self) -> Nonce {
        let mut nonce = self.iv;
        let sequence = self.sequence.to_be_bytes();
        nonce.iter_mut().skip(4).zip(sequence).for_each(|(byte, of)| *byte ^= of);
        Nonce::assume_unique_for_key(nonce)
    }

    /// Seals a record of exactly this inner plaintext: content, its type, zeros.
    pub(crate) fn seal_inner(&mut self, mut inner: Vec<u8>) -> Vec<u8> {
        let len = u16::try_from(inner.len() + TAG).expect("a record");
        let header = [&[APPLICATION_DATA, 3, 3], &len.to_be_bytes()[..]].concat();
        let nonce = self.nonce();
        let sealed = self.key.seal_in_place_append_tag(nonce, Aad::from(&header), &mut inner);
        sealed.expect("the length of a record");
        self.sequence += 1;
        [header, inner].concat()
    }

    /// Seals a record of this content.
    pub(crate) fn seal(&mut self, kind: u8, content: &[u8]) -> Vec<u8> {
        self.seal_inner([content, &[kind]].concat())
    }

    /// Returns type and content of a whole record, if it was sealed with this key.
    pub(crate) fn open(&mut self, record: &[u8]) -> Option<(u8, Vec<u8>)> {
        let (header, body) = record.split_at(RECORD_HEADER);
        let mut body = body.to_vec();
        let plain = self.key.open_in_place(self.nonce(), Aad::from(header), &mut body).ok()?;
        self.sequence += 1;
        let end = plain.iter().rposition(|byte| *byte != 0)?;
        Some((plain[end], plain[..end].to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{record, record_bounds};

    #[test]
    fn what_is_sealed_opens_in_order_only() {
        let (mut here, mut there) = (Traffic::new(&[7; 32]), Traffic::new(&[7; 32]));
        let first = here.seal(22, b"first");
        let second = here.seal_inner([&b"second"[..], &[23], &[0; 100]].concat());
        assert_eq!(record_bounds(&first), [(0, first.len())]);
        assert_eq!(there.open(&second), None);
        assert_eq!(there.open(&first), Some((22, b"first".to_vec())));
        assert_eq!(there.open(&second), Some((23, b"second".to_vec())));
        assert_eq!(there.open(&record(23, &[1; 40])), None);
    }
}
