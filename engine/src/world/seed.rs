//! The random numbers of a world: the delays, losses and copies of messages, the election timeouts, and the jitter of
//! timers. `reseed` replaces them from a step on, so that a run can be repeated from there with another outcome.
//!
//! The numbers that a timer drew before the step stay, except election timeouts, which are drawn again.

use crate::apiserver::ApiServer;
use crate::base::ids::NodeId;
use crate::client::etcd::client::Client;
use crate::client::kube::client::KubeClient;
use crate::words::changes as words;

use super::node::Member;
use super::{Cause, Trace, World};

impl World {
    /// Returns the seed of the random numbers of new links and nodes.
    pub(super) fn seed(&self) -> u64 {
        self.network.seed()
    }

    pub(super) fn reseed(&mut self, cause: Cause, seed: u64, trace: Trace<'_>) {
        self.changed(cause, None, words::reseeded(seed), trace);
        self.network.reseed(seed);
        let nodes: Vec<NodeId> = self.nodes.keys().copied().collect();
        for node in nodes {
            if let Some(member) = self.state::<Member>(node) {
                member.server.reseed(seed);
            } else if let Some(client) = self.state::<Client>(node) {
                client.reseed(seed);
            } else if let Some(server) = self.state::<ApiServer>(node) {
                server.reseed(seed);
            } else if let Some(client) = self.state::<KubeClient>(node) {
                client.reseed(seed);
            }
        }
    }
}
