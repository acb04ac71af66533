//! Tabs: one of them in the tab order, the arrows move between them, round at the ends.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// See the module.
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
    let onkeydown = {
        let on_choose = props.on_choose.clone();
        Callback::from(move |event: KeyboardEvent| {
            let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
            if let Some(next) = after(chosen, count, &event.key()).filter(|_| !modified) {
                event.prevent_default();
                event.stop_propagation();
                on_choose.emit(next);
                let tab = gloo::utils::document().get_element_by_id(&tab_id(id, next));
                if let Some(tab) = tab.and_then(|tab| tab.dyn_into::<HtmlElement>().ok()) {
                    tab.focus().ok();
                }
            }
        })
    };
    html! {
        <div class={props.class} role="tablist" aria-label={props.label} {onkeydown}>
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

/// Where a key leads.
fn after(at: usize, count: usize, key: &str) -> Option<usize> {
    Some(match key {
        "ArrowRight" => (at + 1) % count.max(1),
        "ArrowLeft" => (at + count.max(1) - 1) % count.max(1),
        "Home" => 0,
        "End" => count.saturating_sub(1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn arrows_go_round() {
        assert_eq!(after(0, 3, "ArrowLeft"), Some(2));
        assert_eq!(after(2, 3, "ArrowRight"), Some(0));
        assert_eq!(after(1, 3, "Home"), Some(0));
        assert_eq!(after(1, 3, "End"), Some(2));
        assert_eq!(after(1, 3, "x"), None);
    }
}
