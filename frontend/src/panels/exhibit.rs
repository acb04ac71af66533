//! An exhibit of the museum: the issue of the bug that a run shows, the releases with the bug and with the fix, and a
//! link to the same beat of the run with the other behaviour.

use watchglass_engine::view::ExhibitView;
use yew::prelude::*;

use crate::address::of_scenario;
use crate::store::StoreHandle;
use crate::words::museum as words;

pub fn exhibit(store: &StoreHandle, exhibit: &ExhibitView) -> Html {
    let status = &store.views.status;
    let presents = store.ui.presenting.is_some();
    let href = of_scenario(&exhibit.other, Some(status.beat.number), presents);
    let label = match exhibit.is_fixed {
        true => words::SEE_BROKEN,
        false => words::SEE_FIXED,
    };
    html! {
        <div class="wg-exhibit">
            <p>
                <a href={exhibit.link.clone()} target="_blank" rel="noopener">{ &exhibit.issue }</a>
                { " · " }{ words::releases(&exhibit.broken_in, &exhibit.fixed_in) }
            </p>
            <a class="wg-button is-small" {href}>{ label }</a>
            <a href={museum_page(&exhibit.other)}>{ words::SIDE_BY_SIDE }</a>
        </div>
    }
}

/// Returns the place of an exhibit on the page that shows both runs of each exhibit. `run` is one of its runs.
fn museum_page(run: &str) -> String {
    let name = run.trim_start_matches("museum/").trim_end_matches("_fixed");
    ["museum.html#", name].concat()
}
