//! Records: RFC 8446, sections 5.1 to 5.4 and 6.

use crate::attacker::Session;
use crate::dice::Dice;
use crate::kinds::Act::{Records, Whole};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{Case, any, kinds};
use crate::outcome::Outcome::Closes;
use crate::outcome::{
    BAD_RECORD_MAC, DECODE_ERROR, ILLEGAL_PARAMETER, RECORD_OVERFLOW, UNEXPECTED_MESSAGE,
};
use crate::victim::{Role, Victim};
use crate::wire::{
    ALERT, APPLICATION_DATA, CHANGE_CIPHER_SPEC, CLIENT_HELLO, HANDSHAKE, LONGEST_PLAINTEXT,
    MESSAGE_HEADER, RECORD_HEADER, SERVER_HELLO, message, record,
};

kinds! {
    // RFC 8446, section 5.1, requires unexpected_message; to rustls it is no record.
    "record of an unknown type"   Server InTurn, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, unknown_type));
    "record of an unknown type"   Client InTurn, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, unknown_type));
    "record of another version"   Server InTurn, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, another_version));
    "record of another version"   Client InTurn, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, another_version));
    "empty handshake record"      Server Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, |_| record(HANDSHAKE, &[])));
    "empty handshake record"      Client Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, |_| record(HANDSHAKE, &[])));
    "application data first"      Server InTurn, any, [UNEXPECTED_MESSAGE], Whole(|case| first(case, Role::Server, data));
    "application data first"      Client InTurn, any, [UNEXPECTED_MESSAGE], Whole(|case| first(case, Role::Client, data));
    // RFC 8446, section 5.1, requires record_overflow; rustls tries to read it as a message.
    "plaintext of 2^14 + 1"       Server Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, |dice| long_plaintext(CLIENT_HELLO, dice)));
    "plaintext of 2^14 + 1"       Client Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, |dice| long_plaintext(SERVER_HELLO, dice)));
    // RFC 8446, section 5.2, requires record_overflow; to rustls it is no record.
    "record that claims 65,535"   Server Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, |_| vec![HANDSHAKE, 3, 3, 0xff, 0xff, 1]));
    "record that claims 65,535"   Client Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, |_| vec![HANDSHAKE, 3, 3, 0xff, 0xff, 1]));
    "alert of an unknown level"   Server Few, any, [ILLEGAL_PARAMETER], Whole(|case| first(case, Role::Server, |_| record(ALERT, &[3, 40])));
    "alert of an unknown level"   Client Few, any, [ILLEGAL_PARAMETER], Whole(|case| first(case, Role::Client, |_| record(ALERT, &[3, 40])));
    "fatal alert"                 Server InTurn, any, [Closes], Whole(|case| first(case, Role::Server, |dice| record(ALERT, &[2, dice.byte()])));
    "fatal alert"                 Client InTurn, any, [Closes], Whole(|case| first(case, Role::Client, |dice| record(ALERT, &[2, dice.byte()])));
    "alert of three bytes"        Server Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Server, |_| record(ALERT, &[2, 40, 0])));
    "alert of three bytes"        Client Few, any, [DECODE_ERROR], Whole(|case| first(case, Role::Client, |_| record(ALERT, &[2, 40, 0])));
    // An endless stream of ignored records is cut off, by rustls without an alert.
    "warnings without end"        Server Few, any, [Closes], Whole(|case| first(case, Role::Server, |_| record(ALERT, &[1, 90]).repeat(100)));
    "warnings without end"        Client Few, any, [Closes], Whole(|case| first(case, Role::Client, |_| record(ALERT, &[1, 90]).repeat(100)));
    "changes of cipher without end" Server Few, any, [Closes], Records(|_, _| record(CHANGE_CIPHER_SPEC, &[1]).repeat(100));
    "changes of cipher without end" Client Few, any, [Closes], Records(|_, _| record(CHANGE_CIPHER_SPEC, &[1]).repeat(100));
    "change of cipher of another value" Server InTurn, any, [UNEXPECTED_MESSAGE], Records(|_, dice| record(CHANGE_CIPHER_SPEC, &[dice.bits() | 2]));
    "change of cipher of another value" Client InTurn, any, [UNEXPECTED_MESSAGE], Records(|_, dice| record(CHANGE_CIPHER_SPEC, &[dice.bits() | 2]));
    "handshake in the clear"      Server InTurn, any, [BAD_RECORD_MAC], Records(in_the_clear);
    "handshake in the clear"      Client InTurn, any, [BAD_RECORD_MAC], Records(in_the_clear);
    "record of random bytes"      Server InTurn, any, [BAD_RECORD_MAC], Records(random);
    "record of random bytes"      Client InTurn, any, [BAD_RECORD_MAC], Records(random);
    "record shorter than its tag" Server InTurn, any, [BAD_RECORD_MAC], Records(short);
    "record shorter than its tag" Client InTurn, any, [BAD_RECORD_MAC], Records(short);
    "record twice"                Server InTurn, any, [BAD_RECORD_MAC], Records(twice);
    "record twice"                Client InTurn, any, [BAD_RECORD_MAC], Records(twice);
    "record left out"             Server InTurn, any, [BAD_RECORD_MAC], Records(left_out);
    "record left out"             Client InTurn, any, [BAD_RECORD_MAC], Records(left_out);
    "protected 2^14 + 2"          Server Few, any, [RECORD_OVERFLOW], Records(|session, _| session.traffic.seal(HANDSHAKE, &[0; LONGEST_PLAINTEXT + 1]));
    "protected 2^14 + 2"          Client Few, any, [RECORD_OVERFLOW], Records(|session, _| session.traffic.seal(HANDSHAKE, &[0; LONGEST_PLAINTEXT + 1]));
    // RFC 8446, section 5.4, requires unexpected_message; rustls gives up without an alert.
    "only padding"                Server InTurn, any, [Closes], Records(|session, dice| session.traffic.seal_inner(vec![0; dice.below(1000)]));
    "only padding"                Client InTurn, any, [Closes], Records(|session, dice| session.traffic.seal_inner(vec![0; dice.below(1000)]));
    "protected change of cipher"  Server InTurn, any, [UNEXPECTED_MESSAGE], Records(|session, _| session.traffic.seal(CHANGE_CIPHER_SPEC, &[1]));
    "protected change of cipher"  Client InTurn, any, [UNEXPECTED_MESSAGE], Records(|session, _| session.traffic.seal(CHANGE_CIPHER_SPEC, &[1]));
    "data before Finished"        Server InTurn, any, [UNEXPECTED_MESSAGE], Records(|session, dice| session.traffic.seal(APPLICATION_DATA, &dice.bytes(40)));
    "data before Finished"        Client InTurn, any, [UNEXPECTED_MESSAGE], Records(|session, dice| session.traffic.seal(APPLICATION_DATA, &dice.bytes(40)));
    // RFC 8446, section 5.1, requires unexpected_message; rustls gives up without an alert.
    "data within a message"       Server InTurn, any, [Closes], Records(interleaved);
    "data within a message"       Client InTurn, any, [Closes], Records(interleaved);
}

/// Sends bytes before anything else.
fn first(case: &mut Case<'_>, role: Role, bytes: fn(&mut Dice) -> Vec<u8>) -> Victim {
    let mut victim = Victim::of(role, case.target);
    victim.hear(&bytes(&mut case.dice));
    victim
}

fn unknown_type(dice: &mut Dice) -> Vec<u8> {
    let kind = *dice.one_of(&[0, 1, 19, 25, 99, 0x80, 0xff]);
    record(kind, &dice.bytes(20))
}

fn another_version(dice: &mut Dice) -> Vec<u8> {
    let mut record = record(HANDSHAKE, &dice.bytes(20));
    record[1] = *dice.one_of(&[0, 1, 2, 4, 0xfe, 0xff]);
    record
}

fn data(dice: &mut Dice) -> Vec<u8> {
    record(APPLICATION_DATA, &dice.bytes(40))
}

/// Sends one message in one record that is a byte too long.
fn long_plaintext(kind: u8, dice: &mut Dice) -> Vec<u8> {
    let body = dice.bytes(LONGEST_PLAINTEXT + 1 - MESSAGE_HEADER);
    record(HANDSHAKE, &message(kind, &body))
}

fn in_the_clear(session: &mut Session<'_>, _: &mut Dice) -> Vec<u8> {
    session.flight().iter().flat_map(|message| record(HANDSHAKE, message)).collect()
}

fn random(_: &mut Session<'_>, dice: &mut Dice) -> Vec<u8> {
    let len = 17 + dice.below(LONGEST_PLAINTEXT);
    record(APPLICATION_DATA, &dice.bytes(len))
}

fn short(_: &mut Session<'_>, dice: &mut Dice) -> Vec<u8> {
    let len = 1 + dice.below(16);
    record(APPLICATION_DATA, &dice.bytes(len))
}

fn sealed(session: &mut Session<'_>) -> Vec<Vec<u8>> {
    let flight = session.flight();
    flight.iter().map(|message| session.traffic.seal(HANDSHAKE, message)).collect()
}

fn twice(session: &mut Session<'_>, dice: &mut Dice) -> Vec<u8> {
    let mut records = sealed(session);
    let at = dice.below(records.len() - 1);
    records.insert(at, records[at].clone());
    records.concat()
}

fn left_out(session: &mut Session<'_>, dice: &mut Dice) -> Vec<u8> {
    let mut records = sealed(session);
    records.remove(dice.below(records.len() - 1));
    records.concat()
}

/// Interleaves the records of one message with others: RFC 8446, section 5.1, forbids it.
fn interleaved(session: &mut Session<'_>, dice: &mut Dice) -> Vec<u8> {
    let flight = session.flight();
    let (start, rest) = flight[0].split_at(1 + dice.below(3));
    let start = session.traffic.seal(HANDSHAKE, start);
    let between = session.traffic.seal(APPLICATION_DATA, &dice.bytes(RECORD_HEADER));
    [start, between, session.traffic.seal(HANDSHAKE, rest)].concat()
}
