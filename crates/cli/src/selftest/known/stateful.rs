//! Known answers of the stateful schemes: each a private key in another library's form, a message, and the digest
//! of its signature.

use anyhow::{Context, Result, ensure};
use oaklath_hash::sha2::sha256;
use oaklath_stateful::{HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey, XmssTrees};
use rayon::prelude::*;

use crate::selftest::Row;

/// Whose vectors, and so whose form of a private key.
enum Origin {
    /// The parameters, the index and the seed of hash-sigs, from the vectors of Botan.
    HashSigs,
    /// Botan's vectors of the reference of XMSS.
    Botan,
    /// liboqs, `tests/KATs/sig_stfl`.
    Liboqs,
}

struct Known {
    name: &'static str,
    origin: Origin,
    private: &'static str,
    message: &'static str,
    /// SHA-256 of the signature.
    digest: &'static str,
}

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known {
        name: "HSS",
        origin: Origin::HashSigs,
        private: "00000008000000000000002a000000050000000400000005000000040000000500000004\
                  000000050000000400000005000000040000000500000004000000050000000400000005\
                  0000000467c6697351ff4aec29cdbaabf2fbe3467cc254f81be8e78d765a2e63339fc99a\
                  66320db73158a35a255d051758e95ed4",
        message: "1234f006ba89f00111213baf0016171819f0",
        digest: "d03e20edf3d22b46fa69a8a81fa8c6c7363d70df2e5766dbae6fc49a4ccdb8e4",
    },
    Known {
        name: "HSS",
        origin: Origin::HashSigs,
        private: "0000000200000000000000830000000600000003000000050000000467c6697351ff4aec\
                  29cdbaabf2fbe3467cc254f81be8e78d765a2e63339fc99a66320db73158a35a255d0517\
                  58e95ed4",
        message: "deadbeef",
        digest: "4e417b5470326de7e950d2f87f5ccd59f935b919ffef54566bc20d60673e7c48",
    },
    Known {
        name: "XMSS-SHA2_10_256",
        origin: Origin::Botan,
        private: "00000001ce52afeaab62a4ba514253fcf59d5d8326ff0cd1bd3edd916baea883cea0d004\
                  bc1b7d069cabf1b9556315e69f8b3f7baa62d0004d89dc9e1d302ffa9b7c7a2800000000\
                  75f11c53d6355fa070a7c75d1b4e4c8bbd8917f16551619665b840ed072f93f590daae51\
                  9f7b076fdf67a025ab8aac02a4cd92014fe678a4b455c4c375e6aff902",
        message: "",
        digest: "09a0f122612eeeca896ff72317d1c41d23e66e525874ca19651232b1276f057d",
    },
    Known {
        name: "XMSS-SHAKE_10_256",
        origin: Origin::Botan,
        private: "00000007ed0746a0c7b4a98e5138384840b62b924ddfa203d76c04b4dcbd02c9b5a38925\
                  f232c0af74468fd07d66c3be15403a0a00cdd0c0455a3ca50f5fa2ee45ed826000000000\
                  3a87183c4122a07e96f582eff738cc42c9489a921e157dda637a3c49e283f2d5a346c2c4\
                  93359d0365663152e97ce933b95c4905cc891fbb747bf90cbf7fc29202",
        message: "",
        digest: "22026b6d0563dd97ab6dca85492418c3b0f92e45d4ff457e5f31d2edd756388e",
    },
    Known {
        name: "XMSS-SHA2_10_192",
        origin: Origin::Botan,
        private: "0000000d382d336ecc48d9d91158c0b0eb54f6335081e4a5aadf7001f4de6f292479ad27\
                  52256d92205ab2153000317f9c56b9a20000000068a2ec6cde293ead7893f878c97f3f4e\
                  a5e7045905a9981ef29146a53a0e5d5250327fddf1f126cbf9e764140a3ed8d102",
        message: "",
        digest: "fb8613ef6a3c54f0f9de68d2ec4f0c36fc5a553665e41d70e240ffb1e8ef8b2a",
    },
    Known {
        name: "XMSS-SHAKE256_10_256",
        origin: Origin::Botan,
        private: "00000010644d20e76ed3ed9f21bad0d3f0cd3b7e39df2d3ebebc9fbb1f633cdc23c03df9\
                  57e6d49aa2cc2c7f8c426d6e25b77f3de7fb5dcfd0af78047803496fc780eaaa00000000\
                  555589d93488d14d51519988a0e7afe5de24bf45a4936fd0352091341a27039a3bcef2aa\
                  1f5d50212b3398b32780065064364af23f04d1405bf272a20b94751302",
        message: "",
        digest: "4687583418bdbdf1dec4b0b25a48677dc81ac1812e0523ce9b5af992ae8a7ba6",
    },
    Known {
        name: "XMSS-SHAKE256_10_192",
        origin: Origin::Botan,
        private: "00000013700d5cbe87ccb29d61320ca8c2c8b687c0b9d480fb31bd6814d322405c2b7c30\
                  467f540c400a238eb439d9ac06272f0e000000006b7fa39e761b7ca86b2a4afa526b8014\
                  a82470a941d2f652579ce5e54316f51e5008cc2d3d24c9da7121c4874e4fd6c202",
        message: "",
        digest: "134d51bcf8039ae245dfa579ba36aa3d6918819cbb05a5ecc0b8d7e7f6a45d80",
    },
    Known {
        name: "XMSSMT-SHA2_20/4_256",
        origin: Origin::Liboqs,
        private: "00000002000000061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9a\
                  bcfde7056a8c266f9ef97ed08541dbd2e1ffa19810f5392d076276ef41277c3ab6e94acf\
                  a7f813f78c9797c0f6ad44c84059350be2d1ee249919c6e1f305d3c0e7024404562ad35e\
                  8ecafaafda16981cdaa147606beea62801342af13c8b5535f72f94",
        message: "b338dd755d5618c464ab331f14de3dd4a358bba00d28fb35236741e902f7b248ce",
        digest: "ef8dabb180d9802a2ad5696bec12d3804d77389443ffa573249d64fb9b79972f",
    },
];

/// What is built in, a row a key; on all cores.
pub(super) fn rows() -> impl IndexedParallelIterator<Item = Vec<Row>> {
    KNOWN.par_iter().map(|known| {
        let source = match known.origin {
            Origin::HashSigs => "built in: hash-sigs",
            Origin::Botan => "built in: XMSS reference",
            Origin::Liboqs => "built in: liboqs",
        };
        vec![Row::check(source, known.name, &[known], |known| known.check())]
    })
}

impl Known {
    fn check(&self) -> Result<()> {
        let private = hex::decode(self.private)?;
        match self.origin {
            Origin::HashSigs => self.signs(HssSigningKey::from_hash_sigs(&private, NODE_BYTES)?),
            Origin::Botan => self.signs(XmssSigningKey::from_botan(&private, NODE_BYTES)?),
            Origin::Liboqs => {
                self.signs(XmssSigningKey::from_liboqs(XmssTrees::Multi, &private, NODE_BYTES)?)
            }
        }
    }

    /// Signs at the index that the private key stands at, and verifies.
    fn signs<K: StatefulKey>(&self, (mut key, index): (K, u64)) -> Result<()> {
        let message = hex::decode(self.message)?;
        let mut signature = vec![0; key.signature_len()];
        key.sign_at(Index::from_durable_record(index), &message, &mut signature)?;
        ensure!(hex::encode(sha256(&signature)) == self.digest, "the digest differs");
        let checked = key.check(&message, &signature).context("the signature is refused")?;
        ensure!(checked.index == index, "index {}, expected {index}", checked.index);
        Ok(())
    }
}
