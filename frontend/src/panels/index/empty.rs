//! The text that the Index view shows if there is nothing to draw.

use yew::prelude::*;

use crate::panels::terms::code_words;
use crate::words::{common, index as words};

/// The reason why there is nothing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum EmptyReason {
    /// The store is empty and the run ends here.
    Fresh { first: Option<String> },
    /// The store is empty and the run continues.
    Begins {
        /// The command of the run's next step.
        next: Option<String>,
    },
    /// No key contains the filter's text.
    Filtered { filter: String },
}

#[derive(Properties, PartialEq)]
pub struct EmptyProps {
    pub reason: EmptyReason,
    /// Whether the picture shows a read, whose label stays visible above the text.
    pub has_read: bool,
    pub on_exec: Callback<String>,
    pub on_filter: Callback<String>,
}

/// The command that is suggested to new users.
pub const FIRST: &str = "put /key1 value1";

/// Renders the reason why there is nothing to draw, and a button for the next action.
#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    let class = classes!("loom-empty", props.has_read.then_some("is-below"));
    match &props.reason {
        EmptyReason::Fresh { first } => {
            let on_exec = |first: &str| {
                let (on_exec, first) = (props.on_exec.clone(), first.to_owned());
                move |_| on_exec.emit(first.clone())
            };
            html! {
                <div {class}>
                    <p class="loom-empty-title">{ words::NOTHING_WRITTEN }</p>
                    <p>{ words::ABOUT }</p>
                    if let Some(first) = first {
                        <button type="button" class="loom-first" onclick={on_exec(first)}>
                            <code>{ first }</code>
                        </button>
                    }
                </div>
            }
        }
        EmptyReason::Begins { next } => html! {
            <div {class}>
                <p class="loom-empty-title">{ words::NOTHING_WRITTEN }</p>
                if let Some(next) = next {
                    <p>{ common::next(code_words(next)) }</p>
                }
            </div>
        },
        EmptyReason::Filtered { filter } => {
            let on_filter = props.on_filter.clone();
            html! {
                <div {class}>
                    <p class="loom-empty-title">{ words::no_key_contains(filter) }</p>
                    <button type="button" class="loom-first" onclick={move |_| on_filter.emit(String::new())}>
                        { words::SHOW_ALL_KEYS }
                    </button>
                </div>
            }
        }
    }
}
