//! Tests of the texts of the dialogs.

use watchglass_engine::view::{BranchesView, KeyEnd};

use crate::words::dialogs::{parting, rest_of_keys};

#[test]
fn the_sentences_state_where_branches_part_and_what_is_left_out() {
    let view = |shared_steps, branches| BranchesView {
        branches,
        shared_steps,
        ..BranchesView::default()
    };
    let none = parting(&view(0, [0, 1]));
    assert_eq!(none, "Branches 1 and 2 have no step in common.");
    let some = parting(&view(12, [0, 2]));
    assert_eq!(
        some,
        "Branches 1 and 3 share steps 1 to 12 and differ after step 12."
    );
    assert_eq!(parting(&view(12, [1, 1])), "Both are branch 2.");
    let rest = |differing, keys_omitted, same_keys| {
        let key: (String, [Option<KeyEnd>; 2]) = (String::new(), [None, None]);
        rest_of_keys(&BranchesView {
            keys: vec![key; differing],
            keys_omitted,
            same_keys,
            ..BranchesView::default()
        })
    };
    assert_eq!(rest(0, 0, 0), "Neither branch has a key.");
    assert_eq!(rest(0, 0, 3), "No key differs. The same in both: 3 keys.");
    assert_eq!(
        rest(200, 2, 1),
        "Differences not shown: 2 keys. The same in both: 1 key."
    );
}
