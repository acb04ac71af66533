//! Runs a scenario file as a test: compares every output, checks the guarantees, and replays the whole run. Also runs
//! the commands of a recording.

use crate::api::{Difference, Profile};
use crate::apiserver::CurrentRevision;
use crate::observe::KubeGuard;
use crate::observe::guarantees::Breach;
use crate::observe::kube_guard::{KubeBreach, KubeGuarantee};
use crate::scenario::{Block, Expected, FormatError, format};
use crate::shell::{LineReader, Output, Read};
use crate::transcript::quote::push_single;
use crate::world::config::Config;

use super::typed_block::TypedBlock;
use super::workspace::Workspace;

/// The result of running a scenario file as a test.
#[derive(Clone, Debug)]
pub struct FileReport {
    pub blocks: u32,
    /// Differences between the actual and the expected outputs.
    pub differences: Vec<OutputDifference>,
    /// The text of the file, with each expected output replaced by the actual output.
    pub rewritten: String,
    /// The digest of the world at the end.
    pub digest: u64,
    /// Whether a replay of the inputs leads to the same world.
    pub deterministic: bool,
    /// The broken guarantees to watches, except breaches that a known etcd bug explains.
    pub broken: Vec<Breach>,
    /// The broken guarantees to clients of API servers.
    ///
    /// Always empty with profile 3.4, where progress requests can break a guarantee, and after a restored backup, which
    /// can break all guarantees. Contains no stale lists if an API server uses `WithLastRev`, because such an API
    /// server can return stale lists.
    pub kube_broken: Vec<KubeBreach>,
    /// The reason from the line `#! known-failure: reason`, which marks a file whose outputs are expected to differ.
    pub known_failure: Option<String>,
}

#[derive(Clone, Debug)]
pub struct OutputDifference {
    /// The line of the command, from 1.
    pub line: u32,
    pub input: String,
    pub expected: String,
    pub actual: String,
}

#[derive(Clone, Debug, Default)]
pub struct RecordedCommand {
    pub line: String,
    /// The lines of standard input. Commands that read no input ignore them.
    pub input: Vec<String>,
    /// The lease IDs that the real server chose.
    pub lease_ids: Vec<i64>,
}

impl RecordedCommand {
    /// Returns the lines that a person would type.
    fn typed(&self, profile: Profile) -> String {
        let is_read = matches!(
            LineReader::new(profile).line(&self.line),
            Ok(Read::More { .. })
        );
        match self.input.as_slice() {
            input if is_read => [&self.line, "\n", &input.join("\n")].concat(),
            [value] => {
                let mut line = String::from("echo ");
                push_single(&mut line, value);
                format!("{line} | {}", self.line)
            }
            _ => self.line.clone(),
        }
    }
}

pub fn run_recording<'a>(
    config: Config,
    commands: impl Iterator<Item = &'a RecordedCommand>,
) -> Vec<Output> {
    let profile = config.profile;
    let mut workspace = Workspace::new(config);
    let run = |command: &RecordedCommand| {
        let mut block = TypedBlock::new(&Block {
            input: command.typed(profile),
            lease_ids: command.lease_ids.clone(),
            ..Block::default()
        });
        while block.advance(&mut workspace) {}
        block.last_output
    };
    commands.map(run).collect()
}

/// Runs a scenario file from a fresh workspace.
///
/// ```
/// use watchglass_engine::session::script;
/// let report = script::run_file("put a one\n----\nOK\n").unwrap();
/// assert!(report.differences.is_empty() && report.deterministic && report.broken.is_empty());
/// ```
pub fn run_file(text: &str) -> Result<FileReport, FormatError> {
    let scenario = format::parse(text)?;
    let mut workspace = Workspace::default();
    let mut outputs = Vec::new();
    let mut differences = Vec::new();
    for block in &scenario.blocks {
        let actual = workspace.block(block);
        let actual = actual.strip_suffix('\n').unwrap_or(&actual).to_owned();
        let Expected::Output(expected) = &block.expected else {
            unreachable!("a scenario file contains the output of every command");
        };
        if *expected != actual {
            differences.push(OutputDifference {
                line: block.line,
                input: block.input.clone(),
                expected: expected.clone(),
                actual: actual.clone(),
            });
        }
        outputs.push(actual);
    }
    let digest = workspace.world().digest();
    let mut guard = workspace.run().guard().clone();
    guard.finish(workspace.run().head());
    let mut kube = KubeGuard::thorough();
    for event in workspace.run().recording().iter() {
        kube.observe(&event, &guard);
    }
    let profile = workspace.world().config().profile;
    let is_hasty = !profile.has(Difference::OrdersProgress);
    let mut servers = workspace.world().apiservers();
    let misses_deletes =
        servers.any(|(_, server)| server.config().current_revision == CurrentRevision::WithLastRev);
    let is_explained =
        |breach: &KubeBreach| misses_deletes && breach.guarantee == KubeGuarantee::ConsistentList;
    Ok(FileReport {
        blocks: scenario.blocks.len() as u32,
        differences,
        rewritten: format::rewrite(text, &outputs)?,
        digest,
        deterministic: workspace.run().replayed().digest() == digest,
        broken: guard.unexplained().cloned().collect(),
        kube_broken: if is_hasty || kube.was_taken_back() {
            Vec::new()
        } else {
            let broken = kube.breaches().iter();
            broken
                .filter(|breach| !is_explained(breach))
                .cloned()
                .collect()
        },
        known_failure: scenario.header("known-failure").map(Into::into),
    })
}
