//! The crate xmss: the reference implementation in Rust, without a cache.

use std::marker::PhantomData;

use xmss::{
    DetachedSignature, KeyPair, VerifyingKey, XmssMtSha2_20_2_256, XmssMtSha2_20_4_192,
    XmssMtSha2_20_4_256, XmssMtShake256_20_4_192, XmssMtShake256_20_4_256, XmssParameter,
    XmssSha2_10_192, XmssSha2_10_256, XmssShake256_10_256,
};

use super::{Failure, Implementation, Key};

macro_rules! sets {
    ($($name:literal $set:ident)*) => {
        pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
            match set {
                $($name => Some(Box::new(Xmss::<$set> {
                    is_multi_tree: $name.starts_with("XMSSMT"),
                    set: PhantomData,
                })),)*
                _ => None,
            }
        }
    };
}
sets! {
    "XMSS-SHA2_10_256"         XmssSha2_10_256
    "XMSS-SHA2_10_192"         XmssSha2_10_192
    "XMSS-SHAKE256_10_256"     XmssShake256_10_256
    "XMSSMT-SHA2_20/2_256"     XmssMtSha2_20_2_256
    "XMSSMT-SHA2_20/4_256"     XmssMtSha2_20_4_256
    "XMSSMT-SHA2_20/4_192"     XmssMtSha2_20_4_192
    "XMSSMT-SHAKE256_20/4_192" XmssMtShake256_20_4_192
    "XMSSMT-SHAKE256_20/4_256" XmssMtShake256_20_4_256
}

struct Xmss<P> {
    is_multi_tree: bool,
    set: PhantomData<P>,
}

impl<P: XmssParameter + 'static> Implementation for Xmss<P> {
    fn library(&self) -> &'static str {
        "xmss 0.1.0-pre.0"
    }
    fn remark(&self) -> &'static str {
        "the reference in Rust: grows the tree anew for each signature"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let seed: Vec<u8> = seed.iter().cycle().take(P::SEED_LEN).copied().collect();
        let pair = KeyPair::<P>::from_seed(&seed).map_err(|_| Failure::Refused)?;
        Ok(Box::new(XmssKey(pair)))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let mut public = public.to_vec();
        if self.is_multi_tree {
            // It reads the numbers that XMSS^MT shares with XMSS (its own keys' among them) as
            // those of XMSS, unless they have the bit that marks them internally.
            public[1] |= 1;
        }
        let key = VerifyingKey::<P>::try_from(&public);
        let signature = DetachedSignature::<P>::try_from(signature);
        let (Ok(key), Ok(signature)) = (key, signature) else { return Err(Failure::Refused) };
        key.verify_detached(&signature, message).map_err(|_| Failure::Refused)
    }
}

struct XmssKey<P: XmssParameter>(KeyPair<P>);

impl<P: XmssParameter> Key for XmssKey<P> {
    fn public(&self) -> Vec<u8> {
        self.0.verifying_key().as_ref().to_vec()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let signed = self.0.signing_key().sign_detached(message);
        signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| Failure::Refused)
    }
}
