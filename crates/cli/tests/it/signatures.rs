//! `keygen`, `sign` and `verify` over real files.

use std::fs;

use crate::folder::Folder;
#[cfg(unix)]
use crate::folder::mode;
use crate::folder::names;

/// Returns the schemes that sign quickly, with a name other than the preferred one.
fn quick() -> impl Iterator<Item = (&'static str, &'static oaklath_params::sig::SigInfo)> {
    let infos = oaklath_sig::all().iter().map(|scheme| scheme.info());
    infos.filter(|info| info.public_key > 1000).map(|info| (info.oqs.unwrap_or(info.name), info))
}

/// Checks the output for a signature that verifies.
fn verifies(folder: &Folder, line: &str, name: &str) {
    let output = folder.run(line, b"");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(
        (&*said, output.status.code()),
        (&*format!("{name}: signature verifies\n"), Some(0))
    );
}

#[test]
fn every_scheme_signs_and_verifies() {
    assert!(quick().count() >= 9);
    for (name, info) in quick() {
        let folder = Folder::new(info.name);
        fs::write(folder.0.join("m"), "a message").unwrap();
        // Without an object identifier keys are raw.
        let (raw, with) = match info.identities().next() {
            Some(_) => ("", String::new()),
            None => (" --raw", format!(" --algorithm {name}")),
        };
        folder.works(&format!("keygen {name}{raw} -p a.pub -s a.key"));
        folder.works(&format!("sign{with} -s a.key -m m -o m.sig"));
        let len = folder.read("m.sig").len();
        assert!(len == info.signature || info.variable.is_some_and(|_| len < info.signature));
        verifies(&folder, &format!("verify{with} -p a.pub -i m.sig -m m"), info.name);
        #[cfg(unix)]
        assert_eq!(mode(&folder, "a.key"), 0o600);

        folder.works(&format!("sign{with} -s a.key -m m -o b.sig --deterministic"));
        folder.works(&format!("sign{with} -s a.key -m m -o c.sig --deterministic"));
        assert!(folder.read("b.sig") == folder.read("c.sig"), "{name}");
        assert!(folder.read("b.sig") != folder.read("m.sig"), "{name}");

        let mut signature = folder.read("m.sig");
        signature[40] ^= 1;
        fs::write(folder.0.join("m.sig"), signature).unwrap();
        let error = format!("m.sig: {} signature does not verify", info.name);
        folder.fails(&format!("verify{with} -p a.pub -i m.sig -m m"), 1, &error);
        if !raw.is_empty() {
            let error = format!("{} has no object identifier", info.name);
            folder.fails(&format!("keygen {name} -p b.pub -s b.key"), 2, &error);
        }
    }
}

/// A signature made in one way verifies only in that way.
#[test]
fn contexts_and_digests() {
    let folder = Folder::new("contexts");
    fs::write(folder.0.join("m"), "a message").unwrap();
    folder.works("keygen ML-DSA-44 -p a.pub -s a.key");
    let ways = [
        "",
        " --context door",
        " --context gate",
        " --prehash SHA2-256",
        " --prehash shake256",
        " --prehash sha256 --context door",
    ];
    for (i, way) in ways.iter().enumerate() {
        folder.works(&format!("sign -s a.key -m m -o {i}.sig{way}"));
        for (j, other) in ways.iter().enumerate() {
            let line = format!("verify -p a.pub -i {i}.sig -m m{other}");
            if i == j {
                verifies(&folder, &line, "ML-DSA-44");
            } else {
                folder.fails(&line, 1, &format!("{i}.sig: ML-DSA-44 signature does not verify"));
            }
        }
    }
    let context = "x".repeat(256);
    let error = "context of 256 bytes, expected at most 255";
    folder.fails(&format!("sign -s a.key -m m --context {context}"), 2, error);
    folder.fails("sign -s a.key -m m --prehash md5", 2, "no hash function is called `md5`");
    folder.works("keygen dilithium2 -p d.pub -s d.key");
    for way in ["--context door", "--prehash sha256"] {
        folder.fails(&format!("sign -s d.key -m m {way}"), 2, "Dilithium2 knows neither contexts");
    }
}

/// Many signatures by a key: of each it is said whether it verifies.
#[test]
fn lists_of_signatures() {
    for name in ["ML-DSA-44", "Falcon-512"] {
        let folder = Folder::new(&format!("list-{name}"));
        folder.works(&format!("keygen {name} -p a.pub -s a.key"));
        for (i, message) in ["note", "a letter"].iter().enumerate() {
            fs::write(folder.0.join("m"), message).unwrap();
            folder.works(&format!("sign -s a.key -m m -o {i}.sig"));
            fs::rename(folder.0.join("m"), folder.0.join(message)).unwrap();
        }
        let verify = |list: &str| {
            let output = folder.run("verify -p a.pub --batch -", list.as_bytes());
            let text = |bytes| String::from_utf8(bytes).unwrap();
            (text(output.stdout), text(output.stderr), output.status.code())
        };
        let good = "0.sig note\n".repeat(63) + "\n1.sig \t a letter\r\n0.sig note";
        let said = format!("note: {name} signature verifies\n");
        let said = said.repeat(63) + &said.replace("note", "a letter") + &said;
        assert_eq!(verify(&good), (said.clone(), String::new(), Some(0)));

        let bad = "1.sig note\ngone.sig note\nnote note\n".to_owned() + &good;
        let not = format!("note: {name} signature does not verify\n");
        let (stdout, stderr, code) = verify(&bad);
        let mut lines = stdout.split_inclusive('\n');
        assert_eq!(lines.next(), Some(&*not));
        assert!(lines.next().unwrap().starts_with("note: cannot read gone.sig: "));
        assert_eq!(lines.next(), Some(&*not));
        assert_eq!(lines.collect::<String>(), said);
        assert_eq!(stderr, "error: 3 of 68 signatures do not verify\n");
        assert_eq!(code, Some(1));

        for (list, error) in [
            ("", "standard input: no signature is listed"),
            ("0.sig note\n0.sig", "standard input: line 2: expected two names of files"),
            ("0.sig -", "standard input: line 1: expected two names of files"),
        ] {
            let said = format!("error: {error}\n");
            assert_eq!(verify(list), (String::new(), said, Some(1)));
        }
        // The exit code is the verdict, even if nobody reads what is printed.
        for (list, code) in [(bad, 1), (good, 0)] {
            fs::write(folder.0.join("list"), list).unwrap();
            let output = folder.run_unread("verify -p a.pub --batch list");
            assert_eq!(output.status.code(), Some(code), "{output:?}");
        }
        fs::write(folder.0.join("list"), "0.sig note").unwrap();
        let line = "verify -p a.pub --batch list --context door";
        match name {
            "Falcon-512" => folder.fails(line, 2, "Falcon-512 knows neither contexts"),
            _ => folder.fails(line, 1, "1 of 1 signatures do not verify"),
        }
    }
}

/// All forms of a private key, raw keys, hexadecimal and standard streams: the same signature.
#[test]
fn keys_in_every_form() {
    let folder = Folder::new("forms");
    folder.works("keygen ML-DSA-65 -p a.pub -s a.key");
    let sign = |arguments: &str| {
        let output = folder.run(&format!("sign --deterministic {arguments}"), b"a message");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let signature = sign("-s a.key");
    assert_eq!(signature.len(), oaklath_params::sig::ML_DSA_65.signature);
    for form in ["seed", "expanded", "both", "oqs", "bare", "bare-seed"] {
        folder.works(&format!("cert convert a.key --form {form} --out {form}.pem"));
        folder.works(&format!("cert convert a.key --form {form} --der --out {form}.der"));
        assert!(sign(&format!("-s {form}.pem")) == signature, "{form}");
        assert!(sign(&format!("-s {form}.der")) == signature, "{form}");
    }
    assert_eq!(
        sign("-s a.key --hex"),
        format!("{}\n", base16ct::lower::encode_string(&signature)).into_bytes()
    );

    folder.works("keygen ML-DSA-65 -p raw.pub -s raw.key --raw");
    let info = &oaklath_params::sig::ML_DSA_65;
    assert_eq!(folder.read("raw.pub").len(), info.public_key);
    assert_eq!(folder.read("raw.key").len(), info.secret_key);
    fs::write(folder.0.join("raw.sig"), sign("-s raw.key --algorithm mldsa65")).unwrap();
    fs::write(folder.0.join("m"), "a message").unwrap();
    let line = "verify -p raw.pub --algorithm ML-DSA-65 -i raw.sig -m m";
    verifies(&folder, line, info.name);
    folder.fails("sign -s raw.key -m m", 1, "raw.key: not a key in DER");

    folder.works("keygen mldsa65 -p hex.pub -s hex.key --hex");
    let line = "sign -s hex.key --algorithm mldsa65 -m m -o hex.sig --hex";
    folder.works(line);
    let line = "verify -p hex.pub --algorithm mldsa65 -i hex.sig -m m --hex";
    verifies(&folder, line, info.name);
}

#[test]
fn files_that_do_not_fit() {
    let folder = Folder::new("sigfit");
    fs::write(folder.0.join("m"), "a message").unwrap();
    folder.works("keygen ML-DSA-65 -p a.pub -s a.key");
    folder.works("keygen ML-KEM-768 -p k.pub -s k.key --form seed");
    folder.fails("sign -s a.pub -m m", 1, "a.pub: PEM without PRIVATE KEY, found PUBLIC KEY");
    folder.fails("verify -p a.key -i m -m a.pub", 1, "a.key: PEM without PUBLIC KEY, found");
    folder.fails("sign -s k.key -m m", 1, "k.key: keys of ML-KEM-768 make no signatures here");
    folder.fails("verify -p a.pub -i m -m a.key", 1, "m: ML-DSA-65 signature of 9 bytes, exp");
    folder.fails("sign -s missing -m m", 1, "cannot read missing: ");
    folder.fails("sign -s a.key -m missing", 1, "cannot read missing: ");
    folder.fails("sign -s a.key -m a.key", 2, "the files to be read must differ");
    folder.fails("keygen ML-DSA-65 -p a.pub -s b.key", 1, "cannot write a.pub: ");
    folder.fails("keygen dilithium2 -p b.pub -s b.key --form seed", 2, "secret keys of Dilith");
    assert_eq!(names(&folder), ["a.key", "a.pub", "k.key", "k.pub", "m"]);

    // The key is damaged in a way that only a comparison with its other parts detects.
    folder.works("cert convert a.key --form expanded --der --out bad.der");
    let mut key = folder.read("bad.der");
    let last = key.len() - 1;
    key[last] ^= 1;
    fs::write(folder.0.join("bad.der"), key).unwrap();
    folder.fails("sign -s bad.der -m m", 1, "bad.der: private key whose t0 is not that of its rho");
}

/// Somebody else may read from a pipe, or may have created a link.
#[cfg(unix)]
#[test]
fn secrets_go_into_files_of_their_own() {
    let folder = Folder::new("secrets");
    let made = std::process::Command::new("mkfifo").arg(folder.0.join("pipe")).status().unwrap();
    assert!(made.success());
    let error = "cannot write pipe: a secret goes into files only";
    folder.fails("keygen ML-DSA-44 -p a.pub -s pipe", 1, error);
    folder.fails("keygen ML-DSA-44 -p a.pub -s pipe --force", 1, error);

    std::os::unix::fs::symlink("victim", folder.0.join("link")).unwrap();
    folder.fails("keygen ML-DSA-44 -p a.pub -s link", 1, "cannot write link: ");
    assert_eq!(names(&folder), ["link", "pipe"]);
    folder.works("keygen ML-DSA-44 -p a.pub -s link --force");
    assert_eq!(names(&folder), ["a.pub", "link", "pipe"]);
    assert!(folder.0.join("link").symlink_metadata().unwrap().is_file());
}
