//! The component that shows the Index view's picture. The component stores the camera, the scroll position, hover and
//! focus, and updates them on pointer, wheel and key events. Callbacks report everything that the engine must know.

use gloo::timers::callback::Timeout;
use watchglass_engine::view::{IndexQuery, IndexView, KeyQuery, LaneOrder, Views};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::camera::{Camera, Names, ZOOM_STEP, fits, fitted_to};
use super::empty::{self, Empty, EmptyReason};
use super::geometry::{RULER, Stage, WIDE};
use super::hit;
use super::input::{self, Wheel, Wish};
use super::legend::{self, Legend};
use super::lod;
use super::overview::{Overview, OverviewScene};
use super::picture::Picture;
use super::scene::{Highlights, IndexScene, name_cells};
use super::spot::{Spot, SpotKind, lane_of};
use super::store_rows::StoreRows;
use super::strip::Strip;
use super::svg_beads;
use super::table::{self, Rows};
use super::toolbar::{Tool, Toolbar};
use super::tooltip::{Card, Tooltip};
use super::walk::{self, Focus, Step};
use crate::draw::Font;
use crate::draw::surface::{num, place_in, px};
use crate::draw::tokens::mono_advance;
use crate::hooks::size::use_size;
use crate::hooks::tokens::use_tokens;
use crate::hooks::use_motion;
use crate::panels::lesson::next_command;
use crate::state::ui::KeySpan;
use crate::widgets::shared::Shared;
use crate::widgets::use_current;
use crate::words::index as words;

#[derive(Properties, PartialEq)]
pub struct LoomProps {
    pub views: Shared<Views>,
    pub marks: Highlights,
    /// The text that keys must contain to be shown.
    pub filter: AttrValue,
    pub order: LaneOrder,
    /// Whether the last move of the cursor jumped.
    pub instant: bool,
    pub is_presented: bool,
    /// The name of the theme, which decides the colours of the canvas.
    pub theme: &'static str,
    /// Called when the visible window changes.
    pub on_query: Callback<IndexQuery>,
    /// Called when the user selects a key or one of its rows.
    pub on_select: Callback<KeyQuery>,
    pub on_filter: Callback<String>,
    pub on_order: Callback<LaneOrder>,
    pub on_exec: Callback<String>,
    pub watcher: Option<u64>,
    pub on_watcher: Callback<u64>,
    /// Called when the user highlights keys by pointing at a watcher.
    pub on_highlight: Callback<Option<KeySpan>>,
}

/// The minimum number of keys for which a filter is shown.
const FILTER_FROM: u32 = 9;
/// The minimum height of the picture and the legend together at which the legend is open at first, in pixels.
const LEGEND_HEIGHT: f64 = 464.0;
/// The minimum height of the picture and the legend together at which an open legend stays open, in pixels. The value
/// is smaller than [`LEGEND_HEIGHT`], because the picture becomes lower when the terminal gets the focus.
const LEGEND_HEIGHT_KEPT: f64 = 320.0;
/// The time after a jump of the cursor before the last written lane is scrolled into view, in milliseconds.
const JUMP_REST_MS: u32 = 150;
/// In presenter mode, the number of lanes for which there is room below the present lanes.
const LANES_AHEAD: u32 = 1;
/// The minimum movement of a drag, in pixels. A shorter movement is a click.
const DRAG_MIN: f64 = 4.0;

/// A movement of the pointer with a pressed button, which pans the picture.
struct Drag {
    pointer: i32,
    x: f64,
    camera: crate::draw::scale::RevScale,
    moved: bool,
}

/// Renders the picture of the Index view with its legend and buttons.
#[component]
pub fn Loom(props: &LoomProps) -> Html {
    let stage_node = use_node_ref();
    let table_node = use_node_ref();
    let spacer_node = use_node_ref();
    let (width, height) = use_size(&stage_node);
    let figure_node = use_node_ref();
    let (_, room) = use_size(&figure_node);
    let tokens = use_tokens(&stage_node, props.theme);
    let advance = *use_memo(tokens.clone(), |tokens| mono_advance(&tokens.mono));
    let camera = use_state_eq(Camera::default);
    let scroll_top = use_state_eq(|| 0.0_f64);
    let hover = use_state_eq(|| None::<Spot>);
    let active = use_current(|| None::<Focus>);
    let focused = use_state_eq(|| false);
    let legend = use_state_eq(|| None::<bool>);
    let was_open = use_mut_ref(|| false);
    let legend_open = {
        let mut was_open = was_open.borrow_mut();
        let least = if *was_open {
            LEGEND_HEIGHT_KEPT
        } else {
            LEGEND_HEIGHT
        };
        *was_open = legend.unwrap_or(room >= least);
        *was_open
    };
    let folded = use_state_eq(|| false);
    let drag = use_mut_ref(|| None::<Drag>);
    let seen_names = use_mut_ref(|| (Names::default(), 0_i64));

    let nothing = use_memo((), |()| IndexView::default());
    let view: &IndexView = props.views.index.as_ref().unwrap_or(&nothing);
    let status = &props.views.status;
    use_motion(&figure_node, status);
    let head = view.head.max(1);
    let end = view.end.max(head);

    // An audience sees one beat after the other, so the lanes may use the room of the lanes that are created later.
    let lanes = if view.query.filter.is_empty() {
        let most = props.is_presented.then(|| view.lanes_total + LANES_AHEAD);
        most.map_or(view.lanes_end, |most| view.lanes_end.min(most))
    } else {
        view.lanes_matching
    };
    // A longer name may widen the column of names, but stepping back does not narrow it again, so that the revisions
    // stay in place within a run.
    let stage = {
        let mut seen = seen_names.borrow_mut();
        if end < seen.1 {
            seen.0 = Names::default();
        }
        let names = Names {
            cells: seen.0.cells.max(name_cells(view)),
            ..seen.0
        };
        let stage = Stage::new(width, height, lanes, advance);
        let (stage, names) = fitted_to(view, stage, lanes, names, end);
        *seen = (names, end);
        stage
    };
    let scale = camera.scale(&stage, view.in_sight(), end);
    let scroll_max = stage.scroll_max(view.lanes_matching);
    let scroll = stage.snapped(scroll_top.min(scroll_max));
    // The write whose lane was scrolled into view, and the scroll position after that.
    let revealed = use_mut_ref(|| ((0, None), 0));
    let laid_out = width > 0.0 && height > 0.0;

    {
        let query = laid_out.then(|| IndexQuery {
            fold: folded.then(|| scale.visible()),
            ..lod::query(
                &stage,
                scale,
                camera.half_page(&stage, end),
                scroll,
                &props.filter,
            )
        });
        let on_query = props.on_query.clone();
        use_effect_with(query, move |query| {
            if let Some(query) = query {
                on_query.emit(query.clone());
            }
        });
    }
    {
        let (node, revealed) = (spacer_node.clone(), revealed.clone());
        use_effect_with(scroll_max, move |extra| {
            if let Some(spacer) = node.cast::<HtmlElement>() {
                spacer.style().set_property("height", &px(*extra)).ok();
            }
            // A smaller range moves the scroll position without the user.
            let mut revealed = revealed.borrow_mut();
            revealed.1 = revealed.1.min(extra.round() as i32);
        });
    }
    {
        // Scrolls to the lane that the beat highlights, or to the last written lane, also when the drawing area becomes
        // lower, unless the user has scrolled since. While the cursor jumps, the lanes stay in place; they are scrolled
        // when the cursor rests.
        let (node, revealed) = (stage_node.clone(), revealed.clone());
        let write = (head, view.focus.or(view.written));
        let rest = if props.instant { JUMP_REST_MS } else { 0 };
        let size = (laid_out, height as i32, scroll_max as i32);
        use_effect_with((size, write), move |(_, write)| {
            let write = *write;
            let reveal = move || {
                if let (Some(element), Some(lane)) = (node.cast::<Element>(), write.1) {
                    let mut revealed = revealed.borrow_mut();
                    let is_unmoved = revealed.1.abs_diff(element.scroll_top()) <= 1;
                    if revealed.0 != write || is_unmoved {
                        let scroll = f64::from(element.scroll_top());
                        reveal_lane(&element, &stage, scroll, lane);
                        *revealed = (write, element.scroll_top());
                    }
                }
            };
            let waiting = (rest > 0).then(|| Timeout::new(rest, reveal.clone()));
            if waiting.is_none() {
                reveal();
            }
            move || drop(waiting)
        });
    }
    {
        // A new run starts with the default camera, without hover and focus.
        let (camera, active, hover) = (camera.clone(), active.clone(), hover.clone());
        let folded = folded.clone();
        use_effect_with((status.title.clone(), status.seed), move |_| {
            camera.set(Camera::Auto);
            folded.set(false);
            active.set(None);
            hover.set(None);
        });
    }
    {
        // In another order, the same position belongs to another key.
        let (active, hover) = (active.clone(), hover.clone());
        use_effect_with(view.query.order, move |_| {
            active.set(None);
            hover.set(None);
        });
    }
    let on_scroll = {
        let node = stage_node.clone();
        use_callback((), move |to: f64, ()| {
            if let Some(stage) = node.cast::<Element>() {
                stage.set_scroll_top(to.round() as i32);
            }
        })
    };
    let scene = {
        let deps = (
            props.views.clone(),
            stage,
            scale,
            scroll,
            props.marks.clone(),
        );
        let nothing = nothing.clone();
        Shared(use_memo(
            deps,
            move |(views, stage, scale, scroll, marks)| {
                let view = views.index.as_ref().unwrap_or(&nothing);
                IndexScene::new(view, *stage, *scale, *scroll, marks)
            },
        ))
    };
    let focus = active.get().and_then(|focus| focus.spot(view));

    let choose = {
        let (views, on_select) = (props.views.clone(), props.on_select.clone());
        move |spot: &Spot| {
            let lane = views
                .index
                .as_ref()
                .and_then(|view| lane_of(view, spot.lane));
            if let Some(lane) = lane {
                let revision = match spot.what {
                    SpotKind::Change { main, sub } => Some((main, sub)),
                    SpotKind::Name | SpotKind::Column { .. } => None,
                };
                on_select.emit(KeyQuery {
                    key: lane.key.clone(),
                    revision,
                });
            }
        }
    };
    let tool = {
        let (camera, legend, folded) = (camera.clone(), legend.clone(), folded.clone());
        let open = legend_open;
        // The centre of zooming: the focus, or else the head revision, or else the middle of the drawing area.
        let on_plot = |x: &f64| (scale.left..=scale.right()).contains(x);
        let middle = focus
            .as_ref()
            .filter(|spot| spot.what != SpotKind::Name)
            .and_then(|spot| hit::place(view, &scene, scroll, spot))
            .map(|(x, _, _)| x)
            .filter(on_plot)
            .or(Some(scene.head).filter(on_plot))
            .unwrap_or(scale.left + scale.width / 2.0);
        Callback::from(move |tool: Tool| match tool {
            Tool::Older => camera.set(Camera::panned(scale, -scale.width / 2.0, end)),
            Tool::Newer => camera.set(Camera::panned(scale, scale.width / 2.0, end)),
            Tool::ZoomIn => camera.set(Camera::zoomed(&stage, scale, ZOOM_STEP, middle, end)),
            Tool::ZoomOut => {
                camera.set(Camera::zoomed(&stage, scale, 1.0 / ZOOM_STEP, middle, end))
            }
            Tool::Fit => camera.set(Camera::Fit),
            Tool::Follow => camera.set(Camera::Auto),
            Tool::Legend => legend.set(Some(!open)),
            Tool::Fold => folded.set(!*folded),
        })
    };
    let find = {
        let (node, views, scene) = (stage_node.clone(), props.views.clone(), scene.clone());
        move |event: &MouseEvent| -> Option<(f64, Option<Spot>)> {
            let (x, y) = place_in(&node.cast::<Element>()?, event);
            let view = views.index.as_ref()?;
            Some((x, hit::hit(view, &scene, scroll, x, y)))
        }
    };

    let onwheel = {
        let (camera, find) = (camera.clone(), find.clone());
        Callback::from(move |event: WheelEvent| {
            let zoom = event.ctrl_key() || event.meta_key();
            match input::wheel(
                event.delta_x(),
                event.delta_y(),
                event.delta_mode(),
                zoom,
                event.shift_key(),
            ) {
                Wheel::Zoom(factor) => {
                    event.prevent_default();
                    let x = find(&event).map_or(scale.left, |(x, _)| x.max(scale.left));
                    camera.set(Camera::zoomed(&stage, scale, factor, x, end));
                }
                Wheel::Pan(pixels) if !fits(scale, end) => {
                    event.prevent_default();
                    camera.set(Camera::panned(scale, pixels, end));
                }
                Wheel::Pan(_) | Wheel::Leave => {}
            }
        })
    };
    let onpointerdown = {
        let drag = drag.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 && !in_tip(&event) {
                drag.replace(Some(Drag {
                    pointer: event.pointer_id(),
                    x: f64::from(event.client_x()),
                    camera: scale,
                    moved: false,
                }));
            }
        })
    };
    let onpointermove = {
        let (drag, camera, hover, find) =
            (drag.clone(), camera.clone(), hover.clone(), find.clone());
        let node = stage_node.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some(drag) = drag.borrow_mut().as_mut() {
                let by = f64::from(event.client_x()) - drag.x;
                if event.buttons() & 1 == 0 {
                    drag.moved = false;
                } else if drag.moved || by.abs() > DRAG_MIN && !fits(drag.camera, end) {
                    if !drag.moved {
                        drag.moved = true;
                        if let Some(stage) = node.cast::<Element>() {
                            stage.set_pointer_capture(drag.pointer).ok();
                        }
                    }
                    hover.set(None);
                    camera.set(Camera::panned(drag.camera, -by, end));
                    return;
                }
            }
            // A touch has no hover, and a pointer on the tooltip keeps the tooltip open.
            if event.pointer_type() != "touch" && !in_tip(&event) {
                hover.set(find(&event).and_then(|(_, spot)| spot));
            }
        })
    };
    let onclick = {
        let (drag, active, find, choose) =
            (drag.clone(), active.clone(), find.clone(), choose.clone());
        let (hover, focused) = (hover.clone(), focused.clone());
        let (table, views) = (table_node.clone(), props.views.clone());
        Callback::from(move |event: MouseEvent| {
            let dragged = drag.take().is_some_and(|drag| drag.moved);
            if dragged || in_tip(&event) {
                return;
            }
            // Screen readers click cells of the table, all other users click the picture.
            let spot = cell_of(&event).or_else(|| find(&event).and_then(|(_, spot)| spot));
            if let Some(spot) = spot {
                choose(&spot);
                // A table that receives the focus makes an item active, so the clicked item becomes active after that.
                if let Some(table) = table.cast::<HtmlElement>() {
                    table.focus().ok();
                }
                active.set(views.index.as_ref().map(|view| Focus::new(view, spot)));
                // The inspector shows the item from now on, so the tooltip no longer covers the lanes around it.
                if hover.is_some() {
                    hover.set(None);
                    focused.set(false);
                }
            }
        })
    };
    let onpointerleave = {
        let hover = hover.clone();
        Callback::from(move |_: PointerEvent| hover.set(None))
    };
    let onscroll = {
        let (node, scroll_top, hover) = (stage_node.clone(), scroll_top.clone(), hover.clone());
        Callback::from(move |_: Event| {
            if let Some(stage) = node.cast::<Element>() {
                scroll_top.set(f64::from(stage.scroll_top()));
                hover.set(None);
            }
        })
    };
    let first_seen = (scroll / stage.tier.lane).ceil() as u32;
    let onfocus = {
        let (focused, active, views) = (focused.clone(), active.clone(), props.views.clone());
        let key = props.marks.key.clone();
        let known = focus.is_some();
        Callback::from(move |_: FocusEvent| {
            focused.set(true);
            if let (false, Some(view)) = (known, &views.index) {
                let start = walk::start(view, key.as_deref(), first_seen);
                active.set(start.map(|spot| Focus::new(view, spot)));
            }
        })
    };
    let onblur = {
        let focused = focused.clone();
        Callback::from(move |_: FocusEvent| focused.set(false))
    };
    let onkeydown = {
        let (views, camera, active, hover) = (
            props.views.clone(),
            camera.clone(),
            active.clone(),
            hover.clone(),
        );
        let (focused, tool, node) = (focused.clone(), tool.clone(), stage_node.clone());
        let screen = stage.screen().saturating_sub(2).max(1);
        Callback::from(move |event: KeyboardEvent| {
            let key = event.key();
            let modified = event.ctrl_key()
                || event.meta_key()
                || event.alt_key()
                || (event.shift_key() && key.starts_with("Arrow"));
            let (Some(wish), Some(view)) = (input::wish(&key, modified), &views.index) else {
                return;
            };
            if wish != Wish::Dismiss {
                // The picture has the focus, so the arrow keys must not step through time as well.
                event.prevent_default();
                event.stop_propagation();
            }
            let focus = active.get().and_then(|focus| focus.spot(view));
            match (wish, &focus) {
                (Wish::Walk(step), Some(from)) if walk::beyond(view, from, step) => {
                    let screen = scale.width * if step == Step::Left { -0.9 } else { 0.9 };
                    camera.set(Camera::panned(scale, screen, end));
                }
                (Wish::Walk(step), Some(from)) => {
                    let to = walk::walk(view, from, step, screen);
                    if to.what != SpotKind::Name {
                        camera.set(camera.revealing(scale, to.what.revision(), end));
                    }
                    if let Some(element) = node.cast::<Element>() {
                        reveal_lane(&element, &stage, scroll, to.lane);
                    }
                    active.set(Some(Focus::new(view, to)));
                    focused.set(true);
                    hover.set(None);
                }
                (Wish::Choose, Some(spot)) => choose(spot),
                (Wish::Walk(_) | Wish::Choose, None) => {}
                (Wish::ZoomIn, _) => tool.emit(Tool::ZoomIn),
                (Wish::ZoomOut, _) => tool.emit(Tool::ZoomOut),
                (Wish::Fit, _) => tool.emit(Tool::Fit),
                (Wish::Dismiss, _) => {
                    hover.set(None);
                    focused.set(false);
                }
            }
        })
    };

    // Returns the middle of a spot (an item of the picture) and half the size of its shape.
    let around = |spot: &Spot| {
        let (x, y, half) = hit::place(view, &scene, scroll, spot)?;
        let bead = scene.beads.iter().find(|bead| {
            let here = SpotKind::Change {
                main: bead.main,
                sub: bead.sub,
            };
            bead.lane as u32 + view.query.first_lane == spot.lane && here == spot.what
        });
        let (wide, high) = match spot.what {
            SpotKind::Name => (stage.gutter - 16.0, half * 2.0),
            SpotKind::Change { .. } | SpotKind::Column { .. } => {
                bead.map_or((10.0, half * 2.0), svg_beads::extent)
            }
        };
        let on_stage = y >= RULER && y <= scene.lanes_bottom;
        on_stage.then_some((x, y, wide, high))
    };
    // In a narrow page, the inspector below the picture describes the selected key, and a tooltip would hide the lanes.
    let is_described = |spot: &&Spot| {
        let lane = lane_of(view, spot.lane);
        width < WIDE && lane.is_some_and(|lane| props.marks.key.as_ref() == Some(&lane.key))
    };
    let focused_spot = focus.as_ref().filter(|_| *focused);
    let pointed = hover
        .as_ref()
        .or(focused_spot.filter(|spot| !is_described(spot)));
    let tip = pointed.and_then(|spot| {
        let (x, y, wide, high) = around(spot)?;
        let seen = x >= scale.left || spot.what == SpotKind::Name;
        let card = Card::of(view, spot).filter(|_| seen)?;
        let half = (wide / 2.0 + 6.0, high / 2.0 + 4.0);
        Some(html! { <Tooltip {card} {x} {y} {half} {width} {height} /> })
    });
    let ring = focus.as_ref().filter(|_| *focused).and_then(|spot| {
        let (x, y, wide, high) = around(spot)?;
        Some(svg_beads::focus(x, y, wide, high))
    });
    let reason = if view.lanes_total == 0 && laid_out && props.views.index.is_some() {
        Some(if status.steps == 0 {
            EmptyReason::Fresh {
                first: match &props.views.lesson {
                    Some(lesson) => next_command(lesson).map(str::to_owned),
                    None => Some(empty::FIRST.to_owned()),
                },
            }
        } else {
            EmptyReason::Begins {
                next: status.next.clone(),
            }
        })
    } else if view.lanes_matching == 0 && view.lanes_total > 0 {
        Some(EmptyReason::Filtered {
            filter: view.query.filter.clone(),
        })
    } else {
        None
    };
    let shown = legend::OnScreen {
        scene: &scene,
        watch: props.views.watch.as_ref(),
        is_focused: *focused && focus.is_some(),
    };
    let show_table = !scene.lanes.is_empty();
    html! {
        <figure ref={figure_node} class="loom" aria-label={words::VIEW}>
            <figcaption class="wg-unseen">{ words::figure(view) }</figcaption>
            <div class={if drag_on(&drag) { "loom-frame dragging" } else { "loom-frame" }} {onpointerleave}>
                <div ref={stage_node.clone()} class="loom-stage" {onscroll} {onwheel} {onpointerdown}
                    {onpointermove} {onclick}>
                    <div class="loom-layer">
                        if laid_out {
                            <Picture scene={scene.clone()} {tokens} instant={props.instant} />
                            <StoreRows views={props.views.clone()} scene={scene.clone()} />
                            <svg class="loom-svg over" width={num(width)} height={num(height)} aria-hidden="true">
                                if width < WIDE {
                                    { edges(&scene, end) }
                                }
                                if let Some(ring) = ring {
                                    { ring }
                                }
                            </svg>
                            if stage.has_overview {
                                <Overview scene={OverviewScene::new(view, &stage, scroll)} {on_scroll} />
                            }
                        }
                        if show_table {
                            <table ref={table_node} class="wg-unseen loom-table" role="grid" tabindex="0"
                                aria-label={words::GRID}
                                aria-rowcount={view.lanes_matching.to_string()}
                                aria-colcount={(end + 1).to_string()}
                                aria-activedescendant={focus.as_ref().map(|_| table::ACTIVE_ID)}
                                {onfocus} {onblur} {onkeydown}>
                                <Rows views={props.views.clone()} scene={scene.clone()} marks={props.marks.clone()}
                                    active={focus.clone()} is_focused={*focused} />
                            </table>
                            <div class="loom-outline"></div>
                        }
                    </div>
                    <div ref={spacer_node} class="loom-spacer"></div>
                </div>
                // An optional child (`{ tip }`) would change the positions of its siblings, and Yew would create the
                // drawing area again.
                if let Some(tip) = tip {
                    { tip }
                }
                if let Some(reason) = reason {
                    <Empty {reason} has_read={view.read.is_some()} on_exec={props.on_exec.clone()}
                        on_filter={props.on_filter.clone()} />
                }
            </div>
            if laid_out && props.views.watch.is_some() {
                <Strip views={props.views.clone()} {scale} {width} font={Font::of(advance)} selected={props.watcher}
                    on_watcher={props.on_watcher.clone()} on_highlight={props.on_highlight.clone()} />
            }
            if legend_open {
                <Legend items={legend::items(shown)} />
            }
            <Toolbar
                legend={legend_open}
                filterable={view.lanes_total >= FILTER_FROM || !props.filter.is_empty()}
                filter={props.filter.clone()}
                order={props.order}
                on_order={props.on_order.clone()}
                matching={(view.lanes_matching, view.lanes_total)}
                foldable={*folded || stage.scroll_max(view.lanes_matching + view.lanes_folded) > 0.0}
                folded={folded.then_some(view.lanes_folded)}
                pannable={!fits(scale, end)}
                free={*camera != Camera::Auto}
                on_tool={tool}
                on_filter={props.on_filter.clone()}
            />
        </figure>
    }
}

fn drag_on(drag: &std::rc::Rc<std::cell::RefCell<Option<Drag>>>) -> bool {
    drag.borrow().as_ref().is_some_and(|drag| drag.moved)
}

/// Renders the edges of a narrow picture: the lanes fade out where revisions continue outside.
fn edges(scene: &IndexScene, end: i64) -> Html {
    const FADE: f64 = 24.0;
    let (scale, (top, bottom)) = (scene.scale, (RULER, scene.lanes_bottom));
    let fade = |class: &'static str, x: f64, wide: f64| {
        html! {
            <rect {class} x={num(x)} y={num(top)} width={num(wide)} height={num((bottom - top).max(0.0))} />
        }
    };
    let right = scale.right() - FADE;
    html! {
        <>
            <defs>
                <linearGradient id="loom-edge-left">
                    <stop class="loom-ground" offset="0" /><stop class="loom-clear" offset="1" />
                </linearGradient>
                <linearGradient id="loom-edge-right">
                    <stop class="loom-clear" offset="0" /><stop class="loom-ground" offset="1" />
                </linearGradient>
            </defs>
            if scale.x(1) < scale.left - 1.0 { { fade("loom-edge-left", scale.left, FADE) } }
            if scale.x(end.max(1)) > scale.right() + 1.0 {
                { fade("loom-edge-right", right, scene.stage.width - right) }
            }
        </>
    }
}

fn in_tip(event: &MouseEvent) -> bool {
    closest(event, ".loom-tip").is_some()
}

/// Returns the spot (the item of the picture) whose cell of the table was clicked.
fn cell_of(event: &MouseEvent) -> Option<Spot> {
    table::read(&closest(event, "[data-spot]")?.get_attribute("data-spot")?)
}

fn closest(event: &MouseEvent, selector: &str) -> Option<Element> {
    event.target_dyn_into::<Element>()?.closest(selector).ok()?
}

/// Scrolls the lanes just far enough to show the whole lane of a key.
fn reveal_lane(stage_element: &Element, stage: &Stage, scroll: f64, lane: u32) {
    let top = f64::from(lane) * stage.tier.lane;
    let bottom = top + stage.tier.lane;
    let to = if top < scroll {
        top
    } else if bottom > scroll + stage.lanes_height() {
        bottom - stage.lanes_height()
    } else {
        return;
    };
    stage_element.set_scroll_top(to.round() as i32);
}
