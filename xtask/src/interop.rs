//! `cargo xtask interop`: live connections between the command line and other implementations of
//! TLS.
//!
//! A peer is a type in a module of its own that implements [`Peer`]: which combinations of group,
//! certificate and role it supports, how it is fetched and built, and the programs of its two
//! roles. [`PEERS`] lists them.

pub(crate) mod bench;
mod bouncycastle;
pub(crate) mod build;
mod chains;
mod chromium;
mod connection;
mod go;
mod openssl;
mod peer;
mod round3;
mod rustls;
mod table;
mod tls_bench;
mod tlslite;
mod wolfssl;

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use anyhow::{Context, Result, ensure};
use peer::{Combination, Peer, Site};
use table::{Row, Tried};

use crate::{
    built,
    shell::{capture, command},
};

/// The peers, and the extent of the run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Peers [default: all]
    #[arg(value_name = "PEER", value_parser = peer_name)]
    peers: Vec<String>,
    /// Try each group and each certificate once instead of all combinations
    #[arg(long)]
    quick: bool,
    /// Write the results to docs/interop.md
    #[arg(long, conflicts_with = "quick")]
    write: bool,
}

static PEERS: &[&dyn Peer] = &[
    &wolfssl::WolfSsl { has_tickets: false },
    &wolfssl::WolfSsl { has_tickets: true },
    &openssl::OpenSsl { name: "openssl4", versions: ("400.0.2", "4.0.3") },
    &openssl::OpenSsl { name: "openssl3", versions: ("300.6.1", "3.6.3") },
    &go::Go,
    &bouncycastle::BouncyCastle,
    &rustls::Rustls { base: "aws-lc-rs" },
    &rustls::Rustls { base: "graviola" },
    &round3::Round3,
    &chromium::Chromium,
    &tlslite::Tlslite,
];

fn peer_name(name: &str) -> Result<String, String> {
    if PEERS.iter().any(|peer| peer.name() == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<_> = PEERS.iter().map(|peer| peer.name()).collect();
    Err(format!("expected one of {}", names.join(" ")))
}

/// Builds both sides and tries every combination; fails if a combination fails, or a peer cannot be
/// built. Peers whose tools are not installed here are named.
pub(crate) fn run(args: &Args) -> Result<()> {
    let site = prepare()?;
    let day = capture(&mut command("date", "-u +%F"))?;
    let chosen = |peer: &&&dyn Peer| {
        args.peers.is_empty() || args.peers.iter().any(|name| name == peer.name())
    };
    let (mut gaps, mut failed, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    for peer in PEERS.iter().filter(chosen) {
        println!("\n== {}", peer.title());
        if let Some(gap) = peer.missing() {
            gaps.push(format!("{}: {gap}", peer.title()));
            continue;
        }
        if let Err(error) = peer.build(&site) {
            failed.push(format!("{}, which cannot be built: {error:#}", peer.title()));
            continue;
        }
        let rows = attempt_all(*peer, &site, args.quick);
        if rows.iter().any(|row| row.error.is_some()) {
            failed.push(peer.title());
        }
        sections.push(table::section(*peer, &rows, day.trim()));
    }
    if args.write {
        write(&sections)?;
    }
    println!("\n== summary");
    gaps.iter().for_each(|gap| println!("NOT RUN: {gap}"));
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    ensure!(!sections.is_empty(), "nothing has run");
    println!("all that ran succeeded");
    Ok(())
}

/// Tries the peers that are built already, each group and each certificate once; returns the gaps.
pub(crate) fn run_quick() -> Result<Vec<String>> {
    let site = prepare()?;
    let (mut gaps, mut failed) = (Vec::new(), Vec::new());
    for peer in PEERS {
        println!("\n-- {}", peer.title());
        if let Some(gap) = peer.missing() {
            gaps.push(format!("{}: {gap}", peer.title()));
        } else if !peer.is_quickly_built() && !peer.program(&site).exists() {
            let name = peer.name();
            gaps.push(format!("{}: `cargo xtask interop {name}` builds it", peer.title()));
        } else {
            peer.build(&site)?;
            let rows = attempt_all(*peer, &site, true);
            failed.extend(rows.iter().filter(|row| row.error.is_some()).map(Row::line));
        }
    }
    ensure!(failed.is_empty(), "{} failed, first {}", failed.len(), failed[0]);
    Ok(gaps)
}

/// Returns our program as it is built for tests, and makes the chains that are not in `certs/`.
fn prepare() -> Result<Site> {
    site(built::program("oaklath")?.into())
}

/// Returns the paths of everything, with our program.
fn site(oaklath: PathBuf) -> Result<Site> {
    let (root, target) = (std::env::current_dir()?, build::target()?);
    let site = Site { folder: target.join("interop"), certs: root.join("certs"), oaklath, target };
    chains::make(&site)?;
    Ok(site)
}

/// Tries every combination and chain of a peer, several at a time; returns the results in order.
fn attempt_all(peer: &dyn Peer, site: &Site, quick: bool) -> Vec<Row> {
    let mut combinations = peer.combinations();
    if quick {
        combinations = each_once(combinations);
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(combination) = combinations.get(i) else { return done };
            let error = connection::attempt(peer, site, combination).err();
            let error = error.map(|error| format!("{error:#}"));
            let row = Row { tried: Tried::Connection(*combination), error };
            println!("{}", row.line());
            done.push((i, row));
        }
    };
    let mut rows = thread::scope(|scope| {
        let workers: Vec<_> = (0..build::workers()).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| worker.join().expect("a worker panicked"));
        done.flatten().collect::<Vec<_>>()
    });
    rows.sort_by_key(|(i, _)| *i);
    let mut rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    for &chain in peer.verifies() {
        let error = peer.verify(site, chain).err().map(|error| format!("{error:#}"));
        let row = Row { tried: Tried::Chain(chain), error };
        println!("{}", row.line());
        rows.push(row);
    }
    rows
}

/// Returns each group, and each certificate, in both roles.
fn each_once(all: Vec<Combination>) -> Vec<Combination> {
    let mut kept: Vec<Combination> = Vec::new();
    for combination in all {
        let same_role = |other: &&Combination| other.role == combination.role;
        let new_group = !kept.iter().filter(same_role).any(|c| c.group == combination.group);
        let new_chain =
            !kept.iter().filter(same_role).any(|c| c.chain.name == combination.chain.name);
        if new_group || new_chain {
            kept.push(combination);
        }
    }
    kept
}

fn write(sections: &[String]) -> Result<()> {
    // There may be no page yet.
    let old = fs::read_to_string(table::PAGE).unwrap_or_default();
    let titles: Vec<_> = PEERS.iter().map(|peer| peer.title()).collect();
    fs::create_dir_all("docs")?;
    fs::write(table::PAGE, table::page(&old, &titles, sections))
        .with_context(|| format!("cannot write {}", table::PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_have_names_of_their_own_and_something_to_try() {
        for (i, peer) in PEERS.iter().enumerate() {
            assert!(PEERS[..i].iter().all(|other| other.name() != peer.name()));
            let all = peer.combinations();
            let quick = each_once(all.clone());
            assert!(!quick.is_empty() && quick.len() <= all.len(), "{}", peer.name());
            for combination in &all {
                let both = |c: &&Combination| c.role == combination.role;
                assert!(quick.iter().filter(both).any(|c| c.group == combination.group));
                assert!(quick.iter().filter(both).any(|c| c.chain.name == combination.chain.name));
            }
        }
    }
}
