//! Tests round trips, recorded exchanges and all kinds of bad shares for every group and backend.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use getrandom::SysRng;
use oaklath_kem::{Decapsulate, Kem};
use oaklath_params::kem::KemInfo;
use oaklath_params::{curve, group};
use sha2::{Digest, Sha256};

use crate::ecdh::{Ecdh, Random};
use crate::error::{Error, Unavailable};
use crate::group::{Group, all};

/// Returns every group of the build with every implementation of its curve.
fn groups() -> Vec<Group> {
    let backends = [crate::rustcrypto::ALL, crate::aws_lc::ALL].concat();
    let with_backends = |group: Group| {
        let info = group.info();
        match info.curve {
            Some(_) => backends.iter().filter_map(|e| Group::with_ecdh(info, *e).ok()).collect(),
            None => vec![group],
        }
    };
    all().flat_map(with_backends).collect()
}

/// Returns recorded bytes instead of random ones; the bytes not used yet remain.
struct Replay(Vec<u8>);

impl Random for Replay {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        out.copy_from_slice(&self.0.drain(..out.len()).collect::<Vec<_>>());
        Ok(())
    }
}

/// Returns the same byte forever.
struct Constant(u8);

impl Random for Constant {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        out.fill(self.0);
        Ok(())
    }
}

#[test]
fn the_groups_of_the_build() {
    let codepoints: Vec<_> = all().map(|group| group.info().codepoint).collect();
    for codepoint in [
        512, 513, 514, 570, 572, 573, 4585, 4586, 4587, 4588, 4589, 12089, 12090, 12092, 12093,
        12107, 12108, 12109, 12214, 25497, 25498,
    ] {
        assert!(codepoints.contains(&codepoint), "{codepoint}");
    }
    // A hybrid group occurs twice: both backends have all four curves.
    assert_eq!(groups().iter().filter(|group| group.info().codepoint == 12093).count(), 2);
}

#[test]
fn both_sides_agree() {
    for group in groups() {
        let info = group.info();
        let client = group.generate(&mut SysRng).unwrap();
        assert_eq!(client.share().len(), info.client_share());
        let answer = group.respond(&mut SysRng, client.share()).unwrap();
        assert_eq!(answer.share.len(), info.server_share());
        let secret = client.finish(&answer.share).unwrap();
        assert_eq!(secret.as_bytes().len(), info.shared_secret());
        assert_eq!(secret.as_bytes(), answer.secret.as_bytes(), "{}", info.name);
    }
}

/// Two keys at once are those of single generations from the same bytes.
#[test]
fn two_keys_at_once() {
    for group in groups() {
        let info = group.info();
        let random = |label: &str, len: usize| {
            let blocks = (0u8..=255).map(|i| Sha256::digest([label.as_bytes(), &[i]].concat()));
            blocks.take(len.div_ceil(32)).collect::<Vec<_>>().concat()[..len].to_vec()
        };
        let seeds = ["seed", "other seed"].map(|label| random(label, group.kem.seed_len()));
        let scalars = ["scalar", "other scalar"]
            .map(|label| random(label, info.curve.map_or(0, |curve| curve.private_key)));
        let all = [seeds.concat(), scalars.concat()].concat();
        let two = group.generate_two(&mut Replay(all)).unwrap();
        for ((key, seed), scalar) in two.into_iter().zip(seeds).zip(scalars) {
            let alone = group.generate(&mut Replay([seed, scalar].concat())).unwrap();
            assert_eq!(key.share(), alone.share(), "{}", info.name);
            let answer = group.respond(&mut SysRng, key.share()).unwrap();
            assert_eq!(key.finish(&answer.share).unwrap().as_bytes(), answer.secret.as_bytes());
        }
        assert_eq!(group.generate_two(&mut Broken).unwrap_err(), Error::Random);
    }
}

#[test]
fn backends_compute_the_same() {
    for (portable, fast) in crate::rustcrypto::ALL.iter().zip(crate::aws_lc::ALL) {
        let curve = portable.curve();
        assert_eq!(curve, fast.curve());
        for seed in 0..20 {
            let random = Sha256::digest([seed]).repeat(3)[..curve.private_key].to_vec();
            let one = portable.generate(&mut Replay(random.clone())).unwrap();
            let other = fast.generate(&mut Replay(random)).unwrap();
            assert_eq!(one.share(), other.share());
            let (peer, secret) = fast.respond(&mut SysRng, one.share()).unwrap();
            assert_eq!(one.agree(&peer).unwrap().as_bytes(), secret.as_bytes());
            assert_eq!(other.agree(&peer).unwrap().as_bytes(), secret.as_bytes());
        }
    }
}

/// Keys of aws-lc's own generator work with those of others, differ from each other, and use no
/// bytes of the given generator.
#[test]
fn a_backend_may_draw_its_own_keys() {
    for other in crate::rustcrypto::ALL {
        let own = crate::aws_lc::own_generator(other.curve()).unwrap();
        assert_eq!(own.curve(), other.curve());
        let [one, two] = [(); 2].map(|()| own.generate(&mut Broken).unwrap());
        assert_ne!(one.share(), two.share());
        let (answer, secret) = other.respond(&mut SysRng, one.share()).unwrap();
        assert_eq!(one.agree(&answer).unwrap().as_bytes(), secret.as_bytes());
        let (answer, secret) = own.respond(&mut Broken, two.share()).unwrap();
        assert_eq!(two.agree(&answer).unwrap().as_bytes(), secret.as_bytes());
    }
}

/// A KEM that returns a recorded secret, so that a recorded exchange needs no long keys here.
#[derive(Clone, Debug)]
struct Recorded {
    info: &'static KemInfo,
    secret: Vec<u8>,
}

const CIPHERTEXT: u8 = 0x5a;

type KemResult<T> = Result<T, oaklath_kem::Error>;

impl Kem for Recorded {
    fn info(&self) -> &'static KemInfo {
        self.info
    }

    fn seed_len(&self) -> usize {
        0
    }

    fn coins_len(&self) -> usize {
        0
    }

    fn keypair_from(&self, _: &[u8], _: &mut [u8], _: &mut [u8]) -> KemResult<()> {
        unreachable!()
    }

    fn encapsulate_from(&self, _: &[u8], _: &[u8], ct: &mut [u8], ss: &mut [u8]) -> KemResult<()> {
        ct.fill(CIPHERTEXT);
        ss.copy_from_slice(&self.secret);
        Ok(())
    }

    fn decapsulate(&self, _: &[u8], _: &[u8], _: &mut [u8]) -> KemResult<()> {
        unreachable!()
    }

    fn prepare(&self, _: &[u8]) -> KemResult<Box<dyn Decapsulate>> {
        unreachable!()
    }

    fn generate_from(&self, _: &[u8], _: &mut [u8]) -> KemResult<Box<dyn Decapsulate>> {
        Ok(Box::new(self.clone()))
    }
}

impl Decapsulate for Recorded {
    fn decapsulate(&self, ct: &[u8], ss: &mut [u8]) -> KemResult<()> {
        assert!(ct.len() == self.info.ciphertext && ct.iter().all(|byte| *byte == CIPHERTEXT));
        ss.copy_from_slice(&self.secret);
        Ok(())
    }
}

/// A recorded exchange: what the client drew, what the server sent and what both computed.
struct Exchange {
    group: &'static str,
    client_private: &'static str,
    server_point: &'static str,
    kem_secret: &'static str,
    secret: &'static str,
}

/// The first three were made by Go 1.26's `crypto/tls`, the others by OpenSSL 1.1.1 with the groups
/// of Open Quantum Safe.
const EXCHANGES: &[Exchange] = &[
    Exchange {
        group: "X25519MLKEM768",
        client_private: "c880424f5de0bd587fd6a793db5ebb009ef97c6fc735389eecccaed3b7d31405",
        server_point: "2c357f4c3c70999db01ce47a542a8077ec315d8bbe49985f82b3803edcf11a4c",
        kem_secret: "b58493968b87a597a2518588e510cb9e1f6a6fae4c5dec9360f5a596a836574d",
        secret: "\
            b58493968b87a597a2518588e510cb9e1f6a6fae4c5dec9360f5a596a836574d9c61084537f5072ea9ac\
            32aafa1d9bff24cbbb4195bc2a3e4c954a7dc5150d20",
    },
    Exchange {
        group: "SecP256r1MLKEM768",
        client_private: "1e10863ace6adb26ffe45041d41b1cdf4df43605e971f3a863fccd95aee1c816",
        server_point: "\
            04f6081635470e9c3662cb6d8bc45ce37c8cfb389dd8367e75816ef8043c416e6b42c56356377169b7d6\
            18df47d9e9c074b1cf0c9449ccdbfcb53e251e64597323",
        kem_secret: "0eed07ebfa04d925707b031b1f997af91b6934fd4e88146518c80cb8400ac3dc",
        secret: "\
            7eee5bf5328dd7ea9cba2e29a0705e0009014c492893cfc6255d423f8790288c0eed07ebfa04d925707b\
            031b1f997af91b6934fd4e88146518c80cb8400ac3dc",
    },
    Exchange {
        group: "SecP384r1MLKEM1024",
        client_private: "\
            f3dd2ff8a6b195f0fe8deb8160d817c6e280a411000fb0511858c0f36c959fc037fd8359cb8da7cadaba\
            b6c1af68007a",
        server_point: "\
            0462af07a7875b52351813dd2f32cd0583eec35784e62e7c6985dc3c9f03a4f2f6057dd0d17196a2ef2b\
            a2a993b773a7fb9cd7c18b8a1844b9df36eabd6f1cac20d780438fe590b180393bca7c093f79282b15f9\
            a80b0095baa42fa427d1072420",
        kem_secret: "995b46f4b0eacbf99bcc5a84891842797faec1f93ec176dbe36670b40d321608",
        secret: "\
            c1ba723a5d388b205603c7b3b1ec45ae8edaf1e359131c3db9fa1e0dd9fca22c3ab28e51d3dbcac74ac4\
            84c257be434b995b46f4b0eacbf99bcc5a84891842797faec1f93ec176dbe36670b40d321608",
    },
    Exchange {
        group: "p521_kyber1024",
        client_private: "\
            01fb653f99d34a56765f6cc7eee878bd7b889e0ce1e8377378764bd15f1a6d52ee0601d13b70f9f84a34\
            99b636c9d40b60530cb842b885f3f6e7b7e10fa94a2403f9",
        server_point: "\
            0401f0cfc996d5f11d2285687dfba6da131d2ccc787ae490d14f09b84d9f73d860717b7560c1de010330\
            5ae69d2cdbfbb0853e9f131dab4a3fd2c5af82ce91d518bacf00aac2bc5da2c8b678bab8668f87182feb\
            21c1bb34059be04222b7e1f96caa0d63529750bf658bb96b1a49b6d42ef9c17c166e0407fc3c80d20cd3\
            5ba09db436ab79",
        kem_secret: "f96af55316d1b956b5e84a503565ef2b1ca09ea0e09b6a27ecadb684417e8884",
        secret: "\
            00d38926abce4fc741a8f98be47af93f0317b4179606dba5189716339b2ce3368cb8dfaad428c0fe9c67\
            48c8dac89f266260c7e5fb692123d5cb23a1b487500759e2f96af55316d1b956b5e84a503565ef2b1ca0\
            9ea0e09b6a27ecadb684417e8884",
    },
    Exchange {
        group: "p256_kyber512",
        client_private: "b8b8a39754006d0d8195aafa55b1769faec04349f20551b4686b6855318c3c38",
        server_point: "\
            04d41c04e655f8850341c16c3ef01decfaa03f84d79ba836917cd3d06a6ccda0d1ee45d757902a686832\
            92dfffaa468f7b40132e39db9c93ffd3d27c9004869fdf",
        kem_secret: "67e97a705d08da84fc2cb142fdb0964b1ca58cab7a7fb41ca2fa1cd125b37ca8",
        secret: "\
            b6c0caf722af80f5dc7f5bc27bbfbef9519ec7553517fc333f8d7584936a7b0367e97a705d08da84fc2c\
            b142fdb0964b1ca58cab7a7fb41ca2fa1cd125b37ca8",
    },
    Exchange {
        group: "p384_kyber768",
        client_private: "\
            2a8266aa00726ac180acb9a96b05045d2594ec6772aa80022299355567824909fcaa8055e6b1d2698293\
            a6418f187b54",
        server_point: "\
            04ff7b180e2c6e69e6b420fa463acd72ea6f5ef789cbfc4735b85429d0fad190ec23b3a942344b29ca67\
            742f308e5689db0668da408bcf02f99ef2cec131cfd06e4adbd3c72d2e6037d74661c6ee645fbf90cb65\
            4d3a1010af2a1011a0aaab56fc",
        kem_secret: "99991da258608ffab58e4751509dd3f84a3ca89dc49e5bb744d474e520f18727",
        secret: "\
            2e69d72b4e6fe6ae26ec005d58422078c0e5f715ff0d446b8bbeaa35cdca389c0c22e1ab5f2414ee3827\
            e8137d5b358999991da258608ffab58e4751509dd3f84a3ca89dc49e5bb744d474e520f18727",
    },
];

#[test]
fn recorded_exchanges() {
    for exchange in EXCHANGES {
        let [private, point, kem_secret, secret] =
            [exchange.client_private, exchange.server_point, exchange.kem_secret, exchange.secret]
                .map(|text| hex::decode(text).unwrap());
        let info = group::by_name(exchange.group).unwrap();
        let kem = Box::leak(Box::new(Recorded { info: info.kem, secret: kem_secret }));
        for ecdh in [crate::rustcrypto::ALL, crate::aws_lc::ALL].concat() {
            if Some(ecdh.curve()) != info.curve {
                continue;
            }
            let group = Group { info, kem, ecdh: Some(ecdh) };
            let client = group.generate(&mut Replay(private.clone())).unwrap();
            let ciphertext = vec![CIPHERTEXT; info.kem.ciphertext];
            let share = match info.kem_first {
                true => [ciphertext, point.clone()].concat(),
                false => [point.clone(), ciphertext].concat(),
            };
            assert_eq!(client.finish(&share).unwrap().as_bytes(), secret, "{}", exchange.group);
        }
    }
}

/// Client shares of Go 1.26's `crypto/tls`: seed d || z, private key, SHA-256 of the share.
const CLIENT_SHARES: &[[&str; 4]] = &[
    [
        "X25519MLKEM768",
        "397fa878248a30d87d8f453d9f3e024bf3fa5f6e3d58c8b5a40a302c4ff049f6\
            5fcb2055a14d7a17f81e15d3865893f429e9f1d01001adfe834bdd7c200b247e",
        "c880424f5de0bd587fd6a793db5ebb009ef97c6fc735389eecccaed3b7d31405",
        "9f3ba44e99330cee27be2aa40f55ba8460c772ad2a18f5ac468c52050282762c",
    ],
    [
        "SecP256r1MLKEM768",
        "e9b91329fe44e68a3590c6347b8f972ada4aef71734caf692accabc85e4a7539\
            26e020a547f5d8e084c09b68a31c2ab876e4050a3ff2cf872ef409e92668bad0",
        "1e10863ace6adb26ffe45041d41b1cdf4df43605e971f3a863fccd95aee1c816",
        "2eacfb2b12854a7cdaf8327c8c0f883baac82a4df98a7d4b4fdb7c803b615094",
    ],
    [
        "SecP384r1MLKEM1024",
        "a79d603bd18e4d9f016d96609c3a4582019f5de88340e8cd3d3ba6e1ce374f8e\
            49b5ccb6c1b06eb64e2a5947eec9e913000bdd070ae1d75a333ca9398cdedcd3",
        "f3dd2ff8a6b195f0fe8deb8160d817c6e280a411000fb0511858c0f36c959fc0\
            37fd8359cb8da7cadabab6c1af68007a",
        "1422416d115eb16310787906852e5026b15391a724c4098b941f1f5f7ceb8cf1",
    ],
];

#[test]
fn recorded_client_shares() {
    for [name, seed, private, digest] in CLIENT_SHARES {
        let drawn = [hex::decode(seed).unwrap(), hex::decode(private).unwrap()].concat();
        let info = group::by_name(name).unwrap();
        for group in groups().iter().filter(|group| group.info() == info) {
            let mut random = Replay(drawn.clone());
            let client = group.generate(&mut random).unwrap();
            assert!(random.0.is_empty());
            assert_eq!(hex::encode(Sha256::digest(client.share())), *digest, "{name}");
        }
    }
}

/// Returns the errors of `respond` and `finish` for a share that `change` has modified.
#[track_caller]
fn refused(group: &Group, change: impl Fn(&mut Vec<u8>)) -> [Option<Error>; 2] {
    let client = group.generate(&mut SysRng).unwrap();
    let mut client_share = client.share().to_vec();
    let mut server_share = group.respond(&mut SysRng, &client_share).unwrap().share;
    change(&mut client_share);
    change(&mut server_share);
    [group.respond(&mut SysRng, &client_share).err(), client.finish(&server_share).err()]
}

#[test]
fn wrong_lengths_are_named() {
    for group in groups() {
        let lengths = [group.info().client_share(), group.info().server_share()];
        for change in [|n: usize| n - 1, |n| n + 1, |_| 0, |_| 65_535, |_| 32, |n| 2 * n] {
            let errors = refused(&group, |share| share.resize(change(share.len()), 4));
            for (expected, error) in lengths.into_iter().zip(errors) {
                assert_eq!(error, Some(Error::ShareLength { expected, found: change(expected) }));
            }
        }
    }
}

/// Returns the range of the classical half in `share`.
fn point_of(group: &Group, share: &[u8]) -> core::ops::Range<usize> {
    let point = group.info().curve.unwrap().public_key;
    match group.info().kem_first {
        true => share.len() - point..share.len(),
        false => 0..point,
    }
}

#[test]
fn points_are_uncompressed_and_on_the_curve() {
    for group in groups().iter().filter(|group| group.has_points()) {
        for found in [0, 2, 3, 5, 6, 7, 0xff] {
            let errors = refused(group, |share| {
                let start = point_of(group, share).start;
                share[start] = found;
            });
            assert_eq!(errors, [Some(Error::PointFormat { found }); 2]);
        }
        // Another y is on the curve only if it is -y, which differs from y in more than one bit.
        let errors = refused(group, |share| {
            let end = point_of(group, share).end;
            share[end - 1] ^= 1;
        });
        assert_eq!(errors, [Some(Error::PointNotOnCurve); 2], "{}", group.info().name);
        // Coordinates above the field's prime.
        let errors = refused(group, |share| {
            let point = point_of(group, share);
            share[point.start + 1..point.end].fill(0xff);
        });
        assert_eq!(errors, [Some(Error::PointNotOnCurve); 2], "{}", group.info().name);
        // The point (0, 0), which formulas without a check would accept.
        let errors = refused(group, |share| {
            let point = point_of(group, share);
            share[point.start + 1..point.end].fill(0);
        });
        assert_eq!(errors, [Some(Error::PointNotOnCurve); 2], "{}", group.info().name);
    }
}

/// Returns the offset of the KEM's half in a share.
fn kem_start(group: &Group) -> usize {
    let info = group.info();
    if info.kem_first { 0 } else { info.curve.unwrap().public_key }
}

/// u-coordinates of small order (RFC 7748, section 6.1): 0, 1, p - 1, and two of order 8.
const SMALL_ORDER: [&str; 5] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
];

#[test]
fn points_of_small_order_are_refused() {
    for (backend, expected) in
        [(crate::rustcrypto::X25519, Error::ZeroSecret), (crate::aws_lc::X25519, Error::ZeroSecret)]
    {
        let group = Group::with_ecdh(&group::X25519MLKEM768, backend).unwrap();
        for point in SMALL_ORDER {
            let point = hex::decode(point).unwrap();
            let errors = refused(&group, |share| {
                let range = point_of(&group, share);
                share[range].copy_from_slice(&point);
            });
            assert_eq!(errors, [Some(expected); 2]);
            let client = group.generate(&mut SysRng).unwrap();
            assert_eq!(client.finish_classical(&point).err(), Some(expected));
        }
    }
}

#[test]
fn encapsulation_keys_are_canonical() {
    // Where coefficients are modulo a power of two and use all bits, every key is canonical.
    let modules = |group: &Group| {
        let name = group.info().kem.name;
        name.starts_with("ML-KEM") || name.starts_with("Kyber")
    };
    for group in groups().into_iter().filter(modules) {
        let mut share = group.generate(&mut SysRng).unwrap().share().to_vec();
        let start = kem_start(&group);
        // The first coefficient is 4095, above q = 3329.
        share[start] = 0xff;
        share[start + 1] |= 0x0f;
        let error = group.respond(&mut SysRng, &share).err();
        assert_eq!(error, Some(Error::Kem(oaklath_kem::Error::EncapsulationKeyNotCanonical)));
    }
}

/// Implicit rejection: no error, another secret, and an unchanged classical half.
#[test]
fn a_changed_ciphertext_changes_the_secret_only() {
    for group in groups() {
        let client = group.generate(&mut SysRng).unwrap();
        let mut answer = group.respond(&mut SysRng, client.share()).unwrap();
        answer.share[kem_start(&group)] ^= 1;
        let secret = client.finish(&answer.share).unwrap();
        let differ = secret.as_bytes().iter().zip(answer.secret.as_bytes()).filter(|(a, b)| a != b);
        let differ = differ.count();
        assert!((1..=group.info().kem.shared_secret).contains(&differ), "{differ}");
    }
}

#[test]
fn the_classical_half_alone() {
    for group in groups() {
        let client = group.generate(&mut SysRng).unwrap();
        let Some(ecdh) = group.ecdh else {
            assert!(client.classical().is_none());
            assert_eq!(client.finish_classical(&[4; 65]).err(), Some(Error::NotHybrid));
            continue;
        };
        let (curve, share) = client.classical().unwrap();
        assert_eq!(curve, ecdh.curve());
        assert_eq!(share, &client.share()[point_of(&group, client.share())]);
        let (answer, secret) = ecdh.respond(&mut SysRng, share).unwrap();
        assert_eq!(client.finish_classical(&answer).unwrap().as_bytes(), secret.as_bytes());

        let client = group.generate(&mut SysRng).unwrap();
        let expected = curve.public_key;
        let short = client.finish_classical(&answer[1..]).err();
        assert_eq!(short, Some(Error::ShareLength { expected, found: expected - 1 }));
        if group.has_points() {
            let client = group.generate(&mut SysRng).unwrap();
            let compressed = [&[2], &answer[1..]].concat();
            let error = client.finish_classical(&compressed).err();
            assert_eq!(error, Some(Error::PointFormat { found: 2 }));
        }
    }
}

/// A generator that always fails.
struct Broken;

impl Random for Broken {
    fn fill(&mut self, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::Random)
    }
}

#[test]
fn a_bad_generator_is_an_error() {
    for group in groups() {
        assert_eq!(group.generate(&mut Broken).err(), Some(Error::Random));
        let share = group.generate(&mut SysRng).unwrap().share().to_vec();
        assert_eq!(group.respond(&mut Broken, &share).err(), Some(Error::Random));
    }
    // Neither zero nor a number above the order is a private key of a prime curve.
    for ecdh in [crate::rustcrypto::ALL, crate::aws_lc::ALL].concat() {
        let prime = ecdh.curve() != &curve::X25519;
        for byte in [0, 0xff] {
            let error = ecdh.generate(&mut Constant(byte)).err();
            assert_eq!(error, prime.then_some(Error::Random), "{ecdh:?}");
        }
    }
}

/// An implementation that returns what no curve has: a share of this length, and a secret that is
/// too long.
#[derive(Clone, Copy, Debug)]
struct Foreign(usize);

impl Ecdh for Foreign {
    fn curve(&self) -> &'static curve::CurveInfo {
        &curve::X25519
    }

    fn generate(&self, _: &mut dyn Random) -> Result<Box<dyn crate::Ephemeral>, Error> {
        Ok(Box::new(*self))
    }
}

impl crate::Ephemeral for Foreign {
    fn share(&self) -> &[u8] {
        &[9; 32][..self.0]
    }

    fn agree(self: Box<Self>, _: &[u8]) -> Result<crate::SharedSecret, Error> {
        Ok([9; 33][..].into())
    }
}

#[test]
fn a_foreign_backend_cannot_break_the_layout() {
    let foreign = Group::with_ecdh(&group::X25519MLKEM768, &Foreign(31)).unwrap();
    assert_eq!(foreign.generate(&mut SysRng).err(), Some(Error::Backend));
    let share = Group::new(foreign.info()).unwrap().generate(&mut SysRng).unwrap();
    assert_eq!(foreign.respond(&mut SysRng, share.share()).err(), Some(Error::Backend));
    let client = Group::with_ecdh(foreign.info(), &Foreign(32)).unwrap();
    let client = client.generate(&mut SysRng).unwrap();
    let answer = share.group().respond(&mut SysRng, client.share()).unwrap();
    assert_eq!(client.finish(&answer.share).err(), Some(Error::Backend));
}

#[test]
fn errors_say_what_was_expected_and_found() {
    let length = oaklath_kem::Length { expected: 64, found: 63 };
    let of_kem = oaklath_kem::Error::CiphertextLength(length);
    for (error, text) in [
        (Error::ShareLength { expected: 64, found: 63 }, "key share: expected 64 bytes, found 63"),
        (
            Error::PointFormat { found: 2 },
            "key share: expected an uncompressed point (first byte 4), found 2",
        ),
        (Error::PointNotOnCurve, "key share: expected a point on the curve, found none"),
        (Error::ZeroSecret, "key share: expected a point of large order, found one of small order"),
        (of_kem.into(), "ciphertext of 63 bytes, expected 64"),
        (Error::NotHybrid, "expected a hybrid group, found a KEM alone"),
        (Error::Random, "expected random bytes, found a failing generator"),
        (Error::Backend, "the implementation of the curve failed"),
    ] {
        assert_eq!(error.to_string(), text);
        let of_peer = core::error::Error::source(&error).map(|source| source.to_string());
        assert_eq!(of_peer, matches!(error, Error::Kem(_)).then(|| of_kem.to_string()));
    }
    // A new key that does not work is a fault of this side, not of the peer.
    assert_eq!(Error::from(oaklath_kem::Error::Fault), Error::Backend);
}

#[test]
fn what_is_unavailable_says_why() {
    let unknown = Group::by_name("X25519MLKEM786").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "expected the name of a group, found `X25519MLKEM786`; is it `X25519MLKEM768`?"
    );
    let unknown = Group::by_name("rot13").unwrap_err();
    assert_eq!(unknown.to_string(), "expected the name of a group, found `rot13`");
    assert_eq!(unknown, Unavailable::UnknownName { name: "rot13".into(), suggestion: None });
    let wrong = Group::with_ecdh(&group::X25519MLKEM768, crate::rustcrypto::P256).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "X25519MLKEM768: expected an implementation of X25519, found one of P-256"
    );
    let none = Group::with_ecdh(&group::MLKEM768, crate::rustcrypto::P256).unwrap_err();
    assert!(matches!(none, Unavailable::WrongCurve { .. }));
    // These occur only in a build with fewer features.
    let says = |why: Unavailable, text: &str| assert!(why.to_string().contains(text), "{why}");
    says(Unavailable::NotCompiled(&group::P521_KYBER_LEVEL5), "the cargo feature `kyber`");
    says(Unavailable::NotCompiled(&group::X25519MLKEM768), "the cargo feature `ml-kem`");
    says(Unavailable::NoCurve(&group::X25519MLKEM768), "its curve X25519 needs the cargo feature");
}

#[test]
fn debug_shows_no_secret() {
    let group = Group::by_name("X25519MLKEM768").unwrap();
    let client = group.generate(&mut SysRng).unwrap();
    assert_eq!(format!("{client:?}"), "ClientKey { group: \"X25519MLKEM768\", .. }");
    let answer = group.respond(&mut SysRng, client.share()).unwrap();
    assert_eq!(format!("{:?}", answer.secret), "SharedSecret { .. }");
}
