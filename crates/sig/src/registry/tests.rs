use std::vec;

use super::*;

/// A signer that flips a bit of each signature.
#[derive(Debug)]
struct Broken(Box<dyn Sign>);

impl Sign for Broken {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let len = self.0.sign(message, coins, out)?;
        out[len >> 1] ^= 4;
        Ok(len)
    }
}

/// Returns one set of each algorithm: what is tested here is shared source.
fn sets() -> [&'static dyn Signature; 3] {
    [&sets::MlDsa44, &sets::SlhDsaShake128f, &sets::Falcon512]
}

#[test]
fn what_does_not_verify_does_not_leave() {
    for scheme in sets() {
        let info = scheme.info();
        let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![7; scheme.seed_len()], &mut pk, &mut sk).unwrap();
        let (message, coins) = (Message::new(b"text"), vec![8; scheme.coins_len()]);
        let (mut out, mut want) = (vec![1; info.signature], vec![0; info.signature]);

        let good = scheme.prepare_checked_signer(&sk).unwrap();
        let len = good.sign(&message, Some(&coins), &mut out).unwrap();
        scheme.sign(&sk, &message, Some(&coins), &mut want).unwrap();
        assert_eq!(out[..len], want[..len], "{}", info.name);

        let signer = Box::new(Broken(scheme.prepare_signer(&sk).unwrap()));
        let broken = CheckedSigner { signer, verifier: scheme.prepare_verifier(&pk).unwrap() };
        let result = broken.sign(&message, Some(&coins), &mut out);
        assert_eq!(result, Err(Error::Fault), "{}", info.name);
        assert!(out.iter().all(|byte| *byte == 0), "{}", info.name);
        assert_eq!(
            scheme.prepare_checked_signer(&sk[1..]).err(),
            scheme.public_key(&sk[1..], &mut pk).err()
        );
    }
}

/// Checks that no part of a key pair that is damaged during generation is returned.
#[cfg(feature = "pct")]
fn broken_keys_are_noticed<P: SignatureSet>() {
    let info = P::INFO;
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    P::SCHEME.keygen(&vec![7; P::Seed::LEN], &mut pk, &mut sk);
    assert_eq!(pct::check::<P>(&pk, &sk), Ok(()), "{}", info.name);
    for at in [1, pk.len() / 2, pk.len() - 1] {
        pk[at] ^= 1;
        assert_eq!(pct::check::<P>(&pk, &sk), Err(Error::Fault), "{} pk {at}", info.name);
        pk[at] ^= 1;
    }
    // A byte in s1 of ML-DSA, f of Falcon, SK.seed or PK.seed of SLH-DSA.
    let at = if sk.len() > 140 { 140 } else { 2 };
    sk[at] ^= 2;
    assert_eq!(pct::check::<P>(&pk, &sk), Err(Error::Fault), "{} sk", info.name);
}

#[test]
#[cfg(feature = "pct")]
fn broken_keys() {
    broken_keys_are_noticed::<sets::MlDsa44>();
    broken_keys_are_noticed::<sets::SlhDsaShake128f>();
    broken_keys_are_noticed::<sets::Falcon512>();
}
