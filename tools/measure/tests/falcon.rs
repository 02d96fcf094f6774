//! The memory of Falcon and FN-DSA: every operation of all sets at every level stays within its
//! limits of stack and heap, and none leaves secrets behind. `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};
use oaklath_sig::{
    Error, Falcon512, Falcon1024, FalconSet, FnDsa512, FnDsa1024, Message, Sign, Signature,
    SigningKey, Verify, verify_many,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const KIB: usize = 1024;

/// Stack of the measured thread, in bytes: exceeding a limit is reported instead of a crash.
const ROOM: usize = 1 << 20;

/// Operations, with their limits of stack for 512 and 1024, and of heap at once, in bytes.
const OPERATIONS: [(&str, [usize; 2], [usize; 2]); 11] = [
    ("keygen", [16 * KIB, 16 * KIB], [64 * KIB, 128 * KIB]),
    ("public key of the private one", [32 * KIB, 64 * KIB], [0, 0]),
    ("sign", [128 * KIB, 240 * KIB], [17 * KIB, 33 * KIB]),
    ("verify", [16 * KIB, 24 * KIB], [0, 0]),
    ("sign-prepared", [56 * KIB, 80 * KIB], [17 * KIB, 33 * KIB]),
    ("verify-prepared", [12 * KIB, 20 * KIB], [0, 0]),
    ("verify many", [32 * KIB, 48 * KIB], [0, 0]),
    ("sign-low-memory", [38 * KIB, 78 * KIB], [27 * KIB, 28 * KIB]),
    ("sign-emulated", [32 * KIB, 72 * KIB], [27 * KIB, 28 * KIB]),
    // Making keys that are kept.
    ("prepare the signer", [80 * KIB, 152 * KIB], [72 * KIB, 144 * KIB]),
    ("prepare the verifier", [8 * KIB, 12 * KIB], [2 * KIB, 3 * KIB]),
];

#[test]
fn operations_stay_within_their_memory() {
    stays_within::<Falcon512>(0, spread(NONCE));
    stays_within::<Falcon1024>(1, spread(NONCE));
    stays_within::<FnDsa512>(0, spread(NONCE));
    stays_within::<FnDsa1024>(1, spread(NONCE));
}

fn stays_within<P: FalconSet<Seed = [u8; SEED]>>(set: usize, random: P::Coins) {
    let name = P::INFO.name;
    for level in Level::available() {
        for (operation, (what, stack, heap)) in OPERATIONS.iter().enumerate() {
            let mut operands = Operands::<P>::new(random.clone());
            // The first run absorbs everything that is detected and initialised once.
            operands.run(operation);
            let ((), seen) = count_allocations(|| level.with(|| operands.run(operation)));
            let run = move || level.with(|| operands.run(operation));
            let depth = on_painted_stack(ROOM, run).expect("a thread with a stack").depth;
            println!("{name:12} {level:8} {what}: {depth}, {}", seen.peak);
            // A polynomial alone is 1 KiB: with less, the measurement would have missed it.
            assert!((KIB..=stack[set]).contains(&depth), "{name} {what} at {level}: {depth}");
            assert!(seen.peak <= heap[set], "{name} {what} at {level}: {} of heap", seen.peak);
            assert_eq!(seen.kept, 0, "{name} {what} at {level}");
            if heap[set] == 0 {
                assert_eq!(seen, Allocations::default(), "{name} {what} at {level}");
            }
        }
    }
}

#[test]
fn operations_leave_no_secrets_on_the_stack() {
    leaves_no_secrets::<Falcon512>(spread(NONCE));
    leaves_no_secrets::<Falcon1024>(spread(NONCE));
    leaves_no_secrets::<FnDsa512>(spread(NONCE));
    leaves_no_secrets::<FnDsa1024>(spread(NONCE));
}

/// Checks that an operation leaves no copy of its secrets on the stack: no seed, nor f, g or F as
/// bytes, as coefficients or as doubles.
fn leaves_no_secrets<P: FalconSet<Seed = [u8; SEED]>>(random: P::Coins) {
    for level in Level::available() {
        for (operation, (what, ..)) in OPERATIONS.iter().enumerate() {
            let mut operands = Operands::<P>::new(random.clone());
            let secrets = operands.secrets();
            let run = || level.with(|| operands.run(operation));
            let ((), left) = stack_left_by(ROOM, run).expect("a thread with a stack");
            for (secret, bytes) in secrets {
                let copies = left.windows(bytes.len()).filter(|w| *w == bytes).count();
                assert_eq!(copies, 0, "{} {what} at {level}: {secret}", P::INFO.name);
            }
        }
    }
}

const MESSAGE: Message<'_> = Message::new(b"a message");

/// Returns a seed, or a nonce with the sampler's seed: bytes that occur nowhere by chance.
const fn spread<const LEN: usize>(first: u8) -> [u8; LEN] {
    let (mut bytes, mut i) = ([0; LEN], 0);
    while i < LEN {
        bytes[i] = first.wrapping_add((i as u8).wrapping_mul(0x35));
        i += 1;
    }
    bytes
}

const SEED: usize = 48;
const KEY_SEED: [u8; SEED] = spread(0x51);
/// The first byte of a nonce and the bytes after it.
const NONCE: u8 = 0x1d;

/// Everything the operations read and write, allocated beforehand.
struct Operands<P: FalconSet<Seed = [u8; SEED]>> {
    random: P::Coins,
    scheme: &'static dyn Signature,
    public: Vec<u8>,
    secret: Vec<u8>,
    signature: Vec<u8>,
    len: usize,
    key: SigningKey<P>,
    signer: Box<dyn Sign>,
    verifier: Box<dyn Verify>,
}

impl<P: FalconSet<Seed = [u8; SEED]>> Operands<P> {
    fn new(random: P::Coins) -> Self {
        let scheme = oaklath_sig::by_info(P::INFO).expect("a set of this build");
        let key = SigningKey::<P>::from_seed(&KEY_SEED);
        let (public, secret) = (key.verifying_key().as_bytes().to_vec(), key.as_bytes().to_vec());
        let mut signature = vec![0; P::INFO.signature];
        let coins = Some(random.as_ref());
        let len = scheme.sign(&secret, &MESSAGE, coins, &mut signature).expect("a key");
        let signer = scheme.prepare_signer(&secret).expect("a good key");
        let verifier = scheme.prepare_verifier(&public).expect("a good key");
        Self { random, scheme, public, secret, signature, len, key, signer, verifier }
    }

    fn run(&mut self, operation: usize) {
        let Self { random, scheme, public, secret, signature, len, key, signer, verifier } = self;
        let coins = Some(random.as_ref());
        match operation {
            0 => scheme.keypair_from(&KEY_SEED, public, secret).expect("a good seed"),
            1 => scheme.public_key(secret, public).expect("a good key"),
            2 => drop(scheme.sign(secret, &MESSAGE, coins, signature).expect("a good key")),
            3 => scheme.verify(public, &MESSAGE, &signature[..*len]).expect("a good signature"),
            4 => drop(signer.sign(&MESSAGE, coins, signature).expect("a good key")),
            5 => verifier.verify(&MESSAGE, &signature[..*len]).expect("a good signature"),
            6 => {
                let mut results = [Err(Error::Fault); 9];
                verify_many(&[(&**verifier, MESSAGE, &signature[..*len]); 9], &mut results);
                assert_eq!(results, [Ok(()); 9]);
            }
            7 => drop(black_box(
                key.sign_low_memory(&MESSAGE, coins, signature).expect("a good key"),
            )),
            8 => drop(black_box(
                key.sign_emulated(&MESSAGE, random.as_ref(), signature).expect("a good key"),
            )),
            9 => drop(black_box(scheme.prepare_signer(secret).expect("a good key"))),
            _ => drop(black_box(scheme.prepare_verifier(public).expect("a good key"))),
        }
    }

    /// Returns pieces of the secrets of at least 32 bytes, which are unlikely to be in memory by
    /// chance.
    fn secrets(&self) -> Vec<(&'static str, Vec<u8>)> {
        // The header, f and g, and a byte for each coefficient of F.
        let n = self.secret.len().next_power_of_two() >> 2;
        let bits = if n == 512 { 6 } else { 5 };
        let large = &self.secret[1 + 2 * n * bits / 8..];
        let from_low = P::INFO.variable.is_none();
        let f: Vec<i8> = small(&self.secret[1..], bits, from_low).collect();
        let wide = |bytes: fn(i8) -> Vec<u8>| f.iter().flat_map(|x| bytes(*x)).collect();
        vec![
            ("the seed of the key", KEY_SEED.to_vec()),
            (
                "the seed of the sampler",
                self.random.as_ref()[self.random.as_ref().len() - 40..].to_vec(),
            ),
            ("bytes of f", self.secret[1..41].to_vec()),
            ("bytes of F", large[..40].to_vec()),
            ("f, a byte each", wide(|x| vec![x as u8])),
            ("f, two bytes each", wide(|x| i16::from(x).to_le_bytes().to_vec())),
            ("f as doubles", wide(|x| f64::from(x).to_le_bytes().to_vec())),
        ]
    }
}

/// Returns the first 40 coefficients of f, `bits` each, from the low or the high end of bytes on.
fn small(bytes: &[u8], bits: usize, from_low: bool) -> impl Iterator<Item = i8> {
    let bit = move |i: usize| bytes[i / 8] >> (if from_low { i % 8 } else { 7 - i % 8 }) & 1;
    (0..40).map(move |j| {
        let field = (0..bits)
            .fold(0, |x, i| x | bit(j * bits + i) << (if from_low { i } else { bits - 1 - i }));
        (field << (8 - bits)) as i8 >> (8 - bits)
    })
}
