//! Encodings: Falcon, sections 3.11.2 to 3.11.5. Fields are packed from the high bit of the first byte
//! on.
use oaklath_simd::Simd;

/// Decodes coefficients of 14 bits. Nothing if one is not below q, or if there are not exactly so many
/// bytes. Public data only. Out of line.
#[must_use]
#[inline(never)]
pub fn decode_14_vartime<S: Simd>(s: S, bytes: &[u8], f: &mut [i16]) -> Option<()> {
    s.vectorize(
        #[inline(always)]
        || {
            let (fours, others) = f.as_chunks_mut::<4>();
            if bytes.len() != 7 * fours.len() || !others.is_empty() {
                return None;
            }
            // Words of eight bytes, the last of which is of the next group.
            let mut at = 0;
            for four in fours.iter_mut() {
                let word = word_at(bytes, at);
                at += 56;
                let field = |shift: u32| (word >> shift & 0x3fff) as i16;
                *four = [field(50), field(36), field(22), field(8)];
            }
            let largest = fours.as_flattened().iter().copied().fold(0, i16::max);
            (largest < super::Q).then_some(())
        },
    )
}

/// Encodes coefficients 0 <= f < q in 14 bits each.
///
/// # Panics
/// If there are not exactly as many bytes as that takes.
pub fn encode_14(f: &[i16], bytes: &mut [u8]) {
    let (fours, groups) = (f.as_chunks::<4>().0, bytes.as_chunks_mut::<7>().0);
    assert_eq!(fours.len(), groups.len(), "7 bytes for 4 coefficients");
    for (f, bytes) in fours.iter().zip(groups) {
        let x = f.iter().fold(0, |x, f| x << 14 | u64::from(*f as u16));
        bytes.copy_from_slice(&x.to_be_bytes()[1..]);
    }
}

/// How many fields fill whole bytes and fit a word: 8, or 4 of 12 bits.
const fn group(bits: usize) -> usize {
    if bits <= 8 { 8 } else { 4 }
}

/// Decodes signed coefficients of `BITS` bits, at most 8 or 12. Returns whether all are in range:
/// -2^(BITS - 1) is not. In time that does not depend on them.
///
/// # Panics
/// If there are not exactly as many bytes as the coefficients take.
#[must_use]
pub fn decode_signed<const BITS: usize>(bytes: &[u8], f: &mut [i16]) -> bool {
    let (fields, len) = (const { group(BITS) }, const { (group(BITS) * BITS) >> 3 });
    assert_eq!(bytes.len() << 3, f.len() * BITS, "bits of the coefficients");
    let mut good = 1;
    for (f, bytes) in f.chunks_exact_mut(fields).zip(bytes.chunks_exact(len)) {
        let word = bytes.iter().fold(0, |x, byte| x << 8 | u64::from(*byte));
        let mut shift = 64 - fields * BITS;
        for f in f {
            let x = ((word << shift) as i64 >> (64 - BITS)) as i16;
            // Not below: x + 2^(BITS - 1) is positive.
            good &= (-(x + (1 << (BITS - 1)))) as u16 >> 15;
            *f = x;
            shift += BITS;
        }
    }
    good == 1
}

/// Encodes signed coefficients |f| < 2^(BITS - 1) in `BITS` bits each, at most 8 or 12. In time that
/// does not depend on them.
///
/// # Panics
/// If there are not exactly as many bytes as that takes.
pub fn encode_signed<const BITS: usize>(f: &[i16], bytes: &mut [u8]) {
    let (fields, len) = (const { group(BITS) }, const { (group(BITS) * BITS) >> 3 });
    assert_eq!(bytes.len() << 3, f.len() * BITS, "bits of the coefficients");
    let mask = (1 << BITS) - 1;
    for (f, bytes) in f.chunks_exact(fields).zip(bytes.chunks_exact_mut(len)) {
        let x = f.iter().fold(0, |x, f| x << BITS | (*f as u64 & mask));
        bytes.copy_from_slice(&x.to_be_bytes()[8 - len..]);
    }
}

/// The largest magnitude of a compressed coefficient: 7 low bits, and at most 15 in unary.
const LARGEST: u16 = 2047;

/// One code at the top of a word that holds it whole: the coefficient, the number of its zeros, and
/// whether it is no code: more than 2047, or -0.
#[inline(always)]
fn code(word: u64) -> (i16, u32, bool) {
    let zeros = (word << 8).leading_zeros();
    let magnitude = (word >> 56 & 127) as u32 | zeros << 7;
    let sign = (word >> 63) as i16;
    ((magnitude as i16 ^ -sign) + sign, zeros, (zeros > 15) | (sign != 0) & (magnitude == 0))
}

/// 64 bits from bit `at` on, zeros where the bytes end; of the last seven bits some may be missing.
#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at >> 3..];
    let word = match rest.first_chunk() {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        }
    };
    u64::from_be_bytes(word) << (at & 7)
}

/// Codes at bit `at`, of which 57 bits and more are looked at: how many bits they take, and whether one is
/// no code. They are whole if they take at most 57 bits.
#[inline(always)]
fn codes<const N: usize>(bytes: &[u8], at: usize, f: &mut [i16; N]) -> (usize, bool) {
    let (mut word, mut used, mut bad, mut i) = (word_at(bytes, at), 0, false, 0);
    while i < N {
        let (x, zeros, is_none) = code(word);
        f[i] = x;
        bad |= is_none;
        used += 9 + zeros as usize;
        word = word << 9 << (zeros & 63);
        i += 1;
    }
    (used, bad)
}

/// `Decompress`: Falcon, Algorithm 18, of the beginning of a byte string. Returns the number of bytes
/// that hold the coefficients; nothing if they are not in their only encoding: a coefficient beyond
/// 2047, -0, too few bytes, or a bit set behind the last one. Public data only. Out of line.
///
/// # Panics
/// Never: what is decoded one by one is there.
#[must_use]
#[inline(never)]
pub fn decode_compressed_vartime<S: Simd>(s: S, bytes: &[u8], f: &mut [i16]) -> Option<usize> {
    s.vectorize(
        #[inline(always)]
        || {
            let bits = bytes.len() << 3;
            let (mut at, mut i) = (0, 0);
            // Five codes fit 57 bits nearly always, one of at most 24 always.
            while i < f.len() {
                if at >= bits {
                    return None;
                }
                if let Some(five) = f[i..].first_chunk_mut::<5>() {
                    let (used, bad) = codes(bytes, at, five);
                    if used <= 57 {
                        if bad {
                            return None;
                        }
                        at += used;
                        i += 5;
                        continue;
                    }
                }
                let one = f[i..].first_chunk_mut::<1>().expect("one is left");
                let (used, bad) = codes(bytes, at, one);
                if bad {
                    return None;
                }
                at += used;
                i += 1;
            }
            let (len, last) = (at.div_ceil(8), at & 7);
            (at <= bits && (last == 0 || bytes[len - 1] << last == 0)).then_some(len)
        },
    )
}

/// `Compress`: Falcon, Algorithm 17. Returns the number of bytes, or nothing if a coefficient is beyond
/// 2047 or the bytes are too few; then they mean nothing. Its time depends on the coefficients: for a
/// signature that is given away. Out of line.
#[must_use]
#[inline(never)]
pub fn encode_compressed_vartime<S: Simd>(s: S, f: &[i16], bytes: &mut [u8]) -> Option<usize> {
    s.vectorize(
        #[inline(always)]
        || {
            let (mut word, mut filled, mut n) = (0_u64, 0, 0);
            for x in f {
                let magnitude = x.unsigned_abs();
                if magnitude > LARGEST {
                    return None;
                }
                let sign = u64::from(*x < 0);
                // The sign, seven low bits, and a one behind as many zeros as the high bits say: at
                // most 24 bits behind at most 31.
                let high = u32::from(magnitude >> 7);
                let code = (sign << 7 | u64::from(magnitude & 127)) << (1 + high) | 1;
                word = word << (9 + high) | code;
                filled += 9 + high;
                if filled >= 32 {
                    filled -= 32;
                    *bytes.get_mut(n..)?.first_chunk_mut()? =
                        ((word >> filled) as u32).to_be_bytes();
                    n += 4;
                }
            }
            let rest = ((word << (32 - filled)) as u32).to_be_bytes();
            let len = filled.div_ceil(8) as usize;
            bytes.get_mut(n..n + len)?.copy_from_slice(&rest[..len]);
            Some(n + len)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use oaklath_simd::{Level, dispatch};
    use std::vec::Vec;

    fn encode(level: Level, f: &[i16], bytes: &mut [u8]) -> Option<usize> {
        dispatch!(level, s => encode_compressed_vartime(s, f, bytes))
    }

    fn decode(level: Level, bytes: &[u8], f: &mut [i16]) -> Option<usize> {
        dispatch!(level, s => decode_compressed_vartime(s, bytes, f))
    }

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (self.0 >> 33) as u32
        }
    }

    /// The specification bit by bit.
    fn decode_by_bits(bytes: &[u8], n: usize) -> Option<(Vec<i16>, usize)> {
        let bit = |i: usize| bytes.get(i / 8).map(|b| i16::from(b >> (7 - i % 8) & 1));
        let (mut f, mut at) = (Vec::new(), 0);
        let mut next = || {
            at += 1;
            bit(at - 1)
        };
        for _ in 0..n {
            let sign = next()?;
            let mut x = 0;
            for _ in 0..7 {
                x = x << 1 | next()?;
            }
            while next()? == 0 {
                x += 128;
                if x > 2047 {
                    return None;
                }
            }
            if sign == 1 && x == 0 {
                return None;
            }
            f.push(if sign == 1 { -x } else { x });
        }
        let len = at.div_ceil(8);
        (at..8 * len).all(|i| bit(i) == Some(0)).then_some((f, len))
    }

    fn encode_by_bits(f: &[i16]) -> Vec<u8> {
        let mut bits = Vec::new();
        for x in f {
            let m = x.unsigned_abs();
            bits.push(u8::from(*x < 0));
            bits.extend((0..7).rev().map(|i| (m >> i & 1) as u8));
            bits.extend((0..m >> 7).map(|_| 0));
            bits.push(1);
        }
        let byte = |bits: &[u8]| bits.iter().zip(0..).map(|(bit, i)| bit << (7 - i)).sum();
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn compressed_as_bit_by_bit() {
        Level::available().for_each(as_bit_by_bit);
    }

    fn as_bit_by_bit(level: Level) {
        let mut random = Random(1);
        for case in 0..2000 {
            let n = [5, 8, 512, 37][case % 4];
            let bound = [170, 2047, 170, 600][case / 4 % 4];
            let f: Vec<i16> =
                (0..n).map(|_| (random.next() % (2 * bound + 1)) as i16 - bound as i16).collect();
            let want = encode_by_bits(&f);
            let mut bytes = std::vec![0; want.len() + case % 2 * 9];
            assert_eq!(encode(level, &f, &mut bytes), Some(want.len()));
            assert_eq!(bytes[..want.len()], want);
            let short = &mut bytes[..want.len() - 1];
            assert_eq!(encode(level, &f, short), None);
            let mut g = std::vec![0; n];
            assert_eq!(decode(level, &want, &mut g), Some(want.len()));
            assert_eq!(f, g);
            // Damaged, shortened, or followed by others.
            let mut wrong = want.clone();
            let at = random.next() as usize % (8 * want.len());
            wrong[at / 8] ^= 0x80 >> (at % 8);
            wrong.truncate(want.len() - (random.next() as usize % 3 / 2));
            wrong.extend((0..random.next() % 3).map(|i| i as u8));
            let got = decode(level, &wrong, &mut g).map(|len| (g.clone(), len));
            assert_eq!(got, decode_by_bits(&wrong, n), "case {case}");
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        Level::available().for_each(refused);
    }

    fn refused(level: Level) {
        let mut f = [0; 2];
        let one = [0b0000_0001, 0b1000_0000, 0b1100_0000];
        assert_eq!(decode(level, &one, &mut f), Some(3));
        assert_eq!(f, [1, 1]);
        let last_bit = [0b0000_0001, 0b1000_0000, 0b1110_0000];
        let minus_zero = [0b1000_0000, 0b1000_0000, 0b1100_0000];
        let too_short = [0b0000_0001, 0b1000_0000];
        let no_end = [0b0000_0001, 0b1000_0000, 0b1000_0000];
        for bytes in [&last_bit[..], &minus_zero, &too_short, &no_end, &[]] {
            assert_eq!(decode(level, bytes, &mut f), None, "{bytes:?}");
        }
        // 15 zeros are the most.
        let largest = [0x7f, 0, 0b0000_0001, 0, 0b1000_0000];
        assert_eq!(decode(level, &largest, &mut f), Some(5));
        assert_eq!(f, [2047, 0]);
        let larger = [0x7f, 0, 0b0000_0000, 0x80, 0x40];
        assert_eq!(decode(level, &larger, &mut f), None);
        assert_eq!(encode(level, &[2047, -2047], &mut [0; 9]), Some(6));
        assert_eq!(encode(level, &[2048], &mut [0; 9]), None);
        assert_eq!(encode(level, &[-2048], &mut [0; 9]), None);
    }

    fn signed<const BITS: usize>() {
        let largest = (1 << (BITS - 1)) - 1;
        let f: Vec<i16> =
            (0..1024).map(|i| (i % (2 * largest + 1)) as i16 - largest as i16).collect();
        let mut bytes = std::vec![0; 128 * BITS];
        encode_signed::<BITS>(&f, &mut bytes);
        let bit = |i: usize| i32::from(bytes[i / 8] >> (7 - i % 8) & 1);
        let mut g = std::vec![0; 1024];
        assert!(decode_signed::<BITS>(&bytes, &mut g));
        assert_eq!(f, g);
        for (i, x) in f.iter().enumerate() {
            let field = (0..BITS).fold(0, |x, j| x << 1 | bit(i * BITS + j));
            assert_eq!(field, i32::from(*x) & ((1 << BITS) - 1));
        }
        for at in 0..9 {
            let mut f = [0; 16];
            f[at] = -1 << (BITS - 1);
            let mut bytes = std::vec![0; 2 * BITS];
            encode_signed::<BITS>(&f, &mut bytes);
            assert!(!decode_signed::<BITS>(&bytes, &mut f), "{BITS} {at}");
        }
    }

    #[test]
    fn signed_numbers() {
        signed::<5>();
        signed::<6>();
        signed::<8>();
        signed::<12>();
    }

    #[test]
    fn fourteen_bits() {
        Level::available().for_each(fourteen);
    }

    fn fourteen(level: Level) {
        let f: Vec<i16> = (0..512).map(|i| (i * 24) as i16).chain([12288; 4]).collect();
        let mut bytes = std::vec![0; 129 * 7];
        encode_14(&f, &mut bytes);
        let bit = |i: usize| i16::from(bytes[i / 8] >> (7 - i % 8) & 1);
        for (i, x) in f.iter().enumerate() {
            assert_eq!((0..14).fold(0, |x, j| x << 1 | bit(i * 14 + j)), *x);
        }
        let mut g = std::vec![0; 516];
        assert_eq!(dispatch!(level, s => decode_14_vartime(s, &bytes, &mut g)), Some(()));
        assert_eq!(f, g);
        assert_eq!(dispatch!(level, s => decode_14_vartime(s, &bytes[1..], &mut g)), None);
        for at in 0..516 {
            let mut wrong = f.clone();
            wrong[at] = 12289;
            encode_14(&wrong, &mut bytes);
            assert_eq!(dispatch!(level, s => decode_14_vartime(s, &bytes, &mut g)), None);
        }
    }
}
