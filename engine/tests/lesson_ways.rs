//! The tasks of the lessons: three ways besides the solution reach each goal, a wrong turn gets each reason, and no
//! walk ends without advice that leads to the goal. The rehearsal of a lesson plays each way and each wrong turn.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use watchglass_engine::base::rng::Rng;
use watchglass_engine::scenario::Block;
use watchglass_engine::scenario::expr::Facts;
use watchglass_engine::scenario::lesson::{self, Lesson, Part, PartKind, Task};
use watchglass_engine::scenario::lessons;
use watchglass_engine::session::{Act, LessonAct, Source};

use super::lesson_session::{Learner, words};

/// The number of walks in one run of the test, over all lessons.
const WALKS: usize = 500;
/// The maximum number of commands of a walk.
const WALK_MAX: u64 = 5;

/// A lesson with the text from which it is parsed.
struct Course {
    name: &'static str,
    text: String,
    lesson: Lesson,
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads the text of a lesson. The text is the file and not the text in the program, so that a changed lesson is tested
/// without compiling.
pub(crate) fn text_of(name: &str) -> String {
    read(&format!("src/scenario/lessons/{name}.txt"))
}

/// Reads all lessons, or only the lesson in the variable `LESSON`.
fn courses() -> Vec<Course> {
    let only = std::env::var("LESSON").ok();
    let names = lessons::ALL.iter().map(|lesson| lesson.name);
    let names = names.filter(|name| only.as_ref().is_none_or(|only| only == name));
    names.map(course).collect()
}

fn course(name: &'static str) -> Course {
    let text = text_of(name);
    let lesson = lesson::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    Course { name, text, lesson }
}

impl Course {
    /// Returns a learner at the task of the lesson.
    fn learner(&self) -> Learner {
        let mut learner = Learner::load(Source::Text(self.text.clone()));
        learner.walk_to_the_task();
        learner
    }

    /// Returns a learner who comes to the task without typing a command.
    fn skipper(&self) -> Learner {
        let mut learner = Learner::load(Source::Text(self.text.clone()));
        while learner.lesson().task.is_none() {
            learner.act(LessonAct::Next);
        }
        learner
    }

    fn task(&self) -> &Task {
        let mut tasks = self
            .lesson
            .parts
            .iter()
            .filter_map(|part| match &part.kind {
                PartKind::Task(task) => Some(task),
                PartKind::Step | PartKind::Predict(_) => None,
            });
        let task = tasks.next().expect("a lesson has a task");
        assert!(tasks.next().is_none(), "{}: a second task", self.name);
        task
    }

    fn solution(&self) -> Vec<String> {
        inputs(&self.task().solution)
    }
}

fn inputs(blocks: &[Block]) -> Vec<String> {
    blocks.iter().map(|block| block.input.clone()).collect()
}

fn is_solved(learner: &Learner) -> bool {
    learner.lesson().task.expect("a task").solved
}

/// Returns the reasons that the lesson shows now: the line of the condition, and the number of the reason.
fn reasons(learner: &Learner, task: &Task) -> Vec<(u32, usize)> {
    let run = learner.session.run();
    let facts = Facts {
        past: run.past(learner.session.cursor(), learner.session.world(), &[]),
        last: run.last_exchange(learner.session.cursor()),
        answers: &[],
    };
    let shown = task.conditions.iter().filter_map(|condition| {
        let text = condition.unmet(&facts)?;
        let mut whys = condition.whys.iter();
        Some((
            condition.line,
            whys.position(|why| std::ptr::eq(&raw const why.text, text))?,
        ))
    });
    shown.collect()
}

#[test]
fn each_task_has_three_other_ways_and_a_wrong_turn_for_each_reason() {
    let mut faults = Vec::new();
    for course in courses() {
        let (name, task) = (course.name, course.task());
        let mut fault = |what: String| faults.push(format!("{name}: {what}"));
        let (ways, wrongs): (Vec<_>, Vec<_>) = task.attempts.iter().partition(|one| one.is_way);
        let mut typed: BTreeSet<_> = ways.iter().map(|way| inputs(&way.commands)).collect();
        typed.insert(course.solution());
        if ways.len() < 3 || typed.len() != ways.len() + 1 {
            fault("three different ways besides the solution are missing".into());
        }
        let mut learner = course.learner();
        let mut shown: BTreeSet<(u32, usize)> = reasons(&learner, task).into_iter().collect();
        for wrong in wrongs {
            if wrong.says.is_empty() {
                fault(format!("{}: `#: says` is missing", wrong.name));
            }
            let mut skipper = wrong.skips.then(|| course.skipper());
            let learner = skipper.as_mut().unwrap_or(&mut learner);
            shown.extend(reasons(learner, task));
            for command in inputs(&wrong.commands) {
                learner.session.exec(&command);
                shown.extend(reasons(learner, task));
            }
            learner.reset(Act::ResetPart);
        }
        for condition in &task.conditions {
            for (number, why) in condition.whys.iter().enumerate() {
                if !shown.contains(&(condition.line, number)) {
                    fault(format!(
                        "no wrong turn gets the reason {:?}",
                        why.text.to_string()
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The commands of a walk are commands of the lesson, its ways and its wrong turns, in any order, with mutations.
fn walk(pool: &[String], names: &[String], random: &mut Rng) -> Vec<String> {
    let length = 1 + random.below(WALK_MAX);
    let command = |random: &mut Rng| {
        let command = &pool[random.below(pool.len() as u64) as usize];
        match random.below(2) {
            0 => command.clone(),
            _ => mutated(command, names, random),
        }
    };
    (0..length).map(|_| command(random)).collect()
}

/// Returns the command without one of its flags, with another number, or with another name.
fn mutated(command: &str, names: &[String], random: &mut Rng) -> String {
    let mut words: Vec<&str> = command.split(' ').collect();
    let number;
    match random.below(3) {
        0 => {
            let flags: Vec<usize> = (0..words.len())
                .filter(|at| words[*at].starts_with("--"))
                .collect();
            if !flags.is_empty() {
                words.remove(flags[random.below(flags.len() as u64) as usize]);
            }
        }
        1 => {
            let digits = words.iter().position(|word| {
                let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
                digits.parse::<i64>().is_ok()
            });
            if let Some(at) = digits {
                let start = words[at].trim_end_matches(|c: char| c.is_ascii_digit());
                let digits: i64 = words[at][start.len()..].parse().expect("digits");
                let other = digits + [-1, 1, 7][random.below(3) as usize];
                number = format!("{start}{other}");
                words[at] = &number;
            }
        }
        _ => {
            let places: Vec<usize> = (0..words.len())
                .filter(|at| names.iter().any(|name| *name == words[*at]))
                .collect();
            if !places.is_empty() {
                let at = places[random.below(places.len() as u64) as usize];
                words[at] = &names[random.below(names.len() as u64) as usize];
            }
        }
    }
    words.join(" ")
}

/// Returns the names in the commands: keys, and the names of watches, pods and rules.
fn names_in(pool: &[String]) -> Vec<String> {
    let words = pool.iter().flat_map(|command| command.split_whitespace());
    let is_name = |word: &&str| {
        word.starts_with('/')
            || word.contains('-') && !word.starts_with('-') && !word.contains('=')
            || matches!(word.len(), 2..=4) && word.ends_with(|c: char| c.is_ascii_digit())
    };
    let names: BTreeSet<String> = words.filter(is_name).map(str::to_owned).collect();
    names.into_iter().collect()
}

/// Returns false for commands that take long.
fn is_for_walks(command: &str) -> bool {
    !command.contains("..129}") && !command.contains("..250}") && !command.starts_with("populate")
}

#[test]
fn no_walk_ends_without_advice_that_leads_to_the_goal() {
    let all = courses();
    let per_lesson = WALKS.div_ceil(all.len());
    let mut faults = Vec::new();
    let (mut solved, mut stuck, mut walks) = (0, 0, 0);
    for course in &all {
        let mut random = Rng::stream(19, course.name);
        let solution = course.solution();
        let own = course.lesson.parts.iter().flat_map(Part::blocks);
        let own = own.map(|block| block.input.clone());
        let attempts = course.task().attempts.iter();
        let typed = attempts.flat_map(|attempt| inputs(&attempt.commands));
        let pool: Vec<String> = (own.chain(typed).chain(solution.clone()))
            .filter(|command| is_for_walks(command))
            .collect();
        let names = names_in(&pool);
        let mut learner = course.learner();
        for _ in 0..per_lesson {
            walks += 1;
            let commands = walk(&pool, &names, &mut random);
            for command in &commands {
                learner.session.exec(command);
            }
            let task = learner.lesson().task.expect("a task");
            let mut fault = |what: &str| {
                faults.push(format!("{}: {commands:?}: {what}", course.name));
            };
            let open = task.conditions.iter().filter(|condition| !condition.ok);
            let is_silent = open.map(|open| words(&open.why)).any(|why| why.is_empty());
            if !task.solved && is_silent {
                fault("a condition gives no reason");
            }
            if task.solved {
                solved += 1;
            } else if task.is_stuck {
                stuck += 1;
                // The page says to undo or to restart the part.
                match walks % 2 {
                    0 => commands.iter().for_each(|_| drop(learner.undo())),
                    _ => drop(learner.reset(Act::ResetPart)),
                }
                for command in &solution {
                    learner.session.exec(command);
                }
                if !is_solved(&learner) {
                    fault("the solution does not help after undo or restart");
                }
            } else if !helps(&mut learner, &solution) {
                fault("the solution does not help, and the lesson does not say to undo");
            }
            learner.reset(Act::ResetPart);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let is_whole = all.len() == lessons::ALL.len();
    assert!(
        !is_whole || walks >= WALKS && solved > 20 && stuck > 20,
        "{walks}, {solved}, {stuck}"
    );
}

/// Returns true if the last commands of the solution solve the task, or the solution without one of its commands.
fn helps(learner: &mut Learner, solution: &[String]) -> bool {
    let without = |left_out: usize| {
        let (before, after) = (&solution[..left_out], &solution[left_out + 1..]);
        [before, after, &["run 1s".to_owned()]].concat()
    };
    (0..solution.len()).any(|from| reaches(learner, &solution[from..]))
        || (0..solution.len()).any(|left_out| reaches(learner, &without(left_out)))
}

/// Types the commands; takes them back if they do not solve the task.
fn reaches(learner: &mut Learner, commands: &[String]) -> bool {
    for command in commands {
        learner.session.exec(command);
    }
    let is_solved = is_solved(learner);
    if !is_solved {
        commands.iter().for_each(|_| drop(learner.undo()));
    }
    is_solved
}
