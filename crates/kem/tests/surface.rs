//! The two layers as a user sees them: agreement of all ways, implicit rejection, refused inputs.
#![expect(clippy::unwrap_used, reason = "tests")]
use oaklath_hash::sha2::sha256;
use oaklath_hash::sha3::sha3_256;
use oaklath_kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, Error, Kem, Kyber90s512, Kyber90s768,
    Kyber90s1024, Kyber512, Kyber768, Kyber1024, MlKem512, MlKem768, MlKem1024, Set, all, by_name,
};
use oaklath_simd::Level;

fn each_level(check: impl Fn()) {
    for level in Level::available() {
        level.with(&check);
    }
}

/// Bytes that depend on all of `label`.
fn bytes<const N: usize>(label: &str, i: usize) -> [u8; N] {
    let mut out = [0; N];
    for (j, chunk) in out.chunks_mut(32).enumerate() {
        let digest = sha3_256(format!("{label} {i} {j}").as_bytes());
        chunk.copy_from_slice(&digest[..chunk.len()]);
    }
    out
}

fn all_ways_agree<P: Set>() {
    let kem = by_name(P::INFO.name).unwrap();
    for i in 0..20 {
        let (seed, m) = (bytes::<64>("seed", i), bytes::<32>("m", i));
        let (mut pk, mut sk) = (vec![0; P::INFO.public_key], vec![0; P::INFO.secret_key]);
        kem.keypair_from(&seed, &mut pk, &mut sk).unwrap();
        let key = DecapsulationKey::<P>::from_seed(&seed);
        assert_eq!(key.encapsulation_key().as_bytes(), pk);
        let mut written = vec![0; P::INFO.secret_key];
        key.write_bytes(&mut written);
        assert_eq!(written, sk);
        let parsed = DecapsulationKey::<P>::from_bytes(&sk).unwrap();
        let public = EncapsulationKey::<P>::from_bytes(&pk).unwrap();
        assert_eq!(parsed.encapsulation_key(), &public);

        let (mut ct, mut ss) = (vec![0; P::INFO.ciphertext], [0; 32]);
        kem.encapsulate_from(&m, &pk, &mut ct, &mut ss).unwrap();
        let (c, k) = public.encapsulate_from(&m);
        assert_eq!((c.as_bytes(), k.as_bytes()), (&ct[..], &ss));
        let (c, k) = public.expand().encapsulate_from(&m);
        assert_eq!((c.as_bytes(), k.as_bytes()), (&ct[..], &ss));

        // A wrong ciphertext gives one and the same other secret on every way.
        let mut wrong = ct.clone();
        wrong[37 * i % ct.len()] ^= 1 << (i % 8);
        let mut rejected = [0; 32];
        kem.decapsulate(&sk, &wrong, &mut rejected).unwrap();
        assert_ne!(rejected, ss);
        let expanded = DecapsulationKey::<P>::from_bytes(&sk).unwrap().expand();
        let prepared = kem.prepare(&sk).unwrap();
        for (ct, ss) in [(&ct, &ss), (&wrong, &rejected)] {
            let c = Ciphertext::from_bytes(ct).unwrap();
            assert_eq!(key.decapsulate(&c).as_bytes(), ss);
            assert_eq!(parsed.decapsulate(&c).as_bytes(), ss);
            assert_eq!(expanded.decapsulate(&c).as_bytes(), ss);
            let mut out = [0; 32];
            kem.decapsulate(&sk, ct, &mut out).unwrap();
            assert_eq!(&out, ss);
            prepared.decapsulate(ct, &mut out).unwrap();
            assert_eq!(&out, ss);
        }
    }
}

#[test]
fn all_ways_of_every_set_agree() {
    each_level(|| {
        all_ways_agree::<MlKem512>();
        all_ways_agree::<MlKem768>();
        all_ways_agree::<MlKem1024>();
        all_ways_agree::<Kyber512>();
        all_ways_agree::<Kyber768>();
        all_ways_agree::<Kyber1024>();
        all_ways_agree::<Kyber90s512>();
        all_ways_agree::<Kyber90s768>();
        all_ways_agree::<Kyber90s1024>();
    });
}

/// FIPS 203, appendix C: what is rejected depends on z.
#[test]
fn rejection_depends_on_z() {
    for kem in all() {
        let info = kem.info();
        let secret = |z: u8| {
            let mut seed = [5; 64];
            seed[32..].fill(z);
            let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
            kem.keypair_from(&seed, &mut pk, &mut sk).unwrap();
            let mut ss = [0; 32];
            kem.decapsulate(&sk, &vec![1; info.ciphertext], &mut ss).unwrap();
            ss
        };
        assert_ne!(secret(1), secret(2), "{}", info.name);
        assert_eq!(secret(1), secret(1), "{}", info.name);
    }
}

fn keys(kem: &dyn Kem) -> (Vec<u8>, Vec<u8>) {
    let (mut pk, mut sk) = (vec![0; kem.info().public_key], vec![0; kem.info().secret_key]);
    kem.keypair_from(&[9; 64], &mut pk, &mut sk).unwrap();
    (pk, sk)
}

#[test]
fn wrong_lengths_say_what_was_expected_and_found() {
    for kem in all() {
        let info = kem.info();
        let (pk, sk) = keys(*kem);
        let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
        for wrong in [0, 1, 31, info.public_key - 1, info.public_key + 1, 65535] {
            let expected = info.public_key;
            let error =
                kem.encapsulate_from(&[0; 32], &vec![0; wrong], &mut ct, &mut ss).unwrap_err();
            assert_eq!(error, Error::EncapsulationKeyLength { expected, found: wrong });
            let text = format!("encapsulation key of {wrong} bytes, expected {expected}");
            assert_eq!(error.to_string(), text);
        }
        for wrong in [0, info.secret_key - 1, info.secret_key + 1] {
            let error = kem.decapsulate(&vec![0; wrong], &ct, &mut ss).unwrap_err();
            let expected = info.secret_key;
            assert_eq!(error, Error::DecapsulationKeyLength { expected, found: wrong });
        }
        for wrong in 0..info.ciphertext + 2 {
            if wrong != info.ciphertext {
                let error = kem.decapsulate(&sk, &vec![0; wrong], &mut ss).unwrap_err();
                let expected = info.ciphertext;
                assert_eq!(error, Error::CiphertextLength { expected, found: wrong });
            }
        }
        let error = kem.encapsulate_from(&[0; 31], &pk, &mut ct, &mut ss).unwrap_err();
        assert_eq!(error, Error::CoinsLength { expected: 32, found: 31 });
        let error = kem.keypair_from(&[0; 65], &mut pk.clone(), &mut sk.clone()).unwrap_err();
        assert_eq!(error, Error::SeedLength { expected: 64, found: 65 });
    }
}

/// FIPS 203, 7.2: every coefficient, just too large and largest.
#[test]
fn non_canonical_keys_are_refused_at_every_position() {
    each_level(|| {
        for kem in all() {
            let info = kem.info();
            let (pk, _) = keys(*kem);
            for position in 0..(info.public_key - 32) / 3 * 2 {
                for value in [3329, 4095] {
                    let mut bad = pk.clone();
                    let bytes = &mut bad[position / 2 * 3..][..3];
                    if position % 2 == 0 {
                        bytes[0] = value as u8;
                        bytes[1] = bytes[1] & 0xf0 | (value >> 8) as u8;
                    } else {
                        bytes[1] = bytes[1] & 0x0f | (value << 4) as u8;
                        bytes[2] = (value >> 4) as u8;
                    }
                    let (mut ct, mut ss) = (vec![7; info.ciphertext], [7; 32]);
                    let error = kem.encapsulate_from(&[0; 32], &bad, &mut ct, &mut ss).unwrap_err();
                    assert_eq!(error, Error::EncapsulationKeyNotCanonical, "{position}");
                    assert!(ct.iter().chain(&ss).all(|b| *b == 0), "outputs are zero");
                }
            }
        }
    });
}

/// FIPS 203, 7.3: a changed encapsulation key or hash, by either way of decapsulation.
#[test]
fn damaged_decapsulation_keys_are_refused() {
    each_level(|| {
        for kem in all() {
            let info = kem.info();
            let (_, sk) = keys(*kem);
            let hashed = info.secret_key - 64 - info.public_key..info.secret_key - 32;
            for at in hashed.step_by(41) {
                let mut bad = sk.clone();
                bad[at] ^= 4;
                let (ct, mut ss) = (vec![0; info.ciphertext], [7; 32]);
                assert_eq!(kem.decapsulate(&bad, &ct, &mut ss), Err(Error::DecapsulationKeyHash));
                assert_eq!(ss, [0; 32]);
                assert_eq!(kem.prepare(&bad).unwrap_err(), Error::DecapsulationKeyHash);
            }
            // A key that is not canonical, with the right hash.
            let mut bad = sk.clone();
            let ek = info.secret_key - 64 - info.public_key;
            bad[ek..ek + 3].fill(0xff);
            let public = &bad[ek..ek + info.public_key];
            let hash = if info.name.ends_with("90s") { sha256(public) } else { sha3_256(public) };
            bad[info.secret_key - 64..info.secret_key - 32].copy_from_slice(&hash);
            let (ct, mut ss) = (vec![0; info.ciphertext], [7; 32]);
            let error = kem.decapsulate(&bad, &ct, &mut ss).unwrap_err();
            assert_eq!(error, Error::EncapsulationKeyNotCanonical);
            assert_eq!(kem.prepare(&bad).unwrap_err(), Error::EncapsulationKeyNotCanonical);
        }
    });
}

#[test]
fn names() {
    for (name, row) in [
        ("ML-KEM-768", "ML-KEM-768"),
        ("mlkem768", "ML-KEM-768"),
        ("2.16.840.1.101.3.4.4.1", "ML-KEM-512"),
        ("KYBER_LEVEL5", "Kyber1024"),
        ("kyber512", "Kyber512"),
    ] {
        assert_eq!(by_name(name).unwrap().info().name, row);
    }
    let error = by_name("ML-KEM-786").unwrap_err();
    assert_eq!(error.to_string(), "unknown name of a KEM, expected perhaps ML-KEM-768");
    let error = by_name("NTRU_HPS_LEVEL1").unwrap_err();
    assert_eq!(error.to_string(), "NTRU-HPS-2048-509 is not implemented yet");
    assert_eq!(by_name("rot13").unwrap_err().to_string(), "unknown name of a KEM");
}

#[test]
fn nothing_secret_is_printed() {
    let key = DecapsulationKey::<MlKem512>::from_seed(&[0xab; 64]);
    let (ciphertext, secret) = key.encapsulation_key().encapsulate_from(&[1; 32]);
    assert_eq!(format!("{key:?}"), "DecapsulationKey(\"ML-KEM-512\", ..)");
    assert_eq!(format!("{secret:?}"), "SharedSecret(\"ML-KEM-512\", ..)");
    assert_eq!(format!("{ciphertext:?}"), "Ciphertext(\"ML-KEM-512\", ..)");
}

#[test]
fn generated_keys_differ() {
    let (a, b) = (DecapsulationKey::<MlKem512>::generate(), DecapsulationKey::generate());
    assert_ne!(a.encapsulation_key(), b.encapsulation_key());
    let (c, k) = a.encapsulation_key().encapsulate();
    let (d, l) = a.encapsulation_key().encapsulate();
    assert!(c != d && k != l);
    assert_eq!(a.decapsulate(&c), k);
    assert_ne!(b.decapsulate(&c), k);
}
