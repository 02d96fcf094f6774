//! Keys that sign one digest: FIPS 205, section 5; RFC 8391, section 3.1; RFC 8554, section 4.
use core::fmt;

use oaklath_simd::secret;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::digits::split;
use crate::forest::{Tree, grow};
use crate::{ChainAddress, MAX_LANES, MAX_NODE, Node, OneTimeHash, Slot, Trace, copy_node};

/// Grows trees over one-time keys.
///
/// Where a tree has room for secrets, they are all values of all chains of its wanted leaf, chain
/// by chain: the signature of any digest by this key is among them, and trees that sign each
/// other's roots need not wait for each other. There is room for `(steps + 1) * chains` values.
///
/// # Panics
/// As [`grow`], and if there is less room.
pub fn grow_trees(h: &dyn OneTimeHash, trees: &mut [Tree<'_>], height: u32) {
    let grow_some = |trees: &mut [Tree<'_>], height| {
        grow(h, trees, 0, height, &mut |trees, before, nodes| {
            some_leaves(h, trees, height, before, nodes);
        });
    };
    #[cfg(feature = "parallel")]
    crate::spread::spread(h, trees, height, h.lanes().ilog2(), &grow_some);
    #[cfg(not(feature = "parallel"))]
    grow_some(trees, height);
}

/// Writes the leaves of a tree, from number `first` on.
pub fn tree_leaves(h: &dyn OneTimeHash, slot: Slot, first: u32, leaves: &mut [u8]) {
    let (n, lanes) = (h.node_len(), h.lanes());
    let height = leaves.chunks_exact(n).len().next_power_of_two().trailing_zeros();
    let some = |(i, leaves): (usize, &mut [u8])| {
        let tree = Tree { first, ..Tree::root_only(slot) };
        some_leaves(h, &mut [tree], height, i * lanes, leaves);
    };
    #[cfg(feature = "parallel")]
    leaves.par_chunks_mut(lanes * n).enumerate().for_each(some);
    #[cfg(not(feature = "parallel"))]
    leaves.chunks_mut(lanes * n).enumerate().for_each(some);
}

/// Writes one leaf, with its chains in the lanes.
///
/// # Panics
/// If there is no memory for a chain.
pub fn leaf(h: &dyn OneTimeHash, slot: Slot, memory: &mut ChainMemory<'_>, leaf: &mut [u8]) {
    compress(h, &[slot], &[], (memory.jobs, memory.values), leaf);
}

/// Writes the leaves of all trees from number `before` on, as many as there is room for.
fn some_leaves(
    h: &dyn OneTimeHash,
    trees: &mut [Tree<'_>],
    height: u32,
    before: usize,
    nodes: &mut [u8],
) {
    let (n, steps) = (h.node_len(), h.steps());
    let lanes = nodes.chunks_exact(n).len();
    let mut chains = [ChainAddress::default(); MAX_LANES];
    let mut slots = [Slot::default(); MAX_LANES];
    for i in 0..lanes {
        let at = before + i;
        let tree = &trees[at >> height];
        let leaf = tree.first + (at & ((1 << height) - 1)) as u32;
        slots[i] = Slot { leaf, ..tree.slot };
        chains[i].slot = slots[i];
    }
    let (first, last) = (before >> height, (before + lanes - 1) >> height);
    let of_chain = (steps as usize + 1) * n;
    let mut ends = |chain: u32, values: &mut [u8]| {
        chains[..lanes].iter_mut().for_each(|address| address.chain = chain);
        h.secrets(&chains[..lanes], values);
        let mut traces: [Trace<'_>; MAX_LANES] = Default::default();
        let mut traced = 0;
        for (tree, number) in trees[first..=last].iter_mut().zip(first..) {
            let leaf = tree.wanted.wrapping_sub(tree.first) as usize;
            let lane = ((number << height) + leaf).wrapping_sub(before);
            if leaf >> height == 0 && lane < lanes && !tree.secrets.is_empty() {
                let kept = &mut tree.secrets[chain as usize * of_chain..][..of_chain];
                let (beginning, kept) = kept.split_at_mut(n);
                beginning.copy_from_slice(&values[lane * n..][..n]);
                traces[traced] = (lane, kept);
                traced += 1;
            }
        }
        h.advance(&chains[..lanes], &[steps; MAX_LANES][..lanes], values, &mut traces[..traced]);
    };
    h.leaves(&slots[..lanes], &mut ends, nodes);
}

/// The most chains of a key that are advanced at a time: all of a key whose digits have four bits.
pub const WINDOW: usize = 67;

/// More chains than any key has: 256 digits of one bit, and nine of their checksum.
const MOST_CHAINS: usize = 265;

/// A chain to be advanced from one step to another.
#[derive(Clone, Copy, Debug)]
pub struct ChainJob {
    /// The key, and its chain.
    key: u16,
    chain: u16,
    step: u8,
    end: u8,
    /// Not of this job: the number of the job that comes at this place in the queue.
    queued: u16,
}

impl ChainJob {
    /// Memory for a job.
    pub const NONE: Self = Self { key: 0, chain: 0, step: 0, end: 0, queued: 0 };
}

/// Memory for chains that are advanced side by side. The more, the fuller the lanes.
pub struct ChainMemory<'a> {
    /// Jobs, one for each chain.
    pub jobs: &'a mut [ChainJob],
    /// Values of a node's length, one for each job and one for each key. They are public once the
    /// chains have ended.
    pub values: &'a mut [u8],
}

/// Does not reveal the values.
impl fmt::Debug for ChainMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainMemory").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

/// Runs the jobs on their values, in lanes that take another one as soon as theirs has ended, the
/// longest first. Job `key` is of the key at `slots[key]`.
#[inline(always)]
fn run(h: &dyn OneTimeHash, slots: &[Slot], jobs: &mut [ChainJob], job_values: &mut [u8]) {
    queue(jobs);
    // Verification of stateful signatures is to take little stack.
    macro_rules! run {
        ($($n:literal)*) => {
            match (h.node_len(), h.lanes()) {
                $(($n, 0..=8) => run_in::<8, $n>(h, slots, jobs, job_values.as_chunks_mut().0),
                ($n, _) => run_in::<MAX_LANES, $n>(h, slots, jobs, job_values.as_chunks_mut().0),)*
                (n, _) => unreachable!("no hash function has {n} bytes"),
            }
        };
    }
    run!(16 24 32 64);
}

/// [`run`] with memory for `LANES` lanes. Values are copied so often that their length is constant.
#[inline(never)]
fn run_in<const LANES: usize, const N: usize>(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    jobs: &[ChainJob],
    job_values: &mut [[u8; N]],
) {
    let lanes = h.lanes().min(LANES);
    secret!(values: [[u8; N]; LANES]);
    // The jobs in the lanes, and how far they are; lanes without one are at the end.
    let mut running = [0_u16; LANES];
    let mut chains = [ChainAddress::default(); LANES];
    let (mut active, mut next) = (0, 0);
    loop {
        while active < lanes && next < jobs.len() {
            let number = jobs[next].queued;
            let job = &jobs[usize::from(number)];
            next += 1;
            if job.step < job.end {
                let slot = slots[usize::from(job.key)];
                chains[active] =
                    ChainAddress { slot, chain: job.chain.into(), step: job.step.into() };
                (running[active], values[active]) = (number, job_values[usize::from(number)]);
                active += 1;
            }
        }
        if active == 0 {
            break;
        }
        let mut steps = [0; LANES];
        let steps = &mut steps[..active];
        for (lane, steps) in steps.iter_mut().enumerate() {
            *steps = u32::from(jobs[usize::from(running[lane])].end) - chains[lane].step;
        }
        limit_steps(lanes, steps);
        h.advance(&chains[..active], steps, values[..active].as_flattened_mut(), &mut []);
        let mut left = 0;
        for lane in 0..active {
            let number = usize::from(running[lane]);
            chains[lane].step += steps[lane];
            if chains[lane].step < jobs[number].end.into() {
                running[left] = running[lane];
                (chains[left], values[left]) = (chains[lane], values[lane]);
                left += 1;
            } else {
                job_values[number] = values[lane];
            }
        }
        active = left;
    }
}

/// Limits the steps that lanes have to go to those of one call. A longer call saves another one,
/// but lanes whose chains have ended idle in it. Measured, a call less is worth lanes^2 / 32 idle
/// steps of lanes: with sixteen lanes eight, half a step of each.
#[inline(never)]
fn limit_steps(lanes: usize, steps: &mut [u32]) {
    let longest = steps.iter().fold(0, |longest: u32, steps| longest.max(*steps));
    let mut limit = steps.iter().fold(longest, |shortest, steps| shortest.min(*steps));
    // A step more is an idle one in each lane that has ended.
    let ended = |limit: u32| steps.iter().map(|steps| u32::from(*steps <= limit)).sum::<u32>();
    let mut may_idle = (lanes * lanes) as u32 >> 5;
    while limit < longest
        && let Some(left) = may_idle.checked_sub(ended(limit))
    {
        (may_idle, limit) = (left, limit + 1);
    }
    steps.iter_mut().for_each(|steps| *steps = limit.min(*steps));
}

/// The queue: by steps to go, the longest first. Sorted by counting.
#[inline(never)]
fn queue(jobs: &mut [ChainJob]) {
    let mut places = [0_u16; 256];
    for job in &*jobs {
        places[usize::from(job.end - job.step)] += 1;
    }
    let mut before = 0;
    for place in places.iter_mut().rev() {
        let count = *place;
        *place = before;
        before += count;
    }
    for i in 0..jobs.len() {
        let place = &mut places[usize::from(jobs[i].end - jobs[i].step)];
        jobs[usize::from(*place)].queued = i as u16;
        *place += 1;
    }
}

/// Signs: from the beginning of each chain as many steps as its digit says.
/// FIPS 205, Algorithm 7; RFC 8391, Algorithm 5; RFC 8554, Algorithm 3.
///
/// # Panics
/// If the signature has not one value for each chain.
pub fn sign(h: &dyn OneTimeHash, slot: Slot, digest: &[u8], signature: &mut [u8]) {
    let mut digits = [0; MOST_CHAINS];
    let digits = &mut digits[..h.chains()];
    split(digest, h.digit_bits(), digits);
    assert_eq!(signature.len(), digits.len() * h.node_len(), "a value for each chain");
    let mut jobs = [ChainJob::NONE; WINDOW];
    let mut chain = 0;
    for (digits, values) in digits.chunks(WINDOW).zip(signature.chunks_mut(WINDOW * h.node_len())) {
        let jobs = &mut jobs[..digits.len()];
        begin(h, slot, chain, values);
        for ((chain, job), end) in (chain as u16..).zip(&mut *jobs).zip(digits) {
            *job = ChainJob { chain, end: *end, ..ChainJob::NONE };
        }
        run(h, &[slot], jobs, values);
        chain += digits.len();
    }
}

/// Writes the beginnings of the chains of a key from number `first` on.
fn begin(h: &dyn OneTimeHash, slot: Slot, first: usize, values: &mut [u8]) {
    let (n, lanes, mut chain) = (h.node_len(), h.lanes(), first as u32);
    for values in values.chunks_mut(lanes * n) {
        let mut chains = [ChainAddress { slot, chain: 0, step: 0 }; MAX_LANES];
        let count = values.chunks_exact(n).len();
        for address in &mut chains[..count] {
            address.chain = chain;
            chain += 1;
        }
        h.secrets(&chains[..count], values);
    }
}

/// Takes the signature of a digest from all values of a key's chains, which [`grow_trees`] kept.
///
/// # Panics
/// If the signature has not one value for each chain.
pub fn choose(h: &dyn OneTimeHash, digest: &[u8], values: &[u8], signature: &mut [u8]) {
    let (n, mut digits) = (h.node_len(), [0; MOST_CHAINS]);
    let digits = &mut digits[..h.chains()];
    split(digest, h.digit_bits(), digits);
    assert_eq!(signature.len(), digits.len() * n, "a value for each chain");
    let of_chains = values.chunks_exact((h.steps() as usize + 1) * n);
    for ((value, values), digit) in signature.chunks_exact_mut(n).zip(of_chains).zip(digits) {
        copy_node(value, &values[usize::from(*digit) * n..][..n]);
    }
}

/// A signature, and where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// What is signed; then the leaf.
    pub node: Node,
    /// The values of the signature, and perhaps more after them.
    pub signature: &'a [u8],
}

impl Signed<'_> {
    /// Memory for a signature.
    pub const NONE: Self = Self { node: [0; MAX_NODE], signature: &[] };
}

/// Replaces what is signed by the leaves that signatures by the keys at `slots` lead to: from each
/// value as many steps as are left to the end of its chain. FIPS 205, Algorithm 8; RFC 8391,
/// Algorithm 6; RFC 8554, Algorithm 4b.
///
/// Lanes are fullest with memory for [`WINDOW`] chains of each signature.
///
/// # Panics
/// If there are not as many slots as signatures, more of them than lanes, no memory for a chain of
/// each, or if a signature is too short.
pub fn leaves(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    signed: &mut [Signed<'_>],
    memory: &mut ChainMemory<'_>,
) {
    assert_eq!(slots.len(), signed.len(), "a key for each signature");
    let n = h.node_len();
    let (leaves, values) = memory.values.split_at_mut(slots.len() * n);
    compress(h, slots, signed, (memory.jobs, values), leaves);
    for (signed, leaf) in signed.iter_mut().zip(leaves.chunks_exact(n)) {
        copy_node(&mut signed.node, leaf);
    }
}

/// Writes the leaves of keys from the ends of their chains, which begin where signatures are, or at
/// their beginnings if there are none.
fn compress(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    signed: &[Signed<'_>],
    (jobs, values): (&mut [ChainJob], &mut [u8]),
    leaves: &mut [u8],
) {
    let of_key = jobs.len() >> slots.len().next_power_of_two().trailing_zeros();
    assert!(of_key > 0, "memory for a chain of each key");
    let mut window =
        ChainWindow { h, slots, signed, jobs, values, size: WINDOW.min(of_key), first: 0, end: 0 };
    h.leaves(slots, &mut |chain, ends| window.ends(chain as usize, ends), leaves);
}

/// Chains of some keys that are run at a time.
struct ChainWindow<'a> {
    h: &'a dyn OneTimeHash,
    slots: &'a [Slot],
    signed: &'a [Signed<'a>],
    jobs: &'a mut [ChainJob],
    values: &'a mut [u8],
    /// Chains of each key for which there is memory.
    size: usize,
    /// The chains of each key whose ends are in memory.
    first: usize,
    end: usize,
}

impl ChainWindow<'_> {
    /// Writes the ends of a chain, one for each key.
    fn ends(&mut self, chain: usize, ends: &mut [u8]) {
        if chain == self.end {
            self.run();
        }
        let (n, of_key) = (self.h.node_len(), self.end - self.first);
        for key in 0..self.slots.len() {
            let at = key * of_key + chain - self.first;
            copy_node(&mut ends[key * n..], &self.values[at * n..][..n]);
        }
    }

    /// Runs the next chains.
    fn run(&mut self) {
        (self.first, self.end) = (self.end, self.h.chains().min(self.end + self.size));
        let (h, n, of_key) = (self.h, self.h.node_len(), self.end - self.first);
        let jobs = &mut self.jobs[..self.slots.len() * of_key];
        let values = &mut self.values[..jobs.len() * n];
        if self.signed.is_empty() {
            let end = h.steps() as u8;
            begin(h, self.slots[0], self.first, values);
            for (chain, job) in (self.first as u16..).zip(&mut *jobs) {
                *job = ChainJob { chain, end, ..ChainJob::NONE };
            }
        }
        let of_keys = jobs.chunks_exact_mut(of_key).zip(values.chunks_exact_mut(of_key * n));
        for ((key, signed), (jobs, values)) in (0..).zip(self.signed).zip(of_keys) {
            take(h, signed, (key, self.first), jobs, values);
        }
        run(h, self.slots, jobs, values);
    }
}

/// Takes chains of a signature by key `key` from number `first` on. Out of line: the stack has its
/// array only here.
#[inline(never)]
fn take(
    h: &dyn OneTimeHash,
    signed: &Signed<'_>,
    (key, first): (u16, usize),
    jobs: &mut [ChainJob],
    values: &mut [u8],
) {
    let (n, end, mut digits) = (h.node_len(), h.steps() as u8, [0; MOST_CHAINS]);
    let digits = &mut digits[..h.chains()];
    split(&signed.node[..n], h.digit_bits(), digits);
    values.copy_from_slice(&signed.signature[first * n..][..values.len()]);
    for ((chain, job), step) in (first as u16..).zip(jobs).zip(&digits[first..]) {
        *job = ChainJob { key, chain, step: *step, end, queued: 0 };
    }
}
