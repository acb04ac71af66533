//! Completion: suggests commands, flags, flag values and keys for the word at the cursor.
//!
//! The suggestions come from the command tables. There are no suggestions for a line that cannot be split into words.

mod world;

use super::table::{ETCDCTL, Flag, FlagKind, Spec, Versions, all_verbs, etcdctl_verbs};
use crate::base::Bytes;
use crate::base::small_sort::SmallSort;
use crate::transcript::lexer::{Token, Word, WordPiece, scan};
use crate::transcript::quote::push_word;

/// The maximum number of keys or lease IDs that are suggested at once.
const KEYS_MAX: usize = 50;

/// The suggestions for the text between `start` and the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The start of the word to complete, as a byte offset in the line.
    pub start: u32,
    /// The suggestions, best first.
    pub items: Vec<CompletionItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The word to insert, with quotes where necessary.
    pub text: String,
    pub gloss: String,
}

/// The keys and the lease IDs of a store, which completion can suggest.
#[derive(Clone, Debug, Default)]
pub struct StoreNames {
    pub keys: Vec<Bytes>,
    pub leases: Vec<i64>,
}

/// Returns suggestions for the word at `cursor` (in bytes).
///
/// ```
/// use watchglass_engine::shell::{StoreNames, complete};
/// let completion = complete("get /key --pr", 13, &StoreNames::default());
/// assert_eq!(completion.start, 9);
/// assert_eq!(completion.items[0].text, "--prefix");
/// ```
pub fn complete(line: &str, cursor: usize, names: &StoreNames) -> Completion {
    let before = line.get(..cursor).unwrap_or(line);
    let (tokens, error) = scan(before.as_bytes());
    if error.is_some() {
        return Completion::default();
    }
    let (words, current) = command_at_end(&tokens, before.len());
    let start = current.map_or(before.len(), |w| w.span.0);
    let typed = current.map(literal).unwrap_or_default();
    let mut items = Vec::new();
    offer(&words, &typed, names, &mut items);
    Completion {
        start: start as u32,
        items,
    }
}

/// Returns the complete words of the last command in the line, and the unfinished word at the cursor.
fn command_at_end(tokens: &[Token], end: usize) -> (Vec<Vec<u8>>, Option<&Word>) {
    let mut words: Vec<&Word> = Vec::new();
    for token in tokens {
        match token {
            Token::Separator(..) | Token::OutputTarget { .. } => words.clear(),
            Token::Word(word) => match word.keyword() {
                Some(b"do" | b"$" | b"etcdctl" | b"e" | b"ETCDCTL_API=3") if word.span.1 < end => {
                    words.clear();
                }
                _ => words.push(word),
            },
        }
    }
    let current = words.pop_if(|w| w.span.1 == end);
    (words.into_iter().map(literal).collect(), current)
}

/// Returns the literal text of the word. Variables in the word are omitted.
fn literal(word: &Word) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in &word.pieces {
        if let WordPiece::Text(text) = piece {
            bytes.extend_from_slice(text);
        }
    }
    bytes
}

fn offer(words: &[Vec<u8>], typed: &[u8], names: &StoreNames, items: &mut Vec<CompletionItem>) {
    let Some((first, rest)) = words.split_first() else {
        for spec in all_verbs() {
            push(items, typed, spec.name, spec.gloss);
        }
        return;
    };
    let Some(spec) = all_verbs()
        .find(|s| s.name.as_bytes() == first || s.name == "compaction" && first == b"compact")
    else {
        return;
    };
    if spec.name == "help" {
        for spec in all_verbs().filter(|_| rest.is_empty()) {
            push(items, typed, spec.name, spec.gloss);
        }
        return;
    }
    let mut path = vec![spec];
    let (mut parent, mut rest_of_path) = (spec, rest.iter());
    while !parent.children.is_empty() {
        let named = |w: &Vec<u8>| {
            let mut children = parent.children.iter();
            children.find(|c| c.name.as_bytes() == w && c.is_simulated())
        };
        match rest_of_path.find_map(named) {
            Some(child) => {
                path.push(child);
                parent = child;
            }
            None => {
                for child in parent.children.iter().filter(|c| c.is_simulated()) {
                    push(items, typed, child.name, child.gloss);
                }
                return;
            }
        }
    }
    let flags = flags_of(&path);
    if let Some(last) = words.last()
        && let Some(flag) = flag_named(&flags, last)
        && flag.kind != FlagKind::Bool
    {
        for value in flag.values {
            push(items, typed, value, "");
        }
        if flag.name == "lease" {
            push_leases(items, typed, "", names);
        }
        return;
    }
    if let Some((name, value)) = split_flag(typed)
        && let Some(flag) = flag_named(&flags, name)
    {
        for choice in flag
            .values
            .iter()
            .filter(|v| v.as_bytes().starts_with(value))
        {
            let text = format!("{}={choice}", String::from_utf8_lossy(name).as_ref());
            items.push(CompletionItem {
                text,
                gloss: String::new(),
            });
        }
        if flag.name == "lease" {
            push_leases(items, typed, "--lease=", names);
        }
        return;
    }
    if typed.first() == Some(&b'-') {
        for flag in &flags {
            push(items, typed, &format!("--{}", flag.name), flag.usage);
        }
        for (name, gloss) in SHOW_FLAGS.iter().filter(|_| spec.name == "show") {
            if *name == "--json" || path.last().is_some_and(|s| s.name == "bucket") {
                push(items, typed, name, gloss);
            }
        }
        return;
    }
    if let Some(verb) = path.first() {
        world::offer(verb.name, rest, typed, items);
    }
    match path.last().map(|s| s.name) {
        // A word after the key of a watch is usually not another key.
        Some("watch") if rest.iter().any(|word| !word.starts_with(b"-")) => {}
        Some("get" | "put" | "del" | "key-index" | "watch") => {
            let fitting = names
                .keys
                .iter()
                .filter(|k| k.starts_with(typed))
                .take(KEYS_MAX);
            items.extend(fitting.map(|key| {
                let mut text = String::new();
                push_word(&mut text, key);
                CompletionItem {
                    text,
                    gloss: "a key in the store".to_owned(),
                }
            }));
        }
        Some("revoke" | "timetolive" | "keep-alive") => push_leases(items, typed, "", names),
        Some("bucket") => {
            for bucket in BUCKETS {
                push(items, typed, bucket, "a bucket of the backend");
            }
        }
        Some("world") => {
            for (text, gloss) in [
                ("profile=3.7", "behave like etcd 3.7.1"),
                ("profile=3.6", "behave like etcd 3.6.10"),
                ("profile=3.5", "behave like etcd 3.5.30"),
                ("profile=3.4", "behave like etcd 3.4.23"),
                ("bug=", "give this version a bug that a switch can turn on"),
                ("fix=", "give this version a fix that a switch can turn on"),
                ("seed=", "the seed of the random number generator"),
            ] {
                push(items, typed, text, gloss);
            }
        }
        _ => {}
    }
}

const SHOW_FLAGS: &[(&str, &str)] = &[
    ("--decode", "print decoded rows instead of quoted bytes"),
    ("--json", "print the structure as JSON"),
    ("--limit", "the maximum number of rows"),
];

const BUCKETS: &[&str] = &["key", "meta", "lease", "alarm", "qos"];

/// Adds the suggestion `text` if it starts with the typed text.
pub(super) fn push(items: &mut Vec<CompletionItem>, typed: &[u8], text: &str, gloss: &str) {
    if text.as_bytes().starts_with(typed) {
        items.push(CompletionItem {
            text: text.to_owned(),
            gloss: gloss.to_owned(),
        });
    }
}

/// Adds suggestions for the lease IDs of the store. Each suggestion is the text `before`, such as `--lease=`, and the
/// ID.
fn push_leases(items: &mut Vec<CompletionItem>, typed: &[u8], before: &str, names: &StoreNames) {
    for id in names.leases.iter().take(KEYS_MAX) {
        let text = format!("{before}{id:x}");
        push(items, typed, &text, "a lease in the store");
    }
}

/// Returns the flags of a command, followed by the flags that all etcdctl commands share.
fn flags_of(path: &[&'static Spec]) -> Vec<&'static Flag> {
    let mut flags: Vec<&'static Flag> = Vec::new();
    for spec in path.iter().rev() {
        flags.extend(spec.flags.iter().chain(spec.shared).chain(spec.extra));
    }
    let etcdctl = path
        .first()
        .is_some_and(|s| etcdctl_verbs().any(|c| std::ptr::eq(c, *s)));
    if etcdctl {
        flags.extend(
            ETCDCTL
                .shared
                .iter()
                .filter(|f| matches!(f.name, "write-out" | "hex")),
        );
    }
    flags.retain(|f| f.versions.is_current());
    flags.small_sort_by_key(|f| !matches!(f.versions, Versions::All));
    flags
}

fn flag_named(flags: &[&'static Flag], word: &[u8]) -> Option<&'static Flag> {
    let named = |f: &&&'static Flag| match word {
        [b'-', b'-', name @ ..] => f.name.as_bytes() == name,
        [b'-', letter] => f.letter == *letter,
        _ => false,
    };
    flags.iter().find(named).copied()
}

fn split_flag(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = word.iter().position(|b| *b == b'=')?;
    word.starts_with(b"-")
        .then(|| (&word[..at], &word[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let names = StoreNames {
            keys: ["/a b", "/key1", "/key2"].map(Into::into).to_vec(),
            leases: vec![0x694d_0000_0000_0001, 0x77],
        };
        complete(line, line.len(), &names)
            .items
            .into_iter()
            .map(|i| i.text)
            .collect()
    }

    #[test]
    fn completes_every_kind_of_word() {
        assert_eq!(texts("pu"), ["put"]);
        assert_eq!(texts("$ etcdctl comp"), ["compaction"]);
        assert_eq!(texts("get /k"), ["/key1", "/key2"]);
        assert_eq!(texts("get /a"), ["'/a b'"]);
        assert_eq!(texts("get 'x' --print"), ["--print-value-only"]);
        assert_eq!(texts("get x --order D"), ["DESCEND"]);
        assert_eq!(texts("get x --order=A"), ["--order=ASCEND"]);
        assert_eq!(texts("get x -w j"), ["json"]);
        assert_eq!(texts("put x y --lease=6"), ["--lease=694d000000000001"]);
        assert_eq!(
            texts("put x y --lease="),
            ["--lease=694d000000000001", "--lease=77"]
        );
        assert_eq!(texts("put x y --lease 7"), ["77"]);
        assert_eq!(texts("lease revoke "), ["694d000000000001", "77"]);
        assert_eq!(texts("endpoint h"), ["health", "hashkv"]);
        assert_eq!(texts("endpoint hashkv --r"), ["--rev"]);
        assert_eq!(texts("show k"), ["key-index"]);
        assert_eq!(texts("show key-index /key1 --"), ["--json"]);
        assert_eq!(texts("show bucket m"), ["meta"]);
        assert_eq!(texts("for i in {1..3}; do put /key"), ["/key1", "/key2"]);
        assert_eq!(texts("watch /k"), ["/key1", "/key2"]);
        assert_eq!(texts("watch --prefix /key a"), ["as"]);
        assert_eq!(texts("qos monitor a"), ["as"]);
        assert_eq!(texts("watch /key as w1 "), ["on"]);
        assert_eq!(texts("watch /key as "), Vec::<String>::new());
        assert_eq!(texts("watch /key --f"), ["--filter", "--fragment"]);
        assert_eq!(texts("watch /key --filter=nop"), ["--filter=noput"]);
        assert_eq!(texts("listwatch /p --remember k"), ["keys"]);
        assert_eq!(texts("net c1 d"), ["down", "delay", "dup"]);
        assert_eq!(texts("net c1 up delay l"), ["longtail"]);
        assert_eq!(texts("clock e"), ["etcd"]);
        assert_eq!(texts("clock etcd offset 5ms "), ["drift"]);
        assert_eq!(texts("set watch-re"), ["watch-resync"]);
        assert_eq!(texts("set watch-resync "), ["100ms", "default"]);
        assert_eq!(texts("show w"), ["watchers"]);
        assert_eq!(texts("rec"), ["recv"]);
        assert_eq!(texts("help sh"), ["show"]);
        assert_eq!(
            texts("world p"),
            ["profile=3.7", "profile=3.6", "profile=3.5", "profile=3.4"]
        );
        assert_eq!(texts("get 'unclosed"), Vec::<String>::new());
        assert!(texts("").len() > 10);
    }

    #[test]
    fn a_cursor_in_the_middle_completes_what_is_before_it() {
        let completion = complete("ge /key1", 2, &StoreNames::default());
        assert_eq!(
            (completion.start, completion.items[0].text.as_str()),
            (0, "get")
        );
    }
}
