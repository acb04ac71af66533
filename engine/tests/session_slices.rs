//! Long work runs in slices. After each slice, the host can pause the work in order to draw the page, or process a
//! message that interrupts the work. A replay of a stopped run gives the same result.

use crate::support::answer_text;
use watchglass_engine::session::protocol::{FromEngine, ProgressUnit, RunningCommand};
use watchglass_engine::session::{
    Act, Done, Limits, Move, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};

/// The commands that create a cluster in which an event is always scheduled.
const CLUSTER: [&str; 3] = [
    "apiserver api-1",
    "informer pods as i",
    "load w --creates=20",
];

fn with(lines: &[&str]) -> Session {
    let mut session = Session::default();
    for line in lines {
        session.exec(line);
    }
    session
}

fn revision(session: &Session) -> i64 {
    session.world().at_endpoint().store().current_rev()
}

fn begin(session: &mut Session, id: u32, text: &str) {
    let text = text.to_owned();
    session.handle(
        ToEngine::Request(id, Request::Act(Act::Type(text))),
        &mut Vec::new(),
    );
}

fn answer(out: &[FromEngine], wanted: u32) -> Option<&Done> {
    out.iter().find_map(|message| match message {
        FromEngine::Done { id, done } if *id == wanted => Some(done),
        _ => None,
    })
}

fn answered(out: &[FromEngine], wanted: u32) -> bool {
    answer(out, wanted).is_some()
}

/// Asserts that replays of the run's inputs and of its typed lines give the same run.
fn assert_same_again(session: &mut Session, what: &str) -> Session {
    let digest = session.run().head().digest();
    assert_eq!(session.run().replayed().digest(), digest, "inputs: {what}");
    let saved = answer_text(session, ToEngine::Request(99, Request::Read(Read::Save)));
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::Default);
    assert_eq!(again.run().head().digest(), digest, "log: {what}");
    assert_eq!(again.cursor(), session.cursor(), "{what}");
    again
}

#[test]
fn a_step_of_a_million_millions_can_be_interrupted_and_is_made_again() {
    let mut session = with(&CLUSTER);
    let began = session.run().len();
    let mut out = Vec::new();
    begin(&mut session, 1, "step 1000000000000");
    assert!(session.pump(500, &mut out));
    let steps = session.run().len() - began;
    assert!((400..=500).contains(&steps), "{steps}");
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert_eq!(answer(&out, 1), Some(&Done::Interrupted));
    assert!(!session.pump(1, &mut out));
    assert_eq!(session.run().len() - began, steps);
    assert_same_again(&mut session, "step");
}

#[test]
fn a_command_ends_at_its_limit_with_a_sentence() {
    for text in ["step 1000000000000", "run 1000h"] {
        let mut session = with(&CLUSTER);
        let began = session.run().len();
        let limits = Limits {
            command_steps: 300,
            ..Limits::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Limit(limits)),
            &mut Vec::new(),
        );
        let done = session.exec(text);
        assert_eq!(session.run().len() - began, 300);
        let wanted = "stopped after 300 steps, the maximum for one command";
        assert!(done.stderr.contains(wanted), "{done:?}");
        assert_same_again(&mut session, text);
    }
}

#[test]
fn one_piece_is_at_most_one_step() {
    let commands = [
        "populate --nodes=20 --pods=30",
        "apiserver api-1",
        "put /a 1",
        "get /a",
        "txn",
        "",
        "put /a 2",
        "",
        "",
        "watch /a --prefix as w1",
        "watch -i as w2",
        "watch /a",
        "watch /b",
        "",
        "put /a 3",
        "recv w1",
        "kubectl get pods",
        "kubectl get pods --watch as k1",
        "informer pods as i1",
        "kubelets 20 as fleet --every=40ms --server=api-1",
        "load w --creates=20 --clients=2",
        "run 200ms",
        "recv k1",
        "unwatch w2",
        "compact 600",
        "step 30",
    ];
    let mut session = Session::default();
    for (n, line) in commands.iter().enumerate() {
        let mut out = Vec::new();
        begin(&mut session, n as u32, line);
        loop {
            let before = session.run().len();
            let more = session.pump(1, &mut out);
            let made = session.run().len() - before;
            assert!(made <= 1, "{line}: {made} steps in one piece");
            if !more {
                break;
            }
        }
        assert!(answered(&out, n as u32), "{line}");
    }
    assert!(session.run().len() > 100, "{}", session.run().len());
    assert_same_again(&mut session, "all");
}

#[test]
fn a_command_that_was_stopped_anywhere_is_made_again_as_it_was() {
    let start = [
        "apiserver api-1",
        "watch /a --prefix as w1",
        "load w --creates=50 --clients=3",
        "net w1 delay 200ms",
        "put /a/0 1",
    ];
    let commands = [
        "put /a/1 2",
        "watch /b as w2",
        "watch -i as w3\nwatch /a\nwatch /b\n",
        "recv w1",
        "kubectl get pods",
        "kubectl get pods --watch as k1",
        "stop etcd",
        "pause etcd\nput /a/2 1",
        "run 300ms",
        "step 40",
    ];
    for text in commands {
        for pieces in [0, 1, 2, 4, 7, 20] {
            let what = format!("{text} after {pieces}");
            let mut session = with(&start);
            let mut out = Vec::new();
            begin(&mut session, 1, text);
            if pieces > 0 {
                session.pump(pieces, &mut out);
            }
            session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
            assert!(answered(&out, 1), "{what}");
            let mut again = assert_same_again(&mut session, &what);
            // Both runs continue in the same way, and so do branches that start at the end of each.
            for line in ["put /c 1", "run 50ms"] {
                session.exec(line);
                again.exec(line);
            }
            let digest = session.world().digest();
            assert_eq!(again.world().digest(), digest, "{what}");
            session.seek(SeekTo::Step(session.run().len() / 2));
            session.exec("put /d 1");
            assert_same_again(&mut session, &what);
        }
    }
}

#[test]
fn a_question_about_the_past_is_asked_in_pieces_too() {
    let mut session = with(&[
        "put /a 1",
        "put /a 2",
        "pause etcd",
        "run 1ms",
        "resume etcd",
    ]);
    let step = session.run().len() - 1;
    session.seek(SeekTo::Step(step));
    let (digest, typed) = (session.run().head().digest(), session.run().len());
    begin(&mut session, 1, "get /a");
    let mut out = Vec::new();
    session.pump(2, &mut out);
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert_eq!(answer(&out, 1), Some(&Done::Interrupted));
    assert_eq!(session.run().head().digest(), digest);
    assert_eq!((session.cursor(), session.run().len()), (step, typed));
    assert_same_again(&mut session, "a question that was stopped");
}

/// Returns a saved run of one long command.
fn kept(text: &str) -> String {
    let mut session = with(&CLUSTER);
    session.exec(text);
    answer_text(
        &mut session,
        ToEngine::Request(1, Request::Read(Read::Save)),
    )
}

fn load(saved: &str) -> ToEngine {
    ToEngine::Request(
        7,
        Request::Load {
            source: Source::Saved(saved.to_owned()),
            at: SeekTo::Default,
        },
    )
}

#[test]
fn taking_up_a_run_again_goes_in_pieces_and_says_how_far_it_is() {
    let saved = kept("run 10s");
    let mut session = with(&["put /mine 1"]);
    let mut out = Vec::new();
    session.handle(load(&saved), &mut out);
    let mut seen: Vec<RunningCommand> = Vec::new();
    let mut pieces = 0;
    while session.pump(20, &mut out) {
        pieces += 1;
        for message in out.drain(..) {
            match message {
                FromEngine::Progress { running, id: 7, .. } => seen.extend(running),
                FromEngine::Views(_) => panic!("the former run is not drawn again"),
                _ => {}
            }
        }
        assert_eq!(revision(&session), 2, "the former run stays until then");
    }
    assert!(pieces > 20, "{pieces}");
    seen.retain(|running| running.text == "run 10s");
    assert!(seen.len() > 15, "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a.done <= b.done && a.steps < b.steps));
    let last = seen.last().expect("there are some");
    assert_eq!(
        (last.total, last.unit),
        (10_000_000, ProgressUnit::SimulatedUs)
    );
    assert!(last.done > last.total / 2 && last.done <= last.total);
    assert_eq!(session.world().now().0, 10_005_000);
}

#[test]
fn an_interrupted_load_leaves_the_former_run() {
    let saved = kept("run 10s");
    let mut session = with(&["put /mine 1"]);
    let before = session.views();
    let mut out = Vec::new();
    session.handle(load(&saved), &mut out);
    assert!(session.pump(200, &mut out));
    session.handle(ToEngine::Request(8, Request::Read(Read::State)), &mut out);
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert_eq!(answer(&out, 7), Some(&Done::Interrupted));
    assert_eq!(answer(&out, 8), Some(&Done::Interrupted));
    assert!(!session.pump(1, &mut out));
    assert_eq!(session.views(), before);
}

#[test]
fn undo_goes_in_pieces_and_can_be_interrupted() {
    let mut session = with(&CLUSTER);
    session.exec("run 10s");
    session.exec("put /a 1");
    let digest = session.world().digest();
    let mut out = Vec::new();
    session.handle(ToEngine::Request(1, Request::Act(Act::Undo)), &mut out);
    assert!(session.pump(100, &mut out), "it runs 10 s again");
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert_eq!(answer(&out, 1), Some(&Done::Interrupted));
    assert_eq!(session.world().digest(), digest);
}

#[test]
fn a_line_of_many_commands_is_read_in_pieces() {
    let mut session = Session::default();
    let mut out = Vec::new();
    begin(&mut session, 1, "for i in {1..100000}; do put /k$i v; done");
    assert!(session.pump(1000, &mut out));
    assert_eq!(revision(&session), 1, "it is still being read");
    let progress = out.iter().rev().find_map(|message| match message {
        FromEngine::Progress { running, .. } => running.as_ref(),
        _ => None,
    });
    let progress = progress.expect("it says how far it is");
    assert_eq!(progress.unit, ProgressUnit::Commands);
    assert_eq!(progress.total, 100_000);
    assert!((10_000..90_000).contains(&progress.done), "{progress:?}");
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert_eq!(answer(&out, 1), Some(&Done::Interrupted));

    // A line with an error anywhere has no effect.
    let done = session.exec("for i in {1..1000}; do put /k$i v; done; txn");
    assert_eq!((done.exit, revision(&session)), (1, 1));
}

#[test]
fn a_long_way_of_the_cursor_goes_in_pieces_and_the_newest_move_counts() {
    let mut session = with(&["for i in {1..600}; do put /k$i v; done"]);
    let mut out = Vec::new();
    let seek = |id, step| ToEngine::Request(id, Request::Move(Move::To(SeekTo::Step(step))));
    session.handle(seek(1, 250), &mut out);
    assert!(!answered(&out, 1), "250 steps are not made at once");
    session.pump(5, &mut out);
    session.handle(
        ToEngine::Request(2, Request::Move(Move::BySteps(-10))),
        &mut out,
    );
    let stays = Done::Moved { step: 600 };
    assert_eq!(answer(&out, 1), Some(&stays), "it was given up");
    while session.pump(1, &mut out) {}
    assert_eq!(answer(&out, 2), Some(&Done::Moved { step: 240 }));
    assert_eq!(revision(&session), 241);

    // A seek runs before a command that is in progress.
    session.seek(SeekTo::End);
    begin(&mut session, 3, "for i in {1..600}; do put /k$i w; done");
    session.pump(100, &mut out);
    session.handle(seek(4, 200), &mut out);
    session.pump(100, &mut out);
    assert!(answered(&out, 4) && !answered(&out, 3));
    session.handle(seek(5, 100), &mut out);
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert!(answered(&out, 5) && answered(&out, 3));
}

#[test]
fn a_load_pauses_at_its_limit_and_goes_on_when_told_to() {
    let limits = Limits {
        load_steps: Some(20),
        ..Limits::FIGURE
    };
    let text = "put /a 1\n".repeat(50);
    let mut session = with(&["put /mine 1"]);
    let mut out = Vec::new();
    session.handle(
        ToEngine::Notification(Notification::Limit(limits)),
        &mut out,
    );
    let load = |id| {
        ToEngine::Request(
            id,
            Request::Load {
                source: Source::Text(text.clone()),
                at: SeekTo::End,
            },
        )
    };
    session.handle(load(1), &mut out);
    let mut pauses = 0;
    while !answered(&out, 1) {
        while session.pump(1, &mut out) {}
        assert_eq!(revision(&session) == 51, answered(&out, 1));
        pauses += u32::from(!answered(&out, 1));
        session.handle(ToEngine::Notification(Notification::Continue), &mut out);
    }
    assert!(pauses >= 2, "{pauses}");
    let told = |m: &&FromEngine| matches!(m, FromEngine::Paused { id: 1, .. });
    assert_eq!(out.iter().filter(told).count() as u32, pauses);

    // A new load ends a paused load, and so does an interrupt; the current run stays.
    session.handle(load(2), &mut out);
    while session.pump(1, &mut out) {}
    session.handle(load(3), &mut out);
    assert!(answered(&out, 2));
    while session.pump(1, &mut out) {}
    assert!(!answered(&out, 3));
    session.handle(ToEngine::Notification(Notification::Interrupt), &mut out);
    assert!(answered(&out, 3) && !session.pump(1, &mut out));
    assert_eq!(revision(&session), 51);
}
