//! Prints objects in the format of `kubectl get -o json`.
//!
//! Mirrors `json.go` in `k8s.io/cli-runtime/pkg/printers`: names are sorted, and each level is indented by four spaces.

use super::kubectl_tree::Tree;
use crate::base::json::push_string;

pub(super) fn printed(tree: &Tree) -> String {
    let mut out = String::new();
    push(&mut out, tree, 0);
    out.push('\n');
    out
}

/// Returns the JSON of a tree on one line.
pub(super) fn compact(tree: &Tree) -> String {
    let mut out = String::new();
    push_compact(&mut out, tree);
    out
}

fn push_compact(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Text(text) => push_text(out, text),
        Tree::Word(word) => out.push_str(word),
        Tree::List(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                push_compact(out, item);
            }
            out.push(']');
        }
        Tree::Map(fields) => {
            out.push('{');
            for (place, (name, value)) in fields.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                push_text(out, name);
                out.push(':');
                push_compact(out, value);
            }
            out.push('}');
        }
    }
}

fn push(out: &mut String, tree: &Tree, depth: usize) {
    match tree {
        Tree::Text(text) => push_text(out, text),
        Tree::Word(word) => out.push_str(word),
        Tree::List(items) => {
            let items = items.iter().map(|item| (None, item));
            push_inside(out, ['[', ']'], items, depth);
        }
        Tree::Map(fields) => {
            let fields = fields.iter().map(|(name, value)| (Some(name), value));
            push_inside(out, ['{', '}'], fields, depth);
        }
    }
}

/// Appends a string. Go's encoder escapes the characters that have a meaning in HTML.
fn push_text(out: &mut String, text: &str) {
    let mut quoted = String::new();
    push_string(&mut quoted, text);
    for c in quoted.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            c => out.push(c),
        }
    }
}

fn push_inside<'a>(
    out: &mut String,
    [open, close]: [char; 2],
    values: impl ExactSizeIterator<Item = (Option<&'a String>, &'a Tree)>,
    depth: usize,
) {
    const INDENT: &str = "    ";
    out.push(open);
    let is_empty = values.len() == 0;
    for (place, (name, value)) in values.enumerate() {
        out.push_str(if place == 0 { "\n" } else { ",\n" });
        out.push_str(&INDENT.repeat(depth + 1));
        if let Some(name) = name {
            push_text(out, name);
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
    use crate::kube::Object;

    #[test]
    fn characters_of_html_are_escaped() {
        let text = Tree::Text("<a&b> \u{e9}".to_owned());
        assert_eq!(printed(&text), "\"\\u003ca\\u0026b\\u003e \u{e9}\"\n");
    }

    #[test]
    fn objects_are_indented_and_their_names_are_sorted() {
        let mut pod = Object::new("Pod", "default", "web-1").with_field("spec.nodeName", "node-7");
        pod = pod.with_label("app", "a\"b").at(12);
        let json = printed(&Tree::object(&pod));
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
        assert_eq!(json, expected);
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
        assert_eq!(printed(&Tree::list(&[node.into()])), expected);
        assert!(printed(&Tree::list(&[])).contains("\"items\": [],\n"));
    }
}
