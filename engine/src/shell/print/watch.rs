//! Prints the output of `etcdctl watch` and `etcdctl lease keep-alive`, byte for byte.
//!
//! Mirrors `printWatchCh` in `watch_command.go`, the `Watch` functions in `printer*.go`, and the processing of
//! responses in `client/v3/watch.go`. The client discards the response that confirms a new watch. If a watch cannot be
//! created, the client creates a response itself. The caller must join the parts of a split response.

use super::fields::Fields;
use super::json;
use super::simple::Simple;
use super::{PrintContext, fail, push_number, unsupported};
use crate::api::{EtcdError, EventKind, Profile, Reply, WatchEvent, WatchResponse};
use crate::base::go::quote::quoted;
use crate::base::proto::ProtoMessage;
use crate::shell::etcdctl::operation::EXIT_INTERRUPTED;
use crate::shell::{ExecCommand, Format, Output, WatchPrint};

/// Returns the output of an `etcdctl watch` process. `responses` are the responses to its watches, in the order of
/// their arrival. If the exit code is not 0, the process has ended and prints nothing more.
///
/// The client delivers a response for all watches of a stream to each watch. So the caller must pass such a response
/// once for each watch.
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
    responses_and_commands(responses, &mut std::iter::empty(), print, profile)
}

/// Returns the output of an `etcdctl watch` process like [`responses`], and the output of the program that runs for
/// each event. `ran` are the responses to the requests of this program, in the order of the events.
pub fn responses_and_commands<'a, 'b>(
    responses: impl IntoIterator<Item = &'a WatchResponse>,
    ran: &mut impl Iterator<Item = &'b Reply>,
    print: &WatchPrint,
    profile: Profile,
) -> Output {
    let mut output = Output::default();
    for response in responses {
        one(response, print, profile, &mut output);
        if let Some(command) = &print.command {
            for event in &response.events {
                if output.exit == 0 {
                    run(command, (response, event), ran.next(), profile, &mut output);
                }
            }
        }
        if output.exit != 0 {
            break;
        }
    }
    output
}

/// Runs the program for an event, with the event in its environment. Its failure ends the process.
fn run(
    command: &ExecCommand,
    (response, event): (&WatchResponse, &WatchEvent),
    reply: Option<&Reply>,
    profile: Profile,
    output: &mut Output,
) {
    let kind = match event.kind {
        EventKind::Put => "PUT",
        EventKind::Delete => "DELETE",
    };
    let environment = [
        ("ETCD_WATCH_REVISION", response.header.revision.to_string()),
        ("ETCD_WATCH_EVENT_TYPE", quoted(kind.as_bytes())),
        ("ETCD_WATCH_KEY", quoted(&event.kv.key)),
        ("ETCD_WATCH_VALUE", quoted(&event.kv.value)),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.into_bytes()));
    let ran = super::program(command, &environment, reply, &PrintContext::new(profile));
    output.stdout.extend(ran.stdout);
    output.stderr.extend(ran.stderr);
    if ran.exit != 0 {
        let text = format!(
            "command {} error (exit status {})\n",
            command.quoted(),
            ran.exit
        );
        output.stderr.extend(text.into_bytes());
        output.exit = 1;
    }
}

fn one(r: &WatchResponse, print: &WatchPrint, profile: Profile, output: &mut Output) {
    let text = match (r.created, r.canceled, r.compact_revision) {
        (true, false, _) => return,
        (true, true, _) => r.cancel_reason.clone(),
        (false, true, compact) if compact != 0 => EtcdError::Compacted.to_string(),
        (false, true, _) if r.ends_stream() => r.cancel_reason.clone(),
        // If the watch ends for another reason, the client passes no response on.
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
        // If the watch was never created, the client's response contains only the end of the watch.
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

/// Handles the end of a watch. Without `-i`, the process ends, too, with an error.
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
            // The response that the client library passes on has only these fields.
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

/// Returns the output of `etcdctl lease keep-alive`. Each response is a lease ID and its TTL in seconds.
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
