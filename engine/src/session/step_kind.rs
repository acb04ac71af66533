//! The kind of a step, which selects the step's marker on the timeline.

use crate::base::ids::NodeId;
use crate::trace::{
    ChangeKind, ClientTrace, Event, KubeTrace, LeaseTrace, NetTrace, QosTrace, TraceEvent,
    WatchTrace,
};
use crate::view::MarkerKind;

/// Returns the kind of the most important event in a step.
pub(super) fn of(events: &[Event]) -> MarkerKind {
    // In a step that sends a message from or to the terminal, the messages themselves do not determine the kind.
    let is_typed = events.iter().any(is_typed);
    let traced = events
        .iter()
        .filter(|event| !is_typed || !is_passage(event));
    let kinds = traced.map(|event| kind(&event.what));
    let most = kinds.max().unwrap_or(MarkerKind::Time);
    // A loss is more important than most events, but less important than a write.
    if most < MarkerKind::Write && events.iter().any(is_lost) {
        return MarkerKind::Fault;
    }
    most
}

fn is_typed(event: &Event) -> bool {
    let TraceEvent::Net(NetTrace::Sent { from, to, .. }) = &event.what else {
        return false;
    };
    [from, to].contains(&&NodeId::Etcdctl)
}

fn is_passage(event: &Event) -> bool {
    let TraceEvent::Net(what) = &event.what else {
        return false;
    };
    matches!(what, NetTrace::Sent { .. } | NetTrace::Arrived { .. })
}

fn is_lost(event: &Event) -> bool {
    matches!(&event.what, TraceEvent::Net(NetTrace::Sent { lost, .. }) if !lost.is_empty())
}

fn kind(what: &TraceEvent) -> MarkerKind {
    match what {
        TraceEvent::CompactionScheduled { .. } => MarkerKind::Compact,
        TraceEvent::CompactionBatch { .. } | TraceEvent::CompactionFinished { .. } => {
            MarkerKind::Scrub
        }
        TraceEvent::Changed {
            kind: ChangeKind::Delete,
            ..
        } => MarkerKind::Delete,
        TraceEvent::Changed { .. } => MarkerKind::Write,
        TraceEvent::Defragmented { .. } => MarkerKind::Scrub,
        TraceEvent::NoSpaceRaised { .. } | TraceEvent::NoSpaceDisarmed => MarkerKind::Refused,
        TraceEvent::MembersChanged(_) => MarkerKind::Write,
        TraceEvent::Qos(QosTrace::Limited { .. }) => MarkerKind::Refused,
        TraceEvent::Qos(_) => MarkerKind::Read,
        TraceEvent::Restored { .. } | TraceEvent::SnapshotInstalled { .. } => MarkerKind::Fault,
        TraceEvent::Refused { .. } => MarkerKind::Refused,
        TraceEvent::Lease(what) => lease(what),
        TraceEvent::Received { .. }
        | TraceEvent::Read { .. }
        | TraceEvent::RangeChunk { .. }
        | TraceEvent::ReadAbandoned
        | TraceEvent::Compared { .. }
        | TraceEvent::NothingChanged { .. }
        | TraceEvent::Hashed { .. }
        | TraceEvent::AutoCompaction { .. }
        | TraceEvent::CompactionWaits => MarkerKind::Read,
        TraceEvent::Applied { .. }
        | TraceEvent::Committed { .. }
        | TraceEvent::Replied
        | TraceEvent::TimePassed { .. } => MarkerKind::Time,
        TraceEvent::Watch(what) => watch(what),
        TraceEvent::Net(what) => net(what),
        TraceEvent::Client(what) => client(what),
        TraceEvent::Kube(what) => kube(what),
    }
}

fn lease(what: &LeaseTrace) -> MarkerKind {
    match what {
        LeaseTrace::Granted { .. }
        | LeaseTrace::Renewed { .. }
        | LeaseTrace::RenewalWaits { .. }
        | LeaseTrace::Checkpointed { .. }
        | LeaseTrace::Revoked { .. } => MarkerKind::Lease,
        LeaseTrace::Missing { .. } => MarkerKind::Read,
        LeaseTrace::OfKey { .. } | LeaseTrace::Looked { .. } => MarkerKind::Time,
    }
}

fn watch(what: &WatchTrace) -> MarkerKind {
    match what {
        WatchTrace::Refused { .. }
        | WatchTrace::LeaderMissing { .. }
        | WatchTrace::Overtaken { .. }
        | WatchTrace::PassedOver { .. } => MarkerKind::Refused,
        WatchTrace::Swept { .. }
        | WatchTrace::CaughtUp { .. }
        | WatchTrace::VictimSent { .. }
        | WatchTrace::BecameVictim { .. } => MarkerKind::SyncPass,
        WatchTrace::StreamOpened { .. }
        | WatchTrace::StreamClosed { .. }
        | WatchTrace::Created { .. }
        | WatchTrace::Canceled { .. }
        | WatchTrace::Progress { .. }
        | WatchTrace::ProgressWithheld { .. } => MarkerKind::Watch,
        WatchTrace::Notified { .. } | WatchTrace::PrevKvRead { .. } => MarkerKind::Time,
    }
}

fn net(what: &NetTrace) -> MarkerKind {
    match what {
        NetTrace::Sent { .. } | NetTrace::Arrived { .. } | NetTrace::Waits { .. } => {
            MarkerKind::Delivery
        }
        NetTrace::Released { .. } | NetTrace::Delayed { .. } | NetTrace::Broken { .. } => {
            MarkerKind::Fault
        }
    }
}

fn client(what: &ClientTrace) -> MarkerKind {
    match what {
        ClientTrace::Opened { .. }
        | ClientTrace::Wants { .. }
        | ClientTrace::ResumesFrom { .. }
        | ClientTrace::Ended { .. } => MarkerKind::Watch,
        ClientTrace::Received { .. }
        | ClientTrace::Listed { .. }
        | ClientTrace::Polled { .. }
        | ClientTrace::KeptAlive { .. }
        | ClientTrace::Monitored { .. }
        | ClientTrace::Printed { .. }
        | ClientTrace::Ran { .. }
        | ClientTrace::FoundGone { .. } => MarkerKind::Delivery,
        ClientTrace::Paused { .. }
        | ClientTrace::Resumed { .. }
        | ClientTrace::Disconnected { .. }
        | ClientTrace::Connected { .. }
        | ClientTrace::Stopped { .. }
        | ClientTrace::Started { .. }
        | ClientTrace::Retries { .. }
        | ClientTrace::Changed { node: Some(_), .. } => MarkerKind::Fault,
        ClientTrace::Changed { node: None, .. } => MarkerKind::Setting,
    }
}

fn kube(what: &KubeTrace) -> MarkerKind {
    match what {
        KubeTrace::Lists { .. }
        | KubeTrace::Listed { .. }
        | KubeTrace::WatchBegan { .. }
        | KubeTrace::Replaced { .. } => MarkerKind::Watch,
        KubeTrace::CacheLost { .. } => MarkerKind::Refused,
        KubeTrace::Checked { is_consistent, .. } => match is_consistent {
            true => MarkerKind::Read,
            false => MarkerKind::Refused,
        },
        KubeTrace::CacheMoved { .. }
        | KubeTrace::BookmarkSent { .. }
        | KubeTrace::Hears { .. }
        | KubeTrace::Events { .. }
        | KubeTrace::Notified { .. } => MarkerKind::Delivery,
        KubeTrace::ProgressAsked { .. } => MarkerKind::SyncPass,
        KubeTrace::Answered { how, .. } if how.code >= 400 => MarkerKind::Refused,
        KubeTrace::Asked { .. }
        | KubeTrace::Waits { .. }
        | KubeTrace::FallsBack { .. }
        | KubeTrace::Answered { .. }
        | KubeTrace::Sends { .. } => MarkerKind::Read,
        KubeTrace::WatchEnded { .. } | KubeTrace::StreamEnds { .. } => MarkerKind::Watch,
        KubeTrace::Container { .. } | KubeTrace::EventsEtcd { .. } => MarkerKind::Setting,
        KubeTrace::BacksOff { .. } => MarkerKind::Time,
    }
}
