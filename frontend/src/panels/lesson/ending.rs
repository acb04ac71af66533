//! The end of a lesson: its key point, common misconceptions, and further lessons.

use watchglass_engine::session::protocol::LessonAct;
use watchglass_engine::view::LessonEnd;
use yew::prelude::*;

use super::runs;
use crate::panels::ways::way_on;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::words::lesson as words;

pub(super) fn ending(end: &LessonEnd, store: &StoreHandle) -> Html {
    let ways = store.views.status.ways.iter();
    html! {
        <section class="lesson-end" aria-label={words::END}>
            <p class="lesson-aha">{ runs::set(&end.aha) }</p>
            <h3>{ words::MISCONCEPTIONS }</h3>
            <dl>
                { for end.misconceptions.iter().map(|(claim, truth)| html! {
                    <>
                        <dt><span class="lesson-myth">{ words::MYTH }</span>{ runs::set(claim) }</dt>
                        <dd>{ runs::set(truth) }</dd>
                    </>
                }) }
            </dl>
            <h3>{ words::CONTINUE }</h3>
            <ul class="wg-ways">
                { for ways.map(|way| html! { <li>{ way_on(store, way) }</li> }) }
                <li>
                    <button type="button" class="wg-button" title={words::SANDBOX_TITLE}
                        onclick={store.on_click(Action::Lesson(LessonAct::Leave))}>
                        { words::SANDBOX }
                    </button>
                </li>
            </ul>
        </section>
    }
}
