//! Every kernel gives the same at every level, for any inputs within its ranges: `cargo xtask
//! levels --kernels` takes many. What it gives is compared with plain arithmetic beside each
//! kernel.

mod ntru;
mod q12289;
mod q3329;
mod q8380417;

use oaklath_simd::A64;
use oaklath_simd::compare::Inputs;

/// Inputs of each kernel, where nobody asks for more.
const FEW: u64 = 50;

/// 16-bit coefficients within a range.
fn narrow<const N: usize, T>(inputs: &mut Inputs, least: i16, most: i16) -> A64<[i16; N], T> {
    let mut f = A64::new([0; N]);
    f.fill_with(|| inputs.within(least.into(), most.into()) as i16);
    f
}

/// 32-bit coefficients within a range.
fn wide<T>(inputs: &mut Inputs, least: i32, most: i32) -> A64<[i32; 256], T> {
    let mut f = A64::new([0; 256]);
    f.fill_with(|| inputs.within(least, most));
    f
}

/// A row of XOF output for a rejection sampler, of which some bytes are as large as they get.
fn row<const ROW: usize>(inputs: &mut Inputs) -> [u8; ROW] {
    let mut row = [0xff; ROW];
    inputs.fill(&mut row[..168]);
    for _ in 0..inputs.bits() % 4 {
        row[(inputs.bits() % 168) as usize] = 0xff;
    }
    row
}
