//! Tests of beats, which are the sections of a run's narration. The tests check the list of beats, the moves between
//! beats, and the texts in the runs that the page publishes.

use std::fs;
use std::path::{Path, PathBuf};

use watchglass_engine::scenario::{format, lessons, stories};
use watchglass_engine::session::protocol::{FromEngine, Limits};
use watchglass_engine::session::{
    Done, Move, Notification, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::{BeatView, Queries, TerminalQuery, TimelineQuery};

const BEATS_MIN: u64 = 2;
const BEATS_MAX: u64 = 25;

/// The maximum length of a title, in characters, so that the title fits above the text of a beat.
const TITLE_CHARS_MAX: usize = 60;

/// The minimum number of published runs that the test must find, so that a missing folder does not pass as a folder
/// without faults.
const PUBLISHED_MIN: usize = 120;

const FILE: &str = "\
#! title: A test
#! opening: Two keys.
#! picture: watch w1
#! next: L01 Keys
#! next: slow-client A slow client

# Two keys
# are put.
put a 1
put b 1
----
OK
OK

# A third one. It is c.
#
put c 1
----
OK

#! picture: index c
put c 2
----
OK

# Nothing is sent.
show revision
----
4
";

fn loaded(text: &str) -> Session {
    let mut session = Session::default();
    let done = session.load(Source::Text(text.into()), SeekTo::Default);
    assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
    session
}

fn moved(session: &mut Session, message: ToEngine) -> (u64, BeatView) {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    while session.pump(1, &mut out) {}
    let moved = |message: &FromEngine| {
        matches!(
            message,
            FromEngine::Done {
                done: Done::Moved { .. },
                ..
            }
        )
    };
    assert!(out.iter().any(moved), "{out:?}");
    (session.cursor(), session.views().status.beat)
}

fn by(session: &mut Session, delta: i64) -> (u64, u64) {
    let (step, beat) = moved(
        session,
        ToEngine::Request(1, Request::Move(Move::ByBeats(delta))),
    );
    (step, beat.number)
}

fn on(session: &mut Session, steps: u64) -> (u64, u64) {
    let (step, beat) = moved(
        session,
        ToEngine::Request(1, Request::Move(Move::PlayOn(steps))),
    );
    (step, beat.number)
}

#[test]
fn a_comment_begins_a_beat_and_so_does_a_picture() {
    let mut session = loaded(FILE);
    let status = session.views().status;
    assert_eq!(status.opening.as_deref(), Some("Two keys."));
    assert!(status.is_told);
    let ways = status
        .ways
        .iter()
        .map(|way| (way.target.as_str(), way.title.as_str()));
    assert_eq!(
        ways.collect::<Vec<_>>(),
        [("L01", "Keys"), ("slow-client", "A slow client")]
    );
    assert_eq!((status.beat.number, status.beat.count), (0, 4));
    let mut beats = Vec::new();
    for number in 1..=4 {
        let (step, beat) = moved(
            &mut session,
            ToEngine::Request(1, Request::Move(Move::ByBeats(1))),
        );
        assert_eq!((beat.number, beat.last), (number, step));
        // Only the beat that names the picture highlights its target.
        assert_eq!(beat.focus, ["w1", "", "c", ""][number as usize - 1]);
        let picture = beat
            .picture
            .map(|picture| [picture.view, picture.target].join(" "));
        beats.push((
            beat.first,
            step,
            beat.text.unwrap_or_default(),
            picture.unwrap_or_default(),
        ));
    }
    let beat =
        |first, last, text: &str, picture: &str| (first, last, text.to_owned(), picture.to_owned());
    assert_eq!(
        beats,
        [
            beat(1, 2, "Two keys are put.", "watch w1"),
            beat(3, 3, "A third one. It is c.", "watch w1"),
            beat(4, 4, "", "index c"),
            // This beat has no steps.
            beat(5, 4, "Nothing is sent.", "index c"),
        ]
    );
}

#[test]
fn one_moves_by_beats_and_plays_through_them() {
    let mut session = loaded(FILE);
    let there: Vec<_> = (0..6).map(|_| by(&mut session, 1)).collect();
    assert_eq!(there, [(2, 1), (3, 2), (4, 3), (4, 4), (4, 4), (4, 4)]);
    let back: Vec<_> = (0..5).map(|_| by(&mut session, -1)).collect();
    assert_eq!(back, [(4, 3), (3, 2), (2, 1), (0, 0), (0, 0)]);
    assert_eq!(by(&mut session, 3), (4, 3));
    // From the middle of a beat, *Next* moves to its end, and *Back* to the end of the previous beat.
    session.seek(SeekTo::Step(1));
    assert_eq!(by(&mut session, 1), (2, 1));
    session.seek(SeekTo::Step(1));
    assert_eq!(by(&mut session, -1), (0, 0));
    let played: Vec<_> = (0..6).map(|_| on(&mut session, 1)).collect();
    assert_eq!(played, [(1, 1), (2, 1), (3, 2), (4, 3), (4, 4), (4, 4)]);
    session.seek(SeekTo::Step(1));
    assert_eq!(
        on(&mut session, u64::MAX),
        (2, 1),
        "not beyond the end of the beat"
    );
    session.seek(SeekTo::Beat(4));
    assert_eq!(session.views().status.beat.number, 4);
    session.seek(SeekTo::Beat(u64::MAX));
    assert_eq!(session.views().status.beat.number, 4);
    session.seek(SeekTo::Beat(0));
    assert_eq!(session.cursor(), 0);
}

#[test]
fn each_command_that_is_typed_is_a_beat() {
    let mut session = Session::default();
    for line in ["put a 1", "help", "for i in {1..3}; do put a $i; done"] {
        session.exec(line);
    }
    let status = session.views().status;
    assert_eq!(
        (status.beat.number, status.beat.count, status.is_told),
        (4, 4, false)
    );
    assert_eq!(by(&mut session, -2), (2, 2));
    // A branch has the beats that it shares with its origin, followed by its own beats.
    session.exec("put b 1");
    let beat = session.views().status.beat;
    assert_eq!(
        (beat.number, beat.count, beat.first, beat.last),
        (3, 3, 3, 3)
    );
    // The same holds for commands that a person types after a story.
    let mut session = loaded(FILE);
    session.seek(SeekTo::End);
    session.exec("put d 1");
    let beat = session.views().status.beat;
    assert_eq!((beat.number, beat.count, beat.text), (5, 5, None));
}

#[test]
fn in_a_transcript_a_comment_tells_of_the_command_below_it() {
    let mut session = loaded("# two\n$ put a 1\nOK\n$ put a 2\nOK\n$ put a 3\nOK\n");
    session.seek(SeekTo::End);
    assert_eq!(session.views().status.beat.count, 3);
    session.seek(SeekTo::Step(1));
    assert_eq!(session.views().status.beat.text.as_deref(), Some("two"));
    session.seek(SeekTo::Step(2));
    assert_eq!(session.views().status.beat.text, None);
}

#[test]
fn the_terminal_says_a_comment_once_and_the_line_has_a_mark_for_each_beat() {
    let mut session = loaded(FILE);
    session.seek(SeekTo::End);
    let queries = |last, columns| Queries {
        terminal: Some(TerminalQuery { last, beat: 0 }),
        timeline: Some(TimelineQuery { columns }),
        ..Queries::default()
    };
    let mut views = |last, columns| {
        session.handle(
            ToEngine::Notification(Notification::Show(queries(last, columns).into())),
            &mut Vec::new(),
        );
        session.views()
    };
    let shown = views(10, 300);
    let comments = shown
        .terminal
        .expect("it was asked for")
        .entries
        .into_iter();
    let comments: Vec<_> = comments
        .map(|entry| entry.comment.unwrap_or_default())
        .collect();
    assert_eq!(
        comments,
        [
            "Two keys are put.",
            "",
            "A third one. It is c.",
            "",
            "Nothing is sent."
        ]
    );
    let cut = views(4, 300).terminal.expect("it was asked for").entries;
    assert_eq!(
        cut[0].comment, None,
        "its comment stands above an earlier command"
    );
    let marks = shown.timeline.expect("it was asked for").beats;
    let marks: Vec<_> = marks
        .iter()
        .map(|mark| (mark.step, mark.revision, &*mark.label))
        .collect();
    assert_eq!(
        marks,
        [
            (2, 3, "Two keys are put."),
            (3, 4, "A third one."),
            (4, 5, "put c 2"),
            (4, 5, "Nothing is sent.")
        ]
    );
    assert_eq!(views(4, 40).timeline.expect("it was asked for").beats, []);
}

#[test]
fn the_commands_of_the_beat_at_the_cursor_come_with_their_outputs() {
    let mut session = loaded(FILE);
    let terminal = Some(TerminalQuery { last: 0, beat: 10 });
    let queries = Queries {
        terminal,
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    let commands = |session: &mut Session| -> Vec<String> {
        let entries = session.views().terminal.expect("it was asked for").beat;
        entries.into_iter().map(|entry| entry.command).collect()
    };
    assert_eq!(commands(&mut session), Vec::<String>::new());
    let mut beats = Vec::new();
    for _ in 1..=4 {
        by(&mut session, 1);
        beats.push(commands(&mut session).join("; "));
    }
    // The last beat has no steps, so its command has the last step of the previous beat.
    assert_eq!(
        beats,
        ["put a 1; put b 1", "put c 1", "put c 2", "show revision"]
    );
    by(&mut session, -1);
    assert_eq!(commands(&mut session), ["put c 2"]);
    session.seek(SeekTo::Step(1));
    assert_eq!(commands(&mut session), ["put a 1"], "the other comes later");
    // A command that a person types is a beat of its own, also on a branch.
    session.exec("put d 1");
    assert_eq!(commands(&mut session), ["put d 1"]);
}

#[test]
fn the_commands_of_the_beat_that_were_not_requested_are_counted() {
    let mut session = loaded(FILE);
    by(&mut session, 1);
    for (beat, expected) in [(0, (0, 2)), (1, (1, 1)), (2, (2, 0))] {
        let queries = Queries {
            terminal: Some(TerminalQuery { last: 0, beat }),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        let view = session.views().terminal.expect("it was asked for");
        assert_eq!((view.beat.len(), view.beat_earlier), expected);
    }
}

#[test]
fn a_picture_that_there_is_not_is_refused() {
    let mut session = Session::default();
    let text = "#! title: x\n#! picture: tree\nput a 1\n----\nOK\n";
    let done = session.load(Source::Text(text.into()), SeekTo::Default);
    let message =
        "line 2: there is no picture `tree`; the pictures are index, watch, cache, messages, storage, cluster and qos"
            .into();
    assert_eq!(done, Done::Refused { message });
}

/// A published run, which the page opens by its name.
struct Published {
    /// The name of the run in addresses, such as `slow-client` or `cache/compaction_passes_the_cache`.
    name: String,
    source: Source,
    text: String,
    title: String,
}

impl Published {
    fn new(name: String, source: Source, text: String) -> Self {
        let file = format::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let title = file.header("title").unwrap_or_default().to_owned();
        Self {
            name,
            source,
            text,
            title,
        }
    }
}

fn published() -> Vec<Published> {
    let stories = stories::ALL.iter().map(|story| {
        let source = Source::Story(story.name.into());
        Published::new(story.name.into(), source, story.text.into())
    });
    let behaviour = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour");
    let folders = entries(&behaviour).into_iter();
    let folders = folders.filter(|folder| !folder.ends_with("stories"));
    let scenarios = folders.flat_map(|folder| entries(&folder)).map(|path| {
        let name = path.strip_prefix(&behaviour).expect("a path in the folder");
        let name = name.with_extension("").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        let source = Source::Text(text.clone());
        Published::new(name, source, text)
    });
    stories.chain(scenarios).collect()
}

/// Returns the paths of all entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    paths.sort();
    paths
}

/// Returns the faults of a run that would disturb a reader who goes through the run beat by beat.
fn faults(run: &Published, all: &[Published]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, fault: &str| {
        if !holds {
            faults.push(format!("{}: {fault}", run.name));
        }
    };
    let title = &run.title;
    check(
        (1..=TITLE_CHARS_MAX).contains(&title.chars().count()) && !title.ends_with('.'),
        "a title is short and has no full stop",
    );
    let same = all.iter().filter(|other| other.title == *title).count();
    check(same == 1, "another run has the same title");

    let mut session = Session::default();
    session.load(run.source.clone(), SeekTo::End);
    let status = session.views().status;
    let is_one_branch = status.branches.len() == 1;
    check(is_one_branch, "`world` or `fork` hides the beats above it");
    let opening = status.opening.unwrap_or_default();
    check(opening.ends_with('.'), "no opening sentence");
    let beats = status.beat.count;
    let is_few = (BEATS_MIN..=BEATS_MAX).contains(&beats);
    check(is_few, &format!("{beats} beats"));
    let file = format::parse(&run.text).expect("it was read before");
    let has_cover = file.cover().is_none_or(|cover| cover <= beats);
    check(has_cover, "the cover is not a beat of the run");
    let steps = status.steps;
    let pause = Limits::FIGURE.load_steps;
    let is_whole = pause.is_none_or(|pause| steps <= pause);
    check(is_whole, &format!("a figure pauses in its {steps} steps"));
    session.seek(SeekTo::Beat(1));
    let has_picture = session.views().status.beat.picture.is_some();
    check(has_picture, "no picture for the first beat");

    check(!status.ways.is_empty(), "no way on");
    for way in &status.ways {
        let lesson = lessons::ALL.iter().any(|lesson| lesson.name == way.target);
        let target = all.iter().find(|other| other.name == way.target);
        let target_is_there = lesson || target.is_some();
        check(target_is_there, &format!("no {}", way.target));
        check(way.target != run.name, "it leads to itself");
        let is_scenario = way.target.contains('/');
        let is_titled = !is_scenario || target.is_some_and(|target| target.title == way.title);
        check(is_titled, &format!("another title than {}'s", way.target));
    }

    for block in &file.blocks {
        let has_words = block
            .beat
            .as_ref()
            .is_some_and(|beat| !beat.text.is_empty());
        let line = block.line;
        check(has_words, &format!("line {line}: a command without words"));
    }
    faults
}

#[test]
fn each_published_run_has_an_opening_few_beats_and_a_way_on() {
    let all = published();
    assert!(all.len() >= PUBLISHED_MIN, "only {} runs", all.len());
    let faults: Vec<_> = all.iter().flat_map(|run| faults(run, &all)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
