//! The end of a lesson: what one should have seen, and what many believe instead.

use watchglass_engine::view::LessonEnd;
use yew::prelude::*;

use super::words;

pub(super) fn ending(end: &LessonEnd) -> Html {
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
        </section>
    }
}
