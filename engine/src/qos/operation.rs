//! An operation of a request, such as a read or a put. A transaction has the operations of both branches.

use std::hash::Hash;

use crate::base::bytes::KeyRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpKind {
    /// A read of a key or of a range.
    Range,
    Put,
    DeleteRange,
    /// A login, which has no key.
    Authenticate,
    /// The start of a watch. In the proposal, only the "generalised rule" can select watches.
    Watch,
}

impl OpKind {
    /// The kinds that a rule without `--ops` selects: all kinds except watches, which the proposal excludes.
    pub const DEFAULT: [Self; 4] = [
        Self::Range,
        Self::Put,
        Self::DeleteRange,
        Self::Authenticate,
    ];

    pub const ALL: [Self; 5] = [
        Self::Range,
        Self::Put,
        Self::DeleteRange,
        Self::Authenticate,
        Self::Watch,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Range => "Range",
            Self::Put => "Put",
            Self::DeleteRange => "DeleteRange",
            Self::Authenticate => "Authenticate",
            Self::Watch => "Watch",
        }
    }

    /// Returns the kind with this name. The proposal writes `Range`, `RequestRange`, `RequestOp_RequestRange` and
    /// `RangeRequest` for the same kind, and all of them are accepted.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("RequestOp_").unwrap_or(text);
        let text = text.strip_prefix("Request").unwrap_or(text);
        let text = text.strip_suffix("Request").unwrap_or(text);
        match text {
            "Delete" => Some(Self::DeleteRange),
            _ => Self::ALL.into_iter().find(|kind| kind.name() == text),
        }
    }

    pub fn has_key(self) -> bool {
        self != Self::Authenticate
    }
}

/// An operation of a request.
///
/// Two requests with equal operations have the same identity for the tracker. Revisions and values are not part of the
/// identity, because Kubernetes reads consecutive pages at a fixed revision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    pub kind: OpKind,
    /// The keys that the operation concerns; `None` for a login.
    pub keys: Option<KeyRange>,
    /// The maximum number of keys that a read returns; 0 for no limit, and 0 for operations other than reads.
    pub limit: i64,
    pub keys_only: bool,
    /// Whether a read returns only the number of keys.
    pub count_only: bool,
}

impl Operation {
    /// Creates an operation without options.
    pub fn new(kind: OpKind, keys: Option<KeyRange>) -> Self {
        Self {
            kind,
            keys,
            limit: 0,
            keys_only: false,
            count_only: false,
        }
    }
}
