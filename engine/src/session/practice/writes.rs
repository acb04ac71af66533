//! A few writes of a few keys, each of which makes one revision and one row.

use super::dice::Dice;

pub(super) struct Writes {
    pub(super) keys: Vec<&'static str>,
    /// The key and the value of each write, oldest first; `None` deletes the key.
    pub(super) log: Vec<(&'static str, Option<&'static str>)>,
}

impl Writes {
    /// Draws writes of `keys` keys. The first or second write is one of the first key, which is written most often. No
    /// write deletes a missing key, and the last write of the first key is a put if `is_alive`.
    pub(super) fn draw(dice: &mut Dice, keys: usize, count: usize, is_alive: bool) -> Self {
        let keys = dice.keys(keys);
        let mut values = dice.values(count).into_iter();
        let mut log: Vec<(&'static str, Option<&'static str>)> = Vec::new();
        while log.len() < count {
            let is_missing = log.len() == 1 && log[0].0 != keys[0];
            let key = if is_missing || dice.between(0, 2) > 0 {
                keys[0]
            } else {
                dice.one_of(&keys)
            };
            let last = log.iter().rev().find(|(written, _)| *written == key);
            let is_there = last.is_some_and(|(_, value)| value.is_some());
            let is_delete = is_there && dice.between(0, 2) == 0;
            log.push((key, values.next().filter(|_| !is_delete)));
        }
        let last = log.iter_mut().rev().find(|(key, _)| *key == keys[0]);
        if let Some((_, value @ None)) = last.filter(|_| is_alive) {
            *value = Some("maple");
        }
        Self { keys, log }
    }

    pub(super) fn key(&self) -> &'static str {
        self.keys[0]
    }

    pub(super) fn commands(&self) -> Vec<String> {
        let command = |(key, value): &(&str, Option<&str>)| match value {
            Some(value) => format!("put {key} {value}"),
            None => format!("del {key}"),
        };
        self.log.iter().map(command).collect()
    }

    /// Returns a revision from the first write of the run to the last write.
    pub(super) fn revision(&self, dice: &mut Dice) -> i64 {
        dice.between(2, self.log.len() as i64 + 1)
    }

    /// Returns the rows of the first key: the number of the row, counted from 0, and the value.
    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = (usize, Option<&'static str>)> {
        let rows = self.log.iter().enumerate();
        let rows = rows.filter(|(_, (key, _))| *key == self.key());
        rows.map(|(row, (_, value))| (row, *value))
    }
}
