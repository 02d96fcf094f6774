//! The chains that sides authenticate with: those of `certs/`, and some that are made for the
//! purpose.

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
    /// The algorithm, as tables call it.
    pub(super) name: &'static str,
    /// First part of the files' names.
    prefix: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// An entity for each role; the algorithm as subjects call it.
    Classical(&'static str),
    /// One entity for both roles.
    PostQuantum(&'static SigIdentity),
    /// The same, made in the target folder: nothing else needs it.
    Made(&'static SigIdentity),
}

macro_rules! chains {
    ($($id:ident $prefix:literal $name:literal $kind:expr;)*) => {
        $(pub(super) static $id: Chain = Chain { name: $name, prefix: $prefix, kind: $kind };)*
    };
}

use Kind::{Classical, Made, PostQuantum};

chains! {
    P256               "p256"               "ECDSA P-256"                    Classical("P-256");
    RSA2048            "rsa2048"            "RSA 2048"                       Classical("RSA-2048");
    ML_DSA_44          "mldsa_level2"       "ML-DSA-44"                      PostQuantum(&sig::ID_ML_DSA_44);
    ML_DSA_65          "mldsa_level3"       "ML-DSA-65"                      PostQuantum(&sig::ID_ML_DSA_65);
    ML_DSA_87          "mldsa_level5"       "ML-DSA-87"                      PostQuantum(&sig::ID_ML_DSA_87);
    FALCON_512         "falcon512_current"  "Falcon-512"                     Made(&sig::ID_FALCON_512);
    FALCON_1024        "falcon1024_current" "Falcon-1024"                    Made(&sig::ID_FALCON_1024);
    FALCON_512_OLD     "falcon_level1"      "Falcon-512 of the appendix"     PostQuantum(&sig::ID_FALCON_512_APPENDIX);
    SLH_DSA_SHA2_128S  "slhdsa_sha2_128s"   "SLH-DSA-SHA2-128s"              PostQuantum(&sig::ID_SLH_DSA_SHA2_128S);
    SLH_DSA_SHA2_128F  "slhdsa_sha2_128f"   "SLH-DSA-SHA2-128f"              PostQuantum(&sig::ID_SLH_DSA_SHA2_128F);
    SLH_DSA_SHA2_192S  "slhdsa_sha2_192s"   "SLH-DSA-SHA2-192s"              PostQuantum(&sig::ID_SLH_DSA_SHA2_192S);
    SLH_DSA_SHA2_192F  "slhdsa_sha2_192f"   "SLH-DSA-SHA2-192f"              PostQuantum(&sig::ID_SLH_DSA_SHA2_192F);
    SLH_DSA_SHA2_256S  "slhdsa_sha2_256s"   "SLH-DSA-SHA2-256s"              PostQuantum(&sig::ID_SLH_DSA_SHA2_256S);
    SLH_DSA_SHA2_256F  "slhdsa_sha2_256f"   "SLH-DSA-SHA2-256f"              PostQuantum(&sig::ID_SLH_DSA_SHA2_256F);
    SLH_DSA_SHAKE_128S "slhdsa_shake_128s"  "SLH-DSA-SHAKE-128s"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_128S);
    SLH_DSA_SHAKE_128F "slhdsa_shake_128f"  "SLH-DSA-SHAKE-128f"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_128F);
    SLH_DSA_SHAKE_192S "slhdsa_shake_192s"  "SLH-DSA-SHAKE-192s"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_192S);
    SLH_DSA_SHAKE_192F "slhdsa_shake_192f"  "SLH-DSA-SHAKE-192f"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_192F);
    SLH_DSA_SHAKE_256S "slhdsa_shake_256s"  "SLH-DSA-SHAKE-256s"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_256S);
    SLH_DSA_SHAKE_256F "slhdsa_shake_256f"  "SLH-DSA-SHAKE-256f"             PostQuantum(&sig::ID_SLH_DSA_SHAKE_256F);
}

/// What every peer knows.
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

impl Chain {
    /// The files of who has this role.
    pub(super) fn files(&self, site: &Site, role: Role) -> Files {
        let folder = match self.kind {
            Made(_) => &site.folder,
            Classical(_) | PostQuantum(_) => &site.certs,
        };
        let file = |what: &str| folder.join(format!("{}_{what}.pem", self.prefix));
        let entity = self.entity(role);
        Files {
            root: file("root_cert"),
            cert: file(&format!("{entity}_cert")),
            key: file(&format!("{entity}_key")),
        }
    }

    /// The subject of that certificate, as RFC 4514 writes it.
    pub(super) fn subject(&self, role: Role) -> String {
        format!("CN={} test {},O=Oaklath", self.algorithm(), self.entity(role))
    }

    /// The algorithm, as subjects and `oaklath tls-bench --certificates` call it.
    pub(super) fn algorithm(&self) -> &'static str {
        match self.kind {
            Classical(name) => name,
            PostQuantum(identity) | Made(identity) => identity.algorithm.name,
        }
    }

    fn entity(&self, role: Role) -> &'static str {
        match self.kind {
            Classical(_) => role.name(),
            PostQuantum(_) | Made(_) => "entity",
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
