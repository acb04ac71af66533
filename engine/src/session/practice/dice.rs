//! The random choices of an exercise.

use crate::base::rng::Rng;

const KEYS: [&str; 12] = [
    "/config/web",
    "/config/db",
    "/jobs/import",
    "/jobs/report",
    "/users/ada",
    "/users/linus",
    "/locks/backup",
    "/flags/beta",
    "/teams/red",
    "/hosts/edge",
    "/quota/disk",
    "/routes/home",
];

const VALUES: [&str; 12] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "indigo", "juniper",
    "kelp", "larch",
];

const PREFIXES: [&str; 10] = [
    "/jobs/", "/users/", "/carts/", "/mails/", "/hosts/", "/tasks/", "/flags/", "/rooms/",
    "/orders/", "/teams/",
];

const PODS: [&str; 12] = [
    "web", "api", "db", "cart", "mail", "auth", "shop", "feed", "blog", "chat", "docs", "wiki",
];

/// A stream of random choices.
pub(super) struct Dice(Rng);

impl Dice {
    pub(super) fn new(seed: u64, form: &str) -> Self {
        Self(Rng::stream(seed, form))
    }

    /// Returns a number from `from` to `to`, both included.
    pub(super) fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.0.below((to - from + 1) as u64) as i64
    }

    pub(super) fn coin(&mut self) -> bool {
        self.0.chance(1, 2)
    }

    pub(super) fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.0.below(all.len() as u64) as usize].clone()
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.0.below(at as u64 + 1) as usize);
        }
    }

    /// Returns different keys.
    pub(super) fn keys(&mut self, count: usize) -> Vec<&'static str> {
        self.some_of(KEYS, count)
    }

    /// Returns two different prefixes of keys.
    pub(super) fn prefixes(&mut self) -> [&'static str; 2] {
        let some = self.some_of(PREFIXES, 2);
        [some[0], some[1]]
    }

    /// Returns different values. No value contains a digit, because a choice with a number equals any other choice with
    /// this number.
    pub(super) fn values(&mut self, count: usize) -> Vec<&'static str> {
        self.some_of(VALUES, count)
    }

    /// Returns a name that pods have in common, such as `cedar-web`.
    pub(super) fn pod_name(&mut self) -> String {
        [self.one_of(&VALUES), "-", self.one_of(&PODS)].concat()
    }

    fn some_of<const N: usize>(
        &mut self,
        mut all: [&'static str; N],
        count: usize,
    ) -> Vec<&'static str> {
        self.shuffle(&mut all);
        all[..count].into()
    }
}
