//! What was pointed at: the number that the nearest element around it carries in an attribute.

use web_sys::{Element, MouseEvent};
use yew::TargetCast;

/// The number in that attribute of what the event is about.
pub fn pointed(event: &MouseEvent, attribute: &str) -> Option<u64> {
    let selector = format!("[{attribute}]");
    let target = event.target_dyn_into::<Element>()?;
    let element = target.closest(&selector).ok()??;
    element.get_attribute(attribute)?.parse().ok()
}
