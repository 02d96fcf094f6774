//! The rows of the published tables, each figure in a twentieth of a second: `cargo bench -p
//! benches --bench tables [NAME]`, where a name is one of `sizes`, `bytes`, `memory`, `speed`,
//! `tls-bench`, `stateful`. `cargo xtask tables` takes its time and writes files.

use std::time::Duration;

use benches::is_wanted;
use oaklath_lab::all::ALL;
use oaklath_lab::connections::setup;
use oaklath_lab::machine::Machine;
use oaklath_measure::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const TIME: Duration = Duration::from_millis(50);

fn main() {
    let setup = setup(oaklath_tls::default_base(), TIME);
    println!("{}", Machine::look("the default base").sentence());
    for kind in ALL.iter().filter(|kind| is_wanted(kind.name)) {
        for table in kind.tables(&setup).expect("everything that is published is in this build") {
            println!("\n{}\n\n{}", table.title, table.text());
        }
    }
}
