//! `testpki`: writes the test PKI in `certs/` (`cargo xtask certs`).
//!
//! Post-quantum chains are made from fixed seeds, so that they are the same each time; a test
//! compares them with the files. Classical chains are made anew only when asked for, since their
//! keys are random. For each kind of classical key there is one root and, issued by it, one server
//! and one client certificate. All certificates are X.509 version 3 (RFC 5280). The verifier of
//! rustls rejects an end entity without a subject alternative name and a CA as end entity, so the
//! chains are a root and a leaf each. The classical root's private key is dropped: nothing can be
//! added to that PKI, only all of it replaced.

mod post_quantum;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Parser;
use oaklath_pki::Identity;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, DnValue,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
    PKCS_RSA_SHA256, RsaKeySize, SanType, date_time_ymd,
};

/// Writes the test PKI
#[derive(Parser)]
#[command(name = "testpki", bin_name = "cargo xtask certs")]
struct Args {
    /// Folder to write to instead of `certs/`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Make the classical chains anew as well, with new keys
    #[arg(long)]
    classical: bool,
    /// Write one chain of this identity alone: the first part of its file names, and any of its
    /// names
    #[arg(long, num_args = 2, value_names = ["PREFIX", "IDENTITY"], conflicts_with = "classical")]
    chain: Vec<String>,
}

/// Validity of every certificate, from the first day of a year to that of another. It begins well
/// before the first release, so that a machine whose clock is behind still connects.
const NOT_BEFORE: u16 = 2020;
const NOT_AFTER: u16 = 2126;

/// Writes the chains; files that are already there are replaced.
fn main() -> Result<()> {
    let args = Args::parse();
    let out = args.out.unwrap_or_else(folder);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let files = match &args.chain[..] {
        [prefix, identity] => {
            let identity = Identity::by_name(identity).context("no such identity")?;
            post_quantum::chain(prefix, identity)?.into()
        }
        _ => post_quantum::files()?,
    };
    for (name, text) in files {
        write_file(&out.join(name), &text)?;
    }
    if args.classical {
        for kind in [KeyKind::P256, KeyKind::Rsa2048] {
            write_chain(kind, &out)?;
        }
    }
    Ok(())
}

/// Returns the folder `certs/` of this repository.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certs")
}

/// The kinds of keys of the PKI.
#[derive(Clone, Copy)]
enum KeyKind {
    P256,
    Rsa2048,
}

impl KeyKind {
    /// Returns the first part of the file names, in the style of `falcon_level1_root_cert.pem`.
    fn prefix(self) -> &'static str {
        match self {
            Self::P256 => "p256",
            Self::Rsa2048 => "rsa2048",
        }
    }

    /// Returns the name in subjects.
    fn title(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::Rsa2048 => "RSA-2048",
        }
    }

    fn generate(self) -> Result<KeyPair, rcgen::Error> {
        match self {
            Self::P256 => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256),
            Self::Rsa2048 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048),
        }
    }
}

/// The purpose of a certificate of the PKI.
#[derive(Clone, Copy)]
enum Role {
    Root,
    Server,
    Client,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

fn write_chain(kind: KeyKind, out: &Path) -> Result<()> {
    let key = kind.generate()?;
    let params = params(kind, Role::Root)?;
    let root = params.self_signed(&key)?;
    write(out, kind, Role::Root, "cert", &root.pem())?;
    let issuer = Issuer::new(params, key);
    for role in [Role::Server, Role::Client] {
        let (cert, key) = issue(kind, role, &issuer)?;
        write(out, kind, role, "cert", &cert.pem())?;
        write(out, kind, role, "key", &key.serialize_pem())?;
    }
    Ok(())
}

fn issue(
    kind: KeyKind,
    role: Role,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<(Certificate, KeyPair)> {
    let key = kind.generate()?;
    let cert = params(kind, role)?.signed_by(&key, issuer)?;
    Ok((cert, key))
}

/// Returns the profile of one certificate: RFC 5280, section 4.2.
fn params(kind: KeyKind, role: Role) -> Result<CertificateParams> {
    let mut p = CertificateParams::default();
    p.distinguished_name = subject(kind, role);
    // The library writes dates from 2050 on as GeneralizedTime (RFC 5280, section 4.1.2.5).
    p.not_before = date_time_ymd(NOT_BEFORE.into(), 1, 1);
    p.not_after = date_time_ymd(NOT_AFTER.into(), 1, 1);
    p.use_authority_key_identifier_extension = !matches!(role, Role::Root);
    match role {
        Role::Root => {
            p.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            p.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        }
        Role::Server | Role::Client => {
            p.is_ca = IsCa::ExplicitNoCa;
            p.key_usages = vec![KeyUsagePurpose::DigitalSignature];
            p.extended_key_usages = vec![match role {
                Role::Client => ExtendedKeyUsagePurpose::ClientAuth,
                _ => ExtendedKeyUsagePurpose::ServerAuth,
            }];
            p.subject_alt_names = vec![
                SanType::DnsName("localhost".try_into()?),
                SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            ];
        }
    }
    Ok(p)
}

fn subject(kind: KeyKind, role: Role) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    let common = format!("{} test {}", kind.title(), role.name());
    name.push(DnType::OrganizationName, DnValue::Utf8String("Oaklath".to_owned()));
    name.push(DnType::CommonName, DnValue::Utf8String(common));
    name
}

fn write(out: &Path, kind: KeyKind, role: Role, what: &str, pem: &str) -> Result<()> {
    let path = out.join(format!("{}_{}_{what}.pem", kind.prefix(), role.name()));
    // The encoder ends lines as the platform does; the repository holds LF.
    write_file(&path, &pem.replace("\r\n", "\n"))
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs::{read_dir, read_to_string};

    use super::*;

    /// `cargo xtask certs` changes nothing, and the folder has no other files.
    #[test]
    fn the_repository_has_what_this_program_writes() {
        let files = post_quantum::files().unwrap();
        for (name, text) in &files {
            let found = read_to_string(folder().join(name)).unwrap_or_default();
            assert!(found == *text, "{name}: run `cargo xtask certs`");
        }
        let expected: BTreeSet<_> = files.into_iter().map(|(name, _)| name).collect();
        let entries = read_dir(folder()).unwrap();
        let found = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let classical = |name: &String| name.starts_with("p256_") || name.starts_with("rsa2048_");
        let found: BTreeSet<_> =
            found.filter(|name| name.ends_with(".pem") && !classical(name)).collect();
        assert_eq!(found, expected);
    }
}
