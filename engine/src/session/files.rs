//! A database file that the user opens. The engine reads the file page by page, checks the pages and computes totals
//! over the rows. A run can start on the file.
//!
//! The content of the file never leaves the engine. A saved run or a link identifies the file by its content. If that
//! file is not open, the page asks for it again.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::base::Bytes;
use crate::bbolt::blocks::{Blocks, READ_BYTES_MAX};
use crate::bbolt::check::{Checker, Findings};
use crate::bbolt::file::{ContentHash, FILE_BYTES_MAX};
use crate::bbolt::loaded::{FileLoad, WHOLE_BYTES_MAX};
use crate::bbolt::page_links::PageLinks;
use crate::bbolt::read_plan::ReadPlan;
use crate::bbolt::{File, Source};
use crate::etcd::key_list::{database_of, is_key_list};
use crate::etcd::snapshot_file::SnapshotOpening;
use crate::etcd::{FileIdentity, SnapshotFile};
use crate::kube::encryption::EncryptionKeys;
use crate::kube::object_json::object_json;
use crate::shell::print::kubectl::yaml_of_json;
use crate::view::StoredValue;
use crate::view::file::build::FileSummary;
use crate::view::file::comparison::{ComparisonQuery, ValueDifference};
use crate::view::file::comparison_run::{
    Compared, ComparedStates, ComparisonRun, Found as FoundChanges, RowContents,
};
use crate::view::file::difference::lines_of_values;
use crate::view::file::maintenance::MaintenanceQuery;
use crate::view::file::maintenance_run::MaintenanceRun;
use crate::view::file::put_script::{self, PutScript};
use crate::view::file::search::{Found, KeySearch};
use crate::words::{
    comparison as comparison_words, file as words, maintenance as maintenance_words,
};

use super::foreign::{START_BYTES, foreign_file};
use super::memory::{CHANGE_BYTES, mib};
use super::protocol::{Done, FileAsk, FileRole, FileStage, FromEngine, Revision, ValueForm};

/// The maximum estimated size of the counts for the keys, rows and pages of a file, in bytes. With the program and the
/// blocks of a large file, the report needs less than 400 MB.
pub const SUMMARY_BYTES_MAX: u64 = 300 << 20;

/// The number of bytes that the check, the totals and the order of the pages need for each page of a file.
const PAGE_BYTES: u64 = 16;

/// The maximum size of the pages that a run can have in memory, in bytes.
const RUN_PAGES_BYTES_MAX: u64 = WHOLE_BYTES_MAX;

/// The number of pages, or of links between pages, that one call checks.
const CHECKED_AT_ONCE: usize = 16;
/// The number of rows that one call adds to the totals.
const SUMMED_AT_ONCE: usize = 64;

/// The number of pages by which the check is ahead of the totals. Both read the same pages in the same order, so a page
/// is still in memory when its rows are added.
const CHECKED_AHEAD: u64 = 16;
/// The number of bytes that one call hashes.
const HASHED_AT_ONCE: usize = 1 << 20;

/// The maximum length of a list of keys, in bytes. It is read at once.
const LIST_BYTES_MAX: u64 = 256 << 20;

/// The maximum size of the counts and of the pages that are loaded ahead, together, in bytes.
const REPORT_BYTES: u64 = 320 << 20;

/// The size of the pages that are loaded ahead, in bytes: the rest of the memory is for the counts.
const AHEAD_BYTES: RangeInclusive<u64> = 24 << 20..=192 << 20;

/// A file that was completely read and checked.
pub(super) struct OpenFile {
    pub(super) identity: FileIdentity,
    pub(super) file: File,
    pub(super) findings: Findings,
    /// The reason why a run on this file would not fit in memory.
    pub(super) too_large: Option<String>,
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
    /// The file that the host has handed over for the next request to open a file.
    offered: Option<Source>,
    work: Option<FileWork>,
    open: Option<Arc<OpenFile>>,
    /// The file that is compared with the open file.
    other: Option<Arc<OpenFile>>,
    /// The running comparison, with the id of its request.
    comparison: Option<(u32, ComparisonRun)>,
    /// The states that were compared last, and the rows that were read for them.
    compared: Option<(ComparedStates, Arc<RowContents>)>,
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

/// A file that is being read: first in its own order, for the hash and the links of its pages; then the pages are
/// checked, and the rows are added to the totals.
struct FileWork {
    id: u32,
    role: FileRole,
    name: Arc<str>,
    file: File,
    hash: ContentHash,
    is_hashed: bool,
    links: PageLinks,
    checker: Checker,
    is_checked: bool,
    summary: Box<FileSummary>,
    is_summed: bool,
}

impl FileWork {
    /// Does a small piece of the work. Returns true once the file is read, or `None` if the host cannot read the file.
    fn step(&mut self) -> Option<bool> {
        let blocks = self.file.source().blocks();
        if blocks.is_some_and(Blocks::load_ahead) {
            // Each read takes as long as much of the work below.
        } else if !self.is_hashed {
            let links = &mut self.links;
            let hashed = self
                .hash
                .step(HASHED_AT_ONCE, |at, bytes| links.collect(at, bytes));
            self.is_hashed = hashed?;
            if self.is_hashed {
                self.plan_reads();
            }
        } else if self.is_checked
            || !self.is_summed && self.checker.entered() > self.summary.pages() + CHECKED_AHEAD
        {
            self.is_summed = self.summary.step(SUMMED_AT_ONCE);
            self.limit_ahead();
        } else {
            self.is_checked = self.checker.step(CHECKED_AT_ONCE);
        }
        let is_done = self.is_hashed && self.is_checked && self.is_summed;
        (!self.file.source().has_failed()).then_some(is_done)
    }

    /// Announces the pages that the check and the totals will read.
    fn plan_reads(&mut self) {
        if let Some(blocks) = self.file.source().blocks() {
            let links = std::mem::take(&mut self.links);
            blocks.set_plan(ReadPlan::new(&links, self.file.view()));
            blocks.read_ahead(*AHEAD_BYTES.end());
        }
    }

    /// Leaves less memory to the pages that are loaded ahead, because the counts have grown.
    fn limit_ahead(&self) {
        if let Some(blocks) = self.file.source().blocks() {
            let left = REPORT_BYTES.saturating_sub(self.summary.bytes());
            blocks.limit_ahead(left.clamp(*AHEAD_BYTES.start(), *AHEAD_BYTES.end()));
        }
    }

    fn progress(&self) -> (FileStage, u64, u64) {
        if !self.is_hashed {
            let (hashed, bytes) = self.hash.progress();
            return (FileStage::Reading, hashed, bytes);
        }
        let (checked, pages) = self.checker.progress();
        match self.is_checked {
            false => (FileStage::Checking, checked, pages),
            true => (
                FileStage::Summing,
                self.summary.pages(),
                self.checker.entered(),
            ),
        }
    }

    /// Returns the reason why the counts do not fit in `memory` bytes.
    fn too_many_keys(&self, memory: u64) -> Option<String> {
        let (keys, rows) = (self.summary.known_keys(), self.summary.stored_rows());
        let (_, pages) = self.checker.progress();
        let bytes = self.summary.bytes() + pages * PAGE_BYTES;
        let is_too_large = bytes > memory.min(SUMMARY_BYTES_MAX);
        is_too_large.then(|| words::too_many_keys(&self.name, keys, rows))
    }

    /// Returns the open file. A run on the file can use `memory` bytes for its rows.
    fn finish(self, memory: u64) -> OpenFile {
        let identity = FileIdentity {
            name: self.name,
            bytes: self.file.source().bytes(),
            sha256: self.hash.finish(),
        };
        let (file, summary, findings) = (self.file, self.summary, self.checker.finish());
        if let Some(blocks) = file.source().blocks() {
            blocks.end_read_ahead();
        }
        OpenFile {
            too_large: too_large(&file, &findings, summary.stored_rows(), memory),
            identity,
            file,
            findings,
            summary,
        }
    }
}

/// Returns the database of a list of keys.
fn database_of_list(list: &Source) -> Result<Source, String> {
    let bytes = list.bytes();
    if bytes > LIST_BYTES_MAX {
        return Err(words::list_too_large(LIST_BYTES_MAX >> 20));
    }
    let mut text = Vec::with_capacity(bytes as usize);
    while (text.len() as u64) < bytes {
        let at = text.len() as u64;
        let length = (bytes - at).min(READ_BYTES_MAX as u64) as usize;
        let part = list.read(at, length).ok_or(words::LIST_UNREADABLE)?;
        text.extend_from_slice(&part);
    }
    let text = String::from_utf8(text).map_err(|_| words::LIST_UNREADABLE)?;
    let database = database_of(&text).map_err(|error| error.to_string())?;
    Ok(database.into())
}

/// Returns the reason why a run on the file would not fit in memory: its pages, or its rows, which can use `memory`
/// bytes.
fn too_large(file: &File, findings: &Findings, rows: u64, memory: u64) -> Option<String> {
    let needs = FileLoad::needs(file, findings);
    if needs > RUN_PAGES_BYTES_MAX {
        return Some(words::pages_too_large(
            &mib(needs),
            &mib(RUN_PAGES_BYTES_MAX),
        ));
    }
    let needs = rows.saturating_mul(CHANGE_BYTES);
    (needs > memory.saturating_add(memory / 8)).then(|| words::run_too_large(&mib(memory)))
}

impl OpenFile {
    /// Returns the name of the file without `.db`.
    fn stem(&self) -> &str {
        let name = &self.identity.name;
        name.strip_suffix(".db").unwrap_or(name)
    }

    fn compared(&self) -> Compared<'_> {
        Compared {
            identity: &self.identity,
            file: &self.file,
            summary: &self.summary,
            findings: &self.findings,
        }
    }

    /// Returns the value of a key at a revision; `None` if the key does not exist there.
    fn value_at(
        &self,
        key: &[u8],
        revision: i64,
        shows_secret: bool,
    ) -> Result<Option<Box<StoredValue>>, String> {
        let row = self.summary.key_at(key, revision);
        let Some(row) = row.filter(|row| !row.tombstone) else {
            return Ok(None);
        };
        let at = Some(row.revision);
        let value = self.summary.value(&self.file, key, at, shows_secret);
        let value = value.ok_or_else(|| self.missing_value())?;
        Ok(Some(Box::new(value)))
    }

    /// Returns the error message for a value that cannot be read.
    fn missing_value(&self) -> String {
        match self.file.source().has_failed() {
            true => words::unreadable(&self.identity.name),
            false => words::DAMAGED_VALUE.to_owned(),
        }
    }

    /// Returns a value as a file, or the reason why there is none.
    fn saved_value(
        &self,
        key: &[u8],
        at: Option<Revision>,
        form: ValueForm,
    ) -> Result<Done, String> {
        let kv = self.summary.key_value(&self.file, key, at);
        let kv = kv.ok_or_else(|| self.missing_value())?;
        let name = format!("{}-{}", put_script::file_name(key), kv.mod_revision);
        let (ending, bytes) = match form {
            ValueForm::Bytes => ("bin", kv.value.to_vec()),
            ValueForm::Json | ValueForm::Yaml => {
                let json = object_json(&self.summary.plain(key, &kv.value));
                let (ending, text) = match form {
                    ValueForm::Yaml => ("yaml", json.and_then(|json| yaml_of_json(&json))),
                    _ => ("json", json),
                };
                (ending, text.ok_or(words::NO_OBJECT)?.into_bytes())
            }
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
    /// Takes the file that the next request opens.
    pub(super) fn offer(&mut self, source: Source) {
        self.offered = Some(source);
    }

    /// Starts to open the offered file. If a file with this role is open or is being opened, closes that file.
    pub(super) fn begin(&mut self, id: u32, name: &str, role: FileRole, out: &mut Vec<FromEngine>) {
        match role {
            FileRole::Shown => self.close(out),
            FileRole::Other => self.close_other(out),
        }
        let Some(source) = self.offered.take() else {
            return refuse(out, id, words::NO_FILE.to_owned());
        };
        let open = self.open.as_ref();
        let encryption = open.map(|open| open.summary.encryption().clone());
        self.read(id, name, role, source, encryption.unwrap_or_default(), out);
    }

    /// Reads the open file again, and decrypts its values with these keys.
    fn decrypt(&mut self, id: u32, keys: &str, out: &mut Vec<FromEngine>) {
        let Some(open) = self.open.clone() else {
            return refuse(out, id, words::NO_FILE.to_owned());
        };
        let Some(keys) = EncryptionKeys::read(keys) else {
            return refuse(out, id, words::NO_KEY.to_owned());
        };
        self.close(out);
        let (name, source) = (&open.identity.name, open.file.source().clone());
        self.read(id, name, FileRole::Shown, source, keys.into(), out);
    }

    /// Starts to read a file.
    fn read(
        &mut self,
        id: u32,
        name: &str,
        role: FileRole,
        source: Source,
        encryption: Arc<EncryptionKeys>,
        out: &mut Vec<FromEngine>,
    ) {
        let bytes = source.bytes();
        if bytes > FILE_BYTES_MAX {
            let most = FILE_BYTES_MAX >> 30;
            return refuse(out, id, words::too_large(name, bytes, most));
        }
        let start = source.read(0, (START_BYTES as u64).min(bytes) as usize);
        let source = match start.as_deref().is_some_and(is_key_list) {
            false => source,
            true => match database_of_list(&source) {
                Ok(database) => database,
                Err(why) => return refuse(out, id, words::no_list(name, why)),
            },
        };
        let foreign = start.and_then(|start| foreign_file(&start));
        let opened = File::open(source.clone());
        if source.has_failed() {
            return refuse(out, id, words::unreadable(name));
        }
        match opened {
            Ok(file) => {
                self.work = Some(FileWork {
                    id,
                    role,
                    name: name.into(),
                    hash: ContentHash::new(&source),
                    is_hashed: false,
                    links: PageLinks::new(file.view()),
                    checker: Checker::new(file.view()),
                    is_checked: false,
                    summary: FileSummary::new(&file, encryption).into(),
                    is_summed: false,
                    file,
                });
            }
            Err(damage) => {
                let why = match foreign {
                    Some(format) => words::foreign(name, format),
                    None => words::not_etcd(name, damage),
                };
                refuse(out, id, why);
            }
        }
    }

    /// Returns true if there are still pages to check, rows to add to the totals or keys to search.
    pub(super) fn has_work(&self) -> bool {
        !self.searches.is_empty() || self.work.is_some()
    }

    /// Searches a few keys, or does a small piece of the work on the file that is being read. Returns the file once it
    /// is open. A run on the file can use `memory` bytes for its rows.
    pub(super) fn advance(
        &mut self,
        memory: u64,
        out: &mut Vec<FromEngine>,
    ) -> Option<Arc<OpenFile>> {
        if !self.searches.is_empty() {
            self.search(out);
            return None;
        }
        let mut work = self.work.take()?;
        let id = work.id;
        let Some(is_done) = work.step() else {
            refuse(out, id, words::unreadable(&work.name));
            return None;
        };
        if let Some(why) = work.too_many_keys(memory) {
            refuse(out, id, why);
            return None;
        }
        if !is_done {
            self.work = Some(work);
            return None;
        }
        let role = work.role;
        let open = Arc::new(work.finish(memory));
        let mut overview = open
            .summary
            .overview(&open.identity, &open.file, &open.findings);
        overview.refusal = overview.refusal.or_else(|| open.too_large.clone());
        let done = Done::Opened(Box::new(overview));
        out.push(FromEngine::Done { id, done });
        match role {
            FileRole::Shown => {
                self.open = Some(open.clone());
                Some(open)
            }
            FileRole::Other => {
                self.other = Some(open);
                None
            }
        }
    }

    /// Returns the progress of opening the file; `None` if no file is being opened.
    pub(super) fn progress(&self) -> Option<FromEngine> {
        let work = self.work.as_ref()?;
        let (stage, done, total) = work.progress();
        Some(FromEngine::FileProgress {
            id: work.id,
            stage,
            done,
            total,
        })
    }

    /// Closes the file and ends all work on it. A run that started from the file can still be used.
    pub(super) fn close(&mut self, out: &mut Vec<FromEngine>) {
        self.stop_maintenance(out);
        self.close_other(out);
        (self.open, self.restored) = (None, None);
        let work = self.work.take().map(|work| work.id);
        for id in self.searches.drain(..).map(|(id, _)| id).chain(work) {
            let done = Done::Interrupted;
            out.push(FromEngine::Done { id, done });
        }
    }

    /// Answers a question that the web page asks about the open file, or begins a search.
    pub(super) fn ask(&mut self, id: u32, ask: FileAsk, out: &mut Vec<FromEngine>) {
        let Some(open) = self.open.clone() else {
            return refuse(out, id, words::NO_FILE.to_owned());
        };
        let name = &open.identity.name;
        let stem = open.stem();
        let done = match ask {
            FileAsk::Decrypt { keys } => return self.decrypt(id, &keys, out),
            FileAsk::Prefix(prefix) => Done::Prefixes(open.summary.prefixes(&prefix)),
            FileAsk::Value {
                key,
                at,
                shows_secret,
            } => match open.summary.value(&open.file, &key, at, shows_secret) {
                Some(value) => Done::Value(Box::new(value)),
                None => return refuse(out, id, open.missing_value()),
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
            FileAsk::Compare(query) => return self.begin_comparison(id, query, false, out),
            FileAsk::SaveComparison(query) => return self.begin_comparison(id, query, true, out),
            FileAsk::Difference { key, shows_secret } => match self.difference(key, shows_secret) {
                Ok(difference) => Done::Difference(Box::new(difference)),
                Err(why) => return refuse(out, id, why),
            },
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
        if !search.keys.step(&open.summary, &open.file) {
            return;
        }
        if let Some((id, Search { keys, name })) = self.searches.pop_front() {
            let found = keys.finish(&open.summary, &open.file);
            if open.file.source().has_failed() {
                return refuse(out, id, words::unreadable(&open.identity.name));
            }
            let done = match found {
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
        let needs = FileLoad::needs(&open.file, &open.findings);
        if needs > RUN_PAGES_BYTES_MAX {
            let most = mib(RUN_PAGES_BYTES_MAX);
            return Err(words::pages_too_large(&mib(needs), &most));
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

    fn begin_comparison(
        &mut self,
        id: u32,
        query: ComparisonQuery,
        is_table: bool,
        out: &mut Vec<FromEngine>,
    ) {
        self.stop_comparison(out);
        let Some(open) = &self.open else {
            return refuse(out, id, words::NO_FILE.to_owned());
        };
        let (open, other) = (
            open.compared(),
            self.other.as_deref().map(OpenFile::compared),
        );
        if ComparisonRun::bytes(open, other) > SUMMARY_BYTES_MAX {
            let most = SUMMARY_BYTES_MAX >> 20;
            return refuse(out, id, comparison_words::too_large(most));
        }
        let contents = self.compared.as_ref().map(|(_, contents)| contents.clone());
        match ComparisonRun::new(query, open, other, contents, is_table) {
            Ok(run) => self.comparison = Some((id, run)),
            Err(why) => refuse(out, id, why),
        }
    }

    /// Does a small piece of the comparison. Returns false if there is no comparison.
    fn advance_comparison(&mut self, out: &mut Vec<FromEngine>) -> bool {
        let (Some((id, mut run)), Some(open)) = (self.comparison.take(), &self.open) else {
            return false;
        };
        let other = self.other.as_deref();
        let comparison = run.step(open.compared(), other.map(OpenFile::compared));
        let mut files = [Some(&**open), other].into_iter().flatten();
        if let Some(failed) = files.find(|file| file.file.source().has_failed()) {
            refuse(out, id, words::unreadable(&failed.identity.name));
            return true;
        }
        let Some(comparison) = comparison else {
            self.comparison = Some((id, run));
            return true;
        };
        let done = match comparison.found {
            FoundChanges::View(view) => Done::Comparison(view),
            FoundChanges::Table(bytes) => Done::File {
                name: format!("{}-changes.csv", open.stem()),
                bytes,
            },
            FoundChanges::Refused(message) => Done::Refused { message },
        };
        self.compared = Some((comparison.states, comparison.contents));
        out.push(FromEngine::Done { id, done });
        true
    }

    /// Returns how the values of a key differ in the states that were compared last.
    fn difference(&self, key: Vec<u8>, shows_secret: bool) -> Result<ValueDifference, String> {
        let (Some(open), Some((states, _))) = (&self.open, &self.compared) else {
            return Err(comparison_words::NOT_COMPARED.to_owned());
        };
        let of = |state: usize| {
            let file = match (states.is_other[state], &self.other) {
                (true, Some(other)) => other,
                _ => open,
            };
            let revision = states.revisions[state];
            let value = file.value_at(&key, revision, shows_secret)?;
            Ok::<_, String>(((file.identity.name.to_string(), revision), value))
        };
        let ((first, one), (second, other)) = (of(0)?, of(1)?);
        Ok(ValueDifference {
            lines: lines_of_values([one.as_deref(), other.as_deref()]),
            text: Bytes::from(&*key).to_text(),
            key,
            sides: [first, second],
            values: [one, other],
        })
    }

    /// Cancels the comparison.
    fn stop_comparison(&mut self, out: &mut Vec<FromEngine>) {
        if let Some((id, _)) = self.comparison.take() {
            let done = Done::Interrupted;
            out.push(FromEngine::Done { id, done });
        }
    }

    /// Cancels the comparison, or the file that is being opened for it, and closes the other file.
    pub(super) fn close_other(&mut self, out: &mut Vec<FromEngine>) {
        self.stop_comparison(out);
        (self.other, self.compared) = (None, None);
        if let Some(work) = self.work.take_if(|work| work.role == FileRole::Other) {
            let (id, done) = (work.id, Done::Interrupted);
            out.push(FromEngine::Done { id, done });
        }
    }

    /// Returns true if a comparison or a prediction is not finished.
    pub(super) fn has_background(&self) -> bool {
        self.comparison.is_some() || self.maintenance.is_some()
    }

    /// Does a small piece of the comparison or of the prediction. The store of a prediction may use `memory` bytes.
    /// Returns false if there is neither.
    pub(super) fn advance_background(&mut self, memory: u64, out: &mut Vec<FromEngine>) -> bool {
        self.advance_comparison(out) || self.advance_maintenance(memory, out)
    }

    fn advance_maintenance(&mut self, memory: u64, out: &mut Vec<FromEngine>) -> bool {
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

    /// Returns the progress of the comparison, or else of the prediction; `None` if there is neither.
    pub(super) fn background_progress(&self) -> Option<FromEngine> {
        if let Some((id, run)) = &self.comparison {
            let (done, total) = run.progress();
            return Some(FromEngine::FileProgress {
                id: *id,
                stage: FileStage::Comparing,
                done,
                total,
            });
        }
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
