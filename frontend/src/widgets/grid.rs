//! A table of many rows that renders only the visible rows; the keyboard moves from row to row.
//!
//! The table is the text form of a picture. Beside the picture, the table is available only to the keyboard and to
//! screen readers; on request it replaces the picture.

use std::rc::Rc;

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::current::use_current;
use super::settled::use_settled;
use super::shared::Shared;
use super::{Glyph, Icon};
use crate::words::widgets as words;

/// The height of a row, in pixels; the same as in `static/view.css`.
const ROW: f64 = 28.0;
/// The number of rows that are rendered when the table is not visible.
const UNSEEN_ROWS: u32 = 24;
/// The window of rendered rows moves by multiples of this number of rows. Therefore, scrolling by fewer rows often
/// needs no new rows.
const STRIDE: u64 = 8;

#[derive(Clone, Debug, PartialEq)]
pub struct GridRow {
    /// The number of the row, which stays the same when the row moves.
    pub id: u64,
    pub cells: Vec<String>,
}

/// The properties of the table that renders only its visible rows.
#[derive(Clone, PartialEq, Properties)]
pub struct GridProps {
    /// The description of the content and of the keyboard keys, for screen readers.
    pub label: &'static str,
    pub columns: &'static [&'static str],
    /// The rows of the current window (the loaded part of the table).
    pub rows: Rc<Vec<GridRow>>,
    /// The position of the first row among all rows.
    #[prop_or_default]
    pub first: u64,
    pub total: u64,
    /// The id of the selected row.
    pub chosen: Option<u64>,
    pub visible: bool,
    pub on_choose: Callback<u64>,
    /// Called with the id of the row to which the keyboard moves, or with `None` when the focus leaves the table.
    pub on_active: Callback<Option<u64>>,
    /// Called when the table needs other rows, with the position of the first row and the number of rows.
    #[prop_or_default]
    pub on_window: Callback<(u64, u32)>,
}

#[derive(Clone, Copy, PartialEq)]
struct Here {
    /// The position among all rows.
    place: u64,
    /// The row's id, if the row is loaded.
    id: Option<u64>,
    /// True if the user has selected the row before it was loaded.
    is_wanted: bool,
}

impl Here {
    fn new(place: u64, id: Option<u64>) -> Here {
        Here {
            place,
            id,
            is_wanted: false,
        }
    }

    /// Returns the current position of the focused row. The position changes if a row above the focused row is inserted
    /// or removed.
    fn place_in(self, rows: &[GridRow], first: u64, total: u64) -> u64 {
        let known = rows.iter().position(|row| Some(row.id) == self.id);
        let place = known.map_or(self.place, |at| first + at as u64);
        place.min(total.saturating_sub(1))
    }
}

/// Returns the id of the row at this position, if it is loaded.
fn id_at(rows: &[GridRow], first: u64, place: u64) -> Option<u64> {
    let at = place.checked_sub(first)?;
    rows.get(at as usize).map(|row| row.id)
}

#[component]
pub fn Grid(props: &GridProps) -> Html {
    let node = use_node_ref();
    let active = use_current(|| None::<Here>);
    let focused = use_state_eq(|| false);
    let scrolled = use_state_eq(|| (0_u64, UNSEEN_ROWS));
    let is_live = props.visible || *focused;
    let content = (Shared(props.rows.clone()), props.first, props.total);
    let (Shared(rows), first, total) = use_settled(content, is_live);

    let here = active.get();
    let place = here.map(|here| here.place_in(&rows, first, total));
    let on_row = place.and_then(|place| id_at(&rows, first, place));

    let window = if props.visible {
        *scrolled
    } else {
        let middle = place.unwrap_or(0) / STRIDE * STRIDE;
        (middle.saturating_sub(STRIDE), UNSEEN_ROWS)
    };
    use_effect_with((window, props.on_window.clone()), |(window, on_window)| {
        on_window.emit(*window);
    });
    {
        let here = on_row.filter(|_| *focused);
        use_effect_with((here, props.on_active.clone()), |(here, on_active)| {
            on_active.emit(*here);
        });
    }
    {
        let (active, on_choose) = (active.clone(), props.on_choose.clone());
        let wanted = on_row.filter(|_| here.is_some_and(|here| here.is_wanted));
        use_effect_with((wanted, place), move |(wanted, place)| {
            if let (Some(id), Some(place)) = (*wanted, *place) {
                active.set(Some(Here::new(place, Some(id))));
                on_choose.emit(id);
            }
        });
    }
    let measure = {
        let (node, scrolled) = (node.clone(), scrolled.clone());
        move || {
            if let Some(element) = node.cast::<Element>() {
                let top = (f64::from(element.scroll_top()) / ROW) as u64;
                let rows = (f64::from(element.client_height()) / ROW) as u32;
                let from = (top / STRIDE * STRIDE).saturating_sub(STRIDE);
                scrolled.set((from, rows + 3 * STRIDE as u32));
            }
        }
    };
    {
        let measure = measure.clone();
        use_effect_with(props.visible, move |visible| {
            if *visible {
                measure();
            }
        });
    }
    let onscroll = {
        let visible = props.visible;
        Callback::from(move |_: Event| {
            if visible {
                measure();
            }
        })
    };
    let onfocus = {
        let (focused, active) = (focused.clone(), active.clone());
        let start = rows
            .iter()
            .position(|row| Some(row.id) == props.chosen)
            .map_or(first, |at| first + at as u64);
        let id = props.chosen.or(rows.first().map(|row| row.id));
        Callback::from(move |_: FocusEvent| {
            focused.set(true);
            if active.get().is_none() {
                active.set(Some(Here::new(start, id)));
            }
        })
    };
    let onblur = {
        let focused = focused.clone();
        Callback::from(move |_: FocusEvent| focused.set(false))
    };
    let onkeydown = {
        let (active, node, rows) = (active.clone(), node.clone(), rows.clone());
        let (on_choose, visible) = (props.on_choose.clone(), props.visible);
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
                return;
            }
            let key = event.key();
            let here = active.get();
            let place = here.map_or(0, |here| here.place_in(&rows, first, total));
            if matches!(key.as_str(), "Enter" | " ") {
                match id_at(&rows, first, place) {
                    Some(id) => on_choose.emit(id),
                    None => active.set(here.map(|here| Here {
                        is_wanted: true,
                        ..here
                    })),
                }
            } else if let Some(to) = walk(place, total, &key) {
                active.set(Some(Here::new(to, id_at(&rows, first, to))));
                if let (true, Some(element)) = (visible, node.cast::<Element>()) {
                    reveal(&element, to);
                }
            } else {
                return;
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let onclick = {
        let (active, on_choose, node) = (active.clone(), props.on_choose.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            let row = event.target_dyn_into::<Element>();
            let row = row.and_then(|cell| cell.closest("[data-row]").ok().flatten());
            let id = row.and_then(|row| row.get_attribute("data-row")?.parse::<u64>().ok());
            if let Some(id) = id {
                on_choose.emit(id);
                active.set(Some(Here::new(place.unwrap_or(0), Some(id))));
                if let Some(element) = node.cast::<HtmlElement>() {
                    element.focus().ok();
                }
            }
        })
    };
    // Only the window of the table is rendered, even if the caller has more rows.
    let skipped = window.0.saturating_sub(first).min(rows.len() as u64);
    let rendered = rows.iter().skip(skipped as usize);
    let rendered: Vec<&GridRow> = rendered.take(window.1 as usize).collect();
    let first_rendered = first + skipped;
    // The height of a row is an attribute, because the page's policy allows no styles.
    let gap = |rows: u64| {
        (props.visible && rows > 0).then(|| {
            let height = (rows * ROW as u64).to_string();
            html! { <tr role="presentation"><td role="presentation" {height}></td></tr> }
        })
    };
    let below = total.saturating_sub(first_rendered + rendered.len() as u64);
    let id_of = |row: u64| format!("{ROW_ID}{row}");
    html! {
        <div ref={node} class={if props.visible { "wg-grid wg-fades" } else { "wg-grid wg-unseen" }} {onscroll}
            {onclick}
            role="grid" tabindex="0" aria-label={props.label} aria-rowcount={(total + 1).to_string()}
            aria-activedescendant={on_row.map(id_of)} {onfocus} {onblur} {onkeydown}>
            <table role="presentation">
                <thead role="rowgroup">
                    <tr role="row" aria-rowindex="1">
                        { for props.columns.iter().map(|name| html! { <th role="columnheader">{ *name }</th> }) }
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    { for gap(first_rendered) }
                    { for rendered.into_iter().enumerate().map(|(at, row)| {
                        let class = (on_row == Some(row.id)).then_some("is-active");
                        html! {
                            <tr key={row.id} {class} id={id_of(row.id)} role="row" data-row={row.id.to_string()}
                                aria-rowindex={(first_rendered + at as u64 + 2).to_string()}
                                aria-selected={if props.chosen == Some(row.id) { "true" } else { "false" }}>
                                { for row.cells.iter().map(|cell| html! { <td role="gridcell">{ cell }</td> }) }
                            </tr>
                        }
                    }) }
                    { for gap(below) }
                </tbody>
            </table>
        </div>
    }
}

/// Returns a button that switches between the picture and the table.
pub fn table_toggle(on: &UseStateHandle<bool>) -> Html {
    let toggle = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.set(!*on))
    };
    html! {
        <button type="button" class="wg-button is-quiet is-icon is-small wg-table-toggle" aria-label={words::AS_TABLE}
            title={words::AS_TABLE} aria-pressed={if **on { "true" } else { "false" }} onclick={toggle}>
            <Icon glyph={Glyph::Table} />
        </button>
    }
}

/// The prefix of the ids of rows; there is only one table at a time.
const ROW_ID: &str = "wg-row-";

/// Returns the row to which a key moves the focus.
fn walk(from: u64, total: u64, key: &str) -> Option<u64> {
    let last = total.saturating_sub(1);
    Some(match key {
        "ArrowDown" | "ArrowRight" => (from + 1).min(last),
        "ArrowUp" | "ArrowLeft" => from.saturating_sub(1),
        "PageDown" => (from + 10).min(last),
        "PageUp" => from.saturating_sub(10),
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}

/// Scrolls just far enough to show the row below the headings.
fn reveal(element: &Element, row: u64) {
    let (top, height) = (
        f64::from(element.scroll_top()),
        f64::from(element.client_height()),
    );
    let at = row as f64 * ROW;
    if at < top {
        element.set_scroll_top(at as i32);
    } else if at + 2.0 * ROW > top + height {
        element.set_scroll_top((at + 2.0 * ROW - height) as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::walk;

    #[test]
    fn walking_stops_at_the_ends() {
        assert_eq!(walk(0, 3, "ArrowUp"), Some(0));
        assert_eq!(walk(2, 3, "ArrowDown"), Some(2));
        assert_eq!(walk(1, 30, "PageDown"), Some(11));
        assert_eq!(walk(5, 0, "End"), Some(0));
        assert_eq!(walk(5, 9, "x"), None);
    }
}
