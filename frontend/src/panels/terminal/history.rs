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

/// The place after a step up or down; `None` is the line being typed, below the newest.
pub(super) fn walk(place: Option<usize>, count: usize, up: bool) -> Option<usize> {
    match (place, up) {
        (None, true) => count.checked_sub(1),
        (Some(place), true) => Some(place.saturating_sub(1)),
        (Some(place), false) if place + 1 < count => Some(place + 1),
        (_, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::view::TerminalEntry;

    #[test]
    fn up_and_down_stop_at_the_ends() {
        assert_eq!(walk(None, 0, true), None);
        assert_eq!(walk(None, 3, true), Some(2));
        assert_eq!(walk(Some(0), 3, true), Some(0));
        assert_eq!(walk(Some(1), 3, false), Some(2));
        assert_eq!(walk(Some(2), 3, false), None);
        assert_eq!(walk(None, 3, false), None);
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
