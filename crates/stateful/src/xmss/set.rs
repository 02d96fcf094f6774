//! The registries of parameter sets.
use oaklath_params::stateful::xmss::{XmssInfo, xmss_by_oid, xmss_mt_by_oid};

use crate::error::Error;

/// The registry of the number of a parameter set. Keys do not contain it.
///
/// ```
/// use oaklath_params::stateful::xmss;
/// use oaklath_stateful::XmssTrees;
///
/// assert_eq!(XmssTrees::of(&xmss::XMSS_SHA2_10_256), XmssTrees::Single);
/// assert_eq!(XmssTrees::of(&xmss::XMSSMT_SHA2_20_2_256), XmssTrees::Multi);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmssTrees {
    /// XMSS: one tree.
    Single,
    /// XMSS^MT: trees that sign the roots of trees.
    Multi,
}

impl XmssTrees {
    /// Returns the registry of a set.
    #[must_use]
    pub fn of(info: &XmssInfo) -> Self {
        if info.multi_tree { Self::Multi } else { Self::Single }
    }

    /// Returns the set whose number is at the beginning of `bytes`.
    ///
    /// # Errors
    /// [`Error::UnknownType`], and `too_short` if there is no number.
    pub(super) fn find(self, bytes: &[u8], too_short: Error) -> Result<&'static XmssInfo, Error> {
        let number = u32::from_be_bytes(*bytes.first_chunk().ok_or(too_short)?);
        let info = match self {
            Self::Single => xmss_by_oid(number),
            Self::Multi => xmss_mt_by_oid(number),
        };
        info.ok_or(Error::UnknownType { found: number })
    }
}
