//! Members of a cluster without a world: messages arrive at once, and a test isolates members from the others.

use std::collections::{BTreeSet, VecDeque};

use watchglass_engine::api::log_entry::PeerMessage;
use watchglass_engine::api::message::{Body, EtcdMessage};
use watchglass_engine::api::{Profile, Reply, Request};
use watchglass_engine::base::ids::{Caller, NodeId};
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::etcd::{EtcdServer, MemberTimer};
use watchglass_engine::sim::Outbox;

/// Members 1 to n of a cluster.
pub(crate) struct Members {
    pub(crate) now: SimTime,
    servers: Vec<EtcdServer>,
    timers: Vec<(SimTime, u32, MemberTimer)>,
    in_flight: VecDeque<(u32, u32, EtcdMessage)>,
    isolated: BTreeSet<u32>,
    calls: u64,
    /// The replies, each with the number of the call and the time.
    replies: Vec<(u64, SimTime, Reply)>,
    pub(crate) sent: Vec<(u32, NodeId, Body)>,
    /// All messages between the members, in order.
    pub(crate) peer_messages: Vec<PeerMessage>,
}

impl Members {
    /// Creates members that have elected a leader.
    pub(crate) fn new(count: u32, profile: Profile, seed: u64) -> Self {
        let member = |id| EtcdServer::new(profile).in_cluster(id, count, seed);
        let mut members = Self {
            now: SimTime(0),
            servers: (1..=count).map(member).collect(),
            timers: Vec::new(),
            in_flight: VecDeque::new(),
            isolated: BTreeSet::new(),
            calls: 0,
            replies: Vec::new(),
            sent: Vec::new(),
            peer_messages: Vec::new(),
        };
        for id in 1..=count {
            members.act(id, |server, out| server.start_raft(out));
        }
        members.pass(5_000);
        members
    }

    pub(crate) fn server(&self, id: u32) -> &EtcdServer {
        &self.servers[id as usize - 1]
    }

    /// Returns the leader of the newest term among the members that are not isolated.
    pub(crate) fn leader(&self) -> u32 {
        let ids = (1..=self.servers.len() as u32).filter(|id| !self.isolated.contains(id));
        let leaders = ids.filter(|id| self.server(*id).raft().is_some_and(|node| node.is_leader()));
        let newest = leaders.max_by_key(|id| self.server(*id).raft().map(|node| node.term()));
        newest.expect("a leader is elected")
    }

    pub(crate) fn followers(&self) -> Vec<u32> {
        let leader = self.leader();
        let ids = 1..=self.servers.len() as u32;
        ids.filter(|id| *id != leader).collect()
    }

    pub(crate) fn isolate(&mut self, id: u32) {
        self.isolated.insert(id);
    }

    pub(crate) fn heal(&mut self) {
        self.isolated.clear();
    }

    /// Runs an operation on a member, and applies the effects that the member requests.
    pub(crate) fn act(
        &mut self,
        id: u32,
        act: impl FnOnce(&mut EtcdServer, &mut Outbox<MemberTimer>),
    ) {
        let mut out = Outbox::new(self.now);
        act(&mut self.servers[id as usize - 1], &mut out);
        self.follow(id, out);
        while let Some((from, to, message)) = self.in_flight.pop_front() {
            if self.isolated.contains(&from) || self.isolated.contains(&to) {
                continue;
            }
            let mut out = Outbox::new(self.now);
            if let EtcdMessage::Peer(message) = &message
                && let Some(state) = self.server(from).outgoing_snapshot(message)
            {
                let server = &mut self.servers[to as usize - 1];
                server.peer_snapshot(message, state, &mut out);
                self.follow(to, out);
                let mut out = Outbox::new(self.now);
                self.servers[from as usize - 1].snapshot_arrived(to, &mut out);
                self.follow(from, out);
                continue;
            }
            let server = &mut self.servers[to as usize - 1];
            match &message {
                EtcdMessage::Peer(message) => server.peer_message(message, &mut out),
                EtcdMessage::Call { call, request } => {
                    let (node, call) = (NodeId::Member(from), *call);
                    server.handle(Caller { node, call }, request, &mut out);
                }
                EtcdMessage::Answer { call, reply } => {
                    server.forwarded_reply(*call, reply, &mut out);
                }
                other => panic!("{other:?}"),
            }
            self.follow(to, out);
        }
    }

    fn follow(&mut self, id: u32, out: Outbox<MemberTimer>) {
        for (after, timer) in out.timers {
            self.timers
                .retain(|(_, member, set)| (*member, *set) != (id, timer));
            self.timers.push((self.now + after, id, timer));
        }
        for (caller, reply) in out.replies {
            match caller.node {
                NodeId::Member(to) => {
                    let (call, reply) = (caller.call, reply.into());
                    let message = EtcdMessage::Answer { call, reply };
                    self.in_flight.push_back((id, to, message));
                }
                _ => self.replies.push((caller.call, self.now, reply)),
            }
        }
        for (to, body) in out.messages {
            match (to, body) {
                (NodeId::Member(to), Body::Etcd(message)) => {
                    if let EtcdMessage::Peer(message) = &message {
                        self.peer_messages.push(PeerMessage::clone(message));
                    }
                    self.in_flight.push_back((id, to, message));
                }
                (to, body) => self.sent.push((id, to, body)),
            }
        }
    }

    pub(crate) fn pass(&mut self, ms: u64) {
        let end = self.now + SimDuration::from_millis(ms);
        while let Some(place) = self.next_timer(end) {
            let (at, member, timer) = self.timers.remove(place);
            self.now = at;
            self.act(member, |server, out| server.wake(timer, out));
        }
        self.now = end;
    }

    fn next_timer(&self, end: SimTime) -> Option<usize> {
        let timers = self.timers.iter().enumerate();
        let due = timers.filter(|(_, (at, ..))| *at <= end);
        due.min_by_key(|(_, timer)| **timer).map(|(place, _)| place)
    }

    /// Sends a request to a member, and returns the number of the call.
    pub(crate) fn send(&mut self, id: u32, request: Request) -> u64 {
        self.calls += 1;
        let caller = Caller {
            node: NodeId::Etcdctl,
            call: self.calls,
        };
        let request = request.into();
        self.act(id, |server, out| server.handle(caller, &request, out));
        self.calls
    }

    pub(crate) fn reply(&self, call: u64) -> Option<(SimTime, &Reply)> {
        let found = self.replies.iter().find(|(number, ..)| *number == call);
        found.map(|(_, at, reply)| (*at, reply))
    }

    pub(crate) fn error(&self, call: u64) -> String {
        match self.reply(call) {
            Some((_, Err(error))) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// Sends a request to a member, and returns the reply, which must follow within 100 ms.
    pub(crate) fn ask(&mut self, id: u32, request: Request) -> Reply {
        let call = self.send(id, request);
        self.pass(100);
        self.reply(call).expect("the member replies").1.clone()
    }
}
