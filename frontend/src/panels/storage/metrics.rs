//! The collapsible section with the metrics of the member: a small chart for each metric, a table for each histogram,
//! and a download of the text that Prometheus reads.

use watchglass_engine::view::MetricsView;
use watchglass_engine::view::metrics::{DurationBins, MetricChart};
use yew::prelude::*;

use crate::browser::file::save_text;
use crate::draw::marks::{draw, element};
use crate::draw::surface::num;
use crate::draw::{Mark, Marks, Rect, text};
use crate::panels::terms::breaking_after;
use crate::words::storage as words;

/// The size of a chart, in pixels.
const SIZE: [f64; 2] = [168.0, 36.0];
const FILE: &str = "metrics.txt";

/// Renders the metrics of the member, in the collapsible section of the Storage view.
pub(super) fn metrics(view: &Option<MetricsView>) -> Html {
    let Some(view) = view else {
        return Html::default();
    };
    let save = {
        let text = view.text.clone();
        move |_: MouseEvent| {
            save_text(FILE, &text);
        }
    };
    html! {
        <>
            <p>{ words::about_metrics(view.now_us) }</p>
            <div class="sto-charts">{ for view.charts.iter().map(|each| chart(each, view.now_us)) }</div>
            <div class="sto-charts is-wide">{ for view.histograms.iter().map(histogram) }</div>
            <button type="button" class="wg-button is-small" onclick={save}>{ words::DOWNLOAD_METRICS }</button>
            <table class="wg-unseen">
                <caption>{ words::metrics_at(view.now_us) }</caption>
                <thead><tr>
                    <th scope="col">{ words::METRIC }</th>
                    <th scope="col">{ words::NOW }</th>
                    <th scope="col">{ words::HIGHEST }</th>
                </tr></thead>
                <tbody>{ for view.charts.iter().map(|each| html! {
                    <tr>
                        <th scope="row">{ &each.name }</th>
                        <td>{ total(each) }</td>
                        <td>{ amount(each, highest(each)) }</td>
                    </tr>
                }) }</tbody>
            </table>
        </>
    }
}

/// Renders a chart with the metric's name, its value, and its highest point.
fn chart(chart: &MetricChart, now_us: u64) -> Html {
    let [width, height] = SIZE;
    html! {
        <div class="sto-chart" aria-hidden="true">
            { name(&chart.name) }
            <b>{ total(chart) }</b>
            <svg width={num(width)} height={num(height)}>{ draw(&marks(chart, now_us)) }</svg>
            <small>{ words::highest(&amount(chart, highest(chart))) }</small>
        </div>
    }
}

/// Renders the durations of a kind of operation, with a bar for each bin.
fn histogram(durations: &DurationBins) -> Html {
    let in_bins: u64 = durations.bins.iter().map(|(_, count)| count).sum();
    let above = durations.count - in_bins;
    let most = durations.bins.iter().map(|(_, count)| *count).max();
    let most = most.unwrap_or_default().max(above).max(1) as f64;
    let row = |name: String, count: u64| {
        let area = Rect::new(0.0, 2.0, 80.0 * count as f64 / most, 10.0);
        let bar = Mark::Rect("sto-metric-bar", area, 0.0);
        html! {
            <tr>
                <th scope="row">{ name }</th>
                <td><svg width="80" height="14" aria-hidden="true">{ element(&bar) }</svg></td>
                <td>{ text::count(count) }</td>
            </tr>
        }
    };
    let bins = durations.bins.iter();
    let rows = bins.map(|(bound, count)| row(words::up_to(*bound), *count));
    html! {
        <table class="sto-durations">
            <caption>
                { name(&durations.name) }{ " " }<b>{ text::count(durations.count) }</b>
            </caption>
            <tbody>
                { for rows }
                if above > 0 { { row(words::LONGER.to_owned(), above) } }
            </tbody>
        </table>
    }
}

/// Renders the name of a metric without the prefix that all of etcd's metrics have. A line may break after each word.
fn name(name: &str) -> Html {
    let short = name.strip_prefix("etcd_").unwrap_or(name);
    html! { <code>{ breaking_after(short, &['_']) }</code> }
}

fn highest(chart: &MetricChart) -> f64 {
    chart
        .points
        .iter()
        .map(|point| point.value)
        .fold(0.0, f64::max)
}

fn total(chart: &MetricChart) -> String {
    match chart.is_bytes {
        true => text::bytes(chart.value),
        false => text::count(chart.value),
    }
}

/// Formats a value of a chart with its unit.
fn amount(chart: &MetricChart, value: f64) -> String {
    let rounded = value.round() as u64;
    let amount = match chart.is_bytes {
        true => text::bytes(rounded),
        false if value < 10.0 && value.fract() > 0.0 => num(value),
        false => text::count(rounded),
    };
    match chart.is_counter {
        true => words::per_second(&amount),
        false => amount,
    }
}

/// Lays out a chart. A point of a gauge gives the value until the next point; a point of a counter gives the rate since
/// the previous point.
fn marks(chart: &MetricChart, now_us: u64) -> Marks {
    let [width, height] = SIZE;
    let base = height - 1.0;
    let most = highest(chart);
    let x = |at_us: u64| width * at_us as f64 / now_us.max(1) as f64;
    let y = |value: f64| match most > 0.0 {
        true => base - (height - 3.0) * value / most,
        false => base,
    };
    let mut line = String::from("M0 ");
    line.push_str(&num(base));
    for point in &chart.points {
        let (to_x, to_y) = (num(x(point.at_us)), num(y(point.value)));
        let parts = match chart.is_counter {
            true => ["V", &to_y, "H", &to_x],
            false => ["H", &to_x, "V", &to_y],
        };
        line.push_str(&parts.concat());
    }
    let area = [&line, "V", &num(base), "Z"].concat();
    let mut marks = Marks::default();
    marks.path("sto-metric-area", area);
    marks.path("sto-metric-line", line);
    marks.level("sto-metric-base", 0.0, width, base + 0.5);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::view::metrics::MetricPoint;

    fn chart_of(is_counter: bool, points: &[(u64, f64)]) -> MetricChart {
        let points = points.iter().map(|(at_us, value)| MetricPoint {
            at_us: *at_us,
            value: *value,
        });
        MetricChart {
            is_counter,
            points: points.collect(),
            ..MetricChart::default()
        }
    }

    /// The line of a gauge changes its value at each point. The line of a counter shows, up to each point, the rate
    /// since the previous point.
    #[test]
    fn a_chart_steps_at_its_points() {
        let path = |is_counter| {
            let chart = chart_of(is_counter, &[(500, 10.0), (1_000, 5.0)]);
            let marks = marks(&chart, 1_000);
            marks.paths("sto-metric-line").collect::<String>()
        };
        assert_eq!(path(false), "M0 35H84V2H168V18.5");
        assert_eq!(path(true), "M0 35V2H84V18.5H168");
    }

    #[test]
    fn amounts_have_units() {
        let mut chart = chart_of(true, &[(1, 2_048.0)]);
        assert_eq!(amount(&chart, 2.5), "2.5/s");
        chart.is_bytes = true;
        assert_eq!(amount(&chart, highest(&chart)), "2 kB/s");
        chart.is_counter = false;
        assert_eq!(amount(&chart, 0.0), "0 B");
    }
}
