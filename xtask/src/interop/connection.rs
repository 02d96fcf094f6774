//! One connection between two processes: starts it, watches it, and checks its result.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use super::peer::{Combination, Expected, Peer, Port, Role, Side, Site};

/// Longer than both sides' own limits of 10 seconds for each step, and than the start of a browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time that a side may outlive the other's failure.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Tries a combination; returns an error if it does not end as it must.
pub(super) fn attempt(peer: &dyn Peer, site: &Site, combination: &Combination) -> Result<()> {
    let side = |role, port| match role == combination.role {
        true => peer.side(site, combination, port),
        false => peer.ours(site, combination, port),
    };
    let outcome = connect(side(Role::Server, 0), |port| side(Role::Client, port));
    match (combination.expected, outcome) {
        (Expected::Connects, outcome) => outcome,
        (Expected::Refuses { .. }, Ok(())) => bail!("they connect"),
        (Expected::Refuses { says, .. }, Err(error)) => {
            let error = format!("{error:#}");
            ensure!(error.contains(says), "expected the error `{says}`, found: {error}");
            Ok(())
        }
    }
}

/// Starts both sides; returns an error unless both end well and print what they must.
fn connect(server: Side, client: impl FnOnce(u16) -> Side) -> Result<()> {
    let mut server = Running::start(server).context("server")?;
    let port = server.port().context("server")?;
    let mut client = Running::start(client(port)).context("client")?;
    match (client.wait(&mut server), server.end()) {
        (Ok(()), Ok(())) => Ok(()),
        // Each side may know only half of the cause.
        (Err(client), Err(server)) => bail!("client: {client:#}; server: {server:#}"),
        (Err(error), Ok(())) => Err(error.context("client")),
        (Ok(()), Err(error)) => Err(error.context("server")),
    }
}

/// A process that does not outlive this value.
struct Running {
    child: Child,
    printed: Printed,
    readers: Vec<JoinHandle<()>>,
    side: Side,
}

impl Running {
    fn start(mut side: Side) -> Result<Self> {
        let command = &mut side.command;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let name = Path::new(command.get_program()).display().to_string();
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let printed = Printed::default();
        let mut readers = Vec::new();
        readers.extend(child.stdout.take().map(|output| printed.follow(output)));
        readers.extend(child.stderr.take().map(|output| printed.follow(output)));
        if let Some(mut input) = child.stdin.take() {
            // A side that has ended already reports that by its exit code.
            let _ = input.write_all(side.input.as_bytes());
        }
        Ok(Self { child, printed, readers, side })
    }

    /// Returns the port that a server reports to listen on.
    fn port(&mut self) -> Result<u16> {
        let start = Instant::now();
        loop {
            let ended = self.child.try_wait()?.is_some();
            if ended {
                self.drain();
            }
            let found = match &self.side.port {
                Port::Line(start) => self.printed.line(start).unwrap_or_default(),
                Port::File(path) => fs::read_to_string(path).unwrap_or_default(),
            };
            let digits = found.trim_matches(|c: char| c.is_whitespace() || c == '\0');
            let digits = digits.rsplit(':').next().unwrap_or_default();
            if let Ok(port) = digits.parse() {
                if let Port::File(path) = &self.side.port {
                    fs::remove_file(path)?;
                }
                return Ok(port);
            }
            ensure!(!ended, "it does not listen: {}", self.said());
            ensure!(start.elapsed() < PATIENCE, "it does not say where it listens");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the good end of both, and checks that this side printed what it must.
    fn wait(&mut self, server: &mut Self) -> Result<()> {
        let start = Instant::now();
        let mut failed: Option<Instant> = None;
        loop {
            let ends = [self.child.try_wait()?, server.child.try_wait()?];
            let server_is_done = ends[1].is_some() || server.side.endless;
            if ends[0].is_some() && server_is_done {
                break;
            }
            if ends.iter().flatten().any(|end| !end.success()) {
                let since = failed.get_or_insert_with(Instant::now);
                if since.elapsed() > AFTERMATH {
                    break;
                }
            }
            if start.elapsed() > PATIENCE {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.end()
    }

    /// Ends it, if it still runs; returns an error unless it ended well and printed what it must.
    fn end(&mut self) -> Result<()> {
        let end = match self.child.try_wait()? {
            Some(end) => Some(end),
            None => {
                // An error means that it has just ended.
                let _ = self.child.kill();
                self.child.wait()?;
                None
            }
        };
        self.drain();
        let ended_well = self.side.endless || end.is_some_and(|end: ExitStatus| end.success());
        let found = if end.is_some() { "it failed" } else { "it does not end" };
        ensure!(ended_well, "{found}: {}", self.said());
        for line in &self.side.says {
            let found =
                self.printed.lines().iter().any(|found| found.trim().eq_ignore_ascii_case(line));
            ensure!(found, "it did not print `{line}`, but: {}", self.said());
        }
        Ok(())
    }

    /// Waits for the rest of what a process that has ended printed, but not for long: another
    /// process that it started may hold its outputs open.
    fn drain(&self) {
        let start = Instant::now();
        while !self.readers.iter().all(JoinHandle::is_finished) && start.elapsed() < AFTERMATH {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the last lines that it printed, on one line.
    fn said(&self) -> String {
        const LINES: usize = 6;
        let lines = self.printed.lines();
        let lines = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        let lines: Vec<_> = lines.collect();
        lines[lines.len().saturating_sub(LINES)..].join("; ")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of both outputs so far.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<String>>>);

impl Printed {
    /// Collects the output until the process closes it, so that no pipe ever becomes full.
    fn follow(&self, output: impl Read + Send + 'static) -> JoinHandle<()> {
        let printed = self.clone();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                printed.lines().push(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            }
        })
    }

    fn lines(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the text after `start` in the first line that begins with it.
    fn line(&self, start: &str) -> Option<String> {
        self.lines().iter().find_map(|line| line.strip_prefix(start)).map(str::to_owned)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    /// Returns a side that runs this shell script.
    fn shell(text: &str, says: &[&str]) -> Side {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        let says = says.iter().map(|&line| line.to_owned()).collect();
        Side { says, ..Side::new(command) }
    }

    #[test]
    fn a_connection_counts_only_with_what_was_to_be_printed() {
        let server = |says| shell("echo listening on 127.0.0.1:4433; echo X25519MLKEM768", says);
        let client = |says| {
            move |port| {
                assert_eq!(port, 4433);
                shell("echo X25519MLKEM768 >&2", says)
            }
        };
        let group = &["X25519MLKEM768"];
        connect(server(group), client(group)).unwrap();
        // Part of a line does not count as the line.
        let error = connect(server(group), client(&["MLKEM768"])).unwrap_err();
        assert!(format!("{error:#}").contains("client: it did not print `MLKEM768`"), "{error:#}");
        let error = connect(server(&["MLKEM768"]), client(group)).unwrap_err();
        assert!(format!("{error:#}").contains("server: it did not print `MLKEM768`"), "{error:#}");
    }

    #[test]
    fn failures_of_either_side_and_of_both_are_told() {
        let listens = "echo listening on [::1]:4433";
        let error = connect(shell("echo no >&2; exit 1", &[]), |_| unreachable!()).unwrap_err();
        assert_eq!(format!("{error:#}"), "server: it does not listen: no");
        // The server would wait for long; it is ended after the client has failed.
        let start = Instant::now();
        let server = format!("{listens}; exec sleep 50");
        let error = connect(shell(&server, &[]), |_| shell("echo oh; exit 2", &[])).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("client: it failed: oh; server: it does not end"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(50));
        let endless = Side { endless: true, ..shell(&server, &[]) };
        connect(endless, |_| shell("exit 0", &[])).unwrap();
        let server = format!("{listens}; echo ah; exit 1");
        let error = connect(shell(&server, &[]), |_| shell("exit 0", &[])).unwrap_err();
        assert!(format!("{error:#}").contains("server: it failed: "), "{error:#}");
    }
}
