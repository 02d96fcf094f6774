//! Honest connections, which must succeed: only an attacker that can speak the protocol makes the
//! rejection of the others meaningful.

use oaklath_pki::Signing;

use crate::attacker::{Client, Server, Session};
use crate::dice::Dice;
use crate::kinds::Act::{Flight, Hello, Records, Whole};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{Case, any, kinds};
use crate::outcome::Outcome::Connected;
use crate::victim::Victim;
use crate::wire::{COOKIE, HANDSHAKE, MESSAGE_HEADER, SUPPORTED_GROUPS, record, records, vec16};

kinds! {
    "honest"                             Server InTurn, any, [Connected], Hello(|_, _| ());
    "honest"                             Client InTurn, any, [Connected], Hello(|_, _| ());
    "honest after HelloRetryRequest"     Server InTurn, any, [Connected], Whole(retried_server);
    "honest after HelloRetryRequest"     Client InTurn, any, [Connected], Whole(retried_client);
    "HelloRetryRequest with long cookie" Client Few,    any, [Connected], Whole(long_cookie);
    "unknown extensions"                 Server InTurn, any, [Connected], Hello(|hello, case| {
        for number in [0x0a0a, 0x1a1a, 0xfafa] {
            let len = case.dice.below(2000);
            hello.extensions.0.insert(0, (number, case.dice.bytes(len)));
        }
    });
    "30,000 groups"                      Server Few,    any, [Connected], Hello(|hello, case| {
        let own = hello.extensions.find(SUPPORTED_GROUPS).unwrap_or_default()[2..].to_vec();
        let mut groups = [0xfa, 0xfa].repeat(case.dice.below(29_000));
        groups.extend(own);
        hello.extensions.set(SUPPORTED_GROUPS, vec16(&groups));
    });
    "hello in records of a byte"         Server Few,    any, [Connected], Whole(hello_in_bytes);
    "stream in steps of a byte"          Server Few,    any, [Connected], Whole(slow_client);
    "stream in steps of a byte"          Client Few,    any, [Connected], Whole(slow_server);
    "padded records"                     Server InTurn, any, [Connected], Records(|session, dice| {
        let flight = session.flight();
        flight.iter().flat_map(|message| {
            let zeros = vec![0; dice.below(10_000)];
            session.traffic.seal_inner([&**message, &[HANDSHAKE], &zeros].concat())
        }).collect()
    });
    "padded records"                     Client InTurn, any, [Connected], Records(|session, dice| {
        let flight = session.flight();
        flight.iter().flat_map(|message| {
            let zeros = vec![0; dice.below(10_000)];
            session.traffic.seal_inner([&**message, &[HANDSHAKE], &zeros].concat())
        }).collect()
    });
    "a signature of 50 KB"               Server Few,    any, [Connected], Flight(long_signature);
    "a signature of 50 KB"               Client Few,    any, [Connected], Flight(long_signature);
}

fn retried_server(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let mut client = Client::new(case.target);
    client.provoke_retry(&mut victim);
    client.greet(&mut victim);
    if let Some(mut session) = client.session(&mut victim) {
        session.complete(&mut victim);
    }
    victim
}

fn retried_client(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::client_of_another_group(case.target);
    let server = Server::new(case.target, &mut victim);
    let retry = server.retry();
    if let Some(server) = server.ask(&mut victim, &retry) {
        server.greet(&mut victim).complete(&mut victim);
    }
    victim
}

fn long_cookie(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::client_of_another_group(case.target);
    let server = Server::new(case.target, &mut victim);
    let mut retry = server.retry();
    let cookie = case.dice.bytes(60_000);
    retry.extensions.set(COOKIE, vec16(&cookie));
    if let Some(server) = server.ask(&mut victim, &retry) {
        server.greet(&mut victim).complete(&mut victim);
    }
    victim
}

fn hello_in_bytes(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let mut client = Client::new(case.target);
    let hello = client.hello.encode();
    let (header, body) = hello.split_at(MESSAGE_HEADER + case.dice.below(100));
    let bytes = header.chunks(1).chain([body]);
    let stream: Vec<u8> = bytes.flat_map(|part| record(HANDSHAKE, part)).collect();
    client.said(&hello);
    victim.hear(&stream);
    if let Some(mut session) = client.session(&mut victim) {
        session.complete(&mut victim);
    }
    victim
}

fn slow_client(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let mut client = Client::new(case.target);
    let hello = client.hello.encode();
    client.said(&hello);
    slowly(&mut victim, &records(HANDSHAKE, &hello));
    if let Some(mut session) = client.session(&mut victim) {
        let flight = session.flight();
        slowly(&mut victim, &session.seal(&flight));
    }
    victim
}

fn slow_server(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::client(case.target);
    let server = Server::new(case.target, &mut victim);
    let hello = server.hello.encode();
    slowly(&mut victim, &records(HANDSHAKE, &hello));
    let mut session = server.greeted(&hello);
    let flight = session.flight();
    slowly(&mut victim, &session.seal(&flight));
    victim
}

fn slowly(victim: &mut Victim, stream: &[u8]) {
    stream.chunks(1).for_each(|byte| victim.hear(byte));
}

/// Sends a certificate of a hash tree and a signature by its key.
fn long_signature(session: &mut Session<'_>, _: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let tree = session.target().hash_tree.clone();
    flight.push(session.certificate(&tree.chain));
    let signature = tree.key.sign(&session.content(), Signing::Hedged);
    flight.push(session.certificate_verify(tree.scheme, &signature.expect("a signature")));
    flight.push(session.finished());
    flight
}
