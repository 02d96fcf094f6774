//! The functions of XMSS in lanes: RFC 8391, section 5.1; SP 800-208, sections 5.1 to 5.4.
use oaklath_tree::wots::ChainJob;

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
    type Jobs: AsMut<[ChainJob]>;
    const JOBS: Self::Jobs;
    /// Their values, and one for the key.
    type Values: AsMut<[[u8; N]]>;
    const VALUES: Self::Values;
    /// Ends of the chains of one key that are gathered, a power of two, so that an L-tree fills the
    /// lanes.
    type Ends: AsMut<[[u8; N]]>;
    const ENDS: Self::Ends;

    fn seeds(&self) -> Seeds<'_, N>;
    /// At most [`MOST_LANES`].
    fn lanes(&self) -> usize;
    /// The hashes of messages of `len` bytes: `fill` writes the one of a lane to zeros, of which a part may stand
    /// where the hash is to go. Out of line: the stack has the arrays of one hash at a time.
    fn hash(&self, len: usize, fill: impl Fn(usize, &[u8; N], &mut [u8]), out: &mut [[u8; N]]);

    /// PRF(SEED, ADRS), of addresses that are `step` steps further.
    fn prf(&self, addresses: &[Address], step: u32, what: Use, out: &mut [[u8; N]]) {
        let len = prefix_len(N) + N + 32;
        let fill = |lane: usize, _: &[u8; N], message: &mut [u8]| {
            let rest = begin(Function::Prf, self.seeds().public, message);
            let mut address = addresses[lane].for_use(what);
            address.0[6] += step;
            rest.copy_from_slice(&address.bytes());
        };
        self.hash(len, fill, out);
    }

    /// `RAND_HASH`: RFC 8391, Algorithm 7. Pairs may be masked where they are, which takes no memory.
    fn rand_hash(&self, addresses: &[Address], pairs: &mut [[[u8; N]; 2]], out: &mut [[u8; N]]) {
        for (side, what) in [Use::Mask, Use::SecondMask].into_iter().enumerate() {
            self.prf(addresses, 0, what, out);
            pairs.iter_mut().zip(&*out).for_each(|(pair, mask)| add(&mut pair[side], mask));
        }
        self.prf(addresses, 0, Use::Key, out);
        let fill = |lane: usize, key: &[u8; N], message: &mut [u8]| {
            begin(Function::H, key, message).copy_from_slice(pairs[lane].as_flattened());
        };
        self.hash(prefix_len(N) + 3 * N, fill, out);
    }

    /// Chains: RFC 8391, Algorithm 2. Addresses are those of the first step.
    fn chain(&self, addresses: &[Address], steps: u32, values: &mut [[u8; N]]) {
        chain::<MOST_LANES, _, N>(self, addresses, steps, values);
    }

    /// The secret beginnings of chains.
    fn secrets(&self, addresses: &[Address], out: &mut [[u8; N]]) {
        let Seeds { public, secret, derivation } = self.seeds();
        match derivation {
            Derivation::Keygen => {
                let fill = |lane: usize, _: &[u8; N], message: &mut [u8]| {
                    let (seed, address) = begin(Function::Keygen, secret, message).split_at_mut(N);
                    seed.copy_from_slice(public);
                    address.copy_from_slice(&addresses[lane].bytes());
                };
                self.hash(prefix_len(N) + 2 * N + 32, fill, out);
            }
            Derivation::Rfc8391 => {
                let fill = |lane: usize, _: &[u8; N], message: &mut [u8]| {
                    let mut address = addresses[lane];
                    address.0[5] = 0;
                    begin(Function::Prf, secret, message).copy_from_slice(&address.bytes());
                };
                let len = prefix_len(N) + N + 32;
                self.hash(len, fill, out);
                let fill = |lane: usize, seed: &[u8; N], message: &mut [u8]| {
                    let number = begin(Function::Prf, seed, message);
                    number[28..].copy_from_slice(&addresses[lane].0[5].to_be_bytes());
                };
                self.hash(len, fill, out);
            }
        }
    }
}

/// In up to `LANES` lanes, for which there is memory.
pub(super) fn chain<const LANES: usize, F: Family<N> + ?Sized, const N: usize>(
    family: &F,
    addresses: &[Address],
    steps: u32,
    values: &mut [[u8; N]],
) {
    let n = values.len();
    // Masks, then keys.
    let mut made = [[0; N]; LANES];
    for step in 0..steps {
        family.prf(addresses, step, Use::Mask, &mut made[..n]);
        values.iter_mut().zip(&made).for_each(|(value, mask)| add(value, mask));
        family.prf(addresses, step, Use::Key, &mut made[..n]);
        let fill = |lane: usize, value: &[u8; N], message: &mut [u8]| {
            begin(Function::F, &made[lane], message).copy_from_slice(value);
        };
        family.hash(prefix_len(N) + 2 * N, fill, values);
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
