//! Boxes and spheres that hold a shape, as tight as they can be.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::coordinates::smooth_weights;
use super::norm::norm;
use super::superovoid::Superovoid;

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub center: DVec3,
    /// Its radius, in metres.
    pub radius: f64,
}

/// Largest distance from the centre to the superellipse with radii a, b and exponent e: for e < 1 the squared
/// coordinates lie on the superellipse of exponent 2e, so it is a dual norm; for e ≥ 1 it is the larger radius.
pub(crate) fn farthest(a: f64, b: f64, e: f64) -> f64 {
    if e < 1.0 { norm(a * a, b * b, 2.0 * e).sqrt() } else { a.max(b) }
}

/// A height of the profile, `s = z/a3` from -1 to 1.
#[derive(Clone, Copy)]
struct Section {
    /// z.
    z: f64,
    /// `r(s)`, by which the section at the equator is scaled besides the taper.
    radius: f64,
    /// `-dr/dz` away from the equator, infinite at the poles.
    narrowing: f64,
    /// Largest distance from the axis, divided by r.
    width: f64,
}

impl Section {
    fn distance_sq_from(&self, center: f64) -> f64 {
        distance_sq(self.radius * self.width, self.z - center)
    }
}

fn distance_sq(x: f64, y: f64) -> f64 {
    x * x + y * y
}

/// Accepted relative excess of the squared radius; no use of a bounding sphere would notice it.
const TOLERANCE: f64 = 1e-9;
/// The search for the centre needs about eight.
const MAX_CUTS: u32 = 60;
/// Cells of each half in which the search for the farthest section begins.
const CELLS: u32 = 4;
/// Smallest cell, as a part of a quarter turn.
const SMALLEST_CELL: f64 = 1e-9;

/// The smallest sphere that holds a superovoid. By symmetry its centre lies on the axis; its squared radius is the
/// minimum over the centre z of `max over the heights of planar² + (height - z)²`, a maximum of parabolas with equal
/// curvature. Each evaluation yields one of them, and the minimum of the two best on either side is the next trial. The
/// radius is a proved upper bound for its centre, whatever the search for the centre did.
pub(crate) fn smallest_enclosing(egg: &Superovoid) -> Sphere {
    let reach = egg.radii()[2];
    let [mut low, mut high] = [-reach, reach].map(|center| Farthest::from(egg, center, 0.1).section);
    let (mut best, mut gap) = ((0.0, f64::INFINITY), 1.0_f64);
    for _ in 0..MAX_CUTS {
        let center = if low.z <= high.z || low.distance_sq_from(low.z) >= high.distance_sq_from(low.z) {
            low.z
        } else if high.distance_sq_from(high.z) >= low.distance_sq_from(high.z) {
            high.z
        } else {
            let planar_sq = [low, high].map(|section| distance_sq(section.radius * section.width, 0.0));
            0.5 * (low.z + high.z + (planar_sq[0] - planar_sq[1]) / (low.z - high.z))
        };
        let attainable = low.distance_sq_from(center).max(high.distance_sq_from(center));
        // As exact as is of use at this stage.
        let farthest = Farthest::from(egg, center, (1e-3 * gap).clamp(TOLERANCE, 0.1));
        if farthest.bound < best.1 {
            best = (center, farthest.bound);
        }
        gap = best.1 / attainable - 1.0;
        if gap <= 3.0 * TOLERANCE {
            break;
        }
        if farthest.section.z >= center {
            low = farthest.section;
        } else {
            high = farthest.section;
        }
    }
    Sphere { center: DVec3::new(0.0, 0.0, best.0), radius: best.1.sqrt() * (1.0 + 4.0 * f64::EPSILON) }
}

/// The search for the section of a superovoid farthest from a centre on its axis: cells of heights are divided until a
/// bound shows each to be no farther than the best found.
struct Farthest<'a> {
    egg: &'a Superovoid,
    center: f64,
    /// Accepted relative excess of `bound`.
    tolerance: f64,
    /// The farthest section found, and its squared distance.
    section: Section,
    distance_sq: f64,
    /// No section's squared distance is larger than this.
    bound: f64,
}

impl Farthest<'_> {
    fn from(egg: &Superovoid, center: f64, tolerance: f64) -> Farthest<'_> {
        let equator = section(egg, 0.0);
        let distance_sq = equator.distance_sq_from(center);
        let mut search = Farthest { egg, center, tolerance, section: equator, distance_sq, bound: distance_sq };
        for half in [-1.0, 1.0] {
            let angle = |index: u32| half * FRAC_PI_2 * (f64::from(index) / f64::from(CELLS));
            for index in 1..=CELLS {
                search.improve(&section(egg, angle(index)));
            }
            for index in 0..CELLS {
                let angles = [angle(index), angle(index + 1)];
                search.divide(angles, angles.map(|angle| section(egg, angle)));
            }
        }
        search
    }

    fn improve(&mut self, section: &Section) {
        let distance_sq = section.distance_sq_from(self.center);
        if distance_sq > self.distance_sq {
            (self.section, self.distance_sq) = (*section, distance_sq);
            self.bound = self.bound.max(distance_sq);
        }
    }

    fn divide(&mut self, angles: [f64; 2], cell: [Section; 2]) {
        let bound = self.cell_bound(&cell);
        let middle = 0.5 * (angles[0] + angles[1]);
        if bound <= self.distance_sq * (1.0 + self.tolerance) || (middle - angles[0]).abs() < SMALLEST_CELL {
            self.bound = self.bound.max(bound);
            return;
        }
        let section = section(self.egg, middle);
        self.improve(&section);
        self.divide([angles[0], middle], [cell[0], section]);
        self.divide([middle, angles[1]], [section, cell[1]]);
    }

    /// Bound of the squared distance between two sections of one half. The width is a maximum of norms of vectors that
    /// are linear in z, hence convex and below its chord; r is concave, hence below its tangents at both ends. So the
    /// profile lies below two parabolas, one from each end to where the tangents meet, and each parabola lies in the
    /// triangle of its control points, of which the farthest counts.
    fn cell_bound(&self, [inner, outer]: &[Section; 2]) -> f64 {
        let length = outer.z - inner.z;
        let chord = if length == 0.0 { 0.0 } else { (outer.width - inner.width) / length };
        // Signed steps along z; `narrowing` counts away from the equator.
        let (first, second) = (-inner.narrowing.copysign(length), -outer.narrowing.copysign(length));
        let meeting = (outer.radius - inner.radius - second * length) / (first - second);
        let meeting =
            if meeting.is_finite() && meeting / length > 0.0 && meeting / length < 1.0 { meeting } else { length };
        let farthest = |end: &Section, slope: f64, step: f64| {
            let (radius, width) = (end.radius + slope * step, end.width + chord * step);
            let middle = 0.5 * (end.radius * width + radius * end.width);
            distance_sq(middle, end.z + 0.5 * step - self.center)
                .max(distance_sq(radius * width, end.z + step - self.center))
        };
        let ends = inner.distance_sq_from(self.center).max(outer.distance_sq_from(self.center));
        let from_inner = farthest(inner, first, meeting);
        let from_outer = if second.is_finite() { farthest(outer, second, meeting - length) } else { 0.0 };
        ends.max(from_inner).max(from_outer)
    }
}

/// The section at an angle from -90° (the lower pole) to 90° of the unknown in which the profile is smooth.
fn section(egg: &Superovoid, angle: f64) -> Section {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    let weights = smooth_weights(angle.abs(), e2);
    let s = weights.y.powf(e2).copysign(angle);
    Section {
        z: a3 * s,
        radius: weights.x.powf(e2),
        narrowing: (weights.y / weights.x).powf(2.0 - e2) / a3,
        width: farthest(a1 * (1.0 + tx * s), a2 * (1.0 + ty * s), e1),
    }
}
