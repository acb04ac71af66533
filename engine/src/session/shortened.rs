//! Shortens long messages for the recording.

use std::sync::Arc;

use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::api::{Reply, Response};
use crate::client::kube::client::KubeClient;
use crate::kube::{KubeAnswer, KubeResponse};
use crate::trace::{Event, KubeTrace, NetTrace, TraceEvent};
use crate::world::World;

/// A run stores the objects of at most this number of lists to fleets of kubelets. Each list counts twice: when it is
/// sent and when it is received.
///
/// A fleet of kubelets receives thousands of lists, and no view shows their objects. After the first lists, the run
/// therefore stores only the number of objects of each list.
const FLEET_LISTS_KEPT: u32 = 2 * 200;

/// The maximum number of rows that a run stores from one response of etcd. A response may have 150,000 rows, but views
/// show only the number of rows.
const ROWS_KEPT: usize = 10;

/// Shortens an event: cuts a very long response to its first rows, and removes the objects from most lists that go to a
/// fleet of kubelets. Counts and sizes do not change.
pub(super) fn shorten(event: &mut Event, world: &World, fleet_lists: &mut u32) {
    let is_many = |client| world.kube_client(client).is_some_and(KubeClient::is_many);
    match &mut event.what {
        TraceEvent::Net(NetTrace::Sent { to, body, .. }) => {
            let shorter = match &**body {
                Body::Etcd(EtcdMessage::Answer { call, reply }) => {
                    short_reply(reply).map(|reply| {
                        Body::Etcd(EtcdMessage::Answer {
                            call: *call,
                            reply: Arc::new(reply),
                        })
                    })
                }
                Body::Kube(KubeMessage::Answer { call, answer }) if is_many(*to) => {
                    without_items(answer, fleet_lists).map(|answer| {
                        Body::Kube(KubeMessage::Answer {
                            call: *call,
                            answer: Arc::new(answer),
                        })
                    })
                }
                _ => None,
            };
            if let Some(shorter) = shorter {
                *body = Arc::new(shorter);
            }
        }
        TraceEvent::Kube(KubeTrace::Hears { client, answer, .. }) if is_many(*client) => {
            if let Some(shorter) = without_items(answer, fleet_lists) {
                *answer = Arc::new(shorter);
            }
        }
        _ => {}
    }
}

fn short_reply(reply: &Reply) -> Option<Reply> {
    let mut response = reply.as_ref().ok()?.clone();
    let (Response::Range(range) | Response::RangeStream(range)) = &mut response else {
        return None;
    };
    if range.kvs.len() <= ROWS_KEPT {
        return None;
    }
    range.kvs = range.kvs.head(ROWS_KEPT).into();
    Some(Ok(response))
}

fn without_items(answer: &KubeAnswer, kept: &mut u32) -> Option<KubeAnswer> {
    let Ok(KubeResponse::List(list)) = answer else {
        return None;
    };
    *kept = kept.saturating_add(1);
    let is_kept = *kept <= FLEET_LISTS_KEPT;
    (!is_kept).then(|| Ok(KubeResponse::List(list.without_items().into())))
}
