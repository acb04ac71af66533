//! Parts of the page whose code is in files of their own. The page fetches the code of a part when it first shows the
//! part.
//!
//! [`later!`] declares a function that draws a part. The build moves all code that only such functions use out of the
//! page's program (`xtask/src/site/split.rs`); the sources have no list of that code. Without the feature `split`, as
//! in Trunk's build and in native tests, all code stays in one program.

use std::pin::Pin;

use futures_util::FutureExt;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::words::common as words;

/// The picture of a part, as soon as its code is fetched.
pub type Drawing = Pin<Box<dyn Future<Output = Result<Html, NotFetched>>>>;

/// The code of a part could not be fetched.
#[derive(Clone, Copy, Debug)]
pub struct NotFetched;

#[cfg(feature = "split")]
impl From<wasm_split_helpers::SplitLoaderError> for NotFetched {
    fn from(_: wasm_split_helpers::SplitLoaderError) -> Self {
        Self
    }
}

/// Declares a function that draws a part of the page, and names the file with its code. Functions with the same file
/// share it.
macro_rules! later {
    ($file:ident: fn $name:ident($($arg:ident: $type:ty),*) { $($body:tt)* }) => {
        fn $name($($arg: $type),*) -> $crate::widgets::later::Drawing {
            #[cfg_attr(feature = "split", wasm_split_helpers::wasm_split($file, fallible))]
            fn draw($($arg: $type),*) -> Result<yew::Html, $crate::widgets::later::NotFetched> {
                Ok($($body)*)
            }
            #[cfg(feature = "split")]
            let drawing = draw($($arg),*);
            #[cfg(not(feature = "split"))]
            let drawing = std::future::ready(draw($($arg),*));
            Box::pin(drawing)
        }
    };
}
pub(crate) use later;

/// A part of the page that is drawn by code of its own.
pub trait Part: Clone + PartialEq + 'static {
    fn draw(self) -> Drawing;
}

/// The state of a part: `None` while its code is being fetched, then its picture. If the code could not be fetched, a
/// callback that tries again.
pub type Fetched = Option<Result<Html, Callback<MouseEvent>>>;

/// Fetches the code of a part, and returns its state.
#[hook]
pub fn use_part<P: Part>(part: P) -> Fetched {
    let update = use_force_update();
    // The part whose code could not be fetched.
    let failed = use_state_eq(|| None::<P>);
    let is_fetching = use_mut_ref(|| false);
    if failed.as_ref() == Some(&part) {
        return Some(Err(Callback::from(move |_| failed.set(None))));
    }
    let mut drawing = part.clone().draw();
    match (&mut drawing).now_or_never() {
        Some(Ok(html)) => return Some(Ok(html)),
        Some(Err(NotFetched)) => failed.set(Some(part)),
        None if !is_fetching.replace(true) => spawn_local(async move {
            failed.set(drawing.await.is_err().then_some(part));
            is_fetching.replace(false);
            update.force_update();
        }),
        None => {}
    }
    None
}

/// Renders a part. `meanwhile` is shown while its code is being fetched.
pub fn shown(part: Fetched, meanwhile: Html) -> Html {
    match part {
        None => meanwhile,
        Some(Ok(html)) => html,
        Some(Err(again)) => html! {
            <div class="wg-notice is-bad" role="alert">
                <p>{ words::PART_NOT_LOADED }</p>
                <button type="button" class="wg-button is-small" onclick={again}>{ words::TRY_AGAIN }</button>
            </div>
        },
    }
}

#[derive(Clone, PartialEq, Properties)]
pub struct LaterProps<P: Part> {
    pub part: P,
}

/// Renders a part as soon as its code is there.
#[component]
pub fn Later<P: Part>(props: &LaterProps<P>) -> Html {
    shown(use_part(props.part.clone()), html! {})
}
