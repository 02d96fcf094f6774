//! Verification: RFC 8391, Algorithms 14 and 17.
use oaklath_params::stateful::xmss::XmssInfo;
use oaklath_tree::path::{Walk, climb};
use oaklath_tree::wots::{ChainMemory, Signed, leaves};
use oaklath_tree::{MAX_NODE, OneTimeHash, Slot};

use crate::Error;
use crate::digest::digest;
use crate::xmss::Task;
use crate::xmss::family::{Family, Function, prefix_len};
use crate::xmss::hashes::Xmss;

/// The digest of a message: RFC 8391, Algorithm 12.
pub(super) fn message_digest<const N: usize>(
    info: &XmssInfo,
    (r, root): (&[u8; N], &[u8]),
    index: u64,
    message: &[u8],
) -> [u8; N] {
    let (mut prefix, mut number) = ([0; N], [0; N]);
    let prefix = &mut prefix[..prefix_len(N)];
    prefix[prefix_len(N) - 1] = Function::Message as u8;
    number[N - 8..].copy_from_slice(&index.to_be_bytes());
    digest(info.hash, &[prefix, r, root, &number, message])
}

/// The index at the beginning of a signature of the right length, and the rest.
///
/// # Errors
/// [`Error::Invalid`] if the length is another, or the index beyond the end of the key.
pub(super) fn split_index<'a>(
    info: &XmssInfo,
    signature: &'a [u8],
) -> Result<(u64, &'a [u8]), Error> {
    if signature.len() != info.signature {
        return Err(Error::Invalid);
    }
    let (bytes, rest) = signature.split_at(info.index());
    let index = bytes.iter().fold(0, |index, byte| index << 8 | u64::from(*byte));
    if index >= info.signatures() { Err(Error::Invalid) } else { Ok((index, rest)) }
}

/// Verifies a signature: what comes after its index. The roots of all layers but the top one go to
/// `roots`, from the bottom up.
pub(super) struct Verify<'a, R> {
    pub(super) info: &'static XmssInfo,
    pub(super) root: &'a [u8],
    pub(super) message: &'a [u8],
    pub(super) index: u64,
    pub(super) signature: &'a [u8],
    pub(super) roots: R,
}

impl<R: FnMut(&[u8])> Task for Verify<'_, R> {
    type Output = Result<(), Error>;

    #[inline]
    fn run<F: Family<N>, const N: usize>(mut self, h: &Xmss<F, N>) -> Result<(), Error> {
        let (info, height) = (self.info, self.info.tree_height() as u32);
        let (r, signature) = self.signature.split_first_chunk().ok_or(Error::Invalid)?;
        let digest: [u8; N] = message_digest(info, (r, self.root), self.index, self.message);
        let leaf = (self.index & ((1 << height) - 1)) as u32;
        let mut slot = Slot { layer: 0, tree: self.index >> height, leaf };
        let mut signed = [Signed { node: [0; MAX_NODE], signature }];
        signed[0].node[..N].copy_from_slice(&digest);
        for layer in 1..=info.d {
            leaf_of(h, slot, &mut signed);
            let Signed { node, signature } = signed[0];
            let (path, above) = signature[h.chains() * N..].split_at(info.tree_height() * N);
            let mut walk = [Walk { slot, index: slot.leaf, node, path }];
            climb(h, &mut walk, height);
            slot = slot.above(height);
            signed = [Signed { node: walk[0].node, signature: above }];
            if layer < info.d {
                (self.roots)(&signed[0].node[..N]);
            }
        }
        if signed[0].node[..N] == *self.root { Ok(()) } else { Err(Error::Invalid) }
    }
}

/// The leaf that a signature leads to. Out of line: on the way up its memory is free again.
#[inline(never)]
fn leaf_of<F: Family<N>, const N: usize>(h: &Xmss<F, N>, slot: Slot, signed: &mut [Signed<'_>]) {
    let (mut jobs, mut values) = (F::JOBS, F::VALUES);
    let values = values.as_mut().as_flattened_mut();
    leaves(h, &[slot], signed, &mut ChainMemory { jobs: jobs.as_mut(), values });
}
