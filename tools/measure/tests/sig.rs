//! The memory of lattice signatures: every operation of every set at every level stays within 192
//! KiB of stack, the low-memory signer within 48 KiB, and those on bytes do not allocate.
//! `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};
use oaklath_sig::{
    Dilithium2, Dilithium2Aes, Dilithium3, Dilithium3Aes, Dilithium5, Dilithium5Aes, Error,
    Message, MlDsa44, MlDsa65, MlDsa87, Sign, Signature, SignatureSet, SigningItem, SigningKey,
    Verify, sign_many, verify_many,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const KIB: usize = 1024;

/// Stack of the measured thread, in bytes: exceeding a limit is reported instead of a crash.
const ROOM: usize = 1 << 20;

/// Calls a function that is generic over the parameter set for each set.
macro_rules! each_set {
    ($f:ident) => {
        [
            $f::<MlDsa44>,
            $f::<MlDsa65>,
            $f::<MlDsa87>,
            $f::<Dilithium2>,
            $f::<Dilithium3>,
            $f::<Dilithium5>,
            $f::<Dilithium2Aes>,
            $f::<Dilithium3Aes>,
            $f::<Dilithium5Aes>,
        ]
        .into_iter()
        .for_each(|check| check())
    };
}

#[test]
fn operations_stay_within_their_stack() {
    println!(
        "{:15} {:8} bytes of stack: {}",
        "set",
        "level",
        Operands::<MlDsa44>::NAMES.join(", ")
    );
    each_set!(stays_within);
}

fn stays_within<P: SignatureSet<Seed = [u8; 32]>>() {
    for level in Level::available() {
        let depths: Vec<usize> =
            (0..Operands::<P>::NAMES.len()).map(|i| depth::<P>(level, i)).collect();
        println!("{:15} {level:8} {depths:?}", P::INFO.name);
        for (depth, name) in depths.iter().zip(Operands::<P>::NAMES) {
            let limit = if name == LOW_MEMORY { 48 * KIB } else { 192 * KIB };
            assert!(*depth <= limit, "{} {name} at {level}: {depth}", P::INFO.name);
            // A polynomial alone is 1 KiB: with less, the measurement would have missed it.
            assert!(*depth >= KIB, "{} {name} at {level}: {depth}", P::INFO.name);
        }
    }
}

/// Measures the stack, after a first run in the same thread that initialises what is done once.
fn depth<P: SignatureSet<Seed = [u8; 32]>>(level: Level, operation: usize) -> usize {
    let mut operands = Operands::<P>::new();
    operands.run(operation);
    let painted = on_painted_stack(ROOM, move || level.with(|| operands.run(operation)));
    painted.expect("a thread with a megabyte of stack").depth
}

#[test]
fn operations_on_bytes_do_not_allocate() {
    each_set!(does_not_allocate);
}

fn does_not_allocate<P: SignatureSet<Seed = [u8; 32]>>() {
    for level in Level::available() {
        let mut operands = Operands::<P>::new();
        for operation in 0..Operands::<P>::WITHOUT_ALLOCATION {
            let ((), seen) = count_allocations(|| level.with(|| operands.run(operation)));
            let name = Operands::<P>::NAMES[operation];
            assert_eq!(seen, Allocations::default(), "{} {name} at {level}", P::INFO.name);
        }
    }
}

#[test]
fn operations_leave_no_secrets_on_the_stack() {
    each_set!(leaves_no_secrets);
}

/// Checks that an operation leaves no copy of its secrets on the stack: neither the seed nor K, nor
/// s1, s2 or t0 as bytes or as coefficients, nor a mask.
fn leaves_no_secrets<P: SignatureSet<Seed = [u8; 32]>>() {
    for level in Level::available() {
        for (operation, name) in Operands::<P>::NAMES.iter().enumerate() {
            let mut operands = Operands::<P>::new();
            let secrets = operands.secrets();
            let run = || level.with(|| operands.run(operation));
            let ((), left) = stack_left_by(ROOM, run).expect("a thread with a stack");
            for (what, secret) in secrets {
                let copies = left.windows(secret.len()).filter(|w| *w == secret).count();
                assert_eq!(copies, 0, "{} {name} at {level}: {what}", P::INFO.name);
            }
        }
    }
}

const LOW_MEMORY: &str = "sign-low-memory";
const SEED: [u8; 32] = [0x51; 32];
const MESSAGE: Message<'_> = Message::new(b"a message");

/// Everything the operations read and write, allocated beforehand.
struct Operands<P: SignatureSet<Seed = [u8; 32]>> {
    scheme: P,
    public: Vec<u8>,
    secret: Vec<u8>,
    signature: Vec<u8>,
    many: [Vec<u8>; 9],
    key: Box<SigningKey<P>>,
    signer: Box<dyn Sign>,
    verifier: Box<dyn Verify>,
}

impl<P: SignatureSet<Seed = [u8; 32]>> Operands<P> {
    const NAMES: [&str; 11] = [
        "keygen",
        "public key of the private one",
        "sign",
        LOW_MEMORY,
        "verify",
        "sign-prepared",
        "verify-prepared",
        "verify many",
        "sign many",
        // The following allocate: they make a key that is kept.
        "prepare the signer",
        "prepare the verifier",
    ];
    const WITHOUT_ALLOCATION: usize = 9;

    fn new() -> Self {
        let (info, scheme) = (P::INFO, P::default());
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&SEED, &mut public, &mut secret).expect("a seed of 32 bytes");
        let mut signature = vec![0; info.signature];
        scheme.sign(&secret, &MESSAGE, None, &mut signature).expect("a good key");
        let key = Box::new(SigningKey::from_seed(&SEED));
        let signer = scheme.prepare_signer(&secret).expect("a good key");
        let verifier = scheme.prepare_verifier(&public).expect("a good key");
        let many = [(); 9].map(|()| signature.clone());
        Self { scheme, public, secret, signature, many, key, signer, verifier }
    }

    fn run(&mut self, operation: usize) {
        let Self { scheme, public, secret, signature, many, key, signer, verifier } = self;
        match operation {
            0 => alone(|| scheme.keypair_from(&SEED, public, secret).expect("a good seed")),
            1 => alone(|| scheme.public_key(secret, public).expect("a good key")),
            2 => alone(|| scheme.sign(secret, &MESSAGE, None, signature).expect("a good key")),
            3 => alone(|| key.sign_low_memory(&MESSAGE, None, signature).expect("a good key")),
            4 => alone(|| scheme.verify(public, &MESSAGE, signature).expect("a good signature")),
            5 => drop(signer.sign(&MESSAGE, None, signature).expect("a good key")),
            6 => verifier.verify(&MESSAGE, signature).expect("a good signature"),
            7 => {
                let mut results = [Err(Error::Fault); 9];
                verify_many(&[(&**verifier, MESSAGE, &signature[..]); 9], &mut results);
                assert_eq!(results, [Ok(()); 9]);
            }
            8 => {
                let items = many.each_mut();
                let mut items = items.map(|out| SigningItem { message: MESSAGE, coins: None, out });
                let mut results = [Err(Error::Fault); 9];
                sign_many(&**signer, &mut items, &mut results);
                assert_eq!(results, [Ok(P::INFO.signature); 9]);
            }
            9 => alone(|| scheme.prepare_signer(secret).expect("a good key")),
            _ => alone(|| scheme.prepare_verifier(public).expect("a good key")),
        }
    }

    /// Returns pieces of the secrets of at least 32 bytes, which are unlikely to be in memory by
    /// chance.
    fn secrets(&self) -> Vec<(&'static str, Vec<u8>)> {
        let s1_offset = if P::INFO.name.starts_with("ML") { 128 } else { 96 };
        let eta = if P::INFO.level == 3 { 4 } else { 2 };
        let t0 = self.secret.len() - 100;
        let s1: Vec<i32> = small(&self.secret[s1_offset..], eta).collect();
        let wide = s1.iter().flat_map(|x| x.to_le_bytes()).collect();
        let narrow = s1.iter().map(|x| *x as u8).collect();
        vec![
            ("the seed", SEED.to_vec()),
            ("K", self.secret[32..64].to_vec()),
            ("bytes of s1", self.secret[s1_offset..s1_offset + 48].to_vec()),
            ("coefficients of s1", wide),
            ("small coefficients of s1", narrow),
            ("bytes of t0", self.secret[t0..t0 + 50].to_vec()),
        ]
    }
}

/// Calls a function out of line: inlined, those of all operations would share a frame.
#[inline(never)]
fn alone<T>(operation: impl FnOnce() -> T) {
    drop(black_box(operation()));
}

/// Returns the first 64 coefficients of s1.
fn small(bytes: &[u8], eta: i32) -> impl Iterator<Item = i32> {
    let bits = if eta == 2 { 3 } else { 4 };
    let bit = move |i: usize| i32::from(bytes[i / 8] >> (i % 8) & 1);
    (0..64).map(move |j| eta - (0..bits).map(|i| bit(j * bits + i) << i).sum::<i32>())
}
