//! Prints the output of `show cost`, the costs of work, and of `show processes`, the processor time and memory of each
//! process.

use std::fmt::Write;

use crate::apiserver::ApiServer;
use crate::base::time::SimDuration;
use crate::sim::cost::{COSTS, CostInfo, CostPreset, CostUnit};
use crate::view::cache::build;
use crate::world::World;

/// Prints the most similar preset, and one line for each cost and capacity. A `*` in a line means that the value
/// differs from the preset.
pub fn costs(world: &World) -> String {
    let mut out = String::new();
    let model = world.cost();
    let differs = |info: &CostInfo, preset: CostPreset| {
        let preset = preset.model();
        info.value(model) != info.value(&preset)
    };
    let others = |preset: &CostPreset| COSTS.iter().filter(|info| differs(info, *preset)).count();
    let preset = CostPreset::ALL.into_iter().min_by_key(others);
    let preset = preset.unwrap_or_default();
    let _ = writeln!(out, "preset {}", preset.name());
    for info in &COSTS {
        let value = info.value(model);
        let mark = match differs(info, preset) {
            true => '*',
            false => ' ',
        };
        let value = amount(info.unit, value);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{mark} {:<16} {value:>12}   {}", info.name, info.gloss);
    }
    if others(&preset) > 0 {
        let _ = writeln!(out, "* differs from the preset {}", preset.name());
    }
    out
}

/// Prints for each member and API server the processor time, the running jobs and the memory. The memory of a member
/// leaves out the file that etcd maps, which has a line of its own.
pub fn processes(world: &World) -> String {
    let mut out = String::new();
    for row in build::processes(world) {
        let limit = match row.limit {
            0 => "no limit".to_owned(),
            limit => format!("limit {}", amount(CostUnit::Bytes, limit)),
        };
        let kills = match row.kills {
            0 => String::new(),
            1 => "  killed once: out of memory".to_owned(),
            kills => format!("  killed {kills} times: out of memory"),
        };
        let _ = writeln!(
            out,
            "{}  processor time {}  responses in progress {}  memory {} ({limit}){kills}",
            row.name,
            SimDuration(row.processor_us),
            row.jobs,
            amount(CostUnit::Bytes, row.memory)
        );
        let mut members = world.etcds();
        if let Some((_, member)) = members.find(|(node, _)| world.node_name(*node) == row.name) {
            let backend = member.store().backend();
            let _ = writeln!(
                out,
                "    memory map  {} of the file's {}",
                amount(CostUnit::Bytes, backend.bytes_in_memory()),
                amount(CostUnit::Bytes, backend.db().bytes())
            );
        }
        let mut servers = world.apiservers().map(|(_, server)| server);
        if let Some(server) = servers.find(|server| **server.name() == row.name) {
            out.push_str(&apiserver(server));
        }
    }
    out
}

/// Prints the seats of an API server, and the memory of its caches: the objects, and the older states of objects that
/// only the history of the cache still needs.
fn apiserver(server: &ApiServer) -> String {
    let mut out = String::new();
    if let Some(flow) = server.flow_control() {
        let (occupied, total, waiting) = flow.usage();
        let _ = writeln!(
            out,
            "    seats {occupied} of {total}  requests waiting {waiting}"
        );
    }
    for cacher in server.storages().filter_map(|storage| storage.cacher()) {
        let cache = cacher.cache();
        let _ = writeln!(
            out,
            "    cache of {}  objects {}  history {}",
            cacher.resource().name,
            amount(CostUnit::Bytes, cache.store().bytes()),
            amount(CostUnit::Bytes, cache.ring().bytes())
        );
    }
    out
}

/// Formats a cost or capacity as the command `cost` accepts it.
fn amount(unit: CostUnit, value: u64) -> String {
    let units: &[(u64, &str)] = match unit {
        CostUnit::Picoseconds => &[
            (1_000_000_000_000, "s"),
            (1_000_000_000, "ms"),
            (1_000_000, "us"),
            (1_000, "ns"),
            (1, "ps"),
        ],
        CostUnit::Bytes | CostUnit::BytesPerSecond => &[
            (1_000_000_000, "GB"),
            (1_000_000, "MB"),
            (1_000, "kB"),
            (1, "B"),
        ],
        CostUnit::Count => &[(1, "")],
    };
    let (size, name) = units
        .iter()
        .find(|(size, _)| value >= *size)
        .unwrap_or(&(1, ""));
    let hundredths = value % size * 100 / size;
    match (value / size, hundredths) {
        (whole, 0) => format!("{whole}{name}"),
        (whole, part) => format!("{whole}.{part:02}{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_largest_unit_below_the_value() {
        assert_eq!(amount(CostUnit::Picoseconds, 9_940_000), "9.94us");
        assert_eq!(amount(CostUnit::Picoseconds, 0), "0");
        assert_eq!(amount(CostUnit::Bytes, 32_000_000_000), "32GB");
        assert_eq!(amount(CostUnit::Count, 8), "8");
    }
}
