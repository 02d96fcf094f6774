//! Which function implements which standard. The documentation of the functions states what is
//! secret, what is checked and what each standard leaves to the caller.
//!
//! | standard | section | here |
//! |---|---|---|
//! | FIPS 203 (ML-KEM) | Algorithm 19, KeyGen | [`DecapsulationKey::generate`] |
//! | | Algorithm 16, KeyGen_internal(d, z) | [`DecapsulationKey::from_seed`] |
//! | | Algorithm 20, Encaps | [`EncapsulationKey::encapsulate`] |
//! | | Algorithm 17, Encaps_internal | `EncapsulationKey::encapsulate_from` (`hazmat`) |
//! | | Algorithms 21 and 18, Decaps | [`DecapsulationKey::decapsulate`] |
//! | | 7.2, checks of an encapsulation key | [`EncapsulationKey::from_bytes`] |
//! | | 7.3, checks of a decapsulation key | [`DecapsulationKey::from_bytes`] |
//! | FIPS 204 (ML-DSA) | Algorithm 1, KeyGen | [`SigningKey::generate`] |
//! | | Algorithm 6, KeyGen_internal | [`SigningKey::from_seed`] |
//! | | Algorithms 2 and 7, Sign, hedged | [`SigningKey::sign_message`] |
//! | | Algorithms 2 and 7, Sign, deterministic | [`SigningKey::sign_deterministic`] |
//! | | Algorithms 3 and 8, Verify | [`VerifyingKey::verify_message`] |
//! | | contexts; Algorithms 4 and 5, HashML-DSA | [`Message`] |
//! | | 6.2, mu computed elsewhere | [`MuContext`] |
//! | FIPS 205 (SLH-DSA) | Algorithms 21, 22, 24 | the same types, with [`SlhDsaSha2_128s`] … |
//! | | Algorithms 23 and 25, HashSLH-DSA | [`Message`] |
//! | RFC 8554, LMS and HSS | 5.3, 6.1, key generation | [`HssSigningKey::generate`] |
//! | | 5.4, 6.2, signing | [`Signer::sign`] |
//! | | Algorithm 6a, verification of LMS | [`LmsPublicKey::verify`] |
//! | | 6.3, verification of HSS | [`HssPublicKey::verify`] |
//! | RFC 9858 | further parameter sets of LMS | [`params::stateful::lms`] |
//! | RFC 8391 (XMSS, XMSS^MT) | Algorithms 10, 15, key generation | [`XmssSigningKey::generate`] |
//! | | Algorithms 12 and 16, signing | [`Signer::sign`] |
//! | | Algorithms 14 and 17, verification | [`XmssPublicKey::verify`] |
//! | SP 800-208 | parameter sets with SHAKE and 192 bits | [`params::stateful`] |
//! | | state that is not copied | [`stores`]; no hardware module |
//! | RFC 5280, X.509 | 4.1, certificates | [`Template`], [`Certificate`] |
//! | | 6.1, path validation | [`verify_chain`] |
//! | RFC 2986, PKCS #10 | requests | [`Request`] |
//! | RFC 5958, PKCS #8 | private keys | [`PrivateKey`] |
//! | RFC 7468, PEM | | [`decode_pem`], [`encode_pem`] |
//! | RFC 9881 (ML-DSA), RFC 9935 (ML-KEM) | forms of private keys | [`Form`] |
//! | RFC 9909 (SLH-DSA), RFC 9802 (HSS, XMSS) | identities | [`Identity`] |
//! | draft-ietf-tls-ecdhe-mlkem | hybrid groups | [`Group`], [`Builder::groups`] |
//! | draft-ietf-tls-mlkem | ML-KEM alone | [`Builder::groups`], by name |
//! | draft-ietf-tls-mldsa | ML-DSA in TLS | [`provider`], [`Chains`] |
//! | FIPS 206, to be published | FN-DSA | the feature `fn-dsa-draft` of [`sig`] |
//!
//! [`params::stateful::lms`]: crate::params::stateful::lms
//! [`params::stateful`]: crate::params::stateful
//! [`stores`]: crate::stores
//! [`sig`]: crate::sig

#[cfg(doc)]
use crate::{
    hybrid::Group,
    kem::{DecapsulationKey, EncapsulationKey},
    pki::{
        Certificate, Form, Identity, PrivateKey, Request, Template, decode_pem, encode_pem,
        verify_chain,
    },
    sig::{Message, MuContext, SigningKey, SlhDsaSha2_128s, VerifyingKey},
    stateful::{HssPublicKey, HssSigningKey, LmsPublicKey, XmssPublicKey, XmssSigningKey},
    stores::Signer,
    tls::{Builder, Chains, provider},
};
