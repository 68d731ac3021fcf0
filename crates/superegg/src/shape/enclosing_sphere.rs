//! The smallest sphere that holds a superovoid: a minimum of maxima over its sections, each with a proved bound.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::bounds::{Sphere, farthest};
use super::coordinates::smooth_weights;
use super::superovoid::Superovoid;

impl Superovoid {
    /// The smallest sphere that holds the solid, in its own frame, to 1e-9 of its radius: one equation for its centre on
    /// the z axis. Costs about a tenth of a millisecond; keep it.
    pub fn bounding_sphere(&self) -> Sphere {
        smallest_enclosing(self)
    }
}

/// A section of the superovoid at `s = z/a3`.
#[derive(Clone, Copy)]
struct Section {
    s: f64,
    /// `R = r(s)²`.
    radius_sq: f64,
    /// `-dR/d(s²)`, infinite at the poles if e2 < 1.
    narrowing: f64,
    /// Largest squared distance from the axis, divided by R.
    width_sq: f64,
}

/// Accepted relative excess of the squared radius; no use of a bounding sphere would notice it.
const TOLERANCE: f64 = 1e-9;
/// The search for the centre needs about eight.
const MAX_CUTS: u32 = 60;
/// Cells of each half in which the search for the farthest section begins.
const CELLS: u32 = 4;
/// Steepest tangent of R that a bound is built on: with it the bound keeps twelve digits.
const STEEPEST: f64 = 1e3;
/// Smallest cell, as a part of a quarter turn.
const SMALLEST_CELL: f64 = 1e-9;

/// The smallest sphere that holds a superovoid. By symmetry its centre lies on the axis; its squared radius is the
/// minimum over the centre z of `max over the heights of planar² + (height - z)²`, a maximum of parabolas with equal
/// curvature. Each evaluation yields one of them, and the minimum of the two best on either side is the next trial. The
/// radius is a proved upper bound for its centre, whatever the search for the centre did.
fn smallest_enclosing(egg: &Superovoid) -> Sphere {
    let a3 = egg.radii()[2];
    let distance_sq = |section: &Section, center: f64| section.distance_sq_from(a3, center);
    let [mut low, mut high] = [-a3, a3].map(|center| Farthest::from(egg, center, 0.1).section);
    let (mut best, mut gap) = ((0.0, f64::INFINITY), 1.0_f64);
    for _ in 0..MAX_CUTS {
        let (z_low, z_high) = (a3 * low.s, a3 * high.s);
        let center = if z_low <= z_high || distance_sq(&low, z_low) >= distance_sq(&high, z_low) {
            z_low
        } else if distance_sq(&high, z_high) >= distance_sq(&low, z_high) {
            z_high
        } else {
            let planar_sq = [low, high].map(|section| section.radius_sq * section.width_sq);
            0.5 * (z_low + z_high + (planar_sq[0] - planar_sq[1]) / (z_low - z_high))
        };
        let attainable = distance_sq(&low, center).max(distance_sq(&high, center));
        // As exact as is of use at this stage.
        let farthest = Farthest::from(egg, center, (1e-3 * gap).clamp(TOLERANCE, 0.1));
        if farthest.bound < best.1 {
            best = (center, farthest.bound);
        }
        gap = best.1 / attainable - 1.0;
        if gap <= 3.0 * TOLERANCE {
            break;
        }
        if a3 * farthest.section.s >= center {
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

impl Section {
    /// The section at an angle from -90° (the lower pole) to 90° of the unknown in which the profile is smooth.
    fn at(egg: &Superovoid, angle: f64) -> Section {
        let ([a1, a2, _], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
        let weights = smooth_weights(angle.abs(), e2);
        let s = weights.y.powf(e2).copysign(angle);
        let width = farthest(a1 * (1.0 + tx * s), a2 * (1.0 + ty * s), e1);
        Section {
            s,
            radius_sq: weights.x.powf(2.0 * e2),
            narrowing: (weights.y / weights.x).powf(2.0 - 2.0 * e2),
            width_sq: width * width,
        }
    }

    fn distance_sq_from(&self, a3: f64, center: f64) -> f64 {
        let height = a3 * self.s - center;
        self.radius_sq * self.width_sq + height * height
    }
}

impl Farthest<'_> {
    fn from(egg: &Superovoid, center: f64, tolerance: f64) -> Farthest<'_> {
        let equator = Section::at(egg, 0.0);
        let distance_sq = equator.distance_sq_from(egg.radii()[2], center);
        let mut search = Farthest { egg, center, tolerance, section: equator, distance_sq, bound: distance_sq };
        for half in [-1.0, 1.0] {
            let angle = |index: u32| half * FRAC_PI_2 * (f64::from(index) / f64::from(CELLS));
            let mut inner = equator;
            for index in 1..=CELLS {
                let outer = Section::at(egg, angle(index));
                search.improve(&outer);
                search.divide([angle(index - 1), angle(index)], [inner, outer]);
                inner = outer;
            }
        }
        search
    }

    fn improve(&mut self, section: &Section) {
        let distance_sq = section.distance_sq_from(self.egg.radii()[2], self.center);
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
        let section = Section::at(self.egg, middle);
        self.improve(&section);
        self.divide([angles[0], middle], [cell[0], section]);
        self.divide([middle, angles[1]], [section, cell[1]]);
    }

    /// Bound of the squared distance between two sections of one half. The width is a maximum of norms of vectors that
    /// are linear in s, so its square is convex and below its chord. R as a function of s² is a superellipse of exponent
    /// 2 e2: concave and below its tangents for e2 ≤ 1, else convex and below its chord. That makes a cubic in s, which
    /// is no larger than its Bernstein coefficients; for a sphere they are all equal and exact.
    fn cell_bound(&self, [inner, outer]: &[Section; 2]) -> f64 {
        let (low, high) = (inner.s * inner.s, outer.s * outer.s);
        let width = if outer.s == inner.s { 0.0 } else { (outer.width_sq - inner.width_sq) / (outer.s - inner.s) };
        let width = [inner.width_sq - width * inner.s, width];
        if self.egg.exponents()[1] > 1.0 {
            let slope = if high > low { (outer.radius_sq - inner.radius_sq) / (high - low) } else { 0.0 };
            return self.piece_bound([inner.radius_sq - slope * low, slope], width, [inner.s, outer.s]);
        }
        let tangent =
            |section: &Section, narrowing: f64| [section.radius_sq + narrowing * section.s * section.s, -narrowing];
        // R falls with s² anyway: a tangent too steep to be added up without loss is done without.
        let usable = |section: &Section| section.narrowing < STEEPEST;
        let first = tangent(inner, if usable(inner) { inner.narrowing } else { 0.0 });
        if !usable(outer) {
            return self.piece_bound(first, width, [inner.s, outer.s]);
        }
        let second = tangent(outer, outer.narrowing);
        let meeting = (second[0] - first[0]) / (first[1] - second[1]);
        let meeting = if meeting > low && meeting < high { meeting.sqrt().copysign(outer.s) } else { outer.s };
        self.piece_bound(first, width, [inner.s, meeting]).max(self.piece_bound(second, width, [meeting, outer.s]))
    }

    /// The largest Bernstein coefficient on `[u, v]` of `(a + b s²)(c + d s) + (a3 s - center)²`.
    fn piece_bound(&self, [a, b]: [f64; 2], [c, d]: [f64; 2], [u, v]: [f64; 2]) -> f64 {
        let a3 = self.egg.radii()[2];
        let powers = [a * c, a * d, b * c, b * d];
        let height_sq = [self.center * self.center, -2.0 * a3 * self.center, a3 * a3, 0.0];
        let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|k| powers[k] + height_sq[k]);
        // The polar forms of 1, s, s², s³ at (u, u, u), (u, u, v), (u, v, v), (v, v, v).
        [(u, u, u), (u, u, v), (u, v, v), (v, v, v)].into_iter().fold(0.0, |largest: f64, (x, y, z)| {
            let squares = (x * y + y * z + z * x) / 3.0;
            largest.max(p0 + p1 * (x + y + z) / 3.0 + p2 * squares + p3 * x * y * z)
        })
    }
}
