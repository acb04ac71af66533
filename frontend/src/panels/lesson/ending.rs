//! The end of a lesson: its key point, common misconceptions, and further lessons.

use watchglass_engine::session::protocol::LessonAct;
use watchglass_engine::view::LessonEnd;
use yew::prelude::*;

use super::words;
use crate::panels::ways::way_on;
use crate::state::Action;
use crate::store::StoreHandle;

pub(super) fn ending(end: &LessonEnd, store: &StoreHandle) -> Html {
    let ways = store.views.status.ways.iter();
    html! {
        <section class="lesson-end" aria-label="Key points">
            <p class="lesson-aha">{ words::set(&end.aha) }</p>
            <h3>{ "Common misconceptions" }</h3>
            <dl>
                { for end.misconceptions.iter().map(|(claim, truth)| html! {
                    <>
                        <dt><span class="lesson-myth">{ "Myth: " }</span>{ words::set(claim) }</dt>
                        <dd>{ words::set(truth) }</dd>
                    </>
                }) }
            </dl>
            <h3>{ "Continue with" }</h3>
            <ul class="wg-ways">
                { for ways.map(|way| html! { <li>{ way_on(store, way) }</li> }) }
                <li>
                    <button type="button" class="wg-button" title="Opens this run without the lesson, as a new run"
                        onclick={store.on_click(Action::Lesson(LessonAct::Leave))}>
                        { "The sandbox, with this store" }
                    </button>
                </li>
            </ul>
        </section>
    }
}
