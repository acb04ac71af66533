//! A button that leads to a further lesson, story or scenario.

use watchglass_engine::session::protocol::{SeekTo, Source};
use watchglass_engine::session::stories;
use watchglass_engine::view::WayView;
use yew::prelude::*;

use crate::address::of_scenario;
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::action::ViewAct;
use crate::state::choices::View;
use crate::store::StoreHandle;

/// Renders the button. A lesson, a story or the Lab opens in this page. Any other scenario is a link that loads the
/// page again, because the text of such a scenario is fetched only when a page starts.
pub fn way_on(store: &StoreHandle, way: &WayView) -> Html {
    let (target, title) = (&way.target, way.title.clone());
    if target.contains('/') {
        let href = of_scenario(target, None, store.ui.presenting.is_some());
        return html! { <a class="wg-button" {href} {title}>{ &way.title }</a> };
    }
    html! {
        <button type="button" class="wg-button" onclick={store.on_click(action(target))} {title}>
            { &way.title }
        </button>
    }
}

fn action(target: &str) -> Action {
    if target == View::Lab.name() {
        return Action::View(ViewAct::Show(View::Lab));
    }
    match stories::ALL.iter().any(|story| story.name == target) {
        true => Action::Run(RunAct::Open(
            Source::Story(target.to_owned()),
            SeekTo::Step(0),
        )),
        false => Action::OpenLesson(target.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_the_lab_a_story_or_a_lesson() {
        assert!(matches!(
            action("lab"),
            Action::View(ViewAct::Show(View::Lab))
        ));
        assert!(matches!(
            action("slow-client"),
            Action::Run(RunAct::Open(Source::Story(name), SeekTo::Step(0))) if name == "slow-client"
        ));
        assert!(matches!(action("L04"), Action::OpenLesson(name) if name == "L04"));
    }
}
