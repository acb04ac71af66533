//! A choice of one out of a few values: a radio group that looks like one button with several segments
//! (`static/widgets.css`).

use yew::prelude::*;

use super::roving;

#[derive(Properties, PartialEq)]
pub struct SegmentedProps {
    pub label: AttrValue,
    pub names: Vec<AttrValue>,
    /// The index of the current value, if it is one of the given values.
    pub chosen: Option<usize>,
    pub on_choose: Callback<usize>,
    #[prop_or_default]
    pub disabled: bool,
    #[prop_or_default]
    pub class: Classes,
    #[prop_or_default]
    pub title: Option<AttrValue>,
}

#[component]
pub fn Segmented(props: &SegmentedProps) -> Html {
    let row = use_node_ref();
    // If no value is chosen, the first button is in the tab order.
    let at = props.chosen.unwrap_or(0);
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
        <div ref={row} class={classes!("wg-segmented", props.class.clone())} role="radiogroup"
            aria-label={props.label.clone()} title={props.title.clone()} {onkeydown}>
            { for props.names.iter().enumerate().map(|(value, name)| {
                let on_choose = props.on_choose.clone();
                let chosen = props.chosen == Some(value);
                html! {
                    <button key={value} type="button" role="radio" disabled={props.disabled}
                        aria-checked={if chosen { "true" } else { "false" }}
                        tabindex={if at == value { "0" } else { "-1" }}
                        onclick={move |_| on_choose.emit(value)}>
                        { name }
                    </button>
                }
            }) }
        </div>
    }
}
