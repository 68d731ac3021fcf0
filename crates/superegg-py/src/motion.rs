//! When moving bodies meet.

use pyo3::prelude::*;
use superegg_world::Contact;
use superegg_world::motion::{Impact as CoreImpact, Motion, TimeOfImpact, ToiOptions};

use crate::array::{Numbers, broadcast, vectors_or_zero};
use crate::pose::poses;
use crate::record;
use crate::record::Writer;
use crate::shape::bodies;
use crate::threads::answer_all;

/// Pairs in a block: one takes some tens of microseconds.
const BLOCK: usize = 64;

record! {
    /// The answer of :func:`time_of_impact`: NaN where bodies do not meet.
    Impact[13] {
        /// What becomes of the bodies: an :class:`ImpactStatus`; codes of it in a batch.
        status: member(0, "ImpactStatus");
        /// They do not meet before this time, in seconds; infinite where they do not up to the horizon.
        time: number(1);
        /// Their distance at that time.
        distance: number(2);
        /// Closest point of a at that time.
        point_a: numbers(3, &[3]);
        /// Closest point of b at that time.
        point_b: numbers(6, &[3]);
        /// Unit normal from a to b at that time.
        normal: numbers(9, &[3]);
        /// Distance queries spent.
        queries: count(12);
    }
}

fn write_impact(to: &mut Writer<'_>, found: &TimeOfImpact) {
    let (status, time, contact): (f64, f64, Option<&Contact>) = match &found.impact {
        CoreImpact::At(time, contact) => (0.0, *time, Some(contact)),
        CoreImpact::Already(contact) => (1.0, 0.0, Some(contact)),
        CoreImpact::None => (2.0, f64::INFINITY, None),
        CoreImpact::Undecided(time) => (3.0, *time, None),
    };
    to.one(status).one(time);
    match contact.map(|contact| &contact.outcome) {
        Some(outcome) => {
            to.one(outcome.distance).put(outcome.point_a.to_array()).put(outcome.point_b.to_array());
            to.put(outcome.normal.to_array())
        }
        None => to.put([f64::NAN; 10]),
    };
    to.one(f64::from(found.queries));
}

/// When do two moving bodies first touch? Velocities (…, 3) are in world coordinates, in metres and radians a second, angular ones about the
/// origin of the body's frame; everything is broadcast. The time is never later than they touch.
///
/// >>> import superegg
/// >>> ball = superegg.superellipsoid([1, 1, 1])
/// >>> found = superegg.time_of_impact(ball, superegg.plane([-1, 0, 0], -4), horizon=10, velocity_a=[2, 0, 0])
/// >>> found.status.name, round(found.time, 6)
/// ('IMPACT', 1.5)
#[pyfunction]
#[pyo3(signature = (a, b, horizon, pose_a=None, pose_b=None, *, velocity_a=None, angular_velocity_a=None, velocity_b=None,
    angular_velocity_b=None, tolerance=1e-6, separation=0.0, max_queries=200))]
#[expect(clippy::too_many_arguments, reason = "two bodies with four properties each, by their names")]
pub fn time_of_impact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    horizon: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    velocity_a: Option<&Bound<'_, PyAny>>,
    angular_velocity_a: Option<&Bound<'_, PyAny>>,
    velocity_b: Option<&Bound<'_, PyAny>>,
    angular_velocity_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    separation: f64,
    max_queries: u32,
) -> PyResult<Impact> {
    let shapes = [bodies(a, "a")?, bodies(b, "b")?];
    let poses = [poses(pose_a, "pose_a")?, poses(pose_b, "pose_b")?];
    let velocities = [vectors_or_zero(velocity_a, "velocity_a")?, vectors_or_zero(velocity_b, "velocity_b")?];
    let angular = [
        vectors_or_zero(angular_velocity_a, "angular_velocity_a")?,
        vectors_or_zero(angular_velocity_b, "angular_velocity_b")?,
    ];
    let horizons = Numbers::read(horizon, "horizon", &[])?;
    let (dims, spreads) = broadcast([
        ("a", &shapes[0].batch.dims),
        ("b", &shapes[1].batch.dims),
        ("pose_a", &poses[0].dims),
        ("pose_b", &poses[1].dims),
        ("velocity_a", &velocities[0].dims),
        ("velocity_b", &velocities[1].dims),
        ("angular_velocity_a", &angular[0].dims),
        ("angular_velocity_b", &angular[1].dims),
        ("horizon", &horizons.dims),
    ])?;
    let ends = horizons.values();
    let rows = answer_all(py, &dims, Impact::WIDTH, BLOCK, |range, rows| {
        for (place, row) in range.zip(rows.chunks_exact_mut(Impact::WIDTH)) {
            let at = |which: usize| spreads[which].index(place);
            let motion = |side: usize| Motion {
                pose: poses[side].items[at(2 + side)],
                velocity: velocities[side].items[at(4 + side)],
                angular_velocity: angular[side].items[at(6 + side)],
            };
            let options = ToiOptions { tolerance, separation, max_queries, ..ToiOptions::within(ends[at(8)]) };
            let (a, b) = (&shapes[0].batch.items[at(0)], &shapes[1].batch.items[at(1)]);
            let found = superegg_world::motion::time_of_impact(a, &motion(0), b, &motion(1), &options);
            write_impact(&mut Writer::new(row), &found.map_err(|error| (place, error.into()))?);
        }
        Ok(())
    })?;
    Impact::new(py, rows, dims)
}
