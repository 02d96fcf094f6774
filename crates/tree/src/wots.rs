//! Keys that sign one digest: FIPS 205, section 5; RFC 8391, section 3.1; RFC 8554, section 4.
use core::fmt;

use oaklath_simd::wipe;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::digits::split;
use crate::forest::{Tree, grow};
use crate::{Link, MAX_LANES, OneTime, Slot, Trace};

/// Grows trees over one-time keys.
///
/// Where a tree has room for secrets, they are all values of all chains of its wanted leaf, chain by
/// chain: the signature of any digest by this key is among them, and trees that sign each other's
/// roots need not wait for each other. There is room for `(steps + 1) * chains`.
///
/// # Panics
/// As [`grow`], and if there is less room.
pub fn grow_trees<H: OneTime<N>, const N: usize>(h: &H, trees: &mut [Tree<'_, N>], height: u32) {
    let grow_some = |trees: &mut [Tree<'_, N>], height| {
        grow(h, trees, 0, height, |trees, before, nodes| {
            some_leaves(h, trees, height, before, nodes);
        });
    };
    #[cfg(feature = "parallel")]
    crate::spread::spread(h, trees, height, h.lanes().ilog2(), grow_some);
    #[cfg(not(feature = "parallel"))]
    grow_some(trees, height);
}

/// The leaves of a tree, from number `first` on.
pub fn tree_leaves<H: OneTime<N>, const N: usize>(
    h: &H,
    slot: Slot,
    first: u32,
    leaves: &mut [[u8; N]],
) {
    let height = leaves.len().next_power_of_two().trailing_zeros();
    let lanes = h.lanes();
    let some = |(i, leaves): (usize, &mut [[u8; N]])| {
        let tree = Tree { first, ..Tree::root_only(slot) };
        some_leaves(h, &mut [tree], height, i * lanes, leaves);
    };
    #[cfg(feature = "parallel")]
    leaves.par_chunks_mut(lanes).enumerate().for_each(some);
    #[cfg(not(feature = "parallel"))]
    leaves.chunks_mut(lanes).enumerate().for_each(some);
}

/// One leaf, with its chains in the lanes.
///
/// # Panics
/// If `jobs` is empty.
pub fn leaf<H: OneTime<N>, const N: usize>(h: &H, slot: Slot, jobs: &mut [Job<N>]) -> [u8; N] {
    let (chains, steps) = (h.chains(), h.steps() as u8);
    assert!(!jobs.is_empty(), "a job");
    let mut fold = h.fold(&[slot]);
    let (mut first, window) = (0, jobs.len());
    while first < chains {
        let jobs = &mut jobs[..window.min(chains - first)];
        begin(h, slot, first, jobs);
        jobs.iter_mut().for_each(|job| job.end = steps);
        run::<MAX_LANES, _, N>(h, |_| slot, jobs);
        for job in &*jobs {
            h.absorb(&mut fold, job.chain.into(), &[job.value]);
        }
        first += window;
    }
    let mut leaf = [[0; N]];
    h.finish(&mut fold, &mut leaf);
    leaf[0]
}

/// The leaves of all trees from number `before` on, as many as there is room for.
fn some_leaves<H: OneTime<N>, const N: usize>(
    h: &H,
    trees: &mut [Tree<'_, N>],
    height: u32,
    before: usize,
    nodes: &mut [[u8; N]],
) {
    let n = nodes.len();
    let mut links = [Link::default(); MAX_LANES];
    let mut slots = [Slot::default(); MAX_LANES];
    for i in 0..n {
        let at = before + i;
        let tree = &trees[at >> height];
        let leaf = tree.first + (at & ((1 << height) - 1)) as u32;
        slots[i] = Slot { leaf, ..tree.slot };
        links[i].slot = slots[i];
    }
    let (first, last) = (before >> height, (before + n - 1) >> height);
    let mut fold = h.fold(&slots[..n]);
    let steps = h.steps();
    let mut values = [[0; N]; MAX_LANES];
    for chain in 0..h.chains() {
        links[..n].iter_mut().for_each(|link| link.chain = chain as u32);
        h.secrets(&links[..n], &mut values[..n]);
        let mut traces: [Trace<'_, N>; MAX_LANES] = Default::default();
        let mut traced = 0;
        for (tree, number) in trees[first..=last].iter_mut().zip(first..) {
            let leaf = tree.wanted.wrapping_sub(tree.first) as usize;
            let lane = ((number << height) + leaf).wrapping_sub(before);
            if leaf >> height == 0 && lane < n && !tree.secrets.is_empty() {
                let kept = &mut tree.secrets[chain * (steps as usize + 1)..][..=steps as usize];
                kept[0] = values[lane];
                traces[traced] = (lane, &mut kept[1..]);
                traced += 1;
            }
        }
        h.advance(&links[..n], steps, &mut values[..n], &mut traces[..traced]);
        h.absorb(&mut fold, chain as u32, &values[..n]);
    }
    h.finish(&mut fold, nodes);
    wipe(&mut values);
}

/// Chains of a key that are on their way at a time: all of a key whose digits have four bits.
pub const WINDOW: usize = 67;

/// More chains than any key has: 256 digits of one bit, and nine of their checksum.
const MOST_CHAINS: usize = 265;

/// Memory for a chain on its way from one step to another.
#[derive(Clone, Copy)]
pub struct Job<const N: usize> {
    value: [u8; N],
    /// Which key, and which of its chains.
    key: u16,
    chain: u16,
    step: u8,
    end: u8,
    /// Not of this job: the number of the job that comes at this place in the queue.
    queued: u16,
}

impl<const N: usize> Job<N> {
    /// Memory.
    pub const NONE: Self = Self { value: [0; N], key: 0, chain: 0, step: 0, end: 0, queued: 0 };
}

/// Says nothing of the value: it may be secret.
impl<const N: usize> fmt::Debug for Job<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").finish_non_exhaustive()
    }
}

/// Runs the jobs, in lanes that take another one as soon as theirs has ended, the longest first.
#[inline(never)]
fn run<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    slot: impl Fn(usize) -> Slot,
    jobs: &mut [Job<N>],
) {
    queue(jobs);
    let lanes = h.lanes();
    // The jobs in the lanes, and how far they are; lanes without one are at the end.
    let mut running = [0_u16; LANES];
    let (mut links, mut values) = ([Link::default(); LANES], [[0; N]; LANES]);
    let (mut active, mut next) = (0, 0);
    loop {
        while active < lanes && next < jobs.len() {
            let number = jobs[next].queued;
            let job = &jobs[usize::from(number)];
            next += 1;
            if job.step < job.end {
                let slot = slot(job.key.into());
                links[active] = Link { slot, chain: job.chain.into(), step: job.step.into() };
                (running[active], values[active]) = (number, job.value);
                active += 1;
            }
        }
        let to_go =
            |lane: usize| u32::from(jobs[usize::from(running[lane])].end) - links[lane].step;
        let Some(steps) = (0..active).map(to_go).min() else {
            break;
        };
        h.advance(&links[..active], steps, &mut values[..active], &mut []);
        let mut left = 0;
        for lane in 0..active {
            let job = &mut jobs[usize::from(running[lane])];
            links[lane].step += steps;
            if links[lane].step < job.end.into() {
                running[left] = running[lane];
                (links[left], values[left]) = (links[lane], values[lane]);
                left += 1;
            } else {
                job.value = values[lane];
            }
        }
        active = left;
    }
    wipe(&mut values);
}

/// The queue: by steps to go, the longest first. Sorted by counting.
#[inline(never)]
fn queue<const N: usize>(jobs: &mut [Job<N>]) {
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
/// If the signature has not one value for each chain, or if `jobs` is shorter than [`WINDOW`].
pub fn sign<H: OneTime<N>, const N: usize>(
    h: &H,
    slot: Slot,
    digest: &[u8; N],
    jobs: &mut [Job<N>],
    signature: &mut [[u8; N]],
) {
    let mut digits = [0; MOST_CHAINS];
    let digits = &mut digits[..h.chains()];
    split(digest, h.digit_bits(), digits);
    assert_eq!(signature.len(), digits.len(), "a value for each chain");
    let mut chain = 0;
    for (digits, signature) in digits.chunks(WINDOW).zip(signature.chunks_mut(WINDOW)) {
        let jobs = &mut jobs[..digits.len()];
        begin(h, slot, chain, jobs);
        jobs.iter_mut().zip(digits).for_each(|(job, digit)| job.end = *digit);
        chain += digits.len();
        run::<MAX_LANES, _, N>(h, |_| slot, jobs);
        for (job, signature) in jobs.iter_mut().zip(signature) {
            *signature = job.value;
        }
    }
}

/// Jobs at the beginnings of the chains of a key from number `first` on.
fn begin<H: OneTime<N>, const N: usize>(h: &H, slot: Slot, first: usize, jobs: &mut [Job<N>]) {
    let (lanes, mut chain) = (h.lanes(), first);
    for jobs in jobs.chunks_mut(lanes) {
        let (mut links, mut values) = ([Link::default(); MAX_LANES], [[0; N]; MAX_LANES]);
        let n = jobs.len();
        for (i, link) in links[..n].iter_mut().enumerate() {
            *link = Link { slot, chain: (chain + i) as u32, step: 0 };
        }
        h.secrets(&links[..n], &mut values[..n]);
        for (i, job) in jobs.iter_mut().enumerate() {
            *job = Job { value: values[i], chain: (chain + i) as u16, ..Job::NONE };
        }
        chain += n;
        wipe(&mut values);
    }
}

/// The signature of a digest among all values of a key's chains, which [`grow_trees`] kept.
///
/// # Panics
/// If the signature has not one value for each chain.
pub fn choose<H: OneTime<N>, const N: usize>(
    h: &H,
    digest: &[u8; N],
    values: &[[u8; N]],
    signature: &mut [[u8; N]],
) {
    let mut digits = [0; MOST_CHAINS];
    let digits = &mut digits[..h.chains()];
    split(digest, h.digit_bits(), digits);
    assert_eq!(signature.len(), digits.len(), "a value for each chain");
    let of_chains = values.chunks_exact(h.steps() as usize + 1);
    for ((value, values), digit) in signature.iter_mut().zip(of_chains).zip(digits) {
        *value = values[usize::from(*digit)];
    }
}

/// A signature, and where it leads.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a, const N: usize> {
    /// The key.
    pub slot: Slot,
    /// What is signed; then the leaf.
    pub node: [u8; N],
    /// The values of the signature, and perhaps more after them.
    pub signature: &'a [[u8; N]],
}

/// The leaves that signatures lead to: from each value as many steps as are left to the end of its
/// chain. FIPS 205, Algorithm 8; RFC 8391, Algorithm 6; RFC 8554, Algorithm 4b.
///
/// Lanes are fullest with [`WINDOW`] jobs for each signature; fewer take less memory.
///
/// `LANES` is how many lanes the hash function has at most, for which there is to be memory.
///
/// # Panics
/// If there are more signatures than lanes or than jobs, more lanes than `LANES`, or if a signature is
/// too short.
pub fn leaves<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    signed: &mut [Signed<'_, N>],
    jobs: &mut [Job<N>],
) {
    let (keys, chains) = (signed.len(), h.chains());
    let of_key = jobs.len() >> keys.next_power_of_two().trailing_zeros();
    let (mut first, window) = (0, WINDOW.min(of_key));
    assert!(window > 0, "a job for each signature");
    // What follows is out of line, so that the stack has the arrays of one of them at a time.
    let mut fold = begin_leaves::<LANES, _, N>(h, signed);
    while first < chains {
        let n = window.min(chains - first);
        let jobs = &mut jobs[..keys * n];
        for (key, (signed, jobs)) in signed.iter().zip(jobs.chunks_exact_mut(n)).enumerate() {
            take(h, signed, key, first, jobs);
        }
        run::<LANES, _, N>(h, |key| signed[key].slot, jobs);
        absorb::<LANES, _, N>(h, &mut fold, n, jobs);
        first += n;
    }
    finish_leaves::<LANES, _, N>(h, &mut fold, signed);
}

#[inline(never)]
fn begin_leaves<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    signed: &[Signed<'_, N>],
) -> H::Fold {
    let mut slots = [Slot::default(); LANES];
    slots.iter_mut().zip(signed).for_each(|(slot, signed)| *slot = signed.slot);
    h.fold(&slots[..signed.len()])
}

/// Takes chains of a signature from number `first` on.
#[inline(never)]
fn take<H: OneTime<N>, const N: usize>(
    h: &H,
    signed: &Signed<'_, N>,
    key: usize,
    first: usize,
    jobs: &mut [Job<N>],
) {
    let mut digits = [0; MOST_CHAINS];
    let digits = &mut digits[..h.chains()];
    split(&signed.node, h.digit_bits(), digits);
    for (chain, job) in (first..).zip(jobs) {
        let (value, step, end) = (signed.signature[chain], digits[chain], h.steps() as u8);
        *job = Job { value, key: key as u16, chain: chain as u16, step, end, queued: 0 };
    }
}

/// Gives the ends of the chains to the leaves, of each key `n`.
#[inline(never)]
fn absorb<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    fold: &mut H::Fold,
    n: usize,
    jobs: &[Job<N>],
) {
    if jobs.len() > n {
        return absorb_side_by_side::<LANES, _, N>(h, fold, n, jobs);
    }
    for job in jobs {
        h.absorb(fold, job.chain.into(), core::slice::from_ref(&job.value));
    }
}

#[inline(never)]
fn absorb_side_by_side<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    fold: &mut H::Fold,
    n: usize,
    jobs: &[Job<N>],
) {
    let mut ends = [[0; N]; LANES];
    for (i, job) in jobs[..n].iter().enumerate() {
        let of_keys = jobs[i..].iter().step_by(n);
        let keys = of_keys.len();
        ends.iter_mut().zip(of_keys).for_each(|(end, job)| *end = job.value);
        h.absorb(fold, job.chain.into(), &ends[..keys]);
    }
}

#[inline(never)]
fn finish_leaves<const LANES: usize, H: OneTime<N>, const N: usize>(
    h: &H,
    fold: &mut H::Fold,
    signed: &mut [Signed<'_, N>],
) {
    let mut leaves = [[0; N]; LANES];
    h.finish(fold, &mut leaves[..signed.len()]);
    signed.iter_mut().zip(&leaves).for_each(|(signed, leaf)| signed.node = *leaf);
}
