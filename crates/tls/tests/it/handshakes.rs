//! Handshakes that succeed, or fail for lack of a common group.

use oaklath_tls::Builder;
use rustls::crypto::SupportedKxGroup;
use rustls::{AlertDescription, HandshakeKind, ProtocolVersion};

use crate::support::{BOTH, CODEPOINTS, Pair, TLS12, bases, client, last_alert, only, ours};
use crate::support::{provider, server};

const P256: u16 = 23;
const X25519: u16 = 29;

#[test]
fn every_group_over_every_pair_of_bases() {
    for codepoint in CODEPOINTS {
        for client_base in bases() {
            for server_base in bases() {
                let name = codepoint.to_string();
                let client = client(provider(&client_base, &[&name]), BOTH);
                let server = server(provider(&server_base, &[&name]), BOTH);
                let mut pair = Pair::new(&client, &server);
                pair.converse().unwrap();
                assert_eq!(pair.group(), codepoint);
                assert_eq!(pair.client.protocol_version(), Some(ProtocolVersion::TLSv1_3));
                assert_eq!(pair.client.handshake_kind(), Some(HandshakeKind::Full));
                assert_eq!(pair.server.peer_certificates().map(<[_]>::len), Some(1));
            }
        }
    }
}

/// By default our groups come first, and an old peer still gets a classical group.
#[test]
fn the_default_list() {
    for base in bases() {
        let ours = Builder::new(base.clone()).build().unwrap();
        let codepoints: Vec<u16> = ours.kx_groups.iter().map(|group| group.name().into()).collect();
        assert_eq!(codepoints[..3], [4588, 4587, 4589]);
        assert!(codepoints[3..].iter().all(|codepoint| *codepoint < 512));
        assert!(codepoints.contains(&P256) && codepoints.contains(&X25519));

        let mut pair = Pair::new(&client(ours.clone(), BOTH), &server(ours.clone(), BOTH));
        pair.converse().unwrap();
        assert_eq!(pair.group(), 4588);

        let old = provider(&base, &["secp256r1"]);
        let mut pair = Pair::new(&client(ours, BOTH), &server(old, BOTH));
        pair.converse().unwrap();
        assert_eq!(pair.group(), P256);
    }
    let cached = oaklath_tls::provider();
    assert!(std::sync::Arc::ptr_eq(&cached, &oaklath_tls::provider()));
}

#[test]
fn a_server_asks_for_another_group() {
    for base in bases() {
        for (wants, has) in [("X25519MLKEM768", 4587), ("MLKEM1024", 12093), ("12090", 513)] {
            let client = client(provider(&base, &[wants, &has.to_string()]), BOTH);
            let server = server(provider(&base, &[&has.to_string()]), BOTH);
            let mut pair = Pair::new(&client, &server);
            pair.converse().unwrap();
            assert_eq!(pair.group(), has);
            let kind = pair.client.handshake_kind();
            assert_eq!(kind, Some(HandshakeKind::FullWithHelloRetryRequest));

            // The client remembers the group, so the next connection needs no retry.
            let mut pair = Pair::new(&client, &server);
            pair.converse().unwrap();
            assert_ne!(
                pair.client.handshake_kind(),
                Some(HandshakeKind::FullWithHelloRetryRequest)
            );
            assert_eq!(pair.group(), has);
        }
    }
}

#[test]
fn resumption_exchanges_keys_anew() {
    for base in bases() {
        for name in ["X25519MLKEM768", "MLKEM768", "P521_KYBER_LEVEL5"] {
            let client = client(provider(&base, &[name]), BOTH);
            let server = server(provider(&base, &[name]), BOTH);
            let mut shares = Vec::new();
            for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
                let mut pair = Pair::new(&client, &server);
                pair.converse().unwrap();
                assert_eq!(pair.client.handshake_kind(), Some(kind));
                assert_eq!(pair.group(), oaklath_params::group::by_name(name).unwrap().codepoint);
                shares.push(pair.client_sent[..1000].to_vec());
            }
            assert_ne!(shares[0], shares[1]);
        }
    }
}

/// The classical share that is sent with the hybrid one is the hybrid's own: no retry and no second
/// key is needed.
#[test]
fn the_classical_half_serves_a_classical_server() {
    for base in bases() {
        for (hybrid, curve, codepoint) in [
            ("X25519MLKEM768", "x25519", X25519),
            ("SecP256r1MLKEM768", "P-256", P256),
            ("P384_KYBER_LEVEL3", "secp384r1", 24),
        ] {
            let both = client(provider(&base, &[hybrid, curve]), BOTH);
            let classical = server(provider(&base, &[curve]), BOTH);
            let mut pair = Pair::new(&both, &classical);
            pair.converse().unwrap();
            assert_eq!(pair.group(), codepoint);
            assert_eq!(pair.client.handshake_kind(), Some(HandshakeKind::Full));

            let mut pair = Pair::new(&both, &server(provider(&base, &[hybrid, curve]), BOTH));
            pair.converse().unwrap();
            assert_ne!(pair.group(), codepoint);
        }
        // Without the curve alone in the client's list there is no second share.
        let without = client(provider(&base, &["X25519MLKEM768", "secp256r1"]), BOTH);
        let mut pair =
            Pair::new(&without, &server(provider(&base, &["x25519", "secp256r1"]), BOTH));
        pair.converse().unwrap();
        assert_eq!(pair.group(), P256);
        assert_eq!(pair.client.handshake_kind(), Some(HandshakeKind::FullWithHelloRetryRequest));
    }
}

#[test]
fn a_tls12_peer_gets_a_classical_group_or_an_alert() {
    for base in bases() {
        let with_curve = provider(&base, &["X25519MLKEM768", "secp256r1"]);
        let without = provider(&base, &["X25519MLKEM768", "MLKEM768"]);

        let mut pair =
            Pair::new(&client(with_curve.clone(), BOTH), &server(with_curve.clone(), TLS12));
        pair.converse().unwrap();
        assert_eq!(pair.client.protocol_version(), Some(ProtocolVersion::TLSv1_2));
        assert_eq!(pair.group(), P256);

        let mut pair =
            Pair::new(&client(with_curve.clone(), TLS12), &server(with_curve.clone(), BOTH));
        pair.converse().unwrap();
        assert_eq!(pair.group(), P256);

        // A post-quantum group is never used in TLS 1.2: the server ends the handshake.
        for (client, server) in [
            (client(without.clone(), BOTH), server(with_curve.clone(), TLS12)),
            (client(with_curve.clone(), TLS12), server(without.clone(), BOTH)),
        ] {
            let mut pair = Pair::new(&client, &server);
            pair.run().unwrap_err();
            let alert = last_alert(&pair.server_sent);
            assert_eq!(alert, Some(AlertDescription::HandshakeFailure.into()));
        }
    }
}

#[test]
fn no_common_group_is_a_handshake_failure() {
    for base in bases() {
        let client = client(provider(&base, &["X25519MLKEM768"]), BOTH);
        let server = server(provider(&base, &["secp256r1", "MLKEM768"]), BOTH);
        let mut pair = Pair::new(&client, &server);
        pair.run().unwrap_err();
        let alert = last_alert(&pair.server_sent);
        assert_eq!(alert, Some(AlertDescription::HandshakeFailure.into()));
    }
}

/// Our groups against those of aws-lc-rs and graviola, in both roles.
#[test]
fn other_implementations_of_the_same_groups() {
    let mut seen = Vec::new();
    let mut others: Vec<&'static dyn SupportedKxGroup> = Vec::new();
    others.extend(rustls::crypto::aws_lc_rs::ALL_KX_GROUPS);
    others.extend(rustls_graviola::kx::ALL_KX_GROUPS);
    for other in others {
        let codepoint = other.name().into();
        if !CODEPOINTS.contains(&codepoint) {
            continue;
        }
        seen.push(codepoint);
        for base in bases() {
            let (ours, other) = (only(&base, ours(&base, codepoint)), only(&base, other));
            for (one, two) in [(&ours, &other), (&other, &ours)] {
                let mut pair = Pair::new(&client(one.clone(), BOTH), &server(two.clone(), BOTH));
                pair.converse().unwrap();
                assert_eq!(pair.group(), codepoint);
            }
        }
    }
    for codepoint in [513, 4587, 4588] {
        assert!(seen.contains(&codepoint), "{codepoint} is not among {seen:?}");
    }
}
