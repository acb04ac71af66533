//! The dialog of exports: all files that the run and its picture become for other programs.

use watchglass_engine::session::ExportForm;
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::choices::{Picture, PictureFormat};
use crate::store::{StoreHandle, use_store};
use crate::words::{export as words, topbar};

#[component]
pub(super) fn ExportDialog() -> Html {
    let store = use_store();
    let run = |name, about, form| item(&store, name, about, RunAct::Export(form));
    let picture = |name, about, format| {
        item(
            &store,
            name,
            about,
            RunAct::SavePicture(Picture::View, format),
        )
    };
    html! {
        <div class="wg-export">
            <p>{ words::up_to(store.views.status.step) }</p>
            <h3 class="wg-list-head">{ words::RUN }</h3>
            { run(words::SCRIPT, words::SCRIPT_ABOUT, ExportForm::EtcdctlScript) }
            <h3 class="wg-list-head">{ words::TRACE }</h3>
            { run(words::TRACE_LINES, words::TRACE_LINES_ABOUT, ExportForm::TraceLines) }
            { run(words::PERFETTO, words::PERFETTO_ABOUT, ExportForm::Perfetto) }
            <h3 class="wg-list-head">{ words::PICTURE }</h3>
            { picture(words::SVG, words::SVG_ABOUT, PictureFormat::Svg) }
            { picture(words::PNG, topbar::SAVE_PNG_ABOUT, PictureFormat::Png) }
            <p><small>{ words::ELSEWHERE }</small></p>
        </div>
    }
}

/// Renders a button that saves a file. The dialog stays open, so that a reader can save several files.
fn item(store: &StoreHandle, name: &str, about: &str, act: RunAct) -> Html {
    html! {
        <button type="button" class="wg-list-item" onclick={store.on_click(Action::Run(act))}>
            <span>{ name.to_owned() }</span>
            <small>{ about.to_owned() }</small>
        </button>
    }
}
