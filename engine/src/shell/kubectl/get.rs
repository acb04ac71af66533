//! Reads `kubectl get` and `kubectl describe`.

use crate::kube::list_options::{ListOptions, ResourceVersion, ResourceVersionMatch};
use crate::kube::request::WatchTarget;
use crate::kube::selector::{FieldSelector, LabelSelector};
use crate::kube::{KubeRequest, KubeVerb};
use crate::shell::amount;
use crate::shell::table::{Spec, wrong};
use crate::shell::{
    FollowUp, KubectlCommand, KubectlOutput, KubectlRequest, ParseError, TableFlags,
};
use crate::transcript::for_loop::Arg;

use super::targets::{self, ObjectTarget};
use super::words::{Words, unknown_flag};
use super::{number, own_namespace, raw, server};
use crate::shell::jsonpath::JsonPath;

/// The default chunk size of `kubectl get` (`--chunk-size`).
const CHUNK_SIZE: u64 = 500;

/// The simulator's flags for request parameters. kubectl has no such flags.
const PARAMETERS: [&str; 4] = [
    "resource-version",
    "resource-version-match",
    "limit",
    "continue",
];

/// Reads a command. `verb` is the word `get` or `describe`.
pub(super) fn read(
    words: &Words<'_>,
    spec: &Spec,
    verb: &Arg,
) -> Result<KubectlCommand, ParseError> {
    if let Some(command) = raw::read(words, spec)? {
        return Ok(command);
    }
    let targets = targets::read(words, spec, verb)?;
    let mut selected = WatchTarget::default();
    let mut namespace = None;
    let mut options = ListOptions::default();
    // `None` if a flag sets a request parameter, because such a list is a single request.
    let mut chunk_size = Some(CHUNK_SIZE);
    let (mut watches, mut lists, mut timeout_s) = (false, true, None);
    let (mut output, mut to, mut ignores_not_found) = (KubectlOutput::Table, None, false);
    let mut table = TableFlags::default();
    for (flag, value, arg) in &words.flags {
        let text = value.as_deref().unwrap_or_default();
        let bad = |expected: &str| wrong(spec, Some(arg), expected);
        let is_on = value.as_deref() != Some("false");
        if PARAMETERS.contains(&flag.as_str()) {
            chunk_size = None;
        }
        match flag.as_str() {
            "namespace" => namespace = Some(text.to_owned()),
            "all-namespaces" => table.all_namespaces = is_on,
            "selector" => {
                selected.predicate.labels = LabelSelector::parse(text)
                    .map_err(|error| bad(&format!("a label selector: {error}")))?;
            }
            "field-selector" => {
                selected.predicate.fields = FieldSelector::parse(text)
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
            "watch" => watches = is_on,
            "watch-only" => (watches, lists) = (true, false),
            "bookmarks" => options.allow_watch_bookmarks = true,
            "send-initial-events" => {
                options.send_initial_events = Some(is_on);
                (watches, lists) = (true, false);
            }
            "timeout" => {
                let span = amount::duration(text.as_bytes());
                let span = span.ok_or_else(|| bad("a duration such as 5m"))?;
                timeout_s = Some(span.0 / 1_000_000);
            }
            "output" => output = output_of(text).map_err(|expected| bad(&expected))?,
            "show-labels" => table.show_labels = is_on,
            "no-headers" => table.no_headers = is_on,
            "ignore-not-found" => ignores_not_found = is_on,
            "label-columns" => table
                .label_columns
                .extend(text.split(',').map(str::to_owned)),
            "sort-by" => {
                let path = JsonPath::parse_relaxed(text);
                table.sort_by = Some(path.map_err(|error| bad(&format!("a path: {error}")))?);
                // kubectl sorts the complete list, so it does not list in chunks.
                chunk_size = chunk_size.map(|_| 0);
            }
            _ => return Err(unknown_flag(spec, arg)),
        }
    }
    // The real kubectl can send such a parameter only with `--raw`, which prints the response of the API server.
    if output == KubectlOutput::Json && chunk_size.is_none() {
        output = KubectlOutput::Raw;
    }
    if let (true, [_, second, ..]) = (watches, targets.as_slice()) {
        return Err(wrong(
            spec,
            Some(second.arg),
            "one resource or one object to watch",
        ));
    }
    if let Some(named) = targets.iter().find(|target| target.name.is_some())
        && table.all_namespaces
    {
        let expected = "no name, because kubectl cannot read objects by name in all namespaces";
        return Err(wrong(spec, Some(named.arg), expected));
    }
    let request = |target: &ObjectTarget<'_>| {
        let resource = target.resource;
        let in_namespace = match (&namespace, table.all_namespaces) {
            _ if !resource.is_namespaced => String::new(),
            (_, true) => String::new(),
            (Some(given), false) => given.clone(),
            (None, false) => own_namespace(resource),
        };
        let in_chunks = target.name.is_none() && !watches && chunk_size.is_some();
        let mut options = options.clone();
        if in_chunks {
            options.limit = chunk_size.unwrap_or_default();
        }
        let verb = match &target.name {
            Some(name) if !watches => KubeVerb::Get {
                namespace: in_namespace,
                name: name.clone(),
                options,
            },
            name => {
                let target = WatchTarget {
                    namespace: in_namespace,
                    name: name.clone().unwrap_or_default(),
                    ..selected.clone()
                };
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
        KubectlRequest {
            request: KubeRequest { resource, verb },
            in_chunks,
        }
    };
    let follow_up = match spec.name {
        "describe" => FollowUp::Describe,
        _ => FollowUp::Print,
    };
    Ok(KubectlCommand {
        server: to,
        watch: watches.then_some((None, lists)),
        output,
        ignores_not_found,
        table: table.clone(),
        ..KubectlCommand::new(targets.iter().map(request).collect(), follow_up)
    })
}

/// Reads an output format.
///
/// # Errors
/// Returns what kubectl expects instead.
pub(super) fn output_of(text: &str) -> Result<KubectlOutput, String> {
    const FORMATS: &str = "wide, name, json, yaml, jsonpath=… or custom-columns=…";
    Ok(match text.split_once('=') {
        None => match text {
            "wide" => KubectlOutput::Wide,
            "name" => KubectlOutput::Name,
            "json" => KubectlOutput::Json,
            "yaml" => KubectlOutput::Yaml,
            _ => return Err(FORMATS.into()),
        },
        Some(("jsonpath", template)) => {
            let path = JsonPath::parse(template);
            KubectlOutput::JsonPath(path.map_err(|error| format!("a template: {error}"))?)
        }
        Some(("custom-columns", columns)) => {
            let columns = columns.split(',').map(|column| {
                let (head, path) = column
                    .split_once(':')
                    .ok_or_else(|| format!("<header>:<json-path-expr> instead of `{column}`"))?;
                Ok((head.to_owned(), JsonPath::parse_relaxed(path)?))
            });
            KubectlOutput::CustomColumns(columns.collect::<Result<_, String>>()?)
        }
        Some(_) => return Err(FORMATS.into()),
    })
}
