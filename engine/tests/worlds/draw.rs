//! Random numbers, keys, ranges and durations.

use watchglass_engine::api::WatchCreateRequest;
use watchglass_engine::base::Bytes;
use watchglass_engine::base::bytes::prefix_end;
use watchglass_engine::base::time::SimDuration;
use watchglass_engine::sim::network::Delay;

use super::RandomWorld;

/// A small set of keys, so that deleted keys are often put again.
pub(super) const KEYS: [&str; 9] = ["a", "a1", "a2", "a3", "b", "b1", "b2", "c", "d/e"];

impl RandomWorld {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    pub(super) fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.rng.below(most - least + 1)
    }

    pub(super) fn chance(&mut self, one_in: u64) -> bool {
        self.rng.below(one_in) == 0
    }

    pub(super) fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.below(all.len() as u64) as usize].clone()
    }

    pub(super) fn key(&mut self) -> Bytes {
        self.of(&KEYS).into()
    }

    /// Draws a random set of keys, without duplicates.
    pub(super) fn keys(&mut self) -> Vec<Bytes> {
        let all = self.between(2, 5);
        let mut keys: Vec<Bytes> = (0..all).map(|_| self.key()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    pub(super) fn value(&mut self) -> Bytes {
        self.values += 1;
        let mut value = format!("v{}", self.values).into_bytes();
        if self.large_values && self.chance(6) {
            // Three of these values do not fit into one response of a fragmented watch.
            value.resize(900_000, b'.');
        }
        value.into()
    }

    /// Draws a range: a key, and the end of the range.
    pub(super) fn range(&mut self) -> (Bytes, Bytes) {
        let key = self.key();
        match self.below(8) {
            0..=2 => (key, Bytes::default()),
            3 | 4 => {
                let prefix = Bytes::from(&key[..1]);
                let end = prefix_end(&prefix);
                (prefix, end)
            }
            5 => (Bytes::default(), Bytes::zero()),
            6 => (key, Bytes::zero()),
            _ => {
                let end = self.key();
                // An empty range is refused, which must not cause a failure.
                (key, end)
            }
        }
    }

    /// Draws the start revision of a watch: for new events only, in the past, in the future, or compacted.
    pub(super) fn start(&mut self) -> i64 {
        let store = self.world.at_endpoint().store();
        let (current, compacted) = (store.current_rev(), store.compact_rev());
        match self.below(12) {
            0..=3 => 0,
            4..=8 => (current - self.below(30) as i64).max(1),
            9 => compacted.max(1) + self.below(2) as i64,
            10 => current + self.below(6) as i64,
            _ => self.of(&[1, 2, -1]),
        }
    }

    pub(super) fn create(&mut self) -> WatchCreateRequest {
        let (key, range_end) = self.range();
        let filter = self.below(6);
        WatchCreateRequest {
            key,
            range_end,
            start_revision: self.start(),
            progress_notify: self.chance(3),
            no_put: filter == 0,
            no_delete: filter == 1,
            prev_kv: self.chance(2),
            watch_id: 0,
            fragment: self.chance(3),
            ..WatchCreateRequest::default()
        }
    }

    pub(super) fn delay(&mut self) -> Delay {
        let micros = |n: u64| SimDuration(n);
        match self.below(4) {
            0 => Delay::Fixed(micros(self.between(50, 50_000))),
            1 => Delay::Uniform(
                micros(self.below(5_000)),
                micros(self.between(5_000, 80_000)),
            ),
            _ => Delay::LongTail(micros(self.between(100, 10_000))),
        }
    }

    /// Lets a random time between zero and one second pass, usually a short time.
    pub(super) fn wait_a_little(&mut self) {
        let span = match self.below(10) {
            0..=3 => return,
            4..=6 => self.between(100, 3_000),
            7 | 8 => self.between(3_000, 120_000),
            _ => self.between(100_000, 1_000_000),
        };
        self.pass(SimDuration(span));
    }
}
