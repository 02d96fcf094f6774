//! AVX-512 instructions that the memory sanitizer does not know: it would report every secret
//! operand of them. With `--cfg oaklath_sanitize` they are composed of others. `x86.rs` explains
//! why the `unsafe` is sound.
#[cfg(not(oaklath_sanitize))]
pub(super) use core::arch::x86_64::{
    _mm_ternarylogic_epi64 as ternary_128, _mm256_cvtsepi32_epi16 as saturated_16,
    _mm256_ternarylogic_epi64 as ternary_256, _mm512_cmp_ps_mask as compare_f32,
    _mm512_cvtpd_epi32 as rounded_32, _mm512_maskz_compress_epi16 as compress_16,
    _mm512_maskz_compress_epi32 as compress_32, _mm512_ternarylogic_epi64 as ternary_512,
};
#[cfg(oaklath_sanitize)]
pub(super) use sanitized::*;

#[cfg(oaklath_sanitize)]
mod sanitized {
    use core::arch::x86_64::*;

    macro_rules! ternary {
        ($($name:ident $register:ident $and:ident $andnot:ident $xor:ident;)*) => { $(
            /// Computes the needed functions of three bits, selected by their truth tables.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            pub(in crate::x86) fn $name<const F: i32>(
                a: $register,
                b: $register,
                c: $register,
            ) -> $register {
                match F {
                    // a xor b xor c
                    0x96 => $xor($xor(a, b), c),
                    // a xor (not b and c)
                    0xD2 => $xor(a, $andnot(b, c)),
                    // a xor (b and c)
                    0x78 => $xor(a, $and(b, c)),
                    // b where a is set, else c
                    0xCA => $xor($and(a, b), $andnot(a, c)),
                    // The majority.
                    0xE8 => $xor($and(a, b), $and(c, $xor(a, b))),
                    _ => unreachable!("another function of three bits"),
                }
            }
        )* };
    }
    ternary! {
        ternary_128 __m128i _mm_and_si128 _mm_andnot_si128 _mm_xor_si128;
        ternary_256 __m256i _mm256_and_si256 _mm256_andnot_si256 _mm256_xor_si256;
        ternary_512 __m512i _mm512_and_si512 _mm512_andnot_si512 _mm512_xor_si512;
    }

    macro_rules! compress {
        ($($name:ident $lane:ident $mask:ident $lanes:literal;)*) => { $(
            /// Moves the lanes that the mask selects to the front; the others are zero.
            #[inline]
            #[target_feature(enable = "avx512f")]
            pub(in crate::x86) fn $name(mask: $mask, v: __m512i) -> __m512i {
                // SAFETY: both are 64 bytes without an invalid pattern.
                let from: [$lane; $lanes] = unsafe { core::mem::transmute(v) };
                let (mut to, mut n) = ([0; $lanes], 0);
                for (i, lane) in from.into_iter().enumerate() {
                    if mask >> i & 1 == 1 {
                        to[n] = lane;
                        n += 1;
                    }
                }
                // SAFETY: as above.
                unsafe { core::mem::transmute::<[$lane; $lanes], __m512i>(to) }
            }
        )* };
    }
    compress! {
        compress_16 i16 __mmask32 32;
        compress_32 i32 __mmask16 16;
    }

    /// Compares half by half.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::x86) fn compare_f32<const HOW: i32>(a: __m512, b: __m512) -> __mmask16 {
        let high = |v| _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(v)));
        let low = _mm256_cmp_ps::<HOW>(_mm512_castps512_ps256(a), _mm512_castps512_ps256(b));
        let high = _mm256_cmp_ps::<HOW>(high(a), high(b));
        (_mm256_movemask_ps(low) | _mm256_movemask_ps(high) << 8) as __mmask16
    }

    /// Rounds half by half.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(in crate::x86) fn rounded_32(v: __m512d) -> __m256i {
        let low = _mm256_cvtpd_epi32(_mm512_castpd512_pd256(v));
        _mm256_set_m128i(_mm256_cvtpd_epi32(_mm512_extractf64x4_pd::<1>(v)), low)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in crate::x86) fn saturated_16(v: __m256i) -> __m128i {
        _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v))
    }
}
