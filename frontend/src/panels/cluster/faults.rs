//! The faults as buttons: a choice of the member, and what happens to the member. Each button types its command, so the
//! command is in the terminal and in the run.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::MemberState;
use yew::prelude::*;

use crate::state::Action;
use crate::store::StoreHandle;
use crate::widgets::Segmented;

/// Returns the buttons for a member: the label and the command of each.
fn faults(view: &ClusterView, at: usize) -> Vec<(&'static str, String)> {
    let Some(member) = view.members.get(at) else {
        return Vec::new();
    };
    let of = |command: &str| [command, " ", &member.name].concat();
    let is_cut = view.cuts.iter().any(|cut| cut.contains(&(at as u32)));
    let mut all = match member.state {
        MemberState::Stopped => vec![("Start", of("start"))],
        MemberState::Paused => vec![("Resume", of("resume"))],
        _ => {
            let mut all = vec![
                ("Crash", of("crash")),
                ("Stop", of("stop")),
                ("Pause", of("pause")),
            ];
            let leader = member.leader.and_then(|at| view.members.get(at as usize));
            if let (MemberState::Follower, Some(leader)) = (member.state, leader) {
                let command = of("move-leader");
                let command = [&command, " --endpoints=", &leader.name].concat();
                all.push(("Make leader", command));
            }
            all
        }
    };
    if !is_cut {
        all.push(("Cut off", of("fault partition")));
    }
    if !view.cuts.is_empty() {
        all.push(("Heal all links", "heal".to_owned()));
    }
    all
}

#[derive(Clone, PartialEq, Properties)]
pub struct FaultsProps {
    /// The store of the page.
    pub store: StoreHandle,
    /// The number of the chosen member.
    pub chosen: usize,
    /// Called when the user chooses a member.
    pub on_choose: Callback<usize>,
}

/// Renders the buttons.
#[component]
pub fn Faults(props: &FaultsProps) -> Html {
    let store = &props.store;
    let Some(view) = store.views.cluster.as_deref() else {
        return html! {};
    };
    let (at, on_choose) = (props.chosen, props.on_choose.clone());
    let names: Vec<AttrValue> = view.members.iter().map(|m| m.name.clone().into()).collect();
    html! {
        <div class="cl-toolbar" role="group" aria-label="Faults">
            <Segmented label="Member" {names} chosen={Some(at)} {on_choose} />
            { for faults(view, at).into_iter().map(|(label, command)| html! {
                <button key={label} type="button" class="wg-button is-small" title={command.clone()}
                    onclick={store.on_click(Action::Do(Act::Type(command)))}>{ label }</button>
            }) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_buttons_fit_the_state_of_the_member() {
        let mut view = fixture::partitioned();
        let labels = |view: &ClusterView, at: usize| -> Vec<&'static str> {
            faults(view, at)
                .into_iter()
                .map(|(label, _)| label)
                .collect()
        };
        assert_eq!(
            labels(&view, 0),
            ["Crash", "Stop", "Pause", "Heal all links"]
        );
        view.cuts.clear();
        view.members[1].state = MemberState::Stopped;
        assert_eq!(labels(&view, 1), ["Start", "Cut off"]);
        assert_eq!(faults(&view, 1)[1].1, "fault partition etcd-2");
    }
}
