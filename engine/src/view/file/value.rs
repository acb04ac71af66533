//! Decodes a row of a key. Values of Secrets are hidden unless the query requests them.

use super::fields::fields_by_number;
use super::{KubeEnvelope, StoredValue, VALUE_BYTES_MAX};
use crate::api::KeyValue;
use crate::kube::object_json::object_json;
use crate::kube::stored_object::{PROTOBUF, Stored};

/// The path segment that the key of every Secret contains.
const SECRETS: &[u8] = b"/secrets/";

/// Returns the bytes as a text; `None` if they are no text, or contain another control character than `allowed`.
///
/// ```
/// use watchglass_engine::view::file::value::plain_text;
/// assert_eq!(plain_text(b"a\nb", "\n"), Some("a\nb"));
/// assert_eq!(plain_text(b"a\nb", ""), None);
/// assert_eq!(plain_text(b"\xff", ""), None);
/// ```
pub fn plain_text<'a>(bytes: &'a [u8], allowed: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_plain = !text.contains(|c: char| c.is_control() && !allowed.contains(c));
    is_plain.then_some(text)
}

/// Returns the value of a row. Pass `shows_secrets` to include the values of Secrets.
pub fn stored_value(kv: &KeyValue, shows_secrets: bool) -> StoredValue {
    let (object, is_encrypted) = stored_at(&kv.value);
    let is_secret = object
        .as_ref()
        .is_some_and(|object| object.kind == "Secret")
        || kv.key.windows(SECRETS.len()).any(|part| part == SECRETS)
        || is_json_secret(&kv.value);
    let is_hidden = is_secret && !shows_secrets && !kv.value.is_empty();
    let shown = match is_hidden {
        true => 0,
        false => kv.value.len().min(VALUE_BYTES_MAX),
    };
    let json = match !is_hidden && kv.value.len() <= VALUE_BYTES_MAX {
        true => object_json(&kv.value).unwrap_or_default(),
        false => String::new(),
    };
    let fields = match (json.is_empty(), kv.value[..shown].strip_prefix(PROTOBUF)) {
        (true, Some(unknown)) => fields_by_number(unknown),
        _ => String::new(),
    };
    StoredValue {
        key: kv.key.to_vec(),
        text: kv.key.to_text(),
        create_revision: kv.create_revision,
        version: kv.version,
        lease: kv.lease,
        bytes: kv.value.len() as u64,
        is_hidden,
        value: kv.value[..shown].to_vec(),
        json,
        fields,
        object,
        is_encrypted,
        ..StoredValue::default()
    }
}

/// Returns true if the value starts like a Secret in JSON: its first bytes contain the kind `Secret`.
fn is_json_secret(value: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&value[..value.len().min(VALUE_BYTES_MAX)]);
    let compact: String = start.chars().filter(|c| !c.is_whitespace()).collect();
    compact.contains("\"kind\":\"Secret\"")
}

/// Returns the type and the name of the object that a value encodes, and whether the value is encrypted.
pub(super) fn stored_at(value: &[u8]) -> (Option<KubeEnvelope>, bool) {
    let stored = Stored::of(value);
    let envelope = stored.object().map(|object| KubeEnvelope {
        api_version: object.api_version.to_string(),
        kind: object.kind.to_string(),
        namespace: object.namespace.to_string(),
        name: object.name.to_string(),
    });
    (envelope, stored == Stored::Encrypted)
}
