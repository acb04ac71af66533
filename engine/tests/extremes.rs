//! Typed lines with the largest numbers, other alphabets and incomplete texts. Each line gets a response, and none
//! causes a panic.

use watchglass_engine::api::Profile;
use watchglass_engine::session::permalink::Permalink;
use watchglass_engine::session::save::{LogItem, Saved};
use watchglass_engine::session::{
    Done, FromEngine, Notification, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::shell::{CommandKind, LineReader, Read, StoreNames, complete, highlight};
use watchglass_engine::view::{Moment, Queries};

use crate::support::PROFILES;

fn session(profile: Profile) -> Session {
    let mut session = Session::default();
    let source = Source::Empty {
        profile: profile.to_string(),
        seed: 7,
    };
    session.load(source, SeekTo::End);
    session
}

fn populated(profile: Profile) -> Session {
    let mut session = session(profile);
    session.exec("put /a 1\nput /a 2\nput /b 1\nwatch /a as w1\nlease grant 60");
    session.exec("apiserver api-1\nkubectl create pod web-3\nkubectl get pods -w as k1");
    session
}

/// Types a line into the session, and then requests every view.
fn typed(session: &mut Session, line: &str) -> String {
    let executed = session.exec(line);
    let mut out = Vec::new();
    session.handle(
        ToEngine::Notification(Notification::Show(Queries::default().into())),
        &mut out,
    );
    assert!(
        out.iter()
            .any(|message| matches!(message, FromEngine::Views(_))),
        "{line}"
    );
    executed.stdout + &executed.stderr
}

#[test]
fn a_flag_of_another_alphabet_is_no_flag() {
    for profile in PROFILES {
        let names = StoreNames {
            keys: vec!["/é".into()],
            leases: Vec::new(),
        };
        for verb in ["get pods", "create pod a", "replace pod a", "delete pod a"] {
            for flag in ["-é", "-é=1", "-日本", "--é", "-", "-\u{301}", "-nü"] {
                let line = ["kubectl ", verb, " ", flag].concat();
                let _ = LineReader::new(profile).line(&line);
                highlight(&line);
                for at in 0..=line.len() + 1 {
                    complete(&line, at, &names);
                }
            }
        }
        let mut session = populated(profile);
        let printed = typed(&mut session, "kubectl get pods -é");
        assert!(
            printed.contains("expected a flag of this command"),
            "{printed}"
        );
    }
}

#[test]
fn an_object_is_at_most_as_large_as_a_request_of_etcd() {
    let mut session = populated(Profile::V3_6);
    for line in [
        "kubectl replace pod web-3 --size=18446744073709551615",
        "kubectl create pod web-4 --size=1572865",
        "load l --creates=1 --size=18446744073709551615",
        "populate --nodes=1 --size=2MB",
    ] {
        let printed = typed(&mut session, line);
        assert!(
            printed.contains("a size such as 5kB, at most 1536KiB"),
            "{line}: {printed}"
        );
    }
    let printed = typed(&mut session, "kubectl replace pod web-3 --size=1536KiB");
    assert_eq!(printed, "pod/web-3 replaced\n");
    // A value that is written directly to etcd can claim any size.
    for n in 0..3 {
        let value = r#"{"metadata":{"annotations":{"watchglass/size":"18446744073709551615"}}}"#;
        typed(
            &mut session,
            &format!("put /registry/pods/default/big-{n} '{value}'"),
        );
    }
    typed(&mut session, "net api-1 bandwidth 1");
    typed(&mut session, "kubectl get pods");
    typed(&mut session, "run 24h");
}

#[test]
fn a_watch_after_the_last_resource_version_is_for_etcd_to_judge() {
    for cache in ["on", "off"] {
        let mut session = session(Profile::V3_6);
        typed(&mut session, &format!("apiserver api-1 --cache={cache}"));
        for rv in [
            "9223372036854775806",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
        ] {
            for what in ["pods", "nodes"] {
                let watch = format!("kubectl get {what} --watch-only --resource-version={rv}");
                typed(&mut session, &watch);
                typed(
                    &mut session,
                    &format!("kubectl get {what} --resource-version={rv}"),
                );
                for how in ["Exact", "NotOlderThan"] {
                    let list = format!(
                        "kubectl get {what} --resource-version={rv} --resource-version-match={how}"
                    );
                    typed(&mut session, &list);
                    typed(
                        &mut session,
                        &[&list, " --limit=9223372036854775807"].concat(),
                    );
                }
            }
        }
        typed(
            &mut session,
            "kubectl create pod a\nkubectl create node b\nrun 1h",
        );
        let printed = typed(
            &mut session,
            "kubectl get pods --resource-version=9223372036854775807 --resource-version-match=NotOlderThan",
        );
        assert!(
            printed.contains("Too large resource version: 9223372036854775807, current: "),
            "{printed}"
        );
    }
}

#[test]
fn numbers_at_the_ends_of_their_range_are_answered() {
    const NUMBERS: [&str; 12] = [
        "0",
        "1",
        "-1",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775806",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
    ];
    const LINES: [&str; 43] = [
        "get /a --rev=N",
        "get /a --limit=N",
        "get '' --prefix --min-mod-rev=N",
        "get '' --prefix --max-create-rev=N",
        "compact N",
        "watch /a --rev=N",
        "watch /a --watch-id=N",
        "watch /a --many=N --streams=N as c",
        "lease grant N",
        "lease grant 60 --lease=N",
        "lease revoke N",
        "lease timetolive N --keys",
        "put /a 1 --lease=N",
        "lease keep-alive N as k",
        "endpoint hashkv --rev=N",
        "show bucket key --limit=N",
        "show requests pods N",
        "show cache pods N",
        "step N",
        "run Nus",
        "run Nh",
        "world seed=N",
        "net w1 bandwidth N",
        "net w1 loss 1/N",
        "net w1 dup 1/N",
        "net w1 delay Nh",
        "net w1 delay longtail Nus",
        "net w1 delay uniform 0us Nus",
        "slow w1 Nus",
        "clock etcd offset Nus drift N",
        "set watch-batch N",
        "set watch-channel N",
        "set quota N",
        "kubectl get pods --limit=N",
        "kubectl get pods --raw /api/v1/pods?limit=N&timeoutSeconds=N&resourceVersion=N",
        "kubectl get pods -w --timeout=Nh",
        "kubectl replace pod web-3 --resource-version=N",
        "apiserver api-N --stream-window=N --batch=Nus --request-timeout=Nus --resources=pods:N",
        "kubelets N --every=Nus as f",
        "load l --lists=N --clients=N",
        "populate --nodes=N --pods=N",
        "snapshot save s",
        "snapshot restore s --bump-revision=N --mark-compacted",
    ];
    for profile in PROFILES {
        for line in LINES {
            let mut session = populated(profile);
            for number in NUMBERS {
                // Large numbers of steps and long times only make the run longer; other tests cover this.
                let long = line.starts_with("step") && number.len() > 1;
                if !long {
                    typed(&mut session, &line.replace('N', number));
                }
            }
            typed(
                &mut session,
                "put /a 3\nkubectl get pods\nrun 1ms\nrecv w1\nshow watchers",
            );
        }
    }
}

#[test]
fn a_free_name_is_found_without_a_search() {
    const WATCHES: u32 = 3_000;
    let mut session = session(Profile::V3_6);
    session.exec("watch /a as w2");
    session.exec(&format!("for i in {{1..{WATCHES}}}; do watch /a; done"));
    // The name w2 is already in use.
    assert_eq!(
        session.world().free_watch_name(),
        format!("w{}", WATCHES + 2)
    );
    session.seek(SeekTo::Step(0));
    session.exec("watch /a");
    assert_eq!(session.world().free_watch_name(), "w2");
}

#[test]
fn a_command_reads_back_from_its_text() {
    for (line, text) in [
        ("\"A=1\" get a", "'A=1' get a"),
        ("etcdctl", "etcdctl"),
        ("e", "etcdctl"),
        ("ETCDCTL_API=3", "ETCDCTL_API=3"),
        ("for x in done; do $x get a; done", "'done' get a"),
        ("'etcdctl' A=1", "etcdctl A=1"),
        ("etcdctl step 3", "etcdctl step 3"),
    ] {
        let Ok(Read::Commands(commands)) = LineReader::new(Profile::V3_6).line(line) else {
            panic!("{line} is a command");
        };
        assert_eq!(commands[0].text, text);
        assert!(!matches!(commands[0].kind, CommandKind::Step(_)), "{line}");
        let again = LineReader::new(Profile::V3_6).text(text);
        assert_eq!(again, Ok(commands));
    }
}

#[test]
fn a_link_of_a_run_with_any_steps_can_be_opened() {
    let item = |step| LogItem {
        at: Moment { branch: 0, step },
        text: "put /a 1".into(),
    };
    let saved = Saved::new(
        Source::Story("two-generations".into()),
        vec![item(u64::MAX), item(0), item(i64::MAX as u64 + 1)],
        Moment {
            branch: 0,
            step: u64::MAX,
        },
    );
    let view = String::new();
    let link = Permalink { saved, view }.to_text();
    let mut session = Session::default();
    let done = session.load(Source::Link(link), SeekTo::Default);
    assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
}
