//! The scrollback of the terminal, which keeps the newest entry visible.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{TerminalEntry, TerminalView};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::entry::Entry;
use crate::hooks::size::use_size;
use crate::state::Action;
use crate::state::action::RunAct;
use crate::state::action::TerminalAct;
use crate::store::use_store;
use crate::widgets::shared::Shared;
use crate::widgets::use_settled;
use crate::words::terminal as words;

/// The minimum height of an entry in pixels: one line.
const ENTRY_HEIGHT: f64 = 18.0;

/// The number of entries above the visible entries, so that the reader can scroll a little.
const ENTRIES_ABOVE: u32 = 4;

#[derive(Clone, PartialEq)]
struct ShownEntry {
    entry: Shared<TerminalEntry>,
    /// The key of the element. When an entry is no longer shown, its element shows another entry, because changing
    /// texts is much faster than creating elements.
    element: u64,
}

#[component]
pub(super) fn Log() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let view = store.views.terminal.as_ref();
    let (_, height) = use_size(&node);
    // While the cursor jumps, every picture has different entries, and rendering many entries would take most of a
    // frame. So the page requests only the entries that fit. New entries above the visible ones are left out, and are
    // rendered when the cursor rests.
    let visible = (height / ENTRY_HEIGHT).ceil().max(1.0) as u32;
    let fits = visible + ENTRIES_ABOVE;
    let last = view.and_then(|view| view.entries.last());
    let last = last.map(|entry| (entry.id, entry.step));
    let renders_all = use_settled(last, !store.ui.instant) == last;
    let newest = match renders_all {
        true => usize::MAX,
        false => visible as usize,
    };
    let kept = use_mut_ref(Vec::new);
    let shown = {
        let cleared_below = store.ui.cleared_below;
        use_memo(
            (Shared(store.views.clone()), cleared_below, newest),
            move |(views, cleared_below, newest)| {
                let mut kept = kept.borrow_mut();
                let listed = listed(views.terminal.as_ref(), *cleared_below);
                *kept = same_again(&kept, &listed, *newest);
                kept.clone()
            },
        )
    };
    let count = listed(view, store.ui.cleared_below).len() as u64;
    let older = view.is_some_and(|view| view.total > count);
    let on_seek = use_memo((), |()| store.on(|to: SeekTo| Action::seek(to)));
    let on_save = use_memo((), |()| {
        store.on(|value| Action::Run(RunAct::SaveSnapshot(value)))
    });
    {
        let store = store.clone();
        use_effect_with((fits, height > 0.0), move |(fits, is_visible)| {
            if *is_visible {
                store.dispatch(Action::Terminal(TerminalAct::Fits(*fits)));
            }
        });
    }
    let pending = store.views.status.pending.as_ref();
    // Scroll to the newest line when an entry arrives, and also when a notice reduces the height.
    let end = (
        shown.last().map(|last| (last.entry.id, last.entry.step)),
        store.ui.running.len(),
        pending.map(|pending| pending.text.len()),
        store.ui.notice.is_some(),
        height as i32,
        // After the terminal has grown, more entries arrive.
        shown.len().min(fits as usize),
        renders_all,
        // A hidden scrollback cannot be scrolled, so scroll again when it becomes visible.
        store.ui.sheet,
        store.ui.sheet_tall,
        store.ui.differences.chosen,
    );
    {
        let node = node.clone();
        use_effect_with(end, move |_| {
            // Most renderings are in an animation frame. The next frame would be too late: until then, the new line
            // would be below the edge.
            if let Some(element) = node.cast::<Element>() {
                element.set_scroll_top(i32::MAX);
                show_found(&element);
            }
        });
    }
    // Every child needs a key: after a child without a key is removed, all later children would be created again.
    let earlier = older.then(|| {
        let (node, store) = (node.clone(), store.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            // The button goes away, and a terminal without the focus would fold.
            if let Some(log) = node.cast::<HtmlElement>() {
                let _ = log.focus();
            }
            store.dispatch(Action::Terminal(TerminalAct::OlderEntries));
        });
        html! {
            <button key="older" type="button" class="wg-button is-quiet is-small wg-older" {onclick}>
                { words::EARLIER }
            </button>
        }
    });
    let last = shown.last().map(|last| &last.entry);
    let is_here = |entry: &&Shared<TerminalEntry>| entry.step == store.views.status.step;
    let here = last.filter(is_here).map(|entry| entry.id);
    let found = store.ui.differences.entry().map(|found| found.entry);
    // Screen readers announce the steps of a story by their sentences, and the commands that the user typed by this
    // element.
    html! {
        <div ref={node} class="wg-log wg-fades" role="log" aria-label={words::LOG} tabindex="0"
            aria-live={if store.ui.dirty && !store.ui.playing { "polite" } else { "off" }}>
            { for earlier }
            { for shown.iter().map(|ShownEntry { entry, element }| html! {
                <Entry key={*element} entry={entry.clone()}
                    on_seek={(*on_seek).clone()} on_save={(*on_save).clone()} found={found == Some(entry.id)}
                    here={Some(entry.id) == here} />
            }) }
            { for pending.map(|pending| html! {
                <div class="wg-entry" key="pending">
                    <div class="wg-command"><span class="wg-dollar">{ "$ " }</span>{ &pending.text }</div>
                </div>
            }) }
            { for store.ui.running.iter().enumerate().map(|(place, text)| html! {
                <div class="wg-entry is-running" key={format!("r{place}")}>
                    <div class="wg-command"><span class="wg-dollar">{ "$ " }</span>{ text }</div>
                </div>
            }) }
        </div>
    }
}

/// The height of the faded edges of the scrollback, in pixels.
const FADED: f64 = 24.0;

/// Scrolls to the beginning of the entry that the reader has chosen among the outputs that differ. Scrolls further if
/// the marked words are below the visible part.
fn show_found(log: &Element) {
    let find = |from: &Element, selector: &str| from.query_selector(selector).ok().flatten();
    let Some(found) = find(log, ".is-found") else {
        return;
    };
    let edges = log.get_bounding_client_rect();
    let entry = found.get_bounding_client_rect();
    let mut down = entry.top() - edges.top();
    let theirs = find(&found, "figure:not(.is-ours) mark").or_else(|| find(&found, "figure"));
    let ours = find(&found, ".is-ours mark").or_else(|| find(&found, ".is-ours pre"));
    if let Some((theirs, ours)) = theirs.zip(ours) {
        let (first, last) = (
            theirs.get_bounding_client_rect(),
            ours.get_bounding_client_rect(),
        );
        let wanted = (last.bottom() + FADED).min(entry.bottom()) - edges.bottom();
        down = down.max(wanted.min(first.top() - FADED - edges.top()));
    }
    log.set_scroll_top(log.scroll_top() + down.floor() as i32);
}

/// Returns the entries that the user has not cleared.
fn listed(view: Option<&TerminalView>, cleared_below: u64) -> Vec<&TerminalEntry> {
    let entries = view.map_or(&[][..], |view| &view.entries);
    entries
        .iter()
        .filter(|entry| entry.id >= cleared_below)
        .collect()
}

/// Returns the entries to show: the `newest` entries, and the entries above them that are already shown; other entries
/// between these are left out. Unchanged entries keep their objects and elements: a step changes only a few entries,
/// and rendering all others again would take most of a frame. New entries get the elements of entries that are no
/// longer shown.
fn same_again(before: &[ShownEntry], entries: &[&TerminalEntry], newest: usize) -> Vec<ShownEntry> {
    let known: BTreeMap<u64, _> = before.iter().map(|shown| (shown.entry.id, shown)).collect();
    let (above, newest) = entries.split_at(entries.len().saturating_sub(newest));
    let above = above.iter().filter(|entry| known.contains_key(&entry.id));
    let entries = above.chain(newest).copied();
    let ids: BTreeSet<u64> = entries.clone().map(|entry| entry.id).collect();
    let mut free = before
        .iter()
        .filter(|shown| !ids.contains(&shown.entry.id))
        .map(|shown| shown.element);
    let mut unused = before
        .iter()
        .map(|shown| shown.element + 1)
        .max()
        .unwrap_or(0)..;
    entries
        .map(|entry| {
            let known = known.get(&entry.id);
            let same = known.filter(|shown| *shown.entry == *entry);
            let element = known.map(|shown| shown.element);
            ShownEntry {
                entry: same.map_or_else(|| Shared(Rc::new(entry.clone())), |s| s.entry.clone()),
                element: element
                    .or_else(|| free.next())
                    .or_else(|| unused.next())
                    .expect("the range of numbers has no end"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, stdout: &str) -> TerminalEntry {
        TerminalEntry {
            id,
            stdout: stdout.to_owned(),
            ..TerminalEntry::default()
        }
    }

    fn view(entries: &[TerminalEntry]) -> TerminalView {
        TerminalView {
            total: 9,
            entries: entries.to_vec(),
            beat: Vec::new(),
            beat_earlier: 0,
        }
    }

    /// Returns the entries to show after `before` if the view has entries with these numbers.
    fn shown(before: &[ShownEntry], ids: &[u64], newest: usize) -> Vec<ShownEntry> {
        let entries: Vec<_> = ids.iter().map(|id| entry(*id, "")).collect();
        same_again(before, &entries.iter().collect::<Vec<_>>(), newest)
    }

    #[test]
    fn what_has_not_changed_is_the_same_entry() {
        let one = [entry(1, "a"), entry(2, "b"), entry(4, "d")];
        let first = same_again(&[], &one.each_ref(), 9);
        let two = [entry(2, "b"), entry(3, "c"), entry(4, "other")];
        let second = same_again(&first, &two.each_ref(), 9);
        let ids: Vec<u64> = second.iter().map(|shown| shown.entry.id).collect();
        assert_eq!(ids, [2, 3, 4]);
        assert!(second[0] == first[1] && second[2] != first[2]);
        assert_eq!(second[2].entry.stdout, "other");
        assert_eq!(
            same_again(&second, &listed(Some(&view(&two)), 3), 9).len(),
            2
        );
        assert!(same_again(&second, &listed(None, 0), 9).is_empty());
    }

    #[test]
    fn new_entries_above_the_count_are_left_out() {
        let ids = |shown: &[ShownEntry]| -> Vec<u64> { shown.iter().map(|s| s.entry.id).collect() };
        let first = shown(&[], &[1, 2, 3], usize::MAX);
        assert_eq!(ids(&first), [1, 2, 3]);
        let step = shown(&first, &[2, 3, 4], 1);
        assert_eq!(ids(&step), [2, 3, 4]);
        let jump = shown(&step, &[6, 7, 8, 9], 2);
        assert_eq!(ids(&jump), [8, 9]);
        assert_ne!(jump[0].element, jump[1].element);
        // The entries 6 and 7 are left out.
        let gap = shown(&step, &[2, 3, 4, 6, 7, 8], 1);
        assert_eq!(ids(&gap), [2, 3, 4, 8]);
        let far = [6, 7, 8, 9].map(|id| entry(id, ""));
        let rest = same_again(&jump, &listed(Some(&view(&far)), 9), 4);
        assert_eq!(ids(&rest), [9]);
    }

    #[test]
    fn a_new_entry_takes_the_element_of_an_entry_that_left() {
        let elements =
            |shown: &[ShownEntry]| -> Vec<u64> { shown.iter().map(|s| s.element).collect() };
        let first = shown(&[], &[1, 2, 3], 9);
        assert_eq!(elements(&first), [0, 1, 2]);
        let second = shown(&first, &[2, 3, 4], 9);
        assert_eq!(elements(&second), [1, 2, 0]);
        let jumped = shown(&second, &[6, 7, 8, 9], 9);
        assert_eq!(elements(&jumped), [1, 2, 0, 3]);
    }
}
