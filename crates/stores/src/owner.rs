//! The process that a handle belongs to.

use std::fs::{self, File};
use std::io::Read;
use std::process;

use crate::error::StoreError;

/// The process that opened a handle. A forked child has a copy of the handle and of its lock, and
/// would sign with the same indices.
#[derive(Debug)]
pub(crate) struct Owner {
    number: u32,
    birth: Option<String>,
}

impl Owner {
    pub(crate) fn this_process() -> Self {
        Self { number: process::id(), birth: birth() }
    }

    /// Checks that this is the owning process, by its number and by its namespace and start time.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.check_number()?;
        match (&self.birth, birth()) {
            (Some(known), Some(found)) if *known != found => self.reject(),
            _ => Ok(()),
        }
    }

    /// Checks that this is the owning process, by its number only.
    pub(crate) fn check_number(&self) -> Result<(), StoreError> {
        if process::id() == self.number { Ok(()) } else { self.reject() }
    }

    fn reject(&self) -> Result<(), StoreError> {
        Err(StoreError::Forked { owner: self.number })
    }

    #[cfg(test)]
    pub(crate) fn another_process() -> Self {
        Self { number: process::id().wrapping_add(1), birth: birth() }
    }
}

/// Returns the PID namespace and the start time of this process, which distinguish it from others
/// of the same number: process 1 of two containers, or a process whose number was reused. `None` if
/// the system does not report them.
fn birth() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let mut stat = [0; 1024]; // more than the file has, in one read
    let len = File::open("/proc/self/stat").and_then(|mut file| file.read(&mut stat)).ok()?;
    // Field 22 of proc(5), counted from after the program's name, which may have any character.
    let stat = String::from_utf8_lossy(&stat[..len]);
    let start = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?;
    Some(format!("{} {start}", namespace.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_the_same_number_is_another_one() {
        let owner = Owner::this_process();
        assert!(owner.check().is_ok());
        let other = Owner { birth: Some("pid:[1] 1".into()), ..Owner::this_process() };
        assert_eq!(other.check().is_err(), cfg!(target_os = "linux"));
    }
}
