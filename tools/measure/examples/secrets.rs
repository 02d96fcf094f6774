//! Every algorithm but Falcon (see `falcon_secrets.rs`) with its secrets marked for memcheck, a
//! tool of valgrind, or for the memory sanitizer: each of their reports is a branch or an address
//! that depends on a secret. Values that may decide a branch go through `ct::declassify` and
//! related functions, where the code says why; nothing is suppressed.
//!
//! ```sh
//! secrets list                      # what there is, a line each: algorithm, operation
//! secrets run ML-KEM-768 keygen     # one of them, or several after each other
//! secrets run leak mask             # a planted leak, which must be reported
//! ```
//!
//! `cargo xtask ct` runs all of it.

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

use oaklath_kem::{DecapsulationItem, EncapsulationItem, Kem, KeyPairItem, batch_of};
use oaklath_sig::{
    MlDsa44, MlDsa65, MlDsa87, Signature, SignatureSet, SigningItem, SigningKey, sign_many,
};
use oaklath_simd::ct::Mask;
use oaklath_simd::watch::{is_watching, mark_secret};
use oaklath_stateful::Index;

use layout::{MESSAGE, STATEFUL, bytes};

#[path = "shared/layout.rs"]
mod layout;

type Done = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["list"] => list(),
        ["run", ..] if !is_watching() => {
            eprintln!("error: nobody watches\nhint: run this under valgrind");
            return ExitCode::from(2);
        }
        ["run", ref operations @ ..] => {
            if let Err(error) = run_all(operations) {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("usage: secrets list | secrets run ALGORITHM OPERATION ...");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The planted leaks: by a branch, by an address, and by a branch on a mask.
const LEAKS: [&str; 3] = ["branch", "address", "mask"];
const OF_KEMS: [&str; 6] = ["keygen", "encapsulate", "decapsulate", "reject", "prepared", "batch"];
const OF_SIGNATURES: [&str; 3] = ["keygen", "sign", "sign-prepared"];
/// Several messages at a time, of ML-DSA.
const BATCH: &str = "sign-many";
const LOW_MEMORY: &str = "sign-low-memory";
const OF_STATEFUL: [&str; 2] = ["keygen", "sign"];

fn signatures() -> impl Iterator<Item = &'static dyn Signature> {
    oaklath_sig::all().iter().copied().filter(|scheme| !layout::is_falcon(scheme.info()))
}

fn list() {
    for kem in oaklath_kem::all() {
        OF_KEMS.iter().for_each(|operation| println!("{} {operation}", kem.info().name));
    }
    for info in signatures().map(Signature::info) {
        OF_SIGNATURES.iter().for_each(|operation| println!("{} {operation}", info.name));
        if layout::is_ml_dsa(info) {
            println!("{} {LOW_MEMORY}\n{} {BATCH}", info.name, info.name);
        }
    }
    for name in STATEFUL {
        OF_STATEFUL.iter().for_each(|operation| println!("{name} {operation}"));
    }
    LEAKS.iter().for_each(|leak| println!("leak {leak}"));
}

fn run_all(operations: &[&str]) -> Done {
    let (pairs, rest) = operations.as_chunks();
    if !rest.is_empty() {
        return Err("an algorithm without its operation".into());
    }
    for [algorithm, operation] in pairs {
        run(algorithm, operation)?;
        println!("{algorithm} {operation}: done");
    }
    Ok(())
}

fn run(algorithm: &str, operation: &str) -> Done {
    if algorithm == "leak" {
        leak(operation);
        Ok(())
    } else if STATEFUL.contains(&algorithm) {
        run_stateful(algorithm, operation)
    } else if let Some(kem) = oaklath_kem::all().iter().find(|kem| kem.info().name == algorithm) {
        run_kem(*kem, operation)
    } else {
        let scheme = signatures().find(|scheme| scheme.info().name == algorithm);
        run_signature(scheme.ok_or("no such algorithm")?, operation)
    }
}

#[inline(never)]
fn leak(how: &str) {
    let (secret, table) = (black_box([0x5a_u8; 32]), black_box([3_u8; 256]));
    mark_secret(&secret);
    let (secret, table) = (black_box(&secret), black_box(&table)); // read from now on
    let result = match how {
        "branch" => u8::from(secret.contains(&42)),
        "address" => table[usize::from(secret[3])],
        // The barrier within hides the origin of a mask from the compiler, but must not hide it
        // from the tool that watches.
        _ => {
            let chosen = Mask::from_nonzero(secret[7].into()).select(1, 2);
            if black_box(chosen) == 1 { black_box(7) } else { 9 }
        }
    };
    black_box(result);
}

fn run_kem(kem: &dyn Kem, operation: &str) -> Done {
    let info = kem.info();
    let seed = bytes(kem.seed_len(), 1);
    let coins = bytes(kem.coins_len(), 2);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    kem.keypair_from(&seed, &mut pk, &mut sk)?;
    kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss)?;
    if operation == "reject" {
        ct[9] ^= 4;
    }
    mark_secret(&seed);
    mark_secret(&coins);
    layout::of_decapsulation_key(&pk, &sk).into_iter().for_each(|part| mark_secret(&sk[part]));
    match operation {
        "keygen" => kem.keypair_from(&seed, &mut pk, &mut sk)?,
        "encapsulate" => kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss)?,
        "decapsulate" | "reject" => kem.decapsulate(&sk, &ct, &mut ss)?,
        "prepared" => kem.prepare(&sk)?.decapsulate(&ct, &mut ss)?,
        "batch" => run_batch(kem, [&seed, &coins], [&pk, &sk, &ct])?,
        _ => return Err("no such operation".into()),
    }
    black_box((&pk, &sk, &ct, &ss));
    Ok(())
}

/// Runs two of each operation at once; the second ciphertext is rejected.
fn run_batch(kem: &dyn Kem, [seed, coins]: [&[u8]; 2], [pk, sk, ct]: [&[u8]; 3]) -> Done {
    let (info, mut results) = (kem.info(), [Ok(()); 2]);
    let batch = batch_of(kem).ok_or("no batches")?;
    let (mut pks, mut sks) = (vec![0; 2 * info.public_key], vec![0; 2 * info.secret_key]);
    let (mut cts, mut secrets) = (vec![0; 2 * info.ciphertext], [[0; 32]; 2]);
    let keys = pks.chunks_mut(info.public_key).zip(sks.chunks_mut(info.secret_key));
    let mut items: Vec<_> = keys.map(|(ek, dk)| KeyPairItem { seed, ek, dk }).collect();
    batch.generate_many(&mut items, &mut results);
    let places = cts.chunks_mut(info.ciphertext).zip(&mut secrets);
    let mut items: Vec<_> =
        places.map(|(c, shared)| EncapsulationItem { key: pk, coins, c, shared }).collect();
    batch.encapsulate_many(&mut items, &mut results);
    let mut rejected = ct.to_vec();
    rejected[9] ^= 4;
    let places = [ct, &rejected].into_iter().zip(&mut secrets);
    let mut items: Vec<_> =
        places.map(|(c, shared)| DecapsulationItem { key: sk, c, shared }).collect();
    batch.decapsulate_many(&mut items, &mut results);
    black_box((&pks, &sks, &cts, &secrets));
    results.into_iter().collect::<Result<(), _>>()?;
    Ok(())
}

fn run_signature(scheme: &dyn Signature, operation: &str) -> Done {
    let info = scheme.info();
    let seed = bytes(scheme.seed_len(), 1);
    let coins = bytes(scheme.coins_len(), 2);
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let mut signature = vec![0; info.signature];
    scheme.keypair_from(&seed, &mut pk, &mut sk)?;
    layout::of_coins(info, &coins).into_iter().for_each(|part| mark_secret(&coins[part]));
    layout::of_seed(info, &seed).into_iter().for_each(|part| mark_secret(&seed[part]));
    layout::of_signing_key(info).into_iter().for_each(|part| mark_secret(&sk[part]));
    match operation {
        "keygen" => scheme.keypair_from(&seed, &mut pk, &mut sk)?,
        "sign" => drop(scheme.sign(&sk, &MESSAGE, Some(&coins), &mut signature)?),
        "sign-prepared" => {
            let signer = scheme.prepare_signer(&sk)?;
            signer.sign(&MESSAGE, Some(&coins), &mut signature)?;
        }
        BATCH => {
            let (signer, mut places) =
                (scheme.prepare_signer(&sk)?, [(); 5].map(|()| signature.clone()));
            let coins = Some(&coins[..]);
            let mut items =
                places.each_mut().map(|out| SigningItem { message: MESSAGE, coins, out });
            let mut results = [Ok(0); 5];
            sign_many(&*signer, &mut items, &mut results);
            results.into_iter().try_for_each(|result| result.map(drop))?;
        }
        LOW_MEMORY => match info.name {
            "ML-DSA-44" => sign_low_memory::<MlDsa44>(&sk, &coins, &mut signature)?,
            "ML-DSA-65" => sign_low_memory::<MlDsa65>(&sk, &coins, &mut signature)?,
            _ => sign_low_memory::<MlDsa87>(&sk, &coins, &mut signature)?,
        },
        _ => return Err("no such operation".into()),
    }
    black_box((&pk, &sk, &signature));
    Ok(())
}

fn sign_low_memory<P: SignatureSet>(sk: &[u8], coins: &[u8], signature: &mut [u8]) -> Done {
    let key = SigningKey::<P>::from_bytes(sk)?;
    key.sign_low_memory(&MESSAGE, Some(coins), signature)?;
    Ok(())
}

fn run_stateful(name: &str, operation: &str) -> Done {
    let seed = bytes(layout::STATEFUL_SEED, 1);
    mark_secret(&seed[layout::of_stateful_seed(name)]);
    let mut key = layout::stateful_key(name, &seed)?;
    if operation == "sign" {
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(5), b"a message", &mut signature)?;
        black_box(signature);
    }
    Ok(())
}
