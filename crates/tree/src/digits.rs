//! The digits of a digest, followed by those of their checksum: FIPS 205, Algorithm 7, lines 2 to
//! 7; RFC 8391, Algorithm 5; RFC 8554, sections 3.1.3 and 4.4. These definitions are equivalent.

/// Writes the digits of `bits` bits of a digest to the beginning of `out` and those of the checksum
/// after them. The first digit is the highest of the first byte. Of the checksum, the lowest digits
/// are written, as many as `out` has room for.
///
/// ```
/// let mut digits = [0; 7];
/// oaklath_tree::digits::split(&[0x0f, 0xa3], 4, &mut digits);
/// // 15 - 0 + 15 - 15 + 15 - 10 + 15 - 3 = 32
/// assert_eq!(digits, [0, 15, 10, 3, 0, 2, 0]);
/// ```
///
/// # Panics
/// If `out` has no room for the digits of the digest.
pub fn split(digest: &[u8], bits: u32, out: &mut [u8]) {
    let highest = (1_u32 << bits) - 1;
    let (digits, checksum) = out.split_at_mut(digest.len() << (3 - bits.trailing_zeros()));
    match bits {
        1 => cut::<1, 8>(digest, digits),
        2 => cut::<2, 4>(digest, digits),
        4 => cut::<4, 2>(digest, digits),
        _ => cut::<8, 1>(digest, digits),
    }
    let mut sum = digits.iter().map(|digit| highest - u32::from(*digit)).sum::<u32>();
    for digit in checksum.iter_mut().rev() {
        *digit = (sum & highest) as u8;
        sum >>= bits;
    }
}

/// Cuts each byte into `OF_BYTE` digits of `BITS` bits, of which the first is the highest.
fn cut<const BITS: usize, const OF_BYTE: usize>(digest: &[u8], digits: &mut [u8]) {
    for (byte, digits) in digest.iter().zip(digits.as_chunks_mut::<OF_BYTE>().0) {
        for (i, digit) in digits.iter_mut().enumerate() {
            *digit = byte >> (8 - BITS * (i + 1)) & (0xff >> (8 - BITS));
        }
    }
}
