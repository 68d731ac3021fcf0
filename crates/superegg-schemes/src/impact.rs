//! When moving bodies meet, for bodies of every kind.
//!
//! Pairs of the library have its proof. Where a superhyperboloid, a supertoroid or two meshes are involved there are neither
//! bounds nor planes between the bodies: time advances by nine tenths of the distance at the greatest speed of any point
//! (B. Mirtich's conservative advancement), and is as certain as the distances of [`distance_of_forms`](crate::distance_of_forms).

use superegg::InvalidInput;
use superegg::query::Options;
use superegg_world::WorldError;
use superegg_world::motion::{Impact, Motion, TimeOfImpact, ToiOptions, time_of_impact};

use crate::{Form, distance_of_forms};

/// Part of a distance that a step may use up: distances are not certified.
const TRUSTED: f64 = 0.9;

/// When two moving bodies of any kind first touch.
///
/// ```
/// use superegg::shape::{Plane, Shape};
/// use superegg::{DVec3, Pose};
/// use superegg_schemes::{Form, Superquadric, time_of_impact_of_forms};
/// use superegg_world::motion::{Impact, Motion, ToiOptions};
/// let floor: Shape = Plane::new(DVec3::Z, 0.0)?.into();
/// let ring = Form::Single(Superquadric::toroid([0.5; 3], [1.0; 2], 3.0)?.into());
/// let falling = Motion::linear(Pose::from_translation(DVec3::Z * 3.0), -DVec3::Z);
/// let rest = Motion::rest(Pose::IDENTITY);
/// let found = time_of_impact_of_forms(&ring, &falling, &floor.into(), &rest, &ToiOptions::within(9.0))?;
/// let Impact::At(time, _) = found.impact else { panic!("it falls onto the floor") };
/// assert!(time <= 2.5 && time > 2.5 - 1e-5);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
pub fn time_of_impact_of_forms(
    a: &Form,
    motion_a: &Motion,
    b: &Form,
    motion_b: &Motion,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    let two_meshes = matches!((a, b), (Form::Mesh(_), Form::Mesh(_)));
    if let (Some(a), Some(b), false) = (a.geometry(), b.geometry(), two_meshes) {
        return time_of_impact(&a, motion_a, &b, motion_b, options);
    }
    options.validate()?;
    let motions = [motion_a.checked(options.horizon)?, motion_b.checked(options.horizon)?];
    let mut speed = (motions[0].velocity - motions[1].velocity).length();
    let mut size = 0.0;
    for (form, motion) in [a, b].into_iter().zip(&motions) {
        let (reach, turn) = (form.reach(), motion.angular_velocity.length());
        if turn > 0.0 && !reach.is_finite() {
            return Err(InvalidInput { field: "angular_velocity", value: turn, allowed: "zero, for a plane" }.into());
        }
        if reach.is_finite() {
            speed += turn * reach;
            size += reach;
        }
    }
    let (mut time, mut queries) = (0.0, 0);
    let impact = loop {
        if queries >= options.max_queries {
            break Impact::Undecided(time);
        }
        let [pose_a, pose_b] = motions.map(|motion| motion.at(time));
        let contact = distance_of_forms(a, &pose_a, b, &pose_b, &Options::DEFAULT)?;
        queries += 1;
        let free = contact.outcome.distance - options.separation;
        if free <= options.tolerance * size {
            break if time == 0.0 { Impact::Already(contact) } else { Impact::At(time, contact) };
        }
        if contact.outcome.status == superegg::query::Status::NotConverged {
            break Impact::Undecided(time);
        }
        time += TRUSTED * free / speed;
        if time.is_nan() || time >= options.horizon {
            break Impact::None;
        }
    };
    Ok(TimeOfImpact { impact, queries, looks: 0 })
}
