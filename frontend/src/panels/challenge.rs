//! A challenge: the picture of the goal, what is still missing, and the number of commands.

use std::rc::Rc;

use watchglass_engine::session::protocol::{Act, LessonAct};
use watchglass_engine::view::{ChallengeView, LessonCard, TaskView};
use yew::prelude::*;

use crate::panels::index::still;
use crate::panels::lesson::{Head, differs, goal, runs, task};
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::state::ui::Dialog;
use crate::store::use_store;
use crate::words::challenge as words;
use crate::words::{common, lesson};

/// The size in which the picture of the goal is drawn, in CSS pixels. The panel scales the picture.
const PICTURE: (f64, f64) = (236.0, 140.0);

/// The name of the view whose store is compared with the goal.
const INDEX: &str = "index";

#[component]
pub fn ChallengeRail() -> Html {
    let store = use_store();
    let views = store.views.clone();
    let lesson = views.lesson.as_ref();
    let parts =
        lesson.and_then(|lesson| Some((lesson, lesson.challenge.as_ref()?, lesson.task.as_ref()?)));
    let Some((lesson, challenge, task)) = parts else {
        return html! {};
    };
    let cards = &store.ui.challenges;
    let number = cards.iter().position(|card| card.name == lesson.name);
    let (label, next) = following(number, cards);
    let caption = match challenge.picture == INDEX {
        true => words::GOAL_STORE,
        false => words::GOAL,
    };
    let count = words::count(challenge.commands, challenge.par, challenge.best);
    let restart = Action::Terminal(TerminalAct::Do(Act::Reset));
    let is_solution_shown = !task.solution.is_empty();
    html! {
        <aside class="wg-story wg-lesson wg-challenge" aria-label={words::CHALLENGE} id="wg-story">
            <div class="lesson-head">
                <p class="wg-kick">
                    { number.map_or_else(
                        || words::CHALLENGE.to_owned(),
                        |number| words::numbered(number + 1),
                    ) }
                </p>
                <Head can_undo={views.status.can_undo} is_whole={true} />
            </div>
            <div class="wg-story-text wg-fades" tabindex="0" role="region" aria-label={words::TEXT}>
                <h2 class="wg-story-title">{ &lesson.title }</h2>
                <p class="lesson-goal">{ runs::set(&lesson.goal) }</p>
                <figure class="challenge-goal">
                    <figcaption>{ caption }</figcaption>
                    { picture(challenge) }
                </figure>
                <p class="challenge-count" title={words::COUNT_TITLE}>{ &count }</p>
                if differs::is_stuck(task) {
                    <section class="lesson-differs" aria-label={lesson::STUCK}>
                        <p>{ words::STUCK }</p>
                        <button type="button" class="wg-button is-small" onclick={store.on_click(restart)}>
                            { lesson::RESTART }
                        </button>
                    </section>
                }
                { task::task(task, None, &store) }
            </div>
            <p class="wg-unseen" role="status">{ spoken(task, challenge) }</p>
            <div class="wg-story-buttons">
                if !task.solved {
                    // The button keeps the focus when the solution is there.
                    <button type="button" class="wg-button lesson-hint"
                        aria-disabled={is_solution_shown.then_some("true")}
                        onclick={store.on_click(Action::Lesson(LessonAct::Solution))}>{ lesson::SHOW_SOLUTION }</button>
                }
                <span class="wg-spring"></span>
                <button type="button"
                    class={classes!("wg-button", "wg-main-action", task.solved.then_some("is-primary"))}
                    onclick={store.on_click(next)}>{ if task.solved { label } else { lesson::SKIP } }</button>
            </div>
        </aside>
    }
}

/// Draws the goal as the view on the stage draws the run, so that a reader can compare the two.
fn picture(challenge: &ChallengeView) -> Html {
    let Some(index) = challenge
        .goal
        .index
        .as_ref()
        .filter(|_| challenge.picture == INDEX)
    else {
        return goal::draw(&challenge.goal, &challenge.picture);
    };
    let views = Rc::new((*challenge.goal).clone());
    html! {
        <div class="challenge-picture" role="img" aria-label={words::goal_in_words(index)}>
            { still::draw(&views, PICTURE.0, PICTURE.1) }
        </div>
    }
}

/// Returns the text for screen readers: the status of the task, and the number of commands once it is solved.
fn spoken(task: &TaskView, challenge: &ChallengeView) -> String {
    let state = task::state(task);
    match task.solved {
        false if differs::is_stuck(task) => [words::STUCK, " ", &state].concat(),
        true => [
            &state,
            " ",
            &words::count(challenge.commands, challenge.par, challenge.best),
        ]
        .concat(),
        false => state,
    }
}

/// Returns the label and the action of the button that leads to the next challenge, or to the list after the last.
fn following(number: Option<usize>, cards: &[LessonCard]) -> (&'static str, Action) {
    match number.and_then(|number| cards.get(number + 1)) {
        Some(card) => (common::NEXT, Action::OpenLesson(card.name.clone())),
        None => (words::ALL_CHALLENGES, Action::OpenDialog(Dialog::Lessons)),
    }
}
