//! The tokens of x86-64.

/// Proof of AVX2, BMI1/2, LZCNT, POPCNT, FMA, AES and PCLMULQDQ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Avx2(());

/// Proof of AVX-512 F, BW, VL, DQ, VBMI and VBMI2, and of what [`Avx2`] proves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Avx512(());

impl Avx2 {
    /// Makes the token; the caller has detected the features.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

impl Avx512 {
    /// Makes the token; the caller has detected the features.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Proof of what [`Avx2`] proves. Its values are the whole proof of vectors that both backends
/// share: implement it for no other token.
pub(super) trait ProvesAvx2 {}
impl ProvesAvx2 for Avx2 {}
impl ProvesAvx2 for Avx512 {}

/// Proof of the SHA extensions. Independent of the vector level, but not used at `scalar`.
#[derive(Clone, Copy, Debug)]
pub struct ShaNi(());

/// Proof of AES on vectors of 256 bits, in addition to [`Avx2`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Vaes(());

macro_rules! has {
    ($feature:tt) => {{
        #[cfg(feature = "std")]
        let has = std::is_x86_feature_detected!($feature);
        #[cfg(not(feature = "std"))]
        let has = cfg!(target_feature = $feature);
        has
    }};
}

impl ShaNi {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        // Miri does not know the instructions.
        (!cfg!(miri) && has!("sha")).then_some(Self(()))
    }
}

impl Vaes {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        (!cfg!(miri) && has!("vaes")).then_some(Self(()))
    }
}
