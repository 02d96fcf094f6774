//! Records and messages of TLS 1.3 (RFC 8446, sections 4 and 5), written and read by hand: an
//! attacker needs forms that no library writes.

/// Content types: RFC 8446, section 5.1.
pub(crate) const CHANGE_CIPHER_SPEC: u8 = 20;
pub(crate) const ALERT: u8 = 21;
pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const APPLICATION_DATA: u8 = 23;

/// Handshake types: RFC 8446, section 4.
pub(crate) const CLIENT_HELLO: u8 = 1;
pub(crate) const SERVER_HELLO: u8 = 2;
pub(crate) const NEW_SESSION_TICKET: u8 = 4;
pub(crate) const ENCRYPTED_EXTENSIONS: u8 = 8;
pub(crate) const CERTIFICATE: u8 = 11;
pub(crate) const CERTIFICATE_REQUEST: u8 = 13;
pub(crate) const CERTIFICATE_VERIFY: u8 = 15;
pub(crate) const FINISHED: u8 = 20;
pub(crate) const KEY_UPDATE: u8 = 24;
pub(crate) const MESSAGE_HASH: u8 = 254;

/// Extensions: RFC 8446, section 4.2.
pub(crate) const SERVER_NAME: u16 = 0;
pub(crate) const SUPPORTED_GROUPS: u16 = 10;
pub(crate) const SIGNATURE_ALGORITHMS: u16 = 13;
pub(crate) const ALPN: u16 = 16;
pub(crate) const PRE_SHARED_KEY: u16 = 41;
pub(crate) const SUPPORTED_VERSIONS: u16 = 43;
pub(crate) const COOKIE: u16 = 44;
pub(crate) const KEY_SHARE: u16 = 51;

/// The version that records and hellos claim, and the real one.
pub(crate) const TLS12: [u8; 2] = [3, 3];
pub(crate) const TLS13: [u8; 2] = [3, 4];

/// The suite of every connection here, and the other one that the victims support: RFC 8446,
/// appendix B.4.
pub(crate) const AES_128_GCM_SHA256: u16 = 0x1301;
pub(crate) const AES_256_GCM_SHA384: u16 = 0x1302;

/// The random of a `ServerHello` that is a `HelloRetryRequest`: RFC 8446, section 4.1.3.
pub(crate) const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// The length in bytes of a record's header.
pub(crate) const RECORD_HEADER: usize = 5;
/// The length in bytes of a handshake message's header.
pub(crate) const MESSAGE_HEADER: usize = 4;
/// The longest plaintext of a record, in bytes: RFC 8446, section 5.1.
pub(crate) const LONGEST_PLAINTEXT: usize = 1 << 14;

/// Returns `body` after its length in one byte.
pub(crate) fn vec8(body: &[u8]) -> Vec<u8> {
    let len = u8::try_from(body.len()).expect("at most 255 bytes");
    [&[len], body].concat()
}

/// Returns `body` after its length in two bytes.
pub(crate) fn vec16(body: &[u8]) -> Vec<u8> {
    let len = u16::try_from(body.len()).expect("at most 65,535 bytes");
    [&len.to_be_bytes(), body].concat()
}

/// Returns `body` after its length in three bytes.
pub(crate) fn vec24(body: &[u8]) -> Vec<u8> {
    let [0, len @ ..] = u32::try_from(body.len()).expect("a message").to_be_bytes() else {
        panic!("at most 2^24 - 1 bytes");
    };
    [&len, body].concat()
}

/// Concatenates numbers of two bytes.
pub(crate) fn list16(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// Returns a handshake message.
pub(crate) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &*vec24(body)].concat()
}

/// Returns one record in the clear.
pub(crate) fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &TLS12[..], &vec16(body)].concat()
}

/// Returns `bytes` in as many records in the clear as they need.
pub(crate) fn records(kind: u8, bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(LONGEST_PLAINTEXT).flat_map(|part| record(kind, part)).collect()
}

/// Returns where the whole records of `stream` begin and end.
pub(crate) fn record_bounds(stream: &[u8]) -> Vec<(usize, usize)> {
    let (mut bounds, mut at) = (Vec::new(), 0);
    while let Some(&[_, _, _, high, low]) = stream[at..].first_chunk() {
        let end = at + RECORD_HEADER + usize::from(u16::from_be_bytes([high, low]));
        if end > stream.len() {
            break;
        }
        bounds.push((at, end));
        at = end;
    }
    bounds
}

/// Reads fields from the front. What victims send is well-formed, so that a short read is a mistake
/// of this program and panics.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    pub(crate) fn u8(&mut self) -> u8 {
        self.take(1)[0]
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_be_bytes(self.take(2).try_into().expect("two bytes"))
    }

    pub(crate) fn vec8(&mut self) -> &'a [u8] {
        let len = self.u8();
        self.take(len.into())
    }

    pub(crate) fn vec16(&mut self) -> &'a [u8] {
        let len = self.u16();
        self.take(len.into())
    }

    /// Reads extensions after their common length.
    pub(crate) fn extensions(&mut self) -> Extensions {
        let mut rest = Reader(self.vec16());
        let mut all = Vec::new();
        while !rest.0.is_empty() {
            all.push((rest.u16(), rest.vec16().to_vec()));
        }
        Extensions(all)
    }
}

/// Extensions in order: numbers and contents.
#[derive(Clone)]
pub(crate) struct Extensions(pub(crate) Vec<(u16, Vec<u8>)>);

impl Extensions {
    /// Returns the first extension of this number.
    pub(crate) fn find(&self, number: u16) -> Option<&[u8]> {
        self.0.iter().find(|(other, _)| *other == number).map(|(_, content)| &**content)
    }

    /// Replaces the content of this extension, or adds it.
    pub(crate) fn set(&mut self, number: u16, content: Vec<u8>) {
        match self.0.iter_mut().find(|(other, _)| *other == number) {
            Some((_, old)) => *old = content,
            None => self.0.push((number, content)),
        }
    }

    pub(crate) fn remove(&mut self, number: u16) {
        self.0.retain(|(other, _)| *other != number);
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let each = self.0.iter().map(|(number, content)| [list16(&[*number]), vec16(content)]);
        vec16(&each.flatten().flatten().collect::<Vec<u8>>())
    }
}

/// A hello of either side: RFC 8446, sections 4.1.2 and 4.1.3. A server has one suite and one
/// compression method.
#[derive(Clone)]
pub(crate) struct Hello {
    pub(crate) kind: u8,
    pub(crate) random: [u8; 32],
    pub(crate) session: Vec<u8>,
    pub(crate) suites: Vec<u16>,
    pub(crate) compression: Vec<u8>,
    pub(crate) extensions: Extensions,
}

impl Hello {
    /// Reads a whole message.
    pub(crate) fn read(message: &[u8]) -> Self {
        let kind = message[0];
        let mut rest = Reader(&message[MESSAGE_HEADER + TLS12.len()..]);
        let random = rest.take(32).try_into().expect("32 bytes");
        let session = rest.vec8().to_vec();
        let (suites, compression) = match kind {
            CLIENT_HELLO => {
                let suites = rest.vec16().chunks(2).map(|pair| Reader(pair).u16());
                (suites.collect(), rest.vec8().to_vec())
            }
            _ => (vec![rest.u16()], vec![rest.u8()]),
        };
        Self { kind, random, session, suites, compression, extensions: rest.extensions() }
    }

    /// Encodes the whole message.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (suites, compression) = match self.kind {
            CLIENT_HELLO => (vec16(&list16(&self.suites)), vec8(&self.compression)),
            _ => (list16(&self.suites), self.compression.clone()),
        };
        let (session, extensions) = (vec8(&self.session), self.extensions.encode());
        let parts = [&TLS12[..], &self.random, &session, &suites, &compression, &extensions];
        message(self.kind, &parts.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hellos_survive_the_round_trip() {
        for (kind, suites, compression) in
            [(CLIENT_HELLO, vec![1, 2], vec![0, 1]), (SERVER_HELLO, vec![3], vec![0])]
        {
            let extensions = Extensions(vec![(51, vec![1, 2, 3]), (10, vec![])]);
            let hello = Hello {
                kind,
                random: RETRY,
                session: vec![7; 32],
                suites,
                compression,
                extensions,
            };
            let bytes = hello.encode();
            assert_eq!(usize::from(bytes[3]), bytes.len() - MESSAGE_HEADER);
            assert_eq!(Hello::read(&bytes).encode(), bytes);
        }
    }

    #[test]
    fn long_streams_become_several_records() {
        let stream = records(HANDSHAKE, &[0; LONGEST_PLAINTEXT + 1]);
        let first = RECORD_HEADER + LONGEST_PLAINTEXT;
        assert_eq!(record_bounds(&stream), [(0, first), (first, first + RECORD_HEADER + 1)]);
        assert_eq!(record_bounds(&stream[..first - 1]), []);
    }
}
