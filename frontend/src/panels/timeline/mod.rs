//! The bottom of the page: the transport row and the run as a line.

mod bins;
mod curves;
mod marks;
mod scale;
mod track;
mod transport;

use yew::prelude::*;

pub use track::Track;
pub use transport::{Buttons, SpeedChoice};

#[component]
pub fn Timeline() -> Html {
    html! {
        <section class="wg-time" aria-label="Time">
            <transport::Transport />
            <track::Track />
        </section>
    }
}
