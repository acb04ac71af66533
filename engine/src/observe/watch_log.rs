//! The watch requests of clients and the responses that reached the clients, from the trace alone.

use std::sync::Arc;

use crate::api::{EtcdError, Reply, WatchResponse};
use crate::base::bytes::KeyRange;
use crate::base::ids::{NodeId, StreamKey};
use crate::base::ordered::OrdMap;
use crate::base::time::SimTime;
use crate::qos::monitor::MonitorRow;
use crate::trace::{ClientTrace, Event, Printed, TraceEvent, WatchOptions, WatchTrace};

/// The clients and the watches of a run.
#[derive(Clone, Debug, Default)]
pub struct WatchLog {
    clients: Vec<ClientRecord>,
    watches: OrdMap<Arc<str>, WatchRecord>,
    /// The stream and the watch ID of each watcher of the member, by the watcher's number.
    watchers: OrdMap<u64, (StreamKey, i64)>,
    /// The name of each watch whose client has received the created response.
    by_id: OrdMap<(StreamKey, i64), Arc<str>>,
}

/// A client, and the responses that it received.
#[derive(Clone, Debug)]
pub struct ClientRecord {
    pub node: NodeId,
    pub name: Arc<str>,
    /// The number of the step that created the client.
    pub step: u64,
    /// The responses that the client received, oldest first.
    pub received: Vec<LoggedDelivery>,
    /// The renewals of a lease by a client that keeps the lease alive. Each entry contains the step, the lease and the
    /// TTL in seconds; the TTL is 0 if the lease no longer exists.
    pub kept: Vec<(u64, i64, i64)>,
    /// The responses of the QoS monitor, with their steps.
    pub monitored: Vec<(u64, MonitorOutcome)>,
    /// The output of a command of etcdctl that runs until it is ended, with the steps.
    pub printed: Vec<(u64, Arc<Printed>)>,
}

/// A response of the QoS monitor: a request above the threshold, or the error that ended the stream.
pub type MonitorOutcome = Result<Box<MonitorRow>, EtcdError>;

/// The record of a watch, which starts with the request for the watch.
#[derive(Clone, Debug)]
pub struct WatchRecord {
    pub node: NodeId,
    pub range: KeyRange,
    /// The requested start revision; 0 for new events only.
    pub start_rev: i64,
    /// The options of the watch, which decide which responses the watch must receive.
    pub options: WatchOptions,
    pub step: u64,
    /// The responses received, oldest first, as positions in [`ClientRecord::received`].
    pub received: Vec<u32>,
    /// The client's repeated requests for the watch: the step and the start revision.
    pub resumed: Vec<(u64, i64)>,
    /// The step in which the watch ended, and the reason.
    pub ended: Option<(u64, Arc<str>)>,
    /// The responses to the requests that the watch sent for its events, oldest first, with their steps.
    pub ran: Vec<(u64, Arc<Reply>)>,
}

/// A response that reached a watch.
#[derive(Clone, Debug)]
pub struct LoggedDelivery {
    pub step: u64,
    pub at: SimTime,
    pub watch: Arc<str>,
    pub response: Arc<WatchResponse>,
}

impl WatchLog {
    pub fn observe(&mut self, event: &Event) {
        let what = match &event.what {
            TraceEvent::Client(what) => what,
            _ if event.node == Some(NodeId::EVENTS_ETCD) => return,
            TraceEvent::Watch(WatchTrace::Created {
                watcher,
                stream,
                watch_id,
                ..
            }) => {
                self.watchers.insert(*watcher, (*stream, *watch_id));
                return;
            }
            _ => return,
        };
        match what {
            ClientTrace::Opened { node, name } => self.clients.push(ClientRecord {
                node: *node,
                name: name.clone(),
                step: event.step,
                received: Vec::new(),
                kept: Vec::new(),
                monitored: Vec::new(),
                printed: Vec::new(),
            }),
            ClientTrace::Wants {
                node,
                watch,
                range,
                start_rev,
                options,
                ..
            } => self.wants(event.step, *node, watch, range, *start_rev, *options),
            ClientTrace::Received {
                node,
                watch,
                stream,
                response,
            } => {
                if response.created {
                    let client = *node;
                    let stream = *stream;
                    let place = (StreamKey { client, stream }, response.watch_id);
                    self.by_id.insert(place, watch.clone());
                }
                self.received(event, *node, watch, response);
            }
            ClientTrace::KeptAlive { node, lease, ttl_s } => {
                if let Some(client) = self.clients.iter_mut().find(|c| c.node == *node) {
                    client.kept.push((event.step, *lease, *ttl_s));
                }
            }
            ClientTrace::Monitored { node, outcome } => {
                if let Some(client) = self.clients.iter_mut().find(|c| c.node == *node) {
                    client.monitored.push((event.step, outcome.clone()));
                }
            }
            ClientTrace::Printed { node, printed } => {
                if let Some(client) = self.clients.iter_mut().find(|c| c.node == *node) {
                    client.printed.push((event.step, printed.clone()));
                }
            }
            ClientTrace::Ran { watch, reply, .. } => {
                if let Some(record) = self.watches.get_mut(watch) {
                    record.ran.push((event.step, reply.clone()));
                }
            }
            ClientTrace::ResumesFrom {
                watch, revision, ..
            } => {
                if let Some(record) = self.watches.get_mut(watch) {
                    record.resumed.push((event.step, *revision));
                }
            }
            ClientTrace::Ended { watch, reason, .. } => {
                if let Some(record) = self.watches.get_mut(watch) {
                    record.ended.get_or_insert((event.step, reason.clone()));
                }
            }
            _ => {}
        }
    }

    fn wants(
        &mut self,
        step: u64,
        node: NodeId,
        watch: &Arc<str>,
        range: &KeyRange,
        start_rev: i64,
        options: WatchOptions,
    ) {
        // A client that relists requests its watch again with the same name.
        if let Some(record) = self.watches.get_mut(watch) {
            record.resumed.push((step, start_rev));
            record.ended = None;
            return;
        }
        let record = WatchRecord {
            node,
            range: range.clone(),
            start_rev,
            options,
            step,
            received: Vec::new(),
            resumed: Vec::new(),
            ended: None,
            ran: Vec::new(),
        };
        self.watches.insert(watch.clone(), record);
    }

    fn received(
        &mut self,
        event: &Event,
        node: NodeId,
        watch: &Arc<str>,
        response: &Arc<WatchResponse>,
    ) {
        let Some(client) = self.clients.iter_mut().find(|c| c.node == node) else {
            return;
        };
        if let Some(record) = self.watches.get_mut(watch) {
            record.received.push(client.received.len() as u32);
        }
        client.received.push(LoggedDelivery {
            step: event.step,
            at: event.at,
            watch: watch.clone(),
            response: response.clone(),
        });
    }

    /// Returns the name of the watch for which the member created the watcher with this number.
    pub fn watcher_name(&self, watcher: u64) -> Option<&Arc<str>> {
        self.by_id.get(self.watchers.get(&watcher)?)
    }

    /// Returns the name of the watch with this ID on this stream, once the client has received the created response.
    pub fn name_at(&self, stream: StreamKey, watch_id: i64) -> Option<&Arc<str>> {
        self.by_id.get(&(stream, watch_id))
    }

    /// Returns the stream of a watcher, and the watch ID on that stream.
    pub fn place_of(&self, watcher: u64) -> Option<(StreamKey, i64)> {
        self.watchers.get(&watcher).copied()
    }

    pub fn node_name(&self, node: NodeId) -> Arc<str> {
        match (node, self.client(node)) {
            (_, Some(client)) => client.name.clone(),
            (NodeId::Etcdctl, None) => "etcdctl".into(),
            (_, None) => "etcd".into(),
        }
    }

    /// Returns the clients in the order of their creation.
    pub fn clients(&self) -> &[ClientRecord] {
        &self.clients
    }

    pub fn client(&self, node: NodeId) -> Option<&ClientRecord> {
        self.clients.iter().find(|c| c.node == node)
    }

    /// Returns the watches, ordered by name.
    pub fn watches(&self) -> impl Iterator<Item = (&Arc<str>, &WatchRecord)> {
        self.watches.iter()
    }

    pub fn watch(&self, name: &str) -> Option<&WatchRecord> {
        self.watches.get(name)
    }

    /// Returns the revision up to which a watch had received everything at the end of `step`: the revision of its last
    /// event or progress notification, or the revision before its start revision. `None` until etcd confirms the watch.
    pub fn known_revision(&self, name: &str, step: u64) -> Option<i64> {
        let watch = self.watches.get(name)?;
        let all = &self.client(watch.node)?.received;
        let delivery = |i: &u32| &all[*i as usize];
        let upto = watch.received.partition_point(|i| delivery(i).step <= step);
        let received = watch.received[..upto].iter().rev().map(delivery);
        let mut created = None;
        let mut known = None;
        for response in received.map(|delivery| &delivery.response) {
            if let Some(event) = response.events.last() {
                known = Some(event.kv.mod_revision);
            } else if response.created {
                created = Some(response.header.revision);
            } else if !response.canceled {
                known = Some(response.header.revision);
            }
            if known.is_some() {
                break;
            }
        }
        let resumed = watch.resumed.iter().rfind(|(at, _)| *at <= step);
        let asked = match (resumed, watch.start_rev) {
            (Some((_, from)), _) if *from > 0 => Some(from - 1),
            (_, from) if from > 0 => Some(from - 1),
            _ => created,
        };
        created.or(known)?;
        known.max(asked)
    }

    /// Returns the newest responses that reached a watch by the end of `step`, oldest first. Returns at most
    /// `responses` responses, and no further responses once the newer responses contain at least `events` events.
    /// `None` if there is no such watch.
    pub fn newest(
        &self,
        name: &str,
        step: u64,
        responses: usize,
        events: usize,
    ) -> Option<Vec<&LoggedDelivery>> {
        let watch = self.watches.get(name)?;
        let all = &self.client(watch.node)?.received;
        let delivery = |i: &u32| &all[*i as usize];
        let upto = watch.received.partition_point(|i| delivery(i).step <= step);
        let mut left = events;
        let mut newest: Vec<&LoggedDelivery> = Vec::new();
        for delivery in watch.received[..upto].iter().rev().map(delivery) {
            if left == 0 || newest.len() == responses {
                break;
            }
            left = left.saturating_sub(delivery.response.events.len());
            newest.push(delivery);
        }
        newest.reverse();
        Some(newest)
    }

    /// Returns the lease renewals of a client by the end of `step`: the step, the lease and the TTL in seconds. `None`
    /// if no client with this name renews a lease in the run.
    pub fn kept(&self, name: &str, step: u64) -> Option<&[(u64, i64, i64)]> {
        let client = self.clients.iter().find(|c| &*c.name == name)?;
        let known = client.kept.partition_point(|(at, ..)| *at <= step);
        (!client.kept.is_empty()).then_some(&client.kept[..known])
    }

    /// Returns the responses of the QoS monitor to a client by the end of `step`, with their steps. `None` if no client
    /// with this name receives such a response in the run.
    pub fn monitored(&self, name: &str, step: u64) -> Option<&[(u64, MonitorOutcome)]> {
        let client = self.clients.iter().find(|c| &*c.name == name)?;
        let known = client.monitored.partition_point(|(at, _)| *at <= step);
        (!client.monitored.is_empty()).then_some(&client.monitored[..known])
    }

    /// Returns the output of a client's command of etcdctl by the end of `step`, with the steps. `None` if the client
    /// prints nothing in the run.
    pub fn printed(&self, name: &str, step: u64) -> Option<&[(u64, Arc<Printed>)]> {
        let client = self.clients.iter().find(|c| &*c.name == name)?;
        let known = client.printed.partition_point(|(at, _)| *at <= step);
        (!client.printed.is_empty()).then_some(&client.printed[..known])
    }

    /// Returns the responses to the requests that a watch sent for its events by the end of `step`, oldest first.
    pub fn ran(&self, watch: &str, step: u64) -> Vec<Arc<Reply>> {
        let record = self.watches.get(watch);
        let ran = record.map_or(&[][..], |record| &record.ran);
        let known = ran.iter().take_while(|(at, _)| *at <= step);
        known.map(|(_, reply)| reply.clone()).collect()
    }

    /// Returns the responses that reached the watch or client with this name by the end of `step`; `None` if no watch
    /// and no client has this name.
    pub fn deliveries(&self, name: &str, step: u64) -> Option<Vec<&LoggedDelivery>> {
        let before = |d: &&LoggedDelivery| d.step <= step;
        if let Some(watch) = self.watches.get(name) {
            let client = self.client(watch.node)?;
            let all = watch.received.iter();
            return Some(
                all.map(|i| &client.received[*i as usize])
                    .filter(before)
                    .collect(),
            );
        }
        let client = self.clients.iter().find(|c| &*c.name == name)?;
        Some(client.received.iter().filter(before).collect())
    }
}
