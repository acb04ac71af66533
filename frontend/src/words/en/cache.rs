//! The texts of the Cache view: caches and requests, labels in the pictures, the table of routes, and the text
//! alternative of the figure.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::load::{LoadView, ProcessMemoryView};
use watchglass_engine::view::cache::{
    BackInTime, CacheLag, CacheReady, CacheRow, ClientWatchRow, ListsRow, PathKind, RequestRow,
    RevisionMark, RouteQuery, ServerRow, WaitingRow, WindowView,
};

use super::common::grouped_count;
use crate::draw::text;
use crate::draw::text::{duration, grouped};

pub const VIEW: &str = "Cache: API servers' caches and their lag behind etcd";
/// The description of the table and its keyboard keys, for screen readers.
pub const GRID: &str =
    "Caches, client watches and requests. Arrow keys select a row, Enter inspects it.";
pub const COLUMNS: [&str; 5] = ["Item", "Server", "Revision", "Behind", "State"];

/// The texts that the Cache view shows if there is no API server.
pub const NO_SERVER: &str = "No API server yet";
pub const ABOUT: &str = "An API server stands between etcd and all other clients. The API server follows etcd with \
    one watch per resource and serves its clients from a cache in memory. The cache can lag behind etcd.";
pub const STARTS_SERVER: &str = "starts an API server with a cache of pods";
pub const READS_CACHE: &str = "lists pods from the cache, once the cache is fresh";

pub const ETCD: &str = "etcd";

/// The names of the marks in the legend.
pub const OWN_WRITE: &str = "create or update";
pub const OWN_DELETE: &str = "delete";
pub const OTHER_WRITE: &str = "write to other keys";
pub const CACHED: &str = "in the cache";
pub const COMPACTED: &str = "compacted";
pub const MISSING: &str = "missing";
pub const UNCONFIRMED: &str = "unconfirmed";
pub const WAIT: &str = "wait";
pub const PROGRESS_MARK: &str = "progress (P)";
pub const BOOKMARK: &str = "bookmark (B)";
pub const REQUEST_OPEN: &str = "request in progress";
pub const REQUEST_CACHE: &str = "request: cache";
pub const REQUEST_SNAPSHOT: &str = "request: snapshot";
pub const REQUEST_ETCD: &str = "request: etcd";
pub const REQUEST_REFUSED: &str = "request: error";
pub const CLIENT_WATCH: &str = "client watch";

/// The maximum number of writes that the text alternative of the figure describes. The table contains more writes.
const WRITES_SAID: usize = 8;

/// The texts of the plot that shows the staleness of caches.
pub const STALENESS: &str = "Staleness over time";
pub const ABOUT_STALENESS: &str = "age of the oldest change that the cache has not received";
pub const TIME_SPAN: &str = "Time span";
pub const TIME_SPANS: [&str; 5] = ["Automatic", "0.5 s", "2 s", "10 s", "60 s"];
pub const PROGRESS: &str = "progress";
pub const REQUESTS: &str = "requests";
pub const NOW: &str = "now";

/// The texts of the strips that show the load of the run over time.
pub const LOAD: &str = "Load over time";
/// The name of the rulers among the parts that a figure does not show.
pub const REVISIONS: &str = "Revisions";
pub const ABOUT_LOAD: &str = "memory of unsent responses, and the requests of all loads";
pub const IN_FLIGHT: &str = "in flight";
pub const SUCCEEDED: &str = "succeeded";
pub const FAILED: &str = "failed";

/// The texts about the savings of the caches.
pub const SAVINGS: &str = "Savings of the caches";
pub const SAVINGS_HEADING: &str = "Client watches per etcd watch, for each API server";
pub const WITH_CACHE: &str = "with cache";
pub const WITHOUT_CACHE: &str = "without";
pub const ETCD_WATCHES: &str = "etcd watches";
pub const EVENTS_DECODED: &str = "events decoded";
pub const LISTS_LAST_SECOND: &str = "lists, last second";
pub const LISTS: &str = "lists";
pub const OBJECTS: &str = "objects";
pub const BYTES: &str = "bytes";

/// The labels of the options of a read.
pub const VERB: &str = "verb";
pub const MATCH: &str = "match";
pub const LIMIT: &str = "limit";
pub const SERVER: &str = "server";
pub const RESOURCE: &str = "resource";
pub const UNSET: &str = "unset";
pub const NONE: &str = "none";

/// The texts of the table that shows which source serves a read.
pub const ROUTE_COLUMNS: [&str; 5] = ["RV", "match", "limit", "path", "returns"];
pub const RUN: &str = "run";
pub const LAST_REQUEST: &str = "last request";

/// Returns the mark of the row whose options the last request had, although another source than that of the row served
/// the request.
pub fn last_request_from(source: PathKind) -> String {
    [LAST_REQUEST, ": ", path(source)].concat()
}
pub const ABOUT_ROUTES: &str = "The table shows reads with the selected verb. A snapshot serves a read at \
    an exact revision if the cache still holds a snapshot of this revision; otherwise etcd serves the read. While the \
    cache is not ready, an API server of version 1.31 or later refuses most reads with the error 429. During this \
    time, etcd serves reads of a single object, and lists with a limit and no selector.";

pub const ROUTES: &str = "Sources of reads";

/// Returns the heading of the table of routes for a verb and a server.
pub fn routes_of(ask: Option<&RouteQuery>, server: &str) -> String {
    let verb = ask.map_or("LIST", |ask| &ask.verb);
    format!("Who serves a {verb} on {server} now")
}

/// The texts about the source that would serve a read.
pub const RESULT: &str = "Result";
pub const RUN_IT: &str = "Run it";
pub const RETURNS: &str = "returns";
pub const COST: &str = "cost";
pub const TIMEOUT: &str = "timeout";
pub const NO_ROUTE: &str =
    "No row of the table has these options. Run the command to see the result.";
pub const WHERE_TIME_WENT: &str = "Where the time went";
pub const SHOW_OPTIONS: &str = "Show the request's options";

/// The labels of the buttons that start another API server.
pub const ADD_SERVER: &str = "Add a server";
pub const OLDER_VERSION: &str = "v1.30";
pub const KEP_DRAFT: &str = "KEP draft";
pub const SNAPSHOTS_OFF: &str = "snapshots off";
pub const NO_CACHE: &str = "no cache";

pub fn resource_version(revision: i64) -> String {
    ["RV ", &grouped(revision)].concat()
}

/// Returns the name of a server and the resource version of its cache.
pub fn server_at(cache: &CacheRow) -> String {
    let revision = resource_version(cache.revision);
    [&cache.server, " · ", &revision].concat()
}

/// Returns the labels of the revisions between the revision of a cache and etcd's revision, the longest first.
pub fn gap(cache: &CacheRow) -> [String; 3] {
    let count = text::count(cache.behind.max(cache.missing));
    let short = ["−", &count].concat();
    match cache.lag() {
        CacheLag::None => Default::default(),
        CacheLag::Unconfirmed => {
            let middling = [&short, " ", UNCONFIRMED].concat();
            let long = [&middling, " (no event missing)"].concat();
            [long, middling, short]
        }
        CacheLag::Stale => {
            let stale = duration(cache.stale_us);
            let middling = [&short, " · ", &stale].concat();
            [
                [&count, " behind, ", &stale, " stale"].concat(),
                middling,
                short,
            ]
        }
    }
}

pub fn bookmark(revision: i64) -> String {
    ["B ", &grouped(revision)].concat()
}

pub fn progress(revision: i64) -> String {
    ["P ", &grouped(revision)].concat()
}

pub fn compaction(revision: i64) -> String {
    match revision > 0 {
        true => super::watch::compacted(revision),
        false => "never compacted".to_owned(),
    }
}

/// Returns the name of etcd's row with the revision to which etcd is compacted.
pub fn etcd(compact_revision: i64) -> String {
    ["etcd, ", &compaction(compact_revision)].concat()
}

/// Returns the labels of a client that went back in time (received an older revision than before), the longest first.
pub fn back_in_time(moved: &BackInTime) -> [String; 3] {
    let numbers = [grouped(moved.from.1), grouped(moved.to.1)].join(", then ");
    let (client, server) = (&moved.client, &moved.to.0);
    [
        ["back in time: ", client, " saw ", &numbers, " on ", server].concat(),
        ["back in time: ", &numbers].concat(),
        "back in time".to_owned(),
    ]
}

/// Returns the label of a cache's line in the plot.
pub fn line(view: &CacheView, cache: &CacheRow) -> String {
    let how = match cache.lag() {
        CacheLag::Stale => duration(cache.stale_us),
        CacheLag::None | CacheLag::Unconfirmed => match view.server_state(cache) {
            "" => state_of_cache(cache, UNCONFIRMED),
            state => state.to_owned(),
        },
    };
    [&cache.server, ": ", &how].concat()
}

/// Formats a number of bytes in the units of memory limits, which are powers of ten.
fn memory(bytes: u64) -> String {
    match bytes {
        1_000_000_000.. => format!("{:.1} GB", bytes as f64 / 1e9),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

pub fn memory_of(process: &str) -> String {
    [process, " memory"].concat()
}

/// Returns the memory of a process now, and how often the process was killed.
pub fn memory_now(process: &ProcessMemoryView) -> String {
    let now = ["now ", &memory(process.now)].concat();
    match killed(process.kills.iter().sum()) {
        killed if killed.is_empty() => now,
        killed => killed,
    }
}

/// Returns the number at the top of a strip of memory.
pub fn memory_most(process: &ProcessMemoryView, most: u64) -> String {
    match most == process.limit {
        true => ["limit ", &memory(most)].concat(),
        false => memory(most),
    }
}

/// Returns the number of requests in flight at the cursor.
pub fn in_flight(columns: &[u64]) -> String {
    let now = columns.last().copied().unwrap_or_default();
    ["now ", &text::count(now)].concat()
}

pub fn in_total(count: u64) -> String {
    [&text::count(count), " in total"].concat()
}

/// Returns the rate of requests in a column of this length.
pub fn per_second(count: u64, column_us: u64) -> String {
    let rate = count as f64 * 1e6 / column_us.max(1) as f64;
    let rate = match rate < 10.0 {
        true => format!("{rate:.1}"),
        false => text::count(rate.round() as u64),
    };
    [&rate, " per s"].concat()
}

/// Describes the load of the run in sentences.
fn load(view: &LoadView) -> String {
    let mut said = String::new();
    for process in &view.processes {
        let highest = process.used.iter().copied().max().unwrap_or_default();
        let (highest, limit) = (memory(highest), memory(process.limit));
        for part in [" ", &process.name, " used up to ", &highest, " of ", &limit] {
            said.push_str(part);
        }
        let killed = killed(process.kills.iter().sum());
        if !killed.is_empty() {
            for part in [", and was ", &killed] {
                said.push_str(part);
            }
        }
        said.push('.');
    }
    let sum = |columns: &[u64]| text::count(columns.iter().sum());
    let most = view.in_flight.iter().copied().max().unwrap_or_default();
    for part in [
        " Up to ",
        &text::count(most),
        " requests were in flight; ",
        &sum(&view.succeeded),
        " succeeded, ",
        &sum(&view.failed),
        " failed.",
    ] {
        said.push_str(part);
    }
    said
}

/// Returns how often the operating system killed a process; empty if it never did.
pub fn killed(kills: u64) -> String {
    match kills {
        0 => String::new(),
        1 => "killed once".to_owned(),
        kills => ["killed ", &kills.to_string(), " times"].concat(),
    }
}

/// Returns the label for the lists that a source served.
pub fn lists_from(source: &str) -> String {
    ["from ", source].concat()
}

pub fn lists_total(row: &ListsRow) -> String {
    let total = &row.total;
    let (lists, objects) = (text::count(total.lists), text::count(total.objects));
    let returned = text::count(total.returned);
    [
        "total: ",
        &lists,
        " lists, ",
        &objects,
        " objects read, ",
        &returned,
        " returned",
    ]
    .concat()
}

/// Returns the version, the freshness and the feature gates of a server.
pub fn server(server: &ServerRow) -> String {
    let progress = match server.progress_supported {
        true => "",
        false => ", etcd does not support progress requests",
    };
    let gates = match server.gates.is_empty() {
        true => "default feature gates".to_owned(),
        false => server.gates.join(", "),
    };
    [
        &server.name,
        ": Kubernetes ",
        &server.version,
        ", freshness: ",
        &server.policy,
        progress,
        ", ",
        &gates,
        ".",
    ]
    .concat()
}

/// Returns the name of the button that runs a command.
pub fn run(command: &str) -> String {
    ["Run ", command].concat()
}

/// Describes the last request that the user typed.
pub fn last_request(last: &RequestRow) -> String {
    let revision = match last.revision {
        Some(revision) => [", revision ", &revision.to_string()].concat(),
        None => String::new(),
    };
    let (request, outcome) = (request(last), outcome(last));
    [
        "Last request: ",
        &request,
        ": ",
        path(last.path),
        &revision,
        ", ",
        &outcome,
        ".",
    ]
    .concat()
}

/// Describes a request with the source of its response and its result.
pub fn request_title(row: &RequestRow) -> String {
    [&request(row), ": ", &result(row)].concat()
}

/// Returns the source of a response and its result.
pub fn result(request: &RequestRow) -> String {
    [path(request.path), ", ", &outcome(request)].concat()
}

/// Returns the name of a client watch for its row of the table.
pub fn watch(watch: &ClientWatchRow) -> String {
    ["watch ", &watch.client, ", ", watch.selection()].concat()
}

/// Returns the name of a cache for its row of the table.
pub fn cache_of(resource: &str) -> String {
    ["cache of ", resource].concat()
}

/// Describes a cache for its row of the table.
pub fn cache_state(view: &CacheView, cache: &CacheRow) -> String {
    let mut said = state(view, cache);
    if cache.cached {
        said.push_str(", ");
        said.push_str(&window(&cache.window));
        said.push_str(", ");
        said.push_str(&saved(cache));
    }
    for waits in &cache.waiting {
        said.push_str("; ");
        said.push_str(&waiting(view, waits));
    }
    said
}

/// Formats the lag of a cache in revisions, and its staleness in time.
pub fn lag(cache: &CacheRow) -> String {
    let revisions = grouped_count(cache.behind.max(cache.missing), "revision", "revisions");
    match cache.lag() {
        CacheLag::None => "0".to_owned(),
        CacheLag::Unconfirmed => [&revisions, ", ", UNCONFIRMED].concat(),
        CacheLag::Stale => [&revisions, ", ", &duration(cache.stale_us), " stale"].concat(),
    }
}

/// Returns the state of the server, or the state of its cache if the state of the server is normal.
pub fn state(view: &CacheView, cache: &CacheRow) -> String {
    let behind = behind(cache);
    match (view.server_state(cache), cache.lag()) {
        ("", _) => state_of_cache(cache, &behind),
        (state, CacheLag::None) => state.to_owned(),
        (state, _) => [state, ", ", &behind].concat(),
    }
}

/// Returns the lag of a cache in revisions, and its kind.
fn behind(cache: &CacheRow) -> String {
    let behind = text::count(cache.behind.max(cache.missing));
    match cache.lag() {
        CacheLag::Unconfirmed => [&behind, " behind, ", UNCONFIRMED].concat(),
        CacheLag::None | CacheLag::Stale => [&behind, " behind"].concat(),
    }
}

/// Returns the state of a cache; `behind` is the text for a cache that lags.
fn state_of_cache(cache: &CacheRow, behind: &str) -> String {
    let state = match cache.ready {
        _ if !cache.cached => "no cache",
        CacheReady::Off => "no cache",
        CacheReady::Stopped => "stopped",
        CacheReady::Pending => "not ready",
        CacheReady::Ready if cache.ahead > 0 => "ahead of etcd",
        CacheReady::Ready if cache.lag() == CacheLag::None => "fresh",
        CacheReady::Ready => behind,
    };
    state.to_owned()
}

/// Returns the state of a cache in a shorter form, including the staleness in time.
pub fn brief(view: &CacheView, cache: &CacheRow) -> String {
    // If a server does not work, the text has no room for the lag. The label of the gap shows the lag.
    let server = view.server_state(cache);
    if !server.is_empty() {
        return server.to_owned();
    }
    match cache.lag() {
        _ if cache.ready != CacheReady::Ready => state(view, cache),
        CacheLag::None => state(view, cache),
        // A number with more digits has no room.
        CacheLag::Unconfirmed if cache.behind > 999 => UNCONFIRMED.to_owned(),
        CacheLag::Unconfirmed | CacheLag::Stale => {
            let [_, short, _] = gap(cache);
            short
        }
    }
}

/// Returns the reason why a cache cannot be drawn.
pub fn unusable(cache: &CacheRow) -> String {
    if !cache.ready_detail.is_empty() {
        return cache.ready_detail.clone();
    }
    let said = match cache.ready {
        CacheReady::Stopped => "stopped",
        CacheReady::Pending | CacheReady::Ready => "no list from etcd yet",
        CacheReady::Off => "no cache: etcd serves every read",
    };
    said.to_owned()
}

/// Formats the size and the first revision of the history window.
pub fn window(window: &WindowView) -> String {
    let used = i64::try_from(window.used).unwrap_or(i64::MAX);
    let mut said = format!(
        "window: {} of {} events",
        grouped(used),
        grouped(window.capacity.into())
    );
    if let Some(oldest) = window.oldest {
        said.push_str(", from ");
        said.push_str(&grouped(oldest));
    }
    said
}

/// Returns the oldest revision of the window, for a narrow drawing area.
pub fn window_from(oldest: i64) -> String {
    ["window from ", &grouped(oldest)].concat()
}

/// Describes a cache in a sentence.
pub fn cache(view: &CacheView, cache: &CacheRow) -> String {
    let mut said = format!("{}, cache of {}: ", cache.server, view.resource);
    if !cache.cached {
        said.push_str("none; etcd serves every read");
        return said;
    }
    said.push_str(&state(view, cache));
    said.push_str(", revision ");
    said.push_str(&cache.revision.to_string());
    match cache.lag() {
        CacheLag::None => {}
        CacheLag::Unconfirmed => {
            for part in [
                " (the cache has received all events of ",
                &view.resource,
                ", and waits for a progress notification that confirms this)",
            ] {
                said.push_str(part);
            }
        }
        CacheLag::Stale => {
            for part in [", ", &duration(cache.stale_us), " stale"] {
                said.push_str(part);
            }
        }
    }
    said.push_str("; ");
    said.push_str(&window(&cache.window));
    said.push_str("; ");
    said.push_str(&saved(cache));
    said
}

/// Formats the number of client watches of a cache and the number of etcd watches that it needs for them.
pub fn saved(cache: &CacheRow) -> String {
    format!(
        "{}, {}",
        client_watches(cache.client_watches),
        grouped_count(cache.etcd_watches.into(), "etcd watch", "etcd watches")
    )
}

pub fn client_watches(count: u64) -> String {
    grouped_count(count, "client watch", "client watches")
}

/// Returns the names of the first `count` clients, and the number of the others.
pub fn client_names(names: &[&str], count: usize) -> String {
    let (shown, others) = names.split_at(count.min(names.len()));
    let mut said = shown.join(", ");
    if !others.is_empty() {
        said.push_str(" +");
        said.push_str(&others.len().to_string());
    }
    said
}

/// Returns the name of the object that a revision changed.
pub fn object(mark: &RevisionMark) -> &str {
    mark.label.rsplit('/').next().unwrap_or_default()
}

pub fn write(mark: &RevisionMark) -> String {
    ["revision ", &grouped(mark.revision), ": ", &mark.label].concat()
}

/// Describes the client watches at one revision.
pub fn watches(count: u64, names: &str, revision: i64) -> String {
    let count = client_watches(count);
    format!("{count} at revision {revision}: {names}")
}

pub fn waiting(view: &CacheView, waiting: &WaitingRow) -> String {
    let [full, _] = waiting_labels(view, waiting);
    full
}

/// Returns a long and a short label of a waiting read. The long label contains the revision that the read needs. The
/// short label, for a narrow drawing area, does not contain this revision.
pub fn waiting_labels(view: &CacheView, waiting: &WaitingRow) -> [String; 2] {
    let request = view.requests.iter().find(|row| row.id == waiting.request);
    let verb = request.map_or("read", |request| request.verb.as_str());
    let Some(needed) = waiting.needed else {
        return [
            format!("{verb} asks etcd for the revision"),
            format!("{verb} asks etcd"),
        ];
    };
    let waits = duration(view.now_us.saturating_sub(waiting.since_us));
    [
        format!("{verb} needs RV {} · waits {waits}", grouped(needed)),
        format!("{verb} waits {waits}"),
    ]
}

/// Returns the source of a response in words.
pub fn path(path: PathKind) -> &'static str {
    match path {
        PathKind::Open => "in progress",
        PathKind::Cache => "cache",
        PathKind::Snapshot => "snapshot",
        PathKind::Etcd => "etcd",
        PathKind::Refused => "refused",
    }
}

pub fn request(request: &RequestRow) -> String {
    let mut said = format!("{} {}", request.verb, request.what);
    if !request.client.is_empty() {
        said.push_str(" by ");
        said.push_str(&request.client);
    }
    said
}

/// Returns the result of a request in words.
pub fn outcome(request: &RequestRow) -> String {
    let took = duration(request.split.total_us);
    if request.code == 0 {
        return format!("no response for {took}");
    }
    let code = request.code.to_string();
    let mut said = format!("{code} after {took}");
    if request.split.wait_us > 0 {
        said.push_str(", waited ");
        said.push_str(&duration(request.split.wait_us));
    }
    if request.ended_with > 0 {
        said.push_str(", ended with ERROR ");
        said.push_str(&request.ended_with.to_string());
    }
    said
}

/// Describes the progress of a client watch for its row of the table.
pub fn watch_state(watch: &ClientWatchRow) -> String {
    let mut said = if watch.replaying { "replaying, " } else { "" }.to_owned();
    said.push_str(&watch.sent.to_string());
    said.push_str(" events sent, input channel ");
    let (input, result) = watch.queued;
    let of = watch.channel.to_string();
    for part in [
        &input.to_string(),
        "/",
        &of,
        ", result channel ",
        &result.to_string(),
        "/",
        &of,
    ] {
        said.push_str(part);
    }
    said
}

/// Returns the text alternative of the figure.
pub fn figure(view: &CacheView) -> String {
    let mut said = format!("etcd is at revision {}.", view.head);
    for known in &view.caches {
        said.push(' ');
        said.push_str(&cache(view, known));
        for waits in &known.waiting {
            said.push_str("; ");
            said.push_str(&waiting(view, waits));
        }
        if let Some(progress) = known.progress.last() {
            said.push_str("; etcd last reported progress at revision ");
            said.push_str(&progress.revision.to_string());
        }
        said.push('.');
    }
    if let Some(known) = &view.load {
        said.push_str(&load(known));
    }
    let own = view.revisions.iter().filter(|mark| mark.own);
    let newest: Vec<String> = own.rev().take(WRITES_SAID).map(write).collect();
    if !newest.is_empty() {
        for part in [
            " Newest writes to ",
            &view.resource,
            ": ",
            &newest.join("; "),
            ".",
        ] {
            said.push_str(part);
        }
    }
    for moved in &view.back_in_time {
        for part in [
            " ",
            &moved.client,
            " went back in time: ",
            &moved.from.1.to_string(),
            " on ",
            &moved.from.0,
            ", then ",
            &moved.to.1.to_string(),
            " on ",
            &moved.to.0,
            ".",
        ] {
            said.push_str(part);
        }
    }
    said
}
