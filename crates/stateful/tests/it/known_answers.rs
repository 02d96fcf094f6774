//! Known answers: those of RFC 8554, RFC 9858 and ACVP in full where they are short, and SHA-256
//! digests of the signatures that Cisco's hash-sigs (vectors of Bouncy Castle and Botan), the
//! reference of XMSS (vectors of Botan) and liboqs make with given private keys.

use oaklath_params::stateful::lms::{lmots_by_typecode, lms_by_typecode};
use oaklath_params::stateful::xmss;
use oaklath_simd::Level;
use oaklath_stateful::{
    HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssSigningKey,
    XmssTrees,
};
use sha2::{Digest, Sha256};

fn levels_of(types: &[(u32, u32)]) -> HssLevels {
    let types: Option<Vec<_>> = types
        .iter()
        .map(|(lms, lmots)| Some((lms_by_typecode(*lms)?, lmots_by_typecode(*lmots)?)))
        .collect();
    HssLevels::new(&types.expect("known types")).expect("types that go together")
}

/// Signs, verifies the signature and returns its digest.
fn sign(key: &mut impl StatefulKey, index: u64, message: &[u8]) -> String {
    let mut signature = vec![0; key.signature_len()];
    key.sign_at(Index::from_durable_record(index), message, &mut signature).expect("an index");
    let checked = key.check(message, &signature).expect("a signature");
    assert_eq!(checked.index, index);
    assert_eq!(checked.subtree_keys, key.subtree_keys(index).expect("an index"));
    hex::encode(Sha256::digest(&signature))
}

/// RFC 8554, appendix F, test case 2: keys of both levels from their seeds; RFC 9858, appendix A,
/// and NIST's ACVP of SHA-256/192.
#[test]
fn public_keys_of_lms() {
    let seeds = [
        (
            (6, 3),
            "558b8966c48ae9cb898b423c83443aae014a72f1b1ab5cc85cf1d892903b5439",
            "d08fabd4a2091ff0a8cb4ed834e74534",
            "32a58885cd9ba0431235466bff9651c6c92124404d45fa53cf161c28f1ad5a8e",
        ),
        (
            (5, 4),
            "a1c4696e2608035a886100d05cd99945eb3370731884a8235e2fb3d4d71f2547",
            "215f83b7ccb9acbcd08db97b0d04dc2b",
            "a1cd035833e0e90059603f26e07ad2aad152338e7a5e5984bcd5f7bb4eba40b7",
        ),
        (
            (10, 6),
            "d27ea04fd5108000a4e5938f0f3652a9764a9d387b225d1d",
            "512f0559510c9d074d3a4dcf49647c2a",
            "0a644b0b4453d3872b4f43ea1e7835295907522e38a4a69e",
        ),
        (
            (11, 5),
            "c3e08b12ea1b99e2f139fb63542c9eb635ae0aaa80275930",
            "0cca03401af08acf9c4f82e2afb0f6ce",
            "b3842e6e984e0a3898a41ef9cf0a55167525eb6eb4d9b3d6",
        ),
    ];
    for (types, seed, id, root) in seeds {
        for level in Level::available() {
            let seed = hex::decode([seed, id].concat()).unwrap();
            let levels = levels_of(&[types]);
            let key = level.with(|| HssSigningKey::from_seed(&levels, &seed, NODE_BYTES)).unwrap();
            let want = format!("00000001{:08x}{:08x}{id}{root}", types.0, types.1);
            assert_eq!(hex::encode(key.public_key()), want, "{level}");
        }
    }
}

/// RFC 9858, appendix A.
#[test]
fn signatures_of_rfc_9858() {
    for [key, message, signature] in RFC_9858 {
        let [key, message, signature] =
            [key, message, signature].map(|digits| hex::decode(digits).unwrap());
        let key = HssPublicKey::from_bytes(&key).unwrap();
        for level in Level::available() {
            level.with(|| {
                assert_eq!(key.verify(&message, &signature), Ok(()), "{level}");
                for place in (0..signature.len()).step_by(13) {
                    let mut changed = signature.clone();
                    changed[place] ^= 1;
                    assert!(key.verify(&message, &changed).is_err(), "byte {place} at {level}");
                }
                for len in 0..signature.len() {
                    assert!(key.verify(&message, &signature[..len]).is_err(), "{len} bytes");
                }
                assert!(key.verify(&message, &[&signature[..], &[0]].concat()).is_err());
                assert!(key.verify(&message[1..], &signature).is_err());
            });
        }
    }
}

/// The seed and I of Bouncy Castle's keys.
const SEED: &str = "2f2e2d2c2b2a292827262524232221201f1e1d1c1b1a19181716151413121110\
                    0f0e0d0c0b0a09080706050403020100";
const MESSAGE: &[u8] = b"cde";

/// The types, the root, and the digest of the first signature.
type FirstSignature = (&'static [(u32, u32)], &'static str, &'static str);

const FIRST_SIGNATURES: [FirstSignature; 9] = [
    (
        &[(5, 1)],
        "e486f1693402125a92dd33dfccbbe2dc368cae9feb8d17d998687bbe4be5985e",
        "6a370184efcca4273746723cc1b2ee9354b840ab6a95ac7c78c2137655091ea8",
    ),
    (
        &[(5, 2)],
        "40892c3d5efd6f9460e5c0937118b06e7f81c997a2dd6aade5da09b893707744",
        "70c00bf9d5910f112b3443870f623d4e1c551dc4e9073b6bce178ad7bc5f4eea",
    ),
    (
        &[(5, 3)],
        "85a05b6f00ef7ab477b466ba915790b100f9de6c406c9ee9dd662bca201246bb",
        "84aed18a06090fc53f018e71883bda2ad0e8625acfc4b3e747502a0cf2b2e3c9",
    ),
    (
        &[(5, 4)],
        "bba44b82f57ff22dc9d6d2ec83275fcb17ca051e2ea8c43e90e6ba2a21d554b0",
        "cc561ffea1669bac1d7c6f7dfd210a0ea3457a6592de064d6e425fa3b5d43947",
    ),
    (
        &[(6, 2)],
        "d2afb336c4834d23b69c678cf808ab4bb60d47c604f6fce3d4c7c17e5f24f6b1",
        "94461182fb7bfdf1d6b72ebc1d838da4f5147dfa0b2fd82b652d17a92318ea59",
    ),
    (
        &[(5, 3), (5, 2)],
        "85a05b6f00ef7ab477b466ba915790b100f9de6c406c9ee9dd662bca201246bb",
        "ec9574fd6341374f5e1d049c88a228e78d422bce7726eab116f31d19a570efe0",
    ),
    (
        &[(6, 3), (5, 2)],
        "a7cd5f5742c84b1cb5790917d10da7fd4435ed69f8d5951e3dea360602f488ae",
        "732426174b544d70014c14a86ea587a9abb2f58f4a529e2573762b4982647f3e",
    ),
    (
        &[(5, 3), (6, 2)],
        "85a05b6f00ef7ab477b466ba915790b100f9de6c406c9ee9dd662bca201246bb",
        "65c44d05b7e64c3d2af03c18b20b67e388be4530194298b09fc604eb8040d7c2",
    ),
    (
        &[(5, 3), (5, 3), (5, 2)],
        "85a05b6f00ef7ab477b466ba915790b100f9de6c406c9ee9dd662bca201246bb",
        "ddcd732e591795dc868290fa8b791e916644bce05243a33b66229bc211011805",
    ),
];

#[test]
fn first_signatures_of_hash_sigs() {
    for (types, root, digest) in FIRST_SIGNATURES {
        let tall = types.iter().any(|(lms, _)| *lms > 5);
        for level in Level::available().filter(|level| !tall || level.name() != "scalar") {
            level.with(|| {
                let seed = hex::decode(SEED).unwrap();
                let mut key =
                    HssSigningKey::from_seed(&levels_of(types), &seed, NODE_BYTES).unwrap();
                assert!(hex::encode(key.public_key()).ends_with(root), "{types:?} at {level}");
                assert_eq!(sign(&mut key, 0, MESSAGE), digest, "{types:?} at {level}");
            });
        }
    }
}

#[test]
fn later_signatures_of_hash_sigs() {
    let cases = [
        (
            "00000008000000000000002a0000000500000004000000050000000400000005000000040000000500000004000000050000000400000005000000040000000500000004000000050000000467c6697351ff4aec29cdbaabf2fbe3467cc254f81be8e78d765a2e63339fc99a66320db73158a35a255d051758e95ed4",
            "1234f006ba89f00111213baf0016171819f0",
            "d03e20edf3d22b46fa69a8a81fa8c6c7363d70df2e5766dbae6fc49a4ccdb8e4",
        ),
        (
            "0000000200000000000000830000000600000003000000050000000467c6697351ff4aec29cdbaabf2fbe3467cc254f81be8e78d765a2e63339fc99a66320db73158a35a255d051758e95ed4",
            "deadbeef",
            "4e417b5470326de7e950d2f87f5ccd59f935b919ffef54566bc20d60673e7c48",
        ),
    ];
    for (private, message, digest) in cases {
        let message = hex::decode(message).unwrap();
        for level in Level::available().filter(|level| level.name() != "scalar") {
            level.with(|| {
                let private = hex::decode(private).unwrap();
                let (mut key, index) = HssSigningKey::from_hash_sigs(&private, NODE_BYTES).unwrap();
                assert_eq!(sign(&mut key, index, &message), digest, "{level}");
            });
        }
    }
}

/// Keys in Botan's encoding, with both derivations, of all hash functions whose values have 24 or
/// 32 bytes.
#[test]
fn signatures_of_the_xmss_reference() {
    let cases = [
        (
            "00000001ce52afeaab62a4ba514253fcf59d5d8326ff0cd1bd3edd916baea883cea0d004bc1b7d069cabf1b9556315e69f8b3f7baa62d0004d89dc9e1d302ffa9b7c7a280000000075f11c53d6355fa070a7c75d1b4e4c8bbd8917f16551619665b840ed072f93f590daae519f7b076fdf67a025ab8aac02a4cd92014fe678a4b455c4c375e6aff902",
            "",
            "09a0f122612eeeca896ff72317d1c41d23e66e525874ca19651232b1276f057d",
        ),
        (
            "00000001b2d151ba3482a9d9b7cb2a41a9f78163299e680ef9b0201331f1ea51bfe2f9495093c306f22e06fd032d68fee2424d6650704d2ebcd3c459955f4f81b356b2f5000000008311f42031176aac4a531ab91f09aa7017d4528377f149aa77035691ef422017299632db5a46dcccc55669f24a735a5c54a911fd376217323ed155088fced07201",
            "",
            "6cd3412a40ca421db0eea3ed87ef36d6bc3e3b97b12386b23cd871ce0c767ec5",
        ),
        (
            "00000001f515d5687b22cd4879f392aa2c829e1b4aea078277dd605aa5b98e652b6544f417de84e870764c9f64486b59bb2a6ec0f4eac371cef36644bc87c515725bd0a5000000008d8f475375365222699109a9ad008e1a5da021636087104ade732023fc81bd0ff05f6eacbdd8c1784568b85e43ca6b5b48950b1244eeac852fc20efe93160d4d",
            "01020304",
            "1f44df727ab6601e8c8815244054ce14d8c2ab8a4c444c9eab1c8f58cd4babdb",
        ),
        (
            "00000007ed0746a0c7b4a98e5138384840b62b924ddfa203d76c04b4dcbd02c9b5a38925f232c0af74468fd07d66c3be15403a0a00cdd0c0455a3ca50f5fa2ee45ed8260000000003a87183c4122a07e96f582eff738cc42c9489a921e157dda637a3c49e283f2d5a346c2c493359d0365663152e97ce933b95c4905cc891fbb747bf90cbf7fc29202",
            "",
            "22026b6d0563dd97ab6dca85492418c3b0f92e45d4ff457e5f31d2edd756388e",
        ),
        (
            "0000000d382d336ecc48d9d91158c0b0eb54f6335081e4a5aadf7001f4de6f292479ad2752256d92205ab2153000317f9c56b9a20000000068a2ec6cde293ead7893f878c97f3f4ea5e7045905a9981ef29146a53a0e5d5250327fddf1f126cbf9e764140a3ed8d102",
            "",
            "fb8613ef6a3c54f0f9de68d2ec4f0c36fc5a553665e41d70e240ffb1e8ef8b2a",
        ),
        (
            "00000010644d20e76ed3ed9f21bad0d3f0cd3b7e39df2d3ebebc9fbb1f633cdc23c03df957e6d49aa2cc2c7f8c426d6e25b77f3de7fb5dcfd0af78047803496fc780eaaa00000000555589d93488d14d51519988a0e7afe5de24bf45a4936fd0352091341a27039a3bcef2aa1f5d50212b3398b32780065064364af23f04d1405bf272a20b94751302",
            "",
            "4687583418bdbdf1dec4b0b25a48677dc81ac1812e0523ce9b5af992ae8a7ba6",
        ),
        (
            "00000013700d5cbe87ccb29d61320ca8c2c8b687c0b9d480fb31bd6814d322405c2b7c30467f540c400a238eb439d9ac06272f0e000000006b7fa39e761b7ca86b2a4afa526b8014a82470a941d2f652579ce5e54316f51e5008cc2d3d24c9da7121c4874e4fd6c202",
            "",
            "134d51bcf8039ae245dfa579ba36aa3d6918819cbb05a5ecc0b8d7e7f6a45d80",
        ),
    ];
    for (private, message, digest) in cases {
        let (private, message) = (hex::decode(private).unwrap(), hex::decode(message).unwrap());
        for level in Level::available().filter(|level| level.name() != "scalar") {
            level.with(|| {
                let (mut key, index) = XmssSigningKey::from_botan(&private, NODE_BYTES).unwrap();
                let name = key.public().info().name;
                assert_eq!(sign(&mut key, index, &message), digest, "{name} at {level}");
            });
        }
    }
}

/// Keys of XMSS^MT in the encoding of liboqs.
#[test]
fn signatures_of_liboqs() {
    let message = "b338dd755d5618c464ab331f14de3dd4a358bba00d28fb35236741e902f7b248ce";
    let seeds = "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7\
                 056a8c266f9ef97ed08541dbd2e1ffa19810f5392d076276ef41277c3ab6e94a";
    let public = "04562ad35e8ecafaafda16981cdaa147606beea62801342af13c8b5535f72f94";
    let cases = [
        (
            &xmss::XMSSMT_SHA2_20_4_256,
            "cfa7f813f78c9797c0f6ad44c84059350be2d1ee249919c6e1f305d3c0e70244",
            "ef8dabb180d9802a2ad5696bec12d3804d77389443ffa573249d64fb9b79972f",
        ),
        (
            &xmss::XMSSMT_SHA2_40_8_256,
            "af6e11950b411d09b02c47aa513fc66675e96aa47c3b284279f9543fa23a2268",
            "89671bb24095b626120b278b61df03a5d09c8d7b3a4d08be17ce0247d502301d",
        ),
        (
            &xmss::XMSSMT_SHA2_60_12_256,
            "9c3469640cd3578a98e9f9471f596649e45d969754ffe37395b79731156a1e22",
            "541effb17bcd1968a713704d765fb2bbeb5ba7236e05d2833cba6eab8bdcab7c",
        ),
    ];
    for (set, root, digest) in cases {
        let index = "00".repeat(set.index());
        let private = format!("{:08x}{index}{seeds}{root}{public}", set.oid);
        let private = hex::decode(private).unwrap();
        for level in Level::available() {
            level.with(|| {
                let (mut key, index) =
                    XmssSigningKey::from_liboqs(XmssTrees::Multi, &private, NODE_BYTES).unwrap();
                let message = hex::decode(message).unwrap();
                assert_eq!(sign(&mut key, index, &message), digest, "{} at {level}", set.name);
            });
        }
    }
}

/// Public keys, messages and signatures.
const RFC_9858: [[&str; 3]; 3] = [
    [
        "000000010000000a00000008202122232425262728292a2b2c2d2e2f2c571450aed99cfb4f4ac285da148827\
         96618314508b12d2",
        "54657374206d65737361676520666f72205348413235362d3139320a",
        "0000000000000005000000080b5040a18c1b5cabcbc85b047402ec6294a30dd8da8fc3dae13b9f0875f09361\
         dc77fcc4481ea463c073716249719193614b835b4694c059f12d3aedd34f3db93f3580fb88743b8b3d0648c0\
         537b7a50e433d7ea9d6672fffc5f42770feab4f98eb3f3b23fd2061e4d0b38f832860ae76673ad1a1a52a900\
         5dcf1bfb56fe16ff723627612f9a48f790f3c47a67f870b81e919d99919c8db48168838cece0abfb683da48b\
         9209868be8ec10c63d8bf80d36498dfc205dc45d0dd870572d6d8f1d90177cf5137b8bbf7bcb67a46f86f26c\
         fa5a44cbcaa4e18da099a98b0b3f96d5ac8ac375d8da2a7c248004ba11d7ac775b9218359cddab4cf8ccc6d5\
         4cb7e1b35a36ddc9265c087063d2fc6742a7177876476a324b03295bfed99f2eaf1f38970583c1b2b616aad0\
         f31cd7a4b1bb0a51e477e94a01bbb4d6f8866e2528a159df3d6ce244d2b6518d1f0212285a3c2d4a927054a1\
         e1620b5b02aab0c8c10ed48ae518ea73cba81fcfff88bff461dac51e7ab4ca75f47a6259d24820b9995792d1\
         39f61ae2a8186ae4e3c9bfe0af2cc717f424f41aa67f03faedb0665115f2067a46843a4cbbd297d5e83bc1aa\
         fc18d1d03b3d894e8595a6526073f02ab0f08b99fd9eb208b59ff6317e5545e6f9ad5f9c183abd043d5acd6e\
         b2dd4da3f02dbc3167b468720a4b8b92ddfe7960998bb7a0ecf2a26a37598299413f7b2aecd39a30cec527b4\
         d9710c4473639022451f50d01c0457125da0fa4429c07dad859c846cbbd93ab5b91b01bc770b089cfede6f65\
         1e86dd7c15989c8b5321dea9ca608c71fd862323072b827cee7a7e28e4e2b999647233c3456944bb7aef9187\
         c96b3f5b79fb98bc76c3574dd06f0e95685e5b3aef3a54c4155fe3ad817749629c30adbe897c4f4454c86c49\
         0000000ae9ca10eaa811b22ae07fb195e3590a334ea64209942fbae338d19f152182c807d3c40b189d3fcbea\
         942f44682439b191332d33ae0b761a2a8f984b56b2ac2fd4ab08223a69ed1f7719c7aa7e9eee96504b0e60c6\
         bb5c942d695f0493eb25f80a5871cffd131d0e04ffe5065bc7875e82d34b40b69dd9f3c1",
    ],
    [
        "000000010000001400000010505152535455565758595a5b5c5d5e5fdb54a4509901051c01e26d9990e55034\
         7986da87924ff0b1",
        "54657374206d65737361676520666f72205348414b453235362d3139320a",
        "00000000000000060000001084219da9ce9fffb16edb94527c6d10565587db28062deac4208e62fc4fbe9d85\
         deb3c6bd2c01640accb387d8a6093d68511234a6a1a50108091c034cb1777e02b5df466149a66969a498e420\
         0c0a0c1bf5d100cdb97d2dd40efd3cada278acc5a570071a043956112c6deebd1eb3a7b56f5f6791515a7b5f\
         fddb0ec2d9094bfbc889ea15c3c7b9bea953efb75ed648f535b9acab66a2e9631e426e4e99b733caa6c55963\
         929b77fec54a7e703d8162e736875cb6a455d4a9015c7a6d8fd5fe75e402b47036dc3770f4a1dd0a559cb478\
         c7fb1726005321be9d1ac2de94d731ee4ca79cff454c811f46d11980909f047b2005e84b6e15378446b1ca69\
         1efe491ea98acc9d3c0f785caba5e2eb3c306811c240ba22802923827d582639304a1e9783ba5bc9d69d999a\
         7db8f749770c3c04a152856dc726d8067921465b61b3f847b13b2635a45379e5adc6ff58a99b00e60ac767f7\
         f30175f9f7a140257e218be307954b1250c9b41902c4fa7c90d8a592945c66e86a76defcb84500b55598a199\
         0faaa10077c74c94895731585c8f900de1a1c675bd8b0c180ebe2b5eb3ef8019ece3e1ea7223eb7906a2042b\
         6262b4aa25c4b8a05f205c8befeef11ceff1282508d71bc2a8cfa0a99f73f3e3a74bb4b3c0d8ca2abd0e1c2c\
         17dafe18b4ee2298e87bcfb1305b3c069e6d385569a4067ed547486dd1a50d6f4a58aab96e2fa883a9a39e1b\
         d45541eee94efc32faa9a94be66dc8538b2dab05aee5efa6b3b2efb3fd020fe789477a93afff9a3e636dbba8\
         64a5bffa3e28d13d49bb597d94865bde88c4627f206ab2b465084d6b780666e952f8710efd748bd0f1ae8f10\
         35087f5028f14affcc5fffe332121ae4f87ac5f1eac9062608c7d87708f1723f38b23237a4edf4b49a5cd3d7\
         00000014dd4bdc8f928fb526f6fb7cdb944a7ebaa7fb05d995b5721a27096a5007d82f79d063acd434a04e97\
         f61552f7f81a9317b4ec7c87a5ed10c881928fc6ebce6dfce9daae9cc9dba6907ca9a9dd5f9f573704d5e6cf\
         22a43b04e64c1ffc7e1c442ecb495ba265f465c56291a902e62a461f6dfda232457fad14",
    ],
    [
        "000000010000000f0000000c808182838485868788898a8b8c8d8e8f9bb7faee411cae806c16a466c3191a8b\
         65d0ac31932bbf0c2d07c7a4a36379fe",
        "54657374206d657361676520666f72205348414b453235362d3235360a",
        "00000000000000070000000cb82709f0f00e83759190996233d1ee4f4ec50534473c02ffa145e8ca2874e32b\
         16b228118c62b96c9c77678b33183730debaade8fe607f05c6697bc971519a341d69c00129680b67e75b3bd7\
         d8aa5c8b71f02669d177a2a0eea896dcd1660f16864b302ff321f9c4b8354408d06760504f768ebd4e545a9b\
         0ac058c575078e6c1403160fb45450d61a9c8c81f6bd69bdfa26a16e12a265baf79e9e233eb71af634ecc66d\
         c88e10c6e0142942d4843f70a0242727bc5a2aabf7b0ec12a99090d8caeef21303f8ac58b9f200371dc9e41a\
         b956e1a3efed9d4bbb38975b46c28d5f5b3ed19d847bd0a737177263cbc1a2262d40e80815ee149b6cce2714\
         384c9b7fceb3bbcbd25228dda8306536376f8793ecadd6020265dab9075f64c773ef97d07352919995b74404\
         cc69a6f3b469445c9286a6b2c9f6dc839be76618f053de763da3571ef70f805c9cc54b8e501a98b98c70785e\
         eb61737eced78b0e380ded4f769a9d422786def59700eef3278017babbe5f9063b468ae0dd61d94f9f99d5cc\
         36fbec4178d2bda3ad31e1644a2bcce208d72d50a7637851aa908b94dc4376120d5beab0fb805e1945c41834\
         dd6085e6db1a3aa78fcb59f62bde68236a10618cff123abe64dae8dabb2e84ca705309c2ab986d4f8326ba06\
         42272cb3904eb96f6f5e3bb8813997881b6a33cac0714e4b5e7a882ad87e141931f97d612b84e903e773139a\
         e377f5ba19ac86198d485fca97742568f6ff758120a89bf19059b8a6bfe2d86b12778164436ab2659ba86676\
         7fcc435584125fb7924201ee67b535daf72c5cb31f5a0b1d926324c26e67d4c3836e301aa09bae8fb3f91f16\
         22b1818ccf440f52ca9b5b9b99aba8a6754aae2b967c4954fa85298ad9b1e74f27a46127c36131c8991f0cc2\
         ba57a15d35c91cf8bc48e8e20d625af4e85d8f9402ec44afbd4792b924b839332a64788a7701a30094b9ec4b\
         9f4b648f168bf457fbb3c9594fa87920b645e42aa2fecc9e21e000ca7d3ff914e15c40a8bc533129a7fd3952\
         9376430f355aaf96a0a13d13f2419141b3cc25843e8c90d0e551a355dd90ad770ea7255214ce11238605de2f\
         000d200104d0c3a3e35ae64ea10a3eff37ac7e9549217cdf52f307172e2f6c7a2a4543e14314036525b1ad53\
         eeaddf0e24b1f36914ed22483f2889f61e62b6fb78f5645bdbb02c9e5bf97db7a0004e87c2a55399b6195878\
         6c97bd52fa199c27f6bb4d68c4907933562755bfec5d4fb52f06c289d6e852cf6bc773ffd4c07ee2d6cc55f5\
         7edcfbc8e8692a49ad47a121fe3c1b16cab1cc285faf6793ffad7a8c341a49c5d2dce7069e464cb90a00b290\
         3648b23c81a68e21d748a7e7b1df8a593f3894b2477e8316947ca725d141135202a9442e1db33bbd390d2c04\
         401c39b253b78ce297b0e14755e46ec08a146d279c67af70de256890804d83d6ec5ca3286f1fca9c72abf6ef\
         868e7f6eb0fddda1b040ecec9bbc69e2fd8618e9db3bdb0af13dda06c6617e95afa522d6a2552de15324d991\
         19f55e9af11ae3d5614b564c642dbfec6c644198ce80d2433ac8ee738f9d825e0000000f71d585a35c3a9083\
         79f4072d070311db5d65b242b714bc5a756ba5e228abfa0d1329978a05d5e815cf4d74c1e547ec4aa3ca956a\
         e927df8b29fb9fab3917a7a4ae61ba57e5342e9db12caf6f6dbc5253de5268d4b0c4ce4ebe6852f012b162fc\
         1c12b9ffc3bcb1d3ac8589777655e22cd9b99ff1e4346fd0efeaa1da044692e7ad6bfc337db69849e54411df\
         8920c228a2b7762c11e4b1c49efb74486d3931ea",
    ],
];
