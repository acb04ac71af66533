//! What every picture needs to know of its stage.

use yew::prelude::*;

use crate::draw::tokens::mono_advance;
use crate::hooks::size::use_size;
use crate::hooks::tokens::use_tokens;
use crate::store::StoreHandle;

/// A stage as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageSize {
    /// Its width; 0 until it is laid out.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// Width of a monospace character per pixel of font size.
    pub advance: f64,
    /// The last step went forward by one, so that what is new may glide into place.
    pub glide: bool,
}

/// The size of that element, and whether its content may move.
#[hook]
pub fn use_stage(node: &NodeRef, store: &StoreHandle) -> StageSize {
    let (width, height) = use_size(node);
    let tokens = use_tokens(node, store.ui.prefs.theme.name());
    let advance = *use_memo(tokens, |tokens| mono_advance(&tokens.mono));
    let stepped = use_mut_ref(|| (0_u64, false));
    let step = store.views.status.step;
    let mut stepped = stepped.borrow_mut();
    if stepped.0 != step {
        *stepped = (step, !store.ui.instant && step == stepped.0 + 1);
    }
    StageSize {
        width,
        height,
        advance,
        glide: stepped.1,
    }
}
