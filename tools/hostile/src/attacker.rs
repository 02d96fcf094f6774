//! The attacker's client and server: honest unless an attack changes what they send.

use getrandom::SysRng;
use oaklath_hybrid::{ClientKey, Group};
use rustls::SignatureScheme;
use rustls::pki_types::CertificateDer;

use crate::schedule::{Schedule, Secret, Traffic, Transcript, signed_content, verify_data};
use crate::target::{Credentials, Target};
use crate::victim::{Role, Victim};
use crate::wire::{
    AES_128_GCM_SHA256, CERTIFICATE, CERTIFICATE_REQUEST, CERTIFICATE_VERIFY, CLIENT_HELLO,
    ENCRYPTED_EXTENSIONS, Extensions, FINISHED, HANDSHAKE, Hello, KEY_SHARE, LONGEST_PLAINTEXT,
    RETRY, Reader, SERVER_HELLO, SERVER_NAME, SIGNATURE_ALGORITHMS, SUPPORTED_GROUPS,
    SUPPORTED_VERSIONS, TLS13, list16, message, records, vec8, vec16, vec24,
};

/// The scheme of the test PKI's keys.
pub(crate) const ECDSA_P256: u16 = 0x0403;

/// Encodes an entry of `key_share`: RFC 8446, section 4.2.8.
pub(crate) fn share_entry(group: u16, share: &[u8]) -> Vec<u8> {
    [list16(&[group]), vec16(share)].concat()
}

/// Encodes a `server_name` of this host: RFC 6066, section 3.
pub(crate) fn server_name(host: &str) -> Vec<u8> {
    vec16(&[&[0], &*vec16(host.as_bytes())].concat())
}

/// A client that has made its key and not yet spoken.
pub(crate) struct Client<'a> {
    target: &'a Target,
    key: Option<ClientKey>,
    transcript: Transcript,
    pub(crate) hello: Hello,
}

impl<'a> Client<'a> {
    /// Makes a client with a share of the target's group.
    pub(crate) fn new(target: &'a Target) -> Self {
        Self::with_key(target, target.group)
    }

    /// Makes a client with a key of `group`, whose share is sent under the target's codepoint.
    pub(crate) fn with_key(target: &'a Target, group: Group) -> Self {
        let key = group.generate(&mut SysRng).expect("the system's randomness");
        let codepoint = target.info.codepoint;
        let extensions = Extensions(vec![
            (SERVER_NAME, server_name("localhost")),
            (SUPPORTED_GROUPS, vec16(&list16(&[codepoint]))),
            (SIGNATURE_ALGORITHMS, vec16(&list16(&[ECDSA_P256]))),
            (SUPPORTED_VERSIONS, vec8(&TLS13)),
            (KEY_SHARE, vec16(&share_entry(codepoint, key.share()))),
        ]);
        let hello = Hello {
            kind: CLIENT_HELLO,
            random: [0x42; 32],
            session: vec![0x53; 32],
            suites: vec![AES_128_GCM_SHA256],
            compression: vec![0],
            extensions,
        };
        Self { target, key: Some(key), transcript: Transcript::default(), hello }
    }

    /// Returns the share that the client made.
    pub(crate) fn share(&self) -> Vec<u8> {
        self.key.as_ref().map_or_else(Vec::new, |key| key.share().to_vec())
    }

    /// Sends the hello.
    pub(crate) fn greet(&mut self, victim: &mut Victim) {
        let hello = self.hello.encode();
        self.said(&hello);
        victim.hear(&records(HANDSHAKE, &hello));
    }

    /// Records a hello as sent.
    pub(crate) fn said(&mut self, hello: &[u8]) {
        self.transcript.add(hello);
    }

    /// Sends a hello without a share of the target's group, and reads the `HelloRetryRequest`.
    pub(crate) fn provoke_retry(&mut self, victim: &mut Victim) {
        let honest = self.hello.clone();
        let other = self.target.other;
        let groups = list16(&[other.codepoint, self.target.info.codepoint]);
        self.hello.extensions.set(SUPPORTED_GROUPS, vec16(&groups));
        let share = share_entry(other.codepoint, &vec![1; other.client_share()]);
        self.hello.extensions.set(KEY_SHARE, vec16(&share));
        self.greet(victim);
        let retry = victim.next_message().expect("a HelloRetryRequest");
        assert_eq!(Hello::read(&retry).random, RETRY);
        self.transcript.retried();
        self.transcript.add(&retry);
        let share = honest.extensions.find(KEY_SHARE).unwrap_or_default();
        self.hello.extensions.set(KEY_SHARE, share.to_vec());
    }

    /// Reads the server's flight; returns `None` if there is none.
    pub(crate) fn session(&mut self, victim: &mut Victim) -> Option<Session<'a>> {
        if victim.has_ended() {
            return None;
        }
        let hello = victim.next_message()?;
        self.transcript.add(&hello);
        let share = Hello::read(&hello).extensions;
        let mut share = Reader(share.find(KEY_SHARE)?);
        let (_, share) = (share.u16(), share.0.get(2..)?);
        let secret = self.key.take()?.finish(share).ok()?;
        let schedule = Schedule::new(secret.as_bytes(), &self.transcript);
        while let Some(message) = victim.next_message() {
            self.transcript.add(&message);
        }
        let [application, _] = schedule.application(&self.transcript);
        Some(Session {
            target: self.target,
            role: Role::Client,
            traffic: Traffic::new(&schedule.client),
            own: schedule.client,
            schedule,
            application: Some(application),
            transcript: self.transcript.clone(),
        })
    }
}

/// A server that has heard the `ClientHello` and not yet spoken.
pub(crate) struct Server<'a> {
    target: &'a Target,
    transcript: Transcript,
    secret: Vec<u8>,
    pub(crate) share: Vec<u8>,
    pub(crate) hello: Hello,
}

impl<'a> Server<'a> {
    /// Answers the client's share of the target's group.
    pub(crate) fn new(target: &'a Target, victim: &mut Victim) -> Self {
        Self::with_group(target, victim, target.group)
    }

    /// Answers the client's share of the target's group as if it were one of `group`.
    pub(crate) fn with_group(target: &'a Target, victim: &mut Victim, group: Group) -> Self {
        Self::after(target, victim, group, Transcript::default())
    }

    fn after(
        target: &'a Target,
        victim: &mut Victim,
        group: Group,
        mut transcript: Transcript,
    ) -> Self {
        let client_hello = victim.next_message().expect("a ClientHello");
        transcript.add(&client_hello);
        let client_hello = Hello::read(&client_hello);
        let shares = client_hello.extensions.find(KEY_SHARE).expect("key shares");
        let mut shares = Reader(Reader(shares).vec16());
        let mut answer = None;
        while !shares.0.is_empty() {
            let (codepoint, share) = (shares.u16(), shares.vec16());
            if codepoint == target.info.codepoint {
                answer = group.respond(&mut SysRng, share).ok();
            }
        }
        let (share, secret) = match answer {
            Some(answer) => (answer.share, answer.secret.as_bytes().to_vec()),
            None => Default::default(),
        };
        let entry = share_entry(target.info.codepoint, &share);
        let hello = Hello {
            kind: SERVER_HELLO,
            random: [0x24; 32],
            session: client_hello.session,
            suites: vec![AES_128_GCM_SHA256],
            compression: vec![0],
            extensions: Extensions(vec![(SUPPORTED_VERSIONS, TLS13.to_vec()), (KEY_SHARE, entry)]),
        };
        Self { target, transcript, secret, share, hello }
    }

    /// Returns the `HelloRetryRequest` that asks for the target's group.
    pub(crate) fn retry(&self) -> Hello {
        let mut retry = Hello { random: RETRY, ..self.hello.clone() };
        retry.extensions.set(KEY_SHARE, list16(&[self.target.info.codepoint]));
        retry
    }

    /// Sends a `HelloRetryRequest`, and reads the client's second hello, if the client answers.
    pub(crate) fn ask(mut self, victim: &mut Victim, retry: &Hello) -> Option<Self> {
        self.transcript.retried();
        let retry = retry.encode();
        self.transcript.add(&retry);
        victim.hear(&records(HANDSHAKE, &retry));
        let answers = !victim.has_ended();
        answers.then(|| Self::after(self.target, victim, self.target.group, self.transcript))
    }

    /// Sends the hello.
    pub(crate) fn greet(self, victim: &mut Victim) -> Session<'a> {
        let hello = self.hello.encode();
        victim.hear(&records(HANDSHAKE, &hello));
        self.greeted(&hello)
    }

    /// Records this hello as sent.
    pub(crate) fn greeted(mut self, hello: &[u8]) -> Session<'a> {
        self.transcript.add(hello);
        let schedule = Schedule::new(&self.secret, &self.transcript);
        Session {
            target: self.target,
            role: Role::Server,
            traffic: Traffic::new(&schedule.server),
            own: schedule.server,
            schedule,
            application: None,
            transcript: self.transcript,
        }
    }
}

/// The attacker after the hellos.
pub(crate) struct Session<'a> {
    target: &'a Target,
    role: Role,
    schedule: Schedule,
    /// The secret of its handshake messages, and that of its application data once it is known.
    own: Secret,
    application: Option<Secret>,
    pub(crate) traffic: Traffic,
    pub(crate) transcript: Transcript,
}

impl Session<'_> {
    fn added(&mut self, message: Vec<u8>) -> Vec<u8> {
        self.transcript.add(&message);
        message
    }

    pub(crate) fn target(&self) -> &Target {
        self.target
    }

    /// Returns the attacker's own chain.
    pub(crate) fn own_chain(&self) -> Vec<CertificateDer<'static>> {
        self.credentials(self.role).chain.clone()
    }

    fn credentials(&self, role: Role) -> &Credentials {
        match role {
            Role::Client => &self.target.client_credentials,
            Role::Server => &self.target.server_credentials,
        }
    }

    /// Returns the messages that an honest peer sends now, in order.
    pub(crate) fn flight(&mut self) -> Vec<Vec<u8>> {
        let mut flight = self.beginning();
        flight.extend(self.authentication());
        flight.push(self.finished());
        flight
    }

    /// Returns a server's messages before its certificate; a client has none.
    pub(crate) fn beginning(&mut self) -> Vec<Vec<u8>> {
        if self.role == Role::Client {
            return Vec::new();
        }
        let schemes = Extensions(vec![(SIGNATURE_ALGORITHMS, vec16(&list16(&[ECDSA_P256])))]);
        let request = [vec8(&[]), schemes.encode()].concat();
        [message(ENCRYPTED_EXTENSIONS, &vec16(&[])), message(CERTIFICATE_REQUEST, &request)]
            .map(|message| self.added(message))
            .to_vec()
    }

    /// Returns `Certificate` and `CertificateVerify` of the test PKI.
    pub(crate) fn authentication(&mut self) -> [Vec<u8>; 2] {
        self.authentication_of(self.role)
    }

    /// Returns `Certificate` and `CertificateVerify` with the credentials of the other role.
    pub(crate) fn authentication_of_other_role(&mut self) -> [Vec<u8>; 2] {
        self.authentication_of(self.role.other())
    }

    fn authentication_of(&mut self, role: Role) -> [Vec<u8>; 2] {
        let chain = self.credentials(role).chain.clone();
        let certificate = self.certificate(&chain);
        let signature = self.sign(role, &self.content());
        [certificate, self.certificate_verify(ECDSA_P256, &signature)]
    }

    /// Returns the content that its `CertificateVerify` signs now.
    pub(crate) fn content(&self) -> Vec<u8> {
        signed_content(self.role.side(), &self.transcript)
    }

    /// Signs the content that the other side's `CertificateVerify` would sign now.
    pub(crate) fn signature_of_other_role(&self) -> Vec<u8> {
        let content = signed_content(self.role.other().side(), &self.transcript);
        self.sign(self.role, &content)
    }

    /// Signs with the key for `role`.
    fn sign(&self, role: Role, content: &[u8]) -> Vec<u8> {
        let key = &self.credentials(role).key;
        let signer = key.choose_scheme(&[SignatureScheme::from(ECDSA_P256)]);
        signer.expect("a key of P-256").sign(content).expect("a signature")
    }

    pub(crate) fn certificate(&mut self, chain: &[CertificateDer<'_>]) -> Vec<u8> {
        let entries = chain.iter().flat_map(|der| [vec24(der), vec16(&[])]).flatten();
        let entries = vec24(&entries.collect::<Vec<_>>());
        self.added(message(CERTIFICATE, &[vec8(&[]), entries].concat()))
    }

    pub(crate) fn certificate_verify(&mut self, scheme: u16, signature: &[u8]) -> Vec<u8> {
        self.added(message(CERTIFICATE_VERIFY, &share_entry(scheme, signature)))
    }

    pub(crate) fn finished(&mut self) -> Vec<u8> {
        let finished = message(FINISHED, &verify_data(&self.own, &self.transcript));
        let finished = self.added(finished);
        if self.role == Role::Server {
            let [_, application] = self.schedule.application(&self.transcript);
            self.application = Some(application);
        }
        finished
    }

    /// Protects each message in records of its own.
    pub(crate) fn seal(&mut self, messages: &[Vec<u8>]) -> Vec<u8> {
        let parts = messages.iter().flat_map(|message| message.chunks(LONGEST_PLAINTEXT));
        parts.flat_map(|part| self.traffic.seal(HANDSHAKE, part)).collect()
    }

    /// Completes the handshake honestly; from then on records are those of application data.
    pub(crate) fn complete(&mut self, victim: &mut Victim) {
        let flight = self.flight();
        victim.hear(&self.seal(&flight));
        let application = self.application.expect("after the server's Finished");
        self.traffic = Traffic::new(&application);
    }
}
