//! The picture as a table for screen readers, with the same lanes, changes and selection.
//!
//! The table receives the keyboard focus in place of the picture. It contains only the visible cells, at most a few
//! hundred; `aria-rowcount` and the indices give their positions among all cells.

use watchglass_engine::view::{IndexView, Views};
use yew::prelude::*;

use super::scene::{Highlights, IndexScene};
use super::spot::{Spot, SpotKind, bead_of, bin_of, spots};
use crate::widgets::shared::Shared;
use crate::widgets::{Still, use_settled};
use crate::words::index as words;

/// The maximum number of cells, because the size of the page's DOM is limited. Other cells appear after panning.
const CELLS_MAX: usize = 240;

/// The id of the element of the focused cell.
pub const ACTIVE_ID: &str = "loom-active-cell";

#[derive(Clone, PartialEq, Properties)]
pub struct RowsProps {
    pub views: Shared<Views>,
    pub scene: Shared<IndexScene>,
    pub marks: Highlights,
    pub active: Option<Spot>,
    /// Whether the table has the focus. Without the focus, the table is updated only after the picture has stopped
    /// changing.
    pub is_focused: bool,
}

/// Renders the table: one row for each visible lane.
#[component]
pub fn Rows(props: &RowsProps) -> Html {
    let RowsProps {
        views,
        scene,
        marks,
        active,
        is_focused,
    } = props.clone();
    let shown = use_settled((views, scene, marks, active), is_focused);
    let rows = use_memo(shown, |(views, scene, marks, active)| {
        let view = views.index.as_ref();
        view.map_or(Html::default(), |view| {
            rows(view, scene, marks, active.as_ref())
        })
    });
    html! { <Still html={rows} /> }
}

fn rows(view: &IndexView, scene: &IndexScene, marks: &Highlights, active: Option<&Spot>) -> Html {
    let share = (CELLS_MAX / scene.lanes.len().max(1)).max(4);
    let rows = scene.lanes.iter().filter_map(|band| {
        let lane = view.lanes.get(band.index)?;
        let number = view.query.first_lane + band.index as u32;
        let here = active
            .filter(|spot| spot.lane == number)
            .map(|spot| spot.what);
        let all = spots(view, lane);
        let (first, last) = scene.scale.visible();
        let middle = here.map_or((first + last) / 2, SpotKind::revision);
        let mut seen: Vec<SpotKind> = all
            .into_iter()
            .filter(|what| {
                matches!(what, SpotKind::Name)
                    || Some(*what) == here
                    || (first..=last).contains(&what.revision())
            })
            .collect();
        if seen.len() > share {
            // First the name, then the items nearest to the focus.
            let mut near: Vec<SpotKind> = seen.split_off(1);
            near.sort_by_key(|what| (what.revision() - middle).abs());
            near.truncate(share - 1);
            near.sort_by_key(|what| what.revision());
            seen.extend(near);
        }
        let chosen = marks.key.as_ref() == Some(&lane.key);
        // The cells have no keys: while the picture is dragged, other changes reuse the elements.
        let cells = seen.into_iter().map(|what| {
            let is_active = here == Some(what);
            let id = is_active.then_some(ACTIVE_ID);
            let column = (what.revision() + 1).to_string();
            let selected = chosen
                && match what {
                    SpotKind::Name => marks.revision.is_none(),
                    SpotKind::Change { main, sub } => marks.revision == Some((main, sub)),
                    SpotKind::Column { .. } => false,
                };
            let data = [number.to_string(), reference(what)].join(" ");
            match what {
                SpotKind::Name => html! {
                    <th {id} role="rowheader" scope="row" aria-colindex="1"
                        aria-selected={bool_text(selected)} data-spot={data}>
                        { words::name_cell(lane) }
                    </th>
                },
                SpotKind::Change { .. } | SpotKind::Column { .. } => {
                    let text = match (bead_of(lane, what), bin_of(view, lane, what), what) {
                        (Some(bead), _, _) => words::cell(view, lane, bead),
                        (None, Some(bin), SpotKind::Column { from, to }) => {
                            words::column_cell(lane, bin, from, to)
                        }
                        _ => String::new(),
                    };
                    html! {
                        <td {id} role="gridcell" aria-colindex={column} aria-selected={bool_text(selected)}
                            data-spot={data}>
                            { text }
                        </td>
                    }
                }
            }
        });
        Some(html! {
            <tr key={number} role="row" aria-rowindex={(number + 1).to_string()}>{ for cells }</tr>
        })
    });
    html! { <tbody role="rowgroup">{ for rows }</tbody> }
}

fn bool_text(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// Formats the identity of an item of a lane as text. [`read`] parses this text.
fn reference(what: SpotKind) -> String {
    let pair = |kind: &str, a: i64, b: i64| [kind, &a.to_string(), &b.to_string()].join(" ");
    match what {
        SpotKind::Name => "name".to_owned(),
        SpotKind::Change { main, sub } => pair("change", main, sub),
        SpotKind::Column { from, to } => pair("column", from, to),
    }
}

/// Parses the `data-spot` attribute of a cell.
pub fn read(text: &str) -> Option<Spot> {
    let mut words = text.split(' ');
    let lane = words.next()?.parse().ok()?;
    let kind = words.next()?;
    let mut number = || words.next()?.parse::<i64>().ok();
    let what = match kind {
        "name" => SpotKind::Name,
        "change" => SpotKind::Change {
            main: number()?,
            sub: number()?,
        },
        "column" => SpotKind::Column {
            from: number()?,
            to: number()?,
        },
        _ => return None,
    };
    Some(Spot { lane, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_lead_back_to_their_spots() {
        for what in [
            SpotKind::Name,
            SpotKind::Change { main: 19, sub: 1 },
            SpotKind::Column { from: 100, to: 119 },
        ] {
            let text = ["7", &reference(what)].join(" ");
            assert_eq!(read(&text), Some(Spot { lane: 7, what }));
        }
        assert_eq!(read("7"), None);
        assert_eq!(read("7 change 1"), None);
        assert_eq!(read("x name"), None);
    }
}
