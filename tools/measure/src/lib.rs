//! Tools with which the project measures itself. Not published; used by benches, `tools/interop/`
//! and tests.
//!
//! | module | measures |
//! |---|---|
//! | [`clock`] | time-stamp ticks, converted to core cycles ("cc") by a calibration chain |
//! | [`sample`] | several contenders in turn, batch by batch: median and tenth percentile |
//! | [`pin`] | pins the thread to one core |
//! | [`stack`] | the deepest byte of stack that an operation writes |
//! | [`memory`] | allocations: number, bytes, peak |
//! | [`freed`] | contents of memory when it is freed |
//! | `follow` | which instructions run and which memory they name (feature `trace`, x86-64 Linux) |
//! | [`counts`] | how many permutations, transforms and products an operation takes at least |
//! | [`average`] | messages whose signatures take average time |
//! | [`Level`] | one SIMD level forced for the length of a closure, from `oaklath-simd` |
//!
//! Beside `oaklath-simd` this is the workspace's only crate with `unsafe`: reading the time-stamp
//! counter, stepping through operations, running a closure on a stack of its own, wrapping the
//! system's allocator. Each module begins with the argument why that is sound.
//!
//! ```
//! use std::hint::black_box;
//!
//! use oaklath_measure::{Contender, Sampler};
//!
//! let bytes = [7u8; 4096];
//! let summaries = Sampler::new(5).interleave(&mut [
//!     Contender::new("sum", |calls| {
//!         for _ in calls {
//!             black_box(black_box(&bytes).iter().map(|&b| u64::from(b)).sum::<u64>());
//!         }
//!     }),
//!     Contender::new("nothing", |calls| {
//!         for _ in calls {
//!             black_box(&bytes);
//!         }
//!     }),
//! ]);
//! assert!(summaries[0].median > summaries[1].median);
//! println!("{}: {:.0} {} a call", summaries[0].name, summaries[0].median, summaries[0].unit);
//! ```

pub mod average;
pub mod clock;
pub mod counts;
pub mod freed;
pub mod memory;
pub mod pin;
pub mod sample;
#[cfg(unix)]
pub mod stack;
#[cfg(all(feature = "trace", target_arch = "x86_64", target_os = "linux"))]
mod trace;

pub use clock::Unit;
pub use freed::found_in_freed;
pub use memory::{Allocations, CountingAllocator, count_allocations};
pub use oaklath_simd::Level;
pub use pin::pin_to_core;
pub use sample::{Contender, Sampler, Summary};
#[cfg(unix)]
pub use stack::{Painted, on_painted_stack, stack_left_by};
#[cfg(all(feature = "trace", target_arch = "x86_64", target_os = "linux"))]
pub use trace::{Tape, Trace, follow};
