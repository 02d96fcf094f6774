//! The theorems: ML-KEM of the crate `oaklath-kem` is that of FIPS 203, for all inputs whose XOFs
//! take as many blocks, in key generation with as many numbers below q in each, as a case says.
use oaklath_prove_engine::proof::io::{Io, unwritten};
use oaklath_prove_engine::{Rows, Term, Theorem};
use oaklath_prove_opaque::{Kept, input, output, scratch};

use crate::contracts::KemContracts;
use crate::error::Error;
use crate::ml_kem::module_kem::ModuleKem;
use crate::ml_kem::variant::MlKem;
use crate::q3329::{Place, Xofs, begin};
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, Empty, EncapsulationItem, EncapsulationKeyRef,
    KemScheme, KeyPairItem,
};
use crate::standard::{
    ML_KEM_512, ML_KEM_768, ML_KEM_1024, Parameters, Standard, encapsulation_key,
};

/// The theorems about ML-KEM.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["ml_kem::keygen"],
        results: &[],
        claim: "ML-KEM.KeyGen_internal and K-PKE.KeyGen: FIPS 203, Algorithms 16 and 13, over \
                Keccak-f[1600] and the kernels above; any d and z, for the XOFs of each case",
        is_quick: false,
        prove: key_generation,
    },
    Theorem {
        kernels: &["ml_kem::encapsulate", "ml_kem::expand", "ml_kem::encrypt"],
        results: &[],
        claim: "the modulus check of FIPS 203, 7.2, ML-KEM.Encaps_internal and K-PKE.Encrypt: \
                Algorithms 17 and 14; any ek and m, for the XOFs of each case",
        is_quick: false,
        prove: encapsulation,
    },
    Theorem {
        kernels: &["ml_kem::decapsulate", "ml_kem::decrypt"],
        results: &[],
        claim: "the hash check of FIPS 203, 7.3, ML-KEM.Decaps_internal and K-PKE.Decrypt: \
                Algorithms 18 and 15, for c = c' and for others; any dk and c, for the XOFs of each case",
        is_quick: false,
        prove: decapsulation,
    },
    Theorem {
        kernels: &["ml_kem::decapsulate_bytes"],
        results: &[],
        claim: "Decaps_internal of ML-KEM-512 with the bytes of a key, and an error and zeros if \
                one of the checks of 7.2 and 7.3 fails; any dk and c, for the XOFs of each case",
        is_quick: false,
        prove: decapsulation_with_bytes,
    },
];

type SetScheme<const K: usize> = ModuleKem<MlKem, K>;

const fn xofs(name: &'static str, kept: fn(usize, Place) -> Kept) -> Xofs {
    Xofs { name, kept }
}

/// Three blocks for each entry, the least, which are enough for all except one in 120.
const USUAL: Xofs = xofs("", |_, _| Kept::Any(3));
/// Four blocks for each entry.
const FOUR: Xofs = xofs(", four blocks", |_, _| Kept::Any(4));
/// Entries side by side, above each other and of operations side by side take different numbers.
const MIXED: Xofs = xofs(", each as many blocks as its own", |_, (operation, i, j)| {
    Kept::Any([4, 3, 5, 3, 9][(2 * operation + 3 * i + j) % 5])
});

/// For key generation, which encodes rows as far as their entries are sampled: as many numbers in
/// each block as there are of a seed, whose bytes are equal.
const DRAWN: [Xofs; 4] = [
    xofs(", of seed 1", |_, place| of_seed(1, place)),
    xofs(", of seed 2", |_, place| of_seed(2, place)),
    xofs(", of seed 3", |_, place| of_seed(3, place)),
    xofs(", of seed 4", |_, place| of_seed(4, place)),
];
/// As many in each block: all, less than ever, and so few that after two blocks four bytes are
/// missing for the next block of H(ek), with eight lanes: of the first row, the second, ...
const EQUAL: [Xofs; 6] = [
    xofs(", 112 below q", |_, _| Kept::Exactly(vec![112])),
    xofs(", 30 below q", |_, _| Kept::Exactly(vec![30])),
    xofs(", 44 below q", |_, _| Kept::Exactly(vec![44])),
    xofs(", 52 below q", |_, _| Kept::Exactly(vec![52])),
    xofs(", 60 below q", |_, _| Kept::Exactly(vec![60])),
    xofs(", 68 below q", |_, _| Kept::Exactly(vec![68])),
];
/// All entries take four blocks.
const LONG: Xofs = xofs(", 86, 86, 83 and 1 below q", |_, _| long());
/// The entries of one column take four blocks, others three.
const FIRST: Xofs =
    xofs(", a longer first column", |_, (.., j)| if j == 0 { long() } else { short() });
const LAST: Xofs =
    xofs(", a longer last column", |k, (.., j)| if j + 1 == k { long() } else { short() });
/// One entry takes four blocks: of two operations one of the second.
const ONE: Xofs =
    xofs(", one longer", |_, place| if place == (0, 1, 0) { long() } else { short() });
const ONE_OF_TWO: Xofs =
    xofs(", one longer", |_, place| if place == (1, 1, 0) { long() } else { short() });
/// Entries side by side, above each other and of operations side by side have different numbers.
const UNEQUAL: Xofs = xofs(", each as many as its own", |_, (operation, i, j)| {
    match (2 * operation + 3 * i + j) % 5 {
        0 => long(),
        1 => short(),
        2 => Kept::Exactly(vec![60, 90, 99, 7]),
        3 => Kept::Exactly(vec![112]),
        _ => Kept::Exactly(vec![30]),
    }
});

/// Four blocks, of which three are too few by one: nearly as many numbers as on average.
fn long() -> Kept {
    Kept::Exactly(vec![86, 86, 83, 1, 2])
}

/// Three blocks.
fn short() -> Kept {
    Kept::Exactly(vec![87, 86, 84])
}

/// Returns how many numbers below q the XOF of an entry has of a seed, which differs between
/// operations side by side.
fn of_seed(seed: u8, (operation, i, j): Place) -> Kept {
    let seed = [seed + 16 * operation as u8; 32];
    Kept::of_sponge(168, &seed, [j as u8, i as u8], &|block| {
        let numbers = block.as_chunks().0.iter().flat_map(|[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|byte| u16::from(*byte));
            [a | (b & 15) << 8, b >> 4 | c << 4]
        });
        numbers.filter(|x| *x < 3329).count()
    })
}

/// Proves a case: see [`oaklath_prove_opaque::prove`].
fn prove(
    rows: &mut Rows,
    (case, p): (&str, Parameters),
    (first, xofs): (usize, Xofs),
    operation: &dyn Fn(&mut Io),
    algorithm: &dyn Fn(&mut Standard<'_>, &[Term]) -> Vec<Term>,
) -> Result<(), String> {
    let case = format!("{case}{}", xofs.name);
    let operation = |io: &mut Io| {
        begin(p.k, first, xofs);
        operation(io);
    };
    oaklath_prove_opaque::prove::<KemContracts>(rows, (&case, None), &operation, &|run, inputs| {
        algorithm(&mut Standard { run, p, xofs, operation: 0 }, inputs)
    })
}

/// The answers of checks, as a byte of the output: no error, that of 7.2, and that of 7.3.
const VALID: usize = 0;
const NOT_CANONICAL: usize = 1;
const OTHER_HASH: usize = 2;

/// Declares the answer of an operation as an output. Reports whether that is no error.
fn is_valid(io: &mut Io, result: Result<(), Error>) -> bool {
    let answer = match result {
        Ok(()) => VALID,
        Err(Error::EncapsulationKeyNotCanonical) => NOT_CANONICAL,
        Err(Error::DecapsulationKeyHash) => OTHER_HASH,
        Err(error) => panic!("no such error: {error}"),
    };
    output(io, &[answer as u8]);
    answer == VALID
}

/// Calls `f` for each set of parameters.
macro_rules! each_set {
    ($f:ident($rows:ident, $($case:expr),*)) => {
        $f::<2>($rows, ML_KEM_512, $($case),*)?;
        $f::<3>($rows, ML_KEM_768, $($case),*)?;
        $f::<4>($rows, ML_KEM_1024, $($case),*)?;
    };
}

/// Runs one operation, or two side by side.
fn run<T>(items: Vec<T>, one: impl FnMut(T), two: impl FnOnce([T; 2])) {
    match <[T; 2]>::try_from(items) {
        Ok(items) => two(items),
        Err(items) => items.into_iter().for_each(one),
    }
}

/// What an operation is given for a key.
#[derive(Clone, Copy, PartialEq)]
enum KeyForm {
    Bytes,
    Parsed,
    Expanded,
}

impl KeyForm {
    fn text(self) -> &'static str {
        match self {
            Self::Bytes => ", bytes of a key",
            Self::Parsed => "",
            Self::Expanded => ", expanded key",
        }
    }
}

/// How many operations are done side by side, what each is given for a key, and how many blocks its
/// XOFs take.
type Case = (usize, KeyForm, Xofs);

/// One operation with each form of a key that was checked, and with other XOFs.
const SINGLE: [Case; 5] = [
    (1, KeyForm::Parsed, USUAL),
    (1, KeyForm::Parsed, FOUR),
    (1, KeyForm::Parsed, MIXED),
    (1, KeyForm::Expanded, USUAL),
    (1, KeyForm::Expanded, MIXED),
];

/// A set, and how many operations are done side by side.
fn case_of(k: usize, n: usize) -> String {
    format!("ML-KEM-{}{}", 256 * k, if n == 2 { ", two" } else { "" })
}

fn empty<T: Empty>() -> T {
    T::EMPTY
}

fn key_generation(rows: &mut Rows) -> Result<(), String> {
    let unequal = [LONG, FIRST, LAST, ONE, UNEQUAL];
    for xofs in EQUAL.into_iter().chain(unequal).chain(DRAWN) {
        each_set!(keys_are_the_standards(rows, 1, xofs));
    }
    for xofs in [LONG, ONE_OF_TWO, UNEQUAL, DRAWN[0]] {
        each_set!(keys_are_the_standards(rows, 2, xofs));
    }
    Ok(())
}

fn keys_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    n: usize,
    xofs: Xofs,
) -> Result<(), String> {
    // In rank 4 the plan has the last entry of the first row in lane 0.
    let first = if K == 4 { 3 } else { 0 };
    let operation = |io: &mut Io| {
        let seeds: Vec<Vec<u8>> = (0..n).map(|_| input(io, 64)).collect();
        let lengths = SetScheme::<K>::LENGTHS;
        let key = |_| (unwritten(lengths.public_key), unwritten(lengths.secret_key));
        let mut keys: Vec<_> = (0..n).map(key).collect();
        let items = seeds.iter().zip(&mut keys);
        let items = items.map(|(seed, (ek, dk))| KeyPairItem { seed, ek, dk }).collect();
        run(items, SetScheme::<K>::keygen, SetScheme::<K>::keygen_two);
        for (ek, dk) in keys {
            output(io, &ek);
            output(io, &dk);
        }
    };
    prove(rows, (&case_of(K, n), p), (first, xofs), &operation, &|standard, inputs| {
        let mut key = |(operation, seed): (usize, &[Term])| {
            standard.operation = operation;
            standard.key_gen_internal(&seed[..32], &seed[32..])
        };
        inputs.chunks(64).enumerate().flat_map(&mut key).collect()
    })
}

fn encapsulation(rows: &mut Rows) -> Result<(), String> {
    each_set!(ciphertexts_are_the_standards(rows, (1, KeyForm::Bytes, USUAL)));
    for case in SINGLE {
        each_set!(ciphertexts_are_the_standards(rows, case));
    }
    each_set!(ciphertexts_are_the_standards(rows, (2, KeyForm::Parsed, USUAL)));
    each_set!(ciphertexts_are_the_standards(rows, (2, KeyForm::Parsed, MIXED)));
    Ok(())
}

fn ciphertexts_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    (n, key, xofs): Case,
) -> Result<(), String> {
    let lengths = SetScheme::<K>::LENGTHS;
    let algorithm = |standard: &mut Standard<'_>, inputs: &[Term]| {
        let items: Vec<_> =
            inputs.chunks(lengths.public_key + 32).map(|x| x.split_at(x.len() - 32)).collect();
        let mut outputs = Vec::new();
        for (ek, _) in &items {
            let is_valid = standard.check_encapsulation_key(ek);
            outputs.push(standard.byte(if is_valid { VALID } else { NOT_CANONICAL }));
            if !is_valid {
                return outputs;
            }
        }
        for (operation, (ek, m)) in items.into_iter().enumerate() {
            standard.operation = operation;
            outputs.extend(standard.encaps_internal(ek, m));
        }
        outputs
    };
    let operation = |io: &mut Io| match key {
        KeyForm::Bytes => encapsulate_bytes::<K>(io),
        _ => encapsulate::<K>(io, n, key == KeyForm::Expanded),
    };
    let case = case_of(K, n) + key.text();
    prove(rows, (&case, p), (0, xofs), &operation, &algorithm)
}

/// Encapsulates to the bytes of a key, if their check succeeds.
fn encapsulate_bytes<const K: usize>(io: &mut Io) {
    let lengths = SetScheme::<K>::LENGTHS;
    let (ek, m) = (input(io, lengths.public_key), input(io, 32));
    scratch!(shared: [u8; 32]);
    let mut c = unwritten(lengths.ciphertext);
    let item = EncapsulationItem { key: &ek[..], coins: &m, c: &mut c, shared };
    if is_valid(io, SetScheme::<K>::encapsulate_bytes(item)) {
        output(io, &c);
        output(io, shared);
    }
}

/// Encapsulates to keys that are parsed, if their check succeeds.
fn encapsulate<const K: usize>(io: &mut Io, n: usize, is_expanded: bool) {
    let lengths = SetScheme::<K>::LENGTHS;
    let inputs: Vec<_> = (0..n).map(|_| (input(io, lengths.public_key), input(io, 32))).collect();
    let mut keys = Vec::new();
    for (ek, _) in &inputs {
        let (mut public, expanded) = (empty(), empty());
        if !is_valid(io, SetScheme::<K>::parse_public(&mut public, ek)) {
            return;
        }
        keys.push((ek, public, expanded));
    }
    for (ek, _, expanded) in keys.iter_mut().filter(|_| is_expanded) {
        SetScheme::<K>::expand(expanded, ek);
    }
    scratch!(secrets: [[u8; 32]; 2]);
    let mut results: Vec<_> =
        secrets[..n].iter_mut().map(|shared| (unwritten(lengths.ciphertext), shared)).collect();
    let items = inputs.iter().zip(&keys).zip(&mut results);
    let items = items.map(|(((_, m), (ek, parsed, expanded)), (c, shared))| {
        let expanded = is_expanded.then_some(expanded);
        let key = EncapsulationKeyRef { bytes: ek, parsed, expanded };
        EncapsulationItem { key, coins: m, c, shared }
    });
    let two = SetScheme::<K>::encapsulate_two;
    run(items.collect(), SetScheme::<K>::encapsulate, two);
    for (c, shared) in results {
        output(io, &c);
        output(io, shared);
    }
}

fn decapsulation(rows: &mut Rows) -> Result<(), String> {
    for case in SINGLE {
        each_set!(secrets_are_the_standards(rows, case));
    }
    each_set!(secrets_are_the_standards(rows, (2, KeyForm::Parsed, USUAL)));
    Ok(())
}

fn secrets_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    (n, key, xofs): Case,
) -> Result<(), String> {
    let lengths = SetScheme::<K>::LENGTHS;
    let algorithm = |standard: &mut Standard<'_>, inputs: &[Term]| {
        let items = inputs.chunks(lengths.secret_key + lengths.ciphertext);
        let items: Vec<_> = items.map(|x| x.split_at(lengths.secret_key)).collect();
        let mut outputs = Vec::new();
        for (dk, _) in &items {
            let answer = if !standard.check_hash(dk) {
                OTHER_HASH
            } else if !standard.check_encapsulation_key(encapsulation_key(K, dk)) {
                NOT_CANONICAL
            } else {
                VALID
            };
            outputs.push(standard.byte(answer));
            if answer != VALID {
                return outputs;
            }
        }
        for (operation, (dk, c)) in items.into_iter().enumerate() {
            standard.operation = operation;
            outputs.extend(standard.decaps_internal(dk, c));
        }
        outputs
    };
    let operation = |io: &mut Io| decapsulate::<K>(io, n, key == KeyForm::Expanded);
    let case = case_of(K, n) + key.text();
    prove(rows, (&case, p), (0, xofs), &operation, &algorithm)
}

/// Decapsulates with keys that are parsed, if their checks succeed.
fn decapsulate<const K: usize>(io: &mut Io, n: usize, is_expanded: bool) {
    let lengths = SetScheme::<K>::LENGTHS;
    let inputs: Vec<_> =
        (0..n).map(|_| (input(io, lengths.secret_key), input(io, lengths.ciphertext))).collect();
    let mut keys = Vec::new();
    for (dk, _) in &inputs {
        let (mut secret, mut public, expanded) = (empty(), empty(), empty());
        let mut ek = unwritten(lengths.public_key);
        let result = SetScheme::<K>::parse_secret(&mut secret, &mut public, &mut ek, dk);
        if !is_valid(io, result) {
            return;
        }
        keys.push((ek, secret, public, expanded));
    }
    for (ek, .., expanded) in keys.iter_mut().filter(|_| is_expanded) {
        SetScheme::<K>::expand(expanded, ek);
    }
    scratch!(results: [[u8; 32]; 2]);
    let results = &mut results[..n];
    let items = inputs.iter().zip(&keys).zip(&mut *results);
    let items = items.map(|(((_, c), (ek, secret, parsed, expanded)), shared)| {
        let expanded = is_expanded.then_some(expanded);
        let public = EncapsulationKeyRef { bytes: ek, parsed, expanded };
        DecapsulationItem { key: DecapsulationKeyRef { public, secret }, c, shared }
    });
    let two = SetScheme::<K>::decapsulate_two;
    run(items.collect(), SetScheme::<K>::decapsulate, two);
    results.iter().for_each(|shared| output(io, shared));
}

/// Of the smallest set: the checks do not end what is computed, so all answers are recorded.
fn decapsulation_with_bytes(rows: &mut Rows) -> Result<(), String> {
    let lengths = SetScheme::<2>::LENGTHS;
    let operation = |io: &mut Io| {
        let (dk, c) = (input(io, lengths.secret_key), input(io, lengths.ciphertext));
        scratch!(shared: [u8; 32]);
        let item = DecapsulationItem { key: &dk[..], c: &c, shared };
        is_valid(io, SetScheme::<2>::decapsulate_bytes(item));
        output(io, shared);
    };
    prove(rows, (&case_of(2, 1), ML_KEM_512), (0, USUAL), &operation, &|standard, inputs| {
        let (dk, c) = inputs.split_at(lengths.secret_key);
        let is_canonical = standard.check_encapsulation_key(encapsulation_key(2, dk));
        let key = standard.decaps_internal(dk, c);
        let answer = match (standard.check_hash(dk), is_canonical) {
            (false, _) => OTHER_HASH,
            (true, false) => NOT_CANONICAL,
            (true, true) => VALID,
        };
        let key = if answer == VALID { key } else { vec![standard.byte(0); 32] };
        [vec![standard.byte(answer)], key].concat()
    })
}
