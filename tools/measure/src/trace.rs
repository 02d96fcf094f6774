//! Follows step by step which instructions an operation runs and which memory they name: unless
//! both are the same whatever its secrets are, they reveal something of the secrets.
//!
//! While its trap flag is set, the CPU stops after each instruction, and the handler of that signal
//! reads the next instruction and the registers. So the program itself is observed, on this CPU,
//! with all instructions that it has: about 100,000 steps a second. The operation runs in a child
//! of this process, which begins each time with the same stack and heap.
//!
//! Values that an operation declassifies may decide what follows, and differ with the secrets. They
//! are recorded in one run and played to the others ([`Tape`]): then everything public is the same
//! in all runs, and any remaining difference is a leak. (A run may then continue with values that
//! its own secrets would not produce; none of its results is used.)
//!
//! # Soundness
//! The trap flag only raises signals, and is cleared when the closure ends; what is pushed for that
//! is popped again. The handler runs in a child of one thread, which
//! shows it, and the bytes of an instruction: up to the end of its page, which is mapped since the
//! CPU is about to read it, and beyond only where the instruction goes on there. It writes a
//! `Trace` in a page of its own, shared with the parent, which reads it when the child has ended;
//! neither allocates.

use std::{
    cell::RefCell,
    ffi::c_void,
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
    sync::atomic::{AtomicPtr, Ordering},
};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, Register};
use oaklath_simd::watch::on_publish;

/// The values that an operation has declassified, one after another.
#[derive(Debug)]
pub struct Tape(Vec<u8>);

enum Playing {
    Nothing,
    Recording(Vec<u8>),
    From { tape: Vec<u8>, at: usize },
}

thread_local! {
    static PLAYING: RefCell<Playing> = const { RefCell::new(Playing::Nothing) };
}

impl Tape {
    /// Runs `f` and records what it declassifies on this thread.
    pub fn record(f: impl FnOnce()) -> Self {
        on_publish(hear);
        PLAYING.set(Playing::Recording(Vec::new()));
        f();
        match PLAYING.replace(Playing::Nothing) {
            Playing::Recording(tape) => Self(tape),
            _ => unreachable!("nothing else was started meanwhile"),
        }
    }
}

/// Records declassified bytes, or replaces them with those of the tape. After the tape's end
/// nothing is replaced.
fn hear(bytes: &mut [u8]) {
    PLAYING.with_borrow_mut(|playing| match playing {
        Playing::Nothing => {}
        Playing::Recording(tape) => tape.extend_from_slice(bytes),
        Playing::From { tape, at } => {
            if let Some(recorded) = tape.get(*at..*at + bytes.len()) {
                bytes.copy_from_slice(recorded);
                *at += bytes.len();
            }
        }
    });
}

/// The observations of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The number of instructions, at most as many as were to be followed.
    pub steps: u64,
    /// A digest of the addresses of all instructions.
    pub instructions: u64,
    /// A digest of the memory addresses that they name, except those of the stack in `push`, `pop`,
    /// `call` and `ret`.
    pub addresses: u64,
    /// The address of the last instruction.
    pub last: u64,
    /// The number of memory addresses that could not be determined.
    pub unseen: u64,
    /// The number of rotations to the right of 32 bits by 22 and of 64 bits by 23: a compression of
    /// SHA-256 has 64 of the first, a permutation of Keccak 24 of the second.
    pub rotations: [u64; 2],
}

/// Follows the first `limit` instructions of what `prepare` returns, in a child of this process,
/// while `tape` is played to both. To compare two runs, call this at the same place of the program
/// and change only the bytes of the secrets between them.
///
/// ```
/// use std::hint::black_box;
///
/// use oaklath_measure::{Tape, follow};
///
/// let tape = Tape::record(|| ());
/// let follow = |secret: u32| follow(&tape, 1000, || move || {
///     if black_box(secret) == 7 {
///         black_box(secret);
///     }
/// });
/// let [seven, eight] = [7, 8].map(follow);
/// assert_ne!(seven?.instructions, eight?.instructions);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If the system denies a process, or if one of the closures panics or ends the process.
#[inline(never)]
pub fn follow<F: FnOnce()>(
    tape: &Tape,
    limit: u64,
    prepare: impl FnOnce() -> F,
) -> io::Result<Trace> {
    let page = Page::map()?;
    // The decoder builds its tables on first use, which must not happen while it follows.
    let _nop = Decoder::new(64, &[0x90], DecoderOptions::NONE).decode();
    // SAFETY: the child runs the closures and ends; it does not return from here.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let done = catch_unwind(AssertUnwindSafe(|| {
                PLAYING.set(Playing::From { tape: tape.0.clone(), at: 0 });
                install(&page, limit)?;
                step_through(prepare());
                io::Result::Ok(())
            }));
            // SAFETY: ends the child without running the parent's remaining code.
            unsafe { libc::_exit(i32::from(!matches!(done, Ok(Ok(()))))) }
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child, and writes only to `status`.
            let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
            if ended == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
                return Ok(page.followed().trace);
            }
            Err(io::Error::other(format!("the operation failed (status {status:#x})")))
        }
    }
}

/// The data that the handler writes.
#[derive(Clone, Copy)]
struct Followed {
    trace: Trace,
    limit: u64,
}

/// Memory that parent and child share.
struct Page(*mut Followed);

impl Page {
    fn map() -> io::Result<Self> {
        // SAFETY: a fresh mapping at an address that the system chooses.
        let mapping = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
            libc::mmap(ptr::null_mut(), size_of::<Followed>(), access, kind, -1, 0)
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self(mapping.cast()))
    }

    /// Returns what the child has written.
    fn followed(&self) -> Followed {
        // SAFETY: the page is mapped, zero at first, and the child has ended.
        unsafe { self.0.read_volatile() }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`, which nothing refers to any more.
        unsafe { libc::munmap(self.0.cast(), size_of::<Followed>()) };
    }
}

/// The address to which the handler of this process writes.
static FOLLOWED: AtomicPtr<Followed> = AtomicPtr::new(ptr::null_mut());

/// Makes `step` the handler of the signal that the trap flag raises.
fn install(page: &Page, limit: u64) -> io::Result<()> {
    // SAFETY: the page is mapped, and nothing else writes to it.
    unsafe { page.0.write(Followed { trace: Trace::default(), limit }) };
    FOLLOWED.store(page.0, Ordering::Relaxed);
    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) = step;
    // SAFETY: all zero bytes are an action without a mask; the handler has the type that
    // `SA_SIGINFO` requires.
    let result = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &raw const action, ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Bit 8 of the flags.
const TRAP_FLAG: i64 = 0x100;

/// Runs `f` with the trap flag set.
#[inline(never)]
fn step_through(f: impl FnOnce()) {
    // SAFETY: pops what it pushes; the handler is installed.
    unsafe { core::arch::asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    f();
    // SAFETY: pops what it pushes.
    unsafe { core::arch::asm!("pushfq", "and qword ptr [rsp], -0x101", "popfq") };
}

/// Handles the signal: `context` has the registers before the next instruction. At the limit the
/// flag is cleared.
extern "C" fn step(_: i32, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a context that belongs to the handler while it runs.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    // SAFETY: `install` has stored the address of a page that only this handler writes.
    let Followed { trace, limit } = unsafe { &mut *FOLLOWED.load(Ordering::Relaxed) };
    if trace.steps == *limit {
        registers[libc::REG_EFL as usize] &= !TRAP_FLAG;
        return;
    }
    trace.steps += 1;
    trace.last = registers[libc::REG_RIP as usize] as u64;
    trace.instructions = digest(trace.instructions, trace.last);
    // SAFETY: the CPU is about to run the bytes there.
    let instruction = unsafe { instruction_at(trace.last) };
    match rotation(&instruction) {
        Some((4, 22)) => trace.rotations[0] += 1,
        Some((8, 23)) => trace.rotations[1] += 1,
        _ => {}
    }
    let names_only = [Mnemonic::Lea, Mnemonic::Nop].contains(&instruction.mnemonic());
    for operand in (0..instruction.op_count()).filter(|_| !names_only) {
        for element in 0..elements(&instruction) {
            let value =
                |name: Register, element: usize, size: usize| match name.is_vector_register() {
                    // SAFETY: the system has stored the state of all registers there.
                    true => unsafe { element_of(context, name, element, size) },
                    false => value(registers, name),
                };
            // 0 for an operand that is not memory.
            match instruction.virtual_address(operand, element, value) {
                Some(address) => trace.addresses = digest(trace.addresses, address),
                None => trace.unseen += 1,
            }
        }
    }
}

/// Returns the number of bytes that an instruction rotates and by how many bits to the right, if
/// both are in the instruction.
fn rotation(instruction: &Instruction) -> Option<(usize, usize)> {
    let last = instruction.op_count().checked_sub(1)?;
    let by = instruction.try_immediate(last).ok()? as usize;
    let size = instruction.memory_size().size().max(instruction.op0_register().size());
    match instruction.mnemonic() {
        Mnemonic::Ror | Mnemonic::Rorx => Some((size, by)),
        Mnemonic::Rol => Some((size, (8 * size).checked_sub(by)?)),
        _ => None,
    }
}

/// Returns how many addresses an instruction names: several if it gathers or scatters.
fn elements(instruction: &Instruction) -> usize {
    if !instruction.is_vsib() {
        return 1;
    }
    let of_index = if instruction.is_vsib64() { 8 } else { 4 };
    let of_value = instruction.memory_size().size().max(1);
    let values = (0..instruction.op_count())
        .map(|operand| instruction.op_register(operand))
        .find(|register| register.is_vector_register());
    let values = values.map_or(usize::MAX, |register| register.size() / of_value);
    values.min(instruction.memory_index().size() / of_index)
}

/// Returns an element of a vector register, of 4 or 8 bytes. Elements that a mask excludes also
/// count as addresses.
///
/// # Safety
/// `context` comes from the system's call of a handler: it points to the registers' state as
/// `XSAVE` writes it.
unsafe fn element_of(
    context: *mut c_void,
    name: Register,
    element: usize,
    size: usize,
) -> Option<u64> {
    let (number, byte) = (name.number(), element * size);
    // The offsets of the parts of a register: Intel's manual, volume 1, sections 13.4 and 13.5.
    let offset = match (number, byte) {
        (0..16, 0..16) => 160 + 16 * number + byte,
        (0..16, 16..32) => component(2)? + 16 * number + byte - 16,
        (0..16, _) => component(6)? + 32 * number + byte - 32,
        _ => component(7)? + 64 * (number - 16) + byte,
    };
    // SAFETY: the caller's promise, and the offset is one of a component that the CPU has.
    let at = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.fpregs.byte_add(offset) };
    // SAFETY: as above; the bytes need not be aligned.
    unsafe {
        match size {
            4 => Some(at.cast::<i32>().read_unaligned() as i64 as u64),
            8 => Some(at.cast::<u64>().read_unaligned()),
            _ => None,
        }
    }
}

/// Returns the offset of a part of the registers' state, if the CPU has it.
fn component(number: u32) -> Option<usize> {
    // SAFETY: every CPU of 64 bits has the instruction.
    #[allow(unused_unsafe, reason = "the minimum version of Rust asks for it")]
    let part = unsafe { core::arch::x86_64::__cpuid_count(0xd, number) };
    (part.eax > 0).then_some(part.ebx as usize)
}

fn digest(so_far: u64, x: u64) -> u64 {
    (so_far ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The most bytes that an instruction has.
const LONGEST: usize = 15;

/// Decodes the instruction at an address.
///
/// # Safety
/// The CPU may run the bytes there.
unsafe fn instruction_at(address: u64) -> Instruction {
    const PAGE: u64 = 4096;
    // SAFETY: the caller's promise, and bytes before the end of their page are mapped.
    let decode = |len: usize| unsafe {
        let bytes = slice::from_raw_parts(ptr::with_exposed_provenance(address as usize), len);
        Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode()
    };
    let in_page = (PAGE - address % PAGE).min(LONGEST as u64) as usize;
    let instruction = decode(in_page);
    // In this case it continues in the next page.
    if instruction.is_invalid() { decode(LONGEST) } else { instruction }
}

/// Returns the value of a register in an address; the constant bases of segments count as 0.
fn value(registers: &[i64; 23], name: Register) -> Option<u64> {
    let index = match name {
        Register::CS | Register::DS | Register::ES => return Some(0),
        Register::SS | Register::FS | Register::GS => return Some(0),
        Register::RAX => libc::REG_RAX,
        Register::RBX => libc::REG_RBX,
        Register::RCX => libc::REG_RCX,
        Register::RDX => libc::REG_RDX,
        Register::RSI => libc::REG_RSI,
        Register::RDI => libc::REG_RDI,
        Register::RBP => libc::REG_RBP,
        Register::RSP => libc::REG_RSP,
        Register::R8 => libc::REG_R8,
        Register::R9 => libc::REG_R9,
        Register::R10 => libc::REG_R10,
        Register::R11 => libc::REG_R11,
        Register::R12 => libc::REG_R12,
        Register::R13 => libc::REG_R13,
        Register::R14 => libc::REG_R14,
        Register::R15 => libc::REG_R15,
        _ => return None,
    };
    Some(registers[index as usize] as u64)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use oaklath_simd::ct;

    use super::*;

    const ALL: u64 = 1 << 20;

    fn spin(rounds: u64) {
        for round in 0..rounds {
            black_box(round);
        }
    }

    /// Runs `f` with each secret, at the same place of the program.
    fn follow_each<const N: usize>(secrets: [u8; N], f: impl Fn(&[u8; 64])) -> [Trace; N] {
        let mut secret = Box::new([0; 64]);
        let tape = Tape::record(|| f(&[secrets[0]; 64]));
        secrets.map(|byte| {
            secret.fill(byte);
            follow(&tape, ALL, || || f(black_box(&secret))).unwrap()
        })
    }

    #[test]
    fn what_does_not_look_at_the_secret_is_the_same() {
        let sum = |secret: &[u8; 64]| {
            black_box(secret.iter().fold(0, |sum: u32, x| sum.rotate_left(3) ^ u32::from(*x)));
        };
        let [first, second] = follow_each([3, 200], sum);
        assert_eq!(first, second);
        assert!(first.steps > 10 && first.unseen == 0, "{first:?}");
    }

    #[test]
    fn branches_are_seen() {
        let find = |secret: &[u8; 64]| {
            black_box(black_box(secret).contains(&7));
        };
        let [first, same, other] = follow_each([8, 9, 7], find);
        assert_eq!(first, same);
        assert_ne!(first.instructions, other.instructions);
    }

    #[test]
    fn addresses_are_seen() {
        let table = black_box([5_u8; 256]);
        let [first, other] = follow_each([8, 9], |secret| {
            black_box(table[usize::from(secret[3])]);
        });
        assert_eq!(first.instructions, other.instructions);
        assert_ne!(first.addresses, other.addresses);
    }

    /// Returns eight numbers of a table, at places that a vector register names.
    #[target_feature(enable = "avx2")]
    fn gather(table: &[i32; 256], places: &[u8; 64]) -> core::arch::x86_64::__m256i {
        use core::arch::x86_64::*;
        // SAFETY: 16 of 64 bytes are read, then numbers of the table, where every byte is an index.
        unsafe {
            let places = _mm256_cvtepu8_epi32(_mm_loadu_si128(places.as_ptr().cast()));
            _mm256_i32gather_epi32::<4>(table.as_ptr(), places)
        }
    }

    #[test]
    fn gathered_addresses_are_seen() {
        if !std::is_x86_feature_detected!("avx2") {
            return;
        }
        let table = black_box([5; 256]);
        let [first, same, other] = follow_each([8, 8, 9], |secret| {
            // SAFETY: the CPU has the feature.
            black_box(unsafe { gather(&table, black_box(secret)) });
        });
        assert_eq!((first, first.unseen), (same, 0));
        assert_eq!(first.instructions, other.instructions);
        assert_ne!(first.addresses, other.addresses);
    }

    #[test]
    fn what_is_declassified_is_the_same_in_all_runs() {
        let declassified = |secret: &[u8; 64]| {
            let mut bytes = *black_box(secret);
            ct::declassify_bytes(&mut bytes);
            let rounds = ct::declassify(bytes[5].into()) + u64::from(bytes[6]);
            spin(rounds);
        };
        let [first, other] = follow_each([8, 90], declassified);
        assert_eq!(first, other);
    }

    #[test]
    fn no_more_is_followed_than_was_asked_for() {
        let tape = Tape::record(|| ());
        let run = || spin(1000);
        assert_eq!(follow(&tape, 10, || run).unwrap().steps, 10);
        assert!(follow(&tape, ALL, || run).unwrap().steps > 1000);
    }

    #[test]
    fn a_failure_is_an_error() {
        let tape = Tape::record(|| ());
        let ends = || std::panic::resume_unwind(Box::new("ends"));
        assert!(follow(&tape, ALL, || ends).is_err());
    }

    #[test]
    fn instructions_may_cross_pages() {
        // mov rax, [rbx + 0x11223344], with the end of a page at every place in it.
        let bytes = [0x48, 0x8b, 0x83, 0x44, 0x33, 0x22, 0x11];
        let mut pages = vec![0x90_u8; 3 * 4096];
        let start = pages.as_ptr().expose_provenance();
        let end = 4096 - start % 4096 + 4096;
        for before in 0..=7 {
            pages.fill(0x90);
            pages[end - before..][..7].copy_from_slice(&bytes);
            // SAFETY: the bytes are those of a vector; nothing is run.
            let instruction = unsafe { instruction_at((start + end - before) as u64) };
            assert_eq!((instruction.mnemonic(), instruction.len()), (Mnemonic::Mov, 7));
        }
    }
}
