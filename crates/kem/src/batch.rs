//! Many operations at once, in both layers. Operations run in pairs: where a register holds eight
//! words, permuting the lanes of two operations takes hardly longer than permuting those of one.
//! Results are bit for bit those of single operations; nothing is allocated.
#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use oaklath_params::buffer::{check_output, zero_on_error};
use oaklath_params::list;
use oaklath_simd::arrays::map;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::pct::check_made;
use crate::registry::Kem;
#[cfg(feature = "alloc")]
use crate::registry::{Decapsulate, empty_key};
#[cfg(any(feature = "getrandom", feature = "hazmat"))]
use crate::scheme::EncapsulationKeyRef;
use crate::scheme::{
    DecapsulationItem, DecapsulationKeyRef, EncapsulationItem, KemScheme, KeyPairItem,
};
use crate::sets::{
    Bytes, Set, check_ciphertext, check_coins, check_public, check_secret, check_seed, with_sets,
};
#[cfg(feature = "getrandom")]
use crate::typed::fill_from_system;
use crate::typed::{
    Ciphertext, DecapsulationKey, EncapsulationKey, ExpandedDecapsulationKey,
    ExpandedEncapsulationKey, SharedSecret,
};

/// A ciphertext and its shared secret.
#[cfg(any(feature = "getrandom", feature = "hazmat"))]
type Encapsulated<P> = (Ciphertext<P>, SharedSecret<P>);

impl<P: Set> DecapsulationKey<P> {
    /// Fills each place with a key made from random bytes of the operating system.
    ///
    /// ```
    /// use oaklath_kem::{DecapsulationKey, EncapsulationKey, MlKem768};
    ///
    /// let mut keys: [Option<DecapsulationKey<MlKem768>>; 3] = Default::default();
    /// DecapsulationKey::generate_many(&mut keys);
    /// let keys = keys.each_ref().map(|key| key.as_ref().expect("every place is filled"));
    ///
    /// let mut sent = [const { None }; 3];
    /// EncapsulationKey::encapsulate_many(&keys.map(|key| key.encapsulation_key()), &mut sent);
    /// let sent = sent.each_ref().map(|sent| sent.as_ref().expect("every place is filled"));
    ///
    /// let mut secrets = [const { None }; 3];
    /// let items: Vec<_> = keys.into_iter().zip(sent.map(|(ciphertext, _)| ciphertext)).collect();
    /// DecapsulationKey::decapsulate_many(&items, &mut secrets);
    /// assert!(secrets.iter().flatten().eq(sent.map(|(_, secret)| secret)));
    /// ```
    ///
    /// # Panics
    /// If the operating system has no random bytes; with the feature `pct`, if a new key does not
    /// work, which is a hardware fault.
    #[cfg(feature = "getrandom")]
    pub fn generate_many(keys: &mut [Option<Self>]) {
        fill_keys(|_, bytes| fill_from_system(bytes.as_mut()), keys);
    }

    /// Makes the key of each seed, as [`from_seed`](Self::from_seed) does.
    ///
    /// # Panics
    /// If `seeds` and `keys` differ in length; with the feature `pct`, if a new key does not work,
    /// which is a hardware fault.
    pub fn from_seeds(seeds: &[P::Seed], keys: &mut [Option<Self>]) {
        assert_eq!(seeds.len(), keys.len(), "a place for each seed");
        fill_keys(|i, seed| seed.as_mut().copy_from_slice(seeds[i].as_ref()), keys);
    }

    /// Decapsulates each ciphertext with its key, as [`decapsulate`](Self::decapsulate) does.
    ///
    /// # Panics
    /// If `items` and `secrets` differ in length.
    pub fn decapsulate_many(
        items: &[(&Self, &Ciphertext<P>)],
        secrets: &mut [Option<SharedSecret<P>>],
    ) {
        assert_eq!(items.len(), secrets.len(), "a place for each ciphertext");
        let item = |i: usize| (items[i].0.to_ref(None), items[i].1.as_bytes());
        decapsulate_each(item, secrets);
    }
}

impl<P: Set> EncapsulationKey<P> {
    /// Encapsulates to each key, as [`encapsulate`](Self::encapsulate) does. For many secrets to a
    /// single key, [`ExpandedEncapsulationKey::encapsulate_many`] is faster.
    ///
    /// # Panics
    /// If `keys` and `outputs` differ in length, or if the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_many(keys: &[&Self], outputs: &mut [Option<Encapsulated<P>>]) {
        assert_eq!(keys.len(), outputs.len(), "a place for each key");
        encapsulate_each(
            |i| keys[i].to_ref(None),
            |_, bytes| fill_from_system(bytes.as_mut()),
            outputs,
        );
    }

    /// Encapsulates to each key with its m, random and used once: FIPS 203, Algorithm 17.
    ///
    /// # Panics
    /// If `keys`, `m` and `outputs` differ in length.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_many_from(
        keys: &[&Self],
        m: &[P::Coins],
        outputs: &mut [Option<Encapsulated<P>>],
    ) {
        assert_eq!((keys.len(), m.len()), (outputs.len(), outputs.len()), "a place for each key");
        let coins = |i: usize, coins: &mut P::Coins| coins.as_mut().copy_from_slice(m[i].as_ref());
        encapsulate_each(|i| keys[i].to_ref(None), coins, outputs);
    }
}

impl<P: Set> ExpandedEncapsulationKey<P> {
    /// Encapsulates once for each place, as [`encapsulate`](Self::encapsulate) does.
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_many(&self, outputs: &mut [Option<Encapsulated<P>>]) {
        encapsulate_each(|_| self.to_ref(), |_, bytes| fill_from_system(bytes.as_mut()), outputs);
    }
}

impl<P: Set> ExpandedDecapsulationKey<P> {
    /// Decapsulates each ciphertext, as [`decapsulate`](Self::decapsulate) does.
    ///
    /// # Panics
    /// If `ciphertexts` and `secrets` differ in length.
    pub fn decapsulate_many(
        &self,
        ciphertexts: &[&Ciphertext<P>],
        secrets: &mut [Option<SharedSecret<P>>],
    ) {
        assert_eq!(ciphertexts.len(), secrets.len(), "a place for each ciphertext");
        decapsulate_each(|i| (self.to_ref(), ciphertexts[i].as_bytes()), secrets);
    }
}

/// Fills `keys` from the seeds that `seed` writes.
fn fill_keys<P: Set>(
    mut seed: impl FnMut(usize, &mut P::Seed),
    keys: &mut [Option<DecapsulationKey<P>>],
) {
    for (at, keys) in (0..).step_by(2).zip(keys.chunks_mut(2)) {
        let mut seeds = Zeroizing::new([P::Seed::ZERO, P::Seed::ZERO]);
        seeds.iter_mut().zip(at..).take(keys.len()).for_each(|(bytes, i)| seed(i, bytes));
        match keys {
            [a, b] => {
                let keys = map([a, b], |key| key.insert(DecapsulationKey::EMPTY));
                fill_two_keys(map(seeds.each_ref(), P::Seed::as_ref), keys)
                    .expect("a new key pair works");
            }
            keys => keys.iter_mut().zip(&*seeds).for_each(|(key, seed)| {
                let key = key.insert(DecapsulationKey::EMPTY);
                key.fill_from_seed(seed.as_ref()).expect("a new key pair works");
            }),
        }
    }
}

/// Fills two keys side by side.
///
/// # Errors
/// With the feature `pct`, [`Error::Fault`].
fn fill_two_keys<P: Set>(
    seeds: [&[u8]; 2],
    mut keys: [&mut DecapsulationKey<P>; 2],
) -> Result<(), Error> {
    let mut dks = Zeroizing::new([P::DecapsulationKey::ZERO, P::DecapsulationKey::ZERO]);
    let mut places = seeds.into_iter().zip(dks.iter_mut());
    P::Scheme::keygen_two(map(keys.each_mut(), |key| {
        let (seed, dk) = places.next().expect("a place for each");
        KeyPairItem { seed, ek: key.bytes_mut(), dk: dk.as_mut() }
    }));
    keys.into_iter().zip(&*dks).try_for_each(|(key, dk)| key.fill_from_made(dk.as_ref()))
}

/// Prepares an encapsulation to `key` with the coins `m`, which writes to `output`.
#[cfg(any(feature = "getrandom", feature = "hazmat"))]
fn encapsulation<'a, P: Set>(
    key: EncapsulationKeyRef<'a, P::Scheme>,
    m: &'a P::Coins,
    output: &'a mut Option<Encapsulated<P>>,
) -> EncapsulationItem<'a, EncapsulationKeyRef<'a, P::Scheme>> {
    let (c, shared) = output.insert((Ciphertext::EMPTY, SharedSecret::EMPTY));
    EncapsulationItem { key, coins: m.as_ref(), c: c.bytes_mut(), shared: shared.bytes_mut() }
}

/// Encapsulates to the keys that `key` returns, with the coins that `coins` writes. Either all keys
/// are expanded or none is.
#[cfg(any(feature = "getrandom", feature = "hazmat"))]
fn encapsulate_each<'a, P: Set>(
    key: impl Fn(usize) -> EncapsulationKeyRef<'a, P::Scheme>,
    mut coins: impl FnMut(usize, &mut P::Coins),
    outputs: &mut [Option<Encapsulated<P>>],
) {
    for (at, outputs) in (0..).step_by(2).zip(outputs.chunks_mut(2)) {
        let mut m = Zeroizing::new([P::Coins::ZERO, P::Coins::ZERO]);
        m.iter_mut().zip(at..).take(outputs.len()).for_each(|(bytes, i)| coins(i, bytes));
        match outputs {
            [a, b] => P::Scheme::encapsulate_two([
                encapsulation::<P>(key(at), &m[0], a),
                encapsulation::<P>(key(at + 1), &m[1], b),
            ]),
            outputs => outputs.iter_mut().for_each(|output| {
                P::Scheme::encapsulate(encapsulation::<P>(key(at), &m[0], output));
            }),
        }
    }
}

/// Prepares a decapsulation of `c` with `key`, which writes to `secret`.
fn decapsulation<'a, P: Set>(
    (key, c): (DecapsulationKeyRef<'a, P::Scheme>, &'a [u8]),
    secret: &'a mut Option<SharedSecret<P>>,
) -> DecapsulationItem<'a, DecapsulationKeyRef<'a, P::Scheme>> {
    DecapsulationItem { key, c, shared: secret.insert(SharedSecret::EMPTY).bytes_mut() }
}

/// Decapsulates with the keys, all or none of them expanded, and the ciphertexts from `item`.
fn decapsulate_each<'a, P: Set>(
    item: impl Fn(usize) -> (DecapsulationKeyRef<'a, P::Scheme>, &'a [u8]),
    secrets: &mut [Option<SharedSecret<P>>],
) {
    for (at, secrets) in (0..).step_by(2).zip(secrets.chunks_mut(2)) {
        match secrets {
            [a, b] => P::Scheme::decapsulate_two([
                decapsulation::<P>(item(at), a),
                decapsulation::<P>(item(at + 1), b),
            ]),
            secrets => secrets.iter_mut().for_each(|secret| {
                P::Scheme::decapsulate(decapsulation::<P>(item(at), secret));
            }),
        }
    }
}

/// Many operations of a [`Kem`] at once. Each item has a result of its own, and after an error its
/// outputs are zero.
pub trait KemBatch: Kem {
    /// Makes key pairs, as [`keypair_from`](Kem::keypair_from) does.
    ///
    /// # Panics
    /// If `items` and `results` differ in length, or if an output has the wrong length.
    fn generate_many(&self, items: &mut [KeyPairItem<'_>], results: &mut [Result<(), Error>]);

    /// Generates two key pairs and keeps the decapsulation keys ready for use, as
    /// [`generate_from`](Kem::generate_from) does for one.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; with the feature `pct`, [`Error::Fault`].
    ///
    /// # Panics
    /// If an output has the wrong length.
    #[cfg(feature = "alloc")]
    fn generate_two_from(
        &self,
        seeds: [&[u8]; 2],
        eks: [&mut [u8]; 2],
    ) -> Result<[Box<dyn Decapsulate>; 2], Error>;

    /// Encapsulates, as [`encapsulate_from`](Kem::encapsulate_from) does. If the keys of more than
    /// two items are all the same slice, it is checked and expanded only once.
    ///
    /// # Panics
    /// If `items` and `results` differ in length, or if an output has the wrong length.
    fn encapsulate_many(
        &self,
        items: &mut [EncapsulationItem<'_>],
        results: &mut [Result<(), Error>],
    );

    /// Decapsulates, as [`decapsulate`](Kem::decapsulate) does. If the keys of more than two items
    /// are all the same slice, it is checked and expanded only once.
    ///
    /// # Panics
    /// If `items` and `results` differ in length.
    fn decapsulate_many(
        &self,
        items: &mut [DecapsulationItem<'_>],
        results: &mut [Result<(), Error>],
    );
}

/// An operation on two items side by side.
type OnTwo<'a, T> = dyn Fn([&mut T; 2]) -> [Result<(), Error>; 2] + 'a;

/// Calls `two` with each pair of items that both pass `fits`, and `one` with each other item. The
/// functions are objects, so that there is one copy for all sets.
fn in_pairs<T>(
    items: &mut [T],
    results: &mut [Result<(), Error>],
    fits: &dyn Fn(&T) -> bool,
    one: &dyn Fn(&mut T) -> Result<(), Error>,
    two: &OnTwo<'_, T>,
) {
    assert_eq!(items.len(), results.len(), "a result for each item");
    for (items, results) in items.chunks_mut(2).zip(results.chunks_mut(2)) {
        match items {
            [a, b] if fits(a) && fits(b) => results.copy_from_slice(&two([a, b])),
            items => {
                items.iter_mut().zip(results).for_each(|(item, result)| *result = one(item));
            }
        }
    }
}

/// Returns the key if there are more than two keys and all are the same slice.
fn all_one<'a>(mut keys: impl ExactSizeIterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    let many = keys.len() > 2;
    keys.next().filter(|first| many && keys.all(|key| core::ptr::eq(key, *first)))
}

impl<P: Set> KemBatch for P {
    fn generate_many(&self, items: &mut [KeyPairItem<'_>], results: &mut [Result<(), Error>]) {
        let one = |item: &mut KeyPairItem<'_>| self.keypair_from(item.seed, item.ek, item.dk);
        let two = |mut items: [&mut KeyPairItem<'_>; 2]| {
            for KeyPairItem { ek, dk, .. } in &items {
                check_output(ek, P::INFO.public_key, "encapsulation key");
                check_output(dk, P::INFO.secret_key, "decapsulation key");
            }
            P::Scheme::keygen_two(map(items.each_mut(), |item| item.reborrow()));
            map(items, |KeyPairItem { ek, dk, .. }| {
                zero_on_error(check_made::<P>(ek, dk), [&mut **ek, &mut **dk])
            })
        };
        in_pairs(items, results, &|item| check_seed::<P>(item.seed).is_ok(), &one, &two);
    }

    #[cfg(feature = "alloc")]
    fn generate_two_from(
        &self,
        seeds: [&[u8]; 2],
        mut eks: [&mut [u8]; 2],
    ) -> Result<[Box<dyn Decapsulate>; 2], Error> {
        for ek in &mut eks {
            check_output(ek, P::INFO.public_key, "encapsulation key");
            ek.fill(0);
        }
        seeds.iter().try_for_each(|seed| check_seed::<P>(seed))?;
        let mut keys = [empty_key::<P>(), empty_key::<P>()];
        fill_two_keys(seeds, map(keys.each_mut(), |key| &mut **key))?;
        for (ek, key) in eks.into_iter().zip(&keys) {
            ek.copy_from_slice(key.encapsulation_key().as_bytes());
        }
        Ok(map(keys, |key| -> Box<dyn Decapsulate> { key }))
    }

    fn encapsulate_many(
        &self,
        items: &mut [EncapsulationItem<'_>],
        results: &mut [Result<(), Error>],
    ) {
        let two = |mut items: [&mut EncapsulationItem<'_>; 2]| {
            let results = map(items.each_mut(), |item| item.with_key(item.key));
            let mut results = P::Scheme::encapsulate_bytes_two(results).into_iter();
            map(items, |EncapsulationItem { c, shared, .. }| {
                let result = results.next().expect("a result for each");
                zero_on_error(result, [&mut **c, &mut **shared])
            })
        };
        match all_one(items.iter().map(|item| item.key)) {
            Some(key) if encapsulate_to_one::<P>(key, items, results) => {}
            _ => in_pairs(items, results, &encapsulation_fits::<P>, &encapsulate_one::<P>, &two),
        }
    }

    fn decapsulate_many(
        &self,
        items: &mut [DecapsulationItem<'_>],
        results: &mut [Result<(), Error>],
    ) {
        let two = |mut items: [&mut DecapsulationItem<'_>; 2]| {
            let results = map(items.each_mut(), |item| item.with_key(item.key));
            let mut results = P::Scheme::decapsulate_bytes_two(results).into_iter();
            map(items, |DecapsulationItem { shared, .. }| {
                zero_on_error(results.next().expect("a result for each"), [&mut **shared])
            })
        };
        match all_one(items.iter().map(|item| item.key)) {
            Some(key) if decapsulate_by_one::<P>(key, items, results) => {}
            _ => in_pairs(items, results, &decapsulation_fits::<P>, &decapsulate_one::<P>, &two),
        }
    }
}

fn encapsulation_fits<P: Set>(item: &EncapsulationItem<'_>) -> bool {
    check_output(item.c, P::INFO.ciphertext, "ciphertext");
    check_coins::<P>(item.coins).is_ok() && check_public::<P>(item.key).is_ok()
}

fn decapsulation_fits<P: Set>(item: &DecapsulationItem<'_>) -> bool {
    check_secret::<P>(item.key).is_ok() && check_ciphertext::<P>(item.c).is_ok()
}

fn encapsulate_one<P: Set>(item: &mut EncapsulationItem<'_>) -> Result<(), Error> {
    P::default().encapsulate_from(item.coins, item.key, item.c, item.shared)
}

fn decapsulate_one<P: Set>(item: &mut DecapsulationItem<'_>) -> Result<(), Error> {
    P::default().decapsulate(item.key, item.c, item.shared)
}

/// Encapsulates all items to one key, which is expanded. Does nothing and returns false if `key` is
/// invalid. Out of line, so that only this function has the expanded key on its stack.
#[inline(never)]
fn encapsulate_to_one<P: Set>(
    key: &[u8],
    items: &mut [EncapsulationItem<'_>],
    results: &mut [Result<(), Error>],
) -> bool {
    let Ok(key) = EncapsulationKey::<P>::from_bytes(key) else { return false };
    let key = key.expand();
    let two = |items: [&mut EncapsulationItem<'_>; 2]| {
        P::Scheme::encapsulate_two(map(items, |item| item.with_key(key.to_ref())));
        [Ok(()); 2]
    };
    in_pairs(items, results, &encapsulation_fits::<P>, &encapsulate_one::<P>, &two);
    true
}

/// Decapsulates all items with one key, which is expanded. Does nothing and returns false if `key`
/// is invalid. Out of line, so that only this function has the expanded key on its stack.
#[inline(never)]
fn decapsulate_by_one<P: Set>(
    key: &[u8],
    items: &mut [DecapsulationItem<'_>],
    results: &mut [Result<(), Error>],
) -> bool {
    let mut expanded = ExpandedDecapsulationKey::<P>::EMPTY;
    if expanded.fill_from_bytes(key).is_err() {
        return false;
    }
    let two = |items: [&mut DecapsulationItem<'_>; 2]| {
        P::Scheme::decapsulate_two(map(items, |item| item.with_key(expanded.to_ref())));
        [Ok(()); 2]
    };
    in_pairs(items, results, &decapsulation_fits::<P>, &decapsulate_one::<P>, &two);
    true
}

macro_rules! batches {
    ($($feature:literal $set:ident $row:ident $scheme:ty;)*) => {
        list!(BATCHES: &[&dyn KemBatch] = &[$(#[cfg(feature = $feature)] &crate::sets::$set),*]);
    };
}
with_sets!(batches);

/// Returns the batch operations of a KEM, or `None` if `kem` is not implemented in this crate.
///
/// ```
/// use oaklath_kem::{KeyPairItem, batch_of};
///
/// let kem = oaklath_kem::by_name("ML-KEM-768")?;
/// let batch = batch_of(kem).expect("a KEM of the crate");
/// let mut eks = vec![vec![0; kem.info().public_key]; 3];
/// let mut dks = vec![vec![0; kem.info().secret_key]; 3];
/// let seeds = [[1; 64], [2; 64], [3; 64]];
/// let places = eks.iter_mut().zip(&mut dks);
/// let mut items: Vec<_> =
///     seeds.iter().zip(places).map(|(seed, (ek, dk))| KeyPairItem { seed, ek, dk }).collect();
/// let mut results = [Ok(()); 3];
/// batch.generate_many(&mut items, &mut results);
/// assert_eq!(results, [Ok(()); 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn batch_of(kem: &dyn Kem) -> Option<&'static dyn KemBatch> {
    BATCHES.iter().copied().find(|batch| core::ptr::eq(batch.info(), kem.info()))
}
