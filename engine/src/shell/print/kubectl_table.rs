//! Prints objects as tables, as `kubectl get` does.
//!
//! Mirrors the columns of `pkg/printers/internalversion/printers.go` and `tableprinter.go` in
//! `k8s.io/cli-runtime/pkg/printers`. The simulator's objects have only a part of the fields that a row shows; a
//! missing field is printed as upstream prints an empty field. A pod counts as one container, which is ready while the
//! phase of the pod is `Running`.

use std::sync::Arc;

use super::kubectl_jsonpath as jsonpath;
use super::kubectl_tree::Tree;
use crate::base::time::SimTime;
use crate::kube::object::CREATION_TIMESTAMP;
use crate::kube::{Object, Resource, timestamp};
use crate::shell::jsonpath::JsonPath;
use crate::shell::kubectl_command::TableFlags;

const NONE: &str = "<none>";
const UNKNOWN: &str = "<unknown>";

/// The minimum width of a column with its spaces.
const WIDTH_MIN: usize = 6;

/// The number of spaces after the longest text of a column.
const PADDING: usize = 3;

/// Returns the table of objects of one resource. With `has_kind`, each name starts with the resource.
pub(super) fn table(
    resource: &Resource,
    objects: &[Arc<Object>],
    (flags, is_wide, has_kind): (&TableFlags, bool, bool),
    now: SimTime,
) -> String {
    let columns = columns_of(resource, is_wide);
    let has_namespace = flags.all_namespaces && resource.is_namespaced;
    let mut rows: Vec<Vec<String>> = Vec::new();
    if !flags.no_headers {
        let mut head: Vec<String> = Vec::new();
        head.extend(has_namespace.then(|| "NAMESPACE".to_owned()));
        head.extend(columns.iter().map(|name| (*name).to_owned()));
        let last = |label: &String| label.rsplit('/').next().unwrap_or_default().to_uppercase();
        head.extend(flags.label_columns.iter().map(last));
        head.extend(flags.show_labels.then(|| "LABELS".to_owned()));
        rows.push(head);
    }
    for object in objects {
        let mut row: Vec<String> = Vec::new();
        row.extend(has_namespace.then(|| object.namespace.to_string()));
        row.extend(columns.iter().map(|column| match *column {
            "NAME" if has_kind => format!("{}/{}", kind_name(resource), object.name),
            column => cell(resource, object, column, now),
        }));
        let label = |name: &String| object.labels.get(name).map_or(NONE, |value| value);
        row.extend(
            flags
                .label_columns
                .iter()
                .map(|name| label(name).to_owned()),
        );
        row.extend(flags.show_labels.then(|| labels_of(object)));
        rows.push(row);
    }
    columns_padded(&rows)
}

/// Returns the table of `-o custom-columns`.
///
/// # Errors
/// Returns the message of a path that cannot be evaluated.
pub(super) fn custom(
    columns: &[(String, JsonPath)],
    objects: &[Arc<Object>],
    flags: &TableFlags,
) -> Result<String, String> {
    let mut rows = Vec::new();
    if !flags.no_headers {
        rows.push(columns.iter().map(|(head, _)| head.clone()).collect());
    }
    for object in objects {
        let tree = Tree::object(object);
        let cell = |(_, path): &(String, JsonPath)| {
            let texts: Vec<String> = jsonpath::values(path, &tree)?
                .into_iter()
                .map(jsonpath::column_text)
                .collect();
            Ok(if texts.is_empty() {
                NONE.to_owned()
            } else {
                texts.join(",")
            })
        };
        rows.push(
            columns
                .iter()
                .map(cell)
                .collect::<Result<Vec<String>, String>>()?,
        );
    }
    Ok(columns_padded(&rows))
}

/// Sorts the objects by a value. Objects without the value come first.
///
/// # Errors
/// Returns kubectl's message if no object has the value.
pub(super) fn sort(objects: &mut [Arc<Object>], path: &JsonPath) -> Result<(), String> {
    let key = |object: &Arc<Object>| {
        let tree = Tree::object(object);
        let values = jsonpath::values(path, &tree).unwrap_or_default();
        values.first().map(|value| jsonpath::column_text(value))
    };
    if !objects.is_empty() && objects.iter().all(|object| key(object).is_none()) {
        return Err(format!(
            "couldn't find any field with path {:?} in the list of objects",
            path.text
        ));
    }
    objects.sort_by_cached_key(key);
    Ok(())
}

/// Returns the name of the resource in `kind/name`, for example `pod` or `deployment.apps`.
pub(super) fn kind_name(resource: &Resource) -> String {
    let kind = resource.kind.to_ascii_lowercase();
    match resource.group() {
        "" => kind,
        group => format!("{kind}.{group}"),
    }
}

fn labels_of(object: &Object) -> String {
    let labels = object.labels.iter();
    let labels: Vec<String> = labels
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if labels.is_empty() {
        NONE.to_owned()
    } else {
        labels.join(",")
    }
}

fn columns_of(resource: &Resource, is_wide: bool) -> Vec<&'static str> {
    let (always, wide): (&[&str], &[&str]) = match resource.name {
        "pods" => (
            &["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
            &["IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
        ),
        "nodes" => (
            &["NAME", "STATUS", "ROLES", "AGE", "VERSION"],
            &[
                "INTERNAL-IP",
                "EXTERNAL-IP",
                "OS-IMAGE",
                "KERNEL-VERSION",
                "CONTAINER-RUNTIME",
            ],
        ),
        "secrets" => (&["NAME", "TYPE", "DATA", "AGE"], &[]),
        "configmaps" => (&["NAME", "DATA", "AGE"], &[]),
        "services" => (
            &[
                "NAME",
                "TYPE",
                "CLUSTER-IP",
                "EXTERNAL-IP",
                "PORT(S)",
                "AGE",
            ],
            &["SELECTOR"],
        ),
        "events" if is_wide => (
            &[
                "LAST SEEN",
                "TYPE",
                "REASON",
                "OBJECT",
                "SUBOBJECT",
                "SOURCE",
                "MESSAGE",
            ],
            &["FIRST SEEN", "COUNT", "NAME"],
        ),
        "events" => (&["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], &[]),
        "namespaces" => (&["NAME", "STATUS", "AGE"], &[]),
        "leases" => (&["NAME", "HOLDER", "AGE"], &[]),
        "deployments" => (
            &["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"],
            &["CONTAINERS", "IMAGES", "SELECTOR"],
        ),
        _ => (&["NAME", "AGE"], &[]),
    };
    let wide = if is_wide { wide } else { &[] };
    [always, wide].concat()
}

fn cell(resource: &Resource, object: &Object, column: &str, now: SimTime) -> String {
    let or = |field: &str, none: &str| match object.field(field) {
        "" => none.to_owned(),
        value => value.to_owned(),
    };
    match (resource.name, column) {
        (_, "NAME") => object.name.to_string(),
        (_, "AGE") => {
            let age = timestamp::age(object.field(CREATION_TIMESTAMP), now);
            age.unwrap_or_else(|| UNKNOWN.to_owned())
        }
        ("pods", "READY") => match pod_status(object) == "Running" {
            true => "1/1".to_owned(),
            false => "0/1".to_owned(),
        },
        ("pods", "STATUS") => pod_status(object).to_owned(),
        ("pods", "RESTARTS") => or("status.restarts", "0"),
        ("pods", "IP") => or("status.podIP", NONE),
        ("pods", "NODE") => or("spec.nodeName", NONE),
        ("pods", "NOMINATED NODE") => or("status.nominatedNodeName", NONE),
        ("nodes", "STATUS") => {
            let suffix = match object.field("spec.unschedulable") {
                "true" => ",SchedulingDisabled",
                _ => "",
            };
            format!("Unknown{suffix}")
        }
        ("nodes", "VERSION") => or("status.nodeInfo.kubeletVersion", ""),
        ("nodes", "OS-IMAGE" | "KERNEL-VERSION" | "CONTAINER-RUNTIME") => UNKNOWN.to_owned(),
        ("secrets", "TYPE") => or("type", "Opaque"),
        ("secrets" | "configmaps", "DATA") => data_count(object).to_string(),
        ("services", "TYPE") => or("spec.type", "ClusterIP"),
        ("services", "CLUSTER-IP") => or("spec.clusterIP", NONE),
        ("events", "LAST SEEN" | "FIRST SEEN") => UNKNOWN.to_owned(),
        ("events", "TYPE") => or("type", ""),
        ("events", "REASON") => or("reason", ""),
        ("events", "MESSAGE") => or("message", ""),
        ("events", "SUBOBJECT" | "SOURCE") => String::new(),
        ("events", "COUNT") => or("count", "1"),
        ("events", "OBJECT") => {
            let kind = object.field("involvedObject.kind").to_ascii_lowercase();
            format!("{kind}/{}", object.field("involvedObject.name"))
        }
        ("namespaces", "STATUS") => or("status.phase", "Active"),
        ("leases", "HOLDER") => or("spec.holderIdentity", ""),
        ("deployments", "READY") => format!("0/{}", or("spec.replicas", "1")),
        ("deployments", "UP-TO-DATE" | "AVAILABLE") => "0".to_owned(),
        _ => NONE.to_owned(),
    }
}

pub(super) fn pod_status(pod: &Object) -> &str {
    let phase = match pod.field("status.phase") {
        "" => "Pending",
        phase => phase,
    };
    let is_final = matches!(phase, "Failed" | "Succeeded");
    match phase {
        _ if pod.is_in_deletion() && !is_final => "Terminating",
        "Succeeded" => "Completed",
        "Failed" => "Error",
        phase => phase,
    }
}

/// Returns the number of values in a config map or secret.
pub(super) fn data_count(object: &Object) -> usize {
    object
        .fields
        .iter()
        .filter(|(name, _)| name.starts_with("data."))
        .count()
}

/// Formats the rows as columns, as kubectl's `tabwriter` does.
fn columns_padded(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let longest = |i: usize| {
        rows.iter()
            .filter_map(|row| row.get(i))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..count)
        .map(|i| (longest(i).unwrap_or(0) + PADDING).max(WIDTH_MIN))
        .collect();
    let mut out = String::new();
    for row in rows {
        for (i, cell) in row.iter().enumerate() {
            out.push_str(cell);
            if i + 1 < row.len() {
                out.push_str(&" ".repeat(widths[i] - cell.chars().count()));
            }
        }
        out.push('\n');
    }
    out
}
