//! Colours and the width of a character, for a canvas: it cannot read CSS variables by itself.
//!
//! The colours have no literals here; they are the theme's custom properties, read from an element
//! when the theme changes and not again.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlElement};

/// What a canvas draws with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tokens {
    /// The surface under the picture.
    pub bg: String,
    /// Text on a live bead.
    pub on_live: String,
    /// Text in a hollow bead.
    pub ink: String,
    /// Quiet text.
    pub ink_quiet: String,
    /// Hairlines.
    pub line: String,
    /// The present value, and rows kept by a compaction.
    pub live: String,
    /// Superseded rows.
    pub old: String,
    /// Deletes.
    pub tomb: String,
    /// The thread of a key that exists.
    pub thread: String,
    /// The ring around what the last step changed.
    pub changed: String,
    /// What is neither good nor bad: time, reads.
    pub hatch: String,
    /// What reaches a watcher.
    pub ok: String,
    /// A watcher that lags.
    pub unsynced: String,
    /// What failed.
    pub error: String,
    /// The oldest readable revision.
    pub floor: String,
    /// The font of numbers and values.
    pub mono: String,
    /// How much thicker strokes are in this theme.
    pub stroke: f64,
}

impl Tokens {
    /// Reads them as they hold for this element.
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
            ok: get("--wg-ok"),
            unsynced: get("--wg-unsynced"),
            error: get("--wg-error"),
            floor: get("--wg-floor"),
            mono: plain("--wg-mono"),
            stroke: Some(js_sys::parse_float(&plain("--wg-stroke")))
                .filter(|width| width.is_finite())
                .unwrap_or(1.0),
        })
    }
}

/// An element of its own whose colour is set to one token after the other. A custom property reads as it is written,
/// `light-dark(…)` included; the colour of an element reads as the one of the two that holds.
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
        // Else the system replaces the colour of any text, whatever the theme says of a token.
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

/// Width of a monospace character for each pixel of font size. Measured where there is a canvas,
/// else the width that nearly all such fonts share.
pub fn mono_advance(font_family: &str) -> f64 {
    // Without a family the tokens are not read yet, or this is a poster and there is no browser.
    Some(font_family)
        .filter(|family| !family.is_empty())
        .and_then(measure)
        .filter(|advance| (0.4..0.8).contains(advance))
        .unwrap_or(DEFAULT_ADVANCE)
}

/// Of DejaVu Sans Mono, Menlo, SF Mono, Consolas and their kin, to the rounding.
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
