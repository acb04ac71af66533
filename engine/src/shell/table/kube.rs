//! `kubectl` and the verbs for API servers, with names, usage and an example each.

use super::{Flag, FlagKind, LEAF, Spec, choice, flag};

/// Something that is on or off.
const fn switch(name: &'static str, default: &'static str, usage: &'static str) -> Flag {
    choice(&["on", "off"], flag(name, FlagKind::Text, default, usage))
}

const SERVER: Flag = flag(
    "server",
    FlagKind::Text,
    "",
    "which API server; the first without it (a flag of this simulator)",
);
const NAMESPACE: Flag = flag(
    "namespace",
    FlagKind::Text,
    "default",
    "the namespace, also -n",
);

static GET: &[Flag] = &[
    SERVER,
    NAMESPACE,
    flag(
        "all-namespaces",
        FlagKind::Bool,
        "false",
        "all namespaces, also -A",
    ),
    flag(
        "selector",
        FlagKind::Text,
        "",
        "labels such as app=web, also -l",
    ),
    flag(
        "field-selector",
        FlagKind::Text,
        "",
        "fields such as spec.nodeName=node-1",
    ),
    flag(
        "resource-version",
        FlagKind::Text,
        "",
        "0 for any, N for N or newer (kubectl needs --raw)",
    ),
    choice(
        &["NotOlderThan", "Exact"],
        flag(
            "resource-version-match",
            FlagKind::Text,
            "",
            "what N means (kubectl needs --raw)",
        ),
    ),
    flag(
        "chunk-size",
        FlagKind::Int,
        "500",
        "list in chunks of so many objects; 0 for all at once",
    ),
    flag(
        "limit",
        FlagKind::Int,
        "",
        "one page of so many objects (kubectl needs --raw)",
    ),
    flag(
        "continue",
        FlagKind::Text,
        "",
        "the token of the page before (kubectl needs --raw)",
    ),
    flag(
        "watch",
        FlagKind::Bool,
        "false",
        "list, then watch, also -w; `recv` prints what comes",
    ),
    flag(
        "watch-only",
        FlagKind::Bool,
        "false",
        "watch without a list",
    ),
    flag(
        "send-initial-events",
        FlagKind::Bool,
        "",
        "a watch that begins with everything (kubectl needs --raw)",
    ),
    flag(
        "bookmarks",
        FlagKind::Bool,
        "false",
        "ask for bookmarks (kubectl needs --raw)",
    ),
    flag(
        "timeout",
        FlagKind::Duration,
        "",
        "the server ends the watch then",
    ),
    choice(
        &["wide", "name", "json"],
        flag("output", FlagKind::Text, "", "how to print, also -o"),
    ),
    flag(
        "raw",
        FlagKind::Text,
        "",
        "a path such as '/api/v1/pods?limit=5'",
    ),
];

static WRITE: &[Flag] = &[
    SERVER,
    NAMESPACE,
    flag(
        "labels",
        FlagKind::Text,
        "",
        "labels such as app=web,tier=front",
    ),
    flag("node", FlagKind::Text, "", "spec.nodeName"),
    flag("phase", FlagKind::Text, "", "status.phase"),
    flag(
        "field",
        FlagKind::Text,
        "",
        "any field, such as spec.schedulerName=mine",
    ),
    flag(
        "size",
        FlagKind::Text,
        "",
        "how large it is taken to be, such as 5kB",
    ),
    flag(
        "resource-version",
        FlagKind::Int,
        "",
        "of replace: only if it still has this one",
    ),
];

static DELETE: &[Flag] = &[SERVER, NAMESPACE];

static APISERVER: &[Flag] = &[
    flag(
        "version",
        FlagKind::Text,
        "1.37",
        "1.26 to 1.37, or draft for the draft of KEP-2340",
    ),
    choice(
        &["today", "draft", "timer"],
        flag(
            "policy",
            FlagKind::Text,
            "today",
            "how it finds out that a cache is fresh",
        ),
    ),
    flag(
        "resources",
        FlagKind::Text,
        "pods",
        "resources with a cache, such as pods:2015,configmaps; a number is a fixed history",
    ),
    switch("cache", "on", "whether it has any cache"),
    flag(
        "feature-gates",
        FlagKind::Text,
        "",
        "such as ListFromCacheSnapshot=false,WatchList=false",
    ),
    switch(
        "assume-progress",
        "off",
        "ask for progress whatever version etcd has",
    ),
    switch(
        "echo",
        "off",
        "etcd sends back an id with its progress, as KEP-2340 wishes for",
    ),
    flag(
        "batch",
        FlagKind::Duration,
        "",
        "consistent reads ask for etcd's revision together, each so often",
    ),
    switch(
        "etcd-resync",
        "off",
        "a cache that lists again sends everything to its watches, as proposed in 2015",
    ),
    flag(
        "stream-window",
        FlagKind::Text,
        "4MiB",
        "bytes of a watch that its client has not read",
    ),
    flag(
        "request-timeout",
        FlagKind::Duration,
        "60s",
        "how long a request may take",
    ),
    flag(
        "etcd-compaction-interval",
        FlagKind::Duration,
        "0s",
        "time between compactions of etcd: 5m in Kubernetes; here 0s, which turns them off",
    ),
];

static INFORMER: &[Flag] = &[
    SERVER,
    flag("namespace", FlagKind::Text, "", "one namespace"),
    flag("selector", FlagKind::Text, "", "labels such as app=web"),
    flag(
        "field-selector",
        FlagKind::Text,
        "",
        "fields such as spec.nodeName=node-1",
    ),
    switch(
        "watch-list",
        "",
        "begin with a watch that sends everything (WatchListClient): on with servers since 1.35",
    ),
];

static KUBELET: &[Flag] = &[
    SERVER,
    switch(
        "watch-list",
        "",
        "begin with a watch that sends everything: on with servers since 1.35",
    ),
];

static LOAD: &[Flag] = &[
    SERVER,
    flag("resource", FlagKind::Text, "pods", "of what"),
    flag("creates", FlagKind::Int, "0", "creates in a second"),
    flag(
        "deletes",
        FlagKind::Int,
        "0",
        "deletes in a second, the oldest first",
    ),
    flag("lists", FlagKind::Int, "0", "consistent lists in a second"),
    flag(
        "size",
        FlagKind::Text,
        "",
        "how large each object is taken to be",
    ),
    flag("clients", FlagKind::Int, "1", "so many of it"),
];

static KUBELETS: &[Flag] = &[
    SERVER,
    flag(
        "every",
        FlagKind::Duration,
        "60s",
        "how often each lists the pods of its node",
    ),
];

static POPULATE: &[Flag] = &[
    flag(
        "nodes",
        FlagKind::Int,
        "",
        "how many nodes: node-1, node-2 and so on",
    ),
    flag("pods", FlagKind::Int, "30", "pods on each node"),
    flag(
        "size",
        FlagKind::Text,
        "",
        "how large a pod is taken to be, such as 5kB",
    ),
];

/// `show apiserver`
pub(in crate::shell) const SHOW_APISERVER: Spec = Spec {
    name: "apiserver",
    usage: "show apiserver",
    gloss: "the API servers and their caches",
    example: "show apiserver",
    ..LEAF
};

/// `show cache`
pub(in crate::shell) const SHOW_CACHE: Spec = Spec {
    name: "cache",
    usage: "show cache [RESOURCE]",
    gloss: "how far each cache of a resource has come, and who watches it",
    example: "show cache pods",
    ..LEAF
};

/// `show requests`
pub(in crate::shell) const SHOW_REQUESTS: Spec = Spec {
    name: "requests",
    usage: "show requests [RESOURCE] [N]",
    gloss: "who served the newest requests, why, and where their time went",
    example: "show requests pods 1",
    ..LEAF
};

/// The verbs.
pub(in crate::shell) static KUBE: &[Spec] = &[
    Spec {
        name: "kubectl",
        usage: "kubectl get|create|replace|delete RESOURCE [NAME]",
        gloss: "ask an API server",
        example: "kubectl get pods",
        children: &[
            Spec {
                name: "get",
                usage: "kubectl get RESOURCE [NAME] [-n NS|-A] [--server=NAME] [-w as NAME]",
                extra: GET,
                gloss: "read one object or all, or watch them; --raw takes a path",
                example: "kubectl get pods -A --resource-version=0",
                ..LEAF
            },
            Spec {
                name: "create",
                usage: "kubectl create RESOURCE NAME [-n NS] [--node=NODE] [--labels=A=B]",
                extra: WRITE,
                gloss: "make an object",
                example: "kubectl create pod web-1 --node=node-1",
                ..LEAF
            },
            Spec {
                name: "replace",
                usage: "kubectl replace RESOURCE NAME [-n NS] [--phase=PHASE] [--resource-version=N]",
                extra: WRITE,
                gloss: "put an object in place of the one that is there",
                example: "kubectl replace pod web-1 --phase=Running",
                ..LEAF
            },
            Spec {
                name: "delete",
                usage: "kubectl delete RESOURCE NAME [-n NS]",
                extra: DELETE,
                gloss: "delete an object",
                example: "kubectl delete pod web-1",
                ..LEAF
            },
        ],
        ..LEAF
    },
    Spec {
        name: "apiserver",
        usage: "apiserver NAME [--version=V] [--resources=pods:2015] [--policy=today|draft|timer]",
        extra: APISERVER,
        gloss: "an API server in front of etcd, with a watch cache",
        example: "apiserver api-1 --resources=pods:16",
        ..LEAF
    },
    Spec {
        name: "informer",
        usage: "informer RESOURCE as NAME [--server=NAME] [--field-selector=…]",
        extra: INFORMER,
        gloss: "a client that lists and watches an API server and keeps a copy",
        example: "informer pods as controller",
        ..LEAF
    },
    Spec {
        name: "kubelet",
        usage: "kubelet NODE [as NAME] [--server=NAME]",
        extra: KUBELET,
        gloss: "an informer of the pods of one node",
        example: "kubelet node-1",
        ..LEAF
    },
    Spec {
        name: "load",
        usage: "load NAME [--creates=N] [--deletes=N] [--lists=N] [--size=5kB] [--clients=N]",
        extra: LOAD,
        gloss: "clients that write and list so often in a second; `stop NAME-1` ends one",
        example: "load writers --creates=20 --deletes=20",
        ..LEAF
    },
    Spec {
        name: "kubelets",
        usage: "kubelets NODES as NAME [--every=60s] [--server=NAME]",
        extra: KUBELETS,
        gloss: "many kubelets as one client, each of which lists the pods of its node again and again",
        example: "kubelets 5000 as fleet --every=60s",
        ..LEAF
    },
    Spec {
        name: "populate",
        usage: "populate --nodes=N [--pods=30] [--size=5kB]",
        extra: POPULATE,
        gloss: "a new etcd has the pods of so many nodes from the beginning",
        example: "populate --nodes=5000 --pods=30",
        ..LEAF
    },
    Spec {
        name: "move",
        usage: "move CLIENT SERVER",
        gloss: "a client goes to another API server",
        example: "move controller api-2",
        ..LEAF
    },
];
