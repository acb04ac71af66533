//! The theme's colours for the canvas, read again only when the theme changes.

use gloo::events::EventListener;
use web_sys::Element;
use yew::prelude::*;

use crate::draw::tokens::Tokens;
use crate::widgets::shared::Shared;

/// Media queries for the system settings that can change the colours without an action of the page.
const SYSTEM: [&str; 2] = ["(prefers-color-scheme: dark)", "(forced-colors: active)"];

#[hook]
pub fn use_tokens(node: &NodeRef, theme: &'static str) -> Shared<Tokens> {
    let tokens = use_state(Shared::<Tokens>::default);
    let system = use_state_eq(|| 0_u32);
    {
        let system = system.clone();
        use_effect_with((), move |()| {
            let count = std::rc::Rc::new(std::cell::Cell::new(0_u32));
            let listeners: Vec<EventListener> = SYSTEM
                .iter()
                .filter_map(|query| web_sys::window()?.match_media(query).ok()?)
                .map(|media| {
                    let (system, count) = (system.clone(), count.clone());
                    EventListener::new(&media, "change", move |_| {
                        count.set(count.get() + 1);
                        system.set(count.get());
                    })
                })
                .collect();
            move || drop(listeners)
        });
    }
    {
        let (node, tokens) = (node.clone(), tokens.clone());
        use_effect_with((theme, *system), move |_| {
            if let Some(read) = node
                .cast::<Element>()
                .and_then(|element| Tokens::read(&element))
            {
                tokens.set(Shared(std::rc::Rc::new(read)));
            }
        });
    }
    (*tokens).clone()
}
