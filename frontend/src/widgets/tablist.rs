//! Tabs: one of them in the tab order, the arrows move between them, round at the ends.

use yew::prelude::*;

use super::roving;

#[derive(Properties, PartialEq)]
pub struct TablistProps {
    /// What is chosen here.
    pub label: &'static str,
    /// The tabs' names.
    pub names: &'static [&'static str],
    /// Begins the ids of the tabs; the panel's id is this and `panel`.
    pub id: &'static str,
    /// The look.
    pub class: &'static str,
    /// The one that is shown.
    pub chosen: usize,
    /// Another one is wanted.
    pub on_choose: Callback<usize>,
}

/// The id of a tab.
pub fn tab_id(id: &str, tab: usize) -> String {
    format!("{id}-tab-{tab}")
}

/// The id of the panel that the tabs control.
pub fn panel_id(id: &str) -> String {
    format!("{id}-panel")
}

/// The tabs; the panel is the caller's.
#[component]
pub fn Tablist(props: &TablistProps) -> Html {
    let (id, chosen, count) = (props.id, props.chosen, props.names.len());
    let row = use_node_ref();
    let onkeydown = {
        let (row, on_choose) = (row.clone(), props.on_choose.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = roving::destination(&event, chosen, count) {
                event.prevent_default();
                event.stop_propagation();
                on_choose.emit(next);
                roving::focus(&row, next);
            }
        })
    };
    html! {
        <div ref={row} class={props.class} role="tablist" aria-label={props.label} {onkeydown}>
            { for props.names.iter().enumerate().map(|(tab, name)| {
                let on_choose = props.on_choose.clone();
                let here = tab == chosen;
                html! {
                    <button key={tab} type="button" role="tab" id={tab_id(id, tab)} aria-controls={panel_id(id)}
                        aria-selected={if here { "true" } else { "false" }} tabindex={if here { "0" } else { "-1" }}
                        onclick={move |_| on_choose.emit(tab)}>
                        { *name }
                    </button>
                }
            }) }
        </div>
    }
}
