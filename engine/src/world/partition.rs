//! Network partitions: cut links between nodes.
//!
//! If a link between two members is cut, messages are lost, and raft sends them again. If a link between other nodes is
//! cut, messages wait until `heal`, because TCP retransmits them. Left out: connections that break because keepalives
//! fail.

use crate::base::ids::NodeId;
use crate::words::changes as words;

use super::op::{NodeName, Partition};
use super::resolve::{ResolvedOp, refuse, resolved};
use super::{Cause, Trace, World};

impl World {
    /// Returns true if a partition cuts messages from one node to another.
    pub fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        self.network.is_cut(from, to)
    }

    pub(super) fn resolve_partition(
        &self,
        partition: &Partition,
    ) -> Result<ResolvedOp<'static>, String> {
        let (left, right) = self.sides(partition)?;
        refuse(left.is_empty() || right.is_empty(), || {
            "each side of a partition needs a node, such as `fault partition etcd-1 | etcd-2 etcd-3`".into()
        })?;
        if let Some(node) = left.iter().find(|node| right.contains(node)) {
            let name = self.node_name(*node);
            return Err(format!("{name} is on both sides of the partition"));
        }
        let is_one_way = partition.is_one_way;
        resolved(move |world, cause, trace| {
            let names = |nodes: &[NodeId]| -> Vec<String> {
                nodes.iter().map(|node| world.node_name(*node)).collect()
            };
            let sentence = match is_one_way {
                true => words::links_cut_one_way(&names(&left), &names(&right)),
                false => words::links_cut(&names(&left), &names(&right)),
            };
            world.changed(cause, None, sentence, trace);
            for a in &left {
                for b in &right {
                    world.network.partition(*a, *b);
                    if !is_one_way {
                        world.network.partition(*b, *a);
                    }
                }
            }
        })
    }

    fn sides(&self, partition: &Partition) -> Result<(Vec<NodeId>, Vec<NodeId>), String> {
        let side = |names: &[NodeName]| -> Result<Vec<NodeId>, String> {
            names.iter().map(|name| self.node(name)).collect()
        };
        let left = side(&partition.left)?;
        let mut right = side(&partition.right)?;
        if right.is_empty() {
            let members = self.members().map(|(node, _)| node);
            right = members.filter(|node| !left.contains(node)).collect();
        }
        Ok((left, right))
    }

    pub(super) fn heal(&mut self, cause: Cause, trace: Trace<'_>) {
        let cause = self.changed(cause, None, words::LINKS_HEALED, trace);
        for (from, to) in self.network.heal() {
            self.release(cause, from, to, trace);
        }
    }
}
