//! Counts the work that proposals for the watch cache would save: `EtcdResync`, echoed request IDs, and shared
//! revision requests.

use crate::kube::KubeVerb;
use crate::observe::Past;

/// The counts of work for one cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// The number of consistent reads that the cache served.
    pub consistent: u64,
    /// The number of times that the cache requested etcd's current revision.
    pub questions: u64,
    /// The number of times that the cache relisted.
    pub relists: u64,
    /// The number of watches that the cache ended because of a relist.
    pub ended: u64,
    /// The number of watches to which the cache sent all objects again, instead of ending the watches.
    pub resyncs: u64,
    /// The number of objects that the cache sent again to the watches counted by `resyncs`.
    pub resynced: u64,
    /// The number of successful lists sent by clients, and the number of objects in the responses.
    pub lists: (u64, u64),
    /// The number of watch requests sent by clients.
    pub watches: u64,
}

/// Counts the work of one cache. Returns `None` unless at least one API server implements one of the proposals. This
/// function visits all requests up to the cursor. Views do not call it, because that would be too slow; only commands
/// do.
pub fn savings(m: Past<'_>, server: &str, resource: &str) -> Option<Savings> {
    let mut servers = m.world.apiservers();
    if !servers.any(|(_, s)| s.config().is_of_the_future()) {
        return None;
    }
    let (node, server) = m.world.apiserver_named(server)?;
    let cacher = server.cacher(resource)?;
    let (consistent, questions) = cacher.freshness().questions();
    let cost = cacher.relist_cost();
    let mut savings = Savings {
        consistent,
        questions,
        relists: cost.lists,
        ended: cost.ended,
        resyncs: cost.resyncs,
        resynced: cost.resynced_objects,
        ..Savings::default()
    };
    let name = cacher.resource().name;
    let here = m.kube_log.requests_at(m.step).iter();
    for request in here.filter(|r| r.server == node && r.request.resource.name == name) {
        match &request.request.verb {
            KubeVerb::List { .. } => {
                if let Some((_, how)) = request.answered.as_ref().filter(|(_, how)| how.code < 400)
                {
                    savings.lists.0 += 1;
                    savings.lists.1 += how.items;
                }
            }
            KubeVerb::Watch { .. } => savings.watches += 1,
            _ => {}
        }
    }
    Some(savings)
}
