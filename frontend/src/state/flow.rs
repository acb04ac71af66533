//! The whole state of the page: the views, the user's choices, and the pending requests.
//!
//! The engine sends exactly one response to every numbered message. [`Flow`] records the purpose of each number and
//! limits the number of pending requests: at most one move and one change of the queries. A later request replaces an
//! earlier request that has not been sent.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, Move, Notification, Request, SeekTo, ToEngine};
use watchglass_engine::view::{
    CacheQuery, ClusterQuery, IndexQuery, MessagesQuery, PictureView, Queries, StorageQuery,
    TerminalQuery, TimelineQuery, Views, WatchQuery,
};

use super::choices::{Sharing, Subject, View};
use super::effect::{Effect, ScriptReply};
use super::file_panel::{ComparisonQuestion, FileQuestion};
use super::line::PromptLine;
use super::prefs::Prefs;
use super::runs::{ItemStage, JournalItem, Runs};
use super::trail::Trail;
use super::ui::{EngineState, Presenting, QosComparing, Ui};
use crate::keep::{Meta, RunId};

#[derive(Clone, Debug)]
pub struct State {
    /// The last views from the engine.
    pub views: Rc<Views>,
    /// The user's choices and the state of the page.
    pub ui: Rc<Ui>,
    pub line: Rc<PromptLine>,
    pub flow: Flow,
    /// The effects of the current action, which [`super::reduce`] returns.
    pub(super) effects: Vec<Effect>,
}

/// The pending requests and other internal state; no component reads this.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    next_id: u32,
    pending: Vec<(u32, Purpose)>,
    shown: Option<Queries>,
    show_waiting: bool,
    move_busy: bool,
    move_next: Option<Move>,
    /// The number of the current timer; other numbers are stale.
    pub tick: u32,
    /// Whether to start the timer when the next picture arrives. True if the last move was part of playback.
    pub tick_when_shown: bool,
    /// Whether the page switches to the view that each beat names. A beat is a section of the run with one text.
    pub follows_beats: bool,
    /// The view that a beat named last.
    pub picture: Option<PictureView>,
    /// Whether the first views have arrived.
    pub seen: bool,
    /// Whether to start playback when the first views arrive.
    pub play_when_seen: bool,
    /// The tickets (numbers) of the promises that wait for the first picture.
    pub ready_tickets: Vec<u32>,
    /// The replies to scripts that wait for the picture of their step, with the tickets.
    pub move_replies: Vec<(u32, ScriptReply)>,
    /// The current run and the runs that are being opened.
    pub runs: Runs,
    /// The learner's progress, in the format that the engine writes.
    pub progress: String,
    /// Whether saving failed and the user knows about this failure.
    pub save_failed: bool,
    /// The texts that this engine has received or that are being fetched.
    pub texts: Vec<String>,
    /// The reason why the last fetch of a text failed; a part of failure reports.
    pub text_failure: String,
    pub trail: Trail,
    /// The branches to compare once the commands of the second one have ended.
    pub comparison_after: Option<[u32; 2]>,
}

/// The purpose of a numbered message.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    Load,
    /// Execute an entry of the journal: lines from the prompt, or an undo.
    Entry {
        number: u64,
        /// The ticket of the script's promise that waits for the response, if a script sent the lines.
        ticket: Option<u32>,
    },
    /// Move the cursor to the position at which an entry was typed. This happens before the entry is replayed.
    Place,
    Move,
    Branch(u32),
    Compare,
    /// Get the commands of the branch, to repeat them as another etcd version.
    RepeatAs,
    /// Compare the run with and without the QoS rules.
    CompareQos,
    /// Search the run for endings, or repeat the run.
    Odds,
    /// Search for a failure with random commands.
    Nemesis,
    /// Get the current text of the run, to store the text as the run's base.
    Save {
        id: RunId,
        meta: Meta,
    },
    /// Get a link to the current step, to pass the step on.
    Share(Sharing),
    /// Get a file of the run for download.
    Download,
    File(FileQuestion),
    Comparison(ComparisonQuestion),
    /// Get a link for opening a figure in the app, or for failure reports.
    WayOut {
        /// The value of [`Trail::covers`] at the time of the request.
        covers: u64,
    },
    /// Get a link for the script with this ticket.
    AskLink(u32),
    Lesson,
    /// Check the text of an author's lesson.
    Rehearse,
    /// Get the solution of the current task, to run it and go to the next part.
    SkipTask,
    /// Get the run of a lesson, to open it as a run without the lesson.
    LeaveLesson,
    Lessons,
    /// Get the picture of a lesson's goal: the state after the solution of its last task.
    Goal(String),
    /// Give a fresh engine the learner's progress.
    Progress,
    Complete,
    /// Get commands or keys for the palette.
    Find {
        /// The text in the palette's field.
        typed: String,
        /// Whether keys are requested (true) or commands (false).
        is_key: bool,
    },
    /// Respond to the script whose promise has this ticket.
    Ask(u32),
}

impl State {
    /// Creates the state before any view has arrived.
    pub fn new(prefs: Prefs) -> Self {
        State {
            views: Rc::default(),
            ui: Rc::new(Ui::new(prefs)),
            line: Rc::default(),
            flow: Flow::default(),
            effects: Vec::new(),
        }
    }

    pub fn ui_mut(&mut self) -> &mut Ui {
        Rc::make_mut(&mut self.ui)
    }

    /// Sets whether the next picture appears without a transition. If the value stays the same, `ui` is not copied, so
    /// the parts of the page that depend on `ui` are not rendered again while the user drags the cursor.
    pub fn set_instant(&mut self, instant: bool) {
        if self.ui.instant != instant {
            self.ui_mut().instant = instant;
        }
    }

    pub fn line_mut(&mut self) -> &mut PromptLine {
        Rc::make_mut(&mut self.line)
    }

    /// Sends a request to the engine and records its purpose. Returns the id of the request.
    pub fn request(&mut self, purpose: Purpose, request: Request) -> u32 {
        self.flow.next_id = self.flow.next_id.wrapping_add(1);
        let id = self.flow.next_id;
        self.flow.pending.push((id, purpose));
        self.effects
            .push(Effect::Send(ToEngine::Request(id, request)));
        id
    }

    /// Sends a notification to the engine.
    pub fn notify(&mut self, notification: Notification) {
        self.effects.push(Effect::Send(notification.into()));
    }

    /// Records that the response to a message has arrived; returns the purpose of the message.
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

    pub fn pending(&self) -> impl Iterator<Item = &Purpose> {
        self.flow.pending.iter().map(|(_, purpose)| purpose)
    }

    /// Returns true if the message asks for the picture of a lesson's goal or for the check of a lesson. The engine
    /// does both in the background, and the page shows the progress of its own run only.
    pub fn is_of_lesson(&self, id: u32) -> bool {
        let is_quiet = |purpose: &Purpose| matches!(purpose, Purpose::Goal(_) | Purpose::Rehearse);
        let mut pending = self.flow.pending.iter();
        pending.any(|(known, purpose)| *known == id && is_quiet(purpose))
    }

    /// Hides the list of the presenter's keys, because the speaker uses them.
    pub fn leave_keys(&mut self) {
        if let Some(mode) = self.ui.presenting.filter(|mode| !mode.has_moved) {
            self.ui_mut().presenting = Some(Presenting {
                has_moved: true,
                ..mode
            });
        }
    }

    /// Requests a move: sends the move if no move is pending; otherwise remembers it until the response to the pending
    /// move arrives.
    pub fn wish_move(&mut self, wish: Move) {
        self.head_for(wish);
        self.leave_keys();
        let wish = match (self.flow.move_next, wish) {
            (Some(Move::BySteps(first)), Move::BySteps(more)) => {
                Move::BySteps(first.saturating_add(more))
            }
            (Some(Move::ByBeats(first)), Move::ByBeats(more)) => {
                Move::ByBeats(first.saturating_add(more))
            }
            (Some(Move::To(SeekTo::Step(step))), Move::BySteps(more)) => {
                Move::To(SeekTo::Step(step.saturating_add_signed(more)))
            }
            (_, wish) => wish,
        };
        self.flow.move_next = Some(wish);
        self.send_move();
    }

    /// Records the target of a move of the cursor. The journal stores the position at which each entry was typed.
    pub fn head_for(&mut self, wish: Move) {
        let status = &self.views.status;
        self.flow.runs.head_for(wish, status.step, status.steps);
    }

    /// Sends the remembered move, unless a move is pending.
    pub fn send_move(&mut self) {
        if self.flow.move_busy {
            return;
        }
        let Some(wish) = self.flow.move_next.take() else {
            return;
        };
        self.flow.move_busy = true;
        self.request(Purpose::Move, Request::Move(wish));
    }

    /// Returns true if a move is pending or remembered.
    pub fn is_moving(&self) -> bool {
        self.flow.move_busy || self.flow.move_next.is_some()
    }

    /// Forgets all pending requests, because the engine that received the requests has ended.
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
        if matches!(ui.qos, QosComparing::Running { .. }) {
            ui.qos = QosComparing::None;
        }
    }

    /// Allows new queries, because the views for the previous queries have arrived.
    pub fn views_came(&mut self) {
        self.flow.show_waiting = false;
    }

    /// Sends the queries if they have changed and no earlier queries are pending.
    pub fn send_queries(&mut self) {
        let gone = matches!(self.ui.engine, EngineState::Failed(..));
        if gone || self.flow.show_waiting || self.flow.next_id == 0 {
            return;
        }
        let queries = queries(&self.ui);
        if self.flow.shown.as_ref() != Some(&queries) {
            self.flow.shown = Some(queries.clone());
            self.flow.show_waiting = true;
            self.notify(Notification::Show(queries.into()));
        }
    }

    /// Resets everything that belongs to the previous run.
    pub fn forget_run(&mut self) {
        self.flow.picture = None;
        self.ui_mut().forget_run();
    }

    /// Updates the panels: the open run, the pending lines, and the lines that are set aside.
    pub fn show_runs(&mut self) {
        let runs = &self.flow.runs;
        let target = match runs.nexts.back() {
            Some(next) => Some(&next.run),
            None => runs.run.as_ref(),
        };
        let is_due = |item: &&JournalItem| !item.is_replayed && item.stage != ItemStage::Answered;
        let items = target.map_or(&[][..], |run| &run.items);
        let lines = items
            .iter()
            .filter(is_due)
            .filter_map(|item| match &item.entry.act {
                Act::Type(text) => Some(text.clone()),
                Act::Undo | Act::ResetPart | Act::ResetFrom(_) | Act::Reset => None,
            });
        let early = runs.early.iter().map(|(text, _)| text.clone());
        let running: Vec<_> = lines.chain(early).collect();
        let run = runs.run.as_ref().filter(|run| run.is_kept);
        let open = run.map(|run| run.id.clone());
        let asides = target.map_or(&[][..], |run| &run.asides);
        let ui = &self.ui;
        if ui.running != running || ui.open_run != open || ui.asides != asides {
            let asides = asides.to_vec();
            let ui = self.ui_mut();
            (ui.running, ui.open_run, ui.asides) = (running, open, asides);
        }
    }
}

/// Returns the queries for the visible panels: the view that the page shows, and the subject of the inspector.
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
        // A figure has no inspector, and usually no terminal.
        key: (ui.selection.clone()).filter(|_| ui.subject == Subject::Key && ui.figure.is_none()),
        timeline: Some(TimelineQuery {
            columns: ui.timeline_columns,
        }),
        terminal: ui.has_terminal().then_some(TerminalQuery {
            last: ui.terminal_fits.saturating_add(ui.terminal_earlier),
            beat: BEAT_COMMANDS_MOST,
        }),
        // The Index view also shows the positions of the watchers.
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
        cluster: (view == View::Cluster).then(|| {
            let key = ui.selection.as_ref().map(|selection| selection.key.clone());
            Box::new(ClusterQuery { key })
        }),
        qos: (view == View::Qos).then(|| Box::new(ui.qos_query.clone())),
    }
}

/// Returns the query for the caches. For the Index view, the query requests only the positions of the caches.
fn cache_query(ui: &Ui) -> Option<Box<CacheQuery>> {
    let query = match ui.prefs.view {
        View::Index => CacheQuery {
            only_places: true,
            plot_us: 1,
            ..CacheQuery::default()
        },
        View::Cache => CacheQuery {
            plot_us: ui.prefs.plot_us,
            ..ui.cache.clone()
        },
        View::Watch | View::Messages | View::Storage | View::Cluster | View::Qos | View::Lab => {
            return None;
        }
    };
    Some(Box::new(query))
}

/// The maximum number of commands that the page shows beside the text of a beat.
const BEAT_COMMANDS_MOST: u32 = 12;

/// The maximum number of messages in the Messages view. More messages would be indistinguishable.
const MESSAGES_MOST: u32 = 48;
