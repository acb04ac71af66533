//! A database file from outside the simulator, which a member can use as its database when it starts.
//!
//! Mirrors `etcdutl snapshot restore` and the start after it: the revisions, leases, alarms, users and roles come from
//! the file, but the member and its raft log are new.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::Profile;
use crate::backend::{Backend, Bucket, OpenError};
use crate::base::Bytes;
use crate::base::proto;
use crate::base::time::SimTime;
use crate::bbolt::check::Findings;
use crate::bbolt::loaded::FileLoad;
use crate::bbolt::{Damage, File, Source};
use crate::lease::Lessor;
use crate::lease::lessor::{TTL_MAX_S, ttl_min_s};
use crate::mvcc::KvStore;
use crate::mvcc::restore::{Restore, RestoreError};
use crate::sim::Outbox;
use crate::words::database_file as words;

use super::lease_row::LeaseRow;
use super::restart::Backup;
use super::server::{ELECTION_TIMEOUT, EtcdServer, MemberTimer};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileIdentity {
    /// The name, without folders.
    pub name: Arc<str>,
    /// The length of the file in bytes, including the trailer.
    pub bytes: u64,
    /// The SHA-256 of the pages. In an intact snapshot, the trailer contains the same SHA-256.
    pub sha256: [u8; 32],
}

/// A database file with its store and leases.
#[derive(Clone, Debug)]
pub struct SnapshotFile {
    pub identity: FileIdentity,
    /// The etcd version that reads the file.
    pub profile: Profile,
    backup: Arc<Backup>,
}

impl SnapshotFile {
    /// Returns the store and leases.
    pub fn backup(&self) -> &Arc<Backup> {
        &self.backup
    }

    #[must_use]
    pub fn with_identity(&self, identity: FileIdentity) -> Self {
        Self {
            identity,
            ..self.clone()
        }
    }

    /// Returns a copy of this file for a member with another etcd version.
    ///
    /// # Errors
    /// Returns an error if that version of etcd cannot read the rows.
    pub fn with_profile(&self, profile: Profile) -> Result<Self, RestoreError> {
        let (store, lessor) = self.backup.parts();
        let mut backend = store.backend().clone();
        backend.set_profile(profile);
        let store = KvStore::restore(backend, profile)?;
        Ok(Self {
            identity: self.identity.clone(),
            profile,
            backup: Arc::new(Backup::new(store, lessor.clone())),
        })
    }
}

impl PartialEq for SnapshotFile {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity && self.profile == other.profile
    }
}

impl Eq for SnapshotFile {}

// The hash omits the other fields, because the content of the file determines them. The identity contains the content's
// SHA-256.
impl Hash for SnapshotFile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.identity, self.profile).hash(state);
    }
}

/// The reason why a member cannot use a file as its database.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SnapshotError {
    /// The host can no longer read the file.
    Unreadable,
    /// The pages or buckets are damaged.
    Open(OpenError),
    /// A row of the bucket `key` or a compaction revision is invalid.
    Rows(RestoreError),
    /// The bucket `lease` contains a key that is not a lease ID.
    LeaseKey(Bytes),
    /// The value of a row in the bucket `lease` is not a lease, or the id of the lease differs from the id in the row's
    /// key. This error contains the id in the key.
    LeaseValue(i64),
    /// A lease has a TTL that etcd never grants.
    LeaseTtl {
        id: i64,
        ttl_s: i64,
        /// The remaining TTL at the last checkpoint, in seconds.
        remaining_ttl_s: i64,
    },
}

impl From<Damage> for SnapshotError {
    fn from(damage: Damage) -> Self {
        Self::Open(damage.into())
    }
}

impl From<OpenError> for SnapshotError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<RestoreError> for SnapshotError {
    fn from(error: RestoreError) -> Self {
        Self::Rows(error)
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str(words::UNREADABLE),
            Self::Open(error) => error.fmt(f),
            Self::Rows(error) => error.fmt(f),
            Self::LeaseKey(key) => f.write_str(&words::lease_key(key.len())),
            Self::LeaseValue(id) => f.write_str(&words::lease_value(*id)),
            Self::LeaseTtl {
                id,
                ttl_s,
                remaining_ttl_s,
            } => {
                let ttl = words::lease_ttl(*id, *ttl_s, *remaining_ttl_s, TTL_MAX_S);
                f.write_str(&ttl)
            }
        }
    }
}

/// A database file that is being opened. The caller opens the file step by step, so that the page stays responsive.
#[derive(Clone, Debug)]
pub struct SnapshotOpening {
    identity: FileIdentity,
    profile: Profile,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
    /// The pages are being loaded into memory: a run must be able to read them at any time.
    Load(Box<FileLoad>, Findings),
    Restore(Box<Lessor>, Box<Restore>),
}

impl SnapshotOpening {
    /// Starts to open a file whose pages are already checked. A file in memory is opened immediately, and all leases
    /// are read.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or the leases cannot be read.
    pub fn new(
        identity: FileIdentity,
        file: &File,
        findings: Findings,
        profile: Profile,
    ) -> Result<Self, SnapshotError> {
        if let Some(damage) = findings.damages.first() {
            return Err(damage.clone().into());
        }
        let load = Box::new(FileLoad::new(file, &findings));
        let mut opening = Self {
            identity,
            profile,
            stage: Stage::Load(load, findings),
        };
        if !matches!(file.source(), Source::Blocks(_)) {
            opening.step(0)?;
        }
        Ok(opening)
    }

    /// Loads the next part of the pages, or processes up to `rows` more rows. Returns true when no rows are left.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or a row is invalid.
    pub fn step(&mut self, rows: usize) -> Result<bool, SnapshotError> {
        let (load, findings) = match &mut self.stage {
            Stage::Load(load, findings) => (load, findings),
            Stage::Restore(_, restore) => return Ok(restore.step(rows)?),
        };
        if load.step(findings).ok_or(SnapshotError::Unreadable)? {
            let file = load.clone().finish()?;
            let findings = std::mem::take(findings);
            let backend = Backend::open(&file, findings, self.profile)?;
            let lessor = leases(&backend)?;
            let restore = Restore::new(backend, self.profile)?.strict();
            self.stage = Stage::Restore(lessor.into(), restore.into());
        }
        Ok(false)
    }

    pub fn rows(&self) -> u64 {
        match &self.stage {
            Stage::Load(..) => 0,
            Stage::Restore(_, restore) => restore.rows(),
        }
    }

    pub fn identity(&self) -> &FileIdentity {
        &self.identity
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the opened file. Call this method after [`step`](Self::step) has returned true.
    ///
    /// # Errors
    /// Returns an error if a compaction revision cannot be decoded.
    ///
    /// # Panics
    /// Panics if [`step`](Self::step) has not returned true.
    pub fn finish(self) -> Result<SnapshotFile, SnapshotError> {
        let Stage::Restore(lessor, restore) = self.stage else {
            panic!("the pages are loaded before the file is finished");
        };
        let mut lessor = *lessor;
        let (store, attached) = restore.finish()?;
        for (key, lease) in attached.iter() {
            // A key can be attached to a lease that no longer exists. etcd logs the error and continues.
            let _ = lessor.attach(*lease, key.clone());
        }
        Ok(SnapshotFile {
            identity: self.identity,
            profile: self.profile,
            backup: Arc::new(Backup::new(store, lessor)),
        })
    }
}

fn leases(backend: &Backend) -> Result<Lessor, SnapshotError> {
    let mut lessor = Lessor::new(ttl_min_s(ELECTION_TIMEOUT));
    for (key, value) in backend.rows(Bucket::Lease) {
        let id = key.as_ref().try_into().map(i64::from_be_bytes);
        let id = id.map_err(|_| SnapshotError::LeaseKey(Bytes::from(&*key)))?;
        let row: LeaseRow = proto::decode(&value).ok_or(SnapshotError::LeaseValue(id))?;
        if row.id != id || id == 0 {
            return Err(SnapshotError::LeaseValue(id));
        }
        let ttl = SnapshotError::LeaseTtl {
            id,
            ttl_s: row.ttl_s,
            remaining_ttl_s: row.remaining_ttl_s,
        };
        if !(0..=TTL_MAX_S).contains(&row.remaining_ttl_s) {
            return Err(ttl);
        }
        lessor.grant(id, row.ttl_s, SimTime(0)).map_err(|_| ttl)?;
        lessor.checkpoint(id, row.remaining_ttl_s, SimTime(0));
    }
    Ok(lessor)
}

impl EtcdServer {
    /// Starts a new member with the content of this file instead of an empty store.
    pub fn start_on(&mut self, file: &SnapshotFile, out: &mut Outbox<MemberTimer>) {
        let (store, lessor) = file.backup.parts();
        self.kv.replace(store.clone());
        self.lessor = lessor.clone();
        self.write_own_rows();
        self.auth.replace(self.kv.store().backend());
        self.compactions_queued = u64::from(self.store().compactions_pending());
        self.lessor.promote(out.now + ELECTION_TIMEOUT);
        self.plan_check(out);
        self.resume_compactions(out);
    }
}
