//! The kinds of hostile input: what is sent, to whom, and how that must end.

use anyhow::Result;
use oaklath_hybrid::Group;
use oaklath_params::group::GroupInfo;

use crate::attacker::{Client, Server, Session, share_entry};
use crate::dice::Dice;
use crate::outcome::Outcome;
use crate::target::Target;
use crate::victim::{Role, Victim};
use crate::wire::{Hello, KEY_SHARE, vec16};

/// A kind of input. Every outcome listed is right; most kinds have one.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) victim: Role,
    pub(crate) cases: Cases,
    pub(crate) applies: fn(&GroupInfo) -> bool,
    pub(crate) expected: &'static [Outcome],
    pub(crate) act: Act,
}

/// The number of cases of a kind.
#[derive(Clone, Copy)]
pub(crate) enum Cases {
    /// One in each round over the kinds.
    InTurn,
    /// One in every tenth round: they are expensive, or hardly differ.
    Few,
    /// One for each byte of a stream of this length.
    EachByte(fn(&Target) -> Result<usize>),
}

/// The places of the two halves of a share.
pub(crate) struct Halves {
    pub(crate) info: &'static GroupInfo,
    /// Length in bytes of the KEM's half: an encapsulation key, or a ciphertext.
    pub(crate) kem: usize,
}

impl Halves {
    /// Returns where the KEM's half begins.
    pub(crate) fn kem_start(&self) -> usize {
        if self.info.kem_first { 0 } else { self.curve_len() }
    }

    /// Returns where the curve's half begins.
    pub(crate) fn curve_start(&self) -> usize {
        if self.info.kem_first { self.kem } else { 0 }
    }

    /// Returns the length in bytes of the curve's half, 0 for a KEM alone.
    pub(crate) fn curve_len(&self) -> usize {
        self.info.curve.map_or(0, |curve| curve.public_key)
    }
}

/// What the attacker does. Whatever is not named here is honest.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Changes its share.
    Share(fn(&Halves, &mut Vec<u8>, &mut Dice)),
    /// Uses another group whose shares have the same lengths.
    Twin,
    /// Changes its hello.
    Hello(fn(&mut Hello, &mut Case<'_>)),
    /// Sends other messages after the hellos.
    Flight(fn(&mut Session<'_>, &mut Dice) -> Vec<Vec<u8>>),
    /// Sends other records after the hellos.
    Records(fn(&mut Session<'_>, &mut Dice) -> Vec<u8>),
    /// Sends these messages when the handshake is over.
    Afterwards(fn(&mut Dice) -> Vec<Vec<u8>>),
    /// Does everything itself.
    Whole(fn(&mut Case<'_>) -> Victim),
}

/// One case: its choices and its number among those of its kind.
pub(crate) struct Case<'a> {
    pub(crate) target: &'a Target,
    pub(crate) dice: Dice,
    pub(crate) number: usize,
}

impl<'a> Case<'a> {
    /// Attacks, and returns the victim in its state after that.
    pub(crate) fn run(mut self, kind: &Kind) -> Victim {
        if let Act::Whole(act) = kind.act {
            return act(&mut self);
        }
        match kind.victim {
            Role::Server => self.attack_server(kind.act),
            Role::Client => self.attack_client(kind.act),
        }
    }

    fn attack_server(mut self, act: Act) -> Victim {
        let mut victim = Victim::server(self.target);
        let mut client = match act {
            Act::Twin => Client::with_key(self.target, self.twin()),
            _ => Client::new(self.target),
        };
        match act {
            Act::Share(change) => {
                let mut share = client.share();
                let info = self.target.info;
                change(&Halves { info, kem: info.kem.public_key }, &mut share, &mut self.dice);
                let entry = share_entry(info.codepoint, &share);
                client.hello.extensions.set(KEY_SHARE, vec16(&entry));
            }
            Act::Hello(change) => change(&mut client.hello, &mut self),
            _ => {}
        }
        client.greet(&mut victim);
        if let Some(session) = client.session(&mut victim) {
            self.go_on(session, act, &mut victim);
        }
        victim
    }

    fn attack_client(mut self, act: Act) -> Victim {
        let mut victim = Victim::client(self.target);
        let mut server = match act {
            Act::Twin => Server::with_group(self.target, &mut victim, self.twin()),
            _ => Server::new(self.target, &mut victim),
        };
        match act {
            Act::Share(change) => {
                let mut share = server.share.clone();
                let info = self.target.info;
                change(&Halves { info, kem: info.kem.ciphertext }, &mut share, &mut self.dice);
                server.hello.extensions.set(KEY_SHARE, share_entry(info.codepoint, &share));
            }
            Act::Hello(change) => change(&mut server.hello, &mut self),
            _ => {}
        }
        let session = server.greet(&mut victim);
        self.go_on(session, act, &mut victim);
        victim
    }

    /// Does what comes after the hellos.
    fn go_on(&mut self, mut session: Session<'a>, act: Act, victim: &mut Victim) {
        match act {
            Act::Flight(flight) => {
                let messages = flight(&mut session, &mut self.dice);
                victim.hear(&session.seal(&messages));
            }
            Act::Records(records) => {
                let records = records(&mut session, &mut self.dice);
                victim.hear(&records);
            }
            Act::Afterwards(messages) => {
                session.complete(victim);
                let messages = messages(&mut self.dice);
                victim.hear(&session.seal(&messages));
            }
            _ => session.complete(victim),
        }
    }

    /// Returns another group whose shares have the same lengths.
    fn twin(&mut self) -> Group {
        let twins: Vec<_> = twins(self.target.info).collect();
        let info = *self.dice.one_of(&twins);
        Group::new(info).expect("a group of this build")
    }
}

/// Returns the groups whose shares have halves of the same lengths and order, but another KEM.
pub(crate) fn twins(info: &GroupInfo) -> impl Iterator<Item = &'static GroupInfo> {
    oaklath_hybrid::all().map(|group| group.info()).filter(move |other| {
        other.kem != info.kem
            && other.kem.public_key == info.kem.public_key
            && other.kem.ciphertext == info.kem.ciphertext
            && (other.curve, other.kem_first) == (info.curve, info.kem_first)
    })
}

/// Returns every kind, in the order of the report.
pub(crate) fn all() -> impl Iterator<Item = &'static Kind> {
    [
        crate::honest::KINDS,
        crate::shares::KINDS,
        crate::client_hello::KINDS,
        crate::server_hello::KINDS,
        crate::records::KINDS,
        crate::flights::KINDS,
        crate::bytes::KINDS,
    ]
    .into_iter()
    .flatten()
}

/// Writes the rows of a table of kinds.
macro_rules! kinds {
    ($($name:literal $victim:ident $cases:expr, $applies:expr, [$($expected:ident)*], $act:expr;)*) => {
        /// The kinds of this module.
        pub(crate) const KINDS: &[crate::kinds::Kind] = &[$(
            crate::kinds::Kind {
                name: $name,
                victim: crate::victim::Role::$victim,
                cases: $cases,
                applies: $applies,
                expected: &[$($expected),*],
                act: $act,
            },
        )*];
    };
}
pub(crate) use kinds;

/// Accepts every group.
pub(crate) fn any(_: &GroupInfo) -> bool {
    true
}

/// Reports whether a group joins a curve with a KEM.
pub(crate) fn is_hybrid(info: &GroupInfo) -> bool {
    info.is_hybrid()
}
