//! The tree of names and values that `kubectl get -o json` and `-o yaml` print.
//!
//! Mirrors the unstructured objects of `k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`, and the list in
//! `k8s.io/kubectl/pkg/cmd/get/get.go`: several objects are a `List` without a resource version. All values of the
//! simulator's objects are texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kube::{Object, codec};

/// A value of the tree.
pub(super) enum Tree {
    /// A text.
    Text(String),
    /// A list of values.
    List(Vec<Self>),
    /// Values with names, sorted by name.
    Map(BTreeMap<String, Self>),
}

impl Tree {
    /// Returns the tree of one object.
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
        let mut root = BTreeMap::from([
            ("apiVersion".into(), text("v1")),
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

    /// Returns a list of objects as one tree.
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
            Tree::Text(text) => {
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
            .with_size(5_000);
        for object in [pod.at(12), Object::new("Node", "", "n").with_uid(7)] {
            let mut sent = BTreeMap::new();
            let json = codec::encode_for_clients(&object);
            let read = read_object(&json, &mut |names, leaf| {
                let Leaf::Text(value) = leaf else {
                    panic!("{leaf:?} is not a text");
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
