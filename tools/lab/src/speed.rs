//! Measures operations, row by row as liboqs and wolfCrypt print them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use oaklath_cli::setup::Setup;
use oaklath_cli::testpki;
use oaklath_kem::Kem;
use oaklath_measure::average;
use oaklath_sig::{Message, Signature, derived_coins};
use rustls::pki_types::SignatureVerificationAlgorithm;
use rustls::{NamedGroup, SignatureScheme};
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::published::{LIBOQS, WOLFCRYPT, number};
use crate::report::{Cell, RATIO, Table};
use crate::timing::{Levels, Operation, Timing, at_levels, repeat};

const PUBLISHED_NOTE: &str = "Published: Intel i7-1165G7 (4.7 GHz at most; sixth version: i7-1185G7, 4.8 GHz) with AVX2 and AVX-512, one core. A ratio \
     above 1 means that ours, at the best level of this machine, takes less time. Ours: keys are bytes, seeds and \
     random numbers are passed in.";

/// The operations of a KEM, with fixed keys and coins.
#[derive(Debug)]
struct KemCase {
    kem: &'static dyn Kem,
    seed: Vec<u8>,
    coins: Vec<u8>,
    public: Vec<u8>,
    secret: Vec<u8>,
    ciphertext: Vec<u8>,
    shared: Vec<u8>,
}

impl KemCase {
    fn new(kem: &'static dyn Kem) -> Result<Self> {
        let info = kem.info();
        let (seed, coins) = (vec![1; kem.seed_len()], vec![2; kem.coins_len()]);
        let (public, secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        let (ciphertext, shared) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
        let mut case = Self { kem, seed, coins, public, secret, ciphertext, shared };
        case.keygen()?;
        case.encapsulate()?;
        Ok(case)
    }

    fn keygen(&mut self) -> Result<()> {
        Ok(self.kem.keypair_from(black_box(&self.seed), &mut self.public, &mut self.secret)?)
    }

    fn encapsulate(&mut self) -> Result<()> {
        let Self { kem, coins, public, ciphertext, shared, .. } = self;
        Ok(kem.encapsulate_from(coins, black_box(public), ciphertext, shared)?)
    }

    fn decapsulate(&mut self) -> Result<()> {
        let Self { kem, secret, ciphertext, shared, .. } = self;
        Ok(kem.decapsulate(black_box(secret), ciphertext, shared)?)
    }

    fn run(&mut self, operation: &str) -> Result<()> {
        match operation {
            "keygen" => self.keygen(),
            "encaps" => self.encapsulate(),
            "decaps" => self.decapsulate(),
            _ => bail!("no operation {operation}"),
        }
    }
}

/// Measures key encapsulation in the manner of liboqs' `speed_kem`: the published rows, then every
/// other KEM.
///
/// # Errors
/// If a published name is unknown, or an operation fails.
pub fn liboqs(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "kem-speed",
        "KEM speed in the manner of liboqs",
        &[
            "algorithm",
            "operation",
            "published, us",
            "stdev",
            "published, cycles",
            "stdev ",
            "iterations",
            "total, s",
            "ours, us",
            "stdev  ",
            "cycles",
            "stdev   ",
            "at AVX2, us",
            "scalar, us",
            RATIO,
        ],
    )
    .note(PUBLISHED_NOTE)
    .note("Published cycles are ticks of the time-stamp counter at 2.99 GHz, ours are cycles of the core.");
    let published = LIBOQS.rows::<8>()?;
    let mut measured = |name: &str, operation: &str, published: Option<[f64; 4]>| -> Result<()> {
        let kem = oaklath_kem::by_name(name)?;
        let levels = at_levels(setup.time, kem_operation(name, operation)?)?;
        let Timing { ops, seconds, micros, cycles, .. } = levels.best;
        let mut row = vec![Cell::text(kem.info().name), Cell::text(operation)];
        for (i, digits) in [(0, 3), (1, 3), (2, 0), (3, 0)] {
            row.push(Cell::some(published.map(|figures| figures[i]), digits));
        }
        row.extend([Cell::Count(ops), Cell::Number(seconds, 3)]);
        row.extend([Cell::Number(micros.0, 3), Cell::Number(micros.1, 3)]);
        row.push(Cell::some(cycles.map(|cycles| cycles.0), 0));
        row.push(Cell::some(cycles.map(|cycles| cycles.1), 0));
        row.extend(lower(&levels, 3));
        row.push(Cell::some(published.map(|figures| figures[0] / micros.0), 2));
        table.push(row);
        Ok(())
    };
    for [name, operation, _, _, mean, deviation, cycles, of_cycles] in &published {
        let figures = [number(mean)?, number(deviation)?, number(cycles)?, number(of_cycles)?];
        measured(name, operation, Some(figures)).with_context(|| format!("{name} {operation}"))?;
    }
    for kem in oaklath_kem::all() {
        let name = kem.info().name;
        if !published.iter().any(|row| row[0] == name) {
            for operation in ["keygen", "encaps", "decaps"] {
                measured(name, operation, None)?;
            }
        }
    }
    Ok(table)
}

/// Returns the microseconds at AVX2 and scalar.
fn lower(levels: &Levels, digits: usize) -> [Cell; 2] {
    let micros = |timing: Option<Timing>| Cell::some(timing.map(|timing| timing.micros.0), digits);
    [micros(levels.avx2), micros(levels.scalar)]
}

/// The operations of a signature scheme. Every call signs another message, since schemes that
/// reject take a different time for each.
struct SignatureCase {
    scheme: &'static dyn Signature,
    public: Vec<u8>,
    secret: Vec<u8>,
    signer: Box<dyn oaklath_sig::Sign>,
    messages: Vec<Vec<u8>>,
    next: usize,
    coins: Option<Vec<u8>>,
    signature: Vec<u8>,
    len: usize,
}

impl SignatureCase {
    fn new(scheme: &'static dyn Signature) -> Result<Self> {
        let info = scheme.info();
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&vec![0; scheme.seed_len()], &mut public, &mut secret)?;
        let messages: Vec<Vec<u8>> = match average::representative(info.name) {
            Some(list) => list.map(Vec::from).collect(),
            None => (0..512u32).map(|i| i.to_le_bytes().to_vec()).collect(),
        };
        let coins = scheme.needs_coins().then(|| derived_coins(scheme, &secret, b"speed").to_vec());
        let signer = scheme.prepare_signer(&secret)?;
        let signature = vec![0; info.signature];
        let mut case =
            Self { scheme, public, secret, signer, messages, next: 0, coins, signature, len: 0 };
        case.run("sign")?;
        Ok(case)
    }

    fn run(&mut self, operation: &str) -> Result<()> {
        let Self { scheme, public, secret, signer, messages, coins, signature, .. } = self;
        let (message, coins) = (Message::new(&messages[self.next]), coins.as_deref());
        match operation {
            "key gen" => {
                let seed = vec![0; scheme.seed_len()];
                return Ok(scheme.keypair_from(black_box(&seed), public, secret)?);
            }
            "verify" => {
                return Ok(scheme.verify(black_box(public), &message, &signature[..self.len])?);
            }
            _ => {}
        }
        let next = (self.next + 1) % messages.len();
        let message = Message::new(&messages[next]);
        self.len = match operation {
            "sign" => scheme.sign(black_box(secret), &message, coins, signature)?,
            "sign, kept key" => signer.sign(black_box(&message), coins, signature)?,
            _ => bail!("no operation {operation}"),
        };
        self.next = next;
        Ok(())
    }
}

/// The operations of the base provider: the classical rows.
struct Classical<'a> {
    setup: &'a Setup,
}

/// The classical operation that is only part of a call of the base.
const AGREE: &str = "ECDHE SECP256R1 agree";

impl Classical<'_> {
    fn operation(&self, operation: &str) -> Result<Operation> {
        match operation {
            "ECC SECP256R1 key gen" => {
                let group = self.group()?;
                Ok(Box::new(move || {
                    black_box(group.start()?);
                    Ok(())
                }))
            }
            AGREE => {
                let group = self.group()?;
                let peer = group.start()?.pub_key().to_vec();
                Ok(Box::new(move || {
                    black_box(group.start()?.complete(black_box(&peer))?);
                    Ok(())
                }))
            }
            "ECDSA SECP256R1 sign" => {
                let signer = self.signer()?;
                Ok(Box::new(move || {
                    black_box(signer.sign(black_box(b"a message"))?);
                    Ok(())
                }))
            }
            "ECDSA SECP256R1 verify" => self.verify(),
            _ => bail!("no classical operation {operation}"),
        }
    }

    fn group(&self) -> Result<&'static dyn rustls::crypto::SupportedKxGroup> {
        let groups = &self.setup.base().kx_groups;
        let found = groups.iter().copied().find(|group| group.name() == NamedGroup::secp256r1);
        found.context("the base has no P-256")
    }

    fn signer(&self) -> Result<Box<dyn rustls::sign::Signer>> {
        let key = self.setup.base().key_provider.load_private_key(testpki::P256.server.key()?)?;
        key.choose_scheme(&[SignatureScheme::ECDSA_NISTP256_SHA256]).context("no ECDSA")
    }

    fn verify(&self) -> Result<Operation> {
        let algorithms = self.setup.base().signature_verification_algorithms;
        let wanted = SignatureScheme::ECDSA_NISTP256_SHA256;
        let mut found = algorithms.mapping.iter().filter(|(scheme, _)| *scheme == wanted);
        let algorithm: &'static dyn SignatureVerificationAlgorithm =
            *found.next().and_then(|(_, list)| list.first()).context("the base has no ECDSA")?;
        let signature = self.signer()?.sign(b"a message")?;
        let chain = testpki::P256.server.chain()?;
        let certificate = Certificate::from_der(&chain[0])?;
        let key = certificate.tbs_certificate().subject_public_key_info();
        let key = key.subject_public_key.raw_bytes().to_vec();
        Ok(Box::new(move || {
            let verified = algorithm.verify_signature(black_box(&key), b"a message", &signature);
            verified.map_err(|_| anyhow!("a good signature was rejected"))
        }))
    }

    /// Measures at the best level only: none of our vector code takes part.
    fn measure(&self, operation: &str) -> Result<Levels> {
        let mut best = repeat(self.setup.time, self.operation(operation)?)?;
        if operation == AGREE {
            // Subtracts the key that each agreement generates.
            let key = repeat(self.setup.time, self.operation("ECC SECP256R1 key gen")?)?;
            best.micros.0 -= key.micros.0;
            best.cycles = best.cycles.zip(key.cycles).map(|(a, b)| (a.0 - b.0, a.1));
            best.seconds = best.micros.0 * 1e-6 * best.ops as f64;
        }
        Ok(Levels { best, avx2: None, scalar: None })
    }
}

/// Measures the rows of wolfCrypt's benchmark, then every signature scheme.
///
/// # Errors
/// If a published name is unknown, or an operation fails.
pub fn wolfcrypt(setup: &Setup) -> Result<Table> {
    let mut table = Table::new(
        "wolfcrypt",
        "Operations in the manner of wolfCrypt's benchmark",
        &[
            "published by",
            "operation",
            "published, avg ms",
            "published, ops/s",
            "ops",
            "seconds",
            "avg ms",
            "ops/s",
            "at AVX2, ops/s",
            "scalar, ops/s",
            RATIO,
        ],
    )
    .note(PUBLISHED_NOTE)
    .note(
        "Curves are those of the base provider: its figures are here for completeness, and agreement is the time of a key and an \
         agreement minus that of a key. `ed` is encapsulation and decapsulation. Signing is a mean over messages, which for ML-DSA have \
         average rejections; it is deterministic except for Falcon. A kept key was checked and expanded before.",
    )
    .because("EC", "the base provider's curve: no code of ours");
    for [setting, operation, _, _, millis, per_second] in WOLFCRYPT.rows::<6>()? {
        let levels = row(setup, operation).with_context(|| operation.to_owned())?;
        let published = (number(millis)?, number(per_second)?);
        table.push(line(setting, operation, Some(published), &levels));
    }
    for scheme in oaklath_sig::all() {
        for operation in ["key gen", "sign", "sign, kept key", "verify"] {
            let levels = levels(setup.time, signature(*scheme, operation)?)?;
            let name = format!("{} {operation}", scheme.info().name);
            table.push(line("", &name, None, &levels));
        }
    }
    Ok(table)
}

fn line(
    setting: &str,
    operation: &str,
    published: Option<(f64, f64)>,
    levels: &Levels,
) -> Vec<Cell> {
    let best = levels.best;
    let rate = |timing: Option<Timing>| Cell::some(timing.map(|timing| timing.per_second()), 1);
    vec![
        Cell::text(setting),
        Cell::text(operation),
        Cell::some(published.map(|published| published.0), 3),
        Cell::some(published.map(|published| published.1), 1),
        Cell::Count(best.ops),
        Cell::Number(best.seconds, 3),
        Cell::Number(best.micros.0 / 1e3, 4),
        Cell::Number(best.per_second(), 1),
        rate(levels.avx2),
        rate(levels.scalar),
        Cell::some(published.map(|published| best.per_second() / published.1), 2),
    ]
}

/// Measures a published row.
fn row(setup: &Setup, operation: &str) -> Result<Levels> {
    match operation.starts_with("EC") {
        true => Classical { setup }.measure(operation),
        false => levels(setup.time, self::operation(setup, operation)?),
    }
}

/// Returns the operation of a published row of wolfCrypt: `kyber_level1-kg`, `ML-KEM 512 encap`,
/// `DILITHIUM_AES_level2 sign`, `FALCON 1 verify`, `ML-DSA 44 key gen`, `ECDSA SECP256R1 sign`. An
/// agreement includes the generation of a key.
///
/// # Errors
/// If there is no such operation.
pub fn operation(setup: &Setup, published: &str) -> Result<Operation> {
    const OPERATIONS: [&str; 7] =
        ["-kg", "-ed", " key gen", " encap", " decap", " sign", " verify"];
    if published.starts_with("EC") {
        return Classical { setup }.operation(published);
    }
    let parts = OPERATIONS.iter().find_map(|what| Some((published.strip_suffix(what)?, *what)));
    let (name, what) = parts.context("a name and an operation")?;
    let name = name.replace("FALCON ", "FALCON_LEVEL").replace("kyber90s", "kyber_90s");
    let Ok(kem) = oaklath_kem::by_name(&name) else {
        return signature(oaklath_sig::by_name(&name)?, what.trim_start());
    };
    let mut case = KemCase::new(kem)?;
    Ok(match what {
        "-kg" | " key gen" => Box::new(move || case.keygen()),
        " encap" => Box::new(move || case.encapsulate()),
        " decap" => Box::new(move || case.decapsulate()),
        _ => Box::new(move || case.encapsulate().and_then(|()| case.decapsulate())),
    })
}

/// Returns the operation of a published row of liboqs.
///
/// # Errors
/// If there is no such operation.
pub fn kem_operation(name: &str, operation: &str) -> Result<Operation> {
    let mut case = KemCase::new(oaklath_kem::by_name(name)?)?;
    let operation = operation.to_owned();
    Ok(Box::new(move || case.run(&operation)))
}

fn signature(scheme: &'static dyn Signature, operation: &str) -> Result<Operation> {
    let mut case = SignatureCase::new(scheme)?;
    let operation = operation.to_owned();
    Ok(Box::new(move || case.run(&operation)))
}

/// Measures at every level. An operation of more than ten milliseconds at its best is not repeated
/// scalar, where it takes up to a minute.
fn levels(time: Duration, mut operation: Operation) -> Result<Levels> {
    let start = Instant::now();
    operation()?;
    if start.elapsed().as_millis() > 10 {
        let best = repeat(time, operation)?;
        let avx2 = (oaklath_measure::Level::get().name() == "avx2").then_some(best);
        return Ok(Levels { best, avx2, scalar: None });
    }
    at_levels(time, operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_has_one_of_ours() {
        let setup = crate::connections::setup(oaklath_tls::default_base(), Duration::ZERO);
        for [_, operation, ..] in WOLFCRYPT.rows::<6>().unwrap() {
            assert!(row(&setup, operation).unwrap().best.ops > 0, "{operation}");
        }
        for [name, operation, ..] in LIBOQS.rows::<8>().unwrap() {
            kem_operation(name, operation).unwrap()().unwrap();
        }
    }
}
