//! SLH-DSA and SPHINCS+ by name: known answers of the standard, damaged signatures and keys,
//! several signatures at a time.
use oaklath_hash::sha2::sha256;
use oaklath_params::hash;
use oaklath_sig::{Error, Message, Signature, Verify, all, by_name, verify_many};
use oaklath_simd::Level;

/// A deterministic signature of NIST's ACVP vectors.
struct Known {
    name: &'static str,
    /// The hash function of the message, or empty.
    pre_hash: &'static str,
    sk: &'static str,
    /// The message or its digest.
    message: &'static str,
    context: &'static str,
    /// SHA-256 of the signature.
    signature: &'static str,
}

/// From SLH-DSA-sigGen-FIPS205 of the ACVP server's sample vectors, one test per set.
#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known {
        name: "SLH-DSA-SHA2-128f",
        pre_hash: "SHA2-512/224",
        sk: "96078beb075b02f5ed74dd3fb73fa7e67a0f848c49c85c72ab1ee9714ae34edda718a4158f0fc91d\
            1df371774d30390ab97c1ec29a6a8cbd2f5e9463b75805e2",
        message: "23b542dc82a9cb8c0fc4671d3463b08f02994a530e8b5a5b5db63d4c",
        context: "2d2bef23f01828cb7df16ef9c685f5a01ac22a",
        signature: "3f472e7a9b5aa25e42072711905792dcac80868bee227da4c27371bf117e976f",
    },
    Known {
        name: "SLH-DSA-SHA2-128s",
        pre_hash: "SHA2-224",
        sk: "54ef5662fe5b10bc143c7ed3f1eaf99a0ee2c24be6f685aafe4dd1fc4823dd9aa7f520266a741ca7\
            4bc9bff74c4887c79cadc366e8867ae645a079255d6f0ffe",
        message: "3d1bf40930dfb9b43cfd3051aaa2dae1f8e705f4fcb1b92204a9b8d3",
        context: "7558e62e",
        signature: "939ad50c60488d31b6c2f20af544c86be95c7986de1304128be44ae3394ea093",
    },
    Known {
        name: "SLH-DSA-SHA2-192f",
        pre_hash: "",
        sk: "5e47d254b8d240af51d0a567ed7ef94be131b7f67cf44c3ec3f806dc7ecd80caf79b72d2fafefae7\
            d62e5f9adf1fe8493d7ed5a76c06a7cbeb4652980e3295056bf279e544c485af4f07b565ec2615f0\
            11e1e59515be094ea9809e7677d48221",
        message: "35",
        context: "9909d5fed3bfecf02c49b745530a86a88ff7c4adf4ed2f3ac582e3d939ef64778bc23e1f597218ec\
            ecb7b3b99ac64c10a35af1f5cc1f74d7282f71ecabd8a7e002520b9f1a2a0380ec91cc69c4576937\
            6e8eb2e0cf67c99761584a5df3047db920781103feba9f563ac15c96b6d630738c64f02991c75813\
            550a5ab9813d4249288340f4cbf59b5fb844a8287b1fa1bc12cc9a",
        signature: "7bae0bf44a8d2b094875c10ff181d3e818bb7c9e9e991322940e9d159b5b00d2",
    },
    Known {
        name: "SLH-DSA-SHA2-192s",
        pre_hash: "",
        sk: "1f8078a46a159c557a076df60fdadf9e99910180f23519e8d840852c87a664274c445288ef0004f6\
            8dafb2ed9c41355802f2186cf2194c2fecabf5bf4a9a15996f1a8e4ce03c99ee2345d31923af6bef\
            d7d2735cebd6a9f6c49fbb59dc32407b",
        message: "c5",
        context: "279cff3fc74a23ac144ef7e805a41a6113f37003bd527f51866266c8c040408c67ca64cb45904b29\
            b8d3cf4818d8432770bec24fee1ae38b6744d01274dc7fe49610c149cc8b1fd6435e1ea1dee79556\
            75daa43f24d79c2913315665678e88d674ad2fae2fb80215fde7268a44f7bcbea937a1fcb3f392c6\
            bef002cea01dbe6ae962989aa53f8d16d75733b79d5b191600f78325f871380c48d5eebccfd96d31\
            9fc4e55e0dbcb52c5d9a6eeb00db9badadd2a80e4e5d2ecfc0a6575b6ceab1454333923908c7e8a8\
            05d1832740f9b2a0305aa7811fb16431fdee25f665bbfee0c2afe5b27bcc075453c8bfb38e2cbde5\
            9cbc176bcb73f529e60d05101b3c71",
        signature: "f7256d4b749e928c24fd3f672da2778488fc9807b5fdb6532e7b37d72f699b04",
    },
    Known {
        name: "SLH-DSA-SHA2-256f",
        pre_hash: "",
        sk: "2bec12e7c24cf77a59cc8e426afbfeeafcd6eaf830df7c848f820cd80b1bd34072a8c0bfe191c207\
            b1a40d8abc34f5c8ff81f6cdcc45907d85b49fdb81ffc4fcbcc5d30e197a4d1feea12fddf2f94d76\
            848bff48b1ec764a4a2054ea3334b38faae0238df2728273c9252743388868991924bc524befc781\
            ffc1d30a1811dcb9",
        message: "89",
        context: "d96b88f6481c6f4cbe7607dc7c4da79b6a14c2afa687062d87ad57c248cfa3be98464fa6b3787698\
            18bfd5a57a0c3a3389d7d62a4724ac28123b6ebfb4870c931c82e8b7813072403e0ad452b01869f5\
            6d0b4a5562bf4181fed0d726b8b5a2ec1285bee302a83fd32c39e988a6abf9ea61277456741e19da\
            65ea5fc0049f7a28937afea902ca1ce162be737c99a66c5e91dbc533dd3667102fc1ae1e",
        signature: "fa15215ecd659f572f58541466f44a89ec6ef92e45a4b51dc785b3d215e32af8",
    },
    Known {
        name: "SLH-DSA-SHA2-256s",
        pre_hash: "SHA2-224",
        sk: "bce00e18ecb2be9d518eaf1fb59ca246ac7459f7cc415d9e5bbed042a05b1dad8f43d11d8303098e\
            fea0e41d793e25ca394560841f28e7d55ac8d6b668b680be033c45d2acdab8dfda9e66cff2217878\
            3ccd6f8738e042da6ff50ba2770e857c160b088732e401a274573de983c34ecfc2e04edfc92d0296\
            ab48ee52ace3fc36",
        message: "51db5a8b7ff46bac13b4dbd9496b05c674d65b1be46042e95547d6d6",
        context: "",
        signature: "9b944c1ce5d552ea8843d69962e87268ecd218281cbc2d261a10f3510d948b04",
    },
    Known {
        name: "SLH-DSA-SHAKE-128f",
        pre_hash: "",
        sk: "23b67d76f712bf69bc11504b6916ae4dd803898f16023470bc7be16ecb4f94b2c0220d26f040f499\
            d209385b8ef3387ce96c94ede698a703ea5827e96d37bafa",
        message: "45",
        context: "63816b7d09879fa1b60090deabe230e316fc9654a9b6e07af1bf498a92a3b737e4dd5ac4c994cb74\
            a6a0d597d7060c9378d12205e3e378be",
        signature: "9a251374a67bca2b95aa583195650dea4017d2c05e4fa12c81bbe6e7930edf4d",
    },
    Known {
        name: "SLH-DSA-SHAKE-128s",
        pre_hash: "",
        sk: "5449100f840b2dccb92e5f0cc601ff792f3e3a0b16980fb9ab26158a43ed1e4e6ba0b386c3e4c161\
            8c03ee1271191acd1be6cfcc4b3cc9ee6774fafe126829c4",
        message: "45",
        context: "a841de4e746476f1e0eae5ccdba1c3964f6201bb045fdbd58a8274074b27dbc8761aef99f25673a7\
            6f2ecacab47228d361bb938860f19f97dbd0a4e80be51fabb59a3f04742551e3eb62ada3f7b6a62e\
            6a80ed6ad29063b61f64be43395e0a1dd1c2815ba193544f266619c4a8befb9914dd461603f16d37\
            f5e098c874774a04265662f350ba0cb196f05c3fc75996b72c33ba8363307333b5d215ad45ea4082\
            a6e11d3f7528cdce61aa46762522090b8dddb3b5f9f0e54495d71c1e896d5bdd678162d1642494e0\
            e8b4734874080bd1f09e1aa0c8a70308b381640909b682d5f2bb7f30f3faaaa87d7b5cfdf998c5f9\
            e125d40c424e99e7b256cc0fcd125b",
        signature: "4da8ec813b7bafdfd31f6c0ef4e985b48977d846e8aa58a1d7d8d69bd9e072c9",
    },
    Known {
        name: "SLH-DSA-SHAKE-192f",
        pre_hash: "SHA3-256",
        sk: "acca7109e8ab824a235d0c2fedd763384af7b0a169f98af84aca051769ca803537b9ecb87355726e\
            6a1763f57cc5566d5d6beab7bd7f6c4bd5557aeb4afc4cbf876bdb46fb8fd637bf8073d0c1ecbb49\
            5a48ff2a12119bb35279400867d9df8b",
        message: "99b2a2757fc248d7d90b28185502bc796c4c358d7c7cc9bcc5ee252bd492dcfa",
        context: "5ea2b7dd3669ed64db5a04a3a039e6e77bebd3240ac34d0bb9aa0c6863c389e323de7a194581b094\
            11868cc0709f3e49fc388da08ec8c4d9bcfd5fe6fdffeb681b7443df82",
        signature: "937abd5f915c702d94f163f2f2a017b1e60d5af2f80b82fc067c09e3fe054f43",
    },
    Known {
        name: "SLH-DSA-SHAKE-192s",
        pre_hash: "SHA2-384",
        sk: "661616a26b2a2951328ad9ab180d5fe898588e0df1b227f6f121e1880905b4b5f7cdefb957b8f9c5\
            a10f40ebb4e6fef061783320b2536b4fa7ada3a80f004c11df2068fc5fad761dd9d3bcbca5e5d2cf\
            50393d6ff0388a5238cf2d2e3f66dad6",
        message: "bb1fbcb597174439ffffb731ab00eed4806537f3fb163db03c4f724ec552578afe67b1d55c2b8b0c\
            7c73e5f5a5f91013",
        context: "",
        signature: "f0c0b88a82d717c9c5d77dddfe8c4631dd68e97c6087048ad14ad410c7b00aa4",
    },
    Known {
        name: "SLH-DSA-SHAKE-256f",
        pre_hash: "SHA3-512",
        sk: "1be3887b54f31604e0a8f808ff8d7a2b356d222b221c92d2e90141373fa227bc496eac4d213ac17f\
            c33bd36ddf56468ba867af011d2e264811c65a3f262187749cc3a4207da75d4ba1ad033235c94baf\
            55df8bcae2b77cb3d0f64600a4ad01af0ada240b988a23717a88447876f2abc9ef25820eaaf3d8cf\
            41767a6bca004b8c",
        message: "68728aa4f7c123fb2ae987056933d05e07ef0493c539e616354bfda2a490b32cfb5722beb900ffc2\
            9fe1fa3af10f4c74da7f8e0f57e7df41db98a4558c581883",
        context: "",
        signature: "c6b0a8c7f8525f1ef8b30b1738f1b321f937eda827eeaba26c4b66ef373a05e4",
    },
    Known {
        name: "SLH-DSA-SHAKE-256s",
        pre_hash: "",
        sk: "d2bdc926a9746213cdb18004c2f6ef8c70324eecf48f9cd041042375e4ad0909061b5bae13d1df58\
            88a9b4a8cac8351a5589fbb0c7f0e36b3d8e997d26f7db2d108e7ac89dcd6f317929f201f18e1fd9\
            171de9902156b961f3f20c5711c7bddf2d4d0a16d0b14fb9d207561fc26303541c78b188e6feee0d\
            6fe6dc0f2cbf448c",
        message: "ea",
        context: "c4b7f3f63c22bfeed8ed12afa2",
        signature: "40982f9aee02678ab3a36b26c0ffa4101c7ae39a14f755d1d885e8f4aa9d8416",
    },
];

#[test]
fn signatures_of_the_fast_sets() {
    signatures_of_the_standard('f');
}

#[test]
fn signatures_of_the_small_sets() {
    signatures_of_the_standard('s');
}

fn signatures_of_the_standard(kind: char) {
    let sets = || KNOWN.iter().filter(|known| known.name.ends_with(kind));
    for known in sets() {
        let scheme = by_name(known.name).unwrap();
        let info = scheme.info();
        let [sk, message, context] =
            [known.sk, known.message, known.context].map(|digits| hex::decode(digits).unwrap());
        let context = &context;
        let message = match hash::by_name(known.pre_hash) {
            Some(hash) => Message::PreHashed { hash, digest: &message, context },
            None => Message::Pure { message: &message, context },
        };
        for level in Level::available() {
            level.with(|| {
                let mut signature = vec![0; info.signature];
                assert_eq!(scheme.sign(&sk, &message, None, &mut signature), Ok(info.signature));
                let digest = hex::encode(sha256(&signature));
                assert_eq!(digest, known.signature, "{} at {level}", known.name);
                let mut pk = vec![0; info.public_key];
                assert_eq!(scheme.public_key(&sk, &mut pk), Ok(()));
                assert_eq!(scheme.verify(&pk, &message, &signature), Ok(()));
            });
        }
    }
    assert_eq!(sets().count(), 6);
}

/// Returns the sets that sign in milliseconds; the others differ from them only in parameters.
fn fast() -> impl Iterator<Item = &'static dyn Signature> {
    let name = |scheme: &&dyn Signature| scheme.info().name;
    let trees = move |scheme: &&dyn Signature| {
        name(scheme).starts_with("SLH-DSA") || name(scheme).starts_with("SPHINCS+")
    };
    let sets = all().iter().copied().filter(trees);
    sets.filter(move |scheme| name(scheme).ends_with('f') || name(scheme).ends_with("f-simple"))
}

struct Pair {
    pk: Vec<u8>,
    sk: Vec<u8>,
}

fn pair(scheme: &dyn Signature) -> Pair {
    pair_from(scheme, 0)
}

/// Returns the keys of a seed whose bytes count up from the first.
fn pair_from(scheme: &dyn Signature, first: usize) -> Pair {
    let info = scheme.info();
    let (mut pk, mut sk) = (vec![0; info.public_key], vec![0; info.secret_key]);
    let seed: Vec<u8> = (first..).take(scheme.seed_len()).map(|i| i as u8).collect();
    scheme.keypair_from(&seed, &mut pk, &mut sk).unwrap();
    Pair { pk, sk }
}

fn signed(scheme: &dyn Signature, sk: &[u8], message: &[u8]) -> Vec<u8> {
    let mut signature = vec![0; scheme.info().signature];
    scheme.sign(sk, &Message::new(message), None, &mut signature).unwrap();
    signature
}

#[test]
fn all_sets_are_there() {
    let count = |start: &str| all().iter().filter(|s| s.info().name.starts_with(start)).count();
    assert_eq!((count("SLH-DSA"), count("SPHINCS+")), (12, 6));
    assert_eq!(fast().count(), 6 + 3);
}

#[test]
fn no_part_of_a_signature_may_change() {
    for scheme in fast() {
        let Pair { pk, sk } = pair(scheme);
        let message = Message::new(b"message");
        let signature = signed(scheme, &sk, b"message");
        assert_eq!(scheme.verify(&pk, &message, &signature), Ok(()));
        let rejected = |pk: &[u8], message: &Message<'_>, signature: &[u8]| {
            scheme.verify(pk, message, signature) == Err(Error::InvalidSignature)
        };
        // Flips a bit in every fifth node: the randomizer, secrets, paths, chains.
        let n = scheme.coins_len();
        for node in (0..signature.len()).step_by(5 * n) {
            let mut changed = signature.clone();
            changed[node + node / n % n] ^= 1 << (node / n % 8);
            assert!(rejected(&pk, &message, &changed), "{} byte {node}", scheme.info().name);
        }
        for i in 0..pk.len() {
            let mut changed = pk.clone();
            changed[i] ^= 0x10;
            assert!(rejected(&changed, &message, &signature));
        }
        assert!(rejected(&pk, &Message::new(b"massage"), &signature));
        assert!(rejected(&pk, &message, &signature[1..]));
        assert!(rejected(&pk, &message, &[&signature[..], &[0]].concat()));
        assert!(rejected(&pk, &message, &[]));
    }
}

#[test]
fn roots_of_other_keys_are_rejected() {
    for scheme in fast() {
        let Pair { pk, sk } = pair(scheme);
        let (n, message) = (scheme.coins_len(), Message::new(b"message"));
        let (mut out, mut pk2) = (vec![7; scheme.info().signature], pk.clone());
        // A root that does not follow from the seeds.
        let mut strange = sk.clone();
        strange[4 * n - 1] ^= 1;
        let inconsistent = Err(Error::SecretKeyInconsistent);
        assert_eq!(scheme.public_key(&strange, &mut pk2), inconsistent);
        assert!(pk2.iter().all(|byte| *byte == 0));
        out.fill(7);
        assert_eq!(scheme.sign(&strange, &message, None, &mut out).map(|_| ()), inconsistent);
        assert!(out.iter().all(|byte| *byte == 0));
        let signer = scheme.prepare_signer(&strange).unwrap();
        assert_eq!(signer.sign(&message, None, &mut out).map(|_| ()), inconsistent);
        assert_eq!(scheme.public_key(&sk, &mut pk2), Ok(()));
        assert_eq!(pk2, pk);
    }
}

#[test]
fn signatures_of_several_keys_share_lanes() {
    for scheme in fast() {
        let keys: Vec<Pair> = (0..3).map(|i| pair_from(scheme, i)).collect();
        let verifiers: Vec<_> =
            keys.iter().map(|key| scheme.prepare_verifier(&key.pk).unwrap()).collect();
        // Each key signs two texts, which take turns.
        let (by, texts) =
            ([0, 0, 1, 2, 2, 0, 1, 2, 0, 1, 1, 1, 2, 0, 0, 2, 1, 0, 0], [&b"text"[..], b"another"]);
        let sign = |key: &Pair| texts.map(|text| signed(scheme, &key.sk, text));
        let by_keys: Vec<_> = keys.iter().map(sign).collect();
        let mut signatures: Vec<Vec<u8>> =
            by.iter().enumerate().map(|(i, key)| by_keys[*key][i % 2].clone()).collect();
        signatures[4][700] ^= 1;
        signatures[9].pop();
        *signatures[17].last_mut().unwrap() ^= 1;
        let mut items: Vec<(&dyn Verify, Message<'_>, &[u8])> = Vec::new();
        for ((key, text), signature) in by.iter().zip(texts.iter().cycle()).zip(&signatures) {
            items.push((&*verifiers[*key], Message::new(text), signature));
        }
        // By the key of its neighbours.
        items[12].0 = &*verifiers[1];
        for level in Level::available() {
            let mut results = vec![Err(Error::MessageForm); items.len()];
            level.with(|| verify_many(&items, &mut results));
            for (i, result) in results.iter().enumerate() {
                assert_eq!(result.is_ok(), ![4, 9, 12, 17].contains(&i), "{i} at {level}");
            }
        }
    }
}

#[test]
fn many_signatures_are_told_apart() {
    for scheme in fast() {
        let Pair { pk, sk } = pair(scheme);
        let verifier = scheme.prepare_verifier(&pk).unwrap();
        // The last but one is the first once more, and the one before it differs in the last path.
        let texts: Vec<[u8; 1]> = (0..11).map(|i| [if i < 8 { i } else { i / 10 }]).collect();
        let mut signatures: Vec<Vec<u8>> =
            texts.iter().map(|text| signed(scheme, &sk, text)).collect();
        signatures[3][100] ^= 1;
        signatures[5].pop();
        *signatures[8].last_mut().unwrap() ^= 1;
        signatures[10][0] ^= 1;
        let long = [0; 300];
        let mut items: Vec<(&dyn Verify, Message<'_>, &[u8])> = Vec::new();
        for (text, signature) in texts.iter().zip(&signatures) {
            items.push((&*verifier, Message::new(text), signature));
        }
        items[7].1 = Message::with_context(&texts[7], &long);
        for level in Level::available() {
            for count in [0, 1, 2, 8, 9, 11] {
                let mut results = vec![Err(Error::MessageForm); count];
                level.with(|| verify_many(&items[..count], &mut results));
                for (i, result) in results.iter().enumerate() {
                    let one = verifier.verify(&items[i].1, items[i].2);
                    assert_eq!(*result, one, "{i} of {count} at {level}");
                    assert_eq!(one.is_ok(), ![3, 5, 7, 8, 10].contains(&i), "{i}");
                }
            }
        }
    }
}
