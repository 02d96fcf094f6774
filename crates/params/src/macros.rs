//! Macros that several tables share: cells that may be empty, and the check of a table against a
//! formula.

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
    /// A formula holds for a row's parameters, and for no others near them: with any one doubled it refuses the row.
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
