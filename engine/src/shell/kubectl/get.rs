//! Reads `kubectl get`.

use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::kube::{KubeRequest, KubeVerb};
use crate::shell::line::amount;
use crate::shell::line::for_loop::Arg;
use crate::shell::table::{Spec, wrong};
use crate::shell::{KubectlCommand, KubectlOutput, ParseError};

use super::words::{PARAMETERS, Words, unknown_flag};
use super::{command, number, own_namespace, raw, server, what};

/// The default chunk size of `kubectl get` (`--chunk-size`).
const CHUNK_SIZE: u64 = 500;

pub(super) fn read(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    if let Some((_, value, _)) = words.flags.iter().find(|(flag, ..)| flag == "raw") {
        let mut command = raw::read(value.as_deref().unwrap_or_default());
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
                options.resource_version_match = ResourceVersionMatch::parse(text);
            }
            "limit" => options.limit = number(spec, arg, text)?,
            "chunk-size" => {
                let size = number(spec, arg, text)?;
                chunk_size = chunk_size.map(|_| size);
            }
            "continue" => {
                options.continue_token = (!text.is_empty()).then(|| text.into());
            }
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
