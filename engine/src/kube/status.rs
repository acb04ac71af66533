//! The errors with which an API server refuses requests. Each error is a `Status` with upstream's message, HTTP code
//! and reason.
//!
//! Mirrors `apimachinery/pkg/api/errors` and `apiserver/pkg/storage/errors.go`. Left out: the group and the kind in the
//! details of a missing object, and the messages of other parts of an API server (admission, authorization). A watch
//! receives an error as an event of type ERROR in a response with HTTP code 200.

use std::fmt;
use std::sync::Arc;

/// The machine-readable reason of an error (`metav1.StatusReason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusReason {
    /// 410: the requested resource version is too old. Before 1.18, this reason was called `Gone`.
    Expired,
    /// 504: the server did not reach the requested state in time.
    Timeout,
    /// 429: the client must retry later.
    TooManyRequests,
    /// 500: another error of the API server.
    InternalError,
    /// 500 without a reason: an etcd error that the API server passes on without translating it.
    Unknown,
    /// 422: the options exclude each other.
    Invalid,
    /// 400: an option cannot be parsed.
    BadRequest,
    /// 404: the object does not exist.
    NotFound,
    /// 409: an object with this name already exists.
    AlreadyExists,
    /// 409: the object has changed since the client read it.
    Conflict,
    /// 500: objects in etcd cannot be decoded.
    StorageReadError,
}

/// The error with which an API server refuses a request.
///
/// ```
/// use watchglass_engine::kube::status::StatusError;
/// let error = StatusError::TooOldResourceVersion { requested: 10, minimum: Some(29) };
/// assert_eq!(error.to_string(), "too old resource version: 10 (29)");
/// assert_eq!((error.code(), error.reason().to_string().as_str()), (410, "Expired"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StatusError {
    /// The requested resource version is too old: it is older than the cache's history (for a watch), or no snapshot
    /// contains it (for an exact list).
    TooOldResourceVersion {
        requested: u64,
        /// The lowest resource version at which a watch can start, or `None` for a list.
        minimum: Option<u64>,
    },
    /// etcd has compacted the revision of an exact list.
    ListTooOld,
    /// etcd has compacted revisions that the watch still needs.
    WatchTooOld,
    /// etcd has compacted the revision of a continue token.
    ContinueTooOld {
        /// A token with which the client can continue an inconsistent list (`metadata.continue`).
        continue_token: String,
    },
    /// The cache did not reach a resource version in time.
    TooLargeResourceVersion {
        requested: u64,
        /// The resource version of the cache or of etcd.
        current: u64,
        /// The number of seconds after which the client should retry: 1 if the cache refuses the request, 0 if etcd
        /// refuses a list.
        retry_after_s: u32,
    },
    /// etcd did not echo the id of a progress request in time. Only the simulator has this refusal: no release of etcd
    /// echoes ids.
    NoEcho {
        /// The resource version of the cache.
        current: u64,
    },
    /// The cache did not reach a resource version in time, and a gate forbids the fallback to etcd. The client gets
    /// 429.
    FallbackSkipped {
        requested: u64,
        /// The resource version of the cache.
        current: u64,
    },
    /// The cache has no list yet, or has lost its watch.
    NotReady {
        /// The last error of the cache, if known.
        last_error: Option<Arc<str>>,
        /// The number of seconds after which the client should retry. The number grows with the waiting time, from 1 to
        /// 30.
        retry_after_s: u32,
    },
    /// The API server has too many requests in progress (`--max-requests-inflight`).
    TooManyInFlight,
    /// An event found no token in a bucket of `EventRateLimit`.
    EventLimit {
        /// The type of the limit, such as `Namespace`.
        limit: &'static str,
        /// The namespace, if each namespace has a bucket.
        key: Arc<str>,
    },
    /// A watch arrived before the cache received its first list.
    NotInitialized,
    /// The client requests initial events, but etcd cannot report progress.
    ProgressDisabled,
    /// The API server asked etcd for its current revision, and etcd returned 0.
    RevisionZero,
    /// The options exclude each other. Contains the violated rules.
    Invalid(Vec<FieldError>),
    /// The continue token cannot be used. Contains the reason.
    InvalidContinue(String),
    /// A parameter cannot be decoded, or a selector uses a field that the resource does not offer. Contains the message
    /// of the decoder.
    BadRequest(Arc<str>),
    /// The resource version is not a number. Lists and reads from etcd get 400; gets and watches from the cache get
    /// 500, because upstream does not translate the error of its parser there.
    MalformedVersion {
        /// The message of the parser.
        why: Arc<str>,
        /// Whether the error is a bad request (400) instead of an unknown error (500).
        is_bad_request: bool,
    },
    /// The server serves nothing at the path of the request.
    NoSuchPath,
    ContinueWithResourceVersion,
    NotFound {
        /// The plural name of the resource.
        resource: Arc<str>,
        name: Arc<str>,
    },
    AlreadyExists {
        /// The plural name of the resource.
        resource: Arc<str>,
        name: Arc<str>,
    },
    /// The object has changed since the client's read.
    Conflict {
        /// The plural name of the resource.
        resource: Arc<str>,
        name: Arc<str>,
    },
    /// The object is not the object that the client requires. Contains upstream's explanation.
    Precondition {
        /// The kind of the object or the name of its resource, as upstream prints it.
        kind: &'static str,
        name: Arc<str>,
        detail: String,
    },
    /// The object violates rules of its kind.
    InvalidObject {
        kind: &'static str,
        name: Arc<str>,
        causes: Vec<FieldCause>,
    },
    /// A check of the page `/readyz` or of a similar page fails. Contains the page.
    ChecksFailed(Arc<str>),
    /// The object to create has a resource version (`ErrResourceVersionSetOnCreate`).
    ResourceVersionOnCreate,
    /// etcd refused a read or did not respond (`ErrorToAPIStatus` of an error that is not a status). Contains etcd's
    /// message.
    Storage(Arc<str>),
    /// etcd refused a watch or did not respond. The client receives this refusal as an event. Contains etcd's message.
    WatchStorage(Arc<str>),
    /// etcd did not respond to a write in time. The write may still have been applied (`finisher.go`).
    WriteTimeout,
    /// The server did not respond to a read in time (`--request-timeout`).
    ReadTimeout,
    /// An object in etcd cannot be decoded, and the request names this object (gate
    /// `AllowUnsafeMalformedObjectDeletion`). Contains the error of the storage (`NewInternalError`).
    CorruptObject(Arc<str>),
    /// Objects in etcd cannot be decoded (gate `AllowUnsafeMalformedObjectDeletion`; without the gate, the client gets
    /// the error of the first object as a [`Storage`](Self::Storage) error).
    Undecodable {
        /// The plural name of the resource.
        resource: Arc<str>,
        /// The keys of the objects, each with its error.
        objects: Vec<(Arc<str>, String)>,
    },
}

/// A rule for options that a request violates (`field.Error`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldError {
    /// The option must not be set (`field.Forbidden`).
    Forbidden {
        field: &'static str,
        /// The violated rule, in upstream's words.
        detail: &'static str,
    },
    /// The option has an unknown value (`field.NotSupported`).
    NotSupported {
        field: &'static str,
        value: Arc<str>,
        /// The known values, as upstream lists them.
        supported: &'static str,
    },
}

impl FieldError {
    pub fn field(&self) -> &'static str {
        match self {
            Self::Forbidden { field, .. } | Self::NotSupported { field, .. } => field,
        }
    }

    /// Returns the machine-readable kind of the violation.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Forbidden { .. } => "FieldValueForbidden",
            Self::NotSupported { .. } => "FieldValueNotSupported",
        }
    }

    /// Returns the message without the name of the option.
    pub fn message(&self) -> String {
        match self {
            Self::Forbidden { detail, .. } => format!("Forbidden: {detail}"),
            Self::NotSupported {
                value, supported, ..
            } => format!("Unsupported value: {value:?}: supported values: {supported}"),
        }
    }
}

/// A cause in the details of an error (`metav1.StatusCause`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusCause {
    /// The machine-readable kind of the cause.
    pub reason: &'static str,
    /// The name of the option, if the cause is about an option.
    pub field: Option<Arc<str>>,
    pub message: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field(), self.message())
    }
}

/// A violated rule of an object (`field.Error`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldCause {
    /// The path of the field, such as `metadata.name`.
    pub field: &'static str,
    /// The type of the error, the value and the explanation, in upstream's words.
    pub body: String,
}

impl FieldCause {
    /// Creates the error for a value that a rule forbids.
    pub fn invalid(field: &'static str, value: &str, why: &str) -> Self {
        let body = format!("Invalid value: {value:?}: {why}");
        Self { field, body }
    }

    /// Creates the error for a missing value.
    pub fn required(field: &'static str, why: &str) -> Self {
        let body = format!("Required value: {why}");
        Self { field, body }
    }

    /// Creates the error for a field that must not be set or changed.
    pub fn forbidden(field: &'static str, why: &str) -> Self {
        let body = format!("Forbidden: {why}");
        Self { field, body }
    }
}

impl fmt::Display for FieldCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body)
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
            Self::StorageReadError => "StorageReadError",
        })
    }
}

/// The cause in the response if the requested resource version is in the future. `storage.IsTooLargeResourceVersion`
/// checks for this cause, because other timeouts have the same reason.
pub const CAUSE_TOO_LARGE: &str = "ResourceVersionTooLarge";

/// The number of seconds after which a client should retry if the cache has not reached the resource version.
pub const RETRY_AFTER_TOO_LARGE_S: u32 = 1;

impl StatusError {
    /// Returns the machine-readable reason.
    pub fn reason(&self) -> StatusReason {
        match self {
            Self::TooOldResourceVersion { .. }
            | Self::ListTooOld
            | Self::WatchTooOld
            | Self::ContinueTooOld { .. } => StatusReason::Expired,
            Self::TooLargeResourceVersion { .. }
            | Self::NoEcho { .. }
            | Self::WriteTimeout
            | Self::ReadTimeout => StatusReason::Timeout,
            Self::Undecodable { .. } => StatusReason::StorageReadError,
            Self::Storage(_)
            | Self::ResourceVersionOnCreate
            | Self::MalformedVersion {
                is_bad_request: false,
                ..
            } => StatusReason::Unknown,
            Self::FallbackSkipped { .. }
            | Self::NotReady { .. }
            | Self::TooManyInFlight
            | Self::EventLimit { .. } => StatusReason::TooManyRequests,
            Self::NotInitialized
            | Self::ProgressDisabled
            | Self::RevisionZero
            | Self::WatchStorage(_)
            | Self::CorruptObject(_)
            | Self::ChecksFailed(_) => StatusReason::InternalError,
            Self::Invalid(_) | Self::InvalidObject { .. } => StatusReason::Invalid,
            Self::InvalidContinue(_)
            | Self::ContinueWithResourceVersion
            | Self::BadRequest(_)
            | Self::MalformedVersion {
                is_bad_request: true,
                ..
            } => StatusReason::BadRequest,
            Self::NotFound { .. } | Self::NoSuchPath => StatusReason::NotFound,
            Self::AlreadyExists { .. } => StatusReason::AlreadyExists,
            Self::Conflict { .. } | Self::Precondition { .. } => StatusReason::Conflict,
        }
    }

    /// Returns the HTTP code.
    pub fn code(&self) -> u32 {
        match self.reason() {
            StatusReason::Expired => 410,
            StatusReason::Timeout => 504,
            StatusReason::TooManyRequests => 429,
            StatusReason::InternalError
            | StatusReason::Unknown
            | StatusReason::StorageReadError => 500,
            StatusReason::Invalid => 422,
            StatusReason::BadRequest => 400,
            StatusReason::NotFound => 404,
            StatusReason::AlreadyExists | StatusReason::Conflict => 409,
        }
    }

    /// Returns the causes in the details of the error, in upstream's order.
    pub fn causes(&self) -> Vec<StatusCause> {
        match self {
            Self::TooLargeResourceVersion { .. } => vec![StatusCause {
                reason: CAUSE_TOO_LARGE,
                field: None,
                message: "Too large resource version".into(),
            }],
            Self::Invalid(errors) => errors
                .iter()
                .map(|error| StatusCause {
                    reason: error.reason(),
                    field: Some(error.field().into()),
                    message: error.message(),
                })
                .collect(),
            Self::Undecodable { objects, .. } => objects
                .iter()
                .map(|(key, why)| StatusCause {
                    reason: "UnexpectedServerResponse",
                    field: Some(key.clone()),
                    message: corrupt(key, why),
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the number of seconds after which the client should retry, if the response contains that number.
    pub fn retry_after_s(&self) -> Option<u32> {
        match self {
            Self::TooLargeResourceVersion {
                retry_after_s: 0, ..
            } => None,
            Self::TooLargeResourceVersion { retry_after_s, .. }
            | Self::NotReady { retry_after_s, .. } => Some(*retry_after_s),
            Self::FallbackSkipped { .. } => Some(RETRY_AFTER_TOO_LARGE_S),
            Self::TooManyInFlight => Some(1),
            _ => None,
        }
    }

    /// The only refusal after which the API server sends a consistent list to etcd instead.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooLargeResourceVersion { .. })
    }
}

/// Returns the error of the storage for an object that cannot be decoded (`NewCorruptObjError`).
pub fn corrupt(key: &str, why: &str) -> String {
    format!(
        "StorageError: corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
    )
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
            Self::TooManyInFlight => f.write_str(
                "the server has received too many requests and has asked us to try again later",
            ),
            Self::EventLimit { limit, key } => write!(
                f,
                "Too many requests: limit reached on type {limit} for key {key}"
            ),
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
            Self::BadRequest(why) | Self::MalformedVersion { why, is_bad_request: false } => {
                f.write_str(why)
            }
            Self::MalformedVersion { why, is_bad_request: true } => {
                write!(f, "invalid resource version: {why}")
            }
            Self::NoSuchPath => f.write_str("the server could not find the requested resource"),
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
            Self::Precondition { kind, name, detail } => {
                write!(f, "Operation cannot be fulfilled on {kind} \"{name}\": {detail}")
            }
            Self::InvalidObject { kind, name, causes } => {
                write!(f, "{kind} \"{name}\" is invalid: ")?;
                match causes.as_slice() {
                    [one] => write!(f, "{one}"),
                    several => {
                        let texts: Vec<String> = several.iter().map(ToString::to_string).collect();
                        write!(f, "[{}]", texts.join(", "))
                    }
                }
            }
            Self::ChecksFailed(page) => write!(
                f,
                "an error on the server ({page:?}) has prevented the request from succeeding"
            ),
            Self::ResourceVersionOnCreate => {
                f.write_str("resourceVersion should not be set on objects to be created")
            }
            Self::Storage(text) | Self::WatchStorage(text) => f.write_str(text),
            Self::CorruptObject(text) => write!(f, "Internal error occurred: {text}"),
            Self::Undecodable { resource, .. } => write!(
                f,
                "failed to read one or more {resource} from the storage"
            ),
            Self::ReadTimeout => f.write_str(
                "Timeout: request did not complete within the allotted timeout",
            ),
            Self::WriteTimeout => f.write_str(
                "Timeout: request did not complete within requested timeout - context deadline exceeded",
            ),
        }
    }
}

impl std::error::Error for StatusError {}
