//! Requests that create no steps: cursor moves, exports of the run, and completions. The session answers these requests
//! before pending commands, even during a long command.
//!
//! Requests that arrive while another run loads belong to the new run, so they are queued until the new run is in
//! place.

use crate::bbolt::View;
use crate::bbolt::file::with_trailer;
use crate::bbolt::loaded::WHOLE_BYTES_MAX;
use crate::etcd::Backup;
use crate::shell::{self, StoreNames};
use crate::words::session as words;

use super::inputs::Replay;
use super::jobs::{Replaying, Work};
use super::permalink::Permalink;
use super::protocol::{Done, Move, Read, SeekTo};
use super::real_etcd;
use super::save::{LogItem, Saved};
use super::workspace::Workspace;

/// The maximum number of keys, and of leases, that completion reads.
const COMPLETION_KEYS_MAX: usize = 10_000;

/// The default file name for the member's database.
const SNAPSHOT_NAME: &str = "snapshot.db";

pub(super) enum Answer {
    Done(Done),
    /// The work that must finish before the response can be sent.
    Work(Work),
}

fn text_or_refused(text: Result<String, String>) -> Done {
    match text {
        Ok(text) => Done::Text(text),
        Err(message) => Done::Refused { message },
    }
}

impl Workspace {
    /// Moves the cursor, or starts the replay that must finish before. `from` is the step at which a relative move
    /// starts.
    pub(super) fn move_cursor(&mut self, by: Move, from: u64) -> Answer {
        let to = match by {
            Move::To(to) => to,
            Move::BySteps(delta) => {
                let replay = self.begin_steps(from, delta);
                return self.moved_after(replay);
            }
            Move::ByBeats(delta) => SeekTo::Beat(self.beat_by(from, delta)),
            Move::ToBranch(branch) => {
                self.switch(branch);
                SeekTo::Step(self.cursor)
            }
            Move::PlayOn(steps) => {
                let replay = self.play_on(steps);
                return self.moved_after(replay);
            }
        };
        let replay = self.begin_seek(to);
        self.moved_after(replay)
    }

    /// Answers a request that does not change the run.
    pub(super) fn read(&self, read: Read) -> Answer {
        Answer::Done(match read {
            Read::Look { at, queries } => {
                // Clamps the branch and the step to the run.
                let branch = at.branch.min(self.branches.len() as u32 - 1);
                return Answer::Work(Work::Replaying(Replaying::Look {
                    branch,
                    replay: self.branches[branch as usize].run.begin_replay(at.step),
                    queries,
                }));
            }
            Read::CompareBranches(branches) => Done::Branches(Box::new(self.compare(branches))),
            Read::Commands { profile } => Done::Text(self.commands(&profile)),
            Read::State => Done::Text(self.state_json()),
            Read::Save => Done::Text(self.saved().to_text()),
            Read::Link { view } => Done::Text(self.link(view)),
            Read::Snapshot { name } => self.snapshot(name),
            Read::EtcdRequest { line } => {
                text_or_refused(real_etcd::request(&line, self.world().config().profile))
            }
            Read::EtcdResponse { line, response } => {
                let last = self.run().last_exchange(self.cursor);
                let profile = self.world().config().profile;
                let last = last.map(AsRef::as_ref);
                text_or_refused(real_etcd::response(&line, &response, last, profile))
            }
            Read::Complete { line, cursor } => self.complete(&line, cursor),
        })
    }

    fn moved_after(&self, replay: Option<Replay>) -> Answer {
        match replay {
            None => Answer::Done(self.moved()),
            Some(replay) => Answer::Work(Work::Replaying(Replaying::Seek(replay))),
        }
    }

    pub(super) fn moved(&self) -> Done {
        Done::Moved { step: self.cursor }
    }

    /// Returns the data from which the run can be replayed.
    pub(super) fn saved(&self) -> Saved {
        Saved {
            format: self.world().config().format,
            profile: self.first_profile(),
            source: self.source.clone(),
            log: self.log.iter().cloned().chain(self.half_typed()).collect(),
            at: self.moment(),
            beat: self.beat_without_steps(),
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
        // A browser cannot save a larger file from memory.
        let is_large = |view: &View| view.bytes() > WHOLE_BYTES_MAX;
        if view.as_ref().is_some_and(is_large) {
            return Done::Refused {
                message: words::snapshot_too_large(WHOLE_BYTES_MAX >> 30),
            };
        }
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
