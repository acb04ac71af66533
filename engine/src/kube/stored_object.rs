//! The value that a real API server stores for an object: the type, the name and the field managers of the object, and
//! the difference between two stored values.
//!
//! Mirrors `runtime.Unknown` with the prefix `k8s\0`, `metav1.ObjectMeta` and `metav1.ManagedFieldsEntry` by their
//! field numbers, and the JSON of custom resources. Encrypted values are recognized. Left out: all other fields.

use std::borrow::Cow;

use crate::base::json::Raw;
use crate::base::mix::Mix;
use crate::base::proto::{self, Content};
use crate::base::small_sort::SmallSort;

use super::timestamp;

/// The first bytes of an object in protobuf encoding.
pub const PROTOBUF: &[u8] = b"k8s\0";
/// The first bytes of a value that an API server has encrypted.
pub(super) const ENCRYPTED: &[u8] = b"k8s:enc:";

/// The maximum number of managers with the same time among which the writer is searched. API servers keep 10 managers
/// of updates.
const MANAGERS_MAX: usize = 100;

/// A value in etcd, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored<'a> {
    Object(StoredObject<'a>),
    Encrypted,
    /// A value that is not an object of Kubernetes.
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredObject<'a> {
    /// The group and version, such as `apps/v1`.
    pub api_version: Cow<'a, str>,
    pub kind: Cow<'a, str>,
    /// The namespace; empty for an object without one.
    pub namespace: Cow<'a, str>,
    pub name: Cow<'a, str>,
    /// `metadata.creationTimestamp`, in seconds since 1970.
    pub created: Option<i64>,
    /// The reason of an event, such as `FailedScheduling`; `None` for other kinds.
    pub reason: Option<Cow<'a, str>>,
    /// `metadata.managedFields`.
    pub managers: Vec<FieldManager<'a>>,
}

/// An entry of `metadata.managedFields`: a workflow that changed fields of the object, and the time of its last change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldManager<'a> {
    pub manager: Cow<'a, str>,
    /// `Apply` or `Update`.
    pub operation: Cow<'a, str>,
    /// The changed subresource, such as `status`; empty for the object itself.
    pub subresource: Cow<'a, str>,
    /// The time of the last change, in seconds since 1970.
    pub time: Option<i64>,
    /// The encoded names of the fields.
    fields: &'a [u8],
}

/// The manager that wrote a stored value, as far as its field managers tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenBy<'o, 'a> {
    Manager(&'o FieldManager<'a>),
    /// Several managers have the newest time, and the previous value does not tell which of them wrote this value.
    Several,
    /// The object has no field managers.
    NoManager,
}

impl<'a> Stored<'a> {
    /// Reads a stored value.
    ///
    /// ```
    /// use watchglass_engine::kube::stored_object::Stored;
    /// let pod = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x0b\x0a\x09\x0a\x01a\x1a\x04team";
    /// let Stored::Object(pod) = Stored::of(pod) else { panic!("no object") };
    /// assert_eq!((&*pod.api_version, &*pod.kind), ("v1", "Pod"));
    /// assert_eq!((&*pod.namespace, &*pod.name), ("team", "a"));
    /// assert_eq!(Stored::of(b"{}"), Stored::Other);
    /// assert_eq!(Stored::of(b"k8s:enc:aescbc:v1:key1:\x01"), Stored::Encrypted);
    /// ```
    pub fn of(value: &'a [u8]) -> Self {
        if value.starts_with(ENCRYPTED) {
            return Self::Encrypted;
        }
        let object = match value.strip_prefix(PROTOBUF) {
            Some(unknown) => Some(StoredObject::of_protobuf(unknown)),
            None => json(value).and_then(StoredObject::of_json),
        };
        object.map_or(Self::Other, Self::Object)
    }

    pub fn object(&self) -> Option<&StoredObject<'a>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Encrypted | Self::Other => None,
        }
    }
}

impl<'a> StoredObject<'a> {
    fn of_protobuf(unknown: &'a [u8]) -> Self {
        let mut object = Self::default();
        let (mut type_meta, mut raw) = (&[][..], &[][..]);
        proto::each_field(unknown, |number, content| match (number, content) {
            (1, Content::Bytes(bytes)) => type_meta = bytes,
            (2, Content::Bytes(bytes)) => raw = bytes,
            _ => {}
        });
        proto::each_field(type_meta, |number, content| match (number, content) {
            (1, Content::Bytes(text)) => object.api_version = String::from_utf8_lossy(text),
            (2, Content::Bytes(text)) => object.kind = String::from_utf8_lossy(text),
            _ => {}
        });
        let (metadata, fields) = split_metadata(raw);
        proto::each_field(metadata, |number, content| match (number, content) {
            (1, Content::Bytes(text)) => object.name = String::from_utf8_lossy(text),
            (3, Content::Bytes(text)) => object.namespace = String::from_utf8_lossy(text),
            (8, Content::Bytes(time)) => object.created = seconds(time),
            (17, Content::Bytes(entry)) => object.managers.push(FieldManager::of_protobuf(entry)),
            _ => {}
        });
        object.reason = reason_field(&object.api_version, &object.kind).map(|reason| {
            let mut found = Cow::default();
            proto::each_field(fields, |number, content| match content {
                Content::Bytes(text) if number == reason => found = String::from_utf8_lossy(text),
                _ => {}
            });
            found
        });
        object
    }

    fn of_json(value: Raw<'a>) -> Option<Self> {
        let text = |of: Raw<'a>, name: &str| of.member(name).and_then(Raw::text);
        let metadata = value.member("metadata");
        let in_metadata = |name| metadata.and_then(|of| text(of, name)).unwrap_or_default();
        let managers = metadata.and_then(|of| of.member("managedFields"));
        let (api_version, kind) = (text(value, "apiVersion")?, text(value, "kind")?);
        let reason = reason_field(&api_version, &kind);
        Some(Self {
            api_version,
            kind,
            created: timestamp::parse(&in_metadata("creationTimestamp")),
            reason: reason.map(|_| text(value, "reason").unwrap_or_default()),
            namespace: in_metadata("namespace"),
            name: in_metadata("name"),
            managers: managers.map_or_else(Vec::new, |list| {
                list.items().map(FieldManager::of_json).collect()
            }),
        })
    }

    /// Returns the newest time of the field managers, in seconds since 1970.
    pub fn time(&self) -> Option<i64> {
        self.managers
            .iter()
            .filter_map(|manager| manager.time)
            .max()
    }

    /// Returns a hash of each field manager, by which [`written_by`](Self::written_by) recognizes the manager.
    pub fn manager_hashes(&self) -> impl Iterator<Item = u32> + '_ {
        self.managers.iter().map(FieldManager::hash)
    }

    /// Returns the manager that wrote this value: the manager with the newest time. Among several, it is the manager
    /// that the previous value of the key does not have in the same form. `previous` has the hashes of the managers of
    /// the previous value.
    pub fn written_by(&self, previous: Option<&[u32]>) -> WrittenBy<'_, 'a> {
        let newest = self.managers.iter().map(|manager| manager.time).max();
        let Some(newest) = newest else {
            return WrittenBy::NoManager;
        };
        let mut latest: Vec<&FieldManager<'a>> = self
            .managers
            .iter()
            .filter(|manager| manager.time == newest)
            .collect();
        if (2..=MANAGERS_MAX).contains(&latest.len())
            && let Some(previous) = previous
        {
            latest.retain(|manager| !previous.contains(&manager.hash()));
        }
        match latest[..] {
            [manager] => WrittenBy::Manager(manager),
            _ => WrittenBy::Several,
        }
    }
}

impl<'a> FieldManager<'a> {
    fn hash(&self) -> u32 {
        let mut mix = Mix::default();
        for text in [&self.manager, &self.operation, &self.subresource] {
            mix.add(text.as_bytes());
        }
        let (has_time, time) = (self.time.is_some(), self.time.unwrap_or_default());
        mix.add_number(u64::from(has_time));
        mix.add_number(time as u64);
        mix.add(self.fields);
        mix.finish() as u32
    }

    fn of_protobuf(entry: &'a [u8]) -> Self {
        let mut manager = Self::default();
        proto::each_field(entry, |number, content| match (number, content) {
            (1, Content::Bytes(text)) => manager.manager = String::from_utf8_lossy(text),
            (2, Content::Bytes(text)) => manager.operation = String::from_utf8_lossy(text),
            (4, Content::Bytes(time)) => manager.time = seconds(time),
            (7, Content::Bytes(fields)) => manager.fields = fields,
            (8, Content::Bytes(text)) => manager.subresource = String::from_utf8_lossy(text),
            _ => {}
        });
        manager
    }

    fn of_json(entry: Raw<'a>) -> Self {
        let mut manager = Self::default();
        for (name, value) in entry.members() {
            match &*name {
                "manager" => manager.manager = value.text().unwrap_or_default(),
                "operation" => manager.operation = value.text().unwrap_or_default(),
                "subresource" => manager.subresource = value.text().unwrap_or_default(),
                "time" => manager.time = value.text().and_then(|text| timestamp::parse(&text)),
                "fieldsV1" => manager.fields = value.as_str().as_bytes(),
                _ => {}
            }
        }
        manager
    }
}

/// Returns the number of the field `reason` in the protobuf encoding of an event; `None` for other kinds.
fn reason_field(api_version: &str, kind: &str) -> Option<u32> {
    match (kind, api_version) {
        ("Event", "v1") => Some(3),
        ("Event", version) if version.starts_with("events.k8s.io/") => Some(7),
        _ => None,
    }
}

/// Reads the seconds of a `metav1.Time`.
fn seconds(time: &[u8]) -> Option<i64> {
    let mut seconds = None;
    proto::each_field(time, |number, content| {
        if let (1, Content::Int(value)) = (number, content) {
            seconds = Some(value as i64);
        }
    });
    seconds
}

/// Splits an encoded object into its metadata, which is its first field, and the fields after it.
pub(super) fn split_metadata(raw: &[u8]) -> (&[u8], &[u8]) {
    match proto::first_field(raw) {
        Some((1, Content::Bytes(metadata), rest)) => (metadata, rest),
        _ => (&[], raw),
    }
}

fn json(value: &[u8]) -> Option<Raw<'_>> {
    if !value.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    std::str::from_utf8(value).ok().map(Raw::new)
}

/// Returns a hash of an object without the times of its field managers and its resource version; `None` if the value
/// is not an object that can be read.
pub fn hash_without_times(value: &[u8]) -> Option<u64> {
    let mut mix = Mix::default();
    match value.strip_prefix(PROTOBUF) {
        Some(unknown) => {
            for (number, content) in without_times(unknown)? {
                mix.add_number(u64::from(number));
                match content {
                    Content::Int(value) => mix.add_number(value),
                    Content::Bytes(bytes) => mix.add(bytes),
                }
            }
        }
        None => {
            let object = json(value)?;
            object.member("kind")?;
            mix.add(b"json");
            for part in between_times(object) {
                mix.add(part.as_bytes());
            }
        }
    }
    Some(mix.finish())
}

/// Returns the parts of a `runtime.Unknown` that are not a time of a field manager or the resource version; `None` if a
/// part cannot be read.
fn without_times(unknown: &[u8]) -> Option<Vec<(u32, Content<'_>)>> {
    let mut parts = Vec::new();
    let mut raw = None;
    let mut is_whole = proto::each_field(unknown, |number, content| match (number, content) {
        (2, Content::Bytes(bytes)) => raw = Some(bytes),
        part => parts.push(part),
    });
    let (metadata, rest) = split_metadata(raw?);
    parts.push((2, Content::Bytes(rest)));
    let mut entries = Vec::new();
    is_whole &= proto::each_field(metadata, |number, content| match (number, content) {
        (6, _) => {}
        (17, Content::Bytes(entry)) => entries.push(entry),
        part => parts.push(part),
    });
    for entry in entries {
        // Separates the entries.
        parts.push((17, Content::Int(0)));
        is_whole &= proto::each_field(entry, |number, content| {
            if number != 4 {
                parts.push((number, content));
            }
        });
    }
    is_whole.then_some(parts)
}

/// Returns the parts of an object's text between the times of its field managers and its resource version.
fn between_times(object: Raw<'_>) -> Vec<&str> {
    let metadata = object.member("metadata");
    let managers = metadata.and_then(|of| of.member("managedFields"));
    let times = managers
        .into_iter()
        .flat_map(|list| list.items().collect::<Vec<_>>())
        .filter_map(|entry| entry.member("time"));
    let version = metadata.and_then(|of| of.member("resourceVersion"));
    let text = object.as_str();
    let place = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let mut cuts: Vec<(usize, usize)> = times
        .chain(version)
        .map(|value| (place(value.as_str()), value.as_str().len()))
        .collect();
    cuts.small_sort();
    let mut parts = Vec::new();
    let mut from = 0;
    for (start, length) in cuts {
        parts.push(&text[from..start]);
        from = start + length;
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widget(time: &str, size: u32, version: u32) -> String {
        format!(
            "{{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{{\"managedFields\":[{{\"manager\":\
             \"a\",\"operation\":\"Update\",\"time\":\"2026-01-01T00:00:00Z\"}},{{\"manager\":\"b\",\"operation\":\
             \"Apply\",\"subresource\":\"status\",\"time\":\"{time}\"}}],\"name\":\"w\",\"resourceVersion\":\
             \"{version}\"}},\"spec\":{{\"size\":[{size},\"]\"]}}}}"
        )
    }

    #[test]
    fn the_newest_manager_wrote_a_custom_resource() {
        let value = widget("2026-01-01T00:00:05Z", 1, 7);
        let stored = Stored::of(value.as_bytes());
        let object = stored.object().expect("an object");
        assert_eq!((&*object.kind, &*object.name), ("Widget", "w"));
        let WrittenBy::Manager(manager) = object.written_by(None) else {
            panic!("no manager");
        };
        let named = (
            &*manager.manager,
            &*manager.operation,
            &*manager.subresource,
        );
        assert_eq!(named, ("b", "Apply", "status"));
        assert_eq!(manager.time, Some(1_767_225_605));

        // Two managers with the same time: only the previous value tells which of them is new.
        let value = widget("2026-01-01T00:00:00Z", 1, 7);
        let stored = Stored::of(value.as_bytes());
        let object = stored.object().expect("an object");
        assert_eq!(object.written_by(None), WrittenBy::Several);
        let all: Vec<u32> = object.manager_hashes().collect();
        let WrittenBy::Manager(manager) = object.written_by(Some(&all[..1])) else {
            panic!("no manager");
        };
        assert_eq!(manager.manager, "b");
        assert_eq!(object.written_by(Some(&all)), WrittenBy::Several);
        let mut before = object.clone();
        before.managers.clear();
        assert_eq!(before.written_by(None), WrittenBy::NoManager);
    }

    #[test]
    fn times_and_resource_versions_are_no_change() {
        let before = widget("2026-01-01T00:00:05Z", 1, 7);
        let later = widget("2026-01-01T00:01:05Z", 1, 12);
        let other = widget("2026-01-01T00:01:05Z", 2, 12);
        let hash = hash_without_times(before.as_bytes());
        assert!(hash.is_some());
        assert_eq!(hash, hash_without_times(later.as_bytes()));
        assert_ne!(hash, hash_without_times(other.as_bytes()));
        assert_eq!(hash_without_times(b"{\"a\":1}"), None);
        assert_eq!(hash_without_times(b"x"), None);
    }
}
