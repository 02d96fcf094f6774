//! SIMD backends.
