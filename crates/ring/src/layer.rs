//! The layers of a number-theoretic transform of 256 coefficients that lie inside vectors.

/// Of each lane of pairs of `W`-lane vectors that went through `transpose` from `W / 2` down to `len`,
/// the number of the zeta that its butterfly at distance `len` takes. Zeros unless `len` is below `W`.
pub(crate) const fn zeta_indices<const W: usize>(len: usize, inverse: bool) -> [usize; 128] {
    let mut t = [0; 128];
    let mut pair = 0;
    while pair * W < 128 && len < W {
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
            let block = v[0][i] >> (len.ilog2() + 1);
            t[pair * W + i] = if inverse {
                (256 >> len.ilog2()) - 1 - block
            } else {
                (128 >> len.ilog2()) + block
            };
            i += 1;
        }
        pair += 1;
    }
    t
}
