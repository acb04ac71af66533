//! Writes the table of contents: a page of cards for people (`scenarios.html`) and a text for the palette
//! (`contents.txt`). The sources are the first lines of the published files, `docs/glossary.md` and `docs/fidelity.md`.

use std::io;
use std::path::Path;

use watchglass_engine::scenario::document::{DOCUMENTS, Document, DocumentSection};
use watchglass_engine::scenario::{format, lessons as texts};
use watchglass_engine::session::cover::cover;
use watchglass_engine::session::protocol::{Request, ToEngine};
use watchglass_engine::session::{SeekTo, Session, Source, stories};
use watchglass_engine::view::{CacheQuery, Queries, TerminalQuery, Views};
use watchglass_frontend::panels::lesson::goal;
use watchglass_frontend::state::contents::{ContentsEntry, ContentsKind, HEAD};
use watchglass_frontend::state::lessons;
use yew::prelude::*;

use super::museum;
use super::{BEHAVIOUR, ask_lessons, ask_views, look, render, runs, write};

/// A section of the page: all behaviour files in a folder, or the files of a folder that have the same `#! topic:`. The
/// list of topics is in the order of the page.
struct Topic {
    folder: &'static str,
    title: &'static str,
    level: &'static str,
}

/// The maximum number of commands in the picture of a card.
const COVER_ENTRIES: u32 = 4;

/// The number of sections before the sections of the topics: the lessons, the challenges, the stories and the
/// museum.
const UNTOPICAL: usize = 4;
/// The time for a challenge, whose text names none.
const CHALLENGE_MINUTES: u32 = 2;
const MUSEUM_HEADING: &str = "Museum of real bugs";
/// The prefix of the headings of topics about the watch cache.
const CACHE: &str = "Watch cache: ";

const FIDELITY: &str = include_str!("../../../docs/fidelity.md");

const BEGINNER: &str = "beginner";
const INTERMEDIATE: &str = "intermediate";
const ADVANCED: &str = "advanced";

const TOPICS: [Topic; 18] = [
    topic("timelines", "The first minutes of a store", BEGINNER),
    topic("mvcc", "Revisions, generations and reads", BEGINNER),
    topic("txn", "Transactions", INTERMEDIATE),
    topic("lease", "Leases", INTERMEDIATE),
    topic("compaction", "Compaction", INTERMEDIATE),
    topic("watch", "Watches", INTERMEDIATE),
    topic("backend", "The database file", ADVANCED),
    topic("auth", "Users, roles and permissions", INTERMEDIATE),
    topic("cluster", "A cluster that can break", INTERMEDIATE),
    topic("qos", "Limits on expensive requests, a proposal", ADVANCED),
    topic("shell", "etcdctl and its output", ADVANCED),
    topic(
        "cache",
        "Who serves a read, and how fresh it is",
        INTERMEDIATE,
    ),
    topic("cache", "API servers and their clients", INTERMEDIATE),
    topic("cache", "What a watch cache saves", INTERMEDIATE),
    topic(
        "cache",
        "etcd restarts or is restored from a backup",
        ADVANCED,
    ),
    topic("cache", "An API server is cut off, late, or new", ADVANCED),
    topic("cache", "etcd is too old", ADVANCED),
    topic("cache", "Who compacts etcd", ADVANCED),
];

/// Pairs of runs of the same section. The second run builds on the first run, but precedes it in alphabetical order.
const PAIRS: [(&str, &str); 1] = [(
    "cache/a_stale_list_runs_a_pod_twice",
    "cache/a_consistent_list_runs_a_pod_once",
)];

const fn topic(folder: &'static str, title: &'static str, level: &'static str) -> Topic {
    Topic {
        folder,
        title,
        level,
    }
}

impl Topic {
    /// The heading names the watch cache, because the titles of the runs about the cache do not.
    fn heading(&self) -> String {
        match self.folder {
            "cache" => [CACHE, self.title].concat(),
            _ => self.title.to_owned(),
        }
    }
}

/// The reading time of a word, and the minimum display time of a beat, in
/// milliseconds. The values are the same as in `frontend/src/state/playback.rs`.
const WORD_MS: usize = 250;
const BEAT_MS: usize = 4_000;

struct Card {
    listed: ContentsEntry,
    /// The sections of documents that the run or the lesson shows.
    sources: Vec<DocumentSection>,
    minutes: usize,
    level: String,
    picture: Html,
}

impl Card {
    fn href(&self) -> String {
        let target = &self.listed.target;
        match self.listed.kind {
            ContentsKind::Lesson => format!("./?lesson={target}"),
            _ => format!("./?scenario={target}"),
        }
    }

    /// Adds the documents to the words by which the palette finds the run.
    fn with_sources(mut self, sources: Vec<DocumentSection>) -> Self {
        for source in &sources {
            let words = [" · ", source.document.title, ", ", source.name].concat();
            self.listed.keywords.push_str(&words);
        }
        self.sources = sources;
        self
    }

    fn html(&self) -> Html {
        let ContentsEntry { title, about, .. } = &self.listed;
        let href = self.href();
        let about = about.replace('`', "");
        html! {
            <a class="front-card" {href} data-level={self.level.clone()} data-minutes={self.minutes.to_string()}
                data-words={self.listed.keywords.clone()}>
                <div class="front-goal" aria-hidden="true">{ self.picture.clone() }</div>
                <span>
                    <b>{ title.replace('`', "") }</b>
                    <small>{ about }</small>
                    { for self.sources.iter().map(|source| html! {
                        <small class="front-card-source">{ source.document.title }{ " · " }{ source.name }</small>
                    }) }
                    <small class="front-card-meta">{ self.minutes }{ " min · " }{ &self.level }</small>
                </span>
            </a>
        }
    }
}

/// Writes two files: `scenarios.html`, the page with a card for each lesson and run, and `contents.txt`, the entries of
/// the page's palette (search dialog). `template` is the text of `scenarios.html` without the cards.
///
/// # Errors
/// Returns an error if the topic of a run is not in `TOPICS`, or if a topic has no run.
pub(super) fn contents(folder: &Path, template: &str, glossary: &str) -> io::Result<()> {
    let terms = terms(glossary)?;
    let (challenges, lessons): (Vec<_>, Vec<_>) = lesson_cards()
        .into_iter()
        .partition(|(is_challenge, _)| *is_challenge);
    let lesson_count = lessons.len() + challenges.len();
    let cards = |cards: Vec<(bool, Card)>| cards.into_iter().map(|(_, card)| card).collect();
    let mut sections = vec![
        ("Lessons".to_owned(), cards(lessons)),
        ("Challenges".to_owned(), cards(challenges)),
    ];
    sections.push(("Stories".to_owned(), stories_cards()));
    let (exhibits, fixed_runs) = exhibit_cards()?;
    sections.push((MUSEUM_HEADING.to_owned(), exhibits));
    for topic in &TOPICS {
        sections.push((topic.heading(), topic_cards(topic)?));
    }
    let listed: usize = sections.iter().map(|(_, cards)| cards.len()).sum();
    if listed + fixed_runs != lesson_count + runs()?.len() {
        return Err(io::Error::other(
            "a run has no topic, or a topic that contents.rs does not list",
        ));
    }
    let mut table = vec![HEAD.to_owned()];
    let mut page = String::new();
    page.push_str(&render(jumps(&sections)));
    for (number, (title, cards)) in sections.iter().enumerate() {
        if cards.is_empty() {
            return Err(io::Error::other(format!("no run has the topic {title}")));
        }
        table.extend(cards.iter().map(|card| card.listed.line()));
        page.push_str(&render(html! {
            <section id={section_id(number)}>
                <h2>{ title }</h2>
                if title == MUSEUM_HEADING {
                    <p class="front-releases"><a href="museum.html">{ "All bugs and fixes side by side" }</a></p>
                }
                <div class="front-cards">{ for cards.iter().map(Card::html) }</div>
            </section>
        }));
    }
    table.extend(terms.iter().map(ContentsEntry::line));
    table.extend(fidelity(FIDELITY).iter().map(ContentsEntry::line));
    page.push_str(&render(html! {
        <section id="documents" class="front-documents">
            <h2>{ "By document" }</h2>
            { documents(&sections) }
        </section>
    }));
    page.push_str(&render(html! {
        <section id="glossary">
            <h2>{ "Glossary" }</h2>
            <dl class="front-terms">{ for terms.iter().map(term_html) }</dl>
        </section>
    }));
    let folder_of_table = folder.join("contents");
    std::fs::create_dir_all(&folder_of_table)?;
    std::fs::write(
        folder_of_table.join("contents.txt"),
        table.join("\n") + "\n",
    )?;
    let Some((before, after)) = template.split_once("<!-- contents -->") else {
        return Err(io::Error::other(
            "scenarios.html has no line <!-- contents -->",
        ));
    };
    write(folder, "scenarios.html", &[before, &page, after].concat())
}

/// Returns the views for a small picture, which has room for a few revisions: the newest ones of the keys in it.
pub(super) fn newest_views(session: &mut Session, mut queries: Queries) -> Views {
    let head = look(session, queries.clone()).status.revision;
    let mut show_until = |newest: i64| {
        if let Some(index) = &mut queries.index {
            index.rev_from = (newest - i64::from(lessons::GOAL_REVISIONS)).max(1);
            index.rev_to = newest;
        }
        look(session, queries.clone())
    };
    let views = show_until(head);
    // The keys in the picture may be older than the newest revisions of the store.
    let lanes = views.index.iter().flat_map(|index| &index.lanes);
    let threads = lanes.flat_map(|lane| &lane.threads);
    let newest = threads.map(|thread| thread.last).max();
    match newest.filter(|newest| head - newest > i64::from(lessons::GOAL_REVISIONS)) {
        Some(newest) => show_until(newest),
        None => views,
    }
}

fn section_id(number: usize) -> String {
    format!("section-{}", number + 1)
}

/// Renders links to the sections of the page in three groups: the sections without a topic and the glossary, the topics
/// of etcd, and the topics of the watch cache.
fn jumps(sections: &[(String, Vec<Card>)]) -> Html {
    let link = |number: usize, title: &str| {
        html! { <li><a href={["#", &section_id(number)].concat()}>{ title.to_owned() }</a></li> }
    };
    let sections = sections.iter().enumerate();
    let (first, topics): (Vec<_>, Vec<_>) = sections.partition(|(number, _)| *number < UNTOPICAL);
    let (cache, etcd): (Vec<_>, Vec<_>) = topics
        .into_iter()
        .partition(|(_, (title, _))| title.starts_with(CACHE));
    let group = |name: &'static str, links: Html| {
        html! { <div><b>{ name }</b><ul>{ links }</ul></div> }
    };
    let links = |sections: Vec<(usize, &(String, Vec<Card>))>| {
        let links = sections
            .into_iter()
            .map(|(number, (title, _))| link(number, title.strip_prefix(CACHE).unwrap_or(title)));
        links.collect::<Html>()
    };
    html! {
        <nav class="front-jumps" aria-label="Sections">
            { group("Start", html! {
                <>
                    { links(first) }
                    <li><a href="#documents">{ "By document" }</a></li>
                    <li><a href="#glossary">{ "Glossary" }</a></li>
                </>
            }) }
            { group("etcd", links(etcd)) }
            { group("Watch cache", links(cache)) }
        </nav>
    }
}

fn term_html(term: &ContentsEntry) -> Html {
    html! {
        <div>
            <dt>{ &term.title }</dt>
            <dd>
                { &term.about }
                if !term.target.is_empty() {
                    { " " }<a href={format!("./?lesson={}", term.target)}>{ "Lesson" }</a>
                }
            </dd>
        </div>
    }
}

/// Reads the terms from lines of the form `- **term**: definition (L04)`, or `- **term** [form, form]: definition
/// (L04)` for a term that texts mention only in these forms.
fn terms(glossary: &str) -> io::Result<Vec<ContentsEntry>> {
    let lines = glossary
        .lines()
        .filter_map(|line| line.strip_prefix("- **"));
    let term = |line: &str| {
        let (title, rest) = line.split_once("**")?;
        let (forms, about) = rest.split_once(": ")?;
        let forms = forms.trim().trim_start_matches('[').trim_end_matches(']');
        let lesson = about
            .strip_suffix(')')
            .and_then(|about| about.rsplit_once(" ("));
        let (about, target) = match lesson {
            Some((about, name)) if name.starts_with('L') => (about, name),
            _ => (about, ""),
        };
        Some(ContentsEntry {
            kind: ContentsKind::Term,
            target: target.to_owned(),
            title: title.to_owned(),
            about: about.to_owned(),
            keywords: forms.to_owned(),
        })
    };
    let wrong = |line: &str| io::Error::other(format!("docs/glossary.md: {line}"));
    lines
        .map(|line| term(line).ok_or_else(|| wrong(line)))
        .collect()
}

/// Reads the entries from all sections of `docs/fidelity.md`: the rows of the three tables, and the paragraphs of the
/// other sections.
fn fidelity(text: &str) -> Vec<ContentsEntry> {
    let sections = text.split("\n## ").skip(1).map(|section| {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        let kind = match heading {
            "Simplified" => ContentsKind::Simplified,
            "Where the versions differ" => ContentsKind::Version,
            "Same as etcd" => ContentsKind::Same,
            _ => ContentsKind::Note,
        };
        match kind {
            ContentsKind::Note => paragraphs(heading, body),
            _ => table(kind, body),
        }
    });
    sections.flatten().collect()
}

/// Reads the rows of a table. The first row contains the names of the columns; the second row separates them from the
/// body.
fn table(kind: ContentsKind, body: &str) -> Vec<ContentsEntry> {
    let lines = body.lines().filter(|line| line.starts_with('|'));
    lines.skip(2).map(|line| row(kind, line)).collect()
}

/// Reads the paragraphs of a section and the items of its lists.
fn paragraphs(heading: &str, body: &str) -> Vec<ContentsEntry> {
    let body = body.replace("\n- ", "\n\n- ");
    let texts = body.split("\n\n").map(|text| {
        let text = text.trim().trim_start_matches("- ");
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    });
    let texts = texts.filter(|text| !text.is_empty());
    let note = |about| ContentsEntry {
        kind: ContentsKind::Note,
        target: String::new(),
        title: heading.to_owned(),
        about,
        keywords: String::new(),
    };
    texts.map(note).collect()
}

fn cells(line: &str) -> Vec<String> {
    let cells = line.trim_matches('|').split(" | ");
    cells.map(|cell| cell.trim().replace("\\|", "|")).collect()
}

fn row(kind: ContentsKind, line: &str) -> ContentsEntry {
    let cells = cells(line);
    let cell = |at: usize| cells.get(at).cloned().unwrap_or_default();
    let (target, about) = match kind {
        ContentsKind::Simplified if cell(3).is_empty() => {
            (cell(1), format!("In Watchglass: {}.", cell(2)))
        }
        ContentsKind::Simplified => (
            cell(1),
            format!("In Watchglass: {}. In etcd: {}.", cell(2), cell(3)),
        ),
        ContentsKind::Version => (
            String::new(),
            match &*cell(2) {
                "unreleased" => format!("Now: {}. With the proposed fix: {}.", cell(1), cell(3)),
                since => format!("Before {since}: {}. From then on: {}.", cell(1), cell(3)),
            },
        ),
        _ => (String::new(), String::new()),
    };
    ContentsEntry {
        kind,
        target,
        title: cell(0),
        about,
        keywords: String::new(),
    }
}

/// Returns the cards of the lessons and the challenges, each with whether it is a challenge.
fn lesson_cards() -> Vec<(bool, Card)> {
    let mut session = Session::default();
    let cards = ask_lessons(&mut session).into_iter().map(|card| {
        let question = ToEngine::Request(
            1,
            Request::Goal {
                lesson: card.name.clone(),
                queries: lessons::goal_queries().into(),
            },
        );
        let views = ask_views(&mut session, question);
        let level = match card.name.as_str() {
            _ if card.is_challenge => BEGINNER,
            "L01" | "L02" | "L03" | "L04" | "L05" => BEGINNER,
            "L06" | "L17" | "L18" | "L20" => ADVANCED,
            _ => INTERMEDIATE,
        };
        let text = texts::ALL.iter().find(|text| text.name == card.name);
        let is_challenge = card.is_challenge;
        let sources = text.map(|text| sources(text.text)).unwrap_or_default();
        let lesson = Card {
            picture: goal::draw(&views, &card.picture),
            minutes: card.minutes.max(CHALLENGE_MINUTES) as usize,
            level: level.to_owned(),
            listed: ContentsEntry {
                kind: ContentsKind::Lesson,
                target: card.name,
                title: card.title,
                about: card.goal.iter().map(|run| run.text.as_str()).collect(),
                keywords: String::new(),
            },
            sources: Vec::new(),
        };
        (is_challenge, lesson.with_sources(sources))
    });
    cards.collect()
}

fn stories_cards() -> Vec<Card> {
    let cards = stories::ALL.iter().map(|story| {
        let source = Source::Story(story.name.to_owned());
        let about = story.header("about").to_owned();
        card(
            ContentsKind::Story,
            story.name,
            source,
            story.text,
            about,
            BEGINNER,
            "",
        )
    });
    cards.collect()
}

/// Creates a card for each exhibit of the museum. The card opens the run with the bug, which leads to the run with the
/// fix. Also returns the number of the runs with a fix.
fn exhibit_cards() -> io::Result<(Vec<Card>, usize)> {
    let (fixed, broken): (Vec<_>, Vec<_>) = museum::runs()?
        .into_iter()
        .partition(|run| run.exhibit.is_fixed);
    let cards = broken.into_iter().map(|run| {
        let opening = run.scenario.header("opening").unwrap_or_default();
        let about = format!("{opening} With the fix: {}.", run.exhibit.fixed_in);
        let source = Source::Text(run.text.clone());
        let kind = ContentsKind::Run;
        let keywords = [MUSEUM_HEADING, " · ", run.exhibit.short_issue()].concat();
        card(
            kind,
            &run.name,
            source,
            &run.text,
            about,
            INTERMEDIATE,
            &keywords,
        )
    });
    Ok((cards.collect(), fixed.len()))
}

fn topic_cards(topic: &Topic) -> io::Result<Vec<Card>> {
    let mut paths: Vec<_> = std::fs::read_dir(Path::new(BEHAVIOUR).join(topic.folder))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    let mut cards = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        if header(&text, "topic").is_some_and(|name| name != topic.title) {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{}/{stem}", topic.folder);
        let about = header(&text, "opening").unwrap_or_default().to_owned();
        let source = Source::Text(text.clone());
        let kind = ContentsKind::Run;
        let heading = topic.heading();
        cards.push(card(
            kind,
            &name,
            source,
            &text,
            about,
            topic.level,
            &heading,
        ));
    }
    for (earlier, later) in PAIRS {
        put_after(&mut cards, earlier, later);
    }
    Ok(cards)
}

/// Moves the card of the run `later` behind the card of the run `earlier`, if both are in the section.
fn put_after(cards: &mut Vec<Card>, earlier: &str, later: &str) {
    let place = |cards: &[Card], name| cards.iter().position(|card| card.listed.target == name);
    if let (Some(to), Some(from)) = (place(cards, earlier), place(cards, later)) {
        let card = cards.remove(from);
        cards.insert(if from < to { to } else { to + 1 }, card);
    }
}

/// Creates the card of a run, with a picture of its cover: a beat that the run names, or that a rule chooses.
fn card(
    kind: ContentsKind,
    name: &str,
    source: Source,
    text: &str,
    about: String,
    level: &str,
    keywords: &str,
) -> Card {
    let mut session = Session::default();
    session.load(source, SeekTo::End);
    let named = format::parse(text)
        .ok()
        .and_then(|scenario| scenario.cover());
    let cover = named.unwrap_or_else(|| cover(session.run()));
    session.seek(SeekTo::Beat(cover));
    let queries = Queries {
        terminal: Some(TerminalQuery {
            last: 0,
            beat: COVER_ENTRIES,
        }),
        cache: Some(Box::new(CacheQuery {
            only_places: true,
            plot_us: 1,
            ..CacheQuery::default()
        })),
        ..lessons::goal_queries()
    };
    let views = newest_views(&mut session, queries);
    let words = text.lines().filter_map(|line| line.strip_prefix("# "));
    let words: usize = words.map(|line| line.split_whitespace().count()).sum();
    let beats = views.status.beat.count as usize;
    let reading_ms = (words * WORD_MS).max(beats * BEAT_MS);
    let picture = views.status.beat.picture.as_ref();
    let card = Card {
        picture: goal::draw_cover(&views, picture.map_or("", |picture| &picture.view)),
        minutes: reading_ms.div_ceil(60_000),
        level: level.to_owned(),
        listed: ContentsEntry {
            kind,
            target: name.to_owned(),
            title: views.status.title.clone(),
            about,
            keywords: keywords.to_owned(),
        },
        sources: Vec::new(),
    };
    card.with_sources(sources(text))
}

fn sources(text: &str) -> Vec<DocumentSection> {
    let head = text.lines().take_while(|line| line.starts_with("#!"));
    let lines = head.filter_map(|line| line.strip_prefix("#! source: "));
    lines.filter_map(DocumentSection::of).collect()
}

/// Renders the documents: the runs and lessons that show each of their sections.
fn documents(sections: &[(String, Vec<Card>)]) -> Html {
    let cards = || sections.iter().flat_map(|(_, cards)| cards);
    let runs = |document: &Document, name: &str| {
        let shown = cards().filter(|card| {
            let mut sources = card.sources.iter();
            sources.any(|source| source.document.title == document.title && source.name == name)
        });
        shown
            .map(|card| {
                let title = card.listed.title.replace('`', "");
                html! { <li><a href={card.href()}>{ title }</a></li> }
            })
            .collect::<Html>()
    };
    DOCUMENTS
        .iter()
        .map(|document| {
            html! {
                <>
                    <h3>{ document.title }</h3>
                    <p>{ document.about }</p>
                    <dl class="front-terms">
                        { for document.sections.iter().map(|name| html! {
                            <div><dt>{ name }</dt><dd><ul>{ runs(document, name) }</ul></dd></div>
                        }) }
                    </dl>
                </>
            }
        })
        .collect()
}

/// Returns the value of the first line of the form `#! key: value`.
fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = text.lines().map_while(|line| line.strip_prefix("#! "));
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}
