//! Tests of positions: at each beat of each published run, the text, the terminal, the pictures and the timeline show
//! the same command. A beat is a section of the narration.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::answer_text;

use watchglass_engine::scenario::{Beat, format};
use watchglass_engine::session::run::Run;
use watchglass_engine::session::{
    Move, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::shell::read_label;
use watchglass_engine::view::{
    IndexQuery, Queries, StorageQuery, TerminalEntry, TerminalQuery, TimelineQuery, Views,
    WatchQuery,
};

/// The maximum number of entries of a beat in the view of the terminal.
const BEAT_ENTRIES: usize = 256;

/// The minimum number of beats in all files, and of beats without steps, so that a fault of the test itself does not
/// pass as runs without faults.
const BEATS_MIN: u64 = 900;
const WITHOUT_STEPS_MIN: u64 = 100;

const NO_STEP: &str = "The command only prints; nothing in the simulated system changes.";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    files.collect()
}

fn loaded(text: &str) -> Session {
    let mut session = Session::default();
    session.load(Source::Text(text.into()), SeekTo::End);
    let queries = Queries {
        terminal: Some(TerminalQuery {
            last: 100_000,
            beat: BEAT_ENTRIES as u32,
        }),
        timeline: Some(TimelineQuery { columns: 100_000 }),
        index: Some(IndexQuery {
            lane_count: 40,
            rev_to: 1_000,
            columns: 100_000,
            ..IndexQuery::default()
        }),
        watch: Some(WatchQuery::default()),
        ..Queries::default()
    };
    let message = ToEngine::Notification(Notification::Show(queries.into()));
    session.handle(message, &mut Vec::new());
    session
}

fn move_by(session: &mut Session, by: Move) {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(1, Request::Move(by)), &mut out);
    while session.pump(100, &mut out) {}
}

/// Returns the numbers of the entries, each with the number of the beat to which its command line belongs.
fn told(run: &Run) -> Vec<(u64, u64)> {
    let number_of = |beat: &Arc<Beat>| {
        let is_it = |number: &u64| {
            let this = run.beats().beat(*number);
            this.is_some_and(|this| Arc::ptr_eq(this, beat))
        };
        (1..=run.beats().len()).find(is_it).unwrap_or(0)
    };
    let entries = run.scrollback().at(u64::MAX);
    let beat_of = |line| {
        run.scrollback()
            .line(line)
            .beat
            .as_ref()
            .map_or(0, number_of)
    };
    entries
        .map(|entry| (entry.id, beat_of(entry.line)))
        .collect()
}

fn ids(entries: &[TerminalEntry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.id).collect()
}

/// Returns the faults of the views at a beat. `told` are the entries of the run with their beats.
fn faults(views: &Views, number: u64, told: &[(u64, u64)]) -> Vec<&'static str> {
    let status = &views.status;
    let terminal = views.terminal.as_ref().expect("it was requested");
    let timeline = views.timeline.as_ref().expect("it was requested");
    let index = views.index.as_ref().expect("it was requested");
    let shown = told.iter().filter(|(_, beat)| *beat <= number);
    let shown: Vec<u64> = shown.map(|(id, _)| *id).collect();
    let own = told.iter().filter(|(_, beat)| *beat == number);
    let mut own: Vec<u64> = own.map(|(id, _)| *id).rev().take(BEAT_ENTRIES).collect();
    own.reverse();
    let last = terminal.entries.last();
    let is_without_steps = status.beat.first > status.beat.last;
    let line = |command: &str| command.lines().next().unwrap_or_default().to_owned();
    let mark = timeline.beats.iter().find(|mark| mark.number == number);
    let watch = views.watch.as_ref().expect("it was requested");
    let changed = || {
        index
            .lanes
            .iter()
            .flat_map(|lane| &lane.beads)
            .any(|bead| bead.changed)
    };
    let labels = || {
        let lines = terminal.beat.iter().map(|entry| line(&entry.command));
        lines.map(|line| read_label(&line))
    };
    // The status shows only the beginning of a long command.
    let is_current = |command: &str| match command.strip_suffix('…') {
        Some(start) => last.is_some_and(|last| last.command.starts_with(start)),
        None => last.is_some_and(|last| line(&last.command) == command),
    };
    let read = index.read.as_ref();
    let checks = [
        (status.beat.number == number, "the text is of another beat"),
        (
            ids(&terminal.entries) == shown,
            "the terminal shows other entries",
        ),
        (ids(&terminal.beat) == own, "the card lists other commands"),
        (!own.is_empty(), "no command of the beat has ended"),
        (
            status.now.as_deref().is_some_and(is_current),
            "the current command is not the last entry of the terminal",
        ),
        (
            read.is_none_or(|read| labels().any(|label| label == read.label)),
            "the picture shows the read of another beat",
        ),
        (
            !is_without_steps || status.narration == NO_STEP,
            "the narration is of an earlier beat",
        ),
        (
            !is_without_steps
                || !changed() && watch.last_sync.as_ref().is_none_or(|sync| !sync.now),
            "the picture marks a change of an earlier beat as new",
        ),
        (
            mark.map(|mark| (mark.step, mark.place)) == Some((status.step, status.beat.place)),
            "the mark on the timeline is at another position",
        ),
        (
            (status.beat.place > 0) == is_without_steps,
            "only a beat without steps has a place",
        ),
    ];
    let faults = checks.into_iter().filter(|(holds, _)| !holds);
    faults.map(|(_, fault)| fault).collect()
}

#[test]
fn text_terminal_and_pictures_are_at_one_position_at_each_beat_of_each_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour");
    let (mut all, mut without_steps) = (0, 0);
    let mut found = Vec::new();
    for path in files(&folder) {
        let text = fs::read_to_string(&path).expect("a text");
        let file = format::parse(&text).expect("a scenario");
        let mut beats: Vec<&Arc<Beat>> = file
            .blocks
            .iter()
            .filter_map(|block| block.beat.as_ref())
            .collect();
        beats.dedup_by(|beat, last| Arc::ptr_eq(beat, last));
        let mut session = loaded(&text);
        let told = told(session.run());
        let mut before = (0, 0);
        for (beat, number) in beats.into_iter().zip(1..) {
            session.seek(SeekTo::Beat(number));
            let views = session.views();
            let status = &views.status;
            let mut faults = faults(&views, number, &told);
            if status.beat.text.as_deref() != Some(&*beat.text) {
                faults.push("another text");
            }
            let position = (status.step, status.beat.place);
            if number > 1 && position <= before {
                faults.push("the position is not after the beat before it");
            }
            before = position;
            if status.beat.place > 0 {
                without_steps += 1;
                // One step back is the end of the beat before, and one step forward leads to this beat again.
                move_by(&mut session, Move::BySteps(-1));
                if session.views().status.beat.number != number - 1 {
                    faults.push("one step back is not the beat before it");
                }
                move_by(&mut session, Move::BySteps(1));
                if session.views() != views {
                    faults.push("one step forward does not lead to it");
                }
                // A link to the step shows the beat that made the step.
                session.seek(SeekTo::Step(status.step));
                if session.views().status.beat.place != 0 {
                    faults.push("a link to the step leads to a beat without steps");
                }
            }
            session.seek(SeekTo::Beat(number - 1));
            move_by(&mut session, Move::ByBeats(1));
            if session.views() != views {
                faults.push("the next beat after the beat before is another");
            }
            all += 1;
            let name = path.strip_prefix(&folder).unwrap_or(&path).display();
            found.extend(
                faults
                    .iter()
                    .map(|fault| format!("{name}, beat {number}: {fault}")),
            );
        }
    }
    assert!(
        found.is_empty(),
        "{} faults\n{}",
        found.len(),
        found.join("\n")
    );
    assert!(
        all >= BEATS_MIN && without_steps >= WITHOUT_STEPS_MIN,
        "{without_steps} of {all}"
    );
}

const FILE: &str = "\
#! title: A test

# Two revisions.
put a 1
put a 2
----
OK
OK

# A read.
get a
----
a
2

# The index.
show key-index a
----
key a, modified 3.0

# The revision.
show revision
----
3

# A third revision.
put a 3
----
OK
";

/// Returns the place of each beat: its step, and its place among the beats without steps.
fn places(session: &Session) -> Vec<(u64, u64)> {
    let timeline = session.views().timeline.expect("it was requested");
    timeline
        .beats
        .iter()
        .map(|mark| (mark.step, mark.place))
        .collect()
}

fn place(session: &Session) -> (u64, u64, u64) {
    let status = session.views().status;
    (status.step, status.beat.number, status.beat.place)
}

#[test]
fn beats_without_steps_have_places_of_their_own() {
    let mut session = loaded(FILE);
    let steps = session.run().len();
    let [write, read, index, revision, last] = places(&session)[..] else {
        panic!("five beats");
    };
    assert_eq!([index, revision], [(read.0, 1), (read.0, 2)]);
    assert_eq!((write.1, read.1, last), (0, 0, (steps, 0)));
    // One step at a time leads through all positions, forward and back.
    session.seek(SeekTo::Step(0));
    let mut forward = vec![place(&session)];
    for _ in 0..steps + 2 {
        move_by(&mut session, Move::BySteps(1));
        forward.push(place(&session));
    }
    assert_eq!(place(&session), (steps, 5, 0));
    let here = (read.0, 4, 2);
    assert!(forward.contains(&(read.0, 3, 1)) && forward.contains(&here));
    let mut back = vec![place(&session)];
    for _ in 0..steps + 2 {
        move_by(&mut session, Move::BySteps(-1));
        back.push(place(&session));
    }
    back.reverse();
    assert_eq!(forward, back);
    session.seek(SeekTo::Step(0));
    move_by(&mut session, Move::BySteps(steps as i64 + 2));
    assert_eq!(place(&session), (steps, 5, 0));
}

#[test]
fn a_link_leads_to_a_beat_without_steps() {
    let mut session = loaded(FILE);
    session.seek(SeekTo::Beat(4));
    let shown = place(&session);
    for read in [
        Read::Link {
            view: String::new(),
        },
        Read::Save,
    ] {
        let is_link = read != Read::Save;
        let text = answer_text(&mut session, ToEngine::Request(1, Request::Read(read)));
        let source = match is_link {
            true => Source::Link(text),
            false => Source::Saved(text),
        };
        let mut opened = Session::default();
        opened.load(source, SeekTo::Default);
        assert_eq!(place(&opened), shown);
    }
}

#[test]
fn a_read_typed_in_the_past_is_drawn_until_the_next_command() {
    let mut session = loaded(FILE);
    session.seek(SeekTo::Beat(3));
    let cut = |session: &Session| session.views().index.expect("it was requested").read;
    assert_eq!(cut(&session), None, "the read belongs to the beat before");
    session.exec("get a --rev=2");
    let read = cut(&session).expect("the typed read");
    assert_eq!((read.revision, read.is_aside, read.count), (2, true, 1));
    let answers: Vec<_> = read
        .answers
        .iter()
        .map(|answer| (answer.main, &*answer.label))
        .collect();
    assert_eq!(answers, [(2, "1")]);
    let views = session.views();
    assert_eq!(views.status.now.as_deref(), Some("get a --rev=2"));
    let card = views.terminal.expect("it was requested").beat;
    assert_eq!(
        card.last().map(|entry| &*entry.command),
        Some("get a --rev=2")
    );
    session.exec("get a --rev=9");
    let refused = cut(&session).expect("the typed read");
    assert!(
        refused.is_aside
            && refused
                .refused
                .is_some_and(|why| why.contains("future revision"))
    );
    session.exec("show revision");
    assert_eq!(cut(&session), None, "the next command is not a read");
    session.exec("get a --rev=2");
    session.seek(SeekTo::Beat(2));
    assert!(
        cut(&session).is_some_and(|read| !read.is_aside),
        "the read of the run"
    );
    session.seek(SeekTo::Beat(4));
    assert_eq!(cut(&session), None, "the typed read is at the beat before");
}

#[test]
fn the_storage_view_follows_the_row_of_the_last_read() {
    let text = "#! title: A test\n\n# Writes.\nput a 1\nput b 2\nput a 3\n----\nOK\nOK\nOK\n\n\
                # A read.\nget b\n----\nb\n2\n\n# An old read.\nget a --rev=2\n----\na\n1\n\n\
                # No read.\nshow revision\n----\n4\n";
    let mut session = loaded(text);
    let queries = Queries {
        storage: Some(StorageQuery::default().into()),
        ..Queries::default()
    };
    let message = ToEngine::Notification(Notification::Show(queries.into()));
    session.handle(message, &mut Vec::new());
    let row = |session: &Session| {
        let path = session.views().storage.and_then(|view| view.path);
        path.map(|path| (path.name, path.revision.0))
    };
    let rows = [1, 2, 3, 4].map(|beat| {
        session.seek(SeekTo::Beat(beat));
        row(&session).expect("a row")
    });
    let expected = [("a", 4), ("b", 3), ("a", 2), ("a", 4)];
    assert_eq!(
        rows,
        expected.map(|(name, revision)| (name.to_owned(), revision))
    );
    session.seek(SeekTo::Beat(2));
    session.exec("get a --rev=3");
    assert_eq!(
        row(&session),
        Some(("a".to_owned(), 2)),
        "the read of a person"
    );
}
