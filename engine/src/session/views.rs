//! Builds the views that the queries of the web page request.

use std::sync::Arc;

use crate::api;
use crate::etcd::range::rows_read;
use crate::observe::{AsideRequest, GreatestLag, Past};
use crate::scenario::Beat;
use crate::scenario::exhibit::Exhibit;
use crate::trace::{Event, TraceEvent};
use crate::view::cache::build::cache_view;
use crate::view::cluster::build::cluster_view;
use crate::view::index::build::index_view;
use crate::view::key::build::key_view;
use crate::view::messages::build::messages_view;
use crate::view::metrics::build::metrics_view;
use crate::view::qos::build::qos_view;
use crate::view::storage::build::{StorageMoment, storage_view};
use crate::view::timeline::build::{Line, timeline_view};
use crate::view::watch::build::watch_view;
use crate::view::watch::lamps::{kube_lamps, lamps};
use crate::view::{
    BeatMark, BeatView, BranchView, EntryKind, ExhibitView, GuessView, KeyQuery, Marker,
    MarkerKind, Moment, PendingView, PictureView, Queries, StatusView, StorageQuery, TerminalEntry,
    TerminalQuery, TerminalView, Views, narrate, show,
};
use crate::words::session as words;
use crate::world::World;

use super::local;
use super::recording::StepEvents;
use super::run::Run;
use super::scrollback::Entry;
use super::workspace::Workspace;

/// The maximum number of characters that the terminal shows of one command's output.
const OUTPUT_CHARS_MAX: usize = 20_000;

/// The maximum number of entries in the view of the terminal while a command runs.
const ENTRIES_WHILE_GOING: u32 = 30;

/// The maximum number of characters that the timeline shows of a command.
const COMMAND_CHARS_MAX: usize = 160;

/// The maximum number of bytes that the terminal shows of an unfinished command.
const PENDING_BYTES_MAX: usize = 4_096;

/// The maximum number of earlier beats that are searched for the picture that the page
/// shows at the cursor. No narrated run has more beats.
const BEATS_LOOKED_BACK: usize = 64;
/// The maximum number of newest terminal entries of a beat that are counted.
const BEAT_ENTRIES_LOOKED_AT: usize = 256;

/// A position in a run, and the world at this position.
#[derive(Clone, Copy)]
struct Shown<'a> {
    at: Moment,
    beat: u64,
    run: &'a Run,
    world: &'a World,
}

impl<'a> Shown<'a> {
    /// Returns the entry of the command at this position, if a person typed the command at an earlier step. The command
    /// read that step and is not part of the run.
    fn aside(&self) -> Option<&'a Entry> {
        let entry = self.run.entry_at(self.at.step, self.beat);
        let is_of_person = |entry: &&Entry| self.run.scrollback().line(entry.line).beat.is_none();
        entry.filter(|entry| entry.kind == EntryKind::Peek && is_of_person(entry))
    }
}

/// Returns the request of the read at the cursor; `None` if the command at the cursor is not a read.
fn request_read(past: Past<'_>) -> Option<api::RangeRequest> {
    if let Some(aside) = past.aside {
        return match aside.request {
            api::Request::Range(request) => Some(request.clone()),
            _ => None,
        };
    }
    past.events.iter().find_map(|event| {
        let TraceEvent::Read {
            range,
            revision,
            returned,
            first,
            partial_request,
            ..
        } = &event.what
        else {
            return None;
        };
        let request = partial_request.as_deref().cloned();
        // Without a limit and a filter, the event has all fields that decide which rows are read.
        let whole = || api::RangeRequest {
            key: range.start().clone(),
            range_end: range.end_field().into(),
            count_only: returned.is_none(),
            keys_only: first.as_ref().is_some_and(|first| first.value.is_none()),
            ..api::RangeRequest::default()
        };
        Some(api::RangeRequest {
            revision: *revision,
            ..request.unwrap_or_else(whole)
        })
    })
}

/// Returns the first row that the read at the cursor returned; `None` if the command at the cursor is not a read.
fn row_read(past: Past<'_>) -> Option<KeyQuery> {
    let read = past.events.iter().find_map(|event| match &event.what {
        TraceEvent::Read {
            first: Some(first),
            revision,
            ..
        } => Some((first.key.clone(), *revision)),
        _ => None,
    });
    let aside = || match (past.aside?.request, past.aside?.reply) {
        (api::Request::Range(request), Ok(api::Response::Range(response))) => {
            let key = response.kvs.first()?.key.clone();
            let revision = match request.revision {
                ..=0 => past.head(),
                revision => revision,
            };
            Some((key, revision))
        }
        _ => None,
    };
    let (key, revision) = read.or_else(aside)?;
    let found = past.store().index().get(&key, revision)?.modified;
    Some(KeyQuery {
        key: key.to_vec(),
        revision: Some((found.main, found.sub)),
    })
}

/// Returns the request of a command that a person typed at an earlier step, if the run still stores it.
fn aside_request<'a>(run: &'a Run, entry: &'a Entry) -> Option<AsideRequest<'a>> {
    let exchange = entry.exchange()?;
    Some(AsideRequest {
        command: &run.scrollback().line(entry.line).text,
        request: &exchange.request,
        reply: &exchange.reply,
    })
}

impl Workspace {
    /// Returns the views at the cursor that the queries request.
    pub(super) fn views(&self, queries: &Queries, is_going: bool) -> Views {
        let shown = Shown {
            at: self.moment(),
            beat: self.beat(),
            run: self.run(),
            world: self.world(),
        };
        Views {
            lesson: queries.lesson.then(|| self.lesson_view()).flatten(),
            ..self.views_of(shown, queries, is_going)
        }
    }

    /// Returns the views of a branch's world that the queries request, except the view of the lesson.
    pub(super) fn views_at(&self, branch: u32, world: &World, queries: &Queries) -> Views {
        let run = &self.branches[branch as usize].run;
        let step = world.steps();
        let shown = Shown {
            at: Moment { branch, step },
            beat: run.beats().at(step),
            run,
            world,
        };
        self.views_of(shown, queries, false)
    }

    fn views_of(&self, shown: Shown<'_>, queries: &Queries, is_going: bool) -> Views {
        let Shown { at, run, world, .. } = shown;
        let aside = shown.aside();
        let makes_no_step = aside.is_some() || run.beats().is_without_steps(shown.beat, run.len());
        // The step belongs to an earlier command.
        let events = match makes_no_step {
            true => StepEvents::default(),
            false => run.events(at.step),
        };
        let past = Past {
            makes_no_step,
            aside: aside.and_then(|entry| aside_request(run, entry)),
            focus: focus(run, shown.beat),
            ..run.past(at.step, world, &events)
        };
        Views {
            is_part: false,
            status: self.status(shown, past),
            index: queries.index.as_ref().map(|q| index_view(past, q)),
            key: queries.key.as_ref().map(|q| key_view(past, q)),
            timeline: queries.timeline.as_ref().map(|q| {
                let line = Line {
                    steps: run.len(),
                    end: (run.head().now().0, run.head_revision()),
                    kind: |step| run.step(step).map_or(MarkerKind::Read, |s| s.kind),
                    marker: |step| marker(run, step),
                    lag: |step| {
                        let lag = run.step(step).map_or(GreatestLag::default(), |s| s.lag);
                        (lag.watch, lag.cache)
                    },
                    beats: run.beats().len(),
                    beat: |number| beat_mark(run, number),
                };
                timeline_view(q, line)
            }),
            terminal: queries
                .terminal
                .as_ref()
                .map(|q| terminal(shown, q, is_going)),
            lesson: None,
            watch: queries.watch.as_ref().map(|q| {
                let mut view = watch_view(past, q, |name| run.print_of(name));
                view.lamps = lamps(run.guard(), at.step);
                view
            }),
            messages: queries.messages.as_ref().map(|q| messages_view(past, q)),
            storage: queries.storage.as_ref().and_then(|q| {
                let member = world.endpoint();
                let backend = world.backend(member)?;
                let running = world.runs(member).then(|| world.member(member));
                let rows = request_read(past).map(|request| rows_read(past.store(), &request));
                let moment = StorageMoment {
                    backend: &backend,
                    index: running.flatten().map(|etcd| etcd.store().index()),
                    now: world.time_of(member),
                    rows_read: rows.as_deref().unwrap_or_default(),
                    quota: running
                        .flatten()
                        .map(|etcd| (etcd.quota_bytes(), etcd.has_no_space())),
                };
                let asked = StorageQuery {
                    row: q.row.clone().or_else(|| row_read(past)),
                    ..StorageQuery::clone(q)
                };
                let mut view = storage_view(moment, &asked);
                if q.has_metrics {
                    let samples = past.metrics.by_step(at.step);
                    view.metrics = Some(metrics_view(samples, world));
                }
                Some(Box::new(view))
            }),
            cache: queries.cache.as_ref().map(|q| {
                let mut view = cache_view(past, q);
                view.lamps = kube_lamps(run.kube_guard(), at.step);
                view
            }),
            cluster: queries
                .cluster
                .as_ref()
                .map(|q| cluster_view(past, q).into()),
            qos: queries.qos.as_ref().map(|q| {
                let member = world.endpoint();
                qos_view(world.at_endpoint(), world.time_of(member), q).into()
            }),
        }
    }

    /// Returns the data of the run up to the cursor; `events` are the events of the step before the cursor.
    pub(super) fn past<'a>(&'a self, events: &'a [Event]) -> Past<'a> {
        self.run().past(self.cursor, self.world(), events)
    }

    fn status(&self, shown: Shown<'_>, past: Past<'_>) -> StatusView {
        let Shown { at, run, world, .. } = shown;
        let store = world.at_endpoint().store();
        let line = run.line_of(at.step);
        let present = store.current_rev();
        StatusView {
            title: self.title.clone(),
            profile: world.config().profile.to_string(),
            seed: world.config().seed,
            step: at.step,
            steps: run.len(),
            time_us: world.now().0,
            revision: present,
            member: world.is_cluster().then(|| world.node_name(past.member)),
            compact_revision: store.compact_rev(),
            live_keys: store.live_keys() as u64,
            typed: self.log.len() as u64,
            can_undo: self.can_undo(),
            rows: store.backend().row_count(crate::backend::Bucket::Key),
            narration: match past.makes_no_step {
                true if shown.aside().is_some() => words::read_in_the_past(at.step),
                true => words::NO_STEP.into(),
                false if at.step == 0 => beginning(world),
                false => narrate::sentence(past),
            },
            beat: beat_view(run, shown.beat),
            opening: self.opening.clone(),
            exhibit: self.exhibit.as_ref().map(exhibit_view),
            is_told: self.is_told,
            ways: self.ways.clone(),
            command: line.map(|line| shortened(&line.text)),
            now: run
                .command_at(at.step, shown.beat)
                .map(|line| shortened(&line.text)),
            next: run
                .line_of(at.step + 1)
                .filter(|next| line.is_none_or(|line| !Arc::ptr_eq(&line.text, &next.text)))
                .map(|line| shortened(&line.text)),
            pending: self.pending().map(|prompt| PendingView {
                prompt: prompt.to_owned(),
                text: end_of(&self.reader.pending_text()).to_owned(),
            }),
            branch: at.branch,
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

    /// Returns the state at the cursor as JSON.
    pub(super) fn state_json(&self) -> String {
        show::state_json(self.cursor, self.world())
    }
}

/// Describes the state before the first step in one sentence.
fn beginning(world: &World) -> String {
    let config = world.config();
    match &config.snapshot {
        None => words::EMPTY_STORE.into(),
        Some(file) => {
            let store = file.backup().store();
            words::started_on(&file.identity.name, store.current_rev(), store.live_keys())
        }
    }
}

fn terminal(shown: Shown<'_>, query: &TerminalQuery, is_going: bool) -> TerminalView {
    let scrollback = shown.run.scrollback();
    let entries = scrollback.by(shown.at.step, shown.beat);
    let most = match is_going {
        true => query.last.min(ENTRIES_WHILE_GOING),
        false => query.last,
    };
    let total = entries.len();
    let mut entries = entries.skip(total.saturating_sub(most as usize + 1));
    // The entry before the first displayed entry shows whether the first displayed entry begins a beat.
    let mut before = match total > most as usize {
        true => entries.next(),
        false => None,
    };
    let entries = entries.map(|entry| {
        let line = scrollback.line(entry.line);
        let last = before.replace(entry).map(|last| scrollback.line(last.line));
        let begins = last.is_none_or(|last| !line.is_of_the_beat_of(last));
        terminal_entry(shown.run, entry, begins)
    });
    let (beat, beat_earlier) = beat_entries(shown, query.beat as usize);
    TerminalView {
        total: total as u64,
        entries: entries.collect(),
        beat,
        beat_earlier,
    }
}

/// Returns the newest entries of the beat at the cursor, oldest first, and how many earlier entries the beat has.
fn beat_entries(shown: Shown<'_>, most: usize) -> (Vec<TerminalEntry>, u64) {
    let Shown { at, run, beat, .. } = shown;
    let scrollback = run.scrollback();
    let newest = scrollback.by(at.step, beat).rev();
    let newest = newest.take_while(|entry| beat > 0 && entry.beat == beat);
    let mut newest = newest.take(BEAT_ENTRIES_LOOKED_AT);
    let mut entries: Vec<_> = newest
        .by_ref()
        .take(most)
        .map(|entry| terminal_entry(run, entry, false))
        .collect();
    entries.reverse();
    (entries, newest.count() as u64)
}

/// Returns the key, watcher or node that a beat highlights. A picture that an earlier beat named has no focus, because
/// the beat at the cursor is about something else.
fn focus(run: &Run, number: u64) -> Option<&str> {
    let picture = run.beats().beat(number)?.picture.as_ref()?;
    picture.target.as_deref()
}

fn beat_view(run: &Run, number: u64) -> BeatView {
    let beats = run.beats();
    let beat = beats.beat(number);
    // A picture stays until a later beat names another picture. Before the first beat, the picture of the first beat
    // applies.
    let earlier = (1..=number.max(1)).rev().take(BEATS_LOOKED_BACK);
    let mut pictures = earlier.filter_map(|number| beats.beat(number)?.picture.as_ref());
    let picture = pictures.next();
    BeatView {
        number,
        count: beats.len(),
        first: beats.first(number),
        last: beats.last(number, run.len()),
        place: beats.place(number, run.len()),
        places: beats.without_steps_at(beats.last(number, run.len()), run.len()),
        text: beat
            .map(|beat| beat.text.clone())
            .filter(|text| !text.is_empty()),
        picture: picture.map(|picture| PictureView {
            view: picture.view.name().into(),
            target: picture.target.as_deref().unwrap_or_default().into(),
        }),
        guess: beats.beat(number + 1).and_then(guess_view),
        answered: beat.and_then(guess_view),
        focus: focus(run, number).unwrap_or_default().into(),
    }
}

fn exhibit_view(exhibit: &Exhibit) -> ExhibitView {
    ExhibitView {
        issue: exhibit.short_issue().to_owned(),
        link: exhibit.link(),
        broken_in: exhibit.broken_in.clone(),
        fixed_in: exhibit.fixed_in.clone(),
        is_fixed: exhibit.is_fixed,
        other: exhibit.other.clone(),
    }
}

fn guess_view(beat: &Arc<Beat>) -> Option<GuessView> {
    let guess = beat.guess.as_ref()?;
    Some(GuessView {
        question: guess.question.clone(),
        options: guess.options.clone(),
        answer: guess.answer as u32,
    })
}

fn beat_mark(run: &Run, number: u64) -> BeatMark {
    let beats = run.beats();
    let step = beats.last(number, run.len());
    let record = run.step(step);
    let beat = beats.beat(number).filter(|beat| !beat.text.is_empty());
    let command = || run.command_at(step, number).map(|line| &*line.text);
    let label = beat.map(|beat| first_sentence(&beat.text)).or_else(command);
    BeatMark {
        number,
        step,
        place: beats.place(number, run.len()),
        places: beats.without_steps_at(step, run.len()),
        time_us: record.map_or(0, |record| record.at.0),
        revision: record.map_or(run.first_revision(), |record| record.revision),
        label: shortened(label.unwrap_or_default()),
    }
}

/// Returns the first sentence of a text.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", ".\n", "? ", "! "]
        .into_iter()
        .filter_map(|end| text.find(end));
    ends.min().map_or(text, |end| &text[..=end])
}

fn marker(run: &Run, step: u64) -> Marker {
    let made = "a marker refers to an existing step";
    let record = run.step(step).expect(made);
    Marker {
        step,
        time_us: record.at.0,
        revision: record.revision,
        kind: record.kind,
        label: shortened(&run.line_of(step).expect(made).text),
    }
}

fn terminal_entry(run: &Run, entry: &Entry, begins_beat: bool) -> TerminalEntry {
    let line = run.scrollback().line(entry.line);
    let beat = line.beat.as_ref().filter(|_| begins_beat);
    let [before, stdout, after] = entry.output.in_order();
    // The page shows two texts. The error that etcdctl repeats after its help page is in the text of the page.
    let (stdout, stderr) = match before {
        [] => (stdout.into(), after),
        before => ([stdout, after].concat(), before),
    };
    TerminalEntry {
        id: entry.id,
        step: entry.step,
        beat: match run.beats().is_without_steps(entry.beat, run.len()) {
            true => entry.beat,
            false => 0,
        },
        command: line.text.to_string(),
        stdout: output(&stdout),
        stderr: output(stderr),
        exit: entry.output.exit,
        file: saved_file(&entry.output.stdout),
        kind: entry.kind,
        starts_with_errors: !before.is_empty(),
        expected: entry.expected().cloned(),
        note: entry.note().map(Into::into),
        comment: beat
            .map(|beat| beat.text.clone())
            .filter(|text| !text.is_empty()),
    }
}

/// Returns the file name that the output of `snapshot save` contains.
fn saved_file(stdout: &[u8]) -> Option<String> {
    let rest = stdout.strip_prefix(local::SNAPSHOT_SAVED.as_bytes())?;
    let name = rest.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(name.to_vec()).ok()
}

/// Converts an output to text for the page. Replaces bytes that are not UTF-8, and cuts a very long output.
fn output(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(OUTPUT_CHARS_MAX)];
    let mut text = String::from_utf8_lossy(head).into_owned();
    if head.len() < bytes.len() {
        text.push_str(&format!("\n… {} more bytes", bytes.len() - head.len()));
    }
    text
}

/// Returns the first line of a command, cut to a maximum length.
fn shortened(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    match line.char_indices().nth(COMMAND_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Returns the end of the text of an unfinished command.
fn end_of(text: &str) -> &str {
    let from = text.len().saturating_sub(PENDING_BYTES_MAX);
    let start = (from..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}
