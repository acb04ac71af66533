//! Compares slow clients with a real etcd. `etcdctl watch` processes are paused while values of 4 kB are put and, in
//! some rounds, the history is compacted.
//!
//! The number of events on the way from etcd to a paused client depends on gRPC's buffers, which the simulator does not
//! model in detail. So each round has either few events, which fit even without gRPC's buffers, or more events than all
//! buffers together hold. If the events fit, all events are compared. If they overflow, etcd's client and the
//! simulator's client must first receive the same events. After these events, both must receive either all other events
//! or the same cancellation.

use std::fmt::Write as _;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Case;
use super::chance::Chance;
use super::etcd::Server;
use super::events::events_of_etcdctl;
use super::watch::{Watch, collect_lines, start_etcdctl, wait_for};

/// The size of a value in bytes. About 32 events of this size fill gRPC's window (64 KiB) and gRPC's write quota
/// (64 KiB).
const VALUE_BYTES: usize = 4_000;

/// The number of events in a round without overflow. They fit into the channel of 128 responses, even without gRPC's
/// buffers.
const FITS: u64 = 100;

/// The number of events in a round with overflow. They exceed the channel and gRPC's buffers together.
const OVERFLOWS: u64 = 300;

/// The waiting time after which a resumed client has received all its events.
const SETTLES: Duration = Duration::from_millis(1_500);

#[derive(Default)]
pub(super) struct SlowOutcome {
    pub(super) clients: usize,
    pub(super) events: usize,
    pub(super) canceled: usize,
    pub(super) differences: usize,
}

/// The state of a comparison over all rounds: the real etcd, and the script for the simulator.
struct Run<'a> {
    server: &'a Server<'a>,
    chance: Chance,
    script: String,
    /// The number of outputs that the simulator prints for the lines of the script so far.
    outputs: usize,
    revision: u64,
    puts: u64,
}

impl Run<'_> {
    fn both(&mut self, words: &[String]) -> Result<()> {
        let case = Case {
            args: words.iter().map(|word| word.clone().into_bytes()).collect(),
            stdin: Vec::new(),
        };
        let answer = self.server.run(&case)?;
        ensure!(answer.exit == 0, "etcdctl {} failed", words.join(" "));
        self.ours(&words.join(" "));
        Ok(())
    }

    fn ours(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.script, "{line}");
        self.outputs += 1;
    }

    fn put(&mut self) -> Result<()> {
        self.puts += 1;
        let key = format!("/s/{}", self.chance.below(4));
        let value = format!("v{}{}", self.puts, "x".repeat(VALUE_BYTES));
        self.both(&["put".into(), key, value])?;
        self.revision += 1;
        Ok(())
    }
}

/// Runs `rounds` rounds with four clients each.
pub(super) fn run(server: &Server, rounds: usize, seed: u64) -> Result<SlowOutcome> {
    let mut run = Run {
        server,
        chance: Chance(seed ^ 0x736c_6f77),
        script: String::new(),
        outputs: 0,
        revision: 1,
        puts: 0,
    };
    let mut all = Vec::new();
    // In etcd 3.4.23, the metric can be below 0 after a compaction has canceled watchers.
    let mut left = 0.0;
    for round in 0..rounds {
        for _ in 0..run.chance.below(5) {
            run.put()?;
        }
        let (overflows, compacts) = (round % 2 == 1, run.chance.below(3) > 0);
        let mut clients = Vec::new();
        for i in 0..4 {
            // The last two clients watch a quarter of the keys each, so all their events always fit.
            let mut words: Vec<String> = match i {
                0 => vec!["/s/".into(), "--prefix".into()],
                1 => vec!["/s/".into(), "/s0".into(), "--prev-kv".into()],
                n => vec![format!("/s/{n}")],
            };
            words.extend(["-w".into(), "json".into()]);
            let watch = Watch::etcdctl(format!("w{round}-{i}"), words);
            run.ours(watch.typed().trim_end());
            let mut child = start_etcdctl(server, &watch)?;
            let heard = collect_lines(&mut child)?;
            clients.push((watch, child, heard));
        }
        let begun = clients.len() as f64;
        wait_for(server, "etcd_debugging_mvcc_watcher_total", |n| {
            n >= left + begun
        })?;
        std::thread::sleep(Duration::from_millis(200));
        run.ours("run 200ms");
        for (watch, child, _) in &clients {
            signal(child, "STOP")?;
            run.ours(&format!("pause {}", watch.name()));
        }
        let puts = match overflows {
            true => OVERFLOWS + run.chance.below(60),
            false => 1 + run.chance.below(FITS),
        };
        for _ in 0..puts {
            run.put()?;
        }
        let compacted = run.revision - run.chance.below(20).min(puts - 1);
        if compacts {
            run.both(&["compaction".into(), compacted.to_string()])?;
        }
        std::thread::sleep(Duration::from_millis(200));
        run.ours("run 200ms");
        for (watch, child, _) in &clients {
            signal(child, "CONT")?;
            run.ours(&format!("resume {}", watch.name()));
        }
        std::thread::sleep(SETTLES);
        run.ours("run 1500ms");
        for _ in 0..3 {
            run.put()?;
        }
        std::thread::sleep(SETTLES);
        run.ours("run 1500ms");
        for (watch, mut child, heard) in clients {
            child.kill().ok();
            child.wait()?;
            let place = run.outputs;
            run.ours(&format!("recv {}", watch.name()));
            run.ours(&format!("stop {}", watch.name()));
            all.push((watch, heard.text(), place, (overflows, compacts)));
        }
        left = wait_for(server, "etcd_debugging_mvcc_watcher_total", |n| n <= left)?;
    }
    let outputs = server.programs().simulate(&run.script)?;
    ensure!(
        outputs.len() == run.outputs,
        "the native shell answered {} of {} commands",
        outputs.len(),
        run.outputs
    );
    let mut outcome = SlowOutcome::default();
    for (watch, real, place, (overflows, compacts)) in all {
        let real = events_of_etcdctl(&real)?;
        let ours = events_of_etcdctl(&String::from_utf8_lossy(&outputs[place]))?;
        // etcd reads a previous value when it sends the event, so a compaction removes the previous values of events
        // that gRPC did not buffer.
        let [real, ours] = [real, ours].map(|lines| match compacts {
            true => lines.iter().map(|line| without_prev(line)).collect(),
            false => lines,
        });
        compare(&watch, (&real, &ours), overflows, &mut outcome);
    }
    Ok(outcome)
}

fn without_prev(line: &str) -> String {
    line.split(" after ").next().unwrap_or(line).to_owned()
}

/// Splits the output lines of a watch into the lines of its events and the lines after the last event, which are about
/// its end.
fn parts(lines: &[String]) -> (&[String], &[String]) {
    let is_event = |line: &&String| line.starts_with("PUT ") || line.starts_with("DELETE ");
    lines.split_at(lines.iter().take_while(is_event).count())
}

fn compare(
    watch: &Watch,
    (real, ours): (&[String], &[String]),
    overflows: bool,
    outcome: &mut SlowOutcome,
) {
    outcome.clients += 1;
    let ((real_events, real_end), (our_events, our_end)) = (parts(real), parts(ours));
    outcome.events += our_events.len();
    outcome.canceled += usize::from(!our_end.is_empty());
    let common = real_events.iter().zip(our_events);
    let agree = common.take_while(|(a, b)| a == b).count();
    let shorter = real_events.len().min(our_events.len());
    let is_cut = overflows && !our_end.is_empty();
    let same = match is_cut {
        true => agree == shorter && shorter > 0,
        false => real_events == our_events,
    };
    if same && real_end == our_end {
        return;
    }
    outcome.differences += 1;
    println!(
        "\nwatch {}: {} and {} events, the first {agree} are equal\n--- real\n    {}\n--- watchglass\n    {}",
        watch.name(),
        real_events.len(),
        our_events.len(),
        shown(&real[agree.min(real.len())..]),
        shown(&ours[agree.min(ours.len())..]),
    );
}

fn shown(lines: &[String]) -> String {
    let lines = lines.iter().take(4);
    let cut = lines.map(|line| line.chars().take(100).collect::<String>());
    cut.collect::<Vec<_>>().join("\n    ")
}

fn signal(child: &Child, name: &str) -> Result<()> {
    let status = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(child.id().to_string())
        .status()
        .context("`kill` does not start")?;
    ensure!(status.success(), "`kill -{name}` failed");
    Ok(())
}
