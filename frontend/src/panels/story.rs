//! The story's text beside the picture: the explanation of the current beat, and the button for the next beat. A beat
//! is a section of the run with one text.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::request_animation_frame;
use wasm_bindgen::JsCast;
use watchglass_engine::session::protocol::{Move, SeekTo};
use watchglass_engine::view::{BranchView, StatusView, TerminalEntry, Views};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::exhibit::exhibit;
use super::guess::Guess;
use super::stage::is_past;
use super::terminal::output;
use super::terms::{Terms, code_words, with_code, with_names};
use super::ways::way_on;
use crate::hooks::size::use_size;
use crate::state::Action;
use crate::state::action::PlaybackAct;
use crate::state::action::TerminalAct;
use crate::state::playback::{is_over, only_time_passed};
use crate::state::speed::text_of;
use crate::state::ui::EngineState;
use crate::store::{StoreHandle, use_store};
use crate::widgets::{Glyph, Icon};
use crate::words::{common, page as words};

/// The maximum number of beats for which the panel shows the progress as a row of segments, one for each beat (section
/// of the run).
const SEGMENTS_MAX: u64 = 24;

/// The maximum number of characters that the panel shows of a command.
const COMMAND_CHARS_MAX: usize = 240;

#[component]
pub fn Story() -> Html {
    let store = use_store();
    let status = &store.views.status;
    // A lesson is known to be loaded before the views with its text arrive.
    let is_lesson = store.ui.has_lesson(&store.views);
    if !store.ui.has_story(&store.views) {
        return html! {};
    }
    if is_lesson || !status.is_told {
        // After a failure, nothing is loading.
        let is_failed = matches!(store.ui.engine, EngineState::Failed(..));
        return html! {
            <aside class={classes!("wg-story", is_lesson.then_some("wg-lesson"))} aria-label={common::STORY}>
                if !is_failed {
                    <div class="wg-skeleton is-text"><i></i><i></i><i></i></div>
                }
            </aside>
        };
    }
    let past = is_past(status, &store.ui);
    let beat = &status.beat;
    let is_presenting = store.ui.presenting.is_some();
    let is_reading = store.ui.is_reading(&store.views);
    let earlier = store.views.terminal.as_ref().map(|view| view.beat_earlier);
    let earlier = earlier.filter(|earlier| *earlier > 0);
    let ways = has_ways(&store).then(|| html! { <Ways /> });
    html! {
        <aside class="wg-story" aria-label={common::STORY} id="wg-story">
            <div class="wg-story-text wg-fades">
                <p class="wg-kick">
                    { words::beat_of(beat.number, beat.count, is_presenting && store.ui.playing) }
                    if branch(status).is_some_and(|branch| branch.parent.is_some()) { { words::ON_BRANCH } }
                </p>
                if beat.count > 1 && beat.count <= SEGMENTS_MAX {
                    <div class="wg-segments" aria-hidden="true">
                        { for (1..=beat.count).map(|number| html! {
                            <i key={number} class={(number <= beat.number).then_some("is-on")}></i>
                        }) }
                    </div>
                }
                <h2 class="wg-story-title">{ &status.title }</h2>
                { for status.exhibit.as_ref().map(|shown| exhibit(&store, shown)) }
                if let Some(text) = text_of(status) {
                    <p class="wg-beat">{ with_code(text, |part| html! { <Terms text={part.to_owned()} /> }) }</p>
                }
                // Without elements of its own, the component would still refer to the element after it. If that element
                // is removed in the same update, Yew cannot insert the text before the component.
                if beat.guess.is_some() || beat.answered.is_some() {
                    <Guess key={status.title.clone()} />
                }
                if is_reading && has_output(&store.views) {
                    <Outputs />
                } else if beat.number > 0 {
                    <div class={classes!("wg-happened", past.then_some("is-past"))}>
                        if let Some(earlier) = earlier { <p>{ common::earlier_commands(earlier) }</p> }
                        { for commands(&store.views).into_iter().map(|(command, is_now)| html! {
                            <code class={is_now.then_some("is-now")}>{ code_words(&command) }</code>
                        }) }
                        if !only_time_passed(&store.views) { <p>{ with_names(&status.narration) }</p> }
                    </div>
                }
                if !is_presenting { { for ways.clone() } }
            </div>
            if is_presenting {
                <Outputs />
                { for ways }
            }
            <Buttons />
        </aside>
    }
}

/// Returns true if the story shows links to further lessons and stories. The story shows them at the end of a run.
pub fn has_ways(store: &StoreHandle) -> bool {
    let status = &store.views.status;
    let is_end = is_over(status) && status.branch == 0 && !store.ui.playing;
    is_end && status.is_told && !store.ui.has_lesson(&store.views)
}

fn branch(status: &StatusView) -> Option<&BranchView> {
    status
        .branches
        .iter()
        .find(|branch| branch.id == status.branch)
}

/// Returns the entries of the terminal that belong to the beat at the cursor.
fn entries(views: &Views) -> &[TerminalEntry] {
    let terminal = views.terminal.as_ref();
    terminal.map_or(&[][..], |terminal| &terminal.beat)
}

/// Returns the commands of the current beat up to the cursor. The flag is true for
/// the last command at the cursor.
fn commands(views: &Views) -> Vec<(String, bool)> {
    let now = views.status.now.as_deref().unwrap_or_default();
    // The engine shortens this command.
    let is_now = |command: &String| match now.strip_suffix('…') {
        Some(start) => command.starts_with(start),
        None => command == now,
    };
    let entries = entries(views).iter();
    let mut commands: Vec<_> = entries.map(|entry| shortened(&entry.command)).collect();
    let mut place = commands.iter().rposition(is_now);
    // The response to the last command may arrive at a later step.
    if place.is_none() && !now.is_empty() {
        place = Some(commands.len());
        commands.push(now.to_owned());
    }
    let commands = commands.into_iter().enumerate();
    commands
        .map(|(at, command)| (command, Some(at) == place))
        .collect()
}

/// Returns the beginning of a long command: a value may be a megabyte long.
fn shortened(command: &str) -> String {
    let mut short: String = command.chars().take(COMMAND_CHARS_MAX).collect();
    if short.len() < command.len() {
        short.push('…');
    }
    short
}

/// The height of a line of the outputs in pixels, as in `layout.css`.
const OUTPUT_LINE: i32 = 17;

/// The minimum number of lines that an entry needs to show its command, the number of hidden lines, and one line of its
/// output. The first value applies if the number of hidden lines is beside the command, the second value if the number
/// of hidden lines has a line of its own. The rendered height of the command depends on the number of hidden lines, so
/// this height is not used.
const COMMAND_ROOM: [i32; 2] = [2, 3];
/// The width of a character of the outputs, and the width of the number of hidden lines, in pixels.
const OUTPUT_ADVANCE: f64 = 7.25;
const MORE_WIDTH: f64 = 120.0;

/// The number of characters in a line of the outputs, if they are beside the text of a beat and if they are below it.
const BESIDE_CHARS: usize = 38;
const BELOW_CHARS: usize = 88;

/// The maximum number of lines of outputs below the text.
const BELOW_LINES_MAX: usize = 8;

/// The maximum number of lines of a command. The command stays visible above its output, so a command with more lines
/// would cover the output.
const COMMAND_LINES_MAX: usize = 3;

/// The part of the outputs that is hidden.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hidden {
    /// The number of entries that are hidden, because a part of them is above the region.
    cut: u32,
    /// The first entry that has room for the number of hidden lines beside its command.
    entry: u32,
    /// The number of lines that are hidden above the region or below the command of the entry.
    lines: i32,
    /// Whether some of the hidden lines belong to `entry`.
    is_inside: bool,
}

/// Returns true if a command of the current beat has an output.
fn has_output(views: &Views) -> bool {
    entries(views)
        .iter()
        .any(|entry| !entry.stdout.is_empty() || !entry.stderr.is_empty())
}

/// Renders the commands of a beat with their outputs, for a reader and for an audience; renders nothing if no command
/// has an output.
#[component]
fn Outputs() -> Html {
    let store = use_store();
    match entries(&store.views).last() {
        Some(newest) if has_output(&store.views) => html! { <Region newest={newest.id} /> },
        _ => html! {},
    }
}

#[derive(Clone, PartialEq, Properties)]
struct RegionProps {
    newest: u64,
}

/// Renders the region with the outputs. The region shows the end of the last output, because the text of a beat usually
/// refers to it. The command of a cut output stays visible, with the number of the lines that are hidden above.
#[component]
fn Region(props: &RegionProps) -> Html {
    let store = use_store();
    let node = use_node_ref();
    let hidden = use_state_eq(|| None::<Hidden>);
    let size = use_size(&node);
    let entries = entries(&store.views);
    let measure = {
        let (node, hidden) = (node.clone(), hidden.clone());
        move || hidden.set(node.cast::<Element>().and_then(|region| hidden_in(&region)))
    };
    {
        let (node, measure) = (node.clone(), measure.clone());
        // A running command gets its output later.
        let printed = entries
            .iter()
            .map(|entry| entry.stdout.len() + entry.stderr.len());
        let shown = (props.newest, entries.len(), printed.sum::<usize>());
        use_effect_with((shown, size), move |_| {
            let to_end = move || {
                if let Some(region) = node.cast::<Element>() {
                    region.set_scroll_top(i32::MAX);
                }
            };
            to_end();
            measure();
            // The number of hidden lines, which is rendered now, may wrap the command beside it, and may then move to
            // another command. The last frame only scrolls, so that this ends.
            let last = Rc::new(RefCell::new(None));
            let frame = {
                let last = last.clone();
                request_animation_frame(move |_| {
                    to_end();
                    measure();
                    *last.borrow_mut() = Some(request_animation_frame(move |_| to_end()));
                })
            };
            move || drop((frame, last))
        });
    }
    let (class, chars) = match are_below(entries) {
        true => ("wg-outputs is-wide", BELOW_CHARS),
        false => ("wg-outputs is-beside", BESIDE_CHARS),
    };
    let first = hidden.map_or(0, |hidden| hidden.entry as usize);
    let cut = hidden.map_or(0, |hidden| hidden.cut as usize);
    let lines = |place: usize| hidden.filter(|_| place == first).map(|hidden| hidden.lines);
    let is_inside = |place: usize| place == first && hidden.is_some_and(|hidden| hidden.is_inside);
    html! {
        <div ref={node} {class} role="region" aria-label={words::OUTPUTS} tabindex="0"
            onscroll={move |_: Event| measure()}>
            { for entries.iter().enumerate().map(|(place, entry)| html! {
                <div key={entry.id} class={(place < cut).then_some("is-cut")}>
                    <div class={classes!("wg-outputs-command", is_inside(place).then_some("is-above"))}>
                        if let Some(lines) = lines(place) {
                            <span key="more" class="wg-outputs-more" aria-hidden="true">
                                { common::more_lines(lines.unsigned_abs()) }
                            </span>
                        }
                        <span key="command">{ "$ " }{ code_words(&fitting(&entry.command, chars)) }</span>
                    </div>
                    { output(entry) }
                </div>
            }) }
        </div>
    }
}

/// Returns true if the outputs are below the text of a beat. This is the case if a table or a command is too wide for
/// the room beside the text, because the rows of a table have no columns if the rows wrap. But if the outputs would
/// need too much room below the text, the outputs are beside the text. The outputs before the last wide table or
/// command do not count, because they may be above the visible part.
fn are_below(entries: &[TerminalEntry]) -> bool {
    let widest = |entry: &TerminalEntry| {
        let rows = entry.stdout.lines();
        let rows = rows.filter(|line| line.trim_start().contains("  "));
        rows.map(|row| row.chars().count()).max().unwrap_or(0)
    };
    let is_wide = |entry: &TerminalEntry| {
        widest(entry) > BESIDE_CHARS || fitting(&entry.command, BESIDE_CHARS).ends_with('…')
    };
    let Some(at) = entries.iter().rposition(is_wide) else {
        return false;
    };
    let lines = entries[at..].iter().map(|entry| {
        let command = height(&fitting(&entry.command, BELOW_CHARS), BELOW_CHARS);
        command.max(1) + height(&entry.stdout, BELOW_CHARS)
    });
    widest(&entries[at]) <= BELOW_CHARS && lines.sum::<usize>() <= BELOW_LINES_MAX
}

/// Returns the number of lines of a text, if a line has room for `chars` characters.
fn height(text: &str, chars: usize) -> usize {
    let lines = text.lines().map(|line| line.chars().count());
    lines.map(|line| line.div_ceil(chars).max(1)).sum()
}

/// Returns a command, or as much of its beginning as fits above its output, if a line has room for `chars` characters.
/// The lines of a transaction are joined to one line.
fn fitting(command: &str, chars: usize) -> String {
    // The number of hidden lines is beside the first line.
    let beside = (MORE_WIDTH / OUTPUT_ADVANCE) as usize;
    let room = COMMAND_LINES_MAX * chars - beside;
    let line = shortened(command).replace('\n', " ");
    if line.chars().count() <= room {
        return line;
    }
    let mut fitting: String = line.chars().take(room).collect();
    fitting.push('…');
    fitting
}

/// Returns what is hidden in the region; `None` if all outputs are visible. The command of the entry at the upper edge
/// stays visible, and covers other lines. If this entry has too little room for its command, the whole entry is hidden.
/// An entry that is completely below the upper edge is never hidden.
fn hidden_in(region: &Element) -> Option<Hidden> {
    let entries = region.children();
    let element = |place: u32| entries.item(place)?.dyn_into::<HtmlElement>().ok();
    let top = region.scroll_top();
    let is_short = |entry: &HtmlElement| {
        let command = entry.query_selector(".wg-outputs-command > :last-child");
        let text = command.ok().flatten().and_then(|span| span.text_content());
        let width = text.map_or(0, |text| text.chars().count()) as f64 * OUTPUT_ADVANCE;
        width + MORE_WIDTH <= f64::from(region.client_width())
    };
    let is_whole = |place: &u32| Some(element(*place)?.offset_top() - top > -OUTPUT_LINE / 2);
    let has_command = |place: &u32| {
        let entry = element(*place)?;
        let from = entry.offset_top() - top;
        let [beside, below] = COMMAND_ROOM.map(|lines| lines * OUTPUT_LINE - OUTPUT_LINE / 2);
        let rest = from + entry.offset_height();
        Some(rest >= below || (is_whole(place)? || rest >= beside) && is_short(&entry))
    };
    let find = |has: &dyn Fn(&u32) -> Option<bool>| {
        (0..entries.length()).find(|place| has(place).unwrap_or_default())
    };
    let entry = find(&has_command)?;
    let cut = find(&is_whole).map_or(entry, |whole| whole.min(entry));
    // The lines above the first visible entry are hidden even if the region shows their places.
    let lines = (top.max(element(cut)?.offset_top()) + OUTPUT_LINE / 2) / OUTPUT_LINE;
    (lines > 0 && top > 0).then_some(Hidden {
        cut,
        entry,
        lines,
        is_inside: top >= element(entry)?.offset_top() + OUTPUT_LINE / 2,
    })
}

/// Renders links to further lessons and stories, at the end of the run.
#[component]
fn Ways() -> Html {
    let store = use_store();
    html! {
        <ul class="wg-ways">
            { for store.views.status.ways.iter().map(|way| html! { <li>{ way_on(&store, way) }</li> }) }
        </ul>
    }
}

/// Renders the main button, and a less prominent button beside it.
#[component]
fn Buttons() -> Html {
    let store = use_store();
    let status = &store.views.status;
    let back = html! {
        <button type="button" class="wg-button" disabled={status.beat.number == 0}
            onclick={store.on_click(Action::Playback(PlaybackAct::Move(Move::ByBeats(-1))))}>{ common::BACK }</button>
    };
    let main = |action: Action, glyph: Option<Glyph>, label: &'static str| {
        html! {
            <button type="button" class="wg-button is-primary wg-main-action"
                onclick={store.on_click(action)}>
                if let Some(glyph) = glyph { <Icon {glyph} /> }
                { label }
            </button>
        }
    };
    let left = branch(status).and_then(|branch| branch.parent);
    let (side, main) = if let Some(left) = left {
        let store = store.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            store.dispatch(Action::Playback(PlaybackAct::Move(Move::ToBranch(
                left.branch,
            ))));
            store.dispatch(Action::seek(SeekTo::Step(left.step)));
        });
        let back = html! {
            <button type="button" class="wg-button" {onclick}>{ words::BACK_TO_STORY }</button>
        };
        (back, html! {})
    } else if store.ui.playing {
        (
            back,
            main(
                Action::Playback(PlaybackAct::Pause),
                Some(Glyph::Pause),
                words::PAUSE,
            ),
        )
    } else if status.beat.number == 0 {
        let play = html! {
            <button type="button" class="wg-button" onclick={store.on_click(Action::Playback(PlaybackAct::Play))}>
                <Icon glyph={Glyph::Play} />{ words::PLAY }
            </button>
        };
        (
            play,
            main(
                Action::Playback(PlaybackAct::Move(Move::ByBeats(1))),
                None,
                common::NEXT,
            ),
        )
    } else if !is_over(status) {
        (
            back,
            main(
                Action::Playback(PlaybackAct::Move(Move::ByBeats(1))),
                None,
                common::NEXT,
            ),
        )
    } else {
        let again = html! {
            <button type="button" class="wg-button"
                onclick={store.on_click(Action::Playback(PlaybackAct::Play))}>{ words::REPLAY }</button>
        };
        (
            again,
            main(
                Action::Terminal(TerminalAct::Focus),
                Some(Glyph::Terminal),
                words::TRY_IT,
            ),
        )
    };
    let class = classes!("wg-story-buttons", left.is_some().then_some("is-branch"));
    html! { <div {class}>{ side }{ main }</div> }
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::TerminalView;

    use super::*;

    fn views(beat: &[&str], now: &str) -> Views {
        let entry = |command: &&str| TerminalEntry {
            command: (*command).to_owned(),
            ..TerminalEntry::default()
        };
        let mut views = Views {
            terminal: Some(TerminalView {
                beat: beat.iter().map(entry).collect(),
                ..TerminalView::default()
            }),
            ..Views::default()
        };
        views.status.now = Some(now.to_owned());
        views
    }

    #[test]
    fn a_long_command_leaves_room_for_its_output() {
        let long = "x".repeat(200);
        let cut = fitting(&long, BESIDE_CHARS);
        assert!(cut.ends_with("x…") && height(&cut, BESIDE_CHARS) <= COMMAND_LINES_MAX);
        assert_eq!(fitting(&long, BELOW_CHARS), long);
        let transaction = "txn\nversion(\"a\") = \"0\"\n\nput a 1\n\nget a";
        assert_eq!(
            fitting(transaction, BESIDE_CHARS),
            "txn version(\"a\") = \"0\"  put a 1  get a"
        );
        let entry = TerminalEntry {
            command: long,
            stdout: "OK".into(),
            ..TerminalEntry::default()
        };
        assert!(are_below(&[entry]));
    }

    #[test]
    fn a_wide_table_is_below_the_text() {
        let entry = |stdout: &str| TerminalEntry {
            stdout: stdout.into(),
            ..TerminalEntry::default()
        };
        let table =
            entry("member   state      term   leader   log\netcd-1   leader     2      etcd-1   8");
        assert!(are_below(&[entry("OK"), table.clone()]));
        assert!(are_below(&vec![table.clone(); 4]));
        let high = entry(&[&*table.stdout; 4].join("\n"));
        assert!(!are_below(&[high]), "too many lines");
        let sentence = entry("Leadership transferred from 1e738073e57b0810 to 1e738073e57b0810");
        assert!(!are_below(&[sentence, entry("a   1\nb   2")]));
    }

    #[test]
    fn the_panel_lists_all_commands_of_the_beat() {
        let listed = |beat: &[&str], now| {
            let commands = commands(&views(beat, now)).into_iter();
            let marked = commands
                .map(|(command, is_now)| [if is_now { "*" } else { "" }, &command].concat());
            marked.collect::<Vec<_>>()
        };
        assert_eq!(
            listed(&["stop a", "run 1s", "show b"], "run 1s"),
            ["stop a", "*run 1s", "show b"]
        );
        assert_eq!(
            listed(&["stop a"], "run 1s"),
            ["stop a", "*run 1s"],
            "still running"
        );
        assert_eq!(
            listed(&["run 1s", "run 1s"], "run 1s"),
            ["run 1s", "*run 1s"]
        );
        let long = "x".repeat(1_000);
        let [shown] = &listed(&[&long], "xxx…")[..] else {
            panic!("the shortened command is listed again");
        };
        assert!(
            shown.chars().count() < 300 && shown.ends_with('…'),
            "{shown}"
        );
    }
}
