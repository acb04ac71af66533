//! Prints the output of `lease keep-alive`, `lock`, `elect` and `make-mirror`, in every format.
//!
//! Mirrors `leaseKeepAliveCommandFunc`, `lockUntilSignal`, `observe`, `campaign` and `makeMirror` in
//! `etcdctl/ctlv3/command`. A renewal has the form of `lease keep-alive --once`, and a key has the form of `get`.

use super::{PrintContext, fail, program, push_number, reply};
use crate::api::{LeaseKeepAliveRequest, LeaseKeepAliveResponse, Profile, RangeRequest, Response};
use crate::shell::etcdctl::operation::EXIT_ERROR;
use crate::shell::{Etcdctl, Output, Verb, WatchPrint};
use crate::trace::Printed;
use crate::world::COMMAND_TIMEOUT;

pub fn printed<'a>(
    printed: impl Iterator<Item = &'a Printed>,
    print: &WatchPrint,
    profile: Profile,
) -> Output {
    let mut output = Output::default();
    let context = PrintContext::new(profile);
    for one in printed {
        match one {
            Printed::KeptAlive(renewed) => {
                let lease = renewed.id;
                let renewed = Response::LeaseKeepAlive(renewed.clone());
                response(keep_alive(lease), renewed, print, &context, &mut output);
            }
            Printed::Expired(lease) => {
                let gone = Response::LeaseKeepAlive(LeaseKeepAliveResponse {
                    id: *lease,
                    ..LeaseKeepAliveResponse::default()
                });
                response(keep_alive(*lease), gone, print, &context, &mut output);
            }
            Printed::Read(read) => {
                let get = Verb::Get {
                    request: RangeRequest::default(),
                    print_value_only: false,
                    is_streamed: false,
                };
                let read = Response::Range(read.clone());
                response(get, read, print, &context, &mut output);
            }
            Printed::Ran {
                key,
                revision,
                reply,
            } => {
                let Some(command) = &print.command else {
                    continue;
                };
                let environment = [
                    ("ETCD_LOCK_KEY".to_owned(), key.to_vec()),
                    (
                        "ETCD_LOCK_REV".to_owned(),
                        revision.to_string().into_bytes(),
                    ),
                ];
                let ran = program(command, &environment, reply.as_ref(), &context);
                append(&mut output, &ran);
                if ran.exit != 0 {
                    let text = format!("exit status {}", ran.exit);
                    fail(&mut output, &text, ran.exit);
                }
            }
            Printed::Copied(keys) => {
                push_number(&mut output.stdout, *keys);
                output.stdout.push(b'\n');
            }
            Printed::Failed(error) => fail(&mut output, &error.to_string(), EXIT_ERROR),
        }
    }
    output
}

fn keep_alive(lease: i64) -> Verb {
    Verb::LeaseKeepAlive {
        request: LeaseKeepAliveRequest { id: lease },
        once: false,
    }
}

fn response(
    verb: Verb,
    response: Response,
    print: &WatchPrint,
    context: &PrintContext,
    output: &mut Output,
) {
    let command = Etcdctl {
        verb,
        format: print.format,
        hex: print.hex,
        user: None,
        endpoints: Vec::new(),
        cluster: false,
        timeout: COMMAND_TIMEOUT,
    };
    append(output, &reply(&command, &Ok(response), context));
}

fn append(output: &mut Output, more: &Output) {
    output.stdout.extend_from_slice(&more.stdout);
    output.stderr.extend_from_slice(&more.stderr);
    output.exit = output.exit.max(more.exit);
}
