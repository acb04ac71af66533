//! Requests that create no steps: cursor moves, exports of the run, and completions. The session answers these requests
//! before pending commands, even during a long command.
//!
//! Requests that arrive while another run loads belong to the new run, so they are queued until the new run is in
//! place.

use crate::bbolt::file::with_trailer;
use crate::etcd::Backup;
use crate::shell::{self, StoreNames};
use crate::view::{Moment, Queries};
use crate::words::session as words;

use super::inputs::Replay;
use super::permalink::Permalink;
use super::protocol::{Done, SeekTo};
use super::save::{LogItem, Saved};
use super::workspace::Workspace;

/// The maximum number of keys, and of leases, that completion reads.
const COMPLETION_KEYS_MAX: usize = 10_000;

/// The default file name for the member's database.
const SNAPSHOT_NAME: &str = "snapshot.db";

/// A request that creates no steps.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Seek(SeekTo),
    StepBy(i64),
    BeatBy(i64),
    PlayOn(u64),
    Branch(u32),
    Compare([u32; 2]),
    Query { at: Moment, queries: Box<Queries> },
    State,
    Save,
    Link { view: String },
    Snapshot { name: String },
    Complete { line: String, cursor: u32 },
}

/// The answer to a request.
pub(super) enum Answer {
    /// The response.
    Done(Done),
    /// The replay that must finish before the response can be sent.
    Replay(Replaying),
}

/// A replay for a request.
#[derive(Debug)]
pub(super) enum Replaying {
    /// The replay belongs to a move of the cursor.
    Seek(Replay),
    /// The replay creates the world at a step of a branch. The response contains the views of this world that the
    /// queries select.
    Look {
        branch: u32,
        replay: Replay,
        queries: Box<Queries>,
    },
}

impl Asked {
    /// Returns true if the request moves the cursor.
    pub(super) fn is_move(&self) -> bool {
        matches!(
            self,
            Self::Seek(_) | Self::StepBy(_) | Self::BeatBy(_) | Self::PlayOn(_) | Self::Branch(_)
        )
    }
}

impl Workspace {
    /// Answers the request. `from` is the step at which a relative move starts.
    pub(super) fn answer_to(&mut self, asked: Asked, from: u64) -> Answer {
        let done = match asked {
            Asked::Seek(to) => return self.seek_or_replay(to),
            Asked::StepBy(delta) => {
                return self.seek_or_replay(SeekTo::Step(from.saturating_add_signed(delta)));
            }
            Asked::BeatBy(delta) => {
                return self.seek_or_replay(SeekTo::Beat(self.beat_by(from, delta)));
            }
            Asked::Branch(branch) => {
                self.switch(branch);
                return self.seek_or_replay(SeekTo::Step(self.cursor));
            }
            Asked::PlayOn(steps) => {
                let replay = self.play_on(steps);
                return self.moved(replay);
            }
            Asked::Query { at, queries } => {
                // Clamps the branch and the step to the run.
                let branch = at.branch.min(self.branches.len() as u32 - 1);
                return Answer::Replay(Replaying::Look {
                    branch,
                    replay: self.branches[branch as usize].run.begin_replay(at.step),
                    queries,
                });
            }
            Asked::Compare(branches) => Done::Branches(Box::new(self.compare(branches))),
            Asked::State => Done::Text(self.state_json()),
            Asked::Save => Done::Text(self.saved().to_text()),
            Asked::Link { view } => Done::Text(self.link(view)),
            Asked::Snapshot { name } => self.snapshot(name),
            Asked::Complete { line, cursor } => self.complete(&line, cursor),
        };
        Answer::Done(done)
    }

    /// Moves the cursor, or starts the replay that must finish before.
    fn seek_or_replay(&mut self, to: SeekTo) -> Answer {
        let replay = self.begin_seek(to);
        self.moved(replay)
    }

    fn moved(&self, replay: Option<Replay>) -> Answer {
        match replay {
            None => Answer::Done(Done::Moved { step: self.cursor }),
            Some(replay) => Answer::Replay(Replaying::Seek(replay)),
        }
    }

    /// Returns the data from which the run can be replayed.
    pub(super) fn saved(&self) -> Saved {
        Saved {
            format: self.world().config().format,
            profile: self.first_profile(),
            source: self.source.clone(),
            log: self.log.iter().cloned().chain(self.half_typed()).collect(),
            at: self.moment(),
        }
    }

    /// Returns a link to the current step.
    fn link(&self, view: String) -> String {
        let saved = self.saved();
        Permalink { saved, view }.to_text()
    }

    /// Returns the half-typed transaction, if any, as a log item at the cursor.
    fn half_typed(&self) -> Option<LogItem> {
        (!self.half_typed.is_empty()).then(|| LogItem {
            at: self.moment(),
            text: self.half_typed.join("\n").into(),
        })
    }

    /// Returns the member's database file, or a snapshot that was saved in the run. In both cases, the file ends with
    /// the SHA-256 hash that `snapshot save` appends.
    fn snapshot(&self, name: String) -> Done {
        let view = if name.is_empty() {
            let mut backend = self.world().backend(self.world().endpoint());
            backend.as_mut().map(|backend| {
                backend.commit();
                backend.file()
            })
        } else {
            self.run().head().backup(&name).map(Backup::file)
        };
        match view.map(|view| view.to_file()) {
            Some(Ok(file)) => Done::File {
                name: match name.rsplit('/').next() {
                    Some(name) if !name.is_empty() => name.to_owned(),
                    _ => SNAPSHOT_NAME.to_owned(),
                },
                bytes: with_trailer(file),
            },
            Some(Err(damage)) => Done::Refused {
                message: damage.to_string(),
            },
            None => Done::Refused {
                message: words::no_snapshot(&name),
            },
        }
    }

    fn complete(&self, line: &str, cursor: u32) -> Done {
        let etcd = self.world().at_endpoint();
        let keys = etcd.store().index().iter().take(COMPLETION_KEYS_MAX);
        let leases = etcd.lessor().leases().take(COMPLETION_KEYS_MAX);
        let names = StoreNames {
            keys: keys.map(|ki| ki.key.clone()).collect(),
            leases: leases.map(|lease| lease.id).collect(),
        };
        let completion = shell::complete(line, cursor as usize, &names);
        Done::Completions {
            start: completion.start,
            items: completion
                .items
                .into_iter()
                .map(|i| (i.text, i.gloss))
                .collect(),
        }
    }
}
