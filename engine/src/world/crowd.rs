//! Starts a crowd: the many watches of one client that `watch KEY --many=N` starts.
//!
//! The watches of a large crowd start in several steps at the same simulated time, so that no step takes too long.

use std::sync::Arc;

use crate::api::WatchCreateRequest;
use crate::base::ids::NodeId;
use crate::base::rng::Rng;
use crate::client::etcd::client::Client;

use super::{Cause, FIRST_MEMBER, Trace, World, WorldEvent, WorldEventKind};

const WATCHES_PER_STEP: u32 = 1_000;

/// A start revision that means: each watch of the crowd starts at a different, random past revision.
const SPREAD: i64 = -1;

/// A crowd (the watches of one `watch --many` command) of which some watches have not started yet.
#[derive(Clone, Debug, Hash)]
pub(super) struct Crowd {
    client: NodeId,
    name: Arc<str>,
    create: WatchCreateRequest,
    watches: u32,
    streams: u32,
    begun: u32,
    start_revisions: Rng,
}

impl World {
    /// Adds the client of a crowd and starts the crowd's first watches.
    pub(super) fn start_crowd(
        &mut self,
        cause: Cause,
        name: &str,
        (watches, streams): (u32, u32),
        create: &WatchCreateRequest,
        trace: Trace<'_>,
    ) {
        let name: Arc<str> = name.into();
        let (client, cause) = self.add_client(cause, &name, FIRST_MEMBER, trace);
        let start_revisions = Rng::stream(self.seed(), &format!("crowd {name}"));
        let crowd = Crowd {
            client,
            name,
            create: create.clone(),
            watches,
            streams,
            begun: 0,
            start_revisions,
        };
        self.continue_crowd(cause, crowd, trace);
    }

    /// Starts the next watches of a crowd, and schedules the remaining watches for the next step.
    pub(super) fn continue_crowd(&mut self, cause: Cause, mut crowd: Crowd, trace: Trace<'_>) {
        let client = self.client(crowd.client);
        let Some(etcd) = client.and_then(|client| self.member(client.etcd())) else {
            return;
        };
        let current = etcd.store().current_rev();
        let oldest = etcd.store().compact_rev().max(1);
        let to = crowd
            .begun
            .saturating_add(WATCHES_PER_STEP)
            .min(crowd.watches);
        for i in crowd.begun..to {
            let watch: Arc<str> = format!("{}-{}", crowd.name, i + 1).into();
            let start_revision = if crowd.create.start_revision == SPREAD {
                let revisions = (current - oldest + 1).max(1) as u64;
                oldest + crowd.start_revisions.below(revisions) as i64
            } else {
                crowd.create.start_revision
            };
            let create = WatchCreateRequest {
                start_revision,
                ..crowd.create.clone()
            };
            self.watches.insert(watch.clone(), crowd.client);
            let place = i % crowd.streams;
            self.with(crowd.client, cause, trace, |client: &mut Client, out| {
                client.watch(watch, place, create, out);
            });
        }
        if to < crowd.watches {
            let what = WorldEventKind::Crowd(Box::new(Crowd { begun: to, ..crowd }));
            self.due.add(self.now, WorldEvent { cause, what });
        }
    }
}
