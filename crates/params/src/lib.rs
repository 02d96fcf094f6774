//! The table of algorithms.
