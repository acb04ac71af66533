//! Changes of the prices of work on machines and links.

use crate::apiserver::ApiServer;
use crate::base::ids::NodeId;
use crate::sim::cost::{COSTS, CostModel, CostPreset, Disk};
use crate::words::changes as words;

use super::{Cause, Trace, World};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CostChange {
    /// The preset that replaces all prices; `None` keeps the current prices.
    pub preset: Option<CostPreset>,
    /// The new kind of disk of the members; `None` keeps the current disk.
    pub disk: Option<Disk>,
    /// The names of the prices to change, as in [`COSTS`](crate::sim::cost::COSTS), each with its new value.
    pub values: Vec<(&'static str, u64)>,
}

impl CostChange {
    pub fn apply(&self, mut model: CostModel) -> CostModel {
        if let Some(preset) = self.preset {
            model = preset.model();
        }
        if let Some(disk) = self.disk {
            model = model.with_disk(disk);
        }
        for (name, value) in &self.values {
            if let Some(info) = COSTS.iter().find(|info| info.name == *name) {
                info.change(&mut model, *value);
            }
        }
        model
    }
}

impl World {
    /// Changes the prices of work. The change applies to all existing machines and links, and to those that are added
    /// later.
    pub(super) fn set_cost(&mut self, cause: Cause, change: &CostChange, trace: Trace<'_>) {
        let sentence = match change.preset {
            Some(preset) => words::prices_of_preset(preset.name()),
            None => words::PRICES_CHANGED.to_owned(),
        };
        let cause = self.changed(cause, None, sentence, trace);
        let mut model = change.apply(self.cost);
        if !self.config.format.commits_cost() {
            (model.random_write_ps, model.sequential_write_ps) = (0, 0);
        }
        self.cost = model;
        self.network.limit_bandwidth(self.now, model.bandwidth);
        self.network.set_tls(model.tls_handshake.alone_ps > 0);
        let members: Vec<NodeId> = self.etcds().map(|(node, _)| node).collect();
        for member in members {
            self.with_member(member, cause, trace, |member, out| {
                member.set_cost(model, out);
            });
        }
        let servers: Vec<NodeId> = self.apiservers().map(|(node, _)| node).collect();
        for server in servers {
            self.with(server, cause, trace, |server: &mut ApiServer, out| {
                server.set_cost(model, out);
            });
        }
    }
}
