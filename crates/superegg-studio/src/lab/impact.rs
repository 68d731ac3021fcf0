//! The moments at which a moving pair comes into contact, by conservative advancement: on certified bounds where the library
//! has them, else as certain as the distances (`superegg_schemes::time_of_impact_of_forms`).
//!
//! Between two keys a body moves evenly and turns evenly about a fixed axis, so that the time between the keys of both
//! bodies is a `Motion` of each, exactly. After a contact the search goes on from the next instant at which the bodies are
//! found apart again; contacts closer together than [`STEPS`] parts of the motion may be told as one.

use std::time::{Duration, Instant};

use superegg::query::Options;
use superegg::{DVec3, Pose};
use superegg_schemes::{Form, distance_of_forms, time_of_impact_of_forms};
use superegg_world::WorldError;
use superegg_world::motion::{self, Motion, ToiOptions};

use crate::protocol::{ErrorKind, Impact, Refusal};
use crate::world::World;

/// Most moments that are told.
const MOST: usize = 12;
/// Moments are looked for no longer than this.
const BUDGET: Duration = Duration::from_secs(2);
/// Parts of the motion at whose ends the bodies are looked at, to see whether they are apart again.
const STEPS: usize = 200;

/// All of them, in order, as far as they are found in time and before they are stale; refused where the library has no
/// time of impact for the pair.
pub(super) fn moments(world: &World, [a, b]: [usize; 2], is_stale: &dyn Fn() -> bool) -> Result<Vec<Impact>, Refusal> {
    let forms = [a, b].map(|index| &world.placed()[index].form);
    let pair = Pair { world, indices: [a, b], forms, clock: Instant::now(), is_stale };
    let end = world.scene().duration;
    let mut found = vec![];
    let mut from = 0.0;
    while found.len() < MOST && pair.has_time() {
        let Some(impact) = pair.first_after(from, end)? else { break };
        found.push(impact);
        let Some(apart) = pair.apart_after(impact.time, end)? else { break };
        from = apart;
    }
    Ok(found)
}

struct Pair<'a> {
    world: &'a World,
    indices: [usize; 2],
    forms: [&'a Form; 2],
    /// Since when the moments are looked for.
    clock: Instant,
    /// Nobody waits for them any longer.
    is_stale: &'a dyn Fn() -> bool,
}

impl Pair<'_> {
    fn has_time(&self) -> bool {
        self.clock.elapsed() < BUDGET && !(self.is_stale)()
    }

    /// Times of keys after which a body may move otherwise, the end included.
    fn turning_points(&self, from: f64, end: f64) -> Vec<f64> {
        let keys = self.indices.iter().flat_map(|&index| self.world.scene().bodies[index].keys.iter());
        let mut times: Vec<f64> = keys.map(|key| key.time).filter(|time| *time > from && *time < end).collect();
        times.push(end);
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    fn motion(&self, index: usize, from: f64, to: f64) -> Motion {
        let (start, end) = (self.world.pose_at(index, from), self.world.pose_at(index, to));
        let turn = end.rotation * start.rotation.inverse();
        // The shorter way round.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let span = to - from;
        Motion {
            pose: start,
            velocity: (end.translation - start.translation) / span,
            angular_velocity: turn.to_scaled_axis() / span,
        }
    }

    /// The first contact after a time at which the bodies are apart; none when they stay apart.
    fn first_after(&self, from: f64, end: f64) -> Result<Option<Impact>, Refusal> {
        let [a, b] = self.forms;
        let clock = Instant::now();
        let (mut queries, mut start) = (0, from);
        for stop in self.turning_points(from, end) {
            let [motion_a, motion_b] = self.indices.map(|index| self.motion(index, start, stop));
            let found = time_of_impact_of_forms(a, &motion_a, b, &motion_b, &ToiOptions::within(stop - start))?;
            queries += found.queries;
            let (after, contact) = match found.impact {
                motion::Impact::None => {
                    start = stop;
                    continue;
                }
                motion::Impact::At(after, contact) => (after, contact),
                motion::Impact::Already(contact) => (0.0, contact),
                // Nothing is claimed that was not decided.
                motion::Impact::Undecided(_) => return Ok(None),
            };
            let outcome = contact.outcome;
            let point: DVec3 = 0.5 * (outcome.point_a + outcome.point_b);
            return Ok(Some(Impact {
                time: start + after,
                point: point.to_array(),
                normal: outcome.normal.to_array(),
                queries,
                nanoseconds: clock.elapsed().as_secs_f64() * 1e9,
            }));
        }
        Ok(None)
    }

    /// The next instant at which the bodies are found apart.
    fn apart_after(&self, time: f64, end: f64) -> Result<Option<f64>, Refusal> {
        let [a, b] = self.forms;
        let step = end / STEPS as f64;
        let first = (time / step).floor() as usize + 1;
        for k in (first..=STEPS).take_while(|_| self.has_time()) {
            let at = (k as f64 * step).min(end);
            let [pose_a, pose_b]: [Pose; 2] = self.indices.map(|index| self.world.pose_at(index, at));
            let outcome = distance_of_forms(a, &pose_a, b, &pose_b, &Options::DEFAULT)?.outcome;
            // A hair more than what counts as touching.
            let size = a.reach().min(b.reach());
            if outcome.distance > 1e-4 * size && at > time {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Refusal {
        let kind = match error {
            WorldError::Unsupported { .. } | WorldError::Query(_) => ErrorKind::Unsupported,
            _ => ErrorKind::InvalidInput,
        };
        Refusal::whole(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::protocol::{ClientMessage, read};

    fn world(bodies: &str, duration: f64) -> World {
        let text = format!(
            r#"{{"set_scene":{{"revision":1,"scene":{{"name":"","bodies":[{bodies}],"solver":{{"method":"default","tolerance":1e-9}},"duration":{duration}}}}}}}"#
        );
        let mut world = World::empty();
        assert!(world.apply(&read::<ClientMessage>(&text).unwrap(), &Limits::default()).unwrap());
        world
    }

    const BALL: &str = r#"{"id":1,"name":"a","type":"superellipsoid","radii":[1,1,1],"exponents":[1,1]}"#;

    #[test]
    fn a_ball_that_passes_twice_touches_twice_and_when_it_should() {
        // To and fro through a ball: at unit speed from x = 4, contact at x = 2 each time.
        let key = |time: f64, x: f64| format!(r#"{{"time":{time},"position":[{x},0,0],"orientation":[0,0,0,1]}}"#);
        let keys = [key(0.0, 4.0), key(8.0, -4.0), key(12.0, -4.0), key(20.0, 4.0)].join(",");
        let moving = format!(
            r#"{{"id":2,"name":"b","type":"superellipsoid","radii":[1,1,1],"exponents":[1,1],"keys":[{keys}]}}"#
        );
        let found = moments(&world(&format!("{BALL},{moving}"), 20.0), [0, 1], &|| false).unwrap();
        let times: Vec<f64> = found.iter().map(|impact| impact.time).collect();
        assert_eq!(times.len(), 2, "{times:?}");
        for (time, exact) in times.iter().zip([2.0, 14.0]) {
            // Never late, and early by the tolerance of 1e-6 of the sizes at most.
            assert!(*time <= exact + 1e-9 && *time > exact - 1e-5, "{time} {exact}");
        }
        assert!((found[0].point[0] - 1.0).abs() < 1e-5 && (found[0].normal[0] - 1.0).abs() < 1e-6);
        assert!((found[1].point[0] + 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_turning_bar_hits_where_dense_sampling_says() {
        // A bar turns a quarter about z and sweeps a point.
        let bar = r#"{"id":1,"name":"bar","type":"superellipsoid","radii":[2,0.1,0.1],"exponents":[0.3,0.3],"keys":[
            {"time":1,"position":[0,0,0],"orientation":[0,0,0,1]},
            {"time":3,"position":[0.2,0,0],"orientation":[0,0,0.7071067811865476,0.7071067811865476]}]}"#;
        let point = r#"{"id":2,"name":"p","type":"point","position":[1,1,0]}"#;
        let world = world(&format!("{bar},{point}"), 4.0);
        let found = moments(&world, [0, 1], &|| false).unwrap();
        assert_eq!(found.len(), 1);
        let forms = [0, 1].map(|index| &world.placed()[index].form);
        let apart = |time: f64| {
            let poses = [0, 1].map(|index| world.pose_at(index, time));
            distance_of_forms(forms[0], &poses[0], forms[1], &poses[1], &Options::DEFAULT).unwrap().outcome.distance
        };
        let sampled = (0..=40_000).map(|k| 1e-4 * f64::from(k)).find(|time| apart(*time) <= 0.0).unwrap();
        assert!((found[0].time - sampled).abs() < 2e-4, "{} {sampled}", found[0].time);
        assert!(apart(found[0].time).abs() < 1e-5);
    }

    #[test]
    fn a_ring_that_falls_over_a_ball_meets_it_when_it_should() {
        // Its inner radius is 0.8: it comes down to where the ball is as wide at the height of the ring's nearest circle.
        let key = |time: f64, z: f64| format!(r#"{{"time":{time},"position":[0,0,{z}],"orientation":[0,0,0,1]}}"#);
        let keys = [key(0.0, 3.0), key(3.0, 0.0)].join(",");
        let ring = format!(
            r#"{{"id":2,"name":"r","type":"supertoroid","radii":[0.2,0.2,0.2],"exponents":[1,1],"hole":5,"keys":[{keys}]}}"#
        );
        let found = moments(&world(&format!("{BALL},{ring}"), 3.0), [0, 1], &|| false).unwrap();
        // Centre line of radius 1 and tube of radius 0.2 around a ball of radius 1: z² + 1 = 1.2².
        let exact = 3.0 - 0.44f64.sqrt();
        assert_eq!(found.len(), 1);
        assert!(found[0].time <= exact + 1e-6 && found[0].time > exact - 1e-4, "{} {exact}", found[0].time);
    }

    #[test]
    fn bodies_that_never_meet_or_cannot_be_asked_are_told_apart() {
        let far = r#"{"id":2,"name":"p","type":"point","position":[9,0,0]}"#;
        assert_eq!(moments(&world(&format!("{BALL},{far}"), 2.0), [0, 1], &|| false).unwrap(), []);
        // A plane that turns sweeps all of space.
        let key = |time: f64, w: f64| format!(r#"{{"time":{time},"position":[0,0,-9],"orientation":[1,0,0,{w}]}}"#);
        let plane = format!(
            r#"{{"id":2,"name":"p","type":"plane","normal":[0,0,1],"offset":0,"keys":[{},{}]}}"#,
            key(0.0, 1.0),
            key(1.0, 2.0)
        );
        let refusal = moments(&world(&format!("{BALL},{plane}"), 2.0), [0, 1], &|| false).unwrap_err();
        assert!(refusal.message.contains("plane"), "{}", refusal.message);
    }
}
