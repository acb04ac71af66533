//! Reads `kubectl …`. A small part of kubectl's commands and flags is supported.
//!
//! Mirrors the requests of `kubectl get`, `create`, `replace` and `delete`, and their simplest output. Like
//! `k8s.io/kubectl/pkg/cmd/get`, `get` lists in chunks of 500. There are three differences from kubectl. First,
//! `--server` takes the name of a simulated API server. Second, flags such as `--resource-version` and `--limit` set
//! parameters that kubectl accepts only in a `--raw` path; a list with such a flag is a single request. Third, the user
//! describes an object with flags; kubectl reads the object from a file. Not supported: chunks in the list before a
//! watch, kubectl's log (`-v`), and some columns, such as AGE.

use super::invocation;
use super::line::amount;
use super::line::for_loop::Arg;
use super::line::names::name;
use super::table::Spec;
use super::table::wrong;
use super::{CommandKind, KubectlCommand, KubectlOutput, ParseError};
use crate::base::bytes::escape;
use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::RESOURCES;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::kube::{KubeRequest, KubeVerb, Object, Resource};

/// The default chunk size of `kubectl get` (`--chunk-size`).
const CHUNK_SIZE: u64 = 500;

/// Returns the namespace for objects of this resource if the command names none.
fn own_namespace(resource: &Resource) -> String {
    match resource.is_namespaced {
        true => "default".into(),
        false => String::new(),
    }
}

/// Returns the resource whose plural, singular or short name is `text`.
pub(super) fn resource(text: &str) -> Option<&'static Resource> {
    let short = match text {
        "po" => "pods",
        "no" => "nodes",
        "cm" => "configmaps",
        "svc" => "services",
        "ev" => "events",
        other => other,
    };
    let is_it = |r: &&'static Resource| {
        let name = short.to_ascii_lowercase();
        r.name == name || r.kind.to_ascii_lowercase() == name
    };
    RESOURCES.into_iter().find(is_it)
}

/// The words and flags after the verb of a kubectl command, such as `get`.
#[derive(Default)]
struct Words<'a> {
    plain: Vec<&'a Arg>,
    flags: Vec<(String, Option<String>, &'a Arg)>,
    named: Option<String>,
}

/// The simulator's flags for request parameters. kubectl has no such flags.
const PARAMETERS: [&str; 4] = [
    "resource-version",
    "resource-version-match",
    "limit",
    "continue",
];

/// The flag that prints more log lines. It has no effect, because Watchglass has no log of kubectl.
const VERBOSITY: &str = "v";

/// The flags that take no value.
const SWITCHES: [&str; 5] = [
    "all-namespaces",
    "watch",
    "watch-only",
    "bookmarks",
    "send-initial-events",
];

/// Separates the words from the flags, and expands short flags such as `-n`.
fn sort<'a>(args: &'a [Arg], spec: &Spec) -> Result<Words<'a>, ParseError> {
    let mut words = Words::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = escape(&arg.bytes);
        if text == "as" && !arg.quoted {
            let Some(given) = rest.next() else {
                return Err(wrong(spec, Some(arg), "a name after `as`"));
            };
            words.named = Some(name(given)?);
            continue;
        }
        let Some(flag) = text.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
            words.plain.push(arg);
            continue;
        };
        let (flag, value) = match flag.strip_prefix('-') {
            Some(long) => match long.split_once('=') {
                Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
                None => (long.to_owned(), None),
            },
            None => {
                let mut letters = flag.chars();
                let letter = letters.next();
                let value = letters.as_str();
                let value = value.strip_prefix('=').unwrap_or(value);
                let long = match letter {
                    Some('n') => "namespace",
                    Some('A') => "all-namespaces",
                    Some('l') => "selector",
                    Some('s') => "server",
                    Some('o') => "output",
                    Some('w') => "watch",
                    Some('v') => VERBOSITY,
                    _ => return Err(unknown_flag(spec, arg)),
                };
                let value = (!value.is_empty()).then(|| value.to_owned());
                (long.to_owned(), value)
            }
        };
        let is_verbosity = flag == VERBOSITY;
        if flag != "selector" && !is_verbosity && !spec.extra.iter().any(|known| known.name == flag)
        {
            return Err(unknown_flag(spec, arg));
        }
        let value = match value {
            None if !SWITCHES.contains(&flag.as_str()) => {
                let next = rest.next().map(|arg| escape(&arg.bytes));
                let missing = || wrong(spec, Some(arg), "a value after this flag");
                Some(next.ok_or_else(missing)?)
            }
            value => value,
        };
        if !is_verbosity {
            words.flags.push((flag, value, arg));
        }
    }
    Ok(words)
}

/// Returns the error for a flag of kubectl that Watchglass does not have.
fn unknown_flag(spec: &Spec, arg: &Arg) -> ParseError {
    let text = escape(&arg.bytes);
    let flag = text.split('=').next().unwrap_or_default();
    let hint = format!("Watchglass does not have `{flag}`");
    ParseError {
        hint,
        ..wrong(spec, Some(arg), "a flag of this command")
    }
}

/// Reads a command. The first element of `args` is `kubectl`.
pub(super) fn read(args: &[Arg], spec: &'static Spec) -> Result<CommandKind, ParseError> {
    const VERBS: &str = "get, create, replace or delete after kubectl";
    // As in kubectl, flags can precede the verb.
    let flags = args.len() - 1 - invocation::after_kubectl_flags(&args[1..]).len();
    let (flags, rest) = args[1..].split_at(flags);
    let Some((verb, rest)) = rest.split_first() else {
        return Err(wrong(spec, args.first(), VERBS));
    };
    let known = spec.children.iter();
    let Some(child) = known.into_iter().find(|c| c.name.as_bytes() == verb.bytes) else {
        return Err(wrong(spec, Some(verb), VERBS));
    };
    let args = [flags, rest].concat();
    let words = sort(&args, child)?;
    let mut command = match child.name {
        "get" => get(&words, child, verb)?,
        "create" | "replace" => write(&words, child, verb)?,
        _ => delete(&words, child, verb)?,
    };
    if let Some(named) = &words.named {
        match &mut command.watch {
            Some((given, _)) => *given = Some(named.clone()),
            None => {
                return Err(wrong(
                    child,
                    args.last(),
                    "`-w` before `as`, because only a watch has a name",
                ));
            }
        }
    }
    Ok(CommandKind::Kubectl(Box::new(command)))
}

fn command(request: KubeRequest) -> KubectlCommand {
    KubectlCommand {
        server: None,
        request,
        in_chunks: false,
        watch: None,
        output: KubectlOutput::Table,
        all_namespaces: false,
    }
}

/// Reads the resource and the optional name of an object: `pods web-1` or `pods/web-1`.
fn what(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<(&'static Resource, Option<String>), ParseError> {
    const KINDS: &str = "pods, nodes, secrets, configmaps, services or events";
    let Some(first) = words.plain.first() else {
        return Err(wrong(spec, Some(verb), &format!("{KINDS} after this word")));
    };
    let text = escape(&first.bytes);
    let (kind, inside) = match text.split_once('/') {
        Some((kind, name)) => (kind.to_owned(), Some(name.to_owned())),
        None => (text.clone(), None),
    };
    let found = resource(&kind).ok_or_else(|| ParseError {
        hint: format!("The simulated API server has no resource `{kind}`"),
        ..wrong(spec, Some(first), KINDS)
    })?;
    let behind = words.plain.get(1).map(|arg| escape(&arg.bytes));
    if let Some(more) = words.plain.get(2) {
        return Err(wrong(spec, Some(more), "one name"));
    }
    Ok((found, inside.or(behind)))
}

fn number(spec: &Spec, arg: &Arg, text: &str) -> Result<u64, ParseError> {
    int64(text).ok_or_else(|| wrong(spec, Some(arg), "a whole number for this flag"))
}

/// Parses a number that is not negative and fits into Go's `int64`, because the fields of the request have this type.
fn int64(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    i64::try_from(number).is_ok().then_some(number)
}

fn get(words: &Words<'_>, spec: &Spec, verb: &Arg) -> Result<KubectlCommand, ParseError> {
    if let Some((_, value, arg)) = words.flags.iter().find(|(flag, ..)| flag == "raw") {
        let mut command = raw(value.as_deref().unwrap_or_default(), spec, arg)?;
        for (flag, value, arg) in words.flags.iter().filter(|(flag, ..)| flag != "raw") {
            match flag.as_str() {
                "server" => command.server = Some(server(spec, arg, value)?),
                _ => return Err(wrong(spec, Some(arg), "only --server beside --raw")),
            }
        }
        return Ok(command);
    }
    let (resource, name) = what(words, spec, verb)?;
    let mut target = WatchTarget {
        namespace: own_namespace(resource),
        ..WatchTarget::default()
    };
    let mut options = ListOptions::default();
    // `None` if a flag sets a request parameter, because such a list is a single request.
    let mut chunk_size = Some(CHUNK_SIZE);
    let (mut watches, mut lists, mut timeout_s) = (false, true, None);
    let mut all = false;
    let (mut output, mut to) = (KubectlOutput::Table, None);
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        let bad = |expected: &str| wrong(spec, Some(arg), expected);
        if PARAMETERS.contains(&flag.as_str()) {
            chunk_size = None;
        }
        match flag.as_str() {
            "namespace" => target.namespace = text.into(),
            "all-namespaces" => {
                all = true;
                target.namespace = String::new();
            }
            "selector" => {
                target.predicate.labels = LabelSelector::parse(text)
                    .map_err(|error| bad(&format!("a label selector: {error}")))?;
            }
            "field-selector" => {
                target.predicate.fields = FieldSelector::parse(text)
                    .map_err(|error| bad(&format!("a field selector: {error}")))?;
            }
            "server" => to = Some(server(spec, arg, value)?),
            "resource-version" => {
                options.resource_version = ResourceVersion::parse(text)
                    .map_err(|_| bad("a resource version: a number, or 0 for any"))?;
            }
            "resource-version-match" => {
                let how = ResourceVersionMatch::parse(text);
                options.resource_version_match =
                    Some(how.ok_or_else(|| bad("Exact or NotOlderThan"))?);
            }
            "limit" => options.limit = number(spec, arg, text)?,
            "chunk-size" => {
                let size = number(spec, arg, text)?;
                chunk_size = chunk_size.map(|_| size);
            }
            "continue" => options.continue_token = Some(text.into()),
            "watch" => watches = true,
            "watch-only" => (watches, lists) = (true, false),
            "bookmarks" => options.allow_watch_bookmarks = true,
            "send-initial-events" => {
                options.send_initial_events = Some(value.as_deref() != Some("false"));
                (watches, lists) = (true, false);
            }
            "timeout" => {
                let span = amount::duration(text.as_bytes());
                let span = span.ok_or_else(|| bad("a duration such as 5m"))?;
                timeout_s = Some(span.0 / 1_000_000);
            }
            "output" => output = output_of(text).ok_or_else(|| bad("wide, name, json or yaml"))?,
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    // The real kubectl can send such a parameter only with `--raw`, which prints the response of the API server.
    if output == KubectlOutput::Json && chunk_size.is_none() {
        output = KubectlOutput::Raw;
    }
    let in_chunks = name.is_none() && !watches && chunk_size.is_some();
    if in_chunks {
        options.limit = chunk_size.unwrap_or_default();
    }
    let verb = match name {
        Some(name) if !watches => KubeVerb::Get {
            namespace: target.namespace,
            name,
            options,
        },
        name => {
            target.name = name.unwrap_or_default();
            match watches {
                true => KubeVerb::Watch {
                    target,
                    options,
                    timeout_s,
                },
                false => KubeVerb::List { target, options },
            }
        }
    };
    Ok(KubectlCommand {
        server: to,
        in_chunks,
        watch: watches.then_some((None, lists)),
        output,
        all_namespaces: all,
        ..command(KubeRequest { resource, verb })
    })
}

fn output_of(text: &str) -> Option<KubectlOutput> {
    match text {
        "wide" => Some(KubectlOutput::Wide),
        "name" => Some(KubectlOutput::Name),
        "json" => Some(KubectlOutput::Json),
        "yaml" => Some(KubectlOutput::Yaml),
        _ => None,
    }
}

fn server(spec: &Spec, arg: &Arg, value: &Option<String>) -> Result<String, ParseError> {
    let text = value.clone().unwrap_or_default();
    match text.is_empty() {
        true => Err(wrong(spec, Some(arg), "an API server name for --server")),
        false => Ok(text),
    }
}

/// Reads `--raw '/api/v1/pods?limit=5'`.
fn raw(path: &str, spec: &Spec, arg: &Arg) -> Result<KubectlCommand, ParseError> {
    const FORM: &str =
        "a path such as /api/v1/pods?limit=5 or /api/v1/namespaces/default/pods/web-1";
    let bad = || wrong(spec, Some(arg), FORM);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let inside = path.strip_prefix("/api/v1/").ok_or_else(bad)?;
    let parts: Vec<&str> = inside.split('/').collect();
    let (namespace, kind, name) = match parts.as_slice() {
        ["namespaces", namespace, kind] => (*namespace, *kind, None),
        ["namespaces", namespace, kind, name] => (*namespace, *kind, Some(*name)),
        [kind] => ("", *kind, None),
        [kind, name] => ("", *kind, Some(*name)),
        _ => return Err(bad()),
    };
    let found = RESOURCES.into_iter().find(|r| r.name == kind);
    let resource = found.ok_or_else(bad)?;
    let mut target = WatchTarget {
        namespace: namespace.into(),
        ..WatchTarget::default()
    };
    let mut options = ListOptions::default();
    let (mut watches, mut timeout_s) = (false, None);
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = unescape(value);
        let refused = |expected: &str| wrong(spec, Some(arg), &format!("{expected} for {key}"));
        let is_true = || matches!(value.as_str(), "1" | "true" | "");
        match key {
            "resourceVersion" => {
                options.resource_version =
                    ResourceVersion::parse(&value).map_err(|_| refused("a number"))?;
            }
            "resourceVersionMatch" => {
                let how = ResourceVersionMatch::parse(&value);
                options.resource_version_match =
                    Some(how.ok_or_else(|| refused("Exact or NotOlderThan"))?);
            }
            "limit" => options.limit = int64(&value).ok_or_else(|| refused("a number"))?,
            "continue" => options.continue_token = Some(value),
            "labelSelector" => {
                target.predicate.labels =
                    LabelSelector::parse(&value).map_err(|_| refused("a label selector"))?;
            }
            "fieldSelector" => {
                target.predicate.fields =
                    FieldSelector::parse(&value).map_err(|_| refused("a field selector"))?;
            }
            "watch" => watches = is_true(),
            "sendInitialEvents" => options.send_initial_events = Some(is_true()),
            "allowWatchBookmarks" => options.allow_watch_bookmarks = is_true(),
            "timeoutSeconds" => {
                timeout_s = Some(int64(&value).ok_or_else(|| refused("a number"))?);
            }
            _ => return Err(refused("a supported parameter")),
        }
    }
    let verb = match name {
        Some(name) => KubeVerb::Get {
            namespace: target.namespace,
            name: name.into(),
            options,
        },
        None if watches => KubeVerb::Watch {
            target,
            options,
            timeout_s,
        },
        None => KubeVerb::List { target, options },
    };
    Ok(KubectlCommand {
        watch: watches.then_some((None, false)),
        output: KubectlOutput::Raw,
        ..command(KubeRequest { resource, verb })
    })
}

/// Decodes the text of a query: decodes escapes such as `%3D`, and replaces `+` with a space.
fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, more @ ..]) => {
                let hex = [*high, *low];
                let code = std::str::from_utf8(&hex).ok();
                match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    Some(byte) => {
                        out.push(byte);
                        rest = more;
                    }
                    None => out.push(b'%'),
                }
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn write(words: &Words<'_>, spec: &Spec, verb: &Arg) -> Result<KubectlCommand, ParseError> {
    let (resource, name) = what(words, spec, verb)?;
    let Some(name) = name else {
        let last = words.plain.last().copied().or(Some(verb));
        return Err(wrong(spec, last, "a name after this word"));
    };
    let namespace = match words.flags.iter().find(|(flag, ..)| flag == "namespace") {
        Some((_, Some(given), _)) if resource.is_namespaced => given.clone(),
        _ => own_namespace(resource),
    };
    let mut object = Object::new(resource.kind, &namespace, &name);
    let (mut to, mut resource_version) = (None, None);
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        let pairs = |expected: &str| {
            let parts = text.split(',').map(|part| part.split_once('='));
            let all: Option<Vec<(&str, &str)>> = parts.collect();
            all.ok_or_else(|| wrong(spec, Some(arg), expected))
        };
        match flag.as_str() {
            "namespace" => {}
            "selector" | "labels" => {
                for (name, value) in pairs("labels such as app=web,tier=front")? {
                    object = object.with_label(name, value);
                }
            }
            "field" => {
                for (name, value) in pairs("fields such as spec.schedulerName=mine")? {
                    object = object.with_field(name, value);
                }
            }
            "node" => object = object.with_field("spec.nodeName", text),
            "phase" => object = object.with_field("status.phase", text),
            "size" => {
                let bytes = amount::object_size(text.as_bytes());
                object.size_bytes =
                    bytes.ok_or_else(|| wrong(spec, Some(arg), amount::OBJECT_SIZE))?;
            }
            "server" => to = Some(server(spec, arg, value)?),
            "resource-version" if spec.name == "replace" => {
                resource_version = Some(number(spec, arg, text)?);
            }
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    let verb = match spec.name {
        "create" => KubeVerb::Create(object),
        _ => KubeVerb::Update {
            object,
            resource_version,
        },
    };
    Ok(KubectlCommand {
        server: to,
        ..command(KubeRequest { resource, verb })
    })
}

fn delete(words: &Words<'_>, spec: &Spec, verb: &Arg) -> Result<KubectlCommand, ParseError> {
    let (resource, name) = what(words, spec, verb)?;
    let Some(name) = name else {
        let last = words.plain.last().copied().or(Some(verb));
        return Err(wrong(spec, last, "a name after this word"));
    };
    let mut namespace = own_namespace(resource);
    let mut to = None;
    for (flag, value, arg) in &words.flags {
        match flag.as_str() {
            "namespace" => namespace = value.clone().unwrap_or_default(),
            "server" => to = Some(server(spec, arg, value)?),
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    let verb = KubeVerb::Delete { namespace, name };
    Ok(KubectlCommand {
        server: to,
        ..command(KubeRequest { resource, verb })
    })
}

/// Returns the watch target, such as a namespace and selectors, that the flags of `informer` and similar commands
/// select.
pub(super) fn selected(
    resource: &'static Resource,
    flags: &[(String, String)],
) -> Result<WatchTarget, String> {
    let mut target = WatchTarget::default();
    for (flag, text) in flags {
        match flag.as_str() {
            "namespace" if resource.is_namespaced => target.namespace.clone_from(text),
            "selector" => {
                target.predicate.labels =
                    LabelSelector::parse(text).map_err(|error| error.to_string())?;
            }
            "field-selector" => {
                target.predicate.fields =
                    FieldSelector::parse(text).map_err(|error| error.to_string())?;
            }
            _ => {}
        }
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use crate::api::Profile;
    use crate::shell::{LineReader, Read};

    fn error(line: &str) -> String {
        let read = LineReader::new(Profile::V3_6).line(line);
        read.expect_err(line).to_string()
    }

    #[test]
    fn flags_can_precede_the_verb() {
        let kind = |line: &str| match LineReader::new(Profile::V3_6).line(line) {
            Ok(Read::Commands(commands)) => commands[0].kind.clone(),
            other => panic!("{line}: {other:?}"),
        };
        for before in [
            "-n web",
            "--namespace=web",
            "--namespace web --server=api-2",
            "-o json",
        ] {
            assert_eq!(
                kind(&format!("kubectl {before} get pods")),
                kind(&format!("kubectl get pods {before}")),
                "{before}"
            );
        }
        // The amount of log has no effect.
        for verbose in ["-v=6", "-v 6", "-v6", "--v=8"] {
            let line = format!("kubectl {verbose} get pods");
            assert_eq!(kind(&line), kind("kubectl get pods"));
            assert_eq!(kind(&format!("kubectl get pods {verbose}")), kind(&line));
        }
        assert!(error("kubectl get pdos").contains("has no resource `pdos`"));
        assert!(error("kubectl --context a get pods").contains("does not have `--context`"));
        assert!(error("kubectl -n web").contains("get, create, replace or delete"));
    }

    #[test]
    fn an_unknown_flag_of_kubectl_is_named_with_and_without_a_value() {
        for (line, flag) in [
            ("kubectl get pods --no-headers", "--no-headers"),
            ("kubectl get pods --sort-by=x", "--sort-by"),
            ("kubectl get pods -x", "-x"),
            ("kubectl delete pod x --force", "--force"),
            ("kubectl create pod x --dry-run client", "--dry-run"),
        ] {
            let start = format!("Watchglass does not have `{flag}`. Column ");
            let error = error(line);
            assert!(error.starts_with(&start), "{error}");
        }
        assert!(error("kubectl get pods -n").ends_with("expected a value after this flag."));
    }
}
