//! Transcripts as people paste them: real prompts, certificates, pipes, logs and other programs.
//!
//! `tests/data/README.md` names the transcripts that a real etcd printed.

use watchglass_engine::session::protocol::TextReport;
use watchglass_engine::session::{Done, SeekTo, Session, Source};

fn load(name: &str) -> (Session, TextReport) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transcripts");
    let text = std::fs::read_to_string(format!("{folder}/{name}.txt")).unwrap();
    load_text(&text)
}

fn load_text(text: &str) -> (Session, TextReport) {
    let mut session = Session::default();
    let done = session.load(Source::Text(text.into()), SeekTo::End);
    let Done::Loaded { text, .. } = done else {
        panic!("{done:?}");
    };
    (session, text)
}

/// Returns the entries whose output differs from the transcript: the command, and the output in the transcript.
fn differing(session: &Session) -> Vec<(String, String)> {
    let run = session.run();
    let entries = run.scrollback().at(session.cursor());
    let differing = entries.filter_map(|entry| {
        let command = run.scrollback().line(entry.line).text.to_string();
        let expected = entry.expected()?.to_owned();
        Some((command, expected))
    });
    differing.collect()
}

#[test]
fn transcripts_of_the_field_run_and_agree() {
    // The columns: name, differences, outputs that are not compared, skipped lines, revision at the end.
    let expected = [
        ("angle_prompt", 0, 0, 0, 3),
        ("bracket_prompt", 0, 0, 2, 3),
        ("directory_prompt", 0, 0, 1, 2),
        ("docker_exec", 1, 0, 1, 3),
        ("endpoints_variable", 0, 0, 0, 3),
        ("host_prompt", 0, 2, 0, 6),
        ("json_and_jq", 0, 2, 0, 3),
        ("kubeadm_certificates", 2, 0, 0, 2),
        ("kubectl_exec", 1, 0, 0, 3),
        ("login_prompt", 0, 0, 0, 2),
        ("markdown_fences", 0, 0, 2, 3),
        ("no_prompts", 0, 0, 0, 3),
        ("percent_prompt", 0, 0, 0, 3),
        ("root_at_host", 0, 0, 0, 4),
        ("root_prompt", 0, 0, 0, 3),
        ("shell_in_a_pod", 0, 0, 2, 3),
        ("txn_interactive", 0, 0, 0, 3),
        ("watch_in_a_second_terminal", 0, 1, 1, 2),
        ("zsh_mark", 0, 0, 0, 2),
    ];
    let mut found = Vec::new();
    for (name, ..) in expected {
        let (session, text) = load(name);
        let revision = session.views().status.revision;
        found.push((
            name,
            text.differences,
            text.uncompared,
            text.skipped,
            revision,
        ));
        for skipped in &text.first_skipped {
            assert!(!skipped.why.is_empty(), "{name}: {skipped:?}");
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn a_difference_is_that_of_the_command() {
    let (session, _) = load("kubeadm_certificates");
    // The members of the recorded cluster have other ids and addresses.
    let members =
        "8211f1d0f64f3269, started, cp-1, https://10.0.0.11:2380, https://10.0.0.11:2379, false";
    let said = [
        ("member list", members),
        ("etcdctl get /registry/demo", "/registry/demo\n2"),
    ];
    assert_eq!(
        differing(&session),
        said.map(|(command, output)| (command.to_owned(), output.to_owned()))
    );
}

#[test]
fn a_skipped_line_says_why() {
    let (_, text) = load("watch_in_a_second_terminal");
    let skipped = &text.first_skipped[0];
    assert_eq!(
        (skipped.line, skipped.text.as_str()),
        (11, "sudo systemctl status etcd")
    );
    assert!(
        skipped.why.contains("`systemctl` is not a command"),
        "{}",
        skipped.why
    );
    let (_, text) = load_text("Notes\n$ etcdctl put a 1\nOK\n$ echo v | etcdctl put b\n");
    let why: Vec<_> = text.first_skipped.iter().map(|line| line.line).collect();
    assert_eq!((why, text.differences, text.uncompared), (vec![1, 4], 0, 0));
}

#[test]
fn a_comment_is_a_prompt_of_root_only_without_other_prompts() {
    let revision = |text: &str| load_text(text).0.views().status.revision;
    assert_eq!(
        revision("# etcdctl put a 1\nOK\n# then nothing\n# etcdctl put b 1\n"),
        3
    );
    assert_eq!(revision("# etcdctl put a 1\netcdctl put b 1\n"), 2);
    assert_eq!(
        revision("$ etcdctl put a 1\nOK\n# etcdctl put b 1\n$ etcdctl get a\n"),
        2
    );
}

#[test]
fn a_value_that_looks_like_a_prompt_is_an_output() {
    let text = "% etcdctl put k '#5'\nOK\n% etcdctl get k\nk\n#5\n% etcdctl put k '% x'\nOK\n\
                % etcdctl get k\nk\n% x\n";
    let (session, report) = load_text(text);
    assert_eq!((report.differences, report.skipped), (0, 0));
    assert_eq!(session.views().status.revision, 3);
}

#[test]
fn a_pipe_at_the_terminal_runs_the_command_and_says_what_is_left_out() {
    let mut session = Session::default();
    assert_eq!(session.exec("put a 1 | tee log").stdout, "OK\n");
    assert_eq!(session.exec("get a 2>/dev/null | jq .").stdout, "a\n1\n");
    session.exec("kubectl exec etcd-0 -- etcdctl get a --cacert=ca.crt");
    let run = session.run();
    let notes: Vec<_> = run
        .scrollback()
        .at(session.cursor())
        .map(|entry| entry.note())
        .collect();
    assert_eq!(
        notes,
        [
            Some("Watchglass left out `| tee log`; this is the whole output."),
            Some("Watchglass left out `2>/dev/null | jq .`; this is the whole output."),
            Some("`--cacert` is not needed here: there is one member."),
        ]
    );
}
