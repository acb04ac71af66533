//! The dialog of saved runs: opens, names and deletes runs.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::keep::{RunCard, RunId, slot};
use crate::state::Action;
use crate::state::action::RunAct;
use crate::store::use_store;
use crate::words::{common, dialogs as words};

/// The maximum number of characters in a name.
const NAME_CHARS: &str = "80";

#[derive(Clone, PartialEq)]
enum Doing {
    Name(RunId),
    Delete(RunId),
}

#[component]
pub(super) fn Runs() -> Html {
    let store = use_store();
    let doing = use_state_eq(|| None::<Doing>);
    let Some(runs) = &store.ui.runs else {
        return html! { <p role="status">{ words::LOOKING_FOR_RUNS }</p> };
    };
    if runs.is_empty() {
        return html! { <p>{ words::NO_RUNS }</p> };
    }
    let card = |card: &RunCard| {
        let is_here = store.ui.open_run.as_ref() == Some(&card.id);
        let is_named = *doing == Some(Doing::Name(card.id.clone()));
        let is_deleted = *doing == Some(Doing::Delete(card.id.clone()));
        html! {
            <li key={card.id.clone()} class="wg-run" aria-current={is_here.then_some("true")}>
                if is_named {
                    <NameRun card={card.clone()} on_done={reset(&doing)} />
                } else {
                    <button type="button" class="wg-run-open"
                        onclick={store.on_click(Action::Run(RunAct::OpenSaved {
                            id: card.id.clone(),
                            is_forced: false,
                        }))}>
                        <b>{ card.meta.label() }</b>
                        <small>{ about(card) }if is_here { { " · " }{ words::OPEN_NOW } }</small>
                    </button>
                    if is_deleted {
                        <span class="wg-run-ask">{ words::DELETE_QUESTION }</span>
                        <button type="button" class="wg-button is-small"
                            onclick={store.on_click(Action::Run(RunAct::Delete(card.id.clone())))}>
                            { words::DELETE }
                        </button>
                        <button type="button" class="wg-button is-small"
                            onclick={reset(&doing).reform(|_: MouseEvent| ())}>{ words::KEEP }</button>
                    } else {
                        <button type="button" class="wg-button is-small is-quiet"
                            aria-label={words::name_run(card.meta.label())}
                            onclick={begin(&doing, Doing::Name(card.id.clone()))}>{ words::NAME_RUN }</button>
                        if !is_here {
                            <button type="button" class="wg-button is-small is-quiet"
                                aria-label={words::delete_run(card.meta.label())}
                                onclick={begin(&doing, Doing::Delete(card.id.clone()))}>{ words::DELETE_RUN }</button>
                        }
                    }
                }
            </li>
        }
    };
    html! {
        <>
            <p>{ words::ABOUT_RUNS }</p>
            <ol class="wg-runs">{ for runs.iter().map(card) }</ol>
        </>
    }
}

fn begin(doing: &UseStateHandle<Option<Doing>>, what: Doing) -> Callback<MouseEvent> {
    let doing = doing.clone();
    Callback::from(move |_| doing.set(Some(what.clone())))
}

fn reset(doing: &UseStateHandle<Option<Doing>>) -> Callback<()> {
    let doing = doing.clone();
    Callback::from(move |()| doing.set(None))
}

/// Returns a text with the source, the number of typed commands and the time of a run. The number is missing if the
/// user typed nothing, because the commands of a transcript do not count as typed.
fn about(card: &RunCard) -> String {
    let commands = match card.meta.typed {
        0 => String::new(),
        typed => words::commands(typed),
    };
    let named = !card.meta.name.is_empty() && !card.meta.title.is_empty();
    let title = if named { card.meta.title.as_str() } else { "" };
    let source = slot::describe(&card.meta.slot);
    let parts = [title, &source, &commands, &card.when];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

#[derive(Clone, PartialEq, Properties)]
struct NameRunProps {
    card: RunCard,
    on_done: Callback<()>,
}

#[component]
fn NameRun(props: &NameRunProps) -> Html {
    let store = use_store();
    let field = use_node_ref();
    {
        let field = field.clone();
        use_effect_with((), move |()| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                field.focus().ok();
                field.select();
            }
        });
    }
    let on_submit = {
        let (field, id, done) = (field.clone(), props.card.id.clone(), props.on_done.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlInputElement>() {
                let (id, name) = (id.clone(), field.value());
                store.dispatch(Action::Run(RunAct::Name { id, name }));
            }
            done.emit(());
        })
    };
    let on_cancel = props.on_done.reform(|_: MouseEvent| ());
    html! {
        <form class="wg-run-name" onsubmit={on_submit}>
            <input ref={field} type="text" aria-label={words::RUN_NAME} maxlength={NAME_CHARS}
                placeholder={props.card.meta.title.clone()} value={props.card.meta.name.clone()} />
            <button type="submit" class="wg-button is-small">{ words::SAVE }</button>
            <button type="button" class="wg-button is-small is-quiet" onclick={on_cancel}>{ common::CANCEL }</button>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_typed_commands_has_no_number_of_commands() {
        let mut card = RunCard {
            id: "7.1".to_owned(),
            meta: Default::default(),
            when: "today".to_owned(),
        };
        card.meta.slot = "text:0011".to_owned();
        assert!(!about(&card).contains("command"), "{}", about(&card));
        card.meta.typed = 2;
        assert!(about(&card).contains(" · 2 commands · today"));
    }
}
