//! purecrypto: Rust with vector code.

use purecrypto::lms::{HssPrivateKey, HssPublicKey, LmotsType, LmsType};
use purecrypto::rng::RngCore;
use purecrypto::xmss::{
    XmssMtParamSet, XmssMtPrivateKey, XmssMtPublicKey, XmssParamSet, XmssPrivateKey, XmssPublicKey,
};

use super::{Failure, Implementation, Key};

const LIBRARY: &str = "purecrypto 0.10.4";
const REMARK: &str = "keeps the nodes of the current trees";

macro_rules! sets {
    ($($name:literal $kind:ident $set:expr;)*) => {
        pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
            match set {
                $($name => Some(Box::new($kind($set))),)*
                _ => None,
            }
        }
    };
}
sets! {
    "L1_H10_W4"              Hss    &[(LmsType::Sha256M32H10, LmotsType::Sha256N32W4)];
    "L2_H10_W4"              Hss    &[(LmsType::Sha256M32H10, LmotsType::Sha256N32W4); 2];
    "L2_H10_W8"              Hss    &[(LmsType::Sha256M32H10, LmotsType::Sha256N32W8); 2];
    "L3_H5_W4"               Hss    &[(LmsType::Sha256M32H5, LmotsType::Sha256N32W4); 3];
    "XMSS-SHA2_10_256"       Xmss   XmssParamSet::Sha2_10_256;
    "XMSS-SHA2_10_192"       Xmss   XmssParamSet::Sha2_10_192;
    "XMSS-SHAKE256_10_256"   Xmss   XmssParamSet::Shake256_10_256;
    "XMSSMT-SHA2_20/2_256"   XmssMt XmssMtParamSet::Sha2_20_2_256;
    "XMSSMT-SHA2_20/4_256"   XmssMt XmssMtParamSet::Sha2_20_4_256;
    "XMSSMT-SHA2_60/12_256"  XmssMt XmssMtParamSet::Sha2_60_12_256;
}

struct Hss(&'static [(LmsType, LmotsType)]);

/// A stream of bytes for the seed, whose value does not matter.
struct Stream(u8);

impl RngCore for Stream {
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        for byte in dest {
            self.0 = self.0.wrapping_mul(5).wrapping_add(1);
            *byte = self.0;
        }
    }
}

impl Implementation for Hss {
    fn library(&self) -> &'static str {
        LIBRARY
    }
    fn remark(&self) -> &'static str {
        REMARK
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let mut id = [0; 16];
        id.copy_from_slice(&seed[..16]);
        let levels = (0..).zip(self.0).map(|(level, (tree, ots))| {
            let mut id = id;
            id[0] ^= level;
            (*tree, *ots, id, *seed)
        });
        let levels: Vec<_> = levels.collect();
        let key = HssPrivateKey::from_levels(&levels).map_err(|_| Failure::Refused)?;
        Ok(Box::new(HssKey(key)))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = HssPublicKey::from_bytes(public).map_err(|_| Failure::Refused)?;
        valid(key.verify(message, signature))
    }
}

fn valid(valid: bool) -> Result<(), Failure> {
    if valid { Ok(()) } else { Err(Failure::Refused) }
}

struct HssKey(HssPrivateKey);

impl Key for HssKey {
    fn public(&self) -> Vec<u8> {
        self.0.public_key().to_bytes().to_vec()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.sign(&mut Stream(7), message).map_err(|_| Failure::Refused)
    }
}

/// Writes the adapters of XMSS, whose keys lack their number (OID) here.
macro_rules! xmss {
    ($($name:ident $key:ident $set:ident $private:ident $public:ident;)*) => { $(
        struct $name($set);

        impl Implementation for $name {
            fn library(&self) -> &'static str {
                LIBRARY
            }
            fn remark(&self) -> &'static str {
                REMARK
            }
            fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
                let seed = seed.repeat(3);
                Ok(Box::new($key { set: self.0, key: $private::from_seed(self.0, &seed) }))
            }
            fn verify(
                &self,
                public: &[u8],
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), Failure> {
                let key = $public::from_bytes(self.0, &public[4..]);
                valid(key.map_err(|_| Failure::Refused)?.verify(message, signature))
            }
        }

        struct $key {
            set: $set,
            key: $private,
        }

        impl Key for $key {
            fn public(&self) -> Vec<u8> {
                [&self.set.oid().to_be_bytes()[..], self.key.public_key().to_bytes()].concat()
            }
            fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
                self.key.sign(message).map_err(|_| Failure::Refused)
            }
        }
    )* };
}
xmss! {
    Xmss   XmssKey   XmssParamSet   XmssPrivateKey   XmssPublicKey;
    XmssMt XmssMtKey XmssMtParamSet XmssMtPrivateKey XmssMtPublicKey;
}
