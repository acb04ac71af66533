//! The actions of a person in a run: type commands at the end and at earlier steps, move the cursor, save, load.

use crate::support::answer_text;
use watchglass_engine::api::Profile;
use watchglass_engine::scenario::stories;
use watchglass_engine::session::protocol::{DifferingEntry, FromEngine, ProgressUnit, TextReport};
use watchglass_engine::session::{
    Act, Done, Move, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::{
    EntryKind, IndexQuery, MessagesQuery, Moment, Queries, TerminalQuery, TimelineQuery, Views,
    WatchQuery,
};

fn revision(session: &Session) -> i64 {
    session.world().at_endpoint().store().current_rev()
}

fn with(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        session.exec(line);
    }
    session
}

#[test]
fn the_opening_story_has_ten_steps_and_ends_with_two_generations_at_revision_5() {
    let mut session = Session::default();
    let done = session.load(Source::Story("two-generations".into()), SeekTo::Default);
    assert_eq!(
        done,
        Done::Loaded {
            text: TextReport::default(),
            view: String::new()
        }
    );
    assert_eq!(
        (session.run().len(), session.cursor(), revision(&session)),
        (10, 0, 1)
    );
    session.seek(SeekTo::End);
    assert_eq!(revision(&session), 5);
    let store = session.world().at_endpoint().store();
    let index = store
        .index()
        .key_index(&"/key1".into())
        .expect("the story's key");
    assert_eq!(index.generations.len(), 2);
}

#[test]
fn every_story_prints_what_it_says() {
    for story in stories::ALL {
        let story = story.name;
        let mut session = Session::default();
        let done = session.load(Source::Story(story.into()), SeekTo::End);
        let as_it_says = Done::Loaded {
            text: TextReport::default(),
            view: String::new(),
        };
        assert_eq!(done, as_it_says, "{story}");
        // At one step per second, each story takes about a minute.
        assert!((5..80).contains(&session.run().len()), "{story}");
    }
}

#[test]
fn a_write_in_the_past_begins_a_branch_and_the_old_future_stays() {
    let mut session = with(&["put a 1", "put a 2", "put a 3"]);
    session.seek(SeekTo::Step(1));
    let done = session.exec("put b x");
    assert!(done.branched);
    assert_eq!((session.run().len(), revision(&session)), (2, 3));
    let status = session.views().status;
    assert_eq!((status.branch, status.branches.len()), (1, 2));
    assert_eq!(
        status.branches[1].parent,
        Some(Moment { branch: 0, step: 1 })
    );
    let mut out = Vec::new();
    session.handle(
        ToEngine::Request(1, Request::Move(Move::ToBranch(0))),
        &mut out,
    );
    assert_eq!((session.run().len(), revision(&session)), (3, 4));
}

#[test]
fn a_fork_is_a_branch_with_the_same_past_and_comes_back_with_a_link() {
    let mut session = with(&["put a 1", "put a 2", "put a 3"]);
    session.seek(SeekTo::Step(1));
    let before = session.world().digest();
    let done = session.exec("fork");
    assert_eq!((done.stdout.as_str(), done.branched), ("branch 2\n", true));
    assert_eq!(session.world().digest(), before);
    assert_eq!((session.run().len(), session.cursor()), (1, 1));
    session.exec("put b 1");
    let status = session.views().status;
    assert_eq!((status.branch, status.branches.len()), (1, 2));
    assert_eq!(
        status.branches[1].parent,
        Some(Moment { branch: 0, step: 1 })
    );
    assert_eq!(status.branches[1].steps, 2);

    let view = String::new();
    let link = answer_text(
        &mut session,
        ToEngine::Request(1, Request::Read(Read::Link { view })),
    );
    let mut other = Session::default();
    other.load(Source::Link(link), SeekTo::Default);
    assert_eq!(other.views().status, status);
    assert_eq!(other.world().digest(), session.world().digest());
}

#[test]
fn another_moment_is_shown_beside_the_one_at_the_cursor() {
    let mut session = with(&["watch a --prefix as w1", "put a 1", "put a 2", "put a 3"]);
    session.seek(SeekTo::Step(2));
    session.exec("put b x");
    let queries = Queries {
        index: Some(IndexQuery::default()),
        timeline: Some(TimelineQuery { columns: 300 }),
        terminal: Some(TerminalQuery { last: 10, beat: 0 }),
        watch: Some(WatchQuery::default()),
        messages: Some(MessagesQuery::default()),
        storage: Some(Box::default()),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.clone().into())),
        &mut Vec::new(),
    );
    let before = session.views();
    let ends = [session.run().len(), {
        session.handle(
            ToEngine::Request(1, Request::Move(Move::ToBranch(0))),
            &mut Vec::new(),
        );
        session.run().len()
    }];
    for (branch, end) in [(1, ends[0]), (0, ends[1])] {
        for step in 0..=end {
            let at = Moment { branch, step };
            session.handle(
                ToEngine::Request(2, Request::Move(Move::ToBranch(branch))),
                &mut Vec::new(),
            );
            session.seek(SeekTo::Step(step));
            let expected = session.views();
            session.handle(
                ToEngine::Request(3, Request::Move(Move::ToBranch(1))),
                &mut Vec::new(),
            );
            let seen = look(&mut session, at, &queries);
            assert_eq!(seen.index, expected.index, "{at:?}");
            assert_eq!(seen, expected, "{at:?}");
            assert_eq!(session.views(), before);
        }
    }
    // Values outside of the run are clamped.
    let at = Moment {
        branch: 9,
        step: 99,
    };
    assert_eq!(look(&mut session, at, &queries), before);
}

/// Returns the views of a session at the step `at`. The cursor can be at another step.
fn look(session: &mut Session, at: Moment, queries: &Queries) -> Views {
    let mut out = Vec::new();
    let queries = Box::new(queries.clone());
    session.handle(
        ToEngine::Request(9, Request::Read(Read::Look { at, queries })),
        &mut out,
    );
    while session.pump(1, &mut out) {}
    let found = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            id: 9,
            done: Done::Views(views),
        } => Some(*views),
        _ => None,
    });
    found.expect("a look is answered")
}

#[test]
fn forks_end_somewhere() {
    let mut session = with(&["put a 1", "for i in {1..300}; do fork; done"]);
    assert_eq!(session.views().status.branches.len(), 256);
    let done = session.exec("fork");
    assert!(
        !done.branched && done.stderr.contains("256 branches"),
        "{done:?}"
    );
}

#[test]
fn a_read_in_the_past_answers_for_that_moment_and_changes_nothing() {
    let mut session = with(&["put a 1", "put a 2"]);
    session.seek(SeekTo::Step(1));
    let before = session.world().digest();
    let done = session.exec("get a");
    assert_eq!(done.stdout, "a\n1\n");
    assert!(!done.branched);
    assert_eq!((session.run().len(), session.cursor()), (2, 1));
    assert_eq!(session.world().digest(), before);
    session.handle(
        ToEngine::Notification(Notification::Show(
            Queries {
                terminal: Some(TerminalQuery { last: 10, beat: 0 }),
                ..Queries::default()
            }
            .into(),
        )),
        &mut Vec::new(),
    );
    let entries = session.views().terminal.expect("it was asked for").entries;
    assert_eq!(entries.last().map(|e| e.kind), Some(EntryKind::Peek));
}

#[test]
fn any_step_reached_by_seeking_is_the_one_that_was_passed() {
    let mut session = Session::default();
    let mut digests = vec![session.world().digest()];
    for i in 0..600 {
        session.exec(&format!("put k{} v{i}", i % 7));
        digests.push(session.world().digest());
    }
    for step in [0, 1, 255, 256, 257, 400, 512, 599, 600] {
        session.seek(SeekTo::Step(step));
        assert_eq!(
            session.world().digest(),
            digests[step as usize],
            "step {step}"
        );
    }
}

#[test]
fn seeking_by_revision_and_time_finds_the_step() {
    let mut session = with(&["put a 1", "get a", "put a 2", "run 5s", "put a 3"]);
    session.seek(SeekTo::Revision(3));
    assert_eq!(session.cursor(), 3);
    session.seek(SeekTo::TimeUs(2_500));
    assert_eq!(session.cursor(), 2);
    session.seek(SeekTo::TimeUs(10_000_000));
    assert_eq!(session.cursor(), 5);
    session.seek(SeekTo::Step(99));
    assert_eq!(session.cursor(), 5);
}

#[test]
fn a_saved_run_comes_back_with_its_branches_its_mistakes_and_its_cursor() {
    let mut session = Session::default();
    session.load(Source::Story("two-generations".into()), SeekTo::Step(4));
    session.exec("put /key2 mine");
    session.exec("get 'unclosed");
    session.exec("txn");
    session.exec("ver(\"/key2\") = \"1\"");
    session.exec("");
    session.exec("put /key3 nested");
    session.exec("");
    session.exec("");
    session.seek(SeekTo::Step(5));
    let saved = save(&mut session);
    let mut again = Session::default();
    let done = again.load(Source::Saved(saved), SeekTo::Default);
    assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
    assert_eq!(again.world().digest(), session.world().digest());
    assert_eq!(
        (again.cursor(), again.run().len()),
        (session.cursor(), session.run().len())
    );
    again.seek(SeekTo::End);
    session.seek(SeekTo::End);
    assert_eq!(again.world().digest(), session.world().digest());
}

fn save(session: &mut Session) -> String {
    answer_text(session, ToEngine::Request(7, Request::Read(Read::Save)))
}

#[test]
fn damaged_saves_are_refused_and_the_run_stays() {
    let mut session = with(&["put a 1"]);
    let good = save(&mut session);
    for bad in [
        "",
        "hello",
        "watchglass-run-1.%%%",
        &good[..good.len() - 2],
        &good[3..],
    ] {
        let done = session.load(Source::Saved(bad.into()), SeekTo::Default);
        assert!(matches!(done, Done::Refused { .. }), "{bad}: {done:?}");
        assert_eq!(revision(&session), 2);
    }
}

#[test]
fn only_the_outputs_of_a_text_without_title_are_counted() {
    let compared = |text: &str| {
        let mut session = Session::default();
        match session.load(Source::Text(text.into()), SeekTo::End) {
            Done::Loaded { text, .. } => text.compared,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(compared("$ etcdctl put a 1\nOK\n"), 1);
    assert_eq!(compared("#! title: A run\n\nput a 1\n----\nOK\n"), 0);
}

#[test]
fn a_transcript_becomes_a_run_and_outputs_that_differ_are_kept_beside() {
    let text = "$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n2\n$ etcdctl put b 1\n$ etcdctl txn\n\
                ver(\"a\") = \"1\"\n\nget a\n\n\nSUCCESS\n\na\n1\n";
    let mut session = Session::default();
    let done = session.load(Source::Text(text.into()), SeekTo::End);
    assert_eq!(
        done,
        Done::Loaded {
            text: TextReport {
                compared: 3,
                differences: 1,
                differing: vec![DifferingEntry { entry: 1, step: 2 }],
                ..TextReport::default()
            },
            view: String::new()
        }
    );
    let queries = Queries {
        terminal: Some(TerminalQuery { last: 10, beat: 0 }),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    let entries = session.views().terminal.expect("it was asked for").entries;
    let differing: Vec<_> = entries.iter().filter(|e| e.expected.is_some()).collect();
    assert_eq!(differing.len(), 1);
    let expected = differing[0].expected.as_ref();
    assert_eq!(expected.map(|output| output.text.as_str()), Some("a\n2"));
    assert_eq!(differing[0].stdout, "a\n1\n");
}

#[test]
fn a_text_that_is_no_transcript_is_refused_with_a_reason_and_the_run_stays() {
    let mut session = with(&["put a 1"]);
    for text in [
        "",
        "Dear Sir or Madam,\nI am writing to you.\n",
        "\u{0}\u{1}\u{2}binary",
        "put a 1\n----\nOK\n\nget a\n",
    ] {
        let done = session.load(Source::Text(text.into()), SeekTo::Default);
        let Done::Refused { message } = done else {
            panic!("{text:?} was taken: {done:?}");
        };
        assert!(
            message.contains("line") || message.contains("command"),
            "{message}"
        );
        assert_eq!(revision(&session), 2);
    }
}

#[test]
fn a_command_that_starts_something_names_it_and_says_how_to_go_on() {
    let mut session = with(&[
        "put foo 1",
        "watch foo",
        "watch /jobs/ --prefix --rev=1 as jobs",
        "recv w1",
        "pause w1",
        "slow jobs 50ms",
        "net jobs hold",
        "disconnect jobs",
        "apiserver api-1",
        "kubectl get pods -w",
        "run 2s",
        "stop etcd",
    ]);
    let entries = session.run().scrollback().at(session.cursor());
    let told: Vec<_> = entries
        .map(|entry| {
            (
                entry.output.stdout.is_empty(),
                entry.note().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (false, ""),
            (
                true,
                "w1 watches foo from revision 3. `recv w1` prints its events; `unwatch w1` ends the watch."
            ),
            (
                true,
                "jobs watches keys with the prefix /jobs/ from revision 1. `recv jobs` prints its events; `unwatch \
                 jobs` ends the watch."
            ),
            (true, ""),
            (true, "w1 is paused. `resume w1` resumes the node."),
            (true, "jobs needs 50 ms for each response."),
            (
                true,
                "Messages of jobs wait at its link. `net jobs release` delivers them."
            ),
            (
                true,
                "jobs is disconnected. `connect jobs` restores the connection."
            ),
            (
                true,
                "api-1 starts. `show apiserver` shows its caches. `kubectl get pods` sends a request."
            ),
            (
                true,
                "w2 watches pods. `recv w2` prints its events; `stop w2` ends the watch."
            ),
            (true, told[10].1),
            (true, "etcd is down. `start etcd` starts the member."),
        ]
    );
    assert!(
        told[10].1.starts_with("2 s passed. The clock is at "),
        "{}",
        told[10].1
    );
    // A note is not part of the output of a command.
    assert_eq!(session.exec("watch bar").stdout, "");
}

#[test]
fn a_read_of_a_store_that_never_had_a_key_is_noted() {
    let note = |lines: &[&str]| {
        let session = with(lines);
        let mut entries = session.run().scrollback().at(session.cursor());
        let last = entries.next_back().expect("a command was run");
        last.note().unwrap_or_default().to_owned()
    };
    let empty = "The store has no keys yet. `put greeting hello` writes a key.";
    for get in [
        "get foo",
        "get '' --prefix",
        "etcdctl get / --prefix --keys-only",
    ] {
        assert_eq!(note(&[get]), empty, "{get}");
        assert_eq!(note(&["world members=3", get]), empty, "{get}");
        for write in ["put bar 1", "put foo 1; del foo"] {
            assert_eq!(note(&[write, get]), "", "{write}; {get}");
        }
    }
    // These commands print something.
    for get in ["get foo -w json", "get foo --rev=2"] {
        assert_eq!(note(&[get]), "", "{get}");
    }
    assert_eq!(with(&[]).exec("get foo").stdout, "");
}

#[test]
fn the_expiry_of_a_lease_is_noted_with_its_keys() {
    let mut session = with(&["lease grant 10", "lease grant 10"]);
    let note = |session: &Session| {
        let mut entries = session.run().scrollback().at(session.cursor());
        let last = entries.next_back().expect("a command was run");
        last.note().unwrap_or_default().to_owned()
    };
    assert_eq!(
        note(&session),
        "The TTL counts simulated time. `run 10s` lets time pass."
    );
    session.exec("lease grant 0");
    assert!(
        note(&session).ends_with("lets time pass."),
        "etcd raises the TTL to its minimum"
    );
    let printed = session.exec("lease list").stdout;
    let leases: Vec<&str> = printed.lines().skip(1).collect();
    for key in ["a", "b", "c", "d", "e"] {
        session.exec(&format!("put {key} 1 --lease={}", leases[2]));
    }
    session.exec("run 1s");
    assert!(!note(&session).contains("expired"), "{}", note(&session));
    session.exec("run 30s");
    let note = note(&session);
    let (shortest, empty, full) = (leases[0], leases[1], leases[2]);
    for expected in [
        format!(" Lease {shortest} expired; no key was attached."),
        format!(" Lease {empty} expired; no key was attached."),
        format!(" Lease {full} expired, so etcd deleted a, b, c and 2 more keys."),
    ] {
        assert!(note.contains(&expected), "{expected}: {note}");
    }
}

#[test]
fn a_typed_transaction_ends_at_the_line_that_is_refused() {
    let mut session = with(&["put stock 5", "txn"]);
    let refused = session.exec("mod(stock) = 5");
    assert_eq!(
        refused.stderr,
        "Error: malformed comparison: mod(stock) = 5; got mod(\"\")  \"\"\n"
    );
    assert_eq!(session.pending(), None);
    session.exec("put a 1");
    // In a pasted text, the other lines of the transaction are not commands.
    session.exec("txn\nmod(stock) = 5\n\nput stock 6\n\n\nput b 1");
    assert_eq!(session.exec("get stock").stdout, "stock\n5\n");
    assert_eq!(session.exec("get a --print-value-only").stdout, "1\n");
    assert_eq!(session.exec("get b --print-value-only").stdout, "1\n");
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.world().digest(), session.world().digest());
}

#[test]
fn the_lines_of_an_unfinished_command_are_in_the_status() {
    let mut session = with(&["txn", "", "put a 1"]);
    let pending = |session: &Session| {
        let pending = session.views().status.pending?;
        Some((pending.prompt, pending.text))
    };
    let (prompt, text) = pending(&session).expect("an unfinished transaction");
    assert_eq!(prompt, "success requests (get, put, del):");
    assert_eq!(text, "txn\n\nput a 1\n");
    session.exec("\n");
    assert_eq!(pending(&session), None);
    for (line, text) in [
        ("put a \\", "put a "),
        ("txn <<EOF\nput a 1", "txn <<EOF\nput a 1"),
        ("watch -i", "watch -i\n"),
    ] {
        session.exec(line);
        let shown = pending(&session).expect(line);
        assert_eq!(shown.1, text, "{line}");
        session.handle(
            ToEngine::Notification(Notification::Interrupt),
            &mut Vec::new(),
        );
    }
    let long = format!("put a {}\\", "é".repeat(4_000));
    session.exec(&long);
    let (_, end) = pending(&session).expect("a line that continues");
    assert_eq!(end.len(), 4_096, "only the end of a long command");
}

#[test]
fn a_long_load_can_be_interrupted_and_the_run_stays() {
    let mut session = with(&["put a 1"]);
    let text = "put a 2\n".repeat(10_000);
    let mut out = Vec::new();
    let load = ToEngine::Request(
        3,
        Request::Load {
            source: Source::Text(text),
            at: SeekTo::End,
        },
    );
    session.handle(load, &mut out);
    assert!(session.pump(100, &mut out));
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert!(!session.pump(100, &mut out));
    let interrupted = out.iter().any(|m| {
        matches!(
            m,
            watchglass_engine::session::FromEngine::Done {
                id: 3,
                done: Done::Interrupted
            }
        )
    });
    assert!(interrupted);
    assert_eq!((revision(&session), session.run().len()), (2, 1));
}

#[test]
fn a_long_text_is_read_in_pieces() {
    let mut session = with(&["put a 1"]);
    let text = "#! profile: 3.4\n".to_owned() + &"put a 2\n".repeat(3_000);
    let mut out = Vec::new();
    let load = ToEngine::Request(
        3,
        Request::Load {
            source: Source::Text(text),
            at: SeekTo::End,
        },
    );
    session.handle(load, &mut out);
    while session.pump(1, &mut out) {}
    let lines = out.iter().filter_map(|message| match message {
        FromEngine::Progress { running, .. } => running.as_ref(),
        _ => None,
    });
    let lines = lines.filter(|running| running.unit == ProgressUnit::Lines);
    let (done, total): (Vec<u64>, Vec<u64>) = lines.map(|r| (r.done, r.total)).unzip();
    assert!(done.len() > 10 && done.is_sorted(), "{done:?}");
    assert!(total.iter().all(|lines| *lines == 3_001));
    assert_eq!(revision(&session), 3_001);
    assert_eq!(session.run().head().config().profile, Profile::V3_4);
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(revision(&again), 3_001);

    let letter = "Dear Sir or Madam,\n".repeat(3_000);
    let done = session.load(Source::Text(letter), SeekTo::End);
    assert!(matches!(done, Done::Refused { .. }), "{done:?}");
    assert_eq!(revision(&session), 3_001);
}

#[test]
fn a_long_run_is_told_in_bins_and_a_short_one_in_markers() {
    let mut session = Session::default();
    session.exec("for i in {1..300}; do etcdctl put k$i v; done");
    let show = |session: &mut Session, columns| {
        let queries = Queries {
            timeline: Some(TimelineQuery { columns }),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        session.views().timeline.expect("it was asked for")
    };
    assert_eq!(show(&mut session, 900).markers.len(), 300);
    let binned = show(&mut session, 100);
    assert!(binned.markers.is_empty());
    assert_eq!(binned.bins.iter().map(|b| b.count).sum::<u32>(), 300);
}

#[test]
fn what_cannot_be_read_is_answered_and_the_session_stays_whole() {
    let mut session = with(&["put a 1"]);
    for bad in [
        "get 'a",
        "frobnicate",
        "show nothing",
        "get a < wc",
        "for i in {1..3}; done",
    ] {
        let done = session.exec(bad);
        assert!(done.exit != 0 && !done.stderr.is_empty(), "{bad}: {done:?}");
    }
    assert_eq!((revision(&session), session.run().len()), (2, 1));
    assert_eq!(session.exec("get a").stdout, "a\n1\n");
}

#[test]
fn a_loop_can_have_several_lines() {
    let mut session = Session::default();
    let begun = session.exec("for i in 1 2; do");
    assert_eq!((begun.more.as_deref(), begun.exit), (Some(">"), 0));
    session.exec("  put a$i \"x");
    session.exec("y\"");
    session.exec("# a comment");
    assert_eq!(session.exec("done").stdout, "OK\nOK\n");
    assert_eq!(session.exec("get a2").stdout, "a2\nx\ny\n");
    let lines =
        "for k in c d; do   # all keys\n  etcdctl put $k \\\n  \"1\n  # 2\" # a value\n\ndone";
    assert_eq!(session.exec(lines).stdout, "OK\nOK\n");
    assert_eq!(session.exec("get d").stdout, "d\n1\n  # 2\n");
    // A script that is pasted, with a loop that cannot run: its commands do not run once.
    let script = "while true; do\n  etcdctl put evil 1\ndone\nif etcdctl get a1 | grep -q y\nthen\n  put b 1\nfi";
    let done = session.exec(script);
    assert!(
        done.stderr.contains("does not run shell scripts"),
        "{}",
        done.stderr
    );
    assert_eq!(
        (
            session.exec("get evil").stdout,
            session.exec("get b").stdout
        ),
        (String::new(), "b\n1\n".into())
    );
    // Ctrl+C discards the lines.
    assert!(session.exec("for i in 1 2; do").more.is_some());
    assert_eq!(session.exec("^C").more, None);
    assert_eq!(session.exec("get b").stdout, "b\n1\n");
}

#[test]
fn a_compaction_of_many_rows_goes_on_in_batches_while_time_passes() {
    let mut session = Session::default();
    session.exec("for i in {1..2500}; do etcdctl put k v$i; done");
    session.exec("compact 2501");
    let rows = |s: &Session| s.views().status.rows;
    assert_eq!(rows(&session), 1500); // the first thousand went at once
    session.exec("run 10ms");
    assert_eq!(rows(&session), 500);
    session.exec("run 1s");
    assert_eq!(rows(&session), 1); // revision 2501 is the present value
    session.exec("compact --physical 2501");
    assert_eq!(
        session.run().steps().last().map(|s| s.at.0 / 1_000_000),
        Some(3)
    );
}

#[test]
fn where_etcd_would_stop_for_good_the_session_says_so_and_goes_on() {
    // etcd 3.6 keeps the tombstone and removes the row of the put that has the same revision.
    let mut session = with(&["put b 1"]);
    session.exec("txn\n\ndel a --from-key\nput b 2\n\n\n");
    session.exec("compact 3");
    for reading in ["get b", "put b --ignore-value", "get a --from-key --rev=3"] {
        let done = session.exec(reading);
        assert!(done.stderr.contains("EOF"), "{reading}: {done:?}");
    }
    assert_eq!(session.exec("put b 4").stdout, "OK\n");
    assert_eq!(session.exec("get b").stdout, "b\n4\n");
    session.exec("txn\n\nget b --rev=3\nput c 1\n\n\n");
    session.exec("del b --prev-kv");
    let views = session.views();
    assert!(!views.status.narration.is_empty());
}

#[test]
fn the_count_of_live_keys_is_kept_as_the_index_has_it() {
    let mut session = with(&["put a 1", "put b 1", "put a 2", "del a", "del a", "put a 3"]);
    session.exec("for i in {1..9}; do put k$i v; done");
    session.exec("del k --prefix");
    session.exec("compact 8");
    for step in [0, 1, 2, 4, 5, 6, 10, 99] {
        session.seek(SeekTo::Step(step));
        let store = session.world().at_endpoint().store();
        let now = store.current_rev();
        let live = store
            .index()
            .iter()
            .filter(|ki| ki.get(now).is_some())
            .count();
        assert_eq!(store.live_keys(), live as i64, "step {step}");
        let again = watchglass_engine::mvcc::KvStore::restore(
            store.backend().clone(),
            watchglass_engine::api::Profile::V3_6,
        )
        .expect("the rows are those of a store");
        assert_eq!(again.live_keys(), live as i64, "restored at step {step}");
    }
}

#[test]
fn a_transaction_that_cannot_be_finished_is_taken_back_whole() {
    // The check before the transaction passes; then the delete removes the key whose value the put must keep.
    let mut session = with(&["put b 1"]);
    let before = session.exec("endpoint hashkv").stdout;
    let done = session.exec("txn\n\ndel a --from-key\nput b --ignore-value\n\n\n");
    assert!(done.stderr.contains("EOF"), "{done:?}");
    assert_eq!(session.exec("get b").stdout, "b\n1\n");
    assert_eq!(session.exec("endpoint hashkv").stdout, before);
}

#[test]
fn what_was_interrupted_is_not_done_after_a_reload_either() {
    let mut session = Session::default();
    session.exec("txn");
    session.handle(
        ToEngine::Notification(Notification::Interrupt),
        &mut Vec::new(),
    );
    session.exec("put a 1");
    let text = "for i in {1..50}; do put k$i v; done".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut Vec::new(),
    );
    session.pump(6, &mut Vec::new());
    session.handle(
        ToEngine::Notification(Notification::Interrupt),
        &mut Vec::new(),
    );
    let reached = revision(&session);
    assert!((3..50).contains(&reached), "{reached}");
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.world().digest(), session.world().digest());
    assert_eq!(again.pending(), None);
}

#[test]
fn moving_the_cursor_while_commands_run_is_replayed_as_it_was() {
    let mut session = with(&["put a 1"]);
    let text = "put b 1\nput b 2\nput b 3".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut Vec::new(),
    );
    session.pump(4, &mut Vec::new());
    session.handle(
        ToEngine::Request(2, Request::Move(Move::To(SeekTo::Step(0)))),
        &mut Vec::new(),
    );
    while session.pump(1, &mut Vec::new()) {}
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.world().digest(), session.world().digest());
    assert_eq!(
        again.views().status.branches.len(),
        session.views().status.branches.len()
    );
}

#[test]
fn a_branch_begins_without_what_was_still_on_its_way() {
    let mut session = Session::default();
    session.exec("for i in {1..1500}; do etcdctl put k v$i; done");
    session.exec("compact 1400");
    session.exec("for i in {0..11}; do put ghost$i x; done");
    // The second batch of the compaction runs between two commands.
    let scrub = (1..=session.run().len())
        .rev()
        .find(|step| {
            session.run().step(*step).map(|s| s.kind)
                == Some(watchglass_engine::view::MarkerKind::Scrub)
        })
        .expect("a batch came while the ghosts were put");
    session.seek(SeekTo::Step(scrub));
    let here = revision(&session);
    let next = format!("ghost{}", here - 1501);
    assert_eq!(session.exec(&format!("get {next}")).stdout, "");
    session.exec("put other y");
    assert_eq!(revision(&session), here + 1);
    assert_eq!(session.exec(&format!("get {next}")).stdout, "");
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.world().digest(), session.world().digest());
    assert_eq!(session.run().replayed().digest(), session.world().digest());
}

#[test]
fn absurd_views_and_times_are_survived() {
    use watchglass_engine::view::{IndexQuery, KeyQuery};
    let mut session = with(&["put a 1", "put a 2"]);
    for (rev_from, rev_to) in [
        (i64::MIN, i64::MAX),
        (i64::MAX, i64::MIN),
        (0, i64::MAX),
        (-5, 3),
    ] {
        let queries = Queries {
            index: Some(IndexQuery {
                rev_from,
                rev_to,
                lane_count: u32::MAX,
                columns: 0,
                ..IndexQuery::default()
            }),
            key: Some(KeyQuery {
                key: vec![0xff],
                revision: Some((i64::MAX, -1)),
            }),
            timeline: Some(TimelineQuery { columns: 0 }),
            terminal: Some(TerminalQuery {
                last: u32::MAX,
                beat: 0,
            }),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        session.views();
    }
    assert_eq!(session.exec("run 5124095576h").exit, 1);
    assert_eq!(session.exec("run 5124095576h").exit, 1);
    assert_eq!(session.exec("get a").stdout, "a\n2\n");
}

#[test]
fn lines_are_answered_in_the_order_in_which_they_were_typed() {
    let mut session = Session::default();
    let done = session.exec("put a 1\nputt b x\nput c");
    assert_eq!(done.stdout, "OK\n");
    assert_eq!(done.exit, 128, "the last line's exit code: {done:?}");
    let done = session.exec("world profile=3.4\nversion");
    assert!(done.stdout.contains("3.4.23"), "{done:?}");
}

/// The commands that create nodes with pods, two API servers, and kubelets that list their pods at short intervals.
const KUBELETS: [&str; 4] = [
    "populate --nodes=40 --pods=30",
    "apiserver api-1 --cache=off",
    "apiserver api-2",
    "kubelets 40 as fleet --every=40ms --server=api-1",
];

#[test]
fn a_long_run_goes_on_in_slices_and_can_be_stopped_and_made_again() {
    let mut session = with(&KUBELETS);
    let began = session.run().len();
    let mut out = Vec::new();
    let text = "run 10m".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut out,
    );
    for _ in 0..4 {
        assert!(session.pump(1, &mut out), "ten minutes are long");
    }
    let (now, steps) = (session.world().now(), session.run().len());
    assert!(steps > began && now.0 < 600_000_000);
    session.seek(SeekTo::Step(began));
    session.pump(1, &mut out);
    assert_eq!(session.cursor(), began, "whoever looks back is left there");
    session.seek(SeekTo::End);
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert!(!session.pump(1, &mut out));
    assert!(session.run().len() > steps);
    let scrollback = session.run().scrollback();
    let entry = scrollback.at(u64::MAX).next_back().expect("it was typed");
    let line = scrollback.line(entry.line);
    assert_eq!((&*line.text, entry.output.exit), ("run 10m", 130));

    let digest = session.world().digest();
    assert_eq!(session.run().replayed().digest(), digest);
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::End);
    assert_eq!(again.world().digest(), digest);
    // The shortened `run` leaves no trace: time continues in the same way in both runs.
    session.exec("run 1s");
    again.exec("run 1s");
    assert_eq!(again.world().digest(), session.world().digest());
}

#[test]
fn an_interrupted_populate_keeps_the_pods_that_have_come() {
    let mut session = Session::default();
    let mut out = Vec::new();
    let text = "populate --nodes=100 --pods=30".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut out,
    );
    for _ in 0..20 {
        assert!(session.pump(1, &mut out));
    }
    let reached = revision(&session);
    assert!((2..3001).contains(&reached), "{reached}");
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    session.exec("put a 1");
    assert_eq!(revision(&session), reached + 1);
    let refused = session.exec("populate --nodes=1");
    assert_eq!(refused.exit, 1, "etcd is not new any more");
    let saved = save(&mut session);
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::End);
    assert_eq!(again.world().digest(), session.world().digest());
}

#[test]
fn a_run_keeps_only_the_beginning_of_a_very_long_answer() {
    use watchglass_engine::api::message::{Body, EtcdMessage};
    use watchglass_engine::api::{Reply, Response};
    use watchglass_engine::trace::{NetTrace, TraceEvent};

    let mut session = with(&KUBELETS);
    session.exec("run 100ms");
    let mut longest = (0, 0);
    for event in session.run().recording().iter() {
        let TraceEvent::Net(NetTrace::Sent { body, bytes, .. }) = &event.what else {
            continue;
        };
        let Body::Etcd(EtcdMessage::Answer { reply, .. }) = &**body else {
            continue;
        };
        let reply: &Reply = reply;
        if let Ok(Response::Range(range)) = reply {
            longest = longest.max((range.kvs.len(), range.count));
            assert!(
                range.count < 1200 || *bytes > 1200 * 150,
                "the size is the whole one's"
            );
        }
    }
    assert_eq!(longest, (10, 1200));
}

#[test]
fn a_page_that_says_what_it_has_drawn_gets_one_picture_at_a_time() {
    let mut session = Session::default();
    session.pace();
    let text = KUBELETS.join("\n");
    session.load(Source::Text(text), SeekTo::End);
    let mut out = Vec::new();
    session.handle(ToEngine::Notification(Notification::Drawn), &mut out);
    let pictures = |out: &mut Vec<FromEngine>| -> Vec<bool> {
        let whole = |message: &FromEngine| match message {
            FromEngine::Views(views) => Some(!views.is_part),
            _ => None,
        };
        std::mem::take(out)
            .iter()
            .filter_map(whole)
            .collect::<Vec<_>>()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(Queries::default().into())),
        &mut out,
    );
    assert_eq!(pictures(&mut out), [true]);
    let text = "run 10m".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut out,
    );
    for _ in 0..20 {
        session.pump(1, &mut out);
    }
    assert!(pictures(&mut out).is_empty(), "the first one is not drawn");
    let timeline = Some(TimelineQuery { columns: 100 });
    let queries = Queries {
        timeline,
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut out,
    );
    assert!(matches!(&out[..], [FromEngine::Views(views)] if views.timeline.is_none()));
    assert_eq!(
        pictures(&mut out),
        [false],
        "what is on the stage comes at once"
    );
    session.handle(ToEngine::Notification(Notification::Drawn), &mut out);
    assert_eq!(pictures(&mut out), [true], "what has changed meanwhile");
    session.pump(1, &mut out);
    assert!(pictures(&mut out).is_empty());
    let to = SeekTo::Step(5);
    session.handle(ToEngine::Request(2, Request::Move(Move::To(to))), &mut out);
    assert_eq!(
        pictures(&mut out),
        [true],
        "an answer has its picture with it"
    );
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    let last = out.iter().rposition(|m| matches!(m, FromEngine::Views(_)));
    assert_eq!(last, Some(out.len() - 1), "and so has the last one");
    out.clear();
    session.handle(
        ToEngine::Notification(Notification::Show(Queries::default().into())),
        &mut out,
    );
    assert_eq!(pictures(&mut out), [true], "nothing goes on: nobody waits");
}

#[test]
fn of_lists_to_a_fleet_a_run_keeps_how_many_objects_they_had() {
    let mut session = with(&[
        "populate --nodes=10 --pods=2",
        "apiserver api-1 --cache=off",
        "kubelets 10 as fleet --every=2s",
    ]);
    session.exec("kubectl get pods -w as w");
    session.exec("run 1m");
    let heard = session.exec("recv fleet").stdout;
    assert!(heard.contains("LISTED    2 objects, not kept\nLIST      resourceVersion"));
    let whole = heard.matches("LISTED    default/pod").count();
    assert_eq!(whole, 2 * 200, "the first ones are kept whole");
    let heard = session.exec("recv w").stdout;
    let whole = heard.matches("LISTED    default/pod").count();
    assert_eq!(whole, 20, "whoever reads them has them all");
}

#[test]
fn what_is_asked_while_a_run_is_loaded_is_meant_for_that_run() {
    let mut session = with(&["put a 1"]);
    let mut out = Vec::new();
    let source = Source::Story("two-generations".into());
    let at = SeekTo::Step(3);
    session.handle(ToEngine::Request(1, Request::Load { source, at }), &mut out);
    session.handle(
        ToEngine::Request(2, Request::Move(Move::To(SeekTo::Step(5)))),
        &mut out,
    );
    session.handle(ToEngine::Request(3, Request::Read(Read::State)), &mut out);
    while session.pump(1, &mut out) {}
    let answers: Vec<_> = out
        .iter()
        .filter_map(|message| match message {
            FromEngine::Done { id, done } => Some((*id, done)),
            _ => None,
        })
        .collect();
    assert!(
        matches!(answers[0], (1, Done::Loaded { .. })),
        "{answers:?}"
    );
    assert_eq!(answers[1], (2, &Done::Moved { step: 5 }));
    assert_eq!(answers[2], (3, &Done::Text(session.state_json())));
    assert_eq!(
        (answers.len(), session.cursor(), session.run().len()),
        (3, 5, 10)
    );
}

#[test]
fn what_is_asked_while_a_run_is_loaded_ends_with_the_loading() {
    let mut session = with(&["put a 1", "put a 2"]);
    let mut out = Vec::new();
    let source = Source::Story("two-generations".into());
    let at = SeekTo::Default;
    session.handle(ToEngine::Request(1, Request::Load { source, at }), &mut out);
    session.handle(
        ToEngine::Request(2, Request::Move(Move::BySteps(-1))),
        &mut out,
    );
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    for id in [1, 2] {
        let done = Done::Interrupted;
        assert!(out.contains(&FromEngine::Done { id, done }), "{out:?}");
    }
    assert_eq!((session.cursor(), session.run().len()), (2, 2));
}

#[test]
fn a_picture_that_is_soon_followed_by_another_one_has_the_newest_entries_only() {
    let mut session = Session::default();
    let terminal = Some(TerminalQuery { last: 120, beat: 0 });
    let queries = Queries {
        terminal,
        ..Queries::default()
    };
    let mut out = Vec::new();
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut out,
    );
    let text = "for i in {1..100}; do put a $i; done".to_owned();
    session.handle(
        ToEngine::Request(1, Request::Act(Act::Type(text))),
        &mut out,
    );
    out.clear();
    while session.pump(1, &mut out) {}
    let pictures = out.iter().filter_map(|message| match message {
        FromEngine::Views(views) => views.terminal.as_ref(),
        _ => None,
    });
    let shown: Vec<(u64, usize)> = pictures
        .map(|terminal| (terminal.total, terminal.entries.len()))
        .collect();
    assert!(shown.contains(&(40, 30)), "{shown:?}");
    assert_eq!(shown.last(), Some(&(100, 100)));
}

fn undone(session: &mut Session) -> Done {
    let mut out = Vec::new();
    let act = Act::Undo;
    session.handle(ToEngine::Request(1, Request::Act(act)), &mut out);
    while session.pump(7, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { done, .. } => Some(done),
        _ => None,
    });
    done.expect("undo is answered")
}

/// Undo also works outside of lessons: in the sandbox, after a story, and in a saved run.
#[test]
fn what_was_typed_can_be_undone_in_every_run() {
    let empty = Source::Empty {
        profile: "3.6".into(),
        seed: 42,
    };
    for source in [empty, Source::Story("two-generations".into())] {
        let mut session = Session::default();
        session.load(source, SeekTo::End);
        assert!(!session.views().status.can_undo);
        let before = (revision(&session), session.world().digest());
        session.exec("put /mine 1");
        session.exec("get /mine");
        let saved = save(&mut session);
        session.load(Source::Saved(saved), SeekTo::Default);
        for _ in 0..2 {
            assert!(session.views().status.can_undo);
            let done = undone(&mut session);
            assert!(matches!(done, Done::Moved { .. }), "{done:?}");
        }
        assert_eq!((revision(&session), session.world().digest()), before);
        assert!(!session.views().status.can_undo);
        let done = undone(&mut session);
        assert!(matches!(done, Done::Refused { .. }), "{done:?}");
    }
}

#[test]
fn a_line_with_an_interrupt_ends_the_newest_open_watch() {
    let mut session = Session::default();
    for line in [
        "watch a",
        "watch b as jobs",
        "apiserver api-1",
        "run 1s",
        "kubectl get pods -w",
    ] {
        assert_eq!(session.exec(line).exit, 0, "{line}");
    }
    let entries = |session: &Session| session.run().scrollback().at(session.cursor()).count();
    for command in ["stop w2", "unwatch jobs", "unwatch w1"] {
        assert_eq!(session.exec("^C").exit, 0);
        let run = session.run();
        let entry = run.scrollback().at(session.cursor()).next_back().unwrap();
        assert_eq!(&*run.scrollback().line(entry.line).text, command);
    }
    // Without an open watch, the line does nothing.
    let before = entries(&session);
    assert_eq!(session.exec(" ^C ").exit, 0);
    assert_eq!(entries(&session), before);
    // An unfinished transaction ends first.
    session.exec("watch c");
    assert!(session.exec("txn").more.is_some());
    assert_eq!(session.exec("^C").more, None);
    assert_eq!(session.exec("unwatch w3").exit, 0);
}
