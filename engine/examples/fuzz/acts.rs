//! Generates the messages that a page could send to the engine, in any order, and slices of the engine's work between
//! the messages.

use watchglass_engine::base::rng::Rng;
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::permalink::Permalink;
use watchglass_engine::session::protocol::{ExportForm, Limits};
use watchglass_engine::session::save::Saved;
use watchglass_engine::session::{
    self, LessonAct, Move, Notification, Read, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::view::cache::RouteQuery;
use watchglass_engine::view::odds::Ending;
use watchglass_engine::view::{
    CacheQuery, IndexQuery, KeyQuery, LaneOrder, MessagesQuery, Moment, QosQuery, Queries,
    StorageQuery, TerminalQuery, TimelineQuery, WatchQuery,
};

use crate::Corpus;
use crate::lines::{line, number, pick};
use crate::texts::{link, link_text, text};

/// One action of the web page in a generated case.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Sends a message; the driver assigns its number.
    Send(Box<ToEngine>),
    /// Runs this number of slices of the engine's work.
    Pump(u64),
}

/// Generates actions. Messages that change the run are listed several times, so that they are more frequent.
pub(crate) fn acts(rng: &mut Rng, corpus: &Corpus) -> Vec<Act> {
    let mut acts = Vec::new();
    if rng.chance(1, 4) {
        let load_steps = rng.chance(1, 2).then(|| 1 + rng.below(2_000));
        acts.push(send(ToEngine::Notification(Notification::Limit(Limits {
            load_steps,
            memory_bytes: memory_limit(rng),
            ..Limits::FIGURE
        }))));
    }
    for _ in 0..4 + rng.below(40) {
        acts.push(match rng.below(4) {
            0 => Act::Pump(rng.below(40)),
            _ => send(message(rng, corpus)),
        });
    }
    acts
}

/// Draws a random memory limit, small enough that a case sometimes reaches the limit.
pub(crate) fn memory_limit(rng: &mut Rng) -> u64 {
    (1 << 20) << rng.below(9)
}

fn send(message: ToEngine) -> Act {
    Act::Send(message.into())
}

fn message(rng: &mut Rng, corpus: &Corpus) -> ToEngine {
    let id = 0;
    let text_of = |rng: &mut Rng, most: u64| {
        let lines: Vec<String> = (0..1 + rng.below(most))
            .map(|_| line(rng, corpus))
            .collect();
        lines.join("\n")
    };
    match rng.below(51) {
        0..=13 => ToEngine::Request(id, Request::Act(session::Act::Type(text_of(rng, 4)))),
        14 | 15 => ToEngine::Notification(Notification::Interrupt),
        16..=18 => ToEngine::Request(id, Request::Move(Move::To(seek(rng)))),
        19 | 20 => ToEngine::Request(
            id,
            Request::Move(Move::BySteps((rng.next_u64() >> rng.below(64)) as i64 - 8)),
        ),
        21 => ToEngine::Request(
            id,
            Request::Move(Move::ToBranch(
                (rng.next_u64() >> (32 + rng.below(32))) as u32,
            )),
        ),
        44 => ToEngine::Request(
            id,
            Request::Read(Read::CompareBranches(
                [0, 0].map(|_| (rng.next_u64() >> (32 + rng.below(32))) as u32),
            )),
        ),
        45 => ToEngine::Request(id, Request::CompareQos),
        46 => ToEngine::Notification(Notification::StopBackground),
        47 => {
            let conditions = ["", "store.rev > 3", "store.revision", "keys.len == 1"];
            let condition = pick(rng, &conditions);
            let condition = (!condition.is_empty()).then(|| condition.into());
            ToEngine::Request(id, Request::SearchEndings { condition })
        }
        48 => ToEngine::Request(
            id,
            Request::Repeat {
                ending: Ending::ALL[rng.below(7) as usize].clone(),
                step: rng.next_u64() >> (32 + rng.below(32)),
                until: rng.next_u64() >> rng.below(64),
                seeds: 0..rng.below(4),
                leaves_out: rng.chance(1, 2),
            },
        ),
        49 => ToEngine::Request(
            id,
            Request::Read(Read::Commands {
                profile: pick(rng, &["3.4", "3.7", "é"]).into(),
            }),
        ),
        50 => ToEngine::Request(
            id,
            Request::Export(match rng.below(3) {
                0 => ExportForm::EtcdctlScript,
                1 => ExportForm::TraceLines,
                _ => ExportForm::Perfetto,
            }),
        ),
        22..=24 => ToEngine::Notification(Notification::Show(queries(rng).into())),
        25 => ToEngine::Request(id, Request::Read(Read::State)),
        26 => ToEngine::Request(id, Request::Read(Read::Save)),
        27 => ToEngine::Request(
            id,
            Request::Read(Read::Link {
                view: pick(rng, &["", "watch", "é"]).into(),
            }),
        ),
        28 => {
            let line = line(rng, corpus);
            let cursor = rng.below(line.len() as u64 + 3) as u32;
            ToEngine::Request(id, Request::Read(Read::Complete { line, cursor }))
        }
        29 | 30 => ToEngine::Request(id, Request::Act(undo_or_reset(rng))),
        31..=33 => ToEngine::Request(id, Request::Lesson(lesson_act(rng))),
        34 => ToEngine::Request(
            id,
            Request::Load {
                source: source(rng, corpus),
                at: seek(rng),
            },
        ),
        35 => match rng.below(5) {
            0 => ToEngine::Request(id, Request::Lessons),
            3 => ToEngine::Request(id, Request::Rehearse(lesson_text(rng))),
            4 => ToEngine::Request(
                id,
                Request::Preview {
                    text: lesson_text(rng),
                    part: rng.below(9) as u32,
                },
            ),
            1 => ToEngine::Request(
                id,
                Request::Goal {
                    lesson: pick(rng, &["L01", "L02", "L04", "none"]).into(),
                    queries: queries(rng).into(),
                },
            ),
            _ => ToEngine::Request(
                id,
                Request::Progress(
                    pick(
                        rng,
                        &[
                            "",
                            "x",
                            "watchglass-progress-1.AQ",
                            "watchglass-progress-1.____",
                        ],
                    )
                    .into(),
                ),
            ),
        },
        36..=38 => ToEngine::Notification(Notification::Drawn),
        39 => ToEngine::Notification(Notification::Continue),
        40 => ToEngine::Request(
            id,
            Request::Move(Move::ByBeats((rng.next_u64() >> rng.below(64)) as i64 - 8)),
        ),
        41 | 42 => ToEngine::Request(
            id,
            Request::Move(Move::PlayOn(rng.next_u64() >> rng.below(64))),
        ),
        _ => ToEngine::Request(
            id,
            Request::Read(Read::Look {
                at: Moment {
                    branch: rng.below(4) as u32,
                    step: rng.next_u64() >> rng.below(64),
                },
                queries: queries(rng).into(),
            }),
        ),
    }
}

fn seek(rng: &mut Rng) -> SeekTo {
    let far = rng.next_u64() >> rng.below(64);
    match rng.below(7) {
        0 => SeekTo::Step(rng.below(50)),
        1 => SeekTo::Step(far),
        2 => SeekTo::TimeUs(far),
        3 => SeekTo::Revision(far as i64),
        4 => SeekTo::End,
        5 => SeekTo::Beat(far),
        _ => SeekTo::Default,
    }
}

fn undo_or_reset(rng: &mut Rng) -> session::Act {
    match rng.below(6) {
        0..=2 => session::Act::Undo,
        3 => session::Act::ResetPart,
        4 => session::Act::ResetFrom(rng.below(4) as u32),
        _ => session::Act::Reset,
    }
}

fn lesson_act(rng: &mut Rng) -> LessonAct {
    match rng.below(7) {
        0 | 1 => LessonAct::Next,
        2 => LessonAct::Back,
        3 => LessonAct::Type,
        4 => LessonAct::Answer(number(rng).into()),
        5 => LessonAct::Hint,
        _ => LessonAct::Solution,
    }
}

/// Returns the text of a published lesson, mostly without one of its lines.
fn lesson_text(rng: &mut Rng) -> String {
    let lesson = &lessons::ALL[rng.below(lessons::ALL.len() as u64) as usize];
    let mut lines: Vec<&str> = lesson.text.lines().collect();
    if rng.below(4) > 0 {
        lines.remove(rng.below(lines.len() as u64) as usize);
    }
    lines.join("\n")
}

fn source(rng: &mut Rng, corpus: &Corpus) -> Source {
    let (shape, log) = link(rng, corpus);
    match rng.below(6) {
        0 => Source::Link(link_text(&shape, &log)),
        1 => Source::Text(text(rng, corpus).join("\n")),
        2 => {
            let saved = Saved::new(shape.source, log, shape.at);
            Source::Saved(match rng.below(4) {
                0 => Permalink {
                    saved,
                    view: String::new(),
                }
                .to_text(),
                _ => saved.to_text(),
            })
        }
        3 => {
            Source::Lesson(corpus.lessons[rng.below(corpus.lessons.len() as u64) as usize].clone())
        }
        _ => shape.source,
    }
}

/// Generates queries for views. The numbers in the queries are mostly small and sometimes arbitrary.
fn queries(rng: &mut Rng) -> Queries {
    let mut any = |most: u64| match rng.below(4) {
        0 => rng.next_u64() >> rng.below(64),
        _ => rng.below(most),
    };
    let index = IndexQuery {
        first_lane: any(5) as u32,
        lane_count: any(50) as u32,
        rev_from: any(20) as i64,
        rev_to: any(60) as i64,
        half_page: (any(3) == 0).then(|| any(40) as i64 - 5),
        columns: any(900) as u32,
        filter: if any(4) == 0 {
            "é".into()
        } else {
            String::new()
        },
        order: if any(2) == 0 {
            LaneOrder::Creation
        } else {
            LaneOrder::Key
        },
        watcher: (any(2) == 0).then(|| any(4)),
        overview_rows: any(200) as u32,
        fold: (any(3) == 0).then(|| (any(20) as i64, any(60) as i64)),
    };
    let key = KeyQuery {
        key: if any(2) == 0 {
            b"/a".to_vec()
        } else {
            vec![0xff]
        },
        revision: (any(2) == 0).then(|| (any(9) as i64, any(3) as i64)),
    };
    let watch = WatchQuery {
        columns: any(300) as u32,
        selected: Some(any(4)),
        table_from: any(30),
        table_rows: any(60) as u32,
    };
    let cache = CacheQuery {
        resource: if any(2) == 0 {
            "pods".into()
        } else {
            String::new()
        },
        plot_us: any(4_000_000),
        ask: Some(RouteQuery {
            verb: "LIST".into(),
            server: String::new(),
            resource_version: any(20).to_string(),
            how: "Exact".into(),
            limit: any(10),
        }),
        selected: Some(any(5)),
        only_places: any(2) == 0,
    };
    let row = (any(2) > 0).then(|| key.clone());
    Queries {
        index: (any(2) > 0).then_some(index),
        key: (any(2) > 0).then_some(key),
        timeline: Some(TimelineQuery {
            columns: any(1_000) as u32,
        }),
        terminal: Some(TerminalQuery {
            last: any(100) as u32,
            beat: any(30) as u32,
        }),
        watch: (any(2) > 0).then_some(watch),
        messages: (any(2) > 0).then(|| MessagesQuery {
            most: any(400) as u32,
            skipped: any(60),
            selected: Some(any(50)),
        }),
        cluster: Some(Box::default()),
        storage: (any(2) > 0).then(|| {
            StorageQuery {
                first: any(600),
                page: (any(2) > 0).then(|| any(50)),
                element: (any(2) > 0).then(|| any(50) as u32),
                row,
                has_metrics: any(2) > 0,
            }
            .into()
        }),
        lesson: any(2) > 0,
        cache: (any(2) > 0).then(|| cache.into()),
        qos: (any(2) > 0).then(|| {
            let mut end = || ["", "/a", "/k/9", "\u{ffff}"][any(4) as usize % 4].to_owned();
            let range = [end(), end()];
            QosQuery { range }.into()
        }),
    }
}
