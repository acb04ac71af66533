//! Exports of the run for other programs: a script for a real etcd, and the trace as JSON lines and for Perfetto.
//!
//! An export contains the run of the current branch from its start to the cursor, which is what the page shows, as a
//! link and a picture do. A job writes it in the background, one command or one step of the run per slice.

mod etcdctl_script;
mod event_fields;
mod perfetto;
mod trace_lines;

use std::collections::{BTreeSet, VecDeque};

use crate::base::ids::NodeId;
use crate::shell::Output;
use crate::trace::{ClientTrace, LeaseTrace, TraceEvent};
use crate::words::export::{self as words, ScriptStart};

use self::etcdctl_script::{Effects, EtcdctlScript, Exchange};
use self::perfetto::Perfetto;
use self::trace_lines::TraceLines;
use super::protocol::{Done, ExportForm, ProgressUnit, RunningCommand};
use super::run::Run;
use super::scrollback::LineNumber;
use super::workspace::Workspace;

/// The maximum size of an export, in bytes.
const BYTES_MAX: usize = 64 << 20;

/// An export in progress.
#[derive(Debug)]
pub(super) struct Export {
    branch: usize,
    /// The position at which the export ends.
    step: u64,
    beat: u64,
    /// The number of finished commands or steps.
    done: u64,
    total: u64,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Script(Box<ScriptWriter>),
    Lines(TraceLines),
    Perfetto(Perfetto),
}

#[derive(Debug)]
struct ScriptWriter {
    script: EtcdctlScript,
    /// The lines before the first terminal entry. A lesson removes the entries of the commands before its start.
    earlier: VecDeque<LineNumber>,
    /// The index of the next terminal entry.
    next: usize,
    /// The step of the last entry.
    step: u64,
}

impl Export {
    pub(super) fn new(workspace: &Workspace, form: ExportForm) -> Self {
        let run = workspace.run();
        let (step, beat) = (workspace.cursor, workspace.beat());
        let (writer, total) = match form {
            ExportForm::EtcdctlScript => {
                let entries = run.scrollback().by(step, beat);
                let first = entries.clone().next();
                let earlier = lines_before(run, step, first.map(|entry| entry.line));
                let total = entries.len() + earlier.len();
                let writer = ScriptWriter {
                    script: EtcdctlScript::new(run.head().config().profile),
                    earlier,
                    next: 0,
                    step: 0,
                };
                (Writer::Script(writer.into()), total as u64)
            }
            ExportForm::TraceLines => (Writer::Lines(TraceLines::default()), step),
            ExportForm::Perfetto => (Writer::Perfetto(Perfetto::default()), step),
        };
        Self {
            branch: workspace.current,
            step,
            beat,
            done: 0,
            total,
            writer,
        }
    }

    /// Returns the numbers of finished and of all commands, or the progress in steps.
    pub(super) fn progress(&self) -> ((u64, u64), Option<RunningCommand>) {
        if matches!(self.writer, Writer::Script(_)) {
            return ((self.done, self.total), None);
        }
        let running = RunningCommand {
            text: words::WRITING.to_owned(),
            steps: self.done,
            done: self.done,
            total: self.total,
            unit: ProgressUnit::Steps,
        };
        ((0, 1), Some(running))
    }

    /// Writes the next command, or the events of the next step. Returns the response once the export is complete or too
    /// large.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<Done> {
        let run = &workspace.branches[self.branch].run;
        let bytes = match &self.writer {
            Writer::Script(writer) => writer.script.len(),
            Writer::Lines(lines) => lines.len(),
            Writer::Perfetto(perfetto) => perfetto.len(),
        };
        if bytes > BYTES_MAX {
            let message = words::too_large(BYTES_MAX >> 20);
            return Some(Done::Refused { message });
        }
        if self.done == self.total {
            return Some(self.file(run, &workspace.title));
        }
        self.done += 1;
        let names = |node| node_name(run, node);
        match &mut self.writer {
            Writer::Script(writer) => writer.write_next(run, (self.step, self.beat)),
            Writer::Lines(lines) => {
                for event in &*run.events(self.done) {
                    lines.add(event, &names);
                }
            }
            Writer::Perfetto(perfetto) => {
                for event in &*run.events(self.done) {
                    perfetto.add(event, &names);
                }
            }
        }
        None
    }

    fn file(&mut self, run: &Run, title: &str) -> Done {
        let writer = std::mem::replace(&mut self.writer, Writer::Lines(TraceLines::default()));
        let (name, bytes) = match writer {
            Writer::Script(writer) => {
                let config = run.head().config();
                let file = config.snapshot.as_ref();
                let profile = config.profile.api_version();
                let start = ScriptStart {
                    title,
                    profile,
                    members: config.members,
                    file: file.map(|file| &*file.identity.name),
                    revision: run.first_revision(),
                    shell: "",
                };
                ("run.sh", writer.script.into_bytes(start))
            }
            Writer::Lines(lines) => ("trace.jsonl", lines.into_bytes()),
            Writer::Perfetto(perfetto) => {
                let bytes = perfetto.into_bytes(&|node| node_name(run, node));
                ("trace.perfetto.json", bytes)
            }
        };
        Done::File {
            name: name.to_owned(),
            bytes,
        }
    }
}

impl ScriptWriter {
    fn write_next(&mut self, run: &Run, (step, beat): (u64, u64)) {
        let scrollback = run.scrollback();
        if let Some(number) = self.earlier.pop_front() {
            let line = scrollback.line(number);
            self.script.add(&Exchange {
                text: &line.text,
                beat: line.beat.as_deref(),
                output: None,
                effects: Effects::default(),
            });
            return;
        }
        let Some(entry) = scrollback.nth(self.next).filter(|entry| {
            // Entries that arrive while the export is written belong to later positions.
            (entry.step, entry.beat) <= (step, beat)
        }) else {
            return;
        };
        let line = scrollback.line(entry.line);
        let effects = match self.script.needs_effects(&line.text) {
            true => effects(run, self.step, entry.step),
            false => Effects::default(),
        };
        let is_whole = !scrollback.is_shortened(self.next);
        self.script.add(&Exchange {
            text: &line.text,
            beat: line.beat.as_deref(),
            output: is_whole.then(|| printed(&entry.output)),
            effects,
        });
        self.next += 1;
        self.step = entry.step;
    }
}

/// Returns the lines of the steps up to `step` that come before the line of the first terminal entry.
fn lines_before(run: &Run, step: u64, first: Option<LineNumber>) -> VecDeque<LineNumber> {
    let lines = (1..=step).map_while(|step| Some(run.step(step)?.line));
    let earlier = lines.take_while(|line| first.is_none_or(|first| *line < first));
    let earlier: BTreeSet<LineNumber> = earlier.collect();
    earlier.into_iter().collect()
}

/// Returns the first watch and the first lease that were created after one step and up to another.
fn effects(run: &Run, after: u64, to: u64) -> Effects {
    let mut effects = Effects::default();
    for step in after + 1..=to {
        for event in &*run.events(step) {
            match &event.what {
                TraceEvent::Client(ClientTrace::Wants { watch, .. }) if effects.watch.is_none() => {
                    effects.watch = Some(watch.to_string());
                }
                TraceEvent::Lease(LeaseTrace::Granted { id, .. }) if effects.lease.is_none() => {
                    effects.lease = Some(*id);
                }
                _ => {}
            }
        }
    }
    effects
}

/// Returns both output streams as one, as in a terminal.
fn printed(output: &Output) -> Vec<u8> {
    output.in_order().concat()
}

/// Returns the name of a node. A node that the run has removed has its kind and its number.
fn node_name(run: &Run, node: NodeId) -> String {
    let name = run.head().node_name(node);
    if !name.is_empty() {
        return name;
    }
    match node {
        NodeId::Member(number) => format!("etcd-{number}"),
        NodeId::Etcdctl => "etcdctl".to_owned(),
        NodeId::Client(number) => format!("client-{number}"),
        NodeId::ApiServer(number) => format!("apiserver-{number}"),
        NodeId::KubeClient(number) => format!("kube-client-{number}"),
        NodeId::Proxy => "proxy".to_owned(),
    }
}
