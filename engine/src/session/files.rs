//! A database file that the user opens. The engine receives the bytes in pieces, checks the pages and computes totals
//! over the rows. A run can start on the file.
//!
//! The file never leaves the engine. A saved run or a link identifies the file by its content. If that file is not
//! open, the page asks for it again.

use std::collections::VecDeque;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::base::Bytes;
use crate::bbolt::File;
use crate::bbolt::check::{Checker, Findings};
use crate::bbolt::file::TRAILER_BYTES;
use crate::etcd::snapshot_file::SnapshotOpening;
use crate::etcd::{FileIdentity, SnapshotFile};
use crate::kube::object_json::object_json;
use crate::view::file::build::FileSummary;
use crate::view::file::maintenance::MaintenanceQuery;
use crate::view::file::maintenance_run::MaintenanceRun;
use crate::view::file::put_script::{self, PutScript};
use crate::view::file::search::{Found, KeySearch};
use crate::words::{file as words, maintenance as maintenance_words};

use super::memory::{CHANGE_BYTES, mib};
use super::protocol::{Done, FileAsk, FileStage, FromEngine, Revision, ValueForm};

/// The maximum size of a file in bytes; the whole file stays in memory.
pub const FILE_BYTES_MAX: u64 = 1 << 30;

/// The number of pages, or of links between pages, that one call checks.
const CHECKED_AT_ONCE: usize = 16;
/// The number of rows that one call adds to the totals.
const SUMMED_AT_ONCE: usize = 64;

/// The first bytes of an SQLite database, which is often named `.db` too.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// A file that was completely read and checked.
pub(super) struct OpenFile {
    pub(super) identity: FileIdentity,
    pub(super) file: File,
    pub(super) findings: Findings,
    summary: Box<FileSummary>,
}

impl std::fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.identity.fmt(f)
    }
}

/// The file that is open or being opened.
#[derive(Default)]
pub(super) struct Files {
    work: Option<FileWork>,
    open: Option<Arc<OpenFile>>,
    /// The searches through the keys of the open file, each with the id of its request.
    searches: VecDeque<(u32, Search)>,
    /// The prediction of a maintenance plan, with the id of its request.
    maintenance: Option<(u32, MaintenanceRun)>,
    /// The open file with its store, which the next prediction or run can reuse.
    restored: Option<Arc<SnapshotFile>>,
    /// The parsed file of the current run, which the next run can reuse.
    pub(super) begun: Option<Arc<SnapshotFile>>,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.open.fmt(f)
    }
}

struct Search {
    keys: KeySearch,
    /// The name of the file that contains the result; empty for a list.
    name: String,
}

struct FileWork {
    id: u32,
    name: Arc<str>,
    stage: Stage,
}

enum Stage {
    Receive(Receive),
    Check {
        identity: FileIdentity,
        file: File,
        checker: Checker,
    },
    Sum {
        identity: FileIdentity,
        file: File,
        findings: Findings,
        summary: Box<FileSummary>,
    },
}

struct Receive {
    /// The bytes received so far. The buffer has room for further bytes.
    bytes: Arc<[u8]>,
    received: usize,
    /// The size of the file in bytes.
    total: usize,
    hash: Sha256,
}

impl Receive {
    fn new(bytes: u64) -> Self {
        Self {
            bytes: Arc::default(),
            received: 0,
            total: bytes as usize,
            hash: Sha256::new(),
        }
    }

    /// Adds the next bytes; returns true once the file is complete.
    fn take(&mut self, piece: &[u8]) -> bool {
        let all = self.total;
        let piece = &piece[..piece.len().min(all - self.received)];
        let end = self.received + piece.len();
        self.make_room(end);
        if let Some(place) = Arc::get_mut(&mut self.bytes) {
            place[self.received..end].copy_from_slice(piece);
        }
        let pages = match all % 512 {
            TRAILER_BYTES => all - TRAILER_BYTES,
            _ => all,
        };
        let hashed = pages.clamp(self.received, end) - self.received;
        self.hash.update(&piece[..hashed]);
        self.received = end;
        end == all
    }

    /// Enlarges the buffer to hold the first `end` bytes. Doubles the buffer, up to the size of the file, so that few
    /// bytes are copied more than once and memory grows only as bytes arrive.
    fn make_room(&mut self, end: usize) {
        if end <= self.bytes.len() {
            return;
        }
        let room = (2 * end).min(self.total);
        let mut grown: Arc<[u8]> = std::iter::repeat_n(0, room).collect();
        if let Some(place) = Arc::get_mut(&mut grown) {
            place[..self.received].copy_from_slice(&self.bytes[..self.received]);
        }
        self.bytes = grown;
    }
}

impl OpenFile {
    /// Returns a value as a file, or the reason why there is none.
    fn saved_value(
        &self,
        key: &[u8],
        at: Option<Revision>,
        form: ValueForm,
    ) -> Result<Done, String> {
        let kv = self.summary.key_value(&self.file, key, at);
        let kv = kv.ok_or_else(|| words::DAMAGED_VALUE.to_owned())?;
        let name = format!("{}-{}", put_script::file_name(key), kv.mod_revision);
        let (ending, bytes) = match form {
            ValueForm::Bytes => ("bin", kv.value.to_vec()),
            ValueForm::Object => match object_json(&kv.value) {
                Some(text) => ("json", text.into_bytes()),
                None => return Err(words::NO_OBJECT.to_owned()),
            },
            ValueForm::Script => {
                let head = words::script_head(&self.identity.name, self.summary.revision());
                let mut script = PutScript::new(&head);
                script.put(key, &kv.value);
                ("sh", script.into_bytes())
            }
        };
        Ok(Done::File {
            name: format!("{name}.{ending}"),
            bytes,
        })
    }
}

impl Files {
    /// Starts to open a file. Its bytes arrive through [`take`](Self::take). If another file is open or is being
    /// opened, closes that file.
    pub(super) fn begin(&mut self, id: u32, name: &str, bytes: u64, out: &mut Vec<FromEngine>) {
        self.give_up(out);
        self.open = None;
        if bytes > FILE_BYTES_MAX {
            let (size, most) = (bytes >> 20, FILE_BYTES_MAX >> 20);
            return refuse(out, id, words::too_large(name, size, most));
        }
        self.work = Some(FileWork {
            id,
            name: name.into(),
            stage: Stage::Receive(Receive::new(bytes)),
        });
        if bytes == 0 {
            self.received(out);
        }
    }

    pub(super) fn take(&mut self, piece: &[u8], out: &mut Vec<FromEngine>) {
        let Some(FileWork {
            id,
            stage: Stage::Receive(receive),
            ..
        }) = &mut self.work
        else {
            return;
        };
        let is_whole = receive.take(piece);
        out.push(FromEngine::FileProgress {
            id: *id,
            stage: FileStage::Reading,
            done: receive.received as u64,
            total: receive.total as u64,
        });
        if is_whole {
            self.received(out);
        }
    }

    /// Starts the check of the pages once all bytes have arrived.
    fn received(&mut self, out: &mut Vec<FromEngine>) {
        let Some(FileWork {
            id,
            name,
            stage: Stage::Receive(receive),
        }) = self.work.take()
        else {
            return;
        };
        let bytes = Bytes::from(receive.bytes);
        let identity = FileIdentity {
            name: name.clone(),
            bytes: bytes.len() as u64,
            sha256: receive.hash.finalize().into(),
        };
        let is_sqlite = bytes.starts_with(SQLITE);
        match File::open(bytes) {
            Ok(file) => {
                let checker = Checker::new(file.view());
                let stage = Stage::Check {
                    identity,
                    file,
                    checker,
                };
                self.work = Some(FileWork { id, name, stage });
            }
            Err(_) if is_sqlite => refuse(out, id, words::sqlite(&name)),
            Err(damage) => refuse(out, id, words::not_etcd(&name, damage)),
        }
    }

    /// Returns true if there are still pages to check, rows to add to the totals or keys to search.
    pub(super) fn has_work(&self) -> bool {
        let work = self.work.as_ref();
        !self.searches.is_empty()
            || work.is_some_and(|work| !matches!(work.stage, Stage::Receive(_)))
    }

    /// Searches a few keys, checks a few pages, or adds a few rows to the totals. Returns the file once it is open.
    pub(super) fn advance(&mut self, out: &mut Vec<FromEngine>) -> Option<Arc<OpenFile>> {
        if !self.searches.is_empty() {
            self.search(out);
            return None;
        }
        let FileWork { id, name, stage } = self.work.take()?;
        let stage = match stage {
            Stage::Check {
                identity,
                file,
                mut checker,
            } => match checker.step(CHECKED_AT_ONCE) {
                false => Stage::Check {
                    identity,
                    file,
                    checker,
                },
                true => Stage::Sum {
                    identity,
                    summary: FileSummary::new(&file).into(),
                    file,
                    findings: checker.finish(),
                },
            },
            Stage::Sum {
                identity,
                file,
                findings,
                mut summary,
            } => {
                if summary.step(SUMMED_AT_ONCE) {
                    let overview = summary.overview(&identity, &file, &findings);
                    let open = Arc::new(OpenFile {
                        identity,
                        file,
                        findings,
                        summary,
                    });
                    self.open = Some(open.clone());
                    let done = Done::Opened(Box::new(overview));
                    out.push(FromEngine::Done { id, done });
                    return Some(open);
                }
                Stage::Sum {
                    identity,
                    file,
                    findings,
                    summary,
                }
            }
            receive @ Stage::Receive(_) => receive,
        };
        self.work = Some(FileWork { id, name, stage });
        None
    }

    /// Returns the progress of the current stage of opening the file; `None` if no file is being opened.
    pub(super) fn progress(&self) -> Option<FromEngine> {
        let work = self.work.as_ref()?;
        let (stage, done, total) = match &work.stage {
            Stage::Receive(_) => return None,
            Stage::Check { checker, .. } => {
                let (done, total) = checker.progress();
                (FileStage::Checking, done, total)
            }
            Stage::Sum {
                summary, findings, ..
            } => (
                FileStage::Summing,
                summary.pages(),
                (findings.uses.len() - findings.unused.len()) as u64,
            ),
        };
        Some(FromEngine::FileProgress {
            id: work.id,
            stage,
            done,
            total,
        })
    }

    /// Ends all work on the file, and discards the store of the file.
    pub(super) fn give_up(&mut self, out: &mut Vec<FromEngine>) {
        self.stop_maintenance(out);
        self.restored = None;
        let work = self.work.take().map(|work| work.id);
        for id in self.searches.drain(..).map(|(id, _)| id).chain(work) {
            let done = Done::Interrupted;
            out.push(FromEngine::Done { id, done });
        }
    }

    /// Closes the file. A run that started from the file can still be used.
    pub(super) fn close(&mut self, out: &mut Vec<FromEngine>) {
        self.give_up(out);
        self.open = None;
    }

    /// Answers a question that the web page asks about the open file, or begins a search.
    pub(super) fn ask(&mut self, id: u32, ask: FileAsk, out: &mut Vec<FromEngine>) {
        let Some(open) = self.open.clone() else {
            return refuse(out, id, words::NO_FILE.to_owned());
        };
        let name = &open.identity.name;
        let stem = name.strip_suffix(".db").unwrap_or(name);
        let done = match ask {
            FileAsk::Prefix(prefix) => Done::Prefixes(open.summary.prefixes(&prefix)),
            FileAsk::Value {
                key,
                at,
                shows_secret,
            } => match open.summary.value(&open.file, &key, at, shows_secret) {
                Some(value) => Done::Value(Box::new(value)),
                None => return refuse(out, id, words::DAMAGED_VALUE.to_owned()),
            },
            FileAsk::SaveValue { key, at, form } => match open.saved_value(&key, at, form) {
                Ok(done) => done,
                Err(why) => return refuse(out, id, why),
            },
            FileAsk::Keys(query) => {
                if let Some(at) = self.searches.iter().position(|(_, s)| s.keys.is_list())
                    && let Some((id, _)) = self.searches.remove(at)
                {
                    let done = Done::Interrupted;
                    out.push(FromEngine::Done { id, done });
                }
                return self.begin_search(id, KeySearch::list(query), String::new());
            }
            FileAsk::SaveTable(filter) => {
                let name = format!("{stem}-keys.csv");
                return self.begin_search(id, KeySearch::table(filter), name);
            }
            FileAsk::SaveScript(filter) => {
                let revision = open.summary.revision();
                let keys = KeySearch::script(filter, name, revision);
                return self.begin_search(id, keys, format!("{stem}-keys.sh"));
            }
            FileAsk::Maintenance(query) => {
                self.stop_maintenance(out);
                match self.begin_maintenance(query, &open) {
                    Ok(run) => self.maintenance = Some((id, run)),
                    Err(why) => refuse(out, id, why),
                }
                return;
            }
        };
        out.push(FromEngine::Done { id, done });
    }

    fn begin_search(&mut self, id: u32, keys: KeySearch, name: String) {
        self.searches.push_back((id, Search { keys, name }));
    }

    /// Continues the first search.
    fn search(&mut self, out: &mut Vec<FromEngine>) {
        let (Some(open), Some((_, search))) = (&self.open, self.searches.front_mut()) else {
            return;
        };
        if !search.keys.step(&open.summary) {
            return;
        }
        if let Some((id, Search { keys, name })) = self.searches.pop_front() {
            let done = match keys.finish() {
                Found::List(list) => Done::Keys(Box::new(list)),
                Found::File(bytes) => Done::File { name, bytes },
                Found::Refused(message) => Done::Refused { message },
            };
            out.push(FromEngine::Done { id, done });
        }
    }

    fn begin_maintenance(
        &self,
        query: MaintenanceQuery,
        open: &OpenFile,
    ) -> Result<MaintenanceRun, String> {
        let (summary, identity) = (&open.summary, &open.identity);
        if let Some(damage) = open.findings.damages.first() {
            return Err(words::damaged(damage));
        }
        let keys = match query.delete.is_empty() {
            true => 0,
            false => summary.live_keys(&query.delete),
        };
        query.check(summary.revision_limits(), keys)?;
        let rows = summary.stored_rows();
        let profile = summary.profile();
        if let Some(file) = self.parsed(identity).filter(|f| f.profile == profile) {
            let file = Arc::new(file.with_identity(identity.clone()));
            return Ok(MaintenanceRun::restored(query, file, rows, keys));
        }
        let findings = open.findings.clone();
        let opening = SnapshotOpening::new(identity.clone(), &open.file, findings, profile);
        let refused = |error| maintenance_words::cannot_restore(&identity.name, error);
        let opening = opening.map_err(refused)?;
        Ok(MaintenanceRun::open(query, opening, rows, keys))
    }

    /// Returns true if a prediction of a maintenance plan is not finished.
    pub(super) fn has_maintenance(&self) -> bool {
        self.maintenance.is_some()
    }

    /// Does a small piece of the prediction, whose store may use `memory` bytes. Returns false if there is no
    /// prediction.
    pub(super) fn advance_maintenance(&mut self, memory: u64, out: &mut Vec<FromEngine>) -> bool {
        let Some((id, mut run)) = self.maintenance.take() else {
            return false;
        };
        let step = match run.bytes(CHANGE_BYTES) > memory {
            true => Err(maintenance_words::needs_memory(&mib(memory))),
            false => run.step(),
        };
        if let Some(file) = run.restored_file() {
            self.restored = Some(file.clone());
        }
        match step {
            Ok(false) => self.maintenance = Some((id, run)),
            Ok(true) => {
                let done = Done::Maintenance(Box::new(run.finish()));
                out.push(FromEngine::Done { id, done });
            }
            Err(why) => refuse(out, id, why),
        }
        true
    }

    /// Returns the progress of the prediction; `None` if there is no prediction.
    pub(super) fn maintenance_progress(&self) -> Option<FromEngine> {
        let (id, run) = self.maintenance.as_ref()?;
        let (stage, done, total) = run.progress();
        Some(FromEngine::FileProgress {
            id: *id,
            stage: FileStage::Maintenance(stage),
            done,
            total,
        })
    }

    /// Cancels the prediction of a maintenance plan.
    pub(super) fn stop_maintenance(&mut self, out: &mut Vec<FromEngine>) {
        if let Some((id, _)) = self.maintenance.take() {
            let done = Done::Interrupted;
            out.push(FromEngine::Done { id, done });
        }
    }

    /// Returns a file with this content whose store is already restored.
    pub(super) fn parsed(&self, wanted: &FileIdentity) -> Option<&Arc<SnapshotFile>> {
        let parsed = self.begun.iter().chain(&self.restored);
        parsed
            .into_iter()
            .find(|file| is_same(&file.identity, wanted))
    }

    /// Returns the open file if it has the given content.
    pub(super) fn find(&self, wanted: &FileIdentity) -> Option<&Arc<OpenFile>> {
        self.open
            .as_ref()
            .filter(|open| is_same(&open.identity, wanted))
    }

    /// Returns the name of the open file, for error messages.
    pub(super) fn open_name(&self) -> Option<&str> {
        self.open.as_ref().map(|open| &*open.identity.name)
    }
}

/// Returns true if two files have the same content; their names may differ.
pub(super) fn is_same(one: &FileIdentity, other: &FileIdentity) -> bool {
    (one.bytes, one.sha256) == (other.bytes, other.sha256)
}

fn refuse(out: &mut Vec<FromEngine>, id: u32, message: String) {
    let done = Done::Refused { message };
    out.push(FromEngine::Done { id, done });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_for_a_file_grows_with_its_bytes() {
        let mut receive = Receive::new(FILE_BYTES_MAX);
        assert_eq!(receive.bytes.len(), 0);
        assert!(!receive.take(&[7; 1000]));
        assert_eq!(receive.bytes.len(), 2000);

        let mut receive = Receive::new(2500);
        for _ in 0..2 {
            assert!(!receive.take(&[7; 1000]));
        }
        assert!(receive.take(&[7; 1000]), "what is too much is left out");
        assert_eq!(*receive.bytes, [7; 2500]);
    }
}
