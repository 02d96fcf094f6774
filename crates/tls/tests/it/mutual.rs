//! Mutual authentication with post-quantum chains.

use oaklath_params::sig::SigIdentity;
use oaklath_tls::Builder;
use rustls::ProtocolVersion;
use rustls::crypto::CryptoProvider;

use crate::chains::{
    Ca, Issued, client, hash_trees, identities, is_legacy, named, new_key, scheme, server, validity,
};
use crate::support::{Pair, bases, provider};

/// Connects two sides that present this chain and trust its root, with a message each way.
fn authenticate(client_side: &CryptoProvider, server_side: &CryptoProvider, issued: &Issued) {
    let roots = issued.root.roots();
    let client = client(client_side, &roots, issued.certified(client_side));
    let server = server(server_side, &roots, issued.certified(server_side));
    let mut pair = Pair::new(&client, &server);
    pair.converse().unwrap();
    assert_eq!(pair.client.protocol_version(), Some(ProtocolVersion::TLSv1_3));
    for side in [&pair.client, &pair.server] {
        assert_eq!(side.peer_certificates(), Some(&issued.chain[..]));
    }
}

#[test]
fn every_algorithm_with_every_kind_of_group() {
    for identity in identities() {
        for intermediate in [false, true] {
            let issued = Issued::new(identity, intermediate);
            for group in ["P521_KYBER_LEVEL5", "X25519MLKEM768", "secp256r1"] {
                for base in bases() {
                    let provider = provider(&base, &[group]);
                    authenticate(&provider, &provider, &issued);
                }
            }
        }
    }
}

/// Both sides sign with the bytes of their keys, which makes no difference to the peer.
#[test]
fn keys_that_are_not_expanded() {
    for base in bases() {
        let builder = Builder::new(base.clone()).groups(["X25519MLKEM768"]).allow_legacy();
        let usual = builder.clone().build().unwrap();
        let small = builder.low_memory().build().unwrap();
        for identity in identities() {
            let issued = Issued::new(identity, false);
            for (client, server) in [(&small, &small), (&small, &usual), (&usual, &small)] {
                authenticate(client, server, &issued);
            }
        }
    }
}

/// rustls buffers at most 64 KiB of a flight, which has the signatures of a certificate and of the
/// handshake. If two do not fit, the entity under the root has ML-DSA.
#[test]
fn hash_trees_sign_too() {
    const LONGEST: usize = 32_000;
    let [base, ..] = bases();
    let provider = provider(&base, &["X25519MLKEM768"]);
    for identity in hash_trees() {
        let fits = identity.algorithm.signature <= LONGEST;
        let entity = if fits { identity } else { named("ML-DSA-44") };
        authenticate(&provider, &provider, &Issued::under(identity, entity));
    }
}

/// Each certificate is issued by an authority of another algorithm.
#[test]
fn mixed_chains() {
    let all: Vec<&'static SigIdentity> = identities().collect();
    let [base, ..] = bases();
    let provider = provider(&base, &["X25519MLKEM768"]);
    for i in 0..all.len() {
        let [root, between, entity] = [0, 1, 2].map(|j| all[(i + j) % all.len()]);
        let (root, key) = (Ca::root(root), new_key(entity));
        let between = root.below(between);
        let chain = vec![between.entity(&key.public_key(), validity()), between.der()];
        authenticate(&provider, &provider, &Issued { root, chain, key });
    }
}

/// aws-lc-rs and rustls support ML-DSA themselves.
#[test]
fn another_implementation() {
    let [theirs, ..] = bases();
    let mut tried = 0;
    for identity in identities().filter(|identity| !is_legacy(identity)) {
        let algorithms = theirs.signature_verification_algorithms;
        if !algorithms.supported_schemes().contains(&scheme(identity)) {
            continue;
        }
        for intermediate in [false, true] {
            let issued = Issued::new(identity, intermediate);
            for base in bases() {
                let ours = provider(&base, &["x25519"]);
                authenticate(&ours, &theirs, &issued);
                authenticate(&theirs, &ours, &issued);
            }
        }
        tried += 1;
    }
    assert_eq!(tried, 3);
}

/// The client's key has a different algorithm from the server's.
#[test]
fn each_side_its_own_algorithm() {
    let of_server = Issued::new(named("ML-DSA-65"), true);
    for identity in identities() {
        let of_client = Issued::new(identity, false);
        for base in bases() {
            let provider = provider(&base, &["X25519MLKEM768"]);
            let client = client(&provider, &of_server.root.roots(), of_client.certified(&provider));
            let server = server(&provider, &of_client.root.roots(), of_server.certified(&provider));
            let mut pair = Pair::new(&client, &server);
            pair.converse().unwrap();
            assert_eq!(pair.server.peer_certificates(), Some(&of_client.chain[..]));
        }
    }
}
