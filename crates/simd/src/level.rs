//! The level that selects the backend: detected once, cached, lowered by `OAKLATH_SIMD`.
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use crate::arm::tokens::Neon;
use crate::token::Scalar;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::x86::tokens::{Avx2, Avx512};

/// A level of SIMD instructions, with the token that proves it.
///
/// Levels are ordered: a CPU that has one has all the lower ones.
///
/// ```
/// use oaklath_simd::Level;
///
/// let best = Level::get();
/// assert!(Level::available().any(|level| level == best));
/// println!("running {best}");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Level {
    /// Portable code.
    Scalar(Scalar),
    /// AVX2, BMI1/2, LZCNT, POPCNT, FMA, AES, PCLMULQDQ.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// In addition, AVX-512 F, BW, VL, DQ, VBMI, VBMI2.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// NEON.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon(Neon),
}

/// 0 before detection, then 1 + the level's index.
static CACHE: AtomicU8 = AtomicU8::new(0);

impl Level {
    /// Returns the level that [`dispatch!`](crate::dispatch) uses: the highest one of this CPU.
    /// With the feature `std`, the environment variable `OAKLATH_SIMD`, read at the first call, can
    /// lower it to `scalar` or `avx2`, in upper or lower case; other values are ignored.
    #[inline]
    pub fn get() -> Self {
        #[cfg(feature = "test-levels")]
        if let Some(level) = forced::level() {
            return level;
        }
        match CACHE.load(Ordering::Relaxed) {
            0 => Self::detect(),
            n => Self::from_index(n - 1),
        }
    }

    /// Returns all levels of this CPU, lowest first, regardless of `OAKLATH_SIMD`. With the feature
    /// `test-levels`, the environment variable `OAKLATH_TEST_LEVEL` restricts them to one, by name,
    /// and `none` leaves all out.
    pub fn available() -> impl Iterator<Item = Self> {
        let levels = Self::all();
        #[cfg(feature = "test-levels")]
        let levels = levels.filter(forced::is_wanted);
        levels
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..=best_index()).map(Self::from_index)
    }

    /// Returns this CPU's level named `scalar`, `avx2`, `avx512` or `neon`, ignoring case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// Returns `scalar`, `avx2`, `avx512` or `neon`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar(_) => "scalar",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => "avx512",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(_) => "neon",
        }
    }

    /// Runs `f` at this level on this thread, whatever was detected. For tests and benches.
    #[cfg(feature = "test-levels")]
    pub fn with<R>(self, f: impl FnOnce() -> R) -> R {
        forced::with(self, f)
    }

    #[cold]
    fn detect() -> Self {
        let best = best_index();
        #[cfg(feature = "std")]
        let best = match std::env::var("OAKLATH_SIMD") {
            Ok(name) if name.eq_ignore_ascii_case("scalar") => 0,
            Ok(name) if name.eq_ignore_ascii_case("avx2") => best.min(1),
            _ => best,
        };
        CACHE.store(1 + best, Ordering::Relaxed);
        Self::from_index(best)
    }

    /// Returns the level of index `i`, at most `best_index()`: its features were detected.
    #[inline]
    fn from_index(i: u8) -> Self {
        match i {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            1 => Self::Avx2(Avx2::new()),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            2 => Self::Avx512(Avx512::new()),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            1 => Self::Neon(Neon::new()),
            _ => Self::Scalar(Scalar),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Returns the index of the highest level: of the CPU, or without `std` of the build.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn best_index() -> u8 {
    #[cfg(feature = "std")]
    macro_rules! has { ($($feature:tt)*) => { $(std::is_x86_feature_detected!($feature))&&* } }
    #[cfg(not(feature = "std"))]
    macro_rules! has { ($($feature:tt)*) => { $(cfg!(target_feature = $feature))&&* } }

    let avx2 = has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt" "fma" "aes" "pclmulqdq");
    let avx512 = has!("avx512f" "avx512bw" "avx512vl" "avx512dq" "avx512vbmi" "avx512vbmi2");
    match (avx2, avx512) {
        // Miri interprets AVX2 code but not all of AVX-512.
        (true, true) if cfg!(miri) => 1,
        (true, true) => 2,
        (true, false) => 1,
        _ => 0,
    }
}

/// Returns the index of NEON, which all such CPUs have and Miri does not know, or else 0.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
fn best_index() -> u8 {
    u8::from(cfg!(all(
        target_arch = "aarch64",
        target_feature = "neon",
        target_endian = "little",
        not(miri),
    )))
}

#[cfg(feature = "test-levels")]
mod forced {
    use super::Level;
    use core::cell::Cell;
    use std::sync::OnceLock;

    std::thread_local! { static LEVEL: Cell<Option<Level>> = const { Cell::new(None) }; }

    #[inline]
    pub(super) fn level() -> Option<Level> {
        LEVEL.get()
    }

    /// Reports whether tests go through this level: in an emulator the others are slow and test
    /// nothing new.
    pub(super) fn is_wanted(level: &Level) -> bool {
        static ONLY: OnceLock<Option<std::string::String>> = OnceLock::new();
        let only = ONLY.get_or_init(|| std::env::var("OAKLATH_TEST_LEVEL").ok());
        only.as_ref().is_none_or(|only| only.eq_ignore_ascii_case(level.name()))
    }

    pub(super) fn with<R>(level: Level, f: impl FnOnce() -> R) -> R {
        /// Restores the former level, even after a panic.
        struct Restore(Option<Level>);
        impl Drop for Restore {
            fn drop(&mut self) {
                LEVEL.set(self.0);
            }
        }
        let _restore = Restore(LEVEL.replace(Some(level)));
        f()
    }
}

/// Runs an expression at the current [`Level`], or at a given one, with `s` bound to its token:
/// `dispatch!(s => ntt(s, &mut f))`, `dispatch!(level, s => ntt(s, &mut f))`.
///
/// The expression becomes the body of a closure: `return` and `?` leave only the expression.
#[macro_export]
macro_rules! dispatch {
    ($s:ident => $e:expr) => {
        $crate::or_on_tape!($s => $e, $crate::dispatch!($crate::Level::get(), $s => $e))
    };
    ($level:expr, $s:ident => $e:expr) => {{
        $crate::frames!();
        match $level {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            $crate::Level::Avx512($s) => {
                $crate::Token::run_in::<OnTokens, _>($s, #[inline(always)] || $e)
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            $crate::Level::Avx2($s) => {
                $crate::Token::run_in::<OnTokens, _>($s, #[inline(always)] || $e)
            }
            #[cfg(all(
                target_arch = "aarch64",
                target_feature = "neon",
                target_endian = "little",
            ))]
            $crate::Level::Neon($s) => {
                $crate::Token::run_in::<OnTokens, _>($s, #[inline(always)] || $e)
            }
            $crate::Level::Scalar($s) => {
                $crate::Token::run_in::<OnTokens, _>($s, #[inline(always)] || $e)
            }
            #[allow(unreachable_patterns, reason = "non-exhaustive outside this crate only")]
            _ => unreachable!("all levels are listed"),
        }
    }};
}

/// The second expression; in proofs the first on the recording backend, while it records.
#[cfg(not(oaklath_proof))]
#[doc(hidden)]
#[macro_export]
macro_rules! or_on_tape {
    ($s:ident => $e:expr, $real:expr) => {
        $real
    };
}

/// The second expression; in proofs the first on the recording backend, while it records.
#[cfg(oaklath_proof)]
#[doc(hidden)]
#[macro_export]
macro_rules! or_on_tape {
    ($s:ident => $e:expr, $real:expr) => {
        if $crate::proof::record::is_recording() {
            let $s = $crate::proof::Proof8 {};
            $e
        } else {
            $real
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn levels_are_ordered_and_named() {
        let levels: Vec<Level> = Level::all().collect();
        assert!(levels.is_sorted());
        assert_eq!(levels[0], Level::Scalar(Scalar));
        for level in levels {
            assert_eq!(Level::by_name(level.name()), Some(level));
            assert_eq!(std::format!("{level}"), level.name());
        }
        assert_eq!(Level::by_name("mmx"), None);
    }

    #[test]
    fn the_override_is_scoped_and_survives_a_panic() {
        let before = Level::get();
        let scalar = Level::Scalar(Scalar);
        scalar.with(|| {
            assert_eq!(Level::get(), scalar);
            let inner = Level::available().last().unwrap();
            inner.with(|| assert_eq!(Level::get(), inner));
            assert_eq!(Level::get(), scalar);
        });
        #[cfg(panic = "unwind")]
        assert!(std::panic::catch_unwind(|| scalar.with(|| panic!("on purpose"))).is_err());
        assert_eq!(Level::get(), before);
    }
}
