//! hbs-lms: portable Rust, after cisco/hash-sigs, with its cache of nodes.

use hbs_lms::{
    HashChain, HssParameter, LmotsAlgorithm, LmsAlgorithm, Seed, Sha256_192, Sha256_256,
    Shake256_192, Shake256_256, SigningKey,
};
use std::marker::PhantomData;

use super::{Failure, Implementation, Key};

macro_rules! sets {
    ($($name:literal $hash:ident $levels:literal $height:ident $width:ident)*) => {
        pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
            match set {
                $($name => Some(Box::new(Hss::<$hash> {
                    levels: $levels,
                    tree: LmsAlgorithm::$height,
                    ots: LmotsAlgorithm::$width,
                    hash: PhantomData,
                })),)*
                _ => None,
            }
        }
    };
}
sets! {
    "L1_H10_W4" Sha256_256 1 LmsH10 LmotsW4
    "L2_H10_W4" Sha256_256 2 LmsH10 LmotsW4
    "L2_H10_W8" Sha256_256 2 LmsH10 LmotsW8
    "L3_H5_W4"  Sha256_256 3 LmsH5  LmotsW4
    "LMS_SHA256_M24_H5/LMOTS_SHA256_N24_W4,LMS_SHA256_M24_H5/LMOTS_SHA256_N24_W4"
                Sha256_192 2 LmsH5 LmotsW4
    "LMS_SHAKE_M24_H5/LMOTS_SHAKE_N24_W4,LMS_SHAKE_M24_H5/LMOTS_SHAKE_N24_W4"
                Shake256_192 2 LmsH5 LmotsW4
    "LMS_SHAKE_M32_H5/LMOTS_SHAKE_N32_W8,LMS_SHAKE_M32_H5/LMOTS_SHAKE_N32_W8"
                Shake256_256 2 LmsH5 LmotsW8
}

struct Hss<H> {
    levels: usize,
    tree: LmsAlgorithm,
    ots: LmotsAlgorithm,
    hash: PhantomData<H>,
}

/// Room for all nodes of a tree of height 10.
const CACHE: usize = 100_000;

impl<H: HashChain + 'static> Implementation for Hss<H> {
    fn library(&self) -> &'static str {
        "hbs-lms 0.1.1"
    }
    fn remark(&self) -> &'static str {
        "portable; with its cache of nodes of the top tree"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let mut chosen = Seed::<H>::default();
        let len = chosen.as_slice().len();
        chosen.as_mut_slice().copy_from_slice(&seed[..len]);
        let parameters = vec![HssParameter::<H>::new(self.ots, self.tree); self.levels];
        let mut cache = vec![0; CACHE];
        let made = hbs_lms::keygen(&parameters, &chosen, Some(&mut &mut cache[..]));
        let (key, public) = made.map_err(|_| Failure::Refused)?;
        Ok(Box::new(HssKey { key, public: public.as_slice().to_vec(), cache }))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        hbs_lms::verify::<H>(message, signature, public).map_err(|_| Failure::Refused)
    }
}

struct HssKey<H: HashChain> {
    key: SigningKey<H>,
    public: Vec<u8>,
    cache: Vec<u8>,
}

impl<H: HashChain> Key for HssKey<H> {
    fn public(&self) -> Vec<u8> {
        self.public.clone()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let signed = self.key.try_sign_with_aux(message, Some(&mut &mut self.cache[..]));
        signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| Failure::Refused)
    }
}
