//! Prints objects in the format of `kubectl get -o json`.
//!
//! Mirrors `json.go` in `k8s.io/cli-runtime/pkg/printers`, and the list in `k8s.io/kubectl/pkg/cmd/get/get.go`: names
//! are sorted, each level is indented by four spaces, and several objects are a `List` without a resource version.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::json::{Leaf, push_string, read_object};
use crate::kube::{Object, codec};

/// A value of the JSON.
enum Node {
    /// A text with its quotes, or another value that is neither an object nor a list.
    Leaf(String),
    List(Vec<Node>),
    /// An object. Go writes the names of a map in this order.
    Object(BTreeMap<String, Node>),
}

/// Returns one object.
pub(super) fn object(object: &Object) -> String {
    printed(&node(object))
}

/// Returns a list of objects.
pub(super) fn list(objects: &[Arc<Object>]) -> String {
    let items = objects.iter().map(|object| node(object)).collect();
    let metadata = BTreeMap::from([("resourceVersion".into(), text(""))]);
    printed(&Node::Object(BTreeMap::from([
        ("apiVersion".into(), text("v1")),
        ("items".into(), Node::List(items)),
        ("kind".into(), text("List")),
        ("metadata".into(), Node::Object(metadata)),
    ])))
}

fn text(text: &str) -> Node {
    let mut out = String::new();
    push_string(&mut out, text);
    Node::Leaf(out)
}

fn node(object: &Object) -> Node {
    let mut root = BTreeMap::new();
    let json = codec::encode_for_clients(object);
    let read = read_object(&json, &mut |names, leaf| {
        let leaf = match leaf {
            Leaf::Text(value) => text(&value),
            Leaf::Word(word) => Node::Leaf(word.to_owned()),
        };
        insert(&mut root, names, leaf);
    });
    assert!(read.is_some(), "the codec writes valid JSON");
    Node::Object(root)
}

/// Adds a value to an object. `names` lists the names from the object to the value.
fn insert(object: &mut BTreeMap<String, Node>, names: &[String], leaf: Node) {
    match names {
        [] => {}
        [name] => {
            object.insert(name.clone(), leaf);
        }
        [name, rest @ ..] => {
            let empty = || Node::Object(BTreeMap::new());
            if let Node::Object(inner) = object.entry(name.clone()).or_insert_with(empty) {
                insert(inner, rest, leaf);
            }
        }
    }
}

fn printed(node: &Node) -> String {
    let mut out = String::new();
    push(&mut out, node, 0);
    out.push('\n');
    out
}

fn push(out: &mut String, node: &Node, depth: usize) {
    match node {
        Node::Leaf(leaf) => out.push_str(leaf),
        Node::List(items) => {
            let items = items.iter().map(|item| (None, item));
            push_inside(out, ['[', ']'], items, depth);
        }
        Node::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (Some(name), value));
            push_inside(out, ['{', '}'], fields, depth);
        }
    }
}

fn push_inside<'a>(
    out: &mut String,
    [open, close]: [char; 2],
    values: impl ExactSizeIterator<Item = (Option<&'a String>, &'a Node)>,
    depth: usize,
) {
    const INDENT: &str = "    ";
    out.push(open);
    let is_empty = values.len() == 0;
    for (place, (name, value)) in values.enumerate() {
        out.push_str(if place == 0 { "\n" } else { ",\n" });
        out.push_str(&INDENT.repeat(depth + 1));
        if let Some(name) = name {
            push_string(out, name);
            out.push_str(": ");
        }
        push(out, value, depth + 1);
    }
    if !is_empty {
        out.push('\n');
        out.push_str(&INDENT.repeat(depth));
    }
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_indented_and_their_names_are_sorted() {
        let mut pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
        pod = pod.with_label("app", "a\"b").at(12);
        let printed = object(&pod);
        let expected = r#"{
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "labels": {
            "app": "a\"b"
        },
        "name": "web-1",
        "namespace": "default",
        "resourceVersion": "12",
        "uid": "0000000000000000"
    },
    "spec": {
        "nodeName": "node-7"
    }
}
"#;
        assert_eq!(printed, expected);
        let node = Object::new("Node", "", "n").at(3);
        let expected = r#"{
    "apiVersion": "v1",
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": "n",
                "resourceVersion": "3",
                "uid": "0000000000000000"
            }
        }
    ],
    "kind": "List",
    "metadata": {
        "resourceVersion": ""
    }
}
"#;
        assert_eq!(list(&[node.into()]), expected);
        assert!(list(&[]).contains("\"items\": [],\n"));
    }
}
