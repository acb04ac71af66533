//! Tests of the texts of the Cluster view.

use watchglass_engine::view::cluster::MemberPart;

use super::fixture;
use crate::words::cluster as words;

#[test]
fn the_text_alternative_names_states_and_cuts() {
    let view = fixture::partitioned();
    let text = words::figure(&view);
    assert!(text.contains("etcd-1: pre-candidate, term 2"), "{text}");
    assert!(text.contains("revision 2, 1 behind"), "{text}");
    assert!(
        text.ends_with("Cut links: etcd-1 and etcd-2; etcd-1 and etcd-3"),
        "{text}"
    );
}

#[test]
fn the_parts_of_a_member_say_what_they_contain() {
    let view = fixture::partitioned();
    let member = &view.members[1];
    assert_eq!(
        words::inside(&view, member),
        "Inside etcd-2 (the other views show etcd-1)"
    );
    let raft = words::part_content(member, MemberPart::Raft);
    assert_eq!(raft, "log up to index 9, 1 pending proposal");
    assert_eq!(
        words::part_content(member, MemberPart::Mvcc),
        "revision 3, 1 key"
    );
}

#[test]
fn a_read_names_its_quorum() {
    let view = fixture::partitioned();
    let text = words::read(&view, view.read.as_ref().expect("a read"));
    assert_eq!(
        text,
        "etcd-2 asks the leader, etcd-3, for its commit index: 9. 2 of 3 members confirm that etcd-3 is still the \
         leader: etcd-2 and etcd-3."
    );
}

#[test]
fn the_text_alternative_names_the_connections_of_each_node() {
    let text = words::figure(&fixture::surrounded());
    let parts = [
        "api-1, API server, 2/2 caches ready; to etcd-1: 2 watches, newest request Range /registry/pods*; to \
         etcd-events: 1 watch",
        "api-2, API server, stopped; to etcd-2: no connection",
        "20 nodes (load); to etcd-1: newest request Range a; to etcd-2: no recent request",
        "nodes, 3,000 kubelets; to api-1: newest request list pods",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}
