//! The known answers that are built in: digests over many cases, one row an algorithm.

mod signatures;
mod stateful;

use anyhow::{Result, ensure};
use oaklath_hash::sha3::Shake128;
use oaklath_kem::{Kem, all};
use rayon::prelude::*;

use crate::selftest::operations::{decapsulate, encapsulate, keypair, same};
use crate::selftest::{Row, kat};

/// Known digests of an algorithm.
struct Known {
    name: &'static str,
    /// SHA-256 of record 0 of the KAT text: liboqs, `tests/KATs/kem` (the 90s and SABER up to 0.7.2).
    single: &'static str,
    /// SHA-256 of its records 0 to 99: liboqs since 0.10, of NTRU since 0.15.
    hundred: Option<&'static str>,
    /// SHAKE128 after 100 cases of the procedure of C2SP/CCTV, for the final FIPS 203 and for Kyber
    /// round 3: computed with cloudflare/circl 1.6.5.
    accumulated: Option<&'static str>,
}

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known {
        name: "ML-KEM-512",
        single: "c70041a761e01cd6426fa60e9fd6a4412c2be817386c8d0f3334898082512782",
        hundred: Some("74b470e797cbdbd589a31d387d36c72aad5033446ab5159bf4014c24652b1173"),
        accumulated: Some("449120c6e320ef3e9fbfa2316e5f2d2e1e6dd37d8ff5d086d5d2db7d42aff0a1"),
    },
    Known {
        name: "ML-KEM-768",
        single: "5352539586b6c3df58be6158a6250aeff402bd73060b0a3de68850ac074c17c3",
        hundred: Some("e5d6911117c708d8342702db222f66bef5ac5b0314fb8bc36eb22a536c9b34fb"),
        accumulated: Some("8d65b902f28edc683cebee2872962fd165a4d197c9e24ec74caa4470270df0b7"),
    },
    Known {
        name: "ML-KEM-1024",
        single: "f580d851e5fb27e6876e5e203fa18be4cdbfd49e05d48fec3d3992c8f43a13e6",
        hundred: Some("81d1ae0468f62154885b6f2a293c0eb48f9339645357a88bbbc186c57ab0ace0"),
        accumulated: Some("c3ffe9ebecfa479c142656cbfbc6417efa05b77e994fe538eef4daed166363df"),
    },
    Known {
        name: "Kyber512",
        single: "bb0481d3325d828817900b709d23917cefbc10026fc857f098979451f67bb0ca",
        hundred: Some("0435224d77cc89bf77b82aa82af254b62f25d24e18c44dcd0aa9473cde97217a"),
        accumulated: Some("f03deb1dafd9ab0ff2688d0abf6ea8d27f0e3ba9b9ee6d726937c22673d8f5a6"),
    },
    Known {
        name: "Kyber768",
        single: "89e82a5bf2d4ddb2c6444e10409e6d9ca65dafbca67d1a0db2c9b54920a29172",
        hundred: Some("b3a12005fe1ce49f5df510aea6a56bfa4bdc2d3d706afb0361d70dc88188a2a6"),
        accumulated: Some("6c5c0d89ef49db03943889f56d14e8c559780b1c85cc03ecffabca7f16935204"),
    },
    Known {
        name: "Kyber1024",
        single: "5afcf2a568ad32d49b55105b032af1850f03f3888ff9e2a72f4059c58e968f60",
        hundred: Some("b72b97eb9270d76f2c7a8a0b03022c81c879af9e247abff52405127d77dd3a46"),
        accumulated: Some("a476512ef35390828d9a353dec7c6d5de975e4e81ba6b590e95b76c753b4efad"),
    },
    Known {
        name: "Kyber512-90s",
        single: "7bfe0653b63b3fac7ee300a6e4801046c1a3d8d445b271633b6c9d81ed125e5b",
        hundred: None,
        accumulated: None,
    },
    Known {
        name: "Kyber768-90s",
        single: "68bf2e3914c0b4e053cefc67dd9f10f567946da5720f0b453b347610c3cc2c0a",
        hundred: None,
        accumulated: None,
    },
    Known {
        name: "Kyber1024-90s",
        single: "a1b564348a126a118fbc49a6aeaebcb74896753fd99f30eeb0f75f0b2d25115f",
        hundred: None,
        accumulated: None,
    },
    Known {
        name: "NTRU-HPS-2048-509",
        single: "fc314366fbe795e2db6d29abb9f5b2ff43f0f608d0bd66161f9450364f0d271b",
        hundred: Some("d204a151fd8d10e0f6fe484d55362d779fbcb468ac5ae2cd18409b1fd76b4641"),
        accumulated: None,
    },
    Known {
        name: "NTRU-HPS-2048-677",
        single: "33e2cad6c2a2f17991517050d7a1b745908c84b8283a4e0f07dbe6f62d166507",
        hundred: Some("3489450d349454bf4914f7947a33ebc6bc5e16d15d19da6820a8168e125a1084"),
        accumulated: None,
    },
    Known {
        name: "NTRU-HPS-4096-821",
        single: "1a8382ae0c801a43cf461c98d22743f5b2d8a1ffed1b1df0dd767de2c2874597",
        hundred: Some("143f43534b9705f6485b4a3f1cefda3283f12550e88e294c743b72a9f7d3fcba"),
        accumulated: None,
    },
    Known {
        name: "NTRU-HRSS-701",
        single: "501e000c3eb374ffbfb81b0f16673a6282116465936608d7d164b05635e769e8",
        hundred: Some("684d7e77641399b136fbb4b9261bdca6e83887453a0565e2aef3540821138ada"),
        accumulated: None,
    },
    Known {
        name: "LightSaber-KEM",
        single: "dc2233ae221cfabbb1db5ab1a76c93967d37de9f87a8092561f95ab28eff6061",
        hundred: None,
        accumulated: None,
    },
    Known {
        name: "Saber-KEM",
        single: "c9e2c16f41f162c607a1d5704107159e5e12713b9bb8c356b1d68b216e79096e",
        hundred: None,
        accumulated: None,
    },
    Known {
        name: "FireSaber-KEM",
        single: "937d9b2e139112e13d4093a6afe715deff476e4d578208b9e8e1809de43835cd",
        hundred: None,
        accumulated: None,
    },
];

/// What is built in, for every KEM and every signature scheme of this build, and keys of the stateful ones; on all
/// cores.
pub(super) fn rows() -> Vec<Row> {
    let kems = all().par_iter().map(|kem| of_kem(*kem));
    kems.chain(signatures::rows()).chain(stateful::rows()).flatten_iter().collect()
}

fn of_kem(kem: &dyn Kem) -> Vec<Row> {
    let name = kem.info().name;
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
        return vec![Row::skipped("built in", name, 0, "no known answer is built in")];
    };
    let mut texts = vec![(1, known.single)];
    texts.extend(known.hundred.map(|digest| (100, digest)));
    let kat = Row::check("built in: NIST KAT", name, &texts, |&(records, digest)| {
        let found = kat::digest(kem, records)?;
        ensure!(found == digest, "the digest of {records} records differs");
        Ok(())
    });
    let cctv = known.accumulated.map(|digest| {
        Row::check("built in: C2SP/CCTV", name, &[(100, digest)], |&(n, digest)| {
            accumulated(kem, n, digest, true)
        })
    });
    [kat].into_iter().chain(cctv).collect()
}

/// The procedure of C2SP/CCTV, `ML-KEM/README.md`: keys, encapsulation, decapsulation, implicit
/// rejection of a random string, over inputs of one generator, all results into one digest, the
/// secret key among them or not.
pub(super) fn accumulated(
    kem: &dyn Kem,
    cases: usize,
    digest: &str,
    with_secret_key: bool,
) -> Result<()> {
    let (mut random, mut all) = (Shake128::new().finish(), Shake128::new());
    let (mut seed, mut coins) = (vec![0; kem.seed_len()], vec![0; kem.coins_len()]);
    let mut noise = vec![0; kem.info().ciphertext];
    for case in 0..cases {
        random.read(&mut seed);
        random.read(&mut coins);
        random.read(&mut noise);
        let (public, secret) = keypair(kem, &seed)?;
        let (ciphertext, shared) = encapsulate(kem, &coins, &public)?;
        let again = decapsulate(kem, &secret, &ciphertext)?;
        same(&format!("case {case}: the shared secret"), &again, &shared)?;
        let rejected = decapsulate(kem, &secret, &noise)?;
        all.absorb(&public);
        if with_secret_key {
            all.absorb(&secret);
        }
        for part in [&ciphertext, &shared, &rejected] {
            all.absorb(part);
        }
    }
    let mut found = [0; 32];
    all.finish().read(&mut found);
    ensure!(hex::encode(found) == digest, "the digest of {cases} cases differs");
    Ok(())
}
