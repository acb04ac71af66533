//! The writers and the keys of a snapshot, and the values that come back from the snapshot.
//!
//! `data/gen/etcd-writers.py` made the snapshot with a real etcd 3.4.23. Its ledger counts what the script wrote.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FileAsk, FromEngine, Request, Revision, ToEngine, ValueForm,
};
use watchglass_engine::view::file::FileOverview;
use watchglass_engine::view::file::comparison::{ComparisonQuery, KeyChange};
use watchglass_engine::view::file::key_list::{KeyFilter, KeyList, KeyListQuery, KeyOrder};
use watchglass_engine::view::file::writers::{
    Created, KindOfValue, Namespace, Reason, WriteGroup, Writer,
};

fn ledger() -> Value {
    serde_json::from_str(include_str!("data/etcd_3.4.23_writers.json")).expect("JSON")
}

/// Returns a session with the open snapshot, and its overview.
fn opened() -> (Session, FileOverview) {
    opened_file(include_bytes!("data/etcd_3.4.23_writers.db"))
}

fn opened_file(file: &[u8]) -> (Session, FileOverview) {
    let (mut session, mut out) = (Session::default(), Vec::new());
    let name = "prod.db".to_owned();
    session.offer_file(file.into());
    session.handle(ToEngine::Request(1, Request::show_file(&name)), &mut out);
    while session.pump(100, &mut out) {}
    let overview = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::Opened(overview),
            ..
        } => Some(*overview),
        _ => None,
    });
    (session, overview.expect("an overview"))
}

fn ask(session: &mut Session, ask: FileAsk) -> Done {
    let mut out = Vec::new();
    session.handle(ToEngine::Request(2, Request::AskFile(ask)), &mut out);
    while session.pump(1, &mut out) {}
    let mut done = out.into_iter().filter_map(|message| match message {
        FromEngine::Done { id: 2, done } => Some(done),
        _ => None,
    });
    let first = done.next().expect("a response");
    assert!(done.next().is_none(), "exactly one response");
    first
}

fn keys(
    session: &mut Session,
    text: &str,
    is_deleted: bool,
    order: KeyOrder,
    limit: u32,
) -> KeyList {
    let filter = KeyFilter {
        text: text.to_owned(),
        is_deleted,
    };
    let query = KeyListQuery {
        filter,
        order,
        limit,
    };
    match ask(session, FileAsk::Keys(query)) {
        Done::Keys(list) => *list,
        other => panic!("{other:?}"),
    }
}

fn saved(session: &mut Session, what: FileAsk) -> (String, Vec<u8>) {
    match ask(session, what) {
        Done::File { name, bytes } => (name, bytes),
        other => panic!("{other:?}"),
    }
}

/// Compares groups with the ledger: the same names and the same numbers.
fn assert_groups<N>(groups: &[WriteGroup<N>], expected: &Value, name: impl Fn(&N) -> String) {
    let found: BTreeMap<String, [u64; 6]> = groups
        .iter()
        .map(|group| {
            let changes = &group.changes;
            let numbers = [
                group.revisions,
                group.bytes,
                changes.writes,
                changes.same,
                changes.only_times,
                changes.deletes,
            ];
            (name(&group.name), numbers)
        })
        .collect();
    assert_eq!(found.len(), groups.len(), "each name once");
    let number = |group: &Value, name: &str| group[name].as_u64().unwrap_or(0);
    let expected: BTreeMap<String, [u64; 6]> = expected
        .as_object()
        .expect("an object")
        .iter()
        .map(|(name, group)| {
            let names = ["revisions", "bytes", "writes", "same", "times", "deletes"];
            (name.clone(), names.map(|name| number(group, name)))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn writers_kinds_and_namespaces_are_those_of_the_ledger() {
    let ((mut session, overview), ledger) = (opened(), ledger());
    let view = &overview.writers;
    assert_eq!(Some(view.since), ledger["compacted"].as_i64());
    assert_groups(&view.writers, &ledger["writers"], |writer| match writer {
        Writer::Manager {
            manager,
            operation,
            subresource,
        } => format!("{manager}/{operation}/{subresource}"),
        Writer::Several => "several".to_owned(),
        Writer::NoManager => "none".to_owned(),
        Writer::Encrypted => "encrypted".to_owned(),
        Writer::Other => "other".to_owned(),
    });
    assert_groups(&view.kinds, &ledger["kinds"], |kind| match kind {
        KindOfValue::Object { api_version, kind } => format!("{api_version} {kind}"),
        KindOfValue::Encrypted => "encrypted".to_owned(),
        KindOfValue::Other => "other".to_owned(),
    });
    assert_groups(
        &view.namespaces,
        &ledger["namespaces"],
        |namespace| match namespace {
            Namespace::Named(name) => name.clone(),
            Namespace::Cluster => "-".to_owned(),
            Namespace::Unknown => "unknown".to_owned(),
        },
    );
    // All bytes and rows that are not tombstones belong to a writer.
    let sum = |number: fn(&WriteGroup<Writer>) -> u64| view.writers.iter().map(number).sum::<u64>();
    assert_eq!(
        sum(|group| group.revisions) + overview.tombstones,
        overview.rows
    );
    assert_eq!(sum(|group| group.keys), overview.keys);
    assert_eq!(view.changes.deletes, overview.tombstones);
    let time = |name: &str| ledger[name].as_i64().expect("a time");
    let (first, last) = (time("first_time"), time("last_time"));
    assert_eq!(view.times, Some((first, last)));
    let writes = view.writers[0].changes.writes;
    let expected = (writes as f64 * 3600.0 / (last - first) as f64).round();
    assert_eq!(view.per_hour(writes), Some(expected as u64));
    // The prefixes contain the same changes. The first list is below the prefix with nearly all bytes.
    let Done::Prefixes(all) = ask(&mut session, FileAsk::Prefix(Vec::new())) else {
        panic!("no prefixes");
    };
    let writes = all.rows.iter().map(|row| row.changes.writes);
    assert_eq!(writes.sum::<u64>(), view.changes.writes);
    assert_eq!(overview.prefixes.prefix, b"/registry/");
}

/// `data/gen/etcd-events.py` made the snapshot with a real etcd 3.4.23.
#[test]
fn events_have_reasons_and_objects_a_day_of_creation() {
    let (_, overview) = opened_file(include_bytes!("data/etcd_3.4.23_events.db"));
    let ledger = include_str!("data/etcd_3.4.23_events.json");
    let ledger: Value = serde_json::from_str(ledger).expect("JSON");
    let view = &overview.writers;
    assert_groups(&view.reasons, &ledger["reasons"], |reason| match reason {
        Reason::Event(reason) => reason.clone(),
        Reason::NoEvent => "no event".to_owned(),
    });
    assert_groups(&view.created, &ledger["created"], |created: &Created| {
        created.date().unwrap_or_else(|| "unknown".to_owned())
    });
    let keys = |reason: &str| {
        let mut groups = view.reasons.iter();
        let found = groups.find(|group| group.name == Reason::Event(reason.into()));
        found.map(|group| group.keys)
    };
    assert_eq!(keys("FailedScheduling"), Some(33));
    assert_eq!(keys("BackOff"), Some(10));
    let days: Vec<_> = view.created.iter().map(|group| group.name.date()).collect();
    assert!(
        days.is_sorted_by(|a, b| a > b),
        "the newest day first: {days:?}"
    );
}

#[test]
fn deleted_keys_come_back_byte_for_byte() {
    let ((mut session, overview), ledger) = (opened(), ledger());
    let expected = ledger["deleted"].as_object().expect("an object");
    let list = keys(&mut session, "", true, KeyOrder::Key, 1_000);
    assert!(
        list.matches >= 100 && list.matches == list.deleted,
        "{}",
        list.matches
    );
    let found: Vec<&String> = list.rows.iter().map(|row| &row.text).collect();
    assert_eq!(found, expected.keys().collect::<Vec<_>>());
    for row in &list.rows {
        let entry = &expected[&row.text];
        assert_eq!(Some(row.revision), entry["revision"].as_i64());
        let at = row.value_revision;
        assert_eq!(at.map(|at| at.main), entry["value_revision"].as_i64());
        let key = row.key.clone();
        let form = ValueForm::Bytes;
        let (_, bytes) = saved(&mut session, FileAsk::SaveValue { key, at, form });
        let hash: String = Sha256::digest(&bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(Some(&*hash), entry["sha256"].as_str(), "{}", row.text);
        assert_eq!(row.bytes, bytes.len() as u64);
    }
    // The keys that were deleted before the compaction are not in the file.
    for key in ledger["gone"].as_array().expect("a list") {
        let key = key.as_str().expect("a key");
        assert_eq!(
            keys(&mut session, key, false, KeyOrder::Key, 10).matches,
            0,
            "{key}"
        );
    }
    let first = &keys(&mut session, "CM-030", true, KeyOrder::Writes, 10).rows[0];
    let object = first.object.as_ref().expect("an object");
    assert_eq!((&*object.kind, &*object.name), ("ConfigMap", "cm-030"));
    assert_eq!(
        overview.revision,
        ledger["revision"].as_i64().expect("a revision")
    );
}

#[test]
fn a_key_has_all_its_revisions() {
    let (mut session, _) = opened();
    let top = keys(&mut session, "", false, KeyOrder::Writes, 3);
    assert_eq!(
        (top.rows.len(), top.matches),
        (3, keys(&mut session, "", false, KeyOrder::Key, 0).matches)
    );
    assert_eq!(top.rows[0].changes.writes, 30);
    let task = &keys(&mut session, "task-2", false, KeyOrder::Version, 10).rows[0];
    assert_eq!(
        (task.version, task.changes.same, task.changes.only_times),
        (30, 10, 10)
    );
    let mut value = |at| {
        let key = b"/registry/configmaps/default/cm-060".to_vec();
        let shows_secret = false;
        match ask(
            &mut session,
            FileAsk::Value {
                key,
                at,
                shows_secret,
            },
        ) {
            Done::Value(value) => *value,
            other => panic!("{other:?}"),
        }
    };
    // Created, deleted, and created again.
    let newest = value(None);
    let kinds: Vec<bool> = newest.revisions.iter().map(|row| row.is_delete).collect();
    assert_eq!(kinds, [false, true, false]);
    assert_eq!(
        (newest.version, newest.deleted, newest.revision_count),
        (1, None, 3)
    );
    assert_eq!(newest.at, Some(newest.revisions[0].revision));
    let before = value(Some(newest.revisions[2].revision));
    assert_eq!(before.create_revision, newest.revisions[2].revision.main);
    assert_eq!(before.value.len(), newest.value.len());
    assert!(
        before
            .json
            .starts_with(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm-060","#)
    );
    let object: Value = serde_json::from_str(&before.json).expect("JSON");
    let data = object["data"]["config.yaml"].as_str().expect("a text");
    assert!(
        data.starts_with("replicas: ") && data.ends_with("name: \"cm-060\"\n"),
        "{data}"
    );
    assert_eq!(
        object["metadata"]["creationTimestamp"],
        "2026-03-01T10:00:00Z"
    );
    let manager = &object["metadata"]["managedFields"][0];
    assert_eq!(manager["manager"], "kubectl-client-side-apply");
    assert_eq!(
        manager["fieldsV1"]["f:data"]["f:config.yaml"],
        Value::Object(Default::default())
    );
    // A row of another key is no value of this key.
    let key = b"/registry/configmaps/default/cm-060".to_vec();
    let at = Some(Revision::new(newest.revisions[0].revision.main - 1, 0));
    let form = ValueForm::Bytes;
    let wrong = ask(&mut session, FileAsk::SaveValue { key, at, form });
    assert!(matches!(wrong, Done::Refused { .. }), "{wrong:?}");
}

#[test]
fn values_are_saved_as_objects_and_scripts() {
    let (mut session, _) = opened();
    let mut save = |key: &str, form| {
        let key = key.as_bytes().to_vec();
        ask(
            &mut session,
            FileAsk::SaveValue {
                key,
                at: None,
                form,
            },
        )
    };
    let Done::File { name, bytes } = save("/registry/configmaps/web/cm-032", ValueForm::Json)
    else {
        panic!("no object");
    };
    assert!(
        name.starts_with("cm-032-") && name.ends_with(".json"),
        "{name}"
    );
    let object: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(object["data"]["note"], "it's 32 % of the €\n");
    let Done::File { bytes, .. } = save(
        "/registry/example.com/tasks/payments/task-1",
        ValueForm::Json,
    ) else {
        panic!("no object");
    };
    let object: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(object["spec"]["steps"][0]["name"], "a]\"");
    let Done::File { name, bytes } = save(
        "/registry/example.com/tasks/payments/task-1",
        ValueForm::Yaml,
    ) else {
        panic!("no object");
    };
    assert!(
        name.starts_with("task-1-") && name.ends_with(".yaml"),
        "{name}"
    );
    let yaml = String::from_utf8(bytes).expect("text");
    assert!(
        yaml.starts_with("apiVersion: example.com/v1\nkind: Task\nmetadata:\n"),
        "{yaml}"
    );
    assert!(
        yaml.ends_with("spec:\n  retries: 27\n  steps:\n  - name: a]\"\n"),
        "{yaml}"
    );
    for key in [
        "/registry/pods/web/pod-03",
        "/registry/secrets/payments/token",
    ] {
        for form in [ValueForm::Json, ValueForm::Yaml] {
            let refused = save(key, form);
            assert!(matches!(refused, Done::Refused { .. }), "{refused:?}");
        }
    }
    let Done::File { name, bytes } = save("/empty", ValueForm::Script) else {
        panic!("no script");
    };
    assert!(
        name.starts_with("empty-") && name.ends_with(".sh"),
        "{name}"
    );
    assert!(bytes.ends_with(b"\netcdctl put -- '/empty' ''\n"));

    let filter = KeyFilter {
        text: "/configmaps/".to_owned(),
        is_deleted: true,
    };
    let (name, script) = saved(&mut session, FileAsk::SaveScript(filter.clone()));
    assert_eq!(name, "prod-keys.sh");
    let script = String::from_utf8(script).expect("a text");
    assert_eq!(
        script
            .matches("| etcdctl put -- '/registry/configmaps/")
            .count(),
        109
    );
    let (name, table) = saved(&mut session, FileAsk::SaveTable(filter));
    let table = String::from_utf8(table).expect("a text");
    assert_eq!((&*name, table.lines().count()), ("prod-keys.csv", 110));
    let dash = KeyFilter {
        text: "-dash".to_owned(),
        is_deleted: false,
    };
    let (_, table) = saved(&mut session, FileAsk::SaveTable(dash));
    assert!(String::from_utf8_lossy(&table).contains("\r\n'-dash,0,"));
    let nothing = KeyFilter {
        text: "nothing".to_owned(),
        is_deleted: false,
    };
    let refused = ask(&mut session, FileAsk::SaveScript(nothing));
    assert!(matches!(refused, Done::Refused { .. }), "{refused:?}");
}

/// A new list replaces a list that is not finished; a script is finished first.
#[test]
fn searches_have_one_response_each() {
    let (mut session, _) = opened();
    let mut out = Vec::new();
    let list = || {
        FileAsk::Keys(KeyListQuery {
            limit: 1,
            ..KeyListQuery::default()
        })
    };
    let script = FileAsk::SaveScript(KeyFilter::default());
    for (id, ask) in [(1, list()), (2, script), (3, list())] {
        session.handle(ToEngine::Request(id, Request::AskFile(ask)), &mut out);
    }
    while session.pump(1, &mut out) {}
    let done: Vec<(u32, &Done)> = out
        .iter()
        .filter_map(|message| match message {
            FromEngine::Done { id, done } => Some((*id, done)),
            _ => None,
        })
        .collect();
    assert!(
        matches!(
            done[..],
            [
                (1, Done::Interrupted),
                (2, Done::File { .. }),
                (3, Done::Keys(_))
            ]
        ),
        "{done:?}"
    );
}

/// `data/gen/etcd-encrypted.py` encrypted the objects of this snapshot.
#[test]
fn encrypted_values_are_read_with_their_keys() {
    let (mut session, overview) = opened_file(include_bytes!("data/etcd_3.4.23_encrypted.db"));
    let encrypted = |overview: &FileOverview| {
        let kinds = overview.writers.kinds.iter();
        let encrypted = kinds.filter(|kind| kind.name == KindOfValue::Encrypted);
        (
            overview.decrypted,
            encrypted.map(|kind| kind.revisions).sum::<u64>(),
        )
    };
    assert_eq!(encrypted(&overview), (0, 5));
    let decrypt = |session: &mut Session, keys: &str| {
        let keys = keys.to_owned();
        match ask(session, FileAsk::Decrypt { keys }) {
            Done::Opened(overview) => Ok(*overview),
            Done::Refused { message } => Err(message),
            other => panic!("{other:?}"),
        }
    };
    let refused = decrypt(&mut session, "no key").expect_err("a refusal");
    assert!(refused.contains("contains no key"), "{refused}");
    // The file is still open, and its values are encrypted.
    let one = b"/registry/example.com/vaults/team/one";
    let save = |session: &mut Session, key: &[u8], form| {
        let (key, at) = (key.to_vec(), None);
        ask(session, FileAsk::SaveValue { key, at, form })
    };
    let refused = save(&mut session, one, ValueForm::Json);
    assert!(matches!(refused, Done::Refused { .. }), "{refused:?}");

    // The key of `one` alone.
    let key1 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let overview = decrypt(&mut session, key1).expect("an overview");
    assert_eq!(encrypted(&overview), (3, 2));
    // Another key with the right name.
    let wrong = format!("- name: key1\n  secret: {}", "A".repeat(43) + "=");
    let overview = decrypt(&mut session, &wrong).expect("an overview");
    assert_eq!(encrypted(&overview), (0, 5));

    let key2 = "AAECAwQFBgcICQoLDA0ODw==";
    let keys = format!("- name: key1\n  secret: {key1}\n- name: key2\n  secret: {key2}");
    let overview = decrypt(&mut session, &keys).expect("an overview");
    assert_eq!(encrypted(&overview), (4, 1));
    let vaults = overview
        .writers
        .kinds
        .iter()
        .find(|kind| matches!(&kind.name, KindOfValue::Object { kind, .. } if kind == "Vault"));
    // One of the four writes had the same content, although its bytes are others.
    let vaults = vaults.expect("the kind of the objects");
    assert_eq!((vaults.changes.writes, vaults.changes.same), (4, 1));

    let json = |done| match done {
        Done::File { bytes, .. } => serde_json::from_slice::<Value>(&bytes).expect("JSON"),
        other => panic!("{other:?}"),
    };
    let object = json(save(&mut session, one, ValueForm::Json));
    assert_eq!(
        (&object["kind"], &object["spec"]["level"]),
        (&"Vault".into(), &2.into())
    );
    let two = b"/registry/example.com/vaults/team/two";
    assert_eq!(
        json(save(&mut session, two, ValueForm::Json))["spec"]["level"],
        5
    );
    // What goes back into an etcd is as it was stored.
    for form in [ValueForm::Bytes, ValueForm::Script] {
        let Done::File { bytes, .. } = save(&mut session, two, form) else {
            panic!("no file");
        };
        let is_plain = bytes.windows(5).any(|part| part == b"Vault");
        assert!(!is_plain, "{form:?}");
    }
    // Two revisions with the same content are the same in a comparison, too.
    let query = ComparisonQuery {
        at: [Some(2), Some(3)],
        limit: 9,
        ..ComparisonQuery::default()
    };
    let Done::Comparison(view) = ask(&mut session, FileAsk::Compare(query)) else {
        panic!("no comparison");
    };
    assert_eq!(view.all.count(KeyChange::Rewritten), 1);
}
