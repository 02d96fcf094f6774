//! XMSS and XMSS^MT: RFC 8391, with the hash functions of SP 800-208.
//!
//! | file | what |
//! |---|---|
//! | `address.rs` | addresses |
//! | `family.rs`, `sha2.rs`, `shake.rs` | the keyed functions, by the hash functions in lanes |
//! | `hashes.rs` | WOTS+, L-trees and trees over the traits of `oaklath-tree` |
//! | `secret.rs`, `key.rs` | what is made of secrets, and private keys |
//! | `public.rs`, `verify.rs` | public keys, and what they verify |
mod address;
mod family;
mod hashes;
mod key;
mod public;
mod secret;
mod sha2;
mod shake;
mod verify;

use oaklath_params::stateful::Hash;
use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_simd::dispatch;

use crate::xmss::family::{Family, Seeds};
use crate::xmss::hashes::Xmss;
use crate::xmss::sha2::{Sha2, WholeBlocks};
use crate::xmss::shake::{Serial, Shake};

pub use key::{XmssGeneration, XmssSigningKey, xmss_seed_len};
pub use public::XmssPublicKey;

/// How the secrets of one-time keys are made of the secret seed. It is no part of the standard's
/// interface: signatures do not show it, but a private key means something only with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Derivation {
    /// `PRF_keygen` of seeds and address: SP 800-208, section 5. Ours, and that of newer foreign keys.
    #[default]
    Keygen,
    /// PRF of the address, and of that and the number of the chain: what RFC 8391, section 3.1.7,
    /// suggests. For older foreign keys.
    Rfc8391,
}

/// Something to do with the functions of a set and the seeds of a key.
trait Task {
    type Output;
    fn run<F: Family<N>, const N: usize>(self, h: &Xmss<F, N>) -> Self::Output;
}

/// Runs a task at the level of the moment. Of a public key, `secret` is nothing.
///
/// # Panics
/// If a seed has not the length of the set.
fn run<T: Task>(
    info: &XmssInfo,
    (public, secret): (&[u8], Option<&[u8]>),
    derivation: Derivation,
    task: T,
) -> T::Output {
    fn seeds<'a, const N: usize>(
        public: &'a [u8],
        secret: Option<&'a [u8]>,
        derivation: Derivation,
    ) -> Seeds<'a, N> {
        let array = |bytes: &'a [u8]| bytes.first_chunk().expect("a seed of the set's length");
        Seeds { public: array(public), secret: secret.map_or(&[0; N], array), derivation }
    }
    /// Out of line: the stack has the functions of one set.
    #[inline(never)]
    fn with<F: Family<N>, T: Task, const N: usize>(
        task: T,
        family: impl FnOnce() -> F,
    ) -> T::Output {
        task.run(&Xmss(family()))
    }
    macro_rules! seeds {
        () => {
            seeds(public, secret, derivation)
        };
    }
    match (info.hash, info.n) {
        (Hash::Sha256, 24) => {
            dispatch!(s => with::<_, T, 24>(task, || Sha2::new(s, seeds!())))
        }
        (Hash::Sha256, _) => dispatch!(s => with(task, || WholeBlocks::new(s, seeds!()))),
        (Hash::Shake256, 24) => {
            dispatch!(s => with::<_, T, 24>(task, || Shake::new(s, seeds!())))
        }
        (Hash::Shake256, 32) => {
            dispatch!(s => with::<_, T, 32>(task, || Shake::new(s, seeds!())))
        }
        (hash, 32) => with::<_, T, 32>(task, || Serial::new(hash, seeds!())),
        (hash, _) => with::<_, T, 64>(task, || Serial::new(hash, seeds!())),
    }
}
