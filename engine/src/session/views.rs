//! The pictures that were asked for, at the cursor.

use crate::observe::Past;
use crate::trace::Event;
use crate::view::cache::build::cache_view;
use crate::view::index::build::index_view;
use crate::view::key::build::key_view;
use crate::view::messages::build::messages_view;
use crate::view::storage::build::{StorageMoment, storage_view};
use crate::view::timeline::build::timeline_view;
use crate::view::watch::build::watch_view;
use crate::view::watch::lamps::{kube_lamps, lamps};
use crate::view::{
    BranchView, Marker, MarkerKind, Queries, StatusView, TerminalEntry, TerminalQuery,
    TerminalView, Views, narrate, show,
};

use super::local;
use super::scrollback::{Entry, TypedLine};
use super::workspace::Workspace;

/// Characters of one command's output that are sent to the terminal.
const OUTPUT_CHARS_MAX: usize = 20_000;

/// Entries of the terminal in a picture that another one follows soon.
const ENTRIES_WHILE_GOING: u32 = 30;

/// Characters of a command that stand in a marker or readout.
const COMMAND_CHARS_MAX: usize = 160;

impl Workspace {
    /// Everything that was asked for.
    pub(super) fn views(&self, queries: &Queries, is_going: bool) -> Views {
        let events = self.run().events(self.cursor);
        let past = self.past(&events);
        Views {
            is_part: false,
            status: self.status(past),
            index: queries.index.as_ref().map(|q| index_view(past, q)),
            key: queries.key.as_ref().map(|q| key_view(past, q)),
            timeline: queries.timeline.as_ref().map(|q| {
                let run = self.run();
                let end = (
                    run.head().now().0,
                    run.head().at_endpoint().store().current_rev(),
                );
                let kind = |step| run.step(step).map_or(MarkerKind::Read, |s| s.kind);
                timeline_view(run.len(), q, end, kind, |step| self.marker(step))
            }),
            terminal: queries
                .terminal
                .as_ref()
                .map(|q| self.terminal(q, is_going)),
            lesson: queries.lesson.then(|| self.lesson_view()).flatten(),
            watch: queries.watch.as_ref().map(|q| {
                let run = self.run();
                let mut view = watch_view(past, q, |name| run.print_of(name));
                view.lamps = lamps(run.guard(), self.cursor);
                view
            }),
            messages: queries.messages.as_ref().map(|q| messages_view(past, q)),
            storage: queries.storage.as_ref().and_then(|q| {
                let (world, member) = (self.world(), self.world().endpoint());
                let backend = world.backend(member)?;
                let running = world.runs(member).then(|| world.member(member));
                let moment = StorageMoment {
                    backend: &backend,
                    index: running.flatten().map(|etcd| etcd.store().index()),
                    now: world.time_of(member),
                };
                Some(Box::new(storage_view(moment, q)))
            }),
            cache: queries.cache.as_ref().map(|q| {
                let mut view = cache_view(past, q);
                view.lamps = kube_lamps(self.run().kube_guard(), self.cursor);
                view
            }),
        }
    }

    /// What is known of the run up to the cursor, whose step has these events.
    pub(super) fn past<'a>(&'a self, events: &'a [Event]) -> Past<'a> {
        self.run().past(self.cursor, self.world(), events)
    }

    fn marker(&self, step: u64) -> Marker {
        let run = self.run();
        let made = "markers are made for steps that exist";
        let record = run.step(step).expect(made);
        Marker {
            step,
            time_us: record.at.0,
            revision: record.revision,
            kind: record.kind,
            label: shortened(&run.line_of(step).expect(made).text),
        }
    }

    fn status(&self, past: Past<'_>) -> StatusView {
        let run = self.run();
        let store = self.world().at_endpoint().store();
        let line = run.line_of(self.cursor);
        let present = store.current_rev();
        StatusView {
            title: self.title.clone(),
            profile: self.world().config().profile.to_string(),
            seed: self.world().config().seed,
            step: self.cursor,
            steps: run.len(),
            time_us: self.world().now().0,
            revision: present,
            compact_revision: store.compact_rev(),
            live_keys: store.live_keys() as u64,
            typed: self.log.len() as u64,
            rows: store.backend().row_count(crate::backend::Bucket::Key),
            narration: if self.cursor == 0 {
                self.beginning()
            } else {
                narrate::sentence(past)
            },
            remark: line
                .filter(|line| !line.remark.is_empty())
                .map(|line| line.remark.to_string()),
            command: line.map(|line| shortened(&line.text)),
            next: run
                .line_of(self.cursor + 1)
                .map(|line| shortened(&line.text)),
            pending: self.pending().map(Into::into),
            branch: self.current as u32,
            branches: self
                .branches
                .iter()
                .enumerate()
                .map(|(id, b)| BranchView {
                    id: id as u32,
                    parent: b.parent,
                    steps: b.run.len(),
                    label: if id == 0 && b.parent.is_none() {
                        self.title.clone()
                    } else {
                        b.label.clone()
                    },
                })
                .collect(),
            memory: self.memory_view(),
        }
    }

    /// The state before the first step in a sentence.
    fn beginning(&self) -> String {
        let config = self.world().config();
        match &config.snapshot {
            None => "The store is empty. It is at revision 1.".into(),
            Some(file) => {
                let store = file.backup().store();
                let keys = match store.live_keys() {
                    1 => "1 key".to_owned(),
                    keys => format!("{keys} keys"),
                };
                format!(
                    "etcd started on {}: revision {}, {}.",
                    file.identity.name,
                    store.current_rev(),
                    keys
                )
            }
        }
    }

    fn terminal(&self, query: &TerminalQuery, is_going: bool) -> TerminalView {
        let scrollback = self.run().scrollback();
        let entries = scrollback.at(self.cursor);
        let most = match is_going {
            true => query.last.min(ENTRIES_WHILE_GOING),
            false => query.last,
        };
        let first = entries.len().saturating_sub(most as usize);
        TerminalView {
            total: entries.len() as u64,
            entries: entries
                .skip(first)
                .map(|entry| terminal_entry(entry, scrollback.line(entry.line)))
                .collect(),
        }
    }

    /// The state at the cursor as JSON.
    pub(super) fn state_json(&self) -> String {
        show::state_json(self.cursor, self.world())
    }
}

fn terminal_entry(entry: &Entry, line: &TypedLine) -> TerminalEntry {
    TerminalEntry {
        id: entry.id,
        step: entry.step,
        command: line.text.to_string(),
        stdout: output(&entry.output.stdout),
        stderr: output(&entry.output.stderr),
        exit: entry.output.exit,
        file: saved_file(&entry.output.stdout),
        kind: entry.kind,
        expected: entry.expected().map(Into::into),
        remark: (!line.remark.is_empty()).then(|| line.remark.to_string()),
    }
}

/// The name in what `snapshot save` printed.
fn saved_file(stdout: &[u8]) -> Option<String> {
    let rest = stdout.strip_prefix(local::SNAPSHOT_SAVED.as_bytes())?;
    let name = rest.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(name.to_vec()).ok()
}

/// An output for the page: replaced where it is not UTF-8, cut where it is endless.
fn output(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(OUTPUT_CHARS_MAX)];
    let mut text = String::from_utf8_lossy(head).into_owned();
    if head.len() < bytes.len() {
        text.push_str(&format!("\n… {} more bytes", bytes.len() - head.len()));
    }
    text
}

/// A command on one line of limited length.
fn shortened(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    match line.char_indices().nth(COMMAND_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
