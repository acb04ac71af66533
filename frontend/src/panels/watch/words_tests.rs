//! Tests of the texts of the Watch view.

use watchglass_engine::view::WatchView;
use watchglass_engine::view::watch::{AwayState, AwayView};

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
