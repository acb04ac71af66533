//! A link as a QR code, for the phones of an audience. The code is always dark on white, because many phones
//! do not read inverted codes.

use qrcodegen::{QrCode as Code, QrCodeEcc};
use yew::prelude::*;

use crate::words::dialogs as words;

/// The quiet zone around a code, in modules, as the standard requires.
const MARGIN: i32 = 4;

#[derive(Clone, PartialEq, Properties)]
pub(super) struct QrCodeProps {
    pub(super) address: String,
}

#[component]
pub(super) fn QrCode(props: &QrCodeProps) -> Html {
    let address = &props.address;
    let Ok(code) = Code::encode_text(address, QrCodeEcc::Low) else {
        return html! { <p>{ words::TOO_LONG_FOR_QR_CODE }</p> };
    };
    let size = code.size() + 2 * MARGIN;
    html! {
        <div class="wg-qr">
            <svg viewBox={format!("0 0 {size} {size}")} role="img" aria-label={words::QR_CODE_ALTERNATIVE}
                shape-rendering="crispEdges">
                <rect class="wg-qr-paper" width="100%" height="100%" />
                <path class="wg-qr-ink" d={modules(&code)} />
            </svg>
            <p><a href={address.clone()}>{ address }</a></p>
        </div>
    }
}

/// Returns the outlines of the dark modules: one rectangle for each run of modules in a row.
fn modules(code: &Code) -> String {
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let dark = (x..code.size())
                .take_while(|&x| code.get_module(x, y))
                .count();
            if dark > 0 {
                path.push_str(&format!("M{} {}h{dark}v1h-{dark}z", x + MARGIN, y + MARGIN));
            }
            x += i32::try_from(dark).unwrap_or(0) + 1;
        }
    }
    path
}
