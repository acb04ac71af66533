//! Challenges: the solution solves each one with its own number of commands, other ways solve it as well, and a store
//! that can no longer become the goal is recognised.

use watchglass_engine::scenario::lesson;
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::rehearsal::rehearse;
use watchglass_engine::session::{Act, Done, Read, Request, SeekTo, Source, ToEngine};
use watchglass_engine::view::{ChallengeView, TaskView};

use super::lesson_session::{Learner, words};

fn open(name: &str) -> Learner {
    Learner::load(Source::Lesson(name.into()))
}

fn task(learner: &Learner) -> TaskView {
    learner.lesson().task.expect("a challenge is a task")
}

fn challenge(learner: &Learner) -> ChallengeView {
    learner.lesson().challenge.expect("a challenge")
}

/// Returns the reasons why the conditions do not hold.
fn whys(learner: &Learner) -> Vec<String> {
    let conditions = task(learner).conditions.into_iter();
    let unmet = conditions.filter(|condition| !condition.ok);
    unmet.map(|condition| words(&condition.why)).collect()
}

#[test]
fn the_solution_solves_each_challenge_with_par() {
    for one in &lessons::CHALLENGES {
        let mut learner = open(one.name);
        assert!(!task(&learner).solved, "{}", one.name);
        assert_eq!(challenge(&learner).best, None);
        let lesson = lesson::parse(one.text).unwrap_or_else(|e| panic!("{}: {e}", one.name));
        assert!(lesson.challenge().is_some(), "{}", one.name);
        let Done::Text(solution) = learner.act(watchglass_engine::session::LessonAct::Solution)
        else {
            panic!("{}: no solution", one.name);
        };
        learner.session.exec(&solution);
        let (task, challenge) = (task(&learner), challenge(&learner));
        assert!(task.solved, "{}: {:?}", one.name, whys(&learner));
        assert_eq!(challenge.commands, challenge.par, "{}", one.name);
        assert_eq!(challenge.best, Some(challenge.par), "{}", one.name);
        assert!((1..=6).contains(&challenge.par), "{}", one.name);
    }
}

/// Ways to the goal that are not the solution, and whether they take more commands than par.
#[test]
fn other_ways_solve_a_challenge() {
    let ways = [
        ("two-keys", "put /a x\nget /a\nput /b y", 0),
        (
            "two-lives",
            "put /a x\ndel / --prefix\ntxn\n\nput /a y\n\n",
            0,
        ),
        (
            "one-revision",
            "get /a\ntxn\nversion(\"/a\") = \"0\"\n\nput /a x\nput /b y\n\n",
            0,
        ),
        (
            "renamed",
            "put /a x\ndel /nothing\ntxn\n\ndel /a\nput /b z\n\n",
            1,
        ),
        (
            "short-history",
            "put /a 1\nput /a 1\ncompact 2\nput /a 1\nput /a 1\ncompact 5",
            1,
        ),
        ("no-trace", "put /c x\ndel /c\nput /b 1\ncompact 4", 0),
        // The order of the changes within a transaction does not count.
        (
            "swept",
            "txn\n\nput /c x\nput /a x\nput /b x\n\n\ndel /a /d",
            0,
        ),
        (
            "cut-off",
            "put /a x\nput /a y\ncompact 3\nwatch /a --rev=2 as w\nrun 1s",
            1,
        ),
    ];
    for (name, commands, more) in ways {
        let mut learner = open(name);
        learner.session.exec(commands);
        assert!(task(&learner).solved, "{name}: {:?}", whys(&learner));
        let challenge = challenge(&learner);
        assert_eq!(challenge.commands, challenge.par + more, "{name}");
    }
}

#[test]
fn the_store_is_compared_with_the_goal() {
    let mut learner = open("two-lives");
    learner.session.exec("put /b 1");
    assert_eq!(
        whys(&learner),
        [
            "Your store is at revision 2.",
            "The goal has a key /a, and your store does not."
        ]
    );
    assert!(task(&learner).is_stuck, "/b stays in the store");
    learner.undo();
    assert!(!task(&learner).is_stuck);
    learner.session.exec("put /a 1");
    assert_eq!(
        whys(&learner),
        [
            "Your store is at revision 2.",
            "The goal has a delete of /a at revision 3, and your store does not."
        ]
    );
    assert!(!task(&learner).is_stuck);
    learner.session.exec("put /a 2");
    assert!(
        task(&learner).is_stuck,
        "the goal has a delete at revision 3"
    );
    let mut learner = open("no-trace");
    learner
        .session
        .exec("put /b 1\nput /b 1\nput /b 2\ncompact 4");
    let why = "/b has the revisions of the goal, but not its generations or its version: select the key to compare \
               them.";
    assert_eq!(whys(&learner), [why]);
}

#[test]
fn the_best_number_of_commands_is_kept() {
    let mut learner = open("two-keys");
    learner.session.exec("put /a 1\ndel /x\nput /b 1");
    assert_eq!(challenge(&learner).best, Some(3));
    let kept = learner.lesson().progress;
    let mut learner = open("two-keys");
    learner.say(ToEngine::Request(5, Request::Progress(kept)));
    learner.reset(Act::Reset);
    assert_eq!(challenge(&learner).best, Some(3));
    learner.session.exec("put /a 1\nput /b 1");
    assert_eq!(challenge(&learner).best, Some(2));
    learner.reset(Act::Reset);
    learner.session.exec("put /a 1\ndel /x\nput /b 1");
    assert_eq!(challenge(&learner).best, Some(2));
}

#[test]
fn a_challenge_whose_solution_never_ends_is_no_challenge_to_solve() {
    let head = "#! lesson: X\n#! title: X\n#! goal: X\n#! source: X\n\n";
    let body = "#: task X\n#: solution\nfor i in {1..30000}; do put /a 1; done\n----\nOK\n";
    let text = [head, body].concat();
    let learner = Learner::load(Source::Text(text));
    assert_eq!(learner.lesson().challenge, None);
    assert!(!task(&learner).solved);
}

#[test]
fn another_attempt_after_an_undo_counts_and_the_run_of_another_person_does_not() {
    let mut learner = open("two-keys");
    learner.session.exec("put /a 1\ndel /x\nput /b 1");
    learner.undo();
    assert!(!task(&learner).solved);
    learner.session.exec("put /a 1\nput /b 1");
    assert_eq!(challenge(&learner).best, Some(2));
    let Done::Text(saved) = learner.say(ToEngine::Request(5, Request::Read(Read::Save))) else {
        panic!("no save");
    };
    let mut other = open("two-keys");
    other.session.load(Source::Saved(saved), SeekTo::Default);
    assert!(task(&other).solved);
    assert_eq!(challenge(&other).best, None);
}

#[test]
fn an_author_learns_what_is_wrong_with_a_challenge() {
    let faults = |head: &str, solution: &str| -> Vec<String> {
        let head = [
            "#! lesson: my challenge\n#! title: X\n#! goal: X\n#! source: X\n",
            head,
        ]
        .concat();
        let text = [&head, "\n#: task X\n#: solution\n", solution].concat();
        let faults = rehearse(&text).unwrap_or_else(|e| panic!("{e}"));
        faults.into_iter().map(|fault| fault.text).collect()
    };
    let name =
        "`my challenge` cannot be the name of a file: use at most 40 letters, digits, `-` and `_`";
    let many = "for i in {1..9}; do put /$i v; done\n----\nOK\nOK\nOK\nOK\nOK\nOK\nOK\nOK\nOK\n";
    let found = faults("", many);
    assert_eq!(
        found,
        [
            name,
            "the picture of the goal has room for 8 keys and 40 revisions"
        ]
    );
    let found = faults("#! picture: watch\n", "put /a v\n----\nOK\n");
    assert!(
        found[1].starts_with("without conditions, the goal is the picture of the store"),
        "{found:?}"
    );
}

#[test]
fn the_wrong_turns_of_a_challenge_are_checked() {
    let text = "#! lesson: X\n#! title: X\n#! goal: X\n#! source: X\n\n#: task X\n#: solution\nput /a v\n----\nOK\n\n\
                #: wrong another key\n#> put /b v\n#: says The goal has a key `/a`, and your store does not.\n";
    assert_eq!(rehearse(text).expect("a lesson"), []);
}
