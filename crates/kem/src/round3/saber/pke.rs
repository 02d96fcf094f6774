//! Products, rounding, encryption and decryption: SABER round 3, sections 8.4.1 to 8.4.3.
use oaklath_poly::bits;
use oaklath_poly::pow2::{
    Points, Poly, Products, Room, add_product, evaluate, free_of, interpolate_negacyclic,
};
use oaklath_simd::{Simd, secret, vectorize};

use super::params::{POLY_P, SaberParams};

/// The constant h1, which turns truncation into rounding: half of q / p.
const H1: i16 = 1 << (13 - 10 - 1);

/// A vector or a matrix: as points that are kept, or as the bytes from which each polynomial is
/// read when it is needed.
#[derive(Clone, Copy)]
pub(super) enum FactorSource<'a> {
    Kept(&'a [Points<16>]),
    Bytes(&'a [u8]),
}

impl FactorSource<'_> {
    /// Returns polynomial `i` as points; bytes, `width` bits a coefficient, are read to `factor`.
    #[inline(always)]
    fn get<'a, S: Simd>(
        &'a self,
        s: S,
        width: usize,
        i: usize,
        factor: &'a mut Points<16>,
        room: &mut Room<32>,
    ) -> &'a Points<16> {
        match self {
            Self::Kept(points) => &points[i],
            Self::Bytes(bytes) => {
                let len = 32 * width;
                read(s, width, &bytes[len * i..len * (i + 1)], factor, free_of(room));
                factor
            }
        }
    }
}

/// Memory for products.
pub(super) struct ProductMemory<'a> {
    /// The current factor: an entry of the matrix or of a public vector.
    pub(super) factor: &'a mut Points<16>,
    /// s or s'.
    pub(super) secret: &'a mut [Points<16>],
    pub(super) products: &'a mut Products<16>,
    pub(super) room: &'a mut Room<32>,
}

/// Declares [`ProductMemory`], erased at the end of the scope.
macro_rules! product_memory {
    ($name:ident: $k:ident) => {
        oaklath_simd::scratch!(factor: oaklath_poly::pow2::Points<16>);
        oaklath_simd::secret!(
            secret: [oaklath_poly::pow2::Points<16>; $k],
            products: oaklath_poly::pow2::Products<16>,
            room: oaklath_poly::pow2::Room<32>,
        );
        let $name =
            &mut $crate::round3::saber::pke::ProductMemory { factor, secret, products, room };
    };
}
pub(super) use product_memory;

/// Evaluates the secret `v` into `memory.secret`.
#[inline(always)]
pub(super) fn evaluate_secret<S: Simd>(s: S, v: &[Poly<16>], memory: &mut ProductMemory<'_>) {
    for (v, points) in v.iter().zip(memory.secret.iter_mut()) {
        evaluate(s, v, points, free_of(memory.room));
    }
}

/// Writes the product of A, or of its transpose, and `memory.secret`, rounded to 10 bits. Out of
/// line.
#[inline(never)]
pub(super) fn rounded_product<S: Simd>(
    s: S,
    A: FactorSource<'_>,
    transposed: bool,
    memory: &mut ProductMemory<'_>,
    bytes: &mut [u8],
) {
    vectorize!(s => {
        secret!(sum: Poly<16>);
        let ProductMemory { factor, secret, products, room } = memory;
        let l = secret.len();
        for (i, bytes) in bytes.chunks_exact_mut(POLY_P).enumerate() {
            for (j, secret) in secret.iter().enumerate() {
                let at = if transposed { l * j + i } else { l * i + j };
                let entry = A.get(s, 13, at, factor, room);
                add_product(s, entry, secret, products, room, j == 0);
            }
            interpolate_negacyclic(s, products, sum, room);
            for x in sum.as_flattened_mut() {
                *x = (x.wrapping_add(H1) as u16 >> 3) as i16;
            }
            bits::pack(s, 10, sum.as_flattened(), bytes);
        }
    });
}

/// Reads polynomials with coefficients of `width` bits as points.
#[inline(always)]
pub(super) fn read_vector<S: Simd>(
    s: S,
    width: usize,
    bytes: &[u8],
    points: &mut [Points<16>],
    room: &mut [[i16; 32]],
) {
    for (bytes, points) in bytes.chunks_exact(32 * width).zip(points) {
        read(s, width, bytes, points, room);
    }
}

/// Reads a polynomial with coefficients of `width` bits as points. Out of line.
#[inline(never)]
pub(super) fn read<S: Simd>(
    s: S,
    width: usize,
    bytes: &[u8],
    points: &mut Points<16>,
    room: &mut [[i16; 32]],
) {
    vectorize!(s => {
        secret!(f: Poly<16>);
        bits::unpack(s, width, bytes, f.as_flattened_mut());
        evaluate(s, f, points, room);
    });
}

/// The inputs of an encryption besides the message: A, b and s'.
pub(super) struct EncryptionInputs<'a> {
    pub(super) A: FactorSource<'a>,
    pub(super) b: FactorSource<'a>,
    pub(super) secrets: &'a [Poly<16>],
}

/// `Saber.PKE.Enc` with s' already drawn: b' = A s' and `c_m` = <b, s'> + h1 - 2^9 m, rounded. Out
/// of line.
#[inline(never)]
pub(super) fn encrypt<S: Simd>(
    s: S,
    p: &SaberParams,
    inputs: &EncryptionInputs<'_>,
    m: &[u8; 32],
    memory: &mut ProductMemory<'_>,
    c: &mut [u8],
) {
    vectorize!(s => {
        secret!(v: Poly<16>, bits: [i16; 256]);
        let (b_bytes, cm_bytes) = c.split_at_mut(POLY_P * p.l);
        evaluate_secret(s, inputs.secrets, memory);
        rounded_product(s, inputs.A, false, memory, b_bytes);
        let ProductMemory { factor, secret, products, room } = memory;
        for (j, secret) in secret.iter().enumerate() {
            let b = inputs.b.get(s, 10, j, factor, room);
            add_product(s, b, secret, products, room, j == 0);
        }
        interpolate_negacyclic(s, products, v, room);
        bits::unpack(s, 1, m, bits);
        for (v, bit) in v.as_flattened_mut().iter_mut().zip(bits.iter()) {
            let sum = v.wrapping_add(H1).wrapping_sub(bit << 9);
            *v = ((sum & 0x3ff) as u16 >> (10 - p.log_t)) as i16;
        }
        bits::pack(s, p.log_t as usize, v.as_flattened(), cm_bytes);
    });
}

/// `Saber.PKE.Dec`: m is the highest bits of <b', s> + h2 - 2^(10 - log T) `c_m`. Out of line.
#[inline(never)]
pub(super) fn decrypt<S: Simd>(
    s: S,
    p: &SaberParams,
    secret: FactorSource<'_>,
    c: &[u8],
    memory: &mut ProductMemory<'_>,
    m: &mut [u8; 32],
) {
    vectorize!(s => {
        secret!(v: Poly<16>, cm: [i16; 256]);
        let (b_bytes, cm_bytes) = c.split_at(POLY_P * p.l);
        let ProductMemory { factor, secret: points, products, room } = memory;
        let secret = match secret {
            FactorSource::Kept(secret) => secret,
            FactorSource::Bytes(bytes) => {
                read_vector(s, 13, bytes, points, free_of(room));
                points
            }
        };
        for (j, (bytes, secret)) in b_bytes.chunks_exact(POLY_P).zip(secret).enumerate() {
            read(s, 10, bytes, factor, free_of(room));
            add_product(s, factor, secret, products, room, j == 0);
        }
        interpolate_negacyclic(s, products, v, room);
        bits::unpack(s, p.log_t as usize, cm_bytes, cm);
        // h2 = p / 4 - p / (2 T) + q / (2 p).
        let h2 = (1 << 8) - (1 << (9 - p.log_t)) + H1;
        for (v, cm) in v.as_flattened_mut().iter_mut().zip(cm.iter()) {
            *v = v.wrapping_add(h2).wrapping_sub(cm << (10 - p.log_t)) >> 9;
        }
        bits::pack(s, 1, v.as_flattened(), m);
    });
}
