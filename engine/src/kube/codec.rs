//! The encoding of objects in etcd. An encoded object is the JSON that `kubectl get --raw` prints, without the parts
//! of an object that the simulator does not simulate.
//!
//! Mirrors `--storage-media-type=application/json`. The default of Kubernetes is protobuf, which the page could not
//! show as text. If a value is not JSON, for example because the user wrote it with etcdctl, the simulator decodes
//! the value as an object without labels and fields. A real API server would fail to decode that value; here, only an
//! incomplete JSON object is an error ([`error_of`]). An object
//! stores its assumed size in an annotation instead of real bytes, so that 150,000 large pods fit into the memory of a
//! browser page.

use std::borrow::Cow;

use crate::base::Bytes;
use crate::base::assumed_size::ANNOTATION;
use crate::base::interner::Interner;
use crate::base::json::{Json, Leaf, read_object};

use super::go_json;
use super::object::{ANNOTATIONS, Object, SIZE_BYTES_MAX};
use super::resource::Resource;

/// Encodes an object for etcd. The encoding does not contain the resource version.
///
/// ```
/// use watchglass_engine::kube::resource::PODS;
/// use watchglass_engine::kube::{Object, codec};
/// let pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
/// let value = codec::encode(&pod);
/// assert!(value.contains(r#""spec":{"nodeName":"node-7"}"#));
/// let read = codec::decode(&PODS, "/registry/pods/default/web-1", value.as_bytes(), 12);
/// assert_eq!((read.field("spec.nodeName"), read.resource_version), ("node-7", 12));
/// ```
pub fn encode(object: &Object) -> String {
    let mut out = String::new();
    push(&mut out, object, None);
    out
}

/// Encodes an object for clients, including the resource version.
pub fn encode_for_clients(object: &Object) -> String {
    let mut out = String::new();
    push(&mut out, object, Some(object.resource_version));
    out
}

fn push(out: &mut String, object: &Object, resource_version: Option<u64>) {
    let mut json = Json::object(out);
    json.string("kind", &object.kind);
    json.string("apiVersion", Resource::api_version_of(&object.kind));
    {
        let mut meta = Json::object(json.key("metadata"));
        meta.string("name", &object.name);
        if !object.namespace.is_empty() {
            meta.string("namespace", &object.namespace);
        }
        meta.string("uid", &uid_text(object.uid));
        if let Some(rv) = resource_version {
            meta.string("resourceVersion", &rv.to_string());
        }
        if !object.labels.is_empty() {
            let mut labels = Json::object(meta.key("labels"));
            for (name, value) in object.labels.iter() {
                labels.string(name, value);
            }
        }
        for (name, value) in object.fields.iter() {
            match name.strip_prefix("metadata.") {
                Some("creationTimestamp" | "deletionTimestamp" | "generateName") => {
                    meta.string(&name["metadata.".len()..], value);
                }
                Some("deletionGracePeriodSeconds") => {
                    meta.value(
                        "deletionGracePeriodSeconds",
                        value.parse::<u64>().unwrap_or(0),
                    );
                }
                _ => {}
            }
        }
        // Only the stored encoding contains the assumed size. Clients receive the object without this annotation.
        let size =
            (object.size_bytes > 0 && resource_version.is_none()).then_some(object.size_bytes);
        let annotations = || annotations(object).peekable();
        if size.is_some() || annotations().peek().is_some() {
            let mut notes = Json::object(meta.key("annotations"));
            for (name, value) in annotations() {
                notes.string(name, value);
            }
            if let Some(size) = size {
                notes.string(ANNOTATION, &size.to_string());
            }
        }
    }
    // A field such as `spec.nodeName` is written inside the object `spec`. Fields are sorted by name, so the fields of
    // one object are adjacent.
    let fields = object
        .fields
        .iter()
        .filter(|(name, _)| !name.starts_with("metadata."));
    let mut fields = fields.peekable();
    while let Some((name, value)) = fields.next() {
        let Some((group, inner)) = name.split_once('.') else {
            json.string(name, value);
            continue;
        };
        let mut inside = Json::object(json.key(group));
        inside.string(inner, value);
        let in_group = |name: &str| name.split_once('.').is_some_and(|(g, _)| g == group);
        while let Some((name, value)) = fields.next_if(|(name, _)| in_group(name)) {
            inside.string(&name[group.len() + 1..], value);
        }
    }
}

pub fn annotations(object: &Object) -> impl Iterator<Item = (&str, &str)> {
    let fields = object.fields.iter();
    fields.filter_map(|(name, value)| Some((name.strip_prefix(ANNOTATIONS)?, &**value)))
}

/// Formats a uid as 16 hexadecimal digits.
pub fn uid_text(uid: u64) -> String {
    format!("{uid:016x}")
}

/// Decodes an object from its key and value in etcd.
pub fn decode(resource: &Resource, key: &str, value: &[u8], mod_revision: u64) -> Object {
    decode_with(&mut Interner::default(), resource, key, value, mod_revision)
}

/// Decodes an object like [`decode`]. Equal strings of the objects that were decoded with the same interner share
/// memory.
pub fn decode_with(
    interner: &mut Interner,
    resource: &Resource,
    key: &str,
    value: &[u8],
    mod_revision: u64,
) -> Object {
    let inside = key.strip_prefix(resource.prefix).unwrap_or(key);
    let (namespace, name) = match inside.split_once('/') {
        Some((namespace, name)) if resource.is_namespaced => (namespace, name),
        _ => ("", inside),
    };
    let mut object = Object::interned(interner, resource.kind, namespace, name).at(mod_revision);
    let text = std::str::from_utf8(value).unwrap_or_default();
    let read = read_object(text, &mut |path, leaf| match leaf {
        Leaf::Text(value) => take(interner, &mut object, path, &value),
        Leaf::Word(value) => take(interner, &mut object, path, value),
    });
    if read.is_none() {
        object = Object::interned(interner, resource.kind, namespace, name).at(mod_revision);
    }
    object.size_bytes = object.size_bytes.max(value.len() as u64);
    object
}

/// Returns the error of the decoder for a value that looks like an encoded object but is broken: a text that begins
/// with `{` and does not end with `}`. Every other value is an object here.
///
/// ```
/// use watchglass_engine::kube::codec;
/// assert_eq!(codec::error_of(b"x"), None);
/// assert_eq!(
///     codec::error_of(b"{\"kind\":\"Pod\"").unwrap(),
///     "couldn't get version/kind; json parse error: unexpected end of JSON input"
/// );
/// ```
pub fn error_of(value: &[u8]) -> Option<String> {
    let value = value.trim_ascii();
    if !value.starts_with(b"{") || value.ends_with(b"}") {
        return None;
    }
    let error = go_json::parse(value).err()?;
    Some(format!(
        "couldn't get version/kind; json parse error: {error}"
    ))
}

/// Returns the etcd key of an object as bytes.
pub fn key(resource: &Resource, object: &Object) -> Bytes {
    Bytes::from(object.key(resource.prefix).as_bytes())
}

fn take(interner: &mut Interner, object: &mut Object, path: &[Cow<'_, str>], value: &str) {
    let names: Vec<&str> = path.iter().map(|name| &**name).collect();
    match names.as_slice() {
        ["metadata", "uid"] => object.uid = u64::from_str_radix(value, 16).unwrap_or(0),
        ["metadata", "labels", name] => {
            let (name, value) = (interner.share(name), interner.share(value));
            object.labels.insert(name, value);
        }
        ["metadata", "annotations", ANNOTATION] => {
            let size: u64 = value.parse().unwrap_or(0);
            object.size_bytes = size.min(SIZE_BYTES_MAX);
        }
        ["metadata", "annotations", name] => {
            let name = interner.share(&format!("{ANNOTATIONS}{name}"));
            object.fields.insert(name, value.into());
        }
        [
            "metadata",
            "creationTimestamp"
            | "deletionTimestamp"
            | "deletionGracePeriodSeconds"
            | "generateName",
        ] => {
            let name = interner.share(&path.join("."));
            object.fields.insert(name, interner.share(value));
        }
        ["metadata", ..] | ["kind" | "apiVersion"] => {}
        _ => {
            let (name, value) = (interner.share(&path.join(".")), interner.share(value));
            object.fields.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::resource::{NODES, PODS};
    use super::*;

    #[test]
    fn an_object_comes_back_as_it_was() {
        let pod = Object::new("Pod", "default", "web-1")
            .with_label("app", "web")
            .with_label("app.kubernetes.io/name", "x")
            .with_field("spec.nodeName", "node-1")
            .with_field("status.phase", "Running")
            .with_field("status.podIP", "10.0.0.1")
            .with_uid(0xfeed)
            .with_size(5_000);
        let value = encode(&pod);
        let read = decode(&PODS, "/registry/pods/default/web-1", value.as_bytes(), 7);
        assert_eq!(read, pod.at(7));
    }

    #[test]
    fn anything_else_is_an_object_with_a_name_alone() {
        let read = decode(&PODS, "/registry/pods/default/web-1", b"Running", 7);
        assert_eq!((&*read.namespace, &*read.name), ("default", "web-1"));
        assert_eq!(read.size_bytes, 7);
        let node = decode(&NODES, "/registry/minions/node-1", b"{\"spec\":{", 7);
        assert_eq!(
            (&*node.namespace, &*node.name, node.fields.len()),
            ("", "node-1", 1)
        );
    }
}
