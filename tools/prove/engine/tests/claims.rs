//! What a theorem states, but does not prove, is found.
use oaklath_prove_engine::{Range, Rows, Theorem, prove, run};
use oaklath_simd::{I16s, Simd, scratch};

/// Proves f = 2 a + b, with these names of a and b, as results of this kernel, of as many lanes.
fn sums(
    rows: &mut Rows,
    names: [&str; 2],
    kernel: &'static str,
    lanes: usize,
) -> Result<(), String> {
    prove!(rows, "sums", modulo 7, limit 1 << 16; |s, io| {
        scratch!(a: [i16; 32], b: [i16; 32]);
        io.given(names[0], a);
        io.given(names[1], b);
        doubled(s, a, b);
        io.outputs(&b[..8]);
    }, |k| {
        for i in 0..lanes {
            k.is_congruent(k.output(i), &k.linear([(i, 2), (32 + i, 1)]))?;
        }
        k.results_within(kernel, 0..lanes, (-14, 14))
    });
    Ok(())
}

#[inline(always)]
fn doubled<S: Simd>(s: S, a: &[i16; 32], b: &mut [i16; 32]) {
    let (a, sum) = (S::I16::load(s, a), S::I16::load(s, b));
    (a + a + sum).store(b);
}

fn proven(prove: fn(&mut Rows) -> Result<(), String>) -> String {
    let theorem = Theorem {
        kernels: &["sums"],
        results: &[("sums", 14)],
        claim: "2 a + b; |a| <= 4, 0 <= b < q",
        is_quick: true,
        prove,
    };
    let result = run(&[&theorem]).remove(0);
    result.map_or_else(|error| error, |rows| format!("{} rows", rows.0.len()))
}

#[test]
fn arguments_results_and_outputs_are_told_apart() {
    assert_eq!(proven(|rows| sums(rows, ["|a|", "b"], "sums", 8)), "3 rows");
    let swapped = proven(|rows| sums(rows, ["b", "|a|"], "sums", 8));
    assert!(swapped.contains("output 0 is stated in (-14, 14)"), "{swapped}");
    let once = proven(|rows| sums(rows, ["|a|"; 2], "sums", 8));
    assert_eq!(once, "sums: b is stated within (0, 6), but never recorded");
    let unknown = proven(|rows| sums(rows, ["|a|", "|c|"], "sums", 8));
    assert_eq!(unknown, "sums: the claim states no range of |c|, or several");
    let other = proven(|rows| sums(rows, ["|a|", "b"], "others", 8));
    assert_eq!(other, "sums: sums: no result of 14 was proven");
    let fewer = proven(|rows| sums(rows, ["|a|", "b"], "sums", 7));
    assert_eq!(fewer, "sums: sums, Proof8: nothing is claimed of output 7");
}

/// Proves 2 a + b of all b, and of those a.
fn sums_within(rows: &mut Rows, a: Range) -> Result<(), String> {
    prove!(rows, "sums", modulo 7, limit 1 << 16; |s, io| {
        scratch!(a: [i16; 32], b: [i16; 32]);
        io.given("|a|", a);
        io.given("b", b);
        doubled(s, a, b);
        io.outputs(&b[..8]);
    }, |k| {
        let sums: Vec<_> = (0..8).map(|i| (k.output(i), [k.input(i), k.input(32 + i)])).collect();
        k.are_functions_of_pairs(&sums, [Some(("|a|", a)), None], &|a, b| 2 * a + b)?;
        k.results_within("sums", 0..8, (-14, 14))
    });
    Ok(())
}

#[test]
fn assumptions_are_stated() {
    assert_eq!(proven(|rows| sums_within(rows, (-4, 4))), "3 rows");
    let narrower = proven(|rows| sums_within(rows, (-4, 3)));
    assert_eq!(narrower, "sums: sums, Proof8: the claim does not state |a| within (-4, 3)");
}
