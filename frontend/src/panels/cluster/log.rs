//! The log of a member as a strip: one cell for each entry. Cells with the same index are aligned in all strips.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{ClusterMemberView, ENTRIES_MAX, LogEntryView, MemberState};
use yew::prelude::*;

use super::peers::wire_class;
use crate::draw::marks;
use crate::draw::surface::{num, within};
use crate::draw::{Font, Identity, Marks, Rect, order, pt, svg_path, text};
use crate::words::cluster as words;

/// The class and the name of each kind of entry.
const ENTRY_KINDS: [(&str, &str); 4] = [
    ("cl-entry is-applied", words::APPLIED),
    ("cl-entry is-committed", words::COMMITTED),
    ("cl-entry", words::NOT_COMMITTED),
    ("cl-entry is-conflicting", words::CONFLICTS),
];

/// The minimum and the maximum width of the cell of a log entry. If a log has few entries, the cells are wider, because
/// few cells share the whole width.
const CELL: (f64, f64) = (60.0, 104.0);
/// The distance between two cells.
const GAP: f64 = 6.0;
/// The height of the cell of a log entry.
const HIGH: f64 = 32.0;
/// The space above and below the cells, for the marks of the committed and the applied index.
const ASIDE: f64 = 16.0;
/// The height of the axis of indexes.
const AXIS: f64 = 16.0;

/// The range of log indexes that the pictures of the logs show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogWindow {
    first: u64,
    cells: u64,
    cell: f64,
    width: f64,
    font: Font,
    /// Whether there is room for the mark of the applied index below the cells.
    has_applied: bool,
}

impl LogWindow {
    /// Returns the newest indexes that fit into a width. If `has_applied` is false, the pictures are lower and do not
    /// mark the applied index: only the filled cells show which entries are applied.
    pub fn new(view: &ClusterView, width: f64, font: Font, has_applied: bool) -> Self {
        let room = ((width + GAP) / (CELL.0 + GAP)).max(1.0) as u64;
        let end = view.last_index + 1;
        // A log does not contain the entries with which the cluster was created.
        let entries = view.members.iter().flat_map(|member| &member.entries);
        let oldest = entries.map(|entry| entry.index).min().unwrap_or(end);
        let first = end.saturating_sub(room.min(ENTRIES_MAX)).max(oldest);
        let cells = end - first;
        // The mark of the newest index is beside its cell.
        let wide = (width - GAP) / cells.max(1) as f64 - GAP;
        Self {
            first,
            cells,
            cell: within(wide, CELL.0, CELL.1),
            width,
            font,
            has_applied,
        }
    }

    fn shows(self, index: u64) -> bool {
        (self.first..self.first + self.cells).contains(&index)
    }

    fn x(self, index: u64) -> f64 {
        (index - self.first) as f64 * (self.cell + GAP)
    }

    /// Returns the number of characters that fit into a cell.
    fn room(self) -> usize {
        self.font.cells(self.cell - 6.0)
    }

    fn height(self) -> f64 {
        let below = if self.has_applied { ASIDE } else { GAP };
        ASIDE + HIGH + below
    }
}

fn class(view: &ClusterView, member: &ClusterMemberView, entry: &LogEntryView) -> &'static str {
    let entries = view.members.iter().flat_map(|other| &other.entries);
    let newer = |other: &LogEntryView| other.index == entry.index && other.term > entry.term;
    if entry.index <= member.applied {
        "cl-entry is-applied"
    } else if entry.index <= member.committed {
        "cl-entry is-committed"
    } else if entries.into_iter().any(newer) {
        "cl-entry is-conflicting"
    } else {
        "cl-entry"
    }
}

/// Returns the text of a cell for `room` characters. Neighbouring entries usually differ in the end of the key or in a
/// short value. Therefore, the function first cuts a long value and then, if necessary, the beginning of the key.
fn label(said: &str, room: usize) -> String {
    if text::cells(said) <= room {
        return said.to_owned();
    }
    let Some((key, value)) = said.split_once('=') else {
        return text::middle(said, room);
    };
    if text::cells(value) <= room / 2 {
        let end = text::take(said.chars().rev(), room.saturating_sub(1));
        return "…".chars().chain(end.chars().rev()).collect();
    }
    let without_value = [key, "=…"].concat();
    match text::cells(&without_value) <= room {
        true => without_value,
        false => text::ending(key, room),
    }
}

fn scene(view: &ClusterView, member: &ClusterMemberView, window: LogWindow) -> Marks {
    let end = window.x(window.first + window.cells) - GAP;
    let middle = ASIDE + HIGH / 2.0;
    let mut all = Marks::default();
    if window.cells == 0 {
        all.text(
            "cl-none",
            pt(0.0, middle + 4.0),
            words::no_entries_after(view.last_index),
        );
        return all;
    }
    all.level("cl-lane", 0.0, end, middle);
    for entry in member
        .entries
        .iter()
        .filter(|entry| window.shows(entry.index))
    {
        let x = window.x(entry.index);
        let class = class(view, member, entry);
        let is_filled = entry.index <= member.applied;
        let names = match is_filled {
            true => ["cl-label is-filled", "cl-term is-filled"],
            false => ["cl-label", "cl-term"],
        };
        let label = label(&entry.label, window.room());
        let centre = x + window.cell / 2.0;
        let term = words::term(entry.term);
        let id = format!("{}/{}.{}", member.name, entry.index, entry.term);
        // The leader appends an entry before its followers do.
        let at = match member.state {
            MemberState::Leader => order::MESSAGE,
            _ => order::STORE,
        };
        all.part(Identity::new("entry", &id, at).pops(), |all| {
            all.rect(class, Rect::new(x, ASIDE, window.cell, HIGH), 6.0);
            all.text(names[0], pt(centre, ASIDE + 14.0), label);
            all.text(names[1], pt(centre, ASIDE + 27.0), term);
        });
    }
    let mut bracket = |index: u64, is_above: bool, name: &str| {
        if !window.shows(index) {
            return;
        }
        let x = window.x(index) + window.cell + GAP / 2.0;
        let (from, to) = match is_above {
            true => (5.0, middle),
            false => (2.0 * ASIDE + HIGH - 6.0, middle),
        };
        let d = svg_path!(M x - 8.0, from; L x, from; L x, to);
        let y = if is_above {
            11.0
        } else {
            2.0 * ASIDE + HIGH - 4.0
        };
        all.part(Identity::new(name, &member.name, order::WATCHER), |all| {
            all.path("cl-bracket", d);
            all.text("cl-bracket-name", pt(x - 11.0, y), name);
        });
    };
    bracket(member.committed, true, "committed");
    if window.has_applied {
        bracket(member.applied, false, "applied");
    }
    all
}

pub fn strip(view: &ClusterView, member: &ClusterMemberView, window: LogWindow) -> Html {
    html! {
        <svg class="cl-svg" width={num(window.width)} height={num(window.height())} aria-hidden="true">
            { marks::draw(&scene(view, member, window)) }
            { for member.entries.iter().filter_map(|entry| whole(entry, window)) }
        </svg>
    }
}

/// Renders the tooltip of a cell that shows only a part of its text. The tooltip is the whole text.
fn whole(entry: &LogEntryView, window: LogWindow) -> Option<Html> {
    let is_cut = text::cells(&entry.label) > window.room();
    (window.shows(entry.index) && is_cut).then(|| {
        html! {
            <rect class="cl-whole" x={num(window.x(entry.index))} y={num(ASIDE)} width={num(window.cell)}
                height={num(HIGH)}><title>{ &entry.label }</title></rect>
        }
    })
}

/// Renders the axis of indexes. If there is no heading above the axis, the first number has a label that says what the
/// numbers are.
pub fn axis(window: LogWindow) -> Html {
    let indexes = window.first..window.first + window.cells;
    let mut all = Marks::default();
    for index in indexes {
        let x = window.x(index) + window.cell / 2.0;
        let said = match window.has_applied || index > window.first {
            true => text::count(index),
            false => words::index(index),
        };
        all.part(Identity::of("index", index, order::AXIS), |all| {
            all.text("cl-index", pt(x, 12.0), said);
        });
    }
    all.svg("cl-svg", window.width, AXIS)
}

/// The kinds of lines between a node and its servers.
const WIRES: [(&str, &str); 3] = [
    ("cl-wire is-watching", words::WATCHING),
    ("cl-wire", words::REQUESTS),
    ("cl-wire is-closed", words::NOT_CONNECTED),
];

/// Renders the legend of the entries in the logs, and of the rings around members on the map.
pub fn legend(view: &ClusterView) -> Html {
    legend_of(&legend_kinds(view))
}

/// Returns the class and the name of each kind of entry in the logs and, if there are any, of the rings around members
/// and of the lines between nodes.
fn legend_kinds(view: &ClusterView) -> Vec<(&'static str, &'static str)> {
    let is_shown = |kind: &str| {
        let has = |member: &ClusterMemberView| {
            let mut entries = member.entries.iter();
            entries.any(|entry| class(view, member, entry) == kind)
        };
        view.members.iter().any(has)
    };
    let confirms = view.read.as_ref();
    let confirms = confirms.map(|_| ("cl-confirms", words::CONFIRMED));
    let kinds = ENTRY_KINDS.into_iter().filter(|(kind, _)| is_shown(kind));
    let wires = WIRES.into_iter().filter(|(kind, _)| {
        let mut all = view.peers.iter().flat_map(|peer| &peer.connections);
        all.any(|connection| wire_class(connection) == *kind)
    });
    kinds.chain(confirms).chain(wires).collect()
}

/// Renders a legend of rectangles: the class and the name of each.
pub(super) fn legend_of(kinds: &[(&'static str, &'static str)]) -> Html {
    html! {
        <ul class="wg-legend">
            { for kinds.iter().map(|&(class, name)| html! {
                <li>{ sample(class).svg("cl-svg", 22.0, 14.0) }{ name }</li>
            }) }
        </ul>
    }
}

/// A ring, like the rings around members, or a rectangle, like the cells of a log.
fn sample(class: &'static str) -> Marks {
    let mut sample = Marks::default();
    match class {
        class if WIRES.iter().any(|(wire, _)| *wire == class) => {
            sample.level(class, 1.0, 21.0, 7.0);
        }
        "cl-confirms" => sample.circle(class, pt(11.0, 7.0), 6.0),
        class => sample.rect(class, Rect::new(1.0, 1.0, 20.0, 12.0), 3.0),
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::draw::Mark;

    fn classes(member: usize) -> Vec<&'static str> {
        let view = fixture::partitioned();
        let window = LogWindow::new(&view, 500.0, Font::of(0.6), true);
        let all = scene(&view, &view.members[member], window);
        let rects = all.flat().filter_map(|mark| match mark {
            Mark::Rect(class, ..) => Some(*class),
            _ => None,
        });
        rects.collect()
    }

    #[test]
    fn an_entry_of_an_older_term_is_in_conflict() {
        assert_eq!(classes(0).last(), Some(&"cl-entry is-conflicting"));
        assert_eq!(classes(2).last(), Some(&"cl-entry is-applied"));
    }

    #[test]
    fn a_label_keeps_a_short_value_and_the_end_of_its_key() {
        let said = |said: &str| label(said, 8);
        assert_eq!(said("a=1"), "a=1");
        assert_eq!(said("/a/17=xxxxxxxx"), "/a/17=…");
        assert_eq!(said("/config/web=v1"), "…/web=v1");
        assert_eq!(said("/config/authentication=v1"), "…tion=v1");
        assert_eq!(said("/config/web=xxxxxxxx"), "…/web");
        assert_eq!(said("conf change"), "con…ange");
    }

    #[test]
    fn the_legend_names_only_what_the_logs_contain() {
        let view = fixture::partitioned();
        let kinds = legend_kinds(&view);
        let shown: Vec<&str> = (0..view.members.len()).flat_map(classes).collect();
        assert!(kinds.len() < ENTRY_KINDS.len());
        for (kind, _) in ENTRY_KINDS {
            assert_eq!(
                kinds.iter().any(|(known, _)| *known == kind),
                shown.contains(&kind),
                "{kind}"
            );
        }
    }

    #[test]
    fn the_window_ends_with_the_last_entry() {
        let view = fixture::partitioned();
        let window = LogWindow::new(&view, 200.0, Font::of(0.6), true);
        assert_eq!((window.first, window.cells), (7, 3));
        let wide = LogWindow::new(&view, 9_000.0, Font::of(0.6), true);
        assert_eq!((wide.first, wide.cells), (4, 6));
        assert_eq!((window.cell, wide.cell), CELL);
    }
}
