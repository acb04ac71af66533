//! The current run and the runs that are about to open: their typed lines, and the progress of each line.

use std::collections::VecDeque;

use watchglass_engine::session::INTERRUPT;
use watchglass_engine::session::protocol::{Act, Move, SeekTo, Source};
use watchglass_engine::session::save::Saved;

use super::choices::Tone;
use crate::keep::journal::{Aside, JournalEntry};
use crate::keep::opening::{OPENING_STORY, Opening};
use crate::keep::{KeptRun, Meta, RunId, Wanted, slot};

/// A value in place of a branch number; it means the branch on which the previous entry left the cursor.
pub(super) const SAME_BRANCH: u32 = u32::MAX;

/// A run and the lines typed since its base was made.
#[derive(Clone, Debug)]
pub struct OpenRun {
    pub id: RunId,
    pub meta: Meta,
    pub base: Source,
    /// The position of the cursor after the load.
    pub at: SeekTo,
    /// The source and position that *Start over* opens.
    pub(super) origin: Option<Opening>,
    /// The actions that the base does not contain yet, oldest first.
    pub items: Vec<JournalItem>,
    /// The lines that are set aside: stored, but not replayed.
    pub asides: Vec<Aside>,
    /// The highest entry number in the run's journal.
    pub(super) number: u64,
    pub is_kept: bool,
    /// Whether the run is never saved, because it copies the data of another server.
    pub(super) stays_in_tab: bool,
    /// The label of the run on the start page, as stored last.
    pub(super) label: String,
    /// The number of attempts to load the base that did not finish.
    pub(super) attempts: u32,
}

/// An action on the run and its progress.
#[derive(Clone, Debug)]
pub struct JournalItem {
    pub entry: JournalEntry,
    pub stage: ItemStage,
    /// The ticket of the script's promise that waits for the response, if a script requested the action.
    pub(super) ticket: Option<u32>,
    /// Whether the action was typed before the current engine started. The engine then replays the action.
    pub(super) is_replayed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStage {
    Waiting,
    /// The action was sent and has no response yet.
    Sent,
    Answered,
}

/// A run that the page asked the engine to load.
#[derive(Clone, Debug)]
pub struct NextRun {
    pub(super) load: u32,
    pub(super) run: OpenRun,
    pub(super) why: OpenFor,
}

/// The reason for opening a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFor {
    Start,
    Restart,
    Choice,
    StartOver,
    /// An author writes a lesson; contains the part to show.
    Preview(u32),
    /// A script requested the run.
    Script(u32),
}

/// The current run and the runs that are about to open.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The prefix of the ids of new runs.
    pub ids: String,
    pub(super) made: u32,
    /// The run that the engine has loaded.
    pub run: Option<OpenRun>,
    /// The runs that the page asked the engine to load, in the order of the requests.
    pub(super) nexts: VecDeque<NextRun>,
    /// The run that the page was opened with.
    pub(super) first: Option<Wanted>,
    /// The pending search in storage: its number, the wanted run, the reason, and whether to ignore failed attempts.
    pub(super) wanted: Option<(u32, Wanted, OpenFor, bool)>,
    pub(super) looked: u32,
    /// Lines typed before the search in storage found a run, each with the ticket of the script's promise that waits
    /// for its response.
    pub(super) early: Vec<(String, Option<u32>)>,
    /// The step that the cursor will reach after all moves since the last journal entry.
    pub(super) heading: Option<u64>,
    /// The run that was open before this run, as long as the page offers to return to the earlier run.
    pub(super) left: Option<(RunId, String)>,
    /// The notice to show when the next run is loaded.
    pub(super) sentence: Option<(Tone, String)>,
}

impl OpenRun {
    pub(super) fn fresh(id: RunId, source: Source, at: SeekTo) -> Self {
        OpenRun {
            id,
            meta: Meta {
                slot: slot::of(&source).unwrap_or_default(),
                ..Meta::default()
            },
            origin: Some(Opening {
                source: source.clone(),
                at,
            }),
            base: source,
            at,
            items: Vec::new(),
            asides: Vec::new(),
            number: 0,
            is_kept: false,
            stays_in_tab: false,
            label: String::new(),
            attempts: 0,
        }
    }

    pub(super) fn kept(kept: KeptRun, origin: Option<Opening>) -> Self {
        let numbers = kept.entries.iter().map(|entry| entry.number);
        let numbers = numbers.chain(kept.asides.iter().map(|aside| aside.number));
        let item = |entry| JournalItem {
            entry,
            stage: ItemStage::Waiting,
            ticket: None,
            is_replayed: true,
        };
        OpenRun {
            number: numbers.fold(kept.meta.covers, u64::max),
            id: kept.id,
            meta: kept.meta,
            base: kept.base,
            at: kept.at,
            origin,
            items: kept.entries.into_iter().map(item).collect(),
            asides: kept.asides,
            is_kept: true,
            stays_in_tab: false,
            label: String::new(),
            attempts: kept.attempts,
        }
    }

    /// Returns true if every action has a response.
    pub(super) fn is_idle(&self) -> bool {
        self.items
            .iter()
            .all(|item| item.stage == ItemStage::Answered)
    }

    pub(super) fn is_replaying(&self) -> bool {
        let mut items = self.items.iter();
        items.any(|item| item.is_replayed && item.stage != ItemStage::Answered)
    }

    /// Marks all actions for replay by a fresh engine.
    pub(super) fn replay_all(&mut self) {
        for item in &mut self.items {
            item.stage = ItemStage::Waiting;
            item.is_replayed = true;
        }
    }

    /// Returns the source and position that *Start over* opens.
    pub(super) fn origin(&self) -> Opening {
        if let Some(origin) = &self.origin {
            return origin.clone();
        }
        let source = match &self.base {
            Source::Saved(text) => Saved::from_text(text).ok().map(|saved| saved.source),
            source => Some(source.clone()),
        };
        let source = source.unwrap_or_else(story);
        let at = match source {
            Source::Story(_) => SeekTo::Step(0),
            Source::Text(_) | Source::Empty { .. } => SeekTo::End,
            Source::Saved(_) | Source::Link(_) | Source::Lesson(_) | Source::Snapshot { .. } => {
                SeekTo::Default
            }
        };
        Opening { source, at }
    }
}

pub(super) fn story() -> Source {
    Source::Story(OPENING_STORY.to_owned())
}

impl Runs {
    /// Returns true if the source is a text of the user. If the page was opened with a text, this text is not a text of
    /// the user, but a scenario of the site.
    pub(super) fn is_text_of_user(&self, source: &Source) -> bool {
        let is_of_address = self.first.as_ref().is_some_and(
            |wanted| matches!(wanted, Wanted::Source { source: first, .. } if first == source),
        );
        matches!(source, Source::Text(_)) && !is_of_address
    }
}

impl Runs {
    /// Returns the run to which the next typed line belongs.
    pub(super) fn target(&mut self) -> Option<&mut OpenRun> {
        match self.nexts.back_mut() {
            Some(next) => Some(&mut next.run),
            None => self.run.as_mut(),
        }
    }

    /// Returns true if saved lines are still being replayed.
    pub fn is_replaying(&self) -> bool {
        self.run.as_ref().is_some_and(OpenRun::is_replaying)
    }

    /// Returns true if another run is about to open, or if an action other than an interrupt has no response yet.
    pub fn is_waiting(&self) -> bool {
        let mut items = self.run.iter().flat_map(|run| &run.items);
        let is_interrupt = |act: &Act| matches!(act, Act::Type(text) if text == INTERRUPT);
        let waits = |item: &JournalItem| {
            item.stage != ItemStage::Answered && !is_interrupt(&item.entry.act)
        };
        self.is_loading() || items.any(waits)
    }

    /// Returns true if another run is about to open.
    pub fn is_loading(&self) -> bool {
        !self.nexts.is_empty() || self.wanted.is_some()
    }

    pub(super) fn fresh_id(&mut self) -> RunId {
        self.made += 1;
        format!("{}.{}", self.ids, self.made)
    }

    /// Records the target of a move of the cursor.
    pub fn head_for(&mut self, wish: Move, step: u64, steps: u64) {
        let from = self.heading.unwrap_or(step);
        self.heading = match wish {
            Move::BySteps(delta) => Some(from.saturating_add_signed(delta).min(steps)),
            Move::To(SeekTo::Step(step)) => Some(step.min(steps)),
            Move::To(SeekTo::End) => Some(steps),
            Move::To(_) | Move::ByBeats(_) | Move::PlayOn(_) | Move::ToBranch(_) => None,
        };
    }
}
