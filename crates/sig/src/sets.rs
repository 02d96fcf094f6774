//! The parameter sets: one table, from which the types and the list of all schemes are generated.
use oaklath_params::sig::{self, SigInfo};

#[cfg(feature = "fn-dsa-draft")]
use crate::fn_dsa::draft::FnDsaDraft;
#[cfg(feature = "ml-dsa")]
use crate::ml_dsa::standard::MlDsaStandard;
#[cfg(feature = "dilithium")]
use crate::round3::dilithium::Dilithium;
#[cfg(feature = "dilithium-aes")]
use crate::round3::dilithium_aes::DilithiumAes;
#[cfg(feature = "falcon")]
use crate::round3::falcon::Falcon;
#[cfg(feature = "sphincs-plus")]
use crate::round3::sphincs_plus;
use crate::scheme::{SetParts, SignatureSet};
#[cfg(feature = "slh-dsa")]
use crate::slh_dsa;

/// Calls a macro with the table of all sets.
macro_rules! for_all_sets {
    ($macro:ident) => {
        $macro! {
            // feature        set               row                  family  numbers and variant
            "ml-dsa"          MlDsa44           ML_DSA_44            ml_dsa  (MlDsaStandard, 4, 4)
            "ml-dsa"          MlDsa65           ML_DSA_65            ml_dsa  (MlDsaStandard, 6, 5)
            "ml-dsa"          MlDsa87           ML_DSA_87            ml_dsa  (MlDsaStandard, 8, 7)
            "dilithium"       Dilithium2        DILITHIUM_2          ml_dsa  (Dilithium, 4, 4)
            "dilithium"       Dilithium3        DILITHIUM_3          ml_dsa  (Dilithium, 6, 5)
            "dilithium"       Dilithium5        DILITHIUM_5          ml_dsa  (Dilithium, 8, 7)
            "dilithium-aes"   Dilithium2Aes     DILITHIUM_2_AES      ml_dsa  (DilithiumAes, 4, 4)
            "dilithium-aes"   Dilithium3Aes     DILITHIUM_3_AES      ml_dsa  (DilithiumAes, 6, 5)
            "dilithium-aes"   Dilithium5Aes     DILITHIUM_5_AES      ml_dsa  (DilithiumAes, 8, 7)
            "slh-dsa"         SlhDsaSha2_128s   SLH_DSA_SHA2_128S    slh_dsa (SMALL_128, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaSha2_128f   SLH_DSA_SHA2_128F    slh_dsa (FAST_128, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaSha2_192s   SLH_DSA_SHA2_192S    slh_dsa (SMALL_192, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaSha2_192f   SLH_DSA_SHA2_192F    slh_dsa (FAST_192, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaSha2_256s   SLH_DSA_SHA2_256S    slh_dsa (SMALL_256, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaSha2_256f   SLH_DSA_SHA2_256F    slh_dsa (FAST_256, slh_dsa::SHA2)
            "slh-dsa"         SlhDsaShake128s   SLH_DSA_SHAKE_128S   slh_dsa (SMALL_128, slh_dsa::SHAKE)
            "slh-dsa"         SlhDsaShake128f   SLH_DSA_SHAKE_128F   slh_dsa (FAST_128, slh_dsa::SHAKE)
            "slh-dsa"         SlhDsaShake192s   SLH_DSA_SHAKE_192S   slh_dsa (SMALL_192, slh_dsa::SHAKE)
            "slh-dsa"         SlhDsaShake192f   SLH_DSA_SHAKE_192F   slh_dsa (FAST_192, slh_dsa::SHAKE)
            "slh-dsa"         SlhDsaShake256s   SLH_DSA_SHAKE_256S   slh_dsa (SMALL_256, slh_dsa::SHAKE)
            "slh-dsa"         SlhDsaShake256f   SLH_DSA_SHAKE_256F   slh_dsa (FAST_256, slh_dsa::SHAKE)
            "fn-dsa-draft"    FnDsa512          FN_DSA_512           fn_dsa  (FnDsaDraft, 512, ID_FALCON_512)
            "fn-dsa-draft"    FnDsa1024         FN_DSA_1024          fn_dsa  (FnDsaDraft, 1024, ID_FALCON_1024)
            "falcon"          Falcon512         FALCON_512           fn_dsa  (Falcon, 512, ID_FALCON_512)
            "falcon"          Falcon1024        FALCON_1024          fn_dsa  (Falcon, 1024, ID_FALCON_1024)
            "sphincs-plus"    SphincsShake128s  SPHINCS_SHAKE_128S   slh_dsa (SMALL_128, sphincs_plus::FUNCTIONS)
            "sphincs-plus"    SphincsShake128f  SPHINCS_SHAKE_128F   slh_dsa (FAST_128, sphincs_plus::FUNCTIONS)
            "sphincs-plus"    SphincsShake192s  SPHINCS_SHAKE_192S   slh_dsa (SMALL_192, sphincs_plus::FUNCTIONS)
            "sphincs-plus"    SphincsShake192f  SPHINCS_SHAKE_192F   slh_dsa (FAST_192, sphincs_plus::FUNCTIONS)
            "sphincs-plus"    SphincsShake256s  SPHINCS_SHAKE_256S   slh_dsa (SMALL_256, sphincs_plus::FUNCTIONS)
            "sphincs-plus"    SphincsShake256f  SPHINCS_SHAKE_256F   slh_dsa (FAST_256, sphincs_plus::FUNCTIONS)
        }
    };
}
pub(crate) use for_all_sets;

/// Expands to the type of a scheme, its value, or the type of its signatures.
macro_rules! scheme {
    (type ml_dsa ($variant:ident, $k:literal, $l:literal)) => {
        crate::ml_dsa::scheme::MlDsaScheme<$variant, $k, $l>
    };
    ($row:ident ml_dsa $numbers:tt) => {
        <scheme!(type ml_dsa $numbers)>::NEW
    };
    (signature $row:ident ml_dsa) => { [u8; sig::$row.signature] };

    (type slh_dsa $numbers:tt) => { crate::slh_dsa::SlhSet };
    ($row:ident slh_dsa ($params:ident, $functions:path)) => {
        crate::slh_dsa::SlhSet::new(&sig::$row, &crate::slh_dsa::params::$params, &$functions)
    };
    (signature $row:ident slh_dsa) => { alloc::vec::Vec<u8> };

    (type fn_dsa ($variant:ident, $n:literal, $identity:ident)) => {
        crate::fn_dsa::FnDsaScheme<$variant, $n>
    };
    ($row:ident fn_dsa ($variant:ident, $n:literal, $identity:ident)) => {
        crate::fn_dsa::FnDsaScheme::<$variant, $n>::new(&sig::$row, &sig::$identity)
    };
    (signature $row:ident fn_dsa) => { alloc::vec::Vec<u8> };
}

macro_rules! define_sets {
    ($($feature:literal $set:ident $row:ident $family:ident $numbers:tt)*) => { $(
        #[doc = concat!("The parameter set of [`", stringify!($row), "`](sig::", stringify!($row), ").")]
        #[cfg(feature = $feature)]
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
        pub struct $set;

        #[cfg(feature = $feature)]
        impl SignatureSet for $set {
            const INFO: &'static SigInfo = &sig::$row;
        }

        #[cfg(feature = $feature)]
        impl SetParts for $set {
            type Seed = [u8; Self::SCHEME.seed_len()];
            type Coins = [u8; Self::SCHEME.coins_len()];
            type PublicKey = [u8; sig::$row.public_key];
            type SecretKey = [u8; sig::$row.secret_key];
            type Signature = scheme!(signature $row $family);
            type Scheme = scheme!(type $family $numbers);
            const SCHEME: &'static Self::Scheme = &scheme!($row $family $numbers);
        }

        #[cfg(feature = $feature)]
        const _: () = {
            let scheme = $set::SCHEME;
            assert!(scheme.public_key_len() == sig::$row.public_key);
            assert!(scheme.secret_key_len() == sig::$row.secret_key);
            assert!(scheme.signature_len() == sig::$row.signature);
        };
    )* };
}
for_all_sets!(define_sets);

/// Sets with the larger bound, for signatures under the identities of 2022, not in the table above.
#[cfg(feature = "falcon")]
pub(crate) mod appendix {
    #![expect(unreachable_pub, reason = "they are found by their identities")]
    use super::{Falcon, SetParts, SigInfo, SignatureSet, sig};

    define_sets! {
        "falcon" Falcon512Appendix  FALCON_512  fn_dsa (Falcon, 512, ID_FALCON_512_APPENDIX)
        "falcon" Falcon1024Appendix FALCON_1024 fn_dsa (Falcon, 1024, ID_FALCON_1024_APPENDIX)
    }
}
