//! Paths in the project, and functions that run other programs.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// Returns the folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable at run time; a binary that a person starts directly uses the compiled-in value.
    let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    match manifest_dir.parent() {
        Some(root) => root.to_path_buf(),
        None => manifest_dir,
    }
}

/// Returns the folder with the published page, which any static host can serve.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// Returns the folder with the npm packages and the browser tests.
pub(crate) fn e2e() -> PathBuf {
    root().join("e2e")
}

/// Returns Cargo's target folder, which the user's settings can change.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
    let json: serde_json::Value = serde_json::from_str(&capture(&mut metadata)?)
        .context("`cargo metadata` did not print JSON")?;
    match json["target_directory"].as_str() {
        Some(path) => Ok(PathBuf::from(path)),
        None => bail!("`cargo metadata` names no target_directory"),
    }
}

/// Returns a command that runs a program in the project's root. The program has no standard input, so it cannot ask
/// questions.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Returns a command for the same cargo that started xtask.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// Returns the command that runs an example of the engine; the arguments of the example follow.
pub(crate) fn engine_example(name: &str) -> Command {
    let mut example = cargo();
    example.args([
        "run",
        "-q",
        "-p",
        "watchglass-engine",
        "--example",
        name,
        "--",
    ]);
    example
}

/// Builds the tests of the workspace's default members, and returns the program of an example. Cargo builds the
/// examples together with the tests, and with the same settings: optimised, with overflow checks and debug assertions.
/// A build of the example alone would compile the engine once more.
pub(crate) fn test_example(name: &str) -> Result<PathBuf> {
    run(cargo().args(["test", "--no-run"]))?;
    example(name)
}

/// Returns the path of an example that was built in the profile `test`.
pub(crate) fn example(name: &str) -> Result<PathBuf> {
    let folder = target_dir()?.join("debug/examples");
    Ok(folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs a program and shows its output. If the program fails, the error contains its name and exit status.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command.status().with_context(|| cannot_start(command))?;
    require_success(command, status)
}

/// Runs a program and returns its standard output. Only standard error is shown.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| cannot_start(command))?;
    require_success(command, output.status)?;
    String::from_utf8(output.stdout)
        .with_context(|| format!("`{}` printed something that is not UTF-8", shown(command)))
}

/// Runs a program and shows its standard output line by line. Calls `on_line` with each line.
pub(crate) fn tee(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<ExitStatus> {
    announce(command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let stdout = child
        .stdout
        .take()
        .context("the pipe was asked for above")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.with_context(|| format!("reading from `{}`", shown(command)))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        on_line(line.trim_end());
    }
    child
        .wait()
        .with_context(|| format!("waiting for `{}`", shown(command)))
}

/// The maximum length of a command in a message. Longer commands, such as commands that name every behaviour file, are
/// shortened.
const SHOWN_CHARS_MAX: usize = 160;

/// Returns the command as a person would type it, for messages. Paths inside the project are relative to the project.
pub(crate) fn shown(command: &Command) -> String {
    let prefix = format!("{}{}", root().display(), std::path::MAIN_SEPARATOR);
    let words: Vec<String> = std::iter::once(short_name(command.get_program()))
        .chain(
            command
                .get_args()
                .map(|arg| arg.to_string_lossy().into_owned()),
        )
        .map(|word| word.replace(&prefix, ""))
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns the first file on PATH with one of these names.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        std::env::split_paths(&path)
            .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
            .find(|file| file.is_file())
    })
}

/// Returns the path relative to the project, for messages. The path has forward slashes on every operating system.
pub(crate) fn relative(path: &Path) -> String {
    let root = root();
    let shown = path.strip_prefix(&root).unwrap_or(path);
    shown.to_string_lossy().replace('\\', "/")
}

/// Returns all files below `folder`, sorted, except files and folders whose names are in `skip`.
pub(crate) fn files_below(folder: &Path, skip: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot list the folder {}", relative(&folder)))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if skip.contains(&name.as_ref()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A 64-bit FNV-1a hash of any number of byte strings. The hash distinguishes versions of files, but does not protect
/// against malicious changes. The length of each part is hashed after the part, so that moving bytes from one part to
/// the next changes the hash.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, part: &[u8]) {
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Returns the fingerprint as sixteen hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

fn announce(command: &Command) {
    println!("· {}", shown(command));
    // A pipe is buffered, and the output of the program must come after its name.
    std::io::stdout().flush().ok();
}

fn require_success(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!(
            "`{}` failed ({status}): its own output says why",
            shown(command)
        );
    }
    Ok(())
}

fn cannot_start(command: &Command) -> String {
    let name = short_name(command.get_program());
    format!("cannot start `{name}`: is it installed and on PATH?")
}

fn short_name(program: &OsStr) -> String {
    Path::new(program)
        .file_stem()
        .unwrap_or(program)
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprint_tells_parts_apart() {
        let of = |parts: &[&str]| {
            let mut fingerprint = Fingerprint::new();
            parts
                .iter()
                .for_each(|part| fingerprint.add(part.as_bytes()));
            fingerprint.hex()
        };
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab"]), of(&["ab", ""]));
    }

    #[test]
    fn shown_names_the_program_without_its_folder() {
        let mut command = program("/usr/bin/node");
        command.arg(root().join("e2e").join("x.mjs"));
        assert_eq!(shown(&command).replace('\\', "/"), "node e2e/x.mjs");
        command.args(["word"; 99]);
        assert_eq!(shown(&command).chars().count(), SHOWN_CHARS_MAX + 1);
    }
}
