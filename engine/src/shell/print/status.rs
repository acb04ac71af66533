//! Prints the output of the `endpoint` commands: one row, object or paragraph per endpoint.
//!
//! Mirrors `ep_command.go`, the `makeEndpoint…Table` functions in `printer.go` and, for sizes,
//! `github.com/dustin/go-humanize`. The one simulated member responds at every endpoint.

use super::fields::Fields;
use super::json;
use super::table::table;
use super::{PrintContext, by_endpoint, fail, push_hex, text_of, unsupported};
use crate::api::{Difference, EtcdError, HashKvResponse, Profile, Reply, Response, StatusResponse};
use crate::base::json::Json;
use crate::base::small_sort::SmallSort;
use crate::base::time::SimDuration;
use crate::shell::etcdctl::operation::EXIT_ERROR;
use crate::shell::{Etcdctl, Format, Output, Verb};

/// Prints the output of `endpoint status` and `endpoint hashkv`.
pub(super) fn endpoints(
    command: &Etcdctl,
    replies: &[Reply],
    context: &PrintContext,
    output: &mut Output,
) {
    let hash = matches!(command.verb, Verb::EndpointHashKv(_));
    let mut answered = Vec::new();
    let mut failed = None;
    for (endpoint, reply) in by_endpoint(command, replies) {
        match reply {
            Ok(response) => answered.push((endpoint, response)),
            Err(error) => {
                let what: &[u8] = if hash { b"hash" } else { b"status" };
                let parts: [&[u8]; 7] = [
                    b"Failed to get the ",
                    what,
                    b" of endpoint ",
                    endpoint.as_bytes(),
                    b" (",
                    &text_of(error),
                    b")\n",
                ];
                output.stderr.extend_from_slice(&parts.concat());
                failed = Some(error);
            }
        }
    }
    let profile = context.profile;
    let rows = |answered: &[(&String, &Response)]| -> Vec<Vec<String>> {
        let row = |(endpoint, response): &(&String, &Response)| match response {
            Response::Status(r) => status_row(endpoint, r, profile),
            Response::HashKv(r) => hash_row(endpoint, r, profile),
            _ => Vec::new(),
        };
        answered.iter().map(row).collect()
    };
    match command.format {
        Format::Simple => {
            for row in rows(&answered) {
                output.stdout.extend_from_slice(row.join(", ").as_bytes());
                output.stdout.push(b'\n');
            }
        }
        Format::Table => {
            let headings = if hash {
                hash_headings(profile)
            } else {
                status_headings(profile)
            };
            table(&mut output.stdout, headings, &rows(&answered), profile);
        }
        Format::Fields => {
            let fields = Fields::new(command.hex, profile);
            for (endpoint, response) in answered {
                match response {
                    Response::Status(r) => fields.status(&mut output.stdout, endpoint, r),
                    Response::HashKv(r) => fields.hash_kv(&mut output.stdout, endpoint, r),
                    _ => {}
                }
            }
        }
        // Since 3.6, the list of no responses is a nil slice in Go.
        Format::Json if answered.is_empty() && profile.has(Difference::PrintsNullList) => {
            output.stdout.extend_from_slice(b"null\n");
        }
        Format::Json => {
            json::line(&mut output.stdout, |out| {
                let mut list = Json::array(out);
                for (endpoint, response) in answered {
                    let mut json = Json::object(list.item());
                    json.string("Endpoint", endpoint);
                    match response {
                        Response::Status(r) => json::status(json.key("Status"), r, profile),
                        Response::HashKv(r) => json::hash_kv(json.key("HashKV"), r, profile),
                        _ => {}
                    }
                }
            });
        }
        Format::Protobuf => return unsupported(command.format, output),
    }
    if let Some(error) = failed {
        if hash {
            fail(output, &error.to_string(), EXIT_ERROR);
        }
        output.exit = EXIT_ERROR;
    }
}

/// Returns the reason why an endpoint is unhealthy; empty for a healthy endpoint.
fn health_error(reply: &Reply) -> String {
    match reply {
        // The request reached the cluster, although the user may not read the key `health`.
        Err(EtcdError::PermissionDenied) => String::new(),
        Err(refusal) => refusal.to_string(),
        Ok(Response::Alarm(r)) if !r.alarms.is_empty() => {
            let alarms = r.alarms.iter().map(|alarm| alarm.alarm.name());
            let alarms: Vec<&str> = alarms.collect();
            format!("Active Alarm(s): {} ", alarms.join(" "))
        }
        Ok(_) => String::new(),
    }
}

/// Prints the output of `endpoint health`, in the order in which the responses arrived.
pub(super) fn health(
    command: &Etcdctl,
    replies: &[Reply],
    context: &PrintContext,
    output: &mut Output,
) {
    let mut endpoints = Vec::new();
    for (i, (endpoint, reply)) in by_endpoint(command, replies).enumerate() {
        let last = context.took_each.last().unwrap_or(&context.took);
        let took = *context.took_each.get(i).unwrap_or(last);
        endpoints.push((took, endpoint, health_error(reply)));
    }
    endpoints.small_sort_by_key(|(took, _, error)| (*took, !error.is_empty()));
    let endpoints = endpoints.into_iter();
    let endpoints = endpoints.map(|(took, endpoint, error)| (endpoint, error, go_duration(took)));
    let endpoints: Vec<(&String, String, String)> = endpoints.collect();
    // 3.4 prints the result on standard error. Later versions print a healthy result on standard output.
    match command.format {
        Format::Simple => {
            for (endpoint, error, took) in &endpoints {
                let healthy = error.is_empty();
                let stream = if healthy && context.profile.has(Difference::AsksForAlarms) {
                    &mut output.stdout
                } else {
                    &mut output.stderr
                };
                stream.extend_from_slice(endpoint.as_bytes());
                if healthy {
                    stream.extend_from_slice(
                        b" is healthy: successfully committed proposal: took = ",
                    );
                    stream.extend_from_slice(took.as_bytes());
                } else {
                    stream.extend_from_slice(b" is unhealthy: failed to commit proposal: ");
                    stream.extend_from_slice(error.as_bytes());
                }
                stream.push(b'\n');
            }
        }
        Format::Json => {
            json::line(&mut output.stdout, |out| {
                let mut list = Json::array(out);
                for (endpoint, error, took) in &endpoints {
                    let mut json = Json::object(list.item());
                    json.string("endpoint", endpoint);
                    json.value("health", error.is_empty());
                    json.string("took", took);
                    if !error.is_empty() {
                        json.string("error", error);
                    }
                }
            });
        }
        Format::Fields => {
            let fields = Fields::new(command.hex, context.profile);
            for (endpoint, error, took) in &endpoints {
                fields.health(&mut output.stdout, endpoint, took, error.as_bytes());
            }
        }
        Format::Table => {
            let row = |(endpoint, error, took): &(&String, String, String)| {
                vec![
                    (*endpoint).clone(),
                    error.is_empty().to_string(),
                    took.clone(),
                    error.clone(),
                ]
            };
            let rows: Vec<_> = endpoints.iter().map(row).collect();
            table(
                &mut output.stdout,
                &["endpoint", "health", "took", "error"],
                &rows,
                context.profile,
            );
        }
        Format::Protobuf => return unsupported(command.format, output),
    }
    if endpoints.iter().any(|(_, error, _)| !error.is_empty()) {
        fail(output, "unhealthy cluster", EXIT_ERROR);
    }
}

fn status_headings(profile: Profile) -> &'static [&'static str] {
    match profile.has(Difference::ReportsStorage) {
        false => &[
            "endpoint",
            "ID",
            "version",
            "db size",
            "is leader",
            "is learner",
            "raft term",
            "raft index",
            "raft applied index",
            "errors",
        ],
        true => &[
            "endpoint",
            "ID",
            "version",
            "storage version",
            "db size",
            "in use",
            "percentage not in use",
            "quota",
            "is leader",
            "is learner",
            "raft term",
            "raft index",
            "raft applied index",
            "errors",
            "downgrade target version",
            "downgrade enabled",
        ],
    }
}

fn hash_headings(profile: Profile) -> &'static [&'static str] {
    match profile.has(Difference::NamesHashRevision) {
        false => &["endpoint", "hash"],
        true => &["endpoint", "hash", "hash revision"],
    }
}

fn hash_row(endpoint: &str, r: &HashKvResponse, profile: Profile) -> Vec<String> {
    let mut row = vec![endpoint.to_owned(), r.hash.to_string()];
    if profile.has(Difference::NamesHashRevision) {
        row.push(r.hash_revision.to_string());
    }
    row
}

fn status_row(endpoint: &str, r: &StatusResponse, profile: Profile) -> Vec<String> {
    let newer = profile.has(Difference::ReportsStorage);
    let mut id = Vec::new();
    push_hex(&mut id, r.header.member_id, 0);
    let mut row = vec![
        endpoint.to_owned(),
        String::from_utf8_lossy(&id).into_owned(),
        r.version.clone(),
    ];
    if newer {
        row.push(r.storage_version.clone());
    }
    row.push(human_size(r.db_size));
    if newer {
        row.push(human_size(r.db_size_in_use));
        let used = if r.db_size > 0 {
            r.db_size_in_use * 100 / r.db_size
        } else {
            0
        };
        row.push(format!("{}%", (100 - used)));
        row.push(human_size(r.db_size_quota));
    }
    row.push((r.leader == r.header.member_id).to_string());
    row.push(r.is_learner.to_string());
    row.push(r.raft_term.to_string());
    row.push(r.raft_index.to_string());
    row.push(r.raft_applied_index.to_string());
    row.push(r.errors.join(", "));
    if newer {
        row.push(String::new());
        row.push("false".to_owned());
    }
    row
}

/// Formats a size with units that are powers of 1000: `20 kB`, `1.6 MB`.
pub(super) fn human_size(bytes: i64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let bytes = u64::try_from(bytes).unwrap_or(0);
    let (mut unit, mut size) = (0, 1u64);
    while bytes / size >= 1000 {
        size *= 1000;
        unit += 1;
    }
    // The size in tenths of the unit, rounded. Sizes below 10 are printed with one decimal, larger sizes without
    // decimals.
    let tenths = (u128::from(bytes) * 10 + u128::from(size) / 2) / u128::from(size);
    let mut text = (tenths / 10).to_string();
    if unit == 0 {
        // Bytes have no decimals.
    } else if tenths < 100 {
        text.push('.');
        text.push_str(&(tenths % 10).to_string());
    } else {
        // Like `%.0f`, rounds a half to the even number.
        let up = tenths % 10 > 5 || tenths % 10 == 5 && tenths / 10 % 2 == 1;
        text = (tenths / 10 + u128::from(up)).to_string();
    }
    text.push(' ');
    text.push_str(UNITS[unit]);
    text
}

/// Formats a duration like Go's `Duration.String`: `2.106ms`, `1m30s`, `0s`.
pub(super) fn go_duration(took: SimDuration) -> String {
    let us = took.0;
    let fraction = |us: u64, unit: u64, name: &str| {
        let mut text = (us / unit).to_string();
        let rest = us % unit;
        if rest > 0 {
            let mut digits = (unit + rest).to_string();
            digits.remove(0);
            text.push('.');
            text.push_str(digits.trim_end_matches('0'));
        }
        text.push_str(name);
        text
    };
    match us {
        0 => "0s".to_owned(),
        1..=999 => fraction(us, 1, "µs"),
        1_000..=999_999 => fraction(us, 1_000, "ms"),
        _ => {
            let (hours, minutes) = (us / 3_600_000_000, us / 60_000_000 % 60);
            let mut text = String::new();
            if hours > 0 {
                text.push_str(&hours.to_string());
                text.push('h');
            }
            if hours > 0 || minutes > 0 {
                text.push_str(&minutes.to_string());
                text.push('m');
            }
            text.push_str(&fraction(us % 60_000_000, 1_000_000, "s"));
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_go_humanize_prints_them() {
        for (bytes, text) in [
            (0, "0 B"),
            (9, "9 B"),
            (999, "999 B"),
            (20480, "20 kB"),
            (24576, "25 kB"),
            (1000, "1.0 kB"),
            (8192, "8.2 kB"),
            (131072, "131 kB"),
            (1_600_000, "1.6 MB"),
            (2147483648, "2.1 GB"),
        ] {
            assert_eq!(human_size(bytes), text);
        }
    }

    #[test]
    fn durations_as_go_prints_them() {
        for (us, text) in [
            (0, "0s"),
            (250, "250µs"),
            (1699, "1.699ms"),
            (2000, "2ms"),
            (1_500_000, "1.5s"),
            (90_000_000, "1m30s"),
            (3_600_000_000, "1h0m0s"),
        ] {
            assert_eq!(go_duration(SimDuration(us)), text);
        }
    }
}
