//! The script that brings the keys of a database file back, for `cargo xtask parity script`: `put_script FILE SCRIPT`
//! writes the script, and prints for each key a revision at which it has its last value, and the key in quotes of JSON.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that writes a file and prints answers"
)]

use std::process::ExitCode;

use watchglass_engine::base::json;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FileAsk, FromEngine, Request, ToEngine};
use watchglass_engine::view::file::key_list::{KeyFilter, KeyListQuery, KeyOrder};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, script] = &args[..] else {
        return ExitCode::FAILURE;
    };
    let Ok(content) = std::fs::read(file) else {
        return ExitCode::FAILURE;
    };
    let (mut session, mut out) = (Session::default(), Vec::new());
    let name = file.clone();
    session.offer_file(content.into());
    let keys = KeyListQuery {
        order: KeyOrder::Key,
        limit: u32::MAX,
        ..KeyListQuery::default()
    };
    let all = FileAsk::SaveScript(KeyFilter::default());
    for message in [
        ToEngine::Request(1, Request::show_file(&name)),
        ToEngine::Request(2, Request::AskFile(FileAsk::Keys(keys))),
        ToEngine::Request(3, Request::AskFile(all)),
    ] {
        session.handle(message, &mut out);
        while session.pump(1000, &mut out) {}
    }
    let (mut is_written, mut compacted) = (false, 0);
    for message in out {
        match message {
            FromEngine::Done {
                done: Done::File { bytes, .. },
                ..
            } => is_written = std::fs::write(script, bytes).is_ok(),
            FromEngine::Done {
                done: Done::Opened(overview),
                ..
            } => compacted = overview.writers.since,
            FromEngine::Done {
                done: Done::Keys(list),
                ..
            } => {
                for row in list.rows {
                    // A key that is no text cannot be an argument of etcdctl.
                    let (Some(at), Ok(key)) = (row.value_revision, String::from_utf8(row.key))
                    else {
                        continue;
                    };
                    let mut quoted = String::new();
                    json::push_string(&mut quoted, &key);
                    println!("{} {quoted}", at.main.max(compacted));
                }
            }
            _ => {}
        }
    }
    match is_written {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
