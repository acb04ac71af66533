//! The cover of a run: the beat whose picture the run's card shows. A beat is a section of the narration.
//!
//! A scenario names its cover with `#! cover: beat:4`. Otherwise, a rule chooses: the end of a run usually shows a
//! repaired system, so the cover is an earlier beat that shows the problem.

use super::run::Run;

/// The minimum lag of a beat that becomes the cover, in revisions. Each write makes a lag of one revision for a moment.
const LAG_MIN: u32 = 2;

/// Returns the number of the beat that the rule chooses as the cover of a run:
///
/// 1. the beat at whose end a watch or a cache lags most, if the lag is at least two revisions;
/// 2. otherwise, the last beat with a refused command;
/// 3. otherwise, the last beat but one.
pub fn cover(run: &Run) -> u64 {
    let beats = run.beats();
    let lag = |number: &u64| {
        let end = run.step(beats.last(*number, run.len()));
        end.map_or(0, |step| step.lag.watch.max(step.lag.cache))
    };
    let numbers = 1..=beats.len();
    // Of several beats with the same lag, the first.
    let most = numbers.clone().rev().max_by_key(lag);
    let lags = most.filter(|number| lag(number) >= LAG_MIN);
    let refused = || {
        let entries = run.scrollback().by(run.len(), beats.len());
        let refused = entries.filter(|entry| entry.output.exit != 0);
        refused.map(|entry| entry.beat).next_back()
    };
    let before_last = beats.len().saturating_sub(1).max(1);
    lags.or_else(refused).unwrap_or(before_last)
}
