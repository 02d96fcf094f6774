//! Macros that several tables share: cells that may be empty, and the check of a table against a
//! formula; and those that tell which families a crate compiles.

/// The features of [`KemInfo::feature`](crate::kem::KemInfo::feature) that the calling crate has.
#[macro_export]
macro_rules! compiled_kems {
    () => {
        &[
            #[cfg(feature = "ml-kem")]
            "ml-kem",
            #[cfg(feature = "kyber")]
            "kyber",
            #[cfg(feature = "kyber-90s")]
            "kyber-90s",
            #[cfg(feature = "ntru")]
            "ntru",
            #[cfg(feature = "saber")]
            "saber",
        ]
    };
}

/// The features of [`SigInfo::feature`](crate::sig::SigInfo::feature) that the calling crate has,
/// of the families that certificates and TLS know.
#[macro_export]
macro_rules! compiled_signatures {
    () => {
        &[
            #[cfg(feature = "ml-dsa")]
            "ml-dsa",
            #[cfg(feature = "slh-dsa")]
            "slh-dsa",
            #[cfg(feature = "dilithium")]
            "dilithium",
            #[cfg(feature = "dilithium-aes")]
            "dilithium-aes",
            #[cfg(feature = "sphincs-plus")]
            "sphincs-plus",
            #[cfg(feature = "falcon")]
            "falcon",
        ]
    };
}

/// A name's cell: `-` is no name, `=` the preferred name again.
macro_rules! name_cell {
    ($preferred:literal -) => {
        None
    };
    ($preferred:literal =) => {
        Some($preferred)
    };
    ($preferred:literal $name:literal) => {
        Some($name)
    };
}

/// A name's cell that is never empty: `=` is the preferred name again.
macro_rules! text_cell {
    ($preferred:literal =) => {
        $preferred
    };
    ($preferred:literal $name:literal) => {
        $name
    };
}

/// An object identifier's cell: `-` is none.
macro_rules! oid_cell {
    (-) => {
        None
    };
    ($dotted:literal) => {
        Some(crate::Oid::new($dotted))
    };
}

/// Checks rows against a formula: one row and its parameters a line.
macro_rules! check {
    ($formula:ident: $($id:ident $($parameter:literal)*;)*) => {
        $(const _: () = assert!($formula(&$id, [$($parameter),*]));)*
    };
}

#[cfg(test)]
pub(crate) mod tests {
    /// A formula holds for a row's parameters, and for no others near them: with any one doubled it
    /// rejects the row.
    #[track_caller]
    pub(crate) fn every_parameter_counts<const N: usize>(
        formula: impl Fn([usize; N]) -> bool,
        parameters: [usize; N],
    ) {
        assert!(formula(parameters), "{parameters:?}");
        for i in 0..N {
            let mut others = parameters;
            others[i] *= 2;
            assert!(!formula(others), "{others:?}");
        }
    }
}
