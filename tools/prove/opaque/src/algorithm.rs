//! What the algorithms of a standard are made of, over terms: decisions, the sponge of FIPS 202.
use oaklath_prove_engine::{Term, Terms};

use crate::filters::NUMBERS_BELOW_Q;
use crate::functions::ntt;
use crate::keccak::keccak_f;

/// A byte string.
pub type Bytes = Vec<Term>;
/// The coefficients of a polynomial.
pub type Polynomial = Vec<Term>;
/// A vector of polynomials.
pub type Vector = Vec<Polynomial>;

/// A run of a standard's algorithms.
pub struct Algorithm {
    /// The terms.
    pub t: Terms,
    /// The answers to decisions, in order.
    answers: Vec<bool>,
    /// On what those decisions were that have been asked for.
    pub(crate) decisions: Vec<Term>,
    /// Which filters are applied to which streams, each behind its bound.
    pub(crate) filtered: Vec<(&'static str, Vec<Term>)>,
}

impl Algorithm {
    pub(crate) fn new(t: Terms, answers: Vec<bool>) -> Self {
        Self { t, answers, decisions: Vec::new(), filtered: Vec::new() }
    }

    /// Returns the answer to a decision. One that the kernel has not asked for is yes, and an error
    /// later.
    pub fn decide(&mut self, term: Term) -> bool {
        self.decisions.push(term);
        self.answers.get(self.decisions.len() - 1).copied().unwrap_or(true)
    }

    /// Names what the standard has a variable for: messages say what of it the kernel did not come
    /// to.
    pub fn named(&mut self, name: &str, terms: Vec<Term>) -> Vec<Term> {
        let named = |(i, term)| self.t.cut(format!("{name}[{i}]"), term);
        terms.into_iter().enumerate().map(named).collect()
    }

    /// Returns a constant byte.
    pub fn byte(&mut self, byte: usize) -> Term {
        self.t.constant(byte as u64, 8)
    }

    /// Returns a string with more bytes.
    pub fn with_bytes(&mut self, string: &[Term], bytes: &[usize]) -> Bytes {
        let bytes: Bytes = bytes.iter().map(|byte| self.byte(*byte)).collect();
        [string, &bytes].concat()
    }

    /// Decides whether strings differ.
    pub fn differ(&mut self, a: &[Term], b: &[Term]) -> bool {
        let differs = differ(&mut self.t, a, b);
        self.decide(differs)
    }

    /// Absorbs a message: FIPS 202, Algorithm 8, with pad10*1; `suffix` is what follows the
    /// message, and the first 1 of the pad. Returns the state.
    pub fn absorb(
        &mut self,
        name: &str,
        (rate, suffix): (usize, usize),
        message: &[Term],
    ) -> Vec<Term> {
        let (zero, mut padded) = (self.byte(0), message.to_vec());
        padded.push(self.byte(suffix));
        padded.resize(padded.len().next_multiple_of(rate), zero);
        let (last, high) = (padded.len() - 1, self.byte(0x80));
        padded[last] = self.t.xor(padded[last], high);
        let mut state = vec![self.t.constant(0, 64); 25];
        for (n, block) in padded.chunks(rate).enumerate() {
            for (word, bytes) in state.iter_mut().zip(block.chunks(8)) {
                let bytes = self.t.joined(bytes);
                *word = self.t.xor(*word, bytes);
            }
            state = keccak_f(&mut self.t, &state);
            state = self.named(&format!("{name}, absorbed {}, word ", n + 1), state);
        }
        state
    }

    /// Absorbs a message, and squeezes as many bytes: FIPS 202, Algorithm 8.
    pub fn sponge(
        &mut self,
        name: &str,
        (rate, suffix): (usize, usize),
        message: &[Term],
        out: usize,
    ) -> Vec<Term> {
        let mut state = self.absorb(name, (rate, suffix), message);
        let mut squeezed = Vec::new();
        loop {
            for word in &state[..rate / 8] {
                squeezed.extend((0..8).map(|i| self.t.part(*word, 8 * i, 8)));
            }
            if squeezed.len() >= out {
                squeezed.truncate(out);
                return squeezed;
            }
            state = keccak_f(&mut self.t, &state);
            state = self.named(&format!("{name}, byte {} on, word ", squeezed.len()), state);
        }
    }

    /// Transforms a vector.
    pub fn ntts(&mut self, name: &str, v: &[Polynomial]) -> Vector {
        let transformed = |(i, f): (usize, &Polynomial)| {
            let f_hat = ntt(&mut self.t, f);
            self.named(&format!("{name}[{i}]"), f_hat)
        };
        v.iter().enumerate().map(transformed).collect()
    }

    /// Returns the first 256 of the numbers below a bound that a filter keeps of a stream, as terms
    /// of that many bits.
    pub fn filtered(
        &mut self,
        filter: &'static str,
        (below, bits): (u64, u8),
        stream: &[Term],
    ) -> Polynomial {
        let args = [&[self.t.constant(below, bits)], stream].concat();
        let numbers = self.t.calls(filter, &args, (256, bits));
        self.filtered.push((filter, args));
        numbers
    }

    /// Samples a matrix row by row, entry \[i, j\] from SHAKE128(rho || j || i), which has 256
    /// numbers below q in `blocks(i, j)` blocks: FIPS 203, Algorithm 13, lines 3 to 7, and FIPS
    /// 204, Algorithm 32.
    pub fn expand_matrix(
        &mut self,
        rho: &[Term],
        (rows, columns): (usize, usize),
        blocks: &dyn Fn(usize, usize) -> usize,
        below: (u64, u8),
    ) -> Vec<Vector> {
        let mut sample = |i, j| self.sample_ntt(rho, [j, i], blocks(i, j), below);
        (0..rows).map(|i| (0..columns).map(|j| sample(i, j)).collect()).collect()
    }

    /// `SampleNTT(rho || j || i)`: FIPS 203, Algorithm 7; `RejNTTPoly`: FIPS 204, Algorithm 30.
    fn sample_ntt(
        &mut self,
        rho: &[Term],
        [j, i]: [usize; 2],
        blocks: usize,
        below: (u64, u8),
    ) -> Polynomial {
        let name = format!("A_hat[{i}, {j}]");
        let (message, xof) = (self.with_bytes(rho, &[j, i]), format!("XOF for {name}"));
        let stream = self.sponge(&xof, (168, 0x1f), &message, 168 * blocks);
        let a = self.filtered(NUMBERS_BELOW_Q, below, &stream);
        self.named(&name, a)
    }
}

/// Whether two strings differ.
pub(crate) fn differ(t: &mut Terms, a: &[Term], b: &[Term]) -> Term {
    t.calls("differ", &[a, b].concat(), (1, 8))[0]
}
