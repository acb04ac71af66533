//! The texts of challenges: the panel beside the picture, and the list.

use watchglass_engine::view::{BeadState, IndexView, Lane};

pub const CHALLENGE: &str = "Challenge";
pub const TEXT: &str = "Goal of the challenge";
/// The captions of the picture of the goal: of a store, and of another picture.
pub const GOAL_STORE: &str = "Bring the store into this state. The values do not count.";
pub const GOAL: &str = "Bring the run into this state.";
/// The note about a store that no command can turn into the goal.
pub const STUCK: &str = "No command leads from your store to the goal, because revisions only grow and a change stays \
    in the history. Undo your last commands, or restart.";
/// The tooltip of the number of commands.
pub const COUNT_TITLE: &str = "Reads do not count";
pub const ALL_CHALLENGES: &str = "All challenges";

/// The heading of the list, and the sentence below it.
pub const CHALLENGES: &str = "Challenges";
pub const ABOUT: &str = "A picture of the goal, and any commands you like. How few do you need?";

/// Returns the name of a challenge by its position in the list.
pub fn numbered(number: usize) -> String {
    format!("Challenge {number}")
}

/// Returns the line about the number of commands that change something. `par` is the number of commands in the
/// solution, and `best` the smallest number with which the reader solved the challenge.
pub fn count(commands: u32, par: u32, best: Option<u32>) -> String {
    let best = best
        .map(|best| format!(" · your best: {best}"))
        .unwrap_or_default();
    let commands = match commands {
        1 => "1 command".to_owned(),
        _ => format!("{commands} commands"),
    };
    format!("{commands} · the solution has {par}{best}")
}

/// Returns the result on a card of the list.
pub fn best(commands: u32) -> String {
    match commands {
        1 => "solved with 1 command".to_owned(),
        _ => format!("solved with {commands} commands"),
    }
}

/// Returns the text alternative of the picture of a goal.
pub fn goal_in_words(view: &IndexView) -> String {
    let mut text = format!("The store is at revision {}", view.head);
    if view.compact_revision > 0 {
        text.push_str(&format!(", compacted at {}", view.compact_revision));
    }
    text.push('.');
    for lane in &view.lanes {
        let changes: Vec<_> = changes(lane).collect();
        text.push_str(&format!(" {}: {}.", lane.name, changes.join(", ")));
    }
    text
}

fn changes(lane: &Lane) -> impl Iterator<Item = String> {
    let kept = lane
        .beads
        .iter()
        .filter(|bead| bead.state != BeadState::Gone);
    kept.map(|bead| match bead.state {
        BeadState::Tombstone => format!("deleted at revision {}", bead.main),
        _ => format!("version {} at revision {}", bead.version, bead.main),
    })
}
