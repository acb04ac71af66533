//! Measures the time to compute the Watch view and the Messages view, in a run with many watchers and messages.

use watchglass_engine::session::{Notification, Session, ToEngine};
use watchglass_engine::view::{MessagesQuery, Queries, WatchQuery};

use super::{key, millis, runs, timed};

const REVISIONS: u64 = 10_000;

const KEYS: u64 = 500;

/// The number of times that one measurement computes the views.
const PICTURES: u32 = 50;

/// Returns a session that ran the lines in `before` and then [`REVISIONS`] - 1 puts, one per line.
fn session_of(before: &[&str]) -> Session {
    let mut session = Session::default();
    for line in before {
        session.exec(line);
    }
    for put in 1..REVISIONS {
        session.exec(&format!("put {} v", key(put % KEYS)));
    }
    session
}

fn pictures(session: &mut Session, queries: Queries) -> Vec<f64> {
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    let all = || {
        for _ in 0..PICTURES {
            std::hint::black_box(session.views());
        }
    };
    runs(|| millis(timed(all).0) / f64::from(PICTURES))
}

/// Measures the Watch view with watchers that start at different past revisions and that no sync pass has served yet.
pub(super) fn watch_view(watchers: u32) -> Vec<f64> {
    let mut session = session_of(&[]);
    let crowd = format!("watch --many={watchers} --rev=spread / --prefix as crowd");
    let done = session.exec(&crowd);
    assert_eq!(done.exit, 0, "{}", done.stderr);
    let query = WatchQuery {
        columns: 48,
        selected: Some(1),
        table_from: 0,
        table_rows: 40,
    };
    let watch = Some(query);
    pictures(
        &mut session,
        Queries {
            watch,
            ..Queries::default()
        },
    )
}

/// Measures how long the Messages view takes for the newest messages and their causes, in a run with two messages per
/// revision.
pub(super) fn messages_view() -> Vec<f64> {
    let mut session = session_of(&["watch / --prefix as w1"]);
    let query = MessagesQuery {
        most: 400,
        skipped: 0,
        selected: None,
    };
    let messages = Some(query);
    pictures(
        &mut session,
        Queries {
            messages,
            ..Queries::default()
        },
    )
}
