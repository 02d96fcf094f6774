//! The same computation at every SIMD level.

use oaklath_simd::Level;

use crate::Seed;
use crate::kems::Pair;
use crate::script::{self, Script};
use crate::sigs::{self, MESSAGE, honest, is_hash_tree, schemes, sign};

/// What `compute` gives at all levels of this CPU.
fn agreed<T: PartialEq + std::fmt::Debug>(compute: impl Fn() -> T) -> T {
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
    let (public, secret) = agreed(|| {
        let pair = Pair::read(&mut Script::new(data));
        (pair.public, pair.secret)
    });
    let mut script = Script::new(data);
    let pair = Pair::read(&mut script);
    let what = script.byte() % 3;
    let given = if what == 0 { script.changed(public.clone()) } else { public };
    let Some((ciphertext, _)) = agreed(|| pair.encapsulate(&given)) else { return };
    let ciphertext = if what == 1 { script.changed(ciphertext) } else { ciphertext };
    let secret = if what == 2 { script.changed(secret) } else { secret };
    agreed(|| pair.decapsulate(&secret, &ciphertext));
}

/// Key generation, signing with a changed key, verification of a changed signature.
pub(crate) fn lattices(data: &[u8]) {
    let mut script = Script::new(data);
    let lattices: Vec<_> = schemes().iter().filter(|scheme| !is_hash_tree(**scheme)).collect();
    let scheme = *script.one_of(&lattices);
    let seed = script.seed(scheme.seed_len());
    let (public, secret) = agreed(|| {
        let info = scheme.info();
        let (mut public, mut secret) = (vec![0; info.public_key], vec![0; info.secret_key]);
        scheme.keypair_from(&seed, &mut public, &mut secret).expect("a seed");
        (public, secret)
    });
    match script.byte() % 3 {
        0 => {
            let public = script.changed(public);
            let signature = sign(scheme, &secret).expect("an honest key");
            let _ = agreed(|| scheme.verify(&public, &MESSAGE, &signature));
        }
        1 => {
            let signature = agreed(|| sign(scheme, &secret)).expect("an honest key");
            let signature = script.changed(signature);
            let _ = agreed(|| scheme.verify(&public, &MESSAGE, &signature));
        }
        _ => {
            let secret = script.changed(secret);
            let good = agreed(|| {
                let mut public = vec![0; scheme.info().public_key];
                scheme.public_key(&secret, &mut public).map(|()| public)
            });
            // Signing with parts that do not belong together may try without end.
            if good.is_ok() {
                agreed(|| sign(scheme, &secret));
            }
        }
    }
}

/// Verification of a changed signature by a changed key.
pub(crate) fn slh(data: &[u8]) {
    let mut script = Script::new(data);
    let trees: Vec<u8> = (0u8..)
        .zip(schemes())
        .filter(|(_, scheme)| is_hash_tree(**scheme))
        .map(|(number, _)| number)
        .collect();
    let number = script.one_of(&trees);
    let honest: &sigs::Honest = honest(&mut Script::new(&[number]));
    let (public, signature) = match script.byte() % 2 {
        0 => (script.changed(honest.public.clone()), honest.signature.clone()),
        _ => (honest.public.clone(), script.changed(honest.signature.clone())),
    };
    let _ = agreed(|| honest.scheme.verify(&public, &MESSAGE, &signature));
}

pub(crate) fn kem_seeds() -> Vec<Seed> {
    let kinds = (0u8..).zip(oaklath_kem::all());
    let seeds = kinds.flat_map(|(number, kem)| {
        let name = kem.info().name.to_lowercase();
        (0..3).map(move |what| script::seed(format!("{name}-{what}"), &[number, 2, what]))
    });
    seeds.collect()
}

pub(crate) fn lattices_seeds() -> Vec<Seed> {
    let lattices = schemes().iter().filter(|scheme| !is_hash_tree(**scheme));
    let seeds = (0u8..).zip(lattices).flat_map(|(number, scheme)| {
        let name = scheme.info().name.to_lowercase();
        (0..3).map(move |what| script::seed(format!("{name}-{what}"), &[number, 2, what]))
    });
    seeds.collect()
}

pub(crate) fn slh_seeds() -> Vec<Seed> {
    let trees = schemes().iter().filter(|scheme| is_hash_tree(**scheme));
    let seeds = (0u8..).zip(trees).flat_map(|(number, scheme)| {
        let name = scheme.info().name.to_lowercase();
        (0..2).map(move |what| script::seed(format!("{name}-{what}"), &[number, what]))
    });
    seeds.collect()
}
