//! Counts the permutations of operations that run, and compares them with the formulas of
//! `oaklath_measure::counts`.
//!
//! At the level scalar every round of Keccak and of SHA-256 has a rotation that nothing else has
//! ([`Trace::rotations`](oaklath_measure::Trace::rotations)); so those of an operation, followed
//! step by step, say how many permutations or compressions it takes.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() -> std::process::ExitCode {
    program::main()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() {
    eprintln!("error: steps can be followed on x86-64 Linux only");
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod program {
    use std::process::ExitCode;

    use oaklath_measure::{
        Level, Tape,
        counts::{self, Counts},
        follow,
    };
    use oaklath_params::stateful::{lms, xmss};
    use oaklath_sig::Message;
    use oaklath_stateful::{
        HssLevels, HssPublicKey, HssSigningKey, Index, NODE_BYTES, StatefulKey, XmssPublicKey,
        XmssSigningKey, XmssTrees, xmss_seed_len,
    };

    const MESSAGE: [u8; 32] = [7; 32];
    /// How far the numbers may differ by rejections.
    const OF_LATTICES: f64 = 0.02;
    /// How far by the digits of a hash, and by the first rounds, which the steps of a chain share.
    const OF_TREES: f64 = 0.15;

    pub(crate) fn main() -> ExitCode {
        let level = Level::by_name("scalar").expect("every CPU has it");
        let are_right = level.with(|| [kems(), signatures(), stateful()]);
        if are_right == [true; 3] { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Reports whether an operation takes as many permutations or compressions as its formula says,
    /// and prints both.
    fn agree(name: &str, counts: Option<Counts>, within: f64, run: impl Fn()) -> bool {
        let hashes = counts.expect("a formula").all_hashes();
        let trace = follow(&Tape::record(|| ()), u64::MAX, || run).expect("the operation succeeds");
        let [sha256, keccak] = trace.rotations.map(|count| count as f64);
        let (expected, counted) = match hashes.keccak {
            0.0 => (hashes.sha256, sha256 / 64.0),
            expected => (expected, keccak / 24.0),
        };
        let agree = (counted / expected - 1.0).abs() < within;
        let differ = if agree { "" } else { ": they differ" };
        println!("{name}: {expected:.2} expected, {counted} counted{differ}");
        agree
    }

    fn kems() -> bool {
        ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"].iter().all(|name| {
            let kem = oaklath_kem::by_name(name).expect("a set of FIPS 203");
            let info = kem.info();
            let outputs = || (vec![0; info.public_key], vec![0; info.secret_key]);
            let shared = || (vec![0; info.ciphertext], vec![0; info.shared_secret]);
            let ((mut pk, mut sk), (mut ct, mut ss)) = (outputs(), shared());
            kem.keypair_from(&[1; 64], &mut pk, &mut sk).expect("a key");
            kem.encapsulate_from(&MESSAGE, &pk, &mut ct, &mut ss).expect("a secret");
            let prepared = kem.prepare(&sk).expect("a key");
            let check = |operation: &str, run: &dyn Fn()| {
                let counts = counts::of(name, operation);
                agree(&format!("{name} {operation}"), counts, OF_LATTICES, run)
            };
            check("keygen", &|| {
                let (mut pk, mut sk) = outputs();
                kem.keypair_from(&[1; 64], &mut pk, &mut sk).expect("a key");
            }) && check("encapsulate", &|| {
                let (mut ct, mut ss) = shared();
                kem.encapsulate_from(&MESSAGE, &pk, &mut ct, &mut ss).expect("a secret");
            }) && check("decapsulate", &|| {
                kem.decapsulate(&sk, &ct, &mut shared().1).expect("a secret");
            }) && check("decapsulate-prepared", &|| {
                prepared.decapsulate(&ct, &mut shared().1).expect("a secret");
            })
        })
    }

    fn signatures() -> bool {
        let lattices = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].map(|name| (name, OF_LATTICES));
        let trees = ["SLH-DSA-SHA2-128s", "SLH-DSA-SHAKE-128s"].map(|name| (name, OF_TREES));
        lattices.into_iter().chain(trees).all(|(name, within)| {
            let scheme = oaklath_sig::by_name(name).expect("a set of FIPS 204 or 205");
            let info = scheme.info();
            let outputs = || (vec![0; info.public_key], vec![0; info.secret_key]);
            let ((mut pk, mut sk), seed) = (outputs(), vec![1; scheme.seed_len()]);
            scheme.keypair_from(&seed, &mut pk, &mut sk).expect("a key");
            let (mut signature, message) = (vec![0; info.signature], Message::new(&MESSAGE));
            scheme.sign(&sk, &message, None, &mut signature).expect("a signature");
            let check = |operation: &str, run: &dyn Fn()| {
                let counts = counts::of(name, operation);
                agree(&format!("{name} {operation}"), counts, within, run)
            };
            let is_lattice = within == OF_LATTICES;
            check("verify", &|| scheme.verify(&pk, &message, &signature).expect("is valid"))
                && (!is_lattice
                    || check("keygen", &|| {
                        let (mut pk, mut sk) = outputs();
                        scheme.keypair_from(&seed, &mut pk, &mut sk).expect("a key");
                    }))
        })
    }

    fn stateful() -> bool {
        fn signed(mut key: impl StatefulKey) -> (Vec<u8>, Vec<u8>) {
            let mut signature = vec![0; key.signature_len()];
            let index = Index::from_durable_record(5);
            key.sign_at(index, &MESSAGE, &mut signature).expect("a signature");
            (key.public_key().to_vec(), signature)
        }
        let check = |name: &str, counts, run: &dyn Fn()| agree(name, counts, OF_TREES, run);

        let types = [(&lms::LMS_SHA256_M32_H5, &lms::LMOTS_SHA256_N32_W4); 2];
        let levels = HssLevels::new(&types).expect("types that go together");
        let seed = vec![1; levels.seed_len()];
        let (public, signature) =
            signed(HssSigningKey::from_seed(&levels, &seed, NODE_BYTES).expect("a key"));
        let key = HssPublicKey::from_bytes(&public).expect("a key");
        let hss = check("HSS verify", counts::hss(&types, "verify"), &|| {
            key.verify(&MESSAGE, &signature).expect("is valid");
        });

        let set = &xmss::XMSS_SHA2_10_256;
        let seed = vec![1; xmss_seed_len(set)];
        let (public, signature) =
            signed(XmssSigningKey::from_seed(set, &seed, NODE_BYTES).expect("a key"));
        let key = XmssPublicKey::from_bytes(XmssTrees::of(set), &public).expect("a key");
        let xmss = check("XMSS verify", counts::xmss(set, "verify"), &|| {
            key.verify(&MESSAGE, &signature).expect("is valid");
        });
        hss && xmss
    }
}
