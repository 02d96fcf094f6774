//! hash-sigs and xmss-reference make from the same seed the same keys and the same signatures as
//! ours, byte for byte, at the beginning, in the middle and at the end of a key, and each verifies
//! the other's signatures. xmss-reference cannot begin later: there it verifies ours.
//!
//! The number of signatures at each place is a tenth of `OAKLATH_CASES` (10); with 1000 cases all
//! sets whose trees grow in reasonable time are tested.
#![expect(clippy::unwrap_used, reason = "tests")]

use interop_common::{
    differential::cases,
    stateful::{Implementation, Key, hss_types, ours},
};
use interop_current::stateful::peers;
use oaklath_params::stateful::{lms, xmss};

/// Returns the number of signatures at each place.
fn count() -> u64 {
    cases().unwrap_or(100) / 10
}

fn is_long() -> bool {
    count() >= 1000
}

/// Returns the implementations of this library.
fn peers_called(library: &str, set: &str) -> Vec<Box<dyn Implementation>> {
    peers(set).into_iter().filter(|peer| peer.library().starts_with(library)).collect()
}

/// Lets both sign the same messages from this index on, and verify them.
fn sign_equally(place: &str, keys: [&mut dyn Key; 2], pair: [&dyn Implementation; 2], count: u64) {
    let [mine, theirs] = keys;
    let public = mine.public();
    for number in 0..count {
        let message = number.to_be_bytes().repeat(number as usize % 20);
        let signature = mine.sign(&message).unwrap();
        assert!(theirs.sign(&message).unwrap() == signature, "{place}, then {number}");
        verify_both(place, pair, &public, &message, signature);
    }
}

fn verify_both(
    place: &str,
    pair: [&dyn Implementation; 2],
    public: &[u8],
    message: &[u8],
    mut signature: Vec<u8>,
) {
    for implementation in pair {
        let verified = implementation.verify(public, message, &signature);
        assert!(verified.is_ok(), "{place}: {}", implementation.library());
    }
    let at = signature.len() / 2;
    signature[at] ^= 1;
    for implementation in pair {
        let verified = implementation.verify(public, message, &signature);
        assert!(verified.is_err(), "{place}, changed: {}", implementation.library());
    }
}

#[test]
fn hash_sigs_makes_the_same_keys_and_signatures() {
    let heights = if is_long() { &[5, 10, 15][..] } else { &[5] };
    let one = heights.iter().flat_map(|height| {
        [1, 2, 4, 8].map(|w| format!("LMS_SHA256_M32_H{height}/LMOTS_SHA256_N32_W{w}"))
    });
    let several = lms::ALL.iter().filter(|set| heights.contains(&set.lms.h) && set.levels > 1);
    let mixed = "LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8,LMS_SHA256_M32_H10/LMOTS_SHA256_N32_W2";
    let several = several.map(|set| set.name.to_owned()).chain([mixed.to_owned()]);
    for set in one.chain(several) {
        let peers = peers_called("hash-sigs", &set);
        assert_eq!(peers.len(), 2, "{set} on one thread and on four");
        for peer in peers {
            let mine = ours(&set);
            let (mut key, mut their_key) =
                (mine.generate(&[7; 32]).unwrap(), peer.generate(&[7; 32]).unwrap());
            assert_eq!(key.public(), their_key.public(), "{set}");
            let height: usize = hss_types(&set).unwrap().iter().map(|(tree, _)| tree.h).sum();
            // hash-sigs erases the key with the last index.
            let (all, count) = (1 << height, count().min(1 << (height - 1)));
            for index in [0, all / 2 - count / 2, all - count] {
                let place = format!("{set} by {} at {index}", peer.library());
                key.seek(index).unwrap();
                their_key.seek(index).unwrap();
                sign_equally(&place, [&mut *key, &mut *their_key], [&*mine, &*peer], count);
            }
            assert!(key.sign(b"").is_err() && their_key.sign(b"").is_err(), "{set}");
        }
    }
}

#[test]
fn xmss_reference_makes_the_same_keys_and_signatures() {
    let is_small = |set: &&&xmss::XmssInfo| match set.tree_height() {
        5 => is_long() || set.n == 24,
        10 => is_long() || set.oid == xmss::XMSS_SHA2_10_256.oid && !set.multi_tree,
        _ => false,
    };
    for set in xmss::XMSS.iter().chain(xmss::XMSS_MT).filter(is_small) {
        let [peer] = &peers_called("xmss-reference", set.name)[..] else { panic!("{}", set.name) };
        let mine = ours(set.name);
        let (mut key, mut their_key) =
            (mine.generate(&[7; 32]).unwrap(), peer.generate(&[7; 32]).unwrap());
        assert_eq!(key.public(), their_key.public(), "{}", set.name);
        let pair = [&*mine, &**peer];
        // xmss-reference erases the key before it signs with the last index.
        let (all, count) = (set.signatures(), count().min(set.signatures() - 1));
        sign_equally(set.name, [&mut *key, &mut *their_key], pair, count);
        for index in [all / 2 - count / 2, all - count] {
            key.seek(index).unwrap();
            let place = format!("{} at {index}", set.name);
            for number in 0..count {
                let message = number.to_be_bytes();
                let signature = key.sign(&message).unwrap();
                verify_both(&place, pair, &key.public(), &message, signature);
            }
        }
        assert!(key.sign(b"").is_err(), "{}", set.name);
    }
}
