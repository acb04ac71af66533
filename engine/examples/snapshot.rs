//! A snapshot of a random run, for `cargo xtask parity snapshot`: `snapshot FILE OPERATIONS SEED PROFILE` writes the
//! file and prints the simulator's outputs for this file. Each line contains the name of a query and its output.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that writes a file and prints answers"
)]

use std::process::ExitCode;

use watchglass_engine::base::rng::Rng;
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{Done, FromEngine, Read, Request, ToEngine};

const READS: u64 = 50;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, operations, seed, profile] = &args[..] else {
        return ExitCode::FAILURE;
    };
    let number = |text: &String| text.parse::<u64>().ok();
    let (Some(operations), Some(seed)) = (number(operations), number(seed)) else {
        return ExitCode::FAILURE;
    };
    let mut run = Run {
        session: Session::default(),
        rng: Rng::stream(seed, "snapshot"),
        leases: Vec::new(),
        counts: [0; 5],
    };
    run.say(&format!("world profile={profile} seed=1"));
    for n in 0..operations {
        run.operation(n);
    }
    // Enough time for a whole compaction, which removes its rows in batches.
    run.say("run 1s");
    run.say("snapshot save monday.db");
    let mut out = Vec::new();
    let name = "monday.db".to_owned();
    run.session.handle(
        ToEngine::Request(1, Request::Read(Read::Snapshot { name })),
        &mut out,
    );
    while run.session.pump(1000, &mut out) {}
    let bytes = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::File { bytes, .. },
            ..
        } => Some(bytes),
        _ => None,
    });
    if bytes.is_none_or(|bytes| std::fs::write(file, bytes).is_err()) {
        return ExitCode::FAILURE;
    }
    let [puts, deletes, txns, leases, compactions] = run.counts;
    println!(
        "counts {puts} puts, {deletes} deletes, {txns} transactions, {leases} leases granted or revoked, \
         {compactions} compactions"
    );
    let tool = match profile.as_str() {
        "3.4" => "etcdctl",
        _ => "etcdutl",
    };
    for (name, format) in [
        ("status", "json"),
        ("simple", "simple"),
        ("table", "table"),
        ("fields", "fields"),
    ] {
        let text = run.say(&format!("{tool} snapshot status monday.db -w {format}"));
        println!("{name} {}", text.trim_end().replace('\n', "\\n"));
    }
    println!("now {}", run.say("get '' --prefix -w json"));
    let store = run.session.world().at_endpoint().store();
    let (oldest, newest) = (
        store.compact_rev().max(1) as u64,
        store.current_rev() as u64,
    );
    for _ in 0..READS {
        let rev = oldest + run.rng.below(newest - oldest + 1);
        let answer = run.say(&format!("get '' --prefix -w json --rev={rev}"));
        println!("{rev} {answer}");
    }
    ExitCode::SUCCESS
}

struct Run {
    session: Session,
    rng: Rng,
    leases: Vec<String>,
    /// The number of operations of each kind: puts, deletes, transactions, lease requests (grants and revokes) and
    /// compactions.
    counts: [u64; 5],
}

impl Run {
    /// Returns the output of a command, without its line break.
    fn say(&mut self, line: &str) -> String {
        self.session.exec(line).stdout.trim_end().to_owned()
    }

    fn key(&mut self) -> String {
        let folder = ["pods", "nodes", "leases"][self.rng.below(3) as usize];
        format!("/registry/{folder}/{}", self.rng.below(60))
    }

    fn value(&mut self) -> String {
        let bytes = [8, 60, 300, 6000][[0, 0, 1, 1, 1, 2, 2, 3][self.rng.below(8) as usize]];
        let letter = char::from(b'a' + self.rng.below(26) as u8);
        std::iter::repeat_n(letter, bytes).collect()
    }

    fn operation(&mut self, n: u64) {
        let (key, value) = (self.key(), self.value());
        let kind = match self.rng.below(100) {
            0..60 => {
                let lease = match self.rng.below(4) {
                    0 => self.leases.last().cloned(),
                    _ => None,
                };
                let flag = lease.map(|id| format!("--lease={id} ")).unwrap_or_default();
                self.say(&format!("put {flag}{key} {value}"));
                0
            }
            60..75 => {
                let flag = ["", "", "--prefix "][self.rng.below(3) as usize];
                self.say(&format!("del {flag}{key}"));
                1
            }
            75..93 => {
                let other = self.key();
                self.say(&format!(
                    "txn\nmod(\"{key}\") > \"0\"\n\nput {key} {value}\ndel {other}\n\n\
                     put {key} new\nput {other} new\n\n"
                ));
                2
            }
            93..98 => {
                match self.rng.below(3) {
                    0 if self.leases.len() > 2 => {
                        let id = self.leases.remove(0);
                        self.say(&format!("lease revoke {id}"));
                    }
                    _ => {
                        let granted = self.say("lease grant 36000");
                        let id = granted.split(' ').nth(1).unwrap_or_default();
                        self.leases.push(id.to_owned());
                    }
                }
                3
            }
            _ if n.is_multiple_of(5) => {
                let now = self.session.world().at_endpoint().store().current_rev();
                let revision = now - self.rng.below(1500) as i64;
                self.say(&format!("compact {revision}"));
                4
            }
            _ => {
                self.say("run 70ms");
                return;
            }
        };
        self.counts[kind] += 1;
    }
}
