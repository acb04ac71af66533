//! What the simulator does as etcd does it, and what it leaves out, in a few lines.

use yew::prelude::*;

const SAME: [&str; 7] = [
    "Revisions, generations, tombstones and compaction: the key index holds what etcd's holds.",
    "Rows of the key bucket, byte for byte: 17-byte keys, 18 for a tombstone, KeyValue as protobuf.",
    "Requests, limits, quota, defaults and error texts of etcd; etcdctl's output as simple, json and fields.",
    "Compaction in batches of 1000 rows with 10 ms between them, in simulated time.",
    "Watches: three groups, a sweep each 100 ms, 512 watchers and 1000 revisions a time, 128 responses a stream.",
    "API servers: one watch of etcd for each cache, history window, snapshots, consistent lists, bookmarks, informers.",
    "Leases: looked at each half second; the keys of an expired one go in one revision.",
];

const SIMPLER: [&str; 9] = [
    "One member, so no election and no replication: a write commits as soon as it is applied.",
    "Time is simulated: a command arrives after 1 ms, its answer at once, and messages take as long as links say.",
    "The network is a link for each client, with TCP's order and resending, without packets or handshakes.",
    "The database is a bbolt file with its real pages; reading and writing them takes no time.",
    "Sorted answers leave ties in key order, where etcd promises nothing.",
    "API servers cache only the resources that are named; most work takes no time; `kubelets` are one client for all.",
    "Users, roles and members of a cluster are missing.",
    "A client that lost etcd is connected again as soon as etcd is back.",
    "Profile 3.4 was compared with a real etcd 3.4.23, command by command; profile 3.6 follows its source.",
];

#[component]
pub fn Fidelity() -> Html {
    let list = |items: &'static [&'static str]| {
        html! {
            <ul>{ for items.iter().map(|item| html! { <li>{ *item }</li> }) }</ul>
        }
    };
    html! {
        <>
            <p>{ "Watchglass is a deterministic model of etcd, not etcd. The same commands give the same answers; \
                  where it is simpler than the real one, this is where:" }</p>
            <h3>{ "Simpler than etcd" }</h3>
            { list(&SIMPLER) }
            <h3>{ "As etcd has it" }</h3>
            { list(&SAME) }
        </>
    }
}
