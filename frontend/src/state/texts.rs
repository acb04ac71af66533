//! The texts of stories and lessons. Each text is a file next to the programs. The page fetches a text when a run needs
//! it, and sends the text to the engine.

use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::{Notification, Source};
use watchglass_engine::session::texts;

use super::effect::Effect;
use super::flow::State;

/// Fetches the text that a source names, before the engine requests the text.
pub fn fetch_for(state: &mut State, source: &Source) {
    match source {
        Source::Story(name) => fetch(state, texts::story(name)),
        Source::Lesson(name) if Item::named(name).is_none() => fetch(state, texts::lesson(name)),
        // The engine needs no fetched text for these sources.
        Source::Lesson(_)
        | Source::Empty { .. }
        | Source::Text(_)
        | Source::Saved(_)
        | Source::Link(_)
        | Source::Snapshot { .. } => {}
    }
}

/// Fetches a text, unless this engine has received the text or the page is already fetching it.
pub fn fetch(state: &mut State, name: String) {
    if !state.flow.texts.contains(&name) {
        state.flow.texts.push(name.clone());
        state.effects.push(Effect::Fetch(name));
    }
}

/// Handles the result of fetching a text: the engine resumes the work that waits for the text.
pub fn fetched(state: &mut State, name: String, text: Result<String, String>) {
    let text = match text {
        Ok(text) => Some(text),
        Err(why) => {
            state.flow.texts.retain(|known| *known != name);
            state.flow.text_failure = why;
            None
        }
    };
    state.notify(Notification::Text { name, text });
}
