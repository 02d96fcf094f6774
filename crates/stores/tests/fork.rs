//! Forked children have the handle and the locks of their parent, but get no index from it: neither
//! with a process number of their own, nor when a new namespace gives them their parent's number.

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("NOT RUN: fork: on Linux only");
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::num::NonZeroU64;
    use std::process::{Command, ExitCode};
    use std::{env, fs, process};

    use fork::{Fork, fork, waitpid};
    use oaklath_stores::{FileStore, KeyId, MemoryStore, Store, StoreError};
    use rustix::thread::UnshareFlags;

    const IN_NAMESPACE: &str = "OAKLATH_FORK_IN_NAMESPACE";

    pub(super) fn main() -> ExitCode {
        if env::var_os(IN_NAMESPACE).is_some() {
            assert_eq!(process::id(), 1, "the first process of a namespace");
            #[expect(deprecated, reason = "what replaces it is unsafe")]
            let entered = rustix::thread::unshare(UnshareFlags::NEWPID);
            entered.expect("a second namespace");
            child_gets_nothing("1 and 1");
            return ExitCode::SUCCESS;
        }
        child_gets_nothing("two numbers");
        let program = env::current_exe().expect("this program");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork"]).arg(program);
        let output = command.env(IN_NAMESPACE, "1").output();
        match output {
            Ok(output) if output.status.success() => {
                print!("{}", String::from_utf8_lossy(&output.stdout));
            }
            Ok(output) if String::from_utf8_lossy(&output.stderr).contains("panicked") => {
                panic!("{}", String::from_utf8_lossy(&output.stderr));
            }
            _ => println!("NOT RUN: fork in a namespace: `unshare` is missing or not permitted"),
        }
        ExitCode::SUCCESS
    }

    /// Forks with a file store and a memory store open; the child reports by its exit code.
    fn child_gets_nothing(numbers: &str) {
        let folder = env::temp_dir().join(format!("oaklath-forks-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        let key = KeyId::of(b"key");
        let file = FileStore::at(folder.join("state")).create(key, 0..8).expect("a new store");
        let mut stores: [Box<dyn Store>; 2] =
            [Box::new(file), Box::new(MemoryStore::new(key, 0..8))];
        let mut take = || stores.each_mut().map(|store| store.reserve(NonZeroU64::MIN).map(drop));
        assert!(take().iter().all(Result::is_ok));
        match fork().expect("a child") {
            Fork::Child => {
                let is_refused = |taken: &_| matches!(taken, Err(StoreError::Forked { .. }));
                process::exit(i32::from(!take().iter().all(is_refused)));
            }
            Fork::Parent(child) => {
                assert_eq!(waitpid(child).expect("its end"), 0, "the child got an index");
            }
        }
        assert!(take().iter().all(Result::is_ok), "the parent goes on");
        fs::remove_dir_all(&folder).expect("the folder is ours");
        println!("fork, processes {numbers}: the child gets no index");
    }
}
