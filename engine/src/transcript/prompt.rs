//! Recognizes shell prompts in pasted text: `$ `, `root@etcd-0:/# `, `[root@etcd-0 ~]# `, `etcd-0$ `, `host% `,
//! `PS C:\> `, `└─$ `.
//!
//! Values and error messages can look like prompts. So a text counts as a prompt only if a known command follows the
//! text. The prompts `% `, `> ` and `# ` without a name count only if the pasted text contains no other prompts. `% `
//! and `> ` also count in a second case: a command after such a prompt opens a shell, and the text contains no other
//! prompt before this command.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{EXIT_CODE, invocation};

/// Returns true if a word is the name of a command of etcdctl or of Watchglass.
pub type IsCommand = fn(&[u8]) -> bool;

/// The text that a terminal shows for Ctrl+C.
pub const INTERRUPT: &str = "^C";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Prompt<'a> {
    /// The prompt `$ `.
    Dollar,
    /// A prompt with a user and a host, or with a directory. Its text can differ from line to line.
    Place,
    /// A prompt with a name, which is the same on every line: `etcd-0$ `, `bash-5.1# `, `mysite% `.
    Named(Cow<'a, str>),
    /// One of the prompts `% `, `> `, `❯ ` and `λ `.
    Mark(char),
    /// The prompt `# `, which is doubtful because a comment also starts with `#`.
    Root,
}

impl Prompt<'_> {
    fn into_owned(self) -> Prompt<'static> {
        match self {
            Self::Named(name) => Prompt::Named(name.into_owned().into()),
            Self::Dollar => Prompt::Dollar,
            Self::Place => Prompt::Place,
            Self::Mark(mark) => Prompt::Mark(mark),
            Self::Root => Prompt::Root,
        }
    }
}

/// The characters that can end a prompt.
const MARKS: [char; 6] = ['$', '#', '%', '>', '❯', 'λ'];

/// The characters that end the prompts of shells, including the prompts that this module does not know.
const SHELL_MARKS: [char; 9] = ['$', '#', '%', '>', '❯', '➜', '»', 'λ', '✗'];

/// The characters that start the first and the last line of a prompt with two lines.
const FIRST_CORNERS: [char; 2] = ['┌', '╭'];
const LAST_CORNERS: [char; 2] = ['└', '╰'];

/// The maximum length of a prompt, in bytes.
const PROMPT_BYTES_MAX: usize = 200;

/// The prompts that occur in a pasted text.
///
/// ```
/// use watchglass_engine::shell::is_command;
/// use watchglass_engine::transcript::prompt::Prompts;
/// let text = "root@etcd-0:/# etcdctl get a\na\n1\nroot@etcd-0:/#\n";
/// let prompts = Prompts::of(text, is_command);
/// assert_eq!(prompts.command("root@etcd-0:/tmp# ls"), Some("ls"));
/// assert_eq!(prompts.command("# a comment"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Prompts {
    known: BTreeSet<Prompt<'static>>,
    /// The names of the aliases that the text defines.
    aliases: Vec<String>,
    is_command: IsCommand,
}

impl Prompts {
    pub fn of(text: &str, is_command: IsCommand) -> Self {
        let mut with_commands = BTreeSet::new();
        let mut has_dollar = false;
        // After a prompt with a name, a `$ ` belongs to a value, unless a command has opened another shell.
        let mut may_be_dollar = true;
        // The prompt without a name after which a command opens the shell with another prompt.
        let mut outer = None;
        let mut has_bare_command = false;
        let mut aliases = Vec::new();
        for line in text.lines() {
            let parts = split(line);
            if let Some((_, rest)) = &parts {
                aliases.extend(alias_names(rest).map(str::to_owned));
            }
            match parts {
                Some((Prompt::Dollar, _)) => has_dollar |= may_be_dollar,
                Some((prompt, rest)) if begins_a_command(rest, &prompt, is_command) => {
                    let is_named = matches!(prompt, Prompt::Place | Prompt::Named(_));
                    let opens_a_shell = opens_a_shell(rest);
                    may_be_dollar = opens_a_shell || may_be_dollar && !is_named;
                    let is_first =
                        !has_dollar && with_commands.iter().all(|before| *before == prompt);
                    if opens_a_shell && is_first && matches!(prompt, Prompt::Mark('%' | '>')) {
                        outer = Some(prompt.clone());
                    }
                    with_commands.insert(prompt);
                }
                Some(_) => {}
                None => has_bare_command |= begins_a_bare_command(line, is_command),
            }
        }
        let mut known = with_commands.clone();
        // Values rarely contain `❯` or `λ`, in contrast to the other marks.
        known.retain(|prompt| {
            matches!(
                prompt,
                Prompt::Place | Prompt::Named(_) | Prompt::Mark('❯' | 'λ')
            )
        });
        if has_dollar {
            known.insert(Prompt::Dollar);
        }
        known.extend(outer);
        for mark in [Prompt::Mark('%'), Prompt::Mark('>'), Prompt::Root] {
            let is_root = mark == Prompt::Root;
            if known.is_empty() && with_commands.contains(&mark) && !(is_root && has_bare_command) {
                known.insert(mark);
            }
        }
        let known = known.into_iter().map(Prompt::into_owned).collect();
        Self {
            known,
            aliases,
            is_command,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Returns the text after the prompt of a line; `None` if the line does not start with one of these prompts.
    pub fn command<'l>(&self, line: &'l str) -> Option<&'l str> {
        match self.line(line) {
            PastedLine::Command(command) => Some(command),
            PastedLine::Doubtful(_) | PastedLine::Output => None,
        }
    }

    pub fn line<'l>(&self, line: &'l str) -> PastedLine<'l> {
        let Some((prompt, rest)) = split(line) else {
            return PastedLine::Output;
        };
        let is_known = self.known.iter().any(|known| *known == prompt);
        let is_command = || self.begins_a_command(rest, &prompt);
        match prompt {
            _ if !is_known => PastedLine::Output,
            // A comment starts with `#`, too.
            Prompt::Root if !is_command() => PastedLine::Output,
            // A value can start with a mark such as `>`.
            Prompt::Mark(_) if !rest.trim().is_empty() && !is_command() => {
                PastedLine::Doubtful(rest)
            }
            _ => PastedLine::Command(rest),
        }
    }

    fn begins_a_command(&self, text: &str, prompt: &Prompt<'_>) -> bool {
        begins_a_command(text, prompt, self.is_command) || begins_with_one_of(text, &self.aliases)
    }

    /// Returns the prompt of a line, with the space at its end, if the prompt contains a name or a place.
    pub fn named<'l>(&self, line: &'l str) -> Option<&'l str> {
        let command = self.command(line)?;
        let (prompt, _) = split(line)?;
        let prompt = matches!(prompt, Prompt::Place | Prompt::Named(_))
            .then(|| &line[..line.len() - command.len()]);
        prompt.filter(|prompt| prompt.ends_with(' '))
    }

    /// Returns the byte offset of a prompt that follows an output without a newline at its end, as in
    /// `1root@etcd-0:/# etcdctl get a`. `seen` contains the prompts at the starts of earlier lines.
    pub fn inside(&self, line: &str, seen: &BTreeSet<&str>) -> Option<usize> {
        let own = self.command(line).map(|command| line.len() - command.len());
        let places = seen.iter().filter_map(|prompt| {
            let at = line.find(prompt).filter(|at| *at > 0)?;
            let end = at + prompt.len();
            // A typed command can contain the text of a prompt.
            let is_free = own.is_none_or(|own| own == end);
            let (prompt, rest) = split(&line[at..])?;
            let is_command = rest.trim().is_empty() || self.begins_a_command(rest, &prompt);
            (is_free && is_command).then_some(at)
        });
        places.min()
    }

    /// Returns the part of a typed command that looks like the end of a prompt and a text after the prompt, such as the
    /// `$ x` in `put a '$ x'`. If a later output contains this part, the output looks like a line with a prompt.
    pub fn value_in<'l>(&self, command: &'l str) -> Option<&'l str> {
        let is_mark = |c: char| MARKS.contains(&c);
        let (at, _) = command
            .match_indices(is_mark)
            .find(|(at, mark)| command[at + mark.len()..].starts_with(' '))?;
        Some(command[at..].trim_end_matches(['\'', '"', ' ']))
    }
}

/// Returns the names of the aliases that a command `alias NAME=VALUE` defines.
fn alias_names(command: &str) -> impl Iterator<Item = &str> {
    let definitions = command.trim_start().strip_prefix("alias ");
    let words = definitions.unwrap_or_default().split_whitespace();
    let names = words.filter_map(|word| Some(word.split_once('=')?.0));
    // A value can contain flags.
    names.filter(|name| !name.starts_with('-'))
}

fn begins_with_one_of(text: &str, names: &[impl AsRef<str>]) -> bool {
    let first = text.split_whitespace().next();
    first.is_some_and(|word| names.iter().any(|name| name.as_ref() == word))
}

/// Returns a pasted text in which each prompt can be recognized without other lines, and its prompts. Each line keeps
/// its number.
pub fn with_prompts(text: &str, is_command: IsCommand) -> (String, Prompts) {
    let text = on_own_lines(text, is_command);
    let text = without_first_lines(&text, is_command).into_owned();
    let prompts = Prompts::of(&text, is_command);
    (text, prompts)
}

/// Rewrites the prompts that can be recognized only with the help of other lines. Each line keeps its number.
///
/// - Inside a shell that a command opened, `# ` becomes `sh# `, also after `^C`. Outside such a shell, `#` starts a
///   comment.
/// - The first line of a prompt with two lines (`┌──(user㉿host)-[~]`, `└─$ `) becomes empty.
fn on_own_lines(text: &str, is_command: IsCommand) -> Cow<'_, str> {
    if !text.contains(FIRST_CORNERS) && !text.contains("\n#") {
        return text.into();
    }
    let mut rewritten = String::with_capacity(text.len());
    let mut is_in_shell = false;
    let mut aliases = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let is_exit = |rest: &str| rest.split_whitespace().next() == Some("exit");
        let (before, typed) = match line.strip_prefix(INTERRUPT) {
            Some(typed) if is_in_shell => (INTERRUPT, typed),
            _ => ("", line),
        };
        match split(typed) {
            _ if line.starts_with(FIRST_CORNERS) && next.starts_with(LAST_CORNERS) => {}
            Some((Prompt::Root, rest)) if is_in_shell => {
                let is_typed = begins_a_command(rest, &Prompt::Root, is_command)
                    || begins_with_one_of(rest, &aliases);
                rewritten.push_str(before);
                if is_typed || rest.trim().is_empty() {
                    rewritten.push_str("sh");
                }
                rewritten.push_str(typed.trim_start());
                aliases.extend(alias_names(rest));
                is_in_shell = !is_exit(rest);
            }
            Some((prompt, rest)) => {
                let opens = prompt != Prompt::Root && opens_a_shell(rest) && !is_exit(rest);
                is_in_shell = opens
                    || is_in_shell
                        && prompt != Prompt::Dollar
                        && !begins_a_command(rest, &prompt, is_command);
                rewritten.push_str(line);
            }
            None => rewritten.push_str(line),
        }
        rewritten.push('\n');
    }
    rewritten.into()
}

/// Empties the first lines of prompts with two lines, such as `user@host ~/etcd` above `$ etcdctl get a`. Each line
/// keeps its number. A line counts only if such a line is directly above every line with a prompt.
fn without_first_lines(text: &str, is_command: IsCommand) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_prompt = |line: &str| match split(line) {
        Some((prompt @ (Prompt::Dollar | Prompt::Mark(_) | Prompt::Root), rest)) => {
            rest.trim().is_empty() || begins_a_command(rest, &prompt, is_command)
        }
        _ => false,
    };
    let prompts = lines.iter().enumerate().filter(|(_, line)| is_prompt(line));
    let prompts: Vec<usize> = prompts.map(|(at, _)| at).collect();
    let above = |at: &usize| at.checked_sub(1).map(|at| lines[at]);
    if prompts.is_empty() || !prompts.iter().all(|at| above(at).is_some_and(is_place)) {
        return text.into();
    }
    let is_first = |at: usize| prompts.binary_search(&(at + 1)).is_ok();
    let mut rewritten = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        rewritten.push_str(if is_first(at) { "" } else { line });
        rewritten.push('\n');
    }
    rewritten.into()
}

/// Returns true if a line shows only a place: a user and a host, or a directory, possibly with a branch and a time.
fn is_place(line: &str) -> bool {
    const WORDS_MAX: usize = 8;
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(first) = words.first() else {
        return false;
    };
    let first = first.trim_start_matches(['[', '(']);
    let is_login = first.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.starts_with(|c: char| c.is_ascii_alphanumeric())
    });
    let is_directory = matches!(first.as_bytes(), [b'~'] | [b'~', b'/', ..])
        || first.starts_with('/') && words.len() > 1;
    words.len() <= WORDS_MAX && (is_login || is_directory)
}

/// The meaning of a line in a text with prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastedLine<'l> {
    /// The text after a prompt.
    Command(&'l str),
    /// The text after a prompt without a name, such as `> `, if it does not begin with a known command. The line is
    /// either an unknown command or an output line that begins with the same mark.
    Doubtful(&'l str),
    /// The line has no prompt.
    Output,
}

/// Returns true if the line contains a word that ends like a prompt, followed by etcdctl or kubectl. If this prompt is
/// not one of the prompts of the text, the line was typed in another shell.
pub fn is_of_another_shell(line: &str) -> bool {
    if !line.contains("etcdctl ") && !line.contains("kubectl ") {
        return false;
    }
    let ends_a_prompt = |word: &str| word.ends_with([']', ':', '~']) || word.ends_with(SHELL_MARKS);
    let mut words = line.split_whitespace();
    let Some(mut before) = words.next() else {
        return false;
    };
    // Only a comment starts with `#`.
    if before.starts_with('#') {
        return false;
    }
    words
        .any(|word| ends_a_prompt(std::mem::replace(&mut before, word)) && is_tool(word.as_bytes()))
}

/// Replaces the prompt before a command with spaces, so that byte offsets in the line do not change.
pub(crate) fn blanked(line: &[u8], is_command: IsCommand) -> Cow<'_, [u8]> {
    let shown = line.len().min(PROMPT_BYTES_MAX);
    let start = match std::str::from_utf8(&line[..shown]) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&line[..error.valid_up_to()]).unwrap_or_default(),
    };
    let end = match split(start) {
        Some((Prompt::Dollar, rest)) => start.len() - rest.len(),
        Some((prompt @ (Prompt::Place | Prompt::Named(_)), rest))
            if begins_a_command(rest, &prompt, is_command) =>
        {
            start.len() - rest.len()
        }
        _ => return line.into(),
    };
    let mut line = line.to_vec();
    line[..end].fill(b' ');
    line.into()
}

/// Splits a line into its prompt and the text after the prompt.
fn split(line: &str) -> Option<(Prompt<'_>, &str)> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("➜ ") {
        return arrow(rest);
    }
    if let Some(rest) = after_directory_of_dos(line) {
        return Some((Prompt::Place, rest));
    }
    let candidates = line
        .char_indices()
        .take_while(|(at, _)| *at < PROMPT_BYTES_MAX);
    for (at, mark) in candidates.filter(|(_, letter)| MARKS.contains(letter)) {
        let after = &line[at + mark.len_utf8()..];
        let rest = match after.strip_prefix([' ', '\t']) {
            Some(rest) => rest,
            None if after.is_empty() => after,
            None => continue,
        };
        let before = line[..at].trim_end();
        if mark == '>' && is_continuation(before) && !before.is_empty() {
            return None;
        }
        if before.is_empty() {
            let prompt = match mark {
                '$' => Prompt::Dollar,
                '#' => Prompt::Root,
                mark => Prompt::Mark(mark),
            };
            return Some((prompt, rest));
        }
        return prompt_before(before).map(|prompt| (prompt, rest));
    }
    None
}

/// Splits a prompt of the form `➜  etcd git:(main) ✗ etcdctl …`.
fn arrow(rest: &str) -> Option<(Prompt<'_>, &str)> {
    let mut rest = rest.trim_start();
    rest = rest
        .split_once(' ')
        .map_or("", |(_, rest)| rest)
        .trim_start();
    if rest.starts_with("git:(") {
        rest = rest
            .split_once(' ')
            .map_or("", |(_, rest)| rest)
            .trim_start();
    }
    let rest = rest.strip_prefix('✗').unwrap_or(rest).trim_start();
    Some((Prompt::Place, rest))
}

/// Classifies a prompt by the text before its last character.
fn prompt_before(before: &str) -> Option<Prompt<'_>> {
    if before.starts_with(LAST_CORNERS) {
        return Some(Prompt::Place);
    }
    let mut place = before;
    // Skips groups in brackets, such as a Python environment, a kubectl context or the time.
    while let Some(rest) = group(place) {
        place = rest;
    }
    let dated = place;
    place = after_time(place);
    if place.is_empty() && !dated.is_empty() {
        return Some(Prompt::Place);
    }
    // Bash prints this text for a user without an entry in /etc/passwd, which is usual in containers.
    place = place.strip_prefix("I have no ").unwrap_or(place);
    place = place
        .strip_prefix("name!")
        .map_or(place, |_| &place["name!".len() - 1..]);
    if place.starts_with("!@") {
        return Some(Prompt::Place);
    }
    let words = place.split_whitespace().count();
    let first = place.split_whitespace().next().unwrap_or_default();
    let is_login = first.split_once('@').is_some_and(|(user, host)| {
        let is_user = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        !user.is_empty() && user.chars().all(is_user) && host.starts_with(char::is_alphanumeric)
    });
    let inside = place
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let has_login = inside.is_some_and(|inside| inside.contains('@')) || is_login;
    if has_login && words <= 3 {
        return Some(Prompt::Place);
    }
    if first == "PS" && words > 1 {
        return Some(Prompt::Place);
    }
    if words == 2 && (first.contains(":~") || first.contains(":/")) {
        return Some(Prompt::Place);
    }
    if words == 1 && (place.starts_with('~') || place.starts_with('/')) {
        return Some(Prompt::Place);
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '/' | ':');
    match words {
        0 => Some(Prompt::Named(before.into())),
        1 if place.chars().all(is_name) => Some(Prompt::Named(before.into())),
        _ => None,
    }
}

/// Returns the text after a prompt of the Windows command processor, such as `C:\etcd>`.
fn after_directory_of_dos(line: &str) -> Option<&str> {
    let (directory, rest) = line.split_once('>')?;
    let is_drive = directory.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_drive && directory.get(1..3) == Some(":\\")).then_some(rest)
}

/// Returns the text after a date and a time.
fn after_time(text: &str) -> &str {
    let mut rest = text;
    while let Some(word) = rest.split_whitespace().next() {
        let is_part = |c: char| c.is_ascii_digit() || ":-/.,+TZ".contains(c);
        let separators = word.matches([':', '-', '/']).count();
        let is_time = word.len() >= "10:23".len()
            && separators > 0
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(is_part);
        if !is_time {
            break;
        }
        rest = rest.trim_start()[word.len()..].trim_start();
    }
    rest
}

/// Returns true if a command opens a shell with another prompt, or leaves one.
fn opens_a_shell(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_shell = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        matches!(
            name,
            "sh" | "bash" | "ash" | "dash" | "zsh" | "su" | "-i" | "-s"
        )
    };
    matches!(words.first(), Some(&("ssh" | "su" | "exit"))) || words.last().is_some_and(is_shell)
}

/// The words in the continuation prompts of zsh, such as `heredoc> ` and `for dquote> `. Each names an unfinished part
/// of the command (`%_` in `PS2`).
const ZSH_PARTS: [&str; 25] = [
    "heredoc", "heredocd", "quote", "dquote", "bquote", "for", "foreach", "while", "until",
    "repeat", "select", "do", "if", "then", "elif", "else", "case", "function", "cursh", "subsh",
    "pipe", "cmdand", "cmdor", "cmdsubst", "array",
];

/// Returns true if a text before `>` belongs to a continuation prompt. Bash prints only `>`.
fn is_continuation(before: &str) -> bool {
    before
        .split_whitespace()
        .all(|word| ZSH_PARTS.contains(&word))
}

/// Returns the text after the continuation prompt of bash or zsh.
pub fn after_continuation(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once('>')?;
    if !is_continuation(before) {
        return None;
    }
    match rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix(' '),
    }
}

/// Returns the text after a `(…)` or `[…]` at the start of the text.
fn group(text: &str) -> Option<&str> {
    let rest = match text.chars().next()? {
        '(' => text.split_once(')')?.1,
        '[' => {
            text.split_once(']')
                .filter(|(inside, _)| !inside.contains('@'))?
                .1
        }
        _ => return None,
    };
    Some(rest.trim_start())
}

/// Returns true if a known command is at the start of the text. After `#`, which also starts a comment, only the name
/// of a program counts.
fn begins_a_command(text: &str, prompt: &Prompt<'_>, is_command: IsCommand) -> bool {
    let word = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .as_bytes();
    is_program(word) || *prompt != Prompt::Root && is_command(word) || is_of_the_shell(text, word)
}

/// Returns true if the text is a command of the shell that Watchglass runs, and not a sentence that begins with the
/// same word.
fn is_of_the_shell(text: &str, word: &[u8]) -> bool {
    let starts_with_number =
        |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match word {
        b"time" => text.contains("etcdctl "),
        b"sleep" => starts_with_number(&text.trim_start()[word.len()..]),
        b"echo" | b"printf" => text.contains("| etcdctl ") || text.contains(EXIT_CODE),
        _ => false,
    }
}

fn begins_a_bare_command(line: &str, is_command: IsCommand) -> bool {
    // An output of `etcdctl version` begins like a command.
    if line.starts_with("etcdctl version: ") || line.starts_with("etcdutl version: ") {
        return false;
    }
    let word = line
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .as_bytes();
    is_program(word) || is_command(word)
}

/// Returns true if the first word of a line is a program, a command of Watchglass, or a command of the shell.
pub(crate) fn begins_any_command(line: &str, is_command: IsCommand) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    begins_a_bare_command(line, is_command) || matches!(first, "echo" | "printf" | "cat" | "for")
}

fn is_program(word: &[u8]) -> bool {
    is_tool(word) || word != b"time" && invocation::is_prefix(word)
}

/// Returns true if the first word of a line is etcdctl, etcdutl or kubectl.
pub(crate) fn begins_with_tool(line: &str) -> bool {
    let first = line.split_whitespace().next();
    first.is_some_and(|word| is_tool(word.as_bytes()))
}

/// Returns true if a word is the name of etcdctl, etcdutl or kubectl, with or without a directory.
pub(crate) fn is_tool(word: &[u8]) -> bool {
    let word = word.strip_suffix(b".exe").unwrap_or(word);
    let is_named = |name: &&[u8]| {
        let before = word.strip_suffix(*name);
        before.is_some_and(|before| {
            before
                .last()
                .is_none_or(|byte| matches!(byte, b'/' | b'\\'))
        })
    };
    [&b"etcdctl"[..], b"etcdutl", b"kubectl"]
        .iter()
        .any(is_named)
}
