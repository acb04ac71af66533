//! A task: its conditions and the reasons why they are not met, hints one by one, and the solution as text.

use watchglass_engine::view::{ConditionView, TaskView};
use yew::prelude::*;

use super::runs;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::widgets::{Glyph, Icon};
use crate::words::lesson as words;

/// Renders the task. A solved task shows all conditions as met, even if a later command breaks a condition. A solved
/// task shows no hints, so that the following text has room. `skip` is the action of the button that skips the task.
pub fn task(task: &TaskView, skip: Option<Action>, store: &StoreHandle) -> Html {
    html! {
        <>
            <section class="lesson-task" aria-label={words::TASK}>
                <div class="lesson-task-head">
                    <h3>{ words::TASK }
                        if task.solved { <span class="lesson-solved">{ words::TASK_SOLVED }</span> }</h3>
                    if let Some(action) = skip {
                        <button type="button" class="wg-button is-quiet is-small lesson-skip"
                            title={(action == Action::SkipTask).then_some(words::SKIP_TITLE)}
                            onclick={store.on_click(action)}>{ words::SKIP }</button>
                    }
                </div>
                <ul>{ for task.conditions.iter().map(|met| condition(met, task.solved)) }</ul>
            </section>
            if !task.hints.is_empty() && !task.solved {
                <ol class="lesson-hints" aria-label={words::HINTS}>
                    { for task.hints.iter().map(|hint| html! { <li>{ runs::set(hint) }</li> }) }
                </ol>
            }
            if !task.solution.is_empty() && !task.solved {
                <section class="lesson-solution" aria-label={words::SOLUTION}>
                    <h3>{ words::SOLUTION_HEADING }</h3>
                    { for task.solution.iter().map(|line| html! {
                        <button type="button" class="lesson-command is-next"
                            title={words::TO_TERMINAL}
                            onclick={store.on_click(Action::Terminal(TerminalAct::Type(line.clone())))}>
                            <span class="wg-unseen">{ words::TO_TERMINAL_UNSEEN }</span>
                            <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ runs::code(line) }
                        </button>
                    }) }
                </section>
            }
        </>
    }
}

fn condition(condition: &ConditionView, is_solved: bool) -> Html {
    let is_done = is_done(condition, is_solved);
    let is_given = condition.is_given && !is_done;
    let state = match (is_done, is_given) {
        (true, _) => words::CONDITION_DONE,
        (false, true) => words::CONDITION_GIVEN,
        (false, false) => words::CONDITION_MISSING,
    };
    // A mark alone does not say that a condition held before the learner did anything.
    let class = if is_given {
        "lesson-state"
    } else {
        "wg-unseen"
    };
    html! {
        <li class={classes!("lesson-condition", is_done.then_some("is-ok"), is_given.then_some("is-given"))}>
            <span class="lesson-mark">
                if is_done { <Icon glyph={Glyph::Check} /> }
            </span>
            <div>
                <p><span {class}>{ state }</span>
                    { runs::set(&condition.want) }</p>
                if !condition.ok && !is_done { <p class="lesson-why">{ runs::set(&condition.why) }</p> }
            </div>
        </li>
    }
}

/// Returns true if the task is solved, or if the condition holds and the learner has changed the run since the part
/// began.
fn is_done(condition: &ConditionView, is_solved: bool) -> bool {
    is_solved || (condition.ok && !condition.is_given)
}

/// Returns the status of the task in a sentence.
pub fn state(task: &TaskView) -> String {
    let all = task.conditions.len();
    let ok = task.conditions.iter().filter(|c| c.ok).count();
    let is_given = task.conditions.iter().any(|c| c.is_given);
    match task.conditions.iter().find(|c| !c.ok && !task.solved) {
        None => words::SOLVED.to_owned(),
        Some(open) => {
            let (want, why) = (runs::plain(&open.want), runs::plain(&open.why));
            words::missing(ok, all, is_given, &want, &why)
        }
    }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::{TextRun, TextRunKind};

    use super::*;

    fn says(text: &str) -> Vec<TextRun> {
        vec![TextRun {
            text: text.to_owned(),
            kind: TextRunKind::Plain,
        }]
    }

    #[test]
    fn the_first_thing_that_is_missing_is_said() {
        let holds = ConditionView {
            want: says("There is a key."),
            ok: true,
            ..ConditionView::default()
        };
        let open = ConditionView {
            want: says("The store is at 5."),
            why: says("It is at 4."),
            ..ConditionView::default()
        };
        let mut task = TaskView {
            conditions: vec![holds.clone(), open],
            ..TaskView::default()
        };
        assert_eq!(
            state(&task),
            "1 of 2 conditions met. Still missing: The store is at 5. It is at 4."
        );
        task.conditions[0].is_given = true;
        assert!(
            state(&task).starts_with("1 of 2 conditions already met."),
            "nothing was done yet"
        );
        task.solved = true;
        assert_eq!(state(&task), "Solved.");
        let is_done = |condition| is_done(condition, task.solved);
        assert!(task.conditions.iter().all(is_done), "it stays solved");
        task.conditions[1] = holds;
        assert_eq!(state(&task), "Solved.");
    }
}
