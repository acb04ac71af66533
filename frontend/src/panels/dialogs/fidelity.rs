//! The differences between the simulator and etcd: all sections of `docs/fidelity.md`.

use yew::prelude::*;

use crate::panels::terms::with_code;
use crate::state::Action;
use crate::state::choices::View;
use crate::state::contents::{ContentsEntry, ContentsKind};
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::words::dialogs as words;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct FidelityProps {
    /// The view whose simplifications the dialog shows; `None` for all views.
    pub(super) view: Option<View>,
}

#[component]
pub(super) fn Fidelity(props: &FidelityProps) -> Html {
    let store = use_store();
    let palette = &store.ui.palette;
    let of = |kind: ContentsKind| {
        let all = palette.contents.iter().flat_map(|contents| contents.iter());
        all.filter(move |entry| entry.kind == kind)
    };
    let row = |entry: &ContentsEntry| {
        html! { <><dt>{ code(&entry.title) }</dt><dd>{ code(&entry.about) }</dd></> }
    };
    let here = |entry: &&ContentsEntry| {
        let mut views = entry.target.split(", ");
        props
            .view
            .is_none_or(|view| views.any(|name| name.eq_ignore_ascii_case(view.name())))
    };
    let title = match props.view {
        Some(view) => words::simplified_in(view.title()),
        None => words::ALL_SIMPLIFIED.to_owned(),
    };
    html! {
        <>
            <p>{ words::MODEL }</p>
            if palette.has_failed {
                <p role="status">{ words::NO_LIST }</p>
            } else if palette.contents.is_none() {
                <p role="status">{ words::LOADING_LIST }</p>
            } else {
                <h3>{ title }</h3>
                if props.view.is_some_and(|view| !view.is_simplified()) {
                    <p>{ words::NOTHING_SIMPLIFIED }</p>
                }
                <dl class="wg-fidelity">{ for of(ContentsKind::Simplified).filter(here).map(row) }</dl>
                if props.view.is_some() {
                    <button type="button" class="wg-button"
                        onclick={store.on_click(Action::OpenDialog(Dialog::Fidelity(None)))}>
                        { words::FULL_LIST }
                    </button>
                } else {
                    <h3>{ words::VERSIONS }</h3>
                    <dl class="wg-fidelity">{ for of(ContentsKind::Version).map(row) }</dl>
                    <h3>{ words::SAME }</h3>
                    <ul>{ for of(ContentsKind::Same).map(|entry| html! { <li>{ code(&entry.title) }</li> }) }</ul>
                    { for notes(&of(ContentsKind::Note).collect::<Vec<_>>()) }
                }
            }
        </>
    }
}

/// Renders each section of the notes: its heading and its paragraphs.
fn notes<'a>(entries: &'a [&ContentsEntry]) -> impl Iterator<Item = Html> + 'a {
    let sections = entries.chunk_by(|a, b| a.title == b.title);
    sections.map(|section| {
        let heading = section.first().map(|entry| entry.title.clone());
        html! {
            <>
                <h3>{ heading }</h3>
                { for section.iter().map(|entry| html! { <p>{ code(&entry.about) }</p> }) }
            </>
        }
    })
}

fn code(text: &str) -> Html {
    with_code(text, |part| html! { <>{ part }</> })
}
