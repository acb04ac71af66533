//! What the stage says while there is nothing to draw.

use yew::prelude::*;

/// Why there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum EmptyReason {
    /// The store is empty and the run ends here.
    Fresh {
        /// The command that is offered.
        first: Option<String>,
    },
    /// The store is empty and the run goes on; what comes next.
    Begins {
        /// The command of the next step.
        next: Option<String>,
    },
    /// No key contains the filter's text.
    Filtered {
        /// That text.
        filter: String,
    },
}

/// See [`EmptyReason`].
#[derive(Properties, PartialEq)]
pub struct EmptyProps {
    /// Why.
    pub reason: EmptyReason,
    /// Runs a command.
    pub on_exec: Callback<String>,
    /// Changes the filter.
    pub on_filter: Callback<String>,
}

/// The command a newcomer is offered.
pub const FIRST: &str = "put /key1 value1";

/// A sentence and a way on.
#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    match &props.reason {
        EmptyReason::Fresh { first } => {
            let on_exec = |first: &str| {
                let (on_exec, first) = (props.on_exec.clone(), first.to_owned());
                move |_| on_exec.emit(first.clone())
            };
            html! {
                <div class="loom-empty">
                    <p class="loom-empty-title">{ "Nothing written yet" }</p>
                    <p>{ "Each key will get a lane, each write a bead at its revision." }</p>
                    if let Some(first) = first {
                        <button type="button" class="loom-first" onclick={on_exec(first)}>
                            <code>{ first }</code>
                        </button>
                    }
                </div>
            }
        }
        EmptyReason::Begins { next } => html! {
            <div class="loom-empty">
                <p class="loom-empty-title">{ "Nothing written yet" }</p>
                if let Some(next) = next {
                    <p>{ "Next: " }<code>{ next }</code></p>
                }
            </div>
        },
        EmptyReason::Filtered { filter } => {
            let on_filter = props.on_filter.clone();
            html! {
                <div class="loom-empty">
                    <p class="loom-empty-title">{ "No key contains " }<code>{ filter }</code></p>
                    <button type="button" class="loom-first" onclick={move |_| on_filter.emit(String::new())}>
                        { "Show all keys" }
                    </button>
                </div>
            }
        }
    }
}
