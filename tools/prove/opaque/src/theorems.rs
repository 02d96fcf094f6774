//! The loop that proves: an operation is recorded, and compared with an algorithm of the standard.
use core::cell::Cell;
use std::time::Instant;

use oaklath_prove_engine::proof::io::{Io, unwritten};
use oaklath_prove_engine::proof::record::{record, record_with};
use oaklath_prove_engine::{Kernel, Proven, Rows, Term, Terms};

use crate::algorithm::{Algorithm, differ};
use crate::filters::{self, NUMBERS_BELOW_Q, SMALL_NIBBLES, begin_run};
use crate::keccak::{IDLE, KECCAK, keccak_f};

/// What opaque calls return.
pub trait Contracts: Default {
    /// Returns the terms of the outputs of a call: from its name, their number and its arguments.
    fn meaning(&mut self, t: &mut Terms, call: (&'static str, usize), args: &[Term]) -> Vec<Term>;
}

/// Which answers to decisions are recorded: each sequence, or those that begin like one of a list,
/// and then are yes.
pub type Scripts<'a> = Option<&'a [Vec<bool>]>;

std::thread_local! {
    /// The lanes of the current proof.
    pub static LANES: Cell<usize> = const { Cell::new(0) };
}

/// The numbers of lanes, and the tokens' names.
const LEVELS: [(usize, &str); 3] = [(8, "Proof8"), (16, "Proof16"), (32, "Proof32")];

/// Proves a case at each number of lanes: that the outputs of an operation are what the standard's
/// algorithm returns for the inputs, after each of the sequences of answers to decisions.
///
/// # Errors
/// What does not hold.
pub fn prove<C: Contracts>(
    rows: &mut Rows,
    (case, scripts): (&str, Scripts<'_>),
    operation: &dyn Fn(&mut Io),
    algorithm: &dyn Fn(&mut Algorithm, &[Term]) -> Vec<Term>,
) -> Result<(), String> {
    let operation = &|io: &mut Io| {
        begin_run();
        operation(io);
    };
    for (lanes, name) in LEVELS {
        let start = Instant::now();
        let mut row = Proven { case: case.into(), lanes: name, ..Proven::default() };
        LANES.set(lanes);
        let tapes = match scripts {
            None => record(operation),
            Some(all) => all.iter().map(|script| record_with(operation, script.clone())).collect(),
        };
        for tape in tapes.into_iter().filter(|tape| !tape.is_watched) {
            let k = Kernel::new(&format!("{case}, {name}"), 2, 2, tape);
            row.duties += k.duties()?;
            row.operations += k.operations();
            // What is opaque is not computed.
            (row.tapes, row.unreached) = (row.tapes + 1, row.unreached + 1);
            let mut standard = Algorithm::new(Terms::new(&k), k.answers().collect());
            let inputs = standard.t.inputs(0..k.inputs().len()).to_vec();
            let wanted = algorithm(&mut standard, &inputs);
            if wanted.len() != k.count_outputs() {
                return Err(format!("{case}: another result"));
            }
            if wanted.is_empty() && standard.decisions.is_empty() {
                return Err(format!("{case}: no output is recorded"));
            }
            let mut contracts = C::default();
            let Algorithm { t, decisions, filtered, .. } = standard;
            t.prove_calls(&k, (0, &wanted), &decisions, &mut |t, call, args| match call {
                (KECCAK, _) => keccak_f(t, args),
                (IDLE, count) => t.calls(IDLE, args, (count, 64)),
                ("differ", _) => {
                    let (a, b) = args.split_at(args.len() / 2);
                    vec![differ(t, a, b)]
                }
                (NUMBERS_BELOW_Q | SMALL_NIBBLES, _) => filters::meaning(t, &filtered, call, args),
                _ => contracts.meaning(t, call, args),
            })?;
        }
        row.time = start.elapsed();
        rows.0.push(row);
    }
    Ok(())
}

/// Returns `n` bytes that are inputs.
pub fn input(io: &mut Io, n: usize) -> Vec<u8> {
    let mut bytes = unwritten(n);
    io.inputs(&mut bytes, -128..=127);
    bytes
}

/// Declares bytes as outputs.
pub fn output(io: &mut Io, bytes: &[u8]) {
    let signed: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
    io.outputs(&signed);
}
