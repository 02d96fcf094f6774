//! The kernels of `crates/poly/src/q8380417.rs` by their contracts: what they read and write, with
//! the ranges of their theorems (`crates/poly/src/q8380417/proofs.rs`). What it means is in
//! [`contracts`](crate::contracts).
use core::cell::Cell;
use core::ops::RangeInclusive;

use oaklath_prove_opaque::lanes::after_seed;
use oaklath_prove_opaque::proof::call::OpaqueCall;
use oaklath_prove_opaque::proof::io::unwritten;
use oaklath_prove_opaque::{
    A64, I32s, Kept, NUMBERS_BELOW_Q, SMALL_NIBBLES, Simd, filter, scratch,
};

use oaklath_prove_poly::q8380417::{BOUNDS, Q, SMALL_PRODUCTS, THEOREMS};
pub(crate) use oaklath_prove_poly::q8380417::{Entry, NttPoly, Poly, ROW, Small};

const BYTE: RangeInclusive<i64> = -128..=127;

/// The results of a kernel, as its theorem proves them.
fn results(kernel: &str) -> RangeInclusive<i64> {
    oaklath_prove_opaque::results(THEOREMS, kernel)
}

/// The numbers that the theorem about a kernel takes for granted of an argument.
fn given(kernel: &str, argument: &str) -> RangeInclusive<i64> {
    oaklath_prove_opaque::given(THEOREMS, kernel, argument, Q.into())
}

/// -most to most, which its theorem proves of a kernel's results for some parameter.
fn results_up_to(kernel: &str, most: i32) -> RangeInclusive<i64> {
    oaklath_prove_opaque::results_of_case(THEOREMS, kernel, most.into())
}

/// A range that the theorem about a kernel takes for granted of an argument, for some parameter.
fn given_as(kernel: &str, argument: &str, range: RangeInclusive<i64>) -> RangeInclusive<i64> {
    oaklath_prove_opaque::given_in_case(THEOREMS, kernel, (argument, range), Q.into())
}

/// -n to n.
fn up_to(n: i32) -> RangeInclusive<i64> {
    i64::from(-n)..=i64::from(n)
}

/// The XOFs of a case: its name, and how many blocks each takes, of entry \[i, j\] of the matrix,
/// and, for eta, of polynomial r of s1 and s2.
#[derive(Clone, Copy)]
pub(crate) struct DsaXofs {
    pub(crate) name: &'static str,
    pub(crate) entry: fn(usize, usize) -> usize,
    pub(crate) secret: fn(i32, usize) -> usize,
}

std::thread_local! {
    /// The XOFs of the current case. Which one a block is of is what its lane was started with.
    pub(crate) static XOFS: Cell<Option<DsaXofs>> = const { Cell::new(None) };
    /// How many ones the hints of a polynomial have.
    pub(crate) static ONES: Cell<usize> = const { Cell::new(0) };
}

fn xofs() -> DsaXofs {
    XOFS.get().expect("a case")
}

/// A challenge, which in this world has no windows.
#[derive(Clone, Copy)]
pub(crate) struct Challenge {
    pub(crate) c: [i8; 256],
    pub(crate) terms: usize,
}

impl Challenge {
    pub(crate) const EMPTY: Self = Self { c: [0; 256], terms: 0 };
}

pub(crate) type Sums = A64<[[i8; 256]; 2], Challenge>;

#[track_caller]
pub(crate) fn reject_block_vartime<S: Simd>(
    _: S,
    row: &[u8; ROW],
    entry: &mut Entry,
    n: usize,
) -> usize {
    assert!(row[168..].iter().all(|byte| *byte == 0xff), "what follows a block is rejected");
    let [j, i] = after_seed(row).map(usize::from);
    let kept = Kept::Any((xofs().entry)(i, j));
    filter((NUMBERS_BELOW_Q, Q.into()), &row[..168], &kept, &mut entry[..], n)
}

#[track_caller]
pub(crate) fn reject_nibbles_vartime<S: Simd>(
    _: S,
    eta: i32,
    block: &[u8],
    f: &mut Entry<()>,
    n: usize,
) -> usize {
    let r = u16::from_le_bytes(after_seed(block)).into();
    let kept = Kept::Any((xofs().secret)(eta, r));
    filter((SMALL_NIBBLES, nibbles(eta)), block, &kept, &mut f[..], n)
}

/// Which nibbles are kept: those below this.
pub(crate) fn nibbles(eta: i32) -> i64 {
    if eta == 2 { 15 } else { 9 }
}

#[track_caller]
pub(crate) fn finish_nibbles<S: Simd>(_: S, eta: i32, from: &Entry<()>, f: &mut Poly) {
    let kernel = "q8380417::finish_nibbles";
    let range = given_as(kernel, "x", 0..=nibbles(eta) - 1);
    let call = OpaqueCall::new("finish_nibbles").reads(&[eta]);
    call.reads_within(&from[..256], range).writes(&mut f[..], results_up_to(kernel, eta));
}

#[track_caller]
pub(crate) fn ntt<S: Simd>(_: S, f: &Poly, f_hat: &mut NttPoly) {
    let range = given("q8380417::ntt", "|f|");
    let call = OpaqueCall::new("ntt").reads_within(&f[..], range);
    call.writes(&mut f_hat[..], results("q8380417::ntt"));
}

#[track_caller]
pub(crate) fn inverse_ntt<S: Simd>(_: S, f_hat: &NttPoly, f: &mut Poly) {
    let range = given("q8380417::inverse_ntt", "|f|");
    let call = OpaqueCall::new("inverse_ntt").reads_within(&f_hat[..], range);
    call.writes(&mut f[..], results("q8380417::inverse_ntt"));
}

/// Reads how many products there are, and their factors.
#[track_caller]
fn products(name: &'static str, kernel: &str, a: &[Entry], b: &[NttPoly]) -> OpaqueCall {
    assert!([4, 5, 7].contains(&b.len()) && a.len() >= b.len(), "an entry for each factor");
    let mut call = OpaqueCall::new(name).reads(&[b.len() as i32]);
    for (a, b) in a.iter().zip(b) {
        call = call.reads_within(&a[..256], given(kernel, "a"));
        call = call.reads_within(&b[..], given(kernel, "|b|"));
    }
    call
}

#[track_caller]
pub(crate) fn dot<S: Simd>(_: S, a: &[Entry], b: &[NttPoly], result: &mut NttPoly) {
    let kernel = "q8380417::dot";
    let call = products("dot", kernel, a, b);
    call.writes(&mut result[..], results(kernel));
}

#[track_caller]
pub(crate) fn dot_minus<S: Simd>(
    _: S,
    a: &[Entry],
    b: &[NttPoly],
    (c, t): (&NttPoly, &NttPoly),
    result: &mut NttPoly,
) {
    let kernel = "q8380417::dot_minus";
    let call = products("dot_minus", kernel, a, b).reads_within(&c[..], given(kernel, "|c|"));
    let call = call.reads_within(&t[..], given(kernel, "|t|"));
    call.writes(&mut result[..], results(kernel));
}

#[track_caller]
pub(crate) fn multiply_ntt<S: Simd>(_: S, a: &NttPoly, b: &NttPoly, result: &mut NttPoly) {
    let kernel = "q8380417::multiply_ntt";
    let range = given(kernel, "|b|");
    let call = OpaqueCall::new("multiply_ntt").reads_within(&a[..], range.clone());
    call.reads_within(&b[..], range).writes(&mut result[..], results(kernel));
}

/// The product is opaque, that it is added is not: so sums stay in their range. That of the product
/// is what the theorem adds to that of the sum.
#[track_caller]
pub(crate) fn add_product<S: Simd>(s: S, a: &[i32], b: &NttPoly, sum: &mut NttPoly) {
    let kernel = "q8380417::add_product";
    scratch!(product: NttPoly);
    let call = OpaqueCall::new("add_product");
    let before = given(kernel, "|sum|");
    let most = results(kernel).end() - before.end();
    let call = call.reads_within(&sum[..], before);
    let call = call.reads_within(&a[..256], given(kernel, "a"));
    let call = call.reads_within(&b[..], given(kernel, "|b|"));
    call.writes(&mut product[..], -most..=most);
    for i in (0..256).step_by(S::I32::LANES) {
        (S::I32::load(s, &sum[i..]) + S::I32::load(s, &product[i..])).store(&mut sum[i..]);
    }
}

#[track_caller]
pub(crate) fn reduce_sum<S: Simd>(_: S, f: &NttPoly, result: &mut NttPoly) {
    let kernel = "q8380417::reduce_sum";
    let call = OpaqueCall::new("reduce_sum");
    let call = call.reads_within(&f[..], given(kernel, "|f|"));
    call.writes(&mut result[..], results(kernel));
}

#[track_caller]
pub(crate) fn decode_t1<S: Simd>(_: S, bytes: &[u8], f: &mut Poly) {
    let call = OpaqueCall::new("decode_t1").reads(&bytes[..320]);
    call.writes(&mut f[..], results("q8380417::decode_t1"));
}

#[track_caller]
pub(crate) fn decode_t0<S: Simd>(_: S, bytes: &[u8], f: &mut Poly) {
    let call = OpaqueCall::new("decode_t0").reads(&bytes[..416]);
    call.writes(&mut f[..], results("q8380417::decode_t0"));
}

/// The bytes of a polynomial of s1 or s2.
fn eta_bytes(eta: i32) -> usize {
    if eta == 2 { 96 } else { 128 }
}

#[track_caller]
pub(crate) fn encode_eta<S: Simd>(_: S, eta: i32, f: &Poly, bytes: &mut [u8]) {
    let range = given_as("q8380417::encode_eta", "|g|", up_to(eta));
    let call = OpaqueCall::new("encode_eta").reads(&[eta]).reads_within(&f[..], range);
    call.writes(&mut bytes[..eta_bytes(eta)], BYTE);
}

#[track_caller]
pub(crate) fn decode_eta<S: Simd>(_: S, eta: i32, bytes: &[u8], f: &mut [i8; 256]) -> bool {
    let mut call = OpaqueCall::new("decode_eta").reads(&[eta]).reads(&bytes[..eta_bytes(eta)]);
    let is_small = call.decides();
    call.writes(&mut f[..], if is_small { up_to(eta) } else { BYTE });
    is_small
}

#[track_caller]
pub(crate) fn encode_z<S: Simd>(_: S, bits: usize, f: &Poly, bytes: &mut [u8]) {
    let range = given_as("q8380417::encode_z", "|z|", up_to((1 << (bits - 1)) - 1));
    let call = OpaqueCall::new("encode_z").reads(&[bits as i32]);
    call.reads_within(&f[..], range).writes(&mut bytes[..32 * bits], BYTE);
}

#[track_caller]
pub(crate) fn decode_z<S: Simd>(_: S, bits: usize, bytes: &[u8], f: &mut Poly, bound: i32) -> bool {
    let call = OpaqueCall::new("decode_z").reads(&[bits as i32, bound]);
    let mut call = call.reads(&bytes[..32 * bits]);
    let is_within = call.decides();
    call.writes(&mut f[..], if is_within { up_to(bound - 1) } else { up_to(i32::MAX) });
    is_within
}

#[track_caller]
pub(crate) fn decode_mask<S: Simd>(_: S, bits: usize, bytes: &[u8], f: &mut Poly) {
    let call = OpaqueCall::new("decode_mask").reads(&[bits as i32]).reads(&bytes[..32 * bits]);
    call.writes(&mut f[..], results_up_to("q8380417::decode_mask", 1 << (bits - 1)));
}

#[track_caller]
pub(crate) fn power2round<S: Simd>(_: S, f: &Poly, e: &Poly, t1: &mut [u8], t0: &mut [u8]) {
    let kernel = "q8380417::power2round";
    let call = OpaqueCall::new("power2round").reads_within(&f[..], given(kernel, "|f|"));
    let call = call.reads_within(&e[..], given(kernel, "|e|"));
    let (mut both, (t1, t0)) = ([0; 320 + 416], (&mut t1[..320], &mut t0[..416]));
    call.writes(&mut both[..], BYTE);
    t1.copy_from_slice(&both[..320]);
    t0.copy_from_slice(&both[320..]);
}

/// gamma2, and the bytes of encoded high parts.
fn high_parts(m: i32) -> (i32, usize) {
    if m == 16 { (261_888, 128) } else { (95_232, 192) }
}

#[track_caller]
pub(crate) fn decompose_encode<S: Simd>(_: S, m: i32, w: &mut Poly, bytes: &mut [u8]) {
    let kernel = "q8380417::decompose_encode";
    let (range, (gamma2, len)) = (given(kernel, "|w|"), high_parts(m));
    let read = |name| OpaqueCall::new(name).reads(&[m]).reads_within(&w[..], range.clone());
    read("w1Encode(HighBits)").writes(&mut bytes[..len], BYTE);
    read("LowBits").writes(&mut w[..], results_up_to(kernel, gamma2));
}

#[track_caller]
pub(crate) fn use_hint_encode<S: Simd>(_: S, m: i32, w: &Poly, hint: &[i8; 256], bytes: &mut [u8]) {
    let kernel = "q8380417::use_hint_encode";
    let call = OpaqueCall::new("use_hint_encode").reads(&[m]);
    let call = call.reads_within(&w[..], given(kernel, "|w|"));
    call.reads_within(&hint[..], given(kernel, "h")).writes(&mut bytes[..high_parts(m).1], BYTE);
}

/// In this world a polynomial is kept once.
pub(crate) fn fill_small(f: &[i8; 256], small: &mut Small) {
    small[..256].copy_from_slice(f);
}

/// There are as many terms and sums as in a case of the theorem, which says how large s may be.
#[track_caller]
pub(crate) fn multiply_small<S: Simd>(
    _: S,
    split: bool,
    small: &Small,
    c: &Challenge,
    sums: &mut Sums,
) {
    let case = SMALL_PRODUCTS.iter().find(|case| (case.0, case.1) == (split, c.terms));
    let eta = case.expect("a case of the theorem").2;
    let range = given_as("q8380417::multiply_small", "|s|", up_to(eta));
    let call = OpaqueCall::new("multiply_small").reads(&c.c[..]).reads_within(&small[..256], range);
    call.writes(sums.as_flattened_mut(), BYTE);
}

/// Reads f and sums, decides whether the result is below a bound, and writes it if it is. Otherwise
/// the attempt ends.
#[track_caller]
fn bounded_sum(name: &'static str, f: &mut Poly, sums: &Sums, bound: i32) -> bool {
    assert!(BOUNDS.contains(&bound), "{name}: the theorem has no bound of {bound}");
    let range = given("q8380417::add_within", "|f|");
    let call = OpaqueCall::new(name).reads(&[bound]).reads_within(&f[..], range);
    let mut call = call.reads(sums.as_flattened());
    let is_within = call.decides();
    if is_within {
        call.writes(&mut f[..], up_to(bound - 1));
    } else {
        scratch!(nothing: Poly);
        f.copy_from_slice(&nothing[..]);
    }
    is_within
}

#[track_caller]
pub(crate) fn subtract_within<S: Simd>(_: S, f: &mut Poly, sums: &Sums, bound: i32) -> bool {
    bounded_sum("subtract_within", f, sums, bound)
}

#[track_caller]
pub(crate) fn add_within<S: Simd>(_: S, f: &mut Poly, sums: &Sums, bound: i32) -> bool {
    bounded_sum("add_within", f, sums, bound)
}

/// Challenges and secrets are small, and stay the same numbers.
#[track_caller]
pub(crate) fn widen<S: Simd>(_: S, f: &[i8; 256], wide: &mut Poly) {
    let range = given("q8380417::power2round", "|e|");
    OpaqueCall::new("widen").reads_within(&f[..], range.clone()).writes(&mut wide[..], range);
}

/// Decides whether |ct0| is below gamma2, and whether there is room for the ones, of which there
/// are then as many as the case says. Otherwise the attempt ends, and any places may be written.
#[track_caller]
pub(crate) fn make_hint<S: Simd>(
    _: S,
    m: i32,
    r0: &Poly,
    ct0: &Poly,
    w1: &[u8],
    positions: &mut [u8],
    n: usize,
) -> Option<usize> {
    let (gamma2, len) = high_parts(m);
    let kernel = "q8380417::make_hint";
    let range = given(kernel, "|ct0|");
    let reads_ct0 =
        |name, x| OpaqueCall::new(name).reads(&[x]).reads_within(&ct0[..], range.clone());
    let places = &mut positions[n..];
    let room = places.len();
    if !reads_ct0("below gamma2", gamma2).decides() {
        places.copy_from_slice(&unwritten(room));
        return None;
    }
    let call = reads_ct0("make_hint", m).reads(&[room as i32]);
    let call = call.reads_within(&r0[..], given_as(kernel, "|r0|", up_to(gamma2 - 1)));
    let mut call = call.reads(&w1[..len]);
    if !call.decides() {
        places.copy_from_slice(&unwritten(room));
        return None;
    }
    call.writes(&mut places[..ONES.get()], BYTE);
    Some(n + ONES.get())
}
