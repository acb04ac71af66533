//! All tasks of Watchglass besides editing: `cargo xtask <command>`.
//!
//! Each command is one module with `run(args)`; the table below is the only place that lists all of them. If a tool is
//! missing (a compiler target, npm packages, a browser), the command installs it.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "xtask runs on the developer's machine: it prints, measures real time, and serves from threads"
)]

use std::process::ExitCode;

mod bench;
mod bless;
mod browser;
mod firefox;
mod fuzz;
mod parity;
mod project;
mod report;
mod sample;
mod serve;
mod server;
mod site;
mod stages;
mod tidy;
mod tools;
mod trunk;
mod wasm_behaviour;

/// One row of the command table.
struct Command {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> anyhow::Result<ExitCode>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "serve",
        usage: "[--port N] [--no-open] [--prefix /path/] [--csp]",
        about: "build the release page if anything changed, serve it and open it",
        run: serve::run,
    },
    Command {
        name: "build",
        usage: "[--dev]",
        about: "make dist/: a folder for any static host, compressed, with a table of sizes",
        run: site::run,
    },
    Command {
        name: "posters",
        usage: "",
        about: "draw what pages show before their programs run, into .tools/posters; `build` does it too",
        run: site::run_posters,
    },
    Command {
        name: "test",
        usage: "[--no-browser] [--fail-fast] [STAGE]…",
        about: "everything CI runs, or the stages named; the last line is `N passed, N failed`",
        run: stages::run,
    },
    Command {
        name: "browser",
        usage: "[--dev] [SPEC]…",
        about: "some of the browser tests, such as `story.spec`; with --dev on a page that is quicker to build",
        run: browser::run,
    },
    Command {
        name: "tidy",
        usage: "",
        about: "layers, names of types, file heads, leftovers, colours and line lengths",
        run: tidy::run,
    },
    Command {
        name: "sample",
        usage: "[--seed N]",
        about: "100 texts that people see and 50 doc comments, drawn at random, for a reader who did not write them",
        run: sample::run,
    },
    Command {
        name: "bless",
        usage: "[PATH]",
        about: "rewrite the expected output of behaviour files; read the diff before you commit it",
        run: bless::run,
    },
    Command {
        name: "bench",
        usage: "[sizes|native|browser]…",
        about: "download sizes against the budget, engine speed, page speed",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        usage: "[links|texts|shell|session] [--minutes N] [--seed S] [--case SEED]",
        about: "hostile inputs for the engine: panics, long slices, memory, broken promises",
        run: fuzz::run,
    },
    Command {
        name: "parity",
        usage: "[…]",
        about: "compare the simulator with a real etcd",
        run: parity::run,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(name) = args.first().map(String::as_str) else {
        print_help();
        return ExitCode::FAILURE;
    };
    if matches!(name, "help" | "--help" | "-h") {
        print_help();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("xtask: there is no command `{name}`; these exist:\n");
        print_help();
        return ExitCode::FAILURE;
    };
    match (command.run)(&args[1..]) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\nxtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_help() {
    println!("cargo xtask <command>\n");
    for Command {
        name, usage, about, ..
    } in COMMANDS
    {
        println!("  {}", format!("{name} {usage}").trim_end());
        println!("      {about}");
    }
}
