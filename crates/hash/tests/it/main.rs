//! The public interface: results at every level, and what `Debug` prints.

mod levels;
mod surface;
