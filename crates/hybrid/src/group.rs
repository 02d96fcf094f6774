//! Groups: the exchange, and the layout of shares and secrets
//! (draft-ietf-tls-hybrid-design, section 3; draft-ietf-tls-ecdhe-mlkem, section 4).

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use oaklath_kem::{Decapsulate, Kem, batch_of};
use oaklath_params::curve::{self, CurveInfo};
use oaklath_params::group::{self, GroupInfo};
use oaklath_simd::ct::Mask;
use zeroize::Zeroizing;

use crate::curves::by_curve;
use crate::ecdh::{Ecdh, Ephemeral, Random};
use crate::error::{Error, Unavailable};
use crate::secret::SharedSecret;

/// The first byte of an uncompressed point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// A key exchange group: a row of the table, with the implementations of its halves.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub(crate) info: &'static GroupInfo,
    pub(crate) kem: &'static dyn Kem,
    pub(crate) ecdh: Option<&'static dyn Ecdh>,
}

/// Returns the groups of this build, in the order of the table.
///
/// ```
/// assert!(oaklath_hybrid::all().any(|group| group.info().codepoint == 4588));
/// ```
pub fn all() -> impl Iterator<Item = Group> {
    group::ALL.iter().filter_map(|info| Group::new(info).ok())
}

impl Group {
    /// Returns the group with this name, in any vocabulary, or with this codepoint as a number.
    ///
    /// # Errors
    /// [`Unavailable`] says why this build has no such group.
    ///
    /// ```
    /// use oaklath_hybrid::Group;
    ///
    /// assert_eq!(Group::by_name("4587")?.info().name, "SecP256r1MLKEM768");
    /// let error = Group::by_name("X25519MLKEM786").unwrap_err();
    /// assert!(error.to_string().contains("X25519MLKEM768"));
    /// # Ok::<(), oaklath_hybrid::Unavailable>(())
    /// ```
    pub fn by_name(name: &str) -> Result<Self, Unavailable> {
        let unknown =
            || Unavailable::UnknownName { name: name.to_owned(), suggestion: group::suggest(name) };
        Self::new(group::by_name(name).ok_or_else(unknown)?)
    }

    /// Returns the group of a row, with the classical half of [`by_curve`].
    ///
    /// # Errors
    /// [`Unavailable`] if the KEM or the curve of the row is not in this build.
    pub fn new(info: &'static GroupInfo) -> Result<Self, Unavailable> {
        let kem = kem_of(info)?;
        let ecdh = match info.curve {
            Some(curve) => Some(by_curve(curve).ok_or(Unavailable::NoCurve(info))?),
            None => None,
        };
        Ok(Self { info, kem, ecdh })
    }

    /// Returns the hybrid group of a row, with `ecdh` as its classical half.
    ///
    /// # Errors
    /// [`Unavailable`] if the KEM of the row is not in this build or `ecdh` has another curve.
    ///
    /// ```
    /// use oaklath_hybrid::{Group, by_curve};
    /// use oaklath_params::{curve, group};
    ///
    /// let p256 = by_curve(&curve::P256).expect("a build with curves");
    /// assert!(Group::with_ecdh(&group::SECP256R1MLKEM768, p256).is_ok());
    /// assert!(Group::with_ecdh(&group::X25519MLKEM768, p256).is_err());
    /// ```
    pub fn with_ecdh(
        info: &'static GroupInfo,
        ecdh: &'static dyn Ecdh,
    ) -> Result<Self, Unavailable> {
        if info.curve != Some(ecdh.curve()) {
            return Err(Unavailable::WrongCurve { group: info, found: ecdh.curve() });
        }
        Ok(Self { info, kem: kem_of(info)?, ecdh: Some(ecdh) })
    }

    /// Returns the row of the table: names, codepoint, status, lengths of shares and secret.
    #[must_use]
    pub fn info(&self) -> &'static GroupInfo {
        self.info
    }

    /// Does the client's first step: makes new keys of both halves, whose public parts are the
    /// client's share. Draws the seed of the KEM first, then the private key of the curve.
    ///
    /// # Errors
    /// [`Error::Random`] if `random` fails, [`Error::Backend`] if a key or the [`Ecdh`] fails.
    pub fn generate(&self, random: &mut dyn Random) -> Result<ClientKey, Error> {
        let mut seed = Zeroizing::new(vec![0; self.kem.seed_len()]);
        random.fill(&mut seed)?;
        let mut share = vec![0; self.info.client_share()];
        let (ek, _) = self.halves_mut(&mut share, self.kem.info().public_key);
        let decapsulation_key = self.kem.generate_from(&seed, ek)?;
        self.client_key(random, decapsulation_key, share)
    }

    /// Generates the keys of two clients, as [`generate`](Self::generate) does for one. ML-KEM and
    /// Kyber generate theirs side by side. `random` gives both seeds of the KEM, then both private
    /// keys of the curve.
    ///
    /// # Errors
    /// Those of [`generate`](Self::generate).
    #[expect(clippy::missing_panics_doc, reason = "groups have KEMs of our crate")]
    pub fn generate_two(&self, random: &mut dyn Random) -> Result<[ClientKey; 2], Error> {
        let len = self.kem.seed_len();
        let mut seeds = Zeroizing::new(vec![0; 2 * len]);
        random.fill(&mut seeds)?;
        let (first, second) = seeds.split_at(len);
        let (len, ek_len) = (self.info.client_share(), self.kem.info().public_key);
        let (mut share, mut other_share) = (vec![0; len], vec![0; len]);
        let eks =
            [self.halves_mut(&mut share, ek_len).0, self.halves_mut(&mut other_share, ek_len).0];
        let batch = batch_of(self.kem).expect("groups have KEMs of our crate");
        let [key, other] = batch.generate_two_from([first, second], eks)?;
        Ok([self.client_key(random, key, share)?, self.client_key(random, other, other_share)?])
    }

    /// Adds the keys of the curve to those of the KEM, whose half of `share` is filled.
    fn client_key(
        &self,
        random: &mut dyn Random,
        decapsulation_key: Box<dyn Decapsulate>,
        mut share: Vec<u8>,
    ) -> Result<ClientKey, Error> {
        let (_, point) = self.halves_mut(&mut share, self.kem.info().public_key);
        let ephemeral = match self.ecdh {
            Some(ecdh) => {
                let ephemeral = ecdh.generate(random)?;
                fill_point(point, ephemeral.share())?;
                Some(ephemeral)
            }
            None => None,
        };
        Ok(ClientKey { group: *self, ephemeral, decapsulation_key, share })
    }

    /// Does the server's step: makes its share and the secret from the client's share. Draws the
    /// coins of the KEM first, then the private key of the curve.
    ///
    /// # Errors
    /// [`Error::ShareLength`], [`Error::PointFormat`], [`Error::PointNotOnCurve`],
    /// [`Error::ZeroSecret`] or [`Error::Kem`] for a bad share; [`Error::Random`],
    /// [`Error::Backend`] as for [`Group::generate`].
    pub fn respond(&self, random: &mut dyn Random, client_share: &[u8]) -> Result<Answer, Error> {
        let kem = self.kem.info();
        let (encapsulation_key, peer) = self.halves(client_share, kem.public_key)?;
        self.check_point(peer)?;
        let mut share = vec![0; self.info.server_share()];
        let mut secret = Zeroizing::new(vec![0; self.info.shared_secret()]);
        let (ciphertext, point) = self.halves_mut(&mut share, kem.ciphertext);
        let (kem_secret, classical) = self.halves_mut(&mut secret, kem.shared_secret);

        // The KEM comes first: it rejects a bad key at a tenth of the cost of a curve operation.
        let mut coins = Zeroizing::new(vec![0; self.kem.coins_len()]);
        random.fill(&mut coins)?;
        self.kem.encapsulate_from(&coins, encapsulation_key, ciphertext, kem_secret)?;
        if let Some(ecdh) = self.ecdh {
            let (own, shared) = ecdh.respond(random, peer)?;
            fill_point(point, &own)?;
            self.fill_classical(classical, &shared)?;
        }
        Ok(Answer { share, secret: SharedSecret(secret) })
    }

    /// Splits a peer's share into the KEM's half, of `kem_len` bytes, and the curve's.
    fn halves<'a>(&self, share: &'a [u8], kem_len: usize) -> Result<(&'a [u8], &'a [u8]), Error> {
        let expected = kem_len + self.info.curve.map_or(0, |curve| curve.public_key);
        if share.len() != expected {
            return Err(Error::ShareLength { expected, found: share.len() });
        }
        Ok(if self.info.kem_first {
            share.split_at(kem_len)
        } else {
            let (classical, kem) = share.split_at(expected - kem_len);
            (kem, classical)
        })
    }

    /// Splits a buffer of this side, a share or secret, into the halves of KEM and curve.
    fn halves_mut<'a>(&self, buffer: &'a mut [u8], kem_len: usize) -> (&'a mut [u8], &'a mut [u8]) {
        if self.info.kem_first {
            buffer.split_at_mut(kem_len)
        } else {
            let (classical, kem) = buffer.split_at_mut(buffer.len() - kem_len);
            (kem, classical)
        }
    }

    /// Rejects every form of a point except the uncompressed one. The [`Ecdh`] checks whether the
    /// point is on the curve.
    fn check_point(&self, point: &[u8]) -> Result<(), Error> {
        match point.first() {
            Some(&found) if self.has_points() && found != UNCOMPRESSED => {
                Err(Error::PointFormat { found })
            }
            _ => Ok(()),
        }
    }

    /// Reports whether the classical share is a point of SEC 1; for X25519 it is a bare coordinate.
    pub(crate) fn has_points(&self) -> bool {
        self.info.curve.is_some_and(|curve| *curve != curve::X25519)
    }

    /// Writes the classical half of the secret. RFC 8446, section 7.4.2: an X25519 secret of zeros
    /// ends the handshake, so whether the secret is zero is public. On the prime curves, zero is an
    /// x-coordinate like any other.
    fn fill_classical(&self, out: &mut [u8], secret: &SharedSecret) -> Result<(), Error> {
        let secret = secret.as_bytes();
        if secret.len() != out.len() {
            return Err(Error::Backend);
        }
        let bits = secret.iter().fold(0, |or, byte| or | u64::from(*byte));
        if !self.has_points() && !Mask::from_nonzero(bits).declassify() {
            return Err(Error::ZeroSecret);
        }
        out.copy_from_slice(secret);
        Ok(())
    }
}

/// The client's private keys, between sending its share and receiving the server's.
///
/// Both keys are zeroized on drop, and serve one exchange only.
pub struct ClientKey {
    group: Group,
    ephemeral: Option<Box<dyn Ephemeral>>,
    decapsulation_key: Box<dyn Decapsulate>,
    share: Vec<u8>,
}

impl ClientKey {
    /// Returns the client's share, which has `client_share()` bytes of the group's row.
    #[must_use]
    pub fn share(&self) -> &[u8] {
        &self.share
    }

    /// Returns the group.
    #[must_use]
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Does the client's last step: computes the secret from the server's share.
    ///
    /// A manipulated ciphertext is not an error: the secrets of the two sides then differ (implicit
    /// rejection, FIPS 203, section 6.3).
    ///
    /// # Errors
    /// [`Error::ShareLength`], [`Error::PointFormat`], [`Error::PointNotOnCurve`] or
    /// [`Error::ZeroSecret`] for a bad share; [`Error::Backend`] if a foreign [`Ecdh`] fails.
    pub fn finish(self, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let kem = self.group.kem.info();
        let (ciphertext, peer) = self.group.halves(server_share, kem.ciphertext)?;
        self.group.check_point(peer)?;
        let mut secret = Zeroizing::new(vec![0; self.group.info.shared_secret()]);
        let (kem_secret, classical) = self.group.halves_mut(&mut secret, kem.shared_secret);
        if let Some(ephemeral) = self.ephemeral {
            self.group.fill_classical(classical, &ephemeral.agree(peer)?)?;
        }
        self.decapsulation_key.decapsulate(ciphertext, kem_secret)?;
        Ok(SharedSecret(secret))
    }

    /// Returns the classical half alone, for a peer that knows only the curve: the curve and the
    /// client's share on it. Returns `None` for a KEM alone.
    ///
    /// ```
    /// use getrandom::SysRng;
    /// use oaklath_hybrid::{Group, by_curve};
    ///
    /// let client = Group::by_name("X25519MLKEM768")?.generate(&mut SysRng)?;
    /// let (curve, share) = client.classical().expect("a hybrid group");
    /// let server = by_curve(curve).expect("a build with curves");
    /// let (answer, secret) = server.respond(&mut SysRng, share)?;
    /// assert_eq!(client.finish_classical(&answer)?.as_bytes(), secret.as_bytes());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub fn classical(&self) -> Option<(&'static CurveInfo, &[u8])> {
        Some((self.group.info.curve?, self.ephemeral.as_ref()?.share()))
    }

    /// Computes the secret of the classical half alone, from the server's classical share.
    ///
    /// # Errors
    /// [`Error::NotHybrid`] for a KEM alone; otherwise those of [`ClientKey::finish`].
    pub fn finish_classical(self, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let (Some(curve), Some(ephemeral)) = (self.group.info.curve, self.ephemeral) else {
            return Err(Error::NotHybrid);
        };
        if server_share.len() != curve.public_key {
            return Err(Error::ShareLength {
                expected: curve.public_key,
                found: server_share.len(),
            });
        }
        self.group.check_point(server_share)?;
        let mut secret = Zeroizing::new(vec![0; curve.shared_secret]);
        self.group.fill_classical(&mut secret, &ephemeral.agree(server_share)?)?;
        Ok(SharedSecret(secret))
    }
}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientKey").field("group", &self.group.info.name).finish_non_exhaustive()
    }
}

/// The result of the server's step.
#[derive(Debug)]
pub struct Answer {
    /// The server's share, which has `server_share()` bytes of the group's row.
    pub share: Vec<u8>,
    /// The secret.
    pub secret: SharedSecret,
}

/// Returns the implementation of a row's KEM.
fn kem_of(info: &'static GroupInfo) -> Result<&'static dyn Kem, Unavailable> {
    // Only the features of this crate count, even if another crate enables more of `oaklath-kem`.
    const COMPILED: &[&str] = oaklath_params::compiled_kems!();
    let compiled = COMPILED.contains(&info.kem.feature);
    let mut kems = oaklath_kem::all().iter().copied();
    kems.find(|kem| compiled && kem.info() == info.kem).ok_or(Unavailable::NotCompiled(info))
}

/// Copies this side's classical share into its place.
fn fill_point(out: &mut [u8], point: &[u8]) -> Result<(), Error> {
    if point.len() != out.len() {
        return Err(Error::Backend);
    }
    out.copy_from_slice(point);
    Ok(())
}
