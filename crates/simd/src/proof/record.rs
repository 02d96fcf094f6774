//! Runs kernels on the recording backend: at most once per bit of a code word, for each list of
//! answers.
use std::vec::Vec;

use crate::proof::io::Io;
use crate::proof::memory::RUNS;
use crate::proof::tape::{Recording, Tape, with};

/// Records a kernel on all inputs, with the answers of the script to its decisions, and yes beyond
/// its end.
///
/// # Panics
/// If the kernel depends on its inputs in any other way.
#[must_use]
pub fn record_with(kernel: &dyn Fn(&mut Io), script: Vec<bool>) -> Tape {
    let recording = Recording::new(script);
    let runs = if with(|tape| tape.is_watched) { 1 } else { RUNS };
    for run in 0..runs {
        if with(|tape| tape.begin_run(run)) {
            kernel(&mut Io::default());
            with(|tape| tape.end_run());
        }
    }
    recording.finish()
}

/// Reports whether this thread records a kernel. Then [`dispatch!`](crate::dispatch) chooses the
/// recording backend, with the lanes of [`Proof8`](crate::proof::Proof8).
#[must_use]
pub fn is_recording() -> bool {
    crate::proof::tape::is_recording()
}

/// Records a kernel on all inputs and returns a tape for each sequence of answers to its
/// decisions.
///
/// # Panics
/// If the kernel depends on its inputs in any other way.
#[must_use]
pub fn record(kernel: &dyn Fn(&mut Io)) -> Vec<Tape> {
    let (mut tapes, mut script) = (Vec::new(), Vec::new());
    loop {
        let tape = record_with(kernel, script);
        let mut answers: Vec<bool> = tape.decisions.iter().map(|(_, answer)| *answer).collect();
        tapes.push(tape);
        while answers.last() == Some(&false) {
            answers.pop();
        }
        let Some(last) = answers.last_mut() else { return tapes };
        *last = false;
        script = answers;
    }
}
