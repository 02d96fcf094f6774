//! The system of 2022: rustls over liboqs of that time, by the program in
//! `tools/interop/round3/tls`.

use std::path::PathBuf;

use anyhow::Result;
use oaklath_params::{
    Status,
    group::{self, GroupInfo},
};

use super::{
    build::{build_workspace, missing, program_of_workspace},
    chains,
    peer::{Combination, Peer, Role, Side, Site, flags, product},
};

/// The peer, with the groups and certificates of the appendix.
pub(super) struct Round3;

/// Groups of Kyber that are newer than the appendix.
const YOUNGER: [&GroupInfo; 3] =
    [&group::X25519_KYBER_LEVEL1, &group::X25519_KYBER_LEVEL3, &group::P256_KYBER_LEVEL3];

fn groups() -> Vec<&'static GroupInfo> {
    let is_old = |group: &&GroupInfo| group.status == Status::Legacy && !YOUNGER.contains(group);
    group::ALL.iter().copied().filter(is_old).collect()
}

impl Peer for Round3 {
    fn name(&self) -> &'static str {
        "old"
    }

    fn title(&self) -> String {
        "rustls 0.23 with liboqs 0.7.2".to_owned()
    }

    fn about(&self) -> &'static str {
        "By the program in `tools/interop/round3/tls`, which shares no code with Oaklath: its KEMs and signatures, with \
         which it also verifies chains, are the C code of 2022 that the crate `oqs-sys` 0.7.2 carries; its curves are \
         aws-lc's. Groups and certificates have the numbers of the appendix and of OQS-OpenSSL 1.1.1."
    }

    fn combinations(&self) -> Vec<Combination> {
        let mut all = product(&groups(), chains::APPENDIX);
        // The command lines of the appendix's first version.
        let p521: &[_] = &[&group::P521_KYBER_LEVEL5];
        all.extend(product(p521, &[&chains::FALCON_MIXED_OLD]));
        all.extend(product(p521, chains::APPENDIX_SLOW));
        // Only the peer shows these: its rustls does not read a flight of more than 64 KiB.
        let servers = product(p521, &[&chains::SPHINCS_192F_SERVER, &chains::SPHINCS_256F_SERVER]);
        let clients = product(p521, &[&chains::SPHINCS_192F_CLIENT, &chains::SPHINCS_256F_CLIENT]);
        all.extend(servers.into_iter().filter(|combination| combination.role == Role::Server));
        all.extend(clients.into_iter().filter(|combination| combination.role == Role::Client));
        all
    }

    fn missing(&self) -> Option<String> {
        missing(&[("cc", "gcc"), ("cmake", "cmake")])
    }

    fn program(&self, site: &Site) -> PathBuf {
        program_of_workspace(site, "interop-round3-tls")
    }

    fn build(&self, site: &Site) -> Result<()> {
        build_workspace(site, "round3/tls")
    }

    fn side(&self, site: &Site, combination: &Combination, port: u16) -> Side {
        let mut side = flags(&self.program(site), combination, site, port);
        let codepoint = combination.group.codepoint;
        // It does not parse names, and rustls has no names for these groups.
        side.says = vec![format!("SSL curve name is NamedGroup({codepoint:#x})")];
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_appendix_is_whole() {
        assert_eq!(groups().len(), 26);
        assert_eq!(Round3.combinations().len(), 2 * (26 * 9 + 1 + 3 + 2));
    }
}
