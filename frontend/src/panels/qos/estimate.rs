//! The estimate of the number of keys that a read scans: the counted tree with the subtrees that a count adds, and the
//! newest requests in the tracker.

use watchglass_engine::view::QosQuery;
use watchglass_engine::view::qos::{QosEstimate, QosSubtree, QosSubtreePart, QosTracked};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::draw::marks;
use crate::draw::surface::num;
use crate::draw::text::{bytes, cells, count, duration, middle};
use crate::draw::{Font, Marks, Rect, pt};
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::store::StoreHandle;
use crate::words::qos as words;

/// The height of a level of the tree, and the height of a subtree, in pixels.
const LEVEL: f64 = 22.0;
const BOX: f64 = 18.0;
/// The space beside the tree, as wide as the padding of the other sections.
const SIDE: f64 = 14.0;
/// The space on both sides of a text in its subtree.
const INSET: f64 = 5.0;

/// Lays out the tree for a picture of this width. A subtree is as wide as its share of the keys, and stands at the
/// place of its keys, below the subtree that contains it.
fn scene(estimate: &QosEstimate, width: f64, font: Font) -> Marks {
    let scale = (width - 2.0 * SIDE) / estimate.keys.max(1) as f64;
    let mut all = Marks::default();
    for subtree in &estimate.subtrees {
        let (x, y) = (
            SIDE + scale * subtree.before as f64,
            LEVEL * f64::from(subtree.level),
        );
        let wide = (scale * subtree.size as f64 - 1.0).max(1.0);
        let class = match subtree.part {
            QosSubtreePart::Added => "qos-added",
            QosSubtreePart::DescendedAndOwn | QosSubtreePart::Descended => "qos-descended",
            QosSubtreePart::Skipped => "qos-skipped",
        };
        all.rect(class, Rect::new(x, y, wide, BOX), 2.0);
        let room = font.cells(wide - 2.0 * INSET);
        let text = label(subtree, room);
        if !text.is_empty() {
            all.text("qos-subtree", pt(x + INSET, y + 13.0), text);
        }
    }
    all
}

/// Returns the number of keys that a subtree adds or has, and its first and last key if there is room for them.
fn label(subtree: &QosSubtree, room: usize) -> String {
    let size = words::subtree(subtree.part, subtree.size);
    let [first, last] = &subtree.ends;
    let whole = [&size, "  ", first, " … ", last].concat();
    match room {
        room if cells(&whole) <= room => whole,
        room if cells(&size) + 12 <= room => {
            let left = room - cells(&size) - 2;
            [&size, "  ", &middle(first, left)].concat()
        }
        room if cells(&size) <= room => size,
        _ => String::new(),
    }
}

/// Returns the action that counts the keys of a range.
fn count_range(range: [String; 2]) -> Action {
    Action::View(ViewAct::QosQuery(QosQuery { range }))
}

/// Renders an input for an end of the range.
fn input(store: &StoreHandle, label: &'static str, at: usize) -> Html {
    let range = store.ui.qos_query.range.clone();
    let value = range[at].clone();
    let onchange = store.on(move |event: Event| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let mut range = range.clone();
        range[at] = input.map(|input| input.value()).unwrap_or_default();
        count_range(range)
    });
    html! {
        <label>
            <span>{ label }</span>
            <input class="wg-field" {value} {onchange} spellcheck="false" autocomplete="off" autocapitalize="off" />
        </label>
    }
}

/// Renders the section. `width` is the width of the picture.
pub fn estimate(store: &StoreHandle, estimate: &QosEstimate, width: f64, font: Font) -> Html {
    let levels = estimate.subtrees.iter().map(|subtree| subtree.level);
    let height = LEVEL * f64::from(levels.max().map_or(0, |level| level + 1));
    let is_own = store.ui.qos_query != QosQuery::default();
    html! {
        <section class="qos-estimate wg-part" aria-label={words::ESTIMATE}>
            <h3>{ words::ESTIMATE }</h3>
            <p>{ words::ABOUT_ESTIMATE }</p>
            if store.ui.figure.is_none() && store.ui.presenting.is_none() {
                <div class="qos-range">
                    { input(store, words::FROM, 0) }
                    { input(store, words::TO, 1) }
                    if is_own {
                        <button type="button" class="wg-button is-small"
                            onclick={store.on_click(Action::View(ViewAct::QosQuery(QosQuery::default())))}>
                            { words::OF_NEWEST }
                        </button>
                    }
                </div>
            }
            <p class="qos-count">{ words::counted(estimate) }</p>
            if width > 0.0 && estimate.keys > 0 {
                <svg class="qos-svg" width={num(width)} height={num(height)} role="img"
                    aria-label={words::counted(estimate)}>
                    { marks::draw(&scene(estimate, width, font)) }
                </svg>
            }
            <p>{ words::tracker(estimate) }</p>
            if !estimate.tracked.is_empty() {
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ words::HASH }</th>
                            <th scope="col">{ words::KEYS }</th>
                            <th scope="col">{ words::RESPONSE }</th>
                            <th scope="col">{ words::LATENCY }</th>
                        </tr>
                    </thead>
                    <tbody>{ for estimate.tracked.iter().map(tracked) }</tbody>
                </table>
            }
        </section>
    }
}

fn tracked(tracked: &QosTracked) -> Html {
    html! {
        <tr class={classes!("wg-part", tracked.is_of_range.then_some("is-winner"))}>
            <th scope="row">{ words::tracked(tracked) }</th>
            <td>{ count(tracked.scan) }</td>
            <td>{ bytes(tracked.bytes) }</td>
            <td>{ duration(tracked.latency_us) }</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subtree(level: u32, before: u64, size: u64, part: QosSubtreePart) -> QosSubtree {
        QosSubtree {
            level,
            before,
            size,
            ends: ["/a".to_owned(), "/b".to_owned()],
            part,
        }
    }

    #[test]
    fn a_subtree_is_as_wide_as_its_keys() {
        let estimate = QosEstimate {
            keys: 100,
            count: 31,
            one_in: 1,
            subtrees: vec![
                subtree(0, 0, 100, QosSubtreePart::DescendedAndOwn),
                subtree(1, 0, 69, QosSubtreePart::Skipped),
                subtree(1, 70, 30, QosSubtreePart::Added),
            ],
            ..QosEstimate::default()
        };
        let all = scene(&estimate, 1_000.0 + 2.0 * SIDE, Font::of(0.6));
        let added: Vec<Rect> = all.rects("qos-added").collect();
        assert_eq!(added, [Rect::new(SIDE + 700.0, LEVEL, 299.0, BOX)]);
        let at = pt(SIDE + 700.0 + INSET, LEVEL + 13.0);
        let mut texts = all.texts("qos-subtree");
        assert!(texts.any(|text| text == (at, "+30  /a … /b")), "{all:?}");
        assert_eq!(
            words::counted(&QosEstimate {
                range: "/x…".to_owned(),
                ..estimate
            }),
            "/x…: 31 keys of 100, from 1 subtree and 1 single key."
        );
    }

    #[test]
    fn a_narrow_subtree_has_no_text() {
        assert_eq!(label(&subtree(3, 0, 5, QosSubtreePart::Added), 1), "");
        assert_eq!(label(&subtree(3, 0, 5, QosSubtreePart::Added), 2), "+5");
    }
}
