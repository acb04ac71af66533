//! Reads commands in the form that people use on real machines: with variables, `sudo`, `time`, `kubectl exec`, `docker
//! exec`, `ssh` or `sh -c` before the command.
//!
//! The simulator has only one terminal, so the shell runs the inner command and ignores the machine or container.

use super::ParseError;
use super::for_loop::{Arg, ShellNames, Statement, Variable, expand_first, is_assignment};
use crate::base::bytes::escape;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    Command {
        /// The words of the command. The first word is the name of the program.
        args: Vec<Arg>,
        /// The variables that are set before the command.
        variables: Vec<Variable>,
    },
    /// `sh -c TEXT` runs the commands in a text.
    Script {
        text: Vec<u8>,
        /// The byte range of the text in the typed line.
        span: (usize, usize),
    },
    /// `export NAME=value` or `NAME=value` sets variables.
    Set(Vec<Variable>),
    /// `unset NAME` removes variables.
    Unset(Vec<String>),
    /// `alias NAME=VALUE` sets aliases.
    Alias(Vec<Variable>),
    /// `unalias NAME` removes aliases. The flag `-a` removes all aliases.
    Unalias(Vec<String>),
    /// The line opens a shell on another machine or in a container. The user types the next commands in that shell.
    Shell,
}

/// The flags of `kubectl` and `kubectl exec` that require a value.
const KUBECTL_VALUES: &[&str] = &[
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "-s",
    "--server",
    "-v",
    "--v",
    "-o",
    "--output",
    "--as",
    "--as-group",
    "--token",
    "--request-timeout",
    "--pod-running-timeout",
];

/// The flags that require a value, for `docker exec` and similar commands.
const DOCKER_VALUES: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "--detach-keys",
    "--index",
    "-f",
    "--file",
    "-H",
    "--host",
    "--context",
    "-n",
    "--namespace",
    "-r",
    "--runtime-endpoint",
];

/// The flags of `sudo` that require a value.
const SUDO_VALUES: &[&str] = &[
    "-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt",
];

/// The flags of `ssh` that require a value.
const SSH_VALUES: &[&str] = &["-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D"];

const SHELLS: &[&str] = &["sh", "bash", "ash", "dash", "zsh"];

const CONTAINER_TOOLS: &[&str] = &["docker", "podman", "nerdctl", "crictl", "docker-compose"];

/// Returns true if a command can follow this word: the word is `sudo`, `time`, `ssh`, a shell, a container tool or a
/// variable.
pub(crate) fn is_prefix(word: &[u8]) -> bool {
    let name = program(word);
    let name = std::str::from_utf8(name).unwrap_or_default();
    matches!(
        name,
        "alias"
            | "unalias"
            | "export"
            | "unset"
            | "sudo"
            | "env"
            | "ssh"
            | "oc"
            | "time"
            | "timeout"
    ) || SHELLS.contains(&name)
        || CONTAINER_TOOLS.contains(&name)
        || is_assignment(word)
}

fn is_name(word: &[u8]) -> bool {
    word.first()
        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn variable(word: &[u8]) -> Option<Variable> {
    let at = word.iter().position(|b| *b == b'=')?;
    let name = String::from_utf8_lossy(&word[..at]).into_owned();
    is_assignment(word).then(|| (name, word[at + 1..].to_vec()))
}

/// Returns the variable that a word before a command sets. In real shells, a word with a quoted variable name is a
/// command. The reader does not know which part of the word was quoted. So a word with quotes sets a variable only if
/// etcdctl reads the variable (`ETCDCTL_…`).
fn assignment(word: &Arg) -> Option<Variable> {
    variable(&word.bytes).filter(|(name, _)| !word.quoted || name.starts_with("ETCDCTL_"))
}

/// Returns the POSIX form of a variable that a shell of Windows sets: `set NAME=VALUE` or `$env:NAME = "VALUE"`.
pub(crate) fn windows_variable(line: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let starts = |start: &str| {
        let head = text.get(..start.len())?;
        head.eq_ignore_ascii_case(start)
            .then(|| &text[start.len()..])
    };
    let (name, value) = match (starts("$env:"), starts("set ")) {
        (Some(rest), _) => rest.split_once('=')?,
        (None, Some(rest)) => rest
            .split_once('=')
            .filter(|(name, _)| name.starts_with("ETCDCTL_"))?,
        (None, None) => return None,
    };
    let (name, value) = (name.trim(), value.trim());
    is_name(name.as_bytes()).then(|| format!("export {name}={value}").into_bytes())
}

/// Removes the directory from a program's path, as in `/usr/local/bin/etcdctl` or `./etcdctl`. In a path of Windows,
/// the backslashes are already removed.
fn program(word: &[u8]) -> &[u8] {
    if let Some(stem) = word.strip_suffix(b".exe") {
        let tools = [&b"etcdctl"[..], b"etcdutl", b"kubectl"];
        if let Some(tool) = tools.into_iter().find(|tool| stem.ends_with(tool)) {
            return tool;
        }
    }
    match word.iter().rposition(|b| *b == b'/') {
        Some(at) => &word[at + 1..],
        None => word,
    }
}

/// Returns the inner command of a command line, without `sudo`, `kubectl exec` and other prefixes.
pub(crate) fn read(words: &[Arg]) -> Result<Invocation, ParseError> {
    let mut rest = words;
    let mut variables = Vec::new();
    loop {
        while let [first, tail @ ..] = rest
            && let Some(variable) = assignment(first)
        {
            variables.push(variable);
            rest = tail;
        }
        let Some((first, tail)) = rest.split_first() else {
            return Ok(match variables.is_empty() {
                true => Invocation::Shell,
                false => Invocation::Set(variables),
            });
        };
        let name = std::str::from_utf8(program(&first.bytes)).unwrap_or_default();
        rest = match name {
            "export" => return set(first, tail),
            // Options of the shell, such as `set -eu`.
            "set" if tail.first().is_some_and(|arg| arg.bytes.starts_with(b"-")) => {
                return Ok(Invocation::Set(Vec::new()));
            }
            "alias" => return alias(first, tail),
            "unalias" => {
                let names = tail.iter().map(|arg| escape(&arg.bytes));
                return Ok(Invocation::Unalias(names.collect()));
            }
            "unset" => {
                let names = tail.iter().filter(|arg| is_name(&arg.bytes));
                return Ok(Invocation::Unset(
                    names.map(|arg| escape(&arg.bytes)).collect(),
                ));
            }
            "sudo" => {
                let rest = after_flags(tail, SUDO_VALUES, &mut variables);
                match rest {
                    [su, ..] if su.bytes == b"su" => return Ok(Invocation::Shell),
                    _ => rest,
                }
            }
            "time" if !tail.is_empty() => after_flags(tail, &[], &mut variables),
            "timeout" => {
                let values = ["-s", "--signal", "-k", "--kill-after"];
                let rest = after_flags(tail, &values, &mut variables);
                rest.get(1..).unwrap_or_default()
            }
            "env" => after_flags(tail, &["-u", "--unset"], &mut variables),
            "kubectl" | "oc" if name == "oc" || leads_to_exec(tail) => {
                let rest = after_flags(tail, KUBECTL_VALUES, &mut variables);
                let ([exec, rest @ ..], true) = (rest, leads_to_exec(tail)) else {
                    return Err(not_exec(first));
                };
                inside_pod(exec, rest, &mut variables)?
            }
            tool if CONTAINER_TOOLS.contains(&tool) => {
                let mut rest = after_flags(tail, DOCKER_VALUES, &mut variables);
                if let [compose, tail @ ..] = rest
                    && compose.bytes == b"compose"
                {
                    rest = after_flags(tail, DOCKER_VALUES, &mut variables);
                }
                let [exec, tail @ ..] = rest else {
                    return Err(not_exec(first));
                };
                if exec.bytes != b"exec" {
                    return Err(not_exec(first));
                }
                let rest = after_flags(tail, DOCKER_VALUES, &mut variables);
                rest.get(1..).unwrap_or_default()
            }
            "ssh" => {
                let rest = after_flags(tail, SSH_VALUES, &mut variables);
                match rest.get(1..).unwrap_or_default() {
                    [] => return Ok(Invocation::Shell),
                    [script] if script.bytes.contains(&b' ') => return Ok(script_of(script)),
                    rest => rest,
                }
            }
            shell if SHELLS.contains(&shell) => return script(first, tail),
            "etcdctl" | "etcdutl" | "kubectl" => {
                let mut args = rest.to_vec();
                args[0].bytes = name.into();
                return Ok(Invocation::Command { args, variables });
            }
            _ => {
                let args = rest.to_vec();
                return Ok(Invocation::Command { args, variables });
            }
        };
    }
}

/// Reads `export …`. Exporting a name without a value has no effect.
fn set(export: &Arg, words: &[Arg]) -> Result<Invocation, ParseError> {
    let mut variables = Vec::new();
    for word in words {
        match variable(&word.bytes) {
            Some(variable) => variables.push(variable),
            None if is_name(&word.bytes) => {}
            None => {
                return Err(ParseError::new(
                    export.span.0,
                    word.span.1,
                    "NAME=value after export",
                    "write it as `export ETCDCTL_API=3`",
                ));
            }
        }
    }
    Ok(Invocation::Set(variables))
}

/// Reads `alias …`. bash allows most characters in the name of an alias.
fn alias(alias: &Arg, words: &[Arg]) -> Result<Invocation, ParseError> {
    let read = |word: &Arg| {
        let at = word.bytes.iter().position(|b| *b == b'=')?;
        let name = std::str::from_utf8(&word.bytes[..at]).ok()?;
        let is_part = |c: char| !c.is_whitespace() && !"$/`\"'\\;&|<>()".contains(c);
        let is_alias = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_part);
        is_alias.then(|| (name.to_owned(), word.bytes[at + 1..].to_vec()))
    };
    let aliases: Option<Vec<Variable>> = words.iter().map(read).collect();
    match aliases {
        Some(aliases) if !aliases.is_empty() => Ok(Invocation::Alias(aliases)),
        _ => Err(ParseError::new(
            alias.span.0,
            words.last().unwrap_or(alias).span.1,
            "NAME=VALUE after alias",
            "write it as `alias ec='etcdctl -w table'`",
        )),
    }
}

/// The maximum number of aliases of a pasted text.
const ALIASES_MAX: usize = 32;

/// The aliases that the lines of a pasted text set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aliases {
    names: ShellNames,
}

impl Aliases {
    pub(crate) fn read(&mut self, line: &str) {
        if line.split_whitespace().next() != Some("alias") {
            return;
        }
        let first = expand_first(line.as_bytes(), &ShellNames::default(), 1).unwrap_or_default();
        if let Some(first) = first.first()
            && let Ok(Invocation::Alias(set)) = read(&first.args)
        {
            let aliases = &mut self.names.aliases;
            aliases.retain(|(name, _)| set.iter().all(|(new, _)| new != name));
            let free = ALIASES_MAX - aliases.len();
            aliases.extend(set.into_iter().take(free));
        }
    }

    /// Replaces the aliases in a line and returns the first commands of the line, each as words joined by spaces.
    /// Returns no commands if no alias is defined or if the line cannot be read.
    pub(crate) fn replaced(&self, line: &str) -> Vec<String> {
        if self.names.aliases.is_empty() {
            return Vec::new();
        }
        let most = 8;
        let commands = expand_first(line.as_bytes(), &self.names, most).unwrap_or_default();
        let words = |command: Statement| {
            let words = command.args.iter();
            let words = words.map(|arg| String::from_utf8_lossy(&arg.bytes).into_owned());
            words.collect::<Vec<_>>().join(" ")
        };
        commands.into_iter().map(words).collect()
    }
}

/// Returns the words after the flags of a program. The flag `-e NAME=value` sets a variable.
fn after_flags<'a>(
    mut words: &'a [Arg],
    with_value: &[&str],
    variables: &mut Vec<Variable>,
) -> &'a [Arg] {
    while let [first, tail @ ..] = words {
        if first.bytes == b"--" {
            return tail;
        }
        if first.bytes.first() != Some(&b'-') || first.bytes.len() < 2 {
            return words;
        }
        words = tail;
        if with_value.iter().any(|flag| flag.as_bytes() == first.bytes) {
            let Some((value, tail)) = words.split_first() else {
                return words;
            };
            if matches!(first.bytes.as_slice(), b"-e" | b"--env") {
                variables.extend(variable(&value.bytes));
            }
            words = tail;
        }
    }
    words
}

/// Returns the verb of kubectl's command in a line, such as `get` in `sudo kubectl -n web get pods`.
pub fn kubectl_verb(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let mut before = "";
    loop {
        let word = words.next()?;
        if program(word.as_bytes()) == b"kubectl" && can_precede_command(before) {
            break;
        }
        before = word;
    }
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if KUBECTL_VALUES.contains(&word) {
            words.next();
        }
    }
    None
}

/// Returns true if the word after `word` can be the name of a program. An empty `word` is the start of the line.
fn can_precede_command(word: &str) -> bool {
    matches!(word, "" | "sudo" | "time" | "do" | "then")
        || word.contains('=')
        || word.ends_with(['|', '&', ';'])
}

/// Returns the words after the flags that follow `kubectl`. The first of these words is the verb.
pub(crate) fn after_kubectl_flags(words: &[Arg]) -> &[Arg] {
    after_flags(words, KUBECTL_VALUES, &mut Vec::new())
}

/// Returns true if the words after `kubectl` are an `exec` command, which runs a command in a pod.
fn leads_to_exec(words: &[Arg]) -> bool {
    after_kubectl_flags(words)
        .first()
        .is_some_and(|word| matches!(word.bytes.as_slice(), b"exec" | b"rsh"))
}

/// Returns the inner command of `kubectl exec POD -- COMMAND`. Older versions of kubectl also accept the command
/// without `--`.
fn inside_pod<'a>(
    exec: &Arg,
    words: &'a [Arg],
    variables: &mut Vec<Variable>,
) -> Result<&'a [Arg], ParseError> {
    let has_end = words.iter().any(|word| word.bytes == b"--");
    let rest = match has_end {
        true => {
            let end = words
                .iter()
                .position(|word| word.bytes == b"--")
                .unwrap_or(0);
            &words[end + 1..]
        }
        false => {
            let rest = after_flags(words, KUBECTL_VALUES, variables);
            after_flags(rest.get(1..).unwrap_or_default(), KUBECTL_VALUES, variables)
        }
    };
    if rest.is_empty() && exec.bytes == b"exec" {
        return Err(ParseError::new(
            exec.span.0,
            exec.span.1,
            "a command after kubectl exec POD --",
            "write it as `kubectl exec etcd-0 -- etcdctl get /key1`",
        ));
    }
    Ok(rest)
}

/// Returns true if the word after these words of a command names the container or pod of an `exec`.
pub(crate) fn is_before_container(words: &[Arg]) -> bool {
    let Some(exec) = words.iter().position(|word| word.bytes == b"exec") else {
        return false;
    };
    let values = words[..exec].iter().find_map(|word| {
        let name = std::str::from_utf8(program(&word.bytes)).ok()?;
        match name {
            "kubectl" | "oc" => Some(KUBECTL_VALUES),
            name => CONTAINER_TOOLS.contains(&name).then_some(DOCKER_VALUES),
        }
    });
    values.is_some_and(|values| after_flags(&words[exec + 1..], values, &mut Vec::new()).is_empty())
}

fn not_exec(program: &Arg) -> ParseError {
    let name = escape(&program.bytes);
    ParseError::new(
        program.span.0,
        program.span.1,
        format!("exec after {name}"),
        format!("Watchglass supports only `{name} exec … etcdctl …`"),
    )
}

/// Reads the words after the name of a shell: `-c TEXT`, or no words.
fn script(shell: &Arg, words: &[Arg]) -> Result<Invocation, ParseError> {
    let flags = words
        .iter()
        .take_while(|word| word.bytes.first() == Some(&b'-'));
    let flags = flags.count();
    let runs_text = words[..flags].iter().any(|flag| flag.bytes.ends_with(b"c"));
    match words.get(flags) {
        None => Ok(Invocation::Shell),
        Some(text) if runs_text => Ok(script_of(text)),
        Some(file) => Err(ParseError::new(
            shell.span.0,
            file.span.1,
            "`-c` and a command after the name of the shell",
            "the simulator has no script files; type the commands of the script",
        )),
    }
}

fn script_of(text: &Arg) -> Invocation {
    Invocation::Script {
        text: text.bytes.clone(),
        span: text.span,
    }
}
