//! The methods by name, and the one function behind which all of them stand.

use superegg::query::{Options, Outcome, WarmStart};
use superegg::shape::Shape;
use superegg::{DVec3, Pose};
use superegg_world::geometry::{self, Geometry};
use superegg_world::superquadric::Kind;
use superegg_world::{WorldError, assembled};

use crate::common_normal::{self, Equations};
use crate::couple::{Couple, Points, Run};
use crate::geometric;
use crate::guess::{self, Guess};
use crate::optimise::{interior_point, sqp};
use crate::trace::Recorder;
use crate::verify::is_minimum;
use crate::{LambdaGuess, MeshPair, SchemeOptions, Trace};

/// A way to compute a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The library's own, certified.
    #[default]
    Default,
    /// Quadtree guess and the 6×6 implicit system (paper 003).
    QuadImplicit,
    /// Quadtree guess and the 4×4 parametric system (paper 003).
    QuadParametric,
    /// The same with implicit normals, tangents and bitangents (paper 003).
    NtbParametric,
    /// Octree guess and the 6×6 implicit system (papers 001 and 003).
    OctImplicit,
    /// The geometric iteration between a point and an egg (paper 000).
    Geometric,
    /// Interior-point optimisation (paper 004).
    InteriorPoint,
    /// Sequential quadratic programming (paper 004).
    Sqp,
    /// Least distance of two triangle meshes.
    Mesh,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 9] = [
        Method::Default,
        Method::QuadImplicit,
        Method::QuadParametric,
        Method::NtbParametric,
        Method::OctImplicit,
        Method::Geometric,
        Method::InteriorPoint,
        Method::Sqp,
        Method::Mesh,
    ];

    /// The name in queries.
    ///
    /// ```
    /// use superegg_schemes::Method;
    /// assert!(Method::ALL.into_iter().all(|method| Method::from_name(method.name()) == Some(method)));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Method::Default => "default",
            Method::QuadImplicit => "quad_implicit",
            Method::QuadParametric => "quad_parametric",
            Method::NtbParametric => "ntb_parametric",
            Method::OctImplicit => "oct_implicit",
            Method::Geometric => "geometric",
            Method::InteriorPoint => "interior_point",
            Method::Sqp => "sqp",
            Method::Mesh => "mesh",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The settings a method is meant for: the library's, or its paper's.
    pub fn options(self) -> SchemeOptions {
        let plain = SchemeOptions::DEFAULT;
        match self {
            Method::Default => SchemeOptions {
                tolerance: Options::DEFAULT.tolerance,
                max_iterations: Options::DEFAULT.max_iterations,
                ..plain
            },
            Method::Geometric => SchemeOptions { tolerance: 1e-3, ..plain },
            Method::InteriorPoint | Method::Sqp => SchemeOptions { max_iterations: 200, ..plain },
            _ => plain,
        }
    }

    /// The guess a method starts from.
    pub fn guess(self) -> Guess {
        match self {
            Method::OctImplicit => Guess::Octree { levels: 3 },
            Method::InteriorPoint | Method::Sqp => Guess::Surface,
            _ => Guess::Quadtree { levels: 6 },
        }
    }

    /// What an unsupported query is called.
    fn operation(self) -> &'static str {
        match self {
            Method::Default => "distance",
            Method::QuadImplicit => "distance by quad_implicit",
            Method::QuadParametric => "distance by quad_parametric",
            Method::NtbParametric => "distance by ntb_parametric",
            Method::OctImplicit => "distance by oct_implicit",
            Method::Geometric => "distance by geometric",
            Method::InteriorPoint => "distance by interior_point",
            Method::Sqp => "distance by sqp",
            Method::Mesh => "distance by mesh",
        }
    }
}

/// What a scheme answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The library's outcome; [`iterations`](Outcome::iterations) are the scheme's own.
    pub outcome: Outcome,
    /// Evaluations of objective and constraints, for the optimisation schemes; otherwise the iterations.
    pub evaluations: u32,
    /// What the scheme did, where that was asked for.
    pub trace: Option<Trace>,
}

/// The pair of points a guess finds, each in its own body's frame; `None` for bodies without a surface and poses that are refused.
pub fn first_points(guess: Guess, a: &Geometry, pose_a: &Pose, b: &Geometry, pose_b: &Pose) -> Option<[DVec3; 2]> {
    let [pose_a, pose_b] =
        [Pose::new(pose_a.rotation, pose_a.translation).ok()?, Pose::new(pose_b.rotation, pose_b.translation).ok()?];
    let couple = Couple::new(a, &pose_a, b, &pose_b)?;
    let points = guess::points(&couple, guess, &mut Recorder::new(false));
    Some([points.a * couple.unit, points.b * couple.unit])
}

/// Signed distance, closest points and normal of two placed bodies, by a method of choice.
pub fn distance(
    method: Method,
    a: &Geometry,
    pose_a: &Pose,
    b: &Geometry,
    pose_b: &Pose,
    options: &SchemeOptions,
) -> Result<Answer, WorldError> {
    options.validate()?;
    if method == Method::Default {
        let plain = Options {
            tolerance: options.tolerance,
            max_iterations: options.max_iterations,
            warm_start: options.warm_start,
        };
        let outcome = geometry::distance(a, pose_a, b, pose_b, &plain)?.contact.outcome;
        return Ok(Answer { outcome, evaluations: outcome.iterations, trace: None });
    }
    let unsupported = || WorldError::Unsupported { operation: method.operation(), a: a.name(), b: b.name() };
    let pose_a = Pose::new(pose_a.rotation, pose_a.translation)?;
    let pose_b = Pose::new(pose_b.rotation, pose_b.translation)?;
    let mut recorder = Recorder::new(options.trace);
    let couple = || Couple::new(a, &pose_a, b, &pose_b).ok_or_else(unsupported);
    let (couple, (run, trusted)) = match method {
        Method::Default | Method::Geometric => {
            return point_and_egg(a, &pose_a, b, &pose_b, options).unwrap_or_else(|| Err(unsupported()));
        }
        Method::Mesh => {
            let pair = MeshPair::new(a, b, options.mesh_vertices).ok_or_else(unsupported)??;
            let outcome = pair.distance(&pose_a, &pose_b, options.tolerance)?;
            let trace =
                options.trace.then(|| Trace { facets: pair.facets(&pose_a, &pose_b, &outcome), ..Trace::default() });
            return Ok(Answer { outcome, evaluations: outcome.iterations, trace });
        }
        Method::QuadImplicit | Method::OctImplicit => {
            let couple = couple()?;
            let run = common_normal::solve(&couple, Equations::Implicit, method.guess(), options, &mut recorder);
            (couple, run)
        }
        Method::QuadParametric => {
            let couple = couple()?;
            let run = common_normal::solve(&couple, Equations::Parametric, method.guess(), options, &mut recorder);
            (couple, run)
        }
        Method::NtbParametric => {
            let (couple, equations) = (couple()?, Equations::NormalTangentBitangent);
            let run = common_normal::solve(&couple, equations, method.guess(), options, &mut recorder);
            (couple, run)
        }
        Method::InteriorPoint | Method::Sqp => {
            let couple = couple()?;
            let run = optimised(&couple, method, options, &mut recorder);
            (couple, run)
        }
    };
    let outcome = couple.outcome(&run, trusted, options.tolerance);
    Ok(Answer { outcome, evaluations: run.evaluations, trace: recorder.0 })
}

/// An optimisation scheme, from the last answer or its guess.
fn optimised(couple: &Couple, method: Method, options: &SchemeOptions, recorder: &mut Recorder) -> (Run, bool) {
    let minimise = if method == Method::Sqp { sqp } else { interior_point };
    let start: Points = match &options.warm_start {
        Some(warm) => couple.warm(warm),
        None => guess::points(couple, options.guess.unwrap_or(method.guess()), recorder),
    };
    let run = minimise(couple, options.constraints, start, options, recorder);
    let trusted = run.settled && is_minimum(couple, &run.points, options.tolerance);
    (run, trusted)
}

/// The geometric iteration where one body is a point and the other an egg; `None` otherwise.
fn point_and_egg(
    a: &Geometry,
    pose_a: &Pose,
    b: &Geometry,
    pose_b: &Pose,
    options: &SchemeOptions,
) -> Option<Result<Answer, WorldError>> {
    let point_of = |body: &Geometry, pose: &Pose| match body {
        Geometry::Shape(Shape::Point(point)) => Some(pose.transform_point(point.points()[0])),
        _ => None,
    };
    let egg_of = |body: &Geometry| body.superquadric().filter(|surface| surface.kind() == Kind::Egg);
    let (egg, pose, other_pose, point, swapped) = match (egg_of(a), point_of(b, pose_b)) {
        (Some(egg), Some(point)) => (egg, pose_a, pose_b, point, false),
        _ => (egg_of(b)?, pose_b, pose_a, point_of(a, pose_a)?, true),
    };
    let mut recorder = Recorder::new(options.trace);
    let found = match geometric::recorded(&egg, pose.inverse_transform_point(point), options, &mut recorder) {
        Ok(found) => found,
        Err(refused) => return Some(Err(refused.into())),
    };
    let placed = |guess: LambdaGuess| LambdaGuess {
        body: usize::from(swapped),
        target: point,
        foot: pose.transform_point(guess.foot),
        point: pose.transform_point(guess.point),
        direction: pose.transform_vector(guess.direction),
        normal: pose.transform_vector(guess.normal),
        ..guess
    };
    let trace =
        recorder.0.map(|trace| Trace { guesses: trace.guesses.into_iter().map(placed).collect(), ..Trace::default() });
    let on_egg = pose.transform_point(found.point);
    let along = pose.transform_vector(found.normal);
    let (point_a, point_b, normal) = if swapped { (point, on_egg, -along) } else { (on_egg, point, along) };
    let warm_egg = (found.point, found.normal);
    let warm_point = (other_pose.inverse_transform_point(point), other_pose.inverse_transform_vector(-along));
    let (warm_a, warm_b) = if swapped { (warm_point, warm_egg) } else { (warm_egg, warm_point) };
    let warm_start = WarmStart { point_a: warm_a.0, normal_a: warm_a.1, point_b: warm_b.0, normal_b: warm_b.1 };
    let points = [point_a, point_b];
    let outcome = assembled(found.distance, points, normal, found.status, found.iterations, None, warm_start);
    Some(Ok(Answer { outcome, evaluations: found.iterations, trace }))
}
