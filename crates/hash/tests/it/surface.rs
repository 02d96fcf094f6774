//! Tests that the `Debug` output of hashers, lanes and streams reveals nothing of their inputs.
use oaklath_hash::blocks::Ends;
use oaklath_hash::lanes::Lanes4;
use oaklath_hash::sha2::{self, HmacSha256, HmacSha512, Midstate, Sha256, Sha256Lanes, Sha512};
use oaklath_hash::sha3::Shake256;
use oaklath_hash::shake_lanes;
use oaklath_simd::{Level, Scalar, Simd, dispatch};

const SECRET: &[u8; 32] = &[0x5a; 32];

#[test]
fn nothing_secret_is_printed() {
    let mut ends = Ends::empty();
    let blocks = format!("{:?}", ends.sha3(SECRET));
    let mut mac = HmacSha256::new(SECRET);
    mac.absorb(SECRET);
    let absorbing = Shake256::new().chain(SECRET);
    let mut shake = shake_lanes::ShakeThash::<_, 4>::new(Scalar, 1);
    shake.absorb_pieces(32, SECRET);
    let mut sha2 = sha2::Sha2Thash::new(Sha256Lanes::new(Scalar), [[0x5a5a_5a5a; 8]; 4], 0, 1);
    sha2.absorb_pieces(32, SECRET);
    for (text, shown) in [
        (blocks, "Blocks { .. }"),
        (format!("{ends:?}"), "Ends { .. }"),
        (format!("{:?}", Midstate::new().absorb(&[[0x5a; 64]])), "Midstate { .. }"),
        (format!("{:?}", Sha256::new().chain(SECRET)), "Sha256 { .. }"),
        (format!("{:?}", Sha512::new().chain(SECRET)), "Sha512 { .. }"),
        (format!("{mac:?}"), "HmacSha256 { .. }"),
        (format!("{:?}", HmacSha512::new(SECRET)), "HmacSha512 { .. }"),
        (format!("{absorbing:?}"), "Absorb { rate: 136, .. }"),
        (format!("{:?}", absorbing.finish()), "Squeeze { rate: 136, .. }"),
        (format!("{shake:?}"), "ShakeThash { lanes: 1, .. }"),
        (format!("{sha2:?}"), "Sha2Thash { lanes: 1, .. }"),
    ] {
        assert_eq!(text, shown);
    }
}

#[test]
fn lanes_print_nothing() {
    #[inline(always)]
    fn text<S: Simd>(s: S) -> String {
        let mut lanes = Lanes4::new(s);
        lanes.load(1, &[0x5a; 136]);
        format!("{lanes:?}")
    }
    for level in Level::available() {
        assert_eq!(dispatch!(level, s => text(s)), "Lanes4 { .. }");
    }
}
