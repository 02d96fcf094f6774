//! Nothing: the manifest names sources, and `xtask/src/interop` builds them.
