//! Finds the etcdctl command that a list of words selects, like the `cobra` library.
//!
//! Mirrors `Command.Find` of `github.com/spf13/cobra` with prefix matching. Flags can precede the command. An unknown
//! flag takes the next word as its value. A prefix of a command's name is enough if only one command matches the
//! prefix.

use super::flags::{by_letter, by_name};
use super::usage::is_listed;
use crate::api::{Difference, Profile};
use crate::base::small_sort::SmallSort;
use crate::shell::table::{ETCDCTL, Flag, FlagKind, HELP_FLAG, LEAF, Spec, etcdctl_names};

#[derive(Debug)]
pub(in crate::shell) enum FoundCommand {
    /// A command, with the words that belong to the command.
    Command(Path, Vec<Vec<u8>>),
    /// No command matches. The text is etcdctl's error message.
    Unknown(String),
}

/// The path of a command: its parent commands, starting with etcdctl itself, and then the command.
#[derive(Clone, Debug)]
pub(in crate::shell) struct Path(Vec<&'static Spec>);

impl Path {
    pub(in crate::shell) fn root() -> Self {
        Self(vec![&ETCDCTL])
    }

    /// Creates the path of a command inside a transaction, such as `put`. Its parent command has no name.
    pub(in crate::shell) fn in_txn(spec: &'static Spec) -> Self {
        static NAMELESS: Spec = LEAF;
        Self(vec![&NAMELESS, spec])
    }

    /// Returns the last command of the path, which is the selected command.
    pub(in crate::shell) fn spec(&self) -> &'static Spec {
        self.0[self.0.len() - 1]
    }

    /// Returns the full name of the command without `etcdctl`, such as `endpoint status`. The name of etcdctl itself is
    /// empty.
    pub(in crate::shell) fn name(&self) -> String {
        let names: Vec<&str> = self.0[1..].iter().map(|s| s.name).collect();
        names.join(" ")
    }

    pub(super) fn parents(&self) -> Vec<&'static str> {
        let parents = &self.0[..self.0.len() - 1];
        parents.iter().map(|spec| spec.name).collect()
    }

    /// Returns the full name of the command, such as `etcdctl endpoint status`.
    pub(super) fn command(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|spec| spec.name).collect();
        names.join(" ")
    }

    /// Returns the command's own flags except `help`, sorted by name.
    pub(in crate::shell) fn own_flags(&self, profile: Profile) -> Vec<&'static Flag> {
        let spec = self.spec();
        sorted(spec.flags.iter().chain(spec.shared), profile)
    }

    /// Returns the flags that the command inherits from its parent commands, sorted by name.
    pub(in crate::shell) fn inherited_flags(&self, profile: Profile) -> Vec<&'static Flag> {
        let above = &self.0[..self.0.len() - 1];
        sorted(above.iter().flat_map(|s| s.shared), profile)
    }

    /// Returns the command's own flags and the inherited flags, except `help`.
    pub(in crate::shell) fn flags(&self, profile: Profile) -> Vec<&'static Flag> {
        let mut flags = self.own_flags(profile);
        flags.extend(self.inherited_flags(profile));
        flags
    }
}

fn sorted<'a>(
    flags: impl Iterator<Item = &'static Flag> + 'a,
    profile: Profile,
) -> Vec<&'static Flag> {
    let mut flags: Vec<&'static Flag> = flags.filter(|f| f.exists(profile)).collect();
    flags.small_sort_by_key(|f| f.name);
    flags
}

/// Finds the command that `words` select. `words` are the words after `etcdctl`.
pub(in crate::shell) fn find(words: &[Vec<u8>], profile: Profile) -> FoundCommand {
    let mut path = Path::root();
    let mut words = words.to_vec();
    loop {
        let mut flags = path.flags(profile);
        if path.0.len() == 1 && profile.has(Difference::FindsCommandAfterHelp) {
            flags.push(&HELP_FLAG);
        }
        let Some(name) = first_command(&words, &flags) else {
            return FoundCommand::Command(path, words);
        };
        let children = || path.spec().children(profile);
        let names: Vec<&'static str> = children().map(|spec| spec.name).collect();
        let known = pick(&name, &names);
        match children().find(|spec| Some(spec.name) == known) {
            Some(spec) => path.0.push(spec),
            None if path.0.len() == 1 => return FoundCommand::Unknown(complaint(&name, profile)),
            None => return FoundCommand::Command(path, words),
        }
        words = without(words, &name, &flags);
    }
}

/// Returns the first word that is the name of an etcdctl command, or the start of exactly one name. Flags can precede
/// the word.
pub(in crate::shell) fn verb(words: &[Vec<u8>], profile: Profile) -> Option<Vec<u8>> {
    let first = first_command(words, &Path::root().flags(profile))?;
    pick(&first, &etcdctl_names(profile)).map(|_| first)
}

/// Returns the name equal to `word`, or the only name that starts with `word`.
pub(in crate::shell) fn pick(word: &[u8], names: &[&'static str]) -> Option<&'static str> {
    if let Some(exact) = names.iter().find(|n| n.as_bytes() == word) {
        return Some(exact);
    }
    let mut fitting = names.iter().filter(|n| n.as_bytes().starts_with(word));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Returns true if the word is a flag whose value is the next word. An unknown flag counts as such a flag.
pub(super) fn takes_next(word: &[u8], flags: &[&'static Flag]) -> bool {
    match word {
        [b'-', b'-', name @ ..] if !name.contains(&b'=') => {
            by_name(flags, name).is_none_or(|f| f.kind != FlagKind::Bool)
        }
        [b'-', letter] if *letter != b'=' => {
            by_letter(flags, *letter).is_none_or(|f| f.kind != FlagKind::Bool)
        }
        _ => false,
    }
}

/// Returns the first word that is neither a flag nor a flag's value.
pub(in crate::shell) fn first_command(
    words: &[Vec<u8>],
    flags: &[&'static Flag],
) -> Option<Vec<u8>> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_slice() {
            b"--" => return None,
            w if takes_next(w, flags) => {
                rest.next()?;
            }
            [] | [b'-', ..] => {}
            _ => return Some(word.clone()),
        }
    }
    None
}

/// Removes the first word that equals `name`, ignoring words that are values of flags.
pub(in crate::shell) fn without(
    mut words: Vec<Vec<u8>>,
    name: &[u8],
    flags: &[&'static Flag],
) -> Vec<Vec<u8>> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_slice() {
            b"--" => break,
            w if takes_next(w, flags) => at += 1,
            w if w == name => {
                words.remove(at);
                break;
            }
            _ => {}
        }
        at += 1;
    }
    words
}

/// Returns etcdctl's error for an unknown command: `unknown command "gett" for "etcdctl"`, followed by suggestions.
fn complaint(name: &[u8], profile: Profile) -> String {
    let quoted = crate::base::go::quote::quoted(name);
    let mut text = format!("unknown command {quoted} for \"etcdctl\"");
    let typed = String::from_utf8_lossy(name).to_lowercase();
    let near = |n: &&str| n.starts_with(&typed) || distance(&typed, n) <= 2;
    let suggestions: Vec<&str> = ETCDCTL
        .children(profile)
        .filter(|spec| is_listed(spec) && spec.name != "help")
        .map(|spec| spec.name)
        .filter(near)
        .collect();
    if !suggestions.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        for name in suggestions {
            text.push('\t');
            text.push_str(name);
            text.push('\n');
        }
    }
    text
}

/// Returns the edit distance of two texts: the number of characters to add, remove or replace in order to turn one text
/// into the other.
pub(in crate::shell) fn distance(a: &str, b: &str) -> u32 {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<u32> = (0..).take(b.len() + 1).collect();
    // A word much longer than any command is far from all commands, so only its start is compared.
    for (i, x) in (1u32..).zip(a.chars().take(64)) {
        let mut diagonal = row[0];
        row[0] = i;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + u32::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> String {
        let words: Vec<Vec<u8>> = line
            .split(' ')
            .filter(|w| !w.is_empty())
            .map(|w| w.as_bytes().to_vec())
            .collect();
        match find(&words, Profile::V3_4) {
            FoundCommand::Command(path, rest) => {
                let rest: Vec<_> = rest.iter().map(|w| String::from_utf8_lossy(w)).collect();
                format!("{}|{}", path.name(), rest.join(" "))
            }
            FoundCommand::Unknown(text) => text,
        }
    }

    #[test]
    fn finds_what_etcdctl_finds() {
        assert_eq!(found("get a b"), "get|a b");
        assert_eq!(found("-w json get a"), "get|-w json a");
        assert_eq!(found("--hex g a"), "get|--hex a");
        assert_eq!(found("compac 3"), "compaction|3");
        assert_eq!(found("end --rev 3 hash"), "endpoint hashkv|--rev 3");
        assert_eq!(found("endpoint h"), "endpoint|h");
        assert_eq!(found("-- get k"), "|-- get k");
        assert_eq!(found("--help get"), "|--help get");
        assert_eq!(found("w k"), "watch|k");
        assert_eq!(found("al l"), "alarm list|");
        assert_eq!(found("mem l"), "member list|");
        assert_eq!(found("lo x"), "lock|x");
        assert_eq!(found("he get -w json"), "help|get -w json");
        let words = ["--help", "get"].map(|word| word.as_bytes().to_vec());
        let FoundCommand::Command(path, _) = find(&words, Profile::V3_7) else {
            panic!("`get` is a command");
        };
        assert_eq!(path.name(), "get");
    }

    #[test]
    fn suggests_what_etcdctl_suggests() {
        assert_eq!(
            found("--prefix get k"),
            "unknown command \"k\" for \"etcdctl\""
        );
        assert_eq!(
            found("putt k"),
            "unknown command \"putt\" for \"etcdctl\"\n\nDid you mean this?\n\tput\n\tauth\n"
        );
        assert_eq!(
            found("e"),
            "unknown command \"e\" for \"etcdctl\"\n\nDid you mean this?\n\tget\n\tdel\n\tendpoint\n\telect\n"
        );
        // Recorded from etcdctl 3.4.23.
        assert_eq!(found("foo"), "unknown command \"foo\" for \"etcdctl\"");
        assert_eq!(found("helpp"), "unknown command \"helpp\" for \"etcdctl\"");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
