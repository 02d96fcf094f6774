//! What a connection sent, and its secrets, in a file that Wireshark opens: pcapng
//! (draft-ietf-opsawg-pcapng). TCP and IP around the bytes are made up, without checksums.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use rustls::{KeyLog, KeyLogFile};
use zeroize::Zeroizing;

use crate::failure::warn;

/// Takes the secrets of connections: for the file that `SSLKEYLOGFILE` names, and for a capture.
pub(crate) struct Capture {
    keys: KeyLogFile,
    /// The file, and the secrets since its last block of them, as lines of a key log.
    to: Option<Mutex<(File, Zeroizing<String>)>>,
}

impl Capture {
    /// Begins the file, if there is to be one.
    pub(crate) fn new(path: Option<&Path>) -> Result<Arc<Self>> {
        let begin = |path: &Path| -> io::Result<_> {
            let mut options = File::options();
            options.write(true).create_new(true);
            // It lets everybody who has it read the connection.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(path)?;
            file.write_all(&[section(), interface()].concat())?;
            Ok(Mutex::new((file, Zeroizing::default())))
        };
        let to = path
            .map(|path| begin(path).with_context(|| format!("cannot write {}", path.display())));
        Ok(Arc::new(Self { keys: KeyLogFile::new(), to: to.transpose()? }))
    }

    /// What records a connection, if there is a file.
    pub(crate) fn tap(self: &Arc<Self>, own: SocketAddr, peer: SocketAddr) -> Option<Tap> {
        self.to.as_ref()?;
        let (capture, addresses) = (self.clone(), [own, peer]);
        Some(Tap { capture, addresses, sent: [0; 2], packets: Vec::new() })
    }
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capture")
    }
}

impl KeyLog for Capture {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        self.keys.log(label, client_random, secret);
        let Some(to) = &self.to else { return };
        let lines = &mut to.lock().unwrap_or_else(PoisonError::into_inner).1;
        lines.push_str(label);
        for bytes in [client_random, secret] {
            lines.push(' ');
            bytes.iter().for_each(|byte| lines.push_str(&format!("{byte:02x}")));
        }
        lines.push('\n');
    }
}

/// A connection that is recorded; the file has it when this is dropped.
#[derive(Debug)]
pub(crate) struct Tap {
    capture: Arc<Capture>,
    /// Ours and the peer's.
    addresses: [SocketAddr; 2],
    /// Next sequence numbers of TCP.
    sent: [u32; 2],
    packets: Vec<u8>,
}

/// Flags of TCP (RFC 9293, section 3.1).
const SYN: u8 = 2;
const ACK: u8 = 16;

/// Bytes of a made-up segment.
const SEGMENT: usize = 1 << 14;

impl Tap {
    /// Bytes that we sent (0) or received (1).
    pub(crate) fn bytes(&mut self, from: usize, bytes: &[u8]) {
        if self.packets.is_empty() {
            // A client speaks first in TLS, so that it is the one who connected.
            self.segment(from, SYN, &[]);
            self.segment(1 - from, SYN | ACK, &[]);
        }
        bytes.chunks(SEGMENT).for_each(|segment| self.segment(from, ACK, segment));
    }

    fn segment(&mut self, from: usize, flags: u8, data: &[u8]) {
        let [source, target] = [self.addresses[from], self.addresses[1 - from]];
        let mut tcp = [source.port().to_be_bytes(), target.port().to_be_bytes()].concat();
        tcp.extend(self.sent[from].to_be_bytes());
        tcp.extend(if flags == SYN { [0; 4] } else { self.sent[1 - from].to_be_bytes() });
        // Five words of header, the flags, the widest window, neither checksum nor urgent data.
        tcp.extend([5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(data);
        let length = data.len() as u32 + u32::from(flags & SYN != 0);
        self.sent[from] = self.sent[from].wrapping_add(length);
        self.packets.extend(packet(&ip(source.ip(), target.ip(), &tcp)));
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let Some(to) = &self.capture.to else { return };
        let (file, lines) = &mut *to.lock().unwrap_or_else(PoisonError::into_inner);
        // Secrets come before the packets that they decrypt.
        let written = file
            .write_all(&Zeroizing::new(secrets(lines.as_bytes())))
            .and_then(|()| file.write_all(&self.packets));
        if let Err(error) = written {
            warn(&format!("the capture is not complete: {error}"));
        }
        *lines = Zeroizing::default();
    }
}

/// A packet of IP (RFC 791, section 3.1; RFC 8200, section 3), protocol 6: TCP.
fn ip(source: IpAddr, target: IpAddr, tcp: &[u8]) -> Vec<u8> {
    match (source, target) {
        (IpAddr::V4(source), IpAddr::V4(target)) => {
            let length = (20 + tcp.len() as u16).to_be_bytes();
            let head = [0x45, 0, length[0], length[1], 0, 0, 0x40, 0, 64, 6, 0, 0];
            [&head, &source.octets()[..], &target.octets(), tcp].concat()
        }
        (source, target) => {
            let of = |address: IpAddr| match address {
                IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
                IpAddr::V6(address) => address.octets(),
            };
            let length = (tcp.len() as u16).to_be_bytes();
            let head = [0x60, 0, 0, 0, length[0], length[1], 6, 64];
            [&head, &of(source)[..], &of(target), tcp].concat()
        }
    }
}

/// A block: its type and length, a body that is padded to words, its length again (section 3.1).
fn block(kind: u32, body: &[&[u8]]) -> Vec<u8> {
    let mut block = [kind.to_le_bytes(), [0; 4]].concat();
    body.iter().for_each(|part| block.extend(*part));
    block.resize(block.len().next_multiple_of(4), 0);
    let length = (block.len() as u32 + 4).to_le_bytes();
    block[4..8].copy_from_slice(&length);
    block.extend(length);
    block
}

/// Section header (4.1): byte order, version 1.0, a length that is not said.
fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes(), &[1, 0, 0, 0], &[0xff; 8]])
}

/// Interface description (4.2): packets of IP, of any length.
fn interface() -> Vec<u8> {
    const RAW: u8 = 101;
    block(1, &[&[RAW, 0, 0, 0, 0, 0, 0, 0]])
}

/// Decryption secrets (4.7): a key log of TLS.
fn secrets(lines: &[u8]) -> Vec<u8> {
    block(10, &[b"KSLT", &(lines.len() as u32).to_le_bytes(), lines])
}

/// Enhanced packet (4.3): interface 0, microseconds, the captured and the original length.
fn packet(bytes: &[u8]) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    let time = [(now >> 32) as u32, now as u32].map(u32::to_le_bytes).concat();
    let length = (bytes.len() as u32).to_le_bytes();
    block(6, &[&[0; 4], &time, &length, &length, bytes])
}
