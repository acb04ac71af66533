//! Timelines of watches with etcd's own limits, computed by hand from etcd's source. These timelines need too many
//! commands or too large values for a behaviour file.

use crate::support::session_after;
use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::api::{Profile, WatchResponse};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Notification, ToEngine};
use watchglass_engine::trace::{ClientTrace, Event, NetTrace, TraceEvent, WatchTrace};
use watchglass_engine::view::{Queries, WatchQuery};

fn with(lines: &[&str]) -> Session {
    session_after(Profile::default(), lines)
}

fn watch_events(session: &Session) -> impl Iterator<Item = (Event, WatchTrace)> {
    session
        .run()
        .recording()
        .iter()
        .filter_map(|e| match e.what.clone() {
            TraceEvent::Watch(what) => Some((e, what)),
            _ => None,
        })
}

/// The responses that the member sent, and the responses that watches received.
fn responses(session: &Session) -> (Vec<WatchResponse>, Vec<WatchResponse>) {
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for event in session.run().recording().iter() {
        match &event.what {
            TraceEvent::Net(NetTrace::Sent { body, .. }) => {
                if let Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) = &**body
                    && !response.created
                {
                    sent.push(WatchResponse::clone(response));
                }
            }
            TraceEvent::Client(ClientTrace::Received { response, .. }) if !response.created => {
                received.push(WatchResponse::clone(response));
            }
            _ => {}
        }
    }
    (sent, received)
}

/// The channel of a stream can contain 128 responses. If no link delays the messages, one more response is in flight.
#[test]
fn a_client_that_does_not_read_makes_a_victim_of_the_130th_write() {
    let mut session = with(&["set stream-window 0", "watch k as slow", "pause slow"]);
    let mut victim_at = 0;
    for put in 1..=140 {
        session.exec(&format!("put k {put}"));
        let is_victim =
            |(_, what): (_, WatchTrace)| matches!(what, WatchTrace::BecameVictim { .. });
        if victim_at == 0 && watch_events(&session).any(is_victim) {
            victim_at = put;
        }
    }
    assert_eq!(victim_at, 130);
    let kv = session.world().at_endpoint().watchable();
    let (_, watcher) = kv.watchers().next().expect("one watch");
    assert_eq!(
        (kv.channel_len(watcher.stream), watcher.min_rev),
        (128, 132)
    );

    session.exec("resume slow");
    session.exec("run 300ms");
    // The held batch arrives with the revision of its event in the header, and the other events arrive in one response
    // with the current revision.
    let (_, received) = responses(&session);
    let shape = |r: &WatchResponse| {
        let first = r.events.first().map_or(0, |e| e.kv.mod_revision);
        (r.events.len(), first, r.header.revision)
    };
    assert_eq!(received.len(), 131);
    assert_eq!(shape(&received[128]), (1, 130, 130));
    assert_eq!(shape(&received[129]), (1, 131, 131));
    assert_eq!(shape(&received[130]), (10, 132, 141));
    assert_eq!(
        session.world().at_endpoint().watchable().counts(),
        (1, 0, 0)
    );
}

/// A response contains at most 1000 revisions. If a sync pass does not reduce the number of unsynced watchers, the next
/// pass starts 100 ms after its end. A pass reads all rows from the watcher's revision on, so each pass is shorter than
/// the pass before it.
#[test]
fn one_watcher_catches_up_with_5000_revisions_in_five_sync_passes() {
    let session = with(&[
        "for i in {1..5000}; do put k $i; done",
        "watch k --rev=2 as w1",
        "run 600ms",
    ]);
    let caught_up: Vec<(u64, i64, i64, i64)> = watch_events(&session)
        .filter_map(|(event, what)| match what {
            WatchTrace::CaughtUp {
                from,
                to,
                more_from,
                ..
            } => Some((event.at.0, from, to, more_from)),
            _ => None,
        })
        .collect();
    let first = caught_up[0].0;
    let since: Vec<_> = caught_up
        .iter()
        .map(|(at, from, to, more)| ((at - first) / 1_000, *from, *to, *more))
        .collect();
    assert_eq!(
        since,
        [
            (0, 2, 1001, 1002),
            (104, 1002, 2001, 2002),
            (208, 2002, 3001, 3002),
            (311, 3002, 4001, 4002),
            (413, 4002, 5001, 0),
        ]
    );
    let (sent, _) = responses(&session);
    assert!(
        sent.iter()
            .all(|r| r.events.len() == 1000 && r.header.revision == 5001)
    );
}

/// If the client requests fragments, etcd splits a response that is larger than 1.5 MiB (`--max-request-bytes`) plus
/// 512 KiB, and the client joins the fragments.
#[test]
fn a_large_response_is_split_when_its_watch_wants_that() {
    let value = "v".repeat(900_000);
    let puts: Vec<String> = (1..=3).map(|n| format!("put k{n} {value}")).collect();
    let mut lines: Vec<&str> = puts.iter().map(String::as_str).collect();
    lines.push("watch k --prefix --rev=2 --fragment as parts");
    lines.push("run 150ms");
    let session = with(&lines);
    let (sent, received) = responses(&session);
    let parts: Vec<(usize, bool)> = sent.iter().map(|r| (r.events.len(), r.fragment)).collect();
    assert_eq!(parts, [(2, true), (1, false)]);
    let whole: Vec<(usize, bool)> = received
        .iter()
        .map(|r| (r.events.len(), r.fragment))
        .collect();
    assert_eq!(whole, [(3, false)]);

    lines[3] = "watch k --prefix --rev=2 as whole";
    let session = with(&lines);
    let (sent, _) = responses(&session);
    let parts: Vec<(usize, bool)> = sent.iter().map(|r| (r.events.len(), r.fragment)).collect();
    assert_eq!(parts, [(3, false)]);
}

/// `recvLoop` cancels a watcher before it waits for room in the control channel. The requests behind it are not
/// handled, so their watchers still exist.
#[test]
fn the_loops_of_a_stream_are_in_its_view() {
    let mut session = with(&[
        "set stream-window 0",
        "watch /a as w1",
        "for i in {2..21}; do watch /b as w$i on w1; done",
        "slow w1 1s",
        "for i in {2..21}; do unwatch w$i; done",
    ]);
    let mut loops = || {
        let queries = Queries {
            watch: Some(WatchQuery::default()),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        let view = session.views().watch;
        let stream = view.expect("the view was requested").streams.remove(0);
        session.exec("run 30s");
        (
            stream.requests,
            stream.recv_in_hand,
            stream.control,
            stream.watchers_total,
        )
    };
    assert_eq!(loops(), (2, 1, 16, 3));
    assert_eq!(loops(), (0, 0, 0, 1));
}
