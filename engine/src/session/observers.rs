//! The observers of a run.

use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::kube::KubeResponse;
use crate::observe::{
    ClientLog, Guard, History, KubeGuard, KubeLog, Lag, StoredChange, WatchLog, WatcherLog,
};
use crate::trace::{Event, NetTrace, TraceEvent};
use crate::world::World;

use super::memory::{CHANGE_BYTES, ITEM_BYTES, OBSERVED_BYTES};

/// The observers of a run. Each observer knows only the events up to the end of the run.
#[derive(Clone, Debug)]
pub(super) struct Observers {
    pub(super) history: History,
    pub(super) watch_log: WatchLog,
    pub(super) watcher_log: WatcherLog,
    pub(super) kube_log: KubeLog,
    pub(super) client_log: ClientLog,
    pub(super) kube_guard: KubeGuard,
    pub(super) guard: Guard,
    pub(super) lag: Lag,
    /// The estimated bytes of the observers, including the rows of the store.
    pub(super) bytes: u64,
}

impl Observers {
    /// Creates the observers of a run that starts with this world. The observers follow the member that the terminal
    /// uses.
    pub(super) fn new(world: &World) -> Self {
        let member = world.endpoint();
        Self {
            history: History::of(member),
            watch_log: WatchLog::default(),
            watcher_log: WatcherLog::of(member),
            kube_log: KubeLog::default(),
            client_log: ClientLog::for_members(world.members().count()),
            kube_guard: KubeGuard::default(),
            guard: Guard::new(member, world.config().profile),
            lag: Lag::of(member),
            bytes: 0,
        }
    }

    /// Sets the store's revision and compact revision at the start of the run; `compacted` is -1 if the store was
    /// never compacted.
    pub(super) fn begin_at(&mut self, revision: i64, compacted: i64) {
        self.kube_guard.begin_at(revision);
        if compacted > 0 {
            self.guard.begin_compacted(compacted);
        }
    }

    /// Records a change made before the run. The caller passes the oldest change first.
    pub(super) fn begin_with(&mut self, change: &StoredChange) {
        self.bytes += CHANGE_BYTES;
        self.history.begin_with(change);
        self.guard.begin_with(change);
    }

    /// Records an event. The caller must pass the shortened event, exactly as the recording stores it.
    pub(super) fn observe(&mut self, event: &Event) {
        self.bytes += observed_bytes(event);
        self.history.observe(event);
        self.watch_log.observe(event);
        self.watcher_log.observe(event);
        self.kube_log.observe(event);
        if self.client_log.observe(event) {
            self.bytes += OBSERVED_BYTES;
        }
        self.guard.observe(event);
        self.lag.observe(event, &self.history);
    }
}

/// Returns the number of bytes by which an event increases the memory of the observers. The content of a message counts
/// only once, because the sender's event and the receiver's event share it.
fn observed_bytes(event: &Event) -> u64 {
    let items = |count: usize| OBSERVED_BYTES + count as u64 * ITEM_BYTES;
    match &event.what {
        TraceEvent::Changed { key, value, .. } => CHANGE_BYTES + (key.len() + value.len()) as u64,
        TraceEvent::Watch(_) | TraceEvent::Client(_) | TraceEvent::Kube(_) => OBSERVED_BYTES,
        TraceEvent::Net(NetTrace::Sent { body, .. }) => match &**body {
            Body::Etcd(EtcdMessage::WatchAnswer { response, .. }) => items(response.events.len()),
            Body::Kube(KubeMessage::Answer { answer, .. }) => match &**answer {
                Ok(KubeResponse::List(list)) => items(list.items.len()),
                _ => 0,
            },
            Body::Kube(KubeMessage::Events { events, .. }) => items(events.len()),
            // Only the trace stores these messages, and the trace of old steps is dropped.
            Body::Etcd(
                EtcdMessage::Call { .. }
                | EtcdMessage::Answer { .. }
                | EtcdMessage::Watch { .. }
                | EtcdMessage::Peer(_)
                | EtcdMessage::PeerRemoved,
            )
            | Body::Kube(KubeMessage::Call { .. } | KubeMessage::End { .. }) => 0,
        },
        _ => 0,
    }
}
