//! The texts of the dialog that shows when an ending of a run became inevitable.

use watchglass_engine::view::odds::Ending;
use yew::prelude::*;

use super::common::count;
use crate::draw::text::count as grouped;

pub const TITLE: &str = "When did it become inevitable?";
pub const ABOUT: &str = "find the last step from which this run could still have ended differently";
pub const INTRODUCTION: &str = "Choose an ending of this run. The simulator repeats the run from earlier steps with \
    other random numbers (delays, losses, election timeouts, timers) and counts how often the same happens. The shares \
    belong to this model; they do not say how often it happens in a real cluster.";
pub const SEARCHING: &str = "Searching the run…";
pub const ENDINGS: &str = "What happened up to the cursor";
pub const NO_ENDINGS: &str = "Nothing on this list happened up to the cursor: no broken guarantee, contradiction, \
    disagreement of members, repeated create, second container, canceled watch, slow request, full \
    database or killed process. You can enter your own condition, or search for commands after which it happens.";
pub const OWN_CONDITION: &str = "Or your own condition, in the language of the lessons:";
pub const CONDITION_EXAMPLE: &str = "store.rev > 5 and watch(\"w1\").events.len == 0";
pub const FIND: &str = "Find";
pub const OTHER_ENDING: &str = "Choose another ending";
pub const LEAVE_OUT: &str = "Leave out each later command with a probability of 1 in 4";
pub const LEAVE_OUT_ABOUT: &str =
    "In most runs, the commands and not the random numbers decide the ending.";
pub const STOP: &str = "Stop";
pub const CHART: &str =
    "Share of the replays with this ending, by the step from which the run is repeated";
pub const COMMANDS_DECIDE: &str =
    "The random numbers do not decide it. Repeat the run without some of its commands.";
pub const APPROXIMATE: &str = "The run was not repeated from the steps between.";
pub const OPEN_AVOIDED: &str = "Open a replay without this ending";
pub const RESULTS: &str = "All results";
pub const STEP: &str = "From step";
pub const REPLAYS: &str = "Replays";
pub const HITS: &str = "With this ending";

/// Names an ending.
pub fn ending(ending: &Ending) -> Html {
    match ending {
        Ending::BrokenGuarantee => "A guarantee of a watch or of an API server is broken".into(),
        Ending::NotLinearizable => "A read misses an acknowledged write".into(),
        Ending::DivergedMembers => "Two members disagree after the same log entries".into(),
        Ending::RepeatedCreate => {
            "A controller creates an object that it has already created".into()
        }
        Ending::TwoContainers => "Two containers have the identity of one pod".into(),
        Ending::FullDatabase => "A member's database is full".into(),
        Ending::EndedWatch => "A server ends a watch with an error".into(),
        Ending::SlowRequest => "A request to an API server takes longer than a second".into(),
        Ending::KilledProcess => "A process is killed because it uses too much memory".into(),
        Ending::Condition(text) => html! { <code>{ text }</code> },
    }
}

pub fn first_after(step: u64) -> String {
    format!("for the first time after step {}", grouped(step))
}

pub fn never_true(step: u64) -> String {
    format!(
        "The condition is not true after any step up to step {}.",
        grouped(step)
    )
}

pub fn progress(replays: u32) -> String {
    [&count(u64::from(replays), "replay", "replays"), " so far"].concat()
}

/// Returns the result if the ending was avoided from no step.
pub fn always(replays: u32) -> String {
    format!("The ending occurred in all {replays} replays, even from the start of the run.")
}

/// Returns the result: `last` are the hits and replays from the last avoidable step, `after` those from the next one.
pub fn cliff(step: u64, last: (u32, u32), next: u64, after: Option<(u32, u32)>) -> String {
    let (hits, replays) = last;
    let avoided = replays - hits;
    let (step, next) = (grouped(step), grouped(next));
    let last = format!("From step {step}, {avoided} of {replays} replays still avoided it");
    match after {
        Some((_, replays)) => format!(
            "{last}; from step {next}, none of {replays}. {}",
            confidence(replays)
        ),
        None => format!("{last}. It occurred in step {next}."),
    }
}

/// Returns what a number of replays with the same ending proves: the lower bound of the share of all replays.
fn confidence(replays: u32) -> String {
    let least = 0.01_f64.powf(1.0 / f64::from(replays.max(1)));
    format!(
        "With a confidence of 99 %, at least {} % of all replays from there have the ending.",
        (least * 100.0).floor()
    )
}

/// Returns the sentence about the step between avoidable and inevitable.
pub fn turning_point(step: u64, sentence: &str, command: Html) -> Html {
    html! { <><b>{ format!("Step {}: ", grouped(step)) }</b>{ sentence }{ " (" }{ command }{ ")" }</> }
}

pub fn step(step: u64) -> String {
    format!("step {}", grouped(step))
}

pub fn stopped(number: u32) -> String {
    [
        &count(u64::from(number), "replay was", "replays were"),
        " stopped after 20,000 steps and not counted.",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_states_its_confidence() {
        assert_eq!(
            cliff(65, (42, 50), 66, Some((50, 50))),
            "From step 65, 8 of 50 replays still avoided it; from step 66, none of 50. With a confidence of 99 %, at \
             least 91 % of all replays from there have the ending."
        );
        assert_eq!(
            cliff(65, (42, 50), 66, None),
            "From step 65, 8 of 50 replays still avoided it. It occurred in step 66."
        );
    }
}
