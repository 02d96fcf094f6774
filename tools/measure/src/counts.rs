//! How many permutations, compressions, transforms and products an operation takes at least, from
//! the parameters of its standard: what a bound for its time is made of.
//!
//! Averages, where the number depends on chance: rejections, digits of one-time signatures.
//! Messages have 32 bytes. Midstates of SHA-256 that a key determines count as known. Not counted:
//! packing, sampling, and products with the small secrets of ML-DSA. `examples/counts.rs` compares
//! the numbers with those of operations that run.

use std::ops::{Add, Mul};

use oaklath_params::stateful::{
    Hash,
    lms::{LmotsType, LmsType},
    xmss::XmssInfo,
};

/// Numbers of permutations of Keccak, and of compressions of SHA-256 and SHA-512.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hashes {
    /// Permutations of Keccak-f\[1600\].
    pub keccak: f64,
    /// Compressions of SHA-256.
    pub sha256: f64,
    /// Compressions of SHA-512.
    pub sha512: f64,
}

/// The ring of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// That of ML-KEM.
    Q3329,
    /// That of ML-DSA.
    Q8380417,
}

/// What an operation takes at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Hashing that can fill lanes.
    pub hashes: Hashes,
    /// The longest chain in it of which each needs the one before.
    pub depth: Hashes,
    /// Hashing that needs the one before, and that nothing else can run beside.
    pub alone: Hashes,
    /// The ring of the transforms and products, if there are any.
    pub ring: Option<Ring>,
    /// Number-theoretic transforms.
    pub ntts: f64,
    /// Inverse transforms.
    pub inverse_ntts: f64,
    /// Products of polynomials in the domain of the transform.
    pub products: f64,
}

impl Counts {
    /// Returns all hashing.
    #[must_use]
    pub fn all_hashes(&self) -> Hashes {
        self.hashes + self.alone
    }
}

impl Add for Hashes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            keccak: self.keccak + other.keccak,
            sha256: self.sha256 + other.sha256,
            sha512: self.sha512 + other.sha512,
        }
    }
}

impl Mul<f64> for Hashes {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self {
            keccak: self.keccak * times,
            sha256: self.sha256 * times,
            sha512: self.sha512 * times,
        }
    }
}

fn keccak(permutations: f64) -> Hashes {
    Hashes { keccak: permutations, ..Hashes::default() }
}

/// Absorbs so many bytes with a rate of 136: SHA3-256, SHAKE256 (FIPS 202, sections 4 and 5.1).
fn absorb_256(bytes: usize) -> f64 {
    (bytes / 136 + 1) as f64
}

/// Hashes so many bytes, of which whole blocks at the beginning may be left out: FIPS 180-4,
/// section 5.1.
fn sha256(bytes: usize) -> Hashes {
    Hashes { sha256: (bytes + 9).div_ceil(64) as f64, ..Hashes::default() }
}

fn sha512(bytes: usize) -> Hashes {
    Hashes { sha512: (bytes + 17).div_ceil(128) as f64, ..Hashes::default() }
}

/// Returns the mean number of blocks until 256 candidates are accepted.
fn blocks_of_rejection(candidates_a_block: usize, accepted: f64) -> f64 {
    const WANTED: usize = 256;
    // How likely each number of accepted candidates is, after some blocks.
    let mut likely = vec![0.0; WANTED];
    likely[0] = 1.0;
    let mut blocks = 0.0;
    loop {
        let unfinished: f64 = likely.iter().sum();
        if unfinished < 1e-12 {
            return blocks;
        }
        blocks += unfinished;
        for _ in 0..candidates_a_block {
            for i in (0..WANTED).rev() {
                let before = if i == 0 { 0.0 } else { likely[i - 1] };
                likely[i] = likely[i] * (1.0 - accepted) + before * accepted;
            }
        }
    }
}

/// Returns the counts of an operation as `cargo xtask compare` names it; none if there is no
/// formula for it.
#[must_use]
pub fn of(algorithm: &str, operation: &str) -> Option<Counts> {
    ml_kem(algorithm, operation)
        .or_else(|| MlDsa::of(algorithm)?.counts(operation))
        .or_else(|| SlhDsa::of(algorithm)?.counts(operation))
}

/// FIPS 203, Algorithms 13 to 18, with the parameters of Table 2; of Kyber, Algorithms 7 to 9 of
/// round 3.
fn ml_kem(algorithm: &str, operation: &str) -> Option<Counts> {
    let k = match algorithm {
        "ML-KEM-512" | "Kyber512" => 2,
        "ML-KEM-768" | "Kyber768" => 3,
        "ML-KEM-1024" | "Kyber1024" => 4,
        _ => return None,
    };
    let is_kyber = algorithm.starts_with("Kyber");
    let (eta1, eta2) = (if k == 2 { 3 } else { 2 }, 2);
    let (du, dv) = if k == 4 { (11, 5) } else { (10, 4) };
    let noise = |eta: usize| (64 * eta).div_ceil(136) as f64;
    let entry = blocks_of_rejection(168 / 3 * 2, 3329.0 / 4096.0);
    let (rank, ek) = (k as f64, absorb_256(384 * k + 32));
    let matrix = rank * rank * entry;
    let of_encryption = rank * noise(eta1) + (rank + 1.0) * noise(eta2);
    let ciphertext = 32 * (du * k + dv);
    // J(z || c), or H(c) and the derivation of the secret from it.
    let (of_ciphertext, after) =
        if is_kyber { (absorb_256(ciphertext), 1.0) } else { (absorb_256(32 + ciphertext), 0.0) };
    let (expanded, prepared) = (operation.ends_with("-expanded"), operation.ends_with("-prepared"));
    let (hashes, depth) = match operation {
        "keygen" => (1.0 + matrix + 2.0 * rank * noise(eta1) + ek, 1.0 + entry + ek),
        "encapsulate" | "encapsulate-expanded" => {
            let (first, last) = if is_kyber { (1.0, of_ciphertext + 1.0) } else { (0.0, 0.0) };
            let (matrix, ek) = if expanded { (0.0, 0.0) } else { (matrix, ek) };
            let chain = ek.max(first) + 1.0 + noise(eta1) + last;
            (first + ek + matrix + 1.0 + of_encryption + last, chain)
        }
        "decapsulate" | "decapsulate-prepared" | "decapsulate-expanded" => {
            let matrix = if expanded { 0.0 } else { matrix };
            // The check of the hash in dk: section 7.3.
            let check = if is_kyber || expanded || prepared { 0.0 } else { ek };
            let chain = of_ciphertext + after;
            (check + matrix + 1.0 + of_encryption + of_ciphertext + after, chain)
        }
        _ => return None,
    };
    let (ntts, inverse_ntts, products) = match operation {
        "keygen" => (2.0 * rank, 0.0, rank * rank),
        "encapsulate" | "encapsulate-expanded" => (rank, rank + 1.0, rank * rank + rank),
        _ => (2.0 * rank, rank + 2.0, rank * rank + 2.0 * rank),
    };
    let (hashes, depth) = (keccak(hashes), keccak(depth));
    let (alone, ring) = (Hashes::default(), Some(Ring::Q3329));
    Some(Counts { hashes, depth, alone, ring, ntts, inverse_ntts, products })
}

/// A set of FIPS 204, Table 1, or of Dilithium, which has the same.
struct MlDsa {
    k: usize,
    l: usize,
    eta: u32,
    tau: u32,
    /// log2(gamma1).
    gamma1: u32,
    /// (q - 1) / gamma2.
    gamma2_parts: u32,
}

impl MlDsa {
    fn of(algorithm: &str) -> Option<Self> {
        let ([k, l], [eta, tau, gamma1, gamma2_parts]) = match algorithm {
            "ML-DSA-44" | "Dilithium2" => ([4, 4], [2, 39, 17, 88]),
            "ML-DSA-65" | "Dilithium3" => ([6, 5], [4, 49, 19, 32]),
            "ML-DSA-87" | "Dilithium5" => ([8, 7], [2, 60, 19, 32]),
            _ => return None,
        };
        Some(Self { k, l, eta, tau, gamma1, gamma2_parts })
    }

    /// FIPS 204, Algorithms 6 to 8.
    fn counts(&self, operation: &str) -> Option<Counts> {
        let (rows, columns) = (self.k as f64, self.l as f64);
        // RejNTTPoly and RejBoundedPoly: Algorithms 30 and 31.
        let entry = blocks_of_rejection(168 / 3, Q / f64::from(1 << 23));
        let secret = blocks_of_rejection(136 * 2, if self.eta == 2 { 15.0 } else { 9.0 } / 16.0);
        let (tr, mu, rho2, ball) = (absorb_256(32 + 320 * self.k), 1.0, 1.0, 1.0);
        // H(mu || w1): w1 has 6 or 4 bits a coefficient.
        let w1 = if self.gamma2_parts == 88 { 192 } else { 128 };
        let commitment = absorb_256(64 + w1 * self.k);
        let products = rows * columns;
        let matrix = products * entry;
        let kept = operation.ends_with("-prepared");
        let expansion = if kept { 0.0 } else { matrix };
        let ([hashes, depth, alone], [ntts, inverse_ntts, products]) = match operation {
            "keygen" => (
                [1.0 + matrix + (rows + columns) * secret + tr, 1.0 + entry + tr, 0.0],
                [columns, rows, products],
            ),
            "sign" | "sign-prepared" | "sign-random" | "sign-random-prepared" => {
                let mask = (32 * (self.gamma1 as usize + 1)).div_ceil(136) as f64;
                let attempt = columns * mask + commitment + ball;
                let volume = expansion + mu + rho2 + self.attempts() * attempt;
                let transforms = [columns, rows, products].map(|each| each * self.attempts());
                // t0 in its transformed form, and c t0 of the accepted attempt.
                let of_t0 = [1.0 + if kept { 0.0 } else { rows }, rows, rows];
                let transforms = [0, 1, 2].map(|i| transforms[i] + of_t0[i]);
                ([volume, mu + rho2 + mask + commitment + ball, 0.0], transforms)
            }
            "verify" | "verify-prepared" => {
                let (tr, t1) = if kept { (0.0, 0.0) } else { (tr, rows) };
                // w1 needs all the rest.
                let hashes = [expansion + tr + mu + ball, tr + mu, commitment];
                (hashes, [columns + 1.0 + t1, rows, products + rows])
            }
            _ => return None,
        };
        let [hashes, depth, alone] = [hashes, depth, alone].map(keccak);
        let ring = Some(Ring::Q8380417);
        Some(Counts { hashes, depth, alone, ring, ntts, inverse_ntts, products })
    }

    /// Returns the mean number of attempts: 1 / ((1 - beta / gamma1)^256l (1 - beta / gamma2)^256k)
    /// in the limit, which is FIPS 204, Table 1.
    fn attempts(&self) -> f64 {
        let beta = f64::from(self.tau * self.eta);
        let gamma1 = f64::from(1 << self.gamma1);
        let gamma2 = (Q - 1.0) / f64::from(self.gamma2_parts);
        (256.0 * beta * (self.l as f64 / gamma1 + self.k as f64 / gamma2)).exp()
    }
}

/// The modulus of ML-DSA.
const Q: f64 = 8_380_417.0;

/// Digits of a one-time signature: `digits` of a hash and those of their checksum, all of `bits`
/// bits, as in FIPS 205, section 5; RFC 8554, section 4.4; RFC 8391, section 3.1.5.
#[derive(Clone, Copy)]
struct Digits {
    bits: usize,
    digits: usize,
    chains: usize,
    /// The left shift of the checksum in 16 bits.
    shift: usize,
}

impl Digits {
    /// WOTS+ with w = 16: its three digits of the checksum are the first 12 bits of 16.
    fn wots(n: usize) -> Self {
        Self { bits: 4, digits: 2 * n, chains: 2 * n + 3, shift: 4 }
    }

    fn lmots(ots: &LmotsType) -> Self {
        Self { bits: ots.w, digits: 8 * ots.n / ots.w, chains: ots.p, shift: ots.ls }
    }

    /// Returns the steps of a whole chain.
    fn whole(self) -> usize {
        (1 << self.bits) - 1
    }

    /// Returns the mean number of steps from a signature of a random hash to the ends of chains.
    fn steps(self) -> f64 {
        let values = 1 << self.bits;
        // How likely each checksum is: a sum of uniform numbers.
        let mut likely = vec![1.0];
        for _ in 0..self.digits {
            let mut next = vec![0.0; likely.len() + self.whole()];
            for (sum, x) in likely.iter().enumerate() {
                next[sum..sum + values].iter_mut().for_each(|next| *next += x / values as f64);
            }
            likely = next;
        }
        let of_checksum = |sum: usize| -> usize {
            let digit = |i| (sum << self.shift) >> (16 - self.bits * (i + 1)) & self.whole();
            (0..self.chains - self.digits).map(|i| self.whole() - digit(i)).sum()
        };
        likely.iter().enumerate().map(|(sum, x)| x * (sum + of_checksum(sum)) as f64).sum()
    }

    /// Returns the mean of the longest chain from a signature to the end, of the hash's digits.
    fn longest(self) -> f64 {
        let values = (1 << self.bits) as f64;
        let shorter = |steps: usize| (steps as f64 / values).powi(self.digits as i32);
        (1..=self.whole()).map(|steps| 1.0 - shorter(steps)).sum()
    }
}

/// A set of FIPS 205, Table 2, or of SPHINCS+ ("simple"), which has the same.
struct SlhDsa {
    is_sha2: bool,
    n: usize,
    /// Height of the hypertree.
    h: usize,
    /// Layers.
    d: usize,
    /// Height of a FORS tree.
    a: usize,
    /// Number of FORS trees.
    k: usize,
    /// Bytes before the message: FIPS 205, Algorithm 22.
    before: usize,
}

impl SlhDsa {
    fn of(algorithm: &str) -> Option<Self> {
        let is_standard = algorithm.starts_with("SLH-DSA-");
        if !is_standard && !algorithm.starts_with("SPHINCS+-") {
            return None;
        }
        let name = algorithm.trim_end_matches("-simple");
        let [n, h, d, a, k] = match &name[name.len() - 4..] {
            "128s" => [16, 63, 7, 12, 14],
            "128f" => [16, 66, 22, 6, 33],
            "192s" => [24, 63, 7, 14, 17],
            "192f" => [24, 66, 22, 8, 33],
            "256s" => [32, 64, 8, 14, 22],
            "256f" => [32, 68, 17, 9, 35],
            _ => return None,
        };
        let before = if is_standard { 2 } else { 0 };
        Some(Self { is_sha2: algorithm.contains("SHA2"), n, h, d, a, k, before })
    }

    /// Returns F, PRF, H or T of so many nodes: FIPS 205, section 11. Of SHA-2 the first block,
    /// which has PK.seed alone, is known.
    fn hash(&self, nodes: usize) -> Hashes {
        let bytes = nodes * self.n;
        match self.is_sha2 {
            false => keccak(absorb_256(self.n + 32 + bytes)),
            true if nodes == 1 || self.n == 16 => sha256(22 + bytes),
            true => sha512(22 + bytes),
        }
    }

    /// Returns `PRF_msg`: FIPS 205, section 11. Of HMAC the two first blocks are not known.
    fn randomizer(&self) -> Hashes {
        let message = self.before + 32;
        match (self.is_sha2, self.n) {
            (false, n) => keccak(absorb_256(2 * n + message)),
            (true, 16) => sha256(64 + self.n + message) + sha256(64 + 32),
            (true, _) => sha512(128 + self.n + message) + sha512(128 + 64),
        }
    }

    /// Returns `H_msg`: FIPS 205, section 11, with a digest of m bytes (Table 2).
    fn digest(&self) -> Hashes {
        let tree = self.h / self.d;
        let m = (self.k * self.a).div_ceil(8) + (self.h - tree).div_ceil(8) + tree.div_ceil(8);
        let bytes = 3 * self.n + self.before + 32;
        match (self.is_sha2, self.n) {
            (false, _) => keccak(absorb_256(bytes)),
            (true, 16) => sha256(bytes) + sha256(2 * 16 + 32 + 4) * m.div_ceil(32) as f64,
            (true, n) => sha512(bytes) + sha512(2 * n + 64 + 4) * m.div_ceil(64) as f64,
        }
    }

    fn counts(&self, operation: &str) -> Option<Counts> {
        let (wots, height) = (Digits::wots(self.n), self.h / self.d);
        let leaf =
            self.hash(1) * ((wots.whole() + 1) * wots.chains) as f64 + self.hash(wots.chains);
        let tree = of_tree(height, leaf, self.hash(2));
        // What is left of a layer when its chains have ended: FIPS 205, Algorithm 11.
        let rest = self.hash(wots.chains) + self.hash(2) * height as f64;
        let longest = self.hash(1) * (wots.whole() + 1) as f64 + rest;
        let (layers, none) = (self.d as f64, Hashes::default());
        let (hashes, depth, alone) = match operation {
            "keygen" => (tree, longest, none),
            "sign" | "sign-prepared" | "sign-random" | "sign-random-prepared" => {
                let fors = of_tree(self.a, self.hash(1) * 2.0, self.hash(2)) * self.k as f64;
                let message = self.randomizer() + self.digest();
                (message + fors + self.hash(self.k) + tree * layers, longest, none)
            }
            "verify" | "verify-prepared" => {
                let fors = self.hash(1) + self.hash(2) * self.a as f64;
                let volume = fors * self.k as f64 + self.hash(1) * (layers * wots.steps());
                let depth = fors + self.hash(1) * (layers * wots.longest());
                (volume, depth, self.digest() + self.hash(self.k) + rest * layers)
            }
            _ => return None,
        };
        Some(Counts { hashes, depth, alone, ..Counts::default() })
    }
}

/// Returns a tree of this height, given a leaf and an inner node.
fn of_tree(height: usize, leaf: Hashes, node: Hashes) -> Hashes {
    let leaves = f64::from(1 << height);
    leaf * leaves + node * (leaves - 1.0)
}

/// Returns the counts of HSS with these levels, from the top down (RFC 8554), as
/// `cargo xtask compare stateful` names its operations; none for other hashes than SHA-256, and for
/// maxima. Signing and its mean over many signatures differ by the leaf of the next tree that is
/// made for each signature.
#[must_use]
pub fn hss(levels: &[(&LmsType, &LmotsType)], operation: &str) -> Option<Counts> {
    let level = |&(tree, ots): &(&LmsType, &LmotsType), message: usize| {
        let digits = Digits::lmots(ots);
        let (f, node) = (sha256(23 + ots.n), sha256(22 + 2 * tree.m));
        // Section 4.3: what the chains end in, and section 5.3: its leaf.
        let public = sha256(22 + ots.n * ots.p) + sha256(22 + ots.n);
        let chains = f * (ots.p * (1 + digits.whole())) as f64;
        let message = sha256(22 + ots.n + message);
        let steps = digits.steps();
        let sign = chains + f * (1.0 - steps) + message;
        let rest = message + public + node * tree.h as f64;
        let leaf = chains + public;
        let verify = [f * steps, f * digits.longest(), rest];
        ([of_tree(tree.h, leaf, node), leaf + node, sign], verify)
    };
    let sha2 =
        levels.iter().all(|(tree, ots)| tree.hash == Hash::Sha256 && ots.hash == Hash::Sha256);
    let (last, upper) = levels.split_last().filter(|_| sha2)?;
    let ([_, leaf, sign], [steps, depth, alone]) = level(last, 32);
    if operation == "verify" {
        // The upper levels sign public keys (section 6.3), which is verified beside.
        let of_key = |at: &(&LmsType, &LmotsType)| {
            let [steps, _, rest] = level(at, at.0.public_key()).1;
            steps + rest
        };
        let hashes = upper.iter().map(of_key).fold(steps, Add::add);
        return Some(Counts { hashes, depth, alone, ..Counts::default() });
    }
    let ([tree, ..], _) = level(&levels[0], 32);
    let hashes = stateful(operation, levels.len(), [tree, leaf, sign])?;
    Some(Counts { hashes, ..Counts::default() })
}

/// Returns what operations of a key take that have one tree, or layers of trees.
fn stateful(operation: &str, layers: usize, [tree, leaf, sign]: [Hashes; 3]) -> Option<Hashes> {
    match operation {
        "keygen" => Some(tree),
        "sign" | "sign-idle" | "sign-lazy" => Some(sign),
        "sign-mean" if layers == 1 => Some(sign),
        "sign-even-mean" | "sign-lazy-mean" => Some(sign + leaf),
        _ => None,
    }
}

/// Returns the counts of XMSS or XMSS^MT (RFC 8391) with SHA-256 and n = 32, as [`hss`] does.
#[must_use]
pub fn xmss(info: &XmssInfo, operation: &str) -> Option<Counts> {
    if info.hash != Hash::Sha256 || info.n != 32 {
        return None;
    }
    let sha = |compressions: usize| Hashes { sha256: compressions as f64, ..Hashes::default() };
    // Section 5.1: of PRF the first block is known, F has two blocks, H three, each with a padding
    // of as many bytes as a node before the key.
    let (prf, f, h) = (1, 2, 3);
    // A step of a chain has a key and a mask, a node two masks: Algorithms 2 and 7.
    let (step, node) = (sha(2 * prf + f), sha(3 * prf + h));
    let wots = Digits::wots(info.n);
    let height = info.h / info.d;
    // PRF_keygen of SP 800-208, section 6.2, of 128 bytes, of which 64 are known.
    let secrets = sha(2 * wots.chains);
    let compressed = node * (wots.chains - 1) as f64;
    let whole = step * (wots.whole() * wots.chains) as f64;
    let leaf = secrets + whole + compressed;
    let message = sha256(3 * 32 + 32 + 32);
    let sign = secrets + whole + step * -wots.steps() + message + sha(prf);
    if operation == "verify" {
        // Of a step and a node the keys and masks are computed side by side, and so are the nodes
        // of a level of an L-tree.
        let levels = wots.chains.ilog2() as f64 + 1.0;
        let chain = sha(prf + f) * wots.longest() + sha(prf + h) * levels;
        let path = sha(prf + h) * height as f64;
        let beside = step * wots.steps() + compressed + sha(2 * prf) * height as f64;
        let layers = info.d as f64;
        let (hashes, depth, alone) = (beside * layers, chain * layers, message + path * layers);
        return Some(Counts { hashes, depth, alone, ..Counts::default() });
    }
    let tree = of_tree(height, leaf, node);
    let hashes = stateful(operation, info.d, [tree, leaf + node, sign])?;
    Some(Counts { hashes, ..Counts::default() })
}

#[cfg(test)]
mod tests {
    use oaklath_params::stateful::{lms, xmss};

    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.01, "{value}, not {expected}");
    }

    /// The numbers of the schedules in `oaklath-kem`: 27, 43 and 69 permutations for generation,
    /// 26, 44 and 70 for encapsulation and for decapsulation with a checked key.
    #[test]
    fn permutations_of_ml_kem() {
        let sets = [("512", 27.0, 26.0), ("768", 43.0, 44.0), ("1024", 69.0, 70.0)];
        for (set, keygen, encapsulate) in sets {
            let count = |operation| of(&format!("ML-KEM-{set}"), operation).unwrap().hashes.keccak;
            near(count("keygen"), keygen);
            near(count("encapsulate"), encapsulate);
            near(count("decapsulate-prepared"), encapsulate);
        }
    }

    /// FIPS 204, Table 1: repetitions.
    #[test]
    fn attempts_of_ml_dsa() {
        for (set, expected) in [("ML-DSA-44", 4.25), ("ML-DSA-65", 5.1), ("ML-DSA-87", 3.85)] {
            near(MlDsa::of(set).unwrap().attempts(), expected);
        }
    }

    /// A block of SHAKE256 has 272 nibbles, of which 15 in 16 are accepted with eta = 2; with
    /// eta = 4 two blocks are needed and enough.
    #[test]
    fn blocks_of_secrets() {
        assert!((1.4..1.7).contains(&blocks_of_rejection(272, 15.0 / 16.0)));
        near(blocks_of_rejection(272, 9.0 / 16.0), 2.0);
        assert_eq!(blocks_of_rejection(256, 1.0), 1.0);
    }

    /// Digits of one byte, all possible: the mean by enumeration.
    #[test]
    fn steps_of_two_digits() {
        let digits = Digits { bits: 4, digits: 2, chains: 4, shift: 8 };
        let (mut steps, mut longest) = (0, 0);
        for byte in 0..256 {
            let (a, b) = (15 - (byte >> 4), 15 - (byte & 15));
            let checksum = a + b;
            steps += checksum + 15 - (checksum >> 4) + 15 - (checksum & 15);
            longest += a.max(b);
        }
        near(digits.steps(), f64::from(steps) / 256.0);
        near(digits.longest(), f64::from(longest) / 256.0);
    }

    /// RFC 8554 counts p (2^w - 1) steps for a key, besides the hashes of p secrets and of the
    /// ends: 67 x 16 + 34 + 1 for a leaf, and two compressions for a node.
    #[test]
    fn compressions_of_trees() {
        let types = (&lms::LMS_SHA256_M32_H10, &lms::LMOTS_SHA256_N32_W4);
        let keygen = hss(&[types], "keygen").unwrap().hashes;
        assert_eq!(keygen, sha256(0) * (1024.0 * (67.0 * 16.0 + 35.0) + 2.0 * 1023.0));
        // Signing and verifying share the steps of each chain, and both hash the message.
        let all = |name| hss(&[types], name).unwrap().all_hashes();
        let [sign, verify] = ["sign", "verify"].map(all);
        let both = 67.0 * 16.0 + 1.0 + 35.0 + 20.0 + 2.0 * 2.0;
        near(sign.sha256 + verify.sha256, both);
        assert_eq!(hss(&[types], "sign-even-max"), None);

        let info = xmss::by_name("XMSS-SHA2_10_256").unwrap();
        let leaf = 67.0 * (2.0 + 15.0 * 4.0) + 66.0 * 6.0;
        let keygen = xmss(info, "keygen").unwrap().hashes;
        assert_eq!(keygen, sha256(0) * (1024.0 * leaf + 6.0 * 1023.0));
    }

    /// A key of SLH-DSA-SHAKE-128f is one tree of eight leaves; signing makes 22 of them, and 33
    /// FORS trees of 64 leaves.
    #[test]
    fn permutations_of_slh_dsa() {
        let count = |operation| of("SLH-DSA-SHAKE-128f", operation).unwrap().hashes.keccak;
        let tree = 8.0 * (35.0 * 16.0 + 5.0) + 7.0;
        assert_eq!(count("keygen"), tree);
        assert_eq!(count("sign"), 22.0 * tree + 33.0 * (64.0 * 2.0 + 63.0) + 5.0 + 2.0);
        assert_eq!(of("SLH-DSA-SHA2-192f", "sign-max"), None);
        assert_eq!(of("Falcon-512", "sign"), None);
        assert_eq!(of("Kyber512-90s", "keygen"), None);
    }
}
