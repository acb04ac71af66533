//! Stands in for the engine's session until that is there: the opening story and an echo.

use watchglass_engine::session::protocol::{Done, Executed, FromEngine, SeekTo, ToEngine};
use watchglass_engine::view::{
    Bead, BeadState, EntryKind, IndexQuery, IndexView, Lane, Marker, MarkerKind, Queries,
    StatusView, TerminalEntry, TerminalView, Thread, TimelineView, Views,
};

const STEPS: [(&str, &str, i64, &str); 10] = [
    ("put /key1 value1", "OK\n", 2, "Wrote /key1 at revision 2: the first version of a new generation."),
    ("get /key1", "/key1\nvalue1\n", 2, "Read /key1 at revision 2: value1."),
    ("put /key1 value2", "OK\n", 3, "Wrote /key1 at revision 3: version 2, and revision 2 stays readable."),
    ("get /key1 --rev=2", "/key1\nvalue1\n", 3, "Read /key1 at revision 2: value1, the last bead at or before the cut."),
    ("del /key1", "1\n", 4, "Deleted /key1 at revision 4: a tombstone closes generation 0."),
    ("get /key1", "", 4, "Read /key1 at revision 4: nothing there."),
    ("put /key1 value1", "OK\n", 5, "Wrote /key1 at revision 5: a second generation begins at version 1."),
    ("get /key1 --rev=3", "/key1\nvalue2\n", 5, "Read /key1 at revision 3: value2, from the closed generation."),
    ("compact 3", "compacted revision 3\n", 5, "Compaction to revision 3 was asked for; one row is kept, one goes."),
    ("get /key1 --rev=2", "", 5, "Refused: revision 2 has been compacted."),
];

#[derive(Debug, Default)]
pub struct Session {
    step: u64,
    queries: Queries,
    typed: Vec<String>,
}

impl Session {
    pub fn new() -> Self {
        Session::default()
    }

    pub fn pump(&mut self, _budget: u64, _out: &mut Vec<FromEngine>) -> bool {
        false
    }

    pub fn handle(&mut self, message: ToEngine, out: &mut Vec<FromEngine>) {
        let reply = match message {
            ToEngine::Load { id, .. } => {
                self.step = 0;
                Some((id, Done::Loaded { differences: 0, skipped: 0 }))
            }
            ToEngine::Exec { id, text } => {
                self.typed.push(text);
                Some((id, Done::Executed(Executed::default())))
            }
            ToEngine::Interrupt => None,
            ToEngine::Seek { id, to } => {
                self.step = match to {
                    SeekTo::Step(step) => step.min(10),
                    _ => 10,
                };
                Some((id, Done::Moved { step: self.step }))
            }
            ToEngine::StepBy { id, delta } => {
                self.step = self.step.saturating_add_signed(delta).min(10);
                Some((id, Done::Moved { step: self.step }))
            }
            ToEngine::Branch { id, .. } => Some((id, Done::Moved { step: self.step })),
            ToEngine::Show(queries) => {
                self.queries = queries;
                None
            }
            ToEngine::State { id } => Some((id, Done::Text("{}".to_owned()))),
            ToEngine::Save { id } => Some((id, Done::Text("x".to_owned()))),
            ToEngine::Complete { id, .. } => Some((
                id,
                Done::Completions {
                    start: 0,
                    items: vec![("put".into(), "write a key".into()), ("get".into(), "read keys".into())],
                },
            )),
        };
        if let Some((id, done)) = reply {
            out.push(FromEngine::Done { id, done });
        }
        out.push(FromEngine::Views(Box::new(self.views())));
    }

    fn views(&self) -> Views {
        let at = self.step as usize;
        let now = at.checked_sub(1).and_then(|i| STEPS.get(i));
        let revision = now.map_or(1, |step| step.2);
        let compact = if at >= 9 { 3 } else { -1 };
        Views {
            status: StatusView {
                title: "One key, two lives".into(),
                profile: "3.6".into(),
                seed: 42,
                step: self.step,
                steps: 10,
                time_us: self.step * 4000,
                revision,
                compact_revision: compact,
                live_keys: u64::from(at > 0),
                rows: revision as u64 - 1,
                narration: now.map_or("The store is empty, at revision 1.".into(), |step| step.3.into()),
                remark: Some("Every write moves the whole store to its next revision. Nothing is overwritten: the old value keeps its place on the thread.".into()),
                command: now.map(|step| step.0.into()),
                next: STEPS.get(at).map(|step| step.0.into()),
                pending: None,
                branch: 0,
                branches: Vec::new(),
            },
            index: self.queries.index.clone().map(|query| index(query, revision, compact)),
            key: None,
            timeline: Some(TimelineView {
                steps: 10,
                end_us: 40_000,
                end_revision: 5,
                markers: STEPS
                    .iter()
                    .enumerate()
                    .map(|(i, step)| Marker {
                        step: i as u64 + 1,
                        time_us: (i as u64 + 1) * 4000,
                        revision: step.2,
                        kind: match step.0.as_bytes().first() {
                            Some(b'p') => MarkerKind::Write,
                            Some(b'd') => MarkerKind::Delete,
                            Some(b'c') => MarkerKind::Compact,
                            _ if i == 9 => MarkerKind::Refused,
                            _ => MarkerKind::Read,
                        },
                        label: step.0.into(),
                    })
                    .collect(),
                bins: Vec::new(),
            }),
            terminal: Some(TerminalView {
                total: self.step,
                entries: STEPS
                    .iter()
                    .take(at)
                    .enumerate()
                    .map(|(i, step)| TerminalEntry {
                        id: i as u64 + 1,
                        step: i as u64 + 1,
                        command: step.0.into(),
                        stdout: step.1.into(),
                        stderr: if i == 9 { "Error: etcdserver: mvcc: required revision has been compacted\n".into() } else { String::new() },
                        exit: u8::from(i == 9),
                        kind: EntryKind::Step,
                        expected: if i == 5 { Some("/key1\nvalue2\n".into()) } else { None },
                        remark: None,
                    })
                    .collect(),
            }),
        }
    }
}

fn index(query: IndexQuery, head: i64, compact: i64) -> IndexView {
    let thread = |number, ver, first: i64, last: i64| Thread {
        number,
        ver,
        first,
        last,
        alive: last.min(head) == head && last != 4,
        forgotten: false,
    };
    let mut threads = Vec::new();
    if head >= 2 {
        threads.push(thread(0, head.min(4) - 1, 2, head.min(4)));
    }
    if head >= 5 {
        threads.push(thread(1, 1, 5, 5));
    }
    let beads = (2..=head)
        .map(|main| Bead {
            main,
            sub: 0,
            state: match main {
                4 => BeadState::Tombstone,
                _ if main == head => BeadState::Live,
                _ if main < compact => BeadState::Gone,
                _ if main == compact => BeadState::Kept,
                _ => BeadState::Superseded,
            },
            changed: main == head,
            label: if main == 4 { String::new() } else { "value".into() },
            version: 1,
        })
        .collect();
    IndexView {
        query,
        head,
        end: 5,
        compact_revision: compact,
        lanes_total: 1,
        lanes_matching: 1,
        lanes: vec![Lane {
            key: b"/key1".to_vec(),
            name: "/key1".into(),
            alive: head != 4,
            threads,
            beads,
            bins: Vec::new(),
        }],
        joins: Vec::new(),
        read: None,
    }
}
