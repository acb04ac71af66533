//! Prints the output of `show clients`: the traffic of each etcd client. Learners use it to compare polling with
//! watching.

use std::fmt::Write;

use crate::base::bytes::escape;
use crate::client::etcd::client::Client;
use crate::view::narrate::watch::number;
use crate::world::World;

/// Prints two lines for each client and API server. The first line is the name and the kind; the second contains the
/// numbers of requests, keys and events.
pub fn clients(world: &World) -> String {
    let mut text = String::new();
    for (_, server) in world.apiservers() {
        let sums = server.traffic();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{}  API server\n    {}, {} read, {}",
            server.name(),
            number(sums.requests, "request", "requests"),
            number(sums.keys, "key", "keys"),
            number(sums.events, "event", "events")
        );
    }
    for (_, client) in world.clients() {
        let sums = client.traffic();
        let mut parts = vec![number(sums.requests, "request", "requests")];
        if sums.keys > 0 || client.poller().is_some() {
            parts.push(format!("{} read", number(sums.keys, "key", "keys")));
        }
        match client.poller() {
            Some(poller) => {
                parts.push(format!(
                    "{} found",
                    number(poller.changes(), "change", "changes")
                ));
                if poller.spec().each_revision {
                    let compacted = number(poller.compacted(), "revision", "revisions");
                    parts.push(format!("{compacted} compacted before the read"));
                }
            }
            None => parts.push(number(sums.events, "event", "events")),
        }
        let _ = writeln!(
            text,
            "{}  {}\n    {}",
            client.name(),
            kind(client),
            parts.join(", ")
        );
    }
    if text.is_empty() {
        text.push_str("no clients\n");
    }
    text
}

fn kind(client: &Client) -> String {
    if let Some(poller) = client.poller() {
        let spec = poller.spec();
        let what = match spec.each_revision {
            true => "every revision of ",
            false => "",
        };
        return format!("polls {what}{} every {}", escape(&spec.prefix), spec.every);
    }
    if let Some(lease) = client.keeps_alive() {
        return format!("keeps lease {:x} alive", lease.lease());
    }
    match client.app() {
        Some(app) => format!("lists and watches {}", escape(app.prefix())),
        None => "watches".into(),
    }
}
