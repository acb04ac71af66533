//! The panel of the Cluster view.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{ClusterMemberView, MemberState};
use yew::prelude::*;

use super::calls::calls;
use super::faults::Faults;
use super::inside::inside;
use super::log::{LogWindow, axis, legend, strip};
use super::map::{Map, WIDTH};
use super::revisions::revisions;
use crate::panels::blank::blank;
use crate::panels::frame::{Frame, use_focused_frame};
use crate::words::cluster as words;

/// The command that the view suggests if there is only one member.
const FIRST: [(&str, &str); 1] = [("world members=3", words::STARTS_CLUSTER)];

/// The minimum width of a drawing area that has the map beside the logs.
const WIDE: f64 = 640.0;
/// The space at both sides of the Cluster view's content, in pixels.
const SIDES: f64 = 28.0;
/// The space between the map and the logs.
const BESIDE: f64 = 16.0;

#[component]
pub fn ClusterPanel() -> Html {
    // A member, an API server or a client; a client's operations have its name, too.
    let frame = use_focused_frame(|_, name| vec![name.to_owned()]);
    let chosen = use_state_eq(|| None::<usize>);
    let view = frame.store.views.cluster.as_deref();
    let view = view.filter(|view| !view.members.is_empty());
    let has_picture = |view: &&ClusterView| view.members.len() > 1 || !view.peers.is_empty();
    let shown = view.filter(has_picture);
    let body = html! {
        if let Some(view) = shown {
            if frame.is_laid_out() {
                { body(&frame, view, &chosen) }
            }
        } else if view.is_some() {
            { blank(&frame.store, words::ONE_MEMBER, words::ABOUT, &FIRST) }
        }
    };
    let caption = view.map(words::figure);
    frame.view(
        words::VIEW,
        caption,
        Some(words::MEMBERS),
        body,
        shown.map(legend),
    )
}

fn body(frame: &Frame, view: &ClusterView, chosen: &UseStateHandle<Option<usize>>) -> Html {
    let (store, room) = (&frame.store, frame.stage.room);
    let whole = room.width - SIDES;
    let map = html! { <Map store={store.clone()} width={whole} font={room.font} /> };
    let history = view.history.as_ref();
    let history = history.map(|history| calls(history, whole, room.font));
    if let [member] = view.members.as_slice() {
        return html! { <div class="cl-body">{ map }{ inside(store, view, member) }{ history }</div> };
    }
    // A map with more nodes than the members needs the whole width.
    let is_alone = view.peers.is_empty();
    let is_wide = room.width >= WIDE && is_alone;
    let beside = if is_wide {
        whole - WIDTH - BESIDE
    } else {
        whole
    };
    // Three logs fit into presenter mode and into a figure.
    let is_low = frame.is_low();
    let window = LogWindow::new(view, beside, room.font, !is_low);
    let newest = words::newest_revision(view);
    let is_leader = |member: &ClusterMemberView| member.state == MemberState::Leader;
    let leader = view.members.iter().position(is_leader);
    let at = chosen
        .or(leader)
        .unwrap_or_default()
        .min(view.members.len() - 1);
    let on_choose = {
        let chosen = chosen.clone();
        Callback::from(move |at: usize| chosen.set(Some(at)))
    };
    let read = view.read.as_ref();
    let read = read.map_or(words::NO_READ.to_owned(), |read| words::read(view, read));
    let faults = html! { <Faults store={store.clone()} chosen={at} {on_choose} /> };
    let faults = match (
        store.ui.is_readonly(),
        store.ui.figure.is_some() || room.width < WIDE,
    ) {
        (true, _) => html! {},
        // A figure and a phone have no room for the buttons above the picture.
        (false, true) => html! {
            <details class="cl-faults"><summary>{ words::FAULTS }</summary>{ faults }</details>
        },
        (false, false) => faults,
    };
    html! {
        <div class="cl-body">
            { faults }
            if !is_alone { { map.clone() } }
            <div class={classes!("cl-members", is_wide.then_some("is-wide"))}>
                if is_alone { { map } }
                <div class="cl-logs">
                    <h3 class={is_low.then_some("wg-unseen")}>{ words::LOG }</h3>
                    { axis(window) }
                    { for view.members.iter().map(|member| row(view, member, newest, window)) }
                </div>
            </div>
            { inside(store, view, &view.members[at]) }
            <section class="cl-read wg-part" aria-label={words::READ}>
                <h3>{ words::READ_HEADING }</h3>
                <p>{ read }</p>
            </section>
            <section class="cl-revisions wg-part" aria-label={words::REVISIONS}>
                <h3>{ words::REVISIONS_HEADING }</h3>
                { revisions(view, whole, room.font) }
            </section>
            { history }
        </div>
    }
}

fn row(view: &ClusterView, member: &ClusterMemberView, newest: i64, window: LogWindow) -> Html {
    html! {
        <section class="cl-member" aria-label={member.name.clone()} data-of={member.name.clone()}>
            <p>
                <b>{ &member.name }</b>
                <span>{ words::state(member.state) }</span>
                if member.is_disk_full { <span class="cl-late">{ words::DISK_FULL }</span> }
                <span>{ words::term(member.term) }</span>
                <span class="cl-indexes">{ words::indexes(member) }</span>
                <span class={(member.revision < newest).then_some("cl-late")}>{ words::revision(member, newest) }</span>
                if let Some(waiting) = words::waiting(member) { <span class="cl-late">{ waiting }</span> }
            </p>
            { strip(view, member, window) }
        </section>
    }
}
