//! FIPS 203 over terms. Numbers in comments are the lines of its algorithms.
use core::ops::{Deref, DerefMut};

use oaklath_prove_engine::Term;
use oaklath_prove_opaque::{Algorithm, Bytes, Polynomial, Vector, add, inverse_ntt, subtract};

use crate::functions::{
    byte_decode_12, byte_encode_12, byte_encode_compress, decompress_byte_decode, is_canonical,
    multiply_ntts, sample_poly_cbd,
};
use crate::q3329::Xofs;

/// The numbers of Table 2.
#[derive(Clone, Copy)]
pub(crate) struct Parameters {
    pub(crate) k: usize,
    eta1: usize,
    eta2: usize,
    pub(crate) du: usize,
    pub(crate) dv: usize,
}

pub(crate) const ML_KEM_512: Parameters = Parameters { k: 2, eta1: 3, eta2: 2, du: 10, dv: 4 };
pub(crate) const ML_KEM_768: Parameters = Parameters { k: 3, eta1: 2, eta2: 2, du: 10, dv: 4 };
pub(crate) const ML_KEM_1024: Parameters = Parameters { k: 4, eta1: 2, eta2: 2, du: 11, dv: 5 };

/// A run of the standard's algorithms.
pub(crate) struct Standard<'a> {
    pub(crate) run: &'a mut Algorithm,
    pub(crate) p: Parameters,
    pub(crate) xofs: Xofs,
    /// Which of two operations this is.
    pub(crate) operation: usize,
}

impl Deref for Standard<'_> {
    type Target = Algorithm;

    fn deref(&self) -> &Algorithm {
        self.run
    }
}

impl DerefMut for Standard<'_> {
    fn deref_mut(&mut self) -> &mut Algorithm {
        self.run
    }
}

impl Standard<'_> {
    /// H: SHA3-256 (section 4.1).
    fn h(&mut self, name: &str, message: &[Term]) -> Bytes {
        self.sponge(name, (136, 0x06), message, 32)
    }

    /// J: the first 32 bytes of SHAKE256.
    fn j(&mut self, name: &str, message: &[Term]) -> Bytes {
        self.sponge(name, (136, 0x1f), message, 32)
    }

    /// G: SHA3-512, in halves.
    fn g(&mut self, name: &str, message: &[Term]) -> (Bytes, Bytes) {
        let mut a = self.sponge(name, (72, 0x06), message, 64);
        let b = a.split_off(32);
        (a, b)
    }

    /// `SamplePolyCBD_eta(PRF_eta(s, b))`: PRF is the first 64 eta bytes of SHAKE256(s || b).
    fn noise(&mut self, name: &str, eta: usize, s: &[Term], b: usize) -> Polynomial {
        let message = self.with_bytes(s, &[b]);
        let bytes = self.sponge(&format!("PRF for {name}"), (136, 0x1f), &message, 64 * eta);
        let f = sample_poly_cbd(&mut self.t, eta, &bytes);
        self.named(name, f)
    }

    /// Algorithm 13, lines 3 to 7, and Algorithm 14, lines 4 to 8.
    fn matrix(&mut self, rho: &[Term]) -> Vec<Vector> {
        let (Parameters { k, .. }, xofs, operation) = (self.p, self.xofs, self.operation);
        let blocks = |i, j| (xofs.kept)(k, (operation, i, j)).blocks();
        self.expand_matrix(rho, (k, k), &blocks, (3329, 16))
    }

    /// K-PKE.KeyGen(d): Algorithm 13. Returns `ek_PKE` and `dk_PKE`.
    fn pke_key_gen(&mut self, d: &[Term]) -> (Bytes, Bytes) {
        let Parameters { k, eta1, .. } = self.p;
        // 1: (rho, sigma) <- G(d || k)
        let message = self.with_bytes(d, &[k]);
        let (rho, sigma) = self.g("G(d || k)", &message);
        // 3-7
        let a_hat = self.matrix(&rho);
        // 8-11: s[i] <- SamplePolyCBD(PRF(sigma, N)), N <- N + 1
        let s: Vector = (0..k).map(|i| self.noise(&format!("s[{i}]"), eta1, &sigma, i)).collect();
        // 12-15: e[i] <- SamplePolyCBD(PRF(sigma, N)), N <- N + 1
        let e: Vector =
            (0..k).map(|i| self.noise(&format!("e[{i}]"), eta1, &sigma, k + i)).collect();
        // 16: s_hat <- NTT(s)
        let s_hat = self.ntts("s_hat", &s);
        // 17: e_hat <- NTT(e)
        let e_hat = self.ntts("e_hat", &e);
        let (mut ek, mut dk) = (Vec::new(), Vec::new());
        for i in 0..k {
            // 18: t_hat <- A_hat o s_hat + e_hat
            let product = multiply_ntts(&mut self.t, 0, &a_hat[i], &s_hat);
            let t_hat = add(&mut self.t, &product, &e_hat[i]);
            let t_hat = self.named(&format!("t_hat[{i}]"), t_hat);
            // 19: ek <- ByteEncode_12(t_hat) || rho
            ek.extend(byte_encode_12(&mut self.t, &t_hat));
            // 20: dk <- ByteEncode_12(s_hat)
            dk.extend(byte_encode_12(&mut self.t, &s_hat[i]));
        }
        ek.extend(rho);
        (ek, dk)
    }

    /// K-PKE.Encrypt(ek, m, r): Algorithm 14.
    fn pke_encrypt(&mut self, ek: &[Term], m: &[Term], r: &[Term]) -> Bytes {
        let Parameters { k, eta1, eta2, du, dv } = self.p;
        // 2: t_hat <- ByteDecode_12(ek[0 : 384 k])
        let t_hat: Vector =
            ek[..384 * k].chunks(384).map(|bytes| byte_decode_12(&mut self.t, bytes)).collect();
        // 3: rho <- ek[384 k : 384 k + 32]
        // 4-8
        let a_hat = self.matrix(&ek[384 * k..]);
        // 9-12: y[i] <- SamplePolyCBD(PRF(r, N)), N <- N + 1
        let y: Vector = (0..k).map(|i| self.noise(&format!("y[{i}]"), eta1, r, i)).collect();
        // 13-16: e_1[i] <- SamplePolyCBD(PRF(r, N)), N <- N + 1
        let e1: Vector = (0..k).map(|i| self.noise(&format!("e_1[{i}]"), eta2, r, k + i)).collect();
        // 17: e_2 <- SamplePolyCBD(PRF(r, N))
        let e2 = self.noise("e_2", eta2, r, 2 * k);
        // 18: y_hat <- NTT(y)
        let y_hat = self.ntts("y_hat", &y);
        let mut c = Vec::new();
        for i in 0..k {
            // 19: u <- NTT^-1(A_hat^T o y_hat) + e_1
            let column: Vector = a_hat.iter().map(|row| row[i].clone()).collect();
            let product = multiply_ntts(&mut self.t, 0, &column, &y_hat);
            let product = inverse_ntt(&mut self.t, &product);
            let u = add(&mut self.t, &product, &e1[i]);
            let u = self.named(&format!("u[{i}]"), u);
            // 22: c_1 <- ByteEncode(Compress(u))
            c.extend(byte_encode_compress(&mut self.t, du, &u));
        }
        // 20: mu <- Decompress_1(ByteDecode_1(m))
        let mu = decompress_byte_decode(&mut self.t, m);
        // 21: v <- NTT^-1(t_hat^T o y_hat) + e_2 + mu
        let product = multiply_ntts(&mut self.t, 0, &t_hat, &y_hat);
        let product = inverse_ntt(&mut self.t, &product);
        let v = add(&mut self.t, &product, &e2);
        let v = add(&mut self.t, &v, &mu);
        let v = self.named("v", v);
        // 23: c_2 <- ByteEncode(Compress(v))
        c.extend(byte_encode_compress(&mut self.t, dv, &v));
        // 24: return c_1 || c_2
        c
    }

    /// K-PKE.Decrypt(dk, c): Algorithm 15.
    fn pke_decrypt(&mut self, dk: &[Term], c: &[Term]) -> Bytes {
        let Parameters { k, du, .. } = self.p;
        // 1-2
        let (c1, c2) = c.split_at(32 * du * k);
        // 3: u' <- Decompress(ByteDecode(c_1))
        let u: Vector =
            c1.chunks(32 * du).map(|bytes| decompress_byte_decode(&mut self.t, bytes)).collect();
        // 4: v' <- Decompress(ByteDecode(c_2))
        let v = decompress_byte_decode(&mut self.t, c2);
        // 5: s_hat <- ByteDecode_12(dk)
        let s_hat: Vector =
            dk.chunks(384).map(|bytes| byte_decode_12(&mut self.t, bytes)).collect();
        // 6: w <- v' - NTT^-1(s_hat^T o NTT(u'))
        let u_hat = self.ntts("NTT(u')", &u);
        let product = multiply_ntts(&mut self.t, 0, &s_hat, &u_hat);
        let product = inverse_ntt(&mut self.t, &product);
        let w = subtract(&mut self.t, &v, &product);
        let w = self.named("w", w);
        // 7: m <- ByteEncode_1(Compress_1(w))
        let m = byte_encode_compress(&mut self.t, 1, &w);
        self.named("m'", m)
    }

    /// ML-KEM.`KeyGen_internal`(d, z): Algorithm 16. Returns ek || dk.
    pub(crate) fn key_gen_internal(&mut self, d: &[Term], z: &[Term]) -> Bytes {
        // 1: (ek_PKE, dk_PKE) <- K-PKE.KeyGen(d)
        // 2: ek <- ek_PKE
        let (ek, dk_pke) = self.pke_key_gen(d);
        // 3: dk <- (dk_PKE || ek || H(ek) || z)
        let h = self.h("H(ek)", &ek);
        [&ek[..], &dk_pke, &ek, &h, z].concat()
    }

    /// ML-KEM.`Encaps_internal`(ek, m): Algorithm 17. Returns c || K.
    pub(crate) fn encaps_internal(&mut self, ek: &[Term], m: &[Term]) -> Bytes {
        // 1: (K, r) <- G(m || H(ek))
        let h = self.h("H(ek)", ek);
        let (key, r) = self.g("G(m || H(ek))", &[m, &h].concat());
        // 2: c <- K-PKE.Encrypt(ek, m, r)
        let c = self.pke_encrypt(ek, m, &r);
        // 3: return (K, c)
        [c, key].concat()
    }

    /// ML-KEM.`Decaps_internal`(dk, c): Algorithm 18. Returns K'.
    pub(crate) fn decaps_internal(&mut self, dk: &[Term], c: &[Term]) -> Bytes {
        // 1-4
        let DecapsulationKey { dk_pke, ek_pke, h, z } = split(self.p.k, dk);
        // 5: m' <- K-PKE.Decrypt(dk_PKE, c)
        let m = self.pke_decrypt(dk_pke, c);
        // 6: (K', r') <- G(m' || h)
        let (key, r) = self.g("G(m' || h)", &[&m, h].concat());
        // 7: K_bar <- J(z || c)
        let k_bar = self.j("J(z || c)", &[z, c].concat());
        // 8: c' <- K-PKE.Encrypt(ek_PKE, m', r')
        let c_prime = self.pke_encrypt(ek_pke, &m, &r);
        // 9-11: if c != c' then K' <- K_bar
        let differs = self.differ(c, &c_prime);
        // 12: return K'
        if differs { k_bar } else { key }
    }

    /// The encapsulation key check of section 7.2.
    pub(crate) fn check_encapsulation_key(&mut self, ek: &[Term]) -> bool {
        let mut is_canonical_all = true;
        for bytes in ek[..384 * self.p.k].chunks(384) {
            let is_canonical = is_canonical(&mut self.t, bytes);
            is_canonical_all &= self.decide(is_canonical);
        }
        is_canonical_all
    }

    /// The hash check of section 7.3.
    pub(crate) fn check_hash(&mut self, dk: &[Term]) -> bool {
        let DecapsulationKey { ek_pke, h, .. } = split(self.p.k, dk);
        let hash = self.h("H(ek)", ek_pke);
        !self.differ(h, &hash)
    }
}

/// Algorithm 18, lines 1 to 4.
struct DecapsulationKey<'a> {
    dk_pke: &'a [Term],
    ek_pke: &'a [Term],
    h: &'a [Term],
    z: &'a [Term],
}

fn split(k: usize, dk: &[Term]) -> DecapsulationKey<'_> {
    // 1: dk_PKE <- dk[0 : 384 k]
    let (dk_pke, rest) = dk.split_at(384 * k);
    // 2: ek_PKE <- dk[384 k : 768 k + 32]
    let (ek_pke, rest) = rest.split_at(384 * k + 32);
    // 3: h <- dk[768 k + 32 : 768 k + 64]
    // 4: z <- dk[768 k + 64 : 768 k + 96]
    let (h, z) = rest.split_at(32);
    DecapsulationKey { dk_pke, ek_pke, h, z }
}

/// The encapsulation key in a decapsulation key.
pub(crate) fn encapsulation_key(k: usize, dk: &[Term]) -> &[Term] {
    split(k, dk).ek_pke
}
