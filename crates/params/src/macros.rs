//! Macros that several tables share: cells that may be empty, the check of a table against a
//! formula, lists of the families that a crate compiles, and of what implements its sets.

/// Lists the [features](crate::kem::KemInfo::feature) of KEMs that the calling crate enables.
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

/// Lists the [features](crate::sig::SigInfo::feature) of signatures that the calling crate enables,
/// for the families that certificates and TLS support.
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

/// Declares a list of what implements the sets of the calling crate: a static, since a crate that
/// reads a constant compiles all that it lists, as optimised as that crate is. In unit tests it is
/// a constant: a test program compiles all that a static lists, whether it reads the list or not.
#[macro_export]
macro_rules! list {
    ($name:ident: $type:ty = $list:expr) => {
        #[cfg(not(test))]
        static $name: $type = $list;
        #[cfg(test)]
        const $name: $type = $list;
    };
}

/// Expands a cell that may be empty: `-` is nothing, `=` repeats the preferred name.
macro_rules! optional_cell {
    ($preferred:literal -) => {
        None
    };
    ($preferred:literal =) => {
        Some($preferred)
    };
    ($preferred:literal $cell:literal) => {
        Some($cell)
    };
}

/// Expands the cell of a name that is never empty: `=` repeats the preferred name.
macro_rules! text_cell {
    ($preferred:literal =) => {
        $preferred
    };
    ($preferred:literal $name:literal) => {
        $name
    };
}

/// Expands the cell of an object identifier: `-` is none.
macro_rules! oid_cell {
    (-) => {
        None
    };
    ($dotted:literal) => {
        Some(crate::Oid::new($dotted))
    };
}

/// Checks rows against a formula: each line has one row and its parameters.
macro_rules! check {
    ($formula:ident: $($id:ident $($parameter:literal)*;)*) => {
        $(const _: () = assert!($formula(&$id, [$($parameter),*]));)*
    };
}

#[cfg(test)]
pub(crate) mod tests {
    /// Checks that a formula holds for the parameters of a row, but not if any one of them is
    /// doubled.
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
