//! The JSON of a stored object, for the kinds whose field names this module knows.
//!
//! Mirrors the field numbers and the JSON names of `generated.proto` in `k8s.io/api`, without default values, in the
//! order of the stored fields. Left out: all other kinds. An object with a field that is not in the tables has no JSON
//! here, so that no field is lost.

use crate::base::json::{Json, push_bytes, push_string};
use crate::base::proto::{self, Content};

use super::stored_object::{PROTOBUF, Stored};
use super::timestamp;

/// The type of a field, which determines its JSON.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Text,
    Int,
    Bool,
    /// A `metav1.Time`.
    Time,
    /// A `metav1.MicroTime`.
    MicroTime,
    /// A `metav1.FieldsV1`, which contains JSON.
    Json,
    Message(Fields),
    /// A list of texts.
    Texts,
    /// A list of messages.
    Messages(Fields),
    /// A map from text to text.
    TextMap,
    /// A map from text to bytes.
    BytesMap,
}

/// The number, the name and the shape of each field of a message.
type Fields = &'static [(u32, &'static str, Shape)];

use Shape::{Bool, BytesMap, Int, Json as Inner, Message, Messages, MicroTime, Text};
use Shape::{TextMap, Texts, Time};

const MANAGED_FIELDS: Fields = &[
    (1, "manager", Text),
    (2, "operation", Text),
    (3, "apiVersion", Text),
    (4, "time", Time),
    (6, "fieldsType", Text),
    (7, "fieldsV1", Inner),
    (8, "subresource", Text),
];

const OWNER: Fields = &[
    (1, "kind", Text),
    (3, "name", Text),
    (4, "uid", Text),
    (5, "apiVersion", Text),
    (6, "controller", Bool),
    (7, "blockOwnerDeletion", Bool),
];

const METADATA: Fields = &[
    (1, "name", Text),
    (2, "generateName", Text),
    (3, "namespace", Text),
    (4, "selfLink", Text),
    (5, "uid", Text),
    (6, "resourceVersion", Text),
    (7, "generation", Int),
    (8, "creationTimestamp", Time),
    (9, "deletionTimestamp", Time),
    (10, "deletionGracePeriodSeconds", Int),
    (11, "labels", TextMap),
    (12, "annotations", TextMap),
    (13, "ownerReferences", Messages(OWNER)),
    (14, "finalizers", Texts),
    (17, "managedFields", Messages(MANAGED_FIELDS)),
];

const CONFIG_MAP: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "data", TextMap),
    (3, "binaryData", BytesMap),
    (4, "immutable", Bool),
];

const SECRET: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "data", BytesMap),
    (3, "type", Text),
    (4, "stringData", TextMap),
    (5, "immutable", Bool),
];

const OBJECT_REFERENCE: Fields = &[
    (1, "kind", Text),
    (2, "namespace", Text),
    (3, "name", Text),
    (4, "uid", Text),
    (5, "apiVersion", Text),
    (6, "resourceVersion", Text),
    (7, "fieldPath", Text),
];

const SERVICE_ACCOUNT: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "secrets", Messages(OBJECT_REFERENCE)),
    (3, "imagePullSecrets", Messages(&[(1, "name", Text)])),
    (4, "automountServiceAccountToken", Bool),
];

const NAMESPACE: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "spec", Message(&[(1, "finalizers", Texts)])),
    (3, "status", Message(NAMESPACE_STATUS)),
];

const NAMESPACE_STATUS: Fields = &[
    (1, "phase", Text),
    (2, "conditions", Messages(NAMESPACE_CONDITION)),
];

const NAMESPACE_CONDITION: Fields = &[
    (1, "type", Text),
    (2, "status", Text),
    (4, "lastTransitionTime", Time),
    (5, "reason", Text),
    (6, "message", Text),
];

const LEASE: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "spec", Message(LEASE_SPEC)),
];

const LEASE_SPEC: Fields = &[
    (1, "holderIdentity", Text),
    (2, "leaseDurationSeconds", Int),
    (3, "acquireTime", MicroTime),
    (4, "renewTime", MicroTime),
    (5, "leaseTransitions", Int),
    (6, "strategy", Text),
    (7, "preferredHolder", Text),
];

const POLICY_RULE: Fields = &[
    (1, "verbs", Texts),
    (2, "apiGroups", Texts),
    (3, "resources", Texts),
    (4, "resourceNames", Texts),
    (5, "nonResourceURLs", Texts),
];

const ROLE: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "rules", Messages(POLICY_RULE)),
];

const SUBJECT: Fields = &[
    (1, "kind", Text),
    (2, "apiGroup", Text),
    (3, "name", Text),
    (4, "namespace", Text),
];

const ROLE_BINDING: Fields = &[
    (1, "metadata", Message(METADATA)),
    (2, "subjects", Messages(SUBJECT)),
    (3, "roleRef", Message(ROLE_REF)),
];

const ROLE_REF: Fields = &[(1, "apiGroup", Text), (2, "kind", Text), (3, "name", Text)];

/// The kinds whose fields are known, with their group and version.
const KINDS: [(&str, &str, Fields); 9] = [
    ("v1", "ConfigMap", CONFIG_MAP),
    ("v1", "Secret", SECRET),
    ("v1", "ServiceAccount", SERVICE_ACCOUNT),
    ("v1", "Namespace", NAMESPACE),
    ("coordination.k8s.io/v1", "Lease", LEASE),
    ("rbac.authorization.k8s.io/v1", "Role", ROLE),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", ROLE),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", ROLE_BINDING),
    (
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        ROLE_BINDING,
    ),
];

/// Returns the JSON of a stored object: the stored text of an object in JSON, and the converted fields of a known kind.
/// Returns `None` for every other value, and for an object with an unknown field.
pub fn object_json(value: &[u8]) -> Option<String> {
    let Stored::Object(object) = Stored::of(value) else {
        return None;
    };
    let Some(unknown) = value.strip_prefix(PROTOBUF) else {
        return String::from_utf8(value.to_vec()).ok();
    };
    let known = KINDS
        .iter()
        .find(|(version, kind, _)| (*version, *kind) == (&object.api_version, &object.kind));
    let (_, _, fields) = known?;
    let mut raw = None;
    let is_whole = proto::each_field(unknown, |number, content| {
        if let (2, Content::Bytes(bytes)) = (number, content) {
            raw = Some(bytes);
        }
    });
    let mut out = String::new();
    let is_known = {
        let mut json = Json::object(&mut out);
        json.string("apiVersion", &object.api_version);
        json.string("kind", &object.kind);
        push_fields(&mut json, raw.filter(|_| is_whole)?, fields)
    };
    is_known.then_some(out)
}

/// Writes the fields of a message into an object. Returns false if a field is unknown or has another shape.
fn push_fields(json: &mut Json<'_>, message: &[u8], fields: Fields) -> bool {
    let mut found: Vec<(usize, Vec<Content<'_>>)> = Vec::new();
    let mut is_known = true;
    is_known &= proto::each_field(message, |number, content| {
        let Some(at) = fields.iter().position(|(n, ..)| *n == number) else {
            is_known = false;
            return;
        };
        match found.iter_mut().find(|(place, _)| *place == at) {
            Some((_, contents)) => contents.push(content),
            None => found.push((at, vec![content])),
        }
    });
    for (at, contents) in found {
        let (_, name, shape) = fields[at];
        // Go writes a text, a number and a message without content even if the object does not have the field.
        let is_absent = match (shape, contents.last()) {
            (Text, Some(Content::Bytes(b""))) => true,
            (Int, Some(Content::Int(0))) => name == "generation",
            (Time | Inner, Some(Content::Bytes(b""))) => true,
            _ => false,
        };
        if !is_absent {
            is_known &= push_value(json.key(name), &contents, shape);
        }
    }
    is_known
}

/// Writes a value, whose contents are those of all fields with its number. Returns false if the contents do not have
/// this shape.
fn push_value(out: &mut String, contents: &[Content<'_>], shape: Shape) -> bool {
    let Some(last) = contents.last() else {
        return false;
    };
    let bytes: Vec<&[u8]> = contents
        .iter()
        .filter_map(|content| match content {
            Content::Bytes(bytes) => Some(*bytes),
            Content::Int(_) => None,
        })
        .collect();
    match (shape, *last) {
        (Int, Content::Int(n)) => out.push_str(&(n as i64).to_string()),
        (Bool, Content::Int(n)) => out.push_str(if n == 0 { "false" } else { "true" }),
        (Text, Content::Bytes(text)) => return push_text(out, text),
        (Time, Content::Bytes(time)) => return push_time(out, time, false),
        (MicroTime, Content::Bytes(time)) => return push_time(out, time, true),
        (Inner, Content::Bytes(fields)) => {
            let Some((1, Content::Bytes(json), [])) = proto::first_field(fields) else {
                return false;
            };
            let Ok(json) = std::str::from_utf8(json) else {
                return false;
            };
            out.push_str(json);
        }
        (Message(fields), Content::Bytes(message)) => {
            return push_fields(&mut Json::object(out), message, fields);
        }
        (Messages(fields), Content::Bytes(_)) => {
            let mut list = Json::array(out);
            return bytes
                .iter()
                .all(|message| push_fields(&mut Json::object(list.item()), message, fields));
        }
        (Texts, Content::Bytes(_)) => {
            let mut list = Json::array(out);
            return bytes.iter().all(|text| push_text(list.item(), text));
        }
        (TextMap | BytesMap, Content::Bytes(_)) => {
            let mut map = Json::object(out);
            return bytes.iter().all(|entry| push_entry(&mut map, entry, shape));
        }
        _ => return false,
    }
    true
}

/// Writes an entry of a map: a message with the key and the value.
fn push_entry(map: &mut Json<'_>, entry: &[u8], shape: Shape) -> bool {
    let (mut key, mut value) = (&[][..], &[][..]);
    let is_whole = proto::each_field(entry, |number, content| match (number, content) {
        (1, Content::Bytes(bytes)) => key = bytes,
        (2, Content::Bytes(bytes)) => value = bytes,
        _ => {}
    });
    let Ok(key) = std::str::from_utf8(key) else {
        return false;
    };
    let out = map.key(key);
    match shape {
        BytesMap => push_bytes(out, value),
        _ => return push_text(out, value) && is_whole,
    }
    is_whole
}

fn push_text(out: &mut String, text: &[u8]) -> bool {
    let text = std::str::from_utf8(text);
    push_string(out, text.unwrap_or_default());
    text.is_ok()
}

/// Writes a time with its seconds and, in a `MicroTime`, its microseconds.
fn push_time(out: &mut String, time: &[u8], has_micros: bool) -> bool {
    let (mut seconds, mut nanos) = (0, 0);
    let is_whole = proto::each_field(time, |number, content| match (number, content) {
        (1, Content::Int(n)) => seconds = n,
        (2, Content::Int(n)) => nanos = n,
        _ => {}
    });
    if !is_whole || seconds > timestamp::SECONDS_MAX || nanos >= 1_000_000_000 {
        return false;
    }
    let mut text = timestamp::format(seconds);
    if has_micros {
        text.truncate(text.len() - 1);
        text.push_str(&format!(".{:06}Z", nanos / 1_000));
    }
    push_string(out, &text);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::proto::{write_bytes, write_number};

    /// Returns an object with the name `a` and the given fields after its metadata.
    fn stored(version: &str, kind: &str, fields: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let (mut type_meta, mut metadata, mut raw) = (Vec::new(), Vec::new(), Vec::new());
        write_bytes(1, version.as_bytes(), &mut type_meta);
        write_bytes(2, kind.as_bytes(), &mut type_meta);
        write_bytes(1, b"a", &mut metadata);
        // The empty texts and zeros that Go writes for absent fields.
        write_bytes(2, b"", &mut metadata);
        write_number(7, 0, &mut metadata);
        write_bytes(8, b"", &mut metadata);
        write_bytes(1, &metadata, &mut raw);
        fields(&mut raw);
        let mut value = PROTOBUF.to_vec();
        write_bytes(1, &type_meta, &mut value);
        write_bytes(2, &raw, &mut value);
        value
    }

    fn entry(key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut entry = Vec::new();
        write_bytes(1, key, &mut entry);
        write_bytes(2, value, &mut entry);
        entry
    }

    #[test]
    fn the_bytes_of_a_secret_are_in_base64() {
        let secret = stored("v1", "Secret", |raw| {
            write_bytes(2, &entry(b"k", b"\xfb\xff"), raw);
            write_bytes(2, &entry(b"l", b""), raw);
            write_bytes(3, b"Opaque", raw);
            write_number(5, 1, raw);
        });
        assert_eq!(
            object_json(&secret).as_deref(),
            Some(concat!(
                r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"#,
                r#""data":{"k":"+/8=","l":""},"type":"Opaque","immutable":true}"#
            ))
        );
    }

    #[test]
    fn lists_and_times_have_their_json() {
        let role = stored("rbac.authorization.k8s.io/v1", "Role", |raw| {
            let mut rule = Vec::new();
            write_bytes(1, b"get", &mut rule);
            write_bytes(1, b"list", &mut rule);
            write_bytes(2, b"", &mut rule);
            write_bytes(2, &rule, raw);
        });
        let json = object_json(&role).expect("an object");
        assert!(
            json.ends_with(r#""rules":[{"verbs":["get","list"],"apiGroups":[""]}]}"#),
            "{json}"
        );
        let lease = stored("coordination.k8s.io/v1", "Lease", |raw| {
            let (mut time, mut spec) = (Vec::new(), Vec::new());
            write_number(1, 1_767_225_600, &mut time);
            write_number(2, 1_500_000, &mut time);
            write_number(2, 40, &mut spec);
            write_bytes(4, &time, &mut spec);
            write_number(5, 0, &mut spec);
            write_bytes(2, &spec, raw);
        });
        let json = object_json(&lease).expect("an object");
        let spec = concat!(
            r#""spec":{"leaseDurationSeconds":40,"renewTime":"2026-01-01T00:00:00.001500Z","#,
            r#""leaseTransitions":0}}"#
        );
        assert!(json.ends_with(spec), "{json}");
    }

    #[test]
    fn no_field_is_lost() {
        let data = |raw: &mut Vec<u8>| write_bytes(2, &entry(b"k", b"v"), raw);
        assert!(object_json(&stored("v1", "ConfigMap", data)).is_some());
        let unknown = stored("v1", "ConfigMap", |raw| write_bytes(99, b"x", raw));
        assert_eq!(object_json(&unknown), None, "a field of a later version");
        let other = stored("v1", "ConfigMap", |raw| write_number(2, 7, raw));
        assert_eq!(object_json(&other), None, "a field of another type");
        let binary = stored("v1", "ConfigMap", |raw| {
            write_bytes(2, &entry(b"k", b"\xff"), raw)
        });
        assert_eq!(object_json(&binary), None, "no text");
        assert_eq!(
            object_json(&stored("v1", "Pod", data)),
            None,
            "no field names"
        );
        assert_eq!(object_json(b"text"), None);
        let (mut torn, whole) = (
            stored("v1", "ConfigMap", data),
            stored("v1", "ConfigMap", data),
        );
        torn.truncate(whole.len() - 1);
        assert_eq!(object_json(&torn), None, "the end is missing");
    }
}
