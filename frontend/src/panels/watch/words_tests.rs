//! Tests of the texts of the Watch view.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{AwayState, AwayView, StreamView};

use super::fixture;
use crate::words::watch as words;

#[test]
fn the_figure_in_sentences() {
    assert_eq!(
        words::figure(&fixture::few()),
        "At revision 5240: 8 watchers, 4 synced, 3 unsynced, 1 victim. The next sync pass, in \
         63 ms, handles 3 of them and reads revisions 1640 to 5240. Compacted at 1400."
    );
    let mut compacted = fixture::few();
    if let Some(next) = &mut compacted.next_sync {
        (next.from, next.to) = (5241, 5240);
    }
    assert!(
        words::figure(&compacted).contains(
            "The next sync pass, in 63 ms, handles 3 of them and cancels these watchers because the revisions that \
             they need are compacted."
        )
    );
    assert_eq!(words::figure(&WatchView::default()), "No watchers.");
    let mut gone = WatchView::default();
    gone.away.push(AwayView {
        name: "w1".to_owned(),
        state: AwayState::Ended,
        about: "canceled by its client".to_owned(),
        ..AwayView::default()
    });
    assert_eq!(
        words::figure(&gone),
        "No watchers. w1, ended: canceled by its client."
    );
}

#[test]
fn the_loops_of_a_stream_say_what_waits() {
    let stream = StreamView {
        requests: 3,
        control: 16,
        control_capacity: 16,
        recv_in_hand: 0,
        in_hand: 2,
        window_used: 45,
        ..StreamView::default()
    };
    let [recv, control, send] = words::loops(&stream);
    assert_eq!(
        (recv.0, &*recv.1, recv.3),
        ("recvLoop", "3 requests wait", false)
    );
    assert_eq!(
        (control.0, &*control.1, control.3),
        ("control", "16/16", false)
    );
    assert_eq!(
        (send.0, &*send.1, send.3),
        ("sendLoop", "holds 2, 45 B unread", false)
    );
    assert!(
        words::loops(&StreamView::default())
            .iter()
            .all(|part| part.3)
    );
}
