//! The two curves of the timeline: the greatest lag of any watch, and of any cache, after each step.
//!
//! A simple model replays the run, and independently counts the changes that each client is missing.

use crate::support::{config, session_after};
use proptest::prelude::*;
use watchglass_engine::api::Profile;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::KeyRange;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::session::{Notification, SeekTo, Session, ToEngine};
use watchglass_engine::trace::{ChangeKind, ClientTrace, Event, TraceEvent, WatchOptions};
use watchglass_engine::view::{
    CacheQuery, CurvePoint, Queries, StepCurve, TimelineQuery, TimelineView, WatchQuery,
};

/// Returns the timeline of a session, drawn with this number of columns.
fn timeline(session: &mut Session, columns: u32) -> TimelineView {
    let queries = Queries {
        timeline: Some(TimelineQuery { columns }),
        ..Queries::default()
    };
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut Vec::new(),
    );
    session.views().timeline.expect("it was asked for")
}

/// Returns the timeline, drawn so wide that each step has its own marker.
fn timeline_of_steps(session: &mut Session) -> TimelineView {
    let columns = session.run().len() as u32 * 3;
    let view = timeline(session, columns);
    assert_eq!(view.markers.len() as u64, session.run().len());
    view
}

/// Returns the value of a curve, a number of revisions, after each step from step 1 on.
fn values(curve: &StepCurve, steps: u64) -> Vec<u32> {
    let at = |step| curve.at(step).map_or(0, |point| point.revisions);
    (1..=steps).map(at).collect()
}

fn points(curve: &StepCurve) -> Vec<(u64, u32)> {
    let pair = |point: &CurvePoint| (point.step, point.revisions);
    curve.points.iter().map(pair).collect()
}

// The model of all writes and watches.

/// The naive model of a run: lists of all writes and of all watches.
#[derive(Default)]
struct Model {
    changes: Vec<(i64, Bytes, ChangeKind)>,
    watches: Vec<Asked>,
}

struct Asked {
    name: String,
    node: NodeId,
    range: KeyRange,
    options: WatchOptions,
    asked: i64,
    received: Option<i64>,
    is_confirmed: bool,
    has_ended: bool,
}

impl Model {
    fn observe(&mut self, event: &Event) {
        match &event.what {
            TraceEvent::Changed {
                main, key, kind, ..
            } => self.changes.push((*main, key.clone(), *kind)),
            TraceEvent::Restored { backup, .. } => {
                self.changes.retain(|(main, ..)| main <= backup);
            }
            TraceEvent::Client(ClientTrace::Wants {
                node,
                watch,
                range,
                start_rev,
                options,
                ..
            }) => {
                for watch in self.named(watch) {
                    watch.has_ended = true;
                }
                self.watches.push(Asked {
                    name: watch.to_string(),
                    node: *node,
                    range: range.clone(),
                    options: *options,
                    asked: start_rev - 1,
                    received: None,
                    is_confirmed: false,
                    has_ended: false,
                });
            }
            TraceEvent::Client(ClientTrace::ResumesFrom {
                watch, revision, ..
            }) => {
                for watch in self.named(watch) {
                    watch.asked = revision - 1;
                }
            }
            TraceEvent::Client(ClientTrace::Received {
                watch, response, ..
            }) => {
                for watch in self.named(watch) {
                    watch.is_confirmed |= response.created;
                    if let Some(event) = response.events.last() {
                        watch.received = Some(event.kv.mod_revision);
                    } else if response.created && watch.asked < 0 {
                        watch.asked = response.header.revision;
                    } else if !response.created && !response.canceled {
                        watch.received = Some(response.header.revision);
                    }
                }
            }
            TraceEvent::Client(ClientTrace::Ended { watch, .. }) => {
                for watch in self.named(watch) {
                    watch.has_ended = true;
                }
            }
            TraceEvent::Client(ClientTrace::Stopped { node }) => {
                let own = self.watches.iter_mut().filter(|w| w.node == *node);
                own.for_each(|watch| watch.has_ended = true);
            }
            _ => {}
        }
    }

    fn named(&mut self, name: &str) -> impl Iterator<Item = &mut Asked> {
        let named = move |watch: &&mut Asked| watch.name == name && !watch.has_ended;
        self.watches.iter_mut().filter(named)
    }

    fn open(&self) -> impl Iterator<Item = &Asked> {
        let watches = self.watches.iter();
        watches.filter(|watch| watch.is_confirmed && !watch.has_ended)
    }

    /// Returns the number of revisions from the oldest change that the client is missing to the store's revision
    /// `head`. The client knows all revisions up to `known`.
    fn lag(&self, watch: &Asked, known: i64, head: i64) -> u32 {
        let wants = |(main, key, kind): &(i64, Bytes, ChangeKind)| {
            let is_filtered = match kind {
                ChangeKind::Delete => watch.options.no_delete,
                ChangeKind::Create | ChangeKind::Update => watch.options.no_put,
            };
            *main > known && watch.range.contains(key) && !is_filtered
        };
        let missing = self.changes.iter().filter(|change| wants(change));
        let oldest = missing.map(|(main, ..)| *main).min();
        oldest.map_or(0, |oldest| (head - oldest + 1) as u32)
    }
}

/// Computes the greatest lag of any watch after each step. Asserts that `WatchLog` agrees about the events that clients
/// have received.
fn watch_lags(session: &Session) -> Vec<u32> {
    let run = session.run();
    let mut model = Model::default();
    let mut lags = Vec::new();
    for step in 1..=run.len() {
        run.events(step).iter().for_each(|e| model.observe(e));
        let head = run.step(step).expect("the step exists").revision;
        let lag = |watch: &Asked| {
            let known = watch.received.map_or(watch.asked, |r| r.max(watch.asked));
            let is_only = model
                .watches
                .iter()
                .filter(|w| w.name == watch.name)
                .count()
                == 1;
            if is_only {
                let logged = run.watch_log().known_revision(&watch.name, step);
                assert_eq!(logged, Some(known), "{} after step {step}", watch.name);
            }
            model.lag(watch, known, head)
        };
        lags.push(model.open().map(lag).max().unwrap_or(0));
    }
    lags
}

/// Reads the greatest lag of any cache after each step. The source is the Cache view of each resource.
fn cache_lags(session: &mut Session) -> Vec<u32> {
    let view = |session: &mut Session, step: u64, resource: &str| {
        session.seek(SeekTo::Step(step));
        let query = CacheQuery {
            resource: resource.into(),
            only_places: true,
            ..CacheQuery::default()
        };
        let queries = Queries {
            cache: Some(query.into()),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        session.views().cache.expect("it was asked for")
    };
    let mut lags = Vec::new();
    for step in 1..=session.run().len() {
        let mut most = 0;
        for resource in view(session, step, "").resources {
            let rows = view(session, step, &resource).caches.into_iter();
            let listed = rows.filter(|row| row.revision > 0);
            most = most.max(listed.map(|row| row.behind).max().unwrap_or(0));
        }
        lags.push(most as u32);
    }
    lags
}

fn agrees(session: &mut Session) {
    let steps = session.run().len();
    if steps == 0 {
        return;
    }
    let view = timeline_of_steps(session);
    let watch = watch_lags(session);
    let cache = cache_lags(session);
    assert_eq!(values(&view.watch_lag, steps), watch);
    assert_eq!(values(&view.cache_lag, steps), cache);
    // If etcd has a watcher for a watch, the Watch view must agree about whether the client is missing an event.
    for (step, lag) in (1..).zip(&watch) {
        session.seek(SeekTo::Step(step));
        let queries = Queries {
            watch: Some(WatchQuery::default()),
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        let mut watchers = session.views().watch.expect("it was asked for").watchers;
        // etcd keeps a watcher until the client's cancellation arrives.
        watchers.retain(|watcher| session.world().has_watch(&watcher.name));
        let mut clients = watchers.iter().filter_map(|watcher| watcher.client);
        let is_missing = clients.any(|client| client.missing > 0);
        assert!(*lag > 0 || !is_missing, "{watchers:?} after step {step}");
    }
    // Each column has the maximum of its steps.
    for columns in [1, 7, 40] {
        let view = timeline(session, columns);
        if steps * 3 <= u64::from(columns) {
            continue;
        }
        for (curve, lags) in [(&view.watch_lag, &watch), (&view.cache_lag, &cache)] {
            assert!(curve.points.len() <= columns as usize);
            let column = |step: u64| (step - 1) * u64::from(columns) / steps;
            for step in 1..=steps {
                let of_column = (1..=steps).filter(|other| column(*other) == column(step));
                let most = of_column.map(|step| lags[step as usize - 1]).max();
                let shown = curve.at(step).map_or(0, |point| point.revisions);
                assert_eq!(Some(shown), most, "{columns} columns, step {step}");
            }
        }
    }
}

/// Generates lines about watches, faults and caches.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(&["/a", "/a/1", "/b"][..]);
    let name = prop::sample::select(&["w1", "w2", "w3", "app"][..]);
    let node = prop::sample::select(&["w1", "w2", "app", "etcd", "api-1"][..]);
    let fixed = prop::sample::select(
        &[
            "watch /a --filter=nodelete as w3",
            "watch /a --prefix --progress-notify as w2",
            "watch / --prefix --rev=60 as w3",
            "listwatch /a as app --remember=keys",
            "watch --many=30 --streams=4 --rev=spread /a --prefix as crowd",
            "set watch-channel 2",
            "set stream-window 0",
            "set watch-batch-revs 2",
            "apiserver api-1",
            "kubectl create pod p1 --node=n1",
            "kubectl get pods",
            "net api-1 down hold",
            "net api-1 release",
            "snapshot save monday",
            "snapshot restore monday",
            "txn\nversion(\"/a\") > \"1\"\n\nput /a t\nput /b x\n\ndel /a\n",
        ][..],
    );
    prop_oneof![
        8 => (key.clone(), 0..9).prop_map(|(k, v)| format!("put {k} {v}")),
        2 => key.clone().prop_map(|k| format!("del {k} --prefix")),
        1 => (1..30).prop_map(|rev| format!("compact {rev}")),
        3 => (key, 0..20, name.clone()).prop_map(|(k, rev, name)| {
            format!("watch {k} --prefix --rev={rev} as {name} on w1")
        }),
        1 => name.clone().prop_map(|name| format!("unwatch {name}")),
        1 => name.clone().prop_map(|name| format!("progress {name}")),
        5 => (node, prop::sample::select(
            &["pause", "resume", "resume", "disconnect", "connect", "stop", "start"][..]
        )).prop_map(|(node, verb)| format!("{verb} {node}")),
        1 => name.clone().prop_map(|name| format!("slow {name} 20ms")),
        1 => name.prop_map(|name| format!("net {name} dup 1/3")),
        4 => (1..150).prop_map(|ms| format!("run {ms}ms")),
        6 => fixed.prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn a_walk_through_the_run_counts_the_same(script in prop::collection::vec(line(), 5..40)) {
        let mut session = Session::default();
        for line in &script {
            session.exec(line);
        }
        agrees(&mut session);
    }
}

/// The curves of a new branch are correct, too: the observers replay the steps before the branch and continue with the
/// steps of the branch.
#[test]
fn a_branch_counts_as_a_run_of_its_own() {
    let mut session = session_after(
        Profile::default(),
        &[
            "watch /a as w1",
            "put /a 1",
            "pause w1",
            "put /a 2",
            "put /a 3",
        ],
    );
    session.seek(SeekTo::Step(session.run().len() - 2));
    assert_eq!(session.exec("put /b 1").exit, 0);
    assert_eq!(session.exec("put /a 4").exit, 0);
    assert_eq!(session.exec("resume w1").exit, 0);
    agrees(&mut session);
}

#[test]
fn a_paused_client_lags_from_the_oldest_event_that_it_is_missing() {
    let mut session = session_after(
        Profile::default(),
        &[
            "put /other 1",
            "watch /a --prefix as w1",
            "put /other 2",
            "pause w1",
            "put /other 3",
            "put /a1 1",
            "put /other 4",
            "del /a1",
            "run 50ms",
        ],
    );
    let view = timeline_of_steps(&mut session);
    // Revisions 2, 3 and 4 change another key; revisions 5 to 7 are at or after the oldest missing event.
    let paused: Vec<u32> = points(&view.watch_lag)
        .into_iter()
        .map(|(_, lag)| lag)
        .collect();
    assert_eq!(paused, [1, 2, 3]);
    assert_eq!(
        view.watch_lag.highest().map(|point| point.revisions),
        Some(3)
    );
    assert_eq!(view.cache_lag, StepCurve::default());
    session.exec("resume w1");
    session.exec("run 50ms");
    let view = timeline_of_steps(&mut session);
    assert_eq!(points(&view.watch_lag).last().map(|(_, lag)| *lag), Some(0));
    agrees(&mut session);
}

#[test]
fn a_cache_lags_by_revisions_of_any_key() {
    let mut session = session_after(
        Profile::default(),
        &[
            "apiserver api-1",
            "kubectl create pod p1 --node=n1",
            "put /other 1",
            "put /other 2",
        ],
    );
    let view = timeline_of_steps(&mut session);
    let most = view.cache_lag.highest().expect("the cache lags");
    assert_eq!(most.revisions, 2, "{:?}", view.cache_lag);
    agrees(&mut session);
}

#[test]
fn a_run_without_watches_and_caches_has_no_curves() {
    let mut session = session_after(
        Profile::default(),
        &["for i in {1..40}; do put /k$i $i; done", "compact 20"],
    );
    for columns in [10, 1_000] {
        let view = timeline(&mut session, columns);
        assert_eq!(view.watch_lag, StepCurve::default());
        assert_eq!(view.cache_lag, StepCurve::default());
    }
}
