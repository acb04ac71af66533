//! The trace of a run for Perfetto (ui.perfetto.dev) and other programs that read Chrome's Trace Event Format.
//!
//! Each node is a process with three threads: its messages, its watches and all other events. A message is a slice of 1
//! µs on the sender's thread and another on the receiver's, joined by a flow (`s` and `f`). A request is an
//! asynchronous slice (`b` and `e`) of the node that handles it, from the arrival of the request to the sending of its
//! response. A sync pass is as long as the pass took; all other events are instants. `args` has the fields of the
//! event, see `event_fields`.
//!
//! A message that has not arrived, because it is lost or in flight at the end, has no flow; a request without a
//! response has no slice.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::api::message::{Body, EtcdMessage, KubeMessage};
use crate::base::ids::{MessageId, NodeId};
use crate::base::json::{self, Json};
use crate::base::time::SimTime;
use crate::trace::{Event, NetTrace, TraceEvent, WatchTrace};

use super::event_fields::{Names, message_name, push_body, push_fields};

/// The threads of each process, with their names.
const THREADS: [(Thread, &str); 3] = [
    (Thread::Messages, "messages"),
    (Thread::Watches, "watches"),
    (Thread::Events, "events"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    Messages = 1,
    Watches = 2,
    Events = 3,
}

/// The records so far.
#[derive(Debug, Default)]
pub(super) struct Perfetto {
    /// The records in the order of time. A record of a sent message receives its flow when the message arrives.
    records: Vec<String>,
    bytes: usize,
    /// The process ID of each node, in the order of their first events.
    processes: BTreeMap<NodeId, u64>,
    /// The messages that are on their way.
    sent: BTreeMap<MessageId, Sent>,
    /// The requests without a response: the node that handles the request, the caller, and the caller's number.
    requests: BTreeMap<(NodeId, NodeId, u64), Asked>,
    finished_requests: u64,
}

#[derive(Debug)]
struct Sent {
    record: usize,
    at: SimTime,
    from: NodeId,
    to: NodeId,
    name: &'static str,
    /// The caller's number, if the message is a request.
    call: Option<u64>,
}

#[derive(Debug)]
struct Asked {
    at: SimTime,
    method: &'static str,
}

impl Perfetto {
    /// Returns the size of the records in bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    pub(super) fn add(&mut self, event: &Event, names: Names<'_>) {
        match &event.what {
            TraceEvent::Net(NetTrace::Sent {
                message,
                from,
                to,
                body,
                bytes,
                ..
            }) => {
                let mut args = String::new();
                let mut object = Json::object(&mut args);
                object.value("message", message.0);
                object.string("to", &names(*to));
                object.value("bytes", bytes);
                push_body(object.key("body"), body, names);
                drop(object);
                let name = message_name(body);
                let slice = Slice {
                    name: &["send ", name].concat(),
                    phase: "X",
                    duration_us: Some(1),
                };
                let record = self.record(slice, event.at, (*from, Thread::Messages), &args);
                let (call, response_to) = match &**body {
                    Body::Etcd(EtcdMessage::Call { call, .. })
                    | Body::Kube(KubeMessage::Call { call, .. }) => (Some(*call), None),
                    Body::Etcd(EtcdMessage::Answer { call, .. })
                    | Body::Kube(KubeMessage::Answer { call, .. }) => (None, Some(*call)),
                    _ => (None, None),
                };
                if let Some(call) = response_to {
                    self.end_request((*from, *to, call), event.at);
                }
                let sent = Sent {
                    record,
                    at: event.at,
                    from: *from,
                    to: *to,
                    name,
                    call,
                };
                self.sent.insert(*message, sent);
            }
            TraceEvent::Net(NetTrace::Arrived { message }) => {
                if let Some(sent) = self.sent.remove(message) {
                    self.arrive(*message, &sent, event.at, names);
                }
            }
            TraceEvent::Net(NetTrace::Broken { message }) => {
                self.sent.remove(message);
                self.instant(event, names);
            }
            _ => self.instant(event, names),
        }
    }

    fn arrive(&mut self, message: MessageId, sent: &Sent, at: SimTime, names: Names<'_>) {
        let mut args = String::new();
        let mut object = Json::object(&mut args);
        object.value("message", message.0);
        object.string("from", &names(sent.from));
        drop(object);
        let slice = Slice {
            name: &["receive ", sent.name].concat(),
            phase: "X",
            duration_us: Some(1),
        };
        let arrival = self.record(slice, at, (sent.to, Thread::Messages), &args);
        let id = message.0;
        for (phase, record, node, at) in [
            ("s", sent.record, sent.from, sent.at),
            ("f", arrival, sent.to, at),
        ] {
            let mut flow = String::from(",\n");
            let (pid, tid) = (self.process(node), Thread::Messages as u32);
            let mut object = Json::object(&mut flow);
            object.string("name", "message");
            object.string("cat", "message");
            object.string("ph", phase);
            // The flow ends at the slice that contains this moment, not at the next slice.
            if phase == "f" {
                object.string("bp", "e");
            }
            object.value("id", id);
            object.value("ts", at.0);
            object.value("pid", pid);
            object.value("tid", tid);
            drop(object);
            self.bytes += flow.len();
            self.records[record].push_str(&flow);
        }
        if let Some(call) = sent.call {
            let asked = Asked {
                at,
                method: sent.name,
            };
            self.requests.insert((sent.to, sent.from, call), asked);
        }
    }

    fn end_request(&mut self, request: (NodeId, NodeId, u64), at: SimTime) {
        let Some(asked) = self.requests.remove(&request) else {
            return;
        };
        self.finished_requests += 1;
        let (server, _, _) = request;
        let (pid, id) = (self.process(server), self.finished_requests);
        for (phase, at) in [("b", asked.at), ("e", at)] {
            let mut record = String::new();
            let mut object = Json::object(&mut record);
            object.string("name", asked.method);
            object.string("cat", "request");
            object.string("ph", phase);
            object.value("id", id);
            object.value("ts", at.0);
            object.value("pid", pid);
            object.value("tid", Thread::Messages as u32);
            drop(object);
            self.push(record);
        }
    }

    fn instant(&mut self, event: &Event, names: Names<'_>) {
        // An event of the whole world belongs to the node that acts first, which is the terminal.
        let node = event.node.unwrap_or(NodeId::Etcdctl);
        let mut args = String::new();
        let kind = push_fields(&mut args, &event.what, names);
        let thread = match &event.what {
            TraceEvent::Watch(_) | TraceEvent::Client(_) => Thread::Watches,
            _ => Thread::Events,
        };
        let duration_us = match &event.what {
            TraceEvent::Watch(WatchTrace::Swept { took_us, .. }) => Some(*took_us),
            _ => None,
        };
        let slice = Slice {
            name: kind,
            phase: if duration_us.is_some() { "X" } else { "i" },
            duration_us,
        };
        self.record(slice, event.at, (node, thread), &args);
    }

    fn record(
        &mut self,
        slice: Slice<'_>,
        at: SimTime,
        (node, thread): (NodeId, Thread),
        args: &str,
    ) -> usize {
        let pid = self.process(node);
        let mut record = String::new();
        let mut object = Json::object(&mut record);
        object.string("name", slice.name);
        object.string("cat", THREADS[thread as usize - 1].1);
        object.string("ph", slice.phase);
        object.value("ts", at.0);
        match slice.duration_us {
            Some(duration) => object.value("dur", duration),
            // The instant belongs to its thread, not to its process.
            None => object.string("s", "t"),
        }
        object.value("pid", pid);
        object.value("tid", thread as u32);
        object.key("args").push_str(args);
        drop(object);
        self.push(record)
    }

    fn push(&mut self, record: String) -> usize {
        self.bytes += record.len() + 2;
        self.records.push(record);
        self.records.len() - 1
    }

    fn process(&mut self, node: NodeId) -> u64 {
        let next = self.processes.len() as u64 + 1;
        *self.processes.entry(node).or_insert(next)
    }

    pub(super) fn into_bytes(self, names: Names<'_>) -> Vec<u8> {
        let mut out = String::with_capacity(self.bytes + 4_096);
        out.push_str("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
        let mut metadata = Vec::new();
        for (node, pid) in &self.processes {
            metadata.push(name_of("process_name", *pid, 0, &names(*node)));
            let mut order = String::new();
            // Writing to a string cannot fail.
            let _ = write!(
                order,
                "{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{pid},\"args\":{{\"sort_index\":{pid}}}}}"
            );
            metadata.push(order);
            for (thread, name) in THREADS {
                metadata.push(name_of("thread_name", *pid, thread as u32, name));
            }
        }
        for (place, record) in metadata.iter().chain(&self.records).enumerate() {
            if place > 0 {
                out.push_str(",\n");
            }
            out.push_str(record);
        }
        out.push_str("\n]}\n");
        out.into_bytes()
    }
}

#[derive(Clone, Copy, Debug)]
struct Slice<'a> {
    name: &'a str,
    /// `X` for a slice with a duration, `i` for an instant.
    phase: &'a str,
    duration_us: Option<u64>,
}

/// Returns the record that names a process or a thread.
fn name_of(kind: &str, pid: u64, tid: u32, name: &str) -> String {
    let mut record = String::new();
    let mut object = Json::object(&mut record);
    object.string("name", kind);
    object.string("ph", "M");
    object.value("pid", pid);
    if tid > 0 {
        object.value("tid", tid);
    }
    let mut args = Json::object(object.key("args"));
    json::push_string(args.key("name"), name);
    drop(args);
    drop(object);
    record
}
