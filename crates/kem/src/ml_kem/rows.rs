//! The rows of a new encapsulation key, encoded while the lanes still sample the matrix and hash
//! the bytes that are ready.
use oaklath_hash::keccak::RATE_SHAKE128;
use oaklath_hash::sha3::Shake128;
use oaklath_poly::q3329::{self, Entry};
use oaklath_simd::{Simd, pieces_mut};

use super::keygen::KeygenMemory;
use super::memory::LaneSamples;
use super::params::POLY_12;

impl KeygenMemory<'_> {
    /// Reports whether some byte of ek before `end` is not yet written.
    #[inline(always)]
    pub(super) fn lacks(&self, end: usize) -> bool {
        #[cfg(test)]
        if self.cold {
            return true;
        }
        self.ready() < end
    }

    /// Returns how many bytes of ek are written, up to the first gap.
    #[inline(always)]
    pub(super) fn ready(&self) -> usize {
        let mut ready = 0;
        for encoded in &self.encoded[..self.samples.k] {
            ready += encoded + (encoded >> 1);
            if *encoded < 256 {
                break;
            }
        }
        ready
    }

    /// Samples the missing entries of the rows that byte `end` of ek requires, and encodes them.
    #[cold]
    #[inline(never)]
    pub(super) fn complete_rows<S: Simd>(&mut self, s: S, end: usize, ek: &mut [u8]) {
        let rho = ek.last_chunk().expect("a key ends with rho");
        let LaneSamples { k, A_hat, counts, .. } = &mut self.samples;
        let rows = pieces_mut(A_hat, *k).zip(pieces_mut(counts, *k)).enumerate();
        for (row, (entries, counts)) in rows.take_while(|(row, _)| row * POLY_12 < end) {
            for (column, (entry, n)) in entries.iter_mut().zip(counts).enumerate() {
                if *n < 256 {
                    whole_entry(rho, row, column, entry);
                    *n = 256;
                }
            }
        }
        self.encode(s, ek);
    }
}

/// Samples one entry from its beginning, outside the lanes: FIPS 203, Algorithm 7.
#[cold]
#[inline(never)]
fn whole_entry(rho: &[u8; 32], row: usize, column: usize, entry: &mut Entry) {
    let mut stream = Shake128::new().chain(rho).chain(&[column as u8, row as u8]).finish();
    let (mut n, mut block) = (0, [0; RATE_SHAKE128]);
    while n < 256 {
        stream.read(&mut block);
        n = q3329::reject_bytes_vartime(&block, entry, n);
    }
}
