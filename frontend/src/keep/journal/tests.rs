//! Tests of the journal, with texts in memory instead of localStorage.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::*;
use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::Moment;

#[derive(Default)]
struct Texts(RefCell<BTreeMap<String, String>>);

impl Shelf for Texts {
    fn get(&self, key: &str) -> Option<String> {
        self.0.borrow().get(key).cloned()
    }

    fn set(&self, key: &str, value: &str) -> bool {
        self.0.borrow_mut().insert(key.to_owned(), value.to_owned());
        true
    }

    fn remove(&self, key: &str) {
        self.0.borrow_mut().remove(key);
    }

    fn keys(&self) -> Vec<String> {
        self.0.borrow().keys().cloned().collect()
    }
}

fn typed(number: u64, text: &str) -> JournalEntry {
    JournalEntry {
        number,
        place: Some(Place { branch: 2, step: 7 }),
        act: Act::Type(text.to_owned()),
    }
}

fn put(shelf: &Texts, id: &str, entries: &[JournalEntry]) {
    for entry in entries {
        assert!(write(shelf, id, entry));
    }
}

#[test]
fn entries_come_back_as_they_were_in_order_and_only_those_of_the_run() {
    let shelf = Texts::default();
    let entries = [
        typed(9, "put /a 'two\nlines'\n"),
        JournalEntry {
            number: 10,
            place: None,
            act: Act::Undo,
        },
        typed(11, ""),
        JournalEntry {
            number: 12,
            place: None,
            act: Act::ResetFrom(3),
        },
        typed(100, "\u{1e}\u{0}é"),
    ];
    put(&shelf, "1", &entries);
    put(&shelf, "1.1", &[typed(1, "another run")]);
    assert_eq!(recover(&shelf, "1", 0).entries, entries);
}

#[test]
fn what_the_base_covers_is_not_replayed_though_the_page_was_gone_before_it_was_removed() {
    let shelf = Texts::default();
    put(&shelf, "r", &[typed(1, "a"), typed(2, "b"), typed(3, "c")]);
    assert_eq!(recover(&shelf, "r", 2).entries, [typed(3, "c")]);
    assert_eq!(shelf.keys().len(), 1);
}

#[test]
fn a_commit_removes_what_it_covers_and_keeps_lines_that_are_set_aside() {
    let shelf = Texts::default();
    put(&shelf, "r", &[typed(1, "a"), typed(2, "b"), typed(3, "c")]);
    let aside = Aside {
        number: 2,
        text: "b".to_owned(),
        why: AsideReason::Stopped,
    };
    set_aside(&shelf, "r", &aside);
    committed(&shelf, "r", 2);
    let recovered = recover(&shelf, "r", 2);
    assert_eq!(recovered.entries, [typed(3, "c")]);
    assert_eq!(recovered.asides, [aside]);
}

#[test]
fn a_line_without_an_answer_is_replayed_once_and_set_aside_after_that() {
    let shelf = Texts::default();
    put(
        &shelf,
        "r",
        &[typed(1, "a"), typed(2, "poison"), typed(3, "c")],
    );
    // The tab was closed before the response, so the cause is unknown.
    assert_eq!(recover(&shelf, "r", 0).entries.len(), 3);
    begin_attempt(&shelf, "r", Attempt::Entry(1));
    attempt_done(&shelf, "r");
    begin_attempt(&shelf, "r", Attempt::Entry(2));
    // The same happens again during the replay.
    let recovered = recover(&shelf, "r", 0);
    assert_eq!(recovered.entries, [typed(1, "a"), typed(3, "c")]);
    let texts: Vec<_> = recovered.asides.iter().map(|aside| &*aside.text).collect();
    assert_eq!(texts, ["poison"]);
    assert_eq!(recovered.asides[0].why, AsideReason::Unfinished);
    // A second recovery returns the same result.
    assert_eq!(recover(&shelf, "r", 0), recovered);
}

#[test]
fn a_replay_that_finished_blames_nobody() {
    let shelf = Texts::default();
    put(&shelf, "r", &[typed(1, "run 1h")]);
    begin_attempt(&shelf, "r", Attempt::Entry(1));
    attempt_done(&shelf, "r");
    assert_eq!(recover(&shelf, "r", 0).entries, [typed(1, "run 1h")]);
}

#[test]
fn attempts_to_load_a_base_are_counted_for_each_run() {
    let shelf = Texts::default();
    begin_attempt(&shelf, "r", Attempt::Base(2));
    assert_eq!(recover(&shelf, "r", 0).attempts, 2);
    assert_eq!(recover(&shelf, "other", 0).attempts, 0);
    attempt_done(&shelf, "r");
    assert_eq!(recover(&shelf, "r", 0).attempts, 0);
}

#[test]
fn what_a_run_begins_with_comes_back_as_something_that_can_be_loaded() {
    let shelf = Texts::default();
    let head = |base, at| Head {
        meta: Meta {
            slot: "s".to_owned(),
            title: "two\nlines".to_owned(),
            when_ms: 5,
            ..Meta::default()
        },
        base,
        at,
    };
    write_head(
        &shelf,
        "l",
        &head(Source::Link("v1.x".to_owned()), SeekTo::Default),
    );
    let link = read_head(&shelf, "l").expect("a head");
    assert_eq!(link.base, Source::Link("v1.x".to_owned()));
    assert_eq!(link.meta.title, "two lines");
    let story = Source::Story("a".to_owned());
    write_head(&shelf, "s", &head(story.clone(), SeekTo::Step(3)));
    let Some(Source::Saved(text)) = read_head(&shelf, "s").map(|head| head.base) else {
        panic!("a saved run");
    };
    let saved = Saved::from_text(&text).expect("it can be read");
    assert_eq!(
        (saved.source, saved.at.step, saved.log.len()),
        (story, 3, 0)
    );
    put(&shelf, "s", &[typed(1, "a")]);
    let mut typed: Vec<_> = heads(&shelf)
        .into_iter()
        .map(|(id, meta)| (id, meta.typed))
        .collect();
    typed.sort_unstable();
    assert_eq!(typed, [("l".to_owned(), 0), ("s".to_owned(), 1)]);
}

#[test]
fn a_slot_leads_to_one_run_until_it_is_emptied() {
    let shelf = Texts::default();
    assert!(attach(&shelf, "s", "1"));
    assert!(
        !attach(&shelf, "s", "2"),
        "opening never takes it from another run"
    );
    assert!(attach(&shelf, "s", "1"));
    detach(&shelf, "s");
    assert!(attach(&shelf, "s", "2"));
    assert!(!attach(&shelf, "", "3"), "a copy has none");
}

#[test]
fn nothing_of_a_forgotten_run_stays() {
    let shelf = Texts::default();
    put(&shelf, "1", &[typed(1, "a")]);
    own(&shelf, "1", "me");
    begin_attempt(&shelf, "1", Attempt::Base(1));
    attach(&shelf, "s", "1");
    write_last(&shelf, "1", "label");
    forget(&shelf, "1", "s");
    assert_eq!(shelf.keys(), Vec::<String>::new());
}

#[test]
fn only_the_owner_may_write() {
    let shelf = Texts::default();
    assert!(!is_taken(&shelf, "1", "me"));
    own(&shelf, "1", "me");
    assert!(!is_taken(&shelf, "1", "me"));
    own(&shelf, "1", "another page");
    assert!(is_taken(&shelf, "1", "me"));
}

fn old(run: Option<&str>, tail: &str) -> Texts {
    let shelf = Texts::default();
    if let Some(run) = run {
        shelf.set(OLD_RUN, run);
    }
    shelf.set(OLD_TAIL, tail);
    shelf.set(OLD_MARK, "4");
    shelf.set("watchglass.1.progress", "kept");
    shelf
}

#[test]
fn the_run_of_the_earlier_format_is_taken_over_once() {
    let saved = Saved::new(
        Source::Lesson("L04".to_owned()),
        Vec::new(),
        Moment { branch: 0, step: 3 },
    );
    let shelf = old(Some(&saved.to_text()), "put a 1\u{1e}put b\n2\u{1e}");
    assert!(migrate(&shelf, "m", 7, "story"));
    assert_eq!(last(&shelf).as_deref(), Some("m"));
    assert_eq!(slot_leads_to(&shelf, "lesson:L04").as_deref(), Some("m"));
    let recovered = recover(&shelf, "m", 0);
    assert_eq!(
        recovered.head.map(|head| head.base),
        Some(Source::Saved(saved.to_text()))
    );
    let acts: Vec<_> = recovered
        .entries
        .into_iter()
        .map(|entry| entry.act)
        .collect();
    assert_eq!(
        acts,
        [
            Act::Type("put a 1".to_owned()),
            Act::Type("put b\n2".to_owned())
        ]
    );
    assert_eq!(shelf.get("watchglass.1.progress").as_deref(), Some("kept"));
    let keys = shelf.keys();
    assert!(migrate(&shelf, "n", 8, "story"));
    assert_eq!(shelf.keys(), keys, "once");
}

#[test]
fn an_earlier_tail_without_a_run_was_typed_into_the_story() {
    let shelf = old(None, "put a 1\u{1e}");
    assert!(migrate(&shelf, "m", 7, "two-generations"));
    assert_eq!(
        slot_leads_to(&shelf, "story:two-generations").as_deref(),
        Some("m")
    );
}

#[test]
fn an_earlier_run_that_cannot_be_read_is_said_once() {
    let shelf = old(Some("nonsense"), "");
    assert!(!migrate(&shelf, "m", 7, "story"));
    assert!(migrate(&shelf, "m", 7, "story"));
    assert_eq!(last(&shelf), None);
}
