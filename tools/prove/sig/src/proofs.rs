//! The theorems: ML-DSA of the crate `oaklath-sig` is that of FIPS 204, whatever its inputs are,
//! for XOFs of which as many blocks are taken, and hints that have as many ones, as a case says.
use oaklath_prove_engine::proof::io::{Io, unwritten};
use oaklath_prove_engine::{Rows, Term, Theorem};
use oaklath_prove_opaque::{Kept, Scripts, input, output};

use crate::contracts::SigContracts;
use crate::message::Message;
use crate::ml_dsa::scheme::MlDsaScheme;
use crate::ml_dsa::standard::MlDsaStandard;
use crate::q8380417::{DsaXofs, ONES, XOFS};
use crate::scheme::{Empty, SignatureScheme, SigningItem};
use crate::standard::{CaseNumbers, DsaParameters, DsaStandard, ML_DSA_44, ML_DSA_65, ML_DSA_87};

/// The theorems about ML-DSA.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["ml_dsa::verify", "ml_dsa::verify_on_heap", "ml_dsa::verify_expanded"],
        results: &[],
        claim: "ML-DSA.Verify_internal: FIPS 204, Algorithm 8, over Keccak-f[1600] and the kernels \
                above; any pk, M' and signature, for the XOFs of each case",
        is_quick: false,
        prove: verification,
    },
    Theorem {
        kernels: &["ml_dsa::keygen"],
        results: &[],
        claim: "ML-DSA.KeyGen_internal: FIPS 204, Algorithm 6; any xi, for the XOFs of each case",
        is_quick: false,
        prove: key_generation,
    },
    Theorem {
        kernels: &["ml_dsa::public_key"],
        results: &[],
        claim: "pk of a private key, if tr and t0 are those of its rho, s1 and s2: FIPS 204, \
                Algorithm 6, lines 3 to 9; any sk",
        is_quick: false,
        prove: public_keys,
    },
    Theorem {
        kernels: &["ml_dsa::sign", "ml_dsa::attempt_until_accepted"],
        results: &[],
        claim: "ML-DSA.Sign_internal: FIPS 204, Algorithm 7, after as many attempts that are \
                rejected as a case says, each at another check; any sk, M' and rnd, also without it, for \
                the XOFs of each case",
        is_quick: false,
        prove: signing,
    },
    Theorem {
        kernels: &["ml_dsa::sign_low_memory"],
        results: &[],
        claim: "Sign_internal in little memory; any sk, M' and rnd, for the XOFs of each case",
        is_quick: false,
        prove: signing_in_little_memory,
    },
    Theorem {
        kernels: &["ml_dsa::sign_expanded"],
        results: &[],
        claim: "Sign_internal with an expanded key; any sk, M' and rnd, for the XOFs of each case",
        is_quick: false,
        prove: signing_with_expanded_keys,
    },
    Theorem {
        kernels: &["ml_dsa::verify_many"],
        results: &[],
        claim: "Verify_internal of five signatures of ML-DSA-44 side by side, which can be decoded; \
                any pk, M' and signatures",
        is_quick: false,
        prove: verification_side_by_side,
    },
    Theorem {
        kernels: &["ml_dsa::sign_many"],
        results: &[],
        claim: "Sign_internal of five messages by ML-DSA-44 side by side, of which two take another \
                attempt, and one has no rnd; any sk, M' and rnd",
        is_quick: false,
        prove: signing_side_by_side,
    },
];

type DsaScheme<const K: usize, const L: usize> = MlDsaScheme<MlDsaStandard, K, L>;

const fn xofs(
    name: &'static str,
    entry: fn(usize, usize) -> usize,
    secret: fn(i32, usize) -> usize,
) -> DsaXofs {
    DsaXofs { name, entry, secret }
}

/// Five blocks for each entry of the matrix, the least, which are enough for all except one in
/// 10^39; two for each secret.
const USUAL: DsaXofs = xofs("", |_, _| 5, |_, _| 2);
/// One block for each secret, the least.
const LEAST: DsaXofs = xofs(", one block of nibbles", |_, _| 5, |_, _| 1);
/// As many blocks for each secret as it takes of a seed, whose bytes are equal.
const DRAWN: [DsaXofs; 4] = [
    xofs(", nibbles of seed 1", |_, _| 5, blocks_of_seed::<1>),
    xofs(", nibbles of seed 2", |_, _| 5, blocks_of_seed::<2>),
    xofs(", nibbles of seed 3", |_, _| 5, blocks_of_seed::<3>),
    xofs(", nibbles of seed 4", |_, _| 5, blocks_of_seed::<4>),
];
/// One entry takes six blocks, others five.
const ENTRY: DsaXofs =
    xofs(", one entry longer", |i, j| if (i, j) == (0, 1) { 6 } else { 5 }, |_, _| 2);
/// The entries of one column do.
const FIRST: DsaXofs = xofs(", a longer first column", |_, j| if j == 0 { 6 } else { 5 }, |_, _| 2);
/// Of four columns.
const LAST: DsaXofs = xofs(", a longer last column", |_, j| if j == 3 { 6 } else { 5 }, |_, _| 2);
/// One secret takes three blocks, others two.
const SECRET: DsaXofs = xofs(", one secret longer", |_, _| 5, |_, r| if r == 1 { 3 } else { 2 });
/// XOFs of lanes side by side, and of entries above each other, take different numbers.
const MIXED: DsaXofs = xofs(
    ", each as many blocks as its own",
    |i, j| [6, 5, 9, 5, 7][(3 * i + j) % 5],
    |_, r| [3, 1, 9, 2][r % 4],
);

/// Returns how many blocks secret r takes of a seed.
fn blocks_of_seed<const SEED: u8>(eta: i32, r: usize) -> usize {
    let below = if eta == 2 { 15 } else { 9 };
    let count = |block: &[u8]| {
        let nibbles = block.iter().flat_map(|byte| [byte & 15, byte >> 4]);
        nibbles.filter(|x| *x < below).count()
    };
    Kept::of_sponge(136, &[SEED; 64], (r as u16).to_le_bytes(), &count).blocks()
}

/// Hints have five ones.
fn numbers(xofs: DsaXofs) -> CaseNumbers {
    CaseNumbers { xofs, ones: 5, unpacks_again: false }
}

/// Proves a case: see [`oaklath_prove_opaque::prove`].
fn prove(
    rows: &mut Rows,
    (case, p): (&str, DsaParameters),
    (n, scripts): (CaseNumbers, Scripts<'_>),
    operation: &dyn Fn(&mut Io),
    algorithm: &dyn Fn(&mut DsaStandard<'_>, &[Term]) -> Vec<Term>,
) -> Result<(), String> {
    let case = format!("{}{case}{}", p.name, n.xofs.name);
    XOFS.set(Some(n.xofs));
    ONES.set(n.ones);
    oaklath_prove_opaque::prove::<SigContracts>(
        rows,
        (&case, scripts),
        operation,
        &|run, inputs| algorithm(&mut DsaStandard { run, p, n }, inputs),
    )
}

/// Calls `f` for each set of parameters.
macro_rules! each_set {
    ($f:ident($rows:ident, $($case:expr),*)) => {
        $f::<4, 4>($rows, ML_DSA_44, $($case),*)?;
        $f::<6, 5>($rows, ML_DSA_65, $($case),*)?;
        $f::<8, 7>($rows, ML_DSA_87, $($case),*)?;
    };
}

fn empty<T: Empty>() -> T {
    T::EMPTY
}

/// What an operation is given for a key, and where its memory is.
#[derive(Clone, Copy, PartialEq)]
enum KeyAccess {
    Bytes,
    /// Bytes, with the other memory.
    Other,
    Expanded,
}

fn verification(rows: &mut Rows) -> Result<(), String> {
    each_set!(answers_are_the_standards(rows, (KeyAccess::Bytes, 33), USUAL));
    each_set!(answers_are_the_standards(rows, (KeyAccess::Bytes, 33), MIXED));
    each_set!(answers_are_the_standards(rows, (KeyAccess::Expanded, 33), USUAL));
    answers_are_the_standards::<4, 4>(rows, ML_DSA_44, (KeyAccess::Other, 200), USUAL)?;
    for (len, xofs) in [(0, ENTRY), (72, FIRST)] {
        answers_are_the_standards::<4, 4>(rows, ML_DSA_44, (KeyAccess::Bytes, len), xofs)?;
    }
    Ok(())
}

fn answers_are_the_standards<const K: usize, const L: usize>(
    rows: &mut Rows,
    p: DsaParameters,
    (form, len): (KeyAccess, usize),
    xofs: DsaXofs,
) -> Result<(), String> {
    let scheme = DsaScheme::<K, L>::NEW;
    let operation = |io: &mut Io| {
        let pk = input(io, scheme.public_key_len());
        let (message, signature) = (input(io, len), input(io, scheme.signature_len()));
        let message = Message::Internal(&message);
        let answer = match form {
            KeyAccess::Bytes => scheme.verify(&pk, &message, &signature),
            KeyAccess::Other => scheme.verify_on_heap(&pk, &message, &signature),
            KeyAccess::Expanded => {
                let mut key = empty();
                let expanded = scheme.expand_verifying(&mut key, &pk);
                expanded.and_then(|()| scheme.verify_expanded(&key, &message, &signature))
            }
        };
        output(io, &[answer.is_ok().into()]);
    };
    let form_text = match form {
        KeyAccess::Bytes => "",
        KeyAccess::Other => ", on the heap",
        KeyAccess::Expanded if K == 4 => ", expanded key",
        KeyAccess::Expanded => ", expanded key, signatures that are decoded",
    };
    let case = format!("{form_text}, M' of {len} bytes");
    // A key is expanded before a signature is looked at: for each answer a tape has it all.
    let few = [true, false].map(|differs| [vec![true; L + 1], vec![differs]].concat());
    let scripts = (form == KeyAccess::Expanded && K > 4).then_some(&few[..]);
    prove(rows, (&case, p), (numbers(xofs), scripts), &operation, &|standard, inputs| {
        let (pk, rest) = inputs.split_at(scheme.public_key_len());
        let (message, signature) = rest.split_at(len);
        let answer = standard.verify_internal(pk, message, signature);
        vec![standard.byte(answer.into())]
    })
}

fn key_generation(rows: &mut Rows) -> Result<(), String> {
    each_set!(keys_are_the_standards(rows, USUAL));
    each_set!(keys_are_the_standards(rows, MIXED));
    for xofs in DRAWN {
        each_set!(keys_are_the_standards(rows, xofs));
    }
    for xofs in [LEAST, ENTRY, FIRST, LAST, SECRET] {
        keys_are_the_standards::<4, 4>(rows, ML_DSA_44, xofs)?;
    }
    Ok(())
}

fn keys_are_the_standards<const K: usize, const L: usize>(
    rows: &mut Rows,
    p: DsaParameters,
    xofs: DsaXofs,
) -> Result<(), String> {
    let scheme = DsaScheme::<K, L>::NEW;
    let operation = |io: &mut Io| {
        let xi = input(io, scheme.seed_len());
        let mut pk = unwritten(scheme.public_key_len());
        let mut sk = unwritten(scheme.secret_key_len());
        scheme.keygen(&xi, &mut pk, &mut sk);
        output(io, &pk);
        output(io, &sk);
    };
    prove(rows, ("", p), (numbers(xofs), None), &operation, &|standard, inputs| {
        standard.key_gen_internal(inputs)
    })
}

fn public_keys(rows: &mut Rows) -> Result<(), String> {
    public_keys_are_the_standards::<4, 4>(rows, ML_DSA_44, None)?;
    let agreeing = |p: DsaParameters| [[vec![true; p.k + p.l], vec![false; 2]].concat()];
    public_keys_are_the_standards::<6, 5>(rows, ML_DSA_65, Some(&agreeing(ML_DSA_65)))?;
    public_keys_are_the_standards::<8, 7>(rows, ML_DSA_87, Some(&agreeing(ML_DSA_87)))
}

fn public_keys_are_the_standards<const K: usize, const L: usize>(
    rows: &mut Rows,
    p: DsaParameters,
    scripts: Scripts<'_>,
) -> Result<(), String> {
    let scheme = DsaScheme::<K, L>::NEW;
    let operation = |io: &mut Io| {
        let sk = input(io, scheme.secret_key_len());
        let mut pk = unwritten(scheme.public_key_len());
        if scheme.public_key(&sk, &mut pk).is_ok() {
            output(io, &pk);
        }
    };
    let case = if scripts.is_some() { ", a key whose parts agree" } else { "" };
    prove(rows, (case, p), (numbers(USUAL), scripts), &operation, &|standard, inputs| {
        standard.public_key(inputs)
    })
}

/// The length of rnd.
const RND: usize = 32;

/// Returns rnd, which is zero in the deterministic variant: Algorithm 2.
fn rnd_or_zero(standard: &mut DsaStandard<'_>, rnd: &[Term]) -> Vec<Term> {
    if rnd.is_empty() { vec![standard.byte(0); RND] } else { rnd.to_vec() }
}

fn signing(rows: &mut Rows) -> Result<(), String> {
    // Every reason for which an attempt is rejected.
    let all: Vec<usize> = (0..16).collect();
    signatures_are_the_standards::<4, 4>(
        rows,
        ML_DSA_44,
        (KeyAccess::Bytes, &all, [33, RND]),
        (20, USUAL),
    )?;
    // The first or the last polynomials of each vector.
    let case = (KeyAccess::Bytes, &[0, 5, 11, 22][..], [200, RND]);
    signatures_are_the_standards::<6, 5>(rows, ML_DSA_65, case, (5, USUAL))?;
    let case = (KeyAccess::Bytes, &[7, 8, 14, 30][..], [33, RND]);
    signatures_are_the_standards::<8, 7>(rows, ML_DSA_87, case, (5, MIXED))?;
    let case = (KeyAccess::Bytes, &[][..], [33, 0]);
    signatures_are_the_standards::<4, 4>(rows, ML_DSA_44, case, (5, USUAL))
}

fn signing_in_little_memory(rows: &mut Rows) -> Result<(), String> {
    let case = (KeyAccess::Other, &[0, 5, 9][..], [33, RND]);
    signatures_are_the_standards::<4, 4>(rows, ML_DSA_44, case, (5, USUAL))?;
    let case = (KeyAccess::Other, &[][..], [33, RND]);
    signatures_are_the_standards::<6, 5>(rows, ML_DSA_65, case, (5, MIXED))?;
    signatures_are_the_standards::<8, 7>(rows, ML_DSA_87, case, (5, USUAL))?;
    let case = (KeyAccess::Other, &[][..], [33, 0]);
    signatures_are_the_standards::<4, 4>(rows, ML_DSA_44, case, (5, USUAL))
}

fn signing_with_expanded_keys(rows: &mut Rows) -> Result<(), String> {
    let case = (KeyAccess::Expanded, &[3][..], [33, RND]);
    each_set!(signatures_are_the_standards(rows, case, (5, MIXED)));
    let case = (KeyAccess::Expanded, &[][..], [33, 0]);
    signatures_are_the_standards::<4, 4>(rows, ML_DSA_44, case, (5, USUAL))
}

/// What an operation is given for a key, at which checks attempts are rejected, one after the
/// other, and the lengths of M' and of rnd, zero in the deterministic variant. Checks are those of
/// r0, polynomial by polynomial, of z, and for each polynomial of hints those of c t0 and of their
/// number.
type SigningCase<'a> = (KeyAccess, &'a [usize], [usize; 2]);

fn signatures_are_the_standards<const K: usize, const L: usize>(
    rows: &mut Rows,
    p: DsaParameters,
    (form, rejected, [len, rnd_len]): SigningCase<'_>,
    (ones, xofs): (usize, DsaXofs),
) -> Result<(), String> {
    let scheme = DsaScheme::<K, L>::NEW;
    let operation = |io: &mut Io| {
        let sk = input(io, scheme.secret_key_len());
        let (message, rnd) = (input(io, len), input(io, rnd_len));
        let coins = (!rnd.is_empty()).then_some(&rnd[..]);
        let (message, mut out) = (Message::Internal(&message), unwritten(scheme.signature_len()));
        let signed = match form {
            KeyAccess::Bytes => scheme.sign(&sk, &message, coins, &mut out),
            KeyAccess::Other => scheme.sign_low_memory(&sk, &message, coins, &mut out),
            KeyAccess::Expanded => {
                let mut key = empty();
                let expanded = scheme.expand_signing(&mut key, &sk);
                expanded.and_then(|()| scheme.sign_expanded(&key, &message, coins, &mut out))
            }
        };
        if signed.is_ok() {
            output(io, &out);
        }
    };
    let key = match form {
        KeyAccess::Bytes => "",
        KeyAccess::Other => ", in little memory",
        KeyAccess::Expanded => ", expanded key",
    };
    let rnd = if rnd_len == 0 { ", deterministic" } else { "" };
    let case = format!("{key}, M' of {len} bytes{rnd}, {} rejected", rejected.len());
    let n = CaseNumbers { xofs, ones, unpacks_again: form == KeyAccess::Other };
    let scripts = scripts(p, n, rejected);
    prove(rows, (&case, p), (n, Some(&scripts)), &operation, &|standard, inputs| {
        let (sk, rest) = inputs.split_at(scheme.secret_key_len());
        let (message, rnd) = rest.split_at(len);
        let rnd = rnd_or_zero(standard, rnd);
        standard.sign_internal(sk, message, &rnd)
    })
}

/// The answers of a key whose coefficients are in range, of which attempts are rejected at these
/// checks; and of each key with one polynomial that is not.
fn scripts(p: DsaParameters, n: CaseNumbers, rejected: &[usize]) -> Vec<Vec<bool>> {
    let yes_then_no = |n: usize| [vec![true; n], vec![false]].concat();
    let secrets = p.k + p.l;
    let again = |check: usize| if n.unpacks_again { secrets.min(check + 1) } else { 0 };
    let attempts: Vec<bool> =
        rejected.iter().flat_map(|check| yes_then_no(check + again(*check))).collect();
    let mut scripts: Vec<Vec<bool>> = (0..secrets).map(yes_then_no).collect();
    scripts.push([vec![true; secrets], attempts].concat());
    scripts
}

/// How many signatures are made or verified side by side, and the length of M'.
const MANY: (usize, usize) = (5, 33);

fn verification_side_by_side(rows: &mut Rows) -> Result<(), String> {
    let ((n, len), scheme, p) = (MANY, DsaScheme::<4, 4>::NEW, ML_DSA_44);
    let operation = |io: &mut Io| {
        let pk = input(io, scheme.public_key_len());
        let signed: Vec<_> =
            (0..n).map(|_| (input(io, len), input(io, scheme.signature_len()))).collect();
        let mut key = empty();
        let expanded = scheme.expand_verifying(&mut key, &pk);
        let mut results = vec![expanded; n];
        let item = |i: usize| (&key, Message::Internal(&signed[i].0), &signed[i].1[..]);
        scheme.verify_many(&item, &mut results);
        results.iter().for_each(|result| output(io, &[result.is_ok().into()]));
    };
    // Whether c~ differs: all but the first, or none.
    let good = vec![true; n * (p.l + 1)];
    let scripts: Vec<Vec<bool>> = [vec![false, true], vec![false; n]]
        .iter()
        .map(|answers| [&good[..], answers].concat())
        .collect();
    let numbers = (numbers(USUAL), Some(&scripts[..]));
    prove(rows, (", five", p), numbers, &operation, &|standard, inputs| {
        let (pk, rest) = inputs.split_at(scheme.public_key_len());
        let items = rest.chunks(len + scheme.signature_len());
        let signed: Vec<_> = items.map(|item| item.split_at(len)).collect();
        let answers = standard.verify_many(pk, &signed);
        answers.into_iter().map(|answer| standard.byte(answer.into())).collect()
    })
}

fn signing_side_by_side(rows: &mut Rows) -> Result<(), String> {
    let ((n, len), scheme, p) = (MANY, DsaScheme::<4, 4>::NEW, ML_DSA_44);
    let operation = |io: &mut Io| {
        let sk = input(io, scheme.secret_key_len());
        let messages: Vec<_> =
            (0..n).map(|i| (input(io, len), input(io, if i + 1 < n { RND } else { 0 }))).collect();
        let mut key = empty();
        let expanded = scheme.expand_signing(&mut key, &sk);
        let mut out: Vec<_> = (0..n).map(|_| unwritten(scheme.signature_len())).collect();
        let items = messages.iter().zip(&mut out);
        let mut items: Vec<_> = items
            .map(|((message, rnd), out)| SigningItem {
                message: Message::Internal(message),
                coins: (!rnd.is_empty()).then_some(&rnd[..]),
                out,
            })
            .collect();
        let mut results = vec![expanded.map(|()| 0); n];
        scheme.sign_many(&key, &mut items, &mut results);
        assert!(results.iter().all(Result::is_ok), "signatures");
        out.iter().for_each(|signature| output(io, signature));
    };
    // The last message is signed, the one before it rejected at its third check, the next one, too,
    // at that of the number of hints.
    let accepted = p.k + p.l + 2 * p.k;
    let mut script = vec![true; p.k + p.l + accepted + 2];
    script.push(false);
    script.extend(vec![true; p.k + p.l + 1]);
    script.push(false);
    let numbers = (numbers(USUAL), Some(&[script][..]));
    prove(rows, (", five", p), numbers, &operation, &|standard, inputs| {
        let (sk, rest) = inputs.split_at(scheme.secret_key_len());
        let items = rest.chunks(len + RND).map(|item| item.split_at(len));
        let items: Vec<_> =
            items.map(|(message, rnd)| (message, rnd_or_zero(standard, rnd))).collect();
        let messages: Vec<_> = items.iter().map(|(message, rnd)| (*message, &rnd[..])).collect();
        standard.sign_many(sk, &messages).concat()
    })
}
