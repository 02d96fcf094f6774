//! What is in a folder after a command.

use std::fs;

use crate::folder::Folder;

/// The names of all files, in order.
pub(crate) fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The permissions of a file of a folder.
#[cfg(unix)]
pub(crate) fn mode(folder: &Folder, name: &str) -> u32 {
    let path = folder.0.join(name);
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
}
