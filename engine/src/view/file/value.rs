//! Decodes the newest row of a key. Values of Secrets are hidden unless the query requests them.
//!
//! Kubernetes writes an object as `k8s\0` followed by a `runtime.Unknown` message. The message contains the
//! apiVersion, the kind and the encoded object. The metadata is the first field of the object.

use super::{KubeEnvelope, StoredValue, VALUE_BYTES_MAX};
use crate::api::KeyValue;
use crate::base::proto::{self, Content};

/// The first bytes of an object in protobuf encoding.
const PROTOBUF: &[u8] = b"k8s\0";
/// The first bytes of a value that an API server has encrypted.
const ENCRYPTED: &[u8] = b"k8s:enc:";
/// The path segment that the key of every Secret contains.
const SECRETS: &[u8] = b"/secrets/";

/// Returns the value of a row. Pass `shows_secrets` to include the values of Secrets.
pub fn stored_value(kv: &KeyValue, shows_secrets: bool) -> StoredValue {
    let object = envelope(&kv.value);
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
    StoredValue {
        key: kv.key.to_vec(),
        text: kv.key.to_text(),
        revision: kv.mod_revision,
        is_deleted: false,
        create_revision: kv.create_revision,
        version: kv.version,
        lease: kv.lease,
        bytes: kv.value.len() as u64,
        is_hidden,
        value: kv.value[..shown].to_vec(),
        object,
        is_encrypted: kv.value.starts_with(ENCRYPTED),
    }
}

/// Returns true if the value starts like a Secret in JSON: its first bytes contain the kind `Secret`.
fn is_json_secret(value: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&value[..value.len().min(VALUE_BYTES_MAX)]);
    let compact: String = start.chars().filter(|c| !c.is_whitespace()).collect();
    compact.contains("\"kind\":\"Secret\"")
}

/// Reads the type and the name of an object in protobuf encoding; `None` for other values.
///
/// ```
/// use watchglass_engine::view::file::value::envelope;
/// let pod = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x0b\x0a\x09\x0a\x01a\x1a\x04team";
/// let pod = envelope(pod).unwrap();
/// assert_eq!((&*pod.api_version, &*pod.kind), ("v1", "Pod"));
/// assert_eq!((&*pod.namespace, &*pod.name), ("team", "a"));
/// assert_eq!(envelope(b"{}"), None);
/// ```
pub fn envelope(value: &[u8]) -> Option<KubeEnvelope> {
    let unknown = value.strip_prefix(PROTOBUF)?;
    let (type_meta, raw) = (field(unknown, 1)?, field(unknown, 2));
    let metadata = raw.and_then(|raw| field(raw, 1));
    let text = |message: Option<&[u8]>, number| {
        let found = message.and_then(|message| field(message, number));
        String::from_utf8_lossy(found.unwrap_or_default()).into_owned()
    };
    Some(KubeEnvelope {
        api_version: text(Some(type_meta), 1),
        kind: text(Some(type_meta), 2),
        name: text(metadata, 1),
        namespace: text(metadata, 3),
    })
}

/// Returns the last field of the type `bytes` with this field number. Ignores fields after an unreadable part of the
/// message.
fn field(message: &[u8], number: u32) -> Option<&[u8]> {
    let mut found = None;
    proto::each_field(message, |at, content| {
        if let (true, Content::Bytes(bytes)) = (at == number, content) {
            found = Some(bytes);
        }
    });
    found
}
