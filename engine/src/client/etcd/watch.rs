//! A gRPC stream with several watches. If the stream breaks, the watches resume on a new stream.
//!
//! Mirrors `client/v3/watch.go` (`watchGrpcStream`). A create response does not name its request. The library therefore
//! sends a create request only after the response to the previous create request. The library stores the next revision
//! of each watch. On a new stream, the library requests each watch again from that revision. The library never relists.
//! With [`Profile::V3_4`], the library has the bug of etcd#15274: it resumes at the revision of the last progress
//! notification, so the event of this revision can arrive again.
//! If a member refuses the token of a stream, the watches continue on a new stream with a new token
//! (`shouldRetryWatch`). Left out: the back-off between connection attempts, because the user decides when to connect;
//! and contexts with metadata.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::ordered::{OrdMap, OrdSet};

use crate::api::watch::{INVALID_TOKEN, OLD_REVISION};
use crate::api::{Difference, Profile, WatchCreateRequest, WatchRequest, WatchResponse};
use crate::base::digest::Sparse;
use crate::base::planted::{Planted, PlantedBug};

/// The watches of one client that share a stream.
///
/// ```
/// use std::sync::Arc;
/// use watchglass_engine::api::{WatchCreateRequest, WatchRequest, WatchResponse};
/// use watchglass_engine::client::etcd::WatchGrpcStream;
/// let mut stream = WatchGrpcStream::new(0);
/// let create = WatchCreateRequest { key: "a".into(), ..Default::default() };
/// let sent = stream.watch("w1".into(), create).expect("nothing is asked for before it");
/// assert!(matches!(sent, WatchRequest::Create(_)));
/// let mut created = WatchResponse { created: true, ..Default::default() };
/// created.header.revision = 7;
/// stream.receive(Arc::new(created));
/// // The connection breaks. The watch began at revision 7, so the client resumes it at that revision.
/// let Some(WatchRequest::Create(again)) = stream.resume(1) else { panic!() };
/// assert_eq!(again.start_revision, 7);
/// ```
#[derive(Clone, Debug, Hash)]
pub struct WatchGrpcStream {
    /// The number that the client gave to the stream. After each broken connection, the stream gets a new number.
    number: u32,
    watches: OrdMap<u32, Watch>,
    next_watch: u32,
    by_id: OrdMap<i64, u32>,
    /// The watches whose create request has no response yet. The client has sent only the create request of the first
    /// watch in this list.
    resuming: VecDeque<u32>,
    /// The IDs of watches for which a cancel request was sent. Later responses for these IDs are discarded.
    cancel_set: OrdSet<i64>,
    /// The merged parts of a split response that is still incomplete.
    fragments: Option<WatchResponse>,
    /// The version of the client library.
    profile: Sparse<Profile>,
    planted: Planted,
}

#[derive(Clone, Debug, Hash)]
struct Watch {
    name: Arc<str>,
    create: WatchCreateRequest,
    id: Option<i64>,
    next_rev: i64,
}

/// The results of a response from the member: responses to deliver, requests to send, and watches that have ended.
#[derive(Clone, Debug, Default, Hash)]
pub struct Received {
    pub delivered: Vec<(Arc<str>, Arc<WatchResponse>)>,
    pub sends: Vec<WatchRequest>,
    /// The names of the watches that have ended, each with the reason.
    pub ended: Vec<(Arc<str>, Arc<str>)>,
    /// Whether the stream has ended. Further watches need a new stream.
    pub is_closed: bool,
    /// Whether the member refuses the token of the stream. The watches continue on a new stream with a new token.
    pub needs_token: bool,
}

impl WatchGrpcStream {
    pub fn new(number: u32) -> Self {
        Self {
            number,
            watches: OrdMap::new(),
            next_watch: 0,
            by_id: OrdMap::new(),
            resuming: VecDeque::new(),
            cancel_set: OrdSet::new(),
            fragments: None,
            profile: Sparse::default(),
            planted: Planted::default(),
        }
    }

    /// Returns the stream with this version of the client library.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self {
            profile: Sparse(profile),
            ..self
        }
    }

    /// Returns the stream with a planted fault, for tests of the checkers.
    pub fn planted(self, planted: Planted) -> Self {
        Self { planted, ..self }
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn is_empty(&self) -> bool {
        self.watches.is_empty()
    }

    /// Returns the name of each watch, its ID once the member has created it, and its next revision.
    pub fn watches(&self) -> impl Iterator<Item = (&Arc<str>, Option<i64>, i64)> {
        self.watches.values().map(|w| (&w.name, w.id, w.next_rev))
    }

    /// Returns the create request of each watch, in the same order as [`watches`](Self::watches).
    pub fn requests(&self) -> impl Iterator<Item = &WatchCreateRequest> {
        self.watches.values().map(|w| &w.create)
    }

    /// Returns the name of the watch with this ID. For an unknown ID, returns the name of the watch whose create
    /// request has been sent and has no response yet.
    pub fn name_of(&self, watch_id: i64) -> Option<&Arc<str>> {
        let key = self.by_id.get(&watch_id).or(self.resuming.front())?;
        self.watches.get(key).map(|w| &w.name)
    }

    /// Returns true if a create request has no response yet.
    pub fn is_asking(&self) -> bool {
        !self.resuming.is_empty()
    }

    /// Adds a watch. Returns its create request, or `None` if an earlier create request has no response yet.
    pub fn watch(&mut self, name: Arc<str>, create: WatchCreateRequest) -> Option<WatchRequest> {
        let key = self.next_watch;
        self.next_watch += 1;
        let watch = Watch {
            name,
            next_rev: create.start_revision,
            create,
            id: None,
        };
        self.watches.insert(key, watch);
        self.resuming.push_back(key);
        if self.resuming.len() > 1 {
            return None;
        }
        self.ask_for_first()
    }

    /// Ends a watch. Returns the cancel request to send, if any, and whether the watch existed.
    pub fn cancel(&mut self, name: &str) -> (Option<WatchRequest>, bool) {
        let found = self.watches.iter().find(|(_, w)| &*w.name == name);
        let Some((key, id)) = found.map(|(key, w)| (*key, w.id)) else {
            return (None, false);
        };
        (self.forget(key, id), true)
    }

    pub fn receive(&mut self, response: Arc<WatchResponse>) -> Received {
        let mut out = Received::default();
        let Some(response) = self.whole(response) else {
            return out;
        };
        if response.ends_stream() {
            self.closed(&response, &mut out);
        } else if response.canceled
            && [INVALID_TOKEN, OLD_REVISION].contains(&&*response.cancel_reason)
        {
            out.needs_token = true;
        } else if response.created {
            self.created(response, &mut out);
        } else if response.canceled && response.compact_revision == 0 {
            self.canceled(&response, &mut out);
        } else {
            self.dispatch(response, &mut out);
        }
        out
    }

    /// Continues on a new stream with this number. The client requests its watches again, one after the other, each
    /// from the watch's next revision. Returns the first request.
    pub fn resume(&mut self, number: u32) -> Option<WatchRequest> {
        self.number = number;
        self.by_id = OrdMap::new();
        self.cancel_set = OrdSet::new();
        self.fragments = None;
        self.resuming = self.watches.keys().copied().collect();
        let keys: Vec<u32> = self.resuming.iter().copied().collect();
        for key in keys {
            let watch = self.watches.get_mut(&key).expect("it was just listed");
            watch.id = None;
            if self.planted.is(PlantedBug::ResumesTooLate) && watch.next_rev > 0 {
                watch.next_rev += 1;
            }
            watch.create.start_revision = watch.next_rev;
        }
        self.ask_for_first()
    }

    fn ask_for_first(&self) -> Option<WatchRequest> {
        let key = self.resuming.front()?;
        Some(WatchRequest::Create(self.watches[key].create.clone()))
    }

    /// Merges the parts of a split response; returns `None` while parts are missing.
    fn whole(&mut self, part: Arc<WatchResponse>) -> Option<Arc<WatchResponse>> {
        let same = |so_far: &WatchResponse| so_far.watch_id == part.watch_id;
        let so_far = self.fragments.take().filter(same);
        if so_far.is_none() && !part.fragment {
            return Some(part);
        }
        let mut whole = so_far.unwrap_or_else(|| WatchResponse {
            events: Vec::new(),
            ..(*part).clone()
        });
        whole.events.extend(part.events.iter().cloned());
        whole.fragment = part.fragment;
        if whole.fragment {
            self.fragments = Some(whole);
            return None;
        }
        Some(Arc::new(whole))
    }

    fn created(&mut self, response: Arc<WatchResponse>, out: &mut Received) {
        let Some(key) = self.resuming.pop_front() else {
            return;
        };
        if let Some(watch) = self.watches.get_mut(&key) {
            let name = watch.name.clone();
            if response.canceled {
                out.ended
                    .push((name.clone(), response.cancel_reason.as_str().into()));
                self.watches.remove(&key);
            } else {
                watch.id = Some(response.watch_id);
                // A watch without a start revision resumes at the revision of its create response.
                if watch.next_rev == 0 {
                    watch.next_rev = response.header.revision;
                }
                self.by_id.insert(response.watch_id, key);
            }
            out.delivered.push((name, response));
        } else if !response.canceled {
            // The watch was canceled before this response arrived.
            self.cancel_set.insert(response.watch_id);
            out.sends.push(WatchRequest::Cancel {
                watch_id: response.watch_id,
            });
        }
        out.sends.extend(self.ask_for_first());
    }

    fn canceled(&mut self, response: &Arc<WatchResponse>, out: &mut Received) {
        self.cancel_set.remove(&response.watch_id);
        if let Some(key) = self.by_id.remove(&response.watch_id) {
            let watch = self.watches.remove(&key).expect("an id belongs to a watch");
            let reason = response.cancel_reason.as_str().into();
            out.delivered.push((watch.name.clone(), response.clone()));
            out.ended.push((watch.name, reason));
        }
    }

    /// Ends all watches, because the member has ended the stream with an error after which the library does not resume
    /// (`ErrNoLeader`).
    fn closed(&mut self, response: &Arc<WatchResponse>, out: &mut Received) {
        out.is_closed = true;
        for watch in self.watches.values() {
            let reason = response.cancel_reason.as_str().into();
            out.delivered.push((watch.name.clone(), response.clone()));
            out.ended.push((watch.name.clone(), reason));
        }
        self.watches = OrdMap::new();
        self.by_id = OrdMap::new();
        self.resuming.clear();
    }

    fn dispatch(&mut self, response: Arc<WatchResponse>, out: &mut Received) {
        // A progress notification with the ID -1 is for all watches of the stream.
        let keys: Vec<u32> = if response.watch_id == -1 && response.events.is_empty() {
            self.by_id.values().copied().collect()
        } else if let Some(key) = self.by_id.get(&response.watch_id) {
            vec![*key]
        } else {
            if self.cancel_set.insert(response.watch_id).is_none() {
                out.sends.push(WatchRequest::Cancel {
                    watch_id: response.watch_id,
                });
            }
            return;
        };
        for key in keys {
            let watch = self
                .watches
                .get_mut(&key)
                .expect("an id belongs to a watch");
            let revision = response.header.revision;
            watch.next_rev = match self.profile.has(Difference::ResumesAfterProgress) {
                false => revision,
                true => watch.next_rev.max(revision + 1),
            };
            if let Some(last) = response.events.last() {
                watch.next_rev = last.kv.mod_revision + 1;
            }
            let (name, id) = (watch.name.clone(), watch.id);
            out.delivered.push((name.clone(), response.clone()));
            if response.compact_revision != 0 {
                let reason = "etcdserver: mvcc: required revision has been compacted";
                out.ended.push((name, reason.into()));
                out.sends.extend(self.forget(key, id));
            }
        }
    }

    /// Drops a watch. Returns the cancel request to send if the member has created the watch.
    fn forget(&mut self, key: u32, id: Option<i64>) -> Option<WatchRequest> {
        self.watches.remove(&key);
        let was_first = self.resuming.front() == Some(&key);
        if !was_first {
            self.resuming.retain(|waiting| *waiting != key);
        }
        let watch_id = id?;
        self.by_id.remove(&watch_id);
        self.cancel_set.insert(watch_id);
        Some(WatchRequest::Cancel { watch_id })
    }
}
