//! The program `oaklath-lab`.

use std::process::ExitCode;

use oaklath_measure::CountingAllocator;

/// The system's allocator, which counts for the tables of memory.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    oaklath_lab::commands::main()
}
