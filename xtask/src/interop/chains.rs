//! The chains with which sides authenticate: those of `certs/`, and some that are made for this
//! purpose.

use std::path::PathBuf;

use anyhow::Result;
use oaklath_params::sig::{self, SigIdentity};

use super::peer::{Files, Role, Site};
use crate::{
    built,
    shell::{command, run},
};

/// A root and an entity below it for each role.
#[derive(Debug)]
pub(super) struct Chain {
    /// The algorithm's name in tables.
    pub(super) name: &'static str,
    /// The first part of the files' names.
    prefix: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// One entity for each role, with the algorithm's name in subjects.
    Classical(&'static str),
    /// One entity for both roles.
    PostQuantum(&'static SigIdentity),
    /// One entity for both roles, made in the target folder: nothing else needs it.
    Made(&'static SigIdentity),
    /// Each role's own, as in the two command lines of the appendix.
    Mixed { server: &'static Chain, client: &'static Chain },
}

macro_rules! chains {
    ($($id:ident $prefix:literal $name:literal $kind:expr;)*) => {
        $(pub(super) static $id: Chain = Chain { name: $name, prefix: $prefix, kind: $kind };)*
    };
}

use Kind::{Classical, Made, Mixed, PostQuantum};

chains! {
    P256               "p256"                  "ECDSA P-256"                 Classical("P-256");
    RSA2048            "rsa2048"               "RSA 2048"                    Classical("RSA-2048");
    ML_DSA_44          "mldsa_level2"          "ML-DSA-44"                   PostQuantum(&sig::ID_ML_DSA_44);
    ML_DSA_65          "mldsa_level3"          "ML-DSA-65"                   PostQuantum(&sig::ID_ML_DSA_65);
    ML_DSA_87          "mldsa_level5"          "ML-DSA-87"                   PostQuantum(&sig::ID_ML_DSA_87);
    ML_DSA_44_87       ""                      "ML-DSA-44 (server) and ML-DSA-87 (client)" Mixed { server: &ML_DSA_44, client: &ML_DSA_87 };
    FALCON_512         "falcon512_current"     "Falcon-512"                  Made(&sig::ID_FALCON_512);
    FALCON_1024        "falcon1024_current"    "Falcon-1024"                 Made(&sig::ID_FALCON_1024);
    FALCON_512_OLD     "falcon_level1"         "Falcon-512 of the appendix"  PostQuantum(&sig::ID_FALCON_512_APPENDIX);
    FALCON_1024_OLD    "falcon_level5"         "Falcon-1024 of the appendix" PostQuantum(&sig::ID_FALCON_1024_APPENDIX);
    FALCON_MIXED_OLD   ""                      "Falcon-512 (server) and Falcon-1024 (client) of the appendix" Mixed { server: &FALCON_512_OLD, client: &FALCON_1024_OLD };
    DILITHIUM_2        "dilithium_level2"      "Dilithium2"                  PostQuantum(&sig::ID_DILITHIUM_2);
    DILITHIUM_3        "dilithium_level3"      "Dilithium3"                  PostQuantum(&sig::ID_DILITHIUM_3);
    DILITHIUM_5        "dilithium_level5"      "Dilithium5"                  PostQuantum(&sig::ID_DILITHIUM_5);
    DILITHIUM_2_AES    "dilithium_aes_level2"  "Dilithium2-AES"              PostQuantum(&sig::ID_DILITHIUM_2_AES);
    DILITHIUM_3_AES    "dilithium_aes_level3"  "Dilithium3-AES"              PostQuantum(&sig::ID_DILITHIUM_3_AES);
    DILITHIUM_5_AES    "dilithium_aes_level5"  "Dilithium5-AES"              PostQuantum(&sig::ID_DILITHIUM_5_AES);
    SPHINCS_128S       "sphincs_small_level1"  "SPHINCS+-SHAKE256-128s"      PostQuantum(&sig::ID_SPHINCS_SHAKE_128S);
    SPHINCS_128F       "sphincs_fast_level1"   "SPHINCS+-SHAKE256-128f"      PostQuantum(&sig::ID_SPHINCS_SHAKE_128F);
    SPHINCS_192S       "sphincs_small_level3"  "SPHINCS+-SHAKE256-192s"      PostQuantum(&sig::ID_SPHINCS_SHAKE_192S);
    SPHINCS_192F       "sphincs_fast_level3"   "SPHINCS+-SHAKE256-192f"      PostQuantum(&sig::ID_SPHINCS_SHAKE_192F);
    SPHINCS_256S       "sphincs_small_level5"  "SPHINCS+-SHAKE256-256s"      PostQuantum(&sig::ID_SPHINCS_SHAKE_256S);
    SPHINCS_256F       "sphincs_fast_level5"   "SPHINCS+-SHAKE256-256f"      PostQuantum(&sig::ID_SPHINCS_SHAKE_256F);
    SPHINCS_192F_SERVER ""                     "SPHINCS+-SHAKE256-192f (ours 192s)" Mixed { server: &SPHINCS_192F, client: &SPHINCS_192S };
    SPHINCS_192F_CLIENT ""                     "SPHINCS+-SHAKE256-192f (ours 192s)" Mixed { server: &SPHINCS_192S, client: &SPHINCS_192F };
    SPHINCS_256F_SERVER ""                     "SPHINCS+-SHAKE256-256f (ours 256s)" Mixed { server: &SPHINCS_256F, client: &SPHINCS_256S };
    SPHINCS_256F_CLIENT ""                     "SPHINCS+-SHAKE256-256f (ours 256s)" Mixed { server: &SPHINCS_256S, client: &SPHINCS_256F };
    SLH_DSA_SHA2_128S  "slhdsa_sha2_128s"      "SLH-DSA-SHA2-128s"           PostQuantum(&sig::ID_SLH_DSA_SHA2_128S);
    SLH_DSA_SHA2_128F  "slhdsa_sha2_128f"      "SLH-DSA-SHA2-128f"           PostQuantum(&sig::ID_SLH_DSA_SHA2_128F);
    SLH_DSA_SHA2_192S  "slhdsa_sha2_192s"      "SLH-DSA-SHA2-192s"           PostQuantum(&sig::ID_SLH_DSA_SHA2_192S);
    SLH_DSA_SHA2_192F  "slhdsa_sha2_192f"      "SLH-DSA-SHA2-192f"           PostQuantum(&sig::ID_SLH_DSA_SHA2_192F);
    SLH_DSA_SHA2_256S  "slhdsa_sha2_256s"      "SLH-DSA-SHA2-256s"           PostQuantum(&sig::ID_SLH_DSA_SHA2_256S);
    SLH_DSA_SHA2_256F  "slhdsa_sha2_256f"      "SLH-DSA-SHA2-256f"           PostQuantum(&sig::ID_SLH_DSA_SHA2_256F);
    SLH_DSA_SHAKE_128S "slhdsa_shake_128s"     "SLH-DSA-SHAKE-128s"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_128S);
    SLH_DSA_SHAKE_128F "slhdsa_shake_128f"     "SLH-DSA-SHAKE-128f"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_128F);
    SLH_DSA_SHAKE_192S "slhdsa_shake_192s"     "SLH-DSA-SHAKE-192s"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_192S);
    SLH_DSA_SHAKE_192F "slhdsa_shake_192f"     "SLH-DSA-SHAKE-192f"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_192F);
    SLH_DSA_SHAKE_256S "slhdsa_shake_256s"     "SLH-DSA-SHAKE-256s"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_256S);
    SLH_DSA_SHAKE_256F "slhdsa_shake_256f"     "SLH-DSA-SHAKE-256f"          PostQuantum(&sig::ID_SLH_DSA_SHAKE_256F);
}

/// The chains that every peer supports.
pub(super) static CLASSICAL: &[&Chain] = &[&P256, &RSA2048];

/// The three sets of FIPS 204.
pub(super) static ML_DSA: &[&Chain] = &[&ML_DSA_44, &ML_DSA_65, &ML_DSA_87];

/// The twelve sets of FIPS 205.
pub(super) static SLH_DSA: &[&Chain] = &[
    &SLH_DSA_SHA2_128S,
    &SLH_DSA_SHA2_128F,
    &SLH_DSA_SHA2_192S,
    &SLH_DSA_SHA2_192F,
    &SLH_DSA_SHA2_256S,
    &SLH_DSA_SHA2_256F,
    &SLH_DSA_SHAKE_128S,
    &SLH_DSA_SHAKE_128F,
    &SLH_DSA_SHAKE_192S,
    &SLH_DSA_SHAKE_192F,
    &SLH_DSA_SHAKE_256S,
    &SLH_DSA_SHAKE_256F,
];

/// The chains of the appendix: the sets of Falcon, Dilithium and SPHINCS+ of 2022, under its
/// numbers, with which a connection takes well under a second.
pub(super) static APPENDIX: &[&Chain] = &[
    &FALCON_512_OLD,
    &FALCON_1024_OLD,
    &DILITHIUM_2,
    &DILITHIUM_3,
    &DILITHIUM_5,
    &DILITHIUM_2_AES,
    &DILITHIUM_3_AES,
    &DILITHIUM_5_AES,
    &SPHINCS_128F,
];

/// The sets of SPHINCS+ whose signatures take seconds.
pub(super) static APPENDIX_SLOW: &[&Chain] = &[&SPHINCS_128S, &SPHINCS_192S, &SPHINCS_256S];

impl Chain {
    /// Returns the files of the side with this role.
    pub(super) fn files(&self, site: &Site, role: Role) -> Files {
        let entity = self.of(role).entity(role);
        Files {
            root: self.of(role.other()).file(site, "root_cert"),
            cert: self.of(role).file(site, &format!("{entity}_cert")),
            key: self.of(role).file(site, &format!("{entity}_key")),
        }
    }

    fn file(&self, site: &Site, what: &str) -> PathBuf {
        let folder = if matches!(self.kind, Made(_)) { &site.folder } else { &site.certs };
        folder.join(format!("{}_{what}.pem", self.prefix))
    }

    /// Returns the chain of the side with this role.
    fn of(&self, role: Role) -> &Self {
        match (&self.kind, role) {
            (Mixed { server, .. }, Role::Server) => server,
            (Mixed { client, .. }, Role::Client) => client,
            _ => self,
        }
    }

    /// Returns the subject of that certificate, as RFC 4514 writes it.
    pub(super) fn subject(&self, role: Role) -> String {
        let chain = self.of(role);
        let algorithm = chain.algorithm().replace('+', r"\+");
        format!("CN={algorithm} test {},O=Oaklath", chain.entity(role))
    }

    /// Returns the algorithm's name in subjects and for `oaklath tls-bench --certificates`.
    pub(super) fn algorithm(&self) -> &'static str {
        match self.kind {
            Classical(name) => name,
            PostQuantum(identity) | Made(identity) => identity.algorithm.name,
            Mixed { .. } => self.name,
        }
    }

    fn entity(&self, role: Role) -> &'static str {
        match self.kind {
            Classical(_) => role.name(),
            PostQuantum(_) | Made(_) | Mixed { .. } => "entity",
        }
    }
}

/// Writes the chains that are not in `certs/`.
pub(super) fn make(site: &Site) -> Result<()> {
    let testpki = built::program("testpki")?;
    for chain in [&FALCON_512, &FALCON_1024] {
        if let Made(identity) = chain.kind {
            let mut testpki = command(&testpki, "--chain");
            testpki.args([chain.prefix, identity.oid.as_str(), "--out"]).arg(&site.folder);
            run(&mut testpki)?;
        }
    }
    Ok(())
}
