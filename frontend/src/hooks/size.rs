//! The size of an element, kept up to date. A poster (a picture that is drawn before the program runs) has no browser
//! to measure its size, so its size is given.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// The size of a poster's drawing area, in CSS pixels. Components get this size as a context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosterSize {
    pub width: f64,
    pub height: f64,
}

/// Returns the width and height inside the element's border, in CSS pixels; zero before the first layout.
#[hook]
pub fn use_size(node: &NodeRef) -> (f64, f64) {
    let poster = use_context::<PosterSize>();
    let size = use_state_eq(|| poster.map_or((0.0, 0.0), |poster| (poster.width, poster.height)));
    {
        let (node, size) = (node.clone(), size.clone());
        use_effect_with((), move |()| {
            let watch = node.cast::<Element>().and_then(|element| {
                let measure = {
                    let element = element.clone();
                    move || {
                        // Whole pixels, so that a fluctuating fraction does not redraw the picture.
                        size.set((
                            f64::from(element.client_width()),
                            f64::from(element.client_height()),
                        ));
                    }
                };
                measure();
                let closure = Closure::<dyn Fn()>::new(measure);
                let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, closure))
            });
            move || {
                if let Some((observer, _closure)) = watch {
                    observer.disconnect();
                }
            }
        });
    }
    *size
}
