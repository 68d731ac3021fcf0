//! What a method did, as steps to draw.

use superegg::query::{Bounds, Outcome, Status};
use superegg_schemes::{Cell, Facet, Iterate, LambdaGuess, Trace};

use crate::lab::placed::Placed;
use crate::lab::trace::{Curve, Drawing, Role, TraceStep};
use crate::wire::{Refusal, Vector};

/// Points along each side of a quadtree cell, which is bent with its surface.
const SIDE: usize = 8;
/// Most states that a method without a trace of its own is asked for.
const MOST_BUDGETS: u32 = 120;

/// What a method did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Story {
    pub steps: Vec<TraceStep>,
    pub curves: Vec<Curve>,
}

/// A scheme's own trace: first the cells of its guess, level by level, then its iterates, then its answer.
pub(super) fn of_trace(trace: &Trace, end: &Outcome, bodies: [&Placed; 2]) -> Story {
    if !trace.guesses.is_empty() {
        return of_guesses(&trace.guesses, end);
    }
    if !trace.facets.is_empty() {
        return of_facets(&trace.facets, end);
    }
    let mut story = Story::default();
    let (mut residuals, mut distances) = (vec![], vec![]);
    for cells in trace.cells.chunk_by(|one, next| level(one) == level(next)) {
        let (title, text) = match cells.first() {
            Some(Cell::Angles { level, half, .. }) => {
                (format!("Quadtree, level {level}"), format!("cells of {:.2}° in azimuth", 2.0 * half[0].to_degrees()))
            }
            Some(Cell::Cube { half, .. }) => ("Octree".to_owned(), format!("cells of {:.4} m", 2.0 * half)),
            None => continue,
        };
        let drawings = cells.iter().filter_map(|cell| draw_cell(cell, bodies)).collect();
        story.steps.push(TraceStep { title, text, drawings });
        residuals.push(None);
        distances.push(None);
    }
    for (index, iterate) in trace.iterates.iter().enumerate() {
        let Iterate { point_a, point_b, normal_a, normal_b, residual } = *iterate;
        let distance = point_a.distance(point_b);
        story.steps.push(TraceStep {
            title: format!("Iterate {}", index + 1),
            text: format!("residual {residual:.3e}, points {distance:.6} m apart"),
            drawings: vec![
                Drawing::Point { at: point_a.to_array(), role: Role::A },
                Drawing::Point { at: point_b.to_array(), role: Role::B },
                Drawing::Line { points: vec![point_a.to_array(), point_b.to_array()], role: Role::Answer },
                Drawing::Arrow { at: point_a.to_array(), direction: normal_a.to_array(), role: Role::A },
                Drawing::Arrow { at: point_b.to_array(), direction: normal_b.to_array(), role: Role::B },
            ],
        });
        residuals.push(Some(residual.abs()).filter(|residual| residual.is_finite() && *residual > 0.0));
        distances.push(Some(distance).filter(|distance| distance.is_finite()));
    }
    story.steps.push(step_of(end, None));
    residuals.push(None);
    distances.push(Some(end.distance.abs()).filter(|distance| distance.is_finite()));
    // A guess from outside the numbers is no picture.
    for step in &mut story.steps {
        step.drawings.retain(is_finite);
    }
    story.curves.push(Curve { name: "residual".to_owned(), log: true, values: residuals });
    story.curves.push(Curve { name: "distance".to_owned(), log: false, values: distances });
    story
}

/// The geometric iteration of paper 000: from the point x along the averaged direction to a foot, from there onto the
/// surface, with the surface's normal n and the direction nμ back to x; λ says how much n counts in the average.
fn of_guesses(guesses: &[LambdaGuess], end: &Outcome) -> Story {
    let mut story = Story::default();
    let (mut errors, mut factors) = (vec![], vec![]);
    for (index, guess) in guesses.iter().enumerate() {
        let (own, other) = if guess.body == 0 { (Role::A, Role::B) } else { (Role::B, Role::A) };
        let [target, foot, point] = [guess.target, guess.foot, guess.point].map(|at| at.to_array());
        let after = match guess.factor {
            _ if guess.better => "better than any before",
            None => "",
            // The first attempt is not compared by its error (paper 000, section 3.4).
            Some(_) if index == 1 => "not taken: the normal turns too far",
            Some(_) => "worse: λ shrinks",
        };
        let title = match guess.factor {
            None => "Radial guess".to_owned(),
            Some(factor) => format!("Guess {index}, λ = {}", short(factor)),
        };
        let mut drawings = vec![
            Drawing::Point { at: target, role: other },
            Drawing::Line { points: vec![target, foot], role: Role::Candidate },
            Drawing::Line { points: vec![foot, point], role: Role::Chosen },
            Drawing::Point { at: foot, role: Role::Candidate },
            Drawing::Point { at: point, role: own },
            Drawing::Arrow { at: point, direction: guess.normal.to_array(), role: own },
            Drawing::Arrow { at: point, direction: guess.direction.to_array(), role: Role::Answer },
        ];
        drawings.retain(is_finite);
        let text = format!("error {:.3e} m, {:.6} m away; {after}", guess.error, guess.distance);
        story.steps.push(TraceStep { title, text: text.trim_end_matches("; ").to_owned(), drawings });
        errors.push(Some(guess.error).filter(|error| error.is_finite() && *error > 0.0));
        factors.push(guess.factor);
    }
    story.steps.push(step_of(end, None));
    errors.push(None);
    factors.push(None);
    story.curves.push(Curve { name: "error".to_owned(), log: true, values: errors });
    story.curves.push(Curve { name: "λ".to_owned(), log: false, values: factors });
    story
}

/// A factor with three digits at most.
fn short(factor: f64) -> String {
    let text = format!("{factor:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The baseline of meshes: all triangles, then the two that are nearest, then the answer.
fn of_facets(facets: &[Facet], end: &Outcome) -> Story {
    let role = |body: usize| if body == 0 { Role::A } else { Role::B };
    let edges = |body: usize, nearest_only: bool| {
        let chosen = facets.iter().filter(|facet| facet.body == body && (facet.nearest || !nearest_only));
        let ends = |facet: &Facet| {
            let [p, q, r] = facet.corners.map(|corner| corner.to_array());
            // Every edge belongs to two triangles; each draws those that lead upwards in the order of coordinates.
            let all = [[p, q], [q, r], [r, p]];
            all.into_iter().filter(|[from, to]| nearest_only || from <= to).flatten().collect::<Vec<Vector>>()
        };
        Drawing::Edges { points: chosen.flat_map(ends).map(rounded).collect(), role: role(body) }
    };
    let count = |body: usize| facets.iter().filter(|facet| facet.body == body).count();
    let mut story = Story::default();
    for (title, text, nearest_only) in [
        ("Both meshes", format!("{} and {} triangles, made for this query", count(0), count(1)), false),
        ("Nearest triangles", "found through a hierarchy of boxes".to_owned(), true),
    ] {
        let drawings = (0..2).map(|body| edges(body, nearest_only)).filter(is_finite).collect();
        story.steps.push(TraceStep { title: title.to_owned(), text, drawings });
    }
    story.steps.push(step_of(end, None));
    let distances = vec![None, None, Some(end.distance).filter(|distance| distance.is_finite())];
    story.curves.push(Curve { name: "distance".to_owned(), log: false, values: distances });
    story
}

/// A micrometre is enough for a picture, and half as long in a message.
fn rounded(point: Vector) -> Vector {
    point.map(|coordinate| (coordinate * 1e6).round() / 1e6)
}

/// What a cell's neighbours in the list have to share with it to be one step.
fn level(cell: &Cell) -> (bool, u32, Option<u64>) {
    match cell {
        Cell::Angles { level, .. } => (true, *level, None),
        Cell::Cube { half, .. } => (false, 0, Some(half.to_bits())),
    }
}

fn draw_cell(cell: &Cell, bodies: [&Placed; 2]) -> Option<Drawing> {
    match *cell {
        Cell::Angles { body, centre: [u, v], half: [du, dv], .. } => {
            let placed = bodies.get(body)?;
            let surface = placed.form.superquadric()?;
            let at = |x: f64, y: f64| placed.pose.transform_point(surface.point(u + x * du, v + y * dv)).to_array();
            let points: Vec<Vector> =
                [[-1.0, -1.0, 1.0, 0.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, -1.0, 0.0], [-1.0, 1.0, 0.0, -1.0]]
                    .into_iter()
                    .flat_map(|[x, y, along_x, along_y]| {
                        (0..=SIDE).map(move |k| {
                            let part = 2.0 * k as f64 / SIDE as f64;
                            (x + part * along_x, y + part * along_y)
                        })
                    })
                    .map(|(x, y)| at(x, y))
                    .collect();
            Some(Drawing::Line { points, role: if body == 0 { Role::A } else { Role::B } })
        }
        Cell::Cube { body, centre, half } => {
            let pose = bodies.get(body)?.pose;
            Some(Drawing::Cell {
                center: pose.transform_point(centre).to_array(),
                half: [half; 3],
                orientation: pose.rotation.to_array(),
                role: if body == 0 { Role::A } else { Role::B },
            })
        }
    }
}

fn is_finite(drawing: &Drawing) -> bool {
    let finite = |vector: &Vector| vector.iter().all(|component| component.is_finite());
    match drawing {
        Drawing::Point { at, .. } => finite(at),
        Drawing::Line { points, .. } | Drawing::Edges { points, .. } => points.iter().all(finite),
        Drawing::Arrow { at, direction, .. } => finite(at) && finite(direction),
        Drawing::Cell { center, half, .. } => finite(center) && finite(half),
    }
}

/// A method that keeps no trace, as it is seen from outside: what it would answer after one iteration, after two, and so
/// on. It is deterministic, so these are the states it passes through.
pub(super) fn by_budget(end: &Outcome, after: impl Fn(u32) -> Result<Outcome, Refusal>) -> Result<Story, Refusal> {
    let mut story = Story::default();
    let (mut gaps, mut distances) = (vec![], vec![]);
    let mut last: Option<Outcome> = None;
    let budgets = end.iterations.clamp(1, MOST_BUDGETS);
    for budget in 1..=budgets {
        let done = budget == budgets;
        let outcome = if done { *end } else { after(budget)? };
        let unchanged = last.is_some_and(|last| (last.point_a, last.point_b) == (outcome.point_a, outcome.point_b));
        if unchanged && !done {
            continue;
        }
        last = Some(outcome);
        let mut step = step_of(&outcome, if done { None } else { Some(budget) });
        step.drawings.retain(is_finite);
        story.steps.push(step);
        let gap = outcome.bounds.map(|Bounds { lower, upper, .. }| upper - lower);
        gaps.push(gap.filter(|gap| gap.is_finite() && *gap > 0.0));
        distances.push(Some(outcome.distance).filter(|distance| distance.is_finite()));
    }
    if gaps.iter().any(Option::is_some) {
        story.curves.push(Curve { name: "upper − lower".to_owned(), log: true, values: gaps });
    }
    story.curves.push(Curve { name: "distance".to_owned(), log: false, values: distances });
    Ok(story)
}

/// An outcome as a step: the answer, or what would be answered after some iterations.
fn step_of(outcome: &Outcome, budget: Option<u32>) -> TraceStep {
    let proof = match outcome.bounds {
        Some(Bounds { lower, upper, .. }) => format!("; proved: {lower:.9} … {upper:.9} m"),
        None => String::new(),
    };
    let ended = if budget.is_none() && outcome.status == Status::NotConverged { "; did not converge" } else { "" };
    let done = budget.is_none();
    let role = |own: Role| if done { Role::Final } else { own };
    TraceStep {
        title: budget.map_or("Answer".to_owned(), |budget| format!("After {budget}")),
        text: format!("{:.9} m{proof}{ended}", outcome.distance),
        drawings: vec![
            Drawing::Point { at: outcome.point_a.to_array(), role: role(Role::A) },
            Drawing::Point { at: outcome.point_b.to_array(), role: role(Role::B) },
            Drawing::Line {
                points: vec![outcome.point_a.to_array(), outcome.point_b.to_array()],
                role: role(Role::Answer),
            },
            Drawing::Arrow { at: outcome.point_a.to_array(), direction: outcome.normal.to_array(), role: Role::A },
            Drawing::Arrow { at: outcome.point_b.to_array(), direction: (-outcome.normal).to_array(), role: Role::B },
        ],
    }
}

#[cfg(test)]
mod tests {
    use superegg::shape::{Point, Shape, Superovoid};
    use superegg::{DQuat, DVec3, Pose};

    use super::*;
    use crate::lab::method::{METHODS, find};

    fn pair() -> [Placed; 2] {
        let egg = |exponents, taper| Shape::from(Superovoid::new([1.0, 1.0, 1.0], exponents, taper).unwrap());
        let turned = Pose::new(DQuat::from_rotation_x(0.7), DVec3::new(0.3, 2.4, 0.2)).unwrap();
        [
            Placed { id: 1, form: egg([0.8, 0.9], [0.1, 0.1]).into(), pose: Pose::IDENTITY, hidden: false },
            Placed { id: 2, form: egg([0.9, 1.0], [-0.1, -0.1]).into(), pose: turned, hidden: false },
        ]
    }

    #[test]
    fn every_method_ends_its_story_with_its_answer() {
        let [a, b] = pair();
        for method in METHODS.iter().filter(|method| method.name() != "geometric") {
            let tolerance = method.facts().tolerance;
            let solution = method.solve(&a, &b, tolerance).unwrap();
            let story = method.trace(&a, &b, tolerance).unwrap();
            let last = story.steps.last().unwrap();
            assert!(
                last.title == "Answer" && last.text.starts_with(&format!("{:.9} m", solution.distance)),
                "{last:?}"
            );
            for curve in &story.curves {
                assert_eq!(curve.values.len(), story.steps.len(), "{}: {}", method.name(), curve.name);
            }
        }
    }

    #[test]
    fn guesses_are_drawn_on_their_bodies() {
        let [a, b] = pair();
        let story = find("quad_parametric").unwrap().trace(&a, &b, 1e-6).unwrap();
        let cells: Vec<&TraceStep> = story.steps.iter().filter(|step| step.title.starts_with("Quadtree")).collect();
        assert!(cells.len() >= 5, "{}", cells.len());
        let surface = a.form.superquadric().unwrap();
        let Drawing::Line { points, role: Role::A } = &cells[0].drawings[0] else { panic!("{:?}", cells[0]) };
        assert!(points.iter().all(|point| surface.value(DVec3::from_array(*point)).abs() < 1e-9));
        let octree = find("oct_implicit").unwrap().trace(&a, &b, 1e-6).unwrap();
        assert!(octree.steps.iter().any(|step| matches!(step.drawings.first(), Some(Drawing::Cell { .. }))));
    }

    #[test]
    fn the_geometric_iteration_is_told_for_points_and_refused_otherwise() {
        let [a, b] = pair();
        let method = find("geometric").unwrap();
        assert!(method.solve(&a, &b, 1e-3).is_err());
        let point = Placed { form: Shape::from(Point::new([DVec3::ZERO]).unwrap()).into(), ..b };
        let story = method.trace(&a, &point, 1e-6).unwrap();
        assert!(story.steps.len() > 2, "{story:?}");
        assert_eq!(story.steps[0].title, "Radial guess");
        assert!(story.steps[1].title.contains("λ = "), "{}", story.steps[1].title);
        let [errors, factors] = &story.curves[..] else { panic!("{:?}", story.curves) };
        assert_eq!((errors.name.as_str(), factors.name.as_str()), ("error", "λ"));
        assert!(factors.values.iter().flatten().all(|factor| *factor > 0.0 && *factor <= 1.0));
        // The picture of every guess but the radial one: from x to the foot to the surface.
        for step in &story.steps[1..story.steps.len() - 1] {
            let lines = step.drawings.iter().filter(|drawing| matches!(drawing, Drawing::Line { .. })).count();
            assert_eq!(lines, 2);
        }
    }

    #[test]
    fn the_mesh_baseline_shows_its_triangles() {
        let [a, b] = pair();
        let story = find("mesh").unwrap().trace(&a, &b, 1e-6).unwrap();
        let edges = |step: usize, body: usize| match &story.steps[step].drawings[body] {
            Drawing::Edges { points, .. } => points.len() / 2,
            other => panic!("{other:?}"),
        };
        // Closed meshes have three edges for two triangles; the nearest triangle has three of its own.
        assert!(edges(0, 0) > 500 && edges(0, 0) % 3 == 0, "{}", edges(0, 0));
        assert_eq!([edges(1, 0), edges(1, 1)], [3, 3]);
        assert_eq!(story.steps.len(), 3);
    }
}
