//! AVX2: 16 lanes of 16 bits.
use core::arch::x86_64::*;

use super::i32::I32x8;
use crate::ct::declassify;
use crate::registers::{load, store};
use crate::tables::COMPRESS16;
use crate::vectors::i16::I16s;
use crate::x86::intrinsics::{count, load_half, store_bytes};
use crate::x86::tokens::Avx2;

/// 16 lanes of 16 bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct I16x16(__m256i);

operators! {
    I16x16 Add    add    _mm256_add_epi16;
    I16x16 Sub    sub    _mm256_sub_epi16;
    I16x16 BitAnd bitand _mm256_and_si256;
    I16x16 BitOr  bitor  _mm256_or_si256;
}

impl I16s<Avx2> for I16x16 {
    const LANES: usize = 16;
    type Wide = I32x8;

    inlined! {
        fn splat(_: Avx2, x: i16) -> Self = Self(op!(_mm256_set1_epi16(x)));
        fn load(_: Avx2, from: &[i16]) -> Self = Self(load(from));
        fn store(self, to: &mut [i16]) = store(self.0, to);

        fn mullo(self, b: Self) -> Self = Self(op!(_mm256_mullo_epi16(self.0, b.0)));
        fn mulhi(self, b: Self) -> Self = Self(op!(_mm256_mulhi_epi16(self.0, b.0)));
        fn mulhrs(self, b: Self) -> Self = Self(op!(_mm256_mulhrs_epi16(self.0, b.0)));
        fn min_unsigned(self, b: Self) -> Self = Self(op!(_mm256_min_epu16(self.0, b.0)));
        fn sra<const N: u32>(self) -> Self = Self(op!(_mm256_sra_epi16(self.0, count(N))));
        fn srl<const N: u32>(self) -> Self = Self(op!(_mm256_srl_epi16(self.0, count(N))));
        fn sll<const N: u32>(self) -> Self = Self(op!(_mm256_sll_epi16(self.0, count(N))));
        fn with_odd(self, odd: Self) -> Self = Self(op!(_mm256_blend_epi16::<0xAA>(self.0, odd.0)));

        fn dot_pairs(self, b: Self) -> I32x8 = I32x8(op!(_mm256_madd_epi16(self.0, b.0)));
        fn halves(wide: I32x8) -> Self = Self(wide.0);
        fn high_halves(even: I32x8, odd: I32x8) -> Self =
            Self(op!(_mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(even.0), odd.0)));

        fn unpack<const D: usize>(s: Avx2, from: &[u8]) -> Self =
            if D == 11 { unpack11(from) } else { unpack_narrow::<D>(s, from) };
        fn signs(self) -> u32 = op!({
            let v = _mm256_permute4x64_epi64::<0xD8>(_mm256_packs_epi16(self.0, self.0));
            _mm256_movemask_epi8(v) as u32 & 0xffff
        });
    }

    #[inline(always)]
    fn transpose<const LEN: usize>(self, b: Self) -> (Self, Self) {
        let (a, b) = (self.0, b.0);
        let (low, high) = op!(match LEN {
            8 =>
                (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b),),
            4 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
            2 => (
                _mm256_blend_epi32::<0xAA>(a, _mm256_slli_epi64::<32>(b)),
                _mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(a), b),
            ),
            1 => (
                _mm256_blend_epi16::<0xAA>(a, _mm256_slli_epi32::<16>(b)),
                _mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(a), b),
            ),
            _ => unreachable!("blocks of 1, 2, 4 or 8 lanes"),
        });
        (Self(low), Self(high))
    }
    #[inline(always)]
    fn swap_pairs(self) -> Self {
        const SWAP: [u8; 32] = array!([0; 32]: i => (i % 16) as u8 ^ 2);
        Self(op!(_mm256_shuffle_epi8(self.0, load(&SWAP))))
    }
    #[inline(always)]
    fn pack<const D: usize>(self, to: &mut [u8]) {
        let to = &mut to[..2 * D];
        let (low, high) = op!({
            // Joins 2 D bits per dword, then 4 D bits per qword.
            let v = _mm256_madd_epi16(self.0, _mm256_set1_epi32((1 << (16 + D)) | 1));
            let gap = 32 - 2 * D as u32;
            let v = _mm256_sllv_epi32(v, _mm256_set1_epi64x(i64::from(gap)));
            let v = _mm256_srl_epi64(v, count(gap));
            let v = if D.is_multiple_of(2) {
                _mm256_shuffle_epi8(v, load(&Pack::<D>::EVEN))
            } else {
                // The second qword begins in the middle of a byte.
                let shifted = _mm256_sllv_epi64(v, _mm256_setr_epi64x(0, 4, 0, 4));
                _mm256_or_si256(
                    _mm256_shuffle_epi8(v, load(&Pack::<D>::EVEN)),
                    _mm256_shuffle_epi8(shifted, load(&Pack::<D>::ODD)),
                )
            };
            (_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v))
        });
        store_bytes::<D>(low, to);
        store_bytes::<D>(high, &mut to[D..]);
    }
    #[inline(always)]
    fn lookup(self, table: &[i16; 16]) -> Self {
        let (mut low, mut high) = ([0_u8; 16], [0_u8; 16]);
        each!(i in 0..16 => (low[i], high[i]) = (table[i] as u8, (table[i] >> 8) as u8));
        Self(op!({
            let low = _mm256_broadcastsi128_si256(load(&low));
            let high = _mm256_broadcastsi128_si256(load(&high));
            // The high byte of each index selects zero.
            let v = _mm256_or_si256(self.0, _mm256_set1_epi16(i16::MIN));
            let high = _mm256_shuffle_epi8(high, v);
            _mm256_or_si256(_mm256_shuffle_epi8(low, v), _mm256_slli_epi16::<8>(high))
        }))
    }
    #[inline(always)]
    fn append_below_vartime(self, bound: i16, to: &mut [i16], n: usize) -> usize {
        let to: &mut [i16; 16] = (&mut to[n..n + 16]).try_into().expect("16 elements");
        op!({
            let good = _mm256_cmpgt_epi16(_mm256_set1_epi16(bound), self.0);
            let good = _mm256_movemask_epi8(_mm256_packs_epi16(good, good)) as u32;
            let good = declassify(good.into());
            let (low, high) = (good as u8, (good >> 16) as u8);
            let indices = |good: u8| load(&COMPRESS16[usize::from(good)]);
            let m = low.count_ones() as usize;
            let v = _mm_shuffle_epi8(_mm256_castsi256_si128(self.0), indices(low));
            _mm_storeu_si128(to.as_mut_ptr().cast(), v);
            let v = _mm_shuffle_epi8(_mm256_extracti128_si256::<1>(self.0), indices(high));
            // m is at most 8, so eight more elements fit.
            _mm_storeu_si128(to.as_mut_ptr().add(m).cast(), v);
            n + m + high.count_ones() as usize
        })
    }
    #[inline(always)]
    fn from_bits(_: Avx2, bits: u32, x: i16) -> Self {
        const BITS: [u16; 16] = array!([0; 16]: i => 1 << i);
        Self(op!({
            let bit = load(&BITS);
            let v = _mm256_and_si256(_mm256_set1_epi16(bits as i16), bit);
            _mm256_and_si256(_mm256_cmpeq_epi16(v, bit), _mm256_set1_epi16(x))
        }))
    }
}

/// Unpacks fields that are within two bytes each (all `D` except 11): gathers the two bytes, shifts
/// left by a multiplication, then right by a constant.
#[inline(always)]
fn unpack_narrow<const D: usize>(_: Avx2, from: &[u8]) -> I16x16 {
    let from = &from[..2 * D];
    I16x16(op!({
        let v = if D >= 8 {
            _mm256_set_m128i(load(&from[2 * D - 16..]), load(from))
        } else if D == 4 {
            _mm256_set1_epi64x(load(from))
        } else {
            _mm256_set_m128i(load_half(&from[2 * D - 8..]), load_half(from))
        };
        let v = _mm256_shuffle_epi8(v, load(&Unpack::<D>::SPREAD));
        _mm256_srl_epi16(_mm256_mullo_epi16(v, load(&Unpack::<D>::LIFT)), count(16 - D as u32))
    }))
}

/// Returns the four byte indices of each of eight 11-bit fields, from byte `skip` of 16 bytes on.
const fn spread(skip: usize) -> [u8; 32] {
    let mut t = [0; 32];
    each!(i in 0..32 => {
        let byte = 11 * (i / 4) / 8 + i % 4 + skip;
        t[i] = if byte < 16 { byte as u8 } else { 0x80 };
    });
    t
}

/// Unpacks 11-bit fields through 32-bit lanes, since they may span three bytes.
#[inline(always)]
fn unpack11(from: &[u8]) -> I16x16 {
    const SPREAD: [[u8; 32]; 2] = [spread(0), spread(5)];
    const SHIFT: [u32; 8] = [0, 3, 6, 1, 4, 7, 2, 5];
    let from = &from[..22];
    /// Returns eight fields of the first 16 bytes, in 32-bit lanes. (A closure may not be inlined.)
    #[inline(always)]
    fn half(from: &[u8], spread: &[u8; 32]) -> __m256i {
        op!({
            let v = _mm256_broadcastsi128_si256(load(from));
            let v = _mm256_srlv_epi32(_mm256_shuffle_epi8(v, load(spread)), load(&SHIFT));
            _mm256_and_si256(v, _mm256_set1_epi32(0x7ff))
        })
    }
    I16x16(op!({
        let v = _mm256_packus_epi32(half(from, &SPREAD[0]), half(&from[6..], &SPREAD[1]));
        _mm256_permute4x64_epi64::<0xD8>(v)
    }))
}

struct Unpack<const D: usize>;

impl<const D: usize> Unpack<D> {
    /// The byte at which the load of the upper eight fields begins.
    const SECOND: usize = if D >= 8 { 2 * D - 16 } else { 2 * D - 8 };
    /// The indices of the two bytes of each field.
    const SPREAD: [u8; 32] = {
        let mut t = [0; 32];
        each!(j in 0..16 => {
            let byte = j * D / 8 - if j < 8 { 0 } else { Self::SECOND };
            t[2 * j] = byte as u8;
            t[2 * j + 1] = byte as u8 + 1;
        });
        t
    };
    /// The power of two that moves each field to the top bits.
    const LIFT: [u16; 16] = {
        let mut t = [0; 16];
        each!(j in 0..16 => {
            let low = j * D % 8;
            assert!(D == 11 || low + D <= 16, "the field is within two bytes");
            t[j] = 1 << (16 - D).saturating_sub(low);
        });
        t
    };
}

struct Pack<const D: usize>;

impl<const D: usize> Pack<D> {
    /// Byte indices of the two qwords of each half (`D` even), or of the first one (`D` odd).
    const EVEN: [u8; 32] = {
        let mut t = [0x80; 32];
        each!(i in 0..2 * D => {
            let (half, i_) = (i / D, i % D);
            let byte = if D.is_multiple_of(2) {
                (i_ / (D / 2) * 8 + i_ % (D / 2)) as u8
            } else if i_ <= D / 2 {
                i_ as u8
            } else {
                0x80
            };
            t[16 * half + i_] = byte;
        });
        t
    };
    /// Byte indices of the second qword, which was shifted by four bits (`D` odd).
    const ODD: [u8; 32] = {
        let mut t = [0x80; 32];
        each!(i in 0..2 * D => {
            let (half, i_) = (i / D, i % D);
            if i_ >= D / 2 {
                t[16 * half + i_] = (8 + i_ - D / 2) as u8;
            }
        });
        t
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each field of 11 bits is within the four bytes that are loaded for it; bytes beyond the
    /// load belong to no field.
    #[test]
    fn bytes_of_fields() {
        for skip in [0, 5] {
            for (i, bytes) in spread(skip).as_chunks::<4>().0.iter().enumerate() {
                let (first, last) = (11 * i / 8 + skip, (11 * i + 10) / 8 + skip);
                for (j, byte) in bytes.iter().enumerate() {
                    let want = first + j;
                    assert_eq!(usize::from(*byte), if want < 16 { want } else { 0x80 });
                }
                assert!(last <= first + 2 && last < 16, "field {i} from byte {skip}");
            }
        }
    }
}
