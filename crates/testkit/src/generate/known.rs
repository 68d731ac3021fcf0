//! Pairs whose distance is known by construction.
//!
//! Choose a normal of each body, turn b so that its normal is opposite to a's, and put b where its support point lies
//! `separation` beyond a's support point along the common normal. The plane through either point separates the bodies,
//! so for convex bodies the distance is `separation`: exactly, whatever the shapes, for `separation ≥ 0`. What remains
//! is the rounding of the construction, bounded by [`KnownPair::error`].
//!
//! With a negative separation the same construction gives a local minimum of the penetration depth only: the true depth
//! is at most `−separation`. It is exactly that while the depth does not exceed the radius of a ball that can roll
//! inside one of the bodies everywhere; [`rolling_radius`] gives it for ellipsoids.

use glam::{DQuat, DVec3};
use rand::RngExt;
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid};

use super::{Domain, Rng, direction, log_uniform, quarter_turns, rotation};
use crate::oracle::support::support;
use crate::oracle::surface;
use crate::pair::{largest_radius, reach};
use crate::{KnownPair, Pair};

/// Which part of a body faces the other one, as a normal in the body's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Facing {
    /// Along a coordinate axis (0, 1, 2), positive or negative: a face where e < 1, a tip where e > 1.
    Axis(usize, bool),
    /// As `Axis`, tilted by this angle in a direction given by a second angle.
    NearAxis(usize, bool, f64, f64),
    /// Half-way between two axes in units of the radii: an edge of a box, a face of an octahedron's equator. The axis
    /// given is the one that takes no part.
    Ridge(usize, bool, bool),
    /// Equally far from all axes in units of the radii: the corner of a box, the face of an octahedron.
    Corner(bool, bool, bool),
    /// This normal.
    Normal(DVec3),
    /// The normal at the surface point in this direction (divided by the radii): even over flat faces, which normals
    /// drawn from the sphere never meet.
    Surface(DVec3),
}

impl Facing {
    /// The outward unit normal in the body's frame.
    pub fn normal(&self, shape: &Shape) -> DVec3 {
        let radii = match shape {
            Shape::Superellipsoid(body) => DVec3::from(body.radii()),
            Shape::Superovoid(body) => DVec3::from(body.radii()),
            _ => DVec3::ONE,
        };
        let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
        let axis = |index: usize| DVec3::AXES[index];
        // Dividing by the radii overflows for none of the accepted sizes once the largest is taken out.
        let relative = radii / radii.max_element();
        match *self {
            Facing::Axis(index, positive) => axis(index) * sign(positive),
            Facing::NearAxis(index, positive, tilt, around) => {
                let (u, v) = (axis((index + 1) % 3), axis((index + 2) % 3));
                (axis(index) * sign(positive) * tilt.cos() + (u * around.cos() + v * around.sin()) * tilt.sin())
                    .normalize()
            }
            Facing::Ridge(index, first, second) => {
                let mix = axis((index + 1) % 3) * sign(first) + axis((index + 2) % 3) * sign(second);
                (mix / relative).normalize()
            }
            Facing::Corner(x, y, z) => (DVec3::new(sign(x), sign(y), sign(z)) / relative).normalize(),
            Facing::Normal(normal) => normal,
            Facing::Surface(towards) => match shape {
                Shape::Superellipsoid(_) | Shape::Superovoid(_) => {
                    surface::normal_at(shape, surface::point_towards(shape, towards))
                }
                _ => towards.normalize(),
            },
        }
    }

    /// One of all kinds.
    pub fn random(rng: &mut Rng) -> Facing {
        let (index, first, second, third) = (rng.random_range(0..3), rng.random(), rng.random(), rng.random());
        match rng.random_range(0..8) {
            0 => Facing::Axis(index, first),
            1 => {
                let tilt = log_uniform(rng, 1e-14..=0.3);
                Facing::NearAxis(index, first, tilt, rng.random_range(0.0..std::f64::consts::TAU))
            }
            2 => Facing::Ridge(index, first, second),
            3 => Facing::Corner(first, second, third),
            4 | 5 => Facing::Normal(direction(rng)),
            _ => Facing::Surface(direction(rng)),
        }
    }
}

/// All that defines a pair of known distance; see the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Construction {
    /// First shape, convex.
    pub a: Shape,
    /// Second shape, convex.
    pub b: Shape,
    /// Which part of a faces b.
    pub facing_a: Facing,
    /// Which part of b faces a.
    pub facing_b: Facing,
    /// How a is turned.
    pub rotation_a: DQuat,
    /// How far b is turned about the common normal.
    pub twist: f64,
    /// The wanted distance.
    pub separation: f64,
    /// Where a is.
    pub position_a: DVec3,
}

impl Construction {
    /// Places the bodies.
    pub fn build(&self) -> KnownPair {
        let rotation_a = self.rotation_a.normalize();
        let (normal_a, normal_b) = (self.facing_a.normal(&self.a), self.facing_b.normal(&self.b));
        let normal = rotation_a * normal_a;
        let rotation_b = (DQuat::from_axis_angle(normal, self.twist) * turn(normal_b, -normal)).normalize();
        self.place(rotation_a, rotation_b, normal)
    }

    /// Places the bodies with given rotations, facing each other along `normal`.
    fn place(&self, rotation_a: DQuat, rotation_b: DQuat, normal: DVec3) -> KnownPair {
        let support_a = support(&self.a, rotation_a.conjugate() * normal);
        let support_b = support(&self.b, rotation_b.conjugate() * -normal);
        let from_a = rotation_a * support_a.point;
        let position_b = self.position_a + (from_a + normal * self.separation - rotation_b * support_b.point);
        let pair = Pair {
            a: self.a.clone(),
            pose_a: Pose { rotation: rotation_a, translation: self.position_a },
            b: self.b.clone(),
            pose_b: Pose { rotation: rotation_b, translation: position_b },
        };
        // Each of some ten roundings moves a point or a plane by at most an ulp of the lengths it is made of.
        let lengths = reach(&self.a) + reach(&self.b) + self.separation.abs() + self.position_a.length();
        let point_a = self.position_a + from_a;
        KnownPair {
            pair,
            distance: self.separation,
            normal,
            point_a,
            point_b: point_a + normal * self.separation,
            error: 16.0 * f64::EPSILON * lengths,
        }
    }
}

/// The shortest rotation from one unit vector to another, also where they are opposite.
fn turn(from: DVec3, to: DVec3) -> DQuat {
    let shortest = |from: DVec3, to: DVec3| DQuat::from_vec4(from.cross(to).extend(1.0 + from.dot(to))).normalize();
    if from.dot(to) > -0.5 {
        return shortest(from, to);
    }
    // First a half turn to the opposite vector, then the short way.
    shortest(-from, to) * DQuat::from_vec4(from.any_orthonormal_vector().extend(0.0))
}

/// How far apart to put a pair, as a part of its size: touching, almost, near, or far.
pub fn separation(rng: &mut Rng) -> f64 {
    match rng.random_range(0..8) {
        0 => 0.0,
        1 | 2 => log_uniform(rng, 1e-12..=1e-6),
        3 | 4 => log_uniform(rng, 1e-6..=1e-1),
        5 | 6 => log_uniform(rng, 1e-1..=1e1),
        _ => log_uniform(rng, 1e1..=1e6),
    }
}

/// A convex body: a superellipsoid, a superovoid (one in four), or with `flat` sometimes a point, segment or triangle.
pub fn convex_body(rng: &mut Rng, domain: &Domain, flat: bool) -> Shape {
    match rng.random_range(0..8) {
        0 if flat => {
            let radius = log_uniform(rng, domain.size.clone());
            super::polytope(rng, radius)
        }
        1 | 2 => super::convex_superovoid(rng, domain).into(),
        _ => super::superellipsoid(rng, domain).into(),
    }
}

/// A body whose size is comparable to the other one's: within three decades, as sizes below the other's rounding error
/// ask nothing of a solver but luck.
fn convex_companion(rng: &mut Rng, domain: &Domain, other: &Shape, flat: bool) -> Shape {
    let size = largest_radius(other);
    let size = if size > 0.0 { size } else { *domain.size.end() };
    let near = (size * 1e-3).max(*domain.size.start())..=(size * 1e3).min(*domain.size.end());
    convex_body(rng, &Domain { size: near, ..domain.clone() }, flat)
}

/// A convex pair of known distance.
pub fn apart(rng: &mut Rng, domain: &Domain, flat: bool) -> KnownPair {
    let a = convex_body(rng, domain, false);
    let b = convex_companion(rng, domain, &a, flat);
    let size = largest_radius(&a) + largest_radius(&b);
    Construction {
        a,
        b,
        facing_a: Facing::random(rng),
        facing_b: Facing::random(rng),
        rotation_a: if rng.random_ratio(1, 4) { quarter_turns(rng) } else { rotation(rng) },
        twist: if rng.random_ratio(1, 4) { 0.0 } else { rng.random_range(-3.0..=3.0) },
        separation: separation(rng) * size,
        position_a: if rng.random() { DVec3::ZERO } else { direction(rng) * size * rng.random_range(0.0..=10.0) },
    }
    .build()
}

/// A point, segment or triangle at a known distance from a convex curved body.
pub fn flat_apart(rng: &mut Rng, domain: &Domain) -> KnownPair {
    let a = convex_body(rng, domain, false);
    let radius = largest_radius(&a) * log_uniform(rng, 1e-3..=1e3);
    let b = super::polytope(rng, radius);
    let size = largest_radius(&a) + largest_radius(&b);
    let known = Construction {
        a,
        b,
        facing_a: Facing::random(rng),
        facing_b: Facing::random(rng),
        rotation_a: rotation(rng),
        twist: rng.random_range(-3.0..=3.0),
        separation: separation(rng) * size,
        position_a: DVec3::ZERO,
    }
    .build();
    if rng.random() { known } else { known.swapped() }
}

/// A convex pair whose axes are parallel to the world's and which faces along one of them. With `centred` the centres
/// lie on one axis, and all coordinates but one are zero.
pub fn axis_aligned(rng: &mut Rng, domain: &Domain, centred: bool) -> KnownPair {
    let a = Shape::from(super::superellipsoid(rng, domain));
    // A tapered body is widest off its centre, so its foot on an axis is not known beforehand.
    let untapered = Domain { taper: 0.0..=0.0, ..domain.clone() };
    let b = convex_companion(rng, if centred { &untapered } else { domain }, &a, false);
    let size = largest_radius(&a) + largest_radius(&b);
    let normal = DVec3::AXES[rng.random_range(0..3)] * if rng.random() { 1.0 } else { -1.0 };
    let construction = Construction {
        a,
        b,
        facing_a: Facing::Normal(normal),
        facing_b: Facing::Normal(-normal),
        rotation_a: DQuat::IDENTITY,
        twist: 0.0,
        separation: separation(rng) * size,
        position_a: DVec3::ZERO,
    };
    let turn = |rng: &mut Rng| if rng.random() { DQuat::IDENTITY } else { quarter_turns(rng) };
    let (rotation_a, rotation_b) = (turn(rng), turn(rng));
    let mut known = construction.place(rotation_a, rotation_b, normal);
    if centred {
        // Faces and tips are symmetric about the axis, so the feet lie on it.
        let across = known.pair.pose_b.translation - normal * known.pair.pose_b.translation.dot(normal);
        known.pair.pose_b.translation -= across;
        known.pair.pose_b.translation *= normal.abs();
    }
    known
}

/// Radius of the largest ball that rolls inside an ellipsoid and touches every point of it: its least radius of
/// curvature.
pub fn rolling_radius(radii: [f64; 3]) -> f64 {
    let radii = DVec3::from(radii);
    let least = radii.min_element();
    least * (least / radii.max_element())
}

/// An ellipsoid and any convex body, overlapping by a known depth: not more than the ellipsoid's rolling radius.
pub fn shallow_overlap(rng: &mut Rng, domain: &Domain) -> KnownPair {
    let radii = super::radii(rng, domain);
    let a = Shape::from(Superellipsoid::new(radii, [1.0, 1.0]).expect("the domain is accepted"));
    let b = convex_companion(rng, domain, &a, false);
    let size = largest_radius(&a) + largest_radius(&b);
    Construction {
        a,
        b,
        facing_a: Facing::random(rng),
        facing_b: Facing::random(rng),
        rotation_a: rotation(rng),
        twist: rng.random_range(-3.0..=3.0),
        separation: -rolling_radius(radii) * if rng.random() { 1.0 } else { rng.random_range(1e-6..=1.0) },
        position_a: direction(rng) * size,
    }
    .build()
}
