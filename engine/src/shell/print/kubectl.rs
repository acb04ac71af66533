//! Prints responses from API servers in kubectl's format.

use std::sync::Arc;

use super::kubectl_json;
use super::kubectl_tree::Tree;
use super::kubectl_yaml;
use crate::base::json::Json;
use crate::kube::status::StatusReason;
use crate::kube::{KubeAnswer, KubeResponse, KubeVerb, Object, ObjectList, StatusError, codec};
use crate::shell::{KubectlCommand, KubectlOutput, Output};
use crate::sim::outbox::KubectlReply;

/// Returns kubectl's output for a command and its response. `server` is the API server that received the request.
pub fn kubectl(command: &KubectlCommand, reply: &KubectlReply, server: &str) -> Output {
    let answer = match reply {
        KubectlReply::Answer(answer) => answer,
        KubectlReply::ConnectionRefused => {
            return failed(&format!(
                "The connection to the server {server} was refused - did you specify the right \
                 host or port?"
            ));
        }
        KubectlReply::ConnectionLost => {
            return failed("Unable to connect to the server: EOF");
        }
        KubectlReply::TimedOut => {
            return failed(
                "Unable to connect to the server: net/http: request canceled \
                 (Client.Timeout exceeded while awaiting headers)",
            );
        }
    };
    match &**answer {
        Err(error) => failed(&refusal(error)),
        Ok(response) => Output::ok(written(command, response)).with_notes(command, answer),
    }
}

fn failed(text: &str) -> Output {
    Output {
        stderr: format!("{text}\n").into_bytes(),
        exit: 1,
        ..Output::default()
    }
}

/// Returns an error as kubectl prints it.
pub fn refusal(error: &StatusError) -> String {
    if error.reason() == StatusReason::Unknown {
        return format!("Error from server: {error}");
    }
    format!("Error from server ({}): {error}", error.reason())
}

impl Output {
    /// Appends the message that kubectl prints on standard error for an empty list.
    fn with_notes(mut self, command: &KubectlCommand, answer: &KubeAnswer) -> Self {
        let is_table = matches!(
            command.output,
            KubectlOutput::Table | KubectlOutput::Wide | KubectlOutput::Name
        );
        if let (Ok(KubeResponse::List(list)), true) = (answer, is_table)
            && list.items.is_empty()
        {
            let note = match &command.request.verb {
                KubeVerb::List { target, .. } if !target.namespace.is_empty() => {
                    format!("No resources found in {} namespace.\n", target.namespace)
                }
                _ => "No resources found\n".into(),
            };
            self.stderr.extend_from_slice(note.as_bytes());
        }
        self
    }
}

fn written(command: &KubectlCommand, response: &KubeResponse) -> String {
    let kind = command.request.resource.kind.to_ascii_lowercase();
    match (response, &command.request.verb) {
        (KubeResponse::Object(object), KubeVerb::Create(_)) => {
            format!("{kind}/{} created\n", object.name)
        }
        (KubeResponse::Object(object), KubeVerb::Update { .. }) => {
            format!("{kind}/{} replaced\n", object.name)
        }
        (KubeResponse::Object(object), KubeVerb::Delete { .. }) => {
            format!("{kind} \"{}\" deleted\n", object.name)
        }
        (KubeResponse::Object(object), _) => match command.output {
            KubectlOutput::Json => kubectl_json::printed(&Tree::object(object)),
            KubectlOutput::Yaml => kubectl_yaml::printed(&Tree::object(object)),
            KubectlOutput::Raw => format!("{}\n", codec::encode_for_clients(object)),
            KubectlOutput::Name => format!("{kind}/{}\n", object.name),
            KubectlOutput::Table | KubectlOutput::Wide => {
                table(command, std::slice::from_ref(object))
            }
        },
        (KubeResponse::List(list), _) => match command.output {
            KubectlOutput::Json => kubectl_json::printed(&Tree::list(&list.items)),
            KubectlOutput::Yaml => kubectl_yaml::printed(&Tree::list(&list.items)),
            KubectlOutput::Raw => raw_list(command, list),
            KubectlOutput::Name => {
                let names = list.items.iter().map(|o| format!("{kind}/{}\n", o.name));
                names.collect()
            }
            KubectlOutput::Table | KubectlOutput::Wide if list.items.is_empty() => String::new(),
            KubectlOutput::Table | KubectlOutput::Wide => table(command, &list.items),
        },
        (KubeResponse::WatchBegun, _) => String::new(),
        (KubeResponse::Text(text), _) => text.to_string(),
    }
}

/// Returns a list as the API server sends it.
fn raw_list(command: &KubectlCommand, list: &ObjectList) -> String {
    let mut out = String::new();
    {
        let mut json = Json::object(&mut out);
        json.string("kind", &format!("{}List", command.request.resource.kind));
        json.string("apiVersion", "v1");
        {
            let mut meta = Json::object(json.key("metadata"));
            meta.string("resourceVersion", &list.resource_version.to_string());
            if let Some(token) = &list.continue_token {
                meta.string("continue", token);
            }
            if let Some(remaining) = list.remaining {
                meta.value("remainingItemCount", remaining);
            }
        }
        let mut items = Json::array(json.key("items"));
        for object in &list.items {
            items.item().push_str(&codec::encode_for_clients(object));
        }
    }
    out.push('\n');
    out
}

/// Prints a table. Each column is as wide as its longest text, and three spaces separate the columns.
fn table(command: &KubectlCommand, objects: &[Arc<Object>]) -> String {
    let is_pods = command.request.resource.name == "pods";
    let is_wide = command.output == KubectlOutput::Wide;
    let mut head = Vec::new();
    if command.all_namespaces && command.request.resource.is_namespaced {
        head.push("NAMESPACE");
    }
    head.push("NAME");
    if is_pods {
        head.push("STATUS");
        if is_wide {
            head.push("NODE");
        }
    }
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(|word| (*word).to_owned()).collect()];
    for object in objects {
        let or = |field: &str, none: &str| match object.field(field) {
            "" => none.to_owned(),
            value => value.to_owned(),
        };
        let row = head.iter().map(|column| match *column {
            "NAMESPACE" => object.namespace.to_string(),
            "NAME" => object.name.to_string(),
            "STATUS" => or("status.phase", "Pending"),
            _ => or("spec.nodeName", "<none>"),
        });
        rows.push(row.collect());
    }
    columns(&rows)
}

/// Formats the rows as columns. Each column is aligned, and three spaces separate the columns.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(String::len).max();
    let widths: Vec<usize> = (0..count).map(|i| width(i).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        for (i, word) in row.iter().enumerate() {
            out.push_str(word);
            if i + 1 < row.len() {
                out.push_str(&" ".repeat(widths[i] - word.len() + 3));
            }
        }
        out.push('\n');
    }
    out
}
