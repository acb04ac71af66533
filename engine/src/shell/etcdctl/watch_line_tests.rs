//! Tests of `watch` and its input, compared with the output of etcdctl 3.4.23 for the same words.

use crate::api::{LeaderNeed, Profile, WatchCreateRequest};
use crate::shell::{
    Command, CommandKind, Format, LineReader, Output, Read, WatchCommand, WatchLine, WatchPrint,
};
use crate::world::op::WorldOp;

fn read(text: &str, profile: Profile) -> Command {
    let mut commands = LineReader::new(profile).text(text).unwrap();
    assert_eq!(commands.len(), 1, "{text}");
    let command = commands.remove(0);
    // The text of a command must read back to the same command.
    let again = LineReader::new(profile).text(&command.text).unwrap();
    assert_eq!(again, std::slice::from_ref(&command), "{text}");
    command
}

fn watch(text: &str) -> WatchCommand {
    match read(text, Profile::V3_4).kind {
        CommandKind::Watch(watch) => watch,
        other => panic!("{text}: {other:?}"),
    }
}

fn create(text: &str) -> WatchCreateRequest {
    match watch(text).starts.as_slice() {
        [WatchLine::Watch(create)] => create.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

fn refused(text: &str) -> (String, u8) {
    match read(text, Profile::V3_4).kind {
        CommandKind::Refused(Output { stderr, exit, .. }) => {
            (String::from_utf8(stderr).unwrap(), exit)
        }
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    let read = LineReader::new(Profile::V3_4).text(text);
    read.expect_err(text).to_string()
}

fn asked(key: &str, range_end: &str) -> WatchCreateRequest {
    WatchCreateRequest {
        key: key.into(),
        range_end: range_end.into(),
        leader: LeaderNeed::Required,
        ..WatchCreateRequest::default()
    }
}

#[test]
fn keys_and_ranges() {
    for (line, key, end) in [
        ("watch /k", "/k", ""),
        ("etcdctl watch a b", "a", "b"),
        ("watch b a", "b", "a"),
        ("watch a a", "a", "a"),
        ("watch a ''", "a", ""),
        ("watch a b c", "a", ""),
        ("watch ''", "", ""),
        ("watch '' --prefix", "\0", "\0"),
        ("watch --prefix /k", "/k", "/l"),
        ("watch 'as' 'on'", "as", "on"),
        ("watch a on", "a", "on"),
        ("w /k", "/k", ""),
    ] {
        assert_eq!(create(line), asked(key, end), "{line}");
    }
    let all =
        "watch --rev=0x10 --prev-kv /k --prefix --filter=noput,nodelete --watch-id -1 --fragment";
    assert_eq!(
        create(all),
        WatchCreateRequest {
            start_revision: 16,
            prev_kv: true,
            no_put: true,
            no_delete: true,
            watch_id: -1,
            fragment: true,
            ..asked("/k", "/l")
        }
    );
    assert_eq!(create("watch /k --rev=-5").start_revision, -5);
    assert_eq!(
        create("watch /k --require-leader=false").leader,
        LeaderNeed::NotRequired
    );
    assert_eq!(create("watch /k --require-leader"), asked("/k", ""));
    assert!(error("watch /k --require-leader=no").contains("expected true or false"));
    let newer = read("watch a --progress-notify", Profile::V3_6).kind;
    let CommandKind::Watch(newer) = newer else {
        panic!("{newer:?}");
    };
    assert!(matches!(&newer.starts[0], WatchLine::Watch(create) if create.progress_notify));
}

#[test]
fn names_and_formats() {
    let plain = watch("watch /k");
    assert_eq!((plain.name, plain.client), (None, None));
    assert_eq!(plain.print, WatchPrint::default());
    let named = watch("etcdctl -w json watch /k --hex as slow-1 on c_2");
    assert_eq!(named.name.as_deref(), Some("slow-1"));
    assert_eq!(named.client.as_deref(), Some("c_2"));
    assert_eq!(
        named.print,
        WatchPrint {
            format: Format::Json,
            hex: true,
            interactive: false,
            command: None,
        }
    );
    assert_eq!(watch("watch a on c1").client.as_deref(), Some("c1"));
    for (line, expected) in [
        ("watch a as", "Column 9: expected a name after `as`"),
        ("watch as", "expected a name after `as`"),
        ("watch a as w1 on", "a client name after `on`"),
        ("watch a as w1 --prefix", "`as` and one name at the end"),
        ("watch a as w1 w2", "`as` and one name at the end"),
        ("watch a as etcd", "`etcd` is the name of the member"),
        ("watch a as 'w 1'", "letters, digits, - and _"),
        ("watch a as --prefix", "letters, digits, - and _"),
        ("watch a as ''", "letters, digits, - and _"),
        ("watch a as w1 on ü", "letters, digits, - and _"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
    let long = format!("watch a as {}", "w".repeat(49));
    assert!(error(&long).contains("at most 48"));
}

#[test]
fn etcdctl_refuses_in_its_own_words() {
    const NUMBER: &str = "Error: bad number of arguments\n";
    const SEPARATOR: &str =
        "Error: bad number of arguments (found separator --, but no commands)\n";
    for (line, text) in [
        ("watch", NUMBER),
        ("watch --prefix", NUMBER),
        ("watch as w1", NUMBER),
        ("watch -- a", NUMBER),
        ("watch a --", SEPARATOR),
        ("watch --", SEPARATOR),
        (
            "watch a b --prefix",
            "Error: `range_end` and `--prefix` are mutually exclusive\n",
        ),
    ] {
        assert_eq!(refused(line), (text.to_owned(), 128), "{line}");
    }
    assert_eq!(
        refused("watch a -w bogus"),
        ("Error: unsupported output format\n".to_owned(), 4)
    );
    for (line, complaint) in [
        (
            "watch a --progress-notify",
            "unknown flag: --progress-notify",
        ),
        ("watch a --from-key", "unknown flag: --from-key"),
        (
            "watch a --rev x",
            "invalid argument \"x\" for \"--rev\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
        ),
        ("watch a --rev", "flag needs an argument: --rev"),
    ] {
        let twice = format!("Error: {complaint}\n\nError: {complaint}\n");
        assert_eq!(refused(line), (twice, 1), "{line}");
    }
}

#[test]
fn what_is_not_done_here_is_said() {
    let exec = error("watch a -- python3 x.py");
    assert!(exec.contains("cannot run `python3` here"));
    for (line, expected) in [
        ("watch a --filter=puts", "noput or nodelete"),
        ("watch a --filter=rev>5", "--rev=N starts a watch"),
        ("watch a --filter=modRevision", "filters events by type"),
        ("watch a --filter=EXPIRE", "its keys get DELETE events"),
        ("watch a --filter noexpire", "has no EXPIRE event"),
        ("watch a --filter", "noput or nodelete"),
        ("watch a --watch-id=x", "a whole number after --watch-id="),
        ("watch -i --fragment", "expected -i without these flags"),
        ("put a b; watch -i", "watch -i alone on its line"),
        (
            "watch -i\nwatch a -- echo hi\n\n",
            "a watch without `-- COMMAND`",
        ),
        (
            "watch -i\nwatch a --many=5\n\n",
            "Use --many in a separate `watch` command",
        ),
        ("watch -i\nwatch a --filter=x\n\n", "noput or nodelete"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
}

#[test]
fn crowds() {
    let line = "watch /p --prefix --many=1000 --streams=10 --rev=spread as crowd";
    assert_eq!(
        read(line, Profile::V3_6).kind,
        CommandKind::Op(WorldOp::Crowd {
            name: "crowd".into(),
            watches: 1000,
            streams: 10,
            create: WatchCreateRequest {
                start_revision: -1,
                ..asked("/p", "/q")
            },
        })
    );
    for (line, expected) in [
        ("watch a --many=5", "`as` and a name at the end"),
        (
            "watch a --many=5 as c on d",
            "--many creates its own client",
        ),
        (
            "watch a --many=0 as c",
            "a number greater than 0 after --many=",
        ),
        ("watch a --many=4294967296 as c", "a number greater than 0"),
        ("watch a --many=x as c", "a number greater than 0"),
        (
            "watch a --many=2 --streams=3 as c",
            "at least as many watches",
        ),
        (
            "watch a --streams=3 as c",
            "--many=N together with --streams",
        ),
        (
            "watch a --rev=spread as c",
            "--many=N together with --rev=spread",
        ),
        (
            "watch a --many=2 --rev=-1 as c",
            "0 or more, or --rev=spread",
        ),
        ("watch a --many=2 --watch-id=1 as c", "no --watch-id"),
    ] {
        assert!(error(line).contains(expected), "{line}: {}", error(line));
    }
    assert_eq!(refused("watch --many=2 as c").1, 128);
}

#[test]
fn lines_of_an_interactive_watch() {
    let text = "watch -i --prefix -w json as w1\nwatch /k --prev-kv\n  watch \"a b\" c\nprogress x\n\
                bogus \"x y\"\nwatch\nwatch a b --prefix\nwatch k b c\n\"\n\n";
    let process = watch(text);
    assert_eq!(process.name.as_deref(), Some("w1"));
    assert!(process.print.interactive && process.print.format == Format::Json);
    let bad = |line: &str| WatchLine::Bad(format!("{line}\n"));
    assert_eq!(
        process.starts,
        [
            WatchLine::Watch(WatchCreateRequest {
                prev_kv: true,
                ..asked("/k", "")
            }),
            WatchLine::Watch(asked("a b", "c")),
            WatchLine::Progress,
            bad("Invalid command bogus \"x y\" (only support watch)"),
            bad("Invalid command watch (command type or key is not provided)"),
            bad(
                "Invalid command watch a b --prefix (`range_end` and `--prefix` are mutually exclusive)"
            ),
            WatchLine::Watch(asked("k", "")),
            bad("Invalid command: \" (watch and progress supported)"),
        ]
    );
    assert!(watch("watch -i\n\n").starts.is_empty());
}

#[test]
fn an_interactive_watch_ends_where_etcdctl_ends() {
    for (line, text) in [
        ("watch a --bogus", "Error: unknown flag: --bogus\n"),
        ("watch a --hex", "Error: unknown flag: --hex\n"),
        ("watch a -h", "Error: pflag: help requested\n"),
        ("watch --prefix", "Error: bad number of arguments\n"),
        (
            "watch --",
            "Error: bad number of arguments (found separator --, but no commands)\n",
        ),
        (
            "watch a --rev=x",
            "Error: invalid argument \"x\" for \"--rev\" flag: strconv.ParseInt: parsing \"x\": invalid \
             syntax\n",
        ),
    ] {
        let text = format!("Invalid command x (only support watch)\n{text}");
        let block = format!("watch -i\nwatch /k\nx\n{line}\nput a b\n\n");
        assert_eq!(refused(&block), (text, 128), "{line}");
    }
    let syntax = "Error: invalid syntax\n".to_owned();
    assert_eq!(refused("watch -i\nwatch \"\\q\"\n\n"), (syntax, 3));
    let panic = "panic: runtime error: slice bounds out of range [1:0]\n".to_owned();
    assert_eq!(refused("watch -i\n'x'\n\n"), (panic, 2));
    let eof = "Error: Error reading watch request line: EOF\n".to_owned();
    assert_eq!(refused("watch -i\nwatch /k"), (eof, 3));
    let newer = LineReader::new(Profile::V3_6).text("watch -i").unwrap();
    let text = "error reading watch request line: EOF";
    assert_eq!(newer[0].kind, CommandKind::Refused(Output::error(text, 3)));
}

#[test]
fn an_interactive_watch_asks_for_its_lines() {
    let prompt = "watch KEY or progress:";
    let mut reader = LineReader::new(Profile::V3_6);
    assert_eq!(reader.line("watch -i as w1"), Ok(Read::More { prompt }));
    assert_eq!(reader.line("watch /k"), Ok(Read::More { prompt }));
    assert_eq!(reader.pending(), Some(prompt));
    let bytes = reader.line_bytes(b"watch \xff").unwrap_err().to_string();
    assert!(bytes.contains("UTF-8 inside watch -i"));
    assert_eq!(reader.pending(), None);
    assert!(matches!(
        reader.beginning("for i in a; do watch -i; done"),
        Ok(Read::More { .. })
    ));
}

#[test]
fn whatever_is_read_is_read_again_from_its_text() {
    const WORDS: [&str; 40] = [
        "watch",
        "etcdctl",
        "-i",
        "a",
        "'as'",
        "as",
        "'on'",
        "on",
        "w1",
        "--",
        "--prefix",
        "''",
        "-w",
        "json",
        "--rev",
        "spread",
        "--rev=spread",
        "--rev=2",
        "--many=3",
        "--streams",
        "2",
        "--filter",
        "noput",
        "--fragment",
        "--watch-id=1",
        "help",
        "net",
        "clock",
        "set",
        "delay",
        "offset",
        "5ms",
        "uniform",
        "listwatch",
        "recv",
        "w1.2",
        "watch-channel",
        "1/10",
        "$'\\xff'",
        "progress",
    ];
    let mut rng = crate::base::rng::Rng::stream(7, "lines of words");
    for _ in 0..4_000 {
        let count = rng.below(7) + 1;
        let words: Vec<&str> = (0..count)
            .map(|_| WORDS[rng.below(WORDS.len() as u64) as usize])
            .collect();
        let line = words.join(" ");
        let text = format!("watch -i\n{line}\n\n{line}\na b\n\n");
        for text in [&line, &text] {
            let Ok(commands) = LineReader::new(Profile::V3_6).text(text) else {
                continue;
            };
            for command in commands {
                let again = LineReader::new(Profile::V3_6).text(&command.text);
                // If etcdctl refuses the end of the input, the text does not need this end.
                if !matches!(command.kind, CommandKind::Refused(_)) {
                    assert_eq!(again.unwrap(), [command], "{text}");
                }
            }
        }
    }
}
