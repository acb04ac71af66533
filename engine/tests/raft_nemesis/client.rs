//! The clients of the cluster: each client has at most one operation in progress.

use std::collections::BTreeMap;

use watchglass_engine::base::Bytes;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::observe::linearizability::{KeyAction, KeyOperation};
use watchglass_engine::raft::RaftId;

use super::member::StateMachine;
use super::{MS, NemesisRun, Node, SECOND, Scheduled, Write, WriteKind};

/// The number of keys. On the last key, clients also delete and compare.
const KEYS: u8 = 5;

/// The client then does not know whether its write takes effect.
const WRITE_TIMEOUT: u64 = 3 * SECOND;
const READ_TIMEOUT: u64 = 2 * READ_RETRY;

/// The time after which a member repeats an unconfirmed read (`readIndexRetryTime`).
const READ_RETRY: u64 = 500 * MS;

pub(super) struct Clients {
    clients: Vec<Client>,
    is_stopped: bool,
    history: Vec<KeyOperation>,
    /// For each operation in progress, its client. The key is the number of the write, or the number of the last
    /// attempt of the read.
    waiting: BTreeMap<u64, u32>,
    /// The last number that was assigned to a write or to an attempt of a read.
    numbers: u64,
    /// The numbers of all acknowledged writes that changed the state.
    acknowledged: Vec<u64>,
}

#[derive(Default)]
struct Client {
    running: Option<Running>,
    /// The newest value that the client knows, for conditional writes.
    known: Option<u64>,
}

struct Running {
    /// The index of the operation in the history.
    index: usize,
    key: u8,
    member: RaftId,
    /// The number of a write, or of the last attempt of a read.
    number: u64,
    is_read: bool,
    gives_up_at: u64,
}

fn value(number: Option<u64>) -> Option<Bytes> {
    number.map(|number| number.to_string().as_str().into())
}

impl Clients {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let count = 3 + rng.below(6);
        Self {
            clients: (0..count).map(|_| Client::default()).collect(),
            is_stopped: false,
            history: Vec::new(),
            waiting: BTreeMap::new(),
            numbers: 0,
            acknowledged: Vec::new(),
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.clients.len() as u32
    }

    pub(super) fn history(&self) -> &[KeyOperation] {
        &self.history
    }

    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Returns an operation that began after this moment of the history and has no result.
    pub(super) fn unfinished(&self, after: u64) -> Option<&KeyOperation> {
        let mut later = self
            .history
            .iter()
            .filter(|operation| operation.called_at > after);
        later.find(|operation| operation.returned_at.is_none())
    }

    pub(super) fn acknowledged_writes(&self) -> impl Iterator<Item = u64> {
        self.acknowledged.iter().copied()
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Handles a write that a member applied: the client of this member receives its result.
    pub(super) fn applied(&mut self, member: RaftId, write: &Write, result: bool, moment: u64) {
        let Some((index, client)) = self.finish(write.number, Some(member)) else {
            return;
        };
        let operation = &mut self.history[index];
        operation.returned_at = Some(moment);
        match &mut operation.action {
            KeyAction::Delete { deleted } => *deleted = result,
            KeyAction::Txn { succeeded, .. } => *succeeded = result,
            KeyAction::Get { .. } | KeyAction::Put { .. } => {}
        }
        self.acknowledged.push(write.number);
        self.clients[client as usize].known = Some(write.number);
    }

    pub(super) fn read(&mut self, number: u64, state: &StateMachine, moment: u64) {
        let Some(client) = self.waiting.get(&number) else {
            return;
        };
        let running = self.clients[*client as usize].running.as_ref();
        let key = running.expect("the client waits").key;
        let Some((index, client)) = self.finish(number, None) else {
            return;
        };
        let found = state.values.get(&key).copied();
        let operation = &mut self.history[index];
        operation.returned_at = Some(moment);
        operation.action = KeyAction::Get {
            value: value(found),
        };
        self.clients[client as usize].known = found;
    }

    /// Ends the operation with this number, and returns its index in the history and its client. Does nothing if the
    /// client sent the operation to another member than `member`.
    fn finish(&mut self, number: u64, member: Option<RaftId>) -> Option<(usize, u32)> {
        let client = *self.waiting.get(&number)?;
        let running = &mut self.clients[client as usize].running;
        if member.is_some() && running.as_ref()?.member != member? {
            return None;
        }
        self.waiting.remove(&number);
        Some((running.take()?.index, client))
    }
}

impl<P: Fn(Node) -> Node> NemesisRun<P> {
    pub(super) fn act(&mut self, client: u32) -> Result<(), String> {
        let state = &mut self.clients.clients[client as usize];
        match &state.running {
            Some(running) if self.now >= running.gives_up_at => {
                self.clients.waiting.remove(&running.number);
                state.running = None;
                self.schedule(10 * MS, Scheduled::Client(client));
                Ok(())
            }
            Some(running) => {
                let (member, is_read) = (running.member, running.is_read);
                self.schedule(READ_RETRY, Scheduled::Client(client));
                match is_read {
                    true => self.request_read(client, member),
                    false => Ok(()),
                }
            }
            None if self.clients.is_stopped => Ok(()),
            None => {
                let pause = 10 * MS + self.rng.below(100 * MS);
                self.schedule(pause, Scheduled::Client(client));
                self.begin(client)
            }
        }
    }

    fn begin(&mut self, client: u32) -> Result<(), String> {
        let ids = self.current_members().members();
        let member = ids[self.rng.below(ids.len() as u64) as usize];
        let now = self.now;
        let state = self.member(member);
        if state.node.is_none() || state.paused_until > now {
            return Ok(());
        }
        let key = self.rng.below(u64::from(KEYS)) as u8;
        let number = self.clients.number();
        let written = value(Some(number)).expect("a number is a value");
        let is_read = self.rng.chance(2, 3);
        let expected = self.clients.clients[client as usize].known;
        let (kind, action) = match self.rng.below(4) {
            _ if is_read => (WriteKind::Put, KeyAction::Get { value: None }),
            0 if key == KEYS - 1 => (WriteKind::Delete, KeyAction::Delete { deleted: false }),
            1 if key == KEYS - 1 => {
                let action = KeyAction::Txn {
                    expected: value(expected),
                    write: Some(written),
                    succeeded: false,
                };
                (WriteKind::PutIf(expected), action)
            }
            _ => (WriteKind::Put, KeyAction::Put { value: written }),
        };
        let index = self.clients.history.len();
        let operation = KeyOperation {
            key: format!("/{key}").as_str().into(),
            called_at: self.moment,
            returned_at: None,
            action,
        };
        if !is_read {
            let node = self.member(member).node.as_mut().expect("the member runs");
            let write = Write { number, key, kind };
            if node.propose(write).is_err() {
                return Ok(()); // There is no leader: nothing happened.
            }
        }
        self.clients.history.push(operation);
        self.clients.waiting.insert(number, client);
        self.clients.clients[client as usize].running = Some(Running {
            index,
            key,
            member,
            number,
            is_read,
            gives_up_at: self.now + if is_read { READ_TIMEOUT } else { WRITE_TIMEOUT },
        });
        match is_read {
            true => self.request_read(client, member),
            false => self.work(member),
        }
    }

    /// Sends a new attempt of a read to the member: requests the read index with a new number.
    fn request_read(&mut self, client: u32, member: RaftId) -> Result<(), String> {
        let number = self.clients.number();
        let running = &mut self.clients.clients[client as usize].running;
        let running = running.as_mut().expect("the client reads");
        self.clients.waiting.remove(&running.number);
        running.number = number;
        self.clients.waiting.insert(number, client);
        if let Some(node) = &mut self.member(member).node {
            node.read_index(number);
        }
        self.work(member)
    }
}
