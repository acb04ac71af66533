//! The truth table in practice. Each routing case of the shared vectors becomes a command in a world whose API server
//! is in the state that the case describes. The component that the case names must serve the command.

use crate::support::{flag, int, list, load};
use watchglass_engine::kube::ServedBy;
use watchglass_engine::session::Session;
use watchglass_engine::trace::{Answered, Event, KubeTrace, TraceEvent};

/// A case of the shared vectors: the flags of a request and, for each column of the table, whether the request goes to
/// etcd.
struct Case {
    flags: String,
    to_etcd: Vec<(String, bool)>,
}

/// Returns a session with the world that a column of the table describes. The cache is at revision 100 and etcd at
/// revision 120. The oldest snapshot of the cache is at revision 80 or 100, depending on the column.
fn world(column: &str) -> Session {
    let mut session = Session::default();
    let (flags, profile) = match column {
        "v1.27_like" => ("--version=1.27", "3.6"),
        "kep2340_no_snapshots" => ("--version=1.33", "3.6"),
        "kep4988_old_snapshot_missing" | "kep4988_old_snapshot_present" => {
            ("--version=1.34", "3.6")
        }
        "progress_unsupported_kep4988_present" => ("--version=1.34", "3.4"),
        other => panic!("an unknown column {other}"),
    };
    let mut run = |line: &str| {
        let done = session.exec(line);
        assert_eq!(done.stderr, "", "{line}");
    };
    run(&format!("world profile={profile}"));
    // The first list of a cache is its first snapshot.
    let begins_at = match column {
        "kep4988_old_snapshot_missing" => 100,
        _ => 80,
    };
    run(&format!(
        "for i in {{2..{begins_at}}}; do put /other/$i x; done"
    ));
    run(&format!("apiserver api-1 {flags}"));
    if begins_at < 100 {
        run("for i in {81..100}; do put /registry/pods/default/p$i x; done");
    }
    run("run 10ms");
    // Messages from etcd take half a second from now on, so the cache stays at its revision for this time.
    run("net api-1 down delay 500ms");
    run("for i in {101..120}; do put /registry/pods/default/q$i x; done");
    session
}

/// Runs a request and returns the record of its response, which names the source of the response.
fn served(session: &mut Session, flags: &str) -> Result<Answered, String> {
    let before = session.run().recording().len();
    let done = session.exec(&format!("kubectl get pods -A -o name {flags}"));
    let trace = session.run().recording().iter().skip(before as usize);
    let trace: Vec<Event> = trace.collect();
    let asked = trace.iter().find_map(|event| match &event.what {
        TraceEvent::Kube(KubeTrace::Asked { by, .. }) => Some(*by),
        _ => None,
    });
    let answered = trace.iter().rev().find_map(|event| match &event.what {
        TraceEvent::Kube(KubeTrace::Answered { how, .. }) => Some(how.clone()),
        _ => None,
    });
    match (asked, answered) {
        (Some(by), Some(how)) => Ok(Answered { by, ..how }),
        _ => Err(done.stderr),
    }
}

fn cases() -> Vec<Case> {
    let vectors = load("watchcache_vectors.json");
    list(&vectors, "should_delegate")
        .iter()
        .map(|case| {
            let request = case["request"].as_object().expect("an object");
            let mut flags = String::new();
            for (name, value) in request {
                let text = value.as_str().map_or(value.to_string(), Into::into);
                match name.as_str() {
                    "rv" => flags.push_str(&format!(" --resource-version={text}")),
                    "match" => flags.push_str(&format!(" --resource-version-match={text}")),
                    "limit" => flags.push_str(&format!(" --limit={text}")),
                    "continue_rv" => {
                        let token = watchglass_engine::kube::continue_token::ContinueToken {
                            resource_version: int(value),
                            start: "default/a\0".into(),
                        };
                        flags.push_str(&format!(" --continue={}", token.encode()));
                    }
                    other => panic!("an unknown parameter {other}"),
                }
            }
            let columns = case["to_etcd"].as_object().expect("an object");
            let to_etcd = columns
                .iter()
                .map(|(column, to_etcd)| (column.clone(), flag(to_etcd)));
            Case {
                flags,
                to_etcd: to_etcd.collect(),
            }
        })
        .collect()
}

#[test]
fn each_routing_case_of_the_shared_vectors_takes_its_path_in_a_world() {
    let mut runs = 0;
    for case in cases() {
        for (column, to_etcd) in &case.to_etcd {
            let mut session = world(column);
            let server = session
                .world()
                .apiserver_named("api-1")
                .expect("it is there")
                .1;
            let cache = server.cacher("pods").expect("it has one").cache();
            assert_eq!(cache.cache_rv(), 100, "{column}");
            let how = served(&mut session, &case.flags);
            let how = how.unwrap_or_else(|why| panic!("{column}:{} {why}", case.flags));
            let is_etcd = how.by == ServedBy::Etcd;
            assert_eq!(
                is_etcd, *to_etcd,
                "{column}:{} took {:?}",
                case.flags, how.by
            );
            let expected = revision(&case.flags);
            assert!(
                how.code >= 400 || how.revision >= expected,
                "{column}:{} {how:?}",
                case.flags
            );
            runs += 1;
        }
    }
    assert_eq!(runs, 80);
}

/// Returns the revision that the response must have, which depends on the requested resource version: etcd's newest
/// revision without a resource version, any revision (`None`) for resource version 0, otherwise the requested revision.
fn revision(flags: &str) -> Option<u64> {
    let given = flags.split("--resource-version=").nth(1);
    let given = given.and_then(|rest| rest.split(' ').next());
    match given {
        None if flags.contains("--continue") => Some(80),
        None => Some(120),
        Some(text) => text.parse().ok(),
    }
}
