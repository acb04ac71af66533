//! The note about a run that differs from the lesson's text, with a button to restart.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::LessonView;
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::words::lesson as words;

/// Renders the note: the differences, and a button that restarts from the first difference.
pub(super) fn differs(lesson: &LessonView, store: &StoreHandle) -> Html {
    let Some(differs) = &lesson.differs else {
        return html! {};
    };
    html! {
        <section class="lesson-differs" aria-label={words::DIFFERS}>
            <p>{ words::differences(differs.what.iter().map(|what| runs::set(what)), differs.more) }</p>
            <button type="button" class="wg-button is-small"
                onclick={store.on_click(Action::Do(Act::ResetFrom(differs.from)))}>
                { label(lesson, differs.from) }
            </button>
        </section>
    }
}

/// Returns the label of the button. `from` is the part in which the run began to differ.
fn label(lesson: &LessonView, from: u32) -> String {
    if from == lesson.part {
        return words::RESTART_PART.to_owned();
    }
    match from {
        0 => words::RESTART_LESSON.to_owned(),
        part => words::restart_from_part(part + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_button_leads_to_where_the_run_left_the_text() {
        let lesson = LessonView {
            part: 3,
            ..LessonView::default()
        };
        assert_eq!(label(&lesson, 3), "Restart this part");
        assert_eq!(label(&lesson, 1), "Restart from part 2");
        assert_eq!(label(&lesson, 0), "Restart the lesson");
    }
}
