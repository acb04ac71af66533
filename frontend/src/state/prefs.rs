//! The user's preferences, stored as one line of text.
//!
//! The line is `1 theme=dark view=index order=key terminal=open:200 keys=on`. Unknown words are ignored, and missing
//! words get their defaults, so older and newer pages can read each other's lines.

use watchglass_engine::view::LaneOrder;

use super::ui::{Theme, View};

/// The preferences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefs {
    /// The colour theme.
    pub theme: Theme,
    /// The view on the stage.
    pub view: View,
    /// The order of the lanes in the Index view.
    pub order: LaneOrder,
    /// Whether the terminal is open.
    pub terminal_open: bool,
    /// The terminal's height in pixels; 0 means the default of the layout.
    pub terminal_height: u16,
    /// Whether shortcuts of a single character are on.
    pub single_keys: bool,
}

impl Default for Prefs {
    fn default() -> Self {
        Prefs {
            theme: Theme::Auto,
            view: View::Index,
            order: LaneOrder::Creation,
            terminal_open: true,
            terminal_height: 0,
            single_keys: true,
        }
    }
}

impl Theme {
    /// All themes, in the order of the switch.
    pub const ALL: [Theme; 4] = [Theme::Auto, Theme::Light, Theme::Dark, Theme::Projector];

    /// Returns the name of the theme in links and in storage.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::Projector => "projector",
        }
    }

    /// Returns the theme with this name.
    pub fn from_name(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// Returns the name of an order of lanes in links and in storage.
pub fn order_name(order: LaneOrder) -> &'static str {
    match order {
        LaneOrder::Creation => "creation",
        LaneOrder::Key => "key",
    }
}

/// Returns the order of lanes with this name.
pub fn order_from_name(name: &str) -> Option<LaneOrder> {
    let mut all = [LaneOrder::Creation, LaneOrder::Key].into_iter();
    all.find(|order| order_name(*order) == name)
}

impl Prefs {
    /// Returns the preferences as one line.
    pub fn to_line(&self) -> String {
        format!(
            "1 theme={} view={} order={} terminal={}{} keys={}",
            self.theme.name(),
            self.view.name(),
            order_name(self.order),
            if self.terminal_open {
                "open:"
            } else {
                "closed:"
            },
            self.terminal_height,
            if self.single_keys { "on" } else { "off" }
        )
    }

    /// Reads the preferences from a line. Never fails: invalid parts get their defaults.
    pub fn from_line(line: &str) -> Prefs {
        let mut prefs = Prefs::default();
        for word in line.split(' ') {
            match word.split_once('=') {
                Some(("theme", name)) => prefs.theme = Theme::from_name(name).unwrap_or_default(),
                Some(("view", name)) => prefs.view = View::from_name(name).unwrap_or_default(),
                Some(("order", name)) => prefs.order = order_from_name(name).unwrap_or_default(),
                Some(("terminal", value)) => {
                    if let Some((open, height)) = value.split_once(':') {
                        prefs.terminal_open = open == "open";
                        prefs.terminal_height = height.parse().unwrap_or(0);
                    }
                }
                Some(("keys", value)) => prefs.single_keys = value != "off",
                _ => {}
            }
        }
        prefs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_back() {
        let prefs = Prefs {
            theme: Theme::Projector,
            view: View::Messages,
            order: LaneOrder::Key,
            terminal_open: false,
            terminal_height: 240,
            single_keys: false,
        };
        assert_eq!(Prefs::from_line(&prefs.to_line()), prefs);
    }

    #[test]
    fn nonsense_means_the_defaults() {
        for line in [
            "",
            "9 what=ever",
            "theme=",
            "terminal=:",
            "1 theme=pink terminal=x",
        ] {
            let prefs = Prefs::from_line(line);
            assert_eq!(prefs.theme, Theme::Auto, "{line}");
            assert!(prefs.single_keys, "{line}");
        }
    }
}
