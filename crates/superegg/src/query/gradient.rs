//! Derivatives of the signed distance by both poses and by all parameters of both shapes.
//!
//! With the support functions h of the bodies about their own origins, `distance = n·(t_b - t_a) - h_a(n) - h_b(-n)` at
//! the normal n where this is stationary: the greatest value apart, the least depth in penetration. So n may be held
//! fixed while a parameter changes (the envelope theorem), and each derivative is the closed form of one support
//! function's derivative; nothing is solved beyond the distance itself.
//!
//! - A translation moves a support plane along n, a rotation by `r × n` with r the contact point from the body's origin.
//! - A vertex moves it by its barycentric weight in the contact point.
//! - A parameter of a superquadric moves it by the normal velocity of the implicit surface, `-∂G/∂p / |∇G|` with G the gauge.
//!   That needs no convexity. With x the contact point, n its normal, both in the body's frame, and the shares
//!   `M_i = x_i n_i` (on a tapered body `M_z` is what the untapered body behind it would have), it turns into products
//!   and, for the exponents, entropies of these shares, `M ln M`: defined for every exponent, and zero at zero.
//!
//! The distance is stationary in the normal and the points, which therefore are only exact to about the square root of
//! its tolerance. The derivatives use refined ones, see `distance::refine`.

use glam::DVec3;

use super::{Options, Outcome, QueryError, distance};
use crate::Pose;
use crate::shape::{Core, Shape};
use crate::solver::body::simplex::closest_on_simplex;
use crate::solver::params::Kind;
use crate::solver::polish::{Contact, of_superquadrics, refine};
use crate::solver::primitive;

/// The answer of a gradient query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Gradient {
    /// What [`distance`] answers.
    pub outcome: Outcome,
    /// How the distance changes with the first body.
    pub a: BodyGradient,
    /// How the distance changes with the second body.
    pub b: BodyGradient,
}

/// Derivatives of the signed distance by one body's pose and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyGradient {
    /// By the translation, in world coordinates.
    pub translation: DVec3,
    /// By a small rotation about the body's own origin: the derivative by the rotation vector, in world coordinates.
    pub rotation: DVec3,
    /// By the shape's parameters.
    pub shape: ShapeGradient,
}

/// Derivatives of the signed distance by the parameters of a shape, in the order its constructor takes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShapeGradient {
    /// By the point, in local coordinates.
    Point([DVec3; 1]),
    /// By the half-space's offset. A change of its normal is a rotation.
    Plane {
        /// By the offset.
        offset: f64,
    },
    /// By both end points, in local coordinates.
    Segment([DVec3; 2]),
    /// By all vertices, in local coordinates.
    Triangle([DVec3; 3]),
    /// By the parameters of a superellipsoid.
    Superellipsoid {
        /// By `[a1, a2, a3]`.
        radii: [f64; 3],
        /// By `[e1, e2]`.
        exponents: [f64; 2],
    },
    /// By the parameters of a superovoid.
    Superovoid {
        /// By `[a1, a2, a3]`.
        radii: [f64; 3],
        /// By `[e1, e2]`.
        exponents: [f64; 2],
        /// By `[tx, ty]`.
        taper: [f64; 2],
    },
    /// By the parameters of a box, cylinder, cone, frustum, capsule or sphere.
    Primitive {
        /// By each parameter of the core, in its place.
        core: Core,
        /// By the radius around the core.
        rounding: f64,
    },
    /// Of a hull or a shape of your own, whose other parameters are not known by name.
    Rounded {
        /// By the radius around it.
        rounding: f64,
    },
}

/// Signed distance of two placed shapes and its derivatives by both poses and all shape parameters.
///
/// Apart and in penetration alike. Where the answer is not unique (parallel faces and edges, concentric bodies, a point
/// on the medial axis) the distance has a kink; the derivatives then are those that belong to the points and the normal
/// returned, a valid subgradient. Points, segments and triangles among each other have no inside: where they meet, the
/// distance is at its least and all derivatives are zero.
///
/// ```
/// use superegg::query::{Options, ShapeGradient, gradient};
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// let ball = Superellipsoid::new([1.0, 1.0, 1.0], [1.0, 1.0])?.into();
/// let there = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0));
/// let found = gradient(&ball, &Pose::IDENTITY, &ball, &there, &Options::DEFAULT)?;
/// assert!((found.outcome.distance - 1.0).abs() < 1e-9);
/// assert!(found.b.translation.distance(DVec3::X) < 1e-6); // moving b along x widens the gap one to one
/// assert!(found.b.rotation.length() < 1e-6); // turning a ball changes nothing
/// let ShapeGradient::Superellipsoid { radii, exponents } = found.a.shape else { unreachable!() };
/// assert!((radii[0] + 1.0).abs() < 1e-6 && radii[1].abs() < 1e-6); // a larger a1 closes it
/// assert!(exponents[0].abs() < 1e-6); // the tip stays where it is
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn gradient(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, options: &Options) -> Result<Gradient, QueryError> {
    let (pose_a, pose_b) = (&pose_a.normalized()?, &pose_b.normalized()?);
    with_contact(a, pose_a, b, pose_b, options).map(|(gradient, _)| gradient)
}

/// The same for unit poses, with the contact that the derivatives belong to; none where bodies without an inside meet.
pub(crate) fn with_contact(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    options: &Options,
) -> Result<(Gradient, Option<Contact>), QueryError> {
    let outcome = distance(a, pose_a, b, pose_b, options).map_err(|error| error.during("gradient"))?;
    if has_no_inside(a) && has_no_inside(b) && outcome.bounds.is_some_and(|bounds| bounds.lower <= 0.0) {
        let (a, b) = ((a, pose_a, outcome.point_a), (b, pose_b, outcome.point_b));
        return Ok((Gradient::at(outcome, a, b, DVec3::ZERO), None));
    }
    let (kind_a, kind_b) = (Kind::of(a), Kind::of(b));
    let contact = match (&kind_a, &kind_b) {
        (Kind::Superquadric(a), Kind::Superquadric(b)) => Some(of_superquadrics(a, pose_a, b, pose_b, &outcome)),
        _ => primitive::refine(&kind_a, pose_a, &kind_b, pose_b, &outcome),
    };
    let contact = contact.unwrap_or_else(|| refine(a, pose_a, b, pose_b, &outcome));
    let (a, b) = ((a, pose_a, contact.point_a), (b, pose_b, contact.point_b));
    Ok((Gradient::at(outcome, a, b, contact.normal), Some(contact)))
}

fn has_no_inside(shape: &Shape) -> bool {
    matches!(shape, Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_))
}

impl Gradient {
    fn at(
        outcome: Outcome,
        (a, pose_a, point_a): (&Shape, &Pose, DVec3),
        (b, pose_b, point_b): (&Shape, &Pose, DVec3),
        normal: DVec3,
    ) -> Gradient {
        Gradient {
            outcome,
            a: BodyGradient::of(a, pose_a, point_a, normal),
            b: BodyGradient::of(b, pose_b, point_b, -normal),
        }
    }
}

impl BodyGradient {
    /// Of the body that has the given contact point and outward normal, in world coordinates.
    fn of(shape: &Shape, pose: &Pose, point: DVec3, normal: DVec3) -> BodyGradient {
        let local_point = pose.inverse_transform_point(point);
        let local_normal = pose.inverse_transform_vector(normal);
        BodyGradient {
            translation: -normal,
            rotation: -(point - pose.translation).cross(normal),
            shape: ShapeGradient::of(shape, local_point, local_normal),
        }
    }
}

impl ShapeGradient {
    /// At a contact point with the given outward normal, in local coordinates.
    fn of(shape: &Shape, point: DVec3, normal: DVec3) -> ShapeGradient {
        match shape {
            Shape::Point(hull) => ShapeGradient::Point(by_vertices(hull.points(), point, normal)),
            Shape::Segment(hull) => ShapeGradient::Segment(by_vertices(hull.points(), point, normal)),
            Shape::Triangle(hull) => ShapeGradient::Triangle(by_vertices(hull.points(), point, normal)),
            Shape::Plane(_) => ShapeGradient::Plane { offset: -1.0 },
            Shape::Superellipsoid(superquadric) => {
                let shares = Shares::new(superquadric.radii(), [0.0; 2], point, normal);
                ShapeGradient::Superellipsoid { radii: shares.by_radii(), exponents: shares.by_exponents() }
            }
            Shape::Superovoid(superquadric) => {
                let shares = Shares::new(superquadric.radii(), superquadric.taper(), point, normal);
                ShapeGradient::Superovoid {
                    radii: shares.by_radii(),
                    exponents: shares.by_exponents(),
                    taper: shares.by_taper(),
                }
            }
            Shape::Primitive(shape) => {
                let foot = point - normal * shape.rounding();
                ShapeGradient::Primitive { core: by_core(&shape.core(), foot, normal), rounding: -1.0 }
            }
            Shape::Hull(_) | Shape::Custom(_) => ShapeGradient::Rounded { rounding: -1.0 },
        }
    }
}

/// By the parameters of a core, at one of its points with the given outward normal.
fn by_core(core: &Core, point: DVec3, normal: DVec3) -> Core {
    // Where along a length the point lies, from -1 to 1: the part of a change of it that moves the support plane.
    let part = |value: f64, half: f64, along: f64| if half > 0.0 { value / half } else { along.signum() };
    match *core {
        Core::Segment { half_height } => {
            Core::Segment { half_height: -normal.z * part(point.z, half_height, normal.z) }
        }
        Core::Cuboid { half_extents } => Core::Cuboid {
            half_extents: std::array::from_fn(|axis| {
                -normal[axis] * part(point[axis], half_extents[axis], normal[axis])
            }),
        },
        Core::Frustum { half_height, .. } => {
            let (across, height) = (normal.x.hypot(normal.y), part(point.z, half_height, normal.z));
            let radii = [-across * 0.5 * (1.0 - height), -across * 0.5 * (1.0 + height)];
            Core::Frustum { radii, half_height: -normal.z * height }
        }
    }
}

fn by_vertices<const COUNT: usize>(vertices: &[DVec3; COUNT], point: DVec3, normal: DVec3) -> [DVec3; COUNT] {
    let (_, weights) = closest_on_simplex(&vertices.map(Into::into), point.into());
    std::array::from_fn(|index| normal * -weights[index])
}

/// How the distance from a superquadric's centre to its support plane is made up at a contact point.
struct Shares {
    radii: [f64; 3],
    /// `x n_x` and `y n_y`.
    planar: [f64; 2],
    /// `z n_z`.
    axial: f64,
    /// `M_z`: the axial share of the untapered body, which the taper's slope has turned to the side.
    untapered_axial: f64,
    /// Derivative of the logarithm of the stretch by its taper: `s/(1 + t s)` with `s = z/a3`.
    by_taper: [f64; 2],
}

impl Shares {
    fn new(radii: [f64; 3], taper: [f64; 2], point: DVec3, normal: DVec3) -> Shares {
        let share = point * normal;
        let s = point.z / radii[2];
        let by_taper = taper.map(|t| s / (1.0 + t * s));
        let turned = share.x * taper[0] * by_taper[0] + share.y * taper[1] * by_taper[1];
        Shares { radii, planar: [share.x, share.y], axial: share.z, untapered_axial: share.z + turned, by_taper }
    }

    /// The support plane moves as the contact point is stretched.
    fn by_radii(&self) -> [f64; 3] {
        let [x, y] = self.planar;
        [-x / self.radii[0], -y / self.radii[1], -self.axial / self.radii[2]]
    }

    fn by_taper(&self) -> [f64; 2] {
        [0, 1].map(|axis| -self.planar[axis] * self.by_taper[axis])
    }

    /// Half the entropy of how each of the nested norms is shared out: `∂ ln ‖·‖ / ∂e = ½ H`.
    fn by_exponents(&self) -> [f64; 2] {
        let [x, y] = self.planar;
        [entropy(x, y), entropy(x + y, self.untapered_axial)].map(|entropy| 0.5 * entropy)
    }
}

/// `-(u ln(u/(u+v)) + v ln(v/(u+v)))`, of shares that are not negative beyond rounding.
fn entropy(u: f64, v: f64) -> f64 {
    let sum = u + v;
    [u, v].into_iter().filter(|&part| part > 0.0 && part < sum).map(|part| -part * (part / sum).ln()).sum()
}
