//! `crates/sig/src/ml_dsa/hint.rs` in this world: positions of ones are unknowns.
use oaklath_prove_opaque::proof::call::OpaqueCall;

/// `HintBitUnpack`, and whether the encoding is canonical.
#[track_caller]
pub(crate) fn decode(bytes: &[u8], hints: &mut [[i8; 256]]) -> Option<()> {
    let mut call = OpaqueCall::new("HintBitUnpack").reads(&[hints.len() as i32]).reads(bytes);
    let is_canonical = call.decides();
    call.writes(hints.as_flattened_mut(), 0..=1);
    is_canonical.then_some(())
}
