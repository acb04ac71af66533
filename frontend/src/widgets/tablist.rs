//! Tabs: only one tab is in the tab order; the arrow keys move between the tabs and wrap around.

use yew::prelude::*;

use super::roving;

#[derive(Properties, PartialEq)]
pub struct TablistProps {
    pub label: &'static str,
    pub names: &'static [&'static str],
    /// The prefix of the tabs' ids; the panel's id is this prefix followed by `panel`.
    pub id: &'static str,
    pub class: &'static str,
    pub chosen: usize,
    pub on_choose: Callback<usize>,
}

pub fn tab_id(id: &str, tab: usize) -> String {
    format!("{id}-tab-{tab}")
}

/// Returns the id of the panel that the tabs control.
pub fn panel_id(id: &str) -> String {
    format!("{id}-panel")
}

/// Renders the list of tabs; the caller renders the panel.
#[component]
pub fn Tablist(props: &TablistProps) -> Html {
    let (id, chosen) = (props.id, props.chosen);
    let row = use_node_ref();
    let onkeydown = {
        let (row, on_choose) = (row.clone(), props.on_choose.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = roving::destination(&event, &row) {
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
