//! What the kernels of [`q3329`](crate::q3329) return: the claims of their theorems, in the
//! functions of FIPS 203.
//!
//! Kernels return products over 2^16, and transform back times 2^16: see [`Multiples`]. Which
//! function a name here means is compared with the theorem's claim by eye, row by row.
//!
//! A coefficient's term is its class modulo q: each contract is a function of classes, and
//! `encode_12` owes the canonical number.
use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_opaque::{Contracts, Multiples, add, subtract};
use oaklath_prove_poly::q3329::{DOT_POWER, ENCODING_POWER, INVERSE_NTT_POWER, NOISE_POWER};

use crate::functions as f;

/// What the kernels of ML-KEM return.
#[derive(Default)]
pub(crate) struct KemContracts(Multiples);

impl Contracts for KemContracts {
    fn meaning(
        &mut self,
        t: &mut Terms,
        (name, _): (&'static str, usize),
        args: &[Term],
    ) -> Vec<Term> {
        match name {
            "cbd_2" => f::sample_poly_cbd(t, 2, args),
            "cbd_3" => f::sample_poly_cbd(t, 3, args),
            "cbd_2, times 2^16" => {
                let sample = f::sample_poly_cbd(t, 2, args);
                self.0.times(t, NOISE_POWER, sample)
            }
            "cbd_3, times 2^16" => {
                let sample = f::sample_poly_cbd(t, 3, args);
                self.0.times(t, NOISE_POWER, sample)
            }
            "ntt" => self.0.ntt(t, args),
            "inverse_ntt" => self.0.inverse_ntt(t, INVERSE_NTT_POWER, args),
            "prepare" => prepared(t, 0, args),
            "dot" => {
                let (sum, rest) = self.sum_of_products(t, args);
                assert!(rest.is_empty(), "products and nothing else");
                sum
            }
            "dot_encode_12" => {
                let (sum, e) = self.sum_of_products(t, args);
                let t_hat = add(t, &sum, e);
                f::byte_encode_12(t, &t_hat)
            }
            "encode_12_from_montgomery" => {
                let f = self.0.times(t, ENCODING_POWER, args.to_vec());
                f::byte_encode_12(t, &f)
            }
            _ => of_code(t, name, args),
        }
    }
}

impl KemContracts {
    /// The sum of products a b over 2^16, where all b were prepared; and what else was read.
    fn sum_of_products<'a>(&mut self, t: &mut Terms, args: &'a [Term]) -> (Vec<Term>, &'a [Term]) {
        let [start, n, k] = [0, 1, 2].map(|i| number(t, args[i]));
        let args = &args[3..];
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for factors in args[..3 * k * n].chunks(3 * n) {
            let (factor, prepared_b) = factors.split_at(n);
            let swapped: Vec<Term> =
                prepared_b[n..].chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            if prepared(t, start, &swapped) != prepared_b {
                // Nothing is known of other products.
                return (t.calls("no product", args, (n, 16)), &args[3 * k * n..]);
            }
            a.push(factor.to_vec());
            b.push(swapped);
        }
        let (e, b) = self.0.divide_all(b);
        let sum = f::multiply_ntts(t, start, &a, &b);
        (self.0.times(t, e + DOT_POWER, sum), &args[3 * k * n..])
    }
}

/// What encodings and compressions return.
fn of_code(t: &mut Terms, name: &'static str, args: &[Term]) -> Vec<Term> {
    match name {
        "encode_12" => f::byte_encode_12(t, args),
        "decode_12" => f::byte_decode_12(t, args),
        "decode_12_checked" => {
            let mut f = f::byte_decode_12(t, args);
            f.push(f::is_canonical(t, args));
            f
        }
        "encode_u" => {
            let (d, (u, e1)) = (number(t, args[0]), args[1..].split_at(256));
            let u = add(t, u, e1);
            f::byte_encode_compress(t, d, &u)
        }
        "encode_v" => {
            let (d, (v, rest)) = (number(t, args[0]), args[1..].split_at(256));
            let (e2, m) = rest.split_at(256);
            let v = add(t, v, e2);
            let mu = f::decompress_byte_decode(t, m);
            let v = add(t, &v, &mu);
            f::byte_encode_compress(t, d, &v)
        }
        "decompress_u" => f::decompress_byte_decode(t, args),
        "decompress_message" => {
            let (c2, w) = args.split_at(args.len() - 256);
            let v = f::decompress_byte_decode(t, c2);
            let w = subtract(t, &v, w);
            f::byte_encode_compress(t, 1, &w)
        }
        _ => unreachable!("{name} has no contract"),
    }
}

/// The factor of Algorithm 12 that b is, from a coefficient on: (b0, gamma b1), then (b1, b0).
fn prepared(t: &mut Terms, start: usize, b: &[Term]) -> Vec<Term> {
    let mut halves = [Vec::new(), Vec::new()];
    for (i, pair) in b.chunks(2).enumerate() {
        let args = [t.constant((start + 2 * i) as u64, 16), pair[1]];
        halves[0].extend([pair[0], t.calls("times gamma", &args, (1, 16))[0]]);
        halves[1].extend([pair[1], pair[0]]);
    }
    halves.concat()
}

fn number(t: &Terms, term: Term) -> usize {
    t.number(term).expect("a constant") as usize
}
