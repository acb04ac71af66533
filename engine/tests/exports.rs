//! Tests of exports: the script of a run's commands, the trace as JSON lines, and the trace for Perfetto.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use watchglass_engine::session::protocol::{
    Done, ExportForm, FromEngine, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::session::{Session, stories};

/// Runs whose traces have events of the cache, of leases and of QoS.
const CACHE: &str = include_str!("behaviour/cache/a_consistent_list_waits_for_progress.txt");
const LEASES: &str = include_str!("behaviour/lease/a_clock_that_runs_fast_ends_leases_early.txt");
const LIMITS: &str = include_str!("behaviour/qos/a_limit_by_cost_adapts_after_a_cleanup.txt");

fn export(session: &mut Session, form: ExportForm) -> (String, String) {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(7, Request::Export(form)), &mut out);
    while session.pump(100, &mut out) {}
    let file = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            id: 7,
            done: Done::File { name, bytes },
        } => Some((name, String::from_utf8(bytes).expect("text"))),
        _ => None,
    });
    file.expect("a file")
}

fn run_of(profile: &str, lines: &[&str]) -> Session {
    let mut session = Session::default();
    let (profile, seed) = (profile.to_owned(), 42);
    session.load(Source::Empty { profile, seed }, SeekTo::End);
    session.exec(&lines.join("\n"));
    session
}

fn script_of(lines: &[&str]) -> String {
    let mut session = run_of("3.4", lines);
    let (name, script) = export(&mut session, ExportForm::EtcdctlScript);
    assert_eq!(name, "run.sh");
    script
}

/// Returns the commands of a script, without the head and the functions.
fn commands(script: &str) -> &str {
    let (_, commands) = script.split_once("  exit\n}\n").expect("the last function");
    commands.strip_suffix("\nfinish\n").expect("the end")
}

#[test]
fn a_script_has_each_command_with_its_output_in_comments() {
    let script = script_of(&[
        "put /key1 \"it's\"",
        "put \"/key two\" $'a\\\\b'",
        "watch /key1 --prefix as w1",
        "lease grant 60",
        "put /l v --lease=694d000000000001",
        "txn",
        "value(\"/key1\") = \"it's\"",
        "",
        "put /l $x --lease=694d000000000001",
        "",
        "",
        "",
        "del /key1",
        "recv w1",
        "pause w1",
        "run 100ms",
        "get /missing",
        "endpoint status",
        "put",
    ]);
    let expected = r#"
run 1 etcdctl put /key1 'it'\''s'
#1: OK

run 2 etcdctl put '/key two' 'a\b'
#2: OK

start w1 etcdctl watch /key1 --prefix

grant 3 694d000000000001 etcdctl lease grant 60
#3: lease 694d000000000001 granted with TTL(60s)
lease1=$granted

run 4 etcdctl put /l v --lease="$lease1"
#4: OK

run 5 etcdctl txn <<END
value("/key1") = "it's"

put /l \$x --lease=${lease1}


END
#5: SUCCESS
#5:
#5: OK

run 6 etcdctl del /key1
#6: 1

receive 7 w1
#7: DELETE
#7: /key1
#7:
#7: \c

# Left out (a command of the simulator): pause w1

sleep 0.1

run 8 etcdctl get /missing
# no output

# The output is not compared: it has IDs, sizes or addresses of the server.
etcdctl endpoint status
# 127.0.0.1:2379, 8e9e05c52164694d, 3.4.23, 20 kB, true, false, 2, 10, 10, 

run 9 etcdctl put
#9: Error: put command needs 1 argument and input from stdin or 2 arguments
"#;
    assert_eq!(commands(&script), expected);
    assert!(script.starts_with("#!/bin/sh\n# Sandbox: "));
    assert!(script.contains("# 1 command is left out,"));
    assert!(script.contains("[ \"$revision\" != 1 ]"));
}

#[test]
fn a_script_ends_at_the_cursor() {
    let mut session = run_of("3.4", &["put a 1", "put a 2"]);
    let first = session.run().scrollback().at(u64::MAX).next();
    let step = first.expect("an entry").step;
    session.seek(SeekTo::Step(step));
    let (_, script) = export(&mut session, ExportForm::EtcdctlScript);
    assert_eq!(commands(&script), "\nrun 1 etcdctl put a 1\n#1: OK\n");
}

#[test]
fn a_word_that_is_no_text_needs_bash_and_no_output_becomes_a_command() {
    let script = script_of(&["put $'\\xff' $'x\\nreboot\\\\'", "get $'\\xff'"]);
    assert!(script.starts_with("#!/usr/bin/env bash\n"));
    let expected = "\nrun 1 etcdctl put $'\\xff' $'x\\nreboot\\\\'\n#1: OK\n\n\
        run 2 etcdctl get $'\\xff'\n#2: \\0377\n#2: x\n#2: reboot\\\\\n";
    assert_eq!(commands(&script), expected);
}

#[test]
fn a_script_starts_no_shell_and_writes_only_into_its_folder() {
    let script = script_of(&[
        "lock m sh -c 'etcdctl get x --print-value-only | sh'",
        "lock m sh -c 'echo evil | grep evil>>/tmp/profile'",
        "lock m /tmp/x/echo a",
        "lock m /tmp/x/etcdctl get a",
        "snapshot save /etc/passwd",
        "snapshot save ../a.db",
        "watch a -- sh -c 'echo evil > x'",
        "lock m etcdctl put a b",
        "snapshot save a.db",
    ]);
    let started: Vec<_> = commands(&script)
        .lines()
        .filter(|line| !line.starts_with('#') && line.contains("etcdctl "))
        .collect();
    assert_eq!(started.len(), 2, "{started:#?}");
    assert!(
        started[0].ends_with("etcdctl lock m etcdctl put a b"),
        "{started:#?}"
    );
    assert!(
        started[1].ends_with("etcdctl snapshot save a.db"),
        "{started:#?}"
    );
}

#[test]
fn input_that_a_here_document_would_change_is_left_out() {
    let script = script_of(&[
        "printf banana | etcdctl user add alice --interactive=false",
        "echo '#1: x' | etcdctl user add bob --interactive=false",
    ]);
    assert!(
        script
            .contains("\nrun 1 etcdctl user add alice --interactive=false <<'END'\nbanana\nEND\n"),
        "{script}"
    );
    assert!(
        script.contains("\n# Left out (its input is not text, or looks like a comment):"),
        "{script}"
    );
    assert!(!script.contains("run 2"), "{script}");
}

#[test]
fn the_beats_of_a_story_are_comments() {
    let mut session = Session::default();
    let name = "two-generations".to_owned();
    session.load(Source::Story(name), SeekTo::End);
    let (_, script) = export(&mut session, ExportForm::EtcdctlScript);
    let beats = commands(&script)
        .lines()
        .filter(|line| line.starts_with("# "));
    assert!(beats.count() >= 10, "{script}");
}

/// Returns the events of JSON lines, checked one by one.
fn events(lines: &str) -> Vec<Value> {
    let lines = lines.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON")
}

#[test]
fn each_event_is_a_line_with_its_cause() {
    let mut session = run_of(
        "3.7",
        &["watch a --prefix as w1", "put a 1", "put b $'\\xff'"],
    );
    let (name, lines) = export(&mut session, ExportForm::TraceLines);
    assert_eq!(name, "trace.jsonl");
    let events = events(&lines);
    assert_eq!(events.len() as u64, session.run().recording().len());
    let recorded = session.run().recording().iter();
    for (event, recorded) in events.iter().zip(recorded) {
        assert_eq!(event["event"], recorded.id.0);
        assert_eq!(event["time_us"], recorded.at.0);
        assert_eq!(event["step"], recorded.step);
        assert_eq!(event["cause"].as_u64(), recorded.cause.map(|cause| cause.0));
        let cause = event["cause"]
            .as_u64()
            .map(|cause| &events[cause as usize - 1]);
        assert_eq!(
            event["cause_step"],
            cause.map_or(Value::Null, |c| c["step"].clone())
        );
    }
    let of_kind = |kind: &str| -> Vec<&Value> {
        let found = events.iter().filter(|event| event["kind"] == kind);
        found.map(|event| &event["fields"]).collect()
    };
    let changed = of_kind("changed");
    assert_eq!(changed[0]["key"], "a");
    assert_eq!(changed[0]["kind"], "Create");
    assert_eq!(changed[1]["value"]["base64"], "/w==");
    assert_eq!(of_kind("committed")[0]["revision"], 2);
    let sent = of_kind("net.sent");
    let put = sent.iter().find(|sent| sent["body"]["name"] == "Put");
    assert_eq!(put.expect("a put")["to"], "etcd");
    assert_eq!(of_kind("client.wants")[0]["watch"], "w1");
}

/// The records of a trace for Perfetto, checked against the documented format.
fn check_perfetto(session: &mut Session) -> BTreeMap<String, usize> {
    let (name, text) = export(session, ExportForm::Perfetto);
    assert_eq!(name, "trace.perfetto.json");
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let records = trace["traceEvents"].as_array().expect("records");
    let (mut phases, mut names) = (BTreeMap::new(), BTreeSet::new());
    let mut open: BTreeMap<(String, u64), i64> = BTreeMap::new();
    for record in records {
        let phase = record["ph"].as_str().expect("a phase");
        *phases.entry(phase.to_owned()).or_insert(0) += 1;
        let pid = record["pid"].as_u64().expect("a process");
        if phase == "M" {
            if record["name"] == "process_name" {
                assert!(
                    names.insert(pid)
                        && !record["args"]["name"].as_str().expect("a name").is_empty()
                );
            }
            continue;
        }
        assert!(names.contains(&pid), "the process {pid} has no name");
        assert!(record["ts"].is_u64() && record["tid"].is_u64());
        let id = record["id"].as_u64();
        let mut count = |by: i64| {
            let key = (record["cat"].to_string(), id.expect("an ID"));
            let open = open.entry(key).or_insert(0);
            *open += by;
            assert!((0..=1).contains(open), "{record}");
        };
        match phase {
            "s" | "b" => count(1),
            "f" | "e" => count(-1),
            "X" => assert!(record["dur"].is_u64()),
            "i" => assert_eq!(record["s"], "t"),
            _ => panic!("the phase {phase}"),
        }
    }
    assert!(
        open.values().all(|open| *open == 0),
        "every flow and request ends"
    );
    phases
}

#[test]
fn a_trace_for_perfetto_joins_messages_and_requests() {
    let mut session = run_of("3.7", &["watch a --prefix as w1", "put a 1", "get a"]);
    let phases = check_perfetto(&mut session);
    assert!(phases["s"] == phases["f"] && phases["s"] >= 6, "{phases:?}");
    assert_eq!(phases["b"], 2);
    // The put is on its way.
    session.seek(SeekTo::Step(3));
    check_perfetto(&mut session);
}

#[test]
fn stories_can_be_exported_in_every_form() {
    let mut kinds = BTreeSet::new();
    for story in stories::ALL {
        let mut session = Session::default();
        session.load(Source::Story(story.name.to_owned()), SeekTo::End);
        check_perfetto(&mut session);
        let (_, lines) = export(&mut session, ExportForm::TraceLines);
        for event in events(&lines) {
            kinds.insert(event["kind"].as_str().expect("a kind").to_owned());
        }
        let (_, script) = export(&mut session, ExportForm::EtcdctlScript);
        assert!(script.ends_with("\nfinish\n"));
    }
    for text in [CACHE, LEASES, LIMITS] {
        let mut session = Session::default();
        session.load(Source::Text(text.to_owned()), SeekTo::End);
        check_perfetto(&mut session);
        let (_, lines) = export(&mut session, ExportForm::TraceLines);
        for event in events(&lines) {
            kinds.insert(event["kind"].as_str().expect("a kind").to_owned());
        }
    }
    let groups = ["client", "kube", "lease", "net", "qos", "watch"];
    let count = |group: &str| {
        kinds
            .iter()
            .filter(|kind| kind.starts_with(&format!("{group}.")))
            .count()
    };
    let counts = groups.map(count);
    assert!(counts.iter().all(|count| *count >= 2), "{kinds:?}");
}

#[test]
fn the_load_of_another_run_interrupts_an_export() {
    let mut session = run_of("3.7", &["put a 1"]);
    let mut out = Vec::new();
    let form = ExportForm::TraceLines;
    session.handle(ToEngine::Request(7, Request::Export(form)), &mut out);
    let (source, at) = (Source::Story("two-generations".to_owned()), SeekTo::End);
    session.handle(ToEngine::Request(8, Request::Load { source, at }), &mut out);
    while session.pump(100, &mut out) {}
    let is_interrupted = |message: &FromEngine| {
        matches!(
            message,
            FromEngine::Done {
                id: 7,
                done: Done::Interrupted
            }
        )
    };
    assert!(out.iter().any(is_interrupted));
}
