//! Flips bits in the memory of trees under construction, for tests: with the feature `test-faults`,
//! which no release has, calls of [`strike`] are counted, and the selected one flips a bit.

/// Runs `run`, in which strike number `step` flips a bit of the memory that it gets. The position
/// of the bit in that memory is `place` / 2^32 of its length. Returns the result and the number of
/// strikes.
///
/// ```
/// use oaklath_stateful::with_fault;
/// assert_eq!(with_fault(0, 0, || 7), (7, 0), "nothing grows here");
/// ```
#[cfg(feature = "test-faults")]
pub fn with_fault<T>(step: u64, place: u32, run: impl FnOnce() -> T) -> (T, u64) {
    FAULT.set(Some(Fault { step, place, strikes: 0 }));
    let result = run();
    let strikes = FAULT.take().map_or(0, |fault| fault.strikes);
    (result, strikes)
}

#[cfg(feature = "test-faults")]
#[derive(Clone, Copy)]
struct Fault {
    step: u64,
    place: u32,
    strikes: u64,
}

#[cfg(feature = "test-faults")]
std::thread_local! {
    static FAULT: core::cell::Cell<Option<Fault>> = const { core::cell::Cell::new(None) };
}

/// Counts a strike, and flips a bit of `memory` if this strike was selected.
#[cfg(feature = "test-faults")]
pub(crate) fn strike(memory: &mut [u8]) {
    let Some(fault) = FAULT.get() else { return };
    if fault.step == fault.strikes && !memory.is_empty() {
        let bit = (u64::from(fault.place) * memory.len() as u64 * 8) >> 32;
        memory[(bit >> 3) as usize] ^= 1 << (bit & 7);
    }
    FAULT.set(Some(Fault { strikes: fault.strikes + 1, ..fault }));
}

#[cfg(not(feature = "test-faults"))]
#[inline(always)]
pub(crate) fn strike(_: &mut [u8]) {}
