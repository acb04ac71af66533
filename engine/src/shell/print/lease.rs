//! Prints the responses to `lease` commands, in every format.
//!
//! Mirrors the functions `Grant`, `Revoke`, `KeepAlive`, `TimeToLive` and `Leases` in `printer_simple.go`,
//! `printer_json.go`, `printer_fields.go` and `printer.go`. The client library copies these responses into its own
//! structs, in which the header is embedded. As a result, the JSON contains the fields of the header beside the other
//! fields, no field is omitted, and `protobuf` prints only the header.

use super::fields::{self, Fields};
use super::json::{self, header, header_fields};
use super::{fail, push_hex, unsupported};
use crate::api::{
    Difference, EtcdError, LeaseGrantResponse, LeaseKeepAliveResponse, LeaseLeasesResponse,
    LeaseTimeToLiveResponse, Profile, Response, ResponseHeader,
};
use crate::base::json::{Json, push_bytes};
use crate::base::proto::ProtoMessage;
use crate::shell::etcdctl::operation::{EXIT_BAD_CONNECTION, EXIT_BAD_FEATURE};
use crate::shell::{Etcdctl, Format, Output, Verb};

pub(super) enum LeaseAnswer<'a> {
    Grant(&'a LeaseGrantResponse),
    /// The ID of the revoked lease, and the header.
    Revoke(i64, &'a ResponseHeader),
    KeepAlive(&'a LeaseKeepAliveResponse),
    /// The response to `lease timetolive`, and whether the request asked for the keys (`--keys`).
    TimeToLive(&'a LeaseTimeToLiveResponse, bool),
    Leases(&'a LeaseLeasesResponse),
}

impl<'a> LeaseAnswer<'a> {
    /// Returns the response if it is the response to a `lease` command; `None` otherwise.
    pub(super) fn new(command: &Etcdctl, response: &'a Response) -> Option<Self> {
        match (response, &command.verb) {
            (Response::LeaseGrant(r), _) => Some(Self::Grant(r)),
            (Response::LeaseRevoke(r), Verb::LeaseRevoke(asked)) => {
                Some(Self::Revoke(asked.id, &r.header))
            }
            (Response::LeaseKeepAlive(r), _) => Some(Self::KeepAlive(r)),
            (Response::LeaseTimeToLive(r), Verb::LeaseTimeToLive(asked)) => {
                Some(Self::TimeToLive(r, asked.keys))
            }
            (Response::LeaseLeases(r), _) => Some(Self::Leases(r)),
            _ => None,
        }
    }
}

pub(super) fn print(
    answer: &LeaseAnswer,
    command: &Etcdctl,
    profile: Profile,
    output: &mut Output,
) {
    match command.format {
        Format::Simple => simple(answer, &mut output.stdout),
        Format::Json => {
            json::line(&mut output.stdout, |out| answer_json(answer, out));
        }
        Format::Fields => {
            let fields = Fields::new(command.hex, profile);
            answer_fields(answer, &fields, &mut output.stdout);
        }
        Format::Protobuf => protobuf(answer, profile, output),
        Format::Table => unsupported(command.format, output),
    }
}

/// Prints the output of `keep-alive` for a lease that does not exist. For such a lease, etcd returns a TTL of 0. Then
/// the client library returns an error with `--once`, and closes the channel without `--once`.
pub(super) fn gone(id: i64, once: bool, format: Format, output: &mut Output) {
    if once {
        let text = EtcdError::LeaseNotFound.to_string();
        return fail(output, &text, EXIT_BAD_CONNECTION);
    }
    if format == Format::Simple {
        let text = ["lease ", &padded_hex(id), " expired or revoked.\n"];
        output.stdout.extend_from_slice(text.concat().as_bytes());
    }
}

fn simple(answer: &LeaseAnswer, out: &mut Vec<u8>) {
    let mut text = |text: &str| out.extend_from_slice(text.as_bytes());
    match answer {
        LeaseAnswer::Grant(r) => {
            text(&format!("lease {} granted with TTL(", padded_hex(r.id)));
            text(&format!("{}s)\n", r.ttl));
        }
        LeaseAnswer::Revoke(id, _) => text(&format!("lease {} revoked\n", padded_hex(*id))),
        LeaseAnswer::KeepAlive(r) => {
            text(&format!("lease {} keepalived with TTL(", padded_hex(r.id)));
            text(&format!("{})\n", r.ttl));
        }
        LeaseAnswer::TimeToLive(r, _) if r.granted_ttl == 0 && r.ttl == -1 => {
            text(&format!("lease {} already expired\n", padded_hex(r.id)));
        }
        LeaseAnswer::TimeToLive(r, keys) => {
            text(&format!("lease {} granted with TTL(", padded_hex(r.id)));
            text(&format!("{}s), remaining(", r.granted_ttl));
            text(&format!("{}s)", r.ttl));
            if *keys {
                out.extend_from_slice(b", attached keys([");
                let keys: Vec<&[u8]> = r.keys.iter().map(|key| &key[..]).collect();
                out.extend_from_slice(&keys.join(&b' '));
                out.extend_from_slice(b"])");
            }
            out.push(b'\n');
        }
        LeaseAnswer::Leases(r) => {
            text(&format!("found {} leases\n", r.leases.len()));
            for id in &r.leases {
                text(&format!("{}\n", padded_hex(*id)));
            }
        }
    }
}

/// Formats an ID like Go's `%016x`. A minus sign counts as one of the 16 characters.
fn padded_hex(id: i64) -> String {
    let mut out = Vec::new();
    if id < 0 {
        out.push(b'-');
    }
    push_hex(&mut out, id.unsigned_abs(), if id < 0 { 15 } else { 16 });
    String::from_utf8_lossy(&out).into_owned()
}

fn answer_json(answer: &LeaseAnswer, out: &mut String) {
    let mut json = Json::object(out);
    match answer {
        LeaseAnswer::Grant(r) => {
            header_fields(&mut json, &r.header);
            json.value("ID", r.id);
            json.value("TTL", r.ttl);
            json.string("Error", "");
        }
        LeaseAnswer::Revoke(_, h) => header(&mut json, h),
        LeaseAnswer::KeepAlive(r) => {
            header_fields(&mut json, &r.header);
            json.value("ID", r.id);
            json.value("TTL", r.ttl);
        }
        LeaseAnswer::TimeToLive(r, _) => {
            header_fields(&mut json, &r.header);
            json.value("id", r.id);
            json.value("ttl", r.ttl);
            json.value("granted-ttl", r.granted_ttl);
            if r.keys.is_empty() {
                json.value("keys", "null");
            } else {
                let mut keys = Json::array(json.key("keys"));
                r.keys.iter().for_each(|key| push_bytes(keys.item(), key));
            }
        }
        LeaseAnswer::Leases(r) => {
            header_fields(&mut json, &r.header);
            let mut leases = Json::array(json.key("leases"));
            for id in &r.leases {
                Json::object(leases.item()).value("id", id);
            }
        }
    }
}

fn answer_fields(answer: &LeaseAnswer, fields: &Fields, out: &mut Vec<u8>) {
    match answer {
        LeaseAnswer::Grant(r) => {
            fields.header(out, &r.header);
            fields.lease_id(out, r.id);
            fields::number(out, "", "TTL", r.ttl);
        }
        LeaseAnswer::Revoke(_, header) => fields.header(out, header),
        LeaseAnswer::KeepAlive(r) => {
            fields.header(out, &r.header);
            fields.lease_id(out, r.id);
            fields::number(out, "", "TTL", r.ttl);
        }
        LeaseAnswer::TimeToLive(r, _) => {
            fields.header(out, &r.header);
            fields.lease_id(out, r.id);
            fields::number(out, "", "TTL", r.ttl);
            fields::number(out, "", "GrantedTTL", r.granted_ttl);
            for key in &r.keys {
                fields::quoted(out, "", "Key", key);
            }
        }
        LeaseAnswer::Leases(r) => {
            fields.header(out, &r.header);
            for id in &r.leases {
                fields.lease_id(out, *id);
            }
        }
    }
}

/// Prints the header in protobuf encoding. For `lease revoke`, the client library's type of the response cannot be
/// encoded, so etcdctl prints an error that contains the response as a Go value.
fn protobuf(answer: &LeaseAnswer, profile: Profile, output: &mut Output) {
    let header = match answer {
        LeaseAnswer::Grant(r) => &r.header,
        LeaseAnswer::Revoke(_, header) => {
            let number = |name: &str, n: u64| format!("{name}:{n} ");
            let (before, after) = match () {
                // The address differs for each process of a real etcdctl.
                () if profile.has(Difference::PrintsGoPointers) => (
                    "*clientv3.LeaseRevokeResponse (&{{{} [] [] 0xc000134f80} ",
                    "[] 0})",
                ),
                () if profile.has(Difference::PrintsGoFields) => {
                    ("clientv3.LeaseRevokeResponse ({", " {} [] 0})")
                }
                () => ("clientv3.LeaseRevokeResponse ({", "})"),
            };
            let text = [
                "marshal unsupported for type ",
                before,
                &number("cluster_id", header.cluster_id),
                &number("member_id", header.member_id),
                &number("revision", header.revision as u64),
                &number("raft_term", header.raft_term),
                after,
            ];
            return fail(output, &text.concat(), EXIT_BAD_FEATURE);
        }
        LeaseAnswer::KeepAlive(r) => &r.header,
        LeaseAnswer::TimeToLive(r, _) => &r.header,
        LeaseAnswer::Leases(r) => &r.header,
    };
    header.write(&mut output.stdout);
}
