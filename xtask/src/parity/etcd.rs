//! Finds or installs the real etcd, starts it on free loopback ports, and stops it at the end.
//!
//! The configured peer address of the real etcd is the default address, although etcd does not listen there. etcd
//! computes the cluster ID and the member ID from this address, so both IDs are the same as in the simulator, which
//! uses the defaults.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Answer, Case};
use crate::project;

/// The etcd version that the simulator's profile 3.4 simulates.
pub(super) const VERSION: &str = "3.4.23";

/// The maximum time for etcd to start, in seconds.
const START_SECONDS_MAX: u64 = 20;

/// The paths of the programs etcd and etcdctl.
pub(super) struct Programs {
    etcd: PathBuf,
    etcdctl: PathBuf,
}

impl Programs {
    /// Finds the programs on PATH. If they are missing, installs the distribution's packages.
    pub(super) fn find() -> Result<Self> {
        if project::on_path(&["etcd"]).is_none() || project::on_path(&["etcdctl"]).is_none() {
            println!(
                "There is no etcd on PATH: installing the packages etcd-server and etcd-client."
            );
            let mut apt = project::program("apt-get");
            apt.args([
                "install",
                "-y",
                "--no-install-recommends",
                "etcd-server",
                "etcd-client",
            ]);
            project::run(&mut apt).context(
                "etcd could not be installed; put etcd and etcdctl of version 3.4.23 on PATH, for example with \
                 `apt-get install etcd-server etcd-client` as root on Debian 12, and try again",
            )?;
        }
        let programs = Self {
            etcd: project::on_path(&["etcd"]).context("there is no etcd on PATH")?,
            etcdctl: project::on_path(&["etcdctl"]).context("there is no etcdctl on PATH")?,
        };
        let version = project::capture(project::program(&programs.etcd).arg("--version"))?;
        ensure!(
            version.contains(VERSION),
            "the comparison is with etcd {VERSION}, but PATH has: {}",
            version
                .lines()
                .next()
                .unwrap_or("nothing that tells its version")
        );
        Ok(programs)
    }
}

impl Programs {
    /// Returns a command that runs etcd.
    pub(super) fn etcd(&self) -> Command {
        Command::new(&self.etcd)
    }

    fn etcdctl(&self) -> Command {
        let mut etcdctl = Command::new(&self.etcdctl);
        etcdctl.env("ETCDCTL_API", "3");
        etcdctl
    }

    /// Runs one command with the real etcdctl. `endpoint` is the address for a command without `--endpoints`.
    pub(super) fn run(&self, endpoint: &str, case: &Case) -> Result<Answer> {
        run(&self.etcdctl, endpoint, case)
    }

    /// Returns the output of etcdctl's `snapshot status` for a file, in the given output format.
    pub(super) fn snapshot_status(&self, snapshot: &Path, format: &str) -> Result<String> {
        let mut status = self.etcdctl();
        status
            .args(["snapshot", "status", "-w", format])
            .arg(snapshot);
        project::capture(&mut status)
    }
}

/// Creates an empty temporary folder that only this process uses.
pub(super) fn new_folder() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("watchglass-parity-{}", std::process::id()));
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).context("no temporary folder for etcd's data")?;
    Ok(folder)
}

/// A running etcd server.
pub(super) struct Server {
    child: Child,
    folder: PathBuf,
    etcdctl: PathBuf,
    port: u16,
}

impl Server {
    /// Starts a server with an empty store.
    pub(super) fn start(programs: &Programs) -> Result<Self> {
        Self::start_with(programs, &[])
    }

    /// Starts a server with an empty store and additional flags.
    pub(super) fn start_with(programs: &Programs, flags: &[String]) -> Result<Self> {
        Self::start_in(programs, new_folder()?, flags)
    }

    /// Starts a server on the data that etcdctl has restored from `snapshot`.
    pub(super) fn restored(programs: &Programs, snapshot: &Path) -> Result<Self> {
        let folder = new_folder()?;
        let mut restore = programs.etcdctl();
        restore.args(["snapshot", "restore"]).arg(snapshot);
        restore.arg("--data-dir").arg(folder.join("data"));
        restore.args(["--initial-advertise-peer-urls", "http://localhost:2380"]);
        restore.args(["--initial-cluster", "default=http://localhost:2380"]);
        project::capture(&mut restore)?;
        Self::start_in(programs, folder, &[])
    }

    fn start_in(programs: &Programs, folder: PathBuf, flags: &[String]) -> Result<Self> {
        let (port, peer_port) = (free_port()?, free_port()?);
        let client = format!("http://127.0.0.1:{port}");
        let child = Command::new(&programs.etcd)
            .arg("--data-dir")
            .arg(folder.join("data"))
            .args([
                "--listen-client-urls",
                &client,
                "--advertise-client-urls",
                &client,
            ])
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
        let mut server = Self {
            child,
            folder,
            etcdctl: programs.etcdctl.clone(),
            port,
        };
        server.wait_until_quiet()?;
        Ok(server)
    }

    /// Returns the path of the etcdctl that belongs to the server.
    pub(super) fn etcdctl(&self) -> &std::path::Path {
        &self.etcdctl
    }

    /// Returns the server's address for clients.
    pub(super) fn endpoint(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Waits until the server has applied the four log entries that a new cluster writes on its own.
    fn wait_until_quiet(&mut self) -> Result<()> {
        let status = Case {
            args: ["endpoint", "status", "-w", "json"]
                .map(|w| w.as_bytes().to_vec())
                .to_vec(),
            stdin: Vec::new(),
        };
        let deadline = Instant::now() + Duration::from_secs(START_SECONDS_MAX);
        loop {
            if let Some(exit) = self.child.try_wait()? {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("etcd ended with {exit}:\n{log}");
            }
            let answer = self.run(&status)?;
            if String::from_utf8_lossy(&answer.stdout).contains("\"raftAppliedIndex\":4") {
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
        let answer = run(&self.etcdctl, &endpoint, case)?;
        let default = |text: &[u8]| replace(text, endpoint.as_bytes(), b"127.0.0.1:2379");
        Ok(Answer {
            stdout: default(&answer.stdout),
            stderr: default(&answer.stderr),
            exit: answer.exit,
        })
    }

    /// Stops the server and removes its data.
    pub(super) fn stop(mut self) -> Result<()> {
        self.child.kill().context("etcd could not be stopped")?;
        self.child.wait()?;
        std::fs::remove_dir_all(&self.folder).ok();
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // This is for failures; after `stop` the process has already ended.
        self.child.kill().ok();
        self.child.wait().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn run(etcdctl: &Path, endpoint: &str, case: &Case) -> Result<Answer> {
    let mut command = Command::new(etcdctl);
    // etcdctl refuses to run if both the flag and the variable are set.
    if !case.args.iter().any(|arg| arg.starts_with(b"--endpoints")) {
        command.env("ETCDCTL_ENDPOINTS", endpoint);
    }
    let mut child = command
        .args(case.args.iter().map(|word| OsStr::from_bytes(word)))
        .env("ETCDCTL_API", "3")
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
    let first = 5000 + std::process::id() as u16 % 4000;
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
