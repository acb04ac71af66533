//! Lines for the shell: commands from templates with hostile values, and mutated lines of the project's texts.

use watchglass_engine::base::rng::Rng;

use crate::Corpus;

/// Numbers at and beyond the limits of their ranges.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "100",
    "-1",
    "1024",
    "65536",
    "20000",
    "2147483647",
    "2147483648",
    "4294967295",
    "9223372036854775806",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0x7fffffffffffffff",
    "1.5",
];

const UNITS: [&str; 8] = ["us", "ms", "s", "m", "h", "kB", "MiB", ""];

const KEYS: [&str; 12] = [
    "/a",
    "/b",
    "/a/b",
    "''",
    "/é",
    "$'\\xff'",
    "'a b'",
    "/registry/pods/default/web-1",
    "/registry/pods/",
    "\u{1f600}",
    "as",
    "----",
];

const NAMES: [&str; 10] = [
    "w1", "w2", "c1", "api-1", "api-2", "inf", "etcd", "l", "f", "é",
];

const FLAGS: [&str; 44] = [
    "--user root:r",
    "--user root:r",
    "--user alice:a",
    "--user alice",
    "--prefix",
    "--rev=N",
    "--limit=N",
    "--limit N",
    "--from-key",
    "--keys-only",
    "--count-only",
    "--sort-by=VERSION",
    "--order=DESCEND",
    "--min-mod-rev=N",
    "--prev-kv",
    "--lease=N",
    "-w json",
    "-w fields",
    "-w table",
    "--hex",
    "--many=N",
    "--streams=N",
    "--rev=spread",
    "--filter=noput",
    "--fragment",
    "--watch-id=N",
    "--progress-notify",
    "-i",
    "as NAME",
    "on NAME",
    "-A",
    "-l app=web",
    "-é",
    "-n default",
    "--field-selector spec.nodeName=node-1",
    "--resource-version=N",
    "--resource-version-match=Exact",
    "--resource-version-match=NotOlderThan",
    "--continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAsInN0YXJ0IjoiYVx1MDAwMCJ9",
    "--server=NAME",
    "--watch-only --bookmarks",
    "--send-initial-events --bookmarks",
    "--timeout=NU",
    "--",
];

/// Command templates; `K` is a key, `N` a number, `U` a unit, `NAME` a name, `F` any flags.
const COMMANDS: [&str; 100] = [
    "user add root:r",
    "user add alice:a F",
    "user delete alice F",
    "user get alice --detail F",
    "user grant-role alice readers F",
    "user revoke-role alice readers F",
    "echo N | etcdctl user passwd alice --interactive=false F",
    "role add readers F",
    "role delete readers F",
    "role grant-permission readers readwrite K F",
    "role grant-permission readers read K K F",
    "role revoke-permission readers K F",
    "role get readers F",
    "auth enable F",
    "auth disable F",
    "auth status F",
    "put K v F",
    "put K v F",
    "get K F",
    "get K F",
    "del K F",
    "get K K F",
    "compact N",
    "compact N --physical",
    "lease grant N",
    "lease revoke N",
    "lease timetolive N --keys",
    "lease keep-alive N as NAME",
    "lease list",
    "endpoint hashkv --rev=N",
    "endpoint status -w json",
    "version",
    "watch K F",
    "watch K as NAME",
    "watch K --prefix as NAME on NAME",
    "watch K --many=N as NAME",
    "watch -i as NAME",
    "watch K F",
    "txn",
    "txn -i",
    "mod(\"K\") = \"N\"",
    "put K v",
    "",
    "",
    "recv NAME",
    "unwatch NAME",
    "progress NAME",
    "listwatch K as NAME --remember revision",
    "run NU",
    "run 1s",
    "step N",
    "step 10",
    "fork",
    "world",
    "world profile=3.4 seed=N",
    "help show",
    "show store --json",
    "show key-index K",
    "show bucket key --limit=N --decode",
    "show watchers",
    "show settings",
    "show cache pods N",
    "show requests pods N",
    "show apiserver",
    "set watch-batch N",
    "set watch-resync NU",
    "set watch-channel N",
    "net NAME delay NU",
    "net NAME delay longtail NU",
    "net NAME delay uniform NU NU",
    "net NAME up loss 1/N",
    "net NAME dup 1/N",
    "net NAME bandwidth NU",
    "net NAME hold",
    "net NAME release",
    "slow NAME NU",
    "pause NAME",
    "resume NAME",
    "stop NAME",
    "start NAME",
    "disconnect NAME",
    "connect NAME",
    "clock NAME offset NU drift N",
    "snapshot save NAME",
    "snapshot restore NAME --bump-revision=N --mark-compacted",
    "apiserver NAME",
    "apiserver NAME --version=1.26 --stream-window=NU --resources=pods:N",
    "apiserver NAME --cache=off --batch=NU",
    "informer pods as NAME",
    "kubelet node-1 as NAME",
    "kubelets N --every=NU as NAME",
    "populate --nodes=N --pods=N --size=NU",
    "load NAME --creates=N --lists=N --deletes=N --clients=N --size=NU",
    "move NAME NAME",
    "kubectl get pods F",
    "kubectl get pod web-1 F",
    "kubectl create pod web-N -l app=web --node=node-1 --size=NU",
    "kubectl replace pod web-1 --resource-version=N --phase=Running",
    "kubectl delete pod web-1",
    "kubectl get --raw /api/v1/pods?limit=N&resourceVersion=N&watch=1",
];

/// Special characters that the fuzzer inserts anywhere in a line.
const HOSTILE: [&str; 24] = [
    "é",
    "日",
    "\u{1f600}",
    "\u{301}",
    "\u{85}",
    "\u{2028}",
    "'",
    "\"",
    "\\",
    "$",
    "`",
    "{",
    "}",
    ";",
    "#",
    "|",
    "=",
    "-",
    "--",
    "\t",
    "\r",
    "$'\\xff'",
    "%zz",
    ",",
];

pub(crate) fn pick<'a, T: ?Sized>(rng: &mut Rng, all: &[&'a T]) -> &'a T {
    all[rng.below(all.len() as u64) as usize]
}

/// Draws a random number. Small numbers are more frequent than large numbers.
pub(crate) fn number(rng: &mut Rng) -> &'static str {
    let upto = if rng.chance(2, 3) { 9 } else { NUMBERS.len() };
    NUMBERS[rng.below(upto as u64) as usize]
}

pub(crate) fn line(rng: &mut Rng, corpus: &Corpus) -> String {
    let mut line = match rng.below(10) {
        0..=6 => filled(rng),
        _ if corpus.lines.is_empty() => filled(rng),
        _ => corpus.lines[rng.below(corpus.lines.len() as u64) as usize].clone(),
    };
    match rng.below(24) {
        0 if rng.chance(1, 4) => line = format!("for i in {{1..{}}}; do {line}; done", number(rng)),
        0 => line = format!("for i in {{1..20}}; do {line}; done"),
        1 => line = format!("for i in {{1..30}} {{a,b}}; do {line}$i; done"),
        2 => {
            let most = if rng.chance(1, 6) { 40 } else { 4 };
            let depth = 1 + rng.below(most) as usize;
            line = [
                "for a in 1 2; do ".repeat(depth),
                line,
                "; done".repeat(depth),
            ]
            .concat();
        }
        3 => line = format!("{line}; {}", filled(rng)),
        4 => line.push_str(" \\"),
        5 => line = format!("$ ETCDCTL_API=3 etcdctl {line}"),
        6..=9 => mutate(rng, &mut line),
        _ => {}
    }
    line
}

/// Generates a command from a random template.
fn filled(rng: &mut Rng) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in pick(rng, &COMMANDS).split(' ') {
        if word == "F" {
            for _ in 0..rng.below(4) {
                let flag = pick(rng, &FLAGS);
                out.push(values(rng, flag));
            }
        } else {
            out.push(values(rng, word));
        }
    }
    out.join(" ")
}

/// Replaces `K`, `N`, `U` and `NAME` in a text with values.
fn values(rng: &mut Rng, text: &str) -> String {
    let mut out = text.to_owned();
    while out.contains("NAME") {
        out = out.replacen("NAME", pick(rng, &NAMES), 1);
    }
    let mut filled = String::new();
    let letters: Vec<char> = out.chars().collect();
    for (at, c) in letters.iter().enumerate() {
        let beside = |at: Option<usize>| {
            at.and_then(|at| letters.get(at))
                .is_some_and(char::is_ascii_uppercase)
        };
        let after_number = *c == 'U' && at > 0 && letters[at - 1] == 'N';
        let alone = !beside(at.checked_sub(1)) && !beside(Some(at + 1));
        let before_unit = *c == 'N' && letters.get(at + 1) == Some(&'U');
        match c {
            'K' if alone => filled.push_str(pick(rng, &KEYS)),
            'N' if alone || before_unit => filled.push_str(number(rng)),
            'U' if after_number => filled.push_str(pick(rng, &UNITS)),
            c => filled.push(*c),
        }
    }
    filled
}

/// Changes a character, a word or a number of a line.
pub(crate) fn mutate(rng: &mut Rng, line: &mut String) {
    let places: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .chain([line.len()])
        .collect();
    let at = places[rng.below(places.len() as u64) as usize];
    match rng.below(6) {
        0 | 1 => line.insert_str(at, pick(rng, &HOSTILE)),
        2 => line.truncate(at),
        3 => {
            let digits = |c: char| c.is_ascii_digit();
            if let Some(from) = line.find(digits) {
                let length = line[from..]
                    .find(|c| !digits(c))
                    .unwrap_or(line.len() - from);
                line.replace_range(from..from + length, number(rng));
            }
        }
        4 => {
            let mut words: Vec<&str> = line.split(' ').collect();
            let (a, b) = (rng.below(words.len() as u64), rng.below(words.len() as u64));
            words.swap(a as usize, b as usize);
            *line = words.join(" ");
        }
        _ => {
            let mut words: Vec<&str> = line.split(' ').collect();
            let word = words[rng.below(words.len() as u64) as usize];
            words.push(word);
            *line = words.join(" ");
        }
    }
}
