//! The newest value of a key, shown as text, as JSON or as bytes, and the Kubernetes object that the value encodes.

use watchglass_engine::view::StoredValue;
use yew::prelude::*;

use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::StoreHandle;
use crate::words::file as words;

/// The number of bytes in one line of the hex dump.
const LINE: usize = 16;
/// The maximum number of bytes in the hex dump.
const DUMP_MAX: usize = 4096;

pub(super) fn value(store: &StoreHandle, value: &StoredValue) -> Html {
    let close = store.on_click(Action::File(FileAct::CloseValue));
    let reveal = store.on_click(Action::File(FileAct::Value {
        key: value.key.clone(),
        shows_secret: true,
    }));
    html! {
        <section class="file-part file-value" aria-label={words::VALUE}>
            <h3>
                <code>{ &value.text }</code>
                <button type="button" class="wg-button is-small" onclick={close}>{ words::CLOSE_VALUE }</button>
            </h3>
            <p>{ words::value(value) }</p>
            if let Some(object) = &value.object {
                <dl class="file-facts">
                    <dt>{ words::OBJECT }</dt><dd>{ [&object.api_version, " ", &object.kind].concat() }</dd>
                    if !object.namespace.is_empty() {
                        <dt>{ words::NAMESPACE }</dt><dd>{ &object.namespace }</dd>
                    }
                    <dt>{ words::NAME }</dt><dd>{ &object.name }</dd>
                </dl>
            }
            if value.is_encrypted {
                <p>{ words::ENCRYPTED }</p>
            }
            if value.is_hidden {
                <p>
                    { words::SECRET }{ " " }
                    <button type="button" class="wg-button is-small" onclick={reveal}>{ words::SHOW_SECRET }</button>
                </p>
            } else if !value.is_deleted {
                { content(&value.value) }
                if (value.value.len() as u64) < value.bytes {
                    <p>{ words::only_first(value.value.len() as u64) }</p>
                }
            }
        </section>
    }
}

/// Renders a value: JSON with indentation, other text unchanged, and any other bytes as a dump.
fn content(bytes: &[u8]) -> Html {
    let text = std::str::from_utf8(bytes).ok();
    let text =
        text.filter(|text| !text.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)));
    html! {
        <>
            if let Some(text) = text {
                <pre class="file-text" tabindex="0">{ indented(text).unwrap_or_else(|| text.to_owned()) }</pre>
            }
            <details open={text.is_none()}>
                <summary>{ words::BYTES }</summary>
                <pre class="file-text" tabindex="0">{ dump(&bytes[..bytes.len().min(DUMP_MAX)]) }</pre>
            </details>
        </>
    }
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

fn dump(bytes: &[u8]) -> String {
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

    #[test]
    fn bytes_are_dumped() {
        assert_eq!(
            dump(b"k8s\0\x0a\xff"),
            "000000  6b 38 73 00 0a ff                                k8s···"
        );
    }
}
