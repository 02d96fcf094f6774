//! The post-quantum part of the test PKI: for each algorithm a root and an entity below it, with
//! the file names of wolfSSL's appendix "Experimenting with Post-Quantum Cryptography". Keys come
//! from fixed seeds and signatures are deterministic, so that the files are the same each time.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::time::SystemTime;

use anyhow::{Context, Result};
use oaklath_hash::sha3::Shake256;
use oaklath_params::sig::{self, SigIdentity};
use oaklath_pki::x509_cert::der::DateTime;
use oaklath_pki::{Authority, Identity, PrivateKey, Signing, Template};

/// The first part of the file names, and the identity that it stands for.
static CHAINS: &[(&str, &SigIdentity)] = &[
    ("mldsa_level2", &sig::ID_ML_DSA_44),
    ("mldsa_level3", &sig::ID_ML_DSA_65),
    ("mldsa_level5", &sig::ID_ML_DSA_87),
    ("falcon_level1", &sig::ID_FALCON_512_APPENDIX),
    ("falcon_level5", &sig::ID_FALCON_1024_APPENDIX),
    ("dilithium_level2", &sig::ID_DILITHIUM_2),
    ("dilithium_level3", &sig::ID_DILITHIUM_3),
    ("dilithium_level5", &sig::ID_DILITHIUM_5),
    ("dilithium_aes_level2", &sig::ID_DILITHIUM_2_AES),
    ("dilithium_aes_level3", &sig::ID_DILITHIUM_3_AES),
    ("dilithium_aes_level5", &sig::ID_DILITHIUM_5_AES),
    ("sphincs_fast_level1", &sig::ID_SPHINCS_SHAKE_128F),
    ("sphincs_fast_level3", &sig::ID_SPHINCS_SHAKE_192F),
    ("sphincs_fast_level5", &sig::ID_SPHINCS_SHAKE_256F),
    ("sphincs_small_level1", &sig::ID_SPHINCS_SHAKE_128S),
    ("sphincs_small_level3", &sig::ID_SPHINCS_SHAKE_192S),
    ("sphincs_small_level5", &sig::ID_SPHINCS_SHAKE_256S),
    ("slhdsa_sha2_128s", &sig::ID_SLH_DSA_SHA2_128S),
    ("slhdsa_sha2_128f", &sig::ID_SLH_DSA_SHA2_128F),
    ("slhdsa_sha2_192s", &sig::ID_SLH_DSA_SHA2_192S),
    ("slhdsa_sha2_192f", &sig::ID_SLH_DSA_SHA2_192F),
    ("slhdsa_sha2_256s", &sig::ID_SLH_DSA_SHA2_256S),
    ("slhdsa_sha2_256f", &sig::ID_SLH_DSA_SHA2_256F),
    ("slhdsa_shake_128s", &sig::ID_SLH_DSA_SHAKE_128S),
    ("slhdsa_shake_128f", &sig::ID_SLH_DSA_SHAKE_128F),
    ("slhdsa_shake_192s", &sig::ID_SLH_DSA_SHAKE_192S),
    ("slhdsa_shake_192f", &sig::ID_SLH_DSA_SHAKE_192F),
    ("slhdsa_shake_256s", &sig::ID_SLH_DSA_SHAKE_256S),
    ("slhdsa_shake_256f", &sig::ID_SLH_DSA_SHAKE_256F),
];

/// Returns names and contents of all files.
pub(super) fn files() -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for &(prefix, identity) in CHAINS {
        let identity = Identity::by_name(identity.oid.as_str()).context("not in the table")?;
        files.extend(chain(prefix, identity).with_context(|| prefix.to_owned())?);
    }
    Ok(files)
}

/// Returns the four files of an algorithm.
pub(super) fn chain(prefix: &str, identity: Identity) -> Result<[(String, String); 4]> {
    let root_key = key(prefix, identity, "root")?;
    let root = template(identity, "root", 1)?.root(&root_key)?;
    let entity_key = key(prefix, identity, "entity")?;
    let entity = template(identity, "entity", 2)?
        .dns("localhost")?
        .ip(IpAddr::V4(Ipv4Addr::LOCALHOST))
        .ip(IpAddr::V6(Ipv6Addr::LOCALHOST))
        .entity(&entity_key.public_key(), &Authority::new(&root, &root_key)?)?;
    let pem = |key: &PrivateKey| key.to_pem(identity.standard_form()).map(|pem| pem.to_string());
    Ok([
        (format!("{prefix}_root_cert.pem"), root.to_pem()),
        (format!("{prefix}_root_key.pem"), pem(&root_key)?),
        (format!("{prefix}_entity_cert.pem"), entity.to_pem()),
        (format!("{prefix}_entity_key.pem"), pem(&entity_key)?),
    ])
}

/// Derives a key from a public seed, so that anyone can compute it.
fn key(prefix: &str, identity: Identity, role: &str) -> Result<PrivateKey> {
    let scheme = identity.scheme().context("not in this build")?;
    let text = format!("Oaklath test key: {prefix}_{role}");
    let mut seed = vec![0; scheme.seed_len()];
    Shake256::new().chain(text.as_bytes()).finish().read(&mut seed);
    Ok(PrivateKey::from_seed(identity, &seed)?)
}

fn template(identity: Identity, role: &str, serial: u8) -> Result<Template> {
    // A plus sign joins parts of a name: RFC 4514, section 2.4.
    let name = identity.name().replace('+', "\\+");
    let subject = format!("CN={name} test {role},O=Oaklath");
    let template = Template::new(&subject, validity()?)?.serial(&[serial])?;
    Ok(template.signing(Signing::Deterministic))
}

/// Returns the validity of the classical chains.
fn validity() -> Result<RangeInclusive<SystemTime>> {
    let first = |year| DateTime::new(year, 1, 1, 0, 0, 0).map(|time| time.to_system_time());
    Ok(first(super::NOT_BEFORE)?..=first(super::NOT_AFTER)?)
}
