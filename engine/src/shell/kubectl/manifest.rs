//! Reads manifests: objects as YAML or JSON, as `kubectl apply -f -` receives them.
//!
//! Mirrors the part of YAML that manifests use: maps, scalars, quoted texts, blocks (`|`), comments, and several
//! documents. Lists, such as the containers of a pod, are read and dropped, because the simulator's objects have none.

use crate::base::json::{Leaf, read_object};
use crate::kube::object_rules::GENERATE_NAME;
use crate::kube::resource::RESOURCES;
use crate::kube::{Object, Resource, object_rules};

use super::own_namespace;

pub(super) struct ManifestObject {
    pub(super) resource: &'static Resource,
    pub(super) object: Object,
    /// The text of the resource version; empty if the manifest has none.
    pub(super) resource_version: String,
}

/// The names that lead to a value, and the value.
type Value = (Vec<String>, String);

/// The start of kubectl's message for a text without objects.
pub(super) const NO_OBJECTS: &str = "no objects passed";

/// Reads all objects of a text. Objects without a namespace get `namespace`.
///
/// # Errors
/// Returns kubectl's message for a text without an object, or with an object of an unknown kind.
pub(super) fn read(text: &str, namespace: Option<&str>) -> Result<Vec<ManifestObject>, String> {
    let mut objects = Vec::new();
    for document in documents(text) {
        let values = match document.trim_start().starts_with('{') {
            true => json(&document)?,
            false => yaml(&document)?,
        };
        if !values.is_empty() {
            objects.push(object(&values, namespace)?);
        }
    }
    match objects.is_empty() {
        true => Err(NO_OBJECTS.to_owned()),
        false => Ok(objects),
    }
}

/// Splits a text at the lines `---`.
fn documents(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines() {
        if line.trim_end() == "---" {
            all.push(String::new());
            continue;
        }
        let last = all.last_mut().expect("there is always a document");
        last.push_str(line);
        last.push('\n');
    }
    all
}

fn object(values: &[Value], namespace: Option<&str>) -> Result<ManifestObject, String> {
    let value = |path: &[&str]| {
        let is_it = |names: &[String]| names.iter().map(String::as_str).eq(path.iter().copied());
        let found = values.iter().find(|(names, _)| is_it(names));
        found.map_or("", |(_, value)| value.as_str())
    };
    let (kind, version) = (value(&["kind"]), value(&["apiVersion"]));
    let missing = match (version, kind) {
        ("", "") => "[apiVersion not set, kind not set]",
        ("", _) => "apiVersion not set",
        (_, "") => "kind not set",
        _ => "",
    };
    if !missing.is_empty() {
        return Err(format!(
            "error validating \"STDIN\": error validating data: {missing}; if you choose to ignore these errors, turn \
             validation off with --validate=false"
        ));
    }
    let is_it = |one: &&Resource| one.kind == kind && one.api_version == version;
    let resource = RESOURCES.into_iter().find(is_it).ok_or_else(|| {
        format!(
            "resource mapping not found for name: {:?} namespace: {:?} from \"STDIN\": no matches for kind {kind:?} in \
             version {version:?}\nensure CRDs are installed first",
            value(&["metadata", "name"]),
            value(&["metadata", "namespace"]),
        )
    })?;
    let own = match (
        value(&["metadata", "namespace"]),
        namespace,
        resource.is_namespaced,
    ) {
        (_, _, false) => String::new(),
        ("", Some(given), true) => given.to_owned(),
        ("", None, true) => own_namespace(resource),
        (own, Some(given), true) if own != given => {
            return Err(format!(
                "the namespace from the provided object {own:?} does not match the namespace {given:?}. You must pass \
                 '--namespace={own}' to perform this operation."
            ));
        }
        (own, _, true) => own.to_owned(),
    };
    let mut object = Object::new(resource.kind, &own, value(&["metadata", "name"]));
    for (path, value) in values {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["metadata", "labels", name] => object = object.with_label(name, value),
            ["metadata", "annotations", name] => {
                object = object.with_field(&format!("metadata.annotations/{name}"), value);
            }
            ["metadata", "generateName"] => object = object.with_field(GENERATE_NAME, value),
            ["metadata", ..] | ["kind" | "apiVersion"] => {}
            names => object = object.with_field(&names.join("."), value),
        }
    }
    let resource_version = value(&["metadata", "resourceVersion"]).to_owned();
    object.resource_version = object_rules::resource_version(&resource_version).unwrap_or(0);
    Ok(ManifestObject {
        resource,
        object,
        resource_version,
    })
}

fn json(text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    let text = without_lists(text.trim());
    let rest = read_object(&text, &mut |path, leaf| {
        let value = match leaf {
            Leaf::Text(text) => text.into_owned(),
            Leaf::Word("null") => return,
            Leaf::Word(word) => word.to_owned(),
        };
        let path = path.iter().map(|name| name.clone().into_owned());
        values.push((path.collect(), value));
    });
    match rest.map(str::trim) {
        Some("") => Ok(values),
        _ => Err("error parsing STDIN: invalid JSON".to_owned()),
    }
}

/// Returns JSON with `null` in place of each list.
fn without_lists(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut in_quotes, mut is_escaped) = (0, false, false);
    for c in text.chars() {
        let was_in_quotes = in_quotes;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = in_quotes,
            '"' => in_quotes = !in_quotes,
            '[' if !in_quotes => {
                depth += 1;
                if depth == 1 {
                    out.push_str("null");
                }
            }
            _ => {}
        }
        if depth == 0 {
            out.push(c);
        }
        if c == ']' && !was_in_quotes {
            depth -= 1;
        }
    }
    out
}

/// A line of YAML without its comment.
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

fn yaml(text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    // The indent of a list whose lines are dropped.
    let mut list: Option<usize> = None;
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(number, text)| Line {
            number: number + 1,
            indent: text.len() - text.trim_start().len(),
            text: without_comment(text).trim(),
        })
        .peekable();
    while let Some(line) = lines.next() {
        if line.text.is_empty() {
            continue;
        }
        let is_item = line.text == "-" || line.text.starts_with("- ");
        match list {
            Some(indent) if line.indent > indent || is_item && line.indent == indent => continue,
            _ => list = None,
        }
        if is_item {
            list = Some(line.indent);
            continue;
        }
        path.retain(|(indent, _)| *indent < line.indent);
        let (name, value) = key_and_value(line.text).ok_or_else(|| {
            let number = line.number;
            format!("error parsing STDIN: error converting YAML to JSON: yaml: line {number}: could not find expected \
                     ':'")
        })?;
        path.push((line.indent, name));
        let names: Vec<String> = path.iter().map(|(_, name)| name.clone()).collect();
        match value {
            "" => {}
            "|" | "|-" | ">" | ">-" => {
                let mut block: Vec<String> = Vec::new();
                let mut base = None;
                while let Some(next) =
                    lines.next_if(|next| next.indent > line.indent || next.text.is_empty())
                {
                    let base = *base.get_or_insert(next.indent);
                    block.push(format!(
                        "{}{}",
                        " ".repeat(next.indent.saturating_sub(base)),
                        next.text
                    ));
                }
                while block.last().is_some_and(String::is_empty) {
                    block.pop();
                }
                let separator = if value.starts_with('|') { "\n" } else { " " };
                let end = if value.ends_with('-') { "" } else { "\n" };
                values.push((names, format!("{}{end}", block.join(separator))));
            }
            "{}" | "[]" | "null" | "~" => {}
            value if value.starts_with('[') => {}
            value if value.starts_with('{') => values.extend(flow_map(&names, value)),
            value => values.push((names, scalar(value))),
        }
    }
    Ok(values)
}

/// Reads a map on one line, such as `{app: web, tier: front}`.
fn flow_map(path: &[String], text: &str) -> Vec<Value> {
    let inner = text.trim_start_matches('{').trim_end_matches('}');
    let pairs = inner
        .split(',')
        .filter_map(|pair| key_and_value(pair.trim()));
    let values = pairs.map(|(name, value)| ([path, &[name]].concat(), scalar(value)));
    values.collect()
}

/// Splits `name: value`. The name can be quoted.
fn key_and_value(text: &str) -> Option<(String, &str)> {
    if let Some(end) = text.strip_suffix(':').filter(|name| !name.contains(": ")) {
        return Some((scalar(end), ""));
    }
    let (name, value) = text.split_once(": ")?;
    Some((scalar(name), value.trim()))
}

/// Returns the value of a scalar, without its quotes.
fn scalar(text: &str) -> String {
    let text = text.trim();
    let inside = |quote: char| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    if let Some(inner) = inside('"') {
        return inner
            .replace("\\n", "\n")
            .replace("\\\"", "\"")
            .replace("\\\\", "\\");
    }
    inside('\'').map_or(text.to_owned(), |inner| inner.replace("''", "'"))
}

/// Returns a line up to a comment. A `#` inside quotes or a word starts no comment.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if before == ' ' => quote = Some(c),
            (None, '#') if before == ' ' => return &text[..at],
            (None, _) => {}
        }
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: web-1   # a comment
  labels:
    app: \"web\"
spec:
  nodeName: node-1
  containers:
  - name: c
    image: nginx
    env:
    - name: A
  restartPolicy: Never
";

    #[test]
    fn yaml_and_json_are_the_same_objects() {
        let read_one = |text: &str| read(text, None).expect(text).remove(0).object;
        let json = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","labels":{"app":"web"}},
            "spec":{"nodeName":"node-1","containers":[{"name":"]","args":["a"]}],"restartPolicy":"Never"}}"#;
        assert_eq!(read_one(POD), read_one(json));
        assert_eq!(read_one(POD).field("spec.restartPolicy"), "Never");
    }

    #[test]
    fn several_documents_and_blocks() {
        let text = format!(
            "---\n{POD}---\nkind: ConfigMap\napiVersion: v1\nmetadata: {{name: c, labels: {{}}}}\ndata:\n  a.txt: \
             |\n    one\n      two\n  b: 'it''s'\n"
        );
        let objects = read(&text, Some("web")).expect("two objects");
        assert_eq!(objects.len(), 2);
        assert_eq!(&*objects[0].object.namespace, "web");
        assert_eq!(objects[1].object.field("data.a.txt"), "one\n  two\n");
        assert_eq!(objects[1].object.field("data.b"), "it's");
    }

    #[test]
    fn wrong_manifests_are_refused() {
        for (text, error) in [
            ("", "no objects passed"),
            (
                "metadata:\n  name: a\n",
                "error validating data: [apiVersion not set, kind not set];",
            ),
            (
                "kind: Job\napiVersion: batch/v1\n",
                "no matches for kind \"Job\" in version \"batch/v1\"",
            ),
            ("kind Pod\n", "could not find expected ':'"),
            ("{\"kind\":", "invalid JSON"),
            (
                "kind: Pod\napiVersion: v1\nmetadata:\n  namespace: b\n",
                "does not match the namespace \"a\"",
            ),
        ] {
            let found = read(text, Some("a")).err().expect(text);
            assert!(found.contains(error), "{found}");
        }
    }
}
