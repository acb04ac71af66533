//! The form for the keys with which the values of API servers are decrypted.

use std::rc::Rc;

use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::writers::KindOfValue;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::state::Action;
use crate::state::file_panel::FileAct;
use crate::store::use_store;
use crate::words::file_writers as words;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct DecryptionProps {
    pub(super) overview: Rc<FileOverview>,
}

/// Renders the form, if the file has encrypted values.
#[component]
pub(super) fn Decryption(props: &DecryptionProps) -> Html {
    let store = use_store();
    let field = use_node_ref();
    let kinds = props.overview.writers.kinds.iter();
    let encrypted = kinds.filter(|kind| kind.name == KindOfValue::Encrypted);
    let (decrypted, others) = (
        props.overview.decrypted,
        encrypted.map(|kind| kind.revisions).sum(),
    );
    if decrypted + others == 0 {
        return html! {};
    }
    // The keys are in the field alone, and not in the state of the page.
    let on_submit = {
        let (store, field) = (store.clone(), field.clone());
        move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                store.dispatch(Action::File(FileAct::Decrypt(field.value())));
            }
        }
    };
    html! {
        <section class="file-part" aria-label={words::DECRYPT}>
            <h3>{ words::DECRYPT }</h3>
            <p role="status">{ words::encrypted(decrypted, others) }</p>
            <form onsubmit={on_submit}>
                <label>
                    { words::KEYS }
                    <textarea ref={field} class="wg-field file-keys-field" rows="3" required=true spellcheck="false"
                        autocomplete="off" autocapitalize="off" />
                </label>
                <button type="submit" class="wg-button">{ words::DECRYPT_BUTTON }</button>
            </form>
            <p>{ words::KEYS_STAY }</p>
        </section>
    }
}
