//! `crates/sig/src/ml_dsa/hint.rs` in this world: positions of ones are unknowns.
use oaklath_prove_opaque::proof::call::OpaqueCall;
use oaklath_prove_opaque::proof::io::unwritten;

/// `HintBitUnpack`, and whether the encoding is canonical.
#[track_caller]
pub(crate) fn decode(bytes: &[u8], hints: &mut [[i8; 256]]) -> Option<()> {
    let mut call = OpaqueCall::new("HintBitUnpack").reads(&[hints.len() as i32]).reads(bytes);
    let hints = hints.as_flattened_mut();
    if !call.decides() {
        hints.copy_from_slice(&unwritten(hints.len()));
        return None;
    }
    call.writes(hints, 0..=1);
    Some(())
}
