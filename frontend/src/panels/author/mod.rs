//! The page for authors of lessons: an editor with line numbers, the faults that the check found, and the help of the
//! format. The lesson's panel and the picture beside the editor are the preview.

mod editor;
mod help;

use yew::prelude::*;

use crate::widgets::Later;
use crate::widgets::later::{Drawing, Part, later};

/// The editor, whose code is fetched when an author needs it.
#[derive(Clone, Debug, PartialEq)]
struct EditorPart;

impl Part for EditorPart {
    fn draw(self) -> Drawing {
        editor()
    }
}

later! {
    author: fn editor() {
        html! { <editor::Editor /> }
    }
}

#[component]
pub fn Author() -> Html {
    html! {
        <div class="wg-editor">
            <Later<EditorPart> part={EditorPart} />
        </div>
    }
}
