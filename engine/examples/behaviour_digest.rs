//! Prints `<digest>  <path>` for each given behaviour file; the page must compute the same digests. `cargo run
//! --release -p watchglass-engine --example behaviour_digest -- FILE…`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is what it is for"
)]

use std::process::ExitCode;

use watchglass_engine::session::script;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let run = std::fs::read_to_string(&path)
            .map_err(|e| e.to_string())
            .and_then(|text| script::run_file(&text).map_err(|e| e.to_string()));
        match run {
            Ok(report) => println!("{:016x}  {path}", report.digest),
            Err(e) => {
                eprintln!("{path}: {e}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
