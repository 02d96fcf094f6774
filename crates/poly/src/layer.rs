//! The layers of number-theoretic transforms: which zeta is whose.

/// The number of the zeta that block `block` of the layer at distance `len` takes, of `n`
/// coefficients. Back, the inverses are the negatives of the others in reverse order.
#[inline(always)]
pub(crate) const fn zeta_index(n: usize, len: usize, block: usize, inverse: bool) -> usize {
    let blocks = n >> (len.ilog2() + 1);
    if inverse { 2 * blocks - 1 - block } else { blocks + block }
}

/// Of each lane of a pair of `W`-lane vectors that went through `transpose` from `W / 2` down to
/// `len`, the block of its butterfly at distance `len`, which is below `W`.
pub(crate) const fn blocks<const W: usize>(pair: usize, len: usize) -> [usize; W] {
    // Which coefficient each lane holds.
    let mut v = [[0; W]; 2];
    let mut i = 0;
    while i < W {
        v[0][i] = 2 * W * pair + i;
        v[1][i] = 2 * W * pair + W + i;
        i += 1;
    }
    let mut l = W >> 1;
    while l >= len {
        let mut i = 0;
        while i < W {
            if i & l == 0 {
                (v[0][i + l], v[1][i]) = (v[1][i], v[0][i + l]);
            }
            i += 1;
        }
        l >>= 1;
    }
    let mut i = 0;
    while i < W {
        assert!(v[0][i] + len == v[1][i], "the two halves of a butterfly meet");
        v[0][i] >>= len.ilog2() + 1;
        i += 1;
    }
    v[0]
}

/// Of 256 coefficients, the numbers of the zetas of all lanes of all pairs in the layer at distance
/// `len`. Zeros unless `len` is below `W`.
#[cfg(any(feature = "q3329", feature = "q8380417"))]
pub(crate) const fn zeta_indices<const W: usize>(len: usize, inverse: bool) -> [usize; 128] {
    let mut t = [0; 128];
    let mut pair = 0;
    while pair * W < 128 && len < W {
        let (blocks, mut i) = (blocks::<W>(pair, len), 0);
        while i < W {
            t[pair * W + i] = zeta_index(256, len, blocks[i], inverse);
            i += 1;
        }
        pair += 1;
    }
    t
}
