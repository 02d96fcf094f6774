//! Hybrids.
