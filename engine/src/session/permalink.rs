//! A link to a step of a run. The link contains the source of the run, the typed commands, the position of the cursor,
//! and the visible view.
//!
//! The text after the `#` of an address starts with `v`, the number of the [`FormatVersion`] and a dot. Then follow the
//! bytes of [`LinkV1`], the etcd version (links of versions 1 to 3 imply 3.6) and, if the beat at the cursor has no
//! steps, the number of this beat. These bytes are deflated and then encoded in URL-safe base64. A link is untrusted
//! input: its length, its unpacked size and its number of commands are limited. The commands of a link run like typed
//! commands, and its texts are displayed only as plain text.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::api::Profile;
use crate::base::base64;
use crate::view::Moment;

use crate::words::loading as words;
use crate::world::config::FormatVersion;

use super::protocol::{FileIdentity, Source};
use super::save::{LogItem, Saved, push_beat, push_profile, take_beat, take_profile};

/// The maximum length, in characters, of a link that all browsers and chat programs accept as an address. A longer run
/// is saved as a file.
pub const CHARS_MAX: usize = 8_000;

/// The maximum length, in characters, of a link that the engine accepts, for example from a file.
const CHARS_READ_MAX: usize = 4 << 20;

/// The maximum unpacked size of a link, in bytes.
const BYTES_MAX: usize = 16 << 20;

/// The maximum number of commands in a link.
const COMMANDS_MAX: usize = 50_000;

/// The compression level of deflate for links.
const EFFORT: u8 = 9;

/// A run, and the view that is visible when the link is made.
///
/// ```
/// use watchglass_engine::session::permalink::Permalink;
/// use watchglass_engine::session::save::Saved;
/// use watchglass_engine::session::Source;
/// let source = Source::Story("two-generations".into());
/// use watchglass_engine::view::Moment;
/// let at = Moment { branch: 0, step: 3 };
/// let saved = Saved::new(source, Vec::new(), at);
/// let link = Permalink { saved, view: "watch".into() };
/// let text = link.to_text();
/// assert!(text.starts_with("v4.") && text.len() < 60);
/// assert_eq!(Permalink::from_text(&text).unwrap(), link);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Permalink {
    pub saved: Saved,
    /// The visible view, in the page's own format.
    pub view: String,
}

/// The content of a link. This format never changes, because published links use it.
#[derive(Serialize, Deserialize)]
struct LinkV1 {
    source: SourceV1,
    /// For each typed text: the branch, the number of steps since the previous item's step, and the text.
    log: Vec<(u32, i64, String)>,
    branch: u32,
    step: u64,
    view: String,
}

#[derive(Serialize, Deserialize)]
enum SourceV1 {
    Story(String),
    Empty { profile: String, seed: u64 },
    Text(String),
    // New variants are added at the end, so that older links can still be read.
    Lesson(String),
    Snapshot { file: FileIdentity, profile: String },
}

impl Permalink {
    /// Returns the text of the link, after the `#`.
    pub fn to_text(&self) -> String {
        let mut before = 0;
        let log = self.saved.log.iter().map(|item| {
            // A greater step is beyond the end of any run, and opening the link clamps it.
            let step = i64::try_from(item.at.step).unwrap_or(i64::MAX);
            let delta = step - std::mem::replace(&mut before, step);
            (item.at.branch, delta, item.text.to_string())
        });
        let link = LinkV1 {
            source: match &self.saved.source {
                Source::Story(name) => SourceV1::Story(name.clone()),
                Source::Empty { profile, seed } => SourceV1::Empty {
                    profile: profile.clone(),
                    seed: *seed,
                },
                Source::Text(text) => SourceV1::Text(text.clone()),
                Source::Lesson(name) => SourceV1::Lesson(name.clone()),
                Source::Snapshot { file, profile } => SourceV1::Snapshot {
                    file: file.clone(),
                    profile: profile.clone(),
                },
                // A run never has such a source: a load replaces a saved run or a link by the source that it contains.
                Source::Saved(_) | Source::Link(_) => SourceV1::Text(String::new()),
            },
            log: log.collect(),
            branch: self.saved.at.branch,
            step: self.saved.at.step,
            view: self.view.clone(),
        };
        // The link consists of strings and numbers, so serialization cannot fail.
        let mut bytes = postcard::to_allocvec(&link).unwrap_or_default();
        push_profile(&mut bytes, self.saved.format, self.saved.profile);
        push_beat(&mut bytes, self.saved.beat);
        let packed = compress_to_vec(&bytes, EFFORT);
        format!(
            "v{}.{}",
            self.saved.format.number(),
            base64::encode(&packed)
        )
    }

    /// Parses a link, with or without its `#`.
    ///
    /// # Errors
    /// Returns an error message for the person who opened the link.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_start_matches('#');
        let Some((format, body)) = FormatVersion::read(text, "v") else {
            return Err(match text.split_once('.') {
                Some((version, _)) if version.starts_with('v') && version.len() < 6 => {
                    words::newer_link(version)
                }
                _ => words::not_link(FormatVersion::default().number()),
            });
        };
        if body.len() > CHARS_READ_MAX {
            return Err(words::link_too_long(body.len(), CHARS_READ_MAX));
        }
        let bytes = unpacked(body).ok_or_else(damaged)?;
        let (link, rest): (LinkV1, &[u8]) =
            postcard::take_from_bytes(&bytes).map_err(|_| damaged())?;
        let (profile, rest) = take_profile(rest, format).ok_or_else(damaged)?;
        let (beat, rest) = take_beat(rest).ok_or_else(damaged)?;
        if !rest.is_empty() {
            return Err(damaged());
        }
        if link.log.len() > COMMANDS_MAX {
            return Err(words::too_many_commands(link.log.len(), COMMANDS_MAX));
        }
        link.whole(format, profile, beat).ok_or_else(damaged)
    }
}

/// Returns true if the fragment of an address looks like a link to a run, of any version.
pub fn is_link(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('v') else {
        return false;
    };
    rest.split_once('.').is_some_and(|(version, _)| {
        !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
    })
}

impl LinkV1 {
    fn whole(self, format: FormatVersion, profile: Profile, beat: u64) -> Option<Permalink> {
        let mut step = 0i64;
        let mut log = Vec::new();
        for (branch, delta, text) in self.log {
            step = step.checked_add(delta)?;
            let step = u64::try_from(step).ok()?;
            let text = text.into();
            let at = Moment { branch, step };
            log.push(LogItem { at, text });
        }
        let source = match self.source {
            SourceV1::Story(name) => Source::Story(name),
            SourceV1::Empty { profile, seed } => Source::Empty { profile, seed },
            SourceV1::Text(text) => Source::Text(text),
            SourceV1::Lesson(name) => Source::Lesson(name),
            SourceV1::Snapshot { file, profile } => Source::Snapshot { file, profile },
        };
        Some(Permalink {
            saved: Saved {
                source,
                log,
                at: Moment {
                    branch: self.branch,
                    step: self.step,
                },
                format,
                profile,
                beat,
            },
            view: self.view,
        })
    }
}

fn unpacked(body: &str) -> Option<Vec<u8>> {
    let deflated = base64::decode(body)?;
    decompress_to_vec_with_limit(&deflated, BYTES_MAX).ok()
}

fn damaged() -> String {
    words::LINK_DAMAGED.into()
}
