//! The buttons that cause faults: a choice of the member, and one button for each fault. Each button types its command,
//! so the command appears in the terminal and becomes part of the run.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{ClusterMemberView, MemberState};
use yew::prelude::*;

use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::store::StoreHandle;
use crate::widgets::Segmented;
use crate::words::cluster as words;

/// Returns the buttons for a member: the label of each, and its command if the command fits the member's state. The
/// list of buttons never changes, so that no button moves or loses the focus.
fn faults(view: &ClusterView, at: usize) -> [(&'static str, Option<String>); 9] {
    let member = view.members.get(at);
    let of = |command: &str, fits: bool| {
        let member = member.filter(|_| fits)?;
        Some([command, " ", &member.name].concat())
    };
    let state = member.map_or(MemberState::Stopped, |member| member.state);
    let runs = !matches!(state, MemberState::Stopped | MemberState::Paused);
    let leader = member.and_then(|member| view.members.get(member.leader? as usize));
    let leader = leader.filter(|_| state == MemberState::Follower);
    let is_full = member.is_some_and(|member| member.is_disk_full);
    let can_heal = !view.cuts.is_empty() || view.members.iter().any(|member| member.is_disk_full);
    let is_cut = view.cuts.iter().any(|cut| cut.contains(&(at as u32)));
    let to_leader = |leader: &ClusterMemberView| {
        Some([&of("move-leader", true)?, " --endpoints=", &leader.name].concat())
    };
    [
        (words::CRASH, of("crash", runs)),
        (words::STOP, of("stop", runs)),
        (words::START, of("start", state == MemberState::Stopped)),
        (words::PAUSE, of("pause", runs)),
        (words::RESUME, of("resume", state == MemberState::Paused)),
        (words::MAKE_LEADER, leader.and_then(to_leader)),
        (words::CUT_OFF, of("fault partition", !is_cut)),
        (words::FILL_DISK, of("fault disk-full", runs && !is_full)),
        (words::HEAL_ALL, can_heal.then(|| "heal".to_owned())),
    ]
}

/// Returns the buttons for the links and the clock of a member: the label and the command of each.
fn more_faults(view: &ClusterView, at: usize) -> Vec<(&'static str, String)> {
    let name = view.members.get(at).map_or("", |member| &member.name);
    let of = |start: &str, end: &str| [start, name, end].concat();
    vec![
        (words::DELAY, of("net ", " delay 200ms")),
        (words::LOSE, of("net ", " loss 1/10")),
        (words::DUPLICATE, of("net ", " dup 1/10")),
        (words::CUT_OFF_ONE_WAY, of("fault partition --one-way ", "")),
        (
            words::FAST_CLOCK,
            of("clock ", " offset 0ms drift 100000 ppm"),
        ),
        (words::SLOW_DISKS, "cost fsync=200ms".to_owned()),
    ]
}

#[derive(Clone, PartialEq, Properties)]
pub struct FaultsProps {
    pub store: StoreHandle,
    pub chosen: usize,
    pub on_choose: Callback<usize>,
}

#[component]
pub fn Faults(props: &FaultsProps) -> Html {
    let store = &props.store;
    let Some(view) = store.views.cluster.as_deref() else {
        return html! {};
    };
    let (at, on_choose) = (props.chosen, props.on_choose.clone());
    let names: Vec<AttrValue> = view.members.iter().map(|m| m.name.clone().into()).collect();
    let button = |label: &'static str, command: Option<String>| {
        let is_off = command.is_none().then_some("true");
        let onclick = command.clone().map(|command| {
            let (store, on_choose) = (store.clone(), on_choose.clone());
            Callback::from(move |_: MouseEvent| {
                // The member stays chosen even if the command ends its leadership.
                on_choose.emit(at);
                store.dispatch(Action::Terminal(TerminalAct::Do(Act::Type(
                    command.clone(),
                ))));
            })
        });
        html! {
            <button key={label} type="button" class="wg-button is-small" title={command} translate="no"
                aria-disabled={is_off} {onclick}><span translate="yes">{ label }</span></button>
        }
    };
    html! {
        <div class="cl-toolbar" role="group" aria-label={words::FAULTS}>
            // Each child needs a key: without a key, a change of the buttons would create this choice again.
            <Segmented key="member" label={words::MEMBER} {names} chosen={Some(at)} on_choose={on_choose.clone()} />
            { for faults(view, at).into_iter().map(|(label, command)| button(label, command)) }
            <details key="more" class="cl-more">
                <summary>{ words::MORE_FAULTS }</summary>
                <div class="cl-toolbar">
                    { for more_faults(view, at).into_iter().map(|(label, command)| button(label, Some(command))) }
                </div>
            </details>
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
                .filter_map(|(label, command)| command.map(|_| label))
                .collect()
        };
        assert_eq!(
            labels(&view, 0),
            ["Crash", "Stop", "Pause", "Fill disk", "Heal all"]
        );
        view.cuts.clear();
        assert!(!labels(&view, 1).contains(&"Heal all"));
        view.members[2].is_disk_full = true;
        assert!(labels(&view, 1).contains(&"Heal all") && !labels(&view, 2).contains(&"Fill disk"));
        view.members[2].is_disk_full = false;
        view.members[1].state = MemberState::Stopped;
        assert_eq!(labels(&view, 1), ["Start", "Cut off"]);
        let commands: Vec<String> = faults(&view, 1)
            .into_iter()
            .filter_map(|(_, command)| command)
            .collect();
        assert_eq!(commands, ["start etcd-2", "fault partition etcd-2"]);
    }
}
