//! Changes of links: delay, bandwidth, loss, duplicates, and messages that a link holds.

use crate::base::ids::{MessageId, NodeId};
use crate::base::time::{SimDuration, SimTime};
use crate::sim::network::Delay;
use crate::trace::{NetTrace, TraceEvent};
use crate::words::{LinkMessages, changes as words};

use super::{Cause, InFlightMessage, Trace, World, WorldEvent, WorldEventKind};

/// A direction on the link between a client and a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the member.
    Up,
    /// From the member to the client.
    Down,
    Both,
    /// From the member to the client, and only the responses of watches. A watch has its own stream in the connection,
    /// so its responses can be late without those of other requests.
    Watches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkChange {
    /// Sets the travel time of a message.
    Delay(Delay),
    /// Sets the bandwidth in bytes per second; 0 for no limit.
    Bandwidth(u64),
    /// Sets the loss: one in N messages is lost and retransmitted; 0 for no loss.
    LossOneIn(u32),
    /// Sets the duplicates: one in N messages arrives twice; 0 for no duplicates.
    DuplicateOneIn(u32),
    Hold,
    /// Makes the link release the held messages.
    Release,
}

impl LinkChange {
    pub(super) fn sentence(self, way: Way, node: &str) -> String {
        let messages = match way {
            Way::Up => LinkMessages::Outgoing,
            Way::Down => LinkMessages::Incoming,
            Way::Both => LinkMessages::All,
            Way::Watches => LinkMessages::WatchResponses,
        };
        match self {
            Self::Delay(Delay::Fixed(delay)) => words::link_delay(messages, node, delay),
            Self::Delay(Delay::Uniform(least, most)) => {
                words::link_delay_between(messages, node, least, most)
            }
            Self::Delay(Delay::LongTail(typical)) => {
                words::link_delay_with_long_tail(messages, node, typical)
            }
            Self::Bandwidth(bytes) => words::link_bandwidth(messages, node, bytes),
            Self::LossOneIn(n) => words::link_loss(messages, node, n),
            Self::DuplicateOneIn(n) => words::link_duplicates(messages, node, n),
            Self::Hold => words::link_holds(messages, node),
            Self::Release => words::link_releases(messages, node),
        }
    }
}

impl World {
    pub(super) fn change_link(
        &mut self,
        cause: Cause,
        node: NodeId,
        way: Way,
        change: LinkChange,
        trace: Trace<'_>,
    ) {
        let sentence = change.sentence(way, &self.node_name(node));
        let cause = self.changed(cause, Some(node), sentence, trace);
        let peers = match node {
            NodeId::Member(_) => self.members().map(|(peer, _)| peer).collect(),
            _ => self.peers_of(node),
        };
        let ways = peers.into_iter().filter(|peer| *peer != node);
        let ways = ways.flat_map(|peer| {
            let (up, down) = ((node, peer), (peer, node));
            match way {
                Way::Up => vec![up],
                Way::Down | Way::Watches => vec![down],
                Way::Both => vec![up, down],
            }
        });
        for (from, to) in ways.collect::<Vec<_>>() {
            let of_watches = way == Way::Watches;
            let link = match of_watches {
                true => self.network.watch_lane(from, to),
                false => self.network.link(from, to),
            };
            match change {
                LinkChange::Delay(delay) => link.delay = delay,
                LinkChange::Bandwidth(bytes) => {
                    self.network.limit_link(self.now, (from, to), bytes);
                }
                LinkChange::LossOneIn(n) => link.loss_one_in = n,
                LinkChange::DuplicateOneIn(n) => link.duplicate_one_in = n,
                LinkChange::Hold => link.held = true,
                LinkChange::Release if of_watches => {
                    let released = self.network.release_watches(self.now, from, to);
                    self.send_released(cause, from, released, trace);
                }
                LinkChange::Release => self.release(cause, from, to, trace),
            }
        }
    }

    pub(super) fn release(&mut self, cause: Cause, from: NodeId, to: NodeId, trace: Trace<'_>) {
        let released = self.network.release(self.now, from, to);
        self.send_released(cause, from, released, trace);
    }

    /// Lets a message in flight arrive later by `by`. The later messages of its connection arrive after it, because a
    /// connection delivers its messages in order.
    pub(super) fn delay(
        &mut self,
        cause: Cause,
        message: MessageId,
        by: SimDuration,
        trace: Trace<'_>,
    ) {
        let Some((at, first)) = self.flight(message) else {
            return;
        };
        let (from, to, connection) = (first.from, first.to, first.connection);
        let sentence = words::message_delayed(message.0, by);
        let cause = self.changed(cause, Some(to), sentence, trace);
        let until = at + by;
        let follows = |event: &WorldEvent| match &event.what {
            WorldEventKind::Arrive(flight) => {
                (flight.from, flight.to, flight.connection) == (from, to, connection)
                    && flight.message >= message
            }
            _ => false,
        };
        for (at, event) in self.due.extract(follows) {
            let arrives = at.max(until);
            if let WorldEventKind::Arrive(flight) = &event.what
                && arrives > at
            {
                let message = flight.message;
                let event = TraceEvent::Net(NetTrace::Delayed { message, arrives });
                self.tell(from, cause, event, trace);
            }
            self.due.add(arrives, event);
        }
        self.network.link(from, to).arrive_not_before(until);
    }

    /// Returns a message that is on its way, and its arrival time.
    pub(super) fn flight(&self, message: MessageId) -> Option<(SimTime, &InFlightMessage)> {
        self.due.iter().find_map(|(at, event)| match &event.what {
            WorldEventKind::Arrive(flight) if flight.message == message => Some((at, flight)),
            _ => None,
        })
    }

    fn send_released(
        &mut self,
        cause: Cause,
        from: NodeId,
        released: Vec<(SimTime, InFlightMessage)>,
        trace: Trace<'_>,
    ) {
        for (arrives, flight) in released {
            let message = flight.message;
            let event = TraceEvent::Net(NetTrace::Released { message, arrives });
            let cause = self.tell(from, cause, event, trace);
            let what = WorldEventKind::Arrive(flight);
            self.due.add(arrives, WorldEvent { cause, what });
        }
    }
}
