//! `hbs` over real files: keys, states, and what is refused.

use std::fs;

use crate::folder::Folder;

/// One level of 32 signatures.
const SMALL: &str = "LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8";

/// A key in a folder of its own, with a message.
fn with_key(name: &str, options: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.0.join("m"), "a message").unwrap();
    folder.works(&format!("hbs keygen {SMALL} -p a.pub -s a.key{options}"));
    folder
}

/// What a command line prints that works.
fn prints(folder: &Folder, line: &str, expected: &str) {
    let output = folder.run(line, b"");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!((&*said, output.status.code()), (expected, Some(0)), "{line}");
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
    prints(&folder, "hbs status -s a.key", "29 of 32 signatures are left, the next is 3\n");
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
        folder.works(&format!("hbs keygen {set} -p a.pub -s a.key"));
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
    folder.fails(&format!("hbs keygen {SMALL} -p b.pub -s a.key"), 1, "cannot write a.key");
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

    folder.works(&format!("hbs keygen {SMALL} -p b.pub -s b.key"));
    folder.fails(
        "hbs sign -s a.key -m m -o o.sig --store file:b.key.state",
        3,
        "the state belongs to another key",
    );
}

#[test]
fn an_anchor_notices_an_old_copy() {
    let folder = with_key("hbs-anchor", " --anchor anchor");
    let state = folder.0.join("a.key.state");
    let old = fs::read(&state).unwrap();
    let sign = "hbs sign -s a.key -m m -o m.sig --force --anchor anchor";
    folder.works(sign);
    folder.fails(
        "hbs sign -s a.key -m m -o n.sig",
        3,
        "the anchor that guards the state is missing",
    );
    fs::write(&state, old).unwrap();
    folder.fails(sign, 3, "the state is rolled back: expected index 1 or above, found 0");
    folder.fails(
        "hbs status -s a.key --anchor anchor",
        3,
        "the state is rolled back: expected index 1 or above, found 0",
    );
    // Who forgets the anchor would forget the index that it knows.
    folder.fails(
        "hbs advance -s a.key --past 0 --recover",
        3,
        "the anchor that guards the state is missing",
    );
    folder.fails(
        "hbs advance -s a.key --past 0 --anchor anchor",
        3,
        "the state is rolled back: expected index 1 or above, found 0",
    );
    prints(
        &folder,
        "hbs advance -s a.key --past 2 --anchor anchor --recover",
        "the next signature is 3\n",
    );
    folder.works(sign);
}

#[test]
fn signatures_are_given_to_another_store() {
    let folder = with_key("hbs-reserve", "");
    prints(
        &folder,
        "hbs reserve -s a.key --count 8 --to file:spare.state",
        "spare.state: signatures 0 to 7\n",
    );
    folder.works("hbs sign -s a.key -m m -o first.sig");
    prints(&folder, "hbs verify -p a.pub -i first.sig -m m", "LMS: signature 8 verifies\n");
    folder.works("hbs sign -s a.key -m m -o spare.sig --store file:spare.state");
    prints(&folder, "hbs verify -p a.pub -i spare.sig -m m", "LMS: signature 0 verifies\n");
    prints(
        &folder,
        "hbs status -s a.key --store file:spare.state",
        "7 of 32 signatures are left, the next is 1\n\
         this store ends before 8; others may have what follows\n",
    );
}

/// The nodes beside a key are a cache: lost or damaged, they are grown anew.
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

/// Other users read command lines, and who reads a file of passwords reads them.
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
