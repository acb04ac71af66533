//! Finds the item at a pixel. A division finds the lane, a binary search finds the change. Beads have no event
//! listeners, so the SVG and the canvas behave the same, and changes of the picture are cheap.

use watchglass_engine::view::IndexView;

use super::geometry::RULER;
use super::scene::{BeadShape, IndexScene, lane_top};
use super::spot::{Spot, SpotKind, column};

/// The distance from the middle of a bead within which a pointer hits the bead, unless the bead is wider. Targets are
/// thus at least 24 pixels wide.
const SLACK: f64 = 12.0;

/// Returns the spot (the item of the picture) at a pixel of the drawing area.
pub fn hit(view: &IndexView, scene: &IndexScene, scroll_top: f64, x: f64, y: f64) -> Option<Spot> {
    let tier = scene.stage.tier;
    if y < RULER || y >= scene.lanes_bottom || x < 0.0 || x > scene.stage.width {
        return None;
    }
    let lane = ((y - RULER + scroll_top) / tier.lane).floor();
    if lane < 0.0 || lane >= f64::from(view.lanes_matching) {
        return None;
    }
    let lane = lane as u32;
    let index = lane.checked_sub(view.query.first_lane)? as usize;
    let data = view.lanes.get(index)?;
    if x < scene.scale.left {
        return Some(Spot {
            lane,
            what: SpotKind::Name,
        });
    }
    let wanted = scene.scale.at(x);
    let after = data
        .beads
        .partition_point(|bead| (bead.main as f64) < wanted);
    let near = data
        .beads
        .get(after.saturating_sub(1)..(after + 1).min(data.beads.len()))
        .unwrap_or_default()
        .iter()
        .min_by(|a, b| {
            let distance = |main: i64| (scene.scale.x(main) - x).abs();
            distance(a.main).total_cmp(&distance(b.main))
        });
    if let Some(bead) = near {
        let shape = shape_of(scene, index, bead.main, bead.sub);
        let half = shape.map_or(SLACK, |shape| (shape.width / 2.0 + 2.0).max(SLACK));
        let middle = shape.map_or(scene.scale.x(bead.main), |shape| shape.x);
        if (middle - x).abs() <= half {
            return Some(Spot {
                lane,
                what: SpotKind::Change {
                    main: bead.main,
                    sub: bead.sub,
                },
            });
        }
    }
    let revision = (wanted + 0.5).floor() as i64;
    let slack = (3.0 / scene.scale.pitch).ceil() as i64;
    data.bins
        .iter()
        .map(|bin| column(view, bin))
        .filter_map(|what| {
            let SpotKind::Column { from, to } = what else {
                return None;
            };
            let away = (from - revision).max(revision - to).max(0);
            (away <= slack).then_some((away, what))
        })
        .min_by_key(|(away, _)| *away)
        .map(|(_, what)| Spot { lane, what })
}

/// Returns the x and y coordinates of the middle of a spot (an item of the picture), and half the spot's height.
pub fn place(
    view: &IndexView,
    scene: &IndexScene,
    scroll_top: f64,
    spot: &Spot,
) -> Option<(f64, f64, f64)> {
    let tier = scene.stage.tier;
    let index = spot.lane.checked_sub(view.query.first_lane)? as usize;
    view.lanes.get(index)?;
    let y = lane_top(view, tier.lane, scroll_top, index) + tier.axis;
    let x = match spot.what {
        SpotKind::Name => scene.stage.gutter / 2.0,
        SpotKind::Change { main, sub } => {
            shape_of(scene, index, main, sub).map_or(scene.scale.x(main), |shape| shape.x)
        }
        SpotKind::Column { from, to } => scene.scale.x_at((from as f64 + to as f64) / 2.0),
    };
    Some((x, y, tier.bead / 2.0))
}

fn shape_of(scene: &IndexScene, lane: usize, main: i64, sub: i64) -> Option<&BeadShape> {
    let mut shapes = scene.beads.iter();
    shapes.find(|shape| (shape.lane, shape.main, shape.sub) == (lane, main, sub))
}

#[cfg(test)]
mod tests {
    use super::super::camera::Camera;
    use super::super::fixture;
    use super::super::geometry::Stage;
    use super::super::scene::Highlights;
    use super::*;

    #[test]
    fn every_bead_is_found_where_it_is_drawn() {
        let view = fixture::pods();
        let stage = Stage::new(760.0, 418.0, view.lanes_total, 0.6);
        let scale = Camera::Auto.scale(&stage, view.head, view.end);
        let scene = IndexScene::new(&view, stage, scale, 0.0, &Highlights::default());
        assert_eq!(scene.beads.len(), 19);
        for bead in &scene.beads {
            let spot = Spot {
                lane: bead.lane as u32,
                what: SpotKind::Change {
                    main: bead.main,
                    sub: bead.sub,
                },
            };
            assert_eq!(
                hit(&view, &scene, 0.0, bead.x + 3.0, bead.y).as_ref(),
                Some(&spot)
            );
            let (x, y, _) = place(&view, &scene, 0.0, &spot).unwrap();
            assert_eq!((x, y), (bead.x, bead.y));
        }
        assert_eq!(
            hit(&view, &scene, 0.0, 30.0, 60.0).map(|spot| spot.what),
            Some(SpotKind::Name)
        );
        assert_eq!(hit(&view, &scene, 0.0, 300.0, 10.0), None);
        assert_eq!(hit(&view, &scene, 0.0, 300.0, 410.0), None);
    }
}
