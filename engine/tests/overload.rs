//! Overload: a process that exceeds its memory limit is killed, and clients repeat their requests.

use crate::support::session_after;
use watchglass_engine::api::Profile;
use watchglass_engine::base::ids::NodeId;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::base::time::{SimDuration, SimTime};
use watchglass_engine::client::load_calls::CallCounts;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Notification, SeekTo, ToEngine};
use watchglass_engine::sim::network::Link;
use watchglass_engine::view::cache::load::LOAD_COLUMNS;
use watchglass_engine::view::{CacheView, Queries};

/// Commands after which several responses of 30 MB each wait in etcd for their link.
const LARGE_LISTS: [&str; 6] = [
    "populate --nodes=20 --pods=30 --size=50kB",
    "apiserver api-1 --cache=off",
    "run 1s",
    "cost kep-2340",
    "load readers --server=api-1 --lists=5 --clients=2 --timeout=10s",
    "run 3s",
];

/// The operating system kills a paused process, too. The restart then ends the pause.
#[test]
fn a_paused_process_is_killed() {
    let mut session = session_after(Profile::V3_6, &LARGE_LISTS);
    let node = NodeId::Member(1);
    let memory = session.world().memory_of(node).unwrap();
    assert!(memory.used > 1_000_000, "{memory:?}");
    session.exec("pause etcd");
    session.exec("cost etcd-memory=1MB");
    session.exec("run 1s");
    let world = session.world();
    assert!(!world.runs(node) && !world.is_paused(node));
    let memory = world.memory_of(node).unwrap();
    assert_eq!((memory.used, memory.kills), (0, 1));
    session.exec("stop readers-1");
    session.exec("stop readers-2");
    session.exec("cost etcd-memory=1GB");
    session.exec("run 10s");
    assert!(session.world().runs(node));
    assert_eq!(session.exec("put a 1").stdout, "OK\n");
}

#[test]
fn a_refused_request_is_not_repeated() {
    let session = session_after(
        Profile::V3_6,
        &[
            "apiserver api-1",
            "run 1s",
            "kubectl create pods writer-1-1",
            "load writer --server=api-1 --creates=10 --timeout=5s",
            "run 3s",
        ],
    );
    let world = session.world();
    let mut loads = world.kube_clients().filter_map(|(_, client)| client.load());
    let counts = loads.next().unwrap().calls().counts();
    assert_eq!(counts.failed, 1, "{counts:?}");
    assert!(counts.succeeded > 10, "{counts:?}");
}

#[test]
fn a_link_keeps_its_backlog_when_its_bandwidth_changes() {
    let mut link = Link::new(SimDuration(250), Rng::stream(1, "link"));
    let now = SimTime(0);
    link.set_bandwidth(now, 1_000_000);
    link.pass(now, 3_000_000);
    let later = SimTime(1_000_000);
    assert_eq!(link.backlog(later), 2_000_000);
    link.set_bandwidth(later, 500_000);
    assert_eq!(link.backlog(later), 2_000_000);
    assert_eq!(link.pass(later, 0).arrives, SimTime(5_000_250));
    link.set_bandwidth(later, 0);
    assert_eq!(link.backlog(later), 0);
}

/// A client that gives up never receives the response, and its request is slower than any limit.
#[test]
fn requests_of_a_client_that_gives_up_end_and_miss_the_objective() {
    let lines = [
        "populate --nodes=20 --pods=30 --size=1MB",
        "apiserver api-1 --cache=off",
        "run 1s",
        "load x --server=api-1 --lists=1 --clients=1 --timeout=300ms",
        "run 5s",
        "stop x-1",
        "run 1s",
    ];
    let mut session = session_after(Profile::V3_7, &lines);
    let requests = session.exec("show requests pods 1").stdout;
    assert!(requests.contains("500 context canceled"), "{requests}");
    session.exec("run 10s");
    assert_eq!(session.exec("show requests pods 1").stdout, requests);
    let clients = session.exec("show clients").stdout;
    let outcome = clients.lines().last().unwrap_or_default();
    assert!(outcome.contains("0 succeeded"), "{clients}");
    assert!(outcome.ends_with("SLO 30 s for lists missed"), "{clients}");
}

/// A request that has waited longer than the objective has missed it, although it has no response yet.
#[test]
fn waiting_requests_miss_the_objective() {
    let lines = [
        "populate --nodes=4 --pods=3",
        "apiserver api-1",
        "run 500ms",
        "kubelets 4 as fleet --every=400ms",
        "run 5s",
    ];
    let mut session = session_after(Profile::V3_7, &lines);
    let outcome = |session: &mut Session| {
        let clients = session.exec("show clients").stdout;
        let mut of_fleet = clients
            .lines()
            .skip_while(|line| !line.starts_with("fleet"));
        of_fleet.nth(1).unwrap_or_default().to_owned()
    };
    assert!(outcome(&mut session).ends_with("SLO 30 s for lists met"));
    session.exec("pause api-1");
    session.exec("run 60s");
    assert!(outcome(&mut session).ends_with("SLO 30 s for lists missed"));
}

fn cache_view(session: &mut Session) -> CacheView {
    let queries = Queries {
        cache: Some(Box::default()),
        ..Queries::default()
    };
    let show = ToEngine::Notification(Notification::Show(queries.into()));
    session.handle(show, &mut Vec::new());
    session.views().cache.expect("the view was requested")
}

/// The Cache view shows the load over time: the memory up to the kill, the kill, and the requests by their results.
#[test]
fn the_cache_view_shows_the_load_of_a_run_over_time() {
    let mut session = session_after(Profile::V3_6, &LARGE_LISTS[..4]);
    assert_eq!(cache_view(&mut session).load, None, "no request was sent");
    session.exec(LARGE_LISTS[4]);
    session.exec(LARGE_LISTS[5]);
    session.exec("cost etcd-memory=1MB");
    session.exec("run 1s");
    // The requests in flight are lost with their connections.
    session.exec("stop api-1");
    session.exec("run 1s");
    let load = cache_view(&mut session).load.expect("the run has a load");
    let etcd = &load.processes[0];
    assert_eq!((&*etcd.name, etcd.limit, etcd.now), ("etcd", 1_000_000, 0));
    assert_eq!(etcd.kills.iter().sum::<u64>(), 1);
    // The process used much more than its new limit before it was killed, and nothing afterwards.
    let killed = etcd.kills.iter().position(|kills| *kills > 0).unwrap();
    assert!(etcd.used[killed - 1] > 10 * etcd.limit, "{:?}", etcd.used);
    assert_eq!(
        etcd.used[killed + 1..],
        [0].repeat(etcd.used.len() - killed - 1)
    );
    let world = session.world();
    let mut counts = CallCounts::default();
    let mut open = 0;
    for calls in world
        .kube_clients()
        .filter_map(|(_, client)| Some(client.load()?.calls()))
    {
        counts.succeeded += calls.counts().succeeded;
        counts.failed += calls.counts().failed + calls.counts().timed_out + calls.counts().lost;
        open += calls.open();
    }
    assert!(counts.succeeded > 0 && counts.failed > 0, "{counts:?}");
    assert_eq!(load.succeeded.iter().sum::<u64>(), counts.succeeded);
    assert_eq!(load.failed.iter().sum::<u64>(), counts.failed);
    assert!(*load.in_flight.last().unwrap() >= open);
    for strip in [
        &etcd.used,
        &etcd.kills,
        &load.in_flight,
        &load.succeeded,
        &load.failed,
    ] {
        assert_eq!(strip.len(), LOAD_COLUMNS);
    }
    // At an earlier step, the strips end at the cursor.
    session.seek(SeekTo::TimeUs(3_000_000));
    let earlier = cache_view(&mut session).load.expect("the load has begun");
    assert!(
        earlier.now_us <= 3_000_000 && earlier.processes[0].kills.iter().all(|kills| *kills == 0)
    );
}
