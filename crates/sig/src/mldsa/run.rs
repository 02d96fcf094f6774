//! Keccak lanes at work, four or two times four: each takes the next task when its own ends, and lane 0
//! can be lent to a hash. Everything random, and every long hash, is made here.
use core::fmt;

use oaklath_hash::blocks::absorb_block;
use oaklath_hash::keccak::{RATE_256, RATE_SHAKE128, SUFFIX_SHAKE, permute};
use oaklath_hash::lanes::{Lanes4, Start};
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly, Poly, ROW};
use oaklath_simd::{A64, Simd, U64s, wipe};

use super::Variant;
use super::aes;
use super::shape::Shape;

/// What a lane does.
#[derive(Clone, Copy)]
enum Task {
    /// An entry of the matrix: SHAKE128, about five blocks.
    Entry { row: usize, column: usize },
    /// A polynomial of the secrets: SHAKE256, about two blocks.
    Secret(usize),
    /// A mask: SHAKE256, five blocks. The number counts through all attempts.
    Mask(usize),
}

/// A task, how many blocks it has had, and how many coefficients it has given.
#[derive(Clone, Copy)]
struct Cell {
    task: Task,
    block: usize,
    n: usize,
}

/// Where entries of the matrix go.
pub(super) enum Matrix<'a, const K: usize, const L: usize> {
    /// All of them are there.
    Kept(&'a [[Entry; L]; K]),
    /// Row r goes to `rows[r]`, or of two rows to `rows[r % 2]`. With the number of entries that each row misses.
    Rows { rows: &'a mut [[Entry; L]], missing: [usize; K] },
    /// Each is used as it comes: row r of the product with the factors goes to `sums[r % 2]`.
    Sums { flight: &'a mut [Entry; 4], sums: &'a mut [NttPoly; 2], missing: [usize; K] },
}

/// Where secrets or masks go. Both are ready in order.
pub(super) enum Noise<'a> {
    /// Nowhere.
    None,
    /// Secrets, s1 then s2. Made before the matrix.
    Secrets { s1: &'a mut [Poly], s2: &'a mut [Poly], ready: usize },
    /// Mask n to `masks[n % masks.len()]`, below `limit`; there are 16 or L places. Made after the matrix.
    Masks { masks: &'a mut [Poly], ready: usize, limit: usize },
}

/// What is to be done.
pub(super) struct Work<'a, const K: usize, const L: usize> {
    rho: &'a [u8; 32],
    /// The seed of the noise.
    seed: &'a [u8; 64],
    matrix: Matrix<'a, K, L>,
    noise: Noise<'a>,
    /// What the matrix is multiplied with.
    pub(super) factors: &'a mut [NttPoly; L],
    /// The next entry, counted row by row,
    next_entry: usize,
    /// how many rows nobody needs any more,
    rows_done: usize,
    /// and the next secret or mask.
    next_noise: usize,
}

/// The seed where there is no noise.
pub(super) const NO_SEED: [u8; 64] = [0; 64];

impl Noise<'_> {
    /// How many secrets, or masks, are ready.
    #[inline(always)]
    fn ready(&self) -> usize {
        match self {
            Noise::None => 0,
            Noise::Secrets { ready, .. } | Noise::Masks { ready, .. } => *ready,
        }
    }
}

impl<'a, const K: usize, const L: usize> Matrix<'a, K, L> {
    /// None of it made yet.
    #[inline(always)]
    pub(super) fn rows(rows: &'a mut [[Entry; L]]) -> Self {
        Self::Rows { rows, missing: [L; K] }
    }

    /// The same.
    #[inline(always)]
    pub(super) fn sums(flight: &'a mut [Entry; 4], sums: &'a mut [NttPoly; 2]) -> Self {
        sums.iter_mut().for_each(|sum| sum.fill(0));
        Self::Sums { flight, sums, missing: [L; K] }
    }
}

impl<'a, const K: usize, const L: usize> Work<'a, K, L> {
    #[inline(always)]
    pub(super) fn new(
        rho: &'a [u8; 32],
        seed: &'a [u8; 64],
        matrix: Matrix<'a, K, L>,
        noise: Noise<'a>,
        factors: &'a mut [NttPoly; L],
    ) -> Self {
        // What is used as it comes waits for its factors: see `again`.
        let next_entry = if let Matrix::Sums { .. } = matrix { K * L } else { 0 };
        let next_noise = noise.ready();
        Self { rho, seed, matrix, noise, factors, next_entry, rows_done: 0, next_noise }
    }

    /// The next task, if there is one now.
    #[inline(always)]
    fn next(&mut self) -> Option<Task> {
        if let Noise::Secrets { .. } = &self.noise
            && self.next_noise < K + L
        {
            return Some(Task::Secret(self.count_noise()));
        }
        if let Some(task) = self.next_entry() {
            return Some(task);
        }
        match &self.noise {
            Noise::Masks { limit, .. } if self.next_noise < *limit => {
                Some(Task::Mask(self.count_noise()))
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn count_noise(&mut self) -> usize {
        self.next_noise += 1;
        self.next_noise - 1
    }

    #[inline(always)]
    fn next_entry(&mut self) -> Option<Task> {
        let (row, column) = split::<L>(self.next_entry);
        let room = match &self.matrix {
            Matrix::Kept(_) => 0,
            Matrix::Rows { rows, .. } => self.rows_done + rows.len(),
            Matrix::Sums { .. } => self.rows_done + 2,
        };
        (row < K && row < room).then(|| {
            self.next_entry += 1;
            Task::Entry { row, column }
        })
    }

    /// Rows that nobody needs any more.
    #[inline(always)]
    pub(super) fn rows_done(&self) -> usize {
        self.rows_done
    }

    /// Whether the next row that is needed is complete.
    #[inline(always)]
    pub(super) fn row_ready(&self) -> bool {
        match &self.matrix {
            Matrix::Kept(_) => true,
            Matrix::Rows { missing, .. } | Matrix::Sums { missing, .. } => {
                self.rows_done < K && missing[self.rows_done] == 0
            }
        }
    }

    /// The next row that is needed, times the factors, minus c t.
    #[inline(always)]
    pub(super) fn row_minus<S: Simd>(
        &mut self,
        s: S,
        product: (&NttPoly, &NttPoly),
        w_hat: &mut NttPoly,
    ) {
        let row = match &self.matrix {
            Matrix::Kept(rows) => &rows[self.rows_done],
            Matrix::Rows { rows, .. } => &rows[row_place(self.rows_done, rows.len())],
            Matrix::Sums { .. } => unreachable!("only signing sums"),
        };
        ring::dot_minus(s, polys(row), self.factors, product, w_hat);
        self.rows_done += 1;
    }

    /// The next row that is needed, times the factors.
    #[inline(always)]
    pub(super) fn row<S: Simd>(&mut self, s: S, w_hat: &mut NttPoly) {
        match &mut self.matrix {
            Matrix::Kept(rows) => {
                ring::dot(s, polys(&rows[self.rows_done]), self.factors, w_hat);
            }
            Matrix::Rows { rows, .. } => {
                let row = &rows[row_place(self.rows_done, rows.len())];
                ring::dot(s, polys(row), self.factors, w_hat);
            }
            Matrix::Sums { sums, .. } => {
                let sum = &mut sums[self.rows_done & 1];
                ring::reduce_sum(s, sum, w_hat);
                sum.fill(0);
            }
        }
        self.rows_done += 1;
    }

    /// Begins a product with new factors: a matrix that is used as it comes is made anew.
    #[inline(always)]
    pub(super) fn again(&mut self) {
        self.rows_done = 0;
        if let Matrix::Sums { missing, .. } = &mut self.matrix {
            *missing = [L; K];
            self.next_entry = 0;
        }
    }

    /// How many secrets, or masks, are ready.
    #[inline(always)]
    pub(super) fn noise_ready(&self) -> usize {
        self.noise.ready()
    }

    /// How many of them have been handed out.
    #[inline(always)]
    pub(super) fn noise_begun(&self) -> usize {
        self.next_noise
    }

    /// Whether all rows are there.
    #[inline(always)]
    pub(super) fn matrix_ready(&self) -> bool {
        match &self.matrix {
            Matrix::Kept(_) => true,
            Matrix::Rows { missing, .. } | Matrix::Sums { missing, .. } => {
                let (mut all, mut row) = (0, 0);
                while row < K {
                    all += missing[row];
                    row += 1;
                }
                all == 0
            }
        }
    }

    /// rho.
    #[inline(always)]
    pub(super) fn rho(&self) -> &'a [u8; 32] {
        self.rho
    }

    /// The factors become s1, transformed.
    #[inline(always)]
    pub(super) fn transform_secrets<S: Simd>(&mut self, s: S) {
        if let Noise::Secrets { s1, .. } = &self.noise {
            let mut j = 0;
            while j < L {
                ring::ntt(s, &s1[j], &mut self.factors[j]);
                j += 1;
            }
        }
    }

    /// The secrets s1 and s2.
    #[inline(always)]
    pub(super) fn secrets(&self) -> (&[Poly], &[Poly]) {
        match &self.noise {
            Noise::Secrets { s1, s2, .. } => (s1, s2),
            _ => unreachable!("only key generation makes secrets"),
        }
    }

    /// Mask n.
    #[inline(always)]
    pub(super) fn mask(&mut self, n: usize) -> &mut Poly {
        match &mut self.noise {
            Noise::Masks { masks, .. } => {
                let len = masks.len();
                &mut masks[mask_place::<L>(n, len)]
            }
            _ => unreachable!("only signing makes masks"),
        }
    }

    /// The factors become the masks from `base` on, transformed.
    #[inline(always)]
    pub(super) fn transform_masks<S: Simd>(&mut self, s: S, base: usize) {
        if let Noise::Masks { masks, .. } = &self.noise {
            let mut j = 0;
            while j < L {
                ring::ntt(s, &masks[mask_place::<L>(base + j, masks.len())], &mut self.factors[j]);
                j += 1;
            }
        }
    }

    /// Masks below `base` are not needed any more.
    #[inline(always)]
    pub(super) fn release_masks(&mut self, base: usize) {
        if let Noise::Masks { masks, limit, .. } = &mut self.noise {
            *limit = base + masks.len();
        }
    }
}

/// A row as polynomials.
#[inline(always)]
pub(super) fn polys<const L: usize>(row: &[Entry; L]) -> [&[i32; 256]; L] {
    let mut polys = [const { &[0; 256] }; L];
    let mut j = 0;
    while j < L {
        polys[j] = row[j].first_chunk().expect("256 coefficients");
        j += 1;
    }
    polys
}

/// Row and column of an entry.
#[inline(always)]
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of a public number, by a constant")
)]
fn split<const L: usize>(entry: usize) -> (usize, usize) {
    (entry / L, entry % L)
}

/// Where row `i` is: of two places every second one, else its own. No division, though all is public.
#[inline(always)]
fn row_place(i: usize, places: usize) -> usize {
    if places == 2 { i & 1 } else { i }
}

/// Where mask `n` is: of 16 places, or of `L`.
#[inline(always)]
#[cfg_attr(
    not(test),
    expect(clippy::integer_division_remainder_used, reason = "of a public number, by a constant")
)]
fn mask_place<const L: usize>(n: usize, places: usize) -> usize {
    if places == 16 { n & 15 } else { n % L }
}

/// Bytes that become a mask: five blocks, of which the last is cut.
pub(super) const STREAM: usize = 5 * RATE_256 + 24;

/// The most lanes that there are.
pub(super) const LANES: usize = 8;
/// What the lanes squeeze, and what they gather: of `N` lanes, 4 or 8. Erased by whoever has it.
pub(super) type Rows<const N: usize = LANES> = A64<[[u8; ROW]; N]>;
/// Nibbles of secrets that wait for their next block: a lane each. Only key generation has some.
pub(super) type Nibbles = [Entry<()>; LANES];
/// Bytes of masks that wait for their next block: a lane each. Only signing has some.
pub(super) type Streams<const N: usize = LANES> = [[u8; STREAM]; N];

/// How many lanes a level has: eight where a register holds eight words.
const fn lanes<S: Simd>() -> usize {
    if S::Eight::PARTS == 1 { 8 } else { 4 }
}

/// What a [`Run`] is lent.
type Memory<'a> = (&'a mut [[u8; ROW]], &'a mut [Entry<()>], &'a mut [[u8; STREAM]]);

/// The lanes. Their states are erased when dropped.
pub(super) struct Run<'a, S: Simd> {
    s: S,
    variant: Variant,
    /// Lanes 0 to 3 and 4 to 7, which rest while none of them has a task.
    lanes: [Lanes4<S>; 2],
    cells: [Option<Cell>; LANES],
    /// How many lanes take tasks.
    width: usize,
    /// Lane 0 takes no more tasks.
    reserved: bool,
    hash: Hash,
    /// The state of a hash that is not in lane 0.
    alone: [u64; 25],
    /// Of Dilithium-AES: for the matrix, and for secrets and masks, all of one seed.
    ciphers: [Option<S::Aes>; 2],
    rows: &'a mut [[u8; ROW]],
    nibbles: &'a mut [Entry<()>],
    streams: &'a mut [[u8; STREAM]],
}

/// Where the hash is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hash {
    /// There is none.
    None,
    /// In lane 0, which is permuted with the others.
    Lane,
    /// Beside: it waits for its next block, or this is Dilithium-AES.
    Alone,
}

impl<'a, S: Simd> Run<'a, S> {
    #[inline(always)]
    pub(super) fn new(s: S, variant: Variant, (rows, nibbles, streams): Memory<'a>) -> Self {
        let width = const { lanes::<S>() }.min(rows.len());
        let mut lane = 0;
        while lane < width {
            rows[lane][RATE_SHAKE128..].fill(0xff);
            lane += 1;
        }
        Self {
            s,
            variant,
            lanes: [Lanes4::new(s), Lanes4::new(s)],
            cells: [None; LANES],
            width,
            reserved: false,
            hash: Hash::None,
            alone: [0; 25],
            ciphers: [None, None],
            rows,
            nibbles,
            streams,
        }
    }

    /// Lends lane 0 to a hash, as soon as its task has ended.
    #[inline(always)]
    pub(super) fn reserve(&mut self) {
        self.reserved = true;
    }

    /// Lends lane 0 to hashes that will be waited for: no more than four lanes take tasks then, since a
    /// permutation of eight takes longer.
    #[inline(always)]
    pub(super) fn reserve_for_long(&mut self) {
        self.reserve();
        self.width = 4;
    }

    /// Gives lane 0 back to the tasks.
    #[inline(always)]
    pub(super) fn release(&mut self) {
        self.reserved = false;
    }

    /// Whether the hash can begin or go on.
    #[inline(always)]
    pub(super) fn hash_ready(&self) -> bool {
        self.reserved && self.cells[0].is_none()
    }

    /// Which of four lanes have a task, a bit each.
    #[inline(always)]
    fn busy(&self, group: usize) -> u32 {
        let (mut busy, mut lane) = (0, 0);
        while lane < 4 {
            busy |= u32::from(self.cells[4 * group + lane].is_some()) << lane;
            lane += 1;
        }
        busy
    }

    /// One permutation of all lanes: free ones begin the next tasks, lane 0 absorbs a block of its
    /// hash if one is given (the first of a message, or another one). Out of line.
    #[inline(never)]
    pub(super) fn step<const K: usize, const L: usize>(
        &mut self,
        work: &mut Work<'_, K, L>,
        block: Option<(bool, &[u8; RATE_256])>,
    ) {
        let s = self.s;
        s.vectorize(
            #[inline(always)]
            || {
                if self.variant == Variant::DilithiumAes {
                    return self.step_aes(work, block);
                }
                self.begin(work, 0);
                if const { lanes::<S>() == 8 } {
                    self.begin(work, 1);
                }
                self.absorb(block);
                let active = self.busy(0) | u32::from(block.is_some());
                let wide = const { lanes::<S>() == 8 } && self.busy(1) != 0;
                let [first, second] = &mut self.lanes;
                if wide {
                    first.permute_with(second);
                    self.deliver(work, 1);
                } else {
                    first.permute(active);
                }
                if self.busy(0) != 0 {
                    self.deliver(work, 0);
                }
            },
        );
    }

    /// Free lanes of a group begin the next tasks.
    #[inline(always)]
    fn begin<const K: usize, const L: usize>(&mut self, work: &mut Work<'_, K, L>, group: usize) {
        let none = Start { mask: [0; 4], word: [0; 4] };
        let (mut entries, mut noise, mut any) = (none, none, (false, false));
        let mut lane = usize::from(self.reserved && group == 0);
        while lane < 4 {
            let cell = &mut self.cells[4 * group + lane];
            if 4 * group < self.width
                && cell.is_none()
                && let Some(task) = work.next()
            {
                *cell = Some(Cell { task, block: 0, n: 0 });
                // What follows the seed: two bytes and the suffix.
                let suffix = u64::from(SUFFIX_SHAKE) << 16;
                match task {
                    Task::Entry { row, column } => {
                        any.0 = true;
                        entries.mask[lane] = u64::MAX;
                        entries.word[lane] = (column | row << 8) as u64 | suffix;
                    }
                    Task::Secret(n) | Task::Mask(n) => {
                        any.1 = true;
                        noise.mask[lane] = u64::MAX;
                        noise.word[lane] = n as u64 | suffix;
                    }
                }
            }
            lane += 1;
        }
        if any.0 {
            self.lanes[group].start::<RATE_SHAKE128, 32>(&entries, work.rho);
        }
        if any.1 {
            self.lanes[group].start::<RATE_256, 64>(&noise, work.seed);
        }
    }

    /// A block of the hash into lane 0. If there is none now, its state waits outside.
    #[inline(always)]
    fn absorb(&mut self, block: Option<(bool, &[u8; RATE_256])>) {
        match (block, self.hash) {
            (Some((true, block)), _) => self.lanes[0].load(0, block),
            (Some((false, block)), Hash::Alone) => {
                absorb_block(&mut self.alone, block);
                self.lanes[0].replace(0, &self.alone);
            }
            (Some((false, block)), _) => self.lanes[0].absorb(0, block),
            (None, Hash::Lane) => {
                self.alone = self.lanes[0].words(0);
                self.hash = Hash::Alone;
            }
            (None, _) => {}
        }
        if block.is_some() {
            self.hash = Hash::Lane;
        }
    }

    /// The block of each lane of a group to where it belongs; lanes whose task has ended are free.
    #[inline(always)]
    fn deliver<const K: usize, const L: usize>(&mut self, work: &mut Work<'_, K, L>, group: usize) {
        let s = self.s;
        let rows = self.rows[4 * group..].first_chunk_mut().expect("a row for each lane");
        self.lanes[group].squeeze(rows);
        let mut lane = 4 * group;
        while lane < 4 * group + 4 {
            if let Some(mut cell) = self.cells[lane] {
                let row = &self.rows[lane];
                let ended = match cell.task {
                    Task::Entry { row: i, column: j } => {
                        let entry = slot(&mut work.matrix, lane, i, j);
                        cell.n = ring::reject_block_vartime(s, row, entry, cell.n);
                        cell.n == 256
                    }
                    Task::Secret(_) => {
                        let (block, nibbles) = (&row[..RATE_256], &mut self.nibbles[lane]);
                        cell.n = Shape::<K, L>::reject_nibbles_vartime(s, block, nibbles, cell.n);
                        cell.n == 256
                    }
                    Task::Mask(_) => {
                        let at = RATE_256 * cell.block;
                        self.streams[lane][at..at + RATE_256].copy_from_slice(&row[..RATE_256]);
                        cell.block == 4
                    }
                };
                cell.block += 1;
                self.cells[lane] = if ended { None } else { Some(cell) };
                if ended {
                    self.finish(work, lane, cell.task);
                }
            }
            lane += 1;
        }
    }

    /// What is done with a task's result. Noise is ready up to the first that a lane still has.
    #[inline(always)]
    fn finish<const K: usize, const L: usize>(
        &mut self,
        work: &mut Work<'_, K, L>,
        lane: usize,
        task: Task,
    ) {
        let s = self.s;
        match (task, &mut work.matrix, &mut work.noise) {
            (Task::Entry { row, .. }, Matrix::Rows { missing, .. }, _) => missing[row] -= 1,
            (Task::Entry { row, column }, Matrix::Sums { flight, sums, missing }, _) => {
                ring::add_product(s, &flight[lane][..], &work.factors[column], &mut sums[row & 1]);
                missing[row] -= 1;
            }
            (Task::Secret(n), _, Noise::Secrets { s1, s2, ready }) => {
                let secret = if n < L { &mut s1[n] } else { &mut s2[n - L] };
                Shape::<K, L>::finish_nibbles(s, &self.nibbles[lane], secret);
                *ready = self.unfinished_noise().min(work.next_noise);
            }
            (Task::Mask(n), _, Noise::Masks { masks, ready, .. }) => {
                let mask = &mut masks[mask_place::<L>(n, masks.len())];
                Shape::<K, L>::decode_mask(s, &self.streams[lane], mask);
                *ready = self.unfinished_noise().min(work.next_noise);
            }
            _ => unreachable!("tasks are of what there is to be made"),
        }
    }

    /// The first secret or mask that a lane still has.
    #[inline(always)]
    fn unfinished_noise(&self) -> usize {
        let (mut first, mut lane) = (usize::MAX, 0);
        while lane < const { lanes::<S>() } {
            if let Some(Cell { task: Task::Secret(n) | Task::Mask(n), .. }) = self.cells[lane] {
                first = first.min(n);
            }
            lane += 1;
        }
        first
    }

    /// Dilithium-AES: a whole task a step, one after the other, and the hash beside them.
    #[inline(always)]
    fn step_aes<const K: usize, const L: usize>(
        &mut self,
        work: &mut Work<'_, K, L>,
        block: Option<(bool, &[u8; RATE_256])>,
    ) {
        let s = self.s;
        if let Some((first, block)) = block {
            if first {
                self.alone = [0; 25];
            }
            self.hash = Hash::Alone;
            absorb_block(&mut self.alone, block);
            permute(s, &mut self.alone);
        }
        let Some(task) = work.next() else { return };
        let [of_matrix, of_noise] = &mut self.ciphers;
        match task {
            Task::Entry { row, column } => {
                let cipher = aes::keyed(s, of_matrix, work.rho);
                let entry = slot(&mut work.matrix, 0, row, column);
                aes::entry(s, cipher, (column | row << 8) as u16, entry);
            }
            Task::Secret(n) => {
                let cipher = aes::keyed(s, of_noise, aes::first_half(work.seed));
                aes::nibbles::<S, K, L>(s, cipher, n as u16, &mut self.nibbles[0]);
            }
            Task::Mask(n) => {
                let cipher = aes::keyed(s, of_noise, aes::first_half(work.seed));
                aes::mask(s, cipher, n as u16, &mut self.streams[0]);
            }
        }
        self.finish(work, 0, task);
    }

    /// The state of the hash, which ends.
    #[inline(always)]
    pub(super) fn hash(&mut self) -> [u64; 25] {
        let state = if self.hash == Hash::Lane { self.lanes[0].words(0) } else { self.alone };
        self.hash = Hash::None;
        state
    }
}

/// Where an entry goes.
#[inline(always)]
fn slot<'m, const K: usize, const L: usize>(
    matrix: &'m mut Matrix<'_, K, L>,
    lane: usize,
    row: usize,
    column: usize,
) -> &'m mut Entry {
    match matrix {
        Matrix::Rows { rows, .. } => {
            let len = rows.len();
            &mut rows[row_place(row, len)][column]
        }
        Matrix::Sums { flight, .. } => &mut flight[lane],
        Matrix::Kept(_) => unreachable!("no entry of a kept matrix is made"),
    }
}

impl<S: Simd> Drop for Run<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.alone);
    }
}

impl<S: Simd> fmt::Debug for Run<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}
