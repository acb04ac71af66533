//! A field for a whole number. The field proposes a number until the user types.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct NumberFieldProps {
    pub(super) label: String,
    /// The number that the field shows until the user types.
    pub(super) proposed: i64,
    pub(super) field: NodeRef,
}

#[component]
pub(super) fn NumberField(props: &NumberFieldProps) -> Html {
    let typed = use_state_eq(|| None::<String>);
    let on_type = {
        let typed = typed.clone();
        move |event: InputEvent| {
            let field = event.target_unchecked_into::<HtmlInputElement>();
            typed.set(Some(field.value()));
        }
    };
    let typed = (*typed).clone();
    let value = typed.unwrap_or_else(|| props.proposed.to_string());
    html! {
        <label>
            { &props.label }
            <input ref={props.field.clone()} class="wg-field is-number" type="text" inputmode="numeric" required=true
                autocomplete="off" {value} oninput={on_type} />
        </label>
    }
}

/// Reads the number in a field. Its digits may have separators. `None` if the text is no whole number from 0.
///
/// The number is read from the field, because the last rendering may be older than the typed text.
pub(super) fn number(field: &NodeRef) -> Option<i64> {
    let text = field.cast::<HtmlInputElement>()?.value();
    let digits: String = text.chars().filter(|c| !",_ ".contains(*c)).collect();
    digits.parse().ok().filter(|number| *number >= 0)
}
