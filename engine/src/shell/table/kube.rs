//! The table of the `kubectl` commands, and of the commands for API servers and their clients.

use super::{Flag, FlagKind, LEAF, Spec, choice, flag};

/// Creates a flag whose values are `on` and `off`.
const fn switch(name: &'static str, default: &'static str, usage: &'static str) -> Flag {
    choice(&["on", "off"], flag(name, FlagKind::Text, default, usage))
}

const SERVER: Flag = flag(
    "server",
    FlagKind::Text,
    "",
    "the name of the API server, by default the first; the real kubectl expects a URL",
);
const NAMESPACE: Flag = flag(
    "namespace",
    FlagKind::Text,
    "default",
    "the namespace (short form: -n)",
);

const ALL_NAMESPACES: Flag = flag(
    "all-namespaces",
    FlagKind::Bool,
    "false",
    "all namespaces (short form: -A)",
);
const SELECTOR: Flag = flag(
    "selector",
    FlagKind::Text,
    "",
    "only objects with labels such as app=web (short form: -l)",
);
const FIELD_SELECTOR: Flag = flag(
    "field-selector",
    FlagKind::Text,
    "",
    "fields such as spec.nodeName=node-1",
);
const OUTPUT: Flag = choice(
    &[
        "wide",
        "name",
        "json",
        "yaml",
        "jsonpath=",
        "custom-columns=",
    ],
    flag(
        "output",
        FlagKind::Text,
        "",
        "the output format, such as jsonpath='{.items[*].metadata.name}' (short form: -o)",
    ),
);
const IGNORE_NOT_FOUND: Flag = flag(
    "ignore-not-found",
    FlagKind::Bool,
    "false",
    "report no error for an object that does not exist",
);
const ALL: Flag = flag(
    "all",
    FlagKind::Bool,
    "false",
    "all objects of the resource",
);

static GET: &[Flag] = &[
    SERVER,
    NAMESPACE,
    ALL_NAMESPACES,
    SELECTOR,
    FIELD_SELECTOR,
    flag(
        "resource-version",
        FlagKind::Text,
        "",
        "0 for any revision, N for revision N or newer (the real kubectl needs --raw)",
    ),
    choice(
        &["NotOlderThan", "Exact"],
        flag(
            "resource-version-match",
            FlagKind::Text,
            "",
            "NotOlderThan: revision N or newer; Exact: exactly revision N (the real kubectl needs --raw)",
        ),
    ),
    flag(
        "chunk-size",
        FlagKind::Int,
        "500",
        "list in chunks of N objects; 0 for a single request",
    ),
    flag(
        "limit",
        FlagKind::Int,
        "",
        "list one chunk of N objects (the real kubectl needs --raw)",
    ),
    flag(
        "continue",
        FlagKind::Text,
        "",
        "the continue token of the previous chunk (the real kubectl needs --raw)",
    ),
    flag(
        "watch",
        FlagKind::Bool,
        "false",
        "list, then watch (short form: -w); `recv` prints the events",
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
        "start the watch with all objects (the real kubectl needs --raw)",
    ),
    flag(
        "bookmarks",
        FlagKind::Bool,
        "false",
        "request bookmarks (the real kubectl needs --raw)",
    ),
    flag(
        "timeout",
        FlagKind::Duration,
        "",
        "the server ends the watch after this time",
    ),
    OUTPUT,
    flag(
        "show-labels",
        FlagKind::Bool,
        "false",
        "add a column with the labels of each object",
    ),
    flag(
        "label-columns",
        FlagKind::Text,
        "",
        "labels that get a column, such as app,tier (short form: -L)",
    ),
    flag(
        "no-headers",
        FlagKind::Bool,
        "false",
        "print the table without its first line",
    ),
    flag(
        "sort-by",
        FlagKind::Text,
        "",
        "sort by a value such as .metadata.name",
    ),
    IGNORE_NOT_FOUND,
    RAW,
];

const RAW: Flag = flag(
    "raw",
    FlagKind::Text,
    "",
    "a path such as '/api/v1/pods?limit=5' or /metrics",
);

const FILENAME: Flag = flag(
    "filename",
    FlagKind::Text,
    "",
    "the value - reads a manifest from a pipe or a here-document (short form: -f)",
);

static APPLY: &[Flag] = &[SERVER, NAMESPACE, FILENAME, OUTPUT];

static DESCRIBE: &[Flag] = &[SERVER, NAMESPACE, ALL_NAMESPACES, SELECTOR, FIELD_SELECTOR];

static SERVER_ONLY: &[Flag] = &[SERVER];

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
        "set any field, such as spec.schedulerName=mine",
    ),
    flag(
        "size",
        FlagKind::Text,
        "",
        "the assumed size of the object, such as 5kB",
    ),
    flag("selector", FlagKind::Text, "", "the same as --labels"),
    flag(
        "from-literal",
        FlagKind::Text,
        "",
        "a value of a config map or secret, such as key=value",
    ),
    flag(
        "tcp",
        FlagKind::Text,
        "",
        "the ports of a service, such as 80:8080, which are not stored",
    ),
    flag(
        "generate-name",
        FlagKind::Text,
        "",
        "with create: the start of a name that the API server generates",
    ),
    flag(
        "resource-version",
        FlagKind::Text,
        "",
        "with replace: the resource version that the existing object must have",
    ),
    FILENAME,
    OUTPUT,
];

static DELETE: &[Flag] = &[
    SERVER,
    NAMESPACE,
    FILENAME,
    RAW,
    ALL_NAMESPACES,
    SELECTOR,
    FIELD_SELECTOR,
    ALL,
    flag(
        "grace-period",
        FlagKind::Int,
        "-1",
        "seconds that a pod gets to end; -1 for the default of the pod",
    ),
    flag(
        "force",
        FlagKind::Bool,
        "false",
        "delete a pod without its kubelet",
    ),
    flag(
        "wait",
        FlagKind::Bool,
        "false",
        "only false is possible: kubectl does not wait for the end of a deletion here",
    ),
    flag(
        "resource-version",
        FlagKind::Int,
        "",
        "the resource version that the object must have (the real kubectl needs --raw)",
    ),
    flag(
        "uid",
        FlagKind::Text,
        "",
        "the uid that the object must have (the real kubectl needs --raw)",
    ),
    IGNORE_NOT_FOUND,
    OUTPUT,
];

static LABEL: &[Flag] = &[
    SERVER,
    NAMESPACE,
    ALL_NAMESPACES,
    SELECTOR,
    FIELD_SELECTOR,
    ALL,
    flag(
        "overwrite",
        FlagKind::Bool,
        "false",
        "replace the value of a label that exists",
    ),
    OUTPUT,
];

static PATCH: &[Flag] = &[
    SERVER,
    NAMESPACE,
    flag(
        "patch",
        FlagKind::Text,
        "",
        "the changes as JSON, such as '{\"spec\":{\"nodeName\":\"node-1\"}}' (short form: -p)",
    ),
    choice(
        &["merge", "strategic"],
        flag(
            "type",
            FlagKind::Text,
            "strategic",
            "the type of the patch; both types have the same effect here",
        ),
    ),
    OUTPUT,
];

static APISERVER: &[Flag] = &[
    flag(
        "version",
        FlagKind::Text,
        "1.37",
        "the Kubernetes version, 1.26 to 1.37; the word draft selects the draft of KEP-2340",
    ),
    choice(
        &["today", "draft", "timer"],
        flag(
            "policy",
            FlagKind::Text,
            "today",
            "the rule for when the API server asks etcd for progress, to confirm that a cache is fresh",
        ),
    ),
    flag(
        "progress-interval",
        FlagKind::Duration,
        "",
        "minimum time between two progress requests, by default 100ms; in the KEP-2340 draft, maximum time without a \
         notification, by default 250ms",
    ),
    flag(
        "progress-gap",
        FlagKind::Duration,
        "",
        "minimum time between two progress requests in the KEP-2340 draft, by default 125ms",
    ),
    choice(
        &["header", "WithLastRev"],
        flag(
            "current-revision",
            FlagKind::Text,
            "header",
            "source of the revision that the cache must reach before it serves a consistent list: header (of a \
             response), or WithLastRev (the newest mod revision of all objects, as in the KEP-2340 draft)",
        ),
    ),
    flag(
        "resources",
        FlagKind::Text,
        "pods",
        "resources with a cache, such as pods:2015,configmaps; the number sets a fixed size of the history, in events",
    ),
    switch(
        "cache",
        "on",
        "if the value is off, no resource has a cache",
    ),
    flag(
        "feature-gates",
        FlagKind::Text,
        "",
        "feature gates, such as ListFromCacheSnapshot=false,WatchList=false",
    ),
    switch(
        "assume-progress",
        "off",
        "send progress requests even if the version of etcd does not support progress requests correctly",
    ),
    switch(
        "echo",
        "off",
        "etcd's progress notifications contain the ID of the request, as KEP-2340 proposes",
    ),
    flag(
        "batch",
        FlagKind::Duration,
        "",
        "consistent reads that arrive within this time share one request for etcd's revision",
    ),
    switch(
        "etcd-resync",
        "off",
        "after a relist, a cache sends all objects to its watches, as proposed in 2015",
    ),
    flag(
        "stream-window",
        FlagKind::Text,
        "4MiB",
        "maximum unread bytes of one watch",
    ),
    flag(
        "request-timeout",
        FlagKind::Duration,
        "60s",
        "maximum duration of a request",
    ),
    flag(
        "max-requests-inflight",
        FlagKind::Int,
        "0",
        "maximum number of gets and lists in progress; 0 for no limit; Kubernetes uses 400 by default",
    ),
    flag(
        "enable-priority-and-fairness",
        FlagKind::Bool,
        "false",
        "requests need seats: as many as --max-requests-inflight, or 600; true in Kubernetes by default",
    ),
    flag(
        "event-rate-limit",
        FlagKind::Text,
        "",
        "admission plug-in EventRateLimit: type, rate per second and burst, such as Namespace:3:10",
    ),
    flag(
        "etcd-servers",
        FlagKind::Text,
        "etcd-1",
        "members, separated by commas; requests go to the first, watches to the last",
    ),
    flag(
        "etcd-servers-overrides",
        FlagKind::Text,
        "",
        "/events#etcd-events stores the events in a second etcd",
    ),
    flag(
        "etcd-compaction-interval",
        FlagKind::Duration,
        "0s",
        "time between compactions of etcd; 0s for no compaction; Kubernetes uses 5m by default",
    ),
];

const FIRST_LIST: Flag = choice(
    &["0", "\"\""],
    flag(
        "resource-version",
        FlagKind::Text,
        "0",
        "resource version of the first list, if the client starts with a list; \"\" requests a consistent list",
    ),
);

static INFORMER: &[Flag] = &[
    SERVER,
    FIRST_LIST,
    flag("namespace", FlagKind::Text, "", "one namespace"),
    flag("selector", FlagKind::Text, "", "labels such as app=web"),
    flag(
        "field-selector",
        FlagKind::Text,
        "",
        "fields such as spec.nodeName=node-1",
    ),
    switch(
        "bookmarks",
        "on",
        "request bookmarks when a watch follows a list; client-go has done so since 1.15",
    ),
    switch(
        "watch-list",
        "",
        "start with a watch that sends all objects (WatchListClient); on by default if the server is 1.35 or newer",
    ),
];

static STATEFUL_SET: &[Flag] = &[
    SERVER,
    flag("replicas", FlagKind::Int, "1", "the number of pods"),
    flag(
        "nodes",
        FlagKind::Text,
        "",
        "the nodes on which the controller places the pods in turn",
    ),
    flag(
        "feature-gates",
        FlagKind::Text,
        "",
        "StaleControllerConsistencyStatefulSet=true waits for its own writes (on by default since 1.36)",
    ),
];

static KUBELET: &[Flag] = &[
    SERVER,
    FIRST_LIST,
    switch(
        "status",
        "off",
        "report the phase Running of each pod whose container runs",
    ),
    switch(
        "watch-list",
        "",
        "start with a watch that sends all objects; on by default if the server is 1.35 or newer",
    ),
];

static LOAD: &[Flag] = &[
    SERVER,
    flag("resource", FlagKind::Text, "pods", "the resource"),
    flag("creates", FlagKind::Int, "0", "creates per second"),
    flag(
        "deletes",
        FlagKind::Int,
        "0",
        "deletes per second; each delete removes the oldest object",
    ),
    flag("lists", FlagKind::Int, "0", "lists per second"),
    LISTS_VERSION,
    flag("puts", FlagKind::Int, "0", "with a PREFIX: puts per second"),
    flag(
        "ranges",
        FlagKind::Int,
        "0",
        "with a PREFIX: the number of reads per second; each read returns all keys with the prefix",
    ),
    flag(
        "keys",
        FlagKind::Int,
        "0",
        "with a PREFIX: the number of keys that each client writes in turn; with 0, each put creates a new key",
    ),
    flag(
        "size",
        FlagKind::Text,
        "",
        "with a PREFIX: the size of each value; otherwise the assumed size of each object",
    ),
    flag(
        "timeout",
        FlagKind::Duration,
        "",
        "maximum time that a client waits for a response; after this time, the client retries with a back-off; \
         without this flag, clients do not wait for responses",
    ),
    flag("clients", FlagKind::Int, "1", "the number of clients"),
    flag(
        "logins",
        FlagKind::Int,
        "0",
        "logins per second, with `auth enable` or `set auth 1`",
    ),
    flag(
        "endpoints",
        FlagKind::Text,
        "",
        "with a PREFIX: the members that receive the requests in turn, such as etcd-1,etcd-2, or the proxy",
    ),
    flag(
        "user",
        FlagKind::Text,
        "",
        "with a PREFIX: the user name of the clients, for QoS rules",
    ),
    flag(
        "address",
        FlagKind::Text,
        "127.0.0.1",
        "with a PREFIX: the address of the clients, for QoS rules",
    ),
];

static KUBELETS: &[Flag] = &[
    SERVER,
    flag(
        "every",
        FlagKind::Duration,
        "60s",
        "time between two lists of each kubelet",
    ),
    LISTS_VERSION,
];

const LISTS_VERSION: Flag = flag(
    "resource-version",
    FlagKind::Text,
    "",
    "0 lists whatever the cache has; without a version, the lists are consistent",
);

static POPULATE: &[Flag] = &[
    flag(
        "nodes",
        FlagKind::Int,
        "",
        "the number of nodes: node-1, node-2 and so on",
    ),
    flag("pods", FlagKind::Int, "30", "pods on each node"),
    flag(
        "size",
        FlagKind::Text,
        "",
        "the assumed size of a pod, such as 5kB; without it, a pod counts its own bytes, about 170",
    ),
];

pub(in crate::shell) const SHOW_APISERVER: Spec = Spec {
    name: "apiserver",
    usage: "show apiserver",
    gloss: "show the API servers and their caches",
    example: "show apiserver",
    ..LEAF
};

pub(in crate::shell) const SHOW_CACHE: Spec = Spec {
    name: "cache",
    usage: "show cache [RESOURCE]",
    gloss: "show the revision of each cache of a resource, and the watches of each cache",
    example: "show cache pods",
    ..LEAF
};

pub(in crate::shell) const SHOW_REQUESTS: Spec = Spec {
    name: "requests",
    usage: "show requests [RESOURCE] [N]",
    gloss: "show which server served each of the newest requests, the reason, and the time per phase",
    example: "show requests pods 1",
    ..LEAF
};

/// The `kubectl` commands, and the commands for API servers and their clients.
pub(in crate::shell) static KUBE: &[Spec] = &[
    Spec {
        name: "kubectl",
        usage: "kubectl get|describe|create|replace|apply|label|patch|delete RESOURCE [NAME]",
        gloss: "send a request to an API server",
        example: "kubectl get pods",
        children: &[
            Spec {
                name: "get",
                usage: "kubectl get RESOURCE [NAME]… [-n NS|-A] [--server=NAME] [-o FORMAT] [-w as NAME]",
                extra: GET,
                gloss: "read one object, read all objects, or watch objects; --raw takes a path",
                example: "kubectl get pods -A --resource-version=0",
                ..LEAF
            },
            Spec {
                name: "describe",
                usage: "kubectl describe RESOURCE [NAME]… [-n NS|-A] [-l A=B]",
                extra: DESCRIBE,
                gloss: "print the values of objects, one per line",
                example: "kubectl describe pod web-1",
                ..LEAF
            },
            Spec {
                name: "create",
                usage: "kubectl create RESOURCE NAME [-n NS] [--node=NODE] [--labels=A=B]",
                extra: WRITE,
                gloss: "create an object",
                example: "kubectl create pod web-1 --node=node-1",
                ..LEAF
            },
            Spec {
                name: "replace",
                usage: "kubectl replace RESOURCE NAME [-n NS] [--phase=PHASE] [--resource-version=N]",
                extra: WRITE,
                gloss: "replace an existing object",
                example: "kubectl replace pod web-1 --phase=Running",
                ..LEAF
            },
            Spec {
                name: "apply",
                usage: "kubectl apply -f - [-n NS] [--server=NAME] [-o FORMAT] <<EOF",
                extra: APPLY,
                gloss: "create the objects of a manifest, or update them to match the manifest",
                example: "kubectl apply -f - <<EOF",
                ..LEAF
            },
            Spec {
                name: "label",
                usage: "kubectl label RESOURCE NAME… KEY=VALUE… KEY-… [-n NS] [-l A=B|--all] [--overwrite]",
                extra: LABEL,
                gloss: "set labels of objects, or remove labels",
                example: "kubectl label pod web-1 app=web",
                ..LEAF
            },
            Spec {
                name: "patch",
                usage: "kubectl patch RESOURCE NAME -p PATCH [-n NS] [--type=merge]",
                extra: PATCH,
                gloss: "change some values of an object",
                example: "kubectl patch pod web-1 -p '{\"metadata\":{\"labels\":{\"app\":\"web\"}}}'",
                ..LEAF
            },
            Spec {
                name: "delete",
                usage: "kubectl delete RESOURCE NAME… [-n NS] [-l A=B|--all] [--force] [--grace-period=N]",
                extra: DELETE,
                gloss: "delete objects; the kubelet of a pod completes the deletion",
                example: "kubectl delete pod web-1",
                ..LEAF
            },
            Spec {
                name: "version",
                usage: "kubectl version [--server=NAME]",
                extra: SERVER_ONLY,
                gloss: "print the versions of kubectl and of the API server",
                example: "kubectl version",
                ..LEAF
            },
            Spec {
                name: "api-resources",
                usage: "kubectl api-resources",
                extra: SERVER_ONLY,
                gloss: "list the resources of the API server",
                example: "kubectl api-resources",
                ..LEAF
            },
        ],
        ..LEAF
    },
    Spec {
        name: "apiserver",
        usage: "apiserver NAME [--version=V] [--resources=pods:2015] [--policy=today|draft|timer]",
        extra: APISERVER,
        gloss: "start an API server with a watch cache",
        example: "apiserver api-1 --resources=pods:16",
        ..LEAF
    },
    Spec {
        name: "informer",
        usage: "informer RESOURCE as NAME [--server=NAME] [--field-selector=…]",
        extra: INFORMER,
        gloss: "start a client that lists and watches objects and keeps a copy of all these objects",
        example: "informer pods as controller",
        ..LEAF
    },
    Spec {
        name: "kubelet",
        usage: "kubelet NODE [as NAME] [--server=NAME]",
        extra: KUBELET,
        gloss: "start a kubelet, which watches the pods of its node and runs their containers",
        example: "kubelet node-1",
        ..LEAF
    },
    Spec {
        name: "statefulset",
        usage: "statefulset NAME [--replicas=1] [--nodes=node-1,node-2] [--server=NAME]",
        extra: STATEFUL_SET,
        gloss: "start a StatefulSet controller, which maintains pods with fixed names",
        example: "statefulset web --nodes=node-1,node-2",
        ..LEAF
    },
    Spec {
        name: "load",
        usage: "load NAME [PREFIX] [--creates=N] [--lists=N] [--puts=N] [--ranges=N] [--clients=N] [--timeout=30s]",
        extra: LOAD,
        gloss: "start clients that send requests to an API server or, with a PREFIX, to etcd",
        example: "load writers --creates=20 --deletes=20",
        ..LEAF
    },
    Spec {
        name: "kubelets",
        usage: "kubelets NODES as NAME [--every=60s] [--server=NAME]",
        extra: KUBELETS,
        gloss: "start one client that represents many kubelets, each of which lists the pods of its node periodically",
        example: "kubelets 5000 as fleet --every=60s",
        ..LEAF
    },
    Spec {
        name: "populate",
        usage: "populate --nodes=N [--pods=30] [--size=SIZE]",
        extra: POPULATE,
        gloss: "fill a new etcd with the pods of N nodes",
        example: "populate --nodes=5000 --pods=30 --size=5kB",
        ..LEAF
    },
    Spec {
        name: "move",
        usage: "move CLIENT SERVER",
        gloss: "connect a client to another API server",
        example: "move controller api-2",
        ..LEAF
    },
];
