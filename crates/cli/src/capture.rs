//! Captures of connections with their secrets, in a file that Wireshark opens: pcapng
//! (draft-ietf-opsawg-pcapng). The TCP and IP headers are made up, without checksums.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use rustls::{KeyLog, KeyLogFile};
use zeroize::Zeroizing;

use crate::failure::warn;

/// A recorder of connections' secrets, for the file that `SSLKEYLOGFILE` names and for a capture.
pub(crate) struct Capture {
    keys: KeyLogFile,
    to: OnceLock<Mutex<CaptureFile>>,
}

/// The file, and the secrets since its last block of secrets, as lines of a key log.
type CaptureFile = (File, Vec<Zeroizing<String>>);

impl Capture {
    /// Returns a recorder without a file.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { keys: KeyLogFile::new(), to: OnceLock::new() })
    }

    /// Creates the file.
    pub(crate) fn begin(&self, path: &Path) -> Result<()> {
        let begin = || -> io::Result<_> {
            let mut options = File::options();
            options.write(true).create_new(true);
            // Anyone who has the file can read the connection.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(path)?;
            file.write_all(&[section(), interface()].concat())?;
            Ok(Mutex::new((file, Vec::new())))
        };
        let to = begin().with_context(|| format!("cannot write {}", path.display()))?;
        self.to.get_or_init(|| to);
        Ok(())
    }

    /// Returns the recorder of a connection, if there is a file.
    pub(crate) fn tap(self: &Arc<Self>, own: SocketAddr, peer: SocketAddr) -> Option<Tap> {
        self.to.get()?;
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
        let Some(to) = self.to.get() else { return };
        to.lock().unwrap_or_else(PoisonError::into_inner).1.push(line(
            label,
            client_random,
            secret,
        ));
    }
}

/// Returns a line of a key log, which has its length from the start: nothing of it stays behind.
fn line(label: &str, client_random: &[u8], secret: &[u8]) -> Zeroizing<String> {
    let room = label.len() + 2 * (client_random.len() + secret.len()) + 3;
    let mut line = Zeroizing::new(String::with_capacity(room));
    line.push_str(label);
    for bytes in [client_random, secret] {
        line.push(' ');
        for byte in bytes {
            // A string takes everything.
            let _ = write!(*line, "{byte:02x}");
        }
    }
    line.push('\n');
    line
}

/// A recorded connection, which is written to the file when this is dropped.
#[derive(Debug)]
pub(crate) struct Tap {
    capture: Arc<Capture>,
    /// Our address and the peer's.
    addresses: [SocketAddr; 2],
    /// The next TCP sequence number of each side.
    sent: [u32; 2],
    packets: Vec<u8>,
}

/// TCP flags (RFC 9293, section 3.1).
const SYN: u8 = 2;
const ACK: u8 = 16;

/// The maximum number of bytes in a made-up segment.
const SEGMENT: usize = 1 << 14;

impl Tap {
    /// Records bytes that we sent (0) or received (1).
    pub(crate) fn bytes(&mut self, from: usize, bytes: &[u8]) {
        if self.packets.is_empty() {
            // In TLS the client sends first, so the sender is the side that connected.
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
        // A header of five words, the flags, the largest window, no checksum and no urgent data.
        tcp.extend([5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        tcp.extend(data);
        let length = data.len() as u32 + u32::from(flags & SYN != 0);
        self.sent[from] = self.sent[from].wrapping_add(length);
        self.packets.extend(packet(&ip(source.ip(), target.ip(), &tcp)));
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let Some(to) = self.capture.to.get() else { return };
        let (file, lines) = &mut *to.lock().unwrap_or_else(PoisonError::into_inner);
        // Secrets come before the packets that they decrypt.
        let written = file
            .write_all(&Zeroizing::new(secrets(lines)))
            .and_then(|()| file.write_all(&self.packets));
        if let Err(error) = written {
            warn(&format!("the capture is not complete: {error}"));
        }
        lines.clear();
    }
}

/// Returns an IP packet (RFC 791, section 3.1; RFC 8200, section 3) of protocol 6: TCP.
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

/// Returns a block: type and length, a body padded to words, the length again (section 3.1).
fn block(kind: u32, body: &[&[u8]]) -> Vec<u8> {
    let padded = body.iter().map(|part| part.len()).sum::<usize>().next_multiple_of(4);
    let length = (padded as u32 + 12).to_le_bytes();
    // With room for everything, so that nothing of a secret stays in a shorter vector.
    let mut block = Vec::with_capacity(padded + 12);
    block.extend([kind.to_le_bytes(), length].concat());
    body.iter().for_each(|part| block.extend(*part));
    block.resize(padded + 8, 0);
    block.extend(length);
    block
}

/// Returns a section header (4.1): byte order, version 1.0, unspecified length.
fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes(), &[1, 0, 0, 0], &[0xff; 8]])
}

/// Returns an interface description (4.2): IP packets of any length.
fn interface() -> Vec<u8> {
    const RAW: u8 = 101;
    block(1, &[&[RAW, 0, 0, 0, 0, 0, 0, 0]])
}

/// Returns decryption secrets (4.7): a TLS key log.
fn secrets(lines: &[Zeroizing<String>]) -> Vec<u8> {
    let length = lines.iter().map(|line| line.len()).sum::<usize>() as u32;
    let length = length.to_le_bytes();
    let lines = lines.iter().map(|line| line.as_bytes());
    block(10, &[b"KSLT", &length[..]].into_iter().chain(lines).collect::<Vec<_>>())
}

/// Returns an enhanced packet (4.3): interface 0, microseconds, captured and original length.
fn packet(bytes: &[u8]) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
    let time = [(now >> 32) as u32, now as u32].map(u32::to_le_bytes).concat();
    let length = (bytes.len() as u32).to_le_bytes();
    block(6, &[&[0; 4], &time, &length, &length, bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A string or a vector that grows leaves a shorter copy behind.
    #[test]
    fn secrets_are_written_into_room_that_is_there() {
        let lines = [line("CLIENT_RANDOM", &[1; 32], &[0xab; 48]), line("A", &[2; 31], &[])];
        let expected = format!("CLIENT_RANDOM {} {}\n", "01".repeat(32), "ab".repeat(48));
        assert_eq!(*lines[0], expected);
        assert!(lines.iter().all(|line| line.capacity() == line.len()));
        let block = secrets(&lines);
        assert_eq!((block.capacity(), block.len() % 4), (block.len(), 0));
        let length = (block.len() as u32).to_le_bytes();
        assert!(block[4..8] == length && block.ends_with(&length));
        assert_eq!(&block[16..16 + expected.len()], expected.as_bytes());
    }
}
