//! Which implementation of a curve a build has.

use oaklath_params::curve::CurveInfo;

use crate::ecdh::Ecdh;

/// The implementation of `curve` that this build prefers: aws-lc's with the feature `aws-lc-rs`,
/// else the portable one of `rustcrypto`; none without both features.
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
