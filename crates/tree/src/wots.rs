//! Keys that sign one digest: FIPS 205, section 5; RFC 8391, section 3.1; RFC 8554, section 4.
use core::fmt;

use oaklath_simd::{copy_node, secret};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::digits::split;
use crate::forest::{Tree, grow};
use crate::{
    ChainAddress, MAX_CHAINS, MAX_LANES, MAX_NODE, MAX_ROW, Node, OneTimeHash, Slot, Trace,
};

/// Grows trees over one-time keys.
///
/// If a tree has room for secrets, all values of all chains of its wanted leaf are written there,
/// chain by chain: they include the signature of any digest by this key, so that trees that sign
/// each other's roots need not wait for each other. This takes `(steps + 1) * chains` values.
///
/// # Panics
/// If [`grow`] does, or if a tree has room for some but not all of the values.
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

/// Writes the leaves of a tree from number `first` on, as many as there is room for.
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

/// Writes leaves from number `before` on among those of all trees, as many as there is room for.
fn some_leaves(
    h: &dyn OneTimeHash,
    trees: &mut [Tree<'_>],
    height: u32,
    before: usize,
    nodes: &mut [u8],
) {
    let lanes = nodes.chunks_exact(h.node_len()).len();
    let mut slots = [Slot::default(); MAX_LANES];
    let slots = &mut slots[..lanes];
    for (at, slot) in (before..).zip(&mut *slots) {
        let tree = &trees[at >> height];
        let leaf = tree.first + (at & ((1 << height) - 1)) as u32;
        *slot = Slot { leaf, ..tree.slot };
    }
    // As many chains of each key at a time as fill a call.
    let count = (h.lanes() >> lanes.next_power_of_two().trailing_zeros()).max(1);
    let (mut first, mut end) = (0, 0);
    secret!(values: [u8; MAX_ROW]);
    let mut ends = |chain: u32, ends: &mut [u8]| {
        let chain = chain as usize;
        if chain == end {
            (first, end) = (end, h.chains().min(end + count));
            let values = &mut values[..(end - first) * ends.len()];
            whole_chains(h, slots, first as u32, (trees, height, before), values);
        }
        ends.copy_from_slice(&values[(chain - first) * ends.len()..][..ends.len()]);
    };
    h.leaves(slots, &mut ends, nodes);
}

/// Writes the ends of chains of the keys at `slots` from number `first` on, chain by chain, as many
/// as there is room for, and to the trees all values of their wanted leaves. The keys are leaves
/// from number `before` on among those of all trees.
fn whole_chains(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    first: u32,
    (trees, height, before): (&mut [Tree<'_>], u32, usize),
    values: &mut [u8],
) {
    let (n, steps, lanes) = (h.node_len(), h.steps(), slots.len());
    let mut chains = [ChainAddress::default(); MAX_LANES];
    let chains = &mut chains[..values.chunks_exact(n).len()];
    for (of_keys, chain) in chains.chunks_mut(lanes).zip(first..) {
        for (address, slot) in of_keys.iter_mut().zip(slots) {
            *address = ChainAddress { slot: *slot, chain, step: 0 };
        }
    }
    h.secrets(chains, values);
    let mut traces: [Trace<'_>; MAX_LANES] = Default::default();
    let (mut traced, of_chain) = (0, (steps as usize + 1) * n);
    let with_leaves = before >> height..=(before + lanes - 1) >> height;
    for (tree, number) in trees[with_leaves].iter_mut().zip(before >> height..) {
        let leaf = tree.wanted.wrapping_sub(tree.first) as usize;
        let lane = ((number << height) + leaf).wrapping_sub(before);
        if leaf >> height == 0 && lane < lanes && !tree.secrets.is_empty() {
            let kept = tree.secrets[first as usize * of_chain..].chunks_mut(of_chain);
            let beginnings = values.chunks_exact(n).enumerate().skip(lane).step_by(lanes);
            for (kept, (lane, value)) in kept.zip(beginnings) {
                let (beginning, kept) = kept.split_at_mut(n);
                beginning.copy_from_slice(value);
                traces[traced] = (lane, kept);
                traced += 1;
            }
        }
    }
    h.advance(chains, &[steps; MAX_LANES][..chains.len()], values, &mut traces[..traced]);
}

/// The most chains of a key that run at a time: all of them for 32-byte nodes and 4-bit digits.
pub const WINDOW: usize = 67;

/// The largest number of chains of a key: 256 digits of one bit, and nine of their checksum.
const MOST_CHAINS: usize = 265;

/// The number of chains from which twice as many run in a call as there are lanes: more than one
/// signature has for which little stack is taken.
const MANY: usize = 128;

/// A chain to be advanced from one step to another.
#[derive(Clone, Copy, Debug)]
pub struct ChainJob {
    /// The key, and its chain.
    key: u16,
    chain: u16,
    step: u8,
    end: u8,
    /// Unrelated to this job: the number of the job at this place in the queue.
    queued: u16,
}

impl ChainJob {
    /// An unused job, to initialize memory.
    pub const NONE: Self = Self { key: 0, chain: 0, step: 0, end: 0, queued: 0 };
}

/// Memory for chains that are advanced in parallel. More memory means fuller lanes.
pub struct ChainMemory<'a> {
    /// The jobs, one for each chain.
    pub jobs: &'a mut [ChainJob],
    /// Values of the length of a node, one for each job and one for each key. They are public once
    /// the chains have ended.
    pub values: &'a mut [u8],
}

/// Does not print the values.
impl fmt::Debug for ChainMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainMemory").field("jobs", &self.jobs.len()).finish_non_exhaustive()
    }
}

/// Runs the jobs on their values, the longest first. A lane takes another job as soon as its own
/// has ended. A job's `key` is the index of its key in `slots`.
#[inline(always)]
fn run(h: &dyn OneTimeHash, slots: &[Slot], jobs: &mut [ChainJob], job_values: &mut [u8]) {
    queue(jobs);
    let lanes = if jobs.len() < MANY { h.lanes() } else { h.chain_lanes() };
    // Memory for eight lanes where these are enough: stateful verification must take little stack.
    macro_rules! run {
        ($($n:literal)*) => {
            match (h.node_len(), lanes) {
                $(($n, 0..=8) => run_in::<8, $n>(h, slots, jobs, job_values),
                ($n, 9..=MAX_LANES) => run_in::<MAX_LANES, $n>(h, slots, jobs, job_values),
                ($n, _) => run_in::<MAX_CHAINS, $n>(h, slots, jobs, job_values),)*
                (n, _) => unreachable!("no hash function has {n} bytes"),
            }
        };
    }
    run!(16 24 32 64);
}

/// Does [`run`] for at most `LANES` chains at a time. `N` is constant since values are copied very
/// often.
#[inline(never)]
fn run_in<const LANES: usize, const N: usize>(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    jobs: &[ChainJob],
    job_values: &mut [u8],
) {
    let (lanes, job_values) = (h.chain_lanes().min(LANES), job_values.as_chunks_mut::<N>().0);
    secret!(values: [[u8; N]; LANES]);
    // The jobs in the lanes, and their positions; lanes without a job are at the end.
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

/// Limits the remaining steps of the lanes to those of the next call. A longer call saves another
/// one, but lanes whose chains have ended are idle in it. Measurements show that saving a call is
/// worth lanes^2 / 32 idle steps of a lane: eight with sixteen lanes, half a step of each.
#[inline(never)]
fn limit_steps(lanes: usize, steps: &mut [u32]) {
    let longest = steps.iter().fold(0, |longest: u32, steps| longest.max(*steps));
    let mut limit = steps.iter().fold(longest, |shortest, steps| shortest.min(*steps));
    // One more step is an idle one in each lane that has ended.
    let ended = |limit: u32| steps.iter().map(|steps| u32::from(*steps <= limit)).sum::<u32>();
    let mut may_idle = (lanes * lanes) as u32 >> 5;
    while limit < longest
        && let Some(left) = may_idle.checked_sub(ended(limit))
    {
        (may_idle, limit) = (left, limit + 1);
    }
    steps.iter_mut().for_each(|steps| *steps = limit.min(*steps));
}

/// Queues the jobs by remaining steps, the longest first, with a counting sort.
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

/// Signs a digest: advances each chain from its beginning by as many steps as its digit.
/// FIPS 205, Algorithm 7; RFC 8391, Algorithm 5; RFC 8554, Algorithm 3.
///
/// # Panics
/// If the length of `signature` is not one value for each chain.
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

/// Copies the signature of a digest from all values of a key's chains, as kept by [`grow_trees`].
///
/// # Panics
/// If the length of `signature` is not one value for each chain.
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

/// A signature, and what it signs or leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed<'a> {
    /// What is signed, which [`leaves`] replaces by the leaf.
    pub node: Node,
    /// The values of the signature, which may be followed by other bytes.
    pub signature: &'a [u8],
}

impl Signed<'_> {
    /// An unused signature, to initialize memory.
    pub const NONE: Self = Self { node: [0; MAX_NODE], signature: &[] };
}

/// Replaces what is signed by the leaves that the signatures by the keys at `slots` lead to, by
/// advancing each value to the end of its chain. FIPS 205, Algorithm 8; RFC 8391, Algorithm 6; RFC
/// 8554, Algorithm 4b.
///
/// Lanes are fullest with memory for [`WINDOW`] chains of each signature.
///
/// # Panics
/// If there are not as many slots as signatures, if there are more of them than lanes, if there is
/// no memory for a chain of each, or if a signature is too short.
pub fn leaves(
    h: &dyn OneTimeHash,
    slots: &[Slot],
    signed: &mut [Signed<'_>],
    memory: &mut ChainMemory<'_>,
) {
    assert_eq!(slots.len(), signed.len(), "a key for each signature");
    let (n, ChainMemory { jobs, values }) = (h.node_len(), memory);
    let of_key = jobs.len() >> slots.len().next_power_of_two().trailing_zeros();
    assert!(of_key > 0, "memory for a chain of each key");
    // Windows of equal size.
    let size = h.chains().div_ceil(h.chains().div_ceil(WINDOW.min(of_key)));
    let (leaves, values) = values.split_at_mut(slots.len() * n);
    let mut window = ChainWindow { h, slots, signed, jobs, values, size, first: 0, end: 0 };
    h.leaves(slots, &mut |chain, ends| window.ends(chain as usize, ends), leaves);
    for (signed, leaf) in signed.iter_mut().zip(leaves.chunks_exact(n)) {
        copy_node(&mut signed.node, leaf);
    }
}

/// The chains of some keys that are run at a time.
struct ChainWindow<'a> {
    h: &'a dyn OneTimeHash,
    slots: &'a [Slot],
    signed: &'a [Signed<'a>],
    jobs: &'a mut [ChainJob],
    values: &'a mut [u8],
    /// The number of chains of each key for which there is memory.
    size: usize,
    /// The first chain of each key whose end is in memory; `end` is after the last one.
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
        let of_keys = jobs.chunks_exact_mut(of_key).zip(values.chunks_exact_mut(of_key * n));
        for ((key, signed), (jobs, values)) in (0..).zip(self.signed).zip(of_keys) {
            take(h, signed, (key, self.first), jobs, values);
        }
        run(h, self.slots, jobs, values);
    }
}

/// Makes jobs for the chains of a signature by key `key` from number `first` on. Out of line, so
/// that its array is on the stack only here.
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
