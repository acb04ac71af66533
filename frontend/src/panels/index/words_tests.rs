//! Tests of the texts of the Index view.

use watchglass_engine::view::IndexView;

use super::fixture;
use crate::words::index as words;

#[test]
fn cells_say_what_the_eye_sees() {
    let view = fixture::two_lives();
    let lane = &view.lanes[0];
    assert_eq!(
        words::cell(&view, lane, &lane.beads[1]),
        "/key1 revision 3, version 2, value2, superseded, g0"
    );
    assert_eq!(
        words::cell(&view, lane, &lane.beads[2]),
        "/key1 revision 4, tombstone, g0"
    );
    assert_eq!(
        words::cell(&view, lane, &lane.beads[3]),
        "/key1 revision 5, version 1, value3, live, g1"
    );
    let view = fixture::pods_read(12);
    let lane = &view.lanes[2];
    assert_eq!(
        words::cell(&view, lane, &lane.beads[0]),
        "/registry/pods/web-2 revision 4, version 1, Pending, kept by the compaction, g0"
    );
    assert!(words::cell(&view, lane, &lane.beads[1]).ends_with("returned by get --rev=12"));
}

#[test]
fn the_figure_in_sentences() {
    assert_eq!(
        words::figure(&fixture::two_lives()),
        "At revision 5, the index contains 1 key. /key1: generation 0, 3 changes, deleted at \
         revision 4; generation 1, 1 change, live since revision 5."
    );
    assert!(words::figure(&fixture::pods_read(12)).ends_with(
        "Compacted at 8: older revisions cannot be read. The read get --rev=12 found 4 keys."
    ));
    assert!(words::figure(&IndexView::default()).starts_with("Nothing is written yet"));
}
