//! A simulated machine: two state files, with what readers see and what a crash would leave, and
//! with failures at chosen operations.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use oaklath_stores::Medium;

/// The number of bytes that a disk writes atomically.
pub(crate) const SECTOR: usize = 512;

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The operation has no effect. After such a failure of a sync, the cache differs from the disk
    /// but is considered clean.
    Undone,
    /// Half of the operation is done.
    Half,
    /// The operation is done, but is reported as failed.
    Done,
}

pub(crate) const FAULTS: [Fault; 3] = [Fault::Undone, Fault::Half, Fault::Done];

/// An event; a trace has them in order.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Write {
        disk: usize,
        offset: usize,
        bytes: Vec<u8>,
    },
    Sync {
        disk: usize,
    },
    /// A sync that failed in this way.
    BadSync {
        disk: usize,
        fault: Fault,
    },
    /// A draft with this content was renamed to the state.
    Rename {
        disk: usize,
        bytes: Vec<u8>,
    },
    SyncFolder {
        disk: usize,
    },
    /// Indices below this one were issued.
    Emitted {
        end: u64,
    },
}

/// The contents of a disk: a file, or none.
pub(crate) type Image = Option<Vec<u8>>;

#[derive(Debug, Default)]
pub(crate) struct Machine {
    cached: [Image; 2],
    draft: [Image; 2],
    is_locked: [bool; 2],
    pub(crate) trace: Vec<Event>,
    /// The number of operations so far that could have failed.
    pub(crate) operations: usize,
    /// The operation that fails, and how.
    pub(crate) failing: Option<(usize, Fault)>,
}

/// One of the machine's disks.
#[derive(Debug)]
pub(crate) struct SimulatedDisk {
    machine: Arc<Mutex<Machine>>,
    disk: usize,
    has_lock: bool,
}

/// A machine shared by several handles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulation(Arc<Mutex<Machine>>);

impl Simulation {
    /// Returns a machine with these files.
    pub(crate) fn with(images: [Image; 2]) -> Self {
        let machine = Machine { cached: images, ..Machine::default() };
        Self(Arc::new(Mutex::new(machine)))
    }

    pub(crate) fn disk(&self, disk: usize) -> SimulatedDisk {
        SimulatedDisk { machine: Arc::clone(&self.0), disk, has_lock: false }
    }

    pub(crate) fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.lock().unwrap()
    }

    pub(crate) fn emit(&self, end: u64) {
        self.machine().trace.push(Event::Emitted { end });
    }

    /// Returns the files that readers see.
    pub(crate) fn cached(&self) -> [Image; 2] {
        self.machine().cached.clone()
    }
}

impl Machine {
    /// Counts an operation, and returns its fault if it must fail.
    fn operation(&mut self) -> Option<Fault> {
        self.operations += 1;
        let failing = self.failing.filter(|(at, _)| *at + 1 == self.operations);
        failing.map(|(_, fault)| fault)
    }
}

fn injected() -> io::Error {
    io::Error::other("injected")
}

impl Medium for SimulatedDisk {
    fn lock(&mut self) -> io::Result<bool> {
        let mut machine = self.machine.lock().unwrap();
        let is_free = !machine.is_locked[self.disk];
        machine.is_locked[self.disk] = true;
        self.has_lock |= is_free;
        Ok(is_free)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.machine.lock().unwrap().cached[self.disk].clone())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut machine, disk) = (self.machine.lock().unwrap(), self.disk);
        let fault = machine.operation();
        let len = match fault {
            Some(Fault::Undone) => return Err(injected()),
            Some(Fault::Half) => bytes.len() / 2,
            Some(Fault::Done) | None => bytes.len(),
        };
        let (offset, bytes) = (offset as usize, bytes[..len].to_vec());
        let file = machine.cached[disk].as_mut().expect("a file that was read is there");
        file[offset..offset + len].copy_from_slice(&bytes);
        machine.trace.push(Event::Write { disk, offset, bytes });
        if fault.is_some() { Err(injected()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let (mut machine, disk) = (self.machine.lock().unwrap(), self.disk);
        match machine.operation() {
            None => machine.trace.push(Event::Sync { disk }),
            Some(fault) => {
                machine.trace.push(Event::BadSync { disk, fault });
                return Err(injected());
            }
        }
        Ok(())
    }

    fn write_draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut machine = self.machine.lock().unwrap();
        let fault = machine.operation();
        machine.draft[self.disk] = Some(bytes.to_vec());
        if fault.is_some() { Err(injected()) } else { Ok(()) }
    }

    fn rename(&mut self) -> io::Result<()> {
        let (mut machine, disk) = (self.machine.lock().unwrap(), self.disk);
        let fault = machine.operation();
        if !matches!(fault, Some(Fault::Undone)) {
            let bytes = machine.draft[disk].take().expect("a draft was written");
            machine.cached[disk] = Some(bytes.clone());
            machine.trace.push(Event::Rename { disk, bytes });
        }
        if fault.is_some() { Err(injected()) } else { Ok(()) }
    }

    fn sync_folder(&mut self) -> io::Result<()> {
        let (mut machine, disk) = (self.machine.lock().unwrap(), self.disk);
        let fault = machine.operation();
        if !matches!(fault, Some(Fault::Undone)) {
            machine.trace.push(Event::SyncFolder { disk });
        }
        if fault.is_some() { Err(injected()) } else { Ok(()) }
    }
}

impl Drop for SimulatedDisk {
    fn drop(&mut self) {
        if self.has_lock {
            self.machine.lock().unwrap().is_locked[self.disk] = false;
        }
    }
}

/// How a write may be torn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tearing {
    /// Every subset of its sectors.
    EverySubset,
    /// Nothing, the first half, the second half, everything, and part of a sector.
    Coarse,
}

/// Returns all contents that a disk may have after a crash that follows these events. A sync of the
/// file does not make its new name durable, nor does a sync of the folder the file.
pub(crate) fn images(
    before: &Image,
    events: &[Event],
    disk: usize,
    tearing: Tearing,
) -> BTreeSet<Image> {
    // The file that durably has the name, and the one that has it now if that differs.
    let (mut durable, mut renamed) = (before.clone(), None);
    // Unsynced writes to the file that has the name now.
    let mut pending: Vec<(usize, &[u8])> = Vec::new();
    for event in events {
        match event {
            Event::Write { disk: at, offset, bytes } if *at == disk => {
                pending.push((*offset, bytes));
            }
            Event::Sync { disk: at } if *at == disk => {
                settle(renamed.as_mut().or(durable.as_mut()), &mut pending, usize::MAX);
            }
            Event::BadSync { disk: at, fault } if *at == disk => {
                let kept = match fault {
                    Fault::Undone => 0,
                    Fault::Half => pending.len().saturating_sub(1),
                    Fault::Done => usize::MAX,
                };
                settle(renamed.as_mut().or(durable.as_mut()), &mut pending, kept);
            }
            Event::Rename { disk: at, bytes } if *at == disk => {
                renamed = Some(bytes.clone());
                pending.clear();
            }
            Event::SyncFolder { disk: at } if *at == disk => {
                durable = renamed.take().or(durable);
            }
            _ => {}
        }
    }
    let mut images = BTreeSet::new();
    if let Some(file) = renamed {
        images.insert(durable);
        durable = Some(file);
    }
    torn(durable, &pending, tearing, &mut images);
    images
}

/// Applies the first `kept` writes to the file, and clears the pending ones.
fn settle(file: Option<&mut Vec<u8>>, pending: &mut Vec<(usize, &[u8])>, kept: usize) {
    if let Some(file) = file {
        pending.iter().take(kept).for_each(|(offset, bytes)| apply(file, *offset, bytes));
    }
    pending.clear();
}

fn apply(file: &mut [u8], offset: usize, bytes: &[u8]) {
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Adds the images in which each pending write has reached the disk wholly, partly or not at all.
fn torn(base: Image, pending: &[(usize, &[u8])], tearing: Tearing, images: &mut BTreeSet<Image>) {
    let (Some(file), Some(((offset, bytes), rest))) = (&base, pending.split_first()) else {
        images.insert(base);
        return;
    };
    let sectors = bytes.len().div_ceil(SECTOR);
    let masks: Vec<u32> = match tearing {
        Tearing::EverySubset => (0..1 << sectors).collect(),
        Tearing::Coarse => {
            let (all, half) = ((1 << sectors) - 1, (1 << (sectors / 2)) - 1);
            vec![0, half, all & !half, all]
        }
    };
    let mut variants = BTreeSet::new();
    for mask in masks {
        let mut file = file.clone();
        for (at, sector) in bytes.chunks(SECTOR).enumerate().filter(|(at, _)| mask >> at & 1 == 1) {
            apply(&mut file, offset + at * SECTOR, sector);
        }
        variants.insert(file);
    }
    for len in [1, 9, 70, SECTOR + 100, bytes.len().saturating_sub(16)] {
        let mut file = file.clone();
        apply(&mut file, *offset, &bytes[..len.min(bytes.len())]);
        variants.insert(file);
    }
    variants.into_iter().for_each(|file| torn(Some(file), rest, tearing, images));
}

/// Returns the first index above all that were issued in these events.
pub(crate) fn unused(events: &[Event]) -> u64 {
    let ends = events.iter().map(|event| match event {
        Event::Emitted { end } => *end,
        _ => 0,
    });
    ends.max().unwrap_or(0)
}
