//! The key's entry in the key index, as JSON.

use yew::prelude::*;

use super::copy::{Copied, CopyButton};
use crate::words::inspector as words;

/// The number of spaces per nesting level.
const INDENT: usize = 2;

/// The maximum length of an object or array on a single line, in bytes.
const LINE: usize = 36;

/// The properties of the component that shows a key's entry in the key index.
#[derive(Properties, PartialEq)]
pub struct JsonProps {
    /// The JSON text of the entry; empty if the key index does not contain the key.
    pub json: String,
    /// Whether the key index contains the key.
    pub indexed: bool,
}

/// Renders the JSON of the entry, with a button that copies the JSON.
#[component]
pub fn JsonView(props: &JsonProps) -> Html {
    if !props.indexed || props.json.is_empty() {
        return html! {
            <p class="insp-note">{ words::NO_ENTRY }</p>
        };
    }
    html! {
        <>
            <div class="insp-line">
                <span class="insp-note">{ words::ENTRY }</span>
                <CopyButton text={props.json.clone()} what={Copied::Json} />
            </div>
            <pre class="insp-json" tabindex="0" aria-label={words::ENTRY_AS_JSON}>{ indented(&props.json) }</pre>
        </>
    }
}

/// Formats JSON with one member per line. A short object or array that contains no further object or array stays on one
/// line.
fn indented(json: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut flat, mut in_string, mut escaped) = (0_usize, 0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth * INDENT));
    };
    for (at, c) in json.char_indices() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' if flat > 0 || is_short(&json[at + 1..]) => {
                flat += 1;
                out.push(c);
            }
            '}' | ']' if flat > 0 => {
                flat -= 1;
                out.push(c);
            }
            '{' | '[' => {
                depth += 1;
                out.push(c);
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' if flat == 0 => {
                out.push(c);
                line(&mut out, depth);
            }
            ',' | ':' => {
                out.push(c);
                out.push(' ');
            }
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// Returns true if the object or array that begins here is short and contains no further object or array.
fn is_short(rest: &str) -> bool {
    let end = rest.find(['{', '[', '}', ']']);
    end.is_some_and(|end| end <= LINE && rest[end..].starts_with(['}', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_lines_and_short_objects_one() {
        let json = concat!(
            r#"{"key":"/a{\"b","modified":{"main":5,"sub":0},"#,
            r#""generations":[{"ver":1,"revs":[{"main":5,"sub":0}]},{}]}"#
        );
        let expected = r#"{
  "key": "/a{\"b",
  "modified": {"main": 5, "sub": 0},
  "generations": [
    {
      "ver": 1,
      "revs": [
        {"main": 5, "sub": 0}
      ]
    },
    {}
  ]
}"#;
        assert_eq!(indented(json), expected);
    }
}
