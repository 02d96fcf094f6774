//! Parts of the emulator that the project does not contain: Debian's kernel, and Bochs built from
//! source.
//!
//! Both are fetched by apt's own tools, with their mirror and proxy. Nothing is installed, and a
//! second run finds everything below `target/emulator`.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result, ensure};
use cargo_metadata::MetadataCommand;

use crate::{
    emulate::kernel,
    shell::{capture, command, run},
};

/// A package that depends on the current kernel for virtual machines, the smallest of Debian's.
const KERNEL: &str = "linux-image-cloud-amd64";

/// Bochs of Debian 13. Version 2.7 of Debian 12 is too slow, and has the same fault.
const BOCHS: &str = "bochs-3.0";
const BOCHS_SOURCE: &str = "bochs_3.0+dfsg.orig.tar.xz";
const BOCHS_HASH: &str = "SHA256:78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b";

/// Options for a processor with AVX-512, without anything that tests do not use: no debugger, no
/// screen, no network.
const CONFIGURE: &str = "--enable-cpu-level=6 --enable-x86-64 --enable-avx --enable-evex --enable-fpu \
    --enable-all-optimizations --enable-pci --enable-cet --enable-memtype --disable-docbook \
    --disable-usb --disable-e1000 --disable-plugins --with-nogui";

/// The programs that are needed, and the Debian packages that have them.
const TOOLS: &[(&str, &str)] = &[
    ("apt-get", "apt"),
    ("dpkg-deb", "dpkg"),
    ("g++", "g++"),
    ("make", "make"),
    ("tar", "tar"),
    ("xz", "xz-utils"),
];

/// VPCOMPRESSW and VPCOMPRESSB write as many lanes as the mask has ones, and Bochs 3.0 computes `(1
/// << ones) - 1` for that. With all ones the shift is by the width of the number: the result is 0,
/// and nothing is written. Real processors write all lanes; the fault is only in the emulator. (The
/// following lines distinguish the place in VPCOMPRESSW from those in VPCOMPRESSD and VPCOMPRESSQ,
/// which cannot reach that width.)
const FIXES: &[(&str, &str)] = &[
    (
        "  Bit64u writemask = (BX_CONST64(1) << k) - 1;\n",
        "  Bit64u writemask = k == 64 ? BX_CONST64(0xffffffffffffffff) : (BX_CONST64(1) << k) - 1;\n",
    ),
    (
        "  Bit32u writemask = (1 << k) - 1;\n\n  if (i->modC0()) {\n    avx512_write_regw_masked(",
        "  Bit32u writemask = (Bit32u)((BX_CONST64(1) << k) - 1);\n\n  if (i->modC0()) {\n    \
           avx512_write_regw_masked(",
    ),
];

/// The emulator, ready to run.
pub(super) struct Emulator {
    /// The folder for the files of guests.
    pub(super) folder: PathBuf,
    pub(super) bochs: PathBuf,
    /// The kernel, unpacked.
    pub(super) kernel: PathBuf,
}

impl Emulator {
    fn new() -> Result<Self> {
        let target = MetadataCommand::new().no_deps().exec()?.target_directory;
        let folder = target.join("emulator").into_std_path_buf();
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let (bochs, kernel) = (folder.join(format!("{BOCHS}-fixed")), folder.join("vmlinux"));
        Ok(Self { folder, bochs, kernel })
    }

    /// Fetches what is missing. An error usually means that there is no network.
    pub(super) fn fetch() -> Result<Fetched> {
        let emulator = Self::new()?;
        let folder = &emulator.folder;
        let archive = folder.join(format!("{BOCHS}.tar.xz"));
        if !emulator.bochs.exists() && !archive.exists() {
            let helper = "/usr/lib/apt/apt-helper"; // checks the hash
            run(command(helper, "download-file").arg(bochs_url()?).arg(&archive).arg(BOCHS_HASH))?;
        }
        if !emulator.kernel.exists() && kernel_package(folder)?.is_none() {
            let depends = capture(&mut command("apt-cache", &format!("depends {KERNEL}")))?;
            let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
            let package = package.with_context(|| format!("apt does not know {KERNEL}"))?;
            run(command("apt-get", &format!("download {package}")).current_dir(folder))?;
        }
        Ok(Fetched { emulator, archive })
    }
}

/// Returns the address of the source archive, beside the package of Bochs that apt would download.
fn bochs_url() -> Result<String> {
    let shown = capture(&mut command("apt-get", "download --print-uris bochs"))?;
    let uri = shown.split('\'').nth(1).context("apt does not know bochs")?;
    let (folder, _) = uri.rsplit_once('/').context("an address without a folder")?;
    Ok(format!("{folder}/{BOCHS_SOURCE}"))
}

/// The emulator once everything from the network is present.
pub(super) struct Fetched {
    emulator: Emulator,
    archive: PathBuf,
}

impl Fetched {
    /// Builds Bochs and unpacks the kernel, unless an earlier run did so.
    pub(super) fn prepare(self) -> Result<Emulator> {
        let Self { emulator, archive } = self;
        if !emulator.kernel.exists() {
            unpack_kernel(&emulator)?;
        }
        if !emulator.bochs.exists() {
            build_bochs(&emulator, &archive)?;
        }
        Ok(emulator)
    }
}

/// Returns why the emulator is impossible on this machine, if it is.
pub(super) fn cannot_run() -> Option<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Some("the emulator is set up for Linux on x86-64 only".into());
    }
    let there = |tool: &str| capture(&mut command(tool, "--version")).is_ok();
    let missing = TOOLS.iter().find(|(tool, _)| !there(tool));
    missing.map(|(tool, package)| format!("{tool} is not installed (Debian: {package})"))
}

fn kernel_package(folder: &Path) -> Result<Option<PathBuf>> {
    Ok(find(folder, "linux-image-")?.filter(|path| path.extension().is_some_and(|e| e == "deb")))
}

/// Returns the first file in a folder whose name begins with `prefix`.
fn find(folder: &Path, prefix: &str) -> Result<Option<PathBuf>> {
    let entries = folder.read_dir().with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let fits = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    Ok(paths.into_iter().find(fits))
}

fn unpack_kernel(emulator: &Emulator) -> Result<()> {
    let package = kernel_package(&emulator.folder)?.context("the kernel's package is gone")?;
    let contents = emulator.folder.join("kernel-package");
    run(command("dpkg-deb", "--extract").args([&package, &contents]))?;
    let image = find(&contents.join("boot"), "vmlinuz-")?.context("a package without a kernel")?;
    write_whole(&emulator.kernel, &kernel::unpack(&fs::read(image)?)?)?;
    fs::remove_dir_all(contents)?;
    Ok(fs::remove_file(package)?)
}

/// Builds Bochs, which takes three minutes on two cores.
fn build_bochs(emulator: &Emulator, archive: &Path) -> Result<()> {
    println!("building Bochs: this happens once");
    let source = emulator.folder.join(BOCHS);
    if source.exists() {
        fs::remove_dir_all(&source)?; // of a build that was interrupted
    }
    run(command("tar", "-xf").arg(archive).arg("-C").arg(&emulator.folder))?;
    let file = source.join("cpu/avx/avx512.cc");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    fs::write(&file, fix(&text)?)?;

    let configure = source.canonicalize()?.join("configure");
    let mut configure = command(&configure.to_string_lossy(), CONFIGURE);
    configure.env("CXXFLAGS", "-O3 -fomit-frame-pointer").env("CFLAGS", "-O2");
    quietly(configure.current_dir(&source))?;
    let jobs = thread::available_parallelism()?;
    quietly(command("make", &format!("-j{jobs}")).current_dir(&source))?;
    write_whole(&emulator.bochs, &fs::read(source.join("bochs"))?)?;
    run(command("chmod", "+x").arg(&emulator.bochs))?;
    fs::remove_dir_all(source)?;
    Ok(fs::remove_file(archive)?)
}

/// Returns the source without the faults; fails if it is not the source known to have them.
fn fix(source: &str) -> Result<String> {
    let mut fixed = source.to_owned();
    for (old, new) in FIXES {
        let times = fixed.matches(old).count();
        ensure!(times == 1, "Bochs' source has {times} times, instead of once:\n{old}");
        fixed = fixed.replace(old, new);
    }
    Ok(fixed)
}

/// Runs a command whose output matters only when it fails.
fn quietly(shown: &mut std::process::Command) -> Result<()> {
    capture(shown).map(|_| ())
}

/// Writes a file so that an interruption cannot leave half of it.
fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    fs::write(&part, content).with_context(|| part.display().to_string())?;
    Ok(fs::rename(part, path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_fixed_or_refused() {
        let source: String = FIXES.iter().map(|(old, _)| format!("before\n{old}after\n")).collect();
        let fixed: String = FIXES.iter().map(|(_, new)| format!("before\n{new}after\n")).collect();
        assert_eq!(fix(&source).unwrap(), fixed);
        assert!(fix(&fixed).is_err(), "nothing to fix");
        assert!(fix(&source.repeat(2)).is_err(), "the place is not clear");
    }
}
