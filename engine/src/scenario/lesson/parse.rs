//! Parses a lesson. An error message names the line of the mistake and the correction.

use crate::api::Profile;
use crate::scenario::expr::Expr;
use crate::scenario::format::{self, Block, FormatError};

use super::text::{number, number_in};
use super::{
    Attempt, Condition, GuessWhy, Item, Lesson, Part, PartKind, Question, Task, Text, Why,
};
use crate::scenario::picture::{NamedView, Picture};
use crate::words::lesson as words;

/// The number of hints of a task: the concept, the command, and the command with its arguments.
const HINTS: usize = 3;

const PARTS_MAX: usize = 64;

/// The directives of a lesson: the words that may follow `#:`.
const WORDS: &str = "start, step, predict, answer, choice, note, task, want, check, why, hint, \
                     solution, way, wrong, says, skipped, goal, aha, misconception";

/// Parses a lesson.
///
/// # Errors
/// Returns the first mistake and its line.
pub fn parse(text: &str) -> Result<Lesson, FormatError> {
    let mut reader = Reader::default();
    for entry in entries(text)? {
        let line = entry.line();
        reader.take(entry).map_err(at(line))?;
        if reader.parts.len() > PARTS_MAX {
            return Err(at(line)(words::too_many_parts(PARTS_MAX)));
        }
    }
    reader.finish()
}

/// Returns the text before the line `#: goal`, or the whole text if there is no such line. The commands of the returned
/// text bring the store to the state that the page shows as the goal of the lesson.
pub fn up_to_goal(text: &str) -> &str {
    text.split_once("\n#: goal\n")
        .map_or(text, |(before, _)| before)
}

fn at(line: u32) -> impl Fn(String) -> FormatError {
    move |message| FormatError { line, message }
}

/// A piece of a lesson, such as a directive or a command. Consecutive lines of a paragraph are one piece.
enum Entry<'a> {
    Header {
        line: u32,
        key: &'a str,
        value: &'a str,
    },
    Directive {
        line: u32,
        word: &'a str,
        text: &'a str,
        /// The comment lines directly below the directive. Empty if these lines are a separate paragraph, as after
        /// `step`.
        body: String,
    },
    /// A line of a command of a way or a wrong turn.
    Attempt {
        line: u32,
        text: &'a str,
    },
    Paragraph {
        line: u32,
        text: String,
    },
    Block(Block),
}

impl Entry<'_> {
    fn line(&self) -> u32 {
        match self {
            Self::Header { line, .. }
            | Self::Directive { line, .. }
            | Self::Attempt { line, .. }
            | Self::Paragraph { line, .. } => *line,
            Self::Block(block) => block.line,
        }
    }
}

fn entries(text: &str) -> Result<Vec<Entry<'_>>, FormatError> {
    let mut entries = Vec::new();
    // Whether a comment line continues the last piece.
    let mut goes_on = false;
    for piece in format::pieces(text)? {
        let mut opens = false;
        match piece {
            format::FilePiece::Blank => {}
            format::FilePiece::Comment { text, .. } if text.trim().is_empty() => {}
            format::FilePiece::Header { line, key, value } => {
                entries.push(Entry::Header { line, key, value });
            }
            format::FilePiece::Directive { line, text } => {
                let (word, text) = text.split_once(' ').unwrap_or((text, ""));
                let text = text.trim();
                opens = !matches!(
                    word,
                    "start"
                        | "step"
                        | "predict"
                        | "task"
                        | "solution"
                        | "way"
                        | "wrong"
                        | "skipped"
                        | "goal"
                );
                entries.push(Entry::Directive {
                    line,
                    word,
                    text,
                    body: String::new(),
                });
            }
            format::FilePiece::Attempt { line, text } => {
                entries.push(Entry::Attempt { line, text });
            }
            format::FilePiece::Comment { line, text } => {
                opens = true;
                match entries.last_mut().filter(|_| goes_on) {
                    Some(Entry::Directive { body, .. }) => add(body, text),
                    Some(Entry::Paragraph { text: before, .. }) => add(before, text),
                    _ => entries.push(Entry::Paragraph {
                        line,
                        text: text.trim().into(),
                    }),
                }
            }
            format::FilePiece::Block(block) => entries.push(Entry::Block(block)),
        }
        goes_on = opens;
    }
    Ok(entries)
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(more.trim());
}

/// The parser's position in the lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Head,
    Start,
    Part,
    Solution,
    Attempt,
    End,
}

#[derive(Default)]
struct Reader {
    header: Vec<(u32, String, String)>,
    place: Place,
    start: Vec<Block>,
    parts: Vec<Draft>,
    aha: Option<Text>,
    misconceptions: Vec<(Text, Text)>,
}

/// A part of a lesson that the parser has not completed yet.
struct Draft {
    line: u32,
    title: String,
    items: Vec<Item>,
    kind: DraftKind,
}

enum DraftKind {
    Step,
    Predict {
        answer: Option<Answer>,
        choices: Vec<String>,
        whys: Vec<GuessWhy>,
    },
    Task {
        conditions: Vec<ConditionDraft>,
        hints: Vec<Text>,
        solution: Vec<Block>,
        attempts: Vec<Attempt>,
    },
}

struct Answer {
    line: u32,
    said: String,
    expr: Expr,
    is_condition: bool,
}

struct ConditionDraft {
    line: u32,
    want: Text,
    check: Option<Expr>,
    whys: Vec<Why>,
}

impl Reader {
    fn take(&mut self, entry: Entry<'_>) -> Result<(), String> {
        match entry {
            Entry::Header { line, key, value } => {
                self.header.push((line, key.into(), value.into()));
                Ok(())
            }
            Entry::Directive {
                line,
                word,
                text,
                body,
            } => self.directive(line, word, text, body),
            Entry::Attempt { line, text } => self.attempt_line(line, text),
            Entry::Paragraph { line, text } => self.paragraph(line, &text),
            Entry::Block(block) => self.block(block),
        }
    }

    fn directive(&mut self, line: u32, word: &str, text: &str, body: String) -> Result<(), String> {
        let mut whole = text.to_owned();
        if !matches!(word, "misconception" | "note") && !body.is_empty() {
            add(&mut whole, &body);
        }
        let heading = matches!(
            word,
            "step"
                | "predict"
                | "note"
                | "task"
                | "want"
                | "hint"
                | "way"
                | "wrong"
                | "says"
                | "aha"
                | "misconception"
        );
        if heading && whole.is_empty() {
            return Err(words::text_missing(word));
        }
        match word {
            "start" => match self.place {
                Place::Head => self.place = Place::Start,
                _ => return Err(words::MISPLACED_START.into()),
            },
            "step" => self.begin(line, whole, DraftKind::Step)?,
            "predict" => {
                let kind = DraftKind::Predict {
                    answer: None,
                    choices: Vec::new(),
                    whys: Vec::new(),
                };
                self.begin(line, whole, kind)?;
            }
            "note" => self.note(line, whole, &body)?,
            // [`up_to_goal`] reads this line.
            "goal" if whole.is_empty() => {}
            "goal" => return Err(words::GOAL_WITH_TEXT.into()),
            "task" => {
                let kind = DraftKind::Task {
                    conditions: Vec::new(),
                    hints: Vec::new(),
                    solution: Vec::new(),
                    attempts: Vec::new(),
                };
                self.begin(line, whole, kind)?;
            }
            "answer" | "choice" => self.of_predict(line, word, whole)?,
            "why" if self.predicts() => self.of_predict(line, word, whole)?,
            "way" | "wrong" | "says" | "skipped" => self.of_attempt(line, word, whole)?,
            "want" | "check" | "why" | "hint" | "solution" => self.of_task(line, word, &whole)?,
            "aha" => {
                self.place = Place::End;
                if self.aha.replace(Text::parse(&whole)?.at(line)).is_some() {
                    return Err(words::TWO_AHAS.into());
                }
            }
            "misconception" => {
                self.place = Place::End;
                if body.is_empty() {
                    return Err(words::NO_FACT.into());
                }
                let pair = (
                    Text::parse(text)?.at(line),
                    Text::parse(&body)?.at(line + 1),
                );
                self.misconceptions.push(pair);
            }
            other => return Err(words::no_such_word(other, WORDS)),
        }
        Ok(())
    }

    fn begin(&mut self, line: u32, title: String, kind: DraftKind) -> Result<(), String> {
        if self.place == Place::End {
            return Err(words::MISPLACED_PART.into());
        }
        self.place = Place::Part;
        self.parts.push(Draft {
            line,
            title,
            items: Vec::new(),
            kind,
        });
        Ok(())
    }

    fn predicts(&self) -> bool {
        let part = self.parts.last();
        part.is_some_and(|part| matches!(part.kind, DraftKind::Predict { .. }))
    }

    fn of_predict(&mut self, line: u32, word: &str, text: String) -> Result<(), String> {
        let kind = self.parts.last_mut().map(|part| &mut part.kind);
        let Some(DraftKind::Predict {
            answer,
            choices,
            whys,
        }) = kind
        else {
            return Err(words::outside_prediction(word));
        };
        match word {
            "choice" => {
                choices.push(text);
                return Ok(());
            }
            "why" => {
                whys.push(guess_why(line, &text)?);
                return Ok(());
            }
            _ => {}
        }
        let (said, expr, is_condition) = match (text.split_once(" = "), text.split_once(" if ")) {
            (Some((said, expr)), _) => (said, Expr::parse(expr)?, false),
            (None, Some((said, expr))) => (said, Expr::condition(expr)?, true),
            (None, None) => return Err(words::ANSWER_SYNTAX.into()),
        };
        if answer.is_some() {
            return Err(words::TWO_ANSWERS.into());
        }
        *answer = Some(Answer {
            line,
            said: said.trim().into(),
            expr,
            is_condition,
        });
        Ok(())
    }

    fn of_task(&mut self, line: u32, word: &str, text: &str) -> Result<(), String> {
        let kind = self.parts.last_mut().map(|part| &mut part.kind);
        let Some(DraftKind::Task {
            conditions, hints, ..
        }) = kind
        else {
            return Err(words::outside_task(word));
        };
        match (word, conditions.last_mut()) {
            ("solution", _) => self.place = Place::Solution,
            ("hint", _) => hints.push(Text::parse(text)?.at(line)),
            ("want", _) => conditions.push(ConditionDraft {
                line,
                want: Text::parse(text)?.at(line),
                check: None,
                whys: Vec::new(),
            }),
            (_, None) => return Err(words::want_missing(word)),
            ("check", Some(condition)) => {
                if condition.check.replace(Expr::condition(text)?).is_some() {
                    return Err(words::TWO_CHECKS.into());
                }
            }
            (_, Some(condition)) => condition.why(line, text)?,
        }
        Ok(())
    }

    fn of_attempt(&mut self, line: u32, word: &str, text: String) -> Result<(), String> {
        let kind = self.parts.last_mut().map(|part| &mut part.kind);
        let Some(DraftKind::Task { attempts, .. }) = kind else {
            return Err(words::outside_task(word));
        };
        match (word, attempts.last_mut()) {
            ("way" | "wrong", _) => attempts.push(Attempt {
                line,
                name: text,
                is_way: word == "way",
                commands: Vec::new(),
                says: Vec::new(),
                skips: false,
            }),
            ("says", Some(wrong)) if !wrong.is_way => wrong.says.push((line, text)),
            ("skipped", Some(wrong)) if !wrong.is_way => wrong.skips = true,
            _ => return Err(words::outside_wrong(word)),
        }
        self.place = Place::Attempt;
        Ok(())
    }

    /// Takes a line `#> command`, or `#>> line` for a further line of the same command.
    fn attempt_line(&mut self, line: u32, text: &str) -> Result<(), String> {
        let kind = self.parts.last_mut().map(|part| &mut part.kind);
        let attempt = match kind.filter(|_| self.place == Place::Attempt) {
            Some(DraftKind::Task { attempts, .. }) => attempts.last_mut(),
            _ => None,
        };
        let commands = &mut attempt.ok_or(words::MISPLACED_ATTEMPT)?.commands;
        match (text.strip_prefix('>'), commands.last_mut()) {
            (Some(_), None) => return Err(words::FURTHER_LINE_FIRST.into()),
            (Some(more), Some(command)) => {
                command.input.push('\n');
                command
                    .input
                    .push_str(more.strip_prefix(' ').unwrap_or(more));
            }
            (None, _) => commands.push(Block {
                line,
                input: text.trim_start().into(),
                ..Block::default()
            }),
        }
        Ok(())
    }

    fn paragraph(&mut self, line: u32, text: &str) -> Result<(), String> {
        match (self.place, self.parts.last_mut()) {
            // A comment before the first part is for readers of the file.
            (Place::Head | Place::Start, _) => Ok(()),
            (Place::Part, Some(part)) => {
                part.items.push(Item::Say(Text::parse(text)?.at(line)));
                Ok(())
            }
            (Place::Solution, _) => Err(words::TEXT_IN_SOLUTION.into()),
            (Place::Attempt, _) => Err(words::TEXT_IN_ATTEMPT.into()),
            _ => Err(words::MISPLACED_PARAGRAPH.into()),
        }
    }

    fn note(&mut self, line: u32, title: String, body: &str) -> Result<(), String> {
        let part = self.parts.last_mut();
        match part.filter(|_| self.place == Place::Part) {
            Some(part) if !body.is_empty() && !matches!(part.kind, DraftKind::Task { .. }) => {
                part.items
                    .push(Item::Note(title, Text::parse(body)?.at(line + 1)));
                Ok(())
            }
            _ => Err(words::MISPLACED_NOTE.into()),
        }
    }

    fn block(&mut self, block: Block) -> Result<(), String> {
        match (self.place, self.parts.last_mut()) {
            (Place::Start, _) => self.start.push(block),
            (Place::Part, Some(part)) => match &mut part.kind {
                DraftKind::Step | DraftKind::Predict { .. } => part.items.push(Item::Type(block)),
                DraftKind::Task { .. } => {
                    return Err(words::MISPLACED_SOLUTION.into());
                }
            },
            (
                Place::Solution,
                Some(Draft {
                    kind: DraftKind::Task { solution, .. },
                    ..
                }),
            ) => solution.push(block),
            (Place::Attempt, _) => return Err(words::COMMAND_IN_ATTEMPT.into()),
            _ => return Err(words::MISPLACED_COMMAND.into()),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Lesson, FormatError> {
        let parts = std::mem::take(&mut self.parts);
        let is_alone = parts.len() == 1;
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|draft| {
                let line = draft.line;
                draft.finish(is_alone).map_err(at(line))
            })
            .collect::<Result<_, _>>()?;
        let tasks = parts.iter().any(|p| matches!(p.kind, PartKind::Task(_)));
        let missing = match (&self.aha, tasks) {
            // An exercise or a challenge.
            _ if is_alone => None,
            (_, false) => Some(words::NO_TASK),
            (None, _) => Some(words::NO_AHA),
            (Some(_), true) if self.misconceptions.is_empty() => Some(words::NO_MISCONCEPTION),
            (Some(_), true) => None,
        };
        if let Some(missing) = missing {
            return Err(at(1)(missing.into()));
        }
        let minutes = match is_alone && tasks {
            true => (1, "0".to_owned()),
            false => self.required("minutes")?,
        };
        let goal = self.required("goal")?;
        Ok(Lesson {
            name: self.required("lesson")?.1,
            title: self.required("title")?.1,
            goal: Text::parse(&goal.1).map_err(at(goal.0))?.at(goal.0),
            minutes: minutes
                .1
                .parse()
                .map_err(|_| at(minutes.0)(words::MINUTES_SYNTAX.into()))?,
            source: self.required("source")?.1,
            profile: match self.optional("profile") {
                None => Profile::default(),
                Some((line, text)) => {
                    let profile = Profile::parse(&text);
                    profile.ok_or_else(|| at(line)(words::no_such_profile(&text)))?
                }
            },
            view: match self.optional("picture") {
                None => NamedView::Index,
                Some((line, text)) => Picture::parse(&text).map_err(at(line))?.view,
            },
            ways: self.ways()?,
            start: self.start,
            parts,
            aha: self.aha.unwrap_or_default(),
            misconceptions: self.misconceptions,
        })
    }

    /// Returns the target and title of each line `#! next: TARGET TITLE`.
    fn ways(&self) -> Result<Vec<(String, String)>, FormatError> {
        let lines = self.header.iter().filter(|(_, key, _)| key == "next");
        lines
            .map(|(line, _, value)| {
                let way = value.split_once(' ');
                let (target, title) = way.ok_or_else(|| at(*line)(words::WAY_SYNTAX.into()))?;
                Ok((target.into(), title.into()))
            })
            .collect()
    }

    fn optional(&self, key: &str) -> Option<(u32, String)> {
        let found = self.header.iter().find(|(_, name, _)| name == key);
        found.map(|(line, _, value)| (*line, value.clone()))
    }

    fn required(&self, key: &str) -> Result<(u32, String), FormatError> {
        let found = self.optional(key).filter(|(_, value)| !value.is_empty());
        found.ok_or_else(|| at(1)(words::header_missing(key)))
    }
}

/// Reads the text after `#: why`: an optional condition, and the reason.
fn reason(text: &str) -> Result<(Option<&str>, &str), String> {
    let (when, text) = match text.strip_prefix("if ") {
        Some(rest) => {
            let (when, text) = rest.split_once("=>").ok_or(words::WHY_SYNTAX)?;
            (Some(when.trim()), text.trim())
        }
        None => (None, text),
    };
    match text.is_empty() {
        true => Err(words::text_missing("why")),
        false => Ok((when, text)),
    }
}

/// Reads the reason why a guess is wrong. The reason may name the guessed number.
fn guess_why(line: u32, text: &str) -> Result<GuessWhy, String> {
    let (guess, text) = reason(text)?;
    let known: Vec<i64> = guess.and_then(number_in).into_iter().collect();
    Ok(GuessWhy {
        guess: guess.map(Into::into),
        text: Text::parse_with(text, &known)?.at(line),
    })
}

impl ConditionDraft {
    fn why(&mut self, line: u32, text: &str) -> Result<(), String> {
        let Some(check) = &self.check else {
            return Err(words::WHY_WITHOUT_CHECK.into());
        };
        let mut known = check.numbers();
        known.extend(
            self.want
                .to_string()
                .split(|c: char| !c.is_alphanumeric())
                .filter_map(number),
        );
        let (when, text) = reason(text)?;
        self.whys.push(Why {
            when: when.map(Expr::condition).transpose()?,
            text: Text::parse_with(text, &known)?.at(line),
        });
        Ok(())
    }

    fn finish(self) -> Result<Condition, String> {
        let line = self.line;
        let check = self.check.ok_or_else(|| words::check_missing(line))?;
        match self.whys.last() {
            Some(why) if why.when.is_none() => {}
            _ => return Err(words::last_why_missing(line)),
        }
        Ok(Condition {
            line: self.line,
            want: self.want,
            check,
            whys: self.whys,
        })
    }
}

impl Draft {
    /// Completes the part. `is_alone` tells whether the part is the whole lesson, so that a task is a challenge.
    fn finish(self, is_alone: bool) -> Result<Part, String> {
        let asks = matches!(self.items.first(), Some(Item::Say(_)));
        let kind = match self.kind {
            DraftKind::Step if self.items.is_empty() => return Err(words::EMPTY_STEP.into()),
            DraftKind::Step => PartKind::Step,
            DraftKind::Predict {
                answer,
                choices,
                whys,
            } => {
                let Answer {
                    line,
                    said: answer,
                    expr,
                    is_condition,
                } = answer.ok_or(words::NO_ANSWER)?;
                if !asks {
                    return Err(words::NO_QUESTION.into());
                }
                let listed = choices.contains(&answer);
                if !choices.is_empty() && !listed {
                    return Err(words::answer_not_a_choice(&answer, &choices));
                }
                PartKind::Predict(Question {
                    line,
                    answer,
                    expr,
                    is_condition,
                    choices,
                    whys,
                })
            }
            DraftKind::Task {
                conditions,
                hints,
                solution,
                attempts,
            } => {
                if !asks && !is_alone {
                    return Err(words::NO_DESCRIPTION.into());
                }
                if hints.len() != HINTS && !is_alone {
                    return Err(words::hint_count(HINTS, hints.len()));
                }
                if solution.is_empty() {
                    return Err(words::NO_SOLUTION.into());
                }
                let is_empty = |one: &&Attempt| one.commands.is_empty() && !one.skips;
                if let Some(empty) = attempts.iter().find(is_empty) {
                    return Err(words::empty_attempt(empty.line));
                }
                if conditions.is_empty() && !is_alone {
                    return Err(words::NO_CONDITION.into());
                }
                let conditions = conditions.into_iter().map(ConditionDraft::finish);
                PartKind::Task(Task {
                    conditions: conditions.collect::<Result<_, _>>()?,
                    hints,
                    solution,
                    attempts,
                })
            }
        };
        Ok(Part {
            line: self.line,
            title: self.title,
            items: self.items,
            kind,
        })
    }
}
