//! Marks the parts of a picture that belong to the focus of a beat, scrolls to them, and dims all other parts.
//!
//! The names of the focus are identities of parts (`data-mark`), such as `spot:12`, or identities without their kinds,
//! such as `api-1`. A part outside the pictures has its name in `data-of`. The style sheet dims the other parts, except
//! the axis.

use std::rc::Rc;

use watchglass_engine::view::Views;
use web_sys::Element;
use yew::prelude::*;

use crate::widgets::Shared;

/// The distance between the top of the drawing area and the focus, in pixels; leaves room for sticky headers.
const MARGIN: f64 = 64.0;

/// The attribute of the drawing area while a part of it has the focus.
const HAS_FOCUS: &str = "data-has-focus";
const FOCUSED: &str = "data-focused";

/// Marks the parts that belong to `names` in the drawing area `stage` after each change of the views. Scrolls to the
/// first of these parts when the names or the beat change.
#[hook]
pub fn use_focus(stage: &NodeRef, views: &Rc<Views>, is_laid_out: bool, names: Vec<String>) {
    let stage = stage.clone();
    let beat = views.status.beat.number;
    let shown = use_mut_ref(|| None::<(u64, Vec<String>)>);
    use_effect_with(
        (Shared(views.clone()), is_laid_out, names),
        move |(_, _, names)| {
            let Some(stage) = stage.cast::<Element>() else {
                return;
            };
            let first = mark(&stage, names);
            let place = Some((beat, names.clone()));
            let is_new = shown.replace(place.clone()) != place;
            if let Some(first) = first.filter(|_| is_new) {
                scroll_to(&stage, &first);
            }
        },
    );
}

/// Marks the parts that belong to the names, and returns the first of them.
fn mark(stage: &Element, names: &[String]) -> Option<Element> {
    for_each(stage, "[data-focused]", |element| {
        element.remove_attribute(FOCUSED).ok();
    });
    stage.remove_attribute(HAS_FOCUS).ok();
    let mut first = None;
    if !names.is_empty() {
        for_each(
            stage,
            "[data-mark]:not([data-order='0']), [data-of]",
            |element| {
                let identity = element.get_attribute("data-mark");
                let identity = identity.or_else(|| element.get_attribute("data-of"));
                if identity.is_some_and(|identity| belongs(&identity, names)) {
                    element.set_attribute(FOCUSED, "").ok();
                    first.get_or_insert(element);
                }
            },
        );
    }
    if first.is_some() {
        stage.set_attribute(HAS_FOCUS, "").ok();
    }
    first
}

fn for_each(stage: &Element, selector: &str, mut visit: impl FnMut(Element)) {
    let Ok(found) = stage.query_selector_all(selector) else {
        return;
    };
    for place in 0..found.length() {
        if let Some(element) = found
            .get(place)
            .and_then(|node| wasm_bindgen::JsCast::dyn_into(node).ok())
        {
            visit(element);
        }
    }
}

/// Returns true if the identity of a part, such as `event:api-1/5`, has one of the names.
fn belongs(identity: &str, names: &[String]) -> bool {
    let id = identity.split_once(':').map_or(identity, |(_, id)| id);
    names.iter().any(|name| {
        let rest = id.strip_prefix(name.as_str());
        identity == name
            || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', ' ']))
    })
}

fn scroll_to(stage: &Element, part: &Element) {
    let (room, it) = (
        stage.get_bounding_client_rect(),
        part.get_bounding_client_rect(),
    );
    let above = it.top() - room.top() - MARGIN;
    let below = it.bottom() - room.bottom() + MARGIN / 2.0;
    if above < 0.0 || below > 0.0 {
        stage.set_scroll_top(stage.scroll_top() + above as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_belongs_to_the_name_in_its_identity() {
        let names = ["api-1".to_owned(), "3".to_owned(), "spot:12".to_owned()];
        let own = [
            "bar:api-1",
            "event:api-1/5",
            "lane:api-1:0",
            "call:api-1 → etcd-1.7",
            "watcher:3",
            "api-1",
            "spot:12",
        ];
        for identity in own {
            assert!(belongs(identity, &names), "{identity}");
        }
        for identity in ["bar:api-10", "watcher:31", "plot:12", "api-2"] {
            assert!(!belongs(identity, &names), "{identity}");
        }
    }
}
