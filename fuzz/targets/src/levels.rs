//! The same computation at every SIMD level. Scripts begin with the number of a parameter set, a
//! seed of eight bytes, and what is changed.

use std::fmt::Debug;
use std::sync::OnceLock;

use oaklath_kem::{DecapsulationItem, EncapsulationItem, KeyPairItem, batch_of};
use oaklath_params::stateful::lms::{self, LMOTS_TYPES, LMS_TYPES};
use oaklath_params::stateful::xmss;
use oaklath_sig::{Message, Signature};
use oaklath_simd::Level;

use crate::Seed;
use crate::kems::Pair;
use crate::script::{self, Script};
use crate::sigs::{self, MESSAGE, honest, is_hash_tree, schemes, sign_with};
use crate::stateful::{self, Honest, Set};

/// What says that a hash tree is to make a key and a signature, which takes a hundred times as long
/// as the verification that every other byte stands for.
pub(crate) const SIGNS: u8 = 253;

/// What `compute` gives at all levels of this CPU.
fn agreed<T: PartialEq + Debug>(compute: impl Fn() -> T) -> T {
    let mut levels = Level::available();
    let first = levels.next().expect("the scalar level");
    let expected = first.with(&compute);
    for level in levels {
        assert_eq!(level.with(&compute), expected, "{level}");
    }
    expected
}

/// Key generation, encapsulation with a changed key, decapsulation of a changed ciphertext.
pub(crate) fn kem(data: &[u8]) {
    let mut script = Script::new(data);
    let kem = script.one_of(oaklath_kem::all());
    let seed = script.long_seed(kem.seed_len() + kem.coins_len());
    let (seed, coins) = seed.split_at(kem.seed_len());
    let (public, secret) = agreed(|| {
        let pair = Pair::new(kem, seed);
        (pair.public, pair.secret)
    });
    let pair = Pair { kem, public, secret };
    let what = script.byte() % 3;
    let changed = |is_it, honest: &Vec<u8>| match is_it {
        true => script.changed(honest.clone()),
        false => honest.clone(),
    };
    let given = changed(what == 0, &pair.public);
    let Some((ciphertext, _)) = agreed(|| pair.encapsulate_with(coins, &given)) else { return };
    let ciphertext = changed(what == 1, &ciphertext);
    let secret = changed(what == 2, &pair.secret);
    let shared = agreed(|| pair.decapsulate(&secret, &ciphertext));
    let count = usize::from(script.byte() % 12);
    agreed(|| batch(&pair, (seed, coins), count));
    let opened = agreed(|| open_many(&pair, &secret, &ciphertext, count));
    assert!(opened.iter().all(|opened| *opened == shared), "{}", kem.info().name);
}

/// Keys and ciphertexts made many at a time are those of single operations.
fn batch(pair: &Pair, (seed, coins): (&[u8], &[u8]), count: usize) {
    let (info, batch) = (pair.kem.info(), batch_of(pair.kem).expect("a KEM of the crate"));
    let mut results = vec![Ok(()); count];
    let mut keys = vec![(vec![0; info.public_key], vec![0; info.secret_key]); count];
    let items = keys.iter_mut().map(|(ek, dk)| KeyPairItem { seed, ek, dk });
    batch.generate_many(&mut items.collect::<Vec<_>>(), &mut results);
    assert!(keys.iter().all(|key| (&key.0, &key.1) == (&pair.public, &pair.secret)));
    let mut sent = vec![(vec![0; info.ciphertext], [0; 32]); count];
    let items = sent.iter_mut().zip(&keys);
    let items =
        items.map(|((c, shared), (key, _))| EncapsulationItem { key: &key[..], coins, c, shared });
    batch.encapsulate_many(&mut items.collect::<Vec<_>>(), &mut results);
    let (ciphertext, shared) = pair.encapsulate_with(coins, &pair.public).expect("an honest key");
    assert!(sent.iter().all(|sent| sent.0 == ciphertext && sent.1[..] == shared[..]));
    assert!(results.iter().all(Result::is_ok), "{}", info.name);
}

/// What many decapsulations of one ciphertext give.
fn open_many(pair: &Pair, secret: &[u8], c: &[u8], count: usize) -> Vec<Option<Vec<u8>>> {
    let batch = batch_of(pair.kem).expect("a KEM of the crate");
    let (mut opened, mut results) = (vec![[0; 32]; count], vec![Ok(()); count]);
    let items = opened.iter_mut().map(|shared| DecapsulationItem { key: secret, c, shared });
    batch.decapsulate_many(&mut items.collect::<Vec<_>>(), &mut results);
    let results = results.iter().zip(opened);
    results.map(|(result, shared)| result.is_ok().then(|| shared.to_vec())).collect()
}

/// Verification, with a key as it comes, with a prepared one, and many at a time beside others of
/// another message and by another key.
fn verify(scheme: &dyn Signature, public: &[u8], message: &Message<'_>, signature: &[u8]) {
    let _ = agreed(|| scheme.verify(public, message, signature));
    let count = signature.iter().take(100).fold(0, |sum, byte| sum + usize::from(*byte)) % 20;
    agreed(|| {
        let mut another = public.to_vec();
        *another.get_mut(1)? ^= 1;
        let keys = [public, &another].map(|public| scheme.prepare_verifier(public));
        let keys: Vec<_> = keys.into_iter().flatten().collect();
        let messages = [*message, Message::new(b"another")];
        let pairs =
            keys.iter().flat_map(|key| messages.map(|message| (&**key, message, signature)));
        let signed: Vec<_> = pairs.clone().cycle().take(count).collect();
        let mut results = vec![Ok(()); count];
        oaklath_sig::verify_many(&signed, &mut results[..signed.len()]);
        let singly: Vec<_> =
            pairs.map(|(key, message, _)| key.verify(&message, signature)).collect();
        assert!(results.iter().zip(singly.iter().cycle()).all(|(many, one)| many == one));
        Some(singly)
    });
}

/// What a key is made of, and a message with its coins, if any.
struct Drawn {
    seed: Vec<u8>,
    message: Vec<u8>,
    coins: Option<Vec<u8>>,
}

impl Drawn {
    fn read(script: &mut Script<'_>, scheme: &dyn Signature) -> Self {
        let (of_seed, of_coins) = (scheme.seed_len(), scheme.coins_len());
        let mut drawn = script.long_seed(of_seed + of_coins + 33);
        let message = drawn.split_off(of_seed + of_coins);
        let coins = drawn.split_off(of_seed);
        let has_coins = scheme.needs_coins() || message[32].is_multiple_of(2);
        Self { seed: drawn, message, coins: has_coins.then_some(coins) }
    }

    fn message(&self) -> Message<'_> {
        Message::with_context(&self.message, b"")
    }

    fn keypair(&self, scheme: &dyn Signature) -> (Vec<u8>, Vec<u8>) {
        agreed(|| {
            let info = scheme.info();
            let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
            scheme.keypair_from(&self.seed, &mut public, &mut secret).expect("a seed");
            (public, secret)
        })
    }

    fn sign(&self, scheme: &dyn Signature, secret: &[u8]) -> Option<Vec<u8>> {
        agreed(|| sign_with(scheme, secret, &self.message(), self.coins.as_deref()))
    }
}

/// Key generation, signing with a changed key, verification of a changed signature.
pub(crate) fn lattices(data: &[u8]) {
    let mut script = Script::new(data);
    let lattices: Vec<_> = schemes().iter().filter(|scheme| !is_hash_tree(**scheme)).collect();
    let scheme = *script.one_of(&lattices);
    let drawn = Drawn::read(&mut script, scheme);
    let (public, secret) = drawn.keypair(scheme);
    match script.byte() % 3 {
        0 => {
            let signature = drawn.sign(scheme, &secret).expect("an honest key");
            verify(scheme, &script.changed(public), &drawn.message(), &signature);
        }
        1 => {
            let signature = drawn.sign(scheme, &secret).expect("an honest key");
            let signature = script.changed(signature);
            verify(scheme, &public, &drawn.message(), &signature);
        }
        _ => {
            let secret = script.changed(secret);
            let good = agreed(|| {
                let mut public = vec![0; scheme.info().public_key];
                scheme.public_key(&secret, &mut public).map(|()| public)
            });
            // Signing with parts that do not belong together may try without end.
            if good.is_ok() {
                drawn.sign(scheme, &secret);
            }
        }
    }
}

/// The numbers of the hash trees of the fast kind among the schemes that are fuzzed.
fn fast_trees() -> Vec<u8> {
    let numbered = (0u8..).zip(schemes());
    numbered.filter(|(_, scheme)| is_hash_tree(**scheme)).map(|(number, _)| number).collect()
}

/// Verification of a changed signature by a changed key; now and then key generation and signing.
pub(crate) fn slh(data: &[u8]) {
    let mut script = Script::new(data);
    let number = script.one_of(&fast_trees());
    let honest: &sigs::Honest = honest(&mut Script::new(&[number]));
    let drawn = Drawn::read(&mut script, honest.scheme);
    let (public, signature) = match script.byte() {
        SIGNS => return tree(honest.scheme, &drawn, script),
        what if what.is_multiple_of(2) => {
            (script.changed(honest.public.clone()), honest.signature.clone())
        }
        _ => (honest.public.clone(), script.changed(honest.signature.clone())),
    };
    verify(honest.scheme, &public, &MESSAGE, &signature);
}

/// The hash trees of the small kind, whose signatures take a second.
fn small_trees() -> Vec<&'static dyn Signature> {
    let all = oaklath_sig::all().iter().copied();
    let is_fuzzed = |scheme: &&dyn Signature| {
        schemes().iter().any(|fuzzed| fuzzed.info().name == scheme.info().name)
    };
    all.filter(|scheme| !is_fuzzed(scheme)).collect()
}

/// Key generation, signing and verification of those.
pub(crate) fn slh_small(data: &[u8]) {
    let mut script = Script::new(data);
    let scheme = script.one_of(&small_trees());
    let drawn = Drawn::read(&mut script, scheme);
    script.byte();
    tree(scheme, &drawn, script);
}

fn tree(scheme: &dyn Signature, drawn: &Drawn, script: Script<'_>) {
    let (public, secret) = drawn.keypair(scheme);
    let signature = script.changed(drawn.sign(scheme, &secret).expect("an honest key"));
    verify(scheme, &public, &drawn.message(), &signature);
}

/// A stateful set, and whether it is one of those that are fuzzed: of low trees of at most 32 bytes
/// a node.
struct OfStore {
    name: String,
    set: Set,
    is_quick: bool,
}

/// Each one-time signature of LMS under the lowest tree of its hash function, two layers of each
/// hash function, every set of XMSS^MT of low trees, and the lowest of XMSS; the quick ones first.
fn stateful_sets() -> &'static [OfStore] {
    static SETS: OnceLock<Vec<OfStore>> = OnceLock::new();
    SETS.get_or_init(|| {
        let low = LMS_TYPES.iter().filter(|tree| tree.h == 5);
        let mut sets: Vec<_> = low
            .flat_map(|tree| {
                let fits = |ots: &&&lms::LmotsType| (ots.hash, ots.n) == (tree.hash, tree.m);
                let types: Vec<_> =
                    LMOTS_TYPES.iter().filter(fits).map(|ots| (*tree, *ots)).collect();
                let two = [types[0], types[1]];
                let alone = types.into_iter().map(|types| vec![types]);
                alone.chain([two.to_vec()])
            })
            .map(|levels| {
                let name = levels.iter().map(|(_, ots)| ots.name).collect::<Vec<_>>().join("+");
                OfStore { name, set: Set::of_types(&levels), is_quick: true }
            })
            .collect();
        let all = xmss::XMSS_MT.iter().chain(xmss::XMSS);
        let low = all.filter(|info| info.tree_height() == if info.multi_tree { 5 } else { 10 });
        sets.extend(low.map(|&info| {
            let is_quick = info.multi_tree && info.d <= 4 && info.n <= 32;
            OfStore { name: info.name.to_owned(), set: Set::Xmss(info), is_quick }
        }));
        sets.sort_by_key(|set| !set.is_quick);
        sets
    })
}

fn quick_stateful_sets() -> usize {
    stateful_sets().iter().filter(|set| set.is_quick).count()
}

/// Verification of a changed signature by a changed key; now and then key generation and signing.
pub(crate) fn stateful(data: &[u8]) {
    static HONEST: OnceLock<Vec<OnceLock<Honest>>> = OnceLock::new();
    let mut script = Script::new(data);
    let number = usize::from(script.byte()) % quick_stateful_sets();
    let set = &stateful_sets()[number].set;
    let seed = script.long_seed(set.seed_len() + 40);
    let what = script.byte();
    if what == SIGNS {
        return made_and_signed(set, &seed, script);
    }
    let all = HONEST.get_or_init(|| (0..quick_stateful_sets()).map(|_| OnceLock::new()).collect());
    let honest = all[number].get_or_init(|| Honest::new(set.clone()));
    let (public, signature) = match what.is_multiple_of(2) {
        true => (script.changed(honest.public.clone()), honest.signature.clone()),
        false => (honest.public.clone(), script.changed(honest.signature.clone())),
    };
    if let Ok(key) = set.public(&public) {
        let _ = agreed(|| key.check(stateful::MESSAGE, &signature));
    }
}

/// Key generation, signing and verification of any set.
pub(crate) fn stateful_slow(data: &[u8]) {
    let mut script = Script::new(data);
    let slow = &stateful_sets()[quick_stateful_sets()..];
    let set = &slow[usize::from(script.byte()) % slow.len()].set;
    let seed = script.long_seed(set.seed_len() + 40);
    script.byte();
    made_and_signed(set, &seed, script);
}

/// `drawn` is a seed, an index and a message.
fn made_and_signed(set: &Set, drawn: &[u8], script: Script<'_>) {
    let (seed, rest) = drawn.split_at(set.seed_len());
    let (index, message) = rest.split_first_chunk().expect("eight bytes and a message");
    let (public, signature) = agreed(|| {
        let (mut key, _) = set.generate(seed);
        let index = u64::from_be_bytes(*index) % key.any().signatures();
        let signature = key.sign(index, message).expect("an honest key");
        (key.any().public_key().to_vec(), signature)
    });
    let signature = script.changed(signature);
    let key = set.public(&public).expect("an honest key");
    let _ = agreed(|| key.check(message, &signature));
}

/// What is compared of a parameter set by a function here, under its number there.
type Numbered = (String, u8);

pub(crate) fn kem_sets() -> Vec<Numbered> {
    let names = oaklath_kem::all().iter().map(|kem| kem.info().name.to_owned());
    names.zip(0..).collect()
}

pub(crate) fn lattice_sets() -> Vec<Numbered> {
    let lattices = schemes().iter().filter(|scheme| !is_hash_tree(**scheme));
    lattices.map(|scheme| scheme.info().name.to_owned()).zip(0..).collect()
}

pub(crate) fn slh_sets() -> Vec<Numbered> {
    let trees = schemes().iter().filter(|scheme| is_hash_tree(**scheme));
    trees.map(|scheme| scheme.info().name.to_owned()).zip(0..).collect()
}

pub(crate) fn slh_small_sets() -> Vec<Numbered> {
    small_trees().iter().map(|scheme| scheme.info().name.to_owned()).zip(0..).collect()
}

pub(crate) fn stateful_quick_sets() -> Vec<Numbered> {
    let quick = stateful_sets().iter().filter(|set| set.is_quick);
    quick.map(|set| set.name.clone()).zip(0..).collect()
}

pub(crate) fn stateful_slow_sets() -> Vec<Numbered> {
    let slow = stateful_sets().iter().filter(|set| !set.is_quick);
    slow.map(|set| set.name.clone()).zip(0..).collect()
}

/// A script for each set and each of these ways to go on after the seed.
fn seeds(sets: Vec<Numbered>, ways: &[u8]) -> Vec<Seed> {
    let of_set = |(name, number): Numbered| {
        let name = name.to_lowercase().replace(['/', '+'], "-");
        let seed = [number, 0, 0, 0, 0, 0, 0, 0, 2];
        let with = |what: &u8| {
            script::seed(
                format!("{name}-{what}"),
                &[&seed[..], std::slice::from_ref(what)].concat(),
            )
        };
        ways.iter().map(with).collect::<Vec<_>>()
    };
    sets.into_iter().flat_map(of_set).collect()
}

pub(crate) fn kem_seeds() -> Vec<Seed> {
    seeds(kem_sets(), &[0, 1, 2])
}

pub(crate) fn lattices_seeds() -> Vec<Seed> {
    seeds(lattice_sets(), &[0, 1, 2])
}

pub(crate) fn slh_seeds() -> Vec<Seed> {
    seeds(slh_sets(), &[0, 1, SIGNS])
}

pub(crate) fn stateful_seeds() -> Vec<Seed> {
    seeds(stateful_quick_sets(), &[0, 1, SIGNS])
}
