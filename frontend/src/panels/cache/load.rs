//! The layout of the strips that show the load of a run over time: the memory of each process with the times at which
//! the process was killed, the requests in flight, and the results of the requests. All strips have the same axis of
//! time, from the start of the run to the cursor.

use watchglass_engine::view::cache::load::{LOAD_COLUMNS, LoadView, ProcessMemoryView};

use super::plot::step;
use super::scene::{margin, sides};
use crate::draw::shapes::cross;
use crate::draw::text::{count, duration};
use crate::draw::{Identity, Marks, Room, Side, order, pt, svg_path};
use crate::words::cache as words;

/// All marks of the strips.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadStrips {
    pub height: f64,
    pub marks: Marks,
}

/// The height of the names above an area, if there is no room for them at its left.
const NAMES: f64 = 26.0;
/// The space above the first strip, for a mark of a kill.
const TOP: f64 = 12.0;
/// The height of the axis of times below the strips.
const TIMES: f64 = 24.0;
/// The maximum length of the text of a time on the axis, including the space beside the text, in characters.
const TIME_CELLS: usize = 9;
/// Half of the size of the cross that marks a kill.
const KILL: f64 = 4.5;
/// The space that the names need in addition to the names of the caches, in pixels.
const NAMES_WIDER: f64 = 34.0;
/// The space between the areas and the numbers at their right.
const BESIDE: f64 = 10.0;

/// The height of the area of a strip with its curve, and the distance between two areas, in pixels.
#[derive(Clone, Copy)]
struct Spacing {
    area: f64,
    apart: f64,
}

const USUAL: Spacing = Spacing {
    area: 30.0,
    apart: 14.0,
};
/// The distances in presenter mode and in a figure, where nobody scrolls. The two lines of names still fit.
const LOW: Spacing = Spacing {
    area: 24.0,
    apart: 6.0,
};

/// A strip: its names, and the number at its right, which its highest point has.
struct Strip<'a> {
    id: &'a str,
    names: [String; 2],
    most: u64,
    most_text: String,
    class: &'static str,
    columns: &'a [u64],
    process: Option<&'a ProcessMemoryView>,
}

impl LoadStrips {
    /// Lays out the strips; they are lower if nobody can scroll (`is_low`).
    pub fn new(view: &LoadView, room: Room, is_low: bool) -> LoadStrips {
        let spacing = if is_low { LOW } else { USUAL };
        let mut strips: Vec<Strip> = view.processes.iter().map(memory).collect();
        let column_us = view.now_us / LOAD_COLUMNS as u64;
        let most = |columns: &[u64]| columns.iter().copied().max().unwrap_or_default();
        let in_flight = most(&view.in_flight);
        if in_flight > 0 {
            strips.push(Strip {
                id: "in-flight",
                names: [
                    words::IN_FLIGHT.to_owned(),
                    words::in_flight(&view.in_flight),
                ],
                most: in_flight,
                most_text: count(in_flight),
                class: "cache-load",
                columns: &view.in_flight,
                process: None,
            });
        }
        for (id, name, class, columns) in [
            ("succeeded", words::SUCCEEDED, "cache-load", &view.succeeded),
            ("failed", words::FAILED, "cache-load failed", &view.failed),
        ] {
            let most = most(columns);
            if most > 0 {
                strips.push(Strip {
                    id,
                    names: [name.to_owned(), words::in_total(columns.iter().sum())],
                    most,
                    most_text: words::per_second(most, column_us),
                    class,
                    columns,
                    process: None,
                });
            }
        }
        let mut scene = LoadStrips {
            height: 0.0,
            marks: Marks::default(),
        };
        let (left, right) = sides(room);
        let numbers = strips.iter().map(|strip| room.font.width(&strip.most_text));
        let right = right - BESIDE - numbers.fold(0.0, f64::max);
        let left = if room.is_wide() {
            left + NAMES_WIDER
        } else {
            margin(room)
        };
        let mut y = TOP;
        for strip in &strips {
            y = scene.strip(strip, room, (left, right), y, spacing);
        }
        scene.times(view, room, (left, right), y - spacing.apart + 4.0);
        scene
    }

    /// Draws a strip, and returns the top of the next strip.
    fn strip(
        &mut self,
        strip: &Strip<'_>,
        room: Room,
        (left, right): (f64, f64),
        y: f64,
        Spacing { area, apart }: Spacing,
    ) -> f64 {
        let [name, about] = &strip.names;
        let x = margin(room);
        let top = match room.is_wide() {
            true => {
                self.marks.text("cache-name", pt(x, y + 10.0), name);
                self.marks.text("watch-axis", pt(x, y + 25.0), about);
                y
            }
            false => {
                self.marks.text("cache-name", pt(x, y + 12.0), name);
                let at = pt(x + room.font.width(name) + 10.0, y + 12.0);
                self.marks.text("watch-axis", at, about);
                y + NAMES
            }
        };
        let bottom = top + area;
        let high = |value: u64| value as f64 / strip.most.max(1) as f64 * area;
        let wide = (right - left) / LOAD_COLUMNS as f64;
        let mut d = svg_path!(M left, bottom);
        for (column, value) in strip.columns.iter().enumerate() {
            d.push_str(&svg_path!(L left + column as f64 * wide, bottom - high(*value); h wide));
        }
        d.push_str(&svg_path!(L right, bottom; z));
        let curve = Identity::new("load", strip.id, order::AXIS);
        self.marks.part(curve, |marks| marks.path(strip.class, d));
        self.marks.level("cache-base", left, right, bottom);
        let said = strip.most_text.as_str();
        self.marks
            .label("cache-axis", pt(right + BESIDE, top + 4.0), said);
        if let Some(process) = strip.process {
            self.marks
                .level("cache-limit", left, right, bottom - high(process.limit));
            let killed = process
                .kills
                .iter()
                .enumerate()
                .filter(|(_, kills)| **kills > 0);
            for (at, (column, _)) in killed.enumerate() {
                let x = left + (column as f64 + 0.5) * wide;
                let id = format!("{}:{at}", process.name);
                self.marks
                    .part(Identity::new("kill", &id, order::STORE).pops(), |marks| {
                        marks.upright("cache-kill", x, top - 2.0, bottom);
                        marks.path("cache-kill", cross(pt(x, top - 4.0), KILL, KILL));
                    });
            }
        }
        bottom + apart
    }

    /// Draws the axis of times, which is also the end of the layout.
    fn times(&mut self, view: &LoadView, room: Room, (left, right): (f64, f64), y: f64) {
        let long = room.font.long(TIME_CELLS);
        let most = ((right - left) / long).clamp(1.0, 8.0) as u64;
        let step_us = step(view.now_us, most).max(1);
        for at in (0..=view.now_us / step_us).map(|tick| tick * step_us) {
            let x = left + at as f64 / view.now_us.max(1) as f64 * (right - left);
            self.marks.upright("watch-tick-line", x, y - 4.0, y);
            let said = match at {
                0 => "0".to_owned(),
                at => duration(at),
            };
            let said = room.font.measure(said);
            let start = said.left(x, Side::Middle).max(2.0);
            self.marks
                .text("cache-axis", pt(start, y + 14.0), said.text);
        }
        self.height = y + TIMES;
    }
}

fn memory(process: &ProcessMemoryView) -> Strip<'_> {
    let highest = process.used.iter().copied().max().unwrap_or_default();
    // A limit that no response comes near would make the curve too low to see.
    let most = if highest * 4 >= process.limit {
        highest.max(process.limit)
    } else {
        highest
    };
    Strip {
        id: &process.name,
        names: [words::memory_of(&process.name), words::memory_now(process)],
        most,
        most_text: words::memory_most(process, most),
        class: "cache-load",
        columns: &process.used,
        process: Some(process).filter(|process| most >= process.limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Font, Mark};

    /// A process with 4 GB that is killed twice, and requests of which most fail.
    fn overload() -> LoadView {
        let ramp = |from: usize| (0..LOAD_COLUMNS).map(move |at| at.saturating_sub(from) as u64);
        let mut kills = vec![0; LOAD_COLUMNS];
        (kills[80], kills[120]) = (1, 1);
        LoadView {
            now_us: 51_000_000,
            processes: vec![
                ProcessMemoryView {
                    name: "etcd".to_owned(),
                    limit: 4_000_000_000,
                    now: 0,
                    used: ramp(10).map(|at| at * 26_666_667).collect(),
                    kills,
                },
                ProcessMemoryView {
                    name: "api-1".to_owned(),
                    limit: 32_000_000_000,
                    now: 90_000_000,
                    used: vec![90_000_000; LOAD_COLUMNS],
                    kills: vec![0; LOAD_COLUMNS],
                },
            ],
            in_flight: ramp(10).collect(),
            succeeded: vec![0; LOAD_COLUMNS],
            failed: ramp(100).collect(),
        }
    }

    fn strips(width: f64) -> LoadStrips {
        LoadStrips::new(&overload(), Room::new(width, 420.0, 0.602), false)
    }

    #[test]
    fn each_strip_with_content_has_a_name_and_its_highest_number() {
        for width in [390.0, 760.0, 1_160.0] {
            let strips = strips(width);
            let names: Vec<&str> = strips
                .marks
                .texts("cache-name")
                .map(|(_, name)| name)
                .collect();
            assert_eq!(
                names,
                ["etcd memory", "api-1 memory", "in flight", "failed"],
                "{width}"
            );
            let numbers: Vec<&str> = strips
                .marks
                .texts("cache-axis")
                .map(|(_, said)| said)
                .collect();
            assert_eq!(numbers[..4], ["limit 4.0 GB", "90 MB", "149", "185 per s"]);
            let inside = |mark: &Mark| match mark {
                Mark::Text(_, at, said) => {
                    at.x >= 0.0 && at.x + Font::of(0.602).width(said) <= width
                }
                _ => true,
            };
            assert!(strips.marks.flat().all(inside), "{width}");
        }
    }

    #[test]
    fn kills_are_marked_at_the_limit() {
        let strips = strips(760.0);
        let limits: Vec<_> = strips.marks.lines("cache-limit").collect();
        let [limit] = limits.as_slice() else {
            panic!("only one process comes near its limit: {limits:?}");
        };
        let kills: Vec<_> = strips.marks.lines("cache-kill").collect();
        assert_eq!(
            (kills.len(), strips.marks.paths("cache-kill").count()),
            (2, 2)
        );
        for kill in kills {
            assert!(kill.from.y <= limit.from.y && kill.to.y > limit.from.y);
            assert!(kill.from.x > limit.from.x && kill.from.x < limit.to.x);
        }
    }

    #[test]
    fn a_figure_has_room_for_an_overload() {
        let low = LoadStrips::new(&overload(), Room::new(768.0, 264.0, 0.602), true);
        assert!(
            low.height < 180.0 && low.height < strips(768.0).height,
            "{}",
            low.height
        );
        let lines = low
            .marks
            .texts("cache-name")
            .chain(low.marks.texts("watch-axis"));
        let mut lines: Vec<f64> = lines.map(|(at, _)| at.y).collect();
        lines.sort_by(f64::total_cmp);
        assert!(
            lines.windows(2).all(|pair| pair[1] - pair[0] >= 14.0),
            "{lines:?}"
        );
    }

    #[test]
    fn the_strips_are_aligned() {
        let strips = strips(760.0);
        let bases: Vec<(f64, f64)> = strips
            .marks
            .lines("cache-base")
            .map(|line| (line.from.x, line.to.x))
            .collect();
        assert_eq!(bases, [bases[0]; 4]);
        assert!(
            strips
                .marks
                .texts("cache-axis")
                .all(|(at, _)| at.y <= strips.height)
        );
    }
}
