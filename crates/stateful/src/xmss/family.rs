//! The functions of XMSS in lanes: RFC 8391, section 5.1; SP 800-208, sections 5.1 to 5.4.
use oaklath_simd::wipe;
use oaklath_tree::Trace;
use oaklath_tree::chains::Job;

use crate::xmss::Derivation;
use crate::xmss::address::{Address, Use};

/// The most lanes of a family.
pub(super) const MOST_LANES: usize = 8;

/// What a function begins with, which keeps the functions apart.
#[derive(Clone, Copy)]
pub(super) enum Function {
    F = 0,
    H = 1,
    Message = 2,
    Prf = 3,
    /// `PRF_keygen`: SP 800-208, section 5.
    Keygen = 4,
}

/// toByte(x, n); with values of 24 bytes toByte(x, 4).
pub(super) const fn prefix_len(n: usize) -> usize {
    if n == 24 { 4 } else { n }
}

/// SEED, and the secret seed, where they lie, with the way to the secrets of one-time keys; zeros stand
/// for the seed of somebody else.
#[derive(Clone, Copy)]
pub(super) struct Seeds<'a, const N: usize> {
    pub(super) public: &'a [u8; N],
    pub(super) secret: &'a [u8; N],
    pub(super) derivation: Derivation,
}

/// A hash function of `N` bytes with the seeds of a key.
pub(super) trait Family<const N: usize>: Send + Sync {
    /// Chains that are on their way at a time in verification, which is to take little stack: enough to
    /// fill the lanes.
    type Jobs: AsMut<[Job<N>]>;
    const JOBS: Self::Jobs;
    /// Ends of the chains of one key that are gathered, a power of two, so that an L-tree fills the
    /// lanes.
    type Ends: AsMut<[[u8; N]]>;
    const ENDS: Self::Ends;

    fn seeds(&self) -> Seeds<'_, N>;
    /// At most [`MOST_LANES`].
    fn lanes(&self) -> usize;
    /// The hashes of messages of `len` bytes: `fill` writes the one of a lane to zeros.
    fn hash(&self, len: usize, fill: impl Fn(usize, &mut [u8]), out: &mut [[u8; N]]);

    /// PRF(SEED, ADRS), of addresses that are `step` steps further.
    fn prf(&self, addresses: &[Address], step: u32, what: Use, out: &mut [[u8; N]]) {
        let len = prefix_len(N) + N + 32;
        let fill = |lane: usize, message: &mut [u8]| {
            let rest = begin(Function::Prf, self.seeds().public, message);
            let mut address = addresses[lane].for_use(what);
            address.0[6] += step;
            rest.copy_from_slice(&address.bytes());
        };
        self.hash(len, fill, out);
    }

    /// `RAND_HASH`: RFC 8391, Algorithm 7.
    fn rand_hash(&self, addresses: &[Address], pairs: &[[[u8; N]; 2]], out: &mut [[u8; N]]) {
        match out.len() {
            1 => rand_hash::<1, _, N>(self, addresses, pairs, out),
            _ => rand_hash::<MOST_LANES, _, N>(self, addresses, pairs, out),
        }
    }

    /// Chains: RFC 8391, Algorithm 2. Addresses are those of the first step.
    fn chain(
        &self,
        addresses: &[Address],
        steps: u32,
        values: &mut [[u8; N]],
        traces: &mut [Trace<'_, N>],
    ) {
        chain::<MOST_LANES, _, N>(self, addresses, steps, values, traces);
    }

    /// The secret beginnings of chains.
    fn secrets(&self, addresses: &[Address], out: &mut [[u8; N]]) {
        let Seeds { public, secret, derivation } = self.seeds();
        match derivation {
            Derivation::Keygen => {
                let fill = |lane: usize, message: &mut [u8]| {
                    let (seed, address) = begin(Function::Keygen, secret, message).split_at_mut(N);
                    seed.copy_from_slice(public);
                    address.copy_from_slice(&addresses[lane].bytes());
                };
                self.hash(prefix_len(N) + 2 * N + 32, fill, out);
            }
            Derivation::Rfc8391 => {
                let fill = |lane: usize, message: &mut [u8]| {
                    let mut address = addresses[lane];
                    address.0[5] = 0;
                    begin(Function::Prf, secret, message).copy_from_slice(&address.bytes());
                };
                let len = prefix_len(N) + N + 32;
                self.hash(len, fill, out);
                let mut seeds = [[0; N]; MOST_LANES];
                seeds[..out.len()].copy_from_slice(out);
                let fill = |lane: usize, message: &mut [u8]| {
                    let number = begin(Function::Prf, &seeds[lane], message);
                    number[28..].copy_from_slice(&addresses[lane].0[5].to_be_bytes());
                };
                self.hash(len, fill, out);
                wipe_all(&mut seeds);
            }
        }
    }
}

/// F(KEY, M) in up to `LANES` lanes, for which there is memory; M becomes the result. As what follows it is
/// a function for itself, since a family of one lane is to take memory for one.
fn f<const LANES: usize, F: Family<N> + ?Sized, const N: usize>(
    family: &F,
    keys: &[[u8; N]],
    values: &mut [[u8; N]],
) {
    let mut messages = [[0; N]; LANES];
    messages[..values.len()].copy_from_slice(values);
    let fill = |lane: usize, message: &mut [u8]| {
        begin(Function::F, &keys[lane], message).copy_from_slice(&messages[lane]);
    };
    family.hash(prefix_len(N) + 2 * N, fill, values);
    messages.iter_mut().for_each(wipe);
}

pub(super) fn rand_hash<const LANES: usize, F: Family<N> + ?Sized, const N: usize>(
    family: &F,
    addresses: &[Address],
    pairs: &[[[u8; N]; 2]],
    out: &mut [[u8; N]],
) {
    let n = out.len();
    let mut masked = [[[0; N]; LANES]; 2];
    for (side, (what, masked)) in
        [Use::Mask, Use::SecondMask].into_iter().zip(&mut masked).enumerate()
    {
        family.prf(addresses, 0, what, &mut masked[..n]);
        masked.iter_mut().zip(pairs).for_each(|(mask, pair)| add(mask, &pair[side]));
    }
    let mut keys = [[0; N]; LANES];
    family.prf(addresses, 0, Use::Key, &mut keys[..n]);
    let fill = |lane: usize, message: &mut [u8]| {
        let (left, right) = begin(Function::H, &keys[lane], message).split_at_mut(N);
        left.copy_from_slice(&masked[0][lane]);
        right.copy_from_slice(&masked[1][lane]);
    };
    family.hash(prefix_len(N) + 3 * N, fill, out);
}

pub(super) fn chain<const LANES: usize, F: Family<N> + ?Sized, const N: usize>(
    family: &F,
    addresses: &[Address],
    steps: u32,
    values: &mut [[u8; N]],
    traces: &mut [Trace<'_, N>],
) {
    let n = values.len();
    // Masks, then keys.
    let mut made = [[0; N]; LANES];
    for step in 0..steps {
        family.prf(addresses, step, Use::Mask, &mut made[..n]);
        values.iter_mut().zip(&made).for_each(|(value, mask)| add(value, mask));
        family.prf(addresses, step, Use::Key, &mut made[..n]);
        f::<LANES, _, N>(family, &made[..n], values);
        traces.iter_mut().for_each(|(lane, trace)| trace[step as usize] = values[*lane]);
    }
}

/// Writes the beginning of a message, and gives what comes after it.
fn begin<'a, const N: usize>(
    function: Function,
    key: &[u8; N],
    message: &'a mut [u8],
) -> &'a mut [u8] {
    let (prefix, rest) = message.split_at_mut(prefix_len(N));
    prefix[prefix_len(N) - 1] = function as u8;
    let (begin, rest) = rest.split_at_mut(N);
    begin.copy_from_slice(key);
    rest
}

fn add<const N: usize>(to: &mut [u8; N], what: &[u8; N]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to ^= what);
}

fn wipe_all<const N: usize>(values: &mut [[u8; N]; MOST_LANES]) {
    values.iter_mut().for_each(wipe);
}
