//! Draws two curves below the marks: the lag of watchers and of caches behind the store after each step.

use watchglass_engine::view::{CurvePoint, StepCurve, TimelineView};
use web_sys::Element;
use yew::prelude::*;

use super::marks::{push_tenths, tenths};
use super::scale::Scale;
use crate::words::timeline as words;

/// The upper edge of the curves on a track of full height; on a lower track, the style sheet moves the curves up.
pub(super) const BAND_TOP: f64 = 39.0;
const BAND_HEIGHT: f64 = 13.0;
/// The gap between two curves, in pixels.
const GAP: f64 = 1.0;

/// The minimum height of a value above 0, in pixels. A lag of one revision thus stays visible beside a lag of
/// thousands.
const HEIGHT_MIN: f64 = 1.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CurveKind {
    /// The lag of the watcher that is furthest behind.
    Lag,
    /// The lag of the cache that is furthest behind.
    Stale,
}

impl CurveKind {
    const ALL: [Self; 2] = [Self::Lag, Self::Stale];

    fn of(self, view: &TimelineView) -> &StepCurve {
        match self {
            Self::Lag => &view.watch_lag,
            Self::Stale => &view.cache_lag,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Lag => "is-lag",
            Self::Stale => "is-stale",
        }
    }

    /// Returns the label of the row in which the curve is.
    fn label(self) -> &'static str {
        match self {
            Self::Lag => words::WATCHER_LAG_ROW,
            Self::Stale => words::CACHE_LAG_ROW,
        }
    }

    /// Returns the value of the curve after a step, in words.
    fn value(self, revisions: u32) -> String {
        match self {
            Self::Lag => words::watcher_lag(revisions),
            Self::Stale => words::cache_lag(revisions),
        }
    }

    /// Returns the value of a curve during a span of steps, in words. If the timeline combines steps into columns
    /// (`is_binned`), the value is the maximum of these steps.
    fn value_during(self, span: &Span, is_binned: bool) -> String {
        let steps = [span.first, span.last];
        match self {
            Self::Lag => words::watcher_lag_during(steps, span.revisions, is_binned),
            Self::Stale => words::cache_lag_during(steps, span.revisions, is_binned),
        }
    }

    /// Returns the sentence about the highest value of the curve in the run.
    fn greatest(self, point: &CurvePoint, is_binned: bool) -> String {
        match self {
            Self::Lag => words::greatest_watcher_lag(point.revisions, point.step, is_binned),
            Self::Stale => words::greatest_cache_lag(point.revisions, point.step, is_binned),
        }
    }
}

/// Returns the curves that are not 0 everywhere in the run.
pub(super) fn kinds(view: &TimelineView) -> Vec<CurveKind> {
    let all = CurveKind::ALL.into_iter();
    all.filter(|kind| !kind.of(view).points.is_empty())
        .collect()
}

/// Renders the labels of the rows, side by side.
pub(super) fn labels(kinds: &[CurveKind]) -> Html {
    let label = |kind: &CurveKind| html! { <b class={kind.class()}>{ kind.label() }</b> };
    html! { <span class="is-curves">{ for kinds.iter().map(label) }</span> }
}

/// Renders the curves of the lags, each in its own row.
pub(super) fn curves(kinds: &[CurveKind], view: &TimelineView, scale: &Scale, width: f64) -> Html {
    let rows = kinds.len() as f64;
    let height = (BAND_HEIGHT - (rows - 1.0) * GAP) / rows;
    let row = |(place, kind): (usize, &CurveKind)| {
        let top = BAND_TOP + place as f64 * (height + GAP);
        let spans = spans(kind.of(view), view, scale, width);
        html! {
            <Curve key={kind.class()} kind={*kind} {spans} {top} {height} {width}
                is_binned={view.markers.is_empty()} />
        }
    };
    html! { <g class="wg-curves">{ for kinds.iter().enumerate().map(row) }</g> }
}

/// Returns the values of the curves after a step in words; empty if only the maximum of each column is known.
pub(super) fn words_at(view: &TimelineView, step: u64) -> Vec<String> {
    if view.markers.is_empty() {
        return Vec::new();
    }
    let value = |kind: CurveKind| {
        let point = kind.of(view).at(step)?;
        (point.revisions > 0).then(|| kind.value(point.revisions))
    };
    CurveKind::ALL.into_iter().filter_map(value).collect()
}

/// Returns the maximum of each curve in sentences; the text is empty if there are no curves.
pub(super) fn summary(view: &TimelineView) -> String {
    let sentence = |kind: CurveKind| {
        let highest = kind.of(view).highest()?;
        Some(kind.greatest(&highest, view.markers.is_empty()))
    };
    let sentences: Vec<String> = CurveKind::ALL.into_iter().filter_map(sentence).collect();
    sentences.join(" ")
}

/// A range of steps with the same value of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: f64,
    to: f64,
    first: u64,
    last: u64,
    revisions: u32,
}

/// The last span extends to the end of the track, so that the newest step is visible.
fn spans(curve: &StepCurve, view: &TimelineView, scale: &Scale, width: f64) -> Vec<Span> {
    let mut spans = vec![Span {
        from: scale.start(),
        to: width,
        first: 0,
        last: view.steps,
        revisions: 0,
    }];
    for point in &curve.points {
        let from = scale.step(point.step, view);
        if let Some(before) = spans.last_mut() {
            before.to = from;
            before.last = point.step.saturating_sub(1);
        }
        spans.push(Span {
            from,
            to: width,
            first: point.step,
            last: view.steps,
            revisions: point.revisions,
        });
    }
    spans
}

/// Returns the outline of a block for each span (range of steps) with a value above 0.
fn path(spans: &[Span], top: f64, height: f64) -> String {
    let most = spans.iter().map(|span| span.revisions).max().unwrap_or(0);
    let bottom = top + height;
    let mut path = String::new();
    for span in spans.iter().filter(|span| span.revisions > 0) {
        let part = f64::from(span.revisions) / f64::from(most);
        let high = (part * height).max(HEIGHT_MIN);
        let corners = [
            ('M', span.from),
            (' ', bottom),
            ('V', bottom - high),
            ('H', span.to),
            ('V', bottom),
        ];
        for (letter, number) in corners {
            path.push(letter);
            push_tenths(&mut path, number);
        }
        path.push('Z');
    }
    path
}

#[derive(Clone, PartialEq, Properties)]
struct CurveProps {
    kind: CurveKind,
    spans: Vec<Span>,
    top: f64,
    height: f64,
    width: f64,
    is_binned: bool,
}

#[component]
fn Curve(props: &CurveProps) -> Html {
    let pointed = use_state(|| 0.0);
    let onpointermove = {
        let pointed = pointed.setter();
        Callback::from(move |event: PointerEvent| {
            if let Some(row) = event.target_dyn_into::<Element>() {
                pointed.set(f64::from(event.client_x()) - row.get_bounding_client_rect().left());
            }
        })
    };
    let spans = &props.spans;
    let later = spans.partition_point(|span| span.from <= *pointed);
    let span = &spans[later.saturating_sub(1)];
    html! {
        <g class={classes!("wg-curve", props.kind.class())}>
            <path d={path(spans, props.top, props.height)} />
            <rect x="0" y={tenths(props.top)} width={tenths(props.width)} height={tenths(props.height)}
                {onpointermove}>
                <title>{ props.kind.value_during(span, props.is_binned) }</title>
            </rect>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::choices::Axis;
    use watchglass_engine::view::{Marker, MarkerKind};

    /// A view of ten steps, in which every second step is a write. On a track of 124 px, the distance between two steps
    /// is 10 px.
    fn view(watch: &[(u64, u32)], cache: &[(u64, u32)]) -> TimelineView {
        let curve = |points: &[(u64, u32)]| StepCurve {
            points: points
                .iter()
                .map(|(step, revisions)| CurvePoint {
                    step: *step,
                    revisions: *revisions,
                })
                .collect(),
        };
        let markers = (1..=10).map(|step| Marker {
            step,
            time_us: step * 1000,
            revision: 1 + step as i64 / 2,
            kind: MarkerKind::Write,
            label: String::new(),
        });
        TimelineView {
            steps: 10,
            end_us: 10_000,
            end_revision: 6,
            markers: markers.collect(),
            watch_lag: curve(watch),
            cache_lag: curve(cache),
            ..TimelineView::default()
        }
    }

    const WIDTH: f64 = 124.0;

    fn lag_spans(view: &TimelineView, axis: Axis) -> Vec<Span> {
        let scale = Scale::new(axis, view, WIDTH);
        spans(&view.watch_lag, view, &scale, WIDTH)
    }

    #[test]
    fn only_curves_above_zero_have_a_row() {
        assert_eq!(kinds(&view(&[], &[])), []);
        assert_eq!(kinds(&view(&[], &[(2, 1)])), [CurveKind::Stale]);
        assert_eq!(
            kinds(&view(&[(3, 1)], &[(2, 1)])),
            [CurveKind::Lag, CurveKind::Stale]
        );
    }

    #[test]
    fn a_block_stands_from_its_step_to_the_next_point() {
        let view = view(&[(3, 4), (5, 2), (6, 0), (10, 1)], &[]);
        let spans = lag_spans(&view, Axis::Step);
        // Steps 3 and 4 have the full height, step 5 has half of the height. The newest step extends to the end of the
        // track.
        assert_eq!(
            path(&spans, 20.0, 8.0),
            "M42 28V20H62V28ZM62 28V24H72V28ZM112 28V26H124V28Z"
        );
    }

    #[test]
    fn the_lowest_value_is_still_seen() {
        let view = view(&[(1, 100_000), (2, 1), (3, 0)], &[]);
        let spans = lag_spans(&view, Axis::Step);
        assert!(path(&spans, 20.0, 8.0).ends_with("M32 28V26.5H42V28Z"));
    }

    #[test]
    fn spans_cover_the_run_on_each_axis() {
        let view = view(&[(2, 1), (4, 0), (7, 3)], &[]);
        for axis in [Axis::Step, Axis::Time, Axis::Revision] {
            let spans = lag_spans(&view, axis);
            assert_eq!((spans[0].first, spans[3].last), (0, 10));
            assert_eq!(spans[3].to, WIDTH);
            for pair in spans.windows(2) {
                assert_eq!(pair[0].to, pair[1].from, "{axis:?}");
                assert_eq!(pair[0].last + 1, pair[1].first);
                assert!(pair[0].from <= pair[0].to);
            }
        }
    }

    #[test]
    fn pointing_at_a_span_says_its_steps_and_its_value() {
        let view = view(&[(3, 4), (5, 1), (6, 0)], &[]);
        let spans = lag_spans(&view, Axis::Step);
        let said = |place: usize, is_binned| CurveKind::Lag.value_during(&spans[place], is_binned);
        assert_eq!(said(1, false), "steps 3 to 4, watcher lag: 4 revisions");
        assert_eq!(said(2, false), "step 5, watcher lag: 1 revision");
        assert_eq!(said(3, true), "steps 6 to 10, watcher lag: 0 revisions");
        assert_eq!(
            said(1, true),
            "steps 3 to 4, watcher lag: up to 4 revisions"
        );
    }

    #[test]
    fn the_same_stands_in_words() {
        let mut view = view(&[(3, 1), (5, 4), (6, 0)], &[(5, 2), (9, 0)]);
        assert!(words_at(&view, 2).is_empty());
        assert_eq!(
            words_at(&view, 5),
            ["watcher lag 4 revisions", "cache lag 2 revisions"]
        );
        assert_eq!(words_at(&view, 7), ["cache lag 2 revisions"]);
        assert_eq!(
            summary(&view),
            "The greatest watcher lag is 4 revisions after step 5. \
             The greatest cache lag is 2 revisions after step 5."
        );
        // For columns, only the maximum is known.
        view.markers.clear();
        assert!(words_at(&view, 5).is_empty());
        assert_eq!(summary(&TimelineView::default()), "");
    }
}
