//! The size of the drawing area of a view (the stage), and the settings that every picture needs.

use yew::prelude::*;

use crate::draw::Room;
use crate::draw::tokens::mono_advance;
use crate::hooks::motion::use_motion;
use crate::hooks::size::use_size;
use crate::hooks::tokens::use_tokens;
use crate::store::StoreHandle;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageSize {
    pub room: Room,
}

#[hook]
pub fn use_stage(node: &NodeRef, store: &StoreHandle) -> StageSize {
    let (width, height) = use_size(node);
    let tokens = use_tokens(node, store.ui.prefs.theme.name());
    let advance = *use_memo(tokens, |tokens| mono_advance(&tokens.mono));
    use_motion(node, &store.views.status);
    StageSize {
        room: Room::new(width, height, advance),
    }
}
