//! Converts between steps and positions on the timeline's track, with pure functions.

use crate::draw::surface::within;
use watchglass_engine::session::protocol::SeekTo;
use watchglass_engine::view::{BeatMark, Marker, StatusView, TimelineView};

use crate::state::choices::Axis;

/// The space at both ends, so that the first and the last mark are fully visible.
pub(super) const PAD: f64 = 12.0;

/// The width of a place after the last step, in pixels.
const PLACE: f64 = 18.0;
/// The maximum distance of the pointer from a beat without steps, in pixels, if the steps have no marks.
const REACH: f64 = 5.0;

/// The width of a mark, in pixels.
const MARK: f64 = 15.0;
/// The minimum factor for the size of a mark. A smaller mark would lose its shape.
const MARK_SIZE_MIN: f64 = 0.45;

/// The mapping from values of an axis to pixels of the track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    axis: Axis,
    from: f64,
    to: f64,
    width: f64,
    /// The space at the right end for the beats without steps that follow the last step.
    tail: f64,
}

impl Scale {
    pub(super) fn new(axis: Axis, view: &TimelineView, width: f64) -> Scale {
        let last = view.beats.last().filter(|beat| beat.step == view.steps);
        let tail = last.map_or(0.0, |last| last.places as f64 * PLACE);
        let (from, to) = match axis {
            Axis::Step => (0.0, view.steps as f64),
            Axis::Time => (0.0, view.end_us as f64),
            Axis::Revision => (1.0, view.end_revision as f64),
        };
        Scale {
            axis,
            from,
            to,
            width,
            tail: tail.min((width - 2.0 * PAD).max(0.0) / 4.0),
        }
    }

    pub(super) fn marker(&self, marker: &Marker) -> f64 {
        self.x(match self.axis {
            Axis::Step => marker.step as f64,
            Axis::Time => marker.time_us as f64,
            Axis::Revision => marker.revision as f64,
        })
    }

    /// Returns the position of a step. Without markers, the position is computed from the step's number.
    pub(super) fn step(&self, step: u64, view: &TimelineView) -> f64 {
        let place = step
            .checked_sub(1)
            .and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| view.markers.get(place)) {
            Some(marker) => self.marker(marker),
            None => self.x(step as f64),
        }
    }

    /// Returns the position of the end of a beat.
    pub(super) fn beat(&self, beat: &BeatMark, view: &TimelineView) -> f64 {
        let end = self.x(match self.axis {
            Axis::Step => beat.step as f64,
            Axis::Time => beat.time_us as f64,
            Axis::Revision => beat.revision as f64,
        });
        self.place(end, beat.step, (beat.place, beat.places), view)
    }

    /// Returns the position of a place after a step, which is at `x`. The beats without steps divide the space before
    /// the next step evenly. Place 0 is the step itself.
    fn place(&self, x: f64, step: u64, (place, places): (u64, u64), view: &TimelineView) -> f64 {
        let part = place as f64 / (places + 1) as f64;
        if place == 0 {
            return x;
        }
        match step < view.steps {
            true => x + (self.step(step + 1, view) - x).max(0.0) * part,
            false => x + self.tail * place as f64 / places.max(1) as f64,
        }
    }

    /// Returns the factor for the size of a mark, so that most of `count` marks do not cover each other.
    pub(super) fn mark_size(&self, count: usize) -> f64 {
        let pitch = (self.width - 2.0 * PAD - self.tail) / count.max(1) as f64;
        within(pitch / MARK, MARK_SIZE_MIN, 1.0)
    }

    /// Returns the position of the start of the run.
    pub(super) fn start(&self) -> f64 {
        self.x(self.from)
    }

    pub(super) fn cursor(&self, status: &StatusView, view: &TimelineView) -> f64 {
        let x = self.x(match self.axis {
            Axis::Step => status.step as f64,
            Axis::Time => status.time_us as f64,
            Axis::Revision => status.revision as f64,
        });
        let beat = &status.beat;
        self.place(x, status.step, (beat.place, beat.places), view)
    }

    /// Returns the target of a click: the nearest mark, so that the user gets exactly the step under the pointer, or
    /// the beat without steps. If there are no marks, the target is the nearest value of the axis.
    pub(super) fn seek(&self, x: f64, view: &TimelineView) -> SeekTo {
        let start = self.start();
        let nearest = view
            .markers
            .iter()
            .map(|marker| ((self.marker(marker) - x).abs(), marker.step))
            // Of several marks at one position, choose the last.
            .min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let places = view.beats.iter().filter(|beat| beat.place > 0);
        let places = places.map(|beat| ((self.beat(beat, view) - x).abs(), beat.number));
        let place = places.min_by(|a, b| a.0.total_cmp(&b.0));
        let reach = |distance: f64| match nearest {
            Some((step, _)) => distance < step.min((start - x).abs()),
            None => distance < REACH,
        };
        if let Some((_, number)) = place.filter(|(distance, _)| reach(*distance)) {
            return SeekTo::Beat(number);
        }
        match nearest {
            Some((distance, _)) if (start - x).abs() < distance => SeekTo::Step(0),
            Some((_, step)) => SeekTo::Step(step),
            None => {
                let value = self.value(x);
                match self.axis {
                    Axis::Step => SeekTo::Step(value.round() as u64),
                    Axis::Time => SeekTo::TimeUs(value.round() as u64),
                    Axis::Revision => SeekTo::Revision(value.round() as i64),
                }
            }
        }
    }

    /// Returns the beat whose bar is at `x`: a bar begins at the end of the previous beat.
    pub(super) fn beat_at<'a>(&self, x: f64, view: &'a TimelineView) -> Option<&'a BeatMark> {
        let mut beats = view.beats.iter();
        let found = beats.find(|beat| x <= self.beat(beat, view));
        found.or(view.beats.last()).filter(|_| x >= self.start())
    }

    fn x(&self, value: f64) -> f64 {
        let span = self.to - self.from;
        if span <= 0.0 {
            return PAD;
        }
        let part = within((value - self.from) / span, 0.0, 1.0);
        PAD + part * (self.width - 2.0 * PAD - self.tail).max(0.0)
    }

    fn value(&self, x: f64) -> f64 {
        let room = (self.width - 2.0 * PAD - self.tail).max(1.0);
        let part = within((x - PAD) / room, 0.0, 1.0);
        self.from + part * (self.to - self.from).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchglass_engine::view::MarkerKind;

    #[test]
    fn many_marks_are_smaller() {
        let scale = Scale::new(Axis::Step, &TimelineView::default(), 174.0);
        assert_eq!(
            [2, 20, 500].map(|count| scale.mark_size(count)),
            [1.0, 0.5, 0.45]
        );
    }

    fn view(marked: bool) -> TimelineView {
        let markers = (1..=10).map(|step| Marker {
            step,
            time_us: step * step * 1000,
            revision: 1 + step as i64 / 2,
            kind: MarkerKind::Write,
            label: String::new(),
        });
        TimelineView {
            steps: 10,
            end_us: 100_000,
            end_revision: 6,
            markers: if marked {
                markers.collect()
            } else {
                Vec::new()
            },
            ..TimelineView::default()
        }
    }

    #[test]
    fn every_mark_is_found_where_it_is_drawn() {
        let view = view(true);
        for axis in [Axis::Step, Axis::Time] {
            let scale = Scale::new(axis, &view, 500.0);
            for marker in &view.markers {
                let found = scale.seek(scale.marker(marker), &view);
                assert_eq!(found, SeekTo::Step(marker.step), "{axis:?}");
            }
        }
    }

    #[test]
    fn beats_without_steps_have_places_between_the_steps() {
        let mark = |number, step, place, places| BeatMark {
            number,
            step,
            place,
            places,
            time_us: step * step * 1000,
            revision: 1,
            label: String::new(),
        };
        for marked in [true, false] {
            let mut view = view(marked);
            view.beats = vec![
                mark(1, 4, 0, 2),
                mark(2, 4, 1, 2),
                mark(3, 4, 2, 2),
                mark(4, 10, 0, 1),
                mark(5, 10, 1, 1),
            ];
            // Without marks, the axis is always the step.
            let axes = if marked {
                vec![Axis::Step, Axis::Time]
            } else {
                vec![Axis::Step]
            };
            for axis in axes {
                let scale = Scale::new(axis, &view, 800.0);
                let at: Vec<f64> = view
                    .beats
                    .iter()
                    .map(|mark| scale.beat(mark, &view))
                    .collect();
                assert!(at.is_sorted_by(|a, b| a < b), "{axis:?}: {at:?}");
                assert!(at[2] < scale.step(5, &view) && at[4] <= 800.0 - PAD);
                for (mark, x) in view.beats.iter().zip(at).filter(|(mark, _)| mark.place > 0) {
                    assert_eq!(scale.seek(x, &view), SeekTo::Beat(mark.number), "{axis:?}");
                    let mut status = StatusView {
                        step: mark.step,
                        time_us: mark.time_us,
                        ..StatusView::default()
                    };
                    (status.beat.place, status.beat.places) = (mark.place, mark.places);
                    assert_eq!(
                        scale.cursor(&status, &view),
                        x,
                        "the playhead stands on the mark"
                    );
                }
            }
        }
    }

    #[test]
    fn the_bar_of_a_beat_ends_at_its_last_step() {
        for marked in [true, false] {
            let mut view = view(marked);
            let beat = |number, step| BeatMark {
                number,
                step,
                place: 0,
                places: 0,
                time_us: step * step * 1000,
                revision: 1 + step as i64 / 2,
                label: String::new(),
            };
            view.beats = vec![beat(1, 3), beat(2, 4), beat(3, 10)];
            let scale = Scale::new(Axis::Step, &view, 500.0);
            let mut from = scale.start();
            for beat in &view.beats {
                let to = scale.beat(beat, &view);
                for x in [from + 0.1, f64::midpoint(from, to), to] {
                    let found = scale.beat_at(x, &view).map(|beat| beat.number);
                    assert_eq!(found, Some(beat.number), "{marked} {x}");
                }
                from = to;
            }
            assert_eq!(scale.beat_at(scale.start() - 1.0, &view), None);
        }
    }

    #[test]
    fn of_steps_at_one_revision_the_last_is_found() {
        let view = view(true);
        let scale = Scale::new(Axis::Revision, &view, 500.0);
        assert_eq!(
            scale.seek(scale.marker(&view.markers[3]), &view),
            SeekTo::Step(5)
        );
    }

    #[test]
    fn the_ends_are_reached_from_outside() {
        for marked in [true, false] {
            let view = view(marked);
            let scale = Scale::new(Axis::Step, &view, 500.0);
            assert_eq!(scale.seek(-100.0, &view), SeekTo::Step(0));
            assert_eq!(scale.seek(900.0, &view), SeekTo::Step(10));
        }
    }

    #[test]
    fn a_run_without_steps_and_a_line_without_width_do_no_harm() {
        let empty = TimelineView::default();
        for width in [0.0, 5.0, 500.0] {
            let scale = Scale::new(Axis::Step, &empty, width);
            assert_eq!(scale.seek(100.0, &empty), SeekTo::Step(0));
            assert!(scale.cursor(&StatusView::default(), &empty).is_finite());
        }
    }
}
