//! Opaque calls: what they read and write, what plain code may add to it, and what they owe.
use oaklath_prove_engine::proof::call::OpaqueCall;
use oaklath_prove_engine::proof::io::Io;
use oaklath_prove_engine::proof::record::record;
use oaklath_prove_engine::{Kernel, Term, Terms};

const ANY: core::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;

/// A sponge of two words, of which plain code adds one block to what a call has returned.
fn sponge(io: &mut Io, add: impl Fn(u64, u64) -> u64) {
    let (mut state, mut block) = ([0; 2], [0; 16]);
    io.inputs(&mut state, ANY);
    io.inputs(&mut block, -128..=127);
    OpaqueCall::new("f").reads(&state).writes(&mut state, ANY);
    for (word, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = add(*word, u64::from_le_bytes(*bytes));
    }
    OpaqueCall::new("f").reads_sums(&state).writes(&mut state, ANY);
    io.outputs(&state);
}

fn prove(k: &Kernel, second: &'static str) -> Result<(), String> {
    let mut t = Terms::new(k);
    let (state, block) = (t.inputs(0..2).to_vec(), t.inputs(2..18).to_vec());
    let mut state = t.calls("f", &state, (2, 64));
    for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
        let bytes = t.joined(bytes);
        *word = t.xor(*word, bytes);
    }
    let wanted = t.calls(second, &state, (2, 64));
    t.prove_calls(k, (0, &wanted), &[], &mut |t, (name, n), args: &[Term]| {
        t.calls(name, args, (n, 64))
    })
}

#[test]
fn plain_code_may_add_to_what_a_call_has_written() {
    let mut tapes = record(&|io| sponge(io, |a, b| a ^ b));
    let k = Kernel::new("sponge", 2, 2, tapes.remove(0));
    prove(&k, "f").unwrap();
    let error = prove(&k, "g").unwrap_err();
    assert!(error.starts_with("sponge: output 0 is another term"), "{error}");
}

#[test]
#[should_panic(expected = "plain code has computed with an unknown")]
fn plain_code_may_do_nothing_else_to_it() {
    let _ = record(&|io| sponge(io, u64::wrapping_add));
}

#[test]
fn ranges_are_duties_and_both_answers_are_recorded() {
    let kernel = |io: &mut Io| {
        let mut x = [0_i16; 2];
        io.inputs(&mut x, -7..=7);
        if OpaqueCall::new("f").reads_within(&x, -6..=7).decides() {
            io.result(1);
        }
    };
    let tapes = record(&kernel);
    assert_eq!(tapes.iter().map(|tape| tape.results.len()).collect::<Vec<_>>(), [1, 0]);
    let error = Kernel::new("f", 2, 2, tapes[0].clone()).duties().unwrap_err();
    assert!(error.contains(", -6, 7) does not hold"), "{error}");
}

#[test]
fn a_decision_that_is_not_asked_for_is_an_error() {
    let mut tapes = record(&|io| io.inputs(&mut [0_u8], 0..=1));
    let k = Kernel::new("f", 2, 2, tapes.remove(0));
    let mut t = Terms::new(&k);
    let decision = t.calls("f", &[], (1, 8));
    let error = t.prove_calls(&k, (0, &[]), &decision, &mut |_, _, _| vec![]).unwrap_err();
    assert_eq!(error, "f: 0 decisions, wanted 1");
}

#[test]
#[should_panic(expected = "f reads what is no argument")]
fn what_a_call_reads_after_it_has_written_is_an_error() {
    let _ = record(&|io| {
        let mut x = [0_i16; 2];
        io.inputs(&mut x, -7..=7);
        OpaqueCall::new("f").writes(&mut x[..1], 0..=1).reads(&x);
    });
}
