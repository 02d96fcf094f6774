//! The memory of key encapsulation: every operation of every algorithm at every level stays within
//! its limit of stack, and those on bytes do not allocate. `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_kem::{
    Decapsulate, DecapsulationItem, EncapsulationItem, Kem, KemBatch, KeyPairItem, batch_of,
};
use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns the limit in bytes: 32 KiB for ML-KEM and Kyber, twice as much for two operations side
/// by side. NTRU and SABER multiply with polynomials at 63 points, eight times their size. A key of
/// many decapsulations is expanded on the stack.
fn limit(kem: &dyn Kem, operation: usize) -> usize {
    match kem.info().name {
        _ if Operands::OPERATIONS[operation] == WITH_ONE_KEY => 96 * 1024,
        name if name.starts_with("NTRU") => 64 * 1024,
        name if name.ends_with("Saber-KEM") => 56 * 1024,
        _ if Operands::OPERATIONS[operation].ends_with("-many") => 64 * 1024,
        _ => 32 * 1024,
    }
}

const WITH_ONE_KEY: &str = "decapsulate-many-with-one-key";

/// Stack of the measured thread, in bytes: exceeding a limit is reported instead of a crash.
const ROOM: usize = 1 << 20;

#[test]
fn operations_stay_within_their_limit_of_stack() {
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
            // A polynomial alone is 512 bytes: with less, the measurement would have missed it.
            assert!(depths.iter().all(|&depth| depth >= 512), "{name} at {level}: {depths:?}");
            if depths.iter().enumerate().any(|(i, &depth)| depth > limit(*kem, i)) {
                too_deep.push(format!("{name} at {level}: {depths:?}"));
            }
        }
    }
    assert!(too_deep.is_empty(), "beyond the limit: {too_deep:#?}");
}

/// Measures the stack, after a first run in the same thread that initialises what is done once.
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

/// No operation leaves a copy of its secrets on the stack: neither z nor the decapsulation key as
/// bytes or as coefficients, nor the coins or the shared secret.
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
    seed: Vec<u8>,
    coins: Vec<u8>,
    public: Vec<u8>,
    secret: Vec<u8>,
    ciphertext: Vec<u8>,
    shared: Vec<u8>,
    prepared: Box<dyn Decapsulate>,
    batch: &'static dyn KemBatch,
    /// The outputs of a second item: keys, ciphertext, shared secret.
    second: [Vec<u8>; 4],
    /// The shared secret of a third item.
    third: [u8; 32],
}

impl Operands {
    const OPERATIONS: [&str; 10] = [
        "keygen",
        "encapsulate",
        "decapsulate",
        "decapsulate-prepared",
        "keygen-many",
        "encapsulate-many",
        "decapsulate-many",
        WITH_ONE_KEY,
        // The following allocate: they make a key that is kept.
        "prepare",
        "generate",
    ];
    const WITHOUT_ALLOCATION: usize = 8;

    fn new(kem: &'static dyn Kem) -> Self {
        let info = kem.info();
        let (seed, coins) = (bytes(1, kem.seed_len()), bytes(2, kem.coins_len()));
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        kem.keypair_from(&seed, &mut public, &mut secret).expect("a seed of that length");
        let (mut ciphertext, mut shared) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
        kem.encapsulate_from(&coins, &public, &mut ciphertext, &mut shared).expect("a good key");
        let prepared = kem.prepare(&secret).expect("a good key");
        let second = [&public, &secret, &ciphertext, &shared].map(Clone::clone);
        let batch = batch_of(kem).expect("a KEM of the crate");
        let third = [0; 32];
        Self {
            kem,
            seed,
            coins,
            public,
            secret,
            ciphertext,
            shared,
            prepared,
            batch,
            second,
            third,
        }
    }

    /// Returns the beginning of each secret.
    fn secrets(&self) -> [(&'static str, Vec<u8>); 5] {
        let first = |bytes: &[u8]| bytes[..16].to_vec();
        [
            ("z", self.seed[self.seed.len() - 32..][..16].to_vec()),
            ("the key's bytes", first(&self.secret)),
            ("the key's coefficients", self.coefficients()),
            ("the coins", first(&self.coins)),
            ("the shared secret", first(&self.shared)),
        ]
    }

    /// Returns the first coefficients of s or f as they are in memory, 16 bits each: the key has
    /// fields of 12 or 13 bits, or trits, of which more are needed to rule out chance.
    fn coefficients(&self) -> Vec<u8> {
        let field = |bits: usize, i: usize| {
            let at = bits * i;
            let word = u32::from_le_bytes(*self.secret[at / 8..].first_chunk().expect("a word"));
            (word >> (at % 8)) as i16 & ((1 << bits) - 1)
        };
        let trit = |i: usize| match u32::from(self.secret[i / 5]) / 3_u32.pow(i as u32 % 5) % 3 {
            2 => -1,
            trit => trit as i16,
        };
        let coefficients: Vec<i16> = match self.kem.info().name {
            name if name.starts_with("NTRU") => (0..32).map(trit).collect(),
            name if name.ends_with("Saber-KEM") => {
                (0..32).map(|i| field(13, i) << 3 >> 3).collect()
            }
            _ => (0..8).map(|i| field(12, i)).collect(),
        };
        coefficients.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn run(&mut self, operation: usize) {
        let Self { kem, seed, coins, public, secret, ciphertext, shared, .. } = self;
        let Self { prepared, batch, second, third, .. } = self;
        let [public2, secret2, ciphertext2, shared2] = second;
        let [secrets, secrets2] = [&mut *shared, shared2].map(|bytes| bytes.first_chunk_mut());
        let (secrets, secrets2) = (secrets.expect("32 bytes"), secrets2.expect("32 bytes"));
        let mut results = [Ok(()); 3];
        let result = match Self::OPERATIONS[operation] {
            "keygen" => kem.keypair_from(seed, public, secret),
            "encapsulate" => kem.encapsulate_from(coins, public, ciphertext, shared),
            "decapsulate" => kem.decapsulate(secret, ciphertext, shared),
            "prepare" => kem.prepare(secret).map(|key| *prepared = key),
            "keygen-many" => {
                let mut items = [
                    KeyPairItem { seed, ek: public, dk: secret },
                    KeyPairItem { seed, ek: public2, dk: secret2 },
                ];
                batch.generate_many(&mut items, &mut results[..2]);
                results[0].and(results[1])
            }
            "encapsulate-many" => {
                let mut items = [
                    EncapsulationItem { key: &public[..], coins, c: ciphertext, shared: secrets },
                    EncapsulationItem {
                        key: &public2[..],
                        coins,
                        c: ciphertext2,
                        shared: secrets2,
                    },
                ];
                batch.encapsulate_many(&mut items, &mut results[..2]);
                results[0].and(results[1])
            }
            "decapsulate-many" => {
                let mut items = [
                    DecapsulationItem { key: &secret[..], c: ciphertext, shared: secrets },
                    DecapsulationItem { key: &secret2[..], c: ciphertext2, shared: secrets2 },
                ];
                batch.decapsulate_many(&mut items, &mut results[..2]);
                results[0].and(results[1])
            }
            WITH_ONE_KEY => {
                let mut items = [secrets, secrets2, third].map(|shared| DecapsulationItem {
                    key: &secret[..],
                    c: ciphertext,
                    shared,
                });
                batch.decapsulate_many(&mut items, &mut results);
                results[0].and(results[1]).and(results[2])
            }
            "generate" => kem.generate_from(seed, public).map(|key| *prepared = key),
            _ => prepared.decapsulate(ciphertext, shared),
        };
        black_box(result).expect("operands of the right lengths");
    }
}

/// Returns bytes without a pattern.
fn bytes(mut x: u32, len: usize) -> Vec<u8> {
    let next = || {
        x = x.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (x >> 24) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}
