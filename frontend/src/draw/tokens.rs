//! Reads colours and the width of a character for a canvas, which cannot read CSS variables itself.
//!
//! No colour is written here as a literal: all colours are the theme's custom properties, read from an element only
//! when the theme changes.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlElement};

/// The colours and the font with which a canvas draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tokens {
    /// The colour of the surface below the picture.
    pub bg: String,
    /// The colour of text on a bead with the current value.
    pub on_live: String,
    /// The colour of text in a hollow bead.
    pub ink: String,
    /// The colour of less important text.
    pub ink_quiet: String,
    /// The colour of thin lines.
    pub line: String,
    /// The colour of the current value, and of rows that a compaction preserved.
    pub live: String,
    /// The colour of superseded rows.
    pub old: String,
    /// The colour of deletes.
    pub tomb: String,
    /// The colour of a key's line while the key exists.
    pub thread: String,
    /// The colour of the ring around changes of the last step.
    pub changed: String,
    /// The colour of neutral marks, such as the number of steps on the timeline.
    pub hatch: String,
    pub error: String,
    /// The font of numbers and values.
    pub mono: String,
    /// The factor by which strokes are thicker in this theme.
    pub stroke: f64,
}

impl Tokens {
    /// Reads the theme's colours and fonts that apply to this element.
    pub fn read(element: &Element) -> Option<Tokens> {
        let style = web_sys::window()?.get_computed_style(element).ok()??;
        let plain = |name: &str| {
            style
                .get_property_value(name)
                .map(|value| value.trim().to_owned())
                .unwrap_or_default()
        };
        let probe = Probe::below(element)?;
        let get = |name: &str| probe.colour(name).unwrap_or_default();
        Some(Tokens {
            bg: get("--wg-bg"),
            on_live: get("--wg-on-live"),
            ink: get("--wg-text"),
            ink_quiet: get("--wg-text-2"),
            line: get("--wg-line"),
            live: get("--wg-live"),
            old: get("--wg-old"),
            tomb: get("--wg-tomb"),
            thread: get("--wg-thread"),
            changed: get("--wg-changed"),
            hatch: get("--wg-hatch"),
            error: get("--wg-error"),
            mono: plain("--wg-mono"),
            stroke: Some(js_sys::parse_float(&plain("--wg-stroke")))
                .filter(|width| width.is_finite())
                .unwrap_or(1.0),
        })
    }
}

/// A hidden element with which the browser evaluates the colour of a token. The colour of the element is set to the
/// token; then the computed colour of the element is read. The token's own text can contain functions such as
/// `light-dark(…)`.
struct Probe {
    element: HtmlElement,
    computed: CssStyleDeclaration,
}

impl Probe {
    fn below(parent: &Element) -> Option<Probe> {
        let window = web_sys::window()?;
        let element = window.document()?.create_element("span").ok()?;
        let element: HtmlElement = element.dyn_into().ok()?;
        parent.append_child(&element).ok()?;
        let computed = window.get_computed_style(&element).ok()??;
        let probe = Probe { element, computed };
        // Without this property, a system with forced colours replaces the colour of every text.
        let style = probe.element.style();
        style.set_property("forced-color-adjust", "none").ok()?;
        Some(probe)
    }

    fn colour(&self, token: &str) -> Option<String> {
        let value = ["var(", token, ")"].concat();
        self.element.style().set_property("color", &value).ok()?;
        self.computed.get_property_value("color").ok()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.element.remove();
    }
}

/// Returns the width of a monospace character as a fraction of the font size. The width is measured if the browser has
/// a canvas; otherwise it is [`DEFAULT_ADVANCE`].
pub fn mono_advance(font_family: &str) -> f64 {
    // The family is empty before the tokens are read, and in a poster, which is drawn without a browser.
    Some(font_family)
        .filter(|family| !family.is_empty())
        .and_then(measure)
        .filter(|advance| (0.4..0.8).contains(advance))
        .unwrap_or(DEFAULT_ADVANCE)
}

/// The rounded character width of DejaVu Sans Mono, Menlo, SF Mono, Consolas and similar fonts.
pub const DEFAULT_ADVANCE: f64 = 0.602;

fn measure(font_family: &str) -> Option<f64> {
    let canvas = web_sys::window()?
        .document()?
        .create_element("canvas")
        .ok()?
        .dyn_into::<web_sys::HtmlCanvasElement>()
        .ok()?;
    let context = canvas
        .get_context("2d")
        .ok()??
        .dyn_into::<CanvasRenderingContext2d>()
        .ok()?;
    let mut font = String::from("100px ");
    font.push_str(font_family);
    context.set_font(&font);
    Some(context.measure_text("0000000000").ok()?.width() / 1000.0)
}
