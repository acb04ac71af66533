//! Decodes a row of a key. Values of Secrets are hidden unless the query requests them.

use super::fields::fields_by_number;
use super::{KubeEnvelope, StoredValue, VALUE_BYTES_MAX};
use crate::api::KeyValue;
use crate::kube::object_json::object_json;
use crate::kube::stored_object::{PROTOBUF, Stored};

/// The path segment that the key of every Secret contains.
const SECRETS: &[u8] = b"/secrets/";

/// The number of bytes in one line of a dump.
const LINE: usize = 16;
/// The maximum number of bytes in a dump.
const DUMP_MAX: usize = 4096;

/// Returns the bytes as a text; `None` if they are no text, or contain another control character than `allowed`.
///
/// ```
/// use watchglass_engine::view::file::value::plain_text;
/// assert_eq!(plain_text(b"a\nb", "\n"), Some("a\nb"));
/// assert_eq!(plain_text(b"a\nb", ""), None);
/// assert_eq!(plain_text(b"\xff", ""), None);
/// ```
pub fn plain_text<'a>(bytes: &'a [u8], allowed: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_plain = !text.contains(|c: char| c.is_control() && !allowed.contains(c));
    is_plain.then_some(text)
}

/// Returns the value of a row. Pass `shows_secrets` to include the values of Secrets.
pub fn stored_value(kv: &KeyValue, shows_secrets: bool) -> StoredValue {
    let (object, is_encrypted) = stored_at(&kv.value);
    let is_secret = object
        .as_ref()
        .is_some_and(|object| object.kind == "Secret")
        || kv.key.windows(SECRETS.len()).any(|part| part == SECRETS)
        || is_json_secret(&kv.value);
    let is_hidden = is_secret && !shows_secrets && !kv.value.is_empty();
    let shown = match is_hidden {
        true => 0,
        false => kv.value.len().min(VALUE_BYTES_MAX),
    };
    let json = match !is_hidden && kv.value.len() <= VALUE_BYTES_MAX {
        true => object_json(&kv.value).unwrap_or_default(),
        false => String::new(),
    };
    let fields = match (json.is_empty(), kv.value[..shown].strip_prefix(PROTOBUF)) {
        (true, Some(unknown)) => fields_by_number(unknown),
        _ => String::new(),
    };
    StoredValue {
        key: kv.key.to_vec(),
        text: kv.key.to_text(),
        create_revision: kv.create_revision,
        version: kv.version,
        lease: kv.lease,
        bytes: kv.value.len() as u64,
        is_hidden,
        value: kv.value[..shown].to_vec(),
        json,
        fields,
        object,
        is_encrypted,
        ..StoredValue::default()
    }
}

/// Returns true if the value starts like a Secret in JSON: its first bytes contain the kind `Secret`.
fn is_json_secret(value: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&value[..value.len().min(VALUE_BYTES_MAX)]);
    let compact: String = start.chars().filter(|c| !c.is_whitespace()).collect();
    compact.contains("\"kind\":\"Secret\"")
}

/// Returns the type and the name of the object that a value encodes, and whether the value is encrypted.
pub(super) fn stored_at(value: &[u8]) -> (Option<KubeEnvelope>, bool) {
    let stored = Stored::of(value);
    let envelope = stored.object().map(|object| KubeEnvelope {
        api_version: object.api_version.to_string(),
        kind: object.kind.to_string(),
        namespace: object.namespace.to_string(),
        name: object.name.to_string(),
    });
    (envelope, stored == Stored::Encrypted)
}

/// Returns a value as a text: an object as JSON or by the numbers of its fields, other JSON with indentation, and other
/// text unchanged; `None` if the value is no text.
pub fn readable_text(value: &StoredValue) -> Option<String> {
    let text = match (&*value.json, &*value.fields) {
        ("", "") => plain_text(&value.value, "\n\r\t")?,
        ("", fields) => fields,
        (json, _) => json,
    };
    Some(indented(text).unwrap_or_else(|| text.to_owned()))
}

/// Formats a JSON object or list with one member per line; returns `None` for any other text.
fn indented(text: &str) -> Option<String> {
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')
        || text.starts_with('[') && text.ends_with(']'))
    {
        return None;
    }
    let (mut out, mut depth, mut is_text, mut is_escaped) = (String::new(), 0usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth.min(64)));
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_text {
            out.push(c);
            is_text = c != '"' || is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' => {
                is_text = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.checked_sub(1)?;
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    Some(out)
}

/// Formats the first bytes of a value in hexadecimal digits, with the characters beside them.
///
/// ```
/// use watchglass_engine::view::file::value::dump;
/// let line = "000000  6b 38 73 00 0a ff                                k8s···";
/// assert_eq!(dump(b"k8s\0\x0a\xff"), line);
/// ```
pub fn dump(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(DUMP_MAX)];
    let line = |(at, line): (usize, &[u8])| {
        let digits: String = line.iter().map(|byte| format!("{byte:02x} ")).collect();
        let text: String = line.iter().map(|byte| glyph(*byte)).collect();
        format!("{:06x}  {digits:<48} {text}", at * LINE)
    };
    let lines: Vec<String> = bytes.chunks(LINE).enumerate().map(line).collect();
    lines.join("\n")
}

fn glyph(byte: u8) -> char {
    match byte {
        0x20..0x7f => char::from(byte),
        _ => '·',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented() {
        let text = r#"{"a":[1,{"b":"x,\"y"}],"c":{}}"#;
        let expected =
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,\\\"y\"\n    }\n  ],\n  \"c\": {}\n}";
        assert_eq!(indented(text).as_deref(), Some(expected));
        assert_eq!(indented("plain"), None);
        assert_eq!(indented("]["), None);
    }
}
