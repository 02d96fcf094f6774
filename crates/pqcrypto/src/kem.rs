//! Key encapsulation: the traits, and a module for each parameter set.
#![cfg_attr(
    not(any(
        feature = "ml-kem",
        feature = "kyber",
        feature = "kyber-90s",
        feature = "ntru",
        feature = "saber"
    )),
    allow(dead_code, unused_imports, reason = "no family is compiled")
)]
use core::marker::PhantomData;

use oaklath_kem::{DecapsulationKey, EncapsulationKey, Kem, Set};
pub use oaklath_pqcrypto_traits::kem::{Ciphertext, PublicKey, SecretKey, SharedSecret};

use crate::objects::{KemCiphertext, KemPublicKey, KemSecretKey, KemSharedSecret};

/// Calls a macro with the table of the modules.
macro_rules! with_modules {
    ($macro:ident) => {
        $macro! { kem
            // feature     module           set
            "ml-kem"       mlkem512         MlKem512;
            "ml-kem"       mlkem768         MlKem768;
            "ml-kem"       mlkem1024        MlKem1024;
            "kyber"        kyber512         Kyber512;
            "kyber"        kyber768         Kyber768;
            "kyber"        kyber1024        Kyber1024;
            "kyber-90s"    kyber51290s      Kyber90s512;
            "kyber-90s"    kyber76890s      Kyber90s768;
            "kyber-90s"    kyber102490s     Kyber90s1024;
            "ntru"         ntruhps2048509   NtruHps2048509;
            "ntru"         ntruhps2048677   NtruHps2048677;
            "ntru"         ntruhps4096821   NtruHps4096821;
            "ntru"         ntruhrss701      NtruHrss701;
            "saber"        lightsaber       LightSaber;
            "saber"        saber            Saber;
            "saber"        firesaber        FireSaber;
        }
    };
}
pub(crate) use with_modules;

macro_rules! define_modules {
    (kem $($feature:literal $module:ident $set:ident;)*) => { $(
        #[doc = concat!("[`", stringify!($set), "`](oaklath_kem::", stringify!($set), ").")]
        #[cfg(feature = $feature)]
        pub mod $module {
            use oaklath_kem::{$set, Set};

            use crate::objects::{KemCiphertext, KemPublicKey, KemSecretKey, KemSharedSecret};

            /// The key that encapsulates.
            pub type PublicKey = KemPublicKey<$set, { public_key_bytes() }>;
            /// The key that decapsulates.
            pub type SecretKey = KemSecretKey<$set, { secret_key_bytes() }>;
            /// The ciphertext that the sender sends.
            pub type Ciphertext = KemCiphertext<$set, { ciphertext_bytes() }>;
            /// The secret that both sides obtain.
            pub type SharedSecret = KemSharedSecret<$set, { shared_secret_bytes() }>;

            /// Returns the length of a public key in bytes.
            #[must_use]
            pub const fn public_key_bytes() -> usize {
                $set::INFO.public_key
            }

            /// Returns the length of a secret key in bytes.
            #[must_use]
            pub const fn secret_key_bytes() -> usize {
                $set::INFO.secret_key
            }

            /// Returns the length of a ciphertext in bytes.
            #[must_use]
            pub const fn ciphertext_bytes() -> usize {
                $set::INFO.ciphertext
            }

            /// Returns the length of a shared secret in bytes.
            #[must_use]
            pub const fn shared_secret_bytes() -> usize {
                $set::INFO.shared_secret
            }

            /// Returns a new key pair.
            ///
            /// # Panics
            /// If the operating system provides no random bytes.
            #[must_use]
            pub fn keypair() -> (PublicKey, SecretKey) {
                super::generate_keypair()
            }

            /// Returns a shared secret, and the ciphertext that carries it to the owner of the key.
            ///
            /// # Panics
            /// If the operating system provides no random bytes.
            #[must_use]
            pub fn encapsulate(pk: &PublicKey) -> (SharedSecret, Ciphertext) {
                super::encapsulate_to(pk)
            }

            /// Returns the shared secret of a ciphertext, or for an invalid one a secret that
            /// nobody else has.
            #[must_use]
            pub fn decapsulate(ct: &Ciphertext, sk: &SecretKey) -> SharedSecret {
                super::decapsulate_with(ct, sk)
            }
        }
    )* };
}
with_modules!(define_modules);

fn generate_keypair<P: Set, const PK: usize, const SK: usize>()
-> (KemPublicKey<P, PK>, KemSecretKey<P, SK>) {
    let key = DecapsulationKey::<P>::generate();
    let mut public = KemPublicKey([0; PK], PhantomData);
    public.0.copy_from_slice(key.encapsulation_key().as_bytes());
    let mut secret = KemSecretKey([0; SK], PhantomData);
    key.write_bytes(&mut secret.0);
    (public, secret)
}

fn encapsulate_to<P: Set, const PK: usize, const CT: usize, const SS: usize>(
    pk: &KemPublicKey<P, PK>,
) -> (KemSharedSecret<P, SS>, KemCiphertext<P, CT>) {
    let key = EncapsulationKey::<P>::from_bytes(&pk.0).expect("the key was checked");
    let (ciphertext, secret) = key.encapsulate();
    let mut pair = (KemSharedSecret([0; SS], PhantomData), KemCiphertext([0; CT], PhantomData));
    pair.0.0.copy_from_slice(secret.as_bytes());
    pair.1.0.copy_from_slice(ciphertext.as_bytes());
    pair
}

fn decapsulate_with<P: Set, const CT: usize, const SK: usize, const SS: usize>(
    ct: &KemCiphertext<P, CT>,
    sk: &KemSecretKey<P, SK>,
) -> KemSharedSecret<P, SS> {
    let mut secret = KemSharedSecret([0; SS], PhantomData);
    let result = P::default().decapsulate(&sk.0, &ct.0, &mut secret.0);
    result.expect("the key was checked");
    secret
}
