//! Attacks at every byte of every message: the stream ends there, or the byte is changed.
#![expect(clippy::ptr_arg, reason = "one signature for all changes")]

use anyhow::{Context, Result};

use crate::attacker::{Client, Server, Session};
use crate::dice::Dice;
use crate::kinds::Act::Whole;
use crate::kinds::Cases::{EachByte, InTurn};
use crate::kinds::{Case, any, kinds};
use crate::outcome::Outcome::{Closes, Connected, Waits};
use crate::outcome::{
    BAD_CERTIFICATE, BAD_RECORD_MAC, CERTIFICATE_EXPIRED, CERTIFICATE_REQUIRED,
    CERTIFICATE_UNKNOWN, DECODE_ERROR, DECRYPT_ERROR, HANDSHAKE_FAILURE, ILLEGAL_PARAMETER,
    MISSING_EXTENSION, PROTOCOL_VERSION, UNEXPECTED_MESSAGE, UNKNOWN_CA, UNSUPPORTED_CERTIFICATE,
    UNSUPPORTED_EXTENSION,
};
use crate::target::Target;
use crate::victim::{Role, Victim};
use crate::wire::{
    APPLICATION_DATA, HANDSHAKE, Hello, MESSAGE_HEADER, RECORD_HEADER, message, record_bounds,
    records,
};

kinds! {
    "hello ends at each byte"      Server EachByte(client_hello), any, [Waits], Whole(|case| {
        hello_of_client(case, |stream, at, _| stream.truncate(at))
    });
    "hello ends at each byte"      Client EachByte(server_hello), any, [Waits], Whole(|case| {
        hello_of_server(case, |stream, at, _| stream.truncate(at))
    });
    "flight ends at each byte"     Server EachByte(flight_of_client), any, [Waits], Whole(|case| {
        protected(case, Role::Server, |stream, at, _| stream.truncate(at))
    });
    "flight ends at each byte"     Client EachByte(flight_of_server), any, [Waits], Whole(|case| {
        protected(case, Role::Client, |stream, at, _| stream.truncate(at))
    });
    "hello cut, lengths right"     Server EachByte(client_hello), any,
        [DECODE_ERROR HANDSHAKE_FAILURE], Whole(|case| hello_of_client(case, cut));
    "hello cut, lengths right"     Client EachByte(server_hello), any,
        [DECODE_ERROR PROTOCOL_VERSION], Whole(|case| hello_of_server(case, cut));
    "message cut, lengths right"   Server InTurn, any,
        [DECODE_ERROR DECRYPT_ERROR], Whole(|case| plain(case, Role::Server, cut_message));
    "message cut, lengths right"   Client InTurn, any,
        [DECODE_ERROR DECRYPT_ERROR], Whole(|case| plain(case, Role::Client, cut_message));
    // Whatever is changed on the way changes the keys, unless it is rejected first. rustls gives up
    // without an alert on a message that claims more than 65,535 bytes.
    "hello, each byte changed"     Server EachByte(client_hello), any,
        [ILLEGAL_PARAMETER DECODE_ERROR BAD_RECORD_MAC UNEXPECTED_MESSAGE PROTOCOL_VERSION
         HANDSHAKE_FAILURE MISSING_EXTENSION Waits Closes], Whole(|case| hello_of_client(case, flip));
    "hello, each byte changed"     Client EachByte(server_hello), any,
        [ILLEGAL_PARAMETER DECODE_ERROR BAD_RECORD_MAC UNEXPECTED_MESSAGE PROTOCOL_VERSION
         HANDSHAKE_FAILURE MISSING_EXTENSION UNSUPPORTED_EXTENSION Waits Closes],
        Whole(|case| hello_of_server(case, flip));
    "records disguised as others" Server InTurn, any, [Connected], Whole(|case| protected(case, Role::Server, disguise));
    "records disguised as others" Client InTurn, any, [Connected], Whole(|case| protected(case, Role::Client, disguise));
    "random changed"               Server InTurn, any, [BAD_RECORD_MAC], Whole(|case| hello_of_client(case, flip_random));
    "random changed"               Client InTurn, any, [BAD_RECORD_MAC], Whole(|case| hello_of_server(case, flip_random));
    "protected record, each byte changed" Server EachByte(flight_of_client), any,
        [BAD_RECORD_MAC DECODE_ERROR UNEXPECTED_MESSAGE Waits], Whole(|case| protected(case, Role::Server, flip_protected));
    "protected record, each byte changed" Client EachByte(flight_of_server), any,
        [BAD_RECORD_MAC DECODE_ERROR UNEXPECTED_MESSAGE Waits], Whole(|case| protected(case, Role::Client, flip_protected));
    "message, each byte changed"   Server EachByte(messages_of_client), any,
        [DECRYPT_ERROR DECODE_ERROR BAD_CERTIFICATE UNKNOWN_CA CERTIFICATE_EXPIRED ILLEGAL_PARAMETER
         UNEXPECTED_MESSAGE UNSUPPORTED_CERTIFICATE CERTIFICATE_UNKNOWN CERTIFICATE_REQUIRED Waits Closes],
        Whole(|case| plain(case, Role::Server, flip_message));
    "message, each byte changed"   Client EachByte(messages_of_server), any,
        [DECRYPT_ERROR DECODE_ERROR BAD_CERTIFICATE UNKNOWN_CA CERTIFICATE_EXPIRED ILLEGAL_PARAMETER
         UNEXPECTED_MESSAGE UNSUPPORTED_CERTIFICATE CERTIFICATE_UNKNOWN UNSUPPORTED_EXTENSION HANDSHAKE_FAILURE Waits Closes],
        Whole(|case| plain(case, Role::Client, flip_message));
    "random bytes"                 Server InTurn, any,
        [DECODE_ERROR UNEXPECTED_MESSAGE Waits Closes], Whole(|case| garbage(case, Role::Server));
    "random bytes"                 Client InTurn, any,
        [DECODE_ERROR UNEXPECTED_MESSAGE Waits Closes], Whole(|case| garbage(case, Role::Client));
    "random hello"                 Server InTurn, any,
        [DECODE_ERROR], Whole(|case| random_hello(case, Role::Server));
    "random hello"                 Client InTurn, any,
        [DECODE_ERROR], Whole(|case| random_hello(case, Role::Client));
}

/// Changes a stream at a place.
type Change = fn(&mut Vec<u8>, usize, &mut Dice);

fn flip(stream: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let at = at % stream.len();
    // RFC 8446, section 5.1: the version of a record is ignored; rustls ignores the minor one only.
    let is_version = |(start, _)| start + 2 == at;
    let at = if record_bounds(stream).into_iter().any(is_version) { at + 1 } else { at };
    stream[at] ^= dice.bits();
}

/// Flips a byte of a protected record, except its type: rustls reads the inner one.
fn flip_protected(stream: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let is_type = |(start, _)| start == at;
    let at = if record_bounds(stream).into_iter().any(is_type) { at + 1 } else { at };
    flip(stream, at, dice);
}

/// Changes type and version of records: any minor version, and handshake for application data.
fn disguise(stream: &mut Vec<u8>, _: usize, dice: &mut Dice) {
    for (start, _) in record_bounds(stream) {
        stream[start] = *dice.one_of(&[HANDSHAKE, APPLICATION_DATA]);
        stream[start + 2] = dice.byte();
    }
}

/// Flips a byte of the random, which follows the headers and the version.
fn flip_random(stream: &mut Vec<u8>, _: usize, dice: &mut Dice) {
    stream[RECORD_HEADER + MESSAGE_HEADER + 2 + dice.below(32)] ^= dice.bits();
}

/// Ends the message here, with headers that say so.
fn cut(stream: &mut Vec<u8>, at: usize, _: &mut Dice) {
    let (headers, body) = stream.split_at(RECORD_HEADER + MESSAGE_HEADER);
    let body = &body[..at % body.len()];
    *stream = records(HANDSHAKE, &message(headers[RECORD_HEADER], body));
}

/// Sends a `ClientHello` that is changed on the way.
fn hello_of_client(case: &mut Case<'_>, change: Change) -> Victim {
    let mut victim = Victim::server(case.target);
    let mut client = Client::new(case.target);
    let hello = client.hello.encode();
    client.said(&hello);
    let mut stream = records(HANDSHAKE, &hello);
    change(&mut stream, case.number, &mut case.dice);
    victim.hear(&stream);
    if let Some(mut session) = client.session(&mut victim) {
        session.complete(&mut victim);
    }
    victim
}

/// Sends a `ServerHello` that is changed on the way; nothing follows one that is cut short.
fn hello_of_server(case: &mut Case<'_>, change: Change) -> Victim {
    let mut victim = Victim::client(case.target);
    let server = Server::new(case.target, &mut victim);
    let hello = server.hello.encode();
    let whole = records(HANDSHAKE, &hello);
    let mut stream = whole.clone();
    change(&mut stream, case.number, &mut case.dice);
    victim.hear(&stream);
    if stream.len() == whole.len() {
        server.greeted(&hello).complete(&mut victim);
    }
    victim
}

/// Sends protected records that are changed on the way.
fn protected(case: &mut Case<'_>, role: Role, change: Change) -> Victim {
    let (mut victim, session) = hellos(case.target, role);
    if let Some(mut session) = session {
        let flight = session.flight();
        let mut stream = session.seal(&flight);
        let at = case.number % stream.len();
        change(&mut stream, at, &mut case.dice);
        victim.hear(&stream);
    }
    victim
}

/// Sends messages that are changed before they are protected, but not in the sender's transcript.
fn plain(case: &mut Case<'_>, role: Role, change: fn(&mut [Vec<u8>], usize, &mut Dice)) -> Victim {
    let (mut victim, session) = hellos(case.target, role);
    if let Some(mut session) = session {
        let mut flight = session.flight();
        change(&mut flight, case.number, &mut case.dice);
        victim.hear(&session.seal(&flight));
    }
    victim
}

fn flip_message(flight: &mut [Vec<u8>], at: usize, dice: &mut Dice) {
    let len: usize = flight.iter().map(Vec::len).sum();
    let bytes = flight.iter_mut().flatten();
    bytes.skip(at % len).take(1).for_each(|byte| *byte ^= dice.bits());
}

fn cut_message(flight: &mut [Vec<u8>], _: usize, dice: &mut Dice) {
    let which = dice.below(flight.len());
    let body = &flight[which][MESSAGE_HEADER..];
    let shorter = message(flight[which][0], &body[..dice.below(body.len())]);
    flight[which] = shorter;
}

/// Exchanges honest hellos with a victim of this role.
fn hellos(target: &Target, role: Role) -> (Victim, Option<Session<'_>>) {
    match role {
        Role::Server => {
            let mut victim = Victim::server(target);
            let mut client = Client::new(target);
            client.greet(&mut victim);
            let session = client.session(&mut victim);
            (victim, session)
        }
        Role::Client => {
            let mut victim = Victim::client(target);
            let session = Server::new(target, &mut victim).greet(&mut victim);
            (victim, Some(session))
        }
    }
}

/// Sends random bytes, in a record or not.
fn garbage(case: &mut Case<'_>, role: Role) -> Victim {
    let mut victim = Victim::of(role, case.target);
    let len = 1 + case.dice.below(5000);
    let bytes = case.dice.bytes(len);
    match case.dice.below(2) {
        0 => victim.hear(&bytes),
        _ => {
            let kind = 20 + case.dice.below(4) as u8;
            victim.hear(&crate::wire::record(kind, &bytes));
        }
    }
    victim
}

/// Sends random bytes with the right type and length.
fn random_hello(case: &mut Case<'_>, role: Role) -> Victim {
    let mut victim = Victim::of(role, case.target);
    let len = case.dice.below(3000);
    let kind = if role == Role::Server { 1 } else { 2 };
    victim.hear(&records(HANDSHAKE, &message(kind, &case.dice.bytes(len))));
    victim
}

fn client_hello(target: &Target) -> Result<usize> {
    Ok(records(HANDSHAKE, &Client::new(target).hello.encode()).len())
}

fn server_hello(target: &Target) -> Result<usize> {
    let mut victim = Victim::client(target);
    let hello: Hello = Server::new(target, &mut victim).hello;
    Ok(records(HANDSHAKE, &hello.encode()).len())
}

fn flight_of_client(target: &Target) -> Result<usize> {
    flight(target, Role::Server).map(|(_, sealed)| sealed)
}

fn flight_of_server(target: &Target) -> Result<usize> {
    flight(target, Role::Client).map(|(_, sealed)| sealed)
}

fn messages_of_client(target: &Target) -> Result<usize> {
    flight(target, Role::Server).map(|(plain, _)| plain)
}

fn messages_of_server(target: &Target) -> Result<usize> {
    flight(target, Role::Client).map(|(plain, _)| plain)
}

/// Returns the lengths in bytes of an attacker's flight after the hellos, plain and protected.
fn flight(target: &Target, role: Role) -> Result<(usize, usize)> {
    let (_, session) = hellos(target, role);
    let mut session = session.context("an honest exchange of hellos failed")?;
    let flight = session.flight();
    Ok((flight.iter().map(Vec::len).sum(), session.seal(&flight).len()))
}
