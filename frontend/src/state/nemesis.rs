//! The search for a failure with random commands: what it searches for, its progress and its result.

use std::rc::Rc;

use watchglass_engine::view::odds::{Ending, Known, NemesisView};

#[derive(Clone, Debug, PartialEq)]
pub struct Nemesis {
    /// The ending to search for; `None` for all forbidden endings.
    pub sought: Option<Ending>,
    /// The number of attempts so far, all at the same place.
    pub tried: u64,
    /// The branch and the step at which the attempts begin.
    pub(super) place: (u32, u64),
    /// The reason why the engine refused the search.
    pub refusal: Option<String>,
    /// The result of the last search.
    pub view: Option<Rc<NemesisView>>,
    /// The known bugs that were found, which the search passes over.
    pub passed_over: Vec<Known>,
    pub(super) running: Option<Running>,
    /// The seed of the first attempt of the next search.
    pub(super) next_seed: u64,
}

/// The running search.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    pub(super) id: u32,
    /// The number of attempts of earlier searches.
    pub(super) before: u64,
}

/// An action in the dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum NemesisAct {
    /// Search for this ending, or for all forbidden endings.
    Choose(Option<Ending>),
    /// Search, or search on.
    Search,
    Stop,
    /// Type the found commands at the step at which they lead to the failure.
    Open,
}

impl Default for Nemesis {
    fn default() -> Self {
        Self {
            sought: None,
            tried: 0,
            place: (0, 0),
            refusal: None,
            view: None,
            passed_over: Vec::new(),
            running: None,
            next_seed: 1,
        }
    }
}

impl Nemesis {
    /// Creates the state before a search for an ending, or for all forbidden endings.
    pub(super) fn new(sought: Option<Ending>) -> Self {
        Self {
            sought,
            ..Self::default()
        }
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Returns the number of attempts before the running search, if the search has this number.
    pub(super) fn tried_before(&self, id: u32) -> Option<u64> {
        let running = self.running.as_ref()?;
        (running.id == id).then_some(running.before)
    }
}
