//! Polynomial rings.
