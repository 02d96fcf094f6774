//! `oaklath cert root`, `intermediate`, `issue`, `csr`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow};
use oaklath_pki::{
    Authority, Certificate, CertificateError, Form, Identity, PrivateKey, Profile, PublicKey,
    Request, Signing, Template,
};
use oaklath_tls::check_chain;
use rustls::pki_types::CertificateDer;
use zeroize::Zeroizing;

use super::shared::{Out, refused, time};
use crate::failure::{too_long, usage, with_hint};
use crate::files::{self, Output};
use crate::hbs::{StatefulIssuer, StoreArgs, secret_file};
use crate::keygen::{form_for, generate};
use crate::{keys, progress};

/// Arguments of `oaklath cert root`.
#[derive(Debug, clap::Args)]
pub(crate) struct Root {
    /// Name of the root: CN=Root,O=Example
    #[arg(long, value_name = "NAME")]
    subject: String,
    /// Its private key (PEM or DER), or `hbs:FILE` for a secret key of
    /// `oaklath hbs keygen`
    #[arg(long, value_name = "FILE", required_unless_present = "new_key")]
    key: Option<PathBuf>,
    #[command(flatten)]
    new_key: NewKey,
    /// How many authorities may follow below it
    #[arg(long, value_name = "N")]
    path_len: Option<u8>,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    out: Out,
    // Must be last: the heading applies to all options that follow.
    #[command(flatten, next_help_heading = "Store of an `hbs:` key")]
    store: StoreArgs,
}

/// Arguments of `oaklath cert intermediate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Intermediate {
    #[command(flatten)]
    bearer: Bearer,
    /// How many authorities may follow below it
    #[arg(long, value_name = "N")]
    path_len: Option<u8>,
    #[command(flatten)]
    issuer: Issuer,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    out: Out,
    #[command(flatten, next_help_heading = "Store of an `hbs:` key")]
    store: StoreArgs,
}

/// Arguments of `oaklath cert issue`.
#[derive(Debug, clap::Args)]
pub(crate) struct Issue {
    #[command(flatten)]
    bearer: Bearer,
    /// A DNS name or an IP address that it is for, beside those of the request;
    /// may be repeated
    #[arg(long, value_name = "NAME")]
    san: Vec<String>,
    #[command(flatten)]
    issuer: Issuer,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    out: Out,
    #[command(flatten, next_help_heading = "Store of an `hbs:` key")]
    store: StoreArgs,
}

/// Arguments of `oaklath cert csr`.
#[derive(Debug, clap::Args)]
pub(crate) struct Csr {
    /// Name of the applicant: CN=door.example,O=Example
    #[arg(long, value_name = "NAME")]
    subject: String,
    /// A DNS name or an IP address; may be repeated
    #[arg(long, value_name = "NAME")]
    san: Vec<String>,
    /// The private key (PEM or DER)
    #[arg(long, value_name = "FILE", required_unless_present = "new_key")]
    key: Option<PathBuf>,
    #[command(flatten)]
    new_key: NewKey,
    /// Sign without randomness: the same request each time
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    out: Out,
}

/// The subject of a certificate and its key.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct Bearer {
    /// Name of the bearer: CN=door.example,O=Example
    #[arg(long, value_name = "NAME", required_unless_present = "csr")]
    subject: Option<String>,
    /// The bearer's key, private or public (PEM or DER)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["new_key", "csr"])]
    key: Option<PathBuf>,
    /// A request, which has subject, names and key
    #[arg(long, value_name = "FILE", conflicts_with_all = ["subject", "key", "new_key"])]
    csr: Option<PathBuf>,
    #[command(flatten)]
    new_key: NewKey,
}

/// A key that is newly generated, and the object identifier of a key.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct NewKey {
    /// Make a new key of this algorithm
    #[arg(long, value_name = "ALGORITHM", conflicts_with = "key", requires = "key_out")]
    new_key: Option<String>,
    /// Where the new private key goes
    #[arg(long, value_name = "FILE", requires = "new_key")]
    key_out: Option<PathBuf>,
    /// Form of the new private key: seed, expanded, both, oqs, bare, bare-seed,
    /// parts
    #[arg(long, value_name = "FORM", value_parser = keys::form, requires = "new_key")]
    form: Option<Form>,
    /// Put the key under the object identifier of: current, appendix; of an
    /// algorithm that has several [default: current, or the key's own]
    #[arg(long, value_name = "PROFILE", value_parser = keys::profile)]
    oid_profile: Option<Profile>,
}

impl NewKey {
    fn identity(&self, identity: Identity) -> Result<Identity> {
        keys::in_profile(identity, self.oid_profile)
    }

    fn public(&self, key: PublicKey) -> Result<PublicKey> {
        let identity = self.identity(key.identity())?;
        Ok(key.with_identity(identity)?)
    }
}

/// The issuer that signs.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct Issuer {
    /// The issuer's certificate
    #[arg(long, value_name = "FILE")]
    issuer: PathBuf,
    /// The issuer's private key, or `hbs:FILE` for a secret key of
    /// `oaklath hbs keygen`
    #[arg(long, value_name = "FILE")]
    issuer_key: PathBuf,
}

/// The other fields of every certificate, besides names and key.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct Terms {
    /// Valid for this many days
    #[arg(long, value_name = "N", default_value_t = 365,
        value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    /// Valid until this time, instead of --days
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "days")]
    not_after: Option<SystemTime>,
    /// Valid from this time: 2030-12-31T23:59:59Z or a date [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    not_before: Option<SystemTime>,
    /// Serial number in hexadecimal [default: random]
    #[arg(long, value_name = "HEX", value_parser = serial)]
    serial: Option<Serial>,
    /// Sign without randomness; with --serial, --not-before and --key, the
    /// certificate is the same each time, unless an `hbs:` key signs it, which
    /// takes another one-time key
    #[arg(long)]
    deterministic: bool,
}

#[derive(Clone, Debug)]
struct Serial(Vec<u8>);

fn serial(text: &str) -> Result<Serial, String> {
    let digits = text.replace(':', "");
    let even = if digits.len().is_multiple_of(2) { digits } else { format!("0{digits}") };
    base16ct::mixed::decode_vec(even)
        .map(Serial)
        .map_err(|_| "expected hexadecimal digits".to_owned())
}

/// The label of the progress display: signing takes the longest.
const SIGNING: &str = "signing";

/// Issues a root.
pub(super) fn root(args: &Root) -> Result<()> {
    let template = limited(args.terms.template(&args.subject)?, args.path_len);
    let (key, new) = match args.key.as_deref().and_then(secret_file) {
        Some(_) if args.new_key.oid_profile.is_some() => {
            let error = anyhow!("an `hbs:` key has one object identifier");
            return Err(usage(with_hint(error, "leave `--oid-profile` out")));
        }
        Some(path) => (IssuerKey::Stateful(StatefulIssuer::open(path, &args.store)?), None),
        None => {
            let (key, new) = obtain(args.key.as_deref(), &args.new_key, &args.out)?;
            (IssuerKey::Plain(key), new)
        }
    };
    let out = args.out.create(false)?;
    let root = progress::during(SIGNING, || template.root(key.as_issuer()));
    let root = root.map_err(|error| key.explained(error))?;
    keep(new)?;
    out.write(&args.out.encoded(root.as_der(), root.to_pem()))
}

/// Issues the certificate of an authority.
pub(super) fn intermediate(args: &Intermediate) -> Result<()> {
    let mut subject = args.bearer.load(&args.terms, &args.out)?;
    subject.template = limited(subject.template, args.path_len);
    args.issuer.sign(&args.store, &args.out, subject, |template, key, issuer| {
        template.intermediate(key, issuer)
    })
}

/// Issues the certificate of an entity.
pub(super) fn issue(args: &Issue) -> Result<()> {
    let mut subject = args.bearer.load(&args.terms, &args.out)?;
    for name in &args.san {
        let name = san(name);
        subject.template = match name.parse::<IpAddr>() {
            Ok(address) => subject.template.ip(address),
            Err(_) => subject.template.dns(name).map_err(refused)?,
        };
    }
    args.issuer
        .sign(&args.store, &args.out, subject, |template, key, issuer| template.entity(key, issuer))
}

/// Creates a request.
pub(super) fn csr(args: &Csr) -> Result<()> {
    let names: Vec<_> = args.san.iter().map(|name| san(name)).collect();
    let (key, new) = obtain(args.key.as_deref(), &args.new_key, &args.out)?;
    let out = args.out.create(false)?;
    let signing = signing(args.deterministic);
    let request = progress::during(SIGNING, || Request::new(&key, &args.subject, &names, signing));
    let request = request.map_err(refused)?;
    keep(new)?;
    out.write(&args.out.encoded(request.as_der(), request.to_pem()))
}

fn limited(template: Template, path_len: Option<u8>) -> Template {
    path_len.into_iter().fold(template, Template::path_len)
}

/// Strips OpenSSL's prefixes from a name: `DNS:door.example`, `IP:127.0.0.1`.
fn san(name: &str) -> &str {
    ["DNS:", "IP:"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

fn signing(deterministic: bool) -> Signing {
    if deterministic { Signing::Deterministic } else { Signing::Hedged }
}

/// The file of a new private key, and its text.
type NewKeyFile<'a> = (Output<'a>, Zeroizing<String>);

/// Reads the key of `file`, or generates a new one, which is still to be written.
fn obtain<'a>(
    file: Option<&Path>,
    new_key: &'a NewKey,
    out: &Out,
) -> Result<(PrivateKey, Option<NewKeyFile<'a>>)> {
    if let Some(path) = file {
        let key = keys::private(path)?;
        let identity = new_key.identity(key.identity())?;
        return Ok((key.with_identity(identity)?, None));
    }
    let (Some(name), Some(path)) = (&new_key.new_key, &new_key.key_out) else {
        return Err(usage(anyhow!("neither a key nor `--new-key`")));
    };
    files::distinct("the files to be written", &[path, &out.out])?;
    let identity = new_key.identity(keys::identity(name)?)?;
    let form = form_for(identity, new_key.form)?;
    let output = Output::create(path, true, out.format())?;
    let key = generate(identity)?;
    let text = key.to_pem(form)?;
    Ok((key, Some((output, text))))
}

/// Writes a key to its file if it is new.
fn keep(new: Option<NewKeyFile<'_>>) -> Result<()> {
    new.map_or(Ok(()), |(output, text)| output.write(text.as_bytes()))
}

/// The subject to be certified, and its private key if that is new.
struct CertSubject<'a> {
    template: Template,
    public: PublicKey,
    new: Option<NewKeyFile<'a>>,
}

impl Bearer {
    fn load(&self, terms: &Terms, out: &Out) -> Result<CertSubject<'_>> {
        if let Some(path) = &self.csr {
            let bytes = files::read_bytes(path)?;
            let request = keys::parse(path, &bytes, Request::from_pem, Request::from_der)?;
            let template = Template::for_request(&request, terms.validity());
            let template = template.map_err(|error| keys::explained(path, error))?;
            let key = request.public_key().map_err(|error| keys::explained(path, error))?;
            let template = terms.apply(template)?;
            return Ok(CertSubject { template, public: self.new_key.public(key)?, new: None });
        }
        // Without a request there is a subject: clap requires it.
        let template = terms.template(self.subject.as_deref().unwrap_or_default())?;
        if let Some(path) = &self.key {
            let public = self.new_key.public(public_part(path)?)?;
            return Ok(CertSubject { template, public, new: None });
        }
        let (key, new) = obtain(None, &self.new_key, out)?;
        Ok(CertSubject { template, public: key.public_key(), new })
    }
}

/// Returns the public key from a file with a private or a public key.
fn public_part(path: &Path) -> Result<PublicKey> {
    let bytes = files::read_bytes(path)?;
    match keys::parse_private(path, &bytes) {
        Ok(key) => Ok(key.public_key()),
        Err(error) if keys::pem(&bytes).is_some_and(|text| text.contains(PRIVATE)) => Err(error),
        Err(_) => keys::parse_public(path, &bytes),
    }
}

/// The end of a private key's label line.
const PRIVATE: &str = "PRIVATE KEY-----";

impl Issuer {
    /// Reads the issuer, and writes the certificate that `make` issues in its name.
    fn sign(
        &self,
        store: &StoreArgs,
        out: &Out,
        subject: CertSubject<'_>,
        make: impl Fn(Template, &PublicKey, &Authority<'_>) -> Result<Certificate, CertificateError>,
    ) -> Result<()> {
        let certificate = keys::certificates(&self.issuer)?.remove(0);
        let issuer_key = IssuerKey::read(&self.issuer_key, store, &certificate)?;
        let authority = Authority::new(&certificate, issuer_key.as_issuer()).map_err(|error| {
            let (issuer, key) = (files::name(&self.issuer), files::name(&self.issuer_key));
            match error {
                CertificateError::AuthorityKey => {
                    anyhow!("{key}: not the private key of {issuer}")
                }
                CertificateError::NotAuthority => with_hint(
                    anyhow!("{issuer}: not the certificate of an authority"),
                    "`oaklath cert root` and `oaklath cert intermediate` make authorities",
                ),
                error => anyhow!("{issuer}: {error}"),
            }
        })?;
        let output = out.create(false)?;
        let CertSubject { template, public, new } = subject;
        let issued = progress::during(SIGNING, || make(template, &public, &authority));
        let issued = issued.map_err(|error| issuer_key.explained(error))?;
        if !certificate.is_self_signed() {
            // In TLS, an issuer that is not a root is sent along with the certificate.
            let chain = [&issued, &certificate].map(|part| CertificateDer::from(part.as_der()));
            check_chain(&chain).map_err(|error| too_long(anyhow!("{error}")))?;
        }
        keep(new)?;
        output.write(&out.encoded(issued.as_der(), issued.to_pem()))
    }
}

/// The key of an issuer.
enum IssuerKey {
    Plain(PrivateKey),
    Stateful(StatefulIssuer),
}

impl IssuerKey {
    fn read(path: &Path, store: &StoreArgs, certificate: &Certificate) -> Result<Self> {
        if let Some(path) = secret_file(path) {
            return Ok(Self::Stateful(StatefulIssuer::open(path, store)?));
        }
        let key = keys::private(path)?;
        // The key file may have another object identifier than the certificate.
        match certificate.public_key() {
            Ok(public) if public.identity().name() == key.identity().name() => {
                Ok(Self::Plain(key.with_identity(public.identity())?))
            }
            _ => Ok(Self::Plain(key)),
        }
    }

    fn as_issuer(&self) -> &dyn oaklath_pki::Issuer {
        match self {
            Self::Plain(key) => key,
            Self::Stateful(key) => key,
        }
    }

    /// Returns why there is no certificate: the key's rejected state, if that is the reason.
    fn explained(&self, error: CertificateError) -> anyhow::Error {
        match self {
            Self::Plain(_) => refused(error),
            Self::Stateful(key) => key.failure().unwrap_or(refused(error)),
        }
    }
}

impl Terms {
    fn template(&self, subject: &str) -> Result<Template> {
        self.apply(Template::new(subject, self.validity()).map_err(refused)?)
    }

    /// Returns the validity in whole seconds, the last one included.
    fn validity(&self) -> std::ops::RangeInclusive<SystemTime> {
        let from = self.not_before.unwrap_or_else(SystemTime::now);
        let until = Duration::from_secs(u64::from(self.days) * 86_400 - 1);
        from..=self.not_after.unwrap_or(from + until)
    }

    fn apply(&self, template: Template) -> Result<Template> {
        let template = template.signing(signing(self.deterministic));
        match &self.serial {
            Some(Serial(number)) => template.serial(number).map_err(refused),
            None => Ok(template),
        }
    }
}
