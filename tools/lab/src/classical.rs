//! The finite-field group of 2,048 bits (RFC 7919, appendix A.1; RFC 8446, sections 4.2.8.1 and
//! 7.4.1), which no base provider has, for the rows of the published tables.

use std::fmt;

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U256, U2048};
use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::{self, FfdheGroup};
use rustls::{Error, NamedGroup, PeerMisbehaved};

/// `ffdhe2048`, in portable code and for measurement only.
pub static FFDHE_2048: &dyn SupportedKxGroup = &Ffdhe;

#[derive(Debug)]
struct Ffdhe;

type Residue = FixedMontyForm<{ U2048::LIMBS }>;

/// Bytes of an exponent: twice the group's strength (RFC 7919, section 5.2: at least 225 bits).
const EXPONENT: usize = 32;

impl Ffdhe {
    const GROUP: FfdheGroup<'static> = ffdhe_groups::FFDHE2048;

    fn modulus() -> FixedMontyParams<{ U2048::LIMBS }> {
        let p = U2048::from_be_slice(Self::GROUP.p);
        FixedMontyParams::new_vartime(Odd::new(p).expect("a prime"))
    }
}

impl SupportedKxGroup for Ffdhe {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut bytes = [0; EXPONENT];
        getrandom::fill(&mut bytes).map_err(|_| Error::FailedToGetRandomBytes)?;
        let exponent = U256::from_be_slice(&bytes);
        let g = U2048::from(Self::GROUP.g[0]);
        let share = Residue::new(&g, &Self::modulus()).pow(&exponent).retrieve();
        Ok(Box::new(FfdheKey { exponent, share: share.to_be_bytes().as_ref().to_vec() }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        Some(Self::GROUP)
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::FFDHE2048
    }
}

struct FfdheKey {
    exponent: U256,
    share: Vec<u8>,
}

impl ActiveKeyExchange for FfdheKey {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        if share.len() != Ffdhe::GROUP.p.len() {
            return Err(bad_share());
        }
        // RFC 8446, section 4.2.8.1: 1 < Y < p - 1.
        let (y, modulus) = (U2048::from_be_slice(share), Ffdhe::modulus());
        if y <= U2048::ONE || y >= modulus.modulus().get().wrapping_sub(&U2048::ONE) {
            return Err(bad_share());
        }
        let secret = Residue::new(&y, &modulus).pow(&self.exponent).retrieve();
        Ok(SharedSecret::from(secret.to_be_bytes().as_ref()))
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        Some(Ffdhe::GROUP)
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::FFDHE2048
    }
}

impl fmt::Debug for FfdheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key of ffdhe2048")
    }
}

fn bad_share() -> Error {
    Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_agree() {
        let (client, server) = (FFDHE_2048.start().unwrap(), FFDHE_2048.start().unwrap());
        let (a, b) = (client.pub_key().to_vec(), server.pub_key().to_vec());
        let (client, server) = (client.complete(&b).unwrap(), server.complete(&a).unwrap());
        assert_eq!(client.secret_bytes(), server.secret_bytes());
        assert_eq!(client.secret_bytes().len(), 256);
        for bad in [vec![], vec![0; b.len()], vec![0xff; b.len()], b[1..].to_vec()] {
            assert!(FFDHE_2048.start().unwrap().complete(&bad).is_err());
        }
    }
}
