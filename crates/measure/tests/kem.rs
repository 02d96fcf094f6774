//! The memory that key encapsulation takes: every operation of every algorithm at every level stays
//! within 32 KiB of stack, and those on bytes do not allocate. `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_kem::{Decapsulate, Kem};
use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const LIMIT: usize = 32 * 1024;

/// Stack of the measured thread: an operation beyond the limit is reported, not a crash.
const ROOM: usize = 1 << 20;

#[test]
fn operations_stay_within_32_kib_of_stack() {
    println!(
        "{:12} {:8} bytes of stack: {}",
        "algorithm",
        "level",
        Operands::OPERATIONS.join(", ")
    );
    let mut too_deep = Vec::new();
    for kem in oaklath_kem::all() {
        for level in Level::available() {
            let name = kem.info().name;
            let depths: Vec<usize> =
                (0..Operands::OPERATIONS.len()).map(|i| depth(*kem, level, i)).collect();
            println!("{name:12} {level:8} {depths:?}");
            // One polynomial alone is 512 bytes: less would mean that the measurement missed it.
            assert!(depths.iter().all(|&depth| depth >= 512), "{name} at {level}: {depths:?}");
            if depths.iter().any(|&depth| depth > LIMIT) {
                too_deep.push(format!("{name} at {level}: {depths:?}"));
            }
        }
    }
    assert!(too_deep.is_empty(), "beyond {LIMIT} bytes of stack: {too_deep:#?}");
}

/// A first run in the same thread settles what is detected and initialised once.
fn depth(kem: &'static dyn Kem, level: Level, operation: usize) -> usize {
    let mut operands = Operands::new(kem);
    operands.run(operation);
    let painted = on_painted_stack(ROOM, move || level.with(|| operands.run(operation)));
    painted.expect("a thread with a megabyte of stack").depth
}

#[test]
fn operations_on_bytes_do_not_allocate() {
    for kem in oaklath_kem::all() {
        for level in Level::available() {
            let mut operands = Operands::new(*kem);
            for operation in 0..Operands::WITHOUT_ALLOCATION {
                let run = || level.with(|| operands.run(operation));
                let ((), seen) = count_allocations(run);
                assert_eq!(
                    seen,
                    Allocations::default(),
                    "{} {} at {level}",
                    kem.info().name,
                    Operands::OPERATIONS[operation]
                );
            }
        }
    }
}

/// After an operation no copy of its secrets lies on the stack: not z, not the decapsulation key as
/// bytes or as coefficients, not the coins or the shared secret.
#[test]
fn operations_leave_no_secrets_on_the_stack() {
    for kem in oaklath_kem::all() {
        for level in Level::available() {
            for (operation, name) in Operands::OPERATIONS.iter().enumerate() {
                let mut operands = Operands::new(*kem);
                let secrets = operands.secrets();
                let run = || level.with(|| operands.run(operation));
                let ((), left) = stack_left_by(ROOM, run).expect("a thread with a stack");
                for (what, secret) in secrets {
                    let copies = left.windows(secret.len()).filter(|w| *w == secret).count();
                    assert_eq!(copies, 0, "{} {name} at {level}: {what}", kem.info().name);
                }
            }
        }
    }
}

/// Everything the operations read and write, allocated beforehand.
struct Operands {
    kem: &'static dyn Kem,
    public: Vec<u8>,
    secret: Vec<u8>,
    ciphertext: Vec<u8>,
    shared: Vec<u8>,
    prepared: Box<dyn Decapsulate>,
}

impl Operands {
    const OPERATIONS: [&str; 6] = [
        "keygen",
        "encapsulate",
        "decapsulate",
        "decapsulate-prepared",
        // These allocate: they make a key that is kept.
        "prepare",
        "generate",
    ];
    const WITHOUT_ALLOCATION: usize = 4;

    fn new(kem: &'static dyn Kem) -> Self {
        let info = kem.info();
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        kem.keypair_from(&[1; 64], &mut public, &mut secret).expect("a seed of 64 bytes");
        let (mut ciphertext, mut shared) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
        kem.encapsulate_from(&[2; 32], &public, &mut ciphertext, &mut shared).expect("a good key");
        let prepared = kem.prepare(&secret).expect("a good key");
        Self { kem, public, secret, ciphertext, shared, prepared }
    }

    /// Sixteen bytes of each secret.
    fn secrets(&self) -> [(&'static str, [u8; 16]); 5] {
        let first = |bytes: &[u8]| *bytes.first_chunk().expect("16 bytes");
        let mut coefficients = [0; 16];
        // The first eight coefficients of s, 12 bits each in the key, 16 in memory.
        for (pair, bytes) in coefficients.chunks_mut(4).zip(self.secret.chunks(3)) {
            pair.copy_from_slice(&[
                bytes[0],
                bytes[1] & 15,
                bytes[1] >> 4 | bytes[2] << 4,
                bytes[2] >> 4,
            ]);
        }
        [
            ("z", [1; 16]),
            ("the key's bytes", first(&self.secret)),
            ("the key's coefficients", coefficients),
            ("the coins", [2; 16]),
            ("the shared secret", first(&self.shared)),
        ]
    }

    fn run(&mut self, operation: usize) {
        let Self { kem, public, secret, ciphertext, shared, prepared } = self;
        let result = match Self::OPERATIONS[operation] {
            "keygen" => kem.keypair_from(&[1; 64], public, secret),
            "encapsulate" => kem.encapsulate_from(&[2; 32], public, ciphertext, shared),
            "decapsulate" => kem.decapsulate(secret, ciphertext, shared),
            "prepare" => kem.prepare(secret).map(|key| *prepared = key),
            "generate" => kem.generate_from(&[1; 64], public).map(|key| *prepared = key),
            _ => prepared.decapsulate(ciphertext, shared),
        };
        black_box(result).expect("operands of the right lengths");
    }
}
