//! Where an iteration starts: the guesses of the papers, and those that their future work asks to compare.

mod octree;
mod quadtree;

use superegg::shape::Shape;
use superegg::{DMat3, DVec3};

use crate::couple::{Couple, Points};
use crate::geometric::nearest_on_egg;
use crate::trace::Recorder;
use superegg_world::superquadric::{Kind, Superquadric};

/// How the first pair of points is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guess {
    /// Halving the cells of both surfaces' angles towards the closest centres, 16 pairs a level (papers 001 and 003).
    Quadtree {
        /// Number of levels; the papers take 6.
        levels: u32,
    },
    /// The closest filled cells of two octrees (papers 001 and 003).
    Octree {
        /// Number of levels: `8^levels` cells a body.
        levels: u32,
    },
    /// On the line between the centres, at a part δ of it from either (paper 004 equation 32).
    CentreLine {
        /// δ; the paper shows 0.20 and 0.45.
        delta: f64,
    },
    /// Where the line between the centres leaves the surfaces (paper 004 equations 33 and 34).
    Surface,
    /// Nearest points in turn, by a few rounds of the geometric iteration (paper 000, section 5.2).
    Geometric,
    /// The points with the common normal that two ellipsoids of the same radii would have on a line through their centres:
    /// where the library's default method starts.
    Support,
}

impl Guess {
    /// The same guess with more cells.
    pub(crate) fn finer(self, restart: u32) -> Guess {
        match self {
            Guess::Quadtree { levels } => Guess::Quadtree { levels: levels + 3 * restart },
            Guess::Octree { levels } => Guess::Octree { levels: (levels + restart).min(6) },
            other => other,
        }
    }
}

/// The first pair of points.
pub(crate) fn points(couple: &Couple, guess: Guess, recorder: &mut Recorder) -> Points {
    let offset = if couple.offset.length_squared() > 0.0 { couple.offset } else { DVec3::Z * 1e-3 };
    let towards_a = couple.rotation.transpose() * -offset;
    match guess {
        Guess::Quadtree { levels } => quadtree::closest(couple, levels.clamp(1, 40), recorder),
        Guess::Octree { levels } => octree::closest(couple, levels.clamp(1, 6), recorder),
        Guess::CentreLine { delta } => Points { a: offset * delta, b: towards_a * delta },
        Guess::Surface => surface_points(couple, offset, towards_a),
        Guess::Geometric => geometric_points(couple, offset, towards_a),
        Guess::Support => {
            let normal = ellipsoids_normal(couple, offset);
            Points {
                a: support(couple, 0, &couple.a, normal),
                b: support(couple, 1, &couple.b, couple.rotation.transpose() * -normal),
            }
        }
    }
}

/// Radial points; where the line misses a surface, the nearest of its points in angle.
fn surface_points(couple: &Couple, offset: DVec3, towards_a: DVec3) -> Points {
    let on = |surface: &Superquadric, direction: DVec3| {
        surface.radial_point(direction).unwrap_or_else(|| {
            let [u, v] = surface.angles_at(direction);
            surface.point(u, v)
        })
    };
    Points { a: on(&couple.a, offset), b: on(&couple.b, towards_a) }
}

/// The normal `(A² + B²)⁻¹ c` with A and B the matrices of the two bodies' radii and c between their centres.
fn ellipsoids_normal(couple: &Couple, offset: DVec3) -> DVec3 {
    let squares = |surface: &Superquadric| DMat3::from_diagonal(DVec3::from(surface.radii()).powf(2.0));
    let rotation = couple.rotation;
    let sum = squares(&couple.a) + rotation * squares(&couple.b) * rotation.transpose();
    let normal = sum.inverse() * offset;
    if normal.is_finite() { normal } else { offset }
}

/// The point of a body with a given normal; radial where there is no closed form for it.
fn support(couple: &Couple, index: usize, surface: &Superquadric, direction: DVec3) -> DVec3 {
    match couple.shapes[index] {
        Some(Shape::Superellipsoid(egg)) => egg.support(direction) / couple.unit,
        Some(Shape::Superovoid(egg)) => egg.support(direction) / couple.unit,
        _ => surface.radial_point(direction).unwrap_or(direction),
    }
}

/// Nearest points in turn: of a to b's surface, of b to that, of a to that.
fn geometric_points(couple: &Couple, offset: DVec3, towards_a: DVec3) -> Points {
    let mut points = surface_points(couple, offset, towards_a);
    if couple.a.kind() != Kind::Egg || couple.b.kind() != Kind::Egg {
        return points;
    }
    for _ in 0..2 {
        points.a = nearest_on_egg(&couple.a, couple.placed(points.b));
        points.b = nearest_on_egg(&couple.b, couple.in_b(points.a));
    }
    points
}

/// A box of both surfaces' angles around two points, halved along each angle in turn towards the half whose middle has
/// the better aligned normals: a bisection of a vector-valued function, which needs no derivative.
pub(crate) fn bisected(couple: &Couple, start: &Points) -> Points {
    let [ua, va] = couple.a.angles_at(start.a);
    let [ub, vb] = couple.b.angles_at(start.b);
    let mut middle = [ua, va, ub, vb];
    let [[_, wide_a], [_, high_a]] = couple.a.domain();
    let [[_, wide_b], [_, high_b]] = couple.b.domain();
    let mut half = [wide_a, high_a, wide_b, high_b].map(|end| 0.25 * end);
    for step in 0..60 {
        let angle = step % 4;
        half[angle] *= 0.6;
        let moved = |sign: f64| {
            let mut at = middle;
            at[angle] += sign * half[angle];
            at
        };
        let candidates = [moved(-1.0), middle, moved(1.0)];
        middle = candidates
            .into_iter()
            .min_by(|p, q| misalignment(couple, p).total_cmp(&misalignment(couple, q)))
            .unwrap_or(middle);
    }
    Points { a: couple.a.point(middle[0], middle[1]), b: couple.b.point(middle[2], middle[3]) }
}

/// How far two normals are from being opposite and along the line between their points.
fn misalignment(couple: &Couple, angles: &[f64; 4]) -> f64 {
    let points = Points { a: couple.a.point(angles[0], angles[1]), b: couple.b.point(angles[2], angles[3]) };
    let normal_a = couple.a.gradient(points.a).1.normalize_or_zero();
    let normal_b = couple.rotation * couple.b.gradient(points.b).1.normalize_or_zero();
    let apart = (couple.placed(points.b) - points.a).normalize_or_zero();
    (normal_a + normal_b).length_squared() + apart.cross(normal_a).length_squared()
}
