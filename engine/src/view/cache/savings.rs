//! What the proposals for the watch cache would save, counted: `EtcdResync`, echoed ids, shared questions.

use crate::kube::KubeVerb;
use crate::observe::Past;

/// The numbers behind the proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// Reads that wanted the newest.
    pub consistent: u64,
    /// The number of requests for etcd's revision.
    pub questions: u64,
    /// The number of relists of the cache.
    pub relists: u64,
    /// Watches that it has ended for it.
    pub ended: u64,
    /// Watches that were sent everything instead.
    pub resyncs: u64,
    /// The number of objects sent again.
    pub resynced: u64,
    /// Lists of clients that were answered, and the objects in them.
    pub lists: (u64, u64),
    /// Watches of clients that were asked for.
    pub watches: u64,
}

/// What they come to for one cache; nothing when no API server does as a proposal says. Looks at every request so
/// far, so it is for a command and not for a picture.
pub fn savings(m: Past<'_>, server: &str, resource: &str) -> Option<Savings> {
    let mut servers = m.world.apiservers();
    if !servers.any(|(_, s)| s.config().is_of_the_future()) {
        return None;
    }
    let (node, server) = m.world.apiserver_named(server)?;
    let cacher = server.cacher(resource)?;
    let (consistent, questions) = cacher.freshness().questions();
    let again = cacher.again();
    let mut savings = Savings {
        consistent,
        questions,
        relists: again.lists,
        ended: again.ended,
        resyncs: again.resyncs,
        resynced: again.resynced_objects,
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
