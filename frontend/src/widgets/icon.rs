//! Icons for buttons: SVG paths instead of a font or emoji, so that icons look the same on every system.

use yew::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    ToStart,
    StepBack,
    Play,
    Pause,
    Step,
    ToEnd,
    Down,
    Up,
    Close,
    Theme,
    Help,
    Terminal,
    Panel,
    Check,
    Table,
    Present,
    Find,
}

impl Glyph {
    /// Returns the path in a box of 16 by 16 units, and whether the path is filled.
    fn path(self) -> (&'static str, bool) {
        match self {
            Glyph::ToStart => ("M3.5 3v10M13 3.5v9L6 8z", true),
            Glyph::StepBack => ("M11.5 3.5v9L4 8z", true),
            Glyph::Play => ("M4.5 2.8v10.4L13 8z", true),
            Glyph::Pause => ("M4 3h3v10H4zM9 3h3v10H9z", true),
            Glyph::Step => ("M4.5 3.5v9L12 8z", false),
            Glyph::ToEnd => ("M12.5 3v10M3 3.5v9L10 8z", true),
            Glyph::Down => ("M4 6l4 4 4-4", false),
            Glyph::Up => ("M4 10l4-4 4 4", false),
            Glyph::Close => ("M4 4l8 8M12 4l-8 8", false),
            Glyph::Theme => ("M8 2a6 6 0 000 12zM8 2a6 6 0 010 12", true),
            Glyph::Help => (
                "M5.8 6.2a2.3 2.3 0 114 1.6C9 8.6 8 8.9 8 10.1M8 12.4v.2",
                false,
            ),
            Glyph::Terminal => ("M3 5l3 3-3 3M8 11.5h5", false),
            Glyph::Panel => ("M2.5 3.5h11v9h-11zM9.5 3.5v9", false),
            Glyph::Check => ("M3.5 8.5l3 3 6-7", false),
            Glyph::Find => (
                "M7 2.5a4.5 4.5 0 110 9 4.5 4.5 0 010-9M10.3 10.3l3.2 3.2",
                false,
            ),
            Glyph::Present => ("M2.5 3.5h11v7h-11zM8 10.5v2.5M5.5 13.5h5", false),
            Glyph::Table => ("M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6", false),
        }
    }
}

#[derive(Clone, PartialEq, Properties)]
pub struct IconProps {
    pub glyph: Glyph,
}

/// Renders an icon. The icon is only decoration: a text or label beside it must state its meaning.
#[component]
pub fn Icon(props: &IconProps) -> Html {
    let (path, filled) = props.glyph.path();
    let class = if filled {
        "wg-icon is-filled"
    } else {
        "wg-icon"
    };
    if props.glyph == Glyph::Theme {
        // Only half of this icon is filled.
        return html! {
            <svg class="wg-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                <circle cx="8" cy="8" r="6" />
                <path class="is-solid" d="M8 2a6 6 0 010 12z" />
            </svg>
        };
    }
    html! {
        <svg {class} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d={path} />
        </svg>
    }
}

/// Renders the logo of Watchglass: a round glass over the line of a key with its newest bead.
#[component]
pub fn Logo() -> Html {
    html! {
        <svg class="wg-logo-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <circle cx="12" cy="12" r="9.5" />
            <path d="M5 13.5h8" />
            <rect x="11" y="10" width="7" height="7" rx="2" />
            <path class="is-old" d="M5.5 8.5h4" />
        </svg>
    }
}
