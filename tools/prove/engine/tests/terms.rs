//! The normal form of terms: which terms it identifies, and which it must not.
use oaklath_prove_engine::proof::record::record;
use oaklath_prove_engine::{Kernel, Terms};

/// Returns the kernel that copies two words.
fn two_words() -> Kernel {
    let mut tapes = record(&|io| {
        let mut words = [0_u64; 2];
        io.inputs(&mut words, i64::MIN..=i64::MAX);
        io.outputs(&words);
    });
    Kernel::new("two words", 2, 2, tapes.remove(0))
}

#[test]
fn moved_bits_are_the_same_however_they_moved() {
    let mut t = Terms::new(&two_words());
    let (a, b) = (t.input(0), t.input(1));
    let parts = [t.part(a, 56, 8), t.part(a, 0, 56)];
    let rotated = t.rotated(a, 8);
    assert_eq!(t.joined(&parts), rotated);
    let sum = t.xor(a, b);
    let (sum, other) = (t.rotated(sum, 8), t.rotated(b, 8));
    assert_eq!(t.xor(rotated, other), sum);
    assert_ne!(t.rotated(a, 9), rotated);
    assert_ne!(t.shifted(a, 56), rotated);
}

#[test]
fn sums_and_products_have_one_form_each() {
    let mut t = Terms::new(&two_words());
    let (a, b, five) = (t.input(0), t.input(1), t.constant(5, 64));
    let inner = t.sum(&[five, b]);
    let sum = t.sum(&[inner, a]);
    assert_eq!(t.sum(&[a, b, five]), sum);
    assert_ne!(t.sum(&[a, b]), t.xor(a, b));
    let (not, product) = (t.not(a), t.and(a, b));
    let rest = t.xor(b, product);
    assert_eq!(t.and(not, b), rest);
    assert_ne!(rest, product);
    assert_eq!(t.xor(a, a), t.constant(0, 64));
    assert_ne!(t.sum(&[a, a]), t.constant(0, 64));
}

#[test]
fn a_wrong_term_is_not_proven() {
    let k = two_words();
    let terms = Terms::new(&k);
    let [a, b] = [terms.input(0), terms.input(1)];
    terms.prove(&k, 0, &[a, b]).unwrap();
    let error = Terms::new(&k).prove(&k, 0, &[a, a]).unwrap_err();
    assert!(error.starts_with("two words: output 1 is another term"), "{error}");
}
