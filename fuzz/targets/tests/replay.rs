//! The corpora, replayed on a stable compiler.

use std::fs::{read, read_dir};

/// Runs every file of every corpus, seeds and what was found since.
#[test]
fn every_input_of_every_corpus() {
    for target in targets::ALL {
        let folder = targets::corpus().join(target.name);
        let files: Vec<_> = read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!files.is_empty(), "{} has no corpus", target.name);
        for file in files {
            println!("{}", file.display());
            (target.run)(&read(file).unwrap());
        }
    }
}

/// `cargo run --bin seeds` changes nothing.
#[test]
fn the_repository_has_the_seeds() {
    for target in targets::ALL {
        for (name, bytes) in (target.seeds)() {
            let found = read(targets::corpus().join(target.name).join(&name)).unwrap_or_default();
            assert!(found == bytes, "{}/{name}: run the program `seeds`", target.name);
        }
    }
}

/// Each target has its program and the other way round.
#[test]
fn every_target_has_a_program() {
    let programs = targets::corpus().with_file_name("fuzz_targets");
    let mut found: Vec<_> = read_dir(programs)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let mut names: Vec<_> = targets::ALL.iter().map(|target| target.name.to_owned()).collect();
    found.sort();
    names.sort();
    assert_eq!(found, names);
}
