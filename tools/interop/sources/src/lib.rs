//! An empty library: its manifest names sources, and `xtask/src/interop` builds them.
