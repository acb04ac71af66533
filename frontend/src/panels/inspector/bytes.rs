//! One row as the backend stores it: the bucket key and the encoded `KeyValue`, byte by byte.
//!
//! Hovering or focusing a byte marks its explanation in the list, and vice versa. Each kind of part has its own edge,
//! so that the marking does not depend on colour.

use watchglass_engine::view::{FieldView, Views};
use yew::prelude::*;

use super::copy::{Copied, CopyButton};
use super::fields::{Gone, gloss};
use super::hex;
use crate::panels::terms::breaking_after;
use crate::widgets::shared::Shared;
use crate::words::inspector as words;

#[derive(Properties, PartialEq)]
pub struct BytesProps {
    pub views: Shared<Views>,
    /// The oldest readable revision.
    pub compacted: i64,
}

/// The offset of the sub revision in a bucket key. A new line begins there.
pub const SUB_AT: usize = 9;

#[component]
pub fn BytesView(props: &BytesProps) -> Html {
    let Some(row) = props.views.key.as_ref().and_then(|view| view.row.as_ref()) else {
        return html! { <p class="insp-note">{ words::NO_ROW }</p> };
    };
    html! {
        <>
            <h3 class="insp-title">{ words::row(row) }</h3>
            <HexBlock title={words::bucket_key(row)} bytes={row.bucket_key.clone()}
                parts={row.bucket_key_parts.clone()} break_at={SUB_AT} />
            if row.gone {
                <Gone compacted={props.compacted} />
            } else {
                <HexBlock title={words::value(row)} break_at={0} bytes={row.value.clone()}
                    parts={row.value_parts.clone()} />
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct HexBlockProps {
    pub title: String,
    pub bytes: Vec<u8>,
    pub parts: Vec<FieldView>,
    /// The byte at which a new line begins; 0 breaks lines only where the width requires it.
    pub break_at: usize,
}

/// Renders a byte string and the explanation of its parts.
#[component]
pub fn HexBlock(props: &HexBlockProps) -> Html {
    let marked = use_state_eq(|| None::<usize>);
    let mark = |part: Option<usize>| {
        let marked = marked.clone();
        move || marked.set(part)
    };
    let cells = props.bytes.iter().enumerate().map(|(at, value)| {
        let part = hex::part_of(&props.parts, at);
        let edge = part.and_then(|part| props.parts.get(part)).map_or((false, false), |part| {
            (part.start as usize == at, part.end as usize == at + 1)
        });
        let mut class = String::from("insp-byte");
        if let Some(part) = part {
            class.push_str(if part % 2 == 0 { " even" } else { " odd" });
        }
        for (yes, name) in [(edge.0, " first"), (edge.1, " last"), (part.is_some() && part == *marked, " marked")] {
            if yes {
                class.push_str(name);
            }
        }
        let enter = mark(part);
        // The style sheet shows the character below the digits, so that each byte needs one node instead of three.
        html! {
            <>
            if at > 0 && at == props.break_at {
                <span class="insp-break"></span>
            }
            <span key={at} {class} data-glyph={hex::glyph(*value).to_string()} onmouseenter={move |_| enter()}>
                { hex::byte(*value) }
            </span>
            </>
        }
    });
    let rows = props.parts.iter().enumerate().map(|(index, part)| {
        let (enter, focus, leave) = (mark(Some(index)), mark(Some(index)), mark(None));
        let range = if part.end == part.start + 1 {
            part.start.to_string()
        } else {
            [part.start.to_string(), part.end.saturating_sub(1).to_string()].join("–")
        };
        html! {
            <li key={index} tabindex="0" class={if *marked == Some(index) { "marked" } else { "" }}
                onmouseenter={move |_| enter()} onfocus={move |_| focus()} onblur={move |_| leave()}>
                <span class="insp-range">{ range }</span>
                <span class="insp-part">
                    <b>{ &part.name }</b>{ " " }<code>{ breaking_after(&part.text, &['/']) }</code>
                    if let Some(gloss) = gloss(&part.name) {
                        <span class="insp-gloss">{ gloss }</span>
                    }
                </span>
            </li>
        }
    });
    let leave = mark(None);
    html! {
        <section class="insp-hex" aria-label={props.title.clone()} onmouseleave={move |_| leave()}>
            <div class="insp-line">
                <h4>{ &props.title }</h4>
                <CopyButton text={hex::text(&props.bytes)} what={Copied::Bytes} />
            </div>
            <div class="insp-bytes" role="img" aria-label={hex::text(&props.bytes)}>{ for cells }</div>
            <ul class="insp-parts" aria-label={words::MEANING_OF_BYTES}>{ for rows }</ul>
        </section>
    }
}
