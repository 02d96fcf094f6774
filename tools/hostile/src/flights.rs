//! Protected handshake messages, in the handshake and after it: RFC 8446, sections 4.3, 4.4 and
//! 4.6.

use crate::attacker::{ECDSA_P256, Session};
use crate::dice::Dice;
use crate::kinds::Act::{Afterwards, Flight};
use crate::kinds::Cases::{Few, InTurn};
use crate::kinds::{any, kinds};
use crate::outcome::HANDSHAKE_FAILURE;
use crate::outcome::Outcome::Closes;
use crate::outcome::{
    BAD_CERTIFICATE, CERTIFICATE_REQUIRED, CERTIFICATE_UNKNOWN, DECODE_ERROR, DECRYPT_ERROR,
    ILLEGAL_PARAMETER, UNEXPECTED_MESSAGE, UNKNOWN_CA, UNSUPPORTED_CERTIFICATE,
    UNSUPPORTED_EXTENSION,
};
use crate::wire::{
    ALPN, CERTIFICATE, CERTIFICATE_REQUEST, CLIENT_HELLO, ENCRYPTED_EXTENSIONS, Extensions,
    FINISHED, KEY_UPDATE, MESSAGE_HEADER, NEW_SESSION_TICKET, SERVER_HELLO, SIGNATURE_ALGORITHMS,
    list16, message, vec8, vec16, vec24,
};

kinds! {
    "Finished of another value"    Server InTurn, any, [DECRYPT_ERROR], Flight(wrong_finished);
    "Finished of another value"    Client InTurn, any, [DECRYPT_ERROR], Flight(wrong_finished);
    "Finished of another length"   Server InTurn, any, [DECRYPT_ERROR], Flight(wrong_length);
    "Finished of another length"   Client InTurn, any, [DECRYPT_ERROR], Flight(wrong_length);
    "messages out of order"        Server InTurn, any, [UNEXPECTED_MESSAGE], Flight(out_of_order);
    "messages out of order"        Client InTurn, any, [UNEXPECTED_MESSAGE], Flight(out_of_order);
    "message left out"             Server InTurn, any, [UNEXPECTED_MESSAGE], Flight(left_out);
    "a hello again"                Server InTurn, any, [UNEXPECTED_MESSAGE], Flight(|_, dice| vec![message(CLIENT_HELLO, &hello(dice))]);
    "a hello again"                Client InTurn, any, [UNEXPECTED_MESSAGE], Flight(|_, dice| vec![message(SERVER_HELLO, &answer(dice))]);
    "key update before Finished"   Server Few, any, [UNEXPECTED_MESSAGE], Flight(|_, dice| vec![message(KEY_UPDATE, &[dice.below(2) as u8])]);
    "key update before Finished"   Client Few, any, [UNEXPECTED_MESSAGE], Flight(|_, dice| vec![message(KEY_UPDATE, &[dice.below(2) as u8])]);
    "no certificate"               Server InTurn, any, [CERTIFICATE_REQUIRED], Flight(|session, _| {
        vec![session.certificate(&[]), session.finished()]
    });
    // RFC 8446, section 4.4.2.4, requires decode_error; rustls gives up without an alert.
    "no certificate"               Client InTurn, any, [Closes], Flight(|session, _| {
        let mut flight = session.beginning();
        flight.push(session.certificate(&[]));
        flight.extend(session.authentication().into_iter().skip(1));
        flight
    });
    "certificate of random bytes"  Server InTurn, any, [BAD_CERTIFICATE], Flight(random_certificate);
    "certificate of random bytes"  Client InTurn, any, [BAD_CERTIFICATE], Flight(random_certificate);
    "certificate for the other role" Server InTurn, any, [UNSUPPORTED_CERTIFICATE], Flight(other_role);
    "certificate for the other role" Client InTurn, any, [UNSUPPORTED_CERTIFICATE], Flight(other_role);
    "certificate of a stranger"    Server InTurn, any, [UNKNOWN_CA], Flight(orphan);
    "certificate of a stranger"    Client InTurn, any, [UNKNOWN_CA], Flight(orphan);
    "root as its own certificate"  Server InTurn, any, [CERTIFICATE_UNKNOWN], Flight(root);
    "root as its own certificate"  Client InTurn, any, [CERTIFICATE_UNKNOWN], Flight(root);
    "a hundred certificates"       Server Few, any, [DECRYPT_ERROR], Flight(hundred);
    "a hundred certificates"       Client Few, any, [DECRYPT_ERROR], Flight(hundred);
    "signature with a flipped bit" Server InTurn, any, [DECRYPT_ERROR], Flight(flipped_signature);
    "signature with a flipped bit" Client InTurn, any, [DECRYPT_ERROR], Flight(flipped_signature);
    "signature of the other role"  Server InTurn, any, [DECRYPT_ERROR], Flight(wrong_content);
    "signature of the other role"  Client InTurn, any, [DECRYPT_ERROR], Flight(wrong_content);
    "signature of 0 bytes"         Server InTurn, any, [DECRYPT_ERROR], Flight(|session, _| signed(session, ECDSA_P256, &[]));
    "signature of 0 bytes"         Client InTurn, any, [DECRYPT_ERROR], Flight(|session, _| signed(session, ECDSA_P256, &[]));
    "signature of 50,000 bytes"    Server InTurn, any, [DECRYPT_ERROR], Flight(|session, dice| signed(session, ECDSA_P256, &dice.bytes(50_000)));
    "signature of 50,000 bytes"    Client InTurn, any, [DECRYPT_ERROR], Flight(|session, dice| signed(session, ECDSA_P256, &dice.bytes(50_000)));
    "signature of an unknown scheme" Server InTurn, any, [ILLEGAL_PARAMETER], Flight(|session, dice| signed(session, 0xfafa, &dice.bytes(70)));
    "signature of an unknown scheme" Client InTurn, any, [ILLEGAL_PARAMETER], Flight(|session, dice| signed(session, 0xfafa, &dice.bytes(70)));
    "hash-tree signature by P-256" Server InTurn, any, [DECRYPT_ERROR], Flight(tree_scheme);
    "hash-tree signature by P-256" Client InTurn, any, [DECRYPT_ERROR], Flight(tree_scheme);
    "hash-tree signature, random"  Server Few, any, [DECRYPT_ERROR], Flight(random_tree);
    "hash-tree signature, random"  Client Few, any, [DECRYPT_ERROR], Flight(random_tree);
    "hash-tree signature, short"   Server Few, any, [DECRYPT_ERROR], Flight(short_tree);
    "hash-tree signature, short"   Client Few, any, [DECRYPT_ERROR], Flight(short_tree);
    // RFC 8446, section 6, requires decode_error; rustls gives up without an alert.
    "message that claims 16 MB"    Server Few, any, [Closes], Flight(giant);
    "message that claims 16 MB"    Client Few, any, [Closes], Flight(giant);
    "an extension nobody asked for in EncryptedExtensions" Client Few, any, [UNSUPPORTED_EXTENSION], Flight(|_, _| {
        let extensions = Extensions(vec![(ALPN, vec16(b"\x02h2"))]);
        vec![message(ENCRYPTED_EXTENSIONS, &extensions.encode())]
    });
    "certificate with a context"   Server Few, any, [DECODE_ERROR], Flight(with_context);
    "certificate with a context"   Client Few, any, [DECODE_ERROR], Flight(with_context);
    "request with a context"       Client Few, any, [DECODE_ERROR], Flight(|_, _| {
        let schemes = Extensions(vec![(SIGNATURE_ALGORITHMS, vec16(&list16(&[ECDSA_P256])))]);
        let request = [vec8(&[1]), schemes.encode()].concat();
        vec![message(ENCRYPTED_EXTENSIONS, &vec16(&[])), message(CERTIFICATE_REQUEST, &request)]
    });
    // RFC 8446, section 4.3.2, requires missing_extension.
    "request without schemes"      Client Few, any, [HANDSHAKE_FAILURE], Flight(|_, _| {
        let request = [vec8(&[]), vec16(&[])].concat();
        vec![message(ENCRYPTED_EXTENSIONS, &vec16(&[])), message(CERTIFICATE_REQUEST, &request)]
    });
    "afterwards: a hello"          Server InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|dice| vec![message(CLIENT_HELLO, &hello(dice))]);
    "afterwards: a hello"          Client InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|dice| vec![message(SERVER_HELLO, &answer(dice))]);
    "afterwards: Finished"         Server InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|dice| vec![message(FINISHED, &dice.bytes(32))]);
    "afterwards: Finished"         Client InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|dice| vec![message(FINISHED, &dice.bytes(32))]);
    "afterwards: a client's ticket" Server InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|dice| vec![ticket(dice)]);
    "afterwards: key update of another value" Server Few, any, [ILLEGAL_PARAMETER], Afterwards(|dice| vec![message(KEY_UPDATE, &[2 + dice.below(250) as u8])]);
    "afterwards: key update of another value" Client Few, any, [ILLEGAL_PARAMETER], Afterwards(|dice| vec![message(KEY_UPDATE, &[2 + dice.below(250) as u8])]);
    "afterwards: a request"        Client InTurn, any, [UNEXPECTED_MESSAGE], Afterwards(|_| vec![message(CERTIFICATE_REQUEST, &[0, 0, 0])]);
}

/// Returns the body of a plausible `ServerHello`.
fn answer(dice: &mut Dice) -> Vec<u8> {
    [&[3, 3][..], &dice.bytes(32), &vec8(&[]), &[0x13, 1], &[0], &vec16(&[])].concat()
}

/// Returns the body of a plausible `ClientHello`.
fn hello(dice: &mut Dice) -> Vec<u8> {
    [&[3, 3][..], &dice.bytes(32), &vec8(&[]), &vec16(&[0x13, 1]), &vec8(&[0]), &vec16(&[])]
        .concat()
}

fn ticket(dice: &mut Dice) -> Vec<u8> {
    let body = [vec![0; 8], vec8(&[0]), vec16(&dice.bytes(100)), vec16(&[])].concat();
    message(NEW_SESSION_TICKET, &body)
}

fn wrong_finished(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    if let Some(finished) = flight.last_mut() {
        let at = MESSAGE_HEADER + dice.below(finished.len() - MESSAGE_HEADER);
        finished[at] ^= dice.bits();
    }
    flight
}

fn wrong_length(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    if let Some(finished) = flight.last_mut() {
        let len = *dice.one_of(&[0, 1, 31, 33, 48, 1000]);
        let mut body = finished[MESSAGE_HEADER..].to_vec();
        body.resize(len, 0);
        *finished = message(FINISHED, &body);
    }
    flight
}

/// Exchanges any two neighbouring messages.
fn out_of_order(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    let at = dice.below(flight.len() - 1);
    flight.swap(at, at + 1);
    flight
}

/// Leaves out any message but the last. Only clients do this: a server may leave out its
/// `CertificateRequest`.
fn left_out(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    flight.remove(dice.below(flight.len() - 1));
    flight
}

fn random_certificate(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let len = 1 + dice.below(2000);
    let certificate = dice.bytes(len).into();
    flight.push(session.certificate(&[certificate]));
    flight.extend(session.authentication().into_iter().skip(1));
    flight.push(session.finished());
    flight
}

/// Presents the credentials of the attacker's other role, whose keys are for another use.
fn other_role(session: &mut Session<'_>, _: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    flight.extend(session.authentication_of_other_role());
    flight.push(session.finished());
    flight
}

/// Presents a certificate that no root of the victim has issued.
fn orphan(session: &mut Session<'_>, _: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let orphan = session.target().hash_tree.orphan.clone();
    flight.push(session.certificate(&[orphan]));
    flight.extend(session.authentication().into_iter().skip(1));
    flight.push(session.finished());
    flight
}

/// Presents the root of the hash-tree certificates as the attacker's own certificate.
fn root(session: &mut Session<'_>, _: &mut Dice) -> Vec<Vec<u8>> {
    let root = session.target().hash_tree.root.clone();
    let mut flight = session.beginning();
    flight.push(session.certificate(&[root]));
    flight.extend(session.authentication().into_iter().skip(1));
    flight.push(session.finished());
    flight
}

/// Sends the attacker's certificate up to 99 times, and a random signature.
fn hundred(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let own = session.own_chain()[0].clone();
    let chain = vec![own; 2 + dice.below(98)];
    flight.push(session.certificate(&chain));
    flight.push(session.certificate_verify(ECDSA_P256, &dice.bytes(70)));
    flight.push(session.finished());
    flight
}

fn flipped_signature(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    let at = flight.len() - 2;
    let signature = &mut flight[at];
    let start = MESSAGE_HEADER + 4;
    let at = start + dice.below(signature.len() - start);
    signature[at] ^= 1 << dice.below(8);
    flight
}

/// Signs the content that the other side would have signed.
fn wrong_content(session: &mut Session<'_>, _: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let chain = session.own_chain();
    flight.push(session.certificate(&chain));
    let signature = session.signature_of_other_role();
    flight.push(session.certificate_verify(ECDSA_P256, &signature));
    flight.push(session.finished());
    flight
}

/// Sends the certificate of the test PKI with this signature.
fn signed(session: &mut Session<'_>, scheme: u16, signature: &[u8]) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let chain = session.own_chain();
    flight.push(session.certificate(&chain));
    flight.push(session.certificate_verify(scheme, signature));
    flight.push(session.finished());
    flight
}

/// Claims the scheme of a hash tree for the key of an elliptic curve.
fn tree_scheme(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let scheme = session.target().hash_tree.scheme;
    signed(session, scheme, &dice.bytes(70))
}

fn random_tree(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let len = session.target().hash_tree.signature;
    tree_signature(session, &dice.bytes(len))
}

fn short_tree(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let len = dice.below(session.target().hash_tree.signature);
    tree_signature(session, &dice.bytes(len))
}

fn tree_signature(session: &mut Session<'_>, signature: &[u8]) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let tree = session.target().hash_tree.clone();
    flight.push(session.certificate(&tree.chain));
    flight.push(session.certificate_verify(tree.scheme, signature));
    flight.push(session.finished());
    flight
}

/// Sends the header of a message of 2^24 - 1 bytes in place of Finished.
fn giant(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.flight();
    flight.pop();
    flight.push([&[FINISHED, 0xff, 0xff, 0xff], &*dice.bytes(100_000)].concat());
    flight
}

/// Sends a context, which is empty in a handshake: RFC 8446, section 4.4.2.
fn with_context(session: &mut Session<'_>, dice: &mut Dice) -> Vec<Vec<u8>> {
    let mut flight = session.beginning();
    let chain = session.own_chain();
    let entries = chain.iter().flat_map(|der| [vec24(der), vec16(&[])]).flatten();
    let entries = vec24(&entries.collect::<Vec<_>>());
    flight.push(message(CERTIFICATE, &[vec8(&dice.bytes(8)), entries].concat()));
    flight
}
