//! Prints an object in the format of `kubectl describe`.
//!
//! Mirrors `k8s.io/kubectl/pkg/describe/describe.go`, limited to the fields that the simulator's objects have. Left
//! out: containers, conditions, volumes, and the events of the object, which kubectl reads with a further request.

use super::kubectl_table::pod_status;
use crate::kube::object::{CREATION_TIMESTAMP, DELETION_GRACE_PERIOD};
use crate::kube::{Object, Resource, codec};

pub(super) fn printed(resource: &Resource, object: &Object) -> String {
    let pairs = |pairs: Vec<(&str, &str)>, separator: &str| -> Vec<String> {
        match pairs.is_empty() {
            true => vec!["<none>".into()],
            false => pairs
                .iter()
                .map(|(name, value)| format!("{name}{separator}{value}"))
                .collect(),
        }
    };
    let labels = object
        .labels
        .iter()
        .map(|(name, value)| (&**name, &**value));
    let labels = pairs(labels.collect(), "=");
    let annotations = pairs(codec::annotations(object).collect(), ": ");
    let mut lines: Vec<(String, Vec<String>)> =
        vec![("Name".into(), vec![object.name.to_string()])];
    let mut add = |name: &str, values: Vec<String>| lines.push((name.into(), values));
    if resource.is_namespaced && resource.name != "pods" {
        add("Namespace", vec![object.namespace.to_string()]);
    }
    match resource.name {
        "pods" => {
            let or_none = |field: &str| match object.field(field) {
                "" => "<none>".to_owned(),
                value => value.to_owned(),
            };
            add("Namespace", vec![object.namespace.to_string()]);
            add("Priority", vec!["0".into()]);
            add("Service Account", vec!["default".into()]);
            add("Node", vec![or_none("spec.nodeName")]);
            add("Labels", labels);
            add("Annotations", annotations);
            if object.is_in_deletion() {
                let period = object.field(DELETION_GRACE_PERIOD);
                add("Status", vec!["Terminating".into()]);
                add("Termination Grace Period", vec![format!("{period}s")]);
            } else {
                add("Status", vec![pod_status(object).into()]);
            }
            add("IP", vec![object.field("status.podIP").into()]);
        }
        "namespaces" => {
            add("Labels", labels);
            add("Annotations", annotations);
            add("Status", vec!["Active".into()]);
        }
        _ => {
            add("Labels", labels);
            add("Annotations", annotations);
            let date = object.field(CREATION_TIMESTAMP);
            if resource.name == "nodes" && !date.is_empty() {
                add("CreationTimestamp", vec![date.into()]);
            }
            let fields = object.fields.iter();
            for (name, value) in fields
                .filter(|(name, _)| !name.starts_with("metadata.") && !name.starts_with("data."))
            {
                add(name, vec![value.to_string()]);
            }
        }
    }
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 3;
    let mut out = String::new();
    for (name, values) in &lines {
        for (place, value) in values.iter().enumerate() {
            let head = if place == 0 {
                format!("{name}:")
            } else {
                String::new()
            };
            let line = format!("{head:width$}{value}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    if matches!(resource.name, "configmaps" | "secrets") {
        out.push_str(&data(resource, object));
    }
    if resource.name != "secrets" {
        out.push_str(&format!("{:width$}<none>\n", "Events:"));
    }
    out
}

/// Returns the values of a config map, or the sizes of the values of a secret.
fn data(resource: &Resource, object: &Object) -> String {
    let fields = object.fields.iter();
    let values = fields.filter_map(|(name, value)| Some((name.strip_prefix("data.")?, value)));
    let mut out = "\nData\n====\n".to_owned();
    for (name, value) in values {
        match resource.name {
            "secrets" => {
                let size = value.trim_end_matches('=').len() * 3 / 4;
                out.push_str(&format!("{name}:  {size} bytes\n"));
            }
            _ => out.push_str(&format!("{name}:\n----\n{value}\n\n")),
        }
    }
    if resource.name == "configmaps" {
        out.push_str("\nBinaryData\n====\n\n");
    }
    out
}
