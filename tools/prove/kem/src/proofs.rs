//! The theorems: ML-KEM of the crate `oaklath-kem` is that of FIPS 203, whatever its inputs are,
//! for XOFs whose blocks have as many numbers below q as a case says.
use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::{Rows, Term, Theorem};
use oaklath_prove_opaque::{Kept, input, output};

use crate::contracts::KemContracts;
use crate::ml_kem::module_kem::ModuleKem;
use crate::ml_kem::variant::MlKem;
use crate::q3329::BELOW_Q;
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
                Keccak-f[1600] and the kernels above; any d and z",
        is_quick: false,
        prove: key_generation,
    },
    Theorem {
        kernels: &["ml_kem::encapsulate", "ml_kem::expand", "ml_kem::encrypt"],
        results: &[],
        claim: "the modulus check of FIPS 203, 7.2, ML-KEM.Encaps_internal and K-PKE.Encrypt: \
                Algorithms 17 and 14; any ek and m",
        is_quick: false,
        prove: encapsulation,
    },
    Theorem {
        kernels: &["ml_kem::decapsulate", "ml_kem::decrypt"],
        results: &[],
        claim: "the hash check of FIPS 203, 7.3, ML-KEM.Decaps_internal and K-PKE.Decrypt: \
                Algorithms 18 and 15, for c = c' and for others; any dk and c",
        is_quick: false,
        prove: decapsulation,
    },
    Theorem {
        kernels: &["ml_kem::decapsulate_bytes"],
        results: &[],
        claim: "Decaps_internal of ML-KEM-512 with the bytes of a key, and zeros if one of the \
                checks of 7.2 and 7.3 fails; any dk and c",
        is_quick: false,
        prove: decapsulation_with_bytes,
    },
];

type SetScheme<const K: usize> = ModuleKem<MlKem, K>;

/// How many numbers below q the blocks of each XOF have: nearly as many as on average, where three
/// blocks are too few by one.
const USUAL: Kept = Kept(&[86, 86, 83, 1, 2]);
/// As many as there are numbers in a block.
const ALL: Kept = Kept(&[112]);
/// Less than ever.
const FEW: Kept = Kept(&[30]);

/// Proves a case: see [`oaklath_prove_opaque::prove`].
fn prove(
    rows: &mut Rows,
    (case, p): (&str, Parameters),
    below_q: Kept,
    operation: &dyn Fn(&mut Io),
    algorithm: &dyn Fn(&mut Standard<'_>, &[Term]) -> Vec<Term>,
) -> Result<(), String> {
    let case = match below_q {
        USUAL => case.into(),
        _ => format!("{case}, {} below q", below_q.0[0]),
    };
    BELOW_Q.set(below_q);
    oaklath_prove_opaque::prove::<KemContracts>(rows, (&case, None), operation, &|run, inputs| {
        algorithm(&mut Standard { run, p, below_q }, inputs)
    })
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

/// How many operations are done side by side, what each is given for a key, and how many numbers
/// below q the blocks of its XOFs have.
type Case = (usize, KeyForm, Kept);

/// One operation with each form of a key that was checked, and with other XOFs.
const SINGLE: [Case; 4] = [
    (1, KeyForm::Parsed, USUAL),
    (1, KeyForm::Expanded, USUAL),
    (1, KeyForm::Parsed, ALL),
    (1, KeyForm::Parsed, FEW),
];

/// A set, and how many operations are done side by side.
fn case_of(k: usize, n: usize) -> String {
    format!("ML-KEM-{}{}", 256 * k, if n == 2 { ", two" } else { "" })
}

fn empty<T: Empty>() -> T {
    T::EMPTY
}

fn key_generation(rows: &mut Rows) -> Result<(), String> {
    for below_q in [USUAL, ALL, FEW] {
        each_set!(keys_are_the_standards(rows, 1, below_q));
    }
    each_set!(keys_are_the_standards(rows, 2, USUAL));
    Ok(())
}

fn keys_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    n: usize,
    below_q: Kept,
) -> Result<(), String> {
    let operation = |io: &mut Io| {
        let seeds: Vec<Vec<u8>> = (0..n).map(|_| input(io, 64)).collect();
        let lengths = SetScheme::<K>::LENGTHS;
        let mut keys = vec![(vec![0; lengths.public_key], vec![0; lengths.secret_key]); n];
        let items = seeds.iter().zip(&mut keys);
        let items = items.map(|(seed, (ek, dk))| KeyPairItem { seed, ek, dk }).collect();
        run(items, SetScheme::<K>::keygen, SetScheme::<K>::keygen_two);
        for (ek, dk) in keys {
            output(io, &ek);
            output(io, &dk);
        }
    };
    prove(rows, (&case_of(K, n), p), below_q, &operation, &|standard, inputs| {
        let keys = inputs.chunks(64);
        keys.flat_map(|seed| standard.key_gen_internal(&seed[..32], &seed[32..])).collect()
    })
}

fn encapsulation(rows: &mut Rows) -> Result<(), String> {
    each_set!(ciphertexts_are_the_standards(rows, (1, KeyForm::Bytes, USUAL)));
    for case in SINGLE {
        each_set!(ciphertexts_are_the_standards(rows, case));
    }
    each_set!(ciphertexts_are_the_standards(rows, (2, KeyForm::Parsed, USUAL)));
    Ok(())
}

fn ciphertexts_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    (n, key, below_q): Case,
) -> Result<(), String> {
    let lengths = SetScheme::<K>::LENGTHS;
    let algorithm = |standard: &mut Standard<'_>, inputs: &[Term]| {
        let items: Vec<_> =
            inputs.chunks(lengths.public_key + 32).map(|x| x.split_at(x.len() - 32)).collect();
        if !items.iter().all(|(ek, _)| standard.check_encapsulation_key(ek)) {
            return Vec::new();
        }
        items.into_iter().flat_map(|(ek, m)| standard.encaps_internal(ek, m)).collect()
    };
    let operation = |io: &mut Io| match key {
        KeyForm::Bytes => encapsulate_bytes::<K>(io),
        _ => encapsulate::<K>(io, n, key == KeyForm::Expanded),
    };
    let case = case_of(K, n) + key.text();
    prove(rows, (&case, p), below_q, &operation, &algorithm)
}

/// Encapsulates to the bytes of a key, if their check succeeds.
fn encapsulate_bytes<const K: usize>(io: &mut Io) {
    let lengths = SetScheme::<K>::LENGTHS;
    let (ek, m) = (input(io, lengths.public_key), input(io, 32));
    let (mut c, mut shared) = (vec![0; lengths.ciphertext], [0; 32]);
    let item = EncapsulationItem { key: &ek[..], coins: &m, c: &mut c, shared: &mut shared };
    if SetScheme::<K>::encapsulate_bytes(item).is_ok() {
        output(io, &c);
        output(io, &shared);
    }
}

/// Encapsulates to keys that are parsed, if their check succeeds.
fn encapsulate<const K: usize>(io: &mut Io, n: usize, is_expanded: bool) {
    let lengths = SetScheme::<K>::LENGTHS;
    let inputs: Vec<_> = (0..n).map(|_| (input(io, lengths.public_key), input(io, 32))).collect();
    let mut keys = Vec::new();
    for (ek, _) in &inputs {
        let (mut public, expanded) = (empty(), empty());
        if SetScheme::<K>::parse_public(&mut public, ek).is_err() {
            return;
        }
        keys.push((ek, public, expanded));
    }
    for (ek, _, expanded) in keys.iter_mut().filter(|_| is_expanded) {
        SetScheme::<K>::expand(expanded, ek);
    }
    let mut results = vec![(vec![0; lengths.ciphertext], [0; 32]); n];
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
        output(io, &shared);
    }
}

fn decapsulation(rows: &mut Rows) -> Result<(), String> {
    for case in SINGLE {
        each_set!(secrets_are_the_standards(rows, case));
    }
    secrets_are_the_standards::<2>(rows, ML_KEM_512, (2, KeyForm::Parsed, USUAL))
}

fn secrets_are_the_standards<const K: usize>(
    rows: &mut Rows,
    p: Parameters,
    (n, key, below_q): Case,
) -> Result<(), String> {
    let lengths = SetScheme::<K>::LENGTHS;
    let algorithm = |standard: &mut Standard<'_>, inputs: &[Term]| {
        let items = inputs.chunks(lengths.secret_key + lengths.ciphertext);
        let items: Vec<_> = items.map(|x| x.split_at(lengths.secret_key)).collect();
        let is_valid = |(dk, _): &(&[Term], &[Term])| {
            standard.check_hash(dk) && standard.check_encapsulation_key(encapsulation_key(K, dk))
        };
        if !items.iter().all(is_valid) {
            return Vec::new();
        }
        items.into_iter().flat_map(|(dk, c)| standard.decaps_internal(dk, c)).collect()
    };
    let operation = |io: &mut Io| decapsulate::<K>(io, n, key == KeyForm::Expanded);
    let case = case_of(K, n) + key.text();
    prove(rows, (&case, p), below_q, &operation, &algorithm)
}

/// Decapsulates with keys that are parsed, if their checks succeed.
fn decapsulate<const K: usize>(io: &mut Io, n: usize, is_expanded: bool) {
    let lengths = SetScheme::<K>::LENGTHS;
    let inputs: Vec<_> =
        (0..n).map(|_| (input(io, lengths.secret_key), input(io, lengths.ciphertext))).collect();
    let mut keys = Vec::new();
    for (dk, _) in &inputs {
        let (mut secret, mut public, expanded) = (empty(), empty(), empty());
        let mut ek = vec![0; lengths.public_key];
        if SetScheme::<K>::parse_secret(&mut secret, &mut public, &mut ek, dk).is_err() {
            return;
        }
        keys.push((ek, secret, public, expanded));
    }
    for (ek, .., expanded) in keys.iter_mut().filter(|_| is_expanded) {
        SetScheme::<K>::expand(expanded, ek);
    }
    let mut results = vec![[0; 32]; n];
    let items = inputs.iter().zip(&keys).zip(&mut results);
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
        let mut shared = [0; 32];
        let item = DecapsulationItem { key: &dk[..], c: &c, shared: &mut shared };
        let _ = SetScheme::<2>::decapsulate_bytes(item);
        output(io, &shared);
    };
    prove(rows, (&case_of(2, 1), ML_KEM_512), USUAL, &operation, &|standard, inputs| {
        let (dk, c) = inputs.split_at(lengths.secret_key);
        let is_canonical = standard.check_encapsulation_key(encapsulation_key(2, dk));
        let key = standard.decaps_internal(dk, c);
        let zeros = vec![standard.t.constant(0, 8); 32];
        if standard.check_hash(dk) && is_canonical { key } else { zeros }
    })
}
