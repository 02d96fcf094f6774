//! `oaklath cert chains`: the chains of wolfSSL's appendix, under the names of its files.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use oaklath_params::sig::{self, SigIdentity, Vocabulary};
use oaklath_pki::{Authority, Identity, PrivateKey, Template};

use crate::files::{Output, Replace};
use crate::keygen::generate;
use crate::progress;

/// Arguments of `oaklath cert chains`.
#[derive(Debug, clap::Args)]
pub(crate) struct Chains {
    /// Which: appendix (`falcon_level1_root_cert.pem` …), or that of its sixth
    /// version, appendix6 (`mldsa44_root_cert.pem` …)
    #[arg(long, value_name = "PROFILE", value_parser = ["appendix", "appendix6"],
        hide_possible_values = true)]
    profile: String,
    /// Valid for this many days
    #[arg(long, value_name = "N", default_value_t = 365,
        value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    #[command(flatten)]
    replace: Replace,
    /// Folder for the files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Creates a root and an entity for every algorithm of the profile that is in this build.
pub(super) fn run(args: &Chains) -> Result<()> {
    fs::create_dir_all(&args.folder).with_context(|| args.folder.display().to_string())?;
    for id in sig::IDENTITIES.iter().filter(|id| is_of(&args.profile, id)) {
        let identity = Identity::by_name(id.oid.as_str()).filter(|identity| identity.is_built());
        if let (Some(identity), Some(prefix)) =
            (identity, id.algorithm.wolfssl.or(id.algorithm.oqs))
        {
            args.write(&prefix.to_lowercase(), identity).with_context(|| prefix.to_owned())?;
        }
    }
    Ok(())
}

fn is_of(profile: &str, id: &SigIdentity) -> bool {
    match profile {
        "appendix" => id.vocabulary == Vocabulary::Appendix,
        _ => [&sig::ID_ML_DSA_44, &sig::ID_ML_DSA_65, &sig::ID_ML_DSA_87].contains(&id),
    }
}

impl Chains {
    /// Writes the four files of an algorithm.
    fn write(&self, prefix: &str, identity: Identity) -> Result<()> {
        let keys = [generate(identity)?, generate(identity)?];
        let [root, entity] = progress::during("signing", || self.certificates(&keys))?;
        let write = |what: &str, text: &str| {
            let path = self.folder.join(format!("{prefix}_{what}.pem"));
            let is_secret = what.ends_with("key");
            Output::create(&path, is_secret, self.replace.into())?.write(text.as_bytes())
        };
        for (role, certificate, key) in [("root", root, &keys[0]), ("entity", entity, &keys[1])] {
            write(&format!("{role}_key"), &key.to_pem(identity.standard_form())?)?;
            write(&format!("{role}_cert"), &certificate)?;
        }
        Ok(())
    }

    /// Issues the certificates of a root and of an entity on this machine, as PEM.
    fn certificates(&self, [root_key, entity_key]: &[PrivateKey; 2]) -> Result<[String; 2]> {
        let now = SystemTime::now();
        let until = now + Duration::from_secs(u64::from(self.days) * 86_400 - 1);
        // Escaped, because a plus sign joins parts of a name: RFC 4514, section 2.4.
        let name = root_key.identity().name().replace('+', "\\+");
        let template = |role| Template::new(&format!("CN={name} {role}"), now..=until);
        let root = template("root")?.root(root_key)?;
        let entity = template("entity")?
            .dns("localhost")?
            .ip(IpAddr::V4(Ipv4Addr::LOCALHOST))
            .ip(IpAddr::V6(Ipv6Addr::LOCALHOST))
            .entity(&entity_key.public_key(), &Authority::new(&root, root_key)?)?;
        Ok([root.to_pem(), entity.to_pem()])
    }
}
