//! Draws the scene as SVG. SVG supports themes and printing; it is used for up to a few hundred nodes.
//!
//! The marks that are drawn first are in the back. Lines are behind beads, and each label is on an opaque rectangle (a
//! plate), so that no line crosses a text. The classes in `static/index.css` decide the colours; the content policy
//! forbids `style` attributes.

use yew::prelude::*;

use super::geometry::RULER;
use super::scene::{
    Band, BeadShape, Bracket, Cut, Ground, IndexScene, Life, RangeBracket, RevisionFlag,
    RevisionFlagKind, SMALL, When, name_left,
};
use super::svg_beads;
use crate::draw::order;
use crate::draw::surface::{num, within};
use crate::draw::{Mark, Segment, marks, pt, svg_path};
use crate::words::common;

#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// Whether the canvas below draws the key lines, brackets, labels and beads.
    pub bulk_elsewhere: bool,
    /// Whether each bead keeps its element, because the cursor moves to a neighbouring step or beat.
    pub keeps_beads: bool,
}

/// Renders the content of the `<svg>` element.
pub fn draw(scene: &IndexScene, extras: Extras) -> Html {
    let (left, width) = (scene.scale.left, scene.scale.width);
    let height = (scene.lanes_bottom - RULER).max(0.0);
    let view_box = [num(left), num(RULER), num(width), num(height)].join(" ");
    let gutter_box = ["0", &num(RULER), &num(left), &num(height)].join(" ");
    html! {
        <>
            { patterns() }
            <svg key="plot" class="loom-plot" x={num(left)} y={num(RULER)} width={num(width)}
                height={num(height)} viewBox={view_box}>
                { hatch(scene) }
                { lines("join", order::STORE, "loom-join", &scene.joins) }
                { moving("head:line", upright("loom-head", scene.head, RULER, scene.lanes_bottom)) }
                if !extras.bulk_elsewhere {
                    { threads(scene) }
                }
                { lines("answer", order::WATCHER, answer_class(scene), &scene.answers) }
                if let Some(floor) = scene.floor {
                    <g key="floor" class="loom-floor" data-mark="compacted:line"
                        data-order={order::STORE.to_string()} data-from="compacted:area">
                        { upright("loom-floor-line", floor, RULER, scene.lanes_bottom) }
                    </g>
                }
                if let Some(cut) = scene.cut {
                    { moving("read:line", upright(cut_class(cut), cut.x, RULER, scene.lanes_bottom)) }
                }
                if !extras.bulk_elsewhere {
                    { labels(scene) }
                    { svg_beads::draw(scene, extras.keeps_beads) }
                }
                { svg_beads::rings(scene) }
            </svg>
            <svg key="names" x="0" y={num(RULER)} width={num(left)} height={num(height)} viewBox={gutter_box}>
                { for scene.lanes.iter().map(|lane| name(scene, lane)) }
            </svg>
            { ruler(scene) }
            if let Some(bracket) = &scene.range {
                { range(scene, bracket) }
            }
            { for scene.flags.iter().map(|flag| plate(scene, flag)) }
        </>
    }
}

/// Renders the layer below everything else, including the canvas: the backgrounds of lanes, and the background of the
/// selected change.
pub fn ground(scene: &IndexScene) -> Html {
    html! {
        <>
            { stripes(scene) }
            { for scene.beads.iter().filter(|bead| bead.selected).map(|bead| cell(scene, bead)) }
        </>
    }
}

/// Renders the background of the selected change: as wide as the change's bead and as high as the lane.
fn cell(scene: &IndexScene, bead: &BeadShape) -> Html {
    let tier = scene.stage.tier;
    let half = svg_beads::extent(bead).0 / 2.0 + CELL_MARGIN;
    let (left, right) = (scene.scale.left, scene.scale.right());
    let x1 = within(bead.x - half, left, right);
    let x2 = within(bead.x + half, left, right);
    let top = bead.y - tier.axis;
    let y1 = top.max(RULER);
    let y2 = (top + tier.lane).min(scene.lanes_bottom);
    if x1 >= x2 || y1 >= y2 {
        return Html::default();
    }
    let (x, width) = (num(x1), num(x2 - x1));
    html! {
        <g key="cell">
            <rect class="loom-cell" x={x.clone()} y={num(y1)} width={width.clone()} height={num(y2 - y1)} />
            <rect class="loom-cell-edge" {x} y={num((y2 - 3.0).max(y1))} {width} height="3" />
        </g>
    }
}

/// The distance by which the background of the selected change extends beyond the bead on each side.
const CELL_MARGIN: f64 = 5.0;

/// Renders the bracket beside the lanes of a range of keys, and the line from the bracket to the range's name in the
/// ruler.
fn range(scene: &IndexScene, range: &RangeBracket) -> Html {
    let left = name_left(&scene.stage);
    let bracket = range.span.map(|(y1, y2)| {
        let foot = |is_end: bool| if is_end { "H11" } else { "" };
        let start = if range.ends.0 { "11" } else { "6.5" };
        let d = format!("M{start} {}H6.5V{}{}", num(y1), num(y2), foot(range.ends.1));
        let lead = format!("M{} 9H6.5V{}", num(left - 3.0), num(y1));
        html! {
            <>
                <path class="loom-range-lead" d={lead} />
                <path class="loom-range" {d} />
            </>
        }
    });
    html! {
        <g key="range">
            if let Some(bracket) = bracket { { bracket } }
            <text class="loom-range-name" x={num(left)} y="13" font-size={num(SMALL)}>{ &range.name }</text>
        </g>
    }
}

fn line_of(class: &'static str, line: Segment) -> Html {
    marks::element(&Mark::Line(class, line))
}

fn upright(class: &'static str, x: f64, y1: f64, y2: f64) -> Html {
    line_of(class, Segment::new(pt(x, y1), pt(x, y2)))
}

/// Renders lines that have no identity but their place among the others.
fn lines(kind: &str, order: u32, class: &'static str, all: &[Segment]) -> Html {
    let lines = all.iter().enumerate().map(|(at, line)| {
        let mark = format!("{kind}:{at}");
        html! { <g key={at} data-mark={mark} data-order={order.to_string()}>{ line_of(class, *line) }</g> }
    });
    html! { <g key={kind}>{ for lines }</g> }
}

/// Renders a mark of the store, which moves when the cursor moves.
fn moving(name: &'static str, drawn: Html) -> Html {
    html! { <g key={name} data-mark={name} data-order={order::STORE.to_string()}>{ drawn }</g> }
}

/// Returns the class of the lines from the read to the returned changes.
fn answer_class(scene: &IndexScene) -> &'static str {
    match scene.cut.is_some_and(|cut| cut.is_aside) {
        true => "loom-answer-span aside",
        false => "loom-answer-span",
    }
}

fn cut_class(cut: Cut) -> &'static str {
    match (cut.refused, cut.is_aside) {
        (true, _) => "loom-cut refused",
        (false, true) => "loom-cut aside",
        (false, false) => "loom-cut",
    }
}

fn patterns() -> Html {
    html! {
        <defs key="defs">
            <pattern id="loom-hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect class="loom-hatch-line" width="1.4" height="8" />
            </pattern>
        </defs>
    }
}

/// Renders the thin lines between lanes, and the backgrounds of the selected lane and of the lanes whose keys the
/// highlighted watcher watches.
fn stripes(scene: &IndexScene) -> Html {
    let (width, height) = (scene.stage.width, scene.stage.tier.lane);
    let top = RULER.max(scene.lanes.first().map_or(RULER, |lane| lane.y));
    html! {
        <g key="stripes">
            { for scene.lanes.iter().filter(|lane| lane.ground != Ground::Plain).map(|lane| {
                let (y1, y2) = (lane.y.max(top), (lane.y + height).min(scene.lanes_bottom));
                let height = num((y2 - y1).max(0.0));
                let class = match lane.ground {
                    Ground::Watched => "loom-lane-watched",
                    Ground::Selected | Ground::Plain => "loom-lane-selected",
                };
                html! {
                    <>
                        <rect {class} x="0" y={num(y1)} width={num(width)} height={height.clone()} />
                        if lane.watched {
                            <rect class="loom-lane-watched-edge" x="0" y={num(y1)} width="4" {height} />
                        }
                    </>
                }
            }) }
            <path class="loom-hair" d={hairs(scene)} />
        </g>
    }
}

/// Returns the thin lines below the lanes, as one path: fewer elements are faster to change.
fn hairs(scene: &IndexScene) -> String {
    let ends = scene
        .lanes
        .iter()
        .map(|lane| lane.y + scene.stage.tier.lane - 0.5);
    let shown = ends.filter(|y| *y > RULER && *y <= scene.lanes_bottom);
    shown
        .map(|y| line([0.0, y], [scene.stage.width, y]))
        .collect()
}

/// Returns a straight line as a part of the `d` attribute of a path.
fn line([x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> String {
    svg_path!(M x1, y1; L x2, y2)
}

/// Renders the area of the compacted revisions.
fn hatch(scene: &IndexScene) -> Html {
    let Some(floor) = scene.floor.filter(|floor| *floor > scene.scale.left) else {
        return Html::default();
    };
    let width = num((floor - scene.scale.left).min(scene.scale.width));
    let height = num((scene.lanes_bottom - RULER).max(0.0));
    html! {
        <rect key="hatch" data-mark="compacted:area" data-order={order::STORE.to_string()} data-way="grow"
            class="loom-hatch" fill="url(#loom-hatch)"
            x={num(scene.scale.left)} y={num(RULER)} {width} {height} />
    }
}

/// Renders the threads and the brackets below them. There is one path for all lines of a kind, because fewer elements
/// are faster to change.
fn threads(scene: &IndexScene) -> Html {
    let bracket_path = |bracket: &Bracket| {
        let (top, bottom) = (bracket.y - 4.0, bracket.y);
        let open = svg_path!(M bracket.x1, top; V bottom; H bracket.x2);
        match bracket.open {
            true => open,
            false => open + &svg_path!(V top),
        }
    };
    let brackets = [(false, "loom-bracket"), (true, "loom-bracket faint")];
    let brackets = brackets.map(|(faint, class)| {
        let of_kind = scene
            .brackets
            .iter()
            .filter(|bracket| bracket.faint == faint);
        html! {
            <path key={class} {class} d={of_kind.map(bracket_path).collect::<String>()}
                data-mark={format!("lines:{class}")} data-order={order::STORE.to_string()} />
        }
    });
    let lines = [
        (Life::Alive, "loom-thread alive", scene.stage.tier.thread),
        (Life::Ended, "loom-thread ended", 2.0),
        (Life::Forgotten, "loom-thread forgotten", 1.5),
    ];
    let lines = lines.into_iter().map(|(life, class, width)| {
        let of_kind = scene.threads.iter().filter(|thread| thread.life == life);
        let d: String = of_kind
            .map(|thread| line([thread.x1, thread.y], [thread.x2, thread.y]))
            .collect();
        html! {
            <path key={class} {class} {d} stroke-width={num(width)} data-mark={format!("lines:{class}")}
                data-order={order::STORE.to_string()} />
        }
    });
    html! { <g key="threads">{ for brackets }{ for lines }</g> }
}

fn labels(scene: &IndexScene) -> Html {
    let size = num(scene.stage.tier.small);
    let labels = scene.labels.iter().map(|label| {
        let plate = match label.ground {
            Ground::Plain => "loom-plate",
            Ground::Watched => "loom-plate watched",
            Ground::Selected => "loom-plate selected",
        };
        html! {
            <g data-mark={["life:", &label.id].concat()} data-order={order::STORE.to_string()}>
                <rect class={plate} x={num(label.x - 4.0)} y={num(label.plate.0)}
                    width={num(label.width + 8.0)} height={num(label.plate.1)} rx="3" />
                <text class={if label.alive { "loom-label alive" } else { "loom-label" }} x={num(label.x)}
                    y={num(label.y)} font-size={size.clone()}>{ &label.text }</text>
            </g>
        }
    });
    html! { <g key="labels">{ for labels }</g> }
}

fn name(scene: &IndexScene, lane: &Band) -> Html {
    let tier = scene.stage.tier;
    let y = lane.y + tier.axis + tier.font * 0.35;
    let class = match (lane.alive, lane.ground == Ground::Selected) {
        (true, true) => "loom-name selected",
        (true, false) => "loom-name",
        (false, true) => "loom-name ended selected",
        (false, false) => "loom-name ended",
    };
    let size = num(tier.font);
    let mark = ["lane:", &lane.prefix, &lane.name].concat();
    if lane.stacked {
        let (first, second) = (num(y - 8.0), num(y + 8.0));
        return html! {
            <text {class} font-size={size} x="12" y={first.clone()} data-mark={mark}
                data-order={order::AXIS.to_string()}>
                <tspan class="loom-prefix" x="12" y={first}>{ &lane.prefix }</tspan>
                <tspan class="loom-last" x="12" y={second}>{ &lane.name }</tspan>
            </text>
        };
    }
    html! {
        <text {class} font-size={size} x="16" y={num(y)} data-mark={mark}
            data-order={order::AXIS.to_string()}>
            <tspan class="loom-prefix">{ &lane.prefix }</tspan><tspan class="loom-last">{ &lane.name }</tspan>
        </text>
    }
}

fn ruler(scene: &IndexScene) -> Html {
    let left = num(name_left(&scene.stage));
    // The numbers are below the name of a range, if the ruler shows a range.
    let y = if scene.range.is_some() { "28" } else { "21" };
    let numbers = scene.ticks.iter().map(|tick| {
        let class = match tick.when {
            When::Past => "loom-tick",
            When::Head => "loom-tick head",
            When::Future => "loom-tick future",
        };
        html! {
            <text {class} x={num(tick.text_x)} y="21" data-mark={format!("number:{}", tick.revision)}
                data-order={order::AXIS.to_string()}>{ tick.revision.to_string() }</text>
        }
    });
    let tick_line = |x: f64, top: f64| svg_path!(M x, top; V RULER - 0.5);
    let small = scene.small_ticks.iter().map(|x| tick_line(*x, 31.0));
    let large = scene.ticks.iter().map(|tick| tick_line(tick.x, 28.0));
    // The numbers have a group of their own, so that the elements beside them stay if the count of numbers changes.
    html! {
        <g key="ruler">
            <text class="loom-axis-name" x={left} {y}>{ common::REVISION_AXIS }</text>
            { line_of("loom-hair strong", Segment::new(pt(0.0, RULER - 0.5), pt(scene.stage.width, RULER - 0.5))) }
            <path class="loom-tick-line" d={small.chain(large).collect::<String>()} />
            <g>{ for numbers }</g>
        </g>
    }
}

/// Renders a flag and the line between the flag and its revision. The line turns if the flag had to move aside.
fn plate(scene: &IndexScene, flag: &RevisionFlag) -> Html {
    let area = flag.area;
    let (class, line) = match flag.kind {
        RevisionFlagKind::Floor => ("loom-flag floor", scene.floor),
        RevisionFlagKind::Read => ("loom-flag read", scene.cut.map(|cut| cut.x)),
        RevisionFlagKind::Refused => ("loom-flag refused", scene.cut.map(|cut| cut.x)),
    };
    let on_plot = |x: &f64| *x >= scene.scale.left && *x <= scene.scale.right();
    let line = line.filter(on_plot).map(|x| {
        let to = within(x, area.x + 1.0, area.right() - 1.0);
        let turn = (scene.lanes_bottom + area.y) / 2.0;
        svg_path!(M x, scene.lanes_bottom; V turn; H to; V area.y + 1.0)
    });
    html! {
        <g key={class} {class} data-mark={format!("flag:{class}")} data-order={order::STORE.to_string()}>
            <title>{ &flag.title }</title>
            if let Some(d) = line {
                <path {d} />
            }
            <rect x={num(area.x)} y={num(area.y)} width={num(area.width)} height={num(area.height)} rx="4" />
            <text font-size={num(SMALL)} x={num(area.x + area.width / 2.0)}
                y={num(area.y + 15.2)}>{ &flag.text }</text>
        </g>
    }
}
