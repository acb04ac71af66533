//! What the simulator does as etcd does it, and what it leaves out, in a few lines.

use yew::prelude::*;

const SAME: [&str; 7] = [
    "Revisions, generations, tombstones and compaction: the key index has the same contents as etcd's.",
    "Rows of the key bucket, byte for byte: 17-byte keys, 18 for a tombstone, KeyValue as protobuf.",
    "Requests, limits, quota, defaults and error texts of etcd; etcdctl's output as simple, json and fields.",
    "Compaction in batches of 1000 rows with 10 ms between them, in simulated time.",
    "Watches: three groups, a sync pass every 100 ms with up to 512 watchers, 1000 revisions per \
     response, 128 responses per stream.",
    "API servers: one watch of etcd for each cache, history window, snapshots, consistent lists, bookmarks, \
     informers.",
    "Leases: checked every half second; etcd deletes the keys of an expired lease in one revision.",
];

const SIMPLER: [&str; 9] = [
    "One member, so no election and no replication: a write commits as soon as it is applied.",
    "Time is simulated: a command arrives after 1 ms, its response immediately, and messages take \
     the latency of their link.",
    "The network is one link per client, with TCP's ordering and retransmission, without packets or \
     handshakes.",
    "The database is a bbolt file with its real pages; reading and writing them takes no time.",
    "Sorted responses keep equal elements in key order, where etcd guarantees no order.",
    "API servers cache only the resources that you name; most work takes no time; one client stands \
     for all kubelets.",
    "Users, roles and cluster membership are missing.",
    "Clients reconnect as soon as etcd is up.",
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
            <p>{ "Watchglass is a deterministic model of etcd, not etcd. The same commands give the same \
                responses. These are the differences:" }</p>
            <h3>{ "Simpler than etcd" }</h3>
            { list(&SIMPLER) }
            <h3>{ "Same as etcd" }</h3>
            { list(&SAME) }
        </>
    }
}
