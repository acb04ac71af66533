//! A modal dialog. The browser's own `<dialog>` element traps the focus, returns the focus afterwards, and closes with
//! Esc.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use super::{Glyph, Icon};
use crate::words::widgets as words;

#[derive(Clone, PartialEq, Properties)]
pub struct ModalProps {
    pub title: AttrValue,
    #[prop_or_default]
    pub class: Classes,
    pub on_close: Callback<()>,
    #[prop_or_default]
    pub children: Html,
}

#[component]
pub fn Modal(props: &ModalProps) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>()
                && !dialog.open()
            {
                dialog.show_modal().ok();
            }
        });
    }
    let close = {
        let on_close = props.on_close.clone();
        Callback::from(move |_: MouseEvent| on_close.emit(()))
    };
    let closed = {
        let on_close = props.on_close.clone();
        Callback::from(move |_: Event| on_close.emit(()))
    };
    html! {
        <dialog ref={dialog} class={classes!("wg-dialog", props.class.clone())}
            aria-labelledby="wg-dialog-title" onclose={closed}>
            <header>
                <h2 id="wg-dialog-title">{ &props.title }</h2>
                <button type="button" class="wg-button is-quiet is-icon" aria-label={words::CLOSE}
                    onclick={close}><Icon glyph={Glyph::Close} /></button>
            </header>
            <div class="wg-dialog-body wg-fades">{ props.children.clone() }</div>
        </dialog>
    }
}
