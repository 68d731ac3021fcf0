//! Boxes, cylinders, cones, frustums, capsules and spheres, exactly: a [`Core`] with a radius of rounding around it.
//!
//! Everything within the rounding radius of the core belongs to the body (a Minkowski sum with a ball), so that a sphere is a
//! rounded point, a capsule a rounded segment, and any signed distance is the core's less the radius, apart and in
//! penetration.

mod mass;
mod projection;
mod tessellate;

use glam::DVec3;

pub use projection::Bend;
pub(crate) use projection::Footing;

use super::{Aabb, RADIUS_ALLOWED, RADIUS_RANGE, Sphere};
use crate::{InvalidInput, Pose};

/// What is rounded, about its own origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Core {
    /// From `-half_height` to `half_height` along z; a point where that is zero.
    Segment {
        /// Half of its length.
        half_height: f64,
    },
    /// A box along the axes.
    Cuboid {
        /// Half of its sides.
        half_extents: [f64; 3],
    },
    /// A truncated cone along z: a cylinder where both radii are equal, a cone where one is zero.
    Frustum {
        /// At `-half_height` and at `half_height`.
        radii: [f64; 2],
        /// Half of its height.
        half_height: f64,
    },
}

/// A box, cylinder, cone, frustum, capsule or sphere, with rounded or sharp edges.
///
/// ```
/// use superegg::shape::Primitive;
/// let die = Primitive::cuboid([0.4; 3])?.rounded(0.1)?;
/// let can = Primitive::cylinder(0.3, 0.5)?;
/// assert_eq!((die.name(), can.name()), ("box", "cylinder"));
/// assert_eq!(Primitive::capsule(0.2, -1.0).unwrap_err().field, "half_height");
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    core: Core,
    rounding: f64,
}

/// Refuses a length outside the range of radii; zero only where that is allowed.
fn validate_length(field: &'static str, value: f64, zero: bool) -> Result<(), InvalidInput> {
    let accepted = (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&value) || (zero && value == 0.0);
    InvalidInput::unless(accepted, field, value, if zero { "0 and [1e-60, 1e60]" } else { RADIUS_ALLOWED })
}

impl Primitive {
    /// A ball about the origin.
    pub fn sphere(radius: f64) -> Result<Primitive, InvalidInput> {
        validate_length("radius", radius, false)?;
        Ok(Primitive { core: Core::Segment { half_height: 0.0 }, rounding: radius })
    }

    /// Everything within `radius` of the segment from `-half_height` to `half_height` along z.
    pub fn capsule(radius: f64, half_height: f64) -> Result<Primitive, InvalidInput> {
        validate_length("radius", radius, false)?;
        validate_length("half_height", half_height, true)?;
        Ok(Primitive { core: Core::Segment { half_height }, rounding: radius })
    }

    /// A box along the axes.
    pub fn cuboid(half_extents: [f64; 3]) -> Result<Primitive, InvalidInput> {
        for (value, field) in half_extents.into_iter().zip(["half_extents[0]", "half_extents[1]", "half_extents[2]"]) {
            validate_length(field, value, false)?;
        }
        Ok(Primitive { core: Core::Cuboid { half_extents }, rounding: 0.0 })
    }

    /// A cylinder along z.
    pub fn cylinder(radius: f64, half_height: f64) -> Result<Primitive, InvalidInput> {
        validate_length("radius", radius, false)?;
        Primitive::frustum([radius; 2], half_height)
    }

    /// A cone along z, its base at `-half_height` and its tip at `half_height`.
    pub fn cone(radius: f64, half_height: f64) -> Result<Primitive, InvalidInput> {
        validate_length("radius", radius, false)?;
        Primitive::frustum([radius, 0.0], half_height)
    }

    /// A truncated cone along z, with its radii at `-half_height` and at `half_height`. One of them may be zero.
    pub fn frustum(radii: [f64; 2], half_height: f64) -> Result<Primitive, InvalidInput> {
        for (value, field) in radii.into_iter().zip(["radii[0]", "radii[1]"]) {
            validate_length(field, value, radii != [0.0; 2])?;
        }
        validate_length("half_height", half_height, false)?;
        Ok(Primitive { core: Core::Frustum { radii, half_height }, rounding: 0.0 })
    }

    /// The same with everything within `radius` of it, zero or more.
    ///
    /// ```
    /// use superegg::shape::Primitive;
    /// assert_eq!(Primitive::sphere(1.0)?.rounded(0.5)?, Primitive::sphere(1.5)?);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn rounded(&self, radius: f64) -> Result<Primitive, InvalidInput> {
        validate_length("rounding", radius, true)?;
        let rounding = self.rounding + radius;
        validate_length("rounding", rounding, true)?;
        Ok(Primitive { rounding, ..*self })
    }

    /// What is rounded.
    pub fn core(&self) -> Core {
        self.core
    }

    /// The radius around the core: that of a sphere or capsule, zero where edges are sharp.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The name of the type in messages and files.
    pub fn name(&self) -> &'static str {
        match self.core {
            Core::Segment { half_height: 0.0 } => "sphere",
            Core::Segment { .. } => "capsule",
            Core::Cuboid { .. } => "box",
            Core::Frustum { radii: [bottom, top], .. } if bottom == top => "cylinder",
            Core::Frustum { radii: [_, 0.0], .. } => "cone",
            Core::Frustum { .. } => "frustum",
        }
    }

    /// Largest of the core's own radii (half sides, half height) and the rounding: what the tolerance of a query is a part of.
    pub fn largest_radius(&self) -> f64 {
        self.core.largest_radius() + self.rounding
    }

    /// Radius of the smallest ball about the origin that holds the body, up to rounding.
    pub fn reach(&self) -> f64 {
        (self.core.reach() + self.rounding) * (1.0 + 4.0 * f64::EPSILON)
    }

    /// Radius of the largest ball about the origin that the body holds, up to rounding.
    pub fn inner_radius(&self) -> f64 {
        let core = match self.core {
            Core::Segment { .. } => 0.0,
            core => -core.footing(DVec3::ZERO).distance,
        };
        core + self.rounding
    }

    /// Outward unit normal of the surface point nearest to a point.
    pub fn normal_towards(&self, point: DVec3) -> DVec3 {
        self.core.footing(point).normal
    }

    /// A point of the body that is farthest along `direction`; where a face or edge is, its middle.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Primitive};
    /// let can = Primitive::cylinder(0.5, 2.0)?;
    /// assert_eq!(can.support(DVec3::new(3.0, 0.0, 1.0)), DVec3::new(0.5, 0.0, 2.0));
    /// assert_eq!(can.support(DVec3::Z), DVec3::new(0.0, 0.0, 2.0));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let direction = super::Direction::new(direction).unit_largest;
        self.core.support(direction) + direction.normalize_or_zero() * self.rounding
    }

    /// The support function: the largest `direction · x` over the body.
    pub fn support_value(&self, direction: DVec3) -> f64 {
        self.support(direction).dot(direction)
    }

    /// The smallest box along the world's axes that holds the posed body.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let reach = |axis: DVec3| self.support_value(pose.inverse_transform_vector(axis));
        let upper = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
        let lower = DVec3::new(reach(DVec3::NEG_X), reach(DVec3::NEG_Y), reach(DVec3::NEG_Z));
        Aabb { min: pose.translation - lower, max: pose.translation + upper }
    }

    /// A sphere that holds the body, the smallest but for a frustum's.
    pub fn bounding_sphere(&self) -> Sphere {
        Sphere { center: DVec3::ZERO, radius: self.reach() }
    }

    /// The same body scaled about its origin; `None` where that leaves the range of lengths.
    pub fn scaled(&self, by: f64) -> Option<Primitive> {
        let core = self.core.scaled(by);
        let lengths = match core {
            Core::Segment { half_height } => [half_height; 3],
            Core::Cuboid { half_extents } => half_extents,
            Core::Frustum { radii: [bottom, top], half_height } => [bottom, top, half_height],
        };
        let rounding = self.rounding * by;
        let valid = |length: f64| length == 0.0 || (RADIUS_RANGE.0..=RADIUS_RANGE.1).contains(&length);
        (by > 0.0 && lengths.into_iter().chain([rounding]).all(valid)).then_some(Primitive { core, rounding })
    }
}

impl Core {
    /// Whether it is symmetric about its origin.
    pub(crate) fn is_symmetric(&self) -> bool {
        !matches!(self, Core::Frustum { radii: [bottom, top], .. } if bottom != top)
    }

    pub(crate) fn scaled(&self, by: f64) -> Core {
        match *self {
            Core::Segment { half_height } => Core::Segment { half_height: half_height * by },
            Core::Cuboid { half_extents } => Core::Cuboid { half_extents: half_extents.map(|half| half * by) },
            Core::Frustum { radii, half_height } => {
                Core::Frustum { radii: radii.map(|radius| radius * by), half_height: half_height * by }
            }
        }
    }

    pub(crate) fn largest_radius(&self) -> f64 {
        match *self {
            Core::Segment { half_height } => half_height,
            Core::Cuboid { half_extents: [x, y, z] } => x.max(y).max(z),
            Core::Frustum { radii: [bottom, top], half_height } => bottom.max(top).max(half_height),
        }
    }

    pub(crate) fn reach(&self) -> f64 {
        match *self {
            Core::Segment { half_height } => half_height,
            Core::Cuboid { half_extents } => DVec3::from(half_extents).length(),
            Core::Frustum { radii: [bottom, top], half_height } => bottom.max(top).hypot(half_height),
        }
    }

    /// A point that is farthest along a direction; where a face or edge is, its middle.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3) -> DVec3 {
        let towards = |half: f64, component: f64| if component == 0.0 { 0.0 } else { half.copysign(component) };
        match *self {
            Core::Segment { half_height } => DVec3::new(0.0, 0.0, towards(half_height, direction.z)),
            Core::Cuboid { half_extents: [x, y, z] } => {
                DVec3::new(towards(x, direction.x), towards(y, direction.y), towards(z, direction.z))
            }
            Core::Frustum { radii: [bottom, top], half_height } => {
                let across = direction.x.hypot(direction.y);
                let rise = 2.0 * half_height * direction.z + (top - bottom) * across;
                let (radius, z) = match rise {
                    rise if rise > 0.0 => (top, half_height),
                    rise if rise < 0.0 => (bottom, -half_height),
                    _ => (0.5 * (bottom + top), 0.0),
                };
                let outward = if across > 0.0 { radius / across } else { 0.0 };
                DVec3::new(direction.x * outward, direction.y * outward, z)
            }
        }
    }
}
