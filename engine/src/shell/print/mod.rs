//! Prints the response of a member as etcdctl prints it, byte for byte.
//!
//! Mirrors `etcdctl/ctlv3/command/printer*.go`. Left out: the JSON warning that the 3.4 client logs on standard error
//! before some errors.

mod alarm;
mod auth;
mod fields;
mod json;
pub mod kubectl;
mod kubectl_describe;
mod kubectl_json;
mod kubectl_jsonpath;
mod kubectl_table;
mod kubectl_tree;
mod kubectl_yaml;
mod lease;
mod member;
pub mod process;
pub mod qos;
mod simple;
mod snapshot;
mod status;
mod table;
pub mod watch;
mod yaml_string;

pub use member::no_members;
pub use snapshot::{file_hash, snapshot_status};

use super::etcdctl::operation::{
    EXIT_BAD_ARGS, EXIT_BAD_CONNECTION, EXIT_BAD_FEATURE, EXIT_CTRL_C, EXIT_ERROR,
};
use super::etcdctl::txn_script::PROMPTS;
use super::{Etcdctl, ExecCommand, Format, Output, Verb};
use crate::api::{EtcdError, MoveLeaderRequest, Profile, Reply, Response};
use crate::base::proto::ProtoMessage;
use crate::base::time::SimDuration;
use crate::transcript::for_loop::Variable;

/// The data that the printers need in addition to the response.
#[derive(Clone, Copy, Debug)]
pub struct PrintContext<'a> {
    pub profile: Profile,
    /// The time from the sending of the request to the arrival of the last response.
    pub took: SimDuration,
    /// The time from the request to each response, which `endpoint health` prints. If this list is empty, `endpoint
    /// health` prints `took` for each endpoint.
    pub took_each: &'a [SimDuration],
}

impl PrintContext<'_> {
    /// Creates a context with a response time of 0.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            took: SimDuration(0),
            took_each: &[],
        }
    }
}

/// Returns etcdctl's output for a command and its response.
///
/// ```
/// use watchglass_engine::api::{DeleteRangeResponse, Profile, Response};
/// use watchglass_engine::shell::{CommandKind, Read, LineReader, print};
/// let Ok(Read::Commands(commands)) = LineReader::new(Profile::V3_6).line("del /key1") else { panic!() };
/// let CommandKind::Etcdctl(del) = &commands[0].kind else { panic!() };
/// let answer = Response::DeleteRange(DeleteRangeResponse { deleted: 1, ..Default::default() });
/// let output = print::reply(del, &Ok(answer), &print::PrintContext::new(Profile::V3_6));
/// assert_eq!(output.stdout, b"1\n");
/// ```
pub fn reply(command: &Etcdctl, reply: &Reply, context: &PrintContext) -> Output {
    replies(command, std::slice::from_ref(reply), context)
}

/// Returns the output of the program that `watch` or `lock` runs. `answer` is the response to the program's request;
/// `None` if no response arrived before the deadline.
fn program(
    command: &ExecCommand,
    environment: &[Variable],
    answer: Option<&Reply>,
    context: &PrintContext<'_>,
) -> Output {
    command.output(environment, |etcdctl| {
        let missing = Err(EtcdError::DeadlineExceeded);
        reply(etcdctl, answer.unwrap_or(&missing), context)
    })
}

/// Returns etcdctl's output for a command and the responses of its endpoints. If there are fewer responses than
/// endpoints, the last response is used for all remaining endpoints.
///
/// # Panics
/// Panics if there are no responses.
pub fn replies(command: &Etcdctl, replies: &[Reply], context: &PrintContext) -> Output {
    let mut output = Output::default();
    before(command, &mut output);
    let reply = &replies[0];
    match (&command.verb, reply) {
        (Verb::EndpointHealth { .. }, _) => {
            status::health(command, replies, context, &mut output);
        }
        // The client library logs in before etcdctl sends a request.
        (_, Err(error @ (EtcdError::AuthFailed | EtcdError::NoPasswordUser))) => {
            fail(&mut output, &error.to_string(), EXIT_BAD_CONNECTION);
        }
        (Verb::Auth(auth), _) => {
            auth::print(command, auth, replies, context.profile, &mut output);
        }
        (Verb::EndpointStatus | Verb::EndpointHashKv(_), _) => {
            status::endpoints(command, replies, context, &mut output);
        }
        (Verb::Defrag, _) => alarm::defrag(command, replies, context, &mut output),
        (Verb::MoveLeader(request), _) => moved(command, *request, replies, &mut output),
        (Verb::LeaseGrant(_), Err(error)) => {
            let text = ["failed to grant lease (", &error.to_string(), ")"];
            fail(&mut output, &text.concat(), EXIT_ERROR);
        }
        (Verb::LeaseRevoke(_), Err(error)) => {
            let text = ["failed to revoke lease (", &error.to_string(), ")"];
            fail(&mut output, &text.concat(), EXIT_ERROR);
        }
        (_, Err(EtcdError::Interrupted)) => output.exit = EXIT_CTRL_C,
        (
            Verb::LeaseKeepAlive {
                request,
                once: false,
            },
            Err(EtcdError::DeadlineExceeded),
        ) => {
            lease::gone(request.id, false, command.format, &mut output);
        }
        (Verb::LeaseKeepAlive { .. } | Verb::LeaseTimeToLive(_) | Verb::LeaseList, Err(error)) => {
            fail(&mut output, &error.to_string(), EXIT_BAD_CONNECTION)
        }
        (Verb::LeaseKeepAlive { once, .. }, Ok(Response::LeaseKeepAlive(r))) if r.ttl <= 0 => {
            lease::gone(r.id, *once, command.format, &mut output);
        }
        (Verb::AlarmList | Verb::AlarmDisarm, Ok(Response::Alarm(r))) => {
            alarm::alarms(command, r, context.profile, &mut output);
        }
        (Verb::Qos(_), Ok(Response::Qos(r))) => {
            qos::print(command, r, context.profile, &mut output)
        }
        (Verb::MemberList(_), Ok(Response::MemberList(r))) => {
            member::member_list(r, command, context.profile, &mut output);
        }
        (Verb::MemberChange { request, name }, Ok(Response::MemberChange(r))) => {
            member::changed((request, name), r, (command, context.profile), &mut output);
        }
        (_, Err(error)) => fail(&mut output, &error.to_string(), EXIT_ERROR),
        (Verb::Compaction(request), Ok(_)) => {
            output.stdout.extend_from_slice(b"compacted revision ");
            push_number(&mut output.stdout, request.revision);
            output.stdout.push(b'\n');
        }
        (_, Ok(response)) => match (
            wrong_format(command),
            lease::LeaseAnswer::new(command, response),
        ) {
            (Some(text), _) => fail(&mut output, text, EXIT_BAD_ARGS),
            (None, Some(answer)) => lease::print(&answer, command, context.profile, &mut output),
            (None, None) => key_value(command, response, context, &mut output),
        },
    }
    output
}

/// Prints the output of `move-leader`. etcdctl requests the status of all endpoints and sends the request only to the
/// leader. The simulator sends the request to all endpoints, and only the leader accepts the request.
fn moved(command: &Etcdctl, request: MoveLeaderRequest, replies: &[Reply], output: &mut Output) {
    for (_, reply) in by_endpoint(command, replies) {
        match reply {
            Err(EtcdError::NotLeader) => {}
            Err(error) => return fail(output, &error.to_string(), EXIT_ERROR),
            Ok(Response::MoveLeader(response)) => {
                let (from, to) = (response.header.member_id, request.target_id);
                match command.format {
                    Format::Fields | Format::Table => unsupported(command.format, output),
                    // The response is empty.
                    Format::Json => output.stdout.extend_from_slice(b"{}\n"),
                    Format::Protobuf => {}
                    Format::Simple => {
                        let text = format!("Leadership transferred from {from:x} to {to:x}\n");
                        output.stdout.extend_from_slice(text.as_bytes());
                    }
                }
                return;
            }
            Ok(_) => {}
        }
    }
    let endpoints = command.endpoints.join(" ");
    let text = format!("no leader endpoint given at [{endpoints}]");
    fail(output, &text, EXIT_BAD_ARGS);
}

/// Returns the endpoints of a command, each with the endpoint's response.
fn by_endpoint<'a>(
    command: &'a Etcdctl,
    replies: &'a [Reply],
) -> impl Iterator<Item = (&'a String, &'a Reply)> {
    let last = replies.len() - 1;
    let endpoints = command.endpoints.iter().enumerate();
    endpoints.map(move |(i, endpoint)| (endpoint, &replies[i.min(last)]))
}

/// Prints the output that etcdctl prints before it sends the request.
fn before(command: &Etcdctl, output: &mut Output) {
    match &command.verb {
        Verb::Txn {
            interactive,
            warnings,
            ..
        } => {
            for prompt in PROMPTS.iter().filter(|_| *interactive) {
                output.stdout.extend_from_slice(prompt.as_bytes());
                output.stdout.push(b'\n');
            }
            output
                .stderr
                .extend_from_slice(warnings.concat().as_bytes());
        }
        Verb::Del {
            warning: Some(warning),
            ..
        } => output.stderr.extend_from_slice(warning.as_bytes()),
        _ => {}
    }
}

/// Returns the error for a flag of `get` that requires another output format. Upstream performs this check only after
/// the response has arrived.
fn wrong_format(command: &Etcdctl) -> Option<&'static str> {
    match &command.verb {
        Verb::Get { request, .. } if request.count_only && command.format != Format::Fields => {
            Some("--count-only is only for `--write-out=fields`")
        }
        Verb::Get {
            print_value_only: true,
            ..
        } if command.format != Format::Simple => {
            Some("print-value-only is only for `--write-out=simple`")
        }
        _ => None,
    }
}

fn key_value(command: &Etcdctl, response: &Response, context: &PrintContext, output: &mut Output) {
    let out = &mut output.stdout;
    match command.format {
        Format::Simple => {
            let value_only = matches!(
                command.verb,
                Verb::Get {
                    print_value_only: true,
                    ..
                }
            );
            simple::Simple::new(command.hex, value_only).response(out, response);
        }
        Format::Json => {
            json::line(out, |out| json::response(out, response, context.profile));
        }
        Format::Fields => fields::Fields::new(command.hex, context.profile).response(out, response),
        Format::Protobuf => protobuf(out, response),
        Format::Table => unsupported(command.format, output),
    }
}

fn protobuf(out: &mut Vec<u8>, response: &Response) {
    match response {
        Response::Range(r) | Response::RangeStream(r) => r.write(out),
        Response::Put(r) => r.write(out),
        Response::DeleteRange(r) => r.write(out),
        Response::Txn(r) => r.write(out),
        // `alarm`, `lease` and `status` print these responses; `compaction` has only one format.
        Response::LeaseGrant(_)
        | Response::LeaseRevoke(_)
        | Response::LeaseKeepAlive(_)
        | Response::LeaseTimeToLive(_)
        | Response::LeaseLeases(_)
        | Response::Alarm(_)
        | Response::Defragment(_)
        | Response::Compact(_)
        | Response::HashKv(_)
        | Response::Status(_)
        | Response::Authenticate(_)
        | Response::Auth(_)
        | Response::Qos(_)
        | Response::MoveLeader(_)
        | Response::MemberList(_)
        | Response::MemberChange(_) => {}
    }
}

/// Prints `Error: …` and sets the exit code.
fn fail(output: &mut Output, text: &str, exit: u8) {
    let stderr = &mut output.stderr;
    stderr.extend_from_slice(b"Error: ");
    stderr.extend_from_slice(text.as_bytes());
    stderr.push(b'\n');
    output.exit = exit;
}

fn unsupported(format: Format, output: &mut Output) {
    let text = match format {
        Format::Simple => "simple not supported as output format",
        Format::Json => "json not supported as output format",
        Format::Fields => "fields not supported as output format",
        Format::Table => "table not supported as output format",
        Format::Protobuf => "protobuf not supported as output format",
    };
    fail(output, text, EXIT_BAD_FEATURE);
}

fn push_number(out: &mut Vec<u8>, number: impl Into<i128>) {
    let mut number: i128 = number.into();
    if number < 0 {
        out.push(b'-');
        number = -number;
    }
    let start = out.len();
    loop {
        out.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[start..].reverse();
}

/// Appends a number in hexadecimal, padded with zeros to `width`.
fn push_hex(out: &mut Vec<u8>, number: u64, width: u32) {
    let digits = (64 - number.leading_zeros()).div_ceil(4).max(width).max(1);
    for digit in (0..digits).rev() {
        out.push(b"0123456789abcdef"[(number >> (4 * digit) & 15) as usize]);
    }
}

/// Returns the error message in the form in which the endpoint commands quote it.
fn text_of(error: &EtcdError) -> Vec<u8> {
    error.to_string().into_bytes()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod watch_tests;
