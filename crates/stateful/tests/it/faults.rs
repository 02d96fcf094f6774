//! Flips bits in the memory of growing trees: in every released signature, the upper one-time keys
//! sign byte for byte what they sign on a machine without faults, so none ever signs a second
//! message.

use oaklath_params::stateful::{lms, xmss};
use oaklath_stateful::{
    Growth, HssLevels, HssSigningKey, Index, StatefulKey, XmssSigningKey, XmssTrees, with_fault,
};

const MESSAGE: &[u8] = b"message";

/// The last signatures of a bottom tree, during which the next tree grows, and the first of that.
const INDICES: [u64; 4] = [5, 30, 31, 32];

/// Returns the signatures that are released by a signer, which stops after the first failure and
/// grows some leaves between two signatures.
fn release(mut key: Box<dyn StatefulKey>, leaves: u32) -> Vec<Vec<u8>> {
    let sign = |index| {
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(index), MESSAGE, &mut signature).ok()?;
        key.grow(leaves);
        let checked = key.check(MESSAGE, &signature).ok()?;
        (checked.index == index).then_some(signature)
    };
    INDICES.into_iter().map_while(sign).collect()
}

/// Flips `flips` bits, one in each run, spread over all steps. The last `bottom` bytes of a
/// signature belong to the bottom layer, whose randomizer may differ: its key signs once.
fn flip_bits(
    name: &str,
    (load, leaves): (impl Fn() -> Box<dyn StatefulKey>, u32),
    bottom: usize,
    flips: u64,
) {
    let (want, steps) = with_fault(u64::MAX, 0, || release(load(), leaves));
    assert_eq!(want.len(), INDICES.len());
    let mut stopped = 0;
    for flip in 0..flips {
        let place = (flip.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32;
        // Spreads the flips over all steps even if there are more steps than flips.
        let step = if flips < steps { flip * steps / flips } else { flip % steps };
        let (released, _) = with_fault(step, place, || release(load(), leaves));
        stopped += u64::from(released.len() < want.len());
        for (released, want) in released.iter().zip(&want) {
            let upper = want.len() - bottom;
            let is_same = released[..upper] == want[..upper];
            assert!(is_same, "{name}: step {step}, place {place}");
        }
    }
    println!("{name}: {flips} flipped bits over {steps} steps, {stopped} noticed, none released");
    assert!(stopped > flips / 4, "{stopped} of {flips} flipped bits mattered");
}

/// Returns how many bits are flipped where trees grow with each signature: fewer elsewhere.
fn flips() -> u64 {
    let flips = std::env::var("OAKLATH_TORTURE").ok().and_then(|flips| flips.parse().ok());
    flips.unwrap_or(400)
}

/// Flips bits of a key whose nodes have at most `node_bytes`, and which grows `leaves` between two
/// signatures.
fn flip_bits_of_hss(name: &str, node_bytes: usize, growth: Growth, leaves: u32) {
    let level = (&lms::LMS_SHA256_M24_H5, &lms::LMOTS_SHA256_N24_W2);
    let bottom = HssLevels::new(&[level]).unwrap().signature_len() - 4;
    let levels = HssLevels::new(&[level; 3]).unwrap();
    let key = HssSigningKey::from_seed(&levels, &[7; 40], node_bytes).unwrap();
    let (bytes, nodes) = (key.to_bytes(), key.nodes().unwrap());
    let load = || -> Box<dyn StatefulKey> {
        let mut key = HssSigningKey::from_bytes(&bytes, node_bytes).unwrap();
        let _ = key.load_nodes(&nodes); // or the tree is grown
        key.set_growth(growth);
        Box::new(key)
    };
    let flips = if growth == Growth::Even { flips() } else { flips() / 4 };
    flip_bits(name, (load, leaves), bottom, flips);
}

#[test]
fn no_flipped_bit_of_whole_trees_is_signed() {
    flip_bits_of_hss("HSS, whole trees", 1 << 18, Growth::Even, 0);
    flip_bits_of_hss("HSS, whole trees, idle", 1 << 18, Growth::Idle, 12);
}

#[test]
fn no_flipped_bit_of_parts_of_trees_is_signed() {
    flip_bits_of_hss("HSS, parts of trees", 0, Growth::Even, 0);
    flip_bits_of_hss("HSS, parts of trees, idle", 0, Growth::Idle, 12);
    flip_bits_of_hss("HSS, parts of trees, lazy", 0, Growth::Lazy, 0);
}

#[test]
fn no_flipped_bit_of_xmss_mt_is_signed() {
    let set = &xmss::XMSSMT_SHA2_20_4_256;
    let key = XmssSigningKey::from_seed(set, &[7; 96], 0).unwrap();
    let (bytes, nodes) = (key.to_bytes(), key.nodes().unwrap());
    let load = || -> Box<dyn StatefulKey> {
        let mut key = XmssSigningKey::from_bytes(XmssTrees::Multi, &bytes, 0).unwrap();
        let _ = key.load_nodes(&nodes);
        Box::new(key)
    };
    flip_bits("XMSS^MT", (load, 0), 0, flips() / 2);
}
