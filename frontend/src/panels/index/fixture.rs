//! Fixed views for the tests of the Index view.

use watchglass_engine::view::{
    Bead, BeadState, IndexQuery, IndexView, Join, Lane, ReadAnswer, ReadCut, Thread,
};

fn bead(main: i64, version: i64, state: BeadState, label: &str) -> Bead {
    Bead {
        main,
        sub: 0,
        state,
        changed: false,
        label: label.to_owned(),
        version,
        lease: String::new(),
    }
}

fn lane(name: &str, threads: Vec<Thread>, beads: Vec<Bead>) -> Lane {
    Lane {
        key: name.as_bytes().to_vec(),
        name: name.to_owned(),
        alive: threads.last().is_some_and(|thread| thread.alive),
        threads,
        beads,
        earlier: None,
        bins: Vec::new(),
    }
}

fn thread(number: u32, ver: i64, first: i64, last: i64, alive: bool) -> Thread {
    Thread {
        number,
        ver,
        first,
        last,
        alive,
        forgotten: false,
    }
}

fn view(head: i64, lanes: Vec<Lane>) -> IndexView {
    IndexView {
        written: None,
        focus: None,
        query: IndexQuery {
            first_lane: 0,
            lane_count: 20,
            columns: 4000,
            filter: String::new(),
            ..IndexQuery::default()
        },
        rev_from: 1,
        rev_to: 40,
        head,
        end: head,
        compact_revision: -1,
        lanes_total: lanes.len() as u32,
        lanes_end: lanes.len() as u32,
        lanes_matching: lanes.len() as u32,
        lanes_folded: 0,
        lanes,
        joins: Vec::new(),
        read: None,
        bracket: None,
        overview: Vec::new(),
    }
}

/// Returns the view after `put`, `put`, `del` and `put` of `/key1`.
pub(super) fn two_lives() -> IndexView {
    use BeadState::{Live, Superseded, Tombstone};
    view(
        5,
        vec![lane(
            "/key1",
            vec![thread(0, 3, 2, 4, false), thread(1, 1, 5, 5, true)],
            vec![
                bead(2, 1, Superseded, "value1"),
                bead(3, 2, Superseded, "value2"),
                bead(4, 0, Tombstone, ""),
                bead(5, 1, Live, "value3"),
            ],
        )],
    )
}

/// Returns a view of five keys and one transaction. The store is compacted at revision 8.
pub(super) fn pods() -> IndexView {
    use BeadState::{Gone, Kept, Live, Superseded, Tombstone};
    let mut view = view(
        24,
        vec![
            lane(
                "/registry/nodes/n1",
                vec![thread(0, 4, 2, 18, true)],
                vec![
                    bead(2, 1, Gone, "Ready"),
                    bead(6, 2, Kept, "Ready"),
                    bead(10, 3, Superseded, "NotReady"),
                    bead(18, 4, Live, "Ready"),
                ],
            ),
            lane(
                "/registry/pods/web-1",
                vec![thread(0, 4, 3, 15, false), thread(1, 2, 19, 22, true)],
                vec![
                    bead(3, 1, Gone, "Pending"),
                    bead(7, 2, Kept, "Running"),
                    bead(12, 3, Superseded, "Failed"),
                    bead(15, 0, Tombstone, ""),
                    bead(19, 1, Superseded, "Pending"),
                    bead(22, 2, Live, "Running"),
                ],
            ),
            lane(
                "/registry/pods/web-2",
                vec![thread(0, 3, 4, 20, false)],
                vec![
                    bead(4, 1, Kept, "Pending"),
                    bead(9, 2, Superseded, "Running"),
                    bead(20, 0, Tombstone, ""),
                ],
            ),
            lane(
                "/registry/pods/web-3",
                vec![thread(0, 2, 19, 23, true)],
                vec![
                    bead(19, 1, Superseded, "Pending"),
                    bead(23, 2, Live, "Running"),
                ],
            ),
            lane(
                "/registry/leases/n1",
                vec![thread(0, 4, 5, 24, true)],
                vec![
                    bead(5, 1, Gone, "t0"),
                    bead(8, 2, Kept, "t1"),
                    bead(16, 3, Superseded, "t4"),
                    bead(24, 4, Live, "t6"),
                ],
            ),
        ],
    );
    view.compact_revision = 8;
    view.joins = vec![Join {
        main: 19,
        top: 1,
        bottom: 3,
    }];
    view
}

/// Returns the same view as [`pods`], with a read of all keys at a revision.
pub(super) fn pods_read(revision: i64) -> IndexView {
    let mut view = pods();
    let answers: Vec<ReadAnswer> = view
        .lanes
        .iter()
        .enumerate()
        .filter_map(|(index, lane)| {
            let last = lane.beads.iter().rfind(|bead| bead.main <= revision)?;
            (last.state != BeadState::Tombstone).then_some(ReadAnswer {
                lane: index as u32,
                main: last.main,
                sub: last.sub,
                label: last.label.clone(),
            })
        })
        .collect();
    view.read = Some(ReadCut {
        revision,
        label: format!("get --rev={revision}"),
        count: answers.len() as i64,
        returned: Some(answers.len() as i64),
        answers,
        refused: None,
        is_aside: false,
    });
    view
}
