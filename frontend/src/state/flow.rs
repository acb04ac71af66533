//! The whole state: what is shown, what was chosen, and which questions are under way.
//!
//! The engine answers every numbered message once. [`Flow`] remembers what each number was for, and
//! keeps the page from asking faster than the engine answers: at most one move and one change of
//! the queries are under way, later wishes replace each other.

use std::rc::Rc;

use watchglass_engine::session::protocol::{SeekTo, ToEngine};
use watchglass_engine::view::{
    CacheQuery, IndexQuery, MessagesQuery, PictureView, Queries, StorageQuery, TerminalQuery,
    TimelineQuery, Views, WatchQuery,
};

use super::effect::Effect;
use super::file::FileQuestion;
use super::line::PromptLine;
use super::prefs::Prefs;
use super::run::Runs;
use super::trail::Trail;
use super::ui::{CacheTab, EngineState, Subject, Ui, View};
use crate::keep::{Meta, RunId};

/// The state of the page.
#[derive(Clone, Debug)]
pub struct State {
    /// The last views from the engine.
    pub views: Rc<Views>,
    /// The user's choices and the state of the page.
    pub ui: Rc<Ui>,
    /// The line at the prompt.
    pub line: Rc<PromptLine>,
    /// Questions under way.
    pub flow: Flow,
}

/// Questions under way; no component reads this.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    next_id: u32,
    pending: Vec<(u32, Purpose)>,
    shown: Option<Queries>,
    show_waiting: bool,
    move_busy: bool,
    move_next: Option<Move>,
    /// The number of the timer that counts.
    pub tick: u32,
    /// A move was played: the timer is set when its picture is here.
    pub tick_when_shown: bool,
    /// The run is followed beat by beat, so its pictures are shown as it names them.
    pub follows_beats: bool,
    /// The picture that a beat named last.
    pub picture: Option<PictureView>,
    /// Whether the first views have arrived.
    pub seen: bool,
    /// Whether to play once the first views arrive.
    pub play_when_seen: bool,
    /// Promises waiting for the first picture.
    pub ready_tickets: Vec<u32>,
    /// The current run and the runs that are being opened.
    pub runs: Runs,
    /// The learner's progress, as the engine wrote it.
    pub progress: String,
    /// Whether saving failed and the user was notified.
    pub save_failed: bool,
    /// Texts that this engine has, or that are under way.
    pub texts: Vec<String>,
    /// Why the last text that could not be had is not here, for a report.
    pub text_failure: String,
    /// The steps to reproduce the engine's state.
    pub trail: Trail,
}

/// The purpose of a numbered message.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    /// A run.
    Load,
    /// An entry of the journal: lines from the prompt, or an undo.
    Entry {
        /// The number.
        number: u64,
        /// The promise of the script that waits for the response.
        ticket: Option<u32>,
    },
    /// The place of an entry that is replayed.
    Place,
    /// A move of the cursor.
    Move,
    /// A change to that branch.
    Branch(u32),
    /// The base to keep.
    Save {
        /// The run.
        id: RunId,
        /// The entry in the list of runs.
        meta: Meta,
    },
    /// A link to be copied.
    Link,
    /// A file to be downloaded.
    Download,
    /// A question about the database file from outside.
    File(FileQuestion),
    /// A link for the way out of a figure, and for a report; it covers so many lines of the trail.
    WayOut {
        /// [`Trail::covers`].
        covers: u64,
    },
    /// A link that a script asked for.
    AskLink(u32),
    /// Something in a lesson.
    Lesson,
    /// The run of a lesson without its lesson.
    LeaveLesson,
    /// The list of lessons.
    Lessons,
    /// The picture of the solved lesson.
    Goal(String),
    /// The learner's progress, sent to a fresh engine.
    Progress,
    /// Completions.
    Complete,
    /// Commands or keys for the palette.
    Find {
        /// The typed start of the completions.
        typed: String,
        /// Keys, not commands.
        is_key: bool,
    },
    /// A script's question.
    Ask(u32),
}

/// A move of the cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// To a place.
    To(SeekTo),
    /// By steps.
    By(i64),
    /// By beats.
    ByBeats(i64),
    /// On, by up to so many steps in the present beat, or into the next one.
    On(u64),
}

impl State {
    /// The page before anything is known.
    pub fn new(prefs: Prefs) -> Self {
        State {
            views: Rc::default(),
            ui: Rc::new(Ui::new(prefs)),
            line: Rc::default(),
            flow: Flow::default(),
        }
    }

    /// To change what the user chose.
    pub fn ui_mut(&mut self) -> &mut Ui {
        Rc::make_mut(&mut self.ui)
    }

    /// To change what stands at the prompt.
    pub fn line_mut(&mut self) -> &mut PromptLine {
        Rc::make_mut(&mut self.line)
    }

    /// A fresh number for that purpose.
    pub fn number(&mut self, purpose: Purpose) -> u32 {
        self.flow.next_id = self.flow.next_id.wrapping_add(1);
        self.flow.pending.push((self.flow.next_id, purpose));
        self.flow.next_id
    }

    /// The purpose of a message; the message now has its response.
    pub fn answered(&mut self, id: u32) -> Option<Purpose> {
        let place = self
            .flow
            .pending
            .iter()
            .position(|(known, _)| *known == id)?;
        let (_, purpose) = self.flow.pending.swap_remove(place);
        if purpose == Purpose::Move {
            self.flow.move_busy = false;
        }
        Some(purpose)
    }

    /// Everything that was asked for.
    pub fn pending(&self) -> impl Iterator<Item = &Purpose> {
        self.flow.pending.iter().map(|(_, purpose)| purpose)
    }

    /// A move is wished for: send it, or keep it until the present one is answered.
    pub fn wish_move(&mut self, wish: Move, effects: &mut Vec<Effect>) {
        self.head_for(wish);
        let wish = match (self.flow.move_next, wish) {
            (Some(Move::By(first)), Move::By(more)) => Move::By(first.saturating_add(more)),
            (Some(Move::ByBeats(first)), Move::ByBeats(more)) => {
                Move::ByBeats(first.saturating_add(more))
            }
            (Some(Move::To(SeekTo::Step(step))), Move::By(more)) => {
                Move::To(SeekTo::Step(step.saturating_add_signed(more)))
            }
            (_, wish) => wish,
        };
        self.flow.move_next = Some(wish);
        self.send_move(effects);
    }

    /// Remembers where a move leads, for the journal.
    pub fn head_for(&mut self, wish: Move) {
        let status = &self.views.status;
        self.flow.runs.head_for(wish, status.step, status.steps);
    }

    /// Sends the move that is wished for, unless one is under way.
    pub fn send_move(&mut self, effects: &mut Vec<Effect>) {
        if self.flow.move_busy {
            return;
        }
        let Some(wish) = self.flow.move_next.take() else {
            return;
        };
        self.flow.move_busy = true;
        let id = self.number(Purpose::Move);
        effects.push(Effect::Send(match wish {
            Move::To(to) => ToEngine::Seek { id, to },
            Move::By(delta) => ToEngine::StepBy { id, delta },
            Move::ByBeats(delta) => ToEngine::BeatBy { id, delta },
            Move::On(steps) => ToEngine::PlayOn { id, steps },
        }));
    }

    /// Whether the cursor is about to move.
    pub fn is_moving(&self) -> bool {
        self.flow.move_busy || self.flow.move_next.is_some()
    }

    /// Forgets every question: the engine that was to answer is gone.
    pub fn forget_questions(&mut self) {
        self.flow.pending.clear();
        self.flow.shown = None;
        self.flow.show_waiting = false;
        self.flow.move_busy = false;
        self.flow.move_next = None;
        self.flow.seen = false;
        let ui = self.ui_mut();
        ui.is_silent = false;
        ui.paused = None;
        ui.progress = None;
    }

    /// Handles new views, so the queries may change again.
    pub fn views_came(&mut self) {
        self.flow.show_waiting = false;
    }

    /// Sends the queries if they have changed and none are under way.
    pub fn send_queries(&mut self, effects: &mut Vec<Effect>) {
        let gone = matches!(self.ui.engine, EngineState::Failed(..));
        if gone || self.flow.show_waiting || self.flow.next_id == 0 {
            return;
        }
        let queries = queries(&self.ui);
        if self.flow.shown.as_ref() != Some(&queries) {
            self.flow.shown = Some(queries.clone());
            self.flow.show_waiting = true;
            effects.push(Effect::Send(ToEngine::Show(queries)));
        }
    }
}

/// What the panels want to see: the picture on the stage and the subject of the inspector, and
/// nothing of the others.
pub fn queries(ui: &Ui) -> Queries {
    let view = ui.prefs.view;
    Queries {
        index: ui
            .index
            .as_ref()
            .filter(|_| view == View::Index)
            .map(|window| IndexQuery {
                filter: ui.filter.clone(),
                order: ui.prefs.order,
                watcher: ui.watcher.filter(|_| ui.subject == Subject::Watcher),
                ..window.clone()
            }),
        // A figure has no inspector, and seldom a terminal.
        key: (ui.selection.clone()).filter(|_| ui.subject == Subject::Key && ui.figure.is_none()),
        timeline: Some(TimelineQuery {
            columns: ui.timeline_columns,
        }),
        terminal: ui.has_terminal().then_some(TerminalQuery {
            last: ui.terminal_last,
        }),
        // The Index view shows where the watchers stand, too.
        watch: (matches!(view, View::Index | View::Watch) || ui.subject == Subject::Watcher).then(
            || WatchQuery {
                selected: ui.watcher.filter(|_| ui.subject == Subject::Watcher),
                table_rows: if view == View::Watch {
                    ui.watch.table_rows
                } else {
                    0
                },
                ..ui.watch.clone()
            },
        ),
        messages: (view == View::Messages).then_some(MessagesQuery {
            most: MESSAGES_MOST,
            skipped: ui.messages_skipped,
            selected: ui.message,
        }),
        storage: (view == View::Storage).then(|| {
            let row = ui.selection.clone();
            Box::new(StorageQuery {
                row,
                ..ui.storage.clone()
            })
        }),
        lesson: true,
        cache: cache_query(ui),
    }
}

/// The Index view shows where the caches stand, and nothing else of them.
fn cache_query(ui: &Ui) -> Option<Box<CacheQuery>> {
    let query = match ui.prefs.view {
        View::Index => CacheQuery {
            only_places: true,
            plot_us: 1,
            ..CacheQuery::default()
        },
        View::Cache => CacheQuery {
            ask: ui
                .cache
                .ask
                .clone()
                .filter(|_| ui.cache_tab == CacheTab::Routes),
            ..ui.cache.clone()
        },
        View::Watch | View::Messages | View::Storage | View::Lab => return None,
    };
    Some(Box::new(query))
}

/// More messages at once cannot be told apart on a stage.
const MESSAGES_MOST: u32 = 48;
