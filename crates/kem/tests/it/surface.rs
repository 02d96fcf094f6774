//! Tests of the two public layers: their agreement, implicit rejection, rejected inputs.
use oaklath_hash::sha2::sha256;
use oaklath_hash::sha3::sha3_256;
use oaklath_kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, Error, FireSaber, Kem, Kyber90s512,
    Kyber90s768, Kyber90s1024, Kyber512, Kyber768, Kyber1024, Length, LightSaber, MlKem512,
    MlKem768, MlKem1024, NtruHps2048509, NtruHps2048677, NtruHps4096821, NtruHrss701, Saber, Set,
    UnknownName, all, by_name,
};
use oaklath_params::kem;
use oaklath_simd::Level;

fn each_level(check: impl Fn()) {
    for level in Level::available() {
        level.with(&check);
    }
}

/// Returns `len` bytes that depend on all of `label` and on `i`.
fn bytes(label: &str, i: usize, len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    for (j, chunk) in out.chunks_mut(32).enumerate() {
        let digest = sha3_256(format!("{label} {i} {j}").as_bytes());
        chunk.copy_from_slice(&digest[..chunk.len()]);
    }
    out
}

/// Calls a generic function with each parameter set.
macro_rules! each_set {
    ($f:ident) => {
        $f::<MlKem512>();
        $f::<MlKem768>();
        $f::<MlKem1024>();
        $f::<Kyber512>();
        $f::<Kyber768>();
        $f::<Kyber1024>();
        $f::<Kyber90s512>();
        $f::<Kyber90s768>();
        $f::<Kyber90s1024>();
        $f::<NtruHps2048509>();
        $f::<NtruHps2048677>();
        $f::<NtruHps4096821>();
        $f::<NtruHrss701>();
        $f::<LightSaber>();
        $f::<Saber>();
        $f::<FireSaber>();
    };
}

fn all_ways_agree<P: Set>() {
    let kem = by_name(P::INFO.name).unwrap();
    for i in 0..20 {
        let (seed, m) = (bytes("seed", i, kem.seed_len()), bytes("m", i, kem.coins_len()));
        let typed_seed = P::Seed::try_from(&seed[..]).unwrap();
        let typed_m = P::Coins::try_from(&m[..]).unwrap();
        let (mut pk, mut sk) = (vec![0; P::INFO.public_key], vec![0; P::INFO.secret_key]);
        kem.keypair_from(&seed, &mut pk, &mut sk).unwrap();
        let key = DecapsulationKey::<P>::from_seed(&typed_seed);
        assert_eq!(key.encapsulation_key().as_bytes(), pk);
        let mut written = vec![0; P::INFO.secret_key];
        key.write_bytes(&mut written);
        assert_eq!(written, sk);
        let parsed = DecapsulationKey::<P>::from_bytes(&sk).unwrap();
        let public = EncapsulationKey::<P>::from_bytes(&pk).unwrap();
        assert_eq!(parsed.encapsulation_key(), &public);

        let (mut ct, mut ss) = (vec![0; P::INFO.ciphertext], [0; 32]);
        kem.encapsulate_from(&m, &pk, &mut ct, &mut ss).unwrap();
        let (c, k) = public.encapsulate_from(&typed_m);
        assert_eq!((c.as_bytes(), k.as_bytes()), (&ct[..], &ss));
        let (c, k) = public.expand().encapsulate_from(&typed_m);
        assert_eq!((c.as_bytes(), k.as_bytes()), (&ct[..], &ss));

        // All functions derive the same different secret from a wrong ciphertext.
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
        each_set!(all_ways_agree);
    });
}

/// FIPS 203, appendix C: the secret after a rejection depends on z, the last part of every seed.
#[test]
fn rejection_depends_on_z() {
    for kem in all() {
        let info = kem.info();
        let secret = |z: u8| {
            let mut seed = vec![5; kem.seed_len()];
            let at = seed.len() - 32;
            seed[at..].fill(z);
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

/// A change of any byte of a ciphertext changes the secret: the whole ciphertext is compared.
#[test]
fn every_byte_of_a_ciphertext_counts() {
    each_level(|| {
        for kem in all() {
            let info = kem.info();
            let (pk, sk) = keys(*kem);
            let key = kem.prepare(&sk).unwrap();
            let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
            kem.encapsulate_from(&vec![9; kem.coins_len()], &pk, &mut ct, &mut ss).unwrap();
            for at in 0..info.ciphertext {
                ct[at] ^= 1 << (at % 8);
                let mut rejected = [0; 32];
                key.decapsulate(&ct, &mut rejected).unwrap();
                assert_ne!(rejected, ss, "{} {at}", info.name);
                ct[at] ^= 1 << (at % 8);
            }
        }
    });
}

fn keys(kem: &dyn Kem) -> (Vec<u8>, Vec<u8>) {
    let (mut pk, mut sk) = (vec![0; kem.info().public_key], vec![0; kem.info().secret_key]);
    let seed = bytes("keys", 0, kem.seed_len());
    kem.keypair_from(&seed, &mut pk, &mut sk).unwrap();
    (pk, sk)
}

#[test]
fn wrong_lengths_say_what_was_expected_and_found() {
    for kem in all() {
        let info = kem.info();
        let (pk, sk) = keys(*kem);
        let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
        let (seed_len, coins) = (kem.seed_len(), vec![0; kem.coins_len()]);
        for wrong in [0, 1, 31, info.public_key - 1, info.public_key + 1, 65535] {
            let expected = info.public_key;
            let error =
                kem.encapsulate_from(&coins, &vec![0; wrong], &mut ct, &mut ss).unwrap_err();
            assert_eq!(error, Error::EncapsulationKeyLength(Length { expected, found: wrong }));
            let text = format!("encapsulation key of {wrong} bytes, expected {expected}");
            assert_eq!(error.to_string(), text);
        }
        for wrong in [0, info.secret_key - 1, info.secret_key + 1] {
            let error = kem.decapsulate(&vec![0; wrong], &ct, &mut ss).unwrap_err();
            let expected = info.secret_key;
            assert_eq!(error, Error::DecapsulationKeyLength(Length { expected, found: wrong }));
        }
        for wrong in 0..info.ciphertext + 2 {
            if wrong != info.ciphertext {
                let error = kem.decapsulate(&sk, &vec![0; wrong], &mut ss).unwrap_err();
                let expected = info.ciphertext;
                assert_eq!(error, Error::CiphertextLength(Length { expected, found: wrong }));
            }
        }
        let error = kem.encapsulate_from(&coins[1..], &pk, &mut ct, &mut ss).unwrap_err();
        let expected = coins.len();
        assert_eq!(error, Error::CoinsLength(Length { expected, found: expected - 1 }));
        let seed = vec![0; seed_len + 1];
        let error = kem.keypair_from(&seed, &mut pk.clone(), &mut sk.clone()).unwrap_err();
        assert_eq!(error, Error::SeedLength(Length { expected: seed_len, found: seed_len + 1 }));
    }
}

/// Returns the KEMs over module lattices modulo 3329.
fn modules() -> impl Iterator<Item = &'static &'static dyn Kem> {
    all().iter().filter(|kem| {
        let name = kem.info().name;
        name.starts_with("ML-KEM") || name.starts_with("Kyber")
    })
}

/// FIPS 203, 7.2: sets every coefficient to q and to the largest value that its bits can hold.
#[test]
fn non_canonical_keys_are_rejected_at_every_position() {
    each_level(|| {
        for kem in modules() {
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

/// Checks that both functions for decapsulation reject a decapsulation key whose encapsulation key
/// or its hash has changed.
fn rejects_damage(kem: &dyn Kem, sk: &[u8]) {
    let info = kem.info();
    let hashed = info.secret_key - 64 - info.public_key..info.secret_key - 32;
    for at in hashed.step_by(41) {
        let mut bad = sk.to_vec();
        bad[at] ^= 4;
        let (ct, mut ss) = (vec![0; info.ciphertext], [7; 32]);
        assert_eq!(kem.decapsulate(&bad, &ct, &mut ss), Err(Error::DecapsulationKeyHash));
        assert_eq!(ss, [0; 32]);
        assert_eq!(kem.prepare(&bad).unwrap_err(), Error::DecapsulationKeyHash);
    }
}

/// FIPS 203, 7.3: a changed encapsulation key or hash, and an encapsulation key out of range.
#[test]
fn damaged_decapsulation_keys_are_rejected() {
    each_level(|| {
        for kem in modules() {
            let info = kem.info();
            let (_, sk) = keys(*kem);
            rejects_damage(*kem, &sk);
            // An encapsulation key that is not canonical, with the right hash.
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

/// SABER's decapsulation keys hold the hash of their encapsulation keys; only this crate checks it.
#[test]
fn damaged_keys_of_saber_are_rejected() {
    each_level(|| {
        for kem in all().iter().filter(|kem| kem.info().name.ends_with("Saber-KEM")) {
            rejects_damage(*kem, &keys(*kem).1);
        }
    });
}

fn ntrus() -> impl Iterator<Item = &'static &'static dyn Kem> {
    all().iter().filter(|kem| kem.info().name.starts_with("NTRU"))
}

/// NTRU round 3, section 1.12.3: a bit set after the last coefficient of a ciphertext makes it
/// invalid. In an encapsulation key such bits are ignored.
#[test]
fn unused_bits_of_ntru() {
    each_level(|| {
        for kem in ntrus() {
            let info = kem.info();
            let (pk, sk) = keys(*kem);
            let coins = bytes("coins", 0, kem.coins_len());
            let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
            kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss).unwrap();
            // 4 bits, except in NTRU-HPS-4096-821, whose 820 x 12 bits fill whole bytes.
            let unused = if info.name == "NTRU-HPS-4096-821" { 0 } else { 4 };
            for bit in 0..unused {
                let mut wrong = ct.clone();
                *wrong.last_mut().unwrap() |= 0x80 >> bit;
                let mut rejected = [0; 32];
                kem.decapsulate(&sk, &wrong, &mut rejected).unwrap();
                let want = sha3_256(&[&sk[sk.len() - 32..], &wrong].concat());
                assert_eq!(rejected, want, "{} {bit}", info.name);

                let mut same = pk.clone();
                *same.last_mut().unwrap() |= 0x80 >> bit;
                let (mut ct_2, mut ss_2) = (vec![0; info.ciphertext], [0; 32]);
                kem.encapsulate_from(&coins, &same, &mut ct_2, &mut ss_2).unwrap();
                assert!(ct_2 == ct && ss_2 == ss, "{} {bit}", info.name);
            }
        }
    });
}

/// Every bit of a ciphertext counts, and the secret after a rejection is the hash of the key's last
/// part and the ciphertext.
#[test]
fn changed_ciphertexts_of_ntru_are_rejected() {
    each_level(|| {
        for kem in ntrus() {
            let info = kem.info();
            let (pk, sk) = keys(*kem);
            let (mut ct, mut ss) = (vec![0; info.ciphertext], [0; 32]);
            let coins = bytes("coins", 1, kem.coins_len());
            kem.encapsulate_from(&coins, &pk, &mut ct, &mut ss).unwrap();
            for at in (0..info.ciphertext).step_by(13) {
                let mut wrong = ct.clone();
                wrong[at] ^= 1 << (at % 8);
                let mut rejected = [0; 32];
                kem.decapsulate(&sk, &wrong, &mut rejected).unwrap();
                let want = sha3_256(&[&sk[sk.len() - 32..], &wrong].concat());
                assert_eq!(rejected, want, "{} {at}", info.name);
            }
        }
    });
}

/// An NTRU key does not hold its encapsulation key; a key from which it cannot be had is rejected.
#[test]
fn keys_of_ntru_without_an_encapsulation_key_are_rejected() {
    each_level(|| {
        for kem in ntrus() {
            let (_, mut sk) = keys(*kem);
            assert!(kem.prepare(&sk).is_ok());
            // Even coefficients have no inverse modulo a power of two.
            let end = sk.len() - 32;
            sk[end - kem.info().public_key..end].fill(0);
            let error = kem.prepare(&sk).unwrap_err();
            assert_eq!(error, Error::DecapsulationKeyNotInvertible, "{}", kem.info().name);
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
        ("NTRU_HPS_LEVEL1", "NTRU-HPS-2048-509"),
        ("saber", "Saber-KEM"),
    ] {
        assert_eq!(by_name(name).unwrap().info().name, row);
    }
    let error = by_name("ML-KEM-786").unwrap_err();
    assert_eq!(error.to_string(), "expected the name of a KEM; is it `ML-KEM-768`?");
    assert_eq!(by_name("rot13").unwrap_err().to_string(), "expected the name of a KEM");
}

/// The error for a name says whether it is unknown or needs a feature that this build lacks.
#[test]
fn unknown_names_say_what_they_may_be() {
    let known = |known| UnknownName { known: Some(known), suggestion: None }.to_string();
    for (info, feature) in [
        (&kem::ML_KEM_512, "ml-kem"),
        (&kem::KYBER512, "kyber"),
        (&kem::KYBER512_90S, "kyber-90s"),
        (&kem::NTRU_HRSS_701, "ntru"),
        (&kem::SABER, "saber"),
    ] {
        let needs = format!("is not in this build: it needs the feature `{feature}`");
        assert_eq!(known(info), format!("{} {needs}", info.name));
    }
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let length = Length { expected: 64, found: 63 };
    let encapsulation_key = Error::EncapsulationKeyLength(length);
    for (error, text) in [
        (Error::SeedLength(length), "seed of 63 bytes, expected 64"),
        (Error::CoinsLength(length), "coins of 63 bytes, expected 64"),
        (encapsulation_key, "encapsulation key of 63 bytes, expected 64"),
        (
            Error::EncapsulationKeyNotCanonical,
            "encapsulation key with a coefficient above 3328, expected at most 3328",
        ),
        (Error::DecapsulationKeyLength(length), "decapsulation key of 63 bytes, expected 64"),
        (
            Error::DecapsulationKeyHash,
            "decapsulation key whose hash is not that of its encapsulation key, expected SHA3-256",
        ),
        (
            Error::DecapsulationKeyNotInvertible,
            "decapsulation key whose last polynomial has no inverse, expected that of an NTRU key",
        ),
        (Error::CiphertextLength(length), "ciphertext of 63 bytes, expected 64"),
        (Error::Fault, "key pair that was just made does not work"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

/// Checks that damaged typed keys and ciphertexts give the errors of the object layer.
fn typed_rejections<P: Set>() {
    let (pk, sk) = keys(by_name(P::INFO.name).unwrap());
    let of = |expected, found| Length { expected, found };
    let length = of(P::INFO.public_key, P::INFO.public_key - 1);
    let error = EncapsulationKey::<P>::from_bytes(&pk[1..]).unwrap_err();
    assert_eq!(error, Error::EncapsulationKeyLength(length));
    let length = of(P::INFO.secret_key, P::INFO.secret_key - 1);
    let error = DecapsulationKey::<P>::from_bytes(&sk[1..]).unwrap_err();
    assert_eq!(error, Error::DecapsulationKeyLength(length));
    let length = of(P::INFO.ciphertext, P::INFO.ciphertext + 1);
    let error = Ciphertext::<P>::from_bytes(&vec![0; length.found]).unwrap_err();
    assert_eq!(error, Error::CiphertextLength(length));
}

#[test]
fn typed_inputs_of_wrong_lengths_are_rejected() {
    each_set!(typed_rejections);
}

/// A random generator whose output is known.
struct Known(&'static str);

impl rand_core::TryRng for Known {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("keys and coins are filled")
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        unreachable!("keys and coins are filled")
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
        out.copy_from_slice(&bytes(self.0, 0, out.len()));
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Known {}

/// Checks that seed and coins are the bytes of the generator, unchanged, and that copies of public
/// values equal them.
fn bytes_of_a_generator<P: Set>() {
    let kem = by_name(P::INFO.name).unwrap();
    let seed = P::Seed::try_from(&bytes("seed", 0, kem.seed_len())[..]).unwrap();
    let coins = P::Coins::try_from(&bytes("coins", 0, kem.coins_len())[..]).unwrap();
    let key = DecapsulationKey::<P>::generate_with(&mut Known("seed"));
    let public = key.encapsulation_key();
    assert_eq!(public, DecapsulationKey::<P>::from_seed(&seed).encapsulation_key());
    let encapsulated = public.encapsulate_with(&mut Known("coins"));
    assert_eq!(encapsulated, public.encapsulate_from(&coins));

    let expanded = public.expand().clone();
    assert_eq!(expanded.encapsulation_key(), &public.clone());
    assert_eq!(expanded.encapsulate_from(&coins).0, encapsulated.0.clone());
    let (c, k) = expanded.encapsulate();
    let key = key.expand();
    assert_eq!(key.decapsulate(&c), k);
    assert_eq!(key.decapsulation_key().encapsulation_key(), expanded.encapsulation_key());
}

#[test]
fn generators_give_seeds_and_coins() {
    each_set!(bytes_of_a_generator);
}

#[test]
fn nothing_secret_is_printed() {
    let key = DecapsulationKey::<MlKem512>::from_seed(&[0xab; 64]);
    let (ciphertext, secret) = key.encapsulation_key().encapsulate_from(&[1; 32]);
    assert_eq!(format!("{key:?}"), "DecapsulationKey(\"ML-KEM-512\", ..)");
    assert_eq!(format!("{secret:?}"), "SharedSecret(\"ML-KEM-512\", ..)");
    assert_eq!(format!("{ciphertext:?}"), "Ciphertext(\"ML-KEM-512\", ..)");
    let public = key.encapsulation_key();
    assert_eq!(format!("{public:?}"), "EncapsulationKey(\"ML-KEM-512\", ..)");
    let expanded = public.expand();
    assert_eq!(format!("{expanded:?}"), "ExpandedEncapsulationKey(\"ML-KEM-512\", ..)");
    assert_eq!(format!("{:?}", key.expand()), "ExpandedDecapsulationKey(\"ML-KEM-512\", ..)");
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
