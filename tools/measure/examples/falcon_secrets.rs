//! Falcon and FN-DSA with their secrets marked for valgrind: each report of memcheck is a branch or
//! address that depends on them. Values that may decide a branch go through `ct::declassify`, where
//! the code says why; nothing is suppressed.
//!
//! ```sh
//! cargo build --release -p oaklath-measure --features trace --example falcon_secrets
//! for set in Falcon-512 Falcon-1024 FN-DSA-512 FN-DSA-1024; do
//!     for level in scalar avx2; do
//!         for what in keygen sign sign-prepared sign-low-memory sign-emulated leak; do
//!             OAKLATH_SIMD=$level valgrind --error-exitcode=9 --vex-guest-max-insns=20 \
//!                 target/release/examples/falcon_secrets $what $set
//!         done
//!     done
//! done
//! ```
//!
//! The default set is Falcon-512. Other optimisations generate other code:
//! `CARGO_PROFILE_RELEASE_OPT_LEVEL=1`, 2 and s before `cargo build`; and `--features
//! oaklath-sig/falcon-emulated` also makes keys with emulated numbers. `leak` is planted: it must
//! be reported. (Some of our blocks of code are too long for valgrind's default, hence the option
//! for shorter ones.)

use std::hint::black_box;
use std::process::ExitCode;

use oaklath_sig::{
    Error, Falcon512, Falcon1024, FalconSet, FnDsa512, FnDsa1024, Message, SigningKey,
};
use oaklath_simd::watch::{is_watching, mark_secret};

const MESSAGE: Message<'_> = Message::new(b"a message");

fn main() -> ExitCode {
    let what = std::env::args().nth(1).unwrap_or_default();
    let set = std::env::args().nth(2).unwrap_or_else(|| "Falcon-512".to_owned());
    if !is_watching() {
        eprintln!("error: nobody watches\nhint: run this under valgrind");
        return ExitCode::from(2);
    }
    // 40 of Falcon's 88 random bytes are the nonce, which is public; the seed of the sampler is
    // secret. All 40 of FN-DSA are secret.
    let result = match &*set {
        "Falcon-512" => run::<Falcon512>(&what, [0x1d; 88], 40),
        "Falcon-1024" => run::<Falcon1024>(&what, [0x1d; 88], 40),
        "FN-DSA-512" => run::<FnDsa512>(&what, [0x1d; 40], 0),
        "FN-DSA-1024" => run::<FnDsa1024>(&what, [0x1d; 40], 0),
        _ => panic!("Falcon-512, Falcon-1024, FN-DSA-512 or FN-DSA-1024"),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run<P: FalconSet>(what: &str, random: P::Coins, public_coins: usize) -> Result<(), Error> {
    let info = P::INFO;
    let scheme = oaklath_sig::by_info(info).expect("a set of this build");
    let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (seed, random) = (black_box([0x51; 48]), black_box(random));
    let mut signature = vec![0; info.signature];
    scheme.keypair_from(&seed, &mut public, &mut secret)?;
    let key = SigningKey::<P>::from_bytes(&secret)?;
    // A key of FN-DSA ends with a hash of the public key.
    let end = secret.len() - if public_coins == 0 { 64 } else { 0 };
    mark_secret(&seed);
    mark_secret(&random.as_ref()[public_coins..]);
    mark_secret(&key.as_bytes()[..end]);
    mark_secret(&secret[..end]);
    let coins = Some(random.as_ref());
    let len = match what {
        "keygen" => {
            scheme.keypair_from(&seed, &mut public, &mut secret)?;
            0
        }
        "sign" => scheme.sign(&secret, &MESSAGE, coins, &mut signature)?,
        "sign-prepared" => scheme.prepare_signer(&secret)?.sign(&MESSAGE, coins, &mut signature)?,
        "sign-low-memory" => key.sign_low_memory(&MESSAGE, coins, &mut signature)?,
        "sign-emulated" => key.sign_emulated(&MESSAGE, random.as_ref(), &mut signature)?,
        "leak" => usize::from(black_box(secret[7]) == 1),
        _ => panic!("keygen, sign, sign-prepared, sign-low-memory, sign-emulated or leak"),
    };
    println!("{what}: done, {}", if len == 0 { "a key" } else { "a signature" });
    Ok(())
}
