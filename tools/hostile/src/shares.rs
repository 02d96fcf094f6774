//! Key shares: RFC 8446, section 4.2.8; FIPS 203, sections 6.3 and 7.2; RFC 7748, section 6.1.
#![expect(clippy::ptr_arg, reason = "one signature for all changes")]

use oaklath_params::curve;
use oaklath_params::group::{self, GroupInfo};

use crate::attacker::{Client, Server};
use crate::dice::Dice;
use crate::kinds::Act::{Hello, Share, Twin, Whole};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{Case, Halves, any, is_hybrid, kinds, twins};
use crate::outcome::{BAD_RECORD_MAC, DECODE_ERROR, ILLEGAL_PARAMETER};
use crate::victim::Victim;
use crate::wire::{KEY_SHARE, list16, vec16};

kinds! {
    "share one byte short"     Server InTurn, any, [ILLEGAL_PARAMETER], Share(|_, share, _| { share.pop(); });
    "share one byte short"     Client InTurn, any, [ILLEGAL_PARAMETER], Share(|_, share, _| { share.pop(); });
    "share one byte long"      Server InTurn, any, [ILLEGAL_PARAMETER], Share(|_, share, dice| share.push(dice.byte()));
    "share one byte long"      Client InTurn, any, [ILLEGAL_PARAMETER], Share(|_, share, dice| share.push(dice.byte()));
    "share of any length"      Server InTurn, any, [ILLEGAL_PARAMETER], Share(any_length);
    "share of any length"      Client InTurn, any, [ILLEGAL_PARAMETER], Share(any_length);
    "share of 0 bytes"         Server Few,    any, [DECODE_ERROR],      Share(|_, share, _| share.clear());
    "share of 0 bytes"         Client Few,    any, [DECODE_ERROR],      Share(|_, share, _| share.clear());
    "share claims 65,535"      Server Few,    any, [DECODE_ERROR],      Hello(|hello, case| {
        let share = case.dice.bytes(case.target.info.client_share());
        let entry = [list16(&[case.target.info.codepoint, u16::MAX]), share].concat();
        hello.extensions.set(KEY_SHARE, vec16(&entry));
    });
    "share claims 65,535"      Client Few,    any, [DECODE_ERROR],      Hello(|hello, case| {
        let share = case.dice.bytes(case.target.info.server_share());
        let entry = [list16(&[case.target.info.codepoint, u16::MAX]), share].concat();
        hello.extensions.set(KEY_SHARE, entry);
    });
    "halves swapped"           Server InTurn, is_hybrid, [ILLEGAL_PARAMETER], Share(swap);
    "halves swapped"           Client InTurn, has_points, [ILLEGAL_PARAMETER], Share(swap);
    "halves swapped, X25519"   Client InTurn, has_x25519, [BAD_RECORD_MAC], Share(swap);
    "a half alone"             Server InTurn, is_hybrid, [ILLEGAL_PARAMETER], Share(half);
    "a half alone"             Client InTurn, is_hybrid, [ILLEGAL_PARAMETER], Share(half);
    "share of another group"   Server InTurn, any, [ILLEGAL_PARAMETER], Share(|halves, share, dice| {
        share.resize(another_length(GroupInfo::client_share, halves.info, dice), 4);
    });
    "share of another group"   Client InTurn, any, [ILLEGAL_PARAMETER], Share(|halves, share, dice| {
        share.resize(another_length(GroupInfo::server_share, halves.info, dice), 4);
    });
    "share of a twin group"    Server InTurn, has_twin, [BAD_RECORD_MAC], Twin;
    "share of a twin group"    Client InTurn, has_twin, [BAD_RECORD_MAC], Twin;
    "point off the curve"      Server InTurn, has_points, [ILLEGAL_PARAMETER], Share(off_the_curve);
    "point off the curve"      Client InTurn, has_points, [ILLEGAL_PARAMETER], Share(off_the_curve);
    "point in another form"    Server InTurn, has_points, [ILLEGAL_PARAMETER], Share(another_form);
    "point in another form"    Client InTurn, has_points, [ILLEGAL_PARAMETER], Share(another_form);
    "point beyond the field"   Server InTurn, has_points, [ILLEGAL_PARAMETER], Share(beyond_the_field);
    "point beyond the field"   Client InTurn, has_points, [ILLEGAL_PARAMETER], Share(beyond_the_field);
    "point of low order"       Server InTurn, has_x25519, [ILLEGAL_PARAMETER], Share(low_order);
    "point of low order"       Client InTurn, has_x25519, [ILLEGAL_PARAMETER], Share(low_order);
    "key not canonical"        Server InTurn, has_12_bits, [ILLEGAL_PARAMETER], Share(not_canonical);
    "key of somebody else"     Server InTurn, any, [BAD_RECORD_MAC], Whole(foreign_key);
    "ciphertext, a bit flipped" Client InTurn, any, [BAD_RECORD_MAC], Share(|halves, share, dice| {
        share[halves.kem_start() + dice.below(halves.kem)] ^= 1 << dice.below(8);
    });
    "ciphertext of random bytes" Client InTurn, any, [BAD_RECORD_MAC], Share(|halves, share, dice| {
        let (start, random) = (halves.kem_start(), dice.bytes(halves.kem));
        share[start..start + halves.kem].copy_from_slice(&random);
    });
    "ciphertext of one value"  Client InTurn, any, [BAD_RECORD_MAC], Share(|halves, share, dice| {
        let start = halves.kem_start();
        share[start..start + halves.kem].fill(*dice.one_of(&[0, 0xff, 0x55, 0x80]));
    });
    "ciphertext of another level" Client InTurn, any, [ILLEGAL_PARAMETER], Share(another_level);
    "ciphertext of somebody else" Client InTurn, any, [BAD_RECORD_MAC], Whole(foreign_ciphertext);
}

fn has_x25519(info: &GroupInfo) -> bool {
    info.curve == Some(&curve::X25519)
}

fn has_points(info: &GroupInfo) -> bool {
    info.is_hybrid() && !has_x25519(info)
}

fn has_twin(info: &GroupInfo) -> bool {
    twins(info).next().is_some()
}

/// Reports whether keys can be non-canonical: ML-KEM and Kyber pack coefficients below 3329 into 12
/// bits; every encoding of the other KEMs' keys is canonical.
fn has_12_bits(info: &GroupInfo) -> bool {
    ["ML-KEM", "Kyber"].iter().any(|family| info.kem.name.starts_with(family))
}

fn any_length(_: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let len = 1 + dice.below(60_000);
    share.resize(if len == share.len() { len + 1 } else { len }, 4);
}

fn swap(halves: &Halves, share: &mut Vec<u8>, _: &mut Dice) {
    share.rotate_left(if halves.info.kem_first { halves.kem } else { halves.curve_len() });
}

fn half(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let middle = if halves.info.kem_first { halves.kem } else { halves.curve_len() };
    *share = match dice.below(2) {
        0 => share[..middle].to_vec(),
        _ => share[middle..].to_vec(),
    };
}

/// Returns the length of some other group's share.
fn another_length(length: fn(&GroupInfo) -> usize, info: &GroupInfo, dice: &mut Dice) -> usize {
    let lengths: Vec<_> = group::ALL.iter().map(|other| length(other)).collect();
    let others: Vec<_> = lengths.into_iter().filter(|other| *other != length(info)).collect();
    *dice.one_of(&others)
}

fn off_the_curve(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let (start, len) = (halves.curve_start(), halves.curve_len());
    match dice.below(3) {
        0 => share[start + len - 1] ^= dice.bits(),
        1 => share[start + 1..start + len].fill(0),
        // The y of another point, or x and y exchanged.
        _ => share[start + 1..start + len].rotate_left((len - 1) / 2),
    }
}

/// Changes the form: compressed, the hybrid form of SEC 1, infinity, and undefined ones.
fn another_form(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let form = dice.one_of(&[0, 1, 2, 3, 5, 6, 7, 0x84, 0xff]);
    share[halves.curve_start()] = *form;
}

fn beyond_the_field(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let coordinate = (halves.curve_len() - 1) / 2;
    let start = halves.curve_start() + 1 + coordinate * dice.below(2);
    share[start..start + coordinate].fill(0xff);
}

/// Sends a point whose every multiple by a private key is zero: RFC 7748, section 6.1. 0, 1, the
/// two of order 8, p - 1, p and p + 1, each also with the ignored bit set.
fn low_order(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    const LITTLE_ENDIAN: [&str; 7] = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let digits = dice.one_of(&LITTLE_ENDIAN);
    let point = &mut share[halves.curve_start()..][..halves.curve_len()];
    for (at, byte) in point.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("two digits");
    }
    point[31] |= 0x80 * dice.below(2) as u8;
}

/// Sets one coefficient, anywhere, to 3329 to 4095: FIPS 203, section 7.2.
fn not_canonical(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    const SEED: usize = 32;
    let pairs = (halves.kem - SEED) / 3;
    let pair = &mut share[halves.kem_start() + 3 * dice.below(pairs)..][..3];
    let value = 3329 + dice.below(4096 - 3329);
    if dice.below(2) == 0 {
        pair[0] = value as u8;
        pair[1] = pair[1] & 0xf0 | (value >> 8) as u8;
    } else {
        pair[1] = pair[1] & 0x0f | (value << 4) as u8;
        pair[2] = (value >> 4) as u8;
    }
}

/// Replaces the ciphertext with as many bytes as another KEM's has.
fn another_level(halves: &Halves, share: &mut Vec<u8>, dice: &mut Dice) {
    let lengths = group::ALL.iter().map(|group| group.kem.ciphertext);
    let others: Vec<_> = lengths.filter(|len| *len != halves.kem).collect();
    let other = dice.bytes(*dice.clone().one_of(&others));
    let start = halves.kem_start();
    share.splice(start..start + halves.kem, other);
}

/// Sends the key of another client: the client derives other secrets, and the server cannot read
/// its Finished.
fn foreign_key(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let [mut client, somebody] = [Client::new(case.target), Client::new(case.target)];
    let share = somebody.hello.extensions.find(KEY_SHARE).unwrap_or_default();
    client.hello.extensions.set(KEY_SHARE, share.to_vec());
    client.greet(&mut victim);
    if let Some(mut session) = client.session(&mut victim) {
        session.complete(&mut victim);
    }
    victim
}

/// Answers another client's key.
fn foreign_ciphertext(case: &mut Case<'_>) -> Victim {
    let (mut victim, mut somebody) = (Victim::client(case.target), Victim::client(case.target));
    let mut server = Server::new(case.target, &mut victim);
    let other = Server::new(case.target, &mut somebody);
    server.hello.extensions = other.hello.extensions;
    server.greet(&mut victim).complete(&mut victim);
    victim
}
