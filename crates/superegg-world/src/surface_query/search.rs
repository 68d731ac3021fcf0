//! The least distance between a superhyperboloid or supertoroid and something whose nearest point to any point is known.
//!
//! Branch and bound over the cells of the surface's chart: a distance changes by no more than the point moves, so that a cell
//! is no nearer than its middle less the reach of its box. What the cells left open bound from below is a proof. Every promising
//! middle starts a descent: Newton's method on the squared distance over the two coordinates of the chart, its Hessian from
//! differences of the gradient, damped by the surface's metric, and at the end a search with shrinking steps, which needs no
//! derivatives and so passes over ridges.

use std::cmp::Reverse;

use superegg::DVec3;

use crate::best_first::BestFirst;
use crate::superquadric::{Cell, Place, Superquadric};

/// The nearest point of the other body to a point, and which triangle of it has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub point: DVec3,
    pub item: u32,
    /// How far at least the other body is from the point that was asked about: less than the distance of the foot only by what
    /// is not known of that.
    pub at_least: f64,
}

impl Foot {
    /// The only point of the other body.
    pub fn only(from: DVec3, point: DVec3) -> Foot {
        Foot { point, item: 0, at_least: from.distance(point) }
    }
}

/// A surface point, its derivatives, the nearest point to it and how far that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub point: DVec3,
    pub foot: Foot,
    pub distance: f64,
    place: Place,
    slopes: [DVec3; 2],
}

/// A search ends when no surface point can be nearer by more than this part of the surface's grain,
const GAP: f64 = 1e-2;
/// or when so many cells were looked at.
const CELLS: usize = 1000;

/// The hulls' gap proves a distance that is greater by no more than this part of the surface's extent.
pub(super) const PROVED: f64 = 1e-10;

/// Descents start at least this part of the grain apart from each other,
pub(super) const APART: f64 = 0.2;
/// and not more often than this, which rings of nearest points would do.
pub(super) const STARTS: usize = 8;

/// A search in progress.
pub(super) struct Search<'a, F> {
    surface: &'a Superquadric,
    size: f64,
    grain: f64,
    foot: F,
    /// Steps of all descents.
    pub iterations: u32,
}

impl<'a, F: FnMut(DVec3) -> Foot> Search<'a, F> {
    pub fn new(surface: &'a Superquadric, foot: F) -> Search<'a, F> {
        Search { surface, size: surface.largest_extent(), grain: surface.grain(), foot, iterations: 0 }
    }

    fn look(&mut self, place: Place) -> Found {
        let place = self.surface.within(place);
        let (point, slopes) = self.surface.at(&place);
        let foot = (self.foot)(point);
        Found { point, foot, distance: point.distance(foot.point), place, slopes }
    }

    /// The nearest surface point in the cells, any that is nearer than `enough` will do, and a lower bound of all their distances.
    /// `hull_gap` is a lower bound too, for a unit normal from the surface to the other body: where it proves the first descent to
    /// have found the least, no cell is looked at again.
    pub fn least(&mut self, cells: &[Cell], enough: f64, hull_gap: impl Fn(DVec3) -> f64) -> (Found, f64) {
        let mut best = self.look(cells[0].middle());
        for cell in &cells[1..] {
            let here = self.look(cell.middle());
            if here.distance < best.distance {
                best = here;
            }
        }
        best = self.descend(best);
        if let Some(normal) = (best.foot.point - best.point).try_normalize() {
            let gap = hull_gap(normal);
            if gap >= best.distance - PROVED * self.size {
                return (best, gap.min(best.distance));
            }
        }
        let mut queue = BestFirst::new();
        let mut starts: Vec<DVec3> = vec![best.point];
        let mut seen = 0;
        let mut waiting: Vec<Cell> = cells.to_vec();
        let lower = loop {
            for cell in waiting.drain(..) {
                let here = self.look(cell.middle());
                let reach = self.surface.reach_of(&cell, here.point);
                let promising = here.distance - best.distance < reach && reach < 0.5 * self.grain;
                if here.distance < best.distance {
                    best = here;
                }
                let few = starts.len() < STARTS;
                if promising && few && starts.iter().all(|start| start.distance(here.point) > APART * self.grain) {
                    starts.push(here.point);
                    let end = self.descend(here);
                    if end.distance < best.distance {
                        best = end;
                    }
                }
                let across_s = cell.is_longer_by_s(&here.slopes);
                queue.push(here.foot.at_least - reach, Reverse(seen), (cell, across_s));
                seen += 1;
            }
            let Some((bound, _, (cell, across_s))) = queue.pop() else { break f64::NEG_INFINITY };
            if bound >= best.distance - GAP * self.grain || seen > CELLS || best.distance <= enough {
                break bound;
            }
            waiting.extend(cell.halves(across_s));
        };
        let best = self.descend(best);
        (best, lower.min(best.distance))
    }

    /// Downhill from a place, by Newton's steps and by feeling around in turn.
    fn descend(&mut self, start: Found) -> Found {
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

    /// The gradient of half the squared distance by s and t.
    fn gradient(found: &Found) -> [f64; 2] {
        let apart = found.point - found.foot.point;
        found.slopes.map(|slope| slope.dot(apart))
    }

    fn newton(&mut self, mut here: Found) -> Found {
        let mut damping = 1e-3;
        for _ in 0..40 {
            self.iterations += 1;
            let [gs, gt] = Self::gradient(&here);
            let [ds, dt] = here.slopes;
            let metric = [ds.length_squared(), ds.dot(dt), dt.length_squared()];
            // A rim that the descent would pass holds t.
            let held = self.surface.range().is_some_and(|[low, high]| {
                (here.place.t >= high && gt < 0.0) || (here.place.t <= low && low < 0.0 && gt > 0.0)
            });
            let hessian = self.hessian(&here, [gs, gt]);
            let [ss, st, tt] = [0, 1, 2].map(|i| hessian[i] + damping * metric[i]);
            let determinant = ss * tt - st * st;
            let step = if held {
                (ss > 0.0).then(|| [-gs / ss, 0.0])
            } else {
                (ss > 0.0 && determinant > 0.0)
                    .then(|| [(st * gt - tt * gs) / determinant, (st * gs - ss * gt) / determinant])
            };
            let moved = step.filter(|step| step[0].is_finite() && step[1].is_finite()).map(|[step_s, step_t]| {
                let length = (ds * step_s + dt * step_t).length();
                let part = (0.3 * self.size / length.max(f64::MIN_POSITIVE)).min(1.0);
                let place = Place { s: here.place.s + part * step_s, t: here.place.t + part * step_t, ..here.place };
                (self.look(place), length)
            });
            match moved {
                Some((next, length)) if next.distance < here.distance => {
                    here = next;
                    damping = if damping < 1e-9 { 0.0 } else { 0.1 * damping };
                    if length < 1e-13 * self.size {
                        break;
                    }
                }
                Some((_, length)) if length < 1e-10 * self.size => break,
                _ if damping > 1e9 => break,
                _ => damping = (10.0 * damping).max(1e-3),
            }
        }
        here
    }

    /// Second derivatives by ss, st and tt, from differences.
    fn hessian(&mut self, here: &Found, gradient: [f64; 2]) -> [f64; 3] {
        const STEP: f64 = 1e-6;
        let step_t = STEP * here.place.t.abs().max(1.0);
        // Inwards from a rim.
        let towards =
            self.surface.range().map_or(1.0, |[_, high]| if here.place.t + step_t > high { -1.0 } else { 1.0 });
        let step_t = step_t * towards;
        let beside = self.look(Place { s: here.place.s + STEP, ..here.place });
        let above = self.look(Place { t: here.place.t + step_t, ..here.place });
        let ([ss, st], [ts, tt]) = (Self::gradient(&beside), Self::gradient(&above));
        let by_s = [(ss - gradient[0]) / STEP, (st - gradient[1]) / STEP];
        let by_t = [(ts - gradient[0]) / step_t, (tt - gradient[1]) / step_t];
        [by_s[0], 0.5 * (by_s[1] + by_t[0]), by_t[1]]
    }

    /// Steps to all sides that shrink while none helps.
    fn feel_around(&mut self, mut here: Found) -> Found {
        let mut step = 1e-4 * self.size;
        let mut tries = 0;
        while step > 1e-9 * self.size && tries < 40 {
            let [ds, dt] = here.slopes.map(|slope| step / slope.length().max(1e-9 * self.size));
            let sides = [[ds, 0.0], [-ds, 0.0], [0.0, dt], [0.0, -dt]];
            let better = sides.into_iter().find_map(|[s, t]| {
                let next = self.look(Place { s: here.place.s + s, t: here.place.t + t, ..here.place });
                (next.distance < here.distance - 1e-15 * self.size).then_some(next)
            });
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

/// The surface point that is nearest to a point. A surface that is its own mirror image has such a point in the octant of the
/// point, so that only that is searched.
pub(super) fn nearest_to_point(surface: &Superquadric, point: DVec3) -> Nearest {
    let mirrored = point.abs();
    let mut search = Search::new(surface, |from| Foot::only(from, mirrored));
    let (found, lower) =
        search.least(&surface.cells(true), 0.0, |normal| normal.dot(mirrored) - surface.support_value(normal));
    Nearest { point: found.point.abs().mirrored_like(point), lower, iterations: search.iterations }
}

/// The surface point nearest to a point, how far from that the surface is at least, and the steps it took.
pub(super) struct Nearest {
    pub point: DVec3,
    pub lower: f64,
    pub iterations: u32,
}

trait Mirrored {
    fn mirrored_like(self, other: DVec3) -> DVec3;
}

impl Mirrored for DVec3 {
    /// The mirror image in the octant of another point.
    fn mirrored_like(self, other: DVec3) -> DVec3 {
        DVec3::new(self.x.copysign(other.x), self.y.copysign(other.y), self.z.copysign(other.z))
    }
}

/// An octant of a surface in samples, for many points: the nearest of them and the nearest of those far from it start descents.
pub(super) struct Octant<'a> {
    surface: &'a Superquadric,
    samples: Vec<Sample>,
    /// How far from the nearest sample a surface point may be.
    reach: f64,
}

struct Sample {
    place: Place,
    point: DVec3,
}

/// Cells of samples reach no farther than this part of the extent.
const FINE: f64 = 0.05;

impl<'a> Octant<'a> {
    pub fn new(surface: &'a Superquadric) -> Octant<'a> {
        let fine = FINE * surface.largest_extent();
        let mut samples = Vec::new();
        let mut waiting = surface.cells(true);
        while let Some(cell) = waiting.pop() {
            let place = cell.middle();
            let (point, slopes) = surface.at(&place);
            if surface.reach_of(&cell, point) > fine {
                waiting.extend(cell.halves(cell.is_longer_by_s(&slopes)));
            } else {
                samples.push(Sample { place, point });
            }
        }
        Octant { surface, samples, reach: fine }
    }

    /// Bounds of the distance of a point from the surface, by the samples alone.
    pub fn bounds(&self, point: DVec3) -> [f64; 2] {
        let mirrored = point.abs();
        let near = |sample: &Sample| sample.point.distance_squared(mirrored);
        let nearest_sq = self.samples.iter().map(near).fold(f64::INFINITY, f64::min);
        let upper = nearest_sq.sqrt();
        [(upper - self.reach).max(0.0), upper]
    }

    /// The surface point nearest to a point, nearly: where a ridge stops Newton's steps, no nearer one is felt for.
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        let mirrored = point.abs();
        let mut search = Search::new(self.surface, |from| Foot::only(from, mirrored));
        let mut best: Option<Found> = None;
        let mut starts: [Option<DVec3>; 3] = [None; 3];
        for turn in 0..starts.len() {
            let limit_sq = best.map_or(f64::INFINITY, |found| (found.distance + self.reach).powi(2));
            let is_new = |sample: &&Sample| {
                let apart = |start: &DVec3| start.distance(sample.point) > APART * search.grain;
                sample.point.distance_squared(mirrored) < limit_sq && starts.iter().flatten().all(apart)
            };
            let by_distance = |p: &&Sample, q: &&Sample| {
                p.point.distance_squared(mirrored).total_cmp(&q.point.distance_squared(mirrored))
            };
            let Some(sample) = self.samples.iter().filter(is_new).min_by(by_distance) else { break };
            starts[turn] = Some(sample.point);
            let start = search.look(sample.place);
            let end = search.newton(start);
            if best.is_none_or(|found| end.distance < found.distance) {
                best = Some(end);
            }
        }
        best.map_or(point, |found| found.point.abs().mirrored_like(point))
    }
}
