//! The generator of round 3: `ChaCha20`, in the byte order of `rng.c` of the reference.
//!
//! A refill is eight blocks of 64 bytes, with word v of block u at byte 32 v + 4 u. As many blocks
//! are computed at a time as a vector has words. Rounds can be computed two at a time, while the
//! caller waits for something else.
use oaklath_hash::sha3::Squeeze;
use oaklath_simd::{HashWords, Simd, each, vectorize, wipe};

use crate::fn_dsa::stream::{AGAIN, HALF_GAUSSIAN, KEPT, REFILL, RING, Source, kept};

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The generator. Erased when dropped.
pub(crate) struct ChaChaSource<S: Simd> {
    s: S,
    /// Key and nonce. The counter is added to the last two words by XOR.
    key: [u32; 12],
    counter: u64,
    start: [S::W32; 16],
    state: [S::W32; 16],
    /// How many double rounds have been computed.
    rounds: u32,
    /// How many blocks have been completed.
    blocks: usize,
    bytes: [u8; RING + AGAIN],
}

impl<S: Simd> Source<S> for ChaChaSource<S> {
    /// The reference does not take eight bytes from the last nine of a refill.
    const LAST: usize = REFILL - 10;
    const TOP: usize = 5;
    const SIGN: usize = 9;
    /// Numbers have 72 bits.
    const BELOW: u32 = 41;
    const THRESHOLDS: [u128; HALF_GAUSSIAN] = [
        0xa3f7f42ed3ac391802,
        0x54d32b181f3f7ddb82,
        0x227dcdd0934829c1ff,
        0xad1754377c7994ae4,
        0x295846caef33f1f6f,
        0x774ac754ed74bd5f,
        0x1024dd542b776ae4,
        0x1a1ffdc65ad63da,
        0x1f80d88a7b6428,
        0x1c3fdb2040c69,
        0x12cf24d031fb,
        0x949f8b091f,
        0x3665da998,
        0xebf6ebb,
        0x2f5d7e,
        0x7098,
        0xc6,
        0x1,
    ];

    #[inline(always)]
    fn number(trial: &[u8; 10]) -> u128 {
        let mut bits = [0; 16];
        bits[..9].copy_from_slice(&trial[..9]);
        u128::from_le_bytes(bits)
    }

    #[inline(never)]
    fn empty(s: S) -> Self {
        vectorize!(s => {
            let (zero, bytes) = ([S::W32::splat(s, 0); 16], [0; RING + AGAIN]);
            let (start, state) = (zero, zero);
            Self { s, key: [0; 12], counter: 0, start, state, rounds: 0, blocks: 0, bytes }
        })
    }

    /// Takes 32 bytes of key, 16 of nonce and 8 of counter.
    #[inline(always)]
    fn start(&mut self, seed: &mut Squeeze<136>) {
        let mut bytes = [0; 56];
        seed.read(&mut bytes);
        let (words, counter) = bytes.split_at(48);
        for (word, bytes) in self.key.iter_mut().zip(words.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.counter = u64::from_le_bytes(*counter.first_chunk().expect("8 bytes"));
        wipe(&mut bytes);
        self.begin();
    }

    #[inline(always)]
    fn ready(&self) -> usize {
        self.blocks >> 3
    }

    #[inline(always)]
    fn bytes<const LEN: usize>(&self, n: usize, at: usize) -> &[u8; LEN] {
        kept(&self.bytes, n, at)
    }

    #[inline(never)]
    fn ensure(&mut self, ready: usize) {
        vectorize!(self.s => {
            while self.ready() < ready {
                self.step();
            }
        });
    }

    /// Computes two double rounds, or completes the blocks after ten.
    #[inline(always)]
    fn step(&mut self) {
        if self.rounds < 10 {
            self.two_rounds();
        } else {
            self.finish();
        }
    }
}

impl<S: Simd> ChaChaSource<S> {
    /// Starts the next blocks.
    #[inline(always)]
    fn begin(&mut self) {
        let (s, key) = (self.s, &self.key);
        let mut counters = [[0; 16]; 2];
        each!(lane in 0..S::W32::LANES => {
            let counter = self.counter;
            counters[0][lane] = key[10] ^ counter as u32;
            counters[1][lane] = key[11] ^ (counter >> 32) as u32;
            self.counter = counter.wrapping_add(1);
        });
        each!(i in 0..4 => {
            self.start[i] = S::W32::splat(s, CONSTANTS[i]);
        });
        each!(i in 4..14 => {
            self.start[i] = S::W32::splat(s, key[i - 4]);
        });
        self.start[14] = S::W32::load(s, &counters[0]);
        self.start[15] = S::W32::load(s, &counters[1]);
        self.state = self.start;
        self.rounds = 0;
        wipe(&mut counters);
    }

    /// Computes two double rounds. Out of line: inlined between samples, it would spill registers.
    #[inline(never)]
    fn two_rounds(&mut self) {
        vectorize!(self.s => {
            let mut x = self.state;
            macro_rules! quarter {
                ($a:literal $b:literal $c:literal $d:literal) => {
                    x[$a] = x[$a] + x[$b];
                    x[$d] = (x[$d] ^ x[$a]).ror::<16>();
                    x[$c] = x[$c] + x[$d];
                    x[$b] = (x[$b] ^ x[$c]).ror::<20>();
                    x[$a] = x[$a] + x[$b];
                    x[$d] = (x[$d] ^ x[$a]).ror::<24>();
                    x[$c] = x[$c] + x[$d];
                    x[$b] = (x[$b] ^ x[$c]).ror::<25>();
                };
            }
            macro_rules! double_round {
                () => {
                    quarter!(0 4 8 12);
                    quarter!(1 5 9 13);
                    quarter!(2 6 10 14);
                    quarter!(3 7 11 15);
                    quarter!(0 5 10 15);
                    quarter!(1 6 11 12);
                    quarter!(2 7 8 13);
                    quarter!(3 4 9 14);
                };
            }
            double_round!();
            double_round!();
            self.state = x;
            self.rounds += 2;
        });
    }

    /// Stores the blocks and starts the next ones.
    #[inline(never)]
    fn finish(&mut self) {
        vectorize!(self.s => {
            let mut words = [0; 16];
            each!(v in 0..16 => {
                (self.state[v] + self.start[v]).store(&mut words);
                let mut lane = 0;
                // If there are sixteen lanes, eight of them belong to the next refill.
                while lane < S::W32::LANES {
                    let block = self.blocks + lane;
                    let at = REFILL * (block >> 3 & (KEPT - 1)) + 32 * v + 4 * (block & 7);
                    let run = S::W32::LANES.min(8);
                    let to = self.bytes[at..at + 4 * run].as_chunks_mut::<4>().0;
                    for (to, word) in to.iter_mut().zip(&words[lane..lane + run]) {
                        *to = word.to_le_bytes();
                    }
                    lane += run;
                }
            });
            wipe(&mut words);
            if self.blocks & (8 * KEPT - 1) < 8 {
                let (first, again) = self.bytes.split_at_mut(RING);
                again.copy_from_slice(&first[..AGAIN]);
            }
            self.blocks += S::W32::LANES;
            self.begin();
        });
    }
}

impl<S: Simd> Drop for ChaChaSource<S> {
    fn drop(&mut self) {
        wipe(&mut self.key);
        wipe(&mut self.start);
        wipe(&mut self.state);
        wipe(&mut self.bytes);
        self.counter = 0;
    }
}
