//! KEMs.
