//! The implementation of a curve in this build.

use oaklath_params::curve::CurveInfo;

use crate::ecdh::Ecdh;

/// Returns the implementation of `curve` that this build prefers: that of aws-lc with the feature
/// `aws-lc-rs`, else the portable one of `rustcrypto`, or `None` if neither feature is enabled.
///
/// ```
/// use oaklath_params::curve;
///
/// let ecdh = oaklath_hybrid::by_curve(&curve::P521).expect("a build with curves");
/// assert_eq!(ecdh.curve().name, curve::P521.name);
/// ```
#[must_use]
pub fn by_curve(curve: &CurveInfo) -> Option<&'static dyn Ecdh> {
    let backends: &[&[&'static dyn Ecdh]] = &[
        #[cfg(feature = "aws-lc-rs")]
        crate::aws_lc::ALL,
        #[cfg(feature = "rustcrypto")]
        crate::rustcrypto::ALL,
    ];
    backends.iter().copied().flatten().copied().find(|ecdh| ecdh.curve() == curve)
}
