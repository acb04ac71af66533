//! A fixed view for the tests of the Cache view: two API servers, one of which no longer receives messages.

use watchglass_engine::view::CacheView;
use watchglass_engine::view::cache::{
    BackInTime, CacheReady, CacheRow, ClientWatchRow, LatencySplit, PathKind, ProgressMark,
    RequestRow, RevisionMark, RouteRow, ServerRow, StalePoint, WaitingRow, WindowView,
};

const HEAD: i64 = 1258;
const NOW: u64 = 3_640_000;
const PODS: [i64; 20] = [
    1213, 1215, 1216, 1218, 1220, 1221, 1223, 1224, 1226, 1227, 1229, 1230, 1232, 1234, 1235, 1237,
    1239, 1242, 1245, 1250,
];

fn watch(client: &str, selects: &str, revision: i64) -> ClientWatchRow {
    ClientWatchRow {
        client: client.to_owned(),
        selects: selects.to_owned(),
        revision,
        channel: 10,
        sent: 31,
        ..ClientWatchRow::default()
    }
}

fn cache(server: &str, revision: i64, client_watches: u64) -> CacheRow {
    let known: Vec<i64> = PODS
        .into_iter()
        .filter(|event| *event <= revision)
        .collect();
    let events = known[known.len() - 16..].to_vec();
    let mark = |revision: i64, ago: u64, to: &str| ProgressMark {
        revision,
        at_us: NOW - ago,
        to: to.to_owned(),
    };
    let stale = |ago: u64, stale_us: u64| StalePoint {
        at_us: NOW - ago,
        stale_us,
    };
    let behind = (HEAD - revision) as u64;
    CacheRow {
        server: server.to_owned(),
        cached: true,
        ready: CacheReady::Ready,
        revision,
        list_revision: 1190,
        behind,
        missing: PODS.iter().filter(|event| **event > revision).count() as u64,
        stale_us: if behind > 0 { 284_000 } else { 0 },
        window: WindowView {
            capacity: 16,
            used: 16,
            bounds: (16, 16),
            oldest: events.first().map(|first| first - 1),
            events,
        },
        objects: 9,
        snapshots: 16,
        oldest_snapshot: Some(1221),
        etcd_watches: 1,
        client_watches,
        decodes: 312,
        decodes_without_cache: 312 * client_watches,
        progress_requests: 6,
        progress: vec![mark(revision - 5, 100_000, ""), mark(revision, 4_000, "")],
        bookmarks: vec![mark(1229, 700_000, "scheduler")],
        staleness: if behind > 0 {
            vec![stale(900_000, 0), stale(284_000, 0), stale(0, 284_000)]
        } else {
            vec![
                stale(900_000, 0),
                stale(700_000, 0),
                stale(520_000, 180_000),
                stale(520_000, 0),
                stale(400_000, 95_000),
                stale(400_000, 0),
                stale(0, 0),
            ]
        },
        ..CacheRow::default()
    }
}

fn request(id: u64, verb: &str, what: &str, client: &str, server: &str) -> RequestRow {
    RequestRow {
        id,
        step: id * 10,
        sent_us: NOW - 600_000 + id * 40_000,
        client: client.to_owned(),
        server: server.to_owned(),
        verb: verb.to_owned(),
        what: what.to_owned(),
        asked: "unset".to_owned(),
        ..RequestRow::default()
    }
}

/// Returns a view of two API servers, one of which lags.
pub(super) fn two() -> CacheView {
    let server = |name: &str, state: &str, client_watches: u64| ServerRow {
        name: name.to_owned(),
        version: "1.37".to_owned(),
        policy: "today".to_owned(),
        state: state.to_owned(),
        progress_supported: true,
        etcd_watches: 1,
        client_watches,
        decodes: 312,
        decodes_without_cache: 312 * client_watches,
        ..ServerRow::default()
    };
    let mut first = cache("api-1", HEAD, 120);
    first.watchers = vec![
        watch("scheduler", "everything", 1250),
        watch("kubelet-1", "by spec.nodeName=node-1", 1242),
    ];
    let mut second = cache("api-2", 1244, 2);
    second.bookmarks.clear();
    second.watchers = vec![
        watch("dashboard", "everything", 1242),
        watch("audit", "everything", 1242),
    ];
    second.waiting = vec![WaitingRow {
        request: 12,
        client: "kubectl".to_owned(),
        needed: Some(HEAD),
        since_us: NOW - 87_000,
    }];
    let mut list = request(12, "LIST", "pods", "kubectl", "api-2");
    list.sent_us = NOW - 90_000;
    list.needed = HEAD;
    list.split = LatencySplit {
        total_us: 90_000,
        link_us: 1_000,
        revision_us: 2_000,
        wait_us: 87_000,
        ..LatencySplit::default()
    };
    list.reason = "The cache serves the list after it reaches etcd's revision.".to_owned();
    let mut stale = request(
        11,
        "LIST",
        "pods --resource-version=0",
        "dashboard",
        "api-2",
    );
    stale.path = PathKind::Cache;
    stale.revision = Some(1244);
    stale.code = 200;
    stale.items = 9;
    stale.split.total_us = 4_100;
    let mut get = request(10, "GET", "pods web-1", "kubectl", "api-1");
    get.path = PathKind::Etcd;
    get.revision = Some(1258);
    get.code = 200;
    get.split.total_us = 6_000;
    get.split.etcd_us = 4_000;
    get.split.link_us = 2_000;
    let route = |rv: &str,
                 how: &str,
                 limit: &str,
                 path: PathKind,
                 returns: &str,
                 cost: &str,
                 asked: bool| RouteRow {
        resource_version: rv.to_owned(),
        how: how.to_owned(),
        limit: limit.to_owned(),
        path,
        reason: "The reason for the choice of this source.".to_owned(),
        returns: returns.to_owned(),
        cost: cost.to_owned(),
        gives_up: "after 3 s: etcd".to_owned(),
        command: "kubectl get pods --server=api-1".to_owned(),
        asked,
        ran: false,
    };
    CacheView {
        now_us: NOW,
        head: HEAD,
        compact_revision: -1,
        resource: "pods".to_owned(),
        resources: vec!["pods".to_owned(), "events".to_owned()],
        axis_from: 1212,
        revisions: (1212..=HEAD)
            .map(|revision| RevisionMark {
                revision,
                at_us: NOW - (HEAD - revision) as u64 * 20_000,
                own: PODS.contains(&revision),
                deletes: revision == 1250,
                key: b"/registry/pods/default/web-1".to_vec(),
                label: "put pods/default/web-1".to_owned(),
            })
            .collect(),
        servers: vec![server("api-1", "", 120), server("api-2", "", 2)],
        caches: vec![first, second],
        plot_us: 900_000,
        requests: vec![list, stale, get],
        back_in_time: vec![BackInTime {
            client: "dashboard".to_owned(),
            from: ("api-1".to_owned(), HEAD),
            to: ("api-2".to_owned(), 1244),
            request: 11,
        }],
        lamps: Vec::new(),
        routes: vec![
            route(
                "unset",
                "–",
                "any",
                PathKind::Cache,
                "≥ head",
                "RTT + wait",
                true,
            ),
            route(
                "0",
                "–",
                "any",
                PathKind::Cache,
                "any version",
                "none",
                false,
            ),
            route("N", "–", "none", PathKind::Cache, "≥ N", "wait", false),
            route(
                "N",
                "Exact",
                "any",
                PathKind::Snapshot,
                "= N",
                "none",
                false,
            ),
            route("0", "Exact", "any", PathKind::Refused, "", "none", false),
        ],
        selected: None,
        typed: None,
        load: None,
        routes_server: "api-1".to_owned(),
    }
}
