//! `keygen`, `encap` and `decap` over real files.

use std::fs;

use crate::folder::Folder;
#[cfg(unix)]
use crate::folder::mode;
use crate::folder::names;

/// For every KEM both sides have the same secret, and nobody else can read secret files.
#[test]
fn secrets_agree() {
    for kem in oaklath_kem::all() {
        let (info, folder) = (kem.info(), Folder::new(kem.info().name));
        let name = info.oqs.unwrap_or(info.name);
        folder.works(&format!("keygen {name} --public a.pub --secret a.key"));
        folder.works(&format!("encap {name} -p a.pub -c a.ct -o bob"));
        folder.works(&format!("decap {name} -s a.key -c a.ct -o alice"));
        assert_eq!(names(&folder), ["a.ct", "a.key", "a.pub", "alice", "bob"]);
        assert_eq!(folder.read("alice"), folder.read("bob"));
        let lengths = ["a.pub", "a.key", "a.ct", "bob"].map(|file| folder.read(file).len());
        assert_eq!(
            lengths,
            [info.public_key, info.secret_key, info.ciphertext, info.shared_secret]
        );
        #[cfg(unix)]
        for secret in ["a.key", "alice", "bob"] {
            assert_eq!(mode(&folder, secret), 0o600, "{secret}");
        }
    }
}

#[test]
fn standard_streams_and_hexadecimal() {
    let folder = Folder::new("streams");
    let output = folder.run("keygen mlkem768 -p - -s a.key --hex", b"");
    let public = output.stdout;
    assert!(
        public.ends_with(b"\n") && public[..public.len() - 1].iter().all(u8::is_ascii_hexdigit)
    );
    let encap = folder.run("encap mlkem768 -p - -c - -o bob --hex", &public);
    let decap = folder.run("decap mlkem768 -s a.key -c - -o - --hex", &encap.stdout);
    assert_eq!(decap.stdout, folder.read("bob"));
}

#[cfg(unix)]
#[test]
fn names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("bytes");
    let name = OsStr::from_bytes(b"key-\xff");
    let mut command = folder.command("keygen mlkem512 -p a.pub -s");
    let output = command.arg(name).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.0.join(name).exists());
}

/// One of two keys would replace the other.
#[test]
fn a_file_has_one_place_under_every_name() {
    let folder = Folder::new("places");
    fs::create_dir(folder.0.join("d")).unwrap();
    let error = "the files of the keys must differ, found `d/../k` twice";
    folder.fails("keygen mlkem512 -p k -s d/../k --force", 2, error);
    folder.works("keygen mlkem512 -p k -s s");
    let error = "the files to be written must differ, found `./x` twice";
    folder.fails("encap mlkem512 -p k -c x -o ./x", 2, error);
    folder.fails("decap mlkem512 -s s -c ./s -o x", 2, "the files to be read must differ");
    assert_eq!(names(&folder), ["d", "k", "s"]);
}

/// A secret that nobody has read is lost, and its public key must not be used.
#[test]
fn a_key_that_nobody_reads_is_not_made() {
    let folder = Folder::new("unread");
    let output = folder.run_unread("keygen mlkem768 -p a.pub -s -");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: cannot write -: "), "{said}");
    assert_eq!((output.status.code(), names(&folder).len()), (Some(1), 0));
}

/// Keys of PKCS#8 and SPKI work like raw keys.
#[test]
fn keys_as_pem() {
    let folder = Folder::new("kem-pem");
    for form in ["seed", "expanded", "both", "oqs", "bare"] {
        folder.works(&format!("keygen mlkem768 -p a.pub -s a.key --form {form} --force"));
        assert!(folder.read("a.key").starts_with(b"-----BEGIN PRIVATE KEY-----\n"));
        folder.works("encap mlkem768 -p a.pub -c a.ct -o bob --force");
        folder.works("decap mlkem768 -s a.key -c a.ct -o alice --force");
        assert_eq!(folder.read("alice"), folder.read("bob"));
    }
    let error = "a.pub: key of ML-KEM-768, expected ML-KEM-512";
    folder.fails("encap mlkem512 -p a.pub -c a.ct -o bob --force", 1, error);
    folder.fails("keygen kyber512 -p b.pub -s b.key --form oqs", 2, "Kyber512 has no object");
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = Folder::new("force");
    fs::write(folder.0.join("a.pub"), "precious").unwrap();
    let keygen = "keygen mlkem512 -p a.pub -s a.key";
    folder.fails(keygen, 1, "cannot write a.pub: ");
    // The secret key is not written either.
    assert_eq!(names(&folder), ["a.pub"]);
    assert_eq!(folder.read("a.pub"), b"precious");
    folder.works(&format!("{keygen} --force"));
    let first = (folder.read("a.pub"), folder.read("a.key"));
    folder.works(&format!("{keygen} --force"));
    assert!(first.0 != folder.read("a.pub") && first.1 != folder.read("a.key"));
    assert_eq!(names(&folder), ["a.key", "a.pub"]);
    #[cfg(unix)]
    assert_eq!(mode(&folder, "a.key"), 0o600);

    // A failure with --force keeps the old file.
    fs::write(folder.0.join("ff"), [0xff; 800]).unwrap();
    folder.fails("encap mlkem512 -p ff -c a.key -o bob --force", 1, "ff: encapsulation key");
    assert!(folder.read("a.key").len() > 1000);
    assert_eq!(names(&folder), ["a.key", "a.pub", "ff"]);
}

#[test]
fn files_that_do_not_fit() {
    let folder = Folder::new("fit");
    folder.works("keygen mlkem512 -p a.pub -s a.key");
    folder.works("encap mlkem512 -p a.pub -c a.ct -o bob");
    let len = |name| folder.read(name).len();
    let error = format!("a.pub has {} bytes, expected 1184", len("a.pub"));
    folder.fails("encap mlkem768 -p a.pub -c x -o y", 1, &error);
    let error = format!("a.ct has {} bytes, expected {}", len("a.ct"), len("a.key"));
    folder.fails("decap mlkem512 -s a.ct -c a.ct -o y", 2, "the files to be read must differ");
    fs::copy(folder.0.join("a.ct"), folder.0.join("b.ct")).unwrap();
    folder.fails("decap mlkem512 -s a.ct -c b.ct -o y", 1, &error);
    let mut key = folder.read("a.key");
    key[1000] ^= 1;
    fs::write(folder.0.join("bad.key"), key).unwrap();
    folder.fails("decap mlkem512 -s bad.key -c a.ct -o y", 1, "bad.key: decapsulation key whose");
    assert!(!names(&folder).iter().any(|name| name == "x" || name == "y"));
}
