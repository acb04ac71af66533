//! The tooltip of the item of the Index view that the pointer or the keyboard focus is on.
//!
//! The tooltip stays open while the pointer is on it, closes with Escape, and never covers its own bead if there is
//! room.

use crate::draw::surface::{move_to, within};
use watchglass_engine::view::IndexView;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::spot::{Spot, SpotKind, bead_of, bin_of, lane_of};
use crate::words::index as words;

#[derive(Properties, PartialEq)]
pub struct TooltipProps {
    pub card: Card,
    /// The x coordinate of the middle of the item.
    pub x: f64,
    /// The y coordinate of the middle of the item.
    pub y: f64,
    /// Half the width and half the height of the item.
    pub half: (f64, f64),
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub title: String,
    pub state: &'static str,
    pub gloss: &'static str,
    pub fields: Vec<(&'static str, String)>,
}

impl Card {
    /// Returns the tooltip for a spot (an item of the picture); `None` if the view does not contain the item.
    pub fn of(view: &IndexView, spot: &Spot) -> Option<Card> {
        let lane = lane_of(view, spot.lane)?;
        let title = lane.name.clone();
        match spot.what {
            SpotKind::Name => {
                let last = lane.threads.last();
                let mut fields = Vec::new();
                if let Some(last) = last {
                    fields.push((words::GENERATIONS, (last.number + 1).to_string()));
                    fields.push((words::CHANGES_IN_LAST, last.ver.to_string()));
                }
                Some(Card {
                    title,
                    state: words::key_state(lane),
                    gloss: words::SELECT_KEY,
                    fields,
                })
            }
            SpotKind::Change { .. } => {
                let bead = bead_of(lane, spot.what)?;
                let mut fields = vec![(words::REVISION, words::revision(bead.main, bead.sub))];
                if bead.version > 0 {
                    fields.push((words::VERSION, bead.version.to_string()));
                }
                if let Some(life) = words::life_of(lane, bead.main) {
                    if bead.version > 0 {
                        fields.push(("create_revision", life.first.to_string()));
                    }
                    fields.push((words::GENERATION, words::generation(life.number)));
                }
                if !bead.label.is_empty() {
                    fields.push((words::VALUE, bead.label.clone()));
                }
                if !bead.lease.is_empty() {
                    fields.push((words::lease(bead), bead.lease.clone()));
                }
                Some(Card {
                    title,
                    state: words::state(bead, words::pinned(view, bead)),
                    gloss: words::gloss(bead),
                    fields,
                })
            }
            SpotKind::Column { from, to } => {
                let bin = bin_of(view, lane, spot.what)?;
                let mut range = from.to_string();
                if to > from {
                    range.push('–');
                    range.push_str(&to.to_string());
                }
                Some(Card {
                    title,
                    state: words::bin_state(bin.state),
                    gloss: words::ZOOM_FOR_CHANGES,
                    fields: vec![
                        (words::REVISIONS, range),
                        (words::CHANGES, bin.count.to_string()),
                    ],
                })
            }
        }
    }
}

/// Returns the position of a tooltip of this size: above the item if there is room, otherwise below it, otherwise
/// beside it, so that the tooltip does not cover the item. The transparent border of the tooltip touches the item, so
/// that the pointer can move onto the tooltip.
fn place(size: (f64, f64), at: (f64, f64), half: (f64, f64), stage: (f64, f64)) -> (f64, f64) {
    const EDGE: f64 = 4.0;
    let (w, h) = size;
    let centred = within(at.0 - w / 2.0, EDGE, (stage.0 - w - EDGE).max(EDGE));
    let (above, below) = (at.1 - half.1 - h, at.1 + half.1);
    if above >= 0.0 {
        (centred, above)
    } else if below + h <= stage.1 {
        (centred, below)
    } else {
        let top = within(at.1 - h / 2.0, 0.0, (stage.1 - h).max(0.0));
        let (right, left) = (at.0 + half.0, at.0 - half.0 - w);
        let side = if right + w <= stage.0 || left < 0.0 {
            right
        } else {
            left
        };
        (within(side, 0.0, (stage.0 - w).max(0.0)), top)
    }
}

#[component]
pub fn Tooltip(props: &TooltipProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        let (x, y, half, width, height) = (props.x, props.y, props.half, props.width, props.height);
        let card = props.card.clone();
        use_effect_with((x, y, half, width, height, card), move |_| {
            if let Some(element) = node.cast::<HtmlElement>() {
                let (w, h) = (
                    f64::from(element.offset_width()),
                    f64::from(element.offset_height()),
                );
                let (left, top) = place((w, h), (x, y), half, (width, height));
                move_to(&element, left, top);
            }
        });
    }
    let card = &props.card;
    html! {
        <div ref={node} class="loom-tip" aria-hidden="true">
            <div class="loom-tip-card">
                <div class="loom-tip-title">{ &card.title }</div>
                <dl>
                    { for card.fields.iter().map(|(name, value)| html! {
                        <><dt>{ *name }</dt><dd>{ value }</dd></>
                    }) }
                </dl>
                <p>{ words::explained(card.state, card.gloss) }</p>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::{Card, place};
    use crate::panels::index::fixture;
    use crate::panels::index::spot::{Spot, SpotKind};
    use watchglass_engine::view::BeadState;

    #[test]
    fn a_card_names_the_lease_of_a_value_and_the_lease_that_deleted_a_key() {
        let mut view = fixture::two_lives();
        for (state, name) in [
            (BeadState::Live, "lease"),
            (BeadState::Tombstone, "deleted by lease"),
        ] {
            let lane = &mut view.lanes[0];
            let bead = lane.beads.iter_mut().find(|bead| bead.state == state);
            let bead = bead.expect("the fixture has such a change");
            bead.lease = "694d".to_owned();
            let (main, sub) = (bead.main, bead.sub);
            let spot = Spot {
                lane: 0,
                what: SpotKind::Change { main, sub },
            };
            let card = Card::of(&view, &spot).expect("a card");
            assert_eq!(card.fields.last(), Some(&(name, "694d".to_owned())));
        }
    }

    #[test]
    fn a_card_stands_beside_its_thing() {
        let stage = (600.0, 300.0);
        let half = (14.0, 16.0);
        assert_eq!(
            place((200.0, 100.0), (300.0, 200.0), half, stage),
            (200.0, 84.0)
        );
        assert_eq!(
            place((200.0, 100.0), (300.0, 50.0), half, stage),
            (200.0, 66.0)
        );
        assert_eq!(
            place((200.0, 280.0), (300.0, 50.0), half, stage),
            (314.0, 0.0)
        );
        assert_eq!(
            place((200.0, 280.0), (500.0, 50.0), half, stage),
            (286.0, 0.0)
        );
        assert_eq!(
            place((200.0, 100.0), (5.0, 200.0), half, stage),
            (4.0, 84.0)
        );
    }
}
