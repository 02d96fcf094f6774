//! `ExpandA`: FIPS 204, Algorithm 32. The matrix `A_hat` is kept whole, two rows at a time, or not
//! at all.
use oaklath_poly::q8380417::{self as ring, Entry, NttPoly};
use oaklath_simd::{Simd, each};

use super::params::MlDsaParams;

/// The maximum number of rows of a matrix.
const MOST_ROWS: usize = 8;

/// The storage of the entries.
enum MatrixStorage<'a> {
    /// All entries were sampled before.
    Kept(&'a [Entry]),
    /// Row r is stored at place r, or at r mod 2 if there are only two places.
    Rows { entries: &'a mut [Entry], places: usize },
    /// Each entry is used as soon as it is sampled, from the place of its lane: row r of the
    /// product with the factors is added to `sums[r % 2]`.
    Sums { flight: &'a mut [Entry; 4], sums: &'a mut [NttPoly; 2] },
}

/// The matrix `A_hat`, which lanes sample and products consume row by row.
pub(crate) struct ExpandedMatrix<'a> {
    k: usize,
    l: usize,
    storage: MatrixStorage<'a>,
    /// Row and column of the next entry to be sampled.
    next: (usize, usize),
    /// How many entries of each row are missing.
    missing: [usize; MOST_ROWS],
    /// How many rows have been used.
    rows_done: usize,
}

impl<'a> ExpandedMatrix<'a> {
    /// Returns a matrix whose entries were all sampled before.
    #[inline(always)]
    pub(super) fn kept(p: &MlDsaParams, entries: &'a [Entry]) -> Self {
        Self::new(p, MatrixStorage::Kept(entries), p.k, 0)
    }

    /// Returns a matrix to be sampled into memory for all rows, or for two that are used in turn.
    #[inline(always)]
    pub(super) fn rows(p: &MlDsaParams, entries: &'a mut [Entry]) -> Self {
        let places = if entries.len() == 2 * p.l { 2 } else { p.k };
        Self::new(p, MatrixStorage::Rows { entries, places }, 0, p.l)
    }

    /// Returns a matrix whose entries are sampled and used after each [`restart`](Self::restart).
    #[inline(always)]
    pub(super) fn sums(
        p: &MlDsaParams,
        flight: &'a mut [Entry; 4],
        sums: &'a mut [NttPoly; 2],
    ) -> Self {
        sums.iter_mut().for_each(|sum| sum.fill(0));
        Self::new(p, MatrixStorage::Sums { flight, sums }, p.k, 0)
    }

    #[inline(always)]
    fn new(p: &MlDsaParams, storage: MatrixStorage<'a>, next_row: usize, missing: usize) -> Self {
        let missing = [missing; MOST_ROWS];
        Self { k: p.k, l: p.l, storage, next: (next_row, 0), missing, rows_done: 0 }
    }

    /// Starts another product. A matrix that is not stored is sampled again.
    #[inline(always)]
    pub(super) fn restart(&mut self) {
        self.rows_done = 0;
        if let MatrixStorage::Sums { .. } = self.storage {
            self.missing = [self.l; MOST_ROWS];
            self.next = (0, 0);
        }
    }

    /// Returns row and column of the next entry to be sampled, if there is memory for it.
    #[inline(always)]
    pub(super) fn next_entry(&mut self) -> Option<(usize, usize)> {
        let places = if let MatrixStorage::Rows { places, .. } = self.storage { places } else { 2 };
        let (row, column) = self.next;
        (row < self.k && row < self.rows_done + places).then(|| {
            self.next = if column + 1 == self.l { (row + 1, 0) } else { (row, column + 1) };
            (row, column)
        })
    }

    /// Returns the place of an entry that a lane samples.
    #[inline(always)]
    pub(crate) fn entry(&mut self, lane: usize, (row, column): (usize, usize)) -> &mut Entry {
        match &mut self.storage {
            MatrixStorage::Rows { entries, places } => {
                &mut entries[row_place(row, *places) * self.l + column]
            }
            MatrixStorage::Sums { flight, .. } => &mut flight[lane],
            MatrixStorage::Kept(_) => unreachable!("no entry of a kept matrix is sampled"),
        }
    }

    /// Counts an entry as complete, or uses it.
    #[inline(always)]
    pub(crate) fn finish_entry<S: Simd>(
        &mut self,
        s: S,
        lane: usize,
        (row, column): (usize, usize),
        factors: &[NttPoly],
    ) {
        self.missing[row] -= 1;
        if let MatrixStorage::Sums { flight, sums } = &mut self.storage {
            ring::add_product(s, &flight[lane][..], &factors[column], &mut sums[row & 1]);
        }
    }

    /// Returns how many rows have been used.
    #[inline(always)]
    pub(super) fn rows_done(&self) -> usize {
        self.rows_done
    }

    /// Returns whether the next row is complete.
    #[inline(always)]
    pub(super) fn row_ready(&self) -> bool {
        self.rows_done < self.k && self.missing[self.rows_done] == 0
    }

    /// Returns whether all rows are complete.
    #[inline(always)]
    pub(super) fn all_ready(&self) -> bool {
        let mut missing = 0;
        each!(row in 0..self.k => missing += self.missing[row]);
        missing == 0
    }

    /// Returns the entries of the next row.
    #[inline(always)]
    fn row(&self) -> &[Entry] {
        let (entries, place): (&[Entry], usize) = match &self.storage {
            MatrixStorage::Kept(entries) => (entries, self.rows_done),
            MatrixStorage::Rows { entries, places } => {
                (entries, row_place(self.rows_done, *places))
            }
            MatrixStorage::Sums { .. } => unreachable!("entries are used as they come"),
        };
        &entries[place * self.l..][..self.l]
    }

    /// Writes the product of the next row and the factors.
    #[inline(always)]
    pub(super) fn multiply_row<S: Simd>(&mut self, s: S, factors: &[NttPoly], w_hat: &mut NttPoly) {
        if let MatrixStorage::Sums { sums, .. } = &mut self.storage {
            let sum = &mut sums[self.rows_done & 1];
            ring::reduce_sum(s, sum, w_hat);
            sum.fill(0);
        } else {
            ring::dot(s, self.row(), factors, w_hat);
        }
        self.rows_done += 1;
    }

    /// Writes the product of the next row and the factors, minus a product c t.
    #[inline(always)]
    pub(super) fn multiply_row_minus<S: Simd>(
        &mut self,
        s: S,
        factors: &[NttPoly],
        product: (&NttPoly, &NttPoly),
        w_hat: &mut NttPoly,
    ) {
        ring::dot_minus(s, self.row(), factors, product, w_hat);
        self.rows_done += 1;
    }
}

/// Returns the place of row `i`: `i & 1` with two places, else `i`.
#[inline(always)]
fn row_place(i: usize, places: usize) -> usize {
    if places == 2 { i & 1 } else { i }
}
