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
    QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, Unsupported,
};
use parry3d_f64::shape::{Shape as ParryShape, ShapeType};
use superegg::Pose;
use superegg::query::{Options, intersect};
use superegg_world::motion::Motion;

use crate::convert::{our_pose, ours};
use crate::egg_pair::EggPair;
use crate::manifold;

/// Eggs by the certified solver, everything else as [`DefaultQueryDispatcher`] does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EggDispatcher;

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
            let [pose_a, pose_b] = pair.poses(pos12);
            let found = intersect(&pair.a.shape, &pose_a, &pair.b.shape, &pose_b);
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
            return Ok(ShapeDistance::new(pair.outcome(pos12, &Options::DEFAULT)?.distance.max(0.0)));
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
