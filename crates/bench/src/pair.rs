//! Paper 003 tables 1 and 2: pairs of superovoids apart and overlapping, by every scheme, the default, meshes and peers.

use std::convert::Infallible;
use std::hint::black_box;

use parry3d_f64::query::details::{contact_support_map_support_map, distance_support_map_support_map};
use superegg::Pose;
use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, Outcome, Status, WarmStart};
use superegg_schemes::{Fallback, Jacobian, MeshPair, Method, SchemeOptions, first_points};

use crate::measure::{Work, alternate, micro, percent, spend, tiny};
use crate::pairs::{Battery, Case, Score, battery};
use crate::peers::{ParryEgg, ParryPose, parry_pose, present};
use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};

/// What the paper measured: method, guess µs, total µs, iterations, µs an iteration.
type Published = (&'static str, &'static str, &'static str, &'static str, &'static str);
const PUBLISHED_OVERLAPPING: [Published; 4] = [
    ("quadImplicit", "129.28 ± 9.26", "310.42 ± 39.50", "6.20 ± 1.23", "21.20"),
    ("quadParametric", "129.28 ± 9.26", "424.53 ± 106.50", "6.93 ± 2.56", "31.59"),
    ("ntbParametric", "129.28 ± 9.26", "347.72 ± 78.31", "6.92 ± 2.52", "22.99"),
    ("mesh (FCL), 290 vertices", "–", "206.29 ± 117.63", "–", "–"),
];
const PUBLISHED_APART: [Published; 4] = [
    ("quadImplicit", "129.28 ± 9.26", "290.55 ± 36.35", "5.47 ± 1.10", "21.26"),
    ("quadParametric", "129.28 ± 9.26", "396.00 ± 107.77", "6.20 ± 2.55", "31.72"),
    ("ntbParametric", "129.28 ± 9.26", "326.41 ± 79.99", "6.20 ± 2.54", "23.05"),
    ("mesh (FCL), 290 vertices", "–", "375.19 ± 104.74", "–", "–"),
];

/// Vertices of the papers' meshes.
const MESH_VERTICES: usize = 290;

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, Infallible> {
    let (count, slow, rounds) = if settings.quick { (600, 60, 3) } else { (10_000, 400, 5) };
    progress.begin("pair: drawing the battery", 1);
    let Battery { apart, overlapping } = battery(1, count, true);
    let plain = battery(2, count, false);
    progress.advance(1);
    let introduction = Section {
        title: String::new(),
        text: format!(
            "Superovoids of unit radii at (0, 0, 0) and (0, 2.21, 0), exponents in [0.3, 1.1], tapers in [−0.4, 0.4], random \
             orientations: {count} pairs apart, {count} overlapping, one thread, processor time, the median of {rounds} \
             alternating rounds; then as many superellipsoids, which are the same without taper and all convex. The slow methods (octree, meshes) run on the first {slow}. *Failed*: the method said so. *Wrong*: it gave \
             an answer that is not the best known minimum (for meshes: off by more than 0.1). The error is that of the other answers. \
             The schemes' tolerance is 1e-6, the default's certified 1e-9. Papers' rows (in italics) are their own numbers, from other \
             machines. {}",
            present()
        ),
        ..Section::default()
    };
    let sections = vec![
        introduction,
        section("Apart (paper 003 table 2)", "apart", &apart, &PUBLISHED_APART, slow, rounds, progress),
        section(
            "Overlapping (paper 003 table 1)",
            "overlapping",
            &overlapping,
            &PUBLISHED_OVERLAPPING,
            slow,
            rounds,
            progress,
        ),
        section("Superellipsoids apart", "superellipsoids-apart", &plain.apart, &[], slow, rounds, progress),
        section(
            "Superellipsoids overlapping",
            "superellipsoids-overlapping",
            &plain.overlapping,
            &[],
            slow,
            rounds,
            progress,
        ),
    ];
    Ok(Report { name: "pair", title: "Pairs of superovoids".into(), sections })
}

/// One method: its name, which cases it runs on, how it answers.
struct Contender<'a> {
    name: String,
    cases: &'a [Case],
    answer: Box<dyn Fn(usize) -> Outcome + 'a>,
    /// Answers all cases at once, where that is another thing than one by one.
    batch: Option<Box<dyn Fn() -> Vec<Outcome> + 'a>>,
    guess: Option<Method>,
    /// Error up to which an answer counts as the minimum.
    same: f64,
}

impl Contender<'_> {
    fn answers(&self) -> Vec<Outcome> {
        match &self.batch {
            Some(batch) => batch(),
            None => (0..self.cases.len()).map(|index| (self.answer)(index)).collect(),
        }
    }
}

fn schemes() -> Vec<(&'static str, Method, SchemeOptions)> {
    let plain = SchemeOptions::DEFAULT;
    let differences = SchemeOptions { jacobian: Jacobian::FiniteDifference, ..plain };
    let mended = SchemeOptions { restarts: 2, fallback: Fallback::RegulaFalsi, ..plain };
    vec![
        ("quad_implicit", Method::QuadImplicit, plain),
        ("quad_implicit, finite differences", Method::QuadImplicit, differences),
        ("quad_implicit, restarts and false position", Method::QuadImplicit, mended),
        ("quad_parametric", Method::QuadParametric, plain),
        ("quad_parametric, finite differences", Method::QuadParametric, differences),
        ("ntb_parametric", Method::NtbParametric, plain),
        ("ntb_parametric, finite differences", Method::NtbParametric, differences),
        ("interior_point", Method::InteriorPoint, Method::InteriorPoint.options()),
        ("sqp", Method::Sqp, Method::Sqp.options()),
        ("oct_implicit", Method::OctImplicit, plain),
    ]
}

/// A method that answers one pair after the other.
fn plain<'a>(name: &str, cases: &'a [Case], same: f64, answer: Box<dyn Fn(usize) -> Outcome + 'a>) -> Contender<'a> {
    Contender { name: name.to_owned(), cases, answer, batch: None, guess: None, same }
}

/// parry on the support mappings of the hulls.
fn parry_of_hulls(cases: &[Case]) -> Contender<'_> {
    let overlapping = cases.first().is_some_and(|case| case.best < 0.0);
    let eggs: Vec<_> = cases
        .iter()
        .map(|case| (ParryEgg(case.pair.a.clone()), ParryEgg(case.pair.b.clone()), relative(case)))
        .collect();
    let name = if overlapping { "parry contact (GJK + EPA) of the hulls" } else { "parry GJK distance of the hulls" };
    plain(
        name,
        cases,
        1e-3,
        Box::new(move |index| {
            let (a, b, pose) = &eggs[index];
            if !overlapping {
                return outcome_of(distance_support_map_support_map(pose, a, b), true);
            }
            let contact = contact_support_map_support_map(pose, a, b, 0.0);
            contact.map_or(outcome_of(0.0, false), |contact| outcome_of(contact.dist, true))
        }),
    )
}

/// Meshes of the bodies, and the same in FCL where that is built in.
fn meshes(few: &[Case]) -> Vec<Contender<'_>> {
    let meshes: Vec<_> = few
        .iter()
        .map(|case| {
            let [a, b] = &case.bodies;
            MeshPair::new(a, b, MESH_VERTICES).expect("surfaces").expect("enough vertices")
        })
        .collect();
    let ours = plain(
        "mesh, 290 vertices",
        few,
        0.1,
        Box::new(move |index| {
            meshes[index].distance(&few[index].pair.pose_a, &few[index].pair.pose_b, 1e-6).expect("valid poses")
        }),
    );
    #[cfg(feature = "fcl")]
    {
        use crate::peers::FclMesh;
        let mesh = |body: &superegg_world::geometry::Geometry| {
            FclMesh::new(&body.superquadric().expect("a surface").tessellate(MESH_VERTICES).expect("enough vertices"))
        };
        let meshes: Vec<_> = few.iter().map(|case| [mesh(&case.bodies[0]), mesh(&case.bodies[1])]).collect();
        let fcl = plain(
            "mesh (FCL), 290 vertices",
            few,
            0.1,
            Box::new(move |index| {
                let [a, b] = &meshes[index];
                let (found, _) = a.distance(&few[index].pair.pose_a, b, &few[index].pair.pose_b);
                outcome_of(found.max(0.0), true)
            }),
        );
        vec![ours, fcl]
    }
    #[cfg(not(feature = "fcl"))]
    vec![ours]
}

fn contenders<'a>(cases: &'a [Case], slow: usize, placed: &'a [[Placed; 2]]) -> Vec<Contender<'a>> {
    let few = &cases[..slow.min(cases.len())];
    let default = |case: &Case| case.solve(Method::Default, &Method::Default.options()).outcome;
    let mut list = vec![
        plain("default", cases, 1e-5, Box::new(move |index| default(&cases[index]))),
        Contender {
            batch: Some(Box::new(move || {
                let answers = distances(placed, &Options::DEFAULT, Threads::One);
                answers.into_iter().map(|answer| answer.expect("valid input")).collect()
            })),
            ..plain("default, in a batch", cases, 1e-5, Box::new(move |index| default(&cases[index])))
        },
    ];
    for (name, method, options) in schemes() {
        let cases = if method == Method::OctImplicit { few } else { cases };
        let answer = Box::new(move |index: usize| cases[index].solve(method, &options).outcome);
        let guess = matches!(
            method,
            Method::QuadImplicit | Method::QuadParametric | Method::NtbParametric | Method::OctImplicit
        );
        list.push(Contender { guess: guess.then_some(method), ..plain(name, cases, 1e-5, answer) });
    }
    list.push(parry_of_hulls(cases));
    list.extend(meshes(few));
    list
}

/// Where b is in the frame of a, for parry.
fn relative(case: &Case) -> ParryPose {
    let (a, b) = (&case.pair.pose_a, &case.pair.pose_b);
    let back = a.rotation.conjugate();
    parry_pose(&Pose { rotation: (back * b.rotation).normalize(), translation: back * (b.translation - a.translation) })
}

/// A peer's bare distance in the library's form.
fn outcome_of(distance: f64, answered: bool) -> Outcome {
    let zero = superegg::DVec3::ZERO;
    let status = match distance {
        _ if !answered => Status::NotConverged,
        distance if distance > 0.0 => Status::Separated,
        _ => Status::Penetrating,
    };
    let start = WarmStart { point_a: zero, normal_a: zero, point_b: zero, normal_b: zero };
    Outcome::uncertified(distance, [zero; 2], superegg::DVec3::Z, status, 0, start)
}

/// What is timed: all answers of each method, then all its guesses.
fn works<'a>(list: &'a [Contender<'a>]) -> Vec<Work<'a>> {
    let mut works: Vec<Work<'a>> = Vec::new();
    for contender in list {
        works.push(match &contender.batch {
            Some(batch) => Box::new(move || spend(batch())),
            None => Box::new(move || {
                for index in 0..contender.cases.len() {
                    spend((contender.answer)(index));
                }
            }),
        });
    }
    for contender in list {
        works.push(Box::new(move || {
            let Some(method) = contender.guess else { return };
            for case in contender.cases {
                let [a, b] = &case.bodies;
                black_box(first_points(method.guess(), a, &case.pair.pose_a, b, &case.pair.pose_b));
            }
        }));
    }
    works
}

fn push_published(table: &mut Table, published: &[Published]) {
    for (name, guess, total, iterations, per_iteration) in published {
        let dash = || "–".to_owned();
        table.push_published([
            format!("paper 003: {name}"),
            (*guess).into(),
            (*total).into(),
            (*iterations).into(),
            (*per_iteration).into(),
            dash(),
            dash(),
            dash(),
            dash(),
            dash(),
        ]);
    }
}

/// Time against answers lost of the methods, from their names, microseconds and percents.
fn plot(title: &str, stem: &str, points: Vec<(String, f64, f64)>) -> Plot {
    let shown = [
        "default",
        "quad_implicit",
        "quad_implicit, restarts and false position",
        "quad_parametric",
        "ntb_parametric",
        "interior_point",
        "sqp",
        "oct_implicit",
    ];
    Plot {
        name: stem.into(),
        title: format!("{title}: time against answers lost (failed or wrong)"),
        x: Axis::log("µs a query"),
        y: Axis::linear("lost, %"),
        series: points
            .into_iter()
            .filter(|(name, ..)| shown.contains(&name.as_str()))
            .map(|(name, time, lost)| Series {
                name: name.replace(", restarts and false position", " mended"),
                points: vec![(time, lost)],
                published: false,
            })
            .collect(),
    }
}

fn section(
    title: &str,
    stem: &str,
    cases: &[Case],
    published: &[Published],
    slow: usize,
    rounds: usize,
    progress: &dyn Progress,
) -> Section {
    let placed: Vec<[Placed; 2]> = cases
        .iter()
        .map(|case| {
            let pair = &case.pair;
            [Placed { shape: pair.a.clone(), pose: pair.pose_a }, Placed { shape: pair.b.clone(), pose: pair.pose_b }]
        })
        .collect();
    let list = contenders(cases, slow, &placed);
    progress.begin(&format!("pair: {stem}"), 2);
    let outcomes: Vec<Vec<Outcome>> = list.iter().map(Contender::answers).collect();
    progress.advance(1);
    let mut works = works(&list);
    let times = alternate(rounds, &mut works);
    drop(works);
    progress.advance(1);
    let mut table = Table::new(&[
        "method",
        "guess µs",
        "total µs",
        "iterations",
        "µs an iteration",
        "failed %",
        "wrong %",
        "mean error",
        "largest error",
        "time, default = 1",
    ]);
    let mut points = Vec::new();
    let mut default_time = 1.0;
    for (index, contender) in list.iter().enumerate() {
        let count = contender.cases.len() as f64;
        let (total, guess) = (times[index] / count, times[list.len() + index] / count);
        if index == 0 {
            default_time = total;
        }
        let score = Score::within(contender.cases, &outcomes[index], contender.same);
        // An iteration is what is left when the guess is done; the default's are surface evaluations.
        // The octree takes so long that the difference is noise.
        let guessed = contender.guess.is_some() && score.iterations > 0.0 && guess < 0.8 * total;
        let per_iteration = if guessed { micro((total - guess) / score.iterations) } else { "–".into() };
        let iterations = if score.iterations > 1.0 { format!("{:.2}", score.iterations) } else { "–".into() };
        table.push([
            contender.name.clone(),
            contender.guess.map_or("–".into(), |_| micro(guess)),
            micro(total),
            iterations,
            per_iteration,
            percent(score.failed, score.count),
            percent(score.wrong, score.count),
            tiny(score.error.mean),
            tiny(score.error.largest),
            format!("{:.2}", total / default_time),
        ]);
        let lost = 100.0 * (score.count - score.right()) as f64 / score.count as f64;
        points.push((contender.name.clone(), total * 1e6, lost));
    }
    push_published(&mut table, published);
    let certified = cases.iter().filter(|case| case.certified).count();
    Section {
        title: title.into(),
        text: if certified == cases.len() {
            "All pairs are convex, and the default's bounds certify its answers apart.".into()
        } else {
            format!(
                "{certified} of {} pairs are convex, so that their answers are certified; the others have a body that is not.",
                cases.len()
            )
        },
        tables: vec![(stem.into(), table)],
        plots: vec![plot(title, stem, points)],
    }
}
