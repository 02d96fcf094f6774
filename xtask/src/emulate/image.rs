//! The memory of a guest before its first instruction: no BIOS, boot loader or disk takes part.
//!
//! Bochs loads two files. The *memory image* holds what a PVH boot loader would have prepared
//! (start information, kernel, initramfs); the *ROM* switches the processor to 32-bit mode and
//! jumps into the kernel.
//!
//! Sources: docs/misc/pvh.pandoc and xen/include/public/arch-x86/hvm/start_info.h of Xen (the boot
//! protocol), Documentation/driver-api/early-userspace/buffer-format.rst of Linux (the initramfs).

use anyhow::{Result, ensure};

use crate::emulate::kernel;

const MIB: usize = 1 << 20;

/// The address where the memory image begins: one MiB of start information, then the kernel at the
/// address for which it is linked.
pub(super) const BASE: u64 = 15 << 20;

/// The parts of a guest.
pub(super) struct Guest<'a> {
    /// The kernel, as an ELF file.
    pub(super) kernel: &'a [u8],
    pub(super) command_line: &'a str,
    pub(super) memory_mib: usize,
    /// Absolute paths in the guest, and contents.
    pub(super) files: &'a [(String, Vec<u8>)],
}

impl Guest<'_> {
    /// Builds the memory image and the ROM.
    pub(super) fn build(&self) -> Result<(Vec<u8>, Vec<u8>)> {
        let mut memory = vec![0; MIB];
        let entry = kernel::place(self.kernel, BASE, &mut memory)?;
        memory.resize(memory.len().next_multiple_of(MIB), 0);
        let initramfs_at = memory.len();
        memory.extend(initramfs(self.files));
        let end = BASE + memory.len() as u64;
        ensure!(end < (self.memory_mib * MIB) as u64, "the guest has too little memory");
        self.put_start_info(&mut memory, initramfs_at);
        Ok((memory, rom(u32::try_from(end)?, entry)))
    }

    /// Writes `hvm_start_info`, with one module (the initramfs), the memory map and the command
    /// line after it.
    fn put_start_info(&self, memory: &mut [u8], initramfs_at: usize) {
        const MAGIC: u64 = 0x336e_c578;
        const VERSION: u64 = 1;
        const USABLE: u64 = 1;
        const BELOW_VGA: u64 = 0xa_0000;
        let (modules, map, line) = (0x100, 0x200, 0x1000);
        let initramfs_size = (memory.len() - initramfs_at) as u64;
        let mib = MIB as u64;
        let above = self.memory_mib as u64 * mib - mib;
        let mut put = |at: usize, longs: &[u64]| {
            let bytes: Vec<u8> = longs.iter().flat_map(|long| long.to_le_bytes()).collect();
            memory[at..at + bytes.len()].copy_from_slice(&bytes);
        };
        // magic and version, flags and number of modules: pairs of 32 bits.
        put(0, &[MAGIC | VERSION << 32, 1 << 32]);
        // modules, command line, no ACPI table, memory map, its number of entries.
        put(16, &[BASE + modules as u64, BASE + line as u64, 0, BASE + map as u64, 2]);
        put(modules, &[BASE + initramfs_at as u64, initramfs_size, 0, 0]);
        put(map, &[0, BELOW_VGA, USABLE, mib, above, USABLE]);
        memory[line..line + self.command_line.len()].copy_from_slice(self.command_line.as_bytes());
    }
}

/// Makes a cpio archive of the files, the directories above them, and the console, from which the
/// kernel makes the standard streams of the first process.
fn initramfs(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    const DIRECTORY: u32 = 0o40755;
    const PROGRAM: u32 = 0o100755;
    const CHARACTER_DEVICE: u32 = 0o20600;
    let mut archive = Vec::new();
    let mut directories = vec!["dev"];
    add_entry(&mut archive, "dev", DIRECTORY, (0, 0), &[]);
    add_entry(&mut archive, "dev/console", CHARACTER_DEVICE, (5, 1), &[]);
    for (path, content) in files {
        let path = path.trim_start_matches('/');
        for (slash, _) in path.match_indices('/') {
            let directory = &path[..slash];
            if !directories.contains(&directory) {
                directories.push(directory);
                add_entry(&mut archive, directory, DIRECTORY, (0, 0), &[]);
            }
        }
        add_entry(&mut archive, path, PROGRAM, (0, 0), content);
    }
    add_entry(&mut archive, "TRAILER!!!", 0, (0, 0), &[]);
    archive
}

/// Adds an entry in the format "newc": numbers in hexadecimal text, name and content padded to four
/// bytes.
fn add_entry(archive: &mut Vec<u8>, name: &str, mode: u32, device: (u32, u32), content: &[u8]) {
    let (size, name_size) = (content.len() as u32, name.len() as u32 + 1);
    let number = archive.len() as u32; // of the inode: any that is not in use
    let (user, group, links, time) = (0, 0, 1, 0);
    let fields =
        [number, mode, user, group, links, time, size, 0, 0, device.0, device.1, name_size];
    archive.extend_from_slice(b"070701");
    for field in fields.into_iter().chain([0]) {
        archive.extend_from_slice(format!("{field:08X}").as_bytes());
    }
    archive.extend_from_slice(name.as_bytes());
    archive.push(0);
    archive.resize(archive.len().next_multiple_of(4), 0);
    archive.extend_from_slice(content);
    archive.resize(archive.len().next_multiple_of(4), 0);
}

/// Makes the 64 KiB below 4 GiB, where an x86 processor starts (16-bit mode, last 16 bytes).
///
/// Before it enters the kernel, the code reads one byte of each page of the memory image, in order:
/// Bochs reads the file into consecutive memory of the host, but assigns that memory to the guest
/// in blocks in the order of first use, so that another order would scramble the image.
fn rom(end: u32, entry: u32) -> Vec<u8> {
    const SIZE: usize = 0x1_0000;
    let [b0, b1, b2, b3] = (BASE as u32).to_le_bytes();
    let [n0, n1, n2, n3] = end.to_le_bytes();
    let [e0, e1, e2, e3] = entry.to_le_bytes();
    let mut rom = vec![
        0xfa, 0xfc, // 00: cli; cld
        0x2e, 0x66, 0x0f, 0x01, 0x16, 0x60, 0x00, // 02: lgdt cs:[60h]
        0x0f, 0x20, 0xc0, 0x0c, 0x01, 0x0f, 0x22, 0xc0, // 09: cr0 = cr0 | 1 (protected mode)
        0x66, 0xea, 0x19, 0x00, 0xff, 0xff, 0x08, 0x00, // 11: jmp 08h:ffff0019h
        0x66, 0xb8, 0x10, 0x00, 0x8e, 0xd8, 0x8e, 0xc0, 0x8e, 0xd0, // 19: ds = es = ss = 10h
        0xbb, b0, b1, b2,
        b3, // 23: ebx = BASE, where the kernel expects the start information
        0x89, 0xde, // 28: esi = ebx
        0x8a, 0x06, 0x81, 0xc6, 0x00, 0x10, 0x00, 0x00, // 2a: al = [esi]; esi += 4 KiB
        0x81, 0xfe, n0, n1, n2, n3, 0x72, 0xf0, // 32: if esi < end, jump to 2a
        0xb8, e0, e1, e2, e3, 0xff, 0xe0, // 3a: jmp entry
    ];
    rom.resize(0x50, 0); // 48 is the null descriptor: 8 bytes of zeros
    rom.extend_from_slice(&0x00cf_9b00_0000_ffff_u64.to_le_bytes()); // 08h: code, 4 GiB
    rom.extend_from_slice(&0x00cf_9300_0000_ffff_u64.to_le_bytes()); // 10h: data, 4 GiB
    rom.extend_from_slice(&[23, 0, 0x48, 0x00, 0xff, 0xff]); // 60: size - 1 and address of the table
    rom.resize(SIZE, 0);
    rom[SIZE - 16..][..3].copy_from_slice(&[0xe9, 0x0d, 0x00]); // jmp 13 bytes on: wraps to 0
    rom
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_readable() {
        let files = [("/a/b/c".to_owned(), b"hello".to_vec()), ("/a/d".to_owned(), vec![1; 4])];
        let archive = initramfs(&files);
        let (mut at, mut seen) = (0, Vec::new());
        while at < archive.len() {
            let field = |i: usize| {
                let text = std::str::from_utf8(&archive[at + 6 + 8 * i..][..8]).unwrap();
                usize::from_str_radix(text, 16).unwrap()
            };
            let (mode, size, name_size) = (field(1), field(6), field(11));
            let name = std::str::from_utf8(&archive[at + 110..][..name_size - 1]).unwrap();
            seen.push(format!("{name} {mode:o} {size}"));
            at = (at + 110 + name_size).next_multiple_of(4) + size.next_multiple_of(4);
        }
        let expected = ["dev 40755 0", "dev/console 20600 0", "a 40755 0", "a/b 40755 0"];
        assert_eq!(seen[..4], expected);
        assert_eq!(seen[4..], ["a/b/c 100755 5", "a/d 100755 4", "TRAILER!!! 0 0"]);
    }

    /// Compares the addresses that the code contains as literals with the actual layout.
    #[test]
    fn the_rom_is_laid_out_as_its_code_says() {
        let rom = rom(0x1234_5678, 0x9abc_def0);
        assert_eq!(rom.len(), 0x1_0000);
        assert_eq!(rom[0x19..0x1b], [0x66, 0xb8], "target of the jump to 32-bit mode");
        assert_eq!(rom[0x2a..0x2c], [0x8a, 0x06], "the loop: 10h bytes before 3a");
        assert_eq!(rom[0x34..0x38], 0x1234_5678_u32.to_le_bytes());
        assert_eq!(rom[0x3b..0x3f], 0x9abc_def0_u32.to_le_bytes());
        assert_eq!(rom[0x48..0x50], [0; 8], "null descriptor");
        assert_eq!(rom[0x60..0x66], [23, 0, 0x48, 0, 0xff, 0xff]);
    }
}
