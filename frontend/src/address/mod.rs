//! Reads the page's address: the run to open, the position in the run, and the way to show the run.
//!
//! Both the app and figures read `?scenario=two-generations&at=step:14&view=index,watch`; figures also read
//! `&controls=mini&readonly`, and the app reads `&play` and `&present`. A link (`#v4.…`) contains a whole run, and
//! `?lesson=L01` names a lesson. `?practice` opens practice, and `?practice=version-3` one exercise. `?write` opens the
//! page for authors of lessons. If the name of a scenario contains a `/`, it is the name of a file, which
//! `static/start.js` has already fetched.
//!
//! If a part of the address is invalid, the page reports an error instead of guessing. A figure that shows another
//! position than the text around it describes would mislead the reader.

pub mod link;

use watchglass_engine::session::default_profile;
use watchglass_engine::session::permalink::is_link;
use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::{SeekTo, Source};

use crate::keep::opening::Opening;
use crate::keep::slot::SEED;
use crate::keep::{RunId, Wanted};
use crate::state::choices::{Theme, View};
use crate::state::ui::{Controls, Dialog, Figure};
use crate::words::state as words;

/// The key under which [`Address::read`] gets the text of the scenario, if the scenario is a file. No address contains
/// this key.
const FETCHED: &str = "scenario.txt";

/// The parsed content of an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Address {
    /// The run to open and the position in it, if the address names a source.
    pub opening: Option<Opening>,
    /// The id of the saved run, if the address names a saved run.
    pub run: Option<RunId>,
    /// The views that the user can choose from. The page opens with the first of these views.
    pub views: Vec<View>,
    pub theme: Option<Theme>,
    /// Whether the page opens practice. Without a source, the page chooses the exercise.
    pub practises: bool,
    /// Whether the page is the page for authors of lessons.
    pub writes: bool,
    /// Whether playback starts immediately.
    pub play: bool,
    /// Whether the app starts in presenter mode.
    pub present: bool,
    /// The size of the controls below a figure.
    pub controls: Controls,
    pub readonly: bool,
    /// The dialog of the app that is open at first.
    pub dialog: Option<Dialog>,
    /// The invalid part of the address.
    pub wrong: Option<String>,
}

impl Address {
    pub fn of_page() -> Address {
        let query = gloo::utils::window().location().search();
        let query = query.unwrap_or_default();
        let query = web_sys::UrlSearchParams::new_with_str(&query).ok();
        let get = |name: &str| match name {
            FETCHED => link::fetched_scenario(),
            name => query.as_ref().and_then(|query| query.get(name)),
        };
        Address::read(get, link::from_address())
    }

    /// Parses an address from the values of its query parameters and from the link after its `#`.
    pub fn read(get: impl Fn(&str) -> Option<String>, link: Option<String>) -> Address {
        let mut wrong = None;
        let mut at = SeekTo::Default;
        if let Some(text) = get("at") {
            match place(&text) {
                Some(place) => at = place,
                None => {
                    wrong.get_or_insert(words::invalid_position(&text));
                }
            }
        }
        let mut views = Vec::new();
        for name in get("view").iter().flat_map(|names| names.split(',')) {
            match View::from_name(name.trim()) {
                Some(view) if views.contains(&view) => {}
                Some(view) => views.push(view),
                None => {
                    let known = View::ALL.map(View::name).join(", ");
                    wrong.get_or_insert(words::unknown_view(name.trim(), &known));
                }
            }
        }
        let theme = get("theme").and_then(|name| Theme::from_name(&name));
        let mut controls = Controls::default();
        if let Some(name) = get("controls") {
            match Controls::from_name(&name) {
                Some(known) => controls = known,
                None => {
                    wrong.get_or_insert(words::invalid_controls(&name));
                }
            }
        }
        let practice = get(link::PRACTICE);
        let exercise = practice.clone().filter(|name| !name.is_empty());
        let exercise = exercise.filter(|name| {
            let is_known = Item::named(name).is_some();
            if !is_known {
                wrong.get_or_insert(words::unknown_exercise(name));
            }
            is_known
        });
        // The fetched text belongs to the scenario file, also after the page has shown other runs.
        let file = get("scenario").filter(|name| name.contains('/'));
        let source = link
            .map(Source::Link)
            .or_else(|| get("lesson").map(Source::Lesson))
            .or_else(|| exercise.map(Source::Lesson))
            .or_else(|| file.and_then(|_| get(FETCHED)).map(Source::Text))
            .or_else(|| get("scenario").map(|name| source(&name)));
        let dialog = match get("dialog").as_deref() {
            None => None,
            Some("fidelity") => Some(Dialog::Fidelity(None)),
            Some("help") => Some(Dialog::Help),
            Some("lessons") => Some(Dialog::Lessons),
            Some("palette") => Some(Dialog::Palette { returns: false }),
            Some("runs") => Some(Dialog::Runs),
            Some("snapshot") => Some(Dialog::File),
            Some("transcript") => Some(Dialog::Open(String::new())),
            Some(name) => {
                wrong.get_or_insert(words::unknown_dialog(name));
                None
            }
        };
        Address {
            run: get(link::RUN).filter(|_| source.is_none()),
            writes: get(link::WRITE).is_some() && source.is_none(),
            opening: source.map(|source| Opening { source, at }),
            views,
            theme,
            controls,
            practises: practice.is_some(),
            play: get("play").is_some(),
            present: get("present").is_some(),
            dialog,
            readonly: get("readonly").is_some_and(|value| value != "false"),
            wrong,
        }
    }

    pub fn wanted(&self) -> Wanted {
        match (&self.opening, &self.run) {
            (Some(opening), _) => Wanted::from(opening.clone()),
            (None, Some(id)) => Wanted::Run(id.clone()),
            (None, None) => Wanted::Last,
        }
    }

    pub fn figure(&self) -> Figure {
        Figure {
            controls: self.controls,
            views: self.views.clone(),
            readonly: self.readonly,
        }
    }
}

/// Returns the source that a name describes: a story, an empty store, or a link.
pub fn source(name: &str) -> Source {
    let empty = |profile: &str| Source::Empty {
        profile: profile.to_owned(),
        seed: SEED,
    };
    match name {
        "empty" => empty(default_profile()),
        "empty-3.4" | "empty-3.5" | "empty-3.6" | "empty-3.7" => empty(&name["empty-".len()..]),
        text if is_link(text.trim_start_matches('#')) => Source::Link(text.to_owned()),
        story => Source::Story(story.to_owned()),
    }
}

/// Returns the address of a scenario that is a file, or of one of its beats. The page loads again at this address, and
/// is in presenter mode afterwards if `presents`.
pub fn of_scenario(name: &str, beat: Option<u64>, presents: bool) -> String {
    let at = beat.map(|beat| format!("&at=beat:{beat}"));
    let present = if presents { "&present" } else { "" };
    ["?scenario=", name, &at.unwrap_or_default(), present].concat()
}

/// Parses a position in a run, such as `step:14`. Addresses and attributes of `<watch-glass>` use this form.
fn place(text: &str) -> Option<SeekTo> {
    match text.split_once(':') {
        None => match text {
            "start" => Some(SeekTo::Step(0)),
            "end" => Some(SeekTo::End),
            _ => None,
        },
        Some(("step", number)) => number.parse().ok().map(SeekTo::Step),
        Some(("revision", number)) => number.parse().ok().map(SeekTo::Revision),
        Some(("beat", number)) => number.parse().ok().map(SeekTo::Beat),
        Some(("time_us", number)) => number.parse().ok().map(SeekTo::TimeUs),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &[(&str, &str)]) -> Address {
        let get = |name: &str| {
            let found = query.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Address::read(get, None)
    }

    #[test]
    fn a_moment_of_a_story() {
        let address = read(&[
            ("scenario", "slow-client"),
            ("at", "step:14"),
            ("view", "watch, index"),
            ("readonly", ""),
        ]);
        let opening = Opening {
            source: Source::Story("slow-client".to_owned()),
            at: SeekTo::Step(14),
        };
        assert_eq!(address.opening, Some(opening));
        assert_eq!(address.views, [View::Watch, View::Index]);
        assert!(address.readonly);
        assert_eq!(address.wrong, None);
    }

    #[test]
    fn practice_is_opened_with_or_without_an_exercise() {
        let bare = read(&[("practice", "")]);
        assert!(bare.practises && bare.opening.is_none() && bare.wrong.is_none());
        let one = read(&[("practice", "version-3")]);
        let source = one.opening.map(|opening| opening.source);
        assert_eq!(source, Some(Source::Lesson("version-3".to_owned())));
        let unknown = read(&[("practice", "version")]);
        assert!(unknown.practises && unknown.opening.is_none());
        assert!(unknown.wrong.unwrap_or_default().contains("\"version\""));
    }

    #[test]
    fn the_page_for_authors_has_an_address_and_a_lesson_goes_before() {
        assert!(read(&[("write", "")]).writes);
        assert!(!read(&[("write", ""), ("lesson", "L04")]).writes);
    }

    #[test]
    fn a_bare_address_asks_for_nothing() {
        assert_eq!(read(&[]), Address::default());
    }

    #[test]
    fn every_kind_of_moment() {
        for (text, expected) in [
            ("start", SeekTo::Step(0)),
            ("end", SeekTo::End),
            ("step:0", SeekTo::Step(0)),
            ("revision:9", SeekTo::Revision(9)),
            ("beat:3", SeekTo::Beat(3)),
            ("time_us:1500", SeekTo::TimeUs(1500)),
        ] {
            assert_eq!(place(text), Some(expected), "{text}");
        }
        for text in ["", "14", "step", "step:", "step:-1", "step:x", "rev:3"] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (name, value, part) in [
            ("at", "14", "step:14"),
            ("view", "index,loom", "no view \"loom\""),
            ("controls", "all", "full, mini or none"),
            (
                "dialog",
                "all",
                "fidelity, help, lessons, palette, runs, snapshot or transcript",
            ),
        ] {
            let wrong = read(&[(name, value)]).wrong.unwrap_or_default();
            assert!(wrong.contains(part), "{wrong}");
        }
    }

    #[test]
    fn a_kept_run_is_named_by_its_id_and_a_source_goes_before() {
        assert_eq!(read(&[("app", "")]).wanted(), Wanted::Last);
        let run = read(&[("run", "7.1")]);
        assert_eq!(run.wanted(), Wanted::Run("7.1".to_owned()));
        let both = read(&[("run", "7.1"), ("scenario", "empty")]);
        assert!(matches!(both.wanted(), Wanted::Source { .. }));
    }

    #[test]
    fn a_scenario_may_be_a_file() {
        let address = read(&[("scenario", "cache/x"), (FETCHED, "#! title: X")]);
        let source = address.opening.map(|opening| opening.source);
        assert_eq!(source, Some(Source::Text("#! title: X".to_owned())));
    }

    #[test]
    fn the_next_run_of_a_presentation_opens_in_presenter_mode() {
        assert_eq!(of_scenario("cache/x", None, false), "?scenario=cache/x");
        assert_eq!(
            of_scenario("cache/x", Some(2), true),
            "?scenario=cache/x&at=beat:2&present"
        );
        assert!(read(&[("scenario", "cache/x"), ("present", "")]).present);
        assert!(!read(&[("scenario", "cache/x")]).present);
        let link = Some("v1.abc".to_owned());
        let of_link = Address::read(|name| (name == "present").then(String::new), link);
        assert!(of_link.present);
    }

    #[test]
    fn a_scenario_may_be_a_store_or_a_link() {
        assert!(matches!(source("empty-3.4"), Source::Empty { .. }));
        assert!(matches!(source("v1.abc"), Source::Link(_)));
        assert!(matches!(source("video"), Source::Story(_)));
    }
}
