//! Measures several contenders in turn, so that a change of frequency, a neighbour or a warm-up
//! affects all of them alike: ratios of one run hold even where absolute times vary.

use std::{
    fmt,
    ops::Range,
    time::{Duration, Instant},
};

use crate::clock::{self, Unit};

/// One of several pieces of code measured against each other.
pub struct Contender<'a> {
    name: String,
    run: Box<dyn FnMut(Range<usize>) + 'a>,
    varies: bool,
}

impl<'a> Contender<'a> {
    /// Makes a contender; `run` makes one call for every number of its range. The numbers continue
    /// from batch to batch: use them to walk through prepared inputs. The loop is the contender's
    /// own, so that set-up for a whole batch (a forced SIMD level) costs nothing per call.
    ///
    /// ```
    /// use oaklath_measure::Contender;
    ///
    /// let inputs = [3u32, 5, 7];
    /// let contender = Contender::new("square", |calls| {
    ///     for call in calls {
    ///         std::hint::black_box(inputs[call % inputs.len()].pow(2));
    ///     }
    /// });
    /// assert_eq!(contender.name(), "square");
    /// ```
    pub fn new(name: impl Into<String>, run: impl FnMut(Range<usize>) + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run), varies: false }
    }

    /// Declares that calls with the same number take different times, since the code draws its own
    /// randomness, which decides how much there is to do.
    #[must_use]
    pub fn varies(self) -> Self {
        Self { varies: true, ..self }
    }

    /// Returns the name given to [`Contender::new`].
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The times of one contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The contender's name.
    pub name: String,
    /// The time of a call: the median over the batches of each batch's mean.
    pub median: f64,
    /// The tenth percentile of the same: what a quiet machine would show.
    pub p10: f64,
    /// The unit of both figures.
    pub unit: Unit,
    /// Calls per batch.
    pub batch: usize,
}

/// Runs contenders in batches, alternately.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    rounds: usize,
    batch_time: Duration,
}

impl Sampler {
    /// Measures `rounds` batches of each contender, of about 100 microseconds each.
    ///
    /// # Panics
    /// If `rounds` is zero.
    #[must_use]
    pub fn new(rounds: usize) -> Self {
        assert!(rounds > 0, "no median of zero batches");
        Self { rounds, batch_time: Duration::from_micros(100) }
    }

    /// Sets the duration of a batch to about `time`, or to one call if that takes longer.
    #[must_use]
    pub fn batch_time(self, time: Duration) -> Self {
        Self { batch_time: time, ..self }
    }

    /// Returns one summary for each contender, in the order given.
    ///
    /// Every round calibrates the clock once and runs one batch of every contender, beginning with
    /// a different contender each time so that none always follows the same neighbour.
    ///
    /// ```
    /// use oaklath_measure::{Contender, Sampler};
    ///
    /// let summaries = Sampler::new(3).interleave(&mut [Contender::new("spin", |calls| {
    ///     calls.for_each(|_| std::hint::spin_loop());
    /// })]);
    /// assert_eq!(summaries[0].name, "spin");
    /// assert!(summaries[0].p10 <= summaries[0].median);
    /// ```
    #[must_use]
    pub fn interleave(&self, contenders: &mut [Contender<'_>]) -> Vec<Summary> {
        let batches: Vec<usize> =
            contenders.iter_mut().map(|c| calls_within(c, self.batch_time)).collect();
        let mut ticks = vec![Vec::with_capacity(self.rounds); contenders.len()];
        let mut calibrations = Vec::with_capacity(self.rounds);
        for round in 0..self.rounds {
            calibrations.push(clock::calibrate());
            for position in 0..contenders.len() {
                let i = (round + position) % contenders.len();
                let first = round * batches[i];
                let start = clock::ticks();
                (contenders[i].run)(first..first + batches[i]);
                let elapsed = clock::ticks() - start;
                ticks[i].push(elapsed as f64 / batches[i] as f64);
            }
        }
        let units_a_tick = percentile(&mut calibrations, 50);
        let summary =
            |((contender, ticks), batch): ((&Contender<'_>, &mut Vec<f64>), usize)| Summary {
                name: contender.name.clone(),
                median: percentile(ticks, 50) * units_a_tick,
                p10: percentile(ticks, 10) * units_a_tick,
                unit: clock::UNIT,
                batch,
            };
        contenders.iter().zip(&mut ticks).zip(batches).map(summary).collect()
    }

    /// Returns one summary for each contender, for calls that take different times: each is called
    /// with the numbers 0 to `items` - 1 in every round, one call of every contender in turn. The
    /// summary is of an average item: the mean over the items of each one's median (and tenth
    /// percentile) over the rounds, which an interruption does not affect. For a contender that
    /// [varies](Contender::varies) it is the median over the rounds of the mean over the items,
    /// without calls of more than ten times the median, which were interrupted.
    ///
    /// ```
    /// use std::hint::black_box;
    ///
    /// use oaklath_measure::{Contender, Sampler};
    ///
    /// let summaries = Sampler::new(5).interleave_items(10, &mut [Contender::new("x", |calls| {
    ///     for call in calls {
    ///         (0..100 * call).for_each(|x| { black_box(x); });
    ///     }
    /// })]);
    /// assert_eq!(summaries[0].batch, 1);
    /// ```
    ///
    /// # Panics
    /// If `items` is zero.
    #[must_use]
    pub fn interleave_items(&self, items: usize, contenders: &mut [Contender<'_>]) -> Vec<Summary> {
        assert!(items > 0, "no mean of zero items");
        contenders.iter_mut().for_each(|contender| (contender.run)(0..1));
        let mut calibrations = Vec::with_capacity(self.rounds);
        // One row for each round of a contender, one column for each item.
        let mut ticks = vec![Vec::with_capacity(self.rounds); contenders.len()];
        for round in 0..self.rounds {
            calibrations.push(clock::calibrate());
            ticks.iter_mut().for_each(|rows| rows.push(Vec::with_capacity(items)));
            for item in 0..items {
                for position in 0..contenders.len() {
                    let i = (round + item + position) % contenders.len();
                    let start = clock::ticks();
                    (contenders[i].run)(item..item + 1);
                    let elapsed = clock::ticks() - start;
                    ticks[i].last_mut().expect("the round's").push(elapsed as f64);
                }
            }
        }
        let units_a_tick = percentile(&mut calibrations, 50);
        let summary = |(contender, rows): (&Contender<'_>, &Vec<Vec<f64>>)| {
            let at = |percent| match contender.varies {
                false => mean(&columns(rows, |item| percentile(item, percent))),
                true => percentile(&mut uninterrupted_means(rows), percent),
            };
            Summary {
                name: contender.name.clone(),
                median: at(50) * units_a_tick,
                p10: at(10) * units_a_tick,
                unit: clock::UNIT,
                batch: 1,
            }
        };
        contenders.iter().zip(&ticks).map(summary).collect()
    }
}

/// Reduces each column of `rows` to one number.
fn columns(rows: &[Vec<f64>], reduce: impl Fn(&mut [f64]) -> f64) -> Vec<f64> {
    let column = |i| rows.iter().map(|row| row[i]).collect::<Vec<_>>();
    (0..rows[0].len()).map(|i| reduce(&mut column(i))).collect()
}

/// Returns the mean of each row, without values above ten times the median of all.
fn uninterrupted_means(rows: &[Vec<f64>]) -> Vec<f64> {
    let most = 10.0 * percentile(&mut rows.concat(), 50);
    let kept = |row: &Vec<f64>| row.iter().copied().filter(|&x| x <= most).collect::<Vec<_>>();
    rows.iter().map(kept).filter(|row| !row.is_empty()).map(|row| mean(&row)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns how many calls of `contender` fill `time`, at least one; also warms it up.
fn calls_within(contender: &mut Contender<'_>, time: Duration) -> usize {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (contender.run)(0..calls);
        let elapsed = start.elapsed();
        if elapsed * 2 >= time || calls >= 1 << 30 {
            let a_call = elapsed.as_nanos().max(1) / calls as u128;
            return (time.as_nanos() / a_call.max(1)).clamp(1, 1 << 30) as usize;
        }
        calls *= 2;
    }
}

/// Returns the value below which `percent` of the values are (nearest rank); sorts them.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * percent / 100]
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn percentiles_of_known_values() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut values, 50), 50.0);
        assert_eq!(percentile(&mut values, 10), 10.0);
        assert_eq!(percentile(&mut [4.0], 10), 4.0);
    }

    /// Every round runs every contender once, and a later round begins with another one.
    #[test]
    fn contenders_alternate() {
        let log = RefCell::new(Vec::new());
        let note = |name: char| {
            let log = &log;
            Contender::new(name, move |calls| {
                log.borrow_mut().push(name);
                std::thread::sleep(Duration::from_micros(1));
                assert!(!calls.is_empty());
            })
        };
        let mut contenders = [note('a'), note('b'), note('c')];
        let _ = Sampler::new(4).batch_time(Duration::from_nanos(1)).interleave(&mut contenders);
        // The first three calls find the size of a batch.
        let order: String = log.borrow().iter().skip(3).collect();
        assert_eq!(order, "abcbcacababc");
    }

    /// Inputs are walked through without gap or repetition, in batches of the summary's size.
    #[test]
    fn calls_are_numbered_on() {
        let ranges = RefCell::new(Vec::new());
        let contender = Contender::new("x", |calls: Range<usize>| {
            std::thread::sleep(Duration::from_micros(200));
            ranges.borrow_mut().push(calls);
        });
        let summaries =
            Sampler::new(3).batch_time(Duration::from_nanos(1)).interleave(&mut [contender]);
        assert_eq!(summaries[0].batch, 1);
        assert_eq!(ranges.borrow()[1..], [0..1, 1..2, 2..3]);
    }

    /// Every item comes once in a round, for every contender; a different one begins each time.
    #[test]
    fn items_alternate() {
        let log = RefCell::new(Vec::new());
        let note = |name: char| {
            let log = &log;
            Contender::new(name, move |calls| log.borrow_mut().push((name, calls)))
        };
        let mut contenders = [note('a'), note('b')];
        let summaries = Sampler::new(2).interleave_items(2, &mut contenders);
        assert!(summaries.iter().all(|s| s.batch == 1 && s.p10 <= s.median));
        // The first two calls warm up.
        let (a, b) = (|i| ('a', i..i + 1), |i| ('b', i..i + 1));
        assert_eq!(log.borrow()[2..], [a(0), b(0), b(1), a(1), b(0), a(0), a(1), b(1)]);
    }

    /// One interruption in three rounds affects no median and no mean.
    #[test]
    fn an_interruption_does_not_count() {
        let rounds = [vec![1.0, 5.0], vec![1.0, 5.0], vec![901.0, 5.0]];
        assert_eq!(columns(&rounds, |item| percentile(item, 50)), [1.0, 5.0]);
        assert_eq!(uninterrupted_means(&rounds), [3.0, 3.0, 5.0]);
    }

    #[test]
    fn twice_the_work_is_not_less_time() {
        let chain = |links: u64| {
            move |calls: Range<usize>| {
                for _ in calls {
                    let mut x = std::hint::black_box(3u64);
                    for _ in 0..links {
                        x = std::hint::black_box(x.wrapping_mul(x));
                    }
                }
            }
        };
        let summaries = Sampler::new(51).interleave(&mut [
            Contender::new("one", chain(100)),
            Contender::new("eight", chain(800)),
        ]);
        assert!(summaries[1].median > summaries[0].median, "{summaries:?}");
        assert!(summaries.iter().all(|s| s.p10 <= s.median));
    }
}
