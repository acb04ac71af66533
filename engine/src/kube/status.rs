//! What the API server refuses: a `Status` with upstream's text, HTTP code and reason.
//!
//! Mirrors `apimachinery/pkg/api/errors` and `apiserver/pkg/storage/errors.go`. Left out: group and
//! kind in the details, and the texts of other parts of an API server (admission, authorization).
//! A watch gets such a refusal as an event of type ERROR inside an answer of code 200.

use std::fmt;
use std::sync::Arc;

/// The machine-readable reason of a refusal (`metav1.StatusReason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusReason {
    /// 410: what was asked for is no longer known. Before 1.18 it was called `Gone`.
    Expired,
    /// 504: what was asked for is not known yet, and waiting took too long.
    Timeout,
    /// 429: retry later.
    TooManyRequests,
    /// 500: something else.
    InternalError,
    /// 500 without a reason: an error of etcd that no part of the API server translates.
    Unknown,
    /// 422: options that exclude each other.
    Invalid,
    /// 400: options that cannot be read.
    BadRequest,
    /// 404: no such object.
    NotFound,
    /// 409: an object with this name exists.
    AlreadyExists,
    /// 409: the object has changed meanwhile.
    Conflict,
}

/// A refusal.
///
/// ```
/// use watchglass_engine::kube::status::StatusError;
/// let error = StatusError::TooOldResourceVersion { requested: 10, minimum: Some(29) };
/// assert_eq!(error.to_string(), "too old resource version: 10 (29)");
/// assert_eq!((error.code(), error.reason().to_string().as_str()), (410, "Expired"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatusError {
    /// A watch from before the history, or an exact list that no snapshot holds.
    TooOldResourceVersion {
        /// The requested resource version.
        requested: u64,
        /// The smallest resource version that a watch may start from; none for a list.
        minimum: Option<u64>,
    },
    /// etcd has compacted the revision of an exact list.
    ListTooOld,
    /// etcd has compacted revisions that the watch still needs.
    WatchTooOld,
    /// etcd has compacted the revision of a continue token.
    ContinueTooOld {
        /// A token to go on with, inconsistently (`metadata.continue`).
        continue_token: String,
    },
    /// The cache did not reach a resource version in time.
    TooLargeResourceVersion {
        /// The requested resource version.
        requested: u64,
        /// The resource version of the cache or of etcd.
        current: u64,
        /// 1 from the cache, 0 from a list of etcd.
        retry_after_s: u32,
    },
    /// etcd did not echo an id in time. Ours: no etcd echoes one yet.
    NoEcho {
        /// The resource version of the cache.
        current: u64,
    },
    /// The same as a resource version that is too large, told as 429, when the gate forbids to ask etcd instead.
    FallbackSkipped {
        /// The requested resource version.
        requested: u64,
        /// The resource version of the cache.
        current: u64,
    },
    /// The cache has no list yet, or lost its watch.
    NotReady {
        /// The reason, when known.
        last_error: Option<Arc<str>>,
        /// 1 to 30 seconds, growing with the waiting time.
        retry_after_s: u32,
    },
    /// A watch before the first list.
    NotInitialized,
    /// The client requests initial events, but etcd cannot report progress.
    ProgressDisabled,
    /// etcd returned a current revision of 0.
    RevisionZero,
    /// Options that exclude each other.
    Invalid(Vec<FieldError>),
    /// A continue token that cannot be read, and why.
    InvalidContinue(String),
    /// A continue token together with a resource version.
    ContinueWithResourceVersion,
    /// No such object.
    NotFound {
        /// The plural name of the kind.
        resource: Arc<str>,
        /// The name.
        name: Arc<str>,
    },
    /// An object with this name exists.
    AlreadyExists {
        /// The plural name of the kind.
        resource: Arc<str>,
        /// The name.
        name: Arc<str>,
    },
    /// The object has changed since the client's read.
    Conflict {
        /// The plural name of the kind.
        resource: Arc<str>,
        /// The name.
        name: Arc<str>,
    },
    /// etcd refused, or did not answer a read (`ErrorToAPIStatus` of what is no status).
    Storage(Arc<str>),
    /// The same for a watch, which is told so by an event.
    WatchStorage(Arc<str>),
    /// A write was not answered in time; it may have been done (`finisher.go`).
    WriteTimeout,
}

/// One broken rule of the options (`field.Error` of type forbidden).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldError {
    /// Which option.
    pub field: &'static str,
    /// Which rule.
    pub detail: &'static str,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: Forbidden: {}", self.field, self.detail)
    }
}

impl fmt::Display for StatusReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "Expired",
            Self::Timeout => "Timeout",
            Self::TooManyRequests => "TooManyRequests",
            Self::InternalError => "InternalError",
            Self::Unknown => "",
            Self::Invalid => "Invalid",
            Self::BadRequest => "BadRequest",
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::Conflict => "Conflict",
        })
    }
}

/// The cause type that tells a resource version of the future from other time-outs
/// (`storage.IsTooLargeResourceVersion` looks for it).
pub const CAUSE_TOO_LARGE: &str = "ResourceVersionTooLarge";

/// Seconds after which the cache wants to be asked again for a resource version it has not reached.
pub const RETRY_AFTER_TOO_LARGE_S: u32 = 1;

impl StatusError {
    /// The reason.
    pub fn reason(&self) -> StatusReason {
        match self {
            Self::TooOldResourceVersion { .. }
            | Self::ListTooOld
            | Self::WatchTooOld
            | Self::ContinueTooOld { .. } => StatusReason::Expired,
            Self::TooLargeResourceVersion { .. } | Self::NoEcho { .. } | Self::WriteTimeout => {
                StatusReason::Timeout
            }
            Self::Storage(_) => StatusReason::Unknown,
            Self::FallbackSkipped { .. } | Self::NotReady { .. } => StatusReason::TooManyRequests,
            Self::NotInitialized
            | Self::ProgressDisabled
            | Self::RevisionZero
            | Self::WatchStorage(_) => StatusReason::InternalError,
            Self::Invalid(_) => StatusReason::Invalid,
            Self::InvalidContinue(_) | Self::ContinueWithResourceVersion => {
                StatusReason::BadRequest
            }
            Self::NotFound { .. } => StatusReason::NotFound,
            Self::AlreadyExists { .. } => StatusReason::AlreadyExists,
            Self::Conflict { .. } => StatusReason::Conflict,
        }
    }

    /// The HTTP code.
    pub fn code(&self) -> u32 {
        match self.reason() {
            StatusReason::Expired => 410,
            StatusReason::Timeout => 504,
            StatusReason::TooManyRequests => 429,
            StatusReason::InternalError | StatusReason::Unknown => 500,
            StatusReason::Invalid => 422,
            StatusReason::BadRequest => 400,
            StatusReason::NotFound => 404,
            StatusReason::AlreadyExists | StatusReason::Conflict => 409,
        }
    }

    /// The type of the cause, for refusals that clients distinguish by cause.
    pub fn cause(&self) -> Option<&'static str> {
        match self {
            Self::TooLargeResourceVersion { .. } => Some(CAUSE_TOO_LARGE),
            Self::Invalid(_) => Some("FieldValueForbidden"),
            _ => None,
        }
    }

    /// Seconds after which to ask again, when the answer says so.
    pub fn retry_after_s(&self) -> Option<u32> {
        match self {
            Self::TooLargeResourceVersion { retry_after_s, .. }
            | Self::NotReady { retry_after_s, .. } => Some(*retry_after_s),
            Self::FallbackSkipped { .. } => Some(RETRY_AFTER_TOO_LARGE_S),
            _ => None,
        }
    }

    /// Whether it says that the resource version lies in the future: then, and only then, a
    /// consistent list is repeated on etcd.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooLargeResourceVersion { .. })
    }
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooOldResourceVersion {
                requested,
                minimum: Some(minimum),
            } => write!(f, "too old resource version: {requested} ({minimum})"),
            Self::TooOldResourceVersion {
                requested,
                minimum: None,
            } => write!(f, "too old resource version: {requested}"),
            Self::ListTooOld => {
                f.write_str("The resourceVersion for the provided list is too old.")
            }
            Self::WatchTooOld => {
                f.write_str("The resourceVersion for the provided watch is too old.")
            }
            Self::ContinueTooOld { .. } => f.write_str(
                "The provided continue parameter is too old to display a consistent list result. \
                 You can start a new list without the continue parameter, or use the continue \
                 token in this response to retrieve the remainder of the results. Continuing with \
                 the provided token results in an inconsistent list - objects that were created, \
                 modified, or deleted between the time the first chunk was returned and now may \
                 show up in the list.",
            ),
            Self::TooLargeResourceVersion {
                requested, current, ..
            }
            | Self::FallbackSkipped { requested, current } => write!(
                f,
                "Timeout: Too large resource version: {requested}, current: {current}"
            ),
            Self::NoEcho { current } => write!(
                f,
                "Timeout: etcd did not tell its progress, current: {current}"
            ),
            Self::NotReady { last_error, .. } => {
                f.write_str("storage is (re)initializing")?;
                match last_error {
                    Some(error) => write!(f, ": {error}"),
                    None => Ok(()),
                }
            }
            Self::NotInitialized => f.write_str("watch cache isn't correctly initialized"),
            Self::ProgressDisabled => f.write_str(
                "a watch stream was requested by the client but the required storage feature \
                 RequestWatchProgress is disabled",
            ),
            Self::RevisionZero => {
                f.write_str("the current resource version must be greater than 0")
            }
            Self::Invalid(errors) => {
                f.write_str("ListOptions.meta.k8s.io \"\" is invalid: ")?;
                match errors.as_slice() {
                    [one] => write!(f, "{one}"),
                    several => {
                        let texts: Vec<String> = several.iter().map(ToString::to_string).collect();
                        write!(f, "[{}]", texts.join(", "))
                    }
                }
            }
            Self::InvalidContinue(why) => write!(f, "invalid continue token: {why}"),
            Self::ContinueWithResourceVersion => {
                f.write_str("specifying resource version is not allowed when using continue")
            }
            Self::NotFound { resource, name } => write!(f, "{resource} \"{name}\" not found"),
            Self::AlreadyExists { resource, name } => {
                write!(f, "{resource} \"{name}\" already exists")
            }
            Self::Conflict { resource, name } => write!(
                f,
                "Operation cannot be fulfilled on {resource} \"{name}\": the object has been \
                 modified; please apply your changes to the latest version and try again"
            ),
            Self::Storage(text) | Self::WatchStorage(text) => f.write_str(text),
            Self::WriteTimeout => f.write_str(
                "Timeout: request did not complete within requested timeout - context deadline exceeded",
            ),
        }
    }
}

impl std::error::Error for StatusError {}
