//! Every pair of kinds of body, far, near, in shallow and in deep overlap: time, failures and what is proved of the answers.
//!
//! Bodies are turned at random and placed so that the planes across a random normal at their farthest points are the wanted
//! distance apart. For convex bodies that are apart this is their distance; for the others it is their hulls', and the surfaces may
//! be farther. Each query is timed on its own, and the least of three counts, so that a busy machine shows less. Every answer is
//! checked: its bounds, its points, its status, its like with the bodies exchanged, and the distance where it is known.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use rand::RngExt;
use superegg::Pose;
use superegg::query::{Options, Outcome, Status};
use superegg::shape::{Plane, Point, Segment, Shape, Spacing, Triangle};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{Geometry, distance};
use superegg_world::superquadric::Superquadric;
use testkit::generate::{
    Domain, Rng, convex_superovoid, direction, exponent, radii, rotation, seeded, superellipsoid, superovoid,
};

use crate::measure::micro;
use crate::report::Section;
use crate::{Progress, Settings, Table};

/// Bodies to be compared, each with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Superellipsoid,
    ConvexSuperovoid,
    Superovoid,
    Point,
    Segment,
    Triangle,
    Plane,
    OneSheet,
    TwoSheets,
    Toroid,
    Compound,
    Mesh,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Superellipsoid,
        Kind::ConvexSuperovoid,
        Kind::Superovoid,
        Kind::Point,
        Kind::Segment,
        Kind::Triangle,
        Kind::Plane,
        Kind::OneSheet,
        Kind::TwoSheets,
        Kind::Toroid,
        Kind::Compound,
        Kind::Mesh,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Superellipsoid => "superellipsoid",
            Kind::ConvexSuperovoid => "superovoid, convex",
            Kind::Superovoid => "superovoid, not convex",
            Kind::Point => "point",
            Kind::Segment => "segment",
            Kind::Triangle => "triangle",
            Kind::Plane => "plane",
            Kind::OneSheet => "superhyperboloid1",
            Kind::TwoSheets => "superhyperboloid2",
            Kind::Toroid => "supertoroid",
            Kind::Compound => "compound of 4",
            Kind::Mesh => "mesh of 200 vertices",
        }
    }

    /// Whether the distance of its hull is its own.
    fn is_convex(self) -> bool {
        use Kind::{ConvexSuperovoid, Plane, Point, Segment, Superellipsoid, Triangle};
        matches!(self, Superellipsoid | ConvexSuperovoid | Point | Segment | Triangle | Plane)
    }

    /// Whether its queries take a thousand times as long as those of two shapes.
    fn is_slow(self) -> bool {
        matches!(self, Kind::OneSheet | Kind::TwoSheets | Kind::Toroid)
    }

    fn draw(self, rng: &mut Rng) -> Geometry {
        let corner = |rng: &mut Rng| direction(rng) * rng.random_range(0.1..1.0);
        let shape: Shape = match self {
            Kind::Superellipsoid => superellipsoid(rng, &Domain::MODERATE).into(),
            Kind::ConvexSuperovoid => convex_superovoid(rng, &Domain::MODERATE).into(),
            Kind::Superovoid => loop {
                let egg = superovoid(rng, &Domain { exponents: 0.3..=1.1, ..Domain::MODERATE });
                if !egg.is_convex() {
                    break egg.into();
                }
            },
            Kind::Point => Point::new([DVec3::ZERO]).expect("a coordinate").into(),
            Kind::Segment => Segment::new([corner(rng), corner(rng)]).expect("coordinates").into(),
            Kind::Triangle => Triangle::new([corner(rng), corner(rng), corner(rng)]).expect("coordinates").into(),
            Kind::Plane => Plane::new(DVec3::Z, 0.0).expect("a direction").into(),
            Kind::OneSheet | Kind::TwoSheets | Kind::Toroid => return self.draw_surface(rng).into(),
            Kind::Compound => {
                let part = |rng: &mut Rng| Part {
                    shape: superellipsoid(rng, &Domain { size: 0.2..=0.5, ..Domain::MODERATE }).into(),
                    pose: Pose { rotation: rotation(rng), translation: direction(rng) * 0.5 },
                };
                return Compound::new((0..4).map(|_| part(rng)).collect()).expect("parts").into();
            }
            Kind::Mesh => {
                let egg = superovoid(rng, &Domain::MODERATE);
                let indexed = egg.tessellate(200, Spacing::Angles).expect("enough vertices");
                let mesh = TriangleMesh::new(indexed.vertices, indexed.triangles).expect("a mesh");
                return Geometry::Mesh(Arc::new(CollisionMesh::new(mesh).expect("triangles")));
            }
        };
        shape.into()
    }

    fn draw_surface(self, rng: &mut Rng) -> Superquadric {
        let domain = Domain { exponents: 0.3..=1.7, aspect: 3.0, ..Domain::MODERATE };
        let (radii, exponents) = (radii(rng, &domain), [exponent(rng, &domain), exponent(rng, &domain)]);
        let own = rng.random_range(1.3..3.0);
        let made = match self {
            Kind::OneSheet => Superquadric::one_sheet(radii, exponents, own * radii[2]),
            Kind::TwoSheets => Superquadric::two_sheets(radii, exponents, own * radii[2]),
            _ => Superquadric::toroid(radii, exponents, own),
        };
        made.expect("within the domain")
    }
}

/// How far apart, as a part of the sum of both reaches.
const SPACINGS: [(&str, f64, f64); 4] =
    [("far", 1.0, 10.0), ("near", 1e-6, 1e-3), ("shallow", -0.1, -1e-4), ("deep", -0.5, -0.1)];

/// Two placed bodies and the distance of their hulls' planes.
struct Case {
    bodies: [Geometry; 2],
    poses: [Pose; 2],
    size: f64,
    gap: f64,
}

impl Case {
    fn draw(kinds: [Kind; 2], low: f64, high: f64, rng: &mut Rng) -> Case {
        let bodies = kinds.map(|kind| kind.draw(rng));
        let turns = [rotation(rng), rotation(rng)];
        let reach = |body: &Geometry| if body.reach().is_finite() { body.reach() } else { 0.0 };
        let size = (reach(&bodies[0]) + reach(&bodies[1])).max(1e-3);
        let gap = size
            * if low > 0.0 { low * (high / low).powf(rng.random_range(0.0..1.0)) } else { rng.random_range(low..high) };
        // A plane is met along its own normal.
        let normal = match (kinds[0], kinds[1]) {
            (Kind::Plane, _) => turns[0] * DVec3::Z,
            (_, Kind::Plane) => turns[1] * -DVec3::Z,
            _ => direction(rng),
        };
        let farthest = |index: usize, along: DVec3| {
            let local = turns[index].conjugate() * along;
            turns[index] * bodies[index].support_point(local).unwrap_or(DVec3::ZERO)
        };
        let at = farthest(0, normal) + normal * gap - farthest(1, -normal);
        let here = direction(rng) * size;
        let poses =
            [Pose { rotation: turns[0], translation: here }, Pose { rotation: turns[1], translation: here + at }];
        Case { bodies, poses, size, gap }
    }

    fn ask(&self) -> Outcome {
        let ([a, b], [pose_a, pose_b]) = (&self.bodies, &self.poses);
        distance(a, pose_a, b, pose_b, &Options::DEFAULT).expect("valid input").contact.outcome
    }

    /// What is wrong with an answer; `known` says that the gap is the distance.
    fn complaint(&self, outcome: &Outcome, known: bool) -> Option<&'static str> {
        let allowed = 1e-6 * self.size;
        let ([a, b], [pose_a, pose_b]) = (&self.bodies, &self.poses);
        let swapped = distance(b, pose_b, a, pose_a, &Options::DEFAULT).expect("valid input").contact.outcome;
        let between = outcome.point_b - outcome.point_a;
        let fits = match outcome.status {
            Status::Separated => outcome.distance > 0.0,
            Status::Touching => outcome.distance.abs() <= allowed,
            // Two meshes that meet have no depth.
            Status::Penetrating => outcome.distance <= 0.0,
            Status::NotConverged => true,
        };
        let bounded = outcome.bounds.is_none_or(|bounds| {
            let rounding = 1e-13 * self.size;
            bounds.lower <= outcome.distance + rounding && outcome.distance <= bounds.upper + rounding
        });
        let known_within = outcome.bounds.is_none_or(|bounds| {
            bounds.lower <= self.gap + 1e-13 * self.size && self.gap <= bounds.upper + 1e-13 * self.size
        });
        if !(outcome.distance.is_finite() && (outcome.normal.length() - 1.0).abs() < 1e-9) {
            Some("not finite")
        } else if !fits {
            Some("status")
        } else if !bounded {
            Some("distance outside its bounds")
        } else if (between - outcome.normal * outcome.distance).length() > 1e-3 * self.size {
            Some("points off the normal")
        } else if known && (!known_within || (outcome.distance - self.gap).abs() > allowed) {
            Some("not the known distance")
        } else if outcome.distance > 0.0 && (swapped.distance - outcome.distance).abs() > allowed {
            Some("another answer when exchanged")
        } else {
            None
        }
    }
}

/// The section of the report.
pub(crate) fn section(settings: &Settings, progress: &dyn Progress) -> Section {
    let (count, slow) = if settings.quick { (40, 2) } else { (1000, 30) };
    let mut table = Table::new(&[
        "a",
        "b",
        "placed",
        "pairs",
        "mean µs",
        "99 % µs",
        "worst µs",
        "not converged",
        "contradictions",
        "bounded %",
        "to 1e-6 %",
    ]);
    let mut holes = Table::new(&["a", "b", "placed", "what"]);
    let pairs = Kind::ALL.len() * (Kind::ALL.len() + 1) / 2;
    progress.begin("pairs of kinds", (pairs * SPACINGS.len()) as u64);
    for (index, &a) in Kind::ALL.iter().enumerate() {
        for &b in &Kind::ALL[index..] {
            let count = if a.is_slow() || b.is_slow() { slow } else { count };
            for (row, (placed, low, high)) in SPACINGS.into_iter().enumerate() {
                progress.advance(1);
                if a == Kind::Plane && b == Kind::Plane {
                    continue;
                }
                let found = Measured::of([a, b], low, high, count, row);
                let names = [a.name().to_owned(), b.name().to_owned(), placed.to_owned()];
                if let Some(what) = found.hole() {
                    holes.push(names.clone().into_iter().chain([what]));
                }
                table.push(names.into_iter().chain(found.cells()));
            }
        }
    }
    let text = format!(
        "Every pair of kinds by the default method, {count} pairs a row ({slow} with superhyperboloids and supertoroids), one \
         thread, the least of three times of each query. Exponents and sizes are moderate: e in [0.1, 1.9], radii to 10:1. \
         Planes have no distance from each other. The second table lists the rows with an answer that is not converged, \
         contradicts itself or has no bounds, or whose worst time is more than a hundred times the mean."
    );
    Section {
        title: "Every pair of kinds".into(),
        text,
        tables: vec![("kinds".into(), table), ("holes".into(), holes)],
        plots: Vec::new(),
    }
}

struct Measured {
    times: Vec<f64>,
    not_converged: usize,
    contradictions: Vec<&'static str>,
    bounded: usize,
    tight: usize,
}

impl Measured {
    fn of(kinds: [Kind; 2], low: f64, high: f64, count: usize, row: usize) -> Measured {
        let seed = kinds.iter().fold(row as u64, |seed, kind| seed * 31 + *kind as u64);
        let mut rng = seeded(1000 + seed);
        let mut found =
            Measured { times: Vec::new(), not_converged: 0, contradictions: Vec::new(), bounded: 0, tight: 0 };
        for _ in 0..count {
            let case = Case::draw(kinds, low, high, &mut rng);
            let mut least = f64::INFINITY;
            let mut outcome = case.ask();
            for _ in 0..3 {
                let start = Instant::now();
                outcome = case.ask();
                least = least.min(start.elapsed().as_secs_f64());
            }
            found.times.push(least);
            found.not_converged += usize::from(outcome.status == Status::NotConverged);
            let known = case.gap > 0.0 && kinds.iter().all(|kind| kind.is_convex());
            found.contradictions.extend(case.complaint(&outcome, known));
            if let Some(bounds) = outcome.bounds {
                found.bounded += 1;
                found.tight += usize::from(bounds.upper - bounds.lower <= 1e-6 * case.size);
            }
        }
        found.times.sort_by(f64::total_cmp);
        found
    }

    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len().max(1) as f64
    }

    fn worst(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    fn cells(&self) -> [String; 8] {
        let count = self.times.len();
        let high = self.times[(count * 99 / 100).min(count - 1)];
        let part = |number: usize| format!("{:.1}", 100.0 * number as f64 / count as f64);
        [
            count.to_string(),
            micro(self.mean()),
            micro(high),
            micro(self.worst()),
            self.not_converged.to_string(),
            self.contradictions.len().to_string(),
            part(self.bounded),
            part(self.tight),
        ]
    }

    /// What makes a row a hole.
    fn hole(&self) -> Option<String> {
        let mut what = Vec::new();
        if self.not_converged > 0 {
            what.push(format!("{} not converged", self.not_converged));
        }
        if let Some(first) = self.contradictions.first() {
            what.push(format!("{} contradictions, the first: {first}", self.contradictions.len()));
        }
        let open = self.times.len() - self.bounded;
        if open > 0 {
            what.push(format!("{open} without bounds"));
        }
        if self.worst() > 100.0 * self.mean() {
            what.push(format!("worst time {} µs, mean {} µs", micro(self.worst()), micro(self.mean())));
        }
        (!what.is_empty()).then(|| what.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few pairs of every kind and placement, so that a pair that breaks is seen before a benchmark is run.
    #[test]
    fn every_pair_of_kinds_answers_without_contradiction() {
        let mut wrong = Vec::new();
        for (index, &a) in Kind::ALL.iter().enumerate() {
            for &b in &Kind::ALL[index..] {
                if a == Kind::Plane && b == Kind::Plane {
                    continue;
                }
                let count = if a.is_slow() || b.is_slow() { 2 } else { 20 };
                for (row, (placed, low, high)) in SPACINGS.into_iter().enumerate() {
                    let found = Measured::of([a, b], low, high, count, row);
                    println!("{} | {} | {placed} | {}", a.name(), b.name(), found.cells().join(" | "));
                    if let Some(first) = found.contradictions.first() {
                        wrong.push(format!("{} and {}, {placed}: {first}", a.name(), b.name()));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
