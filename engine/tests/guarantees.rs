//! The verdict of each checker on short handwritten histories of a watch, and the indicators of the guarantees at any
//! step of a run.
//!
//! Mirrors `TestValidateWatch` in `tests/robustness/validate/validate_test.go`.

use std::sync::Arc;

use crate::support::session_after;
use watchglass_engine::api::{
    EventKind, KeyValue, Profile, ResponseHeader, WatchEvent, WatchResponse,
};
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::time::SimTime;
use watchglass_engine::observe::Guard;
use watchglass_engine::observe::guarantees::{Guarantee, GuaranteeState, Known};
use watchglass_engine::session::Session;
use watchglass_engine::trace::{ChangeKind, ClientTrace, Event, EventId, TraceEvent, WatchOptions};

const NODE: NodeId = NodeId::Client(1);

/// A history of five changes, of which the last two have the same revision, and a watch of all keys from revision 2 on:
///
/// | revision | change |
/// |---|---|
/// | 2 | put a |
/// | 3 | put a |
/// | 4 | delete of a |
/// | 5 | put a, put b |
struct Story {
    guard: Guard,
    step: u64,
}

impl Story {
    fn new(profile: Profile, options: WatchOptions) -> Self {
        let guard = Guard::new(NodeId::Member(1), profile);
        let mut story = Self { guard, step: 0 };
        story.client(ClientTrace::Wants {
            node: NODE,
            watch: "w".into(),
            stream: 0,
            range: KeyRange::From("a".into()),
            start_rev: 2,
            options,
        });
        let changes = [
            (2, ChangeKind::Create, "a"),
            (3, ChangeKind::Update, "a"),
            (4, ChangeKind::Delete, "a"),
            (5, ChangeKind::Create, "a"),
            (5, ChangeKind::Create, "b"),
        ];
        for (main, kind, key) in changes {
            let value = match kind {
                ChangeKind::Delete => "".into(),
                ChangeKind::Create | ChangeKind::Update => "v".into(),
            };
            story.happens(TraceEvent::Changed {
                main,
                sub: i64::from(key == "b"),
                kind,
                key: key.into(),
                value,
                // The checkers do not use the store's generations.
                version: 0,
                lease: 0,
                generation: 0,
                generation_ver: 0,
            });
        }
        story
    }

    fn plain() -> Self {
        Self::new(Profile::V3_6, WatchOptions::default())
    }

    fn happens(&mut self, what: TraceEvent) {
        self.step += 1;
        self.guard.observe(&Event {
            id: EventId(self.step),
            at: SimTime(self.step),
            step: self.step,
            node: Some(NodeId::Member(1)),
            cause: None,
            what,
        });
    }

    fn client(&mut self, what: ClientTrace) {
        self.happens(TraceEvent::Client(what));
    }

    fn told(&mut self, response: WatchResponse) -> &mut Self {
        self.client(ClientTrace::Received {
            node: NODE,
            watch: "w".into(),
            stream: 1,
            response: Arc::new(response),
        });
        self
    }

    fn hears(&mut self, events: &[WatchEvent]) -> &mut Self {
        let last = events.last().expect("a response about something");
        self.told(WatchResponse {
            header: at(last.kv.mod_revision),
            events: events.to_vec(),
            ..WatchResponse::default()
        })
    }

    /// The member sends a progress notification with this revision to the watch with the ID `watch_id`, or to all
    /// watches of the stream.
    fn progress(&mut self, watch_id: i64, revision: i64) -> &mut Self {
        self.told(WatchResponse {
            header: at(revision),
            watch_id,
            ..WatchResponse::default()
        })
    }

    fn resumes_from(&mut self, revision: i64) -> &mut Self {
        self.client(ClientTrace::ResumesFrom {
            node: NODE,
            watch: "w".into(),
            revision,
        });
        self
    }

    fn compacted(&mut self, revision: i64) -> &mut Self {
        self.happens(TraceEvent::CompactionScheduled { revision });
        self
    }

    fn overtaken(&mut self, compact_revision: i64) -> &mut Self {
        self.told(WatchResponse {
            canceled: true,
            compact_revision,
            ..WatchResponse::default()
        })
    }

    #[track_caller]
    fn breaks(&self, names: &str) {
        let broken: Vec<&str> = Guarantee::ALL
            .into_iter()
            .filter(|g| self.guard.verdict(*g, self.step).state == GuaranteeState::Broken)
            .map(Guarantee::name)
            .collect();
        assert_eq!(broken.join(" "), names, "{:?}", self.guard.breaches());
    }
}

fn at(revision: i64) -> ResponseHeader {
    ResponseHeader {
        revision,
        ..ResponseHeader::default()
    }
}

fn put(key: &str, create_revision: i64, mod_revision: i64, version: i64) -> WatchEvent {
    WatchEvent {
        kind: EventKind::Put,
        kv: KeyValue {
            key: key.into(),
            create_revision,
            mod_revision,
            version,
            value: "v".into(),
            lease: 0,
        },
        prev_kv: None,
    }
}

fn a2() -> WatchEvent {
    put("a", 2, 2, 1)
}

fn a3() -> WatchEvent {
    put("a", 2, 3, 2)
}

fn a4() -> WatchEvent {
    WatchEvent {
        kind: EventKind::Delete,
        kv: KeyValue {
            key: "a".into(),
            mod_revision: 4,
            ..KeyValue::default()
        },
        prev_kv: None,
    }
}

fn a5() -> WatchEvent {
    put("a", 5, 5, 1)
}

fn b5() -> WatchEvent {
    put("b", 5, 5, 1)
}

fn with_prev(event: WatchEvent, prev: Option<WatchEvent>) -> WatchEvent {
    WatchEvent {
        prev_kv: prev.map(|p| p.kv),
        ..event
    }
}

#[test]
fn what_comes_as_it_was_breaks_nothing() {
    let mut story = Story::plain();
    story
        .hears(&[a2(), a3()])
        .progress(0, 3)
        .hears(&[a4()])
        .hears(&[a5(), b5()])
        .progress(-1, 5);
    story.breaks("");
    assert_eq!(
        story.guard.verdict(Guarantee::Ordered, story.step).state,
        GuaranteeState::Holds
    );
    assert_eq!(
        story.guard.verdict(Guarantee::PrevKv, story.step).state,
        GuaranteeState::Idle
    );
}

#[test]
fn a_later_revision_first_breaks_the_order() {
    Story::plain().hears(&[a3(), a2()]).breaks("Ordered");
    // The same holds inside a revision.
    Story::plain()
        .hears(&[a2(), a3(), a4(), b5(), a5()])
        .breaks("Ordered");
    // If the later event arrived alone, the watch had a gap at that moment.
    Story::plain()
        .hears(&[a3()])
        .hears(&[a2()])
        .breaks("Ordered Reliable");
}

#[test]
fn an_event_is_heard_of_once() {
    Story::plain()
        .hears(&[a2()])
        .hears(&[a2(), a3()])
        .breaks("Unique");
    Story::plain()
        .hears(&[a2()])
        .resumes_from(2)
        .hears(&[a2(), a3()])
        .breaks("Unique Resumable");
}

#[test]
fn a_revision_is_not_divided() {
    let all = [a2(), a3(), a4()];
    Story::plain()
        .hears(&all)
        .hears(&[a5()])
        .hears(&[b5()])
        .breaks("Atomic");
    Story::plain()
        .hears(&all)
        .hears(&[b5()])
        .breaks("Atomic Reliable");
}

#[test]
fn nothing_is_left_out() {
    Story::plain().hears(&[a3()]).breaks("Reliable");
    Story::plain().hears(&[a2(), a4()]).breaks("Reliable");
    // An event that never happened is a fault, too.
    Story::plain()
        .hears(&[a2(), put("a", 2, 4, 3)])
        .breaks("Reliable");
    let mut other = a2();
    other.kv.value = "w".into();
    Story::plain().hears(&[other]).breaks("Reliable");
}

#[test]
fn a_watch_goes_on_where_it_stood() {
    let mut story = Story::plain();
    story
        .hears(&[a2()])
        .resumes_from(3)
        .hears(&[a3(), a4()])
        .breaks("");
    Story::plain()
        .hears(&[a2()])
        .resumes_from(4)
        .breaks("Resumable");
    Story::plain()
        .hears(&[a2()])
        .resumes_from(3)
        .hears(&[a4()])
        .breaks("Reliable Resumable");
}

#[test]
fn a_watch_ends_for_compaction_only_if_it_must() {
    Story::plain()
        .hears(&[a2()])
        .compacted(4)
        .overtaken(4)
        .breaks("");
    // The compact revision itself can still be read.
    Story::plain()
        .hears(&[a2()])
        .compacted(3)
        .overtaken(3)
        .breaks("Resumable");
    Story::plain()
        .hears(&[a2()])
        .compacted(4)
        .overtaken(5)
        .breaks("Resumable");
}

#[test]
fn progress_is_told_when_it_is_made() {
    Story::plain().progress(0, 2).breaks("Bookmarkable");
    Story::plain()
        .hears(&[a2()])
        .progress(-1, 3)
        .breaks("Bookmarkable");
    Story::plain().hears(&[a2()]).progress(-1, 2).breaks("");
}

#[test]
fn what_was_there_before_was_there_before() {
    let asked = WatchOptions {
        prev_kv: true,
        ..WatchOptions::default()
    };
    let story = || Story::new(Profile::V3_6, asked);
    let true_ones = [
        a2(),
        with_prev(a3(), Some(a2())),
        with_prev(a4(), Some(a3())),
        a5(),
        b5(),
    ];
    story().hears(&true_ones).breaks("");
    story().hears(&[a2(), a3()]).breaks("PrevKv");
    story()
        .hears(&[a2(), with_prev(a3(), Some(a3()))])
        .breaks("PrevKv");
    story()
        .hears(&[with_prev(a2(), Some(a2()))])
        .breaks("PrevKv");
    // A compacted previous value may be missing, but must not be wrong.
    story().compacted(3).hears(&[a2(), a3()]).breaks("");
    story()
        .compacted(3)
        .hears(&[a2(), with_prev(a3(), Some(a3()))])
        .breaks("PrevKv");
}

#[test]
fn a_life_begins_with_its_first_put() {
    Story::plain()
        .hears(&[put("a", 2, 2, 2)])
        .breaks("IsCreate");
    Story::plain()
        .hears(&[a2(), put("a", 3, 3, 1)])
        .breaks("IsCreate");
    Story::plain()
        .hears(&[a2(), a3(), a4(), put("a", 5, 5, 3), b5()])
        .breaks("IsCreate");
    let mut bare = a4();
    bare.kv.create_revision = 2;
    Story::plain().hears(&[a2(), a3(), bare]).breaks("IsCreate");
}

#[test]
fn only_what_was_asked_for_comes() {
    let no_delete = WatchOptions {
        no_delete: true,
        ..WatchOptions::default()
    };
    let story = || Story::new(Profile::V3_6, no_delete);
    story().hears(&[a2(), a3(), a5(), b5()]).breaks("");
    story().hears(&[a2(), a3(), a4()]).breaks("Filter");
}

#[test]
fn what_the_old_etcd_does_wrong_is_shown_and_explained() {
    let mut hasty = Story::new(Profile::V3_4, WatchOptions::default());
    // After a premature notification, the watch believes it is further than it is, and resumes from a revision that is
    // too high.
    hasty.progress(-1, 4).resumes_from(5).hears(&[a5(), b5()]);
    hasty.breaks("Reliable Resumable Bookmarkable");
    assert_eq!(hasty.guard.unexplained().count(), 0);
    let verdict = hasty.guard.verdict(Guarantee::Bookmarkable, hasty.step);
    assert_eq!(verdict.known, Some(Known::HastyProgress));
    assert!(
        verdict.explain.contains("etcd#15220"),
        "{}",
        verdict.explain
    );

    let mut lost = Story::new(Profile::V3_4, WatchOptions::default());
    lost.hears(&[a2(), a3()]).compacted(4).hears(&[a5(), b5()]);
    lost.breaks("Reliable");
    assert_eq!(lost.guard.unexplained().count(), 0);

    // A gap of another kind is not a known fault of etcd.
    let mut other = Story::new(Profile::V3_4, WatchOptions::default());
    other.hears(&[a2()]).compacted(4).hears(&[a5(), b5()]);
    assert_eq!(other.guard.unexplained().count(), 1);
}

/// The client requests progress while its watch is still missing old events.
#[test]
fn a_lamp_goes_out_in_the_step_that_broke_the_promise() {
    let lines = [
        "put a 1",
        "put a 2",
        "watch a --rev=2 as w",
        "progress w",
        "recv w",
    ];
    let state = |profile| {
        let session = session_after(profile, &lines);
        let run = session.run();
        let verdict = run.guard().verdict(Guarantee::Bookmarkable, run.len());
        if let Some(step) = verdict.step {
            let before = run.guard().verdict(Guarantee::Bookmarkable, step - 1);
            assert_eq!(before.state, GuaranteeState::Idle);
            assert_eq!(verdict.detail, "w, revision 3");
            // A branch from the step before has not seen the fault.
            let fork = run.fork(step - 1, run.world_at(step - 1));
            assert!(fork.guard().breaches().is_empty());
        }
        verdict.state
    };
    assert_eq!(state(Profile::V3_4), GuaranteeState::Broken);
    assert_eq!(
        state(Profile::V3_6),
        GuaranteeState::Idle,
        "it is not answered at all"
    );
}

#[test]
fn a_watch_that_lost_its_place_is_near() {
    let lines = [
        "put a 1",
        "watch a as w",
        "disconnect w",
        "put a 2",
        "put a 3",
        "compact 4",
    ];
    let mut session = session_after(Profile::V3_6, &lines);
    let state = |session: &Session| {
        let run = session.run();
        run.guard().verdict(Guarantee::Resumable, run.len()).state
    };
    assert_eq!(state(&session), GuaranteeState::Near);
    for line in ["connect w", "recv w"] {
        session.exec(line);
    }
    assert_eq!(state(&session), GuaranteeState::Holds);
}
