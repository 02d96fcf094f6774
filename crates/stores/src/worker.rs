//! A thread that owns a client: the client has a runtime of its own, which must not start within
//! the runtime of the caller.

use std::fmt;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use crate::error::StoreError;

type Job<C> = Box<dyn FnOnce(&mut C) + Send>;

/// The time to wait for an answer, longer than all limits of the client itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// The sending end of the channel to the thread, which ends when this is dropped.
pub(crate) struct Worker<C> {
    jobs: Sender<Job<C>>,
}

impl<C: 'static> Worker<C> {
    /// Starts the thread, and creates the client on it.
    pub(crate) fn start(
        make: impl FnOnce() -> Result<C, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, inbox) = mpsc::channel::<Job<C>>();
        let (reply, made) = mpsc::channel();
        let run = move || match make() {
            Err(error) => drop(reply.send(Err(error))),
            Ok(mut client) => {
                drop(reply.send(Ok(())));
                inbox.into_iter().for_each(|job| job(&mut client));
            }
        };
        let spawned = thread::Builder::new().name("oaklath-store".into()).spawn(run);
        spawned.map_err(StoreError::io("start a thread"))?;
        made.recv_timeout(PATIENCE).map_err(|_| no_answer())??;
        Ok(Self { jobs })
    }

    /// Runs a job on the thread and waits for its result.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut C) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = mpsc::channel();
        let job: Job<C> = Box::new(move |client| drop(reply.send(job(client))));
        self.jobs.send(job).map_err(|_| no_answer())?;
        answer.recv_timeout(PATIENCE).map_err(|_| no_answer())?
    }
}

impl<C> fmt::Debug for Worker<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

fn no_answer() -> StoreError {
    StoreError::Database("no answer".into())
}
