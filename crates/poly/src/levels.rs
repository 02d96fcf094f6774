//! Tests that each kernel returns the same results at every SIMD level, for any inputs within its
//! ranges; `cargo xtask levels --kernels` runs many. The unit tests beside each kernel compare
//! results with plain arithmetic.

mod ntru;
mod q12289;
mod q3329;
mod q8380417;

use oaklath_simd::A64;
use oaklath_simd::compare::Inputs;

/// The number of inputs of each kernel, unless more are requested.
const FEW: u64 = 50;

/// Returns 16-bit coefficients within a range.
fn narrow<const N: usize, T>(inputs: &mut Inputs, least: i16, most: i16) -> A64<[i16; N], T> {
    let mut f = A64::new([0; N]);
    f.fill_with(|| inputs.within(least.into(), most.into()) as i16);
    f
}

/// Returns 32-bit coefficients within a range.
fn wide<T>(inputs: &mut Inputs, least: i32, most: i32) -> A64<[i32; 256], T> {
    let mut f = A64::new([0; 256]);
    f.fill_with(|| inputs.within(least, most));
    f
}

/// Returns a row of XOF output for a rejection sampler, in which some bytes are 0xff.
fn row<const ROW: usize>(inputs: &mut Inputs) -> [u8; ROW] {
    let mut row = [0xff; ROW];
    inputs.fill(&mut row[..168]);
    for _ in 0..inputs.bits() % 4 {
        row[(inputs.bits() % 168) as usize] = 0xff;
    }
    row
}
