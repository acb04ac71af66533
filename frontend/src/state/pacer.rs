//! When the next picture of a run that goes on may come: so that the page keeps its frames.
//!
//! A picture that is drawn in time may be followed by the next one in the frame after it. One that made a frame late is
//! followed so much later that late frames are fewer than one in twenty.

/// From one frame to the next; more, and one of sixty a second was missed.
const LATE_MS: f64 = 25.0;
/// Frames from a picture that was late to the next one. It can make two of them late: the one that it is made in, and
/// the one that puts it on the screen.
const AFTER_LATE: u32 = 48;
/// Frames that a picture can delay: the one that draws it, and the one after.
const JUDGED: u32 = 2;
/// Frames without a picture after which nobody counts any more.
const IDLE: u32 = 30;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    /// When the last frame was.
    last: Option<f64>,
    /// Frames that are still to be looked at.
    judged: u32,
    late: bool,
    /// Frames between pictures, and those that are left.
    gap: u32,
    left: u32,
    idle: u32,
}

impl Pacer {
    /// A picture came; the next frame draws it.
    pub(super) fn came(&mut self) {
        (self.judged, self.late, self.left, self.idle) = (JUDGED, false, 0, 0);
    }

    /// A frame begins: whether the next picture may come, and whether to count on.
    pub(super) fn frame(&mut self, now: f64) -> (bool, bool) {
        let took = self.last.map_or(0.0, |last| now - last);
        self.last = Some(now);
        if self.judged > 0 {
            self.judged -= 1;
            self.late |= took > LATE_MS;
            if self.judged > 0 {
                return (false, true);
            }
            self.gap = match self.late {
                true => AFTER_LATE,
                false => (self.gap / 2).max(1),
            };
            self.left = self.gap;
        }
        if self.left > 0 {
            self.left -= 1;
            return (self.left == 0, true);
        }
        self.idle += 1;
        let more = self.idle < IDLE;
        self.last = self.last.filter(|_| more);
        (false, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many frames the late ones, when each picture takes so long and comes in the frame after it may.
    fn late_frames(frames: u32, picture_ms: f64) -> (u32, u32) {
        let mut pacer = Pacer::default();
        let (mut now, mut late, mut pictures, mut drawn) = (0.0, 0, 0, true);
        for _ in 0..frames {
            if drawn {
                pacer.came();
                pictures += 1;
            }
            let took: f64 = if drawn { picture_ms } else { 1.0 };
            let frame = (took / 16.7).ceil() * 16.7;
            now += frame;
            late += u32::from(frame > LATE_MS);
            let (next, more) = pacer.frame(now);
            assert!(more, "as long as pictures come");
            drawn = next;
        }
        (late, pictures)
    }

    #[test]
    fn a_picture_in_time_is_followed_at_once_and_a_late_one_much_later() {
        let (late, pictures) = late_frames(1000, 10.0);
        assert_eq!((late, pictures), (0, 500));
        let (late, pictures) = late_frames(1000, 40.0);
        assert!(late * 20 < 1000 && pictures > 15, "{late} {pictures}");
    }

    #[test]
    fn one_late_frame_is_forgiven_and_nobody_counts_for_nothing() {
        let mut pacer = Pacer::default();
        let mut gaps = Vec::new();
        let mut now = 0.0;
        for late in [true, false, false, false, false, false, false] {
            pacer.came();
            let mut gap = 0;
            loop {
                now += if late && gap == 1 { 40.0 } else { 16.7 };
                gap += 1;
                if pacer.frame(now).0 {
                    break;
                }
            }
            gaps.push(gap);
        }
        assert_eq!(gaps, [49, 25, 13, 7, 4, 2, 2]);
        let counted = (0..100).take_while(|_| {
            now += 16.7;
            pacer.frame(now).1
        });
        assert_eq!(counted.count() as u32, IDLE - 1);
    }
}
