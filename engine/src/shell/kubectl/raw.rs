//! Reads the path and the parameters of `kubectl get --raw`.

use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::resource::RESOURCES;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::kube::{KubeRequest, KubeVerb};
use crate::shell::line::for_loop::Arg;
use crate::shell::table::{Spec, wrong};
use crate::shell::{KubectlCommand, KubectlOutput, ParseError};

use super::command;

/// Reads `--raw '/api/v1/pods?limit=5'`.
pub(super) fn read(path: &str, spec: &Spec, arg: &Arg) -> Result<KubectlCommand, ParseError> {
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

/// Parses a number that is not negative and fits into Go's `int64`, because the fields of the request have this type.
pub(super) fn int64(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    i64::try_from(number).is_ok().then_some(number)
}
