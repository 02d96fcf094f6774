//! A machine in memory: two state files, of which each knows what its readers see and what a crash
//! would leave, with failures at chosen operations.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use oaklath_stores::Medium;

/// What a disk writes at once, whole or not at all.
pub(crate) const SECTOR: usize = 512;

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It has no effect. A sync that fails so leaves the cache saying what the disk does not know,
    /// and the cache believes that it is clean.
    Undone,
    /// Half of it happens.
    Half,
    /// It happens, and is reported as failed.
    Done,
}

pub(crate) const FAULTS: [Fault; 3] = [Fault::Undone, Fault::Half, Fault::Done];

/// What happened, in order.
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
    /// A sync that failed with this effect.
    BadSync {
        disk: usize,
        fault: Fault,
    },
    /// A draft became the state's name, with this content.
    Rename {
        disk: usize,
        bytes: Vec<u8>,
    },
    SyncFolder {
        disk: usize,
    },
    /// Indices up to below this were given.
    Emitted {
        end: u64,
    },
}

/// What is on a disk: a file, or none.
pub(crate) type Image = Option<Vec<u8>>;

#[derive(Debug, Default)]
pub(crate) struct Machine {
    cached: [Image; 2],
    draft: [Image; 2],
    is_locked: [bool; 2],
    pub(crate) trace: Vec<Event>,
    /// Operations so far that could have failed.
    pub(crate) operations: usize,
    /// Which of them fails, and how.
    pub(crate) failing: Option<(usize, Fault)>,
}

/// One of the machine's disks.
#[derive(Debug)]
pub(crate) struct SimulatedDisk {
    machine: Arc<Mutex<Machine>>,
    disk: usize,
    has_lock: bool,
}

/// A machine that several handles share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulation(Arc<Mutex<Machine>>);

impl Simulation {
    /// A machine with these files.
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

    /// What readers see.
    pub(crate) fn cached(&self) -> [Image; 2] {
        self.machine().cached.clone()
    }
}

impl Machine {
    /// Counts an operation; its fault, if it is to fail.
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

/// How finely a write is torn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tearing {
    /// Every subset of its sectors.
    EverySubset,
    /// Nothing, the first half, the second half, everything, and bytes up to within a sector.
    Coarse,
}

/// Everything that may lie on a disk after a crash behind these events. Neither does a sync of the
/// file make its new name durable, nor the other way round.
pub(crate) fn images(
    before: &Image,
    events: &[Event],
    disk: usize,
    tearing: Tearing,
) -> BTreeSet<Image> {
    // The file that has the name durably, and the one that has it now, if that is another.
    let (mut durable, mut renamed) = (before.clone(), None);
    // Writes that are not synced, to the file that has the name now.
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

/// The first `kept` of the writes reach the file; none is pending any more.
fn settle(file: Option<&mut Vec<u8>>, pending: &mut Vec<(usize, &[u8])>, kept: usize) {
    if let Some(file) = file {
        pending.iter().take(kept).for_each(|(offset, bytes)| apply(file, *offset, bytes));
    }
    pending.clear();
}

fn apply(file: &mut [u8], offset: usize, bytes: &[u8]) {
    file[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Each pending write may have reached the disk or not, in parts and in any order.
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

/// The first index above all that were given in these events.
pub(crate) fn unused(events: &[Event]) -> u64 {
    let ends = events.iter().map(|event| match event {
        Event::Emitted { end } => *end,
        _ => 0,
    });
    ends.max().unwrap_or(0)
}
