//! Builds the Cache view from the world at the cursor and the recorded past of the run.

use std::collections::BTreeMap;

use crate::apiserver::routing::{Meaning, OnTimeout, Route, ServedFrom, Wait};
use crate::apiserver::work::WorkCost;
use crate::apiserver::{ApiServer, Cacher, CurrentRevision, ReadyState, Registration};
use crate::base::ids::NodeId;
use crate::base::time::{SimDuration, SimTime};
use crate::client::kube::client::{KubeApp, KubeClient};
use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::{PODS, RESOURCES};
use crate::kube::{KubeRequest, KubeResponse, KubeVerb, Resource, ServedBy};
use crate::observe::Past;
use crate::observe::kube_log::{RequestRecord, StepTime};
use crate::trace::ChangeKind;
use crate::world::World;

use super::load::load_view;
use super::{
    BackInTime, CACHE_WATCHERS_SHOWN, CacheQuery, CacheReady, CacheRow, CacheView, ClientWatchRow,
    LatencySplit, ListCost, ListsRow, PLOT_SPAN_MIN, PLOT_SPANS, PathKind, ProcessRow,
    ProgressMark, REQUESTS_SHOWN, REVISION_KEY_MAX, REVISIONS_SHOWN, RequestRow, RevisionMark,
    RouteQuery, RouteRow, STALENESS_POINTS, ServerRow, StalePoint, TypedRequest, WaitingRow,
    WindowView,
};
use crate::view::narrate::message_kube;
use crate::view::node_state;
use crate::words::cache as words;

/// The number of newest requests that are searched for clients that received older data than before.
const BACK_IN_TIME_REQUESTS: usize = 4_096;

/// The maximum number of requests that are searched for the newest request of a typed `kubectl` command.
const TYPED_REQUESTS: usize = 4_096;

pub fn cache_view(m: Past<'_>, query: &CacheQuery) -> CacheView {
    let world = m.world;
    let resource = chosen(world, &query.resource);
    let store = world.at_endpoint().store();
    // Requests can take long to look up, so a view without requests does not look them up at each step.
    let only_places = query.only_places || world.apiservers().next().is_none();
    let all = match only_places {
        true => &[],
        false => m.kube_log.requests_at(m.step),
    };
    let of_it = |(_, r): &(usize, &RequestRecord)| r.request.resource.name == resource.name;
    let newest = all.iter().enumerate().rev().filter(of_it);
    let typed = newest_typed(world, newest.clone()).map(|(i, r)| TypedRequest {
        request: request_row(m, i, r),
        route: route_query(world, r),
    });
    let requests: Vec<RequestRow> = newest
        .take(REQUESTS_SHOWN)
        .map(|(i, r)| request_row(m, i, r))
        .collect();
    let plot_us = match query.plot_us {
        0 => plot_span(world.now(), requests.first()),
        chosen => chosen,
    };
    let since = world.now().0.saturating_sub(plot_us);
    let caches: Vec<CacheRow> = world
        .apiservers()
        .map(|(node, server)| cache_row(m, node, server, resource, since))
        .collect();
    let selected = query.selected.and_then(|id| {
        let place = usize::try_from(id).ok()?;
        all.get(place).map(|r| request_row(m, place, r))
    });
    let revisions = match only_places {
        true => Vec::new(),
        false => revisions(m, resource),
    };
    let axis_from = axis_from(&caches, &revisions, store.current_rev());
    let ask = query.ask.clone().map(|ask| RouteQuery {
        server: server_asked(world, &ask, &requests),
        ..ask
    });
    CacheView {
        now_us: world.now().0,
        head: store.current_rev(),
        compact_revision: store.compact_rev(),
        resource: resource.name.into(),
        resources: resources(world),
        axis_from,
        revisions,
        servers: world
            .apiservers()
            .map(|(n, s)| server_row(world, n, s))
            .collect(),
        caches,
        plot_us,
        requests,
        back_in_time: match only_places {
            true => Vec::new(),
            false => back_in_time(m, resource),
        },
        lamps: Vec::new(),
        routes: ask.as_ref().map_or_else(Vec::new, |ask| {
            let ran = typed.as_ref().and_then(|typed| typed.route.as_ref());
            routes(m, resource, ask, ran)
        }),
        routes_server: ask.map(|ask| ask.server).unwrap_or_default(),
        selected,
        typed,
        load: match only_places {
            true => None,
            false => load_view(m),
        },
    }
}

/// Returns the shortest time span of the staleness plot that contains the time from the start of the newest request to
/// the cursor.
fn plot_span(now: SimTime, newest: Option<&RequestRow>) -> u64 {
    let age = newest.map_or(0, |request| now.0 - request.sent_us);
    let mut fits = PLOT_SPANS
        .into_iter()
        .filter(|span| *span >= PLOT_SPAN_MIN && age <= *span);
    // A request that is older than the longest span does not appear in any plot.
    fits.next().unwrap_or(PLOT_SPAN_MIN)
}

/// Returns the work and the memory of each member and API server.
pub fn processes(world: &World) -> Vec<ProcessRow> {
    let row = |node, used: SimDuration, jobs| {
        let memory = world.memory_of(node).unwrap_or_default();
        ProcessRow {
            name: world.node_name(node),
            jobs,
            processor_us: used.0,
            memory: memory.used,
            limit: memory.limit,
            kills: memory.kills,
        }
    };
    let members = world.etcds().map(|(node, member)| {
        let processor = member.processor();
        row(node, processor.used(), processor.running())
    });
    let servers = world.apiservers();
    let servers = servers.map(|(node, server)| row(node, server.processor_time(), server.jobs()));
    members.chain(servers).collect()
}

/// Returns the newest request of a typed `kubectl` command, for any resource.
pub fn last_typed(m: Past<'_>) -> Option<RequestRow> {
    let all = m.kube_log.requests_at(m.step);
    let typed = newest_typed(m.world, all.iter().enumerate().rev());
    typed.map(|(i, r)| request_row(m, i, r))
}

/// Returns the first request of a typed `kubectl` command among the newest requests.
fn newest_typed<'a>(
    world: &World,
    newest: impl Iterator<Item = (usize, &'a RequestRecord)>,
) -> Option<(usize, &'a RequestRecord)> {
    let mut newest = newest.take(TYPED_REQUESTS);
    newest.find(|(_, r)| is_typed(world, r.client))
}

/// Returns true if the client sends the requests of typed `kubectl` commands.
fn is_typed(world: &World, client: NodeId) -> bool {
    let app = world.kube_client(client).map(KubeClient::app);
    matches!(app, Some(KubeApp::Kubectl | KubeApp::Watch { .. }))
}

/// Converts a request to a query for the routing table. Returns `None` for a write, and for the request for the next
/// page of a list.
fn route_query(world: &World, r: &RequestRecord) -> Option<RouteQuery> {
    let options = r.request.verb.options()?;
    if options.continue_token.is_some() {
        return None;
    }
    Some(RouteQuery {
        verb: r.request.verb.name().into(),
        server: world.node_name(r.server),
        resource_version: match options.resource_version {
            ResourceVersion::Unset => String::new(),
            version => version.to_string(),
        },
        how: options
            .resource_version_match
            .as_ref()
            .map_or("", ResourceVersionMatch::name)
            .into(),
        limit: options.limit,
    })
}

/// Returns the resource with this name, or the first resource with an object in a cache.
fn chosen(world: &World, name: &str) -> &'static Resource {
    if let Some(named) = Resource::find(name) {
        return named;
    }
    let cached = world
        .apiservers()
        .flat_map(|(_, s)| s.storages())
        .filter_map(|s| s.cacher());
    // The first cache with an object, or else the first cache.
    let found = cached.min_by_key(|cacher| cacher.cache().store().is_empty());
    found.map_or(&PODS, Cacher::resource)
}

fn resources(world: &World) -> Vec<String> {
    let has = |resource: &&Resource| {
        let mut servers = world.apiservers();
        servers.any(|(_, s)| s.storages().any(|s| s.resource().name == resource.name))
    };
    RESOURCES
        .into_iter()
        .filter(has)
        .map(|r| r.name.into())
        .collect()
}

fn axis_from(caches: &[CacheRow], revisions: &[RevisionMark], head: i64) -> i64 {
    let oldest = caches.iter().filter_map(|row| row.window.oldest);
    let shown = caches
        .iter()
        .filter(|row| row.cached)
        .map(|row| row.revision);
    let least = oldest.chain(shown).min().unwrap_or(head);
    // A history window begins at the revision before its first event.
    let first = revisions.first().map_or(head, |mark| mark.revision - 1);
    least.max(first).min(head).max(1)
}

fn revisions(m: Past<'_>, resource: &Resource) -> Vec<RevisionMark> {
    let newest = m.history.revisions_by(m.step).take(REVISIONS_SHOWN);
    let mut commits: Vec<(i64, u64)> = newest.collect();
    commits.reverse();
    let Some((first, _)) = commits.first() else {
        return Vec::new();
    };
    let mut changes = m.history.changes_from(*first).peekable();
    let marks = commits.iter().map(|(revision, step)| {
        let mut mark = RevisionMark {
            revision: *revision,
            at_us: m.recorded.time_of(*step).map_or(0, |at| at.0),
            own: false,
            deletes: false,
            key: Vec::new(),
            label: String::new(),
        };
        while let Some((key, change)) = changes.next_if(|(_, c)| c.main == *revision) {
            let own = key.starts_with(resource.prefix.as_bytes());
            mark.deletes |= own && change.kind == ChangeKind::Delete;
            if own && !mark.own && key.len() <= REVISION_KEY_MAX {
                mark.key = key.to_vec();
            }
            if mark.label.is_empty() || own && !mark.own {
                let what = match change.kind {
                    ChangeKind::Create | ChangeKind::Update => "put",
                    ChangeKind::Delete => "delete",
                };
                let key = String::from_utf8_lossy(key);
                let key = key.strip_prefix("/registry/").unwrap_or(&key);
                mark.label = format!("{what} {key}");
            }
            mark.own |= own;
        }
        mark
    });
    marks.collect()
}

fn server_row(world: &World, node: NodeId, server: &ApiServer) -> ServerRow {
    let (mut with, mut without, mut etcd_watches) = (0, 0, 0);
    for storage in server.storages() {
        let raw = storage.raw_decodes();
        let (own, instead) = storage.cacher().map_or((0, 0), Cacher::decodes);
        with += own + raw;
        without += instead + raw;
        etcd_watches += storage.etcd_watches();
    }
    let config = server.config();
    ServerRow {
        name: server.name().to_string(),
        version: config.version.to_string(),
        policy: match config.current_revision {
            CurrentRevision::Header => config.policy.name().into(),
            other => format!("{}, {}", config.policy.name(), other.name()),
        },
        state: node_state::of(world, node).text(),
        progress_supported: server.supports_progress(),
        gates: config.gates_set.clone(),
        etcd_watches,
        client_watches: server.watches().count() as u64,
        decodes: with,
        decodes_without_cache: without,
        lists: lists_rows(world, server),
    }
}

fn lists_rows(world: &World, server: &ApiServer) -> Vec<ListsRow> {
    let cost = |cost: WorkCost| ListCost {
        lists: cost.lists,
        objects: cost.objects,
        bytes: cost.bytes,
        returned: cost.returned,
    };
    let rows = server.work().of(world.now());
    rows.map(|(by, total, second)| ListsRow {
        source: by.name().into(),
        total: cost(total),
        second: cost(second),
    })
    .collect()
}

/// Returns the row of a server's cache; the plot begins at `since`, in microseconds.
pub fn cache_row(
    m: Past<'_>,
    node: NodeId,
    server: &ApiServer,
    resource: &'static Resource,
    since: u64,
) -> CacheRow {
    let of_resource = |r: &KubeRequest| r.resource.name == resource.name;
    let watches = server.watches().filter(|(_, w)| of_resource(w.request));
    let storage = server
        .storages()
        .find(|s| s.resource().name == resource.name);
    let mut row = CacheRow {
        server: server.name().to_string(),
        client_watches: watches.count() as u64,
        etcd_watches: storage.map_or(0, |s| s.etcd_watches()),
        decodes: storage.map_or(0, |s| s.raw_decodes()),
        ..CacheRow::default()
    };
    row.decodes_without_cache = row.decodes;
    let Some(cacher) = server.cacher(resource.name) else {
        let cached = server
            .config()
            .caches
            .iter()
            .any(|(r, _)| r.name == resource.name);
        row.cached = cached;
        row.ready = if cached {
            CacheReady::Stopped
        } else {
            CacheReady::Off
        };
        row.ready_detail = match cached {
            true => words::SERVER_STOPPED.into(),
            false => words::NO_CACHE.into(),
        };
        return row;
    };
    let now = m.world.now();
    let cache = cacher.cache();
    row.cached = true;
    (row.ready, row.ready_detail) = match cacher.ready().state() {
        ReadyState::Ready => (CacheReady::Ready, String::new()),
        ReadyState::Pending => {
            let why = cacher.ready().check(now).err();
            (
                CacheReady::Pending,
                why.map_or(String::new(), |e| e.to_string()),
            )
        }
    };
    let head = m.world.member(server.etcd());
    let head = head.map_or(0, |etcd| etcd.store().current_rev());
    row.revision = cache.cache_rv() as i64;
    row.list_revision = cache.list_rv() as i64;
    row.behind = u64::try_from(head - row.revision).unwrap_or(0);
    row.ahead = u64::try_from(row.revision - head).unwrap_or(0);
    let missing = own_revisions(m, resource, row.revision);
    row.missing = missing.len() as u64;
    row.stale_us = missing.first().map_or(0, |(_, since)| (now - *since).0);
    let (with, without) = cacher.decodes();
    row.decodes += with;
    row.decodes_without_cache += without;
    row.window = window(cacher);
    row.snapshots = cache.snapshots().map_or(0, |s| s.len());
    row.oldest_snapshot = cache
        .snapshots()
        .and_then(|s| s.oldest())
        .map(|rv| rv as i64);
    row.objects = cache.store().len();
    row.watchers = watchers(m, server, cacher);
    row.waiting = waiting(m, node, cacher);
    if let Some(record) = m.kube_log.cache(node, resource.name) {
        row.progress_requests = record.asked.partition_point(|at| at.0 <= m.step) as u64;
        let progress = within(&record.progress, |(at, _)| *at, m.step, since).iter();
        row.progress = progress
            .map(|((_, at), revision)| ProgressMark {
                revision: *revision as i64,
                at_us: at.0,
                to: String::new(),
            })
            .collect();
        let bookmarks = within(&record.bookmarks, |(at, ..)| *at, m.step, since).iter();
        let requests = m.kube_log.requests_at(m.step);
        row.bookmarks = bookmarks
            .map(|((_, at), id, revision)| ProgressMark {
                revision: *revision as i64,
                at_us: at.0,
                to: m
                    .kube_log
                    .place_of(node, *id)
                    .and_then(|place| requests.get(place as usize))
                    .map_or(String::new(), |r| m.world.node_name(r.client)),
            })
            .collect();
        row.staleness = staleness(m, resource, &record.revisions, since);
    }
    row
}

/// Returns the entries up to `step` whose time is `since` or later. The given list must be sorted by time.
fn within<T>(all: &[T], at: impl Fn(&T) -> StepTime, step: u64, since: u64) -> &[T] {
    let end = all.partition_point(|x| at(x).0 <= step);
    let from = all[..end].partition_point(|x| at(x).1.0 < since);
    &all[from..end]
}

fn window(cacher: &Cacher) -> WindowView {
    let cache = cacher.cache();
    let ring = cache.ring();
    let limits = ring.limits();
    let events = ring.iter().map(|(_, event)| event.resource_version as i64);
    let skip = (ring.len() as usize).saturating_sub(REVISIONS_SHOWN);
    WindowView {
        capacity: ring.capacity(),
        used: ring.len(),
        bounds: (limits.lower, limits.upper),
        // A watch from revision x starts with the events after x.
        oldest: cache.oldest_deliverable().map(|rv| rv as i64 - 1),
        events: events.skip(skip).collect(),
    }
}

fn watchers(m: Past<'_>, server: &ApiServer, cacher: &Cacher) -> Vec<ClientWatchRow> {
    let dispatcher = cacher.dispatcher();
    let resource = cacher.resource();
    let of_it = server
        .watches()
        .filter(|(_, w)| w.request.resource.name == resource.name);
    let rows = of_it.take(CACHE_WATCHERS_SHOWN).map(|(id, info)| {
        let watcher = info.watcher.and_then(|watcher| dispatcher.watcher(watcher));
        let registered = info
            .watcher
            .and_then(|watcher| dispatcher.registration(watcher));
        let selects = message_kube::what(info.request);
        let selects = selects
            .strip_prefix(resource.name)
            .unwrap_or(&selects)
            .trim();
        ClientWatchRow {
            client: m.world.node_name(info.client),
            watcher: id,
            selects: selects.into(),
            registered: match registered {
                Some(Registration::Trigger(value)) => {
                    format!("{}={value}", resource.trigger.unwrap_or(""))
                }
                Some(Registration::Scope(scope)) => match (&*scope.namespace, &*scope.name) {
                    ("", "") => "everything".into(),
                    (namespace, "") => format!("namespace {namespace}"),
                    ("", name) => format!("name {name}"),
                    (namespace, name) => format!("{namespace}/{name}"),
                },
                None => "nothing".into(),
            },
            revision: info.revision as i64,
            replaying: watcher.is_some_and(|w| w.is_replaying()),
            queued: watcher.map_or((0, 0), |w| w.queued()),
            channel: watcher.map_or(0, |w| w.spec().channel_size),
            sent: info.sent,
        }
    });
    rows.collect()
}

fn waiting(m: Past<'_>, node: NodeId, cacher: &Cacher) -> Vec<WaitingRow> {
    let rows = cacher.freshness().waits().map(|(read, waiting)| {
        let place = m.kube_log.place_of(node, read.0);
        let record = place.and_then(|place| m.kube_log.requests_at(m.step).get(place as usize));
        let response = record
            .and_then(|r| r.response.as_ref())
            .map_or(0, |(at, ..)| at.1.0);
        WaitingRow {
            request: place.unwrap_or(read.0),
            client: record.map_or(String::new(), |r| m.world.node_name(r.client)),
            needed: waiting.and_then(|w| w.needed).map(|rv| rv as i64),
            since_us: waiting.map_or(response, |w| w.since.0),
        }
    });
    rows.take(REQUESTS_SHOWN).collect()
}

/// Returns the revisions after `revision` that changed the resource, oldest first, each with the time of its commit.
fn own_revisions(m: Past<'_>, resource: &Resource, revision: i64) -> Vec<(i64, SimTime)> {
    let later = m.history.changes_from(revision.saturating_add(1));
    let by_now = later.take_while(|(_, change)| change.step <= m.step);
    let own = by_now.filter(|(key, _)| key.starts_with(resource.prefix.as_bytes()));
    let mut found: Vec<(i64, SimTime)> = own
        .filter_map(|(_, change)| Some((change.main, m.recorded.time_of(change.step)?)))
        .collect();
    found.dedup_by_key(|(revision, _)| *revision);
    found
}

/// Returns the corner points of the staleness plot. The staleness rises from the commit of the first revision that the
/// cache is missing, and falls when the cache receives that revision.
fn staleness(
    m: Past<'_>,
    resource: &Resource,
    moves: &[(StepTime, u64)],
    since: u64,
) -> Vec<StalePoint> {
    let upto = moves.partition_point(|((step, _), _)| *step <= m.step);
    let first = moves[..upto]
        .partition_point(|((_, at), _)| at.0 < since)
        .saturating_sub(1);
    let oldest = moves[first..upto].iter().map(|(_, revision)| *revision);
    let own = match oldest.min() {
        Some(revision) => own_revisions(m, resource, revision as i64),
        None => Vec::new(),
    };
    let mut points: Vec<StalePoint> = Vec::new();
    let mut add = |at_us: u64, stale_us: u64| {
        let point = StalePoint { at_us, stale_us };
        if at_us >= since && points.last() != Some(&point) {
            points.push(point);
        }
    };
    for i in first..upto {
        let ((_, from), revision) = moves[i];
        let until = moves
            .get(i + 1)
            .filter(|_| i + 1 < upto)
            .map_or(m.world.now(), |next| next.0.1);
        let later = own.partition_point(|(own, _)| *own <= revision as i64);
        match own.get(later).filter(|(_, at)| *at <= until) {
            None => {
                add(from.0.max(since), 0);
                add(until.0, 0);
            }
            Some((_, at)) => {
                let begun = (*at).max(from).0.max(since);
                add(from.0.max(since), from.0.max(since).saturating_sub(at.0));
                add(begun, begun - at.0.min(begun));
                add(until.0, until.0 - at.0.min(until.0));
            }
        }
    }
    let skip = points.len().saturating_sub(STALENESS_POINTS);
    points.split_off(skip)
}

/// Returns the view of a request, with the latency split by cause.
pub fn request_row(m: Past<'_>, id: usize, r: &RequestRecord) -> RequestRow {
    let by_now = |at: &(u64, SimTime)| at.0 <= m.step;
    let response = r.response.as_ref().filter(|(at, ..)| by_now(at));
    let answered = r.answered.as_ref().filter(|(at, _)| by_now(at));
    let heard = r.heard.as_ref().filter(|(at, _)| by_now(at));
    let waits = r.waits.as_ref().filter(|(at, ..)| by_now(at));
    let options = r.request.verb.options();
    let mut row = RequestRow {
        id: id as u64,
        step: response.map_or(r.sent.0, |(at, ..)| at.0),
        sent_us: r.sent.1.0,
        client: m.world.node_name(r.client),
        server: m.world.node_name(r.server),
        verb: r.request.verb.name().into(),
        what: message_kube::what(&r.request),
        asked: options.map_or(words::UNSET.into(), |o| o.resource_version.to_string()),
        reason: response.map_or(String::new(), |(_, _, reason)| reason.sentence().into()),
        needed: waits.map_or(0, |(_, needed, ..)| *needed as i64),
        ..RequestRow::default()
    };
    // A client that has given up never receives the response.
    let end = heard.map(|(at, _)| at).or(answered.map(|(at, _)| at));
    let end = end.map_or(m.world.now(), |at| at.1);
    row.split.total_us = end.0 - r.sent.1.0;
    if let Some((at, how)) = answered {
        row.path = match how.by {
            // The responses "not found" and "already exists" are results of the read or write, not refusals.
            _ if how.code >= 400 && how.code != 404 && how.code != 409 => PathKind::Refused,
            ServedBy::Cache => PathKind::Cache,
            ServedBy::Snapshot => PathKind::Snapshot,
            ServedBy::Etcd => PathKind::Etcd,
            ServedBy::Nobody => PathKind::Refused,
        };
        row.revision = how.revision.map(|rv| rv as i64);
        row.items = how.items;
        row.fetched = how.fetched;
        row.index = how
            .index
            .as_ref()
            .map_or(String::new(), ToString::to_string);
        row.code = how.code;
        row.message = how.message.to_string();
        if let Some((_, error)) = r.ended.as_ref().filter(|(at, _)| by_now(at)) {
            row.ended_with = error.code();
            row.message = error.to_string();
        }
        row.fell_back = how.fell_back;
        row.seats = how.seats;
        row.queue_us = how.queue_took.0;
        let response = response.map_or(r.sent.1, |(at, ..)| at.1);
        let inside = (at.1 - response).0;
        let (revision, wait) = (how.revision_took.0, how.wait_took.0);
        let etcd = how.etcd_took.0;
        row.split = LatencySplit {
            total_us: row.split.total_us,
            link_us: row.split.total_us - inside.min(row.split.total_us),
            revision_us: revision,
            wait_us: wait,
            etcd_us: etcd,
            other_us: inside.saturating_sub(revision + wait + etcd),
            convert_us: how.convert.0,
            collect_us: how.collect.0,
        };
    }
    row
}

/// A client received a list from one API server, and later an older list from another.
fn back_in_time(m: Past<'_>, resource: &Resource) -> Vec<BackInTime> {
    let all = m.kube_log.requests_at(m.step);
    let from = all.len().saturating_sub(BACK_IN_TIME_REQUESTS);
    let mut newest: BTreeMap<NodeId, (NodeId, u64)> = BTreeMap::new();
    let mut found = Vec::new();
    for (place, r) in all.iter().enumerate().skip(from) {
        let heard = r.heard.as_ref().filter(|(at, _)| at.0 <= m.step);
        let Some((_, answer)) = heard.filter(|_| r.request.resource.name == resource.name) else {
            continue;
        };
        // A request for an exact old revision returns that revision, so its age is no error.
        let is_exact = r.request.verb.options().is_some_and(|o| {
            o.continue_token.is_some()
                || o.resource_version_match == Some(ResourceVersionMatch::Exact)
        });
        let revision = match &**answer {
            Ok(KubeResponse::List(list)) if !is_exact => list.resource_version,
            _ => continue,
        };
        match newest.get(&r.client).copied() {
            Some((server, had)) if revision < had && server != r.server => {
                found.push(BackInTime {
                    client: m.world.node_name(r.client),
                    from: (m.world.node_name(server), had as i64),
                    to: (m.world.node_name(r.server), revision as i64),
                    request: place as u64,
                });
            }
            _ => {
                newest.insert(r.client, (r.server, revision));
            }
        }
    }
    found
}

// The routing table.

/// The parameters of a row in the routing table as typed values: the resource version, the match and the limit.
type Asked = (&'static str, &'static str, u64);

const LISTS: [Asked; 8] = [
    ("", "", 0),
    ("", "", 500),
    ("0", "", 0),
    ("N", "", 0),
    ("N", "NotOlderThan", 0),
    ("N", "NotOlderThan", 500),
    ("N", "", 500),
    ("N", "Exact", 0),
];
const GETS: [Asked; 3] = [("", "", 0), ("0", "", 0), ("N", "", 0)];
const WATCHES: [Asked; 3] = [("", "", 0), ("0", "", 0), ("N", "", 0)];

/// Returns the name of the server of the routing table. `requests` are the requests for the resource, newest first.
fn server_asked(world: &World, ask: &RouteQuery, requests: &[RequestRow]) -> String {
    if !ask.server.is_empty() {
        return ask.server.clone();
    }
    let mut of_verb = requests.iter().filter(|request| request.verb == ask.verb);
    let newest = of_verb.find(|request| world.apiserver_named(&request.server).is_some());
    let first = || {
        world
            .apiservers()
            .next()
            .map(|(_, server)| server.name().to_string())
    };
    newest
        .map(|request| request.server.clone())
        .or_else(first)
        .unwrap_or_default()
}

fn routes(
    m: Past<'_>,
    resource: &'static Resource,
    ask: &RouteQuery,
    ran: Option<&RouteQuery>,
) -> Vec<RouteRow> {
    let Some((_, server)) = m.world.apiserver_named(&ask.server) else {
        return Vec::new();
    };
    let asked: &[Asked] = match ask.verb.as_str() {
        "GET" => &GETS,
        "WATCH" => &WATCHES,
        _ => &LISTS,
    };
    let n = match ask.resource_version.as_str() {
        "" | "0" => server
            .cacher(resource.name)
            .map_or(1, |c| c.cache().cache_rv()),
        text => text.parse().unwrap_or(1),
    };
    let ran = ran.filter(|ran| *ran.server == **server.name() && ran.verb == ask.verb);
    let rows = asked.iter().filter_map(|row| {
        let (rv, how, limit) = *row;
        let request = asked_request(resource, &ask.verb, (rv, how, limit), n);
        let route = server.route_of(m.world.now(), &request)?;
        Some(RouteRow {
            resource_version: if rv.is_empty() {
                words::UNSET.into()
            } else {
                rv.into()
            },
            how: if how.is_empty() {
                words::NO_MATCH.into()
            } else {
                how.into()
            },
            limit: if limit == 0 {
                words::NO_LIMIT.into()
            } else {
                limit.to_string()
            },
            path: match &route.served_from {
                ServedFrom::Cache => PathKind::Cache,
                ServedFrom::Snapshot => PathKind::Snapshot,
                ServedFrom::Etcd => PathKind::Etcd,
                ServedFrom::Refused(_) => PathKind::Refused,
            },
            reason: route.reason.sentence().into(),
            returns: returns(&route),
            cost: cost(&route),
            gives_up: gives_up(&route),
            command: command(resource, &ask.verb, (rv, how, limit), n, server.name()),
            asked: is_row(row, ask),
            ran: ran.is_some_and(|ran| is_row(row, ran)),
        })
    });
    rows.collect()
}

/// Returns true if the routing table's row applies to the query.
fn is_row((rv, how, limit): &Asked, ask: &RouteQuery) -> bool {
    let kind = match ask.resource_version.as_str() {
        "" => "",
        "0" => "0",
        _ => "N",
    };
    *rv == kind && *how == ask.how && (*limit > 0) == (ask.limit > 0)
}

fn asked_request(
    resource: &'static Resource,
    verb: &str,
    (rv, how, limit): Asked,
    n: u64,
) -> KubeRequest {
    let options = ListOptions {
        resource_version: match rv {
            "" => ResourceVersion::Unset,
            "0" => ResourceVersion::Any,
            _ => ResourceVersion::At(n),
        },
        resource_version_match: ResourceVersionMatch::parse(how),
        limit,
        ..ListOptions::default()
    };
    let target = WatchTarget::everything();
    let verb = match verb {
        "GET" => KubeVerb::Get {
            namespace: "default".into(),
            name: "web-1".into(),
            options,
        },
        "WATCH" => KubeVerb::Watch {
            target,
            options,
            timeout_s: None,
        },
        _ => KubeVerb::List { target, options },
    };
    KubeRequest { resource, verb }
}

fn command(
    resource: &Resource,
    verb: &str,
    (rv, how, limit): Asked,
    n: u64,
    server: &str,
) -> String {
    let mut text = format!("kubectl get {}", resource.name);
    match verb {
        "GET" => text.push_str(" web-1"),
        "WATCH" => text.push_str(" -A --watch-only"),
        _ => text.push_str(" -A"),
    }
    match rv {
        "" => {}
        "0" => text.push_str(" --resource-version=0"),
        _ => text.push_str(&format!(" --resource-version={n}")),
    }
    if !how.is_empty() {
        text.push_str(&format!(" --resource-version-match={how}"));
    }
    if limit > 0 {
        text.push_str(&format!(" --limit={limit}"));
    } else if (verb, rv, how) == ("LIST", "", "") {
        // kubectl lists in chunks of 500 unless `--chunk-size` sets another size.
        text.push_str(" --chunk-size=0");
    }
    text.push_str(&format!(" --server={server}"));
    text
}

fn returns(route: &Route) -> String {
    match (&route.served_from, route.meaning) {
        (ServedFrom::Refused(error), _) => error.code().to_string(),
        (_, Meaning::MostRecent) => words::AT_LEAST_HEAD.into(),
        (_, Meaning::NotOlderThan(_)) => words::AT_LEAST_N.into(),
        (_, Meaning::Exact(_)) => words::EXACTLY_N.into(),
        (_, Meaning::Any) => words::ANY_VERSION.into(),
        (_, Meaning::After(_)) => words::AFTER_N.into(),
        (_, Meaning::FromNow) => words::FROM_NOW.into(),
    }
}

fn cost(route: &Route) -> String {
    match (&route.served_from, route.wait) {
        (ServedFrom::Etcd, _) => words::ROUND_TRIP.into(),
        (ServedFrom::Refused(_), _) | (_, Wait::No) => words::NO_DELAY.into(),
        (_, Wait::UntilCurrent) => words::ROUND_TRIP_AND_WAIT.into(),
        (_, Wait::Until(_)) => words::WAIT.into(),
        (_, Wait::UntilReady) => words::UNTIL_READY.into(),
    }
}

fn gives_up(route: &Route) -> String {
    if matches!(route.wait, Wait::No | Wait::UntilReady) {
        return String::new();
    }
    match route.on_timeout {
        OnTimeout::Refuse => words::TIMEOUT_504.into(),
        OnTimeout::AskEtcd => words::TIMEOUT_ETCD.into(),
        OnTimeout::RefuseFor429 => words::TIMEOUT_429.into(),
        OnTimeout::BySize => words::TIMEOUT_BY_SIZE.into(),
    }
}
