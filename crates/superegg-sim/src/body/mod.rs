//! Bodies: what is told of one, and what a world keeps of it.
//!
//! A dynamic body turns about its center of mass, which for a tapered egg or a compound is not the origin of its frame; others
//! turn about that origin.

mod collider;
mod mass;
mod material;

use glam::{DMat3, DQuat, DVec3};
use superegg::shape::Shape;
use superegg::{InvalidInput, Pose};
use superegg_world::geometry::Geometry;

use crate::SimError;
pub(crate) use collider::{Placed, Proxy};
use mass::{MassFrame, mass_of, of_matrix, sum_of};
pub use material::{Friction, Groups, Material};

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// By its velocities or to its target, whatever it meets.
    Kinematic,
    /// By gravity, forces, contacts and joints.
    Dynamic(Mass),
}

/// What a dynamic body weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mass {
    /// The sum of its colliders, which have an inside, at this density in kilograms a cubic metre. Parts that overlap count twice.
    Density(f64),
    /// As given.
    Given {
        /// In kilograms.
        mass: f64,
        /// Center of mass in the body's frame.
        center: DVec3,
        /// About the center of mass along the axes of the body's frame; symmetric and positive definite.
        inertia: DMat3,
    },
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// A superellipsoid or a superovoid (by its convex hull where it is not convex), a compound of these, a closed mesh; a
    /// plane or an open mesh for bodies that are not dynamic, or whose mass is given.
    pub geometry: Geometry,
    /// Its frame in that of the body.
    pub pose: Pose,
    /// Its surface.
    pub material: Material,
    /// What it meets.
    pub groups: Groups,
}

impl Collider {
    /// At the origin of the body, of the default material, meeting everything.
    pub fn new(geometry: impl Into<Geometry>) -> Collider {
        Collider { geometry: geometry.into(), pose: Pose::IDENTITY, material: Material::default(), groups: Groups::ALL }
    }

    /// The same at another place on the body.
    pub fn at(self, pose: Pose) -> Collider {
        Collider { pose, ..self }
    }

    pub(crate) fn validate(&self) -> Result<(), SimError> {
        Pose::new(self.pose.rotation, self.pose.translation)?;
        self.material.validate()?;
        let solid = match &self.geometry {
            Geometry::Shape(Shape::Plane(_)) | Geometry::Mesh(_) => true,
            Geometry::Shape(shape) => has_inside(shape),
            Geometry::Compound(compound) => compound.parts().iter().all(|part| has_inside(&part.shape)),
            Geometry::Superquadric(_) => false,
        };
        InvalidInput::unless(
            solid,
            "shape",
            f64::NAN,
            "planes, superellipsoids, superovoids, primitives, hulls, and shapes of your own that tell their mass: only these have an inside",
        )?;
        Ok(())
    }
}

fn has_inside(shape: &Shape) -> bool {
    match shape {
        Shape::Superellipsoid(_) | Shape::Superovoid(_) | Shape::Primitive(_) | Shape::Hull(_) => true,
        // One that does not tell what it weighs cannot take part.
        Shape::Custom(body) => body.mass_properties().is_some(),
        Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => false,
    }
}

/// A body as it is added to a world.
#[derive(Clone, Debug)]
pub struct Body {
    /// Where it is.
    pub pose: Pose,
    /// Of its center of mass, in metres a second; of the origin of its frame if it is kinematic.
    pub velocity: DVec3,
    /// In radians a second.
    pub angular_velocity: DVec3,
    /// How it moves.
    pub motion: Motion,
    /// What others meet of it.
    pub colliders: Vec<Collider>,
}

impl Body {
    /// A body of one collider that stays where it is.
    pub fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Body {
        Body {
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            motion: Motion::Fixed,
            colliders: vec![Collider::new(geometry)],
        }
    }

    /// A body of one collider that moves by its velocities: of its origin, and about it.
    pub fn kinematic(geometry: impl Into<Geometry>, pose: Pose, velocity: DVec3, angular_velocity: DVec3) -> Body {
        Body { velocity, angular_velocity, motion: Motion::Kinematic, ..Body::fixed(geometry, pose) }
    }

    /// A body of one collider and a density in kilograms a cubic metre that is at rest.
    pub fn dynamic(geometry: impl Into<Geometry>, pose: Pose, density: f64) -> Body {
        Body::fixed(geometry, pose).with_density(density)
    }

    /// The same body, moved by what acts on it; its density is in kilograms a cubic metre.
    pub fn with_density(self, density: f64) -> Body {
        Body { motion: Motion::Dynamic(Mass::Density(density)), ..self }
    }

    /// The same body with another surface on all colliders.
    pub fn with_material(mut self, material: Material) -> Body {
        self.colliders.iter_mut().for_each(|collider| collider.material = material);
        self
    }

    /// The same body with other friction on all colliders.
    pub fn with_friction(mut self, friction: Friction) -> Body {
        self.colliders.iter_mut().for_each(|collider| collider.material.friction = friction);
        self
    }

    /// The same body in other groups.
    pub fn with_groups(mut self, groups: Groups) -> Body {
        self.colliders.iter_mut().for_each(|collider| collider.groups = groups);
        self
    }

    /// The same body with one more collider.
    pub fn with_collider(mut self, collider: Collider) -> Body {
        self.colliders.push(collider);
        self
    }

    pub(crate) fn validate(&self) -> Result<(), SimError> {
        Pose::new(self.pose.rotation, self.pose.translation)?;
        require_velocities(self.velocity, self.angular_velocity)?;
        self.colliders.iter().try_for_each(Collider::validate)?;
        mass_frame(&self.motion, &self.colliders).map(|_| ())
    }
}

/// Where and how heavy a body is: `None` unless it is dynamic.
fn mass_frame(motion: &Motion, colliders: &[Collider]) -> Result<Option<MassFrame>, SimError> {
    let frame = match motion {
        Motion::Fixed | Motion::Kinematic => return Ok(None),
        Motion::Dynamic(Mass::Density(density)) => {
            let density = *density;
            InvalidInput::unless(density > 0.0 && density.is_finite(), "density", density, "]0, ∞[")?;
            let found = colliders.iter().map(|collider| match mass_of(&collider.geometry) {
                Some(mass) => Ok((mass, collider.pose)),
                None => {
                    let what = collider.geometry.name();
                    Err(superegg_world::WorldError::Unsupported { operation: "motion", a: what, b: "world" })
                }
            });
            let parts = found.collect::<Result<Vec<_>, _>>()?;
            let frame = sum_of(&parts, density);
            let sane = frame.as_ref().is_some_and(MassFrame::is_sane);
            InvalidInput::unless(sane, "density", density, "what gives a finite mass and inertia")?;
            frame
        }
        Motion::Dynamic(Mass::Given { mass, center, inertia }) => {
            InvalidInput::unless(*mass > 0.0 && mass.is_finite(), "mass", *mass, "]0, ∞[")?;
            crate::error::require_finite("center", *center)?;
            let symmetric = inertia.abs_diff_eq(
                inertia.transpose(),
                1e-9 * inertia.to_cols_array().map(f64::abs).iter().fold(0.0, |a: f64, b| a.max(*b)),
            );
            let frame = of_matrix(*mass, *center, *inertia);
            let sane = symmetric && inertia.is_finite() && frame.is_sane();
            InvalidInput::unless(
                sane,
                "inertia",
                frame.inertia.min_element(),
                "symmetric matrices with positive moments",
            )?;
            Some(frame)
        }
    };
    Ok(frame)
}

/// Refuses velocities that are no numbers or beyond all reason.
pub(crate) fn require_velocities(velocity: DVec3, angular: DVec3) -> Result<(), InvalidInput> {
    for (vector, field) in [(velocity, "velocity"), (angular, "angular_velocity")] {
        let accepted = vector.is_finite() && vector.length() < 1e9;
        InvalidInput::unless(accepted, field, vector.length(), "lengths below 1e9")?;
    }
    Ok(())
}

/// A body in a world. Its own frame has its origin at the center of mass and its axes along the principal ones; those of a body
/// that is not dynamic are the frame it was given in.
#[derive(Clone, Debug)]
pub(crate) struct BodyState {
    pub motion: Motion,
    /// Slots of its colliders.
    pub colliders: Vec<u32>,
    /// Center of mass and principal axes in the frame that the body was given in.
    centroid: DVec3,
    principal: DQuat,
    /// Center of mass in the world.
    pub center: DVec3,
    pub rotation: DQuat,
    /// The rotation as a matrix.
    pub axes: DMat3,
    pub velocity: DVec3,
    pub turning: DVec3,
    /// Where a kinematic body is to be at the end of the step, as center and rotation.
    pub target: Option<(DVec3, DQuat)>,
    /// What acts on it until it is set again, in newtons and newton metres.
    pub force: DVec3,
    pub torque: DVec3,
    /// Zero for bodies that nothing can push.
    pub inverse_mass: f64,
    /// About the center of mass along the body's axes.
    pub inertia: DVec3,
    /// In the world, as it was when the body was last [refreshed](BodyState::refresh).
    pub inverse_inertia: DMat3,
    /// Radius of a ball about the center of mass that holds the body.
    pub reach: f64,
    /// By how far any point of the body can have moved since it was added.
    pub travelled: f64,
    /// How far points of it may have moved by turning alone.
    pub swung: f64,
    /// By how much it has turned since it was last refreshed.
    pub turned: f64,
    /// For how long it has been slow.
    pub still_for: f64,
    pub asleep: bool,
    /// Whether cloth pushed it in the last step.
    pub pushed_by_cloth: bool,
}

impl BodyState {
    /// A body without colliders yet.
    pub fn new(body: &Body) -> Result<BodyState, SimError> {
        let pose = Pose::new(body.pose.rotation, body.pose.translation)?;
        let mut state = BodyState::removed();
        (state.velocity, state.turning) = (body.velocity, body.angular_velocity);
        state.set_motion(body.motion, &body.colliders, pose)?;
        Ok(state)
    }

    /// A body with the reach of its colliders, for tests of what lies below worlds.
    #[cfg(test)]
    pub fn of_body(body: &Body) -> BodyState {
        let mut state = BodyState::new(body).unwrap();
        let proxies = body.colliders.iter().flat_map(|collider| Proxy::of(0, &state, 0, collider));
        state.reach = proxies.map(|proxy| proxy.reach()).fold(0.0, f64::max);
        state
    }

    /// What is in a slot that is free: a body that nothing meets.
    pub fn removed() -> BodyState {
        BodyState {
            motion: Motion::Fixed,
            colliders: Vec::new(),
            centroid: DVec3::ZERO,
            principal: DQuat::IDENTITY,
            center: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            axes: DMat3::IDENTITY,
            velocity: DVec3::ZERO,
            turning: DVec3::ZERO,
            target: None,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            inverse_mass: 0.0,
            inertia: DVec3::ONE,
            inverse_inertia: DMat3::ZERO,
            reach: 0.0,
            travelled: 0.0,
            swung: 0.0,
            turned: 0.0,
            still_for: 0.0,
            asleep: false,
            pushed_by_cloth: false,
        }
    }

    /// Takes over a motion, a pose and what follows from its colliders.
    pub fn set_motion(&mut self, motion: Motion, colliders: &[Collider], pose: Pose) -> Result<(), SimError> {
        let mass = mass_frame(&motion, colliders)?;
        self.motion = motion;
        (self.centroid, self.principal) =
            mass.as_ref().map_or((DVec3::ZERO, DQuat::IDENTITY), |mass| (mass.center, mass.principal));
        match mass {
            Some(mass) => (self.inertia, self.inverse_mass) = (mass.inertia, 1.0 / mass.mass),
            None => (self.inertia, self.inverse_mass, self.inverse_inertia) = (DVec3::ONE, 0.0, DMat3::ZERO),
        }
        if motion == Motion::Fixed {
            (self.velocity, self.turning) = (DVec3::ZERO, DVec3::ZERO);
        }
        self.asleep = false;
        self.still_for = 0.0;
        self.place_at(pose);
        Ok(())
    }

    /// Puts the body somewhere.
    pub fn place_at(&mut self, pose: Pose) {
        (self.center, self.rotation) = self.own_frame_at(pose);
        self.axes = DMat3::from_quat(self.rotation);
        self.target = None;
        self.refresh();
    }

    /// Center and rotation of the body's own frame for a pose of the frame that it was given in.
    pub fn own_frame_at(&self, pose: Pose) -> (DVec3, DQuat) {
        let whole = self.principal == DQuat::IDENTITY;
        let rotation = if whole { pose.rotation } else { pose.rotation * self.principal };
        (pose.transform_point(self.centroid), rotation)
    }

    /// Puts the body back to an earlier place.
    pub fn put_back(&mut self, center: DVec3, rotation: DQuat) {
        (self.center, self.rotation) = (center, rotation);
        self.axes = DMat3::from_quat(rotation);
    }

    /// The frame of a collider in the body's own frame.
    pub fn frame_of(&self, collider: &Collider) -> Pose {
        if self.principal == DQuat::IDENTITY && self.centroid == DVec3::ZERO {
            return collider.pose;
        }
        Pose { rotation: self.principal, translation: self.centroid }.inverse().compose(&collider.pose)
    }

    /// A pose in the frame that the body was given in, as a point and a rotation in its own.
    pub fn to_own(&self, pose: Pose) -> (DVec3, DQuat) {
        let back = self.principal.conjugate();
        (back * (pose.translation - self.centroid), back * pose.rotation)
    }

    /// Stays for the rest of a step, if it has a target.
    pub fn give_up(&mut self) {
        self.target = self.target.map(|_| (self.center, self.rotation));
    }

    /// The velocities of a kinematic body that has a target, for the first of `left` substeps of length `h`.
    pub fn aim(&mut self, left: f64, h: f64) {
        if let Some((center, rotation)) = self.target {
            self.velocity = (center - self.center) / (left * h);
            let turn = rotation * self.rotation.conjugate();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            self.turning = turn.to_scaled_axis() / (left * h);
        }
    }

    pub fn is_dynamic(&self) -> bool {
        self.inverse_mass > 0.0
    }

    /// Whether it may have another pose after a step.
    pub fn is_moving(&self) -> bool {
        !self.asleep && (self.is_dynamic() || self.velocity != DVec3::ZERO || self.turning != DVec3::ZERO)
    }

    /// Of the frame that the body was given in.
    pub fn pose(&self) -> Pose {
        let rotation = if self.principal == DQuat::IDENTITY {
            self.rotation
        } else {
            (self.rotation * self.principal.conjugate()).normalize()
        };
        Pose { rotation, translation: self.center - rotation * self.centroid }
    }

    /// A point given from the center of mass along the body's axes.
    #[inline]
    pub fn place(&self, local: DVec3) -> DVec3 {
        self.center + self.axes * local
    }

    /// The reverse of [`place`](BodyState::place).
    #[inline]
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.center)
    }

    /// A bound of the speed of its points.
    pub fn speed(&self) -> f64 {
        let turning = self.turning.length();
        self.velocity.length() + if turning > 0.0 { turning * self.reach } else { 0.0 }
    }

    /// Brings the inverse inertia up to date.
    pub fn refresh(&mut self) {
        self.turned = 0.0;
        if self.is_dynamic() {
            let scaled = DMat3::from_cols(
                self.axes.x_axis / self.inertia.x,
                self.axes.y_axis / self.inertia.y,
                self.axes.z_axis / self.inertia.z,
            );
            self.inverse_inertia = scaled * self.axes.transpose();
        }
    }

    /// Where the body would be after a time by some velocities, and how it would turn then: center, rotation and angular
    /// velocity. The angular momentum of a free body stays what it is, and so, by the implicit midpoint rule, does its energy but
    /// for the third power of the angle.
    pub fn after(&self, h: f64, velocity: DVec3, turning: DVec3) -> (DVec3, DQuat, DVec3) {
        let center = self.center + velocity * h;
        let angle = turning.length() * h;
        if angle <= 0.0 {
            return (center, self.rotation, turning);
        }
        let mut rate = turning;
        let precesses = self.is_dynamic() && angle > PRECESSING;
        let momentum =
            if precesses { self.axes * ((self.axes.transpose() * turning) * self.inertia) } else { DVec3::ZERO };
        if precesses {
            for _ in 0..3 {
                let halfway = turn_by(rate * (0.5 * h)) * self.rotation;
                rate = halfway * ((halfway.conjugate() * momentum) / self.inertia);
            }
        }
        let rotation = (turn_by(rate * h) * self.rotation).normalize();
        if !precesses {
            return (center, rotation, turning);
        }
        let axes = DMat3::from_quat(rotation);
        (center, rotation, axes * ((axes.transpose() * momentum) / self.inertia))
    }

    /// Moves the body for a time by its velocities.
    pub fn advance(&mut self, h: f64) {
        let angle = self.turning.length() * h;
        let (center, rotation, turning) = self.after(h, self.velocity, self.turning);
        self.center = center;
        if angle > 0.0 {
            (self.rotation, self.turning) = (rotation, turning);
            self.axes = DMat3::from_quat(rotation);
        }
        self.turned += angle;
        let swing = if angle > 0.0 { angle * self.reach } else { 0.0 };
        self.swung += swing;
        self.travelled += self.velocity.length() * h + swing;
    }

    /// Angular momentum about the center of mass; of dynamic bodies only.
    pub fn momentum(&self) -> DVec3 {
        self.axes * ((self.axes.transpose() * self.turning) * self.inertia)
    }

    /// Energy of motion.
    pub fn kinetic_energy(&self) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        0.5 * (self.velocity.length_squared() / self.inverse_mass + self.turning.dot(self.momentum()))
    }
}

/// Angle of a substep below which the axis of turning is not followed, in radians.
const PRECESSING: f64 = 1e-5;

/// The rotation about an axis by its length: for the small angles of a substep by its series, to rounding.
fn turn_by(axis: DVec3) -> DQuat {
    let half_sq = 0.25 * axis.length_squared();
    if half_sq > 2.5e-3 {
        return DQuat::from_scaled_axis(axis);
    }
    let sine = 1.0 - half_sq / 6.0 * (1.0 - half_sq / 20.0 * (1.0 - half_sq / 42.0));
    let cosine = 1.0 - half_sq / 2.0 * (1.0 - half_sq / 12.0 * (1.0 - half_sq / 30.0 * (1.0 - half_sq / 56.0)));
    let vector = axis * (0.5 * sine);
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_turns_are_as_exact_as_large_ones() {
        for exponent in -80..4 {
            let axis = DVec3::new(0.3, -0.5, 0.8) * 2f64.powf(0.1 * f64::from(exponent));
            let (turn, known) = (turn_by(axis), DQuat::from_scaled_axis(axis));
            assert!((turn - known).length() < 3e-16, "{axis}: {turn} is not {known}");
        }
    }
}
