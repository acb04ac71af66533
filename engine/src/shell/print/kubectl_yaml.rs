//! Prints objects in the format of `kubectl get -o yaml`.
//!
//! Mirrors `yaml.go` in `k8s.io/cli-runtime/pkg/printers`, and `sorter.go` in `sigs.k8s.io/yaml/goyaml.v2`: each level
//! of names is indented by two spaces, and a list is not indented. The order of names differs from upstream only for
//! names such as `a10` and `a1b`, whose order contradicts itself upstream.

use std::collections::BTreeMap;

use super::kubectl_tree::Tree;
use super::yaml_string;

const INDENT: usize = 2;

pub(super) fn printed(tree: &Tree) -> String {
    let mut out = String::new();
    push(&mut out, tree, 0);
    out
}

/// Appends a value. The caller has already written the `indent` of the first line.
fn push(out: &mut String, tree: &Tree, indent: usize) {
    match tree {
        Tree::Text(text) => {
            yaml_string::push(out, text, Some(indent));
            out.push('\n');
        }
        Tree::Word(word) => {
            out.push_str(word);
            out.push('\n');
        }
        Tree::List(items) if items.is_empty() => out.push_str("[]\n"),
        Tree::List(items) => {
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    push_spaces(out, indent);
                }
                out.push_str("- ");
                push(out, item, indent + INDENT);
            }
        }
        Tree::Map(fields) if fields.is_empty() => out.push_str("{}\n"),
        Tree::Map(fields) => push_fields(out, fields, indent),
    }
}

fn push_fields(out: &mut String, fields: &BTreeMap<String, Tree>, indent: usize) {
    let mut fields: Vec<(&String, &Tree)> = fields.iter().collect();
    fields.sort_by_cached_key(|(name, _)| parts(name));
    for (place, (name, value)) in fields.into_iter().enumerate() {
        if place > 0 {
            push_spaces(out, indent);
        }
        yaml_string::push(out, name, None);
        out.push(':');
        let is_below = match value {
            Tree::Text(_) | Tree::Word(_) => None,
            Tree::List(items) => (!items.is_empty()).then_some(indent),
            Tree::Map(fields) => (!fields.is_empty()).then_some(indent + INDENT),
        };
        match is_below {
            Some(indent) => {
                out.push('\n');
                push_spaces(out, indent);
                push(out, value, indent);
            }
            None => {
                out.push(' ');
                push(out, value, indent + INDENT);
            }
        }
    }
}

fn push_spaces(out: &mut String, count: usize) {
    out.push_str(&" ".repeat(count));
}

/// A part of a name. When names are sorted, symbols come first, then numbers, then letters.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum NamePart<'a> {
    /// A character that is neither a letter nor a digit.
    Symbol(char),
    /// Digits, which are compared by the value of the number. Of two equal numbers, the number with fewer zeros at its
    /// start is the first.
    Number {
        length: usize,
        /// The digits without the zeros at the start.
        digits: &'a str,
        zeros: usize,
    },
    Letter(char),
}

/// Splits a name into the parts by which names are sorted.
fn parts(name: &str) -> Vec<NamePart<'_>> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_digit = |c: char| c.is_ascii_digit();
        let count = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
        let (number, after) = rest.split_at(count.max(first.len_utf8()));
        rest = after;
        parts.push(match first {
            _ if count > 0 => {
                let digits = number.trim_start_matches('0');
                NamePart::Number {
                    length: digits.len(),
                    digits,
                    zeros: count - digits.len(),
                }
            }
            c if c.is_alphabetic() => NamePart::Letter(c),
            c => NamePart::Symbol(c),
        });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube::Object;

    // kubectl 1.32 has printed the expected texts.

    #[test]
    fn levels_are_indented_and_names_are_sorted() {
        let mut pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
        for name in [
            "a10",
            "a2",
            "a-b",
            "ab",
            "app.kubernetes.io/name",
            "app",
            "true",
            "A",
            "1",
            "a_b",
            "é: é",
            "a02",
        ] {
            pod = pod.with_label(name, "x");
        }
        let expected = r#"apiVersion: v1
kind: Pod
metadata:
  labels:
    "1": x
    A: x
    a-b: x
    a_b: x
    a2: x
    a02: x
    a10: x
    ab: x
    app: x
    app.kubernetes.io/name: x
    "true": x
    'é: é': x
  name: web-1
  namespace: default
  resourceVersion: "12"
  uid: "0000000000000000"
spec:
  nodeName: node-7
"#;
        assert_eq!(printed(&Tree::object(&pod.at(12))), expected);
    }

    #[test]
    fn a_list_is_not_indented() {
        let node = |name: &str| Object::new("Node", "", name).with_uid(0xfeed).at(3).into();
        let expected = r#"apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: a
    resourceVersion: "3"
    uid: 000000000000feed
- apiVersion: v1
  kind: Node
  metadata:
    name: b
    resourceVersion: "3"
    uid: 000000000000feed
kind: List
metadata:
  resourceVersion: ""
"#;
        assert_eq!(printed(&Tree::list(&[node("a"), node("b")])), expected);
        assert!(printed(&Tree::list(&[])).contains("\nitems: []\nkind: List\n"));
    }
}
