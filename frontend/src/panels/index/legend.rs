//! The legend of the shapes on the screen: one row, with the most important shapes first. The row always has the same
//! height, so a new shape does not move other parts of the page. If the row is too long, it scrolls.

use watchglass_engine::view::watch::WatcherPool;
use watchglass_engine::view::{BeadState, WatchView};
use yew::prelude::*;

use super::scene::{Ground, IndexScene};
use crate::draw::{Marks, marks, pt};
use crate::words::{common, index as words};

/// An entry of the Index view's legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegendItem {
    /// The current value of a key.
    Live,
    Superseded,
    Deleted,
    /// The bracket below a generation.
    Generation,
    /// A change that the current step made.
    Changed,
    /// The vertical line at the revision of a read.
    Read,
    /// A change that the response to a read contains.
    Answered,
    /// The bracket beside the keys of a range.
    Range,
    /// The changes of one transaction in several lanes.
    Transaction,
    Compacted,
    /// A change at a compact revision whose row the compaction preserved.
    Kept,
    /// A change at a compact revision whose row is not deleted yet.
    BeingRemoved,
    /// A change at a compact revision whose row is deleted.
    Removed,
    /// The keys of the highlighted watcher.
    Watched,
    /// A synced watcher: no revision is missing.
    Synced,
    /// An unsynced watcher: at least one revision is missing.
    Unsynced,
    /// A watcher whose channel was full.
    Victim,
    /// The revisions that a watcher has not received.
    Missing,
    /// The change that the inspector shows.
    Selected,
    Focused,
}

impl LegendItem {
    /// All entries, in the order in which the legend shows them.
    pub const ALL: [LegendItem; 20] = [
        LegendItem::Live,
        LegendItem::Superseded,
        LegendItem::Deleted,
        LegendItem::Read,
        LegendItem::Answered,
        LegendItem::Changed,
        LegendItem::Selected,
        LegendItem::Focused,
        LegendItem::Generation,
        LegendItem::Range,
        LegendItem::Watched,
        LegendItem::Synced,
        LegendItem::Unsynced,
        LegendItem::Victim,
        LegendItem::Missing,
        LegendItem::Transaction,
        LegendItem::Compacted,
        LegendItem::Kept,
        LegendItem::BeingRemoved,
        LegendItem::Removed,
    ];

    fn is_on(self, shown: OnScreen<'_>) -> bool {
        let scene = shown.scene;
        let watchers = || {
            let view = shown.watch.filter(|view| !view.is_dense());
            view.into_iter().flat_map(|view| &view.watchers)
        };
        let is_in = |pool: WatcherPool| watchers().any(|watcher| watcher.pool == pool);
        let has = |state: BeadState| {
            scene.beads.iter().any(|bead| bead.state == state)
                || scene.bars.iter().any(|bar| bar.state == state)
        };
        match self {
            LegendItem::Live => has(BeadState::Live),
            LegendItem::Superseded => has(BeadState::Superseded),
            LegendItem::Deleted => has(BeadState::Tombstone),
            LegendItem::Generation => !scene.brackets.is_empty(),
            LegendItem::Changed => scene.beads.iter().any(|bead| bead.changed),
            LegendItem::Read => scene.cut.is_some(),
            LegendItem::Answered => scene.beads.iter().any(|bead| bead.answered),
            LegendItem::Range => scene.range.is_some(),
            LegendItem::Transaction => !scene.joins.is_empty(),
            LegendItem::Compacted => scene.floor.is_some(),
            LegendItem::Kept => has(BeadState::Kept),
            LegendItem::BeingRemoved => has(BeadState::Doomed),
            LegendItem::Removed => has(BeadState::Gone),
            LegendItem::Watched => scene.lanes.iter().any(|lane| lane.watched),
            LegendItem::Selected => {
                let is_selected = |ground: Ground| ground == Ground::Selected;
                scene.lanes.iter().any(|lane| is_selected(lane.ground))
            }
            LegendItem::Focused => shown.is_focused,
            LegendItem::Synced => is_in(WatcherPool::Synced),
            LegendItem::Unsynced => is_in(WatcherPool::Unsynced),
            LegendItem::Victim => is_in(WatcherPool::Victim),
            LegendItem::Missing => {
                let in_strip = |pool: WatcherPool| pool != WatcherPool::Compacted;
                watchers().any(|watcher| watcher.behind > 0 && in_strip(watcher.pool))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            LegendItem::Live => words::LIVE,
            LegendItem::Superseded => words::SUPERSEDED,
            LegendItem::Deleted => words::DELETED,
            LegendItem::Generation => words::GENERATION,
            LegendItem::Changed => words::CHANGED,
            LegendItem::Read => words::READ,
            LegendItem::Answered => words::RETURNED,
            LegendItem::Range => words::RANGE,
            LegendItem::Transaction => words::TRANSACTION,
            LegendItem::Compacted => words::COMPACTED,
            LegendItem::Kept => words::KEPT,
            LegendItem::BeingRemoved => words::BEING_REMOVED,
            LegendItem::Removed => words::REMOVED,
            LegendItem::Watched => words::WATCHED,
            LegendItem::Synced => words::SYNCED,
            LegendItem::Unsynced => words::UNSYNCED,
            LegendItem::Victim => words::VICTIM,
            LegendItem::Missing => words::MISSING,
            LegendItem::Selected => words::SELECTED,
            LegendItem::Focused => words::FOCUSED,
        }
    }

    fn drawing(self) -> Html {
        let square = |class: &'static str| {
            html! { <g {class}><rect x="4" y="3" width="14" height="14" rx="4" /></g> }
        };
        let ringed = |ring: &'static str| {
            html! {
                <>
                    <g class="loom-bead old"><rect x="6.5" y="5.5" width="9" height="9" rx="3" /></g>
                    <rect class={ring} x="2.5" y="1.5" width="17" height="17" rx="5" />
                </>
            }
        };
        let watcher = |pool: WatcherPool| {
            let mut marks = Marks::default();
            marks.shape(pool, pt(11.0, 10.0), 6.5);
            marks::draw(&marks)
        };
        match self {
            LegendItem::Synced => watcher(WatcherPool::Synced),
            LegendItem::Unsynced => watcher(WatcherPool::Unsynced),
            LegendItem::Victim => watcher(WatcherPool::Victim),
            LegendItem::Missing => {
                html! { <rect class="watch-lag" x="1" y="5" width="20" height="10" /> }
            }
            LegendItem::Live => square("loom-bead live"),
            LegendItem::Superseded => square("loom-bead old"),
            LegendItem::Deleted => html! {
                <g class="loom-bead tomb">
                    <path class="loom-diamond" d="M11 2L19 10L11 18L3 10Z" />
                    <path class="loom-cross" d="M8.8 7.8l4.4 4.4M13.2 7.8l-4.4 4.4" />
                </g>
            },
            LegendItem::Generation => {
                html! { <path class="loom-bracket" d="M3 8V13H19V8" /> }
            }
            LegendItem::Changed => ringed("loom-ring changed"),
            LegendItem::Read => {
                html! { <line class="loom-cut" x1="11" x2="11" y1="1" y2="19" /> }
            }
            LegendItem::Answered => ringed("loom-ring answered"),
            LegendItem::Range => html! { <path class="loom-range" d="M14 2H9V18H14" /> },
            LegendItem::Transaction => html! {
                <>
                    <line class="loom-join" x1="11" x2="11" y1="3" y2="17" />
                    <g class="loom-bead old">
                        <rect x="8" y="0.8" width="6" height="6" rx="2" />
                        <rect x="8" y="13.2" width="6" height="6" rx="2" />
                    </g>
                </>
            },
            LegendItem::Compacted => html! {
                <>
                    <path class="loom-legend-hatch" d="M2 9L9 2M2 17L15 4M9 18L15 12" />
                    <line class="loom-floor-line" x1="17" x2="17" y1="1" y2="19" />
                </>
            },
            LegendItem::Kept => html! {
                <g class="loom-bead kept">
                    <rect x="4" y="5.5" width="14" height="13" rx="4" />
                    <path class="loom-pin" d="M11 5V1.5m-3.5 0h7" />
                </g>
            },
            LegendItem::BeingRemoved => square("loom-bead doomed"),
            LegendItem::Removed => html! {
                <g class="loom-bead gone"><line x1="11" x2="11" y1="4" y2="16" /></g>
            },
            LegendItem::Watched => html! {
                <>
                    <rect class="loom-lane-watched" x="1" y="3" width="20" height="14" />
                    <rect class="loom-lane-watched-edge" x="1" y="3" width="4" height="14" />
                </>
            },
            LegendItem::Selected => html! {
                <>
                    <rect class="loom-cell" x="1" y="2" width="20" height="16" />
                    <rect class="loom-cell-edge" x="1" y="15" width="20" height="3" />
                </>
            },
            LegendItem::Focused => ringed("loom-ring focus"),
        }
    }
}

/// The data that decides which shapes are on the screen.
#[derive(Clone, Copy)]
pub struct OnScreen<'a> {
    pub scene: &'a IndexScene,
    /// The watchers below the lanes.
    pub watch: Option<&'a WatchView>,
    pub is_focused: bool,
}

pub fn items(shown: OnScreen<'_>) -> Vec<LegendItem> {
    let mut items = LegendItem::ALL.to_vec();
    items.retain(|item| item.is_on(shown));
    items
}

#[derive(Properties, PartialEq)]
pub struct LegendProps {
    pub items: Vec<LegendItem>,
}

#[component]
pub fn Legend(props: &LegendProps) -> Html {
    html! {
        <ul class="loom-legend" id="loom-legend" aria-label={common::LEGEND} tabindex="0">
            { for props.items.iter().map(|item| html! {
                <li key={*item as usize}>
                    <svg width="22" height="20" viewBox="0 0 22 20" aria-hidden="true">{ item.drawing() }</svg>
                    { item.name() }
                </li>
            }) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::super::camera::Camera;
    use super::super::fixture;
    use super::super::geometry::Stage;
    use super::super::scene::Highlights;
    use super::*;
    use crate::state::ui::KeySpan;
    use watchglass_engine::view::IndexView;
    use watchglass_engine::view::watch::WatcherView;

    fn said(view: &IndexView, marks: &Highlights, is_focused: bool) -> Vec<&'static str> {
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let scale = Camera::Auto.scale(&stage, view.head, view.end);
        let scene = IndexScene::new(view, stage, scale, 0.0, marks);
        let watch = marks.watched.as_ref().map(|_| WatchView {
            watchers: vec![WatcherView {
                pool: WatcherPool::Unsynced,
                behind: 2,
                ..WatcherView::default()
            }],
            ..WatchView::default()
        });
        let items = items(OnScreen {
            scene: &scene,
            watch: watch.as_ref(),
            is_focused,
        });
        items.into_iter().map(LegendItem::name).collect()
    }

    #[test]
    fn only_what_is_on_the_screen_is_named() {
        let view = fixture::two_lives();
        let none = Highlights::default();
        assert_eq!(
            said(&view, &none, false),
            ["live", "superseded", "deleted", "generation"]
        );
        let marks = Highlights {
            key: Some(b"/key1".to_vec()),
            revision: Some((3, 0)),
            watched: None,
        };
        assert_eq!(
            said(&view, &marks, true),
            [
                "live",
                "superseded",
                "deleted",
                "selected",
                "focused",
                "generation"
            ]
        );
        assert_eq!(
            said(&fixture::pods_read(12), &none, false),
            [
                "live",
                "superseded",
                "deleted",
                "read",
                "in the response",
                "generation",
                "one transaction",
                "compacted",
                "kept",
                "removed"
            ]
        );
    }

    #[test]
    fn watchers_are_named_by_their_state() {
        let marks = Highlights {
            watched: Some(KeySpan {
                key: b"/key1".to_vec(),
                end: Vec::new(),
            }),
            ..Highlights::default()
        };
        let said = said(&fixture::two_lives(), &marks, false);
        let after = [
            "generation",
            "watched",
            "unsynced watcher",
            "missing revisions",
        ];
        assert_eq!(said[3..], after);
    }

    #[test]
    fn every_item_has_its_place() {
        for item in LegendItem::ALL {
            let same = LegendItem::ALL.iter().filter(|other| **other == item);
            assert_eq!(same.count(), 1, "{item:?}");
        }
    }
}
