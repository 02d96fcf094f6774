//! Falcon with its secrets marked for valgrind: reports of memcheck are branches or addresses that depend on
//! them. What may decide a branch goes through `ct::declassify`, where the code says why; nothing is suppressed.
//!
//! ```sh
//! cargo build --release -p oaklath-measure --example falcon_secrets
//! for level in scalar avx2; do
//!     for what in keygen sign sign-prepared sign-low-memory sign-emulated leak; do
//!         OAKLATH_SIMD=$level valgrind --error-exitcode=9 --vex-guest-max-insns=20 \
//!             target/release/examples/falcon_secrets $what
//!     done
//! done
//! ```
//!
//! `leak` is a planted one: it must be reported. (Valgrind wants shorter pieces of code than it takes by itself: some
//! of ours are long.)

use std::hint::black_box;
use std::process::ExitCode;

use oaklath_sig::falcon::{COINS, Falcon512, SEED, SigningKey};
use oaklath_sig::{Error, Message};
use oaklath_simd::watch::{is_watching, mark_secret};

const MESSAGE: Message<'_> = Message::new(b"a message");

fn main() -> ExitCode {
    let what = std::env::args().nth(1).unwrap_or_default();
    if !is_watching() {
        eprintln!("error: nobody watches\nhint: run this under valgrind");
        return ExitCode::from(2);
    }
    match run(&what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: &str) -> Result<(), Error> {
    let scheme = oaklath_sig::by_name("Falcon-512").expect("a set of this build");
    let info = scheme.info();
    let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
    // The nonce is public, the seed of the sampler is not.
    let (seed, random) = (black_box([0x51; SEED]), black_box([0x1d; COINS]));
    let mut signature = vec![0; info.signature];
    scheme.keypair_from(&seed, &mut public, &mut secret)?;
    let key = SigningKey::<Falcon512>::from_bytes(&secret)?;
    mark_secret(&seed);
    mark_secret(&random[40..]);
    mark_secret(key.as_bytes());
    mark_secret(&secret);
    let len = match what {
        "keygen" => {
            scheme.keypair_from(&seed, &mut public, &mut secret)?;
            0
        }
        "sign" => scheme.sign(&secret, &MESSAGE, Some(&random), &mut signature)?,
        "sign-prepared" => {
            scheme.prepare_signer(&secret)?.sign(&MESSAGE, Some(&random), &mut signature)?
        }
        "sign-low-memory" => key.sign_low_memory(&MESSAGE, &random)?.as_bytes().len(),
        "sign-emulated" => key.sign_emulated(&MESSAGE, &random)?.as_bytes().len(),
        "leak" => usize::from(black_box(secret[7]) == 1),
        _ => panic!("keygen, sign, sign-prepared, sign-low-memory, sign-emulated or leak"),
    };
    println!("{what}: done, {}", if len == 0 { "a key" } else { "a signature" });
    Ok(())
}
