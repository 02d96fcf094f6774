//! The kernels of `crates/poly/src/q3329.rs` by their contracts: what they read and write, with the
//! ranges of their theorems (`crates/poly/src/q3329/proofs.rs`). What it means is in
//! [`contracts`](crate::contracts).
use core::cell::Cell;
use core::ops::{Range, RangeInclusive};

use oaklath_prove_opaque::proof::call::OpaqueCall;
use oaklath_prove_opaque::{I16s, Kept, NUMBERS_BELOW_Q, Simd, filter, results_of_case};

use oaklath_prove_poly::q3329::THEOREMS;
pub(crate) use oaklath_prove_poly::q3329::{Entry, Factor, NttPoly, Poly, ROW};

const BYTE: RangeInclusive<i64> = -128..=127;

/// The results of a kernel, as its theorem proves them.
fn results(kernel: &str) -> RangeInclusive<i64> {
    oaklath_prove_opaque::results(THEOREMS, kernel)
}

/// The numbers that the theorem about a kernel takes for granted of an argument.
fn given(kernel: &str, argument: &str) -> RangeInclusive<i64> {
    oaklath_prove_opaque::given(THEOREMS, kernel, argument, 3329)
}

/// An entry of a matrix: of the first or the second operation, its row and its column.
pub(crate) type Place = (usize, usize, usize);

/// The XOFs of a case: its name, and how many numbers below q the blocks of each entry's XOF have,
/// in a matrix of k rows.
#[derive(Clone, Copy)]
pub(crate) struct Xofs {
    pub(crate) name: &'static str,
    pub(crate) kept: fn(usize, Place) -> Kept,
}

/// The matrices that are sampled: of how many rows, where in memory, and by which XOFs.
#[derive(Clone, Copy)]
struct Matrices {
    k: usize,
    xofs: Xofs,
    /// Which entry, row by row, is sampled first.
    first: usize,
    /// The address of the first one.
    at: Option<usize>,
}

std::thread_local! {
    static MATRICES: Cell<Option<Matrices>> = const { Cell::new(None) };
}

/// Begins an operation. The entry that it samples first says where its matrix is: which entry the
/// stubs take numbers for is not trusted, since numbers of another one would be other terms.
pub(crate) fn begin(k: usize, first: usize, xofs: Xofs) {
    MATRICES.set(Some(Matrices { k, xofs, first, at: None }));
}

/// How many numbers below q the blocks of an entry's XOF have.
fn kept_for(entry: &Entry) -> Kept {
    let mut matrices = MATRICES.get().expect("an operation");
    let Matrices { k, first, .. } = matrices;
    let at = core::ptr::from_ref(entry).addr();
    let start = *matrices.at.get_or_insert(at - first * size_of::<Entry>());
    MATRICES.set(Some(matrices));
    let index = at.wrapping_sub(start) / size_of::<Entry>();
    assert!(index < 2 * k * k, "an entry of another matrix");
    let place = (index / (k * k), index / k % k, index % k);
    (matrices.xofs.kept)(k, place)
}

#[track_caller]
pub(crate) fn reject_block_vartime<S: Simd>(
    _: S,
    row: &[u8; ROW],
    entry: &mut Entry,
    n: usize,
) -> usize {
    assert!(row[168..].iter().all(|byte| *byte == 0xff), "what follows a block is rejected");
    reject_bytes_vartime(&row[..168], entry, n)
}

#[track_caller]
pub(crate) fn reject_bytes_vartime(bytes: &[u8], entry: &mut Entry, n: usize) -> usize {
    assert_eq!(bytes.len(), 168, "a block");
    if n == 256 {
        return n;
    }
    filter((NUMBERS_BELOW_Q, 3329), bytes, &kept_for(entry), &mut entry[..], n)
}

#[track_caller]
pub(crate) fn cbd_2<S: Simd, const MONTGOMERY: bool>(_: S, bytes: &[u8], f: &mut Poly) {
    let (name, most) = if MONTGOMERY { ("cbd_2, times 2^16", 1241) } else { ("cbd_2", 2) };
    let range = results_of_case(THEOREMS, "q3329::cbd_2", most);
    OpaqueCall::new(name).reads(&bytes[..128]).writes(&mut f[..], range);
}

#[track_caller]
pub(crate) fn cbd_3<S: Simd, const MONTGOMERY: bool>(_: S, bytes: &[u8], f: &mut Poly) {
    let (name, most) = if MONTGOMERY { ("cbd_3, times 2^16", 2285) } else { ("cbd_3", 3) };
    let range = results_of_case(THEOREMS, "q3329::cbd_3", most);
    OpaqueCall::new(name).reads(&bytes[..192]).writes(&mut f[..], range);
}

#[track_caller]
pub(crate) fn ntt<S: Simd>(_: S, f: &Poly, f_hat: &mut NttPoly) {
    let call = OpaqueCall::new("ntt").reads_within(&f[..], given("q3329::ntt", "|f|"));
    call.writes(&mut f_hat[..], results("q3329::ntt"));
}

#[track_caller]
pub(crate) fn inverse_ntt<S: Simd>(_: S, f_hat: &NttPoly, f: &mut Poly) {
    let call =
        OpaqueCall::new("inverse_ntt").reads_within(&f_hat[..], given("q3329::inverse_ntt", "|f|"));
    call.writes(&mut f[..], results("q3329::inverse_ntt"));
}

#[track_caller]
pub(crate) fn prepare<S: Simd>(_: S, b: &NttPoly, factor: &mut Factor) {
    let call = OpaqueCall::new("prepare").reads_within(&b[..], given("q3329::prepare", "|b|"));
    call.writes(factor.as_flattened_mut(), results("q3329::prepare"));
}

#[track_caller]
pub(crate) fn dot<S: Simd, const K: usize>(
    s: S,
    a: [&[i16; 256]; K],
    b: &[Factor; K],
    result: &mut NttPoly,
) {
    sum_of_products("dot", s, a, b, 0..256).writes(&mut result[..], results("q3329::dot"));
}

#[track_caller]
pub(crate) fn dot_encode_12<S: Simd, const K: usize>(
    s: S,
    a: [&[i16; 256]; K],
    b: &[Factor; K],
    e: &NttPoly,
    range: Range<usize>,
    bytes: &mut [u8],
) {
    let is_whole = |end: usize| end.is_multiple_of(S::I16::LANES);
    assert!(is_whole(range.start) && is_whole(range.end), "whole vectors");
    let call = sum_of_products("dot_encode_12", s, a, b, range.clone());
    let call = call.reads_within(&e[range.clone()], given("q3329::dot_encode_12", "|e|"));
    call.writes(&mut bytes[range.start * 3 / 2..range.end * 3 / 2], BYTE);
}

/// Reads where the range begins, its length, and how many factors there are.
#[track_caller]
fn sum_of_products<S: Simd, const K: usize>(
    name: &'static str,
    _: S,
    a: [&[i16; 256]; K],
    b: &[Factor; K],
    range: Range<usize>,
) -> OpaqueCall {
    assert!(K <= 4, "at most four products");
    let mut call = OpaqueCall::new(name).reads(&[range.start, range.len(), K].map(|x| x as i16));
    for (a, b) in a.iter().zip(b) {
        call = call.reads_within(&a[range.clone()], given("q3329::dot", "a"));
        call = call.reads_within(&b[0][range.clone()], results("q3329::prepare"));
        call = call.reads_within(&b[1][range.clone()], results("q3329::prepare"));
    }
    call
}

/// What is decoded without reduction, which is not negative.
fn twelve_bits() -> RangeInclusive<i64> {
    0..=*results("q3329::decode_12").end()
}

#[track_caller]
pub(crate) fn decode_12<S: Simd>(_: S, bytes: &[u8], f: &mut NttPoly) {
    OpaqueCall::new("decode_12").reads(&bytes[..384]).writes(&mut f[..], twelve_bits());
}

#[track_caller]
pub(crate) fn decode_12_checked<S: Simd>(_: S, bytes: &[u8], f: &mut NttPoly) -> bool {
    let call = OpaqueCall::new("decode_12_checked").reads(&bytes[..384]);
    call.writes(&mut f[..], twelve_bits()).decides()
}

#[track_caller]
pub(crate) fn encode_12<S: Simd>(_: S, f: &NttPoly, bytes: &mut [u8]) {
    let call = OpaqueCall::new("encode_12").reads_within(&f[..], 0..=3328);
    call.writes(&mut bytes[..384], BYTE);
}

#[track_caller]
pub(crate) fn encode_12_from_montgomery<S: Simd>(_: S, f: &NttPoly, bytes: &mut [u8]) {
    let call = OpaqueCall::new("encode_12_from_montgomery").reads(&f[..]);
    call.writes(&mut bytes[..384], BYTE);
}

#[track_caller]
pub(crate) fn encode_u<S: Simd, const D: usize>(_: S, u: &Poly, e1: &Poly, bytes: &mut [u8]) {
    let call = OpaqueCall::new("encode_u")
        .reads(&[D as i8])
        .reads_within(&u[..], given("q3329::encode_u", "|u|"));
    let call = call.reads_within(&e1[..], given("q3329::encode_u", "|e1|"));
    call.writes(&mut bytes[..32 * D], BYTE);
}

#[track_caller]
pub(crate) fn encode_v<S: Simd, const D: usize>(
    _: S,
    v: &Poly,
    e2: &Poly,
    m: &[u8; 32],
    bytes: &mut [u8],
) {
    let call = OpaqueCall::new("encode_v").reads(&[D as i8]).reads(&v[..]);
    let call = call.reads_within(&e2[..], given("q3329::encode_v", "|e2|")).reads(&m[..]);
    call.writes(&mut bytes[..32 * D], BYTE);
}

#[track_caller]
pub(crate) fn decompress_u<S: Simd, const D: usize>(_: S, bytes: &[u8], u: &mut Poly) {
    let call = OpaqueCall::new("decompress_u").reads(&bytes[..32 * D]);
    call.writes(&mut u[..], results("q3329::decompress_u"));
}

#[track_caller]
pub(crate) fn decompress_message<S: Simd, const D: usize>(
    _: S,
    bytes: &[u8],
    w: &Poly,
    m: &mut [u8; 32],
) {
    let call = OpaqueCall::new("decompress_message").reads(&bytes[..32 * D]);
    call.reads_within(&w[..], given("q3329::decompress_message", "|w|")).writes(&mut m[..], BYTE);
}
