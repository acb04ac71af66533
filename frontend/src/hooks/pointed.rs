//! Finds the item under the pointer. An attribute of the item's element contains the number of the item.

use web_sys::{Element, MouseEvent};
use yew::TargetCast;

/// Returns the number in `attribute` of the nearest enclosing element that has this attribute.
pub fn pointed(event: &MouseEvent, attribute: &str) -> Option<u64> {
    let selector = format!("[{attribute}]");
    let target = event.target_dyn_into::<Element>()?;
    let element = target.closest(&selector).ok()??;
    element.get_attribute(attribute)?.parse().ok()
}
