//! The memory that stateful signatures take: verification without heap, and within 12 KiB of
//! stack of HSS, 16 KiB of XMSS. `--nocapture` prints the table.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_measure::{Allocations, CountingAllocator, Level, count_allocations, on_painted_stack};
use oaklath_params::stateful::lms;
use oaklath_params::stateful::xmss;
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
    XmssSigningKey,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const HSS_STACK: usize = 12 * 1024;
const XMSS_STACK: usize = 16 * 1024;

/// Stack of the measured thread: an operation beyond the limit is reported, not a crash.
const ROOM: usize = 1 << 20;

const MESSAGE: &[u8] = b"message";

fn sign(key: &mut impl StatefulKey) -> Vec<u8> {
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(1), MESSAGE, &mut signature).expect("the second index");
    signature
}

/// The deepest stack at any level.
fn check(name: &str, verify: impl Fn() -> bool + Clone + Send + 'static) -> usize {
    let mut deepest = 0;
    for level in Level::available() {
        let (valid, seen) = count_allocations(|| level.with(&verify));
        assert!(valid, "{name} at {level}");
        assert_eq!(seen, Allocations::default(), "{name} at {level}");
        let verify = verify.clone();
        let painted = on_painted_stack(ROOM, move || level.with(|| black_box(verify())));
        let depth = painted.expect("a thread with a megabyte of stack").depth;
        println!("{name:24} {level:8} verify: {depth}");
        assert!(depth >= 512, "the measurement missed it");
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn hss_verifies_within_its_memory() {
    let mut deepest = 0;
    // Tall trees take no other memory, but minutes to grow.
    for set in lms::ALL.iter().filter(|set| set.height() <= 10) {
        let levels = HssLevels::from(*set);
        let seed = vec![7; levels.seed_len()];
        let mut key = HssSigningKey::generate(&levels, &seed, NODE_BYTES).expect("a seed");
        let (signature, public) = (sign(&mut key), key.public().as_bytes().to_vec());
        deepest = deepest.max(check(set.name, move || {
            let public = HssPublicKey::from_bytes(&public).expect("a public key");
            public.verify(MESSAGE, &signature).is_ok()
        }));
    }
    assert!(deepest <= HSS_STACK, "{deepest} bytes of stack");
}

#[test]
fn xmss_verifies_within_its_memory() {
    let mut deepest = 0;
    for set in [
        &xmss::XMSS_SHA2_10_256,
        &xmss::XMSS_SHA2_10_192,
        &xmss::XMSSMT_SHA2_20_4_256,
        &xmss::XMSSMT_SHA2_60_12_256,
        &xmss::XMSSMT_SHAKE256_20_4_256,
    ] {
        let seed = vec![7; oaklath_stateful::xmss_seed_len(set)];
        let mut key = XmssSigningKey::generate(set, &seed, NODE_BYTES).expect("a seed");
        let (signature, public) = (sign(&mut key), key.public().as_bytes().to_vec());
        deepest = deepest.max(check(set.name, move || {
            let public = match set.multi_tree {
                false => XmssPublicKey::xmss_from_bytes(&public),
                true => XmssPublicKey::xmss_mt_from_bytes(&public),
            };
            public.expect("a public key").verify(MESSAGE, &signature).is_ok()
        }));
    }
    assert!(deepest <= XMSS_STACK, "{deepest} bytes of stack");
}
