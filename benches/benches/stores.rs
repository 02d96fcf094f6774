//! What a store costs an index, by the longest lease, with and without anchor.
//!
//! The state is in the target folder: the figures are those of its file system, which is printed.
//! A second time it is in memory, where the system has a file system there (`/dev/shm`): that is
//! our part, and the rest is the disk's.
#![expect(clippy::unwrap_used, reason = "a bench may panic")]

use std::fs;
use std::hint::black_box;
use std::num::NonZeroU64;
use std::path::Path;
use std::process;

use benches::quick;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use oaklath_stores::{FileAnchor, FileStore, KeyId, Store};

fn leases(criterion: &mut Criterion) {
    leases_in(criterion, "disk", Path::new(env!("CARGO_TARGET_TMPDIR")));
    let memory = Path::new("/dev/shm");
    if memory.exists() {
        leases_in(criterion, "memory", memory);
    }
}

fn leases_in(criterion: &mut Criterion, whose: &str, folder: &Path) {
    let folder = folder.join(format!("oaklath-stores-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    println!("{whose}: {}", file_system(&folder));
    let key = KeyId::of(b"bench");
    for is_anchored in [false, true] {
        let anchored = if is_anchored { " with anchor" } else { "" };
        let mut group = criterion.benchmark_group(format!("lease, {whose}{anchored}"));
        for batch in [1, 16, 256].map(|batch| NonZeroU64::new(batch).unwrap()) {
            for file in ["state", "anchor"] {
                let _ = fs::remove_file(folder.join(file));
            }
            let options = FileStore::at(folder.join("state")).largest(batch);
            let options = match is_anchored {
                true => options.anchor(FileAnchor::new(folder.join("anchor"))),
                false => options,
            };
            let mut store = options.create(key, 0..1 << 62).unwrap();
            group.throughput(Throughput::Elements(batch.get()));
            group.bench_function(batch.to_string(), |bencher| {
                bencher.iter(|| {
                    for index in store.reserve(batch).unwrap() {
                        black_box(index.value());
                    }
                });
            });
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// The type of the file system of a path, where the kernel tells.
fn file_system(path: &Path) -> String {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let fields = mounts.lines().map(|line| line.split(' ').skip(1).take(2).collect::<Vec<_>>());
    let of_path = fields.filter(|mount| mount.len() == 2 && path.starts_with(mount[0]));
    let nearest = of_path.max_by_key(|mount| mount[0].len());
    nearest.map_or_else(|| "unknown".to_owned(), |mount| mount[1].to_owned())
}

criterion_group! { name = stores; config = quick(20); targets = leases }
criterion_main!(stores);
