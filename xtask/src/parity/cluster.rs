//! `cargo xtask parity cluster` compares three real etcd processes on loopback with the simulator's three members.
//!
//! Both clusters run the same commands, which query the state of the cluster, and read and write through each member:
//! with all members running, with two members stopped (SIGSTOP), after these members continue, and with the leader
//! stopped. The simulator pauses its members instead. The comparison replaces the addresses, names and ids of the real
//! members with those of the simulated members. The first member is the leader in both clusters.
//!
//! The comparison excludes durations, sizes, and the result of the write that timed out. It also excludes terms and log
//! indexes after the first fault, because they then depend on elections. At its start, a real cluster also writes a log
//! entry with the version of the cluster.

use std::path::PathBuf;
use std::process::{Child, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Answer, Case, etcd, mask, transcript};
use crate::project;

const MEMBERS: usize = 3;

/// The simulator's lines that start the cluster. With this seed, the first member wins the first election.
const START: &str = "world members=3 seed=7\nrun 5s\n";

/// The columns of `endpoint status` that contain indexes of the raft log, until 3.5 and since 3.6.
const INDEXES: [[usize; 2]; 2] = [[7, 8], [11, 12]];

/// The maximum time for the real members to elect a leader, or to catch up.
const SETTLE_MAX: Duration = Duration::from_secs(60);

/// A step of the comparison. Members are numbers from 1 to 3; in both clusters, member 1 leads at first.
enum Step {
    Run(&'static str),
    /// Runs a command. Only this part of its output is compared, because the other parts depend on elections.
    Only(Part, &'static str),
    /// Runs a watch on the first member until the watch ends.
    Watch(&'static str),
    Stop(usize),
    Continue(usize),
    Wait(u64),
    /// Waits until a leader is elected and all members have caught up.
    Settle,
}

#[derive(Clone, Copy)]
enum Part {
    /// `endpoint status`: the endpoint, the id and the version, and the errors.
    Status,
    /// `endpoint hashkv`: whether all members have the same hash.
    EqualHashes,
    /// `get`: everything after the header.
    Content,
}

/// The steps of the comparison. The commands contain the simulator's addresses.
const STEPS: &[Step] = &[
    Step::Run("endpoint status --cluster"),
    Step::Run("endpoint health --cluster"),
    Step::Run("member list"),
    Step::Run("move-leader 97ecdd3706cc2d90 --endpoints=etcd-1:2379"),
    Step::Run("move-leader 97ecdd3706cc2d90 --endpoints=etcd-1:2379"),
    Step::Run("move-leader a3959071884acd0c --endpoints=etcd-2:2379"),
    // Members count as connected after five seconds.
    Step::Wait(6),
    Step::Run("member remove 1234 --endpoints=etcd-1:2379"),
    Step::Run("member promote 97ecdd3706cc2d90 --endpoints=etcd-1:2379"),
    Step::Run("member add etcd-4 --peer-urls=http://etcd-2:2380 --endpoints=etcd-1:2379"),
    Step::Run(
        "member update 97ecdd3706cc2d90 --peer-urls=http://etcd-2:2380 --endpoints=etcd-1:2379",
    ),
    Step::Run("put a 1 --endpoints=etcd-2:2379 -w json"),
    Step::Run("get a --endpoints=etcd-3:2379 -w json"),
    Step::Run("get a --consistency=s --endpoints=etcd-3:2379 -w json"),
    Step::Run("del b --endpoints=etcd-1:2379 -w json"),
    Step::Run("endpoint status --cluster"),
    Step::Run("endpoint hashkv --cluster"),
    // Without a quorum.
    Step::Stop(2),
    Step::Stop(3),
    Step::Run("put a lost --endpoints=etcd-1:2379"),
    Step::Run("get a --consistency=s --endpoints=etcd-1:2379"),
    Step::Run("get a --endpoints=etcd-1:2379"),
    Step::Only(Part::Status, "endpoint status --endpoints=etcd-1:2379"),
    Step::Run("endpoint health --endpoints=etcd-1:2379"),
    Step::Run("endpoint hashkv --endpoints=etcd-1:2379"),
    Step::Run("member list --endpoints=etcd-1:2379"),
    Step::Run("put a lost --endpoints=etcd-2:2379"),
    Step::Run("endpoint status --endpoints=etcd-2:2379"),
    Step::Continue(2),
    Step::Continue(3),
    Step::Settle,
    Step::Run("put a 2 --endpoints=etcd-3:2379"),
    Step::Run("get a --endpoints=etcd-1:2379"),
    Step::Run("get a --endpoints=etcd-2:2379 --print-value-only"),
    Step::Only(Part::Status, "endpoint status --cluster"),
    Step::Wait(1),
    Step::Only(Part::EqualHashes, "endpoint hashkv --cluster"),
    // One member is stopped, and the others have a quorum.
    Step::Stop(1),
    Step::Wait(10),
    Step::Run("put a 3 --endpoints=etcd-2:2379"),
    Step::Only(Part::Content, "get a --endpoints=etcd-3:2379 -w json"),
    Step::Run("get a --endpoints=etcd-1:2379"),
    Step::Continue(1),
    Step::Settle,
    Step::Run("get a --consistency=s --endpoints=etcd-1:2379"),
    Step::Only(Part::EqualHashes, "endpoint hashkv --cluster"),
    // A watch that needs a leader.
    Step::Stop(2),
    Step::Stop(3),
    Step::Wait(3),
    Step::Watch("watch a"),
    Step::Continue(2),
    Step::Continue(3),
];

pub(super) fn run(programs: &etcd::Programs, args: &[String]) -> Result<ExitCode> {
    ensure!(args.is_empty(), "`parity cluster` has no arguments");
    let cluster = RealCluster::start(programs)?;
    println!(
        "Three members of etcd {} run on loopback.",
        programs.version()
    );
    let mut real = Vec::new();
    for step in STEPS {
        if let Some(output) = cluster.execute(step)? {
            real.push(output);
        }
    }
    println!("The native shell gets the same commands.");
    let ours = simulate(programs)?;
    ensure!(
        ours.len() == real.len(),
        "the native shell answered {} commands",
        ours.len()
    );
    let commands = STEPS.iter().filter_map(Step::command);
    let mut differences = 0;
    for (((part, command), real), ours) in commands.zip(&real).zip(&ours) {
        let (real, ours) = (
            comparable(part, command, real)?,
            comparable(part, command, ours)?,
        );
        if real != ours {
            differences += 1;
            println!(
                "\n{command}\n--- etcd {}\n{real}--- watchglass\n{ours}",
                programs.version()
            );
        }
    }
    println!(
        "parity cluster: {} commands, {differences} differences",
        real.len()
    );
    Ok(match differences {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

impl Step {
    fn command(&self) -> Option<(Option<Part>, &'static str)> {
        match self {
            Self::Run(command) | Self::Watch(command) => Some((None, command)),
            Self::Only(part, command) => Some((Some(*part), command)),
            _ => None,
        }
    }
}

fn case(command: &str) -> Case {
    let words = command.split_whitespace();
    Case {
        args: words.map(|word| word.as_bytes().to_vec()).collect(),
        stdin: Vec::new(),
    }
}

/// Returns the part of an output that is compared.
fn comparable(part: Option<Part>, command: &str, output: &str) -> Result<String> {
    let output = mask::mask(&case(command), output.as_bytes());
    let output = String::from_utf8(output).context("the output is no text")?;
    // The member and etcdctl notice the deadline at the same time, and the error of either can win.
    let output = output.replace("etcdserver: request timed out", "context deadline exceeded");
    // etcdctl lists members by id, and the real ids differ.
    let mut lines: Vec<String> = output.lines().map(str::to_owned).collect();
    if command.contains("--cluster") || command.starts_with("member") {
        lines.sort();
    }
    let lines: Vec<String> = match part {
        None => lines,
        Some(Part::Status) => {
            let status = lines
                .iter()
                .map(|line| match line.split(", ").collect::<Vec<_>>()[..] {
                    [endpoint, id, version, .., errors] => {
                        format!("{endpoint}, {id}, {version}, {errors}")
                    }
                    _ => line.clone(),
                });
            status.collect()
        }
        Some(Part::EqualHashes) => {
            let hashes = lines.iter().filter_map(|line| line.split(", ").nth(1));
            let mut hashes: Vec<&str> = hashes.collect();
            let count = hashes.len();
            hashes.dedup();
            vec![format!(
                "{count} members, {} different hashes",
                hashes.len()
            )]
        }
        Some(Part::Content) => {
            let json: Value = serde_json::from_str(&lines[0])?;
            vec![
                json["kvs"][0]["key"].to_string(),
                json["kvs"][0]["value"].to_string(),
            ]
        }
    };
    Ok(lines.join("\n") + "\n")
}

fn simulate(programs: &etcd::Programs) -> Result<Vec<String>> {
    let mut script: Vec<String> = START.lines().map(str::to_owned).collect();
    let mut is_compared = vec![false; script.len()];
    for step in STEPS {
        let lines = match step {
            Step::Run(command) | Step::Only(_, command) => vec![format!("etcdctl {command}")],
            Step::Watch(command) => {
                let watch = format!("{command} as w1");
                vec![watch, "run 5s".to_owned(), "recv w1".to_owned()]
            }
            Step::Stop(member) => vec![format!("pause etcd-{member}")],
            Step::Continue(member) => vec![format!("resume etcd-{member}")],
            Step::Wait(seconds) => vec![format!("run {seconds}s")],
            Step::Settle => vec!["run 20s".to_owned()],
        };
        is_compared.resize(is_compared.len() + lines.len(), false);
        if step.command().is_some() {
            // The last line prints the output.
            is_compared.pop();
            is_compared.push(true);
        }
        script.extend(lines);
    }
    let outputs = programs.simulate(&(script.join("\n") + "\n"))?;
    ensure!(
        outputs.len() == script.len(),
        "the native shell answered {} lines",
        outputs.len()
    );
    let compared = outputs.into_iter().zip(is_compared);
    let compared = compared.filter(|(_, is_compared)| *is_compared);
    compared
        .map(|(output, _)| String::from_utf8(output).context("the output is no text"))
        .collect()
}

struct RealMember {
    process: Child,
    client: String,
    peer: String,
    name: String,
}

/// A cluster of three real etcd members. The leader of the first term counts as the first member.
struct RealCluster<'a> {
    programs: &'a etcd::Programs,
    folder: PathBuf,
    members: Vec<RealMember>,
    /// Texts in the real output, such as addresses and ids, with the simulator's text that replaces each.
    names: Vec<(String, String)>,
    /// The number of log entries that a real cluster writes at its start and the simulator does not write.
    more_entries: u64,
}

impl<'a> RealCluster<'a> {
    fn start(programs: &'a etcd::Programs) -> Result<Self> {
        let folder = etcd::new_folder()?;
        let mut addresses = Vec::new();
        for number in 1..=MEMBERS {
            let (client, peer) = (etcd::free_port()?, etcd::free_port()?);
            let [client, peer] = [client, peer].map(|port| format!("127.0.0.1:{port}"));
            addresses.push((format!("real-{number}"), client, peer));
        }
        let all = addresses
            .iter()
            .map(|(name, _, peer)| format!("{name}=http://{peer}"));
        let all = all.collect::<Vec<_>>().join(",");
        let mut cluster = Self {
            programs,
            folder,
            members: Vec::new(),
            names: Vec::new(),
            more_entries: 0,
        };
        for (name, client, peer) in addresses {
            let (client_url, peer_url) = (format!("http://{client}"), format!("http://{peer}"));
            let process = programs
                .etcd()
                .args(["--name", &name, "--initial-cluster", &all])
                .arg("--data-dir")
                .arg(cluster.folder.join(&name))
                .args([
                    "--listen-client-urls",
                    &client_url,
                    "--advertise-client-urls",
                    &client_url,
                ])
                .args([
                    "--listen-peer-urls",
                    &peer_url,
                    "--initial-advertise-peer-urls",
                    &peer_url,
                ])
                .args(["--logger", "zap", "--log-level", "error"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .context("etcd does not start")?;
            let member = RealMember {
                process,
                client,
                peer,
                name,
            };
            cluster.members.push(member);
        }
        cluster.settle()?;
        cluster.learn_names()?;
        Ok(cluster)
    }

    /// Moves the leader to the first place in the list of members, and reads the ids, the term and the log indexes of
    /// the real cluster.
    fn learn_names(&mut self) -> Result<()> {
        let statuses = self.statuses()?;
        let leader = statuses
            .iter()
            .position(|s| s["leader"] == s["header"]["member_id"]);
        self.members
            .swap(0, leader.context("the cluster has no leader")?);
        let statuses = self.statuses()?;
        let status = format!("{START}etcdctl endpoint status --cluster -w json\n");
        let ours = self.programs.simulate(&status)?;
        let ours = String::from_utf8(ours.last().context("no status")?.clone())?;
        let ours: Value = serde_json::from_str(ours.lines().next().context("no status")?)?;
        let number = |status: &Value, field: &str| status[field].as_u64().context("a number");
        for (at, (member, real)) in self.members.iter().zip(&statuses).enumerate() {
            let address = format!("etcd-{}", at + 1);
            let ours = ours.as_array().context("a list")?;
            let ours = ours.iter().find(|s| {
                let endpoint = s["Endpoint"].as_str().unwrap_or_default();
                endpoint.contains(&address)
            });
            let ours = &ours.context("a status of each member")?["Status"];
            let (real_id, our_id) = (
                number(&real["header"], "member_id")?,
                number(&ours["header"], "member_id")?,
            );
            let (real_cluster, our_cluster) = (
                number(&real["header"], "cluster_id")?,
                number(&ours["header"], "cluster_id")?,
            );
            self.names.extend([
                (member.client.clone(), format!("{address}:2379")),
                (member.peer.clone(), format!("{address}:2380")),
                (member.name.clone(), address),
                // etcdctl pads the ids in some texts (`Member %16x`).
                (
                    format!("Member {real_id:16x}"),
                    format!("Member {our_id:16x}"),
                ),
                (format!("{real_id:x}"), format!("{our_id:x}")),
                (real_id.to_string(), our_id.to_string()),
                (real_cluster.to_string(), our_cluster.to_string()),
                (
                    format!("cluster {real_cluster:16x}"),
                    format!("cluster {our_cluster:16x}"),
                ),
                (format!("{real_cluster:x}"), format!("{our_cluster:x}")),
            ]);
            let (real_term, our_term) = (number(real, "raftTerm")?, number(ours, "raftTerm")?);
            ensure!(
                real_term == our_term,
                "the first election took several terms; try again"
            );
            self.more_entries = number(real, "raftIndex")? - number(ours, "raftIndex")?;
        }
        Ok(())
    }

    /// Returns the status of each member.
    fn statuses(&self) -> Result<Vec<Value>> {
        let members = self.members.iter();
        let statuses = members.map(|member| {
            let answer = self.programs.run(
                &self.folder,
                &member.client,
                &case("endpoint status -w json"),
            )?;
            let status: Value = serde_json::from_slice(&answer.stdout).context("no status")?;
            Ok(status[0]["Status"].clone())
        });
        statuses.collect()
    }

    /// Waits until a leader is elected, and until all members have applied the same entries.
    fn settle(&self) -> Result<()> {
        let deadline = Instant::now() + SETTLE_MAX;
        let mut quiet = 0;
        let mut before = None;
        while quiet < 3 {
            ensure!(
                Instant::now() < deadline,
                "the real cluster does not settle"
            );
            std::thread::sleep(Duration::from_millis(500));
            let Ok(statuses) = self.statuses() else {
                continue;
            };
            let mut states = statuses
                .iter()
                .map(|s| (s["leader"].clone(), s["raftAppliedIndex"].clone()));
            let first = states.next().context("three members")?;
            let is_equal =
                states.all(|state| state == first) && first.0.as_u64().is_some_and(|id| id != 0);
            quiet = match is_equal && before.as_ref() == Some(&first) {
                true => quiet + 1,
                false => 0,
            };
            before = Some(first);
        }
        Ok(())
    }

    /// Executes a step. Returns the output if the step is a command, otherwise `None`.
    fn execute(&self, step: &Step) -> Result<Option<String>> {
        match step {
            Step::Run(command) | Step::Only(_, command) | Step::Watch(command) => {
                let mut real = (*command).to_owned();
                let is_short = |name: &str| !name.contains(':') && name.len() != 16;
                for (name, ours) in self.names.iter().filter(|(_, ours)| !is_short(ours)) {
                    real = real.replace(ours, name);
                }
                let answer =
                    self.programs
                        .run(&self.folder, &self.members[0].client, &case(&real))?;
                return self.translated(command, &answer).map(Some);
            }
            Step::Stop(member) => self.signal(*member, "-STOP")?,
            Step::Continue(member) => self.signal(*member, "-CONT")?,
            Step::Wait(seconds) => std::thread::sleep(Duration::from_secs(*seconds)),
            Step::Settle => self.settle()?,
        }
        Ok(None)
    }

    /// Returns the output with the names, ids and log indexes of the simulator.
    fn translated(&self, command: &str, answer: &Answer) -> Result<String> {
        let text = String::from_utf8(transcript::merged(answer));
        // The same deadline, as a member of 3.4 returns it.
        let text = text.context("the output is no text")?;
        let mut text = text.replace("rpc error: code = Unknown desc = context", "context");
        for (real, ours) in &self.names {
            text = text.replace(real, ours);
        }
        if !command.starts_with("endpoint status") {
            return Ok(text);
        }
        let mut lines = String::new();
        for line in text.split_inclusive('\n') {
            let indexes = INDEXES[usize::from(line.split(", ").count() > 10)];
            let cells = line.split(", ").enumerate().map(|(column, cell)| {
                let index = cell
                    .parse::<u64>()
                    .ok()
                    .filter(|_| indexes.contains(&column));
                index.map_or(cell.to_owned(), |index| {
                    (index - self.more_entries).to_string()
                })
            });
            lines += &cells.collect::<Vec<_>>().join(", ");
        }
        Ok(lines)
    }

    fn signal(&self, member: usize, signal: &str) -> Result<()> {
        let id = self.members[member - 1].process.id().to_string();
        let mut kill = project::program("kill");
        let status = kill.args([signal, &id]).status()?;
        match status.success() {
            true => Ok(()),
            false => bail!("`kill {signal}` failed"),
        }
    }
}

impl Drop for RealCluster<'_> {
    fn drop(&mut self) {
        for member in &mut self.members {
            // SIGKILL also ends a stopped process.
            member.process.kill().ok();
            member.process.wait().ok();
        }
        std::fs::remove_dir_all(&self.folder).ok();
    }
}
