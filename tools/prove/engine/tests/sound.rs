//! What the engine must not believe, and what the recording backend must owe.
use core::panic::Location;
use std::panic::catch_unwind;

use oaklath_prove_engine::Kernel;
use oaklath_simd::proof::memory::Id;
use oaklath_simd::proof::record::record;
use oaklath_simd::proof::tape::{Duty, NONE, Node, Op, Source, Tape};
use oaklath_simd::proof::{Proof8, Proof16};
use oaklath_simd::{I16s, Simd, U64Lanes};

/// An operation, its width and its arguments.
type Row = (Op, u8, [u64; 2]);

fn tape(rows: &[Row]) -> Tape {
    let (mut tape, at) = (Tape::default(), Location::caller());
    for (id, (op, bits, args)) in rows.iter().copied().enumerate() {
        tape.nodes.push(Node { op, bits, lane: 0, args, at });
        if matches!(op, Op::Input(..)) {
            tape.inputs.push(id as u64);
        }
    }
    tape
}

/// Makes a kernel of a tape; functions of one number are not evaluated.
fn kernel(q: i64, rows: &[Row], duty: Option<Duty>) -> Kernel {
    let mut tape = tape(rows);
    tape.duties.extend(duty.map(|duty| (duty, Location::caller())));
    Kernel::new("test", q, 2, tape)
}

const fn constant(bits: u8, x: i64) -> Row {
    (Op::Const(x), bits, [NONE; 2])
}

/// Returns these bits of a number, as they are listed on a tape.
fn bits_of(id: Id, bits: impl IntoIterator<Item = u8>) -> Vec<Source> {
    bits.into_iter().map(|bit| Some((id, bit))).collect()
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
        assert_eq!(is_sum(&[input(32, 0, most), (Op::Extend, 16, [0, NONE])], 0, 0), is_exact);
    }
    let high = kernel(3329, &[input(64, 0, 1 << 40), (Op::High, 16, [0, NONE])], None);
    assert_eq!(high.range(1), (-32768, 32767));
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
    // Modulo an even number nothing follows for half of a number.
    for q in [2, 4] {
        let k = kernel(q, &rows, None);
        assert!(k.is_congruent(3, &k.linear([])).is_err());
    }
}

/// Low halves of a number and of a copy that has more bits.
#[test]
fn halves_are_those_of_the_number_that_was_asked_for() {
    let mut tape = tape(&[
        input(8, 0, 100),
        constant(16, 256),
        (Op::MulWide, 16, [0, 1]),
        (Op::Bits(0), 32, [NONE; 2]),
        (Op::High, 16, [3, NONE]),
    ]);
    tape.bits.push(bits_of(2, 0..16));
    let k = Kernel::new("test", 3329, 2, tape);
    assert!(k.low_half_is_zero(2) && !k.low_half_is_zero(3));
    let quotient = k.linear([(0, 256 * k.power(1665, 16) as i64)]);
    assert!(k.is_congruent(4, &quotient).is_err());
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
    let whole = input(64, 0, i64::MAX);
    let rows = [whole, (Op::Srl(1), 64, [0, NONE]), (Op::Or, 64, [0, 1])];
    assert_eq!(kernel(3329, &rows, None).range(2), (0, i64::MAX));
    let negative = [input(64, -1, 0), (Op::Srl(1), 64, [0, NONE])];
    assert_eq!(kernel(3329, &negative, None).range(1), (0, i64::MAX));
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
    assert!(k.is_congruent(2, &k.linear([(0, 1)])).is_err());
}

#[test]
fn forms_modulo_a_power_of_two_are_of_as_many_bits() {
    let is_sum = |bits, q| {
        let any = input(bits, -128, 127);
        let k = kernel(q, &[any, any, (Op::Add, bits, [0, 1])], None);
        k.is_congruent_in(2, &k.linear([(0, 1), (1, 1)]), 16).is_ok()
    };
    assert_eq!([8, 16, 32].map(|bits| is_sum(bits, 1 << 16)), [false, true, true]);
    assert!(!is_sum(16, 3329));
}

/// Numbers of two others that are the same where the second is three.
#[test]
fn functions_of_pairs_are_told_apart() {
    let small = input(16, 0, 9);
    let three = constant(16, 3);
    let rows = [
        small,
        three,
        input(16, 3, 9),
        three,
        (Op::Add, 16, [0, 2]),
        (Op::Mullo, 16, [4, 3]),
        (Op::Add, 16, [0, 1]),
        (Op::Mullo, 16, [6, 2]),
    ];
    let wanted = |x, y| (x + y) * 3;
    let k = kernel(3329, &rows, None);
    let are_wanted = |ids: &[Id]| {
        let pairs: Vec<_> = ids.iter().map(|id| (*id, [0, 2])).collect();
        k.are_functions_of_pairs(&pairs, [None; 2], &wanted).is_ok()
    };
    assert!(are_wanted(&[5]) && !are_wanted(&[7]) && !are_wanted(&[5, 7]));
    let mut tape = tape(&rows);
    tape.outputs = vec![5, 7];
    let k = Kernel::new("test", 3329, 1 << 8, tape);
    assert!(k.maps_pairs([0, 1], 0..1, &wanted).is_ok());
    let mut tape = self::tape(&rows);
    // Both are of the same inputs: as output 1 the other would be of the next ones.
    tape.inputs = vec![0, 0, 2, 2];
    tape.outputs = vec![5, 7];
    let k = Kernel::new("test", 3329, 1 << 8, tape);
    assert!(k.maps_pairs([0, 2], 0..2, &wanted).is_err());
}

/// x + 3, where x + y is wanted.
#[test]
fn functions_of_pairs_are_looked_at_for_all_their_values() {
    let (any, three) = (input(16, 0, 9), constant(16, 3));
    // y & 0 is of y, and zero.
    let rows = [any, any, three, constant(16, 0), (Op::And, 16, [1, 3])];
    let sums = [(Op::Add, 16, [0, 2]), (Op::Add, 16, [5, 4])];
    let k = kernel(3329, &[&rows[..], &sums].concat(), None);
    let are_sums = |y| k.are_functions_of_pairs(&[(6, [0, 1])], [None, y], &|x, y| x + y);
    assert!(are_sums(None).unwrap_err().contains("is wrong: 3 for 0, 0"));
    assert!(are_sums(Some(("y", (3, 3)))).is_ok());
    assert!(are_sums(Some(("y", (3, 4)))).is_err());
    assert!(are_sums(Some(("y", (4, 3)))).unwrap_err().contains("y is assumed within (4, 3)"));
    // All that are in a range, not only those of the first.
    let rows = [any, three, input(16, 3, 3), any, constant(16, 0)];
    let zeros = [(Op::And, 16, [2, 4]), (Op::And, 16, [3, 4]), (Op::Add, 16, [0, 1])];
    let sums = [(Op::Add, 16, [7, 5]), (Op::Add, 16, [7, 6])];
    let k = kernel(3329, &[&rows[..], &zeros, &sums].concat(), None);
    let are_sums = |ids: &[_]| k.are_functions_of_pairs(ids, [None; 2], &|x, y| x + y).is_ok();
    assert!(are_sums(&[(8, [0, 2])]) && !are_sums(&[(8, [0, 2]), (9, [0, 3])]));
}

/// |x - y| as the difference of the larger and the smaller.
#[test]
fn a_duty_is_not_fulfilled_by_a_wider_one() {
    let small = input(16, 0, 9);
    let (more, less) = ((Op::Max, 16, [0, 1]), (Op::Min, 16, [0, 1]));
    let are_within = |ranges: &[(i64, i64)]| {
        let mut tape = tape(&[small, small, more, less, (Op::Sub, 16, [2, 3])]);
        let duty = |(least, most): &(i64, i64)| Duty::Within(4, *least, *most);
        tape.duties.extend(ranges.iter().map(|range| (duty(range), Location::caller())));
        Kernel::new("test", 3329, 1 << 8, tape).duties().is_ok()
    };
    assert!(are_within(&[(0, 9)]) && !are_within(&[(1, 9)]) && !are_within(&[(0, 9), (1, 9)]));
}

/// Bits above those of the number that another is a copy of are its sign.
#[test]
fn a_copy_of_more_bits_has_its_sign() {
    let mut tape = tape(&[
        input(32, -5, 5),
        (Op::Bits(0), 32, [NONE; 2]),
        (Op::Low, 16, [1, NONE]),
        (Op::High, 16, [1, NONE]),
        (Op::Bits(1), 64, [NONE; 2]),
        (Op::Bits(2), 16, [NONE; 2]),
    ]);
    tape.bits.push(bits_of(0, (0..32).rev()));
    let halves = [bits_of(2, 0..16), bits_of(3, 0..16), bits_of(3, [15; 32])];
    tape.bits.extend([halves.concat(), bits_of(4, [40])]);
    let k = Kernel::new("test", 3329, 2, tape);
    assert_eq!((k.constant(5), k.range(5)), (None, (0, 1)));
}

/// Of a number of eight bits that is a copy of one of 16, shifts take eight.
#[test]
fn a_bit_that_was_shifted_out_is_no_bit() {
    let mut tape = tape(&[
        input(16, -32, 31),
        (Op::Bits(0), 8, [NONE; 2]),
        (Op::Srl(7), 8, [1, NONE]),
        (Op::Srl(7), 8, [2, NONE]),
        constant(8, 1),
        (Op::And, 8, [2, 4]),
        (Op::And, 8, [3, 4]),
    ]);
    tape.bits.push(bits_of(0, [0, 1, 2, 3, 4, 5, 5, 5]));
    let k = Kernel::new("test", 3329, 2, tape);
    assert_eq!([k.bit_of(5), k.bit_of(6)], [Some((0, 7)), Some((2, 7))]);
}

#[test]
fn each_output_is_of_an_input() {
    let mut tape = tape(&[SMALL, SMALL]);
    tape.outputs = vec![1, 0];
    let k = Kernel::new("test", 3329, 2, tape);
    assert!(k.maps(1, 0..1, |x| x).is_ok() && k.maps(1, 0..2, |x| x).is_err());
}

#[test]
#[should_panic(expected = "64 rows")]
fn a_table_of_truth_is_of_six_numbers() {
    let _ = kernel(3329, &[SMALL; 7], None).truth_table(6, &[0, 1, 2, 3, 4, 5, 6]);
}

/// The largest number of 32 bits is not that of 64.
#[test]
fn what_is_sorted_has_32_bits() {
    let is_sorted = |bits| {
        let rows = [input(bits, -9, 9), constant(bits, i32::MAX.into()), (Op::Min, bits, [0, 1])];
        kernel(3329, &rows, None).merges(&[(vec![0], false)], &[2]).is_ok()
    };
    assert!(is_sorted(32) && !is_sorted(64));
}

#[test]
fn inputs_fit_their_bits() {
    let is_taken = |least, most| {
        catch_unwind(|| kernel(3329, &[input(8, least, most)], None).range(0)).is_ok()
    };
    assert!(is_taken(-128, 127) && !is_taken(0, 128) && !is_taken(-129, 0) && !is_taken(1, 0));
}

#[test]
fn products_of_polynomials_have_two_halves() {
    let square = |op| (op, 8, [0, 0]);
    let rows = [input(8, -128, 127), square(Op::ClmulLow), square(Op::ClmulHigh)];
    let k = Kernel::new("test", 3329, 1 << 8, tape(&rows));
    let spread = |x: i64| (0..8).map(|bit| (x >> bit & 1) << (2 * bit)).sum::<i64>();
    assert!(k.are_function([1], |x| i64::from(spread(x) as i8)).is_ok());
    assert!(k.are_function([2], |x| i64::from((spread(x) >> 8) as i8)).is_ok());
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
type W = <Proof16 as Simd>::Four;

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

#[test]
fn words_are_selected_by_masks() {
    let are_fulfilled = |least: i64, most: i64, operation: &dyn Fn(W, W)| {
        let tapes = record(&|io| {
            let mut words = [0_u64; 4];
            io.inputs(&mut words, least..=most);
            let mask = <W as U64Lanes<_, 4>>::from_array(Proof16 {}, words);
            operation(mask, mask);
        });
        tapes.into_iter().all(|tape| Kernel::new("test", 2, 2, tape).duties().is_ok())
    };
    let select = |mask, x| {
        let _ = U64Lanes::<Proof16, 4>::select(x, mask, x);
    };
    let xor = |mask, x| {
        let _ = U64Lanes::<Proof16, 4>::xor_masked(x, mask, 5);
    };
    for operation in [&select as &dyn Fn(W, W), &xor] {
        assert!(are_fulfilled(-1, 0, operation) && !are_fulfilled(-1, 1, operation));
    }
}

#[test]
fn what_is_returned_has_one_decision() {
    let returns = |decisions: &[Id]| {
        let mut tape = tape(&[SMALL, (Op::Srl(15), 16, [0, NONE])]);
        tape.decisions = decisions.iter().map(|id| (*id, true)).collect();
        tape.results = vec![0];
        Kernel::new("test", 3329, 1 << 8, tape).returns_whether_all(|x| x >= 0)
    };
    assert_eq!(returns(&[1]), Ok(vec![0]));
    assert_eq!(returns(&[1, 1]), Err("test: 2 decisions".into()));
}
