//! Exports the results of the Lab: tables as CSV, pictures as SVG and PNG.
//!
//! A saved picture has no style sheet, so all computed styles are written into the picture first. Nothing is fetched:
//! the picture for PNG is loaded from a `data:` address.

use crate::browser::file::save;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlImageElement};

use watchglass_engine::session::latency::{LabReport, Others};

use crate::words::lab_knobs::scheme;

/// The style properties that a saved picture needs.
const PROPERTIES: [&str; 12] = [
    "paint-order",
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "display",
];
/// The number of pixels in a saved picture per CSS pixel.
const SCALE: f64 = 2.0;

/// Returns a picture as SVG text with all styles included.
pub fn svg_text(svg: &Element) -> Option<String> {
    let copy: Element = svg.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
    copy.set_attribute("xmlns", "http://www.w3.org/2000/svg")
        .ok()?;
    let (here, there) = (
        svg.query_selector_all("*").ok()?,
        copy.query_selector_all("*").ok()?,
    );
    for at in 0..here.length() {
        let (Some(from), Some(to)) = (here.item(at), there.item(at)) else {
            continue;
        };
        let (Ok(from), Ok(to)) = (from.dyn_into::<Element>(), to.dyn_into::<Element>()) else {
            continue;
        };
        style_into(&from, &to);
    }
    copy.remove_attribute("class").ok()?;
    let ground = ground_of(svg)?;
    let rect = gloo::utils::document()
        .create_element_ns(Some("http://www.w3.org/2000/svg"), "rect")
        .ok()?;
    for (name, value) in [
        ("width", "100%"),
        ("height", "100%"),
        ("fill", ground.as_str()),
    ] {
        rect.set_attribute(name, value).ok()?;
    }
    copy.insert_before(&rect, copy.first_child().as_ref())
        .ok()?;
    Some(copy.outer_html())
}

fn style_into(from: &Element, to: &Element) {
    let Ok(Some(style)) = gloo::utils::window().get_computed_style(from) else {
        return;
    };
    for property in PROPERTIES {
        if let Ok(value) = style.get_property_value(property)
            && !value.is_empty()
        {
            // The address of a pattern also contains the page's address, which a saved file does not need.
            let value = match value.split_once('#') {
                Some((_, id)) if value.starts_with("url(") => {
                    format!("url(#{})", id.trim_end_matches([')', '"']))
                }
                _ => value,
            };
            to.set_attribute(property, &value).ok();
        }
    }
    to.remove_attribute("class").ok();
}

fn ground_of(svg: &Element) -> Option<String> {
    let style = gloo::utils::window().get_computed_style(svg).ok()??;
    style.get_property_value("background-color").ok()
}

pub fn save_png(name: &str, svg: &Element) -> Option<()> {
    let text = svg_text(svg)?;
    let size = svg.get_bounding_client_rect();
    let (width, height) = (size.width() * SCALE, size.height() * SCALE);
    let image = HtmlImageElement::new().ok()?;
    let name = name.to_owned();
    let drawn = {
        let image = image.clone();
        Closure::once_into_js(move || {
            png_address(&image, width, height).and_then(|address| save(&name, &address));
        })
    };
    image.set_onload(Some(drawn.unchecked_ref()));
    let encoded = String::from(js_sys::encode_uri_component(&text));
    image.set_src(&format!("data:image/svg+xml,{encoded}"));
    Some(())
}

fn png_address(image: &HtmlImageElement, width: f64, height: f64) -> Option<String> {
    let canvas = gloo::utils::document().create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context: Result<JsValue, _> = canvas.get_context("2d").map(JsValue::from);
    let context: CanvasRenderingContext2d = context.ok()?.dyn_into().ok()?;
    context
        .draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height)
        .ok()?;
    canvas.to_data_url().ok()
}

/// Formats the results as CSV: first the settings, then one line per bin.
pub fn csv(reports: &[LabReport]) -> String {
    let mut out = String::from(
        "run,scheme,interval_us,gap_us,own_per_1000_s,others_per_1000_s,lists_per_1000_s,round_trip_us,jitter_us,\
         objects,lists,seed,mean_ns,p50_us,p90_us,p99_us,max_us,fresh,from_etcd,refused,notifications,requests,\
         simulated_us\n",
    );
    let names = |at: usize| {
        if at < reports.len() / 2 || reports.len() == 1 {
            "A"
        } else {
            "B"
        }
    };
    for (at, report) in reports.iter().enumerate() {
        let (set, wait) = (&report.setting, &report.wait);
        let others = match set.others {
            Others::WithoutPause => "without pause".to_owned(),
            Others::At(rate) => rate.0.to_string(),
        };
        let numbers = |numbers: &[u64]| {
            numbers
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(",")
        };
        let cells = [
            names(at).to_owned(),
            format!("\"{}\"", scheme(set.scheme)),
            numbers(&[set.interval.0, set.gap.0, set.own.0]),
            others,
            numbers(&[
                set.lists.0,
                set.round_trip.0,
                set.jitter.0,
                set.size,
                set.requests,
                set.seed,
            ]),
            numbers(&[
                wait.mean_ns,
                wait.p50_us,
                wait.p90_us,
                wait.p99_us,
                wait.max_us,
            ]),
            numbers(&[report.fresh, report.from_etcd, report.refused]),
            numbers(&[report.notifications, report.requests, report.simulated_us]),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    if reports.len() > 2 {
        return out;
    }
    out.push_str("\nrun,wait_from_us,wait_to_us,lists\n");
    for (at, report) in reports.iter().enumerate() {
        for bin in &report.wait.bins {
            let line = [bin.from, bin.to, bin.count]
                .map(|number| number.to_string())
                .join(",");
            out.push_str(&format!("{},{line}\n", names(at)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::session::latency::{LabSetting, Scheme, Simulation};

    #[test]
    fn every_list_is_in_the_csv() {
        let run = |scheme| {
            let mut simulation = Simulation::new(LabSetting {
                requests: 500,
                ..LabSetting::of(scheme)
            });
            while simulation.advance(1_000) {}
            simulation.report()
        };
        let text = csv(&[run(Scheme::TimerOnly), run(Scheme::Today)]);
        let (settings, bins) = text.split_once("\n\n").expect("two tables");
        let columns = |line: &str| line.split(',').count();
        let lines: Vec<&str> = settings.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines.iter().all(|line| columns(line) == columns(lines[0])),
            "{settings}"
        );
        let lists: u64 = bins
            .lines()
            .skip(1)
            .filter_map(|line| line.rsplit(',').next()?.parse::<u64>().ok())
            .sum();
        assert_eq!(lists, 1_000);
    }
}
