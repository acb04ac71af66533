//! Converts the events of a watch to lines. The input is the JSON that etcdctl prints, or the stream of the JSON
//! gateway.

use anyhow::{Context, Result};
use serde_json::Value;

/// Converts the output of `etcdctl watch -w json` to one line per event, with every field of the event, and a line for
/// the end of the watch.
pub(super) fn events_of_etcdctl(text: &str) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for line in text.lines() {
        if !line.starts_with('{') {
            if !line.starts_with("# exit") {
                lines.push(line.to_owned());
            }
            continue;
        }
        let response: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        for event in response["Events"].as_array().into_iter().flatten() {
            lines.push(event_line(event));
        }
        if response["Canceled"] == true {
            lines.push(format!(
                "canceled at {}",
                number(&response["CompactRevision"])
            ));
        }
    }
    Ok(lines)
}

/// Converts the stream of the gateway to the same lines as [`events_of_etcdctl`].
pub(super) fn events_of_gateway(text: &str) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let Ok(response) = serde_json::from_str::<Value>(line) else {
            continue; // The last line may be incomplete.
        };
        let response = &response["result"];
        for event in response["events"].as_array().into_iter().flatten() {
            lines.push(event_line(event));
        }
        if response["canceled"] == true {
            lines.push(format!(
                "canceled at {}",
                number(&response["compact_revision"])
            ));
            let reason = response["cancel_reason"].as_str().unwrap_or_default();
            let reason = match (reason, &response["compact_revision"]) {
                ("", Value::Null) => "",
                ("", _) => "etcdserver: mvcc: required revision has been compacted",
                (reason, _) => reason,
            };
            lines.push(format!("watch was canceled ({reason})"));
            lines.push("Error: watch is canceled by the server".to_owned());
        }
    }
    Ok(lines)
}

fn event_line(event: &Value) -> String {
    let kind = match &event["type"] {
        Value::Null => "PUT",
        Value::Number(n) if n.as_u64() == Some(0) => "PUT",
        Value::String(kind) if kind == "PUT" => "PUT",
        _ => "DELETE",
    };
    let prev = match &event["prev_kv"] {
        Value::Null => String::new(),
        prev => format!(" after {}", kv_line(prev)),
    };
    format!("{kind} {}{prev}", kv_line(&event["kv"]))
}

fn kv_line(kv: &Value) -> String {
    format!(
        "{} create {} mod {} version {} value {} lease {}",
        kv["key"].as_str().unwrap_or_default(),
        number(&kv["create_revision"]),
        number(&kv["mod_revision"]),
        number(&kv["version"]),
        kv["value"].as_str().unwrap_or_default(),
        number(&kv["lease"]),
    )
}

/// Returns a number as text. The gateway writes numbers as JSON strings. In place of a lease ID, there can be a name.
fn number(value: &Value) -> String {
    match value {
        Value::Null => "0".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
