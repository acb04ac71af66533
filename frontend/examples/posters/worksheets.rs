//! Writes `worksheets.html`: for each lesson a sheet to print, with boxes for the guesses, lines for the tasks, and the
//! answers on a page of their own. The sources are the texts of the lessons; the pictures show the store after a part.

use std::io;
use std::path::Path;

use watchglass_engine::scenario::Block;
use watchglass_engine::scenario::format::SEPARATOR;
use watchglass_engine::scenario::lesson::{self, Item, Lesson, Part, PartKind, Question, Task};
use watchglass_engine::scenario::lessons as texts;
use watchglass_engine::session::{SeekTo, Session, Source};
use watchglass_engine::view::Queries;
use watchglass_frontend::panels::lesson::goal;
use watchglass_frontend::panels::terms::with_code;
use watchglass_frontend::state::lessons;
use yew::prelude::*;

use super::{contents, look, render, write};

/// The lines below a task, for the commands of its solution.
const LINES: usize = 4;

/// Writes the page. `template` is the text of `worksheets.html` without the sheets.
pub(super) fn worksheets(folder: &Path, template: &str) -> io::Result<()> {
    let all: Result<Vec<_>, _> = texts::ALL
        .iter()
        .map(|one| lesson::parse(one.text))
        .collect();
    let all = all.map_err(io::Error::other)?;
    let links: Html = (1_u32..)
        .zip(&all)
        .map(|(n, lesson)| link(n, lesson))
        .collect();
    let sheets: Html = (1_u32..)
        .zip(&all)
        .map(|(n, lesson)| sheet(n, lesson))
        .collect();
    let (before, rest) = template
        .split_once("<!-- links -->")
        .expect("a place for the links");
    let (between, after) = rest
        .split_once("<!-- sheets -->")
        .expect("a place for the sheets");
    let page = [before, &render(links), between, &render(sheets), after].concat();
    write(folder, "worksheets", &page)
}

fn link(number: u32, lesson: &Lesson) -> Html {
    html! { <li><a href={format!("#{}", lesson.name)}>{ number }{ ". " }{ &lesson.title }</a></li> }
}

fn sheet(number: u32, lesson: &Lesson) -> Html {
    let pictures = pictures(lesson);
    let part = |(part, picture): (&Part, &Html)| {
        let class = matches!(part.kind, PartKind::Task(_)).then_some("is-task");
        let (said, shown) = part.items.split_at(before_commands(part));
        // The texts after the first commands contain the answers to guesses.
        let shown = shown.iter().filter(|item| matches!(item, Item::Type(_)));
        html! {
            <section {class}>
                <div>
                    <h3>{ &part.title }</h3>
                    { for said.iter().map(item) }
                    { asked(&part.kind) }
                    { for shown.map(item) }
                </div>
                { picture.clone() }
            </section>
        }
    };
    html! {
        <article class="sheet" id={lesson.name.clone()}>
            <header>
                <h2>{ number }{ ". " }{ &lesson.title }</h2>
                <p class="sheet-name">{ "Name" }</p>
            </header>
            <p class="sheet-goal">{ code(&lesson.goal.to_string()) }{ format!(" {} minutes.", lesson.minutes) }
                <span class="sheet-open">{ " " }<a href={format!("./?lesson={}", lesson.name)}>{ "Open the lesson" }</a>
                </span></p>
            { for lesson.parts.iter().zip(&pictures).map(part) }
            <aside>
                <h2>{ "Answers and results: " }{ &lesson.title }</h2>
                <dl>{ for lesson.parts.iter().map(answer) }</dl>
                <p><b>{ "In one sentence: " }</b>{ code(&lesson.aha.to_string()) }</p>
                { for lesson.misconceptions.iter().map(|(claim, truth)| html! {
                    <p><b>{ "Not true: " }</b>{ code(&claim.to_string()) }{ " " }{ code(&truth.to_string()) }</p>
                }) }
            </aside>
        </article>
    }
}

fn code(text: &str) -> Html {
    with_code(text, |part| html! { <>{ part.to_owned() }</> })
}

/// Draws the store after each part, if a part has changed it.
fn pictures(lesson: &Lesson) -> Vec<Html> {
    let mut text = lesson.start_text();
    for part in &lesson.parts {
        text.push_str(&format!("\n# {}\n", part.title));
        for block in all_blocks(part) {
            text.push_str(&format!("{}\n{SEPARATOR}\n\n", block.input));
        }
    }
    let mut session = Session::default();
    session.load(Source::Text(text), SeekTo::End);
    let count = look(&mut session, Queries::default()).status.beat.count;
    let mut draw = |beat: u64| {
        session.seek(SeekTo::Beat(beat));
        let views = contents::newest_views(&mut session, lessons::goal_queries());
        goal::draw(&views, lesson.view.name())
    };
    // Each command at the start of the lesson is a beat, and then each part with commands.
    let parts = lesson.parts.iter();
    let with_commands = parts.filter(|part| all_blocks(part).next().is_some());
    let mut beat = count.saturating_sub(with_commands.count() as u64);
    let mut before = render(draw(beat));
    let mut pictures = Vec::new();
    for part in &lesson.parts {
        beat += u64::from(all_blocks(part).next().is_some());
        let drawn = draw(beat);
        let html = render(drawn.clone());
        // The picture after a task would be its solution, and after a guess its answer.
        let is_shown = html != before && part.kind == PartKind::Step;
        before = html;
        pictures.push(if is_shown {
            html! { <div class="front-goal">{ drawn }</div> }
        } else {
            html! {}
        });
    }
    pictures
}

/// Returns the commands of a part, including those that solve its task.
fn all_blocks(part: &Part) -> impl Iterator<Item = &Block> {
    let solution = match &part.kind {
        PartKind::Task(task) => &task.solution[..],
        PartKind::Step | PartKind::Predict(_) => &[],
    };
    part.blocks().chain(solution)
}

/// Returns the number of texts before the first command of a part.
fn before_commands(part: &Part) -> usize {
    let items = part.items.iter();
    items
        .take_while(|item| !matches!(item, Item::Type(_)))
        .count()
}

fn item(item: &Item) -> Html {
    match item {
        Item::Say(text) => html! { <p>{ code(&text.to_string()) }</p> },
        Item::Type(block) => html! { <pre>{ typed(&block.input) }</pre> },
        Item::Note(..) => html! {},
    }
}

/// Renders the place in which the learner writes a guess or the commands of a task.
fn asked(kind: &PartKind) -> Html {
    match kind {
        PartKind::Step => html! {},
        PartKind::Predict(Question { choices, .. }) => html! {
            <div class="sheet-guess">
                <b>{ "Before you run it, my guess: " }</b>
                { for choices.iter().map(|choice| html! { <label>{ code(choice) }</label> }) }
                if choices.is_empty() { <i></i> }
            </div>
        },
        PartKind::Task(Task { conditions, .. }) => html! {
            <div class="sheet-task">
                <ul>{ for conditions.iter().map(|one| html! { <li>{ code(&one.want.to_string()) }</li> }) }</ul>
                { for (0..LINES).map(|_| html! { <i>{ "$" }</i> }) }
            </div>
        },
    }
}

/// Renders what the learner sees after the commands of a part: the results, and before them the answer to a guess, with
/// the reasons against the other choices, or the solution of a task.
fn answer(part: &Part) -> Html {
    let after = part.items[before_commands(part)..]
        .iter()
        .filter_map(Item::text);
    let after: Vec<_> = after
        .map(|text| html! { <p>{ code(&text.to_string()) }</p> })
        .collect();
    let answer = match &part.kind {
        PartKind::Step if after.is_empty() => return html! {},
        PartKind::Step => html! {},
        PartKind::Predict(Question { answer, whys, .. }) => html! {
            <>
                <p><b>{ code(answer) }</b></p>
                { for whys.iter().filter(|why| why.guess.is_some()).map(|why| html! {
                    <p>{ "Not " }{ code(why.guess.as_deref().unwrap_or_default()) }{ ": " }
                        { code(&why.text.to_string()) }</p>
                }) }
            </>
        },
        PartKind::Task(Task { solution, .. }) => html! { <pre>{ commands(solution) }</pre> },
    };
    html! { <><dt>{ &part.title }</dt><dd>{ answer }{ for after }</dd></> }
}

fn commands(blocks: &[Block]) -> String {
    let all: Vec<_> = blocks.iter().map(|block| typed(&block.input)).collect();
    all.join("\n")
}

/// Returns commands with their prompts. The further lines of a transaction are its compares and requests.
fn typed(input: &str) -> String {
    match input.starts_with("txn") {
        true => format!("$ {input}"),
        false => format!("$ {}", input.replace('\n', "\n$ ")),
    }
}
