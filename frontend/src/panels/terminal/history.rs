//! The history of the prompt: arrow keys move through earlier lines. These functions are pure, so that tests can call
//! them without a browser.

use watchglass_engine::view::TerminalView;

/// Returns the lines of the history, oldest first: lines of the run, then lines typed on this page.
pub(super) fn lines(view: Option<&TerminalView>, typed: &[String]) -> Vec<String> {
    let shown = view.map_or(&[][..], |view| &view.entries);
    let mut lines: Vec<String> = Vec::new();
    let run = shown.iter().flat_map(|entry| entry.command.lines());
    for line in run.chain(typed.iter().map(String::as_str)) {
        let again = typed.len() > lines.len() && typed.iter().any(|known| known == line);
        let same = lines.last().is_some_and(|last| last == line);
        // A line typed on this page is also a line of the run; keep only the later of the two.
        if !same && !line.trim().is_empty() {
            if again {
                lines.retain(|known| known != line);
            }
            lines.push(line.to_owned());
        }
    }
    lines
}

/// A position in the history. The lines are copied when the position is created, so later responses do not change them.
#[derive(Debug)]
pub(super) struct Walk {
    lines: Vec<String>,
    /// The index of the current line; `None` for the line being typed, after the newest line.
    place: Option<usize>,
}

impl Walk {
    /// Creates a position after the newest line of the history.
    pub(super) fn new(lines: Vec<String>) -> Self {
        Self { lines, place: None }
    }

    /// Moves one line up or down and returns the new line; empty after the newest line.
    pub(super) fn go(&mut self, up: bool) -> &str {
        let count = self.lines.len();
        self.place = match (self.place, up) {
            (None, true) => count.checked_sub(1),
            (Some(place), true) => Some(place.saturating_sub(1)),
            (Some(place), false) if place + 1 < count => Some(place + 1),
            (_, false) => None,
        };
        self.place.map_or("", |place| &self.lines[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::view::TerminalEntry;

    #[test]
    fn up_and_down_stop_at_the_ends() {
        assert_eq!(Walk::new(Vec::new()).go(true), "");
        let mut walk = Walk::new(vec!["put a 1".to_owned(), "get a".to_owned()]);
        let lines = [true, true, true, false, false, false].map(|up| walk.go(up).to_owned());
        assert_eq!(lines, ["get a", "put a 1", "put a 1", "get a", "", ""]);
    }

    #[test]
    fn the_run_comes_before_what_was_typed_and_nothing_stands_twice_in_a_row() {
        let entry = |command: &str| TerminalEntry {
            command: command.to_owned(),
            ..TerminalEntry::default()
        };
        let view = TerminalView {
            total: 3,
            entries: vec![entry("put a 1"), entry("put a 1"), entry("get a")],
            beat: Vec::new(),
            beat_earlier: 0,
        };
        let typed = ["get a".to_owned(), "del a".to_owned()];
        assert_eq!(lines(Some(&view), &typed), ["put a 1", "get a", "del a"]);
        assert_eq!(lines(None, &typed), ["get a", "del a"]);
    }
}
