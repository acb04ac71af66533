//! Watches without a watcher in etcd: watches whose client is disconnected, watches that etcd has not confirmed yet,
//! and watches that have ended.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::bytes::KeyRange;
use crate::base::ids::NodeId;
use crate::base::small_sort::SmallSort;
use crate::client::etcd::client::watched;
use crate::observe::{Past, WatchRecord};
use crate::view::node_state::NodeState;
use crate::view::{names, node_state};
use crate::words::watch as words;
use crate::world::World;

use super::{AwayState, AwayView, WatchView};

/// The maximum number of watches without a watcher in one view.
const AWAY_DRAWN: usize = 8;

/// The maximum number of ended watches in one view. The watches that ended last are shown.
const ENDED_DRAWN: usize = 4;

/// A watch that a client needs but for which etcd has no watcher.
pub(in crate::view) struct Away<'a> {
    /// The client or API server that needs the watch.
    pub(in crate::view) node: NodeId,
    pub(in crate::view) name: &'a Arc<str>,
    pub(in crate::view) range: KeyRange,
    /// The revision from which the watch will receive events; 0 for new events only.
    pub(in crate::view) next: i64,
    /// The reason why there is no watcher.
    pub(in crate::view) state: AwayState,
}

/// Returns the watches that a member's clients need but for which the member has no watcher, grouped by client.
pub(in crate::view) fn away(world: &World, member: NodeId) -> Vec<Away<'_>> {
    let watched_names = watched_names(world, member);
    let clients = world.clients().filter(|(_, c)| c.etcd() == member);
    let clients = clients.flat_map(|(node, c)| {
        let connected = c.is_connected();
        c.streams().map(move |stream| (node, connected, stream))
    });
    let servers = world.apiservers().filter(|(_, s)| s.etcd() == member);
    let servers = servers.flat_map(|(node, s)| {
        let connected = s.is_connected();
        s.streams().map(move |stream| (node, connected, stream))
    });
    let mut found = Vec::new();
    for (node, connected, stream) in clients.chain(servers) {
        for ((name, id, next), create) in stream.watches().zip(stream.requests()) {
            if watched_names.contains(&**name) {
                continue;
            }
            found.push(Away {
                node,
                name,
                range: watched(create),
                next,
                state: match (connected, id) {
                    (false, _) => AwayState::Disconnected,
                    (true, None) => AwayState::Requested,
                    (true, Some(_)) => AwayState::Canceled,
                },
            });
        }
    }
    found
}

/// Returns the names of the watches for which the member has a watcher.
fn watched_names(world: &World, member: NodeId) -> BTreeSet<&str> {
    let Some(etcd) = world.member(member) else {
        return BTreeSet::new();
    };
    let streams = etcd.watch_streams();
    let names = streams.flat_map(|(key, state)| {
        let watches = etcd.watchable().watches_of(state.store);
        watches.filter_map(move |(watch_id, _)| world.watch_name(key, watch_id))
    });
    names.map(|name| &**name).collect()
}

/// Adds the watches without a watcher to the view. Watches that wait for a watcher are first, then watches of stopped
/// clients, then the watches that ended last.
pub(in crate::view) fn push_away(m: Past<'_>, view: &mut WatchView) {
    let mut all: Vec<AwayView> = away(m.world, m.member)
        .into_iter()
        .map(|away| waiting(m, &away))
        .collect();
    let mut ended = Vec::new();
    for (name, record) in m.watch_log.watches() {
        match &record.ended {
            _ if record.step > m.step => {}
            // When a client cancels its watch at an API server, the API server cancels the corresponding etcd watch.
            // The view omits such watches.
            Some((step, reason)) if *step <= m.step => {
                if matches!(record.node, NodeId::Client(_)) || !reason.is_empty() {
                    ended.push((*step, name, record, reason));
                }
            }
            _ => all.extend(stopped(m, name, record)),
        }
    }
    ended.small_sort_by_key(|(step, ..)| std::cmp::Reverse(*step));
    view.away_total = (all.len() + ended.len()) as u64;
    ended.truncate(ENDED_DRAWN);
    all.truncate(AWAY_DRAWN - ended.len());
    all.extend(
        ended
            .into_iter()
            .map(|(step, name, record, reason)| AwayView {
                about: end_reason(m, name, reason),
                step: Some(step),
                ..row(m, record.node, name, &record.range, AwayState::Ended)
            }),
    );
    view.away = all;
}

/// Returns the entry of a watch that has no watcher although the client still needs the watch. The entry contains the
/// command with which the watch can continue.
fn waiting(m: Past<'_>, away: &Away<'_>) -> AwayView {
    let record = m.watch_log.watch(away.name);
    let resumes = record.is_some_and(|r| r.resumed.iter().any(|(step, _)| *step <= m.step));
    let state = match away.state {
        AwayState::Requested if resumes => AwayState::Reconnecting,
        state => state,
    };
    let view = row(m, away.node, away.name, &away.range, state);
    let client = &view.client;
    let from = away.next;
    let (about, command) = match state {
        AwayState::Disconnected if !m.world.runs(m.member) => {
            (words::etcd_stopped(from), "start etcd".to_owned())
        }
        AwayState::Disconnected => (words::disconnected(from), format!("connect {client}")),
        AwayState::Canceled => (words::CANCELED_BY_ETCD.to_owned(), "run 10ms".to_owned()),
        _ => (words::requested(from), "run 10ms".to_owned()),
    };
    let (about, command) = match node_state::of(m.world, away.node) {
        _ if m.world.is_paused(m.member) => (words::and_etcd_paused(&about), "resume etcd".into()),
        NodeState::Paused => (words::and_client_paused(&about), format!("resume {client}")),
        NodeState::Held => (words::and_link_held(&about), command),
        _ => (about, command),
    };
    AwayView {
        about,
        command: Some(command),
        ..view
    }
}

/// Returns the entry of a watch that was lost because its client's process stopped; `None` if the client is running.
fn stopped(m: Past<'_>, name: &str, record: &WatchRecord) -> Option<AwayView> {
    let client = m.world.client(record.node).filter(|c| !c.is_running())?;
    let starts_again = client.app().is_some();
    Some(AwayView {
        about: match starts_again {
            true => words::CLIENT_STARTS_AGAIN,
            false => words::NOTHING_LEFT,
        }
        .into(),
        command: starts_again.then(|| format!("start {}", client.name())),
        ..row(m, record.node, name, &record.range, AwayState::Stopped)
    })
}

/// Returns the reason why a watch ended. If the reason is a compaction, the text contains the revisions.
fn end_reason(m: Past<'_>, name: &str, reason: &str) -> String {
    let last = m.watch_log.newest(name, m.step, 1, 1).unwrap_or_default();
    let compacted = last.last().map_or(0, |d| d.response.compact_revision);
    match m.watch_log.known_revision(name, m.step) {
        _ if reason.is_empty() => words::CANCELED_BY_CLIENT.to_owned(),
        Some(known) if compacted > 0 => words::compacted_at(compacted, known + 1),
        _ => reason.to_owned(),
    }
}

fn row(m: Past<'_>, node: NodeId, name: &str, range: &KeyRange, state: AwayState) -> AwayView {
    AwayView {
        name: name.to_owned(),
        client: m.world.node_name(node),
        range: names::range(range),
        state,
        ..AwayView::default()
    }
}
