//! ML-DSA (FIPS 204), whose implementation Dilithium of round 3 shares.
//!
//! | module | contents |
//! |---|---|
//! | [`params`] | the parameters of a set |
//! | [`variant`] | the trait of variants: the differences of ML-DSA and Dilithium |
//! | [`expand_a`], [`expand_s`], [`expand_mask`] | the matrix, secrets and masks in memory |
//! | [`sampler`] | the queue of all samples of an operation, and the trait of samplers |
//! | [`lanes`] | Keccak lanes that sample, and compute a hash meanwhile |
//! | [`standard`] | FIPS 204, where round 3 differs |
//! | [`hash`] | the seeds of a key, and padding |
//! | [`challenge`] | `SampleInBall`, and the comparison of c~ |
//! | [`mu`] | mu of messages given in pieces |
//! | [`hint`] | the decoding of hints |
//! | [`row_hash`] | a hash of all rows of a product |
//! | [`keygen`], [`sign`], [`verify`] | Algorithms 6, 7 and 8 |
//! | [`sign_many`] | Algorithm 7 of several messages side by side |
//! | [`secrets`] | s1, s2 and t0 for signing |
//! | [`keys`] | keys expanded for many operations |
//! | [`scheme`] | a variant and a matrix as a signature scheme, with the memory of its operations |
//!
//! Messages may have any length, and signing takes an unpredictable number of attempts, so lanes
//! are scheduled dynamically: each takes the next matrix entry, secret or mask when its own is
//! complete, and lane 0 can be used for a hash. There are eight lanes where a register holds eight
//! words, but four while an attempt waits for its hash. In key generation and verification, lane 0
//! hashes tr and c~ while the last rows of the matrix are sampled ([`row_hash`]); in signing, it
//! computes c~ and `SampleInBall` while the other lanes sample the masks of later attempts. Two
//! rows of the matrix are kept at a time. Signing needs the matrix again in each attempt: it keeps
//! all of it or, in little memory, none, and samples each entry again when it is used. c s1 and
//! c s2 are sums of windows of bytes.
//!
//! The functions of [`scheme`] and [`keys`] are generic over the variant and the size of the
//! matrix. They declare the memory. The code that computes takes slices and is compiled once for
//! each SIMD level.
#![expect(non_snake_case, reason = "notation of FIPS 204")]

mod challenge;
mod expand_a;
pub(crate) mod expand_mask;
mod expand_s;
mod hash;
mod hint;
mod keygen;
mod keys;
pub(crate) mod lanes;
pub(crate) mod mu;
mod params;
mod row_hash;
pub(crate) mod sampler;
pub(crate) mod scheme;
mod secrets;
mod sign;
mod sign_many;
#[cfg(feature = "ml-dsa")]
pub(crate) mod standard;
pub(crate) mod variant;
mod verify;
