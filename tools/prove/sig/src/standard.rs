//! FIPS 204 over terms. Numbers in comments are the lines of its algorithms.
use core::ops::{Deref, DerefMut};

use oaklath_prove_engine::Term;
use oaklath_prove_opaque::{
    Algorithm, Bytes, Polynomial, SMALL_NIBBLES, Vector, add, inverse_ntt, ntt, subtract,
};

use crate::functions as f;
use crate::q8380417::DsaXofs;

/// The numbers of Table 1.
#[derive(Clone, Copy)]
pub(crate) struct DsaParameters {
    pub(crate) name: &'static str,
    pub(crate) k: usize,
    pub(crate) l: usize,
    eta: i32,
    tau: usize,
    /// 1 + log2(gamma1).
    z_bits: usize,
    gamma2: i32,
    omega: usize,
    /// lambda / 4: the bytes of c~.
    c_tilde: usize,
}

pub(crate) const ML_DSA_44: DsaParameters = DsaParameters {
    name: "ML-DSA-44",
    k: 4,
    l: 4,
    eta: 2,
    tau: 39,
    z_bits: 18,
    gamma2: 95_232,
    omega: 80,
    c_tilde: 32,
};
pub(crate) const ML_DSA_65: DsaParameters = DsaParameters {
    name: "ML-DSA-65",
    k: 6,
    l: 5,
    eta: 4,
    tau: 49,
    z_bits: 20,
    gamma2: 261_888,
    omega: 55,
    c_tilde: 48,
};
pub(crate) const ML_DSA_87: DsaParameters = DsaParameters {
    name: "ML-DSA-87",
    k: 8,
    l: 7,
    eta: 2,
    tau: 60,
    z_bits: 20,
    gamma2: 261_888,
    omega: 75,
    c_tilde: 64,
};

impl DsaParameters {
    fn beta(&self) -> i32 {
        self.tau as i32 * self.eta
    }

    /// (q - 1) / (2 gamma2).
    fn m(&self) -> i32 {
        8_380_416 / (2 * self.gamma2)
    }

    /// The bytes of a polynomial of s1 or s2.
    fn eta_bytes(&self) -> usize {
        if self.eta == 2 { 96 } else { 128 }
    }
}

/// A run of the standard's algorithms.
pub(crate) struct DsaStandard<'a> {
    pub(crate) run: &'a mut Algorithm,
    pub(crate) p: DsaParameters,
    pub(crate) n: CaseNumbers,
}

/// What is the same in all inputs of a case.
#[derive(Clone, Copy)]
pub(crate) struct CaseNumbers {
    pub(crate) xofs: DsaXofs,
    /// How many ones the hints of a polynomial have.
    pub(crate) ones: usize,
    /// Whether secrets are unpacked, and checked, once more for each product.
    pub(crate) unpacks_again: bool,
}

impl Deref for DsaStandard<'_> {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        self.run
    }
}

impl DerefMut for DsaStandard<'_> {
    fn deref_mut(&mut self) -> &mut Algorithm {
        self.run
    }
}

/// The parts of a private key: Algorithm 25.
struct PrivateKey<'a> {
    rho: &'a [Term],
    key: &'a [Term],
    tr: &'a [Term],
    /// The bytes of s1 and s2, and of t0.
    secrets: &'a [Term],
    t0: &'a [Term],
}

/// c~, z and h of a signature: Algorithm 27.
type DecodedSignature<'a> = (&'a [Term], Vector, Bytes);

/// The secrets of a private key: s1, s2 and t0.
type Secrets = [Vector; 3];

/// Integers to bytes: Algorithm 11, two of them.
fn two_bytes(x: usize) -> [usize; 2] {
    [x & 255, x >> 8]
}

impl DsaStandard<'_> {
    /// H: SHAKE256 (section 3.7).
    fn h(&mut self, name: &str, message: &[Term], out: usize) -> Bytes {
        self.sponge(name, (136, 0x1f), message, out)
    }

    /// `SampleInBall`(c~): Algorithm 29.
    fn challenge(&mut self, c_tilde: &[Term]) -> Polynomial {
        let state = self.absorb("H(c~)", (136, 0x1f), c_tilde);
        let c = f::sample_in_ball(&mut self.run.t, self.p.tau, &state);
        self.named("c", c)
    }

    /// `ExpandA`(rho): Algorithm 32.
    fn expand_a(&mut self, rho: &[Term]) -> Vec<Vector> {
        let (DsaParameters { k, l, .. }, DsaXofs { entry, .. }) = (self.p, self.n.xofs);
        self.expand_matrix(rho, (k, l), &entry, (8_380_417, 32))
    }

    /// `RejBoundedPoly`(rho || r): Algorithm 31.
    fn rej_bounded_poly(&mut self, name: &str, rho: &[Term], r: usize) -> Polynomial {
        let (eta, xofs) = (self.p.eta, self.n.xofs);
        let message = self.with_bytes(rho, &two_bytes(r));
        let stream = self.h(&format!("H for {name}"), &message, 136 * (xofs.secret)(eta, r));
        // Algorithm 15 rejects the other nibbles.
        let below = if eta == 2 { 15 } else { 9 };
        let nibbles = self.filtered(SMALL_NIBBLES, (below, 32), &stream);
        let s = f::coeff_from_half_byte(&mut self.t, eta, &nibbles);
        self.named(name, s)
    }

    /// `ExpandMask`(rho, mu): Algorithm 34.
    fn expand_mask(&mut self, rho: &[Term], mu: usize) -> Vector {
        let DsaParameters { l, z_bits, .. } = self.p;
        // 1-6: y[r] <- BitUnpack(H(rho || IntegerToBytes(mu + r, 2), 32 c))
        let mask = |r| {
            let message = self.with_bytes(rho, &two_bytes(mu + r));
            let v = self.h(&format!("H for y[{}]", mu + r), &message, 32 * z_bits);
            let y = f::decode_z(&mut self.t, &v);
            self.named(&format!("y[{}]", mu + r), y)
        };
        (0..l).map(mask).collect()
    }

    /// The product of the matrix and a vector, transformed back, row by row.
    fn multiply_matrix(&mut self, a_hat: &[Vector], v_hat: &[Polynomial]) -> Vector {
        let row = |row: &Vector| {
            let sum = f::sum_of_products(&mut self.t, row, v_hat);
            inverse_ntt(&mut self.t, &sum)
        };
        a_hat.iter().map(row).collect()
    }

    /// Lines 3 to 9 of Algorithm 6, from rho, s1 and s2: pk, the bytes of t0, and tr.
    fn public_part(&mut self, rho: &[Term], s1: &[Polynomial], s2: &[Polynomial]) -> [Bytes; 3] {
        // 3: A_hat <- ExpandA(rho)
        let a_hat = self.expand_a(rho);
        // 5: t <- NTT^-1(A_hat o NTT(s1)) + s2
        let s1_hat = self.ntts("NTT(s1)", s1);
        let products = self.multiply_matrix(&a_hat, &s1_hat);
        // 6: (t1, t0) <- Power2Round(t), 8: pk <- pkEncode(rho, t1)
        let (mut pk, mut t0) = (rho.to_vec(), Vec::new());
        for (i, (product, s2)) in products.iter().zip(s2).enumerate() {
            let t = add(&mut self.t, product, s2);
            let t = self.named(&format!("t[{i}]"), t);
            pk.extend(f::encode_t1(&mut self.t, &t));
            t0.extend(f::encode_t0(&mut self.t, &t));
        }
        // 9: tr <- H(pk, 64)
        let tr = self.h("tr", &pk, 64);
        [pk, t0, tr]
    }

    /// ML-DSA.`KeyGen_internal`(xi): Algorithm 6. Returns pk || sk.
    pub(crate) fn key_gen_internal(&mut self, xi: &[Term]) -> Bytes {
        let DsaParameters { k, l, eta, .. } = self.p;
        // 1: (rho, rho', K) <- H(xi || IntegerToBytes(k, 1) || IntegerToBytes(l, 1), 128)
        let message = self.with_bytes(xi, &[k, l]);
        let expanded = self.h("H(xi || k || l)", &message, 128);
        let (rho, rest) = expanded.split_at(32);
        let (rho_prime, key) = rest.split_at(64);
        // 4: (s1, s2) <- ExpandS(rho'): Algorithm 33
        let mut secret = |r: usize| {
            let name = if r < l { format!("s1[{r}]") } else { format!("s2[{}]", r - l) };
            self.rej_bounded_poly(&name, rho_prime, r)
        };
        let (s1, s2): (Vector, Vector) =
            ((0..l).map(&mut secret).collect(), (l..l + k).map(&mut secret).collect());
        let [pk, t0, tr] = self.public_part(rho, &s1, &s2);
        // 10: sk <- skEncode(rho, K, tr, s1, s2, t0): Algorithm 24
        let mut sk = [rho, key, &tr].concat();
        for s in s1.iter().chain(&s2) {
            sk.extend(f::encode_eta(&mut self.t, eta, s));
        }
        [pk, sk, t0].concat()
    }

    /// `skDecode`(sk): Algorithm 25, without unpacking.
    fn split<'b>(&self, sk: &'b [Term]) -> PrivateKey<'b> {
        let (rho, rest) = sk.split_at(32);
        let (key, rest) = rest.split_at(32);
        let (tr, rest) = rest.split_at(64);
        let (secrets, t0) = rest.split_at(self.p.eta_bytes() * (self.p.k + self.p.l));
        PrivateKey { rho, key, tr, secrets, t0 }
    }

    /// Unpacks a polynomial of s1 or s2, and decides whether its coefficients are at most eta,
    /// which Algorithm 25 leaves to the caller.
    fn unpack_secret(&mut self, bytes: &[Term]) -> Option<Polynomial> {
        let eta = self.p.eta;
        let s = f::decode_eta(&mut self.t, eta, bytes);
        self.all_below(eta + 1, &s).then_some(s)
    }

    /// Decides whether each |f| is below a bound.
    fn all_below(&mut self, bound: i32, f: &[Term]) -> bool {
        let is_below = f::is_below(&mut self.t, bound, f);
        self.decide(is_below)
    }

    /// c s, for a polynomial of s1 or s2.
    fn multiply_secret(&mut self, c: &[Term], s: &[Term]) -> Polynomial {
        if self.n.unpacks_again {
            // The answer is that of before.
            let _ = self.all_below(self.p.eta + 1, s);
        }
        f::product(&mut self.t, c, s)
    }

    /// The public key of a private key, if its parts agree; else nothing.
    pub(crate) fn public_key(&mut self, sk: &[Term]) -> Bytes {
        let PrivateKey { rho, tr, secrets, t0, .. } = self.split(sk);
        let mut s = Vec::new();
        for bytes in secrets.chunks(self.p.eta_bytes()) {
            match self.unpack_secret(bytes) {
                Some(poly) => s.push(poly),
                None => return Vec::new(),
            }
        }
        let (s1, s2) = s.split_at(self.p.l);
        let [pk, t0_again, tr_again] = self.public_part(rho, s1, s2);
        let (tr_differs, t0_differs) = (self.differ(tr, &tr_again), self.differ(t0, &t0_again));
        if tr_differs || t0_differs { Vec::new() } else { pk }
    }

    /// ML-DSA.`Sign_internal`(sk, M', rnd): Algorithm 7. Returns the signature, or nothing if s1 or
    /// s2 have a coefficient above eta.
    pub(crate) fn sign_internal(&mut self, sk: &[Term], message: &[Term], rnd: &[Term]) -> Bytes {
        self.sign_many(sk, &[(message, rnd)]).concat()
    }

    /// Algorithm 7 of several messages, each with its rnd. Attempts are made side by side, those of
    /// the last message first; the last one takes the place of one that is signed.
    pub(crate) fn sign_many(&mut self, sk: &[Term], messages: &[(&[Term], &[Term])]) -> Vec<Bytes> {
        let DsaParameters { l, k, .. } = self.p;
        // 1: (rho, K, tr, s1, s2, t0) <- skDecode(sk)
        let PrivateKey { rho, key, tr, secrets, t0 } = self.split(sk);
        let s: Vec<Option<Polynomial>> =
            secrets.chunks(self.p.eta_bytes()).map(|bytes| self.unpack_secret(bytes)).collect();
        let Some(mut s1) = s.into_iter().collect::<Option<Vector>>() else { return Vec::new() };
        let s2 = s1.split_off(l);
        let t0: Vector = t0.chunks(416).map(|bytes| f::decode_t0(&mut self.t, bytes)).collect();
        assert_eq!((s1.len(), s2.len(), t0.len()), (l, k, k), "a whole key");
        let secrets = [s1, s2, t0];
        // 5: A_hat <- ExpandA(rho)
        let a_hat = self.expand_a(rho);
        let mut signatures = vec![Vec::new(); messages.len()];
        // 8: kappa <- 0
        let mut open: Vec<(usize, usize)> = (0..messages.len()).map(|n| (n, 0)).collect();
        // 10: while (z, h) = bottom do
        while !open.is_empty() {
            for place in (0..open.len()).rev() {
                let (n, kappa) = open[place];
                let (message, rnd) = messages[n];
                // 6: mu <- H(tr || M', 64)
                let mu = self.h("mu", &[tr, message].concat(), 64);
                // 7: rho'' <- H(K || rnd || mu, 64)
                let rho2 = self.h("rho''", &[key, rnd, &mu].concat(), 64);
                match self.attempt(&a_hat, &secrets, (&mu, &rho2), kappa) {
                    Some(signature) => {
                        signatures[n] = signature;
                        open.swap_remove(place);
                    }
                    // 31: kappa <- kappa + l
                    None => open[place].1 += l,
                }
            }
        }
        signatures
    }

    /// Lines 11 to 24 and 33 of Algorithm 7. What line 23 asks of vectors is asked of polynomials,
    /// of r0 first; so is what line 28 asks. An attempt ends where the first answer is no.
    fn attempt(
        &mut self,
        a_hat: &[Vector],
        [s1, s2, t0]: &Secrets,
        (mu, rho2): (&[Term], &[Term]),
        kappa: usize,
    ) -> Option<Bytes> {
        let DsaParameters { z_bits, gamma2, c_tilde, .. } = self.p;
        let (m, beta) = (self.p.m(), self.p.beta());
        // 11: y <- ExpandMask(rho'', kappa)
        let y = self.expand_mask(rho2, kappa);
        // 12: w <- NTT^-1(A_hat o NTT(y))
        let y_hat = self.ntts(&format!("NTT(y) from {kappa}"), &y);
        let w = self.multiply_matrix(a_hat, &y_hat);
        // 13, 15: c~ <- H(mu || w1Encode(HighBits(w)), lambda / 4)
        let mut message = mu.to_vec();
        w.iter().for_each(|w| message.extend(f::encode_high_bits(&mut self.t, m, w)));
        let c_tilde = self.h(&format!("c~ from {kappa}"), &message, c_tilde);
        // 16: c <- SampleInBall(c~), 17: c_hat <- NTT(c)
        let c = self.challenge(&c_tilde);
        let mut rests = Vec::new();
        for (w, s2) in w.iter().zip(s2) {
            // 19: c s2, 21: r0 <- LowBits(w - c s2), 23: ||r0|| >= gamma2 - beta
            let cs2 = self.multiply_secret(&c, s2);
            let rest = subtract(&mut self.t, w, &cs2);
            let r0 = f::low_bits(&mut self.t, m, &rest);
            if !self.all_below(gamma2 - beta, &r0) {
                return None;
            }
            rests.push(rest);
        }
        let mut signature = c_tilde;
        for (y, s1) in y.iter().zip(s1) {
            // 18: c s1, 20: z <- y + c s1, 23: ||z|| >= gamma1 - beta
            let cs1 = self.multiply_secret(&c, s1);
            let z = add(&mut self.t, y, &cs1);
            if !self.all_below((1 << (z_bits - 1)) - beta, &z) {
                return None;
            }
            signature.extend(f::encode_z(&mut self.t, z_bits, &z));
        }
        // 33: sigma <- sigEncode(c~, z, h): Algorithm 26
        signature.extend(self.hints(&c, &rests, t0)?);
        Some(signature)
    }

    /// Lines 25 to 28 of Algorithm 7, from w - c s2, and `HintBitPack`(h): Algorithm 20.
    fn hints(&mut self, c: &[Term], rests: &[Polynomial], t0: &[Polynomial]) -> Option<Bytes> {
        let DsaParameters { gamma2, omega, .. } = self.p;
        let (m, ones) = (self.p.m(), self.n.ones);
        let (mut positions, mut ends) = (Vec::new(), Vec::new());
        for (rest, t0) in rests.iter().zip(t0) {
            // 25: c t0 <- NTT^-1(c_hat o t0_hat), 28: ||c t0|| >= gamma2
            let ct0 = f::product(&mut self.t, c, t0);
            if !self.all_below(gamma2, &ct0) {
                return None;
            }
            // 26: h <- MakeHint(-c t0, w - c s2 + c t0), 28: more than omega ones
            let (minus, sum) = (f::negate(&mut self.t, &ct0), add(&mut self.t, rest, &ct0));
            let h = f::make_hint(&mut self.t, m, &minus, &sum);
            let has_room = f::has_at_most(&mut self.t, omega - positions.len(), &h);
            if !self.decide(has_room) {
                return None;
            }
            positions.extend(f::positions(&mut self.t, &h, ones));
            ends.push(positions.len());
        }
        let zeros = vec![0; omega - positions.len()];
        Some(self.with_bytes(&positions, &[zeros, ends].concat()))
    }

    /// ML-DSA.`Verify_internal`(pk, M', sigma): Algorithm 8.
    pub(crate) fn verify_internal(
        &mut self,
        pk: &[Term],
        message: &[Term],
        signature: &[Term],
    ) -> bool {
        let decoded = self.decode_signature(signature);
        decoded.is_some_and(|decoded| self.verify_decoded(pk, message, decoded))
    }

    /// Lines 2 and 3 of Algorithm 8, and the bound in line 13.
    fn decode_signature<'b>(&mut self, signature: &'b [Term]) -> Option<DecodedSignature<'b>> {
        let DsaParameters { k, l, z_bits, omega, c_tilde, .. } = self.p;
        // 2: (c~, z, h) <- sigDecode(sigma): Algorithm 27
        let (c_tilde, rest) = signature.split_at(c_tilde);
        let (z, hints) = rest.split_at(32 * z_bits * l);
        assert_eq!(hints.len(), omega + k, "a whole signature");
        let z: Vector = z.chunks(32 * z_bits).map(|z| f::decode_z(&mut self.t, z)).collect();
        // 13: ||z|| < gamma1 - beta, polynomial by polynomial
        for z in &z {
            if !self.all_below((1 << (z_bits - 1)) - self.p.beta(), z) {
                return None;
            }
        }
        // 3: if h = bottom then return false
        let h = f::hint_bit_unpack(&mut self.t, k, hints);
        self.decide(h[0]).then(|| (c_tilde, z, h[1..].to_vec()))
    }

    /// The other lines of Algorithm 8.
    fn verify_decoded(
        &mut self,
        pk: &[Term],
        message: &[Term],
        (c_tilde, z, h): DecodedSignature<'_>,
    ) -> bool {
        // 1: (rho, t1) <- pkDecode(pk): Algorithm 23
        let (rho, t1) = pk.split_at(32);
        // 5: A_hat <- ExpandA(rho)
        let a_hat = self.expand_a(rho);
        // 6: tr <- H(pk, 64)
        let tr = self.h("tr", pk, 64);
        // 7: mu <- H(tr || M', 64)
        let mu = self.h("mu", &[&tr, message].concat(), 64);
        // 8: c <- SampleInBall(c~)
        let c = self.challenge(c_tilde);
        // 9: w'_Approx <- NTT^-1(A_hat o NTT(z) - NTT(c) o NTT(t1 2^d))
        let (z_hat, c_hat) = (self.ntts("NTT(z)", &z), ntt(&mut self.t, &c));
        let (m, mut message) = (self.p.m(), mu);
        for (i, (row, t1)) in a_hat.iter().zip(t1.chunks(320)).enumerate() {
            let t1 = f::decode_t1(&mut self.t, t1);
            let t1_hat = ntt(&mut self.t, &t1);
            let product = f::sum_of_products(&mut self.t, row, &z_hat);
            let ct1 = f::multiply_ntt(&mut self.t, &c_hat, &t1_hat);
            let difference = subtract(&mut self.t, &product, &ct1);
            let w = inverse_ntt(&mut self.t, &difference);
            let w = self.named(&format!("w'_Approx[{i}]"), w);
            // 10: w1' <- UseHint(h, w'_Approx)
            message.extend(f::encode_use_hint(&mut self.t, m, &h[256 * i..256 * (i + 1)], &w));
        }
        // 12: c~' <- H(mu || w1Encode(w1'), lambda / 4)
        let again = self.h("c~'", &message, c_tilde.len());
        // 13: c~ = c~'
        !self.differ(c_tilde, &again)
    }

    /// Algorithm 8 of several signatures by a key: first each is decoded, which here succeeds, then
    /// each is compared.
    pub(crate) fn verify_many(&mut self, pk: &[Term], signed: &[(&[Term], &[Term])]) -> Vec<bool> {
        let decoded: Vec<_> =
            signed.iter().map(|(_, signature)| self.decode_signature(signature)).collect();
        let verify = |((message, _), decoded): (&(&[Term], &[Term]), Option<_>)| {
            self.verify_decoded(pk, message, decoded.expect("a signature that can be decoded"))
        };
        signed.iter().zip(decoded).map(verify).collect()
    }
}
