//! Draws the posters: what the front door shows before its program runs, as files of HTML.
//!
//! `posters FOLDER` runs the story of the front door natively and prints its picture with the page's own scene code.
//! Colours are classes and tokens, so a poster follows the theme of the page it is in.

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use watchglass_engine::session::protocol::{FromEngine, ToEngine};
use watchglass_engine::session::{SeekTo, Session, Source};
use watchglass_engine::view::{IndexQuery, Queries, TimelineQuery, Views, WatchQuery};
use watchglass_frontend::draw::marks;
use watchglass_frontend::panels::front;
use watchglass_frontend::panels::index::still;
use yew::prelude::*;

/// A poster of the front door, for a stage of this size in CSS pixels.
struct Poster {
    name: &'static str,
    revision: i64,
    width: f64,
    height: f64,
}

/// As the stage measures at 1440x900, 1280x720 and 390x844, above the strip of watchers; elsewhere they are scaled.
const POSTERS: [Poster; 3] = [
    Poster {
        name: "front-wide",
        revision: front::AT_FIRST,
        width: 814.0,
        height: 377.0,
    },
    Poster {
        name: "front-low",
        revision: front::AT_FIRST,
        width: 814.0,
        height: 329.0,
    },
    Poster {
        name: "front-narrow",
        revision: front::AT_FIRST_NARROW,
        width: 390.0,
        height: 299.0,
    },
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return fail("usage: posters FOLDER");
    };
    let mut session = Session::default();
    session.load(Source::Story(front::STORY.to_owned()), SeekTo::End);
    session.exec(&front::reads());
    if let Err(error) = std::fs::create_dir_all(&folder) {
        return fail(&format!("cannot make {}: {error}", folder.display()));
    }
    let drawn = POSTERS.map(|poster| (poster.name, draw(&mut session, &poster)));
    for (name, html) in drawn.into_iter().chain([("front-defs", shared())]) {
        let path = folder.join(name).with_extension("html");
        if let Err(error) = std::fs::write(&path, html) {
            return fail(&format!("cannot write {}: {error}", path.display()));
        }
    }
    ExitCode::SUCCESS
}

#[expect(clippy::print_stderr, reason = "a program of its own, run by xtask")]
fn fail(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

fn draw(session: &mut Session, poster: &Poster) -> String {
    let anything = IndexQuery {
        lane_count: 1,
        rev_from: 1,
        rev_to: 1,
        columns: 1,
        ..IndexQuery::default()
    };
    let views = look(session, anything.clone());
    let timeline = views.timeline.as_ref().expect("the timeline was asked for");
    let step = front::step_of(timeline, poster.revision).expect("each revision was read");
    session.seek(SeekTo::Step(step));
    let views = look(session, anything);
    let index = views.index.as_ref().expect("the index was asked for");
    let views = look(session, still::query(index, poster.width, poster.height));
    let html = front::poster(
        &Rc::new(views),
        poster.revision,
        poster.width,
        poster.height,
    );
    // Several stand in one page.
    let own = format!("{}-hatch", poster.name);
    render(html)
        .replace("id=\"loom-hatch\"", &format!("id=\"{own}\""))
        .replace("url(#loom-hatch)", &format!("url(#{own})"))
}

/// What the style sheet names by id: a browser takes the first of that id, and finds nothing in what is not displayed.
fn shared() -> String {
    render(html! {
        <svg class="front-defs" width="0" height="0" aria-hidden="true">
            <defs>{ marks::hatch("watch-hatch-lag", "7", "2") }</defs>
        </svg>
    })
}

/// What the page would be shown.
fn look(session: &mut Session, index: IndexQuery) -> Views {
    let mut out = Vec::new();
    let queries = Queries {
        index: Some(index),
        timeline: Some(TimelineQuery { columns: 1_000 }),
        watch: Some(WatchQuery::default()),
        ..Queries::default()
    };
    session.handle(ToEngine::Show(queries), &mut out);
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
    // Nothing in a still waits for anything.
    match rendering
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(html) => html,
        Poll::Pending => unreachable!("a still has no effects and no futures"),
    }
}
