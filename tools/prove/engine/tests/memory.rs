//! Values in memory are followed wherever they are moved, and computations with them are detected.
use std::panic::{AssertUnwindSafe, catch_unwind};

use oaklath_prove_engine::Kernel;
use oaklath_simd::proof::Proof8;
use oaklath_simd::proof::call::OpaqueCall;
use oaklath_simd::proof::record::record;
use oaklath_simd::{I16s, Simd, scratch};

type V = <Proof8 as Simd>::I16;

fn double(x: &[i16], y: &mut [i16]) {
    let v = V::load(Proof8 {}, x);
    I16s::<Proof8>::store(v + v, y);
}

/// Returns the kernels of a function of eight inputs and as many outputs.
fn kernels(run: impl Fn(&mut [i16; 8])) -> Vec<Kernel> {
    let tapes = record(&|io| {
        let mut x = [0; 8];
        io.inputs(&mut x, -100..=100);
        run(&mut x);
        io.outputs(&x);
    });
    tapes.into_iter().map(|tape| Kernel::new("test", 3329, 1 << 16, tape)).collect()
}

fn kernel(run: impl Fn(&mut [i16; 8])) -> Kernel {
    kernels(run).remove(0)
}

fn is_rejected(run: impl Fn(&mut [i16; 8])) -> bool {
    catch_unwind(AssertUnwindSafe(|| kernel(run))).is_err()
}

#[test]
fn moves_are_followed() {
    let k = kernel(|x| {
        // Reversed byte by byte, through words of other widths.
        let mut bytes: Vec<[u8; 2]> = x.iter().map(|x| x.to_le_bytes()).collect();
        bytes.reverse();
        let (words, _) = bytes.as_flattened().as_chunks::<8>();
        let words = words.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let lanes: Vec<i16> =
            words.flat_map(|w| (0..4).map(move |i| (w >> (16 * i)) as i16)).collect();
        double(&lanes, x);
    });
    for i in 0..8 {
        k.is_congruent(k.output(i), &k.linear([(7 - i, 2)])).unwrap();
        assert_eq!(k.range(k.output(i)), (-200, 200));
    }
    // Masks and shifts are moves of bits, too.
    let k = kernel(|x| x[0] = (x[0] >> 3 & 0x1f) | 0x100);
    let roots = k.are_function([k.output(0)], |x| (x >> 3 & 0x1f) | 0x100);
    assert_eq!(roots, Ok(vec![k.input(0)]));
}

#[test]
fn constants_are_told_from_unknowns() {
    let k = kernel(|x| {
        x[3] = 77;
        let from = *x;
        double(&from, x);
    });
    assert_eq!([k.constant(k.output(3)), k.constant(k.output(2))], [Some(154), None]);
}

#[test]
fn plain_code_that_computes_is_rejected() {
    assert!(is_rejected(|x| x[0] = x[0].wrapping_add(1)));
    assert!(is_rejected(|x| x[0] = x[1].max(0)));
    assert!(is_rejected(|x| x[0] &= x[1]));
    assert!(is_rejected(|x| if x[0] < 0 {
        double(&x.clone(), x);
    }));
    assert!(is_rejected(|x| if x[0] == 0 {
        double(&x.clone(), x);
    }));
    assert!(is_rejected(|x| x[0] = [1, 2][usize::from(x[1] & 1 == 1)]));
    // The same operations, but of other lanes.
    assert!(is_rejected(|x| {
        let (a, b) = (V::load(Proof8 {}, x), V::splat(Proof8 {}, 5));
        let signs = I16s::<Proof8>::signs(if x[0] < 0 { a } else { b });
        x[0] = signs as i16;
    }));
    // A result that does not depend on the inputs is harmless.
    assert!(!is_rejected(|x| x[0] ^= x[0]));
}

#[test]
fn memory_that_nothing_wrote_is_no_constant() {
    let k = kernel(|x| {
        scratch!(memory: [i16; 8]);
        double(memory, x);
    });
    assert_eq!((k.constant(k.output(0)), k.range(k.output(0))), (None, (-32768, 32766)));
    assert!(k.duties().unwrap_err().contains("an output is of memory that was not written"));
}

/// Neither what cancels nor what is moved is an output; that of an idle lane is none.
#[test]
fn outputs_do_not_depend_on_memory_that_nothing_wrote() {
    type Change = dyn Fn(V, V) -> V;
    let all: [&Change; 4] =
        [&|_, y| y, &|x, y| x + y, &|_, y| y ^ y, &|_, y| y & V::splat(Proof8 {}, 0)];
    for change in all {
        let changed = |x: &mut [i16; 8], lanes: usize| {
            scratch!(memory: [i16; 8]);
            let v = change(V::load(Proof8 {}, x), V::load(Proof8 {}, memory));
            I16s::<Proof8>::store(v, memory);
            x[..lanes].copy_from_slice(&memory[..lanes]);
        };
        assert!(kernel(|x| changed(x, 1)).duties().is_err());
        assert!(kernel(|x| changed(x, 0)).duties().is_ok());
    }
    // No two words have the same name.
    assert!(is_rejected(|x| {
        scratch!(memory: [u64; 2]);
        x[0] = (memory[0] ^ memory[1]) as i16;
    }));
    let calls = |x: &mut [i16; 8]| {
        scratch!(memory: [i16; 8]);
        OpaqueCall::new("f").reads(memory).writes(x, 0..=1);
    };
    assert!(kernel(calls).duties().unwrap_err().contains("f is of memory that was not written"));
}

/// Both answers are recorded, and each bit of the decision is traced to its input.
#[test]
fn decisions_are_recorded_both_ways() {
    let paths = kernels(|x| {
        let v = V::load(Proof8 {}, x);
        if I16s::<Proof8>::any_negative(v) {
            double(&x.clone(), x);
        }
    });
    let answers = paths.iter().map(|k| k.decision(0, &|x| x < 0).unwrap().1);
    assert_eq!(answers.collect::<Vec<_>>(), [true, false]);
    assert_eq!(paths[0].decision(0, &|x| x < 0).unwrap().0, paths[0].inputs());
    assert!(paths[0].decision(0, &|x| x < 1).is_err() && paths[0].decision(1, &|x| x < 0).is_err());
    assert_eq!(paths[0].range(paths[0].output(0)), (-200, 200));
    assert_eq!(paths[1].range(paths[1].output(0)), (-100, 100));
}

/// A known gap: a comparison with the same result in every run. `cargo xtask prove --branches`
/// finds it where the compiler makes a branch of it.
#[test]
fn a_rare_branch_is_missed() {
    assert!(!is_rejected(|x| x[0] = i16::from(x[1] == 12345)));
}
