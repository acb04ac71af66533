//! The parts of a member, such as its log and its store: what each part contains, and which parts a step used.
//!
//! The parts are those of the figure "Internal etcd architecture" in etcd's documentation: the API, raft, the apply
//! loop, the MVCC store, the backend, the watchers and the lessor.

use crate::api::message::{Body, EtcdMessage};
use crate::base::ids::NodeId;
use crate::base::small_sort::SmallSort;
use crate::etcd::EtcdServer;
use crate::trace::{Event, NetTrace, TraceEvent};

use super::{MemberInside, MemberPart};

/// Returns the parts of a member with their sizes, and the parts that took part in these events.
pub(super) fn inside(node: NodeId, etcd: &EtcdServer, events: &[Event]) -> MemberInside {
    let own = events.iter().filter(|event| event.node == Some(node));
    let used = own.flat_map(|event| parts(&event.what));
    let mut active: Vec<MemberPart> = used.copied().collect();
    active.small_sort();
    active.dedup();
    let (synced, unsynced, victims) = etcd.watchable().counts();
    MemberInside {
        active,
        pending: etcd.proposals_pending(),
        keys: etcd.store().live_keys() as u64,
        db_bytes: etcd.db_size().0 as u64,
        watchers: synced + unsynced + victims,
        leases: etcd.lessor().len(),
    }
}

/// Returns the parts of a member that an event involves.
fn parts(event: &TraceEvent) -> &'static [MemberPart] {
    use MemberPart::{Api, Apply, Backend, Lessor, Mvcc, Raft, Watchers};
    match event {
        TraceEvent::Received { .. }
        | TraceEvent::Refused { .. }
        | TraceEvent::Replied
        | TraceEvent::Qos(_) => &[Api],
        TraceEvent::Applied { .. } => &[Apply],
        TraceEvent::Read { .. }
        | TraceEvent::RangeChunk { .. }
        | TraceEvent::ReadAbandoned
        | TraceEvent::Compared { .. }
        | TraceEvent::Changed { .. }
        | TraceEvent::Committed { .. }
        | TraceEvent::NothingChanged { .. }
        | TraceEvent::CompactionScheduled { .. }
        | TraceEvent::AutoCompaction { .. }
        | TraceEvent::CompactionWaits
        | TraceEvent::Hashed { .. } => &[Mvcc],
        TraceEvent::CompactionBatch { .. }
        | TraceEvent::CompactionFinished { .. }
        | TraceEvent::Defragmented { .. } => &[Mvcc, Backend],
        TraceEvent::Restored { .. } | TraceEvent::SnapshotInstalled { .. } => {
            &[Apply, Mvcc, Backend]
        }
        TraceEvent::NoSpaceRaised { .. }
        | TraceEvent::NoSpaceDisarmed
        | TraceEvent::MembersChanged(_) => &[Apply],
        TraceEvent::Lease(_) => &[Lessor],
        TraceEvent::Watch(_) => &[Watchers],
        TraceEvent::Net(NetTrace::Sent { body, .. }) => match &**body {
            Body::Etcd(EtcdMessage::Peer(_) | EtcdMessage::PeerRemoved) => &[Raft],
            Body::Etcd(EtcdMessage::Call { .. } | EtcdMessage::Answer { .. }) => &[Api],
            Body::Etcd(EtcdMessage::Watch { .. } | EtcdMessage::WatchAnswer { .. }) => {
                &[Api, Watchers]
            }
            Body::Kube(_) => &[],
        },
        TraceEvent::Net(_)
        | TraceEvent::TimePassed { .. }
        | TraceEvent::Client(_)
        | TraceEvent::Kube(_) => &[],
    }
}
