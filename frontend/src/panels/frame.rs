//! The parts that all views share: the drawing area with its caption and foot, the items that can be selected in the
//! picture, and the table that can replace the picture.

use std::rc::Rc;

use watchglass_engine::view::Views;
use web_sys::MouseEvent;
use yew::prelude::*;

use crate::hooks::stage::StageSize;
use crate::hooks::{pointed, use_focus, use_reveal, use_stage};
use crate::store::{StoreHandle, use_store};
use crate::widgets::grid::{Grid, table_toggle};
use crate::widgets::{GridRow, Shared};

#[derive(Clone)]
pub struct Frame {
    pub store: StoreHandle,
    pub stage: StageSize,
    pub node: NodeRef,
    /// The names of the parts to which the beat points, one per line.
    focus: String,
}

/// Returns the frame of a view in which a beat highlights nothing.
#[hook]
pub fn use_frame() -> Frame {
    use_focused_frame(|_, _| Vec::new())
}

/// Returns the frame of a view. Marks the parts of the picture to which the beat at the cursor points, and dims the
/// others. `names` returns the names of these parts for the key, watcher or node of the beat.
#[hook]
pub fn use_focused_frame(names: impl FnOnce(&Views, &str) -> Vec<String>) -> Frame {
    let store = use_store();
    let node = use_node_ref();
    let stage = use_stage(&node, &store);
    let target = &store.views.status.beat.focus;
    let names = match target.is_empty() {
        true => Vec::new(),
        false => names(&store.views, target),
    };
    let focus = names.join("\n");
    use_focus(&node, &store.views, stage.room.width > 0.0, focus.clone());
    Frame {
        store,
        stage,
        node,
        focus,
    }
}

impl Frame {
    pub fn is_laid_out(&self) -> bool {
        self.stage.room.width > 0.0
    }

    /// Returns true if the view has little room, and nobody can scroll it: in presenter mode and in a figure.
    pub fn is_low(&self) -> bool {
        self.store.ui.presenting.is_some() || self.store.ui.figure.is_some()
    }

    /// Renders a view. `region` is the name of the drawing area if the view has no table, so that the keyboard must
    /// scroll the drawing area.
    pub fn view(
        &self,
        name: &'static str,
        caption: Option<String>,
        region: Option<&'static str>,
        body: Html,
        foot: Option<Html>,
    ) -> Html {
        let (role, tabindex) = region.map(|_| ("region", "0")).unzip();
        let focus = Some(self.focus.clone()).filter(|focus| !focus.is_empty());
        html! {
            <figure class="wg-view" aria-label={name}>
                <figcaption class="wg-unseen">{ caption.unwrap_or_default() }</figcaption>
                <div ref={self.node.clone()} class="wg-view-scroll wg-fades" data-focus={focus} {tabindex} {role}
                    aria-label={region}>
                    { body }
                </div>
                if let Some(foot) = foot {
                    <div class="wg-view-foot">{ foot }</div>
                }
            </figure>
        }
    }
}

/// The items of a picture. Each item has a row in the table.
#[derive(Clone)]
pub struct Items {
    attribute: &'static str,
    active: UseStateHandle<Option<u64>>,
    is_table: UseStateHandle<bool>,
    pub on_active: Callback<Option<u64>>,
}

/// Returns the items of a picture; `attribute` contains the number of an item. Without an attribute, the picture is not
/// scrolled to the item with the focus.
#[hook]
pub fn use_items(frame: &Frame, attribute: &'static str) -> Items {
    let active = use_state_eq(|| None::<u64>);
    let is_table = use_state(|| false);
    use_reveal(
        &frame.node,
        attribute,
        active.filter(|_| !attribute.is_empty()),
    );
    let on_active = {
        let active = active.clone();
        use_callback((), move |id, ()| active.set(id))
    };
    Items {
        attribute,
        active,
        is_table,
        on_active,
    }
}

impl Items {
    /// Returns the item that has the keyboard focus in the table.
    pub fn active(&self) -> Option<u64> {
        *self.active
    }

    /// Returns true if the table replaces the picture.
    pub fn is_table(&self) -> bool {
        *self.is_table
    }

    pub fn on_click(&self, on_choose: &Callback<u64>) -> Callback<MouseEvent> {
        let (attribute, on_choose) = (self.attribute, on_choose.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(id) = pointed(&event, attribute) {
                on_choose.emit(id);
            }
        })
    }

    pub fn grid(
        &self,
        label: &'static str,
        columns: &'static [&'static str],
        rows: &Shared<Vec<GridRow>>,
        chosen: Option<u64>,
        on_choose: Callback<u64>,
    ) -> Html {
        let rows: Rc<Vec<GridRow>> = rows.0.clone();
        html! {
            <Grid {label} {columns} total={rows.len() as u64} {rows} {chosen} visible={self.is_table()} {on_choose}
                on_active={self.on_active.clone()} />
        }
    }

    /// Renders the button that switches between the picture and the table.
    pub fn toggle(&self) -> Html {
        table_toggle(&self.is_table)
    }
}
