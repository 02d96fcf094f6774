//! What the engine must not believe, and what the recording backend must owe.
use core::panic::Location;

use oaklath_prove_engine::Kernel;
use oaklath_simd::proof::Proof8;
use oaklath_simd::proof::record::record;
use oaklath_simd::proof::tape::{Duty, NONE, Node, Op, Tape};
use oaklath_simd::{I16s, Simd};

/// An operation, its width and its arguments.
type Row = (Op, u8, [u64; 2]);

/// Makes a kernel of a tape; functions of one number are not evaluated.
fn kernel(q: i64, rows: &[Row], duty: Option<Duty>) -> Kernel {
    let (mut tape, at) = (Tape::default(), Location::caller());
    for (id, (op, bits, args)) in rows.iter().copied().enumerate() {
        tape.nodes.push(Node { op, bits, lane: 0, args, at });
        if matches!(op, Op::Input(..)) {
            tape.inputs.push(id as u64);
        }
    }
    tape.duties.extend(duty.map(|duty| (duty, at)));
    Kernel::new("test", q, 2, tape)
}

const fn input(bits: u8, least: i64, most: i64) -> Row {
    (Op::Input(least, most), bits, [NONE; 2])
}

const ANY: Row = input(16, -32768, 32767);
const SMALL: Row = input(16, -100, 100);

/// Whether the last number, an operation on two inputs, is congruent to 2^e times the first plus
/// `factor` times the second.
fn is_sum(rows: &[Row], factor: i64, e: u32) -> bool {
    let k = kernel(3329, rows, None);
    let second = (k.inputs().len() > 1).then_some((1, factor));
    let wanted = k.linear([(0, 1 << e)].into_iter().chain(second));
    k.is_congruent(rows.len() as u64 - 1, &wanted).is_ok()
}

#[test]
fn what_may_overflow_has_no_form() {
    for (operand, is_exact) in [(SMALL, true), (ANY, false)] {
        assert_eq!(is_sum(&[operand, operand, (Op::Add, 16, [0, 1])], 1, 0), is_exact);
        assert_eq!(is_sum(&[operand, operand, (Op::Sub, 16, [0, 1])], -1, 0), is_exact);
        assert_eq!(is_sum(&[operand, (Op::Sll(5), 16, [0, NONE])], 0, 5), is_exact);
        let k = kernel(3329, &[operand, operand, (Op::Mullo, 16, [0, 1])], None);
        let product = k.product(&k.linear([(0, 1)]), &k.linear([(1, 1)])).unwrap();
        assert_eq!(k.is_congruent(2, &product).is_ok(), is_exact);
    }
    for (most, is_exact) in [(32767, true), (32768, false)] {
        assert_eq!(is_sum(&[input(32, 0, most), (Op::Low, 16, [0, NONE])], 0, 0), is_exact);
    }
    assert!(!is_sum(&[SMALL, SMALL, (Op::Add, 16, [0, 1])], 2, 0));
}

#[test]
fn a_half_is_a_quotient_only_if_the_other_is_zero() {
    let high = (Op::High, 16, [0, NONE]);
    let k = kernel(3329, &[input(32, -1, 65535), high], None);
    assert_eq!(k.range(1), (-1, 0));
    let inverse = k.power(3329_u64.div_ceil(2), 16) as i64;
    assert!(k.is_congruent(1, &k.linear([(0, inverse)])).is_err());
    let rows = [
        SMALL,
        (Op::Const(1 << 16), 32, [NONE; 2]),
        (Op::MulWide, 32, [0, 1]),
        (high.0, 16, [2, NONE]),
    ];
    assert!(is_sum(&rows, 0, 0));
}

#[test]
fn ranges_contain_what_bits_may_be() {
    let range = |op, a: (i64, i64), b: (i64, i64)| {
        kernel(3329, &[input(16, a.0, a.1), input(16, b.0, b.1), (op, 16, [0, 1])], None).range(2)
    };
    assert_eq!(range(Op::And, (-5, 3), (-7, 9)), (-32768, 32767));
    assert_eq!(range(Op::And, (0, 3), (-7, 9)), (0, 3));
    assert_eq!(range(Op::Xor, (0, 4), (0, 3)), (0, 7));
    assert_eq!(range(Op::Or, (-1, 4), (0, 3)), (-32768, 32767));
    assert_eq!(range(Op::MinUnsigned, (-5, 3), (7, 9)), (-5, 9));
    let shifted = kernel(3329, &[SMALL, (Op::Srl(3), 16, [0, NONE])], None);
    assert_eq!(shifted.range(1), (0, 8191));
}

/// Modulo 2^16, a shift to the right divides what is known to be a multiple, and loses bits.
#[test]
fn shifts_lose_bits() {
    let k = kernel(
        1 << 16,
        &[
            ANY,
            (Op::Sll(1), 16, [0, NONE]),
            (Op::Srl(1), 16, [1, NONE]),
            (Op::Srl(1), 16, [0, NONE]),
        ],
        None,
    );
    let is_first = |id, bits| k.is_congruent_in(id, &k.linear([(0, 1)]), bits).is_ok();
    assert_eq!([is_first(2, 15), is_first(2, 16), is_first(3, 15)], [true, false, false]);
    assert!(k.is_congruent_in(3, &k.linear([]), 1).is_err());
}

/// The difference of a product of 16 bits and the whole one has 64 bits: its low half has high bits
/// of only one of them.
#[test]
fn a_product_of_fewer_bits_says_nothing_of_those_above() {
    let is_zero = |product: Row| {
        let whole = (Op::MulWide, 32, [0, 1]);
        let rows = [ANY, ANY, product, whole, (Op::Sub, 64, [2, 3])];
        kernel(3329, &rows, Some(Duty::LowHalfIsZero(4))).duties().is_ok()
    };
    assert!(is_zero((Op::MulWide, 32, [0, 1])));
    assert!(!is_zero((Op::Mullo, 16, [0, 1])));
    let is_same = |id| {
        let rows = [input(64, 0, 1 << 40), (Op::Low, 16, [0, NONE]), (Op::Sub, 64, [0, id])];
        kernel(3329, &rows, Some(Duty::LowHalfIsZero(2))).duties().is_ok()
    };
    assert!(is_same(0) && !is_same(1));
}

type V = <Proof8 as Simd>::I16;

/// Whether all duties of an operation are fulfilled for lanes within the range.
fn are_fulfilled(least: i64, most: i64, operation: impl Fn(V)) -> bool {
    let tapes = record(&|io| {
        let mut x = [0_i16; 8];
        io.inputs(&mut x, least..=most);
        operation(V::load(Proof8 {}, &x));
    });
    tapes.into_iter().all(|tape| Kernel::new("test", 3329, 1 << 16, tape).duties().is_ok())
}

#[test]
fn operations_owe_what_their_documentation_demands() {
    type Lanes = dyn Fn(V);
    let square = |x: V| {
        let _ = I16s::<Proof8>::mulhi(x, x);
    };
    let index = |x: V| {
        let _ = I16s::<Proof8>::lookup(x, &[0; 16]);
    };
    let field = |x: V| I16s::<Proof8>::pack::<4>(x, &mut [0; 4]);
    let below = |x: V| {
        let _ = I16s::<Proof8>::append_below_vartime(x, 5, &mut [0; 8], 0);
    };
    // An operation, the widest range that it takes, and one that is wider.
    let all: [(&Lanes, [(i64, i64); 2]); 4] = [
        (&square, [(-32767, 32767), (-32768, 32767)]),
        (&index, [(0, 15), (0, 16)]),
        (&field, [(0, 15), (-1, 15)]),
        (&below, [(0, 32767), (-1, 32767)]),
    ];
    for (i, (operation, [most, more])) in all.into_iter().enumerate() {
        assert!(are_fulfilled(most.0, most.1, operation), "{i}");
        assert!(!are_fulfilled(more.0, more.1, operation), "{i}");
    }
    // Of a factor z the other half is z / q modulo 2^16: 1 / 3329 is -3327.
    let multiply = |other: i16| {
        move |x: V| {
            let splat = |x| V::splat(Proof8 {}, x);
            let _ = I16s::<Proof8>::mul_montgomery(x, [splat(5), splat(other)], splat(3329));
        }
    };
    assert!(are_fulfilled(-32768, 32767, multiply(5_i16.wrapping_mul(-3327))));
    assert!(!are_fulfilled(-32768, 32767, multiply(5_i16.wrapping_mul(3327))));
}
