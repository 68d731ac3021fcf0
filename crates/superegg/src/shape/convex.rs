//! Shapes of your own: a [`Convex`] body known by its support function, and [`Custom`], which makes a shape of it.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::hull::tessellate::{hull_mesh, spiral};
use super::tessellate::{FEWEST_VERTICES, MOST_VERTICES};
use super::{Aabb, Bend, IndexedTriangles, MassProperties, Nearest, RADIUS_ALLOWED, RADIUS_RANGE, nearest_point};
use crate::{InvalidInput, Pose};

/// Rounding of a support point that a few operations make, as a part of the reach: what [`Convex::support_error`] is unless said
/// otherwise.
const USUAL_ERROR: f64 = 64.0 * f64::EPSILON;

/// A convex body by its support function: all that a shape of your own needs to take part in distances, intersections, nearest
/// points, rays, times of impact and worlds.
///
/// **What the certificate rests on.** The bounds of a distance are proved from what [`Convex::support`] says: that each point it
/// returns belongs to the body, and that no point of the body is farther along that direction, both up to
/// [`Convex::support_error`]. A support function that keeps this word makes them as good a proof as those of any other shape.
///
/// A lens, the part that two equal balls share:
///
/// ```
/// use superegg::query::{Options, Status, distance};
/// use superegg::shape::{Convex, Custom, Plane, Shape};
/// use superegg::{DVec3, Pose};
///
/// /// What the balls of a radius about (0, 0, ±offset) share.
/// struct Lens {
///     radius: f64,
///     offset: f64,
/// }
///
/// impl Convex for Lens {
///     fn support(&self, direction: DVec3) -> DVec3 {
///         // The upper face belongs to the lower ball, where its normal is steep enough; else the rim is farthest.
///         let below = DVec3::Z * -self.offset.copysign(direction.z);
///         let on_ball = below + direction * self.radius;
///         if on_ball.z * direction.z >= 0.0 && direction.z != 0.0 {
///             return on_ball;
///         }
///         let rim = (self.radius * self.radius - self.offset * self.offset).sqrt();
///         DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero() * rim
///     }
///
///     fn reach(&self) -> f64 {
///         self.radius
///     }
/// }
///
/// let lens: Shape = Custom::new(Lens { radius: 1.0, offset: 0.6 })?.into();
/// let floor: Shape = Plane::new(DVec3::Z, 0.0)?.into();
/// let above = Pose::from_translation(DVec3::Z);
/// let answer = distance(&lens, &above, &floor, &Pose::IDENTITY, &Options::DEFAULT)?;
/// assert!((answer.distance - 0.6).abs() < 1e-12);
/// let beside = Pose::from_translation(DVec3::new(2.0, 0.0, 1.0));
/// let answer = distance(&lens, &above, &lens, &beside, &Options::DEFAULT)?;
/// assert_eq!(answer.status, Status::Separated);
/// assert!((answer.distance - 0.4).abs() < 1e-9); // from rim to rim
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub trait Convex: Send + Sync + std::panic::RefUnwindSafe + std::panic::UnwindSafe {
    /// A point of the body that is farthest along a unit vector, in the body's frame; where a face or an edge is, any of it.
    fn support(&self, direction: DVec3) -> DVec3;

    /// Radius of a ball about [`Convex::centre`] that holds the body. It need not be the smallest, but tolerances are a part of it.
    fn reach(&self) -> f64;

    /// A point inside, the origin unless said otherwise.
    fn centre(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// How far a support point may be from the body, and how much a support value may be too small, by rounding or by an
    /// iteration that stops early, in metres. It widens all bounds. 64 units in the last place of the reach and of the centre's
    /// distance unless said otherwise: enough for closed forms of a few operations.
    fn support_error(&self) -> f64 {
        USUAL_ERROR * (self.reach() + self.centre().length())
    }

    /// How the support point moves as the direction turns, if there is a closed form. Without one it is found by
    /// differences, at the price of four support points; it makes answers come faster and proves nothing.
    fn bend(&self, direction: DVec3) -> Option<Bend> {
        let _ = direction;
        None
    }

    /// Volume, centroid and inertia at density one, where they are known: a body needs them to take part in a simulation.
    fn mass_properties(&self) -> Option<MassProperties> {
        None
    }

    /// The name of the type in messages.
    fn name(&self) -> &'static str {
        "custom"
    }
}

/// A [`Convex`] body as a shape, with or without a radius of rounding around it. Copies share the body.
#[derive(Clone)]
pub struct Custom {
    body: Arc<dyn Convex>,
    rounding: f64,
}

/// The directions in which a body is tried when it becomes a shape.
fn trials() -> impl Iterator<Item = DVec3> + Clone {
    let steps = [-1.0, -0.3, 0.0, 0.5, 1.0];
    let all = steps
        .into_iter()
        .flat_map(move |x| steps.into_iter().flat_map(move |y| steps.into_iter().map(move |z| DVec3::new(x, y, z))));
    all.filter_map(DVec3::try_normalize)
}

impl Custom {
    /// Refuses a body whose support function contradicts itself in any of 124 directions: points that are not finite or beyond the
    /// reach, a centre outside, and points that are farther along a direction than the support point there.
    ///
    /// ```
    /// use superegg::DVec3;
    /// use superegg::shape::{Convex, Custom};
    /// struct Inward;
    /// impl Convex for Inward {
    ///     fn support(&self, direction: DVec3) -> DVec3 {
    ///         -direction
    ///     }
    ///     fn reach(&self) -> f64 {
    ///         1.0
    ///     }
    /// }
    /// assert_eq!(Custom::new(Inward).unwrap_err().field, "support");
    /// ```
    pub fn new(body: impl Convex + 'static) -> Result<Custom, InvalidInput> {
        Custom::shared(Arc::new(body))
    }

    /// The same of a body that others hold, too.
    pub fn shared(body: Arc<dyn Convex>) -> Result<Custom, InvalidInput> {
        let (reach, centre, error) = (body.reach(), body.centre(), body.support_error());
        InvalidInput::unless((RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&reach), "reach", reach, RADIUS_ALLOWED)?;
        for (value, field) in centre.to_array().into_iter().zip(["centre[0]", "centre[1]", "centre[2]"]) {
            InvalidInput::unless_coordinate(field, value)?;
        }
        InvalidInput::unless((0.0..=reach).contains(&error), "support_error", error, "[0, reach]")?;
        let allowed = "what a convex body around its centre and within its reach has";
        let points: Vec<DVec3> = trials().map(|direction| body.support(direction) - centre).collect();
        for (direction, own) in trials().zip(&points) {
            let height = own.dot(direction);
            let slack = error + 8.0 * f64::EPSILON * reach;
            let within = own.is_finite() && own.length() <= reach + slack && height >= -slack;
            let farthest = points.iter().all(|other| other.dot(direction) <= height + 2.0 * slack);
            InvalidInput::unless(within && farthest, "support", height, allowed)?;
        }
        Ok(Custom { body, rounding: 0.0 })
    }

    /// The same with everything within `radius` of it, zero or more.
    pub fn rounded(&self, radius: f64) -> Result<Custom, InvalidInput> {
        let rounding = self.rounding + radius;
        let allowed = |value: f64| value == 0.0 || (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&value);
        InvalidInput::unless(allowed(radius) && allowed(rounding), "rounding", radius, "0 and [1e-60, 1e60]")?;
        Ok(Custom { body: self.body.clone(), rounding })
    }

    /// What it was made of.
    pub fn body(&self) -> &dyn Convex {
        &*self.body
    }

    /// The radius around the body, zero where it is as it was given.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The name of the type in messages.
    pub fn name(&self) -> &'static str {
        self.body.name()
    }

    /// A point of the body that is farthest along a direction; its centre where the support function fails.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let unit = super::Direction::new(direction).unit_largest.normalize_or(DVec3::X);
        finite_support(self.body(), unit) + unit * self.rounding
    }

    /// The support function: the largest `direction · x` over the body.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }

    /// Radius of a ball about the centre that holds the body.
    pub fn radius(&self) -> f64 {
        self.body.reach() + self.rounding
    }

    /// Radius of a ball about the origin of the frame that holds the body.
    pub fn reach(&self) -> f64 {
        (self.body.centre().length() + self.radius()) * (1.0 + 8.0 * f64::EPSILON)
    }

    /// A box along the world's axes that holds the posed body, the smallest up to rounding.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let error = self.body.support_error() + 8.0 * f64::EPSILON * self.reach();
        let reach = |axis: DVec3| self.support_value(pose.inverse_transform_vector(axis)) + error;
        let upper = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let lower = DVec3::new(reach(DVec3::NEG_X), reach(DVec3::NEG_Y), reach(DVec3::NEG_Z));
        Aabb { min: pose.translation - lower, max: pose.translation + upper }
    }

    /// Whether a point lies in the body or on it, up to 1e-9 of its reach.
    pub fn contains(&self, point: DVec3) -> bool {
        let local = point - self.body.centre();
        let nearest = self.nearest_about_centre(local);
        nearest.is_none_or(|nearest| nearest.point.distance(local) - nearest.excess <= self.rounding)
    }

    /// The nearest point of the body without its rounding to a point outside, both about the centre, or one close to it; `None` for
    /// a point inside.
    pub(crate) fn nearest_about_centre(&self, point: DVec3) -> Option<Nearest> {
        let centre = self.body.centre();
        let support = |direction: DVec3| finite_support(self.body(), direction.normalize_or(DVec3::X)) - centre;
        nearest_point(support, point, point, self.body.reach())
    }

    /// A closed triangle mesh of at most `vertex_count` vertices, in [6, 10000000], all on the surface: the hull of support points along
    /// evenly spread directions.
    pub fn tessellate(&self, vertex_count: usize) -> Result<IndexedTriangles, InvalidInput> {
        let accepted = (FEWEST_VERTICES..=MOST_VERTICES).contains(&vertex_count);
        InvalidInput::unless(accepted, "vertex_count", vertex_count as f64, "[6, 10000000]")?;
        let points: Vec<DVec3> = spiral(vertex_count).map(|direction| self.support(direction)).collect();
        let flat = InvalidInput { field: "support", value: self.radius(), allowed: "what spans a volume" };
        hull_mesh(&points).ok_or(flat)
    }

    /// What the body says of its mass; `None` for a rounded one.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        (self.rounding == 0.0).then(|| self.body.mass_properties()).flatten()
    }
}

/// The support point, or the centre, which is one of the body too, where it is not finite.
fn finite_support(body: &dyn Convex, unit: DVec3) -> DVec3 {
    let point = body.support(unit);
    if point.is_finite() { point } else { body.centre() }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Custom").field("name", &self.name()).field("rounding", &self.rounding).finish_non_exhaustive()
    }
}

/// Equal where both share one body.
impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.rounding == other.rounding
    }
}
