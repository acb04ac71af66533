//! Evaluates JSONPath templates on the tree of an object.
//!
//! Mirrors `k8s.io/client-go/util/jsonpath/jsonpath.go` with `AllowMissingKeys`: a path to a missing name selects
//! nothing.

use super::kubectl_tree::Tree;
use crate::shell::jsonpath::{JsonPath, PathCompare, PathOperand, PathPart, PathStep};

/// Returns the text of a template for a tree.
///
/// # Errors
/// Returns upstream's message for an index outside of a list.
pub(super) fn printed(path: &JsonPath, tree: &Tree) -> Result<String, String> {
    let mut out = String::new();
    push_parts(&mut out, &path.parts, tree)?;
    Ok(out)
}

/// Returns the values that a single path selects.
///
/// # Errors
/// Returns upstream's message for an index outside of a list.
pub(super) fn values<'a>(path: &JsonPath, tree: &'a Tree) -> Result<Vec<&'a Tree>, String> {
    match path.parts.first() {
        Some(PathPart::Values(steps)) => select(steps, tree),
        _ => Ok(Vec::new()),
    }
}

fn push_parts(out: &mut String, parts: &[PathPart], tree: &Tree) -> Result<(), String> {
    for part in parts {
        match part {
            PathPart::Text(text) => out.push_str(text),
            PathPart::Values(steps) => {
                let texts: Vec<String> = select(steps, tree)?.into_iter().map(text_of).collect();
                out.push_str(&texts.join(" "));
            }
            PathPart::Range(steps, inner) => {
                for value in select(steps, tree)? {
                    push_parts(out, inner, value)?;
                }
            }
        }
    }
    Ok(())
}

fn select<'a>(steps: &[PathStep], tree: &'a Tree) -> Result<Vec<&'a Tree>, String> {
    let mut now = vec![tree];
    for step in steps {
        let mut next = Vec::new();
        for value in now {
            follow(step, value, &mut next)?;
        }
        now = next;
    }
    Ok(now)
}

fn follow<'a>(step: &PathStep, value: &'a Tree, out: &mut Vec<&'a Tree>) -> Result<(), String> {
    match (step, value) {
        (PathStep::Field(name), Tree::Map(fields)) => out.extend(fields.get(name)),
        (PathStep::All, value) => out.extend(children(value)),
        (PathStep::Recursive, value) => push_recursive(value, out),
        (PathStep::Index(index), Tree::List(items)) => {
            let length = items.len() as i64;
            let at = if *index < 0 { index + length } else { *index };
            let found = usize::try_from(at).ok().and_then(|at| items.get(at));
            out.push(found.ok_or_else(|| {
                format!("array index out of bounds: index {at}, length {length}")
            })?);
        }
        (PathStep::Slice(start, end, step), Tree::List(items)) => {
            let length = items.len() as i64;
            let place = |given: i64| if given < 0 { given + length } else { given };
            let start = place(start.unwrap_or(0)).clamp(0, length);
            let end = place(end.unwrap_or(length)).clamp(start, length);
            let chosen = &items[start as usize..end as usize];
            out.extend(chosen.iter().step_by((*step).max(1) as usize));
        }
        (PathStep::Union(paths), value) => {
            for path in paths {
                out.extend(select(path, value)?);
            }
        }
        (PathStep::Filter(left, test), Tree::List(items)) => {
            for item in items {
                if holds(left, test.as_ref(), item)? {
                    out.push(item);
                }
            }
        }
        (
            PathStep::Field(_) | PathStep::Index(_) | PathStep::Slice(..) | PathStep::Filter(..),
            _,
        ) => {}
    }
    Ok(())
}

fn children(value: &Tree) -> Vec<&Tree> {
    match value {
        Tree::Text(_) | Tree::Word(_) => Vec::new(),
        Tree::List(items) => items.iter().collect(),
        Tree::Map(fields) => fields.values().collect(),
    }
}

fn push_recursive<'a>(value: &'a Tree, out: &mut Vec<&'a Tree>) {
    let inner = children(value);
    if !inner.is_empty() {
        out.push(value);
        for child in inner {
            push_recursive(child, out);
        }
    }
}

fn holds(
    left: &PathOperand,
    test: Option<&(PathCompare, PathOperand)>,
    item: &Tree,
) -> Result<bool, String> {
    let value = |operand: &PathOperand| -> Result<Option<String>, String> {
        Ok(match operand {
            PathOperand::Literal(text) => Some(text.clone()),
            PathOperand::Path(steps) => select(steps, item)?.into_iter().next().map(text_of),
        })
    };
    let left = value(left)?;
    let Some((compare, right)) = test else {
        return Ok(left.is_some());
    };
    let (Some(left), Some(right)) = (left, value(right)?) else {
        return Ok(false);
    };
    let numbers: (Result<i64, _>, Result<i64, _>) = (left.parse(), right.parse());
    let order = match numbers {
        (Ok(left), Ok(right)) => left.cmp(&right),
        _ => left.cmp(&right),
    };
    Ok(match compare {
        PathCompare::Equal => order.is_eq(),
        PathCompare::NotEqual => order.is_ne(),
        PathCompare::AtMost => order.is_le(),
        PathCompare::AtLeast => order.is_ge(),
        PathCompare::Less => order.is_lt(),
        PathCompare::Greater => order.is_gt(),
    })
}

/// Returns a value as a template prints it: a text without quotes, anything else as JSON.
fn text_of(value: &Tree) -> String {
    match value {
        Tree::Text(text) | Tree::Word(text) => text.clone(),
        Tree::List(_) | Tree::Map(_) => super::kubectl_json::compact(value),
    }
}

/// Returns a value as Go prints it in a column: `map[a:b]`, `[a b]`.
pub(super) fn column_text(value: &Tree) -> String {
    match value {
        Tree::Text(text) | Tree::Word(text) => text.clone(),
        Tree::List(items) => {
            let items: Vec<String> = items.iter().map(column_text).collect();
            format!("[{}]", items.join(" "))
        }
        Tree::Map(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| format!("{name}:{}", column_text(value)));
            format!("map[{}]", fields.collect::<Vec<String>>().join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kube::Object;

    fn pods() -> Tree {
        let pod = |name: &str, node: &str, rv| {
            let pod = Object::new("Pod", "default", name).with_label("app.io/name", name);
            Arc::new(pod.with_field("spec.nodeName", node).at(rv))
        };
        Tree::list(&[pod("a", "n1", 4), pod("b", "n2", 15)])
    }

    #[test]
    fn templates_of_the_kubectl_documentation() {
        for (template, expected) in [
            ("{.items[*].metadata.name}", "a b"),
            ("{.items[0].metadata.name}", "a"),
            ("{.items[-1:].metadata.name}", "b"),
            ("{.items[0:1].kind}{'!'}", "Pod!"),
            (
                "{range .items[*]}{.metadata.name}{\"\\t\"}{.spec.nodeName}{\"\\n\"}{end}",
                "a\tn1\nb\tn2\n",
            ),
            ("{.items[?(@.spec.nodeName==\"n2\")].metadata.name}", "b"),
            (
                "{.items[?(@.metadata.resourceVersion>5)].metadata.name}",
                "b",
            ),
            ("{..nodeName}", "n1 n2"),
            ("{.items[*]['metadata.name','kind']}", "Pod Pod"),
            (
                "{.items[*].metadata['name','namespace']}",
                "a default b default",
            ),
            ("{.items[0].metadata.labels.app\\.io/name}", "a"),
            ("{.items[0].metadata.labels}", "{\"app.io/name\":\"a\"}"),
            ("{.nosuch}{.kind} is {$.kind}", "List is List"),
            ("plain", "plain"),
        ] {
            let path = JsonPath::parse(template).expect(template);
            assert_eq!(
                printed(&path, &pods()).expect(template),
                expected,
                "{template}"
            );
        }
        let outside = JsonPath::parse("{.items[2].kind}").expect("a path");
        let error = printed(&outside, &pods()).expect_err("two items");
        assert_eq!(error, "array index out of bounds: index 2, length 2");
    }

    #[test]
    fn incomplete_templates_are_refused() {
        for (template, error) in [
            ("{.a", "unclosed action"),
            ("{.a[0}", "unterminated array"),
            ("{range .items[*]}{.a}", "unterminated range, missing end"),
            ("{end}", "not in range, nothing to end"),
            ("{%}", "unrecognized character in action: U+0025 '%'"),
            ("{.a[x]}", "invalid array index x"),
        ] {
            assert_eq!(JsonPath::parse(template).expect_err(template), error);
        }
        assert!(JsonPath::parse_relaxed("{.a}{.b}").is_err());
        assert_eq!(JsonPath::parse_relaxed("a.b"), JsonPath::parse("{.a.b}"));
    }
}
