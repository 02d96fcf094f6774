//! The memory of signatures by hash trees: signing stays within 256 KiB of stack and 8 MiB of heap
//! and keeps nothing, verifying within 32 KiB of stack and no heap; a prepared key keeps the top
//! tree and nothing that grows. `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};
use oaklath_sig::{Message, Sign, Signature};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SIGN_STACK: usize = 256 * 1024;
const SIGN_HEAP: usize = 8 * 1024 * 1024;
const VERIFY_STACK: usize = 32 * 1024;

/// Stack of the measured thread, in bytes: exceeding a limit is reported instead of a crash.
const ROOM: usize = 1 << 20;

/// Returns sets that need memory for different things: long nodes, many layers, tall trees.
fn sets() -> impl Iterator<Item = &'static dyn Signature> {
    const NAMES: [&str; 8] = [
        "SPHINCS+-SHAKE256-256s-simple",
        "SLH-DSA-SHAKE-256s",
        "SLH-DSA-SHAKE-128f",
        "SLH-DSA-SHAKE-256f",
        "SLH-DSA-SHA2-128f",
        "SLH-DSA-SHA2-192s",
        "SLH-DSA-SHA2-256f",
        "SLH-DSA-SHA2-256s",
    ];
    NAMES.into_iter().map(|name| oaklath_sig::by_name(name).expect("a set of this build"))
}

#[test]
fn operations_stay_within_their_memory() {
    println!("{:20} {:8} {}: stack, heap at the peak", "set", "level", OPERATIONS.join(", "));
    for scheme in sets() {
        let name = scheme.info().name;
        let slow = is_slow(name);
        for level in Level::available().filter(|level| !slow || level.name() != "scalar") {
            let mut operands = Operands::new(scheme);
            for (operation, what) in OPERATIONS.iter().enumerate() {
                let ((), seen) = count_allocations(|| level.with(|| operands.run(operation)));
                let mut in_thread = Operands::new(scheme);
                let painted = on_painted_stack(ROOM, move || {
                    level.with(|| in_thread.run(operation));
                });
                let depth = painted.expect("a thread with a megabyte of stack").depth;
                println!("{name:20} {level:8} {what}: {depth}, {}", seen.peak);
                assert!(
                    seen.kept == 0 || keeps_nothing(|| level.with(|| operands.run(operation))),
                    "{what} of {name} at {level}"
                );
                let (stack, heap) = match *what {
                    "verify" => (VERIFY_STACK, 0),
                    _ => (SIGN_STACK, SIGN_HEAP),
                };
                assert!(depth >= 512, "the measurement missed it");
                assert!(depth <= stack, "{what} of {name} at {level}: {depth} bytes of stack");
                assert!(
                    seen.peak <= heap,
                    "{what} of {name} at {level}: {} bytes of heap",
                    seen.peak
                );
                if *what == "verify" {
                    assert_eq!(seen, Allocations::default(), "{name} at {level}");
                }
            }
        }
    }
}

/// A prepared key keeps the leaves of the top tree, the key, and a few words about them.
#[test]
fn prepared_keys_keep_the_top_tree() {
    const MOST: usize = 16 * 1024;
    for scheme in sets() {
        let info = scheme.info();
        let secret = Operands::new(scheme).secret;
        let (prepared, seen) = count_allocations(|| scheme.prepare_signer(&secret));
        let signer = prepared.expect("a good key");
        println!("{:30} a prepared key: {} bytes", info.name, seen.kept);
        assert!((info.secret_key..=MOST).contains(&seen.kept), "{}: {}", info.name, seen.kept);
        let mut signature = vec![0; info.signature];
        let sign = || {
            for _ in 0..2 {
                signer.sign(&MESSAGE, None, &mut signature).expect("a good key");
            }
        };
        assert!(keeps_nothing(sign), "{}", info.name);
    }
}

/// Reports whether one of three runs keeps no memory. With the feature `parallel` rayon's queue
/// allocates a block now and then; memory that a signature kept would show in every run.
fn keeps_nothing(mut run: impl FnMut()) -> bool {
    (0..3).any(|_| count_allocations(&mut run).1.kept == 0)
}

/// Reports whether a set is one of those in `s`, which take up to a second to sign.
fn is_slow(name: &str) -> bool {
    ["128s", "192s", "256s"].iter().any(|set| name.contains(set))
}

/// No operation leaves a copy of its secrets on the stack.
#[test]
fn operations_leave_no_secrets_on_the_stack() {
    for scheme in sets().filter(|scheme| !is_slow(scheme.info().name)) {
        for level in Level::available() {
            for (operation, what) in OPERATIONS.iter().enumerate() {
                let mut operands = Operands::new(scheme);
                let run = || level.with(|| operands.run(operation));
                let ((), left) = stack_left_by(ROOM, run).expect("a thread with a stack");
                for (secret, byte) in [("SK.seed", 1), ("SK.prf", 2)] {
                    let copies = left.windows(16).filter(|w| *w == [byte; 16]).count();
                    let name = scheme.info().name;
                    assert_eq!(copies, 0, "{name} {what} at {level}: {secret}");
                }
            }
        }
    }
}

const OPERATIONS: [&str; 4] = ["keygen", "sign", "sign-prepared", "verify"];

/// Everything the operations read and write, allocated beforehand.
struct Operands {
    scheme: &'static dyn Signature,
    seed: Vec<u8>,
    public: Vec<u8>,
    secret: Vec<u8>,
    signature: Vec<u8>,
    prepared: Box<dyn Sign>,
}

impl Operands {
    fn new(scheme: &'static dyn Signature) -> Self {
        let (info, n) = (scheme.info(), scheme.coins_len());
        let seed = [vec![1; n], vec![2; n], vec![3; n]].concat();
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&seed, &mut public, &mut secret).expect("a seed");
        let mut signature = vec![0; info.signature];
        scheme.sign(&secret, &MESSAGE, None, &mut signature).expect("a good key");
        let prepared = scheme.prepare_signer(&secret).expect("a good key");
        Self { scheme, seed, public, secret, signature, prepared }
    }

    fn run(&mut self, operation: usize) {
        let Self { scheme, seed, public, secret, signature, prepared } = self;
        let result = match OPERATIONS[operation] {
            "keygen" => scheme.keypair_from(seed, public, secret),
            "sign" => scheme.sign(secret, &MESSAGE, None, signature).map(|_| ()),
            "sign-prepared" => prepared.sign(&MESSAGE, None, signature).map(|_| ()),
            _ => scheme.verify(public, &MESSAGE, signature),
        };
        black_box(result).expect("operands of the right lengths");
    }
}

const MESSAGE: Message<'static> = Message::new(b"message");
