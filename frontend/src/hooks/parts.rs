//! In presenter mode and in a figure, each part of a view is shown completely or not at all, because nobody scrolls
//! during a presentation, and because the mouse wheel over a figure should scroll the page around the figure.

use std::cell::RefCell;

use gloo::render::request_animation_frame;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

use crate::words::common;

/// The class of a part that the picture can do without.
const PART: &str = ".wg-part";
/// The selector of the guarantees below a picture. The guarantees can be left out, too.
const FOOT: &str = ".wg-view-foot:has(.watch-lamps)";
/// The attribute of a picture that names a part that the picture leaves out.
const OMITTED: &str = "data-omitted";
/// The attribute with the names of the parts that are not shown. The style sheet shows these names.
const NAMED: &str = "data-left-out";
/// The class of a part that is not shown.
const LEFT_OUT: &str = "is-left-out";
/// The class of a view's foot that shows only the names of the parts that are not shown.
const ONLY_NAMES: &str = "has-only-names";
/// The fraction of a pixel by which rounded heights may exceed the room.
const ROUNDING: f64 = 0.9;

/// Leaves out the parts of the view in `node` that do not fit whole, after each rendering. Shows all parts again if
/// `is_on` becomes false.
#[hook]
pub fn use_whole_parts(node: &NodeRef, is_on: bool) {
    let node = node.clone();
    let was_on = use_mut_ref(|| false);
    use_effect(move || {
        let scroller = || {
            let stage = node.cast::<Element>()?;
            stage.query_selector(".wg-view-scroll").ok()?
        };
        let changed = was_on.replace(is_on) != is_on;
        let scroller = if is_on || changed { scroller() } else { None };
        let observer = scroller.and_then(|scroller| {
            leave_out(&scroller, is_on);
            is_on.then(|| observe(scroller)).flatten()
        });
        move || {
            if let Some((observer, _closure)) = observer {
                observer.disconnect();
            }
        }
    });
}

/// Leaves out parts each time the height of the view or of its content changes, for instance after the first layout,
/// and once more in the next frame. The second time is necessary because the change can also change the heights of
/// parts that are not shown, and these heights cannot be observed.
fn observe(scroller: Element) -> Option<(ResizeObserver, Closure<dyn Fn()>)> {
    let content = scroller.first_element_child();
    let closure = {
        let scroller = scroller.clone();
        let next = RefCell::new(None);
        Closure::<dyn Fn()>::new(move || {
            leave_out(&scroller, true);
            let scroller = scroller.clone();
            next.replace(Some(request_animation_frame(move |_| {
                leave_out(&scroller, true);
            })));
        })
    };
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(&scroller);
    if let Some(content) = content {
        observer.observe(&content);
    }
    Some((observer, closure))
}

/// Leaves out the parts that end below the lower edge of `scroller`. If the rest is still too high, the foot shows only
/// the names of these parts, or is hidden if there are no names. If a part is left out and a lower part then fits, the
/// lower part is shown. Shows all parts if `is_on` is false.
fn leave_out(scroller: &Element, is_on: bool) {
    let Ok(all) = scroller.query_selector_all(PART) else {
        return;
    };
    let parts = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into::<HtmlElement>().ok());
    let parts: Vec<HtmlElement> = parts.collect();
    let foot = scroller.parent_element();
    let foot = foot.and_then(|view| view.query_selector(FOOT).ok().flatten());
    for part in parts.iter().map(AsRef::as_ref).chain(&foot) {
        let _ = part.class_list().remove_2(LEFT_OUT, ONLY_NAMES);
    }
    // Without the names of earlier parts, the legend may need fewer lines.
    say(scroller, &[]);
    let Some(content) = scroller.first_element_child().filter(|_| is_on) else {
        return;
    };
    let top = content.get_bounding_client_rect().top();
    let room = || scroller.get_bounding_client_rect().height() + ROUNDING;
    let bottom = top + room();
    let picture = scroller.query_selector(&format!("[{OMITTED}]"));
    let picture = picture.ok().flatten();
    let omitted = picture.and_then(|picture| picture.get_attribute(OMITTED));
    let mut names: Vec<String> = omitted.into_iter().collect();
    // The names of tables, and the number of rows that are left out.
    let mut tables: Vec<(String, u64)> = Vec::new();
    for part in &parts {
        // A table needs room for its first row; its other rows are parts of their own.
        let row = part.query_selector(PART).ok().flatten();
        let shown = row.as_ref().unwrap_or(part.as_ref());
        if shown.get_bounding_client_rect().bottom() > bottom {
            let _ = part.class_list().add_1(LEFT_OUT);
            let table = part.parent_element();
            let table = table.and_then(|parent| parent.closest(PART).ok().flatten());
            match table.and_then(|table| table.get_attribute("aria-label")) {
                None => names.extend(part.get_attribute("aria-label")),
                Some(table) => match tables.last_mut().filter(|(name, _)| *name == table) {
                    Some((_, rows)) => *rows += 1,
                    None => tables.push((table, 1)),
                },
            }
        }
    }
    let rows = tables
        .iter()
        .map(|(table, rows)| common::rows_of(table, *rows));
    names.extend(rows);
    say(scroller, &names);
    if let Some(foot) = foot.filter(|_| content.get_bounding_client_rect().height() > room()) {
        let class = if names.is_empty() {
            LEFT_OUT
        } else {
            ONLY_NAMES
        };
        let _ = foot.class_list().add_1(class);
    }
}

/// Shows, beside the legend, the names of the parts that are left out.
fn say(scroller: &Element, names: &[String]) {
    let view = scroller.parent_element();
    let Some(foot) = view.and_then(|view| view.query_selector(".wg-view-foot").ok().flatten())
    else {
        return;
    };
    let _ = match names {
        [] => foot.remove_attribute(NAMED),
        names => foot.set_attribute(NAMED, &common::not_shown(names)),
    };
}
