//! The sentences about changes of nodes, links, prices and settings.

use std::fmt::Display;

use crate::base::time::SimDuration;
use crate::words::{LinkMessages, SettingValue};

/// Sentences about changes of the whole world.
pub const PRICES_CHANGED: &str = "From now on the costs of work are different.";
pub const LINKS_HEALED: &str = "From now on all cut links work again.";

pub const MIRROR_STARTED: &str = "From now on this store copies the changes of another etcd.";

pub fn revision_copied(revision: i64) -> String {
    format!("The other etcd has written revision {revision}; this store copies the changes.")
}

pub fn revision_skipped(revision: i64) -> String {
    format!("Up to revision {revision}, the other etcd changed no key of this copy.")
}

pub fn compaction_copied(revision: i64) -> String {
    format!("The other etcd is compacted at revision {revision}; this store copies the compaction.")
}

pub fn lease_copied(id: i64) -> String {
    format!("The other etcd has granted the lease {id:x}; this store copies the lease.")
}

pub fn reseeded(seed: u64) -> String {
    format!("From now on random numbers come from seed {seed}.")
}

pub fn message_delayed(message: u64, by: SimDuration) -> String {
    format!(
        "Message {message} arrives {by} later, and no later message of its connection overtakes it."
    )
}

pub fn setting_changed(name: &str, value: SettingValue, default: SettingValue) -> String {
    let (value, default) = (setting_value(value), setting_value(default));
    format!("From now on {name} is {value}; upstream's default is {default}.")
}

fn setting_value(value: SettingValue) -> String {
    match value {
        SettingValue::Count(count) => count.to_string(),
        SettingValue::Bytes(bytes) => format!("{bytes} bytes"),
        SettingValue::Time(time) => time.to_string(),
    }
}

pub fn prices_of_preset(preset: &str) -> String {
    format!("From now on the preset {preset} sets the costs of work.")
}

pub fn links_cut(left: &[String], right: &[String]) -> String {
    let (left, right) = (left.join(", "), right.join(", "));
    format!("From now on the links between {left} and {right} are cut.")
}

pub fn links_cut_one_way(from: &[String], to: &[String]) -> String {
    let (from, to) = (from.join(", "), to.join(", "));
    format!("From now on the links from {from} to {to} are cut.")
}

pub fn populated(pods: u64, total: u64, nodes: u32) -> String {
    format!("{pods} of {total} pods on {nodes} nodes are now in the store.")
}

/// Sentences about the speed and the clock of a node.
pub fn processing_time(node: &str, per_response: SimDuration) -> String {
    match per_response.0 {
        0 => format!("The processing time of {node} is zero."),
        _ => format!("The processing time of {node} is {per_response}."),
    }
}

/// The offset is in microseconds and the drift in microseconds per second. A positive drift makes the clock fast.
pub fn clock(node: &str, offset_us: i64, drift_ppm: i64) -> String {
    let offset = SimDuration(offset_us.unsigned_abs());
    let reading = match offset_us {
        0 => format!("The clock of {node} is correct"),
        1.. => format!("The clock of {node} is {offset} ahead"),
        _ => format!("The clock of {node} is {offset} behind"),
    };
    let drift = drift_ppm.unsigned_abs();
    match drift_ppm {
        0 => format!("{reading}."),
        1.. => format!("{reading} and gains {drift} µs per second."),
        _ => format!("{reading} and loses {drift} µs per second."),
    }
}

/// Sentences about the link of a node.
pub fn link_delay(messages: LinkMessages, node: &str, delay: SimDuration) -> String {
    let messages = messages_of(messages, node);
    format!("{messages} take {delay}.")
}

pub fn link_delay_between(
    messages: LinkMessages,
    node: &str,
    least: SimDuration,
    most: SimDuration,
) -> String {
    let messages = messages_of(messages, node);
    format!("{messages} take {least} to {most}.")
}

pub fn link_delay_with_long_tail(
    messages: LinkMessages,
    node: &str,
    typical: SimDuration,
) -> String {
    let messages = messages_of(messages, node);
    format!("{messages} take around {typical} with a long tail.")
}

pub fn link_bandwidth(messages: LinkMessages, node: &str, bytes_per_second: u64) -> String {
    let messages = messages_of(messages, node);
    match bytes_per_second {
        0 => format!("{messages} have unlimited bandwidth."),
        bytes => format!("{messages} share a bandwidth of {bytes} bytes per second."),
    }
}

pub fn link_loss(messages: LinkMessages, node: &str, one_in: u32) -> String {
    let messages = messages_of(messages, node);
    match one_in {
        0 => format!("{messages} are no longer lost."),
        n => format!("{messages} are lost and retransmitted with a probability of 1/{n}."),
    }
}

pub fn link_duplicates(messages: LinkMessages, node: &str, one_in: u32) -> String {
    let messages = messages_of(messages, node);
    match one_in {
        0 => format!("{messages} arrive only once."),
        n => format!("{messages} arrive twice with a probability of 1/{n}."),
    }
}

pub fn link_holds(messages: LinkMessages, node: &str) -> String {
    let messages = messages_of(messages, node);
    format!("{messages} are held.")
}

pub fn link_releases(messages: LinkMessages, node: &str) -> String {
    let messages = messages_of(messages, node);
    format!("{messages} continue.")
}

fn messages_of(messages: LinkMessages, node: &str) -> String {
    match messages {
        LinkMessages::Outgoing => format!("Messages from {node}"),
        LinkMessages::Incoming => format!("Messages to {node}"),
        LinkMessages::All => format!("Messages to and from {node}"),
        LinkMessages::WatchResponses => format!("Watch responses to {node}"),
    }
}

/// Returns the sentence about an API server that receives SIGTERM.
pub fn drains(server: &str, time: impl Display) -> String {
    format!("{server} receives SIGTERM: it refuses new requests and ends after {time}.")
}

/// Returns the sentence about a client that changes its server.
pub fn moved(client: &str, server: &str) -> String {
    format!("{client} connects to {server}.")
}

/// Sentences about full disks. `error` is etcd's own text.
pub fn disk_full(node: &str) -> String {
    format!("The disk of {node} is full.")
}

pub fn disk_freed(node: &str) -> String {
    format!("The disk of {node} has space again.")
}

pub fn process_failed(node: &str, error: &str) -> String {
    format!("{node}: {error}: the process ends.")
}

/// Returns the sentence about a gRPC proxy that starts.
pub fn proxy_starts(proxy: &str, port: u32, member: &str) -> String {
    format!("{proxy} listens at port {port} and relays requests to {member}.")
}

pub fn member_joins(name: &str) -> String {
    format!("{name} starts without data and joins the existing cluster.")
}

/// Returns the sentence about a process that ends because it uses too much memory. `used` and `limit` are in bytes.
pub fn out_of_memory(node: &str, used: u64, limit: u64) -> String {
    let (used, limit) = (gigabytes(used), gigabytes(limit));
    format!(
        "{node}: the responses need {used} of memory, more than the limit of {limit}: the operating system kills the \
         process."
    )
}

fn gigabytes(bytes: u64) -> String {
    let hundredths = bytes / 10_000_000;
    format!("{}.{:02} GB", hundredths / 100, hundredths % 100)
}

/// Sentences about snapshots.
pub fn snapshot_saved(node: &str, name: &str, revision: impl Display) -> String {
    format!("{node} saves revision {revision} as snapshot {name}.")
}

pub fn snapshot_opened(node: &str, name: &str, revision: impl Display) -> String {
    format!(
        "{node} sends snapshot {name} of revision {revision}; its open read transaction prevents the reuse of pages."
    )
}

pub fn snapshot_closed(node: &str, name: &str) -> String {
    format!("{node} completes snapshot {name} and closes its read transaction.")
}

/// Sentences about power failures. The numbers count unsynced writes of a commit.
pub fn power_failed_outside_commit(node: &str) -> String {
    format!("{node}: the power fails, but etcd is not writing at this moment.")
}

pub fn power_failed_before_first_page(node: &str) -> String {
    format!("{node}: the power fails before a commit writes its first page.")
}

pub fn power_failed_during_commit(
    node: &str,
    kept: u32,
    torn: u32,
    lost: u32,
    not_begun: u32,
) -> String {
    format!(
        "{node}: the power fails during a commit; unsynced writes: {kept} on the disk, {torn} torn, {lost} lost, \
         {not_begun} not started."
    )
}

/// Returns the sentence about the state that a member reads when it starts: the last transaction and the last applied
/// log entry of its file.
pub fn recovered(node: &str, txid: u64, index_in_file: u64, more_entries: u64) -> String {
    let file = format!(
        "{node}: the file is at transaction {txid} and contains all log entries up to {index_in_file}"
    );
    match more_entries {
        0 => format!("{file}, the last entry of the log."),
        1 => format!("{file}; the log has 1 more entry, which etcd applies again."),
        more => format!("{file}; the log has {more} more entries, which etcd applies again."),
    }
}
