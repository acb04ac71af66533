//! The panel of the Lab: its knobs (settings with sliders), runs and results.

use crate::browser::file::save_text;
use crate::state::action::{LayoutAct, RunAct};
use std::rc::Rc;

use watchglass_engine::session::latency::{ClosedForm, LabReport, LabSetting};
use yew::prelude::*;

use super::accuracy::Accuracies;
use super::controls::{Schemes, Shared};
use super::cost::Costs;
use super::export;
use super::histogram::{Look, SERIES, Series, histogram};
use super::knobs::{SHARED, of_scheme};
use super::plot::{Curve, LabPlot, plot};
use super::rows::{rows, within_round_trip};
use super::taken::TakenApart;
use crate::hooks::size::use_size;
use crate::panels::failure::FailureText;
use crate::state::Action;
use crate::state::choices::{Picture, PictureFormat, Tone};
use crate::state::lab::{LabAct, LabRunKind, LabRunning, LabState, SweepKnob, Swept};
use crate::state::trail;
use crate::state::ui::{EngineState, Notice};
use crate::store::{StoreHandle, use_store};
use crate::widgets::tablist::{panel_id, tab_id};
use crate::widgets::{Segmented, Tablist};
use crate::words::state::{CANNOT_SAVE_FILES, SILENT};
use crate::words::{common, lab as words, lab_knobs};

const PICTURE_HEIGHT: f64 = 330.0;
/// The height of the picture in a low window, in CSS pixels. At this height, the axis stays visible.
const LOW_HEIGHT: f64 = 204.0;
const LOW_WINDOW: f64 = 560.0;
/// The height of the picture in presenter mode, in which all text is larger.
const PRESENTED_HEIGHT: f64 = 285.0;
/// The width of the Lab below which the sliders are collapsed at first, so that the picture stays visible; as in
/// `lab.css`.
const NARROW: f64 = 480.0;
const PLOT_HEIGHT: f64 = 240.0;

/// The prefix of the element ids of the tabs of the Lab's pages.
const ID: &str = "wg-lab";

#[component]
pub fn LabPanel() -> Html {
    let chosen = use_state_eq(|| 0_usize);
    let on_choose = {
        let chosen = chosen.clone();
        use_callback((), move |page, ()| chosen.set(page))
    };
    html! {
        <figure class="wg-view lab" aria-label={words::VIEW}>
            <div class="wg-view-scroll wg-fades lab-scroll">
                <Tablist label={words::PAGES_LABEL} names={&words::PAGES[..]} id={ID} class="wg-segmented lab-pages"
                    chosen={*chosen} {on_choose} />
                <div role="tabpanel" id={panel_id(ID)} aria-labelledby={tab_id(ID, *chosen)}>
                    { match *chosen {
                        0 => html! { <Waits /> },
                        1 => html! { <Costs /> },
                        _ => html! { <Accuracies /> },
                    } }
                </div>
            </div>
        </figure>
    }
}

/// Renders the page about the waits of lists.
#[component]
fn Waits() -> Html {
    let store = use_store();
    let node = use_node_ref();
    let (room, _) = use_size(&node);
    // The sections below the histogram are wider than it, because the table of the results is beside it.
    let section = use_node_ref();
    let (section_room, _) = use_size(&section);
    let section_width = (section_room - 2.0).max(0.0);
    let look = use_state_eq(|| (false, false));
    let unfolded = use_state_eq(|| true);
    let body = use_node_ref();
    let (body_width, _) = use_size(&body);
    {
        let unfolded = unfolded.clone();
        let is_narrow = body_width > 0.0 && body_width < NARROW;
        use_effect_with(is_narrow, move |is_narrow| unfolded.set(!is_narrow));
    }
    let began = use_mut_ref(|| (0_u32, 0.0_f64));
    let lab = &store.ui.lab;
    {
        // On the first visit, start a run, so that there is a picture.
        let store = store.clone();
        let is_new = lab.reports.is_none() && lab.running.is_none();
        let is_ready = store.ui.engine == EngineState::Running;
        use_effect_with(is_ready, move |is_ready| {
            if *is_ready && is_new {
                store.dispatch(Action::Lab(LabAct::Run));
            }
        });
    }
    if let Some(running) = &lab.running
        && began.borrow().0 != running.id
    {
        *began.borrow_mut() = (running.id, js_sys::Date::now());
    }
    // The callback is created once, so that unchanged sliders are not rendered again.
    let on_set = use_memo((), |()| {
        store.on(|settings| Action::Lab(LabAct::Set(Box::new(settings))))
    });
    let reports = lab.reports.as_deref().map_or(&[][..], Vec::as_slice);
    let settings = lab.settings;
    // A slider may exceed the limits of a run.
    let wanted = settings.map(LabSetting::clamped);
    let is_old = !reports.is_empty() && reports.iter().map(|report| report.setting).ne(wanted);
    let (is_log, is_whole) = *look;
    let width = (room - 2.0).max(0.0);
    let drawn = {
        let look = Look {
            is_log,
            is_whole,
            width,
            height: match store.ui.presenting {
                _ if is_low() => LOW_HEIGHT,
                Some(_) => PRESENTED_HEIGHT,
                None => PICTURE_HEIGHT,
            },
        };
        use_memo(
            (lab.reports.clone(), look),
            |(reports, look)| match reports {
                Some(reports) if look.width > 0.0 => histogram(reports, look),
                _ => html! {},
            },
        )
    };
    let swept = use_memo(
        (lab.sweep.clone(), section_width),
        |(sweep, width)| match sweep {
            Some(sweep) if *width > 0.0 => plot(&sweep_plot(sweep, *width)),
            _ => html! {},
        },
    );
    let tabled = use_memo(lab.reports.clone(), |reports| {
        reports
            .as_ref()
            .map_or_else(|| html! {}, |reports| table(reports))
    });
    let both = lab
        .running
        .as_ref()
        .filter(|running| running.kind == LabRunKind::Both);
    let sweeping = lab
        .running
        .as_ref()
        .filter(|running| matches!(running.kind, LabRunKind::Sweep(_)));
    let started = Some(began.borrow().1);
    html! {
        <>
                <header class={classes!("lab-head", is_old.then_some("is-old"))}>
                    <h2>{ words::finding(reports.first()) }</h2>
                    <p>
                        if is_old {
                            { words::IS_OLD }
                        } else if let Some(report) = reports.get(1) {
                            { words::comparison(report, within_round_trip(report)) }
                        } else {
                            { words::BEFORE_RUN }
                        }
                    </p>
                </header>
                { trouble(&store) }
                <div ref={body} class="lab-body">
                    <details class="lab-fold" open={*unfolded}>
                    <summary>{ lab_knobs::KNOBS }</summary>
                    <form class="lab-knobs" aria-label={lab_knobs::KNOBS}
                        onsubmit={|event: SubmitEvent| event.prevent_default()}>
                        <div class="lab-run">
                            <button type="button" class="wg-button is-primary"
                                onclick={store.on_click(Action::Lab(LabAct::Run))}>{ lab_knobs::RUN }</button>
                            <button type="button" class="wg-button is-small"
                                onclick={store.on_click(Action::Lab(LabAct::Set(
                                    Box::new([settings[1], settings[0]]),
                                )))}>
                                { lab_knobs::SWAP }
                            </button>
                            <button type="button" class="wg-button is-small"
                                onclick={store.on_click(Action::Lab(LabAct::Set(
                                    Box::new(LabState::default().settings),
                                )))}>
                                { lab_knobs::RESET }
                            </button>
                            <button type="button" class="wg-button is-small"
                                title={lab_knobs::EXAMPLE_TITLE}
                                onclick={store.on_click(Action::Lab(LabAct::RunExample))}>
                                { lab_knobs::EXAMPLE }
                            </button>
                        </div>
                        <Schemes {settings} on_set={(*on_set).clone()} />
                        <Shared {settings} on_set={(*on_set).clone()} />
                    </form>
                    </details>
                    <div class={classes!("lab-result", is_old.then_some("is-old"))}>
                        <div class="lab-bar-row">
                            { choice(words::BINS, words::LINEAR_OR_LOG, is_log, {
                                let look = look.clone();
                                Callback::from(move |is_log| look.set((is_log, look.1)))
                            }) }
                            { choice(words::TIMES, words::WAIT_OR_WHOLE, is_whole, {
                                let look = look.clone();
                                Callback::from(move |is_whole| look.set((look.0, is_whole)))
                            }) }
                            <span class="wg-spring"></span>
                            { progress(&store, both, started) }
                        </div>
                        <div class="lab-picture" data-lab-picture="waits" ref={node}>{ (*drawn).clone() }</div>
                        { key(&settings) }
                        { exports(&store, "waits", words::SAVE_WAITS, lab.reports.clone()) }
                        { (*tabled).clone() }
                        if let Some(reports) = &lab.reports {
                            <TakenApart reports={reports.clone()} width={section_width} />
                        }
                        <section ref={section} class="lab-section" aria-labelledby="lab-sweep-name">
                            <div class="lab-bar-row">
                                <h3 id="lab-sweep-name">{ words::SWEEP_HEADING }</h3>
                                <span class="wg-spring"></span>
                                { progress(&store, sweeping, started) }
                            </div>
                            { sweeps(&store) }
                            <div class="lab-picture" data-lab-picture="sweep">{ (*swept).clone() }</div>
                            if let Some(sweep) = &lab.sweep {
                                { sweep_table(sweep) }
                                { exports(&store, "sweep", words::SAVE_SWEEP, Some(sweep.reports.clone())) }
                            }
                        </section>
                        { about(&settings) }
                    </div>
                </div>
        </>
    }
}

/// Returns the notice about a failure of the Lab's program. The failure does not affect the rest of the page.
pub(super) fn trouble(store: &StoreHandle) -> Html {
    let lab = &store.ui.lab;
    let again = |label: &'static str| {
        html! {
            <button type="button" class="wg-button is-small"
                onclick={store.on_click(Action::Lab(LabAct::TryAgain))}>{ label }</button>
        }
    };
    if let Some(failure) = &lab.failure {
        html! {
            <div class="wg-notice is-bad" role="alert">
                <FailureText failure={failure.clone()} report={trail::TrailReport::default()} />
                { again(common::TRY_AGAIN) }
            </div>
        }
    } else if lab.is_silent {
        html! {
            <div class="wg-notice is-bad" role="alert">
                <p><b>{ SILENT }</b></p>
                { again(common::START_AGAIN) }
            </div>
        }
    } else {
        html! {}
    }
}

fn is_low() -> bool {
    let height = gloo::utils::window().inner_height();
    height
        .ok()
        .and_then(|height| height.as_f64())
        .is_some_and(|height| height < LOW_WINDOW)
}

fn choice(label: &'static str, names: [&'static str; 2], second: bool, on: Callback<bool>) -> Html {
    let names: Vec<AttrValue> = names.map(AttrValue::from).to_vec();
    let on_choose = on.reform(|at: usize| at == 1);
    html! { <Segmented {label} {names} chosen={usize::from(second)} {on_choose} /> }
}

/// The finished share, the estimated remaining time if the start is known, and a button to cancel.
pub(super) fn progress(
    store: &StoreHandle,
    running: Option<&LabRunning>,
    began: Option<f64>,
) -> Html {
    let Some(running) = running else {
        return html! {};
    };
    let (done, total) = (running.progress.done, running.progress.total.max(1));
    let said = match began {
        None => words::progress(done, total),
        Some(began) => {
            let elapsed = (js_sys::Date::now() - began).max(0.0);
            let left = (done > 0)
                .then(|| elapsed * (total - done.min(total)) as f64 / done as f64 / 1_000.0);
            words::progress_left(done, total, left.map(|left| left.ceil() as u64))
        }
    };
    html! {
        <div class="lab-progress" role="status">
            <progress max={total.to_string()} value={done.to_string()} aria-label={words::DONE}></progress>
            <span>{ said }</span>
            <button type="button" class="wg-button is-small" onclick={store.on_click(Action::Lab(LabAct::Cancel))}>
                { common::CANCEL }
            </button>
        </div>
    }
}

fn key(settings: &[LabSetting; 2]) -> Html {
    let one = |(setting, series): (&LabSetting, &Series)| {
        let interval = of_scheme(setting.scheme)
            .first()
            .map(|knob| (knob.show)((knob.get)(setting)));
        html! {
            <li>
                <svg width="14" height="14" aria-hidden="true">
                    <rect class={series.bar} x="1" y="1" width="12" height="12" />
                </svg>
                { words::legend(series.name, setting.scheme, interval.as_deref()) }
            </li>
        }
    };
    let closed: Vec<&'static str> = settings
        .iter()
        .filter_map(|setting| ClosedForm::of(setting).err())
        .map(|why| why.text())
        .collect();
    html! {
        <>
            <ul class="lab-legend">
                { for settings.iter().zip(&SERIES).map(one) }
                <li>
                    <svg width="18" height="14" aria-hidden="true"><path class="lab-closed lab-a" d="M0 7H18" /></svg>
                    { words::THEORY }
                </li>
            </ul>
            if let Some(why) = closed.first() { <p class="lab-gloss">{ *why }</p> }
        </>
    }
}

/// Renders the buttons that save a result as CSV, SVG and PNG. `what` is the name of the picture and the end of the
/// files' names; `label` is the name of the group of buttons.
fn exports(
    store: &StoreHandle,
    what: &'static str,
    label: &'static str,
    reports: Option<Rc<Vec<LabReport>>>,
) -> Html {
    let Some(reports) = reports else {
        return html! {};
    };
    let [as_svg, as_png] = [PictureFormat::Svg, PictureFormat::Png]
        .map(|format| store.on_click(Action::Run(RunAct::SavePicture(Picture::Lab(what), format))));
    let store = store.clone();
    let as_csv = move |_: MouseEvent| {
        let name = format!("watchglass-lab-{what}.csv");
        if save_text(&name, &export::csv(&reports)).is_none() {
            store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
                tone: Tone::Bad,
                text: CANNOT_SAVE_FILES.to_owned(),
                offers: Vec::new(),
            })));
        }
    };
    html! {
        <div class="lab-exports" role="group" aria-label={label}>
            <button type="button" class="wg-button is-small" onclick={as_csv}>{ "CSV" }</button>
            <button type="button" class="wg-button is-small" onclick={as_svg}>{ "SVG" }</button>
            <button type="button" class="wg-button is-small" onclick={as_png}>{ "PNG" }</button>
        </div>
    }
}

fn table(reports: &[LabReport]) -> Html {
    html! {
        <div class="lab-table wg-wide-table">
            <table>
                <caption class="wg-unseen">{ words::THE_RESULT }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ words::RESULT }</th>
                        { for reports.iter().zip(&SERIES).map(|(report, series)| html! {
                            <th scope="col">{ words::setting(series.name, report.setting.scheme) }</th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    { for rows(reports).into_iter().map(|row| html! {
                        <tr class={row.is_sub.then_some("is-sub")}>
                            <th scope="row">{ row.name }</th>
                            { for row.cells.into_iter().map(|cell| html! { <td>{ cell }</td> }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

// ---- Sweeps ----------------------------------------------------------------------------------

impl SweepKnob {
    const ALL: [Self; 4] = [Self::Interval, Self::Lists, Self::Own, Self::RoundTrip];

    fn name(self) -> &'static str {
        match self {
            Self::Interval => words::SWEEP_INTERVAL,
            Self::Lists => words::SWEEP_LISTS,
            Self::Own => words::SWEEP_WRITES,
            Self::RoundTrip => words::SWEEP_ROUND_TRIP,
        }
    }

    fn x_name(self) -> &'static str {
        match self {
            Self::Interval => words::SWEEP_INTERVAL_AXIS,
            Self::Lists => words::SWEEP_LISTS_AXIS,
            Self::Own => words::SWEEP_WRITES_AXIS,
            Self::RoundTrip => words::SWEEP_ROUND_TRIP_AXIS,
        }
    }

    fn of(self, setting: &LabSetting) -> f64 {
        match self {
            Self::Interval => setting.interval.0 as f64 / 1e3,
            Self::Lists => setting.lists.0 as f64 / 1e3,
            Self::Own => setting.own.0 as f64 / 1e3,
            Self::RoundTrip => setting.round_trip.0 as f64 / 1e3,
        }
    }
}

fn sweeps(store: &StoreHandle) -> Html {
    let buttons = SweepKnob::ALL.into_iter().map(|knob| {
        html! {
            <button type="button" class="wg-button is-small"
                onclick={store.on_click(Action::Lab(LabAct::Sweep(knob)))}>{ knob.name() }</button>
        }
    });
    html! { <div class="lab-run" role="group" aria-label={words::SWEEP}>{ for buttons }</div> }
}

fn halves(sweep: &Swept) -> [&[LabReport]; 2] {
    let (a, b) = sweep.reports.split_at(sweep.reports.len() / 2);
    [a, b]
}

fn sweep_plot(sweep: &Swept, width: f64) -> LabPlot {
    let curves = halves(sweep)
        .into_iter()
        .zip(&SERIES)
        .map(|(reports, series)| {
            let point =
                |report: &LabReport, ns: u64| (sweep.knob.of(&report.setting), ns as f64 / 1e6);
            let closed = |report: &LabReport| {
                Some(point(
                    report,
                    ClosedForm::of(&report.setting).ok()?.mean_ns(),
                ))
            };
            let first = reports.first();
            Curve {
                name: first.map_or_else(String::new, |report| {
                    words::setting(series.name, report.setting.scheme)
                }),
                series,
                line: reports.iter().filter_map(closed).collect(),
                points: reports
                    .iter()
                    .map(|report| point(report, report.wait.mean_ns))
                    .collect(),
            }
        });
    LabPlot {
        alt: words::sweep_alt(sweep.knob.x_name()),
        x_name: sweep.knob.x_name(),
        y_name: words::MEAN_AXIS,
        is_log: false,
        curves: curves.collect(),
        width,
        height: PLOT_HEIGHT,
    }
}

fn sweep_table(sweep: &Swept) -> Html {
    let [a, b] = halves(sweep);
    let rows = a.iter().zip(b).zip(sweep.knob.values()).map(|((a, b), value)| {
        let cells = [a, b].into_iter().flat_map(|report| {
            let closed = ClosedForm::of(&report.setting).ok();
            let closed = closed.map_or(words::NO_CLOSED_FORM.to_owned(), |closed| words::ms(closed.mean_ns()));
            [words::ms(report.wait.mean_ns), closed, words::ms(report.wait.p99_us * 1_000)]
        });
        html! {
            <tr><th scope="row">{ words::count(*value) }</th>{ for cells.map(|cell| html! { <td>{ cell }</td> }) }</tr>
        }
    });
    html! {
        <details class="lab-details">
            <summary>{ words::SWEEP_TABLE }</summary>
            <div class="lab-table wg-wide-table">
                <table>
                    <thead><tr>
                        <th scope="col">{ sweep.knob.x_name() }</th>
                        { for words::SWEEP_COLUMNS.map(|name| html! {
                            <th scope="col">{ name }</th>
                        }) }
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </details>
    }
}

// ---- Explanations ----------------------------------------------------------------------------

fn about(settings: &[LabSetting; 2]) -> Html {
    let of_schemes = settings
        .iter()
        .flat_map(|setting| of_scheme(setting.scheme));
    let knobs = of_schemes.chain(&SHARED);
    html! {
        <details class="lab-details">
            <summary>{ words::ABOUT }</summary>
            <dl class="lab-sources">
                { for knobs.map(|knob| html! { <><dt>{ knob.name }</dt><dd>{ knob.source }</dd></> }) }
            </dl>
            <p>{ words::ABOUT_SIMULATION }</p>
            <p>{ words::ABOUT_DRAFT }</p>
        </details>
    }
}
