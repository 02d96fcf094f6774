//! Messages for the measurement of signing: a scheme that rejects takes a different time for every
//! message, so only an average over messages is meaningful.

/// Returns messages whose signatures, made without randomness, without a context and with the key
/// of the seed of 32 zero bytes, are rejected as often and for the same reasons as average
/// signatures: C2SP/CCTV, `ML-DSA/benchmark`. None for other algorithms.
///
/// ```
/// use oaklath_measure::average;
///
/// let messages = average::representative("ML-DSA-65").unwrap();
/// assert_eq!(messages.count(), 147);
/// assert!(average::representative("Dilithium3").is_none());
/// ```
pub fn representative(algorithm: &str) -> Option<impl Iterator<Item = &'static str> + use<>> {
    let list = match algorithm {
        "ML-DSA-44" => include_str!("../data/ml-dsa-44.txt"),
        "ML-DSA-65" => include_str!("../data/ml-dsa-65.txt"),
        "ML-DSA-87" => include_str!("../data/ml-dsa-87.txt"),
        _ => return None,
    };
    Some(list.lines())
}
