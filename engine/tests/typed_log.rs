//! A run is saved as its typed lines. When the run is opened again, it has the same keys and prints the same errors.

use watchglass_engine::session::{
    Done, FromEngine, Read, Request, SeekTo, Session, Source, ToEngine,
};

fn keys(session: &Session) -> Vec<String> {
    let index = session.world().at_endpoint().store().index();
    let live = index
        .iter()
        .map(|key| String::from_utf8_lossy(&key.key).into_owned());
    live.collect()
}

fn text(session: &mut Session, message: ToEngine) -> String {
    let mut out = Vec::new();
    session.handle(message, &mut out);
    let found = out.into_iter().find_map(|message| match message {
        FromEngine::Done {
            done: Done::Text(text),
            ..
        } => Some(text),
        _ => None,
    });
    found.expect("save and link are answered with a text")
}

fn saved(session: &mut Session) -> Source {
    Source::Saved(text(
        session,
        ToEngine::Request(1, Request::Read(Read::Save)),
    ))
}

fn link(session: &mut Session) -> Source {
    let view = String::new();
    Source::Link(text(
        session,
        ToEngine::Request(1, Request::Read(Read::Link { view })),
    ))
}

fn opened(source: Source) -> Session {
    let mut session = Session::default();
    let done = session.load(source, SeekTo::Default);
    assert!(matches!(done, Done::Loaded { .. }), "{done:?}");
    session
}

/// Returns the content of the terminal: each command with its output.
fn terminal(session: &Session) -> Vec<(String, Vec<u8>)> {
    let scrollback = session.run().scrollback();
    let shown = scrollback.at(session.run().len()).map(|entry| {
        let line = scrollback.line(entry.line);
        (line.text.to_string(), entry.output.stderr.clone())
    });
    shown.collect()
}

#[test]
fn a_refused_line_is_kept_with_the_lines_that_it_continues() {
    let mut session = Session::default();
    session.exec("put /x 1");
    session.exec("show \\");
    let refused = session.exec("put /never 1");
    assert_ne!(refused.exit, 0, "{refused:?}");
    session.exec("put /y 1");
    assert_eq!(keys(&session), ["/x", "/y"]);
    for source in [saved(&mut session), link(&mut session)] {
        let again = opened(source);
        assert_eq!(keys(&again), ["/x", "/y"]);
        assert_eq!(terminal(&again), terminal(&session));
        assert_eq!(again.world().digest(), session.world().digest());
    }
    let refused = &terminal(&session)[1];
    assert_eq!(refused.0, "show \\\nput /never 1");
}

#[test]
fn a_refused_line_in_one_text_with_others_is_kept_whole() {
    let mut session = Session::default();
    session.exec("put /x 1\nshow \\\n\\\nput /never 1\nput /y \\\n1\nput 'open");
    assert_eq!(keys(&session), ["/x", "/y"]);
    let again = opened(saved(&mut session));
    assert_eq!(keys(&again), ["/x", "/y"]);
    assert_eq!(terminal(&again), terminal(&session));
}

#[test]
fn a_watch_that_cannot_be_read_is_kept_with_its_lines() {
    let mut session = Session::default();
    session.exec("watch -i as w1\nwatch /a\nwatch /b -- echo hi\n\nput /a 1");
    let again = opened(saved(&mut session));
    assert_eq!(terminal(&again), terminal(&session));
    assert_eq!(again.world().digest(), session.world().digest());
}

#[test]
fn what_is_half_typed_goes_on_in_the_opened_run() {
    let mut session = Session::default();
    session.exec("put /x \\");
    let mut again = opened(saved(&mut session));
    assert_eq!(again.pending(), session.pending());
    again.exec("1");
    assert_eq!(keys(&again), ["/x"]);
    let again = opened(saved(&mut again));
    assert_eq!(keys(&again), ["/x"]);
}

/// The saved runs in this test are from older releases. These releases did not store typed text as whole lines: they
/// stored the last line of a refused command as a separate command.
#[test]
fn older_runs_and_links_open_with_the_commands_that_they_hold() {
    const SAVED: &str =
        "watchglass-run-1.AQMzLjYqAwAACHB1dCAveCAxAAEMcHV0IC9uZXZlciAxAAEIcHV0IC95IDEAAg";
    const LINK: &str = "v1.Y2Q21jPTYmZg4CgoLVHQr1AwZGDiATPzUstSi4BcqEwlSIYBAA";
    for source in [Source::Saved(SAVED.into()), Source::Link(LINK.into())] {
        let session = opened(source);
        // The position of the last command is before the step of the wrong command.
        assert_eq!(keys(&session), ["/never", "/x"]);
        assert_eq!(session.world().at_endpoint().store().current_rev(), 3);
    }
}
