//! rustls provider.
