//! The reflector of an informer, which lists and watches objects and keeps a copy of the objects.
//!
//! Mirrors `tools/cache/reflector.go`, and the notifications of handlers in `delta_fifo.go` and `shared_informer.go`.
//! Left out: the queue between reflector and handlers, because a handler takes no time, and resync, which sends no
//! requests.
//!
//! ```text
//!   LIST rv="0" ──▶ Replace ──▶ WATCH from the list ──▶ events, bookmarks
//!     ▲  410: rv=""                │ ends: WATCH again from the last resource version
//!     └────────── back-off ◀───────┘ 410: LIST again, not older than the last resource version
//! ```

use std::sync::Arc;

use im::OrdMap;

use crate::base::digest::Sparse;
use crate::base::rng::Rng;
use crate::base::time::{SimDuration, SimTime};
use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::status::StatusReason;
use crate::kube::{
    Key, KubeAnswer, KubeRequest, KubeResponse, KubeVerb, KubeWatchEvent, Object, Resource,
    StatusError,
};
use crate::trace::{BackOffReason, KubeNotice};

use super::backoff::ReflectorBackoff;

/// The number of objects in a page of a list, if the list can be paged (`defaultPageSize` of the pager).
const PAGE: u64 = 500;

/// The duration below which a watch without an event counts as failed (`handleAnyWatch`).
const SHORT_WATCH: SimDuration = SimDuration::from_millis(1_000);

/// The minimum timeout of a watch, in seconds (`minWatchTimeout`). The maximum timeout is twice as long.
const WATCH_SECONDS: u64 = 300;

/// The maximum number of consecutive retries after responses with `Retry-After` (`maxRetries`, `rest/with_retry.go`).
const RETRIES_MAX: u32 = 10;

/// The objects to list and watch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReflectorSpec {
    pub resource: &'static Resource,
    /// The namespace, name and selectors of the objects.
    pub target: WatchTarget,
    /// Whether the reflector starts with a watch that sends all objects, instead of a list (gate `WatchListClient`).
    pub watch_list: bool,
    /// The resource version of the first list. client-go sends 0, which accepts any state. With the change
    /// kubernetes#83520, client-go sent no version, which requires a consistent list. This change was reverted.
    pub first_list: ResourceVersion,
    /// Whether watches that follow a list request no bookmarks, as before client-go 1.15.
    pub without_bookmarks: Sparse<bool>,
}

/// An action that the reflector requests from the [`KubeClient`](super::client::KubeClient) that runs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReflectorAct {
    /// Send this request, and ignore responses to earlier requests.
    Send(KubeRequest),
    /// Call [`Reflector::wake`] after a delay.
    Wait {
        delay: SimDuration,
        why: BackOffReason,
    },
    /// The reflector applied a list.
    Replaced {
        /// The resource version of the list.
        revision: u64,
        objects: u64,
        /// The objects that the reflector's copy contained but the list does not contain.
        gone: Vec<Arc<Object>>,
    },
    /// Notify the informer's handlers of this change.
    Notify(KubeNotice),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Listing {
        items: Vec<Arc<Object>>,
    },
    /// A watch that sends all existing objects first.
    Streaming {
        items: OrdMap<Key, Arc<Object>>,
    },
    Watching {
        since: SimTime,
        events: u64,
    },
    /// The reflector waits before the next list or watch.
    Waiting {
        lists: bool,
    },
}

/// A reflector with its copy of the objects.
///
/// ```
/// use watchglass_engine::kube::{list_options::ResourceVersion, resource::PODS};
/// use watchglass_engine::base::{rng::Rng, time::SimTime};
/// use watchglass_engine::client::kube::{ReflectorAct, Reflector, ReflectorSpec};
/// let spec = ReflectorSpec {
///     resource: &PODS,
///     target: Default::default(),
///     watch_list: false,
///     first_list: ResourceVersion::Any,
///     without_bookmarks: Default::default(),
/// };
/// let mut reflector = Reflector::new(spec);
/// let acts = reflector.start(SimTime(0), &mut Rng::stream(1, "r"));
/// let [ReflectorAct::Send(list)] = acts.as_slice() else { panic!() };
/// assert_eq!(list.verb.name(), "LIST"); // rv="0": any state of the cache
/// ```
#[derive(Clone, Debug, Hash)]
pub struct Reflector {
    spec: ReflectorSpec,
    store: OrdMap<Key, Arc<Object>>,
    /// The last resource version seen.
    last: Option<u64>,
    /// Whether the server refused the resource version `last` because this version has expired or is too new.
    unavailable: bool,
    synced: bool,
    phase: Phase,
    relists: u64,
    backoff: ReflectorBackoff,
    /// The number of consecutive retries after responses with `Retry-After`.
    retries: u32,
}

impl Reflector {
    pub fn new(spec: ReflectorSpec) -> Self {
        Self {
            spec,
            store: OrdMap::new(),
            last: None,
            unavailable: false,
            synced: false,
            phase: Phase::Idle,
            relists: 0,
            backoff: ReflectorBackoff::default(),
            retries: 0,
        }
    }

    // Getters.

    pub fn spec(&self) -> &ReflectorSpec {
        &self.spec
    }

    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Returns the reflector's copy of the objects.
    pub fn store(&self) -> &OrdMap<Key, Arc<Object>> {
        &self.store
    }

    /// Returns the number of lists, and of watches that send all objects first, since the process started.
    pub fn lists(&self) -> u64 {
        self.relists
    }

    /// Returns true if the reflector has received a complete list since the process started.
    pub fn has_synced(&self) -> bool {
        self.synced
    }

    pub fn is_watching(&self) -> bool {
        matches!(self.phase, Phase::Watching { .. })
    }

    /// Returns true if the reflector waits before its next list or watch.
    pub fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Waiting { .. })
    }

    // Inputs.

    /// Starts the reflector with a list, or with a watch that sends all objects first.
    pub fn start(&mut self, _now: SimTime, rng: &mut Rng) -> Vec<ReflectorAct> {
        self.round(rng)
    }

    /// Ends the process. The copy and all other state are lost.
    pub fn stop(&mut self) {
        *self = Self::new(self.spec.clone());
    }

    /// Ends a wait: lists the objects, or resumes the watch.
    pub fn wake(&mut self, now: SimTime, rng: &mut Rng) -> Vec<ReflectorAct> {
        match self.phase {
            Phase::Waiting { lists } => {
                if lists {
                    self.round(rng)
                } else {
                    self.watch(now, rng)
                }
            }
            _ => Vec::new(),
        }
    }

    /// Handles a broken or refused connection: after a back-off delay, the reflector lists again or resumes its watch.
    pub fn unreachable(&mut self, now: SimTime, rng: &mut Rng) -> Vec<ReflectorAct> {
        let lists = !matches!(
            self.phase,
            Phase::Watching { .. } | Phase::Waiting { lists: false }
        );
        self.wait(now, rng, lists, BackOffReason::NoConnection)
    }

    /// Handles a response of the server to the last request.
    pub fn answered(
        &mut self,
        now: SimTime,
        answer: &KubeAnswer,
        rng: &mut Rng,
    ) -> Vec<ReflectorAct> {
        // The transport of client-go retries a request after `Retry-After`, before the reflector sees the error.
        let retry_after_s = answer.as_ref().err().and_then(StatusError::retry_after_s);
        match retry_after_s.filter(|_| answer.as_ref().is_err_and(is_retriable)) {
            Some(seconds) if seconds > 0 && self.retries < RETRIES_MAX => {
                self.retries += 1;
                return self.comes_again(seconds, answer);
            }
            _ => self.retries = 0,
        }
        match (&mut self.phase, answer) {
            (Phase::Listing { items }, Ok(KubeResponse::List(list))) => {
                items.extend(list.items.iter().cloned());
                if let Some(token) = &list.continue_token {
                    let options = ListOptions {
                        limit: PAGE,
                        continue_token: Some(token.clone()),
                        ..ListOptions::default()
                    };
                    return vec![ReflectorAct::Send(self.list_request(options))];
                }
                let prefix = self.spec.resource.prefix;
                let items = std::mem::take(items).into_iter();
                let items = items.map(|object| (object.key(prefix), object)).collect();
                let mut acts = self.replace(list.resource_version, items);
                acts.extend(self.watch(now, rng));
                acts
            }
            (Phase::Listing { .. }, Err(error)) if is_expired(error) || error.is_too_large() => {
                if self.unavailable {
                    return self.wait(
                        now,
                        rng,
                        true,
                        BackOffReason::Error(error.to_string().into()),
                    );
                }
                self.unavailable = true;
                self.list()
            }
            (Phase::Listing { .. }, Err(error)) => self.wait(
                now,
                rng,
                true,
                BackOffReason::Error(error.to_string().into()),
            ),
            (Phase::Streaming { .. }, Err(error)) if is_retriable(error) => self.wait(
                now,
                rng,
                true,
                BackOffReason::Error(error.to_string().into()),
            ),
            // The server refuses to send all objects in a watch, so the reflector lists.
            (Phase::Streaming { .. }, Err(_)) => self.list(),
            (Phase::Watching { .. }, Err(error)) => {
                let lists = !is_retriable(error);
                self.wait(
                    now,
                    rng,
                    lists,
                    BackOffReason::Error(error.to_string().into()),
                )
            }
            _ => Vec::new(),
        }
    }

    pub fn events(
        &mut self,
        now: SimTime,
        events: &[KubeWatchEvent],
        rng: &mut Rng,
    ) -> Vec<ReflectorAct> {
        let mut acts = Vec::new();
        for event in events {
            match &mut self.phase {
                Phase::Streaming { .. } => acts.extend(self.initial(now, event, rng)),
                Phase::Watching { events, .. } => {
                    *events += 1;
                    acts.extend(self.event(now, event, rng));
                }
                Phase::Idle | Phase::Listing { .. } | Phase::Waiting { .. } => {}
            }
        }
        acts
    }

    /// Handles the end of a watch without an error.
    pub fn ended(&mut self, now: SimTime, rng: &mut Rng) -> Vec<ReflectorAct> {
        match &self.phase {
            Phase::Watching { since, events } => {
                if *events == 0 && now - *since < SHORT_WATCH {
                    let why = "very short watch: unexpected watch close";
                    return self.wait(now, rng, true, BackOffReason::Error(why.into()));
                }
                self.watch(now, rng)
            }
            Phase::Streaming { .. } => self.wait(now, rng, true, BackOffReason::StreamEnded),
            Phase::Idle | Phase::Listing { .. } | Phase::Waiting { .. } => Vec::new(),
        }
    }

    fn round(&mut self, rng: &mut Rng) -> Vec<ReflectorAct> {
        if !self.spec.watch_list {
            return self.list();
        }
        self.phase = Phase::Streaming {
            items: OrdMap::new(),
        };
        self.relists += 1;
        let options = ListOptions {
            resource_version: match self.last {
                Some(last) if !self.unavailable => ResourceVersion::At(last),
                _ => ResourceVersion::Unset,
            },
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            send_initial_events: Some(true),
            allow_watch_bookmarks: true,
            ..ListOptions::default()
        };
        vec![ReflectorAct::Send(self.watch_request(options, rng))]
    }

    fn list(&mut self) -> Vec<ReflectorAct> {
        self.phase = Phase::Listing { items: Vec::new() };
        self.relists += 1;
        let resource_version = match self.last {
            _ if self.unavailable => ResourceVersion::Unset,
            None => self.spec.first_list,
            Some(last) => ResourceVersion::At(last),
        };
        // A list with a limit and a resource version would require exactly that version.
        let limit = match resource_version {
            ResourceVersion::Unset | ResourceVersion::Any => PAGE,
            ResourceVersion::At(_) => 0,
        };
        let options = ListOptions {
            resource_version,
            limit,
            ..ListOptions::default()
        };
        vec![ReflectorAct::Send(self.list_request(options))]
    }

    fn watch(&mut self, now: SimTime, rng: &mut Rng) -> Vec<ReflectorAct> {
        self.phase = Phase::Watching {
            since: now,
            events: 0,
        };
        let options = ListOptions {
            resource_version: self.last.map_or(ResourceVersion::Any, ResourceVersion::At),
            allow_watch_bookmarks: !*self.spec.without_bookmarks,
            ..ListOptions::default()
        };
        vec![ReflectorAct::Send(self.watch_request(options, rng))]
    }

    fn list_request(&self, options: ListOptions) -> KubeRequest {
        KubeRequest {
            resource: self.spec.resource,
            verb: KubeVerb::List {
                target: self.spec.target.clone(),
                options,
            },
        }
    }

    fn watch_request(&self, options: ListOptions, rng: &mut Rng) -> KubeRequest {
        KubeRequest {
            resource: self.spec.resource,
            verb: KubeVerb::Watch {
                target: self.spec.target.clone(),
                options,
                timeout_s: Some(WATCH_SECONDS + rng.below(WATCH_SECONDS)),
            },
        }
    }

    /// Waits before the next list, or before the watch resumes.
    fn wait(
        &mut self,
        now: SimTime,
        rng: &mut Rng,
        lists: bool,
        why: BackOffReason,
    ) -> Vec<ReflectorAct> {
        self.phase = Phase::Waiting { lists };
        let delay = self.backoff.next_delay(now, rng);
        vec![ReflectorAct::Wait { delay, why }]
    }

    /// Handles a response with `Retry-After`: waits, and then retries the request.
    fn comes_again(&mut self, seconds: u32, answer: &KubeAnswer) -> Vec<ReflectorAct> {
        let lists = !matches!(self.phase, Phase::Watching { .. });
        self.phase = Phase::Waiting { lists };
        let delay = SimDuration(u64::from(seconds) * 1_000_000);
        let why = answer
            .as_ref()
            .err()
            .map_or(String::new(), ToString::to_string);
        let why = BackOffReason::Error(format!("Retry-After: {why}").into());
        vec![ReflectorAct::Wait { delay, why }]
    }

    /// Handles an event of a watch that sends all existing objects first.
    fn initial(
        &mut self,
        now: SimTime,
        event: &KubeWatchEvent,
        rng: &mut Rng,
    ) -> Vec<ReflectorAct> {
        let Phase::Streaming { items } = &mut self.phase else {
            return Vec::new();
        };
        let prefix = self.spec.resource.prefix;
        match event {
            KubeWatchEvent::Added(object) | KubeWatchEvent::Modified(object) => {
                items.insert(object.key(prefix), object.clone());
                Vec::new()
            }
            KubeWatchEvent::Deleted(object) => {
                items.remove(&object.key(prefix));
                Vec::new()
            }
            KubeWatchEvent::Bookmark {
                resource_version,
                initial_events_end: true,
            } => {
                let items = std::mem::take(items);
                self.phase = Phase::Watching {
                    since: now,
                    events: 1,
                };
                self.replace(*resource_version, items)
            }
            // The resync contains all objects, so it completes the initial events.
            KubeWatchEvent::Resync {
                items,
                resource_version,
            } => {
                self.phase = Phase::Watching {
                    since: now,
                    events: 1,
                };
                self.resync(*resource_version, items)
            }
            KubeWatchEvent::Bookmark { .. } => Vec::new(),
            // client-go repeats the watch-list at once, without a resource version (`watchList`).
            KubeWatchEvent::Error(error) if is_expired(error) || error.is_too_large() => {
                self.unavailable = true;
                self.round(rng)
            }
            KubeWatchEvent::Error(_) => self.list(),
        }
    }

    fn event(&mut self, now: SimTime, event: &KubeWatchEvent, rng: &mut Rng) -> Vec<ReflectorAct> {
        let prefix = self.spec.resource.prefix;
        let acts = match event {
            KubeWatchEvent::Added(object) | KubeWatchEvent::Modified(object) => {
                let before = self.store.insert(object.key(prefix), object.clone());
                let new = object.clone();
                vec![ReflectorAct::Notify(match before {
                    Some(old) => KubeNotice::Update { old, new },
                    None => KubeNotice::Add {
                        object: new,
                        is_initial: false,
                    },
                })]
            }
            KubeWatchEvent::Deleted(object) => {
                self.store.remove(&object.key(prefix));
                vec![ReflectorAct::Notify(KubeNotice::Delete {
                    object: object.clone(),
                    is_final_state_unknown: false,
                })]
            }
            KubeWatchEvent::Resync {
                items,
                resource_version,
            } => self.resync(*resource_version, items),
            KubeWatchEvent::Bookmark { .. } => Vec::new(),
            KubeWatchEvent::Error(error) => {
                let lists = !is_retriable(error);
                return self.wait(
                    now,
                    rng,
                    lists,
                    BackOffReason::Error(error.to_string().into()),
                );
            }
        };
        self.last = event.resource_version().or(self.last);
        acts
    }

    /// Applies the complete list that the server sends on an open watch after the server has relisted.
    fn resync(&mut self, revision: u64, items: &[Arc<Object>]) -> Vec<ReflectorAct> {
        let prefix = self.spec.resource.prefix;
        let items = items.iter().map(|o| (o.key(prefix), o.clone())).collect();
        self.replace(revision, items)
    }

    /// Replaces the copy with a complete list. An object that is in the old copy but not in the list was deleted, and
    /// the reflector received no event for the delete.
    fn replace(&mut self, revision: u64, items: OrdMap<Key, Arc<Object>>) -> Vec<ReflectorAct> {
        let is_initial = !self.synced;
        let is_gone = |(key, _): &(&Key, &Arc<Object>)| !items.contains_key(*key);
        let gone = self.store.iter().filter(is_gone);
        let gone: Vec<Arc<Object>> = gone.map(|(_, object)| object.clone()).collect();
        let mut acts = vec![ReflectorAct::Replaced {
            revision,
            objects: items.len() as u64,
            gone: gone.clone(),
        }];
        acts.extend(gone.into_iter().map(|object| {
            ReflectorAct::Notify(KubeNotice::Delete {
                object,
                is_final_state_unknown: true,
            })
        }));
        for (key, object) in &items {
            let new = object.clone();
            acts.push(match self.store.get(key) {
                None => ReflectorAct::Notify(KubeNotice::Add {
                    object: new,
                    is_initial,
                }),
                // Handlers are also notified of unchanged objects: without a resync period, a listener never
                // leaves the state in which it receives such notifications (`sharedProcessor.distribute`).
                Some(old) => ReflectorAct::Notify(KubeNotice::Update {
                    old: old.clone(),
                    new,
                }),
            });
        }
        self.store = items;
        self.last = Some(revision);
        self.unavailable = false;
        self.synced = true;
        acts
    }
}

fn is_expired(error: &StatusError) -> bool {
    error.reason() == StatusReason::Expired
}

/// Returns true if the server was too busy and the same request can be retried.
fn is_retriable(error: &StatusError) -> bool {
    error.reason() == StatusReason::TooManyRequests
}

#[cfg(test)]
mod tests {
    use super::{KubeVerb, KubeWatchEvent, Reflector, ReflectorAct, ReflectorSpec};
    use crate::base::rng::Rng;
    use crate::base::time::SimTime;
    use crate::kube::StatusError;
    use crate::kube::list_options::ResourceVersion;
    use crate::kube::resource::PODS;

    fn with_watch_lists() -> Reflector {
        Reflector::new(ReflectorSpec {
            resource: &PODS,
            target: Default::default(),
            watch_list: true,
            first_list: ResourceVersion::Any,
            without_bookmarks: Default::default(),
        })
    }

    fn is_watch_list(acts: &[ReflectorAct]) -> bool {
        let [ReflectorAct::Send(request)] = acts else {
            panic!("it asks for one thing: {acts:?}");
        };
        request.verb.name() == "WATCH"
    }

    #[test]
    fn a_server_without_watch_lists_is_asked_for_one_again_in_the_next_round() {
        let rng = &mut Rng::stream(1, "reflector");
        let mut reflector = with_watch_lists();
        assert!(is_watch_list(&reflector.start(SimTime(0), rng)));
        let cannot = Err(StatusError::ProgressDisabled);
        assert!(!is_watch_list(&reflector.answered(
            SimTime(1),
            &cannot,
            rng
        )));
        reflector.unreachable(SimTime(2), rng);
        assert!(is_watch_list(&reflector.wake(SimTime(3), rng)));
    }

    #[test]
    fn a_watch_list_from_an_expired_revision_is_repeated_at_once_without_one() {
        let rng = &mut Rng::stream(1, "reflector");
        let mut reflector = with_watch_lists();
        reflector.start(SimTime(0), rng);
        let end = KubeWatchEvent::Bookmark {
            resource_version: 7,
            initial_events_end: true,
        };
        reflector.events(SimTime(1), &[end], rng);
        reflector.unreachable(SimTime(2), rng);
        // Revision 7, from which the watch resumes, is no longer available, so the reflector lists.
        reflector.wake(SimTime(3), rng);
        let gone = KubeWatchEvent::Error(StatusError::WatchTooOld);
        reflector.events(SimTime(4), std::slice::from_ref(&gone), rng);
        assert_eq!(
            version_of(&reflector.wake(SimTime(5), rng)),
            ResourceVersion::At(7)
        );
        let acts = reflector.events(SimTime(6), &[gone], rng);
        assert!(is_watch_list(&acts));
        assert_eq!(version_of(&acts), ResourceVersion::Unset);
    }

    fn version_of(acts: &[ReflectorAct]) -> ResourceVersion {
        let [ReflectorAct::Send(request)] = acts else {
            panic!("the reflector sends one request: {acts:?}");
        };
        let KubeVerb::Watch { options, .. } = &request.verb else {
            panic!("the reflector watches: {request:?}");
        };
        options.resource_version
    }
}
