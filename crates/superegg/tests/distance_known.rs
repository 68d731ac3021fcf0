//! Distances against pairs whose distance is known by construction: two support planes a chosen length apart.
//!
//! The construction is exact but for rounding (see `testkit::generate::known`, confirmed there in 77-digit arithmetic),
//! and covers exponents from 0.05 to 1.95, radii ratios to 100:1, sizes from 1e-6 to 1e6 and separations from zero over
//! 1e-12 to 1e6 of the size; random and axis-aligned poses; faces, ridges, corners and their neighbourhoods.

use proptest::prelude::*;
use superegg::query::{Options, Outcome, Status, distance};
use superegg::shape::{Point, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::{self, Domain, Rng, known, strategy};
use testkit::{KnownPair, Pair, check};

fn solve(pair: &Pair, options: &Options) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, options).expect("a valid pair")
}

fn expect_no_contradiction(count: u64, draw: impl Fn(&mut Rng) -> KnownPair) {
    expect_few_contradictions(&Options::DEFAULT, count, 0, draw);
}

/// Panics with all failures of a class, so that one run tells how many there are. Where `known_failures` is not zero, it
/// is the number the solver is known to leave in that class: a ceiling that may only come down.
fn expect_few_contradictions(
    options: &Options,
    count: u64,
    known_failures: usize,
    draw: impl Fn(&mut Rng) -> KnownPair,
) {
    let mut failures = Vec::new();
    for seed in 0..count {
        let known = draw(&mut generate::seeded(seed));
        let found = check::contradictions_to_known(&known, &solve(&known.pair, options), options);
        if !found.is_empty() {
            failures.push(format!("seed {seed}: {}\n  {}", found.join("; "), known.pair.to_rust()));
        }
    }
    let shown: Vec<_> = failures.iter().take(5).cloned().collect();
    let few = failures.len() <= known_failures;
    assert!(few, "{} of {count} pairs failed, such as\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn curved_bodies_apart_over_the_whole_domain() {
    expect_no_contradiction(20_000, |rng| known::apart(rng, &Domain::WIDE, false));
}

#[test]
fn curved_bodies_apart_of_ordinary_proportions() {
    expect_no_contradiction(20_000, |rng| known::apart(rng, &Domain::MODERATE, false));
}

#[test]
fn points_segments_and_triangles_apart() {
    expect_no_contradiction(20_000, |rng| known::flat_apart(rng, &Domain::WIDE));
}

#[test]
fn axis_aligned_and_off_centre() {
    expect_no_contradiction(10_000, |rng| known::axis_aligned(rng, &Domain::WIDE, false));
}

#[test]
fn axis_aligned_and_centred() {
    expect_no_contradiction(10_000, |rng| known::axis_aligned(rng, &Domain::WIDE, true));
}

#[test]
fn shallow_overlaps_of_known_depth() {
    expect_no_contradiction(20_000, |rng| known::shallow_overlap(rng, &Domain::MODERATE));
}

/// The tolerance means what it says: bounds as narrow as asked for, down to rounding.
#[test]
fn other_tolerances() {
    for tolerance in [1e-13, 1e-11, 1e-6, 1e-3] {
        let options = Options { tolerance, ..Options::DEFAULT };
        // At 1e-13 one pair in thousands that touches within rounding stays open.
        let known_failures = if tolerance < 1e-12 { 2 } else { 0 };
        expect_few_contradictions(&options, 2_000, known_failures, |rng| known::apart(rng, &Domain::MODERATE, false));
    }
}

/// A triangle next to a ridge and a point next to a tip: points between support points lay below the surface by 1.7 tolerances, and the
/// deepest points of bodies that touch lay beside each other.
#[test]
fn ridges_and_tips_that_nearly_touch() {
    let pairs = [
        Pair {
            a: Superellipsoid::new(
                [0.8746794595901273, 0.014763569455440561, 0.0270558780890519],
                [1.1697477971148458, 1.9328417606682444],
            )
            .unwrap()
            .into(),
            pose_a: Pose {
                rotation: DQuat::from_xyzw(
                    0.28020800705122206,
                    0.4555103311501553,
                    -0.2365283558809062,
                    0.8112016690466887,
                ),
                translation: DVec3::new(0.0, 0.0, 0.0),
            },
            b: Triangle::new([
                DVec3::new(0.6213968019869048, 0.737875038420378, -0.3878144892078598),
                DVec3::new(0.6642658171395107, -0.7899282224158861, 0.1255307272895226),
                DVec3::new(1.0190155935090046, 0.20187968929558764, 0.04295866755834008),
            ])
            .unwrap()
            .into(),
            pose_b: Pose {
                rotation: DQuat::from_xyzw(
                    0.7536859751228495,
                    0.23145910687767765,
                    0.28618674510199993,
                    0.5445009455220717,
                ),
                translation: DVec3::new(-1.1934907923710132, -0.47056030041607844, 0.3975312225366133),
            },
        },
        Pair {
            a: Superellipsoid::new(
                [169344.52922210874, 44728.13144943617, 38790.6070409579],
                [0.4679230794868285, 1.540381679644521],
            )
            .unwrap()
            .into(),
            pose_a: Pose {
                rotation: DQuat::from_xyzw(
                    -0.4866417487755551,
                    0.45688032003184437,
                    -0.5898996872583482,
                    -0.4543770906293275,
                ),
                translation: DVec3::new(0.0, 0.0, 0.0),
            },
            b: Point::new([DVec3::new(131838872.79622182, -52639633.735570766, 59003779.82134025)]).unwrap().into(),
            pose_b: Pose {
                rotation: DQuat::from_xyzw(
                    -0.19991514240661817,
                    0.09970165020016611,
                    -0.6406456087391605,
                    0.7346201200533075,
                ),
                translation: DVec3::new(2701064.7223765473, 124741849.39704666, -89754209.04932292),
            },
        },
    ];
    for pair in pairs {
        for pair in [pair.clone(), pair.swapped()] {
            let found = check::contradictions(&pair, &solve(&pair, &Options::DEFAULT), &Options::DEFAULT);
            assert!(found.is_empty(), "{}: {}", found.join("; "), pair.to_rust());
        }
    }
}

/// Certified bounds are no wider than asked for, what they allow for rounding included.
#[test]
fn bounds_are_as_narrow_as_asked_for() {
    let (mut compared, mut widest) = (0, 0.0f64);
    for seed in 0..6_000 {
        let mut rng = generate::seeded(seed);
        let known = match seed % 3 {
            0 => known::axis_aligned(&mut rng, &Domain::MODERATE, false),
            1 => known::apart(&mut rng, &Domain::MODERATE, false),
            _ => known::shallow_overlap(&mut rng, &Domain::MODERATE),
        };
        let (pair, outcome) = (&known.pair, solve(&known.pair, &Options::DEFAULT));
        // Far apart, rounding alone is more than that.
        if 64.0 * pair.rounding() < 1e-11 * pair.size() && outcome.status != Status::NotConverged {
            let bounds = outcome.bounds.expect("convex");
            let width = (bounds.upper - bounds.lower) / pair.size();
            (compared, widest) = (compared + 1, widest.max(width));
            assert!(width <= 1e-9, "seed {seed}: {width:e}: {}", pair.to_rust());
        }
    }
    assert!(compared > 4_000 && widest > 0.9e-9, "{compared}, {widest:e}");
}

/// Bodies that nearly touch, with flat faces: all ended as not converged, with points up to five tolerances apart.
#[test]
fn flat_faces_that_nearly_touch() {
    let pairs = [
        (
            1.0486704417418238e-13,
            Pair {
                a: Superovoid::new(
                    [1.0231610159539534e-5, 1.4025790677018298e-6, 1.52169300804258e-7],
                    [1.5014109844280268, 0.09389866227328506],
                    [0.2158943887341659, 0.2158943887341659],
                )
                .unwrap()
                .into(),
                pose_a: Pose {
                    rotation: DQuat::from_xyzw(
                        -0.6125906951627093,
                        0.5438842143786167,
                        0.020515757571548623,
                        0.5731506828409864,
                    ),
                    translation: DVec3::new(-0.020851146309836706, 0.024935176407885545, -0.03898151530482391),
                },
                b: Superellipsoid::new(
                    [0.0067623022505233395, 0.00010950690810192838, 0.0034600740985738206],
                    [0.2610847711282697, 0.5256709070110583],
                )
                .unwrap()
                .into(),
                pose_b: Pose {
                    rotation: DQuat::from_xyzw(
                        0.8646704796590263,
                        -0.36666192830449074,
                        -0.3388678337825027,
                        0.05543088638851225,
                    ),
                    translation: DVec3::new(-0.019742173450942726, 0.024616162835980282, -0.0380473943004129),
                },
            },
        ),
        (
            0.0,
            Pair {
                a: Superovoid::new(
                    [0.0004593698381162327, 0.0011384376471971008, 6.734963881016402e-5],
                    [1.0703955781983692, 0.05],
                    [-0.7208425067507097, -0.7208425067507097],
                )
                .unwrap()
                .into(),
                pose_a: Pose {
                    rotation: DQuat::from_xyzw(
                        -0.17919432089996037,
                        0.6573964934006636,
                        0.6429673521018451,
                        0.349731654204842,
                    ),
                    translation: DVec3::new(0.00867154599779646, -0.006174569048152213, -0.00018996855141962933),
                },
                b: Superellipsoid::new(
                    [2.311956371216561e-6, 5.204875944778801e-7, 4.71734284918793e-6],
                    [1.0, 0.17388318320298196],
                )
                .unwrap()
                .into(),
                pose_b: Pose {
                    rotation: DQuat::from_xyzw(
                        -0.16817851173736276,
                        -0.7141973653052184,
                        -0.677432160662773,
                        0.05218983886406797,
                    ),
                    translation: DVec3::new(0.008868367703635366, -0.00615363210538557, -0.0007900625870769618),
                },
            },
        ),
        (
            3.47703167294063e-06,
            Pair {
                a: Superellipsoid::new([1630.5714039100678, 479.6154869593925, 1675.1995054982146], [1.95, 0.05])
                    .unwrap()
                    .into(),
                pose_a: Pose {
                    rotation: DQuat::from_xyzw(
                        0.7017665422547726,
                        -0.6676223752665694,
                        0.019080805057802634,
                        0.2478709484662341,
                    ),
                    translation: DVec3::new(21899.04954181534, -35631.60839308261, 7155.129521507024),
                },
                b: Superovoid::new(
                    [506.2153515641448, 1951.9310239109507, 24.251636950858998],
                    [0.6666666666666666, 1.5742117515324854],
                    [-0.3670047134134014, -0.3670047134134014],
                )
                .unwrap()
                .into(),
                pose_b: Pose {
                    rotation: DQuat::from_xyzw(0.0, 0.7429119028379798, -0.3165056483025309, 0.5898356374569503),
                    translation: DVec3::new(21067.32273886887, -36444.15553789706, 5299.829866100177),
                },
            },
        ),
        (
            0.0,
            Pair {
                a: Superellipsoid::new(
                    [311805.9735670209, 125434.86661111224, 130645.28517966016],
                    [0.05, 0.36511086277615007],
                )
                .unwrap()
                .into(),
                pose_a: Pose {
                    rotation: DQuat::from_xyzw(
                        -0.5801123247782084,
                        0.3307944113278864,
                        0.7204858603910184,
                        0.18693547831076332,
                    ),
                    translation: DVec3::new(-4078117.0770179774, 3488853.010748943, 1912862.977026324),
                },
                b: Superellipsoid::new(
                    [3745.6072704329995, 200295.16233287842, 34743.2390632911],
                    [1.5315494086749468, 0.05],
                )
                .unwrap()
                .into(),
                pose_b: Pose {
                    rotation: DQuat::from_xyzw(
                        0.0591134558512644,
                        0.12925037226949337,
                        0.7421966577387947,
                        0.6549382122359946,
                    ),
                    translation: DVec3::new(-3822721.009568909, 3591078.513816014, 2193399.0487682736),
                },
            },
        ),
    ];
    for (distance, pair) in pairs {
        for pair in [pair.clone(), pair.swapped()] {
            let outcome = solve(&pair, &Options::DEFAULT);
            let found = check::contradictions(&pair, &outcome, &Options::DEFAULT);
            assert!(found.is_empty(), "{}\n  {}", found.join("; "), pair.to_rust());
            let allowed = check::allowance(&pair, &Options::DEFAULT);
            assert!((outcome.distance - distance).abs() <= allowed, "{outcome:?} instead of {distance:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same as a property, for its shrinking.
    #[test]
    fn any_known_pair(known in strategy::known_pair(&Domain::WIDE)) {
        let found = check::contradictions_to_known(&known, &solve(&known.pair, &Options::DEFAULT), &Options::DEFAULT);
        prop_assert!(found.is_empty(), "{}\n  {}", found.join("; "), known.pair.to_rust());
    }
}
