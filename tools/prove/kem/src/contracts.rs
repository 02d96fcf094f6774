//! What the kernels of [`q3329`](crate::q3329) return: the claims of their theorems, in the
//! functions of FIPS 203.
//!
//! Kernels return products over 2^16, and transform back times 2^16. So a polynomial is in memory
//! as 2^(16 e) times one of the standard, for some e. The transforms are linear, and products
//! bilinear: factors pass through. The powers are those of which the theorems make their forms;
//! which function a name here means is compared with the theorem's claim by eye, row by row.
//!
//! A coefficient's term is its class modulo q: each contract is a function of classes, and
//! `encode_12` owes the canonical number.
use std::collections::HashMap;

use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_poly::q3329::{DOT_POWER, ENCODING_POWER, INVERSE_NTT_POWER, NOISE_POWER};

use crate::functions as f;

/// The polynomials that are multiples: of each coefficient its e and that of the standard.
#[derive(Default)]
pub(crate) struct Contracts {
    multiples: HashMap<Term, (i64, Term)>,
}

impl Contracts {
    /// 2^(16 e) times a polynomial.
    fn times(&mut self, t: &mut Terms, e: i64, f: Vec<Term>) -> Vec<Term> {
        let (before, f) = self.divide(&f);
        let e = e + before;
        if e == 0 {
            return f;
        }
        let mut multiple = |x| {
            let args = [t.constant(e as u64, 64), x];
            let multiple = t.calls("times a power of 2^16", &args, (1, 16))[0];
            self.multiples.insert(multiple, (e, x));
            multiple
        };
        f.into_iter().map(&mut multiple).collect()
    }

    /// The polynomial of the standard, and e. One whose coefficients have different ones is its
    /// own.
    fn divide(&self, f: &[Term]) -> (i64, Vec<Term>) {
        let plain = |x: &Term| self.multiples.get(x).copied().unwrap_or((0, *x));
        let (es, plain): (Vec<i64>, Vec<Term>) = f.iter().map(plain).unzip();
        if es.iter().all(|e| *e == es[0]) { (es[0], plain) } else { (0, f.to_vec()) }
    }

    /// What an opaque call with so many outputs returns.
    pub(crate) fn meaning(
        &mut self,
        t: &mut Terms,
        (name, count): (&'static str, usize),
        args: &[Term],
    ) -> Vec<Term> {
        match name {
            f::KECCAK => f::keccak_f(t, args),
            f::IDLE => t.calls(f::IDLE, args, (count, 64)),
            "differ" => {
                let (a, b) = args.split_at(args.len() / 2);
                vec![f::differ(t, a, b)]
            }
            "numbers below q" => f::numbers_below_q(t, args, count),
            "cbd_2" => f::sample_poly_cbd(t, 2, args),
            "cbd_3" => f::sample_poly_cbd(t, 3, args),
            "cbd_2, times 2^16" => {
                let sample = f::sample_poly_cbd(t, 2, args);
                self.times(t, NOISE_POWER, sample)
            }
            "cbd_3, times 2^16" => {
                let sample = f::sample_poly_cbd(t, 3, args);
                self.times(t, NOISE_POWER, sample)
            }
            "ntt" => {
                let (e, f) = self.divide(args);
                let f_hat = f::ntt(t, &f);
                self.times(t, e, f_hat)
            }
            "inverse_ntt" => {
                let (e, f_hat) = self.divide(args);
                let f = f::inverse_ntt(t, &f_hat);
                self.times(t, e + INVERSE_NTT_POWER, f)
            }
            "prepare" => prepared(t, 0, args),
            "dot" => self.sum_of_products(t, args).0,
            "dot_encode_12" => {
                let (sum, e) = self.sum_of_products(t, args);
                let t_hat = f::add(t, &sum, e);
                f::byte_encode_12(t, &t_hat)
            }
            "encode_12_from_montgomery" => {
                let f = self.times(t, ENCODING_POWER, args.to_vec());
                f::byte_encode_12(t, &f)
            }
            _ => of_code(t, name, args),
        }
    }

    /// The sum of products a b over 2^16, where all b were prepared; and what else was read.
    fn sum_of_products<'a>(&mut self, t: &mut Terms, args: &'a [Term]) -> (Vec<Term>, &'a [Term]) {
        let [start, n, k] = [0, 1, 2].map(|i| number(t, args[i]));
        let args = &args[3..];
        let (mut a, mut b, mut es) = (Vec::new(), Vec::new(), Vec::new());
        for factors in args[..3 * k * n].chunks(3 * n) {
            let (factor, prepared_b) = factors.split_at(n);
            let swapped: Vec<Term> =
                prepared_b[n..].chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            if prepared(t, start, &swapped) != prepared_b {
                // Nothing is known of other products.
                return (t.calls("no product", args, (n, 16)), &args[3 * k * n..]);
            }
            let (e, plain) = self.divide(&swapped);
            a.push(factor.to_vec());
            b.push(plain);
            es.push(e);
        }
        let sum = f::multiply_ntts(t, start, &a, &b);
        assert!(es.iter().all(|e| *e == es[0]), "factors of one kind");
        (self.times(t, es[0] + DOT_POWER, sum), &args[3 * k * n..])
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
            let u = f::add(t, u, e1);
            f::byte_encode_compress(t, d, &u)
        }
        "encode_v" => {
            let (d, (v, rest)) = (number(t, args[0]), args[1..].split_at(256));
            let (e2, m) = rest.split_at(256);
            let v = f::add(t, v, e2);
            let mu = f::decompress_byte_decode(t, m);
            let v = f::add(t, &v, &mu);
            f::byte_encode_compress(t, d, &v)
        }
        "decompress_u" => f::decompress_byte_decode(t, args),
        "decompress_message" => {
            let (c2, w) = args.split_at(args.len() - 256);
            let v = f::decompress_byte_decode(t, c2);
            let w = f::subtract(t, &v, w);
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
