//! The vectors of key generation: FIPS 203, Algorithm 13, lines 16 to 20.
use oaklath_poly::q3329::{self, Entry, Factor, NttPoly, dot_encode_12, ntt, prepare};
use oaklath_simd::{I16s, Simd, secret, vectorize};

use super::memory::{LaneSamples, PkeMemory};
use super::params::{MlKemParams, POLY_12, with_rank};
use super::pke::{coefficients, gather};

/// The vectors and the matrix of key generation, and the progress of the rows of `t_hat`.
pub(crate) struct KeygenMemory<'a> {
    pub(crate) samples: LaneSamples<'a>,
    s_hat: &'a mut [Factor],
    e_hat: &'a mut [NttPoly],
    /// How many coefficients of each row of `t_hat` are encoded in ek.
    pub(super) encoded: [usize; 4],
    /// Whether all entries are sampled outside the lanes.
    #[cfg(test)]
    pub(super) cold: bool,
}

impl<'a> KeygenMemory<'a> {
    #[inline(always)]
    pub(crate) fn new(
        p: &MlKemParams,
        A_hat: &'a mut [Entry],
        PkeMemory { y, e1, factors, .. }: PkeMemory<'a>,
        e_hat: &'a mut [NttPoly],
    ) -> Self {
        let samples = LaneSamples { y, e1, ..LaneSamples::of_matrix(p, A_hat) };
        Self {
            samples,
            s_hat: factors,
            e_hat,
            encoded: [0; 4],
            #[cfg(test)]
            cold: false,
        }
    }

    /// Transforms s and e, which must have been sampled completely: FIPS 203, Algorithm 13, lines
    /// 16, 17 and 20.
    #[inline(always)]
    pub(crate) fn transform_noise<S: Simd>(&mut self, s: S, dk: &mut [u8]) {
        let LaneSamples { y, e1, .. } = &self.samples;
        secret!(f_hat: NttPoly);
        for (i, bytes) in dk.chunks_exact_mut(POLY_12).take(y.len()).enumerate() {
            // 16: s_hat <- NTT(s)
            ntt(s, &y[i], f_hat);
            prepare(s, f_hat, &mut self.s_hat[i]);
            // 17: e_hat <- NTT(e)
            ntt(s, &e1[i], &mut self.e_hat[i]);
            // 20: dk_PKE <- ByteEncode_12(s_hat)
            q3329::encode_12_from_montgomery(s, f_hat, bytes);
        }
    }

    /// Computes and encodes `t_hat` as far as entries have been sampled, in whole SIMD vectors:
    /// FIPS 203, Algorithm 13, lines 18 and 19.
    #[inline(always)]
    pub(crate) fn encode<S: Simd>(&mut self, s: S, ek: &mut [u8]) {
        with_rank!(self.samples.k, K => self.encode_of_rank::<S, K>(s, ek));
    }

    /// Does [`encode`](Self::encode) for one rank. Out of line.
    #[inline(never)]
    fn encode_of_rank<S: Simd, const K: usize>(&mut self, s: S, ek: &mut [u8]) {
        vectorize!(s => {
            let LaneSamples { A_hat, counts, .. } = &self.samples;
            let s_hat: &[Factor; K] = (&*self.s_hat).try_into().expect("the rank");
            for (i, bytes) in ek.chunks_exact_mut(POLY_12).enumerate() {
                let sampled = counts[K * i..][..K].iter().fold(256, |least, n| least.min(*n));
                let (from, to) = (self.encoded[i], sampled & !(S::I16::LANES - 1));
                if from < to {
                    // 18: t_hat <- A_hat o s_hat + e_hat
                    // 19: ek_PKE <- ByteEncode_12(t_hat) || rho
                    let row = gather(|j| coefficients(&A_hat[K * i + j]));
                    dot_encode_12(s, row, s_hat, &self.e_hat[i], from..to, bytes);
                    self.encoded[i] = to;
                }
            }
        });
    }
}
