//! The timeline at the bottom of the page: the playback controls and the track.

mod bins;
mod curves;
mod marks;
mod scale;
mod track;
mod transport;

use yew::prelude::*;

use crate::words::timeline as words;
pub use track::Track;
pub use transport::{Buttons, SpeedChoice};

#[component]
pub fn Timeline() -> Html {
    html! {
        <section class="wg-time" aria-label={words::TIMELINE}>
            <transport::Transport />
            <track::Track />
        </section>
    }
}
