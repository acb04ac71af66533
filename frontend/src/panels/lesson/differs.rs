//! The notes about a store that differs from the lesson's store, with a button to restart.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::{LessonView, TaskView};
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::words::lesson as words;

/// Renders the note: the differences, and a button that restarts from the first difference. If the part does not fit
/// the run, this note has no button, because the note above the part has the button.
pub(super) fn differs(lesson: &LessonView, store: &StoreHandle) -> Html {
    let Some(differs) = &lesson.differs else {
        return html! {};
    };
    html! {
        <section class="lesson-differs" aria-label={words::DIFFERS}>
            <p>{ words::differences(differs.what.iter().map(|what| runs::set(what)), differs.more) }</p>
            if lesson.misfit.is_none() { { restart(lesson, differs.from, store) } }
        </section>
    }
}

/// Renders the note about a task that cannot be solved with this run, or a question whose choices do not contain the
/// actual answer.
pub(super) fn misfit(lesson: &LessonView, store: &StoreHandle) -> Html {
    let Some(from) = lesson.misfit else {
        return html! {};
    };
    let is_task = lesson.task.is_some();
    html! {
        <section class="lesson-differs lesson-misfit" aria-label={words::MISFIT}>
            <p>{ if is_task { words::MISFIT_TASK } else { words::MISFIT_QUESTION } }</p>
            { restart(lesson, from, store) }
        </section>
    }
}

/// Renders the note about a task whose solution no longer works after the learner's commands.
pub(super) fn stuck(lesson: &LessonView, store: &StoreHandle) -> Html {
    if !lesson.task.as_ref().is_some_and(is_stuck) {
        return html! {};
    }
    html! {
        <section class="lesson-differs" aria-label={words::STUCK}>
            <p>{ words::STUCK_TASK }</p>
            { restart(lesson, lesson.part, store) }
        </section>
    }
}

/// Returns true if the task is open and its solution no longer works.
pub fn is_stuck(task: &TaskView) -> bool {
    task.is_stuck && !task.solved
}

fn restart(lesson: &LessonView, from: u32, store: &StoreHandle) -> Html {
    html! {
        <button type="button" class="wg-button is-small"
            onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::ResetFrom(from))))}>
            { label(lesson, from) }
        </button>
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
