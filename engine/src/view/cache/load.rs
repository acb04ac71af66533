//! The load of a run over time: the memory of the processes, and the requests of the loads.
//!
//! The time from the start of the run to the cursor is divided into columns of equal length. The numbers come from the
//! samples of the run's metrics, so a process can briefly use more memory than its column shows.

use serde::{Deserialize, Serialize};

use crate::observe::{MetricSample, Past};

/// The number of columns.
pub const LOAD_COLUMNS: usize = 160;

/// The load of a run up to the cursor. Each list has [`LOAD_COLUMNS`] numbers, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadView {
    /// The time of the cursor, which is the end of the last column, in microseconds. The first column begins at 0.
    pub now_us: u64,
    /// The processes with a memory limit that have held responses in memory: first the members, then the API servers.
    pub processes: Vec<ProcessMemoryView>,
    /// The maximum number of requests of loads without a response.
    pub in_flight: Vec<u64>,
    /// The number of requests of loads that succeeded.
    pub succeeded: Vec<u64>,
    /// The number of requests of loads that were refused, timed out, or lost their connection.
    pub failed: Vec<u64>,
}

impl LoadView {
    /// Returns true if a process was killed or a request failed.
    pub fn is_overload(&self) -> bool {
        let kills = self.processes.iter().flat_map(|process| &process.kills);
        kills.chain(&self.failed).any(|count| *count > 0)
    }
}

/// The memory of a process over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessMemoryView {
    pub name: String,
    /// The memory limit in bytes.
    pub limit: u64,
    /// The memory of unsent responses at the cursor, in bytes.
    pub now: u64,
    /// The maximum memory of unsent responses, in bytes. In a column in which the process was killed, this is at least
    /// the limit.
    pub used: Vec<u64>,
    /// How often the operating system killed the process because it was out of memory.
    pub kills: Vec<u64>,
}

/// Returns the load of the run up to the cursor; `None` if no load has sent a request, and no process has held a
/// response in memory.
pub fn load_view(m: Past<'_>) -> Option<LoadView> {
    let now = MetricSample::of(m.world);
    let earlier = m
        .metrics
        .by_step(m.step)
        .filter(|sample| sample.at < now.at);
    let samples: Vec<&MetricSample> = earlier.chain([&now]).collect();
    let column = |sample: &MetricSample| {
        let place = sample.at.0 * LOAD_COLUMNS as u64 / now.at.0.max(1);
        (place as usize).min(LOAD_COLUMNS - 1)
    };
    let mut view = LoadView {
        now_us: now.at.0,
        in_flight: levels(
            samples
                .iter()
                .map(|sample| (column(sample), sample.calls.in_flight)),
        ),
        succeeded: counts(
            samples
                .iter()
                .map(|sample| (column(sample), sample.calls.succeeded)),
        ),
        failed: counts(
            samples
                .iter()
                .map(|sample| (column(sample), sample.calls.failed)),
        ),
        ..LoadView::default()
    };
    for (node, memory) in &now.memory {
        let of_node = samples.iter().filter_map(|sample| {
            let found = sample.memory.iter().find(|(known, _)| known == node);
            found.map(|(_, memory)| (column(sample), memory))
        });
        let mut used = levels(
            of_node
                .clone()
                .map(|(column, memory)| (column, memory.used)),
        );
        let kills = counts(of_node.map(|(column, memory)| (column, memory.kills)));
        for (used, _) in used.iter_mut().zip(&kills).filter(|(_, kills)| **kills > 0) {
            *used = memory.limit.max(*used);
        }
        if used.iter().any(|bytes| *bytes > 0) {
            view.processes.push(ProcessMemoryView {
                name: m.world.node_name(*node),
                limit: memory.limit,
                now: memory.used,
                used,
                kills,
            });
        }
    }
    (now.calls.sent > 0 || !view.processes.is_empty()).then_some(view)
}

/// Returns the maximum level in each column. The level at the start of a column is the last level before the column.
fn levels(samples: impl Iterator<Item = (usize, u64)>) -> Vec<u64> {
    let mut columns = Vec::with_capacity(LOAD_COLUMNS);
    let mut last = 0;
    for (column, level) in samples {
        while columns.len() <= column {
            columns.push(last);
        }
        columns[column] = level.max(columns[column]);
        last = level;
    }
    columns
}

/// Returns the increase of a counter in each column.
fn counts(samples: impl Iterator<Item = (usize, u64)>) -> Vec<u64> {
    let mut columns = vec![0; LOAD_COLUMNS];
    let mut last = 0;
    for (column, count) in samples {
        columns[column] += count.saturating_sub(last);
        last = count;
    }
    columns
}
