//! Reads the commands for API servers and their clients: `apiserver`, `informer`, `kubelet`, `kubelets`, `load`,
//! `move`, and `populate`, which adds the pods of a cluster to a new etcd. Also reads `etcd grpc-proxy start`.

use crate::apiserver::{
    ApiServerConfig, CacheSize, CurrentRevision, EVENTS_ETCD_NAME, EtcdServers, EventLimit,
    EventsEtcd, FreshnessPolicy,
};
use crate::base::bytes::escape;
use crate::base::digest::Sparse;
use crate::base::ids::NodeId;
use crate::base::time::SimDuration;
use crate::client::etcd::load::EtcdLoadSpec;
use crate::client::kube::controller::ControllerSpec;
use crate::client::kube::kubelets::KubeletsSpec;
use crate::client::kube::load::{LoadSpec, RATE_MAX};
use crate::client::kube::stateful_set::StatefulSetSpec;
use crate::client::load_calls::LoadPace;
use crate::kube::feature::Feature;
use crate::kube::gates::{Gates, KubeVersion};
use crate::kube::list_options::ResourceVersion;
use crate::kube::resource::PODS;
use crate::qos::{AddressRange, Identity};
use crate::shell::amount;
use crate::shell::names::name;
use crate::shell::table::Spec;
use crate::shell::table::wrong;
use crate::shell::{CommandKind, ParseError, kubectl};
use crate::transcript::for_loop::Arg;
use crate::world::config::MEMBERS_MAX;
use crate::world::op::{Population, StartInformer, StartKubelets, WorldOp};

/// The maximum number of events in a cache's history, if the size of the history is fixed.
const EVENTS_MAX: u32 = 1 << 20;

/// The default port of the gRPC proxy (`--listen-addr`).
const PROXY_PORT: u32 = 23_790;

/// The maximum number of clients that one `load` command starts.
const LOAD_CLIENTS_MAX: u32 = 1_000;

/// The gate of kube-controller-manager with which the StatefulSet controller waits for its own writes.
const STALE_CONTROLLER_GATE: &str = "StaleControllerConsistencyStatefulSet";

/// The default size of a value that a load on etcd writes, in bytes. `--size` sets another size.
const VALUE_BYTES: u64 = 100;

/// Reads a command. The first element of `args` is its name.
pub(in crate::shell) fn read(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    let op = match spec.name {
        "apiserver" => apiserver(args, spec)?,
        "etcd" => grpc_proxy(args, spec)?,
        "load" => load(args, spec)?,
        "move" => match args {
            [_, client, server] => WorldOp::Move {
                client: name(client)?,
                server: name(server)?,
            },
            _ => {
                let expected = "a client and its new API server";
                return Err(wrong(spec, args.last(), expected));
            }
        },
        "populate" => populate(args, spec)?,
        "kubelets" => kubelets(args, spec)?,
        _ => informer(args, spec)?,
    };
    Ok(CommandKind::Op(op))
}

/// The sorted words of a command: the flags with their values (`--flag=value` or `--flag value`), the other words, and
/// the name given with `as`.
type Sorted<'a> = (Vec<(String, String, &'a Arg)>, Vec<&'a Arg>, Option<String>);

fn sort<'a>(args: &'a [Arg], spec: &Spec) -> Result<Sorted<'a>, ParseError> {
    let (mut flags, mut plain, mut named) = (Vec::new(), Vec::new(), None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = escape(&arg.bytes);
        if text == "as" && !arg.quoted {
            let Some(given) = rest.next() else {
                return Err(wrong(spec, Some(arg), "a name after `as`"));
            };
            named = Some(name(given)?);
        } else if let Some(flag) = text.strip_prefix("--") {
            match flag.split_once('=') {
                Some((flag, value)) => flags.push((flag.to_owned(), value.to_owned(), arg)),
                None => {
                    let Some(value) = rest.next() else {
                        return Err(wrong(spec, Some(arg), "a value after this flag"));
                    };
                    flags.push((flag.to_owned(), escape(&value.bytes), arg));
                }
            }
        } else {
            plain.push(arg);
        }
    }
    Ok((flags, plain, named))
}

fn on_off(spec: &Spec, arg: &Arg, text: &str) -> Result<bool, ParseError> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(wrong(spec, Some(arg), "on or off for this flag")),
    }
}

fn apiserver(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, _) = sort(args.get(1..).unwrap_or_default(), spec)?;
    let [given] = plain.as_slice() else {
        let expected = "the name of the API server, such as api-1";
        return Err(wrong(
            spec,
            plain.get(1).copied().or(args.first()),
            expected,
        ));
    };
    let mut config = ApiServerConfig::default();
    // The version determines the defaults of the feature gates, so `--version` is read first.
    if let Some((_, text, arg)) = flags.iter().find(|(flag, ..)| flag == "version") {
        let expected = "a version from 1.26 to 1.37, or draft";
        config.version =
            KubeVersion::parse(text).ok_or_else(|| wrong(spec, Some(arg), expected))?;
        config.gates = Gates::of(config.version);
        if config.version == KubeVersion::DraftKep {
            config.policy = FreshnessPolicy::Draft;
        }
    }
    for (flag, text, arg) in &flags {
        match flag.as_str() {
            "version" => {}
            "policy" => {
                let found = FreshnessPolicy::ALL.into_iter().find(|p| p.name() == text);
                config.policy =
                    found.ok_or_else(|| wrong(spec, Some(arg), "today, draft or timer"))?;
            }
            "progress-interval" | "progress-gap" => {
                let span = amount::duration(text.as_bytes()).filter(|span| span.0 >= 1_000);
                let expected = "a duration such as 250ms, at least 1ms";
                let span = span.ok_or_else(|| wrong(spec, Some(arg), expected))?;
                match flag.as_str() {
                    "progress-interval" => config.progress_interval = Some(span),
                    _ => config.progress_gap = Some(span),
                }
            }
            "current-revision" => {
                let found = CurrentRevision::ALL.into_iter().find(|c| c.name() == text);
                config.current_revision =
                    found.ok_or_else(|| wrong(spec, Some(arg), "header or WithLastRev"))?;
            }
            "resources" => config.caches = resources(spec, arg, text)?,
            "cache" => {
                if !on_off(spec, arg, text)? {
                    config.caches = Vec::new();
                }
            }
            "feature-gates" => gates(&mut config, spec, arg, text)?,
            "assume-progress" => config.assume_progress = on_off(spec, arg, text)?,
            "echo" => config.echo = on_off(spec, arg, text)?,
            "etcd-resync" => config.etcd_resync = on_off(spec, arg, text)?,
            "batch" => {
                let span = amount::duration(text.as_bytes()).filter(|span| span.0 > 0);
                let expected = "a duration such as 10ms";
                config.batch = Some(span.ok_or_else(|| wrong(spec, Some(arg), expected))?);
            }
            "stream-window" => {
                let bytes = amount::bytes(text.as_bytes());
                let expected = "a size such as 64KiB";
                config.stream_window = bytes.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            "request-timeout" => {
                let span = amount::duration(text.as_bytes());
                let expected = "a duration such as 60s";
                config.request_timeout = span.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            "max-requests-inflight" => {
                let count = amount::count(text.as_bytes());
                let expected = "a number of requests, or 0 for no limit";
                config.max_in_flight = count.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            "enable-priority-and-fairness" => {
                config.has_fairness = Sparse(on_off(spec, arg, text)?);
            }
            "event-rate-limit" => {
                let limits: Option<Vec<EventLimit>> =
                    text.split(',').map(EventLimit::parse).collect();
                let expected =
                    "limits such as Namespace:3:10 or Server:50:100 (type, rate per second, burst)";
                let limits = limits.ok_or_else(|| wrong(spec, Some(arg), expected))?;
                config.event_limits = Sparse(limits);
            }
            "etcd-compaction-interval" => {
                let span = amount::duration(text.as_bytes());
                let expected = "a duration such as 5m, or 0s for never";
                config.compaction_interval =
                    span.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            "etcd-servers" => config.etcd_servers = etcd_servers(spec, arg, text)?,
            "etcd-servers-overrides" => {
                let host = text.strip_prefix("/events#").map(host_of);
                if host != Some(EVENTS_ETCD_NAME) {
                    return Err(wrong(spec, Some(arg), "/events#etcd-events"));
                }
                config.events_etcd = EventsEtcd::Own;
            }
            _ => return Err(wrong(spec, Some(arg), "a flag of apiserver")),
        }
    }
    Ok(WorldOp::ApiServer {
        name: name(given)?,
        config: Box::new(config),
    })
}

/// Reads `etcd grpc-proxy start`.
fn grpc_proxy(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, _) = sort(args.get(1..).unwrap_or_default(), spec)?;
    let words: Vec<&[u8]> = plain.iter().map(|arg| arg.bytes.as_slice()).collect();
    if words != [&b"grpc-proxy"[..], b"start"] {
        return Err(wrong(spec, args.last(), "grpc-proxy start"));
    }
    let (mut endpoint, mut port) = ("127.0.0.1:2379".to_owned(), PROXY_PORT);
    for (flag, text, arg) in &flags {
        match flag.as_str() {
            "endpoints" if !text.contains(',') => endpoint = text.clone(),
            "endpoints" => return Err(wrong(spec, Some(arg), "the address of one member")),
            "listen-addr" => {
                let given = text
                    .rsplit_once(':')
                    .and_then(|(_, port)| port.parse().ok());
                let free = given.filter(|port| (1..=65_535).contains(port) && *port != 2379);
                let expected =
                    "an address such as 127.0.0.1:23790, whose port is not etcd's port 2379";
                port = free.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            _ => return Err(wrong(spec, Some(arg), "--endpoints or --listen-addr")),
        }
    }
    Ok(WorldOp::GrpcProxy { endpoint, port })
}

/// Returns the host of a client URL, or a name unchanged.
fn host_of(text: &str) -> &str {
    let host = text.strip_prefix("http://").unwrap_or(text);
    host.strip_suffix(":2379").unwrap_or(host)
}

/// Reads the names or the client URLs of members. The API server sends its requests to the first member, and creates
/// its watches at the last member.
fn etcd_servers(spec: &Spec, arg: &Arg, text: &str) -> Result<EtcdServers, ParseError> {
    let member = |text: &str| {
        let number = host_of(text).strip_prefix("etcd-")?.parse().ok()?;
        (1..=MEMBERS_MAX)
            .contains(&number)
            .then_some(NodeId::Member(number))
    };
    let members: Option<Vec<NodeId>> = text.split(',').map(member).collect();
    let expected = "different members, such as etcd-1,etcd-3";
    members
        .and_then(EtcdServers::new)
        .ok_or_else(|| wrong(spec, Some(arg), expected))
}

/// Reads a list of resources. A resource can have a history size: `pods:2015,configmaps`.
fn resources(
    spec: &Spec,
    arg: &Arg,
    text: &str,
) -> Result<Vec<(&'static crate::kube::Resource, CacheSize)>, ParseError> {
    let mut caches: Vec<(&'static crate::kube::Resource, CacheSize)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (kind, size) = part.split_once(':').unwrap_or((part, ""));
        let bad = |expected: &str| wrong(spec, Some(arg), expected);
        let resource = kubectl::resource(kind).ok_or_else(|| {
            bad("resources such as pods:2015,configmaps; the number after the colon sets a fixed size of the \
                history, in events")
        })?;
        let size = match size {
            "" => CacheSize::Dynamic,
            size => match size.parse() {
                Ok(0) => continue,
                Ok(events) if events <= EVENTS_MAX => CacheSize::Fixed(events),
                _ => return Err(bad("a number of events after the colon, at most 1048576")),
            },
        };
        caches.retain(|(known, _)| known.name != resource.name);
        caches.push((resource, size));
    }
    Ok(caches)
}

fn gates(
    config: &mut ApiServerConfig,
    spec: &Spec,
    arg: &Arg,
    text: &str,
) -> Result<(), ParseError> {
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (feature, is_on) = Feature::parse(part, config.version).map_err(|hint| ParseError {
            hint,
            ..wrong(spec, Some(arg), &known_gates(config.version))
        })?;
        let gates = &mut config.gates;
        match feature {
            Feature::ConsistentListFromCache | Feature::WatchCacheConsistentReads => {
                *gates = gates.with_consistent_lists(config.version, is_on);
            }
            Feature::SelectorIndex => gates.selector_index = is_on,
            Feature::ListFromCacheSnapshot => gates.snapshots = is_on,
            Feature::WatchList => gates.watch_list = is_on,
            Feature::ResilientWatchCacheInitialization => gates.resilient_initialization = is_on,
            Feature::WatchFromStorageWithoutResourceVersion => {
                gates.watch_from_storage_without_rv = is_on;
            }
            Feature::ConsistentListFromCacheSkipTimeoutFallback => {
                gates.skip_timeout_fallback = is_on;
            }
            // The server reads these gates from the list of the gates that the user set.
            Feature::ConcurrentWatchObjectDecode
            | Feature::DetectCacheInconsistency
            | Feature::AllowUnsafeMalformedObjectDeletion
            | Feature::SizeBasedListCostEstimate
            | Feature::StreamingCollectionEncodingToJson
            | Feature::EtcdRangeStream => {}
        }
        config.gates_set.push(part.to_owned());
    }
    Ok(())
}

/// Returns the expected gates of a version, for the error message.
fn known_gates(version: KubeVersion) -> String {
    let gates = Feature::ALL.into_iter().map(Feature::name);
    let known = gates.filter(|name| Feature::parse(&format!("{name}=true"), version).is_ok());
    let known: Vec<&str> = known.collect();
    format!("one of {}, with =true or =false", known.join(", "))
}

/// Reads `load NAME …`, a load on an API server, and `load NAME PREFIX …`, a load on etcd.
fn load(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, _) = sort(args.get(1..).unwrap_or_default(), spec)?;
    let (given, prefix) = match plain.as_slice() {
        [given] => (given, None),
        [given, prefix] if !prefix.bytes.is_empty() => (given, Some(prefix)),
        _ => {
            return Err(wrong(
                spec,
                args.last(),
                "a name for the load and, for a load on etcd, a prefix",
            ));
        }
    };
    let (mut server, mut clients, mut size) = (None, 1, None);
    let mut pace = LoadPace::Open;
    let mut rates = LoadRates::default();
    let mut identity = Identity::default();
    let mut resource = &PODS;
    let mut endpoints = Sparse::default();
    let mut password = Sparse::default();
    let mut resource_version = Sparse::default();
    for (flag, text, arg) in &flags {
        let rate = || {
            let rate = amount::count(text.as_bytes()).filter(|rate| *rate <= RATE_MAX);
            rate.ok_or_else(|| wrong(spec, Some(arg), "requests per second, at most 10000"))
        };
        match (flag.as_str(), prefix) {
            ("creates", None) => rates.creates = rate()?,
            ("deletes", None) => rates.deletes = rate()?,
            ("lists", None) => rates.lists = rate()?,
            ("resource-version", None) => {
                resource_version = Sparse(unset_or_any(spec, arg, text)?);
            }
            ("server", None) => server = Some(text.clone()),
            ("resource", None) => {
                let expected = "a resource such as pods";
                resource =
                    kubectl::resource(text).ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            ("puts", Some(_)) => rates.puts = rate()?,
            ("ranges", Some(_)) => rates.ranges = rate()?,
            ("logins", Some(_)) => rates.logins = rate()?,
            ("keys", Some(_)) => {
                let keys = amount::count(text.as_bytes());
                rates.keys = keys.ok_or_else(|| wrong(spec, Some(arg), "a number of keys"))?;
            }
            ("size", _) => {
                let bytes = amount::object_size(text.as_bytes());
                size = Some(bytes.ok_or_else(|| wrong(spec, Some(arg), amount::OBJECT_SIZE))?);
            }
            ("timeout", _) => {
                let span = amount::duration(text.as_bytes()).filter(|span| span.0 > 0);
                let expected = "a duration such as 30s";
                pace = LoadPace::Closed(span.ok_or_else(|| wrong(spec, Some(arg), expected))?);
            }
            ("endpoints", Some(_)) => {
                endpoints = Sparse(text.split(',').map(str::to_owned).collect());
            }
            ("user", Some(_)) => {
                let (user, secret) = match text.split_once(':') {
                    Some((user, secret)) => (user, Some(secret)),
                    None => (text.as_str(), None),
                };
                identity.user = Some(user.into());
                *password = secret.map(Into::into);
            }
            ("address", Some(_)) => {
                let address = AddressRange::parse(text).filter(|range| range.bits == 32);
                let expected = "an address such as 10.0.0.7";
                identity.address = address
                    .ok_or_else(|| wrong(spec, Some(arg), expected))?
                    .first;
            }
            ("clients", _) => {
                let count = text
                    .parse()
                    .ok()
                    .filter(|n| (1..=LOAD_CLIENTS_MAX).contains(n));
                clients = count.ok_or_else(|| wrong(spec, Some(arg), "1 to 1000 clients"))?;
            }
            _ => {
                let expected = match prefix {
                    None => "a flag of `load NAME`: --creates, --deletes or --lists",
                    Some(_) => "a flag of `load NAME PREFIX`: --puts, --ranges, --logins or --keys",
                };
                return Err(wrong(spec, Some(arg), expected));
            }
        }
    }
    let name = name(given)?;
    let LoadRates {
        creates,
        deletes,
        lists,
        puts,
        ranges,
        logins,
        keys,
    } = rates;
    if let Some(prefix) = prefix {
        if puts + ranges + logins == 0 {
            return Err(wrong(spec, args.last(), "--puts, --ranges or --logins"));
        }
        let spec = EtcdLoadSpec {
            prefix: prefix.bytes.as_slice().into(),
            puts,
            ranges,
            logins,
            keys,
            value_bytes: size.unwrap_or(VALUE_BYTES),
            pace,
            identity,
            password,
            endpoints,
        };
        return Ok(WorldOp::EtcdLoad {
            name,
            clients,
            spec: Box::new(spec),
        });
    }
    if creates + deletes + lists == 0 {
        return Err(wrong(spec, args.last(), "--creates, --deletes or --lists"));
    }
    let spec = LoadSpec {
        resource,
        creates,
        deletes,
        lists,
        resource_version,
        size_bytes: size.unwrap_or(0),
        pace,
    };
    Ok(WorldOp::Load {
        name,
        clients,
        server,
        spec: Box::new(spec),
    })
}

/// The values that the user gives to a `load` command: the rate of each kind of request, and the number of keys.
#[derive(Default)]
struct LoadRates {
    creates: u64,
    deletes: u64,
    lists: u64,
    puts: u64,
    ranges: u64,
    logins: u64,
    keys: u64,
}

/// Reads the resource version of a list: `0`, or nothing for a consistent list.
fn unset_or_any(spec: &Spec, arg: &Arg, text: &str) -> Result<ResourceVersion, ParseError> {
    match text {
        "0" => Ok(ResourceVersion::Any),
        "" => Ok(ResourceVersion::Unset),
        _ => Err(wrong(spec, Some(arg), "0 or \"\" for this flag")),
    }
}

/// Parses a whole number that is greater than 0.
fn number(spec: &Spec, arg: &Arg, text: &str) -> Result<u32, ParseError> {
    let found = text.parse().ok().filter(|n| *n > 0);
    found.ok_or_else(|| wrong(spec, Some(arg), "a whole number above 0"))
}

fn populate(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, _) = sort(args.get(1..).unwrap_or_default(), spec)?;
    if let Some(more) = plain.first() {
        return Err(wrong(spec, Some(more), "only flags, such as --nodes=5000"));
    }
    let mut pods = Population {
        nodes: 0,
        pods: 30,
        size: 0,
    };
    for (flag, text, arg) in &flags {
        match flag.as_str() {
            "nodes" => pods.nodes = number(spec, arg, text)?,
            "pods" => pods.pods = number(spec, arg, text)?,
            "size" => {
                let bytes = amount::object_size(text.as_bytes());
                pods.size = bytes.ok_or_else(|| wrong(spec, Some(arg), amount::OBJECT_SIZE))?;
            }
            _ => return Err(wrong(spec, Some(arg), "a flag of populate")),
        }
    }
    if pods.nodes == 0 {
        return Err(wrong(spec, args.last(), "--nodes and the number of nodes"));
    }
    Ok(WorldOp::Populate(pods))
}

fn kubelets(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, named) = sort(args.get(1..).unwrap_or_default(), spec)?;
    let [nodes] = plain.as_slice() else {
        let at = plain.get(1).copied().or(args.first());
        return Err(wrong(spec, at, "the number of nodes, such as 5000"));
    };
    let mut spec_of = KubeletsSpec {
        nodes: number(spec, nodes, &escape(&nodes.bytes))?,
        every: SimDuration::from_millis(60_000),
        resource_version: Sparse::default(),
    };
    let mut server = None;
    for (flag, text, arg) in &flags {
        match flag.as_str() {
            "server" => server = Some(text.clone()),
            "every" => {
                let span = amount::duration(text.as_bytes());
                let expected = "a duration such as 60s";
                spec_of.every = span.ok_or_else(|| wrong(spec, Some(arg), expected))?;
            }
            "resource-version" => {
                spec_of.resource_version = Sparse(unset_or_any(spec, arg, text)?);
            }
            _ => return Err(wrong(spec, Some(arg), "a flag of kubelets")),
        }
    }
    let name = named.ok_or_else(|| wrong(spec, args.last(), "`as` and a name at the end"))?;
    Ok(WorldOp::Kubelets(Box::new(StartKubelets {
        name,
        server,
        spec: spec_of,
    })))
}

fn informer(args: &[Arg], spec: &'static Spec) -> Result<WorldOp, ParseError> {
    let (flags, plain, named) = sort(args.get(1..).unwrap_or_default(), spec)?;
    let is_informer = spec.name == "informer";
    let [first] = plain.as_slice() else {
        let expected = match spec.name {
            "kubelet" => "the name of the kubelet's node",
            "statefulset" => "the name of the set",
            _ => "a resource such as pods",
        };
        return Err(wrong(
            spec,
            plain.get(1).copied().or(args.first()),
            expected,
        ));
    };
    let text = escape(&first.bytes);
    let resource = match is_informer {
        false => &PODS,
        true => kubectl::resource(&text)
            .ok_or_else(|| wrong(spec, Some(first), "a resource such as pods"))?,
    };
    let (mut server, mut watch_list) = (None, None);
    let mut first_list = ResourceVersion::Any;
    let mut selects: Vec<(String, String)> = Vec::new();
    let (mut replicas, mut nodes) = (1, Vec::new());
    let (mut reports, mut waits_for_writes) = (false, Sparse(false));
    let mut without_bookmarks = Sparse(false);
    for (flag, value, arg) in &flags {
        match flag.as_str() {
            "server" => server = Some(value.clone()),
            "watch-list" => watch_list = Some(on_off(spec, arg, value)?),
            "bookmarks" if is_informer => without_bookmarks = Sparse(!on_off(spec, arg, value)?),
            "resource-version" => first_list = unset_or_any(spec, arg, value)?,
            "status" if spec.name == "kubelet" => reports = on_off(spec, arg, value)?,
            "feature-gates" if spec.name == "statefulset" => {
                let is_on = value.strip_prefix(STALE_CONTROLLER_GATE);
                let is_on = is_on.and_then(|value| value.strip_prefix('='));
                let expected = format!("{STALE_CONTROLLER_GATE}=true or =false");
                let is_on = is_on.ok_or_else(|| wrong(spec, Some(arg), &expected))?;
                waits_for_writes = Sparse(on_off(spec, arg, is_on)?);
            }
            "replicas" if spec.name == "statefulset" => replicas = number(spec, arg, value)?,
            "nodes" if spec.name == "statefulset" => {
                nodes = value.split(',').map(str::to_owned).collect();
            }
            "namespace" | "selector" | "field-selector" if is_informer => {
                selects.push((flag.clone(), value.clone()));
            }
            _ => return Err(wrong(spec, Some(arg), "a flag of this command")),
        }
    }
    let controller = match spec.name {
        "kubelet" => {
            let selector = format!("spec.nodeName={text}");
            selects.push(("field-selector".into(), selector));
            Some(ControllerSpec::Kubelet {
                node: text.clone(),
                reports: Sparse(reports),
            })
        }
        "statefulset" => {
            selects.push(("selector".into(), format!("app={text}")));
            selects.push(("namespace".into(), "default".into()));
            Some(ControllerSpec::StatefulSet(StatefulSetSpec {
                name: name(first)?,
                replicas,
                nodes,
                waits_for_writes,
            }))
        }
        _ => None,
    };
    let target = kubectl::selected(resource, &selects)
        .map_err(|why| wrong(spec, args.last(), &format!("a selector: {why}")))?;
    let name = match (named, is_informer) {
        (Some(named), _) => named,
        (None, false) => format!("{}-{text}", spec.name),
        (None, true) => return Err(wrong(spec, args.last(), "`as` and a name at the end")),
    };
    Ok(WorldOp::Informer(Box::new(StartInformer {
        name,
        server,
        resource,
        target,
        watch_list,
        first_list,
        without_bookmarks,
        controller,
    })))
}
