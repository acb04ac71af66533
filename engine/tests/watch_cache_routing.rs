//! The truth table of reads, written by hand: the component that serves each read in 1.27, 1.31 and 1.34. There is one
//! table for a cache that is ready, one for a cache that is not ready, and one for an etcd that does not support
//! progress requests.

use std::collections::BTreeSet;

use watchglass_engine::apiserver::routing::{
    OnTimeout, ReadRequest, Route, RoutingCache, ServedFrom, Wait, route,
};
use watchglass_engine::kube::continue_token::ContinueToken;
use watchglass_engine::kube::gates::{ConsistentLists, Gates, KubeVersion};
use watchglass_engine::kube::list_options::{
    ListOptions, ListVerb, ResourceVersion, ResourceVersionMatch,
};
use watchglass_engine::kube::reason::Reason;
use watchglass_engine::kube::status::StatusError;

/// The truth table for a cache that is ready. The columns: verb, resourceVersion, match (E for Exact, N for
/// NotOlderThan, or -), limit, continue (a revision or -), then one column per version with the component that serves
/// the read: C cache, S snapshot, E etcd, or a number for an error. `+` means that the read waits for etcd's revision,
/// `>` that it waits for the requested revision, `.` that it does not wait. The cache is at revision 100 and has
/// snapshots from revision 90 on.
const READY: &str = "
    list   -   -   0  -    E   C+  C+
    list   -   -   5  -    E   C+  C+
    list   -   -   5  95   E   E   S.
    list   -   -   5  80   E   E   E
    list   -   -   5  120  E   E   S>
    list   -   -   5  -1   E   E   C+
    list   -   E   0  -    422 422 422
    list   -   N   0  -    422 422 422
    list   0   -   0  -    C.  C.  C.
    list   0   N   5  -    C.  C.  C.
    list   0   -   5  95   E   E   S.
    list   0   E   0  -    422 422 422
    list   95  -   0  -    C>  C>  C>
    list   95  -   5  -    E   E   S.
    list   80  -   5  -    E   E   E
    list   120 -   5  -    E   E   S>
    list   95  E   0  -    E   E   S.
    list   80  E   0  -    E   E   E
    list   120 E   0  -    E   E   S>
    list   95  N   0  -    C>  C>  C>
    list   95  N   5  -    E   C>  C>
    list   95  -   5  95   400 400 400
    list   95  N   5  95   422 422 422
    get    -   -   0  -    E   E   E
    get    0   -   0  -    C.  C.  C.
    get    120 -   0  -    C>  C>  C>
    watch  -   -   0  -    E   C.  C+
    watch  0   -   0  -    C.  C.  C.
    watch  95  -   0  -    C.  C.  C.
    watch  120 -   0  -    C.  C.  C.
    watch! -   N   0  -    422 422 C+
    watch! 0   N   0  -    422 422 C.
    watch! 95  N   0  -    422 422 C>
    watch! -   -   0  -    422 422 422
    watch~ -   N   0  -    422 422 C.
    watch~ 0   N   0  -    422 422 C.
    watch~ 95  N   0  -    422 422 C.
    watch  95  N   0  -    422 422 422
";

/// The truth table for a cache that is not ready, in the format of [`READY`]. `r` means that the read waits until the
/// cache is ready.
const NOT_READY: &str = "
    list   -   -   0  -    E   429 429
    list   -   -   5  -    E   E   E
    list   0   -   0  -    E   429 429
    list   0   -   5  -    E   E   E
    list   95  -   0  -    Cr  429 429
    list   95  -   5  -    E   E   E
    list   95  E   0  -    E   E   429
    get    -   -   0  -    E   E   E
    get    0   -   0  -    E   E   E
    get    95  -   0  -    Cr  E   E
    watch  0   -   0  -    Cr  429 429
    watch! 95  N   0  -    422 422 429
";

/// The truth table for an etcd that does not support progress requests, in the format of [`READY`].
const NO_PROGRESS: &str = "
    list   -   -   0  -    E   E   E
    list   -   -   5  -1   E   E   E
    list   -   -   5  95   E   E   S.
    list   -   -   5  120  E   E   E
    list   0   -   0  -    C.  C.  C.
    list   120 -   0  -    C>  C>  C>
    list   120 E   0  -    E   E   E
";

const VERSIONS: [KubeVersion; 3] = [KubeVersion::V1_27, KubeVersion::V1_31, KubeVersion::V1_34];

fn view() -> RoutingCache {
    RoutingCache {
        ready: Ok(1),
        cache_rv: 100,
        oldest_snapshot: Some(90),
        is_consistent: true,
        supports_progress: true,
    }
}

fn request(words: &[&str]) -> ReadRequest {
    let [verb, rv, how, limit, at] = words else {
        panic!("five words make a request: {words:?}");
    };
    let (verb, send_initial_events) = match *verb {
        "list" => (ListVerb::List, None),
        "get" => (ListVerb::Get, None),
        "watch" => (ListVerb::Watch, None),
        "watch!" => (ListVerb::Watch, Some(true)),
        "watch~" => (ListVerb::Watch, Some(false)),
        other => panic!("unknown verb {other}"),
    };
    let continue_token = (*at != "-").then(|| ContinueToken {
        resource_version: at.parse().expect("a revision"),
        start: "default/a\0".to_owned(),
    });
    ReadRequest {
        verb,
        options: ListOptions {
            resource_version: match *rv {
                "-" => ResourceVersion::Unset,
                rv => ResourceVersion::parse(rv).expect("a number"),
            },
            resource_version_match: match *how {
                "-" => None,
                "E" => Some(ResourceVersionMatch::Exact),
                "N" => Some(ResourceVersionMatch::NotOlderThan),
                other => panic!("unknown match {other}"),
            },
            limit: limit.parse().expect("a number"),
            continue_token: continue_token.map(|token| token.encode()),
            send_initial_events,
            allow_watch_bookmarks: true,
            ..ListOptions::default()
        },
        is_recursive: true,
        has_selector: false,
    }
}

fn short(route: &Route) -> String {
    let from = match &route.served_from {
        ServedFrom::Refused(error) => return error.code().to_string(),
        ServedFrom::Etcd => return "E".to_owned(),
        ServedFrom::Cache => "C",
        ServedFrom::Snapshot => "S",
    };
    let wait = match route.wait {
        Wait::No => ".",
        Wait::UntilCurrent => "+",
        Wait::Until(_) => ">",
        Wait::UntilReady => "r",
    };
    format!("{from}{wait}")
}

fn check(table: &str, view: &RoutingCache, rows: usize) -> BTreeSet<Reason> {
    let lines: Vec<&str> = table
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    assert_eq!(lines.len(), rows);
    let mut reasons = BTreeSet::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let request = request(&words[..5]);
        for (version, want) in VERSIONS.into_iter().zip(&words[5..]) {
            let route = route(&request, &Gates::of(version), view);
            assert_eq!(
                short(&route),
                *want,
                "{line} in {version}: {:?}",
                route.reason
            );
            reasons.insert(route.reason);
        }
        assert_eq!(words.len(), 8, "{line}");
    }
    reasons
}

#[test]
fn the_table_is_as_it_is_written() {
    let mut reasons = check(READY, &view(), 38);
    let not_ready = RoutingCache {
        ready: Err(StatusError::NotReady {
            last_error: None,
            retry_after_s: 1,
        }),
        ..view()
    };
    reasons.extend(check(NOT_READY, &not_ready, 12));
    let no_progress = RoutingCache {
        supports_progress: false,
        ..view()
    };
    reasons.extend(check(NO_PROGRESS, &no_progress, 7));

    // Cases that no row of these three versions covers.
    let exact = request(&["list", "95", "E", "0", "-"]);
    let today = Gates::of(KubeVersion::V1_37);
    let inconsistent = RoutingCache {
        is_consistent: false,
        ..view()
    };
    reasons.insert(route(&exact, &today, &inconsistent).reason);
    let one_key = ReadRequest {
        is_recursive: false,
        ..exact
    };
    reasons.insert(route(&one_key, &today, &view()).reason);
    let alpha = Gates::of(KubeVersion::V1_28).with_consistent_lists(KubeVersion::V1_28, true);
    let page = request(&["list", "-", "-", "5", "-"]);
    reasons.insert(route(&page, &alpha, &view()).reason);
    let unseen: Vec<Reason> = Reason::ALL
        .into_iter()
        .filter(|r| !reasons.contains(r))
        .collect();
    assert_eq!(unseen, [], "each reason has a row");
}

#[test]
fn every_reason_is_a_sentence() {
    let sentences: BTreeSet<&str> = Reason::ALL.into_iter().map(Reason::sentence).collect();
    for sentence in &sentences {
        assert!(sentence.ends_with('.') && sentence.len() > 30, "{sentence}");
    }
    // At most two reasons may have the same sentence.
    assert!(sentences.len() >= Reason::ALL.len() - 1);
}

#[test]
fn what_happens_when_it_takes_too_long() {
    let list = request(&["list", "-", "-", "5", "-"]);
    let on = |gates: &Gates| {
        let route = route(&list, gates, &view());
        (route.on_timeout, route.honours_limit)
    };
    assert_eq!(
        on(&Gates::of(KubeVersion::V1_37)),
        (OnTimeout::AskEtcd, true)
    );
    let spared = Gates {
        skip_timeout_fallback: true,
        ..Gates::of(KubeVersion::V1_37)
    };
    assert_eq!(on(&spared), (OnTimeout::RefuseFor429, true));
    assert_eq!(
        on(&Gates::of(KubeVersion::DraftKep)),
        (OnTimeout::BySize, false)
    );
    // A request with a resource version never falls back to etcd.
    let named = request(&["list", "120", "N", "5", "-"]);
    let route = route(&named, &Gates::of(KubeVersion::V1_37), &view());
    assert_eq!(
        (route.on_timeout, route.wait),
        (OnTimeout::Refuse, Wait::Until(120))
    );
}

#[test]
fn the_gate_can_be_set_only_where_it_exists() {
    let lists = |version: KubeVersion, is_on| {
        Gates::of(version)
            .with_consistent_lists(version, is_on)
            .consistent_lists
    };
    assert_eq!(lists(KubeVersion::V1_27, true), ConsistentLists::FromEtcd);
    assert_eq!(
        lists(KubeVersion::V1_28, true),
        ConsistentLists::FromCacheUnlessLimited
    );
    assert_eq!(lists(KubeVersion::V1_33, false), ConsistentLists::FromEtcd);
    assert_eq!(lists(KubeVersion::V1_34, false), ConsistentLists::FromCache);
    for version in KubeVersion::ALL {
        assert_eq!(KubeVersion::parse(&version.to_string()), Some(version));
    }
}

#[test]
fn a_selector_makes_a_page_dear() {
    let not_ready = RoutingCache {
        ready: Err(StatusError::NotReady {
            last_error: None,
            retry_after_s: 3,
        }),
        ..view()
    };
    let page = request(&["list", "0", "-", "5", "-"]);
    let selected = ReadRequest {
        has_selector: true,
        ..page.clone()
    };
    let today = Gates::of(KubeVersion::V1_37);
    assert_eq!(
        route(&page, &today, &not_ready).reason,
        Reason::NotReadyPage
    );
    assert_eq!(
        route(&selected, &today, &not_ready).reason,
        Reason::NotReadyRefused
    );
}
