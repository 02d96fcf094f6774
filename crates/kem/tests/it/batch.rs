//! Many operations at once have the results of single operations, at every SIMD level.
use oaklath_hash::sha3::Shake256;
use oaklath_kem::{
    DecapsulationItem, DecapsulationKey, EncapsulationItem, EncapsulationKey, Error, KeyPairItem,
    Kyber90s512, Kyber768, MlKem512, MlKem768, MlKem1024, NtruHps2048509, Saber, Set, all,
    batch_of, by_name,
};
use oaklath_simd::Level;

const SIZES: [usize; 8] = [0, 1, 2, 3, 7, 8, 9, 64];

/// Returns `count` byte strings that depend on the label.
fn strings(label: &str, count: usize, len: usize) -> Vec<Vec<u8>> {
    let mut stream = Shake256::new().chain(label.as_bytes()).finish();
    let mut string = || {
        let mut bytes = vec![0; len];
        stream.read(&mut bytes);
        bytes
    };
    (0..count).map(|_| string()).collect()
}

#[test]
fn bytes_are_those_of_single_operations() {
    for kem in all() {
        let (info, batch) = (kem.info(), batch_of(*kem).unwrap());
        let seeds = strings("seeds", 64, kem.seed_len());
        let coins = strings("coins", 64, kem.coins_len());
        let mut single: Vec<_> = Vec::new();
        for (i, (seed, coins)) in seeds.iter().zip(&coins).enumerate() {
            let (mut ek, mut dk) = (vec![0; info.public_key], vec![0; info.secret_key]);
            let (mut c, mut shared) = (vec![0; info.ciphertext], [0; 32]);
            kem.keypair_from(seed, &mut ek, &mut dk).unwrap();
            kem.encapsulate_from(coins, &ek, &mut c, &mut shared).unwrap();
            // Some ciphertexts are rejected.
            c[40] ^= u8::from(i % 5 == 3);
            let mut opened = [0; 32];
            kem.decapsulate(&dk, &c, &mut opened).unwrap();
            single.push((ek, dk, c, shared, opened));
        }
        for (level, count) in Level::available().flat_map(|l| SIZES.map(|count| (l, count))) {
            let mut results = vec![Err(Error::Fault); count];
            let mut keys = vec![(vec![1; info.public_key], vec![1; info.secret_key]); count];
            let items = keys.iter_mut().zip(&seeds);
            let mut items: Vec<_> =
                items.map(|((ek, dk), seed)| KeyPairItem { seed, ek, dk }).collect();
            level.with(|| batch.generate_many(&mut items, &mut results));
            assert_eq!(results, vec![Ok(()); count]);
            for (key, wanted) in keys.iter().zip(&single) {
                assert!((&key.0, &key.1) == (&wanted.0, &wanted.1), "{} {level}", info.name);
            }

            let mut sent = vec![(vec![1; info.ciphertext], [1; 32]); count];
            let items = sent.iter_mut().zip(single.iter().zip(&coins));
            let mut items: Vec<_> = items
                .map(|((c, shared), (key, coins))| EncapsulationItem {
                    key: &key.0[..],
                    coins,
                    c,
                    shared,
                })
                .collect();
            level.with(|| batch.encapsulate_many(&mut items, &mut results));
            assert_eq!(results, vec![Ok(()); count]);
            for (i, (sent, wanted)) in sent.iter_mut().zip(&single).enumerate() {
                sent.0[40] ^= u8::from(i % 5 == 3);
                assert!((&sent.0, &sent.1) == (&wanted.2, &wanted.3), "{} {level}", info.name);
            }

            let mut opened = vec![[1; 32]; count];
            let items = opened.iter_mut().zip(&single);
            let mut items: Vec<_> = items
                .map(|(shared, item)| DecapsulationItem { key: &item.1[..], c: &item.2, shared })
                .collect();
            level.with(|| batch.decapsulate_many(&mut items, &mut results));
            assert_eq!(results, vec![Ok(()); count]);
            assert!(opened.iter().zip(&single).all(|(opened, wanted)| *opened == wanted.4));
        }
    }
}

/// The keys of all items are the same slice.
#[test]
fn one_key_for_all() {
    for kem in all() {
        let (info, batch) = (kem.info(), batch_of(*kem).unwrap());
        let (mut ek, mut dk) = (vec![0; info.public_key], vec![0; info.secret_key]);
        kem.keypair_from(&strings("seed", 1, kem.seed_len())[0], &mut ek, &mut dk).unwrap();
        let coins = strings("coins", 7, kem.coins_len());
        let mut sent = vec![(vec![1; info.ciphertext], [1; 32]); 7];
        let mut results = [Err(Error::Fault); 7];
        let mut items: Vec<_> = sent
            .iter_mut()
            .zip(&coins)
            .map(|((c, shared), coins)| EncapsulationItem { key: &ek[..], coins, c, shared })
            .collect();
        batch.encapsulate_many(&mut items, &mut results);
        assert_eq!(results, [Ok(()); 7]);
        for (sent, coins) in sent.iter().zip(&coins) {
            let (mut c, mut shared) = (vec![0; info.ciphertext], [0; 32]);
            kem.encapsulate_from(coins, &ek, &mut c, &mut shared).unwrap();
            assert!(*sent == (c, shared), "{}", info.name);
        }
        let mut opened = [[1; 32]; 7];
        let mut items: Vec<_> = opened
            .iter_mut()
            .zip(&sent)
            .map(|(shared, (c, _))| DecapsulationItem { key: &dk[..], c, shared })
            .collect();
        batch.decapsulate_many(&mut items, &mut results);
        assert_eq!(results, [Ok(()); 7]);
        assert!(opened.iter().zip(&sent).all(|(opened, sent)| *opened == sent.1));
    }
}

/// A wrong item gets its own error and zeros; the items beside it are not affected.
#[test]
fn errors_belong_to_items() {
    let kem = by_name("ML-KEM-768").unwrap();
    let (info, batch) = (kem.info(), batch_of(kem).unwrap());
    let mut pairs = vec![(vec![0; info.public_key], vec![0; info.secret_key]); 6];
    for ((ek, dk), seed) in pairs.iter_mut().zip(strings("seeds", 6, 64)) {
        kem.keypair_from(&seed, ek, dk).unwrap();
    }
    let coins = strings("coins", 6, 32);
    let mut eks: Vec<_> = pairs.iter().map(|pair| pair.0.clone()).collect();
    eks[1][..2].fill(0xff);
    eks[2] = vec![0; 800];
    let mut sent = vec![(vec![1; info.ciphertext], [1; 32]); 6];
    let mut results = [Err(Error::Fault); 6];
    let items = sent.iter_mut().zip(eks.iter().zip(&coins));
    let mut items: Vec<_> = items
        .map(|((c, shared), (key, coins))| EncapsulationItem { key: &key[..], coins, c, shared })
        .collect();
    batch.encapsulate_many(&mut items, &mut results);
    for (i, (result, sent)) in results.iter().zip(&sent).enumerate() {
        let (mut c, mut shared) = (vec![1; info.ciphertext], [1; 32]);
        let wanted = kem.encapsulate_from(&coins[i], &eks[i], &mut c, &mut shared);
        assert_eq!(*result, wanted, "{i}");
        assert_eq!(result.is_ok(), i != 1 && i != 2);
        assert!(*sent == (c, shared), "{i}");
    }
    let mut dks: Vec<_> = pairs.iter().map(|pair| pair.1.clone()).collect();
    dks[0][info.secret_key - 40] ^= 1;
    let mut cs: Vec<_> = sent.iter().map(|sent| sent.0.clone()).collect();
    cs[5].pop();
    let mut opened = [[1; 32]; 6];
    let items = opened.iter_mut().zip(dks.iter().zip(&cs));
    let mut items: Vec<_> =
        items.map(|(shared, (key, c))| DecapsulationItem { key: &key[..], c, shared }).collect();
    batch.decapsulate_many(&mut items, &mut results);
    for (i, (result, opened)) in results.iter().zip(&opened).enumerate() {
        let mut shared = [1; 32];
        assert_eq!(*result, kem.decapsulate(&dks[i], &cs[i], &mut shared), "{i}");
        assert_eq!(result.is_ok(), i != 0 && i != 5);
        assert_eq!(*opened, shared, "{i}");
    }
}

/// Two keys that are kept ready are those of single generations.
#[test]
fn two_ready_keys() {
    for kem in all() {
        let (info, batch) = (kem.info(), batch_of(*kem).unwrap());
        let seeds = strings("seeds", 2, kem.seed_len());
        let seeds = [&seeds[0][..], &seeds[1]];
        for level in Level::available() {
            let mut eks = [(); 2].map(|()| vec![1; info.public_key]);
            let places = eks.each_mut().map(|ek| &mut ek[..]);
            let keys = level.with(|| batch.generate_two_from(seeds, places)).unwrap();
            for ((key, ek), seed) in keys.iter().zip(&eks).zip(seeds) {
                let mut wanted = vec![0; info.public_key];
                kem.generate_from(seed, &mut wanted).unwrap();
                assert!(*ek == wanted, "{} {level}", info.name);
                let (mut c, mut shared) = (vec![0; info.ciphertext], [[0; 32]; 2]);
                let coins = &strings("coins", 1, kem.coins_len())[0];
                kem.encapsulate_from(coins, ek, &mut c, &mut shared[0]).unwrap();
                key.decapsulate(&c, &mut shared[1]).unwrap();
                assert_eq!(shared[0], shared[1]);
            }
        }
        let mut eks = [(); 2].map(|()| vec![1; info.public_key]);
        let places = eks.each_mut().map(|ek| &mut ek[..]);
        let error = batch.generate_two_from([seeds[0], &seeds[1][1..]], places).unwrap_err();
        assert!(matches!(error, Error::SeedLength { .. }));
        assert!(eks.iter().flatten().all(|byte| *byte == 0));
    }
}

#[test]
#[should_panic(expected = "a result for each item")]
fn each_item_has_a_result() {
    let batch = batch_of(by_name("ML-KEM-768").unwrap()).unwrap();
    batch.generate_many(&mut [], &mut [Ok(())]);
}

fn typed_keys<P: Set>() {
    let kem = by_name(P::INFO.name).unwrap();
    let of_seed = |bytes: &Vec<u8>| P::Seed::try_from(&bytes[..]).unwrap();
    let of_coins = |bytes: &Vec<u8>| P::Coins::try_from(&bytes[..]).unwrap();
    for (level, count) in Level::available().flat_map(|l| [0, 1, 2, 5].map(|count| (l, count))) {
        level.with(|| {
            let seeds: Vec<_> = strings("s", count, kem.seed_len()).iter().map(of_seed).collect();
            let coins: Vec<_> = strings("m", count, kem.coins_len()).iter().map(of_coins).collect();
            let mut keys: Vec<_> = (0..count).map(|_| None).collect();
            DecapsulationKey::<P>::from_seeds(&seeds, &mut keys);
            let keys: Vec<_> = keys.into_iter().flatten().collect();
            let eks: Vec<_> = keys.iter().map(DecapsulationKey::encapsulation_key).collect();
            let mut sent: Vec<_> = (0..count).map(|_| None).collect();
            EncapsulationKey::encapsulate_many_from(&eks, &coins, &mut sent);
            let sent: Vec<_> = sent.into_iter().flatten().collect();
            assert_eq!((keys.len(), sent.len()), (count, count));
            let mut opened: Vec<_> = (0..count).map(|_| None).collect();
            let pairs: Vec<_> = keys.iter().zip(sent.iter().map(|sent| &sent.0)).collect();
            DecapsulationKey::decapsulate_many(&pairs, &mut opened);
            for (i, (key, sent)) in keys.iter().zip(&sent).enumerate() {
                let one = DecapsulationKey::<P>::from_seed(&seeds[i]);
                assert_eq!(one.encapsulation_key(), key.encapsulation_key());
                assert_eq!(one.encapsulation_key().encapsulate_from(&coins[i]), *sent);
                assert_eq!(one.decapsulate(&sent.0), sent.1);
                assert_eq!(opened[i].as_ref(), Some(&sent.1));
            }
        });
    }
    // One expanded key for all items, with random bytes of the system.
    let mut keys: [Option<DecapsulationKey<P>>; 3] = [const { None }; 3];
    DecapsulationKey::generate_many(&mut keys);
    let [Some(a), Some(b), Some(c)] = keys else { panic!("every place is filled") };
    assert!(a.encapsulation_key() != b.encapsulation_key());
    assert!(b.encapsulation_key() != c.encapsulation_key());
    let (mut sent, mut opened) = ([const { None }; 3], [const { None }; 3]);
    a.encapsulation_key().expand().encapsulate_many(&mut sent);
    let sent = sent.map(Option::unwrap);
    assert!(sent[0] != sent[1] && sent[1] != sent[2]);
    a.expand().decapsulate_many(&sent.each_ref().map(|sent| &sent.0), &mut opened);
    assert!(opened.iter().flatten().eq(sent.iter().map(|sent| &sent.1)));
    EncapsulationKey::encapsulate_many(&[b.encapsulation_key(); 3], &mut opened.map(|_| None));
}

#[test]
fn typed_keys_agree() {
    typed_keys::<MlKem512>();
    typed_keys::<MlKem768>();
    typed_keys::<MlKem1024>();
    typed_keys::<Kyber768>();
    typed_keys::<Kyber90s512>();
    typed_keys::<NtruHps2048509>();
    typed_keys::<Saber>();
}
