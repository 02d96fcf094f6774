//! What the builder accepts and rejects.

use oaklath_tls::{BuildError, Builder};
use rustls::crypto::{ActiveKeyExchange, CryptoProvider, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, ProtocolVersion};

use crate::support::{
    BOTH, Broken, CODEPOINTS, Pair, bases, client, info, only, ours, provider, server,
};

fn refuse(base: &CryptoProvider, groups: &[&str]) -> BuildError {
    Builder::new(base.clone()).groups(groups).allow_legacy().build().unwrap_err()
}

#[test]
fn names_of_every_vocabulary() {
    let [base, ..] = bases();
    for codepoint in CODEPOINTS {
        let mut names: Vec<_> = info(codepoint).names().map(str::to_owned).collect();
        names.extend(names.clone().iter().map(|name| name.to_ascii_lowercase()));
        names.extend(names.clone().iter().map(|name| name.to_ascii_uppercase()));
        names.extend([codepoint.to_string(), format!("0x{codepoint:04x}")]);
        for name in names {
            let group = provider(&base, &[&name]).kx_groups[0];
            assert_eq!(group.name(), NamedGroup::from(codepoint), "{name}");
            assert_eq!(format!("{group:?}"), info(codepoint).name);
            assert!(group.usable_for_version(ProtocolVersion::TLSv1_3));
            assert!(!group.usable_for_version(ProtocolVersion::TLSv1_2));
        }
    }
}

#[test]
fn classical_names_are_the_bases() {
    for base in bases() {
        for (codepoint, names) in [
            (23, ["secp256r1", "P-256", "prime256v1", "23", "0x17"]),
            (24, ["secp384r1", "p384", "ECC_SECP384R1", "24", "0x0018"]),
            (29, ["X25519", "x25519", "ECC_X25519", "29", "0x1d"]),
        ] {
            let own = own_group(&base, codepoint).unwrap();
            for name in names {
                let group = provider(&base, &[name]).kx_groups[0];
                assert!(std::ptr::addr_eq(group, own), "{name}");
            }
        }
        let error = refuse(&base, &["X25519MLKEM768", "secp521r1"]);
        assert!(matches!(&error, BuildError::NotInBase { name, .. } if name == "secp521r1"));
        let text = error.to_string();
        assert!(text.contains("`secp521r1`") && text.contains("secp384r1"), "{text}");
    }
}

/// A group that only the base has is found by rustls' name and by number.
#[test]
fn other_groups_of_the_base() {
    #[derive(Debug)]
    struct X448;
    impl SupportedKxGroup for X448 {
        fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
            Err(Error::General("none".into()))
        }
        fn name(&self) -> NamedGroup {
            NamedGroup::X448
        }
        fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
            None
        }
    }
    let base = only(&bases()[0], &X448);
    for name in ["X448", "x448", "30", "0x1e", "0x001e"] {
        assert_eq!(provider(&base, &[name]).kx_groups[0].name(), NamedGroup::X448);
    }
    assert!(matches!(refuse(&base, &["31"]), BuildError::UnknownGroup { .. }));
}

#[test]
fn order_is_kept_and_ours_replace_the_bases() {
    for base in bases() {
        let names = ["12093", "x25519", "MLKEM768", "secp256r1", "X25519MLKEM768"];
        let built = provider(&base, &names);
        let order: Vec<u16> = built.kx_groups.iter().map(|group| group.name().into()).collect();
        assert_eq!(order, [12093, 29, 513, 23, 4588]);
        let replaced = own_group(&base, 4588);
        for built in [built, Builder::new(base.clone()).build().unwrap()] {
            let ours = own_group(&built, 4588).unwrap();
            assert!(replaced.is_none_or(|own| !std::ptr::addr_eq(own, ours)));
            let count = built.kx_groups.iter().filter(|g| u16::from(g.name()) == 4588).count();
            assert_eq!(count, 1);
            assert_eq!(built.cipher_suites, base.cipher_suites);
        }
    }
}

fn own_group(provider: &CryptoProvider, codepoint: u16) -> Option<&'static dyn SupportedKxGroup> {
    provider.kx_groups.iter().copied().find(|group| u16::from(group.name()) == codepoint)
}

#[test]
fn refusals_say_what_is_wrong() {
    let [base, ..] = bases();
    assert_eq!(refuse(&base, &[]), BuildError::NoGroups);
    assert_eq!(
        refuse(&base, &["X25519MLKEM786"]).to_string(),
        "expected the name of a group, found `X25519MLKEM786`; is it `X25519MLKEM768`?"
    );
    let text = refuse(&base, &["rot13"]).to_string();
    for part in ["found `rot13`", "X25519MLKEM768", "P521_KYBER_LEVEL5", "secp256r1"] {
        assert!(text.contains(part), "{text}");
    }
    // The same group by two names.
    for names in [["X25519MLKEM768", "4588"], ["secp256r1", "P-256"]] {
        let error = refuse(&base, &names);
        assert!(matches!(&error, BuildError::Duplicate { name, .. } if name == names[1]));
        assert!(error.to_string().contains(names[1]), "{error}");
    }
}

#[test]
fn round_3_groups_need_leave() {
    let [base, ..] = bases();
    for codepoint in CODEPOINTS {
        let names = [codepoint.to_string()];
        let built = Builder::new(base.clone()).groups(&names).build();
        let legacy = info(codepoint).status == oaklath_params::Status::Legacy;
        assert_eq!(built.is_err(), legacy, "{codepoint}");
        if let Err(error) = built {
            assert_eq!(error, BuildError::LegacyNotAllowed(info(codepoint)));
            let text = error.to_string();
            assert!(text.contains(info(codepoint).name) && text.contains("allow_legacy"), "{text}");
        }
    }
    // The permission alone adds no group.
    let built = Builder::new(base.clone()).allow_legacy().build().unwrap();
    let legacy = |codepoint| info(codepoint).status == oaklath_params::Status::Legacy;
    let ours = built.kx_groups.iter().map(|group| group.name().into());
    assert!(!ours.filter(|codepoint| CODEPOINTS.contains(codepoint)).any(legacy));
}

/// If the base has no curves, the classical halves are our own.
#[test]
fn a_base_without_curves() {
    let [base, ..] = bases();
    let bare = CryptoProvider { kx_groups: Vec::new(), ..base.clone() };
    for codepoint in CODEPOINTS {
        let (bare, full) =
            (only(&base, ours(&bare, codepoint)), only(&base, ours(&base, codepoint)));
        for (one, two) in [(&bare, &full), (&full, &bare)] {
            let mut pair = Pair::new(&client(one.clone(), BOTH), &server(two.clone(), BOTH));
            pair.converse().unwrap();
            assert_eq!(pair.group(), codepoint);
        }
    }
}

#[test]
fn randomness_is_the_bases_and_may_fail() {
    for base in bases() {
        let broken = CryptoProvider { secure_random: &Broken, ..base.clone() };
        for codepoint in CODEPOINTS {
            let (good, bad) = (ours(&base, codepoint), ours(&broken, codepoint));
            assert_eq!(bad.start().err(), Some(Error::FailedToGetRandomBytes));
            let share = good.start().unwrap().pub_key().to_vec();
            let error = bad.start_and_complete(&share).err();
            assert_eq!(error, Some(Error::FailedToGetRandomBytes));
        }
    }
}
