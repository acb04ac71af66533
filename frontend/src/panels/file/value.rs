//! A value of a key, shown as text, as JSON, by the numbers of its fields or as bytes, the Kubernetes object that the
//! value encodes, and the other revisions of the key.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::ValueForm;
use watchglass_engine::view::StoredValue;
use watchglass_engine::view::file::value::plain_text;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::use_store;
use crate::words::file_keys as words;

/// The number of bytes in one line of the hex dump.
const LINE: usize = 16;
/// The maximum number of bytes in the hex dump.
const DUMP_MAX: usize = 4096;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct ValueProps {
    pub(super) shown: Rc<StoredValue>,
}

/// Renders a value of a key. The heading gets the focus when the value of another key is shown.
#[component]
pub(super) fn Value(props: &ValueProps) -> Html {
    let store = use_store();
    let value = &props.shown;
    let heading = use_node_ref();
    {
        let heading = heading.clone();
        use_effect_with(value.key.clone(), move |_| {
            let before = gloo::utils::document().active_element();
            focus(heading.cast::<HtmlElement>());
            move || focus(before.and_then(|element| element.dyn_into().ok()))
        });
    }
    let act = |act: FileAct| store.on_click(Action::File(act));
    let show = |at, shows_secret| {
        act(FileAct::Value {
            key: value.key.clone(),
            at,
            shows_secret,
        })
    };
    let save = |form, name: &'static str| {
        html! {
            <button type="button" class="wg-button is-small" onclick={act(FileAct::SaveValue(form))}>{ name }</button>
        }
    };
    let more = value.revision_count - value.revisions.len() as u64;
    html! {
        <section class="file-part file-value" aria-label={words::VALUE}>
            <h3 ref={heading} tabindex="-1">
                <code>{ &value.text }</code>
                <button type="button" class="wg-button is-small" onclick={act(FileAct::CloseValue)}>
                    { words::CLOSE_VALUE }
                </button>
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
            <div class="file-tools" role="group" aria-label={words::IN_THE_FILE}>
                <span>{ words::IN_THE_FILE }</span>
                { for value.revisions.iter().map(|row| {
                    let is_shown = value.at == Some(row.revision);
                    html! {
                        <button key={words::revision(row)} type="button" class="file-name"
                            disabled={row.is_delete || is_shown} aria-current={is_shown.then_some("true")}
                            onclick={show(Some(row.revision), false)}>{ words::revision(row) }</button>
                    }
                }) }
                if more > 0 {
                    <span>{ words::more_revisions(more) }</span>
                }
            </div>
            if value.at.is_some() {
                <div class="file-tools" role="group" aria-label={words::SAVE_AS}>
                    <span>{ words::SAVE_AS }</span>
                    if value.object.is_some() && value.fields.is_empty() {
                        { save(ValueForm::Object, words::AS_OBJECT) }
                    }
                    { save(ValueForm::Script, words::AS_SCRIPT) }
                    { save(ValueForm::Bytes, words::AS_BYTES) }
                </div>
            }
            if value.is_encrypted {
                <p>{ words::ENCRYPTED }</p>
            }
            if value.is_hidden {
                <p>
                    { words::SECRET }{ " " }
                    <button type="button" class="wg-button is-small" onclick={show(value.at, true)}>
                        { words::SHOW_SECRET }
                    </button>
                </p>
            } else if value.at.is_some() {
                { content(value) }
                if (value.value.len() as u64) < value.bytes {
                    <p>{ words::only_first(value.value.len() as u64) }</p>
                }
            }
        </section>
    }
}

fn focus(element: Option<HtmlElement>) {
    if let Some(element) = element {
        element.focus().ok();
    }
}

/// Renders a value: an object as JSON or by the numbers of its fields, other JSON with indentation, other text
/// unchanged, and any other bytes as a dump.
fn content(value: &StoredValue) -> Html {
    let bytes = &value.value[..];
    let text = plain_text(bytes, "\n\r\t");
    let text = match (&*value.json, &*value.fields) {
        ("", "") => text,
        ("", fields) => Some(fields),
        (json, _) => Some(json),
    };
    html! {
        <>
            if !value.fields.is_empty() {
                <p>{ words::BY_NUMBER }</p>
            }
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
