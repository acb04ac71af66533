//! The prediction of a maintenance plan for a snapshot: its sizes are those that a real etcd 3.4.23 reported after the
//! same commands (`cargo xtask parity maintenance`).

use watchglass_engine::session::Session;
use watchglass_engine::session::protocol::{
    Done, FileAsk, FileStage, FromEngine, Notification, Read, Request, SeekTo, Source, ToEngine,
};
use watchglass_engine::view::FileOverview;
use watchglass_engine::view::file::maintenance::{
    CompactAt, MaintenanceChange, MaintenanceQuery, MaintenanceStage, MaintenanceView,
};

const REGISTRY: &[u8] = include_bytes!("data/etcd_3.4.23_registry.db");
const WRITERS: &[u8] = include_bytes!("data/etcd_3.4.23_writers.db");
/// A file of etcd 3.6.
const BUMPED: &[u8] = include_bytes!("data/etcd_3.6.10_bumped.db");

fn open(file: &[u8]) -> (Session, FileOverview) {
    let (mut session, mut out) = (Session::default(), Vec::new());
    let name = "prod.db".to_owned();
    session.offer_file(file.into());
    session.handle(ToEngine::Request(1, Request::show_file(&name)), &mut out);
    while session.pump(100, &mut out) {}
    let opened = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::Opened(overview),
            ..
        } => Some(*overview),
        _ => None,
    });
    (session, opened.expect("a database"))
}

fn source(overview: &FileOverview) -> Source {
    Source::Snapshot {
        file: overview.identity(),
        profile: overview.profile.clone(),
    }
}

fn plan(delete: &str, compact: CompactAt) -> MaintenanceQuery {
    MaintenanceQuery {
        delete: delete.as_bytes().to_vec(),
        compact,
    }
}

fn ask(session: &mut Session, id: u32, plan: MaintenanceQuery) -> Vec<FromEngine> {
    let mut out = Vec::new();
    let ask = Request::AskFile(FileAsk::Maintenance(plan));
    session.handle(ToEngine::Request(id, ask), &mut out);
    out
}

fn done(out: &[FromEngine], wanted: u32) -> Option<&Done> {
    out.iter().find_map(|message| match message {
        FromEngine::Done { id, done } if *id == wanted => Some(done),
        _ => None,
    })
}

fn predict(session: &mut Session, plan: MaintenanceQuery) -> Result<MaintenanceView, String> {
    let mut out = ask(session, 2, plan);
    while session.pump(1, &mut out) {}
    match done(&out, 2) {
        Some(Done::Maintenance(view)) => Ok((**view).clone()),
        Some(Done::Refused { message }) => Err(message.clone()),
        other => panic!("{other:?}"),
    }
}

fn last_sizes(view: &MaintenanceView) -> (u64, u64) {
    let last = view.steps.last().expect("a step");
    (last.bytes, last.bytes_in_use)
}

#[test]
fn the_sizes_are_those_of_a_real_etcd() {
    use CompactAt::{KeepLast, Never, Newest};
    let pods = "/registry/pods/";
    let configmaps = "/registry/configmaps/";
    for (file, delete, compact, real) in [
        (REGISTRY, "", Newest, (86_016, 77_824)),
        (REGISTRY, "", KeepLast(10), (86_016, 77_824)),
        (REGISTRY, "", Never, (102_400, 94_208)),
        (REGISTRY, pods, Newest, (32_768, 24_576)),
        (REGISTRY, pods, KeepLast(10), (102_400, 94_208)),
        (REGISTRY, pods, Never, (118_784, 110_592)),
        (WRITERS, "", Newest, (45_056, 36_864)),
        (WRITERS, "", KeepLast(10), (49_152, 40_960)),
        (WRITERS, "", Never, (290_816, 282_624)),
        (WRITERS, configmaps, Newest, (36_864, 28_672)),
        (WRITERS, configmaps, KeepLast(10), (53_248, 45_056)),
    ] {
        let (mut session, _) = open(file);
        let view = predict(&mut session, plan(delete, compact)).expect("a plan");
        assert_eq!(last_sizes(&view), real, "{delete:?} {compact:?}");
    }
}

#[test]
fn each_step_reports_its_change() {
    let (mut session, overview) = open(REGISTRY);
    let view = predict(&mut session, plan("/registry/pods/", CompactAt::Newest));
    let steps = view.expect("a plan").steps;
    let changes: Vec<_> = steps.iter().map(|step| step.change).collect();
    let [
        MaintenanceChange::Start,
        MaintenanceChange::Delete { keys },
        MaintenanceChange::Compact {
            revision,
            is_scheduled: false,
            rows,
            bytes,
        },
        MaintenanceChange::Defragment,
    ] = changes[..]
    else {
        panic!("{changes:?}");
    };
    assert_eq!(steps[0].bytes, overview.space.bytes());
    let free = overview.space.free_bytes();
    assert_eq!(steps[0].bytes_in_use, overview.space.bytes() - free);
    assert_eq!((keys, revision), (200, overview.revision + 1));
    // A compaction at the newest revision keeps only the newest row of each live key.
    assert_eq!(overview.rows + 200 - rows, overview.keys - 200);
    assert!(bytes > 0 && steps[2].bytes_in_use < steps[1].bytes_in_use);
    assert!(
        steps[2].bytes >= steps[1].bytes,
        "only a defragmentation shrinks"
    );
    assert!(steps[3].bytes < steps[2].bytes);
}

#[test]
fn a_plan_that_is_not_possible_is_refused() {
    let (mut session, _) = open(REGISTRY);
    for (delete, compact, why) in [
        (
            "",
            CompactAt::Revision(397),
            "Revision 397 is after the newest revision. Enter a revision from 382 to 396.",
        ),
        (
            "",
            CompactAt::Revision(381),
            "Revision 381 is already compacted. Enter a revision from 382 to 396.",
        ),
        (
            "",
            CompactAt::Revision(0),
            "Revision 0 is already compacted. Enter a revision from 382 to 396.",
        ),
        (
            "",
            CompactAt::KeepLast(15),
            "The file has nothing older than its last 15 revisions to compact. Keep at most 14 revisions.",
        ),
        (
            "/registry/nothing/",
            CompactAt::Newest,
            "No live key starts with /registry/nothing/. Enter the start of existing keys, or leave the field empty.",
        ),
        (
            "/registry/\n",
            CompactAt::Newest,
            "The prefix contains control characters. Enter a prefix of printable characters.",
        ),
    ] {
        let refused = predict(&mut session, plan(delete, compact));
        assert_eq!(refused.expect_err("refused"), why);
    }
    // The delete adds a revision.
    let view = predict(
        &mut session,
        plan("/registry/pods/", CompactAt::Revision(397)),
    );
    assert_eq!(last_sizes(&view.expect("a plan")), (32_768, 24_576));

    let (mut session, overview) = open(REGISTRY);
    let loaded = session.load(source(&overview), SeekTo::Default);
    assert!(matches!(loaded, Done::Loaded { .. }), "{loaded:?}");
    assert_eq!(session.exec("compact 396").exit, 0);
    let mut out = Vec::new();
    let name = String::new();
    let read = Request::Read(Read::Snapshot { name });
    session.handle(ToEngine::Request(6, read), &mut out);
    let Some(Done::File { bytes, .. }) = done(&out, 6) else {
        panic!("{out:?}");
    };
    let (mut session, overview) = open(bytes);
    assert_eq!(overview.compacted, Some(396));
    let refused = predict(&mut session, plan("", CompactAt::Newest));
    assert_eq!(
        refused.expect_err("refused"),
        "The file is already compacted at its newest revision 396. Choose “do not compact”."
    );
    predict(&mut session, plan("", CompactAt::Never)).expect("a defragmentation");

    let mut damaged = REGISTRY.to_vec();
    damaged[8 * 4096 + 10] ^= 0xff;
    let (mut session, _) = open(&damaged);
    let refused = predict(&mut session, plan("", CompactAt::Newest));
    let refused = refused.expect_err("refused");
    assert!(refused.starts_with("This file is damaged"), "{refused}");
}

#[test]
fn a_prediction_runs_in_slices_and_can_be_cancelled() {
    let (mut session, _) = open(WRITERS);
    let mut out = ask(&mut session, 2, plan("/registry/", CompactAt::Newest));
    let mut stages = Vec::new();
    while session.pump(1, &mut out) {
        let Some(FromEngine::FileProgress {
            id,
            stage: FileStage::Maintenance(stage),
            done,
            total,
        }) = out.pop()
        else {
            panic!("{out:?}");
        };
        assert!(id == 2 && done <= total, "{stage:?}: {done} of {total}");
        if stages.last() != Some(&stage) {
            stages.push(stage);
        }
    }
    let [restoring, deleting, compacting, defragmenting] = [
        MaintenanceStage::Restoring,
        MaintenanceStage::Deleting,
        MaintenanceStage::Compacting,
        MaintenanceStage::Defragmenting,
    ];
    assert_eq!(stages, [restoring, deleting, compacting, defragmenting]);

    // A new plan replaces the plan that runs, and the page can cancel the plan.
    let mut out = ask(&mut session, 3, plan("", CompactAt::Never));
    session.pump(1, &mut out);
    out.extend(ask(&mut session, 4, plan("", CompactAt::Newest)));
    assert_eq!(done(&out, 3), Some(&Done::Interrupted));
    session.pump(1, &mut out);
    let stop = ToEngine::Notification(Notification::StopMaintenance);
    session.handle(stop, &mut out);
    assert_eq!(done(&out, 4), Some(&Done::Interrupted));
    assert!(!session.pump(1, &mut out), "no work is left");
    // So does the end of the file.
    let mut out = ask(&mut session, 5, plan("", CompactAt::Newest));
    let close = ToEngine::Notification(Notification::CloseFile);
    session.handle(close, &mut out);
    assert_eq!(done(&out, 5), Some(&Done::Interrupted));
}

#[test]
fn a_run_on_the_file_starts_unchanged_while_a_plan_runs() {
    let (mut session, overview) = open(REGISTRY);
    predict(&mut session, plan("/registry/", CompactAt::Newest)).expect("a plan");
    let mut out = ask(&mut session, 3, plan("", CompactAt::Newest));
    let source = source(&overview);
    let at = SeekTo::Default;
    let load = Request::Load { source, at };
    session.handle(ToEngine::Request(4, load), &mut out);
    while session.pump(1, &mut out) {}
    let order: Vec<u32> = out
        .iter()
        .filter_map(|message| match message {
            FromEngine::Done { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    assert_eq!(order, [4, 3], "the run does not wait for the prediction");
    let world = session.world();
    assert_eq!(world.at_endpoint().store().live_keys(), 259);
}

#[test]
fn the_script_of_a_plan_runs_on_the_run_of_its_file() {
    for (delete, compact) in [
        ("/registry/pods/", CompactAt::Newest),
        ("", CompactAt::KeepLast(10)),
    ] {
        let (mut session, overview) = open(REGISTRY);
        let view = predict(&mut session, plan(delete, compact)).expect("a plan");
        let source = source(&overview);
        session.load(source, SeekTo::End);
        let done = session.exec(&view.script);
        // etcdctl 3.4 prints the result of `endpoint health` as an error.
        let errors = done
            .stderr
            .lines()
            .filter(|line| !line.contains(" is healthy: "));
        assert_eq!((done.exit, errors.count()), (0, 0), "{}", done.stderr);
        let size = "endpoint status -w json | jq '.[0].Status.dbSize'";
        let expected = format!("{}\n", last_sizes(&view).0);
        assert_eq!(session.exec(size).stdout, expected, "{}", view.script);
    }
}

#[test]
fn the_script_has_the_commands_of_the_version() {
    let (mut session, _) = open(REGISTRY);
    let view = predict(
        &mut session,
        plan("/registry/pods/", CompactAt::KeepLast(5)),
    );
    let script = view.expect("a plan").script;
    let commands: Vec<&str> = script
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .collect();
    assert_eq!(
        commands,
        [
            "set -eu",
            "export ETCDCTL_API=3",
            "etcdctl alarm list",
            "etcdctl endpoint status --cluster -w table",
            "etcdctl del --command-timeout=10m --prefix -- '/registry/pods/'",
            "revision=$(etcdctl endpoint status -w json | grep -o '\"revision\":[0-9]*' | head -n 1 | cut -d: -f2)",
            "etcdctl compact --command-timeout=10m --physical $((revision - 5))",
            "for endpoint in $(etcdctl endpoint status --cluster | sort -t , -k 5,5 | cut -d , -f 1); do",
            "  ETCDCTL_ENDPOINTS=\"$endpoint\" etcdctl defrag --command-timeout=10m",
            "  ETCDCTL_ENDPOINTS=\"$endpoint\" etcdctl endpoint health",
            "done",
            "if etcdctl alarm list | grep -q NOSPACE; then etcdctl alarm disarm; fi",
            "etcdctl endpoint status --cluster -w table",
        ]
    );
    let (mut session, _) = open(BUMPED);
    let view = predict(&mut session, plan("", CompactAt::Never));
    let script = view.expect("a plan").script;
    assert!(script.contains("for etcdctl 3.6."), "{script}");
    assert!(script.contains("sort -t , -k 9,9"), "{script}");
    assert!(!script.contains("compact"), "{script}");
}
