//! Writes `museum.html`, which shows the two runs of each exhibit side by side: with the bug and with the fix. The
//! sources are the behaviour files of the museum.

use std::io;
use std::path::Path;

use watchglass_engine::scenario::exhibit::Exhibit;
use watchglass_engine::scenario::{Scenario, format};
use watchglass_frontend::words::museum as words;
use yew::prelude::*;

use super::{BEHAVIOUR, render, write};

const FOLDER: &str = "museum";

/// One of the two runs of an exhibit.
pub(super) struct MuseumRun {
    /// The name in links, such as `museum/etcd_15220`.
    pub name: String,
    pub text: String,
    pub scenario: Scenario,
    pub exhibit: Exhibit,
}

/// Reads all runs of the museum: first the bugs of etcd, then the bugs of Kubernetes, each in the order of their names.
pub(super) fn runs() -> io::Result<Vec<MuseumRun>> {
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(Path::new(BEHAVIOUR).join(FOLDER))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{FOLDER}/{stem}");
        let text = std::fs::read_to_string(&path)?;
        let scenario = format::parse(&text).map_err(io::Error::other)?;
        let exhibit = Exhibit::of(&scenario);
        let exhibit = exhibit.ok_or_else(|| io::Error::other(format!("{name} shows no bug")))?;
        runs.push(MuseumRun {
            name,
            text,
            scenario,
            exhibit,
        });
    }
    runs.sort_by_key(|run| {
        let is_of_kubernetes = !run.exhibit.issue.starts_with("etcd-io/");
        (is_of_kubernetes, run.name.clone())
    });
    Ok(runs)
}

/// Writes the page. `template` is the text of `museum.html` without the exhibits.
pub(super) fn museum(folder: &Path, template: &str) -> io::Result<()> {
    let runs = runs()?;
    let broken = runs.iter().filter(|run| !run.exhibit.is_fixed);
    let exhibits: Html = broken.map(exhibit).collect();
    let Some((before, after)) = template.split_once("<!-- exhibits -->") else {
        return Err(io::Error::other(
            "museum.html has no line <!-- exhibits -->",
        ));
    };
    let page = [before, &render(html! { <>{ exhibits }</> }), after].concat();
    write(folder, "museum.html", &page)
}

fn exhibit(run: &MuseumRun) -> Html {
    let Exhibit {
        broken_in,
        fixed_in,
        other,
        ..
    } = &run.exhibit;
    let header = |key| run.scenario.header(key).unwrap_or_default().to_owned();
    let cover = run.scenario.cover();
    html! {
        <section id={run.name.trim_start_matches("museum/").to_owned()}>
            <h2>{ header("title") }</h2>
            <p>{ header("opening") }</p>
            <p class="front-releases">
                <a href={run.exhibit.link()}>{ run.exhibit.short_issue().to_owned() }</a>
                { " · " }{ words::releases(broken_in, fixed_in) }
            </p>
            <div class="front-pair">
                { figure(&run.name, cover, words::WITH_BUG) }
                { figure(other, cover, words::WITH_FIX) }
            </div>
        </section>
    }
}

/// Returns a figure at the beat where the results of both runs differ, which is the cover of both.
fn figure(name: &str, cover: Option<u64>, caption: &'static str) -> Html {
    let label = format!("{caption}: {name}");
    let at = cover.map_or_else(|| "end".to_owned(), |beat| format!("beat:{beat}"));
    html! {
        <figure>
            <figcaption>
                <b>{ caption }</b>{ " " }<a href={format!("./?scenario={name}")}>{ words::OPEN }</a>
            </figcaption>
            <@{"watch-glass"} scenario={name.to_owned()} {at} height="540" aria-label={label}></@>
        </figure>
    }
}
