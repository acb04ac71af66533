//! Shows when an ending of the run became inevitable: the endings to choose from, the share of replays with the ending
//! by step, and the last step from which it could be avoided.

use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::odds::EndingsView;
use web_sys::{HtmlInputElement, MouseEvent, SubmitEvent};
use yew::prelude::*;

use crate::draw::marks::{draw, polyline};
use crate::draw::surface::num;
use crate::draw::text::count;
use crate::draw::{Marks, Point, pt};
use crate::state::Action;
use crate::state::odds::{Cliff, Odds, OddsAct, OddsPoint};
use crate::state::ui::Dialog;
use crate::store::{StoreHandle, use_store};
use crate::words::{common, nemesis, odds as words};

/// The size of the chart and the room around its axes, in pixels.
const SIZE: (f64, f64) = (600.0, 190.0);
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;
const POINT: f64 = 3.4;

#[component]
pub(super) fn OddsDialog() -> Html {
    let store = use_store();
    let odds = &store.ui.odds;
    html! {
        <div class="wg-odds">
            { match (&odds.chosen, &odds.endings) {
                (Some((ending, first)), _) => html! {
                    <>
                        <div class="wg-row">
                            <h3>{ words::ending(ending) }{ ", " }{ words::first_after(*first) }</h3>
                            <span class="wg-spring"></span>
                            { button(&store, words::OTHER_ENDING, OddsAct::Back) }
                        </div>
                        { leave_out(&store, odds.leaves_out) }
                        { result(&store, odds, *first) }
                    </>
                },
                (None, Some(endings)) => choice(&store, endings),
                (None, None) if odds.is_running() => html! { <p role="status">{ words::SEARCHING }</p> },
                // The engine has refused to search the run.
                (None, None) => html! {},
            } }
            if let Some(refusal) = &odds.refusal {
                <p class="wg-odds-refusal" role="alert">{ refusal }</p>
            }
        </div>
    }
}

fn button(store: &StoreHandle, label: &str, act: OddsAct) -> Html {
    html! {
        <button type="button" class="wg-button is-small" onclick={store.on_click(Action::Odds(act))}>
            { label.to_owned() }
        </button>
    }
}

fn choice(store: &StoreHandle, endings: &EndingsView) -> Html {
    html! {
        <>
            <p>{ words::INTRODUCTION }</p>
            if endings.found.is_empty() {
                <p>{ words::NO_ENDINGS }</p>
                <div class="wg-row">
                    <button type="button" class="wg-button is-small"
                        onclick={store.on_click(Action::OpenDialog(Dialog::Nemesis))}>
                        { nemesis::TITLE }
                    </button>
                </div>
            } else {
                <h3>{ words::ENDINGS }</h3>
                <ul>
                    { for endings.found.iter().map(|(ending, first)| {
                        let act = OddsAct::Choose(ending.clone(), *first);
                        html! {
                            <li>
                                <button type="button" class="wg-list-item" onclick={store.on_click(Action::Odds(act))}>
                                    <span>{ words::ending(ending) }</span>
                                    <small>{ words::first_after(*first) }</small>
                                </button>
                            </li>
                        }
                    }) }
                </ul>
            }
            <OwnCondition />
        </>
    }
}

#[component]
fn OwnCondition() -> Html {
    let store = use_store();
    let field = use_node_ref();
    let onsubmit = {
        let (store, field) = (store.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlInputElement>() {
                store.dispatch(Action::Odds(OddsAct::Condition(field.value())));
            }
        })
    };
    html! {
        <form class="wg-odds-condition" {onsubmit}>
            <label for="wg-odds-field">{ words::OWN_CONDITION }</label>
            <div class="wg-row">
                <input ref={field} id="wg-odds-field" class="wg-field" type="text" spellcheck="false"
                    autocomplete="off" required=true placeholder={words::CONDITION_EXAMPLE}
                    defaultvalue={store.ui.odds.condition.clone()} />
                <button type="submit" class="wg-button">{ words::FIND }</button>
            </div>
        </form>
    }
}

fn leave_out(store: &StoreHandle, leaves_out: bool) -> Html {
    let onchange = store.on(|event: Event| {
        let field = event.target_dyn_into::<HtmlInputElement>();
        Action::Odds(OddsAct::LeaveOut(
            field.is_some_and(|field| field.checked()),
        ))
    });
    html! {
        <label class="wg-odds-leave-out">
            <input type="checkbox" checked={leaves_out} {onchange} />
            <span>{ words::LEAVE_OUT }<small>{ words::LEAVE_OUT_ABOUT }</small></span>
        </label>
    }
}

fn result(store: &StoreHandle, odds: &Odds, first: u64) -> Html {
    let stopped: u32 = odds.points.values().map(|point| point.view.stopped).sum();
    html! {
        <>
            <div class="wg-row" role="status">
                if odds.is_running() {
                    <span>{ words::progress(odds.replays()) }</span>
                    <span class="wg-spring"></span>
                    { button(store, words::STOP, OddsAct::Stop) }
                } else {
                    { conclusion(store, odds, first) }
                }
            </div>
            { chart(store, odds, first) }
            if stopped > 0 {
                <p>{ words::stopped(stopped) }</p>
            }
            <details>
                <summary>{ words::RESULTS }</summary>
                <table>
                    <thead><tr>
                        <th scope="col">{ words::STEP }</th>
                        <th scope="col">{ words::REPLAYS }</th>
                        <th scope="col">{ words::HITS }</th>
                    </tr></thead>
                    <tbody>
                        { for odds.points.values().map(|point| html! {
                            <tr key={point.view.step}>
                                <th scope="row">{ seek(store, point.view.step, count(point.view.step)) }</th>
                                <td>{ point.view.replays }</td>
                                <td>{ point.view.hits }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </details>
        </>
    }
}

/// Renders a button that closes the dialog and moves the cursor.
fn seek(store: &StoreHandle, step: u64, label: String) -> Html {
    let handle = store.clone();
    let onclick = Callback::from(move |_: MouseEvent| go_to(&handle, step));
    html! { <button type="button" class="wg-button is-small" {onclick}>{ label }</button> }
}

fn go_to(store: &StoreHandle, step: u64) {
    store.dispatch(Action::CloseDialog);
    store.dispatch(Action::seek(SeekTo::Step(step)));
}

fn conclusion(store: &StoreHandle, odds: &Odds, first: u64) -> Html {
    let (last, after) = match odds.cliff() {
        None => return html! {},
        Some(Cliff::Always) => {
            return html! {
                <p>
                    { words::always(odds.replays()) }
                    if !odds.leaves_out { { " " }{ words::COMMANDS_DECIDE } }
                </p>
            };
        }
        Some(Cliff::After(last, after)) => (last, after),
    };
    let counts = |point: &OddsPoint| (point.view.hits, point.view.replays);
    let next = after.map_or(first, |after| after.view.step);
    let (sentence, command) = &last.view.next;
    let command = html! { <code>{ command }</code> };
    let step = last.view.step;
    html! {
        <div class="wg-odds-result">
            <p>
                { words::cliff(step, counts(last), next, after.map(counts)) }
                if !odds.is_exact() { { " " }{ words::APPROXIMATE } }
            </p>
            <p>{ words::turning_point(step + 1, sentence, command) }</p>
            <div class="wg-row">
                { seek(store, step, common::go_to_step(step)) }
                if let Some(text) = &last.view.avoided {
                    { button(store, words::OPEN_AVOIDED, OddsAct::OpenAvoided(step, text.clone())) }
                }
            </div>
        </div>
    }
}

fn chart(store: &StoreHandle, odds: &Odds, first: u64) -> Html {
    let (width, height) = SIZE;
    let (right, bottom) = (width - RIGHT, height - BOTTOM);
    let place = |step: f64, share: f64| {
        let x = LEFT + (right - LEFT) * step / (first.max(1) as f64);
        pt(x, bottom - (bottom - TOP) * share)
    };
    let share =
        |point: &OddsPoint| f64::from(point.view.hits) / f64::from(point.view.replays.max(1));
    let middle = |point: &OddsPoint| place(point.view.step as f64, share(point));
    let mut marks = Marks::default();
    for (value, text) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
        let y = place(0.0, value).y;
        marks.path("wg-odds-grid", polyline(&[pt(LEFT, y), pt(right, y)]));
        marks.text("wg-odds-value", pt(LEFT - 8.0, y + 4.0), text.to_owned());
    }
    marks.text("wg-odds-step", pt(LEFT, height - 8.0), words::step(0));
    marks.text(
        "wg-odds-step is-end",
        pt(right, height - 8.0),
        words::step(first),
    );
    if let Some(Cliff::After(last, _)) = odds.cliff() {
        let x = place(last.view.step as f64, 0.0).x;
        marks.path("wg-odds-cliff", polyline(&[pt(x, TOP), pt(x, bottom)]));
    }
    let mut line: Vec<Point> = odds.points.values().map(middle).collect();
    if !line.is_empty() {
        line.push(place(first as f64, 1.0));
    }
    marks.path("wg-odds-line", polyline(&line));
    for point in odds.points.values() {
        marks.circle("wg-odds-point", middle(point), POINT);
    }
    let handle = store.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        let Some(svg) = event
            .target_dyn_into::<web_sys::Element>()
            .and_then(|at| at.closest("svg").ok().flatten())
        else {
            return;
        };
        let room = svg.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - room.left()) / room.width().max(1.0) * width;
        let step = ((x - LEFT) / (right - LEFT) * first as f64)
            .round()
            .clamp(0.0, first as f64);
        go_to(&handle, step as u64);
    });
    html! {
        <figure>
            <figcaption>{ words::CHART }</figcaption>
            <svg class="wg-odds-chart" viewBox={format!("0 0 {} {}", num(width), num(height))} role="img"
                aria-label={words::CHART} {onclick}>
                { draw(&marks.0) }
            </svg>
        </figure>
    }
}
