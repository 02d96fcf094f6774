//! `HintBitUnpack`: FIPS 204, Algorithm 21. Hints are packed where they are computed, in
//! [`sign`](super::sign).

/// Writes the hints of each polynomial as bytes 0 and 1. Returns `None` if the encoding is not
/// canonical, since a signature could otherwise be changed into another one of the same message.
pub(super) fn decode(bytes: &[u8], hints: &mut [[i8; 256]]) -> Option<()> {
    let (positions, ends) = bytes.split_at(bytes.len() - hints.len());
    let mut n = 0;
    for (hint, end) in hints.iter_mut().zip(ends) {
        hint.fill(0);
        let of_this = positions.get(n..usize::from(*end))?;
        if !of_this.is_sorted_by(|a, b| a < b) {
            return None;
        }
        for position in of_this {
            hint[usize::from(*position)] = 1;
        }
        n = usize::from(*end);
    }
    positions[n..].iter().all(|byte| *byte == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OMEGA: usize = 6;

    fn decoded(bytes: [u8; OMEGA + 3]) -> Option<[[i8; 256]; 3]> {
        let mut hints = [[9; 256]; 3];
        decode(&bytes, &mut hints).map(|()| hints)
    }

    #[test]
    fn canonical_encodings_only() {
        let hints = decoded([1, 5, 0, 255, 0, 0, 2, 2, 4]).unwrap();
        let ones = |i: usize| (0..256).filter(move |p| hints[i][*p] == 1);
        assert!(ones(0).eq([1, 5]) && ones(1).eq([]) && ones(2).eq([0, 255]));
        assert!(hints.as_flattened().iter().all(|h| *h == 0 || *h == 1));
        for (why, bytes) in [
            ("positions fall", [5, 1, 0, 255, 0, 0, 2, 2, 4]),
            ("a position twice", [5, 5, 0, 255, 0, 0, 2, 2, 4]),
            ("an end before the last one", [1, 5, 0, 255, 0, 0, 2, 1, 4]),
            ("an end too far", [1, 5, 0, 255, 0, 0, 2, 2, 7]),
            ("padding", [1, 5, 0, 255, 0, 1, 2, 2, 4]),
        ] {
            assert_eq!(decoded(bytes), None, "{why}");
        }
        assert!(decoded([0; 9]).is_some(), "no hints at all");
        assert!(decoded([1, 2, 3, 4, 5, 6, 6, 6, 6]).is_some(), "as many as there may be");
    }
}
