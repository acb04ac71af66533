//! The figure of the start page: a small cluster, and a slider that selects the revision of a read.
//!
//! The reads are real: at the end of the run, every readable revision is read once. `front-*.html` shows one of the
//! reads, and the tape `tapes/front/*.json.gz` has a frame for each of them, between which `static/front.js` moves.

use std::io;
use std::path::Path;
use std::rc::Rc;

use watchglass_engine::session::{SeekTo, Session, Source};
use watchglass_engine::view::{
    IndexQuery, IndexView, Lane, MarkerKind, Queries, TimelineQuery, TimelineView, Views,
    WatchQuery,
};
use watchglass_frontend::draw::marks;
use watchglass_frontend::panels::index::still;
use watchglass_frontend::words::{index, page};
use yew::prelude::*;

use crate::tape::Tape;
use crate::{ANYTHING, look, render, write};

const STORY: &str = "at-a-glance";
/// The first readable revision, which is the story's compact revision. `LAST` is the story's newest revision.
const FIRST: i64 = 8;
const LAST: i64 = 23;
/// The initial revision of the slider. At this revision, a pod has failed and is not replaced yet.
const AT_FIRST: i64 = 12;
/// The initial revision on a narrow screen, which shows only the newest revisions. At this revision, two pods have just
/// been created.
const AT_FIRST_NARROW: i64 = 18;

/// A layout of the figure, with the size of its picture in CSS pixels, without the watchers below the picture.
struct Layout {
    name: &'static str,
    at_first: i64,
    width: f64,
    height: f64,
}

/// The layouts for windows of 1440x900, 1280x720, 960x700, 800x450 and 390x844, as measured. In windows of other sizes,
/// the browser scales the picture; `static/front.css` chooses the layout.
const LAYOUTS: [Layout; 5] = [
    Layout {
        name: "wide",
        at_first: AT_FIRST,
        width: 814.0,
        height: 377.0,
    },
    Layout {
        name: "low",
        at_first: AT_FIRST,
        width: 814.0,
        height: 329.0,
    },
    Layout {
        name: "middle",
        at_first: AT_FIRST,
        width: 602.0,
        height: 340.0,
    },
    Layout {
        name: "small",
        at_first: AT_FIRST,
        width: 442.0,
        height: 285.0,
    },
    Layout {
        name: "narrow",
        at_first: AT_FIRST_NARROW,
        width: 390.0,
        height: 299.0,
    },
];

/// Writes the figure in each layout, and the tape of each layout into the folder of tapes.
pub(crate) fn front(folder: &Path) -> io::Result<()> {
    let mut session = Session::default();
    session.load(Source::Story(STORY.to_owned()), SeekTo::End);
    // Every key begins with `/`.
    let (from, to) = (FIRST.to_string(), LAST.to_string());
    session.exec(&format!(
        "for r in {{{from}..{to}}}; do get / --prefix --rev=$r; done"
    ));
    let queries = Queries {
        timeline: Some(TimelineQuery { columns: 1_000 }),
        ..Queries::default()
    };
    let timeline = look(&mut session, queries).timeline;
    let timeline = timeline.expect("the timeline was asked for");
    let tapes = folder.join("tapes/front");
    std::fs::create_dir_all(&tapes)?;
    for layout in LAYOUTS {
        let mut tape = Tape::new("At a glance".to_owned());
        for revision in FIRST..=LAST {
            let step = step_of(&timeline, revision).expect("each revision was read");
            session.seek(SeekTo::Step(step));
            let views = layout.views(&mut session);
            tape.add(
                &views.status,
                "index",
                0,
                &layout.draw(&views, revision, true),
            );
            if revision == layout.at_first {
                let html = layout.draw(&views, revision, false);
                write(folder, &format!("front-{}", layout.name), &html)?;
            }
        }
        std::fs::write(
            tapes.join(layout.name).with_extension("json.gz"),
            tape.packed(),
        )?;
    }
    write(folder, "front-defs", &shared())
}

impl Layout {
    /// Returns what the picture shows at the cursor.
    fn views(&self, session: &mut Session) -> Rc<Views> {
        let queries = |index: IndexQuery| Queries {
            index: Some(index),
            watch: Some(WatchQuery::default()),
            ..Queries::default()
        };
        let views = look(session, queries(ANYTHING));
        let index = views.index.as_ref().expect("the index was asked for");
        let query = still::query(index, self.width, self.height);
        Rc::new(look(session, queries(query)))
    }

    /// Draws the picture, the slider and the sentence below it. The slider works if `is_live`.
    fn draw(&self, views: &Rc<Views>, revision: i64, is_live: bool) -> String {
        let view = views.index.as_ref().expect("the index was asked for");
        let pods = answers(view);
        let slider = format!("front-cut-{}", self.name);
        let class = format!("front-poster is-{}", self.name);
        let html = render(html! {
            <div {class} data-tape={self.name}>
                <div class="wg-picture" role="img" aria-label={index::figure(view)}>
                    { still::draw(views, self.width, self.height) }
                </div>
                <div class="front-scrub">
                    <label for={slider.clone()}>{ page::READ_AT }</label>
                    <input id={slider} type="range" min={FIRST.to_string()} max={LAST.to_string()}
                        value={revision.to_string()} disabled={!is_live}
                        aria-valuetext={page::pods_value(revision, &pods)} />
                    <p>{ page::pods_at(revision, &pods) }</p>
                </div>
            </div>
        });
        // Several layouts are in one page, so each needs its own ids.
        let own = format!("front-{}-hatch", self.name);
        html.replace("id=\"loom-hatch\"", &format!("id=\"{own}\""))
            .replace("url(#loom-hatch)", &format!("url(#{own})"))
    }
}

/// Renders the hatch pattern to which the style sheet refers by id, in an element that is always displayed. If several
/// elements have the same id, a browser uses only the first of them, and draws nothing if that element is not
/// displayed.
fn shared() -> String {
    render(html! {
        <svg class="front-defs" width="0" height="0" aria-hidden="true">
            <defs>{ marks::hatch("watch-hatch-lag", "7", "2") }</defs>
        </svg>
    })
}

/// Returns the step in which the response to the read of a revision arrived.
fn step_of(timeline: &TimelineView, revision: i64) -> Option<u64> {
    let flag = format!("--rev={revision}");
    let mut reads = timeline.markers.iter().rev();
    let read = reads.find(|marker| {
        marker.kind == MarkerKind::Read
            && marker.label.starts_with("get / ")
            && marker.label.ends_with(&flag)
    });
    read.map(|marker| marker.step)
}

/// Returns the name and the state of each pod in the response to the read.
fn answers(index: &IndexView) -> Vec<(String, String)> {
    let Some(read) = &index.read else {
        return Vec::new();
    };
    let pods = index.lanes.iter().enumerate();
    let pods = pods.filter_map(|(place, lane)| {
        let (before, pod) = lane.name.rsplit_once('/')?;
        before.contains("/pods/").then_some((place, lane, pod))
    });
    pods.map(|(place, lane, pod)| {
        let answer = read.answers.iter().find(|it| it.lane as usize == place);
        let is = answer.map_or_else(
            || absence(lane, read.revision).to_owned(),
            |answer| answer.label.clone(),
        );
        (pod.to_owned(), is)
    })
    .collect()
}

/// Returns the reason why a key is missing from the response.
fn absence(lane: &Lane, revision: i64) -> &'static str {
    let begun = lane.threads.iter().any(|thread| thread.first <= revision);
    if begun {
        page::DELETED
    } else {
        page::NOT_CREATED
    }
}
