//! The generation of private keys.
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

#[cfg(feature = "getrandom")]
use zeroize::Zeroizing;

use crate::error::Error;
use crate::hypertree::cache;
use crate::hypertree::grown::{Growing, Shape};
use crate::hypertree::layers::{Hypertree, shapes};
use crate::hypertree::scheme::{HypertreeScheme, TreeOps};
use crate::hypertree::signing_key::{HypertreeFamily, SigningKey};

/// The generation of a private key, which takes minutes if its top tree is tall: it can report
/// progress, be cancelled, and be continued later.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use oaklath_params::stateful::lms;
/// use oaklath_stateful::{Error, HssGeneration, HssLevels, NODE_BYTES};
///
/// let levels = HssLevels::from(&lms::L1_H15_W2);
/// // In production it comes from a random generator.
/// let seed = [7; 48];
/// let mut generation = HssGeneration::new(&levels, &seed, NODE_BYTES)?;
/// let stop = |done, _| match done < 2000 {
///     true => ControlFlow::Continue(()),
///     false => ControlFlow::Break(()),
/// };
/// assert_eq!(generation.run(stop), Err(Error::Cancelled));
/// let kept = generation.to_bytes();
///
/// let later = HssGeneration::resume(&levels, &seed, NODE_BYTES, &kept)?;
/// assert!(later.done() >= 2000);
/// # Ok::<(), Error>(())
/// ```
pub struct Generation<F: HypertreeFamily> {
    scheme: F::Scheme,
    shapes: Vec<Shape>,
    tree: Box<dyn TreeOps>,
    growing: Growing,
}

impl<F: HypertreeFamily> Generation<F> {
    /// Starts with a secret random seed of [`HssLevels::seed_len`](crate::HssLevels::seed_len) or
    /// [`xmss_seed_len`](crate::xmss_seed_len) bytes. Of each tree, about `node_bytes` bytes of
    /// nodes are kept: [`NODE_BYTES`](crate::NODE_BYTES) is a good choice.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::TooTall`].
    pub fn new(
        parameters: F::Parameters<'_>,
        seed: &[u8],
        node_bytes: usize,
    ) -> Result<Self, Error> {
        Ok(Self::of_scheme(F::scheme(parameters, seed)?, node_bytes))
    }

    pub(crate) fn of_scheme(scheme: F::Scheme, node_bytes: usize) -> Self {
        let (tree, shapes) = (scheme.tree(&[]), shapes(&scheme, node_bytes));
        let growing = Growing::new(shapes[0]);
        Self { scheme, shapes, tree, growing }
    }

    /// Continues where [`to_bytes`](Self::to_bytes) was called, with the default derivation. The
    /// cut of the top tree is the one that was chosen then.
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::CacheForeign`] if the bytes are damaged or of another key.
    pub fn resume(
        parameters: F::Parameters<'_>,
        seed: &[u8],
        node_bytes: usize,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let mut new = Self::new(parameters, seed, node_bytes)?;
        let (cut, nodes) = cache::read_growth(&new.scheme.owner(), bytes)?;
        new.shapes[0].cut = cut;
        new.growing = Growing::resume(new.shapes[0], nodes).ok_or(Error::CacheForeign)?;
        Ok(new)
    }

    /// Returns the nodes computed so far, for [`resume`](Self::resume): public, and protected by a
    /// MAC.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let nodes = self.growing.cut_nodes();
        cache::write_growth(&self.scheme.owner(), self.shapes[0].cut, nodes)
    }

    /// Returns how many leaves of the top tree have been computed.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.growing.done()
    }

    /// Computes the top tree. Calls `go_on` now and then with the number of leaves computed and of
    /// all leaves, to ask whether to go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`]. The function can then be called again.
    pub fn run(&mut self, mut go_on: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), Error> {
        while self.growing.left() > 0 {
            if go_on(self.done(), self.shapes[0].leaves()).is_break() {
                return Err(Error::Cancelled);
            }
            self.growing.grow(&*self.tree, u32::MAX);
        }
        Ok(())
    }

    /// Computes the rest of the top tree, and returns the key.
    #[must_use]
    pub fn finish(self) -> SigningKey<F> {
        let Self { scheme, shapes, tree, growing } = self;
        let top = growing.finish(&*tree);
        let trees = Hypertree::of_top(&scheme, shapes, tree, top);
        SigningKey::new(scheme, trees)
    }
}

impl<F: HypertreeFamily> SigningKey<F> {
    /// Makes a key from random bytes of the operating system, in one call: see [`Generation`].
    ///
    /// # Errors
    /// [`Error::TooTall`].
    ///
    /// # Panics
    /// If the operating system has no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate(parameters: F::Parameters<'_>, node_bytes: usize) -> Result<Self, Error> {
        let mut seed = Zeroizing::new(alloc::vec![0; F::seed_len(parameters)]);
        getrandom::fill(&mut seed).expect("the operating system has random bytes");
        Self::from_seed(parameters, &seed, node_bytes)
    }

    /// Derives a key from a random seed, in one call: see [`Generation`].
    ///
    /// # Errors
    /// [`Error::SeedLength`]; [`Error::TooTall`].
    pub fn from_seed(
        parameters: F::Parameters<'_>,
        seed: &[u8],
        node_bytes: usize,
    ) -> Result<Self, Error> {
        Ok(Generation::new(parameters, seed, node_bytes)?.finish())
    }
}

impl<F: HypertreeFamily> fmt::Debug for Generation<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(F::GENERATION).field("done", &self.done()).finish_non_exhaustive()
    }
}
