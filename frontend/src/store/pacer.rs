//! When the next picture of a run that goes on may come: so that the page keeps its frames.
//!
//! A picture that is drawn in time may be followed by the next one in the frame after it. After one that made frames
//! late the page rests so many more frames in time that late ones are fewer than one in twenty.

/// From one frame to the next; more, and one of sixty a second was missed.
const LATE_MS: f64 = 25.0;
/// Frames of rest for each that was late. One in thirty-three: others are late for other reasons.
const REST: u32 = 32;
/// The first frame that a picture can delay is the one that draws it, and the next one shows it.
const JUDGED: u32 = 2;
/// More late frames are not the picture's: on this machine every frame is late.
const LATE_MAX: u32 = 3;
/// Frames without a picture after which nobody counts any more.
const IDLE: u32 = 30;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    /// When the last frame was.
    last: Option<f64>,
    /// Frames that are still to be looked at: the last one of them in time.
    judged: u32,
    /// Frames that it made late.
    late: u32,
    /// Frames between pictures, and those that are left.
    gap: u32,
    left: u32,
    idle: u32,
}

impl Pacer {
    /// A picture came; the next frame draws it.
    pub(super) fn came(&mut self) {
        (self.judged, self.late, self.left, self.idle) = (JUDGED, 0, 0, 0);
    }

    /// A frame begins: whether the next picture may come, and whether to count on.
    pub(super) fn frame(&mut self, now: f64) -> (bool, bool) {
        let took = self.last.map_or(0.0, |last| now - last);
        self.last = Some(now);
        if self.judged > 0 {
            if took > LATE_MS && self.late < LATE_MAX {
                self.late += 1;
                self.judged = JUDGED;
            }
            self.judged -= 1;
            if self.judged > 0 {
                return (false, true);
            }
            self.gap = match self.late {
                0 => (self.gap / 2).max(1),
                late => late * REST,
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
        assert!(late * 30 < 1000 && pictures > 25, "{late} {pictures}");
    }

    #[test]
    fn the_more_frames_it_made_late_the_longer_the_rest_and_it_ends() {
        let rests = [1, 2, 3, 100].map(|slow| {
            let mut pacer = Pacer::default();
            pacer.frame(0.0);
            pacer.came();
            let mut now = 0.0;
            let count = (0..).take_while(|frame| {
                now += if *frame < slow { 40.0 } else { 16.7 };
                !pacer.frame(now).0
            });
            count.count() + 1
        });
        assert_eq!(rests, [33, 66, 99, 99]);
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
        assert_eq!(gaps, [34, 17, 9, 5, 3, 2, 2]);
        let counted = (0..100).take_while(|_| {
            now += 16.7;
            pacer.frame(now).1
        });
        assert_eq!(counted.count() as u32, IDLE - 1);
    }
}
