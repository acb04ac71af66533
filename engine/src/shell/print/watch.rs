//! What `etcdctl watch` writes for what its watches hear, byte for byte.
//!
//! Mirrors `printWatchCh` of `watch_command.go` and the `Watch` functions of `printer*.go`, and
//! between the member's responses and them what `client/v3/watch.go` makes of the former: it keeps
//! to itself that a watch was created, and makes a response of its own of a watch that could not
//! be. The parts of a split response have been joined by then.

use super::fields::Fields;
use super::json;
use super::simple::Simple;
use super::{fail, push_number, unsupported};
use crate::api::{EtcdError, Profile, WatchResponse};
use crate::base::proto::ProtoMessage;
use crate::shell::etcdctl::operation::EXIT_INTERRUPTED;
use crate::shell::{Format, Output, WatchPrint};

/// What a process of `etcdctl watch` writes when its watches hear these responses, in this order.
/// An exit code other than 0 says that it ends there; what comes after is not printed.
///
/// A response to all watches of a stream stands here once for each of them, because the client
/// hands it to each.
///
/// ```
/// use watchglass_engine::api::{EventKind, KeyValue, Profile, WatchEvent, WatchResponse};
/// use watchglass_engine::shell::{WatchPrint, print::watch};
/// let kv = KeyValue { key: "/key1".into(), value: "value1".into(), ..KeyValue::default() };
/// let event = WatchEvent { kind: EventKind::Put, kv, prev_kv: None };
/// let response = WatchResponse { events: vec![event], ..WatchResponse::default() };
/// let output = watch::responses([&response], &WatchPrint::default(), Profile::V3_6);
/// assert_eq!(output.stdout, b"PUT\n/key1\nvalue1\n");
/// ```
pub fn responses<'a>(
    responses: impl IntoIterator<Item = &'a WatchResponse>,
    print: &WatchPrint,
    profile: Profile,
) -> Output {
    let mut output = Output::default();
    for response in responses {
        one(response, print, profile, &mut output);
        if output.exit != 0 {
            break;
        }
    }
    output
}

fn one(r: &WatchResponse, print: &WatchPrint, profile: Profile, output: &mut Output) {
    let text = match (r.created, r.canceled, r.compact_revision) {
        (true, false, _) => return,
        (true, true, _) => r.cancel_reason.clone(),
        (false, true, compact) if compact != 0 => EtcdError::Compacted.to_string(),
        // Of any other end the client hears, but it hands nothing on.
        (false, true, _) => return ended(print, output),
        (false, false, _) => {
            if r.events.is_empty() && r.compact_revision == 0 && r.header.revision != 0 {
                output.stdout.extend_from_slice(b"progress notify: ");
                push_number(&mut output.stdout, r.header.revision);
                output.stdout.push(b'\n');
            }
            return shown(r, print, profile, output);
        }
    };
    let parts = ["watch was canceled (", &text, ")\n"];
    output.stderr.extend_from_slice(parts.concat().as_bytes());
    if r.created {
        // Of a watch that never was, the client tells only that it is over.
        let over = WatchResponse {
            created: true,
            canceled: true,
            ..WatchResponse::default()
        };
        shown(&over, print, profile, output);
    } else {
        shown(r, print, profile, output);
    }
    ended(print, output);
}

/// A watch is over, and so is a process that has no other.
fn ended(print: &WatchPrint, output: &mut Output) {
    if !print.interactive && output.exit == 0 {
        let text = "watch is canceled by the server";
        fail(output, text, EXIT_INTERRUPTED);
    }
}

fn shown(r: &WatchResponse, print: &WatchPrint, profile: Profile, output: &mut Output) {
    let out = &mut output.stdout;
    match print.format {
        Format::Simple => Simple::new(print.hex, false).watch(out, r),
        Format::Json => {
            json::line(out, |out| json::watch(out, r));
        }
        Format::Fields => Fields::new(print.hex, profile).watch(out, r),
        Format::Protobuf => {
            // Only these fields are in the response that the client library hands on.
            let handed_on = WatchResponse {
                header: r.header.clone(),
                canceled: r.canceled,
                compact_revision: r.compact_revision,
                events: r.events.clone(),
                ..WatchResponse::default()
            };
            handed_on.write(out);
        }
        Format::Table => unsupported(print.format, output),
    }
}

/// What `etcdctl lease keep-alive` prints, for each answer: the lease and its TTL in seconds.
pub fn kept_alive(answers: impl Iterator<Item = (i64, i64)>) -> Output {
    let mut text = String::new();
    for (lease, ttl_s) in answers {
        text.push_str(&match ttl_s {
            0 => format!("lease {lease:016x} expired or revoked.\n"),
            ttl_s => format!("lease {lease:016x} keepalived with TTL({ttl_s})\n"),
        });
    }
    Output::ok(text)
}
