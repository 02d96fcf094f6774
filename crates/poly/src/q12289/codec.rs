//! Encodings of Falcon, sections 3.11.2 to 3.11.5, in two formats: that of Falcon, and that of
//! drafts of FN-DSA.
use oaklath_simd::{Simd, each, inlined, vectorize};

/// The order in which bytes hold bit fields.
pub trait Format {
    /// The largest magnitude of a compressed coefficient, with 7 low bits and at most 15 in unary.
    const LARGEST: u16;

    /// Converts eight bytes to a word without the first `skip` bits, at most 7.
    fn word(bytes: [u8; 8], skip: usize) -> u64;
    /// Converts a word to bytes.
    fn bytes(word: u64) -> [u8; 8];
    /// The field of `bits` bits at bit `at` of a word.
    fn field(word: u64, at: u32, bits: u32) -> u64;
    /// Returns a word with a field set, which must have been zero.
    fn put(word: u64, at: u32, bits: u32, field: u64) -> u64;
    /// Returns the word without its first `bits` bits, fewer than 64.
    fn behind(word: u64, bits: u32) -> u64;
    /// Returns the number of zeros before the first one of a word, or 64 if it is zero.
    fn zeros(word: u64) -> u32;
    /// Converts two bytes to a number.
    fn number(bytes: [u8; 2]) -> u16;
}

/// The format of Falcon, round 3: fields begin at the high bit of the first byte.
#[derive(Clone, Copy, Debug)]
pub struct FromHigh;

/// The format of FN-DSA in the crate `fn-dsa` 0.4: fields begin at the low bit of the first byte,
/// and the bound is smaller.
#[derive(Clone, Copy, Debug)]
pub struct FromLow;

impl Format for FromHigh {
    const LARGEST: u16 = 2047;

    inlined! {
        fn word(bytes: [u8; 8], skip: usize) -> u64 = u64::from_be_bytes(bytes) << skip;
        fn bytes(word: u64) -> [u8; 8] = word.to_be_bytes();
        fn field(word: u64, at: u32, bits: u32) -> u64 = word << at >> (64 - bits);
        fn put(word: u64, at: u32, bits: u32, field: u64) -> u64 = word | field << (64 - bits - at);
        fn behind(word: u64, bits: u32) -> u64 = word << bits;
        fn zeros(word: u64) -> u32 = word.leading_zeros();
        fn number(bytes: [u8; 2]) -> u16 = u16::from_be_bytes(bytes);
    }
}

impl Format for FromLow {
    const LARGEST: u16 = 840;

    inlined! {
        fn word(bytes: [u8; 8], skip: usize) -> u64 = u64::from_le_bytes(bytes) >> skip;
        fn bytes(word: u64) -> [u8; 8] = word.to_le_bytes();
        fn field(word: u64, at: u32, bits: u32) -> u64 = word << (64 - bits - at) >> (64 - bits);
        fn put(word: u64, at: u32, _: u32, field: u64) -> u64 = word | field << at;
        fn behind(word: u64, bits: u32) -> u64 = word >> bits;
        fn zeros(word: u64) -> u32 = word.trailing_zeros();
        fn number(bytes: [u8; 2]) -> u16 = u16::from_le_bytes(bytes);
    }
}

/// Decodes coefficients of 14 bits. Returns `None` if one is not below q, or if `bytes` does not
/// have their exact length. For public data only. Out of line.
#[must_use]
#[inline(never)]
pub fn decode_14_vartime<S: Simd, F: Format>(s: S, bytes: &[u8], f: &mut [i16]) -> Option<()> {
    vectorize!(s => {
        let (fours, others) = f.as_chunks_mut::<4>();
        if bytes.len() != 7 * fours.len() || !others.is_empty() {
            return None;
        }
        // Each word has eight bytes, the last of which belongs to the next group.
        let mut at = 0;
        for four in fours.iter_mut() {
            let word = word_at::<F>(bytes, at);
            at += 56;
            let field = |at: u32| F::field(word, at, 14) as i16;
            *four = [field(0), field(14), field(28), field(42)];
        }
        let largest = fours.as_flattened().iter().copied().fold(0, i16::max);
        (largest < super::Q).then_some(())
    })
}

/// Encodes coefficients 0 <= f < q in 14 bits each.
///
/// # Panics
/// If `bytes` does not have the exact length of the encoding.
pub fn encode_14<F: Format>(f: &[i16], bytes: &mut [u8]) {
    encode_signed::<F, 14>(f, bytes);
}

/// Returns a number of fields that fill whole bytes and fit a word: 8, or 4 of 12 or 14 bits.
const fn group(bits: u32) -> usize {
    if bits <= 8 { 8 } else { 4 }
}

/// Returns the number of bytes of a [`group`].
const fn group_len(bits: u32) -> usize {
    (group(bits) * bits as usize) >> 3
}

/// Decodes signed coefficients of `BITS` bits, which is at most 8, or 12. Returns whether all are
/// in range: -2^(BITS - 1) is not. The time does not depend on them.
///
/// # Panics
/// If `bytes` does not have the exact length of the encoding.
#[must_use]
pub fn decode_signed<F: Format, const BITS: u32>(bytes: &[u8], f: &mut [i16]) -> bool {
    let (fields, len) = (const { group(BITS) }, const { group_len(BITS) });
    assert_eq!(bytes.len() << 3, f.len() * BITS as usize, "length of the encoding in bits");
    let mut good = 1;
    for (f, bytes) in f.chunks_exact_mut(fields).zip(bytes.chunks_exact(len)) {
        let mut group = [0; 8];
        group[..len].copy_from_slice(bytes);
        let (word, mut at) = (F::word(group, 0), 0);
        for f in f {
            // The field is moved to the top, then sign-extended.
            let field = F::field(word, at, BITS) << (64 - BITS);
            let x = (field as i64 >> (64 - BITS)) as i16;
            // 1 if x + 2^(BITS - 1) is positive.
            good &= (-(x + (1 << (BITS - 1)))) as u16 >> 15;
            *f = x;
            at += BITS;
        }
    }
    good == 1
}

/// Encodes coefficients modulo 2^BITS in `BITS` bits each, which is at most 8, or 12 or 14: signed
/// ones if |f| < 2^(BITS - 1). The time does not depend on them.
///
/// # Panics
/// If `bytes` does not have the exact length of the encoding.
pub fn encode_signed<F: Format, const BITS: u32>(f: &[i16], bytes: &mut [u8]) {
    let (fields, len) = (const { group(BITS) }, const { group_len(BITS) });
    assert_eq!(bytes.len() << 3, f.len() * BITS as usize, "length of the encoding in bits");
    let mask = (1 << BITS) - 1;
    for (f, bytes) in f.chunks_exact(fields).zip(bytes.chunks_exact_mut(len)) {
        let (mut word, mut at) = (0, 0);
        for f in f {
            word = F::put(word, at, BITS, *f as u64 & mask);
            at += BITS;
        }
        bytes.copy_from_slice(&F::bytes(word)[..len]);
    }
}

/// Decodes the code at the beginning of a word that holds all of it. Returns the coefficient, the
/// number of zeros, and whether the code is invalid: beyond the largest coefficient, or -0.
#[inline(always)]
fn code<F: Format>(word: u64) -> (i16, u32, bool) {
    let zeros = F::zeros(F::behind(word, 8));
    let magnitude = F::field(word, 1, 7) as u32 | zeros << 7;
    let sign = F::field(word, 0, 1) as i16;
    let bad = (magnitude > u32::from(F::LARGEST)) | (sign != 0) & (magnitude == 0);
    ((magnitude as i16 ^ -sign) + sign, zeros, bad)
}

/// Reads 64 bits from bit `at` on, at least 57 of which are valid; bits past the end are zero.
#[inline(always)]
fn word_at<F: Format>(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at >> 3..];
    let word = match rest.first_chunk() {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        }
    };
    F::word(word, at & 7)
}

/// Decodes `N` codes at bit `at` from a single word. Returns how many bits they take, and whether
/// one is invalid. The results count only if the codes take at most 57 bits.
#[inline(always)]
fn codes<F: Format, const N: usize>(bytes: &[u8], at: usize, f: &mut [i16; N]) -> (usize, bool) {
    let (mut word, mut used, mut bad) = (word_at::<F>(bytes, at), 0, false);
    each!(i in 0..N => {
        let (x, zeros, is_none) = code::<F>(word);
        f[i] = x;
        bad |= is_none;
        used += 9 + zeros as usize;
        word = F::behind(F::behind(word, 9), zeros & 63);
    });
    (used, bad)
}

/// `Decompress` (Falcon, Algorithm 18) of the beginning of a byte string. Returns the number of
/// bytes that hold the coefficients, or `None` if their encoding is not the canonical one: a
/// coefficient is beyond the largest, or -0, or there are too few bytes, or a bit is set after the
/// last code. For public data only. Out of line.
///
/// # Panics
/// Never: a single code is decoded only while a coefficient is left.
#[must_use]
#[inline(never)]
pub fn decode_compressed_vartime<S: Simd, F: Format>(
    s: S,
    bytes: &[u8],
    f: &mut [i16],
) -> Option<usize> {
    vectorize!(s => {
        let bits = bytes.len() << 3;
        let (mut at, mut i) = (0, 0);
        // Five codes nearly always fit 57 bits; one always does, since it has at most 24.
        while i < f.len() {
            if at >= bits {
                return None;
            }
            if let Some(five) = f[i..].first_chunk_mut::<5>() {
                let (used, bad) = codes::<F, 5>(bytes, at, five);
                if used <= 57 {
                    if bad {
                        return None;
                    }
                    at += used;
                    i += 5;
                    continue;
                }
            }
            let one = f[i..].first_chunk_mut().expect("one is left");
            let (used, bad) = codes::<F, 1>(bytes, at, one);
            if bad {
                return None;
            }
            at += used;
            i += 1;
        }
        // The bits of the last byte that follow the last code.
        let len = at.div_ceil(8);
        let is_zero = |byte: u8| F::word([byte, 0, 0, 0, 0, 0, 0, 0], at & 7) == 0;
        (at <= bits && (at & 7 == 0 || is_zero(bytes[len - 1]))).then_some(len)
    })
}

/// `Compress` (Falcon, Algorithm 17). Returns the number of bytes, or `None` if a coefficient is
/// beyond the largest or there are too few bytes, whose contents are then meaningless. The time
/// depends on the coefficients: only for signatures to be published. Out of line.
#[must_use]
#[inline(never)]
pub fn encode_compressed_vartime<S: Simd, F: Format>(
    s: S,
    f: &[i16],
    bytes: &mut [u8],
) -> Option<usize> {
    vectorize!(s => {
        let (mut word, mut filled, mut n) = (0, 0, 0);
        for x in f {
            let magnitude = x.unsigned_abs();
            if magnitude > F::LARGEST {
                return None;
            }
            // The sign, seven low bits, and the high bits in unary, as zeros and a one: at most 24
            // bits after at most 31.
            let high = u32::from(magnitude >> 7);
            word = F::put(word, filled, 1, u64::from(*x < 0));
            word = F::put(word, filled + 1, 7, u64::from(magnitude & 127));
            word = F::put(word, filled + 8 + high, 1, 1);
            filled += 9 + high;
            if filled >= 32 {
                filled -= 32;
                bytes.get_mut(n..n + 4)?.copy_from_slice(&F::bytes(word)[..4]);
                word = F::behind(word, 32);
                n += 4;
            }
        }
        let len = filled.div_ceil(8) as usize;
        bytes.get_mut(n..n + len)?.copy_from_slice(&F::bytes(word)[..len]);
        Some(n + len)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    /// The specification, implemented bit by bit.
    trait Bits: Format {
        /// Returns the position of bit `i` of a byte string within its byte.
        fn bit(i: usize) -> usize;
        /// Returns the bits of a field in the order of the format.
        fn ordered(field: u32, bits: usize) -> impl Iterator<Item = u32>;

        fn bits(bytes: &[u8]) -> Vec<u32> {
            let bit = |i: usize| u32::from(bytes[i / 8] >> Self::bit(i) & 1);
            (0..8 * bytes.len()).map(bit).collect()
        }

        fn pack(bits: impl Iterator<Item = u32>) -> Vec<u8> {
            let mut bytes = Vec::new();
            for (i, bit) in bits.enumerate() {
                bytes.resize(i / 8 + 1, 0);
                bytes[i / 8] |= (bit as u8) << Self::bit(i);
            }
            bytes
        }

        /// Returns the field whose bits are given in the order of the format.
        fn value(bits: &[u32]) -> u32;
    }

    impl Bits for FromHigh {
        fn bit(i: usize) -> usize {
            7 - i % 8
        }
        fn ordered(field: u32, bits: usize) -> impl Iterator<Item = u32> {
            (0..bits).rev().map(move |i| field >> i & 1)
        }
        fn value(bits: &[u32]) -> u32 {
            bits.iter().fold(0, |x, bit| x << 1 | bit)
        }
    }

    impl Bits for FromLow {
        fn bit(i: usize) -> usize {
            i % 8
        }
        fn ordered(field: u32, bits: usize) -> impl Iterator<Item = u32> {
            (0..bits).map(move |i| field >> i & 1)
        }
        fn value(bits: &[u32]) -> u32 {
            bits.iter().rfold(0, |x, bit| x << 1 | bit)
        }
    }

    fn encode<F: Format>(level: Level, f: &[i16], bytes: &mut [u8]) -> Option<usize> {
        dispatch!(level, s => encode_compressed_vartime::<_, F>(s, f, bytes))
    }

    fn decode<F: Format>(level: Level, bytes: &[u8], f: &mut [i16]) -> Option<usize> {
        dispatch!(level, s => decode_compressed_vartime::<_, F>(s, bytes, f))
    }

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (self.0 >> 33) as u32
        }
    }

    fn decode_by_bits<F: Bits>(bytes: &[u8], n: usize) -> Option<(Vec<i16>, usize)> {
        let bits = F::bits(bytes);
        let (mut f, mut at) = (Vec::new(), 0);
        for _ in 0..n {
            let sign = *bits.get(at)?;
            let mut x = F::value(bits.get(at + 1..at + 8)?);
            at += 8;
            while *bits.get(at)? == 0 {
                x += 128;
                at += 1;
            }
            at += 1;
            if x > u32::from(F::LARGEST) || sign == 1 && x == 0 {
                return None;
            }
            f.push(if sign == 1 { -(x as i16) } else { x as i16 });
        }
        let len = at.div_ceil(8);
        bits[at..8 * len].iter().all(|bit| *bit == 0).then_some((f, len))
    }

    fn encode_by_bits<F: Bits>(f: &[i16]) -> Vec<u8> {
        let mut bits = Vec::new();
        for x in f {
            let m = u32::from(x.unsigned_abs());
            bits.push(u32::from(*x < 0));
            bits.extend(F::ordered(m & 127, 7));
            bits.extend((0..m >> 7).map(|_| 0));
            bits.push(1);
        }
        F::pack(bits.into_iter())
    }

    #[test]
    fn compressed_as_bit_by_bit() {
        Level::available().for_each(as_bit_by_bit::<FromHigh>);
        Level::available().for_each(as_bit_by_bit::<FromLow>);
    }

    fn as_bit_by_bit<F: Bits>(level: Level) {
        let (mut random, largest) = (Random(1), u32::from(F::LARGEST));
        for case in 0..2000 {
            let n = [5, 8, 512, 37][case % 4];
            let bound = [170, largest, 170, 600][case / 4 % 4];
            let f: Vec<i16> =
                (0..n).map(|_| (random.next() % (2 * bound + 1)) as i16 - bound as i16).collect();
            let want = encode_by_bits::<F>(&f);
            let mut bytes = std::vec![0; want.len() + case % 2 * 9];
            assert_eq!(encode::<F>(level, &f, &mut bytes), Some(want.len()));
            assert_eq!(bytes[..want.len()], want);
            let short = &mut bytes[..want.len() - 1];
            assert_eq!(encode::<F>(level, &f, short), None);
            let mut g = std::vec![0; n];
            assert_eq!(decode::<F>(level, &want, &mut g), Some(want.len()));
            assert_eq!(f, g);
            // The encoding is damaged, and may be shortened or followed by other bytes.
            let mut wrong = want.clone();
            let at = random.next() as usize % (8 * want.len());
            wrong[at / 8] ^= 0x80 >> (at % 8);
            wrong.truncate(want.len() - (random.next() as usize % 3 / 2));
            wrong.extend((0..random.next() % 3).map(|i| i as u8));
            let got = decode::<F>(level, &wrong, &mut g).map(|len| (g.clone(), len));
            assert_eq!(got, decode_by_bits::<F>(&wrong, n), "case {case}");
        }
    }

    #[test]
    fn what_is_no_code_is_rejected() {
        Level::available().for_each(check_rejection);
        Level::available().for_each(largest::<FromHigh>);
        Level::available().for_each(largest::<FromLow>);
    }

    fn check_rejection(level: Level) {
        let mut f = [0; 2];
        let one = [0b0000_0001, 0b1000_0000, 0b1100_0000];
        assert_eq!(decode::<FromHigh>(level, &one, &mut f), Some(3));
        assert_eq!(f, [1, 1]);
        let last_bit = [0b0000_0001, 0b1000_0000, 0b1110_0000];
        let minus_zero = [0b1000_0000, 0b1000_0000, 0b1100_0000];
        let too_short = [0b0000_0001, 0b1000_0000];
        let no_end = [0b0000_0001, 0b1000_0000, 0b1000_0000];
        for bytes in [&last_bit[..], &minus_zero, &too_short, &no_end, &[]] {
            assert_eq!(decode::<FromHigh>(level, bytes, &mut f), None, "{bytes:?}");
            let mirrored: Vec<u8> = bytes.iter().map(|byte| byte.reverse_bits()).collect();
            assert_eq!(decode::<FromLow>(level, &mirrored, &mut f), None, "{mirrored:?}");
        }
        // At most 15 zeros are allowed.
        let largest = [0x7f, 0, 0b0000_0001, 0, 0b1000_0000];
        assert_eq!(decode::<FromHigh>(level, &largest, &mut f), Some(5));
        assert_eq!(f, [2047, 0]);
        let larger = [0x7f, 0, 0b0000_0000, 0x80, 0x40];
        assert_eq!(decode::<FromHigh>(level, &larger, &mut f), None);
    }

    fn largest<F: Bits>(level: Level) {
        let largest = F::LARGEST as i16;
        let mut f = [0; 2];
        for x in [largest, -largest] {
            let code = encode_by_bits::<F>(&[x, 0]);
            assert_eq!(decode::<F>(level, &code, &mut f), Some(code.len()));
            assert_eq!(f, [x, 0]);
            assert_eq!(encode::<F>(level, &[x, 0], &mut [0; 9]), Some(code.len()));
            let larger = x + x.signum();
            assert_eq!(decode::<F>(level, &encode_by_bits::<F>(&[larger, 0]), &mut f), None);
            assert_eq!(encode::<F>(level, &[larger, 0], &mut [0; 9]), None);
        }
    }

    fn signed<F: Bits, const BITS: u32>() {
        let (largest, bits) = ((1 << (BITS - 1)) - 1, BITS as usize);
        let f: Vec<i16> =
            (0..1024).map(|i| (i % (2 * largest + 1)) as i16 - largest as i16).collect();
        let mut bytes = std::vec![0; 128 * bits];
        encode_signed::<F, BITS>(&f, &mut bytes);
        let fields = f.iter().flat_map(|x| F::ordered(*x as u32, bits));
        assert_eq!(bytes, F::pack(fields));
        let mut g = std::vec![0; 1024];
        assert!(decode_signed::<F, BITS>(&bytes, &mut g));
        assert_eq!(f, g);
        for at in 0..9 {
            let mut f = [0; 16];
            f[at] = -1 << (BITS - 1);
            let mut bytes = std::vec![0; 2 * bits];
            encode_signed::<F, BITS>(&f, &mut bytes);
            assert!(!decode_signed::<F, BITS>(&bytes, &mut f), "{BITS} {at}");
        }
    }

    #[test]
    fn signed_numbers() {
        signed::<FromHigh, 5>();
        signed::<FromHigh, 6>();
        signed::<FromHigh, 8>();
        signed::<FromHigh, 12>();
        signed::<FromLow, 5>();
        signed::<FromLow, 6>();
        signed::<FromLow, 8>();
    }

    #[test]
    fn fourteen_bits() {
        Level::available().for_each(fourteen::<FromHigh>);
        Level::available().for_each(fourteen::<FromLow>);
    }

    fn fourteen<F: Bits>(level: Level) {
        let f: Vec<i16> = (0..512).map(|i| (i * 24) as i16).chain([12288; 4]).collect();
        let mut bytes = std::vec![0; 129 * 7];
        encode_14::<F>(&f, &mut bytes);
        assert_eq!(bytes, F::pack(f.iter().flat_map(|x| F::ordered(*x as u32, 14))));
        let mut g = std::vec![0; 516];
        let decode = |bytes: &[u8], g: &mut [i16]| dispatch!(level, s => decode_14_vartime::<_, F>(s, bytes, g));
        assert_eq!(decode(&bytes, &mut g), Some(()));
        assert_eq!(f, g);
        assert_eq!(decode(&bytes[1..], &mut g), None);
        for at in 0..516 {
            let mut wrong = f.clone();
            wrong[at] = 12289;
            encode_14::<F>(&wrong, &mut bytes);
            assert_eq!(decode(&bytes, &mut g), None);
        }
    }

    /// Checks that groups fill whole bytes and fit a word.
    #[test]
    fn groups_of_fields() {
        for bits in (2..=8).chain([12]) {
            let all = group(bits) * bits as usize;
            assert_eq!((8 * group_len(bits), all <= 64), (all, true), "{bits} bits");
        }
    }
}
