//! The memory of connections: every published row has one of ours, and keys that are not expanded
//! take less.
#![cfg(unix)]

use std::time::Duration;

use oaklath_lab::connections::setup;
use oaklath_lab::memory;
use oaklath_measure::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn keys_that_are_not_expanded_take_less_memory() {
    let setup = setup(oaklath_tls::default_base(), Duration::ZERO);
    let table = memory::table(&setup).unwrap();
    assert_eq!(table.rows.len(), 72 + 6);
    let mut servers = 0;
    for row in &table.rows {
        let of = |column: &str| row[table.column(column)].value();
        let name = format!("{} {}", row[1].shown(), row[2].shown());
        assert!(of("stack").unwrap() > 1000.0 && of("heap peak").unwrap() > 1000.0, "{name}");
        let Some(expanded) = of("stack, expanded key") else {
            continue;
        };
        servers += 1;
        // The stack of Falcon-1024 may be up to 16 KiB larger without the expanded key, whose tree
        // the configuration keeps.
        let room = if name.ends_with("FALCON_LEVEL5") { 16_384.0 } else { 0.0 };
        assert!(of("stack").unwrap() < expanded + room, "{name}: {expanded} with an expanded key");
        let kept = of("configuration, expanded key").unwrap();
        assert!(of("configuration").unwrap() < kept, "{name}: {kept} with an expanded key");
    }
    // Falcon, Dilithium, Dilithium-AES, ML-DSA.
    assert_eq!(servers, 2 + 3 + 3 + 3);
}
