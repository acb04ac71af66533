//! The prediction of a maintenance plan, for `cargo xtask parity maintenance`: `maintenance FILE SCRIPT COMPACT
//! [PREFIX]` writes the script of the plan and prints each step with the size of the database and its size in use.
//! COMPACT is `newest`, `never`, a revision, or `-N` to keep the last N revisions. The plan deletes the keys with the
//! prefix.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that writes a file and prints answers"
)]

use std::process::ExitCode;

use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FileAsk, FromEngine, Request, ToEngine};
use watchglass_engine::view::file::maintenance::{CompactAt, MaintenanceQuery};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, script, compact, prefix @ ..] = &args[..] else {
        return ExitCode::FAILURE;
    };
    let (Ok(content), Some(compact)) = (std::fs::read(file), compact_at(compact)) else {
        return ExitCode::FAILURE;
    };
    let (mut session, mut out) = (Session::default(), Vec::new());
    let name = file.clone();
    session.offer_file(content.into());
    let plan = MaintenanceQuery {
        delete: prefix.concat().into_bytes(),
        compact,
    };
    for message in [
        ToEngine::Request(1, Request::show_file(&name)),
        ToEngine::Request(2, Request::AskFile(FileAsk::Maintenance(plan))),
    ] {
        session.handle(message, &mut out);
        while session.pump(1000, &mut out) {}
    }
    for message in out {
        match message {
            FromEngine::Done {
                done: Done::Maintenance(view),
                ..
            } => {
                for step in &view.steps {
                    println!("{} {} {:?}", step.bytes, step.bytes_in_use, step.change);
                }
                return match std::fs::write(script, &view.script) {
                    Ok(()) => ExitCode::SUCCESS,
                    Err(_) => ExitCode::FAILURE,
                };
            }
            FromEngine::Done {
                done: Done::Refused { message },
                ..
            } => println!("{message}"),
            _ => {}
        }
    }
    ExitCode::FAILURE
}

fn compact_at(text: &str) -> Option<CompactAt> {
    match (text, text.strip_prefix('-')) {
        ("newest", _) => Some(CompactAt::Newest),
        ("never", _) => Some(CompactAt::Never),
        (_, Some(count)) => count.parse().ok().map(CompactAt::KeepLast),
        (revision, None) => revision.parse().ok().map(CompactAt::Revision),
    }
}
