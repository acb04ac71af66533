//! `cargo xtask <command>` performs all tasks of Watchglass's development except editing.
//!
//! Each command is a module with a function `run(args)`. The table below is the only list of all commands. If a command
//! needs a tool that is missing (a compiler target, npm packages, a browser), the command installs the tool.
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
mod digests;
mod docs;
mod firefox;
mod fuzz;
mod parity;
mod project;
mod pseudo;
mod report;
mod sample;
mod serve;
mod server;
mod site;
mod soak;
mod stages;
mod tidy;
mod tools;
mod trunk;

struct Command {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> anyhow::Result<ExitCode>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "serve",
        usage: "[--port N] [--no-open] [--with-etcd] [--prefix /path/] [--csp]",
        about: "build the release page if anything changed, serve it and open it",
        run: serve::run,
    },
    Command {
        name: "build",
        usage: "[--dev]",
        about: "create dist/, a folder for any static host, with compressed files and a table of sizes",
        run: site::run,
    },
    Command {
        name: "posters",
        usage: "",
        about: "draw the pictures that pages show before their programs run (a part of `build`), into .tools/posters",
        run: site::run_posters,
    },
    Command {
        name: "test",
        usage: "[--no-browser] [--fail-fast] [STAGE]…",
        about: "run all stages, like CI, or the given stages; the last line is `N passed, N failed`",
        run: stages::run,
    },
    Command {
        name: "browser",
        usage: "[--dev] [SPEC]…",
        about: "run some browser tests, such as `story.spec`; --dev builds the page faster and larger",
        run: browser::run,
    },
    Command {
        name: "docs",
        usage: "",
        about: "build the sites of integrations/ and examples/etcd-docs with the installed tools, and test them",
        run: docs::run,
    },
    Command {
        name: "pseudo",
        usage: "",
        about: "build the page with a pseudo-language and find texts that are not in a module of texts",
        run: pseudo::run,
    },
    Command {
        name: "tidy",
        usage: "",
        about: "check layers, file heads, colours, paths of machines and line lengths",
        run: tidy::run,
    },
    Command {
        name: "sample",
        usage: "[--seed N]",
        about: "print 100 visible texts and 50 doc comments, drawn at random, for a reader who did not write them",
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
        usage: "[sizes|native|qos|nemesis|wasm|browser|start|lighthouse]…",
        about: "measure download sizes, the speed of the engine and of the page, and a visitor's waiting times",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        usage: "[links|texts|shell|session|pages] [--minutes N] [--seed S] [--case SEED]",
        about: "send hostile inputs to the engine; find panics, long slices, too much memory, broken guarantees",
        run: fuzz::run,
    },
    Command {
        name: "soak",
        usage: "[--runs N] [--seed N]",
        about: "run thousands of random clusters with faults; find lost writes, stale reads, unequal members",
        run: soak::run,
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
