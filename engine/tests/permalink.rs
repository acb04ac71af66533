//! Tests of links: every link opens the run as it was saved, and no text in place of a link causes a crash.

use crate::support::answer_text;
use watchglass_engine::api::Profile;
use watchglass_engine::base::base64;
use watchglass_engine::base::rng::Rng;
use watchglass_engine::session::permalink::{CHARS_MAX, Permalink};
use watchglass_engine::session::save::{LogItem, Saved};
use watchglass_engine::session::{
    Done, FromEngine, Read, Request, SeekTo, Session, Source, ToEngine,
};
use watchglass_engine::view::Moment;

/// The number of slices for which a mutated link may run: enough to find a crash, and few enough for a fast test.
const PUMPS: usize = 40;

fn link(session: &mut Session) -> String {
    let view = "watch".into();
    answer_text(
        session,
        ToEngine::Request(7, Request::Read(Read::Link { view })),
    )
}

fn open(text: &str) -> Result<Session, String> {
    let mut session = Session::default();
    let mut out = Vec::new();
    let load = ToEngine::Request(
        1,
        Request::Load {
            source: Source::Link(text.into()),
            at: SeekTo::Default,
        },
    );
    session.handle(load, &mut out);
    while session.pump(64, &mut out) {}
    match out.into_iter().find_map(|message| match message {
        FromEngine::Done { id: 1, done } => Some(done),
        _ => None,
    }) {
        Some(Done::Loaded { .. }) => Ok(session),
        Some(Done::Refused { message }) => Err(message),
        other => panic!("a load ends with {other:?}"),
    }
}

/// Returns the session of a simulated person who types, moves the cursor back and types again.
fn random_run(seed: u64) -> Session {
    let mut rng = Rng::stream(seed, "a run for a link");
    let mut session = Session::default();
    if rng.chance(1, 3) {
        session.exec("world profile=3.4 seed=5");
    }
    for n in 0..5 + rng.below(40) {
        let key = ["/a", "/b", "/c/d", "ü"][rng.below(4) as usize];
        let line = match rng.below(12) {
            0..5 => format!("put {key} 'value {n}'"),
            5 => format!("del {key}"),
            6 => format!("get {key} --prefix"),
            7 => format!("watch {key} --prefix --rev=1 as w{n}"),
            8 => "run 250ms".into(),
            9 => format!("compact {}", 1 + rng.below(6)),
            10 => "set watch-channel 4".into(),
            _ => "lease grant 5".into(),
        };
        session.exec(&line);
        if rng.chance(1, 8) {
            let to = rng.below(session.run().len() + 1);
            session.seek(SeekTo::Step(to));
        }
    }
    session
}

#[test]
fn fifty_random_runs_come_back() {
    for seed in 0..50 {
        let mut session = random_run(seed);
        let text = link(&mut session);
        assert!(text.len() <= CHARS_MAX, "seed {seed}: {}", text.len());
        let again = open(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert_eq!(again.cursor(), session.cursor(), "seed {seed}");
        assert_eq!(
            again.world().digest(),
            session.world().digest(),
            "seed {seed}"
        );
        let ends = (again.run().head().digest(), session.run().head().digest());
        assert_eq!(ends.0, ends.1, "seed {seed}");
    }
}

#[test]
fn a_short_run_is_a_short_link() {
    let mut session = Session::default();
    for n in 0..30 {
        session.exec(&format!("put /registry/pods/default/web-{n} value{n}"));
    }
    let text = link(&mut session);
    assert!(text.len() < 500, "{} characters", text.len());
}

#[test]
fn the_first_link_still_opens() {
    let text = include_str!("data/link-v1.txt");
    let session = open(text).expect("it opens");
    assert_eq!(session.cursor(), 7);
    assert_eq!(session.run().len(), 10);
    assert_eq!(session.world().at_endpoint().store().current_rev(), 4);
    assert_eq!(Permalink::from_text(text).expect("it reads").view, "index");
}

#[test]
fn twenty_thousand_broken_links_are_refused_or_opened() {
    let texts: Vec<String> = (0..8).map(|seed| link(&mut random_run(seed))).collect();
    let mut rng = Rng::stream(1, "broken links");
    let mut opened = 0;
    for _ in 0..20_000 {
        let text = broken(&texts[rng.below(8) as usize], &mut rng);
        let Ok(read) = Permalink::from_text(&text) else {
            continue;
        };
        opened += 1;
        if opened % 20 > 0 {
            continue;
        }
        let mut session = Session::default();
        let load = ToEngine::Request(
            1,
            Request::Load {
                source: Source::Link(text),
                at: SeekTo::Default,
            },
        );
        let mut out = Vec::new();
        session.handle(load, &mut out);
        for _ in 0..PUMPS {
            session.pump(1, &mut out);
        }
        drop(read);
    }
}

fn broken(text: &str, rng: &mut Rng) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.#<% ";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len().max(1) as u64) as usize;
        let digit = DIGITS[rng.below(DIGITS.len() as u64) as usize];
        match rng.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), digit),
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            _ if at < bytes.len() => bytes[at] = digit,
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_link_that_unpacks_to_too_much_is_refused() {
    let mut session = Session::default();
    session.exec(&format!("# {}", "x".repeat(1000)));
    let huge = Permalink {
        saved: Saved::new(
            Source::Text("x".repeat(20 << 20)),
            Vec::new(),
            Moment::default(),
        ),
        view: String::new(),
    };
    let why = Permalink::from_text(&huge.to_text()).expect_err("it is a bomb");
    assert!(why.contains("damaged"), "{why}");
    let why = Permalink::from_text("v5.abc").expect_err("another form");
    assert!(why.contains("newer"), "{why}");
    let why = Permalink::from_text("hello").expect_err("no link");
    assert!(why.contains("does not start"), "{why}");
}

#[test]
fn a_kept_run_is_still_written_as_branch_and_step() {
    let saved = Saved::new(
        Source::Story("s".into()),
        vec![LogItem {
            at: Moment { branch: 1, step: 2 },
            text: "t".into(),
        }],
        Moment { branch: 3, step: 5 },
    );
    let bytes = [0, 1, b's', 1, 1, 2, 1, b't', 3, 5];
    let profile = Profile::default().api_version().as_bytes();
    let with_profile = [&bytes[..], &[3], profile].concat();
    let text = format!("watchglass-run-4.{}", base64::encode(&with_profile));
    assert_eq!(saved.to_text(), text);
    let text = format!("watchglass-run-3.{}", base64::encode(&bytes));
    let old = Saved::from_text(&text).expect("a run of version 3");
    assert_eq!(old.profile, Profile::V3_6);
    assert_eq!(old.to_text(), text);
}

/// In runs of version 1, lists from informers and from kubectl request all objects at once, as they did when the runs
/// were created.
#[test]
fn runs_and_links_of_version_1_keep_how_their_clients_list() {
    let mut session = Session::default();
    let text = "apiserver api-1\ninformer pods as c\nrun 10ms\nkubectl get pods\n";
    for (version, is_old) in [("4", false), ("3", false), ("2", false), ("1", true)] {
        session.load(Source::Text(text.into()), SeekTo::End);
        let kept = answer_text(
            &mut session,
            ToEngine::Request(1, Request::Read(Read::Save)),
        );
        let kept = kept.replace("run-4.", &format!("run-{version}."));
        session.load(Source::Saved(kept), SeekTo::End);
        let requests = session.exec("show requests pods 9").stdout;
        assert_eq!(requests.contains("c: LIST pods"), is_old, "{requests}");
        assert_eq!(
            requests.contains("-n default limit=500"),
            !is_old,
            "{requests}"
        );
        let again = answer_text(
            &mut session,
            ToEngine::Request(2, Request::Read(Read::Save)),
        );
        assert!(
            again.starts_with(&format!("watchglass-run-{version}.")),
            "{again}"
        );
        let view = String::new();
        let link = answer_text(
            &mut session,
            ToEngine::Request(3, Request::Read(Read::Link { view })),
        );
        assert!(link.starts_with(&format!("v{version}.")), "{link}");
    }
}
