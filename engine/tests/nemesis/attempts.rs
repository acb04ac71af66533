//! Attempts with random commands, which a session types on copies of its run.

use std::ops::Range;

use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FromEngine, Request, ToEngine};
use watchglass_engine::view::odds::{Ending, Known, NemesisView};

/// Starts a run with commands that must succeed.
pub(crate) fn started(commands: &str) -> Session {
    let mut session = Session::default();
    for line in commands.lines() {
        let executed = session.exec(line);
        assert_eq!(executed.stderr, "", "{line}");
    }
    session
}

/// Makes attempts with random commands, one for each seed, until one of the endings occurs.
pub(crate) fn try_random(
    session: &mut Session,
    endings: &[Ending],
    ignored: &[Known],
    seeds: Range<u64>,
) -> NemesisView {
    let request = Request::TryRandom {
        endings: endings.to_vec(),
        ignored: ignored.to_vec(),
        seeds,
    };
    let mut out = Vec::new();
    session.handle(ToEngine::Request(9, request), &mut out);
    while session.pump(1_000, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: 9, done } => Some(done),
        _ => None,
    });
    match done {
        Some(Done::Nemesis(view)) => *view,
        other => panic!("{other:?}"),
    }
}
