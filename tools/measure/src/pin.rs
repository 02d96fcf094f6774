//! Pins the calling thread to one core, so that caches, frequency and time-stamp counter are those
//! of one core.
//!
//! # Soundness
//! `cpu_set_t` is a plain bit set; each call gets its size and reads or writes only that.

use std::io;

/// Pins the calling thread to `core` (counted from 0), or to the last core it may run on, and
/// returns that core. Threads started later inherit it.
///
/// # Errors
/// If the system has no such core, or no such call: it is implemented for Linux only.
///
/// ```
/// match oaklath_measure::pin_to_core(None) {
///     Ok(core) => println!("pinned to core {core}"),
///     Err(error) => println!("not pinned: {error}"),
/// }
/// ```
pub fn pin_to_core(core: Option<usize>) -> io::Result<usize> {
    imp::pin(core)
}

#[cfg(target_os = "linux")]
mod imp {
    use std::{io, mem};

    use libc::{CPU_ISSET, CPU_SET, CPU_SETSIZE, cpu_set_t, sched_getaffinity, sched_setaffinity};

    /// The calling thread, in the vocabulary of `sched_setaffinity(2)`.
    const THIS_THREAD: libc::pid_t = 0;

    pub(super) fn pin(core: Option<usize>) -> io::Result<usize> {
        let core = match core {
            Some(core) if core >= CPU_SETSIZE as usize => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            Some(core) => core,
            None => allowed()?.pop().ok_or(io::ErrorKind::NotFound)?,
        };
        // SAFETY: all zero bytes are the empty set; `core` was checked to be within the set.
        let set = unsafe {
            let mut set: cpu_set_t = mem::zeroed();
            CPU_SET(core, &mut set);
            set
        };
        // SAFETY: reads `set`, whose size is given.
        match unsafe { sched_setaffinity(THIS_THREAD, size_of_val(&set), &set) } {
            0 => Ok(core),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Returns the cores that the calling thread may run on, ascending.
    pub(super) fn allowed() -> io::Result<Vec<usize>> {
        // SAFETY: all zero bytes are the empty set; the call writes `set`, whose size is given.
        let (result, set) = unsafe {
            let mut set: cpu_set_t = mem::zeroed();
            (sched_getaffinity(THIS_THREAD, size_of_val(&set), &mut set), set)
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: every index is within the set.
        Ok((0..CPU_SETSIZE as usize).filter(|&core| unsafe { CPU_ISSET(core, &set) }).collect())
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::io;

    pub(super) fn pin(_core: Option<usize>) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{imp::allowed, *};

    #[test]
    fn a_pinned_thread_runs_on_that_core_only() {
        let before = allowed().unwrap();
        let wanted = before[0];
        std::thread::spawn(move || {
            assert_eq!(pin_to_core(Some(wanted)).unwrap(), wanted);
            assert_eq!(allowed().unwrap(), [wanted]);
        })
        .join()
        .unwrap();
        // Only the thread that asked has moved.
        assert_eq!(allowed().unwrap(), before);
    }

    #[test]
    fn the_last_core_is_the_default() {
        let last = *allowed().unwrap().last().unwrap();
        let chosen = std::thread::spawn(|| pin_to_core(None).unwrap()).join().unwrap();
        assert_eq!(chosen, last);
    }

    #[test]
    fn a_core_that_does_not_exist_is_an_error() {
        assert!(pin_to_core(Some(1 << 20)).is_err());
    }
}
