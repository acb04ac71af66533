//! A draft of an exercise: commands, a question and choices, before the simulator has decided which choice is right.

use crate::base::small_sort::SmallSort;
use crate::scenario::expr::{Expr, Facts, Value};
use crate::scenario::format::{Block, SEPARATOR, render_expected};
use crate::scenario::lesson::{self, same_answer};
use crate::world::Config;

use super::super::lesson_run::LessonRun;
use super::super::workspace::Workspace;
use super::Item;
use super::dice::Dice;

/// The maximum and the minimum number of choices of an exercise.
const CHOICES_MAX: usize = 4;
const CHOICES_MIN: usize = 3;

pub(super) struct Draft {
    /// The heading of the question.
    pub(super) title: &'static str,
    /// The commands before the question.
    pub(super) start: Vec<String>,
    pub(super) question: String,
    /// The commands that the question is about.
    pub(super) ask: Vec<String>,
    pub(super) choices: Choices,
    /// Why the right choice is right. The text is shown after every answer.
    pub(super) reason: String,
}

pub(super) enum Choices {
    /// The value of the expression `answer`, and values that misconceptions lead to: an expression, and why its value
    /// is wrong. Important misconceptions come first.
    Values {
        answer: String,
        wrong: Vec<(String, String)>,
    },
    /// Results, exactly one of which holds.
    Results(Vec<Outcome>),
}

/// A possible result of the commands.
pub(super) struct Outcome {
    pub(super) text: String,
    /// The condition that holds if the commands have this result.
    pub(super) holds: String,
    /// Why this result is wrong, if it is.
    pub(super) why: String,
}

impl Outcome {
    pub(super) fn new(
        text: impl Into<String>,
        holds: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self {
            text: text.into(),
            holds: holds.into(),
            why: why.into(),
        }
    }
}

/// The choices after the run: the answer with its expression, and the wrong choices, each with a reason.
struct Graded {
    answer: String,
    wrong: Vec<(String, String)>,
}

impl Choices {
    /// Returns the answer line without the answer.
    fn answer_line(&self, answer: &str) -> String {
        match self {
            Self::Values { answer: expr, .. } => format!("{answer} = {expr}"),
            Self::Results(all) => {
                let holds = all.iter().find(|one| one.text == answer);
                let holds = holds.map_or("store.rev > 0", |one| &one.holds);
                format!("{answer} if {holds}")
            }
        }
    }

    /// Decides which choice is right. Returns `None` if the draft has no answer, more than one, or too few wrong
    /// choices.
    fn grade(&self, facts: &Facts<'_>) -> Option<Graded> {
        let (answer, wrong) = match self {
            Self::Values { answer, wrong } => {
                let value = |expr: &str| match parsed(Expr::parse(expr)).value(facts) {
                    Value::Nothing => None,
                    value => Some(value.to_string()),
                };
                let wrong = wrong.iter();
                let wrong = wrong.filter_map(|(expr, why)| Some((value(expr)?, why.clone())));
                (value(answer)?, wrong.collect::<Vec<_>>())
            }
            Self::Results(all) => {
                let holds = |one: &&Outcome| parsed(Expr::condition(&one.holds)).holds(facts);
                let (right, wrong): (Vec<_>, Vec<_>) = all.iter().partition(holds);
                let [right] = right[..] else {
                    return None;
                };
                let wrong = wrong.iter().map(|one| (one.text.clone(), one.why.clone()));
                (right.text.clone(), wrong.collect())
            }
        };
        let mut different: Vec<(String, String)> = Vec::new();
        for (guess, why) in wrong {
            let is_same = |known: &str| same_answer(known, &guess);
            if !is_same(&answer) && !different.iter().any(|(known, _)| is_same(known)) {
                different.push((guess, why));
            }
        }
        different.truncate(CHOICES_MAX - 1);
        let is_enough = different.len() >= CHOICES_MIN - 1;
        is_enough.then_some(Graded {
            answer,
            wrong: different,
        })
    }
}

/// Returns an expression of a form. A test draws every form, so an expression with a mistake does not get this far.
fn parsed<T>(expr: Result<T, String>) -> T {
    expr.unwrap_or_else(|e| panic!("an expression of a form is invalid: {e}"))
}

impl Draft {
    /// Runs the commands and returns the text of the exercise; `None` if the choices are not good enough.
    pub(super) fn text(&self, item: Item, dice: &mut Dice) -> Option<String> {
        let sketch = Graded {
            answer: "0".into(),
            wrong: Vec::new(),
        };
        // Only a run with a lesson stores the responses, which the expressions read.
        let sketch = self.render(item, &sketch, &[], &["0".into()]);
        let lesson = lesson::parse(&sketch).unwrap_or_else(|e| panic!("{item}: {e}\n{sketch}"));
        let mut workspace = Workspace::new(Config::default());
        workspace.lesson = Some(LessonRun::new(lesson.into()));
        let mut run = |line: &String| {
            let input = line.clone();
            let output = workspace.block(&Block {
                input,
                ..Block::default()
            });
            output.strip_suffix('\n').unwrap_or(&output).to_owned()
        };
        let commands = self.start.iter().chain(&self.ask);
        let outputs: Vec<String> = commands.map(&mut run).collect();
        // A write can fail in a cluster without a leader, and the question would then be about another state.
        let mut before = outputs[..self.start.len()].iter();
        if before.any(|output| output.contains("Error")) {
            return None;
        }
        let graded = self.choices.grade(&workspace.facts(&[]))?;
        let wrong = graded.wrong.iter().map(|(guess, _)| guess.clone());
        let mut choices: Vec<String> = wrong.chain([graded.answer.clone()]).collect();
        dice.shuffle(&mut choices);
        choices.small_sort_by_key(|choice| choice.parse::<i64>().ok());
        Some(self.render(item, &graded, &outputs, &choices))
    }

    fn render(
        &self,
        item: Item,
        graded: &Graded,
        outputs: &[String],
        choices: &[String],
    ) -> String {
        let topic = item.form.topic();
        let mut outputs = outputs.iter();
        let mut commands = |commands: &[String]| -> String {
            let block = |line: &String| {
                let output = outputs.next().map(|output| render_expected(output));
                format!("{line}\n{SEPARATOR}\n{}\n", output.unwrap_or_default())
            };
            commands.iter().map(block).collect()
        };
        let start = commands(&self.start);
        let ask = commands(&self.ask);
        let choices: String = choices.iter().map(|c| format!("#: choice {c}\n")).collect();
        let wrong = graded.wrong.iter();
        let whys: String = wrong
            .map(|(guess, why)| format!("#: why if {guess} => {why}\n"))
            .collect();
        format!(
            "#! lesson: {item}\n#! title: {}\n#! goal: {}\n#! minutes: 1\n#! source: {}\n#! picture: {}\n\n\
             #: start\n{start}#: predict {}\n# {}\n#: answer {}\n{choices}{whys}{ask}# {}\n",
            topic.title(),
            topic.goal(),
            topic.source(),
            topic.picture(),
            self.title,
            self.question,
            self.choices.answer_line(&graded.answer),
            self.reason,
        )
    }
}
