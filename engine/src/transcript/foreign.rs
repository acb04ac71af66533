//! Commands of Redis, ZooKeeper, SQL and Unix, each with the etcd command that has the same effect.
//!
//! The shell recognizes the commands of other systems only in lines without `etcdctl`. For `etcdctl SET`, etcdctl
//! itself prints the error.

use super::ParseError;
use super::for_loop::Arg;
use super::quote::push_word;
use crate::base::go::quote::quoted;

/// A command of another system, and its help text. In the help text, `{0}` stands for the command, and `{1}`, `{2}` and
/// `{3}` stand for its first arguments.
struct Foreign {
    word: &'static str,
    help: &'static str,
}

const fn word(word: &'static str, help: &'static str) -> Foreign {
    Foreign { word, help }
}

/// The commands, grouped by system. A command that exists in two systems is listed once.
static WORDS: &[Foreign] = &[
    // Redis
    word("set", "In etcd: put {1} {2}"),
    word(
        "append",
        "In etcd: get {1}, then put {1} with the whole new value",
    ),
    word(
        "getset",
        "In etcd: put {1} {2} --prev-kv, which also prints the previous value",
    ),
    word(
        "getdel",
        "In etcd: del {1} --prev-kv, which also prints the deleted value",
    ),
    word(
        "mget",
        "In etcd: a separate get for each key, or get PREFIX --prefix",
    ),
    word(
        "mset",
        "In etcd: a txn that puts several keys in one revision",
    ),
    word("exists", "In etcd: get {1} --keys-only"),
    word("incr", COUNT),
    word("decr", COUNT),
    word("incrby", COUNT),
    word("decrby", COUNT),
    word(
        "setnx",
        "In etcd: a txn that compares create(\"{1}\") = \"0\" and then puts the value",
    ),
    word(
        "setex",
        "In etcd: lease grant {2}, then put {1} {3} --lease=ID; ID is the number that `lease grant` prints",
    ),
    word(
        "expire",
        "In etcd: lease grant {2}, then put {1} VALUE --lease=ID; ID is the number that `lease grant` prints",
    ),
    word("ttl", TIME_TO_LIVE),
    word("pttl", TIME_TO_LIVE),
    word("persist", "In etcd: put {1} VALUE, without a lease"),
    word(
        "subscribe",
        "In etcd: watch {1}; here, recv NAME prints the events",
    ),
    word(
        "psubscribe",
        "In etcd: watch PREFIX --prefix; here, recv NAME prints the events",
    ),
    word("unsubscribe", UNSUBSCRIBE),
    word("punsubscribe", UNSUBSCRIBE),
    word(
        "publish",
        "In etcd: put {1} {2}; each watch of the key receives the change",
    ),
    word(
        "hset",
        "In etcd: put {1}/{2} VALUE; each field is a separate key",
    ),
    word("hget", "In etcd: get {1}/{2}; each field is a separate key"),
    word(
        "hgetall",
        "In etcd: get {1}/ --prefix; each field is a separate key",
    ),
    word(
        "lpush",
        "In etcd: put {1}/NUMBER {2}; there are no lists, but keys are sorted",
    ),
    word(
        "rpush",
        "In etcd: put {1}/NUMBER {2}; there are no lists, but keys are sorted",
    ),
    word(
        "lrange",
        "In etcd: get {1}/ --prefix, if each element of the list is a separate key",
    ),
    word(
        "sadd",
        "In etcd: put {1}/{2} ''; there are no sets, so each member is a separate key",
    ),
    word(
        "smembers",
        "In etcd: get {1}/ --prefix --keys-only, if each member of the set is a separate key",
    ),
    word(
        "zadd",
        "In etcd: put {1}/{2}/{3} ''; keys are sorted by their bytes, so write all scores with the same \
         number of digits",
    ),
    word(
        "zrange",
        "In etcd: get {1}/ --prefix --keys-only, if each member is a separate key that contains its score",
    ),
    word(
        "type",
        "etcd has only one type: each value is a string of bytes. `get {1}` prints the value.",
    ),
    word(
        "rename",
        "In etcd: a txn that puts {2} with the value of {1} and deletes {1}",
    ),
    word(
        "xadd",
        "In etcd: put {1} VALUE; etcd keeps each revision of the key until a compaction",
    ),
    word(
        "xread",
        "In etcd: watch {1} --rev=N sends all changes from revision N on; here, recv NAME prints the events",
    ),
    word(
        "multi",
        "In etcd: txn, which receives all requests of a transaction at once; `help txn` has an example",
    ),
    word("exec", "In etcd: txn sends all its requests at once"),
    word(
        "discard",
        "In etcd: txn sends nothing before the last line of the transaction; Ctrl+C discards the lines",
    ),
    word("flushall", "In etcd: del '' --prefix"),
    word("flushdb", "In etcd: del '' --prefix"),
    word(
        "dbsize",
        "In etcd: get '' --prefix --keys-only, or here: show store",
    ),
    word("ping", "In etcd: endpoint health"),
    word("info", "In etcd: endpoint status -w table"),
    word(
        "auth",
        "In etcd: the flag --user NAME:PASSWORD of each command; etcd needs no login until `auth enable`",
    ),
    word(
        "unwatch",
        "etcd has no such command: a txn contains its compares, so there is nothing to cancel. `unwatch w1` ends a \
         watch here.",
    ),
    word(
        "monitor",
        "In etcd: watch '' --prefix sends all changes, but no reads; here, recv NAME prints the events",
    ),
    word(
        "eval",
        "etcd has no such command: etcd runs no scripts, but a txn compares keys and then runs requests.",
    ),
    word("bgsave", "In etcd: snapshot save backup.db"),
    word(
        "config",
        "etcd has no such command: the settings of etcd are flags of the etcd process. `help set` lists the settings \
         here.",
    ),
    word(
        "client",
        "etcd has no such command: etcd does not list its clients.",
    ),
    word(
        "slowlog",
        "etcd has no such command: etcd writes slow requests to its log.",
    ),
    word(
        "object",
        "etcd has no such command: each value is a string of bytes. `get KEY -w fields` prints the revisions of a key.",
    ),
    word("?", HELP),
    // ZooKeeper
    word("ls", "In etcd: get {1} --prefix --keys-only"),
    word("create", "In etcd: put {1} {2}"),
    word("getdata", "In etcd: get {1}"),
    word("setdata", "In etcd: put {1} {2}"),
    word("stat", "In etcd: get {1} -w fields"),
    word("delete", "In etcd: del {1}"),
    word("deleteall", "In etcd: del {1} --prefix"),
    word("rmr", "In etcd: del {1} --prefix"),
    // SQL
    word(
        "select",
        "In etcd: get KEY, or get PREFIX --prefix; there are no tables",
    ),
    word("insert", "In etcd: put KEY VALUE; there are no tables"),
    word("update", "In etcd: put KEY VALUE; there are no tables"),
    word("drop", "In etcd: del PREFIX --prefix; there are no tables"),
    word("begin", "In etcd: txn"),
    word("commit", "In etcd: txn sends all its requests at once"),
    word(
        "rollback",
        "In etcd: no rollback; a txn whose compares fail runs its failure requests",
    ),
    // Unix
    word("clear", "Ctrl+L clears the terminal."),
    word(
        "exit",
        "The terminal is part of the page; close the browser tab to leave.",
    ),
    word(
        "quit",
        "The terminal is part of the page; close the browser tab to leave.",
    ),
    word(
        "logout",
        "The terminal is part of the page; close the browser tab to leave.",
    ),
    word(
        "undo",
        "The Undo button on the page removes the last command.",
    ),
    word("kill", UNSUBSCRIBE),
    word("cd", "etcd has no directories: a key is a complete name."),
    word("pwd", "etcd has no directories: a key is a complete name."),
    word("cat", "etcd has no files: `get KEY` prints a value."),
    word("history", NO_HISTORY),
    word("systemctl", NO_PROGRAMS),
    word("service", NO_PROGRAMS),
    word("journalctl", NO_PROGRAMS),
    word("curl", NO_PROGRAMS),
    word("grep", NO_PROGRAMS),
];

const NO_PROGRAMS: &str =
    "`{0}` is not a command here: Watchglass runs etcdctl, kubectl and its own commands";

const NO_HISTORY: &str = "Watchglass has no command `history`; the arrow keys show earlier lines";

/// The help for commands of the shell's history, such as `!101`.
const NOT_BY_NUMBER: &str =
    "Watchglass does not run commands of a shell's history; type the whole command";

/// The help for commands of other systems that read the remaining time of a key, such as Redis' `TTL`.
const TIME_TO_LIVE: &str = "In etcd: get {1} -w fields --hex prints the ID of the key's lease; then type lease \
    timetolive ID";

/// The help for commands of other systems that change a number, such as Redis' `INCR`.
const COUNT: &str = "In etcd: a txn that compares mod(\"{1}\") with the ModRevision from `get -w fields` and then puts \
    the new value";

const HELP: &str = "Type `help` for a list of commands, or `help put` for one command.";

/// The end of the help for Redis' `SET` if the user types `set`, because `set` is also a command of Watchglass.
const SET_HERE: &str = "; here: `set NAME VALUE` changes a setting from `show settings`";

const UNSUBSCRIBE: &str = "In etcd: Ctrl+C ends a watch; here: unwatch w1";

/// Returns one line of help for a command of another system. Returns `None` if etcdctl or Watchglass has a command of
/// the same name. `is_setting` returns true for a word that resembles the name of a setting of Watchglass.
pub(crate) fn help(args: &[Arg], is_setting: fn(&str) -> bool) -> Option<ParseError> {
    let (first, rest) = args.split_first()?;
    let typed = std::str::from_utf8(&first.bytes).ok()?;
    let name = typed.to_ascii_lowercase();
    let shown = |args: &[Arg]| {
        let mut text = String::new();
        args.iter().for_each(|arg| push_word(&mut text, &arg.bytes));
        text
    };
    let text = match name.as_str() {
        // etcdctl and Watchglass have commands with these names.
        "auth" | "unwatch" | "help" if typed == name => return None,
        "help" => HELP.to_owned(),
        // Watchglass has commands with these two names, but other arguments.
        "set" if !is_set_of_redis(typed, rest, is_setting) => return None,
        "show"
            if rest
                .iter()
                .all(|arg| !arg.bytes.eq_ignore_ascii_case(b"tables")) =>
        {
            return None;
        }
        "show" => "In etcd: get '' --prefix --keys-only; there are no tables".to_owned(),
        "set" if rest.len() > 2 => set_of_redis(rest, &shown),
        "xread" => {
            let streams = rest
                .iter()
                .position(|arg| arg.bytes.eq_ignore_ascii_case(b"streams"));
            let key = streams.and_then(|at| rest.get(at + 1));
            let key = key.map_or_else(|| "KEY".to_owned(), |key| shown(std::slice::from_ref(key)));
            help_of("xread")?.help.replace("{1}", &key)
        }
        "watch" if typed == "WATCH" && !rest.is_empty() && !has_flags(rest) => format!(
            "In etcd: a txn that compares {} with the ModRevision from `get -w fields`; etcd's `watch` is different: \
             it sends notifications",
            rest.iter()
                .map(|key| format!("mod({})", quoted(&key.bytes)))
                .collect::<Vec<_>>()
                .join(" and ")
        ),
        history if history.starts_with('!') => NOT_BY_NUMBER.to_owned(),
        "keys" => keys_with(rest.first(), "", &shown),
        "scan" => scan(rest, &shown),
        "select" if rest.len() == 1 && rest[0].bytes.iter().all(u8::is_ascii_digit) => {
            SELECT_NUMBER.to_owned()
        }
        // `del a b` deletes the range from a to b, so each key gets its own command.
        "del" if typed != name && rest.len() > 1 && !has_flags(rest) => delete_each(rest, &shown),
        "unlink" | "rm" => delete_each(rest, &shown),
        "delete"
            if rest
                .first()
                .is_some_and(|from| from.bytes.eq_ignore_ascii_case(b"from")) =>
        {
            "In etcd: del KEY; there are no tables".to_owned()
        }
        "kill" => UNSUBSCRIBE.replace("w1", &format!("w{}", job(rest).unwrap_or(1))),
        "pexpire" => {
            let ms = rest
                .get(1)
                .and_then(|ms| std::str::from_utf8(&ms.bytes).ok()?.parse().ok());
            let seconds = ms.map_or_else(
                || "SECONDS".to_owned(),
                |ms: u64| ms.div_ceil(1_000).to_string(),
            );
            let key = rest
                .first()
                .map_or_else(|| "KEY".to_owned(), |key| shown(std::slice::from_ref(key)));
            help_of("expire")?
                .help
                .replace("{1}", &key)
                .replace("{2}", &seconds)
        }
        "get" | "put" | "del" | "watch" | "txn" if typed != name => {
            let command = format!("{name} {}", shown(rest));
            format!(
                "etcdctl's commands are in lower case: {}",
                command.trim_end()
            )
        }
        "get" | "put" | "del" | "watch" | "txn" => return None,
        _ => {
            let foreign = help_of(&name)?;
            // The flags of `ls -l` have no meaning in etcd.
            let is_operand = |arg: &&Arg| name != "ls" || !arg.bytes.starts_with(b"-");
            let operands: Vec<&Arg> = rest.iter().filter(is_operand).collect();
            let word = |at: usize, default: &str| match operands.get(at).copied() {
                Some(arg) => shown(std::slice::from_ref(arg)),
                None => default.to_owned(),
            };
            let help = foreign.help.replace("{0}", &name);
            let help = help.replace("{1}", &word(0, default_of(foreign)));
            let (second, third) = match foreign.word {
                "setex" | "expire" => ("SECONDS", "VALUE"),
                _ => ("VALUE", "MEMBER"),
            };
            let help = help.replace("{2}", &word(1, second));
            help.replace("{3}", &word(2, third))
        }
    };
    let text = match typed {
        "set" if !has_options_of_set(rest) => text + SET_HERE,
        _ => text,
    };
    Some(ParseError::help(first.span, text))
}

fn help_of(name: &str) -> Option<&'static Foreign> {
    WORDS.iter().find(|foreign| foreign.word == name)
}

fn has_flags(args: &[Arg]) -> bool {
    args.iter().any(|arg| arg.bytes.starts_with(b"-"))
}

/// Returns the number of the background job in the arguments of the shell's `kill`, such as `kill -9 %2`.
fn job(args: &[Arg]) -> Option<u32> {
    let jobs = args.iter().find_map(|arg| arg.bytes.strip_prefix(b"%"));
    std::str::from_utf8(jobs?).ok()?.parse().ok()
}

const SELECT_NUMBER: &str = "etcd has one key space, without numbered databases: begin the keys with a prefix, such \
    as db1/.";

/// Returns the help for a command of another system that deletes the keys in its arguments.
fn delete_each(keys: &[Arg], shown: &dyn Fn(&[Arg]) -> String) -> String {
    let operands = keys.iter().filter(|key| !key.bytes.starts_with(b"-"));
    let each: Vec<_> = operands
        .map(|key| format!("del {}", shown(std::slice::from_ref(key))))
        .collect();
    match each.is_empty() {
        true => "In etcd: del KEY".to_owned(),
        false => format!("In etcd: {}", each.join(", then ")),
    }
}

/// Returns the help for a command that lists the keys that match a pattern of Redis. `flags` are additional flags for
/// the etcd command in the help.
fn keys_with(pattern: Option<&Arg>, flags: &str, shown: &dyn Fn(&[Arg]) -> String) -> String {
    let pattern = pattern.map_or(&b"*"[..], |pattern| &pattern.bytes);
    let special = pattern.iter().position(|byte| b"*?[\\".contains(byte));
    let arg = |bytes: &[u8]| {
        shown(&[Arg {
            bytes: bytes.to_vec(),
            span: (0, 0),
            quoted: false,
        }])
    };
    let Some(special) = special else {
        return format!("In etcd: get {} --keys-only{flags}", arg(pattern));
    };
    let (prefix, rest) = pattern.split_at(special);
    let note = match rest {
        b"*" => "",
        _ => "; etcd finds keys by prefix only, not by pattern",
    };
    format!(
        "In etcd: get {} --prefix --keys-only{flags}{note}",
        arg(prefix)
    )
}

/// Returns the help for Redis' `SCAN cursor [MATCH pattern] [COUNT count]`.
fn scan(rest: &[Arg], shown: &dyn Fn(&[Arg]) -> String) -> String {
    let after = |name: &str| {
        let at = rest
            .iter()
            .position(|arg| arg.bytes.eq_ignore_ascii_case(name.as_bytes()));
        at.and_then(|at| rest.get(at + 1))
    };
    let count = after("count").map_or_else(
        || "10".to_owned(),
        |count| shown(std::slice::from_ref(count)),
    );
    keys_with(after("match"), &format!(" --limit={count}"), shown)
}

/// Returns the words after Redis' `SET key value`, which are its options, in lower case.
fn options_of_set(rest: &[Arg]) -> Vec<String> {
    let options = rest.iter().skip(2);
    options
        .map(|arg| String::from_utf8_lossy(&arg.bytes).to_ascii_lowercase())
        .collect()
}

/// Returns true if the words are the arguments of Redis' `SET key value` with options, which `set NAME VALUE` of
/// Watchglass does not have.
fn has_options_of_set(rest: &[Arg]) -> bool {
    let is_option =
        |word: &String| matches!(word.as_str(), "ex" | "px" | "nx" | "xx" | "keepttl" | "get");
    options_of_set(rest).iter().any(is_option)
}

/// Returns the help for Redis' `SET` with options: a lease for `EX` and `PX`, a transaction for `NX` and `XX`.
fn set_of_redis(rest: &[Arg], shown: &dyn Fn(&[Arg]) -> String) -> String {
    let options = options_of_set(rest);
    let after = |name: &str| {
        let at = options.iter().position(|option| option == name)?;
        Some(options.get(at + 1).map(String::as_str).unwrap_or_default())
    };
    let seconds = match (after("ex"), after("px")) {
        (Some(seconds), _) => Some(seconds.parse().ok()),
        (_, Some(ms)) => Some(ms.parse().ok().map(|ms: u64| ms.div_ceil(1_000))),
        (None, None) => None,
    };
    let grant = seconds.map(|seconds: Option<u64>| {
        let ttl = seconds.map_or_else(|| "SECONDS".to_owned(), |seconds| seconds.to_string());
        format!("lease grant {ttl}, then ")
    });
    let flag = if grant.is_some() { " --lease=ID" } else { "" };
    let put = format!("put {}{flag}", shown(&rest[..2]));
    let compare = match (after("nx"), after("xx")) {
        (Some(_), _) => Some("="),
        (_, Some(_)) => Some(">"),
        (None, None) => None,
    };
    let id = match &grant {
        Some(_) => "; ID is the number that `lease grant` prints",
        None => "",
    };
    let grant = grant.unwrap_or_default();
    match compare {
        None => format!("In etcd: {grant}{put}{id}"),
        Some(op) => {
            let key = quoted(&rest[0].bytes);
            format!(
                "In etcd: {grant}a txn that compares create({key}) {op} \"0\" and then runs {put}{id}"
            )
        }
    }
}

/// Returns true if the line is Redis' `SET key value`, and not the command `set NAME VALUE`, which changes a setting in
/// Watchglass. A word that resembles the name of a setting is a misspelt setting.
fn is_set_of_redis(typed: &str, rest: &[Arg], is_setting: fn(&str) -> bool) -> bool {
    let is_key = |word: &Arg| !is_setting(&String::from_utf8_lossy(&word.bytes));
    typed != "set" || rest.first().is_some_and(is_key)
}

fn default_of(foreign: &Foreign) -> &'static str {
    match foreign.help.contains("--prefix") {
        true => "''",
        false => "KEY",
    }
}
