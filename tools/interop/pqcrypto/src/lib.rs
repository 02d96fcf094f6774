//! An empty library: the tests compare each module of `oaklath-pqcrypto` with the crate that it
//! stands in for, by the same calls to both. `OAKLATH_CASES` sets the number of cases for each
//! module (20), a hundredth of it for hash trees.
