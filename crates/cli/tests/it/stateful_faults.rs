//! Secret keys and nodes of `hbs` that decay, are exchanged or are links, and reservations.

use std::fs;

use oaklath_pki::{decode_pem, encode_pem};

use crate::folder::Folder;

/// Two levels of 32 signatures.
const LEVEL: &str = "LMS_SHA256_M32_H5/LMOTS_SHA256_N32_W8";

fn with_key(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.0.join("m"), "a message").unwrap();
    folder.makes_key(&format!("hbs keygen {LEVEL},{LEVEL} -p a.pub -s a.key"));
    folder
}

/// Changes the bytes of a secret key in its PEM.
fn change_key(folder: &Folder, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let text = String::from_utf8(folder.read("a.key")).unwrap();
    let block = &decode_pem(&text).unwrap()[0];
    let mut bytes = block.bytes.to_vec();
    change(&mut bytes);
    fs::write(folder.0.join(name), &*encode_pem(&block.label, &bytes)).unwrap();
}

/// Returns the public key of the lower tree in a signature.
fn lower_key(signature: &[u8]) -> &[u8] {
    let signed = 4 + 4 + 4 + 32 + 34 * 32 + 4 + 5 * 32;
    &signature[signed..signed + 56]
}

#[test]
fn one_wrong_bit_of_a_secret_key_is_refused() {
    let folder = with_key("hbs-rot");
    let (good, public) = (folder.read("a.key"), folder.read("a.pub"));
    let mut refused = 0;
    for (place, byte) in good.iter().enumerate() {
        let mut wrong = good.clone();
        wrong[place] = byte ^ 1 << (place % 8);
        fs::write(folder.0.join("b.key"), wrong).unwrap();
        let output = folder.run("hbs export-pub -s b.key", b"");
        if output.status.success() {
            // A character without meaning: the end of a line.
            assert_eq!(output.stdout, public, "byte {place}");
        } else {
            refused += 1;
        }
    }
    assert!(refused + 10 > good.len(), "{refused} of {} bytes", good.len());
}

/// With H10 instead of H5 in a decayed key, another machine would sign another lower tree.
#[test]
fn two_stores_never_sign_two_lower_trees_with_one_key() {
    let folder = with_key("hbs-two");
    folder.works("hbs sign -s a.key -m m -o a.sig");
    let reserved = folder.run("hbs reserve -s a.key --count 10 --to file:b.key.state", b"");
    assert_eq!(reserved.stdout, b"b.key.state: signatures 1 to 31\n");
    let second = "hbs sign -s b.key -m m -o b.sig --force";
    change_key(&folder, "b.key", |key| key[71] ^= 3);
    folder.fails(second, 1, "b.key: a damaged secret key");
    // The same in a file of an older version.
    change_key(&folder, "b.key", |key| {
        key[71] ^= 3;
        key.truncate(key.len() - 32);
    });
    folder.fails(second, 3, "the state belongs to another key");
    change_key(&folder, "b.key", |_| ());
    folder.works(second);
    assert_eq!(lower_key(&folder.read("a.sig")), lower_key(&folder.read("b.sig")));
    folder.works("hbs sign -s a.key -m m -o c.sig");
    let said = folder.run("hbs verify -p a.pub -i c.sig -m m", b"").stdout;
    assert_eq!(String::from_utf8_lossy(&said), "HSS: signature 32 verifies\n");
}

#[test]
fn a_key_without_a_checksum_is_read_and_rewritten() {
    let folder = with_key("hbs-rewrite");
    let (good, nodes) = (folder.read("a.key"), folder.read("a.key.nodes"));
    change_key(&folder, "a.key", |key| key.truncate(key.len() - 32));
    assert_ne!(folder.read("a.key"), good);
    folder.works("hbs sign -s a.key -m m -o a.sig");
    fs::write(folder.0.join("a.key.nodes"), "damaged").unwrap();
    folder.works("hbs rewrite -s a.key");
    assert_eq!((folder.read("a.key"), folder.read("a.key.nodes")), (good, nodes));
    // If the tree does not lead to the key's root, the state does not belong to the key either.
    change_key(&folder, "a.key", |key| {
        key[30] ^= 1;
        key.truncate(key.len() - 32);
    });
    folder.fails("hbs rewrite -s a.key", 3, "the state belongs to another key");
}

/// Nodes with a different cut would make each signature compute the whole tree.
#[test]
fn nodes_of_another_cut_are_written_anew() {
    let folder = with_key("hbs-cut");
    let good = folder.read("a.key.nodes");
    // Header, public key, the cut, and the root as the only node.
    let mut whole = good[..16 + 60].to_vec();
    whole.extend(5_u32.to_be_bytes());
    whole.extend(&folder.read("a.pub")[28..]);
    fs::write(folder.0.join("a.key.nodes"), whole).unwrap();
    folder.works("hbs sign -s a.key -m m -o a.sig");
    assert_eq!(folder.read("a.key.nodes"), good);
}

#[cfg(unix)]
#[test]
fn nodes_replace_nothing_and_follow_nothing() {
    use std::os::unix::fs::symlink;
    let folder = with_key("hbs-follow");
    let good = folder.read("a.key.nodes");
    fs::write(folder.0.join("victim"), "precious").unwrap();
    let nodes = folder.0.join("b.key.nodes");
    fs::write(&nodes, "of another key").unwrap();
    for _ in 0..2 {
        folder.fails(
            &format!("hbs keygen {LEVEL} -p b.pub -s b.key"),
            1,
            "cannot write b.key.nodes: it exists",
        );
        assert!(!folder.0.join("b.key").exists(), "nothing stays behind");
        let _ = fs::remove_file(&nodes);
        symlink("victim", &nodes).unwrap();
    }
    for victim in ["victim", "/dev/zero"] {
        let nodes = folder.0.join("a.key.nodes");
        fs::remove_file(&nodes).unwrap();
        symlink(victim, &nodes).unwrap();
        folder.works("hbs sign -s a.key -m m -o a.sig --force");
        assert!(fs::symlink_metadata(&nodes).unwrap().is_file());
        assert_eq!(folder.read("a.key.nodes"), good);
    }
    assert_eq!(folder.read("victim"), b"precious");
}
