//! The inside of one member: its parts in the order in which a request passes them. The parts that the newest step used
//! are marked, and most parts are buttons that open the view of the part.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{ClusterMemberView, MemberPart};
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::ViewAct;
use crate::state::choices::View;
use crate::store::StoreHandle;
use crate::words::cluster as words;

/// The parts in the order of the picture, each with the view that its button opens.
const PARTS: [(MemberPart, Option<View>); 7] = [
    (MemberPart::Api, Some(View::Messages)),
    (MemberPart::Raft, None),
    (MemberPart::Apply, None),
    (MemberPart::Mvcc, Some(View::Index)),
    (MemberPart::Backend, Some(View::Storage)),
    (MemberPart::Watchers, Some(View::Watch)),
    (MemberPart::Lessor, None),
];

pub fn inside(store: &StoreHandle, view: &ClusterView, member: &ClusterMemberView) -> Html {
    html! {
        <section class="cl-inside wg-part" aria-label={words::INSIDE}>
            <h3>{ words::inside(view, member) }</h3>
            <ol>{ for PARTS.into_iter().map(|(part, leads)| part_of(store, member, part, leads)) }</ol>
        </section>
    }
}

fn part_of(
    store: &StoreHandle,
    member: &ClusterMemberView,
    part: MemberPart,
    leads: Option<View>,
) -> Html {
    let is_active = member.inside.active.contains(&part);
    let name = words::part(part);
    let content = words::part_content(member, part);
    let text = html! {
        <>
            <b>{ name }</b>
            <span>{ content }</span>
            if is_active { <span class="wg-unseen">{ words::USED }</span> }
        </>
    };
    html! {
        <li class={is_active.then_some("is-active")}>
            if let Some(view) = leads {
                <button type="button" title={words::open_view(view.title())}
                    onclick={store.on_click(Action::View(ViewAct::Show(view)))}>{ text }</button>
            } else {
                <div>{ text }</div>
            }
        </li>
    }
}
