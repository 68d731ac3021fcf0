//! The proof of the proof: bounds against 77-digit arithmetic, over everything that queries accept.
//!
//! Of each answer
//! - the lower bound must not exceed `L(n)` at the witness normal n, evaluated in 77 digits with the exact rotation that the
//!   quaternions stand for: a bound that does was not proved;
//! - where the reference can prove the distance itself to 25 digits of the size, as it can of convex pairs apart, both bounds must
//!   enclose it.
//!
//! The reference has no tolerance: a single violation fails. With a taper its support function is an upper bound that is right
//! to some sixty digits, so that it may only err towards a violation; of a body that is not convex it is the height of the best
//! stationary point that `f64` finds, which may be one of two that are equal to 1e-16.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastrand::Rng as Dice;
use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, Outcome, distance};
use superegg::shape::{Segment, Shape, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use testkit::Pair;
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, known};
use testkit::oracle::precise::{Start, excess_over_dual, refine};

/// Extremes of every kind: flat and ridged, tapered up to the limit, radii of 1000:1.
const EXTREME: Domain = Domain { exponents: 0.01..=1.99, taper: -0.95..=0.95, aspect: 1000.0, size: 1e-9..=1e9 };

/// What a run has seen.
#[derive(Default)]
struct Tally {
    bounds: u64,
    refined: u64,
    proved: u64,
    violations: Vec<String>,
}

impl Tally {
    /// Checks an answer's lower bound at its witness normal, and both bounds against the distance if `refined` says so.
    fn add(&mut self, what: &str, seed: u64, pair: &Pair, outcome: &Outcome, refined: bool) {
        let Some(bounds) = outcome.bounds else {
            self.violations.push(format!("{what} {seed}: no bounds: {}", pair.to_rust()));
            return;
        };
        self.bounds += 1;
        let excess = excess_over_dual(pair, outcome.witness, bounds.lower);
        // A body without an inside is never nearer than zero, whatever the normal says.
        if excess > 0.0 && bounds.lower != 0.0 {
            self.violations.push(format!("{what} {seed}: lower bound too large by {excess:e}: {}", pair.to_rust()));
        }
        if !refined {
            return;
        }
        self.refined += 1;
        let start = Start { point_a: outcome.point_a, point_b: outcome.point_b, normal: outcome.normal };
        let truth = refine(pair, &start).filter(|truth| truth.gap.is_some_and(|gap| gap <= 1e-25 * pair.size()));
        if let Some(truth) = truth {
            self.proved += 1;
            let (low, high) = (truth.excess(bounds.lower), truth.excess(bounds.upper));
            if low > 0.0 || high < 0.0 {
                self.violations
                    .push(format!("{what} {seed}: misses the truth by {low:e}, {high:e}: {}", pair.to_rust()));
            }
        }
    }
}

type Class = (&'static str, fn(&mut Rng, &mut Dice) -> Pair);

fn bodies(rng: &mut Rng, dice: &mut Dice, domain: &Domain) -> [Shape; 2] {
    let mut body = |dice: &mut Dice| match dice.u32(..3) {
        0 => generate::superellipsoid(rng, domain).into(),
        1 => generate::convex_superovoid(rng, domain).into(),
        _ => known::convex_body(rng, domain, true),
    };
    [body(dice), body(dice)]
}

fn spaced(rng: &mut Rng, dice: &mut Dice, domain: &Domain, gap: f64) -> Pair {
    let [a, b] = bodies(rng, dice, domain);
    let arrangement = *dice.choice(&Arrangement::ALL).expect("there are four");
    placed(rng, a, b, arrangement, Spacing::Exactly(gap))
}

/// Both bodies moved far away together, and quaternions that have drifted as far as products of them do.
fn moved_away(mut pair: Pair, rng: &mut Rng, dice: &mut Dice) -> Pair {
    let away = generate::direction(rng) * pair.size() * 10f64.powf(9.0 * dice.f64());
    for pose in [&mut pair.pose_a, &mut pair.pose_b] {
        pose.translation += away;
        pose.rotation = DQuat::from_array(pose.rotation.to_array().map(|x| x * (1.0 + 1e-15 * (dice.f64() - 0.5))));
    }
    pair
}

/// A superovoid with unequal tapers that was proved convex, or one that was not.
fn unequally_tapered(rng: &mut Rng, dice: &mut Dice, convex: bool) -> Shape {
    let domain = Domain { exponents: 0.1..=1.95, taper: -0.5..=0.5, ..Domain::MODERATE };
    loop {
        let body = generate::superovoid(rng, &domain);
        let [tx, ty] = body.taper();
        let taper = if convex { [tx, tx * (0.7 + 0.6 * dice.f64())] } else { [tx, ty] };
        let body = Superovoid::new(body.radii(), body.exponents(), taper).expect("within the domain");
        if taper[0] != taper[1] && body.is_convex() == convex {
            return body.into();
        }
    }
}

const CLASSES: [Class; 11] = [
    ("ordinary", |rng, dice| {
        let gap = 10f64.powf(4.0 * dice.f64() - 2.0);
        spaced(rng, dice, &Domain::MODERATE, gap)
    }),
    ("extreme", |rng, dice| {
        let gap = 10f64.powf(8.0 * dice.f64() - 4.0);
        spaced(rng, dice, &EXTREME, gap)
    }),
    // They have a method of their own.
    ("ellipsoids", |rng, dice| {
        let domain = Domain { exponents: 1.0..=1.0, ..Domain::WIDE };
        let [a, b] = [(); 2].map(|()| generate::superellipsoid(rng, &domain).into());
        let gap = 10f64.powf(14.0 * dice.f64() - 10.0);
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    }),
    ("near touching", |rng, dice| {
        let gap = 10f64.powf(-14.0 * dice.f64());
        spaced(rng, dice, &Domain::WIDE, gap)
    }),
    ("far", |rng, dice| {
        let gap = 10f64.powf(9.0 * dice.f64());
        spaced(rng, dice, &Domain::WIDE, gap)
    }),
    ("far from the origin", |rng, dice| {
        let gap = 10f64.powf(6.0 * dice.f64() - 4.0);
        let pair = spaced(rng, dice, &Domain::WIDE, gap);
        moved_away(pair, rng, dice)
    }),
    ("of unlike sizes", |rng, dice| {
        let small = Domain { size: 1e-7..=1e-3, ..Domain::MODERATE };
        let (a, b) = (generate::convex_superovoid(rng, &Domain::MODERATE), generate::superellipsoid(rng, &small));
        let gap = 10f64.powf(-8.0 * dice.f64());
        let (a, b): (Shape, Shape) = if dice.bool() { (a.into(), b.into()) } else { (b.into(), a.into()) };
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    }),
    ("overlapping", |rng, dice| {
        let gap = -0.9 * dice.f64();
        spaced(rng, dice, &Domain::MODERATE, gap)
    }),
    ("tapered unequally", |rng, dice| {
        let [a, b] = [(); 2].map(|()| unequally_tapered(rng, dice, true));
        let gap = 10f64.powf(8.0 * dice.f64() - 6.0);
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    }),
    // Their lower bounds are those of their hulls.
    ("not convex", |rng, dice| {
        let a = unequally_tapered(rng, dice, false);
        let b = match dice.u32(..3) {
            0 => unequally_tapered(rng, dice, false),
            1 => generate::superellipsoid(rng, &Domain::MODERATE).into(),
            _ => generate::polytope(rng, 0.7),
        };
        let gap = 10f64.powf(8.0 * dice.f64() - 6.0);
        placed(rng, a, b, Arrangement::Random, Spacing::Exactly(gap))
    }),
    ("nearly parallel simplices", |rng, dice| {
        let angle = 10f64.powf(-15.0 * dice.f64());
        let lift = DVec3::Z * 10f64.powf(-12.0 * dice.f64());
        let turned = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let mut end = |along: DVec3| lift + along * (2.0 * dice.f64() - 1.0) + lift * (dice.f64() - 0.5);
        let (p, q, r) = (end(turned), end(turned), end(DVec3::Y));
        let b =
            if dice.bool() { Segment::new([p, q]).unwrap().into() } else { Triangle::new([p, q, r]).unwrap().into() };
        let a = Segment::new([-DVec3::X, DVec3::X]).unwrap().into();
        let pose = Pose::new(generate::rotation(rng), generate::direction(rng) * 10f64.powf(4.0 * dice.f64())).unwrap();
        Pair { a, pose_a: pose, b, pose_b: pose }
    }),
];

/// Pairs of one class that are drawn, asked and checked together.
const CHUNK: u64 = 100;

/// Some pairs of a class, asked one by one and in a batch.
fn run_chunk((what, pair_of): Class, seeds: std::ops::Range<u64>, every: u64) -> Tally {
    let mut tally = Tally::default();
    let pairs: Vec<Pair> =
        seeds.clone().map(|seed| pair_of(&mut generate::seeded(seed), &mut Dice::with_seed(seed))).collect();
    let placed: Vec<[Placed; 2]> = (pairs.iter())
        .map(|pair| {
            [Placed { shape: pair.a.clone(), pose: pair.pose_a }, Placed { shape: pair.b.clone(), pose: pair.pose_b }]
        })
        .collect();
    let batch = distances(&placed, &Options::DEFAULT, Threads::One);
    for ((pair, batched), seed) in pairs.iter().zip(batch).zip(seeds) {
        // Every other one from the batch: each is a test of its own code.
        let outcome = if seed % 2 == 0 {
            distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT)
        } else {
            batched
        };
        // Half of them of either kind.
        tally.add(what, seed, pair, &outcome.expect("a valid pair"), (seed / 2).is_multiple_of(every));
    }
    tally
}

/// `count` pairs of each class, on all cores. The distance itself takes ten times as long to prove as a bound at its witness: that
/// is done for one of `every` so many.
fn run(count: u64, first_seed: u64, every: u64) {
    let chunks_of_class = count.div_ceil(CHUNK) as usize;
    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(Vec::new());
    let work = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let Some(class) = CLASSES.get(chunk / chunks_of_class) else { break };
            let begin = CHUNK * (chunk % chunks_of_class) as u64;
            let tally = run_chunk(*class, first_seed + begin..first_seed + (begin + CHUNK).min(count), every);
            tallies.lock().expect("no panic").push(tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let tallies = tallies.into_inner().expect("no panic");
    let sum = |count: fn(&Tally) -> u64| tallies.iter().map(count).sum::<u64>();
    let (bounds, refined, proved) = (sum(|tally| tally.bounds), sum(|tally| tally.refined), sum(|tally| tally.proved));
    let violations: Vec<String> = tallies.into_iter().flat_map(|tally| tally.violations).collect();
    println!(
        "{bounds} lower bounds recomputed at their witness normal, both bounds of {proved} of {refined} against a proved distance; \
         {} violations",
        violations.len()
    );
    for violation in violations.iter().take(20) {
        println!("{violation}");
    }
    assert_eq!(bounds, count * CLASSES.len() as u64, "not every pair was asked");
    assert!(violations.is_empty(), "{} of {bounds} bounds do not hold, such as {}", violations.len(), violations[0]);
    assert!(proved >= refined / 4, "only {proved} of {refined} distances could be proved");
}

#[test]
fn a_sample_of_bounds_holds() {
    run(80, 0, 1);
}

#[test]
#[ignore = "takes minutes: cargo xtask long"]
fn a_hundred_thousand_bounds_hold() {
    run(10_000, 1_000_000, 5);
}
