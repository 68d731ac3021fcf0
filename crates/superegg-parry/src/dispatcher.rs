//! A query dispatcher that knows eggs, and passes on what it does not know.
//!
//! Meshes and other composites are taken apart by parry's own functions, with this dispatcher for the parts.

use parry3d_f64::math::{Pose as ParryPose, Real, Vector};
use parry3d_f64::query::details::{
    self, ShapeCastOptions, contact_manifolds_composite_shape_composite_shape, contact_manifolds_composite_shape_shape,
    contact_manifolds_heightfield_shape_shapes, contact_manifolds_trimesh_shape_shapes,
};
use parry3d_f64::query::details::{ContactManifoldsWorkspace, NormalConstraints};
use parry3d_f64::query::{
    ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion, PersistentQueryDispatcher,
    QueryDispatcher, ShapeCastHit, ShapeCastStatus, ShapeDistance, ShapeIntersection, Unsupported,
};
use parry3d_f64::shape::{Shape as ParryShape, ShapeType};
use superegg::query::{Options, Outcome, distance, intersect};
use superegg::{DVec3, Pose};
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Geometry;
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};

use crate::convert::{Rounded, our_pose, ours, parrys, rounded};
use crate::manifold;

/// Eggs by the certified solver, everything else as [`DefaultQueryDispatcher`] does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EggDispatcher;

/// Two shapes of which at least one is an egg.
pub(crate) struct EggPair {
    pub a: Rounded,
    pub b: Rounded,
}

impl EggPair {
    pub fn of(g1: &dyn ParryShape, g2: &dyn ParryShape) -> Option<EggPair> {
        let (a, b) = (rounded(g1)?, rounded(g2)?);
        (a.is_egg || b.is_egg).then_some(EggPair { a, b })
    }

    pub fn radius(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// The signed distance of the cores.
    pub fn outcome(&self, pos12: &ParryPose, options: &Options) -> Result<Outcome, Unsupported> {
        distance(&self.a.shape, &Pose::IDENTITY, &self.b.shape, &our_pose(pos12), options).map_err(|_| Unsupported)
    }

    /// A core's answer as a contact of the rounded shapes, each point in its own frame.
    pub fn contact(&self, pos12: &ParryPose, outcome: &Outcome) -> Contact {
        let normal = parrys(outcome.normal);
        let point1 = parrys(outcome.point_a + outcome.normal * self.a.radius);
        let point2 = parrys(outcome.point_b - outcome.normal * self.b.radius);
        let point2 = pos12.inverse_transform_point(point2);
        let normal2 = pos12.rotation.inverse() * -normal;
        Contact::new(point1, point2, normal, normal2, outcome.distance - self.radius())
    }
}

/// Whether a pair concerns this dispatcher: an egg is part of it, or may be part of a composite.
fn concerns(g1: &dyn ParryShape, g2: &dyn ParryShape) -> bool {
    let may = |shape: &dyn ParryShape| matches!(shape.shape_type(), ShapeType::Custom | ShapeType::Compound);
    may(g1) || may(g2)
}

impl QueryDispatcher for EggDispatcher {
    fn intersection_test(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
    ) -> Result<ShapeIntersection, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            if pair.radius() > 0.0 {
                let core = pair.outcome(pos12, &Options::DEFAULT)?.distance;
                return Ok(ShapeIntersection::new(core <= pair.radius()));
            }
            let found = intersect(&pair.a.shape, &Pose::IDENTITY, &pair.b.shape, &our_pose(pos12));
            return found.map(ShapeIntersection::new).map_err(|_| Unsupported);
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::intersection_test_composite_shape_shape(self, pos12, composite, g2));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::intersection_test_shape_composite_shape(self, pos12, g1, composite));
            }
        }
        DefaultQueryDispatcher.intersection_test(pos12, g1, g2)
    }

    fn distance(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
    ) -> Result<ShapeDistance, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let core = pair.outcome(pos12, &Options::DEFAULT)?.distance;
            return Ok(ShapeDistance::new((core - pair.radius()).max(0.0)));
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::distance_composite_shape_shape(self, pos12, composite, g2));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::distance_shape_composite_shape(self, pos12, g1, composite));
            }
        }
        DefaultQueryDispatcher.distance(pos12, g1, g2)
    }

    fn contact(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        prediction: Real,
    ) -> Result<Option<Contact>, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let contact = pair.contact(pos12, &pair.outcome(pos12, &Options::DEFAULT)?);
            return Ok((contact.dist <= prediction).then_some(contact));
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::contact_composite_shape_shape(self, pos12, composite, g2, prediction));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::contact_shape_composite_shape(self, pos12, g1, composite, prediction));
            }
        }
        DefaultQueryDispatcher.contact(pos12, g1, g2, prediction)
    }

    fn closest_points(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        max_dist: Real,
    ) -> Result<ClosestPoints, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let contact = pair.contact(pos12, &pair.outcome(pos12, &Options::DEFAULT)?);
            return Ok(if contact.dist <= 0.0 {
                ClosestPoints::Intersecting
            } else if contact.dist <= max_dist {
                ClosestPoints::WithinMargin(contact.point1, contact.point2)
            } else {
                ClosestPoints::Disjoint
            });
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::closest_points_composite_shape_shape(self, pos12, composite, g2, max_dist));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::closest_points_shape_composite_shape(self, pos12, g1, composite, max_dist));
            }
        }
        DefaultQueryDispatcher.closest_points(pos12, g1, g2, max_dist)
    }

    fn cast_shapes(
        &self,
        pos12: &ParryPose,
        local_vel12: Vector,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let rest = Motion::rest(Pose::IDENTITY);
            let moving = Motion::linear(our_pose(pos12), ours(local_vel12));
            let horizon = options.max_time_of_impact.min(LONGEST);
            let found = pair.cast([Pose::IDENTITY; 2], rest, moving, horizon, options.target_distance)?;
            return Ok(found.filter(|hit| options.stop_at_penetration || !hit.parts_from_overlap(local_vel12)).map(
                |hit| {
                    hit.in_frames(&ParryPose::IDENTITY, |time| {
                        ParryPose::from_parts(pos12.translation + local_vel12 * time, pos12.rotation)
                    })
                },
            ));
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::cast_shapes_composite_shape_shape(
                    self,
                    pos12,
                    local_vel12,
                    composite,
                    g2,
                    options,
                ));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::cast_shapes_shape_composite_shape(
                    self,
                    pos12,
                    local_vel12,
                    g1,
                    composite,
                    options,
                ));
            }
        }
        DefaultQueryDispatcher.cast_shapes(pos12, local_vel12, g1, g2, options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn ParryShape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn ParryShape,
        start_time: Real,
        end_time: Real,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let (local1, ours1) = about_center(motion1, start_time);
            let (local2, ours2) = about_center(motion2, start_time);
            let horizon = (end_time - start_time).clamp(0.0, LONGEST);
            let found = pair.cast([local1, local2], ours1, ours2, horizon, 0.0)?;
            let closing = motion2.linvel - motion1.linvel;
            return Ok(found.filter(|hit| stop_at_penetration || !hit.parts_from_overlap(closing)).map(|hit| {
                let time = start_time + hit.time;
                let mut found = hit.in_frames(&motion1.position_at_time(time), |_| motion2.position_at_time(time));
                found.time_of_impact = time;
                found
            }));
        }
        if concerns(g1, g2) {
            if let Some(composite) = g1.as_composite_shape() {
                return Ok(details::cast_shapes_nonlinear_composite_shape_shape(
                    self,
                    motion1,
                    composite,
                    motion2,
                    g2,
                    start_time,
                    end_time,
                    stop_at_penetration,
                ));
            }
            if let Some(composite) = g2.as_composite_shape() {
                return Ok(details::cast_shapes_nonlinear_shape_composite_shape(
                    self,
                    motion1,
                    g1,
                    motion2,
                    composite,
                    start_time,
                    end_time,
                    stop_at_penetration,
                ));
            }
        }
        DefaultQueryDispatcher.cast_shapes_nonlinear(
            motion1,
            g1,
            motion2,
            g2,
            start_time,
            end_time,
            stop_at_penetration,
        )
    }
}

/// Longest time that a cast looks ahead; parry's default is the largest number there is.
const LONGEST: f64 = 1e30;

/// A motion about a centre: our frame has its origin there.
fn about_center(motion: &NonlinearRigidMotion, start: f64) -> (Pose, Motion) {
    let pose = our_pose(&motion.position_at_time(start));
    let center = ours(motion.local_center);
    let frame = Pose { rotation: pose.rotation, translation: pose.transform_point(center) };
    let moving = Motion { pose: frame, velocity: ours(motion.linvel), angular_velocity: ours(motion.angvel) };
    (Pose::from_translation(-center), moving)
}

/// A hit in world coordinates.
struct Hit {
    time: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    already: bool,
}

impl Hit {
    /// Whether the shapes overlap at the start and the motion parts them.
    fn parts_from_overlap(&self, velocity12: Vector) -> bool {
        self.already && ours(velocity12).dot(self.normal) > 0.0
    }

    fn in_frames(&self, pose1: &ParryPose, pose2: impl Fn(f64) -> ParryPose) -> ShapeCastHit {
        let pose2 = pose2(self.time);
        let normal = parrys(self.normal);
        ShapeCastHit {
            time_of_impact: self.time,
            witness1: pose1.inverse_transform_point(parrys(self.point_a)),
            witness2: pose2.inverse_transform_point(parrys(self.point_b)),
            normal1: pose1.rotation.inverse() * normal,
            normal2: pose2.rotation.inverse() * -normal,
            status: if self.already {
                ShapeCastStatus::PenetratingOrWithinTargetDist
            } else {
                ShapeCastStatus::Converged
            },
            subshape1: 0,
            subshape2: 0,
        }
    }
}

impl EggPair {
    fn cast(
        &self,
        locals: [Pose; 2],
        motion_a: Motion,
        motion_b: Motion,
        horizon: f64,
        target_distance: f64,
    ) -> Result<Option<Hit>, Unsupported> {
        let geometry = |rounded: &Rounded, local: Pose| -> Result<Geometry, Unsupported> {
            if local == Pose::IDENTITY {
                return Ok(rounded.shape.into());
            }
            let part = Part { shape: rounded.shape, pose: local };
            Ok(Compound::new(vec![part]).map_err(|_| Unsupported)?.into())
        };
        let (a, b) = (geometry(&self.a, locals[0])?, geometry(&self.b, locals[1])?);
        let separation = self.radius() + target_distance.max(0.0);
        let options = ToiOptions { separation, ..ToiOptions::within(horizon) };
        let found = time_of_impact(&a, &motion_a, &b, &motion_b, &options).map_err(|_| Unsupported)?;
        let (time, contact, already) = match found.impact {
            Impact::None | Impact::Undecided(_) => return Ok(None),
            Impact::Already(contact) => (0.0, contact, true),
            Impact::At(time, contact) => (time, contact, false),
        };
        let outcome = contact.outcome;
        Ok(Some(Hit {
            time,
            point_a: outcome.point_a + outcome.normal * self.a.radius,
            point_b: outcome.point_b - outcome.normal * self.b.radius,
            normal: outcome.normal,
            already,
        }))
    }
}

impl<ManifoldData, ContactData> PersistentQueryDispatcher<ManifoldData, ContactData> for EggDispatcher
where
    ManifoldData: Default + Clone + Send + Sync,
    ContactData: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        prediction: Real,
        manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        if !concerns(g1, g2) {
            return DefaultQueryDispatcher.contact_manifolds(pos12, g1, g2, prediction, manifolds, workspace);
        }
        let kinds = [g1.shape_type(), g2.shape_type()];
        match (g1.as_composite_shape(), g2.as_composite_shape()) {
            (Some(a), Some(b)) => {
                contact_manifolds_composite_shape_composite_shape(self, pos12, a, b, prediction, manifolds, workspace)
            }
            _ if kinds.contains(&ShapeType::TriMesh) => {
                contact_manifolds_trimesh_shape_shapes(self, pos12, g1, g2, prediction, manifolds, workspace);
            }
            _ if kinds.contains(&ShapeType::HeightField) => {
                contact_manifolds_heightfield_shape_shapes(self, pos12, g1, g2, prediction, manifolds, workspace);
            }
            (Some(a), None) => {
                contact_manifolds_composite_shape_shape(self, pos12, a, g2, prediction, manifolds, workspace, false);
            }
            (None, Some(b)) => contact_manifolds_composite_shape_shape(
                self,
                &pos12.inverse(),
                b,
                g1,
                prediction,
                manifolds,
                workspace,
                true,
            ),
            (None, None) => {
                if manifolds.is_empty() {
                    manifolds.push(ContactManifold::new());
                }
                return self.contact_manifold_convex_convex(pos12, g1, g2, None, None, prediction, &mut manifolds[0]);
            }
        }
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        normal_constraints1: Option<&dyn NormalConstraints>,
        normal_constraints2: Option<&dyn NormalConstraints>,
        prediction: Real,
        manifold: &mut ContactManifold<ManifoldData, ContactData>,
    ) -> Result<(), Unsupported> {
        if let Some(pair) = EggPair::of(g1, g2) {
            let constraints = [normal_constraints1, normal_constraints2];
            return manifold::of_pair(&pair, pos12, constraints, prediction, manifold);
        }
        if concerns(g1, g2) {
            // An egg and a shape that only parry knows.
            let contact = DefaultQueryDispatcher.contact(pos12, g1, g2, prediction)?;
            manifold::of_contact(contact, manifold);
            return Ok(());
        }
        DefaultQueryDispatcher.contact_manifold_convex_convex(
            pos12,
            g1,
            g2,
            normal_constraints1,
            normal_constraints2,
            prediction,
            manifold,
        )
    }
}
