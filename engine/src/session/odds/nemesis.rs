//! Tries random commands and faults from a step of a run on, until something happens that must never happen, and then
//! leaves out all commands that are not needed for it.
//!
//! A nemesis is the part of a Jepsen test that causes faults. Left out: it draws no transactions with comparisons, no
//! leases, no changes of members and no QoS rules.

use std::ops::Range;

use crate::session::run::Run;
use crate::session::workspace::Workspace;
use crate::shell::LineReader;
use crate::view::odds::{Ending, Failure, Known, NemesisView};
use crate::words::session as words;

use super::attempt::{Attempt, Copying, Outcome};
use super::draw::Draw;
use super::ending::Detector;
use super::shrink::Shrink;
use super::{Work, check_length};

/// Attempts with random commands, one for each seed.
#[derive(Debug)]
pub(in crate::session) struct Nemesis {
    endings: Vec<(Ending, Detector)>,
    step: u64,
    seeds: Range<u64>,
    /// The reader of the run, which knows the variables that were set.
    reader: LineReader,
    stage: Stage,
    view: NemesisView,
}

#[derive(Debug, Default)]
enum Stage {
    Copying(Copying),
    /// The copy of the run, and the attempt in progress.
    Drawing(Box<Run>, Option<Box<Drawn>>),
    /// The copy of the run, and the failure of which lines are left out.
    Shrinking(Box<Run>, Box<Found>),
    #[default]
    Ended,
}

/// An attempt whose commands are drawn one after the other.
#[derive(Debug)]
struct Drawn {
    seed: u64,
    draw: Draw,
    lines: Vec<String>,
    attempt: Attempt,
}

#[derive(Debug)]
struct Found {
    failure: Failure,
    /// The number of the detector of the ending.
    number: usize,
    shrink: Shrink,
    attempt: Option<Attempt>,
}

impl Workspace {
    /// Starts to try random commands after the step at the cursor, once for each seed.
    ///
    /// # Errors
    /// Returns an error message if a condition cannot be read, or if the run is too long.
    pub(in crate::session) fn begin_nemesis(
        &self,
        endings: Vec<Ending>,
        ignored: &[Known],
        seeds: Range<u64>,
    ) -> Result<Work, String> {
        check_length(self.cursor)?;
        let endings = endings.into_iter().map(|ending| {
            let mut detector = Detector::new(&ending)?;
            detector.ignore(ignored);
            Ok((ending, detector))
        });
        Ok(Work::Nemesis(Box::new(Nemesis {
            endings: endings.collect::<Result<_, String>>()?,
            step: self.cursor,
            seeds,
            reader: self.reader.clone(),
            stage: Stage::Copying(Copying::new(self, self.cursor)),
            view: NemesisView {
                step: self.cursor,
                ..NemesisView::default()
            },
        })))
    }
}

impl Nemesis {
    /// Makes a step of a command. Returns the result once a failure is found and shortened, or all attempts have ended.
    /// Returns an error message if one of the endings occurred before the first attempt.
    pub(super) fn advance(&mut self, workspace: &Workspace) -> Option<Result<NemesisView, String>> {
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Copying(mut copying) => match copying.advance(workspace) {
                Some((run, world)) => {
                    let mut detectors = self.endings.iter().map(|(_, detector)| detector);
                    if let Some(step) = detectors.find_map(|detector| {
                        let is_there = detector.is_there(&run, self.step, &world);
                        detector.logged(&run).or(is_there.then_some(self.step))
                    }) {
                        return Some(Err(words::has_failed(step)));
                    }
                    Stage::Drawing(run.into(), None)
                }
                None => Stage::Copying(copying),
            },
            Stage::Drawing(run, None) => {
                let Some(seed) = self.seeds.next() else {
                    return Some(Ok(std::mem::take(&mut self.view)));
                };
                let first = format!("reseed {seed}");
                let drawn = Drawn {
                    seed,
                    draw: Draw::new(seed, run.head()),
                    attempt: Attempt::new(&run, self.reader.clone(), &first),
                    lines: vec![first],
                };
                Stage::Drawing(run, Some(drawn.into()))
            }
            Stage::Drawing(run, Some(drawn)) => self.draw_more(run, drawn),
            Stage::Shrinking(run, mut found) => {
                if self.shrink_more(&run, &mut found) {
                    self.view.failure = Some(found.failure);
                    return Some(Ok(std::mem::take(&mut self.view)));
                }
                Stage::Shrinking(run, found)
            }
            Stage::Ended => Stage::Ended,
        };
        None
    }

    fn draw_more(&mut self, run: Box<Run>, mut drawn: Box<Drawn>) -> Stage {
        let detectors = self.endings.iter().map(|(_, detector)| detector);
        let Drawn { draw, attempt, .. } = &mut *drawn;
        match attempt.advance(detectors, self.step) {
            None => return Stage::Drawing(run, Some(drawn)),
            Some(Outcome::Hit(number)) => {
                let (ending, detector) = &self.endings[number];
                let (what, known) = described(detector, attempt.run());
                self.view.attempts += 1;
                let failure = Failure {
                    ending: ending.clone(),
                    what,
                    known,
                    seed: drawn.seed,
                    drawn: drawn.lines.len() as u32,
                    needed: 0,
                    text: String::new(),
                };
                let found = Found {
                    failure,
                    number,
                    shrink: Shrink::new(drawn.lines),
                    attempt: None,
                };
                return Stage::Shrinking(run, found.into());
            }
            Some(Outcome::Avoided) => {
                if let Some(command) = draw.next(attempt.world()) {
                    attempt.go_on(&command);
                    drawn.lines.push(command);
                    return Stage::Drawing(run, Some(drawn));
                }
                self.view.attempts += 1;
            }
            Some(Outcome::Stopped) => self.view.stopped += 1,
        }
        Stage::Drawing(run, None)
    }

    /// Tries whether a shorter text fails in the same way. Returns true once no line can be left out.
    fn shrink_more(&mut self, run: &Run, found: &mut Found) -> bool {
        let Found {
            failure,
            number,
            shrink,
            attempt,
        } = found;
        let Some(trying) = attempt else {
            let Some(lines) = shrink.candidate() else {
                failure.needed = shrink.lines().len() as u32;
                failure.text = shrink.lines().join("\n");
                return true;
            };
            let text = lines.join("\n");
            *attempt = Some(Attempt::new(run, self.reader.clone(), &text));
            return false;
        };
        let (_, detector) = &self.endings[*number];
        if let Some(outcome) = trying.advance(std::iter::once(detector), self.step) {
            let (what, known) = described(detector, trying.run());
            // A text that fails because of another known bug is no shorter form of this failure.
            let fails = matches!(outcome, Outcome::Hit(_)) && known == failure.known;
            if fails {
                failure.what = what;
            }
            shrink.tell(fails);
            *attempt = None;
        }
        false
    }

    /// Returns the finished attempts and all attempts of this request.
    pub(super) fn progress(&self) -> (u64, u64) {
        let done = u64::from(self.view.attempts + self.view.stopped);
        (done, done + self.seeds.clone().count() as u64)
    }
}

/// Returns a sentence about a broken guarantee and the known bug that explains it; nothing for other endings.
fn described(detector: &Detector, run: &Run) -> (String, Option<Known>) {
    let breach = detector.breach(run);
    breach.map_or_else(Default::default, |(_, what, known)| (what, known))
}
