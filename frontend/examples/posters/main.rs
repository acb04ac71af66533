//! Draws the posters: HTML files with pictures that the page shows before its program runs.
//!
//! `posters FOLDER` writes these files:
//!
//! - `FOLDER/front-*.html` and `FOLDER/tapes/front/*.json.gz`: the figure of the start page ([`front`]).
//! - `FOLDER/tapes/WIDTH/NAME.json.gz`: the tape of each story and scenario ([`tape`]), which figures show.
//! - `FOLDER/figures.json`: the texts of these figures ([`figures`]).
//! - `FOLDER/card-*.html`: a card of each lesson with its goal.
//! - `FOLDER/app-*.html`: the app before its program arrives.
//! - `FOLDER/museum.html`: the page that shows both runs of each exhibit ([`museum`]).
//! - `FOLDER/put-to-pod.html`: the page to read.
//! - `FOLDER/worksheets.html`: a sheet of each lesson to print ([`worksheets`]), `FOLDER/workshop.html` and
//!   `FOLDER/notes.html`: the pages for teachers.
//! - `FOLDER/contents` and `FOLDER/scenarios.html`: the table of contents ([`contents`]).
//!
//! All pictures are drawn with the page's own code. Colours are classes and tokens, so a poster has the theme of the
//! page that contains it.

mod contents;
mod figures;
mod front;
mod museum;
mod tape;
mod worksheets;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use watchglass_engine::scenario::stories;
use watchglass_engine::session::protocol::{Done, FromEngine, Notification, Request, ToEngine};
use watchglass_engine::session::{SeekTo, Session, Source};
use watchglass_engine::view::{IndexQuery, LaneOrder, LessonCard, Queries, Views};
use watchglass_frontend::app::Page;
use watchglass_frontend::host::HostKind;
use watchglass_frontend::panels::lesson::goal;
use watchglass_frontend::state::lessons;
use watchglass_frontend::state::prefs::Prefs;
use watchglass_frontend::store::{Store, StoreContext};
use yew::prelude::*;

use figures::{Figure, Figures};
use tape::Reels;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return fail("usage: posters FOLDER");
    };
    let drawn = app(&folder)
        .and_then(|()| goals(&folder))
        .and_then(|()| contents::contents(&folder, &plain(CONTENTS), GLOSSARY))
        .and_then(|()| museum::museum(&folder, &plain(MUSEUM)))
        .and_then(|()| write(&folder, "put-to-pod", &plain(ARTICLE)))
        .and_then(|()| worksheets::worksheets(&folder, &plain(WORKSHEETS)))
        .and_then(|()| write(&folder, "workshop", &plain(WORKSHOP)))
        .and_then(|()| write(&folder, "notes", &plain(NOTES)))
        .and_then(|()| tapes(&folder))
        .and_then(|()| front::front(&folder));
    match drawn {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot draw the posters: {error}")),
    }
}

fn write(folder: &Path, name: &str, html: &str) -> io::Result<()> {
    let path = folder.join(name).with_extension("html");
    std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
    std::fs::write(path, html)
}

/// Returns a page without the app. `page` contains what is its own: tags for its head, and then its `main`.
fn plain(page: &str) -> String {
    let main = page.find("<main").expect("a page has a main part");
    let (head, main) = page.split_at(main);
    PLAIN
        .replace("<!-- head -->", head.trim_end())
        .replace("<!-- main -->", main.trim_end())
}

/// Writes one card for each lesson, for the start page. A card shows the goal of its lesson.
fn goals(folder: &Path) -> io::Result<()> {
    let mut session = Session::default();
    for (number, card) in (1_u32..).zip(ask_lessons(&mut session)) {
        let LessonCard { name, picture, .. } = &card;
        let question = ToEngine::Request(
            1,
            Request::Goal {
                lesson: name.clone(),
                queries: lessons::goal_queries().into(),
            },
        );
        let views = ask_views(&mut session, question);
        let html = render(html! {
            <a class="front-card" href={format!("?lesson={name}")}>
                <div class="front-goal" aria-hidden="true">{ goal::draw(&views, picture) }</div>
                <span><b>{ card.title.clone() }</b>
                    <small>{ "Lesson " }{ number }{ " · " }{ card.minutes }{ " minutes" }</small></span>
            </a>
        });
        write(folder, &format!("card-{name}"), &html)?;
    }
    Ok(())
}

fn ask_lessons(session: &mut Session) -> Vec<LessonCard> {
    match ask(session, ToEngine::Request(1, Request::Lessons)) {
        Done::Lessons(cards) => cards,
        done => unreachable!("the lessons were asked for: {done:?}"),
    }
}

fn ask_views(session: &mut Session, question: ToEngine) -> Box<Views> {
    match ask(session, question) {
        Done::Views(views) => views,
        done => unreachable!("a picture was asked for: {done:?}"),
    }
}

/// Returns the engine's response to a numbered message.
fn ask(session: &mut Session, message: ToEngine) -> Done {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    while session.pump(u32::MAX, &mut out) {}
    let done = out.into_iter().find_map(|message| match message {
        FromEngine::Done { done, .. } => Some(done),
        _ => None,
    });
    done.expect("each message with a number is answered")
}

/// Writes the app as it looks while its engine starts, once with a story and once with a lesson. When the program
/// starts, it draws the same picture, so nothing on the page moves.
fn app(folder: &Path) -> io::Result<()> {
    for (name, is_lesson) in [("app-story", false), ("app-lesson", true)] {
        let mut handle = Store::new(Prefs::default(), HostKind::Nowhere).handle();
        Rc::make_mut(&mut handle.ui).begins_with_lesson = is_lesson;
        let page = render(html! {
            <ContextProvider<StoreContext> context={handle}><Page /></ContextProvider<StoreContext>>
        });
        write(folder, name, &page)?;
    }
    Ok(())
}

/// The folder that contains the scenario files. `static/page.js` fetches these files.
const BEHAVIOUR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/behaviour");
/// The folder of stories. An address names a story without this folder.
const STORIES: &str = "stories";
/// The template of the table of contents; `GLOSSARY` contains the glossary.
const CONTENTS: &str = include_str!("pages/scenarios.html");
const MUSEUM: &str = include_str!("pages/museum.html");
/// The page to read.
const ARTICLE: &str = include_str!("pages/put-to-pod.html");
const WORKSHEETS: &str = include_str!("pages/worksheets.html");
/// The page for teachers.
const WORKSHOP: &str = include_str!("pages/workshop.html");
/// The notes of a talk, for a second window.
const NOTES: &str = include_str!("pages/notes.html");
/// What all pages without the app have in common.
const PLAIN: &str = include_str!("pages/plain.html");
const GLOSSARY: &str = include_str!("../../../docs/glossary.md");

fn runs() -> io::Result<Vec<(String, Source)>> {
    let stories = stories::ALL.iter();
    let mut runs: Vec<_> = stories
        .map(|story| (story.name.to_owned(), Source::Story(story.name.to_owned())))
        .collect();
    for folder in std::fs::read_dir(BEHAVIOUR)? {
        let folder = folder?;
        if folder.file_name() == STORIES {
            continue;
        }
        for entry in std::fs::read_dir(folder.path())? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{}/{name}", folder.file_name().display());
            runs.push((name, Source::Text(std::fs::read_to_string(&path)?)));
        }
    }
    Ok(runs)
}

/// Writes the tapes of all runs and their texts. Half of the runs are drawn in a second thread, because this takes
/// longest.
fn tapes(folder: &Path) -> io::Result<()> {
    let tapes = folder.join("tapes");
    // Remove old tapes, so that no tape of a deleted run is published.
    if tapes.exists() {
        std::fs::remove_dir_all(&tapes)?;
    }
    let runs = runs()?;
    let draw = |at: usize| -> io::Result<Figures> {
        let mut figures = Figures::new();
        for (name, source) in runs.iter().skip(at).step_by(2) {
            let mut session = Session::default();
            session.load(source.clone(), SeekTo::End);
            let status = look(&mut session, Queries::default()).status;
            let mut reels = Reels::new(&status.title);
            let mut figure = Figure::new(&status.title);
            for beat in 0..=status.beat.count {
                session.seek(SeekTo::Beat(beat));
                reels.add(&mut session);
                figure.add(&mut session, beat);
            }
            for (width, tape) in reels.packed() {
                let path = tapes
                    .join(width.to_string())
                    .join(format!("{name}.json.gz"));
                std::fs::create_dir_all(path.parent().unwrap_or(&tapes))?;
                std::fs::write(path, tape)?;
            }
            figures.insert(name.clone(), figure);
        }
        Ok(figures)
    };
    let figures = std::thread::scope(|scope| {
        let second = scope.spawn(|| draw(1));
        let mut figures = draw(0)?;
        let second = second.join();
        figures
            .extend(second.unwrap_or_else(|_| Err(io::Error::other("a tape could not be drawn")))?);
        io::Result::Ok(figures)
    })?;
    let json = serde_json::to_string(&figures).map_err(io::Error::other)?;
    std::fs::write(folder.join("figures.json"), json)
}

#[expect(clippy::print_stderr, reason = "a program of its own, run by xtask")]
fn fail(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

/// A minimal query of the Index view, whose response contains the number of keys and revisions.
const ANYTHING: IndexQuery = IndexQuery {
    first_lane: 0,
    lane_count: 1,
    rev_from: 1,
    rev_to: 1,
    half_page: None,
    columns: 1,
    filter: String::new(),
    order: LaneOrder::Creation,
    watcher: None,
    overview_rows: 0,
    fold: None,
};

/// Returns the views that the page would show for these queries.
fn look(session: &mut Session, queries: Queries) -> Views {
    let mut out = Vec::new();
    session.handle(
        ToEngine::Notification(Notification::Show(queries.into())),
        &mut out,
    );
    let views = out.into_iter().find_map(|message| match message {
        FromEngine::Views(views) => Some(*views),
        _ => None,
    });
    views.expect("a change of queries is followed by views")
}

#[derive(Properties, PartialEq)]
struct StillProps {
    html: Html,
}

#[component]
fn Still(props: &StillProps) -> Html {
    props.html.clone()
}

fn render(html: Html) -> String {
    let renderer = yew::LocalServerRenderer::<Still>::with_props(StillProps { html });
    let mut rendering = std::pin::pin!(renderer.hydratable(false).render());
    // A still never waits, so its rendering is always ready.
    match rendering
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(html) => html,
        Poll::Pending => unreachable!("a still has no effects and no futures"),
    }
}
