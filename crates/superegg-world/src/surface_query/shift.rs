//! How far a body has to be moved to leave a superhyperboloid or supertoroid that it overlaps.
//!
//! The body touches the surface from outside at a point p with normal n when it has been moved by `p − q`, where q is its point
//! that is farthest along −n. These shifts make up the boundary of all that leave the two in overlap; the depth is the shortest
//! of them. It is sought over the whole surface by samples and from the best of them by shrinking steps, among the shifts that
//! lead from inside the surface to it. The end is a common normal, a local answer as the papers' are: neither body is convex, and
//! what frees the point q need not free all. The shifts that part the hulls, a plane between them, free the bodies for certain.

use superegg::DVec3;

use crate::superquadric::{Place, Superquadric};

/// A shift that frees a body: it takes its point `other_point` to `surface_point`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub surface_point: DVec3,
    pub other_point: DVec3,
    pub depth: f64,
}

/// Cells of samples reach no farther than this part of the extent.
const FINE: f64 = 0.08;
/// Samples from which shifts are shortened,
const STARTS: usize = 6;
/// at least this part of the extent apart.
const APART: f64 = 0.1;

struct Sample {
    place: Place,
    shift: Shift,
}

/// The shift at a place, if it is shorter than `limit`; `None` where the surface has no normal or the body's point is not inside.
fn at(surface: &Superquadric, place: &Place, limit: f64, farthest: &impl Fn(DVec3) -> DVec3) -> Option<Shift> {
    let surface_point = surface.at(place).0;
    let normal = surface.gradient(surface_point).1.try_normalize()?;
    let other_point = farthest(-normal);
    let way = surface_point - other_point;
    let depth = way.length();
    let leads_out = way.dot(normal) > 0.0 && depth < limit;
    (leads_out && surface.contains(other_point)).then_some(Shift { surface_point, other_point, depth })
}

/// Whether all of the way lies inside the surface.
fn stays_inside(surface: &Superquadric, shift: &Shift) -> bool {
    (1..8).all(|part| surface.contains(shift.other_point.lerp(shift.surface_point, f64::from(part) / 8.0)))
}

/// The shortest shift that was found; `None` where none leads from inside. `farthest` is the body's point that is farthest in a
/// direction, all in the surface's frame.
pub(super) fn shortest(surface: &Superquadric, farthest: impl Fn(DVec3) -> DVec3) -> Option<Shift> {
    let size = surface.largest_extent();
    let mut samples: Vec<Sample> = Vec::new();
    let mut waiting = surface.cells(false);
    while let Some(cell) = waiting.pop() {
        let place = cell.middle();
        let (point, slopes) = surface.at(&place);
        if surface.reach_of(&cell, point) > FINE * size {
            waiting.extend(cell.halves(cell.is_longer_by_s(&slopes)));
        } else if let Some(shift) = at(surface, &place, f64::INFINITY, &farthest) {
            samples.push(Sample { place, shift });
        }
    }
    samples.sort_by(|p, q| p.shift.depth.total_cmp(&q.shift.depth));
    let mut starts: Vec<DVec3> = Vec::new();
    let mut best: Option<Shift> = None;
    for Sample { place, shift } in samples {
        if starts.len() == STARTS {
            break;
        }
        let known = starts.iter().any(|start| start.distance(shift.surface_point) < APART * size);
        if known || !stays_inside(surface, &shift) {
            continue;
        }
        starts.push(shift.surface_point);
        let end = shortened(surface, place, shift, &farthest);
        if best.is_none_or(|best| end.depth < best.depth) {
            best = Some(end);
        }
    }
    best
}

/// Steps to all sides that shrink while none shortens the shift.
fn shortened(surface: &Superquadric, mut place: Place, mut shift: Shift, farthest: &impl Fn(DVec3) -> DVec3) -> Shift {
    let size = surface.largest_extent();
    let mut step = FINE * size;
    let mut moves = 0;
    while step > 1e-10 * size && moves < 400 {
        let slopes = surface.at(&place).1;
        let [ds, dt] = slopes.map(|slope| step / slope.length().max(1e-9 * size));
        let sides =
            [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.7, 0.7], [-0.7, -0.7], [0.7, -0.7], [-0.7, 0.7]];
        let better = sides.into_iter().find_map(|[s, t]| {
            let next = surface.within(Place { s: place.s + s * ds, t: place.t + t * dt, ..place });
            let found = at(surface, &next, shift.depth - 1e-16 * size, farthest)?;
            stays_inside(surface, &found).then_some((next, found))
        });
        match better {
            Some((next, found)) => {
                (place, shift) = (next, found);
                moves += 1;
            }
            None => step *= 0.5,
        }
    }
    shift
}
