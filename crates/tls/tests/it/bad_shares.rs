//! Hostile key shares: the victim's error, and the alert that it sends.

use std::ops::Range;

use oaklath_params::curve;
use oaklath_params::group::GroupInfo;
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, CryptoProvider, SharedSecret, SupportedKxGroup,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{AlertDescription, Error, NamedGroup, PeerMisbehaved};

use crate::support::{
    AES_256, BOTH, CODEPOINTS, Failure, Pair, bases, client, info, last_alert, only, ours, server,
};

/// The handshake type by RFC 8446, section 4: the first byte after the record header.
const SERVER_HELLO: u8 = 2;

const INVALID: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

/// A group that changes its shares before they are sent, as a hostile peer would.
#[derive(Debug)]
struct Hostile {
    inner: &'static dyn SupportedKxGroup,
    change: fn(&GroupInfo, &mut Vec<u8>),
}

struct HostileActive {
    inner: Box<dyn ActiveKeyExchange>,
    share: Vec<u8>,
}

impl Hostile {
    fn changed(&self, share: &[u8]) -> Vec<u8> {
        let mut share = share.to_vec();
        (self.change)(info(self.inner.name().into()), &mut share);
        share
    }
}

impl SupportedKxGroup for Hostile {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let inner = self.inner.start()?;
        let share = self.changed(inner.pub_key());
        Ok(Box::new(HostileActive { inner, share }))
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let done = self.inner.start_and_complete(share)?;
        Ok(CompletedKeyExchange { pub_key: self.changed(&done.pub_key), ..done })
    }

    fn name(&self) -> NamedGroup {
        self.inner.name()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }
}

impl ActiveKeyExchange for HostileActive {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        self.inner.complete(share)
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn group(&self) -> NamedGroup {
        self.inner.group()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }
}

/// Who sends the bad share.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sender {
    Client,
    Server,
}

/// Returns two connections, in which `sender` changes its share.
fn hostile_pair(
    base: &CryptoProvider,
    codepoint: u16,
    sender: Sender,
    change: fn(&GroupInfo, &mut Vec<u8>),
) -> Pair {
    let honest = ours(base, codepoint);
    let hostile = Box::leak(Box::new(Hostile { inner: honest, change }));
    let (of_client, of_server): (&'static dyn SupportedKxGroup, &'static dyn SupportedKxGroup) =
        match sender {
            Sender::Client => (hostile, honest),
            Sender::Server => (honest, hostile),
        };
    Pair::new(&client(only(base, of_client), BOTH), &server(only(base, of_server), BOTH))
}

/// Checks that the victim calls the share invalid and sends `illegal_parameter` in the clear.
fn is_refused(
    base: &CryptoProvider,
    codepoint: u16,
    sender: Sender,
    change: fn(&GroupInfo, &mut Vec<u8>),
) {
    let mut pair = hostile_pair(base, codepoint, sender, change);
    let failure = pair.run().unwrap_err();
    let (expected, sent) = match sender {
        Sender::Client => (Failure::Server(INVALID), pair.server_sent),
        Sender::Server => (Failure::Client(INVALID), pair.client_sent),
    };
    assert_eq!(failure, expected, "{codepoint} {sender:?}");
    assert_eq!(last_alert(&sent), Some(AlertDescription::IllegalParameter.into()));
}

/// Checks that the client accepts the share, derives different keys from the server's, cannot read
/// its first encrypted record, and sends `bad_record_mac` under its own keys.
fn dies_at_decryption(
    base: &CryptoProvider,
    codepoint: u16,
    sender: Sender,
    change: fn(&GroupInfo, &mut Vec<u8>),
) {
    let mut base = base.clone();
    base.cipher_suites.retain(|suite| suite.suite() == AES_256);
    let mut pair = hostile_pair(&base, codepoint, sender, change);
    let failure = pair.run().unwrap_err();
    assert_eq!(failure, Failure::Client(Error::DecryptError), "{codepoint} {sender:?}");
    assert_eq!(last_alert(&pair.client_sent), None);
    let alert = pair.last_encrypted_alert_of_client(&base);
    assert_eq!(alert, AlertDescription::BadRecordMac.into());
}

const BOTH_SENDERS: [Sender; 2] = [Sender::Client, Sender::Server];

/// Returns the range of the classical half.
fn point(info: &GroupInfo, share: &[u8]) -> Range<usize> {
    let len = info.curve.unwrap().public_key;
    if info.kem_first { share.len() - len..share.len() } else { 0..len }
}

/// Returns the offset of the KEM's half.
fn kem_start(info: &GroupInfo) -> usize {
    if info.kem_first { 0 } else { info.curve.unwrap().public_key }
}

/// Returns the hybrids with X25519, or those with other curves.
fn hybrids(x25519: bool) -> impl Iterator<Item = u16> {
    let of_kind = move |codepoint: &u16| {
        info(*codepoint).curve.is_some_and(|curve| (*curve == curve::X25519) == x25519)
    };
    CODEPOINTS.into_iter().filter(of_kind)
}

#[test]
fn wrong_lengths() {
    let changes: [fn(&GroupInfo, &mut Vec<u8>); 4] = [
        |_, share| share.truncate(share.len() - 1),
        |_, share| share.push(0),
        |_, share| share.truncate(1),
        |_, share| share.resize(60_000, 4), // about as much as a message holds
    ];
    for base in bases() {
        for codepoint in CODEPOINTS {
            for sender in BOTH_SENDERS {
                for change in changes {
                    is_refused(&base, codepoint, sender, change);
                }
            }
        }
    }
}

/// Makes a share of X25519MLKEM768 claim a wrong length. It is changed in flight, since an honest
/// stack does not write it. The groups never see it, since rustls rejects the syntax (RFC 8446,
/// section 4.2.8: `opaque key_exchange<1..2^16-1>`).
fn claim(flight: &mut [u8], length: u16) {
    let info = info(4588);
    for share in [info.client_share(), info.server_share()] {
        let share = u16::try_from(share).unwrap();
        let head = [info.codepoint.to_be_bytes(), share.to_be_bytes()].concat();
        if let Some(at) = flight.windows(4).position(|window| window == head) {
            flight[at + 2..at + 4].copy_from_slice(&length.to_be_bytes());
        }
    }
}

#[test]
fn lengths_that_lie() {
    let to_both: [fn(&mut [u8]); 4] = [
        |flight| claim(flight, 0),
        |flight| claim(flight, 65_535),
        |flight| claim(flight, 1),
        |flight| claim(flight, 2_000),
    ];
    let to_client: [fn(&mut [u8]); 2] = [
        |flight| {
            if flight.get(5) == Some(&SERVER_HELLO) {
                claim(flight, 0);
            }
        },
        |flight| {
            if flight.get(5) == Some(&SERVER_HELLO) {
                claim(flight, 65_535);
            }
        },
    ];
    for base in bases() {
        let provider = only(&base, ours(&base, 4588));
        let (client, server) = (client(provider.clone(), BOTH), server(provider, BOTH));
        for (tamper, hits_server) in
            to_both.map(|t| (t, true)).into_iter().chain(to_client.map(|t| (t, false)))
        {
            let mut pair = Pair::new(&client, &server);
            pair.tamper = tamper;
            let (error, sent) = match pair.run().unwrap_err() {
                Failure::Server(error) if hits_server => (error, pair.server_sent),
                Failure::Client(error) if !hits_server => (error, pair.client_sent),
                failure => panic!("{failure:?}"),
            };
            assert!(matches!(error, Error::InvalidMessage(_)), "{error:?}");
            assert_eq!(last_alert(&sent), Some(AlertDescription::DecodeError.into()));
        }
    }
}

/// Passes lengths that TLS cannot transport directly to the groups.
#[test]
fn lengths_beyond_the_wire() {
    for base in bases() {
        for codepoint in CODEPOINTS {
            let group = ours(&base, codepoint);
            for len in [0, 65_535, 65_536] {
                let share = vec![4; len];
                assert_eq!(group.start_and_complete(&share).err(), Some(INVALID));
                assert_eq!(group.start().unwrap().complete(&share).err(), Some(INVALID));
                let active = group.start().unwrap();
                if active.hybrid_component().is_some() {
                    assert_eq!(active.complete_hybrid_component(&share).err(), Some(INVALID));
                }
            }
        }
    }
}

/// FIPS 203, section 7.2: a coefficient of 3329 or more is invalid. This is checked for Kyber too,
/// since no honest key has one.
#[test]
fn encapsulation_keys_that_are_not_canonical() {
    for base in bases() {
        for codepoint in CODEPOINTS {
            is_refused(&base, codepoint, Sender::Client, |info, share| {
                let start = kem_start(info);
                share[start..start + 3].fill(0xff);
            });
        }
    }
}

#[test]
fn points_off_the_curve_or_in_another_form() {
    let changes: [fn(&GroupInfo, &mut Vec<u8>); 6] = [
        |info, share| {
            let end = point(info, share).end;
            share[end - 1] ^= 1;
        },
        |info, share| {
            let start = point(info, share).start;
            share[start] = 2; // compressed
        },
        |info, share| {
            let start = point(info, share).start;
            share[start] = 6; // hybrid form of SEC 1
        },
        |info, share| {
            let start = point(info, share).start;
            share[start] = 0; // infinity
        },
        |info, share| {
            let point = point(info, share);
            share[point.start + 1..point.end].fill(0);
        },
        |info, share| {
            let point = point(info, share);
            share[point.start + 1..point.end].fill(0xff);
        },
    ];
    for base in bases() {
        for codepoint in hybrids(false) {
            for sender in BOTH_SENDERS {
                for change in changes {
                    is_refused(&base, codepoint, sender, change);
                }
            }
        }
    }
}

/// RFC 8446, section 7.4.2: the shared secret would be all zero.
#[test]
fn points_of_small_order() {
    let changes: [fn(&GroupInfo, &mut Vec<u8>); 2] = [
        |info, share| {
            let point = point(info, share);
            share[point].fill(0);
        },
        |info, share| {
            let point = point(info, share);
            share[point.clone()].fill(0);
            share[point.start] = 1;
        },
    ];
    for base in bases() {
        for codepoint in hybrids(true) {
            for sender in BOTH_SENDERS {
                for change in changes {
                    is_refused(&base, codepoint, sender, change);
                }
            }
        }
    }
}

/// A peer has the halves in the wrong order. Random bytes are rarely a point or an encapsulation
/// key; for X25519 and ciphertexts any bytes are valid, so the keys differ.
#[test]
fn halves_swapped() {
    #[expect(clippy::ptr_arg, reason = "one signature for all changes")]
    fn swap(info: &GroupInfo, share: &mut Vec<u8>) {
        let point = point(info, share);
        let middle = if info.kem_first { point.start } else { point.end };
        share.rotate_left(middle);
    }
    for base in bases() {
        for codepoint in hybrids(false) {
            for sender in BOTH_SENDERS {
                is_refused(&base, codepoint, sender, swap);
            }
        }
        for codepoint in hybrids(true) {
            is_refused(&base, codepoint, Sender::Client, swap);
            dies_at_decryption(&base, codepoint, Sender::Server, swap);
        }
    }
}

/// Implicit rejection (FIPS 203, section 6.3) is no oracle: the handshake fails later.
#[test]
fn changed_ciphertexts() {
    let changes: [fn(&GroupInfo, &mut Vec<u8>); 2] = [
        |info, share| share[kem_start(info)] ^= 1,
        |info, share| {
            let start = kem_start(info);
            share[start..start + info.kem.ciphertext].fill(0);
        },
    ];
    for base in bases() {
        for codepoint in CODEPOINTS {
            for change in changes {
                dies_at_decryption(&base, codepoint, Sender::Server, change);
            }
        }
    }
}
