//! A task: its conditions and the reasons why they are not met, hints one by one, and the solution as text.

use watchglass_engine::view::{ConditionView, TaskView};
use yew::prelude::*;

use super::words;
use crate::state::Action;
use crate::store::StoreHandle;
use crate::widgets::{Glyph, Icon};

/// Renders the task. A solved task shows no hints, which leaves room for the following text.
pub(super) fn task(task: &TaskView, store: &StoreHandle) -> Html {
    html! {
        <>
            <section class="lesson-task" aria-label="Your turn">
                <h3>{ "Your turn" }
                    if task.solved { <span class="lesson-solved">{ "solved" }</span> }</h3>
                <ul>{ for task.conditions.iter().map(condition) }</ul>
            </section>
            if !task.hints.is_empty() && !task.solved {
                <ol class="lesson-hints" aria-label="Hints">
                    { for task.hints.iter().map(|hint| html! { <li>{ words::set(hint) }</li> }) }
                </ol>
            }
            if !task.solution.is_empty() && !task.solved {
                <section class="lesson-solution" aria-label="Solution">
                    <h3>{ "One way to do it" }</h3>
                    { for task.solution.iter().map(|line| html! {
                        <button type="button" class="lesson-command is-next"
                            title="Copy to the terminal"
                            onclick={store.on_click(Action::Type(line.clone()))}>
                            <span class="wg-unseen">{ "Copy to the terminal: " }</span>
                            <span class="wg-dollar" aria-hidden="true">{ "$ " }</span>{ words::code(line) }
                        </button>
                    }) }
                </section>
            }
        </>
    }
}

fn condition(condition: &ConditionView) -> Html {
    let is_done = is_done(condition);
    let state = match (is_done, condition.is_given) {
        (true, _) => "Done: ",
        (false, true) => "Already met, do not change this: ",
        (false, false) => "Still missing: ",
    };
    html! {
        <li class={classes!("lesson-condition", is_done.then_some("is-ok"), condition.is_given.then_some("is-given"))}>
            <span class="lesson-mark">
                if is_done { <Icon glyph={Glyph::Check} /> }
            </span>
            <div>
                <p><span class="wg-unseen">{ state }</span>
                    { words::set(&condition.want) }</p>
                if !condition.ok { <p class="lesson-why">{ words::set(&condition.why) }</p> }
            </div>
        </li>
    }
}

/// Returns true if the condition holds and the learner has changed the run since the part began.
fn is_done(condition: &ConditionView) -> bool {
    condition.ok && !condition.is_given
}

/// Returns the status of the task in a sentence.
pub(super) fn state(task: &TaskView) -> String {
    let all = task.conditions.len();
    let ok = task.conditions.iter().filter(|c| is_done(c)).count();
    let counted = format!("{ok} of {all} done. ");
    match task.conditions.iter().find(|c| !c.ok) {
        None => "Solved.".to_owned(),
        Some(_) if task.solved => format!("Solved earlier; now {counted}"),
        Some(open) => {
            let (want, why) = (words::plain(&open.want), words::plain(&open.why));
            format!("{counted}Still missing: {want} {why}")
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
            "1 of 2 done. Still missing: The store is at 5. It is at 4."
        );
        task.conditions[0].is_given = true;
        assert!(
            state(&task).starts_with("0 of 2 done."),
            "nothing was done yet"
        );
        task.solved = true;
        assert!(state(&task).starts_with("Solved earlier"));
        task.conditions[1] = holds;
        assert_eq!(state(&task), "Solved.");
    }
}
