//! Nothing but tests: each module of `oaklath-pqcrypto` beside the crate that it stands in for, by
//! the same calls to both. `OAKLATH_CASES` sets the number of cases a module (20), of hash trees
//! one in a hundred.
