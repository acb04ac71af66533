//! Transcripts as people paste them: real prompts, certificates, pipes, logs and other programs.
//!
//! `tests/data/README.md` names the transcripts that a real etcd printed.

use crate::support::answer_text;
use watchglass_engine::session::protocol::TextReport;
use watchglass_engine::session::{
    Done, Notification, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::{Queries, TerminalQuery};

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

/// Returns each command whose output differs from the transcript, with the output in the transcript.
fn differing(session: &Session) -> Vec<(String, String)> {
    let run = session.run();
    let entries = run.scrollback().at(session.cursor());
    let differing = entries.filter_map(|entry| {
        let command = run.scrollback().line(entry.line).text.to_string();
        let expected = entry.expected().filter(|output| output.is_compared)?;
        Some((command, expected.text.clone()))
    });
    differing.collect()
}

#[test]
fn transcripts_of_the_field_run_and_agree() {
    // The columns: name, differences, outputs that are not compared, skipped lines, revision at the end.
    let expected = [
        ("angle_prompt", 0, 0, 0, 3),
        ("bash_continuations", 0, 0, 0, 11),
        ("bracket_prompt", 0, 0, 1, 3),
        ("directory_prompt", 0, 0, 1, 2),
        ("docker_exec", 0, 0, 1, 3),
        ("endpoints_variable", 0, 0, 0, 3),
        ("host_prompt", 0, 0, 0, 6),
        ("json_and_jq", 0, 0, 0, 3),
        ("kubeadm_certificates", 1, 0, 0, 2),
        ("kubectl_exec", 1, 0, 0, 3),
        ("login_prompt", 0, 0, 0, 2),
        ("markdown_fences", 0, 0, 2, 3),
        ("no_prompts", 0, 0, 0, 3),
        ("percent_prompt", 0, 0, 0, 3),
        ("root_at_host", 0, 0, 0, 4),
        ("root_prompt", 0, 0, 0, 3),
        ("script_recording", 0, 0, 0, 2),
        ("shell_in_a_pod", 0, 0, 0, 3),
        // A text starts one member, so nobody listens at two of the three addresses.
        ("three_endpoints", 1, 0, 0, 2),
        ("txn_interactive", 0, 0, 0, 3),
        ("watch_in_a_second_terminal", 0, 1, 1, 2),
        ("zsh_heredoc", 0, 0, 0, 3),
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
fn a_prompt_without_a_name_counts_around_the_shell_of_a_pod() {
    for (mark, open, inner) in [
        ("%", "kubectl exec -it etcd-0 -- sh", "sh-5.2#"),
        ("%", "kubectl exec -it etcd-0 -- bash", "root@etcd-0:/#"),
        ("%", "docker exec -it etcd sh", "/ $"),
        (">", "kubectl exec -it etcd-0 -- sh", "sh-5.2#"),
    ] {
        let text = format!(
            "{mark} etcdctl put a 1\nOK\n{mark} etcdctl put b 2\nOK\n{mark} {open}\n{inner} etcdctl get a\na\n1\n\
             {inner} exit\n{mark} etcdctl get b\nb\n2\n"
        );
        let (session, report) = load_text(&text);
        let writes_and_outputs = (report.skipped_writes, report.compared, report.differences);
        assert_eq!(writes_and_outputs, (0, 4, 0), "{text}{report:?}");
        assert_eq!(session.views().status.revision, 3, "{text}");
    }
    // After another prompt, the lines are output.
    for prompt in ["$", "me@h:~$"] {
        let text = format!(
            "{prompt} etcdctl get note\n% kubectl exec -it x -- sh\n% etcdctl put c 1\n{prompt} etcdctl put a 1\nOK\n"
        );
        let (session, report) = load_text(&text);
        assert_eq!(counts(&report), (0, 0, 2), "{text}{report:?}");
        assert_eq!(session.views().status.revision, 2, "{text}");
    }
}

#[test]
fn the_prompt_of_root_alone_counts_inside_the_shell_of_a_pod() {
    for prompt in ["$", "me@h:~$", "web%"] {
        let text = format!(
            "{prompt} etcdctl put a 1\nOK\n{prompt} kubectl exec -it etcd-0 -- sh\n# etcdctl put a 2\nOK\n\
             # etcdctl get a\na\n2\n# cd /tmp\n#\n# exit\n{prompt} etcdctl put b 1\nOK\n"
        );
        let (session, report) = load_text(&text);
        assert_eq!((report.compared, counts(&report)), (4, (0, 0, 0)), "{text}");
        assert_eq!(session.views().status.revision, 4, "{text}");
        // Outside the shell, `#` starts a comment.
        for line in ["# exit\n", "# exit\n$ ls\n", "$ etcdctl get a\n"] {
            let text =
                format!("{text}{prompt} kubectl exec -it etcd-0 -- sh\n{line}# etcdctl put c 1\n");
            let (session, _) = load_text(&text);
            assert_eq!(session.views().status.revision, 4, "{text}");
        }
    }
    // Root's prompt after an interrupt.
    let text = "$ kubectl exec -it etcd-0 -- sh\n# etcdctl put a 1\nOK\n# etcdctl watch a --rev=2\nPUT\na\n1\n\
                ^C# etcdctl put a 3\nOK\n# alias ec=etcdctl\n# ec get a\na\n3\n";
    let (mut session, report) = load_text(text);
    assert_eq!((report.compared, counts(&report)), (4, (0, 0, 0)));
    assert_eq!(session.views().status.revision, 3);
    assert_eq!(watches(&mut session), []);
    let (session, _) =
        load_text("$ etcdctl put a 1\nOK\n# kubectl exec -it e -- sh\n# etcdctl put c 1\n");
    assert_eq!(session.views().status.revision, 2);
}

#[test]
fn a_prompt_can_have_two_lines() {
    for (first, last) in [
        ("┌──(me㉿kali)-[~/etcd]", "└─$"),
        ("┌──(root㉿kali)-[~]", "└─#"),
        ("╭─me@host ~ ", "╰─$"),
    ] {
        let text = format!(
            "{first}\n{last} etcdctl put a 1\nOK\n\n{first}\n{last} etcdctl get a\na\n1\n\n{first}\n{last} "
        );
        let (session, report) = load_text(&text);
        assert_eq!((report.compared, counts(&report)), (2, (0, 0, 0)), "{text}");
        assert_eq!(session.views().status.revision, 2, "{text}");
    }
}

#[test]
fn commands_that_concern_only_the_shell_are_left_out() {
    for line in [
        "exit",
        "exit 0",
        "logout",
        "clear",
        "cd",
        "cd /tmp",
        "sudo -i",
        "sudo su -",
    ] {
        for text in [
            format!("$ etcdctl put a 1\nOK\n$ {line}\nexit\n$ etcdctl get a\na\n1\n"),
            format!("% etcdctl put a 1\nOK\n% {line}\n% etcdctl get a\na\n1\n"),
            format!("# etcdctl put a 1\nOK\n# {line}\n# etcdctl get a\na\n1\n"),
            format!("etcdctl put a 1\n{line}\netcdctl get a\n"),
        ] {
            let (session, report) = load_text(&text);
            assert_eq!(report.skipped, 0, "{text}{report:?}");
            assert_eq!(session.views().status.revision, 2, "{text}");
        }
    }
    // A line with another command counts as skipped.
    let text = "$ etcdctl put a 1\nOK\n$ cd /tmp && etcdctl put a 2\nOK\n";
    assert_eq!(load_text(text).1.skipped, 1);
    // Typed at the terminal, such a command is explained.
    let mut session = Session::default();
    assert!(
        session
            .exec("exit")
            .stderr
            .contains("close the browser tab")
    );
}

#[test]
fn a_difference_is_that_of_the_command() {
    let (session, _) = load("kubeadm_certificates");
    // The ids and the addresses of the recorded members are not compared.
    let [(command, output)] = differing(&session).try_into().expect("one difference");
    assert!(command.ends_with(" /registry/demo"), "{command}");
    assert_eq!(output, "/registry/demo\n2");
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
    let (_, text) = load_text("Notes\n$ etcdctl put a 1\nOK\n$ systemctl restart etcd\n");
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
fn a_pipe_at_the_terminal_runs_or_is_ignored_with_a_note() {
    let mut session = Session::default();
    assert_eq!(session.exec("put a 1 > log").stdout, "OK\n");
    assert_eq!(session.exec("get a 2>/dev/null | tail -1").stdout, "1\n");
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
            Some("Watchglass ignored `> log` and printed the whole output."),
            None,
            Some("`--cacert` is not needed here: there is one member."),
        ]
    );
}

/// Returns three numbers about a loaded transcript: the outputs that differ, the outputs that are not compared, and the
/// skipped lines.
fn counts(report: &TextReport) -> (u64, u64, u64) {
    (report.differences, report.uncompared, report.skipped)
}

#[test]
fn a_lease_has_the_id_of_the_transcript() {
    for (flag, granted) in [
        ("", "lease 2040a20d90b33c0c granted with TTL(300s)"),
        (
            " -w json",
            "{\"cluster_id\":14841639068965178418,\"member_id\":10276657743932975437,\"revision\":1,\"raft_term\":2,\
             \"ID\":2324035586869115916,\"TTL\":300,\"Error\":\"\"}",
        ),
    ] {
        let text = format!(
            "$ etcdctl lease grant 300{flag}\n{granted}\n$ etcdctl put --lease=2040a20d90b33c0c /n1 holder\nOK\n\
             $ etcdctl lease list\nfound 1 leases\n2040a20d90b33c0c\n\
             $ etcdctl lease revoke 2040a20d90b33c0c\nlease 2040a20d90b33c0c revoked\n$ etcdctl get /n1\n"
        );
        let (session, report) = load_text(&text);
        assert_eq!(differing(&session), [], "{flag}");
        assert_eq!(counts(&report), (0, 0, 0), "{flag}");
    }
    // Without outputs, the member chooses the ID, as in a behaviour file.
    let (session, _) = load_text("$ etcdctl lease grant 300\n");
    let shown = session.views().status;
    assert_eq!(shown.revision, 1);
}

#[test]
fn a_line_after_the_prompt_of_the_transcript_is_no_output() {
    let text = "% etcdctl put /a 1\nOK\n% kill %1\n% time etcdctl get /a\n/a\n1\n\
                etcdctl get /a  0.01s user 0.01s system 92% cpu 0.021 total\n\
                % echo 'hello world' | etcdctl put /b\nOK\n% etcdctl get /b\n/b\nhello world\n\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
    assert_eq!(
        (report.first_skipped[0].line, report.skipped_writes),
        (3, 0)
    );
    assert_eq!(session.views().status.revision, 3);
    let text = "> etcdctl lease grant 60\nlease 694d77aa9e38260f granted with TTL(60s)\n\
                > etcdctl put --lease=694d77aa9e38260f tmp gone\nOK\n> sleep 70\n> etcdctl get tmp\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(session.views().status.revision, 3, "the lease expires");
}

#[test]
fn prompts_of_other_shells_are_known_or_skipped() {
    for prompt in [
        "❯ ",
        "λ ",
        "me λ ",
        "PS C:\\> ",
        "PS C:\\Users\\me> ",
        "C:\\etcd>",
        "I have no name!@etcd-0:/opt/bitnami/etcd$ ",
        "2024-01-15 10:23:45 root@etcd-0:/# ",
        "10:23:45 root@etcd-0 ~ $ ",
    ] {
        let text = format!("$ etcdctl put /a 1\nOK\n{prompt}etcdctl put /z 1\nOK\n");
        let (session, report) = load_text(&text);
        assert_eq!(counts(&report), (0, 0, 0), "{prompt}");
        assert_eq!(session.views().status.revision, 3, "{prompt}");
    }
    let (session, report) = load_text("$ etcdctl put /a 1\nOK\nme » etcdctl put /z 1\nOK\n");
    assert_eq!(counts(&report), (0, 0, 1));
    assert_eq!(
        (report.first_skipped[0].line, report.skipped_writes),
        (3, 1)
    );
    assert_eq!(session.views().status.revision, 2);
}

#[test]
fn the_operators_of_a_shell_run_the_next_command() {
    let text = "$ etcdctl put /x 1 && etcdctl get /x\nOK\n/x\n1\n$ etcdctl get /x --rev=9 && etcdctl put /y 1\n\
                Error: etcdserver: mvcc: required revision is a future revision\n\
                $ etcdctl get /x --rev=9 || echo failed\n\
                Error: etcdserver: mvcc: required revision is a future revision\nfailed\n\
                $ etcdctl del /x && echo done\n1\ndone\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{:?}", differing(&session));
    assert_eq!(session.views().status.revision, 3);
    // The last command that runs shows the difference.
    let (session, report) = load_text("$ etcdctl get /x || echo failed\nfailed\n");
    assert_eq!(counts(&report), (1, 0, 0));
    let shown = ("get /x".to_owned(), "failed".to_owned());
    assert_eq!(differing(&session), [shown]);
}

#[test]
fn a_difference_in_a_list_of_commands_leaves_out_the_earlier_outputs() {
    let shown = |command: &str, output: &str| (command.to_owned(), output.to_owned());
    for separator in ["&&", ";", "&& \\\n>"] {
        let text = format!("$ etcdctl put a 1 {separator} etcdctl get a\nOK\na\n2\n");
        let (session, report) = load_text(&text);
        assert_eq!(counts(&report), (1, 0, 0), "{separator}: {report:?}");
        assert_eq!(differing(&session), [shown("get a", "a\n2")]);
    }
    // The output of the first command differs, so the whole output is shown.
    let (session, report) = load_text("$ etcdctl get b && etcdctl put b 1\nb\n0\nOK\n");
    assert_eq!(counts(&report), (1, 0, 0));
    assert_eq!(differing(&session), [shown("put b 1", "b\n0\nOK")]);
}

#[test]
fn skipped_lines_that_write_are_counted_and_shown() {
    let text = "$ etcdctl put /x 1\nOK\n$ REV=$(etcdctl endpoint status -w json | python3 rev.py)\n\
                $ kubectl exec etcd-0 -- etcdctl compact $REV\ncompacted revision 4\n$ crictl ps\n3f2c9a1   etcd\n\
                $ kubectl exec etcd-0 -- \\\n>  etcdctl put /a $(date)\nOK\n";
    let (session, report) = load_text(text);
    assert_eq!(
        (report.skipped, report.skipped_writes),
        (4, 2),
        "{report:?}"
    );
    let run = session.run();
    let shown = run.scrollback().at(session.cursor()).filter_map(|entry| {
        let output = entry.expected()?;
        assert!(!output.is_compared && !entry.output.stderr.is_empty());
        Some(output.text.clone())
    });
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown, ["compacted revision 4", "3f2c9a1   etcd", "OK"]);
}

#[test]
fn a_transcript_runs_with_the_version_that_its_outputs_state() {
    let profile = |text: &str| load_text(text).0.views().status.profile;
    for output in [
        "etcdctl version: 3.4.23\nAPI version: 3.4",
        "etcd Version: 3.4.23",
        "127.0.0.1:2379, 8e9e05c52164694d, 3.4.23, 20 kB, true, false, 2, 4, 4, ",
        "|  127.0.0.1:2379 | 8e9e05c52164694d |  3.4.23 |   20 kB |      true |      false |  2 | 4 | 4 |  |",
        "[{\"Endpoint\":\"127.0.0.1:2379\",\"Status\":{\"header\":{},\"version\":\"3.4.23\",\"raftIndex\":4}}]",
        "\"Version\" : \"3.4.23\"",
    ] {
        assert_eq!(
            profile(&format!("$ etcdctl get x\n{output}\n")),
            "3.4",
            "{output}"
        );
        let newer = output.replace("3.4.23", "3.5.9");
        assert_eq!(
            profile(&format!("$ etcdctl get x\n{newer}\n")),
            "3.5",
            "{newer}"
        );
    }
    assert_eq!(profile("$ etcdctl get a\n#! profile: 3.4\n"), "3.4");
    assert_eq!(profile("etcdctl get a\n#! profile: 3.4\n"), "3.4");
    assert_eq!(profile("$ etcdctl get a\n\"version\":\"3.4.0\"\n"), "3.7");
}

#[test]
fn an_output_that_the_shell_does_not_change_is_compared() {
    let text = "$ etcdctl put a 1 | tee log\nOK\n$ etcdctl get a --rev=9 2>/dev/null\n\
                $ etcdctl get a 2>/dev/null\na\n2\n\
                $ etcdctl get a | head -1\na\n$ etcdctl get a | tail -1\n2\n\
                $ etcdctl get a | sed s/1/x/\na\nx\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (2, 1, 0));
    let run = session.run();
    let outputs = run
        .scrollback()
        .at(session.cursor())
        .map(|entry| entry.expected());
    let outputs: Vec<_> = outputs
        .flatten()
        .map(|o| (o.text.as_str(), o.is_compared))
        .collect();
    assert_eq!(outputs, [("a\n2", true), ("2", true), ("a\nx", false)]);
}

#[test]
fn a_runbook_uses_the_output_of_a_command() {
    let text = "$ etcdctl put a 1\nOK\n$ etcdctl put a 2\nOK\n\
                $ rev=$(etcdctl --endpoints=$E endpoint status -w json | egrep -o '\"revision\":[0-9]*' | \
                egrep -o '[0-9].*')\n\
                $ etcdctl compact $rev\ncompacted revision 3\n\
                $ etcdctl get a --rev=$((rev-1)) || echo gone\n\
                Error: etcdserver: mvcc: required revision has been compacted\ngone\n\
                $ for k in $(etcdctl get a --prefix --keys-only); do\n> etcdctl del $k\n> done\n1\n\
                $ etcdctl alarm list | grep -q NOSPACE && etcdctl put never 1\n\
                $ if etcdctl get b | grep -q x; then etcdctl put never 1; fi\n\
                $ if etcdctl get b -w json | grep -q count\n> then etcdctl put never 1\n> fi\n\
                $ etcdctl put b $(etcdctl get b --prefix --count-only -w fields | grep Count | cut -d' ' -f3) && \
                etcdctl get b\n\
                OK\nb\n0\n\
                $ crictl exec $(crictl ps -q --name etcd) etcdctl put c $(etcdctl get b --print-value-only)\nOK\n";
    let (session, report) = load_text(text);
    assert_eq!(
        counts(&report),
        (0, 0, 0),
        "{report:?} {:?}",
        differing(&session)
    );
    let mut session = session;
    assert_eq!(session.exec("get c --print-value-only").stdout, "0\n");
    assert_eq!(session.exec("get never").stdout, "");
}

#[test]
fn the_condition_of_a_command_holds_for_its_substitutions() {
    let mut session = Session::default();
    session.exec("put a 1");
    let run = |session: &mut Session, line: &str| {
        let executed = session.exec(line);
        (executed.stdout, executed.exit)
    };
    // Neither `get` nor `put` runs.
    assert_eq!(run(&mut session, "get a --rev=9 && put $(put b 1) x").1, 1);
    assert_eq!(run(&mut session, "get b"), (String::new(), 0));
    // A substitution does not change the condition of its command.
    let line = "get a --rev=9 || put c $(get a --print-value-only)";
    assert_eq!(run(&mut session, line), ("OK\n".to_owned(), 0));
    assert_eq!(run(&mut session, "get c"), ("c\n1\n".to_owned(), 0));
    // A variable is known in the rest of the line.
    let line = "x=$(get a --print-value-only); put d $x; put e $(get d --print-value-only)$x";
    assert_eq!(run(&mut session, line).0, "OK\nOK\n");
    assert_eq!(run(&mut session, "get e").0, "e\n11\n");
    // A sentence runs no command.
    let sentence = session.exec("Use `etcdctl del a` to clean up");
    assert!(
        sentence.exit != 0 && sentence.stdout.is_empty(),
        "{sentence:?}"
    );
    assert_eq!(
        run(&mut session, "put q `etcdctl get a --print-value-only`").0,
        "OK\n"
    );
    // More commands than are read at once, and a variable that the line changes.
    let line = "i=1; for n in {1..70}; do put k$n v; done; i=$((i+1)); put i$(get a --print-value-only) $i";
    assert_eq!(run(&mut session, line).0, "OK\n".repeat(71));
    run(
        &mut session,
        "i=$((i+1)); put i$(get a --print-value-only) $i",
    );
    assert_eq!(run(&mut session, "get i1").0, "i1\n3\n");
    run(
        &mut session,
        "rev=3; put x \"$(etcdctl get a --rev=$((rev - 1)) --print-value-only)\"",
    );
    assert_eq!(run(&mut session, "get x").0, "x\n1\n");
    run(
        &mut session,
        "keys=$(etcdctl get k --prefix --keys-only | head -4)",
    );
    assert_eq!(
        run(&mut session, "for k in $keys; do del $k; done").0,
        "1\n1\n"
    );
    assert_eq!(
        run(&mut session, "for k in \"$keys\"; do del $k; done").0,
        "0\n"
    );
    let errors = "get a --rev=99 2>&1 | grep -c future";
    assert_eq!(run(&mut session, errors), ("1\n".to_owned(), 0));
    let test = session.exec("if [ -n \"$rev\" ]; then etcdctl put never 1; fi");
    assert!(
        test.stderr.contains("does not run shell scripts"),
        "{}",
        test.stderr
    );
    let many = session.exec("for i in {1..99999}; do a$i=1; done");
    assert!(many.exit != 0, "{}", many.stderr);
    // The rest of a line is not run if a part of it cannot be read.
    let refused = session.exec("put f 1; put f $(get a --print-value-only) $(date)");
    assert!(
        refused.stderr.contains("does not run `$(date)`"),
        "{}",
        refused.stderr
    );
    assert_eq!(run(&mut session, "get f").0, "f\n1\n");
    // A replay runs the same commands once.
    let saved = answer_text(
        &mut session,
        ToEngine::Request(1, Request::Read(Read::Save)),
    );
    let mut again = Session::default();
    again.load(Source::Saved(saved), SeekTo::End);
    assert_eq!(again.world().digest(), session.world().digest());
}

#[test]
fn a_transaction_in_a_heredoc_reads_its_blocks() {
    let text = "$ etcdctl put a 1\nOK\n$ etcdctl txn <<EOF\nmod(\"a\") = \"2\"\n\nput a red\nput b ops\n\n\
                get a\n\nEOF\n\
                SUCCESS\n\nOK\n\nOK\n$ etcdctl txn <<'EOF'\n> mod(\"a\") = \"2\"\n>\n> EOF\nError: EOF\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{:?}", differing(&session));
    assert_eq!(session.views().status.revision, 3);
    let mut session = Session::default();
    let lines = "txn <<EOF\n\nput a 1\n\n\nEOF\nget a";
    assert_eq!(session.exec(lines).stdout, "SUCCESS\n\nOK\na\n1\n");
}

#[test]
fn the_lines_after_a_continuation_prompt_belong_to_the_command() {
    let text = "me@h ~ % cat <<EOF | etcdctl txn\nheredoc> mod(\"a\") = \"0\"\nheredoc>\nheredoc> put b 1\nheredoc>\n\
                heredoc> get b\nheredoc>\nheredoc> EOF\nSUCCESS\n\nOK\nme@h ~ % etcdctl put c 'x\nquote> y'\nOK\n\
                me@h ~ % etcdctl get c |\npipe> cat\nc\nx\ny\nme@h ~ % cat > f <<EOF\n\
                heredoc> put evil 1\nheredoc> EOF\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
    assert_eq!(report.first_skipped[0].line, 20);
    assert_eq!(session.views().status.revision, 3);
    let loop_of_bash = "$ for i in 1 2; do\n> etcdctl put k$i v\n> done\nOK\nOK\n";
    let (session, report) = load_text(loop_of_bash);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(session.views().status.revision, 3);
    // The reason of a loop that is not supported names the loop.
    let (_, report) = load_text("$ etcdctl put a 1\n$ while true; do\n> etcdctl get a\n> done\n");
    assert_eq!(report.skipped, 1);
    let why = &report.first_skipped[0].why;
    assert!(why.contains("Write a loop as"), "{why}");
}

#[test]
fn an_output_that_looks_like_a_line_after_a_prompt_is_a_value() {
    let text = "root@etcd-0:/# etcdctl put /a '# hello'\nOK\nroot@etcd-0:/# etcdctl get /a\n/a\n# hello\n\
                root@etcd-0:/# etcdctl get /note\n/note\n$ put /evil 1\n";
    let (session, report) = load_text(text);
    let note = ("get /note".to_owned(), "/note\n$ put /evil 1".to_owned());
    assert_eq!(differing(&session), [note]);
    assert_eq!(session.views().status.revision, 2);
    assert_eq!(report.skipped, 0);
    // After a command that opens a shell, the prompt can be another one.
    let text = "root@node:~# docker exec -it etcd sh\n$ etcdctl put /a 1\nOK\n";
    assert_eq!(load_text(text).0.views().status.revision, 2);
}

#[test]
fn the_notice_says_what_runs_differently() {
    let (_, report) = load("three_endpoints");
    let notes: Vec<&str> = report.notes.iter().map(String::as_str).collect();
    let [cluster, same_kind] = notes.as_slice() else {
        panic!("{notes:?}");
    };
    assert!(
        cluster.contains("3 endpoints") && cluster.contains("world members=3"),
        "{cluster}"
    );
    assert!(
        same_kind.contains("ids, names and addresses of members"),
        "{same_kind}"
    );
    let (_, report) = load_text("$ etcdctl version\netcdctl version: 3.8.2\nAPI version: 3.8\n");
    assert_eq!(counts(&report), (0, 0, 0));
    assert_eq!(
        report.notes[0],
        "The transcript was recorded with etcd 3.8.2; Watchglass runs the recorded commands with etcd 3.7."
    );
    let (_, report) = load_text("$ etcdctl version\netcdctl version: 3.4.23\nAPI version: 3.4\n");
    assert_eq!(report.notes, [""; 0]);
    let text = "world members=2\nget a --endpoints=etcd-1:2379,etcd-2:2379\n";
    assert_eq!(load_text(text).1.notes, [""; 0]);
}

#[test]
fn the_report_names_the_entries_that_differ() {
    let text = "$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n2\n$ etcdctl get a\na\n1\n$ etcdctl get b\nb\n1\n";
    let (session, report) = load_text(text);
    let run = session.run();
    let commands = report.differing.iter().map(|differing| {
        let mut entries = run.scrollback().at(differing.step);
        let entry = entries
            .find(|entry| entry.id == differing.entry)
            .expect("an entry");
        run.scrollback().line(entry.line).text.to_string()
    });
    let commands: Vec<String> = commands.collect();
    assert_eq!(commands, ["get a", "get b"]);
}

#[test]
fn a_restore_beside_a_running_etcd_is_skipped() {
    let text = "$ etcdctl version\netcdctl version: 3.4.23\nAPI version: 3.4\n$ etcdctl snapshot save s.db\n\
                Snapshot saved at s.db\n$ etcdctl snapshot restore s.db --data-dir /var/lib/new\n\
                {\"level\":\"info\",\"msg\":\"restored snapshot\"}\nrestored\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
    assert!(
        report.first_skipped[0]
            .why
            .contains("only while etcd is stopped"),
        "{report:?}"
    );
}

#[test]
fn a_note_counts_the_log_lines_that_are_not_compared() {
    let text = "$ kubectl exec etcd-0 -- etcdctl put a 1\nOK\n$ time etcdctl get b\n\nreal\t0m0.012s\n\
                user\t0m0.004s\nsys\t0m0.004s\n$ etcdctl get a\n\
                {\"level\":\"warn\",\"msg\":\"retrying\"}\na\n1\ncommand terminated with exit code 1\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(
        report.notes,
        ["1 log line and 3 lines of `time` not compared."]
    );
    // The older format of etcd's log. A value that only begins with a date is compared.
    let text = "$ etcdctl put a 1\nOK\n2025-03-11 09:21:44.118234 W | etcdserver: read-only range request \
                \"key:\\\"a\\\"\" took too long\n$ etcdctl get a\na\n1\n2025-03-11 09:21:45.000001 I | mvcc: \
                finished\n$ etcdctl get a --print-value-only\n2025-03-11 09:21 W | x\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (1, 0, 0), "{report:?}");
    assert!(
        report
            .notes
            .contains(&"2 log lines not compared.".to_owned())
    );
    // The log of kubectl.
    let text = "$ apiserver api-1\n$ kubectl create pod web-1 -v=6\nI0311 09:21:44.118234   12345 loader.go:395] \
                Config loaded from file\npod/web-1 created\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(report.notes, ["1 log line not compared."]);
}

#[test]
fn the_prompt_of_root_can_precede_the_version() {
    let text = "# etcdctl version\netcdctl version: 3.4.23\nAPI version: 3.4\n# etcdctl put a 1\nOK\n\
                # etcdctl get a\na\n1\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(printed(&session, "get a"), ["a\n1\n"]);
}

#[test]
fn a_note_explains_data_from_before_the_transcript() {
    let note = "The run starts with an empty store, so data from before the transcript is missing.";
    for text in [
        "$ etcdctl get /registry --prefix --keys-only\n/registry/a\n\n/registry/b\n",
        "$ etcdctl put a 1\nOK\n$ etcdctl get '' --prefix\na\n1\nb\n2\n",
    ] {
        let (_, report) = load_text(text);
        assert_eq!(
            (report.differences, &*report.notes),
            (1, &[note.to_owned()][..]),
            "{text}"
        );
    }
    for text in [
        "$ etcdctl put a 1\nOK\n$ etcdctl get a\na\n2\n",
        "$ etcdctl put a 1\nOK\nand more\n",
        "$ etcdctl put a 1\nOK\n$ etcdctl get a\n\n",
    ] {
        assert_eq!(load_text(text).1.notes, [""; 0], "{text}");
    }
}

#[test]
fn a_missing_api_server_is_added() {
    let note = "The transcript uses kubectl, which needs an API server, so the run starts with the command \
                `apiserver api-1`.";
    for world in ["", "$ world members=3\n"] {
        let text = format!(
            "{world}$ kubectl create pod web-1\npod/web-1 created\n$ kubectl get pod web-1 -o name\npod/web-1\n"
        );
        let (session, report) = load_text(&text);
        assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
        assert_eq!(report.notes, [note]);
        assert_eq!(printed(&session, "apiserver api-1"), [""]);
    }
    for text in [
        "$ kubectl get pods\n",
        "$ kubectl -n x get pods\n",
        "$ sudo kubectl --namespace=x get pods\n",
        "alias k=kubectl\nk create pod web-1\n",
        "$ alias k=kubectl kg='k get'\n$ kg pods\n",
        "$ alias k=kubectl\n$ for i in 1 2; do k create pod web-$i; done\n",
    ] {
        assert_eq!(load_text(text).1.notes, [note], "{text}");
    }
    for text in [
        "$ apiserver api-1\n$ kubectl get pods\n",
        "apiserver api-1\nkubectl get pods\n",
        "$ kubectl exec etcd-0 -- etcdctl get a\n",
        "# kubectl get pods\netcdctl get a\n",
        "$ etcdctl put a kubectl get\nOK\n",
        "$ alias k=kubectl\n$ etcdctl put k get\nOK\n$ k exec etcd-0 -- etcdctl get a\n",
        "$ alias k='apiserver api-1'\n$ k\n$ kubectl get pods\n",
    ] {
        assert_eq!(load_text(text).1.notes, [""; 0], "{text}");
    }
}

#[test]
fn the_first_line_of_a_repeated_command_is_output() {
    let text = "$ etcdctl put a 1\nOK\n$ watch -n 2 etcdctl get a\n$ Every 2.0s: etcdctl get a\n\na\n1\n\
                $ etcdctl get a\na\n1\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
    assert_eq!(report.first_skipped[0].line, 3);
}

/// Returns the watches that have not ended, and the events that each watch has received.
fn watches(session: &mut Session) -> Vec<(String, String)> {
    let names = ["w1", "w2", "w3"];
    let watches = names.map(|name| {
        let received = session.exec(&format!("recv {name}")).stdout;
        let is_open = session.exec(&format!("unwatch {name}")).exit == 0;
        (is_open, (name.to_owned(), received))
    });
    let open = watches.into_iter().filter(|(is_open, _)| *is_open);
    open.map(|(_, watch)| watch).collect()
}

const EVENTS: &str = "Some watch events were not compared: in the text, these events are between the outputs of other \
                      commands, or the writes that caused these events are missing or come later.";

#[test]
fn an_interrupt_ends_the_watch_in_the_foreground() {
    for interrupt in ["^C\n$ ", "^C$ ", "\n^C\n\n$ ", "^C%\n$ "] {
        let text = format!(
            "$ etcdctl watch a\nPUT\na\n1\n{interrupt}etcdctl put a 1\nOK\n$ etcdctl get a\na\n1\n"
        );
        let (mut session, report) = load_text(&text);
        assert_eq!(counts(&report), (0, 1, 0), "{text}");
        assert_eq!(report.notes, [EVENTS], "{text}");
        assert_eq!(session.views().status.revision, 2, "{text}");
        assert_eq!(watches(&mut session), [], "{text}");
    }
    // The watch receives past events before it ends.
    let text =
        "$ etcdctl put a 1\nOK\n$ etcdctl watch a --rev=1\nPUT\na\n1\n^C\n$ etcdctl put a 2\nOK\n";
    let (mut session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(report.compared, 3);
    assert_eq!(printed(&session, "recv w1"), ["PUT\na\n1\n"]);
    assert_eq!(watches(&mut session), []);
    // Without an interrupt, the watch stays open.
    let (mut session, _) = load_text("$ etcdctl watch a\n$ etcdctl put a 1\nOK\n$ sleep 1\n");
    let received = ("w1".to_owned(), "PUT\na\n1\n".to_owned());
    assert_eq!(watches(&mut session), [received]);
}

#[test]
fn an_interrupt_ends_the_watch_of_kubectl() {
    let start = "$ apiserver api-1\n$ run 300ms\n$ kubectl create pod web-1\npod/web-1 created\n";
    for watch in [
        "$ kubectl get pods -w\n",
        "$ kubectl get pods --watch\nNAME    STATUS\nweb-1   Running\n",
        "$ kubectl get pod web-1 --watch-only=true\n",
        "$ kubectl get --raw '/api/v1/pods?watch=1'\n",
    ] {
        let text = format!("{start}{watch}^C\n$ kubectl create pod web-2\npod/web-2 created\n");
        let (mut session, report) = load_text(&text);
        let differs = u64::from(watch.contains("Running"));
        assert_eq!(counts(&report), (0, differs, 0), "{report:?}");
        assert_eq!(report.notes, vec![EVENTS; differs as usize], "{watch}");
        assert!(!session.exec("recv w1").stdout.contains("web-2"), "{watch}");
        assert!(
            session.exec("stop w1").stderr.contains("already stopped"),
            "{watch}"
        );
        // In the background, or without an interrupt, the watch stays open.
        let line = watch.lines().next().unwrap();
        for text in [format!("{line} &\n^C\n"), format!("{line}\n")] {
            let (mut session, _) = load_text(&format!("{start}{text}"));
            assert_eq!(session.exec("stop w1").exit, 0, "{text}");
        }
    }
    // The watch receives its list before it ends.
    let (mut session, _) = load_text(&format!("{start}$ kubectl get pods -w\n^C\n"));
    let run = session.run();
    let notes = run.scrollback().at(session.cursor());
    let notes: Vec<_> = notes.filter_map(|entry| entry.note()).collect();
    assert_eq!(
        notes.last(),
        Some(&"w1 is stopped. `start w1` starts the client again.")
    );
    assert!(session.exec("recv w1").stdout.contains("web-1"));
}

#[test]
fn an_interrupt_ends_no_other_watch() {
    // Here the interrupt ends the program of another terminal, or nothing.
    for text in [
        "$ etcdctl watch a &\n^C\n$ etcdctl put a 1\nOK\n",
        "$ etcdctl watch a\n$ etcdctl put a 1\nOK\n^C\n",
        "$ etcdctl watch a\n$ kubectl get pods -w\n^C\n$ etcdctl put a 1\nOK\n",
    ] {
        let (mut session, _) = load_text(text);
        let open = watches(&mut session);
        assert!(open.iter().any(|(name, _)| name == "w1"), "{text}");
    }
    // The interrupt ends a program that Watchglass does not run.
    let (mut session, _) =
        load_text("$ etcdctl watch a\n$ journalctl -f\nlog\n^C\n$ etcdctl put a 1\nOK\n");
    assert_eq!(watches(&mut session).len(), 1);
    // The shell does not run a line that ends with an interrupt.
    let (session, report) =
        load_text("$ etcdctl put a 1\nOK\n$ etcdctl put a 2^C\n$ ^C\n$ etcdctl get a\na\n1\n");
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(session.views().status.revision, 2);
}

#[test]
fn events_beside_an_output_are_not_compared_while_a_watch_runs() {
    for output in ["OK\nPUT\na\n1", "PUT\na\n1\nOK"] {
        let (_, report) = load_text(&format!(
            "$ etcdctl watch a &\n$ etcdctl put a 1\n{output}\n"
        ));
        assert_eq!(counts(&report), (0, 1, 0), "{output}");
        assert_eq!(report.notes, [EVENTS], "{output}");
        let (_, report) = load_text(&format!("$ etcdctl put a 1\n{output}\n"));
        assert_eq!(counts(&report), (1, 0, 0), "{output}");
        assert_eq!(report.notes, [""; 0], "{output}");
    }
}

#[test]
fn an_output_without_a_newline_ends_before_the_next_prompt() {
    let text = "e@h:~$ etcdctl put a 1\nOK\ne@h:~$ etcdctl get a --print-value-only | tee log\n\
                2e@h:~$ etcdctl put a 3\nOK\ne@h:~$ etcdctl get a --print-value-only\n3e@h:~$ \n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (1, 0, 0), "{report:?}");
    let command = "get a --print-value-only | tee log";
    assert_eq!(differing(&session), [(command.to_owned(), "2".to_owned())]);
    assert_eq!(session.views().status.revision, 3);
}

#[test]
fn an_alias_after_a_prompt_is_a_command() {
    let text = "root@etcd-0:/# alias ec='etcdctl --endpoints=127.0.0.1:2379'\nroot@etcd-0:/# ec put a 1\nOK\n\
                root@etcd-0:/# ec get a --print-value-only | tee log\n1root@etcd-0:/# ec put a 2\nOK\n\
                root@etcd-0:/# ec get a | head -c 7\n{\"x\":1}root@etcd-0:/# ec compact 2\ncompacted revision 2\n\
                root@etcd-0:/# ec get a --rev=1\n\
                Error: etcdserver: mvcc: required revision has been compacted\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 1, 0), "{report:?}");
    assert_eq!(report.compared, 5);
    assert_eq!(session.views().status.revision, 3);
    // A word that is no alias is an output.
    let text = text.replace("alias ec=", "alias e2=");
    assert_eq!(load_text(&text).0.views().status.revision, 1);
    // Root's prompt without a name.
    let text = "# alias ec=etcdctl\n# ec put a 1\nOK\n# etcdctl get a\na\n1\n# no alias\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(session.views().status.revision, 2);
}

#[test]
fn a_get_that_printed_nothing_is_compared() {
    let put = "$ etcdctl put a 1\nOK\n";
    for (get, differences) in [
        ("$ etcdctl get a\n$ etcdctl version\n", 1),
        ("$ etcdctl get a\n\n$ \n", 1),
        ("$ etcdctl get b\n$ \n", 0),
        ("$ etcdctl get a --rev=9 2>/dev/null\n$ \n", 0),
        // These transcripts do not show that the command printed nothing.
        ("$ etcdctl get a\n", 0),
        ("$ etcdctl get a\n# a comment\n$ ls\n", 0),
        ("$ etcdctl get a\n^C\n$ ls\n", 0),
        ("$ etcdctl get a > file\n$ ls\n", 0),
        ("$ etcdctl get a &\n$ ls\n", 0),
        ("$ etcdctl watch a --rev=1\n$ etcdctl put a 2\n$ ls\n", 0),
        ("$ etcdctl put a 2; etcdctl get a\n$ ls\n", 0),
    ] {
        let text = format!("{put}{get}");
        let (session, report) = load_text(&text);
        assert_eq!(report.differences, differences, "{text}");
        let differing = differing(&session);
        assert_eq!(differing.len() as u64, differences, "{text}");
        assert!(differing.iter().all(|(_, output)| output.is_empty()));
    }
    // Without any output, the text is only a list of commands.
    let (_, report) = load_text("$ etcdctl put a 1\n$ etcdctl get a\n$ etcdctl get a\n");
    assert_eq!((report.compared, counts(&report)), (0, (0, 0, 0)));
}

#[test]
fn the_remaining_time_of_a_lease_is_not_compared() {
    let text = "$ etcdctl lease grant 300\nlease 694d77aa9e38260f granted with TTL(300s)\n\
                $ etcdctl lease timetolive 694d77aa9e38260f\n\
                lease 694d77aa9e38260f granted with TTL(300s), remaining(271s)\n\
                $ etcdctl lease timetolive 694d77aa9e38260f\n\
                lease 694d77aa9e38260f granted with TTL(60s), remaining(271s)\n";
    let (_, report) = load_text(text);
    assert_eq!(counts(&report), (1, 0, 0), "{report:?}");
}

#[test]
fn dashes_in_an_output_are_output() {
    for text in [
        "PS C:\\> etcdctl put k1 -- ----\nOK\nPS C:\\> etcdctl get k1\nk1\n----\n",
        "# etcdctl put a -- ----\nOK\n# etcdctl get a\na\n----\n",
    ] {
        let (_, report) = load_text(text);
        assert_eq!(counts(&report), (0, 0, 0), "{text}: {report:?}");
    }
    let text = "PS C:\\> etcdctl put k1 1\nOK\nPS C:\\> kubectl cluster-info | select kind\nkind\n----\nput k1 2\n\n\
                PS C:\\> etcdctl get k1\nk1\n1\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
    assert_eq!(session.views().status.revision, 2);
    // The format of Watchglass, whose outputs may contain prompts of a user.
    let text = "put a '$ x'\n----\nOK\n\nget a\n----\na\n$ x\n";
    assert_eq!(counts(&load_text(text).1), (0, 0, 0));
}

/// Returns the outputs of the entries with this command.
fn printed(session: &Session, command: &str) -> Vec<String> {
    let run = session.run();
    let entries = run.scrollback().at(session.cursor());
    let entries = entries.filter(|entry| &*run.scrollback().line(entry.line).text == command);
    let printed = entries.map(|entry| String::from_utf8_lossy(&entry.output.stdout).into_owned());
    printed.collect()
}

#[test]
fn the_events_of_a_watch_are_compared_at_its_end() {
    let put = "$ etcdctl put a 1\nOK\n$ etcdctl watch a --rev=1";
    for end in ["^C\n", "", "^C\n$ etcdctl put a 2\nOK\n"] {
        let events = "PUT\na\n1\n";
        for (recorded, numbers, notes) in [
            ("PUT\na\n1\n", (0, 0, 0), vec![]),
            ("PUT\na\n2\n", (1, 0, 0), vec![]),
            ("PUT\na\n1\nPUT\na\n9\n", (0, 1, 0), vec![EVENTS]),
        ] {
            let text = format!("{put}\n{recorded}{end}");
            let (session, report) = load_text(&text);
            assert_eq!(counts(&report), numbers, "{text}");
            assert_eq!(report.notes, notes, "{text}");
            assert_eq!(printed(&session, "recv w1"), [events], "{text}");
            let differing = differing(&session);
            assert_eq!(differing.len() as u64, numbers.0, "{text}");
            assert!(differing.iter().all(|(command, _)| command == "recv w1"));
        }
    }
    // Without recorded events, the end of the text does not end the watch.
    assert_eq!(
        printed(&load_text(&format!("{put}\n")).0, "recv w1"),
        [""; 0]
    );
    let (session, report) = load_text(&format!("{put}\n^C\n"));
    assert_eq!(counts(&report), (0, 0, 0));
    assert_eq!(printed(&session, "recv w1"), ["PUT\na\n1\n"]);
}

#[test]
fn a_watch_that_the_server_cancels_is_compared() {
    let start = "$ etcdctl put foo 1\nOK\n$ etcdctl put foo 2\nOK\n$ etcdctl compact 3\ncompacted revision 3\n\
                 $ etcdctl watch foo --rev=2\n";
    let canceled = "watch was canceled (etcdserver: mvcc: required revision has been compacted)\n\
                    Error: watch is canceled by the server\n";
    for (recorded, differences) in [(canceled.to_owned(), 0), (format!("PUT\n{canceled}"), 1)] {
        let text = format!("{start}{recorded}$ etcdctl put foo 3\nOK\n");
        let (mut session, report) = load_text(&text);
        assert_eq!(counts(&report), (differences, 0, 0), "{report:?}");
        assert_eq!((report.compared, &*report.notes), (5, &[] as &[String]));
        assert_eq!(printed(&session, "recv w1").len(), 1);
        assert_eq!(printed(&session, "unwatch w1"), [""; 0]);
        assert_eq!(watches(&mut session), []);
    }
}

#[test]
fn echo_prints_the_exit_code_of_the_last_command() {
    for prompt in ["$ ", "# ", "% "] {
        let text = "$ etcdctl put a 1\nOK\n$ echo $?\n0\n$ etcdctl get a --rev=9 2>/dev/null\n$ echo $?\n1\n\
                    $ echo $?\n0\n$ etcdctl get a --rev=9 2>/dev/null; echo \"exit: $?\"\nexit: 1\n\
                    $ etcdctl get a >/dev/null && echo $?\n0\n$ echo $?\n1\n";
        let text = text.replace("$ e", &format!("{prompt}e"));
        let (session, report) = load_text(&text);
        assert_eq!(counts(&report).0, 1, "{text}: {report:?}");
        let last = ("echo $?".to_owned(), "1".to_owned());
        assert_eq!(differing(&session), [last], "{text}");
    }
}

#[test]
fn the_error_about_a_flag_is_before_and_after_the_page() {
    // Recorded in a terminal with etcdctl 3.4.23.
    let mut session = Session::default();
    session.exec("world profile=3.4");
    for (command, error) in [
        ("get a --revision=1", "Error: unknown flag: --revision\n"),
        (
            "get a --rev=abc",
            "Error: invalid argument \"abc\" for \"--rev\" flag: strconv.ParseInt: parsing \"abc\": invalid syntax\n",
        ),
    ] {
        let typed = session.exec(command);
        let text = format!(
            "$ etcdctl version\netcdctl version: 3.4.23\nAPI version: 3.4\n$ etcdctl {command}\n{error}{}\n{error}",
            typed.stdout
        );
        assert!(typed.stdout.starts_with("NAME:\n"));
        assert_eq!(counts(&load_text(&text).1), (0, 0, 0), "{text}");
        let terminal = Some(TerminalQuery { last: 1, beat: 0 });
        let queries = Queries {
            terminal,
            ..Queries::default()
        };
        session.handle(
            ToEngine::Notification(Notification::Show(queries.into())),
            &mut Vec::new(),
        );
        let entry = session.views().terminal.unwrap().entries.pop().unwrap();
        assert!(entry.starts_with_errors);
        assert_eq!(entry.stderr, error);
        assert_eq!(entry.stdout, format!("{}\n{error}", typed.stdout));
    }
}

#[test]
fn constructs_of_the_shell_are_skipped_with_a_plain_reason() {
    let scripts = "Watchglass does not run shell scripts.";
    let history = "Watchglass has no command `history`; the arrow keys show earlier lines";
    let by_number = "Watchglass does not run commands of a shell's history; type the whole command";
    let programs = "`systemctl` is not a command here: Watchglass runs etcdctl,";
    for (line, reason) in [
        (
            "if etcdctl get a; then etcdctl put evil 1; else etcdctl get b; fi\na\n1\nOK",
            scripts,
        ),
        (
            "if etcdctl get a\n> then etcdctl get b\n> etcdctl put evil 1\n> fi\nOK",
            scripts,
        ),
        ("while true; do etcdctl put evil 1; done\nOK", scripts),
        ("history\n  101  etcdctl get a", history),
        ("!101\netcdctl get a\na\n1", by_number),
        ("systemctl restart etcd", programs),
        ("sudo systemctl status etcd\n* etcd.service", programs),
    ] {
        let (session, report) = load_text(&format!("$ etcdctl put a 1\nOK\n$ {line}\n"));
        assert_eq!(counts(&report), (0, 0, 1), "{line}: {report:?}");
        let why = &report.first_skipped[0].why;
        assert!(why.starts_with(reason), "{line}: {why}");
        assert_eq!(session.views().status.revision, 2, "{line}");
    }
    // `timeout` ends the watch.
    let text = "$ timeout -s INT 2 etcdctl put a 1\nOK\n$ timeout 2 etcdctl watch a --rev=1\nPUT\na\n1\n\
                $ etcdctl put a 2\nOK\n";
    let (mut session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 0, 0), "{report:?}");
    assert_eq!(report.compared, 3);
    assert_eq!(watches(&mut session), []);
}

#[test]
fn an_event_after_a_prompt_is_output_of_the_watch() {
    let text = "etcd-0$ etcdctl watch a &\n[1] 4711\netcd-0$ etcdctl put a 1\nOK\netcd-0$ PUT\na\n1\n\
                etcdctl put a 2\nOK\netcd-0$ PUT\na\n2\n\netcd-0$ etcdctl del a\n1\netcd-0$ DELETE\na\n\n\
                etcd-0$ etcdctl get a\netcd-0$ etcdctl get a --rev=3\na\n2\n";
    let (session, report) = load_text(text);
    assert_eq!(counts(&report), (0, 4, 0), "{report:?}");
    assert_eq!(report.notes, [EVENTS]);
    assert_eq!(session.views().status.revision, 4);
    // Without a watch, this is a command.
    let (_, report) = load_text("$ etcdctl put a 1\nOK\n$ PUT\n");
    assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
}

#[test]
fn a_put_that_waited_for_its_value_is_skipped() {
    for text in [
        "$ etcdctl put a 1\nOK\n$ etcdctl put k4\n^C\n$ etcdctl get a\na\n1\n",
        "etcdctl put a 1\netcdctl --debug put k4\n^C\netcdctl get a\n",
    ] {
        let (_, report) = load_text(text);
        assert_eq!(counts(&report), (0, 0, 1), "{report:?}");
        assert!(
            report.first_skipped[0]
                .why
                .starts_with("the command waited for its value on standard input")
        );
    }
    let (_, report) =
        load_text("$ time etcdctl put a 1\nOK\n\nreal\t0m0.012s\nuser\t0m0.004s\nsys\t0m0.004s\n");
    assert_eq!(report.notes, ["3 lines of `time` not compared."]);
}

#[test]
fn flags_without_an_effect_are_not_shown() {
    let text = "$ etcdctl --endpoints=localhost:2379 --cacert ca.crt put a 'x --cert=y'\nOK\n\
                $ etcdctl get a --insecure-skip-tls-verify --command-timeout=3s --key='a b'\nOK\n\
                $ etcdctl get a --insecure-skip-tls-verify --command-timeout=3s --key=k\nOK\n";
    let (session, _) = load_text(text);
    assert_eq!(printed(&session, "put a 'x --cert=y'"), ["OK\n"]);
    for command in [
        "get a --command-timeout=3s '--key=a b'",
        "get a --command-timeout=3s",
    ] {
        assert_eq!(printed(&session, command), ["a\nx --cert=y\n"], "{command}");
    }
}
