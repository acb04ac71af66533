//! The newest rows of the store as a table, below the lanes of a run with few keys.
//!
//! The picture shows the key index; etcd's store has one row for each change, with the revision as its key. The place
//! of the table is below all lanes that the run has at its end, so the table does not move while a run plays. If there
//! is no room at this place, the table is below the present lanes until new lanes need the room. For screen readers,
//! the grid of [`super::table`] describes the same changes.

use watchglass_engine::view::{Bead, BeadState, IndexView, Lane, Views};
use web_sys::HtmlElement;
use yew::prelude::*;

use super::geometry::{FLAGS, RULER, Stage, WIDE};
use super::scene::IndexScene;
use crate::draw::surface::move_to;
use crate::widgets::shared::Shared;
use crate::words::index as words;

/// The height of a row, as in `static/index.css`.
const ROW: f64 = 30.0;
/// The minimum number of rows. A lower table would say less than the picture above it.
const ROWS_MIN: usize = 3;
/// The maximum number of rows. More rows are not necessary, because users look for the newest rows.
const ROWS_MAX: usize = 12;
/// The width of the table with the longest names and values, as in `static/index.css`.
const TABLE: f64 = 1000.0;
/// The left edge of the table if it does not fit beside the names of the keys. The names have the same left edge.
const LEFT: f64 = 16.0;
/// The heights of the heading and of the names of the columns, and the space above and below the table.
const FRAME: f64 = 2.0 * ROW + 24.0;

#[derive(Clone, Debug, PartialEq)]
struct StoreRow<'a> {
    lane: &'a Lane,
    bead: &'a Bead,
}

/// The place of the table in the drawing area.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    left: f64,
    top: f64,
    rows: usize,
}

/// Returns the place of the table: below all lanes that the run has at its end if there is room, otherwise below the
/// present lanes. Returns `None` if there is no room at either place.
fn place(view: &IndexView, stage: &Stage) -> Option<Place> {
    let present = view.lanes_matching.max(1);
    let at_end = view.lanes_end.max(present);
    [at_end, present]
        .into_iter()
        .find_map(|lanes| below(lanes, stage))
}

/// Returns the place of the table below this number of lanes; `None` if there is no room.
fn below(lanes: u32, stage: &Stage) -> Option<Place> {
    let lanes = f64::from(lanes) * stage.tier.lane;
    let rows = ((stage.lanes_height() - lanes - FRAME) / ROW)
        .floor()
        .max(0.0) as usize;
    let fits = rows >= ROWS_MIN && stage.width >= WIDE && !stage.has_overview;
    fits.then(|| Place {
        left: if stage.width - stage.gutter < TABLE {
            LEFT
        } else {
            stage.gutter
        },
        top: RULER + lanes + FLAGS,
        rows: rows.min(ROWS_MAX),
    })
}

/// Returns the rows of the visible changes, the newest first. If a key has no visible change, returns the row of the
/// key's last change before the visible range. Omits a change if a compaction has deleted the row of the change.
fn rows(view: &IndexView) -> Vec<StoreRow<'_>> {
    let all = view.lanes.iter().flat_map(|lane| {
        let beads = lane.beads.iter().chain(&lane.earlier);
        let beads = beads.filter(|bead| bead.state != BeadState::Gone);
        beads.map(move |bead| StoreRow { lane, bead })
    });
    let mut rows: Vec<_> = all.collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.bead.main, row.bead.sub)));
    rows
}

#[derive(Clone, PartialEq, Properties)]
pub struct StoreRowsProps {
    pub views: Shared<Views>,
    pub scene: Shared<IndexScene>,
}

/// Renders the newest rows of the store, if there is room below the lanes and the picture shows single changes.
#[component]
pub fn StoreRows(props: &StoreRowsProps) -> Html {
    let node = use_node_ref();
    let view = props.views.index.as_ref();
    let place = view.and_then(|view| place(view, &props.scene.stage));
    // Most runs have no room for the table, so their rows are not collected.
    let rows = view
        .filter(|_| place.is_some())
        .map(rows)
        .unwrap_or_default();
    let place = place.filter(|_| !rows.is_empty());
    {
        let node = node.clone();
        use_effect_with(place, move |place| {
            if let (Some(place), Some(element)) = (place, node.cast::<HtmlElement>()) {
                move_to(&element, place.left, place.top);
            }
        });
    }
    let (Some(view), Some(place)) = (view, place) else {
        return html! {};
    };
    let older = rows.len().saturating_sub(place.rows);
    let shown = if older > 0 {
        place.rows - 1
    } else {
        place.rows
    };
    let columns = words::STORE_COLUMNS.len().to_string();
    html! {
        <div ref={node} class="loom-rows" aria-hidden="true">
            <p class="loom-rows-title">{ words::STORE_ROWS }</p>
            <table>
                <thead>
                    <tr>{ for words::STORE_COLUMNS.map(|name| html! { <th>{ name }</th> }) }</tr>
                </thead>
                <tbody>
                    { for rows.iter().take(shown).map(|row| body(view, row)) }
                    if older > 0 {
                        <tr><td colspan={columns}>{ words::older_rows(older + 1) }</td></tr>
                    }
                </tbody>
            </table>
        </div>
    }
}

fn body(view: &IndexView, StoreRow { lane, bead }: &StoreRow<'_>) -> Html {
    let is_put = bead.version > 0;
    let generation = words::life_of(lane, bead.main).map(|thread| words::generation(thread.number));
    let changed = bead.changed.then_some("is-changed");
    let live = (bead.state == BeadState::Live).then_some("is-live");
    html! {
        <tr class={classes!(changed, live)}>
            <td>{ words::revision(bead.main, bead.sub) }</td>
            <td class="is-key"><bdi>{ &lane.name }</bdi></td>
            <td>{ if is_put { &bead.label } else { "" } }</td>
            <td>{ if is_put { bead.version.to_string() } else { String::new() } }</td>
            <td>{ generation.unwrap_or_default() }</td>
            <td>{ words::state(bead, words::pinned(view, bead)) }</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn stage(height: f64, view: &IndexView) -> Stage {
        Stage::new(1160.0, height, view.lanes_end, 0.6)
    }

    #[test]
    fn the_table_is_shown_only_below_few_lanes_of_a_high_picture() {
        let view = fixture::two_lives();
        let rows = |height| place(&view, &stage(height, &view)).map(|place| place.rows);
        assert_eq!(
            [rows(340.0), rows(370.0), rows(640.0)],
            [None, Some(3), Some(12)]
        );
    }

    #[test]
    fn the_place_depends_on_the_keys_at_the_end_of_the_run() {
        let mut view = fixture::two_lives();
        view.lanes_end = 2;
        let at_start = place(&view, &stage(640.0, &view));
        view.lanes_matching = 2;
        assert!(at_start.is_some());
        assert_eq!(place(&view, &stage(640.0, &view)), at_start);
    }

    #[test]
    fn without_room_at_the_end_of_the_run_the_table_is_below_the_present_lanes() {
        let mut view = fixture::two_lives();
        view.lanes_end = 8;
        let stage = stage(640.0, &view);
        let first = place(&view, &stage).expect("a place below one lane");
        view.lanes_matching = 2;
        let second = place(&view, &stage).expect("a place below two lanes");
        assert_eq!(second.top - first.top, stage.tier.lane);
        view.lanes_matching = 8;
        assert_eq!(place(&view, &stage), None);
    }

    #[test]
    fn rows_are_newest_first_without_deleted_rows() {
        let mut view = fixture::two_lives();
        view.lanes[0].beads[0].state = BeadState::Gone;
        let revisions: Vec<_> = rows(&view).iter().map(|row| row.bead.main).collect();
        assert_eq!(revisions, [5, 4, 3]);
    }
}
