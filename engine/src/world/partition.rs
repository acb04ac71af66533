//! Network partitions: cut links between nodes.
//!
//! If a link between two members is cut, messages are lost, and raft sends them again. If a link between other nodes is
//! cut, messages wait until `heal`, because TCP retransmits them. Left out: connections that break because keepalives
//! fail.

use crate::base::ids::NodeId;
use crate::words::changes as words;

use super::check_op::refuse;
use super::op::{NodeName, Partition};
use super::{Cause, Trace, World};

impl World {
    /// Returns true if a partition cuts messages from one node to another.
    pub fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        self.network.is_cut(from, to)
    }

    pub(super) fn check_partition(&self, partition: &Partition) -> Result<(), String> {
        let (left, right) = self.sides(partition)?;
        refuse(left.is_empty() || right.is_empty(), || {
            "each side of a partition needs a node, such as `fault partition etcd-1 | etcd-2 etcd-3`".into()
        })?;
        let both = left.iter().find(|node| right.contains(node));
        both.map_or(Ok(()), |node| {
            let name = self.node_name(*node);
            Err(format!("{name} is on both sides of the partition"))
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

    pub(super) fn partition(&mut self, cause: Cause, partition: &Partition, trace: Trace<'_>) {
        let (left, right) = self.sides(partition).expect("the operation was checked");
        let names = |nodes: &[NodeId]| -> Vec<String> {
            nodes.iter().map(|node| self.node_name(*node)).collect()
        };
        let sentence = match partition.is_one_way {
            true => words::links_cut_one_way(&names(&left), &names(&right)),
            false => words::links_cut(&names(&left), &names(&right)),
        };
        self.changed(cause, None, sentence, trace);
        for a in &left {
            for b in &right {
                self.network.partition(*a, *b);
                if !partition.is_one_way {
                    self.network.partition(*b, *a);
                }
            }
        }
    }

    pub(super) fn heal(&mut self, cause: Cause, trace: Trace<'_>) {
        let cause = self.changed(cause, None, words::LINKS_HEALED, trace);
        for (from, to) in self.network.heal() {
            self.release(cause, from, to, trace);
        }
    }
}
