//! The segmented control: three tabs, one in the tab order, the arrows move between them.

use web_sys::HtmlElement;
use yew::prelude::*;

/// A way to look at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// As lives.
    Generations,
    /// As the index holds it.
    Json,
    /// As the backend holds one row.
    Bytes,
}

impl Tab {
    const ALL: [Tab; 3] = [Tab::Generations, Tab::Json, Tab::Bytes];

    /// Its element.
    pub fn id(self) -> &'static str {
        match self {
            Tab::Generations => "insp-tab-generations",
            Tab::Json => "insp-tab-json",
            Tab::Bytes => "insp-tab-bytes",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tab::Generations => "Generations",
            Tab::Json => "JSON",
            Tab::Bytes => "Bytes",
        }
    }

    /// Where an arrow leads; round at the ends.
    fn after(self, key: &str) -> Option<Tab> {
        let at = Tab::ALL.iter().position(|tab| *tab == self)?;
        let to = match key {
            "ArrowRight" => (at + 1) % Tab::ALL.len(),
            "ArrowLeft" => (at + Tab::ALL.len() - 1) % Tab::ALL.len(),
            "Home" => 0,
            "End" => Tab::ALL.len() - 1,
            _ => return None,
        };
        Tab::ALL.get(to).copied()
    }
}

/// See the module.
#[derive(Properties, PartialEq)]
pub struct TabsProps {
    /// The one that is shown.
    pub tab: Tab,
    /// Another one is wanted.
    pub on_tab: Callback<Tab>,
}

/// The control.
#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let current = props.tab;
    let onkeydown = {
        let on_tab = props.on_tab.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = current.after(&event.key()) {
                event.prevent_default();
                event.stop_propagation();
                on_tab.emit(next);
                let element = gloo::utils::document().get_element_by_id(next.id());
                if let Some(button) =
                    element.and_then(|e| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(e).ok())
                {
                    button.focus().ok();
                }
            }
        })
    };
    html! {
        <div class="insp-tabs" role="tablist" aria-label="How to look at the key" {onkeydown}>
            { for Tab::ALL.into_iter().map(|tab| {
                let on_tab = props.on_tab.clone();
                let chosen = tab == current;
                html! {
                    <button key={tab.id()} type="button" role="tab" id={tab.id()} aria-controls="insp-panel"
                        aria-selected={chosen.to_string()} tabindex={if chosen { "0" } else { "-1" }}
                        onclick={move |_| on_tab.emit(tab)}>
                        { tab.name() }
                    </button>
                }
            }) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_round() {
        assert_eq!(Tab::Generations.after("ArrowLeft"), Some(Tab::Bytes));
        assert_eq!(Tab::Bytes.after("ArrowRight"), Some(Tab::Generations));
        assert_eq!(Tab::Json.after("Home"), Some(Tab::Generations));
        assert_eq!(Tab::Json.after("x"), None);
    }
}
