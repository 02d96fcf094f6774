//! The tokens of `AArch64`.

/// Proof of NEON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Neon(());

impl Neon {
    /// Makes the token: every CPU for which this is compiled has NEON.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Proof of the instructions for SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Sha2(());

/// Proof of the instructions for SHA-3: three-operand logic, and rotation of an XOR.
#[derive(Clone, Copy, Debug)]
pub struct Sha3(());

/// Proof of the instructions for AES, and of those for products of polynomials over GF(2).
#[derive(Clone, Copy, Debug)]
pub(super) struct AesUnit(());

macro_rules! detected {
    ($($token:ident $feature:tt;)*) => { $(
        impl $token {
            #[inline]
            pub(super) fn detect() -> Option<Self> {
                #[cfg(feature = "std")]
                let has = std::arch::is_aarch64_feature_detected!($feature);
                #[cfg(not(feature = "std"))]
                let has = cfg!(target_feature = $feature);
                has.then_some(Self(()))
            }
        }
    )* };
}
detected! {
    Sha2 "sha2";
    Sha3 "sha3";
    AesUnit "aes";
}
