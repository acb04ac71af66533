//! A run as text: its source and everything that was typed, so that the run can be replayed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::base64;
use crate::view::Moment;

use crate::api::Profile;
use crate::words::loading as words;
use crate::world::config::FormatVersion;

use super::protocol::Source;

/// The prefix of a saved run. The number of the [`FormatVersion`] and a dot follow.
const MAGIC: &str = "watchglass-run-";

/// The maximum size of a saved run, in bytes.
const BYTES_MAX: usize = 128 << 20;

/// A saved run.
///
/// ```
/// use watchglass_engine::session::save::Saved;
/// use watchglass_engine::session::Source;
/// let source = Source::Story("two-generations".into());
/// use watchglass_engine::view::Moment;
/// let at = Moment { branch: 0, step: 3 };
/// let saved = Saved::new(source, Vec::new(), at);
/// assert_eq!(Saved::from_text(&saved.to_text()).unwrap(), saved);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    pub source: Source,
    /// The commands typed since the start.
    pub log: Vec<LogItem>,
    /// The position of the cursor.
    pub at: Moment,
    /// The version of the format of the saved run.
    #[serde(skip)]
    pub format: FormatVersion,
    /// The etcd version of a source that does not name its version.
    #[serde(skip)]
    pub profile: Profile,
    /// The beat of the cursor, if this beat has no steps: several beats are then at the step of the cursor. Otherwise
    /// 0.
    #[serde(skip)]
    pub beat: u64,
}

/// A typed text, and the position of the cursor when the text was typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogItem {
    pub at: Moment,
    pub text: Arc<str>,
}

/// If a command was stopped, the first line of its saved text states the number of steps. These are the texts before
/// and after that number. A shell treats the line as a comment.
const STOPPED: (&str, &str) = ("# stopped after ", " steps");

impl LogItem {
    #[must_use]
    pub fn stopped_after(&self, steps: u64) -> Self {
        let (_, text) = self.stop();
        Self {
            text: format!("{}{steps}{}\n{text}", STOPPED.0, STOPPED.1).into(),
            ..self.clone()
        }
    }

    /// Returns the number of steps after which the command was stopped (`None` if it was not stopped), and the typed
    /// text.
    pub fn stop(&self) -> (Option<u64>, &str) {
        let read = || {
            let (first, rest) = self.text.split_once('\n')?;
            let steps = first.strip_prefix(STOPPED.0)?.strip_suffix(STOPPED.1)?;
            Some((steps.parse().ok()?, rest))
        };
        match read() {
            Some((steps, text)) => (Some(steps), text),
            None => (None, &self.text),
        }
    }
}

impl Saved {
    /// Creates a saved run of the newest version.
    pub fn new(source: Source, log: Vec<LogItem>, at: Moment) -> Self {
        Self {
            source,
            log,
            at,
            format: FormatVersion::default(),
            profile: Profile::default(),
            beat: 0,
        }
    }

    pub fn to_text(&self) -> String {
        // The run consists of strings and numbers, so serialization cannot fail.
        let mut bytes = postcard::to_allocvec(self).unwrap_or_default();
        push_profile(&mut bytes, self.format, self.profile);
        push_beat(&mut bytes, self.beat);
        format!("{MAGIC}{}.{}", self.format.number(), base64::encode(&bytes))
    }

    /// Parses a saved run. The error is a message for the person who opened the saved run.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some((format, body)) = FormatVersion::read(text, MAGIC) else {
            return Err(words::not_saved(MAGIC));
        };
        if body.len() > BYTES_MAX {
            return Err(words::saved_too_large(body.len() >> 20, BYTES_MAX >> 20));
        }
        let bytes = base64::decode(body).ok_or(words::SAVED_NOT_BASE64)?;
        let read = || {
            let (saved, rest) = postcard::take_from_bytes::<Self>(&bytes).ok()?;
            let (profile, rest) = take_profile(rest, format)?;
            Some(Self {
                format,
                profile,
                beat: take_beat(rest)?.0,
                ..saved
            })
        };
        read().ok_or_else(|| words::SAVED_DAMAGED.to_owned())
    }
}

/// Appends the etcd version to the bytes of a stored run, if the format contains the version.
pub(super) fn push_profile(bytes: &mut Vec<u8>, format: FormatVersion, profile: Profile) {
    if format.implied_profile().is_none() {
        // A string can always be serialized.
        bytes.extend(postcard::to_allocvec(profile.api_version()).unwrap_or_default());
    }
}

/// Reads the etcd version from the bytes after a stored run, and returns the bytes that follow. Returns `None` if the
/// bytes do not name a simulated version.
pub(super) fn take_profile(bytes: &[u8], format: FormatVersion) -> Option<(Profile, &[u8])> {
    match format.implied_profile() {
        Some(profile) => Some((profile, bytes)),
        None => {
            let (name, rest) = postcard::take_from_bytes::<&str>(bytes).ok()?;
            Some((Profile::parse(name)?, rest))
        }
    }
}

/// Appends the beat of the cursor to the bytes of a stored run, if the beat has no steps.
pub(super) fn push_beat(bytes: &mut Vec<u8>, beat: u64) {
    if beat > 0 {
        // A number can always be serialized.
        bytes.extend(postcard::to_allocvec(&beat).unwrap_or_default());
    }
}

/// Reads the beat of the cursor, which stored runs of earlier releases do not contain, and returns the bytes that
/// follow.
pub(super) fn take_beat(bytes: &[u8]) -> Option<(u64, &[u8])> {
    match bytes {
        [] => Some((0, bytes)),
        _ => postcard::take_from_bytes(bytes).ok(),
    }
}
