//! `cargo xtask mutants`: plants faults one at a time in a copy of the tree, and runs the tests
//! that must find them.
//!
//! `mutants.toml` lists them: what is wrong, where, and which test must fail. A text that occurs
//! nowhere or twice is an error, and so are a fault that does not compile and a test that fails
//! without the fault.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::shell::{capture, cargo, command};

/// The path of the list from the root of the workspace.
const LIST: &str = "xtask/mutants.toml";

/// The package of the program that proves.
const PROVER: &str = "oaklath-prove";

/// The faults that are planted.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Plants only the few that are marked as quick.
    #[arg(long)]
    short: bool,
    /// Plants only those whose file or description contains one of these.
    #[arg(value_name = "TEXT", conflicts_with = "short")]
    only: Vec<String>,
}

impl Args {
    pub(crate) fn short() -> Self {
        Self { short: true, ..Self::default() }
    }

    pub(crate) fn named(only: Vec<String>) -> Self {
        Self { short: false, only }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

/// A change to one file that a test must notice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// What the fault makes wrong.
    what: String,
    file: String,
    /// The text that is replaced, which occurs once.
    text: String,
    /// The text that replaces it.
    with: String,
    package: String,
    /// Arguments of `cargo test` that choose the test that must fail, or kernels for the prover.
    test: String,
    /// Whether `--short` includes it.
    #[serde(default)]
    quick: bool,
}

impl Fault {
    /// Returns the file with the fault.
    fn planted(&self, source: &str) -> Result<String> {
        let count = source.matches(&self.text).count();
        ensure!(count == 1, "{}: {count} times in {}: {}", self.what, self.file, self.text);
        Ok(source.replacen(&self.text, &self.with, 1))
    }

    fn is_called(&self, text: &str) -> bool {
        self.what.contains(text) || self.file.contains(text)
    }

    fn test(&self) -> (&str, &str) {
        (&self.package, &self.test)
    }
}

/// Reads the list; every fault must have its place in the tree.
fn faults(root: &Path, list: &str) -> Result<Vec<Fault>> {
    let text = fs::read_to_string(root.join(list)).context(list.to_owned())?;
    let List { fault: faults } = toml::from_str(&text).context(list.to_owned())?;
    for fault in &faults {
        let source = fs::read_to_string(root.join(&fault.file)).context(fault.file.clone())?;
        fault.planted(&source)?;
    }
    Ok(faults)
}

/// Plants the faults and counts those that are caught. Returns an error if one is not.
pub(crate) fn run(args: &Args) -> Result<()> {
    plant(LIST, args)
}

/// Does what [`run`] does with the faults of another list.
pub(crate) fn plant(list: &str, args: &Args) -> Result<()> {
    let mut faults = faults(Path::new("."), list)?;
    faults.retain(|fault| match args.short {
        true => fault.quick,
        false => args.only.is_empty() || args.only.iter().any(|text| fault.is_called(text)),
    });
    ensure!(!faults.is_empty(), "no fault is called that");
    let copy = Copy::renew()?;
    let mut sound = BTreeSet::new();
    let (mut caught, mut missed) = (0, Vec::new());
    for fault in &faults {
        if !sound.contains(&fault.test()) {
            copy.check_sound(fault)?;
            sound.insert(fault.test());
        }
        let start = Instant::now();
        let is_caught = copy.catches(fault)?;
        let (verdict, time) = (if is_caught { "caught" } else { "NOT CAUGHT" }, start.elapsed());
        println!("{verdict:10} {:>4.0} s  {}: {}", time.as_secs_f64(), fault.file, fault.what);
        caught += usize::from(is_caught);
        missed.extend((!is_caught).then_some(&fault.what));
    }
    println!("\n{caught} of {} faults are caught", faults.len());
    ensure!(missed.is_empty(), "not caught: {missed:?}");
    Ok(())
}

/// A copy of the tree with a target folder beside it. Both are kept, so that the next run builds
/// only what has changed since.
struct Copy {
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// Brings the copy to the state of the tree. Equal files keep their times, so that what was
    /// built from them stays valid.
    fn renew() -> Result<Self> {
        let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec()?;
        let folder = metadata.target_directory.join("mutants").into_std_path_buf();
        let (tree, target) = (folder.join("tree"), folder.join("target"));
        let listed =
            capture(&mut command("git", "ls-files -z --cached --others --exclude-standard"))?;
        let mut files = BTreeSet::new();
        for path in listed.split_terminator('\0').map(PathBuf::from) {
            match path.is_dir() {
                true => files.extend(behind_link(&path)?),
                false => files.extend(path.is_file().then_some(path)),
            }
        }
        fs::create_dir_all(&tree)?;
        for file in &files {
            renew_file(file, &tree.join(file)).with_context(|| file.display().to_string())?;
        }
        remove_others(&tree, &tree, &files)?;
        Ok(Self { tree, target })
    }

    /// Returns the command that must fail, or with `only_build` the one that builds it.
    fn finder(&self, fault: &Fault, only_build: bool) -> Command {
        let Fault { package, test, .. } = fault;
        let mut command = cargo(&match (&**package == PROVER, only_build) {
            (true, true) => format!("build --quiet -p {package}"),
            (true, false) => format!("run --quiet -p {package} -- {test}"),
            (false, true) => format!("test --quiet -p {package} {test} --no-run"),
            (false, false) => format!("test --quiet -p {package} {test}"),
        });
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        // A fault changes a line, and is taken back: only what depends on it is compiled.
        command.env("CARGO_INCREMENTAL", "1").env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "256");
        command
    }

    /// Checks that its test exists, and passes without the fault.
    fn check_sound(&self, fault: &Fault) -> Result<()> {
        let printed = capture(&mut self.finder(fault, false))?;
        let ran = fault.package == PROVER
            || printed.lines().any(|line| {
                let count = line.strip_prefix("running ").and_then(|line| line.split(' ').next());
                count.is_some_and(|count| count != "0")
            });
        ensure!(ran, "{}: no test is called {}", fault.package, fault.test);
        Ok(())
    }

    /// Reports whether the test fails with the fault planted.
    fn catches(&self, fault: &Fault) -> Result<bool> {
        let path = self.tree.join(&fault.file);
        let source = fs::read_to_string(&path)?;
        fs::write(&path, fault.planted(&source)?)?;
        let built = capture(&mut self.finder(fault, true));
        let tested = built.and_then(|_| Ok(self.finder(fault, false).output()?));
        fs::write(&path, source)?;
        let output = tested.with_context(|| format!("{} does not compile", fault.what))?;
        if fault.package == PROVER {
            print!("{}", String::from_utf8_lossy(&output.stdout));
        }
        Ok(!output.status.success())
    }
}

/// Returns the files of a folder to which a link leads: git lists only the link.
fn behind_link(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<_> = paths.collect::<Result<_>>()?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

fn renew_file(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from)?;
    match fs::read(to) {
        Ok(old) if old == bytes => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => bail!(error),
        _ => {}
    }
    fs::create_dir_all(to.parent().context("a file without a folder")?)?;
    Ok(fs::write(to, bytes)?)
}

/// Removes files that are no longer in the tree: cargo would build them.
fn remove_others(tree: &Path, folder: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(tree, &path, files)?;
        } else if !files.contains(path.strip_prefix(tree)?) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        let (what, file, text) = ("less".into(), "a.rs".into(), text.into());
        let (package, test, with) = Default::default();
        Fault { what, file, text, with, package, test, quick: false }
    }

    #[test]
    fn the_list_fits_the_tree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let (mut faults, proofs) =
            (faults(root, LIST).unwrap(), faults(root, "xtask/proof_faults.toml").unwrap());
        assert!(faults.len() >= 40 && proofs.len() >= 20, "{} {}", faults.len(), proofs.len());
        assert!(faults.iter().any(|fault| fault.quick));
        faults.extend(proofs);
        let whats: BTreeSet<_> = faults.iter().map(|fault| &fault.what).collect();
        assert_eq!(whats.len(), faults.len(), "each has its own description");
        assert!(faults.iter().all(|fault| fault.text != fault.with));
    }

    #[test]
    fn a_fault_has_one_place() {
        assert_eq!(fault("b").planted("abc").unwrap(), "ac");
        assert!(fault("d").planted("abc").is_err(), "no place");
        assert!(fault("b").planted("abb").is_err(), "two places");
    }

    #[test]
    fn files_are_renewed_and_others_removed() {
        let folder = std::env::temp_dir().join(format!("oaklath-mutants-{}", std::process::id()));
        fs::create_dir_all(folder.join("tree/below")).unwrap();
        let (from, to) = (folder.join("from"), folder.join("tree/below/to"));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        renew_file(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"new");
        let time = fs::metadata(&to).unwrap().modified().unwrap();
        renew_file(&from, &to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), time);
        let tree = folder.join("tree");
        remove_others(&tree, &tree, &[PathBuf::from("below/to")].into()).unwrap();
        assert!(to.exists());
        remove_others(&tree, &tree, &BTreeSet::new()).unwrap();
        assert!(!to.exists());
        assert_eq!(behind_link(&folder).unwrap(), [from]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
