//! `hbs` over real files: keys, states, and what is rejected.

use std::fs;

use crate::folder::Folder;

/// One level of 32 signatures.
pub(crate) const SMALL: &str = "LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8";

/// Generates a key in a folder of its own, with a message.
pub(crate) fn with_key(name: &str, options: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.0.join("m"), "a message").unwrap();
    folder.makes_key(&format!("hbs keygen {SMALL} -p a.pub -s a.key{options}"));
    folder
}

/// Checks the output of a command line that must succeed.
pub(crate) fn prints(folder: &Folder, line: &str, expected: &str) {
    let output = folder.run(line, b"");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!((&*said, output.status.code()), (expected, Some(0)), "{line}");
}

/// Returns the output of a command line that must succeed.
pub(crate) fn said(folder: &Folder, line: &str) -> String {
    let output = folder.run(line, b"");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn signs_verifies_and_counts() {
    let folder = with_key("hbs", "");
    for index in 0..3 {
        folder.works("hbs sign -s a.key -m m -o m.sig --force");
        let said = format!("LMS: signature {index} verifies\n");
        prints(&folder, "hbs verify -p a.pub -i m.sig -m m", &said);
    }
    fs::write(folder.0.join("other"), "another message").unwrap();
    folder.fails(
        "hbs verify -p a.pub -i m.sig -m other",
        1,
        "m.sig: LMS signature does not verify",
    );
    let status = said(&folder, "hbs status -s a.key");
    assert!(status.starts_with("29 of 32 signatures are left, the next is 3\nan anchor guards"));
    let json = folder.run("hbs status -s a.key --json", b"").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["next"], &json["remaining"]), (&3.into(), &29.into()));
    folder.works("hbs export-pub -s a.key -o b.pub");
    assert_eq!(folder.read("a.pub"), folder.read("b.pub"));
}

#[test]
fn every_scheme_signs_and_verifies() {
    for (set, options, name) in [
        ("L3_H5_W8", "", "HSS"),
        ("XMSS-SHA2_10_256", "", "XMSS-SHA2_10_256"),
        ("XMSSMT-SHA2_20/4_256", " --xmss-mt", "XMSSMT-SHA2_20/4_256"),
    ] {
        let folder = Folder::new(&format!("hbs-{}", name.replace('/', "-")));
        fs::write(folder.0.join("m"), "a message").unwrap();
        folder.makes_key(&format!("hbs keygen {set} -p a.pub -s a.key"));
        for index in 0..2 {
            folder.works("hbs sign -s a.key -m m -o m.sig --force");
            let said = format!("{name}: signature {index} verifies\n");
            prints(&folder, &format!("hbs verify -p a.pub -i m.sig -m m{options}"), &said);
        }
    }
}

#[test]
fn many_files_take_one_index_each_until_none_is_left() {
    let folder = with_key("hbs-many", "");
    let names: Vec<_> = (0..32).map(|i| format!("f{i}")).collect();
    for name in &names {
        fs::write(folder.0.join(name), name).unwrap();
    }
    folder.works(&format!("hbs sign -s a.key --batch 8 --threads 2 {}", names.join(" ")));
    for (index, name) in names.iter().enumerate() {
        let said = format!("LMS: signature {index} verifies\n");
        prints(&folder, &format!("hbs verify -p a.pub -i {name}.sig -m {name}"), &said);
    }
    folder.fails("hbs sign -s a.key -m m -o m.sig", 3, "every index of the key is used");
    assert!(!folder.0.join("m.sig").exists());
}

#[test]
fn nothing_is_made_twice() {
    let folder = with_key("hbs-twice", "");
    let again = format!("hbs keygen {SMALL} -p b.pub -s b.key --store file:a.key.state");
    folder.fails(&again, 1, "there is a state already");
    assert!(!folder.0.join("b.key").exists(), "nothing stays behind");
    let again = folder.run(&format!("hbs keygen {SMALL} -p b.pub -s a.key"), b"");
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.starts_with("error: cannot write a.key") && !said.contains("--force"), "{said}");
}

#[test]
fn a_state_that_is_lost_damaged_or_of_another_key_is_refused() {
    let folder = with_key("hbs-lost", "");
    folder.works("hbs sign -s a.key -m m -o m.sig");
    let (state, sign) = (folder.0.join("a.key.state"), "hbs sign -s a.key -m m -o n.sig");
    let good = fs::read(&state).unwrap();

    fs::write(&state, vec![0; good.len()]).unwrap();
    folder.fails(sign, 3, "the state is damaged: no record is whole");
    fs::remove_file(&state).unwrap();
    folder.fails(sign, 3, "the key has no state");
    folder.fails("hbs advance -s a.key --past 5", 3, "the key has no state");
    folder.fails(
        "hbs advance -s a.key --past 5 --recover --end 32",
        3,
        "the anchor that guards the state is missing",
    );
    let recover = "hbs advance -s a.key --past 5 --recover --no-anchor";
    folder.fails(recover, 3, "the key has no state");
    prints(&folder, &format!("{recover} --end 32"), "the next signature is 6\n");
    folder.works(sign);
    prints(&folder, "hbs verify -p a.pub -i n.sig -m m", "LMS: signature 6 verifies\n");
    prints(&folder, "hbs advance -s a.key --past 9", "the next signature is 10\n");
    folder.fails("hbs advance -s a.key --past 32", 3, "expected an index below 32, found 32");

    folder.makes_key(&format!("hbs keygen {SMALL} -p b.pub -s b.key"));
    folder.fails(
        "hbs sign -s a.key -m m -o o.sig --store file:b.key.state",
        3,
        "the state belongs to another key",
    );
}

#[test]
fn an_anchor_notices_an_old_copy() {
    for (name, options) in [("hbs-anchor", ""), ("hbs-anchor-file", " --anchor anchor")] {
        let folder = with_key(name, options);
        let state = folder.0.join("a.key.state");
        let old = fs::read(&state).unwrap();
        let sign = "hbs sign -s a.key -m m -o m.sig --force";
        folder.works(sign);
        folder.fails(
            "hbs sign -s a.key -m m -o n.sig --no-anchor",
            3,
            "the anchor that guards the state is missing",
        );
        fs::write(&state, old).unwrap();
        let rejected = "the state is rolled back: expected index 1 or above, found 0";
        for line in [sign, "hbs status -s a.key", "hbs advance -s a.key --past 0"] {
            folder.fails(line, 3, rejected);
        }
        // A person's index below that of the anchor is rejected.
        let recover = "hbs advance -s a.key --recover --past";
        folder.fails(&format!("{recover} 0 --anchor other"), 3, "the anchor that guards");
        prints(&folder, &format!("{recover} 0"), "the next signature is 1\n");
        prints(&folder, &format!("{recover} 2"), "the next signature is 3\n");
        folder.works(sign);
    }
}

#[test]
fn an_anchor_is_where_it_was_named_and_its_absence_is_said() {
    let warned = |name: &str, options: &str| {
        let folder = Folder::new(name);
        let output = folder.run(&format!("hbs keygen {SMALL} -p a.pub -s a.key{options}"), b"");
        assert!(output.status.success());
        (String::from_utf8(output.stderr).unwrap(), folder)
    };
    let (said, _folder) = warned("hbs-declined", " --no-anchor");
    assert!(said.contains("without an anchor nothing notices"), "{said}");
    let (said, _folder) = warned("hbs-same-folder", " --anchor anchor");
    assert!(said.contains("with the folder of the state"), "{said}");
    let (said, folder) = warned("hbs-same-disk", "");
    assert!(said.contains("on the same disk as the state") || cfg!(not(unix)), "{said}");
    let anchors = fs::read_dir(folder.0.join("home").join("oaklath")).unwrap();
    assert_eq!(anchors.count(), 2, "the anchor and its lock");
}

/// A copied folder would have a second signer with the same key.
#[test]
fn a_copied_folder_signs_nothing_until_a_person_adopts_it() {
    let folder = with_key("hbs-copied", "");
    fs::create_dir(folder.0.join("copy")).unwrap();
    for name in ["a.key", "a.key.nodes", "a.key.state"] {
        fs::copy(folder.0.join(name), folder.0.join("copy").join(name)).unwrap();
    }
    let sign = "hbs sign -s copy/a.key -m m -o copy.sig --force";
    folder.fails(sign, 3, "the state was copied or moved");
    folder.fails("hbs status -s copy/a.key", 3, "the state was copied or moved");
    folder.works("hbs sign -s a.key -m m -o m.sig");
    // Now the copy is also old, as the anchor shows.
    folder.fails("hbs adopt -s copy/a.key", 3, "the state is rolled back");
    fs::copy(folder.0.join("a.key.state"), folder.0.join("copy/a.key.state")).unwrap();
    folder.fails(sign, 3, "the state was copied or moved");
    assert_eq!(said(&folder, "hbs adopt -s copy/a.key"), "the next signature is 1\n");
    folder.works(sign);
    prints(&folder, "hbs verify -p a.pub -i copy.sig -m m", "LMS: signature 1 verifies\n");
    // And now the original is the old copy.
    folder.fails("hbs sign -s a.key -m m -o n.sig", 3, "the state is rolled back");
}

#[test]
fn signers_wait_for_each_other() {
    let folder = with_key("hbs-wait", "");
    let sign =
        |index| folder.run(&format!("hbs sign -s a.key -m m -o {index}.sig --threads 1"), b"");
    let ended = std::thread::scope(|scope| {
        let signers: Vec<_> = (0..32).map(|index| scope.spawn(move || sign(index))).collect();
        signers.into_iter().map(|signer| signer.join().unwrap()).collect::<Vec<_>>()
    });
    let errors: Vec<_> = ended.iter().filter(|output| !output.status.success()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut indices: Vec<_> =
        (0..32).map(|index| folder.read(&format!("{index}.sig"))[7]).collect();
    indices.sort_unstable();
    assert_eq!(indices, (0..32).collect::<Vec<u8>>());
}

#[test]
fn who_does_not_wait_is_told_at_once() {
    let folder = with_key("hbs-busy", "");
    let state = fs::File::open(folder.0.join("a.key.state")).unwrap();
    state.lock().unwrap();
    let busy = "the key's state is in use by another signer";
    folder.fails("hbs sign -s a.key -m m -o m.sig --wait 0", 3, busy);
}

/// `flock` succeeds but does nothing, as on some network file systems.
#[cfg(target_os = "linux")]
#[test]
fn locks_that_keep_nobody_out_are_noticed() {
    let folder = with_key("hbs-no-locks", "");
    let mut command = std::process::Command::new("strace");
    command.args(["-f", "-o", "/dev/null", "-e", "inject=flock:retval=0"]);
    command.args([env!("CARGO_BIN_EXE_oaklath"), "hbs", "sign", "-s", "a.key", "-m", "m"]);
    let Ok(output) = command.args(["-o", "m.sig"]).current_dir(&folder.0).output() else {
        println!("NOT RUN: `strace` is not installed");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the file system's locks keep nobody out"), "{said}");
    assert!(!folder.0.join("m.sig").exists());
}

/// Issues certificates with a key whose state has an anchor, by default or by name.
#[test]
fn certificates_take_the_options_of_the_store() {
    let folder = with_key("hbs-cert", "");
    let root = "cert root --subject CN=Root --key hbs:a.key --out";
    let error = "an `hbs:` key has one object identifier";
    folder.fails(&format!("{root} root.pem --oid-profile appendix"), 2, error);
    folder.works(&format!("{root} root.pem"));
    let other = "hbs reserve -s a.key --count 8 --to file:spare.state";
    prints(&folder, other, "spare.state: signatures 1 to 8\n");
    folder.works(&format!("{root} other.pem --store file:spare.state"));
    folder.fails(&format!("{root} x.pem --anchor none"), 3, "the anchor that guards the state is");
    folder.works(
        "cert issue --subject CN=x --key root.pem --issuer root.pem --issuer-key hbs:a.key \
         --store file:spare.state --out x.pem",
    );
    let status = said(&folder, "hbs status -s a.key --store file:spare.state");
    assert!(status.starts_with("6 of 32 signatures are left, the next is 3\n"), "{status}");
}

/// An end beyond that of the key would make the state unusable for good.
#[test]
fn recovery_stays_within_the_key() {
    let folder = with_key("hbs-end", " --no-anchor");
    let recover = "hbs advance -s a.key --recover --no-anchor --past";
    folder.fails(&format!("{recover} 0 --end 64"), 2, "the key ends before 32, found `--end 64`");
    folder.fails(&format!("{recover} 32"), 3, "expected an index below 32, found 32");
    prints(&folder, &format!("{recover} 3 --end 16"), "the next signature is 4\n");
    folder.fails("hbs advance -s a.key --past 16", 3, "expected an index below 16, found 16");
}

/// The types of lower levels are part of a key's identity, and not of its public key.
#[test]
fn a_state_of_several_types_is_recovered() {
    let folder = Folder::new("hbs-types");
    fs::write(folder.0.join("m"), "a message").unwrap();
    let types = format!("{SMALL},LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W4");
    folder.makes_key(&format!("hbs keygen {types} -p a.pub -s a.key --no-anchor"));
    fs::remove_file(folder.0.join("a.key.state")).unwrap();
    let recover = "hbs advance -s a.key --past 5 --recover --no-anchor --end 32";
    prints(&folder, recover, "the next signature is 6\n");
    folder.works("hbs sign -s a.key -m m -o m.sig");
    prints(&folder, "hbs verify -p a.pub -i m.sig -m m", "HSS: signature 6 verifies\n");
}

#[test]
fn signatures_are_given_to_another_store() {
    let folder = with_key("hbs-reserve", "");
    let many = "hbs reserve -s a.key --count 33 --to file:spare.state";
    folder.fails(many, 1, "32 signatures are left, expected 33");
    // Nothing is reserved for a place where no state can be created.
    folder.fails(
        "hbs reserve -s a.key --count 8 --to file:none/spare.state",
        1,
        "none/spare.state",
    );
    folder.fails(
        "hbs reserve -s a.key --count 8 --to file:a.key.state",
        1,
        "a.key.state: there is",
    );
    prints(
        &folder,
        "hbs reserve -s a.key --count 8 --to file:spare.state",
        "spare.state: signatures 0 to 7\n",
    );
    folder.works("hbs sign -s a.key -m m -o first.sig");
    prints(&folder, "hbs verify -p a.pub -i first.sig -m m", "LMS: signature 8 verifies\n");
    folder.works("hbs sign -s a.key -m m -o spare.sig --store file:spare.state");
    prints(&folder, "hbs verify -p a.pub -i spare.sig -m m", "LMS: signature 0 verifies\n");
    let status = said(&folder, "hbs status -s a.key --store file:spare.state");
    let expected = "7 of 32 signatures are left, the next is 1\n\
                    this store ends before 8; others may have what follows\n\
                    an anchor guards the state against old copies: ";
    assert!(status.starts_with(expected), "{status}");
}

/// The nodes beside a key are a cache: if lost or damaged, they are computed again.
#[test]
fn lost_or_damaged_nodes_are_grown_anew() {
    let folder = with_key("hbs-nodes", "");
    let nodes = folder.0.join("a.key.nodes");
    let good = fs::read(&nodes).unwrap();
    fs::remove_file(&nodes).unwrap();
    folder.works("hbs sign -s a.key -m m -o m.sig");
    assert_eq!(fs::read(&nodes).unwrap(), good);
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&nodes, damaged).unwrap();
    folder.works("hbs sign -s a.key -m m -o n.sig");
    assert_eq!(fs::read(&nodes).unwrap(), good);
    prints(&folder, "hbs verify -p a.pub -i n.sig -m m", "LMS: signature 1 verifies\n");
}

#[cfg(unix)]
#[test]
fn secret_key_and_state_are_their_owners() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_key("hbs-mode", "");
    for name in ["a.key", "a.key.state"] {
        let mode = fs::metadata(folder.0.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// Other users can read command lines, and a password file that is not private.
#[cfg(all(feature = "postgres", feature = "etcd"))]
#[test]
fn passwords_of_databases_come_from_private_files() {
    let folder = with_key("hbs-passwords", "");
    let why = "the address has a password in it: other users may read it";
    for address in ["postgres://signer:secret@localhost/keys", "etcd://signer:secret@localhost:1"] {
        let line = format!("hbs status -s a.key --store {address}");
        folder.fails(&line, 2, why);
        let said = folder.run(&line, b"").stderr;
        assert!(!String::from_utf8(said).unwrap().contains("secret"), "{address}");
    }
    fs::write(folder.0.join("password"), "secret\n").unwrap();
    let with_file = "hbs status -s a.key --store postgres://a@localhost/b --password-file password";
    folder.fails(with_file, 1, "password: cannot read the password: others may read it");
    folder.fails(
        "hbs status -s a.key --store etcd://signer@localhost:1",
        2,
        "the user `signer` has",
    );
}

/// Signs a message of half a gigabyte in a process with a lower memory limit.
#[cfg(target_os = "linux")]
#[test]
fn long_messages_are_not_in_memory() {
    let folder = with_key("hbs-long", "");
    let long = fs::File::create(folder.0.join("long")).unwrap();
    long.set_len(1 << 29).unwrap();
    for line in ["sign -s a.key -m long -o long.sig", "verify -p a.pub -i long.sig -m long"] {
        let limited = format!("ulimit -v 450000 && {} hbs {line}", env!("CARGO_BIN_EXE_oaklath"));
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited]).current_dir(&folder.0);
        let output = command.env("XDG_STATE_HOME", folder.0.join("home")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// If the old anchor stayed in its place, an old copy of the state would be accepted as the newest.
#[test]
fn an_anchor_is_moved_and_not_copied() {
    let folder = with_key("hbs-moved", " --anchor old");
    fs::copy(folder.0.join("old"), folder.0.join("new")).unwrap();
    let error = "the state is not safe where it is: its anchor is where it was";
    folder.fails("hbs sign -s a.key -m m -o m.sig --anchor new", 3, error);
    fs::rename(folder.0.join("old"), folder.0.join("new")).unwrap();
    let moved = folder.run("hbs sign -s a.key -m m -o m.sig --anchor new", b"");
    assert!(moved.status.success(), "{}", String::from_utf8_lossy(&moved.stderr));
}

/// A signature must not replace the key or the files of its state.
#[test]
fn a_signature_replaces_nothing_of_its_key() {
    let folder = with_key("hbs-output", " --store file:st --anchor second");
    let sign = "hbs sign -s a.key --store file:st --anchor second --mark seen -m m --force -o";
    for output in [
        "a.key",
        "a.key.state",
        "a.key.state.lock",
        "a.key.nodes",
        "m",
        "st",
        "./st.lock",
        "second",
        "second.lock",
        "seen",
        "a.key.mark",
    ] {
        let error = format!("{output}: the signature would replace it");
        folder.fails(&format!("{sign} {output}"), 2, &error);
    }
    fs::write(folder.0.join("m.sig"), "another message").unwrap();
    let error = "m.sig: the signature would replace it";
    folder.fails("hbs sign -s a.key --store file:st --force m m.sig", 2, error);
    let signed = folder.run(&format!("{sign} m.sig --wait 18446744073709551615"), b"");
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
}
