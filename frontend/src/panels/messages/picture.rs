//! Draws the Messages view: the messages and the legend of the lines.

use watchglass_engine::view::MessagesView;
use watchglass_engine::view::messages::{Arrow, Fate};
use watchglass_engine::view::narrate::message::ArrowKind;
use yew::prelude::*;

use super::scene::MessagesScene;
use crate::draw::marks;
use crate::draw::order;
use crate::draw::surface::num;
use crate::words::messages as words;

/// Renders the scene. The figure's caption and the list contain the same information in words. New messages draw
/// themselves from the sender to the receiver, in the order of their times.
pub fn picture(scene: &MessagesScene, active: Option<u64>) -> Html {
    let width = num(scene.plan.width);
    html! {
        <>
        // This part stays visible while the lanes are scrolled.
        { scene.top.svg("msg-svg msg-top", scene.plan.width, scene.plan.top()) }
        <svg class="msg-svg" {width} height={num(scene.plan.height)} aria-hidden="true">
            <defs>
                { marks::hatch("msg-hatch", "7", "2") }
                { marks::hatch("msg-hatch-fold", "8", "1.2") }
            </defs>
            <g key="back">{ marks::draw(&scene.back) }</g>
            <g key="arrows">
                { for scene.arrows.iter().map(|arrow| {
                    let focus = (active == Some(arrow.id)).then_some("focus");
                    html! {
                        <g key={arrow.id} class={classes!(arrow.class.clone(), focus)}
                            data-message={arrow.id.to_string()} data-mark={format!("message:{}", arrow.id)}
                            data-order={order::AXIS.to_string()} data-born={(order::MESSAGE + arrow.at).to_string()}
                            data-way="draw">
                            <title>{ &arrow.title }</title>
                            { marks::draw(&arrow.marks) }
                        </g>
                    }
                }) }
            </g>
            <g key="front">{ marks::draw(&scene.front) }</g>
            <g key="labels">
                { for scene.labels.iter().map(|(id, at, label)| html! {
                    <g key={*id} data-message={id.to_string()} data-mark={format!("label:{id}")}
                        data-order={order::AXIS.to_string()} data-born={(order::MESSAGE + at).to_string()}>
                        { marks::draw(label) }
                    </g>
                }) }
            </g>
        </svg>
        </>
    }
}

/// Renders the legend that explains the lines of messages.
pub fn legend(view: &MessagesView) -> Html {
    let item = |class: &'static str, line: &'static str, more: &'static str, name: &'static str| {
        html! {
            <li>
                <svg width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">
                    <g {class}>
                        <path class="msg-line" d={line} />
                        <path class={if class == "msg lost" { "msg-cross" } else { "msg-tip" }} d={more} />
                    </g>
                </svg>
                { name }
            </li>
        }
    };
    let tip = "M29 7l-9-4v8z";
    let has = |wanted: &dyn Fn(&Arrow) -> bool| view.arrows.iter().any(wanted);
    let is_kind = |kinds: &'static [ArrowKind]| move |arrow: &Arrow| kinds.contains(&arrow.kind);
    html! {
        <ul class="msg-legend">
            if has(&is_kind(&[ArrowKind::Request, ArrowKind::Answer])) {
                { item("msg request", "M0 7H21", tip, words::REQUEST) }
            }
            if has(&is_kind(&[ArrowKind::WatchControl])) {
                { item("msg control", "M0 7H21", tip, words::WATCH_REQUEST) }
            }
            if has(&is_kind(&[ArrowKind::WatchEvents])) {
                { item("msg events", "M0 7H21", tip, words::WATCH_RESPONSE) }
            } else if has(&is_kind(&[ArrowKind::WatchAnswer])) {
                { item("msg told", "M0 7H21", tip, words::WATCH_RESPONSE) }
            }
            if has(&|arrow| matches!(arrow.fate, Fate::Lost | Fate::Broken)) {
                { item("msg lost", "M0 7H14", "M16 2l10 10M26 2l-10 10", words::LOST) }
            }
            if has(&|arrow| arrow.count > 1) {
                <li>
                    <svg width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">
                        <g class="msg request"><path class="msg-many" d="M0 4h17v-4l13 7-13 7v-4h-17z" /></g>
                    </svg>
                    { words::MANY }
                </li>
            }
            if !view.bars.is_empty() {
                <li>
                    <svg width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">
                        <rect class="msg-wait" x="1" y="2" width="28" height="10" rx="4" />
                    </svg>
                    { words::WAITING }
                </li>
            }
            if view.stretches.iter().any(|stretch| stretch.folded) {
                <li>
                    <svg width="12" height="14" viewBox="0 0 12 14" aria-hidden="true">
                        <path class="msg-zigzag" d="M4 0l5 3.5-5 3.5 5 3.5-5 3.5" />
                    </svg>
                    { words::TIME_SKIPPED }
                </li>
            }
        </ul>
    }
}
