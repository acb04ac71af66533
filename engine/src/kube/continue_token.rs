//! Continue tokens: the key and the revision at which the next page of a list starts.
//!
//! Mirrors `apiserver/pkg/storage/continue.go`. A token is a small JSON object in base64 (URL alphabet, no padding).
//! The token is opaque to clients. Left out: keys that would need HTML escapes.

use std::fmt;

use super::go_json::{self, JsonValue};
use crate::base::{base64, json};

/// The API version that each continue token contains.
const VERSION: &str = "meta.k8s.io/v1";

/// The position at which a list continues.
///
/// ```
/// use watchglass_engine::kube::continue_token::ContinueToken;
/// let token = ContinueToken::after("/registry/pods/default/foo", "/registry/pods/", 100);
/// let text = token.encode();
/// assert_eq!(text, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAwLCJzdGFydCI6ImRlZmF1bHQvZm9vXHUwMDAwIn0");
/// assert_eq!(ContinueToken::decode(&text).unwrap(), token);
/// assert_eq!(token.from_key("/registry/pods/"), "/registry/pods/default/foo\0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContinueToken {
    /// The revision of the first page, or [`LATEST`] for the current revision.
    pub resource_version: i64,
    /// The first key of the next page, without the prefix of its resource.
    pub start: String,
}

/// The resource version in a continue token that the server issues after the revision of the first page was compacted.
/// With such a token, the remaining pages contain the current state, which may not match the earlier pages.
pub const LATEST: i64 = -1;

/// The reason why a token cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TokenError {
    /// The token is not a JSON object in base64. Contains the message of Go's decoder.
    Unreadable(String),
    Version(String),
    RevisionZero,
    /// The token has no key.
    StartEmpty,
    /// The key contains empty, `.` or `..` segments, which could lead outside the resource's prefix.
    StartUnclean(String),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("continue key is not valid: ")?;
        match self {
            Self::Unreadable(why) => f.write_str(why),
            Self::Version(version) => {
                write!(
                    f,
                    "server does not recognize this encoded version {version}"
                )
            }
            Self::RevisionZero => write!(
                f,
                "incorrect encoded start resourceVersion (version {VERSION})"
            ),
            Self::StartEmpty => write!(f, "encoded start key empty (version {VERSION})"),
            Self::StartUnclean(start) => f.write_str(start),
        }
    }
}

impl std::error::Error for TokenError {}

impl ContinueToken {
    /// Creates the token that continues after the last key of a page. etcd reads with a prefix that ends in a slash;
    /// the cache passes the prefix without the slash, so the keys in its tokens begin with one.
    pub fn after(last_key: &str, prefix: &str, resource_version: u64) -> Self {
        let inside = last_key.strip_prefix(prefix);
        let inside = inside.expect("a list holds only keys below its prefix");
        Self {
            resource_version: i64::try_from(resource_version).expect("a revision is an i64"),
            start: format!("{inside}\0"),
        }
    }

    /// Returns the first key of the next page, with the prefix of its resource.
    pub fn from_key(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.start.trim_start_matches('/'))
    }

    /// Encodes the token as the text that a client sends with the next request.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        let mut object = json::Json::object(&mut text);
        object.string("v", VERSION);
        object.value("rv", self.resource_version);
        object.string("start", &self.start);
        drop(object);
        base64::encode(text.as_bytes())
    }

    /// Decodes the text that a client sent.
    ///
    /// # Errors
    /// Returns an error if the text is not a token, or the token cannot be used.
    pub fn decode(text: &str) -> Result<Self, TokenError> {
        let bytes = go_json::decode_base64(text).map_err(TokenError::Unreadable)?;
        let fields = Fields::read(&bytes).map_err(TokenError::Unreadable)?;
        if fields.version != VERSION {
            return Err(TokenError::Version(fields.version));
        }
        if fields.resource_version == 0 {
            return Err(TokenError::RevisionZero);
        }
        if fields.start.is_empty() {
            return Err(TokenError::StartEmpty);
        }
        if !is_clean(&fields.start) {
            return Err(TokenError::StartUnclean(fields.start));
        }
        Ok(Self {
            resource_version: fields.resource_version,
            start: fields.start,
        })
    }
}

/// Returns true if Go's `path.Clean` does not change `/` + `start`: such a key cannot lead outside the resource's
/// prefix.
fn is_clean(start: &str) -> bool {
    let inside = start.strip_prefix('/').unwrap_or(start);
    // Only `/` itself may end in a slash.
    start == "/"
        || inside
            .split('/')
            .all(|segment| !matches!(segment, "" | "." | ".."))
}

#[derive(Default)]
struct Fields {
    version: String,
    resource_version: i64,
    start: String,
}

impl Fields {
    /// Reads the JSON object of a token. Like Go, ignores unknown names and the case of names, and reports the first
    /// value of a wrong type.
    fn read(text: &[u8]) -> Result<Self, String> {
        let mut fields = Self::default();
        let values = match go_json::parse(text)? {
            JsonValue::Object(values) => values,
            JsonValue::Null => return Ok(fields),
            other => {
                let kind = other.kind();
                return Err(format!(
                    "json: cannot unmarshal {kind} into Go value of type storage.continueToken"
                ));
            }
        };
        let mut first_error = Ok(());
        for (name, value) in values {
            let name = name.to_ascii_lowercase();
            let wrong = |what: &str, kind: &str| {
                Err(format!(
                    "json: cannot unmarshal {what} into Go struct field continueToken.{name} of type {kind}"
                ))
            };
            let error = match (name.as_str(), value) {
                (_, JsonValue::Null) => continue,
                ("v", JsonValue::Text(text)) => {
                    fields.version = text;
                    continue;
                }
                ("start", JsonValue::Text(text)) => {
                    fields.start = text;
                    continue;
                }
                ("rv", JsonValue::Number(number)) => match number.parse() {
                    Ok(number) => {
                        fields.resource_version = number;
                        continue;
                    }
                    Err(_) => wrong(&format!("number {number}"), "int64"),
                },
                ("rv", other) => wrong(other.kind(), "int64"),
                ("v" | "start", other) => wrong(other.kind(), "string"),
                _ => continue,
            };
            first_error = first_error.and(error);
        }
        first_error.map(|()| fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Result<ContinueToken, String> {
        ContinueToken::decode(&base64::encode(json.as_bytes())).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_refused() {
        for (json, why) in [
            (
                r#"{"v":"meta.k8s.io/v1","rv":0,"start":"a"}"#,
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
            (
                r#"{"v":"meta.k8s.io/v1","rv":1,"start":""}"#,
                "encoded start key empty (version meta.k8s.io/v1)",
            ),
            (
                r#"{"v":"v2","rv":1,"start":"a"}"#,
                "server does not recognize this encoded version v2",
            ),
            (
                r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/../b"}"#,
                "a/../b",
            ),
            (r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/"}"#, "a/"),
            (
                r#"{"v":"meta.k8s.io/v1","rv":1"#,
                "unexpected end of JSON input",
            ),
            (
                r#"{"v":"meta.k8s.io/v1","rv":"1","start":"a"}"#,
                "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
            ),
            (
                r#"{"v":"meta.k8s.io/v1","rv":x,"start":"a"}"#,
                "invalid character 'x' looking for beginning of value",
            ),
            (
                r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a"}}"#,
                "invalid character '}' after top-level value",
            ),
            (
                "[]",
                "json: cannot unmarshal array into Go value of type storage.continueToken",
            ),
        ] {
            let expected = format!("continue key is not valid: {why}");
            assert_eq!(decode(json), Err(expected), "{json}");
        }
        assert!(ContinueToken::decode("a").is_err());
    }

    #[test]
    fn the_order_of_the_fields_does_not_matter() {
        let token = decode(r#" { "start" : "a\u0000", "x": 1, "rv" : -1 , "v":"meta.k8s.io/v1"} "#);
        let token = token.expect("it is one");
        assert_eq!(
            (token.resource_version, token.start.as_str()),
            (LATEST, "a\0")
        );
    }
}
