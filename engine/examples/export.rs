//! Exports a run, for `cargo xtask parity export`: `export script|lines|perfetto PROFILE` reads commands or a scenario
//! from standard input, runs them, and prints the file.

#![allow(
    clippy::disallowed_methods,
    reason = "a program that reads and prints files"
)]

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use watchglass_engine::scenario;
use watchglass_engine::session::protocol::{
    Done, ExportForm, FromEngine, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::session::{Config, Session};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let form = match args.first().map(String::as_str) {
        Some("script") => ExportForm::EtcdctlScript,
        Some("lines") => ExportForm::TraceLines,
        Some("perfetto") => ExportForm::Perfetto,
        _ => return ExitCode::FAILURE,
    };
    let mut text = String::new();
    if io::stdin().read_to_string(&mut text).is_err() {
        return ExitCode::FAILURE;
    }
    let mut session = Session::new(Config::default());
    match args.get(1) {
        Some(profile) => {
            let (profile, seed) = (profile.clone(), 42);
            session.load(Source::Empty { profile, seed }, SeekTo::End);
            for input in inputs(&text) {
                session.exec(&input);
            }
        }
        None => {
            session.load(Source::Text(text), SeekTo::End);
        }
    }
    let mut out = Vec::new();
    session.handle(ToEngine::Request(1, Request::Export(form)), &mut out);
    while session.pump(1_000, &mut out) {}
    let file = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::File { bytes, .. },
            ..
        } => Some(bytes),
        _ => None,
    });
    match file {
        Some(bytes) if io::stdout().write_all(&bytes).is_ok() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Returns the commands of a behaviour file, or a text of commands as a whole.
fn inputs(text: &str) -> Vec<String> {
    let is_file = text.lines().any(|line| line == "----");
    match scenario::read(text) {
        Ok(scenario) if is_file => {
            let blocks = scenario.blocks.into_iter();
            blocks.map(|block| block.input).collect()
        }
        _ => vec![text.to_owned()],
    }
}
