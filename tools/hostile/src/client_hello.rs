//! `ClientHello` and `HelloRetryRequest` from the side of the client: RFC 8446, sections 4.1.2,
//! 4.1.4 and 4.2.8.
//!
//! Where rustls departs from the RFC, the table says so; none of that is our choice.

use crate::attacker::{Client, server_name, share_entry};
use crate::kinds::Act::{Hello, Whole};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{Case, any, kinds};
use crate::outcome::Outcome::Closes;
use crate::outcome::{
    DECODE_ERROR, HANDSHAKE_FAILURE, ILLEGAL_PARAMETER, MISSING_EXTENSION, PROTOCOL_VERSION,
    UNEXPECTED_MESSAGE,
};
use crate::victim::Victim;
use crate::wire::{
    AES_256_GCM_SHA384, CLIENT_HELLO, HANDSHAKE, KEY_SHARE, PRE_SHARED_KEY, SERVER_NAME,
    SIGNATURE_ALGORITHMS, SUPPORTED_GROUPS, SUPPORTED_VERSIONS, TLS12, list16, message, records,
    vec8, vec16,
};

kinds! {
    "no group in common"          Server InTurn, any, [HANDSHAKE_FAILURE], Hello(|hello, case| {
        let groups = list16(&[case.target.other.codepoint, 0xfafa]);
        hello.extensions.set(SUPPORTED_GROUPS, vec16(&groups));
    });
    "no suite in common"          Server Few, any, [HANDSHAKE_FAILURE], Hello(|hello, _| hello.suites = vec![0x13ff]);
    "no suite"                    Server Few, any, [DECODE_ERROR], Hello(|hello, _| hello.suites.clear());
    "no compression null"         Server Few, any, [ILLEGAL_PARAMETER], Hello(|hello, _| hello.compression = vec![1]);
    "compression beside null"     Server Few, any, [ILLEGAL_PARAMETER], Hello(|hello, _| hello.compression = vec![0, 1]);
    // RFC 8446, section 9.2, requires missing_extension; rustls sends handshake_failure.
    "no key shares"               Server InTurn, any, [HANDSHAKE_FAILURE], Hello(|hello, _| hello.extensions.remove(KEY_SHARE));
    "no groups"                   Server InTurn, any, [HANDSHAKE_FAILURE], Hello(|hello, _| hello.extensions.remove(SUPPORTED_GROUPS));
    "no signature schemes"        Server Few, any, [HANDSHAKE_FAILURE], Hello(|hello, _| hello.extensions.remove(SIGNATURE_ALGORITHMS));
    "no versions"                 Server Few, any, [PROTOCOL_VERSION], Hello(|hello, _| hello.extensions.remove(SUPPORTED_VERSIONS));
    "TLS 1.2 only"                Server Few, any, [PROTOCOL_VERSION], Hello(|hello, _| hello.extensions.set(SUPPORTED_VERSIONS, vec8(&TLS12)));
    "two shares of the group"     Server InTurn, any, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let share = share_entry(case.target.info.codepoint, &case.dice.bytes(case.target.info.client_share()));
        hello.extensions.set(KEY_SHARE, vec16(&share.repeat(2)));
    });
    "an extension twice"          Server InTurn, any, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let again = case.dice.one_of(&hello.extensions.0).clone();
        hello.extensions.0.push(again);
    });
    "a ticket without modes"      Server Few, any, [MISSING_EXTENSION], Hello(|hello, case| {
        let identity = [vec16(&case.dice.bytes(100)), vec![0; 4]].concat();
        let binder = vec16(&vec8(&case.dice.bytes(32)));
        hello.extensions.0.push((PRE_SHARED_KEY, [vec16(&identity), binder].concat()));
    });
    "a ticket before the end"     Server Few, any, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let identity = [vec16(&case.dice.bytes(100)), vec![0; 4]].concat();
        let binder = vec16(&vec8(&case.dice.bytes(32)));
        hello.extensions.0.insert(0, (PRE_SHARED_KEY, [vec16(&identity), binder].concat()));
    });
    "list of shares too long"     Server InTurn, any, [DECODE_ERROR], Hello(|hello, case| {
        let mut shares = hello.extensions.find(KEY_SHARE).unwrap_or_default().to_vec();
        shares.truncate(2 + case.dice.below(shares.len() - 2));
        hello.extensions.set(KEY_SHARE, shares);
    });
    "list of groups of odd length" Server Few, any, [DECODE_ERROR], Hello(|hello, _| hello.extensions.set(SUPPORTED_GROUPS, vec16(&[2, 0, 2])));
    // RFC 8446, section 6, requires decode_error; rustls gives up without an alert.
    "hello that claims 16 MB"     Server Few, any, [Closes], Whole(giant);
    "hello with a tail"           Server InTurn, any, [DECODE_ERROR], Whole(tail);
    "two hellos in a record"      Server InTurn, any, [UNEXPECTED_MESSAGE], Whole(two);
    "retry: the same hello again" Server InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |client, case| {
        let share = share_entry(case.target.other.codepoint, &vec![1; case.target.other.client_share()]);
        client.hello.extensions.set(KEY_SHARE, vec16(&share));
    }));
    "retry: no key shares"        Server InTurn, any, [HANDSHAKE_FAILURE], Whole(|case| retry(case, |client, _| {
        client.hello.extensions.remove(KEY_SHARE);
    }));
    "retry: an empty list"        Server InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |client, _| {
        client.hello.extensions.set(KEY_SHARE, vec16(&[]));
    }));
    "retry: a bad share"          Server InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |client, case| {
        let len = 1 + case.dice.below(case.target.info.client_share() - 1);
        let share = share_entry(case.target.info.codepoint, &vec![4; len]);
        client.hello.extensions.set(KEY_SHARE, vec16(&share));
    }));
    "retry: another suite"        Server InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |client, _| {
        client.hello.suites = vec![AES_256_GCM_SHA384];
    }));
    "retry: the group withdrawn"  Server InTurn, any, [HANDSHAKE_FAILURE], Whole(|case| retry(case, |client, case| {
        let groups = list16(&[case.target.other.codepoint]);
        client.hello.extensions.set(SUPPORTED_GROUPS, vec16(&groups));
    }));
    // rustls gives up without an alert.
    "retry: another server name"  Server InTurn, any, [Closes], Whole(|case| retry(case, |client, _| {
        client.hello.extensions.set(SERVER_NAME, server_name("example.org"));
    }));
}

/// Sends a second, changed hello in answer to a `HelloRetryRequest`.
fn retry(case: &mut Case<'_>, change: fn(&mut Client<'_>, &mut Case<'_>)) -> Victim {
    let mut victim = Victim::server(case.target);
    let mut client = Client::new(case.target);
    client.provoke_retry(&mut victim);
    change(&mut client, case);
    client.greet(&mut victim);
    victim
}

/// Sends the header of a message of 2^24 - 1 bytes and a few records of its body.
fn giant(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let body = case.dice.bytes(100_000);
    victim.hear(&records(HANDSHAKE, &[&[CLIENT_HELLO, 0xff, 0xff, 0xff], &*body].concat()));
    victim
}

/// Sends bytes after the extensions, within the message.
fn tail(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let hello = Client::new(case.target).hello.encode();
    let len = 1 + case.dice.below(100);
    let body = [&hello[4..], &case.dice.bytes(len)].concat();
    victim.hear(&records(HANDSHAKE, &message(CLIENT_HELLO, &body)));
    victim
}

/// Sends two hellos: a client must not go on before the server has answered.
fn two(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::server(case.target);
    let hello = Client::new(case.target).hello.encode();
    victim.hear(&records(HANDSHAKE, &hello.repeat(2)));
    victim
}
