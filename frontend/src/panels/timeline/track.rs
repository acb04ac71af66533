//! The track: a slider over the run, with a mark for each step. Above the marks is a bar for each beat: pointing at it
//! shows the first sentence of the beat, and a click moves the cursor to the end of the beat.

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::bins::Bins;
use super::curves::{self, curves};
use super::marks::{self, BEATS_REACH, ROW_Y, climb, marks, tenths};
use super::scale::Scale;
use crate::draw::surface::move_to;
use crate::hooks::shortcuts::arrow;
use crate::hooks::use_width;
use crate::panels::terms::with_code;
use crate::state::Action;
use crate::state::action::ViewAct;
use crate::state::choices::Axis;
use crate::store::use_store;
use crate::words::timeline as words;
use watchglass_engine::session::protocol::SeekTo;

#[component]
pub fn Track() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let dragging = use_mut_ref(|| false);
    use_width(
        &node,
        store.on(|value| Action::View(ViewAct::TimelineWidth(value))),
    );

    let status = &store.views.status;
    let width = f64::from(store.ui.timeline_columns);
    let empty = Default::default();
    let view = store.views.timeline.as_ref().unwrap_or(&empty);
    let binned = view.markers.is_empty() && !view.bins.is_empty();
    let axis = if binned { Axis::Step } else { store.ui.axis };
    let scale = Scale::new(axis, view, width);
    let cursor = scale.cursor(status, view);

    // The number of the beat that the pointer is on.
    let pointed = use_state_eq(|| None::<u64>);
    let tip = use_node_ref();
    let named = pointed.and_then(|number| view.beats.iter().find(|beat| beat.number == number));
    {
        // The middle of the tooltip is above the bar, unless an edge of the track is too near.
        let (tip, x) = (tip.clone(), named.map(|beat| scale.beat(beat, view)));
        use_effect_with((x.map(|x| x as i32), width as i32), move |_| {
            if let (Some(x), Some(tip)) = (x, tip.cast::<HtmlElement>()) {
                let wide = f64::from(tip.offset_width());
                move_to(
                    &tip,
                    (x - wide / 2.0).min(width - wide).max(0.0),
                    -f64::from(tip.offset_height()) - 4.0,
                );
            }
        });
    }
    let beat_under = {
        let (store, node) = (store.clone(), node.clone());
        move |event: &PointerEvent| {
            let track = node.cast::<Element>()?.get_bounding_client_rect();
            let (x, y) = (
                f64::from(event.client_x()) - track.left(),
                f64::from(event.client_y()) - track.top(),
            );
            let view = store.views.timeline.as_ref().filter(|_| y < BEATS_REACH)?;
            scale.beat_at(x, view).map(|beat| beat.number)
        }
    };
    let seek_to = {
        let store = store.clone();
        let (node, beat_under, dragging) = (node.clone(), beat_under.clone(), dragging.clone());
        move |event: &PointerEvent| {
            let Some(track) = node.cast::<Element>() else {
                return;
            };
            let x = f64::from(event.client_x()) - track.get_bounding_client_rect().left();
            if let Some(view) = &store.views.timeline {
                let beat = beat_under(event).filter(|_| !*dragging.borrow());
                let to = beat.map_or_else(|| scale.seek(x, view), SeekTo::Beat);
                let status = &store.views.status;
                let is_here = match to {
                    SeekTo::Beat(beat) => beat == status.beat.number,
                    to => to == SeekTo::Step(status.step) && status.beat.place == 0,
                };
                if !is_here {
                    store.dispatch(Action::seek(to));
                }
            }
        }
    };
    let on_down = {
        let seek_to = seek_to.clone();
        let dragging = dragging.clone();
        let node = node.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() != 0 {
                return;
            }
            seek_to(&event);
            dragging.replace(true);
            if let Some(track) = node.cast::<Element>() {
                track.set_pointer_capture(event.pointer_id()).ok();
            }
        })
    };
    let on_move = {
        let (dragging, pointed) = (dragging.clone(), pointed.setter());
        Callback::from(move |event: PointerEvent| {
            if *dragging.borrow() {
                pointed.set(None);
                seek_to(&event);
            } else {
                pointed.set(beat_under(&event));
            }
        })
    };
    let on_leave = {
        let pointed = pointed.setter();
        Callback::from(move |_: PointerEvent| pointed.set(None))
    };
    let on_up = Callback::from(move |_: PointerEvent| {
        dragging.replace(false);
    });
    let on_key = {
        let store = store.clone();
        Callback::from(move |event: KeyboardEvent| {
            let control = event.ctrl_key() || event.meta_key();
            let action = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => arrow(false, control, event.shift_key()),
                "ArrowRight" | "ArrowUp" => arrow(true, control, event.shift_key()),
                "Home" => Action::seek(SeekTo::Step(0)),
                "End" => Action::seek(SeekTo::End),
                _ => return,
            };
            event.prevent_default();
            store.dispatch(action);
        })
    };
    let now = view
        .markers
        .iter()
        .find(|marker| marker.step == status.step);
    let label = match status.beat.place {
        0 => now.map(|marker| marker.label.clone()),
        _ => status.now.clone(),
    };
    let label = label.filter(|label| !label.is_empty());
    let additions: Vec<String> = label
        .into_iter()
        .chain(curves::words_at(view, status.step))
        .collect();
    let position = words::position(status.step, status.steps, status.revision, &additions);
    let kinds = curves::kinds(view);
    let has_curves = !kinds.is_empty();
    html! {
        <div class={classes!("wg-track", has_curves.then_some("has-curves"))}>
            <div class="wg-track-labels" aria-hidden="true">
                if !view.beats.is_empty() {
                    <span class="is-beats">
                        { if status.is_told { words::STORY_ROW } else { words::COMMANDS_ROW } }
                    </span>
                }
                <span>{ words::STEPS_ROW }</span>
                if !binned { <span class="is-revision">{ words::REVISION_ROW }</span> }
                if has_curves { { curves::labels(&kinds) } }
            </div>
            if has_curves { <p id="wg-curve-words" class="wg-unseen">{ curves::summary(view) }</p> }
            <div ref={node} class="wg-slider" role="slider" tabindex="0" aria-label={words::TRACK}
                aria-valuemin="0" aria-valuemax={status.steps.to_string()}
                aria-valuenow={status.step.to_string()} aria-valuetext={position}
                aria-describedby={has_curves.then_some("wg-curve-words")}
                onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up.clone()}
                onpointercancel={on_up} onpointerleave={on_leave} onkeydown={on_key}>
                if binned {
                    <Bins view={view.clone()} columns={store.ui.timeline_columns} {width}
                        theme={store.ui.prefs.theme.name()} />
                }
                <svg class="wg-marks" aria-hidden="true" width={tenths(width)} height="100%">
                    { marks::beats(view, &scale, status.beat.number) }
                    if !binned {
                        <line class="wg-rail" x1="0" x2={tenths(width)} y1={tenths(ROW_Y)} y2={tenths(ROW_Y)} />
                        if let Some(path) = climb(view, &scale, width - super::scale::PAD, has_curves) {
                            <path class="wg-climb" d={path} />
                        }
                        { marks(view, &scale, status.step) }
                    }
                    { marks::places(view, &scale, status.beat.number) }
                    if has_curves { { curves(&kinds, view, &scale, width) } }
                    <g class="wg-playhead" transform={format!("translate({} 0)", tenths(cursor))}>
                        <line y1="0" y2="100%" />
                        <circle cy={tenths(ROW_Y)} r="8" />
                    </g>
                </svg>
                if let Some(beat) = named {
                    <p ref={tip} class="wg-beat-tip" aria-hidden="true">
                        { words::beat_of(beat.number, status.beat.count) }{ with_code(&beat.label, |text| text.into()) }
                    </p>
                }
            </div>
        </div>
    }
}
