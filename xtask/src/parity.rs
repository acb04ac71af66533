//! `cargo xtask parity` sends the same commands to the simulator and to a real etcd, and prints the differences.
//!
//! A real etcd is started on free loopback ports with a temporary data folder, and is stopped at the end. Random
//! commands run with the real `etcdctl`, each in its own process. The same seed leads to the same commands. Then the
//! same commands run in the engine's native shell with the profile of etcd's minor version, and the outputs and exit
//! codes are compared. With `--record FILE`, the real outputs are written to a file for `engine/tests/recorded.rs`
//! instead.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

mod chance;
mod cluster;
mod etcd;
mod events;
mod export;
mod generate;
mod leases;
mod maintenance;
mod mask;
mod script;
mod slow;
mod snapshot;
mod transcript;
mod watch;
mod write;

/// The quota of the second etcd. Its file stays smaller than half of the quota, and a single put of
/// [`generate::BIG_PUT_BYTES`] exceeds the quota.
const QUOTA_BYTES: usize = 128 << 10;

/// A command to run with the real etcdctl and with the simulator.
#[derive(Clone, Debug)]
struct Case {
    /// The words of the command line after `etcdctl`, or the words of a command line that begins with `etcdutl`.
    args: Vec<Vec<u8>>,
    /// The lines of standard input, such as the blocks of a transaction.
    stdin: Vec<String>,
}

impl Case {
    fn is_etcdutl(&self) -> bool {
        self.args.first().is_some_and(|word| word == b"etcdutl")
    }

    /// Returns the words after the name of the program.
    fn words(&self) -> &[Vec<u8>] {
        &self.args[usize::from(self.is_etcdutl())..]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    exit: i32,
}

/// Compares with the help of a file with this ending in the temporary folder, and removes the file.
fn with_temporary_file(
    ending: &str,
    compare: impl FnOnce(&Path) -> Result<bool>,
) -> Result<ExitCode> {
    let file = std::env::temp_dir().join(format!("watchglass-{}.{ending}", std::process::id()));
    let same = compare(&file);
    std::fs::remove_file(&file).ok();
    same.map(|same| match same {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Runs the comparison, or records the real outputs.
pub(crate) fn run(args: &[String]) -> Result<ExitCode> {
    let (programs, args) = etcd::Programs::take(args)?;
    match args.split_first() {
        Some((first, rest)) if first == "snapshot" => return snapshot::run(&programs, rest),
        Some((first, rest)) if first == "export" => return export::run(&programs, rest),
        Some((first, rest)) if first == "script" => return script::run(&programs, rest),
        Some((first, rest)) if first == "maintenance" => return maintenance::run(&programs, rest),
        Some((first, rest)) if first == "cluster" => return cluster::run(&programs, rest),
        _ => {}
    }
    let options = Options::read(&args)?;
    let server = etcd::Server::start(&programs)?;
    println!(
        "etcd {} runs on {}; {} commands with seed {}.",
        programs.version(),
        server.endpoint(),
        options.commands,
        options.seed
    );

    let mut generator = generate::Generator::new(options.seed, programs.has_etcdutl());
    let mut leases = leases::Leases::default();
    let mut cases = Vec::new();
    let mut answers = Vec::new();
    for done in 0..options.commands {
        // The hash of the history includes lease IDs, which differ, so only the second half of the commands has leases.
        let with_leases = done >= options.commands / 2;
        let case = if done + 1 == options.commands {
            generator.cut_short()
        } else {
            generator.next_case(with_leases)
        };
        let (case, answer) = ask(&server, &mut generator, &mut leases, &case)?;
        cases.push(case);
        answers.push(answer);
        if (done + 1) % 500 == 0 {
            println!("  {} commands run with the real etcdctl", done + 1);
        }
    }
    server.stop();

    if let Some(path) = &options.record {
        return record(path, programs.version(), &options, &cases, &answers);
    }
    println!("The native shell is built and gets the same commands.");
    let same = compare(
        &programs,
        &cases,
        &answers,
        simulate(&programs, "", &cases)?,
    )?;
    let quota = compare_quota(&programs, &options)?;
    let auth = compare_auth(&programs, &options)?;
    let watched = compare_watches(&programs, &options)?;
    let slow = compare_slow(&programs, &options)?;
    Ok(if same && quota && auth && watched && slow {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs a command with the real etcdctl. Returns the command and its output. In both, the simulator's lease IDs replace
/// etcd's lease IDs.
fn ask(
    server: &etcd::Server,
    generator: &mut generate::Generator,
    leases: &mut leases::Leases,
    case: &Case,
) -> Result<(Case, Answer)> {
    let answer = server.run(case)?;
    generator.learn(&answer);
    if let Some(id) = leases.learn(server, case, &answer)? {
        generator.learn_lease(id);
    }
    Ok((leases.ours_in_case(case), leases.ours_in_answer(&answer)))
}

/// Runs the second part of the comparison: a store with a quota. Some puts exceed the quota, no matter how large the
/// file is.
fn compare_quota(programs: &etcd::Programs, options: &Options) -> Result<bool> {
    if options.quota_commands == 0 {
        return Ok(true);
    }
    let quota = ["--quota-backend-bytes", &QUOTA_BYTES.to_string()].map(str::to_owned);
    let server = etcd::Server::start_with(programs, &quota)?;
    println!(
        "\nAnother etcd has a quota of {QUOTA_BYTES} bytes and gets {} commands.",
        options.quota_commands
    );
    let mut generator = generate::Generator::new(options.seed ^ 1, programs.has_etcdutl());
    let mut leases = leases::Leases::default();
    let (mut cases, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..options.quota_commands {
        let case = generator.next_quota_case();
        let (case, answer) = ask(&server, &mut generator, &mut leases, &case)?;
        cases.push(case);
        answers.push(answer);
    }
    server.stop();
    let refused = answers.iter().filter(|answer| {
        let text = String::from_utf8_lossy(&answer.stderr);
        text.contains("database space exceeded")
    });
    println!("  {} of them were refused for their space", refused.count());
    let before = format!("set quota-backend-bytes {QUOTA_BYTES}\n");
    let mut outputs = simulate(programs, &before, &cases)?;
    ensure!(!outputs.is_empty(), "the native shell answered nothing");
    outputs.remove(0);
    compare(programs, &cases, &answers, outputs)
}

/// Runs the third part of the comparison: users and roles, while authentication is enabled or not.
fn compare_auth(programs: &etcd::Programs, options: &Options) -> Result<bool> {
    if options.auth_commands == 0 {
        return Ok(true);
    }
    let server = etcd::Server::start(programs)?;
    println!(
        "\nAnother etcd gets {} commands about users and of users.",
        options.auth_commands
    );
    let mut generator = generate::Generator::new(options.seed ^ 2, programs.has_etcdutl());
    let mut leases = leases::Leases::default();
    let (mut cases, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..options.auth_commands {
        let case = generator.next_auth_case();
        let (case, answer) = ask(&server, &mut generator, &mut leases, &case)?;
        cases.push(case);
        answers.push(answer);
    }
    server.stop();
    compare(programs, &cases, &answers, simulate(programs, "", &cases)?)
}

/// Runs the fourth part of the comparison: writers and watchers, with a new store.
fn compare_watches(programs: &etcd::Programs, options: &Options) -> Result<bool> {
    if options.watchers == 0 {
        return Ok(true);
    }
    let server = etcd::Server::start(programs)?;
    println!(
        "\nAnother etcd gets {} writes and {} watchers.",
        options.writes, options.watchers
    );
    let outcome = watch::run(&server, options.watchers, options.writes, options.seed)?;
    server.stop();
    println!(
        "parity: {} writes and leases, {} watchers, {} lines of events, {} differences",
        outcome.commands, outcome.watchers, outcome.events, outcome.differences
    );
    Ok(outcome.differences == 0)
}

/// Runs the fifth part of the comparison: clients that are paused while the history is compacted, with a new store.
fn compare_slow(programs: &etcd::Programs, options: &Options) -> Result<bool> {
    if options.slow_rounds == 0 {
        return Ok(true);
    }
    let server = etcd::Server::start(programs)?;
    println!(
        "\nAnother etcd gets {} rounds with four slow clients each.",
        options.slow_rounds
    );
    let outcome = slow::run(&server, options.slow_rounds, options.seed)?;
    server.stop();
    println!(
        "Not compared: how many events a client receives before its cancellation, and previous values in a round \
         with a compaction; both depend on the buffers of gRPC."
    );
    println!(
        "parity: {} slow clients, {} events, {} clients canceled by a compaction, {} differences",
        outcome.clients, outcome.events, outcome.canceled, outcome.differences
    );
    Ok(outcome.differences == 0)
}

struct Options {
    commands: usize,
    quota_commands: usize,
    auth_commands: usize,
    watchers: usize,
    writes: usize,
    slow_rounds: usize,
    seed: u64,
    record: Option<String>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self> {
        let mut options = Self {
            commands: 2000,
            quota_commands: 300,
            auth_commands: 300,
            watchers: 20,
            writes: 400,
            slow_rounds: 4,
            seed: 1,
            record: None,
        };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), rest.next().cloned()),
            };
            let value = value.with_context(|| format!("`{name}` wants a value"))?;
            match name {
                "--commands" => {
                    options.commands = value
                        .parse()
                        .with_context(|| format!("`--commands {value}`: a number"))?;
                }
                "--quota-commands" => {
                    options.quota_commands = value
                        .parse()
                        .with_context(|| format!("`--quota-commands {value}`: a number"))?;
                }
                "--auth-commands" => {
                    options.auth_commands = value
                        .parse()
                        .with_context(|| format!("`--auth-commands {value}`: a number"))?;
                }
                "--watchers" => {
                    options.watchers = value
                        .parse()
                        .with_context(|| format!("`--watchers {value}`: a number"))?;
                }
                "--writes" => {
                    options.writes = value
                        .parse()
                        .with_context(|| format!("`--writes {value}`: a number"))?;
                }
                "--slow-rounds" => {
                    options.slow_rounds = value
                        .parse()
                        .with_context(|| format!("`--slow-rounds {value}`: a number"))?;
                }
                "--seed" => {
                    options.seed = value
                        .parse()
                        .with_context(|| format!("`--seed {value}`: a number"))?;
                }
                "--record" => options.record = Some(value),
                _ => bail!(
                    "parity knows --etcd PATH, --etcdctl PATH, --etcdutl PATH, --commands N, --quota-commands N, \
                     --auth-commands N, --watchers N, --writes N, --slow-rounds N, --seed N and --record FILE, \
                     not `{name}`"
                ),
            }
        }
        ensure!(options.commands > 0, "`--commands` is at least 1");
        Ok(options)
    }
}

fn record(
    path: &str,
    version: &str,
    options: &Options,
    cases: &[Case],
    answers: &[Answer],
) -> Result<ExitCode> {
    let mut text = format!(
        "# What etcdctl {} answers to {} random commands, seed {}.\n\
         # Written by `cargo xtask parity --record`, read by engine/tests/recorded.rs; not edited by hand.\n",
        version, options.commands, options.seed
    );
    let mut written = 0;
    let mut pages = BTreeSet::new();
    for (case, answer) in cases.iter().zip(answers) {
        // Numbers that depend on the wall clock cannot be compared with a recording. A wrong flag prints a usage page,
        // and one recording of each usage page is enough.
        let is_page = answer.stdout.starts_with(b"NAME:\n");
        if mask::is_masked(case) || is_page && !pages.insert(&answer.stdout) {
            continue;
        }
        text.push('\n');
        transcript::push_record(&mut text, case, answer);
        written += 1;
    }
    std::fs::write(Path::new(path), text)
        .with_context(|| format!("{path} could not be written"))?;
    println!("{path}: {written} commands");
    Ok(ExitCode::SUCCESS)
}

fn compare(
    programs: &etcd::Programs,
    cases: &[Case],
    answers: &[Answer],
    outputs: Vec<Vec<u8>>,
) -> Result<bool> {
    ensure!(
        outputs.len() == cases.len(),
        "the native shell answered {} of {} commands",
        outputs.len(),
        cases.len()
    );
    let mut differences = 0;
    for (number, ((case, answer), ours)) in cases.iter().zip(answers).zip(&outputs).enumerate() {
        let real = mask::mask(case, &transcript::merged(answer));
        let ours = mask::mask(case, ours);
        let (real, ours) = mask::without_build(programs.profile(), real, ours);
        if real == ours || mask::is_order_of_login(case, &real, &ours) {
            continue;
        }
        differences += 1;
        println!(
            "\ncommand {}: {}",
            number + 1,
            transcript::input(case).trim_end()
        );
        let (real, ours) = (transcript::shown(&real), transcript::shown(&ours));
        let (real, ours) = differing_lines(&real, &ours);
        println!(
            "--- etcd {}\n{real}--- watchglass\n{ours}",
            programs.version()
        );
    }
    println!(
        "\nNot compared: the sizes in `endpoint status` (in real etcd they depend on when its batches of 100 ms of \
         wall time end) and the time that `endpoint health` took; the seconds that \
         are left of a lease, and the order of its keys. Ids of leases are made the simulator's; the hash of a history \
         that has them in it is not asked for."
    );
    println!(
        "Left out of etcdctl's output: the client's warnings in JSON on standard error, and the stack below the first \
         line of a panic."
    );
    println!(
        "parity: {} commands, {differences} differences",
        cases.len()
    );
    Ok(differences == 0)
}

/// Removes the lines at the start and at the end that both texts have in common. Returns the rest of both texts.
fn differing_lines(real: &str, ours: &str) -> (String, String) {
    let (real, ours): (Vec<&str>, Vec<&str>) = (real.lines().collect(), ours.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let before = real.iter().zip(&ours).take_while(same).count();
    let left = real.len().min(ours.len()) - before;
    let after = real
        .iter()
        .rev()
        .zip(ours.iter().rev())
        .take(left)
        .take_while(same)
        .count();
    let middle = |lines: &[&str]| {
        let mut text = String::new();
        if before > 0 {
            text.push_str(&format!("    … {before} lines alike\n"));
        }
        for line in &lines[before..lines.len() - after] {
            text.push_str(&format!("    {line}\n"));
        }
        if after > 0 {
            text.push_str(&format!("    … {after} lines alike\n"));
        }
        text
    };
    (middle(&real), middle(&ours))
}

/// Runs commands in the native shell, after the lines of `before`. Returns the output of each command, which ends in a
/// `# exit` line.
fn simulate(programs: &etcd::Programs, before: &str, cases: &[Case]) -> Result<Vec<Vec<u8>>> {
    let mut script = before.to_owned();
    for case in cases {
        script.push_str(&transcript::input(case));
    }
    programs.simulate(&script)
}
