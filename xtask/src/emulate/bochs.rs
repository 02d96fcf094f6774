//! One run of the emulator: a guest that runs one program and switches itself off.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    emulate::{
        guest::{BEGIN, END, SUCCESS},
        image::{BASE, Guest},
        setup::Emulator,
    },
    shell::{capture, command},
};

/// Kilohertz of the guest's clock. It is unrelated to real time, but small: the processor claims
/// 2.4 GHz while its time-stamp counter counts one per instruction, so every delay loop would take
/// a hundred times too many.
const CLOCK_KHZ: usize = 20_000;

/// A program and its arguments.
pub(super) struct Job {
    /// A short name, different from those of other jobs.
    pub(super) name: String,
    pub(super) program: String,
    pub(super) args: Vec<String>,
}

/// How a program ended in the guest.
pub(super) struct Outcome {
    /// What it printed.
    pub(super) output: String,
    /// What went wrong, if anything did.
    pub(super) failure: Option<String>,
    pub(super) time: Duration,
}

/// Runs a program at the level `avx512` in a guest of its own. Returns an error if the emulator
/// does not get that far.
pub(super) fn run(emulator: &Emulator, job: &Job, limit: Duration) -> Result<Outcome> {
    let start = Instant::now();
    let folder = emulator.folder.join("guests").join(&job.name);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    write_files(emulator, job, &folder)?;
    let mut bochs = command("timeout", &limit.as_secs().to_string());
    bochs.arg(&emulator.bochs).args(["-q", "-f", "bochsrc"]).current_dir(&folder);
    // Its exit code means nothing: a guest ends by a fault that stops the emulator.
    let console = bochs.output().context("cannot start the emulator")?.stdout;
    let console = String::from_utf8_lossy(&console).replace('\r', "");
    let Some((output, result)) = split(&console) else {
        fs::write(folder.join("console"), &console)?;
        let last: Vec<_> = console.lines().rev().take(20).collect();
        let last: String = last.into_iter().rev().map(|line| format!("{line}\n")).collect();
        let time = start.elapsed().as_secs();
        bail!("no end after {time} s, the rest is in {}; last\n{last}", folder.display());
    };
    fs::remove_dir_all(&folder)?;
    let failure = (result != SUCCESS).then(|| result.to_owned());
    Ok(Outcome { output: output.trim().to_owned(), failure, time: start.elapsed() })
}

/// Returns the output of the program and how it ended; none if it did not end.
fn split(console: &str) -> Option<(&str, &str)> {
    let (_, rest) = console.split_once(&format!("{BEGIN}\n"))?;
    let (output, rest) = rest.rsplit_once(END)?;
    Some((output, rest.split_once('\n')?.0))
}

fn write_files(emulator: &Emulator, job: &Job, folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    let this = std::env::current_exe()?;
    let this = this.to_str().context("this program has a strange path")?;
    for (path, host) in [("/init", this), ("/program", &job.program)] {
        files.push((path.to_owned(), host.to_owned()));
        files.extend(libraries(host)?.into_iter().map(|library| (library.clone(), library)));
    }
    files.sort();
    files.dedup();
    let read = |(path, host)| Ok((path, fs::read(&host).with_context(|| host)?));
    let files = files.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    let size: usize = files.iter().map(|(_, content)| content.len()).sum();
    // The archive, the files unpacked from it, and room to work.
    let memory_mib = 256 + 3 * size / (1 << 20);
    let guest = Guest {
        kernel: &fs::read(&emulator.kernel)?,
        command_line: &command_line(job),
        memory_mib,
        files: &files,
    };
    let (memory, rom) = guest.build()?;
    fs::write(folder.join("memory"), memory)?;
    fs::write(folder.join("rom"), rom)?;
    Ok(fs::write(folder.join("bochsrc"), configuration(memory_mib))?)
}

/// Returns the libraries of a program and the loader, by the paths under which it looks for them.
fn libraries(program: &str) -> Result<Vec<String>> {
    let text = capture(command("ldd", "").arg(program))?;
    Ok(text.split_whitespace().filter(|word| word.starts_with('/')).map(str::to_owned).collect())
}

/// Returns options of the kernel, variables for the first process, and after `--` its arguments.
fn command_line(job: &Job) -> String {
    let options = [
        "quiet console=ttyS0,115200 8250.nr_uarts=1".to_owned(),
        // A panic restarts the machine by a triple fault, which stops the emulator.
        "panic=-1 reboot=triple".to_owned(),
        // In Bochs, Linux turns "fast rep movsb" off but keeps its refinement for short copies, and
        // then moves too much; protection keys and the compact forms of XSAVE are incomplete, and
        // no test needs them.
        "clearcpuid=fsrm,pku,xsaves,xsavec".to_owned(),
        format!("tsc_early_khz={CLOCK_KHZ} tsc=reliable"),
        // The guest has no such devices, so it need not look for them.
        "acpi=off pci=off nosmp i8042.nokbd i8042.noaux".to_owned(),
        "mitigations=off lsm=capability audit=0 cryptomgr.notests".to_owned(),
        // Kernels are compared on few inputs: `levels --kernels` takes a million on a CPU that has
        // the level.
        "OAKLATH_SIMD=avx512 OAKLATH_TEST_LEVEL=avx512 OAKLATH_RUNS=2".to_owned(),
        "-- avx512 --guest /program".to_owned(),
    ];
    [&options[..], &job.args].concat().join(" ")
}

/// Describes a processor with AVX-512 F BW VL DQ VBMI VBMI2 (Ice Lake), and a serial port.
fn configuration(memory_mib: usize) -> String {
    let instructions = CLOCK_KHZ * 1000;
    format!(
        "display_library: nogui
cpu: model=corei7_icelake_u, count=1, ips={instructions}, reset_on_triple_fault=0
memory: guest={memory_mib}, host={memory_mib}
romimage: file=rom, address=0xffff0000
vgaromimage: file=rom
optramimage1: file=memory, address={BASE:#x}
com1: enabled=1, mode=file, dev=/dev/stdout
pci: enabled=0
clock: sync=none, time0=utc
log: log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_what_stands_between_the_markers() {
        let console = |end: &str| format!("boot\n{BEGIN}\nrunning\nok\n{end}\npanic\n");
        let good = console(&format!("{END}{SUCCESS}"));
        assert_eq!(split(&good), Some(("running\nok\n", SUCCESS)));
        let bad = console(&format!("{END}exit status: 101"));
        assert_eq!(split(&bad), Some(("running\nok\n", "exit status: 101")));
        assert_eq!(split(&console("")), None, "a guest that died");
        assert_eq!(split("boot\n"), None);
    }
}
