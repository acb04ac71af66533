//! The generations of a key, newest first, and the selected row.

use watchglass_engine::view::{GenerationView, RevisionView, RowView, Views};
use yew::prelude::*;

use super::fields::Fields;
use crate::widgets::shared::Shared;
use crate::words::index::changes;
use crate::words::inspector as words;

#[derive(Properties, PartialEq)]
pub struct GenerationsProps {
    pub views: Shared<Views>,
    pub on_row: Callback<(i64, i64)>,
}

/// The maximum number of changes per generation that have a button; further changes are only counted.
const REVS_MAX: usize = 60;

/// Shows a card for each generation of a key, and the fields of the selected row.
#[component]
pub fn Generations(props: &GenerationsProps) -> Html {
    let Some(view) = &props.views.key else {
        return Html::default();
    };
    let compacted = props.views.status.compact_revision;
    html! {
        <>
            if view.generations.is_empty() {
                <p class="insp-note">{ words::NOT_INDEXED }</p>
            }
            <ol class="insp-gens" aria-label={words::GENERATIONS}>
                if let Some(number) = view.empty { { empty(number) } }
                { for view.generations.iter().map(|generation| card(generation, view.row.as_ref(), &props.on_row)) }
            </ol>
            if let Some(row) = &view.row {
                <h3 class="insp-title">{ words::row(row) }</h3>
                <Fields row={row.clone()} {compacted} />
            }
        </>
    }
}

fn card(generation: &GenerationView, row: Option<&RowView>, on_row: &Callback<(i64, i64)>) -> Html {
    let holds =
        |rev: &RevisionView| row.is_some_and(|row| (row.main, row.sub) == (rev.main, rev.sub));
    let class = match (generation.alive, generation.place.is_some()) {
        (true, _) => "insp-gen alive",
        (false, true) => "insp-gen",
        (false, false) => "insp-gen forgotten",
    };
    // Show the newest changes, which are still readable.
    let hidden = generation.revs.len().saturating_sub(REVS_MAX);
    let revs = generation.revs.iter().skip(hidden).map(|rev| {
        let on_row = on_row.clone();
        let at = (rev.main, rev.sub);
        let chosen = holds(rev);
        let class = match (rev.forgotten, rev.tombstone) {
            (true, _) => "insp-rev forgotten",
            (false, true) => "insp-rev tomb",
            (false, false) => "insp-rev",
        };
        html! {
            <button key={[at.0.to_string(), at.1.to_string()].join(".")} type="button" {class}
                aria-label={words::change(rev)} aria-pressed={chosen.to_string()} onclick={move |_| on_row.emit(at)}>
                { words::revision(rev.main, rev.sub) }{ if rev.tombstone { "†" } else { "" } }
            </button>
        }
    });
    html! {
        <li key={generation.number} {class}>
            <h3>
                <span>{ words::generation(generation) }</span>
                <span class="insp-ver">{ changes(generation.ver) }</span>
            </h3>
            <dl>
                <dt>{ words::CREATED }</dt>
                <dd>{ &generation.created }</dd>
                <dt>{ words::REVS }</dt>
                <dd class="insp-revs">
                    if hidden > 0 {
                        <span class="insp-note">{ words::older(hidden) }{ " " }</span>
                    }
                    { for revs }
                </dd>
                if let Some(value) = &generation.value {
                    <dt>{ words::CURRENT_VALUE }</dt>
                    <dd class="insp-value">{ value }</dd>
                }
            </dl>
            if generation.place.is_none() {
                <p class="insp-note">{ words::GENERATION_REMOVED }</p>
            }
        </li>
    }
}

/// Renders the generation that a tombstone appends. This generation has no revision yet.
fn empty(number: u32) -> Html {
    html! {
        <li key={number} class="insp-gen empty">
            <h3>
                <span>{ words::empty_generation(number) }</span>
                <span class="insp-ver">{ changes(0) }</span>
            </h3>
            <p class="insp-note">{ words::GENERATION_EMPTY }</p>
        </li>
    }
}
