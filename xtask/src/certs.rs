//! `cargo xtask certs`: writes the test PKI in `certs/` anew.
//!
//! For each kind of key one root and, issued by it, one server and one client certificate, all
//! X.509 version 3 (RFC 5280). The verifier of rustls refuses an end entity without a subject
//! alternative name and a CA as end entity, so the chains are a root and a leaf each. The root's
//! private key is dropped: nothing can be added to the PKI, only all of it replaced.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, DnValue,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
    PKCS_RSA_SHA256, RsaKeySize, SanType, date_time_ymd,
};

/// Arguments of `cargo xtask certs`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder to write to instead of `certs/`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes every chain; files that are already there are replaced.
pub(crate) fn run(args: Args) -> Result<()> {
    let out =
        args.out.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("certs"));
    std::fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    for kind in [KeyKind::P256, KeyKind::Rsa2048] {
        write_chain(kind, &out)?;
    }
    Ok(())
}

/// The kinds of keys of the PKI.
#[derive(Clone, Copy)]
enum KeyKind {
    P256,
    Rsa2048,
}

impl KeyKind {
    /// First part of the file names, after the manner of `falcon_level1_root_cert.pem`.
    fn prefix(self) -> &'static str {
        match self {
            Self::P256 => "p256",
            Self::Rsa2048 => "rsa2048",
        }
    }

    /// Name in subjects.
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

/// What a certificate of the PKI is for.
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

/// The profile of one certificate: RFC 5280, section 4.2.
fn params(kind: KeyKind, role: Role) -> Result<CertificateParams> {
    let mut p = CertificateParams::default();
    p.distinguished_name = subject(kind, role);
    // From well before the first release, so that a machine whose clock is behind still connects.
    // A date from 2050 on is a GeneralizedTime (RFC 5280, section 4.1.2.5); the library sees to it.
    p.not_before = date_time_ymd(2020, 1, 1);
    p.not_after = date_time_ymd(2126, 1, 1);
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
    std::fs::write(&path, pem.replace("\r\n", "\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
