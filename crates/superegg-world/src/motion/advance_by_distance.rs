//! Two bodies of which one is a superhyperboloid or supertoroid, and two meshes.
//!
//! There are no planes between them to follow: time advances by nine tenths of the distance at the greatest speed of any point
//! (B. Mirtich's conservative advancement), and is as certain as that distance.

use superegg::InvalidInput;
use superegg::query::{Options, Status};

use super::{Impact, Motion, TimeOfImpact, ToiOptions};
use crate::WorldError;
use crate::geometry::{Geometry, distance};

/// Part of a distance that a step may use up: the bounds of these distances are too wide to be used alone.
const TRUSTED: f64 = 0.9;

/// When they first touch; motions and options are valid.
pub(super) fn advance_by_distance(
    a: &Geometry,
    b: &Geometry,
    motions: [Motion; 2],
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    let mut speed = (motions[0].velocity - motions[1].velocity).length();
    let mut size = 0.0;
    for (body, motion) in [a, b].into_iter().zip(&motions) {
        let (reach, turn) = (body.reach(), motion.angular_velocity.length());
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
        let contact = distance(a, &pose_a, b, &pose_b, &Options::DEFAULT)?.contact;
        queries += 1;
        let free = contact.outcome.distance - options.separation;
        if free <= options.tolerance * size {
            break if time == 0.0 { Impact::Already(contact) } else { Impact::At(time, contact) };
        }
        if contact.outcome.status == Status::NotConverged {
            break Impact::Undecided(time);
        }
        time += TRUSTED * free / speed;
        if time.is_nan() || time >= options.horizon {
            break Impact::None;
        }
    };
    Ok(TimeOfImpact { impact, queries, looks: 0 })
}
