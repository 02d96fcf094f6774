//! Proofs of what packing computes, for every input.
use std::format;
use std::string::String;

use oaklath_prove_engine::proof::io::unwritten;
use oaklath_prove_engine::{Rows, Theorem, prove};

use crate::bits::{pack, unpack};

/// The theorems about this module.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        kernels: &["bits::pack"],
        results: &[],
        claim: "coefficient i modulo 2^width is field i, unused bits are zero, every width, of 508 and 256; any",
        is_quick: false,
        prove: packings,
    },
    Theorem {
        kernels: &["bits::unpack"],
        results: &[],
        claim: "field i is coefficient i, every width, of 508 and 256; all bytes",
        is_quick: false,
        prove: unpackings,
    },
];

fn packings(rows: &mut Rows) -> Result<(), String> {
    for (width, n) in [1, 3, 4, 6, 10, 11, 12, 13].into_iter().flat_map(|w| [(w, 508), (w, 256)]) {
        prove!(rows, format!("pack {n} of {width} bits"), modulo 3, limit 1 << 16; |s, io| {
            let (mut values, mut bytes) = (unwritten(n), unwritten((width * n).div_ceil(8)));
            io.inputs(&mut values, -32768..=32767);
            pack(s, width, &values, &mut bytes);
            io.output_fields(&bytes, width);
            let used = (width * n) & 7;
            if used != 0 {
                io.outputs(&[bytes[bytes.len() - 1] >> used]);
            }
        }, |k| {
            if (n..k.count_outputs()).any(|i| k.constant(k.output(i)) != Some(0)) {
                return Err("an unused bit is not zero".into());
            }
            k.maps(0, 0..n, |x| x & ((1 << width) - 1))
        });
    }
    Ok(())
}

fn unpackings(rows: &mut Rows) -> Result<(), String> {
    for (width, n) in [1, 3, 4, 6, 8, 10, 11, 12, 13].into_iter().flat_map(|w| [(w, 508), (w, 256)])
    {
        prove!(rows, format!("unpack {n} of {width} bits"), modulo 3, limit 1 << 16; |s, io| {
            let (mut values, mut bytes) = (unwritten(n), unwritten((width * n).div_ceil(8)));
            io.fields(&mut bytes, width);
            unpack(s, width, &bytes, &mut values);
            io.outputs(&values);
        }, |k| {
            k.maps(0, 0..n, |x| x)?;
            k.outputs_within(0..n, (0, (1 << width) - 1))
        });
    }
    Ok(())
}
