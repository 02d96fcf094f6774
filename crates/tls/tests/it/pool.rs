//! Key shares that are ready before a connection wants them.

use std::collections::BTreeSet;
use std::thread;

use oaklath_tls::{BuildError, Builder, KeySharePool};
use rustls::Error;
use rustls::crypto::CryptoProvider;

use crate::support::{BOTH, Broken, Pair, bases, client, provider, server};

fn pooled(base: &CryptoProvider, groups: &[&str], n: usize) -> (CryptoProvider, KeySharePool) {
    Builder::new(base.clone()).groups(groups).build_pooled(n).unwrap()
}

/// A share is taken for each connection, and made where none is ready.
#[test]
fn each_connection_takes_a_share() {
    for base in bases() {
        let (ours, pool) = pooled(&base, &["SecP256r1MLKEM768", "secp256r1"], 4);
        // A server that knows the hybrid, and one that knows only the curve of its half.
        let server =
            ["SecP256r1MLKEM768", "secp256r1"].map(|name| server(provider(&base, &[name]), BOTH));
        let client = client(ours, BOTH);
        let connect = |i: usize| {
            let mut pair = Pair::new(&client, &server[i % 2]);
            pair.converse().unwrap();
            assert_eq!(pair.group(), [4587, 23][i % 2]);
        };
        connect(0);
        pool.refill().unwrap();
        for (i, left) in (0..4).rev().enumerate() {
            assert_eq!(pool.ready(), left + 1);
            connect(i);
            assert_eq!(pool.ready(), left);
        }
        connect(0);
        pool.refill().unwrap();
        drop(pool);
        connect(1);
    }
}

/// Many threads take shares while others make them: each gets its own, and no more are kept than
/// the bound says.
#[test]
fn no_share_is_given_twice() {
    let [base, ..] = bases();
    let (ours, pool) = pooled(&base, &["X25519MLKEM768"], 10);
    let take = || {
        let shares = (0..200).map(|_| ours.kx_groups[0].start().unwrap().pub_key().to_vec());
        shares.collect::<Vec<_>>()
    };
    let refill = || {
        for _ in 0..100 {
            pool.refill().unwrap();
            assert!(pool.ready() <= 10);
        }
    };
    let shares: Vec<_> = thread::scope(|scope| {
        let refilling = [(); 3].map(|()| scope.spawn(refill));
        let taking = [(); 4].map(|()| scope.spawn(take));
        refilling.into_iter().for_each(|thread| thread.join().unwrap());
        taking.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(shares.len(), 800);
    assert_eq!(shares.iter().collect::<BTreeSet<_>>().len(), 800);
    pool.refill().unwrap();
    assert_eq!(pool.ready(), 10);
}

#[test]
fn what_cannot_have_ready_shares() {
    let [base, ..] = bases();
    let build = |base: &CryptoProvider, groups: &[&str]| {
        Builder::new(base.clone()).groups(groups).build_pooled(2)
    };
    let error = build(&base, &["X25519", "X25519MLKEM768"]).unwrap_err();
    assert_eq!(error, BuildError::Classical { name: "X25519".into() });
    assert_eq!(error.to_string(), "expected a post-quantum group, found the classical `X25519`");
    assert_eq!(build(&base, &[]).unwrap_err(), BuildError::NoGroups);

    let broken = CryptoProvider { secure_random: &Broken, ..base };
    let (_, pool) = build(&broken, &["MLKEM768"]).unwrap();
    assert_eq!(pool.refill(), Err(Error::FailedToGetRandomBytes));
    assert_eq!(pool.ready(), 0);
}
