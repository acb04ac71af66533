//! The tree of names and values that `kubectl get -o json`, `-o yaml` and `-o jsonpath` print.
//!
//! Mirrors the unstructured objects of `k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`, and the list in
//! `k8s.io/kubectl/pkg/cmd/get/get.go`: several objects are a `List` without a resource version. Almost all
//! values of the simulator's objects are texts.

use std::collections::BTreeMap;
use std::sync::Arc;

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

impl Tree {
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
