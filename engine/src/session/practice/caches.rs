//! Exercises about the watch cache of API servers: who serves a read, how fresh it is, and what the window limits.

use super::dice::Dice;
use super::draft::{Choices, Draft, Outcome};

fn pods(name: &str, from: i64, to: i64) -> String {
    match from == to {
        true => format!("kubectl create pod {name}-{from}"),
        false => format!("for i in {{{from}..{to}}}; do kubectl create pod {name}-$i; done"),
    }
}

pub(super) fn served(dice: &mut Dice) -> Draft {
    let name = dice.pod_name();
    let pods_count = dice.between(2, 5);
    let version = dice.one_of(&["1.30", "1.31", "1.33", "1.34", "1.36"]);
    let revision = dice.between(2, pods_count + 1);
    let limit = pods_count + dice.between(1, 9);
    let pod = dice.between(1, pods_count);
    let (ask, reason) = dice.one_of(&[
        (
            "kubectl get pods --chunk-size=0".to_owned(),
            "A list without a resource version must be up to date. Since `v1.31`, the API server asks etcd only for \
             its revision and serves the list from its cache. Older versions read the list from etcd.",
        ),
        (
            format!("kubectl get pods --chunk-size={limit}"),
            "A limit does not send the first page to etcd: since `v1.31`, the API server asks etcd only for its \
             revision and serves the page from its cache. Older versions read it from etcd.",
        ),
        (
            "kubectl get pods --resource-version=0".to_owned(),
            "`--resource-version=0` accepts any version, so the cache responds at once.",
        ),
        (
            format!("kubectl get pods --resource-version={revision} --resource-version-match=Exact"),
            "etcd and the snapshots of the cache have the state of an exact version. The cache keeps snapshots since \
             `v1.34`.",
        ),
        (
            format!(
                "kubectl get pods --resource-version={revision} --resource-version-match=NotOlderThan"
            ),
            "The cache responds as soon as it has received this version or a newer one.",
        ),
        (
            format!("kubectl get pod {name}-{pod}"),
            "A get without a resource version goes to etcd in every version of Kubernetes.",
        ),
        (
            format!("kubectl get pod {name}-{pod} --resource-version=0"),
            "`--resource-version=0` accepts any version, so the cache responds at once.",
        ),
    ]);
    let result = |text: &str, source: &str, why: &str| {
        Outcome::new(text, format!("request.source == \"{source}\""), why)
    };
    Draft {
        title: "Who serves this read?",
        start: vec![
            format!("apiserver api-1 --version={version}"),
            pods(&name, 1, pods_count),
            "run 100ms".into(),
        ],
        question: format!("The API server has version `v{version}`. What serves `{ask}`?"),
        ask: vec![ask],
        choices: Choices::Results(vec![
            result(
                "the watch cache of the API server",
                "cache",
                "The watch cache holds one state, the newest that it received, and serves only requests for which this \
                 API server knows that the state is good enough.",
            ),
            result(
                "etcd",
                "etcd",
                "The API server reads from etcd only if its cache cannot or must not serve the request.",
            ),
            result(
                "a snapshot of the watch cache",
                "snapshot",
                "Since `v1.34`, snapshots serve reads at an exact version and the later pages of a list.",
            ),
        ]),
        reason: reason.into(),
    }
}

pub(super) fn stale_list(dice: &mut Dice) -> Draft {
    let first = dice.between(1, 4);
    let more = dice.between(1, 4);
    let others = dice.one_of(&[0, 2, 3]);
    let name = dice.pod_name();
    let server = dice.one_of(&["api-1", "api-2", "api-2"]);
    let ask = format!("kubectl get pods --resource-version=0 --server={server}");
    let mut start = vec![
        "apiserver api-1".to_owned(),
        "apiserver api-2".to_owned(),
        pods(&name, 1, first),
        "run 100ms".to_owned(),
        "net api-2 down hold".to_owned(),
        pods(&format!("--server=api-1 {name}"), first + 1, first + more),
    ];
    if others > 0 {
        start.push(format!(
            "for i in {{1..{others}}}; do put /registry/configmaps/default/c$i x; done"
        ));
    }
    start.push("run 100ms".into());
    Draft {
        title: "How old is this list?",
        start,
        question: format!(
            "The network holds all messages from etcd to `api-2`. Which resource version does the list of `{ask}` have?"
        ),
        ask: vec![ask],
        choices: Choices::Values {
            answer: "request.rv".into(),
            wrong: vec![
                (
                    "store.rev".into(),
                    "That is the revision of etcd. `--resource-version=0` accepts whatever the cache has, and the \
                     server does not ask etcd."
                        .into(),
                ),
                (
                    "cache(\"api-2/pods\").rv".into(),
                    "That is the version of the cache of `api-2`, but the request went to `api-1`.".into(),
                ),
                (
                    "cache(\"api-1/pods\").rv".into(),
                    "That is the version of the cache of `api-1`, but the request went to `api-2`.".into(),
                ),
                (
                    "request.objects".into(),
                    "That is the number of pods in the list. A version is a revision of etcd.".into(),
                ),
                (
                    "store.rev + 1".into(),
                    "A read makes no revision.".into(),
                ),
            ],
        },
        reason: "The list is as old as the cache of the server that serves it: {request.rv}, while etcd is at \
                 {store.rev}. A cache that has received nothing does not know that it is behind."
            .into(),
    }
}

pub(super) fn list_version(dice: &mut Dice) -> Draft {
    let pods_count = dice.between(2, 6);
    let others = dice.between(2, 6);
    let (kind, said) = dice.one_of(&[
        ("configmaps", "config maps"),
        ("secrets", "secrets"),
        ("services/specs", "services"),
    ]);
    let name = dice.pod_name();
    let ask = "kubectl get pods";
    Draft {
        title: "The version of a list",
        start: vec![
            "apiserver api-1".into(),
            pods(&name, 1, pods_count),
            format!("for i in {{1..{others}}}; do put /registry/{kind}/default/c$i x; done"),
        ],
        question: format!(
            "No pod has changed since the {said} were written. Which resource version does the list of `{ask}` have?"
        ),
        ask: vec![ask.into()],
        choices: Choices::Values {
            answer: "request.rv".into(),
            wrong: vec![
                (
                    format!("kv(\"/registry/pods/default/{name}-{pods_count}\").mod_revision"),
                    "That is the version of the newest pod. A list has the revision at which it is complete.".into(),
                ),
                (
                    "request.objects".into(),
                    "That is the number of pods. A version is a revision of etcd.".into(),
                ),
                (
                    "store.rev + 1".into(),
                    "A list makes no revision.".into(),
                ),
                (
                    "store.rev - 1".into(),
                    "The list includes everything that was written before the request.".into(),
                ),
            ],
        },
        reason: "A consistent list has the revision that etcd had when the request arrived, {request.rv}, although the \
                 last writes changed other objects."
            .into(),
    }
}

pub(super) fn watch_before_window(dice: &mut Dice) -> Draft {
    let window = dice.between(2, 5);
    let pods_count = window + dice.between(0, 4);
    let version = dice.between(2, pods_count + 1);
    let name = dice.pod_name();
    let ask = format!("kubectl get pods --watch-only --resource-version={version} as back");
    let mut results = vec![
        Outcome::new(
            "an error: too old resource version",
            "request.ended_with == 410",
            "The window still has every event after this version.",
        ),
        Outcome::new(
            "a list of all pods",
            "request.verb == \"LIST\"",
            "A watch with a resource version sends changes. A client that needs a list must ask for one.",
        ),
        Outcome::new(
            "nothing: the client has all pods",
            format!("request.ended_with != 410 and cache(\"api-1/pods\").rv == {version}"),
            "More pods were created after this version.",
        ),
    ];
    results.push(Outcome::new(
        format!("the pods created after version {version}"),
        format!("request.ended_with != 410 and cache(\"api-1/pods\").rv > {version}"),
        "At least one of the events after this version has left the window, and a watch never hides a gap.",
    ));
    Draft {
        title: "A watch that comes back",
        start: vec![
            format!("apiserver api-1 --resources=pods:{window}"),
            pods(&name, 1, pods_count),
            "run 100ms".into(),
        ],
        question: format!(
            "The window of this cache is small: `pods:{window}`. A client lost its watch and comes back with \
             `--resource-version={version}`. What does its new watch receive?"
        ),
        ask: vec![ask, "run 10ms".into(), "recv back".into()],
        choices: Choices::Results(results),
        reason: "The window starts after version {cache(\"api-1/pods\").oldest}. From this version on, a watch can go \
                 on. An older version is refused as too old, and the client must list again."
            .into(),
    }
}

pub(super) fn objects_in_cache(dice: &mut Dice) -> Draft {
    let window = dice.between(2, 6);
    let pods_count = window + dice.between(2, 9);
    let deleted = dice.between(0, 2);
    let name = dice.pod_name();
    let mut start = vec![
        format!("apiserver api-1 --resources=pods:{window}"),
        pods(&name, 1, pods_count),
    ];
    let deletes = (1..=deleted).map(|pod| format!("kubectl delete pod {name}-{pod}"));
    start.extend(deletes);
    start.push("run 100ms".into());
    let ask = "kubectl get pods --resource-version=0";
    Draft {
        title: "A small window",
        start,
        question: format!(
            "The window of this cache is small: `pods:{window}`. How many pods does `{ask}` return?"
        ),
        ask: vec![ask.into()],
        choices: Choices::Values {
            answer: "request.objects".into(),
            wrong: vec![
                (
                    window.to_string(),
                    "The window limits the number of events that the cache keeps, not the number of objects.".into(),
                ),
                (
                    "cache(\"api-1/pods\").window".into(),
                    "That is the number of events in the window. The objects are stored apart from it.".into(),
                ),
                (
                    format!("request.objects - {window}"),
                    "A full window pushes out events, not objects.".into(),
                ),
                (
                    pods_count.to_string(),
                    "That counts the deleted pods, too.".into(),
                ),
                (
                    "request.objects + 1".into(),
                    "The list contains exactly the pods that exist.".into(),
                ),
            ],
        },
        reason: "The cache holds all {cache(\"api-1/pods\").objects} pods. The size in `--resources` is the number of \
                 events from which watches can go on."
            .into(),
    }
}
