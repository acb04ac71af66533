//! Prints the output of the `qos` commands. The proposal shows no output, so the formats are the simulator's own.

use std::fmt::Write;

use super::{json, unsupported};
use crate::api::{EtcdError, Profile, QosContent, QosResponse};
use crate::base::json::Json;
use crate::qos::monitor::MonitorRow;
use crate::shell::etcdctl::operation::EXIT_ERROR;
use crate::shell::{Etcdctl, Format, Output};

pub(super) fn print(
    command: &Etcdctl,
    response: &QosResponse,
    profile: Profile,
    output: &mut Output,
) {
    match command.format {
        Format::Simple => simple(&response.content, output),
        Format::Json => json::line(&mut output.stdout, |out| {
            let mut object = Json::object(out);
            json::header(&mut object, &response.header);
            let (name, rows) = rows(&response.content);
            let mut list = Json::array(object.key(name));
            for (name, text) in rows {
                let mut row = Json::object(list.item());
                if let Some(name) = name {
                    row.string("name", &name);
                }
                row.string("definition", &text);
            }
        }),
        Format::Table => {
            let (_, rows) = rows(&response.content);
            let rows: Vec<Vec<String>> = rows
                .into_iter()
                .map(|(name, text)| vec![name.unwrap_or_default(), text])
                .collect();
            super::table::table(&mut output.stdout, &["name", "definition"], &rows, profile);
        }
        Format::Fields | Format::Protobuf => unsupported(command.format, output),
    }
}

/// Returns the name and the elements of the list that a response contains. Each element consists of a text and, in some
/// lists, a name.
fn rows(content: &QosContent) -> (&'static str, Vec<(Option<String>, String)>) {
    match content {
        QosContent::Changed { warnings } => {
            let rows = warnings.iter().map(|warning| (None, warning.to_string()));
            ("warnings", rows.collect())
        }
        QosContent::Classes(classes) => {
            let rows = classes.iter();
            let rows = rows.map(|class| (Some(class.name.to_string()), class.kind.to_string()));
            ("classes", rows.collect())
        }
        QosContent::Rules(rules) => {
            let rows = rules.iter();
            let rows = rows.map(|rule| (Some(rule.name.to_string()), rule.to_string()));
            ("rules", rows.collect())
        }
        QosContent::Request(row) => ("requests", vec![(None, request_text(row))]),
        QosContent::Advice(advices, _) => {
            let rows = advices.iter().map(|advice| (None, advice.text.clone()));
            ("advice", rows.collect())
        }
    }
}

fn simple(content: &QosContent, output: &mut Output) {
    let mut out = String::new();
    // Writing to a string cannot fail.
    match content {
        QosContent::Changed { warnings } => {
            out.push_str("OK\n");
            for warning in warnings {
                let text = format!("Warning: {warning}\n");
                output.stderr.extend_from_slice(text.as_bytes());
            }
        }
        QosContent::Advice(advices, applied) => {
            if advices.is_empty() {
                out.push_str("no advice: no request was expensive in the last 60 s\n");
            }
            for advice in advices {
                let _ = writeln!(out, "{}", advice.text);
            }
            let proposals = advices.iter().filter_map(|advice| advice.proposal.as_ref());
            for (class, rule) in proposals.filter(|_| *applied) {
                let _ = writeln!(out, "added class {} and rule {}", class.name, rule.name);
            }
        }
        content => {
            for (name, text) in rows(content).1 {
                let _ = match name {
                    Some(name) => writeln!(out, "{name} {text}"),
                    None => writeln!(out, "{text}"),
                };
            }
        }
    }
    output.stdout.extend_from_slice(out.as_bytes());
}

/// Returns the output of `qos monitor`: one line for each request.
pub fn monitored<'a>(
    outcomes: impl Iterator<Item = &'a Result<Box<MonitorRow>, EtcdError>>,
) -> Output {
    let mut output = Output::default();
    for outcome in outcomes {
        match outcome {
            Ok(row) => {
                output
                    .stdout
                    .extend_from_slice(request_text(row).as_bytes());
                output.stdout.push(b'\n');
            }
            Err(error) => {
                let refused = Output::error(&error.to_string(), EXIT_ERROR);
                output.stderr.extend(refused.stderr);
                output.exit = refused.exit;
            }
        }
    }
    output
}

fn request_text(row: &MonitorRow) -> String {
    let mut text = format!("{} {}", row.arrived, row.name);
    // Writing to a string cannot fail.
    if let Some(keys) = &row.keys {
        let _ = write!(text, " {}", keys.start());
        match keys.end_field() {
            b"" => {}
            b"\0" => text.push_str(" to the end"),
            end => {
                let _ = write!(text, " to {}", crate::base::bytes::escape(end));
            }
        }
    }
    let user = row.caller.user.as_deref().unwrap_or("-");
    let address = crate::qos::AddressRange {
        first: row.caller.address,
        bits: 32,
    };
    let rule = row.rule.map_or("-".to_owned(), |rule| rule.to_string());
    let _ = write!(
        text,
        ", user {user}, ip {address}, scanKeyNum {}, latency {}, traffic {}, rule {rule}",
        row.scan, row.latency, row.traffic
    );
    if row.is_limited {
        text.push_str(", limited");
    }
    text
}
