//! Walking through earlier lines with the arrow keys: pure, so that it is tested alone.

use watchglass_engine::view::TerminalView;

/// Lines to walk through, oldest first: what the run shows, then what was typed on this page.
pub(super) fn lines(view: Option<&TerminalView>, typed: &[String]) -> Vec<String> {
    let shown = view.map_or(&[][..], |view| &view.entries);
    let mut lines: Vec<String> = Vec::new();
    let run = shown.iter().flat_map(|entry| entry.command.lines());
    for line in run.chain(typed.iter().map(String::as_str)) {
        let again = typed.len() > lines.len() && typed.iter().any(|known| known == line);
        let same = lines.last().is_some_and(|last| last == line);
        // What was typed here is in the run as well: keep it at its later place.
        if !same && !line.trim().is_empty() {
            if again {
                lines.retain(|known| known != line);
            }
            lines.push(line.to_owned());
        }
    }
    lines
}

/// A walk through lines that stay as they were when it began, whatever is answered meanwhile.
#[derive(Debug)]
pub(super) struct Walk {
    lines: Vec<String>,
    /// The line being typed, below the newest, when none.
    place: Option<usize>,
}

impl Walk {
    /// Begins below the newest line.
    pub(super) fn new(lines: Vec<String>) -> Self {
        Self { lines, place: None }
    }

    /// The line after a step up or down; empty below the newest.
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
        };
        let typed = ["get a".to_owned(), "del a".to_owned()];
        assert_eq!(lines(Some(&view), &typed), ["put a 1", "get a", "del a"]);
        assert_eq!(lines(None, &typed), ["get a", "del a"]);
    }
}
