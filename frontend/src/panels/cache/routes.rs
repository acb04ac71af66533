//! Shows which source serves a read: controls for the options of the read, the source that would serve the read now,
//! and a table of all options. Each row of the table can be run as a command.

use watchglass_engine::session::protocol::Act;
use watchglass_engine::view::cache::{PathKind, RouteQuery, RouteRow, TypedRequest};
use watchglass_engine::view::{CacheQuery, CacheView};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::picture::path_icon;
use crate::state::Action;
use crate::state::action::TerminalAct;
use crate::state::action::ViewAct;
use crate::store::StoreHandle;
use crate::widgets::{Glyph, Icon, Segmented};
use crate::words::cache as words;

/// The value of `limit` for a read with a limit.
const LIMIT: u64 = 500;

/// API servers that differ from the default: the label of each, and the flags of the command that starts it.
const OTHERS: [(&str, &str); 4] = [
    (words::OLDER_VERSION, " --version=1.30"),
    (words::KEP_DRAFT, " --version=draft"),
    (
        words::SNAPSHOTS_OFF,
        " --feature-gates=ListFromCacheSnapshot=false",
    ),
    (words::NO_CACHE, " --cache=off"),
];

/// Returns the action that changes the selected options of a read to `route`.
fn ask(store: &StoreHandle, route: RouteQuery) -> Action {
    Action::View(ViewAct::CacheQuery(CacheQuery {
        ask: Some(route),
        ..store.ui.cache.clone()
    }))
}

/// Renders the options of a read, the source that would serve the read, and the table of all options.
pub fn routes(store: &StoreHandle, view: &CacheView) -> Html {
    let query = &store.ui.cache;
    let asked = query.ask.clone().unwrap_or_default();
    let first = view.caches.first();
    let cache = view
        .caches
        .iter()
        .find(|cache| cache.server == view.routes_server)
        .or(first);
    let known = cache.map_or(view.head, |cache| cache.revision);
    let server = cache.map(|cache| cache.server.as_str()).unwrap_or_default();
    let at = match asked.resource_version.as_str() {
        "" => 0,
        "0" => 1,
        _ => 2,
    };
    let servers: Vec<&str> = view
        .caches
        .iter()
        .map(|cache| cache.server.as_str())
        .collect();
    let resources: Vec<&str> = view.resources.iter().map(String::as_str).collect();
    let list = asked.verb == "LIST";
    let with = |change: &dyn Fn(&mut RouteQuery)| {
        let mut route = asked.clone();
        change(&mut route);
        ask(store, route)
    };
    let row = |label: &'static str, options: Vec<(&str, bool, Action)>, disabled: bool| {
        let names: Vec<AttrValue> = options
            .iter()
            .map(|(said, ..)| (*said).to_owned().into())
            .collect();
        let chosen = options.iter().position(|(_, on, _)| *on);
        let actions: Vec<Action> = options.into_iter().map(|(.., action)| action).collect();
        let on_choose = {
            let store = store.clone();
            Callback::from(move |at: usize| {
                if let Some(action) = actions.get(at) {
                    store.dispatch(action.clone());
                }
            })
        };
        html! {
            <div class="cache-ask">
                <span aria-hidden="true">{ label }</span>
                <Segmented {label} class="is-small is-wide" {names} {chosen} {on_choose} {disabled} />
            </div>
        }
    };
    let verbs = ["GET", "LIST", "WATCH"].map(|verb| {
        let action = with(&|route| {
            verb.clone_into(&mut route.verb);
            if verb != "LIST" {
                route.how.clear();
                route.limit = 0;
            }
        });
        (verb, asked.verb == verb, action)
    });
    let versions = [
        (words::UNSET, String::new()),
        ("\"0\"", "0".to_owned()),
        ("N", known.to_string()),
    ];
    let versions = versions
        .into_iter()
        .enumerate()
        .map(|(place, (said, version))| {
            let action = with(&|route| route.resource_version.clone_from(&version));
            (said, place == at, action)
        });
    let matches = [
        (words::NONE, ""),
        ("NotOlder", "NotOlderThan"),
        ("Exact", "Exact"),
    ];
    let matches = matches.into_iter().map(|(said, how)| {
        (
            said,
            asked.how == how,
            with(&|route| how.clone_into(&mut route.how)),
        )
    });
    let limits = [(words::NONE, 0), ("500", LIMIT)]
        .into_iter()
        .map(|(said, limit)| {
            (
                said,
                asked.limit == limit,
                with(&|route| route.limit = limit),
            )
        });
    let number = {
        let (query, asked) = (query.clone(), asked.clone());
        store.on(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            let typed = input.map(|input| input.value()).unwrap_or_default();
            let good = typed.parse::<i64>().is_ok_and(|revision| revision > 0);
            let mut route = asked.clone();
            if good {
                route.resource_version = typed;
            }
            Action::View(ViewAct::CacheQuery(CacheQuery {
                ask: Some(route),
                ..query.clone()
            }))
        })
    };
    html! {
        <>
            { row(words::VERB, verbs.into_iter().collect(), false) }
            { row("resourceVersion", versions.collect(), false) }
            if at == 2 {
                <label class="cache-ask">
                    <span>{ "N" }</span>
                    <input class="wg-field cache-number" inputmode="numeric" value={asked.resource_version.clone()}
                        onchange={number} />
                </label>
            }
            { row(words::MATCH, matches.collect(), !list) }
            { row(words::LIMIT, limits.collect(), !list) }
            if servers.len() > 1 {
                { row(words::SERVER, servers.iter().map(|name| {
                    (*name, *name == server, with(&|route| (*name).clone_into(&mut route.server)))
                }).collect(), false) }
            }
            if resources.len() > 1 {
                { row(words::RESOURCE, resources.iter().map(|name| {
                    let query = CacheQuery { resource: (*name).to_owned(), ..query.clone() };
                    let action = Action::View(ViewAct::CacheQuery(query));
                    (*name, *name == view.resource, action)
                }).collect(), false) }
            }
            { table(view, Some(store)) }
            { answer(store, view, &asked, server) }
            { runs(view, server) }
            { more_servers(store, view) }
            <p class="insp-note">{ words::ABOUT_ROUTES }</p>
        </>
    }
}

fn more_servers(store: &StoreHandle, view: &CacheView) -> Html {
    let name = format!("api-{}", view.servers.len() + 1);
    html! {
        <div class="cache-servers" role="group" aria-label={words::ADD_SERVER}>
            <span aria-hidden="true">{ words::ADD_SERVER }</span>
            { for OTHERS.iter().map(|(said, flags)| html! {
                <button type="button" class="wg-button is-small"
                    onclick={store.on_click(Action::Terminal(TerminalAct::Type(
                        format!("apiserver {name}{}", *flags),
                    )))}>
                    { *said }
                </button>
            }) }
        </div>
    }
}

fn runs(view: &CacheView, server: &str) -> Html {
    let Some(server) = view.servers.iter().find(|known| known.name == server) else {
        return html! {};
    };
    html! {
        <p class="insp-note">{ words::server(server) }</p>
    }
}

/// Renders the source that would serve a read with these options, and the last request that the user typed.
fn answer(store: &StoreHandle, view: &CacheView, asked: &RouteQuery, server: &str) -> Html {
    let row = view.routes.iter().find(|row| row.asked);
    let command = row.map_or_else(|| command(view, asked, server), |row| row.command.clone());
    html! {
        <section class="insp-card cache-answer" aria-label={words::RESULT}>
            <div class="cache-answer-head">
                if let Some(row) = row {
                    <h3><span class="cache-served">{ path_icon(row.path) }{ words::path(row.path) }</span></h3>
                }
                <button type="button" class="wg-button is-primary is-small"
                    onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Type(command.clone()))))}>
                    { words::RUN_IT }
                </button>
            </div>
            <p class="cache-command"><code>{ &command }</code></p>
            if let Some(typed) = &view.typed { { last(store, asked, typed) } }
            if let Some(row) = row {
                <p>{ &row.reason }</p>
                <dl class="insp-pairs">
                    <dt>{ words::RETURNS }</dt><dd>{ &row.returns }</dd>
                    <dt>{ words::COST }</dt><dd>{ &row.cost }</dd>
                    if !row.gives_up.is_empty() { <dt>{ words::TIMEOUT }</dt><dd>{ &row.gives_up }</dd> }
                </dl>
            } else {
                <p>{ words::NO_ROUTE }</p>
            }
        </section>
    }
}

/// Renders the last request that the user typed. If other options are selected, adds a button that selects the options
/// of the request.
fn last(store: &StoreHandle, asked: &RouteQuery, typed: &TypedRequest) -> Html {
    let request = &typed.request;
    let route = typed.route.as_ref().filter(|route| *route != asked);
    html! {
        <p class="insp-note cache-last" role="status">
            { words::last_request(request) }{ " " }
            <button type="button" class="insp-step"
                onclick={store.on_click(Action::View(ViewAct::SelectRequest(request.id)))}>
                { words::WHERE_TIME_WENT }
            </button>
            if let Some(route) = route {
                <button type="button" class="insp-step" onclick={store.on_click(ask(store, route.clone()))}>
                    { words::SHOW_OPTIONS }
                </button>
            }
        </p>
    }
}

/// Returns the command for options that have no row in the table.
fn command(view: &CacheView, asked: &RouteQuery, server: &str) -> String {
    let mut said = format!("kubectl get {} -A", view.resource);
    for (flag, value) in [
        (" --resource-version=", &asked.resource_version),
        (" --resource-version-match=", &asked.how),
        (" --limit=", &asked.limit.to_string()),
    ] {
        if !value.is_empty() && (value != "0" || flag != " --limit=") {
            said.push_str(flag);
            said.push_str(value);
        }
    }
    said.push_str(" --server=");
    said.push_str(server);
    said
}

/// Returns the mark of the row of the last request. The request may have had another source, for example if the API
/// server waited in vain and fell back to etcd.
fn last_request(view: &CacheView, row: &RouteRow) -> String {
    let typed = view.typed.as_ref().map(|typed| typed.request.path);
    match typed.filter(|path| ![row.path, PathKind::Open].contains(path)) {
        Some(path) => words::last_request_from(path),
        None => words::LAST_REQUEST.to_owned(),
    }
}

/// Renders the table of the sources that serve each kind of read now. With a store, each row has a button that runs its
/// command.
pub fn table(view: &CacheView, store: Option<&StoreHandle>) -> Html {
    let line = |row: &RouteRow| {
        html! {
            <tr class={classes!(row.asked.then_some("is-asked"), row.ran.then_some("is-ran"))}
                aria-current={row.ran.then_some("true")}>
                <td>{ &row.resource_version }</td>
                <td>{ short(&row.how) }</td>
                <td>{ &row.limit }</td>
                <td>
                    <span class="cache-served">{ path_icon(row.path) }{ words::path(row.path) }</span>
                    if row.ran { <small>{ last_request(view, row) }</small> }
                </td>
                <td>{ &row.returns }</td>
                if let Some(store) = store {
                    <td>
                        <button type="button" class="wg-button is-quiet is-icon is-small"
                            title={row.command.clone()} translate="no" aria-label={words::run(&row.command)}
                            onclick={store.on_click(Action::Terminal(TerminalAct::Do(Act::Type(row.command.clone()))))}>
                            <Icon glyph={Glyph::Play} />
                        </button>
                    </td>
                }
            </tr>
        }
    };
    html! {
        <table class="cache-routes">
            <thead><tr>
                { for words::ROUTE_COLUMNS.iter().map(|name| html! { <th>{ *name }</th> }) }
                if store.is_some() { <th>{ words::RUN }</th> }
            </tr></thead>
            <tbody>{ for view.routes.iter().map(line) }</tbody>
        </table>
    }
}

/// Returns true if the run made lists, so that the view shows the table of routes beside the pictures.
pub fn are_shown(view: &CacheView) -> bool {
    let lists = view.servers.iter().flat_map(|server| &server.lists);
    lists.map(|row| row.total.lists).sum::<u64>() > 0
}

fn short(how: &str) -> &str {
    if how == "NotOlderThan" {
        "NotOlder"
    } else {
        how
    }
}
