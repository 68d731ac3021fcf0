//! Second derivatives of the distance, and first ones of points and normal, against differences.
//!
//! The gradient (tested by itself against differences of the distance), the points and the normal are differenced over a ladder of
//! steps and extrapolated; the rung that agrees best with its neighbour is believed, to ten times what they differ by. Where no two
//! rungs agree to 1e-4 nothing is concluded; such cases are counted and bounded. A second, independent check takes second
//! differences of the distance alone along random motions of both bodies.

use superegg::query::{Options, POSE_PARAMETERS, SecondDerivatives, distance, second_derivatives};
use superegg::shape::{Plane, Shape};
use superegg::{DQuat, DVec3, Pose};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, direction, log_uniform, rotation};

const EXACT: Options = Options { tolerance: 1e-14, ..Options::DEFAULT };
/// Largest difference of two rungs that still concludes anything, and the smallest error that is held against a derivative, in
/// units in which the bodies have a size of one.
const CONCLUSIVE: f64 = 1e-4;
const ROUNDING: f64 = 1e-6;
/// Largest step, factor between steps, number of steps.
const LADDER: (f64, f64, usize) = (2e-3, 0.25, 6);

fn solve(pair: &Pair) -> SecondDerivatives {
    second_derivatives(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &EXACT).expect("a valid pair")
}

/// Both bodies moved by the parameters of [`SecondDerivatives`]; lengths are parts of the size.
fn moved(pair: &Pair, step: [f64; POSE_PARAMETERS], size: f64) -> Pair {
    let part = |at: usize| DVec3::from_slice(&step[at..at + 3]);
    let pose = |pose: &Pose, at: usize| Pose {
        rotation: (DQuat::from_scaled_axis(part(at + 3)) * pose.rotation).normalize(),
        translation: pose.translation + part(at) * size,
    };
    Pair { pose_a: pose(&pair.pose_a, 0), pose_b: pose(&pair.pose_b, 6), ..pair.clone() }
}

fn along(parameter: usize, step: f64) -> [f64; POSE_PARAMETERS] {
    std::array::from_fn(|index| if index == parameter { step } else { 0.0 })
}

/// What is differenced, in units of the size: first derivatives, points, normal.
fn values(found: &SecondDerivatives, size: f64) -> [f64; POSE_PARAMETERS + 9] {
    let (first, outcome) = (found.first(), found.outcome());
    let points = [outcome.point_a / size, outcome.point_b / size, outcome.normal];
    std::array::from_fn(|index| match index.checked_sub(POSE_PARAMETERS) {
        None if index % 6 < 3 => first[index],
        None => first[index] / size,
        Some(rest) => points[rest / 3][rest % 3],
    })
}

/// The derivatives that the query gives, likewise.
fn given(found: &SecondDerivatives, parameter: usize, size: f64) -> [f64; POSE_PARAMETERS + 9] {
    let scale = if parameter % 6 < 3 { size } else { 1.0 };
    let rest = [found.point_a[parameter] / size, found.point_b[parameter] / size, found.normal[parameter]];
    std::array::from_fn(|index| {
        scale
            * match index.checked_sub(POSE_PARAMETERS) {
                None if index % 6 < 3 => found.hessian[index][parameter],
                None => found.hessian[index][parameter] / size,
                Some(at) => rest[at / 3][at % 3],
            }
    })
}

/// Derivatives by differences with their errors.
fn differences(pair: &Pair, parameter: usize, size: f64) -> [(f64, f64); POSE_PARAMETERS + 9] {
    let (largest, factor, count) = LADDER;
    let rungs: Vec<_> = (0..count)
        .map(|rung| {
            let step = largest * factor.powi(rung as i32);
            let at = |step: f64| values(&solve(&moved(pair, along(parameter, step), size)), size);
            let (ahead, behind) = (at(step), at(-step));
            let central: [f64; POSE_PARAMETERS + 9] =
                std::array::from_fn(|index| (ahead[index] - behind[index]) / (2.0 * step));
            central
        })
        .collect();
    std::array::from_fn(|index| {
        let extrapolated = |at: usize| (16.0 * rungs[at + 1][index] - rungs[at][index]) / 15.0;
        (0..count - 2)
            .map(|at| (extrapolated(at + 1), (extrapolated(at + 1) - extrapolated(at)).abs()))
            .min_by(|one, other| one.1.total_cmp(&other.1))
            .expect("rungs")
    })
}

#[derive(Default)]
struct Tally {
    compared: u32,
    inconclusive: u32,
    rough: u32,
    worst: f64,
}

fn compare(pair: &Pair, label: &str, tally: &mut Tally) {
    let size = pair.size().max(0.1);
    let found = solve(pair);
    assert!(found.hessian.iter().flatten().all(|value| value.is_finite()), "{label}: {}", pair.to_rust());
    assert!(found.normal.iter().chain(&found.point_a).chain(&found.point_b).all(|v| v.is_finite()), "{label}");
    if !found.is_smooth || !found.is_curved {
        tally.rough += 1;
        return;
    }
    let by_parameter: Vec<_> = (0..POSE_PARAMETERS).map(|parameter| differences(pair, parameter, size)).collect();
    for (parameter, of_differences) in by_parameter.iter().enumerate() {
        let of_query = given(&found, parameter, size);
        for (index, value) in of_query.into_iter().enumerate() {
            let (mut expected, mut error) = of_differences[index];
            if index < POSE_PARAMETERS {
                // Derivatives of derivatives by rotations do not commute: their mean is the second derivative.
                let (other, its_error) = by_parameter[index][parameter];
                (expected, error) = (0.5 * (expected + other), error.max(its_error));
            }
            // Where a normal turns quickly all is in proportion to that.
            let scale = 1.0 + of_query.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            if error > CONCLUSIVE * scale {
                tally.inconclusive += 1;
                continue;
            }
            tally.compared += 1;
            let difference = (value - expected).abs() / scale;
            tally.worst = tally.worst.max(difference);
            assert!(
                difference <= 10.0 * error / scale + ROUNDING,
                "{label}: [{index}][{parameter}] {value} instead of {expected} ± {error:e}: {}",
                pair.to_rust()
            );
        }
    }
}

fn expect_derivatives(
    label: &str,
    count: u64,
    shapes: impl Fn(&mut Rng) -> [Shape; 2],
    spacing: impl Fn(&mut Rng) -> Spacing,
) {
    let mut tally = Tally::default();
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let [a, b] = shapes(&mut rng);
        let spacing = spacing(&mut rng);
        let pair = placed(&mut rng, a, b, Arrangement::Random, spacing);
        let pair = if seed % 3 == 0 { pair.swapped() } else { pair };
        let motion = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) };
        compare(&pair.moved(&motion), &format!("{label}, seed {seed}"), &mut tally);
    }
    let Tally { compared, inconclusive, rough, worst } = tally;
    println!(
        "{label}: {compared} compared, worst {worst:.1e}, {inconclusive} inconclusive, {rough} of {count} not smooth"
    );
    assert!(compared > 0 && inconclusive * 4 <= compared, "{label}: {inconclusive} inconclusive beside {compared}");
}

/// Shapes whose radii of curvature differences can resolve.
fn domain() -> Domain {
    Domain { size: 0.4..=1.0, aspect: 3.0, exponents: 0.5..=1.5, taper: -0.3..=0.3 }
}

fn superellipsoid(rng: &mut Rng) -> Shape {
    generate::superellipsoid(rng, &domain()).into()
}

fn superovoid(rng: &mut Rng) -> Shape {
    generate::convex_superovoid(rng, &domain()).into()
}

fn apart(rng: &mut Rng) -> Spacing {
    Spacing::Exactly(log_uniform(rng, 0.05..=2.0))
}

fn overlapping(rng: &mut Rng) -> Spacing {
    Spacing::Exactly(-log_uniform(rng, 0.02..=0.2))
}

#[test]
fn superellipsoids_apart_and_overlapping() {
    expect_derivatives("apart", 40, |rng| [superellipsoid(rng), superellipsoid(rng)], apart);
    expect_derivatives("overlapping", 30, |rng| [superellipsoid(rng), superellipsoid(rng)], overlapping);
}

#[test]
fn superovoids_apart_and_overlapping() {
    expect_derivatives("apart", 30, |rng| [superovoid(rng), superovoid(rng)], apart);
    expect_derivatives("overlapping", 20, |rng| [superovoid(rng), superovoid(rng)], overlapping);
}

#[test]
fn points_segments_and_triangles() {
    let polytope = |rng: &mut Rng| {
        let radius = log_uniform(rng, 0.4..=1.0);
        generate::polytope(rng, radius)
    };
    let mut rng = generate::seeded(7);
    for seed in 0..60 {
        let (a, b) = (superellipsoid(&mut rng), polytope(&mut rng));
        let spacing = apart(&mut rng);
        let pair = placed(&mut rng, a, b, Arrangement::Random, spacing);
        second_differences_agree(&pair, &format!("simplex {seed}"), &mut rng);
        let (a, b) = (polytope(&mut rng), polytope(&mut rng));
        let pair = placed(&mut rng, a, b, Arrangement::Random, Spacing::Exactly(0.3));
        second_differences_agree(&pair, &format!("simplices {seed}"), &mut rng);
    }
}

#[test]
fn planes() {
    let mut rng = generate::seeded(8);
    for seed in 0..40 {
        let normal = direction(&mut rng);
        let plane: Shape = Plane::new(normal, 0.3).expect("a plane").into();
        let body = if seed % 2 == 0 { superellipsoid(&mut rng) } else { superovoid(&mut rng) };
        let pose_a = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) };
        let pose_b = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 3.0 };
        let pair = Pair { a: plane, pose_a, b: body, pose_b };
        let pair = if seed % 3 == 0 { pair.swapped() } else { pair };
        second_differences_agree(&pair, &format!("plane {seed}"), &mut rng);
    }
}

#[test]
fn motions_of_smooth_pairs() {
    let mut rng = generate::seeded(9);
    for seed in 0..60 {
        let (a, b) = (superellipsoid(&mut rng), superovoid(&mut rng));
        let spacing = if seed % 2 == 0 { apart(&mut rng) } else { overlapping(&mut rng) };
        let pair = placed(&mut rng, a, b, Arrangement::Random, spacing);
        second_differences_agree(&pair, &format!("smooth {seed}"), &mut rng);
    }
}

/// The second derivative along a motion of both bodies, by distances alone. Distances are exact to some 1e-14 of the size; with a step
/// of 1e-3 the differences then to 1e-7, and the terms of fourth order are extrapolated away.
fn second_differences_agree(pair: &Pair, label: &str, rng: &mut Rng) {
    let size = pair.size().max(0.1);
    let found = solve(pair);
    if !found.is_smooth {
        return;
    }
    let motion: [f64; POSE_PARAMETERS] = {
        let parts = [0; 4].map(|_| direction(rng));
        std::array::from_fn(|index| parts[index / 3][index % 3])
    };
    let at = |step: f64| {
        let pair = moved(pair, motion.map(|part| part * step), size);
        distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &EXACT).expect("a valid pair").distance / size
    };
    let middle = at(0.0);
    let second = |step: f64| ((at(step) - middle) + (at(-step) - middle)) / (step * step);
    let rungs: Vec<f64> = [8e-3, 4e-3, 2e-3, 1e-3].map(second).to_vec();
    let extrapolated: Vec<f64> = rungs.windows(2).map(|pair| (4.0 * pair[1] - pair[0]) / 3.0).collect();
    let (expected, error) = extrapolated
        .windows(2)
        .map(|pair| (pair[1], (pair[1] - pair[0]).abs()))
        .min_by(|one, other| one.1.total_cmp(&other.1))
        .expect("rungs");
    let unit = |index: usize| motion[index] * if index % 6 < 3 { size } else { 1.0 };
    let value: f64 = (0..POSE_PARAMETERS)
        .flat_map(|row| (0..POSE_PARAMETERS).map(move |column| (row, column)))
        .map(|(row, column)| unit(row) * found.hessian[row][column] * unit(column) / size)
        .sum();
    let scale = 1.0 + value.abs();
    if error > 1e-3 * scale {
        return;
    }
    let difference = (value - expected).abs();
    assert!(
        difference <= 10.0 * error + 1e-5 * scale,
        "{label}: {value} instead of {expected} ± {error:e}: {}",
        pair.to_rust()
    );
}

/// Flat, ridged, needle-like, touching: flagged or smooth, but always numbers.
#[test]
fn nothing_is_ever_not_a_number() {
    for seed in 0..3_000 {
        let mut rng = generate::seeded(seed);
        let shape = |rng: &mut Rng| match seed % 3 {
            0 => generate::superellipsoid(rng, &Domain::WIDE).into(),
            1 => generate::superovoid(rng, &Domain::WIDE).into(),
            _ => generate::polytope(rng, 1.0),
        };
        let (a, b) = (shape(&mut rng), generate::superellipsoid(&mut rng, &Domain::WIDE).into());
        let arrangements =
            [Arrangement::Random, Arrangement::FaceToFace, Arrangement::AxisAligned, Arrangement::CentreLine];
        let spacing = [Spacing::Apart, Spacing::Shallow, Spacing::Exactly(0.0), Spacing::Deep][(seed / 4) as usize % 4];
        let pair = placed(&mut rng, a, b, arrangements[seed as usize % 4], spacing);
        let found =
            second_derivatives(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair");
        let vectors = found.normal.iter().chain(&found.point_a).chain(&found.point_b);
        let finite =
            found.hessian.iter().flatten().all(|value| value.is_finite()) && { vectors }.all(|v| v.is_finite());
        assert!(finite, "seed {seed}: {found:?} {}", pair.to_rust());
    }
}

#[test]
fn what_is_not_unique_is_flagged() {
    let die: Shape = superegg::shape::Superellipsoid::new([1.0; 3], [0.1; 2]).expect("a shape").into();
    let there = Pose::from_translation(DVec3::X * 3.0);
    let faces = second_derivatives(&die, &Pose::IDENTITY, &die, &there, &Options::DEFAULT).expect("a pair");
    assert!(!faces.is_smooth || !faces.is_curved, "parallel faces");
    let ball: Shape = superegg::shape::Superellipsoid::new([1.0; 3], [1.0; 2]).expect("a shape").into();
    let centred =
        second_derivatives(&ball, &Pose::IDENTITY, &ball, &Pose::IDENTITY, &Options::DEFAULT).expect("a pair");
    assert!(!centred.is_smooth, "concentric balls");
}
