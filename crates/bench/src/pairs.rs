//! The pairs of paper 003 (section 5.1) with the best answers known, and how a method's answers are scored by them.
//!
//! The best known distance of bodies apart is the least that any method found, since any two surface points bound it from
//! above; where the pair is convex it is certified. In overlap it is the shallowest depth found along whose normal a
//! translation by it really separates the bodies.

use superegg::query::{Options, Outcome, Status, distance};
use superegg::shape::{Shape, Superellipsoid};
use superegg_schemes::{Fallback, Guess, Method, SchemeOptions};
use superegg_world::geometry::Geometry;
use testkit::Pair;
use testkit::generate::{battery, seeded};

use crate::measure::Summary;

/// A pair and the best answer known.
pub(crate) struct Case {
    pub pair: Pair,
    pub bodies: [Geometry; 2],
    /// Best distance known.
    pub best: f64,
    /// Whether that is certified.
    pub certified: bool,
}

/// Whether an answer is proved to about the default tolerance: bodies before a hollow have wider bounds.
pub fn is_tight(outcome: &Outcome) -> bool {
    outcome.bounds.is_some_and(|bounds| bounds.upper - bounds.lower <= 1e-8)
}

/// Largest error of an answer that counts as the right minimum, in units of the bodies' radii.
const SAME: f64 = 1e-5;

impl Case {
    fn new(pair: Pair) -> Case {
        let bodies = [Geometry::from(pair.a.clone()), Geometry::from(pair.b.clone())];
        let default = by_default(&pair);
        let mut case = Case { pair, bodies, best: default.distance, certified: is_tight(&default) };
        if case.certified && default.distance > 0.0 {
            return case;
        }
        // Other ways to a closer or shallower answer.
        for guess in [Guess::Quadtree { levels: 6 }, Guess::Support, Guess::Surface] {
            let options = SchemeOptions {
                guess: Some(guess),
                fallback: Fallback::RegulaFalsi,
                max_iterations: 60,
                ..SchemeOptions::DEFAULT
            };
            let found = case.solve(Method::QuadImplicit, &options).outcome;
            if found.status != Status::NotConverged && case.improves(&found) {
                case.best = found.distance;
            }
        }
        case
    }

    /// Whether an answer is closer than the best known one and true.
    fn improves(&self, found: &Outcome) -> bool {
        if self.best > 0.0 {
            return found.distance > 0.0 && found.distance < self.best - 1e-9;
        }
        if found.distance >= 0.0 || found.distance <= self.best + 1e-9 {
            return false;
        }
        let mut moved = self.pair.clone();
        moved.pose_b.translation += found.normal * (SAME - found.distance);
        by_default(&moved).distance > -SAME
    }

    pub fn solve(&self, method: Method, options: &SchemeOptions) -> superegg_schemes::Answer {
        let [a, b] = &self.bodies;
        let Pair { pose_a, pose_b, .. } = &self.pair;
        superegg_schemes::distance(method, a, pose_a, b, pose_b, options).expect("valid input")
    }
}

fn by_default(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("valid input")
}

/// Pairs of the battery by whether they overlap.
pub(crate) struct Battery {
    pub apart: Vec<Case>,
    pub overlapping: Vec<Case>,
}

/// Draws `count` pairs of either kind; superellipsoids only where `taper` is off.
pub(crate) fn battery(seed: u64, count: usize, taper: bool) -> Battery {
    let mut rng = seeded(seed);
    let mut drawn = Battery { apart: Vec::with_capacity(count), overlapping: Vec::with_capacity(count) };
    while drawn.apart.len() < count || drawn.overlapping.len() < count {
        let mut pair = battery::superovoid_pair(&mut rng);
        if !taper {
            for shape in [&mut pair.a, &mut pair.b] {
                if let Shape::Superovoid(egg) = *shape {
                    *shape = Superellipsoid::new(egg.radii(), egg.exponents()).expect("within the domain").into();
                }
            }
        }
        let list = if by_default(&pair).distance > 0.0 { &mut drawn.apart } else { &mut drawn.overlapping };
        if list.len() < count {
            list.push(Case::new(pair));
        }
    }
    drawn
}

/// How a method's answers compare with the best known ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub count: usize,
    /// Said so themselves.
    pub failed: usize,
    /// Answers that are not the minimum.
    pub wrong: usize,
    /// Errors of the others.
    pub error: Summary,
    pub iterations: f64,
}

impl Score {
    pub fn of<'a>(cases: impl IntoIterator<Item = &'a Case>, outcomes: &[Outcome]) -> Score {
        Score::within(cases, outcomes, SAME)
    }

    /// With a tolerance of one's own for what counts as the right minimum.
    pub fn within<'a>(cases: impl IntoIterator<Item = &'a Case>, outcomes: &[Outcome], same: f64) -> Score {
        let mut score = Score { count: outcomes.len(), ..Score::default() };
        let mut errors = Vec::with_capacity(outcomes.len());
        for (case, outcome) in cases.into_iter().zip(outcomes) {
            let error = (outcome.distance - case.best).abs();
            if outcome.status == Status::NotConverged {
                score.failed += 1;
            } else if error > same {
                score.wrong += 1;
            } else {
                errors.push(error);
            }
            score.iterations += f64::from(outcome.iterations) / outcomes.len() as f64;
        }
        score.error = Summary::of(errors);
        score
    }

    /// Answers that are neither failed nor wrong.
    pub fn right(&self) -> usize {
        self.count - self.failed - self.wrong
    }
}
