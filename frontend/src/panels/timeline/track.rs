//! The track: a slider over the run, with a mark for each step.

use web_sys::Element;
use yew::prelude::*;

use super::bins::Bins;
use super::curves::{self, curves};
use super::marks::{self, ROW_Y, climb, marks, tenths};
use super::scale::Scale;
use crate::hooks::shortcuts::arrow;
use crate::hooks::use_width;
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

    let seek_to = {
        let store = store.clone();
        let node = node.clone();
        move |event: &PointerEvent| {
            let Some(track) = node.cast::<Element>() else {
                return;
            };
            let x = f64::from(event.client_x()) - track.get_bounding_client_rect().left();
            if let Some(view) = &store.views.timeline {
                let to = scale.seek(x, view);
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
            dragging.replace(true);
            if let Some(track) = node.cast::<Element>() {
                track.set_pointer_capture(event.pointer_id()).ok();
            }
            seek_to(&event);
        })
    };
    let on_move = {
        let dragging = dragging.clone();
        Callback::from(move |event: PointerEvent| {
            if *dragging.borrow() {
                seek_to(&event);
            }
        })
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
                onpointercancel={on_up} onkeydown={on_key}>
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
            </div>
        </div>
    }
}
