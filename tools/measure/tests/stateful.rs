//! The memory that the verification of stateful signatures takes: no heap, and 8 KiB of stack, 40
//! KiB where many are verified at once, of every set (`--nocapture` prints the table); and that
//! signing leaves no seed and no beginning of a chain on the stack that the signature does not
//! reveal.
#![cfg(unix)]

use std::hint::black_box;

use oaklath_hash::sha2::sha256;
use oaklath_measure::{
    Allocations, CountingAllocator, Level, count_allocations, on_painted_stack, stack_left_by,
};
use oaklath_params::stateful::lms;
use oaklath_params::stateful::xmss;
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, LmsPublicKey, NODE_BYTES, StatefulKey,
    XmssPublicKey, XmssSigningKey, XmssTrees, xmss_seed_len,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const STACK: usize = 8 * 1024;
const STACK_OF_MANY: usize = 40 * 1024;
/// As many as share lanes, and another one.
const MANY: usize = 17;

/// Stack of the measured thread, in bytes: exceeding a limit is reported instead of a crash.
const ROOM: usize = 1 << 20;

const MESSAGE: &[u8] = b"message";

/// Returns the deepest stack at any level. An invalid signature takes the same path as a valid one:
/// roots are compared at the end.
fn check(name: &str, expected: bool, verify: impl Fn() -> bool + Clone + Send + 'static) -> usize {
    let mut deepest = 0;
    for level in Level::available() {
        let (valid, seen) = count_allocations(|| level.with(&verify));
        assert_eq!(valid, expected, "{name} at {level}");
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
    for set in lms::ALL.iter().filter(|set| set.levels > 1 && set.height() <= 10) {
        let levels = HssLevels::from(*set);
        let seed = vec![7; levels.seed_len()];
        let mut key = HssSigningKey::from_seed(&levels, &seed, NODE_BYTES).expect("a seed");
        let mut signature = vec![0; key.signature_len()];
        let index = Index::from_durable_record(1);
        key.sign_at(index, MESSAGE, &mut signature).expect("the second index");
        let public = key.public().as_bytes().to_vec();
        deepest = deepest.max(check(set.name, true, move || {
            let public = HssPublicKey::from_bytes(&public).expect("a public key");
            public.verify(MESSAGE, &signature).is_ok()
        }));
    }
    assert!(deepest <= STACK, "{deepest} bytes of stack");
}

#[test]
fn lms_verifies_within_its_memory() {
    let (mut deepest, mut of_many) = (0, 0);
    for (tree, ots) in
        lms::LMS_TYPES.iter().flat_map(|tree| lms::LMOTS_TYPES.iter().map(move |ots| (tree, ots)))
    {
        if (tree.hash, tree.m) != (ots.hash, ots.n) {
            continue;
        }
        let codes = [tree.typecode.to_be_bytes(), ots.typecode.to_be_bytes()];
        let public = [codes.as_flattened(), &vec![7; tree.public_key() - 8]].concat();
        let mut signature = vec![7; tree.signature(ots)];
        signature[..4].fill(0);
        signature[4..8].copy_from_slice(&codes[1]);
        signature[4 + ots.signature()..][..4].copy_from_slice(&codes[0]);
        let name = format!("{} {}", tree.name, ots.name);
        let public = LmsPublicKey::from_bytes(&public).expect("a public key");
        if tree.h == 5 {
            let (public, signature) = (public.clone(), signature.clone());
            of_many = of_many.max(check(&format!("{name} many"), false, move || {
                let mut results = [Ok(()); MANY];
                let signed = [(&public, MESSAGE, &signature[..]); MANY];
                LmsPublicKey::verify_many(&signed, &mut results);
                results.iter().any(Result::is_ok)
            }));
        }
        deepest =
            deepest.max(check(&name, false, move || public.verify(MESSAGE, &signature).is_ok()));
    }
    assert!(deepest <= STACK, "{deepest} bytes of stack");
    assert!(of_many <= STACK_OF_MANY, "{of_many} bytes of stack");
}

#[test]
fn xmss_verifies_within_its_memory() {
    let (mut deepest, mut of_many) = (0, 0);
    for set in xmss::XMSS.iter().chain(xmss::XMSS_MT) {
        let public = [&set.oid.to_be_bytes()[..], &vec![7; set.public_key() - 4]].concat();
        let mut signature = vec![7; set.signature];
        signature[..set.index()].fill(0);
        let public = XmssPublicKey::from_bytes(XmssTrees::of(set), &public).expect("a public key");
        if set.d <= 2 {
            let (public, signature) = (public.clone(), signature.clone());
            of_many = of_many.max(check(&format!("{} many", set.name), false, move || {
                let mut results = [Ok(()); MANY];
                let signed = [(&public, MESSAGE, &signature[..]); MANY];
                XmssPublicKey::verify_many(&signed, &mut results);
                results.iter().any(Result::is_ok)
            }));
        }
        deepest =
            deepest.max(check(set.name, false, move || public.verify(MESSAGE, &signature).is_ok()));
    }
    assert!(deepest <= STACK, "{deepest} bytes of stack");
    assert!(of_many <= STACK_OF_MANY, "{of_many} bytes of stack");
}

/// Returns the beginnings of all chains of the leaves with these numbers.
fn beginnings(leaves: &[u32], one: impl Fn(u32, u32) -> [u8; 32]) -> Vec<[u8; 32]> {
    leaves
        .iter()
        .flat_map(|leaf| (0..67).map(|chain| one(*leaf, chain)).collect::<Vec<_>>())
        .collect()
}

/// Signs at index 1 and searches for secrets that the signature does not reveal.
fn leaves_nothing(
    name: &str,
    secrets: &[[u8; 32]],
    make: impl Fn() -> Box<dyn StatefulKey> + Sync,
) {
    for level in Level::available() {
        let mut key = level.with(&make);
        let mut signature = vec![0; key.signature_len()];
        let sign = || {
            let index = Index::from_durable_record(1);
            level.with(|| key.sign_at(index, MESSAGE, &mut signature)).expect("the second index");
        };
        let ((), left) = stack_left_by(ROOM, sign).expect("a thread with a stack");
        for (number, secret) in secrets.iter().enumerate() {
            let is = |bytes: &[u8]| bytes == secret;
            if !signature.windows(32).any(is) {
                assert!(!left.windows(32).any(is), "{name} at {level}: secret {number}");
            }
        }
    }
}

/// Leaves that are computed when index 1 signs: its own, and those of the next block.
const LEAVES: [u32; 6] = [0, 1, 2, 3, 4, 5];

#[test]
fn signing_with_lms_leaves_no_secrets_on_the_stack() {
    let levels = [(&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W4)];
    let levels = HssLevels::new(&levels).expect("types that go together");
    let seed: Vec<u8> = (0..levels.seed_len() as u8).collect();
    let make = || -> Box<dyn StatefulKey> {
        // With almost no room for nodes, leaves grow with each signature.
        Box::new(HssSigningKey::from_seed(&levels, &seed, 0).expect("a seed"))
    };
    let public = make().public_key().to_vec();
    // RFC 8554, appendix A. The public key is L, two types, I and the root.
    let mut secrets = beginnings(&LEAVES, |q, chain| {
        let chain = (chain as u16).to_be_bytes();
        sha256(&[&public[12..28], &q.to_be_bytes(), &chain, &[0xff], &seed[..32]].concat())
    });
    secrets.push(*seed.first_chunk().expect("32 of 48 bytes"));
    leaves_nothing("LMS", &secrets, make);
}

#[test]
fn signing_with_xmss_leaves_no_secrets_on_the_stack() {
    let set = &xmss::XMSSMT_SHA2_20_4_256;
    let seed: Vec<u8> = (0..xmss_seed_len(set) as u8).collect();
    let make = || -> Box<dyn StatefulKey> {
        Box::new(XmssSigningKey::from_seed(set, &seed, 0).expect("a seed"))
    };
    // PRF_keygen (SP 800-208, section 5) of the addresses of the first tree of the lowest layer.
    let mut secrets = beginnings(&LEAVES, |leaf, chain| {
        let address = [0, 0, 0, 0, leaf, chain, 0, 0].map(u32::to_be_bytes);
        let prefix = [&[0; 31][..], &[4]].concat();
        sha256(&[&prefix, &seed[..32], &seed[64..], address.as_flattened()].concat())
    });
    // The secret seed and SK_PRF.
    secrets.extend(seed.as_chunks().0.iter().take(2));
    leaves_nothing("XMSS^MT", &secrets, make);
}
