//! The nearest points of two superhyperboloids or supertoroids.
//!
//! Branch and bound over pairs of cells of both charts, in balls around their middles: no two points of a pair are nearer than
//! the middles less both radii. Promising pairs start descents over all four coordinates: Newton's method on half the squared
//! distance with its Hessian from differences of the gradient, damped by the metric, then a search with shrinking steps.

use std::cmp::Reverse;

use glam::{DMat4, DVec4};
use superegg::{DVec3, Pose};

use super::search::{APART, PROVED, STARTS};
use crate::best_first::BestFirst;
use crate::superquadric::{Cell, Place, Superquadric};

/// The nearest points, both in the first surface's frame, and a lower bound of the distance.
pub(super) struct Nearest {
    pub points: [DVec3; 2],
    pub distance: f64,
    pub lower: f64,
    pub iterations: u32,
}

/// A search ends when no pair of points can be nearer by more than this part of the surfaces' grain,
const GAP: f64 = 1e-2;
/// or when so many pairs of cells were looked at.
const PAIRS: usize = 12_000;

/// A cell, its middle in the first surface's frame, and how far it reaches from there.
struct Node {
    cell: Cell,
    place: Place,
    middle: DVec3,
    radius: f64,
    across_s: bool,
    halves: Option<[usize; 2]>,
}

/// A surface, where it is, and the cells made so far.
struct Cells<'a> {
    surface: &'a Superquadric,
    pose: Pose,
    nodes: Vec<Node>,
    whole: usize,
}

impl<'a> Cells<'a> {
    fn new(surface: &'a Superquadric, pose: Pose) -> Cells<'a> {
        let mut cells = Cells { surface, pose, nodes: Vec::new(), whole: 0 };
        for cell in surface.cells(false) {
            cells.push(cell);
        }
        cells.whole = cells.nodes.len();
        cells
    }

    fn push(&mut self, cell: Cell) -> usize {
        let place = cell.middle();
        let (point, slopes) = self.surface.at(&place);
        let radius = self.surface.reach_of(&cell, point);
        let middle = self.pose.transform_point(point);
        self.nodes.push(Node { cell, place, middle, radius, across_s: cell.is_longer_by_s(&slopes), halves: None });
        self.nodes.len() - 1
    }

    fn halves(&mut self, node: usize) -> [usize; 2] {
        if let Some(halves) = self.nodes[node].halves {
            return halves;
        }
        let made = self.nodes[node].cell.halves(self.nodes[node].across_s).map(|half| self.push(half));
        self.nodes[node].halves = Some(made);
        made
    }
}

/// Searches from all cells; any distance below `enough` will do. `hull_gap` is a lower bound for a unit normal from a to b: where it
/// proves the first descent to have found the least, no pair is looked at again.
pub(super) fn nearest(
    a: &Superquadric,
    b: &Superquadric,
    b_to_a: Pose,
    enough: f64,
    hull_gap: impl Fn(DVec3) -> f64,
) -> Nearest {
    let mut cells = [Cells::new(a, Pose::IDENTITY), Cells::new(b, b_to_a)];
    let grain = a.grain().min(b.grain());
    let mut descent =
        Descent { surfaces: [a, b], b_to_a, size: a.largest_extent() + b.largest_extent(), iterations: 0 };
    let mut queue = BestFirst::new();
    let mut waiting: Vec<[usize; 2]> = Vec::new();
    for i in 0..cells[0].whole {
        waiting.extend((0..cells[1].whole).map(|j| [i, j]));
    }
    let between = |pair: &[usize; 2]| cells[0].nodes[pair[0]].middle.distance_squared(cells[1].nodes[pair[1]].middle);
    let first = waiting.iter().min_by(|p, q| between(p).total_cmp(&between(q))).copied().unwrap_or([0, 0]);
    let mut best = descent.look([cells[0].nodes[first[0]].place, cells[1].nodes[first[1]].place]);
    best = descent.settle(best);
    if let Some(normal) = (best.points[1] - best.points[0]).try_normalize() {
        let gap = hull_gap(normal);
        if gap >= best.distance - PROVED * descent.size {
            let lower = gap.min(best.distance);
            return Nearest { points: best.points, distance: best.distance, lower, iterations: descent.iterations };
        }
    }
    let mut starts: Vec<DVec3> = vec![best.points[0]];
    let mut seen = 0;
    let lower = loop {
        for pair in waiting.drain(..) {
            let [one, other] = [&cells[0].nodes[pair[0]], &cells[1].nodes[pair[1]]];
            let (between, radii) = (one.middle.distance(other.middle), one.radius + other.radius);
            if between < best.distance {
                best = descent.look([one.place, other.place]);
            }
            let promising = between - best.distance < radii && radii < grain && starts.len() < STARTS;
            if promising && starts.iter().all(|start| start.distance(one.middle) > APART * grain) {
                starts.push(one.middle);
                let start = descent.look([one.place, other.place]);
                let end = descent.settle(start);
                if end.distance < best.distance {
                    best = end;
                }
            }
            queue.push(between - radii, Reverse(seen), pair);
            seen += 1;
        }
        let Some((bound, _, pair)) = queue.pop() else { break f64::NEG_INFINITY };
        if bound >= best.distance - GAP * grain || seen > PAIRS || best.distance <= enough {
            break bound;
        }
        let wider = usize::from(cells[1].nodes[pair[1]].radius > cells[0].nodes[pair[0]].radius);
        waiting.extend(cells[wider].halves(pair[wider]).map(|half| {
            let mut pair = pair;
            pair[wider] = half;
            pair
        }));
    };
    let best = descent.settle(best);
    let lower = lower.min(best.distance);
    Nearest { points: best.points, distance: best.distance, lower, iterations: descent.iterations }
}

/// Two surface points in the first surface's frame, with their derivatives by s and t of either.
#[derive(Clone, Copy)]
struct Found {
    places: [Place; 2],
    points: [DVec3; 2],
    slopes: [DVec3; 4],
    distance: f64,
}

struct Descent<'a> {
    surfaces: [&'a Superquadric; 2],
    b_to_a: Pose,
    size: f64,
    iterations: u32,
}

impl Descent<'_> {
    fn look(&self, places: [Place; 2]) -> Found {
        let places = [self.surfaces[0].within(places[0]), self.surfaces[1].within(places[1])];
        let (point_a, [as_, at]) = self.surfaces[0].at(&places[0]);
        let (point_b, slopes_b) = self.surfaces[1].at(&places[1]);
        let point_b = self.b_to_a.transform_point(point_b);
        let [bs, bt] = slopes_b.map(|slope| self.b_to_a.transform_vector(slope));
        Found { places, points: [point_a, point_b], slopes: [-as_, -at, bs, bt], distance: point_a.distance(point_b) }
    }

    fn moved(&self, from: &Found, step: [f64; 4]) -> Found {
        let [a, b] = from.places;
        self.look([
            Place { s: a.s + step[0], t: a.t + step[1], ..a },
            Place { s: b.s + step[2], t: b.t + step[3], ..b },
        ])
    }

    /// The gradient of half the squared distance.
    fn gradient(found: &Found) -> [f64; 4] {
        let apart = found.points[1] - found.points[0];
        found.slopes.map(|slope| slope.dot(apart))
    }

    /// Downhill by Newton's steps and by feeling around in turn.
    fn settle(&mut self, start: Found) -> Found {
        let mut best = start;
        for _ in 0..3 {
            let settled = self.newton(best);
            best = self.feel_around(settled);
            if settled.distance - best.distance <= 1e-12 * self.size {
                break;
            }
        }
        best
    }

    fn newton(&mut self, mut here: Found) -> Found {
        let mut damping = 1e-3;
        for _ in 0..60 {
            self.iterations += 1;
            let gradient = Self::gradient(&here);
            let held = self.held(&here, &gradient);
            let hessian = self.hessian(&here, &gradient);
            let mut system = [[0.0; 4]; 4];
            let mut right = [0.0; 4];
            for i in 0..4 {
                for j in 0..4 {
                    if !held[i] && !held[j] {
                        // The metric of either surface alone: its points do not move with the other's.
                        let metric = if i / 2 == j / 2 { here.slopes[i].dot(here.slopes[j]) } else { 0.0 };
                        system[i][j] = 0.5 * (hessian[i][j] + hessian[j][i]) + damping * metric;
                    }
                }
                if held[i] {
                    system[i][i] = 1.0;
                } else {
                    right[i] = -gradient[i];
                }
            }
            let step = DMat4::from_cols_array_2d(&system).inverse() * DVec4::from_array(right);
            let length: f64 = (0..4).map(|k| (here.slopes[k] * step[k]).length()).sum();
            let downhill = (0..4).map(|k| step[k] * gradient[k]).sum::<f64>() < 0.0;
            let next = (step.is_finite() && downhill).then(|| {
                let part = (0.3 * self.size / length.max(f64::MIN_POSITIVE)).min(1.0);
                self.moved(&here, (step * part).to_array())
            });
            match next {
                Some(next) if next.distance < here.distance => {
                    here = next;
                    damping = if damping < 1e-9 { 0.0 } else { 0.1 * damping };
                    if length < 1e-13 * self.size {
                        break;
                    }
                }
                Some(_) if length < 1e-10 * self.size => break,
                _ if damping > 1e9 => break,
                _ => damping = (10.0 * damping).max(1e-3),
            }
        }
        here
    }

    /// Coordinates at a rim that the descent would pass.
    fn held(&self, here: &Found, gradient: &[f64; 4]) -> [bool; 4] {
        let at_rim = |surface: &Superquadric, t: f64, slope: f64| {
            let range = surface.range();
            range.is_some_and(|[low, high]| (t >= high && slope < 0.0) || (t <= low && low < 0.0 && slope > 0.0))
        };
        let [a, b] = self.surfaces;
        [false, at_rim(a, here.places[0].t, gradient[1]), false, at_rim(b, here.places[1].t, gradient[3])]
    }

    /// Second derivatives from differences of the gradient; inwards from a rim.
    fn hessian(&self, here: &Found, gradient: &[f64; 4]) -> [[f64; 4]; 4] {
        const STEP: f64 = 1e-6;
        [0, 1, 2, 3].map(|k| {
            let place = &here.places[k / 2];
            let size = if k % 2 == 0 { STEP } else { STEP * place.t.abs().max(1.0) };
            let beyond = self.surfaces[k / 2].range().is_some_and(|[_, high]| k % 2 == 1 && place.t + size > high);
            let size = if beyond { -size } else { size };
            let mut step = [0.0; 4];
            step[k] = size;
            let beside = Self::gradient(&self.moved(here, step));
            [0, 1, 2, 3].map(|i| (beside[i] - gradient[i]) / size)
        })
    }

    /// Steps to all sides that shrink while none helps.
    fn feel_around(&self, mut here: Found) -> Found {
        let mut step = 1e-4 * self.size;
        let mut tries = 0;
        while step > 1e-9 * self.size && tries < 60 {
            let sizes = here.slopes.map(|slope| step / slope.length().max(1e-9 * self.size));
            let sides = (0..8).map(|side| {
                let mut along = [0.0; 4];
                along[side / 2] = if side % 2 == 0 { sizes[side / 2] } else { -sizes[side / 2] };
                along
            });
            let better = sides
                .map(|side| self.moved(&here, side))
                .find(|next| next.distance < here.distance - 1e-15 * self.size);
            match better {
                Some(next) => {
                    here = next;
                    tries += 1;
                }
                None => step *= 0.1,
            }
        }
        here
    }
}
