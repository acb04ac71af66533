//! A tape: the pictures of all beats of a run, as a figure shows them. A beat is a section of the run's narration.
//!
//! A figure plays a tape without the simulator (`static/tape.js`). A tape is a compressed JSON file with the title of
//! the run and its frames: the start of the run, and the end of each beat. A frame has the position, the name of the
//! view, the reading time in milliseconds, and the HTML of the figure. The first frame has the HTML as text. Each later
//! frame has the edits that make its HTML from the HTML before it: a positive number keeps so many UTF-16 units, a
//! negative number skips them, and a text is inserted.

use std::rc::Rc;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use watchglass_engine::session::Session;
use watchglass_engine::view::{Queries, StatusView, Views, WatchQuery};
use watchglass_frontend::hooks::size::PosterSize;
use watchglass_frontend::host::HostKind;
use watchglass_frontend::panels::figure::FigurePage;
use watchglass_frontend::panels::index::{still, strip};
use watchglass_frontend::state::choices::View;
use watchglass_frontend::state::flow::{self, State};
use watchglass_frontend::state::playback;
use watchglass_frontend::state::prefs::Prefs;
use watchglass_frontend::state::speed::Speed;
use watchglass_frontend::state::ui::{EngineState, Figure};
use watchglass_frontend::store::{Store, StoreContext};
use yew::prelude::*;

use crate::{ANYTHING, look, render};

/// The widths of the figures for which tapes are drawn, in CSS pixels. A figure uses the widest tape that fits, because
/// a scaled text would be too small or too large.
const WIDTHS: [u16; 5] = [320, 358, 560, 680, 800];

#[derive(Serialize)]
pub(crate) struct Tape {
    title: String,
    frames: Vec<Frame>,
    /// The HTML of the last frame.
    #[serde(skip)]
    html: Option<String>,
}

#[derive(Serialize)]
struct Frame {
    beat: u64,
    step: u64,
    revision: i64,
    view: &'static str,
    ms: u32,
    html: Content,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Whole(String),
    Edits(Vec<Edit>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Edit {
    Units(i64),
    Insert(String),
}

/// The tapes of a run in all widths. There is no tape of a width at which a picture needs a canvas.
pub(crate) struct Reels([Option<Reel>; WIDTHS.len()]);

impl Reels {
    pub(crate) fn new(title: &str) -> Self {
        Self(WIDTHS.map(|width| Some(Reel::new(width, title.to_owned()))))
    }

    /// Draws the session's current beat.
    pub(crate) fn add(&mut self, session: &mut Session) {
        let mut moment = Moment {
            session,
            seen: Vec::new(),
        };
        for reel in &mut self.0 {
            *reel = reel.take().and_then(|reel| reel.with(&mut moment));
        }
    }

    /// Returns the finished tapes with their widths.
    pub(crate) fn packed(self) -> impl Iterator<Item = (u16, Vec<u8>)> {
        let reels = self.0.into_iter().flatten();
        reels.map(|reel| (reel.width, reel.tape.packed()))
    }
}

impl Tape {
    pub(crate) fn new(title: String) -> Self {
        Self {
            title,
            frames: Vec::new(),
            html: None,
        }
    }

    /// Adds a frame with the position of the status, the name of its view, and its reading time in milliseconds.
    pub(crate) fn add(&mut self, status: &StatusView, view: &'static str, ms: u32, html: &str) {
        self.frames.push(Frame {
            beat: self.frames.len() as u64,
            step: status.step,
            revision: status.revision,
            view,
            ms,
            html: match &self.html {
                Some(before) => Content::Edits(edits(before, html)),
                None => Content::Whole(html.to_owned()),
            },
        });
        self.html = Some(html.to_owned());
    }

    /// Returns the JSON of the tape, compressed.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        serde_json::to_writer(&mut packed, self).expect("a tape contains only texts and numbers");
        packed.finish().expect("a vector accepts all bytes")
    }
}

/// The session at one beat. Most views are the same for all widths, so each view is requested once.
struct Moment<'a> {
    session: &'a mut Session,
    seen: Vec<(Queries, Rc<Views>)>,
}

impl Moment<'_> {
    fn look(&mut self, queries: Queries) -> Rc<Views> {
        if let Some((_, views)) = self.seen.iter().find(|(known, _)| *known == queries) {
            return views.clone();
        }
        let views = Rc::new(look(self.session, queries.clone()));
        self.seen.push((queries, views.clone()));
        views
    }
}

/// A tape that is being drawn.
struct Reel {
    width: u16,
    tape: Tape,
    state: State,
}

impl Reel {
    fn new(width: u16, title: String) -> Self {
        let mut state = State::new(Prefs::default());
        state.flow.follows_beats = true;
        let ui = state.ui_mut();
        ui.engine = EngineState::Running;
        ui.figure = Some(Figure::default());
        ui.index = Some(ANYTHING);
        Self {
            width,
            tape: Tape::new(title),
            state,
        }
    }

    /// Adds the frame at the cursor of the session; returns `None` if its picture needs a canvas.
    fn with(mut self, moment: &mut Moment) -> Option<Self> {
        let html = draw(moment, &mut self.state, f64::from(self.width))?;
        let status = &self.state.views.status;
        let view = self.state.ui.prefs.view.name();
        let ms = Speed::default().pace(status).wait_ms;
        self.tape.add(status, view, ms, &html);
        Some(self)
    }
}

/// The size of a figure's picture. A figure has the default height of 450 pixels.
fn picture(width: f64) -> PosterSize {
    PosterSize {
        width: width - 2.0,
        height: if width < 560.0 { 276.0 } else { 296.0 },
    }
}

/// The height of the legend below a picture, as in `static/figure.css`, in CSS pixels.
const LEGEND: f64 = 29.0;

/// Draws the figure at this moment.
fn draw(moment: &mut Moment, state: &mut State, width: f64) -> Option<String> {
    let mut stage = picture(width);
    // The beat decides which view is shown. The Watch view contains the names of the watchers that a beat can select.
    state.views = moment.look(Queries {
        watch: Some(WatchQuery::default()),
        ..Queries::default()
    });
    playback::follow_beat(state);
    let mut views = moment.look(flow::queries(&state.ui));
    if state.ui.prefs.view == View::Index {
        stage.height -= strip::height(&views);
        let query = still::query(views.index.as_ref()?, stage.width, stage.height);
        state.ui_mut().index = Some(query);
        views = moment.look(flow::queries(&state.ui));
        if still::is_canvas(views.index.as_ref()?, stage.width, stage.height) {
            return None;
        }
    } else {
        stage.height -= LEGEND;
    }
    state.views = views;

    let store = Store::new(Prefs::default(), HostKind::Nowhere);
    let mut handle = store.handle();
    handle.ui = state.ui.clone();
    handle.views = state.views.clone();
    let html = render(html! {
        <ContextProvider<PosterSize> context={stage}>
            <ContextProvider<StoreContext> context={handle}><FigurePage /></ContextProvider<StoreContext>>
        </ContextProvider<PosterSize>>
    });
    Some(inside_a_page(&html))
}

/// Returns a figure as a part of another page: without the playback controls, for which the player has its own, and
/// without headings and landmarks of a page.
fn inside_a_page(html: &str) -> String {
    let (before, rest) = html.split_once("<footer").expect("a figure has a foot");
    let (open, rest) = rest.split_once('>').expect("a tag ends");
    let (_, after) = rest.split_once("</footer>").expect("a figure's foot ends");
    format!("{before}<div{open}></div>{after}")
        .replace("<section ", "<section role=\"group\" ")
        .replace("<h1", "<p")
        .replace("</h1>", "</p>")
        .replace("<main", "<div")
        .replace("</main>", "</div>")
        .replace("<header", "<div")
        .replace("</header>", "</div>")
        .replace("role=\"region\"", "role=\"group\"")
}

/// Returns the edits that make one text from another. Tags are compared as wholes, and then, where tags differ, their
/// attributes and words.
fn edits(before: &str, after: &str) -> Vec<Edit> {
    let tags = |html| parts(html, &['<']);
    let mut edits = Vec::new();
    differences(
        &tags(before),
        &tags(after),
        &mut edits,
        &|old, new, edits| {
            let words = |html| parts(html, &['<', '>', ' ', '"']);
            differences(&words(old), &words(new), edits, &|old, new, edits| {
                if !old.is_empty() {
                    edits.push(Edit::Units(-units(old)));
                }
                if !new.is_empty() {
                    edits.push(Edit::Insert(new.to_owned()));
                }
            });
        },
    );
    edits
}

/// Adds the edits for two lists of parts. `change` adds the edits for a text that differs.
fn differences(
    old: &[&str],
    new: &[&str],
    edits: &mut Vec<Edit>,
    change: &dyn Fn(&str, &str, &mut Vec<Edit>),
) {
    for one in capture_diff_slices(Algorithm::Myers, old, new) {
        let (tag, from, to) = one.as_tag_tuple();
        let (from, to) = (old[from].concat(), new[to].concat());
        match (tag, edits.last_mut()) {
            (DiffTag::Equal, Some(Edit::Units(kept))) if *kept > 0 => *kept += units(&from),
            (DiffTag::Equal, _) => edits.push(Edit::Units(units(&from))),
            _ => change(&from, &to, edits),
        }
    }
}

fn units(text: &str) -> i64 {
    text.encode_utf16().count() as i64
}

fn parts<'a>(html: &'a str, ends: &[char]) -> Vec<&'a str> {
    html.split_inclusive(ends).collect()
}
