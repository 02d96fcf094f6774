//! Prints the levels that this CPU has, lowest first.
use oaklath_simd::Level;

fn main() {
    Level::available().for_each(|level| println!("{level}"));
}
