//! Tests of the texts of the Messages view.

use watchglass_engine::view::MessagesView;

use super::fixture;
use super::rows::row;
use crate::words::messages::figure;

#[test]
fn in_words() {
    let view = fixture::traffic();
    assert_eq!(
        figure(&view),
        "At 89.6 ms, 38 messages between w1, etcd, etcdctl; the last 37 are shown."
    );
    assert_eq!(
        row(&view, &view.arrows[6]).cells,
        [
            "PUT /a at 8",
            "etcd",
            "w1",
            "12.4 ms",
            "1.6 ms",
            "lost, resent"
        ]
    );
    assert_eq!(figure(&MessagesView::default()), "No messages yet.");
}
