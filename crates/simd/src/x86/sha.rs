//! SHA-256 by the SHA extensions. Why the `unsafe` is sound stands in `x86.rs`: `ShaNi` proves them.
use core::arch::x86_64::*;

use super::{ShaNi, op};
use crate::portable;

/// SHA-256's compression: FIPS 180-4, section 6.2.2.
#[inline(always)]
pub(super) fn sha256(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    match ShaNi::detect() {
        Some(_) => op!(compress(state, blocks)),
        None => portable::sha256(state, blocks),
    }
}

/// Four rounds constants.
#[target_feature(enable = "sha,avx2")]
fn constants(i: usize) -> __m128i {
    let k: &[u32; 4] = portable::K[4 * i..].first_chunk().expect("64 constants");
    // SAFETY: the reference is to 16 bytes.
    unsafe { _mm_loadu_si128(k.as_ptr().cast()) }
}

#[target_feature(enable = "sha,avx2")]
fn compress(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let (low, high) = state.split_at(4);
    let load = |words: &[u32]| {
        _mm_setr_epi32(words[0] as i32, words[1] as i32, words[2] as i32, words[3] as i32)
    };
    // The instructions want (a, b, e, f) and (c, d, g, h), the first in the highest word.
    let (abcd, efgh) = (load(low), load(high));
    let badc = _mm_shuffle_epi32::<0xB1>(abcd);
    let hgfe = _mm_shuffle_epi32::<0x1B>(efgh);
    let mut abef = _mm_alignr_epi8::<8>(badc, hgfe);
    let mut cdgh = _mm_blend_epi16::<0xF0>(hgfe, badc);
    for block in blocks {
        let (abef_before, cdgh_before) = (abef, cdgh);
        let word = |i: usize| _mm_shuffle_epi8(super::load128(&block[16 * i..]), swap);
        let mut w = [word(0), word(1), word(2), word(3)];
        let mut i = 0;
        while i < 16 {
            let k = _mm_add_epi32(w[0], constants(i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0x0E>(k));
            if i < 12 {
                // Words t + 16 to t + 19 of the message schedule.
                let x = _mm_sha256msg1_epu32(w[0], w[1]);
                let x = _mm_add_epi32(x, _mm_alignr_epi8::<4>(w[3], w[2]));
                w = [w[1], w[2], w[3], _mm_sha256msg2_epu32(x, w[3])];
            } else {
                w = [w[1], w[2], w[3], w[0]];
            }
            i += 1;
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    let feba = _mm_shuffle_epi32::<0x1B>(abef);
    let dchg = _mm_shuffle_epi32::<0xB1>(cdgh);
    let abcd = _mm_blend_epi16::<0xF0>(feba, dchg);
    let efgh = _mm_alignr_epi8::<8>(dchg, feba);
    for (words, v) in state.as_chunks_mut::<4>().0.iter_mut().zip([abcd, efgh]) {
        // SAFETY: the reference is to 16 bytes.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), v) };
    }
}
