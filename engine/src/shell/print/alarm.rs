//! Prints the output of `alarm list`, `alarm disarm` and `defrag`.
//!
//! Mirrors `alarm_command.go`, `defrag_command.go` and the `Alarm` functions of the printers. Only the response to
//! `alarm list` contains a header, and only since 3.5. If a response has no header, etcdctl before 3.7
//! panics with `--write-out=fields`; this module prints only the first line of the panic.

use super::fields::Fields;
use super::json::{self, header};
use super::status::go_duration;
use super::{PrintContext, by_endpoint, unsupported};
use crate::api::{AlarmResponse, Difference, Profile, Reply, ResponseHeader};
use crate::base::json::Json;
use crate::base::proto::{Field, ProtoMessage};
use crate::shell::etcdctl::operation::{EXIT_BAD_CONNECTION, EXIT_ERROR};
use crate::shell::{Etcdctl, Format, Output, Verb};

pub(super) fn alarms(
    command: &Etcdctl,
    response: &AlarmResponse,
    profile: Profile,
    output: &mut Output,
) {
    let has_header = profile.has(Difference::HeadsAlarms) && command.verb == Verb::AlarmList;
    let out = &mut output.stdout;
    match command.format {
        Format::Simple => {
            for alarm in &response.alarms {
                out.extend_from_slice(alarm.text(profile).as_bytes());
                out.push(b'\n');
            }
        }
        Format::Json => json::line(out, |out| {
            let mut json = Json::object(out);
            if has_header {
                header(&mut json, &response.header);
            }
            if !response.alarms.is_empty() {
                let mut list = Json::array(json.key("alarms"));
                for alarm in &response.alarms {
                    let mut json = Json::object(list.item());
                    json.value("memberID", alarm.member_id);
                    json.value("alarm", alarm.alarm as u8);
                }
            }
        }),
        Format::Fields if has_header || profile.has(Difference::PrintsMissingHeader) => {
            let fields = Fields::new(command.hex, profile);
            let missing = ResponseHeader::default();
            let header = match has_header {
                true => &response.header,
                false => &missing,
            };
            fields.header(out, header);
            for alarm in &response.alarms {
                fields.id(out, "MemberID", alarm.member_id);
                let text = format!("\"AlarmType\" : {}\n\n", alarm.alarm.name());
                out.extend_from_slice(text.as_bytes());
            }
        }
        Format::Fields => {
            let panic =
                b"panic: runtime error: invalid memory address or nil pointer dereference\n";
            output.stderr.extend_from_slice(panic);
            output.exit = EXIT_BAD_CONNECTION;
        }
        Format::Protobuf if has_header => response.write(out),
        Format::Protobuf => response.alarms.write_field(2, out),
        Format::Table => unsupported(command.format, output),
    }
}

pub(super) fn defrag(
    command: &Etcdctl,
    replies: &[Reply],
    context: &PrintContext,
    output: &mut Output,
) {
    let took = match context.profile.has(Difference::TimesDefrag) {
        false => String::new(),
        true => format!(". took {}", go_duration(context.took)),
    };
    for (endpoint, reply) in by_endpoint(command, replies) {
        match reply {
            Ok(_) => {
                let text = format!("Finished defragmenting etcd member[{endpoint}]{took}\n");
                output.stdout.extend_from_slice(text.as_bytes());
            }
            Err(error) => {
                let stop = if took.is_empty() { "" } else { "." };
                let text =
                    format!("Failed to defragment etcd member[{endpoint}]{took}{stop} ({error})\n");
                output.stderr.extend_from_slice(text.as_bytes());
                output.exit = EXIT_ERROR;
            }
        }
    }
}
