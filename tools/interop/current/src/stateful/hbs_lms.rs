//! hbs-lms: portable Rust, after cisco/hash-sigs, with its cache of nodes.

use hbs_lms::{HssParameter, LmotsAlgorithm, LmsAlgorithm, Seed, Sha256_256, SigningKey};

use super::{Failure, Implementation, Key};

macro_rules! sets {
    ($($name:literal $levels:literal $height:ident $width:ident)*) => {
        pub(super) fn implementation(set: &str) -> Option<Box<dyn Implementation>> {
            match set {
                $($name => Some(Box::new(Hss {
                    levels: $levels,
                    tree: LmsAlgorithm::$height,
                    ots: LmotsAlgorithm::$width,
                })),)*
                _ => None,
            }
        }
    };
}
// SHA-256 alone: the other hash functions have its type codes, which violates the standard.
sets! {
    "L1_H10_W4" 1 LmsH10 LmotsW4
    "L2_H10_W4" 2 LmsH10 LmotsW4
    "L2_H10_W8" 2 LmsH10 LmotsW8
    "L3_H5_W4"  3 LmsH5  LmotsW4
}

struct Hss {
    levels: usize,
    tree: LmsAlgorithm,
    ots: LmotsAlgorithm,
}

/// Room for all nodes of a tree of height 10, in bytes.
const CACHE: usize = 100_000;

impl Implementation for Hss {
    fn library(&self) -> &'static str {
        "hbs-lms 0.1.1"
    }
    fn remark(&self) -> &'static str {
        "portable; with its cache of nodes of the top tree"
    }
    fn generate(&self, seed: &[u8; 32]) -> Result<Box<dyn Key>, Failure> {
        let mut chosen = Seed::<Sha256_256>::default();
        let len = chosen.as_slice().len();
        chosen.as_mut_slice().copy_from_slice(&seed[..len]);
        let parameters = vec![HssParameter::<Sha256_256>::new(self.ots, self.tree); self.levels];
        let mut cache = vec![0; CACHE];
        let made = hbs_lms::keygen(&parameters, &chosen, Some(&mut &mut cache[..]));
        let (key, public) = made.map_err(|_| Failure::Refused)?;
        Ok(Box::new(HssKey { key, public: public.as_slice().to_vec(), cache }))
    }
    fn verify(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        hbs_lms::verify::<Sha256_256>(message, signature, public).map_err(|_| Failure::Refused)
    }
}

struct HssKey {
    key: SigningKey<Sha256_256>,
    public: Vec<u8>,
    cache: Vec<u8>,
}

impl Key for HssKey {
    fn public(&self) -> Vec<u8> {
        self.public.clone()
    }
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Failure> {
        let signed = self.key.try_sign_with_aux(message, Some(&mut &mut self.cache[..]));
        signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| Failure::Refused)
    }
}
