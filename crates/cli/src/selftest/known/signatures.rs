//! Known answers of the signature schemes.

use anyhow::{Result, ensure};
use oaklath_hash::sha2::sha256;
use oaklath_hash::sha3::Shake128;
use oaklath_sig::{Message, Signature, all};
use oaklath_simd::Level;
use rayon::prelude::*;

use crate::selftest::operations::{sign, signing_keypair};
use crate::selftest::{Row, kat};

/// Known digests of an algorithm.
struct Known {
    name: &'static str,
    /// SHA-256 of record 0 of the KAT text: liboqs, `tests/KATs/sig` (Dilithium-AES up to 0.7.2).
    single: &'static str,
    /// SHA-256 of its records 0 to 99: liboqs since 0.10.
    hundred: Option<&'static str>,
    /// SHA-256 of record 0 without randomness in the signature: `PQClean`, `nistkat-sha256`.
    deterministic: Option<&'static str>,
    /// SHAKE128 after 100 cases: C2SP/CCTV, `ML-DSA/accumulated/README.md`.
    accumulated: Option<&'static str>,
}

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known {
        name: "ML-DSA-44",
        single: "9a196e7fb32fbc93757dc2d8dc1924460eab66303c0c08aeb8b798fb8d8f8cf3",
        hundred: Some("54322d25c05b96941aec73eb3ee27a975d38a34bfb53ef4cb9fd4a8e9cab554c"),
        deterministic: None,
        accumulated: Some("d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4"),
    },
    Known {
        name: "ML-DSA-65",
        single: "7cb96242eac9907a55b5c84c202f0ebd552419c50b2e986dc2e28f07ecebf072",
        hundred: Some("47e1ca6d4a45e9853e381954cf97206eca22993deade3cade45bd9d9457c93f9"),
        deterministic: None,
        accumulated: Some("8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199"),
    },
    Known {
        name: "ML-DSA-87",
        single: "4537905d2aabcf302fab2f242baed293459ecda7c230e6a67063b02c7e2840ed",
        hundred: Some("12382114979d5b64436aebfe6db02d61c07859429233105e936752cb77cc585a"),
        deterministic: None,
        accumulated: Some("8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b"),
    },
    Known {
        name: "Falcon-512",
        single: "da27fe8a462de7307ddf1f9b00072a457d9c5b14e838c148fbe2662094b9a2ca",
        hundred: Some("f4f23c1153682007d5dec02c35e47061c17900fcf0adb3fd0437f1988fa13655"),
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "Falcon-1024",
        single: "e699d88eb214fef30597385f40814baeb84ac505d5f05f5c257b0726fc4530b8",
        hundred: Some("46f9682ebf6fd31bae60c3191ed1a6c56aa09fb4945a266f86732a90c6c4db67"),
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "Dilithium2",
        single: "26ae9c1224171e957dbe38672942d31edb7dffbe700825e0cb52128cdb45280a",
        hundred: Some("38337ea2e165cc1161de2da5af515a187d20d65f1aaffde844121c3c21b27c07"),
        deterministic: Some("faa8998108fa541309c9df5044018c5d26cc23654594bef639dd64b838646cbd"),
        accumulated: None,
    },
    Known {
        name: "Dilithium3",
        single: "eea584803c3d6991a4acbf9f117147bbdd246faf822cfb1a17effe20b2052ba9",
        hundred: Some("020a69d51c3ee0332e119780451b4cdfaf5ddbd627db37e7f78c641e98e223a9"),
        deterministic: Some("8439f580566c46b99449b2cbbd597ce59bcd5d184b90c1108b79a08f6bdbbcb1"),
        accumulated: None,
    },
    Known {
        name: "Dilithium5",
        single: "3f6e58603a38be57cf08d79b01fcfd0ccc1129a09e14a6122c6fe22c906ddc3b",
        hundred: Some("a76f63375cb3897b4fb01190976367f7cde73808f0166533a94be7c7942705ab"),
        deterministic: Some("984ea5f06b13778292f60ecc07301af76e375f1bb9f4a39d676513439e1e83a2"),
        accumulated: None,
    },
    Known {
        name: "Dilithium2-AES",
        single: "b68911c8055f070b4e7c96bcfc0fbd504331064008bfced8ab253fb20e285087",
        hundred: None,
        deterministic: Some("62569a8c8cf8781a60c88753dfa8806afac09e39f01df1bb6598ca29bac7f425"),
        accumulated: None,
    },
    Known {
        name: "Dilithium3-AES",
        single: "78ebbb3a17d53b219ee7e124892305467298dd87aa0397b31b4cc17dd6b16edf",
        hundred: None,
        deterministic: Some("199db029b177b368d71bac8689e16394621b84ddc5517e8476312165288e63d3"),
        accumulated: None,
    },
    Known {
        name: "Dilithium5-AES",
        single: "6d5032d970450d9dc94a243fcf303ed84b5562618a228f31dd047d600cbcbf9e",
        hundred: None,
        deterministic: Some("5734f0f32acf7190130448bbc121994a29fa4355deeee167ef65dbed014f6ee0"),
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-128s-simple",
        single: "260c24c6de710d81f86184fc034d382abe5d705b5352d7329ca662f6def392a4",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-128f-simple",
        single: "ebebf1a5da339c6e2073f41d7b499b7e5a456ac91c68ef5d15d18643c89d8e7d",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-192s-simple",
        single: "3cb0a4fccbb8d204aaa5c06e5be66a53e8c4ba1cbf1aefef8fdfaa5c63d60094",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-192f-simple",
        single: "28528adef75a728d013bb493d85e358a75344c72000792419f1f539c16f24f10",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-256s-simple",
        single: "f704deaf990987c306082bb28258cfb8c6f03b49940c06df582ef3fb86958e8a",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
    Known {
        name: "SPHINCS+-SHAKE256-256f-simple",
        single: "1ec2691198f9a5c29c45a2bb72b3e04c9127f8e1df19d6c874d8b5bdfab89ef7",
        hundred: None,
        deterministic: None,
        accumulated: None,
    },
];

/// SHA-256 of public key, private key and signature of `abc`, by a key of the seed 0, 1, 2 and so on:
/// deterministic ones computed with the crate purecrypto 0.10.4, those of FN-DSA with fn-dsa 0.4.0 and the
/// random bytes 0, 1, 2 and so on.
const OF_ABC: &[(&str, &str)] = &[
    ("SLH-DSA-SHA2-128s", "4064a331145fa5e7fc6b0525f50a753246c991aba4a4f0be9c2ed3e47f80b4fd"),
    ("SLH-DSA-SHA2-128f", "321bf7b8bc5e3385d337a17fa889374de734e5dc6593e2afa24f18a676552e69"),
    ("SLH-DSA-SHA2-192s", "bd458b497d5e433950f6b8b9220e173b45f233e02279d6a2090fcd1fadb3a524"),
    ("SLH-DSA-SHA2-192f", "c2ed40a79bbceba948b9e85b835e838e07a79948cb413117e4ba4e30deb9bbb0"),
    ("SLH-DSA-SHA2-256s", "5211db176bb89100fe99ec5e5a1770f2dd9a5a0f1e4bb57d311038d149d91631"),
    ("SLH-DSA-SHA2-256f", "16c67e032fc6c60c8d76319000198cbec9a2a7a57481bd8987f4ecb6d6561c3e"),
    ("SLH-DSA-SHAKE-128s", "8747a734d08f602597717a3b6686d15894a1616873ebeda6629812edadca6a53"),
    ("SLH-DSA-SHAKE-128f", "09027461bb2ab4760152dc64fe267cc4305339f56805d8d4d26ff2a035fd494d"),
    ("SLH-DSA-SHAKE-192s", "2b8ee68a3570741769de11d0657540642505542cdd738b4d2a2742d10decd48f"),
    ("SLH-DSA-SHAKE-192f", "0555f0e0507e87b431607743d23d46ddfed3e51c47531a9d99f8a8fffdb7e16c"),
    ("SLH-DSA-SHAKE-256s", "ef79f71d5cc27f9cfd12efca1987c2817bd686a815422b639a8055671f744cbb"),
    ("SLH-DSA-SHAKE-256f", "b8f7116b05e972d73a914c718b128940933b922a5659d7b7de9bde189c196533"),
    ("FN-DSA-512", "9de9f023f15a0dc3739e987e7a23f90698cfc58f5608d19031ad58631ab398ec"),
    ("FN-DSA-1024", "ab2846fc23a70c6bb35252bdfc90cbfaa3070b17110c4390ef595bfbd8787f8a"),
];

/// What is built in, scheme by scheme of this build.
pub(super) fn rows() -> impl IndexedParallelIterator<Item = Vec<Row>> {
    all().par_iter().map(|scheme| of_scheme(*scheme))
}

fn of_scheme(scheme: &dyn Signature) -> Vec<Row> {
    let name = scheme.info().name;
    if let Some((_, digest)) = OF_ABC.iter().find(|(known, _)| *known == name) {
        // The small sets take seconds without vectors: they have the best level only.
        let small = name.trim_end_matches("-simple").ends_with('s');
        let levels = Level::available().filter(|level| !small || *level == Level::get());
        let source = if scheme.needs_coins() { "built in: fn-dsa" } else { "built in: purecrypto" };
        return vec![Row::check_at(levels, source, name, &[*digest], |digest| {
            ensure!(of_abc(scheme)? == *digest, "the digest differs");
            Ok(())
        })];
    }
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
        return vec![Row::skipped("built in", name, 0, "no known answer is built in")];
    };
    let mut texts = vec![(1, false, known.single)];
    texts.extend(known.hundred.map(|digest| (100, false, digest)));
    texts.extend(known.deterministic.map(|digest| (1, true, digest)));
    let kat = Row::check("built in: NIST KAT", name, &texts, |&(records, det, digest)| {
        let found = kat::signature_digest(scheme, det, records)?;
        ensure!(found == digest, "the digest of {records} records differs");
        Ok(())
    });
    let cctv = known.accumulated.map(|digest| {
        Row::check("built in: C2SP/CCTV", name, &[(100, digest)], |&(n, digest)| {
            accumulated(scheme, n, digest)
        })
    });
    [kat].into_iter().chain(cctv).collect()
}

/// The digest that [`OF_ABC`] lists.
fn of_abc(scheme: &dyn Signature) -> Result<String> {
    let seed: Vec<u8> = (0..).take(scheme.seed_len()).collect();
    let (pk, sk) = signing_keypair(scheme, &seed)?;
    let coins: Vec<u8> = (0..).take(scheme.coins_len()).collect();
    let coins = scheme.needs_coins().then_some(&*coins);
    let signature = sign(scheme, &sk, &Message::new(b"abc"), coins)?;
    Ok(hex::encode(sha256(&[pk, sk, signature].concat())))
}

/// The procedure of C2SP/CCTV, `ML-DSA/accumulated/README.md`: keys and deterministic signatures of
/// the empty message, over seeds of one generator, all into one digest.
fn accumulated(scheme: &dyn Signature, cases: usize, digest: &str) -> Result<()> {
    let (mut random, mut all) = (Shake128::new().finish(), Shake128::new());
    let mut seed = vec![0; scheme.seed_len()];
    for _ in 0..cases {
        random.read(&mut seed);
        let (public, private) = signing_keypair(scheme, &seed)?;
        let signature = sign(scheme, &private, &Message::new(b""), None)?;
        scheme.verify(&public, &Message::new(b""), &signature)?;
        all.absorb(&public);
        all.absorb(&signature);
    }
    let mut found = [0; 32];
    all.finish().read(&mut found);
    ensure!(hex::encode(found) == digest, "the digest of {cases} cases differs");
    Ok(())
}
