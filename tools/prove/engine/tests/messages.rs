//! A theorem that does not hold says where.
use oaklath_prove_engine::{Rows, Theorem, prove, run};
use oaklath_simd::{I16s, Simd};

const Q: i64 = 3329;

/// Doubles numbers, all but one.
fn double<S: Simd>(s: S, x: &mut [i16; 32], wrong: usize) {
    let mut once = [0; 32];
    once[wrong] = 1;
    for (x, once) in x.chunks_exact_mut(S::I16::LANES).zip(once.chunks_exact(S::I16::LANES)) {
        let v = S::I16::load(s, x);
        (v + v - S::I16::load(s, once)).store(x);
    }
}

fn doubled(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "doubled", modulo Q, limit 0; |s, io| {
        let mut x = [0; 32];
        io.inputs(&mut x, -100..=100);
        double(s, &mut x, 27);
        io.outputs(&x);
    }, |k| (0..32).try_for_each(|i| k.is_congruent(k.output(i), &k.linear([(i, 2)]))));
    Ok(())
}

fn within(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "within", modulo Q, limit 0; |s, io| {
        let mut x = [0; 32];
        io.inputs(&mut x, -100..=100);
        double(s, &mut x, 3);
        io.outputs(&x);
    }, |k| k.outputs_within(0..32, (-200, 200)));
    Ok(())
}

fn of_no_output(rows: &mut Rows) -> Result<(), String> {
    prove!(rows, "of no output", modulo Q, limit 0; |s, io| {
        let mut x = [0; 32];
        io.inputs(&mut x, -100..=100);
        double(s, &mut x, 3);
    }, |_k| Ok(()));
    Ok(())
}

fn theorem(prove: fn(&mut Rows) -> Result<(), String>) -> Theorem {
    Theorem { kernels: &["test::double"], results: &[], claim: "2 x", is_quick: false, prove }
}

#[test]
fn kernel_case_operation_lane_place_and_range_are_said() {
    let [a, b] = [theorem(doubled), theorem(within)];
    let results = run(&[&a, &b]);
    for (result, case) in results.iter().zip(["doubled, Proof8", "within, Proof8"]) {
        let Err(error) = result else { panic!("{case} is proven") };
        let place = "Sub of lane 3 at tools/prove/engine/tests/messages.rs:13:";
        for part in ["test::double: ", case, place, "in (-201, 199)"] {
            assert!(error.contains(part), "{part} is not in {error}");
        }
    }
}

#[test]
fn a_theorem_that_proves_nothing_fails() {
    let of_no_trial = |rows: &mut Rows| rows.try_all("of no trial", &|| Ok(0));
    let theorems = [theorem(|_| Ok(())), theorem(of_no_output), theorem(of_no_trial)];
    let results = run(&theorems.each_ref());
    let errors = ["no case is proven", "of no output, Proof8: no output", "of no trial: nothing"];
    for (result, wanted) in results.iter().zip(errors) {
        let Err(error) = result else { panic!("proven: {wanted}") };
        assert!(error.contains(wanted), "{error}");
    }
}
