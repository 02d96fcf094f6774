//! Keys in files: PKCS#8 and SPKI, as PEM or DER, and the keys in certificates.

use std::path::Path;

use anyhow::{Context, Error, Result, anyhow};
use getrandom::SysRng;
use getrandom::rand_core::TryRng;
use oaklath_pki::{
    Certificate, CertificateError, Form, Identity, KeyError, PrivateKey, Profile, PublicKey,
    Request, decode_pem,
};
use zeroize::Zeroizing;

use crate::failure::{unknown_name, usage, with_hint};
use crate::files;

/// Returns the text of a PEM file, if the bytes are one.
pub(crate) fn pem(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.contains("-----BEGIN "))
}

/// Parses the bytes of a file, which are PEM or DER.
pub(crate) fn parse<T, E: Into<CertificateError>>(
    path: &Path,
    bytes: &[u8],
    from_pem: impl FnOnce(&str) -> Result<T, E>,
    from_der: impl FnOnce(&[u8]) -> Result<T, E>,
) -> Result<T> {
    let parsed = pem(bytes).map_or_else(|| from_der(bytes), from_pem);
    parsed.map_err(|error| explained(path, error))
}

/// Reads the private key of a file.
pub(crate) fn private(path: &Path) -> Result<PrivateKey> {
    parse_private(path, &files::read_bytes(path)?)
}

/// Parses the private key in the bytes of a file.
pub(crate) fn parse_private(path: &Path, bytes: &[u8]) -> Result<PrivateKey> {
    parse(path, bytes, PrivateKey::from_pem, PrivateKey::from_der)
}

/// A key as the algorithm's specification encodes it.
pub(crate) type KeyBytes = Zeroizing<Vec<u8>>;

/// Returns the identity and the bytes of the private key in the bytes of a file.
pub(crate) fn private_bytes(path: &Path, bytes: &[u8]) -> Result<(Identity, KeyBytes)> {
    let key = parse_private(path, bytes)?;
    Ok((key.identity(), key.as_bytes().to_vec().into()))
}

/// Returns the identity and the bytes of the public key in the bytes of a file.
pub(crate) fn public_bytes(path: &Path, bytes: &[u8]) -> Result<(Identity, KeyBytes)> {
    let key = parse_public(path, bytes)?;
    Ok((key.identity(), key.as_bytes().to_vec().into()))
}

/// Parses the public key in the bytes of a file: SPKI, a certificate or a request.
pub(crate) fn parse_public(path: &Path, bytes: &[u8]) -> Result<PublicKey> {
    parse(path, bytes, public_of_pem, |der| {
        // The three structures cannot be mistaken for one another.
        Ok(match (Certificate::from_der(der), Request::from_der(der)) {
            (Ok(certificate), _) => certificate.public_key()?,
            (_, Ok(request)) => request.public_key()?,
            _ => PublicKey::from_der(der)?,
        })
    })
}

/// Reads all certificates of a file, which must have at least one.
pub(crate) fn certificates(path: &Path) -> Result<Vec<Certificate>> {
    let one = |der: &[u8]| Certificate::from_der(der).map(|certificate| vec![certificate]);
    parse(path, &files::read_bytes(path)?, Certificate::all_from_pem, one)
}

/// Returns the key of the first block that has one.
fn public_of_pem(text: &str) -> Result<PublicKey, CertificateError> {
    for block in decode_pem(text).map_err(CertificateError::from)? {
        match &*block.label {
            "CERTIFICATE" => return Ok(Certificate::from_der(&block.bytes)?.public_key()?),
            "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => {
                return Ok(Request::from_der(&block.bytes)?.public_key()?);
            }
            "PUBLIC KEY" => break,
            _ => {}
        }
    }
    Ok(PublicKey::from_pem(text)?)
}

/// Adds the file and advice to the error of a key or a certificate.
pub(crate) fn explained(path: &Path, error: impl Into<CertificateError>) -> Error {
    let error = error.into();
    let hint = match &error {
        CertificateError::Key(KeyError::Encrypted) => {
            Some("`openssl pkcs8 -in FILE -out PLAIN` takes the password off")
        }
        CertificateError::Key(KeyError::UnsupportedAlgorithm { .. }) => Some(LISTS),
        _ => None,
    };
    // The text includes the causes of the error.
    let error = anyhow!("{}: {error}", files::name(path));
    match hint {
        Some(hint) => with_hint(error, hint),
        None => error,
    }
}

/// Returns the identity with a name from the command line, for PKCS#8 keys.
pub(crate) fn identity(name: &str) -> Result<Identity> {
    let Some(identity) = Identity::by_name(name) else { return Err(unknown(name)) };
    if identity.is_built() { Ok(identity) } else { Err(not_built(identity.name())) }
}

/// Returns an identity with the object identifier of the requested profile.
pub(crate) fn in_profile(identity: Identity, profile: Option<Profile>) -> Result<Identity> {
    let asked = profile.map(|profile| identity.in_profile(profile));
    asked.unwrap_or(Ok(identity)).map_err(|error| usage(anyhow!("{error}")))
}

/// Returns the error that no algorithm has this name, or that it has no object identifier.
pub(crate) fn unknown(name: &str) -> Error {
    let raw = |name, hint| {
        let error = anyhow!("{name} has no object identifier, which PKCS#8 and SPKI need");
        usage(with_hint(error, hint))
    };
    match (oaklath_kem::by_name(name), oaklath_sig::by_name(name)) {
        (Ok(kem), _) => raw(kem.info().name, "its keys are raw: leave `--form` out"),
        (_, Ok(scheme)) => raw(scheme.info().name, "its keys are raw: add `--raw`"),
        (Err(kem), Err(sig)) => {
            let known = sig.known.map(|info| info.name).or(kem.known.map(|info| info.name));
            let near = sig.suggestion.or(kem.suggestion);
            known.map_or_else(|| unknown_name("algorithm", name, near, LISTS), not_built)
        }
    }
}

fn not_built(name: &str) -> Error {
    usage(with_hint(anyhow!("{name} is not in this build"), LISTS))
}

const LISTS: &str =
    "`oaklath list kems` and `oaklath list signatures` print the names and what is built";

/// Parses a form of private keys.
pub(crate) fn form(text: &str) -> Result<Form, String> {
    Form::by_name(text).ok_or_else(|| {
        let names: Vec<_> = Form::ALL.iter().map(|form| form.as_str()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Parses a profile of object identifiers.
pub(crate) fn profile(text: &str) -> Result<Profile, String> {
    Profile::by_name(text).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::as_str);
        format!("expected one of {}", names.join(", "))
    })
}

/// Returns bytes from the operating system's random generator.
pub(crate) fn draw(len: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; len]);
    SysRng.try_fill_bytes(&mut bytes).context("no randomness")?;
    Ok(bytes)
}
