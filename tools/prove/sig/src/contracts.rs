//! What the kernels of [`q8380417`](crate::q8380417) return: the claims of their theorems, in the
//! functions of FIPS 204. Four arguments are on paper:
//!
//! - kernels return products over 2^32, and transform back times 2^32: see [`Multiples`];
//! - c s, sums of at most tau numbers of at most eta, is NTT^-1(NTT(c) o NTT(s)): the NTT is
//!   multiplicative, and beta below q / 2;
//! - LowBits(w) - c s2 is LowBits(w - c s2) if either is below gamma2 - beta, since |c s2| is at
//!   most beta; if not, neither is, and nothing is said of what is written;
//! - if it is, w has the high bits of w - c s2, with which `MakeHint` compares those of
//!   w - c s2 + c t0.
use std::collections::HashMap;

use oaklath_prove_engine::{Term, Terms};
use oaklath_prove_opaque::{Contracts, Multiples, add, subtract};
use oaklath_prove_poly::q8380417::{INVERSE_NTT_POWER, PRODUCT_POWER};

use crate::functions as f;

/// What the kernels of ML-DSA return.
#[derive(Default)]
pub(crate) struct SigContracts {
    multiples: Multiples,
    /// Of two halves of a coefficient of c s, that coefficient.
    sums: HashMap<[Term; 2], Term>,
    /// Of coefficients of `LowBits(w)`, those of w.
    low_bits: HashMap<Term, Term>,
    /// Of coefficients of `LowBits(w - c s2)`, those of w and of w - c s2.
    remainders: HashMap<Term, (Term, Term)>,
}

impl Contracts for SigContracts {
    fn meaning(
        &mut self,
        t: &mut Terms,
        (name, count): (&'static str, usize),
        args: &[Term],
    ) -> Vec<Term> {
        match name {
            "multiply_small" => self.multiply_small(t, args),
            "subtract_within" => self.subtract_within(t, count, args),
            "add_within" => {
                let z = match self.sum(args) {
                    Some((y, product)) => add(t, y, &product),
                    None => t.calls("no sum", args, (256, 32)),
                };
                decided(f::is_below(t, signed(t, args[0]), &z), z, count)
            }
            "LowBits" => {
                let low = f::low_bits(t, signed(t, args[0]), &args[1..]);
                self.low_bits.extend(low.iter().copied().zip(args[1..].iter().copied()));
                low
            }
            "make_hint" => self.make_hint(t, count, args),
            _ => match self.of_transform(t, name, args) {
                Some(result) => result,
                None => of_code(t, (name, count), args),
            },
        }
    }
}

/// A decision, and what is written then: nothing if there is one output.
fn decided(decision: Term, written: Vec<Term>, count: usize) -> Vec<Term> {
    [decision].into_iter().chain(written).take(count).collect()
}

impl SigContracts {
    /// What transforms and products return.
    fn of_transform(&mut self, t: &mut Terms, name: &str, args: &[Term]) -> Option<Vec<Term>> {
        Some(match name {
            "ntt" => self.multiples.ntt(t, args),
            "inverse_ntt" => self.multiples.inverse_ntt(t, INVERSE_NTT_POWER, args),
            "dot" => {
                let (sum, rest) = self.sum_of_products(t, args);
                assert!(rest.is_empty(), "products and nothing else");
                sum
            }
            "dot_minus" => {
                let (sum, ct) = self.sum_of_products(t, args);
                let (c, product) = ct.split_at(256);
                let product = self.product(t, c, product);
                let (e, terms) = self.multiples.divide_all([sum, product]);
                let difference = subtract(t, &terms[0], &terms[1]);
                self.multiples.times(t, e, difference)
            }
            "multiply_ntt" => self.product(t, &args[..256], &args[256..]),
            // The sum is no part of it.
            "add_product" => self.product(t, &args[256..512], &args[512..]),
            "reduce_sum" => {
                let parts: Vec<Vec<Term>> = args.iter().map(|sum| t.parts(*sum)).collect();
                let (e, plain) = self.multiples.divide(&parts.concat());
                let mut plain = plain.iter();
                let mut sum = |n| t.sum(&plain.by_ref().take(n).copied().collect::<Vec<_>>());
                let sums = parts.iter().map(|parts| sum(parts.len())).collect();
                self.multiples.times(t, e, sums)
            }
            _ => return None,
        })
    }

    /// Two halves of c s.
    fn multiply_small(&mut self, t: &mut Terms, args: &[Term]) -> Vec<Term> {
        let (c, s) = args.split_at(256);
        let product = f::product(t, c, s);
        let half = |name| move |t: &mut Terms, x: &Term| t.calls(name, &[*x], (1, 8))[0];
        let [first, second] = ["first half of the sum", "second half"].map(half);
        let halves: [Vec<Term>; 2] = [
            product.iter().map(|x| first(t, x)).collect(),
            product.iter().map(|x| second(t, x)).collect(),
        ];
        for (i, x) in product.into_iter().enumerate() {
            self.sums.insert([halves[0][i], halves[1][i]], x);
        }
        halves.concat()
    }

    /// a b over 2^32.
    fn product(&mut self, t: &mut Terms, a: &[Term], b: &[Term]) -> Vec<Term> {
        let ((e, a), (more, b)) = (self.multiples.divide(a), self.multiples.divide(b));
        let product = f::multiply_ntt(t, &a, &b);
        self.multiples.times(t, e + more + PRODUCT_POWER, product)
    }

    /// The sum of products a b over 2^32; and what else was read.
    fn sum_of_products<'a>(&mut self, t: &mut Terms, args: &'a [Term]) -> (Vec<Term>, &'a [Term]) {
        let (factors, rest) = args[1..].split_at(512 * signed(t, args[0]) as usize);
        let a: Vec<_> = factors.chunks(512).map(|pair| pair[..256].to_vec()).collect();
        let b = factors.chunks(512).map(|pair| pair[256..].to_vec());
        let (e, b) = self.multiples.divide_all(b);
        let sum = f::sum_of_products(t, &a, &b);
        (self.multiples.times(t, e + PRODUCT_POWER, sum), rest)
    }

    /// f and c s of what was read: a bound, f, and the two halves of c s.
    fn sum<'a>(&self, args: &'a [Term]) -> Option<(&'a [Term], Vec<Term>)> {
        let (f, halves) = args[1..].split_at(256);
        let product = |i: usize| self.sums.get(&[halves[i], halves[256 + i]]).copied();
        Some((f, (0..256).map(product).collect::<Option<_>>()?))
    }

    fn subtract_within(&mut self, t: &mut Terms, count: usize, args: &[Term]) -> Vec<Term> {
        let bound = signed(t, args[0]);
        let known = self.sum(args).and_then(|(low, product)| {
            let w: Option<Vec<Term>> = low.iter().map(|x| self.low_bits.get(x).copied()).collect();
            Some((w?, product))
        });
        let Some((w, product)) = known else {
            return t.calls("no remainder", args, (count, 32));
        };
        let rest = subtract(t, &w, &product);
        // gamma2 - beta says which gamma2.
        let m = if bound > 100_000 { 16 } else { 44 };
        let r0 = f::low_bits(t, m, &rest);
        self.remainders.extend(r0.iter().copied().zip(w.into_iter().zip(rest)));
        decided(f::is_below(t, bound, &r0), r0, count)
    }

    fn make_hint(&mut self, t: &mut Terms, count: usize, args: &[Term]) -> Vec<Term> {
        let m = signed(t, args[0]);
        let (ct0, rest) = args[1..].split_at(256);
        let (room, (r0, w1)) = (signed(t, rest[0]) as usize, rest[1..].split_at(256));
        let known: Option<Vec<_>> = r0.iter().map(|x| self.remainders.get(x).copied()).collect();
        if let Some(known) = known {
            let (w, rest): (Vec<Term>, Vec<Term>) = known.into_iter().unzip();
            if f::encode_high_bits(t, m, &w) == w1 {
                let (minus, sum) = (f::negate(t, ct0), add(t, &rest, ct0));
                let h = f::make_hint(t, m, &minus, &sum);
                let positions = f::positions(t, &h, count - 1);
                return decided(f::has_at_most(t, room, &h), positions, count);
            }
        }
        t.calls("no hints", args, (count, 8))
    }
}

/// What samplers, encodings and roundings return.
fn of_code(t: &mut Terms, (name, count): (&'static str, usize), args: &[Term]) -> Vec<Term> {
    let (first, rest) = (t.number(args[0]).map_or(0, |_| signed(t, args[0])), &args[1..]);
    match name {
        "finish_nibbles" => f::coeff_from_half_byte(t, first, rest),
        "SampleInBall" => f::sample_in_ball(t, first as usize, rest),
        "HintBitUnpack" => {
            let mut h = f::hint_bit_unpack(t, first as usize, rest);
            h.truncate(count);
            h
        }
        "widen" => args.to_vec(),
        "decode_t1" => f::decode_t1(t, args),
        "decode_t0" => f::decode_t0(t, args),
        "encode_eta" => f::encode_eta(t, first, rest),
        "decode_eta" => {
            let s = f::decode_eta(t, first, rest);
            decided(f::is_below(t, first + 1, &s), s, count)
        }
        "encode_z" => f::encode_z(t, first as usize, rest),
        "decode_z" => {
            let z = f::decode_z(t, &rest[1..]);
            decided(f::is_below(t, signed(t, rest[0]), &z), z, count)
        }
        "decode_mask" => f::decode_z(t, rest),
        "power2round" => {
            let (f, e) = args.split_at(256);
            let sum = add(t, f, e);
            [f::encode_t1(t, &sum), f::encode_t0(t, &sum)].concat()
        }
        "w1Encode(HighBits)" => f::encode_high_bits(t, first, rest),
        "use_hint_encode" => {
            let (w, h) = rest.split_at(256);
            f::encode_use_hint(t, first, h, w)
        }
        "below gamma2" => vec![f::is_below(t, first, rest)],
        _ => unreachable!("{name} has no contract"),
    }
}

fn signed(t: &Terms, term: Term) -> i32 {
    t.number(term).expect("a constant") as i32
}
