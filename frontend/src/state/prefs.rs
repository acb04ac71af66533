//! The user's preferences, stored as one line of text.
//!
//! The line is
//! `1 theme=dark view=index order=key terminal=open:200 bench=off keys=on sizes=index:200:0,cache:0:420 plot=0`.
//! Unknown words are ignored, and missing words get their defaults, so older and newer pages can read each other's
//! lines. The height after `terminal=` is the height of the terminal in the view that the line names; `static/page.js`
//! and older pages read this height.

use watchglass_engine::view::LaneOrder;
use watchglass_engine::view::cache::PLOT_SPANS;

use super::choices::{Theme, View};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefs {
    pub theme: Theme,
    pub view: View,
    /// The order of the lanes in the Index view.
    pub order: LaneOrder,
    pub terminal_open: bool,
    /// Whether stories have the workbench around their pictures.
    pub workbench: bool,
    /// The panel sizes of each view, in the order of [`View::ALL`].
    pub sizes: [PanelSizes; View::ALL.len()],
    /// Whether shortcuts of a single character are on.
    pub single_keys: bool,
    /// The time span of the plot in the Cache view, in microseconds; 0 for an automatic choice.
    pub plot_us: u64,
}

/// The sizes of the panels beside a view, in pixels; 0 means the default of the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PanelSizes {
    pub terminal: u16,
    pub inspector: u16,
}

impl Default for Prefs {
    fn default() -> Self {
        Prefs {
            theme: Theme::Auto,
            view: View::Index,
            order: LaneOrder::Creation,
            terminal_open: true,
            workbench: false,
            sizes: [PanelSizes::default(); View::ALL.len()],
            single_keys: true,
            plot_us: 0,
        }
    }
}

/// Returns the name of an order of lanes in links and in storage.
pub fn order_name(order: LaneOrder) -> &'static str {
    match order {
        LaneOrder::Creation => "creation",
        LaneOrder::Key => "key",
    }
}

pub fn order_from_name(name: &str) -> Option<LaneOrder> {
    let mut all = [LaneOrder::Creation, LaneOrder::Key].into_iter();
    all.find(|order| order_name(*order) == name)
}

impl Prefs {
    /// Returns the panel sizes of the current view.
    pub fn panel_sizes(&self) -> PanelSizes {
        self.sizes[self.view as usize]
    }

    /// Returns the panel sizes of the current view, for a change.
    pub fn panel_sizes_mut(&mut self) -> &mut PanelSizes {
        &mut self.sizes[self.view as usize]
    }

    pub fn to_line(&self) -> String {
        let own = View::ALL.into_iter().zip(self.sizes);
        let own = own.filter(|(_, sizes)| *sizes != PanelSizes::default());
        let sizes: Vec<String> = own
            .map(|(view, sizes)| format!("{}:{}:{}", view.name(), sizes.terminal, sizes.inspector))
            .collect();
        format!(
            "1 theme={} view={} order={} terminal={}{} bench={} keys={} sizes={} plot={}",
            self.theme.name(),
            self.view.name(),
            order_name(self.order),
            if self.terminal_open {
                "open:"
            } else {
                "closed:"
            },
            self.panel_sizes().terminal,
            if self.workbench { "on" } else { "off" },
            if self.single_keys { "on" } else { "off" },
            sizes.join(","),
            self.plot_us
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
                        prefs.panel_sizes_mut().terminal = height.parse().unwrap_or(0);
                    }
                }
                Some(("sizes", value)) => {
                    for own in value.split(',') {
                        let mut parts = own.split(':');
                        let view = parts.next().and_then(View::from_name);
                        let mut size = || parts.next().and_then(|size| size.parse().ok());
                        if let (Some(view), Some(terminal), Some(inspector)) =
                            (view, size(), size())
                        {
                            prefs.sizes[view as usize] = PanelSizes {
                                terminal,
                                inspector,
                            };
                        }
                    }
                }
                Some(("bench", value)) => prefs.workbench = value == "on",
                Some(("keys", value)) => prefs.single_keys = value != "off",
                Some(("plot", value)) => {
                    let chosen = value.parse().ok();
                    prefs.plot_us = chosen.filter(|us| PLOT_SPANS.contains(us)).unwrap_or(0);
                }
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
            workbench: true,
            sizes: {
                let mut sizes = Prefs::default().sizes;
                sizes[View::Index as usize].terminal = 240;
                sizes[View::Cache as usize].inspector = 420;
                sizes
            },
            single_keys: false,
            plot_us: PLOT_SPANS[2],
        };
        assert_eq!(Prefs::from_line(&prefs.to_line()), prefs);
    }

    #[test]
    fn the_height_of_an_older_line_belongs_to_the_view_of_that_line() {
        let prefs = Prefs::from_line("1 theme=dark view=watch order=key terminal=open:240 keys=on");
        let mut expected = Prefs::default().sizes;
        expected[View::Watch as usize].terminal = 240;
        assert_eq!(prefs.sizes, expected);
        assert!(prefs.to_line().contains("terminal=open:240 "));
    }

    #[test]
    fn nonsense_means_the_defaults() {
        for line in [
            "",
            "9 what=ever",
            "theme=",
            "terminal=:",
            "1 theme=pink terminal=x sizes=lab sizes=lab:x:1,:1:1 plot=7",
        ] {
            let prefs = Prefs::from_line(line);
            assert_eq!(prefs.theme, Theme::Auto, "{line}");
            assert!(prefs.single_keys, "{line}");
            assert_eq!(prefs.sizes, Prefs::default().sizes, "{line}");
            assert_eq!(prefs.plot_us, 0, "{line}");
        }
    }
}
