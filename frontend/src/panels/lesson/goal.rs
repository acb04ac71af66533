//! A small picture of a lesson's goal: the state after the last task of the lesson is solved, drawn with the same
//! shapes as the large pictures. The text alternative is made from the same view.

use crate::draw::surface::within;
use std::collections::BTreeMap;

use watchglass_engine::view::cache::{CacheReady, CacheRow};
use watchglass_engine::view::watch::{WatcherPool, WatcherView};
use watchglass_engine::view::{
    Bead, BeadState, CacheView, IndexView, Lane, ReadAnswer, TerminalEntry, Views, WatchView,
};
use yew::prelude::*;

use crate::draw::marks;
use crate::draw::shapes::{cross, diamond};
use crate::draw::surface::num;
use crate::draw::{Mark, Marks, Point, Rect, pt, svg_path, text};
use crate::words::lesson as words;

const WIDTH: f64 = 224.0;
const HEIGHT: f64 = 96.0;
/// The space at the left and right, in units of the picture.
const MARGIN: f64 = 18.0;
/// The minimum height of a lane whose beads contain numbers.
const TEXT_LANE: f64 = 20.0;
/// The minimum distance between two beads that contain numbers.
const TEXT_BEAD: f64 = 14.0;
/// The maximum distance between two columns; columns further apart would not look connected.
const STEP_MAX: f64 = 34.0;
/// The x coordinate of the names of watchers, the maximum length of a name in cells, and the maximum width of a cell.
const NAMES_FROM: f64 = 12.0;
const NAME_CELLS: usize = 10;
const CELL: f64 = 7.5;
/// The views of which small pictures exist.
const SMALL_PICTURES: [&str; 3] = ["index", "watch", "cache"];
/// The maximum number of lines in a picture of commands, the height of a line, and the maximum length of a command.
const COMMANDS_MAX: usize = 4;
const COMMAND_HEIGHT: f64 = 20.0;
const COMMAND_CELLS: usize = 27;
/// The maximum number of watchers in the picture of a goal.
const ROWS_MAX: usize = 4;

/// Renders the picture for the card of a lesson.
pub fn draw(views: &Views, picture: &str) -> Html {
    layout(views, picture).map_or_else(Html::default, |(drawn, said)| svg(&drawn, said))
}

/// Renders the picture for the card of a run: the cover, which is a beat of the run. The views are those at the beat.
/// If no small picture of the beat's view exists, or if the picture would be empty, the card shows the commands of the
/// beat with the first lines of their outputs.
pub fn draw_cover(views: &Views, picture: &str) -> Html {
    let drawn = SMALL_PICTURES
        .contains(&picture)
        .then(|| layout(views, picture));
    let entries = views
        .terminal
        .as_ref()
        .map_or(&[][..], |terminal| &terminal.beat);
    match drawn
        .flatten()
        .filter(|(drawn, _)| drawn.iter().any(is_item))
    {
        Some((drawn, said)) => svg(&drawn, said),
        None => svg(&terminal(entries), words::commands_of_beat(entries)),
    }
}

/// Returns true if a mark shows a change of a key, a watcher or a cache.
fn is_item(mark: &Mark) -> bool {
    match mark {
        Mark::Rect(class, ..) => !matches!(*class, "goal-past" | "goal-ring"),
        Mark::Path(class, _) => *class == "goal-tomb",
        Mark::Line(..) | Mark::Text(..) | Mark::Part(..) => false,
    }
}

/// Lays out the last commands of a beat, each with the first line of its output.
fn terminal(entries: &[TerminalEntry]) -> Marks {
    let mut shown = Vec::new();
    for entry in entries.iter().rev() {
        let lines = lines_of(entry);
        // An output is never shown without its command.
        if shown.len() + lines.len() > COMMANDS_MAX {
            break;
        }
        shown.splice(0..0, lines);
    }
    let top = (HEIGHT - COMMAND_HEIGHT * shown.len() as f64) / 2.0;
    let mut marks = Marks::default();
    for (at, (class, text)) in shown.into_iter().enumerate() {
        let y = top + COMMAND_HEIGHT * (at as f64 + 0.7);
        marks.text(class, pt(NAMES_FROM, y), text);
    }
    marks
}

/// Returns the command and the first line of its output, each with its class.
fn lines_of(entry: &TerminalEntry) -> Vec<(&'static str, String)> {
    let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
    let command = text::middle(&first(&entry.command), COMMAND_CELLS);
    let is_error = entry.stdout.trim().is_empty();
    let output = first(match is_error {
        true => &entry.stderr,
        false => &entry.stdout,
    });
    let room = COMMAND_CELLS + 2;
    // The end of a long error message says what went wrong.
    let output = match output.rsplit_once(": ") {
        Some((_, why)) if is_error && text::cells(&output) > room => why,
        _ => &output,
    };
    let mut lines = vec![("goal-text is-name", ["$ ", &command].concat())];
    if !output.is_empty() {
        lines.push(("goal-text is-name is-quiet", text::start(output, room)));
    }
    lines
}

/// Lays out the picture; returns its marks and its text alternative.
fn layout(views: &Views, picture: &str) -> Option<(Marks, String)> {
    match (picture, &views.index, &views.watch, &views.cache) {
        ("watch", _, Some(watch), _) if !watch.watchers.is_empty() => {
            Some((watchers(watch), words::goal_in_watch(watch)))
        }
        ("cache", _, _, Some(cache)) if !cache.caches.is_empty() => {
            Some((caches(cache), words::goal_in_cache(cache)))
        }
        (_, Some(index), ..) => Some((keys(index), words::goal_in_index(index))),
        _ => None,
    }
}

fn svg(drawn: &[Mark], said: String) -> Html {
    html! {
        <svg class="lesson-goal-picture" viewBox={format!("0 0 {} {}", num(WIDTH), num(HEIGHT))}
            role="img" aria-label={said}>
            { marks::draw(drawn) }
        </svg>
    }
}

/// The x coordinates of revisions. The columns are evenly spaced, because only the order of revisions matters.
struct Columns {
    at: BTreeMap<i64, f64>,
    step: f64,
}

impl Columns {
    fn new(view: &IndexView) -> Self {
        let beads = view.lanes.iter().flat_map(|lane| &lane.beads);
        let mut at: BTreeMap<i64, f64> = beads.map(|bead| (bead.main, 0.0)).collect();
        let gaps = at.len().saturating_sub(1).max(1) as f64;
        let step = ((WIDTH - 2.0 * MARGIN - 16.0) / gaps).min(STEP_MAX);
        let from = (WIDTH - 16.0 - step * gaps) / 2.0;
        for (number, x) in at.values_mut().enumerate() {
            *x = from + step * number as f64;
        }
        Columns { at, step }
    }

    fn of(&self, revision: i64) -> f64 {
        self.at.get(&revision).copied().unwrap_or(MARGIN)
    }

    /// Returns the x coordinate halfway between a revision and the revision before it.
    fn before(&self, revision: i64) -> f64 {
        let next = self.at.range(revision..).next().map(|(_, x)| *x);
        let last = self.at.values().last().copied().unwrap_or(MARGIN);
        next.unwrap_or(last + self.step) - self.step / 2.0
    }
}

fn keys(view: &IndexView) -> Marks {
    let columns = Columns::new(view);
    let mut out = Marks::default();
    let alone = view.lanes.len() == 1;
    let lane_height = match alone {
        true => 60.0,
        false => (HEIGHT - 12.0) / view.lanes.len().max(1) as f64,
    };
    let axis = |lane: usize| 6.0 + lane_height * (lane as f64 + 0.5);
    let fence = (view.compact_revision > 0).then(|| columns.before(view.compact_revision));
    if let Some(x) = fence {
        out.rect("goal-past", Rect::new(6.0, 4.0, x - 6.0, HEIGHT - 8.0), 0.0);
    }
    for (number, lane) in view.lanes.iter().enumerate() {
        threads(&mut out, lane, axis(number), &columns);
    }
    if let Some(x) = fence {
        out.upright("goal-fence", x, 4.0, HEIGHT - 4.0);
    }
    let cut = view.read.as_ref().filter(|read| read.revision < view.head);
    if let Some(cut) = cut {
        let x = columns.of(cut.revision);
        out.upright("goal-cut", x, 4.0, HEIGHT - 4.0);
    }
    for (number, lane) in view.lanes.iter().enumerate() {
        for bead in &lane.beads {
            // Beads do not cover each other.
            let room = (columns.step - 2.0).max(5.0);
            let size = within(lane_height - 4.0, 9.0, 22.0).min(room);
            // The beads of a single key show versions; the beads of several keys show the revisions that all keys
            // share.
            let has_text = lane_height >= TEXT_LANE && room >= TEXT_BEAD;
            let label = match (has_text, alone) {
                (false, _) => String::new(),
                (true, true) => bead.version.to_string(),
                (true, false) => bead.main.to_string(),
            };
            // A put before a delete of the same revision is beside the tombstone.
            let is_later = |other: &Bead| other.main == bead.main && other.sub > bead.sub;
            let aside = if lane.beads.iter().any(is_later) {
                size + 2.0
            } else {
                0.0
            };
            let place = pt(columns.of(bead.main) - aside, axis(number));
            let asked = cut.is_some_and(|cut| {
                let here = |a: &ReadAnswer| {
                    a.lane as usize == number && (a.main, a.sub) == (bead.main, bead.sub)
                };
                cut.answers.iter().any(here)
            });
            if asked {
                let half = size / 2.0 + 4.0;
                out.rect("goal-ring", Rect::around(place, half, half), 7.0);
            }
            draw_bead(&mut out, bead, place, size, label);
        }
    }
    if alone && let Some(lane) = view.lanes.first() {
        let cut = cut.map(|cut| columns.of(cut.revision));
        let lines: Vec<f64> = [fence, cut].into_iter().flatten().collect();
        brackets(&mut out, lane, &columns, &lines);
    }
    out
}

fn threads(out: &mut Marks, lane: &Lane, y: f64, columns: &Columns) {
    for thread in &lane.threads {
        let class = if thread.alive {
            "goal-thread"
        } else {
            "goal-thread-ended"
        };
        let to = if thread.alive {
            WIDTH - 8.0
        } else {
            columns.of(thread.last)
        };
        let kept = lane.beads.iter().filter(|bead| {
            bead.main >= thread.first && bead.state != BeadState::Gone && bead.main <= thread.last
        });
        // A compaction shortens a generation: draw only the rows that remain.
        let from = kept.map(|bead| bead.main).min().unwrap_or(thread.last);
        if !thread.forgotten {
            out.level(class, columns.of(from), to, y);
        }
    }
}

fn draw_bead(out: &mut Marks, bead: &Bead, middle: Point, size: f64, label: String) {
    let half = size / 2.0;
    let class = match bead.state {
        BeadState::Live => "goal-live",
        BeadState::Superseded | BeadState::Doomed => "goal-old",
        BeadState::Kept => "goal-kept",
        BeadState::Gone => {
            let (from, to) = (middle.y - half * 0.6, middle.y + half * 0.6);
            out.upright("goal-gone", middle.x, from, to);
            return;
        }
        BeadState::Tombstone => {
            out.path("goal-tomb", diamond(middle, half * 1.1));
            out.path("goal-tomb-cross", cross(middle, half * 0.35, half * 0.35));
            return;
        }
    };
    out.rect(class, Rect::around(middle, half, half), size * 0.26);
    let ink = if bead.state == BeadState::Live {
        "goal-text on-live"
    } else {
        "goal-text"
    };
    if !label.is_empty() {
        out.label(ink, middle, label);
    }
}

/// Draws the brackets of the generations of a single key. `lines` are the x coordinates of the vertical lines, which
/// must not cross a label.
fn brackets(out: &mut Marks, lane: &Lane, columns: &Columns, lines: &[f64]) {
    for thread in lane.threads.iter().filter(|thread| !thread.forgotten) {
        let half = columns.step * 0.36;
        let (from, to) = (
            columns.of(thread.first) - half,
            columns.of(thread.last) + half,
        );
        let line = svg_path!(M from, 60.0; v 5.0; H to; v -5.0);
        let label = format!("g{}", thread.number);
        out.path("goal-bracket", line);
        let at = pt(clear_middle(from, to, lines), 80.0);
        out.text("goal-text is-quiet", at, label);
    }
}

/// Returns the middle of the widest part between `from` and `to` that no line crosses.
fn clear_middle(from: f64, to: f64, lines: &[f64]) -> f64 {
    let mut edges = vec![from, to];
    edges.extend(lines.iter().filter(|x| (from..to).contains(*x)));
    edges.sort_by(f64::total_cmp);
    let parts = edges.windows(2);
    let widest = parts.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    widest.map_or(from, |part| (part[0] + part[1]) / 2.0)
}

fn watchers(view: &WatchView) -> Marks {
    // The lag of a victim is the lag of its client: the events of a victim have left the store, but the client has not
    // received them yet.
    let behind = |watcher: &WatcherView| match (watcher.pool, watcher.client) {
        (WatcherPool::Victim, Some(client)) => view.revision - client.revision,
        _ => watcher.behind,
    };
    let row = |watcher: &WatcherView| Row {
        name: watcher.name.clone(),
        behind: behind(watcher).unsigned_abs(),
        class: match watcher.pool {
            WatcherPool::Synced => "goal-synced",
            WatcherPool::Unsynced => "goal-unsynced",
            WatcherPool::Victim => "goal-victim",
            WatcherPool::Compacted => "goal-gone",
        },
    };
    let rows: Vec<_> = view.watchers.iter().take(ROWS_MAX).map(row).collect();
    behind_head(view.revision, view.axis_from, &rows)
}

fn caches(view: &CacheView) -> Marks {
    let row = |cache: &CacheRow| Row {
        name: cache.server.clone(),
        behind: cache.behind,
        class: match (cache.ready, cache.behind) {
            (CacheReady::Ready, 0) => "goal-synced",
            (CacheReady::Ready, _) => "goal-unsynced",
            _ => "goal-gone",
        },
    };
    let rows: Vec<_> = view.caches.iter().take(ROWS_MAX).map(row).collect();
    behind_head(view.head, view.axis_from, &rows)
}

/// A watcher or a cache that follows the store.
struct Row {
    name: String,
    /// The number of revisions by which the watcher or cache lags.
    behind: u64,
    class: &'static str,
}

/// Draws a row for each watcher or cache: a dot whose distance from the head revision shows the lag.
fn behind_head(head_revision: i64, axis_from: i64, rows: &[Row]) -> Marks {
    let head = WIDTH - 34.0;
    let names: Vec<_> = rows
        .iter()
        .map(|row| text::middle(&row.name, NAME_CELLS))
        .collect();
    let longest = names.iter().map(|name| text::cells(name)).max();
    let left = NAMES_FROM + longest.unwrap_or(0) as f64 * CELL + 12.0;
    let span = head - left;
    let all = (head_revision + 1 - axis_from).max(1) as f64;
    let lane = (HEIGHT - 26.0) / rows.len().max(1) as f64;
    let mut out = Marks::default();
    out.upright("goal-head", head, 18.0, HEIGHT - 4.0);
    let revision = text::grouped(head_revision);
    out.text("goal-text is-strong", pt(head, 14.0), revision);
    for (number, row) in rows.iter().enumerate() {
        let y = 22.0 + lane * (number as f64 + 0.5);
        let x = head - span * within(row.behind as f64 / all, 0.0, 1.0);
        let name = names[number].as_str();
        out.label("goal-text is-name", pt(NAMES_FROM, y), name);
        out.level("goal-lane", left, head, y);
        out.circle(row.class, pt(x, y), 7.0);
    }
    out
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::Thread;
    use watchglass_engine::view::watch::{ReceivedView, WatcherView};

    use super::*;

    fn bead(main: i64, state: BeadState) -> Bead {
        Bead {
            main,
            sub: 0,
            state,
            changed: false,
            label: String::new(),
            version: main - 1,
            lease: String::new(),
        }
    }

    fn two_lives() -> IndexView {
        let thread = |number, first, last, alive| Thread {
            number,
            ver: 1,
            first,
            last,
            alive,
            forgotten: false,
        };
        IndexView {
            head: 5,
            compact_revision: -1,
            lanes_total: 1,
            lanes: vec![Lane {
                name: "/key1".to_owned(),
                alive: true,
                threads: vec![thread(0, 2, 4, false), thread(1, 5, 5, true)],
                beads: vec![
                    bead(2, BeadState::Superseded),
                    bead(3, BeadState::Superseded),
                    bead(4, BeadState::Tombstone),
                    bead(5, BeadState::Live),
                ],
                ..Lane::default()
            }],
            ..IndexView::default()
        }
    }

    #[test]
    fn no_line_crosses_the_label_of_a_bracket() {
        assert_eq!(clear_middle(10.0, 50.0, &[]), 30.0);
        assert_eq!(clear_middle(10.0, 50.0, &[30.0, 60.0]), 40.0);
        assert_eq!(clear_middle(10.0, 50.0, &[34.0]), 22.0);
    }

    fn count(marks: &[Mark], wanted: &str) -> usize {
        let class = |mark: &Mark| match mark {
            Mark::Line(class, _)
            | Mark::Rect(class, ..)
            | Mark::Path(class, _)
            | Mark::Text(class, ..) => *class,
            Mark::Part(..) => "",
        };
        marks.iter().filter(|mark| class(mark) == wanted).count()
    }

    #[test]
    fn two_lives_are_two_brackets() {
        let marks = keys(&two_lives());
        for (class, number) in [
            ("goal-old", 2),
            ("goal-live", 1),
            ("goal-tomb", 1),
            ("goal-bracket", 2),
            ("goal-fence", 0),
        ] {
            assert_eq!(count(&marks, class), number, "{class}");
        }
        assert_eq!(
            words::goal_in_index(&two_lives()),
            "At the end, the store is at revision 5: /key1 exists in generation 2."
        );
    }

    #[test]
    fn a_fence_stands_before_the_oldest_readable_revision() {
        let mut view = two_lives();
        view.compact_revision = 4;
        let marks = keys(&view);
        let columns = Columns::new(&view);
        let fence = marks.lines("goal-fence").next().expect("a fence").from.x;
        assert!(columns.of(3) < fence && fence < columns.of(4));
    }

    #[test]
    fn a_cover_without_keys_shows_the_last_commands_with_their_outputs() {
        let entry = |(command, stderr): (&str, &str)| TerminalEntry {
            command: command.to_owned(),
            stderr: stderr.to_owned(),
            ..TerminalEntry::default()
        };
        let entries = [
            ("lease grant 60", "a lease"),
            ("get a --rev=9", "Error: etcdserver: mvcc: no such revision"),
            ("lease list", ""),
            ("run 2s", ""),
        ];
        let marks = terminal(&entries.map(entry));
        let inside = |class| -> Vec<String> {
            let texts = marks.texts(class);
            let texts = texts.filter(|(at, _)| at.y > 0.0 && at.y < HEIGHT);
            texts.map(|(_, said)| said.to_owned()).collect()
        };
        let expected = ["$ get a --rev=9", "$ lease list", "$ run 2s"];
        assert_eq!(inside("goal-text is-name"), expected);
        assert_eq!(inside("goal-text is-name is-quiet"), ["no such revision"]);
        assert!(!keys(&IndexView::default()).iter().any(is_item));
        assert!(keys(&two_lives()).iter().any(is_item));
    }

    #[test]
    fn everything_lies_inside() {
        let mut view = two_lives();
        for main in 6..30 {
            view.lanes[0].beads.push(bead(main, BeadState::Superseded));
        }
        let picture = Rect::new(0.0, 0.0, WIDTH, HEIGHT);
        for mark in keys(&view).iter() {
            if let Mark::Rect(_, area, _) = mark {
                assert!(picture.holds(*area), "{area:?}");
            }
        }
    }

    #[test]
    fn who_has_everything_stands_at_the_head() {
        let watcher = |name: &str, behind, pool| WatcherView {
            name: name.to_owned(),
            behind,
            pool,
            ..WatcherView::default()
        };
        let mut victim = watcher("w2", 0, WatcherPool::Victim);
        victim.client = Some(ReceivedView {
            revision: 10,
            ..ReceivedView::default()
        });
        let view = WatchView {
            revision: 20,
            axis_from: 1,
            synced: 1,
            unsynced: 1,
            victims: 1,
            watchers: vec![
                watcher("w1", 0, WatcherPool::Synced),
                watcher("api-1/pods", 10, WatcherPool::Unsynced),
                victim,
            ],
            ..WatchView::default()
        };
        let marks = watchers(&view);
        for lane in marks.lines("goal-lane") {
            let from = lane.from.x;
            assert!(from > NAMES_FROM + 10.0 * CELL, "a name is crossed: {from}");
        }
        let middle = |wanted| marks.rects(wanted).next().map_or(0.0, |area| area.x + 7.0);
        assert!((middle("goal-synced") - (WIDTH - 34.0)).abs() < 0.1);
        assert!(middle("goal-unsynced") < middle("goal-synced") - 20.0);
        // The client of a victim lags as much as an unsynced watcher.
        assert!((middle("goal-victim") - middle("goal-unsynced")).abs() < 0.1);
        assert_eq!(
            words::goal_in_watch(&view),
            "The store is at revision 20. Synced watchers: 1, unsynced: 1, victims: 1."
        );
    }
}
