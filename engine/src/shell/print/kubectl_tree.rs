//! The tree of names and values that `kubectl get -o json`, `-o yaml` and `-o jsonpath` print.
//!
//! Mirrors the unstructured objects of `k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`, and the list in
//! `k8s.io/kubectl/pkg/cmd/get/get.go`: several objects are a `List` without a resource version. Almost all
//! values of the simulator's objects are texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::json::read_string;
use crate::kube::object::{CREATION_TIMESTAMP, DELETION_GRACE_PERIOD, DELETION_TIMESTAMP};
use crate::kube::object_rules::GENERATE_NAME;
use crate::kube::{Object, Resource, codec};

pub(super) enum Tree {
    Text(String),
    /// A number.
    Word(String),
    List(Vec<Self>),
    /// Values with names, sorted by name.
    Map(BTreeMap<String, Self>),
}

/// The maximum depth of a JSON text that is read. The API server refuses deeper objects.
const DEPTH_MAX: usize = 100;

impl Tree {
    /// Reads a JSON text. Returns `None` if the text is not valid, or deeper than [`DEPTH_MAX`].
    pub(super) fn of_json(text: &str) -> Option<Self> {
        let (tree, rest) = value_at(text.trim_ascii_start(), DEPTH_MAX)?;
        rest.trim_ascii_start().is_empty().then_some(tree)
    }

    pub(super) fn object(object: &Object) -> Self {
        let mut metadata = BTreeMap::from([
            ("name".into(), text(&object.name)),
            ("uid".into(), text(&codec::uid_text(object.uid))),
            (
                "resourceVersion".into(),
                text(&object.resource_version.to_string()),
            ),
        ]);
        if !object.namespace.is_empty() {
            metadata.insert("namespace".into(), text(&object.namespace));
        }
        if !object.labels.is_empty() {
            let labels = object.labels.iter();
            let labels = labels.map(|(name, value)| (name.to_string(), text(value)));
            metadata.insert("labels".into(), Self::Map(labels.collect()));
        }
        let annotations = codec::annotations(object);
        let annotations: BTreeMap<String, Self> = annotations
            .map(|(name, value)| (name.to_owned(), text(value)))
            .collect();
        if !annotations.is_empty() {
            metadata.insert("annotations".into(), Self::Map(annotations));
        }
        for field in [CREATION_TIMESTAMP, DELETION_TIMESTAMP, GENERATE_NAME] {
            let value = object.field(field);
            if !value.is_empty() {
                metadata.insert(field["metadata.".len()..].into(), text(value));
            }
        }
        if let Some(period) = object.deletion_grace_period_s() {
            let name = DELETION_GRACE_PERIOD["metadata.".len()..].to_owned();
            metadata.insert(name, Self::Word(period.to_string()));
        }
        let mut root = BTreeMap::from([
            (
                "apiVersion".into(),
                text(Resource::api_version_of(&object.kind)),
            ),
            ("kind".into(), text(&object.kind)),
            ("metadata".into(), Self::Map(metadata)),
        ]);
        for (name, value) in object.fields.iter() {
            match name.split_once('.') {
                Some(("metadata", _)) => {}
                Some((group, inner)) => {
                    let empty = || Self::Map(BTreeMap::new());
                    // A field with the name of the group has no fields inside.
                    if let Self::Map(inside) = root.entry(group.into()).or_insert_with(empty) {
                        inside.insert(inner.into(), text(value));
                    }
                }
                None => {
                    root.insert(name.to_string(), text(value));
                }
            }
        }
        Self::Map(root)
    }

    pub(super) fn list(objects: &[Arc<Object>]) -> Self {
        let items = objects.iter().map(|object| Self::object(object)).collect();
        let metadata = BTreeMap::from([("resourceVersion".into(), text(""))]);
        Self::Map(BTreeMap::from([
            ("apiVersion".into(), text("v1")),
            ("items".into(), Self::List(items)),
            ("kind".into(), text("List")),
            ("metadata".into(), Self::Map(metadata)),
        ]))
    }
}

/// Reads the value at the start of a JSON text, and returns the text after it.
fn value_at(text: &str, depth: usize) -> Option<(Tree, &str)> {
    let is_end = |c: char| ",]}".contains(c) || c.is_ascii_whitespace();
    match text.as_bytes().first()? {
        b'"' => read_string(text).map(|(text, rest)| (Tree::Text(text.into_owned()), rest)),
        b'{' => {
            let mut fields = BTreeMap::new();
            let rest = elements(text, '}', |element| {
                let (name, rest) = read_string(element)?;
                let rest = rest.trim_ascii_start().strip_prefix(':')?;
                let (value, rest) = value_at(rest.trim_ascii_start(), depth.checked_sub(1)?)?;
                fields.insert(name.into_owned(), value);
                Some(rest)
            })?;
            Some((Tree::Map(fields), rest))
        }
        b'[' => {
            let mut items = Vec::new();
            let rest = elements(text, ']', |element| {
                let (value, rest) = value_at(element, depth.checked_sub(1)?)?;
                items.push(value);
                Some(rest)
            })?;
            Some((Tree::List(items), rest))
        }
        _ => {
            let (word, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
            let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && word.parse::<f64>().is_ok();
            let is_word = is_number || ["true", "false", "null"].contains(&word);
            is_word.then(|| (Tree::Word(word.to_owned()), rest))
        }
    }
}

/// Reads the elements of an object or array up to the bracket that closes it. `read` reads an element at the start of a
/// text and returns the text after the element. Returns the text after the bracket.
fn elements<'a>(
    text: &'a str,
    close: char,
    mut read: impl FnMut(&'a str) -> Option<&'a str>,
) -> Option<&'a str> {
    let mut rest = text[1..].trim_ascii_start();
    if let Some(rest) = rest.strip_prefix(close) {
        return Some(rest);
    }
    loop {
        rest = read(rest)?.trim_ascii_start();
        if let Some(rest) = rest.strip_prefix(close) {
            return Some(rest);
        }
        rest = rest.strip_prefix(',')?.trim_ascii_start();
    }
}

fn text(text: &str) -> Tree {
    Tree::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::{Leaf, read_object};

    fn insert_leaves(leaves: &mut BTreeMap<String, String>, path: &str, tree: &Tree) {
        match tree {
            Tree::Text(text) | Tree::Word(text) => {
                leaves.insert(path.to_owned(), text.clone());
            }
            Tree::List(_) => panic!("an object of the simulator contains no lists"),
            Tree::Map(fields) => {
                for (name, value) in fields {
                    insert_leaves(leaves, &format!("{path}/{name}"), value);
                }
            }
        }
    }

    #[test]
    fn a_tree_has_the_values_that_the_api_server_sends() {
        let pod = Object::new("Pod", "default", "web-1")
            .with_label("app", "web")
            .with_label("app.kubernetes.io/name", "a\"b")
            .with_field("spec.nodeName", "node-1")
            .with_field("spec.a.b", "")
            .with_field("data", "1")
            .with_field("metadata.annotations/a.b/c", "d")
            .with_field(CREATION_TIMESTAMP, "2026-01-01T00:00:00Z")
            .with_field(DELETION_GRACE_PERIOD, "30")
            .with_size(5_000);
        for object in [pod.at(12), Object::new("Node", "", "n").with_uid(7)] {
            let mut sent = BTreeMap::new();
            let json = codec::encode_for_clients(&object);
            let read = read_object(&json, &mut |names, leaf| {
                let value = match leaf {
                    Leaf::Text(value) => value.into_owned(),
                    Leaf::Word(value) => value.to_owned(),
                };
                sent.insert(format!("/{}", names.join("/")), value);
            });
            assert_eq!(read, Some(""));
            let mut printed = BTreeMap::new();
            insert_leaves(&mut printed, "", &Tree::object(&object));
            assert_eq!(printed, sent);
        }
    }
}
