//! The steps to reproduce the engine's state: an address that opens the run, and the lines typed since the address was
//! made.
//!
//! The details of a failure contain these steps. The address is the latest link that the engine made to the run. If the
//! engine has not made a link yet, it is the address that opened the run. While another run loads, it is the address of
//! the loading run.

use watchglass_engine::session::protocol::Source;

/// The maximum number of recorded lines. If the user typed more lines since the latest link, the run cannot be
/// reproduced from the link.
const LINES_MAX: usize = 20;

/// The steps to reproduce a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrailReport {
    /// The part of the address that follows the app's own address; empty if no address opens the run.
    pub address: String,
    /// The lines that the user has typed since the address was made.
    pub lines: Vec<String>,
}

/// The recorded addresses and lines, from which a [`TrailReport`] is made.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    open: Mark,
    /// The run that is being loaded, with the number of the load.
    loading: Option<(u32, Mark)>,
    typed: u64,
    lines: Vec<String>,
}

/// An address that opens a run, and the number of typed lines that the address contains.
#[derive(Clone, Debug, Default)]
struct Mark {
    /// The address; empty if no address opens the run.
    address: String,
    /// The number of typed lines that the address contains.
    covers: u64,
}

impl Trail {
    pub fn load_began(&mut self, id: u32, source: &Source) {
        let mark = Mark {
            address: address_of(source),
            covers: self.typed,
        };
        self.loading = Some((id, mark));
    }

    /// Handles the response to message `id`. If this message was the load and the engine did not refuse it, the loaded
    /// run becomes the open run.
    pub fn load_ended(&mut self, id: u32, is_loaded: bool) {
        let ended = self.loading.take_if(|(load, _)| *load == id);
        if let Some((_, mark)) = ended.filter(|_| is_loaded) {
            self.open = mark;
        }
    }

    /// Records a line that is sent to the engine.
    pub fn typed(&mut self, line: &str) {
        self.typed += 1;
        self.lines.push(line.to_owned());
        if self.lines.len() > LINES_MAX {
            self.lines.remove(0);
        }
    }

    /// Returns the number of lines that a link would contain if the link were requested now.
    pub fn covers(&self) -> u64 {
        self.typed
    }

    /// Records a link that contains the first `covers` lines.
    pub fn linked(&mut self, link: &str, covers: u64) {
        // This link belongs to the previous run, not to the run that is being loaded.
        if self.loading.is_none() {
            self.open = Mark {
                address: format!("#{link}"),
                covers,
            };
        }
    }

    /// Returns the steps to reproduce the current state.
    pub fn report(&self) -> TrailReport {
        let loading = self.loading.as_ref().map(|(_, mark)| mark);
        let mark = loading.unwrap_or(&self.open);
        let since = usize::try_from(self.typed - mark.covers).unwrap_or(usize::MAX);
        match self.lines.len().checked_sub(since) {
            Some(before) => TrailReport {
                address: mark.address.clone(),
                lines: self.lines[before..].to_vec(),
            },
            None => TrailReport {
                address: String::new(),
                lines: self.lines.clone(),
            },
        }
    }
}

fn address_of(source: &Source) -> String {
    match source {
        Source::Story(name) => format!("?scenario={name}"),
        Source::Empty { profile, .. } => format!("?scenario=empty-{profile}"),
        Source::Lesson(name) => format!("?lesson={name}"),
        Source::Link(link) => format!("#{}", link.trim().trim_start_matches('#')),
        Source::Text(_) | Source::Saved(_) | Source::Snapshot { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story() -> Trail {
        let mut trail = Trail::default();
        trail.load_began(1, &Source::Story("slow-client".to_owned()));
        trail.load_ended(1, true);
        trail
    }

    fn report(address: &str, lines: &[&str]) -> TrailReport {
        TrailReport {
            address: address.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        }
    }

    #[test]
    fn the_opened_run_and_the_lines_typed_since() {
        let mut trail = story();
        trail.typed("put a 1");
        assert_eq!(
            trail.report(),
            report("?scenario=slow-client", &["put a 1"])
        );
        let covers = trail.covers();
        trail.typed("put b 2");
        trail.linked("v1.x", covers);
        assert_eq!(trail.report(), report("#v1.x", &["put b 2"]));
    }

    #[test]
    fn a_run_that_fails_while_it_loads_is_its_own_address() {
        let mut trail = story();
        trail.typed("put a 1");
        trail.load_began(1, &Source::Link("#v1.y".to_owned()));
        trail.load_ended(7, false);
        assert_eq!(trail.report(), report("#v1.y", &[]), "another message");
        trail.load_ended(1, false);
        assert_eq!(
            trail.report(),
            report("?scenario=slow-client", &["put a 1"])
        );
    }

    #[test]
    fn without_all_lines_there_is_no_address() {
        let mut trail = story();
        for _ in 0..LINES_MAX + 1 {
            trail.typed("put a 1");
        }
        assert_eq!(trail.report(), report("", &["put a 1"; LINES_MAX]));
        trail.linked("v1.x", trail.covers());
        assert_eq!(trail.report(), report("#v1.x", &[]));
    }

    #[test]
    fn a_link_to_the_run_before_is_not_taken() {
        let mut trail = story();
        trail.typed("put a 1");
        let covers = trail.covers();
        trail.load_began(1, &Source::Text("put b 2".to_owned()));
        trail.linked("v1.old", covers);
        trail.typed("put c 3");
        trail.load_ended(1, true);
        assert_eq!(trail.report(), report("", &["put c 3"]));
    }
}
