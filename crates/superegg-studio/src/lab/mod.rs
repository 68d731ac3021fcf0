//! What is computed from a world, on a thread of its own: the newest state of its bodies and pairs, and the answers to
//! the requests that take longer than a look-up.

mod impact;
mod mesh;
mod parse;
mod plot;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use superegg::DVec3;
use superegg::shape::Shape;
use superegg_schemes::{Body as Surface, Form};

use crate::form;
use crate::limits::Limits;
use crate::method::{self, Method, Solution};
use crate::protocol::frame::{self, FrameKind};
use crate::protocol::{Answer, BodyFacts, Contact, Contacts, ErrorKind, Refusal, ServerMessage, Solver, Trace, Vector};
use crate::world::{Placed, World};

pub(crate) use parse::parse;

/// The newest state of a world, ready to be sent.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The geometry of bodies whose shape is new to the client, by id.
    pub meshes: BTreeMap<u32, Vec<u8>>,
    pub contacts: Option<Contacts>,
}

/// What a client asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Request {
    Trace { request: u32, pair: [u32; 2] },
    Plot { request: u32, pair: [u32; 2], samples: usize },
    Previews { request: u32, id: u32, grid: usize },
}

/// An answer, ready to be sent.
#[derive(Debug)]
pub(crate) enum Reply {
    Text(ServerMessage),
    Frames(Vec<u8>),
}

/// What a client was told last, so that only what has changed since is computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    bodies: BTreeMap<u32, Placed>,
    solver: Solver,
    pairs: BTreeMap<(u32, u32), Contact>,
}

impl Known {
    fn has(&self, body: &Placed) -> bool {
        self.bodies.get(&body.id) == Some(body)
    }

    /// The contact of a pair that has not changed.
    fn contact(&self, a: &Placed, b: &Placed, solver: &Solver) -> Option<Contact> {
        let same = *solver == self.solver && self.has(a) && self.has(b);
        self.pairs.get(&(a.id, b.id)).filter(|_| same).cloned()
    }
}

/// Computes the contacts of all pairs that are new or have changed, and the meshes of new forms; what is known afterwards
/// replaces what was known before.
pub(crate) fn state(world: &World, known: &mut Known, limits: &Limits) -> State {
    let placed = world.placed();
    let mut meshes = BTreeMap::new();
    for body in placed {
        if known.bodies.get(&body.id).is_none_or(|old| old.form != body.form) {
            let mut bytes = vec![];
            let kind = FrameKind::Body { id: body.id, revision: world.revision() };
            frame::write(kind, &mesh::of(&body.form, limits.vertices), &mut bytes);
            meshes.insert(body.id, bytes);
        }
    }
    let solver = &world.scene().solver;
    let mut pairs = vec![];
    for (index, a) in placed.iter().enumerate() {
        for b in &placed[index + 1..] {
            pairs.push(known.contact(a, b, solver).unwrap_or_else(|| contact(a, b, solver)));
        }
    }
    *known = Known {
        bodies: placed.iter().map(|body| (body.id, body.clone())).collect(),
        solver: solver.clone(),
        pairs: pairs.iter().map(|pair| ((pair.a, pair.b), pair.clone())).collect(),
    };
    let bodies = placed.iter().map(facts).collect();
    State { meshes, contacts: Some(Contacts { revision: world.revision(), bodies, pairs }) }
}

fn contact(a: &Placed, b: &Placed, solver: &Solver) -> Contact {
    let solved = match method::find(&solver.method) {
        Some(method) => solve(method, a, b, solver.tolerance),
        None => Err(Refusal::whole(ErrorKind::Internal, "the method is gone")),
    };
    let (answer, refusal) = match solved {
        Ok(answer) => (Some(answer), None),
        Err(refusal) => (None, Some(refusal.message)),
    };
    Contact { a: a.id, b: b.id, answer, refusal }
}

fn facts(body: &Placed) -> BodyFacts {
    let (convex, volume) = match &body.form {
        Form::Single(Surface::Plain(shape)) => match shape {
            Shape::Superellipsoid(egg) => (true, Some(egg.mass_properties().volume)),
            Shape::Superovoid(egg) => (egg.is_convex(), Some(egg.mass_properties().volume)),
            Shape::Point(_) | Shape::Plane(_) | Shape::Segment(_) | Shape::Triangle(_) => (true, None),
        },
        Form::Single(Surface::Further(_)) | Form::Compound(_) | Form::Mesh(_) => (false, None),
    };
    let volume = volume.filter(|volume| volume.is_finite());
    BodyFacts { id: body.id, convex, pieces: form::pieces(&body.form), volume }
}

/// Queries are timed by their fastest run among a few, as long as those take no longer than this together.
const TIMING_BUDGET: Duration = Duration::from_micros(150);
const TIMED_RUNS: u32 = 5;

fn solve(method: &Method, a: &Placed, b: &Placed, tolerance: f64) -> Result<Answer, Refusal> {
    let (solution, time) = timed(|| method.solve(a, b, tolerance))?;
    answer(&solution, time)
}

/// What a query finds, and the time of its fastest run.
fn timed(query: impl Fn() -> Result<Solution, Refusal>) -> Result<(Solution, Duration), Refusal> {
    let start = Instant::now();
    let solution = query()?;
    let mut fastest = start.elapsed();
    for _ in 1..TIMED_RUNS {
        if start.elapsed() > TIMING_BUDGET {
            break;
        }
        let run = Instant::now();
        // The answer is deterministic; only the time differs.
        let _ = std::hint::black_box(query());
        fastest = fastest.min(run.elapsed());
    }
    Ok((solution, fastest))
}

/// A solution as it is sent; refused when a number in it is not finite, which JSON cannot say.
fn answer(solution: &Solution, time: Duration) -> Result<Answer, Refusal> {
    let Solution { distance, bounds, point_a, point_b, normal, status, iterations } = *solution;
    if !(distance.is_finite() && point_a.is_finite() && point_b.is_finite() && normal.is_finite()) {
        return Err(Refusal::whole(ErrorKind::Unsupported, "the method found no finite answer"));
    }
    Ok(Answer {
        distance,
        lower: bounds.map(|bounds| bounds.lower).filter(|bound| bound.is_finite()),
        upper: bounds.map(|bounds| bounds.upper).filter(|bound| bound.is_finite()),
        point_a: point_a.to_array(),
        point_b: point_b.to_array(),
        normal: normal.to_array(),
        tangents: householder_tangents(normal),
        status,
        iterations,
        nanoseconds: time.as_secs_f64() * 1e9,
    })
}

/// Two tangents from a unit normal by the Householder reflection that maps the normal to an axis (paper 001, section
/// 3.3), with the sign that adds instead of cancelling.
fn householder_tangents(normal: DVec3) -> [Vector; 2] {
    let mirror = normal + DVec3::X * 1f64.copysign(normal.x);
    let length_sq = mirror.length_squared();
    let reflected = |axis: DVec3| axis - mirror * (2.0 * mirror.dot(axis) / length_sq);
    [reflected(DVec3::Y).to_array(), reflected(DVec3::Z).to_array()]
}

/// Answers a request; not at all when it is a plot that takes its time and `is_stale` meanwhile.
pub(crate) fn respond(
    world: &World,
    request: Request,
    limits: &Limits,
    is_stale: &dyn Fn() -> bool,
) -> Result<Option<Reply>, Refusal> {
    match request {
        Request::Trace { request, pair } => {
            let [a, b] = find_pair(world, "get_trace.pair", pair)?;
            let solver = &world.scene().solver;
            let method = method::find(&solver.method)
                .ok_or_else(|| Refusal::whole(ErrorKind::Internal, "the method is gone"))?;
            let mut story = method.trace(&world.placed()[a], &world.placed()[b], solver.tolerance)?;
            let omitted = story.steps.len().saturating_sub(limits.trace_steps);
            // The end of a story matters more than its middle.
            let cut = (limits.trace_steps / 2)..(limits.trace_steps / 2 + omitted);
            if omitted > 0 {
                story.steps.drain(cut.clone());
                for curve in &mut story.curves {
                    curve.values.drain(cut.start..cut.end.min(curve.values.len()));
                }
            }
            let (steps, curves) = (story.steps, story.curves);
            let trace = Trace { method: method.name().to_owned(), pair, steps, omitted: omitted as u32, curves };
            Ok(Some(Reply::Text(ServerMessage::Trace { request, trace })))
        }
        Request::Plot { request, pair, samples } => {
            check_range("get_plot.samples", samples, 2..=limits.samples)?;
            let indices = find_pair(world, "get_plot.pair", pair)?;
            let plot = plot::of(world, pair, indices, samples, is_stale);
            Ok(plot.map(|plot| Reply::Text(ServerMessage::Plot { request, plot })))
        }
        Request::Previews { request, id, grid } => {
            check_range("get_previews.grid", grid, 1..=limits.preview_grid)?;
            let index = world.find("get_previews.id", id)?;
            let meshes = mesh::previews(&world.scene().bodies[index], grid, limits).ok_or_else(|| Refusal {
                kind: ErrorKind::Unsupported,
                ..Refusal::at("get_previews.id", "the body has no exponents")
            })?;
            let mut bytes = vec![];
            for (cell, mesh) in (0u32..).zip(&meshes) {
                frame::write(FrameKind::Preview { request, cell }, mesh, &mut bytes);
            }
            Ok(Some(Reply::Frames(bytes)))
        }
    }
}

fn check_range(path: &str, value: usize, range: std::ops::RangeInclusive<usize>) -> Result<(), Refusal> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(Refusal::at(path, format!("{value} is outside [{}, {}]", range.start(), range.end())))
}

fn find_pair(world: &World, path: &str, [a, b]: [u32; 2]) -> Result<[usize; 2], Refusal> {
    if a == b {
        return Err(Refusal::at(path, "a pair is two bodies"));
    }
    Ok([world.find(&format!("{path}[0]"), a)?, world.find(&format!("{path}[1]"), b)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_are_orthonormal_for_every_normal() {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
        for normal in axes.into_iter().chain([DVec3::new(1.0, -2.0, 3.0), DVec3::new(-1e-9, 1.0, 1e-300)]) {
            let normal = normal.normalize();
            let [u, v] = householder_tangents(normal).map(DVec3::from_array);
            for product in [u.dot(v), u.dot(normal), v.dot(normal), u.length() - 1.0, v.length() - 1.0] {
                assert!(product.abs() < 1e-15, "{normal} {u} {v}");
            }
        }
    }

    #[test]
    fn only_what_has_changed_is_computed_anew() {
        let ball = |id: u32, x: f64| {
            format!(
                r#"{{"id":{id},"name":"","type":"superellipsoid","radii":[1,1,1],"exponents":[1,1],"position":[{x},0,0]}}"#
            )
        };
        let edit = |world: &mut World, text: String| {
            assert!(world.apply(&crate::protocol::read(&text).unwrap(), &Limits::default()).unwrap());
        };
        let scene = [ball(1, 0.0), ball(2, 3.0), ball(3, 7.0)].join(",");
        let mut world = World::empty();
        edit(
            &mut world,
            format!(
                r#"{{"set_scene":{{"revision":1,"scene":{{"name":"","bodies":[{scene}],"solver":{{"method":"default","tolerance":1e-9}},"duration":1}}}}}}"#
            ),
        );
        let mut known = Known::default();
        assert_eq!(state(&world, &mut known, &Limits::default()).meshes.len(), 3);
        // Marked, so that what is taken over can be told from what is computed.
        for pair in known.pairs.values_mut() {
            pair.refusal = Some("old".to_owned());
        }
        edit(
            &mut world,
            r#"{"move":{"revision":2,"placements":[{"id":3,"position":[9,0,0],"orientation":[0,0,0,1]}]}}"#.to_owned(),
        );
        let next = state(&world, &mut known, &Limits::default());
        assert!(next.meshes.is_empty());
        let pairs = next.contacts.unwrap().pairs;
        let old: Vec<bool> = pairs.iter().map(|pair| pair.refusal.is_some()).collect();
        assert_eq!(old, [true, false, false]);
        assert!((pairs[1].answer.unwrap().distance - 7.0).abs() < 1e-8);
        edit(&mut world, r#"{"set_solver":{"revision":3,"solver":{"method":"default","tolerance":1e-6}}}"#.to_owned());
        let pairs = state(&world, &mut known, &Limits::default()).contacts.unwrap().pairs;
        assert!(pairs.iter().all(|pair| pair.refusal.is_none()));
    }
}
