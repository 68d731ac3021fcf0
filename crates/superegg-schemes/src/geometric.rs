//! The geometric iteration for the surface point nearest to a given point (paper 000, section 3), for superellipsoids and,
//! as its section 5.2 asks for, superovoids.
//!
//! A guess is a surface point p, the direction nμ from it to the point x, and the surface normal n there. Its error is
//! `‖p + d n − x‖` (equation 7). The first guess mirrors the surface normal at the radial point, or, where the normal turns by
//! more than a cosine of 0.97 on the way, averages radial direction and normal 80 to 20. Each further guess averages nμ and n
//! by a factor λ, which starts at 0.5, shrinks by 0.6 after a guess that is worse, and doubles up to 0.95 after one that is
//! better and close. After a worse guess the next one starts from the mean of the best and the last.
//!
//! The paper leaves open when two guesses are *close*: here, normals within the same cosine of 0.97 and points within the
//! distance to x. Inside the body nμ keeps pointing outwards and d is negative.
//!
//! The curvature-aware option adds to the distance of equation 10, which treats the surface as flat, what the surface
//! recedes by: `κ l²/2` over a tangential step l with normal curvature κ.

use superegg::query::Status;
use superegg::{DVec3, InvalidInput};

use crate::trace::{LambdaGuess, Recorder};
use superegg_world::superquadric::{Kind, Superquadric};

use crate::SchemeOptions;

/// What the iteration found, in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricAnswer {
    /// Best surface point.
    pub point: DVec3,
    /// Surface normal there.
    pub normal: DVec3,
    /// Signed distance: negative inside.
    pub distance: f64,
    /// Error of equation 7, in metres.
    pub error: f64,
    /// [`Status::NotConverged`] when the error stayed above the tolerance.
    pub status: Status,
    /// Guesses made.
    pub iterations: u32,
}

/// Cosine between normals that count as close.
const CLOSE: f64 = 0.97;

#[derive(Clone, Copy)]
struct GuessPoint {
    point: DVec3,
    /// Unit vector from the point to x, reversed inside.
    direction: DVec3,
    normal: DVec3,
    /// Signed.
    distance: f64,
    error: f64,
}

struct Search<'a> {
    egg: &'a Superquadric,
    x: DVec3,
    /// 1 outside, -1 inside.
    side: f64,
    curvature_aware: bool,
}

impl Search<'_> {
    /// The guess at the radial projection of a point.
    fn guess_at(&self, point: DVec3) -> Option<GuessPoint> {
        let point = self.egg.radial_point(point)?;
        let normal = self.egg.gradient(point).1.normalize_or_zero();
        let between = self.x - point;
        let length = between.length();
        let direction = if length > 1e-14 { between * (self.side / length) } else { normal };
        let distance = self.side * length;
        let error = (point + normal * distance - self.x).length();
        Some(GuessPoint { point, direction, normal, distance, error }).filter(|guess| guess.error.is_finite())
    }

    /// Equation 10: the distance along the surface normal to the tangent plane, and beyond it to the curved surface.
    fn adjusted(&self, guess: &GuessPoint) -> f64 {
        let flat = guess.distance * guess.direction.dot(guess.normal);
        if !self.curvature_aware {
            return flat;
        }
        let along = self.x - guess.point;
        let aside = along - guess.normal * along.dot(guess.normal);
        let at = self.egg.derivatives(guess.point);
        let recedes = 0.5 * aside.dot(at.hessian * aside) / at.gradient.length();
        // No farther than the current surface point, which is the farthest a nearest point can be.
        if recedes.is_finite() { flat + recedes.min((guess.distance - flat).abs()) } else { flat }
    }

    /// Where a direction leads to from the present guess, off the surface.
    fn foot(&self, direction: DVec3, from: &GuessPoint) -> DVec3 {
        self.x - direction * self.adjusted(from)
    }

    /// The guess that a direction leads to from the present one.
    fn along(&self, direction: DVec3, from: &GuessPoint) -> Option<GuessPoint> {
        self.guess_at(self.foot(direction, from))
    }

    /// A guess as a trace keeps it, in the body's frame.
    fn told(&self, guess: &GuessPoint, foot: DVec3, factor: Option<f64>, better: bool) -> LambdaGuess {
        let GuessPoint { point, direction, normal, distance, error } = *guess;
        LambdaGuess { body: 0, target: self.x, foot, point, direction, normal, factor, distance, error, better }
    }
}

/// The surface point of a superellipsoid or superovoid nearest to `x`, in the body's frame. The tolerance is a part of the
/// body's largest radius.
///
/// ```
/// use superegg::DVec3;
/// use superegg::shape::Superellipsoid;
/// use superegg_schemes::{SchemeOptions, geometric};
/// use superegg_world::superquadric::Superquadric;
/// let egg = Superellipsoid::new([1.0, 1.0, 1.0], [0.65, 0.65])?;
/// let surface = Superquadric::from_shape(&egg.into()).expect("a superquadric");
/// let options = SchemeOptions { tolerance: 1e-3, ..SchemeOptions::DEFAULT };
/// let answer = geometric(&surface, DVec3::new(1.0, 0.6, 0.5), &options)?;
/// assert!(answer.error < 1e-3 && answer.distance > 0.0);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
pub fn geometric(egg: &Superquadric, x: DVec3, options: &SchemeOptions) -> Result<GeometricAnswer, InvalidInput> {
    recorded(egg, x, options, &mut Recorder::new(false))
}

/// The same, with every guess told to a recorder, in the body's frame.
pub(crate) fn recorded(
    egg: &Superquadric,
    x: DVec3,
    options: &SchemeOptions,
    recorder: &mut Recorder,
) -> Result<GeometricAnswer, InvalidInput> {
    let refuse = |field, value, allowed| Err(InvalidInput { field, value, allowed });
    if egg.kind() != Kind::Egg {
        return refuse("a", f64::NAN, "superellipsoids and superovoids");
    }
    if !x.is_finite() {
        let worst = x.to_array().into_iter().find(|value| !value.is_finite()).unwrap_or(f64::NAN);
        return refuse("point", worst, "finite numbers");
    }
    let tolerance = options.tolerance * egg.largest_extent();
    let side = if egg.value(x) < 0.0 { -1.0 } else { 1.0 };
    let search = Search { egg, x, side, curvature_aware: options.curvature_aware };
    let Some(radial) = search.guess_at(if x.length_squared() > 0.0 { x } else { DVec3::Z }) else {
        return Ok(failed(x));
    };
    recorder.guess(|| search.told(&radial, x, None, true));
    let mut best = first(&search, &radial, recorder);
    let mut last_worse: Option<GuessPoint> = None;
    let mut factor = 0.5;
    let mut iterations = 1;
    while best.error > tolerance && iterations < options.max_iterations {
        iterations += 1;
        let (direction, normal) = match &last_worse {
            None => (best.direction, best.normal),
            Some(last) => (
                (best.direction + last.direction).normalize_or(best.direction),
                (best.normal + last.normal).normalize_or(best.normal),
            ),
        };
        let weighted = (direction * (1.0 - factor) + normal * factor).normalize_or(normal);
        let Some(next) = search.along(weighted, &best) else { break };
        recorder.guess(|| search.told(&next, search.foot(weighted, &best), Some(factor), next.error <= best.error));
        if next.error <= best.error {
            let close = next.normal.dot(best.normal) > CLOSE
                && next.point.distance(best.point) <= best.distance.abs().max(tolerance);
            if last_worse.is_none() && close {
                factor = f64::min(2.0 * factor, 0.95);
            }
            best = next;
            last_worse = None;
        } else {
            last_worse = Some(next);
            factor *= 0.6;
        }
    }
    let status = if best.error > tolerance {
        Status::NotConverged
    } else if best.distance.abs() <= tolerance {
        Status::Touching
    } else if best.distance > 0.0 {
        Status::Separated
    } else {
        Status::Penetrating
    };
    let GuessPoint { point, normal, distance, error, .. } = best;
    Ok(GeometricAnswer { point, normal, distance, error, status, iterations })
}

/// The first guess (section 3.4).
fn first(search: &Search, radial: &GuessPoint, recorder: &mut Recorder) -> GuessPoint {
    let mut told = |guess: &GuessPoint, direction: DVec3, factor: f64, taken: bool| {
        recorder.guess(|| search.told(guess, search.foot(direction, radial), Some(factor), taken));
    };
    if let Some(mirrored) = search.along(radial.normal, radial) {
        let close = mirrored.normal.dot(radial.normal) > CLOSE;
        told(&mirrored, radial.normal, 1.0, close);
        if close {
            return mirrored;
        }
    }
    let weighted = (radial.direction * 0.8 + radial.normal * 0.2).normalize_or(radial.direction);
    let Some(averaged) = search.along(weighted, radial) else { return *radial };
    told(&averaged, weighted, 0.2, true);
    averaged
}

fn failed(x: DVec3) -> GeometricAnswer {
    GeometricAnswer {
        point: DVec3::ZERO,
        normal: DVec3::Z,
        distance: x.length(),
        error: f64::INFINITY,
        status: Status::NotConverged,
        iterations: 1,
    }
}

/// The nearest point as a guess for another scheme: a few iterations at the paper's tolerance of a thousandth.
pub(crate) fn nearest_on_egg(egg: &Superquadric, x: DVec3) -> DVec3 {
    let options = SchemeOptions { tolerance: 1e-3, max_iterations: 10, ..SchemeOptions::DEFAULT };
    geometric(egg, x, &options).map_or(x, |answer| answer.point)
}
