//! If the text of a command is typed again, the shell reads the same command. The log, links and undo depend on this.

use proptest::prelude::*;
use watchglass_engine::shell::{Command, LineReader, Read, RunIf};

use crate::support::{PROFILES, config};

/// Words that have a meaning in the shell, in etcdctl or in one of the commands.
const WORDS: [&str; 72] = [
    "put",
    "get",
    "del",
    "watch",
    "txn",
    "compact",
    "lease",
    "grant",
    "keep-alive",
    "endpoint",
    "status",
    "etcdctl",
    "e",
    "ETCDCTL_API=3",
    "A=1",
    "$",
    "$i",
    "${i}",
    "for",
    "in",
    "do",
    "done",
    ";",
    "as",
    "on",
    "w1",
    "kubectl",
    "pods",
    "pod",
    "web-1",
    "-w",
    "-l",
    "-é",
    "--rev=-1",
    "--limit",
    "9223372036854775808",
    "step",
    "run",
    "5s",
    "fork",
    "world",
    "seed=3",
    "show",
    "store",
    "help",
    "recv",
    "net",
    "w1",
    "delay",
    "apiserver",
    "api-1",
    "informer",
    "load",
    "set",
    "clock",
    "--",
    "-",
    "-i",
    "--prefix",
    "/a",
    "/é",
    "{1..3}",
    "{a,b}",
    "#",
    "#x",
    "\\",
    "'",
    "\"",
    "`",
    "|",
    "\u{85}",
    "\u{2028}",
];

/// Generates a word, either unquoted or in one of the kinds of quotes.
fn word() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        8 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
        1 => any::<String>().prop_map(|text| text.chars().filter(|c| *c != '\n').take(6).collect()),
    ];
    (plain, 0..6u8).prop_map(|(text, quotes)| match quotes {
        0 => ["'", &text, "'"].concat(),
        1 => ["\"", &text, "\""].concat(),
        2 => ["$'", &text, "\\xff\\n'"].concat(),
        _ => text,
    })
}

fn line() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(word(), 0..8).prop_map(|words| words.join(" "));
    (words, 0..8u8).prop_map(|(words, form)| match form {
        0 => ["for i in a as done 'A=1'; do ", &words, "; done"].concat(),
        1 => ["for x in ", &words, "; do $x get $x; done"].concat(),
        2 => [&words, " \\"].concat(),
        _ => words,
    })
}

/// Generates lines that are typed one after another, because a command can continue on the next line.
fn typed() -> impl Strategy<Value = Vec<String>> {
    let starts = ["txn", "txn -i", "watch -i as w1", "etcdctl watch -i on c"];
    let script = (
        prop::sample::select(starts.to_vec()),
        prop::collection::vec(prop_oneof![2 => line(), 1 => Just(String::new())], 0..6),
    );
    let script = script.prop_map(|(start, mut lines)| {
        lines.insert(0, start.to_owned());
        lines.extend(["", "", ""].map(str::to_owned));
        lines
    });
    prop_oneof![3 => prop::collection::vec(line(), 1..4), 1 => script]
}

fn commands(reader: &mut LineReader, lines: &[String]) -> Vec<Command> {
    let mut all = Vec::new();
    for line in lines {
        if let Ok(Read::Commands(commands)) = reader.line(line) {
            all.extend(commands);
        }
    }
    if let Ok(Read::Commands(commands)) = reader.finish() {
        all.extend(commands);
    }
    all
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn the_text_of_a_command_reads_back_as_the_command(lines in typed()) {
        for profile in PROFILES {
            for mut command in commands(&mut LineReader::new(profile), &lines) {
                // The text does not contain the condition.
                command.run_if = RunIf::Always;
                let again = LineReader::new(profile).text(&command.text);
                prop_assert_eq!(again, Ok(vec![command]));
            }
        }
    }
}
