//! The texts of the Cluster view: states of members, the newest read, results of checks, and the text alternative.

use watchglass_engine::view::ClusterView;
use watchglass_engine::view::cluster::{
    ClusterMemberView, MemberPart, MemberState, OperationOutcome, OperationView, OperationsVerdict,
    OperationsView, PeerKind, PeerView, QuorumReadView,
};
use yew::prelude::*;

use crate::draw::text::{bytes, count, grouped};

pub const VIEW: &str = "Cluster: members, their logs, and the operations of clients";
/// The accessible name of the scrollable part of the Cluster view.
pub const MEMBERS: &str = "Members of the cluster";

pub const ONE_MEMBER: &str = "One member";
/// The explanation that the view shows if there is only one member.
pub const ABOUT: &str = "A single member commits each write by itself. With three or five members, a write needs a \
    majority, and you can watch what happens when members stop or cannot reach each other.";
/// The explanation of the command that starts a cluster.
pub const STARTS_CLUSTER: &str =
    "starts a cluster with three members; the command must be the first command of a run";

pub const LOG: &str = "Raft log by index";
/// The names of the kinds of log entries in the legend.
pub const APPLIED: &str = "applied";
pub const COMMITTED: &str = "committed";
pub const NOT_COMMITTED: &str = "not known to be committed";
pub const CONFLICTS: &str = "in conflict";
/// The legend's name for the ring around members on the map.
pub const CONFIRMED: &str = "confirmed the newest read";

/// The text in the row of a member whose disk is full.
pub const DISK_FULL: &str = "disk full";

/// The texts about the newest linearizable read: the name of the section, its heading, and the text that the section
/// shows until a linearizable read reaches the current leader.
pub const READ: &str = "Newest linearizable read";
pub const READ_HEADING: &str = "Newest linearizable read (ReadIndex)";
pub const NO_READ: &str = "No linearizable read has reached the current leader yet.";

/// Returns the text in a log to which nothing has been appended. The log does not contain the entries with which the
/// cluster was created.
pub fn no_entries_after(index: u64) -> String {
    ["No entries yet after index ", &count(index)].concat()
}

pub const REVISIONS: &str = "Revisions";
pub const REVISIONS_HEADING: &str = "Revision that each member has reached";

/// Returns the hint below the map.
pub fn draw_a_line(is_alone: bool) -> &'static str {
    match is_alone {
        true => "Draw a line across the map to cut all links that cross the line.",
        false => "Draw a line between the members to cut the links between them.",
    }
}

/// The name of the map if it contains more nodes than the members.
pub const MAP: &str = "Nodes and their connections";
/// The text below the map while no node is selected.
pub const CHOOSE: &str = "Select a node to see its connections.";
/// The names of the lines in the legend.
pub const WATCHING: &str = "with watches";
pub const REQUESTS: &str = "only requests";
pub const NOT_CONNECTED: &str = "no connection";

/// Returns the three lines in the box of a node: its name, its state or role, and its connections.
pub fn peer_lines(peer: &PeerView) -> [String; 3] {
    let times = match peer.count {
        0 | 1 => String::new(),
        many => [" ×", &count(many)].concat(),
    };
    let role = match peer.kind {
        PeerKind::ApiServer => caches(peer),
        PeerKind::EventsEtcd => "stores events".to_owned(),
        _ => peer.role.clone(),
    };
    let connection = match watches(peer.connections.iter().map(|to| to.watches).sum()) {
        Some(watches) => watches,
        None if peer.connections.iter().any(|to| !to.asked.is_empty()) => "requests".to_owned(),
        None => String::new(),
    };
    let second = match peer.state.is_empty() {
        true => [&role, &*times].concat(),
        false => [&peer.state, &*times].concat(),
    };
    match peer.name.is_empty() {
        true => [peer.role.clone(), second, connection],
        false => [peer.name.clone(), second, connection],
    }
}

fn caches(peer: &PeerView) -> String {
    let (ready, all) = (count(peer.caches_ready), count(peer.caches));
    match peer.caches {
        0 => "no cache".to_owned(),
        1 if peer.caches_ready == 1 => "cache ready".to_owned(),
        1 => "cache not ready".to_owned(),
        _ => [&ready, "/", &all, " caches ready"].concat(),
    }
}

fn watches(number: u64) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 watch".to_owned()),
        many => Some([&count(many), " watches"].concat()),
    }
}

/// Describes a node and its connections.
pub fn peer(peer: &PeerView) -> String {
    let mut text = match (peer.name.is_empty(), peer.count) {
        (true, many) => [&count(many), " nodes (", &peer.role, ")"].concat(),
        (false, 0 | 1) => [&peer.name, ", ", &peer.role].concat(),
        (false, many) => [&peer.name, ", ", &count(many), " ", &peer.role].concat(),
    };
    let has_caches = peer.kind == PeerKind::ApiServer && peer.is_running;
    let cache = has_caches.then(|| caches(peer));
    let state = Some(peer.state.clone()).filter(|state| !state.is_empty());
    for fact in state.into_iter().chain(cache) {
        text.push_str(", ");
        text.push_str(&fact);
    }
    for to in &peer.connections {
        text.push_str("; to ");
        text.push_str(&to.to);
        let asked = Some(&to.asked).filter(|asked| !asked.is_empty());
        let facts = [
            (!to.is_open).then(|| NOT_CONNECTED.to_owned()),
            watches(to.watches),
            asked.map(|asked| ["newest request ", asked].concat()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        text.push_str(": ");
        text.push_str(match facts.is_empty() {
            true => "no recent request",
            false => "",
        });
        text.push_str(&facts.join(", "));
    }
    text
}

/// The labels of the buttons that cause faults.
pub const FAULTS: &str = "Faults";
pub const MEMBER: &str = "Member";
pub const CRASH: &str = "Crash";
pub const STOP: &str = "Stop";
pub const START: &str = "Start";
pub const PAUSE: &str = "Pause";
pub const RESUME: &str = "Resume";
pub const MAKE_LEADER: &str = "Make leader";
pub const CUT_OFF: &str = "Cut off";
pub const FILL_DISK: &str = "Fill disk";
pub const HEAL_ALL: &str = "Heal all";
pub const MORE_FAULTS: &str = "More faults";
pub const DELAY: &str = "Delay messages by 200 ms";
pub const LOSE: &str = "Lose 1 of 10 messages";
pub const DUPLICATE: &str = "Deliver 1 of 10 messages twice";
pub const CUT_OFF_ONE_WAY: &str = "Cut one direction";
pub const FAST_CLOCK: &str = "Clock 10 % fast";
pub const SLOW_DISKS: &str = "Slow disks";

/// The name of the section with the parts of a member.
pub const INSIDE: &str = "Inside a member";
/// The text after the name of a part if the newest step used the part.
pub const USED: &str = ", used by this step";

/// The names of the kinds of operations in the legend.
pub const WRITE: &str = "write";
pub const LINEARIZABLE_READ: &str = "linearizable read";
pub const SERIALIZABLE_READ: &str = "serializable read";
pub const UNKNOWN_RESULT: &str = "result unknown: an error or no response";
pub const CONTRADICTS: &str = "contradicts other responses";
/// The explanation of the dotted line through the operations.
pub const ORDER: &str = "The dotted line connects the operations in an order that explains all responses. \
    The positions from left to right show the order of calls and responses, but not how much time passed.";

pub fn state(state: MemberState) -> &'static str {
    match state {
        MemberState::Follower => "follower",
        MemberState::Learner => "learner",
        MemberState::PreCandidate => "pre-candidate",
        MemberState::Candidate => "candidate",
        MemberState::Leader => "leader",
        MemberState::Paused => "paused",
        MemberState::Stopped => "stopped",
    }
}

/// Returns the committed and the applied index of a member in words.
pub fn indexes(member: &ClusterMemberView) -> String {
    let (committed, applied) = (count(member.committed), count(member.applied));
    ["committed ", &committed, ", applied ", &applied].concat()
}

/// Returns the revision of a member, and the distance from the newest revision.
pub fn revision(member: &ClusterMemberView, newest: i64) -> String {
    let revision = ["revision ", &grouped(member.revision)].concat();
    match newest - member.revision {
        0 => revision,
        behind => [&revision, ", ", &grouped(behind), " behind"].concat(),
    }
}

/// Returns the heading of the parts of a member. If the member is not the first one, the heading says that all other
/// views show the first member.
pub fn inside(view: &ClusterView, member: &ClusterMemberView) -> String {
    let heading = ["Inside ", &member.name].concat();
    match view.members.first() {
        Some(first) if first.name != member.name => {
            [&heading, " (the other views show ", &first.name, ")"].concat()
        }
        _ => heading,
    }
}

/// Returns the title of the button that opens the view of a part.
pub fn open_view(title: &str) -> String {
    ["Open the ", title, " view"].concat()
}

pub const OPERATIONS: &str = "Operations of clients";

pub fn operations_on(key: &str) -> Html {
    html! { <>{ "Operations of clients on " }<code>{ key }</code></> }
}

/// Returns the note that some operations have no interval.
pub fn not_drawn(older: u64) -> String {
    ["Older operations not drawn: ", &count(older)].concat()
}

pub fn part(part: MemberPart) -> &'static str {
    match part {
        MemberPart::Api => "gRPC API",
        MemberPart::Raft => "Raft",
        MemberPart::Apply => "Apply",
        MemberPart::Mvcc => "MVCC store",
        MemberPart::Backend => "Backend (bbolt)",
        MemberPart::Watchers => "Watchers",
        MemberPart::Lessor => "Lessor",
    }
}

pub fn part_content(member: &ClusterMemberView, part: MemberPart) -> String {
    let inside = &member.inside;
    let number = |number: u64, one: &str, many: &str| match number {
        1 => ["1 ", one].concat(),
        n => [&count(n), " ", many].concat(),
    };
    match part {
        MemberPart::Api => "requests and responses".to_owned(),
        MemberPart::Raft => {
            let pending = number(inside.pending, "pending proposal", "pending proposals");
            ["log up to index ", &count(member.last), ", ", &pending].concat()
        }
        MemberPart::Apply => ["applied index ", &count(member.applied)].concat(),
        MemberPart::Mvcc => {
            let keys = number(inside.keys, "key", "keys");
            ["revision ", &grouped(member.revision), ", ", &keys].concat()
        }
        MemberPart::Backend => ["file of ", &bytes(inside.db_bytes)].concat(),
        MemberPart::Watchers => number(inside.watchers, "watcher", "watchers"),
        MemberPart::Lessor => number(inside.leases, "lease", "leases"),
    }
}

/// Returns the waiting reads of a member; `None` if no read waits.
pub fn waiting(member: &ClusterMemberView) -> Option<String> {
    let one = |number: u64, waits: &str, wait: &str| match number {
        1 => ["1 read waits ", waits].concat(),
        n => [&count(n), " reads wait ", wait].concat(),
    };
    match (member.reads_for_quorum, member.reads_for_store) {
        (0, 0) => None,
        (0, n) => Some(one(
            n,
            "until the store has applied the raft log up to the read index",
            "until the store has applied the raft log up to the read index of each read",
        )),
        (n, _) => Some(one(n, "for the quorum", "for the quorum")),
    }
}

fn names(view: &ClusterView, members: &[u32]) -> String {
    let names = members
        .iter()
        .filter_map(|at| view.members.get(*at as usize));
    let names: Vec<&str> = names.map(|member| &*member.name).collect();
    match names.as_slice() {
        [] => "no member".to_owned(),
        [first @ .., last] if !first.is_empty() => [&first.join(", "), " and ", *last].concat(),
        _ => names.concat(),
    }
}

/// Describes the newest linearizable read and its quorum.
pub fn read(view: &ClusterView, read: &QuorumReadView) -> String {
    let (leader, member) = (names(view, &[read.leader]), names(view, &[read.member]));
    let index = count(read.index);
    let asked = match read.leader == read.member {
        true => [
            &*leader,
            ", the leader, records its commit index: ",
            &index,
            ".",
        ]
        .concat(),
        false => [
            &*member,
            " asks the leader, ",
            &leader,
            ", for its commit index: ",
            &index,
            ".",
        ]
        .concat(),
    };
    let by = names(view, &read.confirmed_by);
    let number = count(read.confirmed_by.len() as u64);
    let of = ["of ", &count(view.members.len() as u64), " members"].concat();
    match read.is_confirmed {
        true => [
            &*asked,
            " ",
            &number,
            " ",
            &of,
            " confirm that ",
            &leader,
            " is still the leader: ",
            &by,
            ".",
        ]
        .concat(),
        false => [
            &*asked,
            " The read waits for a quorum. Confirmations so far: ",
            &number,
            " ",
            &of,
            " (",
            &by,
            ").",
        ]
        .concat(),
    }
}

/// Returns true if one order of the operations explains all responses.
pub fn is_good(operations: &OperationsView) -> bool {
    operations.verdict == OperationsVerdict::Linearizable
}

/// Returns the result of the check whether one order of the operations explains all responses.
pub fn verdict(operations: &OperationsView) -> &'static str {
    match operations.verdict {
        OperationsVerdict::Linearizable => "linearizable: one order explains all responses",
        OperationsVerdict::Contradiction => "not linearizable: no order explains the responses",
        OperationsVerdict::WrittenOtherwise => {
            "not checked: a transaction, a put with a lease or a range delete also changes this key"
        }
        OperationsVerdict::TooLarge => "not checked: too many operations overlap",
    }
}

pub fn operation(operation: &OperationView) -> String {
    let outcome = match operation.outcome {
        OperationOutcome::Done => "done",
        OperationOutcome::Open => "no response yet",
        OperationOutcome::Failed if operation.is_write => "failed, but may take effect",
        OperationOutcome::Failed => "failed",
        OperationOutcome::Serializable => "serializable, not checked",
    };
    let place = match operation.place {
        Some(place) => [", number ", &count(place.into()), " in the order"].concat(),
        None => String::new(),
    };
    let (client, member) = (&operation.client, &operation.member);
    [
        client,
        " to ",
        member,
        ": ",
        &operation.label,
        ", ",
        outcome,
        &place,
    ]
    .concat()
}

/// Returns the term of a member or of a log entry.
pub fn term(term: u64) -> String {
    ["term ", &count(term)].concat()
}

/// Formats an index of the log, for an axis without a name.
pub fn index(index: u64) -> String {
    ["index ", &count(index)].concat()
}

/// Describes a member for the text alternative.
pub fn member(view: &ClusterView, member: &ClusterMemberView) -> String {
    let newest = newest_revision(view);
    let term = count(member.term);
    let last = count(member.last);
    [
        &*member.name,
        ": ",
        state(member.state),
        if member.is_disk_full {
            ", disk full"
        } else {
            ""
        },
        ", term ",
        &term,
        ", log up to index ",
        &last,
        ", ",
        &indexes(member),
        ", ",
        &revision(member, newest),
    ]
    .concat()
}

/// Describes the cut links; `None` if no link is cut.
pub fn cuts(view: &ClusterView) -> Option<String> {
    let is_cut = |from: u32, to: u32| view.cuts.contains(&[from, to]);
    let mut parts = Vec::new();
    for &[from, to] in &view.cuts {
        let (a, b) = (names(view, &[from]), names(view, &[to]));
        match is_cut(to, from) {
            true if from < to => parts.push([a.as_str(), " and ", &b].concat()),
            true => {}
            false => parts.push([a.as_str(), " to ", &b].concat()),
        }
    }
    (!parts.is_empty()).then(|| ["Cut links: ", &parts.join("; ")].concat())
}

pub fn newest_revision(view: &ClusterView) -> i64 {
    let revisions = view.members.iter().map(|member| member.revision);
    revisions.max().unwrap_or_default()
}

/// Returns the text alternative of the view.
pub fn figure(view: &ClusterView) -> String {
    let members = view.members.iter().map(|one| member(view, one));
    let peers = view.peers.iter().map(peer);
    let all: Vec<String> = members.chain(peers).chain(cuts(view)).collect();
    all.join(". ")
}
