//! The moments at which a moving pair comes into contact, by conservative advancement: on certified bounds where the library
//! has them, else as certain as the distances (`superegg_schemes::time_of_impact_of_forms`).
//!
//! Between two keys a body moves evenly and turns evenly about a fixed axis, so that the time between the keys of both
//! bodies is a `Motion` of each, exactly. After a contact the search goes on from the next instant at which the bodies are
//! found apart again; contacts closer together than [`STEPS`] parts of the motion may be told as one.

use superegg::query::Options;
use superegg::{DVec3, Pose};
use superegg_world::geometry::distance;
use superegg_world::motion::{self, Motion, ToiOptions};

use super::messages::Impact;
use super::world::World;
use crate::session::Clock;
use crate::wire::Refusal;

/// Most moments that are told.
const MOST: usize = 12;
/// Moments are looked for no longer than this, in seconds of work.
const BUDGET: f64 = 2.0;
/// Parts of the motion at whose ends the bodies are looked at, to see whether they are apart again.
const STEPS: usize = 200;

/// The search for all of them, in order, as far as they are found in time.
pub(super) struct Search {
    indices: [usize; 2],
    found: Vec<Impact>,
    place: Place,
    /// Seconds of work so far.
    spent: f64,
    /// Seconds of work and queries of the moment that is being looked for.
    own: f64,
    queries: u32,
}

/// Where a search stands.
#[derive(Clone, Copy)]
enum Place {
    /// The bodies are apart at this time: when do they meet?
    Apart(f64),
    /// They met at `since`: are they apart at this part of the motion?
    Met {
        since: f64,
        part: usize,
    },
    Over,
}

impl Search {
    pub fn new(indices: [usize; 2]) -> Search {
        Search { indices, found: vec![], place: Place::Apart(0.0), spent: 0.0, own: 0.0, queries: 0 }
    }

    pub fn found(&self) -> &[Impact] {
        &self.found
    }

    /// One query, or one motion between two keys; false when the search is over. Refused where the library has no time of
    /// impact for the pair.
    pub fn step(&mut self, world: &World, clock: &dyn Clock) -> Result<bool, Refusal> {
        if self.found.len() >= MOST || self.spent > BUDGET {
            return Ok(false);
        }
        let start = clock.now();
        let next = match self.place {
            Place::Apart(from) => self.advance(world, from, clock, start)?,
            Place::Met { since, part } => self.part(world, since, part)?,
            Place::Over => return Ok(false),
        };
        self.place = next;
        let elapsed = clock.now() - start;
        self.spent += elapsed;
        self.own += elapsed;
        Ok(true)
    }

    /// The end of the motion, or the next key of either body before it.
    fn turning_point(&self, world: &World, from: f64) -> f64 {
        let end = world.scene().duration;
        let keys = self.indices.iter().flat_map(|&index| world.scene().bodies[index].keys.iter());
        keys.map(|key| key.time).filter(|time| *time > from).fold(end, f64::min)
    }

    /// Between a time at which the bodies are apart and the next key.
    fn advance(&mut self, world: &World, from: f64, clock: &dyn Clock, start: f64) -> Result<Place, Refusal> {
        let [a, b] = self.indices.map(|index| &world.placed()[index].form);
        let stop = self.turning_point(world, from);
        if stop <= from {
            return Ok(Place::Over);
        }
        let [motion_a, motion_b] = self.indices.map(|index| motion_of(world, index, from, stop));
        let found = motion::time_of_impact(a, &motion_a, b, &motion_b, &ToiOptions::within(stop - from))?;
        self.queries += found.queries;
        let (after, contact) = match found.impact {
            motion::Impact::None => return Ok(Place::Apart(stop)),
            motion::Impact::At(after, contact) => (after, contact),
            motion::Impact::Already(contact) => (0.0, contact),
            // Nothing is claimed that was not decided.
            motion::Impact::Undecided(_) => return Ok(Place::Over),
        };
        let outcome = contact.outcome;
        let point: DVec3 = 0.5 * (outcome.point_a + outcome.point_b);
        let time = from + after;
        self.found.push(Impact {
            time,
            point: point.to_array(),
            normal: outcome.normal.to_array(),
            queries: self.queries,
            nanoseconds: (self.own + clock.now() - start) * 1e9,
        });
        let step = world.scene().duration / STEPS as f64;
        Ok(Place::Met { since: time, part: (time / step).floor() as usize + 1 })
    }

    /// One instant after a contact.
    fn part(&mut self, world: &World, since: f64, part: usize) -> Result<Place, Refusal> {
        if part > STEPS {
            return Ok(Place::Over);
        }
        let [a, b] = self.indices.map(|index| &world.placed()[index].form);
        let end = world.scene().duration;
        let at = (part as f64 * end / STEPS as f64).min(end);
        let [pose_a, pose_b]: [Pose; 2] = self.indices.map(|index| world.pose_at(index, at));
        let outcome = distance(a, &pose_a, b, &pose_b, &Options::DEFAULT)?.contact.outcome;
        // A hair more than what counts as touching.
        let size = a.reach().min(b.reach());
        if outcome.distance > 1e-4 * size && at > since {
            (self.own, self.queries) = (0.0, 0);
            return Ok(Place::Apart(at));
        }
        Ok(Place::Met { since, part: part + 1 })
    }
}

fn motion_of(world: &World, index: usize, from: f64, to: f64) -> Motion {
    let (start, end) = (world.pose_at(index, from), world.pose_at(index, to));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::limits::Limits;
    use crate::record::Counting;
    use crate::wire::read;

    fn moments(world: &World, indices: [usize; 2]) -> Result<Vec<Impact>, Refusal> {
        let mut search = Search::new(indices);
        while search.step(world, &Counting::default())? {}
        Ok(search.found)
    }

    fn world(bodies: &str, duration: f64) -> World {
        let text = format!(
            r#"{{"set_scene":{{"scene":{{"name":"","bodies":[{bodies}],"solver":{{"method":"default","tolerance":1e-9}},"duration":{duration}}}}}}}"#
        );
        let mut world = World::empty();
        world.apply(read(&text).unwrap(), 1, &Files::default(), &Limits::default()).unwrap();
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
        let found = moments(&world(&format!("{BALL},{moving}"), 20.0), [0, 1]).unwrap();
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
        let found = moments(&world, [0, 1]).unwrap();
        assert_eq!(found.len(), 1);
        let forms = [0, 1].map(|index| &world.placed()[index].form);
        let apart = |time: f64| {
            let poses = [0, 1].map(|index| world.pose_at(index, time));
            distance(forms[0], &poses[0], forms[1], &poses[1], &Options::DEFAULT).unwrap().contact.outcome.distance
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
        let found = moments(&world(&format!("{BALL},{ring}"), 3.0), [0, 1]).unwrap();
        // Centre line of radius 1 and tube of radius 0.2 around a ball of radius 1: z² + 1 = 1.2².
        let exact = 3.0 - 0.44f64.sqrt();
        assert_eq!(found.len(), 1);
        assert!(found[0].time <= exact + 1e-6 && found[0].time > exact - 1e-4, "{} {exact}", found[0].time);
    }

    #[test]
    fn bodies_that_never_meet_or_cannot_be_asked_are_told_apart() {
        let far = r#"{"id":2,"name":"p","type":"point","position":[9,0,0]}"#;
        assert_eq!(moments(&world(&format!("{BALL},{far}"), 2.0), [0, 1]).unwrap(), []);
        // A plane that turns sweeps all of space.
        let key = |time: f64, w: f64| format!(r#"{{"time":{time},"position":[0,0,-9],"orientation":[1,0,0,{w}]}}"#);
        let plane = format!(
            r#"{{"id":2,"name":"p","type":"plane","normal":[0,0,1],"offset":0,"keys":[{},{}]}}"#,
            key(0.0, 1.0),
            key(1.0, 2.0)
        );
        let refusal = moments(&world(&format!("{BALL},{plane}"), 2.0), [0, 1]).unwrap_err();
        assert!(refusal.message.contains("plane"), "{}", refusal.message);
    }
}
