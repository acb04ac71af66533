//! Finds the real programs, starts etcd on free loopback ports, and stops it at the end. Runs the simulator's native
//! shell with the profile of the same minor version.
//!
//! The configured addresses of the real etcd are the default addresses, although etcd does not listen there. etcd
//! computes the cluster ID and the member ID from its address for peers, so both IDs are the same as in the simulator,
//! which uses the defaults.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::{Answer, Case, transcript};
use crate::project;

/// The maximum time for etcd to start, in seconds.
const START_SECONDS_MAX: u64 = 20;

/// The real programs of one version, and the simulator's profile of its minor version.
pub(super) struct Programs {
    etcd: PathBuf,
    etcdctl: PathBuf,
    /// etcdutl, which exists since 3.5.
    etcdutl: Option<PathBuf>,
    /// The version of etcd and etcdctl, such as `3.5.16`.
    version: String,
    /// The minor version, such as `3.5`, which is the name of the profile.
    profile: String,
    /// The version that the profile simulates, such as `3.5.30`.
    simulated: String,
    /// The number of log entries that a new member of one writes on its own.
    first_entries: u64,
}

impl Programs {
    /// Takes the flags `--etcd`, `--etcdctl` and `--etcdutl` with the paths of the programs from the arguments.
    /// Programs without a flag are found on PATH, and etcdutl also beside etcdctl. If there is no etcd, installs the
    /// distribution's packages.
    pub(super) fn take(args: &[String]) -> Result<(Self, Vec<String>)> {
        let mut paths = [const { None }; 3];
        let mut others = Vec::new();
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let Some(at) = ["--etcd", "--etcdctl", "--etcdutl"]
                .iter()
                .position(|flag| *flag == name)
            else {
                others.push(word.clone());
                continue;
            };
            let value = value.or_else(|| words.next().cloned());
            let path = PathBuf::from(
                value.with_context(|| format!("`{name}` needs the path of a program"))?,
            );
            ensure!(
                path.is_file(),
                "`{name}`: there is no program {}",
                path.display()
            );
            paths[at] = Some(path);
        }
        let [etcd, etcdctl, etcdutl] = paths;
        let on_path = |name: &str| project::on_path(&[name]);
        if etcd.is_none() && on_path("etcd").is_none()
            || etcdctl.is_none() && on_path("etcdctl").is_none()
        {
            install()?;
        }
        let etcd = etcd
            .or_else(|| on_path("etcd"))
            .context("there is no etcd on PATH")?;
        let etcdctl = etcdctl
            .or_else(|| on_path("etcdctl"))
            .context("there is no etcdctl on PATH")?;
        let beside = etcdctl.with_file_name("etcdutl");
        let etcdutl = etcdutl.or_else(|| Some(beside).filter(|path| path.is_file()));
        Ok((Self::of_version(etcd, etcdctl, etcdutl)?, others))
    }

    /// Reads the version of the programs, and what the simulator's profile of this version reports.
    fn of_version(etcd: PathBuf, etcdctl: PathBuf, etcdutl: Option<PathBuf>) -> Result<Self> {
        let version = version(project::program(&etcd).arg("--version"), "etcd Version: ")?;
        let mut programs = [(&etcdctl, "etcdctl version: ")].to_vec();
        programs.extend(etcdutl.as_ref().map(|path| (path, "etcdutl version: ")));
        for (path, before) in programs {
            let other = self::version(
                project::program(path)
                    .arg("version")
                    .env("ETCDCTL_API", "3"),
                before,
            )?;
            ensure!(
                other == version,
                "{} has the version {other}, but {} has {version}; `--etcd`, `--etcdctl` and `--etcdutl` name programs \
                 of one version",
                path.display(),
                etcd.display()
            );
        }
        let mut parts = version.splitn(3, '.');
        let profile = [parts.next(), parts.next()]
            .map(Option::unwrap_or_default)
            .join(".");
        let mut programs = Self {
            etcd,
            etcdctl,
            etcdutl,
            version,
            profile,
            simulated: String::new(),
            first_entries: 0,
        };
        let answers = programs.simulate("etcdctl version\netcdctl endpoint status -w json\n")?;
        let texts = answers.iter().map(|answer| String::from_utf8_lossy(answer));
        let [simulated, status] = &texts.collect::<Vec<_>>()[..] else {
            bail!("the native shell does not print its version and its status");
        };
        programs.simulated = after(simulated, "etcdctl version: ")?.to_owned();
        programs.first_entries = applied_index(status)?;
        if programs.version != programs.simulated {
            println!(
                "etcd {} is compared with the profile {}, which simulates {}: a difference can be a change between the \
                 two.",
                programs.version, programs.profile, programs.simulated
            );
        }
        Ok(programs)
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Returns the minor version, which is the name of the simulator's profile.
    pub(super) fn profile(&self) -> &str {
        &self.profile
    }

    /// Returns true if there is an etcdutl of this version.
    pub(super) fn has_etcdutl(&self) -> bool {
        self.etcdutl.is_some()
    }

    pub(super) fn etcd(&self) -> Command {
        Command::new(&self.etcd)
    }

    pub(super) fn etcdctl(&self) -> Command {
        let mut etcdctl = Command::new(&self.etcdctl);
        etcdctl.env("ETCDCTL_API", "3");
        etcdctl
    }

    /// Returns a search path for programs on which etcdctl comes first.
    pub(super) fn path(&self) -> Result<std::ffi::OsString> {
        let folder = self.etcdctl.parent().map(Path::to_path_buf);
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folders = folder.into_iter().chain(std::env::split_paths(&others));
        Ok(std::env::join_paths(folders)?)
    }

    /// Returns a command that runs the tool for snapshots: etcdutl, or etcdctl in a version without etcdutl.
    fn snapshot_tool(&self) -> Command {
        self.etcdutl
            .as_ref()
            .map_or_else(|| self.etcdctl(), Command::new)
    }

    /// Runs one command with the real etcdctl. `folder` is the working folder, and `endpoint` the address for a
    /// command without `--endpoints`. In the output, the version that the profile simulates replaces the real version.
    pub(super) fn run(&self, folder: &Path, endpoint: &str, case: &Case) -> Result<Answer> {
        let mut command = self.etcdctl();
        // etcdctl refuses to run if both the flag and the variable are set.
        if !case.args.iter().any(|arg| arg.starts_with(b"--endpoints")) {
            command.env("ETCDCTL_ENDPOINTS", endpoint);
        }
        if case.is_etcdutl() {
            command = Command::new(
                self.etcdutl
                    .as_ref()
                    .context("the version has no etcdutl")?,
            );
        }
        let mut answer = run(command.current_dir(folder), case)?;
        for text in [&mut answer.stdout, &mut answer.stderr] {
            *text = replace(text, self.version.as_bytes(), self.simulated.as_bytes());
        }
        Ok(answer)
    }

    pub(super) fn snapshot_status(&self, snapshot: &Path, format: &str) -> Result<String> {
        let mut status = self.snapshot_tool();
        status
            .args(["snapshot", "status", "-w", format])
            .arg(snapshot);
        project::capture(&mut status)
    }

    /// Runs a script in the native shell. Returns the output of each command, which ends in a `# exit` line.
    pub(super) fn simulate(&self, script: &str) -> Result<Vec<Vec<u8>>> {
        let script = script.to_owned();
        let mut shell = project::engine_example("etcdctl");
        shell.args(["--profile", &self.profile]);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().context("the native shell does not start")?;
        let mut stdin = child
            .stdin
            .take()
            .context("the native shell has no input")?;
        let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
        let output = child.wait_with_output()?;
        let written = writer
            .join()
            .map_err(|_| anyhow!("writing to the native shell failed"))?;
        ensure!(
            output.status.success(),
            "the native shell failed; the simulator may have no profile {}",
            self.profile
        );
        written.context("the native shell stopped reading")?;
        Ok(transcript::split(&output.stdout))
    }
}

/// Installs the distribution's packages of etcd and etcdctl.
fn install() -> Result<()> {
    println!("There is no etcd on PATH: installing the packages etcd-server and etcd-client.");
    let mut apt = project::program("apt-get");
    apt.args([
        "install",
        "-y",
        "--no-install-recommends",
        "etcd-server",
        "etcd-client",
    ]);
    project::run(&mut apt).context(
        "etcd could not be installed; name the programs with `--etcd PATH` and `--etcdctl PATH`, or put them on PATH, \
         for example with `apt-get install etcd-server etcd-client` as root on Debian, and try again",
    )
}

/// Runs a program and returns the version that it prints.
fn version(program: &mut Command, before: &str) -> Result<String> {
    let text = project::capture(program)?;
    Ok(after(&text, before)?.to_owned())
}

fn after<'a>(text: &'a str, before: &str) -> Result<&'a str> {
    let (_, rest) = text
        .split_once(before)
        .with_context(|| format!("no `{before}` in: {text}"))?;
    Ok(rest.lines().next().unwrap_or_default().trim())
}

/// Returns the index of the last applied entry in the output of `endpoint status -w json`.
fn applied_index(status: &str) -> Result<u64> {
    let index = after(status, "\"raftAppliedIndex\":")?.split(',').next();
    let index = index.and_then(|index| index.parse().ok());
    index.context("the status has no raft index")
}

/// Creates an empty temporary folder that only this process uses.
pub(super) fn new_folder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("watchglass-parity-{}", std::process::id()));
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).context("no temporary folder for etcd's data")?;
    Ok(folder)
}

pub(super) struct Server<'a> {
    programs: &'a Programs,
    child: Arc<Mutex<Option<Child>>>,
    folder: PathBuf,
    port: u16,
}

impl<'a> Server<'a> {
    /// Starts a server with an empty store.
    pub(super) fn start(programs: &'a Programs) -> Result<Self> {
        Self::start_with(programs, &[])
    }

    /// Starts a server with an empty store and additional flags.
    pub(super) fn start_with(programs: &'a Programs, flags: &[String]) -> Result<Self> {
        Self::start_in(programs, new_folder()?, flags, programs.first_entries)
    }

    /// Starts a server on the data that is restored from `snapshot`.
    pub(super) fn restored(programs: &'a Programs, snapshot: &Path) -> Result<Self> {
        let folder = new_folder()?;
        let mut restore = programs.snapshot_tool();
        restore.args(["snapshot", "restore"]).arg(snapshot);
        restore.arg("--data-dir").arg(folder.join("data"));
        restore.args(["--initial-advertise-peer-urls", "http://localhost:2380"]);
        restore.args(["--initial-cluster", "default=http://localhost:2380"]);
        project::capture(&mut restore)?;
        // The file can contain the version of the cluster, which then needs no entry.
        let first_entries = programs.first_entries.saturating_sub(1);
        Self::start_in(programs, folder, &[], first_entries)
    }

    fn start_in(
        programs: &'a Programs,
        folder: PathBuf,
        flags: &[String],
        first_entries: u64,
    ) -> Result<Self> {
        let (port, peer_port) = (free_port()?, free_port()?);
        let client = format!("http://127.0.0.1:{port}");
        let child = programs
            .etcd()
            .arg("--data-dir")
            .arg(folder.join("data"))
            .args(["--listen-client-urls", &client])
            .args(["--advertise-client-urls", "http://localhost:2379"])
            .args([
                "--listen-peer-urls",
                &format!("http://127.0.0.1:{peer_port}"),
            ])
            .args(["--initial-advertise-peer-urls", "http://localhost:2380"])
            .args(["--initial-cluster", "default=http://localhost:2380"])
            .args(["--logger", "zap", "--log-level", "error"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log"))?)
            .spawn()
            .context("etcd does not start")?;
        let server = Self {
            programs,
            child: Arc::new(Mutex::new(Some(child))),
            folder,
            port,
        };
        server.report_crash();
        server.wait_until_applied(first_entries)?;
        Ok(server)
    }

    /// Returns the programs of the server's version.
    pub(super) fn programs(&self) -> &Programs {
        self.programs
    }

    /// Returns the server's address for clients.
    pub(super) fn endpoint(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Ends the comparison with etcd's log if etcd ends on its own. Some commands of etcdctl would otherwise wait for
    /// etcd forever.
    fn report_crash(&self) {
        let (child, log) = (Arc::clone(&self.child), self.folder.join("log"));
        std::thread::spawn(move || {
            loop {
                let ended = match child.lock().as_deref_mut() {
                    Ok(Some(child)) => child.try_wait(),
                    _ => return,
                };
                if let Ok(Some(exit)) = ended {
                    let log = std::fs::read_to_string(log).unwrap_or_default();
                    eprintln!("etcd ended with {exit}:\n{log}");
                    std::process::exit(1);
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
    }

    /// Waits until the server has applied the log entries that a new cluster writes on its own.
    fn wait_until_applied(&self, first_entries: u64) -> Result<()> {
        let status = Case {
            args: ["endpoint", "status", "-w", "json"]
                .map(|w| w.as_bytes().to_vec())
                .to_vec(),
            stdin: Vec::new(),
        };
        let deadline = Instant::now() + Duration::from_secs(START_SECONDS_MAX);
        loop {
            let answer = self.run(&status)?;
            let applied = applied_index(&String::from_utf8_lossy(&answer.stdout));
            if applied.is_ok_and(|applied| applied >= first_entries) {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "etcd does not answer after {START_SECONDS_MAX} seconds"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Runs one command with the real etcdctl. In the output, the server's address is replaced by the default address.
    pub(super) fn run(&self, case: &Case) -> Result<Answer> {
        let endpoint = self.endpoint();
        let answer = self.programs.run(&self.folder, &endpoint, case)?;
        let default = |text: &[u8]| replace(text, endpoint.as_bytes(), b"127.0.0.1:2379");
        Ok(Answer {
            stdout: default(&answer.stdout),
            stderr: default(&answer.stderr),
            exit: answer.exit,
        })
    }

    /// Stops the server and removes its data.
    pub(super) fn stop(self) {}
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        if let Ok(mut child) = self.child.lock()
            && let Some(mut child) = child.take()
        {
            child.kill().ok();
            child.wait().ok();
        }
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn run(command: &mut Command, case: &Case) -> Result<Answer> {
    let mut child = command
        .args(case.words().iter().map(|word| OsStr::from_bytes(word)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("etcdctl does not start")?;
    let mut input = case.stdin.join("\n");
    if !input.is_empty() || case.stdin.len() > 1 {
        input.push('\n');
    }
    if let Some(mut stdin) = child.stdin.take() {
        // etcdctl may end before it has read all of its input.
        stdin.write_all(input.as_bytes()).ok();
    }
    let output = child.wait_with_output()?;
    Ok(Answer {
        stdout: output.stdout,
        stderr: without_noise(&output.stderr),
        exit: output.status.code().unwrap_or(-1),
    })
}

/// Returns a free port with four digits, like the default port, so that etcdctl's tables have the same width.
pub(super) fn free_port() -> Result<u16> {
    // Comparisons that run at the same time search for ports at different places.
    let first = 5000 + (std::process::id() * 61 % 4000) as u16;
    (first..10_000)
        .chain(5000..first)
        .find(|port| {
            static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
            free && TAKEN.lock().is_ok_and(|mut taken| taken.insert(*port))
        })
        .context("there is no free port on 127.0.0.1 between 5000 and 9999")
}

/// Returns the text on standard error without the client's log lines and without the stack trace of a panic.
fn without_noise(stderr: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    for line in stderr.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"goroutine ") && kept.starts_with(b"panic: ") {
            kept.pop();
            break;
        }
        // This line describes the signal of the panic.
        let is_signal = line.starts_with(b"[signal ") && kept.starts_with(b"panic: ");
        if !is_signal && !line.starts_with(b"{\"level\":") {
            kept.extend_from_slice(line);
        }
    }
    kept
}

pub(super) fn replace(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(what.len()).position(|window| window == what) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(with);
        rest = &rest[at + what.len()..];
    }
    out.extend_from_slice(rest);
    out
}
