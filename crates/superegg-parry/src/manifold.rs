//! Contact manifolds of smooth bodies.
//!
//! Two smooth bodies touch in one point, and one point is what a manifold gets: its normal turns smoothly as the bodies
//! roll. Where a body lies flat on a half-space one point would let it rock, so that the farthest points of the face, as
//! far as they are nearly as low, join in. The solver starts from the manifold's last contact.

use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::query::{Contact, ContactManifold, TrackedContact, Unsupported};
use parry3d_f64::shape::PackedFeatureId;
use superegg::query::{Options, WarmStart};
use superegg::shape::Shape;

use crate::convert::{our_pose, ours, parrys};
use crate::egg_pair::{EggPair, Member};

/// How far normals are tilted to find the rim of a face, in radians.
const TILT: f64 = 0.01;
/// How far from the first point, and how little above it, the rim has to be to count, as parts of the body's size.
const WIDE: f64 = 0.05;
const LOW: f64 = 1e-3;

pub(crate) fn of_pair<ManifoldData, ContactData: Default + Copy>(
    pair: &EggPair,
    pos12: &ParryPose,
    constraints: [Option<&dyn NormalConstraints>; 2],
    prediction: f64,
    manifold: &mut ContactManifold<ManifoldData, ContactData>,
) -> Result<(), Unsupported> {
    let warm_start = manifold.points.first().map(|last| WarmStart {
        point_a: ours(last.local_p1),
        normal_a: ours(manifold.local_n1),
        point_b: ours(last.local_p2),
        normal_b: ours(manifold.local_n2),
    });
    let outcome = pair.outcome(pos12, &Options { warm_start, ..Options::DEFAULT })?;
    let contact = pair.contact(pos12, &outcome);
    let kept = (contact.dist <= prediction).then_some(contact).filter(|contact| {
        let allows = |constraint: Option<&dyn NormalConstraints>, mut normal| {
            constraint.is_none_or(|constraint| constraint.project_local_normal_mut(&mut normal))
        };
        allows(constraints[0], contact.normal1) && allows(constraints[1], contact.normal2)
    });
    let old = std::mem::take(&mut manifold.points);
    if let Some(contact) = kept {
        fill(&contact, manifold);
        add_rim(pair, pos12, &contact, prediction, manifold);
    }
    manifold.match_contacts(&old);
    Ok(())
}

/// A manifold of one contact, or of none.
pub(crate) fn of_contact<ManifoldData, ContactData: Default + Copy>(
    contact: Option<Contact>,
    manifold: &mut ContactManifold<ManifoldData, ContactData>,
) {
    let old = std::mem::take(&mut manifold.points);
    if let Some(contact) = contact {
        fill(&contact, manifold);
    }
    manifold.match_contacts(&old);
}

fn fill<ManifoldData, ContactData: Default + Copy>(
    contact: &Contact,
    manifold: &mut ContactManifold<ManifoldData, ContactData>,
) {
    (manifold.local_n1, manifold.local_n2) = (contact.normal1, contact.normal2);
    let face = PackedFeatureId::face(0);
    manifold.points.push(TrackedContact::new(contact.point1, contact.point2, face, face, contact.dist));
}

/// The rim of a face that lies on a half-space.
fn add_rim<ManifoldData, ContactData: Default + Copy>(
    pair: &EggPair,
    pos12: &ParryPose,
    contact: &Contact,
    prediction: f64,
    manifold: &mut ContactManifold<ManifoldData, ContactData>,
) {
    let (body, outwards, first, flipped) = match (&pair.a, &pair.b) {
        (body, Member { shape: Shape::Plane(_), .. }) => (body, ours(contact.normal1), ours(contact.point1), false),
        (Member { shape: Shape::Plane(_), .. }, body) => (body, ours(contact.normal2), ours(contact.point2), true),
        _ => return,
    };
    let size = body.shape.reach();
    let (side, up) = outwards.any_orthonormal_pair();
    for (index, tilt) in (1..).zip([side, up, -side, -up]) {
        let tilted = body.local.inverse_transform_vector(outwards + tilt * TILT);
        let Some(rim) = body.shape.support(tilted).map(|rim| body.local.transform_point(rim)) else { continue };
        let above = outwards.dot(first - rim);
        let dist = contact.dist + above;
        if (rim - first).length() < WIDE * size || above > LOW * size || dist > prediction {
            continue;
        }
        // Where the rim meets the plane, in the plane's frame.
        let to_plane = rim + outwards * dist;
        let pose = our_pose(pos12);
        let (point1, point2) =
            if flipped { (pose.transform_point(to_plane), rim) } else { (rim, pose.inverse_transform_point(to_plane)) };
        let id = PackedFeatureId::vertex(index);
        manifold.points.push(TrackedContact::new(parrys(point1), parrys(point2), id, id, dist));
    }
}
