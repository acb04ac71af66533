//! The comparison of two branches: the last step that they share, and the differences between their ends.

use crate::trace::Event;
use crate::view::branches::{FirstDifference, ROWS_MAX, branches_view};
use crate::view::{BranchesView, Moment, narrate};

use super::run::Run;
use super::scrollback::{Entry, LineNumber};
use super::task::{printed, shortened};
use super::workspace::Workspace;

/// The maximum number of steps that the search for the first difference compares.
const STEPS_COMPARED: u64 = 20_000;

/// The maximum number of characters of an output in a comparison.
const OUTPUT_CHARS_SHOWN: usize = 2_000;

impl Workspace {
    /// Compares the ends of two branches. Clamps the numbers to the branches of the run.
    pub(super) fn compare(&self, branches: [u32; 2]) -> BranchesView {
        let branches = branches.map(|branch| branch.min(self.branches.len() as u32 - 1));
        let runs = branches.map(|branch| &self.branches[branch as usize].run);
        let shared_steps = self.shared_steps(branches);
        let lines = runs.map(|run| lines(run, shared_steps, run.len()));
        let commands = [0, 1].map(|side| {
            let (run, lines) = (runs[side], &lines[side]);
            let shown = lines.iter().take(ROWS_MAX);
            let text = |line: &LineNumber| shortened(&run.scrollback().line(*line).text);
            let shown: Vec<String> = shown.map(text).collect();
            let omitted = (lines.len() - shown.len()) as u64;
            (shown, omitted)
        });
        BranchesView {
            branches,
            shared_steps,
            first_difference: first_difference(runs, shared_steps),
            first_output: first_output(runs, shared_steps),
            commands,
            ..branches_view(runs.map(|run| run.head()))
        }
    }

    /// Returns the commands of the branch up to the cursor, as a text that repeats them on a new store of this version.
    pub(super) fn commands(&self, profile: &str) -> String {
        let (run, config) = (self.run(), self.world().config());
        let mut text = format!(
            "world profile={profile} seed={} members={}\n",
            config.seed, config.members
        );
        for line in lines(run, 0, self.cursor) {
            text.push_str(&run.scrollback().line(line).text);
            text.push('\n');
        }
        text
    }

    /// Returns the last step that two branches have in common; 0 if there is none.
    fn shared_steps(&self, [a, b]: [u32; 2]) -> u64 {
        let (a, b) = (self.ancestry(a), self.ancestry(b));
        a.iter()
            .find_map(|here| {
                let there = b.iter().find(|there| there.branch == here.branch)?;
                Some(here.step.min(there.step))
            })
            .unwrap_or(0)
    }

    /// Returns the end of a branch, then the point at which the branch leaves its parent, then the point at which the
    /// parent leaves its own parent, and so on.
    fn ancestry(&self, branch: u32) -> Vec<Moment> {
        let end = Moment {
            branch,
            step: self.branches[branch as usize].run.len(),
        };
        let parent = |at: &Moment| {
            let parent = self.branches[at.branch as usize].parent?;
            // A branch may start at a step that its parent shares with the parent's own parent.
            Some(Moment {
                step: parent.step.min(at.step),
                ..parent
            })
        };
        std::iter::successors(Some(end), parent).collect()
    }
}

/// Returns the entries of the terminal whose responses arrived after step `shared`, up to step `end`. Leaves out the
/// commands that begin a branch, because a repetition would leave its own branch with them.
fn entries(run: &Run, shared: u64, end: u64) -> impl Iterator<Item = &Entry> {
    let text = |entry: &Entry| run.scrollback().line(entry.line).text.clone();
    let is_later = move |entry: &&Entry| entry.step > shared || shared == 0;
    let begins_branch = move |text: &str| text == "fork" || text.starts_with("world ");
    let entries = run.scrollback().at(end).filter(is_later);
    entries.filter(move |entry| !begins_branch(&text(entry)))
}

/// Returns the command lines of these [`entries`].
fn lines(run: &Run, shared: u64, end: u64) -> Vec<LineNumber> {
    let mut lines: Vec<LineNumber> = entries(run, shared, end).map(|entry| entry.line).collect();
    // Each command of a line has its own terminal entry, so consecutive entries can have the same line.
    lines.dedup();
    lines
}

/// Returns the first command after the shared steps that is the same in both runs and prints other output.
fn first_output(runs: [&Run; 2], shared: u64) -> Option<(String, [String; 2])> {
    let text = |run: &Run, line: LineNumber| run.scrollback().line(line).text.clone();
    let [a, b] = runs.map(|run| entries(run, shared, run.len()));
    let mut same = a.zip(b).map_while(|(one, other)| {
        let command = text(runs[0], one.line);
        (command == text(runs[1], other.line)).then_some((command, [one, other]))
    });
    let (command, outputs) = same.find(|(_, [one, other])| one.output != other.output)?;
    let shown = |entry: &Entry| {
        let output = printed(&entry.output);
        output.chars().take(OUTPUT_CHARS_SHOWN).collect()
    };
    Some((shortened(&command), outputs.map(shown)))
}

/// Returns the first step after `shared` in which two runs differ: other events, or the same events at another time.
/// Compares at most [`STEPS_COMPARED`] steps.
fn first_difference(runs: [&Run; 2], shared: u64) -> Option<FirstDifference> {
    let [a, b] = runs;
    let last = a.len().max(b.len()).min(shared + STEPS_COMPARED);
    let step = (shared + 1..=last).find(|step| differ(runs, *step))?;
    let side = |run: &Run| {
        let at = run.step(step)?.at.0;
        let (world, events) = (run.world_at(step), run.events(step));
        Some((at, narrate::sentence(run.past(step, &world, &events))))
    };
    Some(FirstDifference {
        step,
        sides: [side(a), side(b)],
    })
}

fn differ([a, b]: [&Run; 2], step: u64) -> bool {
    let time_of = |run: &Run| run.step(step).map(|record| record.at);
    let (one, other) = (a.events(step), b.events(step));
    let is_other = |(one, other): (&Event, &Event)| one.what != other.what || one.at != other.at;
    time_of(a) != time_of(b) || one.len() != other.len() || one.iter().zip(&*other).any(is_other)
}
