//! The layout of the pages that the last request touched, in order. A sequential page touches the page before it; a gap
//! and an arrow lead to a random page.

use watchglass_engine::view::storage::{TouchedPage, TouchedPages};

use super::plan::StoragePlan;
use crate::draw::{Identity, Marks, Rect, order, pt, svg_path};
use crate::words::storage as words;

/// The height of a page and of the space below it, in pixels.
pub const CELL: f64 = 20.0;
const BELOW: f64 = 5.0;
/// The width of the gap before a random page, in pixels.
const JUMP: f64 = 13.0;
/// The space between the edges of a page and its number, at both sides.
const INSETS: f64 = 8.0;
/// The maximum number of lines in a wide and in a narrow drawing.
const LINES: [usize; 2] = [1, 2];

/// Draws the pages below `top`, as many as fit, and returns the height of the drawing.
pub fn touched(marks: &mut Marks, touched: &TouchedPages, plan: &StoragePlan, top: f64) -> f64 {
    let digits = touched
        .pages
        .iter()
        .map(|page| plan.font.width(&page.id.to_string()));
    let wide = digits.fold(0.0, f64::max) + INSETS;
    let lines = LINES[usize::from(!plan.wide)];
    let total = touched.sequential + touched.random;
    let more = |shown: usize| words::more_pages(total - shown as u64);
    let end = plan.right - plan.font.width(&more(0)) - JUMP;
    let (mut x, mut line) = (plan.left, 0);
    for (at, page) in touched.pages.iter().enumerate() {
        let gap = if at > 0 && !page.is_sequential {
            JUMP
        } else {
            0.0
        };
        // The last page needs no room for the number of further pages.
        let end = if at as u64 + 1 == total {
            plan.right
        } else {
            end
        };
        if x + gap + wide > end {
            line += 1;
            if line == lines {
                let y = top + (line - 1) as f64 * (CELL + BELOW) + CELL / 2.0;
                marks.label("sto-about", pt(x + JUMP / 2.0, y), more(at));
                return height(lines);
            }
            x = plan.left;
        }
        let y = top + line as f64 * (CELL + BELOW);
        marks.part(
            Identity::of("touched", at as u64, order::RECEIVER).pops(),
            |marks| {
                cell(marks, page, Rect::new(x + gap, y, wide, CELL), gap);
            },
        );
        x += gap + wide;
    }
    height(line + 1)
}

fn height(lines: usize) -> f64 {
    lines as f64 * (CELL + BELOW)
}

/// Draws a page and, in the gap before a random page, an arrow.
fn cell(marks: &mut Marks, page: &TouchedPage, area: Rect, gap: f64) {
    let middle = area.y + area.height / 2.0;
    if gap > 0.0 {
        let (from, to) = (area.x - gap + 2.0, area.x - 2.0);
        marks.path(
            "sto-jump",
            svg_path!(M from, middle; H to; m -3.5, -3.5; l 3.5, 3.5; l -3.5, 3.5),
        );
    }
    let class = match page.is_sequential {
        true => "sto-touched",
        false => "sto-touched is-random",
    };
    marks.rect(class, area, 2.0);
    marks.label(
        "sto-touched-id",
        pt(area.x + area.width / 2.0, middle),
        page.id.to_string(),
    );
}

#[cfg(test)]
mod tests {
    use watchglass_engine::view::storage::{PageKind, TouchedBy};

    use super::*;
    use crate::draw::{Font, Mark};

    fn pages(ids: &[u64]) -> TouchedPages {
        let mut last = None;
        let pages: Vec<TouchedPage> = ids
            .iter()
            .map(|id| TouchedPage {
                id: *id,
                kind: PageKind::Leaf,
                is_sequential: last.replace(*id).is_some_and(|last| last + 1 == *id),
            })
            .collect();
        let sequential = pages.iter().filter(|page| page.is_sequential).count() as u64;
        TouchedPages {
            by: TouchedBy::Read,
            random: pages.len() as u64 - sequential,
            sequential,
            pages,
            rows: 1,
        }
    }

    fn drawn(ids: &[u64], width: f64) -> (Marks, f64) {
        let mut marks = Marks::default();
        let plan = StoragePlan::new(width, Font::of(0.602));
        let height = touched(&mut marks, &pages(ids), &plan, 10.0);
        (marks, height)
    }

    #[test]
    fn sequential_pages_touch_and_an_arrow_leads_to_each_other_page() {
        let (marks, height) = drawn(&[7, 5, 6, 9], 800.0);
        assert_eq!(height, CELL + BELOW);
        let rects = |class: &'static str| marks.rects(class).collect::<Vec<_>>();
        let (random, sequential) = (rects("sto-touched is-random"), rects("sto-touched"));
        assert_eq!((random.len(), sequential.len()), (3, 1));
        assert_eq!(random[1].right(), sequential[0].x, "page 6 follows page 5");
        assert_eq!(random[0].right() + JUMP, random[1].x);
        assert_eq!(
            marks.paths("sto-jump").count(),
            2,
            "nothing leads to the first page"
        );
        let ids: Vec<&str> = marks.texts("sto-touched-id").map(|(_, id)| id).collect();
        assert_eq!(ids, ["7", "5", "6", "9"]);
    }

    #[test]
    fn pages_that_do_not_fit_are_counted() {
        let ids: Vec<u64> = (0..60).map(|at| 100 + at * 2).collect();
        for width in [362.0, 620.0, 1_100.0] {
            let (marks, _) = drawn(&ids, width);
            let shown = marks.texts("sto-touched-id").count();
            let said: Vec<(_, &str)> = marks.texts("sto-about").collect();
            assert_eq!(said[0].1, format!("+{} more", 60 - shown), "{width}");
            let end = said[0].0.x + Font::of(0.602).width(said[0].1);
            assert!(end <= width, "{width}: {end}");
            let inside = |mark: &Mark| match mark {
                Mark::Rect(_, area, _) => area.right() <= width,
                _ => true,
            };
            assert!(marks.flat().all(inside));
        }
    }
}
