//! Events that take a database back in time, or let another take its place: every signer stops
//! until a person has said where to continue, and no index is issued twice.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use oaklath_stores::{SharedStore, Store, StoreError};

use crate::server::{Server, wait_until};
use crate::{Fleet, MACHINES, key};

/// One kind of event.
pub(crate) struct Disaster<S> {
    pub(crate) name: &'static str,
    /// Whether the database itself shows the event, even to machines that have leased nothing since
    /// and to new ones.
    pub(crate) shows_to_all: bool,
    pub(crate) prepare: fn(&S),
    pub(crate) copy: fn(&S) -> PathBuf,
    /// Restores the server from the copy.
    pub(crate) happen: fn(&S, &Path),
}

impl<S: Server> Disaster<S> {
    /// Lets the event happen this many times.
    pub(crate) fn run(&self, fleet: &Fleet<S>, times: u64) {
        for _ in 0..times {
            self.happen_once(fleet);
        }
        let given = fleet.given.lock().unwrap().len();
        let whom =
            if self.shows_to_all { "and a new machine too" } else { "each has leased since" };
        println!(
            "{}: {}: {times} times, {MACHINES} machines stopped each time ({whom}), {given} \
             indices given, 0 twice",
            fleet.server.name(),
            self.name,
        );
    }

    fn happen_once(&self, fleet: &Fleet<S>) {
        (self.prepare)(&fleet.server);
        // The server may have been killed, and listens before it has recovered.
        wait_until("an answer", || !matches!(fleet.open(0), Err(StoreError::Database(_))));
        fleet.take(&mut fleet.open(0).unwrap()).unwrap();
        let copy = (self.copy)(&fleet.server);
        let mut stores: Vec<_> = (0..MACHINES).map(|number| fleet.open(number).unwrap()).collect();
        let leases = if self.shows_to_all { MACHINES / 2 } else { MACHINES };
        stores[..leases].iter_mut().for_each(|store| fleet.take(store).unwrap());
        (self.happen)(&fleet.server, &copy);

        for mut store in stores {
            let reserved = store.reserve(NonZeroU64::MIN);
            assert!(reserved.is_err(), "{}: an open store went on: {reserved:?}", self.name);
        }
        for number in 0..MACHINES {
            assert!(self.is_rejected(&fleet.open(number)), "{}: {number}", self.name);
        }
        if self.shows_to_all {
            let joined = fleet.machine(MACHINES).unwrap().join(key());
            assert!(self.is_rejected(&joined), "{}: {joined:?}", self.name);
        }

        let highest = *fleet.given.lock().unwrap().last().unwrap();
        let recover = |number| fleet.machine(number).unwrap().recover(key(), highest).unwrap();
        fleet.take(&mut recover(3)).unwrap();
        for number in (0..MACHINES).filter(|number| *number != 3) {
            let mut store = match fleet.open(number) {
                // The database reports a new identity, so recovery is needed on each machine.
                Err(StoreError::Foreign(_)) => {
                    let highest = *fleet.given.lock().unwrap().last().unwrap();
                    fleet.machine(number).unwrap().recover(key(), highest).unwrap()
                }
                opened => opened.unwrap(),
            };
            fleet.take(&mut store).unwrap();
        }
    }

    fn is_rejected(&self, opened: &Result<SharedStore, StoreError>) -> bool {
        use StoreError::{Foreign, Restored, RolledBack};
        matches!(opened, Err(Restored(_) | RolledBack { .. } | Foreign(_)))
    }
}
