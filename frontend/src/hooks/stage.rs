//! The size of the drawing area of a view (the stage), and the settings that every picture needs.

use yew::prelude::*;

use crate::draw::Room;
use crate::draw::tokens::mono_advance;
use crate::hooks::size::use_size;
use crate::hooks::tokens::use_tokens;
use crate::store::StoreHandle;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageSize {
    pub room: Room,
    /// True if the cursor has just moved forward by one step, so new items may be animated.
    pub glide: bool,
}

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
        room: Room::new(width, height, advance),
        glide: stepped.1,
    }
}
