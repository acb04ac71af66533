//! The events of a run, in pieces: one list of half a million would be copied whole whenever it grows, and leave a hole
//! of its size behind.

use std::sync::Arc;

use super::Event;

/// Events of a piece, unless one step alone has more.
const PIECE: usize = 4096;

/// Events in their order; an event's number is its place, from 1.
#[derive(Clone, Debug, Default)]
pub struct EventList {
    /// None is empty, and no step is in two of them. Branches share them.
    pieces: Vec<Arc<Vec<Event>>>,
    len: usize,
}

impl EventList {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes in what happened in a step, all of it.
    pub fn take_step(&mut self, events: &mut Vec<Event>) {
        if events.is_empty() {
            return;
        }
        self.len += events.len();
        let has_room = |piece: &&mut Arc<Vec<Event>>| piece.len() + events.len() <= PIECE;
        match self.pieces.last_mut().filter(has_room) {
            Some(piece) => Arc::make_mut(piece).append(events),
            None => {
                let mut piece = Vec::with_capacity(PIECE.max(events.len()));
                piece.append(events);
                self.pieces.push(Arc::new(piece));
            }
        }
    }

    /// The event at a place, from 0.
    pub fn get(&self, place: usize) -> Option<&Event> {
        self.from(place).first()
    }

    /// The events from a place up to another one in the same step.
    pub fn of_step(&self, from: usize, to: usize) -> &[Event] {
        let events = self.from(from);
        &events[..events.len().min(to - from)]
    }

    /// The events from a place to the end of its piece; none at the end of the list.
    pub fn from(&self, place: usize) -> &[Event] {
        let begins_by = |piece: &Arc<Vec<Event>>| piece[0].id.0 <= place as u64 + 1;
        let piece = self.pieces.partition_point(begins_by).checked_sub(1);
        let Some(piece) = piece.map(|at| &self.pieces[at]) else {
            return &[];
        };
        piece
            .get(place + 1 - piece[0].id.0 as usize..)
            .unwrap_or(&[])
    }

    /// The first event of a step, or of the first one after it in which anything happened.
    pub fn since_step(&self, step: u64) -> Option<&Event> {
        let is_over = |piece: &Arc<Vec<Event>>| piece.last().is_none_or(|last| last.step < step);
        let piece = self.pieces.get(self.pieces.partition_point(is_over))?;
        piece.get(piece.partition_point(|event| event.step < step))
    }

    /// Frees the last piece; false when there is none.
    pub fn free_last(&mut self) -> bool {
        let last = self.pieces.pop();
        self.len -= last.as_ref().map_or(0, |piece| piece.len());
        last.is_some()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Event> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// Those of whole steps before a place.
    #[must_use]
    pub fn head(&self, len: usize) -> Self {
        let mut head = Self {
            pieces: Vec::new(),
            len,
        };
        let mut left = len;
        for piece in &self.pieces {
            if left == 0 {
                break;
            }
            head.pieces.push(match piece.get(..left) {
                Some(part) => Arc::new(part.to_vec()),
                None => piece.clone(),
            });
            left = left.saturating_sub(piece.len());
        }
        head
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EventId, TraceEvent};
    use super::*;
    use crate::base::time::SimTime;

    #[test]
    fn like_a_plain_list() {
        let mut plain = Vec::new();
        let mut list = EventList::default();
        let mut begins = Vec::new();
        for step in 1..=300_u64 {
            // Nothing, a few, and once in a while more than a piece holds.
            let many = if step % 90 == 0 {
                5000
            } else {
                step * 37 % 101
            };
            let mut events: Vec<Event> = (0..many)
                .map(|n| Event {
                    id: EventId(plain.len() as u64 + n + 1),
                    at: SimTime(step),
                    step,
                    node: None,
                    cause: None,
                    what: TraceEvent::Applied { index: n },
                })
                .collect();
            begins.push(plain.len());
            plain.extend(events.iter().cloned());
            list.take_step(&mut events);
            assert!(events.is_empty());
        }
        assert_eq!(list.len(), plain.len());
        assert!(list.iter().eq(&plain));
        begins.push(plain.len());
        for (step, ends) in begins.windows(2).enumerate() {
            assert_eq!(list.of_step(ends[0], ends[1]), &plain[ends[0]..ends[1]]);
            let since = plain.iter().find(|event| event.step > step as u64);
            assert_eq!(list.since_step(step as u64 + 1), since);
            let head = list.head(ends[0]);
            assert!(head.iter().eq(&plain[..ends[0]]) && head.len() == ends[0]);
        }
        for place in [0, 1, 4095, 4096, 4097, 9000, plain.len() - 1, plain.len()] {
            assert_eq!(list.get(place), plain.get(place), "{place}");
        }
        assert_eq!(EventList::default().get(0), None);
    }
}
