//! The Linux kernel of the guest: turns the compressed file that Debian ships into memory that can
//! be entered.
//!
//! Sources: Documentation/arch/x86/boot.rst of Linux (the header of a bzImage), the LZ4 block and
//! frame formats, and the ELF specification (all fields little-endian here).

use anyhow::{Context, Result, bail, ensure};

/// Unpacks the ELF file inside a bzImage. It must be compressed by LZ4, as Debian's kernels of
/// release 12 are.
pub(super) fn unpack(image: &[u8]) -> Result<Vec<u8>> {
    ensure!(part(image, 0x200 + 2, 4)? == b"HdrS", "the kernel is no bzImage");
    let setup_sectors = match image[0x1f1] {
        0 => 4,
        sectors => usize::from(sectors),
    };
    let start = (setup_sectors + 1) * 512 + word(image, 0x248)?;
    let payload = part(image, start, word(image, 0x24c)?)?;
    // The last word is the size after unpacking.
    let (compressed, size) = payload.split_at(payload.len().saturating_sub(4));
    let size = word(size, 0)?;
    let mut elf = Vec::with_capacity(size);
    lz4_frame(compressed, &mut elf)?;
    ensure!(elf.len() == size, "the kernel has {} bytes, expected {size}", elf.len());
    Ok(elf)
}

/// Unpacks the legacy frame: a magic number, then blocks, each after its length.
fn lz4_frame(input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    ensure!(word(input, 0)? == 0x184c_2102, "the kernel is not compressed by LZ4");
    let mut at = 4;
    while at < input.len() {
        let length = word(input, at)?;
        lz4_block(part(input, at + 4, length)?, out)?;
        at += 4 + length;
    }
    Ok(())
}

/// Unpacks sequences of literals and a copy of earlier output; the last one has no copy.
fn lz4_block(block: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut at = 0;
    while at < block.len() {
        let token = usize::from(block[at]);
        at += 1;
        let literals = lz4_length(block, &mut at, token >> 4)?;
        out.extend_from_slice(part(block, at, literals)?);
        at += literals;
        if at == block.len() {
            break;
        }
        let distance = half(block, at)?;
        at += 2;
        let length = lz4_length(block, &mut at, token & 15)? + 4;
        let from = out.len().checked_sub(distance).context("LZ4: a copy from before the start")?;
        for i in from..from + length {
            out.push(*out.get(i).context("LZ4: a copy from nowhere")?);
        }
    }
    Ok(())
}

/// Reads a length: four bits of the token and, if these are all ones, bytes to add, up to the first
/// that is not 255.
fn lz4_length(block: &[u8], at: &mut usize, nibble: usize) -> Result<usize> {
    let mut length = nibble;
    let mut more = nibble == 15;
    while more {
        let byte = *block.get(*at).context("LZ4: a length is cut off")?;
        *at += 1;
        length += usize::from(byte);
        more = byte == 255;
    }
    Ok(length)
}

/// Copies the segments of the ELF file to `memory`, which begins at the physical address `base`.
/// Returns the address where the kernel is entered in 32-bit mode without paging (PVH).
pub(super) fn place(elf: &[u8], base: u64, memory: &mut Vec<u8>) -> Result<u32> {
    const LOAD: usize = 1;
    const NOTE: usize = 4;
    let headers = long(elf, 32)?;
    let mut entry = None;
    for i in 0..half(elf, 56)? {
        let header = part(elf, headers + 56 * i, 56)?;
        let (offset, address) = (long(header, 8)?, long(header, 24)?);
        let (file_size, memory_size) = (long(header, 32)?, long(header, 40)?);
        let content = part(elf, offset, file_size)?;
        match word(header, 0)? {
            LOAD => {
                let base = usize::try_from(base)?;
                let at = address.checked_sub(base).context("a segment is below the kernel")?;
                memory.resize(memory.len().max(at + memory_size), 0);
                memory[at..at + file_size].copy_from_slice(content);
            }
            NOTE => entry = entry.or(pvh_entry(content)?),
            _ => (),
        }
    }
    entry.context("the kernel has no PVH entry (CONFIG_PVH)")
}

/// Returns the value of note 18 of the owner `Xen`, `XEN_ELFNOTE_PHYS32_ENTRY`.
fn pvh_entry(notes: &[u8]) -> Result<Option<u32>> {
    let mut at = 0;
    while at < notes.len() {
        let (name, content, kind) = (word(notes, at)?, word(notes, at + 4)?, word(notes, at + 8)?);
        let content_at = at + 12 + name.next_multiple_of(4);
        if kind == 18 && part(notes, at + 12, name)? == b"Xen\0" {
            return Ok(Some(u32::try_from(word(notes, content_at)?)?));
        }
        at = content_at + content.next_multiple_of(4);
    }
    Ok(None)
}

fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8]> {
    match at.checked_add(length).and_then(|end| bytes.get(at..end)) {
        Some(part) => Ok(part),
        None => bail!("the kernel ends before byte {at} + {length}"),
    }
}

/// Reads the number of `N` bytes at this place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<usize> {
    let digits = part(bytes, at, N)?.iter().rev();
    Ok(usize::try_from(digits.fold(0, |n: u64, byte| n << 8 | u64::from(*byte)))?)
}

fn half(bytes: &[u8], at: usize) -> Result<usize> {
    number::<2>(bytes, at)
}

fn word(bytes: &[u8], at: usize) -> Result<usize> {
    number::<4>(bytes, at)
}

fn long(bytes: &[u8], at: usize) -> Result<usize> {
    number::<8>(bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(block: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        lz4_block(block, &mut out).map(|()| out)
    }

    #[test]
    fn lz4_copies_and_repeats() {
        // "ab", then 4 + 2 bytes from 2 back; then the literal "c".
        assert_eq!(unpacked(b"\x22ab\x02\x00\x10c").unwrap(), b"ababababc");
        // 15 + 255 + 1 literals.
        let mut long = vec![0xf0, 255, 1];
        long.extend([7; 271]);
        assert_eq!(unpacked(&long).unwrap(), [7; 271]);
    }

    #[test]
    fn damaged_lz4_is_refused() {
        assert!(unpacked(b"\x22ab\x03\x00").is_err(), "from before the start");
        assert!(unpacked(b"\x22ab\x00\x00").is_err(), "distance zero");
        assert!(unpacked(b"\x30ab").is_err(), "literals cut off");
        assert!(unpacked(b"\xf0\xff").is_err(), "length cut off");
    }

    #[test]
    fn the_entry_is_found_behind_other_notes() {
        let note = |kind: u8, name: &[u8; 4], entry: u8| {
            let mut note = vec![4, 0, 0, 0, 4, 0, 0, 0, kind, 0, 0, 0];
            note.extend_from_slice(name);
            note.extend([entry, 0, 0, 1]);
            note
        };
        let other = [note(18, b"GNU\0", 1), note(3, b"Xen\0", 2)].concat();
        assert_eq!(pvh_entry(&other).unwrap(), None);
        let notes = [other, note(18, b"Xen\0", 3)].concat();
        assert_eq!(pvh_entry(&notes).unwrap(), Some(0x0100_0003));
    }
}
