//! Starts compared, as the papers' future work asks: each numerical scheme from each initial guess.

use std::convert::Infallible;
use std::hint::black_box;

use glam::DQuat;
use superegg_schemes::{Guess, Method, SchemeOptions, first_points};
use testkit::generate::{direction, seeded};

use crate::measure::{Work, alternate, micro, percent, spend};
use crate::pairs::{Battery, Case, Score, battery};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

const METHODS: [Method; 5] =
    [Method::QuadImplicit, Method::QuadParametric, Method::NtbParametric, Method::InteriorPoint, Method::Sqp];
const GUESSES: [(&str, Guess); 6] = [
    ("quadtree, 6 levels", Guess::Quadtree { levels: 6 }),
    ("octree, 8³ cells", Guess::Octree { levels: 3 }),
    ("centre line, δ = 0.45", Guess::CentreLine { delta: 0.45 }),
    ("on the surfaces (004)", Guess::Surface),
    ("geometric, in turn (000)", Guess::Geometric),
    ("the default's (ellipsoids)", Guess::Support),
];

/// What a scheme solves, without its own start.
fn system(method: Method) -> &'static str {
    match method {
        Method::QuadImplicit => "implicit 6×6",
        Method::QuadParametric => "parametric 4×4",
        Method::NtbParametric => "ntb 4×4",
        Method::InteriorPoint => "interior point",
        _ => "sqp",
    }
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, Infallible> {
    let (count, rounds) = if settings.quick { (100, 1) } else { (2_000, 3) };
    progress.begin("starts: drawing pairs", 1);
    let Battery { apart, overlapping } = battery(5, count, true);
    progress.begin("starts", 2 * (GUESSES.len() as u64 + 1));
    let sections = vec![
        Section {
            title: String::new(),
            text: format!(
                "{count} pairs of paper 003 of either kind. Each cell: *right % / µs*, with the guess's own time in the second column and \
                 included in the cell. *Right* is within 1e-5 of the best known minimum. *The last answer* is a warm start after a motion \
                 of 1 % of the size and a hundredth of a radian; its µs are those of the warm query."
            ),
            ..Section::default()
        },
        section("Apart", "apart", &apart, rounds, progress),
        section("Overlapping", "overlapping", &overlapping, rounds, progress),
    ];
    Ok(Report { name: "starts", title: "Initial guesses".into(), sections })
}

fn section(title: &str, stem: &str, cases: &[Case], rounds: usize, progress: &dyn Progress) -> Section {
    let head: Vec<&str> = ["start", "guess µs"].into_iter().chain(METHODS.map(system)).collect();
    let mut table = Table::new(&head);
    for (name, guess) in GUESSES {
        let alone = || {
            for case in cases {
                let [a, b] = &case.bodies;
                black_box(first_points(guess, a, &case.pair.pose_a, b, &case.pair.pose_b));
            }
        };
        let mut works: Vec<Work> = vec![Box::new(alone)];
        for method in METHODS {
            let options = SchemeOptions { guess: Some(guess), ..method.options() };
            works.push(Box::new(move || cases.iter().for_each(|case| spend(case.solve(method, &options)))));
        }
        let times = alternate(rounds, &mut works);
        let each = |time: f64| micro(time / cases.len() as f64);
        let mut row = vec![name.to_owned(), each(times[0])];
        for (method, time) in METHODS.into_iter().zip(&times[1..]) {
            let options = SchemeOptions { guess: Some(guess), ..method.options() };
            let outcomes: Vec<_> = cases.iter().map(|case| case.solve(method, &options).outcome).collect();
            let score = Score::of(cases, &outcomes);
            row.push(format!("{} / {}", percent(score.right(), score.count), each(*time)));
        }
        table.push(row);
        progress.advance(1);
    }
    table.push(last_answer(cases, rounds));
    progress.advance(1);
    Section { title: title.into(), tables: vec![(stem.into(), table)], ..Section::default() }
}

/// Warm starts: the answer of the same scheme before a small motion.
fn last_answer(cases: &[Case], rounds: usize) -> Vec<String> {
    let mut rng = seeded(55);
    let before: Vec<_> = cases
        .iter()
        .map(|case| {
            let mut pair = case.pair.clone();
            pair.pose_b.rotation =
                (DQuat::from_scaled_axis(direction(&mut rng) * 0.01) * pair.pose_b.rotation).normalize();
            pair.pose_b.translation += direction(&mut rng) * 0.02;
            pair
        })
        .collect();
    let mut row = vec!["the last answer".to_owned(), "–".to_owned()];
    for method in METHODS {
        let plain = method.options();
        let warm: Vec<SchemeOptions> = cases
            .iter()
            .zip(&before)
            .map(|(case, pair)| {
                let [a, b] = &case.bodies;
                let last =
                    superegg_schemes::distance(method, a, &pair.pose_a, b, &pair.pose_b, &plain).expect("valid input");
                SchemeOptions { warm_start: Some(last.outcome.warm_start), ..plain }
            })
            .collect();
        let outcomes: Vec<_> =
            cases.iter().zip(&warm).map(|(case, options)| case.solve(method, options).outcome).collect();
        let work = || cases.iter().zip(&warm).for_each(|(case, options)| spend(case.solve(method, options)));
        let times = alternate(rounds, &mut [Box::new(work)]);
        let score = Score::of(cases, &outcomes);
        row.push(format!("{} / {}", percent(score.right(), score.count), micro(times[0] / cases.len() as f64)));
    }
    row
}
