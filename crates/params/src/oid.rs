//! Object identifiers in dotted form (ITU-T X.660), checked when the table is compiled.

use core::fmt;

/// An object identifier in dotted decimal form.
///
/// ```
/// let oid = oaklath_params::kem::ML_KEM_768.oid.unwrap();
/// assert_eq!(oid.as_str(), "2.16.840.1.101.3.4.4.2");
/// assert!(oid.arcs().eq([2, 16, 840, 1, 101, 3, 4, 4, 2]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Oid(&'static str);

impl Oid {
    /// Makes an object identifier from its dotted form.
    ///
    /// # Panics
    /// If `dotted` is not two or more decimal arcs below 2^32 without leading zeros, the first at
    /// most 2, the second at most 39 unless the first is 2. In a constant, this fails to compile.
    ///
    /// ```
    /// use oaklath_params::Oid;
    /// const ED25519: Oid = Oid::new("1.3.101.112");
    /// assert_eq!(ED25519.to_string(), "1.3.101.112");
    /// ```
    pub const fn new(dotted: &'static str) -> Self {
        assert!(is_valid(dotted.as_bytes()), "not an object identifier in dotted form");
        Self(dotted)
    }

    /// Returns the dotted form.
    pub const fn as_str(&self) -> &'static str {
        self.0
    }

    /// Returns the arcs in order, the root first.
    pub fn arcs(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        // `new` has checked every arc, so folding the digits cannot overflow.
        self.0.split('.').map(|arc| arc.bytes().fold(0, |n, d| n * 10 + u32::from(d - b'0')))
    }

    /// Returns the length of [`Oid::der_content`].
    pub const fn der_content_len(&self) -> usize {
        encode(self.0.as_bytes(), &mut [])
    }

    /// Returns the content octets of DER (X.690, section 8.19), without tag and length.
    ///
    /// # Panics
    /// If `N` is not [`Oid::der_content_len`].
    ///
    /// ```
    /// use oaklath_params::Oid;
    /// const ED25519: Oid = Oid::new("1.3.101.112");
    /// const DER: [u8; ED25519.der_content_len()] = ED25519.der_content();
    /// assert_eq!(DER, [0x2b, 0x65, 0x70]);
    /// ```
    pub const fn der_content<const N: usize>(&self) -> [u8; N] {
        assert!(N == self.der_content_len(), "N is not der_content_len()");
        let mut out = [0; N];
        encode(self.0.as_bytes(), &mut out);
        out
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({})", self.0)
    }
}

const fn is_valid(dotted: &[u8]) -> bool {
    let (mut at, mut arcs, mut first) = (0, 0, 0);
    while at <= dotted.len() {
        let start = at;
        let mut value: u64 = 0;
        while at < dotted.len() && dotted[at] != b'.' {
            if !dotted[at].is_ascii_digit() {
                return false;
            }
            // value <= u32::MAX here, so 10 value + 9 fits 64 bits.
            value = value * 10 + (dotted[at] - b'0') as u64;
            if value > u32::MAX as u64 {
                return false;
            }
            at += 1;
        }
        let digits = at - start;
        if digits == 0 || (digits > 1 && dotted[start] == b'0') {
            return false;
        }
        if arcs == 0 {
            first = value;
        }
        // X.660: the roots are 0, 1 and 2; below 0 and 1 there are 40 arcs.
        if (arcs == 0 && value > 2) || (arcs == 1 && first < 2 && value > 39) {
            return false;
        }
        arcs += 1;
        at += 1;
    }
    arcs >= 2
}

/// Writes the content octets of a checked dotted form into `out`, or nothing if `out` is empty, and
/// returns their number.
const fn encode(dotted: &[u8], out: &mut [u8]) -> usize {
    let (first, mut at) = next_arc(dotted, 0);
    let mut len = 0;
    let mut first = Some(first);
    while at < dotted.len() {
        let (mut arc, next) = next_arc(dotted, at + 1);
        at = next;
        // The first two arcs are encoded as one number.
        if let Some(root) = first.take() {
            arc += 40 * root;
        }
        // arc < 2^32 + 80, so it fits 5 septets.
        let mut septets = 1;
        while septets < 5 && arc >> (7 * septets) != 0 {
            septets += 1;
        }
        while septets > 0 {
            septets -= 1;
            if !out.is_empty() {
                let more = if septets > 0 { 0x80 } else { 0 };
                out[len] = (arc >> (7 * septets)) as u8 & 0x7f | more;
            }
            len += 1;
        }
    }
    len
}

/// Returns the arc whose digits begin at `at`, and the position after them.
const fn next_arc(dotted: &[u8], mut at: usize) -> (u64, usize) {
    let mut arc = 0;
    while at < dotted.len() && dotted[at] != b'.' {
        arc = arc * 10 + (dotted[at] - b'0') as u64;
        at += 1;
    }
    (arc, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_dotted_forms_only() {
        for good in ["0.0", "1.39", "2.999", "1.3.9999.3.1", "2.16.840.1.101.3.4.4.1"] {
            assert!(is_valid(good.as_bytes()), "{good}");
        }
        for bad in [
            "", ".", "1", "1.", ".1", "1..2", "3.1", "1.40", "0.40", "1.03", "1.2a", "1.2 ", "-1.2",
        ] {
            assert!(!is_valid(bad.as_bytes()), "{bad}");
        }
        assert!(is_valid(b"2.4294967295"));
        assert!(!is_valid(b"2.4294967296"));
    }

    /// Checks large first pairs and 32-bit arcs: X.690, section 8.19.5, and computed by hand.
    #[test]
    fn der_content() {
        assert_eq!(Oid::new("2.999.3").der_content(), [0x88, 0x37, 0x03]);
        assert_eq!(Oid::new("2.4294967295").der_content(), [0x90, 0x80, 0x80, 0x80, 0x4f]);
        assert_eq!(Oid::new("0.0.128").der_content(), [0x00, 0x81, 0x00]);
        let ml_kem = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, 0x01];
        assert_eq!(Oid::new("2.16.840.1.101.3.4.4.1").der_content(), ml_kem);
    }

    #[test]
    fn printed_in_dotted_form() {
        let oid = Oid::new("1.3.101.112");
        assert_eq!(std::format!("{oid:13}|{oid:?}"), "1.3.101.112  |Oid(1.3.101.112)");
    }

    #[test]
    #[should_panic(expected = "N is not der_content_len()")]
    fn der_content_refuses_other_lengths() {
        let _: [u8; 2] = Oid::new("1.3.101.112").der_content();
    }

    #[test]
    #[should_panic(expected = "not an object identifier")]
    fn new_refuses() {
        let _ = Oid::new("1.3.x");
    }
}
