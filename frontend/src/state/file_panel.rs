//! A database file that the user chose: the progress of opening it, its content, and the run that waits for it.

use std::rc::Rc;

use watchglass_engine::session::protocol::{FileIdentity, FileStage, Revision, ValueForm};
use watchglass_engine::view::file::comparison::{ComparisonQuery, ComparisonView, ValueDifference};
use watchglass_engine::view::file::key_list::{KeyList, KeyListQuery};
use watchglass_engine::view::file::maintenance::{MaintenanceQuery, MaintenanceView};
use watchglass_engine::view::{FileOverview, PrefixList, StoredValue};

/// The state of the database file and of its dialog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilePanel {
    pub opening: Option<FileOpening>,
    /// The reason why the last file could not be opened.
    pub refused: String,
    pub overview: Option<Rc<FileOverview>>,
    /// The groups of keys that the dialog lists; `None` while it lists the groups of the overview.
    pub list: Option<Rc<PrefixList>>,
    pub value: Option<Rc<StoredValue>>,
    /// The last search of keys that was requested, and the last result.
    pub query: KeyListQuery,
    pub keys: Option<Rc<KeyList>>,
    pub maintenance: MaintenancePanel,
    pub comparison: ComparisonPanel,
    /// The file that a run needs before it can load.
    pub wanted: Option<WantedFile>,
}

/// The prediction of a maintenance plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaintenancePanel {
    pub running: Option<FileProgress>,
    /// The reason why the last plan is not possible.
    pub refused: String,
    pub view: Option<Rc<MaintenanceView>>,
}

/// The comparison, its progress and its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonPanel {
    /// The other file that is being read, or the comparison that is running.
    pub running: Option<FileProgress>,
    /// The reason why the last comparison is not possible.
    pub refused: String,
    /// The other file; `None` if two revisions of the open file are compared.
    pub other: Option<Rc<FileOverview>>,
    /// The query that was requested last.
    pub query: ComparisonQuery,
    pub view: Option<Rc<ComparisonView>>,
    /// The values of a changed key.
    pub difference: Option<Rc<ValueDifference>>,
}

/// The progress of reading a file, or of work on it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileProgress {
    /// The number of the message that requests the work.
    pub id: u32,
    pub stage: FileStage,
    /// The amount of work done, out of `total`.
    pub done: u64,
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileOpening {
    pub name: String,
    pub progress: FileProgress,
    /// The script that starts a run on the file once it is open.
    pub script: Option<FileScript>,
}

/// A script that starts a run on a database file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileScript {
    pub ticket: u32,
    /// The etcd version, such as `3.6`; empty for the version that the file names.
    pub profile: String,
}

/// A file that a run needs before it can load.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedFile {
    pub file: FileIdentity,
    /// The name of another file that the user opened instead of the needed file.
    pub other: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FileAct {
    /// Open the database file that the user chose. [`crate::store::Store`] holds the file.
    Open {
        name: String,
        bytes: u64,
        script: Option<FileScript>,
    },
    /// Show how much of a gzip file is unpacked that [`FileAct::Open`] will open.
    Unpack {
        open: Box<FileAct>,
        /// The number of compressed bytes that are unpacked, out of `total`.
        done: u64,
        total: u64,
    },
    /// Show why a file cannot be opened that [`FileAct::Open`] would have opened.
    Refuse {
        open: Box<FileAct>,
        why: String,
    },
    /// Cancel opening the file, or close the open file.
    Close,
    /// Start a run with the file.
    Explore,
    /// Read the file again, and decrypt its values with the keys in this text.
    Decrypt(String),
    /// List the groups of keys with this prefix.
    List(Vec<u8>),
    /// Show a value of a key.
    Value {
        key: Vec<u8>,
        /// The revision of the value; `None` for the last value.
        at: Option<Revision>,
        /// Whether to show the value even if the key belongs to a Secret.
        shows_secret: bool,
    },
    CloseValue,
    /// Save the shown value as a file.
    SaveValue(ValueForm),
    Search(KeyListQuery),
    /// Save all keys that match the search as a table.
    SaveTable,
    /// Save a script that puts the last value of each key that matches the search.
    SaveScript,
    /// Predict the sizes after a maintenance plan, or show why the plan cannot be read.
    Maintain(Result<MaintenanceQuery, String>),
    /// Cancel the prediction.
    StopMaintenance,
    /// Compare the open file with another file, or two of its revisions.
    Comparison(ComparisonAct),
    /// Cancel the load that waits for a file.
    DoWithout,
}

impl FileAct {
    /// Returns the action that opens the unpacked file.
    pub fn unpacked(mut self, unpacked_bytes: u64) -> Self {
        if let Self::Open { name, bytes, .. }
        | Self::Comparison(ComparisonAct::Open { name, bytes }) = &mut self
        {
            *name = name.strip_suffix(".gz").unwrap_or(name).to_owned();
            *bytes = unpacked_bytes;
        }
        self
    }
}

impl FilePanel {
    /// Returns true while a compressed file is being unpacked.
    pub fn is_unpacking(&self) -> bool {
        let opening = self.opening.as_ref().map(|opening| &opening.progress);
        let all = [opening, self.comparison.running.as_ref()];
        let mut all = all.into_iter().flatten();
        all.any(|progress| progress.stage == FileStage::Unpacking)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    Open,
    /// Get groups of keys or a value from the open file.
    Part,
    Maintenance,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ComparisonAct {
    /// Open the file to compare with. [`crate::store::Store`] holds the file.
    Open {
        name: String,
        bytes: u64,
    },
    /// Compare, or show why the query cannot be read.
    Compare(Result<ComparisonQuery, String>),
    /// Save all changed keys that match the query as a table.
    Save,
    /// Show how the values of a key differ.
    Difference {
        key: Vec<u8>,
        /// Whether to show the values even if the key belongs to a Secret.
        shows_secret: bool,
    },
    CloseDifference,
    /// Cancel the comparison and close the other file.
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonQuestion {
    Open,
    Compare,
    /// Get a table of the changes, or the values of a key.
    Part,
}
