//! The kernels of Falcon outside `oaklath-poly` have bit-identical outputs at every SIMD level.
use oaklath_simd::compare::{Inputs, same_at_every_level};
use oaklath_simd::{Complex, Simd, dispatch};

use super::*;
use crate::fn_dsa::fft::{fft, inverse_fft};

/// The number of inputs that most kernels are tested with.
const FEW: u64 = 50;

/// Returns doubles like those of the polynomials in signing: of all sizes up to 2^31.
fn doubles<const N: usize>(inputs: &mut Inputs) -> [f64; N] {
    core::array::from_fn(|_| {
        let (sign, size) = (inputs.bits() as i32, inputs.within(0, 60));
        f64::from(sign) / (1_u64 << size) as f64
    })
}

fn transforms<const N: usize>(inputs: &mut Inputs) -> [[u64; N]; 2] {
    let [mut f, mut g] = [doubles(inputs), doubles(inputs)];
    fft::<Native, N>(&mut f);
    inverse_fft::<Native, N>(&mut g);
    [f, g].map(|f| f.map(f64::to_bits))
}

#[test]
fn transforms_same_at_every_level() {
    same_at_every_level("Falcon FFT 512", FEW, transforms::<512>);
    same_at_every_level("Falcon FFT 1024", FEW, transforms::<1024>);
}

/// Draws pairs of numbers around random centres, with random deviations.
fn drawn<S: Simd, B: Source<S>>(s: S, inputs: &mut Inputs) -> Vec<u64> {
    const SMALLEST: f64 = 1.277_833_696_912_833_7;
    let mut inverse_sigmas = InverseSigmas::<f64, 512>::new([0.0; 512]);
    for sigma in &mut inverse_sigmas[..8] {
        *sigma = 0.5494 + 0.2331 * f64::from(inputs.within(0, 511)) / 511.0;
    }
    let mut limits = Limits::<512>::new([[0.0; 4]; 512]);
    Native::limits(s, &inverse_sigmas[..8], SMALLEST, &mut limits[..8]);
    let leaves = Leaves { inverse_sigmas: &inverse_sigmas[..8], limits: &limits[..8] };
    let mut sampler = <Native as Sampling>::Sampler::<S, B>::empty(s);
    sampler.start(&mut Shake256::new().chain(&inputs.bytes::<32>()).finish(), SMALLEST);
    let mut out = Vec::new();
    for n in 0..32 {
        let [a, b] = [0, 1].map(|_| inputs.bits() as i64 as f64 / (1_u64 << 50) as f64);
        sampler.step();
        let mu = S::C64::new(s, a, b);
        out.extend(sampler.pair(s, mu, &leaves, n % 8).parts().map(f64::to_bits));
    }
    out
}

#[test]
fn samplers_same_at_every_level() {
    same_at_every_level(
        "Falcon sampler",
        FEW,
        |inputs| dispatch!(s => drawn::<_, ChaChaSource<_>>(s, inputs)),
    );
    same_at_every_level(
        "FN-DSA sampler",
        FEW,
        |inputs| dispatch!(s => drawn::<_, ShakeSource>(s, inputs)),
    );
}
