//! Links of version 1 and addresses of figures, which were saved before links contained typed commands. Each of them
//! still opens with the same commands and branches, and with the cursor after the same command.

use serde_json::{Value, json};
use watchglass_engine::session::permalink::Permalink;
use watchglass_engine::session::{Done, Read, Request, SeekTo, Session, Source, ToEngine};

use crate::support::{answer_text, list, load, text};

/// Returns the state of an opened run that the page shows, in the format of the fixtures.
fn shown(session: &mut Session) -> Value {
    let view = "index".into();
    let link = answer_text(
        session,
        ToEngine::Request(7, Request::Read(Read::Link { view })),
    );
    let saved = Permalink::from_text(&link)
        .expect("a link that was just made")
        .saved;
    let typed: Vec<Value> = saved
        .log
        .iter()
        .map(|item| json!([item.at.branch, item.text]))
        .collect();
    let status = session.views().status;
    let branches: Vec<Value> = status
        .branches
        .iter()
        .map(|branch| {
            json!([
                branch.id,
                branch.parent.map(|parent| parent.branch),
                branch.label
            ])
        })
        .collect();
    json!({
        "typed": typed,
        "branches": branches,
        "branch": status.branch,
        "command": status.command,
        "next": status.next,
        "revision": status.revision,
        "compact_revision": status.compact_revision,
        "live_keys": status.live_keys,
        "rows": status.rows,
    })
}

fn opened(source: Source, at: SeekTo) -> Session {
    let mut session = Session::default();
    match session.load(source, at) {
        Done::Loaded { .. } => session,
        other => panic!("it does not open: {other:?}"),
    }
}

#[test]
fn fifty_links_open_as_they_were() {
    let kept = load("links_v1.json");
    let links = list(&kept, "links");
    assert_eq!(links.len(), 50);
    for link in links {
        let source = Source::Link(text(&link["link"]).to_owned());
        let mut session = opened(source, SeekTo::Default);
        let kept = kept_as_shown(link, &session.views().status.title);
        assert_eq!(shown(&mut session), kept, "{}", link["name"]);
    }
}

#[test]
fn twenty_figures_show_the_step_that_they_name() {
    let kept = load("links_v1.json");
    let figures = list(&kept, "figures");
    assert_eq!(figures.len(), 20);
    for figure in figures {
        let name = text(&figure["scenario"]);
        let step = figure["step"].as_u64().expect("a step");
        let mut session = opened(scenario(name), SeekTo::Step(step));
        let kept = kept_as_shown(figure, &session.views().status.title);
        assert_eq!(shown(&mut session), kept, "{name} at step {step}");
    }
}

/// Returns the state stored in the fixture, with two corrections. The first branch gets the current title of the run,
/// because titles may change. If the fixture names the same command as the unfinished command and as the next command,
/// the result has no next command.
fn kept_as_shown(kept: &Value, title: &str) -> Value {
    let mut shows = kept["shows"].clone();
    shows["branches"][0][2] = title.into();
    if shows["next"] == shows["command"] {
        shows["next"] = Value::Null;
    }
    shows
}

/// Returns the source that the address of a figure names: a story, or a behaviour file.
fn scenario(name: &str) -> Source {
    let path = format!("{}/tests/behaviour/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(path) {
        Ok(text) => Source::Text(text),
        Err(_) => Source::Story(name.to_owned()),
    }
}
