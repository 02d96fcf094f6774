//! Proofs of what rejection keeps. A filter knows its place in a block and how many coefficients
//! there are, nothing else: so the cases, which begin with some numbers of these, and trials with
//! each of them are all.
use std::format;
use std::string::String;
use std::vec;

use oaklath_prove_engine::{Kernel, Rows, prove};
use oaklath_simd::{Level, dispatch, scratch};

use crate::proofs::FilteredBlock;
use crate::q8380417::Q;
use crate::q8380417::sample::{Entry, ROW, reject_block_vartime, reject_nibbles_vartime};

/// Checks that the outputs are the fields of a block, as many as are missing.
fn are_first(k: &Kernel, from: usize) -> Result<(), String> {
    if k.results() != [256] {
        return Err(format!("{:?} numbers", k.results()));
    }
    k.maps(0, 0..256 - from, |x| x)
}

pub(super) fn rejections(rows: &mut Rows) -> Result<(), String> {
    for from in [0, 101, 192] {
        prove!(rows, format!("from coefficient {from}"), modulo Q, limit 1 << 25; |s, io| {
            scratch!(entry: Entry);
            let mut row = [0xff; ROW];
            io.fields(&mut row[..168], 24);
            let n = reject_block_vartime(s, &row, entry, from);
            io.outputs(&entry[from..n]);
        }, |k| {
            k.keeps_below(Q.into())?;
            k.maps(0, 0..56, |x| x & ((1 << 23) - 1))
        }; Proof8 Proof32);
    }
    // Where the block is the last one: the tape ends where all are kept.
    for from in [201, 230, 255, 256] {
        let case = format!("from coefficient {from}, all below q");
        prove!(rows, case, modulo Q, limit 1 << 25; |s, io| {
            scratch!(entry: Entry);
            let mut row = [0xff; ROW];
            io.fields_within(&mut row[..168], 24, 0..=i64::from(Q) - 1);
            let n = reject_block_vartime(s, &row, entry, from);
            io.outputs(&entry[from..n]);
            io.result(n as i64);
        }, |k| are_first(k, from); Proof8 Proof32);
    }
    let block = FilteredBlock { fields: 56, bits: 24, below: Q as usize, most: 256 };
    rows.try_all("each number of coefficients", &|| {
        block.try_each_number(&|level, bytes, n| {
            let (mut row, mut entry) = ([0xff; ROW], Entry::new([-1; 272]));
            row[..168].copy_from_slice(bytes);
            let end = dispatch!(level, s => reject_block_vartime(s, &row, &mut entry, n));
            entry[..end].to_vec()
        })
    })
}

pub(super) fn rejections_of_nibbles(rows: &mut Rows) -> Result<(), String> {
    for (eta, below) in [(2, 15), (4, 9)] {
        // All that are kept at most; of a whole block below.
        prove!(rows, format!("eta = {eta}, 128 bytes"), modulo Q, limit 1 << 16; |s, io| {
            scratch!(block: [u8; 128], nibbles: Entry<()>);
            io.fields(block, 4);
            let n = reject_nibbles_vartime(s, eta, block, nibbles, 0);
            io.outputs(&nibbles[..n]);
        }, |k| {
            k.keeps_below(below)?;
            k.maps(0, 0..256, |x| x)
        }; Proof8 Proof32);
        for from in [0, 100, 200, 255, 256] {
            let case = format!("eta = {eta}, from coefficient {from}, all below {below}");
            prove!(rows, case, modulo Q, limit 1 << 16; |s, io| {
                scratch!(block: [u8; 136], nibbles: Entry<()>);
                io.fields_within(block, 4, 0..=below - 1);
                let n = reject_nibbles_vartime(s, eta, block, nibbles, from);
                io.outputs(&nibbles[from..n]);
                io.result(n as i64);
            }, |k| are_first(k, from); Proof8 Proof32);
        }
        let case = format!("eta = {eta}, each number of coefficients");
        rows.try_all(&case, &|| nibbles_after_each_number(eta, below as usize))?;
    }
    Ok(())
}

/// Tries each nibble after each number of coefficients, and each value of each nibble.
fn nibbles_after_each_number(eta: i32, below: usize) -> Result<usize, String> {
    let filter = |level, bytes: &[u8], n| {
        let mut nibbles = Entry::new([-1; 272]);
        let end = dispatch!(level, s => reject_nibbles_vartime(s, eta, bytes, &mut nibbles, n));
        nibbles[..end].to_vec()
    };
    let block = FilteredBlock { fields: 272, bits: 4, below, most: 256 };
    let mut tried = block.try_each_number(&filter)?;
    for (level, at) in Level::available().flat_map(|level| (0..272).map(move |at| (level, at))) {
        for x in 0..16 {
            tried += 1;
            let mut bytes = [0xff; 136];
            bytes[at >> 1] ^= (x ^ 15) << (4 * (at & 1));
            let is_kept = usize::from(x) < below;
            if filter(level, &bytes, 0) != vec![i32::from(x); is_kept.into()] {
                return Err(format!("{level}: nibble {at} is {x}"));
            }
        }
    }
    Ok(tried)
}
