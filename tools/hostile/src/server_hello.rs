//! `ServerHello` and `HelloRetryRequest` from the side of the server: RFC 8446, sections 4.1.3,
//! 4.1.4 and 4.2.8.

use crate::attacker::{Server, share_entry};
use crate::kinds::Act::{Hello, Whole};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{Case, any, is_hybrid, kinds};
use crate::outcome::Outcome::{Closes, Connected};
use crate::outcome::{
    DECODE_ERROR, HANDSHAKE_FAILURE, ILLEGAL_PARAMETER, MISSING_EXTENSION, PROTOCOL_VERSION,
    UNEXPECTED_MESSAGE, UNSUPPORTED_EXTENSION,
};
use crate::victim::Victim;
use crate::wire::{
    self, AES_256_GCM_SHA384, ALPN, COOKIE, ENCRYPTED_EXTENSIONS, HANDSHAKE, KEY_SHARE,
    PRE_SHARED_KEY, SERVER_HELLO, SUPPORTED_VERSIONS, TLS12, list16, message, records, vec16,
};

kinds! {
    // RFC 8446, section 4.1.3, requires illegal_parameter; rustls compares it after retries only.
    // The transcript shows that the peers agree.
    "another session"              Client InTurn, any, [Connected], Hello(|hello, case| {
        let at = case.dice.below(hello.session.len());
        hello.session[at] ^= case.dice.bits();
    });
    "no session"                   Client Few, any, [Connected], Hello(|hello, _| hello.session.clear());
    "a suite nobody offered"       Client Few, any, [HANDSHAKE_FAILURE], Hello(|hello, _| hello.suites = vec![0x13ff]);
    "compression"                  Client Few, any, [ILLEGAL_PARAMETER], Hello(|hello, case| hello.compression = vec![case.dice.bits()]);
    "no key share"                 Client InTurn, any, [MISSING_EXTENSION], Hello(|hello, _| hello.extensions.remove(KEY_SHARE));
    "no version"                   Client Few, any, [PROTOCOL_VERSION], Hello(|hello, _| hello.extensions.remove(SUPPORTED_VERSIONS));
    // RFC 8446, section 4.2.1, requires illegal_parameter.
    "version TLS 1.2"              Client Few, any, [PROTOCOL_VERSION], Hello(|hello, _| hello.extensions.set(SUPPORTED_VERSIONS, TLS12.to_vec()));
    "share of a group nobody offered" Client InTurn, any, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let other = case.target.other;
        let share = case.dice.bytes(other.server_share());
        hello.extensions.set(KEY_SHARE, share_entry(other.codepoint, &share));
    });
    "share of the bare curve"      Client InTurn, is_hybrid, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let Some(curve) = case.target.info.curve else { return };
        let share = case.dice.bytes(curve.public_key);
        hello.extensions.set(KEY_SHARE, share_entry(curve.codepoint, &share));
    });
    "key share with a tail"        Client InTurn, any, [DECODE_ERROR], Hello(|hello, case| {
        let len = 1 + case.dice.below(100);
        let tail = case.dice.bytes(len);
        let share = hello.extensions.find(KEY_SHARE).unwrap_or_default();
        let share = [share, &tail].concat();
        hello.extensions.set(KEY_SHARE, share);
    });
    "an extension nobody asked for" Client Few, any, [UNSUPPORTED_EXTENSION], Hello(|hello, _| hello.extensions.set(ALPN, vec16(b"\x02h2")));
    "a ticket nobody offered"      Client Few, any, [UNSUPPORTED_EXTENSION], Hello(|hello, _| hello.extensions.set(PRE_SHARED_KEY, vec![0, 0]));
    "an extension twice"           Client InTurn, any, [ILLEGAL_PARAMETER], Hello(|hello, case| {
        let again = case.dice.one_of(&hello.extensions.0).clone();
        hello.extensions.0.push(again);
    });
    // RFC 8446, section 6, requires decode_error; rustls gives up without an alert.
    "hello that claims 16 MB"      Client Few, any, [Closes], Whole(giant);
    "more behind the hello"        Client InTurn, any, [UNEXPECTED_MESSAGE], Whole(behind);
    "retry: the group that is there" Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| {
        let mut victim = Victim::client(case.target);
        let server = Server::new(case.target, &mut victim);
        let retry = server.retry();
        let _ = server.ask(&mut victim, &retry);
        victim
    });
    "retry: a group nobody offered" Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |hello, _| {
        hello.extensions.set(KEY_SHARE, list16(&[0xfafa]));
    }));
    "retry: nothing to change"     Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |hello, _| {
        hello.extensions.remove(KEY_SHARE);
    }));
    "retry: another session"       Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |hello, case| {
        let at = case.dice.below(hello.session.len());
        hello.session[at] ^= case.dice.bits();
    }));
    "retry: a share"               Client InTurn, any, [DECODE_ERROR], Whole(|case| retry(case, |hello, case| {
        let info = case.target.info;
        let share = case.dice.bytes(info.server_share());
        hello.extensions.set(KEY_SHARE, share_entry(info.codepoint, &share));
    }));
    "retry: an empty cookie"       Client Few, any, [DECODE_ERROR], Whole(|case| retry(case, |hello, _| {
        hello.extensions.set(COOKIE, vec16(&[]));
    }));
    "retry: an unknown extension"  Client Few, any, [UNSUPPORTED_EXTENSION], Whole(|case| retry(case, |hello, _| {
        hello.extensions.set(0xfafa, vec![1]);
    }));
    "retry: a suite nobody offered" Client Few, any, [ILLEGAL_PARAMETER], Whole(|case| retry(case, |hello, _| {
        hello.suites = vec![0x13ff];
    }));
    "retry: twice"                 Client InTurn, any, [UNEXPECTED_MESSAGE], Whole(|case| after_retry(case, |server, _| {
        server.hello = server.retry();
    }));
    "after retry: another suite"   Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| after_retry(case, |server, _| {
        server.hello.suites = vec![AES_256_GCM_SHA384];
    }));
    "after retry: the first group" Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| after_retry(case, |server, case| {
        let other = case.target.other;
        let share = case.dice.bytes(other.server_share());
        server.hello.extensions.set(KEY_SHARE, share_entry(other.codepoint, &share));
    }));
    "after retry: a bad share"     Client InTurn, any, [ILLEGAL_PARAMETER], Whole(|case| after_retry(case, |server, case| {
        let info = case.target.info;
        let len = 1 + case.dice.below(info.server_share() - 1);
        server.hello.extensions.set(KEY_SHARE, share_entry(info.codepoint, &vec![4; len]));
    }));
}

/// Sends a valid `HelloRetryRequest`, changed.
fn retry(case: &mut Case<'_>, change: fn(&mut wire::Hello, &mut Case<'_>)) -> Victim {
    let mut victim = Victim::client_of_another_group(case.target);
    let server = Server::new(case.target, &mut victim);
    let mut retry = server.retry();
    change(&mut retry, case);
    let _ = server.ask(&mut victim, &retry);
    victim
}

/// Sends a changed `ServerHello` after a valid `HelloRetryRequest`.
fn after_retry(case: &mut Case<'_>, change: fn(&mut Server<'_>, &mut Case<'_>)) -> Victim {
    let mut victim = Victim::client_of_another_group(case.target);
    let server = Server::new(case.target, &mut victim);
    let retry = server.retry();
    if let Some(mut server) = server.ask(&mut victim, &retry) {
        change(&mut server, case);
        server.greet(&mut victim);
    }
    victim
}

/// Sends the header of a message of 2^24 - 1 bytes and a few records of its body.
fn giant(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::client(case.target);
    let body = case.dice.bytes(100_000);
    victim.hear(&records(HANDSHAKE, &[&[SERVER_HELLO, 0xff, 0xff, 0xff], &*body].concat()));
    victim
}

/// Sends a message after the hello in its record: no record may span a change of keys.
fn behind(case: &mut Case<'_>) -> Victim {
    let mut victim = Victim::client(case.target);
    let server = Server::new(case.target, &mut victim);
    let more = message(ENCRYPTED_EXTENSIONS, &vec16(&[]));
    victim.hear(&records(HANDSHAKE, &[server.hello.encode(), more].concat()));
    victim
}
