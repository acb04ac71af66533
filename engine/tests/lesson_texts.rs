//! The texts of the lessons: the time that a lesson takes, and that no text answers a guess.
//!
//! A lesson takes as long as its words, its commands, its guesses and its tasks together, see [`seconds`]. The result,
//! rounded to minutes, is the header `minutes`, and is between 5 and 8.
//!
//! A guess is answered in advance if, before the learner guesses, a sentence contains the answer and more than half of
//! the important words of the question, or if the command of the guess has run before and printed the answer. The
//! sentences are those of the earlier parts, of the question, of the titles and of the goal. The rule is a heuristic:
//! it misses an answer in other words. A number is no answer in advance if it shows the value that the question asks
//! for, before the command: then the guess is whether the command changes the value.

use std::collections::BTreeSet;

use watchglass_engine::scenario::lesson::{
    self, Item, Lesson, Part, PartKind, Piece, Question, Text, number,
};
use watchglass_engine::scenario::{Block, Expected, lessons};

use super::lesson_ways::text_of;

const WORDS_PER_MINUTE: usize = 200;
/// The time to run a command and to look at its output and at the picture, in seconds.
const COMMAND_S: usize = 5;
/// The time to think about a guess, in seconds.
const GUESS_S: usize = 30;
/// The time to solve a task with one hint, in seconds.
const TASK_S: usize = 150;

fn all() -> impl Iterator<Item = Lesson> {
    let read = |name: &str| lesson::parse(&text_of(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    lessons::ALL.iter().map(move |one| read(one.name))
}

/// Returns the number of words of a text. A value of the learner's run is one word.
fn word_count(text: &Text) -> usize {
    let words = |piece: &Piece| match piece {
        Piece::Now(_) => 1,
        shown => shown.to_string().split_whitespace().count(),
    };
    text.pieces.iter().map(words).sum()
}

/// Returns the time that a learner needs who reads everything but the notes and the reasons, in seconds.
fn seconds(lesson: &Lesson) -> usize {
    let mut words = word_count(&lesson.goal) + word_count(&lesson.aha);
    for (claim, truth) in &lesson.misconceptions {
        words += word_count(claim) + word_count(truth);
    }
    let mut seconds = 0;
    for part in &lesson.parts {
        words += part.title.split_whitespace().count();
        for item in &part.items {
            match item {
                Item::Say(text) => words += word_count(text),
                Item::Note(..) => {}
                Item::Type(_) => seconds += COMMAND_S,
            }
        }
        match &part.kind {
            PartKind::Step => {}
            PartKind::Predict(_) => seconds += GUESS_S,
            PartKind::Task(task) => {
                seconds += TASK_S;
                words += task
                    .conditions
                    .iter()
                    .map(|c| word_count(&c.want))
                    .sum::<usize>();
            }
        }
    }
    seconds + words * 60 / WORDS_PER_MINUTE
}

#[test]
fn every_lesson_takes_as_long_as_it_says() {
    let mut faults = Vec::new();
    for lesson in all() {
        let minutes = (seconds(&lesson) + 30) / 60;
        if minutes != lesson.minutes as usize || !(5..=8).contains(&minutes) {
            let exact = seconds(&lesson) as f64 / 60.0;
            faults.push(format!(
                "{}: {exact:.2} minutes, not {}",
                lesson.name, lesson.minutes
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the words of a text in lower case, without punctuation and backticks.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"-_/.".contains(c));
    let words = words.map(|word| word.trim_matches('.').to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns a word without the ending of a plural or of a verb.
fn stem(word: &str) -> String {
    word.trim_end_matches('s').to_owned()
}

/// Returns true if the words contain the answer: the same number, or the same words in a row.
fn contains(text: &[String], answer: &str) -> bool {
    if let Some(n) = number(answer) {
        return text.iter().any(|word| number(word) == Some(n));
    }
    let answer = words_of(answer);
    text.windows(answer.len()).any(|words| words == answer)
}

fn sentences(text: &str) -> Vec<String> {
    let text = text.replace('\n', " ");
    let ends = text
        .replace("? ", "?\n")
        .replace(". ", ".\n")
        .replace("! ", "!\n");
    ends.lines().map(str::to_owned).collect()
}

/// Returns a text without the numbers that show the value for which the question asks. If the answer is a number, the
/// result has no code either, because the numbers in commands are arguments.
fn without_value(text: &Text, question: &Question) -> String {
    let shown = |piece: &Piece| match piece {
        Piece::Said { expr, .. } | Piece::Now(expr) if *expr == question.expr => "…".to_owned(),
        Piece::Code(_) if number(&question.answer).is_some() => "…".to_owned(),
        other => other.to_string(),
    };
    text.pieces.iter().map(shown).collect()
}

/// The important words of a question: the words of its last sentence that are long enough to have a meaning.
fn important(question: &str) -> BTreeSet<String> {
    const COMMON: [&str; 14] = [
        "which", "what", "many", "does", "after", "then", "there", "with", "this", "that", "from",
        "have", "must", "when",
    ];
    let last = sentences(question).pop().unwrap_or_default();
    let words = words_of(&last).into_iter();
    words
        .filter(|word| word.len() >= 4 && !COMMON.contains(&&**word))
        .map(|word| stem(&word))
        .collect()
}

fn shown_before(part: &Part) -> impl Iterator<Item = &Text> {
    let said = part
        .items
        .iter()
        .take_while(|item| !matches!(item, Item::Type(_)));
    said.filter_map(Item::text)
}

/// Returns the sentences and outputs that answer the guess of a part in advance.
fn answers_in_advance(lesson: &Lesson, number: usize, question: &Question) -> Vec<String> {
    let (earlier, later) = lesson.parts.split_at(number);
    let part = &later[0];
    let asked = shown_before(part).last().expect("a question").to_string();
    let important = important(&asked);
    let texts = earlier
        .iter()
        .flat_map(|part| part.items.iter().filter_map(Item::text));
    let texts = texts.chain(shown_before(part)).chain([&lesson.goal]);
    let titles = lesson.parts.iter().map(|part| part.title.clone());
    let titles = titles.chain([lesson.title.clone()]);
    let texts = texts
        .map(|text| without_value(text, question))
        .chain(titles);
    let said = texts.flat_map(|text| sentences(&text)).filter(|sentence| {
        let words = words_of(sentence);
        let stems: BTreeSet<String> = words.iter().map(|word| stem(word)).collect();
        let shared = stems.intersection(&important).count();
        contains(&words, &question.answer) && shared * 2 > important.len()
    });
    let own: Vec<&str> = part.blocks().map(|block| &*block.input).collect();
    let ran = earlier.iter().flat_map(Part::blocks);
    let printed = ran
        .filter(|block| own.contains(&&*block.input))
        .filter_map(|block: &Block| match &block.expected {
            Expected::Output(output) if contains(&words_of(output), &question.answer) => {
                Some([&block.input, " prints ", output].concat())
            }
            _ => None,
        });
    said.chain(printed).collect()
}

#[test]
fn no_text_answers_a_guess() {
    let mut faults = Vec::new();
    let mut guesses = 0;
    for lesson in all() {
        for (number, part) in lesson.parts.iter().enumerate() {
            if let PartKind::Predict(question) = &part.kind {
                guesses += 1;
                for said in answers_in_advance(&lesson, number, question) {
                    let (name, title, answer) = (&lesson.name, &part.title, &question.answer);
                    faults.push(format!("{name}, {title}: {answer}: {said}"));
                }
            }
        }
    }
    assert!(
        guesses > 20 && faults.is_empty(),
        "{guesses} guesses\n{}",
        faults.join("\n")
    );
}

/// The heuristic finds an answer in the question, in an earlier part, in a title, and in an output.
#[test]
fn an_answer_in_advance_is_found() {
    let lesson = all().find(|lesson| lesson.name == "L22").expect("L22");
    let is_guess = |part: &Part| matches!(part.kind, PartKind::Predict(_));
    let number = lesson.parts.iter().position(is_guess).expect("a guess");
    let PartKind::Predict(question) = &lesson.parts[number].kind else {
        unreachable!("the part is a guess");
    };
    let leak = Text::parse(
        "The client still talks to the leader and receives: context deadline exceeded.",
    );
    let leak = Item::Say(leak.expect("a text"));
    let faults = |change: &dyn Fn(&mut Lesson)| {
        let mut changed = lesson.clone();
        change(&mut changed);
        answers_in_advance(&changed, number, question).len()
    };
    assert_eq!(faults(&|_| ()), 0);
    assert_eq!(
        faults(&|lesson| lesson.parts[number].items.insert(0, leak.clone())),
        1
    );
    assert_eq!(
        faults(&|lesson| lesson.parts[0].items.push(leak.clone())),
        1
    );
    let title = "What does the client receive: context deadline exceeded";
    assert_eq!(faults(&|lesson| lesson.parts[0].title = title.into()), 1);
    let block = lesson.parts[number]
        .blocks()
        .next()
        .expect("a command")
        .clone();
    assert_eq!(
        faults(&|lesson| lesson.parts[0].items.push(Item::Type(block.clone()))),
        1
    );
}
