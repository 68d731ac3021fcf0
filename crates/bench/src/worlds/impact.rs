//! Times of impact of random motions: never late, nothing touched before, and what they cost.

use cpu_time::ThreadTime;
use glam::DVec3;
use rand::RngExt;
use rayon::prelude::*;
use superegg::Pose;
use superegg::query::intersect;
use superegg::shape::Shape;
use superegg_world::WorldError;
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact_of_shapes};
use testkit::generate::{Domain, Rng, convex_superovoid, direction, polytope, rotation, seeded, superovoid};

use crate::Table;

/// Who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// Convex superovoids, exponents 0.1 to 1.9, aspect ratios to 10.
    Convex,
    /// A convex superovoid and a point, segment or triangle.
    Polytope,
    /// Superovoids of the papers' battery, nearly all a little hollow.
    Battery,
}

struct Case {
    shapes: [Shape; 2],
    motions: [Motion; 2],
}

fn case(rng: &mut Rng, bodies: Bodies) -> Case {
    let shapes: [Shape; 2] = match bodies {
        Bodies::Convex => [0; 2].map(|_| convex_superovoid(rng, &Domain::MODERATE).into()),
        Bodies::Polytope => [convex_superovoid(rng, &Domain::MODERATE).into(), polytope(rng, 0.5)],
        Bodies::Battery => [0; 2].map(|_| superovoid(rng, &Domain::PAPER).into()),
    };
    let size = shapes[0].reach() + shapes[1].reach();
    let turn = [0.0, 1.0, 6.0][rng.random_range(0..3)];
    let start = direction(rng) * size * rng.random_range(1.0..3.0);
    let miss = direction(rng) * size * rng.random_range(0.0..0.8);
    let speed = rng.random_range(0.5..3.0);
    let mut motion = |translation: DVec3, velocity: DVec3| Motion {
        pose: Pose { rotation: rotation(rng), translation },
        velocity,
        angular_velocity: direction(rng) * turn * rng.random_range(0.0..1.0),
    };
    let motions = [motion(DVec3::ZERO, DVec3::X), motion(start, DVec3::X + (miss - start) * speed)];
    Case { shapes, motions }
}

impl Case {
    fn overlap(&self, time: f64) -> bool {
        let [pose_a, pose_b] = [0, 1].map(|body| self.motions[body].at(time));
        intersect(&self.shapes[0], &pose_a, &self.shapes[1], &pose_b).unwrap_or(true)
    }

    /// The first overlap by sampling and bisection; it may be later than the truth, never earlier.
    fn truth(&self, samples: u32) -> Option<f64> {
        let at = |k: u32| f64::from(k) / f64::from(samples);
        let first = (0..=samples).find(|&k| self.overlap(at(k)))?;
        let (mut free, mut hit) = (at(first.saturating_sub(1)), at(first));
        for _ in 0..40 {
            let middle = 0.5 * (free + hit);
            if self.overlap(middle) { hit = middle } else { free = middle }
        }
        Some(hit)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    motions: u64,
    impacts: u64,
    late: u64,
    touched_before: u64,
    undecided: u64,
    queries: u64,
    most: u32,
    looks: u64,
    seconds: f64,
    early: f64,
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            motions: self.motions + other.motions,
            impacts: self.impacts + other.impacts,
            late: self.late + other.late,
            touched_before: self.touched_before + other.touched_before,
            undecided: self.undecided + other.undecided,
            queries: self.queries + other.queries,
            most: self.most.max(other.most),
            looks: self.looks + other.looks,
            seconds: self.seconds + other.seconds,
            early: self.early.max(other.early),
        }
    }
}

/// Checks of a motion: against the sampled truth, or by a few looks before the reported time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Truth,
    Spots,
}

fn measure(seed: u64, bodies: Bodies, check: Check) -> Result<Tally, WorldError> {
    let mut rng = seeded(seed);
    let case = case(&mut rng, bodies);
    let [a, b] = &case.shapes;
    let [motion_a, motion_b] = &case.motions;
    let start = ThreadTime::now();
    let found = time_of_impact_of_shapes(a, motion_a, b, motion_b, &ToiOptions::within(1.0))?;
    let seconds = start.elapsed().as_secs_f64();
    let until = found.impact.free_until().min(1.0);
    let mut tally = Tally {
        motions: 1,
        impacts: u64::from(matches!(found.impact, Impact::At(..) | Impact::Already(_))),
        undecided: u64::from(matches!(found.impact, Impact::Undecided(_))),
        queries: found.queries.into(),
        most: found.queries,
        looks: found.looks.into(),
        seconds,
        ..Tally::default()
    };
    match check {
        Check::Truth => {
            if let Some(truth) = case.truth(200) {
                tally.late = u64::from(until > truth);
                tally.early = truth - until;
            }
        }
        Check::Spots => {
            // Most of the looks just before the reported time, where an overlap would be.
            let spots = [0.3, 0.8, 0.99, 0.9999, 0.999_999].map(|part| part * until);
            tally.touched_before = u64::from(spots.iter().any(|&time| time > 0.0 && case.overlap(time)));
        }
    }
    Ok(tally)
}

/// Runs `truths` motions against the sampled truth and `spots` more against spot checks.
pub fn table(truths: u64, spots: u64) -> Result<Table, WorldError> {
    let mut table = Table::new(&[
        "bodies",
        "motions",
        "impacts",
        "late",
        "more motions",
        "touched before",
        "undecided",
        "queries: mean",
        "most",
        "looks: mean",
        "µs a motion",
    ]);
    for bodies in [Bodies::Convex, Bodies::Polytope, Bodies::Battery] {
        // The battery's queries cost ten times as much.
        let part = if bodies == Bodies::Convex { 1 } else { 10 };
        let run = |first: u64, count: u64, check: Check| {
            let seeds = (first..first + count / part).into_par_iter();
            seeds.map(|seed| measure(seed, bodies, check)).try_reduce(Tally::default, |a, b| Ok(a.plus(b)))
        };
        let checked = run(0, truths, Check::Truth)?;
        let more = run(1 << 32, spots, Check::Spots)?;
        let all = checked.plus(more);
        table.push([
            match bodies {
                Bodies::Convex => "convex superovoids".to_owned(),
                Bodies::Polytope => "convex superovoid and point, segment or triangle".to_owned(),
                Bodies::Battery => "superovoids of paper 003's battery, hardly any convex".to_owned(),
            },
            checked.motions.to_string(),
            checked.impacts.to_string(),
            checked.late.to_string(),
            more.motions.to_string(),
            more.touched_before.to_string(),
            all.undecided.to_string(),
            format!("{:.2}", all.queries as f64 / all.motions as f64),
            all.most.to_string(),
            format!("{:.1}", all.looks as f64 / all.motions as f64),
            format!("{:.1}", 1e6 * all.seconds / all.motions as f64),
        ]);
    }
    Ok(table)
}
