//! The page: mounts the app, restores the saved state, starts the engine, and lays out the panels.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use watchglass_engine::session::practice::Item;
use watchglass_engine::session::protocol::{SeekTo, Source};
use yew::prelude::*;

use crate::address::{Address, link};
use crate::hooks::{use_choices, use_scroll_to_top, use_shortcuts};
use crate::host;
use crate::keep::Wanted;
use crate::panels::announcer::Announcer;
use crate::panels::author::Author;
use crate::panels::challenge::ChallengeRail;
use crate::panels::dialogs::Dialogs;
use crate::panels::dropzone::Dropzone;
use crate::panels::inspector::InspectorPanel;
use crate::panels::lesson::{LessonRail, PracticeRail};
use crate::panels::notices::Notices;
use crate::panels::sheet::SheetTabs;
use crate::panels::stage::Stage;
use crate::panels::story::{Story, has_ways};
use crate::panels::terminal::Terminal;
use crate::panels::timeline::Timeline;
use crate::panels::topbar::TopBar;
use crate::state::Action;
use crate::state::action::AuthorAct;
use crate::state::action::LayoutAct;
use crate::state::action::RunAct;
use crate::state::choices::Panel;
use crate::state::choices::Tone;
use crate::state::layout::INSPECTOR_WIDTH;
use crate::state::line::PromptLine;
use crate::state::practice::Practice;
use crate::state::prefs::Prefs;
use crate::state::ui::{Dialog, Notice};
use crate::store::Keeper;
use crate::store::api;
use crate::store::theme;
use crate::store::{Store, StoreContext, StoreHandle, local, share, use_store};
use crate::widgets::current::Current;
use crate::widgets::splitter::Edge;
use crate::widgets::{Glyph, Icon, Shared, Splitter, use_current};
use crate::words::page::PRESENTER_KEYS;
use crate::words::state as words;

/// The id of the element into which the app or a figure is mounted.
const ROOT_ID: &str = "app";

pub fn mount() {
    let mut prefs = Prefs::from_line(&local::read_prefs());
    let address = Address::of_page();
    if let Some(theme) = address.theme {
        prefs.theme = theme;
    }
    theme::apply(prefs.theme);
    let store = Store::new(prefs, host::choose());
    if has_root_class("is-reading") {
        store.begin_with_story();
    }
    api::offer(&store);
    let (keeper, unreadable) = Keeper::start();
    store.keep_with(keeper, Keeper::fresh_ids());
    store.take_up_draft(local::read_draft());
    store.take_up_progress(local::read_progress());
    if let Some(settings) = local::read_lab() {
        store.take_up_lab(settings);
    }
    let mut practice = Practice::from_text(&local::read_practice());
    let mut wanted = address.wanted();
    if address.practises {
        practice.begin(local::now_minutes());
        if address.opening.is_some() {
            practice.is_over = false;
        } else {
            let source = Source::Lesson(practice.next_item().to_string());
            let at = SeekTo::Default;
            wanted = Wanted::Source { source, at };
        }
    }
    store.take_up_practice(practice);
    if let Some(view) = address.views.first() {
        store.show_first(*view);
    } else if matches!(wanted, Wanted::Source { .. }) {
        store.follow_beats();
    }
    store.dispatch(match address.writes {
        true => Action::Author(AuthorAct::Begin),
        false => Action::Run(RunAct::Begin(wanted)),
    });
    // Render only after `Begin`: the first layout depends on the source, since a lesson has a panel of its own.
    render(&store, html! { <Page /> });
    if address.play {
        store.play_when_seen();
    }
    if address.present {
        store.dispatch(Action::Layout(LayoutAct::Present));
    }
    share::follow(&store);
    let wrong = address.wrong.or(unreadable.map(str::to_owned));
    if let Some(why) = wrong {
        store.dispatch(Action::Layout(LayoutAct::Tell(Notice {
            tone: Tone::Bad,
            text: why,
            offers: Vec::new(),
        })));
    }
    if let Some(dialog) = address.dialog {
        let dialog = match dialog {
            Dialog::Palette { .. } => Dialog::Palette {
                returns: link::is_from_same_folder(),
            },
            dialog => dialog,
        };
        store.dispatch(Action::OpenDialog(dialog));
    }
}

/// Returns true if the document's element has the class. The page's HTML and its first script set these classes.
pub fn has_root_class(class: &str) -> bool {
    let root = gloo::utils::document().document_element();
    root.is_some_and(|root| root.class_list().contains(class))
}

/// Renders the page or a figure, and renders it again after each change of the state.
pub fn render(store: &Rc<Store>, children: Html) {
    let store = PageStore(store.clone());
    let props = AppProps { store, children };
    if let Some(root) = gloo::utils::document().get_element_by_id(ROOT_ID) {
        yew::Renderer::<App>::with_root_and_props(root, props).render();
    }
}

/// A reference to the page's store. Two references are equal if they refer to the same store.
#[derive(Clone)]
struct PageStore(Rc<Store>);

impl PartialEq for PageStore {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, PartialEq, Properties)]
struct AppProps {
    store: PageStore,
    children: Html,
}

/// The renderings of the page. A change of the user's choices is rendered immediately. The page is also rendered
/// immediately before scripts get their replies, and if it may get no animation frames. Otherwise, the engine's views
/// are rendered in the next animation frame, so that several views in one frame cause only one rendering.
struct Renderings {
    store: Rc<Store>,
    handle: UseStateSetter<StoreHandle>,
    line: UseStateSetter<Shared<PromptLine>>,
    /// The number of renderings so far that are followed by replies to scripts.
    replied: Current<u64>,
    shown: RefCell<StoreHandle>,
    /// The frame in which the page will be rendered; `None` if no rendering is waiting.
    frame: RefCell<Option<AnimationFrame>>,
}

impl Renderings {
    fn show(self: &Rc<Self>) {
        self.line.set(self.store.line());
        let handle = self.store.handle();
        let has_replies = self.store.has_replies();
        let is_ui_shown = Rc::ptr_eq(&handle.ui, &self.shown.borrow().ui);
        if has_replies || !is_ui_shown || !self.store.has_frames() {
            self.render();
        } else if handle != *self.shown.borrow() && self.frame.borrow().is_none() {
            let next = self.clone();
            let frame = request_animation_frame(move |_| next.render());
            self.frame.replace(Some(frame));
        }
    }

    fn render(&self) {
        self.frame.take();
        let handle = self.store.handle();
        self.shown.replace(handle.clone());
        self.handle.set(handle);
        if self.store.has_replies() {
            self.replied.set(self.replied.get() + 1);
        }
    }
}

/// Provides the store to all components below it, and renders again after each change of the state.
#[component]
fn App(props: &AppProps) -> Html {
    let handle = use_state_eq(|| props.store.0.handle());
    let line = use_state_eq(|| props.store.0.line());
    let replied = use_current(|| 0_u64);
    {
        let store = props.store.clone();
        use_effect_with(replied.get(), move |_| store.0.give_replies());
    }
    {
        let shown = RefCell::new((*handle).clone());
        let (handle, line, replied) = (handle.setter(), line.setter(), replied.clone());
        let store = props.store.clone();
        use_effect_with(store, move |store| {
            let renderings = Rc::new(Renderings {
                store: store.0.clone(),
                handle,
                line,
                replied,
                shown,
                frame: RefCell::new(None),
            });
            renderings.show();
            store.0.listen(Callback::from(move |()| renderings.show()));
        });
    }
    html! {
        <ContextProvider<StoreContext> context={(*handle).clone()}>
            <ContextProvider<Shared<PromptLine>> context={(*line).clone()}>
                { props.children.clone() }
            </ContextProvider<Shared<PromptLine>>>
        </ContextProvider<StoreContext>>
    }
}

#[hook]
fn use_title(title: &str) {
    use_effect_with(title.to_owned(), |title| {
        if !title.is_empty() {
            gloo::utils::document().set_title(&format!("{title} · Watchglass"));
        }
    });
}

/// Renders the panel with the text: an exercise, a challenge, a lesson or a story.
fn text(store: &StoreHandle) -> Html {
    match &store.views.lesson {
        Some(lesson) if Item::named(&lesson.name).is_some() => html! { <PracticeRail /> },
        Some(lesson) if lesson.challenge.is_some() => html! { <ChallengeRail /> },
        Some(_) => html! { <LessonRail /> },
        None => html! { <Story /> },
    }
}

/// Renders all panels. The style sheet decides the position of each panel; the order here is the reading order.
#[component]
pub fn Page() -> Html {
    let store = use_store();
    use_shortcuts(&store);
    use_choices();
    use_scroll_to_top(&store);
    let sheet = match store.ui.sheet {
        Panel::Story => "story",
        Panel::Inspect => "inspect",
        Panel::Terminal => "terminal",
    };
    use_title(&store.views.status.title);
    let is_lab = store.ui.has_lab_alone(&store.views);
    let class = classes!(
        "wg-app",
        (!store.ui.prefs.terminal_open).then_some("terminal-closed"),
        store.ui.is_terminal_active().then_some("terminal-active"),
        (!store.ui.inspector_open).then_some("inspector-closed"),
        store.ui.sheet_tall.then_some("sheet-tall"),
        store.ui.has_lesson(&store.views).then_some("has-lesson"),
        store.ui.is_asking(&store.views).then_some("is-asking"),
        store.ui.lesson_draft.is_some().then_some("is-writing"),
        is_lab.then_some("is-lab"),
        store.ui.is_reading(&store.views).then_some("is-reading"),
        store.ui.presenting.is_some().then_some("is-presenting"),
        store
            .ui
            .presenting
            .is_some_and(|mode| mode.is_blank)
            .then_some("is-blank"),
        store
            .ui
            .presenting
            .is_some_and(|mode| mode.is_typing)
            .then_some("is-typing"),
        (!store.ui.has_story(&store.views)).then_some("has-no-story"),
        has_ways(&store).then_some("has-ways"),
        store.ui.instant.then_some("is-instant"),
    );
    html! {
        <div {class} data-sheet={sheet}>
            <TopBar />
            <Notices />
            <main class="wg-main">
                if store.ui.lesson_draft.is_some() { <Author /> }
                { text(&store) }
                <Stage />
                if store.ui.presenting.is_some_and(|mode| !mode.has_moved) {
                    <p class="wg-presenter-keys">{ PRESENTER_KEYS }</p>
                }
                <SheetTabs />
                <Terminal />
                if store.ui.inspector_open {
                    <Splitter label={words::INSPECTOR_WIDTH} edge={Edge::Left} property="--wg-inspector"
                        range={INSPECTOR_WIDTH} size={store.ui.prefs.panel_sizes().inspector} default={360}
                        on_size={store.on(|value| Action::Layout(LayoutAct::InspectorWidth(value)))} />
                }
                <aside class="wg-inspector wg-fades" aria-label={words::INSPECTOR}>
                    <button type="button" class="wg-button is-quiet is-icon is-small wg-inspector-close"
                        aria-label={words::CLOSE_INSPECTOR}
                        onclick={store.on_click(Action::Layout(LayoutAct::Sheet(Panel::Story)))}>
                        <Icon glyph={Glyph::Close} />
                    </button>
                    <InspectorPanel />
                </aside>
            </main>
            <Timeline />
            <Dialogs />
            <Dropzone />
            <Announcer />
        </div>
    }
}
