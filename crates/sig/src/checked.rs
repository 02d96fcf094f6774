//! Signatures that are verified before they leave.
use alloc::boxed::Box;

use crate::object::complete;
use crate::{Error, Message, Sign, Verify};

/// A private key and its public key, ready for use.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) signer: Box<dyn Sign>,
    pub(crate) verifier: Box<dyn Verify>,
}

impl Sign for Checked {
    fn sign(
        &self,
        message: &Message<'_>,
        coins: Option<&[u8]>,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let result = self.signer.sign(message, coins, out).and_then(|len| {
            let verified = self.verifier.verify(message, &out[..len]);
            verified.map(|()| len).map_err(|_| Error::Fault)
        });
        complete(result, [out])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    /// A machine that computes something else.
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

    #[test]
    fn what_does_not_verify_does_not_leave() {
        let fast = |name: &str| !name.contains("SPHINCS") && !name.ends_with('s');
        for scheme in crate::all().iter().filter(|scheme| fast(scheme.info().name)) {
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
            let broken = Checked { signer, verifier: scheme.prepare_verifier(&pk).unwrap() };
            let result = broken.sign(&message, Some(&coins), &mut out);
            assert_eq!(result, Err(Error::Fault), "{}", info.name);
            assert!(out.iter().all(|byte| *byte == 0), "{}", info.name);
            assert_eq!(
                scheme.prepare_checked_signer(&sk[1..]).err(),
                scheme.public_key(&sk[1..], &mut pk).err()
            );
        }
    }
}
